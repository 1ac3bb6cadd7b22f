"""What can be asked of trees."""

from collections.abc import Sequence

from kspan.errors import PolicyError, listed
from kspan.model.tree.model import Tree
from kspan.privacy import OnPrivate, Requirement


def check_asked(trees: Sequence[Tree], require: Requirement, *, by_paths: bool = False) -> None:
    """Refuse a requirement on private values that none of the trees tells of; paths tell of labels alone."""
    told = {tree.target for tree in trees if tree.target_role == "private"}
    # An attribute that a tree was offered but does not ask keeps every requirement: nothing is told of it.
    if not by_paths:
        told |= {item.name for tree in trees for item in tree.attributes if item.role == "private"}
    for part in require.parts:
        if isinstance(part, OnPrivate) and not (told and told.issuperset(part.on)):
            what = f"it knows of {listed(sorted(told))} alone" if told else "nothing that it knows is private"
            raise PolicyError(f"{part} cannot be asked of a tree: {what}")
