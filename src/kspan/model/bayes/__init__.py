"""Naive Bayes as it is written."""
