"""The judge of any function from people to outcomes: ensembles of trees by their leaves, others by their answers."""
