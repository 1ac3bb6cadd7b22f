"""The judge of association rules."""
