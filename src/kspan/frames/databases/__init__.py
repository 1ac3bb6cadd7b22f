"""Tables of databases: read as they are, and written so that others see the old table or the new one."""
