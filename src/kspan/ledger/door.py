"""What leaves is entered: the transaction of a release and its files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kspan.ledger.ledger import Going, Ledger, current_ledger
from kspan.ledger.writing import Writing
from kspan.policy import Policy


@contextmanager
def entered(
    policy: Policy | None, *going: Callable[[], Going], made_beside: Ledger | None = None
) -> Iterator[Writing | None]:
    """Enter releases in the ledger that is in use, or refuse them; yields what `write_files` takes, if there is one.

    What was made beside a ledger is entered there, also when its block is over. What releases let anybody see is found
    out only if there is a ledger.
    """
    ledger = current_ledger(policy) or made_beside
    if ledger is None or not going:
        yield None
        return
    with ledger:
        for make in going:
            writing = ledger.enter(make())
        yield writing
