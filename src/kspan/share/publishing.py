"""The owner's side: a tree learned from people, or given, made private, judged, and ready to leave."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import polars as pl

from kspan.audit.findings import Audit
from kspan.data.arrays import Int64s
from kspan.data.encode import encode
from kspan.data.prepared import computed
from kspan.data.table import Table
from kspan.errors import DataError, DoesNotHold, PolicyError, Unreachable, did_you_mean, listed
from kspan.frames.files import load
from kspan.induce.atp.atp import Information, Merge, atp, best_pruned, empty, information_of
from kspan.induce.atp.known_people import KnownPeople
from kspan.induce.known import classes_of
from kspan.induce.methods import learn
from kspan.induce.tree.recount import goes_one_way, raised, recounted
from kspan.model.documents import parsed
from kspan.model.kinds import given_model, opened
from kspan.model.tree.imported import imported
from kspan.model.tree.json import read_tree
from kspan.model.tree.kind import TREE
from kspan.model.tree.model import Tree
from kspan.model.tree.people import check_roles, coded_people
from kspan.model.tree.release import Marginal, TreeRelease
from kspan.notebooks import ShownInNotebooks
from kspan.policy import Policy, PolicyLike
from kspan.privacy import Requirement
from kspan.privacy.spec import parse, resolved
from kspan.publish import Judged, judged_paths, judged_tree, published, write_judged
from kspan.share.apart import holds_apart
from kspan.share.spread import marginals as marginals_of

Method = Literal["atp", "ldm"]
METHODS: tuple[str, ...] = get_args(Method)
LEARNERS = ("c45", "id3")
"""Learners whose trees ATP prunes; to them a missing value is a value of its own, so that everybody takes one path."""


@dataclass(frozen=True, repr=False)
class SharedTree(ShownInNotebooks):
    """A tree that was judged to hold, exactly as it may be written; `audit` is what the judge found."""

    judged: Judged
    note: str | None = None
    """What was done differently from what was asked, if anything."""

    @cached_property
    def release(self) -> TreeRelease:
        """The tree with its claim, as a reader of the file gets it."""
        return read_tree(parsed(self.judged.content.decode(), "the tree"))

    @property
    def model_released(self) -> TreeRelease:
        """The same, under the name that every release of a model has."""
        return self.release

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.release.tree

    @property
    def audit(self) -> Audit:
        """What the judge found."""
        return self.judged.audit

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tree, completely or not at all."""
        write_judged({path: self.judged})

    def __repr__(self) -> str:
        return f"SharedTree({self.tree!r}, {self.audit!r})"


def share_tree(
    data: Any,
    policy: PolicyLike,
    method: str = "atp",
    *,
    disclosure: str = "counts",
    marginals: bool = False,
    known: Int64s | None = None,
    **options: Any,
) -> SharedTree:
    """Return a tree of the people in a dataframe or file that may be published under the policy's requirement.

    `atp` learns a tree (C4.5, or `learner="id3"`) and prunes it until every path satisfies the requirement. Its options
    are how to `merge` branches ("rules" or "information"), which `information` on labels to use ("exact" or
    "estimated"), and `raising=False`, which does not try the largest branch in the place of the root where pruning
    leaves little. `ldm` learns under the requirement (kADET). All other `options` are those of the learner. With
    `marginals` the release also tells how attributes spread, as coarsely as the requirement asks. With `known`, the
    class of each row that earlier releases let anybody tell, the people of each class keep the requirement by
    themselves. Raises `Unreachable` or `DoesNotHold` if there is no such tree.

    >>> from kspan.datasets import load_adult
    >>> policy = Policy(public=["age", "education", "sex"], target="income", require="k=50")
    >>> share_tree(load_adult("train").select("age", "education", "sex", "income").head(5000), policy, min_rows=20)
    SharedTree(Tree(16 leaves, 5000 people, target 'income'), Audit(k=50 holds: 5000 people in 16 spans, k=56))
    """
    _check_word("method", method, METHODS)
    learned = _pruned if method == "atp" else _grown
    policy = Policy.of(policy)
    people = computed(load(data), policy)

    def judged(policy: Policy, offered: pl.DataFrame) -> Judged:
        tree = learned(offered, policy, known=known, **options)
        beside = _spread(tree, offered, policy, known) if marginals else ()
        found = judged_tree(tree, people, policy, disclosure=disclosure, marginals=beside)
        if known is not None and not holds_apart(published(found), people, policy, known):
            raise DoesNotHold(
                f"the tree breaks {policy.require} among people whom earlier releases tell apart: learn it with method "
                "ldm, or lower the requirement"
            )
        return found

    hidden = [name for name in policy.private if name != policy.target]
    try:
        return SharedTree(judged(policy, people))
    except DoesNotHold:
        if method != "atp" or not hidden:
            raise
    # Paths are crowds to who knows every attribute; to one who knows the public ones alone, spans may still be small.
    only_public = replace(
        policy,
        private=tuple(name for name in policy.private if name == policy.target),
        hierarchies={name: given for name, given in policy.hierarchies.items() if name not in hidden},
        domains={name: given for name, given in policy.domains.items() if name not in hidden},
        ages={},  # they have been computed
        private_numbers={},  # which are about tables
    )
    note = f"the tree asks public attributes alone: with {listed(hidden)}, too, it would break {policy.require}"
    return SharedTree(judged(only_public, people.drop(hidden)), note)


