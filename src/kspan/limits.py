"""How large things may be: bounds on the work that a small input can cause, all told in docs/policy.md."""

LARGEST_NUMBER = 1e100
"""Numbers beyond it, and infinite ones, are words: squares and sums of millions of smaller ones stay finite."""

LEAST_NUMBER = 1e-100
"""Numbers nearer to zero, but for zero itself, are words: the square of a range of them is no number to divide by."""

LARGEST_END = 1e300
"""Ends of released ranges may be as far out, since tables write so that a range has no end; its width stays finite."""

MOST_COLUMNS = 10_000
"""Of a table: each costs time of its own in every step, whatever it holds."""

ALWAYS_UNPACKED = 256 << 20
"""Bytes that a file may hold after unpacking, however small it is."""

MOST_PACKED = 250
"""So many times its own size a larger one may hold: honest tables seldom shrink to less than a hundredth."""

ALWAYS_CLAIMED = 1 << 30
"""Bytes that the cells of a Parquet or Arrow file may take, however small it is: long runs of one cell take none."""

MOST_CLAIMED = 100_000
"""So many times its own size the cells of a larger one may take."""

MOST_LEVELS = 100
"""Of a hierarchy: codes that lose a character at each level have seldom more than twenty."""

MOST_NAMES = 20_000_000
"""Values times levels of a hierarchy, all of which are names that are kept."""

MOST_VALUES = 1_000_000
"""That a policy may declare of a domain, an order or as missing."""

MOST_EMPTY = 1_000
"""Branches of a node of a tree that may lead to nobody, each by itself; more are one."""
