"""How large things may be: bounds on the work that a small input can cause, all told in docs/policy.md."""

LARGEST_NUMBER = 1e100
"""Numbers beyond it, and infinite ones, are words: squares and sums of millions of smaller ones stay finite."""

LEAST_NUMBER = 1e-100
"""Numbers nearer to zero, but for zero itself, are words: the square of a range of them is no number to divide by."""

LARGEST_END = 1e300
"""Ends of released ranges may be as far out, since tables write so that a range has no end; its width stays finite."""
