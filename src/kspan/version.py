"""The version of kspan."""

__version__ = "0.1.0"
