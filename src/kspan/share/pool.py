"""Trees of several owners together: one list of attributes, one target, one list of labels for all."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

from kspan.data.schema import Schema
from kspan.errors import ModelError
from kspan.model.tree.model import Attribute, Region, Role, Tree
from kspan.model.tree.release import TreeRelease
from kspan.share.source import Source


@dataclass(frozen=True)
class Member:
    """A tree in a pool, and where its attributes and labels stand among those of the pool."""

    name: str
    release: TreeRelease
    attributes: tuple[int, ...]
    labels: tuple[int, ...]

    @property
    def tree(self) -> Tree:
        """The tree itself."""
        return self.release.tree

    @property
    def people(self) -> float | None:
        """How many people it tells of, or None if it does not say."""
        return self.tree.root.people

    def admits(self, place: int, region: Region, pooled: Attribute) -> Region:
        """What a branch about an own attribute admits in the pool: values that other trees alone name, too."""
        own = self.tree.attributes[place]
        if not (own.others and region.missing):
            return region
        return replace(region, values=region.values | frozenset(pooled.values).difference(own.values))


@dataclass(frozen=True, repr=False)
class Pool:
    """Trees that tell of the same things: all attributes, values and labels that any of them knows."""

    attributes: tuple[Attribute, ...]
    target: str
    target_role: Role
    labels: tuple[str, ...]
    members: tuple[Member, ...]

    def __repr__(self) -> str:
        return f"Pool({len(self.members)} trees, {len(self.attributes)} attributes, target {self.target!r})"

    @property
    def schema(self) -> Schema:
        """Who may know each column: it is public if any owner says so."""
        roles = {role: [one.name for one in self.attributes if one.role == role] for role in ("public", "private")}
        roles[self.target_role].append(self.target)
        return Schema(public=roles["public"], private=roles["private"], target=self.target)


def pool(sources: Sequence[Source]) -> Pool:
    """Return the pool of some trees; whatever does not fit together is refused with the names of both trees.

    Values are united, and ranges are as wide as the widest; a range that one owner leaves open stays open. An attribute
    that a tree lacks is absent from all its paths.
    """
    if not sources:
        raise ModelError("there is no tree to pool: name at least one")
    attributes, labels = _Attributes(), _Labels()
    first, role = sources[0], sources[0].release.tree.target_role
    for source in sources:
        source.release.tree.check_labels("pooling trees")
        _check_names(source)
        _check_target(first, source)
        attributes.add(source)
        labels.add(source)
        role = "public" if "public" in (role, source.release.tree.target_role) else "private"
    members = tuple(
        Member(
            source.name,
            source.release,
            tuple(attributes.place[attribute.name] for attribute in source.release.tree.attributes),
            tuple(labels.place[label] for label in source.release.tree.labels),
        )
        for source in sources
    )
    return Pool(tuple(attributes.found), first.release.tree.target, role, tuple(labels.place), members)


class _Attributes:
    """The attributes of all trees so far, each with the source that named it first."""

    def __init__(self) -> None:
        self.found: list[Attribute] = []
        self.place: dict[str, int] = {}
        self.of: list[Source] = []

    def add(self, source: Source) -> None:
        for attribute in source.release.tree.attributes:
            place = self.place.setdefault(attribute.name, len(self.found))
            if place == len(self.found):
                self.found.append(attribute)
                self.of.append(source)
                continue
            known = self.found[place]
            if known.is_measured != attribute.is_measured:
                raise ModelError(
                    f"{self.of[place].name} has the {known.kind.family} attribute {known.name!r}, but in {source.name} "
                    f"it is {attribute.kind.family}: ask one of the owners to change it, or leave one tree out"
                )
            self.found[place] = _united(known, attribute)


def _united(known: Attribute, other: Attribute) -> Attribute:
    """Return an attribute that may hold all that either of two owners says."""
    # What one owner calls public may be known of everybody.
    role: Role = "public" if "public" in (known.role, other.role) else "private"
    both = replace(
        known,
        role=role,
        has_missing=known.has_missing or other.has_missing,
        others=known.others or other.others,
    )
    if not known.is_measured:
        return replace(both, values=tuple(dict.fromkeys((*known.values, *other.values))))
    if known.low is None or known.high is None or other.low is None or other.high is None:
        return replace(both, low=None, high=None)
    return replace(both, low=min(known.low, other.low), high=max(known.high, other.high))


class _Labels:
    """The labels of all trees so far, in order; `alike` finds them by their text without case and blanks."""

    def __init__(self) -> None:
        self.place: dict[str, int] = {}
        self.alike: dict[str, tuple[str, Source]] = {}
        self.first: Source | None = None

    def add(self, source: Source) -> None:
        own = source.release.tree.labels
        for label in own:
            # Labels of this tree are added below, after all checks: one owner may well tell apart `yes` and `Yes`.
            twin, owner = self.alike.get(_plain(label), (label, source))
            if label not in self.place and twin != label:
                raise ModelError(
                    f"{owner.name} has the label {twin[:40]!r}, and {source.name} writes it {label[:40]!r}: ask the "
                    "owners to write labels alike, or leave one tree out"
                )
        if self.first is not None and not set(own) & self.place.keys():
            raise ModelError(
                f"{self.first.name} and {source.name} have no label in common, so they predict different things: "
                "leave one of them out"
            )
        self.first = self.first or source
        for label in own:
            self.place.setdefault(label, len(self.place))
            self.alike.setdefault(_plain(label), (label, source))


def _plain(label: str) -> str:
    """Return a label without what people may write differently: case and blanks.

    >>> _plain(" Very  Good"), _plain("very-good"), _plain("very good")
    ('verygood', 'very-good', 'verygood')
    """
    return "".join(label.split()).casefold()


def _check_names(source: Source) -> None:
    """Refuse names with blanks around them, which no column can have, since tables are read without such blanks."""
    tree = source.release.tree
    for name in (tree.target, *(attribute.name for attribute in tree.attributes)):
        if name != name.strip():
            raise ModelError(
                f"{source.name} has the name {name[:40]!r} with blanks around it: ask its owner to mend it"
            )


def _check_target(first: Source, other: Source) -> None:
    """Refuse a tree that predicts something else than the first one."""
    ours, theirs = first.release.tree, other.release.tree
    if ours.target == theirs.target:
        return
    for tree, source, inside, where in ((ours, first, theirs, other), (theirs, other, ours, first)):
        if any(attribute.name == tree.target for attribute in inside.attributes):
            _refuse_target(f"{source.name} predicts {tree.target!r}, which is an attribute in {where.name}")
    _refuse_target(f"{first.name} predicts {ours.target!r}, but {other.name} predicts {theirs.target!r}")


def _refuse_target(problem: str) -> NoReturn:
    raise ModelError(f"{problem}: all trees must have one target, leave one of these out")
