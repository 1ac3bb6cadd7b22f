"""kspan report: one page about a release that may go out with it."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from kspan.cli.options import (
    Beside,
    Columns,
    Counting,
    Delimiter,
    Encoding,
    Json,
    JudgeBy,
    Population,
    check_apart,
    check_word,
    dialect,
    tell_report,
)
from kspan.cli.output import page, progress, tell_json
from kspan.errors import PolicyError


def report(
    release: Annotated[
        Path, typer.Argument(help="A table (CSV, Parquet, Arrow, Feather, also gzipped) or a model (JSON).")
    ],
    policy: Annotated[
        Path | None,
        typer.Option("--policy", "-p", help="The policy: who may know each column, and what must hold."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="The people as they were: for before and after of a table, and for the spans of a model."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write it: .html, .md or .json; RELEASE.report.html if not said."),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", help="How it was made, to measure what that costs; a manifest beside a table tells it."
        ),
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Measure what k = 2 ... 1000 would cost, which takes a while.")
    ] = False,
    beside: Beside = None,
    population: Population = None,
    require: JudgeBy = None,
    counting: Counting = None,
    title: Annotated[str | None, typer.Option(help="What the page calls the release, if not by its file.")] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
) -> int:
    """Write one page about RELEASE: what was promised, whether it holds, what it cost, and no cell of anybody."""
    from kspan.evaluate.cost import known_methods
    from kspan.frames.files import read_table
    from kspan.model.kind import is_model
    from kspan.model.kinds import opened
    from kspan.policy import Policy
    from kspan.report.making import report as make
    from kspan.report.page import check_report
    from kspan.report.text import print_story
    from kspan.tables.manifest import manifest_of, read_manifest

    written = output or Path(f"{release}.report.html")
    check_report(written)
    others = beside or []
    check_apart({"-o": written}, release, policy, data, population, *others)
    rules = None if policy is None else Policy.load(policy)
    if rules is not None and counting is not None:
        rules = replace(rules, counting=counting)  # type: ignore[arg-type]  # the policy checks the word
    model = is_model(release)
    if method is None and not model and (manifest := manifest_of(release)) is not None:
        method = read_manifest(manifest).method
    if method is not None:
        check_word("-m", method, known_methods())
    if curve and (data is None or method is None):
        raise PolicyError(
            "--curve makes the release again for every k: give the people with --data and the method with -m"
        )
    how = dialect(delimiter, encoding, columns)
    with progress() as step:
        step(f"reading {release.name}")
        made = make(
            opened(release) if model else read_table(release, how),
            None if data is None else read_table(data, how),
            rules,
            require=require,
            beside=others,
            population=None if population is None else read_table(population, how),
            title=title or release.name,
            method=method if data is not None else None,
            curve=curve,
            path=release,
            progress=step,
        )
        step(f"writing {written.name}")
        made.save(written)
    tell_report(written, holds=made.story.holds)
    if json:
        tell_json({"output": str(written), **made.as_dict()})
    else:
        with page() as console:
            print_story(made.story, console)
    return 0 if made.story.holds else 1
