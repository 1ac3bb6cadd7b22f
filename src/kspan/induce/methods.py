"""The learners by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from typing import Any, Literal, get_type_hints, overload

import polars as pl

from kspan.data.arrays import Int64s
from kspan.data.encode import encode_people, sampling_weights
from kspan.data.prepared import computed
from kspan.errors import PolicyError, did_you_mean
from kspan.frames.files import load
from kspan.induce.clusters.learner import clusters
from kspan.induce.itemsets.learner import MinedItemsets, mine_itemsets
from kspan.induce.lists.conjunctive import conjunctive
from kspan.induce.lists.part import part
from kspan.induce.released.boosted import boosted
from kspan.induce.released.logistic import logistic
from kspan.induce.released.naive_bayes import naive_bayes
from kspan.induce.rules.learner import MinedRules, mine_rules
from kspan.induce.tree.c45 import c45
from kspan.induce.tree.grouped import grouped
from kspan.induce.tree.id3 import id3
from kspan.induce.tree.kadet import kadet, kadet_c45
from kspan.model.clusters.model import Clusters
from kspan.model.models import Model
from kspan.model.predictor import Predictor
from kspan.model.tree.model import Tree
from kspan.options import Option, check_names, declared
from kspan.policy import Policy, PolicyLike
from kspan.policy.free_text import check_no_free_text

Mined = MinedRules | MinedItemsets
Learned = Model | Clusters | Mined
"""Whatever a learner returns."""


@dataclass(frozen=True)
class Learner:
    """A method of learning: its function, and what callers must know of it."""

    function: Callable[..., Learned]
    keeps_requirement: bool = False
    of_codes: bool = True
    """Does it take a coded table, or the frame as it is?"""
    of_numbers: bool = False
    """Does it predict numbers, too? Then a target of dates is one; to others dates are labels."""

    @cached_property
    def weighs_rows(self) -> bool:
        """Does it take what each row counts, beside the people that it stands for?"""
        return "importance" in signature(self.function).parameters

    @cached_property
    def gives(self) -> type:
        """The type of what it returns."""
        given: type = get_type_hints(self.function)["return"]
        return given

    @property
    def predicts(self) -> bool:
        """Does it learn labels?"""
        return self.gives not in (Clusters, MinedRules, MinedItemsets)

    @property
    def options(self) -> Mapping[str, Option]:
        """The options that it takes."""
        return declared(self.function)

    def __call__(self, people: pl.DataFrame, policy: Policy, **options: Any) -> Learned:
        """Learn from a frame; free text that nobody has declared is refused, since models name values."""
        people = computed(people, policy)
        check_no_free_text(people, policy)
        if not self.of_codes:
            return self.function(people, policy, **options)
        if self.weighs_rows and policy.sampling_weight is not None:
            options["importance"] = sampling_weights(people[policy.sampling_weight])
        as_number = self.of_numbers and options.get("predict") != "labels"
        table = encode_people(people, replace(policy, target=None) if as_number else policy)
        return self.function(table, policy, **options)


LEARNERS: dict[str, Learner] = {
    "grouped": Learner(grouped, keeps_requirement=True, of_numbers=True),
    "kadet": Learner(kadet, keeps_requirement=True),
    "kadet-c45": Learner(kadet_c45, keeps_requirement=True),
    "id3": Learner(id3),
    "c45": Learner(c45),
    "part": Learner(part),
    "naive-bayes": Learner(naive_bayes),
    "logistic": Learner(logistic),
    "boosted": Learner(boosted),
    "conjunctive": Learner(conjunctive),
    "rules": Learner(mine_rules, keeps_requirement=True, of_codes=False),
    "itemsets": Learner(mine_itemsets, keeps_requirement=True, of_codes=False),
    "clusters": Learner(clusters, keeps_requirement=True),
}

PRIVATE_METHODS = frozenset(name for name, learner in LEARNERS.items() if learner.keeps_requirement)
"""Those that keep the policy's requirement."""

GROUPING = frozenset({"grouped"})
"""Those whose questions group values, so that rare ones veto nothing."""

PREDICTING = tuple(name for name, learner in LEARNERS.items() if learner.predicts)
"""Those that learn to predict the policy's target."""

TREE_METHODS = tuple(name for name, learner in LEARNERS.items() if learner.gives is Tree)
"""Those that give trees."""

TreeMethod = Literal["grouped", "kadet", "kadet-c45", "id3", "c45"]
OtherMethod = Literal["part", "naive-bayes", "logistic", "boosted", "conjunctive"]


@overload
def learn(data: Any, policy: PolicyLike, method: TreeMethod = "grouped", **options: Any) -> Tree: ...


@overload
def learn(data: Any, policy: PolicyLike, method: OtherMethod, **options: Any) -> Model: ...


@overload
def learn(data: Any, policy: PolicyLike, method: Literal["rules"], **options: Any) -> MinedRules: ...


@overload
def learn(data: Any, policy: PolicyLike, method: Literal["itemsets"], **options: Any) -> MinedItemsets: ...


@overload
def learn(data: Any, policy: PolicyLike, method: Literal["clusters"], **options: Any) -> Clusters: ...


@overload
def learn(data: Any, policy: PolicyLike, method: str, **options: Any) -> Learned: ...


def learn(
    data: Any, policy: PolicyLike, method: str = "grouped", *, known: Int64s | None = None, **options: Any
) -> Learned:
    """Learn a model of the policy's target, or clusters, rules or itemsets, from a dataframe or the path of a file.

    The data may be raw or released.

    `grouped`, `kadet`, `kadet-c45`, `rules`, `itemsets` and `clusters` keep the policy's requirement; the others
    promise nothing. Each takes the options of its function in `kspan.induce`. Those six also take `known`, the class of
    each row that earlier releases let anybody tell: in every span, the people of each class keep the requirement by
    themselves.

    >>> from kspan.datasets import mortgage
    >>> public = ["Gender", "Married", "Age", "Sports car"]
    >>> learn(mortgage(), Policy(identifier=["Name"], public=public, target="Loan risk", require="k=3"))
    Tree(4 leaves, 12 people, target 'Loan risk')
    """
    learner = LEARNERS.get(method)
    if learner is None:
        raise PolicyError(f"there is no method {method!r}{did_you_mean(method, LEARNERS)}: use {', '.join(LEARNERS)}")
    check_names(method, options, learner.options)
    if known is None:
        return learner(load(data), Policy.of(policy), **options)
    if not learner.keeps_requirement:
        able = ", ".join(name for name in LEARNERS if name in PRIVATE_METHODS)
        raise PolicyError(f"{method} promises nothing, whatever earlier releases tell (known): use {able}")
    return learner(load(data), Policy.of(policy), known=known, **options)


def learn_labels(data: Any, policy: PolicyLike, method: str, **options: Any) -> Model:
    """Learn a model that predicts labels: as `learn`, by a method that gives one."""
    model = learn(data, policy, method, **options)
    assert isinstance(model, Tree | Predictor), f"{method} learns no labels"
    return model


def options_of(method: str) -> Mapping[str, Option]:
    """The options that a method takes.

    >>> list(options_of("id3"))
    ['score', 'min_rows', 'entropy', 'division', 'marginals', 'rng']
    """
    return LEARNERS[method].options
