"""Releases that came one after the other: each promised something to the people in it, and that must stay true."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from kspan.audit.seen import ABSENT
from kspan.audit.together.spans import Joint, JointSpans
from kspan.data.arrays import Bools
from kspan.privacy.requirement import Requirement, all_of


@dataclass(frozen=True, repr=False)
class PromisedSpans(JointSpans):
    """Joint spans that must satisfy what was promised to their people: by each release that these are in."""

    @property
    def promised(self) -> Requirement:
        """All that any of the releases promised."""
        return all_of(release.promise for release in self.releases if release.promise)

    def holds(self, part: Requirement) -> Bools:
        """Tell which joint spans satisfy a part of what was promised, or were not promised it."""
        asked = np.zeros(len(self.joint.sizes), bool)
        for release, spans in zip(self.releases, self.joint.of_each, strict=True):
            if release.promise is None or str(part) in map(str, release.promise.parts):
                asked |= spans != ABSENT
        return super().holds(part) | ~asked


@dataclass(frozen=True, repr=False)
class LaterSpans(PromisedSpans):
    """The joint spans of a new release, which comes first, and of earlier ones.

    A crowd of which nobody is in the new release is told apart by it from nobody, and nothing new is told of it. So it
    is as it was.
    """

    @cached_property
    def earlier(self) -> Joint:
        """What the earlier releases let anybody tell."""
        return Joint.of(self.releases[1:], self.everybody)

    @cached_property
    def joint(self) -> Joint:
        """The joint span of every person: that in the earlier releases, divided by the new one."""
        if len(self.releases) == 1 or any(release.several for release in self.releases):
            return super().joint  # how many rows people have is told by all releases together
        return self.earlier.divided(self.releases[0], self.weights)

    @cached_property
    def untouched(self) -> Bools:
        """The joint spans of which the new release tells nothing."""
        if len(self.releases) == 1:
            return np.zeros(len(self.joint.sizes), bool)
        earlier = self.earlier
        is_new = self.joint.of_each[0][self.joint.span] != ABSENT
        touched = np.zeros(len(earlier.sizes), bool)
        touched[earlier.span[is_new]] = True
        untouched = np.zeros(len(self.joint.sizes), bool)
        untouched[self.joint.span] = ~touched[earlier.span]
        return untouched

    def holds(self, part: Requirement) -> Bools:
        """Tell which joint spans satisfy a part of what was promised, or are as they were."""
        return super().holds(part) | self.untouched

    def with_one(self, place: int) -> "LaterSpans":
        """The new release beside one of the others."""
        return replace(self, releases=(self.releases[0], self.releases[place]))


def given_away(spans: JointSpans, require: Requirement) -> Bools:
    """Tell which people are in joint spans that break a requirement."""
    good = np.logical_and.reduce([spans.holds(part) for part in require.parts])
    bad: Bools = ~good[spans.joint.span]
    return bad
