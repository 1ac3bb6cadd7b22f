"""What the manifest of a released table says of it: its checksum, and whether its formulas were defused."""

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from kspan.errors import FileError
from kspan.frames.commit import content_of
from kspan.frames.formulas import TOLD
from kspan.frames.rows import rows_checksum

FORMAT = "kspan/table"


@dataclass(frozen=True)
class Seal:
    """What a manifest says of the bytes of its table."""

    manifest: Path
    checksum: str | None
    defused: bool

    def fits(self, content: bytes) -> bool:
        """Is this the table that the manifest was written for?"""
        return self.checksum in (None, checksum(content))

    def check(self, content: bytes, path: str | os.PathLike[str]) -> None:
        """Refuse a table that was changed, or cut short, since its manifest was written."""
        self.check_digest(checksum(content), path)

    def check_digest(self, digest: str, path: str | os.PathLike[str]) -> None:
        """Refuse a table with another SHA-256 than the manifest says."""
        if self.checksum not in (None, digest):
            raise FileError(
                f"{path} is not the table that {self.manifest.name} was written for, its SHA-256 is another: fetch "
                "both again, or take the manifest away if the table was changed on purpose"
            )


def checksum(content: bytes) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(content).hexdigest()


def manifest_path(path: str | os.PathLike[str]) -> Path:
    """The path of the manifest of a table."""
    return Path(f"{os.fspath(path)}.release.json")


def seal_of(path: str | os.PathLike[str]) -> Seal | None:
    """The seal in the manifest beside a table; None if there is no such file, or it is no manifest of a table."""
    manifest = manifest_path(path)
    try:
        content = content_of(manifest)
        said = None if content is None else json.loads(content)
    except (OSError, ValueError, RecursionError):
        raise FileError(f"the manifest {manifest} is damaged: fetch it again with its table, or take it away") from None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        return None
    claim, digest = said.get("claim"), said.get("sha256")
    return Seal(
        manifest,
        digest.lower() if isinstance(digest, str) else None,
        isinstance(claim, dict) and claim.get("formulas") == TOLD,
    )


def check_rows(manifest: str | None, frame: pl.DataFrame, source: object) -> None:
    """Refuse a table of a database that was changed since the manifest was written that is kept with it."""
    digest = _digest_of(manifest)
    if digest is not None and digest != rows_checksum(frame):
        raise FileError(
            f"{source} is not the table that its manifest was written for, the SHA-256 of its rows is another: release "
            "it again, or remove its comment (of SQLite, its row in kspan_releases) if it was changed on purpose"
        )


def _digest_of(manifest: str | None) -> str | None:
    """The checksum in the comment of a table; None if that is no manifest of ours."""
    if manifest is None or FORMAT not in manifest:
        return None
    try:
        said = json.loads(manifest)
    except (ValueError, RecursionError):
        return None
    digest = said.get("sha256") if isinstance(said, dict) and said.get("format") == FORMAT else None
    return digest.lower() if isinstance(digest, str) else None
