"""kspan demo: the whole story on the shipped Adult data."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kspan.cli.log import notice
from kspan.cli.options import Json
from kspan.cli.output import page, progress, tell, tell_json
from kspan.frames.commit import together

if TYPE_CHECKING:
    import polars as pl

    from kspan.audit.findings import Audit
    from kspan.audit.table.judge import Progress
    from kspan.model.tree.model import Tree
    from kspan.policy import Policy
    from kspan.report.summary import Summary
    from kspan.tables.release import TableRelease

SEED = 2008
"""Everybody sees the same demo."""
OWNERS, EACH = 8, 2000
"""How many owners share trees, and how many people each of them has."""
LEAD = (
    "48,842 people of a census. Suppose that the table were released as it is, without names: who could be found by "
    "what neighbors know? Then three ways to release something useful without pointing at anyone: a table, a model, "
    "and one model of several owners who may not pool their data."
)


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for everything the demo makes.")] = Path(
        "kspan-demo"
    ),
    json: Json = False,
) -> int:
    """Audit the census data that kspan ships; then release a table, a tree and a shared model, each with a report."""
    from kspan.frames.places import make_folder

    make_folder(output)
    notice("The Adult census data: 48,842 people. Suppose it were released as it is, without names.")
    notice("An attacker knows what neighbors know: age, education, work, family, origin. Who can be found?")
    places = {name: output / name for name in _WHAT}
    with together(), progress(always=True) as step:
        made = _made(places, step)
    if json:
        tell_json(
            {
                "outputs": {name: str(path) for name, path in places.items()},
                "audit": made.found.as_dict(),
                "released": made.release.manifest(),
                "tree": made.judged.as_dict(),
            }
        )
    else:
        _tell(made, output, places)
    return 0


@dataclass(frozen=True)
class _Made:
    """What the demo made."""

    policy: "Policy"
    found: "Audit"
    """The audit of the table as it is."""
    release: "TableRelease"
    tree: "Tree"
    judged: "Audit"
    """The audit of the tree."""
    shared: "Summary"


def _made(places: dict[str, Path], step: "Progress") -> _Made:
    """Make everything, and write it."""
    from kspan.audit import audit
    from kspan.datasets import adult_policy, load_adult
    from kspan.frames.commit import File, write_files
    from kspan.frames.files import write_table
    from kspan.induce.methods import learn
    from kspan.policy import Policy
    from kspan.publish import judged_tree, published, write_judged
    from kspan.report.gather import story
    from kspan.report.making import Making, described, table_summary
    from kspan.report.page import Report
    from kspan.secret import Secret
    from kspan.tables.making import anonymize

    step("loading the data")
    policy = adult_policy("k=10")
    people = load_adult().drop("split")
    write_table(people, places["adult.csv"])
    policy.save(places["policy.toml"])
    found = audit(people, policy, progress=step)
    write_files({places["audit.json"]: File(f"{found.to_json()}\n".encode(), owner_only=True)})
    write_table(found.per_row, places["risk.csv"], owner_only=True)
    raw = described(people, found, None, policy, path=places["adult.csv"], title="The table as it is")
    step("making a table in which everybody has a crowd of 10")
    release = anonymize(people, policy, "crowd", secret=Secret.from_seed(SEED))
    release.save(places["released.csv"], source=places["adult.csv"])
    table = table_summary(release, title="A table to release (Crowd)", path=places["released.csv"])
    step("growing a tree in which everybody has a crowd of 10")
    hierarchies = {name: given for name, given in policy.hierarchies.items() if name in policy.public}
    of_tree = Policy(public=policy.public, target="income", require=policy.require, hierarchies=hierarchies)
    seen = people.select(*policy.public, "income")
    judged = judged_tree(learn(seen, of_tree), seen, of_tree)
    write_judged({places["tree.json"]: judged})
    # The report is about the tree as it was written, not as it was learned.
    tree = published(judged)
    how: dict[str, Any] = {"title": "A model to release (grouped values)", "making": Making("grouped")}
    grown = described(tree, judged.audit, seen, of_tree, path=places["tree.json"], **how)
    step("letting eight owners share trees")
    shared = _shared(of_tree, places["shared.json"])
    step("writing the report")
    chapters = [raw, table, grown, shared]
    Report(story("Who could be found, and what can be released?", chapters, LEAD)).save(places["report.html"])
    return _Made(policy, found, release, tree, judged.audit, shared)


def _tell(made: _Made, output: Path, places: dict[str, Path]) -> None:
    """Tell the story in the terminal."""
    from kspan.model.tree.paths import text
    from kspan.report.text import print_audit
    from kspan.report.verdict import verdict

    public, release = made.policy.public, made.release
    with page() as console:
        print_audit(made.found, public, console)
    tell("\nRelease a table in which everybody has a crowd: public cells made coarser with income in mind (Crowd).\n\n")
    tell("✔ " + verdict(release.audit, public) + f"\n  {_lost(release)}\n")
    tell("\nOr release a model instead: a decision tree for income, in which everybody has a crowd, too (grouped).\n\n")
    tell(text(made.tree, depth=1) + "\n\n✔ " + verdict(made.judged, public) + "\n")
    tell("\nOr let eight owners of 2,000 people publish a tree each (ATP), and make one model of all (PGEN).\n\n")
    tell("\n".join(made.shared.costs) + "\n")
    width = max(map(len, _WHAT))
    outputs = "\n".join(f"  {name.ljust(width)} {what}" for name, what in _WHAT.items())
    tell(f"\nOutputs are in {output}/:\n{outputs}\n")
    tell(f"Open {places['report.html']} in a browser: it tells the whole story.\n")
    tell(f"Try it yourself: kspan audit {places['adult.csv']} -p {places['policy.toml']} --show 10\n")


def _shared(policy: "Policy", place: Path) -> "Summary":
    """Make one model of several owners, and tell what it costs that they publish trees instead of pooling people."""
    import numpy as np

    from kspan.datasets import load_adult
    from kspan.induce.methods import learn
    from kspan.model.models import save_model
    from kspan.report.crowd import Fact
    from kspan.report.making import merged_summary
    from kspan.share.merging import merge_trees
    from kspan.share.publishing import share_tree

    columns = [*policy.public, "income"]
    learned, tested = (load_adult(part).select(columns) for part in ("train", "test"))
    order = np.random.default_rng(SEED).permutation(learned.height)[: OWNERS * EACH]
    # In random order, so that every eighth row is a fair sample.
    learned = learned[order]
    trees = [share_tree(learned[owner::OWNERS], policy) for owner in range(OWNERS)]
    model = merge_trees([tree.release for tree in trees], rng=SEED)
    save_model(model, place)
    alone = [_right(tree.tree, tested) for tree in trees]
    pooled = _right(learn(learned, policy, "c45"), tested)
    costs = (
        f"The model of all trees is right for {_right(model, tested):.1%} of {tested.height:,} new people; the tree of "
        f"one owner alone for {min(alone):.1%} to {max(alone):.1%}.",
        f"Had the owners pooled their people, a tree would be right for {pooled:.1%}.",
        f"Each of the {OWNERS} owners has {EACH:,} people, and publishes a tree that keeps {policy.require}.",
    )
    published = tuple(
        Fact(f"tree of owner {number}", f"{policy.require} holds for {EACH:,} people, {len(tree.tree.leaves):,} leaves")
        for number, tree in enumerate(trees, start=1)
    )
    return merged_summary(
        model, "c45", path=place, title="One model of eight owners (ATP, PGEN)", costs=costs, facts=published
    )


def _right(model: object, people: "pl.DataFrame") -> float:
    """Return the share of people whom a model predicts correctly."""
    from kspan.evaluate.agreement import accuracy
    from kspan.model.predict import predicted

    return accuracy(predicted(model, people)["predicted: income"], people["income"])  # type: ignore[arg-type]


def _lost(release: "TableRelease") -> str:
    """Say what a released table no longer shows, and what it still tells of its target."""
    found, target = release.audit, str(release.policy.target)
    in_groups = 1 - (found.utility.cm or 0) / found.people
    everywhere = release.frame[target].value_counts()["count"].max() / found.rows  # type: ignore[operator]
    return (
        f"What it cost: {release.withheld:,} rows are withheld and {release.suppressed_share:.0%} of the public cells "
        f"show nothing.\n  What it kept: {in_groups:.1%} of the people have the commonest {target} of their group, and "
        f"{everywhere:.1%} that of all."
    )


_WHAT = {
    "report.html": "the whole story on one page",
    "adult.csv": "the table",
    "policy.toml": "who may know each column and what must hold, with hierarchies/ beside it",
    "audit.json": "all that you see above, for programs (for the owner only)",
    "risk.csv": "the risk of each row (for the owner only)",
    "released.csv": "the table made anonymous, audited and ready to be released",
    "released.csv.release.json": "what goes with it: its claim, how it was made, what was lost",
    "released.csv.owner.json": "how to make it again (for the owner only)",
    "tree.json": "the tree, audited and ready to be released",
    "shared.json": "the model of eight owners' published trees",
}
