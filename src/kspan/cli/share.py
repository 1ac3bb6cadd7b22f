"""kspan share: publish a tree that keeps the requirement, and make one model of the trees of many owners."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from kspan.cli.options import (
    Columns,
    Curve,
    Delimiter,
    Encoding,
    Json,
    KeepFormulas,
    PolicyFile,
    ReportFile,
    check_apart,
    check_report_file,
    check_word,
    dialect,
    save_report,
    tell_report,
)
from kspan.cli.output import page, progress, tell, tell_json
from kspan.errors import FileError, PolicyError
from kspan.frames.commit import together

if TYPE_CHECKING:
    from kspan.share.publishing import SharedTree

PSEUDO_IS_NO_RELEASE = (
    "Pseudo-data is for the miner who made it: it shows no person, but it is not itself anonymized, so do not publish "
    "it in the place of the trees."
)

share = typer.Typer(
    name="share", help="Publish a tree that keeps the requirement, and make one model of the trees of many owners."
)

Output = Annotated[Path, typer.Option("--output", "-o", help="Where to write it.")]
Trees = Annotated[
    list[str],
    typer.Argument(help="Trees that owners published: files, folders of them, or URLs (http, s3, ...)."),
]
Disclose = Annotated[str | None, typer.Option(help="What to tell at each node: counts, hit-miss, shares or label.")]
Merge = Annotated[
    str, typer.Option(help="How ATP chooses what to merge: rules (the paper's) or information (loses least).")
]
Information = Annotated[
    str | None,
    typer.Option(help="What ATP knows of merged labels: exact, or estimated from hit and miss as in the paper."),
]
Depth = Annotated[int, typer.Option(min=0, help="How deep to print the tree.")]
Generator = Annotated[
    str, typer.Option(help="pgen makes people from the paths of the trees, basegen labels people made at random.")
]
Rows = Annotated[
    int | None,
    typer.Option(min=1, help="How many people to make: as many as the trees tell of, or to learn from ten times that."),
]
Values = Annotated[str, typer.Option(help="How pgen draws values: even (in equal parts) or random.")]
Numbers = Annotated[
    str, typer.Option(help="How pgen draws numbers: cells, uniform, midpoint or endpoint of an interval.")
]
Labels = Annotated[str, typer.Option(help="How pgen draws labels: exact (in parts as told) or random.")]
Marginals = Annotated[
    bool,
    typer.Option("--marginals/--no-marginals", help="Draw as attributes spread, where owners published that."),
]
Seed = Annotated[int, typer.Option(min=0, help="Of what is left to chance.")]


@share.callback(invoke_without_command=True)
def about(context: typer.Context) -> None:
    """Publish a tree that keeps the requirement, and make one model of the trees of many owners."""
    if context.invoked_subcommand is None:
        tell(context.get_help())
        raise typer.Exit


@share.command()
def publish(
    data: Annotated[Path, typer.Argument(help="The people: CSV, Parquet, Arrow or Feather; - for stdin.")],
    policy: PolicyFile,
    output: Output,
    method: Annotated[
        str, typer.Option("--method", "-m", help="atp prunes a learned tree, ldm learns under the requirement.")
    ] = "atp",
    learner: Annotated[str, typer.Option(help="The tree that atp prunes: c45 or id3.")] = "c45",
    merge: Merge = "rules",
    information: Information = None,
    raising: Annotated[
        bool,
        typer.Option(
            "--raising/--no-raising", help="May atp put a branch in the place of the root? The paper's cannot."
        ),
    ] = True,
    min_rows: Annotated[
        int | None, typer.Option(min=1, help="People that at least two branches of a split must have.")
    ] = None,
    prune: Annotated[bool | None, typer.Option("--prune/--no-prune", help="Does c45 prune by errors first?")] = None,
    confidence_factor: Annotated[float | None, typer.Option(help="How hard: less is harder; 0.25 unless said.")] = None,
    disclose: Disclose = "counts",
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Tell also how attributes spread, as coarsely as is required.")
    ] = False,
    report: ReportFile = None,
    curve: Curve = False,
    depth: Depth = 3,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
) -> int:
    """Learn a tree from DATA, make it keep the requirement, judge it, and write it: nothing else leaves."""
    from kspan.frames.files import read_table
    from kspan.model.outcome import DISCLOSURES
    from kspan.policy import Policy
    from kspan.share.publishing import LEARNERS, METHODS, share_tree

    check_word("-m", method, METHODS)
    check_word("--learner", learner, LEARNERS)
    check_word("--disclose", str(disclose), DISCLOSURES)
    given: dict[str, Any] = {"min_rows": min_rows, "prune": prune, "confidence_factor": confidence_factor}
    options = {name: value for name, value in given.items() if value is not None}
    chosen = _pruning(merge, information)
    _check_tree_name(output)
    check_report_file(report, curve)
    check_apart({"-o": output, "--report": report}, data, policy)
    rules = Policy.load(policy)
    with together(), progress() as step:
        step(f"reading {data.name}")
        people = read_table(data, dialect(delimiter, encoding, columns))
        step("learning, pruning and judging a tree")
        made = share_tree(
            people,
            rules,
            method,
            learner=learner,
            disclosure=str(disclose),
            marginals=marginals,
            raising=raising,
            **chosen,
            **options,
        )
        made.save(output)
        if report is not None:
            from kspan.report.making import described

            how: dict[str, Any] = {"method": method, "options": options, "curve": curve, "progress": step}
            save_report(described(made.tree, made.audit, people, rules, path=output, **how), report)
    tell_report(report)
    return _told(made, output, depth=depth, json=json, public=rules.public)


@share.command()
def prune(
    model: Annotated[Path, typer.Argument(help="A tree that kspan wrote, from whomever.")],
    output: Output,
    require: Annotated[str | None, typer.Option(help="What every path must satisfy, for example 'k=10'.")] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="The policy, if the tree is judged by its people.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="The people that the tree was made from.")] = None,
    merge: Merge = "rules",
    information: Information = None,
    disclose: Disclose = None,
    report: ReportFile = None,
    depth: Depth = 3,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
) -> int:
    """Prune MODEL until every path satisfies what is required, judge it (by its people with --data), and write it."""
    from kspan.frames.files import read_table
    from kspan.model.outcome import DISCLOSURES
    from kspan.policy import Policy
    from kspan.share.publishing import prune_tree

    if disclose is not None:
        check_word("--disclose", disclose, DISCLOSURES)
    chosen = _pruning(merge, information)
    _check_tree_name(output)
    check_report_file(report)
    check_apart({"-o": output, "--report": report}, model, policy, data)
    if data is not None and policy is None:
        raise PolicyError("--data needs the policy that says what is known of these people: name it with -p")
    if require is None and policy is None:
        raise PolicyError("what the tree must satisfy is not said: use --require 'k=10', or a policy with -p")
    rules = None if policy is None else Policy.load(policy)
    with together(), progress() as step:
        step(f"reading {model.name}")
        people = None if data is None else read_table(data, dialect(delimiter, encoding, columns))
        step("pruning and judging it")
        made = prune_tree(model, require, people=people, policy=rules, disclosure=disclose, **chosen)
        made.save(output)
        if report is not None:
            from kspan.report.making import described

            save_report(described(made.tree, made.audit, people, rules, path=output, progress=step), report)
    tell_report(report)
    return _told(made, output, depth=depth, json=json, public=() if rules is None else rules.public)


@share.command()
def pseudo(
    trees: Trees,
    output: Output,
    generator: Annotated[
        str, typer.Option("--method", "-m", help="pgen (from the paths of the trees) or basegen (at random).")
    ] = "pgen",
    rows: Rows = None,
    values: Values = "even",
    numbers: Numbers = "cells",
    labels: Labels = "exact",
    marginals: Marginals = True,
    seed: Seed = 0,
    keep_formulas: KeepFormulas = False,
    json: Json = False,
) -> int:
    """Make people as TREES describe them, to learn from: pseudo-data for the miner."""
    from kspan.frames.files import check_writable, write_table
    from kspan.share.merging import Generator as Generated
    from kspan.share.merging import pseudo_data

    check_word("-m", generator, get_args(Generated))
    check_writable(output)
    _check_apart(output, trees)
    with together(), progress() as step:
        step("reading the trees and making people")
        made = pseudo_data(trees, method=generator, rows=rows, rng=seed, **_drawing(values, numbers, labels, marginals))
        step(f"writing {output.name}")
        write_table(made, output, keep_formulas=keep_formulas)
    print(PSEUDO_IS_NO_RELEASE, file=sys.stderr)
    if json:
        tell_json({"output": str(output), "rows": made.height, "columns": made.columns, "method": generator})
    else:
        tell(f"Wrote {output}: {made.height:,} pseudo people with {made.width} columns.\n")
    return 0


@share.command()
def merge(
    trees: Trees,
    output: Output,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="A learner that keeps no requirement, as for kspan learn -m; bagging lets the trees vote.",
        ),
    ] = "c45",
    generator: Generator = "pgen",
    rows: Rows = None,
    values: Values = "even",
    numbers: Numbers = "cells",
    labels: Labels = "exact",
    marginals: Marginals = True,
    min_rows: Annotated[
        int | None, typer.Option(min=1, help="People that at least two branches of a split must have.")
    ] = None,
    seed: Seed = 0,
    report: ReportFile = None,
    depth: Depth = 3,
    json: Json = False,
) -> int:
    """Make one model of TREES: learned from pseudo-data that they describe, or by the votes of all."""
    from kspan.model.lists.model import DecisionList
    from kspan.model.models import name_of, save_model
    from kspan.model.tree.model import Tree
    from kspan.model.tree.paths import text
    from kspan.share.merging import MERGERS, merge_trees
    from kspan.share.merging import Generator as Generated

    check_word("-m", method, MERGERS)
    check_word("--generator", generator, get_args(Generated))
    _check_tree_name(output)
    check_report_file(report)
    _check_apart(output, trees, report)
    options: dict[str, Any] = {} if min_rows is None else {"min_rows": min_rows}
    options |= _drawing(values, numbers, labels, marginals)
    with together(), progress() as step:
        step("reading the trees and learning from what they describe")
        model = merge_trees(trees, method, generator=generator, rows=rows, rng=seed, **options)
        save_model(model, output)
        if report is not None:
            from kspan.report.making import merged_summary

            save_report(merged_summary(model, method, path=output), report)
    tell_report(report)
    print(
        f"Wrote {output}: a {name_of(model)}, made of published trees alone, so that it tells no more of anyone than "
        "they do.",
        file=sys.stderr,
    )
    if json:
        tell_json({"output": str(output), "method": method, "labels": list(model.labels)})
    elif isinstance(model, Tree):
        tell(text(model, depth=depth) + "\n")
    else:
        tell(f"{model if isinstance(model, DecisionList) else repr(model)}\n")
    return 0


def _told(made: "SharedTree", output: Path, *, depth: int, json: bool, public: Any) -> int:
    """Say what was written."""
    from kspan.model.tree.paths import text
    from kspan.report.text import print_audit

    tree, audit = made.tree, made.audit
    if made.note is not None:
        print(f"Note: {made.note}.", file=sys.stderr)
    print(f"Wrote {output}: it keeps {audit.requirement}.", file=sys.stderr)
    if json:
        tell_json({"output": str(output), "leaves": len(tree.leaves), "note": made.note, "audit": audit.as_dict()})
        return 0
    tell(text(tree, depth=depth) + "\n\n")
    with page() as console:
        print_audit(audit, public, console)
    return 0


def _pruning(merge: str, information: str | None) -> dict[str, Any]:
    from kspan.induce.atp.atp import Information as Known
    from kspan.induce.atp.atp import Merge as Choice

    check_word("--merge", merge, get_args(Choice))
    if information is not None:
        check_word("--information", information, get_args(Known))
    return {"merge": merge, "information": information}


def _drawing(values: str, numbers: str, labels: str, marginals: bool) -> dict[str, Any]:
    """How people are made."""
    from kspan.share.codings import Numbers as Drawn
    from kspan.share.pgen import Draws
    from kspan.share.pgen import Labels as Told

    check_word("--values", values, get_args(Draws))
    check_word("--numbers", numbers, get_args(Drawn))
    check_word("--labels", labels, get_args(Told))
    return {"values": values, "numbers": numbers, "labels": labels, "marginals": marginals}


def _check_tree_name(output: Path) -> None:
    from kspan.frames.files import is_table_name
    from kspan.frames.places import check_place

    if is_table_name(output):
        raise FileError(f"-o {output} has the name of a table, but a model is JSON: end it in .json")
    check_place(output)


def _check_apart(output: Path, trees: list[str], report: Path | None = None) -> None:
    """Refuse to write over one of the trees."""
    check_apart({"-o": output, "--report": report}, *(Path(tree) for tree in trees if "://" not in tree))
