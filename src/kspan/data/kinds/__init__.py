"""The kinds of columns: one file says all that follows from what the values of a column are."""
