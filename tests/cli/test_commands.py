"""The commands as people and scripts use them: exit codes, what goes to stdout, to stderr and to files."""

import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import kspan as ks
from kspan.cli.main import main

PEOPLE = "name,age,sex,income\n" + "".join(
    f"Person {row},{30 + row % 2},{'FM'[row % 2]},{1000 + row * row % 7}\n" for row in range(24)
)
POLICY = 'target = "income"\npublic = ["age", "sex"]\nidentifier = ["name"]\n[require]\nk = 12\n'
AUDIT = ["audit", "people.csv", "-p", "policy.toml", "--without-identifiers"]
FAILING = [*AUDIT, "--require", "k=13"]
PROGRAM = [sys.executable, "-c", "from kspan.cli.main import run; run()"]
"""The command in a process of its own."""
CONTRACT = ["holds", "requirement", "people", "groups", "k", "failing", "exposed", "risk", "utility"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table and its policy, and we are in it."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "policy.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, stdout and stderr of a command."""

    def ran(*command: str) -> tuple[int, str, str]:
        return (main(command), *capsys.readouterr())

    return ran


# --- audit ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "code"), [(AUDIT, 0), (FAILING, 1), (AUDIT[:-1], 1)])
def test_audit_for_people(run: Run, command: list[str], code: int) -> None:
    exit_code, out, err = run(*command)
    assert exit_code == code
    assert err == ""
    assert ("does not hold" in out.splitlines()[0]) == (code == 1)
    assert "differential privacy" in out, "what the verdict does not promise must be said"


@pytest.mark.parametrize(("command", "code"), [(AUDIT, 0), (FAILING, 1)])
def test_audit_for_programs(run: Run, command: list[str], code: int) -> None:
    exit_code, out, err = run(*command, "--json")
    found = json.loads(out)
    assert (exit_code, err) == (code, "")
    assert list(found)[: len(CONTRACT)] == CONTRACT
    assert found["holds"] is (code == 0)
    assert found["requirement"] == ("k=13" if code else "k=12")
    assert (found["people"], found["groups"], found["k"]) == (24, 2, {"rows": 12, "people": 12})
    assert len(found["failing"]) == (2 if code else 0)
    assert found["exposed"] == {"income": 0}
    assert found["risk"]["prosecutor"] == {"highest": 1 / 12, "median": 1 / 12, "unique": 0}
    assert (found["risk"]["marketer"], found["risk"]["journalist"]) == (2 / 24, None)
    assert found["utility"]["dm"] == 2 * 12**2


def test_json_is_what_the_api_says(run: Run) -> None:
    found = ks.audit(ks.read_table("people.csv").drop("name"), "policy.toml")
    assert json.loads(run(*AUDIT, "--json")[1]) == json.loads(found.to_json())


@pytest.mark.parametrize("show", [0, 1, 2, 99])
def test_show(run: Run, show: int) -> None:
    code, out, err = run(*FAILING, "--show", str(show), "--json")
    found = json.loads(out)
    assert len(found["smallest"]) == len(found["failing"]) == min(show, 2)
    code, out, err = run(*FAILING, "--show", str(show))
    assert (code, err) == (1, "")
    assert len(re.findall(r"\bk=13\b", out.split("Reached", 1)[1])) == min(show, 2)


@pytest.mark.parametrize("extension", ["csv", "tsv", "parquet", "arrow", "feather"])
def test_people_file(run: Run, folder: Path, extension: str) -> None:
    target = folder / f"risk.{extension}"
    code, _, err = run(*AUDIT, "--people", target.name)
    assert (code, err) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "policy.toml", target.name]
    rows = ks.read_table(target)
    assert rows.height == 24
    assert rows.columns == [
        "row", "group", "group_size", "crowd", "prosecutor_risk", "holds", "confidence: income", "certain: income"
    ]  # fmt: skip
    assert rows["row"].cast(pl.Int64).to_list() == list(range(1, 25))
    assert rows["group_size"].cast(pl.Int64).unique().to_list() == [12]


def test_people_file_holds_no_cell(run: Run, folder: Path) -> None:
    cells = {(row, column): f"cell-{row}-{column}" for row in range(9) for column in range(3)}
    lines = [",".join(cells[row, column] for column in range(3)) for row in range(9)]
    (folder / "people.csv").write_text("name,age,income\n" + "\n".join(lines) + "\n")
    (folder / "policy.toml").write_text(POLICY.replace(', "sex"', ""))
    for target in ("risk.csv", "risk.parquet"):
        assert run(*AUDIT, "--people", target)[0] == 1
        written = (folder / target).read_bytes()
        assert written
        assert b"cell-" not in written


def test_people_file_is_replaced_whole(run: Run, folder: Path) -> None:
    (folder / "risk.csv").write_text("the old one\n")
    assert run(*AUDIT, "--people", "risk.csv")[0] == 0
    assert ks.read_table("risk.csv").height == 24


# Two women and a man are released. Everybody: five women, four men. So 1/5 for each woman and 1/4 for the man.
JOURNALIST: dict[str, tuple[str, dict[str, float]]] = {
    "everybody": ("F\nF\nF\nF\nF\nM\nM\nM\nM\n", {"highest": 1 / 4, "average": (2 / 5 + 1 / 4) / 3, "unmatched": 0}),
    "without the man": ("F\nF\nF\nF\nF\n", {"highest": 1.0, "average": (2 / 5 + 1) / 3, "unmatched": 1}),
    "with a suppressed cell": ("F\nF\n*\nM\n", {"highest": 1 / 2, "average": (2 / 3 + 1 / 2) / 3, "unmatched": 0}),
}


@pytest.mark.parametrize(("population", "risk"), JOURNALIST.values(), ids=JOURNALIST)
def test_journalist_risk(run: Run, folder: Path, population: str, risk: dict[str, float]) -> None:
    (folder / "released.csv").write_text("sex,income\nF,1\nF,2\nM,3\n")
    (folder / "everybody.csv").write_text("sex\n" + population)
    (folder / "policy.toml").write_text('public = ["sex"]\nprivate = ["income"]\n[require]\nk = 1\n')
    command = ["audit", "released.csv", "-p", "policy.toml", "--population", "everybody.csv"]
    code, out, _ = run(*command, "--json", "--people", "risk.csv")
    assert code == 0
    assert json.loads(out)["risk"]["journalist"] == pytest.approx(risk)
    assert max(map(float, ks.read_table("risk.csv")["journalist_risk"])) == pytest.approx(risk["highest"])
    assert "needs --population" not in run(*command)[1]


def test_journalist_risk_of_general_cells(run: Run, folder: Path) -> None:
    (folder / "released.csv").write_text(
        'age,job,income\n"[30, 39]",health,1\n"[30, 39]",health,2\n40,{clerk|smith},3\n'
    )
    (folder / "everybody.csv").write_text(
        "name,age,job\na,30,nurse\nb,35,doctor\nc,39.0,nurse\nd,29,nurse\ne,40,smith\nf,40,clerk\ng,40,nurse\n"
    )
    (folder / "job.csv").write_text("nurse;health;*\ndoctor;health;*\nclerk;other;*\nsmith;other;*\n")
    (folder / "policy.toml").write_text(
        'public = ["age", "job"]\nprivate = ["income"]\n[require]\nk = 1\n[hierarchies]\njob = "job.csv"\n'
    )
    code, out, _ = run("audit", "released.csv", "-p", "policy.toml", "--population", "everybody.csv", "--json")
    assert code == 0
    # Three people aged 30 to 39 work in health, two of 40 are clerk or smith.
    expected = {"highest": 1 / 2, "average": (2 / 3 + 1 / 2) / 3, "unmatched": 0}
    assert json.loads(out)["risk"]["journalist"] == pytest.approx(expected)


# --- init -------------------------------------------------------------------------------------------------------------


def test_init_drafts_a_policy(run: Run, folder: Path) -> None:
    code, out, err = run("init", "people.csv", "-o", "draft.toml", "--k", "7")
    assert (code, out) == (0, "")
    assert "draft.toml" in err
    text = (folder / "draft.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text)["require"]["k"] == 7
    assert re.search(r"\bowner\b.*\bdecide\b", text), "the owner decides, not we"
    drafted = ks.Policy.load("draft.toml")
    assert set(drafted.columns) == {"name", "age", "sex", "income"}
    assert "name" in drafted.identifier
    assert {"age", "sex"} <= set(drafted.public)
    for column in drafted.columns:
        assert re.search(rf'^ +"{column}", +# .*\w.*: .*\w', text, re.MULTILINE), f"no reason for {column}"
    assert not re.search(r"Person \d", text), "a draft quotes no cell"


def test_init_then_audit(run: Run) -> None:
    assert run("init", "people.csv", "-o", "draft.toml")[0] == 0
    code, out, err = run("audit", "people.csv", "-p", "draft.toml", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out)["identifiers"] == ["name"]


def test_suggestions_of_a_draft_are_good_ones(run: Run, folder: Path) -> None:
    rows = [f"{20 + row % 40},{row % 9 / 10},{row * 977},{row % 3}\n" for row in range(60)]
    (folder / "people.csv").write_text("age,height,earned,city\n" + "".join(rows))
    assert run("init", "people.csv", "-o", "draft.toml", "--k", "1")[0] == 0
    lines = (folder / "draft.toml").read_text(encoding="utf-8").splitlines()
    recipes = [line.removeprefix("# ") for line in lines if "build =" in line]
    assert recipes
    with_recipes = "\n".join([*lines, "[hierarchies]", *recipes])
    (folder / "draft.toml").write_text(with_recipes, encoding="utf-8")
    code, _, err = run("audit", "people.csv", "-p", "draft.toml", "--without-identifiers")
    assert (code, err) == (0, "")


def test_column_without_repeated_values_is_an_identifier(run: Run, folder: Path) -> None:
    rows = "".join(f"{1000 + row},code-{row},{row}.25,{row % 5}\n" for row in range(40))
    (folder / "people.csv").write_text("number,key,measured,group\n" + rows)
    assert run("init", "people.csv", "-o", "draft.toml")[0] == 0
    assert set(ks.Policy.load("draft.toml").identifier) == {"number", "key"}


def test_init_to_stdout(run: Run, folder: Path) -> None:
    before = sorted(folder.iterdir())
    code, out, err = run("init", "people.csv", "-o", "-")
    assert (code, err) == (0, "")
    assert set(ks.Policy.from_toml(out).columns) == {"name", "age", "sex", "income"}
    assert sorted(folder.iterdir()) == before


def test_init_as_json(run: Run) -> None:
    code, out, _ = run("init", "people.csv", "-o", "draft.toml", "--json")
    assert code == 0
    said = json.loads(out)
    assert ks.Policy.from_toml(said["policy"]) == ks.Policy.load("draft.toml")
    assert [guess["column"] for guess in said["guesses"]] == ["name", "age", "sex", "income"]
    assert all(guess["reason"] for guess in said["guesses"])


def test_init_writes_over_a_policy_only_by_force(run: Run, folder: Path) -> None:
    assert run("init", "people.csv")[0] == 2
    assert (folder / "policy.toml").read_text() == POLICY
    assert run("init", "people.csv", "--force")[0] == 0
    assert (folder / "policy.toml").read_text() != POLICY


# --- demo -------------------------------------------------------------------------------------------------------------

RELEASED = {"released.csv", "released.csv.release.json", "released.csv.owner.json"}
DEMO_FILES = {
    "adult.csv",
    "policy.toml",
    "audit.json",
    "risk.csv",
    "tree.json",
    "shared.json",
    "report.html",
    *RELEASED,
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the demo made, and what it said."""
    made = tmp_path_factory.mktemp("demo")
    done = subprocess.run([*PROGRAM, "demo", "-o", str(made / "there")], capture_output=True, text=True, check=True)
    (made / "out").write_text(done.stdout, encoding="utf-8")
    (made / "err").write_text(done.stderr, encoding="utf-8")
    return made


@pytest.mark.slow
def test_demo(run: Run, demo: Path) -> None:
    out, made = (demo / "out").read_text(encoding="utf-8"), demo / "there"
    assert (demo / "err").read_text(encoding="utf-8")
    assert "does not hold" in out
    assert {path.name for path in made.iterdir()} >= DEMO_FILES
    for name in DEMO_FILES:
        assert name in out
    # What it says to try gives what it wrote.
    again = run("audit", str(made / "adult.csv"), "-p", str(made / "policy.toml"), "--json")
    assert again[0] == 1
    assert json.loads(again[1]) == json.loads((made / "audit.json").read_text(encoding="utf-8"))
    assert ks.read_table(made / "risk.csv").height == ks.read_table(made / "adult.csv").height == 48_842
    assert "k=10 holds" in out
    assert "rows are withheld" in out
    assert run("audit", str(made / "released.csv"), "-p", str(made / "policy.toml"))[0] == 0


@pytest.mark.slow
def test_demo_for_programs(run: Run, folder: Path, demo: Path) -> None:
    code, out, _ = run("demo", "--json")
    said = json.loads(out)
    assert code == 0
    assert set(said["outputs"]) >= DEMO_FILES
    assert all((folder / path).is_file() for path in said["outputs"].values())
    assert said["audit"]["people"] == 48_842
    assert said["released"]["audit"]["holds"]
    # Everybody sees the same demo.
    for name in (*RELEASED, "report.html", "shared.json"):
        assert (folder / said["outputs"][name]).read_bytes() == (demo / "there" / name).read_bytes()


# --- everything else --------------------------------------------------------------------------------------------------


def test_version(run: Run) -> None:
    assert run("--version") == (0, f"{ks.__version__}\n", "")


@pytest.mark.parametrize("command", [[], ["--help"], ["-h"], ["audit", "--help"], ["init", "-h"], ["demo", "--help"]])
def test_help(run: Run, command: list[str]) -> None:
    code, out, err = run(*command)
    assert (code, err) == (0, "")
    assert "Usage: kspan" in out


HEAVY = {"numba", "sklearn", "altair", "vl_convert", "polars", "pandas", "pyarrow", "scipy"}


@pytest.mark.parametrize(
    "code",
    [
        "import kspan; dir(kspan)",
        "from kspan.cli.main import main; main(['--help'])",
        "from kspan.cli.main import main; main(['audit', '--help'])",
        "from kspan.cli.main import main; main(['compare', '--help'])",
        "from kspan.cli.main import main; main(['--version'])",
    ],
)
def test_light_start(code: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules, file=sys.stderr)"],
        capture_output=True, text=True, check=True, encoding="utf-8",
    )  # fmt: skip
    loaded = set(done.stderr.split())
    assert "kspan" in loaded
    assert not HEAVY & loaded


