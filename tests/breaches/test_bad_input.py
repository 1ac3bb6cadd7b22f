"""Bad input at the command line: exit code 2, one sentence that names the thing, no cell quoted, nothing written."""

import errno
import gzip
import io
import os
import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

from kspan.cli.main import main

SECRET = "SECRET-CELL"
HEADER = "age,sex,income\n"
ROWS = f"30,F,low\n30,F,{SECRET}\n40,M,low\n40,M,{SECRET}\n"
PEOPLE = HEADER + ROWS
ROLES = 'public = ["age", "sex"]\nprivate = ["income"]\n'
REQUIRE = "[require]\nk = 2\n"
POLICY = ROLES + REQUIRE
AUDIT = ["audit", "people.csv", "-p", "policy.toml"]

Content = str | bytes
Refused = Callable[..., str]


@pytest.fixture
def refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """Run a command in a folder with these files, check what every refusal must be, and give its sentence."""
    monkeypatch.chdir(tmp_path)

    def run(command: list[str] = AUDIT, **files: Content) -> str:
        for name, content in {"people.csv": PEOPLE, "policy.toml": POLICY, **files}.items():
            Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        before = _listing()
        code = main(command)
        out, err = capsys.readouterr()
        assert code == 2, f"exit code {code}: {out}{err}"
        assert out == ""
        assert err.startswith("kspan: ")
        assert err.endswith("\n")
        assert len(err.splitlines()) == 1
        assert "defect" not in err, "bad input is not our bug"
        assert "Traceback" not in err
        assert SECRET not in err
        assert _listing() == before
        return err.removeprefix("kspan: ")

    return run


def names(sentence: str, thing: str) -> bool:
    """Does the sentence name the thing, as a word of its own?"""
    return re.search(rf"(?<!\w){re.escape(thing)}(?!\w)", sentence) is not None


def _listing() -> dict[str, bytes | None]:
    return {str(path): path.read_bytes() if path.is_file() else None for path in Path().rglob("*")}


def _written(frame: pl.DataFrame, write: str) -> bytes:
    out = io.BytesIO()
    getattr(frame, write)(out)
    return out.getvalue()


FRAME = pl.DataFrame({"age": [30, 30], "sex": ["F", "F"], "income": [SECRET, "low"]})
PARQUET, ARROW, STREAM = (_written(FRAME, f"write_{kind}") for kind in ("parquet", "ipc", "ipc_stream"))


def parquet(**columns: object) -> bytes:
    """The frame as Parquet, with some columns changed."""
    return _written(FRAME.with_columns(**{name: pl.Series(cells) for name, cells in columns.items()}), "write_parquet")


# --- the table --------------------------------------------------------------------------------------------------------

