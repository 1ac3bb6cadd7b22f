"""What every group must satisfy: one family of requirements per file, all functions of group counts alone."""

from kspan.privacy.k_anonymity import KAnonymity
from kspan.privacy.l_diversity import Alpha, Confidence, DistinctL, EntropyL, RecursiveCL, SimpleL
from kspan.privacy.likeness import BasicBeta, DeltaDisclosure, EnhancedBeta
from kspan.privacy.numbers import PPercent, Range
from kspan.privacy.requirement import REQUIREMENTS, OnPrivate, Requirement
from kspan.privacy.t_closeness import TCloseness

__all__ = [
    "REQUIREMENTS",
    "Alpha",
    "BasicBeta",
    "Confidence",
    "DeltaDisclosure",
    "DistinctL",
    "EnhancedBeta",
    "EntropyL",
    "KAnonymity",
    "OnPrivate",
    "PPercent",
    "Range",
    "RecursiveCL",
    "Requirement",
    "SimpleL",
    "TCloseness",
]
