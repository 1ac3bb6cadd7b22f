"""What all tests share: where the papers' data lies, a database server, and steady hypothesis settings."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

import postgres

# To explain a failure takes longer than to find it, and a broken law would hold up all the others.
UNEXPLAINED = [Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink]
settings.register_profile(
    "kspan",
    deadline=None,
    max_examples=45,
    derandomize=True,
    phases=UNEXPLAINED,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("thorough", parent=settings.get_profile("kspan"), max_examples=2000, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "kspan"))

collect_ignore = ["typed_usage.py"]

LONG = ("test_short_campaigns", "test_commands", "test_anonymize", "test_journeys", "test_checks", "test_known")
"""Files that take long begin first, so that no process waits for another one's last file."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of long files first."""
    items.sort(key=lambda item: item.path.stem not in LONG)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The data sets of the papers, in ../shared/data beside the checkout or where KSPAN_SHARED_DATA says."""
    folder = Path(os.environ.get("KSPAN_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        if os.environ.get("KSPAN_SHARED_DATA_REQUIRED"):
            pytest.fail(f"{folder} is required here but is not there")
        pytest.skip(f"the data sets of the papers are not in {folder}")
    return folder


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A PostgreSQL server that only this session of tests uses."""
    if postgres.programs() is None:
        if os.environ.get("KSPAN_POSTGRES_REQUIRED"):
            pytest.fail("PostgreSQL is required here but is not installed")
        pytest.skip("PostgreSQL is not installed")
    with postgres.started() as running:
        yield running
