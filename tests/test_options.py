"""Options are declared once: what functions say of them, what commands make of that, and what both refuse."""

import subprocess
import sys
from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
import polars as pl
import pytest
import typer

import kspan as ks
from kspan.anonymize.crowds import Crowds
from kspan.cli.anonymize import AnonymizeCommand
from kspan.cli.learn import LearnCommand
from kspan.cli.main import app, main
from kspan.cli.methods import by_name, check_given, help_of
from kspan.induce.methods import (
    LEARNERS,
    PREDICTING,
    PRIVATE_METHODS,
    TREE_METHODS,
    Learner,
    OtherMethod,
    TreeMethod,
)
from kspan.induce.rules.learner import MinedRules
from kspan.options import NO_OPTIONS, NOT_TYPED, Option, Typed, Within, check_names, declared, hands_on, takes_options
from kspan.tables.methods import methods, options_of

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: learner.function for name, learner in LEARNERS.items()},
    **methods(),
}


@takes_options
def grown(
    table: object,
    *,
    needed: object,
    rows: Annotated[int, Within(1)] = 2,
    share: Annotated[float, Within(0, 1)] | None = None,
    score: Annotated[Literal["gain", "gini", "own"], Typed(without=("own",))] = "gain",
    prune: bool = True,
    relaxed: bool = False,
    raising: Annotated[bool, Typed(("--up", "--no-up"))] = False,
    inducer: Literal["c45"] | Any = "c45",
    worth: Annotated[float, NOT_TYPED] = 1.0,
    told: dict[str, float] | None = None,
    rng: Annotated[int, Within(0)] | np.random.Generator = 0,
    progress: Callable[[float], None] | None = None,
    known: list[int] | None = None,
) -> dict[str, object]:
    """A tree, or rather what it was told.

    Options:
        rows: People of a branch.
        share: The share of people
            that is left out.
        score: How splits are compared.
        prune: Prune it.
        relaxed: Be relaxed.
        raising: Raise branches.
        inducer: The tree inside.
        worth: Of a row.
        told: What was told.
        rng: The seed.

    More is said here: of nothing.
    """
    return {"rows": rows, "share": share, "score": score, "inducer": inducer, "worth": worth, "told": told, "rng": rng}


# What a function declares


def test_flags_follow_from_kinds_and_defaults() -> None:
    assert {name: option.flags for name, option in declared(grown).items()} == {
        "rows": ("--rows",),
        "share": ("--share",),
        "score": ("--score",),
        "prune": ("--prune", "--no-prune"),
        "relaxed": ("--relaxed",),
        "raising": ("--up", "--no-up"),
        "inducer": ("--inducer",),
        "worth": (),
        "told": (),
        "rng": ("--seed",),
    }


def test_all_else_is_in_the_signature_and_the_docstring() -> None:
    found = declared(grown)
    assert found["rows"] == Option("rows", ("--rows",), int, (), (), 2, "People of a branch.", least=1)
    assert (found["share"].help, found["share"].default) == ("The share of people that is left out.", None)
    assert (found["share"].least, found["share"].most, found["share"].kind) == (0, 1, float)
    assert (found["score"].words, found["score"].typed_words) == (("gain", "gini", "own"), ("gain", "gini"))
    assert {name for name, option in found.items() if option.takes_more} == {"share", "inducer", "told", "rng"}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "too little": ({"rows": 0}, "rows must be a whole number of at least 1, not 0"),
    "a part": ({"rows": 1.5}, "rows must be a whole number"),
    "no number": ({"rows": "two"}, "rows must be a whole number"),
    "nothing": ({"rows": None}, "rows must be a whole number"),
    "too much": ({"share": 2}, "share must be a number from 0 to 1, not 2"),
    "of numpy": ({"share": np.float32(2)}, "share must be a number from 0 to 1"),
    "misspelt": ({"score": "gainn"}, r"score cannot be 'gainn' \(did you mean 'gain'\?\): use gain, gini, own"),
    "no word": ({"score": 3}, "score cannot be '3'"),
    "no such tree": ({"inducer": "c46"}, "inducer cannot be 'c46'"),
    "a negative seed": ({"rng": -1}, "rng must be a whole number of at least 0"),
}


