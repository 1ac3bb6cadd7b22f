"""How private is a table? One function per measure, under the names that Python users know.

Each takes a dataframe, the public columns (quasi-identifiers) and the private ones (sensitive attributes; the worst of
them counts). All other columns are ignored.
"""

from collections.abc import Sequence
from typing import Any

from kspan.data.encode import encode
from kspan.data.groups import Counts, Groups, count_groups
from kspan.data.meaning import canonical
from kspan.data.schema import Schema
from kspan.errors import PolicyError
from kspan.frames.files import load
from kspan.model.partition import Partition
from kspan.privacy import (
    Alpha,
    BasicBeta,
    Confidence,
    DeltaDisclosure,
    DistinctL,
    EnhancedBeta,
    EntropyL,
    OnPrivate,
    RecursiveCL,
    SimpleL,
    TCloseness,
)
from kspan.utility.loss import classification_metric as people_outside_majority

Names = str | Sequence[str]


def k_anonymity(data: Any, public: Names) -> int:
    """The size of the smallest group.

    >>> import polars as pl
    >>> k_anonymity(pl.DataFrame({"sex": ["F", "F", "M", "M", "M"]}), "sex")
    2
    """
    return int(_groups(data, public, ()).sizes.min())


def l_diversity(data: Any, public: Names, private: Names) -> int:
    """The fewest different private values in a group."""
    return int(_worst(DistinctL, data, public, private))


def entropy_l_diversity(data: Any, public: Names, private: Names) -> float:
    """The l of entropy l-diversity: e to the lowest entropy of a group."""
    return _worst(EntropyL, data, public, private)


def recursive_c_l_diversity(data: Any, public: Names, private: Names, l: int | None = None) -> tuple[float, int]:  # noqa: E741
    """The (c, l) of recursive diversity, good for every larger c; l as given, else the fewest values in a group."""
    every = _spreads(data, public, private)
    depth = l if l is not None else min(int(counts.distinct.min()) for counts in every)
    return max(RecursiveCL(float("inf"), depth).reached(counts) for counts in every), depth


def simple_l_diversity(data: Any, public: Names, private: Names) -> float:
    """The l of simple l-diversity: one over the largest share of a private value in a group."""
    return _worst(SimpleL, data, public, private)


def confidence_bound(data: Any, public: Names, private: Names, value: str | None = None) -> float:
    """The largest confidence with which a private value can be told: the largest share of a value in a group.

    With a `value`, the confidence with which that one value of a private column can be told:

    >>> import polars as pl
    >>> people = pl.DataFrame({"sex": ["F", "F", "M", "M", "M"], "ill": ["flu", "flu", "flu", "flu", "hiv"]})
    >>> confidence_bound(people, "sex", "ill"), round(confidence_bound(people, "sex", "ill", "hiv"), 3)
    (1.0, 0.333)
    """
    if value is None:
        return _worst(Confidence, data, public, private)
    limit = Confidence(1.0, on=_listed(private), value=value)
    (counts,) = _spreads(data, public, private)
    if counts.having is None or not counts.having.shown(value):
        raise PolicyError(f"nobody has the value {value!r:.40} of {limit.on[0]!r}: correct its spelling")
    return limit.reached(counts)


def alpha_k_anonymity(data: Any, public: Names, private: Names) -> tuple[float, int]:
    """The (alpha, k): the largest share of a private value in a group, and the size of the smallest group."""
    return _worst(Alpha, data, public, private), k_anonymity(data, public)


def t_closeness(data: Any, public: Names, private: Names) -> float:
    """The largest distance of a group's private values from everybody's."""
    return _worst(TCloseness, data, public, private)


def basic_beta_likeness(data: Any, public: Names, private: Names) -> float:
    """The largest relative gain of a private value in a group."""
    return _worst(BasicBeta, data, public, private)


def enhanced_beta_likeness(data: Any, public: Names, private: Names) -> float:
    """The same as basic beta-likeness, but infinite if a value gains more than its share overall allows at any beta."""
    return _worst(EnhancedBeta, data, public, private)


def delta_disclosure(data: Any, public: Names, private: Names) -> float:
    """The largest |ln(share in a group / share overall)|, infinite if a group lacks a value; any larger delta holds."""
    return _worst(DeltaDisclosure, data, public, private)


def _worst(kind: type[OnPrivate], data: Any, public: Names, private: Names) -> float:
    def reached(counts: Counts) -> float:
        return kind.loosest(counts).reached(counts)

    levels = [reached(counts) for counts in _spreads(data, public, private)]
    return min(levels) if kind.safer_up else max(levels)


def _spreads(data: Any, public: Names, private: Names) -> list[Counts]:
    if not private:
        raise PolicyError("this measure is about private columns: name at least one")
    return list(_groups(data, public, private).private.values())


def classification_metric(data: Any, public: Names, target: str, *, withheld: int = 0) -> int:
    """CM: people whose label is not the commonest of their group, plus all who are withheld (Iyengar 2002).

    >>> import polars as pl
    >>> classification_metric(pl.DataFrame({"sex": ["F", "F", "M"], "ill": ["no", "yes", "no"]}), "sex", "ill")
    1
    """
    return people_outside_majority(_groups(data, public, target).private[target]) + withheld


def _groups(data: Any, public: Names, private: Names) -> Groups:
    schema = Schema(public=_listed(public), private=_listed(private))
    frame = load(data)
    schema.check_columns(name for name in frame.columns if name in schema.columns)
    table = canonical(encode(frame, schema, schema.columns))
    partition = Partition.by_equality(table, schema.public)
    return count_groups(table, partition.group, partition.number, schema.private)


def _listed(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)
