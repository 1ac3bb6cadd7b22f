"""Free text: cells in which people wrote sentences, so that nobody knows what they say of whom."""

import polars as pl

LEAST_ROWS = 10
"""With fewer filled cells, one cannot tell text from labels that happen to be long."""
WORDS = 4
"""Half of the cells of free text have at least so many words."""
DIFFERENT = 0.5
"""More than this share of the cells of free text are different; in a release for k = 2 or more, no column's are."""
LOOKED_AT = 1_000


def is_free_text(series: pl.Series) -> bool:
    """Are the cells of a column free text: many words in most of them, and hardly any of them twice?

    >>> notes = [f"patient {number} came in with a cough" for number in range(20)]
    >>> is_free_text(pl.Series(notes)), is_free_text(pl.Series(["never married before now"] * 20))
    (True, False)
    """
    if series.dtype not in (pl.String, pl.Categorical):
        return False
    different = series.drop_nulls().cast(pl.String).unique(maintain_order=True)
    filled = len(series) - series.null_count()
    if filled < LEAST_ROWS or len(different) <= filled * DIFFERENT:
        return False
    return median_words(different.head(LOOKED_AT)) >= WORDS


def median_words(cells: pl.Series) -> float:
    """How many words the middle one of the cells has; a word has a letter."""
    counts = cells.str.count_matches(r"\p{L}[^\s]*")
    return float(counts.median() or 0)  # type: ignore[arg-type]