TABLES: dict[str, tuple[Content, str]] = {
    "empty": ("", "people.csv"),
    "only blank lines": ("\n  \n\n", "people.csv"),
    "only a byte-order mark": ("\ufeff", "people.csv"),
    "header only": (HEADER, "people.csv"),
    "header only, without a newline": (HEADER.strip(), "people.csv"),
    "short line": (PEOPLE + f"50,{SECRET}\n", "line 6 of people.csv"),
    "long line": (PEOPLE + f"50,F,low,{SECRET}\n", "line 6 of people.csv"),
    "long first row": (HEADER + f"50,F,low,{SECRET}\n" + ROWS, "line 2 of people.csv"),
    "short and long lines that add up": (PEOPLE + f"50,F\n50,F,low,{SECRET}\n", "people.csv"),
    "short line after quoted newlines": (HEADER + f'30,F,"a\nb"\n30,{SECRET}\n', "line 4 of people.csv"),
    "a title above the header": (f"Patients of {SECRET}\n" + PEOPLE, "people.csv"),
    "unclosed quote": (PEOPLE + f'50,"{SECRET},low\n', "people.csv"),
    "quotes inside bare cells": (PEOPLE + f'50,6",{SECRET}\n51,5",{SECRET}\n', "people.csv"),
    "not UTF-8": (PEOPLE.encode() + b"50,\xe9,low\n", "people.csv"),
    "half a character of UTF-16": (PEOPLE.encode("utf-16") + b"x", "people.csv"),
    "UTF-16 without its mark": (PEOPLE.encode("utf-16-le"), "people.csv"),
    "duplicate header": (f"age,sex,sex,income\n30,F,F,{SECRET}\n", "'sex'"),
    "duplicate header after stripping": (f"age,sex, sex ,income\n30,F,F,{SECRET}\n", "'sex'"),
    "unnamed column": (f"age,,income\n30,F,{SECRET}\n", "column 2 of people.csv"),
    "unnamed column, quoted": (f'age,"  ",income\n30,F,{SECRET}\n', "column 2 of people.csv"),
    "delimiter at the end of the header": (f"age,sex,income,\n30,F,{SECRET},\n", "column 4 of people.csv"),
    "no header": (f"30,F,{SECRET}\n40,M,low\n", "header"),
    "binary junk": (b"\0\1\2\3" + SECRET.encode() * 9, "people.csv"),
    "NUL in a cell": (PEOPLE + f"50,\0,{SECRET}\n", "people.csv"),
    "truncated gzip": (gzip.compress(PEOPLE.encode())[:-9], "people.csv"),
    "gzip in name only": (b"\x1f\x8b" + b"x" * 40, "people.csv"),
    "gzip with a wrong checksum": (gzip.compress(PEOPLE.encode())[:-8] + b"\0" * 8, "people.csv"),
    "gzip of nothing": (gzip.compress(b""), "people.csv"),
    "truncated Parquet": (PARQUET[:-20], "people.csv"),
    "Parquet in name only": (b"PAR1" + b"x" * 99, "people.csv"),
    "truncated Arrow": (ARROW[:-30], "people.csv"),
    "Arrow in name only": (b"ARROW1" + b"x" * 99, "people.csv"),
    "truncated Arrow stream": (STREAM[:60], "people.csv"),
    "zip or xlsx": (b"PK\x03\x04" + b"x" * 99, "spreadsheet"),
    "old xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 99, "people.csv"),
    "web page": (f"<html><body>{SECRET}</body></html>\n", "people.csv"),
    "web page of two lines": (f"<html>{SECRET}\n</html>\n", "header"),
    "JSON": (f'[{{"age": 30, "sex": "F", "income": "{SECRET}"}}]', "people.csv"),
    "Parquet without rows": (_written(FRAME.clear(), "write_parquet"), "people.csv"),
    "Parquet without columns": (_written(pl.DataFrame(), "write_parquet"), "people.csv"),
    "lists in cells": (parquet(age=[[1], [2]]), "'age'"),
    "structs in cells": (parquet(sex=[{"a": SECRET}, {"a": "x"}]), "'sex'"),
    "bytes in cells": (parquet(income=[SECRET.encode(), b"x"]), "'income'"),
}


@pytest.mark.parametrize(("content", "named"), TABLES.values(), ids=TABLES)
def test_table(refused: Refused, content: Content, named: str) -> None:
    assert names(refused(**{"people.csv": content}), named)


UNREADABLE = {"people.csv": POLICY, "policy.toml": POLICY, "sex.csv": POLICY + '[hierarchies]\nsex = "bad"\n'}


@pytest.mark.parametrize("instead", UNREADABLE)
@pytest.mark.parametrize("kind", ["absent", "folder", "loop", "forbidden"])
def test_unreadable_file(refused: Refused, tmp_path: Path, kind: str, instead: str) -> None:
    bad = tmp_path / "bad"
    if kind == "folder":
        bad.mkdir()
    elif kind == "loop":
        bad.symlink_to(bad)
    elif kind == "forbidden":
        if os.geteuid() == 0:
            pytest.skip("root may read everything")
        bad.touch(mode=0)
    command = ["bad" if word == instead else word for word in AUDIT]
    assert names(refused(command, **{"policy.toml": UNREADABLE[instead]}), "bad")


