"""scikit-learn's tree beside ours: k people in each leaf, a column for each word, and as much pruning as serves it."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

FOLDS, ALPHAS = 5, 10
"""How many folds of the people learned from, and how many strengths of pruning, are compared."""
MISSING = "?"
"""What stands for a missing word; a missing number stays missing."""


@dataclass(frozen=True)
class ScikitTree:
    """A tree of scikit-learn, and how it is asked about people."""

    columns: "Columns"
    tree: Any

    @property
    def leaves(self) -> int:
        """How many leaves it has."""
        return int(self.tree.get_n_leaves())

    def predict(self, people: pl.DataFrame) -> pl.Series:
        """Return what it predicts of people."""
        return pl.Series(self.tree.predict(self.columns.of(people)))


class Columns:
    """People as scikit-learn takes them: numbers as they are, and a column of 0 and 1 for each word that is known."""

    def __init__(self, known: pl.DataFrame, attributes: list[str]) -> None:
        self.words = [name for name in attributes if not known[name].dtype.is_numeric()]
        self.numbers = [name for name in attributes if name not in self.words]
        self.encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.float32)
        if self.words:
            self.encoder.fit(self._words(known))

    def of(self, people: pl.DataFrame) -> NDArray[np.float32]:
        """Return the columns of people."""
        made = []
        if self.numbers:
            made.append(people.select(pl.col(self.numbers).cast(pl.Float32)).to_numpy())
        if self.words:
            made.append(self.encoder.transform(self._words(people)))
        return np.hstack(made)

    def _words(self, people: pl.DataFrame) -> NDArray[Any]:
        return people.select(pl.col(self.words).fill_null(MISSING)).to_numpy()


def grown(known: pl.DataFrame, attributes: list[str], target: str, k: int, seed: int) -> ScikitTree:
    """Grow a tree with k people in each leaf, and prune it as strongly as is best for people left out of it."""
    columns = Columns(known, attributes)
    people, truth = columns.of(known), known[target].to_numpy()
    is_number = known[target].dtype.is_numeric()
    kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
    folds = _folds(truth, is_number=is_number, seed=seed)

    def tree(alpha: float) -> Any:
        return kind(min_samples_leaf=k, ccp_alpha=alpha, random_state=seed)

    tried = _alphas(tree(0).cost_complexity_pruning_path(people, truth).ccp_alphas)
    reached = [cross_val_score(tree(alpha), people, truth, cv=folds).mean() for alpha in tried]
    return ScikitTree(columns, tree(tried[int(np.argmax(reached))]).fit(people, truth))


def _folds(truth: NDArray[Any], *, is_number: bool, seed: int) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the people to learn from and to be predicted in each fold; labels are spread evenly."""
    dealt = (KFold if is_number else StratifiedKFold)(FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)  # it is not in every fold
        return list(dealt.split(truth, truth))


def _alphas(path: NDArray[np.float64]) -> list[float]:
    """Return some strengths of pruning: none, and evenly many of those that change the tree between any two.

    >>> _alphas(np.arange(10.0))[:3]
    [0.0, 0.9, 1.8]
    """
    thinned = np.quantile(np.clip(path, 0, None), np.linspace(0, 1, ALPHAS, endpoint=False))
    return [float(one) for one in np.unique([0.0, *thinned])]
