"""Roles by patterns: `public = ["grocery:*"]`, for tables with too many columns to name each."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Literal

from kspan.data.schema import ROLES, SINGLE
from kspan.errors import PolicyError, listed
from kspan.policy.policy import Policy
from kspan.privacy import KAnonymity, OnPrivate, Requirement
from kspan.privacy.spec import combined

WILD = "*?["


def expanded(policy: Policy, columns: Iterable[str]) -> Policy:
    """The policy with each pattern replaced by the columns that match it; a column that is named itself keeps its role.

    >>> expanded(Policy(public=["grocery:*"], private=["tea", "*:tea"], require="k=2"),
    ...          ["grocery:milk", "health:tea", "tea"]).private
    ('health:tea', 'tea')
    """
    present = list(columns)
    found = _matched(policy, present)
    told: dict[str, list[str]] = {role: [] for role in ROLES}
    for name in present:
        if name in found:
            told[found[name][0]].append(name)
    used = {pattern for _, pattern in found.values()}
    for role in ROLES:
        for name in getattr(policy, role):
            if name in found or name in used:
                continue
            if _is_pattern(name) and not any(fnmatchcase(column, name) for column in present):
                raise PolicyError(f"the pattern {name!r} under {role} matches no column: correct it, or take it out")
            # A pattern that is left here matches only columns that are named themselves, and is dropped.
            if not _is_pattern(name):
                # Not in the table, and kept, so that whoever reads the table can say so.
                told[role].append(name)
    # What is required of a pattern is required of every column that matches it.
    require = by_name(policy.require, told["private"])
    return replace(policy, require=require, **told)  # type: ignore[arg-type]  # lists are kept as tuples


def by_name(require: Requirement, private: Sequence[str]) -> Requirement:
    """The requirement with each pattern of private attributes replaced by those that match it.

    A part that is about a pattern alone which matches nothing is left out: there is nothing to require it of.

    >>> from kspan.privacy.spec import parse
    >>> str(by_name(parse('k=2, confidence["pharmacy:*"="yes"]=0.2'), ["pharmacy:pills", "pharmacy:tea"]))
    'k=2, confidence["pharmacy:pills"="yes"]=0.2, confidence["pharmacy:tea"="yes"]=0.2'
    """
    parts: list[Requirement] = []
    for part in require.parts:
        if not isinstance(part, OnPrivate) or not any(_is_pattern(name) and name not in private for name in part.on):
            parts.append(part)
            continue
        names = list(dict.fromkeys(found for name in part.on for found in _matching(name, private)))
        # A limit on one value is about one attribute.
        each = [names] if part.only_value is None and names else [[name] for name in names]
        parts += [replace(part, on=tuple(some)) for some in each]
    return require if parts == list(require.parts) else combined(parts) if parts else KAnonymity(1)


def _matching(name: str, private: Sequence[str]) -> list[str]:
    """The private attributes that a name or a pattern stands for."""
    if not _is_pattern(name) or name in private:
        return [name]
    return [column for column in private if fnmatchcase(column, name)]


def roles_of(policy: Policy, names: Iterable[str]) -> dict[str, Literal["public", "private"]]:
    """The role that the policy gives to each item, by name or by pattern; an item without a role is refused."""
    wanted = list(names)
    found = {name: role for name, (role, _) in _matched(policy, wanted).items()}
    roles: dict[str, Literal["public", "private"]] = {}
    for name in wanted:
        role = found.get(name)
        if role != "public" and role != "private":
            raise PolicyError(f"the item {name!r} has no role in the policy: list it under public or private")
        roles[name] = role  # type: ignore[assignment]  # narrowed above
    return roles


def _matched(policy: Policy, columns: list[str]) -> dict[str, tuple[str, str]]:
    """For each column that has a role: the role, and the name or pattern that gives it."""
    exact = {name: role for role in ROLES for name in getattr(policy, role)}
    patterns = [(name, role) for name, role in exact.items() if _is_pattern(name) and name not in columns]
    found: dict[str, tuple[str, str]] = {}
    for column in columns:
        if column in exact:
            found[column] = exact[column], column
            continue
        if column in (getattr(policy, role) for role in SINGLE):
            continue
        giving = [(role, pattern) for pattern, role in patterns if fnmatchcase(column, pattern)]
        if len({role for role, _ in giving}) > 1:
            matching = listed(pattern for _, pattern in giving)
            raise PolicyError(f"column {column!r} matches the patterns {matching} of different roles: name it in one")
        if giving:
            found[column] = giving[0]
    return found


def _is_pattern(name: str) -> bool:
    return any(mark in name for mark in WILD)
