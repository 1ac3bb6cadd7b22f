"""Audits of tables of a PostgreSQL server, which counts their rows."""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given

import kspan as ks
from engines.test_audits import facts, tables
from kspan.cli.main import main
from kspan.engines import choosing
from kspan.engines.postgres_rows import PostgresRows, rows_of_table
from kspan.frames.source import Source
from laws.examples import share_of_examples
from postgres import Server

MEMORY = 10**9


@contextmanager
def opened(address: str, sql: str | None = None) -> Iterator[PostgresRows]:
    """A table, which nobody can replace while it is open."""
    with closing(rows_of_table(Source.of(address).asking(sql), MEMORY)) as rows:
        yield rows


@share_of_examples(0.3)
@given(made=tables())
def test_the_server_counts_as_memory_does(made: tuple[pl.DataFrame, ks.Policy], server: Server) -> None:
    frame, policy = made
    server.fill("law", frame.reverse())
    address = server.address("law")
    expected, whole = facts(address, policy), ks.read_table(address)
    with opened(address) as rows:
        assert facts(rows, policy) == expected
        assert rows.whole().equals(whole)


def test_no_collation_takes_two_for_one(server: Server) -> None:
    server.run(
        "drop table if exists towns",
        "drop collation if exists loose",
        "create collation loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        "create table towns (town text collate loose, n int, m numeric)",
        "insert into towns values ('Ulm', 1, 1.0), ('ULM', 1, 1.00), ('Bonn', 1, 2), ('bonn', 1, 2)",
    )
    policy = ks.Policy(public=["town"], private=["n", "m"], require="k=2")
    expected = ks.audit(server.address("towns"), policy)
    named = replace(policy, public=["n", "m"], private=[], identifier=["town"])
    with opened(server.address("towns")) as rows:
        assert ks.audit(rows, policy).as_dict() == expected.as_dict()
        assert ks.audit(rows, policy).groups == 4
        assert ks.audit(rows, replace(policy, public=["m"], private=["n", "town"])).k.people == 2
        assert ks.audit(rows, named).identifiers == ("town",)


def test_all_is_of_one_moment(server: Server) -> None:
    server.fill("moment", pl.DataFrame({"name": ["a", "b", "c"], "sex": ["F", "F", "M"]}))
    with opened(server.address("moment")) as rows:
        assert rows.kinds(["sex"]).rows == 3
        server.run("insert into moment values ('c', 'M'), ('d', 'M')")
        assert rows.kinds(["name"]).rows == 3
    policy = ks.Policy(identifier=["name"], public=["sex"], require="k=2")
    query = "select * from moment where name > 'a'"
    with opened(server.address(), query) as rows, pytest.raises(ks.PolicyError, match="'name' repeats in 1 of 4 rows"):
        ks.audit(rows, policy)


def test_names_are_names(server: Server) -> None:
    frame = pl.DataFrame({'a"b': ["x", "x"], "{whole}": [1, 1], " c ": ["y", "y"]})
    server.fill("names", frame)
    policy = ks.Policy(public=['a"b', "c"], private=["{whole}"], require="k=2")
    with opened(server.address("names")) as rows:
        assert ks.audit(rows, policy).holds


def test_the_command_says_which_engine_counts(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server.fill("visits", pl.DataFrame({"town": ["Ulm"] * 6 + ["Bonn"] * 4, "ill": ["flu", "hiv"] * 5}))
    policy = tmp_path / "p.toml"
    policy.write_text('public = ["town"]\nprivate = ["ill"]\n[require]\nk = 4\n')
    said = []
    for options in ([], ["--engine", "postgres"], ["--engine", "auto", "--memory", "1GB"]):
        if "--memory" in options:
            monkeypatch.setattr(choosing, "CELL", 10**9)
        assert main(["audit", server.address("visits"), "-p", str(policy), "--json", *options]) == 0
        out, err = capsys.readouterr()
        assert ("postgres counts the rows of visits" in err) == bool(options)
        said.append(json.loads(out))
    assert said[0] == said[1] == said[2]
    server.run('comment on table visits is \'{"format": "kspan/table"}\'')
    assert main(["audit", server.address("visits"), "-p", str(policy), "--engine", "postgres"]) == 2
    assert "the checksum of a released table needs all rows" in capsys.readouterr().err
    assert main(["audit", server.address("visits", password="wrong"), "-p", str(policy), "--engine", "postgres"]) == 2
    assert "wrong" not in capsys.readouterr().err
