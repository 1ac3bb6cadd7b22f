"""What `auto` weighs, and what it says of that."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.tables.choosing import Lost

pytestmark = pytest.mark.slow


def people(rows: int = 1500) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    age, hours = rng.integers(18, 80, rows), rng.integers(1, 60, rows)
    label = np.where((age > 50) ^ (rng.random(rows) < 0.1), "high", "low")
    return pl.DataFrame({"age": age, "hours": hours, "pay": age * 100 + rng.integers(0, 50, rows), "label": label})


def policy(target: str | None = "label", **more: object) -> ks.Policy:
    private = [name for name in ("pay", "label") if name != target]
    return ks.Policy(public=["age", "hours"], private=private, target=target, require="k=5", **more)  # type: ignore[arg-type]


def test_small_groups_do_not_flatter_a_target_of_chance() -> None:
    """Nothing can be told of labels that were tossed, however many of them a small group gets right by chance."""
    tossed = people().with_columns(label=pl.Series(np.random.default_rng(1).permutation(["a", "b"] * 750)))
    release = ks.anonymize(tossed, policy(), "mondrian")
    assert release.audit.utility.cm is not None
    assert release.audit.utility.cm / 1500 < 0.4
    assert Lost.by(release).targets["label"] > 0.9


def test_a_target_that_groups_tell_is_not_lost() -> None:
    lost = Lost.by(ks.anonymize(people(), policy(), "crowd"))
    assert 0.15 < lost.targets["label"] < 0.3  # one in ten labels is chance, and not half of all are guessed wrong
    pay = Lost.by(ks.anonymize(people(), policy("pay"), "crowd"))
    assert pay.targets["pay"] < 0.1


def test_private_columns_to_keep_are_targets_and_weights_count() -> None:
    release = ks.anonymize(people(), policy(keep={"pay": 3}), "mondrian")
    lost = Lost.by(release)
    assert set(lost.targets) == {"label", "pay"}
    assert lost.of_targets == pytest.approx((lost.targets["label"] + 3 * lost.targets["pay"]) / 4)


def test_without_a_target_only_cells_count() -> None:
    release = ks.anonymize(people(), policy(None))
    tried = release.facts["tried"]
    assert all(set(each) == {"cells"} for each in tried.values())
    assert tried[release.method]["cells"] == min(each["cells"] for each in tried.values())
    assert "traded" not in release.facts


def test_what_was_traded_is_told_to_the_owner_alone(tmp_path: Path) -> None:
    release = ks.anonymize(people(), policy())
    tried = {name: each["cells"] + each["label"] for name, each in release.facts["tried"].items()}
    assert tried[release.method] == pytest.approx(min(tried.values()), abs=2e-4)
    others = {"cells": min, "label": min}
    best = {what: pick(each[what] for each in release.facts["tried"].values()) for what, pick in others.items()}
    own = release.facts["tried"][release.method]
    assert ("traded" in release.facts) == any(best[what] < own[what] for what in best)
    release.save(tmp_path / "out.csv")
    assert "traded" not in (tmp_path / "out.csv.release.json").read_text()
    assert "chosen by" in json.loads((tmp_path / "out.csv.owner.json").read_text())["facts"]


def test_the_wide_form_can_be_chosen_as_well() -> None:
    visits = pl.concat([people(300)] * 2).with_columns(id=pl.Series([*range(300)] * 2))
    asked = ks.Policy(person="id", public=["age", "hours"], private=["pay"], target="label", require="k=5")
    release = ks.anonymize(visits, asked, form="wide")
    assert all(0 <= each["label"] <= 1 for each in release.facts["tried"].values())
