"""The judge of clusters."""
