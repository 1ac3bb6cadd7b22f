"""kspan: release a table or a model without pointing at anyone.

>>> import kspan as ks
>>> people = ks.datasets.mortgage()
>>> policy = ks.Policy(identifier=["Name"], public=["Gender", "Married", "Age", "Sports car"],
...                    private=["Loan risk"], target="Loan risk", require=ks.KAnonymity(3))
>>> ks.audit(people.drop("Name"), policy).k.people
1
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kspan.version import __version__ as __version__

if TYPE_CHECKING:
    from kspan import datasets as datasets
    from kspan.audit.audit import audit as audit
    from kspan.audit.findings import Audit as Audit
    from kspan.audit.together.judge import Beside as Beside
    from kspan.data.baskets import baskets as baskets
    from kspan.data.hierarchy import Hierarchy as Hierarchy
    from kspan.data.hierarchy import read_hierarchy as read_hierarchy
    from kspan.data.hierarchy import write_hierarchy as write_hierarchy
    from kspan.data.levels import Automatic as Automatic
    from kspan.data.levels import Dates as Dates
    from kspan.data.levels import Intervals as Intervals
    from kspan.data.levels import Ordered as Ordered
    from kspan.data.levels import Prefixes as Prefixes
    from kspan.errors import DataError as DataError
    from kspan.errors import DoesNotHold as DoesNotHold
    from kspan.errors import FileError as FileError
    from kspan.errors import HierarchyError as HierarchyError
    from kspan.errors import KspanError as KspanError
    from kspan.errors import LedgerError as LedgerError
    from kspan.errors import ModelError as ModelError
    from kspan.errors import PolicyError as PolicyError
    from kspan.errors import Unreachable as Unreachable
    from kspan.estimators.clusters import KAnonymousClusters as KAnonymousClusters
    from kspan.estimators.imputed import BoostedClassifier as BoostedClassifier
    from kspan.estimators.imputed import ImputedClassifier as ImputedClassifier
    from kspan.estimators.itemsets import KAnonymousItemsets as KAnonymousItemsets
    from kspan.estimators.released import ConjunctiveClassifier as ConjunctiveClassifier
    from kspan.estimators.released import LogisticClassifier as LogisticClassifier
    from kspan.estimators.released import NaiveBayesClassifier as NaiveBayesClassifier
    from kspan.estimators.released import PARTClassifier as PARTClassifier
    from kspan.estimators.released import ReleasedFeatures as ReleasedFeatures
    from kspan.estimators.rules import KAnonymousRules as KAnonymousRules
    from kspan.estimators.tables import Anonymizer as Anonymizer
    from kspan.estimators.trees import C45Classifier as C45Classifier
    from kspan.estimators.trees import ID3Classifier as ID3Classifier
    from kspan.estimators.trees import KADETClassifier as KADETClassifier
    from kspan.estimators.trees import KADETRegressor as KADETRegressor
    from kspan.evaluate.agreement import accuracy as accuracy
    from kspan.evaluate.agreement import class_match as class_match
    from kspan.evaluate.agreement import path_match as path_match
    from kspan.evaluate.comparison import Comparison as Comparison
    from kspan.evaluate.comparison import compare as compare
    from kspan.evaluate.held_out import HeldOut as HeldOut
    from kspan.evaluate.held_out import held_out as held_out
    from kspan.evaluate.ranks import friedman as friedman
    from kspan.evaluate.validation import five_by_two as five_by_two
    from kspan.frames.files import read_table as read_table
    from kspan.induce.clusters.learner import learn_clusters as learn_clusters
    from kspan.induce.itemsets.learner import MinedItemsets as MinedItemsets
    from kspan.induce.itemsets.learner import choose_itemsets as choose_itemsets
    from kspan.induce.itemsets.learner import mine_itemsets as mine_itemsets
    from kspan.induce.methods import learn as learn
    from kspan.induce.rules.learner import MinedRules as MinedRules
    from kspan.induce.rules.learner import choose_rules as choose_rules
    from kspan.induce.rules.learner import mine_rules as mine_rules
    from kspan.induce.vetoes import Veto as Veto
    from kspan.induce.vetoes import vetoes as vetoes
    from kspan.ledger.ledger import Ledger as Ledger
    from kspan.ledger.standing import standing as standing
    from kspan.measures import *  # noqa: F403
    from kspan.model.bayes.model import NaiveBayes as NaiveBayes
    from kspan.model.boosted.model import Boosted as Boosted
    from kspan.model.clusters.model import Clusters as Clusters
    from kspan.model.committee.model import Committee as Committee
    from kspan.model.distributions import Distributions as Distributions
    from kspan.model.distributions import load_distributions as load_distributions
    from kspan.model.itemsets.imported import imported_itemsets as imported_itemsets
    from kspan.model.itemsets.json import load_itemsets as load_itemsets
    from kspan.model.itemsets.model import Itemset as Itemset
    from kspan.model.itemsets.model import Itemsets as Itemsets
    from kspan.model.linear.model import Linear as Linear
    from kspan.model.lists.model import DecisionList as DecisionList
    from kspan.model.models import load_model as load_model
    from kspan.model.models import save_model as save_model
    from kspan.model.predict import predict as predict
    from kspan.model.rules.imported import imported_rules as imported_rules
    from kspan.model.rules.json import load_rules as load_rules
    from kspan.model.rules.model import Rule as Rule
    from kspan.model.rules.model import Rules as Rules
    from kspan.model.tree.equivalent import equivalent_table as equivalent_table
    from kspan.model.tree.json import load_tree as load_tree
    from kspan.model.tree.model import Tree as Tree
    from kspan.model.tree.paths import paths as paths
    from kspan.policy import Policy as Policy
    from kspan.privacy import *  # noqa: F403
    from kspan.publish import publish_itemsets as publish_itemsets
    from kspan.publish import publish_rules as publish_rules
    from kspan.publish import publish_table as publish_table
    from kspan.publish import publish_tree as publish_tree
    from kspan.report.making import report as report
    from kspan.report.page import Report as Report
    from kspan.share.merging import merge_trees as merge_trees
    from kspan.share.merging import pseudo_data as pseudo_data
    from kspan.share.publishing import SharedTree as SharedTree
    from kspan.share.publishing import prune_tree as prune_tree
    from kspan.share.publishing import share_tree as share_tree
    from kspan.tables.knowing import KnownMethod as KnownMethod
    from kspan.tables.knowing import knows_method as knows_method
    from kspan.tables.making import anonymize as anonymize
    from kspan.tables.recoding import KeptRecoding as KeptRecoding
    from kspan.tables.recoding import load_recoding as load_recoding
    from kspan.tables.release import TableRelease as TableRelease

_HOMES = {
    "kspan.audit": ("Audit", "audit"),
    "kspan.audit.together.judge": ("Beside",),
    "kspan.ledger.ledger": ("Ledger",),
    "kspan.ledger.standing": ("standing",),
    "kspan.data.baskets": ("baskets",),
    "kspan.data.hierarchy": ("Hierarchy", "read_hierarchy", "write_hierarchy"),
    "kspan.data.levels": ("Automatic", "Dates", "Intervals", "Ordered", "Prefixes"),
    "kspan.errors": (
        "DataError",
        "DoesNotHold",
        "FileError",
        "HierarchyError",
        "KspanError",
        "LedgerError",
        "ModelError",
        "PolicyError",
        "Unreachable",
    ),
    "kspan.estimators.rules": ("KAnonymousRules",),
    "kspan.estimators.itemsets": ("KAnonymousItemsets",),
    "kspan.estimators.clusters": ("KAnonymousClusters",),
    "kspan.estimators.imputed": ("BoostedClassifier", "ImputedClassifier"),
    "kspan.estimators.released": (
        "ConjunctiveClassifier",
        "LogisticClassifier",
        "NaiveBayesClassifier",
        "PARTClassifier",
        "ReleasedFeatures",
    ),
    "kspan.estimators.tables": ("Anonymizer",),
    "kspan.estimators.trees": ("C45Classifier", "ID3Classifier", "KADETClassifier", "KADETRegressor"),
    "kspan.evaluate.agreement": ("accuracy", "class_match", "path_match"),
    "kspan.evaluate.comparison": ("Comparison", "compare"),
    "kspan.evaluate.held_out": ("HeldOut", "held_out"),
    "kspan.evaluate.ranks": ("friedman",),
    "kspan.evaluate.validation": ("five_by_two",),
    "kspan.frames.files": ("read_table",),
    "kspan.measures": (
        "alpha_k_anonymity",
        "basic_beta_likeness",
        "classification_metric",
        "confidence_bound",
        "delta_disclosure",
        "enhanced_beta_likeness",
        "entropy_l_diversity",
        "k_anonymity",
        "l_diversity",
        "recursive_c_l_diversity",
        "simple_l_diversity",
        "t_closeness",
    ),
    "kspan.induce.itemsets.learner": ("MinedItemsets", "choose_itemsets", "mine_itemsets"),
    "kspan.induce.rules.learner": ("MinedRules", "choose_rules", "mine_rules"),
    "kspan.induce.clusters.learner": ("learn_clusters",),
    "kspan.induce.methods": ("learn",),
    "kspan.induce.vetoes": ("Veto", "vetoes"),
    "kspan.model.distributions": ("Distributions", "load_distributions"),
    "kspan.model.itemsets.imported": ("imported_itemsets",),
    "kspan.model.itemsets.model": ("Itemset", "Itemsets"),
    "kspan.model.itemsets.json": ("load_itemsets",),
    "kspan.model.rules.imported": ("imported_rules",),
    "kspan.model.rules.model": ("Rule", "Rules"),
    "kspan.model.rules.json": ("load_rules",),
    "kspan.model.bayes.model": ("NaiveBayes",),
    "kspan.model.boosted.model": ("Boosted",),
    "kspan.model.clusters.model": ("Clusters",),
    "kspan.model.committee.model": ("Committee",),
    "kspan.model.lists.model": ("DecisionList",),
    "kspan.model.tree.equivalent": ("equivalent_table",),
    "kspan.model.linear.model": ("Linear",),
    "kspan.model.models": ("load_model", "save_model"),
    "kspan.model.tree.paths": ("paths",),
    "kspan.model.predict": ("predict",),
    "kspan.model.tree.json": ("load_tree",),
    "kspan.model.tree.model": ("Tree",),
    "kspan.policy": ("Policy",),
    "kspan.publish": ("publish_itemsets", "publish_rules", "publish_table", "publish_tree"),
    "kspan.report.making": ("report",),
    "kspan.report.page": ("Report",),
    "kspan.share.merging": ("merge_trees", "pseudo_data"),
    "kspan.share.publishing": ("SharedTree", "prune_tree", "share_tree"),
    "kspan.tables.knowing": ("KnownMethod", "knows_method"),
    "kspan.tables.making": ("anonymize",),
    "kspan.tables.recoding": ("KeptRecoding", "load_recoding"),
    "kspan.tables.release": ("TableRelease",),
    "kspan.privacy": (
        "Alpha",
        "BasicBeta",
        "Confidence",
        "DeltaDisclosure",
        "DistinctL",
        "EnhancedBeta",
        "EntropyL",
        "KAnonymity",
        "PPercent",
        "Range",
        "RecursiveCL",
        "Requirement",
        "SimpleL",
        "TCloseness",
    ),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [*_HOME, "datasets"]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for, so that importing the package stays light."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name == "datasets":
        return import_module("kspan.datasets")
    raise AttributeError(f"module 'kspan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])


class _Package(ModuleType):
    """`kspan.audit` is the verb: importing the subpackage of that name must not put the module in its place."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
