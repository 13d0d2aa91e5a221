"""Files of speeds over station or time."""

from __future__ import annotations

from pathlib import Path

import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.files.speeds import parse_speeds, read_speeds


@pytest.mark.parametrize("over", ["s", "t"])
def test_two_columns(over: str, tmp_path: Path) -> None:
    file = tmp_path / "speeds.csv"
    file.write_text(f"# a remark\n{over}, v\n0, 12.5\n\n30.5, 7\n")
    found = read_speeds(file)
    assert found.over == over
    assert found.along.tolist() == [0.0, 30.5]
    assert found.speed.tolist() == [12.5, 7.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,v\n0,1\n1,2\n", "a.csv:1: found the header 'x,v'"),
        ("s,v\n0,1\n1;2\n", "a.csv:3: found '1;2'"),
        ("s,v\n0,1\n0,2\n", "a.csv:3: s = 0 after 0"),
        ("t,v\n0,1\n1,-2\n", "a.csv:3: t = 1, v = -2"),
        ("t,v\n0,nan\n", "a.csv:2"),
        ("s,v\n0,1\n", "found 1 rows"),
        ("", "found 0 rows"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message.replace("'", ".")):
        parse_speeds(text, "a.csv")


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(ParameterError, match=r"'nowhere.csv': no such file"):
        read_speeds("nowhere.csv")


def test_a_file_that_is_no_text_is_told_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "speeds.csv"
    file.write_bytes(b"s,v\n0,1\n1,\xff2\n")
    with pytest.raises(FormatError, match=r"speeds.csv: not UTF-8 text \(byte 10\)"):
        read_speeds(file)
