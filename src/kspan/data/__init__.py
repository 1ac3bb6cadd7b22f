"""Coded tables: what an attribute may hold, how it generalizes, and who stands in which group."""
