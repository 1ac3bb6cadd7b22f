"""Random small tables with the policies that go with them."""

import csv
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

Row = tuple[str | None, ...]


@dataclass(frozen=True)
class World:
    """Some people, what is said of their columns, and the hierarchies of these."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    policy: Mapping[str, Any]
    hierarchies: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)

    @property
    def public(self) -> list[str]:
        """The names of the public columns."""
        return list(self.policy["public"])

    @property
    def private(self) -> list[str]:
        """The names of the private columns, the target among them."""
        target = [self.policy["target"]] if "target" in self.policy else []
        return [*self.policy.get("private", ()), *target]

    def cells(self, name: str) -> list[str | None]:
        """The cells of a column."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]

    def of(self, rows: Sequence[Row]) -> "World":
        """The same with other people."""
        return replace(self, rows=tuple(rows))

    def files(self) -> dict[str, bytes]:
        """The table, the policy and the hierarchies as files."""
        lines = {f"{name}.hierarchy.csv": table for name, table in self.hierarchies.items()}
        policy = dict(self.policy)
        if self.hierarchies:
            policy["hierarchies"] = {
                **policy.get("hierarchies", {}),
                **{name: f"{name}.hierarchy.csv" for name in self.hierarchies},
            }
        return {
            "people.csv": csv_bytes(self.columns, self.rows),
            "policy.toml": toml(policy).encode(),
            **{name: "".join(";".join(line) + "\n" for line in table).encode() for name, table in lines.items()},
        }


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Put files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def csv_bytes(columns: Sequence[str], rows: Sequence[Row]) -> bytes:
    """A table as CSV; None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue().encode()


def toml(said: Mapping[str, Any]) -> str:
    """A policy as TOML.

    >>> print(toml({"public": ["a"], "require": {"k": 2}}))
    public = ["a"]
    require = {"k" = 2}
    <BLANKLINE>
    """
    return "".join(f"{key} = {_toml(value)}\n" for key, value in said.items())


def _toml(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


TOWNS = ("ash", "birch", "cedar", "elm", "fir", "oak")
REGIONS = {"ash": "north", "birch": "north", "cedar": "east", "elm": "east", "fir": "south", "oak": "south"}
ILLS = ("cold", "flu", "gout", "ok")


def any_world(
    rng: random.Random, *, most: int = 60, missing: bool = True, require: Mapping[str, Any] | None = None
) -> World:
    """Some people with one to four public columns of all kinds and one or two private ones."""
    number = rng.randint(6, most)
    towns, digits = rng.randint(1, len(TOWNS)), rng.randint(1, 3)
    makers: dict[str, Callable[[], str]] = {
        "age": lambda: str(rng.randint(20, 20 + rng.choice((3, 20, 60)))),
        "town": lambda: rng.choice(TOWNS[:towns]),
        "sex": lambda: rng.choice("FM"),
        "height": lambda: f"{rng.uniform(1.5, 2):.{digits}f}",
    }
    ills, levels = rng.randint(1, len(ILLS)), rng.randint(1, 8)
    public = rng.sample(sorted(makers), rng.randint(1, 4))
    private = ["ill", *(["pay"] if rng.random() < 0.4 else [])]
    makers |= {"ill": lambda: rng.choice(ILLS[:ills]), "pay": lambda: str(100 * rng.randint(1, levels))}
    lost = rng.choice((0, 0, 0, 0.1)) if missing else 0
    columns = ("who", *public, *private)
    rows = [
        (f"p{one}", *(None if name != "ill" and rng.random() < lost else makers[name]() for name in columns[1:]))
        for one in range(number)
    ]
    policy: dict[str, Any] = {"identifier": ["who"], "public": public, "private": private[1:], "target": "ill"}
    if require is None:
        require = {"k": rng.randint(1, max(2, number // 3))}
    policy["require"] = dict(require)
    hierarchies = {}
    if "town" in public and rng.random() < 0.5:
        hierarchies["town"] = [[town, REGIONS[town], "anywhere"] for town in TOWNS]
    if "age" in public and rng.random() < 0.3:
        policy["hierarchies"] = {"age": {"build": "intervals", "widths": [5, 10, 20]}}
    return World(columns, tuple(rows), policy, hierarchies)
