"""How good is what was learnt, and is one way better than another, or was it luck?"""
