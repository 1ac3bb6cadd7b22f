"""ID3: the tree of highest information gain, without a requirement (Quinlan 1986)."""

from kspan.data.schema import Schema
from kspan.data.table import Table
from kspan.errors import DataError, PolicyError
from kspan.induce.features import Feature, features
from kspan.induce.grow import Growth
from kspan.induce.people import People
from kspan.induce.release import released
from kspan.induce.worth import score_of
from kspan.model.tree import Tree


def id3(table: Table, schema: Schema, *, score: str = "information-gain", min_rows: int = 1) -> Tree:
    """The tree that splits as long as a split gains; numbers by thresholds, a missing value is a value of its own."""
    people, asked = offered(table, schema)
    growth = Growth(people, asked, score=score_of(score), min_rows=min_rows)
    while candidate := growth.best():
        growth.divide(candidate)
    return released(growth, table, schema)


def offered(table: Table, schema: Schema) -> tuple[People, tuple[Feature, ...]]:
    """The people with their labels, and all other public and private attributes."""
    if schema.target is None:
        raise PolicyError("learning needs a target: name the column to predict")
    target = table[schema.target]
    if target.missing is not None:
        gone = int((target.codes == target.missing).sum())
        raise DataError(f"{gone} people have no label in {schema.target!r}: leave them out before learning")
    names = [name for name in (*schema.public, *schema.private) if name != schema.target]
    if not names:
        raise PolicyError("there is no attribute to learn from: list some as public or private")
    return People.of(table, schema.target), features(table, schema, names)
