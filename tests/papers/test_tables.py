"""Numbers that the papers print about tables, as the audit gives them."""

import pytest

import kspan as ks

LOANS = ks.Policy(
    identifier=["Name"],
    public=["Gender", "Married", "Age", "Sports car"],
    private=["Loan risk"],
    target="Loan risk",
    require="k=3",
)


def test_the_anonymous_mortgage_table_is_3_anonymous_not_4() -> None:
    """Friedman et al. 2008, Table 2."""
    table = ks.datasets.mortgage_anonymous()
    found = ks.audit(table, LOANS)
    assert found.holds
    assert (found.k.rows, found.k.people, found.groups) == (3, 3, 4)
    assert not ks.audit(table, ks.Policy(**{**vars(LOANS), "require": "k=4"})).holds


def test_half_of_the_anonymous_mortgage_table_is_exposed() -> None:
    """Friedman et al. 2008, 6.3 on Table 2: the 6 people of two groups share one label each, so 50%."""
    found = ks.audit(ks.datasets.mortgage_anonymous(), LOANS)
    assert found.exposed["Loan risk"] / found.people == 0.5
    assert found.utility.cm == 2


def test_the_original_mortgage_table_points_at_people() -> None:
    found = ks.audit(ks.datasets.mortgage().drop("Name"), LOANS)
    assert not found.holds
    assert found.k.people == 1


def test_names_alone_break_a_release() -> None:
    named = ks.datasets.mortgage_anonymous()
    if "Name" not in named.columns:
        named = named.with_columns(ks.datasets.mortgage()["Name"])
    found = ks.audit(named, LOANS)
    assert (found.holds, found.identifiers, found.failing_groups) == (False, ("Name",), 0)


def test_the_anonymous_patients_are_3_anonymous() -> None:
    """Shao, Beckford, Table II: two groups of three."""
    policy = ks.Policy(public=["Age", "Gender", "Postcode"], private=["Disease"], require="k=3")
    table = ks.datasets.patients_anonymous()
    found = ks.audit(table.select("Age", "Gender", "Postcode", "Disease"), policy)
    assert (found.holds, found.k.people, found.groups) == (True, 3, 2)
    assert not ks.audit(ks.datasets.patients().select(table.columns), policy).holds


@pytest.mark.parametrize(("confidence", "entropy_l"), [(0.85, 1.526)])
def test_a_confidence_limit_is_an_entropy_limit(confidence: float, entropy_l: float) -> None:
    """Friedman et al. 2008, 6.3: to deny more than 85%, keep the entropy above 0.61 bits, which is l = 1.526."""
    from kspan.data.groups import Counts

    at_the_limit = Counts.of([[round(confidence * 100), 100 - round(confidence * 100)]])
    assert ks.EntropyL(1.0).reached(at_the_limit) == pytest.approx(entropy_l, abs=5e-4)
    assert ks.Confidence(confidence).holds_for(at_the_limit).all()


def test_the_diversity_of_the_paths_of_the_sharing_paper() -> None:
    """Tian et al., Fig. 5 under (3, 3)-diversity, on the worst-case counts that their Definition 11 assumes."""
    from kspan.data.groups import Counts

    patterns = {"d": [3], "e": [5, 3, 1], "k": [2, 1, 1], "m": [2, 2, 2, 1], "n": [1, 1, 1]}
    width = max(map(len, patterns.values()))
    counts = Counts.of([pattern + [0] * (width - len(pattern)) for pattern in patterns.values()])
    held = dict(zip(patterns, ks.RecursiveCL(3, 3).holds_for(counts).tolist(), strict=True))
    assert held == {"d": False, "e": False, "k": True, "m": True, "n": True}
