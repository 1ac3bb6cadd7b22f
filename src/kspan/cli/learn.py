"""kspan learn: mine a model that keeps the requirement."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from kspan.cli.options import Columns, Delimiter, Encoding, Json, PolicyFile, dialect
from kspan.cli.output import page, progress, tell, tell_json


def learn(
    data: Annotated[
        Path, typer.Argument(help="The people to learn from: CSV, Parquet, Arrow or Feather; - for stdin.")
    ],
    policy: PolicyFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model, as JSON.")],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="kadet and kadet-c45 keep the requirement; id3 and c45 promise nothing.",
            metavar="METHOD",
        ),
    ] = "kadet",
    score: Annotated[
        str | None, typer.Option(help="information-gain (default), gain-ratio or gini; of kadet and id3.")
    ] = None,
    min_rows: Annotated[
        int | None,
        typer.Option(min=1, help="People that at least two branches of a split must have; 1, or 2 for C4.5."),
    ] = None,
    confidence_factor: Annotated[
        float | None,
        typer.Option(min=1e-4, max=0.5, help="How hard C4.5 prunes: less is harder; 0.25 unless said."),
    ] = None,
    prune: Annotated[bool | None, typer.Option("--prune/--no-prune", help="Does C4.5 prune its tree? It does.")] = None,
    subtree_raising: Annotated[
        bool | None,
        typer.Option("--raising/--no-raising", help="May pruning put a branch in the place of its node? Of c45 only."),
    ] = None,
    disclose: Annotated[
        str, typer.Option(help="What to tell at each node: counts, hit-miss, shares or label.")
    ] = "counts",
    depth: Annotated[int, typer.Option(min=0, help="How deep to print the tree.")] = 3,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
) -> int:
    """Learn a decision tree for the policy's target from DATA, and write it if it holds."""
    from kspan.frames.files import check_folder, read_table
    from kspan.induce.methods import PRIVATE_METHODS
    from kspan.induce.methods import learn as induce
    from kspan.model.outcome import disclosure_named
    from kspan.model.paths import text
    from kspan.model.release import TreeRelease
    from kspan.model.store import save_tree
    from kspan.policy import Policy
    from kspan.publish import publish_tree
    from kspan.report.text import print_audit

    given = {
        "score": score,
        "min_rows": min_rows,
        "confidence_factor": confidence_factor,
        "prune": prune,
        "subtree_raising": subtree_raising,
    }
    options = {name: value for name, value in given.items() if value is not None}
    rules = Policy.load(policy)
    disclosure = disclosure_named(disclose)
    check_folder(output)
    with progress() as step:
        step(f"reading {data.name}")
        people = read_table(data, dialect(delimiter, encoding, columns))
        step("growing the tree")
        tree = induce(people, rules, method, **options).disclosing(disclosure)
        step("judging it")
        found = None
        if method in PRIVATE_METHODS:
            found = publish_tree(tree, people, rules, output, disclosure=disclosure)
        else:
            save_tree(TreeRelease(tree), output)
    if found is None:
        print(f"Wrote {output}: it makes no promise; do not release it before kspan audit says so.", file=sys.stderr)
    if json:
        audit = None if found is None else found.as_dict()
        tell_json({"output": str(output), "method": method, "leaves": len(tree.leaves), "audit": audit})
        return 0
    tell(text(tree, depth=depth) + "\n\n")
    if found is not None:
        with page() as console:
            print_audit(found, rules.public, console)
    return 0
