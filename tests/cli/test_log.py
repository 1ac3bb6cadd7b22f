"""With --log-json, stderr holds one JSON object a line; the last tells the exit code, and none tells of a person."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from kspan.cli import log
from kspan.cli.main import main

PEOPLE = pl.DataFrame({"name": [f"Zebulon{n}" for n in range(8)], "town": ["Qyx", "Wyv"] * 4, "ill": list("abab") * 2})
POLICY = 'identifier = ["name"]\npublic = ["town"]\nprivate = ["ill"]\n[require]\nk = 3\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    PEOPLE.write_csv("people.csv")
    Path("policy.toml").write_text(POLICY)
    return tmp_path


def logged(text: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in text.splitlines()]
    for line in lines:
        assert list(line)[:4] == ["time", "level", "event", "command"]
        assert line["level"] in ("info", "warning", "error")
    return lines


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "events"),
    [
        ("audit people.csv -p policy.toml --without-identifiers", 0, {"audited", "step"}),
        ("audit people.csv -p policy.toml", 1, {"audited", "step"}),
        ("audit nothing.csv -p policy.toml", 2, {"refused"}),
    ],
)
def test_the_last_line_tells_the_exit_code(arguments: str, code: int, events: set[str]) -> None:
    calm = {name: value for name, value in os.environ.items() if name != "KSPAN_DEBUG"}
    command = [sys.executable, "-m", "kspan", "--log-json", *arguments.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=calm)
    lines = logged(done.stderr)
    assert done.returncode == code
    assert lines[0]["event"] == "begin"
    assert lines[-1] | {"event": "end", "exit_code": code, "outcome": log.OUTCOMES[code]} == lines[-1]
    assert events <= {line["event"] for line in lines}
    assert {line["command"] for line in lines} == {"audit"}


def test_no_cell_and_no_password_is_logged(capsys: pytest.CaptureFixture[str]) -> None:
    runs = {
        "anonymize people.csv -p policy.toml -m mondrian -o out.csv --recoding recoding.json": 0,
        "apply recoding.json people.csv -o again.csv": 0,
        "apply recoding.json people.csv -o postgresql://ann:hush@127.0.0.1:1/x?table=t": 2,
        "audit people.csv -p policy.toml": 1,
        "postgresql://ann:hush@db/x": 2,
        "audit --hush": 2,
    }
    for arguments, code in runs.items():
        assert main(["--log-json", *arguments.split()]) == code
    text = capsys.readouterr().err
    lines = logged(text)
    assert "Zebulon" not in text
    assert "Qyx" not in text
    assert "ann:" not in text
    notices = [line for line in lines if line["event"] == "notice"]
    assert [(line["command"], line["rows"], line["withheld"]) for line in notices] == [
        ("anonymize", 8, 0),
        ("apply", 8, 0),
    ]
    assert [line["command"] for line in lines if line["event"] == "refused"] == ["apply", "", "audit"]


def test_people_read_sentences_unless_they_ask(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--log-json", "audit", "nothing.csv", "-p", "policy.toml"]) == 2
    capsys.readouterr()
    assert main(["audit", "nothing.csv", "-p", "policy.toml"]) == 2
    assert capsys.readouterr().err.startswith("kspan: cannot read nothing.csv")


def test_a_log_that_nobody_reads_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def write(self, text: str) -> None:
            raise OSError("no space left")

        def flush(self) -> None:
            """Nothing is left to write."""

    log.listen(["--log-json", "audit"])
    monkeypatch.setattr(sys, "stderr", Full())
    log.end(0)
    log.listen([])
