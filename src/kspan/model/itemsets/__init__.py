"""Frequent itemsets as they are released."""
