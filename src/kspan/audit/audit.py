"""The front door of the judge: a table or a model, with or without its people."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kspan.audit.findings import Audit
from kspan.audit.function.judge import audit_function
from kspan.audit.models import audit_model
from kspan.audit.table.judge import Progress, audit_table
from kspan.data.prepared import prepared
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.function.parts import is_function
from kspan.model.kinds import given_model
from kspan.policy import Policy, PolicyLike, people_and_policy
from kspan.privacy.requirement import Requirement


def audit(
    release: Any,
    people: Any = None,
    policy: PolicyLike | None = None,
    *,
    require: Requirement | str | None = None,
    beside: Sequence[Any] = (),
    population: Any = None,
    show: int = 5,
    progress: Progress = lambda step: None,
) -> Audit:
    """Replay the linking attack: `audit(table, policy)`, `audit(table, people, policy)`, `audit(tree, people, policy)`.

    A table, the people that a release was made from and a `population` are dataframes (pandas, polars, pyarrow) or
    paths of files; a tree is a `Tree`, the path of a model, or a fitted `DecisionTreeClassifier` of scikit-learn; the
    policy is a `Policy` or the path of one. What `kspan.anonymize` made needs no policy: `audit(release)`, or
    `audit(release, people)`. With the people of a table, what they match is counted exactly, not only its groups.
    Without its people a tree is judged by what it publishes: `audit(tree)` by its claim, or by what you `require`.
    Trees that are published `beside` a tree about the same people are judged together with it. `show` says how many of
    the smallest and of the failing groups are listed.

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["F", "F", "M"], "income": ["low", "high", "low"]})
    >>> audit(people, Policy(public=["sex"], private=["income"], require="k=2"))
    Audit(k=2 does not hold: 3 people in 2 groups, k=1)
    """
    if isinstance(people, Policy) and policy is None:
        # `audit(table, policy)`: the policy stands in the place of the people.
        people, policy = None, people
    if isinstance(own := getattr(release, "policy", None), Policy):
        # What `anonymize` made brings its policy; one that is given goes before it.
        if people is not None:
            people, _ = prepared(load(people), release.asked)
        if own.person and release.behind is not None and (people is None or people.equals(release.people)):
            people = release.behind  # the rows that are in it: without them, rows would be counted
        release, policy = release.table, policy or own
    people, policy = people_and_policy(people, policy)
    if (model := given_model(release, with_people=people is not None)) is not None:
        if population is not None:
            raise PolicyError(
                "a population is linked to the rows of a table, and a model has none: leave it out (--population)"
            )
        return audit_model(model, people, policy, require=require, beside=beside, show=show)
    if is_function(release):
        if people is None or policy is None:
            raise PolicyError("a function is judged by people, and by a policy that says who may know what: give both")
        if beside or population is not None:
            raise PolicyError("a function is judged by itself: leave out what is beside it, and the population")
        return audit_function(release, people, _requiring(policy, require), show=show)
    if policy is None:
        raise PolicyError("a table needs the policy that says who may know what: give it, too")
    if beside:
        raise PolicyError("a table cannot be judged together with other releases: only trees can")
    policy = _requiring(policy, require)
    return audit_table(release, None if people is None else load(people), policy, population, show, progress)


def _requiring(policy: Policy, require: Requirement | str | None) -> Policy:
    # A text is read by the policy.
    return policy if require is None else replace(policy, require=require)  # type: ignore[arg-type]
