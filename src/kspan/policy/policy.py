"""A policy (roles, requirement, hierarchies, domains), read from and written to policy.toml."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Unpack, get_args
from urllib.parse import quote

from kspan.data.cells import SUPPRESSED
from kspan.data.hierarchy import Hierarchy, read_hierarchy, write_hierarchy
from kspan.data.levels import Automatic, Dates, Intervals, Ordered, Prefixes, Recipe
from kspan.data.schema import SINGLE, Said, Schema
from kspan.errors import PolicyError, check_number, did_you_mean, listed
from kspan.frames.commit import together
from kspan.frames.files import read_text, write_text
from kspan.frames.places import make_folder
from kspan.policy.private_numbers import PrivateNumbers, declared_numbers
from kspan.policy.toml import write_toml
from kspan.policy.values import check_declared
from kspan.privacy.requirement import Requirement
from kspan.privacy.spec import from_table, parse, resolved, to_table

Suppressed = Literal["value", "anything"]
Counting = Literal["rows", "people"]
KnownRows = int | Literal["all"]

ALIASES = {
    "quasi-identifying": "public",
    "quasi-identifier": "public",
    "quasi-identifiers": "public",
    "sensitive": "private",
    "identifying": "identifier",
    "identifiers": "identifier",
}
"""The words for roles in other tools: accepted when a policy is read, but never written."""

KEYS = (
    "target", "identifier", "public", "private", "person", "known_rows", "order", "household", "weight",
    "sampling_weight", "counting", "require", "hierarchies", "domains", "sets", "ages", "grid", "keep", "cells",
    "ledger",
)  # fmt: skip
EXACT = "exact"
Grid = Mapping[str, float | str] | Literal["exact"]
CELL_KEYS = ("missing", "suppressed", "suppressed_text", "range_pattern")
FOLDER = "hierarchies"
RECIPES: dict[str, type[Recipe]] = {
    "intervals": Intervals,
    "ordered": Ordered,
    "prefixes": Prefixes,
    "dates": Dates,
    "auto": Automatic,
}


class SaidOfReleases(Said, total=False):
    """The keywords that describe the columns of a table, and how they are released."""

    grid: Grid
    keep: Mapping[str, float]
    ledger: str | None
    private_numbers: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Policy(Schema):
    """Who may know each column and what every group must satisfy; also from `policy.toml` by `Policy.load`.

    >>> policy = Policy(public=["age", "sex"], private=["income"], require="k=10, distinct_l=2")
    >>> print(policy.to_toml())
    public = ["age", "sex"]
    private = ["income"]
    <BLANKLINE>
    [require]
    k = 10
    distinct_l = 2
    <BLANKLINE>
    """

    require: Requirement
    suppressed: Suppressed = "value"
    """Is a suppressed cell a value of its own, or may it stand for anything?"""
    counting: Counting = "rows"
    """Must every person match enough released rows, or must enough people share what each matches?"""
    known_rows: KnownRows = "all"
    """Of how many rows of one person does the attacker know the public values, where people have several?"""
    order: str | None = None
    """The column that orders the rows of a person in the wide form; without one, their values do."""
    grid: Grid = field(default_factory=dict)
    """Where the ranges of a public column may end: multiples of a number, or parts of the calendar; at the numbers of
    people, if it is `"exact"`."""
    keep: Mapping[str, float] = field(default_factory=dict)
    """How much more than others some columns should be kept by methods that can choose: public ones narrow, private
    ones told apart by groups."""
    ledger: str | None = None
    """The ledger that releases under this policy are entered in."""
    private_numbers: Mapping[str, PrivateNumbers] = field(default_factory=dict)
    """How released tables show private columns of numbers, where they do not show them as they are; given by a mapping
    of all `private` columns."""

    if TYPE_CHECKING:  # accepts more types than the fields keep

        def __init__(
            self,
            *,
            require: Requirement | str | Mapping[str, Any],
            suppressed: Suppressed = "value",
            counting: Counting = "rows",
            known_rows: KnownRows = "all",
            order: str | None = None,
            **said: Unpack[SaidOfReleases],
        ) -> None: ...

    def __post_init__(self) -> None:
        if isinstance(self.private, Mapping):
            ways = {str(name).strip(): says for name, says in self.private.items() if says != {}}
            self._set("private_numbers", ways)
            self._set("private", tuple(self.private))
        if isinstance(self.require, Mapping):
            self._set("require", from_table(self.require))
        elif isinstance(self.require, str):
            self._set("require", parse(self.require))
        elif not isinstance(self.require, Requirement):
            raise PolicyError("require must be a requirement, for example KAnonymity(10), or a text like 'k=10'")
        _check_word("suppressed", self.suppressed, get_args(Suppressed))
        _check_word("counting", self.counting, get_args(Counting))
        if self.known_rows != "all":
            check_number("known_rows", self.known_rows, low=1, whole=True)
            if self.person is None and not self.sets:
                raise PolicyError("known_rows is about people with several rows: say whose row is whose with person")
        if self.ledger is not None and not (isinstance(self.ledger, str | os.PathLike) and str(self.ledger)):
            raise PolicyError("ledger must be the path of a ledger, as kspan ledger init makes one")
        self._set("ledger", None if self.ledger is None else str(self.ledger))
        super().__post_init__()
        self._check_order()
        self._check_grid()
        self._check_keep()
        hierarchies = {name: _hierarchy(name, says, Path()) for name, says in self.hierarchies.items()}
        self._set("hierarchies", MappingProxyType(hierarchies))
        self._check_prefixes()
        self._check_private_numbers()
        # Last, since the target may have become private only now.
        self._set("require", resolved(self.require, self.private))
        self.require.check(self.private)
        check_declared(self.require, self)

    def _check_grid(self) -> None:
        """Refuse a grid of something else than a public column, or by something else than numbers and words."""
        if self.grid == EXACT:
            return
        if not isinstance(self.grid, Mapping):
            raise PolicyError(f"grid must be a table of columns, or the word {EXACT!r}")
        for name, says in self.grid.items():
            if name not in self.public:
                raise PolicyError(
                    f"there is a grid for {name!r}, which is not public: ranges are of public columns alone"
                )
            if isinstance(says, bool) or not isinstance(says, int | float | str):
                raise PolicyError(f"the grid of {name!r} must be a number, or of dates a word such as 'month'")
        self._set("grid", MappingProxyType(dict(self.grid)))

    def _check_keep(self) -> None:
        """Refuse to keep what is not released, and weights that are none."""
        if not isinstance(self.keep, Mapping):
            raise PolicyError("keep must be a table of columns, with a number for each: how much it counts")
        for name, weight in self.keep.items():
            if name not in (*self.public, *self.private):
                raise PolicyError(
                    f"{str(name)!r:.40} is to be kept, but is no public or private column"
                    f"{did_you_mean(str(name), (*self.public, *self.private))}: name one that is released"
                )
            check_number(f"keep of {name!r}", weight, low=0, high=1e9)
        self._set("keep", MappingProxyType({name: float(weight) for name, weight in self.keep.items()}))

    def _check_private_numbers(self) -> None:
        """Refuse ways to show numbers of columns that are not private, or hold something else."""
        if not isinstance(self.private_numbers, Mapping):
            raise PolicyError("private_numbers must map private columns to how their numbers are shown")
        ways = {name: declared_numbers(name, says) for name, says in self.private_numbers.items()}
        for name in ways:
            if name not in self.private:
                raise PolicyError(
                    f"the policy says how numbers of {name!r} are shown, which is not private"
                    f"{did_you_mean(name, self.private)}: public numbers are shown as ranges"
                )
            if name in self.hierarchies or name in self.sets:
                what = "a hierarchy" if name in self.hierarchies else "sets of codes"
                raise PolicyError(
                    f"the policy says how numbers of {name!r} are shown, and declares {what} for it: keep one of them"
                )
            kind = None if name not in self.domains else self.domains[name].kind
            if kind is not None and (kind.has_own_spelling or not kind.is_measured):
                raise PolicyError(
                    f"the policy says how numbers of {name!r} are shown, but its domain is none of numbers: only "
                    "numbers can be rounded and the like"
                )
        self._set("private_numbers", MappingProxyType(ways))

    def _check_order(self) -> None:
        """Refuse an order of rows by nothing, and of people who have one row each."""
        if self.order is None:
            return
        if self.person is None:
            raise PolicyError("order is about people with several rows: say whose row is whose with person")
        if self.order == self.person:
            raise PolicyError(
                f"the rows of a person cannot be ordered by {self.person!r}, which is the same in all of them: name "
                "another column"
            )
        if self.order not in self.columns:
            raise PolicyError(
                f"the rows of a person are to be ordered by {str(self.order)!r:.40}, which is no column of the policy"
                f"{did_you_mean(str(self.order), self.columns)}: name one that is public, private or an identifier"
            )

    def _check_prefixes(self) -> None:
        """Refuse prefixes of numbers: a cell such as `123**` is a code, and no number."""
        for name, hierarchy in self.hierarchies.items():
            if isinstance(hierarchy, Prefixes) and name in self.domains and self.domains[name].kind.is_measured:
                raise PolicyError(
                    f"the hierarchy of {name!r} is one of prefixes, but its domain is one of numbers: "
                    'declare it "categorical", or use { build = "intervals" }'
                )

    @classmethod
    def of(cls, given: "PolicyLike") -> "Policy":
        """The policy from any of its forms: a `Policy`, the path of a file, or a mapping with the keys of such a file.

        >>> Policy.of({"public": ["age"], "require": {"k": 5}}).require
        KAnonymity(k=5)
        """
        if isinstance(given, Policy):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.load(given)
        if isinstance(given, Mapping):
            return cls._said(dict(given), Path(), "the policy")
        raise PolicyError(
            f"a {type(given).__name__} is no policy: give a kspan.Policy, the path of a policy.toml, or a mapping"
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Policy":
        """The policy in a TOML file; paths in it are relative to the file."""
        return cls.from_toml(read_text(path, "the policy"), Path(path).parent, source=f"the policy {path}")

    @classmethod
    def from_toml(cls, text: str, folder: Path = Path(), *, source: str = "the policy") -> "Policy":
        """The policy in a TOML text; hierarchy files are looked up from `folder`."""
        try:
            says = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PolicyError(f"{source} is not valid TOML: {str(error).lower()}") from None
        except (RecursionError, ValueError):
            raise PolicyError(
                f"{source} is not valid TOML: nested too deep, or a number with too many digits"
            ) from None
        if isinstance(says.get("require"), str):  # text will do in Python, but a file needs a table
            _table(says, "require", source)
        return cls._said(says, folder, source)

    @classmethod
    def _said(cls, says: dict[str, Any], folder: Path, source: str) -> "Policy":
        """Build the policy that the keys of a TOML file, or of a mapping like one, describe."""
        says = _without_aliases(says, source)
        _check_keys(says, KEYS, source)
        cells, hierarchies = (_table(says, name, source) for name in ("cells", "hierarchies"))
        _check_keys(cells, CELL_KEYS, f"[cells] of {source}")
        if "require" not in says:
            raise PolicyError(f"{source} requires nothing: add a [require] table with at least k = 10")
        if not isinstance(says["require"], Requirement | str):
            _table(says, "require", source)
        for name in ("domains", "sets", "ages", "keep", *(["grid"] if says.get("grid") != EXACT else [])):
            _table(says, name, source)
        if isinstance(says.get("ledger"), str):
            says["ledger"] = str(folder / says["ledger"])
        says["hierarchies"] = {name: _hierarchy(name, given, folder) for name, given in hierarchies.items()}
        return cls(**{key: value for key, value in says.items() if key != "cells"}, **cells)

    def of_rows(self) -> "Policy":
        """The policy for a table in which each row is a person: whose it is, is then just an identifier."""
        if not self.person:
            return self
        return replace(self, person=False, order=None, identifier=(*self.identifier, self.person))

    def as_shown(self) -> "Policy":
        """The policy for a table whose private numbers are shown already."""
        return replace(self, private_numbers={}) if self.private_numbers else self

    @property
    def private_says(self) -> list[str] | dict[str, Any]:
        """How a file writes the private columns: a list or, if it says how numbers are shown, a table."""
        if not self.private_numbers:
            return list(self.private)
        return {name: self.private_numbers[name].says if name in self.private_numbers else {} for name in self.private}

    def to_toml(self) -> str:
        """The policy as TOML; hierarchies that are no recipes are given as files in the folder `hierarchies`."""
        top = {key: getattr(self, key) for key in ("target", "identifier", "public", "private", *SINGLE)}
        if self.known_rows != "all":
            top["known_rows"] = self.known_rows
        if self.order is not None:
            top["order"] = self.order
        if self.counting != "rows":
            top["counting"] = self.counting
        if self.ledger is not None:
            top["ledger"] = self.ledger
        if self.grid == EXACT:
            top["grid"] = self.grid
        if self.private_numbers:
            top["private"] = self.private_says
        cells: dict[str, Any] = {"missing": self.missing}
        if self.suppressed != "value":
            cells["suppressed"] = self.suppressed
        if self.suppressed_text != SUPPRESSED:
            cells["suppressed_text"] = self.suppressed_text
        if self.range_pattern is not None:
            cells["range_pattern"] = self.range_pattern
        paths = {name: _written(given, f"{FOLDER}/{_file_name(name)}") for name, given in self.hierarchies.items()}
        domains = {name: domain.says for name, domain in self.domains.items()}
        ages = {name: age.says for name, age in self.ages.items()}
        tables = {
            "hierarchies": paths,
            "domains": domains,
            "sets": self.sets,
            "ages": ages,
            "keep": self.keep,
            "cells": cells,
        }
        if not isinstance(self.grid, str):
            tables["grid"] = self.grid
        return write_toml({**top, "require": to_table(self.require), **tables})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy, and its hierarchies into the folder `hierarchies` beside it."""
        target = Path(path)
        with together():
            for name, given in self.hierarchies.items():
                if isinstance(given, Hierarchy):
                    make_folder(target.parent / FOLDER)
                    write_hierarchy(given, target.parent / FOLDER / _file_name(name))
            write_text(self.to_toml(), target)


