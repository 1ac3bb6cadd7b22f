"""Tables in which everybody stands in a crowd: many ways to make their public cells coarser."""
