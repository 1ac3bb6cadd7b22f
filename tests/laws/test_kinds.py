"""Laws of every kind of model: what is written is read back, and what is spoiled is refused."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import kspan as ks
from kspan.audit.models import judge_of
from kspan.audit.request import Judge
from kspan.errors import KspanError, ModelError
from kspan.model.documents import lines, parsed
from kspan.model.kind import Kind, is_model
from kspan.model.kinds import KINDS, given_model, opened
from kspan.model.predict import predictor
from kspan.model.tree.release import TreeRelease

EVERY_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
EVERY_EXAMPLE = pytest.mark.parametrize(
    ("kind", "model"),
    [
        pytest.param(kind, example(), id=f"{kind.name}: {example.__name__}")
        for kind in KINDS
        for example in (kind.example, *kind.further)
    ],
)
SPOILED: tuple[Any, ...] = (None, True, -1, 1e308, 0.5, "", "x" * 50, [], [[]], {}, {"x": 1}, [None, 1, "a"])


def read(kind: Kind, document: Any) -> Any:
    found = kind.read(document, "model.json")
    return found.tree if isinstance(found, TreeRelease) else found


def places(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every part of a document: what holds it, and its key or place there."""
    keys: Any = document if isinstance(document, dict) else range(len(document)) if isinstance(document, list) else ()
    for key in list(keys):
        yield document, key
        yield from places(document[key])


def test_kinds_have_names_and_formats_of_their_own() -> None:
    assert len({kind.name for kind in KINDS}) == len({kind.format for kind in KINDS}) == len(KINDS)
    assert all(kind.format.startswith("kspan/") for kind in KINDS)


@EVERY_EXAMPLE
def test_an_example_is_written_recognized_and_read_back(kind: Kind, model: Any, tmp_path: Path) -> None:
    assert isinstance(model, kind.type)
    written = lines(kind.write(model))
    assert read(kind, parsed(written, "model.json")) == model
    path = tmp_path / "model.json"
    path.write_text(written)
    assert is_model(path)
    found = given_model(path)
    assert found is not None
    assert (found.kind, found.model) == (kind, model)
    again = given_model(model)
    assert again is not None
    assert (again.kind, again.model) == (kind, model)
    ks.save_model(model, path)
    assert ks.load_model(path) == opened(path).model == model


@EVERY_EXAMPLE
def test_a_spoiled_document_is_refused_or_read_never_a_crash(kind: Kind, model: Any) -> None:
    whole = json.loads(json.dumps(kind.write(model)))
    refused = []
    for number, (_, key) in enumerate(places(whole)):
        for value in (*SPOILED, ...):
            spoiled = copy.deepcopy(whole)
            there, _ = list(places(spoiled))[number]
            if value is ...:
                del there[key]
            else:
                there[key] = value
            try:
                read(kind, spoiled)
            except ModelError as error:
                refused.append(str(error))
    assert len(refused) > 20
    assert all("model.json" in sentence for sentence in refused)


@EVERY_EXAMPLE
def test_a_document_of_another_format_or_version_is_refused(kind: Kind, model: Any) -> None:
    document = kind.write(model)
    for changed in ({"format": "kspan/other"}, {"version": 3}):
        with pytest.raises(ModelError, match=r"model\.json"):
            read(kind, {**document, **changed})


@EVERY_EXAMPLE
def test_an_example_predicts_shares_that_add_up_if_it_predicts(kind: Kind, model: Any) -> None:
    people = pl.DataFrame({"age": ["20", "60", None], "sex": ["F", "M", "F"]})
    try:
        model = predictor(model)
    except ModelError as error:
        assert "predicts no labels" in str(error)  # noqa: PT017
        return
    shares = model.of_people(people)
    assert shares.shape == (3, len(model.labels))
    assert shares.sum(axis=1) == pytest.approx(1)


@EVERY_KIND
def test_a_kind_has_a_judge_or_says_that_it_cannot_be_audited(kind: Kind) -> None:
    judge = judge_of(kind)
    assert judge is None or isinstance(judge, Judge)
    with pytest.raises(KspanError):  # nothing is required: there is neither a policy nor a claim
        ks.audit(kind.example())
