"""Growing decision trees, with or without a requirement on the crowds that they leave."""
