"""Drawings as SVG, for places where no script runs."""

from typing import Any

import vl_convert

STAND_IN = "□"


def svg_of(spec: Any) -> str:
    """Render a Vega specification as SVG.

    Vega cuts long text anywhere, even inside a character of two UTF-16 units, such as an emoji. Half of one is not
    valid text, so such characters are replaced first.
    """
    return str(vl_convert.vega_to_svg(_one_unit(spec)))


def _one_unit(value: Any) -> Any:
    if isinstance(value, str):
        return value if value.isascii() else "".join(char if ord(char) <= 0xFFFF else STAND_IN for char in value)
    if isinstance(value, dict):
        return {_one_unit(key): _one_unit(inner) for key, inner in value.items()}
    return [_one_unit(inner) for inner in value] if isinstance(value, list | tuple) else value
