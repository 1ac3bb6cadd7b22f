"""Files of one command are one: killed at any moment, interrupted, crowded or out of disk."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kspan.errors import FileError
from kspan.frames import moment
from kspan.frames.commit import File, content_of, settle, settled, together, write_files
from kspan.frames.drafts import PREFIX, Draft

KILLED = Path(__file__).with_name("killed.py")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if PREFIX in str(path.relative_to(folder))]


def words(folder: Path) -> set[str]:
    """The first word of each file: which run wrote it."""
    return {path.read_text().split()[0] for path in folder.rglob("*") if path.is_file() and PREFIX not in str(path)}


@pytest.mark.slow
@pytest.mark.parametrize("before", [True, False])
def test_killed_at_any_call_the_old_or_the_new_files_are_there(before: bool, tmp_path: Path) -> None:
    outcomes = []
    for last in range(1000):
        folder = tmp_path / str(last)
        (folder / "pages").mkdir(parents=True)
        if before:
            for name in ("out.csv", "out.csv.owner.json", "pages/page.html"):
                (folder / name).write_text(f"old {name}")
        run = subprocess.run([sys.executable, KILLED, folder, str(last), "new"], check=False, capture_output=True)
        for path in leftovers(folder):
            if path.is_dir():
                assert mode(path) == 0o700
        # Whoever comes next, from either folder, completes or removes what is left.
        settle(folder if last % 2 else folder / "pages")
        settle(folder / "pages" if last % 2 else folder)
        assert leftovers(folder) == []
        found = words(folder)
        files = [path for path in folder.rglob("*") if path.is_file()]
        assert (found, len(files)) in [({"new"}, 3), ({"old"}, 3)] or (not before and files == [])
        outcomes.append("new" in found)
        if run.returncode == 0:
            break
    assert run.returncode == 0
    assert outcomes == sorted(outcomes)  # there is one moment from which on the new files count
    assert len(outcomes) > 40
    assert mode(folder / "out.csv.owner.json") == 0o600


def test_a_run_over_leftovers_removes_them(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    subprocess.run([sys.executable, KILLED, tmp_path, "12", "first"], check=False)
    assert leftovers(tmp_path)
    write_files({tmp_path / "other.txt": File(b"x"), tmp_path / "pages" / "y": File(b"x")})
    assert leftovers(tmp_path) == []


SAVES = """
import sys
from pathlib import Path
from kspan.frames.commit import File, settled, write_files
folder, word = Path(sys.argv[1]), sys.argv[2]
names = ["out.csv", "out.csv.release.json", "out.csv.owner.json"]
for turn in range(40):
    write_files({folder / name: File(f"{word}-{turn} {name}".encode()) for name in names})
    with settled(folder / names[0]):
        found = {(folder / name).read_text().split()[0] for name in names}
    assert len(found) == 1, found
