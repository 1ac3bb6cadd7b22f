"""The options of kspan learn: how they are typed, and which method takes which."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from kspan.cli.options import check_word
from kspan.errors import FileError, PolicyError, check_number

FLAGS = {
    "score": ("--score",),
    "min_rows": ("--min-rows",),
    "confidence_factor": ("--confidence-factor",),
    "prune": ("--prune", "--no-prune"),
    "subtree_raising": ("--raising", "--no-raising"),
    "entropy": ("--entropy",),
    "division": ("--division",),
    "rng": ("--seed",),
    "likelihood": ("--likelihood",),
    "alpha": ("--alpha",),
    "numbers": ("--numbers",),
    "bins": ("--bins",),
    "var_smoothing": ("--var-smoothing",),
    "C": ("--C",),
    "missing_indicator": ("--missing-indicator", "--no-missing-indicator"),
    "max_iter": ("--max-iter",),
}
"""How options of methods are typed; those that are yes or no have a word for each."""


def typed(option: str) -> str:
    """How an option is typed."""
    return FLAGS.get(option, (option if option.startswith("-") else "--" + option.replace("_", "-"),))[0]


def check_options(method: str, options: Mapping[str, Any]) -> None:
    """Refuse what a method does not take, in the words of the command line and before the data is read."""
    from kspan.data.expected import LIKELIHOODS
    from kspan.induce.logistic import SHAPES as LINEAR_SHAPES
    from kspan.induce.methods import METHODS, options_of
    from kspan.induce.naive_bayes import SHAPES as BAYES_SHAPES
    from kspan.induce.spread import Division, Entropy
    from kspan.induce.worth import SCORES

    check_word("-m", method, [*METHODS, "clusters", "rules"])
    known = options_of(method)
    for name, value in options.items():
        if name not in known:
            typed = FLAGS[name][-1] if value is False else FLAGS[name][0]
            possible = ", ".join(flag for one in known for flag in FLAGS.get(one, ()))
            raise PolicyError(f"-m {method} does not take {typed}: leave it out, or use {possible}")
    if "score" in options:
        check_word("--score", options["score"], SCORES)
    if "entropy" in options:
        check_word("--entropy", options["entropy"], get_args(Entropy))
    if "division" in options:
        # Published marginals cannot be typed, so that division by them is for Python only.
        check_word("--division", options["division"], [word for word in get_args(Division) if word != "distribution"])
    if "likelihood" in options:
        check_word("--likelihood", options["likelihood"], LIKELIHOODS)
    if "numbers" in options:
        check_word("--numbers", options["numbers"], BAYES_SHAPES if method == "naive-bayes" else LINEAR_SHAPES)
    if "confidence_factor" in options:
        check_number("--confidence-factor", options["confidence_factor"], low=1e-4, high=0.5)


def check_outputs(output: Path, table: Path | None, method: str, disclose: str) -> None:
    """Refuse files that cannot be written, or must not be, before long work begins."""
    from kspan.frames.files import check_writable, is_table_name
    from kspan.frames.places import check_place
    from kspan.induce.methods import METHODS, PRIVATE_METHODS, TREE_METHODS

    if is_table_name(output):
        raise FileError(f"-o {output} has the name of a table, but a model is JSON: end it in .json")
    check_place(output)
    if disclose != "counts" and method not in TREE_METHODS:
        raise PolicyError(f"--disclose {disclose} is about the nodes of trees, and {method} grows none: leave it out")
    if table is None:
        return
    if method not in PRIVATE_METHODS:
        private = ", ".join(name for name in METHODS if name in PRIVATE_METHODS)
        raise PolicyError(f"--table needs a method that keeps the requirement, which {method} does not: use {private}")
    if disclose != "counts":
        raise PolicyError(
            f"--table tells the label of each person, which --disclose {disclose} holds back: leave out one of them"
        )
    check_writable(table)
