"""What a miner does with the trees that owners publish: pool them, make pseudo-data of them, learn one global model.

Pseudo-data is for the miner; it is not an anonymized release of any owner.
"""