# --- how to read the table --------------------------------------------------------------------------------------------

READING: dict[str, tuple[list[str], str]] = {
    "unknown encoding": (["--encoding", "klingon"], "'klingon'"),
    "encoding of bytes": (["--encoding", "base64"], "'base64'"),
    "encoding that decodes nothing": (["--encoding", "undefined"], "undefined"),
    "encoding that is no text encoding": (["--encoding", "punycode"], "punycode"),
    "wrong encoding": (["--encoding", "utf-16"], "people.csv"),
    "two-character delimiter": (["--delimiter", ";;"], "';;'"),
    "delimiter outside ASCII": (["--delimiter", "é"], "'é'"),
    "quote as delimiter": (["--delimiter", '"'], "delimiter"),
    "newline as delimiter": (["--delimiter", "\n"], "delimiter"),
    "delimiter that is not in the file": (["--delimiter", ";"], "column"),
    "too few columns": (["--columns", "age,sex"], "2 names"),
    "too many columns": (["--columns", "age,sex,income,name"], "4 names"),
    "columns without a name": (["--columns", "age,,income"], "column 2"),
    "columns named twice": (["--columns", "age,sex, age"], "'age'"),
}


@pytest.mark.parametrize(("options", "named"), READING.values(), ids=READING)
def test_reading(refused: Refused, options: list[str], named: str) -> None:
    assert names(refused([*AUDIT, *options]), named)


# --- the policy -------------------------------------------------------------------------------------------------------

HUGE = "9" * 400

