"""The learners by name."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any, Literal, get_args, overload

from kspan.data.encode import encode
from kspan.errors import PolicyError, did_you_mean
from kspan.frames.files import load
from kspan.induce.c45 import c45
from kspan.induce.conjunctive import conjunctive
from kspan.induce.id3 import id3
from kspan.induce.kadet import kadet, kadet_c45
from kspan.induce.logistic import logistic
from kspan.induce.naive_bayes import naive_bayes
from kspan.induce.part import part
from kspan.model.models import Model
from kspan.model.tree import Tree
from kspan.policy import Policy, PolicyLike

METHODS: dict[str, Callable[..., Model]] = {
    "kadet": kadet,
    "kadet-c45": kadet_c45,
    "id3": id3,
    "c45": c45,
    "part": part,
    "naive-bayes": naive_bayes,
    "logistic": logistic,
    "conjunctive": conjunctive,
}

PRIVATE_METHODS = frozenset({"kadet", "kadet-c45"})
"""Those that keep the policy's requirement."""

TreeMethod = Literal["kadet", "kadet-c45", "id3", "c45"]
TREE_METHODS: tuple[str, ...] = get_args(TreeMethod)
"""Those that give trees."""


@overload
def learn(data: Any, policy: PolicyLike, method: TreeMethod = "kadet", **options: Any) -> Tree: ...


@overload
def learn(data: Any, policy: PolicyLike, method: str, **options: Any) -> Model: ...


def learn(data: Any, policy: PolicyLike, method: str = "kadet", **options: Any) -> Model:
    """A model for the policy's target, from a dataframe or the path of a file, raw or released.

    `kadet` and `kadet-c45` keep the policy's requirement; the others promise nothing. All trees take `min_rows`, the
    fewest people that at least two branches of a split must have; `kadet` and `id3` take `score` ("information-gain",
    "gain-ratio" or "gini"); `kadet-c45` and `c45` take `confidence_factor` and `prune`, and `c45` also
    `subtree_raising`. The others take what their functions in `kspan.induce` do.

    >>> from kspan.datasets import mortgage
    >>> public = ["Gender", "Married", "Age", "Sports car"]
    >>> learn(mortgage(), Policy(identifier=["Name"], public=public, target="Loan risk", require="k=3"))
    Tree(4 leaves, 12 people, target 'Loan risk')
    """
    learner = METHODS.get(method)
    if learner is None:
        raise PolicyError(f"there is no method {method!r}{did_you_mean(method, METHODS)}: use {', '.join(METHODS)}")
    known = options_of(method)
    for option in options:
        if option not in known:
            raise PolicyError(f"{method} has no option {option!r}{did_you_mean(option, known)}: use {', '.join(known)}")
    policy = Policy.of(policy)
    return learner(encode(load(data), policy), policy, **options)


def options_of(method: str) -> list[str]:
    """The names of the options that a method takes.

    >>> options_of("id3")
    ['score', 'min_rows', 'entropy', 'division', 'marginals', 'rng']
    """
    parameters = signature(METHODS[method]).parameters.items()
    return [name for name, one in parameters if one.kind is Parameter.KEYWORD_ONLY]
