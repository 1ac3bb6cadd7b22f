"""Distributions beside a table: each figure is about a crowd of the released people, and the judge counts again."""

import json
from collections import Counter
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kspan as ks
from kspan.audit.distributions import broken_distributions
from kspan.cli.main import main
from kspan.data.encode import encode
from kspan.model.distributions import (
    Distribution,
    Distributions,
    NumberShare,
    WordShare,
    read_distributions,
    write_distributions,
)
from kspan.publish import judged_distributions
from laws.examples import share_of_examples

ADULT = ks.datasets.load_adult("train").select("age", "workclass", "sex", "capital-gain", "income").head(1500)
ROLES: dict[str, Any] = {"public": ["age", "workclass", "sex", "capital-gain"], "target": "income"}


def rules(k: int, **more: Any) -> ks.Policy:
    return ks.Policy(**ROLES, require=f"k={k}", **more)


def counted(told: Distribution, cells: list[Any]) -> list[int]:
    """How many people each share is about, cell by cell."""
    found = [0] * len(told.shares)
    for cell in cells:
        places = [place for place, share in enumerate(told.shares) if within(cell, share)]
        if len(places) > 1:
            places = [place for place in places if getattr(told.shares[place], "high", None) == cell]
        (place,) = places
        found[place] += 1
    return found


def within(cell: Any, share: WordShare | NumberShare) -> bool:
    if cell is None:
        return share.missing
    if isinstance(share, WordShare):
        return cell in share.values
    if not share.has_range:
        return False
    if share.low is not None and share.low == share.high:
        return bool(cell == share.low)
    return (share.low is None or share.low <= cell) and (share.high is None or cell < share.high)


@pytest.mark.parametrize("k", [2, 10, 100])
def test_every_figure_is_true_of_the_released_people_and_about_a_crowd(k: int) -> None:
    release = ks.anonymize(ADULT, rules(k), "mondrian", secret="0" * 32)
    told = release.marginals()
    assert [each.name for each in told.attributes] == ROLES["public"]
    for each in told.attributes:
        people = [share.people for share in each.shares]
        assert counted(each, release.rows_released[each.name].to_list()) == people
        assert min(people) >= k
        assert sum(people) == told.people == release.table.height
    gains = told.of("capital-gain")
    assert gains is not None
    assert NumberShare(int((ADULT["capital-gain"] == 0).sum()), 0, 0) in gains.shares


def is_round(end: Any) -> bool:
    """Has a number two digits, the second being 0 or 5, and else zeros?"""
    return float(f"{end:.1e}") == end and f"{end:.1e}".partition("e")[0][-1] in "05"


CELLS = st.one_of(st.integers(-50, 50), st.none(), st.sampled_from([0, 7, 1000]))


@share_of_examples(0.3)
@given(data=st.data(), k=st.integers(1, 6))
def test_whatever_the_cells_are_the_judge_finds_them_true(data: st.DataObject, k: int) -> None:
    rows = data.draw(st.integers(k, 40))
    n = data.draw(st.lists(CELLS, min_size=rows, max_size=rows))
    w = data.draw(st.lists(st.sampled_from(["a", "b", "c", "d", None]), min_size=rows, max_size=rows))
    frame = pl.DataFrame({"n": n, "w": w}, schema={"n": pl.Int64, "w": pl.String})
    policy = ks.Policy(public=["n", "w"], require=f"k={k}")
    told = ks.anonymize(frame, policy, "mondrian", secret="0" * 32).marginals()
    for each in told.attributes:
        people = [share.people for share in each.shares]
        assert counted(each, frame[each.name].to_list()) == people
        assert min(people) >= k
        common = Counter(frame[each.name].to_list())
        ends = {end for share in each.shares if isinstance(share, NumberShare) for end in (share.low, share.high)}
        assert all(common[end] >= k or is_round(end) or (end / each.step) % 1 == 0 for end in ends - {None})  # type: ignore
    assert broken_distributions(told, encode(frame, policy), policy) == []
    assert read_distributions(json.loads(write_distributions(told))) == told


def test_values_under_one_name_of_the_hierarchy_are_joined() -> None:
    jobs = ks.Hierarchy.of([(word, word[0], "*") for word in ("ax", "ay", "bx", "by")])
    frame = pl.DataFrame({"job": ["ax", "ax", "ay", "bx", "bx", "by"]})
    policy = ks.Policy(public=["job"], require="k=3", hierarchies={"job": jobs})
    (told,) = ks.anonymize(frame, policy, "mondrian", secret="0" * 32).marginals().attributes
    assert told.shares == (WordShare(3, ("ax", "ay")), WordShare(3, ("bx", "by")))


FRAME = pl.DataFrame({"n": [1] * 5 + [2, 3, 47, 91, 99], "w": ["a"] * 6 + ["b"] * 3 + ["c"]})
POLICY = ks.Policy(public=["n", "w"], private=[], require="k=3")
WORDS = Distribution("w", "categorical", (WordShare(6, ("a",)), WordShare(4, ("b", "c"))))
NUMBERS = Distribution("n", "numeric", (NumberShare(5, 1, 1), NumberShare(5, None, None)), 5.0)


def refused(*told: Distribution, people: int = 10, requirement: str = "k=3", policy: ks.Policy = POLICY) -> bool:
    given = Distributions(requirement, people, told)
    try:
        judged_distributions(given, FRAME, policy)
    except (ks.DoesNotHold, ks.ModelError):
        return True
    return False


