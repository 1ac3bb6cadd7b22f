"""The judge: it recomputes everything from the release and the people's public values, and uses no maker's code."""

from kspan.audit.audit import audit
from kspan.audit.findings import Audit

__all__ = ["Audit", "audit"]
