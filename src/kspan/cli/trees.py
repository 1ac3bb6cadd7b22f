"""Trees of kspan learn: judged, written and told."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kspan.cli.output import page, tell, tell_json

if TYPE_CHECKING:
    import polars as pl

    from kspan.audit.findings import Audit
    from kspan.model.tree import Tree
    from kspan.policy import Policy


@dataclass(frozen=True)
class WrittenTree:
    """A tree that was written, and the judge's word on the files that were judged."""

    tree: "Tree"
    output: Path
    table: Path | None
    audits: Mapping[Path, "Audit"]


def written_tree(
    tree: "Tree",
    people: "pl.DataFrame",
    rules: "Policy",
    method: str,
    output: Path,
    table: Path | None,
    *,
    disclosure: str,
    keep_formulas: bool,
) -> WrittenTree:
    """Judge a tree that is to keep the requirement, and write it with its table; write any other as it is."""
    from kspan.induce.methods import PRIVATE_METHODS
    from kspan.model.equivalent import told
    from kspan.model.models import save_model
    from kspan.publish import judged_table, judged_tree, published, write_judged

    files = {}
    if method in PRIVATE_METHODS:
        files[output] = judged_tree(tree, people, rules, disclosure=disclosure)
    if table is not None:
        remedy = (
            "neither was the tree: leave out --table, or name the target where the requirement is about private "
            f"values ([require.{rules.target}])"
        )
        shown = told(tree.disclosing(disclosure), people, rules)
        what = "the equivalent table"
        files[table] = judged_table(shown, rules, table, what=what, remedy=remedy, keep_formulas=keep_formulas)
    write_judged(files)
    if not files:
        save_model(tree.disclosing(disclosure), output)
    written = published(files[output]) if output in files else tree.disclosing(disclosure)
    return WrittenTree(written, output, table, {path: judged.audit for path, judged in files.items()})


def tell_tree(made: WrittenTree, rules: "Policy", method: str, *, depth: int, json: bool) -> int:
    """Say what was written."""
    from kspan.model.paths import text
    from kspan.report.text import print_audit

    output, audits = made.output, made.audits
    for path in audits:
        print(f"Wrote {path}: it keeps {rules.require}.", file=sys.stderr)
    if not audits:
        print(f"Wrote {output}: it makes no promise; do not release it before kspan audit says so.", file=sys.stderr)
    if json:
        found = {path: audit.as_dict() for path, audit in audits.items()}
        beside = None if made.table is None else {"output": str(made.table), "audit": found[made.table]}
        said = {"output": str(output), "method": method, "leaves": len(made.tree.leaves), "audit": found.get(output)}
        tell_json({**said, "table": beside})
        return 0
    tell(text(made.tree, depth=depth) + "\n\n")
    if output in audits:
        with page() as console:
            print_audit(audits[output], rules.public, console)
    return 0
