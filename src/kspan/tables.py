"""Anonymized tables: any method with any requirement, judged before anybody sees them."""

import hashlib
import json
import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np
import polars as pl

from kspan.anonymize.crowds import Crowds, Recoding
from kspan.anonymize.frame import mapped, recoded
from kspan.anonymize.newcomers import shown_of
from kspan.audit.audit import audit
from kspan.audit.findings import Audit
from kspan.data.cells import SUPPRESSED
from kspan.data.encode import encode
from kspan.data.table import Table
from kspan.errors import DataError, DoesNotHold, KspanError, PolicyError, Unreachable, did_you_mean, listed
from kspan.frames.files import load, write_together
from kspan.frames.native import of_its_kind
from kspan.inner_tree import INDUCERS, inner_tree
from kspan.model.partition import WITHHELD, Partition
from kspan.policy import Policy
from kspan.publish import judged_table

FORMAT, OWNER_FORMAT, VERSION = "kspan/table", "kspan/table-owner", 1
SEEDS = 2**63

Progress = Callable[[str], None]
Method = Callable[..., Recoding]


def methods() -> dict[str, Method]:
    """The methods by name; their modules are loaded when they are asked for."""
    from kspan.anonymize.datafly import datafly
    from kspan.anonymize.incognito import incognito
    from kspan.anonymize.k_optimize import k_optimize
    from kspan.anonymize.mondrian import mondrian
    from kspan.anonymize.one_dim import one_dim
    from kspan.anonymize.tds import tdr, tds

    return {
        "kactus": _kactus,
        "mondrian": mondrian,
        "tds": tds,
        "tdr": tdr,
        "incognito": incognito,
        "one-dim": one_dim,
        "k-optimize": k_optimize,
        "datafly": datafly,
    }


AUTO = ("kactus", "tdr", "mondrian", "one-dim", "incognito")
"""What `auto` tries, those that keep a target in mind first."""


APART = ("kactus", "mondrian", "tds", "tdr", "incognito", "k-optimize", "datafly")
"""Whose groups keep apart, or overlap so that k people share a span where the policy counts people."""


def _kactus(
    table: Table, policy: Policy, *, rng: np.random.Generator, inducer: Any = "c45", **options: Any
) -> Recoding:
    from kspan.anonymize.kactus import kactus

    crowds = Crowds(table, policy)
    crowds.check_reachable()
    return kactus(table, policy, inner_tree(table, policy, inducer, crowds.k), rng=rng, **options)


@dataclass(frozen=True, repr=False)
class TableRelease:
    """A table that may leave the house, with what it promises and what the owner should know of it."""

    table: Any
    """The released rows, as the kind of dataframe that was given."""
    policy: Policy
    method: str
    options: Mapping[str, Any]
    facts: Mapping[str, Any]
    audit: Audit
    withheld: int
    """Rows that were left out."""
    keep_order: bool
    seed: int | None
    people: pl.DataFrame = field(repr=False)
    """The rows of the source, as they were."""
    source: Table = field(repr=False)
    recoding: Recoding = field(repr=False)

    def __repr__(self) -> str:
        return (
            f"TableRelease({self.audit.rows} rows by {self.method}, {self.withheld} withheld, {self.audit.requirement})"
        )

    @property
    def partition(self) -> Partition:
        """The group of each row of the source, and what the groups show."""
        return self.recoding.partition

    @cached_property
    def frame(self) -> pl.DataFrame:
        """The released rows as polars."""
        return load(self.table)

    def mapping(self) -> Any:
        """What each public value became, and in how many rows: for the owner, since it names values of the source."""
        return of_its_kind(self.table, mapped(self.source, self.partition, self.policy.suppressed_text))

    def recode(self, data: Any) -> Any:
        """New rows as the release shows such people, other columns as they are; to learn from, not to be released.

        Nobody has judged them: three new people may be a group of their own. See `kspan.anonymize.newcomers`.
        """
        rows = load(data)
        absent = [name for name in self.policy.public if name not in rows.columns]
        if absent:
            raise DataError(f"the new rows lack the public column {listed(absent)}: add it")
        shown = shown_of(rows, self.recoding, self.source, self.policy)
        return of_its_kind(data, rows.drop(self.policy.identifier, strict=False).with_columns(**shown))

    def manifest(self, checksum: str | None = None) -> dict[str, Any]:
        """What goes with the table: its claim, how it was made, what the judge found; no cell of a person."""
        claim: dict[str, Any] = {
            "requirement": str(self.policy.require),
            "counting": self.policy.counting,
            "public": list(self.policy.public),
            "private": list(self.policy.private),
            "order": "as in the source" if self.keep_order else "shuffled inside groups",
            "missing": "a missing public value is a value that the attacker sees",
        }
        if self.policy.suppressed_text != SUPPRESSED:
            claim["suppressed"] = self.policy.suppressed_text
        found = self.audit.leaving()
        share = self.withheld / max(self.withheld + self.audit.rows, 1)
        return {
            "format": FORMAT,
            "version": VERSION,
            "claim": claim,
            "method": self.method,
            "options": _plain(self.options),
            "facts": _plain(self.facts),
            "rows": {"released": self.audit.rows, "withheld": self.withheld},
            "utility": {**found["utility"], "withheld_share": share, "suppressed_share": self.suppressed_share},
            "audit": found,
            "sha256": checksum,
        }

    @property
    def suppressed_share(self) -> float:
        """The share of public cells that show nothing."""
        cells = self.audit.suppressed.cells if self.audit.suppressed else 0
        return cells / max(self.audit.rows * len(self.policy.public), 1)

    def save(self, path: str | os.PathLike[str], *, source: str | os.PathLike[str] | None = None) -> None:
        """Write the table, `PATH.release.json` to go with it, and `PATH.owner.json`, which stays: all, or none."""
        judged = judged_table(self.frame, self.policy, path, people=_released(self.people, self.recoding, self.policy))
        manifest = self.manifest(hashlib.sha256(judged.content).hexdigest())
        owner = {
            "format": OWNER_FORMAT,
            "version": VERSION,
            "seed": self.seed,
            "source": None if source is None else Path(source).name,
            "source_sha256": None if source is None else _checksum(source),
        }
        going, staying = beside(path)
        write_together(
            {
                path: lambda out: out.write(judged.content),
                going: lambda out: out.write(_json(manifest).encode()),
                staying: lambda out: out.write(_json(owner).encode()),
            }
        )