@pytest.mark.parametrize(("given", "said"), REFUSED.values(), ids=REFUSED)
def test_what_an_option_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ks.PolicyError, match=said):
        grown(None, needed=None, **given)


ADMITTED: dict[str, dict[str, Any]] = {
    "of numpy": {"rows": np.int64(3), "share": np.float32(0.5)},
    "whole": {"rows": 2.0},
    "at its bounds": {"rows": 1, "share": 1},
    "nothing": {"share": None, "told": None},
    "for Python alone": {"score": "own", "inducer": object(), "told": {}, "worth": 7},
    "a generator": {"rng": np.random.default_rng(0)},
}


@pytest.mark.parametrize("given", ADMITTED.values(), ids=ADMITTED)
def test_what_an_option_can_be_is_handed_on_as_it_is(given: dict[str, Any]) -> None:
    told = grown(None, needed=None, **given)
    assert {name: told[name] for name in given} == given
    assert {name: told[name] for name in told if name not in given} == {
        name: option.default for name, option in declared(grown).items() if name in told and name not in given
    }


def test_the_command_line_has_its_own_words() -> None:
    found = declared(grown)
    with pytest.raises(ks.PolicyError, match="--score cannot be 'own': use gain, gini"):
        found["score"].check_typed("own")
    with pytest.raises(ks.PolicyError, match="--rows must be"):
        found["rows"].check_typed(0)
    assert (found["prune"].flag(True), found["prune"].flag(False)) == ("--prune", "--no-prune")


def test_every_keyword_has_a_sentence_and_every_sentence_a_keyword() -> None:
    def silent(*, rows: int = 1) -> None:
        """Says nothing."""

    def chatty() -> None:
        """Says too much.

        Options:
            rows: There are none.
        """

    for function in (silent, chatty):
        with pytest.raises(TypeError, match="differ by rows"):
            declared(function)


def test_options_that_are_handed_on_are_declared_where_they_are_used() -> None:
    @hands_on(grown)
    @takes_options
    def first(*, before: bool = False, **options: Any) -> None:
        """Does something before.

        Options:
            before: Do it.
        """
        grown(None, needed=None, **options)

    assert list(declared(first)) == ["before", *declared(grown)]
    with pytest.raises(ks.PolicyError, match="rows must be"):
        first(before=True, rows=0)


def test_names_are_checked() -> None:
    with pytest.raises(ks.PolicyError, match=r"id3 has no option 'scor' \(did you mean 'score'\?\): use score, rows"):
        check_names("id3", ["score", "scor"], ["score", "rows"])
    with pytest.raises(ks.PolicyError, match="tds has no option 'x': it has none"):
        check_names("tds", ["x"], [])


# The methods that there are


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_method_declares_and_checks_its_options(name: str) -> None:
    function = FUNCTIONS[name]
    options = declared(function)
    own = {one.name for one in signature(function).parameters.values() if one.kind is Parameter.KEYWORD_ONLY}
    assert own - {"rng", *NO_OPTIONS} <= set(options)
    assert not options or hasattr(function, "__wrapped__"), "it lacks @takes_options"
    for option in options.values():
        assert option.help.endswith(".")
        assert option.help[0].isupper()
        if option.default is not None:
            option.check(option.default)


@pytest.mark.parametrize("command", ["learn", "anonymize"])
def test_commands_have_the_options_of_all_methods_and_no_other(command: str) -> None:
    found = typer.main.get_command(app).commands[command]  # type: ignore[attr-defined]
    typed = {name: each for name, each in by_name(found.methods()).items() if each}
    assert {param.name.removeprefix("of_method_") for param in found.of_methods} == set(typed)
    for param in found.of_methods:
        for option in typed[param.name.removeprefix("of_method_")].values():
            assert (*param.opts, *param.secondary_opts) == option.flags
        assert param.default is None


