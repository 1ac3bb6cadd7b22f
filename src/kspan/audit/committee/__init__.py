"""The judge of committees of trees."""
