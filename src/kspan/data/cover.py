"""Checks that the declared domain and hierarchy of a column cover its cells, general ones (`{a|b}`, names) included."""

from dataclasses import replace
from functools import partial

from kspan.data.cells import NOT_A_NUMBER, SUPPRESSED, range_of, values_in
from kspan.data.hierarchy import Hierarchy
from kspan.data.levels import Automatic, Dates, Ordered, Prefixes, Recipe
from kspan.data.meaning import meanings
from kspan.data.table import Column
from kspan.errors import DataError, HierarchyError, hinted


def check_domain(column: Column, range_pattern: str | None = None, hierarchy: Hierarchy | Recipe | None = None) -> None:
    """Refuse cells outside the declared domain; the error says how many there are, and quotes none.

    Names of the hierarchy stand for values, and are accepted like these.
    """
    domain = column.domain
    if domain is None:
        return
    if column.is_measured:
        low, high = domain.low, domain.high
        if low is not None and high is not None and (outside := (column.values < low) | (column.values > high)).any():
            raise DataError(
                f"column {column.name!r} holds {outside.sum()} different numbers outside its domain "
                f"[{column.kind.text(low)}, {column.kind.text(high)}]: mend them or widen the domain in the policy"
            )
        return
    names = _names_above(column, hierarchy)
    if domain.kind.is_measured:
        cells = zip(column.values, meanings(column, range_pattern).cells, strict=True)
        wrong = sum(label not in names and range_of(cell) is None for label, cell in cells)
        what = "numbers"
    else:
        cells = zip(column.values, meanings(column, range_pattern).cells, strict=True)
        wrong = sum(label not in names and bool(domain.outside(values_in(cell))) for label, cell in cells)
        what = "values of its declared domain"
    if wrong:
        raise DataError(
            f"column {column.name!r} holds {wrong} different cells that are not {what}: "
            "mend them or change the domain in the policy"
        )


def _names_above(column: Column, hierarchy: Hierarchy | Recipe | None) -> frozenset[str]:
    """The names of a hierarchy above its values; a recipe has none unless the domain declares the values."""
    if isinstance(hierarchy, Recipe):
        hierarchy = None if column.domain is None or column.domain.values is None else _built(column, hierarchy)
    return frozenset() if hierarchy is None else frozenset(hierarchy.members) - frozenset(hierarchy.levels[0])


def _built(column: Column, recipe: Recipe, pattern: str | None = None, *, released: bool = False) -> Hierarchy | None:
    """Build the hierarchy of a recipe from the declared values, else from those of the column; None without any."""
    values = None if column.domain is None else column.domain.values
    if values is None and isinstance(recipe, Ordered):
        values = recipe.order or None
    inferred = values is None
    if values is None:
        values = tuple(dict.fromkeys(value for cell in meanings(column, pattern).cells for value in values_in(cell)))
    numeric = column.domain is not None and column.domain.kind.is_measured
    build = recipe.in_order if numeric and isinstance(recipe, Automatic) else recipe.build
    if isinstance(recipe, Dates):
        build = partial(recipe.build, kind=column.kind)
    if isinstance(recipe, Prefixes):
        build = partial(recipe.build, released=released and inferred)
    try:
        return replace(build(list(values)), inferred=inferred) if values else None
    except HierarchyError as error:
        raise HierarchyError(
            f"the hierarchy of {column.name!r} cannot be built: {error}", details=error.details
        ) from None


def with_hierarchy(
    column: Column, hierarchy: Hierarchy | Recipe, range_pattern: str | None = None, *, released: bool = False
) -> Column:
    """The column with its hierarchy (built first, if it is a recipe); values that the hierarchy lacks are refused.

    A recipe takes what may be a name in a `released` column for one.
    """
    if not isinstance(hierarchy, Hierarchy):
        made = _built(column, hierarchy, range_pattern, released=released)
        if made is None:  # all cells are suppressed or missing: there is nothing to build from, and no need
            return column
        hierarchy = made
    unknown = [
        value
        for code, cell in enumerate(meanings(column, range_pattern).cells)
        if not hierarchy.find(column.label(code))
        for value in values_in(cell)
        if not hierarchy.find(value)
    ]
    if unknown:
        signs = [value for value in unknown if value in NOT_A_NUMBER]
        remedy = f"or list {signs[0]!r} as missing under [cells]" if signs else "or mend the data"
        raise HierarchyError(
            f"the hierarchy of {column.name!r} does not cover {hinted(unknown)}: add a line for each, {remedy}",
            details=unknown,
        )
    return replace(column, hierarchy=hierarchy)


def check_names(column: Column, suppressed_text: str) -> None:
    """Refuse a hierarchy that uses the text of suppressed cells as a name for some of its values."""
    hierarchy = column.hierarchy
    if hierarchy is None or suppressed_text in (SUPPRESSED, hierarchy.names[-1][0]):
        return
    if suppressed_text in hierarchy.members:
        raise HierarchyError(
            f"the hierarchy of {column.name!r} has the name {suppressed_text!r:.40}, which is to be the text of "
            "suppressed cells: use another text"
        )
