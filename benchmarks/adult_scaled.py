"""Adult scaled up by random variation, as the papers on k-anonymity make their large tables."""

import numpy as np
import polars as pl


def scaled(people: pl.DataFrame, factor: int, drawn: int, *, rng: np.random.Generator) -> pl.DataFrame:
    """All people and `factor - 1` variations of each: `drawn` cells of a variation take any value of their column.

    Which cells, and which of the column's values, is left to chance (kACTUS, Sect. 5.8, keeps 3 cells and draws the
    others; the test was proposed for TDS).
    """
    rows = people.height * (factor - 1)
    copies = pl.concat([people] * (factor - 1))
    order = np.argsort(rng.random((rows, people.width), np.float32), axis=1)
    columns = []
    for place, name in enumerate(people.columns):
        domain = people[name].unique().sort()
        anything = domain.gather(rng.integers(len(domain), size=rows))
        columns.append(anything.zip_with(pl.Series(order[:, place] < drawn), copies[name]))
    return pl.concat([people, pl.DataFrame(columns)])
