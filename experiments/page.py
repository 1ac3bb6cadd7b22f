"""The page of results, made from the files of results alone."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from experiments.experiment import Experiment, read_rows

PUBLISHED = Path(__file__).parent / "published"
NOTES = Path(__file__).parent / "notes"
HEAD = """# The papers again

What the papers report, measured with kspan. This page is made by `python -m experiments all` from the files in
`results/`: each row there is one cell, with its seed and the versions it was measured with. Charts are in `charts/` (a
run also writes each as a page that shows numbers under the pointer). Figures are means in percent.
"""


def write_page(experiments: Iterable[Experiment], out: Path) -> Path:
    """Write RESULTS.md about every experiment that has results."""
    tables = {each: read_rows(out / "results" / f"{each.name}.csv") for each in experiments}
    measured = {each: table for each, table in tables.items() if not table.is_empty()}
    sections = [HEAD, in_short(measured)]
    for each, table in measured.items():
        charts = sorted((out / "charts").glob(f"{each.name}-*.png"))
        sections.append(f"{anchor(each.name)}\n\n## {each.name} ({each.place})\n\n{_note(each, 'run')}")
        sections.append(published(each))
        sections.append(each.found(table))
        sections.append(_note(each, "differs"))
        sections.append("\n".join(f"![{chart.stem}](charts/{chart.name})" for chart in charts))
    page = out / "RESULTS.md"
    page.write_text("\n\n".join(section.strip() for section in sections if section) + "\n", encoding="utf-8")
    return page


def in_short(experiments: Iterable[Experiment]) -> str:
    """A sentence about every experiment, and where to find it."""
    rows = [(f"[{each.name}](#{each.name})", each.place, _note(each, "short").strip()) for each in experiments]
    return "In short:\n\n" + markdown(["experiment", "from", "what came out"], rows)


def anchor(name: str) -> str:
    """A place in the page that can be linked to."""
    return f'<a id="{name}"></a>'


def _note(experiment: Experiment, kind: str) -> str:
    """What people wrote of an experiment: what was `run`, where ours `differs` and why, and all of it in `short`."""
    return (NOTES / f"{experiment.name}-{kind}.md").read_text(encoding="utf-8")


def published(experiment: Experiment) -> str:
    """What the papers' texts state, as a table of Markdown."""
    papers = experiment.paper.split(", ") if experiment.paper else []
    rows = [(paper, figure, said) for paper in papers for figure, said in _statements(experiment.name, paper)]
    if len(papers) > 1:
        told = "The papers state:\n\n"
        return told + markdown(["paper", "figure", "statement"], rows)
    told = "The paper states:\n\n"
    return told + markdown(["figure", "statement"], [row[1:] for row in rows]) if rows else ""


def _statements(name: str, paper: str) -> list[tuple[str, str]]:
    """What one paper states of an experiment: the figure, and a sentence."""
    stated = pl.read_csv(PUBLISHED / f"{paper}.csv", infer_schema=False)
    return stated.filter(experiment=name).drop_nulls("statement").select("figure", "statement").rows()


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of Markdown, where None is a dash and a share is a percentage.

    >>> print(markdown(["method", "accuracy"], [("pgen", 0.5), ("ldm", None)]))
    | method | accuracy |
    |---|---|
    | pgen | 50.0 |
    | ldm | - |
    """
    lines = [head, ["---"] * len(head), *(tuple(_shown(cell) for cell in row) for row in rows)]
    shown = ["| " + " | ".join(line) + " |" for line in lines]
    shown[1] = "|" + "---|" * len(head)
    return "\n".join(shown)


def _shown(cell: object) -> str:
    return "-" if cell is None else f"{100 * cell:.1f}" if isinstance(cell, float) else str(cell)
