"""What later PAC2002 files carry: LCZ, inflation pressure, QSX4 to QSX11, QSY5 to QSY8; in all their spellings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.pac2002 import Pac2002
from jounce.core.errors import FormatError
from jounce.files.tir import TirFile, parse_tir, tir_text
from models import assert_close
from tire_models import ALL_TERMS, COMPLETE, EXAMPLE, FULL, example_text, reference

NAMES = ("fx", "fy", "mx", "my", "mz")
POINT = (3600.0, 0.04, -0.05, 0.06)
TERMS = {"PPX1": -0.35, "PPY1": -0.5, "QPFZ1": 0.6}


def forces(file: TirFile) -> np.ndarray:
    return np.array([float(v) for v in file.tire.steady(*POINT)])


def warned(file: TirFile) -> list[str]:
    return [str(p) for p in file.report.warnings]


def structure(file: TirFile) -> dict[str, bool]:
    model: Any = file.tire.model
    return {option: getattr(model, option) for option in ALL_TERMS}


@pytest.mark.parametrize("family", ["PAC2002", "MF_05"])
def test_a_file_with_all_terms_has_the_forces_of_the_second_evaluation(family: str) -> None:
    file = parse_tir(example_text(COMPLETE, PROPERTY_FILE_FORMAT=f"'{family}'"))
    assert structure(file) == ALL_TERMS and not warned(file)
    expected = reference(COMPLETE, *POINT, variant=family)
    assert_close(forces(file), [expected[n] for n in NAMES], 1e-9 * 3600, NAMES)


def test_usual_files_pay_for_nothing() -> None:
    quiet = {**FULL, "LCZ": 1.0, "LIP": 1.0, "IP": 2.4e5, "IP_NOM": 2.2e5, "PPX1": 0.0, "QSX4": 0.0, "QSX5": 1.0}
    quiet |= {"QSX7": 2.0, "QSX11": 3.0, "QSY7": 0.0}
    file = parse_tir(example_text(quiet))
    assert file.tire.model == Pac2002(mode=14) and not warned(file)
    assert np.array_equal(forces(file), forces(parse_tir(example_text(FULL))))


@pytest.mark.parametrize(
    ("values", "built"),
    [
        ({"PPY3": 0.1, "IP": 2.0e5, "IP_NOM": 2.2e5}, "pressure"),
        ({"QPX1": 0.1, "IP": 2.0e5, "IP_NOM": 2.2e5}, "pressure"),
        ({"QSY8": -0.4, "IP": 2.0e5, "IP_NOM": 2.2e5}, "pressure"),
        ({"QSX4": 0.02, "QSX6": 1.0, "QSX7": 0.5}, "mixed_overturning"),
        ({"QSX10": 0.02, "QSX11": 1.0}, "mixed_overturning"),
        ({"QSY5": 0.1}, "further_rolling"),
        ({"QSY7": 0.1}, "further_rolling"),
    ],
)
def test_only_what_a_file_has_is_built(values: dict[str, float], built: str) -> None:
    file = parse_tir(example_text({**FULL, **values}))
    assert structure(file) == {option: option == built for option in ALL_TERMS} and not warned(file)
    expected = reference({**FULL, **values}, *POINT)
    assert_close(forces(file), [expected[n] for n in NAMES], 1e-9 * 3600, NAMES)
    assert np.abs(forces(file) - forces(parse_tir(example_text(FULL)))).max() > 1e-6


def test_the_spellings_of_other_programs_mean_the_same() -> None:
    other = {"IP": "INFLPRES", "IP_NOM": "NOMPRES", "QPZ1": "PPZ1", "QPZ2": "PPZ2", "QPX1": "PPMX1", "QPFZ1": "PFZ1"}
    text = renamed = example_text(COMPLETE)
    for name, spelling in other.items():
        renamed = renamed.replace(f"\n{name} = ", f"\n{spelling} = ")
    renamed = renamed.replace("[TIRE_CONDITIONS]", "[OPERATING_CONDITIONS]")
    assert renamed != text
    a, b = parse_tir(text), parse_tir(renamed)
    assert a.tire.model == b.tire.model and a.tire.values == b.tire.values and not warned(b)
    b.set("IP", 2.0e5)
    assert b.text() == renamed.replace("INFLPRES = 250000.0", "INFLPRES = 200000")
    assert b.tire.values["IP"] == 2.0e5


@pytest.mark.parametrize(
    ("unit", "factor"), [("pascal", 1.0), ("kPa", 1e3), ("bar", 1e5), ("psi", 4.4482216152605 / 0.0254**2)]
)
def test_pressure_has_a_unit_of_its_own(unit: str, factor: float) -> None:
    values = {**EXAMPLE, **TERMS, "IP": 2.5e5 / factor, "IP_NOM": 2.1e5 / factor}
    text = example_text(values).replace("TIME = 'second'\n", f"TIME = 'second'\nPRESSURE = '{unit}'\n")
    assert "PRESSURE" in text
    file = parse_tir(text)
    assert file.tire.values["IP"] == pytest.approx(2.5e5, rel=1e-12)
    assert file.tire.values["IP_NOM"] == pytest.approx(2.1e5, rel=1e-12)
    assert not any("PRESSURE" in str(p) for p in file.report.infos)
    with pytest.raises(FormatError, match=r"\[UNITS\] PRESSURE: found 'pascall'; unknown unit of pressure; did you"):
        parse_tir(text.replace(f"'{unit}'", "'pascall'"))


def test_without_a_unit_of_pressure_it_is_that_of_force_and_length() -> None:
    text = example_text({**EXAMPLE, **TERMS, "IP": 0.25, "IP_NOM": 0.21})
    file = parse_tir(text.replace("LENGTH = 'meter'", "LENGTH = 'mm'"))
    assert file.tire.values["IP"] == pytest.approx(2.5e5)  # N/mm²


def test_coefficients_of_pressure_without_a_nominal_one_are_told_and_do_nothing() -> None:
    file = parse_tir(example_text({**FULL, **TERMS, "IP": 2.5e5}))
    assert [w for w in warned(file) if "IP_NOM: is missing, though there are coefficients of pressure" in w]
    assert np.array_equal(forces(file), forces(parse_tir(example_text(FULL))))


def test_a_mixed_part_without_its_slope_over_load_is_told() -> None:
    file = parse_tir(example_text({**FULL, "QSX4": 0.05, "QSX7": 0.4}))
    assert [w for w in warned(file) if "QSX6: is zero or missing, though QSX4 is there" in w]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"LCZ": 0.0}, r"LCZ: found 0 -; must be > 0"),
        ({"LIP": -1.0}, r"LIP: found -1 -; must be > 0"),
        ({"IP_NOM": -1.0}, r"IP_NOM: found -1 N/m2; must not be negative"),
        ({"IP": -5.0}, r"IP: found -5 N/m2; must not be negative"),
        ({"PRESMIN": 3e5, "PRESMAX": 2e5}, r"PRESMAX: found 200000; must be larger than PRESMIN"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(values: dict[str, float], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_tir(example_text({**EXAMPLE, **values}))


def test_a_written_file_is_read_as_the_same_tire() -> None:
    tire = parse_tir(example_text(COMPLETE)).tire
    text = tir_text(tire)
    assert "[TIRE_CONDITIONS]" in text
    again = parse_tir(text).tire
    assert again.model == tire.model and again.values == tire.values


@pytest.mark.parametrize("key", ["BELT_DYNAMICS", "FE_METHOD"])
def test_switches_that_mean_other_forces_are_told(key: str) -> None:
    assert not warned(parse_tir(example_text(**{key: "'NO'"})))
    (told,) = warned(parse_tir(example_text(**{key: "'Yes'"})))
    assert f"[MODEL] {key}: found 'Yes'; without effect" in told


def test_the_vertical_scale_of_a_file() -> None:
    plain, softer = (parse_tir(example_text({**EXAMPLE, **more})).tire for more in ({}, {"LCZ": 0.4419}))
    assert softer.load(0.02) == pytest.approx(0.4419 * float(plain.load(0.02)), rel=1e-14)


def test_relaxation_lengths_that_a_steady_file_need_not_have_are_shown_as_not_given(tmp_path: Path) -> None:
    import json

    from typer.testing import CliRunner

    from jounce.cli.main import app

    path = tmp_path / "steady.tir"
    lines = "FITTYP = 61\nLONGITUDINAL_STIFFNESS = 3e5\nNOMPRES = 2.5e5"
    path.write_text(example_text(USE_MODE=4).replace("PROPERTY_FILE_FORMAT = 'PAC2002'", lines))
    shown = CliRunner().invoke(app, ["tire", "show", str(path)]).output
    (line,) = [text for text in shown.splitlines() if text.split()[:1] == ["lateral_relaxation_length"]]
    assert line.split()[1:3] == ["not", "given"]
    figures = json.loads(CliRunner().invoke(app, ["tire", "show", str(path), "--json"]).output)["figures"]
    assert figures["lateral_relaxation_length"]["value"] is None
    assert figures["longitudinal_relaxation_length"]["value"] > 0.05