FLAGS = {
    "learn": "--score --min-rows --confidence-factor --prune --no-prune --raising --no-raising --entropy --division "
    "--seed --likelihood --alpha --numbers --bins --var-smoothing --C --missing-indicator --no-missing-indicator "
    "--max-iter --min-support --min-confidence --measure --max-items --most --min-people --scaling --tell-lift",
    "anonymize": "--show --inducer --transfer --merge-siblings --refine --no-refine --relaxed --width --loss "
    "--withhold --search --seconds --most-values",
}
"""What can be typed, which must not change by accident: scripts use it."""


@pytest.mark.parametrize("command", FLAGS)
def test_flags_stay_as_they_are(command: str) -> None:
    found = typer.main.get_command(app).commands[command]  # type: ignore[attr-defined]
    flags = {flag for param in found.of_methods for flag in (*param.opts, *param.secondary_opts)}
    assert flags >= set(FLAGS[command].split()), "there may be more, but none of these may go"


@pytest.mark.parametrize("command", FLAGS)
def test_help_says_whose_each_option_is(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.replace("│", " ").split())
    said = {
        "learn": [
            "Options of logistic",
            "Of kadet and id3: information-gain (default), gain-ratio or gini.",
            "Of kadet and id3: at least 1; 1 by default. Of kadet-c45, c45 and part: at least 1; 2 by default.",
            "Of id3: equal (default), em, random or own-value. Of c45, part and conjunctive: equal (default), em or",
            "Use fractional (default), random or frequent.",
            "kadet, kadet-c45, rules, itemsets and clusters keep the requirement;",
        ],
        "anonymize": ["Options of kactus", "Use c45, id3 or together.", "Of k-optimize: cm (default) or dm."],
    }
    for sentence in said[command]:
        assert sentence in shown


class _Clashing(LearnCommand):
    def __init__(self, **options: Option) -> None:
        super().__init__("learn", params=[])
        self.params = list(typer.main.get_command(app).commands["learn"].params)  # type: ignore[attr-defined]
        self.named = options

    def methods(self) -> dict[str, dict[str, Option]]:
        return {method: {option.name: option} for method, option in self.named.items()}


def test_an_option_of_a_method_must_not_hide_another() -> None:
    deep = Option("depth", ("--depth",), int, (), (), 1, "How deep.")
    with pytest.raises(TypeError, match="--depth of new is an option of learn"):
        _ = _Clashing(new=deep).of_methods
    rows, words = (Option("rows", ("--rows",), kind, (), (), 1, "Rows.") for kind in (int, float))
    with pytest.raises(TypeError, match="rows is not the same kind of option for a and b"):
        _ = _Clashing(a=rows, b=words).of_methods


def test_what_a_method_does_not_take_is_told_with_what_it_takes() -> None:
    option = declared(grown)
    known = {"tree": {"rows": option["rows"]}, "other": {"prune": option["prune"]}, "list": {}, "rules": {}}
    kinds = {"tree": 1, "other": 1, "list": 1, "rules": 2}
    check_given("tree", {"rows": 3}, known, kinds)
    for method, said in {
        "tree": "-m tree does not take --no-prune: leave it out, or use --rows",
        "list": "-m list does not take --no-prune: it has no options, leave it out",
        "rules": "-m rules does not take --no-prune: leave it out, or use -m other",
        "tee": r"-m cannot be 'tee' \(did you mean 'tree'\?\)",
    }.items():
        with pytest.raises(ks.PolicyError, match=said):
            check_given(method, {"prune": False}, known, kinds)


