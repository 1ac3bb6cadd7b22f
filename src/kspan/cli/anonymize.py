"""kspan anonymize: a table in which everybody stands in a crowd."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from kspan.cli.options import Columns, Delimiter, Encoding, Json, PolicyFile, SuppressedText, check_apart, dialect
from kspan.cli.output import page, progress, tell_json

METHODS = "kactus, mondrian, tds, tdr, incognito, one-dim, k-optimize, datafly"


def anonymize(
    data: Annotated[Path, typer.Argument(help="The table: CSV, Parquet, Arrow or Feather; - for stdin.")],
    policy: PolicyFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the released table.")],
    method: Annotated[
        str, typer.Option("--method", "-m", help=f"{METHODS}; auto takes the one that keeps most.")
    ] = "auto",
    seed: Annotated[
        int | None, typer.Option(min=0, help="For a table that can be made again; kept in OUT.owner.json.")
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(
            help="How groups show numbers and words: interval, set, hierarchy; of kactus median, mean, interval."
        ),
    ] = None,
    inducer: Annotated[str | None, typer.Option(help="The tree that kactus prunes: c45 or id3.")] = None,
    transfer: Annotated[str | None, typer.Option(help="How kactus moves rows up: random, greedy or none.")] = None,
    merge_siblings: Annotated[
        bool | None, typer.Option("--merge-siblings", help="Let kactus show {a|b} where a and b are too few.")
    ] = None,
    relaxed: Annotated[
        bool | None, typer.Option("--relaxed", help="Let mondrian put people at the median on either side.")
    ] = None,
    loss: Annotated[str | None, typer.Option(help="What incognito and k-optimize keep small: ncp, cm, dm, ...")] = None,
    withhold: Annotated[
        float | None, typer.Option(min=0, max=1, help="The share of rows that incognito or k-optimize may leave out.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(min=0, help="How long k-optimize may search.")] = None,
    suppressed_text: SuppressedText = None,
    keep_order: Annotated[
        bool, typer.Option("--keep-order", help="Do not shuffle rows; the claim says so, for it may tell who is who.")
    ] = False,
    explain: Annotated[
        Path | None, typer.Option(help="Also write what each public value became, as CSV: for the owner only.")
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
) -> int:
    """Make the public cells of DATA coarser until the policy holds, and write the table if it does."""
    from kspan.frames.files import check_place, check_writable, read_table, write_table
    from kspan.policy import Policy
    from kspan.report.text import print_audit, print_table_release
    from kspan.tables import anonymize as make

    given: dict[str, Any] = {
        "show": show,
        "inducer": inducer,
        "transfer": transfer,
        "merge_siblings": merge_siblings,
        "relaxed": relaxed,
        "loss": loss,
        "withhold": withhold,
        "seconds": seconds,
    }
    options = {name: value for name, value in given.items() if value is not None}
    rules = Policy.load(policy)
    if suppressed_text is not None:
        rules = replace(rules, suppressed_text=suppressed_text)
    for path in (output, *([explain] if explain else [])):
        check_writable(path)
        check_place(path)
    check_apart({"-o": output, "--explain": explain}, data, policy)
    with progress() as step:
        step(f"reading {data.name}")
        people = read_table(data, dialect(delimiter, encoding, columns))
        release = make(people, rules, method, rng=seed, keep_order=keep_order, progress=step, **options)
        step("writing it")
        release.save(output, source=None if str(data) == "-" else data)
        if explain is not None:
            write_table(release.mapping(), explain)
    if json:
        tell_json({"output": str(output), **release.manifest()})
        return 0
    with page() as console:
        print_table_release(release.manifest(), console)
        print_audit(release.audit, rules.public, console)
    return 0
