"""The judge of decision trees."""
