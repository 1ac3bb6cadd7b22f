"""`python -m campaigns NAME`: attack the product for a while, and tell what was found."""

import argparse
import os
import random
import sys
import tempfile
from importlib import import_module
from pathlib import Path

from campaigns.figures import Budget, Figures
from campaigns.running import warm

CAMPAIGNS = {
    "bytes": "search everything that leaves for what must stay",
    "crash": "kill every command that writes, at any moment, and look at what is left",
    "ledger": "kill writers that enter releases in a ledger, and look whether files and entries agree",
    "input": "mutate tables, policies, models and options",
    "readers": "give any text to what reads files",
    "claims": "count released tables and models again by hand",
    "load": "give it many rows and little memory",
}


def main(words: list[str] | None = None) -> int:
    """Run one campaign; the exit code is 1 if it found something."""
    given = _arguments(words)
    os.environ.pop("KSPAN_DEBUG", None)  # commands run as people run them
    folder = given.out or Path(tempfile.mkdtemp(prefix="campaign-"))
    figures = Figures(given.campaign, folder.resolve())
    warm()
    campaign = import_module(f"campaigns.{given.campaign}")
    more = {"rows": given.rows, "limit": given.limit} if given.campaign == "load" else {}
    with tempfile.TemporaryDirectory(prefix="campaign-") as place:
        try:
            campaign.run(Budget(given.cases, given.minutes), random.Random(given.seed), figures, Path(place), **more)
        except KeyboardInterrupt:
            figures.notes.append("stopped before the end")
    return figures.tell(given.seed)


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m campaigns", description=__doc__)
    commands = parser.add_subparsers(dest="campaign", required=True)
    for name, what in CAMPAIGNS.items():
        one = commands.add_parser(name, help=what)
        one.add_argument("--minutes", type=float, help="how long; 2 unless said")
        one.add_argument("--cases", type=int, help="how many cases instead")
        one.add_argument("--seed", type=int, default=0, help="of what is left to chance")
        one.add_argument("--out", type=Path, help="where reproducers go")
        if name == "load":
            one.add_argument("--rows", type=int, default=10_000_000, help="how many people")
            one.add_argument("--limit", type=int, help="megabytes that a command may take; several limits unless said")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main())
