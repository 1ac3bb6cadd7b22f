"""kspan verify: is a released table still the one that its manifest was written for?"""

from pathlib import Path
from typing import Annotated

import typer

from kspan.cli.options import Json
from kspan.cli.output import tell, tell_json
from kspan.errors import FileError


def verify(
    release: Annotated[
        Path, typer.Argument(help="A released table; its manifest RELEASE.release.json lies beside it.")
    ],
    json: Json = False,
) -> int:
    """Say whether RELEASE is the very table that its manifest was written for; its claim is not judged anew."""
    from kspan.frames.commit import settled
    from kspan.frames.places import check_no_device, reason
    from kspan.frames.seal import checksum, manifest_path
    from kspan.report.formatting import visible
    from kspan.tables.manifest import read_manifest

    check_no_device(release)
    try:
        # Table and manifest belong together: no command may replace them between the two reads.
        with settled(release):
            content = release.read_bytes()
            manifest = read_manifest(manifest_path(release))
    except OSError as error:
        raise FileError(f"cannot read {release}: {reason(error)}") from None
    if manifest.checksum is None:
        raise FileError(
            f"{manifest.source} tells no SHA-256: it was not written with a table, so there is nothing to check"
        )
    found = checksum(content)
    fits = found == manifest.checksum
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
