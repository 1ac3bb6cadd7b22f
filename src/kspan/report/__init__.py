"""What was found, for people to read."""
