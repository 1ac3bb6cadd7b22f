"""Reads what the nodes of a document tell of their people."""

from collections.abc import Sequence
from typing import Any

from kspan.model.checks import Place, number, text
from kspan.model.outcome import WHOLE, Disclosure, HitMiss, Label, LabelCounts, Outcome, Shares
from kspan.model.tree.sums import MOST_PEOPLE, SLACK, adds_up, read_people
from kspan.model.tree.told_numbers import read_numbers

KEYS: dict[Disclosure, tuple[str, ...]] = {
    "counts": ("counts",),
    "hit-miss": ("label", "hit", "miss"),
    "shares": ("shares",),
    "label": ("label",),
    "mean": ("people", "mean"),
    "median": ("people", "mean", "median"),
    "interval": ("people", "mean", "median", "interval"),
}
"""The keys of a node that tell of its people, for each disclosure."""


def shown_by(root: Any, known: Sequence[Disclosure]) -> Disclosure:
    """Tell from the root what a document without a claim discloses; every other node must disclose the same."""
    found = root if isinstance(root, dict) else {}
    # The last key tells kinds apart if those with more keys come first: hit-miss also has a label.
    most_first = sorted(known, key=lambda kind: -len(KEYS[kind]))
    return next((kind for kind in most_first if KEYS[kind][-1] in found), known[0])


class OutcomeReader:
    """Reads what nodes tell of one target."""

    def __init__(self, labels: Sequence[str], disclosure: Disclosure) -> None:
        self.labels, self.disclosure = {label: place for place, label in enumerate(labels)}, disclosure
        self.keys = KEYS[disclosure]

    def read(self, place: Place, found: Any) -> Outcome:
        """Read what a node tells of its people; that it has the keys for that was checked."""
        if self.disclosure == "counts":
            return self.counts(place, found["counts"])
        if self.disclosure == "shares":
            return self.shares(place, found["shares"])
        if self.disclosure in ("mean", "median", "interval"):
            return read_numbers(place, found, self.disclosure)
        label = self.label(place, found["label"])
        return Label(label) if self.disclosure == "label" else self.hit_miss(place, label, found)

    def counts(self, place: Place, found: Any) -> LabelCounts:
        """Read how many people have each label."""
        self.check_list(place, "'counts'", found)
        # The usual case, checked for all labels at once: there may be a million nodes.
        if WHOLE.issuperset(map(type, found)) and min(found) >= 0 and max(found) <= MOST_PEOPLE:
            return LabelCounts(tuple(found))
        return LabelCounts(tuple(read_people(place, "each of 'counts'", count) for count in found))

    def shares(self, place: Place, found: Any) -> Shares:
        """Read the share of each label; null where nobody came."""
        if found is None:
            return Shares(None)
        self.check_list(place, "'shares'", found)
        shares = tuple(number(place, "each of 'shares'", share) for share in found)
        if min(shares) < 0 or abs(sum(shares) - 1) > SLACK:
            place.refuse("'shares' must be numbers from 0 to 1 that add up to 1")
        return Shares(shares)

    def hit_miss(self, place: Place, label: int | None, found: Any) -> HitMiss:
        """Read how many people have the commonest label (hit) and how many do not (miss)."""
        hit, miss = (read_people(place, repr(key), found[key]) for key in ("hit", "miss"))
        if (label is None) != (hit == 0) or (label is None and miss):
            place.refuse("'label' is null, and 'hit' and 'miss' are 0, where nobody came and nowhere else")
        # No other label can have more people than the commonest.
        most = hit * (len(self.labels) - 1)
        if miss > most and not adds_up(most, [miss]):
            place.refuse("too many miss its 'label' for it to be the commonest")
        return HitMiss(label, hit, miss)

    def label(self, place: Place, found: Any) -> int | None:
        """Return the place of a label, or None where nobody came."""
        if found is None:
            return None
        name = text(place, "'label', unless it is null,", found)
        if name not in self.labels:
            place.refuse("'label' is none of the target's labels")
        return self.labels[name]

    def check_list(self, place: Place, what: str, found: Any) -> None:
        """Refuse anything but a list with one item per label."""
        if not isinstance(found, list) or len(found) != len(self.labels):
            place.refuse(f"{what} must be a list of {len(self.labels)} numbers, one a label")
