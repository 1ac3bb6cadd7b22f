"""Free text: cells in which people wrote sentences, so that nobody knows what they say of whom."""

import polars as pl

LEAST_ROWS = 10
"""With fewer filled cells, one cannot tell text from labels that happen to be long."""
WORDS = 4
"""Half of the cells of free text have at least so many words."""
DIFFERENT = 0.5
"""More than this share of the cells of free text are different; in a release for k = 2 or more, no column's are."""
A_WORD = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]{3}|\p{L}[^\s\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]*"
"""A word begins with a letter; where no blanks are written, three characters count as one."""
LOOKED_AT = 1_000
"""So many different cells, from the whole column, are looked at."""


def is_free_text(series: pl.Series, times: pl.Series | None = None) -> bool:
    """Are the cells of a column free text: many words in most of them, and hardly any of them twice?

    `times` says how often each cell stands there, if not once.

    >>> notes = [f"patient {number} came in with a cough" for number in range(20)]
    >>> is_free_text(pl.Series(notes)), is_free_text(pl.Series(["never married before now"] * 20))
    (True, False)
    """
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum):
        return False
    filled = series.drop_nulls()
    rows = len(filled) if times is None else int(times.filter(series.is_not_null()).sum())
    if rows < LEAST_ROWS or filled.n_unique() <= rows * DIFFERENT:
        return False
    # Sorted, so that the order of rows does not matter.
    different = filled.cast(pl.String).unique().sort()
    some = different.gather_every(-(-len(different) // LOOKED_AT))
    words = some.str.count_matches(A_WORD).median()
    return isinstance(words, float) and words >= WORDS
