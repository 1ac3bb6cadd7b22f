"""A table that was made anonymous, with the files that go beside it."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from kspan.anonymize.crowds import Recoding
from kspan.anonymize.distributions import distributions
from kspan.anonymize.frame import mapped, recoded
from kspan.anonymize.newcomers import shown_of
from kspan.anonymize.ways import ways_of
from kspan.anonymize.wide import WidePeople
from kspan.audit.findings import Audit
from kspan.audit.seen import Seen, Tells
from kspan.data.arrays import Bools
from kspan.data.cells import SUPPRESSED
from kspan.data.encode import encode
from kspan.data.hierarchy import Hierarchy
from kspan.data.prepared import computed, prepared
from kspan.data.table import Table
from kspan.errors import DataError, DoesNotHold, FileError, KspanError, PolicyError, listed
from kspan.frames.commit import File, content_of, write_files
from kspan.frames.databases.door import check_target, draft_of, is_stored, is_target
from kspan.frames.databases.stored import Draft
from kspan.frames.files import load, read_text
from kspan.frames.formulas import TOLD
from kspan.frames.native import of_its_kind
from kspan.frames.rebuilt import rebuilt, without_categories
from kspan.frames.rows import FORM, rows_checksum
from kspan.frames.seal import FORMAT, checksum, manifest_path
from kspan.frames.source import Source
from kspan.ledger.door import entered
from kspan.ledger.ledger import Going, Ledger, current_ledger
from kspan.ledger.standing import Standing
from kspan.model.distributions import Distributions
from kspan.model.documents import parsed
from kspan.model.partition import WITHHELD, Partition
from kspan.notebooks import ShownInNotebooks
from kspan.policy import Policy
from kspan.policy.private_numbers import check_alone, declared_numbers
from kspan.policy.wide import policy_for
from kspan.privacy import OnPrivate
from kspan.publish import judged_distributions, judged_rows, judged_table
from kspan.secret import Secret
from kspan.tables.private_numbers import PrivateNumbersShown

if TYPE_CHECKING:
    from kspan.tables.recoding import KeptRecoding

OWNER_FORMAT, VERSION = "kspan/table-owner", 1
GOING_FACTS = ("show", "refine", "merge_siblings", "transfer", "relaxed", "width", "resist", "applied from")
"""What may be told of how a table was made: what was asked for. What a search found depends on rows that are withheld
and on tables that were not released."""

RESISTS = "somebody who knows the method learns no more than the table tells"
NOT_PROMISED = "not promised: somebody who knows the method may learn more than the table tells"

OF_PERSONS = ("with_several", "most_rows")
"""How many rows people have, which a table does not tell."""


@dataclass(frozen=True, repr=False)
class TableRelease(ShownInNotebooks):
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
    secret: str
    """What decided all that was left to chance: `anonymize` makes the same table again if it is given."""
    people: pl.DataFrame = field(repr=False)
    """The rows of the source, as they were but for private numbers, which are as they are shown."""
    source: Table = field(repr=False)
    recoding: Recoding = field(repr=False)
    asked: Policy = field(repr=False)
    """The policy as it was given, before each row was found to be a person."""
    wide: WidePeople | None = field(default=None, repr=False)
    """The people in the wide form, if the table has it: then the rows of `source` are people, not rows of them."""
    stands: Standing | None = field(default=None, repr=False)
    """Who could be shown beside what was released before."""
    numbers: PrivateNumbersShown | None = field(default=None, repr=False)
    """The private numbers of people, as they were and as they are shown."""

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

    @cached_property
    def behind(self) -> pl.DataFrame | None:
        """The rows of the source that were released, if the judge needs them."""
        return rows_behind(self.people, self.source, self.recoding, self.policy, self.wide)

    @property
    def rows_released(self) -> pl.DataFrame:
        """The rows of the source that were released."""
        return self.people.filter(pl.Series(self._kept))

    @property
    def _kept(self) -> Bools:
        """Which rows of the source were released."""
        return self.partition.group != WITHHELD if self.wide is None else self.wide.released(self.partition)

    @property
    def original(self) -> pl.DataFrame:
        """The rows of the source, as they were."""
        return self.people if self.numbers is None else self.numbers.original

    def shown_of(self, people: pl.DataFrame) -> pl.DataFrame:
        """Return the people of the source with private numbers as the table shows them."""
        return people if self.numbers is None else self.numbers.shown_of(people, self._kept, self.policy)

    @cached_property
    def shown(self) -> Policy:
        """The policy by the columns of the released table."""
        return self.policy if self.wide is None else policy_for(self.frame, self.policy)

    def mapping(self) -> Any:
        """Return what each public value became, and in how many rows: for the owner, since it names source values."""
        return of_its_kind(self.table, mapped(self.source, self.partition, self.policy.suppressed_text))

    def recode(self, data: Any) -> Any:
        """Return new rows with public cells as the release shows such people: to learn from, not to be released.

        They are not judged: three new people may be a group of their own. See `kspan.anonymize.newcomers`.
        """
        if self.wide is not None:
            raise PolicyError("a wide release has one row a person, and new rows are not: make a long one for that")
        rows = computed(load(data), self.policy)
        absent = [name for name in self.policy.public if name not in rows.columns]
        if absent:
            raise DataError(f"the new rows lack the public column {listed(absent)}: add it")
        shown = shown_of(rows, self.recoding, self.source, self.policy)
        made = rows.drop(self.policy.never_released, strict=False).with_columns(**shown)
        return of_its_kind(data, without_categories(made))

    def kept_recoding(self) -> "KeptRecoding":
        """Return the recoding, without the rows: to be stored, and applied to people who come later."""
        from kspan.tables.applying import METHOD  # which makes releases itself, as does what is kept
        from kspan.tables.recoding import KeptRecoding

        if self.wide is not None:
            raise PolicyError(
                "the recoding of a wide release cannot be applied to later rows: make a long one to keep its recoding"
            )
        if self.method == METHOD:
            raise PolicyError("these rows were shown by a recoding that is kept already: apply that one again")
        ways = ways_of(self.recoding, self.source, self.policy.public)
        numbers = {} if self.numbers is None else self.numbers.found
        return KeptRecoding(self.asked, self.method, _plain(self.options), _plain(self.facts), ways, numbers=numbers)

    def save_recoding(self, path: str | os.PathLike[str]) -> None:
        """Write the recoding as JSON, for `kspan.load_recoding`; it names values of people, so it stays with you."""
        self.kept_recoding().save(path)

    def marginals(self) -> Distributions:
        """Return how public attributes are distributed among the released people, every figure being about a crowd.

        Whoever learns from the table can draw values for its general cells by it. Nothing private is in it.
        """
        if self.wide is not None or self.policy.person or self.policy.weight or self.policy.household:
            raise PolicyError(
                "marginals count rows, and here a row is not just one person (person, household or weight): release "
                "the table without them"
            )
        if self.policy.counting == "people" or self.policy.suppressed == "anything":
            raise PolicyError(
                "marginals may tell which rows somebody does not match, and the policy counts people who match the "
                "same, or * as anything: release the table without them"
            )
        return distributions(encode(self.rows_released, self.policy), self.policy)

    def _judged_marginals(self, path: str | os.PathLike[str] | None) -> dict[Any, File]:
        """Return the file of marginals, if one is asked for, counted again by the judge."""
        if path is None:
            return {}
        if self._ledger is not None or current_ledger(self.asked) is not None:
            raise PolicyError(
                "marginals are not judged together with earlier releases: leave out the ledger, or the marginals"
            )
        return {path: File(judged_distributions(self.marginals(), self.rows_released, self.policy))}

    def manifest(
        self, digest: str | None = None, *, defused: bool = False, marginals: Mapping[Any, File] | None = None
    ) -> dict[str, Any]:
        """Return what goes with the table: its claim, how it was made, what the judge found; no cell of a person.

        Every figure follows from the table itself and from what was promised. Whatever tells of rows that are withheld,
        of the source or of other tables is in `for_owner`: that nobody was withheld tells that a rare person is absent.
        """
        claim: dict[str, Any] = {
            "requirement": str(self.policy.require),
            "counting": self.policy.counting,
            "public": list(self.shown.public),
            "private": list(self.shown.private),
            "order": "as in the source" if self.keep_order else "shuffled inside groups",
            "missing": "a missing public value is a value that the attacker sees",
        }
        if "ends" in self.facts:
            claim["ends"] = _plain(self.facts["ends"])
        if any(isinstance(part, OnPrivate) for part in self.policy.require.parts):
            claim["knows_method"] = RESISTS if self.facts.get("resist") else NOT_PROMISED
        if told := self.told_of_numbers:
            claim["private_numbers"] = told
        if self.policy.suppressed_text != SUPPRESSED:
            claim["suppressed"] = self.policy.suppressed_text
        if self.policy.weight is not None:
            claim["weight"] = self.policy.weight
        if self.policy.person:
            claim["counting"] = "people"
            claim["known_rows"] = self.policy.known_rows
        if self.wide is not None:
            claim |= self._told_of_wide()
        if defused:
            claim["formulas"] = TOLD
        found = _of_the_table(self.audit.leaving())
        return {
            "format": FORMAT,
            "version": VERSION,
            "claim": claim,
            "method": self.method,
            "options": _plain(self.options),
            "facts": {name: _plain(fact) for name, fact in self.facts.items() if name in GOING_FACTS},
            "names": self.names,
            "rows": {"released": self.audit.rows},
            "utility": {**found["utility"], "suppressed_share": self.suppressed_share},
            "audit": found,
            "sha256": digest,
            **_told_of_marginals(marginals or {}),
        }

    @property
    def told_of_numbers(self) -> dict[str, dict[str, Any]]:
        """How each private column of numbers is shown that is not shown as it is, as the policy says."""
        said = {} if self.numbers is None else self.numbers.claimed(self.policy.require.crowd)
        if self.wide is None:
            return said
        return {each: told for name, told in said.items() for each in self.wide.shape.names(name)}

    def _told_of_wide(self) -> dict[str, Any]:
        """Say what the numbered columns are."""
        assert self.wide is not None
        return {
            "counting": self.policy.counting,
            "known_rows": "all",
            "form": "wide",
            "rows_ordered_by": self.policy.order or "their values",
        }

    def for_owner(self) -> dict[str, Any]:
        """Return the manifest with all facts about how the table was made, which stay with the owner."""
        going = self.manifest()
        return {**going, **self._staying, "utility": {**going["utility"], **self._staying["utility"]}}

    @property
    def _staying(self) -> dict[str, Any]:
        """What only the owner should know of how the table was made, and of whom."""
        share = self.withheld / max(self.withheld + self.audit.rows, 1)
        rows = {"released": self.audit.rows, "withheld": self.withheld}
        if self.wide is not None:
            rows["left_out"] = self.wide.left_out(self.partition)
        costs = {} if self.numbers is None else self.numbers.costs(self._kept, self.policy)
        return {
            "facts": _plain(self.facts),
            "rows": rows,
            "utility": {"withheld_share": share, **({"private_numbers": costs} if costs else {})},
            "audit": self.audit.leaving(),
        }

    @cached_property
    def names(self) -> dict[str, dict[str, list[str]]]:
        """The values that each shown name stands for, by attribute, where the policy lists them.

        A hierarchy that was built from the data is not told: it would say which values there are.
        """
        told = {}
        for attribute in self.shown.public:
            hierarchy = self.shown.hierarchies.get(attribute)
            if not isinstance(hierarchy, Hierarchy) or self.frame[attribute].dtype != pl.String:
                continue
            shown = set(self.frame[attribute].unique().drop_nulls()) - {SUPPRESSED, self.policy.suppressed_text}
            # `-` binds tighter than `&`: of the names that are no values, these are the ones that are shown.
            general = sorted(shown & hierarchy.members.keys() - set(hierarchy.values))
            if general:
                members = {name: sorted(hierarchy.members[name]) for name in general}
                told[attribute] = {name: [hierarchy.values[at] for at in places] for name, places in members.items()}
        return told

    @property
    def suppressed_share(self) -> float:
        """The share of public cells that show nothing."""
        cells = self.audit.suppressed.cells if self.audit.suppressed else 0
        return cells / max(self.audit.rows * len(self.shown.public), 1)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        source: str | os.PathLike[str] | None = None,
        keep_formulas: bool = False,
        marginals: str | os.PathLike[str] | None = None,
    ) -> None:
        """Write the table, `PATH.release.json` to go with it, and `PATH.owner.json`, which stays: all, or none.

        With `marginals`, how public attributes are distributed is written there, to go with the table as well.

        In a CSV, text that a spreadsheet would run has an apostrophe in front, unless formulas are to be kept. A path
        such as `postgresql:///clinic?table=released` is a table of a database, which keeps the manifest with it.
        """
        if is_target(target := Source.of(path)):
            self._store(target, self.behind, source, self._judged_marginals(marginals))
            return
        if self.frame.height != self.audit.rows:
            raise DoesNotHold(
                f"the table has {self.frame.height} rows, and {self.audit.rows} were made: it was not written; a table "
                "of your own can be judged and written by publish_table"
            )
        # Judged once more: the table can be changed after it was made, and the checksum must be of what is written.
        judged = judged_table(self.frame, self.policy, path, people=self.behind, keep_formulas=keep_formulas)
        told = self._judged_marginals(marginals)
        manifest = self.manifest(checksum(judged.content), defused=judged.defused, marginals=told)
        going, staying = beside(path)
        files = {
            path: File(judged.content),
            going: File(_json(manifest).encode()),
            staying: self._for_owner_alone(source),
            **told,
        }
        with entered(
            self.policy, partial(self._going, path, checksum(judged.content), judged.audit), made_beside=self._ledger
        ) as entering:
            write_files(files, entering=entering)

    @property
    def _ledger(self) -> Ledger | None:
        return None if self.stands is None else self.stands.ledger

    def going(self) -> Going:
        """What it would let anybody see, before it is written."""
        return self._told("the release", "", self.audit)

    def _going(self, path: str | os.PathLike[str], digest: str, found: Audit) -> Going:
        """What a ledger is to know of it, when it is written."""
        told = self._told(Source.of(path).name, digest, found)
        made = recoded(self.people, self.policy, self.partition, None)
        if rows_checksum(made) != rows_checksum(self.frame):
            raise DoesNotHold(
                "the table was changed after it was made, so nobody knows what it tells of whom: it was not written; "
                "judge and write it by publish_table, with its people"
            )
        return told

    def _told(self, name: str, digest: str, found: Audit) -> Going:
        check_alone(self.asked)
        if self.wide is not None:
            raise PolicyError("a wide table cannot be entered in a ledger: release a long one")
        by_link = self.policy.counting == "people" or self.source.persons is not None
        people, seen = (self.behind, found.seen) if by_link else (self.people, self._seen_by_rows())
        return Going(name, "table", digest, self.method, seen, people, self.asked)

    def _seen_by_rows(self) -> Seen:
        """What the table lets anybody see of its people, where rows are counted: the group that each is in."""
        groups = len(self.partition)
        tells = {name: Tells.of_all(self.source[name], groups) for name in self.policy.private}
        return Seen(self.partition.group, np.ones(groups, bool), tells, self.source.weights)

    def _store(
        self,
        target: Source,
        people: pl.DataFrame | None,
        source: str | os.PathLike[str] | None,
        marginals: Mapping[Any, File],
    ) -> None:
        """Write the table to a database, for others to see when the owner's file is ready to take its place."""
        check_target(target, *(() if source is None else (Source.of(source),)))
        draft = draft_of(target, rebuilt(self.frame))
        try:
            rows, found = judged_rows(draft, self.policy, people=people)
            digest = rows_checksum(rows)
            manifest = {**self.manifest(digest, marginals=marginals), "sha256_of": FORM}
            going, (staying,) = _Stored(draft, _json(manifest)), beside(target)
            owner = self._for_owner_alone(source)
        except BaseException:
            draft.abandon()
            raise
        try:
            with entered(
                self.policy, partial(self._going, target, digest, found), made_beside=self._ledger
            ) as entering:
                write_files({staying: owner, **marginals}, going, entering=entering)
        except BaseException:
            draft.abandon()
            raise

    def _for_owner_alone(self, source: str | os.PathLike[str] | None) -> File:
        owner = {
            "format": OWNER_FORMAT,
            "version": VERSION,
            "secret": self.secret,
            **self._staying,
            **self._origin(source),
        }
        if self.wide is not None:
            owner["withheld_rows"] = np.flatnonzero(~self.wide.released(self.partition)).tolist()
            owner |= {"people_released": self.audit.rows, "source_rows": self.people.height}
        else:  # to judge the release again, or together with others, the rows in it must be known
            owner["withheld_rows"] = np.flatnonzero(self.partition.group == WITHHELD).tolist()
        return File(_json(owner).encode(), owner_only=True)

    def _origin(self, source: str | os.PathLike[str] | None) -> dict[str, Any]:
        """Say where the people came from, without a password, and which they were."""
        if source is None:
            return {"source": None, "source_sha256": None}
        named = Source.of(source)
        content = None if named.path is None or is_stored(named) else content_of(named.path)
        if content is None:
            told = named.shown if is_stored(named) else named.name
            return {"source": told, "source_sha256": rows_checksum(self.original), "source_sha256_of": FORM}
        return {"source": named.name, "source_sha256": checksum(content)}


