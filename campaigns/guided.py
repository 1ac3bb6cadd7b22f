"""Texts that are guided by the lines of the product that they reach: READER FOLDER TRIED and options of libFuzzer.

This is a program of its own, since libFuzzer takes the process over and ends it. FOLDER has files that the readers
accept; TRIED gets a byte for each text.
"""

import os
import sys
from pathlib import Path


def main(words: list[str]) -> None:
    """Try texts until the options say that it is enough; a fault ends the process, and its text is kept."""
    import atheris  # type: ignore[import-untyped]

    with atheris.instrument_imports(include=["kspan"], exclude=["kspan.kernels"]):
        from campaigns.readers import all_readers, fault_in_any_time
        from campaigns.running import warm

        warm()
    name, folder, tried, *options = words
    reader = all_readers({file.name: file.read_bytes() for file in Path(folder).iterdir()})[name]
    counted = os.open(tried, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def one(content: bytes) -> None:
        os.write(counted, b".")
        if fault := fault_in_any_time(reader, content):
            raise AssertionError(fault)

    atheris.Setup([sys.argv[0], *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
