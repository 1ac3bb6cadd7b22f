"""What people read: one sentence that says it all, and nothing that must not leave."""

import io

import polars as pl
from rich.console import Console

import kspan as ks
from kspan.report.text import print_audit
from kspan.report.verdict import verdict

PEOPLE = pl.DataFrame(
    {
        "sex": ["F", "F", "M"],
        "town": ["[red]Ulm[/red]", "[red]Ulm[/red]", "\x1b[31mBonn\n"],
        "income": ["low", "high", "low"],
    }
)


def audited(require: str = "k=2", **changes: object) -> tuple[ks.Audit, ks.Policy]:
    policy = ks.Policy(public=["sex", "town"], private=["income"], require=require, **changes)  # type: ignore[arg-type]
    return ks.audit(PEOPLE, policy), policy


def printed(audit: ks.Audit, policy: ks.Policy) -> str:
    out = io.StringIO()
    print_audit(audit, policy.public, Console(file=out, width=120, markup=False, highlight=False))
    return out.getvalue()


def test_the_verdict_is_the_first_line() -> None:
    audit, policy = audited()
    text = printed(audit, policy)
    assert text.splitlines()[0] == f"✘ {verdict(audit, policy.public)}"
    assert text.startswith("✘ k=2 does not hold: 1 of 3 people are in 1 groups that break it.")


def test_a_verdict_that_holds_says_what_is_promised_to_whom() -> None:
    audit, policy = audited("k=1")
    assert verdict(audit, policy.public) == (
        "k=1 holds: to someone who knows sex and town, each of the 3 people looks like at least 0 others."
    )


def test_people_who_are_alone_in_a_population_are_told_with_the_model() -> None:
    rows = {"age": [*range(40), *range(40, 50), *range(40, 50)], "w": [20.0] * 60}
    policy = ks.Policy(public=["age"], sampling_weight="w", require="k=1")
    found = ks.audit(pl.DataFrame(rows), policy)
    assert found.risk.sampled is not None
    share = found.risk.sampled.unique.share
    line = f"alone in population {60 * share:.1f} people of the sample ({share:.1%}), estimated by Pitman's model"
    assert line in printed(found, policy)
    census = pl.DataFrame({**rows, "w": [1.0] * 60})
    assert "alone in population 40.0 people of the sample (66.7%), counted" in printed(ks.audit(census, policy), policy)
    assert "alone in population" not in printed(*audited())


def test_cells_cannot_color_the_terminal() -> None:
    text = printed(*audited())
    assert "[red]Ulm[/red]" in text
    assert "\x1b" not in text
    assert "\\x1b[31mBonn\\n" in text


def test_what_leaves_names_no_group_that_fails() -> None:
    audit, _ = audited()
    leaving = audit.leaving()
    assert leaving["failing"] == [{"people": 1}]
    assert {"people": 1} in leaving["smallest"]
    assert "Bonn" not in str(leaving)
    assert "Ulm" in str(leaving)
    assert "Bonn" in audit.to_json()


def test_reprs_show_shapes_never_values() -> None:
    audit, policy = audited()
    assert "Bonn" not in repr(audit)
    from kspan.data.encode import encode

    table = encode(PEOPLE, policy)
    assert repr(table) == "Table(3 rows x 3 columns)"
    assert repr(table["town"]) == "Column('town', categorical, 3 rows, 2 codes)"
