"""The front door of the judge: a table or a model, with or without its people."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kspan.audit.findings import Audit
from kspan.audit.function.judge import audit_function
from kspan.audit.models import audit_model
from kspan.audit.table.judge import Progress, audit_table
from kspan.audit.table.kinds import audit_rows, needs_rows
from kspan.audit.together.judge import Beside, Judged, audit_together
from kspan.data.prepared import prepared, without_target_of_dates
from kspan.engines.given import lazy_rows
from kspan.engines.rows import Rows
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.function.parts import is_function
from kspan.model.kinds import given_model
from kspan.policy import Policy, PolicyLike, people_and_policy
from kspan.policy.private_numbers import check_alone
from kspan.privacy.requirement import Requirement


def audit(
    release: Any,
    people: Any = None,
    policy: PolicyLike | None = None,
    *,
    require: Requirement | str | None = None,
    beside: Sequence[Any] = (),
    population: Any = None,
    show: int = 5,
    progress: Progress = lambda step: None,
) -> Audit:
    """Replay the linking attack: `audit(table, policy)`, `audit(table, people, policy)`, `audit(tree, people, policy)`.

    A table, the people that a release was made from and a `population` are dataframes (pandas, polars, pyarrow) or
    paths of files; lazy frames of polars and relations of DuckDB are counted where they are. A tree is a `Tree`, the
    path of a model, or a fitted `DecisionTreeClassifier` of scikit-learn; the policy is a `Policy` or the path of one.
    What `kspan.anonymize` made needs no policy: `audit(release)`, or `audit(release, people)`. With the people of a
    table, what they match is counted exactly, not only its groups.
    Without its people a tree is judged by what it publishes: `audit(tree)` by its claim, or by what you `require`.
    Releases of any kinds that others hold `beside` it are judged together with it: each is a release, or a `Beside` (or
    a tuple) of a release, its own people and its own policy. People are matched by the policy's `person` or only
    identifier, or by what a `Beside` says. `show` says how many of the smallest and of the failing groups are listed.

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["F", "F", "M"], "income": ["low", "high", "low"]})
    >>> audit(people, Policy(public=["sex"], private=["income"], require="k=2"))
    Audit(k=2 does not hold: 3 people in 2 groups, k=1)
    """
    asked = release if isinstance(release, Beside) else Beside(release, people, policy)
    judging = Judging(require, population, show, progress)
    if beside:
        if population is not None:
            raise PolicyError(
                "a population is linked to one table, and several releases are judged here: leave it out (--population)"
            )
        return judging.together(asked, [_beside(other) for other in beside])
    return judging.alone(asked)[0]


@dataclass(frozen=True)
class Judging:
    """How releases are judged."""

    require: Requirement | str | None
    population: Any
    show: int
    progress: Progress

    def alone(self, asked: Beside) -> tuple[Audit, Any, Policy | None]:
        """Judge one release; returns also the people and the policy that it was judged by."""
        release, people, policy = asked.release, asked.people, asked.policy
        if isinstance(people, Policy) and policy is None:
            # `audit(table, policy)`: the policy stands in the place of the people.
            people, policy = None, people
        if isinstance(own := getattr(release, "policy", None), Policy):
            # What `anonymize` made brings its policy; one that is given goes before it.
            if people is not None:
                people = release.shown_of(prepared(load(people), release.asked)[0])
            if own.person and release.behind is not None and (people is None or people.equals(release.people)):
                people = release.behind  # the rows that are in it: without them, rows would be counted
            release, policy = release.table, policy or own
        people, policy = people_and_policy(people, policy)
        if (rows := lazy_rows(release)) is not None:
            return self._of_rows(rows, people, policy)
        if (model := given_model(release, with_people=people is not None)) is not None:
            if self.population is not None:
                raise PolicyError(
                    "a population is linked to the rows of a table, and a model has none: leave it out (--population)"
                )
            return audit_model(model, people, policy, require=self.require, show=self.show), people, policy
        if is_function(release):
            if people is None or policy is None:
                raise PolicyError(
                    "a function is judged by people, and by a policy that says who may know what: give both"
                )
            if self.population is not None:
                raise PolicyError("a function is judged by itself: leave out the population")
            return audit_function(release, people, self._requiring(policy), show=self.show), people, policy
        if policy is None:
            raise PolicyError("a table needs the policy that says who may know what: give it, too")
        behind = None if people is None else load(people)
        judged = policy if behind is None else without_target_of_dates(behind, policy)
        found = audit_table(release, behind, self._requiring(judged), self.population, self.show, self.progress)
        return found, people, policy

    def _of_rows(self, release: Rows, people: Any, policy: Policy | None) -> tuple[Audit, Any, Policy | None]:
        """Judge a table where it is; where its rows must be told apart, in memory."""
        if policy is None:
            raise PolicyError("a table needs the policy that says who may know what: give it, too")
        if needs_rows(policy) is not None:
            return self.alone(Beside(release.whole(), people, policy))
        behind = None if people is None else lazy_rows(people) or load(people)
        found = audit_rows(release, behind, self._requiring(policy), self.population, self.show, self.progress)
        return found, people, policy

    def together(self, first: Beside, others: Sequence[Beside]) -> Audit:
        """Judge several releases together; whatever is not said of one is as it is for the first."""
        people, policy = people_and_policy(first.people, first.policy)
        first = replace(first, people=people, policy=policy)
        tables = Tables()
        judged = [self._one_of(one, first, tables, place) for place, one in enumerate((first, *others), 1)]
        return audit_together(judged, show=self.show)

    def _one_of(self, one: Beside, first: Beside, tables: "Tables", place: int) -> Judged:
        """Judge one of several releases by itself."""
        name = one.name or (
            Path(one.release).name if isinstance(one.release, str | os.PathLike) else f"release {place}"
        )
        self.progress(f"judging {name}")
        own = getattr(one.release, "policy", None)
        policy = one.policy or (own if isinstance(own, Policy) else first.policy)
        check_alone(getattr(one.release, "asked", policy))
        people = one.people
        if people is None:
            people = one.release.rows_released if isinstance(own, Policy) else first.people
        source, frame = tables.read(people)
        # A policy of its own has a requirement of its own.
        judging = self if policy is first.policy else replace(self, require=None)
        lazy = lazy_rows(one.release)
        release = one.release if lazy is None else lazy.whole()
        found, given, said = judging.alone(Beside(release, frame, policy))
        if said is None:
            raise PolicyError("several releases are judged by people and by a policy: give both (--data, --policy)")
        rows, require = None if given is None else prepared(load(given), said)[0], judging._requiring(said).require
        return Judged(name, found, rows, said, require, source, one.match)

    def _requiring(self, policy: Policy) -> Policy:
        # A text is read by the policy.
        return policy if self.require is None else replace(policy, require=self.require)  # type: ignore[arg-type]


class Tables:
    """Tables of people, each read once, so that rows of one table are known to be the same people."""

    def __init__(self) -> None:
        self.given: list[Any] = []
        self.frames: list[Any] = []

    def read(self, people: Any) -> tuple[int, Any]:
        """Return the number of a table, and the table."""
        for number, known in enumerate(self.given):
            if known is people:
                return number, self.frames[number]
        self.given.append(people)
        self.frames.append(None if people is None else load(people))
        return len(self.given) - 1, self.frames[-1]


def _beside(given: Any) -> Beside:
    if isinstance(given, Beside):
        return given
    return Beside(*given) if isinstance(given, tuple) else Beside(given)
