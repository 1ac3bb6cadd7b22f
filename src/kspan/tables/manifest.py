"""The manifest of a released table, read by whoever learns from the table."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from kspan.data.cells import SUPPRESSED, number_text, read_cell, values_in
from kspan.data.hierarchy import Hierarchy
from kspan.data.names import hierarchy_of
from kspan.errors import FileError, PolicyError
from kspan.frames.databases.door import is_stored
from kspan.frames.databases.door import manifest_of as stored_manifest
from kspan.frames.files import read_text
from kspan.frames.seal import FORMAT, manifest_path
from kspan.frames.source import Source
from kspan.model.checks import Place, text, texts
from kspan.model.documents import check_format, parsed
from kspan.policy import Policy
from kspan.privacy import KAnonymity, Requirement
from kspan.privacy.spec import parse
from kspan.tables.release import VERSION

Names = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By attribute and shown name: the values that the name stands for."""


@dataclass(frozen=True)
class Manifest:
    """What a released table promises, and what its names stand for."""

    source: str
    public: tuple[str, ...]
    private: tuple[str, ...]
    requirement: str
    names: Names
    method: str | None = None
    """How the table was made."""
    weight: str | None = None
    suppressed_text: str = SUPPRESSED
    form: str = "long"
    """Is each row a person with several rows side by side ("wide")?"""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What its method was told."""
    checksum: str | None = None
    """The SHA-256 of the table that it was written for."""

    def policy(self, target: str | None) -> Policy:
        """Return the policy that the claim describes; a claim names no target, so it must be given."""
        if target is None:
            raise PolicyError(f"{self.source} does not say what to predict: name the column with --target")
        return Policy(
            public=self.public,
            private=self.private,
            target=target,
            weight=self.weight,
            require=self.requirement if self.form == "long" else _crowds(self.requirement),
            suppressed_text=self.suppressed_text,
        )

    def naming(self, policy: Policy, people: pl.DataFrame) -> Policy:
        """Return the policy with a hierarchy of names for each column that has none but shows names."""
        found = {
            name: self._hierarchy(name, people[name], policy)
            for name in self.names
            if name in (*policy.public, *policy.private)
            and name in people.columns
            and name not in policy.hierarchies
            and self.names[name]
        }
        return replace(policy, hierarchies={**policy.hierarchies, **found}) if found else policy

    def _hierarchy(self, name: str, series: pl.Series, policy: Policy) -> Hierarchy:
        names = self.names[name]
        silent = {SUPPRESSED, policy.suppressed_text, *policy.missing}
        shown = series.unique().drop_nulls().to_list()
        cells = [cell if isinstance(cell, str) else number_text(cell) for cell in shown]
        plain = [read_cell(cell) for cell in cells if cell not in names and cell not in silent]
        # Values that are shown as they are, alone or in sets, stand beside the names.
        others = sorted({value for cell in plain for value in values_in(cell)} - set(names))
        return hierarchy_of(names, others, source=f"{self.source}, in the names of {name!r},")


def manifest_of(path: str | os.PathLike[str]) -> Path | Source | None:
    """Return the path of the manifest beside a table, or the table of a database that keeps one, if there is one."""
    if is_stored(source := Source.of(path)):
        said = stored_manifest(source)
        return source if said is not None and FORMAT in said else None
    going = manifest_path(path)
    return going if going.is_file() else None


def read_manifest(path: str | os.PathLike[str]) -> Manifest:
    """Read the manifest in a file, or that of a table of a database, checked as far as it is used."""
    if is_stored(stored := Source.of(path)):
        said = stored_manifest(stored)
        if said is None:
            raise FileError(f"{stored} has no manifest: it was not released by kspan, or was made again since")
        return manifest_in(said, f"the manifest of {stored}")
    return manifest_in(read_text(path, "the manifest"), str(path))


def manifest_in(said: str, source: str) -> Manifest:
    """Read a manifest, checked as far as it is used."""
    document = parsed(said, source)
    top = Place(source, "the top")
    check_format(top, document, FORMAT, VERSION, "manifest of a table")
    claim = _object(top, "'claim'", document.get("claim"))
    place = Place(source, "the claim")
    weight, suppressed = claim.get("weight"), claim.get("suppressed", SUPPRESSED)
    return Manifest(
        source,
        texts(place, "'public'", claim.get("public")),
        texts(place, "'private'", claim.get("private")),
        text(place, "'requirement'", claim.get("requirement")),
        _names(top, document.get("names", {})),
        None if document.get("method") is None else text(top, "'method'", document["method"]),
        None if weight is None else text(place, "'weight'", weight),
        text(place, "'suppressed'", suppressed),
        text(place, "'form'", claim.get("form", "long")),
        _object(top, "'options'", document.get("options", {})),
        None if document.get("sha256") is None else text(top, "'sha256'", document["sha256"]).lower(),
    )


def _crowds(requirement: str) -> Requirement:
    """Return what is required of crowds alone: of private values it is asked over several columns of a wide table."""
    return next((part for part in parse(requirement).parts if isinstance(part, KAnonymity)), KAnonymity(1))


def _names(top: Place, found: Any) -> Names:
    names: dict[str, dict[str, tuple[str, ...]]] = {}
    for column, each in _object(top, "'names'", found).items():
        place = Place(top.source, "the names")
        names[column] = {
            name: texts(place, "what a name stands for", values)
            for name, values in _object(place, "what is said of a column", each).items()
        }
        if not all(names[column].values()):
            place.refuse("every name must stand for some value")
    return names


def _object(place: Place, what: str, found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else place.refuse(f"{what} must be an object")
