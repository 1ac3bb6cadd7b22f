"""Decision lists as they are released."""
