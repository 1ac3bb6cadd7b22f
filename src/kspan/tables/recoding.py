"""The recoding of a release, kept without its rows: it shows people who come later as the release shows such people."""

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from kspan.anonymize.newcomers import shown_by_ways
from kspan.anonymize.ways import Ways
from kspan.data.prepared import computed
from kspan.errors import DataError, PolicyError, listed
from kspan.frames.commit import File, write_files
from kspan.frames.files import load, read_text
from kspan.frames.native import of_its_kind
from kspan.frames.rebuilt import without_categories
from kspan.frames.seal import checksum
from kspan.model.documents import lines, parsed
from kspan.policy import Policy, PolicyLike
from kspan.policy.document import policy_document
from kspan.policy.private_numbers import PrivateNumbers
from kspan.secret import Secret
from kspan.tables.applying import Asked, applied
from kspan.tables.recoding_json import Written, read_recoding, write_recoding
from kspan.tables.release import TableRelease

SALT_BYTES = 16


@dataclass(frozen=True, repr=False)
class KeptRecoding:
    """What a method made of a table, without the rows: the policy, and what became of each public value."""

    policy: Policy
    method: str
    options: Mapping[str, Any]
    facts: Mapping[str, Any]
    ways: Ways = field(repr=False)
    salt: str = field(default_factory=lambda: secrets.token_hex(SALT_BYTES), repr=False)
    """Keeps anybody from guessing what is in the file by its checksum, which is told."""
    numbers: Mapping[str, PrivateNumbers] = field(default_factory=dict, repr=False)
    """How private numbers are shown, with what was found for that."""

    def __repr__(self) -> str:
        return f"KeptRecoding(by {self.method}, {self.policy.require})"

    @cached_property
    def content(self) -> bytes:
        """The file of this recoding, which can be read back."""
        made = Written(self.policy, self.method, self.options, self.facts, self.ways, self.salt, self.numbers)
        text = lines(write_recoding(made))
        read_recoding(parsed(text, "the recoding to be written"), "the recoding to be written")
        return text.encode()

    @property
    def checksum(self) -> str:
        """The SHA-256 of the file."""
        return checksum(self.content)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the recoding to a file that only you can read: it names values of people."""
        write_files({path: File(self.content, owner_only=True)})

    def recode(self, data: Any) -> Any:
        """Return new rows as `TableRelease.recode` does: to learn from, and not judged."""
        rows = computed(load(data), self.policy)
        absent = [name for name in self.policy.public if name not in rows.columns]
        if absent:
            raise DataError(f"the new rows lack the public column {listed(absent)}: add it")
        shown = shown_by_ways(rows, self.ways, self.policy)
        made = rows.drop(self.policy.never_released, strict=False).with_columns(**shown)
        return of_its_kind(data, without_categories(made))

    def apply(
        self,
        data: Any,
        *,
        beside: Sequence[Any] = (),
        withhold: bool = False,
        secret: str | Secret | None = None,
        keep_order: bool = False,
        progress: Callable[[str], None] = lambda step: None,
    ) -> TableRelease:
        """Return new rows as a release of their own, shown as the earlier release shows such people, if that holds.

        They are judged by themselves, and, as one table, with the earlier releases that are given `beside`. With
        `withhold`, rows that break the requirement are left out; otherwise all are refused. `secret` is that of
        `kspan.anonymize`.
        """
        asked = Asked(tuple(beside), withhold, secret, keep_order, progress)
        origin = {"sha256": self.checksum, "method": self.method}
        return applied(data, self.policy, self.ways, self.numbers, origin, asked)

    def check_policy(self, given: PolicyLike) -> None:
        """Refuse a policy that says something else than the one that the recoding was made by."""
        now, then = policy_document(Policy.of(given)), policy_document(self.policy)
        changed = [key for key in {**now, **then} if now.get(key) != then.get(key)]
        if changed:
            raise PolicyError(
                f"the policy has changed since the recoding was made, in {listed(changed)}: anonymize anew, or leave "
                "the policy out to keep the old one"
            )


def load_recoding(path: str | os.PathLike[str]) -> KeptRecoding:
    """Read the recoding that `kspan anonymize --recoding` or `release.save_recoding` wrote; its file is not trusted."""
    read = read_recoding(parsed(read_text(path, "the recoding"), str(path)), str(path))
    return KeptRecoding(read.policy, read.method, read.options, read.facts, read.ways, read.salt, read.numbers)
