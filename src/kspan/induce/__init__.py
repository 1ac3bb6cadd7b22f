"""Learners: trees, lists, rules, clusters and others, some under a requirement on the crowds that they leave."""
