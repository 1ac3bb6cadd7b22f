"""Decision trees as they are released."""
