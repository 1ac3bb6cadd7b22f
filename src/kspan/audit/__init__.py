"""The judge: recomputes everything from the release and the people's public values, and knows no maker."""

from kspan.audit.audit import audit
from kspan.audit.findings import Audit

__all__ = ["Audit", "audit"]
