"""Models as strict JSON text."""

import json
from collections.abc import Mapping
from typing import Any, NoReturn

from kspan.data.garbage import uncollected
from kspan.errors import ModelError
from kspan.model.checks import Place
from kspan.model.tree.nodes import MOST_DEPTH


def lines(document: Mapping[str, Any]) -> str:
    """Write a document as JSON text, one line per top-level key."""
    return "{" + ",\n ".join(f"{_dumps(key)}: {_dumps(value)}" for key, value in document.items()) + "}\n"


@uncollected()
def parsed(text: str, source: str) -> Any:
    """Parse strict JSON text: NaN, and a key that occurs twice in an object, are refused."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    # First, since it is a ValueError, too. It holds the whole document, so it is not passed on.
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ModelError(f"{source} is not JSON ({place}): write or fetch it again") from None
    except RecursionError:
        raise ModelError(f"{source} is nested too deeply: a tree is at most {MOST_DEPTH:,} edges deep") from None
    except ValueError as error:
        raise ModelError(f"{source} is not strict JSON: {error}") from None


def check_format(top: Place, document: Any, wanted: str, version: int, what: str, *further: int) -> None:
    """Refuse a document of another format or version; `further` versions are read as well."""
    if not isinstance(document, dict):
        top.refuse("a JSON object is expected")
    if document.get("format") != wanted:
        top.refuse(f"its 'format' is not {wanted!r}, so this is no {what} that kspan wrote")
    # `True == 1`, so the type is compared as well.
    known = (version, *further)
    if type(document.get("version")) is not int or document["version"] not in known:
        said = f"version{'s' if further else ''} {' and '.join(map(str, known))}"
        top.refuse(f"this version reads {said} of the format and no other")


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
