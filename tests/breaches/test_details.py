"""What a refusal says quotes no cell; the cells themselves are its details, for the owner."""

import polars as pl
import pytest

import kspan as ks


def test_values_that_a_hierarchy_lacks_are_details() -> None:
    people = pl.DataFrame({"job": ["nurse", "spy", "assassin"], "p": ["a", "b", "c"]})
    jobs = ks.Hierarchy.of([("nurse", "health"), ("doctor", "health")])
    with pytest.raises(ks.KspanError) as refused:
        ks.audit(people, ks.Policy(public=["job"], private=["p"], hierarchies={"job": jobs}, require="k=1"))
    assert sorted(refused.value.details) == ["assassin", "spy"]
    assert "'job'" in str(refused.value)
    assert "2 values" in str(refused.value)
    assert not any(value in str(refused.value) for value in refused.value.details)
    assert ks.KspanError("no").details == ()
