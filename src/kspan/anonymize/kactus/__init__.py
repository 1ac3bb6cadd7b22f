"""kACTUS: anonymity by pruning a classification tree."""
