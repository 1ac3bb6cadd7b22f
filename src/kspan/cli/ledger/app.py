"""kspan ledger: what has left, to whom, and what all of it tells together."""

import typer

from kspan.cli.ledger.book import forget, init, list_, show
from kspan.cli.ledger.check import CheckRequest, check
from kspan.cli.ledger.report import report
from kspan.cli.methods import command_of
from kspan.cli.output import tell

ledger = typer.Typer(name="ledger", help="Remember what has left, and judge what is next together with it.")


@ledger.callback(invoke_without_command=True)
def about(context: typer.Context) -> None:
    """Remember what has left, and judge what is next together with it."""
    if context.invoked_subcommand is None:
        tell(context.get_help())
        raise typer.Exit


ledger.command()(init)
ledger.command("list")(list_)
ledger.command()(show)
ledger.command()(command_of(CheckRequest, check))
ledger.command()(forget)
ledger.command()(report)
