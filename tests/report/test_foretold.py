"""What a page and the terminal say of predictions is about people whom the model was not learned from."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import kspan as ks
from kspan.evaluate.cost import CostCurve, CostPoint, cost_curve
from kspan.evaluate.held_out import HeldOut, held_out
from kspan.report import foretold as told
from kspan.report.foretold import at_chosen, foretelling, foretold, warned
from kspan.report.summary import Summary

ADULT = ks.datasets.load_adult("train").select("age", "sex", "fnlwgt", "income").head(1200)
OTHERS = ks.datasets.load_adult("test").select(ADULT.columns)
BY_HEART = ks.Policy(public=["age", "sex"], private=["fnlwgt"], target="income", require="k=10")
GOOD = HeldOut("income", 5, people=32561, accuracy=0.853, standard_error=0.0043, guessing=0.759, guess="<=50K",
               gain_error=0.004)  # fmt: skip
NOT_TOLD = (
    "How well the tree predicts people it was not learned from is not told here: give such people "
    "(kspan report --test FILE)."
)


@pytest.fixture(scope="module")
def tree() -> ks.Tree:
    """A tree that knows its people by heart."""
    return ks.learn(ADULT, BY_HEART, "kadet")


def costs(*given: Any, **how: Any) -> tuple[str, ...]:
    return only(*given, **how).costs


def only(*given: Any, **how: Any) -> Summary:
    (chapter,) = ks.report(*given, **how).story.chapters
    return chapter


OF_FOLDS = "of people it was not learned from (5 folds of 32,561 people)"
GUESS = "always guessing <=50K is right for 75.9%"


HOURS = HeldOut("hours", 5, people=6000, standard_error=0.0623, gain_error=0.01, mean_absolute_error=7.351,
                guessing_error=7.913, explained=0.2081)  # fmt: skip
FOR_FOLDS = "for people it was not learned from (5 folds of 6,000 people)"
OFF = f"Predicts hours with an error of 7.35 ± 0.06 on average {FOR_FOLDS}"
MEAN = "always guessing the mean is 7.91 off"


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (GOOD, f"Predicts income correctly for 85.3% ± 0.4 {OF_FOLDS}; {GUESS}."),
        (
            replace(GOOD, accuracy=0.664),
            f"Predicts income correctly for 66.4% ± 0.4 {OF_FOLDS}: no better than always guessing <=50K, which is "
            "right for 75.9%.",
        ),
        (
            replace(GOOD, accuracy=0.76),
            f"Predicts income correctly for 76% ± 0.4 {OF_FOLDS}; {GUESS}, and the difference may be chance.",
        ),
        (
            replace(GOOD, folds=1, people=1),
            f"Predicts income correctly for 85.3% ± 0.4 of 1 person kept aside, whom it was not learned from; {GUESS}.",
        ),
        (
            replace(GOOD, people=60, rows=120, guess=None),
            "Predicts income correctly for 85.3% ± 0.4 of people it was not learned from (5 folds of 120 rows of 60 "
            "people); always guessing the commonest income is right for 75.9%.",
        ),
        (
            replace(GOOD, failed=2, reason="k=3 is too much"),
            f"Predicts income correctly for 85.3% ± 0.4 {OF_FOLDS}; {GUESS}. In 2 of 5 folds nothing could be learned: "
            "k=3 is too much.",
        ),
        (HOURS, f"{OFF}; {MEAN}. It explains 20.8% of how they differ."),
        (
            replace(HOURS, explained=0.015),
            f"{OFF}; {MEAN}. It explains 1.5% of how they differ, which may be chance.",
        ),
        (
            replace(HOURS, guessing_error=7.3),
            f"{OFF}; always guessing the mean is 7.30 off. Yet it explains 20.8% of how they differ, where large "
            "errors count more.",
        ),
        (
            replace(HOURS, explained=-0.2),
            f"{OFF}; {MEAN}. Yet it explains nothing of how they differ, where large errors count more.",
        ),
        (
            replace(HOURS, explained=0.0, guessing_error=7.351),
            f"{OFF}: no better than always guessing the mean, which is 7.35 off.",
        ),
        (
            replace(HOURS, explained=None, mean_absolute_error=0.0, guessing_error=0.0, standard_error=0.0),
            f"Predicts hours with an error of 0 ± 0 on average {FOR_FOLDS}: no better than always guessing the mean, "
            "which is 0 off.",
        ),
        (
            replace(
                HOURS, target="came", unit="days", mean_absolute_error=12.31, guessing_error=15.0, standard_error=0.4
            ),
            f"Predicts came with an error of 12.3 ± 0.4 days on average {FOR_FOLDS}; always guessing the mean is 15.0 "
            "days off. It explains 20.8% of how they differ.",
        ),
        (
            replace(HOURS, folds=0, people=60, rows=120, failed=0),
            "Predicts hours with an error of 7.35 ± 0.06 on average for 120 rows of 60 people in the test table; "
            f"{MEAN}. It explains 20.8% of how they differ.",
        ),
        (
            replace(HOURS, failed=2, reason="k=3 is too much"),
            f"{OFF}; {MEAN}. It explains 20.8% of how they differ. In 2 of 5 folds nothing could be learned: k=3 is "
            "too much.",
        ),
        (
            HeldOut("income", 5, failed=5, reason="k=3 is too much"),
            "How well it predicts people it was not learned from was not measured: k=3 is too much.",
        ),
    ],
)
def test_the_sentence(found: HeldOut, sentence: str) -> None:
    assert foretold(found, named=True) == sentence


def test_labels_and_columns_cannot_color_the_terminal() -> None:
    nasty = replace(GOOD, target="\x1b[31mincome", guess="\x1b[32mmuch", accuracy=0.5)
    assert "\x1b" not in foretold(nasty, named=True) + str(warned(nasty))
    assert "much" not in str(warned(nasty)), "logs keep warnings, and a label is a cell"


def test_only_what_is_no_better_than_a_guess_is_warned_of() -> None:
    assert warned(GOOD) is None
    assert warned(replace(GOOD, accuracy=0.76)) is None
    assert warned(replace(GOOD, accuracy=0.759)) == "Beware: it predicts income no better than a guess."
    assert warned(HeldOut("income", 5, failed=5, reason="it is")) is None
    assert warned(HOURS) is None
    assert warned(replace(HOURS, guessing_error=7.0)) is None, "squared errors decide"
    assert warned(replace(HOURS, explained=-0.1)) == "Beware: it predicts hours no better than a guess."


def test_a_page_of_a_tree_that_knows_people_by_heart_says_what_it_is_worth(tree: ks.Tree) -> None:
    assert len(tree.leaves) > 300
    page = ks.report(tree, ADULT, BY_HEART, method="kadet")
    (chapter,) = page.story.chapters
    found = held_out(ADULT, BY_HEART, "kadet")
    plain = held_out(ADULT, BY_HEART, "c45")
    assert chapter.held_out == found
    assert list(chapter.costs) == list(foretelling("tree", found, plain))
    assert "no better than always guessing the commonest income" in chapter.costs[0]
    own = sum(max(leaf.counts) for leaf in tree.leaves) / 1200
    for form in (page.html(), page.markdown(), str(page.as_dict())):
        assert f"{100 * own:.1f}%" not in form, "the share of its own people that it is right for"


def test_a_page_does_not_guess_how_a_tree_was_learned(tree: ks.Tree) -> None:
    chapter = only(tree, ADULT, BY_HEART)
    assert (chapter.costs, chapter.held_out) == ((NOT_TOLD,), None)
    assert costs(tree, require="k=10") == (NOT_TOLD,), "nor without its people"


def test_test_people_are_told_of(tree: ks.Tree) -> None:
    right = (ks.predict(tree, OTHERS)["predicted: income"] == OTHERS["income"]).mean()
    for given, how in (((tree, ADULT, BY_HEART), {}), ((tree,), {"require": "k=10"})):
        (sentence,) = costs(*given, test=OTHERS, **how)
        assert (
            f"correctly for {100 * float(right):.1f}% ± 0.4 of 16,281 people in the test table: no better" in sentence
        )  # type: ignore[arg-type]
    (sentence,) = costs(tree, ADULT, BY_HEART, test=OTHERS, method="kadet")
    assert "in the test table" in sentence


PEOPLE = ks.datasets.load_adult("train").select("age", "sex", "education", "hours-per-week", "income").head(1000)
STRANGERS = ks.datasets.load_adult("test").select(PEOPLE.columns).head(1000)
PAID = ks.Policy(public=["age", "sex", "education"], private=["income"], target="hours-per-week", require="k=10")


def test_a_page_of_a_tree_of_numbers_tells_errors() -> None:
    tree = ks.learn(PEOPLE, PAID)
    page = ks.report(tree, PEOPLE, PAID, method="grouped")
    (chapter,) = page.story.chapters
    found = held_out(PEOPLE, PAID)
    free = held_out(PEOPLE, replace(PAID, require=ks.KAnonymity(1)))
    assert chapter.held_out == found
    assert list(chapter.costs) == list(foretelling("tree", found, free))
    assert chapter.costs[0].startswith("The tree predicts hours-per-week with an error of ")
    assert chapter.costs[1].startswith("Without any promise a tree would be ")
    assert f"{free.explained:.1%}" in chapter.costs[1]
    for form in (page.html(), page.markdown(), str(page.as_dict())):
        assert "correctly" not in form
        assert "with an error of" in form
    assert costs(tree, PEOPLE, PAID) == (NOT_TOLD,)
    assert costs(tree, require="k=10") == (NOT_TOLD,)


@pytest.mark.parametrize("also", [[], ["income"]])
def test_test_people_of_a_tree_of_numbers(also: list[str]) -> None:
    tree = ks.learn(PEOPLE, PAID, also=also)
    off = (ks.predict(tree, STRANGERS)["predicted: hours-per-week"] - STRANGERS["hours-per-week"]).abs().mean()
    (sentence,) = costs(tree, PEOPLE, PAID, test=STRANGERS)
    assert sentence.startswith(f"The tree predicts hours-per-week with an error of {off:.2f} ± 0.")
    assert " on average for 1,000 people in the test table; always guessing the mean is " in sentence
    with pytest.raises(ks.DataError, match="learned from the people of the test table"):
        ks.report(tree, require="k=10", test=PEOPLE.sample(1000, shuffle=True))


def test_a_curve_of_numbers_and_its_sentence_are_one_figure() -> None:
    tree = ks.learn(PEOPLE, PAID)
    page = ks.report(tree, PEOPLE, PAID, method="grouped", curve=True)
    (chapter,) = page.story.chapters
    curve = cost_curve(PEOPLE, PAID, "grouped")
    assert chapter.curve == curve
    found = at_chosen(curve)
    (point,) = (point for point in curve.points if point.k == 10)
    assert (found.mean_absolute_error, found.explained) == (point.mean_absolute_error, point.explained)
    assert (found.guessing_error, found.people, found.accuracy) == (curve.guessing_error, curve.tested, None)
    assert chapter.costs[0].startswith(
        f"The tree predicts hours-per-week with an error of {point.mean_absolute_error:.2f} on average for "
        f"{curve.tested} people who were kept aside; always guessing the mean is {curve.guessing_error:.2f} off."
    )
    cell = f"{point.mean_absolute_error:.2f} ({point.explained:.1%} explained)"
    for form in (page.html(), page.markdown()):
        assert "off for new people" in form
        assert "right for new people" not in form
        assert cell.replace("(", "\\(").replace(")", "\\)") in form or cell in form


@pytest.mark.parametrize("method", ["part", "naive-bayes"])
def test_other_models_of_labels_are_tested_as_well(method: str) -> None:
    policy = replace(BY_HEART, public=("age", "sex", "fnlwgt"), private=("income",))
    model = ks.learn(ADULT, policy, method)
    called = {"part": "decision list", "naive-bayes": "naive Bayes model"}[method]
    assert costs(model, ADULT, policy) == (NOT_TOLD.replace("tree", called),)
    (sentence,) = costs(model, ADULT, policy, test=OTHERS)
    assert sentence.startswith(f"The {called} predicts income correctly for ")


def clusters() -> Any:
    return ks.learn_clusters(ADULT.select("age"), ks.Policy(public=["age"], require="k=10"), most=2)


@pytest.mark.parametrize(
    ("release", "people", "test", "match"),
    [
        (lambda tree: tree, ADULT, ADULT, "the people and the test table are the same"),
        (lambda tree: tree, None, ADULT, "learned from the people of the test table"),
        (lambda tree: tree.disclosing("label"), ADULT, ADULT.sample(1200, shuffle=True), "the test table are the same"),
        (lambda tree: tree, None, ADULT.sample(1200, shuffle=True), "learned from the people of the test table"),
        (lambda tree: ADULT, None, OTHERS, "only a model of kspan that predicts labels or numbers can"),
        (lambda tree: clusters(), None, OTHERS, "only a model of kspan that predicts labels or numbers can"),
    ],
)  # fmt: skip
def test_what_would_be_no_test_is_refused(
    tree: ks.Tree, release: Callable[[ks.Tree], Any], people: Any, test: pl.DataFrame, match: str
) -> None:
    given = [release(tree)] if people is None else [release(tree), people, BY_HEART]
    with pytest.raises(ks.KspanError, match=match):
        ks.report(*given, test=test)


def test_labels_alone_tell_nobody_whom_they_were_learned_from(tree: ks.Tree) -> None:
    assert costs(tree.disclosing("label"), ADULT, BY_HEART, test=ADULT.head(1100))


def test_a_curve_and_its_sentence_are_one_figure(tree: ks.Tree) -> None:
    chapter = only(tree, ADULT, BY_HEART, method="kadet", curve=True)
    curve = cost_curve(ADULT, BY_HEART, "kadet")
    assert chapter.curve == curve
    assert chapter.held_out is None
    found = at_chosen(curve)
    assert (found.accuracy, found.guessing, found.people) == (
        next(point.accuracy for point in curve.points if point.k == 10), curve.floor, curve.tested,
    )  # fmt: skip
    assert chapter.costs[0].startswith(f"The tree predicts income correctly for {100 * (found.accuracy or 0):.1f}% of ")
    assert chapter.costs[2:] == ("So it predicts income no better than a guess.",)


def test_a_chosen_k_that_could_not_be_measured_is_told() -> None:
    points = (CostPoint(2, accuracy=0.8), CostPoint(10, refused="k=10 cannot be reached"))
    found = at_chosen(CostCurve("kadet", "c45", "income", 400, 0.8, 0.7, 10, points))
    assert (found.accuracy, found.reason) == (None, "k=10 cannot be reached")
    frame = ADULT.head(30)
    release = ks.anonymize(frame.drop("fnlwgt"), ks.Policy(public=["age", "sex"], target="income", require="k=25"),
                           "mondrian", secret="1" * 32)  # fmt: skip
    assert any("kept aside are predicted was not measured: k=25 cannot be reached" in one for one in costs(release))


def test_what_cannot_be_measured_is_told_with_its_reason() -> None:
    frame = ks.datasets.small_mortgage()
    policy = ks.Policy(identifier=["Name"], public=["Marital status"], private=["Sports car"], target="Loan risk",
                       require="k=6")  # fmt: skip
    found = told.measured(frame, policy, "kadet", {}, lambda step: None)
    assert (found.failed, found.accuracy) == (5, None)
    gone = frame.with_columns(pl.when(pl.col("Name") == "Ben").then(None).otherwise("Loan risk").alias("Loan risk"))
    reason = told.measured(gone, policy, "kadet", {}, lambda step: None).reason
    assert reason == "1 people in the table have no label in 'Loan risk': leave them out first"
