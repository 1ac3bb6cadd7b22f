"""kspan learn: mine a model, from people as they are or from a released table."""

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.cli.learners import check_options, check_outputs, typed
from kspan.cli.options import (
    Columns,
    Curve,
    Delimiter,
    Encoding,
    Json,
    KeepFormulas,
    PolicyOrManifest,
    RangePattern,
    ReportFile,
    check_apart,
    check_report_file,
    check_word,
    dialect,
    save_report,
    tell_report,
)
from kspan.cli.output import progress, tell, tell_json
from kspan.cli.trees import tell_tree, written_tree
from kspan.errors import PolicyError
from kspan.frames.commit import together

if TYPE_CHECKING:
    import polars as pl

    from kspan.policy import Policy


OF_OTHERS = "Options of naive-bayes and logistic"
OF_RULES = "Options of rules and clusters"


def learn(
    data: Annotated[
        Path,
        typer.Argument(help="The people to learn from, raw or released: CSV, Parquet, Arrow or Feather; - for stdin."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the model, as JSON.")],
    policy: PolicyOrManifest = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="kadet, kadet-c45, clusters and rules keep the requirement; id3, c45, part, conjunctive, naive-bayes "
            "and logistic do not.",
            metavar="METHOD",
        ),
    ] = "kadet",
    target: Annotated[
        str | None, typer.Option(help="The column to predict, if the policy names none or there is none.")
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(help="What was released with the table (DATA.release.json if that is there): roles and names."),
    ] = None,
    range_pattern: RangePattern = None,
    score: Annotated[
        str | None, typer.Option(help="information-gain (default), gain-ratio or gini; of kadet and id3.")
    ] = None,
    min_rows: Annotated[
        int | None,
        typer.Option(min=1, help="People that at least two branches of a split must have; 1, or 2 for C4.5."),
    ] = None,
    confidence_factor: Annotated[
        float | None,
        typer.Option(help="How hard C4.5 prunes, from 0.0001 to 0.5: less is harder; 0.25 unless said."),
    ] = None,
    prune: Annotated[bool | None, typer.Option("--prune/--no-prune", help="Does C4.5 prune its tree? It does.")] = None,
    subtree_raising: Annotated[
        bool | None,
        typer.Option("--raising/--no-raising", help="May pruning put a branch in the place of its node? Of c45 only."),
    ] = None,
    entropy: Annotated[
        str | None,
        typer.Option(help="How trees and rules count general cells: equal (default), em, own-value; id3 also random."),
    ] = None,
    division: Annotated[
        str | None,
        typer.Option(help="Where id3 sends people with general cells: fractional (default), random or frequent."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of what id3 and conjunctive leave to chance: 0 unless said.")
    ] = None,
    likelihood: Annotated[
        str | None,
        typer.Option(
            help="How values share a general cell: even (default), or em, as the table itself tells.",
            rich_help_panel=OF_OTHERS,
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(help="People that naive-bayes adds to every value: 1 unless said.", rich_help_panel=OF_OTHERS),
    ] = None,
    numbers: Annotated[
        str | None,
        typer.Option(
            help="How numbers are taken: as normal by naive-bayes (gaussian), scaled by logistic (scaled), or by bins "
            "of both (binned or by-label).",
            rich_help_panel=OF_OTHERS,
        ),
    ] = None,
    bins: Annotated[
        int | None, typer.Option(min=1, help="How many bins, with binned: 10.", rich_help_panel=OF_OTHERS)
    ] = None,
    var_smoothing: Annotated[
        float | None,
        typer.Option(
            help="The part of the largest variance that naive-bayes adds to all: 1e-9.", rich_help_panel=OF_OTHERS
        ),
    ] = None,
    C: Annotated[  # noqa: N803
        float | None,
        typer.Option("--C", help="The inverse of the penalty of logistic: 1 unless said.", rich_help_panel=OF_OTHERS),
    ] = None,
    missing_indicator: Annotated[
        bool | None,
        typer.Option(
            "--missing-indicator/--no-missing-indicator",
            help="Does logistic learn from what is missing? It does not unless said.",
            rich_help_panel=OF_OTHERS,
        ),
    ] = None,
    max_iter: Annotated[
        int | None, typer.Option(min=1, help="How long logistic may search: 1000 steps.", rich_help_panel=OF_OTHERS)
    ] = None,
    min_support: Annotated[
        float | None, typer.Option(help="The least share of people of a rule: 0.01.", rich_help_panel=OF_RULES)
    ] = None,
    min_confidence: Annotated[
        float | None, typer.Option(help="The least confidence of a rule: 0.5.", rich_help_panel=OF_RULES)
    ] = None,
    measure: Annotated[
        str | None,
        typer.Option(help="Which rules are best: confidence (default), lift, support.", rich_help_panel=OF_RULES),
    ] = None,
    max_items: Annotated[
        int | None, typer.Option(min=2, help="The most items of a rule: 4.", rich_help_panel=OF_RULES)
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="The most rules: 100; or clusters: 10.", rich_help_panel=OF_RULES)
    ] = None,
    min_people: Annotated[
        int | None, typer.Option(min=1, help="The fewest people of a cluster: k.", rich_help_panel=OF_RULES)
    ] = None,
    scaling: Annotated[
        str | None,
        typer.Option(
            help="What numbers of clusters are divided by: deviation (default), range, none.", rich_help_panel=OF_RULES
        ),
    ] = None,
    tell_lift: Annotated[
        bool | None,
        typer.Option("--tell-lift", help="Tell the lift of rules, too, which tells more.", rich_help_panel=OF_RULES),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(help="Write what the tree tells of each person as a table, too (.csv, .parquet, ...)."),
    ] = None,
    keep_formulas: KeepFormulas = False,
    disclose: Annotated[
        str, typer.Option(help="What to tell at each node: counts, hit-miss, shares or label.")
    ] = "counts",
    report: ReportFile = None,
    curve: Curve = False,
    depth: Annotated[int, typer.Option(min=0, help="How deep to print the tree.")] = 3,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    columns: Columns = None,
    json: Json = False,
) -> int:
    """Learn a model for the target from DATA, and write it; where it is to keep the requirement, only if it does."""
    from kspan.frames.files import read_table
    from kspan.induce.methods import PRIVATE_METHODS
    from kspan.induce.methods import learn as induce
    from kspan.model.decision_list import DecisionList
    from kspan.model.models import save_model
    from kspan.model.outcome import DISCLOSURES
    from kspan.model.tree import Tree

    given = {
        "score": score,
        "min_rows": min_rows,
        "confidence_factor": confidence_factor,
        "prune": prune,
        "subtree_raising": subtree_raising,
        "entropy": entropy,
        "division": division,
        "rng": seed,
        "likelihood": likelihood,
        "alpha": alpha,
        "numbers": numbers,
        "bins": bins,
        "var_smoothing": var_smoothing,
        "C": C,
        "missing_indicator": missing_indicator,
        "max_iter": max_iter,
    }
    options = {name: value for name, value in given.items() if value is not None}
    of_rules = {
        "min_support": min_support,
        "min_confidence": min_confidence,
        "measure": measure,
        "max_items": max_items,
        "tell_lift": tell_lift,
    }
    of_clusters = {"min_people": min_people, "scaling": scaling}
    check_report_file(report, curve)
    if method in ("rules", "clusters"):
        own, foreign = (of_rules, of_clusters) if method == "rules" else (of_clusters, of_rules)
        others = {**options, **foreign, "--target": target, "--manifest": manifest, "--table": table}
        others |= {"--range-pattern": range_pattern, "--disclose": None if disclose == "counts" else disclose}
        others |= {"--curve": curve or None}
        strange = [typed(name) for name, value in others.items() if value is not None]
        wished = {name: value for name, value in {**own, "most": most}.items() if value is not None}
        how = dialect(delimiter, encoding, columns)
        if method == "rules":
            from kspan.cli.association import learn_rules

            return learn_rules(data, output, policy, wished, strange, report=report, how=how, json=json)
        from kspan.cli.clusters import learn_clusters

        return learn_clusters(data, output, policy, wished, strange, report=report, how=how, json=json)
    for name, value in {**of_rules, **of_clusters, "most": most}.items():
        if value is not None:
            raise PolicyError(f"-m {method} does not take {typed(name)}: leave it out, or use -m rules or clusters")
    check_options(method, options)
    check_word("--disclose", disclose, DISCLOSURES)
    check_outputs(output, table, method, disclose)
    if report is not None and method not in PRIVATE_METHODS:
        raise PolicyError(f"--report is about promises, and {method} makes none: leave it out, or see kspan audit")
    rules_of = _rules(data, policy, manifest, target, range_pattern, method)
    check_apart({"-o": output, "--table": table, "--report": report}, data, policy, rules_of.manifest)
    with together(), progress() as step:
        step(f"reading {data.name}")
        people = read_table(data, dialect(delimiter, encoding, columns))
        rules = rules_of(people)
        step("learning")
        model = induce(people, rules, method, **options)
        if isinstance(model, Tree):
            step("judging it")
            how_told: dict[str, Any] = {"disclosure": disclose, "keep_formulas": keep_formulas}
            made = written_tree(model, people, rules, method, output, table, **how_told)
            if report is not None:
                from kspan.report.making import described

                how_made: dict[str, Any] = {"method": method, "options": options, "curve": curve, "progress": step}
                save_report(described(made.tree, made.audits[output], people, rules, path=output, **how_made), report)
        else:
            save_model(model, output)
    tell_report(report)
    if isinstance(model, Tree):
        return tell_tree(made, rules, method, depth=depth, json=json)
    print(
        f"Wrote {output}: it makes no promise; release it only if what it was learnt from may be released.",
        file=sys.stderr,
    )
    if json:
        tell_json({"output": str(output), "method": method, "labels": list(model.labels), "audit": None, "table": None})
    else:
        tell(f"{model if isinstance(model, DecisionList) else repr(model)}\n")
    return 0


@dataclass(frozen=True)
class _Rules:
    """What was said of the columns, once they are known."""

    policy: "Policy | None"
    manifest: Path | None
    target: str | None
    range_pattern: str | None

    def __call__(self, people: "pl.DataFrame") -> "Policy":
        """The policy of a table: the one that was given, or that of its manifest, with the names that this explains."""
        from kspan.policy import Policy
        from kspan.tables.manifest import read_manifest

        found = None if self.manifest is None else read_manifest(self.manifest)
        rules = self.policy
        if rules is None and found is None:
            others = [name for name in people.columns if name != self.target]
            rules = Policy(public=others, target=self.target, require="k=1")
        elif rules is None:
            assert found is not None
            rules = found.policy(self.target)
        elif self.target is not None:
            rules = replace(rules, target=self.target)
        if self.range_pattern is not None:
            rules = replace(rules, range_pattern=self.range_pattern)
        return rules if found is None else found.naming(rules, people)


def _rules(
    data: Path, policy: Path | None, manifest: Path | None, target: str | None, range_pattern: str | None, method: str
) -> _Rules:
    """What was said of the columns; mistakes in it are told before the data is read."""
    from kspan.data.ranges import check_range_pattern
    from kspan.induce.methods import PRIVATE_METHODS
    from kspan.policy import Policy
    from kspan.tables.manifest import manifest_of

    check_range_pattern(range_pattern)
    if manifest is None and str(data) != "-":
        manifest = manifest_of(data)
    if policy is None and manifest is None and (target is None or method in PRIVATE_METHODS):
        raise PolicyError(
            f"who may know the columns of {data.name} is not said: name a policy with -p, or the manifest that was "
            "released with the table with --manifest; a method that keeps no requirement needs --target alone"
        )
    return _Rules(None if policy is None else Policy.load(policy), manifest, target, range_pattern)