def beside(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """The files that are written with a table: the one that goes with it, and the one that stays with the owner."""
    return Path(f"{os.fspath(path)}.release.json"), Path(f"{os.fspath(path)}.owner.json")


def anonymize(
    data: Any,
    policy: Policy,
    method: str = "auto",
    *,
    rng: int | np.random.Generator | None = None,
    keep_order: bool = False,
    progress: Progress = lambda step: None,
    **options: Any,
) -> TableRelease:
    """A table in which everybody stands in a crowd: `kactus`, `mondrian`, `tds`, `tdr`, `incognito`, `one-dim`, ...

    `auto` tries those that fit the policy and takes the one that keeps most of the target (or, without one, of the
    cells). `rng` is a seed or a generator; the same seed gives the same table. The options of each method are those of
    its function in `kspan.anonymize`.
    """
    seed = secrets.randbelow(SEEDS) if rng is None else rng if isinstance(rng, int) else None
    people = load(data)
    progress("coding the columns")
    table = encode(people, policy)
    Crowds(table, policy).check_reachable()

    def made(name: str) -> TableRelease:
        generator = rng if isinstance(rng, np.random.Generator) else np.random.default_rng(seed)
        progress(f"trying {name}" if method == "auto" else "making groups")
        given = _options(name, options, progress) if method != "auto" else {}
        recoding = methods()[name](table, policy, rng=generator, **given)
        frame = recoded(people, policy, recoding.partition, generator, keep_order=keep_order)
        if not frame.height:
            raise Unreachable(f"{name} would withhold everybody to reach {policy.require}: lower it, or add people")
        progress("judging them")
        found = audit(frame, _released(people, recoding, policy), policy)
        if not found.holds:
            raise _refusal(name, frame, found, policy)
        withheld = recoding.partition.withheld
        told = {key: value for key, value in options.items() if key in given}
        return TableRelease(
            of_its_kind(data, frame), policy, name, told, recoding.facts, found, withheld, keep_order, seed, people,
            table, recoding,
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
        except (DataError, PolicyError, Unreachable) as error:  # what one cannot do, another may
            refusals[name] = error
    if not releases:
        raise next(iter(refusals.values()))
    return _best(releases, policy, refused=list(refusals))


def _released(people: pl.DataFrame, recoding: Recoding, policy: Policy) -> pl.DataFrame | None:
    """The people in a release, if the policy counts people: the judge must know them."""
    return people.filter(pl.Series(recoding.partition.group != WITHHELD)) if policy.counting == "people" else None


def _refusal(method: str, frame: pl.DataFrame, found: Audit, policy: Policy) -> KspanError:
    """Why a table is not released."""
    if policy.counting == "people" and audit(frame, replace(policy, counting="rows")).holds:
        others = [name for name in APART if name != method]
        return Unreachable(
            f"the groups of {method} overlap, so that the people who match the same of them break {policy.require}: "
            f"use {', '.join(others)}, or let the policy count rows"
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
    """The release that keeps most, with what each of them lost among its facts, and who could not make any."""
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
    return TableRelease(
        best.table, policy, best.method, best.options, facts, best.audit, best.withheld, best.keep_order, best.seed,
        best.people, best.source, best.recoding,
    )  # fmt: skip


def options_of(name: str) -> dict[str, tuple[str, ...]]:
    """The options of a method, each with the words that it takes, if it takes words.

    >>> options_of("mondrian")
    {'relaxed': (), 'show': ('set', 'interval', 'hierarchy')}
    """
    kinds = get_type_hints(_function(name))
    words = {
        option: get_args(kinds[option]) if get_origin(kinds[option]) is Literal else ()
        for option in _keywords(name)
        if option not in ("rng", "progress")
    }
    return {"inducer": INDUCERS, **words} if name == "kactus" else words


def _function(name: str) -> Method:
    from kspan.anonymize.kactus import kactus

    return kactus if name == "kactus" else methods()[name]


def _keywords(name: str) -> list[str]:
    parameters = signature(_function(name)).parameters.values()
    return [one.name for one in parameters if one.kind is Parameter.KEYWORD_ONLY]


def _options(name: str, options: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """The options of a method, those that it does not have refused."""
    known = options_of(name)
    for option in options:
        if option not in known:
            able = f"use {', '.join(known)}" if known else "it has none"
            raise PolicyError(f"{name} has no option {option!r}{did_you_mean(option, known)}: {able}")
    return {**options, **({"progress": _share(progress)} if "progress" in _keywords(name) else {})}


def _share(progress: Progress) -> Callable[[str | float], None]:
    """Tells a person how far a search is: a share of it, or what a method says itself."""
    return lambda done: progress(done if isinstance(done, str) else f"searching, {done:.0%} done")


def _plain(value: Any) -> Any:
    """Options and facts as JSON can hold them."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, str | int | float | bool | None) else type(value).__name__


def _json(document: Mapping[str, Any]) -> str:
    try:
        return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
    except ValueError:
        raise KspanError("a fact of the release is infinite and cannot be written: please report this") from None


def _checksum(path: str | os.PathLike[str]) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
