"""kspan verify: is a released table still the one that its manifest was written for?"""

from typing import TYPE_CHECKING, Annotated

import typer

from kspan.cli.log import event
from kspan.cli.options import Json
from kspan.cli.output import tell, tell_json
from kspan.errors import FileError
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.tables.manifest import Manifest


def verify(
    release: Annotated[
        Source,
        typer.Argument(
            parser=Source.of,
            help="A released table: its manifest RELEASE.release.json lies beside it, or its database keeps it.",
        ),
    ],
    json: Json = False,
) -> int:
    """Say whether RELEASE is the very table that its manifest was written for; its claim is not judged anew."""
    from kspan.frames.databases.door import is_stored
    from kspan.report.formatting import visible

    manifest, found = _of_database(release) if is_stored(release) else _of_file(release)
    if manifest.checksum is None:
        raise FileError(
            f"{manifest.source} tells no SHA-256: it was not written with a table, so there is nothing to check"
        )
    fits = found == manifest.checksum
    event("verified", same=fits, requirement=manifest.requirement)
    if json:
        said = {"release": str(release), "sha256": found, "manifest": manifest.checksum, "same": fits}
        tell_json({**said, "requirement": manifest.requirement})
    elif fits:
        tell(
            f"✔ {release} is the table that {manifest.source} was written for; "
            f"it claims {visible(manifest.requirement)}.\n"
        )
    else:
        tell(f"✘ {release} is not the table that {manifest.source} was written for: fetch both again.\n")
    return 0 if fits else 1


def _of_file(release: Source) -> "tuple[Manifest, str]":
    """Return the manifest beside a file, and the checksum that the file has."""
    from kspan.frames.commit import settled
    from kspan.frames.places import check_no_device, reason
    from kspan.frames.seal import checksum, manifest_path
    from kspan.tables.manifest import read_manifest

    assert release.path is not None
    check_no_device(release.path)
    try:
        # Table and manifest belong together: no command may replace them between the two reads.
        with settled(release.path):
            content = release.path.read_bytes()
            manifest = read_manifest(manifest_path(release.path))
    except OSError as error:
        raise FileError(f"cannot read {release}: {reason(error)}") from None
    return manifest, checksum(content)


def _of_database(release: Source) -> "tuple[Manifest, str]":
    """Return the manifest that a database keeps with a table, and the checksum that the rows have."""
    from kspan.frames.databases.door import read_stored
    from kspan.frames.rows import rows_checksum
    from kspan.tables.manifest import manifest_in

    stored = read_stored(release)
    if stored.manifest is None:
        raise FileError(f"{release} has no manifest: it was not released by kspan, or was made again since")
    return manifest_in(stored.manifest, f"the manifest of {release}"), rows_checksum(stored.frame)