POLICIES: dict[str, tuple[Content, str]] = {
    "empty": ("", "[require]"),
    "not TOML": (PEOPLE, "policy.toml"),
    "a key twice": ('public = ["age"]\npublic = ["sex"]\n', "policy.toml"),
    "not UTF-8": (POLICY.encode("utf-16"), "policy.toml"),
    "deep lists": (f"public = {'[' * 20_000}{']' * 20_000}\n{REQUIRE}", "policy.toml"),
    "deep tables": (f"public = {'{a = ' * 5_000}1{'}' * 5_000}\n{REQUIRE}", "policy.toml"),
    "number of 5,000 digits": (f"{ROLES}[require]\nk = {'9' * 5_000}\n", "policy.toml"),
    "unknown key": ('publik = ["age", "sex"]\n' + REQUIRE, "'publik' (did you mean 'public'?)"),
    "unknown table": (POLICY + '[hierarchy]\nsex = "sex.csv"\n', "'hierarchy' (did you mean 'hierarchies'?)"),
    "unknown key in [cells]": (POLICY + '[cells]\nmising = ["?"]\n', "'mising' (did you mean 'missing'?)"),
    "[cells] is a list": (f"cells = []\n{POLICY}", "cells"),
    "missing is no list": (POLICY + '[cells]\nmissing = "?"\n', "missing"),
    "missing lists a number": (POLICY + "[cells]\nmissing = [9]\n", "missing"),
    "suppressed is no word of ours": (POLICY + '[cells]\nsuppressed = "all"\n', "'all'"),
    "counting is no word of ours": ('counting = "cells"\n' + POLICY, "'cells'"),
    # roles
    "public is text": ('public = "age"\n' + REQUIRE, "public"),
    "public is a number": ("public = 1\n" + REQUIRE, "public"),
    "public is a table": ("public = { age = 1, sex = 2 }\nprivate = ['income']\n" + REQUIRE, "public"),
    "public lists numbers": ("public = [1]\n" + REQUIRE, "public"),
    "identifier is a table": (ROLES + "identifier = { name = 1 }\n" + REQUIRE, "identifier"),
    "target is a list": ('target = ["income"]\n' + POLICY, "target"),
    "weight is a number": ("weight = 2\n" + POLICY, "weight"),
    "column twice in one role": ('public = ["age", "sex", "age"]\n' + REQUIRE, "'age'"),
    "column twice after stripping": ('public = ["age", "sex", " age "]\n' + REQUIRE, "'age'"),
    "column in two roles": ('public = ["age", "sex", "income"]\nprivate = ["income"]\n' + REQUIRE, "'income'"),
    "column as weight and public": ('weight = "age"\n' + POLICY, "'age'"),
    "role given by alias as well": ('quasi-identifiers = ["age"]\n' + POLICY, "public"),
    "role given by two aliases": ('quasi-identifier = ["age"]\nquasi_identifiers = ["sex"]\n' + REQUIRE, "public"),
    "column without a role": ('public = ["age"]\nprivate = ["income"]\n' + REQUIRE, "'sex'"),
    "public column not in the table": ('public = ["age", "sex", "zip"]\nprivate = ["income"]\n' + REQUIRE, "'zip'"),
    "misspelt column": ('public = ["age", "sex"]\nprivate = ["incme"]\n' + REQUIRE, "did you mean 'incme'?"),
    "target not in the table": ('target = "risk"\n' + POLICY, "'risk'"),
    "target is an identifier": ('target = "name"\nidentifier = ["name"]\n' + POLICY, "'name'"),
    "target is the weight": ('target = "count"\nweight = "count"\n' + POLICY, "'count'"),
    # requirement
    "no [require]": (ROLES, "[require]"),
    "empty [require]": (ROLES + "[require]\n", "[require]"),
    "require is text": ('require = "k=2"\n' + ROLES, "[require]"),
    "unknown requirement": (ROLES + "[require]\nl_diversity = 2\n", "'l_diversity'"),
    "misspelt requirement": (ROLES + "[require]\ndistinkt_l = 2\n", "'distinkt_l' (did you mean 'distinct_l'?)"),
    "roles below [require]": (REQUIRE + ROLES, "'public'"),
    "k for one column": (POLICY + "[require.income]\nk = 3\n", "'income'"),
    "requirement on a public column": (POLICY + "[require.age]\ndistinct_l = 2\n", "'age'"),
    "requirement on no column": (POLICY + "[require.incme]\ndistinct_l = 2\n", "did you mean 'income'?"),
    "requirement nested too deep": (POLICY + "[require.income.more]\ndistinct_l = 2\n", "'more'"),
    "diversity without private columns": ('public = ["age", "sex", "income"]\n[require]\ndistinct_l = 2\n', "private"),
    # domains
    "domains is a list": ("domains = []\n" + POLICY, "domains"),
    "domain of no column": (POLICY + "[domains]\nagee = [0, 99]\n", "'agee'"),
    "domain of an identifier": ('identifier = ["name"]\n' + POLICY + "[domains]\nname = [0, 99]\n", "'name'"),
    "domain is a number": (POLICY + "[domains]\nage = 99\n", "'age'"),
    "domain is empty": (POLICY + "[domains]\nage = []\n", "'age'"),
    "domain is an unknown word": (POLICY + '[domains]\nage = "number"\n', "did you mean 'numeric'?"),
    "domain reversed": (POLICY + "[domains]\nage = [99, 0]\n", "'age'"),
    "domain from nan": (POLICY + "[domains]\nage = [nan, 99]\n", "'age'"),
    "domain up to a huge number": (POLICY + f"[domains]\nage = [0, {HUGE}]\n", "'age'"),
    "domain mixed": (POLICY + '[domains]\nage = [30, "forty"]\n', "'age'"),
    "domain of truths": (POLICY + "[domains]\nage = [false, true]\n", "'age'"),
    "domain lists a value twice": (POLICY + '[domains]\nsex = ["F", "M", "F"]\n', "'sex'"),
    "domain not covering numbers": (POLICY + "[domains]\nage = [0, 39]\n", "'age'"),
    "domain not covering words": (POLICY + '[domains]\nincome = ["low", "high"]\n', "'income'"),
    "words in a numeric domain": (POLICY + "[domains]\nincome = [0, 99]\n", "'income'"),
    "words in a column declared numeric": (POLICY + '[domains]\nincome = "numeric"\n', "'income'"),
}


