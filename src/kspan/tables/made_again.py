"""A released table, made again from its people by the method and the options that its manifest tells."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

from kspan.errors import DataError, FileError, KspanError, PolicyError
from kspan.frames.rows import rows_checksum
from kspan.options import check_names
from kspan.policy import Policy
from kspan.tables.making import anonymize
from kspan.tables.manifest import manifest_of, read_manifest
from kspan.tables.methods import methods, options_of
from kspan.tables.release import TableRelease, beside, secret_in


def made_again(
    table: pl.DataFrame,
    path: str | os.PathLike[str],
    people: pl.DataFrame,
    policy: Policy,
    progress: Callable[[str], None] = lambda step: None,
) -> TableRelease:
    """Make a table again, and refuse if that is another one.

    What was left to chance follows from the secret in the owner's file beside it; without that file, only a table in
    which nothing was left to chance can be made again.
    """
    manifest = manifest_of(path)
    if manifest is None:
        raise FileError(f"{path} has no manifest beside it, which says how it was made: add {path}.release.json")
    told = read_manifest(manifest)
    if told.method is None or told.form != "long":
        raise PolicyError(f"the manifest of {path} names no method that makes tables of one row a person")
    try:
        secret = secret_in(beside(path)[-1])
    except KspanError:
        secret = None
    options: dict[str, Any] = dict(told.options)
    if told.method in methods():
        check_names(told.method, options, options_of(told.method))
    alone = replace(policy, ledger=None)  # it is not released once more
    release = anonymize(people, alone, told.method, secret=secret, progress=progress, **options)
    if rows_checksum(release.frame) != rows_checksum(table.select(release.frame.columns)):
        raise DataError(
            f"{told.method} does not make this table of these people: give the people and the policy that it was made "
            f"with, and leave {beside(path)[-1].name} beside it, which keeps what was left to chance"
        )
    return release
