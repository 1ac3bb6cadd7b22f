"""Several releases about people who come and go: the verdict is that of all worlds which the releases admit."""

from collections.abc import Sequence
from typing import Any

import polars as pl
from hypothesis import assume, given
from hypothesis import strategies as st

import kspan as ks
from kspan.model.tree.model import Attribute
from laws import naive_together as naive
from laws.examples import share_of_examples
from laws.naive_spans import random_trees

PUBLIC = {"zip": ("x", "y", "z"), "sex": ("f", "m")}
DOMAINS: dict[str, Any] = {**PUBLIC, **naive.PRIVATE}
PEOPLE = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in DOMAINS.items()})


@st.composite
def histories(draw: st.DrawFn, most: int = 5) -> tuple[list[dict[str, str]], list[naive.Published]]:
    """People, and three releases about some of them each."""
    people = draw(st.lists(PEOPLE, min_size=2, max_size=most))
    everybody = range(len(people))
    return people, [draw(published(people, draw(st.sets(st.sampled_from(everybody), min_size=1)))) for _ in range(3)]


@st.composite
def published(draw: st.DrawFn, people: Sequence[dict[str, str]], members: set[int]) -> naive.Published:
    """A tree, or a table in which every public value is shown as a set that holds it."""
    there = tuple(sorted(members))
    if draw(st.booleans()):
        attributes = [
            *(Attribute(name, "public", "categorical", values) for name, values in PUBLIC.items()),
            Attribute("job", "private", "categorical", naive.PRIVATE["job"]),
        ]
        those = [people[one] for one in there]
        tree = draw(random_trees(attributes, "ill", "private", naive.PRIVATE["ill"], those, DOMAINS, deepest=2))
        return naive.Published(there, tree=tree)
    words = {}
    for name, values in PUBLIC.items():
        together = draw(st.sets(st.sampled_from(values)))
        shown = "{" + "|".join(sorted(together)) + "}"
        words[name] = {value: shown if value in together and len(together) > 1 else value for value in values}
    return naive.Published(there, words=words)


def policy(require: str) -> ks.Policy:
    return ks.Policy(
        identifier=["id"], public=list(PUBLIC), private=list(naive.PRIVATE), target="ill", require=require,
        domains=DOMAINS, counting="people",
    )  # fmt: skip


def as_given(people: Sequence[dict[str, str]], release: naive.Published) -> tuple[Any, pl.DataFrame]:
    """A release as the judge gets it, and its people: in another order, so that only their names tell who is who."""
    frame = pl.DataFrame([{"id": f"p{one}", **people[one]} for one in reversed(release.members)])
    if release.tree is not None:
        return release.tree, frame
    assert release.words is not None
    return frame.drop("id").with_columns(
        pl.col(name).replace_strict(word, return_dtype=pl.String) for name, word in release.words.items()
    ), frame


def judged(people: Sequence[dict[str, str]], releases: Sequence[naive.Published], require: str) -> ks.Audit:
    (first, those), *others = [as_given(people, release) for release in releases]
    return ks.audit(first, those, policy(require), beside=others)


def overlapping(releases: Sequence[naive.Published]) -> bool:
    """Is anybody in several of them? Otherwise nobody can say that names are spelled alike."""
    return sum(len(release.members) for release in releases) > len({one for each in releases for one in each.members})


def told(release: naive.Published, number: int, name: str) -> bool:
    return number in release.members and release.tells(name)


@share_of_examples(0.5)
@given(history=histories(most=8))
def test_joint_spans_are_those_of_the_definition(history: Any) -> None:
    people, releases = history
    found = judged(people, releases, "k=1")
    if not overlapping(releases):
        assert (found.holds, found.reading) == (False, "not proved")
        return
    there = {one for release in releases for one in release.members}
    crowds = {span: members for span, members in naive.crowds(people, releases).items() if there.issuperset(members)}
    assert found.people == len(there)
    assert sorted(one.people for one in found.crowds(99)) == sorted(map(len, crowds.values()))
    exposed = [len(members) for span, members in crowds.items() if naive.exposes(span)]
    assert found.k.people == min(exposed, default=len(there))
    for k in (2, 3):
        assert judged(people, releases, f"k={k}").holds == all(size >= k for size in exposed)


@share_of_examples(0.25)
@given(
    history=histories(),
    require=st.sampled_from(["distinct_l[ill]=2", "confidence[ill]=0.5", "confidence[ill]=0.7", "entropy_l[ill]=1.9"]),
)
def test_the_verdict_is_that_of_all_worlds_with_what_joint_spans_have(history: Any, require: str) -> None:
    people, releases = history
    of_whom = [one for one in range(len(people)) if any(told(release, one, "ill") for release in releases)]
    assume(of_whom and overlapping(releases))
    beliefs = naive.beliefs(people, list(naive.worlds(people, releases, told=True)), "ill")
    assert judged(people, releases, require).holds == all(naive.satisfied(beliefs[one], require) for one in of_whom)


@share_of_examples(0.25)
@given(history=histories())
def test_where_it_holds_no_world_is_ruled_out_that_the_requirement_needs(history: Any) -> None:
    people, releases = history
    assume(overlapping(releases))
    found = judged(people, releases, "k=1")
    beliefs = naive.beliefs(people, list(naive.worlds(people, releases, told=False)), "ill")
    sure = [one for one in range(len(people)) if len(beliefs[one]) == 1]
    certain = [one for one in sure if any(told(release, one, "ill") for release in releases)]
    # Whoever is inferred with certainty, by whatever way of thinking, is among those who are said to be exposed.
    assert len(certain) <= sum(found.exposed[name] for name in found.exposed if name.startswith("ill"))
    if judged(people, releases, "distinct_l[ill]=2").holds:
        assert not certain
