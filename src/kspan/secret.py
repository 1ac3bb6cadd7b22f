"""The secret of a release: what is left to chance follows from it, so nobody who does not have it can try the choices.

A seed can be guessed: whoever has the public rows in the order of the source tries small numbers until the rows of
three known people come out right, and then knows everybody. So a release has a secret of 128 bits, which its owner
keeps.
"""

import re
import secrets
from dataclasses import dataclass
from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray

from kspan.data.arrays import Floats, Int64s
from kspan.errors import PolicyError

DIGITS = 32
"""How many hexadecimal digits a secret has at least: 128 bits."""
SPELLING = re.compile(rf"[0-9a-f]{{{DIGITS},128}}")


@dataclass(frozen=True, repr=False)
class Secret:
    """What decides all that is left to chance."""

    text: str
    """In hexadecimal digits."""

    @classmethod
    def of(cls, given: "str | Secret | None") -> "Secret":
        """Return a secret that was kept, or a new one."""
        if isinstance(given, Secret):
            return given
        if given is None:
            return cls(secrets.token_hex(DIGITS // 2))
        if not isinstance(given, str) or not SPELLING.fullmatch(given):
            raise PolicyError(
                f"a secret is text of at least {DIGITS} hexadecimal digits, as owners' files keep it: give that of an "
                "earlier release to make its table again, or none"
            )
        return cls(given)

    @classmethod
    def from_seed(cls, seed: int) -> "Secret":
        """Return what anybody can find again who knows a number: for tables that stay in the house."""
        return cls(f"{seed:0{DIGITS}x}")

    def chance(self) -> np.random.Generator:
        """Return a generator that always begins alike."""
        return np.random.default_rng(int(self.text, 16))

    def order(self, rows: int) -> Int64s:
        """Return an order of so many rows, which tells nothing of the secret."""
        return np.argsort(self._drawn("order", rows), kind="stable")

    def order_for(self, purpose: str, rows: int) -> Int64s:
        """Return another order, for a purpose of its own."""
        return np.argsort(self._drawn(f"order for {purpose}", rows), kind="stable")

    def normal_for(self, purpose: str, number: int) -> Floats:
        """Return standard normal numbers, drawn for a purpose (Box and Muller 1958).

        Whoever finds out some of them, by knowing what they were added to, learns nothing of the others: a plain
        generator would be found by its numbers.
        """
        drawn = self._drawn(f"normal for {purpose}", 2 * number).reshape(2, number)
        size, angle = (drawn >> np.uint64(11)) * 2.0**-53  # 53 bits, as floats have
        made: Floats = np.sqrt(-2 * np.log1p(-size)) * np.cos(2 * np.pi * angle)
        return made

    def _drawn(self, purpose: str, number: int) -> NDArray[np.uint64]:
        """Return 64 bits for each of so many things."""
        return np.frombuffer(shake_256(f"{purpose} {self.text}".encode()).digest(8 * number), "<u8")
