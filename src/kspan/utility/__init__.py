"""What anonymity costs."""
