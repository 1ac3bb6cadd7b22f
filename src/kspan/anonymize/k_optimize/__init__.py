"""K-Optimize: the best intervals for all."""
