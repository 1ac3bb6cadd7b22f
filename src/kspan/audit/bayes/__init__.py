"""The judge of naive Bayes models."""
