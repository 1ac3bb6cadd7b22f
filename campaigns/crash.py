"""Every command that writes is killed, starved and interrupted, and what it leaves is looked at."""

import hashlib
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import kspan
from campaigns.figures import Budget, Figures, Find
from campaigns.rights import can_give_up, give_up
from campaigns.running import Child, Run, command
from campaigns.worlds import World, write

PROMPT = 3.0
"""Seconds within which a command must end that was told to stop."""
OWNERS = ("out.csv.owner.json", "explained.csv", "risks.csv")
"""Files that stay with the owner."""
MARK = "QXPERSON"
DEMO_EVERY, DEMO_SECONDS = 100, 15.0
"""The demo takes long, so it is tried once in so many cases, and killed within so many seconds."""
KILLS = 4
"""At each call in turn: so many whenever it is their turn, since there are many calls."""
OLD, NEW, ABSENT, OTHER = "old", "new", "absent", "other"


@dataclass(frozen=True)
class Job:
    """A command that writes a set of files."""

    name: str
    argv: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def first(self) -> str:
        """The file that the others belong to."""
        return self.outputs[0]


@dataclass
class Scene:
    """A folder with the input of a job, and what its outputs look like when it was done before and now."""

    job: Job
    folder: Path
    inputs: Mapping[str, bytes]
    older: Mapping[str, bytes]
    newer: Mapping[str, bytes]
    seconds: float
    env: Mapping[str, str]

    def set_up(self, *, over_older: bool) -> None:
        """Begin again, over an older set of outputs or over none."""
        if self.folder.exists():
            self.folder.chmod(0o755)
        for place in (self.folder, self.spare):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        write(self.inputs, self.folder)
        if over_older:
            for name, content in self.older.items():
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                (self.folder / name).write_bytes(content)
                if name in OWNERS:
                    (self.folder / name).chmod(0o600)

    @property
    def spare(self) -> Path:
        """The folder for temporary files."""
        return Path(self.env["TMPDIR"])

    def start(self, *, before: Callable[[], Any] | None = None, env: Mapping[str, str] | None = None) -> Child:
        """Begin the command."""
        return Child(self.job.argv, self.folder, env={**self.env, **(env or {})}, before=before)

    def states(self) -> dict[str, str]:
        """Which outputs are old, new, absent, or something else."""
        return {name: self._state(name) for name in self.job.outputs}

    def _state(self, name: str) -> str:
        path = self.folder / name
        if not path.exists():
            return ABSENT
        content = path.read_bytes()
        return NEW if content == self.newer.get(name) else OLD if content == self.older.get(name) else OTHER

    def left_over(self) -> list[Path]:
        """Files and folders that are neither input nor output."""
        known = {self.folder / name for name in (*self.inputs, *self.job.outputs)}
        known |= {parent for path in known for parent in path.parents}
        return [path for path in sorted(self.folder.rglob("*")) if path not in known]


KEPT = {"format": "kspan/table-owner", "version": 1, "secret": "7" * 32}
"""What an earlier release left with its owner, so that the same bytes are written each time."""


def jobs() -> list[Job]:
    """Every command that writes."""
    table = ("out.csv", "out.csv.release.json", "out.csv.owner.json")
    make = ("anonymize", "people.csv", "-p", "policy.toml", "-o", "out.csv", "-m", "mondrian", "--again", "kept.json")
    return [
        Job("anonymize", (*make, "--explain", "explained.csv"), (*table, "explained.csv")),
        Job(
            "anonymize --report",
            (*make, "--report", "page.md", "--explain", "explained.csv"),
            (*table, "explained.csv", "page.md"),
        ),
        Job(
            "learn --table",
            ("learn", "people.csv", "-p", "policy.toml", "-o", "tree.json", "--table", "out.csv"),
            ("tree.json", "out.csv"),
        ),
        Job(
            "audit --people",
            ("audit", "people.csv", "-p", "policy.toml", "--without-identifiers", "--people", "risks.csv"),
            ("risks.csv",),
        ),
        Job("predict", ("predict", "model.json", "people.csv", "-o", "labels.csv"), ("labels.csv",)),
        Job(
            "share publish",
            ("share", "publish", "people.csv", "-p", "policy.toml", "-o", "tree.json", "--report", "page.md"),
            ("tree.json", "page.md"),
        ),
        Job("init", ("init", "people.csv", "-o", "drafted.toml", "--force"), ("drafted.toml",)),
        Job("report", ("report", "people.csv", "-p", "policy.toml", "-o", "page.json"), ("page.json",)),
    ]


