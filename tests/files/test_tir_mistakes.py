"""Slips of the pen in tire files: blocks, keys and values that are nearly right are said, and never half used."""

from __future__ import annotations

from pathlib import Path

import pytest

from jounce.components.tire import trust
from jounce.core.errors import FormatError, ParameterError
from jounce.files.spelling import close
from jounce.files.tir import TirFile, parse_tir, read_tir
from tire_models import EXAMPLE, FULL, example_text

MINE = """
from dataclasses import dataclass
from typing import ClassVar

from jounce.components.tire.base import Coefficient, Forces
from jounce.components.tire.simple import SimpleTire, Stiffness


@dataclass(frozen=True)
class MyTire(SimpleTire):
    kind: ClassVar[str] = "mine"
    own: ClassVar = (
        Coefficient("STIFFNESS", "-", "slope over load", 18.0, "PARAMETER"),
        Coefficient("GRIP", "-", "friction", 1.0, "PARAMETER"),
    )

    def stiffness(self, p, load, gamma, friction):
        return Stiffness(18 * load, -18 * load, 0.1, 0.1, 0.4, 0.4)

    def slip_forces(self, p, load, gamma, friction, kappa, alpha, way):
        return Forces(0 * load, -p["GRIP"] * load * alpha, 0 * load, 0 * load, 0 * load)
"""
FILE = """[MDI_HEADER]
FILE_TYPE = 'tir'
[UNITS]
LENGTH = 'meter'
FORCE = 'newton'
ANGLE = 'radian'
MASS = 'kg'
TIME = 'second'
[MODEL]
PROPERTY_FILE_FORMAT = 'USER'
FUNCTION_NAME = 'mine.py::MyTire'
[DIMENSION]
UNLOADED_RADIUS = 0.33
[VERTICAL]
VERTICAL_STIFFNESS = 2e5
[PARAMETER]
STIFFNESS = 20
"""


def warned(file: TirFile) -> str:
    return "\n".join(str(p) for p in file.report.warnings)


@pytest.mark.parametrize("block", ["LATERAL_COEFFICIENTS", "SCALING_COEFFICIENTS", "ALIGNING_COEFFICIENTS"])
def test_a_block_with_a_mistake_in_its_name_is_read_whole(block: str) -> None:
    text = example_text({**FULL, "LMUY": 0.7})
    wrong = block.replace("FF", "F")
    file = parse_tir(text.replace(f"[{block}]", f"[{wrong}]"))
    assert file.tire.values == parse_tir(text).tire.values
    assert f"[{wrong}]: block is not known; read as [{block}]" in warned(file)
    file.set("LMUY", 0.6)
    assert file.tire.values["LMUY"] == 0.6
    assert file.tire.values["PKY1"] == FULL["PKY1"]


def test_a_block_of_another_name_is_taken_whole_or_not_and_said() -> None:
    text = example_text({**EXAMPLE, "LMUY": 0.7})
    file = parse_tir(text.replace("[LATERAL_COEFFICIENTS]", "[SIDE]"))
    assert file.tire.values == parse_tir(text).tire.values
    assert "[SIDE] PKY1: taken, though the block is not known" in warned(file)
    # nothing in it that must be there: perhaps of another program
    other = parse_tir(text.replace("[SCALING_COEFFICIENTS]", "[FACTORS]"))
    assert other.tire.values["LMUY"] == 1.0
    assert "[FACTORS] LMUY: not used, as the block is not known; usual is [SCALING_COEFFICIENTS]" in warned(other)


def test_tables_and_needed_blocks_with_a_mistake_are_refused() -> None:
    curve = "[DEFLECTION_LOAD_CURVES]\n{pen fz}\n0 0\n0.01 2000\n0.02 4500\n"
    with pytest.raises(FormatError, match=r"\[DEFLECTION_LOAD_CURVES\].*is \[DEFLECTION_LOAD_CURVE\] meant"):
        parse_tir(example_text() + curve)
    with pytest.raises(FormatError, match=r"is \[DIMENSON\] meant for \[DIMENSION\]"):
        parse_tir(example_text().replace("[DIMENSION]", "[DIMENSON]"))


