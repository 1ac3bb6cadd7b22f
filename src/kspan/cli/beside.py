"""What --with names: releases that are judged together, each perhaps with people and a policy of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.errors import FileError
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.audit.together.judge import Beside
    from kspan.frames.csv import Dialect
    from kspan.policy import Policy

BesideReleases = Annotated[
    list[str] | None,
    typer.Option(
        "--with",
        metavar="FILE[=PEOPLE[,POLICY]]",
        help="Another release that is held as well, judged together with RELEASE; repeatable. PEOPLE are those it was "
        "made from, if not those of --data.",
    ),
]
Match = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="With --with: the column that says which people are the same, if not the policy's person or only "
        "identifier; 'position' if row i is.",
    ),
]


@dataclass(frozen=True)
class Named:
    """A release, its people and its policy, as --with names them."""

    release: Source
    people: Source | None = None
    policy: Path | None = None

    @classmethod
    def of(cls, text: str) -> "Named":
        """Read what --with was given: the release comes before the first = that follows the name of a file."""
        if Path(text).exists():
            return cls(Source.of(text))
        places = [place for place, letter in enumerate(text) if letter == "="]
        for place in places:
            if Path(text[:place]).is_file():
                people, _, policy = text[place + 1 :].rpartition(",")
                if not policy.endswith(".toml"):
                    people, policy = text[place + 1 :], ""
                if not people:
                    raise FileError(
                        f"--with {text} names no people after the =: give the table of those it was made from"
                    )
                return cls(Source.of(text[:place]), Source.of(people), Path(policy) if policy else None)
        return cls(Source.of(text))

    @property
    def files(self) -> tuple[Path | Source | None, ...]:
        """All that is read."""
        return self.release, self.people, self.policy


def named(given: Sequence[str] | None) -> list[Named]:
    """Return what --with names, in order."""
    return [Named.of(text) for text in given or ()]


def read_beside(
    given: Sequence[Named], data: Any, policy: "Policy | None", how: "Dialect", match: str | None
) -> "list[Beside]":
    """Read releases that are judged together with another, about the people in `data` unless they have their own."""
    from kspan.audit.together.judge import Beside
    from kspan.frames.files import read_table
    from kspan.model.kind import is_model
    from kspan.model.kinds import opened
    from kspan.policy import Policy
    from kspan.tables.release import released_rows

    found = []
    for one in given:
        own = policy if one.policy is None else Policy.load(one.policy)
        people = data if one.people is None else read_table(one.people, how)
        if is_model(one.release):
            release: Any = opened(one.release)
        else:
            release = table = read_table(one.release, how)
            if people is not None and own is not None:
                people = released_rows(people, one.release, table.height, own, always=True)
        found.append(Beside(release, people, own if one.policy else None, one.release.name, match))
    return found
