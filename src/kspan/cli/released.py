"""What commands tell of a table that they released."""

from typing import TYPE_CHECKING

from kspan.cli.output import page, tell_json
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.tables.release import TableRelease


def tell_release(release: "TableRelease", output: Source, *, json: bool) -> int:
    """Tell the owner how a table was made and what the judge found; return the exit code."""
    from kspan.report.text import print_audit, print_table_release

    if json:
        tell_json({"output": str(output), **release.for_owner()})
        return 0
    with page() as console:
        print_table_release(release.for_owner(), console)
        print_audit(release.audit, release.policy.public, console)
    return 0
