"""The ledger: one file in which every release is entered, so that the next one can be judged with all before it."""
