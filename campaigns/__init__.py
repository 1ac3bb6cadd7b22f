"""Long attacks on the product as a black box: what leaves, what a crash leaves, bad input, false claims, and load."""
