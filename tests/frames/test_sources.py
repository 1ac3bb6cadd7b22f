"""Files of other programs: what they mean is kept, what is damaged or too large is one sentence."""

import gzip
import io
import stat
import sys
import zipfile
from datetime import date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow.orc
import pyreadstat
import pytest
import xlsxwriter

import kspan as ks
from kspan.cli.main import main
from kspan.errors import FileError
from kspan.frames import statistics
from kspan.frames.csv import Dialect
from kspan.frames.files import table_content, write_table

FRAME = pl.DataFrame({"name": ["Ann", "Bob", "Zoë"], "age": [30, 41, 52], "born": [date(1990, 1, 2)] * 2 + [None]})


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def workbook(path: str, sheets: dict[str, list[list[Any]]], hidden: tuple[str, ...] = ()) -> None:
    with xlsxwriter.Workbook(path, {"strings_to_formulas": True}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for at, row in enumerate(rows):
                sheet.write_row(at, 0, row)
            if name in hidden:
                sheet.hide()


def damaged_everywhere(path: Path, content: bytes) -> None:
    """Cut and changed files are read or refused in a sentence that quotes no cell."""
    for part in range(20):
        for spoiled in (content[: len(content) * part // 20], _changed(content, len(content) * part // 20)):
            path.write_bytes(spoiled)
            said = ""
            try:
                ks.read_table(path)
            except FileError as error:
                said = str(error)
            assert "Ann" not in said


def _changed(content: bytes, at: int) -> bytes:
    return content[:at] + bytes(255 - one for one in content[at : at + 4]) + content[at + 4 :]


def test_labels_are_cells_and_what_users_call_missing_is_missing() -> None:
    frame = pl.DataFrame({"sex": [1, 2, 9, 1], "city": [1, 2, 3, 4], "twice": [1, 2, 1, 2], "some": [1, 2, 3, 2]})
    labels = {
        "sex": {1: "male", 2: "female", 9: "refused"},
        "city": {1: "10", 2: "20", 3: "30", 4: "40"},
        "twice": {1: "yes", 2: "yes"},
        "some": {1: "one", 2: "3"},
    }
    pyreadstat.write_sav(frame, "x.sav", variable_value_labels=labels, missing_ranges={"sex": [9]})
    found = ks.read_table("x.sav")
    assert found["sex"].to_list() == ["male", "female", None, "male"]
    assert found["city"].to_list() == ["10", "20", "30", "40"]
    assert found["twice"].to_list() == [1, 2, 1, 2]  # a label that repeats would join codes
    assert found["some"].to_list() == [1, 2, 3, 2]  # the label 3 would be taken for the code 3
    pyreadstat.write_dta(frame, "x.dta", variable_value_labels={"sex": {1: "male", 2: "female"}})
    assert ks.read_table("x.dta")["sex"].to_list() == ["male", "female", "9", "male"]


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14, 15])
def test_every_version_of_stata(version: int) -> None:
    plain = FRAME.with_columns(name=pl.Series(["Ann", "Bob", "Eve"]))
    pyreadstat.write_dta(plain, "x.dta", version=version)
    Path("x.dta").rename("people.csv")
    assert ks.read_table("people.csv").equals(plain)


def test_stata_files_in_another_encoding() -> None:
    pyreadstat.write_dta(FRAME.with_columns(name=pl.Series(["Ann", "Bob", "Zo@"])), "x.dta", version=10)
    Path("x.dta").write_bytes(Path("x.dta").read_bytes().replace(b"Zo@", b"Zo\xeb"))
    assert ks.read_table("x.dta")["name"][2] == "Zoë"  # Windows, as Stata had it
    assert ks.read_table("x.dta", Dialect(encoding="cp1251"))["name"][2] == "Zoл"


def test_files_of_sas() -> None:
    pyreadstat.write_xport(FRAME, "x.xpt")
    assert ks.read_table("x.xpt").equals(FRAME)
    Path("x.sas7bcat").write_bytes(bytes(12) + b"\xc2\xea\x81\x63" + bytes(100))
    with pytest.raises(FileError, match=r"a catalog of SAS formats, and no table: give the \.sas7bdat file"):
        ks.read_table("x.sas7bcat")
    Path("x.sas7bdat").write_bytes(bytes(12) + b"\xc2\xea\x81\x60" + bytes(5000))
    with pytest.raises(FileError, match=r"x\.sas7bdat is a SAS file that is damaged"):
        ks.read_table("x.sas7bdat")


def test_portable_files_of_spss() -> None:
    frame = pl.DataFrame({"AGE": [31.0, 42.0], "SEX": ["F", "M"]}).to_pandas()
    pyreadstat.write_por(frame, "x.por")
    assert ks.read_table("x.por").to_dict(as_series=False) == {"AGE": [31, 42], "SEX": ["F", "M"]}


@pytest.mark.parametrize("ending", [".xlsx", ".sav", ".dta"])
def test_the_same_table_gives_the_same_bytes(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content, _ = table_content(FRAME, f"x{ending}")
    assert str(datetime.now().year).encode() not in content
    monkeypatch.delattr("os.memfd_create", raising=False)  # as on other systems
    seen = []
    made = statistics.tempfile.TemporaryDirectory

    def watched(**given: Any) -> Any:
        folder = made(**given)
        seen.append(Path(folder.name))
        assert stat.S_IMODE(seen[-1].stat().st_mode) == 0o700
        return folder

    monkeypatch.setattr(statistics.tempfile, "TemporaryDirectory", watched)
    assert table_content(FRAME, f"x{ending}")[0] == content
    assert not any(folder.exists() for folder in seen)
    assert len(seen) == (ending != ".xlsx")


@pytest.mark.parametrize("ending", [".xlsx", ".sav", ".dta"])
def test_what_a_format_cannot_hold_is_refused(ending: str) -> None:
    with pytest.raises(FileError, match=r"too long|cannot hold"):
        write_table(FRAME.with_columns(name=pl.lit("x" * 40_000)), f"x{ending}")
    with pytest.raises(FileError, match=r"cannot hold column 'age'|cannot hold all rows"):
        write_table(FRAME.with_columns(age=pl.Series([2**60 + 1, 1, 2])), f"x{ending}")
    if ending != ".xlsx":
        with pytest.raises(FileError, match="'native-country' cannot be called so"):
            write_table(FRAME.rename({"name": "native-country"}), f"x{ending}")
    assert not Path(f"x{ending}").exists()


def test_formulas_in_workbooks_are_defused() -> None:
    frame = pl.DataFrame({"age": [20, 21, 22, 23] * 3, "note": ["=1+1", "plain"] * 6})
    policy = ks.Policy(public=["age"], private=["note"], require="k=3")
    ks.anonymize(frame, policy, "mondrian").save("x.xlsx")
    with zipfile.ZipFile("x.xlsx") as book:
        assert not any(b"<f>" in book.read(name) for name in book.namelist())
        assert b"'=1+1" in book.read("xl/sharedStrings.xml")
    assert set(ks.read_table("x.xlsx")["note"]) == {"=1+1", "plain"}  # its manifest says that they were
    Path("x.xlsx.release.json").unlink()
    assert set(ks.read_table("x.xlsx")["note"]) == {"'=1+1", "plain"}


def test_sheets() -> None:
    one, two = [["age", "day"], [39, datetime(2020, 1, 2)], [50.5, None]], [["sex"], ["f"]]
    workbook("x.xlsx", {"People": one, "Notes": two})
    with pytest.raises(FileError, match=r"has the sheets 'People', 'Notes': name one of them, .*\?sheet=People"):
        ks.read_table("x.xlsx")
    assert ks.read_table("x.xlsx?sheet=Notes").rows() == [("f",)]
    with pytest.raises(FileError, match="has no sheet 'Nope': it has 'People', 'Notes'"):
        ks.read_table("x.xlsx?sheet=Nope")
    workbook("x.xlsx", {"People": one, "Notes": two}, hidden=("Notes",))
    assert ks.read_table("x.xlsx")["age"].to_list() == [39.0, 50.5]
    assert ks.read_table("x.xlsx?sheet=Notes").width == 1


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["age", "age"], [1, 2]], "has column 'age' twice"),
        ([["public", None], ["age", "sex"], [1, "f"]], "column 2 of x.xlsx has no name"),
        ([["age"]], "has no rows"),
        ([], "is empty"),
    ],
)
def test_sheets_that_are_no_tables(rows: list[list[Any]], said: str) -> None:
    workbook("x.xlsx", {"Sheet": rows})
    with pytest.raises(FileError, match=said):
        ks.read_table("x.xlsx")


