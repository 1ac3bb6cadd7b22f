"""Association rules as they are released."""
