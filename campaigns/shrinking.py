"""The smallest case that still shows a fault."""

import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def smallest(items: Sequence[Item], fails: Callable[[list[Item]], bool], *, seconds: float = 20) -> list[Item]:
    """The items that are left when as many as possible are dropped while the fault persists (delta debugging).

    >>> smallest(range(20), lambda kept: {3, 17} <= set(kept))
    [3, 17]
    """
    end = time.monotonic() + seconds
    kept, size = list(items), max(len(items) // 2, 1)
    while kept and time.monotonic() < end:
        at, before = 0, len(kept)
        while at < len(kept) and time.monotonic() < end:
            fewer = kept[:at] + kept[at + size :]
            if fails(fewer):
                kept = fewer
            else:
                at += size
        if size == 1 and len(kept) == before:
            break
        size = max(size // 2, 1)
    return kept
