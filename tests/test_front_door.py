"""One front door: every public verb takes any dataframe, any path and any form of policy, and answers alike."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kspan as ks

PUBLIC = ["Gender", "Married", "Age", "Sports car"]
PEOPLE = pl.concat([ks.datasets.mortgage().drop("Name")] * 3)
SAYS: dict[str, Any] = {"public": PUBLIC, "target": "Loan risk", "require": {"k": 3}}
POLICY = ks.Policy(**SAYS)
BASKETS = pl.DataFrame({"a": [1, 1, 1, 0, 1, 0] * 4, "b": [1, 1, 0, 0, 1, 1] * 4, "c": [1, 0, 1, 0, 1, 0] * 4})
ITEMS: dict[str, Any] = {"public": ["a", "b"], "private": ["c"], "require": {"k": 2}}
TREE = ks.learn(PEOPLE, POLICY)
ITEMSETS = ks.mine_itemsets(BASKETS, ks.Policy(**ITEMS), min_support=0.1).itemsets
RULES = ks.mine_rules(BASKETS, ks.Policy(**ITEMS), min_support=0.1).rules

FRAMES: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "polars": lambda frame, folder: frame,
    "lazy": lambda frame, folder: frame.lazy(),
    "pandas": lambda frame, folder: frame.to_pandas(),
    "pyarrow": lambda frame, folder: frame.to_arrow(),
    "path": lambda frame, folder: _written(frame, folder / "people.parquet"),
    "text": lambda frame, folder: str(_written(frame, folder / "people.csv")),
}
POLICIES: dict[str, Callable[[dict[str, Any], Path], Any]] = {
    "policy": lambda says, folder: ks.Policy(**says),
    "path": lambda says, folder: _saved(says, folder),
    "text": lambda says, folder: str(_saved(says, folder)),
    "mapping": lambda says, folder: says,
}
MODELS: dict[str, Callable[[Any, Path], Any]] = {
    "model": lambda model, folder: model,
    "path": lambda model, folder: _kept(model, folder / "model.json"),
    "text": lambda model, folder: str(_kept(model, folder / "model.json")),
}

PAIRS = [*((frame, "policy") for frame in FRAMES), *(("pandas", policy) for policy in POLICIES if policy != "policy")]


def _written(frame: pl.DataFrame, path: Path) -> Path:
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)
    return path


def _saved(says: dict[str, Any], folder: Path) -> Path:
    ks.Policy(**says).save(folder / "policy.toml")
    return folder / "policy.toml"


def _kept(model: Any, path: Path) -> Path:
    ks.save_model(model, path)
    return path


def plain(found: Any) -> Any:
    """An answer without what differs because files, frames and moments do."""
    if isinstance(found, pl.DataFrame | pd.DataFrame | pa.Table):
        return pl.DataFrame(found).cast(pl.String).rows()
    if isinstance(found, ks.Audit):
        return found.as_dict()
    if isinstance(found, ks.TableRelease):
        return plain(found.table)
    return str(found)


def always(known: pl.DataFrame, asked: pl.DataFrame) -> list[str]:
    return ["Good"] * asked.height


OF_PEOPLE: dict[str, Callable[[Any, Any, Path], Any]] = {
    "audit": lambda people, policy, out: ks.audit(people, policy),
    "audit of people": lambda people, policy, out: ks.audit(people, people, policy),
    "audit of a tree": lambda people, policy, out: ks.audit(TREE, people, policy),
    "population": lambda people, policy, out: ks.audit(PEOPLE, policy, population=people),
    "learn": lambda people, policy, out: ks.learn(people, policy),
    "vetoes": lambda people, policy, out: ks.vetoes(people, policy),
    "learn clusters": lambda people, policy, out: ks.learn(people, policy, "clusters"),
    "learn_clusters": lambda people, policy, out: ks.learn_clusters(people, policy),
    "anonymize": lambda people, policy, out: ks.anonymize(people, policy, "mondrian", secret="1" * 32),
    "share_tree": lambda people, policy, out: ks.share_tree(people, policy),
    "prune_tree": lambda people, policy, out: ks.prune_tree(TREE, people=people, policy=policy),
    "publish_tree": lambda people, policy, out: ks.publish_tree(TREE, people, policy, out / "out.json"),
    "publish_table": lambda people, policy, out: ks.publish_table(
        ks.anonymize(people, policy, "mondrian", secret="1" * 32).table, policy, out / "out.csv", people=people
    ),
    "equivalent_table": lambda people, policy, out: ks.equivalent_table(TREE, people, policy),
    "compare": lambda people, policy, out: ks.compare(people, {"x": people}, people, policy, ["id3"]).table.drop(
        "seconds"
    ),
    "held_out": lambda people, policy, out: ks.held_out(people, policy),
    "five_by_two": lambda people, policy, out: ks.five_by_two(people, policy, {"always": always}).accuracy,
    "report": lambda people, policy, out: ks.report(people, policy).story.holds,
    "report of a tree": lambda people, policy, out: ks.report(TREE, people, policy).story.holds,
    "predict": lambda people, policy, out: ks.predict(TREE, people),
    "standing": lambda people, policy, out: ks.standing(people, policy).withheld,
    "class_match": lambda people, policy, out: ks.class_match(TREE, TREE, people),
    "k_anonymity": lambda people, policy, out: ks.k_anonymity(people, PUBLIC),
    "t_closeness": lambda people, policy, out: ks.t_closeness(people, PUBLIC, "Loan risk"),
}
OF_BASKETS: dict[str, Callable[[Any, Any, Path], Any]] = {
    "mine_rules": lambda people, policy, out: ks.mine_rules(people, policy, min_support=0.1).rules,
    "learn": lambda people, policy, out: ks.learn(people, policy, "rules", min_support=0.1).rules,
    "choose_rules": lambda people, policy, out: ks.choose_rules(RULES, people, policy).rules,
    "publish_rules": lambda people, policy, out: ks.publish_rules(RULES, people, policy, out / "out.json"),
    "audit": lambda people, policy, out: ks.audit(RULES, people, policy),
    "mine_itemsets": lambda people, policy, out: ks.mine_itemsets(people, policy, min_support=0.1).itemsets,
    "choose_itemsets": lambda people, policy, out: ks.choose_itemsets(ITEMSETS, people, policy).itemsets,
    "publish_itemsets": lambda people, policy, out: ks.publish_itemsets(ITEMSETS, people, policy, out / "out.json"),
    "audit of itemsets": lambda people, policy, out: ks.audit(ITEMSETS, people, policy),
}
OF_MODELS: dict[str, Callable[[Any, Path], Any]] = {
    "audit": lambda model, out: ks.audit(model, PEOPLE, POLICY),
    "audit alone": lambda model, out: ks.audit(model, require="k=1"),
    "audit beside": lambda model, out: ks.audit(TREE, PEOPLE, POLICY, beside=[ks.Beside(model, name="it")]),
    "predict": lambda model, out: ks.predict(model, PEOPLE),
    "prune_tree": lambda model, out: ks.prune_tree(model, "k=4").tree,
    "publish_tree": lambda model, out: ks.publish_tree(model, PEOPLE, POLICY, out / "out.json"),
    "equivalent_table": lambda model, out: ks.equivalent_table(model, PEOPLE, POLICY),
    "class_match": lambda model, out: ks.class_match(model, TREE, PEOPLE),
    "path_match": lambda model, out: ks.path_match(model, TREE),
    "merge_trees": lambda model, out: ks.merge_trees([model], "bagging"),
    "report": lambda model, out: ks.report(model, PEOPLE, POLICY).story.holds,
}


@pytest.mark.parametrize(("frame", "policy"), PAIRS)
@pytest.mark.parametrize("verb", OF_PEOPLE)
def test_people_in_any_form(verb: str, frame: str, policy: str, tmp_path: Path) -> None:
    call, (given, there) = OF_PEOPLE[verb], (tmp_path / "given", tmp_path / "there")
    given.mkdir()
    there.mkdir()
    found = call(FRAMES[frame](PEOPLE, given), POLICIES[policy](SAYS, given), there)
    assert plain(found) == plain(call(PEOPLE, POLICY, there))


@pytest.mark.parametrize(("frame", "policy"), PAIRS)
@pytest.mark.parametrize("verb", OF_BASKETS)
def test_transactions_in_any_form(verb: str, frame: str, policy: str, tmp_path: Path) -> None:
    call = OF_BASKETS[verb]
    found = call(FRAMES[frame](BASKETS, tmp_path), POLICIES[policy](ITEMS, tmp_path), tmp_path)
    assert plain(found) == plain(call(BASKETS, ks.Policy(**ITEMS), tmp_path))


@pytest.mark.parametrize("form", MODELS)
@pytest.mark.parametrize("verb", OF_MODELS)
def test_models_in_any_form(verb: str, form: str, tmp_path: Path) -> None:
    call = OF_MODELS[verb]
    assert plain(call(MODELS[form](TREE, tmp_path), tmp_path)) == plain(call(TREE, tmp_path))


@pytest.mark.parametrize("given", [3, ["a"], PEOPLE], ids=lambda given: type(given).__name__)
def test_what_is_no_policy_is_refused(given: Any) -> None:
    with pytest.raises(ks.PolicyError, match="is no policy: give a"):
        ks.learn(PEOPLE, given)


def test_every_verb_is_here() -> None:
    verbs = {name for name in ks.__all__ if name[0].islower()}
    tried = {word.split()[0] for word in (*OF_PEOPLE, *OF_BASKETS, *OF_MODELS)}
    measures = {name for name in verbs if name.endswith(("anonymity", "diversity", "closeness", "likeness", "bound"))}
    measures |= {"delta_disclosure", "classification_metric"}  # all go through the door of k_anonymity
    others = {
        *("accuracy", "friedman"),  # of labels and ranks
        *(
            "load_distributions",
            "load_itemsets",
            "load_model",
            "load_recoding",
            "load_rules",
            "load_tree",
            "read_hierarchy",
            "read_table",
            "save_model",
            "write_hierarchy",
        ),
        "knows_method",  # of a release, which has its people
        *("baskets", "datasets", "imported_itemsets", "imported_rules", "paths", "pseudo_data"),
    }
    assert verbs - tried - measures - others == set()
