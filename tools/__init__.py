"""Tools for those who maintain kspan."""
