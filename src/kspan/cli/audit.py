"""kspan audit: replay the linking attack on a table or a model."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from kspan.cli.options import (
    Beside,
    Columns,
    Counting,
    Delimiter,
    Encoding,
    Json,
    JudgeBy,
    Population,
    ReportFile,
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


def audit(
    release: Annotated[
        Path,
        typer.Argument(help="A table (CSV, Parquet, Arrow, Feather, also gzipped; - for stdin) or a model (JSON)."),
    ],
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy", "-p", help="The policy: who may know each column, and what must hold; a model alone needs none."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            help="The people that a model or a table was made from; without them a model is judged by its counts."
        ),
    ] = None,
    beside: Beside = None,
    population: Population = None,
    require: JudgeBy = None,
    suppressed_text: SuppressedText = None,
    suppressed: Annotated[
        str | None, typer.Option("--suppressed-as", help="Read * as a 'value' of its own or as 'anything'.")
    ] = None,
    counting: Counting = None,
    without_identifiers: Annotated[
        bool,
        typer.Option("--without-identifiers", help="Judge the table as it would be without its identifier columns."),
    ] = False,
    people: Annotated[
        Path | None, typer.Option(help="Write the risk of each row to this file (.csv, .parquet, ...).")
    ] = None,
    report: ReportFile = None,
    show: Annotated[int, typer.Option(min=0, help="How many of the smallest and of the failing groups to list.")] = 5,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
) -> int:
    """Say who could be singled out in RELEASE by someone who knows the public columns."""
    from kspan.audit import audit as judge
    from kspan.frames.files import check_writable, read_table, write_table
    from kspan.model.kind import is_model
    from kspan.model.kinds import opened
    from kspan.policy import Policy
    from kspan.report.text import print_audit

    changes: dict[str, Any] = {"suppressed": suppressed, "suppressed_text": suppressed_text, "counting": counting}
    changes = {key: value for key, value in changes.items() if value is not None}
    rules = None if policy is None else replace(Policy.load(policy), **changes)
    how = dialect(delimiter, encoding, columns)
    others = beside or []
    if people is not None:
        check_writable(people)
    check_report_file(report)
    check_apart({"--people": people, "--report": report}, release, policy, data, population, *others)
    with together(), progress() as step:
        step(f"reading {release.name}")
        if is_model(release):
            if data is None:
                for_tables = {
                    "--population": population,
                    "--suppressed": suppressed_text,
                    "--suppressed-as": suppressed,
                    "--counting": counting,
                    "--without-identifiers": without_identifiers or None,
                    "--people": people,
                }
                _check_alone(release, [option for option, given in for_tables.items() if given is not None])
            elif rules is None:
                raise PolicyError(f"--data {data} needs a policy, which says who may know what: name it with --policy")
            source = None if data is None else read_table(data, how)
            table: Any = opened(release)
            found = judge(table, source, rules, require=require, beside=others, show=show)
        else:
            table = read_table(release, how)
            if rules is None:
                raise PolicyError(f"{release} is a table: name the policy with --policy, which says who may know what")
            if others:
                raise PolicyError(f"{release} is a table: --with is for models, leave it out")
            if without_identifiers:
                table = table.drop(rules.identifier, strict=False)
            everybody = None if population is None else read_table(population, how)
            source = None if data is None else read_table(data, how)
            found = judge(table, source, rules, require=require, population=everybody, show=show, progress=step)
        if people is not None:
            step(f"writing {people.name}")
            write_table(found.per_row, people, owner_only=True)
        if report is not None:
            from kspan.report.making import described

            named = None if str(release) == "-" else release
            save_report(described(table, found, source, rules, path=named, progress=step), report)
    tell_report(report, holds=found.holds)
    if json:
        tell_json(found.as_dict())
    else:
        with page() as console:
            print_audit(found, () if rules is None else rules.public, console)
    return 0 if found.holds else 1


def _check_alone(model: Path, given: list[str]) -> None:
    """Refuse options that say nothing of a model without its people."""
    if given:
        raise PolicyError(f"{given[0]} is for tables and for people, and {model} is a model alone: leave it out")
