"""The only door out: a release is audited exactly as it will be written, and refused if its claim fails."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import polars as pl

from kspan.audit.audit import audit
from kspan.audit.clusters.judge import audit_clusters
from kspan.audit.distributions import broken_distributions
from kspan.audit.findings import Audit
from kspan.audit.models import judge_of
from kspan.audit.rare_values import check_common, inferred, without_rare
from kspan.audit.tree.judge import audit_tree
from kspan.audit.tree.marginals import broken_marginals, seen_with_spreads
from kspan.audit.tree.published import audit_paths
from kspan.data.encode import encode
from kspan.data.persons import persons_of
from kspan.data.prepared import computed
from kspan.errors import DoesNotHold, listed
from kspan.frames.commit import File, write_files
from kspan.frames.databases.stored import Draft
from kspan.frames.files import load, table_content, written_table
from kspan.frames.seal import checksum
from kspan.frames.source import Source
from kspan.ledger.door import entered
from kspan.ledger.ledger import Going
from kspan.model.claim import Claim
from kspan.model.clusters.json import read_clusters, write_clusters
from kspan.model.clusters.model import Clusters
from kspan.model.distributions import Distributions, read_distributions, write_distributions
from kspan.model.documents import lines
from kspan.model.itemsets.kind import ITEMSETS
from kspan.model.itemsets.model import Itemsets
from kspan.model.kinds import kind_of, model_of
from kspan.model.rules.kind import RULES
from kspan.model.rules.model import Rules
from kspan.model.tree.json import read_tree, tree_json
from kspan.model.tree.kind import TREE
from kspan.model.tree.model import Tree
from kspan.model.tree.release import Marginal, TreeRelease
from kspan.policy import Policy, PolicyLike
from kspan.policy.free_text import check_no_free_text
from kspan.policy.wide import policy_for
from kspan.privacy import Requirement

MISSING_IS_SEEN = "a missing public value is a value that the attacker sees"
COARSER = "make its public cells coarser, withhold these rows, or lower the requirement"


@dataclass(frozen=True)
class Judged:
    """A release that was found to hold: the bytes that may be written, and the audit."""

    content: bytes
    audit: Audit
    defused: bool = False
    """Were text cells that a spreadsheet would run made harmless?"""
    people: pl.DataFrame | None = field(default=None, repr=False)
    """The people that it was judged by, if they are known."""
    policy: Policy | None = None
    method: str = ""

    def going(self, path: str | os.PathLike[str]) -> Going:
        """What a ledger is to know of it."""
        seen = None if self.people is None else self.audit.seen
        name = Source.of(path).name
        return Going(name, self.audit.kind, checksum(self.content), self.method, seen, self.people, self.policy)


def publish_tree(
    tree: Any, people: Any, policy: PolicyLike, path: str | os.PathLike[str], *, disclosure: str | None = None
) -> Audit:
    """Write a tree if it satisfies the policy's requirement among its people; otherwise refuse, and write nothing.

    Whatever it discloses (counts, hit-miss, shares or label), it is judged as if it disclosed counts. A tree of numbers
    discloses what it tells, or less of it (interval, median or mean).
    """
    judged = judged_tree(model_of(tree, TREE), load(people), Policy.of(policy), disclosure=disclosure)
    write_judged({path: judged})
    return judged.audit


def publish_table(
    table: Any,
    policy: PolicyLike,
    path: str | os.PathLike[str],
    *,
    people: Any = None,
    keep_formulas: bool = False,
) -> Audit:
    """Write a table to a file if it satisfies the policy's requirement; otherwise refuse, and write nothing.

    With the `people` behind the table, it is also judged by what they match.
    """
    behind = None if people is None else load(people)
    judged = judged_table(load(table), Policy.of(policy), path, people=behind, keep_formulas=keep_formulas)
    write_judged({path: judged})
    return judged.audit


def publish_rules(rules: Any, people: Any, policy: PolicyLike, path: str | os.PathLike[str]) -> Audit:
    """Write rules if they satisfy the policy's requirement among their people; otherwise refuse, and write nothing."""
    return _published(model_of(rules, RULES), people, policy, path)


def publish_itemsets(itemsets: Any, people: Any, policy: PolicyLike, path: str | os.PathLike[str]) -> Audit:
    """Write itemsets if they satisfy the policy's requirement among their people; else refuse, and write nothing."""
    return _published(model_of(itemsets, ITEMSETS), people, policy, path)


