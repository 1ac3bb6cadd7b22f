"""Print what was found to the terminal: first the verdict in one line, then what it rests on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from kspan.audit.findings import Audit, Finding, K
from kspan.audit.risk import Sampled
from kspan.evaluate.comparison import Comparison
from kspan.report.formatting import conjoined, estimated_by, level_text, visible
from kspan.report.summary import Story
from kspan.report.verdict import judged_by, limits, verdict

NO_FORECAST = (
    "The test people are those of the original, so that no figure is a forecast: give people who are in none of the "
    "tables."
)
MAIN_MEASURES = ("distinct_l", "entropy_l", "confidence", "t")
COMPARED = (
    "Lost: points of accuracy less than from the original. Class match: people who get the label that the same learner "
    "gives them from the original."
)


def print_audit(audit: Audit, public: Sequence[str], console: Console, *, derive: bool = False) -> None:
    """Print everything that an owner wants to see; with `derive`, what follows from what is disclosed alone, too."""
    style = "bold green" if audit.holds else "bold red"
    console.print(Text(("✔ " if audit.holds else "✘ ") + verdict(audit, public), style=style), soft_wrap=True)
    for sentence in audit.assumptions:
        console.print(Text(visible(sentence), style="yellow"), soft_wrap=True)
    for title, body in _sections(audit, derive=derive):
        console.print()
        console.print(Text(title, style="bold"))
        console.print(body)
    console.print()
    console.print(Text(limits(audit), style="dim"), soft_wrap=True)


def print_story(story: Story, console: Console) -> None:
    """Print the main points of a report: the promise, the verdict and the cost of every release."""
    for summary in story.chapters:
        style = "bold" if summary.holds is None else "bold green" if summary.holds else "bold red"
        mark = "" if summary.holds is None else "✔ " if summary.holds else "✘ "
        console.print(Text(mark + summary.headline, style=style), soft_wrap=True)
        if summary.warning:
            console.print(Text(f"⚠ {summary.warning}", style="yellow"), soft_wrap=True)
        parts = (
            (
                "What was required" if summary.holds is False else "What was promised",
                [f"{promise.words} ({promise.requirement})" for promise in summary.promises],
            ),
            ("Does it hold?", summary.proof),
            ("What did it cost?", summary.costs),
            (
                "What was not looked at" if summary.holds is False else "What this does not protect from",
                summary.caveats,
            ),
        )
        for title, sentences in parts:
            if sentences:
                console.print()
                console.print(Text(title, style="bold"))
                for sentence in sentences:
                    console.print(Text(f"  {sentence}"), soft_wrap=True)
        console.print()


def print_table_release(manifest: Mapping[str, Any], console: Console) -> None:
    """Print how a table was made and what it lost."""
    rows, utility = manifest["rows"], manifest["utility"]
    facts = [
        ("method", visible(manifest["method"])),
        ("rows released", f"{rows['released']:,}"),
        ("rows withheld", f"{rows['withheld']:,} ({utility['withheld_share']:.2%})"),
        ("suppressed cells", f"{utility['suppressed_share']:.2%} of the public ones"),
        *((visible(str(name)), _fact(value)) for name, value in manifest["facts"].items()),
        *((visible(name), _numbers(told)) for name, told in utility.get("private_numbers", {}).items()),
    ]
    console.print(Text("Made", style="bold"))
    console.print(_facts(facts))
    console.print()


def print_known_method(sentence: str, *, holds: bool, console: Console) -> None:
    """Print what somebody learns who knows how a table was made."""
    console.print()
    console.print(Text("Someone who knows the method", style="bold"))
    console.print(Text(f"  {sentence}", style="" if holds else "red"), soft_wrap=True)


def print_comparison(comparison: Comparison, console: Console) -> None:
    """Print how well each learner predicts from each table."""
    head = f"Predicting {visible(comparison.target)} of {comparison.test_rows:,} people"
    guess = f"always the commonest label of {visible(comparison.original)} is right for {comparison.baseline:.2%}"
    console.print(Text(f"{head}; {guess}.", style="bold"), soft_wrap=True)
    if comparison.learned_from:
        console.print(Text(NO_FORECAST, style="yellow"), soft_wrap=True)
    if comparison.left_out:
        names = conjoined([visible(name) for name in comparison.left_out])
        console.print(
            Text(f"Not learned from, since the test table lacks it: {names}.", style="yellow"), soft_wrap=True
        )
    console.print()
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("  learner")
    table.add_column("table", overflow="fold")
    for title in ("accuracy", "lost", "class match", "columns", "rows", "seconds"):
        table.add_column(title, justify="right")
    # The first row of each learner is the original, by which the rows after it are measured.
    whole: dict[str, float] = {}
    for row in comparison.table.iter_rows(named=True):
        first = row["learner"] not in whole
        lost = whole.setdefault(row["learner"], row["accuracy"]) - row["accuracy"]
        table.add_row(
            Text(f"  {visible(row['learner'])}" if first else ""),
            Text(visible(row["release"])),
            f"{row['accuracy']:.2%}",
            # Adding zero turns -0.0 into 0.0.
            "" if first else f"{100 * lost + 0.0:.2f}",
            f"{row['class_match']:.2%}",
            f"{row['columns']:,}",
            f"{row['rows']:,}",
            f"{row['seconds']:.2f}",
        )
    console.print(table)
    console.print()
    console.print(Text(COMPARED, style="dim"), soft_wrap=True)


def _fact(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{visible(str(name))}: {_fact(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return f"{len(value):,} of them" if len(value) > 3 else ", ".join(map(_fact, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int | float) else visible(str(value))


def _numbers(told: Mapping[str, Any]) -> str:
    """Say how the numbers of a private column are shown, and what that cost."""
    words = visible(told["words"])
    if "people" not in told:
        return f"{words}; nobody has a number"
    spread = f" ({told['of_spread']:.2%} of the standard deviation)" if "of_spread" in told else ""
    if "mean_change" in told:
        lost = f"{told['changed']:.2%} show another number, {told['mean_change']:,.4g} away on average{spread}"
    else:
        width = f"{told['mean_width']:,.4g} wide on average{spread}, and " if "mean_width" in told else ""
        lost = f"ranges are {width}{told['endless']:.2%} have no end"
    rare = f"; {told['rare']:,} show what fewer than {told['crowd']:,} in the table show" if told["rare"] else ""
    return f"{words}; {lost}{rare}"


def _sections(audit: Audit, *, derive: bool) -> Iterator[tuple[str, RenderableType]]:
    yield "Reached", _facts(_reached(audit))
    if audit.alone:
        yield "Which releases do it", _facts(_alone(audit))
    published = audit.counting in ("paths", "figures")
    if audit.smallest:
        whose = "" if published else " (for the owner's eyes: do not pass on)"
        yield f"Smallest {audit.units}, by what they show{whose}", _groups(audit.smallest)
    # Often the smallest groups are those that fail: they are not listed twice.
    if audit.failing and audit.failing != audit.smallest:
        whose = "" if published else " (for the owner's eyes)"
        yield f"What fails, the smallest of {audit.failing_groups:,} {audit.units}{whose}", _groups(audit.failing)
    if audit.inferred:
        sentences = Text("\n".join(visible(sentence) for sentence in audit.inferred))
        yield "What follows for certain, in the largest spans (for the owner's eyes: do not pass on)", sentences
    if audit.exposed:
        yield "Private attributes: exposed to certain inference, and what is reached (--json has all)", _private(audit)
    if derive and audit.exposed:
        yield "What follows from what is disclosed alone", _facts(_derived(audit))
    yield "Risk of re-identification", _facts(_risk(audit))
    yield "Utility", _facts(_utility(audit))


def _reached(audit: Audit) -> Iterator[tuple[str, str]]:
    yield "k", f"{_k(audit.k)}; the verdict counts {audit.counting}"
    if audit.covered:
        yield "how sure", f"{audit.reading}: {visible(audit.covered)}"
    yield (
        "people",
        f"{audit.people:,} " + (f"in {audit.rows:,} rows" if audit.rows else f"by the published {judged_by(audit)}"),
    )
    if (persons := audit.persons) is not None:
        yield (
            "several rows",
            f"{persons.with_several:,} people have several, one has {persons.most_rows:,}; each person counts once",
        )
        yield "known rows", f"{persons.known_rows} of a person"
    if audit.releases > 1:
        yield "releases", f"{audit.releases:,}, judged together"
    yield audit.units, f"{audit.groups:,}, of which {audit.failing_groups:,} fail with {audit.failing_people:,} people"
    if audit.safe_people:
        yield "safe at any size", f"{audit.safe_people:,} people, whose span is one bin"
    if audit.linked is not None:
        yield "people given", f"{audit.linked.people:,}, of whom {audit.linked.unmatched:,} match no row"
    stars = audit.suppressed
    if stars is not None and stars.cells:
        reading = "a value of its own" if stars.reading == "value" else "anything"
        yield "suppressed cells", f"{stars.cells:,}, read as {reading}"
        if stars.k_as_value != stars.k_as_anything:
            yield "k if * is a value", _k(stars.k_as_value)
            yield "k if * is anything", _k(stars.k_as_anything)


def _alone(audit: Audit) -> Iterator[tuple[str, str]]:
    """Yield each release by itself, and the pairs that fail though neither does alone."""
    for some in audit.alone:
        what = "alone" if len(some.releases) == 1 else "together"
        broken = f"break it {what} for {some.failing_people:,}" if some.failing_people else f"break nothing {what}"
        if len(some.releases) == 1:
            broken = broken.replace("break", "breaks", 1)
        yield visible(" and ".join(some.releases)), f"{some.people:,} people; {broken}"
    pairs = [some for some in audit.alone if len(some.releases) > 1]
    if audit.failing_people and not pairs and not any(some.failing_people for some in audit.alone):
        yield "all of them", "break it together, though no two of them do"


def _risk(audit: Audit) -> Iterator[tuple[str, str]]:
    risk = audit.risk
    share = risk.prosecutor.unique / audit.people
    yield "prosecutor", f"highest {risk.prosecutor.highest:.3g}, median {risk.prosecutor.median:.3g}"
    yield "alone in a crowd", f"{risk.prosecutor.unique:,} people ({share:.1%})"
    yield "marketer", f"{risk.marketer:.3g}"
    if audit.kind != "table":
        return
    if risk.sampled is not None:
        yield from _sampled(risk.sampled)
    if (homes := risk.households) is not None:
        yield (
            "households",
            f"{homes.households:,}; somebody is found: highest {homes.highest:.3g}, average {homes.average:.3g}, in "
            f"{homes.expected:,.4g} of them",
        )
    if risk.journalist is None:
        yield "journalist", "needs --population FILE"
    else:
        found = risk.journalist
        gone = f"; {found.unmatched:,} people are not in the population" if found.unmatched else ""
        yield "journalist", f"highest {found.highest:.3g}, average {found.average:.3g}{gone}"


def _sampled(sampled: Sampled) -> Iterator[tuple[str, str]]:
    yield (
        "as a sample",
        f"of {sampled.population:,.0f} people; the smallest group stands for {sampled.smallest:,.4g} of them (k-map)",
    )
    yield (
        "individual risk",
        f"highest {sampled.highest:.3g}, average {sampled.average:.3g}; {sampled.expected:,.4g} people would be found",
    )
    unique = sampled.unique
    whose = "counted" if unique.model == "counted" else f"estimated by {estimated_by(unique.model)}"
    yield "alone in population", f"{unique.people:,.1f} people of the sample ({unique.share:.1%}), {whose}"


def _utility(audit: Audit) -> Iterator[tuple[str, str]]:
    utility = audit.utility
    if audit.kind in ("table", "tree"):
        yield (
            "CM",
            "needs a target with labels" if utility.cm is None else f"{utility.cm:,} people outside their majority",
        )
    if utility.dm is not None:
        yield "DM", f"{utility.dm:,}"
    yield f"average {audit.units[:-1]}", f"{utility.average_group_size:.4g} people"
    if utility.ncp is not None:
        yield "NCP", f"{utility.ncp:.4g} (0 keeps every value, 1 suppresses all)"


def _derived(audit: Audit) -> Iterator[tuple[str, str]]:
    if audit.derived is None:
        yield "not known", "that is found for one tree of labels with its people, unless it has too many leaves"
        return
    for name, people in audit.derived.items():
        yield visible(name), f"of {people:,} of the {audit.exposed[name]:,} exposed people; of the others it is true"


def _private(audit: Audit) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("  attribute", overflow="fold")
    for title in ("exposed people", *MAIN_MEASURES):
        table.add_column(title, justify="right")
    for name, count in audit.exposed.items():
        reached = audit.reached[name]
        levels = [level_text(reached[key]) if key in reached else "not told" for key in MAIN_MEASURES]
        table.add_row(Text(f"  {visible(name)}"), f"{count:,} ({count / audit.people:.1%})", *levels)
    return table


def _groups(findings: Sequence[Finding]) -> RenderableType:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("  people", justify="right")
    table.add_column("show", overflow="fold")
    table.add_column("and break", overflow="fold")
    for finding in findings:
        shown = Text(" ").join(
            Text.assemble((f"{visible(name)}=", "dim"), visible(cell)) for name, cell in finding.shown.items()
        )
        table.add_row(Text(f"{finding.people:,}"), shown, Text(visible(", ".join(finding.breaks)) or "nothing"))
    return table


def _facts(facts: Iterable[tuple[str, str]]) -> RenderableType:
    return Group(*(Text.assemble(("  " + name.ljust(20), "dim"), text) for name, text in facts))


def _k(k: K) -> str:
    return f"{k.rows:,}" if k.rows == k.people else f"{k.rows:,} rows, {k.people:,} people"
