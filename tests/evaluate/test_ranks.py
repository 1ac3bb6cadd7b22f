"""The Friedman and Bonferroni-Dunn tests, on the printed numbers of Demsar 2006 and beside scipy."""

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

import kspan as ks

C45 = {
    "C4.5": [4, 1, 4, 4, 4, 1, 3, 2.5, 4, 2.5, 4, 3, 4, 3],
    "C4.5+m": [3, 2, 1, 1, 2, 2.5, 2, 2.5, 3, 2.5, 2.5, 2, 1, 1],
    "C4.5+cf": [2, 3, 2, 3, 3, 4, 4, 4, 2, 2.5, 1, 4, 2, 4],
    "C4.5+m+cf": [1, 4, 3, 2, 1, 2.5, 1, 1, 1, 2.5, 2.5, 1, 3, 2],
}
"""Ranks by AUC on 14 data sets (Demsar 2006, Table 6)."""
FOUND = ks.friedman({name: [-rank for rank in ranks] for name, ranks in C45.items()})


def test_friedman_as_printed() -> None:
    assert FOUND.data_sets == 14
    assert [round(rank, 3) for rank in FOUND.ranks.values()] == [3.143, 2.000, 2.893, 1.964]
    assert round(FOUND.chi2, 2) == 9.28
    assert round(FOUND.f, 2) == 3.69
    # The critical value of F(3, 39) at 0.05 is 2.85, so that equality is rejected.
    assert FOUND.p < 0.05
    assert FOUND.chi2_p < 0.05


def test_bonferroni_dunn_as_printed() -> None:
    """CD = 2.394 * sqrt(4 * 5 / (6 * 14)), printed as 1.16; of the three variants one is better than C4.5."""
    found = FOUND.against("C4.5")
    assert found.critical_difference == pytest.approx(2.394 * np.sqrt(20 / 84), abs=1e-3)
    assert {name: round(value, 3) for name, value in found.differences.items()} == {
        "C4.5+m": -1.143,
        "C4.5+cf": -0.25,
        "C4.5+m+cf": -1.179,
    }
    assert (found.better_than, found.worse_than) == ([], ["C4.5+m+cf"])
    assert [name for name, p in found.p.items() if p < 0.05] == ["C4.5+m+cf"]


@pytest.mark.parametrize(
    ("alpha", "printed"),
    [
        (0.05, [1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.724, 2.773]),
        (0.10, [1.645, 1.960, 2.128, 2.241, 2.326, 2.394, 2.450, 2.498, 2.539]),
    ],
)
def test_critical_values_as_printed(alpha: float, printed: list[float]) -> None:
    """Demsar 2006, Table 5b, for 2 to 10 classifiers; that for nine at 0.05 is 2.734, printed as 2.724."""
    for methods, q in enumerate(printed, start=2):
        found = ks.friedman({str(number): [number, number] for number in range(methods)})
        ours = found.against("0", alpha=alpha).critical_difference / np.sqrt(methods * (methods + 1) / 12)
        assert ours == pytest.approx(2.734 if q == 2.724 else q, abs=1.1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_without_ties_it_is_the_test_of_scipy(seed: int) -> None:
    scores = np.random.default_rng(seed).random((4, 9))
    found = ks.friedman({str(number): row.tolist() for number, row in enumerate(scores)})
    theirs = friedmanchisquare(*scores)
    assert (found.chi2, found.chi2_p) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))


def test_extremes() -> None:
    always = ks.friedman({"good": [3, 3, 3], "fair": [2, 2, 2], "poor": [1, 1, 1]})
    assert (always.f, always.p) == (np.inf, 0)
    assert ks.friedman({"one": [1, 1, 1], "other": [1, 1, 1]}).p == 1


@pytest.mark.parametrize(
    "scores",
    [
        {},
        {"one": [1, 2]},
        {"one": [1, 2], "other": [1]},
        {"one": [1], "other": [2]},
        {"one": [1, 2], "two": [1, np.nan]},
    ],
)
def test_incomplete_scores_are_refused(scores: dict[str, list[float]]) -> None:
    with pytest.raises(ks.DataError, match="complete the scores"):
        ks.friedman(scores)


def test_an_unknown_control_is_refused() -> None:
    with pytest.raises(ks.PolicyError, match=r"no method 'C45' \(did you mean"):
        FOUND.against("C45")
    with pytest.raises(ks.PolicyError, match="alpha must be"):
        FOUND.against("C4.5", alpha=5)