def run(budget: Budget, rng: random.Random, figures: Figures, place: Path) -> None:
    """Go through all ways to fall, again and again, with another command each time."""
    scenes = _scenes(rng, place, figures)
    exhaustive = itertools.chain.from_iterable(_every_call(scene, figures) for scene in itertools.cycle(scenes))
    ways: list[Callable[[Scene], None]] = [
        lambda scene: _killed(scene, rng, figures),
        lambda _: _next(exhaustive, KILLS),
        lambda scene: _told_to_stop(scene, rng, figures, signal.SIGTERM),
        lambda _: _next(exhaustive, KILLS),
        lambda scene: _told_to_stop(scene, rng, figures, signal.SIGINT),
        lambda _: _next(exhaustive, KILLS),
        lambda scene: _small_files(scene, rng, figures),
        lambda _: _next(exhaustive, KILLS),
        lambda scene: _full_disk(scene, rng, figures),
        lambda scene: _not_allowed(scene, figures),
        lambda scene: _bare_home(scene, figures),
        lambda scene: _owners_files(scene, figures),
        lambda scene: _at_once(scene, figures),
    ]
    pairs = list(itertools.product(scenes, ways))
    rng.shuffle(pairs)
    tried = 0
    for _, (scene, way) in zip(budget, itertools.cycle(pairs), strict=False):
        way(scene)
        if figures.seen.total() - tried > DEMO_EVERY:
            tried = figures.seen.total()
            _demo_killed(rng, figures, place)


def _next(kills: Iterator[None], number: int) -> None:
    for _ in range(number):
        next(kills)


def _scenes(rng: random.Random, place: Path, figures: Figures) -> list[Scene]:
    """Every job with its input and with what it writes if nothing happens."""
    newer, older = (_people(rng, k) for k in (5, 3))
    found = []
    for job in jobs():
        env = {"TMPDIR": str(place / "temporary"), "HOME": str(place / "home"), "COLUMNS": "200"}
        name = job.name.replace(" ", "-")
        scene = Scene(job, place / name, {}, {}, {}, 0.0, env)
        written: list[dict[str, bytes]] = []
        for world in (older, newer, newer):
            inputs = {**world.files(), "kept.json": json.dumps(KEPT).encode()}
            if job.name == "predict":
                inputs["model.json"] = _model(world, place, env)
            scene = replace(scene, inputs=inputs)
            scene.set_up(over_older=False)
            ended = scene.start().wait()
            if ended.code not in {0, 1}:
                figures.found(
                    Find(f"{job.name}: ended with {ended.code} undisturbed", command(job.argv), ended.err, inputs)
                )
            written.append(
                {name: (scene.folder / name).read_bytes() for name in job.outputs if (scene.folder / name).exists()}
            )
            scene.seconds = ended.seconds
        if written[1] != written[2]:
            figures.notes.append(f"{job.name} does not write the same bytes twice")
        scene.older, scene.newer = written[0], written[2]
        found.append(scene)
    return found


def _people(rng: random.Random, k: int) -> World:
    """Some people of whom a tree can tell something."""
    rows = []
    for at in range(40):
        age, sex = rng.randint(20, 59), rng.choice("FM")
        rows.append((f"{MARK}{at}", str(age), sex, "flu" if age < 40 or rng.random() < 0.1 else "ok"))
    policy = {"identifier": ["who"], "public": ["age", "sex"], "target": "ill", "require": {"k": k}}
    return World(("who", "age", "sex", "ill"), tuple(rows), policy)


def _model(world: World, place: Path, env: Mapping[str, str]) -> bytes:
    folder = place / "model"
    write(world.files(), folder)
    argv = ["learn", "people.csv", "-p", "policy.toml", "-o", "model.json"]
    Child(argv, folder, env=env).wait()
    return (folder / "model.json").read_bytes()


def _killed(scene: Scene, rng: random.Random, figures: Figures) -> None:
    """Kill it at a random moment."""
    over = rng.random() < 0.7
    scene.set_up(over_older=over)
    child = scene.start()
    time.sleep(rng.random() * scene.seconds * 1.1)
    ended = child.kill() if child.ended(0) is None else None
    figures.case(f"killed at a random moment: {'running' if ended else 'done'}", scene.seconds, command(scene.job.argv))
    _after_crash(scene, figures, "killed at a random moment", over_older=over)


