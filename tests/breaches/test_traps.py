"""Traps on the way from a table to its k: each has made some tool count people together who can be told apart."""

import datetime as dt
import gzip
import io
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kspan as ks
from kspan.cli.main import main

LIBRARIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": lambda columns: pl.DataFrame(columns, strict=False),
    "pyarrow": pa.table,
}
NAN = float("nan")

in_every_library = pytest.mark.parametrize("frame", LIBRARIES.values(), ids=LIBRARIES)


def audit_of(public: Any, private: Any = None, **says: Any) -> ks.Audit:
    """The audit of a public column `q` and a private column `p`."""
    column = pl.Series("q", public, strict=False) if isinstance(public, list) else public
    hidden = private if private is not None else ["same"] * len(column)
    return ks.audit(pl.DataFrame({"q": column, "p": hidden}), policy(**says))


def policy(**says: Any) -> ks.Policy:
    return ks.Policy(**{"public": ["q"], "private": ["p"], "require": "k=2", **says})


def strictly(text: str) -> Any:
    """What a JSON text says, if it is JSON: NaN and Infinity are not."""

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


Run = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Audit a file at the command line: the exit code and what --json prints."""

    def audited(
        people: str | bytes, policy: str, *options: str, name: str = "people.csv"
    ) -> tuple[int, dict[str, Any]]:
        (folder / name).write_bytes(people.encode() if isinstance(people, str) else people)
        (folder / "policy.toml").write_text(policy, encoding="utf-8")
        code = main(["audit", name, "-p", "policy.toml", "--json", *options])
        out, err = capsys.readouterr()
        assert code in (0, 1), err
        return code, strictly(out)

    return audited


ONE_EACH = 'public = ["q"]\nprivate = ["p"]\n[require]\nk = 2\n'

# --- missing values ---------------------------------------------------------------------------------------------------


@in_every_library
@pytest.mark.parametrize("others", ["a", 1, 1.5, True, dt.date(2026, 1, 1)], ids=lambda value: type(value).__name__)
def test_unique_missing_value_is_a_person_alone(frame: Callable[..., Any], others: object) -> None:
    assert ks.k_anonymity(frame({"q": [others, others]}), "q") == 2
    assert ks.k_anonymity(frame({"q": [others, others, None]}), "q") == 1


@in_every_library
def test_nan_is_a_person_alone(frame: Callable[..., Any]) -> None:
    assert ks.k_anonymity(frame({"q": [1.5, 1.5, NAN]}), "q") == 1


@in_every_library
def test_two_missing_values_look_alike(frame: Callable[..., Any]) -> None:
    assert ks.k_anonymity(frame({"q": ["a", "a", None, None]}), "q") == 2


@pytest.mark.parametrize("gone", [None, NAN, pd.NA, pd.NaT], ids=repr)
@pytest.mark.parametrize("kind", ["object", "str", "string", "category"])
def test_every_missing_mark_of_pandas(kind: str, gone: object) -> None:
    cells = pd.Series(["a", "a", gone], dtype="object").astype(kind)
    assert ks.k_anonymity(pd.DataFrame({"q": cells}), "q") == 1


def test_nan_and_null_look_alike() -> None:
    assert audit_of(pl.Series([1.0, 1.0, NAN, None])).k.rows == 2


@pytest.mark.parametrize("cell", ["", '""', "?", "NA"])
def test_missing_cell_of_a_csv(run: Run, cell: str) -> None:
    code, found = run(f"q,p\n7,x\n7,y\n{cell},x\n", ONE_EACH)
    assert (code, found["k"], found["groups"]) == (1, {"rows": 1, "people": 1}, 2)


def test_declared_missing_cells_look_like_empty_ones(run: Run) -> None:
    people = "q,p\na,x\na,y\n-99,x\n,y\n"
    assert run(people, ONE_EACH)[1]["groups"] == 3
    assert run(people, ONE_EACH + '[cells]\nmissing = ["-99"]\n')[1]["groups"] == 2


def test_column_of_missing_values_only() -> None:
    found = audit_of([None, None], [None, None])
    assert (found.k.rows, found.groups, found.exposed) == (2, 1, {"p": 2})


# --- the order and the index of a frame -------------------------------------------------------------------------------

PEOPLE = {"q": ["a", "b", "a", "c", "b", "a"], "p": ["x", "x", "y", "x", "y", "x"]}
SIZES = [3, 2, 3, 1, 2, 3]
INDEXES = {
    "shuffled": pd.Index([3, 0, 5, 1, 4, 2]),
    "duplicate labels": pd.Index([7, 7, 7, 7, 7, 7]),
    "text": pd.Index(list("uvwxyz")),
    "dates": pd.date_range("2026-01-01", periods=6),
    "several levels": pd.MultiIndex.from_product([["r", "s"], [1, 2, 3]], names=["i", "j"]),
    "named like a column": pd.Index(range(6), name="q"),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_index_of_pandas_comes_back(index: pd.Index) -> None:
    found = ks.audit(pd.DataFrame(PEOPLE, index=index), policy())
    assert isinstance(found.per_row, pd.DataFrame)
    assert found.per_row.index.equals(index)
    assert found.per_row.index.names == index.names
    assert found.per_row["group_size"].tolist() == SIZES
    assert found.per_row["row"].tolist() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("order", [[5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 4, 3]])
def test_shuffled_rows_change_the_order_only(order: list[int]) -> None:
    people = pd.DataFrame(PEOPLE)
    straight, shuffled = ks.audit(people, policy()), ks.audit(people.iloc[order], policy())
    assert shuffled.to_json() == straight.to_json()
    assert shuffled.per_row.index.tolist() == order
    assert shuffled.per_row["group_size"].tolist() == [SIZES[row] for row in order]
    assert shuffled.per_row["group"].sort_index().tolist() == straight.per_row["group"].tolist()


@in_every_library
def test_per_row_is_the_kind_of_frame_that_was_audited(frame: Callable[..., Any]) -> None:
    people = frame(PEOPLE)
    rows = ks.audit(people, policy()).per_row
    assert type(rows) is type(people)
    assert list(rows["group_size"].to_pylist() if isinstance(rows, pa.Table) else rows["group_size"]) == SIZES


# --- headers ----------------------------------------------------------------------------------------------------------


@in_every_library
def test_blanks_around_headers(frame: Callable[..., Any]) -> None:
    people = frame({" q ": ["a", "a", "b"], "p\t": ["x", "y", "x"]})
    assert ks.audit(people, policy()).k.rows == 1
    assert ks.k_anonymity(people, " q") == 1


def test_blanks_around_headers_of_a_csv_and_in_the_policy(run: Run) -> None:
    assert run(" q ,p \na,x\na,y\n", ONE_EACH.replace('"q"', '"  q"'))[1]["k"]["rows"] == 2


OUR_NAMES = ["people", "k", "row", "group", "holds", "left", "right_code", "t", "require"]


@pytest.mark.slow
@pytest.mark.parametrize("private", OUR_NAMES)
def test_columns_named_like_our_own(run: Run, private: str) -> None:
    public = [name for name in OUR_NAMES if name != private]
    people = "\n".join([",".join([*public, private]), *[",".join("a" * len(public)) + f",{cell}" for cell in "xy*"]])
    says = f'public = {json.dumps(public)}\nprivate = ["{private}"]\n[require]\nk = 3\ndistinct_l = 3\n'
    code, found = run(people, says, "--people", "risk.csv")
    assert (code, found["k"]["rows"], found["exposed"]) == (0, 3, {private: 0})
    assert pl.read_csv("risk.csv")[f"confidence: {private}"].to_list() == pytest.approx([1 / 3] * 3)


def test_policy_about_a_column_named_k_is_saved_or_refused(folder: Path) -> None:
    says = ks.Policy(public=["q"], private=["k"], require="k=3, distinct_l[k]=2")
    try:
        says.save("policy.toml")
    except ks.KspanError:
        assert not list(folder.iterdir())
    else:
        assert ks.Policy.load("policy.toml") == says


ODD_NAMES = ["a,b", 'say "hi"', "two\nlines", "[red]x[/red]", "../up", "..", "é", "a=b", "#", "'", "\\", "😀"]


@pytest.mark.parametrize("name", ODD_NAMES, ids=ascii)
def test_odd_column_names_go_all_the_way(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    people = pl.DataFrame({name: ["a", "a", "b"], "p": ["x", "y", "x"]})
    people.write_csv("people.csv")
    hierarchy = ks.Hierarchy.of([("a", "any"), ("b", "any")])
    ks.Policy(public=[name], private=["p"], require="k=1", hierarchies={name: hierarchy}).save("policy.toml")
    assert main(["audit", "people.csv", "-p", "policy.toml", "--json"]) == 0
    found = strictly(capsys.readouterr().out)
    assert [group["shown"] for group in found["smallest"]] == [{name: "b"}, {name: "a"}]
    assert main(["init", "people.csv", "-o", "draft.toml"]) == 0
    assert set(ks.Policy.load("draft.toml").columns) == {name, "p"}


@pytest.mark.parametrize("name", ["../up", "../../up", "{outside}/up", "..", "a/b"])
def test_column_names_do_not_lead_out_of_the_folder(tmp_path: Path, name: str) -> None:
    name = name.format(outside=tmp_path / "outside")
    for folder in ("outside", "inside"):
        (tmp_path / folder).mkdir()
    hierarchy = ks.Hierarchy.of([("a", "any"), ("b", "any")])
    says = ks.Policy(public=[name], require="k=1", hierarchies={name: hierarchy})
    says.save(tmp_path / "inside" / "policy.toml")
    assert [path.parent for path in tmp_path.rglob("*.csv")] == [tmp_path / "inside" / "hierarchies"]
    assert ks.Policy.load(tmp_path / "inside" / "policy.toml") == says


@pytest.mark.parametrize("role", ["public", "private", "identifier"])
def test_policy_naming_a_column_twice(role: str) -> None:
    with pytest.raises(ks.PolicyError, match="'q'"):
        ks.Policy(**{"public": [], role: ["q", "p", "q"], "require": "k=2"})


def test_policy_naming_a_column_in_two_roles() -> None:
    with pytest.raises(ks.PolicyError, match="'p'"):
        policy(public=["q", "p"])


# --- few values, many values ------------------------------------------------------------------------------------------


def test_columns_of_one_value() -> None:
    found = audit_of(["a"] * 5, ["x"] * 5)
    assert (found.k.rows, found.groups, found.exposed) == (5, 1, {"p": 5})
    assert found.reached["p"]["t"] == 0


def test_one_person() -> None:
    found = audit_of(["a"], ["x"])
    assert (found.holds, found.k.rows, found.risk.prosecutor.unique) == (False, 1, 1)


@in_every_library
def test_empty_table(frame: Callable[..., Any]) -> None:
    with pytest.raises(ks.DataError, match="no rows"):
        ks.audit(frame({"q": [], "p": []}), policy())
    with pytest.raises(ks.DataError, match="no rows"):
        ks.k_anonymity(frame({"q": []}), "q")


def test_nobody_knows_anything() -> None:
    people = pl.DataFrame({"p": ["x", "y", "x"]})
    nothing = ks.Policy(private=["p"], require="k=3")
    assert ks.audit(people, nothing).k.rows == 3
    assert ks.k_anonymity(people, []) == 3
    journalist = ks.audit(people, nothing, population=pl.DataFrame({"name": list("abcdef")})).risk.journalist
    assert journalist is not None
    assert journalist.highest == pytest.approx(1 / 6)


MILLION = 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pl.Int64, pl.String, pl.Float64], ids=str)
def test_a_million_values(kind: pl.DataType) -> None:
    many = pl.Series(range(MILLION)).cast(kind)
    few = pl.Series(np.arange(MILLION) // 4)
    assert ks.k_anonymity(pl.DataFrame({"q": many}), "q") == 1
    assert ks.k_anonymity(pl.DataFrame({"q": few.cast(kind)}), "q") == 4
    found = ks.audit(pl.DataFrame({"q": few, "p": many}), policy(require="k=4, distinct_l=4"))
    assert (found.holds, found.k.rows, found.groups, found.exposed) == (True, 4, MILLION // 4, {"p": 0})


# --- kinds of columns -------------------------------------------------------------------------------------------------

MONDAY, TUESDAY = dt.date(2026, 1, 5), dt.date(2026, 1, 6)
KINDS: dict[str, Any] = {
    "pandas category": pd.Series(["x", "x", "y"], dtype="category"),
    "pandas category in its own order": pd.Series(pd.Categorical(["x", "x", "y"], ["z", "y", "x"], ordered=True)),
    "pandas category of numbers": pd.Series([1, 1, 2], dtype="category"),
    "pandas bool": pd.Series([True, True, False]),
    "pandas nullable bool": pd.Series([True, True, None], dtype="boolean"),
    "pandas Int64": pd.Series([1, 1, None], dtype="Int64"),
    "pandas Float64": pd.Series([0.5, 0.5, None], dtype="Float64"),
    "pandas datetime": pd.Series(pd.to_datetime(["2026-01-05", "2026-01-05", None])),
    "pandas datetime with zone": pd.Series(pd.to_datetime(["2026-01-05", "2026-01-05", None], utc=True)),
    "pandas dates": pd.Series([MONDAY, MONDAY, TUESDAY], dtype="object"),
    "pandas mixed": pd.Series(["x", "x", 1], dtype="object"),
    "pandas mixed with missing": pd.Series([1, 1, "x", "x", None], dtype="object"),
    "pandas text and number": pd.Series([0.5, 0.5, "word"], dtype="object"),
    "pandas huge integers": pd.Series([10**30, 10**30, 10**30 + 1], dtype="object"),
    "pandas decimals": pd.Series([Decimal("1.1"), Decimal("1.10"), Decimal("1.2")], dtype="object"),
    "pandas Arrow text": pd.Series(["x", "x", None], dtype="string[pyarrow]"),
    "pandas sparse": pd.Series(pd.arrays.SparseArray([1, 1, 0])),
    "pandas one byte": pd.Series([-128, -128, 127], dtype="int8"),
    "polars Categorical": pl.Series(["x", "x", "y"], dtype=pl.Categorical),
    "polars Enum": pl.Series(["x", "x", None], dtype=pl.Enum(["y", "x"])),
    "polars Decimal": pl.Series([Decimal("1.1"), Decimal("1.1"), Decimal("1.2")]),
    "polars Boolean": pl.Series([True, True, None]),
    "polars Date": pl.Series([MONDAY, MONDAY, TUESDAY]),
    "polars Time": pl.Series([dt.time(1), dt.time(1), dt.time(2)]),
    "polars Datetime": pl.Series([dt.datetime(2026, 1, 5, 1), dt.datetime(2026, 1, 5, 1), dt.datetime(2026, 1, 5, 2)]),
    "polars UInt64": pl.Series([2**64 - 1, 2**64 - 1, 2**64 - 2], dtype=pl.UInt64),
    "polars Int128": pl.Series([2**100, 2**100, 2**100 + 1], dtype=pl.Int128),
    "polars Int64 at its ends": pl.Series([-(2**63), -(2**63), 2**63 - 1]),
    "polars Float32": pl.Series([0.1, 0.1, 0.2], dtype=pl.Float32),
    "polars infinite": pl.Series([float("inf"), float("inf"), -float("inf")]),
    "pyarrow dictionary": pa.array(["x", "x", "y"]).dictionary_encode(),
    "pyarrow large text": pa.array(["x", "x", None], pa.large_string()),
    "pyarrow decimal": pa.array([Decimal("1.1"), Decimal("1.1"), Decimal("1.2")]),
    "pyarrow timestamp": pa.array([1, 1, 2], pa.timestamp("ns", "UTC")),
    "pyarrow chunks": pa.chunked_array([["x"], ["x", "y"]]),
}  # fmt: skip


@pytest.mark.parametrize("cells", KINDS.values(), ids=KINDS)
def test_kind_of_column(cells: Any) -> None:
    """Two people who are alike, and one who is alone."""
    library = {pd.Series: "pandas", pl.Series: "polars"}.get(type(cells), "pyarrow")
    people = LIBRARIES[library]({"q": cells, "p": ["s"] * len(cells)})
    found = ks.audit(people, policy())
    assert (found.k.rows, found.risk.prosecutor.unique) == (1, 1)
    assert strictly(found.to_json())["k"]["rows"] == 1


UNFIT: dict[str, Any] = {
    "pandas lists": pd.Series([[1], [2]]),
    "pandas complex": pd.Series([1j, 2j]),
    "pandas periods": pd.Series(pd.period_range("2026-01", periods=2, freq="M")),
    "polars lists": pl.Series([[1], [2]]),
    "polars structs": pl.Series([{"a": 1}, {"a": 2}]),
    "polars bytes": pl.Series([b"a", b"b"]),
    "polars objects": pl.Series([object(), object()], dtype=pl.Object),
}


@pytest.mark.parametrize("cells", UNFIT.values(), ids=UNFIT)
def test_column_that_is_neither_text_nor_numbers(cells: Any) -> None:
    library = {pd.Series: "pandas", pl.Series: "polars"}.get(type(cells), "pyarrow")
    with pytest.raises(ks.DataError, match="'q'"):
        ks.k_anonymity(LIBRARIES[library]({"q": cells}), "q")


@pytest.mark.parametrize(
    "thing", [None, [1, 2], {"q": [1]}, pd.Series([1]), np.ones((2, 2)), 5], ids=lambda t: type(t).__name__
)
def test_no_frame_at_all(thing: object) -> None:
    with pytest.raises(ks.DataError, match=type(thing).__name__):
        ks.audit(thing, policy())


def test_measure_without_private_columns() -> None:
    for measure in (ks.l_diversity, ks.t_closeness, ks.recursive_c_l_diversity, ks.alpha_k_anonymity):
        with pytest.raises(ks.KspanError, match="private"):
            measure(pl.DataFrame({"q": ["a"]}), "q", [])


@pytest.mark.parametrize("k", [np.int64(2), np.uint8(2), np.float64(2.0)], ids=repr)
def test_numbers_of_numpy_are_numbers(k: Any) -> None:
    assert str(ks.KAnonymity(k)) == "k=2"


HUGE = {"k": 1, "distinct_l": 1, "entropy_l": 1, "simple_l": 1, "basic_beta": 0, "enhanced_beta": 0, "delta": 0}
"""What a parameter beyond all integers of the machine means: nobody reaches it, or everybody does."""


@pytest.mark.parametrize(("key", "code"), HUGE.items())
def test_huge_parameter(run: Run, key: str, code: int) -> None:
    assert run("q,p\na,x\na,y\n", ONE_EACH, "--require", f"{key}=1{'0' * 30}")[0] == code


# --- what is equal and what is not ------------------------------------------------------------------------------------

BIG = 2**53

DIFFERENT: dict[str, list[Any]] = {
    "integers beyond 2**53": [BIG, BIG + 1],
    "integers beyond 2**53 in text": [str(BIG), str(BIG + 1)],
    "integers beyond 2**53 beside a fraction": [str(BIG), str(BIG + 1), "0.5", "0.5"],
    "integers beyond 2**53 with .0": [f"{BIG}.0", f"{BIG + 1}.0"],
    "integers beyond 2**64 in text": [str(2**65), str(2**65 + 1)],
    "decimals beyond 2**53": [Decimal(BIG), Decimal(BIG + 1)],
    "fractions of 20 digits in text": ["0.12345678901234567890", "0.12345678901234567891"],
    "neighboring floats": [0.3, 0.1 + 0.2],
    "leading zeros": ["007", "7"],
    "leading zeros, all": ["007", "07"],
    "numbers too large for floats": ["1e999", "1e998"],
    "blanks": ["a", "a "],
    "case": ["a", "A"],
    "composed and decomposed": ["é", "e\u0301"],
    "digits of other scripts": ["1", "١"],
    "underscores": ["1_0", "10"],
    "a word and missing": ["None", None],
    "a star and missing": ["*", None],
    "text like our label for missing": ["(missing)", None],
    "zero-width blanks": ["a", "a\u200b"],
}  # fmt: skip


@pytest.mark.parametrize("cells", DIFFERENT.values(), ids=DIFFERENT)
def test_different_cells_stay_different(cells: list[Any]) -> None:
    assert audit_of(cells).k.rows == 1
    assert audit_of(cells * 2).k.rows == 2


SAME: dict[str, list[Any]] = {
    "1 and 1.0": ["1", "1.0"],
    "1 and 1e0": ["1", "1e0", "+1", "1.00"],
    "zeros": [0.0, -0.0],
    "zeros in text": ["0", "-0", "0.0", "-0.0"],
    "nan and missing": [NAN, None],
    "decimals": [Decimal("1.1"), Decimal("1.10")],
}


@pytest.mark.parametrize("cells", SAME.values(), ids=SAME)
def test_the_same_number_in_two_spellings(cells: list[Any]) -> None:
    assert audit_of(cells).groups == 1


@pytest.mark.parametrize("kind", ["numeric", "categorical"])
def test_large_integers_stay_different_in_a_declared_domain(kind: str) -> None:
    assert audit_of([BIG, BIG + 1], domains={"q": kind}).k.rows == 1


def test_large_integers_are_shown_as_they_are() -> None:
    shown = [group.shown["q"] for group in audit_of([BIG, BIG + 1]).smallest]
    assert shown == [str(BIG), str(BIG + 1)]


def test_large_integers_are_found_in_the_population() -> None:
    people = pl.DataFrame({"q": [BIG, BIG + 1], "p": ["x", "y"]})
    found = ks.audit(people, policy(), population=pl.DataFrame({"q": [BIG, BIG + 1, BIG + 1]})).risk.journalist
    assert found is not None
    assert (found.highest, found.average, found.unmatched) == (1.0, 0.75, 0)


# --- JSON and the terminal --------------------------------------------------------------------------------------------


def test_infinite_measures_are_null_in_json() -> None:
    found = audit_of(["a", "a", "b"], ["x", "x", "y"])
    assert found.reached["p"]["delta"] == float("inf")
    assert strictly(found.to_json())["reached"]["p"]["delta"] is None
    assert strictly(json.dumps(found.as_dict())) == strictly(found.to_json())


def test_infinite_values_and_parameters_are_no_nan_in_json() -> None:
    cells = pl.Series([float("inf"), -float("inf"), NAN])
    told = strictly(audit_of(cells, cells, require=ks.BasicBeta(float("inf")), target="p").to_json())
    assert (told["holds"], told["people"], told["requirement"]) == (True, 3, "basic_beta=inf")
    assert {group["shown"]["q"] for group in told["smallest"]} == {"inf", "-inf", "(missing)"}


UGLY = [
    "Zoë", "李小龍", "a,b", "a;b", "a|b", "{a|b", "}", "[20, 30", "two\nlines", "tab\there", 'say "hi"', "it's", "a\\b",
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "\u202eright to left", "\u200bnothing", "[red]x[/red]",
    "[link=https://example.org]x[/link]", ":smile:", "\r\x1b[2K", "\x7f", "=1+1", "-", "null", "NaN",
]  # fmt: skip


def test_ugly_values_survive(run: Run) -> None:
    out = io.BytesIO()
    pl.DataFrame({"q": UGLY, "p": UGLY}).write_csv(out)
    code, found = run(out.getvalue(), ONE_EACH, "--show", "99")
    assert (code, found["groups"]) == (1, len(UGLY))
    assert {group["shown"]["q"] for group in found["smallest"]} == set(UGLY)


@pytest.mark.parametrize("options", [[], ["--require", "distinct_l=9"]], ids=["groups that hold", "groups that fail"])
def test_the_terminal_shows_ugly_values_harmlessly(
    folder: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    names = ["[bold]q[/bold]", ":smile:", "\x1b[31mq", "\x9b31mq"]
    pl.DataFrame(dict.fromkeys(names, UGLY) | {"p\x1b[31m": UGLY}).write_parquet("people.parquet")
    ks.Policy(public=names, private=["p\x1b[31m"], require="k=1").save("policy.toml")
    code = main(["audit", "people.parquet", "-p", "policy.toml", "--show", "99", *options])
    out = capsys.readouterr().out
    assert code == (1 if options else 0)
    assert all(char.isprintable() or char == "\n" for char in out)
    assert not {"\u202e", "\u200b"} & set(out)
    plain = "".join(out.split())
    for harmless in ("[red]x[/red]", "[link=https://example.org]", "[bold]q[/bold]", ":smile:", "Zoë", "李小龍"):
        assert harmless in plain


def test_the_terminal_shows_odd_names_in_requirements_harmlessly(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "\x9b31m[red]\x7f"
    pl.DataFrame({"q": ["a"], name: ["x"]}).write_parquet("people.parquet")
    ks.Policy(public=["q"], private=[name], require=ks.DistinctL(2, on=name)).save("policy.toml")
    assert main(["audit", "people.parquet", "-p", "policy.toml"]) == 1
    assert all(char.isprintable() or char == "\n" for char in capsys.readouterr().out)


# --- the same table in every form -------------------------------------------------------------------------------------

TABLE = pl.DataFrame(
    {
        "age": [30, 30, 41, 41, 41, None],
        "zip": ["01234", "01234", "99999", "99999", None, "01234"],
        "city": ["Bonn, old town", "Bonn, old town", 'the "Ruhr"', 'the "Ruhr"', "Köln", "Köln"],
        "income": [1.5, 2.0, 1.5, 1.5, 3.25, -1.0],
    }
)
TABLE_POLICY = 'target = "income"\npublic = ["age", "zip", "city"]\n[require]\nk = 2\ndistinct_l = 2\n'


def _csv(**options: Any) -> bytes:
    return TABLE.write_csv(**options).encode()


def _binary(write: str) -> bytes:
    out = io.BytesIO()
    getattr(TABLE, write)(out)
    return out.getvalue()


FORMS: dict[str, bytes] = {
    "CSV": _csv(),
    "CSV with all quoted": _csv(quote_style="always"),
    "CSV with CRLF": _csv(line_terminator="\r\n"),
    "CSV with CR": _csv(line_terminator="\r"),
    "CSV with a byte-order mark": _csv(include_bom=True),
    "CSV in UTF-16": _csv().decode().encode("utf-16"),
    "CSV in UTF-16, big end first": b"\xfe\xff" + _csv().decode().encode("utf-16-be"),
    "CSV without the last newline": _csv().rstrip(b"\n"),
    "CSV with blank lines": b"\n" + _csv().replace(b"\n", b"\n\n"),
    "CSV with blank lines and CRLF": _csv().replace(b"\n", b"\r\n\r\n"),
    "TSV": _csv(separator="\t"),
    "CSV with semicolons": _csv(separator=";"),
    "CSV with bars": _csv(separator="|"),
    "CSV gzipped": gzip.compress(_csv()),
    "TSV gzipped": gzip.compress(_csv(separator="\t")),
    "Parquet": _binary("write_parquet"),
    "Parquet gzipped": gzip.compress(_binary("write_parquet")),
    "Feather": _binary("write_ipc"),
    "Arrow stream": _binary("write_ipc_stream"),
}


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    found = ks.audit(TABLE, ks.Policy.from_toml(TABLE_POLICY))
    assert (found.people, found.groups, found.k.rows, found.exposed) == (6, 4, 1, {"income": 4})
    said: dict[str, Any] = strictly(found.to_json())
    return said


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS)
def test_the_same_answer_from_every_file(run: Run, expected: dict[str, Any], content: bytes) -> None:
    assert run(content, TABLE_POLICY, name="whatever") == (1, expected)


@pytest.mark.parametrize(
    "convert", [TABLE.to_pandas, TABLE.to_arrow, TABLE.lazy, TABLE.clone], ids=lambda c: c.__name__
)
def test_the_same_answer_from_every_frame(convert: Callable[[], Any], expected: dict[str, Any]) -> None:
    assert strictly(ks.audit(convert(), ks.Policy.from_toml(TABLE_POLICY)).to_json()) == expected


def test_the_same_answer_from_every_encoding(run: Run, expected: dict[str, Any]) -> None:
    assert run(_csv().decode().encode("latin-1"), TABLE_POLICY, "--encoding", "latin-1") == (1, expected)


def test_the_same_answer_without_a_header(run: Run, expected: dict[str, Any]) -> None:
    rows = _csv(include_header=False)
    assert run(rows, TABLE_POLICY, "--columns", "age,zip, city,income") == (1, expected)


def test_the_same_answer_from_a_policy_written_on_windows(run: Run, expected: dict[str, Any]) -> None:
    assert run(_csv(), "\ufeff" + TABLE_POLICY.replace("\n", "\r\n")) == (1, expected)


def test_padding_as_in_the_uci_files(run: Run) -> None:
    people = '39, State-gov, "x, y"\n39, State-gov, z\n50, ?,  z\n50, ?, "x, y"\n\n'
    says = 'public = ["age", "work"]\nprivate = ["p"]\n[require]\nk = 2\ndistinct_l = 2\n[cells]\nmissing = ["?"]\n'
    code, found = run(people, says, "--columns", "age,work,p")
    assert (code, found["people"], found["k"]["rows"]) == (0, 4, 2)
    assert found["smallest"][0]["shown"] == {"age": "39", "work": "State-gov"}


def test_blank_lines_are_nobody(run: Run) -> None:
    assert run("q,p\na,x\n\na,y\n\n\n", ONE_EACH)[1]["people"] == 2


def test_rows_without_any_value_are_somebody(run: Run) -> None:
    assert run("q,p\na,x\na,y\n,\n", ONE_EACH)[1]["people"] == 3


# --- suppressed cells -------------------------------------------------------------------------------------------------
# By hand: (a,*) matches the first three rows, (a,x) the same; (*,x) matches all four; (b,x) itself and (*,x).
# So rows: 3, 3, 4, 2, the smallest 2. And people: the first two share what they match, the others match alone: 1.

STARS = "q,r,p\na,*,1\na,x,2\n*,x,3\nb,x,4\n"
STAR_POLICY = 'public = ["q", "r"]\nprivate = ["p"]\n[require]\nk = 2\n'
STAR_READINGS = {
    "value, rows": (["--suppressed-as", "value"], 1, (1, 1), [1, 1, 1, 1]),
    "value, people": (["--suppressed-as", "value", "--counting", "people"], 1, (1, 1), [1, 1, 1, 1]),
    "anything, rows": (["--suppressed-as", "anything"], 0, (2, 1), [3, 3, 4, 2]),
    "anything, people": (["--suppressed-as", "anything", "--counting", "people"], 1, (2, 1), [2, 2, 1, 1]),
}


@pytest.mark.parametrize(("options", "code", "k", "crowds"), STAR_READINGS.values(), ids=STAR_READINGS)
def test_suppressed_cells(run: Run, options: list[str], code: int, k: tuple[int, int], crowds: Sequence[int]) -> None:
    exit_code, found = run(STARS, STAR_POLICY, *options, "--people", "risk.csv")
    assert exit_code == code
    assert found["k"] == {"rows": k[0], "people": k[1]}
    assert found["suppressed"]["cells"] == 2
    assert found["suppressed"]["k_as_value"] == {"rows": 1, "people": 1}
    assert found["suppressed"]["k_as_anything"] == {"rows": 2, "people": 1}
    assert pl.read_csv("risk.csv")["crowd"].to_list() == list(crowds)


def test_suppressed_number_in_a_column_of_numbers() -> None:
    cells = ["30", "30", "*", "*", "4e1", "40"]
    assert audit_of(cells).k.rows == 2
    assert audit_of(cells, suppressed="anything").k.rows == 4


# --- weights ----------------------------------------------------------------------------------------------------------


def test_weights_equal_repeated_rows() -> None:
    rows = [("a", "x", 3), ("a", "y", 1), ("b", "x", 2), ("*", "y", 4), (None, "x", 1)]
    weighted = pl.DataFrame(rows, schema=["q", "p", "count"], orient="row")
    repeated = weighted.select(pl.exclude("count").repeat_by("count")).explode("q", "p")
    for says in ({}, {"suppressed": "anything"}, {"suppressed": "anything", "counting": "people"}):
        asked = {"require": "k=3, distinct_l=2, t=0.5", "target": "p", **says}
        short = ks.audit(weighted, policy(**asked, weight="count")).as_dict()
        assert short.pop("rows") == 5
        long = ks.audit(repeated, policy(**asked)).as_dict()
        assert long.pop("rows") == 11
        assert short == long


COUNTS: dict[str, pl.Series] = {
    "small integers": pl.Series([2, 3], dtype=pl.Int8),
    "unsigned integers": pl.Series([2, 3], dtype=pl.UInt64),
    "floats": pl.Series([2.0, 3.0]),
    "decimals": pl.Series([Decimal("2.0"), Decimal("3.0")]),
    "text": pl.Series(["2", "3"]),
}


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
def test_weights_of_any_kind(counts: pl.Series) -> None:
    people = pl.DataFrame({"q": ["a", "b"], "p": ["x", "y"], "count": counts})
    found = ks.audit(people, policy(weight="count"))
    assert (found.people, found.k.rows) == (5, 2)


def test_weights_of_whole_continents() -> None:
    size = 4_000_000_000
    people = pl.DataFrame({"q": ["a", "a", "b"], "p": ["x", "y", "x"], "count": [size, size, size]})
    found = ks.audit(people, policy(weight="count"))
    assert (found.people, found.k.rows, found.utility.dm) == (3 * size, size, 5 * size**2)
    assert found.reached["p"]["basic_beta"] == pytest.approx(0.5)


# --- identifiers ------------------------------------------------------------------------------------------------------


def test_identifiers_break_a_release_until_they_are_gone(run: Run) -> None:
    people = "name,q,p\nAnn,a,x\nBea,a,y\n"
    says = 'identifier = ["name"]\n' + ONE_EACH
    code, found = run(people, says)
    assert (code, found["holds"], found["k"]["rows"], found["identifiers"]) == (1, False, 2, ["name"])
    code, found = run(people, says, "--without-identifiers")
    assert (code, found["holds"], found["identifiers"]) == (0, True, [])
    code, found = run("q,p\na,x\na,y\n", says)
    assert (code, found["holds"]) == (0, True)


def test_without_identifiers_saves_no_release_that_fails(run: Run) -> None:
    assert run("name,q,p\nAnn,a,x\nBea,b,y\n", 'identifier = ["name"]\n' + ONE_EACH, "--without-identifiers")[0] == 1
