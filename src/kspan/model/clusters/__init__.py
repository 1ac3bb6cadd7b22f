"""Clusters as they are released."""
