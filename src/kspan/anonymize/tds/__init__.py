"""Top-down specialization and refinement."""