def _demo_killed(rng: random.Random, figures: Figures, place: Path) -> None:
    """Kill the demo, which writes a folder of many files: no draft may stay when the next command has looked at it."""
    folder = place / "demo"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    child = Child(["demo", "-o", "shown"], folder)
    time.sleep(rng.random() * DEMO_SECONDS)
    ended = child.ended(0) or child.kill()
    figures.case("the demo, killed", ended.seconds, "kspan demo -o shown")
    Child(["audit", "shown/adult.csv", "-p", "shown/policy.toml"], folder).wait()
    left = [path.name for path in folder.rglob(".*")]
    if left:
        told = f"killed after {ended.seconds:.1f} s: {left}"
        figures.found(Find("the demo, killed: something is left over after recovery", "kspan demo -o shown", told))


WATCHED = (
    "replace",
    "rename",
    "link",
    "fsync",
    "open",
    "chmod",
    "mkdir",
    "unlink",
    "rmdir",
    "fdatasync",
    "symlink",
    "remove",
)


def _every_call(scene: Scene, figures: Figures) -> Iterator[None]:
    """Let it kill itself at the first call that changes the disk, at the second, and so on."""
    for over in (True, False):
        for number in itertools.count(1):
            scene.set_up(over_older=over)
            ended = scene.start(before=lambda: _kill_at(number, scene.folder)).wait()  # noqa: B023
            done = ended.code != -signal.SIGKILL and "SIGKILL" not in ended.err  # whoever waits for it tells of it
            figures.case("killed at each call", ended.seconds, command(scene.job.argv))
            _after_crash(scene, figures, f"killed at a call{'' if over else ', over none'}", over_older=over)
            yield
            if done:
                break


def _kill_at(number: int, folder: Path) -> None:
    """From here on, die at the n-th call of the system that changes a file in the folder."""
    calls = itertools.count(1)

    def watched(name: str) -> Callable[..., Any]:
        plain: Callable[..., Any] = getattr(os, name)

        def call(*words: Any, **more: Any) -> Any:
            place = words[0] if words else None
            ours = isinstance(place, int) or str(place).startswith(str(folder)) or not str(place).startswith("/")
            if ours and next(calls) == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return plain(*words, **more)

        return call

    for name in WATCHED:
        setattr(os, name, watched(name))


def _others_may_read(path: Path) -> bool:
    """May somebody else open it? Not inside a folder that only its owner may enter."""
    shut = any(part.name.startswith(".kspan-") and not part.stat().st_mode & 0o077 for part in path.parents)
    return bool(path.stat().st_mode & 0o077) and not shut


def _after_crash(scene: Scene, figures: Figures, how: str, *, over_older: bool) -> None:
    """What must hold after a crash: at once, and after the next command that looks into the folder."""
    job = scene.job
    before = OLD if over_older else ABSENT
    if set(scene.states().values()) not in ({before}, {NEW}):
        figures.case("mixed before recovery")
    for path in [*scene.left_over(), *scene.spare.rglob("*")]:
        if _others_may_read(path):
            _tell(scene, figures, f"{how}: a leftover that others may read", path.name)
        if not any(part.startswith(".kspan-") for part in path.relative_to(scene.folder.parent).parts):
            _tell(scene, figures, f"{how}: a leftover outside of .kspan-*", path.name)
    for path in scene.spare.rglob("*"):
        if path.is_file() and MARK.encode() in path.read_bytes():
            _tell(scene, figures, f"{how}: people in TMPDIR", path.name)
    for argv in (["verify", job.first], ["audit", job.first, "-p", "policy.toml"]):
        ended = Child(argv, scene.folder, env=scene.env).wait()
        if "No such command" not in ended.err:
            break
    states = scene.states()
    if set(states.values()) not in ({before}, {NEW}):
        _tell(scene, figures, f"{how}: a mixed set after recovery", f"{job.name}: {states}")
    left = [path.name for path in scene.left_over()]
    if left:
        _tell(scene, figures, f"{how}: something is left over after recovery", f"{job.name}: {left}")