def test_help_where_methods_mean_different_things() -> None:
    rules, groups = (Option("most", ("--most",), int, (), (), most, f"The most {what}.") for most, what in
                     ((100, "rules"), (10, "clusters")))  # fmt: skip
    assert help_of({"rules": rules, "clusters": groups}) == (
        "The most rules. Of rules: 100 by default. The most clusters. Of clusters: 10 by default."
    )


def test_table_commands_list_all_methods() -> None:
    assert AnonymizeCommand("anonymize").about_methods().startswith(", ".join(methods()))
    assert list(options_of("kactus")) == [
        "inducer", "show", "blank", "refine", "rest", "merge_siblings", "transfer",
    ]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("method", methods())
def test_whether_a_requirement_can_be_reached_is_asked_once(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr(Crowds, "check_reachable", lambda crowds: asked.append(crowds.k))
    public = ["Gender", "Married", "Age", "Sports car"]
    policy = ks.Policy(identifier=["Name"], public=public, target="Loan risk", require="k=3")
    ks.anonymize(ks.datasets.mortgage(), policy, method, secret="0" * 32)
    assert asked == [3]


@pytest.mark.slow
def test_options_without_docstrings() -> None:
    """As they are under python -OO."""
    code = "from kspan.induce.methods import options_of; print(*options_of('id3'))"
    done = subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["score", "min_rows", "entropy", "division", "marginals", "rng"]


# The learners by name


def test_what_is_known_of_learners_follows_from_the_registry() -> None:
    assert {"grouped", "kadet", "kadet-c45", "rules", "itemsets", "clusters"} == PRIVATE_METHODS
    assert set(LEARNERS) - set(PREDICTING) == {"rules", "itemsets", "clusters"}
    assert set(get_args(TreeMethod)) <= set(TREE_METHODS)
    assert not set(get_args(OtherMethod)) & set(TREE_METHODS)
    assert Learner(ks.mine_rules).gives is MinedRules


def test_clusters_by_name() -> None:
    people = pl.DataFrame({"age": [20, 21, 22, 60, 61, 62], "pay": [1, 2, 3, 7, 8, 9]})
    policy = ks.Policy(public=["age"], private=["pay"], require="k=3")
    found = ks.learn(people, policy, "clusters", scaling="range")
    assert isinstance(found, ks.Clusters)
    assert found == ks.learn_clusters(people, policy, scaling="range")
    with pytest.raises(ks.PolicyError, match=r"clusters has no option 'mots' \(did you mean 'most'\?\)"):
        ks.learn(people, policy, "clusters", mots=3)


def test_rules_by_name(tmp_path: Path) -> None:
    rows = np.arange(300)
    people = pl.DataFrame({"A": rows % 2 == 0, "B": rows % 3 == 0, "x": rows % 6 < 2})
    policy = ks.Policy(public=["[AB]"], private=["x"], require="k=20")
    found = ks.learn(people, policy, "rules", max_items=2, most=3)
    assert isinstance(found, ks.MinedRules)
    mined = ks.mine_rules(people, policy, max_items=2, most=3)
    assert (found.rules, found.left_out.to_dicts()) == (mined.rules, mined.left_out.to_dicts())
    people.write_csv(tmp_path / "baskets.csv")
    assert ks.learn(tmp_path / "baskets.csv", policy, "rules", max_items=2, most=3).rules == mined.rules
    with pytest.raises(ks.PolicyError, match=r"there is no method 'rulez' .did you mean 'rules'"):
        ks.learn(people, policy, "rulez")


def test_comparing_and_merging_take_what_predicts() -> None:
    with pytest.raises(ks.PolicyError, match="no learner 'clusters'"):
        ks.compare(
            pl.DataFrame({"a": [1]}),
            {},
            pl.DataFrame({"a": [1]}),
            ks.Policy(public=["a"], target="a", require="k=1"),
            ["clusters"],
        )
    with pytest.raises(ks.PolicyError, match="rules keeps a requirement"):
        ks.merge_trees([], "rules")