PolicyLike = Policy | str | os.PathLike[str] | Mapping[str, Any]
"""Every form in which a policy may be given."""


def people_and_policy(people: Any, policy: PolicyLike | None) -> tuple[Any, Policy | None]:
    """Sort the arguments that follow a release into people and a policy: `(policy)`, `(people, policy)`, or neither."""
    if policy is None and isinstance(people, Policy | str | os.PathLike | Mapping):
        people, policy = None, people
    return people, None if policy is None else Policy.of(policy)


def _without_aliases(says: dict[str, Any], source: str) -> dict[str, Any]:
    clean: dict[str, Any] = {}
    for key, value in says.items():
        ours = ALIASES.get(key.replace("_", "-"), key)
        if ours in clean:
            raise PolicyError(f"{source} gives {ours} twice, once as {key!r}: keep one of them")
        clean[ours] = value
    return clean


def _check_keys(says: Mapping[str, Any], known: tuple[str, ...], source: str) -> None:
    unknown = [key for key in says if key not in known]
    if unknown:
        hint = did_you_mean(unknown[0], (*known, *ALIASES))
        raise PolicyError(f"{source} has the unknown key {listed(unknown)}{hint}: use {', '.join(known)}")


def _check_word(key: str, word: Any, known: tuple[str, ...]) -> None:
    if word not in known:
        raise PolicyError(f"{key} cannot be {word!r}: use {' or '.join(map(repr, known))}")


