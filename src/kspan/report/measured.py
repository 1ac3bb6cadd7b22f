"""What a curve of costs measures, in words: how often labels are right, or how far numbers are off."""

from kspan.evaluate.cost import CostCurve, CostPoint
from kspan.evaluate.errors import Ruler, share_explained
from kspan.report.formatting import percent


def measured_title(curve: CostCurve) -> str:
    """Name what is measured of people who were kept aside."""
    if not curve.of_numbers:
        return "right for new people"
    return f"{_ruler(curve).unit} off for new people".strip()


def measured_at(point: CostPoint, curve: CostCurve) -> str:
    """Write what was measured at a point; nothing if nothing was."""
    if point.mean_absolute_error is None:
        return "" if point.accuracy is None else percent(point.accuracy)
    explained = "" if point.explained is None else f" ({share_explained(point.explained)} explained)"
    return _ruler(curve).figure(point.mean_absolute_error) + explained


def _ruler(curve: CostCurve) -> Ruler:
    """Return how all errors of a curve are written."""
    every = [curve.guessing_error, *(point.mean_absolute_error for point in curve.points)]
    return Ruler.of(curve.unit, *(error for error in every if error is not None))