def _published(model: Rules | Itemsets, people: Any, policy: PolicyLike, path: str | os.PathLike[str]) -> Audit:
    judged = judged_of_items(model, people, Policy.of(policy))
    write_judged({path: judged})
    return judged.audit


def write_judged(files: Mapping[Any, Judged]) -> None:
    """Write each judged release to its path, and enter it in the ledger if there is one: all of them, or none."""
    if not files:
        return
    policy = next((judged.policy for judged in files.values() if judged.policy is not None), None)
    with entered(policy, *(partial(judged.going, path) for path, judged in files.items())) as entering:
        write_files({path: File(judged.content) for path, judged in files.items()}, entering=entering)


def judged_tree(
    tree: Tree,
    people: pl.DataFrame,
    policy: Policy,
    *,
    disclosure: str | None = None,
    marginals: tuple[Marginal, ...] = (),
) -> Judged:
    """Return a tree as it will be written; refuse if it, or what is told with it, breaks the policy's requirement."""
    people = computed(people, policy)
    # Before anything is hidden: to find branches without people, their counts are needed.
    tree = without_rare(tree, people, policy, (marginal.attribute for marginal in marginals))
    told = tree.disclosing(disclosure or (tree.disclosure if tree.is_of_numbers else "counts"))
    missing = any(item.role == "public" and item.has_missing for item in tree.attributes)
    claim = Claim(
        str(policy.require),
        disclosure=told.disclosure,
        inferred_domains=inferred(tree.names, policy),
        missing=MISSING_IS_SEEN if missing else None,
        known_rows=_known_rows(people, policy),
    )
    text = tree_json(TreeRelease(told, claim, marginals))
    # Read again, so that what is judged is what is written.
    written = read_tree(json.loads(text))
    found = audit_tree(written.tree, people, policy)
    # What is untrue also breaks the release, but it is the better thing to say.
    if found.untrue:
        raise DoesNotHold(
            f"the tree tells of other people than the table has ({listed(found.untrue[:3])}): it was not written; give "
            "the table that it was made from"
        )
    if found.exact and not found.failing_people:
        raise DoesNotHold(
            f"the tree tells numbers of too few people ({listed(found.exact[:3])}): it was not written; tell the mean "
            "alone, or learn it with -m grouped"
        )
    if not found.holds:
        raise DoesNotHold(
            f"the tree breaks {policy.require} for {found.failing_people} of {found.people} people: "
            "it was not written; learn it with -m grouped, or lower the requirement"
        )
    if broken := broken_marginals(written, people, policy):
        raise DoesNotHold(
            f"how {listed(broken)} spreads breaks {policy.require}, or is not true of these people: "
            "nothing was written; leave it out"
        )
    if marginals:
        found = replace(found, make_seen=partial(seen_with_spreads, found.make_seen, written, people, policy))
    return Judged(text.encode(), found, people=people, policy=policy)


def published(judged: Judged) -> Tree:
    """Return the tree as a reader of the file gets it."""
    return read_tree(json.loads(judged.content)).tree


def judged_paths(
    tree: Tree, require: Requirement, *, policy: Policy | None = None, disclosure: str | None = None
) -> Judged:
    """Return a tree as it will be written; refuse if what it tells of some path breaks the requirement.

    A policy says what labels mean.
    """
    told = tree if disclosure is None else tree.disclosing(disclosure)
    # Whoever made the tree may have taken any domain from its people.
    names = told.names
    claim = Claim(str(require), counting="paths", disclosure=told.disclosure, inferred_domains=names)
    text = tree_json(TreeRelease(told, claim))
    found = audit_paths(read_tree(json.loads(text)).tree, require, policy)
    if not found.holds:
        raise DoesNotHold(
            f"{found.failing_groups} of {found.groups} paths of the tree break {require}: it was not written; "
            "prune it, or lower the requirement"
        )
    return Judged(text.encode(), found)


