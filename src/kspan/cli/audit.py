"""kspan audit: replay the linking attack on a table or a model."""

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.cli.beside import BesideReleases, Match, Named, named, read_beside
from kspan.cli.log import event, notice
from kspan.cli.options import (
    KINDS,
    Columns,
    Counting,
    Delimiter,
    Encoding,
    EngineName,
    Json,
    JudgeBy,
    MemoryLimit,
    Order,
    Population,
    ReportFile,
    Sql,
    SuppressedText,
    check_apart,
    check_report_file,
    dialect,
    save_report,
    tell_report,
)
from kspan.cli.output import page, progress, tell_json
from kspan.errors import PolicyError
from kspan.frames.commit import together
from kspan.frames.source import Source

if TYPE_CHECKING:
    from kspan.audit.findings import Audit
    from kspan.audit.table.judge import Progress
    from kspan.engines.rows import Rows
    from kspan.policy import Policy
    from kspan.tables.knowing import KnownMethod


@dataclass(frozen=True)
class AuditRequest:
    """The arguments and options of kspan audit."""

    release: Annotated[
        Source,
        typer.Argument(parser=Source.of, help=f"A table: {KINDS}; - for stdin. Or a model (JSON)."),
    ]
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy", "-p", help="The policy: who may know each column, and what must hold; a model alone needs none."
        ),
    ] = None
    data: Annotated[
        Source | None,
        typer.Option(
            parser=Source.of,
            help="The people that a model or a table was made from; without them a model is judged by its counts.",
        ),
    ] = None
    beside: BesideReleases = None
    match: Match = None
    population: Population = None
    require: JudgeBy = None
    suppressed_text: SuppressedText = None
    suppressed: Annotated[
        str | None, typer.Option("--suppressed-as", help="Read * as a 'value' of its own or as 'anything'.")
    ] = None
    counting: Counting = None
    order: Order = None
    without_identifiers: Annotated[
        bool,
        typer.Option("--without-identifiers", help="Judge the table as it would be without its identifier columns."),
    ] = False
    people: Annotated[
        Path | None, typer.Option(help="Write the risk of each row to this file (.csv, .parquet, ...).")
    ] = None
    derive: Annotated[
        bool,
        typer.Option("--derive", help="Say of how many exposed people that follows from what a tree discloses alone."),
    ] = False
    knows_method: Annotated[
        bool,
        typer.Option(
            "--knows-method",
            help="Also say what somebody learns who knows how a table was made: from DATA, by its manifest.",
        ),
    ] = False
    worlds: Annotated[
        int,
        typer.Option(min=1, help="How many worlds --knows-method draws at most, if it cannot try all."),
    ] = 2000
    report: ReportFile = None
    show: Annotated[int, typer.Option(min=0, help="How many of the smallest and of the failing groups to list.")] = 5
    engine: EngineName = "auto"
    memory: MemoryLimit = None
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


def audit(asked: AuditRequest) -> int:
    """Say who could be singled out in RELEASE by someone who knows the public columns."""
    from kspan.frames.files import write_table

    policy = _policy(asked)
    _check_places(asked)
    with together(), progress() as step:
        step(f"reading {asked.release.name}")
        judged = _judged(asked, policy, step)
        if asked.people is not None:
            step(f"writing {asked.people.name}")
            # The risk of each row points at people, so only the owner may read the file.
            write_table(judged.audit.per_row, asked.people, owner_only=True)
        if asked.report is not None:
            from kspan.report.making import described

            # Standard input is no file that a page could name.
            named = None if str(asked.release) == "-" else asked.release
            summary = described(judged.release, judged.audit, judged.source, policy, path=named, progress=step)
            save_report(summary, asked.report)
    tell_report(asked.report, holds=judged.audit.holds)
    found = judged.audit
    event(
        "audited", holds=found.holds, requirement=found.requirement, people=found.people, failing=found.failing_people
    )
    _tell(judged, policy, asked)
    return 0 if judged.audit.holds and (judged.known is None or judged.known.holds) else 1


@dataclass(frozen=True)
class _Judged:
    """What was judged, the people it was judged by if there were any, and the verdict."""

    release: Any
    source: Any
    audit: "Audit"
    known: "KnownMethod | None" = None
    """What somebody learns who knows the method, if that is asked."""


def _policy(asked: AuditRequest) -> "Policy | None":
    """Return the policy with the changes that options make to it, if there is a policy."""
    from kspan.policy import Policy

    if asked.policy is None:
        return None
    changes: dict[str, Any] = {
        "suppressed": asked.suppressed,
        "suppressed_text": asked.suppressed_text,
        "counting": asked.counting,
        "order": asked.order,
    }
    return replace(Policy.load(asked.policy), **{key: value for key, value in changes.items() if value is not None})


def _check_places(asked: AuditRequest) -> None:
    """Refuse files that cannot be written, or must not be, before long work begins."""
    from kspan.frames.files import check_writable

    if asked.people is not None:
        check_writable(asked.people)
    check_report_file(asked.report)
    others = (path for other in named(asked.beside) for path in other.files)
    read = (asked.release, asked.policy, asked.data, asked.population, *others)
    check_apart({"--people": asked.people, "--report": asked.report}, *read)


def _judged(asked: AuditRequest, policy: "Policy | None", step: "Progress") -> _Judged:
    from kspan.model.kind import is_model

    return _judged_model(asked, policy) if is_model(asked.release) else _judged_table(asked, policy, step)


