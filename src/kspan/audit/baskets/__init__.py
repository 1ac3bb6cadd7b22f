"""The judge of releases about baskets: what rules and itemsets share."""