def _told_to_stop(scene: Scene, rng: random.Random, figures: Figures, what: signal.Signals) -> None:
    """Ask it to stop at a random moment: it must, soon, and say the truth."""
    over = rng.random() < 0.5
    scene.set_up(over_older=over)
    child = scene.start()
    time.sleep(0.01 + rng.random() * scene.seconds)
    ended = child.ended(0)
    early = ended is None
    if ended is None:
        os.kill(child.pid, what)
        ended = child.ended(PROMPT) or child.kill(124)
    figures.case(f"{what.name}: {'running' if early else 'done'}", ended.seconds, command(scene.job.argv))
    before = OLD if over else ABSENT
    states = set(scene.states().values())
    if ended.code == 124:
        _tell(scene, figures, f"{what.name}: did not end within {PROMPT:g} seconds", ended.err)
    elif early and ended.code not in {0, 1, 2}:
        _tell(scene, figures, f"{what.name}: ended with {ended.code}", ended.err)
    elif ended.code == 2:
        if "nothing was written" in ended.err and states != {before}:
            _tell(scene, figures, f"{what.name}: says that nothing was written", f"{scene.states()} {ended.err}")
        said = [line for line in ended.err.strip().splitlines() if not (line.startswith("Wrote ") and states == {NEW})]
        if len(said) != 1:
            _tell(scene, figures, f"{what.name}: says more than one sentence", ended.err)
    elif early and states != {NEW}:
        _tell(scene, figures, f"{what.name}: exit {ended.code}, but not all is written", str(scene.states()))
    if scene.left_over() or states not in ({before}, {NEW}):
        _tell(
            scene,
            figures,
            f"{what.name}: leaves drafts or a mixed set",
            f"{scene.states()} {[path.name for path in scene.left_over()]}",
        )


def _small_files(scene: Scene, rng: random.Random, figures: Figures) -> None:
    """Let no file be longer than this."""
    longest = max(map(len, scene.newer.values()))
    size = rng.choice((0, 10, rng.randrange(longest), longest - 1))
    _starved(scene, rng, figures, "no long files", lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))


def _starved(scene: Scene, rng: random.Random, figures: Figures, how: str, before: Callable[[], Any]) -> None:
    over = rng.random() < 0.5
    scene.set_up(over_older=over)
    ended = scene.start(before=before).wait()
    figures.case(how, ended.seconds, command(scene.job.argv))
    _refused_cleanly(scene, figures, how, ended, over_older=over)


def _refused_cleanly(scene: Scene, figures: Figures, how: str, ended: Run, *, over_older: bool) -> None:
    before = OLD if over_older else ABSENT
    states = set(scene.states().values())
    if ended.code in {0, 1} and states == {NEW}:
        return
    told = f"{scene.job.name}: exit {ended.code}, {scene.states()}, {ended.err[-1500:]}"
    if ended.code != 2:
        _tell(scene, figures, f"{how}: ended with {ended.code}", told)
    elif "a defect in kspan" in ended.err or "Traceback" in ended.err:
        _tell(scene, figures, f"{how}: a defect", told)
    elif len(ended.err.strip().splitlines()) != 1:
        _tell(scene, figures, f"{how}: says more than one sentence", told)
    if states != {before}:
        _tell(scene, figures, f"{how}: something was written", told)
    if scene.left_over():
        _tell(scene, figures, f"{how}: something is left over", f"{told} {[path.name for path in scene.left_over()]}")


