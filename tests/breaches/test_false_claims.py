"""Claims that were false once: each was found by counting again from the file."""

from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main


@pytest.mark.parametrize("method", ["grouped", "kadet", "kadet-c45"])
@pytest.mark.parametrize(("people", "require"), [(1, "k=3"), (40, "distinct_l=2"), (40, "k=3, entropy_l=1.5")])
def test_a_private_label_that_all_people_have_is_told_by_a_tree(
    method: str, people: int, require: str, tmp_path: Path
) -> None:
    frame = pl.DataFrame({"town": ["Ulm", "Bonn"] * 20, "illness": ["flu"] * 40}).head(people)
    policy = ks.Policy(public=["town"], target="illness", require=require)
    with pytest.raises(ks.KspanError):
        ks.publish_tree(ks.learn(frame, policy, method=method), frame, policy, tmp_path / "tree.json")
    assert list(tmp_path.iterdir()) == []


def test_names_of_intervals_admit_the_people_not_the_cells_of_the_release() -> None:
    people = pl.DataFrame({"age": [20, 21, 22, 26, 31, 32, 33, 34], "pay": list("abcdefgh")})
    released = people.with_columns(
        age=pl.Series(["[20, 29]", "21", "[20, 29]", "[20, 29]", *["[30, 39]"] * 4]), pay=pl.Series(list("abcdefgh"))
    )
    roles = {"public": ["age"], "private": ["pay"], "require": "k=3", "counting": "people"}
    plain = ks.audit(released, people, ks.Policy(**roles))
    named = ks.audit(released, people, ks.Policy(**roles, hierarchies={"age": ks.Intervals((10, 20))}))
    assert (plain.holds, plain.k.people) == (named.holds, named.k.people) == (False, 1)


def test_prefixes_admit_the_people_not_the_cells_of_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    codes = ["53710", "53711", "53712", "53715", "53721", "53722", "53723", "53724"]
    pl.DataFrame({"zip": codes, "pay": list("abcdefgh")}).write_csv("people.csv")
    shown = ["5371*", "53711", "5371*", "5371*", *["5372*"] * 4]
    pl.DataFrame({"zip": shown, "pay": list("abcdefgh")}).write_csv("released.csv")
    Path("policy.toml").write_text(
        'public = ["zip"]\nprivate = ["pay"]\ncounting = "people"\n[require]\nk = 3\n[domains]\nzip = "categorical"\n'
        '[hierarchies]\nzip = { build = "prefixes", mask = "*" }\n'
    )
    assert main(["audit", "released.csv", "-p", "policy.toml", "--data", "people.csv"]) == 1