def judged_clusters(clusters: Clusters, people: pl.DataFrame, policy: Policy) -> Judged:
    """Return clusters as they will be written; refuse if they break the requirement or are not true of the people."""
    people = computed(people, policy)
    check_common(clusters.attributes, people, policy, "the clusters")
    unnamed = inferred((one.name for one in clusters.attributes), policy)
    claim = Claim(str(policy.require), inferred_domains=unnamed, known_rows=_known_rows(people, policy))
    text = lines(write_clusters(replace(clusters, claim=claim)))
    written = read_clusters(json.loads(text))
    found = audit_clusters(written, people, policy)
    # What is untrue also breaks the release, but it is the better thing to say.
    if found.untrue:
        raise DoesNotHold(
            "the clusters tell of other people than the table has: they were not written; give the table that they "
            "were made from"
        )
    if not found.holds:
        raise DoesNotHold(
            f"the clusters break {policy.require} for {found.failing_people} of {found.people} people: "
            "they were not written; learn them with -m clusters, or lower the requirement"
        )
    return Judged(text.encode(), found, people=people, policy=policy)


def judged_of_items(model: Rules | Itemsets, people: Any, policy: Policy) -> Judged:
    """Return rules or itemsets as they will be written; refuse if they break the requirement or are not true."""
    kind = kind_of(model)
    judge, what = judge_of(kind), kind.name
    assert judge is not None
    named = {*policy.public, *policy.private}
    unnamed = tuple(item.name for item in model.items if item.name not in named)
    claim = Claim(str(policy.require), inferred_domains=unnamed, known_rows=_known_rows(load(people), policy))
    text = lines(kind.write(replace(model, claim=claim)))
    found = judge.of_people(kind.read(json.loads(text), "the model"), people, policy)
    # An untrue figure also breaks the release, but it is the better thing to say.
    if found.untrue:
        raise DoesNotHold(
            f"the figures of {len(found.untrue)} of {len(model)} {what} are not those of these people: "
            f"nothing was written; give the transactions that the {what} were found in"
        )
    if not found.holds:
        raise DoesNotHold(
            f"the {what} break {policy.require} for {found.failing_people} of {found.people} people: "
            f"they were not written; mine them with -m {what}, or lower the requirement"
        )
    return Judged(text.encode(), found, people=load(people), policy=policy)


def _known_rows(people: pl.DataFrame, policy: Policy) -> int | str | None:
    """How many rows of somebody who has several the attacker may know; None if each row is a person."""
    return None if persons_of(people, policy) is None else policy.known_rows


def judged_table(
    table: pl.DataFrame,
    policy: Policy,
    path: str | os.PathLike[str],
    *,
    people: pl.DataFrame | None = None,
    what: str = "the table",
    remedy: str = COARSER,
    keep_formulas: bool = False,
) -> Judged:
    """Return a table as it will be written to `path`; refuse if it breaks the policy's requirement.

    What is judged is what a reader of the file gets, so the file is made in memory and read again. Text that a
    spreadsheet would run is defused in the formats that spreadsheets open, unless `keep_formulas` is set.
    """
    check_no_free_text(table, policy_for(table, policy))
    content, defused = table_content(table, path, keep_formulas=keep_formulas)
    written = written_table(content, path, was_defused=defused)
    found = _table_that_holds(written, people, policy, what, remedy)
    return Judged(content, found, defused, people, policy)


def judged_distributions(told: Distributions, people: pl.DataFrame, policy: Policy) -> bytes:
    """Return distributions as they will be written; refuse any that is not that of the released people, or of a few."""
    text = write_distributions(told)
    written = read_distributions(json.loads(text))
    if broken := broken_distributions(written, encode(people, policy), policy):
        raise DoesNotHold(
            f"how {listed(broken)} is distributed breaks {policy.require}, or is not true of the people in the table: "
            "nothing was written; leave it out"
        )
    return text.encode()


def judged_rows(draft: Draft, policy: Policy, *, people: pl.DataFrame | None = None) -> tuple[pl.DataFrame, Audit]:
    """Return the rows that were written to a database, for nobody to see yet; refuse if they break the requirement."""
    written = draft.written()
    return written, _table_that_holds(written, people, policy, "the table", COARSER)


def _table_that_holds(
    table: pl.DataFrame, people: pl.DataFrame | None, policy: Policy, what: str, remedy: str
) -> Audit:
    found = audit(table, people, policy)
    # An identifier also breaks the release, but it is the better thing to say.
    if found.identifiers:
        raise DoesNotHold(f"the table has the identifier {listed(found.identifiers)}: it was not written; drop it")
    if not found.holds:
        raise DoesNotHold(
            f"{what} breaks {policy.require} for {found.failing_people} of {found.people} people: "
            f"it was not written; {remedy}"
        )
    return found
