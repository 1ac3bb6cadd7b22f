"""Committees of trees as a kind of model."""

from kspan.model.committee.json import FORMAT, read_committee, write_committee
from kspan.model.committee.model import Committee
from kspan.model.kind import Kind
from kspan.model.tree.kind import example as example_tree


def example() -> Committee:
    """Two trees that vote."""
    return Committee((example_tree(), example_tree()))


COMMITTEE = Kind("committee", "committee of trees", FORMAT, Committee, read_committee, write_committee, example)
