"""Anonymized tables: any method with any requirement, judged before anybody sees them."""
