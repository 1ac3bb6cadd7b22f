"""A tree judged without its people, by what it publishes: people who go down the same path are one group."""

from kspan.audit.findings import Audit
from kspan.audit.judge import judge
from kspan.audit.tree.checks import check_asked
from kspan.audit.tree.paths import BY_THE_PEOPLE, PublishedPaths, private_questions
from kspan.errors import PolicyError, listed
from kspan.model.tree.model import Tree
from kspan.policy import Policy
from kspan.privacy import OnPrivate, Requirement
from kspan.privacy.spec import resolved


def audit_paths(tree: Tree, require: Requirement, policy: Policy | None = None, *, show: int = 5) -> Audit:
    """Judge a tree by its published counts: every path must satisfy the requirement (Tian et al., Definitions 9 to 13).

    A path is a leaf with somebody, and the attacker is taken to know every attribute that leads there. Where the tree
    tells only hit and miss, each part of the requirement is asked of the most uneven labels behind them. A policy says
    how labels are ordered. Of numbers, and of several targets, only sizes can be judged. With private attributes a path
    is no span: `Audit.assumptions` says so.
    """
    if tree.counts_rows:
        raise PolicyError(f"people have several rows, and the figures of the tree count rows: {BY_THE_PEOPLE}")
    require = resolved(require, [target.name for target in tree.targets])
    check_asked([tree], require)
    if tree.others and (asked := [part for part in require.parts if isinstance(part, OnPrivate)]):
        raise PolicyError(f"the tree has several targets, and {asked[0]} is asked of one tree of each: {BY_THE_PEOPLE}")
    # Every target tells of the same people.
    tree = tree.views()[0]
    _check_told(tree, require)
    return judge(PublishedPaths(tree, policy, require), require, show=show)


def _check_told(tree: Tree, require: Requirement) -> None:
    """Refuse a requirement that the published counts of a tree cannot answer."""
    if tree.root.people is None:
        raise PolicyError(f"the tree discloses only {tree.disclosure!r}, which tells of no crowd: {BY_THE_PEOPLE}")
    if tree.target_role == "public" and (private := private_questions(tree)):
        raise PolicyError(
            f"the target is public and {listed(private)} private: paths do not tell who can be in them; {BY_THE_PEOPLE}"
        )
    asked = [part for part in require.parts if isinstance(part, OnPrivate)]
    if asked and tree.is_of_numbers:
        raise PolicyError(f"{asked[0]} cannot be asked of means, which do not tell how numbers spread: {BY_THE_PEOPLE}")
    for part in require.parts:
        if not (isinstance(part, OnPrivate) and part.beside_everybody):
            continue
        if tree.disclosure == "hit-miss":
            raise PolicyError(f"{part} needs the labels of everybody, which hit and miss do not tell: {BY_THE_PEOPLE}")
        if any(not float(count).is_integer() for leaf in tree.leaves for count in leaf.counts):
            raise PolicyError(f"{part} cannot be asked of counts with fractions of people: {BY_THE_PEOPLE}")
