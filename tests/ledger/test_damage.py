"""Whatever happens to the bytes of a ledger, it says the same as before, or refuses in a sentence."""

import random
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from kspan.errors import LedgerError
from kspan.ledger.store import Store
from ledger.examples import contents, entered, filled


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("whole") / "l")


class Damaged:
    """A ledger that is damaged again and again, each time from the whole one."""

    def __init__(self, whole: Path, folder: Path) -> None:
        self.content, self.said = whole.read_bytes(), contents(whole)
        self.path = folder / "l"
        shutil.copy2(whole.with_name("l.key"), folder / "l.key")
        self.refused = self.same = 0

    def try_out(self, content: bytes) -> None:
        self.path.write_bytes(content)
        self.path.chmod(0o600)
        said: Any = None
        with suppress(LedgerError):  # anything else that is raised is a fault
            said = contents(self.path)
        if said is None:
            self.refused += 1
            assert self.path.read_bytes() == content  # nothing is repaired
        else:
            assert said == self.said
            self.same += 1
        for other in self.path.parent.glob("l-*"):
            other.unlink()


@pytest.fixture
def damaged(whole: Path, tmp_path: Path) -> Damaged:
    return Damaged(whole, tmp_path)


def flipped(content: bytes, at: int, mask: int) -> bytes:
    return content[:at] + bytes([content[at] ^ mask]) + content[at + 1 :]


def test_every_byte_of_the_beginning(damaged: Damaged) -> None:
    for at in range(200):
        damaged.try_out(flipped(damaged.content, at, 1 << at % 8))
    assert damaged.refused > 60


@pytest.mark.parametrize("turn", [pytest.param(turn, marks=pytest.mark.slow if turn else ()) for turn in range(8)])
def test_flipped_bits_anywhere(turn: int, damaged: Damaged) -> None:
    rng = random.Random(turn)
    # Most bytes of a page are not in use: look for those that are.
    used = [at for at, byte in enumerate(damaged.content) if byte]
    for _ in range(400):
        damaged.try_out(flipped(damaged.content, rng.choice(used), 1 << rng.randrange(8)))
    assert damaged.refused > 380
    assert damaged.refused + damaged.same == 400


def test_cut_short_anywhere(damaged: Damaged) -> None:
    size = len(damaged.content)
    for keep in sorted({0, 1, 15, 16, 99, 100, 512, size - 1, *range(0, size, size // 60)} - {size}):
        damaged.try_out(damaged.content[:keep])
    assert damaged.same == 0


def test_pages_that_are_blank_doubled_or_of_another_time(damaged: Damaged, whole: Path, tmp_path: Path) -> None:
    page = 16384
    pages = [damaged.content[at : at + page] for at in range(0, len(damaged.content), page)]
    later = tmp_path / "later" / "l"
    later.parent.mkdir()
    for name in ("l", "l.key"):
        shutil.copy2(whole.with_name(name), later.with_name(name))
    with Store.open(later) as store:
        entered(store, "fourth", ["f1", "new"])
    newer = later.read_bytes()
    for number, one in enumerate(pages):
        for other in (bytes(page), pages[number - 1], newer[number * page : (number + 1) * page]):
            if other != one:
                damaged.try_out(b"".join([*pages[:number], other, *pages[number + 1 :]]))
    assert damaged.refused > len(pages)
    damaged.try_out(damaged.content + bytes(page))
    damaged.try_out(damaged.content)
    assert damaged.same >= 1


def test_a_key_with_a_flipped_bit_is_that_of_another_ledger(damaged: Damaged) -> None:
    damaged.path.write_bytes(damaged.content)
    damaged.path.chmod(0o600)
    key = damaged.path.with_name("l.key")
    right = key.read_bytes()
    for at in range(32):
        key.write_bytes(flipped(right, at, 1))
        with pytest.raises(LedgerError, match="is not that of the ledger"):
            contents(damaged.path)
