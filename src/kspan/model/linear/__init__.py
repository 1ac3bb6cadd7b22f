"""Logistic regression as it is written."""
