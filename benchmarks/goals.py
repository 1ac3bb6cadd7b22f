"""What all benchmarks share: work done in turn, ratios beside goals, and how both are told."""

import gc
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Literal

Work = Callable[[], object]
Clock = Callable[[], float]


@dataclass(frozen=True)
class Result:
    """One figure beside its goal: a ratio unless it says so; None where it could not be measured, or has no goal."""

    what: str
    ratio: float | None
    wanted: Literal["at least", "at most"]
    goal: float | None
    context: str
    unit: str = "x"

    @property
    def reached(self) -> bool:
        """Is the ratio on the good side of the goal?"""
        if self.goal is None:
            return True
        if self.ratio is None:
            return False
        return self.ratio >= self.goal if self.wanted == "at least" else self.ratio <= self.goal

    def __str__(self) -> str:
        ratio = "unmeasured" if self.ratio is None else f"{self.ratio:,.{0 if self.ratio > 50 else 2}f}{self.unit}"
        verdict = "reached" if self.reached else "MISSED"
        goal = "" if self.goal is None else f"goal {self.wanted} {self.goal:g}{self.unit}: {verdict:<7}"
        return f"{self.what:<62} {ratio:>10}  {goal:<30}  ({self.context})"


def told(results: Sequence[Result]) -> int:
    """Print results and how many goals are missed; gives the exit code."""
    print(*results, sep="\n")
    goals = [result for result in results if result.goal is not None]
    missed = sum(not result.reached for result in goals)
    print(f"\n{missed} of {len(goals)} goals missed" if missed else f"\nall {len(goals)} goals reached")
    return 1 if missed else 0


def alternate(ours: Work, theirs: Work, rounds: int, *, clock: Clock = perf_counter) -> list[tuple[float, float]]:
    """Seconds of both, round by round, after one round that does not count; who begins changes with every round."""
    times = []
    for turn in range(1 + rounds):
        if turn % 2:
            begun = seconds(ours, clock)
            times.append((begun, seconds(theirs, clock)))
        else:
            begun = seconds(theirs, clock)
            times.append((seconds(ours, clock), begun))
    return times[1:]


def compared(what: str, times: Sequence[tuple[float, float]], goal: float | None) -> Result:
    """The median of the rounds' ratios beside what it should be at most."""
    ratios = [ours / theirs for ours, theirs in times]
    ours, theirs = (median(side) for side in zip(*times, strict=True))
    context = f"rounds {min(ratios):.2f} to {max(ratios):.2f}; {in_ms(ours)}, {in_ms(theirs)}"
    return Result(what, median(ratios), "at most", goal, context)


def seconds(work: Work, clock: Clock = perf_counter) -> float:
    """How long one call takes, without the time to free what it made."""
    gc.collect()
    begin = clock()
    made = work()
    elapsed = clock() - begin
    del made
    return elapsed


def in_ms(duration: float) -> str:
    """Seconds as they are told."""
    return f"{1e3 * duration:,.0f} ms"


def say(step: str) -> None:
    """Tell on stderr what is going on."""
    print(f"... {step}", file=sys.stderr, flush=True)
