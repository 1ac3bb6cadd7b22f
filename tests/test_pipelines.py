"""The examples for nightly runs do what docs/pipelines.md says of them, and the container file names what is there."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.log import OUTCOMES
from kspan.cli.main import app

HOUSE = Path(__file__).parents[1]
EXAMPLES = HOUSE / "docs" / "examples"
DAY = "2026-05-17"
PEOPLE = pl.DataFrame({"id": range(12), "town": ["ay", "by", "cy"] * 4, "ill": list("abab") * 3})
LATER = PEOPLE.with_columns(pl.col("id") + 100)
FEW = LATER.head(2)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder as the examples have it: a first release with its recoding, and the rows of a day."""
    policy = ks.Policy(identifier=["id"], public=["town"], private=["ill"], require="k=3")
    for name in ("incoming", "released", "audits", "bin"):
        (tmp_path / name).mkdir()
    policy.save(tmp_path / "policy.toml")
    release = ks.anonymize(PEOPLE, policy, "mondrian", secret="0" * 32)
    release.save(tmp_path / "released" / "first.csv")
    release.save_recoding(tmp_path / "recoding.json")
    LATER.write_csv(tmp_path / "incoming" / f"{DAY}.csv")
    return tmp_path


def run(command: list[str], folder: Path, **more: str) -> "subprocess.CompletedProcess[str]":
    path = f"{folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    calm = {name: value for name, value in os.environ.items() if name != "KSPAN_DEBUG"}
    env = {**calm, "PATH": path, "KSPAN_FOLDER": str(folder), **more}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_script_for_cron_releases_a_day_once(folder: Path) -> None:
    script = [str(EXAMPLES / "nightly.sh"), DAY]
    assert run(script, folder).returncode == 0
    out = folder / "released" / f"{DAY}.csv"
    manifest = json.loads(out.with_name(f"{DAY}.csv.release.json").read_text())
    assert len(manifest["facts"]["applied from"]["judged with"]) == 1
    written = out.read_bytes()
    out.write_bytes(written + b"ay,a\n")
    assert run(script, folder).returncode == 1  # again: only verified
    assert out.read_bytes() == written + b"ay,a\n"
    lines = [json.loads(line) for line in (folder / "kspan.log").read_text().splitlines()]
    assert [line["exit_code"] for line in lines if line["event"] == "end"] == [0, 0, 1]


@pytest.mark.slow
def test_the_script_for_cron_tells_what_went_wrong(folder: Path) -> None:
    FEW.write_csv(folder / "incoming" / f"{DAY}.csv")
    done = run([str(EXAMPLES / "nightly.sh"), DAY], folder)
    assert (done.returncode, "too few are alike" in done.stderr) == (1, True)
    done = run([str(EXAMPLES / "nightly.sh"), "2026-05-18"], folder)
    assert (done.returncode, "could not be read" in done.stderr) == (2, True)
    assert [path.name for path in (folder / "released").glob("*.csv")] == ["first.csv"]


def airflow_commands() -> dict[str, str]:
    """The bash commands of the DAG, by their names, and what is said of them, without loading Airflow."""
    tree = ast.parse((EXAMPLES / "airflow_nightly.py").read_text())
    assigned = [node for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)]
    texts = {ast.unparse(node.targets[0]): ast.literal_eval(node.value) for node in assigned}
    return {name: str(text).replace("{{ ds }}", DAY) for name, text in texts.items()}


@pytest.mark.slow
def test_the_commands_of_the_dag_work_one_after_the_other(folder: Path) -> None:
    compile((EXAMPLES / "airflow_nightly.py").read_text(), "airflow_nightly.py", "exec")
    commands = airflow_commands()
    assert list(commands) == ["AUDIT", "APPLY", "VERIFY"]
    assert [run(["bash", "-c", one], folder).returncode for one in commands.values()] == [0, 0, 0]
    assert json.loads((folder / "audits" / f"{DAY}.json").read_text())["people"] == 12
    assert run(["bash", "-c", commands["AUDIT"].replace(DAY, "no day")], folder).returncode != 0


DBT = """#!/bin/sh
echo "$@" >> dbt.log
"""


@pytest.mark.slow
def test_the_script_around_dbt_releases_from_table_to_table(folder: Path) -> None:
    import duckdb

    # A dbt that has made its table already, and writes down what it is asked for.
    (folder / "bin" / "dbt").write_text(DBT)
    (folder / "bin" / "dbt").chmod(0o755)
    with duckdb.connect(folder / "warehouse.duckdb") as database:
        database.execute("create table visits as select * from read_csv(?)", [str(folder / "incoming" / f"{DAY}.csv")])
    script = [str(EXAMPLES / "dbt_nightly.sh")]
    assert run(script, folder).returncode == 0
    assert (folder / "dbt.log").read_text().splitlines() == [
        "build --select +visits",
        "build --select source:clinic.released+",
    ]
    with duckdb.connect(folder / "warehouse.duckdb") as database:
        database.execute("delete from visits where id > 101")
    assert run(script, folder).returncode == 1
    assert ks.read_table(f"{folder / 'warehouse.duckdb'}?table=released").height == 12
    assert len((folder / "dbt.log").read_text().splitlines()) == 3


def test_the_page_has_every_example_and_every_exit_code() -> None:
    page = (HOUSE / "docs" / "pipelines.md").read_text()
    for path in EXAMPLES.iterdir():
        assert f"(examples/{path.name})" in page
    table = dict(re.findall(r"^\| (\d) \| ([^|]+?) \|", page, flags=re.MULTILINE))
    assert {int(code): words for code, words in table.items()} == OUTCOMES


def instructions() -> list[tuple[str, str]]:
    lines = (HOUSE / "Containerfile").read_text().splitlines()
    pairs = [line.split(" ", 1) for line in lines if line and not line.startswith("#")]
    return [(word, rest) for word, rest in pairs]


def test_the_container_file_names_what_is_there() -> None:
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}
    assert {word for word, _ in instructions()} <= known
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())["project"]
    for word, rest in instructions():
        if word == "COPY" and not rest.startswith("--from=build "):
            *sources, _ = rest.split()
            assert all((HOUSE / source).exists() for source in sources), rest
        if word == "FROM":
            version = re.match(r"docker\.io/library/python:(3\.\d+)-slim\b", rest)
            assert version is not None, rest
            assert f">={version[1]}" == project["requires-python"]
        if word in ("ENTRYPOINT", "CMD"):
            assert isinstance(json.loads(rest), list)
    install = next(rest for word, rest in instructions() if word == "RUN" and "pip install" in rest)
    extras = re.findall(r"'\.\[(.*)\]'", install)[0].split(",")
    assert set(extras) == {"files", "databases"} <= set(project["optional-dependencies"])
    # What the build needs of the project's own files.
    copied = " ".join(rest for word, rest in instructions() if word == "COPY")
    assert {project["readme"], *project["license-files"], "pyproject.toml", "src"} <= set(copied.split())


def test_the_container_does_not_run_as_root_and_runs_commands_that_exist() -> None:
    words = [word for word, _ in instructions()]
    assert "USER" in words[words.index("FROM", 1) :]
    assert [rest for word, rest in instructions() if word == "USER"] == ["kspan"]
    assert dict(instructions())["ENTRYPOINT"] == '["kspan"]'
    commands = {one.name or one.callback.__name__ for one in app.registered_commands if one.callback is not None}
    for word, rest in instructions():
        if word == "RUN" and "kspan demo" in rest:
            words = shlex.split(rest)
            assert words[words.index("kspan") + 1] in commands
