"""Guesses what the columns of a table are, as a person would: by their names, their cells and how these repeat."""
