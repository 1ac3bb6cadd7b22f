"""kspan share pseudo and merge: the miner's side, one model of the trees of many owners."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from kspan.cli.log import notice
from kspan.cli.options import (
    Json,
    KeepFormulas,
    ReportFile,
    check_report_file,
    check_word,
    save_report,
    tell_report,
)
from kspan.cli.output import progress, tell, tell_json
from kspan.cli.share.options import (
    Depth,
    Generator,
    Labels,
    Marginals,
    Numbers,
    Output,
    Rows,
    Seed,
    Trees,
    Values,
    check_model_name,
    check_trees_apart,
    drawing,
)
from kspan.frames.commit import together

if TYPE_CHECKING:
    from kspan.model.kinds import Model

PSEUDO_IS_NO_RELEASE = (
    "Pseudo-data is for the miner who made it: it shows no person, but it is not itself anonymized, so do not publish "
    "it in the place of the trees."
)


@dataclass(frozen=True)
class PseudoRequest:
    """The arguments and options of kspan share pseudo."""

    trees: Trees
    output: Output
    generator: Annotated[
        str, typer.Option("--method", "-m", help="pgen (from the paths of the trees) or basegen (at random).")
    ] = "pgen"
    rows: Rows = None
    values: Values = "even"
    numbers: Numbers = "cells"
    labels: Labels = "exact"
    marginals: Marginals = True
    seed: Seed = None
    keep_formulas: KeepFormulas = False
    json: Json = False


@dataclass(frozen=True)
class MergeRequest:
    """The arguments and options of kspan share merge."""

    trees: Trees
    output: Output
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="A learner that keeps no requirement, as for kspan learn -m; bagging lets the trees vote.",
        ),
    ] = "c45"
    generator: Generator = "pgen"
    rows: Rows = None
    values: Values = "even"
    numbers: Numbers = "cells"
    labels: Labels = "exact"
    marginals: Marginals = True
    min_rows: Annotated[
        int | None, typer.Option(min=1, help="People that at least two branches of a split must have.")
    ] = None
    seed: Seed = None
    report: ReportFile = None
    depth: Depth = 3
    json: Json = False


def pseudo(asked: PseudoRequest) -> int:
    """Make people as TREES describe them, to learn from: pseudo-data for the miner."""
    from kspan.frames.files import check_writable, write_table
    from kspan.share.merging import Generator as Generated
    from kspan.share.merging import pseudo_data

    check_word("-m", asked.generator, get_args(Generated))
    check_writable(asked.output)
    check_trees_apart(asked.output, asked.trees)
    how = drawing(asked.values, asked.numbers, asked.labels, asked.marginals)
    with together(), progress() as step:
        step("reading the trees and making people")
        made = pseudo_data(asked.trees, method=asked.generator, rows=asked.rows, rng=asked.seed, **how)
        step(f"writing {asked.output.name}")
        write_table(made, asked.output, keep_formulas=asked.keep_formulas)
    # Told on stderr, so that --json leaves stdout to one object.
    notice(PSEUDO_IS_NO_RELEASE)
    if asked.json:
        facts = {"rows": made.height, "columns": made.columns, "method": asked.generator}
        tell_json({"output": str(asked.output), **facts})
    else:
        tell(f"Wrote {asked.output}: {made.height:,} pseudo people with {made.width} columns.\n")
    return 0


def merge(asked: MergeRequest) -> int:
    """Make one model of TREES: learned from pseudo-data that they describe, or by the votes of all."""
    from kspan.model.models import name_of, save_model
    from kspan.share.merging import MERGERS, merge_trees
    from kspan.share.merging import Generator as Generated

    check_word("-m", asked.method, MERGERS)
    check_word("--generator", asked.generator, get_args(Generated))
    check_model_name(asked.output)
    check_report_file(asked.report)
    check_trees_apart(asked.output, asked.trees, asked.report)
    options: dict[str, Any] = {} if asked.min_rows is None else {"min_rows": asked.min_rows}
    options |= drawing(asked.values, asked.numbers, asked.labels, asked.marginals)
    with together(), progress() as step:
        step("reading the trees and learning from what they describe")
        model = merge_trees(
            asked.trees, asked.method, generator=asked.generator, rows=asked.rows, rng=asked.seed, **options
        )
        save_model(model, asked.output)
        if asked.report is not None:
            from kspan.report.making import merged_summary

            save_report(merged_summary(model, asked.method, path=asked.output), asked.report)
    tell_report(asked.report)
    notice(
        f"Wrote {asked.output}: a {name_of(model)}, made of published trees alone, so that it tells no more of anyone "
        "than they do."
    )
    _tell(model, asked)
    return 0


def _tell(model: "Model", asked: MergeRequest) -> None:
    from kspan.model.lists.model import DecisionList
    from kspan.model.tree.model import Tree
    from kspan.model.tree.paths import text

    if asked.json:
        tell_json({"output": str(asked.output), "method": asked.method, "labels": list(model.labels)})
    elif isinstance(model, Tree):
        tell(text(model, depth=asked.depth) + "\n")
    else:
        tell(f"{model if isinstance(model, DecisionList) else repr(model)}\n")