def test_the_judge_refuses_what_is_not_true_or_tells_of_a_few() -> None:
    assert not refused(WORDS, NUMBERS)
    alone = (WordShare(6, ("a",)), WordShare(3, ("b",)), WordShare(1, ("c",)))
    assert refused(replace(WORDS, shares=alone))
    assert refused(replace(WORDS, shares=(WordShare(5, ("a",)), WordShare(5, ("b", "c")))))
    assert refused(replace(WORDS, shares=(WordShare(6, ("a",)), WordShare(4, ("b",)))))
    assert refused(replace(WORDS, shares=(WordShare(6, ("a",)), WordShare(4, ("b", "c", "nobody")))))
    assert refused(WORDS, people=11)
    assert refused(WORDS, requirement="k=2")
    assert refused(replace(WORDS, kind="numeric"))
    assert refused(replace(WORDS, name="n"))


def test_the_judge_refuses_ends_that_few_people_have() -> None:
    def cut(at: float, step: float | None = 5.0) -> Distribution:
        below = sum(value < at for value in FRAME["n"]) - 5
        ranges = (NumberShare(below, None, at), NumberShare(5 - below, at, None))
        return replace(NUMBERS, shares=(NumberShare(5, 1, 1), *ranges), step=step)

    two = ks.Policy(public=["n", "w"], require="k=2")
    told = {"requirement": "k=2", "policy": two}
    assert not refused(cut(45), **told)
    assert refused(cut(47), **told)  # one person's own number
    assert refused(cut(46, 1.0), **told)  # too fine a grid
    assert refused(cut(46, 2.3), **told)  # no round one
    assert refused(cut(46, None), **told)
    assert not refused(cut(46, 2.0), **told)
    assert not refused(cut(45, None), **told)


def test_private_attributes_are_never_told() -> None:
    policy = ks.Policy(public=["n"], private=["w"], require="k=3")
    assert refused(WORDS, policy=policy)
    told = ks.anonymize(FRAME, policy, "mondrian", secret="0" * 32).marginals()
    assert told.of("w") is None


def test_those_who_are_withheld_are_not_counted() -> None:
    frame = pl.DataFrame({"x": ["a"] * 30 + ["c"] * 20 + ["b"]})
    release = ks.anonymize(frame, ks.Policy(public=["x"], require="k=5"), "datafly", secret="0" * 32)
    assert release.withheld == 1
    (told,) = release.marginals().attributes
    assert told.shares == (WordShare(30, ("a",)), WordShare(20, ("c",)))


@pytest.mark.parametrize("more", [{"counting": "people"}, {"suppressed": "anything"}, {"weight": "n"}, {"person": "n"}])
def test_where_rows_are_not_what_is_counted_they_are_refused(more: dict[str, str]) -> None:
    frame = pl.DataFrame({"x": ["a", "b"] * 10, "n": [1, 1, 2, 2] * 5}).select("x", *({"n"} & set(more.values())))
    release = ks.anonymize(frame, ks.Policy(public=["x"], require="k=2", **more), "mondrian", secret="0" * 32)  # type: ignore[arg-type]
    with pytest.raises(ks.PolicyError, match="release the table without them"):
        release.marginals()


def test_they_are_written_with_the_table_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = ks.anonymize(ADULT, rules(10), "mondrian", secret="0" * 32)
    release.save(tmp_path / "a.csv", marginals=tmp_path / "a.json")
    assert ks.load_distributions(tmp_path / "a.json") == release.marginals()
    named = json.loads((tmp_path / "a.csv.release.json").read_text())["marginals"]
    assert named == {"file": "a.json", "sha256": sha256((tmp_path / "a.json").read_bytes()).hexdigest()}
    lie = replace(release.marginals(), people=7)
    monkeypatch.setattr(ks.TableRelease, "marginals", lambda self: lie)
    with pytest.raises(ks.KspanError):
        release.save(tmp_path / "b.csv", marginals=tmp_path / "b.json")
    assert not list(tmp_path.glob("b*"))


def test_the_command_line_writes_them_and_learns_by_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ADULT.write_csv("people.csv")
    Path("policy.toml").write_text(f'public={json.dumps(ROLES["public"])}\ntarget="income"\n[require]\nk=10\n')
    make = ["anonymize", "people.csv", "-p", "policy.toml", "-m", "mondrian", "-o", "out.csv"]
    assert main([*make, "--marginals", "out.csv"]) == 2
    assert main([*make, "--marginals", "told.json"]) == 0
    learn = ["learn", "out.csv", "--target", "income", "-o", "model.json", "--marginals", "told.json"]
    assert main([*learn, "-m", "boosted"]) == 0
    assert main([*learn, "-m", "c45"]) == 2
    assert main(["predict", "model.json", "people.csv", "-o", "labels.csv"]) == 0
    labels = pl.read_csv("labels.csv")["predicted: income"]
    assert (labels == ADULT["income"]).mean() > 0.78
    Path("told.json").write_text(Path("told.json").read_text().replace('"people": ', '"people": -', 1))
    assert main([*learn, "-m", "boosted"]) == 2


def test_marginals_do_not_leave_beside_a_ledger(tmp_path: Path) -> None:
    people = FRAME.with_row_index("id").cast({"id": pl.String})
    public = [name for name in FRAME.columns if name != FRAME.columns[-1]]
    policy = ks.Policy(identifier=["id"], public=public, private=[FRAME.columns[-1]], require="k=2")
    with ks.Ledger.create(tmp_path / "releases.ledger"):
        made = ks.anonymize(people, policy, "mondrian")
        with pytest.raises(ks.PolicyError, match="not judged together with earlier releases"):
            made.save(tmp_path / "out.csv", marginals=tmp_path / "told.json")
    assert not (tmp_path / "out.csv").exists()
    assert not (tmp_path / "told.json").exists()
