"""The judge of logistic regression."""
