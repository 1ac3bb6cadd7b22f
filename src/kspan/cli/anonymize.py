"""kspan anonymize: a table in which everybody stands in a crowd."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

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
    SuppressedText,
    check_apart,
    check_report_file,
    check_word,
    dialect,
    save_report,
    tell_report,
)
from kspan.cli.output import page, progress, tell_json
from kspan.errors import PolicyError
from kspan.frames.commit import together

METHODS = "kactus, mondrian, tds, tdr, incognito, one-dim, k-optimize, datafly"
OF_METHODS = "Options of methods"
FLAGS = {
    "show": ("--show",),
    "inducer": ("--inducer",),
    "transfer": ("--transfer",),
    "merge_siblings": ("--merge-siblings",),
    "refine": ("--refine", "--no-refine"),
    "relaxed": ("--relaxed",),
    "width": ("--width",),
    "loss": ("--loss",),
    "withhold": ("--withhold",),
    "search": ("--search",),
    "seconds": ("--seconds",),
    "most_values": ("--most-values",),
}
"""How options of methods are typed; one that is on by itself has a word for off, too."""


def anonymize(
    data: Annotated[Path, typer.Argument(help="The table: CSV, Parquet, Arrow or Feather; - for stdin.")],
    policy: PolicyFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the released table.")],
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"{METHODS}; auto takes the one that keeps most.")
    ] = "auto",
    seed: Annotated[
        int | None, typer.Option(min=0, help="For a table that can be made again; kept in OUT.owner.json.")
    ] = None,
    counting: Annotated[
        str | None,
        typer.Option(help="Promise k 'rows' that everybody matches, or k 'people' who share all that they match."),
    ] = None,
    suppressed_text: SuppressedText = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Do not shuffle rows; the claim says so, for it may tell who is who.")
    ] = False,
    keep_formulas: KeepFormulas = False,
    explain: Annotated[
        Path | None, typer.Option(help="Also write what each public value became, as CSV: for the owner only.")
    ] = None,
    report: ReportFile = None,
    curve: Curve = False,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
    show: Annotated[
        str | None,
        typer.Option(
            help="How groups show numbers and words: interval (default), set or hierarchy, of mondrian and one-dim; "
            "numbers as median (default), mean or interval, of kactus.",
            rich_help_panel=OF_METHODS,
        ),
    ] = None,
    inducer: Annotated[
        str | None, typer.Option(help="The tree that kactus prunes: c45 (default) or id3.", rich_help_panel=OF_METHODS)
    ] = None,
    transfer: Annotated[
        str | None,
        typer.Option(
            help="Which rows kactus moves up: random (default) or greedy ones, or none.", rich_help_panel=OF_METHODS
        ),
    ] = None,
    merge_siblings: Annotated[
        bool | None,
        typer.Option(
            "--merge-siblings",
            help="Let kactus show {a|b} where a and b are too few alone.",
            rich_help_panel=OF_METHODS,
        ),
    ] = None,
    refine: Annotated[
        bool | None,
        typer.Option(
            "--refine/--no-refine",
            help="Does kactus divide large leaves further by their numbers? It does.",
            rich_help_panel=OF_METHODS,
        ),
    ] = None,
    relaxed: Annotated[
        bool | None,
        typer.Option(
            "--relaxed",
            help="Let mondrian put people at the median on either side.",
            rich_help_panel=OF_METHODS,
        ),
    ] = None,
    width: Annotated[
        str | None,
        typer.Option(
            help="What mondrian cuts first: the widest 'range' of the domain, or the most 'distinct' values.",
            rich_help_panel=OF_METHODS,
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(
            help="What is kept small: ncp (default), dm, average-size, cm or levels, of incognito; "
            "cm (default) or dm, of k-optimize.",
            rich_help_panel=OF_METHODS,
        ),
    ] = None,
    withhold: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="The share of people that may be left out: of incognito 0 unless said, of k-optimize 1.",
            rich_help_panel=OF_METHODS,
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            help="Let incognito look at few levels (auto, the default) or list all minimal ones (incognito).",
            rich_help_panel=OF_METHODS,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="How long k-optimize may search: 10 unless said.", rich_help_panel=OF_METHODS),
    ] = None,
    most_values: Annotated[
        int | None,
        typer.Option(
            min=2, help="Numbers with more values than this k-optimize bins first: 32.", rich_help_panel=OF_METHODS
        ),
    ] = None,
) -> int:
    """Make the public cells of DATA coarser until the policy holds, and write the table if it does."""
    from kspan.frames.files import check_writable, read_table, write_table
    from kspan.frames.places import check_place
    from kspan.policy import Policy
    from kspan.report.text import print_audit, print_table_release
    from kspan.tables.making import anonymize as make
    from kspan.tables.release import beside

    given: dict[str, Any] = {
        "show": show,
        "inducer": inducer,
        "transfer": transfer,
        "merge_siblings": merge_siblings,
        "refine": refine,
        "relaxed": relaxed,
        "width": width,
        "loss": loss,
        "withhold": withhold,
        "search": search,
        "seconds": seconds,
        "most_values": most_values,
    }
    options = {name: value for name, value in given.items() if value is not None}
    _check_options(method, options)
    rules = Policy.load(policy)
    changes: dict[str, Any] = {"counting": counting, "suppressed_text": suppressed_text}
    rules = replace(rules, **{name: value for name, value in changes.items() if value is not None})
    for path in (output, *([explain] if explain else [])):
        check_writable(path)
    for path in beside(output):
        check_place(path)
    check_report_file(report, curve)
    check_apart({"-o": output, "--explain": explain, "--report": report}, data, policy, *beside(output))
    with together(), progress() as step:
        step(f"reading {data.name}")
        people = read_table(data, dialect(delimiter, encoding, columns))
        release = make(people, rules, method, rng=seed, keep_order=keep_order, progress=step, **options)
        step("writing it")
        release.save(output, source=None if str(data) == "-" else data, keep_formulas=keep_formulas)
        if explain is not None:
            write_table(release.mapping(), explain, owner_only=True)
        if report is not None:
            from kspan.report.making import table_summary

            save_report(table_summary(release, path=output, curve=curve, progress=step), report)
    going, staying = beside(output)
    print(f"Wrote {output} and {going}, which may go out, and {staying}, which stays with you.", file=sys.stderr)
    tell_report(report)
    if json:
        tell_json({"output": str(output), **release.for_owner()})
        return 0
    with page() as console:
        print_table_release(release.for_owner(), console)
        print_audit(release.audit, rules.public, console)
    return 0


def _check_options(method: str, options: Mapping[str, Any]) -> None:
    """Refuse what a method does not take, in the words of the command line and before the data is read."""
    from kspan.tables.methods import methods, options_of

    check_word("-m", method, ("auto", *methods()))
    typed = {name: FLAGS[name][-1] if value is False else FLAGS[name][0] for name, value in options.items()}
    if method == "auto":
        if typed:
            raise PolicyError(
                f"-m auto takes no options such as {next(iter(typed.values()))}: name their method with -m"
            )
        return
    known = options_of(method)
    for name, value in options.items():
        if name not in known:
            possible = [flag for one in known for flag in FLAGS.get(one, ())]
            able = f"leave it out, or use {', '.join(possible)}" if possible else "it has no options, leave it out"
            raise PolicyError(f"-m {method} does not take {typed[name]}: {able}")
        if known[name]:
            check_word(typed[name], value, known[name])
