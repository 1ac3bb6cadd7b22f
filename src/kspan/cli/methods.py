"""Commands that take the options of methods, as these declare them; they are looked up when a command is run."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, TypeVar, get_type_hints

import typer
from typer.core import TyperCommand

from kspan.cli.options import check_word
from kspan.errors import PolicyError
from kspan.options import Option

T = TypeVar("T")
Methods = Mapping[str, Mapping[str, Option]]
"""The options of each method."""

GIVEN = "kspan: options of methods"
PREFIX = "of_method_"
"""Put before the names of options of methods, since the command may have options with the same names."""
LARGEST_WRITTEN_OUT = 1e9


class MethodCommand(TyperCommand, ABC):
    """A command with the options of all its methods."""

    @abstractmethod
    def methods(self) -> Methods:
        """Return the methods with the options of each."""

    @abstractmethod
    def about_methods(self) -> str:
        """Return the help text of -m."""

    @cached_property
    def of_methods(self) -> list[Any]:
        """The options of methods; those that several have come first."""
        own = {flag for param in self.params for flag in (*param.opts, *param.secondary_opts)}
        found = by_name(self.methods())
        for name, takers in found.items():
            # One flag serves all methods, so it must mean the same kind of thing to each.
            if len({(option.flags, option.kind) for option in takers.values()}) > 1:
                raise TypeError(f"{name} is not the same kind of option for {joined(takers)}: call it otherwise")
            if taken := own.intersection(*(option.flags for option in takers.values())):
                raise TypeError(f"{joined(taken)} of {joined(takers)} is an option of {self.name}: call it otherwise")
        # The sort is stable, so that both parts keep their order.
        ordered = sorted(found.values(), key=lambda takers: len(takers) == 1)
        return _parameters(_parameter(takers) for takers in ordered)

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters of the command, and those of its methods."""
        for param in self.params:
            if isinstance(param, typer.core.TyperOption) and param.name == "method":
                # Set only now, since asking earlier would load all methods whenever the program starts.
                param.help = self.about_methods()
        return [*super().get_params(ctx), *self.of_methods]

    def invoke(self, ctx: Any) -> Any:
        """Run the command; options of methods are set aside for `command_of` to find."""
        given = {param.name.removeprefix(PREFIX): ctx.params.pop(param.name) for param in self.of_methods}
        ctx.meta[GIVEN] = {name: value for name, value in given.items() if value is not None}
        return super().invoke(ctx)


