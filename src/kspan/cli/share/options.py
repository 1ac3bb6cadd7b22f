"""Options and checks that the commands of kspan share have in common."""

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from kspan.cli.options import check_apart, check_word
from kspan.errors import FileError

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
Seed = Annotated[
    int | None, typer.Option(min=0, help="Of what is left to chance; if not given, that follows from the trees.")
]


def pruning(merge: str, information: str | None) -> dict[str, Any]:
    """Check the options for how ATP merges branches, and return them."""
    from kspan.induce.atp.atp import Information as Known
    from kspan.induce.atp.atp import Merge as Choice

    check_word("--merge", merge, get_args(Choice))
    if information is not None:
        check_word("--information", information, get_args(Known))
    return {"merge": merge, "information": information}


def drawing(values: str, numbers: str, labels: str, marginals: bool) -> dict[str, Any]:
    """Check the options for how pseudo-people are drawn, and return them."""
    from kspan.share.codings import Numbers as Drawn
    from kspan.share.pgen import Draws
    from kspan.share.pgen import Labels as Told

    check_word("--values", values, get_args(Draws))
    check_word("--numbers", numbers, get_args(Drawn))
    check_word("--labels", labels, get_args(Told))
    return {"values": values, "numbers": numbers, "labels": labels, "marginals": marginals}


def check_model_name(output: Path) -> None:
    """Refuse a place where no model can be written."""
    from kspan.frames.files import is_table_name
    from kspan.frames.places import check_place

    if is_table_name(output):
        raise FileError(f"-o {output} has the name of a table, but a model is JSON: end it in .json")
    check_place(output)


def check_trees_apart(output: Path, trees: list[str], report: Path | None = None) -> None:
    """Refuse to write over one of the trees."""
    check_apart({"-o": output, "--report": report}, *(Path(tree) for tree in trees if "://" not in tree))
