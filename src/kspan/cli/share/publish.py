"""kspan share publish and prune: the owner's side, a tree that keeps the requirement."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.cli.beside_ledger import LedgerFile, Left, MatchPeople, Recipient, beside_ledger, tell_entered
from kspan.cli.log import notice
from kspan.cli.options import (
    KINDS,
    Columns,
    Curve,
    Delimiter,
    Encoding,
    Json,
    PolicyFile,
    ReportFile,
    Sql,
    check_apart,
    check_report_file,
    check_word,
    dialect,
    save_report,
    tell_report,
)
from kspan.cli.output import page, progress, tell, tell_json
from kspan.cli.share.options import (
    Depth,
    Disclose,
    Information,
    Merge,
    Output,
    check_model_name,
    pruning,
)
from kspan.errors import PolicyError
from kspan.frames.commit import together
from kspan.frames.source import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kspan.share.publishing import SharedTree


@dataclass(frozen=True)
class PublishRequest:
    """The arguments and options of kspan share publish."""

    data: Annotated[Source, typer.Argument(parser=Source.of, help=f"The people: {KINDS}; - for stdin.")]
    policy: PolicyFile
    output: Output
    method: Annotated[
        str, typer.Option("--method", "-m", help="atp prunes a learned tree, ldm learns under the requirement.")
    ] = "atp"
    learner: Annotated[str, typer.Option(help="The tree that atp prunes: c45 or id3.")] = "c45"
    merge: Merge = "rules"
    information: Information = None
    raising: Annotated[
        bool,
        typer.Option(
            "--raising/--no-raising", help="May atp put a branch in the place of the root? The paper's cannot."
        ),
    ] = True
    min_rows: Annotated[
        int | None, typer.Option(min=1, help="People that at least two branches of a split must have.")
    ] = None
    prune: Annotated[bool | None, typer.Option("--prune/--no-prune", help="Does c45 prune by errors first?")] = None
    confidence_factor: Annotated[float | None, typer.Option(help="How hard: less is harder; 0.25 unless said.")] = None
    disclose: Disclose = "counts"
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Tell also how attributes spread, as coarsely as is required.")
    ] = False
    ledger: LedgerFile = None
    to: Recipient = None
    left: Left = None
    match: MatchPeople = None
    report: ReportFile = None
    curve: Curve = False
    depth: Depth = 3
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


@dataclass(frozen=True)
class PruneRequest:
    """The arguments and options of kspan share prune."""

    model: Annotated[Path, typer.Argument(help="A tree that kspan wrote, from whomever.")]
    output: Output
    require: Annotated[str | None, typer.Option(help="What every path must satisfy, for example 'k=10'.")] = None
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="The policy, if the tree is judged by its people.")
    ] = None
    data: Annotated[Source | None, typer.Option(parser=Source.of, help="The people that the tree was made from.")] = (
        None
    )
    merge: Merge = "rules"
    information: Information = None
    disclose: Disclose = None
    ledger: LedgerFile = None
    to: Recipient = None
    match: MatchPeople = None
    report: ReportFile = None
    depth: Depth = 3
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


def publish(asked: PublishRequest) -> int:
    """Learn a tree from DATA, make it keep the requirement, judge it, and write it: nothing else leaves."""
    from kspan.data.prepared import computed
    from kspan.frames.files import read_table
    from kspan.ledger.standing import standing
    from kspan.policy import Policy
    from kspan.share.publishing import share_tree

    _check_publish(asked)
    given: dict[str, Any] = {
        "min_rows": asked.min_rows,
        "prune": asked.prune,
        "confidence_factor": asked.confidence_factor,
    }
    # What was not typed is left to the defaults of the learner.
    options = {name: value for name, value in given.items() if value is not None}
    by_method: dict[str, Any] = {}
    if asked.method == "atp":
        by_method = {**pruning(asked.merge, asked.information), "learner": asked.learner, "raising": asked.raising}
    policy = Policy.load(asked.policy)
    beside = beside_ledger(policy, asked.ledger, asked.to, asked.match, asked.left)
    with beside as ledger, together(), progress() as step:
        step(f"reading {asked.data.name}")
        people = read_table(asked.data.asking(asked.sql), dialect(asked.delimiter, asked.encoding, asked.columns))
        stands = standing(computed(people, policy), policy, whole=True)
        people = stands.people
        step("learning, pruning and judging a tree")
        made = share_tree(
            people,
            policy,
            asked.method,
            disclosure=str(asked.disclose),
            marginals=asked.marginals,
            known=stands.classes,
            # `ldm` does not prune, and takes none of these.
            **by_method,
            **options,
        )
        made.save(asked.output)
        if asked.report is not None:
            from kspan.report.making import Making, described

            making = Making(asked.method, {**by_method, **options}, asked.curve)
            summary = described(made.tree, made.audit, people, policy, path=asked.output, making=making, progress=step)
            save_report(summary, asked.report)
    tell_entered(ledger, stands)
    return _tell(made, asked, policy.public)


def _check_publish(asked: PublishRequest) -> None:
    """Refuse what cannot be made or written, before the data is read."""
    from kspan.model.outcome import DISCLOSURES
    from kspan.share.publishing import LEARNERS, METHODS

    check_word("-m", asked.method, METHODS)
    check_word("--learner", asked.learner, LEARNERS)
    check_word("--disclose", str(asked.disclose), DISCLOSURES)
    pruning(asked.merge, asked.information)
    check_model_name(asked.output)
    check_report_file(asked.report, asked.curve)
    check_apart({"-o": asked.output, "--report": asked.report}, asked.data, asked.policy)


def prune(asked: PruneRequest) -> int:
    """Prune MODEL until every path satisfies what is required, judge it (by its people with --data), and write it."""
    from kspan.frames.files import read_table
    from kspan.policy import Policy
    from kspan.share.publishing import prune_tree

    _check_prune(asked)
    policy = None if asked.policy is None else Policy.load(asked.policy)
    with beside_ledger(policy, asked.ledger, asked.to, asked.match) as ledger, together(), progress() as step:
        step(f"reading {asked.model.name}")
        how = dialect(asked.delimiter, asked.encoding, asked.columns)
        people = None if asked.data is None else read_table(asked.data.asking(asked.sql), how)
        step("pruning and judging it")
        made = prune_tree(
            asked.model,
            asked.require,
            people=people,
            policy=policy,
            disclosure=asked.disclose,
            **pruning(asked.merge, asked.information),
        )
        made.save(asked.output)
        if asked.report is not None:
            from kspan.report.making import described

            summary = described(made.tree, made.audit, people, policy, path=asked.output, progress=step)
            save_report(summary, asked.report)
    tell_entered(ledger)
    return _tell(made, asked, () if policy is None else policy.public)


def _check_prune(asked: PruneRequest) -> None:
    """Refuse what cannot be made or written, before anything is read."""
    from kspan.model.outcome import DISCLOSURES

    if asked.disclose is not None:
        check_word("--disclose", asked.disclose, DISCLOSURES)
    pruning(asked.merge, asked.information)
    check_model_name(asked.output)
    check_report_file(asked.report)
    check_apart({"-o": asked.output, "--report": asked.report}, asked.model, asked.policy, asked.data)
    if asked.data is not None and asked.policy is None:
        raise PolicyError("--data needs the policy that says what is known of these people: name it with -p")
    if asked.require is None and asked.policy is None:
        raise PolicyError("what the tree must satisfy is not said: use --require 'k=10', or a policy with -p")


def _tell(made: "SharedTree", asked: PublishRequest | PruneRequest, public: "Sequence[str]") -> int:
    """Tell what was written, and return the exit code."""
    from kspan.model.tree.paths import text
    from kspan.report.text import print_audit

    tree, audit = made.tree, made.audit
    tell_report(asked.report)
    if made.note is not None:
        notice(f"Note: {made.note}.")
    notice(f"Wrote {asked.output}: it keeps {audit.requirement}.")
    if asked.json:
        tell_json(
            {"output": str(asked.output), "leaves": len(tree.leaves), "note": made.note, "audit": audit.as_dict()}
        )
        return 0
    tell(text(tree, depth=asked.depth) + "\n\n")
    with page() as console:
        print_audit(audit, public, console)
    return 0
