"""How often a model is right, and how much two models agree (Tian, Zhang, Xu, Sharkey, Sect. 7.1)."""

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from kspan.data.alike import look
from kspan.data.arrays import Int64s
from kspan.data.cells import number, number_text
from kspan.data.domain import Domain
from kspan.data.encode import encode_column
from kspan.data.kinds.words import WORDS
from kspan.data.schema import Schema
from kspan.errors import DataError
from kspan.frames.files import load
from kspan.model.kinds import given_model, model_of
from kspan.model.predict import predicted, predictor
from kspan.model.tree.kind import TREE
from kspan.model.tree.model import Region, Tree

Interval: TypeAlias = tuple[float | None, float | None]
Path: TypeAlias = tuple[frozenset[tuple[str, Region]], str | None]
"""What a path from the root to a leaf admits of each attribute that it asks, and the label that it predicts."""


def accuracy(labels: Any, truth: Any, weights: Int64s | None = None) -> float:
    """Return the share of people whose label is predicted right; a weight says how many people a row stands for.

    >>> accuracy(["yes", "no", "no"], ["yes", "no", "yes"]), accuracy(["yes", "no"], ["yes", "yes"], np.array([3, 1]))
    (0.6666666666666666, 0.75)
    """
    ours, theirs = text_labels(labels), text_labels(truth)
    if len(ours) != len(theirs):
        raise DataError(f"there are {len(ours)} labels beside {len(theirs)}: give both for the same rows")
    if len(ours) == 0:
        raise DataError("there are no labels to compare: give those of at least one row")
    # Two labels that are both missing are the same.
    same = ours.eq_missing(theirs).to_numpy()
    return float(same.mean() if weights is None else weights[same].sum() / weights.sum())


def share_right(predicted: pl.Series, truth: pl.Series, labels: Sequence[str]) -> float:
    """Return the share of people predicted right, where a table may spell the labels of a model in another way.

    >>> share_right(pl.Series(["1", "2"]), pl.Series(["1.0", "1.0"]), ["1", "2"])
    0.5
    """
    same = predicted == meant_labels(truth, labels)
    return float(same.fill_null(False).sum() / len(predicted))


def meant_labels(truth: pl.Series, labels: Sequence[str]) -> pl.Series:
    """Return the labels of a table as a model spells them.

    A label is one of the model's if it looks like it, or is the same number.

    >>> meant_labels(pl.Series(["1.0", "a  b", None, "c"]), ["1", "a b"]).to_list()
    ['1', 'a b', None, 'c']
    """
    spelled = text_labels(truth)
    known = {look(label): label for label in labels}
    meant: dict[str | None, str | None] = {}
    for text in spelled.unique().to_list():
        figure = None if text is None else number(text)
        plain = text if figure is None else number_text(figure)
        meant[text] = None if text is None else known.get(look(text), known.get(look(str(plain)), text))
    return spelled.replace_strict(list(meant), list(meant.values()), return_dtype=pl.String)


def class_match(first: Any, second: Any, people: Any = None) -> float:
    """Return the share of people to whom two models give the same label (Tian et al., Sect. 7.1, "class match").

    Models of kspan are asked about `people` (a dataframe or the path of a file); labels may be given in their place.

    >>> class_match(["yes", "no", "no", "no"], ["yes", "no", "yes", "no"])
    0.75
    """
    frame = None if people is None else load(people)
    return accuracy(_labels(first, frame), _labels(second, frame))


def path_match(first: Any, second: Any) -> float:
    """Return the share of all paths of two trees that both trees have (Tian et al., Sect. 7.1, "path match").

    Two paths are the same if they admit the same values of each attribute, in whatever order they ask (their
    Definition 7), and end in the same label. How many people took them does not matter.

    >>> from kspan.induce.methods import learn
    >>> from kspan.policy import Policy
    >>> people = pl.DataFrame({"sex": ["F", "F", "M", "M"], "age": [20, 60, 20, 60], "ill": ["no", "no", "no", "yes"]})
    >>> first, second = (learn(people, Policy(public=names, target="ill", require="k=1"), "id3")
    ...                  for names in (["sex", "age"], ["age", "sex"]))
    >>> str(first).splitlines()
    ['sex = F: no (no: 2)', 'sex = M', '|  age <= 40: no (no: 1)', '|  age > 40: yes (yes: 1)']
    >>> path_match(first, first), path_match(first, second)
    (1.0, 0.2)
    """
    ours, theirs = (set(paths_of(model_of(tree, TREE))) for tree in (first, second))
    return len(ours & theirs) / len(ours | theirs)


def paths_of(tree: Tree) -> Iterator[Path]:
    """Yield the paths of a tree, with the label that it predicts for whoever takes them."""
    tree.check_labels("comparing paths")
    waiting: list[tuple[Any, dict[str, Region], int | None]] = [(tree.root, {}, None)]
    while waiting:
        node, admitted, label = waiting.pop()
        # Where nobody came, the last node to which people came answers.
        predicted = tree.label_of(node.outcome)
        label = label if predicted is None else predicted
        if node.attribute is None:
            plain = ((name, _without_idle_missing(region)) for name, region in admitted.items())
            yield frozenset(plain), None if label is None else tree.labels[label]
            continue
        name = tree.attributes[node.attribute].name
        for edge in node.edges:
            region = _both(admitted[name], edge.region) if name in admitted else edge.region
            waiting.append((edge.node, {**admitted, name: region}, label))


def text_labels(given: Any) -> pl.Series:
    """Return labels as text, with numbers as a person writes them, so that 1 and 1.0 are the same label."""
    series = given if isinstance(given, pl.Series) else pl.Series(np.asarray(given).tolist(), strict=False)
    if series.dtype == pl.String or series.is_empty():
        return series.cast(pl.String)
    column = encode_column(series.alias("labels"), Schema(public=["labels"], domains={"labels": Domain(WORDS)}))
    names: list[str | None] = [column.label(code) for code in range(column.size)]
    if column.missing is not None:
        names[column.missing] = None
    return pl.Series(names, dtype=pl.String)[column.codes]


def _labels(model: Any, people: pl.DataFrame | None) -> Any:
    given = given_model(model)
    if given is None or not given.is_ours:
        return model
    if people is None:
        raise DataError("a model predicts nothing without people: give a table of them, too")
    asked = predictor(given.model)
    return predicted(asked, people)[f"predicted: {asked.target}"]


def _both(outer: Region, inner: Region) -> Region:
    """What two regions of one attribute both admit."""
    met = [_overlap(one, other) for one in outer.intervals for other in inner.intervals]
    intervals = sorted((one for one in met if one is not None), key=_place)
    return Region(outer.values & inner.values, tuple(intervals), outer.missing and inner.missing)


def _overlap(one: Interval, other: Interval) -> Interval | None:
    low, high = _only(max, one[0], other[0]), _only(min, one[1], other[1])
    # Intervals do not hold their lower end, so one with equal ends is empty.
    return None if low is not None and high is not None and low >= high else (low, high)


def _only(pick: Any, *bounds: float | None) -> float | None:
    """Return the tighter of two bounds; `pick` is max or min, and None means no bound."""
    known: Sequence[float] = [bound for bound in bounds if bound is not None]
    return float(pick(known)) if known else None


def _place(interval: Interval) -> float:
    return -np.inf if interval[0] is None else interval[0]


def _without_idle_missing(region: Region) -> Region:
    """Return a region without its missing value if it admits other values, too.

    A missing value that only goes along with others, as in C4.5, is no condition.
    """
    intervals = tuple(sorted(region.intervals, key=_place))
    return Region(region.values, intervals, region.missing and not region.values and not intervals)
