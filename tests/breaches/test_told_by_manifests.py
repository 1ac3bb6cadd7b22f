"""A manifest tells what follows from its table: two sources that make the same table have the same manifest."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kspan as ks
from kspan.tables.manifest import manifest_in

CROWD = pl.DataFrame(
    {
        "age": [23, 24, 27, 28, 41, 43, 44, 48] * 2,
        "land": ["DE", "AT"] * 8,
        "home": list(range(16)),
        "illness": ["flu", "cold", "flu", "ulcer"] * 4,
    }
)
"""People in crowds, to whom somebody may be added who is withheld in any case."""
LONE = pl.DataFrame({"age": [97], "land": ["PN"], "home": [99], "illness": ["hiv"]})
LANDS = ks.Hierarchy.of([("DE", "EU"), ("AT", "EU"), ("PN", "elsewhere"), ("NZ", "elsewhere")])


def policy(**says: Any) -> ks.Policy:
    roles = {"public": ["age", "land"], "private": ["illness"], "identifier": ["home"], "require": "k=2"}
    hierarchies = {"age": ks.Intervals((10.0, 100.0)), "land": LANDS}
    return ks.Policy(**{**roles, "hierarchies": hierarchies, **says})


def made(people: pl.DataFrame, method: str, rules: ks.Policy | None = None, **options: Any) -> ks.TableRelease:
    return ks.anonymize(people, rules or policy(), method, secret="1" * 32, keep_order=True, **options)


@pytest.mark.parametrize(
    ("method", "options"),
    [("incognito", {"withhold": 0.2}), ("datafly", {}), ("incognito", {"loss": "dm", "withhold": 1})],
)
def test_nobody_learns_from_a_manifest_that_a_rare_person_was_withheld(method: str, options: dict[str, Any]) -> None:
    # Whoever knows that somebody of 97 years would be alone in any group asks: is such a person in the source?
    without, with_lone = made(CROWD, method, **options), made(pl.concat([CROWD, LONE]), method, **options)
    assert (without.withheld, with_lone.withheld) == (0, 1)
    assert without.frame.equals(with_lone.frame)
    assert without.manifest() == with_lone.manifest()
    told = with_lone.for_owner()
    assert told["rows"] == {"released": 16, "withheld": 1}
    assert told["utility"]["withheld_share"] == 1 / 17


def test_auto_tells_nothing_of_the_tables_that_it_did_not_take() -> None:
    rules = policy(target="illness")
    chosen = made(CROWD, "auto", rules)
    assert len(chosen.facts["tried"]) > 1
    assert chosen.manifest() == made(CROWD, chosen.method, rules).manifest()
    assert chosen.for_owner()["facts"]["tried"] == chosen.facts["tried"]


def test_the_files_of_auto_keep_the_losses_of_others_with_the_owner(tmp_path: Path) -> None:
    made(CROWD, "auto", policy(target="illness")).save(tmp_path / "out.csv")
    going, staying = (json.loads((tmp_path / f"out.csv.{whose}.json").read_text()) for whose in ("release", "owner"))
    assert not {"tried", "chosen by", "refused"} & set(going["facts"])
    assert {"tried", "chosen by"} <= set(staying["facts"])
    assert "withheld" not in json.dumps(going)
    assert staying["rows"]["withheld"] == len(staying["withheld_rows"])


def test_who_lives_together_is_not_told() -> None:
    rules = policy(identifier=[], household="home")
    alone = made(CROWD, "mondrian", rules)
    together = made(CROWD.with_columns(home=pl.Series([0, 1, 2, 3] * 4)), "mondrian", rules)
    assert alone.frame.equals(together.frame)
    assert alone.audit.risk.households != together.audit.risk.households
    assert alone.manifest() == together.manifest()
    assert together.for_owner()["audit"]["risk"]["households"]["households"] == 4


def test_how_many_rows_a_person_has_is_not_told() -> None:
    rows = pl.concat([CROWD.with_columns(age=25, land=pl.lit("DE"))] * 2)
    rules = policy(identifier=[], person="home", require="k=4")
    one = made(pl.concat([rows, rows.head(1)]), "mondrian", rules).manifest()["audit"]["persons"]
    other = made(pl.concat([rows, rows.slice(1, 1)]), "mondrian", rules).manifest()["audit"]["persons"]
    assert one == other
    assert not {"with_several", "most_rows"} & set(one)


def test_the_loss_of_a_table_does_not_tell_the_range_of_its_source() -> None:
    # Divided by the range of the source, the loss of intervals of a known length would tell its highest age.
    release = made(pl.concat([CROWD, LONE]), "incognito", withhold=0.2)
    loss = ks.audit(release.table, policy()).utility.ncp
    assert release.manifest()["utility"]["ncp"] == loss


def test_older_manifests_can_be_read() -> None:
    release = made(CROWD, "mondrian")
    older = {**release.manifest(), "rows": {"released": 16, "withheld": 3}}
    older["facts"] = {"levels": {"age": 1}, "groups": 4, "withheld": 3, "chosen by": "least cells lost"}
    older["utility"] = {**older["utility"], "withheld_share": 3 / 19}
    assert manifest_in(json.dumps(older), "older") == manifest_in(json.dumps(release.manifest()), "older")
