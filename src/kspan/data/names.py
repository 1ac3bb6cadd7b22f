"""Build a hierarchy from the values that each name stands for."""

from collections import Counter
from collections.abc import Iterable, Mapping

from kspan.data.hierarchy import Hierarchy, check_size
from kspan.errors import HierarchyError, hinted


def hierarchy_of(names: Mapping[str, Iterable[str]], others: Iterable[str] = (), *, source: str) -> Hierarchy:
    """Return the hierarchy in which each name stands for its values, and each of the `others` for itself.

    >>> jobs = hierarchy_of({"work": ["nurse", "doctor", "clerk"], "health": ["nurse", "doctor"]}, source="it")
    >>> jobs.levels
    (('nurse', 'doctor', 'clerk'), ('health', 'health', 'clerk'), ('work', 'work', 'work'))
    """
    sets = {name: frozenset(values) for name, values in names.items()}
    values = dict.fromkeys([*(value for each in names.values() for value in each), *others])
    height: dict[str, int] = {}
    above: dict[str, list[str]] = {value: [] for value in values}
    """The names of each value, from the narrowest to the widest."""
    for name in sorted(sets, key=lambda name: len(sets[name])):
        # Names come by size, so one that is nested in this name is the last name so far of each of its values. If only
        # some of its values are here, the two names overlap.
        inside = Counter(above[value][-1] for value in sets[name] if above[value])
        for smaller, shared in inside.items():
            if shared < len(sets[smaller]):
                raise HierarchyError(
                    f"{source} has two names whose values overlap ({hinted([smaller, name])}): nest them",
                    details=(smaller, name),
                )
        height[name] = 1 + max((height[smaller] for smaller in inside), default=0)
        for value in sets[name]:
            above[value].append(name)
    highest = max(height.values(), default=0)
    check_size(len(values), highest + 1, source)
    return Hierarchy.of([_row(value, above[value], height, highest) for value in values], source=source)


def _row(value: str, above: list[str], height: Mapping[str, int], highest: int) -> list[str]:
    """One line of the hierarchy; where a value has no name of a level, its name of the level below is repeated."""
    row, names = [value], [*above]
    for level in range(1, highest + 1):
        row.append(names.pop(0) if names and height[names[0]] <= level else row[-1])
    return row
