"""Who may know each column, and what it may hold: all that encoding needs to know."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from kspan.data.ages import Age, declared_age
from kspan.data.cells import NOT_A_NUMBER, SUPPRESSED, Exact, number, read_cell
from kspan.data.domain import Domain, declared
from kspan.data.hierarchy import Hierarchy
from kspan.data.levels import Recipe
from kspan.data.ranges import check_range_pattern
from kspan.data.sets import Separator, declared_sets
from kspan.data.table import MISSING_LABEL
from kspan.errors import PolicyError, did_you_mean, listed

ROLES = ("public", "private", "identifier")
SINGLE = ("weight", "sampling_weight", "person", "household")
"""Roles that one column has at most."""
CUTS = ',;|"'
"""Characters that may end a cell in a text file."""


class Said(TypedDict, total=False):
    """The keywords that describe the columns of a table."""

    public: Iterable[str]
    private: Iterable[str]
    identifier: Iterable[str]
    target: str | None
    weight: str | None
    sampling_weight: str | None
    person: str | Literal[False] | None
    household: str | None
    hierarchies: Mapping[str, Any]
    domains: Mapping[str, Any]
    sets: Mapping[str, Any]
    ages: Mapping[str, Any]
    missing: Iterable[str]
    suppressed_text: str
    range_pattern: str | None


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The role of every column, with declared domains and hierarchies.

    `public`: known to the attacker (quasi-identifiers); `private`: unknown to the attacker; `identifier`: never
    released; `weight`: how many people of the table a row stands for; `sampling_weight`: how many people of a
    population; `person`: whose row it is, if people may have several, which is never released either. The target is
    private unless listed public.

    >>> Schema(public=["age"], private=["income"], target="risk").private
    ('income', 'risk')
    """

    public: tuple[str, ...] = ()
    private: tuple[str, ...] = ()
    identifier: tuple[str, ...] = ()
    target: str | None = None
    weight: str | None = None
    sampling_weight: str | None = None
    person: str | Literal[False] | None = None
    """The column that says whose row it is; `False` if each row is a person, whatever identifiers repeat."""
    household: str | None = None
    """The column that says who lives together, which is never released either."""
    hierarchies: Mapping[str, Hierarchy | Recipe] = field(default_factory=dict)
    domains: Mapping[str, Domain] = field(default_factory=dict)
    sets: Mapping[str, Separator] = field(default_factory=dict)
    """The column whose cells are sets of codes, and what stands between two of them; True if cells are lists."""
    ages: Mapping[str, Age] = field(default_factory=dict)
    """Columns of ages that are computed from dates of birth, where a table does not have them."""
    missing: tuple[str, ...] = ()
    """Cells that mean "not known", besides empty ones."""
    suppressed_text: str = SUPPRESSED
    """How tables show a suppressed cell; when a table is read, `*` always means one as well."""
    range_pattern: str | None = None
    """A pattern with the groups low and high, if released tables write ranges of numbers in a way of their own."""

    if TYPE_CHECKING:  # accepts more types than the fields keep

        def __init__(self, **said: Unpack[Said]) -> None: ...

    def __post_init__(self) -> None:
        for role in (*ROLES, "missing"):
            self._set(role, _names(role, getattr(self, role)))
        for role in ("target", *SINGLE):
            name = getattr(self, role)
            if role == "person" and name is False:
                continue
            if name is not None and not isinstance(name, str):
                raise PolicyError(f"the {role} must be the name of one column")
            if name is not None and not name.strip():
                raise PolicyError(f"the {role} must be the name of one column, not an empty text")
            self._set(role, name.strip() if name is not None else None)
        if self.sampling_weight is not None and (self.person or self.weight is not None):
            other = "person" if self.person else "weight"
            raise PolicyError(
                f"the policy gives a sampling_weight and a {other}: what a group stands for is then not known; keep "
                "one of them, and make the other column private"
            )
        if self.person and self.weight is not None:
            raise PolicyError(
                "the policy gives a weight and a person, but a row is of several people or one of several of a person: "
                "keep one of them"
            )
        self._check_one_role_each()
        if self.target is not None and self.target not in (*self.public, *self.private):
            self._set("private", (*self.private, self.target))
        # Only now, when the target has its role: a hierarchy or a domain may be about it.
        self._set("hierarchies", self._per_column("hierarchies"))
        self._set("domains", {name: declared(name, says) for name, says in self._per_column("domains").items()})
        self._set("sets", declared_sets(self._per_column("sets")))
        self._set("ages", {name: declared_age(name, says) for name, says in self._per_column("ages").items()})
        self._check_ages()
        self._check_sets()
        for name in ("hierarchies", "domains", "sets", "ages"):
            self._set(name, MappingProxyType(dict(getattr(self, name))))
        if self.suppressed_text != SUPPRESSED:
            self._check_suppressed_text()
        check_range_pattern(self.range_pattern)

    def __getstate__(self) -> dict[str, Any]:
        """Give plain dictionaries instead of read-only views, which cannot be copied or pickled."""
        return {name: dict(value) if isinstance(value, Mapping) else value for name, value in vars(self).items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            self._set(name, MappingProxyType(value) if isinstance(value, dict) else value)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that has a role, identifiers and weights included."""
        return (
            *self.public,
            *self.private,
            *self.identifier,
            *(getattr(self, role) for role in SINGLE if getattr(self, role)),
        )

    @property
    def never_released(self) -> tuple[str, ...]:
        """The columns that no release may show: identifiers, whose row it is, and who lives together."""
        return (*self.identifier, *(name for name in (self.person, self.household) if name))

    def only(self, names: Iterable[str]) -> "Schema":
        """A schema of some columns alone, all public, with what is declared for them."""
        kept = tuple(names)
        return Schema(
            public=kept,
            hierarchies={name: given for name, given in self.hierarchies.items() if name in kept},
            domains={name: given for name, given in self.domains.items() if name in kept},
            missing=self.missing,
            suppressed_text=self.suppressed_text,
            range_pattern=self.range_pattern,
        )

    def check_columns(self, columns: Iterable[str]) -> None:
        """Refuse a table with a column that has no role, or without a column that a release must have."""
        present = list(columns)
        if present and not {name.casefold() for name in present} & {name.casefold() for name in self.columns}:
            # If the file has no header, the names are the cells of its first person: quote none of them.
            raise PolicyError(
                "no column in the header of the table has a role in the policy: "
                "check the delimiter and the encoding, or name the columns with --columns if there is no header"
            )
        known, there = set(self.columns), set(present)
        without_role = [name for name in present if name not in known]
        if without_role:
            raise PolicyError(
                f"column {listed(without_role)} has no role in the policy: "
                f"list it under public, private or identifier{did_you_mean(without_role[0], self.columns)}"
            )
        gone = [name for name in self.columns if name not in there and name not in self.never_released]
        if gone:
            what = "the target" if gone[0] == self.target else "the policy's column"
            raise PolicyError(
                f"{what} {listed(gone)} is not in the table: "
                f"correct the name or take it out of the policy{did_you_mean(gone[0], present)}"
            )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _check_one_role_each(self) -> None:
        seen: dict[str, str] = {}
        single = ((role, (getattr(self, role),) if getattr(self, role) else ()) for role in SINGLE)
        for role, names in (*((role, getattr(self, role)) for role in ROLES), *single):
            for name in names:
                if name in seen:
                    again = f"twice as {role}" if seen[name] == role else f"as {seen[name]} and as {role}"
                    raise PolicyError(f"the policy names column {name!r} {again}: give each column one role, once")
                seen[name] = role
        if self.target is not None and seen.get(self.target) in ("identifier", *SINGLE):
            raise PolicyError(
                f"the target {self.target!r} is the {seen[self.target]} as well: make it public or private"
            )

    def _check_ages(self) -> None:
        """Refuse ages from columns that have no role."""
        for name, age in self.ages.items():
            for column in (age.born, age.on):
                if isinstance(column, str) and (column not in self.columns or column == name):
                    raise PolicyError(
                        f"the age {name!r} is to be computed from {column!r:.40}, which has no role"
                        f"{did_you_mean(column, self.columns)}: make the date of birth an identifier, so that it is "
                        "never released"
                    )

    def _check_sets(self) -> None:
        """Refuse a separator that a released cell may show: it would be taken for a set."""
        for name, separator in self.sets.items():
            hierarchy = self.hierarchies.get(name)
            shown = (self.suppressed_text, *(hierarchy.members if isinstance(hierarchy, Hierarchy) else ()))
            if isinstance(separator, str) and any(separator in text for text in shown):
                raise PolicyError(
                    f"what stands between the codes of {name!r} is also in a name that releases may show: use another "
                    "separator, or another name"
                )

    def _check_suppressed_text(self) -> None:
        """Refuse a text that a table cannot show, or that would be read as something else."""
        text: Any = self.suppressed_text
        if not isinstance(text, str) or not text or not text.isprintable() or text != text.strip():
            raise PolicyError(
                "the text of suppressed cells must be a word or a few on one line without blanks around them: "
                "use for example '*' or '(hidden)'"
            )
        domains = ((f"a value of {name!r}", domain.values or ()) for name, domain in self.domains.items())
        taken = {
            "a set or an interval": not isinstance(read_cell(text), Exact),
            "a number": number(text) is not None,
            "a missing value": text in (*self.missing, *NOT_A_NUMBER, MISSING_LABEL),
            "the end of a cell": any(cut in text for cut in CUTS),
            **{what: text in values for what, values in domains},
        }
        for what, would in taken.items():
            if would:
                raise PolicyError(
                    f"the text of suppressed cells cannot be {text!r:.40}: it would be read as {what}; "
                    "use for example '*' or '(hidden)'"
                )

    def _per_column(self, name: str) -> dict[str, Any]:
        given = getattr(self, name)
        if not isinstance(given, Mapping):
            raise PolicyError(f"{name} must map columns to {name}")
        clean = {str(column).strip(): says for column, says in given.items()}
        known = (*self.public, *self.private)
        every = set(known)
        unknown = [column for column in clean if column not in every]
        if unknown:
            raise PolicyError(
                f"{name} names {listed(unknown)}, which is no public or private column: "
                f"correct the name or drop it{did_you_mean(unknown[0], known)}"
            )
        return clean


def _names(role: str, given: Any) -> tuple[str, ...]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise PolicyError(f'{role} must be a list of names, for example {role} = ["age", "sex"]')
    names = tuple(given)
    if not all(isinstance(name, str) for name in names):
        raise PolicyError(f"{role} must list names as text")
    return tuple(name.strip() for name in names)
