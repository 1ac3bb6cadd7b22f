"""kspan compare: what is lost by learning from a released table."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kspan.cli.options import Delimiter, Encoding, Json, PolicyFile, check_apart, check_word, dialect
from kspan.cli.output import page, progress, tell, tell_json
from kspan.errors import FileError, PolicyError


def compare(
    original: Annotated[Path, typer.Argument(help="The people as they are: CSV, Parquet, Arrow or Feather.")],
    released: Annotated[list[Path], typer.Argument(help="Tables that were made of them.")],
    test: Annotated[Path, typer.Option("--test", help="Other people, as they are, to predict the target of.")],
    policy: PolicyFile,
    learners: Annotated[
        str | None,
        typer.Option(help="Names with commas, as for kspan learn -m; all that promise nothing if not given."),
    ] = None,
    chart: Annotated[
        Path | None, typer.Option(help="Draw the result, too: .html (needs no network), .svg or .png.")
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    json: Json = False,
) -> int:
    """Learn the policy's target from ORIGINAL and from each RELEASED table, and predict the people of --test."""
    from kspan.evaluate.comparison import compared
    from kspan.evaluate.learners import learners_of
    from kspan.frames.files import read_table
    from kspan.induce.methods import PREDICTING
    from kspan.policy import Policy
    from kspan.report.text import print_comparison

    chosen = None if learners is None else _words(learners)
    for name in chosen or ():
        check_word("--learners", name, PREDICTING)
    if chart is not None:
        from kspan.report.charts import check_chart, comparison_chart, write_chart

        check_chart(chart)
    tables = _named([original, *released])
    check_apart({"--chart": chart}, *tables.values(), test, policy)
    rules = Policy.load(policy)
    said = dialect(delimiter, encoding, None)
    with progress() as step:
        frames = {}
        for name, path in tables.items():
            step(f"reading {name}")
            frames[name] = read_table(path, said)
        step(f"reading {test.name}")
        people = read_table(test, said)
        found = compared(frames, (str(test), people), rules, learners_of(chosen), progress=step)
        if chart is not None:
            step("drawing")
            write_chart(comparison_chart(found), chart)
    if json:
        tell_json({**found.as_dict(), "chart": None if chart is None else str(chart)})
        return 0
    with page() as console:
        print_comparison(found, console)
    if chart is not None:
        tell(f"\nWrote {chart}.\n")
    return 0


def _words(said: str) -> list[str]:
    words = list(dict.fromkeys(word.strip() for word in said.split(",") if word.strip()))
    if not words:
        raise PolicyError("--learners names none: give for example id3,c45 or leave it out")
    return words


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """Files by their names, or by their whole paths where names are the same."""
    names = Counter(path.name for path in paths)
    found = {path.name if names[path.name] == 1 else str(path): path for path in paths}
    if len(found) < len(paths):
        twice = next(path for path, times in Counter(paths).items() if times > 1)
        raise FileError(f"{twice} is given twice: name each table once")
    return found
