"""The equivalent tables that Friedman et al. 2008 print."""

import kspan as ks


def test_the_equivalent_table_of_the_mortgage_tree() -> None:
    """Friedman et al. 2008, Fig. 1 (k=3) and Table 2, up to the order of the rows."""
    public = ["Gender", "Married", "Age", "Sports car"]
    policy = ks.Policy(identifier=["Name"], public=public, target="Loan risk", require="k=3")
    people = ks.datasets.mortgage()
    table = ks.equivalent_table(ks.learn(people, policy, "kadet"), people, policy)
    printed = ks.datasets.mortgage_anonymous()
    assert table.columns == printed.columns
    assert table.rows() == sorted(printed.rows())
    found = ks.audit(table, policy)
    assert (found.holds, found.k.people, found.groups) == (True, 3, 4)


def test_the_equivalent_table_with_a_private_car() -> None:
    """Friedman et al. 2008, Sect. 4.1: two groups of three, and a private column that tells the leaf."""
    policy = ks.Policy(
        identifier=["Name"], public=["Marital status"], private=["Sports car"], target="Loan risk", require="k=3"
    )
    people = ks.datasets.small_mortgage()
    table = ks.equivalent_table(ks.learn(people, policy, "kadet"), people, policy)
    assert table.rows() == sorted(people.drop("Name").rows())
    found = ks.audit(table, policy)
    assert (found.holds, found.k.people, found.groups) == (True, 3, 2)
