"""The judge of gradient boosting."""
