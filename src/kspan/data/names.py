"""A hierarchy from what its names stand for."""

from collections.abc import Iterable, Mapping

from kspan.data.hierarchy import Hierarchy
from kspan.errors import HierarchyError


def hierarchy_of(names: Mapping[str, Iterable[str]], others: Iterable[str] = (), *, source: str) -> Hierarchy:
    """The hierarchy in which names stand for these values, and other values for themselves.

    >>> jobs = hierarchy_of({"work": ["nurse", "doctor", "clerk"], "health": ["nurse", "doctor"]}, source="it")
    >>> jobs.levels
    (('nurse', 'doctor', 'clerk'), ('health', 'health', 'clerk'), ('work', 'work', 'work'))
    """
    sets = {name: frozenset(values) for name, values in names.items()}
    order = sorted(sets, key=lambda name: len(sets[name]))
    height: dict[str, int] = {}
    for place, name in enumerate(order):
        for smaller in order[:place]:
            if sets[smaller] & sets[name] and not sets[smaller] <= sets[name]:
                raise HierarchyError(f"{source} has the names {smaller!r} and {name!r}, which overlap: nest them")
        inside = [height[smaller] for smaller in order[:place] if sets[smaller] <= sets[name]]
        height[name] = 1 + max(inside, default=0)
    values = dict.fromkeys([*(value for each in names.values() for value in each), *others])
    highest = max(height.values(), default=0)
    rows = []
    for value in values:
        above = sorted((name for name in order if value in sets[name]), key=height.__getitem__)
        # At each level the largest name that is no higher; a branch that ends early repeats its last name.
        rows.append([value, *(_at(level, above, height) or value for level in range(1, highest + 1))])
    return Hierarchy.of(rows, source=source)


def _at(level: int, above: list[str], height: Mapping[str, int]) -> str | None:
    return next((name for name in reversed(above) if height[name] <= level), None)
