"""Gradient boosting as it is written."""
