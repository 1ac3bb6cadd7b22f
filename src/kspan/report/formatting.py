"""Names, shares and levels as they are written in sentences."""

from collections.abc import Sequence


def conjoined(names: Sequence[str]) -> str:
    """Join names as in a sentence.

    >>> conjoined(["age", "sex", "zip"])
    'age, sex and zip'
    """
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def visible(text: str) -> str:
    r"""Text from the data without characters that would move the cursor or color the terminal.

    >>> visible("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def level_text(level: float | list[float]) -> str:
    """Write the level that a measure reaches; some measures have a list of numbers.

    >>> level_text([1 / 3, float("inf")])
    '(0.3333, ∞)'
    """
    if isinstance(level, list):
        return "({})".format(", ".join(map(level_text, level)))
    return "∞" if level == float("inf") else f"{level:.4g}"


def percent(share: float) -> str:
    """Write a share as a percentage.

    >>> percent(0.5), percent(0.0012), percent(0.00001), percent(0)
    ('50%', '0.1%', '< 0.1%', '0%')
    """
    # Rounding would make it 0%, which means that there is none.
    if 0 < share < 0.0005:
        return "< 0.1%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"


def estimated_by(model: str) -> str:
    """Name the model of an estimate.

    >>> estimated_by("Pitman"), estimated_by("SNB")
    ("Pitman's model", 'the slide negative binomial model')
    """
    return "the slide negative binomial model" if model == "SNB" else f"{model}'s model"


def chance(share: float) -> str:
    """Write a risk as a chance of 1 in so many.

    >>> chance(0.1), chance(0.031), chance(1)
    ('1 in 10', '1 in 32', 'certain')
    """
    return "certain" if share >= 1 else "none" if share <= 0 else f"1 in {round(1 / share):,}"
