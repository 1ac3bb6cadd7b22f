"""kspan report: one page about a release that may go out with it."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kspan.cli.beside import BesideReleases, Match, named, read_beside
from kspan.cli.options import (
    KINDS,
    Columns,
    Counting,
    Delimiter,
    Encoding,
    Json,
    JudgeBy,
    Population,
    Sql,
    check_apart,
    check_word,
    dialect,
    tell_report,
)
from kspan.cli.output import page, progress, tell_json
from kspan.errors import PolicyError
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.policy import Policy


@dataclass(frozen=True)
class ReportRequest:
    """The arguments and options of kspan report."""

    release: Annotated[Source, typer.Argument(parser=Source.of, help=f"A table: {KINDS}. Or a model (JSON).")]
    policy: Annotated[
        Path | None,
        typer.Option("--policy", "-p", help="The policy: who may know each column, and what must hold."),
    ] = None
    data: Annotated[
        Source | None,
        typer.Option(
            parser=Source.of,
            help="The people as they were: for before and after of a table, and for the spans of a model.",
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Where to write it: .html, .md or .json; RELEASE.report.html if not said."),
    ] = None
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", help="How it was made, to measure what that costs; a manifest beside a table tells it."
        ),
    ] = None
    curve: Annotated[
        bool, typer.Option("--curve", help="Measure what k = 2 ... 1000 would cost, which takes a while.")
    ] = False
    test: Annotated[
        Source | None,
        typer.Option(
            parser=Source.of, help="People whom a model was not learned from, with their labels, for it to predict."
        ),
    ] = None
    beside: BesideReleases = None
    match: Match = None
    population: Population = None
    require: JudgeBy = None
    counting: Counting = None
    title: Annotated[str | None, typer.Option(help="What the page calls the release, if not by its file.")] = None
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


def report(asked: ReportRequest) -> int:
    """Write one page about RELEASE: what was promised, whether it holds, what it cost, and no cell of anybody."""
    from kspan.frames.files import read_table
    from kspan.model.kind import is_model
    from kspan.model.kinds import opened
    from kspan.report.making import report as make
    from kspan.report.text import print_story

    written = _checked_place(asked)
    policy, method = _policy(asked), _method(asked)
    how = dialect(asked.delimiter, asked.encoding, asked.columns)
    with progress() as step:
        step(f"reading {asked.release.name}")
        data = None if asked.data is None else read_table(asked.data, how)
        made = make(
            opened(asked.release) if is_model(asked.release) else read_table(asked.release.asking(asked.sql), how),
            data,
            policy,
            require=asked.require,
            beside=read_beside(named(asked.beside), data, policy, how, asked.match),
            population=None if asked.population is None else read_table(asked.population, how),
            title=asked.title or asked.release.name,
            # Without the people there is nothing to make again and measure.
            method=method if asked.data is not None else None,
            curve=asked.curve,
            test=None if asked.test is None else read_table(asked.test, how),
            path=asked.release,
            progress=step,
        )
        step(f"writing {written.name}")
        made.save(written)
    tell_report(written, holds=made.story.holds)
    if asked.json:
        tell_json({"output": str(written), **made.as_dict()})
    else:
        with page() as console:
            print_story(made.story, console)
    return 0 if made.story.holds else 1


def _checked_place(asked: ReportRequest) -> Path:
    """Return where the page will be; refuse a place that cannot be written before long work begins."""
    from kspan.report.page import check_report

    written = asked.output or asked.release.beside(".report.html")
    check_report(written)
    others = (path for other in named(asked.beside) for path in other.files)
    read = (asked.release, asked.policy, asked.data, asked.population, asked.test, *others)
    check_apart({"-o": written}, *read)
    return written


def _policy(asked: ReportRequest) -> "Policy | None":
    from kspan.policy import Policy

    policy = None if asked.policy is None else Policy.load(asked.policy)
    if policy is not None and asked.counting is not None:
        policy = replace(policy, counting=asked.counting)  # type: ignore[arg-type]  # the policy checks the word
    return policy


def _method(asked: ReportRequest) -> str | None:
    """Return how the release was made, from the option or else from the manifest beside a table."""
    from kspan.evaluate.cost import known_methods
    from kspan.model.kind import is_model
    from kspan.tables.manifest import manifest_of, read_manifest

    method = asked.method
    if (
        method is None
        and not is_model(asked.release)
        and (manifest := manifest_of(asked.release.asking(asked.sql))) is not None
    ):
        method = read_manifest(manifest).method
    if method is not None:
        check_word("-m", method, known_methods())
    if asked.curve and (asked.data is None or method is None):
        raise PolicyError(
            "--curve makes the release again for every k: give the people with --data and the method with -m"
        )
    return method
