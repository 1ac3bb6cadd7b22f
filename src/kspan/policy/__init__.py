"""What the owner decides: who may know each column, and what every group must satisfy."""

from kspan.policy.policy import Policy

__all__ = ["Policy"]
