"""A new release beside earlier ones: judged is what it adds, since what has left cannot be called back."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kspan.audit.seen import ABSENT
from kspan.audit.together.spans import Joint, JointSpans
from kspan.data.arrays import Bools
from kspan.privacy.requirement import Requirement


@dataclass(frozen=True, repr=False)
class LaterSpans(JointSpans):
    """The joint spans of a new release, which comes first, and of earlier ones.

    A crowd of which nobody is in the new release is told apart by it from nobody, and nothing new is told of it. So it
    is as it was, even if less was required then.
    """

    @cached_property
    def untouched(self) -> Bools:
        """The joint spans of which the new release tells nothing."""
        if len(self.releases) == 1:
            return np.zeros(len(self.joint.sizes), bool)
        earlier = Joint.of(self.releases[1:], self.everybody)
        is_new = self.joint.of_each[0][self.joint.span] != ABSENT
        touched = np.zeros(len(earlier.sizes), bool)
        touched[earlier.span[is_new]] = True
        untouched = np.zeros(len(self.joint.sizes), bool)
        untouched[self.joint.span] = ~touched[earlier.span]
        return untouched

    def holds(self, part: Requirement) -> Bools:
        """Tell which joint spans satisfy one part of the requirement, or are as they were."""
        return super().holds(part) | self.untouched
