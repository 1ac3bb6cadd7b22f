"""Pruning a tree until every path satisfies a requirement."""