def test_a_missing_number_names_the_key_that_looks_like_it() -> None:
    with pytest.raises(FormatError, match=r"PKY1; is PYK1 in line \d+ meant for PKY1\?"):
        parse_tir(example_text().replace("PKY1 =", "PYK1 ="))
    # one that has a default is read with a warning
    file = parse_tir(example_text(FULL).replace("RIM_RADIUS =", "RIM_RADUIS ="))
    assert "RIM_RADIUS" in FULL
    assert "RIM_RADUIS: not used; is RIM_RADIUS meant?" in warned(file)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(trust, "_folders", [])
    trust.trust(tmp_path)
    (tmp_path / "mine.py").write_text(MINE)
    return tmp_path


def test_keys_of_a_user_tire(folder: Path) -> None:
    for key, hint in (("GRPI", "is GRIP meant?"), ("FOO", "known here: STIFFNESS, GRIP")):
        (folder / "t.tir").write_text(f"{FILE}{key} = 0.8\n")
        file = read_tir(folder / "t.tir")
        assert f"[PARAMETER] {key}: not used; {hint}" in warned(file)
        assert file.tire.values["GRIP"] == 1.0
    (folder / "t.tir").write_text(f"{FILE}GRIP = 0.8\n")
    assert not read_tir(folder / "t.tir").report.warnings


def test_a_function_that_fails_is_told_alone(folder: Path) -> None:
    (folder / "t.tir").write_text(
        "[MODEL]\nPROPERTY_FILE_FORMAT = 'USER'\nFUNCTION_NAME = 'mine.py::MyTyre'\n[DIMENSION]\nUNLOADED_RADIUS = 1\n"
    )
    with pytest.raises(FormatError, match=r"MyTyre.*did you mean 'MyTire'") as error:
        read_tir(folder / "t.tir")
    assert "missing blocks" not in str(error.value)


@pytest.mark.parametrize("value", ["abc", None, float("nan"), float("inf"), [1.0]])
def test_what_is_no_number_is_not_set(value: object) -> None:
    file = parse_tir(example_text())
    before = file.text()
    with pytest.raises(ParameterError, match=r"LMUY: found .*expected a number"):
        file.set("LMUY", value)  # type: ignore[arg-type]
    assert file.text() == before


def test_numbers_are_written_as_short_as_they_are() -> None:
    text = example_text().replace("LENGTH = 'meter'", "LENGTH = 'mm'")
    text = text.replace(f"UNLOADED_RADIUS = {EXAMPLE['UNLOADED_RADIUS']!r}", "UNLOADED_RADIUS = 320")
    file = parse_tir(text)
    for radius in (0.35, 0.349, 0.1 + 0.2, 1 / 3):
        file.set("UNLOADED_RADIUS", radius)
        assert file.tire.values["UNLOADED_RADIUS"] == pytest.approx(radius, rel=2.3e-16)
    file.set("UNLOADED_RADIUS", 0.35)
    assert "UNLOADED_RADIUS = 350.0\n" in file.text() or "UNLOADED_RADIUS = 350\n" in file.text()


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("PYK1", ["PKY1", "PCY1"], "PKY1"),
        ("PKY8", ["PKY1", "PKY7"], ""),  # digits are no slips
        ("PTY1", ["PKY1"], ""),
        ("LATERAL_COEFICIENTS", ["LATERAL_COEFFICIENTS", "SCALING_COEFFICIENTS"], "LATERAL_COEFFICIENTS"),
        ("THERMAL_COEFFICIENTS", ["LATERAL_COEFFICIENTS"], ""),
        ("GRIPP", ["GRIP"], "GRIP"),
        ("GRIP", ["GRIP"], ""),
    ],
)
def test_slips_of_the_pen(name: str, known: list[str], found: str) -> None:
    assert close(name, known) == found
