"""The judge of several releases about some of the same people."""
