"""Private values that look alike are one value: a respelling that nobody sees makes no group diverse."""

import json
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

ALIKE = {
    "a trailing blank": ("hiv", "hiv "),
    "a doubled blank": ("hiv positive", "hiv  positive"),
    "a no-break space": ("hiv positive", "hiv\u00a0positive"),
    "a tab": ("hiv positive", "hiv\tpositive"),
    "a zero-width space": ("hiv", "h\u200biv"),
    "a soft hyphen": ("hiv", "hi\u00adv"),
    "a variation selector": ("hiv", "hiv\ufe0f"),
    "a filler": ("hiv", "hiv\u3164"),
    "a control character": ("hiv", "hiv\x07"),
    "composed and decomposed": ("caf\u00e9", "cafe\u0301"),
    "composed around a joiner": ("caf\u00e9", "cafe\u200d\u0301"),
    "a full-width form": ("hiv", "ｈｉｖ"),
    "a number with a blank": ("1", "1 "),
    "a suppressed cell": ("*", "＊"),
    "nothing to see": (None, "\u200b"),
}


@pytest.mark.parametrize("pair", ALIKE.values(), ids=ALIKE)
def test_look_alikes_are_no_diversity(pair: tuple[str, str]) -> None:
    people = pl.DataFrame({"q": ["a", "a"], "p": list(pair)})
    found = ks.audit(people, ks.Policy(public=["q"], private=["p"], require="distinct_l=2"))
    assert not found.holds
    assert found.exposed == {"p": 2}
    assert ks.l_diversity(people, "q", "p") == 1


@pytest.mark.parametrize("pair", ALIKE.values(), ids=ALIKE)
def test_public_look_alikes_are_told_apart(pair: tuple[str, str]) -> None:
    people = pl.DataFrame({"q": list(pair), "p": ["x", "y"]})
    assert not ks.audit(people, ks.Policy(public=["q"], private=["p"], require="k=2")).holds


@pytest.mark.parametrize("pair", [("hiv", "Hiv"), ("hiv", "hi v"), ("a", "а")], ids=["case", "a blank", "a script"])
def test_what_is_seen_to_differ_differs(pair: tuple[str, str]) -> None:
    people = pl.DataFrame({"q": ["a", "a"], "p": list(pair)})
    assert ks.audit(people, ks.Policy(public=["q"], private=["p"], require="distinct_l=2")).holds


def test_a_spelling_of_the_policy_wins() -> None:
    people = pl.DataFrame({"q": ["a"] * 4, "p": ["flu ", "flu", "\u200bhiv", "n/a "]})
    policy = ks.Policy(public=["q"], private=["p"], domains={"p": ["flu", "hiv"]}, missing=["n/a"], require="k=2")
    assert ks.audit(people, policy).reached["p"]["distinct_l"] == 3


def test_numbers_stay_numbers() -> None:
    plain = pl.DataFrame({"q": ["a", "a", "b", "b"], "p": ["1", "2", "3", "10"]})
    odd = plain.with_columns(p=pl.Series(["1 ", "２", "3\u200b", "10"]))
    policy = ks.Policy(public=["q"], private=["p"], require="t=0.1")
    assert ks.audit(plain, policy).reached == ks.audit(odd, policy).reached


@pytest.mark.slow
def test_written_cells_stay_as_they_are() -> None:
    people = pl.DataFrame({"q": ["1", "2", "3", "4"], "p": ["hiv", "hiv ", "flu", "flu\u200b"]})
    made = ks.anonymize(people, ks.Policy(public=["q"], private=["p"], require="k=2, distinct_l=2"), method="mondrian")
    assert sorted(made.table["p"]) == sorted(people["p"])
    assert ks.audit(made.table, made.policy).holds


def test_a_tree_has_one_label_for_look_alikes(tmp_path: Path) -> None:
    people = pl.DataFrame({"q": ["a", "b"] * 8, "p": ["hiv", "flu", "hiv ", "ﬂu"] * 4})
    policy = ks.Policy(public=["q"], private=["p"], target="p", require="k=2, distinct_l=2")
    tree = ks.learn(people, policy, method="kadet")
    assert tree.labels == ("flu", "hiv")
    assert tree.root.is_leaf
    grown = ks.learn(people, policy, method="c45")
    assert len(grown.leaves) == 2
    assert not ks.audit(grown, people, policy).holds
    assert not ks.audit(grown, people.with_columns(p=pl.Series(["hiv ", "flu "] * 8)), policy).holds


def test_published_labels_that_look_alike_count_as_one(tmp_path: Path) -> None:
    document = {
        "format": "kspan/tree", "version": 1, "attributes": [],
        "target": {"name": "p", "role": "private", "labels": ["hiv", "hiv "]},
        "root": {"counts": [4, 4]},
    }  # fmt: skip
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(document))
    assert main(["audit", str(path), "--require", "distinct_l=2"]) == 1
    assert main(["audit", str(path), "--require", "k=8"]) == 0


def test_private_look_alikes_go_the_same_way() -> None:
    people = pl.DataFrame({"q": ["a"] * 12, "p": ["hiv", "hiv ", "flu"] * 4, "y": ["no", "no", "yes"] * 4})
    policy = ks.Policy(public=["q"], private=["p"], target="y", require="k=2")
    tree = ks.learn(people, policy, method="id3")
    assert ks.predict(tree, people).to_series().to_list() == people["y"].to_list()
    assert ks.predict(tree, pl.DataFrame({"q": ["a"], "p": ["ｈｉｖ"]})).to_series().to_list() == ["no"]
