"""Learning decision lists."""
