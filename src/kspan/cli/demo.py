"""kspan demo: the whole story on the shipped Adult data."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kspan.cli.options import Json
from kspan.cli.output import page, progress, tell, tell_json

if TYPE_CHECKING:
    from kspan.tables.release import TableRelease

SEED = 2008
"""Everybody sees the same demo."""


def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for everything the demo makes.")] = Path(
        "kspan-demo"
    ),
    json: Json = False,
) -> int:
    """Audit the census data that kspan ships; then make a table and a tree of it in which everybody has a crowd."""
    from kspan.audit import audit
    from kspan.datasets import adult_policy, load_adult
    from kspan.frames.files import make_folder, write_table, write_text
    from kspan.induce.methods import learn
    from kspan.model.paths import text
    from kspan.policy import Policy
    from kspan.publish import publish_tree
    from kspan.report.text import print_audit, verdict
    from kspan.tables.making import anonymize

    policy = adult_policy("k=10")
    make_folder(output)
    print("The Adult census data: 48,842 people. Suppose it were released as it is, without names.", file=sys.stderr)
    print(
        "An attacker knows what neighbors know: age, education, work, family, origin. Who can be found?",
        file=sys.stderr,
    )
    with progress(always=True) as step:
        step("loading the data")
        people = load_adult().drop("split")
        found = audit(people, policy, progress=step)
        step("making a table in which everybody has a crowd of 10")
        release = anonymize(people, policy, "kactus", rng=SEED)
        step("growing a tree in which everybody has a crowd of 10")
        made = {name: output / name for name in _WHAT}
        hierarchies = {name: given for name, given in policy.hierarchies.items() if name in policy.public}
        of_tree = Policy(public=policy.public, target="income", require=policy.require, hierarchies=hierarchies)
        seen = people.select(*policy.public, "income")
        tree = learn(seen, of_tree)
        judged = publish_tree(tree, seen, of_tree, made["tree.json"])
        step("writing the results")
        write_table(people, made["adult.csv"])
        release.save(made["released.csv"], source=made["adult.csv"])
        policy.save(made["policy.toml"])
        write_text(found.to_json() + "\n", made["audit.json"])
        write_table(found.per_row, made["risk.csv"])
    if json:
        tell_json(
            {
                "outputs": {name: str(path) for name, path in made.items()},
                "audit": found.as_dict(),
                "released": release.manifest(),
                "tree": judged.as_dict(),
            }
        )
        return 0
    with page() as console:
        print_audit(found, policy.public, console)
    tell(
        "\nRelease a table in which everybody has a crowd: public cells made coarser with income in mind (kACTUS).\n\n"
    )
    tell("✔ " + verdict(release.audit, policy.public) + f"\n  {_lost(release)}\n")
    tell("\nOr release a model instead: a decision tree for income, grown so that everybody has a crowd (kADET).\n\n")
    tell(text(tree, depth=1) + "\n\n✔ " + verdict(judged, policy.public) + "\n")
    width = max(map(len, _WHAT))
    outputs = "\n".join(f"  {name.ljust(width)} {what}" for name, what in _WHAT.items())
    tell(f"\nOutputs are in {output}/:\n{outputs}\n")
    tell(f"Try it yourself: kspan audit {made['adult.csv']} -p {made['policy.toml']} --show 10\n")
    return 0


def _lost(release: "TableRelease") -> str:
    """What a released table does not show any more, and what it still tells of its target."""
    found, target = release.audit, str(release.policy.target)
    in_groups = 1 - (found.utility.cm or 0) / found.people
    everywhere = release.frame[target].value_counts()["count"].max() / found.rows  # type: ignore[operator]
    return (
        f"What it cost: {release.withheld:,} rows are withheld and {release.suppressed_share:.0%} of the public cells "
        f"show nothing.\n  What it kept: the commonest {target} of each group is right for {in_groups:.1%} of the "
        f"people, that of all for {everywhere:.1%}."
    )


_WHAT = {
    "adult.csv": "the table",
    "policy.toml": "who may know each column and what must hold, with hierarchies/ beside it",
    "audit.json": "all that you see above, for programs",
    "risk.csv": "the risk of each row (for the owner only)",
    "released.csv": "the table made anonymous, audited and ready to be released",
    "released.csv.release.json": "what goes with it: its claim, how it was made, what was lost",
    "released.csv.owner.json": "how to make it again (for the owner only)",
    "tree.json": "the tree, audited and ready to be released",
}
