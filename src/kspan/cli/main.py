"""The entry point: it registers all commands, and turns errors into one sentence and an exit code (0, 1 or 2)."""

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from kspan import __version__
from kspan.cli import log
from kspan.cli.anonymize import AnonymizeCommand, AnonymizeRequest, anonymize
from kspan.cli.apply import ApplyRequest, apply
from kspan.cli.audit import AuditRequest, audit
from kspan.cli.compare import CompareRequest, compare
from kspan.cli.demo import demo
from kspan.cli.init import InitRequest, init
from kspan.cli.learn import LearnCommand, LearnRequest, learn
from kspan.cli.ledger.app import ledger
from kspan.cli.methods import command_of
from kspan.cli.output import mute, tell
from kspan.cli.predict import PredictRequest, predict
from kspan.cli.report import ReportRequest, report
from kspan.cli.share.app import share
from kspan.cli.supervised import supervised
from kspan.cli.verify import verify
from kspan.errors import DoesNotHold, KspanError
from kspan.frames.commit import File, has_committed, write_files
from kspan.frames.places import check_place

HOLDS, FAILS, REFUSED = 0, 1, 2
INTERRUPTED = 130

app = typer.Typer(
    name="kspan",
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Release a table or a model without pointing at anyone: every person blends into a crowd of at least k.",
    epilog="Exit codes: 0 done and holds, 1 does not hold, 2 bad input or usage.",
)
app.command()(demo)
app.command()(command_of(InitRequest, init))
app.command()(command_of(AuditRequest, audit))
app.command(cls=AnonymizeCommand)(command_of(AnonymizeRequest, anonymize))
app.command()(command_of(ApplyRequest, apply))
app.command(cls=LearnCommand)(command_of(LearnRequest, learn))
app.command()(command_of(PredictRequest, predict))
app.command()(command_of(CompareRequest, compare))
app.command()(command_of(ReportRequest, report))
app.command()(verify)
app.add_typer(share)
app.add_typer(ledger)


@app.callback(invoke_without_command=True)
def about(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    details: Annotated[
        Path | None,
        typer.Option(
            help="Where to write values of the data that an error is about: only you can read that file, and no log "
            "holds them."
        ),
    ] = None,
    log_json: Annotated[
        bool,
        typer.Option(
            log.OPTION, help="Tell what happens on stderr as one JSON object a line; the last has the exit code."
        ),
    ] = False,
) -> None:
    """Release a table or a model without pointing at anyone: every person blends into a crowd of at least k."""
    if details is not None:
        check_place(details)
        context.obj.details = details
    if version:
        tell(f"{__version__}\n")
        raise typer.Exit
    if context.invoked_subcommand is None:
        tell(context.get_help())
        raise typer.Exit


NO_THREAD = "can't start new thread"
"""What Python says when there is no memory for one more thread."""


@dataclass
class _Asked:
    """Options that stand before the name of the command."""

    details: Path | None = None


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    asked = _Asked()
    log.listen(arguments)
    try:
        code = int(app(list(arguments), prog_name="kspan", standalone_mode=False, obj=asked) or HOLDS)
        # typer returns this code instead of raising KeyboardInterrupt.
        return _refuse(f"interrupted: {_left()}") if code == INTERRUPTED else code
    except typer.Exit as done:
        return done.exit_code
    # Before KspanError, of which it is one: not to hold has an exit code of its own.
    except DoesNotHold as error:
        _refuse(str(error))
        return FAILS
    except KspanError as error:
        return _refuse(f"{error}{_detailed(error, asked.details)}")
    except typer.TyperException as error:
        # Usage: the words of the command line, not of the data.
        said = error.format_message() if hasattr(error, "format_message") else str(error)
        command = getattr(getattr(error, "ctx", None), "command_path", "kspan")
        return _refuse(f"{said.rstrip('.')}: see {command} --help")
    except (KeyboardInterrupt, typer.Abort):
        return _refuse(f"interrupted: {_left()}")
    except SystemExit as stop:
        # rich ends the program when the reader of a help page has gone.
        return stop.code if isinstance(stop.code, int) else HOLDS
    except BaseException as error:  # a library written in Rust panics with more than an Exception
        if isinstance(error, MemoryError) or str(error) == NO_THREAD:
            return _refuse("the table does not fit into memory: give fewer columns, or distinct rows with a weight")
        if os.environ.get("KSPAN_DEBUG"):
            raise
        # Messages of libraries may quote cells, so only the place is told.
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"
        if type(error).__name__ == "PanicException":  # of polars, which is not loaded by every command
            return _refuse(f"a library gave up on cells of the data ({where}): turn dates and numbers in it into text")
        return _refuse(f"a defect in kspan ({where}), nothing was judged: please report it; KSPAN_DEBUG=1 shows more")


def _detailed(error: KspanError, place: Path | None) -> str:
    """Say where the values are that an error is about; its sentence does not name them, since logs keep it."""
    if not error.details:
        return ""
    if place is None:
        return " (kspan --details FILE ... writes them to a file that only you can read)"
    try:
        write_files({place: File("".join(f"{value}\n" for value in error.details).encode(), owner_only=True)})
    except KspanError as failed:
        return f" ({failed})"
    return f" ({place} lists them)"


def _left() -> str:
    """Say what a command that was stopped has left behind."""
    return "what was written before is whole" if has_committed() else "nothing was written"


def _refuse(sentence: str) -> int:
    log.refused(sentence)
    return REFUSED


def run() -> None:
    """The `kspan` command."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by whoever started us
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115
    log.listen(sys.argv[1:])
    log.begin()
    code = supervised(_whole_run, _left, _refuse)
    log.end(code)
    sys.exit(code)


def _whole_run() -> int:
    if not os.environ.get("KSPAN_DEBUG"):
        warnings.simplefilter("ignore")  # what libraries remark on numbers is not for whoever runs a command
    code = main(sys.argv[1:])
    try:
        # The child process ends without flushing; that the reader has gone is no error.
        sys.stdout.flush()
    except OSError:
        mute()
    return code