def test_module_and_verb_of_one_name() -> None:
    code = "import kspan, kspan.audit.audit; from kspan.audit.table import link; print(callable(kspan.audit))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


CLOSED_PIPES: dict[str, tuple[list[str], set[int]]] = {
    "holds": (AUDIT, {0}),
    "holds, JSON": ([*AUDIT, "--json"], {0}),
    "fails": (FAILING, {1}),
    "fails, JSON": ([*FAILING, "--json"], {1}),
    "help": (["--help"], {0, 1}),
    "draft": (["init", "people.csv", "-o", "-"], {0, 1}),
}


@pytest.mark.slow
@pytest.mark.parametrize(("command", "codes"), CLOSED_PIPES.values(), ids=CLOSED_PIPES)
def test_pipe_closed_early(command: list[str], codes: set[int]) -> None:
    """The reader has gone (say, head): no word on stderr, and the exit code of an audit is still its verdict."""
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run([*PROGRAM, *command], stdout=theirs, stderr=subprocess.PIPE, text=True, check=False)
    os.close(theirs)
    assert done.stderr == ""
    assert done.returncode in codes


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["for people", "for programs"])
def test_output_that_cannot_show_every_character(folder: Path, encoding: str, more: list[str]) -> None:
    """A pipe on Windows is cp1252: neither our check mark nor a Chinese name may end an audit."""
    (folder / "people.csv").write_text("q,p\n李,x\n李,y\n", encoding="utf-8")
    (folder / "policy.toml").write_text('public = ["q"]\nprivate = ["p"]\n[require]\nk = 2\n')
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [*PROGRAM, "audit", "people.csv", "-p", "policy.toml", *more]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.stderr == b""
    assert done.returncode == 0
    if more:
        assert json.loads(done.stdout.decode(encoding))["smallest"][0]["shown"] == {"q": "李"}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("command", [AUDIT, [*AUDIT, "--json"]], ids=["for people", "for programs"])
def test_output_that_is_full(command: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert re.fullmatch(r"kspan: .*no space left on device.*\n", done.stderr)
    assert "defect" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs a shell that closes stdout")
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["for people", "for programs"])
def test_output_that_is_closed(more: list[str]) -> None:
    """Without any stdout (say, from cron) there is still a verdict, or a sentence: never exit code 1 by accident."""
    command = ["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, *AUDIT, *more]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr
    assert done.returncode in (0, 2)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="needs /dev/stdin")
def test_table_from_a_pipe() -> None:
    command = [*PROGRAM, *AUDIT, "--json"]
    command[command.index("people.csv")] = "/dev/stdin"
    done = subprocess.run(command, input=PEOPLE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["people"] == 24
