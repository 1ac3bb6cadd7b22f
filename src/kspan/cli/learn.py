"""kspan learn: mine a model that keeps the requirement."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from kspan.cli.options import (
    Columns,
    Delimiter,
    Encoding,
    Json,
    PolicyFile,
    check_apart,
    check_word,
    dialect,
)
from kspan.cli.output import page, progress, tell, tell_json
from kspan.errors import FileError, PolicyError, check_number

FLAGS = {
    "score": ("--score",),
    "min_rows": ("--min-rows",),
    "confidence_factor": ("--confidence-factor",),
    "prune": ("--prune", "--no-prune"),
    "subtree_raising": ("--raising", "--no-raising"),
}
"""How options of methods are typed; those that are yes or no have a word for each."""


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
        typer.Option(help="How hard C4.5 prunes, from 0.0001 to 0.5: less is harder; 0.25 unless said."),
    ] = None,
    prune: Annotated[bool | None, typer.Option("--prune/--no-prune", help="Does C4.5 prune its tree? It does.")] = None,
    subtree_raising: Annotated[
        bool | None,
        typer.Option("--raising/--no-raising", help="May pruning put a branch in the place of its node? Of c45 only."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(help="Write what the tree tells of each person as a table, too (.csv, .parquet, ...)."),
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
    from kspan.frames.files import read_table
    from kspan.induce.methods import PRIVATE_METHODS
    from kspan.induce.methods import learn as induce
    from kspan.model.equivalent import told
    from kspan.model.outcome import DISCLOSURES
    from kspan.model.paths import text
    from kspan.model.release import TreeRelease
    from kspan.model.store import save_tree
    from kspan.policy import Policy
    from kspan.publish import judged_table, judged_tree, write_judged
    from kspan.report.text import print_audit

    given = {
        "score": score,
        "min_rows": min_rows,
        "confidence_factor": confidence_factor,
        "prune": prune,
        "subtree_raising": subtree_raising,
    }
    options = {name: value for name, value in given.items() if value is not None}
    _check_options(method, options)
    check_word("--disclose", disclose, DISCLOSURES)
    _check_outputs(output, table, method, disclose)
    check_apart({"-o": output, "--table": table}, data, policy)
    rules = Policy.load(policy)
    with progress() as step:
        step(f"reading {data.name}")
        people = read_table(data, dialect(delimiter, encoding, columns))
        step("growing the tree")
        tree = induce(people, rules, method, **options).disclosing(disclose)
        step("judging it")
        files = {}
        if method in PRIVATE_METHODS:
            files[output] = judged_tree(tree, people, rules, disclosure=disclose)
        if table is not None:
            remedy = (
                "neither was the tree: leave out --table, or name the target where the requirement is about private "
                f"values ([require.{rules.target}])"
            )
            shown = told(tree, people, rules)
            files[table] = judged_table(shown, rules, table, what="the equivalent table", remedy=remedy)
        write_judged(files)
        if not files:
            save_tree(TreeRelease(tree), output)
    for path in files:
        print(f"Wrote {path}: it keeps {rules.require}.", file=sys.stderr)
    if not files:
        print(f"Wrote {output}: it makes no promise; do not release it before kspan audit says so.", file=sys.stderr)
    found = {path: judged.audit for path, judged in files.items()}
    if json:
        audits = {path: audit.as_dict() for path, audit in found.items()}
        beside = None if table is None else {"output": str(table), "audit": audits[table]}
        made = {"output": str(output), "method": method, "leaves": len(tree.leaves), "audit": audits.get(output)}
        tell_json({**made, "table": beside})
        return 0
    tell(text(tree, depth=depth) + "\n\n")
    if output in found:
        with page() as console:
            print_audit(found[output], rules.public, console)
    return 0


def _check_options(method: str, options: Mapping[str, Any]) -> None:
    """Refuse what a method does not take, in the words of the command line and before the data is read."""
    from kspan.induce.methods import METHODS, options_of
    from kspan.induce.worth import SCORES

    check_word("-m", method, METHODS)
    known = options_of(method)
    for name, value in options.items():
        if name not in known:
            typed = FLAGS[name][-1] if value is False else FLAGS[name][0]
            possible = ", ".join(flag for one in known for flag in FLAGS[one])
            raise PolicyError(f"-m {method} does not take {typed}: leave it out, or use {possible}")
    if "score" in options:
        check_word("--score", options["score"], SCORES)
    if "confidence_factor" in options:
        check_number("--confidence-factor", options["confidence_factor"], low=1e-4, high=0.5)


def _check_outputs(output: Path, table: Path | None, method: str, disclose: str) -> None:
    """Refuse files that cannot be written, or must not be, before long work begins."""
    from kspan.frames.files import check_place, check_writable, is_table_name
    from kspan.induce.methods import METHODS, PRIVATE_METHODS

    if is_table_name(output):
        raise FileError(f"-o {output} has the name of a table, but a model is JSON: end it in .json")
    check_place(output)
    if table is None:
        return
    if method not in PRIVATE_METHODS:
        private = ", ".join(name for name in METHODS if name in PRIVATE_METHODS)
        raise PolicyError(f"--table needs a method that keeps the requirement, which {method} does not: use {private}")
    if disclose != "counts":
        raise PolicyError(
            f"--table tells the label of each person, which --disclose {disclose} holds back: leave out one of them"
        )
    check_writable(table)
