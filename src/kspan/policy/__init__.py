"""What the owner decides: who may know each column, and what every group must satisfy."""

from kspan.policy.policy import Policy, PolicyLike, people_and_policy

__all__ = ["Policy", "PolicyLike", "people_and_policy"]
