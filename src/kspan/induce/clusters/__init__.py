"""Learning clusters in which every span is a crowd."""
