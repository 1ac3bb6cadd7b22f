"""How long it takes to judge what a ledger holds, beside the audit of one table: ratios from one run."""

import argparse
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np
import polars as pl
from adult_scaled import scaled
from goals import Result, alternate, compared, say, told

import kspan as ks
from kspan.audit.seen import ABSENT, Seen, Tells
from kspan.data.arrays import Bools, Int64s
from kspan.data.encode import encode
from kspan.data.table import Table
from kspan.frames.commit import File, write_files
from kspan.ledger.checking import holdings
from kspan.ledger.ledger import Going

PUBLIC = ["age", "education", "occupation", "relationship", "sex", "native-country"]
PRIVATE = "income"
COME, LEAVE = 0.005, 0.005
"""The share of all people who come every month, and of crowds that leave as a whole."""
GOAL = 3.0
MB = 1 << 20


@dataclass(frozen=True)
class Register:
    """All people who ever are in a register, the first ones first, and the table that Mondrian makes of them.

    Those who come in one month are crowds of their own, as a ledger asks.
    """

    people: pl.DataFrame
    policy: ks.Policy
    table: pl.DataFrame
    """What is shown of everybody."""
    crowd: Int64s
    come: Int64s
    """The month in which each person comes."""
    leave: Int64s
    """The month from which on each person is not there."""

    @classmethod
    def of(cls, people: pl.DataFrame, months: int) -> "Register":
        """Let people come and go."""
        policy = ks.Policy(identifier=["id"], public=PUBLIC, private=[PRIVATE], require="k=10, distinct_l=2")
        each = int(COME * people.height)
        come = np.repeat(np.arange(months), [people.height - each * (months - 1), *[each] * (months - 1)])
        tables, crowds, number = [], [], 0
        for month in range(months):
            some = people.filter(come == month)
            release = ks.anonymize(some, policy, "mondrian", secret="0" * 32, keep_order=True)
            tables.append(release.frame)
            crowds.append(release.partition.group + number)
            number += release.partition.number
        crowd = np.concatenate(crowds)
        leave = np.random.default_rng(0).geometric(LEAVE, number)[crowd] + come
        return cls(people, policy, pl.concat(tables), crowd, come, leave)

    def there(self, month: int) -> Bools:
        """Tell who is there in a month."""
        found: Bools = (self.come <= month) & (month < self.leave)
        return found

    def released(self, month: int) -> pl.DataFrame:
        """The table of one month."""
        return self.table.filter(self.there(month))

    def seen(self, month: int) -> Seen:
        """What the table of one month lets anybody see: the crowd that each person is in."""
        number = int(self.crowd.max()) + 1
        told = {PRIVATE: Tells.of_all(self.coded[PRIVATE], number)}
        return Seen(np.where(self.there(month), self.crowd, ABSENT), np.ones(number, bool), told)

    @cached_property
    def coded(self) -> Table:
        """All people as codes."""
        return encode(self.people, self.policy)


def main() -> int:
    """Measure and print; exit 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=1_000_000)
    parser.add_argument("--releases", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    adult = ks.datasets.load_adult(missing=False).select(*PUBLIC, PRIVATE)
    say("scaling Adult")
    people = scaled(adult, given.people // adult.height + 1, 3, rng=np.random.default_rng(1)).head(given.people)
    say("making crowds")
    register = Register.of(people.with_row_index("id").cast({"id": pl.String}), given.releases + 1)
    with TemporaryDirectory() as folder:
        return told(measured(register, Path(folder) / "releases.ledger", given.releases, given.rounds))


def measured(register: Register, path: Path, releases: int, rounds: int) -> list[Result]:
    """Fill a ledger, and judge all of it, and one release more, in turn with the audit of one table."""
    ks.Ledger.create(path)
    people, policy = register.people, register.policy
    for month in range(releases):
        name = f"{month}.csv"
        say(f"entering {name}")
        going = Going(name, "table", "0" * 64, "mondrian", register.seen(month), people, policy)
        with ks.Ledger(path) as ledger:
            write_files({path.with_name(name): File(b"")}, entering=ledger.enter(going))
    ledger, table, next_one = ks.Ledger(path), register.released(releases), register.seen(releases)
    (everything,) = holdings(ledger)
    # By the crowd that each person is in, as tables are entered; not by all the crowds that each matches.
    found = replace(ks.audit(table, policy), make_seen=lambda: next_one)
    ((_, verdict),) = ledger.judged("the next one", found, people, policy)
    if not (everything.audit.holds and verdict.holds):
        raise SystemExit("what was entered does not hold together: it was made wrongly")
    say("judging in turn")
    what = f"{len(everything.entries)} releases, {everything.audit.people:,} people, {everything.audit.groups:,} crowds"
    works = {
        f"all of {what} / audit of one table": lambda: holdings(ledger, brief=True),
        "one release more / audit of one table": lambda: ledger.judged("the next one", found, people, policy),
    }
    results = [
        compared(called, alternate(work, lambda: ks.audit(table, policy), rounds, clock=process_time), GOAL)
        for called, work in works.items()
    ]
    size = path.stat().st_size
    each = size / sum(entry.rows for entry in everything.entries)
    return [*results, Result("the file", size / MB, "at most", None, f"{each:.1f} bytes a row of a release", " MB")]


if __name__ == "__main__":
    sys.exit(main())