def prune_tree(
    model: Any,
    require: Requirement | str | None = None,
    *,
    people: Any = None,
    policy: PolicyLike | None = None,
    merge: Merge = "rules",
    information: Information | None = None,
    disclosure: str | None = None,
) -> SharedTree:
    """Prune a tree that was learned elsewhere until every path satisfies a requirement (ATP), and judge it.

    `model` is a `Tree`, the path of one, or a fitted `DecisionTreeClassifier` of scikit-learn. With the `people` that
    it was made from and the policy, it is judged by these people; without them, by what it tells of its paths.
    """
    policy = None if policy is None else Policy.of(policy)
    if policy is not None and require is not None:
        policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    if policy is not None:
        asked = policy.require
    elif require is None:
        raise PolicyError("what the tree must satisfy is not said: give a requirement, for example 'k=10', or a policy")
    else:
        asked = parse(require) if isinstance(require, str) else require
    if people is not None and policy is None:
        raise PolicyError("the policy says what is known of the people of a tree: give it, too")
    frame = None if people is None or policy is None else computed(load(people), policy)
    tree = _given(model, frame, policy)
    tree.check_labels("pruning")
    if frame is not None and policy is not None:
        tree = _of_these(tree, frame, policy)
    asked = resolved(asked, (tree.target,))
    found = atp(tree, asked, merge=merge, information=information)
    told = disclosure or found.disclosure
    if frame is None or policy is None:
        return SharedTree(judged_paths(found, asked, policy=policy, disclosure=told))
    return SharedTree(judged_tree(found, frame, policy, disclosure=told))


def _grown(people: pl.DataFrame, policy: Policy, **options: Any) -> Tree:
    """Learn a tree under the requirement."""
    tree: Tree = learn(people, policy, "kadet", **options)
    if tree.root.is_leaf:
        raise Unreachable(
            f"no split of these people keeps {policy.require}, so a tree learned under it is empty: lower it, or "
            "prune a tree (method atp), which reaches more"
        )
    return tree


def _pruned(
    people: pl.DataFrame,
    policy: Policy,
    *,
    learner: str = "c45",
    merge: Merge = "rules",
    information: Information | None = None,
    raising: bool = True,
    known: Int64s | None = None,
    **options: Any,
) -> Tree:
    """Learn a tree and prune it until every path keeps the requirement; with private attributes its spans may not."""
    _check_word("learner", learner, LEARNERS)
    if learner == "c45":
        # C4.5 would send a missing value down every branch; paths can only be counted if everybody takes one.
        options = {"missing": "value", **options}
    learned = learn(people, policy, learner, **options)
    assert isinstance(learned, Tree)
    table, apart = _counted(people, policy, known)
    kept = information_of(learned, information)

    def trees() -> Iterable[Tree]:
        # Where a child fails and has one sibling, the rules merge the two, however much the sibling asks. So the
        # largest branch may be raised into the place of the root, as C4.5 does, and pruned instead.
        return raised(learned, table) if raising else [learned]

    found = best_pruned(trees(), policy.require, kept, merge, apart)
    if found is None:
        raise empty(trees(), policy.require, kept, merge, apart)
    # Estimated labels were good for choosing what to merge; what is released is counted.
    return recounted(found, table) if kept == "estimated" else found


def _counted(people: pl.DataFrame, policy: Policy, known: Int64s | None) -> tuple[Table, KnownPeople | None]:
    """Code people, and say whom earlier releases tell apart, if any."""
    table = encode(people, policy)
    return table, None if known is None else KnownPeople(table, classes_of(known, table.rows, table.persons))


def _spread(tree: Tree, people: pl.DataFrame, policy: Policy, known: Int64s | None) -> tuple[Marginal, ...]:
    """Return how the attributes of a tree spread, as coarsely as the requirement asks."""
    table, apart = _counted(people, policy, known)
    return marginals_of(tree, table, policy.require, apart)


def _of_these(tree: Tree, people: pl.DataFrame, policy: Policy) -> Tree:
    """Return the tree with the labels of these people counted at every node; refuse it if it was made from others."""
    # Where a missing value goes down several branches, people cannot be counted: the tree stays as it is.
    if not goes_one_way(tree):
        return tree
    check_roles(tree, policy)
    asked = sorted({node.attribute for node in tree.nodes() if node.attribute is not None})
    counted = recounted(tree, coded_people(tree, people, policy, [tree.attributes[number].name for number in asked]))
    if tree.disclosure != "label" and counted.disclosing(tree.disclosure).root.outcome != tree.root.outcome:
        raise DataError("the tree tells of other people than the table has: give the table that it was made from")
    return counted


def _given(model: Any, people: pl.DataFrame | None, policy: Policy | None) -> Tree:
    given = opened(model) if isinstance(model, str | os.PathLike) else given_model(model)
    if given is None:
        raise DataError(
            f"a {type(model).__name__} is no tree: give one of kspan's, its path, or a fitted scikit-learn tree"
        )
    if given.kind is not TREE:
        raise PolicyError(f"{given.source} is a {given.kind.called}: only trees can be pruned")
    if given.is_ours or (people is not None and policy is not None):
        found: Tree = given.model if people is None or policy is None else given.ours(people, policy)
        return found
    return imported(given.model, schema=policy)


def _check_word(option: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise PolicyError(f"there is no {option} {word!r}{did_you_mean(word, known)}: use {' or '.join(known)}")
