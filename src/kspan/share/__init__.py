"""Trees of several owners: owners publish them, and a miner pools them, makes pseudo-data, and learns one model.

Pseudo-data is for the miner; it is not an anonymized release of any owner.
"""