def _judged_model(asked: AuditRequest, policy: "Policy | None") -> _Judged:
    from kspan.audit import audit as judge
    from kspan.audit.together.judge import Beside
    from kspan.frames.files import read_table
    from kspan.model.kinds import opened

    of_tables = {
        "--population": asked.population,
        "--without-identifiers": asked.without_identifiers,
        "--sql": asked.sql,
        "--knows-method": asked.knows_method,
    }
    for option, given in of_tables.items():
        if given:
            raise PolicyError(f"{option} is for tables, and {asked.release} is a model: leave it out")
    if asked.data is None:
        _check_alone(asked)
    elif policy is None:
        raise PolicyError(f"--data {asked.data} needs a policy, which says who may know what: name it with --policy")
    how = dialect(asked.delimiter, asked.encoding, asked.columns)
    source = None if asked.data is None else read_table(asked.data, how)
    model = opened(asked.release)
    first = Beside(model, source, policy, asked.release.name, asked.match)
    found = judge(first, require=asked.require, **_beside(asked, source, policy), show=asked.show)
    return _Judged(model, source, found)


def _beside(asked: AuditRequest, source: Any, policy: "Policy | None") -> dict[str, Any]:
    """Return the releases that are judged together with the first one, and how people are matched."""
    others: list[Named] = named(asked.beside)
    if not others:
        if asked.match is not None:
            raise PolicyError("--match is for several releases that are judged together: give the others (--with)")
        return {}
    if source is None or policy is None:
        raise PolicyError("several releases are judged by their people and a policy: give both (--data, --policy)")
    how = dialect(asked.delimiter, asked.encoding, asked.columns)
    return {"beside": read_beside(others, source, policy, how, asked.match)}


def _judged_table(asked: AuditRequest, policy: "Policy | None", step: "Progress") -> _Judged:
    from kspan.audit import audit as judge
    from kspan.audit.together.judge import Beside
    from kspan.frames.files import read_table
    from kspan.tables.release import found_for, released_rows

    if policy is not None and (rows := _rows(asked, policy, step)) is not None:
        with closing(rows):
            found = judge(rows, policy, require=asked.require, show=asked.show, progress=step)
        return _Judged(rows, None, found)
    how = dialect(asked.delimiter, asked.encoding, asked.columns)
    own = table = read_table(asked.release.asking(asked.sql), how)
    if policy is None:
        raise PolicyError(f"{asked.release} is a table: name the policy with --policy, which says who may know what")
    if asked.without_identifiers:
        table = table.drop(policy.never_released, strict=False)
    everybody = None if asked.population is None else read_table(asked.population, how)
    source = data = None if asked.data is None else read_table(asked.data, how)
    if source is not None:
        policy = found_for(policy, asked.release)
        source = released_rows(source, asked.release, table.height, policy, always=bool(asked.beside))
    if source is None and asked.without_identifiers and policy.person and policy.person in own.columns:
        source = own  # whose rows are whose is not in the table any more
    more: dict[str, Any] = {"population": everybody, "show": asked.show, "progress": step}
    more |= _beside(asked, data, policy)
    first = Beside(table, source, policy, asked.release.name, asked.match)
    found = judge(first, require=asked.require, **more)
    return _Judged(table, source, found, _known(asked, table, data, policy, step))


def _rows(asked: AuditRequest, policy: "Policy", step: "Progress") -> "Rows | None":
    """Return the table as an engine holds it; None if it is to be read into memory."""
    from kspan.audit.table.kinds import needs_rows
    from kspan.engines.choosing import engine_named, opened, said
    from kspan.engines.memory import bytes_said

    options = {
        "--data": asked.data,
        "--with": asked.beside,
        "--population": asked.population,
        "--people": asked.people,
        "--report": asked.report,
        "--knows-method": asked.knows_method,
        "--without-identifiers": asked.without_identifiers,
    }
    needs = next((flag for flag, given in options.items() if given), None) or needs_rows(policy)
    memory = None if asked.memory is None else bytes_said(asked.memory)
    rows = opened(asked.release.asking(asked.sql), engine_named(asked.engine), memory, needs)
    if rows is not None:
        notice(said(rows, asked.release), engine=rows.engine)
    return rows


def _known(asked: AuditRequest, table: Any, data: Any, policy: "Policy", step: "Progress") -> "KnownMethod | None":
    """Say what somebody learns who knows the method, if that is asked."""
    from kspan.tables.knowing import knows_method
    from kspan.tables.made_again import made_again

    if not asked.knows_method:
        return None
    if data is None:
        raise PolicyError("--knows-method makes the table again, with other private values: give its people (--data)")
    release = made_again(table, asked.release, data, policy, step)
    return knows_method(release, worlds=asked.worlds, progress=step)


def _tell(judged: _Judged, policy: "Policy | None", asked: AuditRequest) -> None:
    from kspan.report.text import print_audit, print_known_method

    found, known = judged.audit, judged.known
    if asked.json:
        more = {"derived": found.derived} if asked.derive else {}
        tell_json({**found.as_dict(), **more, **({} if known is None else {"knows_method": known.as_dict()})})
        return
    with page() as console:
        print_audit(found, () if policy is None else policy.public, console, derive=asked.derive)
        if known is not None:
            print_known_method(known.sentence, holds=known.holds, console=console)


def _check_alone(asked: AuditRequest) -> None:
    """Refuse options that do not apply to a model without its people."""
    for_tables = {
        "--suppressed": asked.suppressed_text,
        "--suppressed-as": asked.suppressed,
        "--counting": asked.counting,
        "--people": asked.people,
    }
    for option, given in for_tables.items():
        if given is not None:
            raise PolicyError(
                f"{option} is for tables and for people, and {asked.release} is a model alone: leave it out"
            )
