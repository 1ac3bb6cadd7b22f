"""Where tables are that do not fit into memory: what is asked of them there, and what comes back."""
