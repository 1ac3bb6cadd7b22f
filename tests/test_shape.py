"""How long functions may be and how much they may take, so that each can be read in one go."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "kspan"
MOST_LINES, MOST_PARAMETERS = 60, 8
FILES = [path for path in sorted(SOURCE.rglob("*.py")) if "kernels" not in path.parts]


def functions(path: Path) -> Iterator[tuple[ast.FunctionDef, str | None]]:
    """Every function of a file, with the class that it is in."""
    waiting: list[tuple[ast.AST, str | None]] = [(ast.parse(path.read_text()), None)]
    while waiting:
        node, inside = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef):
                yield child, inside
            waiting.append((child, child.name if isinstance(child, ast.ClassDef) else inside))


def declares_options(function: ast.FunctionDef) -> bool:
    """Are its keywords the options of a method, from which the command line is generated?"""
    return any(isinstance(one, ast.Name) and one.id == "takes_options" for one in function.decorator_list)


def parameters(function: ast.FunctionDef) -> int:
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return sum(one.arg not in ("self", "cls") for one in every)


def test_there_are_files_to_look_at() -> None:
    assert len(FILES) > 200


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_functions_are_short_and_take_little(path: Path) -> None:
    for function, inside in functions(path):
        assert function.end_lineno is not None
        assert function.end_lineno - function.lineno < MOST_LINES, function.name
        # scikit-learn asks estimators to name every parameter in their signature.
        is_estimator = inside is not None and function.name == "__init__" and path.parent.name == "estimators"
        if not is_estimator and not declares_options(function):
            assert parameters(function) <= MOST_PARAMETERS, function.name
