"""What a campaign saw: how many cases of which kind, what was found, and the slowest."""

import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SHOWN = 160
"""Characters of a line that are printed; the whole of it is saved."""


@dataclass(frozen=True)
class Budget:
    """How long a campaign may go on: so many cases, or so many minutes."""

    cases: int | None = None
    minutes: float | None = None

    def __iter__(self) -> Iterator[int]:
        """The numbers of cases, until the budget is used up."""
        end = time.monotonic() + 60 * (self.minutes if self.minutes is not None else 2)
        number = 0
        while number < self.cases if self.cases is not None else time.monotonic() < end:
            yield number
            number += 1


@dataclass(frozen=True)
class Find:
    """Something that must not be: what it is, what was typed, what was said, and the files that it takes."""

    fault: str
    command: str
    told: str
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass
class Figures:
    """The cases of one campaign, counted, with one reproducer of each distinct fault."""

    name: str
    folder: Path
    seen: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    finds: dict[str, Find] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")

    def case(self, kind: str, seconds: float = 0.0, what: str = "") -> None:
        """Count a case of a kind."""
        self.seen[kind] += 1
        self.slowest = max(self.slowest, (seconds, what or kind))

    def knows(self, fault: str) -> bool:
        """Has this fault been found already? Then nobody needs to make its case small."""
        return fault in self.finds

    def found(self, find: Find) -> None:
        """Count a fault; the first of its kind is printed and saved."""
        self.faults[find.fault] += 1
        if self.knows(find.fault):
            return
        self.finds[find.fault] = find
        place = self.folder / f"{len(self.finds):02d}-{re.sub(r'[^a-z0-9]+', '-', find.fault.lower()).strip('-')[:60]}"
        place.mkdir(parents=True, exist_ok=True)
        for name, content in find.files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)
        (place / "COMMAND.txt").write_text(f"{find.fault}\n\n{find.command}\n\n{find.told}\n", errors="replace")
        print(f"found: {find.fault}\n  {shortened(find.command)}\n  {shortened(find.told)}\n  {place}", flush=True)

    def tell(self, seed: int) -> int:
        """Print the figures, and give the exit code."""
        print(f"\ncampaign {self.name}, seed {seed}: {self.seen.total()} cases")
        _print_table(("kind", "cases"), sorted(self.seen.items()))
        for note in self.notes:
            print(f"note: {note}")
        seconds, what = self.slowest
        print(f"slowest: {seconds:.2f} s, {shortened(what)}")
        if self.faults:
            _print_table(("found", "times"), self.faults.most_common())
            print(f"{len(self.faults)} distinct faults; reproducers are in {self.folder}")
        else:
            print("nothing was found")
        return 1 if self.faults else 0


def shortened(text: str) -> str:
    """The beginning of a text, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 3]}..."


def _print_table(head: tuple[str, str], rows: Sequence[tuple[str, int]]) -> None:
    width = max(len(head[0]), *(len(name) for name, _ in rows)) if rows else len(head[0])
    print(f"{head[0]:<{width}}  {head[1]:>6}")
    for name, number in rows:
        print(f"{name:<{width}}  {number:>6}")
