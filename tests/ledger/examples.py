"""Releases and ledgers for tests."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from kspan.ledger.entry import Entry, Release
from kspan.ledger.payload import Payload
from kspan.ledger.store import Store


def release(word: str = "x", **different: Any) -> Release:
    facts: dict[str, Any] = {
        "kind": "table",
        "name": f"{word}.csv",
        "fingerprint": hashlib.sha256(word.encode()).hexdigest(),
        "recipient": word,
        "requirement": "k=2",
        "people": 3,
        "rows": 4,
        "method": "mondrian",
        "policy": 'public = ["age"]',
    }
    return Release(**{**facts, **different})


def entered(store: Store, word: str, ids: list[str], payload: Payload | None = None) -> Entry:
    """Enter a release of some people, with their numbers unless there is another payload."""
    with store.writing() as writing:
        numbers = writing.people(pl.Series(ids, dtype=pl.String))
        return writing.enter(release(word), payload or Payload({"word": word}, {"people": numbers}))


def filled(path: Path) -> Path:
    """A ledger with several releases, one of which is forgotten."""
    with Store.create(path) as store:
        rng = np.random.default_rng(1)
        for word, count in (("first", 400), ("second", 900), ("third", 20)):
            ids = [f"{word[0]}{number}" for number in range(count)]
            arrays = {"group": rng.integers(0, 9, count), "share": rng.random((count, 2)), "is": rng.random(7) < 0.5}
            entered(store, word, [*ids, "shared"], Payload({"names": [word] * count, "at": 1.5}, arrays))
        store.forget_release(3)
    return path


def contents(path: Path) -> Any:
    """Everything that a ledger says, in a form that can be compared."""
    ids = pl.Series([*(f"{letter}{number}" for letter in "fst" for number in range(1000)), "shared"])
    with Store.open(path) as store:
        payloads = []
        for entry in store.entries():
            if entry.forgotten is None:
                payload = store.payload(entry.number)
                arrays = {name: (one.dtype.str, one.shape, one.tobytes()) for name, one in payload.arrays.items()}
                payloads.append((dict(payload.document), arrays))
        return store.entries(), payloads, store.people(ids).tolist()
