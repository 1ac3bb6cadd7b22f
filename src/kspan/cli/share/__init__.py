"""kspan share: its commands and their options."""
