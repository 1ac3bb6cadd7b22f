"""Write TOML as a person would lay out a policy (Python itself only reads TOML)."""

import json
import re
from collections.abc import Mapping
from datetime import date, time
from typing import Any


def write_toml(document: Mapping[str, Any]) -> str:
    """Write a document as TOML: plain keys first, then the tables; what is empty is left out.

    >>> print(write_toml({"public": ["age"], "target": None, "require": {"k": 10, "income": {"distinct_l": 2}}}))
    public = ["age"]
    <BLANKLINE>
    [require]
    k = 10
    <BLANKLINE>
    [require.income]
    distinct_l = 2
    <BLANKLINE>
    """
    return "\n".join(_lines(document, ())) + "\n"


def _lines(table: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    given = {key: value for key, value in table.items() if value not in (None, (), []) and (value != {} or path)}
    # Recipes of hierarchies and of ages read best on one line, and how numbers are shown; other tables get a heading.
    inline = {key for key, value in given.items() if not isinstance(value, Mapping) or _is_short(value, path)}
    lines = [f"{write_key(key)} = {write_value(given[key])}" for key in given if key in inline]
    if lines and path:
        lines.insert(0, f"[{'.'.join(map(write_key, path))}]")
    for key in given:
        if key not in inline:
            inner = _lines(given[key], (*path, key))
            lines += ["", *inner] if lines and inner else inner
    return lines


def _is_short(table: Mapping[str, Any], path: tuple[str, ...]) -> bool:
    return path == ("private",) or bool({"build", "born"} & set(table))


def write_key(key: str) -> str:
    """Write a key, in quotes if it needs them."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else write_value(key)


def write_value(value: Any) -> str:
    """Write a value on one line."""
    if isinstance(value, Mapping):
        return (
            "{}"
            if not value
            else "{ " + ", ".join(f"{write_key(key)} = {write_value(inner)}" for key, inner in value.items()) + " }"
        )
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write_value, value))}]"
    if isinstance(value, str):
        # A JSON string is a TOML string as well, but for the one control character that only TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)  # TOML spells inf and nan as Python does
    return json.dumps(value)