@pytest.mark.parametrize(("policy", "named"), POLICIES.values(), ids=POLICIES)
def test_policy(refused: Refused, policy: Content, named: str) -> None:
    assert names(refused(**{"policy.toml": policy}), named)


PARAMETERS: dict[str, tuple[str, ...]] = {
    "k": ("0", "-1", "2.5", '"two"', "true", "[2]", "nan", "inf", "-inf", "1e400", HUGE, "2024-01-01"),
    "distinct_l": ("0", "-1", "1.5", '"two"', "inf", "nan", HUGE),
    "entropy_l": ("0.9", '"two"', "nan", HUGE),
    "simple_l": ("0.9", "false", "nan", HUGE),
    "recursive_cl": ("3", "[3]", "[3, 3, 3]", '["3", 3]', "[3, 0]", "[3, 1.5]", "[nan, 2]", "[2, inf]", "[-1, 2]"),
    "confidence": ("1.1", "-0.1", "nan", '"high"'),
    "alpha": ("1.1", "-0.1", HUGE),
    "t": ("1.1", "-0.1", "nan", "[0.1, 0.2]"),
    "basic_beta": ("-1", "nan", '"1"', HUGE),
    "enhanced_beta": ("-1", "nan", HUGE),
    "delta": ("-1", "nan", HUGE),
}


@pytest.mark.parametrize(
    ("key", "value"),
    [(key, value) for key, values in PARAMETERS.items() for value in values],
    ids=lambda says: says[:12],
)
def test_parameter(refused: Refused, key: str, value: str) -> None:
    assert names(refused(**{"policy.toml": f"{ROLES}[require]\n{key} = {value}\n"}), key)


# --- hierarchies ------------------------------------------------------------------------------------------------------

HIERARCHIES: dict[str, tuple[Content, str]] = {
    "empty": ("", "h.csv"),
    "blank": ("\n\n", "h.csv"),
    "not UTF-8": (b"F;\xe9;*\nM;m;*\n", "h.csv"),
    "not covering the data": ("F;*\n", "does not cover 1 value"),
    "covering other spellings": ("f;*\nm;*\n", "does not cover 2 values"),
    "a value twice": ("F;*\nM;*\nF;*\n", "lists 1 value more than once"),
    "a value under two parents": ("F;a;*\nM;b;*\nF;b;*\n", "lists 1 value more than once"),
    "a name under two parents": ("F;all;x;*\nM;all;y;*\n", "under two names"),
    "a name for different sets": ("F;M;*\nM;M;*\n", "for different sets of values at levels 0 and 1"),
    "ragged": ("F;a;*\nM;*\n", "line 2"),
    "an empty name": ("F;a;*\nM;;*\n", "line 2"),
    "odd delimiter": ("F:*\nM:*\n", "does not cover 2 values"),
    "ragged, with a name of 200,000 letters": (f"F;{'a' * 200_000};*\nM;m\n", "h.csv"),
}


@pytest.mark.parametrize(("content", "named"), HIERARCHIES.values(), ids=HIERARCHIES)
def test_hierarchy_file(refused: Refused, content: Content, named: str) -> None:
    assert names(refused(**{"policy.toml": POLICY + '[hierarchies]\nsex = "h.csv"\n', "h.csv": content}), named)


