"""The journeys in ARCHITECTURE.md are those that calls really take."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import kspan as ks

PLAN = Path(__file__).parents[1] / "ARCHITECTURE.md"
BLOCKS = re.findall(r"```\n(kspan .*?)```", PLAN.read_text(), flags=re.DOTALL)
JOURNEYS = {lines[0]: [tuple(line.split()) for line in lines[1:]] for lines in (one.splitlines() for one in BLOCKS)}
TRACED = """
import sys
from pathlib import Path
import kspan
from kspan.cli.main import main

root, seen = f"{Path(kspan.__file__).parent}/", {}

def entered(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(root):
        seen.setdefault((code.co_filename.removeprefix(root), code.co_qualname), len(seen))

sys.setprofile(entered)
code = main(sys.argv[1:])
sys.setprofile(None)
for file, function in seen:
    print(f"@ {file} {function}")
sys.exit(code)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the commands of all journeys read."""
    place = tmp_path_factory.mktemp("journeys")
    people = ks.datasets.load_adult("train").select("age", "education", "sex", "income").head(1500)
    people.write_csv(place / "people.csv")
    policy = ks.Policy(public=["age", "education", "sex"], target="income", require="k=5")
    policy.save(place / "policy.toml")
    ks.anonymize(people, policy, "kactus", secret="1" * 32).save(place / "released.csv")
    ks.anonymize(people, policy, "mondrian", secret="1" * 32).save_recoding(place / "recoding.json")
    for owner in ("north", "south"):
        ks.share_tree(people, policy).save(place / f"{owner}.json")
    return place


def test_there_are_six_journeys_and_no_file_is_entered_twice() -> None:
    assert {command.split()[1] for command in JOURNEYS} == {"audit", "anonymize", "learn", "share", "apply", "report"}
    for command, steps in JOURNEYS.items():
        files = [file for file, _ in steps]
        assert len(set(files)) == len(files) > 5, command


@pytest.mark.slow
@pytest.mark.parametrize("command", JOURNEYS)
def test_calls_pass_these_functions_in_this_order(command: str, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRACED, *command.split()[1:]], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr  # 1: the raw table does not hold
    passed = [tuple(line.split()[1:]) for line in done.stdout.splitlines() if line.startswith("@ ")]
    wanted = JOURNEYS[command]
    assert set(wanted) <= set(passed)
    assert [step for step in passed if step in wanted] == wanted