@dataclass(frozen=True)
class _Stored:
    """A table in a database that waits to be committed with its manifest."""

    draft: Draft
    manifest: str

    def commit(self) -> None:
        self.draft.commit(self.manifest)

    def abandon(self) -> None:
        self.draft.abandon()


def beside(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Return the files beside a table: the one that goes with it, and the one that stays with the owner.

    A table of a database keeps the first one itself.
    """
    staying = Source.of(path).beside(".owner.json")
    return (staying,) if is_target(Source.of(path)) else (manifest_path(path), staying)


def secret_in(path: str | os.PathLike[str]) -> str:
    """Return the secret that an owner's file keeps, with which the same table can be made again."""
    owner = parsed(read_text(path, "the owner's file"), str(path))
    if not isinstance(owner, dict) or owner.get("format") != OWNER_FORMAT:
        raise FileError(f"{path} is not the file that stays with the owner of a release: name its OUT.owner.json")
    if not isinstance(owner.get("secret"), str):
        raise FileError(f"{path} keeps no secret, since an older kspan made it: its table cannot be made again")
    return Secret.of(owner["secret"]).text


def released_rows(
    people: pl.DataFrame, release: str | os.PathLike[str], rows: int, policy: Policy, *, always: bool = False
) -> pl.DataFrame:
    """Return the people who are in a release of so many rows, if the owner's file beside it tells; otherwise all.

    Where rows are counted, those of people who were withheld are asked as well, unless `always` leaves them out.
    """
    people, policy = prepared(people, policy)
    if not always and policy.counting == "rows" and not policy.person and policy.household is None:
        return people
    owner = _owner_of(release)
    withheld = owner.get("withheld_rows")
    if not isinstance(withheld, list) or _rows_told(owner, people.height, len(withheld)) != rows:
        return people  # the file is of another table
    gone = np.zeros(people.height, bool)
    gone[[row for row in withheld if type(row) is int and 0 <= row < people.height]] = True
    # The very same table, where nobody is missing: then its rows are known to be the same people.
    return people.filter(pl.Series(~gone)) if gone.any() else people


def found_for(policy: Policy, release: str | os.PathLike[str]) -> Policy:
    """Return the policy with the limits that were found for shares, if the owner's file beside a release tells."""
    told = _owner_of(release).get("utility", {})
    told = told.get("private_numbers", {}) if isinstance(told, dict) else {}
    found = {}
    for name, ways in policy.private_numbers.items():
        try:
            read = declared_numbers(name, told[name]["by"])
        except (KeyError, TypeError, KspanError):
            continue  # the file is of another table
        found[name] = replace(ways, bottom=read.bottom, top=read.top)
    return replace(policy, private_numbers={**policy.private_numbers, **found}) if found else policy


def _owner_of(release: str | os.PathLike[str]) -> dict[str, Any]:
    """Return what the owner's file beside a release says; nothing, if there is none."""
    try:
        owner = json.loads(content_of(beside(release)[-1]) or b"{}")
    except (OSError, ValueError, RecursionError):
        return {}
    return owner if isinstance(owner, dict) and owner.get("format") == OWNER_FORMAT else {}


def _rows_told(owner: Mapping[str, Any], source: int, withheld: int) -> Any:
    """Return how many rows a release has, by its owner's file; a wide one has a row a person."""
    if "people_released" in owner:
        return owner["people_released"] if owner.get("source_rows") == source else None
    return source - withheld


def rows_behind(
    people: pl.DataFrame, source: Table, recoding: Recoding, policy: Policy, wide: WidePeople | None = None
) -> pl.DataFrame | None:
    """Return the rows that were released if people are counted, since then the judge needs them; otherwise None."""
    if policy.counting == "rows" and source.persons is None and policy.household is None:
        return None
    kept = recoding.partition.group != WITHHELD if wide is None else wide.released(recoding.partition)
    return people.filter(pl.Series(kept))


def _told_of_marginals(files: Mapping[Any, File]) -> dict[str, Any]:
    """Name the file of distributions that goes with a table, and its checksum; nothing, if there is none."""
    told = [{"file": Path(path).name, "sha256": checksum(file.content)} for path, file in files.items()]
    return {"marginals": told[0]} if told else {}


def _of_the_table(found: dict[str, Any]) -> dict[str, Any]:
    """Return what an audit found without the figures that tell of the people behind a table, and not of the table."""
    persons = found["persons"] and {key: value for key, value in found["persons"].items() if key not in OF_PERSONS}
    return {**found, "risk": {**found["risk"], "households": None}, "linked": None, "persons": persons}


def _plain(value: Any) -> Any:
    """Return options and facts in a form that JSON can hold."""
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
