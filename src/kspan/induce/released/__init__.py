"""Learning from tables whose cells may be general."""
