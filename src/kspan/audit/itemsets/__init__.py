"""The judge of frequent itemsets."""
