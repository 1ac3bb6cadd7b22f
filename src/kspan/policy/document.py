"""A policy as one JSON object that needs no other file: the keys of policy.toml, with hierarchies written out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kspan.data.cells import SUPPRESSED
from kspan.data.domain import Domain, declared
from kspan.data.hierarchy import Hierarchy
from kspan.data.kinds.kind import NUMERIC
from kspan.data.kinds.registry import UNITS, kind_in_file
from kspan.data.schema import SINGLE
from kspan.errors import PolicyError
from kspan.policy.policy import Policy, recipe_says
from kspan.privacy.spec import to_table


def policy_document(policy: Policy) -> dict[str, Any]:
    """Write a policy with all that it says.

    >>> policy_document(Policy(public=["age"], require="k=5", hierarchies={"age": {"build": "auto"}}))["hierarchies"]
    {'age': {'build': 'auto'}}
    """
    written = {name: getattr(policy, name) for name in ("target", *SINGLE) if getattr(policy, name) is not None}
    cells: dict[str, Any] = {"missing": list(policy.missing), "suppressed": policy.suppressed}
    if policy.suppressed_text != SUPPRESSED:
        cells["suppressed_text"] = policy.suppressed_text
    if policy.range_pattern is not None:
        cells["range_pattern"] = policy.range_pattern
    return {
        "public": list(policy.public),
        "private": policy.private_says,
        "identifier": list(policy.identifier),
        **written,
        "known_rows": policy.known_rows,
        **({} if policy.order is None else {"order": policy.order}),
        "counting": policy.counting,
        "require": to_table(policy.require),
        "hierarchies": {
            name: hierarchy_document(given) if isinstance(given, Hierarchy) else recipe_says(given)
            for name, given in policy.hierarchies.items()
        },
        "domains": {name: _domain(domain) for name, domain in policy.domains.items()},
        **({"sets": dict(policy.sets)} if policy.sets else {}),
        **({"grid": policy.grid if isinstance(policy.grid, str) else dict(policy.grid)} if policy.grid else {}),
        **({"keep": dict(policy.keep)} if policy.keep else {}),
        **({"ages": {name: age.says for name, age in policy.ages.items()}} if policy.ages else {}),
        "cells": cells,
    }


def policy_in(document: Mapping[str, Any], source: str) -> Policy:
    """Read a policy, without trust: it may name no file."""
    hierarchies = document.get("hierarchies", {})
    if not isinstance(hierarchies, dict):
        raise PolicyError(f"the hierarchies in {source} must be an object")
    read = {name: _hierarchy(name, says, source) for name, says in hierarchies.items()}
    domains = document.get("domains", {})
    if not isinstance(domains, dict):
        raise PolicyError(f"the domains in {source} must be an object")
    told = {name: _of_dates(name, says) if isinstance(says, dict) else says for name, says in domains.items()}
    return Policy.of({**document, "hierarchies": read, "domains": told})


def _domain(domain: Domain) -> Any:
    """Write a domain; JSON has no dates, so those of dates are objects."""
    if domain.kind.unit is None:
        return domain.says
    ends = None if domain.low is None or domain.high is None else [domain.low, domain.high]
    return {"calendar": domain.kind.unit, "range": ends}


def _of_dates(name: str, says: Mapping[str, Any]) -> Domain:
    unit, ends = says.get("calendar"), says.get("range")
    if set(says) != {"calendar", "range"} or unit not in UNITS:
        raise PolicyError(f"the domain of {name!r} must have a calendar ({', '.join(UNITS)}) and a range")
    low, high = (None, None) if ends is None else (declared(name, ends).low, declared(name, ends).high)
    return Domain(kind_in_file(NUMERIC, unit), low, high)


def hierarchy_document(hierarchy: Hierarchy) -> dict[str, Any]:
    """Write a hierarchy level by level, from the values up."""
    return {"levels": [list(level) for level in hierarchy.levels], "mask": hierarchy.mask}


def hierarchy_in(says: Mapping[str, Any], source: str) -> Hierarchy:
    """Read a hierarchy that was written level by level, without trust."""
    levels, mask = says.get("levels"), says.get("mask")
    if not isinstance(levels, list) or not levels or not all(map(_are_names, levels)):
        raise PolicyError(f"{source} must be lists of names, one list a level")
    if len({len(level) for level in levels}) > 1:
        raise PolicyError(f"{source} must have a name for every value at every level")
    if mask is not None and (not isinstance(mask, str) or len(mask) != 1):
        raise PolicyError(f"the mask of {source} must be one character")
    return replace(Hierarchy.of(list(zip(*levels, strict=True)), source=source), mask=mask)


def _hierarchy(name: str, says: Any, source: str) -> Any:
    if isinstance(says, dict) and "levels" in says and "build" not in says:
        return hierarchy_in(says, f"the hierarchy of {name!r} in {source}")
    if not isinstance(says, dict):  # a text would be the name of a file
        raise PolicyError(f"the hierarchy of {name!r} in {source} must be an object")
    return says


def _are_names(level: Any) -> bool:
    return isinstance(level, list) and all(isinstance(name, str) for name in level)
