"""Turn what was judged into the facts of a report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from kspan.audit.findings import NOT_PROVED, Audit
from kspan.evaluate.cost import CostCurve
from kspan.evaluate.held_out import HeldOut
from kspan.model.clusters.model import Clusters
from kspan.model.items.model import OfItems
from kspan.model.tree.model import Tree
from kspan.policy import Policy
from kspan.privacy.spec import parse
from kspan.report import sentences
from kspan.report.crowd import Fact, crowds
from kspan.report.formatting import level_text, visible
from kspan.report.publishable import publishable_spans
from kspan.report.summary import ColumnChange, Exposure, Picture, Promise, RiskSummary, State, Story, Summary
from kspan.version import __version__

SHOWN = 5
"""How many of the smallest crowds a page shows."""
MEASURES = ("distinct_l", "entropy_l", "confidence", "t")


@dataclass(frozen=True)
class Release:
    """A release: its audit, and everything else that is known of it."""

    title: str
    audit: Audit
    policy: Policy | None = None
    public: tuple[str, ...] | None = None
    """The attributes that an attacker knows, if there is no policy that says so; None if that is unknown."""
    facts: tuple[Fact, ...] = ()
    costs: tuple[str, ...] = ()
    before: Audit | None = None
    columns: tuple[ColumnChange, ...] = ()
    unchanged: tuple[str, ...] = ()
    """Private columns that are released as they were."""
    model: Tree | Clusters | OfItems | None = None
    picture: Picture | None = None
    curve: CostCurve | None = None
    held_out: HeldOut | None = None
    """How well a model predicts people whom it was not learned from."""


def summarized(release: Release) -> Summary:
    """Return the facts that a report tells about one release."""
    audit, policy = release.audit, release.policy
    require = parse(audit.requirement) if policy is None else policy.require
    public = release.public if policy is None else policy.public
    private = tuple(audit.exposed) if policy is None else policy.private
    # The proof does not repeat what the warning says, so the warning is made first.
    warned = sentences.warning(audit, require)
    # Findings name public values of people; the page may tell only what the release itself tells.
    smallest = publishable_spans(audit, audit.crowds(SHOWN), release.model)
    return Summary(
        title=visible(release.title),
        kind=audit.kind,
        holds=audit.holds,
        headline=sentences.headline(audit, public, require),
        warning=warned,
        k=require.crowd,
        promises=tuple(Promise(visible(str(part)), sentences.promise(part, private)) for part in require.parts),
        proof=tuple(sentences.proof(audit, warned=warned is not None)),
        costs=(*release.costs, *sentences.accuracy_costs(release.curve, audit)),
        attack=tuple(sentences.attack(audit, public, smallest[0] if smallest else None)),
        caveats=tuple(sentences.caveats(audit, policy)),
        facts=(*_claimed(audit, policy), *release.facts),
        after=_state(audit),
        before=None if release.before is None else _state(release.before),
        smallest=crowds(smallest),
        columns=release.columns,
        unchanged=tuple(visible(name) for name in release.unchanged),
        exposures=tuple(_exposures(audit)),
        utility=tuple(_utility(audit)),
        picture=release.picture,
        curve=release.curve,
        held_out=release.held_out,
        proved=audit.reading != NOT_PROVED,
    )


def story(title: str, chapters: Sequence[Summary], lead: str = "") -> Story:
    """Return the story of one page, with a chapter for each release."""
    made = f"{datetime.now(UTC).date().isoformat()}, kspan {__version__}"
    return Story(visible(title), lead, tuple(chapters), made)


def _claimed(audit: Audit, policy: Policy | None) -> Iterator[Fact]:
    counting = {
        "rows": "rows that every person matches",
        "people": "people who cannot be told apart",
        "paths": "people on each path, as published",
        "figures": "people as the published figures imply",
    }
    yield Fact("requirement", visible(audit.requirement))
    yield Fact("what is counted", counting[audit.counting])
    if policy is None:
        return
    for name, columns in (("public", policy.public), ("private", policy.private), ("identifiers", policy.identifier)):
        if columns:
            yield Fact(name, ", ".join(visible(column) for column in columns))
    if policy.target is not None:
        yield Fact("what is predicted", visible(policy.target))


def _state(audit: Audit) -> State:
    risk = audit.risk
    return State(
        people=audit.people,
        crowds=audit.groups,
        smallest=audit.k.rows if audit.counting == "rows" else audit.k.people,
        sizes=risk.sizes,
        risk=RiskSummary(
            highest=risk.prosecutor.highest,
            median=risk.prosecutor.median,
            alone=risk.prosecutor.unique,
            marketer=risk.marketer,
            journalist=None if risk.journalist is None else risk.journalist.highest,
        ),
    )


def _exposures(audit: Audit) -> Iterator[Exposure]:
    for name, count in audit.exposed.items():
        reached = audit.reached[name]
        confidence = reached.get("confidence")
        measures = tuple(Fact(key, level_text(reached[key])) for key in MEASURES if key in reached)
        sure = confidence if isinstance(confidence, float) else None
        yield Exposure(visible(name), count, count / audit.people, sure, measures)


def _utility(audit: Audit) -> Iterator[Fact]:
    utility, unit = audit.utility, audit.units[:-1]
    yield Fact(f"average {unit}", f"{utility.average_group_size:,.4g} people")
    if utility.cm is not None:
        share = utility.cm / audit.people
        yield Fact(
            "classification metric (CM)", f"{utility.cm:,} people ({share:.1%}) are not in their {unit}'s majority"
        )
    if utility.dm is not None:
        yield Fact("discernibility (DM)", f"{utility.dm:,}")
    if utility.ncp is not None:
        yield Fact("information lost (NCP)", f"{utility.ncp:.1%} (0% keeps every value, 100% suppresses all)")
