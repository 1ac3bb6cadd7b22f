"""Groups of neighbors along a curve."""
