"""What a policy wants to keep above all: public columns narrow, private ones told apart."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.data.groups import count_values
from kspan.policy.document import policy_document, policy_in
from kspan.utility.loss import classification_metric, penalties

pytestmark = pytest.mark.slow


def people(rows: int = 1200) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    age, hours, height = (rng.integers(0, 60, rows) for _ in range(3))
    return pl.DataFrame(
        {
            "age": age,
            "hours": hours,
            "height": height,
            "income": np.where(age > 30, "high", "low"),
            "ill": np.where((height > 20) & (height < 45), "flu", "none"),
        }
    )


def policy(**more: object) -> ks.Policy:
    return ks.Policy(
        public=["age", "hours", "height"],
        private=["ill"],
        target="income",
        require="k=20",
        **more,  # type: ignore[arg-type]
    )


def lost(release: ks.TableRelease) -> dict[str, float]:
    """The NCP of each public column."""
    made = release.partition
    sizes = np.bincount(made.group)
    return {name: float(sizes @ penalties(cell.column)[cell.code]) / sizes.sum() for name, cell in made.shown.items()}


def outside(release: ks.TableRelease, name: str) -> int:
    """People outside the majority of their group."""
    made = release.partition
    return classification_metric(count_values(release.source[name], made.group, made.number, np.empty(0, np.int64)))


@pytest.mark.parametrize("method", ["crowd", "mondrian"])
def test_a_public_column_that_is_kept_is_narrower(method: str) -> None:
    plain, kept = (ks.anonymize(people(), policy(keep=keep), method) for keep in ({}, {"hours": 20}))
    assert lost(kept)["hours"] < 0.5 * lost(plain)["hours"]
    assert lost(kept)["height"] > lost(plain)["height"]


def test_a_private_column_that_is_kept_is_a_target_as_well() -> None:
    plain, kept = (ks.anonymize(people(), policy(keep=keep), "crowd") for keep in ({}, {"ill": 1}))
    assert outside(kept, "ill") < 0.5 * outside(plain, "ill")
    assert outside(kept, "income") < 0.1 * people().height


def test_auto_weighs_what_is_to_be_kept() -> None:
    release = ks.anonymize(people(400), policy(keep={"age": 9}))
    assert "above all of 'age'" in release.facts["chosen by"]


def test_it_is_read_and_written(tmp_path: Path) -> None:
    asked = policy(keep={"age": 3, "ill": 0.5})
    assert "[keep]\nage = 3\nill = 0.5" in asked.to_toml()
    asked.save(tmp_path / "policy.toml")
    assert ks.Policy.load(tmp_path / "policy.toml") == asked
    assert policy_in(policy_document(asked), "a file") == asked


@pytest.mark.parametrize(
    ("keep", "says"),
    [({"name": 1}, "no public or private column"), ({"age": -1}, "from 0"), ({"age": "much"}, "must be a number")],
)
def test_what_cannot_be_kept_is_refused(keep: dict[str, object], says: str) -> None:
    with pytest.raises(ks.PolicyError, match=says):
        policy(keep=keep)


def test_the_command_line_takes_columns_to_keep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    people(400).write_csv(tmp_path / "people.csv")
    policy().save(tmp_path / "policy.toml")
    made = ["anonymize", f"{tmp_path}/people.csv", "-p", f"{tmp_path}/policy.toml", "-o", f"{tmp_path}/out.csv", "-m"]
    assert main([*made, "crowd", "--keep", "hours=20, age"]) == 0
    kept = ks.anonymize(people(400), policy(keep={"hours": 20, "age": 5}), "crowd")
    assert sorted(pl.read_csv(tmp_path / "out.csv")["hours"]) == sorted(kept.table["hours"])
    assert main([*made, "crowd", "--keep", "hours=much"]) == 2
    assert main([*made, "crowd", "--keep", "shoes"]) == 2
    assert "age=10" in capsys.readouterr().err
