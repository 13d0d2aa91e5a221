"""Property files: grammar, what is kept on writing, messages, and texts that nobody would write."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from counting import calls
from jounce.core.errors import FormatError
from jounce.files.property_file import Column, PropertyFile, as_flag, decode, format_value, resolve

TEXT = """\
$ a file
! with two kinds of comments
[MDI_HEADER]
FILE_TYPE = 'xyz'
(COMMENTS)
{comment_string}
'first line $ no comment'
'second line'
[Global]
 LENGTH=12.5            $ trailing
SPEED <kmh> = +1.0E+2
NAME = 'a = b'
SMALL = 3e-009
(Table_1)
{ s <m>  height
  friction }            $ over two lines
0.0 1 2
3.0 4
5                       $ a wrapped row
! done
[STRANGE]
ANYTHING = 'kept'
"""


def test_blocks_keys_tables_and_tags() -> None:
    file = PropertyFile.parse(TEXT, "a.xyz")
    assert [b.name for b in file.blocks] == ["MDI_HEADER", "Global", "STRANGE"]
    header = file.need("VIGRADE_HEADER", "MDI_HEADER")
    assert header.get("file_type").value == "xyz"  # type: ignore[union-attr]
    comments = header.sub_block("comments")
    assert comments is not None and comments.table is not None
    assert comments.table.rows == [["first line $ no comment"], ["second line"]]
    block = file.need("GLOBAL")
    assert {a.key: a.value for a in block.attributes} == {
        "LENGTH": 12.5,
        "SPEED": 100.0,
        "NAME": "a = b",
        "SMALL": 3e-9,
    }
    speed = block.get("SPEED")
    assert speed is not None and speed.unit == "kmh" and speed.line == 11
    table = block.sub_block("TABLE_1").table  # type: ignore[union-attr]
    assert table is not None
    assert table.columns == [Column("s", "m"), Column("height"), Column("friction")]
    assert table.rows == [[0, 1, 2], [3, 4, 5]]
    assert not file.report.problems


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_what_is_not_changed_is_written_back_to_the_letter(newline: str, end: str) -> None:
    text = TEXT.rstrip("\n").replace("\n", newline) + end.replace("\n", newline)
    file = PropertyFile.parse(text)
    assert file.text() == text
    again = PropertyFile.parse(file.text())
    assert [b.text() for b in again.blocks] == [b.text() for b in file.blocks]


def test_a_change_replaces_the_value_and_nothing_else() -> None:
    file = PropertyFile.parse(TEXT)
    file.need("GLOBAL").set("length", 13.25)
    file.need("GLOBAL").set("NAME", "other")
    expected = TEXT.replace("12.5", "13.25").replace("'a = b'", "'other'")
    assert file.text() == expected
    file.need("GLOBAL").set("NEW", 7, comment="why")
    assert file.text() == expected.replace("3e-009\n", "3e-009\nNEW = 7   $ why\n")
    assert PropertyFile.parse(file.text()).need("GLOBAL").get("new").value == 7  # type: ignore[union-attr]


def test_reading_and_writing_files(tmp_path: Path) -> None:
    path = tmp_path / "a.xyz"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT.encode().replace(b"\n", b"\r\n"))
    file = PropertyFile.read(path)
    file.write(tmp_path / "b.xyz")
    assert (tmp_path / "b.xyz").read_bytes() == path.read_bytes(), "the mark of the encoding included"
    assert decode("[A]\nX = 'Größe'".encode("cp1252"), "x").endswith("'Größe'")
    with pytest.raises(FormatError, match="zero bytes"):
        decode(b"PK\0\0", "x")
    with pytest.raises(FormatError, match="cannot be read"):
        PropertyFile.read(tmp_path / "missing.tir")
    with pytest.raises(FormatError, match="cannot be read"):
        PropertyFile.read(tmp_path)


def test_a_file_made_from_nothing_can_be_read() -> None:
    file = PropertyFile()
    file.add_comment("made\nhere")
    block = file.add_block("DATA")
    block.add_comment("numbers")
    block.set("A", 1.25)
    block.add_blank()
    block.add_sub_block("POINTS").add_table(["x", Column("y", "mm")], [(0, 1.5), (0.1, 2.5)])
    again = PropertyFile.parse(file.text())
    points = again.need("data").sub_block("points")
    assert points is not None and points.table is not None
    assert points.table.rows == [[0, 1.5], [0.1, 2.5]]
    assert again.text() == file.text()
    with pytest.raises(FormatError, match="finite"):
        block.set("B", float("nan"))
    for text in ('it\'s "so"', "it's 5 $", "two\nlines"):
        with pytest.raises(FormatError, match="quotes or line ends"):
            block.set("B", text)
    with pytest.raises(FormatError, match="cannot be written"):
        block.set("B = C", 1.0)


@pytest.mark.parametrize("text", ["it's", "E = 'VELOCITY'", "'"])
def test_text_with_single_quotes_is_written_in_double_ones(text: str) -> None:
    file = PropertyFile()
    file.add_block("DATA").set("A", text)
    again = PropertyFile.parse(file.text()).need("data").get("A")
    assert again is not None and again.value == text


def test_repeated_blocks_and_keys_warn_and_the_last_counts() -> None:
    file = PropertyFile.parse("[A]\nX = 1\n[B]\n[a]\nX = 2\nx = 3\n(S)\n(s)\n")
    assert file.need("A").get("X").value == 3  # type: ignore[union-attr]
    assert [p.line for p in file.report.warnings] == [4, 6, 8]
    assert "first in line 1" in str(file.report.warnings[0])


def test_a_missing_brace_is_tolerated() -> None:
    file = PropertyFile.parse("[A]\n{ x y\n1 2\n3 4\n[B]\n{ x\n y\nK = 1\n")
    assert file.need("A").table.rows == [[1, 2], [3, 4]]  # type: ignore[union-attr]
    assert file.need("B").get("K").value == 1  # type: ignore[union-attr]
    assert len(file.report.warnings) == 2


def test_families_of_curves_have_a_row_per_line() -> None:
    file = PropertyFile.parse("[A]\n(XY_DATA)\n{radius load}\n0.28 6000 6600 7000\n0.30 1 2 3\n[B]\n{n t@x}\n1 2 3\n")
    assert file.need("A").sub_block("XY_DATA").table.rows == [[0.28, 6000, 6600, 7000], [0.3, 1, 2, 3]]  # type: ignore[union-attr]
    assert file.need("B").table.rows == [[1, 2, 3]]  # type: ignore[union-attr]


BAD = [
    ("X = 1\n", "line 1  found 'X = 1' before the first block"),
    ("[A]\nX =\n", r"line 2  \[A\] X: the value is missing"),
    ("[A]\nX = 'open\n", r"line 2  \[A\] X: found \"'open\"; expected one text"),
    ("[A]\nX = 1e999\n", "too large"),
    ("[A]\n1 2 3\n", r"line 2  \[A\]: found '1 2 3'; expected KEY = value"),
    ("[A]\n{x y}\n1 2 3\n", "line 3  .*found 3 values in a row; the table header has 2 columns"),
    ("[A]\n{x y}\n1 2\n3\n[B]\n", "line 4  .*found 1 values in the last row"),
    ("[A]\n{}\n", "names no columns"),
    ("[A]\n{<m> x}\n", "does not follow a column name"),
    ("[A]\n{x} 3\n", "behind the table header"),
    ("[A]\n{x}\n'a\n", "single quote is missing"),
    ("[]\n", "without a name"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_errors_say_where_and_what(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        PropertyFile.parse(text, "bad.xyz")


def test_all_errors_come_at_once() -> None:
    with pytest.raises(FormatError) as caught:
        PropertyFile.parse("[A]\nX =\nY = 'a\n5 5\n", "bad.xyz")
    lines = str(caught.value).splitlines()
    assert lines[0] == "3 problems in bad.xyz"
    assert [line.split()[1] for line in lines[1:]] == ["2", "3", "4"]


def test_what_is_not_known_need_not_be_understood() -> None:
    text = "[A]\nX = 1\n[SECRET]\n0x12 garbage here\nY =\n"
    file = PropertyFile.parse(text, "a", known=["A"])
    assert file.text() == text
    assert len(file.report.infos) == 2
    with pytest.raises(FormatError, match=r"block \[B\] is missing  known: A, SECRET"):
        file.need("B")


def test_bare_words_are_text_with_a_note() -> None:
    file = PropertyFile.parse("[A]\nSIDE = LEFT\n")
    assert file.need("A").get("SIDE").value == "LEFT"  # type: ignore[union-attr]
    assert "single quotes" in str(file.report.infos[0])


@pytest.mark.parametrize(
    ("value", "expected"),
    [("TRUE", True), ("no", False), ("On", True), (0.0, False), (1.0, True), ("maybe", None), (2.0, None)],
)
def test_flags(value: str | float, expected: bool | None) -> None:
    assert as_flag(value) is expected


def test_references_to_other_files() -> None:
    databases = {"shared": Path("db/shared.cdb")}
    assert resolve("tires/a.tir", "cars/x/car.vdf") == Path("cars/x/tires/a.tir")
    assert resolve("mdids://Shared/tires.tbl/a.tir", "car.vdf", databases) == Path("db/shared.cdb/tires.tbl/a.tir")
    assert resolve("shared/tires.tbl/a.tir", "car.vdf", databases) == Path("db/shared.cdb/tires.tbl/a.tir")
    with pytest.raises(FormatError, match="database 'shaerd' is unknown; did you mean 'shared'"):
        resolve("mdids://shaerd/tires.tbl/a.tir", "car.vdf", databases)


# --- texts that nobody would write -----------------------------------------------------------------------------------

pieces = st.sampled_from(
    [
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "<",
        ">",
        "=",
        "'",
        "$",
        "!",
        "\n",
        "\r\n",
        " ",
        "A",
        "B1",
        "1",
        "-2.5e3",
        ".",
        "@",
        "µ",
        "\t",
    ]
)
texts = st.one_of(st.lists(pieces, max_size=60).map("".join), st.text(max_size=200))


@given(texts)
@example("[A]\n{\n{\n}\n}")
@example("[A]\n(\n)\n='")
@settings(max_examples=300)
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    for known in (None, {"A"}, frozenset[str]()):
        try:
            file = PropertyFile.parse(text, "fuzz", known)
        except FormatError as error:
            assert str(error)
        else:
            assert file.text() == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_survive(value: float) -> None:
    file = PropertyFile()
    file.add_block("A").set("X", value)
    assert PropertyFile.parse(file.text()).need("A").get("X").value == value  # type: ignore[union-attr]
    assert float(format_value(value)) == value


@pytest.mark.parametrize(
    "line", ["1 " * 50, "'" * 99, "{ a", "X = 'y' $ z", "<" * 100, "[A", " " * 100, "[B%d]", "(C%d)", "D%d = 1"]
)
def test_the_work_grows_with_the_length_of_a_file(line: str) -> None:
    def work(n: int) -> int:
        text = "[A]\n" + "".join(line.replace("%d", str(i)) + "\n" for i in range(n))

        def parse() -> None:
            with contextlib.suppress(FormatError):
                PropertyFile.parse(text)

        return calls(parse)

    work(10)
    assert work(4000) < 11 * work(400)
