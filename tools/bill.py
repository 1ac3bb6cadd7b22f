"""The bill of materials: what kspan needs at run time, with versions and licenses, as CycloneDX JSON.

`python -m tools.bill` prints it for this installation; `python -m tools.bill --page` prints docs/dependencies.md.
"""

import json
import re
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = "kspan"
FITS = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC", "MIT", "MIT-CMU", "MPL-2.0",
    "PSF-2.0", "Python-2.0", "Unlicense", "Zlib",
}  # fmt: skip
"""Licenses that whoever uses kspan under Apache-2.0 can keep, too."""
WITH = {"LLVM-exception", "GCC-exception-3.1"}
LOOSE = {
    "apache 2.0": "Apache-2.0",
    "apache license": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "bsd": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd license": "BSD-3-Clause",
    "new bsd": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psfl": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}
"""Other names of these, as packages write them."""


@dataclass(frozen=True)
class Part:
    """A package that kspan needs, directly or not."""

    name: str
    version: str
    license: str

    @property
    def fits(self) -> bool:
        """Is every license that is named one that fits?"""
        words = re.findall(r"[A-Za-z0-9.+-]+", self.license)
        named = [word for word in words if word not in ("AND", "OR", "WITH")]
        return bool(named) and all(word in FITS | WITH for word in named)


ADDED_FOR = {
    "adbc-driver-manager": "loads the drivers of databases",
    "adbc-driver-postgresql": "reads and writes tables of PostgreSQL as Arrow",
    "duckdb": "reads and writes files of DuckDB",
    "fastexcel": "reads workbooks of spreadsheets",
    "pyarrow": "reads ORC; carries rows to and from databases",
    "pyreadstat": "reads and writes files of SPSS and Stata, reads those of SAS",
    "xlsxwriter": "writes workbooks",
}
EXTRAS = ("files", "databases")
"""What can be installed beside the plain kspan: kspan[files], kspan[databases]."""


def parts(extra: str = "") -> list[Part]:
    """All packages that a plain installation of kspan, or one with an extra, needs here, by name."""
    found, waiting = dict[str, Part](), [ROOT]
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:  # of another system
            continue
        found[name] = Part(name, package.version, license_of(package))
        for text in package.requires or ():
            requirement = Requirement(text)
            asked = extra if name == ROOT else ""
            if requirement.marker is None or requirement.marker.evaluate({"extra": asked}):
                waiting.append(requirement.name)
    del found[ROOT]
    return [found[name] for name in sorted(found)]


def license_of(package: Distribution) -> str:
    """The license of a package as an SPDX expression, as far as its metadata can be understood."""
    said = package.metadata
    if expression := said.get("License-Expression"):
        return str(expression)
    named = (said.get("License") or "").strip()
    if named in FITS or named.lower() in LOOSE:
        return LOOSE.get(named.lower(), named)
    classified = [
        line.rpartition(" :: ")[2] for line in said.get_all("Classifier") or () if line.startswith("License :: ")
    ]
    known = sorted({LOOSE.get(line.lower(), line) for line in classified if line != "OSI Approved"})
    return " AND ".join(known) or named.splitlines()[0] if known or named else "unknown"


def every_part() -> list[Part]:
    """The packages of a plain installation, and then those that the extras add to it."""
    plain = parts()
    added = {part.name: part for extra in EXTRAS for part in parts(extra) if part not in plain}
    return [*plain, *added.values()]


def bill() -> dict[str, Any]:
    """The bill in the format of CycloneDX 1.5."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": ROOT, "version": distribution(ROOT).version},
        },
        "components": [
            {
                "type": "library",
                "name": part.name,
                "version": part.version,
                "purl": f"pkg:pypi/{part.name}@{part.version}",
                "licenses": [{"expression": part.license}],
            }
            for part in every_part()
        ],
    }


def page() -> str:
    """The page that lists packages and licenses, without versions, which each installation has its own of."""
    plain = parts()
    rows = "".join(f"| {part.name} | {part.license} |\n" for part in plain)
    added = "".join(
        f"| {part.name} | {part.license} | {ADDED_FOR.get(part.name, '')} | kspan[{extra}] |\n"
        for extra in EXTRAS
        for part in parts(extra)
        if part not in plain
    )
    return (
        "# What kspan rests on\n\n"
        "Every package that a plain installation needs at run time, and its license. `python -m tools.bill` prints the "
        "same with\nversions, as a bill of materials in the format of CycloneDX.\n\n"
        f"| package | license |\n|---|---|\n{rows}\n"
        "## What extras add\n\n"
        "[Files of other programs and databases](sources.md) need more; whoever reads none installs none of these.\n\n"
        f"| package | license | for | in |\n|---|---|---|---|\n{added}"
    )


if __name__ == "__main__":
    print(page() if "--page" in sys.argv[1:] else json.dumps(bill(), indent=2))
