"""kspan learn: mine a model, from people as they are or from a released table."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.cli.baskets import written_mined
from kspan.cli.beside_ledger import LedgerFile, Left, MatchPeople, Recipient, beside_ledger, tell_entered
from kspan.cli.clusters import written_clusters
from kspan.cli.learned import Made, tell_made, written_model
from kspan.cli.methods import MethodCommand, Methods, check_given, joined
from kspan.cli.options import (
    KINDS,
    Columns,
    Curve,
    Delimiter,
    Encoding,
    Json,
    KeepFormulas,
    PolicyOrManifest,
    RangePattern,
    ReportFile,
    Sql,
    check_apart,
    check_report_file,
    check_word,
    dialect,
    save_report,
)
from kspan.cli.output import progress
from kspan.cli.trees import COUNTS, check_told, written_tree
from kspan.errors import FileError, PolicyError
from kspan.frames.commit import together
from kspan.frames.source import Source

if TYPE_CHECKING:
    import polars as pl

    from kspan.induce.methods import Learned, Learner
    from kspan.policy import Policy
    from kspan.report.making import Making


@dataclass(frozen=True)
class LearnRequest:
    """The arguments and options of kspan learn."""

    data: Annotated[
        Source,
        typer.Argument(parser=Source.of, help=f"The people to learn from, raw or released: {KINDS}; - for stdin."),
    ]
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model, as JSON.")]
    options: dict[str, Any]
    policy: PolicyOrManifest = None
    method: Annotated[str, typer.Option("--method", "-m", metavar="METHOD")] = "grouped"
    target: Annotated[
        str | None, typer.Option(help="The column to predict, if the policy names none or there is none.")
    ] = None
    also: Annotated[
        list[str] | None,
        typer.Option(help="Another column that the same tree predicts (-m grouped); may be given several times."),
    ] = None
    manifest: Annotated[
        Path | None,
        typer.Option(help="What was released with the table (DATA.release.json if that is there): roles and names."),
    ] = None
    marginals: Annotated[
        Path | None,
        typer.Option(help="How attributes are distributed, as released beside the table: for -m boosted."),
    ] = None
    range_pattern: RangePattern = None
    table: Annotated[
        Path | None,
        typer.Option(help="Write what the tree tells of each person as a table, too (.csv, .parquet, ...)."),
    ] = None
    keep_formulas: KeepFormulas = False
    disclose: Annotated[
        str,
        typer.Option(
            help="What to tell at each node: counts, hit-miss, shares or label; of numbers mean, median or interval."
        ),
    ] = COUNTS
    held_out: Annotated[
        bool,
        typer.Option(
            "--held-out/--no-held-out",
            help="Say how well people are predicted who were not learned from? It learns five more times.",
        ),
    ] = True
    ledger: LedgerFile = None
    to: Recipient = None
    left: Left = None
    match: MatchPeople = None
    report: ReportFile = None
    curve: Curve = False
    depth: Annotated[int, typer.Option(min=0, help="How deep to print the tree.")] = 3
    sql: Sql = None
    delimiter: Delimiter = None
    encoding: Encoding = None
    columns: Columns = None
    json: Json = False


class LearnCommand(MethodCommand):
    """The command kspan learn, with the options of all learners."""

    def methods(self) -> Methods:
        """Return the learners with the options of each."""
        from kspan.induce.methods import LEARNERS

        return {name: learner.options for name, learner in LEARNERS.items()}

    def about_methods(self) -> str:
        """Return the help text of -m."""
        from kspan.induce.methods import LEARNERS, PRIVATE_METHODS

        keep, others = ([name for name in LEARNERS if (name in PRIVATE_METHODS) is kept] for kept in (True, False))
        return f"{joined(keep)} keep the requirement; {joined(others)} do not."


def learn(asked: LearnRequest) -> int:
    """Learn a model for the target from DATA, and write it; where it is to keep the requirement, only if it does."""
    from kspan.data.prepared import computed
    from kspan.frames.files import read_table
    from kspan.induce.methods import LEARNERS
    from kspan.induce.methods import learn as induce
    from kspan.ledger.standing import standing

    check_report_file(asked.report, asked.curve)
    options_of = {name: each.options for name, each in LEARNERS.items()}
    check_given(asked.method, asked.options, options_of, {name: each.gives for name, each in LEARNERS.items()})
    learner = LEARNERS[asked.method]
    _check_result(asked, learner)
    policy_of = _policy_source(asked, learner)
    written = {"-o": asked.output, "--table": asked.table, "--report": asked.report}
    check_apart(written, asked.data, asked.policy, policy_of.manifest, asked.marginals, asked.left, asked.ledger)
    beside = beside_ledger(policy_of.policy, asked.ledger, asked.to, asked.match, asked.left)
    with beside as ledger, together(), progress() as step:
        if ledger is not None and not learner.keeps_requirement:
            raise PolicyError(
                f"{asked.method} promises nothing, so a ledger cannot take it: use -m grouped, or no ledger"
            )
        step(f"reading {asked.data.name}")
        people = read_table(asked.data.asking(asked.sql), dialect(asked.delimiter, asked.encoding, asked.columns))
        policy = policy_of(people)
        stands = standing(computed(people, policy), policy, whole=True)
        people = stands.people
        step("learning")
        options = {**asked.options, **_told(asked)}
        kept = stands.keeping(policy)
        model = induce(people, kept, asked.method, known=stands.classes, **options)
        step("judging it" if learner.keeps_requirement else "writing it")
        made = _written(model, people, policy, asked)
        if learner.predicts and asked.held_out and not asked.curve:
            from kspan.report.foretold import measured

            made = replace(made, held_out=measured(people, kept, asked.method, options, step, known=stands.classes))
        if asked.report is not None and made.audit is not None:
            from kspan.report.foretold import at_chosen
            from kspan.report.making import described

            how: dict[str, Any] = {"path": asked.output, "making": _making(made, asked), "progress": step}
            summary = described(made.model, made.audit, people, policy, **how)
            save_report(summary, asked.report)
            if summary.curve is not None:
                made = replace(made, held_out=at_chosen(summary.curve))
    tell_entered(ledger, stands)
    return tell_made(made, asked, policy)


def _making(made: Made, asked: LearnRequest) -> "Making":
    """Return how a tree was made, so that its page can measure what that costs; of other models it cannot."""
    from kspan.report.making import Making

    if not made.is_tree or not (asked.curve or asked.held_out):
        return Making()
    return Making(asked.method, asked.options, asked.curve, held_out=made.held_out)


def _told(asked: LearnRequest) -> dict[str, Any]:
    """Return the options that are not typed as such: released distributions, further targets, what numbers tell."""
    from kspan.model.distributions import load_distributions
    from kspan.model.outcome import NUMBER_DISCLOSURES

    told = {} if asked.marginals is None else {"marginals": load_distributions(asked.marginals)}
    also = {"also": tuple(asked.also)} if asked.also else {}
    return {**told, **also, **({"tells": asked.disclose} if asked.disclose in NUMBER_DISCLOSURES else {})}


def _written(model: "Learned", people: "pl.DataFrame", policy: "Policy", asked: LearnRequest) -> Made:
    """Judge what was learned if it is to keep the requirement, and write it."""
    from kspan.induce.methods import Mined
    from kspan.model.clusters.model import Clusters
    from kspan.model.tree.model import Tree

    if isinstance(model, Tree):
        return written_tree(model, people, policy, asked)
    if isinstance(model, Clusters):
        return written_clusters(model, people, policy, asked)
    if isinstance(model, Mined):
        return written_mined(model, people, policy, asked)
    return written_model(model, asked)


def _check_result(asked: LearnRequest, learner: "Learner") -> None:
    """Refuse what cannot be asked of the kind of model that a learner gives, and files that cannot be written."""
    from kspan.frames.files import is_table_name
    from kspan.frames.places import check_place
    from kspan.induce.methods import GROUPING
    from kspan.model.outcome import DISCLOSURES, NUMBER_DISCLOSURES

    if not learner.predicts:
        of_labels = {"--target": asked.target, "--manifest": asked.manifest, "--range-pattern": asked.range_pattern}
        of_trees = {"--table": asked.table, "--disclose": asked.disclose != COUNTS, "--curve": asked.curve}
        of_trees["--no-held-out"] = not asked.held_out
        for flag, value in (*of_labels.items(), *of_trees.items()):
            if value not in (None, False):
                raise PolicyError(f"-m {asked.method} does not take {flag}: leave it out")
    if asked.marginals is not None and asked.method != "boosted":
        raise PolicyError(f"-m {asked.method} does not take --marginals: use -m boosted, or leave it out")
    if asked.also and asked.method not in GROUPING:
        raise PolicyError(f"-m {asked.method} predicts one column and does not take --also: use -m grouped")
    check_word("--disclose", asked.disclose, (*DISCLOSURES, *NUMBER_DISCLOSURES))
    if asked.disclose in NUMBER_DISCLOSURES and asked.method not in GROUPING:
        raise PolicyError(
            f"--disclose {asked.disclose} is about numbers, which {asked.method} does not predict: use -m grouped, or "
            f"{', '.join(DISCLOSURES)}"
        )
    if is_table_name(asked.output):
        raise FileError(f"-o {asked.output} has the name of a table, but a model is JSON: end it in .json")
    check_place(asked.output)
    check_told(asked, learner)
    if asked.report is not None and not learner.keeps_requirement:
        raise PolicyError(
            f"--report is about promises, and {asked.method} makes none: leave it out, or see kspan audit"
        )


@dataclass(frozen=True)
class _PolicySource:
    """What options say of the columns; it makes the policy of a table once that is read."""

    policy: "Policy | None"
    manifest: Path | Source | None
    target: str | None
    range_pattern: str | None

    def __call__(self, people: "pl.DataFrame") -> "Policy":
        """Return the policy of a table: the given one or that of its manifest, with the names that this explains."""
        from kspan.policy import Policy
        from kspan.tables.manifest import read_manifest

        found = None if self.manifest is None else read_manifest(self.manifest)
        policy = self.policy
        if policy is None and found is None:
            others = [name for name in people.columns if name != self.target]
            # Only learners that keep no requirement come here, so it does not matter who knows the columns.
            policy = Policy(public=others, target=self.target, require="k=1")
        elif policy is None:
            assert found is not None
            policy = found.policy(self.target)
        elif self.target is not None:
            policy = replace(policy, target=self.target)
        if self.range_pattern is not None:
            policy = replace(policy, range_pattern=self.range_pattern)
        return policy if found is None else found.naming(policy, people)


def _policy_source(asked: LearnRequest, learner: "Learner") -> _PolicySource:
    """Collect what options say of the columns, so that mistakes in it are refused before the data is read."""
    from kspan.data.ranges import check_range_pattern
    from kspan.policy import Policy
    from kspan.tables.manifest import manifest_of

    check_range_pattern(asked.range_pattern)
    manifest: Path | Source | None = asked.manifest
    # Nothing lies beside standard input.
    if manifest is None and learner.predicts and str(asked.data) != "-":
        manifest = manifest_of(asked.data.asking(asked.sql))
    if asked.policy is None and manifest is None and (asked.target is None or learner.keeps_requirement):
        unsaid = f"who may know the columns of {asked.data.name} is not said: name a policy with -p"
        if not learner.predicts:
            raise PolicyError(unsaid)
        raise PolicyError(
            f"{unsaid}, or the manifest that was released with the table with --manifest; a method that keeps no "
            "requirement needs --target alone"
        )
    policy = None if asked.policy is None else Policy.load(asked.policy)
    return _PolicySource(policy, manifest, asked.target, asked.range_pattern)
