"""The learners by name."""

from collections.abc import Callable
from typing import Any

from kspan.data.encode import encode
from kspan.errors import PolicyError, did_you_mean
from kspan.frames.files import load
from kspan.induce.id3 import id3
from kspan.induce.kadet import kadet
from kspan.model.tree import Tree
from kspan.policy import Policy

METHODS: dict[str, Callable[..., Tree]] = {"kadet": kadet, "id3": id3}


def learn(data: Any, policy: Policy, method: str = "kadet", **options: Any) -> Tree:
    """A decision tree for the policy's target, from a dataframe or the path of a file.

    `kadet` keeps the policy's requirement; `id3` promises nothing. Both take `score` ("information-gain", "gain-ratio"
    or "gini") and `min_rows`, the fewest people that at least two branches of a split must have.

    >>> from kspan.datasets import mortgage
    >>> public = ["Gender", "Married", "Age", "Sports car"]
    >>> learn(mortgage(), Policy(identifier=["Name"], public=public, target="Loan risk", require="k=3"))
    Tree(4 leaves, 12 people, target 'Loan risk')
    """
    inducer = METHODS.get(method)
    if inducer is None:
        raise PolicyError(f"there is no method {method!r}{did_you_mean(method, METHODS)}: use {', '.join(METHODS)}")
    return inducer(encode(load(data), policy), policy, **options)
