"""Tire files: what is read, in which units, what is missing, what comes later, what is written."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jounce.components.tire.pac2002 import COEFFICIENTS, SIDED
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.files.tir import parse_tir, read_tir, tir_text, write_tir
from tire_models import EXAMPLE, FULL, example_text


def values(text: str) -> dict[str, float]:
    return dict(parse_tir(text, "t.tir").tire.values)


def test_all_numbers_arrive() -> None:
    file = parse_tir(example_text(FULL), "full.tir")
    for name, value in FULL.items():
        assert file.tire.values[name] == value, name
    tire = file.tire
    assert (tire.model.mode, tire.model.variant, tire.side, tire.name) == (14, "PAC2002", "left", "full")  # type: ignore[attr-defined]
    assert not file.report.errors and not file.report.warnings


def test_files_in_millimetres_and_degrees_describe_the_same_tire() -> None:
    text = example_text()
    text = text.replace("'meter'", "'mm'").replace("'radian'", "'degree'").replace("'newton'", "'knewton'")
    factors = {"UNLOADED_RADIUS": 1e3, "RIM_RADIUS": 1e3, "VERTICAL_STIFFNESS": 1e-6, "VERTICAL_DAMPING": 1e-6,
               "FNOMIN": 1e-3, "VXLOW": 1e3, "LONGVL": 1e3, "FZMIN": 1e-3, "FZMAX": 1e-3,
               **dict.fromkeys(("ALPMIN", "ALPMAX", "CAMMIN", "CAMMAX"), 180 / math.pi)}  # fmt: skip
    for name, factor in factors.items():
        text = text.replace(f"{name} = {EXAMPLE[name]!r}\n", f"{name} = {EXAMPLE[name] * factor!r}\n")
    expected, found = values(example_text()), values(text)
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-14), name


def test_a_tag_overrides_the_unit_of_the_file() -> None:
    text = example_text().replace("VXLOW = 1.0", "VXLOW <kmh> = 3.6")
    file = parse_tir(text)
    assert file.tire.values["VXLOW"] == pytest.approx(1.0)
    assert "<kmh>" in str(file.report.warnings[0])


def test_missing_numbers_are_listed_with_what_they_become() -> None:
    file = parse_tir(example_text())
    notes = "\n".join(str(p) for p in file.report.infos)
    assert "missing, taken as 0:" in notes and "PDX3" in notes
    assert "missing, taken as 1:" in notes and "LKYG" in notes
    assert file.tire.values["LKYG"] == 1.0 and file.tire.values["PDX3"] == 0.0


def test_what_has_no_default_is_an_error_and_all_of_it_at_once() -> None:
    fewer = {k: v for k, v in EXAMPLE.items() if k not in ("PCX1", "PKY2", "FNOMIN")}
    with pytest.raises(FormatError) as caught:
        parse_tir(example_text(fewer, USE_MODE=16), "bad.tir")
    message = str(caught.value)
    assert message.startswith("2 problems in bad.tir")
    assert "missing numbers without a default (use mode 14): FNOMIN, PCX1, PKY2" in message
    assert "[MODEL] USE_MODE: found 16; allowed: 0, 1, 2, 3, 4, 11, 12, 13, 14" in message
    # a mode that does not need them does not ask for them
    parse_tir(example_text({k: v for k, v in EXAMPLE.items() if k != "PCX1"}, USE_MODE=12))


def test_missing_blocks_are_listed() -> None:
    with pytest.raises(
        FormatError, match=r"missing blocks: \[MDI_HEADER\], \[UNITS\], .*\[VERTICAL\].*there are: MODEL"
    ):
        parse_tir("[MODEL]\nUSE_MODE = 1\n")


@pytest.mark.parametrize(
    ("mode", "used", "lost"),
    [
        (5, 4, "turn slip"),
        (15, 14, "turn slip"),
        (-15, -14, "turn slip"),
        (21, 11, "the contact mass"),
        (22, 12, "the contact mass"),
        (23, 13, "the contact mass"),
        (24, 14, "the contact mass"),
        (-24, -14, "the contact mass"),
        (25, 14, "the contact mass and turn slip"),
    ],
)
@pytest.mark.parametrize("family", ["PAC2002", "MF_05"])
def test_modes_that_do_more_are_read_as_those_that_are_there(mode: int, used: int, lost: str, family: str) -> None:
    file = parse_tir(example_text(USE_MODE=mode, PROPERTY_FILE_FORMAT=f"'{family}'"))
    told = [str(p) for p in file.report.warnings]
    assert len(told) == 1
    assert f"USE_MODE: found {mode}: {lost} not available yet; {used} is used instead" in told[0]
    assert file.tire.model.mode == abs(used)  # type: ignore[attr-defined]
    assert file.tire.side == ("left" if mode > 0 else "right")
    assert file.text() == example_text(USE_MODE=mode, PROPERTY_FILE_FORMAT=f"'{family}'")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("UNLOADED_RADIUS = 0.3135", "UNLOADED_RADIUS = -0.3"), r"UNLOADED_RADIUS: found -0.3 m; must be > 0"),
        (("KPUMAX = 1.0", "KPUMAX = -2.0"), "KPUMAX: found -2; must be larger than KPUMIN = -1"),
        (("VERTICAL_DAMPING = 300", "VERTICAL_DAMPING = -3"), "must not be negative"),
        (("PCX1 = 1.6", "PCX1 = 'x'"), r"line \d+  \[LONGITUDINAL_COEFFICIENTS\] PCX1: found 'x'; expected a number"),
        (("'LEFT'", "'LEFF'"), "did you mean 'LEFT'"),
        (("USE_MODE = 14", "USE_MODE = 14.5"), "expected a whole number"),
        (("USE_MODE = 14", "USE_MODE = 26"), "USE_MODE: found 26; allowed: 0, 1, 2, 3, 4, 11, 12, 13, 14"),
        (("USE_MODE = 14", "USE_MODE = 14\nLONSLIP_MODE = 2"), "LONSLIP_MODE: found 2; allowed: 0, 1"),
        (("'tir'", "'rdf'"), "FILE_TYPE: found 'rdf'; expected 'tir'"),
        (("'newton'", "'newtom'"), "unknown unit of force; did you mean 'newton'"),
    ],
)
def test_wrong_values_are_refused_with_line_and_reason(change: tuple[str, str], message: str) -> None:
    text = example_text()
    assert change[0] in text
    with pytest.raises(FormatError, match=message):
        parse_tir(text.replace(*change), "bad.tir")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"PROPERTY_FILE_FORMAT": "'FTIRE'"},
            "FTire is not installed: it needs the FTire library .* and an adapter",
        ),
        ({"PROPERTY_FILE_FORMAT": "'PAC89'"}, "Pacejka '89: this tire family is not available yet"),
        ({"PROPERTY_FILE_FORMAT": "'CDTIRE'"}, "CDTire is not installed"),
        ({"PROPERTY_FILE_FORMAT": "'TAMETIRE'"}, "TameTire is not installed"),
        ({"PROPERTY_FILE_FORMAT": "'USER'", "FUNCTION_NAME": "'CTI::TYR510'"}, "FTire"),
        ({"PROPERTY_FILE_FORMAT": "'USER'", "FUNCTION_NAME": "'TYR815'"}, "'MF-TYRE' without FITTYP"),
        (
            {"PROPERTY_FILE_FORMAT": "'USER'", "FUNCTION_NAME": "'mtyre_mfswift_7'", "FITTYP": "70"},
            r"line \d+  \[MODEL\] FITTYP: MF-Tyre/MF-Swift is not installed",
        ),
        ({"PROPERTY_FILE_FORMAT": "'USER'", "USER_SUB_ID": "815", "FITTYP": "7"}, "known versions: 5, 50, 51, 6"),
        (
            {"PROPERTY_FILE_FORMAT": "'USER'", "FUNCTION_NAME": "'mine::tire'"},
            r"line \d+  \[MODEL\] INTERFACE_TYPE: is missing; allowed: 'STI' or 'CRT'",
        ),
        (
            {"PROPERTY_FILE_FORMAT": "'USER'", "FUNCTION_NAME": "'tire'"},
            "expected 'library::function' with .*jounce::NAME",
        ),
        ({"PROPERTY_FILE_FORMAT": "'USER'", "FUNCTION_NAME": "'jounce::fialla'"}, "unknown; did you mean 'fiala'"),
        ({"PROPERTY_FILE_FORMAT": "'MF-TYRE'"}, "MF-Tyre 5 files say 'MF_05'"),
        ({"PROPERTY_FILE_FORMAT": "'PAC2003'"}, "unknown tire family; did you mean 'PAC2002'"),
        ({"PROPERTY_FILE_FORMAT": "''"}, "is missing; allowed"),
    ],
)
def test_other_families_are_named(keys: dict[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_tir(example_text(**keys))


def test_the_family_decides_the_variant() -> None:
    assert parse_tir(example_text(PROPERTY_FILE_FORMAT="'mf_05'")).tire.model.variant == "MF_05"  # type: ignore[attr-defined]


def test_a_symmetric_tire_loses_what_pulls_to_one_side() -> None:
    file = parse_tir(example_text(FULL, TYRESIDE="'Symmetric'"))
    assert all(file.tire.values[name] == 0 for name in SIDED)
    assert any("SYMMETRIC" in str(p) for p in file.report.infos)
    f = file.tire.steady(4000.0)
    assert f.fy == 0.0 and f.mz == pytest.approx(0.0, abs=1e-9)


def test_a_negative_mode_is_the_mirrored_tire() -> None:
    plain, mirrored = (parse_tir(example_text(FULL, USE_MODE=m)).tire for m in (14, -14))
    a = plain.steady(4000.0, 0.02, 0.05, 0.01, mounted="right")
    b = mirrored.steady(4000.0, 0.02, 0.05, 0.01, mounted="left")
    assert a == b
    assert a != plain.steady(4000.0, 0.02, 0.05, 0.01, mounted="left")


def test_load_curves() -> None:
    text = example_text({k: v for k, v in EXAMPLE.items() if k != "VERTICAL_STIFFNESS"}).replace("'meter'", "'mm'")
    text = text.replace("UNLOADED_RADIUS = 0.3135", "UNLOADED_RADIUS = 313.5").replace(
        "RIM_RADIUS = 0.203", "RIM_RADIUS = 203"
    )
    text += "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0 0\n10 1500\n20 3500\n30 6000\n"
    text += "[BOTTOMING_CURVE]\n{pen fz}\n0 0\n10 20000\n"
    tire = parse_tir(text).tire
    assert tire.load(0.02) == pytest.approx(3500)
    assert tire.values["VERTICAL_STIFFNESS"] == pytest.approx(2500 / 0.01)
    assert tire.load(0.3135 - 0.203 + 0.005) - tire.load(0.3135 - 0.203 - 1e-9) > 10000
    for wrong in ("0 0\n0 1500", "0 0\n10 -5", "0 0"):
        bad = text.replace("0 0\n10 20000", wrong)
        with pytest.raises(FormatError, match="BOTTOMING_CURVE"):
            parse_tir(bad)


def test_unknown_blocks_and_keys_are_kept() -> None:
    text = example_text().replace("[VERTICAL]", "[VERTICAL]\nZV7 = 0.5\nQFZ1 = 20") + "[VENDOR]\nfree text here\n"
    file = parse_tir(text)
    notes = [str(p) for p in file.report.infos]
    assert any("[VENDOR]: block is not known" in n for n in notes)
    assert any("ZV7: not used" in n for n in notes)
    assert file.tire.model.extended and file.tire.values["QFZ1"] == 20  # type: ignore[attr-defined]
    assert not file.report.warnings
    assert file.text() == text


def test_a_changed_number_changes_only_its_own_characters() -> None:
    text = "$ mine\n" + example_text().replace("'meter'", "'mm'").replace("LONGVL = 16.7", "LONGVL = 16700 $ slow")
    text = text.replace("VXLOW = 1.0", "VXLOW = 1000").replace("_RADIUS = 0.", "_RADIUS = 3")
    file = parse_tir(text)
    file.set("LMUY", 0.8)
    assert file.tire.values["LMUY"] == 0.8
    assert file.text() == text + "[SCALING_COEFFICIENTS]\nLMUY = 0.8\n"
    file.set("LONGVL", 20.0)
    assert file.text() == text.replace("16700", "20000") + "[SCALING_COEFFICIENTS]\nLMUY = 0.8\n"
    with pytest.raises(FormatError, match="must be > 0"):
        file.set("FNOMIN", -1.0)
    assert file.tire.values["FNOMIN"] == 4000
    assert "-1" not in file.text().split("[VERTICAL]")[1].split("[")[0]
    with pytest.raises(ParameterError, match="'LMUZ': no number of a tire file; did you mean"):
        file.set("LMUZ", 1.0)


def test_suspicious_files_warn() -> None:
    file = parse_tir(example_text({**EXAMPLE, "PKY1": 18, "PTY1": 0}))
    text = "\n".join(str(p) for p in file.report.warnings)
    assert "are the axes ISO?" in text and "relaxation length is zero" in text


def test_a_written_tire_is_read_back(tmp_path: Path) -> None:
    tire = parse_tir(example_text(FULL)).tire
    path = tmp_path / "out.tir"
    write_tir(path, tire, ["where it comes from"])
    file = read_tir(path)
    assert dict(file.tire.values) == dict(tire.values)
    assert (file.tire.model, file.tire.side) == (tire.model, tire.side)
    assert path.read_text().startswith("$ where it comes from\n[MDI_HEADER]\n")
    assert "PKY1" in tir_text(tire) and all(c.name in tir_text(tire, (), False) for c in COEFFICIENTS if c.block)
    rng = np.random.default_rng(2)
    for x in rng.uniform([0, -1, -1, -0.2], [9000, 1, 1, 0.2], (20, 4)):
        assert tuple(file.tire.steady(*x)) == tuple(tire.steady(*x))


LINES = example_text().splitlines()


@given(st.data())
@settings(max_examples=150)
def test_damaged_files_are_refused_with_a_reason_or_read(data: st.DataObject) -> None:
    lines = list(LINES)
    for _ in range(data.draw(st.integers(1, 4))):
        i = data.draw(st.integers(0, len(lines) - 1))
        action = data.draw(st.sampled_from(["drop", "repeat", "text", "number", "swap"]))
        if action == "drop":
            lines.pop(i)
        elif action == "repeat":
            lines.insert(i, lines[i])
        elif action == "text":
            lines[i] = lines[i][: data.draw(st.integers(0, 12))] + data.draw(st.text(max_size=8))
        elif action == "number":
            number = data.draw(st.floats(allow_nan=False, allow_infinity=False))
            lines[i] = lines[i].split("=")[0] + f"= {number!r}"
        else:
            lines[i] = lines[i][::-1]
    try:
        tire = parse_tir("\n".join(lines), "damaged.tir").tire
    except JounceError as error:
        assert isinstance(error, FormatError) and "damaged.tir" in str(error)
    else:
        assert tire.values["FNOMIN"] > 0


# -- without a vertical stiffness: fits of rig data leave it out -----------------------------------------------------


def without_stiffness(text: str) -> str:
    kept = [line for line in text.splitlines() if not line.startswith("VERTICAL_STIFFNESS")]
    assert len(kept) == len(text.splitlines()) - 1
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize("name", ["sedan_225_50r17", "example_mf61", "example_pac_mc", "example_fiala"])
def test_a_tire_without_vertical_stiffness_is_evaluated_as_one_with_it(name: str) -> None:
    from jounce.rigs.tire_rig import find_tire

    whole = find_tire(name)
    file = parse_tir(without_stiffness(tir_text(whole)), f"{name}.tir")
    assert file.tire.lacks == ("VERTICAL_STIFFNESS",)
    assert "VERTICAL_STIFFNESS: is missing" in "\n".join(map(str, file.report.warnings))
    load = 1.3 * whole.values["FNOMIN"]
    for kappa, alpha, gamma in ((0.03, 0.0, 0.0), (-0.2, 0.05, 0.02), (0.0, -0.12, -0.04)):
        found, expected = file.tire.steady(load, kappa, alpha, gamma), whole.steady(load, kappa, alpha, gamma)
        np.testing.assert_array_equal(found, expected)
    # what was not said is not written either
    assert "VERTICAL_STIFFNESS" not in tir_text(file.tire)
    again = file.tire.with_values(VERTICAL_STIFFNESS=whole.values["VERTICAL_STIFFNESS"])
    assert not again.lacks and again.deflection(load) == whole.deflection(load)


def test_a_tire_without_vertical_stiffness_is_judged_and_its_deflection_is_no_number(tmp_path: Path) -> None:
    from jounce.components.tire.figures import faults, figures
    from jounce.rigs.tire_report import check_file

    path = tmp_path / "rig.tir"
    path.write_text(without_stiffness(example_text(FULL)))
    tire = read_tir(path).tire
    found, whole = figures(tire), figures(parse_tir(example_text(FULL)).tire)
    gone = {name for name, figure in found.items() if math.isnan(figure.value)}
    assert gone == {"vertical_rate", "deflection", "effective_radius"}
    assert {k: v for k, v in found.items() if k not in gone} == {k: v for k, v in whole.items() if k not in gone}
    assert not faults(tire)
    assert check_file(path).tire is not None


def test_driving_on_a_tire_without_vertical_stiffness_asks_for_the_number(tmp_path: Path) -> None:
    import jounce as jn
    from jounce.sim.car import tires_of

    car, path = jn.load("sedan"), tmp_path / "rig.tir"
    path.write_text(without_stiffness(example_text(FULL)))
    wanted = r"rig.*VERTICAL_STIFFNESS is missing.*usual for this size: .* N/m.*\[VERTICAL\]"
    with pytest.raises(JounceError, match=wanted):
        jn.run(car, jn.events.StepSteer(), tires={**tires_of(car), "L1": read_tir(path).tire})
    with pytest.raises(JounceError, match="VERTICAL_STIFFNESS is missing"):
        read_tir(path).tire.deflection(4000.0)
