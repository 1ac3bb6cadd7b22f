"""The commands of kspan ledger."""
