"""A report on any release: what was promised, whether it holds, what it cost."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import polars as pl

from kspan.audit.audit import audit
from kspan.audit.findings import Audit
from kspan.audit.rare_values import without_rare
from kspan.data.encode import encode
from kspan.data.prepared import computed, prepared
from kspan.data.wide import people_in_order, shape_of
from kspan.errors import DataError, PolicyError
from kspan.evaluate.cost import CostCurve, cost_curve, plain_learner
from kspan.evaluate.held_out import HeldOut
from kspan.frames.commit import content_of
from kspan.frames.databases.door import is_stored
from kspan.frames.files import load
from kspan.frames.seal import checksum, manifest_path
from kspan.frames.source import Source
from kspan.model.function.parts import is_function
from kspan.model.items.model import OfItems
from kspan.model.kind import begins_model
from kspan.model.kinds import given_model, kind_of
from kspan.model.tree.model import Tree
from kspan.policy import Policy, PolicyLike, people_and_policy
from kspan.policy.wide import policy_for
from kspan.privacy import KAnonymity, Requirement
from kspan.privacy.spec import parse
from kspan.report.columns import column_changes
from kspan.report.crowd import Fact
from kspan.report.drawing import Drawable, drawable, pictured
from kspan.report.foretold import TEST_TABLE, foretelling, measured, predicts, tested_on
from kspan.report.formatting import visible
from kspan.report.gather import Release, story, summarized
from kspan.report.page import Report
from kspan.report.pictures.tree import tree_picture
from kspan.report.sentences import number_costs, table_costs
from kspan.report.summary import ColumnChange, Summary
from kspan.share.publishing import SharedTree
from kspan.tables.release import TableRelease, found_for, released_rows

Progress = Callable[[str], None]


class Judging(TypedDict, total=False):
    """What a report passes on to the judge, as `kspan.audit` takes it."""

    require: Requirement | str | None
    beside: Sequence[Any]
    population: Any


class Asking(Judging, total=False):
    """What a report is asked besides."""

    test: Any
    """People whom a model was not learned from, for it to predict."""


@dataclass(frozen=True)
class Making:
    """How a release was made, so that it can be made again to measure what it costs."""

    method: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    curve: bool = False
    """Is the cost of other k measured, too?"""
    held_out: HeldOut | None = None
    """How well it predicts people whom it was not learned from, if that was measured before."""


UNKNOWN = Making()


@dataclass(frozen=True)
class _Cost:
    """What a release costs, or why that was not measured."""

    curve: CostCurve | None = None
    unmeasured: tuple[str, ...] = ()
    held_out: HeldOut | None = None
    """How well a model predicts people whom it was not learned from."""
    ceiling: HeldOut | None = None
    """How well a tree does that promises nothing."""


def report(
    release: Any,
    people: Any = None,
    policy: PolicyLike | None = None,
    *,
    title: str | None = None,
    path: str | os.PathLike[str] | None = None,
    method: str | None = None,
    curve: bool = False,
    progress: Progress = lambda step: None,
    **judging: Unpack[Asking],
) -> Report:
    """Report on a release: `report(kspan.anonymize(...))`, `report(table, people, policy)`, `report(tree, ...)`.

    A release is whatever `kspan.audit` takes, what `anonymize`, `share_tree` or a miner returned, or an audit.
    `people` are those that it was made from: with them a report shows a table before and after, or the spans of a
    model. With the `method` that made the release (known for what `anonymize` returned), the report also measures how
    well the target is predicted for new people and, with `curve`, what other k would cost. `test` are people whom a
    model was not learned from, to be predicted. `path` is the file of a release that is given as a dataframe, so that
    the page can tell its checksum. `require`, `beside` and `population` are passed to the judge. The page names no cell
    of a person.

    >>> from kspan.datasets import mortgage
    >>> policy = Policy(identifier=["Name"], public=["Gender", "Married", "Age", "Sports car"],
    ...                 private=["Loan risk"], require="k=3")
    >>> report(mortgage().drop("Name"), policy)
    Report('Privacy report: the table', does not hold)
    """
    people, policy = people_and_policy(people, policy)
    as_given, people = people, None if people is None else load(people)
    if people is not None and policy is not None:
        people = computed(people, policy)
    if policy is not None and (require := judging.get("require")) is not None:
        policy = replace(policy, require=require)  # type: ignore[arg-type]  # a text is read by the policy
    place = None if path is None else Source.of(path)
    test = judging.pop("test", None)
    making = Making(method, curve=curve, held_out=None if test is None else tested_on(release, test, people, policy))
    how: dict[str, Any] = {"title": title, "path": place, "making": making, "progress": progress}
    if isinstance(release, TableRelease):
        made = table_summary(release, title=title, path=place, curve=curve, progress=progress)
    elif isinstance(release, Audit):
        made = summarized(Release(title or "an audit", release, policy))
    elif isinstance(release, SharedTree):
        made = described(release.tree, release.audit, people, policy, **how)
    else:
        how["path"] = place or (Source.of(release) if isinstance(release, str | os.PathLike) else None)
        if isinstance(release, Tree) and people is not None and policy is not None:
            release = without_rare(release, people, policy)  # as it would be published
        given = given_model(release, with_people=people is not None)
        release = given or release
        progress("judging it")
        # A function gets its people as it was fitted on them.
        behind = people
        if policy is not None and policy.private_numbers and how["path"]:
            policy = found_for(policy, how["path"])
        if people is not None and policy is not None and _has_persons(policy) and how["path"] and not given:
            behind = released_rows(people, how["path"], load(release).height, policy)
        found = _judged(release, as_given if is_function(release) else behind, policy, judging, progress)
        made = described(release, found, people, policy, **how)
    return Report(story(f"Privacy report: {made.title}", [made]))


def described(
    release: Any,
    found: Audit,
    people: Any = None,
    policy: Policy | None = None,
    *,
    title: str | None = None,
    path: Path | Source | None = None,
    making: Making = UNKNOWN,
    progress: Progress = lambda step: None,
) -> Summary:
    """Return the facts about a release that was judged; `found` is its audit, and `path` where it was written."""
    # The judge may have been asked for something else than the policy: the page tells what was judged.
    if policy is not None and str(policy.require) != found.requirement:
        policy = replace(policy, require=parse(found.requirement))
    place = path or (Source.of(release) if isinstance(release, str | os.PathLike) else None)
    name = title or (None if place is None else place.name)
    cost = _Cost(held_out=making.held_out)
    if people is not None and policy is not None and found.kind in ("table", "tree"):
        cost = _cost(load(people), policy, making, found, progress)
    facts = (*((Fact("method", visible(making.method)),) if making.method else ()), *_file_facts(place))
    if found.kind == "releases":
        return summarized(Release(name or "the releases", found, policy, facts=facts))
    if found.kind == "table":
        if policy is None:
            raise PolicyError("a table needs the policy that says who may know what: give it, too (--policy)")
        return _table(release, found, people, policy, name or "the table", facts, cost, progress)
    progress("drawing it")
    model = drawable(release, people, policy)
    if model is None:
        called = _called(release)
        told = foretelling(called, cost.held_out) if predicts(release) else ()
        return summarized(
            Release(name or f"the {called}", found, policy, facts=facts, costs=(*told,), held_out=cost.held_out)
        )
    roles = model.roles if isinstance(model, OfItems) else {item.name: item.role for item in model.attributes}
    return summarized(
        Release(
            name or "the model",
            found,
            policy,
            public=tuple(name for name, role in roles.items() if role == "public"),
            facts=(*_model_facts(model), *facts),
            costs=(*_foretold(model, cost), *cost.unmeasured),
            model=model,
            picture=pictured(model, found),
            curve=cost.curve,
            held_out=cost.held_out,
        )
    )


def table_summary(
    release: TableRelease,
    *,
    title: str | None = None,
    path: Path | Source | None = None,
    curve: bool = False,
    progress: Progress = lambda step: None,
) -> Summary:
    """Return the facts about a table that `anonymize` made, and about the table it was made from."""
    policy = release.policy
    progress("judging the table as it was")
    people = release.original if release.wide is None else release.wide.frame
    before = audit(people.drop(policy.never_released, strict=False), _own(people, policy), policy)
    shown = release.facts.get("show")
    cost = _cost(release.people, policy, Making(release.method, release.options, curve), release.audit, progress)
    return summarized(
        Release(
            title or ("the released table" if path is None else path.name),
            release.audit,
            policy,
            facts=(
                Fact("method", visible(release.method)),
                *(Fact(visible(str(name)), visible(str(value))) for name, value in release.options.items()),
                Fact("rows", f"{release.audit.rows:,} released, {release.withheld:,} withheld"),
                *_file_facts(path),
            ),
            costs=(
                *table_costs(release.audit, release.withheld, release.suppressed_share),
                *number_costs(release.told_of_numbers),
                *cost.unmeasured,
            ),
            before=before,
            columns=_changes(release.audit, before, release.shown, shown),
            unchanged=tuple(name for name in release.shown.private if name not in release.told_of_numbers),
            curve=cost.curve,
        )
    )


def merged_summary(
    model: Any,
    method: str,
    *,
    path: Path | Source | None = None,
    title: str | None = None,
    costs: tuple[str, ...] = (),
    facts: tuple[Fact, ...] = (),
) -> Summary:
    """Return the facts about a model that was made from published trees alone, so that there is nothing to judge."""
    # Its people are pseudo-people, whose number says nothing.
    tree = model.disclosing("shares") if isinstance(model, Tree) else None
    return Summary(
        title=visible(title or ("the global model" if path is None else path.name)),
        kind="tree",
        holds=None,
        headline=(
            "This model was made of published trees alone: it tells no more of anyone than they do, and is as safe as "
            "they are."
        ),
        promises=(),
        proof=("It was not judged here: each owner's tree was, or has a report of its own.",),
        costs=costs,
        attack=(),
        caveats=(
            "People whom several owners have: what the trees of all of them tell together was not judged.",
            "Owners who promise what their tree does not keep: whoever merges trees takes them as they come.",
        ),
        facts=(
            Fact("method", visible(method)),
            *facts,
            *(_model_facts(model) if isinstance(model, Tree) else ()),
            *_file_facts(path),
        ),
        after=None,
        picture=None if tree is None else tree_picture(tree, ()),
    )


def _judged(release: Any, people: Any, policy: Policy | None, judging: Judging, progress: Progress) -> Audit:
    """Audit a release; the people of a table are used only if the policy counts people."""
    if not is_function(release) and given_model(release, with_people=people is not None) is None:
        if policy is None:
            raise PolicyError("a table needs the policy that says who may know what: give it, too (--policy)")
        people = people if policy.counting == "people" or _has_persons(policy) else None
    given = (people, policy) if people is not None else (policy,)
    return audit(release, *given, progress=progress, **judging)


def _table(
    release: Any,
    found: Audit,
    people: Any,
    policy: Policy,
    title: str,
    facts: tuple[Fact, ...],
    cost: _Cost,
    progress: Progress,
) -> Summary:
    """Return the facts about a table from a file or a dataframe, which anybody may have made."""
    given = None if people is None else prepared(load(people), policy)[0]
    frame, policy = prepared(load(release), policy, released=True)
    columns = policy_for(frame, policy)
    source = None if given is None else _as_shown(given, frame, policy)
    before = None
    if source is not None:
        progress("judging the table as it was")
        before = audit(source.drop(policy.never_released, strict=False), _own(source, policy), policy)
    # A table that others made may even have more rows than its source.
    withheld = 0 if source is None else max(source.height - frame.height, 0)
    stars = found.suppressed.cells / max(found.rows * len(columns.public), 1) if found.suppressed else 0.0
    return summarized(
        Release(
            title,
            found,
            policy,
            facts=(Fact("rows", f"{found.rows:,}"), *facts),
            costs=(*(table_costs(found, withheld, stars) if source is not None or stars else ()), *cost.unmeasured),
            before=before,
            columns=_changes(found, before, columns, None),
            curve=cost.curve,
        )
    )


def _changes(found: Audit, before: Audit | None, policy: Policy, numbers: Any) -> tuple[ColumnChange, ...]:
    """Return how each public column changed, from the tables as the judge has read them."""
    if found.coded is None:  # an audit that was stored has lost them
        return ()
    median = numbers if numbers in ("median", "mean") else None
    was = None if before is None else before.coded
    return column_changes(found.coded, was, policy.public, k=policy.require.crowd, numbers=median)


def _cost(people: pl.DataFrame, policy: Policy, making: Making, found: Audit, progress: Progress) -> _Cost:
    """Measure what it costs to keep the policy and, with the curve, what other k would cost; or say why not.

    Values of the source may look like ranges or sets, which no learner can tell from generalized cells. That is an
    error only if the curve was asked for; otherwise the page does without these figures.
    """
    people, policy = prepared(people, policy)
    # Without a target only cells are lost, and the audit has already measured that.
    if making.method is None or (policy.target is None and not making.curve):
        return _Cost(held_out=making.held_out)
    if found.kind == "tree" and not making.curve:
        return _of_tree(people, policy, making, progress)
    if found.persons is not None and found.persons.form == "wide":
        if making.curve:
            raise PolicyError("a curve is measured for long tables, and this one is wide: leave it out (--curve)")
        return _Cost(unmeasured=("How well the target is still predicted was not measured: the table is wide.",))
    progress("measuring what it cost")
    ks = None if making.curve else [policy.require.crowd]
    try:
        curve = cost_curve(people, policy, making.method, ks=ks, options=making.options, progress=progress)
        return _Cost(curve, held_out=making.held_out)
    except DataError:
        if making.curve:
            raise
        why = "How well the target is still predicted was not measured: learners cannot read all cells."
        return _Cost(unmeasured=(why,))


def _of_tree(people: pl.DataFrame, policy: Policy, making: Making, progress: Progress) -> _Cost:
    """Measure how well a tree predicts people whom it was not learned from, unless that is known, and one without k."""
    method, options = str(making.method), making.options
    found = making.held_out or measured(people, policy, method, options, progress)
    # Others than these people were predicted, or nobody, so there is nothing to compare with.
    if found.folds == TEST_TABLE or not found.is_known:
        return _Cost(held_out=found)
    progress("measuring what it cost")
    if found.mean_absolute_error is None:
        return _Cost(held_out=found, ceiling=measured(people, policy, *plain_learner(method, options), progress))
    # Learners that promise nothing learn labels alone.
    free = replace(policy, require=KAnonymity(1))
    return _Cost(held_out=found, ceiling=measured(people, free, method, options, progress))


def _foretold(model: Drawable, cost: _Cost) -> Iterator[str]:
    """Yield sentences on how well a tree predicts; a curve tells that itself."""
    if isinstance(model, Tree) and (cost.curve is None or cost.held_out is not None):
        yield from foretelling("tree", cost.held_out, cost.ceiling)


def _called(release: Any) -> str:
    """Name a model that is not drawn."""
    given = given_model(release)
    return visible(type(release).__name__ if given is None else given.kind.called)


def _model_facts(model: Drawable) -> tuple[Fact, ...]:
    if isinstance(model, Tree):
        leaves = Fact("leaves", f"{len(model.leaves):,}")
        targets = Fact("predicts", ", ".join(visible(one.name) for one in model.targets))
        return leaves, targets, Fact("tells at each leaf", ", ".join(one.disclosure for one in model.views()))
    return (Fact(kind_of(model).name, f"{len(model):,}"),)


def _file_facts(place: Path | Source | None) -> tuple[Fact, ...]:
    """Return the name and checksum of a file, and the name of its manifest if it has one; of a database, the table."""
    if place is None:
        return ()
    if is_stored(source := Source.of(place)) or source.path is None:
        return (Fact("table", visible(str(source))),)
    path, content = source.path, content_of(source.path)
    if content is None:
        return ()
    manifest = manifest_path(path)
    # Only tables have manifests: a file of that name beside a model is something else.
    told = content_of(manifest) is not None and not begins_model(content)
    beside = (Fact("manifest", visible(manifest.name)),) if told else ()
    return Fact("file", visible(path.name)), *beside, Fact("SHA-256", checksum(content))


def _as_shown(people: pl.DataFrame, release: pl.DataFrame, policy: Policy) -> pl.DataFrame:
    """Return people in the form of a release: in the wide one, if it has that and they have not."""
    shape = shape_of(release, policy)
    if shape is None or shape_of(people, policy) is not None:
        return people
    return people_in_order(people, encode(people, policy, by_person=True), policy, policy.order, shape)


def _has_persons(policy: Policy) -> bool:
    """Tell whether people may have several rows, or several codes in one."""
    return bool(policy.person or policy.sets)


def _own(people: pl.DataFrame, policy: Policy) -> pl.DataFrame | None:
    """Return the people themselves where the judge needs to know whose rows are whose."""
    return people if policy.person and policy.person in people.columns else None
