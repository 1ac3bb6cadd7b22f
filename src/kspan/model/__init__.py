"""Partitions and models as they are released; none of them holds anybody's row."""
