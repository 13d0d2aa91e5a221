"""Habits of tire files that programs and people write: read with a remark, or refused where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from jounce.components.tire.figures import doubts
from jounce.core.errors import FormatError
from jounce.files.tir import TirFile, parse_tir, read_tir
from jounce.rigs.tire_report import check_file
from tire_models import EXAMPLE, example_text

HEADER = "[MDI_HEADER]\nFILE_TYPE = 'tir'\nFILE_VERSION = 3.0\nFILE_FORMAT = 'ASCII'\n"


def warned(file: TirFile) -> str:
    return "\n".join(str(p) for p in file.report.warnings)


def test_a_file_without_a_header_is_a_tire_if_it_looks_like_one() -> None:
    text = "$----- info\n! made by scaling\n" + example_text().replace(HEADER, "")
    file = parse_tir(text)
    assert file.tire.values["PKY1"] == EXAMPLE["PKY1"]
    assert "[MDI_HEADER]: block is missing" in warned(file)
    assert file.text() == text


def test_a_shape_table_without_a_header_is_kept() -> None:
    text = example_text() + "[SHAPE]\n 1.00  0.00 \n 1.00  0.40 \n 0.90  1.00 \n[NOTES]\nA = 'b'\n"
    file = parse_tir(text)
    assert file.text() == text
    assert not file.report.warnings
    # a table that is needed must have its header
    with pytest.raises(FormatError, match=r"BOTTOMING_CURVE"):
        parse_tir(example_text() + "[BOTTOMING_CURVE]\n0.0 0.0\n0.1 100.0\n")


@pytest.mark.parametrize(("version", "family"), [(5, "MF_05"), (6, "MF_52"), (52, "MF_52"), (61, "MF_61")])
def test_the_version_alone_says_the_family(version: int, family: str) -> None:
    lines = f"FITTYP = {version}\nLONGITUDINAL_STIFFNESS = 3e5\nLATERAL_STIFFNESS = 1e5\nNOMPRES = 2.5e5\n"
    text = example_text().replace("PROPERTY_FILE_FORMAT = 'PAC2002'\n", lines)
    assert parse_tir(text).family == family


def test_a_later_version_alone_is_refused_where_it_stands() -> None:
    text = example_text().replace("PROPERTY_FILE_FORMAT = 'PAC2002'", "FITTYP = 70")
    line = text.splitlines().index("FITTYP = 70") + 1
    with pytest.raises(FormatError, match=rf"line {line}  \[MODEL\] FITTYP: MF-Tyre/MF-Swift"):
        parse_tir(text)


def test_a_side_that_nobody_knows() -> None:
    file = parse_tir(example_text(TYRESIDE="'UNKNOWN'"))
    assert file.tire.side == "left" and "TYRESIDE: found 'UNKNOWN'; 'LEFT' is taken" in warned(file)
    assert parse_tir(example_text(TYRESIDE="'Right'")).tire.side == "right"
    with pytest.raises(FormatError, match="TYRESIDE: found 'LEFFT'"):
        parse_tir(example_text(TYRESIDE="'LEFFT'"))


def test_coefficients_without_an_effect_are_told_when_they_would_have_one() -> None:
    more = {"LCQ": ("SCALING_COEFFICIENTS", 0.5, 1.0), "QSX99": ("OVERTURNING_COEFFICIENTS", 1.1, 0.0),
            "LMUV": ("SCALING_COEFFICIENTS", 0.1, 0.0), "QFZ9": ("VERTICAL", 3.5, 0.0)}  # fmt: skip
    for name, (block, value, neutral) in more.items():
        text = example_text() + f"[{block}]\n"
        text = example_text().replace(f"[{block}]\n", f"[{block}]\n{name} = {{}}\n", 1)
        if name not in text:
            text = example_text() + f"[{block}]\n{name} = {{}}\n"
        assert f"{name}: {value} has no effect here" in warned(parse_tir(text.format(value)))
        assert not parse_tir(text.format(neutral)).report.warnings, name


def test_a_needed_number_in_a_block_of_another_program_is_taken() -> None:
    text = example_text().replace(f"FNOMIN = {EXAMPLE['FNOMIN']!r}\n", "")
    with pytest.raises(FormatError, match=r"missing numbers without a default.*FNOMIN"):
        parse_tir(text)
    file = parse_tir(text + "[WHEEL]\nBR = 0\nFNOMIN = 4321\n")
    assert file.tire.values["FNOMIN"] == 4321
    assert "[WHEEL] FNOMIN: taken, though the block is not known" in warned(file)


def test_quotes_blanks_and_bare_words_as_they_come() -> None:
    text = example_text().replace("[DIMENSION]\n", "[DIMENSION]\nWIDTH =   \n")
    text += "[TIRE_SPEC]\nCONSTRUCTION =  R25B 16 x 7.5 on 10x7 Rim\nTEST_NUMBER = ''\n"
    text = text.replace("PKY1 =", "PKY1=").replace(
        "\nPKY2 =", '\nPKY2 =   +2.0000e+000   $Peak Dpt" = Dpt*(Fz/Fznom)\n$'
    )
    assert parse_tir(text).tire.values["PKY2"] == 2.0


def test_numbers_beyond_all_tires_are_refused_where_they_stand() -> None:
    text = example_text({**EXAMPLE, "PEX1": -1e60})
    line = next(i for i, words in enumerate(text.splitlines(), 1) if words.startswith("PEX1"))
    with pytest.raises(FormatError, match=rf"line {line}  \[LONGITUDINAL_COEFFICIENTS\] PEX1: found -1e\+60; beyond"):
        parse_tir(text)
    assert parse_tir(example_text({**EXAMPLE, "RVY4": -4.8e15})).tire.values["RVY4"] == -4.8e15


def test_one_sided_ranges_are_told() -> None:
    text = example_text({**EXAMPLE, "KPUMAX": 0.0, "CAMMIN": 0.0})
    keys = {d.key: d.message for d in doubts(parse_tir(text).tire)}
    assert "-1.5 to 0" in keys["KPUMIN, KPUMAX"] or "to 0: one side" in keys["KPUMIN, KPUMAX"]
    assert "inclination" in keys["CAMMIN, CAMMAX"]
    assert "ALPMIN, ALPMAX" not in keys


def test_friction_of_a_tire_measured_while_braking_only_is_that_of_braking(tmp_path: Path) -> None:
    path = tmp_path / "brake.tir"
    path.write_text(example_text({**EXAMPLE, "KPUMAX": 0.0}))
    assert check_file(path).ok


@pytest.mark.parametrize(
    "raw", [b"", b"\x00\x01" * 40, b"[MFSIMPLE]\nPacLong_B = 4.7 $\n", b"PKY1 = 3\n", b"[\n", b"\xff\xfe"]
)
def test_what_is_no_tire_is_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "a.tir"
    path.write_bytes(raw)
    with pytest.raises(FormatError, match=r"a\.tir"):
        read_tir(path)
    assert not check_file(path).ok