def test_columns_of_cells_that_do_not_go_together() -> None:
    with xlsxwriter.Workbook("x.xlsx") as book:
        sheet, day, long = book.add_worksheet(), book.add_format({"num_format": "yyyy-mm-dd"}), "[h]:mm:ss"
        sheet.write_row(0, 0, ["when"])
        sheet.write_number(1, 0, 44_000, day)
        sheet.write_number(2, 0, 1.5, book.add_format({"num_format": long}))
    with pytest.raises(FileError, match=r"a column of x\.xlsx mixes kinds of cells that do not go together"):
        ks.read_table("x.xlsx")


def test_a_sheet_that_is_a_chart_is_no_table() -> None:
    with xlsxwriter.Workbook("x.xlsx") as book:
        book.add_worksheet("people").write_column(0, 0, ["age", 31, 42])
        chart = book.add_chart({"type": "column"})
        chart.add_series({"values": "=people!$A$2:$A$3"})
        book.add_chartsheet("chart").set_chart(chart)
    assert ks.read_table("x.xlsx?sheet=people")["age"].to_list() == [31, 42]


def test_a_library_that_panics_is_a_damaged_file(monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """As each library in Rust has one."""

    def panic(content: bytes) -> None:
        raise PanicException("range start index 4 out of range: hiv")

    def stop(content: bytes) -> None:
        raise KeyboardInterrupt

    workbook("x.xlsx", {"People": [["age"], [31]]})
    monkeypatch.setattr("fastexcel.read_excel", panic)
    with pytest.raises(FileError, match="a workbook of a spreadsheet that is damaged") as refused:
        ks.read_table("x.xlsx")
    assert "hiv" not in str(refused.value)
    monkeypatch.setattr("fastexcel.read_excel", stop)
    with pytest.raises(KeyboardInterrupt):
        ks.read_table("x.xlsx")


def test_blank_rows_and_columns_of_a_sheet_are_nobody() -> None:
    workbook("x.xlsx", {"Sheet": [["age", "sex", None], [1, "f", None], [None, None, None], [2, None, None]]})
    assert ks.read_table("x.xlsx").rows() == [(1, "f"), (2, None)]


def test_formulas_of_others_show_their_result() -> None:
    with xlsxwriter.Workbook("x.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["age"])
        sheet.write_formula(1, 0, "=40+2", value=42)
    assert ks.read_table("x.xlsx")["age"].to_list() == [42]


def test_a_workbook_with_a_password_and_other_office_files() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
    Path("x.xlsx").write_bytes(ole + "EncryptedPackage".encode("utf-16-le"))
    with pytest.raises(FileError, match="protected by a password"):
        ks.read_table("x.xlsx")
    Path("x.doc").write_bytes(ole + "WordDocument".encode("utf-16-le"))
    with pytest.raises(FileError, match="an office file, and no workbook"):
        ks.read_table("x.doc")


def changed_sheet(change: Any) -> None:
    """Replace the XML of the sheet of a small workbook."""
    workbook("x.xlsx", {"Sheet": [["age"], [1]]})
    with zipfile.ZipFile("x.xlsx") as book:
        parts = {name: book.read(name) for name in book.namelist()}
    parts["xl/worksheets/sheet1.xml"] = change(parts["xl/worksheets/sheet1.xml"])
    with zipfile.ZipFile("x.xlsx", "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            book.writestr(name, content)


def test_tiny_workbooks_that_claim_much() -> None:
    changed_sheet(lambda xml: xml.replace(b'r="A2"', b'r="XFD1048576"').replace(b'<row r="2"', b'<row r="1048576"'))
    with pytest.raises(FileError, match=r"has 16,384 columns|claims 1,048,576 rows"):
        ks.read_table("x.xlsx")
    changed_sheet(lambda xml: xml + b" " * (300 << 20))
    assert Path("x.xlsx").stat().st_size < 1 << 20
    with pytest.raises(FileError, match="unpacks to more than"):
        ks.read_table("x.xlsx")


def opendocument(*rows: str) -> None:
    """Write a sheet of OpenDocument with these rows."""
    spaces = "".join(
        f' xmlns:{one}="urn:oasis:names:tc:opendocument:xmlns:{one}:1.0"' for one in ("office", "table", "text")
    )
    sheet = f'<table:table table:name="S">{"".join(rows)}</table:table>'
    with zipfile.ZipFile("x.ods", "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet", zipfile.ZIP_STORED)
        book.writestr("META-INF/manifest.xml", "<manifest/>")
        book.writestr(
            "content.xml",
            f"<office:document-content{spaces}><office:body><office:spreadsheet>{sheet}</office:spreadsheet></office:body>"
            "</office:document-content>",
        )


def row_of(text: str, times: int = 1, columns: int = 1) -> str:
    about = f'office:value-type="string" table:number-columns-repeated="{columns}"'
    cell = f"<table:table-cell {about}><text:p>{text}</text:p></table:table-cell>"
    return f'<table:table-row table:number-rows-repeated="{times}">{cell}</table:table-row>'


def test_sheets_of_opendocument() -> None:
    nothing = '<table:table-cell table:number-columns-repeated="16384"/>'
    empty = f'<table:table-row table:number-rows-repeated="1048000">{nothing}</table:table-row>'
    opendocument(row_of("sex"), row_of("f", times=3), empty)
    assert ks.read_table("x.ods").rows() == [("f",)] * 3
    for times, columns in ((10**6, 9_000), (10**9, 1)):
        opendocument(row_of("sex"), row_of("f", times=times, columns=columns))
        with pytest.raises(FileError, match="claims 1,000,"):
            ks.read_table("x.ods")


def test_tiny_files_of_spss_that_claim_much() -> None:
    pyreadstat.write_sav(FRAME, "x.sav")
    content = Path("x.sav").read_bytes()
    Path("x.sav").write_bytes(content[:80] + (10**9).to_bytes(4, "little") + content[84:])
    with pytest.raises(FileError, match=r"claims 1,000,000,000 rows"):
        ks.read_table("x.sav")


def test_lines_of_json() -> None:
    Path("x.txt").write_text('{"age": 39, "sex": "f"}\n{"sex": null}\n')
    assert ks.read_table("x.txt").rows() == [(39, "f"), (None, None)]
    Path("x.gz").write_bytes(gzip.compress(Path("x.txt").read_bytes()))
    assert ks.read_table("x.gz").height == 2
    for text, said in {
        '{"age": 39}\n{"age": 4': "damaged",
        '{"age": [[39]]}\n': "'age' of x.txt holds objects, or lists of lists",
        '[{"age": 39}]': "one JSON document",
        '{\n "age": 39}': "one JSON document",
    }.items():
        Path("x.txt").write_text(text)
        with pytest.raises(FileError, match=said):
            ks.read_table("x.txt")


def test_parts(place: Path) -> None:
    for at, year in enumerate((2020, 2021)):
        Path(f"parts/year={year}").mkdir(parents=True)
        FRAME.write_parquet(f"parts/year={year}/{at}.parquet")
    assert ks.read_table("parts/").columns == [*FRAME.columns, "year"]
    assert ks.read_table("parts").height == 6
    assert ks.read_table("parts/*/*.parquet").height == 6
    assert ks.read_table(f"{place}/parts/year=202?/1.parquet").height == 3
    FRAME.rename({"age": "AGE"}).write_parquet("parts/year=2020/9.parquet")
    with pytest.raises(FileError, match="its 3 parts have different columns, or one is damaged"):
        ks.read_table("parts")
    Path("empty").mkdir()
    for where in ("empty", "parts/*.parquet"):
        with pytest.raises(FileError, match="Parquet files: name a file"):
            ks.read_table(where)


def test_orc() -> None:
    out = io.BytesIO()
    pyarrow.orc.write_table(FRAME.to_arrow(), out)
    Path("x.orc").write_bytes(out.getvalue())
    assert ks.read_table("x.orc").equals(FRAME)
    damaged_everywhere(Path("x.orc"), out.getvalue())


@pytest.mark.parametrize("ending", [".xlsx", ".sav", ".dta", ".ndjson"])
def test_damaged_files(ending: str, place: Path) -> None:
    content, _ = table_content(pl.concat([FRAME] * 20), f"x{ending}")
    damaged_everywhere(place / f"x{ending}", content)


@pytest.mark.parametrize(
    ("ending", "library"), [(".xlsx", "fastexcel"), (".sav", "pyreadstat"), (".dta", "pyreadstat")]
)
def test_a_missing_library_is_named(
    ending: str, library: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_table(FRAME, f"x{ending}")
    monkeypatch.setitem(sys.modules, library, None)
    assert main(["audit", f"x{ending}", "-p", "policy.toml"]) == 2
    with pytest.raises(FileError, match=r"x\.\w+ is an? .*: install kspan\[files\]"):
        ks.read_table(f"x{ending}")


def test_a_part_of_a_file_without_parts_is_refused() -> None:
    write_table(FRAME, "x.csv")
    write_table(FRAME, "x.parquet")
    for name in ("x.csv?sheet=a", "x.parquet?table=a"):
        with pytest.raises(FileError, match="neither sheets nor tables"):
            ks.read_table(name)
    with pytest.raises(FileError, match="the name of the table is empty"):
        ks.read_table("")


def test_a_name_with_a_question_mark_is_a_file_if_it_is_there() -> None:
    Path("odd?table=x.csv").write_text("age\n1\n")
    assert ks.read_table("odd?table=x.csv").rows() == [("1",)]