def command_of(record: Callable[..., T], run: Callable[[T], int]) -> Callable[..., int]:
    """Return the function that typer makes a command of: it takes the fields of a record, and runs `run` with it.

    If the record has a field `options`, that gets the options of methods that were typed (see `MethodCommand`).
    """
    fields = [one for one in signature(record).parameters.values() if one.name != "options"]
    of_methods = len(fields) < len(signature(record).parameters)

    def command(context: typer.Context, **given: Any) -> int:
        return run(record(**given, options=context.meta[GIVEN]) if of_methods else record(**given))

    begin = Parameter("context", Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    return _signed(command, [begin, *fields], get_type_hints(record, include_extras=True), run)


def check_given(method: str, given: Mapping[str, Any], methods: Methods, kinds: Mapping[str, Any]) -> None:
    """Refuse options that a method does not take, by their flags; `kinds` says what kind of model each method gives."""
    check_word("-m", method, methods)
    own = methods[method]
    for name, value in given.items():
        if name in own and own[name].flags:
            own[name].check_typed(value)
            continue
        takers = by_name(methods)[name]
        possible = [each for option in own.values() for each in option.flags]
        if kinds.get(method) not in [kinds.get(taker) for taker in takers]:
            able = f"leave it out, or use -m {joined(takers, 'or')}"
        else:
            able = f"leave it out, or use {', '.join(possible)}" if possible else "it has no options, leave it out"
        raise PolicyError(f"-m {method} does not take {flag_of(name, value, methods)}: {able}")


def flag_of(name: str, value: Any, methods: Methods) -> str:
    """Return the flag by which an option of some method was typed."""
    return next(iter(by_name(methods)[name].values())).flag(value)


def by_name(methods: Methods) -> dict[str, dict[str, Option]]:
    """Return the options that can be typed, by name and by the method that takes them."""
    found: dict[str, dict[str, Option]] = {}
    for method, options in methods.items():
        for option in options.values():
            if option.flags:
                found.setdefault(option.name, {})[method] = option
    return found


def help_of(takers: Mapping[str, Option]) -> str:
    """Return the help text of an option; if several methods take it, the text says what it means to which of them.

    >>> from kspan.options import Option
    >>> first = Option("rows", ("--rows",), int, (), (), 1, "People of a branch.", least=1)
    >>> help_of({"a": first})
    'People of a branch. At least 1; 1 by default.'
    >>> help_of({"a": first, "b": first, "c": Option("rows", ("--rows",), int, (), (), 2, "People of a branch.")})
    'People of a branch. Of a and b: at least 1; 1 by default. Of c: 2 by default.'
    """
    said: dict[str, dict[str, list[str]]] = {}
    for method, option in takers.items():
        said.setdefault(option.help, {}).setdefault(_facts(option), []).append(method)
    sentences = []
    for sentence, groups in said.items():
        sentences.append(sentence)
        for facts, methods in groups.items():
            if len(takers) > 1:
                sentences.append(f"Of {joined(methods)}{': ' * bool(facts)}{facts}.")
            elif facts:
                words = next(iter(takers.values())).typed_words
                sentences.append(f"Use {facts}." if words else f"{facts[0].upper()}{facts[1:]}.")
    return " ".join(sentences)


def joined(words: Iterable[str], last: str = "and") -> str:
    """Join words as in a sentence.

    >>> joined("abc"), joined("ab", "or"), joined("a")
    ('a, b and c', 'a or b', 'a')
    """
    *others, final = words
    return f"{', '.join(others)} {last} {final}" if others else final


def _facts(option: Option) -> str:
    """Say which values an option can have, and which one is the default."""
    if option.typed_words:
        words = (f"{word} (default)" if word == option.default else word for word in option.typed_words)
        return joined(words, "or")
    if option.kind is bool:
        return "on by default" if option.default else ""
    least, most, default = (_number(value) for value in (option.least, option.most, option.default))
    bounds = f"from {least} to {most}" if least and most else f"at least {least}" if least else ""
    return "; ".join(part for part in (bounds, f"{default} by default" if default else "") if part)


def _number(value: float | None) -> str:
    """Write a number for people to read; empty if it is None or infinite."""
    if value is None or value in (float("inf"), -float("inf")):
        return ""
    return f"{value:,.0f}" if value == int(value) and value <= LARGEST_WRITTEN_OUT else f"{value:g}"


def _parameter(takers: Mapping[str, Option]) -> Parameter:
    """Return an option of methods as a parameter of a function; it is None unless it is typed."""
    option = next(iter(takers.values()))
    panel = f"Options of {next(iter(takers)) if len(takers) == 1 else 'several methods'}"
    told = typer.Option("/".join(option.flags), help=help_of(takers), rich_help_panel=panel)
    kind = Annotated[option.kind | None, told]  # type: ignore[name-defined]
    return Parameter(f"{PREFIX}{option.name}", Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def _parameters(made: Iterable[Parameter]) -> list[Any]:
    """Return what typer makes of the parameters of a function."""

    def nothing() -> None:
        """Takes them."""

    parameters = list(made)
    app = typer.Typer(add_completion=False)
    app.command()(_signed(nothing, parameters, {one.name: one.annotation for one in parameters}, nothing))
    return list(typer.main.get_command(app).params)


def _signed(
    function: Callable[..., Any], parameters: list[Parameter], kinds: dict[str, Any], told: Callable[..., Any]
) -> Callable[..., Any]:
    """Give a function other parameters, and the name and docstring of the function `told`, for typer to read."""
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {"context": typer.Context, **kinds}
    function.__name__, function.__doc__ = told.__name__, told.__doc__
    return function