RECIPES: dict[str, tuple[str, str]] = {
    "number": ("5", "'age'"),
    "list": ("[5, 10]", "'age'"),
    "empty path": ('""', "hierarchy"),
    "path with NUL": (r'"a\u0000b.csv"', "hierarchy"),
    "without build": ("{ widths = [5] }", "'age'"),
    "unknown recipe": ('{ build = "interval", widths = [5] }', "'interval'"),
    "recipe is a number": ("{ build = 5 }", "'age'"),
    "recipe is a list": ('{ build = ["intervals"] }', "'age'"),
    "recipe is a table": ("{ build = {} }", "'age'"),
    "unknown option": ('{ build = "intervals", widths = [5], width = 5 }', "'width'"),
    "intervals without widths": ('{ build = "intervals" }', "widths"),
    "widths is a number": ('{ build = "intervals", widths = 5 }', "widths"),
    "widths is empty": ('{ build = "intervals", widths = [] }', "widths"),
    "widths are words": ('{ build = "intervals", widths = ["five"] }', "widths"),
    "widths are truths": ('{ build = "intervals", widths = [true] }', "widths"),
    "widths are huge": (f'{{ build = "intervals", widths = [{HUGE}] }}', "widths"),
    "width of 0": ('{ build = "intervals", widths = [0] }', "widths"),
    "width of nan": ('{ build = "intervals", widths = [nan] }', "widths"),
    "widths do not nest": ('{ build = "intervals", widths = [5, 7] }', "7"),
    "origin is text": ('{ build = "intervals", widths = [5], origin = "zero" }', "origin"),
    "origin is nan": ('{ build = "intervals", widths = [5], origin = nan }', "origin"),
    "origin is infinite": ('{ build = "intervals", widths = [5], origin = inf }', "origin"),
    "order is not complete": ('{ build = "ordered", order = ["30"] }', "'age'"),
    "order lists a value twice": ('{ build = "ordered", order = ["30", "40", "30"] }', "lists 1 value more than once"),
    "order lists numbers": ('{ build = "ordered", order = [30, 40] }', "order"),
    "order is text": ('{ build = "ordered", order = "30" }', "order"),
    "fanout of 1": ('{ build = "ordered", fanout = 1 }', "fanout"),
    "fanout is text": ('{ build = "ordered", fanout = "two" }', "fanout"),
    "fanout is a fraction": ('{ build = "ordered", fanout = 2.5 }', "fanout"),
    "fanout is nan": ('{ build = "ordered", fanout = nan }', "fanout"),
    "mask is a number": ('{ build = "prefixes", mask = 1 }', "mask"),
    "mask is empty": ('{ build = "prefixes", mask = "" }', "mask"),
    "mask is too long": ('{ build = "prefixes", mask = "**" }', "mask"),
}


@pytest.mark.parametrize(("says", "named"), RECIPES.values(), ids=RECIPES)
def test_hierarchy_in_the_policy(refused: Refused, says: str, named: str) -> None:
    assert names(refused(**{"policy.toml": f"{POLICY}[hierarchies]\nage = {says}\n"}), named)


def test_intervals_on_words(refused: Refused) -> None:
    policy = POLICY + '[hierarchies]\nincome = { build = "intervals", widths = [5] }\n'
    assert names(refused(**{"policy.toml": policy}), "'income'")


def test_hierarchy_of_an_identifier(refused: Refused) -> None:
    policy = 'identifier = ["name"]\n' + POLICY + '[hierarchies]\nname = { build = "auto" }\n'
    assert names(refused(**{"policy.toml": policy}), "'name'")


# --- weights ----------------------------------------------------------------------------------------------------------

