"""Trees of kspan learn: judged, written and told."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kspan.cli.learned import Made
from kspan.errors import PolicyError

if TYPE_CHECKING:
    import polars as pl

    from kspan.cli.learn import LearnRequest
    from kspan.induce.methods import Learner
    from kspan.model.tree.model import Tree
    from kspan.policy import Policy
    from kspan.publish import Judged

COUNTS = "counts"
"""What trees tell unless said otherwise."""


def check_told(asked: "LearnRequest", learner: "Learner") -> None:
    """Refuse --disclose for models without nodes, and --table for methods that keep no requirement."""
    from kspan.frames.files import check_writable
    from kspan.induce.methods import PRIVATE_METHODS, TREE_METHODS
    from kspan.model.outcome import NUMBER_DISCLOSURES

    said = f"--disclose {asked.disclose}"
    if asked.disclose != COUNTS and asked.method not in TREE_METHODS:
        raise PolicyError(f"{said} is about the nodes of trees, and {asked.method} grows none: leave it out")
    if asked.table is None:
        return
    if not learner.keeps_requirement:
        private = ", ".join(name for name in TREE_METHODS if name in PRIVATE_METHODS)
        raise PolicyError(
            f"--table needs a method that keeps the requirement, which {asked.method} does not: use {private}"
        )
    if asked.disclose not in (COUNTS, *NUMBER_DISCLOSURES):
        raise PolicyError(f"--table tells the label of each person, which {said} holds back: leave out one of them")
    check_writable(asked.table)


def written_tree(tree: "Tree", people: "pl.DataFrame", policy: "Policy", asked: "LearnRequest") -> Made:
    """Judge a tree that is to keep the requirement, and write it with its table; write any other as it is."""
    from kspan.induce.methods import GROUPING, PRIVATE_METHODS
    from kspan.induce.vetoes import sentences, vetoes
    from kspan.model.models import save_model
    from kspan.model.tree.paths import text
    from kspan.publish import judged_tree, published, write_judged

    output, table = asked.output, asked.table
    disclosure = _disclosure(tree, asked)
    files: dict[Path, Judged] = {}
    if asked.method in PRIVATE_METHODS:
        files[output] = judged_tree(tree, people, policy, disclosure=disclosure)
    if table is not None:
        files[table] = _judged_table(tree, people, policy, asked)
    write_judged(files)
    # A tree that promises nothing is not judged, and --table was refused for it.
    if not files:
        save_model(tree.disclosing(disclosure), output)
    written = published(files[output]) if output in files else tree.disclosing(disclosure)
    wrote = tuple(f"Wrote {path}: it keeps {policy.require}." for path in files)
    unjudged = f"Wrote {output}: it makes no promise; do not release it before kspan audit says so."
    audit = files[output].audit if output in files else None

    found = vetoes(people, policy, also=asked.also or ()) if asked.method in PRIVATE_METHODS else ()

    def facts() -> dict[str, Any]:
        beside = None if table is None else {"output": str(table), "audit": files[table].audit.as_dict()}
        told = {"leaves": len(written.leaves), "audit": audit and audit.as_dict(), "table": beside}
        return {**told, "vetoes": [each.facts() for each in found]}

    def shown() -> str:
        notes = sentences(found, groups=asked.method in GROUPING)
        return "\n\n".join((text(written, depth=asked.depth), *(["\n".join(notes)] if notes else []), ""))

    return Made(written, audit, wrote or (unjudged,), facts, shown)


def _disclosure(tree: "Tree", asked: "LearnRequest") -> str:
    """Return what the tree is to tell; refuse what is about labels of a tree of numbers, and the reverse."""
    from kspan.model.outcome import DISCLOSURES, NUMBER_DISCLOSURES

    if tree.is_of_numbers and asked.disclose == COUNTS:
        return tree.disclosure
    known = NUMBER_DISCLOSURES if tree.is_of_numbers else DISCLOSURES
    if asked.disclose not in known:
        what = "numbers" if tree.is_of_numbers else "labels"
        raise PolicyError(
            f"--disclose {asked.disclose} does not go with a tree that predicts {what}: use {', '.join(known)}"
        )
    return asked.disclose


def _judged_table(tree: "Tree", people: "pl.DataFrame", policy: "Policy", asked: "LearnRequest") -> "Judged":
    """Return what a tree tells of its people as a table, judged like any other table."""
    from kspan.ledger.ledger import current_ledger
    from kspan.model.tree.equivalent import equivalent_frame
    from kspan.publish import judged_table

    assert asked.table is not None
    remedy = (
        "neither was the tree: leave out --table, or name the target where the requirement is about private "
        f"values ([require.{policy.target}])"
    )
    shown = equivalent_frame(tree.disclosing(_disclosure(tree, asked)), people, policy)
    what, keep_formulas = "the equivalent table", asked.keep_formulas
    # A ledger must know whom the table tells of.
    behind = None if current_ledger(policy) is None else people
    return judged_table(
        shown, policy, asked.table, people=behind, what=what, remedy=remedy, keep_formulas=keep_formulas
    )
