"""How good is what was learned, and is one way better than another, or was it luck?"""
