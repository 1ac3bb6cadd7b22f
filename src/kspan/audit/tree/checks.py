"""What can be asked of trees."""

from collections.abc import Sequence

from kspan.errors import PolicyError
from kspan.model.tree.model import Tree
from kspan.privacy import OnPrivate, Requirement


def check_asked(trees: Sequence[Tree], require: Requirement) -> None:
    """Refuse a requirement on private values that none of the trees tells of."""
    told = {tree.target for tree in trees if tree.target_role == "private"}
    for part in require.parts:
        if isinstance(part, OnPrivate) and not (told and told.issuperset(part.on)):
            raise PolicyError(
                f"{part} cannot be asked of a tree: it tells of its target alone, and that must be private"
            )
