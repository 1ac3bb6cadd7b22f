"""What can be asked of trees."""

from collections.abc import Sequence

from kspan.errors import PolicyError, listed
from kspan.model.tree.model import Tree
from kspan.privacy import OnPrivate, Requirement


def check_asked(trees: Sequence[Tree], require: Requirement, private: Sequence[str] = ()) -> None:
    """Refuse a requirement on private values that is about none of the labels, nor about any `private` attribute.

    An attribute that a tree does not ask keeps every requirement: nothing is told of it. Paths tell of labels alone.
    """
    told = {target.name for tree in trees for target in tree.targets if target.role == "private"} | set(private)
    for part in require.parts:
        if isinstance(part, OnPrivate) and not (told and told.issuperset(part.on)):
            what = f"it knows of {listed(sorted(told))} alone" if told else "nothing that it knows is private"
            raise PolicyError(f"{part} cannot be asked of a tree: {what}")
