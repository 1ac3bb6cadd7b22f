"""kspan share: publish a tree that keeps the requirement, and make one model of the trees of many owners."""

import typer

from kspan.cli.methods import command_of
from kspan.cli.output import tell
from kspan.cli.share.merge import MergeRequest, PseudoRequest, merge, pseudo
from kspan.cli.share.publish import PruneRequest, PublishRequest, prune, publish

share = typer.Typer(
    name="share", help="Publish a tree that keeps the requirement, and make one model of the trees of many owners."
)


@share.callback(invoke_without_command=True)
def about(context: typer.Context) -> None:
    """Publish a tree that keeps the requirement, and make one model of the trees of many owners."""
    if context.invoked_subcommand is None:
        tell(context.get_help())
        raise typer.Exit


share.command()(command_of(PublishRequest, publish))
share.command()(command_of(PruneRequest, prune))
share.command()(command_of(PseudoRequest, pseudo))
share.command()(command_of(MergeRequest, merge))
