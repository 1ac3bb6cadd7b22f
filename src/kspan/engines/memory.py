"""How much memory may be used, as people write it and as the machine has it."""

import os
import re

from kspan.errors import PolicyError, listed

UNITS = {"MB": 10**6, "GB": 10**9, "TB": 10**12}
BINARY = {"MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
SAID = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([MGT]i?B)\s*", re.IGNORECASE)
LEAST = 500 * 10**6
"""Less memory than this is not enough for anything."""
PROGRAM = 200 * 10**6
"""What the program itself takes."""
COUNTING, COUNTED = 0.4, 0.2
"""The shares of the rest that an engine may use to count rows, and that the different rows may take."""


def bytes_said(text: str) -> int:
    """Return the bytes that a text says; refuse what says none.

    >>> bytes_said("4GB"), bytes_said("1.5 gb"), bytes_said("1GiB")
    (4000000000, 1500000000, 1073741824)
    """
    found = SAID.fullmatch(text)
    if found is None:
        raise PolicyError(f"{text[:40]!r} is no amount of memory: give a number and {listed(UNITS)}, as in 4GB")
    amount = int(float(found[1]) * {**UNITS, **BINARY}[found[2].upper()])
    if amount < LEAST:
        raise PolicyError(f"{said_of(amount)} of memory are not enough: give at least {said_of(LEAST)}")
    return amount


def for_counting(memory: int) -> int:
    """Return how much of the memory an engine may use to count rows."""
    return int(max(memory - PROGRAM, 0) * COUNTING)


def for_kinds(memory: int | None) -> float | None:
    """Return how much of the memory the different rows of a table may take."""
    return None if memory is None else max(memory - PROGRAM, 0) * COUNTED


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
