"""Anonymous trees along k: their error beside trees from TDS's tables and plain trees, roots, and people exposed."""

from collections.abc import Sequence
from time import process_time

import polars as pl

import kspan as ks
from experiments import census
from experiments.experiment import Block, Data, Experiment, Row
from experiments.trees_k_told import BOTH, KADET, KS, NAME, PAPERS, PLAIN_TREES, TDS, charts, found

FACTOR = 0.27
"""C4.5's confidence factor, as in the paper."""


def blocks(quick: bool) -> Sequence[Block]:
    """A block a k, number of attributes and taxonomy, and one a number of attributes for the plain trees."""
    plain: list[Block] = [{"attributes": number, "taxonomy": "none", "k": 1} for number in census.LEARNERS]
    return plain + [
        {"attributes": number, "taxonomy": taxonomy, "k": k}
        for taxonomy in (census.TAXONOMIES[:1] if quick else census.TAXONOMIES)
        for number in census.LEARNERS
        for k in ((100, 1000) if quick else KS)
    ]


def measure(block: Block, data: Data) -> list[Row]:
    """The anonymous tree and those that are learned from TDS's tables, or the plain trees."""
    number, taxonomy, k = int(block["attributes"]), str(block["taxonomy"]), int(block["k"])
    names = census.attributes(number)
    if taxonomy == "none":
        return _plain(number)
    rules = census.policy(names, f"k={k}", taxonomy, data("adult").folder)
    return [_anonymous(number, rules), *(_from_table(number, rules, both=both) for both in (False, True))]


def _anonymous(number: int, rules: ks.Policy) -> Row:
    tree, seconds = census.learned(rules, census.LEARNERS[number])
    judged = ks.audit(tree, census.known(rules.public), rules)
    root = tree.root
    return {
        "method": KADET,
        "error": census.error(tree),
        "exposed": judged.exposed[census.TARGET] / judged.people,
        "spans": judged.groups,
        "leaves": len(tree.leaves),
        "k_reached": judged.k.people,
        "root": None if root.attribute is None else tree.attributes[root.attribute].name,
        "branches": len(root.edges),
        "seconds": seconds,
    }


def _from_table(number: int, rules: ks.Policy, *, both: bool) -> Row:
    """A tree from TDS's table of the people to learn from, or of them and those to be predicted, as the authors did."""
    columns = [*rules.public, census.TARGET]
    learned_from = census.known(rules.public)
    begun = process_time()
    people = pl.concat([learned_from, census.people("test").select(columns)]) if both else learned_from
    release = ks.anonymize(people, rules, "tds", secret="0" * 32, keep_order=True)
    tree = ks.learn(release.table.head(learned_from.height), rules, census.PLAIN[number])
    seconds = process_time() - begun
    found = release.audit
    return {
        "method": BOTH if both else TDS,
        "error": census.error(tree),
        "exposed": found.exposed[census.TARGET] / found.people,
        "spans": found.groups,
        "leaves": len(tree.leaves),
        "k_reached": found.k.people,
        "seconds": seconds,
    }


def _plain(number: int) -> list[Row]:
    names = census.attributes(number)
    rules = ks.Policy(public=list(names), target=census.TARGET, require="k=1")
    rows = []
    for method in PLAIN_TREES[number]:
        options = {"confidence_factor": FACTOR} if method == "c45" else {}
        begun = process_time()
        tree = ks.learn(census.known(names), rules, method, **options)
        seconds = process_time() - begun
        rows.append({"method": method, "error": census.error(tree), "leaves": len(tree.leaves), "seconds": seconds})
    return rows


EXPERIMENT = Experiment(
    name=NAME,
    paper=PAPERS,
    figures="000 Figs. 4, 5, 6, 001 Figs. 6, 7",
    blocks=blocks,
    measure=measure,
    charts=charts,
    found=found,
)
