"""The judge of decision lists."""
