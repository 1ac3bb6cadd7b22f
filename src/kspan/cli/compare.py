"""kspan compare: what is lost by learning from a released table."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kspan.cli.options import KINDS, Delimiter, Encoding, Json, PolicyFile, check_apart, check_word, dialect
from kspan.cli.output import page, progress, tell, tell_json
from kspan.errors import FileError, PolicyError
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.audit.table.judge import Progress
    from kspan.evaluate.comparison import Comparison


@dataclass(frozen=True)
class CompareRequest:
    """The arguments and options of kspan compare."""

    original: Annotated[Source, typer.Argument(parser=Source.of, help=f"The people as they are: {KINDS}.")]
    released: Annotated[list[Source], typer.Argument(parser=Source.of, help="Tables that were made of them.")]
    test: Annotated[
        Source, typer.Option("--test", parser=Source.of, help="Other people, as they are, to predict the target of.")
    ]
    policy: PolicyFile
    learners: Annotated[
        str | None,
        typer.Option(help="Names with commas, as for kspan learn -m; all that promise nothing if not given."),
    ] = None
    chart: Annotated[
        Path | None, typer.Option(help="Draw the result, too: .html (needs no network), .svg or .png.")
    ] = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    json: Json = False


def compare(asked: CompareRequest) -> int:
    """Learn the policy's target from ORIGINAL and from each RELEASED table, and predict the people of --test."""
    from kspan.report.text import print_comparison

    if asked.chart is not None:
        from kspan.report.charts import check_chart, comparison_chart, write_chart

        check_chart(asked.chart)
    with progress() as step:
        found = _compared(asked, step)
        if asked.chart is not None:
            step("drawing")
            write_chart(comparison_chart(found), asked.chart)
    if asked.json:
        tell_json({**found.as_dict(), "chart": None if asked.chart is None else str(asked.chart)})
        return 0
    with page() as console:
        print_comparison(found, console)
    if asked.chart is not None:
        tell(f"\nWrote {asked.chart}.\n")
    return 0


def _compared(asked: CompareRequest, step: "Progress") -> "Comparison":
    from kspan.evaluate.comparison import compared
    from kspan.evaluate.learners import learners_of
    from kspan.frames.files import read_table
    from kspan.induce.methods import PREDICTING
    from kspan.policy import Policy

    chosen = None if asked.learners is None else _words(asked.learners)
    for name in chosen or ():
        check_word("--learners", name, PREDICTING)
    tables = _named([asked.original, *asked.released])
    check_apart({"--chart": asked.chart}, *tables.values(), asked.test, asked.policy)
    policy = Policy.load(asked.policy)
    how = dialect(asked.delimiter, asked.encoding, None)
    frames = {}
    for name, path in tables.items():
        step(f"reading {name}")
        frames[name] = read_table(path, how)
    step(f"reading {asked.test.name}")
    people = read_table(asked.test, how)
    return compared(frames, (str(asked.test), people), policy, learners_of(chosen), progress=step)


def _words(said: str) -> list[str]:
    words = list(dict.fromkeys(word.strip() for word in said.split(",") if word.strip()))
    if not words:
        raise PolicyError("--learners names none: give for example id3,c45 or leave it out")
    return words


def _named(paths: Sequence[Source]) -> dict[str, Source]:
    """Return files by their names, or by their whole paths where several have the same name."""
    names = Counter(path.name for path in paths)
    found = {path.name if names[path.name] == 1 else str(path): path for path in paths}
    if len(found) < len(paths):
        twice = next(path for path, times in Counter(paths).items() if times > 1)
        raise FileError(f"{twice} is given twice: name each table once")
    return found