def _table(says: dict[str, Any], name: str, source: str) -> dict[str, Any]:
    table = says.get(name, {})
    if not isinstance(table, dict):
        raise PolicyError(f"{name} in {source} must be a table: write [{name}] on a line of its own, then its entries")
    return table


def _hierarchy(name: str, says: Any, folder: Path) -> Hierarchy | Recipe:
    if isinstance(says, Hierarchy | Recipe):
        return says
    if isinstance(says, str | os.PathLike):
        return read_hierarchy(folder / says)
    if not isinstance(says, Mapping) or "build" not in says:
        raise PolicyError(
            f'the hierarchy of {name!r} must be a file or a recipe, as in {{ build = "intervals", widths = [5, 10] }}'
        )
    build = says["build"]
    recipe: Any = RECIPES.get(build) if isinstance(build, str) else None
    if recipe is None:
        raise PolicyError(f"the hierarchy of {name!r} cannot be built by {build!r:.40}: use {', '.join(RECIPES)}")
    options = {key: tuple(value) if isinstance(value, list) else value for key, value in says.items() if key != "build"}
    try:
        made: Recipe = recipe(**options)
    except TypeError:
        takes = ", ".join(entry.name for entry in fields(recipe)) or "no options"
        raise PolicyError(f"the hierarchy of {name!r} gives {listed(options)}, but {build!r} takes {takes}") from None
    return made


def _file_name(column: str) -> str:
    """A safe file name for the hierarchy of a column, whatever characters the name of the column has."""
    return f"{quote(column, safe='')}.csv"


def _written(hierarchy: Hierarchy | Recipe, path: str) -> Any:
    return path if isinstance(hierarchy, Hierarchy) else recipe_says(hierarchy)


def recipe_says(recipe: Recipe) -> dict[str, Any]:
    """How a policy writes a recipe: its name, and the options that differ from the usual ones."""
    build = next(name for name, known in RECIPES.items() if type(recipe) is known)
    changed = {key: value for key, value in vars(recipe).items() if value != getattr(type(recipe), key, None)}
    return {"build": build, **changed}