WEIGHTS: dict[str, list[object]] = {
    "zero": [1, 0],
    "negative": [1, -2],
    "missing": [1, None],
    "fraction": [1.0, 2.5],
    "decimal fraction": [Decimal("1.5"), Decimal("2.0")],
    "nan": [1.0, float("nan")],
    "infinite": [1.0, float("inf")],
    "text": ["1", SECRET],
    "fraction in text": ["1", "2.5"],
    "empty text": ["1", ""],
    "dates": [date(2026, 1, 1), date(2026, 1, 2)],
    "lists": [[1], [2]],
    "bytes": [b"1", b"2"],
    "more people than can be counted": [2**62, 2**62],
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_weight(refused: Refused, weights: list[object]) -> None:
    files = {"people.csv": parquet(count=weights), "policy.toml": 'weight = "count"\n' + POLICY}
    assert names(refused(**files), "'count'")


@pytest.mark.parametrize("weight", ["0", "-1", "1.5", "x", ""])
def test_weight_in_csv(refused: Refused, weight: str) -> None:
    people = f"age,sex,income,count\n30,F,low,2\n30,F,{SECRET},{weight}\n"
    assert names(refused(**{"people.csv": people, "policy.toml": 'weight = "count"\n' + POLICY}), "'count'")


# --- the population ---------------------------------------------------------------------------------------------------

POPULATIONS: dict[str, tuple[str, Content, str]] = {
    "lacking a public column": ("", "age,name\n30,Ann\n", "'sex'"),
    "without rows": ("", "age,sex\n", "everybody.csv"),
    "ragged": ("", f"age,sex\n30,F\n{SECRET}\n", "everybody.csv"),
    "outside the domain": ("[domains]\nage = [0, 50]\n", "age,sex\n30,F\n99,M\n", "population"),
}


@pytest.mark.parametrize(("more", "population", "named"), POPULATIONS.values(), ids=POPULATIONS)
def test_population(refused: Refused, more: str, population: Content, named: str) -> None:
    files = {"policy.toml": POLICY + more, "everybody.csv": population}
    assert names(refused([*AUDIT, "--population", "everybody.csv"], **files), named)


# --- the command line -------------------------------------------------------------------------------------------------

COMMANDS: dict[str, tuple[list[str], str]] = {
    "unknown command": (["frobnicate"], "frobnicate"),
    "unknown option": (["--frobnicate"], "--frobnicate"),
    "command in capitals": (["AUDIT"], "AUDIT"),
    "audit of nothing": (["audit"], "release"),
    "audit without a policy": (["audit", "people.csv"], "--policy"),
    "audit with half an option": (["audit", "people.csv", "-p"], "-p"),
    "audit of a missing file": (["audit", "nobody.csv", "-p", "policy.toml"], "nobody.csv"),
    "audit by a missing policy": (["audit", "people.csv", "-p", "nothing.toml"], "nothing.toml"),
    "audit of two tables": ([*AUDIT, "more.csv"], "more.csv"),
    "audit with an unknown option": ([*AUDIT, "--frobnicate"], "--frobnicate"),
    "audit of a path that is too long": (["audit", "a" * 5_000, "-p", "policy.toml"], "a" * 5_000),
    "audit of a path with NUL": (["audit", "a\0b", "-p", "policy.toml"], "no name of a file"),
    "missing population": ([*AUDIT, "--population", "nobody.csv"], "nobody.csv"),
    "people without an extension": ([*AUDIT, "--people", "risk"], "risk"),
    "people with an unknown extension": ([*AUDIT, "--people", "risk.docx"], "risk.docx"),
    "people in a folder that is not there": ([*AUDIT, "--people", "there/risk.csv"], "there"),
    "people below a file": ([*AUDIT, "--people", "people.csv/risk.csv"], "people.csv"),
    "show a negative number": ([*AUDIT, "--show", "-1"], "--show"),
    "show a word": ([*AUDIT, "--show", "all"], "--show"),
    "suppressed as nonsense": ([*AUDIT, "--suppressed-as", "nonsense"], "'nonsense'"),
    "counting nonsense": ([*AUDIT, "--counting", "nonsense"], "'nonsense'"),
    "require nonsense": ([*AUDIT, "--require", "nonsense"], "'nonsense'"),
    "require nothing": ([*AUDIT, "--require", ""], "requirement"),
    "require half a term": ([*AUDIT, "--require", "k="], "'k='"),
    "require with a comma too many": ([*AUDIT, "--require", "k=2,"], "'k=2,'"),
    "require without a comma": ([*AUDIT, "--require", "k=2 t=0.1"], "'k=2 t=0.1'"),
    "require something unknown": ([*AUDIT, "--require", "K=2"], "'K'"),
    "require k = 0": ([*AUDIT, "--require", "k=0"], "k"),
    "require k of 5,000 digits": ([*AUDIT, "--require", f"k={'9' * 5_000}"], "k"),
    "require an infinite k": ([*AUDIT, "--require", "k=Infinity"], "k"),
    "require of a public column": ([*AUDIT, "--require", "distinct_l[age]=2"], "'age'"),
    "require with a bad escape": ([*AUDIT, "--require", r'distinct_l["\x"]=2'], "distinct_l"),
    "init of nothing": (["init"], "data"),
    "init of a missing file": (["init", "nobody.csv", "-o", "new.toml"], "nobody.csv"),
    "init over a policy": (["init", "people.csv"], "policy.toml"),
    "init over a folder": (["init", "people.csv", "-o", ".."], ".."),
    "init into a folder that is not there": (["init", "people.csv", "-o", "there/new.toml"], "there"),
    "init under a name that is too long": (["init", "people.csv", "-o", "a" * 5_000], "a" * 5_000),
    "init with k = 0": (["init", "people.csv", "-o", "new.toml", "--k", "0"], "--k"),
    "init with k in words": (["init", "people.csv", "-o", "new.toml", "--k", "ten"], "--k"),
    "demo into a file": (["demo", "-o", "people.csv"], "people.csv"),
    "demo below a file": (["demo", "-o", "people.csv/demo"], "people.csv"),
    "demo of something": (["demo", "people.csv"], "people.csv"),
}


@pytest.mark.parametrize(("command", "named"), COMMANDS.values(), ids=COMMANDS)
def test_command(refused: Refused, command: list[str], named: str) -> None:
    assert names(refused(command), named)


def test_init_of_a_table_without_rows(refused: Refused) -> None:
    assert names(refused(["init", "people.csv", "-o", "new.toml"], **{"people.csv": HEADER}), "people.csv")


# --- bad luck ---------------------------------------------------------------------------------------------------------


def _raising(error: BaseException) -> Callable[..., None]:
    def fails(*args: object, **options: object) -> None:
        raise error

    return fails


def test_full_disk_leaves_no_half_of_a_file(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", _raising(OSError(errno.ENOSPC, "No space left on device")))
    assert names(refused([*AUDIT, "--people", "risk.csv"], **{"risk.csv": "the old one"}), "risk.csv")


@pytest.mark.parametrize(
    ("error", "said"),
    [(KeyboardInterrupt(), "interrupted: nothing was written"), (MemoryError(), "the table does not fit into memory")],
    ids=["interrupt", "memory"],
)
def test_stopped_in_the_middle(
    refused: Refused, monkeypatch: pytest.MonkeyPatch, error: BaseException, said: str
) -> None:
    monkeypatch.setattr(import_module("kspan.audit.table.judge"), "encode", _raising(error))
    monkeypatch.setattr(import_module("kspan.frames.moment"), "_written", bytearray(1))  # other tests have written
    assert refused([*AUDIT, "--people", "risk.csv"]).startswith(said)


def test_our_own_bug_quotes_no_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "policy.toml").write_text(POLICY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KSPAN_DEBUG", raising=False)
    monkeypatch.setattr(
        import_module("kspan.audit.table.judge"), "encode", _raising(RuntimeError(f"could not parse {SECRET}"))
    )
    assert main(AUDIT) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("kspan: a defect in kspan (RuntimeError at ")
    assert len(err.splitlines()) == 1
    assert SECRET not in err
    monkeypatch.setenv("KSPAN_DEBUG", "1")
    with pytest.raises(RuntimeError, match=SECRET):
        main(AUDIT)
