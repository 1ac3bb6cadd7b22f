"""A PostgreSQL server of the tests' own, on loopback: started once, and ended with the tests."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

PROGRAMS = ("/usr/lib/postgresql/*/bin", "/usr/local/bin", "/usr/local/pgsql/bin")
USER, PASSWORD = "owner", "hor5e-b@ttery?"
IN_ADDRESS = "hor5e-b%40ttery%3F"


@dataclass(frozen=True)
class Server:
    """A server that runs, and how to reach it."""

    programs: Path
    folder: Path
    port: int

    def address(self, table: str | None = None, *, user: str = USER, password: str = IN_ADDRESS) -> str:
        """The address of the database, or of a table in it, with the password in it."""
        part = "" if table is None else f"?table={table}"
        return f"postgresql://{user}:{password}@127.0.0.1:{self.port}/postgres{part}"

    def run(self, *statements: str) -> pl.DataFrame:
        """Run some SQL, and return the rows of the last statement."""
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.address(), autocommit=True) as connection, connection.cursor() as cursor:
            for one in statements:
                cursor.execute(one)
            return pl.DataFrame(cursor.fetch_arrow()) if statements[-1].startswith("select") else pl.DataFrame()

    def fill(self, table: str, frame: pl.DataFrame) -> None:
        """Make a table of a frame, in the place of the one that is there."""
        from adbc_driver_postgresql import dbapi

        with dbapi.connect(self.address()) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(table, frame, mode="replace")
            connection.commit()

    def control(self, *arguments: str) -> None:
        """Start or stop it."""
        run(self.programs / "pg_ctl", "-D", self.folder / "data", "-w", *arguments)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        said = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
        self.control("-o", said, "-l", str(self.folder / "log"), "start")


def programs() -> Path | None:
    """The folder of PostgreSQL's programs, if it is installed."""
    found = [path for pattern in PROGRAMS for path in sorted(Path("/").glob(pattern[1:]), reverse=True)]
    return next((path for path in found if (path / "initdb").exists() and (path / "pg_ctl").exists()), None)


@contextmanager
def started() -> Iterator[Server]:
    """A server in a folder of its own, on a port that is free."""
    found = programs()
    assert found is not None
    folder = Path(tempfile.mkdtemp(prefix="kspan-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(found, folder, port)
    secret = folder / "secret"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    try:
        how = ("-U", USER, "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8", "--no-sync", "--locale=C.UTF-8")
        run(found / "initdb", "-D", folder / "data", *how)
        server.start()
        yield server
    finally:
        # A server that does not run cannot be stopped, which is as good.
        stop = as_user([found / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"])
        subprocess.run(stop, capture_output=True, check=False, cwd="/")
        shutil.rmtree(folder, ignore_errors=True)


def run(*command: Any) -> None:
    """Run a program of PostgreSQL, which must succeed; servers must not inherit pipes, or nobody sees their end."""
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(
            as_user(command), stdout=said, stderr=said, stdin=subprocess.DEVNULL, check=False, cwd="/"
        )
        said.seek(0)
        assert done.returncode == 0, said.read().decode()


def as_user(command: Sequence[Any]) -> list[str]:
    """The command as a user who is not root, since PostgreSQL refuses to be run by root."""
    words = [str(word) for word in command]
    if os.geteuid() != 0:
        return words
    account = pwd.getpwnam("postgres")
    return ["setpriv", f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups", *words]