def _full_disk(scene: Scene, rng: random.Random, figures: Figures) -> None:
    """Write into a tiny file system, if one can be mounted."""
    sizes = sum(map(len, scene.newer.values())) + sum(map(len, scene.inputs.values()))
    pages = max(1, rng.randint(len(scene.inputs), sizes // 4096 + 2 * len(scene.inputs) + 4))
    folder = scene.folder.with_name(f"{scene.folder.name}-tiny")
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={4 * pages}k", "none", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        if not any("tmpfs" in note for note in figures.notes):
            figures.notes.append("no tmpfs can be mounted here: a full disk was not tried")
        return
    try:
        tiny = replace(scene, folder=folder)
        try:
            write(scene.inputs, folder)
        except OSError:
            return
        ended = tiny.start().wait()
        figures.case("a full disk", ended.seconds, command(scene.job.argv))
        _refused_cleanly(tiny, figures, "a full disk", ended, over_older=False)
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def _rights_count(figures: Figures) -> bool:
    """Can rights be tried? Root must be able to give them up; for anybody else they count anyway."""
    able = os.geteuid() != 0 or can_give_up()
    note = "root cannot give up its rights here: folders that may not be written were not tried"
    if not able and note not in figures.notes:
        figures.notes.append(note)
    return able


def _bound() -> None:
    if os.geteuid() == 0:
        give_up()


def _not_allowed(scene: Scene, figures: Figures) -> None:
    """Write into a folder where nothing may be written."""
    if not _rights_count(figures):
        return
    for over in (True, False):
        scene.set_up(over_older=over)
        scene.folder.chmod(0o555)
        ended = scene.start(before=_bound).wait()
        scene.folder.chmod(0o755)
        figures.case("a folder that may not be written", ended.seconds, command(scene.job.argv))
        _refused_cleanly(scene, figures, "a folder that may not be written", ended, over_older=over)


def _bare_home(scene: Scene, figures: Figures) -> None:
    """Run a fresh installation that may not be written, with such a home, and without a folder for temporary files."""
    if not _rights_count(figures):
        return
    scene.set_up(over_older=False)
    copy = scene.folder.parent / "installation"
    if not copy.exists():
        shutil.copytree(Path(kspan.__file__).parent, copy / "kspan", ignore=shutil.ignore_patterns("__pycache__"))
        (copy / "home").mkdir()
        for path in (copy, *copy.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
    env = {**os.environ, "PYTHONPATH": str(copy), "HOME": str(copy / "home"), "TMPDIR": str(copy / "none")}
    began = time.monotonic()
    ended = subprocess.run(
        [sys.executable, "-m", "kspan", *scene.job.argv],
        cwd=scene.folder,
        env=env,
        preexec_fn=_bound,
        capture_output=True,
        text=True,
        check=False,
    )
    figures.case("a home and an installation that are read only", time.monotonic() - began, command(scene.job.argv))
    if ended.returncode not in {0, 1} or set(scene.states().values()) != {NEW}:
        told = f"exit {ended.returncode}, {scene.states()}, {ended.stderr[-1500:]}"
        _tell(scene, figures, "a read-only home and installation: does not work", f"{scene.job.name}: {told}")


def _owners_files(scene: Scene, figures: Figures) -> None:
    """Files of the owner are the owner's alone, also if they were not before."""
    for loose in (False, True):
        scene.set_up(over_older=loose)
        for name in scene.job.outputs:
            if loose and (scene.folder / name).exists():
                (scene.folder / name).chmod(0o644)
        ended = scene.start().wait()
        figures.case("modes of files", ended.seconds, command(scene.job.argv))
        for name in set(scene.job.outputs) & set(OWNERS):
            mode = (scene.folder / name).stat().st_mode & 0o777
            if mode != 0o600:
                _tell(
                    scene,
                    figures,
                    f"modes: {name} may be read by others{' when written again' if loose else ''}",
                    f"mode {mode:o}",
                )


def _at_once(scene: Scene, figures: Figures, number: int = 4) -> None:
    """Several processes save different releases to the same place at once: one of them must win whole."""
    if scene.job.name != "anonymize":
        return
    scene.set_up(over_older=False)
    argv = list(scene.job.argv)
    again = argv.index("--again")
    anew = argv[:again] + argv[again + 2 :]
    children = [Child(anew, scene.folder, env=scene.env) for _ in range(number)]
    ended = [child.wait() for child in children]
    figures.case("several at once", max(one.seconds for one in ended), command(argv))
    out = (scene.folder / "out.csv").read_bytes()
    manifest = json.loads((scene.folder / "out.csv.release.json").read_bytes())
    owner = json.loads((scene.folder / "out.csv.owner.json").read_bytes())
    if manifest["sha256"] != hashlib.sha256(out).hexdigest():
        _tell(scene, figures, "several at once: table and manifest are of two runs", str([one.code for one in ended]))
    scene.set_up(over_older=False)
    (scene.folder / "kept.json").write_text(json.dumps(owner))
    Child(argv, scene.folder, env=scene.env).wait()
    if (scene.folder / "out.csv").read_bytes() != out:
        _tell(scene, figures, "several at once: table and owner's file are of two runs", "made again by its secret")
    for one in ended:
        if one.code not in {0, 2} or "defect" in one.err:
            _tell(scene, figures, f"several at once: ended with {one.code}", one.err)


def _tell(scene: Scene, figures: Figures, fault: str, told: str) -> None:
    figures.found(Find(fault, command(scene.job.argv), told, scene.inputs))
