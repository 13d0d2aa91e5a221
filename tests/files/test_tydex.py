"""TYDEX files: sections, fixed columns and free words, units, conversion, located errors, any text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.core.errors import FormatError, ParameterError
from jounce.files.tydex import Tydex, parse_tydex, read_tydex


def row(*parts: str) -> str:
    widths = (10, 30, 10, 10, 10, 10)
    return "".join(part.ljust(width) for part, width in zip(parts, widths, strict=False)).rstrip()


FILE = "\n".join(
    [
        "**HEADER",
        row("RELEASE", "Release of the format", "1.3"),
        row("MEASID", "Measurement", "run 7"),
        "**COMMENTS",
        "a sweep of the slip angle",
        "**CONSTANTS",
        row("INFLPRES", "Inflation pressure", "bar", "2.2"),
        row("FZW", "Vertical force", "N", "4000"),
        row("RIMDIA", "Rim", "", "steel rim"),
        "**MEASURCHANNELS",
        "! a comment",
        row("RUNTIME", "Running time", "s", "1", "0", "0"),
        row("SLIPANGL", "Slip angle", "deg", "0.1", "5", "2"),
        row("FYW", "Lateral force", "kN", "1", "0", "0"),
        "**MEASURDATA",
        "0.0  10   1.5",
        "0.1  20  -1.5e0",
        "0.2  30   2.5D+0",
        "**END",
        "whatever follows",
    ]
)


def test_sections_of_a_file() -> None:
    file = parse_tydex(FILE, "a.tdx")
    assert file.header == {"RELEASE": "1.3", "MEASID": "run 7"}
    assert file.comments == ["a sweep of the slip angle"]
    assert list(file.channels) == ["RUNTIME", "SLIPANGL", "FYW"]
    assert file.channels["FYW"].text == "Lateral force"
    assert len(file) == 3
    assert file.constants["RIMDIA"].value == "steel rim"


def test_values_are_converted() -> None:
    file = parse_tydex(FILE)
    # factor (raw + first offset) + second offset
    assert np.allclose(file.channel("SLIPANGL"), [3.5, 4.5, 5.5])
    assert np.allclose(file.channel("slipangl", "rad"), np.radians([3.5, 4.5, 5.5]))
    assert np.allclose(file.channel("FYW", "N"), [1500, -1500, 2500])
    assert file.constant("INFLPRES", "Pa") == pytest.approx(2.2e5)
    with pytest.raises(FormatError, match=r"line 14  FYW"):
        file.channel("FYW", "rad")
    with pytest.raises(ParameterError, match="did you mean 'FYW'"):
        file.channel("FYV")
    with pytest.raises(ParameterError, match="not a number"):
        file.constant("RIMDIA")


def test_words_instead_of_columns() -> None:
    text = "**HEADER\n**CONSTANTS\nINFLPRES Inflation pressure bar 2.2\n**MEASURCHANNELS\n"
    text += "FZW vertical force N 1 0 0\nLONGSLIP slip % 1\nINCLANGL angle deg\n**MEASURDATA 2\n4000 5 1\n4100 -5 2\n"
    file = parse_tydex(text)
    assert file.constant("INFLPRES", "Pa") == pytest.approx(2.2e5)
    assert np.allclose(file.channel("LONGSLIP", "-"), [0.05, -0.05])
    assert np.allclose(file.channel("INCLANGL", "deg"), [1, 2])


def test_unknown_sections_are_kept() -> None:
    file = parse_tydex(FILE.replace("**CONSTANTS", "**MODELDEFINITION\nsomething 1 2\n**CONSTANTS"))
    assert file.other["MODELDEFINITION"] == ["something 1 2"]
    assert file.constant("FZW", "N") == 4000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("0.1  20  -1.5e0", "0.1  20"), r"line 17  \*\*MEASURDATA: found 2 numbers; there are 3 channels"),
        (("0.1  20  -1.5e0", "0.1  20  x"), r"line 17  \*\*MEASURDATA: found 'x'; expected a number"),
        (("RUNTIME", "FYW    "), r"line 14  FYW: this channel is declared twice"),
        (("**HEADER", "HEADER"), r"line 1  found 'HEADER' before the first section"),
        (("**MEASURDATA", "**OTHERDATA"), r"\*\*MEASURDATA: the section is missing"),
    ],
)
def test_errors_are_located(change: tuple[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_tydex(FILE.replace(change[0], change[1]), "a.tdx")


def test_reading_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.tdx").write_bytes(FILE.replace("\n", "\r\n").encode("latin-1"))
    assert len(read_tydex(tmp_path / "a.tdx")) == 3
    with pytest.raises(FormatError, match="cannot be read"):
        read_tydex(tmp_path / "b.tdx")


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_change_gives_a_file_or_a_located_error(data: st.DataObject) -> None:
    text = FILE
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        until = min(len(text), at + data.draw(st.integers(0, 12)))
        text = text[:at] + data.draw(st.text(max_size=8)) + text[until:]
    try:
        found = parse_tydex(text, "x.tdx")
    except FormatError as error:
        assert "x.tdx" in str(error)
        return
    assert isinstance(found, Tydex)
    assert found.raw.shape == (len(found), len(found.channels))
