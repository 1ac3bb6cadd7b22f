"""Tables of a real PostgreSQL server: read, written in one transaction, sealed; and no password anywhere."""

import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main
from kspan.errors import DoesNotHold, FileError
from kspan.frames.databases import postgres
from kspan.frames.databases.postgres import PostgresDraft
from postgres import IN_ADDRESS, PASSWORD, USER, Server

ADULT = ks.datasets.load_adult("train").select("age", "education", "sex", "income").head(300)
SIZES = (200, 300, 250)
SECRETS = (PASSWORD, IN_ADDRESS, "hor5e", "ttery")
DRAFTS = "select count(*) as n from pg_class where relname like 'kspan_draft%'"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server) -> Iterator[Path]:
    """A folder of its own, a policy, and a table of people in an empty database."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith("PG"):
            monkeypatch.delenv(name)
    ks.Policy(public=["age", "education", "sex"], target="income", require="k=5").save("policy.toml")
    server.run("drop schema if exists public cascade", "create schema public")
    server.fill("visits", ADULT)
    yield tmp_path
    assert server.run(DRAFTS).item() == 0


def released(server: Server, table: str = "released", *more: str) -> int:
    target = server.address(table)
    return main(["anonymize", server.address("visits"), "-p", "policy.toml", "-m", "mondrian", "-o", target, *more])


def test_every_type_arrives(server: Server, place: Path) -> None:
    server.run(
        "drop type if exists mood",
        "create type mood as enum ('sad', 'glad')",
        "create table kinds (i int, f float8, n numeric(8, 2), whole numeric, long numeric, c char(4), v varchar(9), "
        "b bool, d date, t timestamptz, iv interval, u uuid, j jsonb, ip inet, m mood, l int[], by bytea, mo money)",
        "insert into kinds values (1, 2.5, 3.25, 4, 1234567890.12345678901234, 'ab', 'cd', true, '2020-01-02', "
        "'2020-01-02 03:04+00', '1 day', '00000000-0000-0000-0000-000000000001', '{\"a\": 1}', '10.0.0.1', 'glad', "
        f"'{{1,2}}', '\\x00', 1.5), ({', '.join(['null'] * 18)})",
    )
    frame = ks.read_table(server.address("kinds"))
    assert frame.height == 2
    assert frame.row(1) == (None,) * 18
    cells = frame.row(0, named=True)
    assert (cells["i"], cells["f"], cells["n"], cells["whole"]) == (1, 2.5, 3.25, 4)
    assert cells["long"] == "1234567890.12345678901234"  # a float would lose digits
    assert (cells["c"], cells["v"], cells["b"], str(cells["d"])) == ("ab", "cd", True, "2020-01-02")
    assert (cells["iv"], cells["ip"], cells["m"], cells["l"]) == ("1 day", "10.0.0.1/32", "glad", "{1,2}")
    assert (cells["u"], cells["j"]) == ("00000000-0000-0000-0000-000000000001", '{"a": 1}')
    assert frame.schema["mo"] == pl.String


@pytest.mark.slow
def test_a_release_is_a_table_with_its_manifest(
    server: Server, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", server.address("visits"), "-p", "policy.toml"]) == 1
    assert released(server) == 0
    assert capsys.readouterr().err.startswith(
        f"Wrote postgresql://{USER}@127.0.0.1:{server.port}/postgres?table=released"
    )
    manifest = json.loads(server.run("select obj_description('released'::regclass) as said").item())
    assert (manifest["format"], manifest["sha256_of"], manifest["audit"]["holds"]) == (
        "kspan/table",
        "kspan/rows-1",
        True,
    )
    owner = json.loads(Path("released.owner.json").read_text())
    assert owner["source"].endswith("?table=visits")
    assert (place / "released.owner.json").stat().st_mode & 0o777 == 0o600
    assert main(["verify", server.address("released")]) == 0
    assert main(["audit", server.address("released"), "-p", "policy.toml"]) == 0
    assert ks.audit(server.address("released"), ks.Policy.load("policy.toml")).holds
    # The manifest says who may know what, so no policy is needed.
    assert main(["learn", server.address("released"), "--target", "income", "-m", "c45", "-o", "tree.json"]) == 0
    assert main(["report", server.address("released"), "-p", "policy.toml"]) == 0
    assert "?table=released" in Path("released.report.html").read_text()


@pytest.mark.parametrize("change", ["update", "delete", "insert"])
def test_a_changed_table_is_not_taken_for_the_released_one(
    server: Server, place: Path, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert released(server) == 0
    server.run(
        {
            "update": "update released set income = 'none' where ctid = (select min(ctid) from released)",
            "delete": "delete from released where ctid = (select min(ctid) from released)",
            "insert": "insert into released select * from released limit 1",
        }[change]
    )
    assert main(["verify", server.address("released")]) == 1
    assert main(["audit", server.address("released"), "-p", "policy.toml"]) == 2
    assert "is not the table that its manifest was written for" in capsys.readouterr().err
    server.run("comment on table released is null")
    assert main(["verify", server.address("released")]) == 2
    assert main(["audit", server.address("released"), "-p", "policy.toml"]) in (0, 1)


def test_the_order_of_rows_does_not_matter(server: Server, place: Path) -> None:
    assert released(server) == 0
    server.run("create table other as select * from released order by random()", "drop table released",
               "alter table other rename to released")  # fmt: skip
    said = main(["verify", server.address("released")])
    assert said == 2  # the comment went with the table
    assert released(server) == 0
    server.run("update released set age = age where education like 'B%'")  # rows move to the end
    assert main(["verify", server.address("released")]) == 0


def test_rights_are_kept_when_a_table_is_replaced(server: Server, place: Path) -> None:
    assert released(server) == 0
    server.run(
        "drop role if exists public_reader", "create role public_reader", "grant select on released to public_reader"
    )
    assert released(server) == 0
    assert server.run("select has_table_privilege('public_reader', 'released', 'select') as may").item()
    assert not server.run("select has_table_privilege('public_reader', 'released', 'delete') as may").item()


def test_what_breaks_the_requirement_is_not_written(server: Server, place: Path) -> None:
    release = ks.anonymize(ADULT, "policy.toml", "mondrian")
    with pytest.raises(DoesNotHold, match="breaks k=5"):
        replace(release, table=ADULT).save(server.address("released"))
    assert server.run("select to_regclass('released')::text as name").item() is None
    assert not list(place.glob("*.owner.json"))


def test_queries(server: Server, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "select * from visits where age < 60 -- nobody older"
    assert main(["audit", server.address(), "--sql", rows, "-p", "policy.toml", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["people"] == ADULT.filter(pl.col("age") < 60).height
    for sql, said in {
        "select age from nowhere": "there is no such table",
        "select nothing from visits": "names a column that is not there",
        "selekt": "no SQL that the server understands",
        "delete from visits returning *": "no SQL that the server understands",
        "with gone as (delete from visits returning *) select * from gone": "may only read|refused|no SQL",
        "select age, age from visits": "the same name",
        "select age / 0 as x from visits": "its own log says why",
        "select": "no columns",
    }.items():
        with pytest.raises(FileError, match=said):
            ks.read_table(server.address(), sql=sql)
    assert server.run("select count(*) as n from visits").item() == ADULT.height
    assert main(["audit", server.address("visits"), "--sql", rows, "-p", "policy.toml"]) == 2
    assert main(["audit", "people.csv", "--sql", rows, "-p", "policy.toml"]) == 2


def test_any_name_is_only_a_name(server: Server, place: Path) -> None:
    strange = ADULT.rename({"education": 'a "b"; drop table visits; --', "income": "Über 5€"})
    server.run('drop schema if exists "my study" cascade', 'create schema "my study"')
    release = ks.anonymize(
        strange, ks.Policy(public=["age", strange.columns[1], "sex"], target="Über 5€", require="k=5"), "mondrian"
    )
    for table in ("'; drop table visits; --", '"my study"."a.b"', 'my study.x"y', "Ünï"):
        quoted = (
            table
            if '"a.b"' in table
            else ".".join(f'"{one.replace(chr(34), chr(34) * 2)}"' for one in table.split("."))
        )
        release.save(server.address(quoted.replace("%", "%25").replace(";", "%3B")))
        assert ks.read_table(server.address(quoted)).columns == strange.columns
    assert server.run("select count(*) as n from visits").item() == ADULT.height
    server.run('drop schema "my study" cascade')
    with pytest.raises(FileError, match="no name of a table"):
        ks.read_table(server.address("a.b.c"))
    long = ADULT.rename({"income": "x" * 70})
    release = ks.anonymize(long, ks.Policy(public=long.columns[:3], target="x" * 70, require="k=5"), "mondrian")
    with pytest.raises(FileError, match="changed names of columns"):
        release.save(server.address("long"))


def test_views_are_read_and_never_replaced(server: Server, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server.run("create view seen as select * from visits")
    assert main(["audit", server.address("seen"), "-p", "policy.toml"]) == 1
    assert released(server, "seen") == 2
    assert "view" in capsys.readouterr().err
    # A table that the command reads, also by a view or a query, is not replaced.
    for given in (["visits"], ["seen"], [None, "--sql", "select * from visits"]):
        source = server.address(given[0])
        target = server.address("public.visits")
        assert (
            main(["anonymize", source, *map(str, given[1:]), "-p", "policy.toml", "-m", "mondrian", "-o", target]) == 2
        )
        assert "this very command reads that table" in capsys.readouterr().err
    assert released(server) == 0
    server.run("create view of_released as select * from released")
    assert released(server) == 2
    assert "depend on the table" in capsys.readouterr().err
    assert ks.read_table(server.address("visits")).height == ADULT.height


def test_a_locked_table(
    server: Server, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from adbc_driver_postgresql import dbapi

    assert released(server) == 0
    monkeypatch.setattr(postgres, "PATIENCE", "0.1")
    with dbapi.connect(server.address()) as other, other.cursor() as cursor:
        cursor.execute("lock table released in access exclusive mode")
        assert main(["audit", server.address("released"), "-p", "policy.toml"]) == 2
        assert "another transaction has locked the table" in capsys.readouterr().err
        assert released(server) == 2
        assert "another transaction has locked the table" in capsys.readouterr().err
    assert main(["verify", server.address("released")]) == 0


def test_users_who_may_only_read(server: Server, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server.run(
        "drop role if exists reader",
        "create role reader login password 'r'",
        "revoke create on schema public from public",
        "grant usage on schema public to reader",
        "grant select on visits to reader",
        "create table hidden (x int)",
    )
    as_reader: dict[str, Any] = {"user": "reader", "password": "r"}
    source, target = server.address("visits", **as_reader), server.address("released", **as_reader)
    assert main(["audit", source, "-p", "policy.toml"]) == 1
    assert main(["anonymize", source, "-p", "policy.toml", "-m", "mondrian", "-o", target]) == 2
    assert "may not create tables there or replace this one" in capsys.readouterr().err
    assert main(["audit", server.address("hidden", **as_reader), "-p", "policy.toml"]) == 2
    assert "the user may not do that" in capsys.readouterr().err
    server.run("drop owned by reader", "drop role reader")


def test_empty_tables_and_databases_without_a_name(
    server: Server, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.run("create table nobody (age int)", "create table nothing ()")
    for table, said in {"nobody": "nobody in it", "nothing": "no columns"}.items():
        assert main(["audit", server.address(table), "-p", "policy.toml"]) == 2
        assert said in capsys.readouterr().err
    assert main(["audit", server.address(), "-p", "policy.toml"]) == 2
    assert "it has 'nobody', 'nothing', 'visits': name a table" in capsys.readouterr().err


def test_credentials_as_people_keep_them(server: Server, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = f"postgresql://{USER}@127.0.0.1:{server.port}/postgres?table=visits"
    with pytest.raises(FileError, match="no such user and password"):
        ks.read_table(bare)
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    assert ks.read_table(bare).height == ADULT.height
    monkeypatch.delenv("PGPASSWORD")
    (place / "pass").write_text(f"127.0.0.1:*:*:{USER}:{PASSWORD}\n")
    (place / "pass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(place / "pass"))
    assert ks.read_table(bare).height == ADULT.height
    (place / "services").write_text(f"[clinic]\nhost=127.0.0.1\nport={server.port}\nuser={USER}\ndbname=postgres\n")
    monkeypatch.setenv("PGSERVICEFILE", str(place / "services"))
    assert ks.read_table("postgresql://?service=clinic&table=visits").height == ADULT.height


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["filling", "judged", "committing"])
def test_a_server_that_dies_in_the_middle_leaves_the_old_table(
    server: Server, place: Path, moment: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert released(server) == 0
    before = ks.read_table(server.address("released"))
    Path("released.owner.json").unlink()
    server.fill("visits", ADULT.head(200))

    def killing(method: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
        def killed(*given: Any) -> Any:
            found = method(*given) if after else None
            server.control("-m", "immediate", "stop")
            return found if after else method(*given)

        return killed

    name, after = {"filling": ("written", False), "judged": ("written", True), "committing": ("commit", False)}[moment]
    with monkeypatch.context() as patched:
        patched.setattr(PostgresDraft, name, killing(getattr(PostgresDraft, name), after=after))
        code = released(server)
    server.start()
    said = capsys.readouterr().err.strip().splitlines()
    assert (code, len(said)) == (2, 1 + 1)  # the first line is of the release before
    assert "the connection to the server was lost" in said[-1]
    assert ks.read_table(server.address("released")).sort(pl.all()).equals(before.sort(pl.all()))
    assert main(["verify", server.address("released")]) == 0
    assert not list(place.glob("*.owner.json"))


@pytest.mark.slow
def test_readers_see_the_old_table_or_the_new_one(server: Server, place: Path) -> None:
    from adbc_driver_postgresql import dbapi

    assert released(server) == 0
    seen: list[tuple[int, bool]] = []
    done = threading.Event()

    def look() -> None:
        with dbapi.connect(server.address(), autocommit=True) as connection, connection.cursor() as cursor:
            # By a plain SELECT, as most programs do.
            cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
            while not done.is_set():
                cursor.execute("select count(*) as n, obj_description('released'::regclass) is not null from released")
                seen.append(pl.DataFrame(cursor.fetch_arrow()).row(0))

    def read() -> None:
        while not done.is_set():
            seen.append((ks.read_table(server.address("released")).height, True))  # refuses rows without their seal

    with ThreadPoolExecutor() as readers:
        watching = [readers.submit(look), readers.submit(read)]
        try:
            for rows in SIZES:
                server.fill("visits", ADULT.head(rows))
                assert released(server) == 0
        finally:
            done.set()
        assert [one.result() for one in watching] == [None, None]
    assert {rows for rows, _ in seen} <= {ADULT.height, *SIZES}
    assert len({rows for rows, _ in seen}) > 1
    assert all(sealed for _, sealed in seen)


@pytest.mark.slow
def test_no_password_is_told_anywhere(server: Server, place: Path, capfd: pytest.CaptureFixture[str]) -> None:
    visits, target = server.address("visits"), server.address("released")
    lost = visits.replace(str(server.port), "1")
    policy = ["-p", "policy.toml"]
    commands = [
        ["init", visits, "-o", "draft.toml"],
        ["audit", visits, *policy, "--report", "audit.html"],
        ["audit", visits, *policy, "--people", server.address("risks")],
        ["audit", lost, *policy, "--json"],
        ["audit", server.address("nowhere"), *policy],
        ["audit", server.address(password="wr0ng-" + IN_ADDRESS), *policy],
        ["audit", visits.replace("/postgres?", "/no_database?"), *policy],
        ["audit", visits + "&nonsense=1", *policy],
        ["audit", visits + f"&password={IN_ADDRESS}", *policy],
        ["audit", f"mysql://u:{IN_ADDRESS}@127.0.0.1/x?table=t", *policy],
        ["audit", f"https://u:{IN_ADDRESS}@127.0.0.1/x.csv", *policy],
        ["audit", visits, "-p", visits],
        ["audit", visits],
        ["audit", visits.replace("hor5e", "my hor5e"), *policy],
        ["learn", visits, *policy, "-o", visits.replace("hor5e", "my hor5e")],
        ["anonymize", visits, *policy, "-m", "mondrian", "-o", target, "--report", "made.html", "--explain", "map.csv"],
        ["anonymize", visits, *policy, "-m", "mondrian", "-o", "made.csv", "--json"],
        ["anonymize", visits, *policy, "-m", "mondrian", "-o", lost],
        ["anonymize", visits, *policy, "-m", "mondrian", "-o", server.address()],
        ["anonymize", visits, *policy, "-m", "mondrian", "-o", target, "--report", target],
        ["verify", target],
        ["verify", visits],
        ["verify", lost, "--json"],
        ["report", target, *policy, "--data", visits],
        ["compare", visits, target, "--test", visits, *policy, "--learners", "id3"],
        ["learn", visits, *policy, "-o", "tree.json", "--report", "tree.html"],
        ["learn", visits, *policy, "-o", visits],
        ["predict", "tree.json", visits, "-o", "labels.csv"],
        ["predict", visits, visits, "-o", visits],
        ["share", "publish", visits, *policy, "-o", "shared.json"],
        ["share", "merge", visits, "-o", "merged.json"],
        ["audit", visits, *policy, "--show", visits],
        ["audit", visits, *policy, visits],
    ]  # fmt: skip
    codes = [main(command) for command in commands]
    assert set(codes) <= {0, 1, 2}
    assert codes.count(0) >= 8
    told = "".join(capfd.readouterr())
    assert "postgresql://" in told
    files = {path: path.read_text() for path in place.rglob("*") if path.is_file()}
    assert len(files) > 12
    comments = server.run("select obj_description('released'::regclass) as said").item()
    for secret in SECRETS:
        assert secret not in told
        assert secret not in comments
        assert [path for path, text in files.items() if secret in text] == []
