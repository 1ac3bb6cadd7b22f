"""What kspan learn made: written, and told."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kspan.cli.log import notice
from kspan.cli.options import tell_report
from kspan.cli.output import page, tell, tell_json

if TYPE_CHECKING:
    from kspan.audit.findings import Audit
    from kspan.cli.learn import LearnRequest
    from kspan.evaluate.held_out import HeldOut
    from kspan.model.predictor import Predictor
    from kspan.policy import Policy


@dataclass(frozen=True)
class Made:
    """A model that was written, its audit if it was judged, and what to tell of it."""

    model: Any
    audit: "Audit | None"
    wrote: tuple[str, ...]
    """What was written, one sentence for each file."""
    # Functions, since only one of the two is told, and both may be long.
    facts: Callable[[], dict[str, Any]]
    """What to tell a program (--json)."""
    text: Callable[[], str]
    """What to tell a person."""
    held_out: "HeldOut | None" = None
    """How well people are predicted who were not learned from, if that was measured."""

    @property
    def is_tree(self) -> bool:
        """Was it judged as a tree?"""
        return self.audit is not None and self.audit.kind == "tree"


def tell_made(made: Made, asked: "LearnRequest", policy: "Policy") -> int:
    """Tell what was written, and return the exit code."""
    from kspan.induce.methods import LEARNERS
    from kspan.report.foretold import foretold, warned

    for sentence in made.wrote:
        notice(sentence)
    tell_report(asked.report)
    found = made.held_out
    if found is not None and (warning := warned(found)) is not None:
        notice(warning)
    if asked.json:
        others = _of_others(found) if LEARNERS[asked.method].predicts else {}
        tell_json({"output": str(asked.output), "method": asked.method, **made.facts(), **others})
        return 0
    tell(made.text())
    if found is not None:
        tell(f"{foretold(found, named=True)}\n\n")
    if made.audit is not None:
        from kspan.report.text import print_audit

        with page() as console:
            print_audit(made.audit, policy.public, console)
    return 0


def _of_others(found: "HeldOut | None") -> dict[str, Any]:
    """Return what a program is told of people who were not learned from: null, and why, if that was not measured."""
    if found is None or not found.is_known:
        return {"held_out": None, "held_out_reason": "it was not asked for" if found is None else found.reason}
    return {"held_out": found.as_dict()}


def written_model(model: "Predictor", asked: "LearnRequest") -> Made:
    """Write a model that makes no promise."""
    from kspan.model.lists.model import DecisionList
    from kspan.model.models import save_model

    save_model(model, asked.output)
    wrote = f"Wrote {asked.output}: it makes no promise; release it only if what it was learned from may be released."
    facts = {"labels": list(model.labels), "audit": None, "table": None}
    shown = model if isinstance(model, DecisionList) else repr(model)
    return Made(model, None, (wrote,), lambda: facts, lambda: f"{shown}\n")
