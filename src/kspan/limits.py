"""How large things may be: bounds on the work that a small input can cause, all listed in docs/policy.md."""

LARGEST_NUMBER = 1e100
"""Larger and infinite numbers count as words, so that squares and sums of millions of numbers stay finite."""

LEAST_NUMBER = 1e-100
"""Numbers nearer to zero, except zero itself, count as words: the square of such a range may be 0, a bad divisor."""

LARGEST_END = 1e300
"""Ends of released ranges may be this far out, since tables write open ranges so; their width stays finite."""

MOST_COLUMNS = 10_000
"""Columns of a table: each of them costs time in every step, whatever it holds."""

ALWAYS_UNPACKED = 256 << 20
"""Bytes that any packed file may hold after unpacking, however small it is."""

MOST_PACKED = 250
"""Larger packed files may hold so many times their own size: honest tables seldom shrink to less than a hundredth."""

ALWAYS_CLAIMED = 1 << 30
"""Bytes that the cells of any Parquet or Arrow file may take: long runs of one cell take no room in the file."""

MOST_CLAIMED = 100_000
"""The cells of a larger Parquet or Arrow file may take so many times its own size."""

MOST_LEVELS = 100
"""Levels of a hierarchy: codes that lose a character at each level seldom have more than twenty."""

MOST_NAMES = 20_000_000
"""Values times levels of a hierarchy: so many names are kept in memory."""

MOST_VALUES = 1_000_000
"""Values that a policy may list in a domain or in an order."""

MOST_EMPTY = 1_000
"""Branches of a tree node that may lead to nobody; if there are more, they are joined into one."""

MOST_KNOWN_SETS = 20_000_000
"""Ways to know some rows of a person, over all people: `known_rows` asks about each of them."""

MOST_ROWS_A_PERSON = 24
"""Rows of one person that a wide table puts side by side, unless it is said how many are kept."""