"""


@pytest.mark.slow
def test_commands_that_write_the_same_files_at_once_do_not_mix_them(tmp_path: Path) -> None:
    runs = [subprocess.Popen([sys.executable, "-c", SAVES, tmp_path, f"run{number}"]) for number in range(5)]
    assert [run.wait() for run in runs] == [0] * 5
    assert len(words(tmp_path)) == 1
    assert leftovers(tmp_path) == []


def test_threads_wait_for_each_other_too(tmp_path: Path) -> None:
    names = [tmp_path / name for name in "abc"]

    def save(word: str) -> None:
        for _ in range(20):
            write_files({name: File(word.encode()) for name in names})

    threads = [threading.Thread(target=save, args=(word,)) for word in ("one", "two", "three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(words(tmp_path)) == 1


def test_rights(tmp_path: Path) -> None:
    place, owner = tmp_path / "out.csv", tmp_path / "out.csv.owner.json"
    before = os.umask(0o027)
    try:
        write_files({place: File(b"x"), owner: File(b"x", owner_only=True)})
        assert (mode(place), mode(owner)) == (0o640, 0o600)
        place.chmod(0o600)
        owner.chmod(0o644)
        write_files({place: File(b"y"), owner: File(b"y", owner_only=True)})
        assert (mode(place), mode(owner)) == (0o600, 0o600)
    finally:
        os.umask(before)


@pytest.mark.parametrize("call", ["fsync", "link", "replace", "chmod"])
@pytest.mark.parametrize("last", [0, 1, 2, 3])
def test_when_the_system_refuses_nothing_changes(
    call: str, last: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / name for name in ("a", "b", "c")]
    paths[0].write_text("old a")
    paths[2].write_text("old c")
    left = [last]
    usual = getattr(os, call)

    def failing(*arguments: object, **named: object) -> object:
        left[0] -= 1
        if left[0] == -1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return usual(*arguments, **named)

    monkeypatch.setattr(os, call, failing)
    refusals = []
    try:
        write_files({path: File(b"new") for path in paths})
    except FileError as error:
        refusals.append(str(error))
    monkeypatch.undo()
    refused = bool(refusals)
    assert all("no space left on device" in sentence for sentence in refusals)
    assert leftovers(tmp_path) == []
    assert [path.read_text() if path.exists() else None for path in paths] == (
        ["old a", None, "old c"] if refused else ["new"] * 3
    )
    assert refused or call == "link" or last == 3  # an old file need not be kept by another name


def test_an_interruption_waits_until_all_files_are_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = os.replace
    renamed = []

    def interrupted(here: Path, there: Path) -> None:
        if there.name in "abc":  # not the plan
            signal.raise_signal(signal.SIGINT)
            renamed.append(there)
        usual(here, there)

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files({tmp_path / name: File(b"new") for name in "abc"})
    assert len(renamed) == 3
    assert words(tmp_path) == {"new"}
    assert leftovers(tmp_path) == []


def test_an_interruption_before_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda opened: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        write_files({tmp_path / name: File(b"new") for name in "abc"})
    assert list(tmp_path.iterdir()) == []


def test_what_is_written_together_is_written_at_the_end_or_not_at_all(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"

    def fails() -> None:
        with together():
            write_files({a: File(b"1")})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert list(tmp_path.iterdir()) == []
    with together():
        write_files({a: File(b"1")})
        with together():
            write_files({b: File(b"2")})
        assert (content_of(a), content_of(b), a.exists(), b.exists()) == (b"1", b"2", False, False)
    assert (a.read_bytes(), b.read_bytes()) == (b"1", b"2")
    assert content_of(tmp_path / "c") is None


def planted(folder: Path, plan: str | None, rights: int = 0o700) -> Path:
    """A folder that looks like a leftover, as an archive from a stranger may hold it."""
    draft = folder / f"{PREFIX}planted"
    draft.mkdir()
    if plan is not None:
        (draft / "plan.json").write_text(plan.replace("HERE", str(draft)))
    (draft / "committed").write_text("")
    (draft / "birth").write_text("")
    (draft / "0").write_text("evil")
    draft.chmod(rights)
    return draft


GOOD = '{"0": ["x", 420]}'
BORN = '"birth": [1, 2]'


@pytest.mark.parametrize("birth", [BORN, '"birth": "TRUE"'])
@pytest.mark.parametrize(
    "names",
    [GOOD, '{"0": ["../policy.toml", 420]}', '{"0": ["/tmp/x", 420]}', '{"0": ["..", 420]}',
     '{"../policy.toml": ["x", 420]}', "[]", "7", '{"0": 1}', '{"0": ["x", 1e999]}', "[" * 100_000],
)  # fmt: skip
def test_a_planted_leftover_moves_nothing(names: str, birth: str, tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "policy.toml").write_text("mine")
    draft = planted(inside, f'{{"token": "t", "lead": "HERE", "all": ["HERE"], {birth}, "names": {names}}}')
    if names != GOOD and "TRUE" in birth:  # even if somebody guessed it
        status = (draft / "birth").lstat()
        plan = (draft / "plan.json").read_text().replace('"TRUE"', f"[{status.st_ino}, {status.st_ctime_ns}]")
        (draft / "plan.json").write_text(plan)
    settle(inside)
    assert (tmp_path / "policy.toml").read_text() == "mine"
    assert list(inside.iterdir()) == [draft]
    write_files({inside / "y": File(b"y")})
    assert (draft / "0").read_text() == "evil"


@pytest.mark.parametrize("what", ["link", "pipe", "device", "folder", "other"])
def test_a_folder_with_anything_else_is_left_alone(what: str, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("secret")
    key.chmod(0o600)
    inside = tmp_path / "inside"
    inside.mkdir()
    draft = planted(inside, None)
    strange = draft / ("thesis.txt" if what == "other" else "plan.json")
    if what == "link":
        (draft / "0").unlink()
        (draft / "0").symlink_to(key)
    elif what == "pipe":
        os.mkfifo(strange)
    elif what == "device":
        strange.symlink_to("/dev/zero")
    elif what == "folder":
        strange.mkdir()
    else:
        strange.write_text("precious")
    settle(inside)
    assert sorted(inside.iterdir()) == [draft]
    assert (mode(key), key.read_text()) == (0o600, "secret")


def test_what_has_no_plan_yet_is_removed(tmp_path: Path) -> None:
    planted(tmp_path, None)
    settle(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_others_can_write_is_left_alone(tmp_path: Path) -> None:
    draft = planted(tmp_path, None, rights=0o755)
    settle(tmp_path)
    assert draft.exists()


def test_a_draft_in_use_is_no_leftover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    usual = moment._commit

    def looked(drafts: list[Draft]) -> None:
        child = "import sys, pathlib; from kspan.frames import drafts; drafts.settle_locked(pathlib.Path(sys.argv[1]))"
        subprocess.run([sys.executable, "-c", child, tmp_path], check=True)
        seen.append(leftovers(tmp_path))
        usual(drafts)

    monkeypatch.setattr(moment, "_commit", looked)
    write_files({tmp_path / "a": File(b"x")})
    assert seen[0]
    assert (tmp_path / "a").read_bytes() == b"x"


@pytest.mark.slow
def test_reading_completes_what_was_committed(tmp_path: Path) -> None:
    for last in range(200):
        folder = tmp_path / str(last)
        (folder / "pages").mkdir(parents=True)
        (folder / "out.csv").write_text("old out.csv")
        subprocess.run([sys.executable, KILLED, folder, str(last), "new"], check=False)
        if (leftover := next(iter(folder.glob(f"{PREFIX}*/committed")), None)) is not None:
            assert leftover.exists()
            with settled(folder / "out.csv"):
                assert (folder / "out.csv").read_text() == "new out.csv"
            return
    pytest.fail("it was never committed")


@pytest.mark.slow
def test_what_was_moved_with_its_folder_is_completed_there(tmp_path: Path) -> None:
    for last in range(200):
        folder, moved = tmp_path / f"{last}", tmp_path / f"moved-{last}"
        (folder / "pages").mkdir(parents=True)
        (folder / "out.csv").write_text("old out.csv")
        subprocess.run([sys.executable, KILLED, folder, str(last), "new"], check=False)
        if list(folder.glob(f"{PREFIX}*/committed")):
            folder.rename(moved)
            settle(moved)
            assert (moved / "out.csv").read_text() == "new out.csv"
            return
    pytest.fail("it was never committed")
