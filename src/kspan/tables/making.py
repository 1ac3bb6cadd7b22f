"""Anonymized tables: any method with any requirement, judged before anybody sees them."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import polars as pl

from kspan.anonymize.crowds import Recoding
from kspan.anonymize.frame import recoded
from kspan.anonymize.persons import made_of_people
from kspan.audit.audit import audit
from kspan.audit.findings import Audit
from kspan.data.encode import encode
from kspan.data.table import Table
from kspan.errors import DataError, DoesNotHold, KspanError, PolicyError, Unreachable, did_you_mean, listed
from kspan.frames.files import load
from kspan.frames.native import of_its_kind
from kspan.options import PROGRESS, check_names
from kspan.policy import Policy, PolicyLike
from kspan.policy.free_text import check_no_free_text
from kspan.policy.values import check_occurs
from kspan.tables.methods import APART, APART_BY_ROWS, AUTO, methods, options_of
from kspan.tables.release import TableRelease, rows_behind

SEEDS = 2**63

Progress = Callable[[str], None]


def anonymize(
    data: Any,
    policy: PolicyLike,
    method: str = "auto",
    *,
    rng: int | np.random.Generator | None = None,
    keep_order: bool = False,
    progress: Progress = lambda step: None,
    **options: Any,
) -> TableRelease:
    """Return a table in which everybody stands in a crowd, by `kactus`, `mondrian`, `tds`, `incognito`, ...

    `auto` tries the methods that fit the policy and takes the one that keeps most of the target (or, without one, of
    the cells). `rng` is a seed or a generator; the same seed gives the same table. The options of each method are those
    of its function in `kspan.anonymize`.
    """
    seed = secrets.randbelow(SEEDS) if rng is None else int(rng) if isinstance(rng, int | np.integer) else None
    people, asked = load(data), Policy.of(policy)
    progress("coding the columns")
    table, policy = _coded(people, asked)

    def made(name: str) -> TableRelease:
        # Each method starts from the seed anew, so that `auto` gives the same table as the method it chooses.
        generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed)
        progress(f"trying {name}" if method == "auto" else "making groups")
        given = _options(name, options, progress) if method != "auto" else {}
        recoding = _recoded(name, table, policy, generator, given)
        frame = recoded(people, policy, recoding.partition, generator, keep_order=keep_order)
        if not frame.height:
            raise Unreachable(f"{name} would withhold everybody to reach {policy.require}: lower it, or add people")
        progress("judging them")
        found = audit(frame, rows_behind(people, table, recoding, policy), policy)
        if not found.holds:
            raise _refusal(name, frame, found, policy)
        withheld = recoding.partition.withheld
        # `given` may also hold the progress, which is no option.
        told = {key: value for key, value in options.items() if key in given}
        return TableRelease(
            of_its_kind(data, frame), policy, name, told, recoding.facts, found, withheld, keep_order, seed, people,
            table, recoding, asked,
        )  # fmt: skip

    if method != "auto":
        if method not in methods():
            known = ["auto", *methods()]
            raise PolicyError(f"there is no method {method!r}{did_you_mean(method, known)}: use {', '.join(known)}")
        return made(method)
    if options:
        raise PolicyError(f"auto takes no options such as {listed(options)}: name the method that they are for")
    releases, refusals = [], {}
    for name in (name for name in AUTO if _fits(name, policy)):
        try:
            releases.append(made(name))
        # `DoesNotHold` is not caught: it would be a defect of the method.
        except (DataError, PolicyError, Unreachable) as error:  # what one cannot do, another may
            refusals[name] = error
    if not releases:
        raise next(iter(refusals.values()))
    return _best(releases, policy, refused=list(refusals))


def _coded(people: pl.DataFrame, policy: Policy) -> tuple[Table, Policy]:
    """Return the coded table, and the policy for it; refuse what a release must not hold, and values that nobody has.

    The policy is that of rows, if each row is a person.
    """
    if policy.person and policy.person not in people.columns:
        raise DataError(f"the table does not say whose row it is: add the column {policy.person!r}")
    check_no_free_text(people, policy)
    table = encode(people, policy, by_person=True)
    check_occurs(policy.require, table, policy)
    return table, policy.of_rows() if table.persons is None else policy


def _recoded(name: str, table: Table, policy: Policy, rng: np.random.Generator, given: Mapping[str, Any]) -> Recoding:
    """Return what a method makes of a table; where people have several rows, it makes groups of people."""
    if table.persons is None:
        return methods()[name](table, policy, rng=rng, **given)
    return made_of_people(lambda rows, asked: methods()[name](rows, asked, rng=rng, **given), table, policy, rng)


def _refusal(method: str, frame: pl.DataFrame, found: Audit, policy: Policy) -> KspanError:
    """Return the error that says why a table is not released."""
    if policy.counting == "people" and audit(frame, replace(policy, counting="rows")).holds:
        others = [name for name in APART if name != method]
        return Unreachable(
            f"the groups of {method} overlap, so that the people who match the same of them break {policy.require}: "
            f"use {', '.join(others)}, or let the policy count rows"
        )
    if found.persons is not None and method not in APART_BY_ROWS:
        return Unreachable(
            f"the groups of {method} overlap, so that the people whose rows match the same of them break "
            f"{policy.require}: use {', '.join(name for name in APART_BY_ROWS)}"
        )
    return DoesNotHold(
        f"{method} left {found.failing_people} of {found.people} people in groups that break {policy.require}: "
        "it was not released; please report this"
    )


def _fits(name: str, policy: Policy) -> bool:
    """May `auto` try a method under a policy?"""
    if name in ("kactus", "tds", "tdr"):
        return policy.target is not None and policy.target in policy.private
    if name == "incognito":
        return all(attribute in policy.hierarchies for attribute in policy.public)
    return True


def _best(releases: list[TableRelease], policy: Policy, *, refused: list[str]) -> TableRelease:
    """Return the release that keeps most; its facts also tell what each method lost, and which could not make any."""
    by_target = policy.target is not None

    def loss(release: TableRelease) -> float:
        utility = release.audit.utility
        if by_target and utility.cm is not None:
            return utility.cm + release.withheld
        return (utility.ncp or 0.0) * release.audit.rows + release.withheld

    best = min(releases, key=loss)
    measure = "people outside the majority of their group" if by_target else "cells lost, in whole rows"
    facts = {
        **best.facts,
        "chosen by": f"least {measure}, with withheld rows",
        "tried": {release.method: round(loss(release), 4) for release in releases},
        **({"refused": refused} if refused else {}),
    }
    return replace(best, facts=facts)


def _options(name: str, options: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the options of a method, and its progress if it reports any; refuse options that it does not have."""
    check_names(name, options, options_of(name))
    return {**options, **({PROGRESS: _share(progress)} if PROGRESS in signature(methods()[name]).parameters else {})}


def _share(progress: Progress) -> Callable[[str | float], None]:
    """Return a function that tells how far a search is, from a share or from what the method itself says."""
    return lambda done: progress(done if isinstance(done, str) else f"searching, {done:.0%} done")
