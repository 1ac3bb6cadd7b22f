"""How much memory may be used, as people write it and as the machine has it."""

import os
import re

from kspan.errors import PolicyError, listed

UNITS = {"KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SAID = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]B)\s*", re.IGNORECASE)
LEAST = 50 * 10**6
"""Less memory than this is not enough for anything."""


def bytes_said(text: str) -> int:
    """Return the bytes that a text says; refuse what says none.

    >>> bytes_said("4GB"), bytes_said("1.5 gb")
    (4000000000, 1500000000)
    """
    found = SAID.fullmatch(text)
    if found is None:
        raise PolicyError(f"{text[:40]!r} is no amount of memory: give a number and {listed(UNITS)}, as in 4GB")
    amount = int(float(found[1]) * UNITS[found[2].upper()])
    if amount < LEAST:
        raise PolicyError(f"{said_of(amount)} of memory are not enough: give at least {said_of(LEAST)}")
    return amount


def said_of(amount: float) -> str:
    """Say an amount of memory as people do.

    >>> said_of(4_200_000_000), said_of(12_000_000)
    ('4.2 GB', '12 MB')
    """
    unit = next((unit for unit in ("TB", "GB") if amount >= UNITS[unit]), "MB")
    return f"{amount / UNITS[unit]:.2g} {unit}" if amount < 100 * UNITS[unit] else f"{amount / UNITS[unit]:.0f} {unit}"


def of_machine() -> int:
    """Return how many bytes of memory the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
