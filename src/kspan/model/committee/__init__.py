"""Committees of trees as they are written."""
