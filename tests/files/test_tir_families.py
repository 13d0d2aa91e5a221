"""Tire files as they are found: encodings, line ends, spellings, blanks, families, use modes, damage of any kind."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counting import calls
from jounce.components.tire.mf6 import BY_NAME as MF6
from jounce.components.tire.pac_mc import COEFFICIENTS as PAC_MC
from jounce.components.tire.swift_mode import decode_swift_mode
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.files.library import library_files
from jounce.files.property_file import Encoding, decoded
from jounce.files.tir import parse_tir, read_tir, tir_text
from mf6_reference import FULL_62
from tire_models import EXAMPLE, FULL, example_text

EXAMPLES = {name: path for name, path in library_files("tires").items() if name.startswith("example_")}
ROOT = Path(__file__).resolve().parent.parent.parent


def file_of(values: dict[str, float], blocks: dict[str, str], **model: Any) -> str:
    """A tire file in SI units from numbers and the blocks they stand in."""
    lines: dict[str, list[str]] = {"MODEL": [f"{k} = {v}" for k, v in model.items()]}
    for name, value in values.items():
        lines.setdefault(blocks[name], []).append(f"{name} = {value!r}")
    head = "[MDI_HEADER]\nFILE_TYPE = 'tir'\n[UNITS]\nLENGTH = 'meter'\nFORCE = 'newton'\nANGLE = 'radian'\n"
    head += "MASS = 'kg'\nTIME = 'second'\n"
    return head + "".join(f"[{block}]\n" + "\n".join(found) + "\n" for block, found in lines.items())


def mf62(**model: Any) -> str:
    keys = {"PROPERTY_FILE_FORMAT": "'USER'", "FUNCTION_NAME": "'TYR815'", "USE_MODE": 124, "FITTYP": 62, **model}
    return file_of(FULL_62, {n: c.block for n, c in MF6.items()}, **{"TYRESIDE": "'LEFT'", **keys})


# --- encodings and line ends -----------------------------------------------------------------------------------------

NOTE = "$ Größe 225/50, µ nach Messung\n"


@pytest.mark.parametrize(
    ("codec", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", b"\xef\xbb\xbf"),
        ("cp1252", b""),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-16-le", b""),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_encoding_and_line_end_is_read_and_only_the_changed_number_is_written(
    tmp_path: Path, codec: str, mark: bytes, end: str
) -> None:
    text = (NOTE if codec != "utf-16-le" or mark else "$ size 225/50\n") + example_text()
    text = text.replace("\n", end)
    path = tmp_path / "a.tir"
    path.write_bytes(mark + text.encode(codec))
    file = read_tir(path)
    assert file.tire.values["PKY1"] == -18 and file.file.encoding == Encoding(codec, mark)
    file.write(tmp_path / "b.tir")
    assert (tmp_path / "b.tir").read_bytes() == path.read_bytes()
    file.set("PKY1", -17.5)
    file.write(tmp_path / "b.tir")
    assert (tmp_path / "b.tir").read_bytes() == mark + text.replace("PKY1 = -18" + end, "PKY1 = -17.5" + end).encode(
        codec
    )
    assert not list(tmp_path.glob(".*")), "no traces of writing"


def test_bytes_of_no_encoding_come_back() -> None:
    raw = b"[A]\nX = 'a\x81\x8d\x9d'\n"  # not defined in cp1252
    text, encoding = decoded(raw, "x")
    assert text.encode(encoding.codec) == raw


def test_marked_files_that_are_damaged_are_told() -> None:
    with pytest.raises(FormatError, match=r"x\.tir: is marked as utf-16-le, but byte"):
        decoded(b"\xff\xfe[\x00A\x00]", "x.tir")
    with pytest.raises(FormatError, match="zero bytes"):
        decoded(b"[A]\0\0\0", "x.tir")


# --- how people write ------------------------------------------------------------------------------------------------


def test_remarks_blanks_quotes_and_fortran_numbers() -> None:
    text = example_text()
    text = text.replace("PKX1 = 22", "PKX1 = 2.2D+01   ! from the fit of May")
    text = text.replace("TYRESIDE = 'LEFT'", 'TYRESIDE = "RIGHT"   ! as driven')
    text = text.replace("PHX1 = -0.0005", "PHX1 =        $ not identified")
    text = text.replace("VXLOW = 1.0", "vxlow= 1.5 // slow")
    text = text.replace("USE_MODE = 14", "USE_MODE = 14.0 # steady is 4")
    file = parse_tir(text, "wild.tir")
    values = file.tire.values
    assert (values["PKX1"], values["PHX1"], values["VXLOW"], file.tire.side) == (22.0, 0.0, 1.5, "right")
    assert any("PHX1: has no value; counts as missing" in str(p) for p in file.report.infos)
    assert file.text() == text
    file.set("PHX1", 0.001)
    assert "PHX1 =        0.001$ not identified" in file.text() or "PHX1 = 0.001" in file.text().replace("  ", "")
    assert file.tire.values["PHX1"] == 0.001


def test_a_decimal_comma_is_explained() -> None:
    text = example_text().replace("PKX3 = 0.2\n", "PKX3 = 0,2\n")
    with pytest.raises(FormatError, match=r"PKX3: found '0,2'; write a decimal point: 0.2"):
        parse_tir(text, "comma.tir")


def test_old_and_new_spellings_mean_the_same() -> None:
    values = {**EXAMPLE, "LKYG": 0.8}
    text = example_text(values)
    for old, new in (("LKYG =", "LKYC ="), ("LONGVL =", "LONGV1 =")):
        text = text.replace(old, new)
    file = parse_tir(text)
    assert file.tire.values["LKYG"] == 0.8 and file.tire.values["LONGVL"] == 16.7
    file.set("LKYG", 0.7)
    assert "LKYC = 0.7" in file.text() and "LKYG" not in file.text(), "under the name the file has"
    both = parse_tir(text.replace("LKYC = 0.8", "LKYG = 0.6\nLKYC = 0.8"))
    assert both.tire.values["LKYG"] == 0.6
    assert any("another spelling of LKYG" in str(p) for p in both.report.warnings)


# --- families --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "family", "kind"),
    [
        ({"PROPERTY_FILE_FORMAT": "'PAC2002'"}, "PAC2002", "pac2002"),
        ({"PROPERTY_FILE_FORMAT": "'MF_05'"}, "MF_05", "pac2002"),
        ({"PROPERTY_FILE_FORMAT": "'MF_05'", "FITTYP": 5}, "MF_05", "pac2002"),
        ({"PROPERTY_FILE_FORMAT": "'MF_05'", "FITTYP": 6}, "MF_52", "pac2002"),
        ({"PROPERTY_FILE_FORMAT": "'MF_05'", "FITTYP": 21}, "MF_52", "pac2002"),
        ({"PROPERTY_FILE_FORMAT": "'MF-TYRE'", "FITTYP": 52}, "MF_52", "pac2002"),
    ],
)
def test_car_families(keys: dict[str, Any], family: str, kind: str) -> None:
    file = parse_tir(example_text(FULL, **keys), "car.tir")
    assert (file.family, file.tire.model.kind) == (family, kind)
    assert file.tire.model.variant == family  # type: ignore[attr-defined]
    again = parse_tir(tir_text(file.tire), "car.tir")
    assert again.tire.model == file.tire.model and dict(again.tire.values) == dict(file.tire.values)


@pytest.mark.parametrize(
    ("keys", "version"),
    [
        ({}, 62),
        ({"FUNCTION_NAME": "'TNO::mtyre_mfswift_7'"}, 62),
        ({"FUNCTION_NAME": "''", "USER_SUB_ID": 815, "FITTYP": 61}, 61),
        ({"PROPERTY_FILE_FORMAT": "'MF-Tyre'", "FITTYP": 61}, 61),
        ({"PROPERTY_FILE_FORMAT": "'MF62'"}, 62),
        ({"PROPERTY_FILE_FORMAT": "'mf_61'", "FITTYP": 61}, 61),
    ],
)
def test_mf6_families(keys: dict[str, Any], version: int) -> None:
    file = parse_tir(mf62(**keys), "mf.tir")
    model: Any = file.tire.model
    assert (file.family, model.version, model.mode, model.nonlinear) == (f"MF_{version}", version, 14, True)
    assert model.softening and model.camber_deflection == (version == 62) and not model.turn_slip
    for name, value in FULL_62.items():
        assert file.tire.values[name] == value, name
    again = parse_tir(tir_text(file.tire, skip_defaults=False), "mf.tir")
    assert again.tire.model == model and dict(again.tire.values) == dict(file.tire.values)


def test_a_motorcycle_file_with_its_section() -> None:
    blocks = {c.name: c.block for c in PAC_MC}
    values = {"UNLOADED_RADIUS": 0.31, "VERTICAL_STIFFNESS": 1.8e5, "FNOMIN": 1400.0, "KPUMIN": -1.0, "ALPMIN": -1.5,
              "CAMMIN": -1.0, "FZMIN": 50.0, "PCY1": 1.2, "PCY2": 0.6, "PDY1": 1.3, "PEY1": -1.0, "PEY5": -2.0,
              "PKY1": -18.0, "PKY2": 1.5, "PKY3": 1.3, "PKY6": -0.9}  # fmt: skip
    keys = {"PROPERTY_FILE_FORMAT": "'USER'", "FUNCTION_NAME": "'vitools::vi_tire'", "MODEL_TYPE": "'PAC_MC'"}
    text = file_of(values, blocks, USE_MODE=2, CP2WC_MODE=1, **keys)
    text += "[SECTION_PROFILE_TABLE]\n{ x y }\n0 0\n0.02 0.0023\n0.04 0.0096\n0.06 0.024\n"
    file = parse_tir(text, "mc.tir")
    model: Any = file.tire.model
    assert (file.family, model.kind, model.mode, model.profile, model.disc_point) == ("PAC_MC", "pac_mc", 2, True, True)
    assert file.tire.steady(1400.0, 0.0, 0.0, 0.3).fy < 0
    again = parse_tir(tir_text(file.tire), "mc.tir").tire
    assert again.model == model
    assert again.curves["profile"](0.4) == pytest.approx(file.tire.curves["profile"](0.4), rel=1e-4)
    with pytest.raises(FormatError, match=r"\[SECTION_PROFILE_TABLE\]: cross-section: must be convex"):
        parse_tir(text.replace("0.06 0.024", "0.06 0.0097"), "mc.tir")
    steep = parse_tir(text.replace("PCY2 = 0.6", "PCY2 = 0.9"))
    assert any("must be below 2" in str(p) for p in steep.report.warnings)
    car = parse_tir(example_text() + text[text.index("[SECTION") :])
    assert any("contact of this tire is that of a disc" in str(p) for p in car.report.warnings)


@pytest.mark.parametrize(
    ("code", "expected"),
    [(0, (0, 0, 0)), (4, (0, 0, 4)), (14, (0, 1, 4)), (114, (1, 1, 4)), (125, (1, 2, 5)), (544, (5, 4, 4))],
)
def test_the_digits_of_use_modes(code: int, expected: tuple[int, ...]) -> None:
    assert tuple(decode_swift_mode(code)) == expected
    assert tuple(decode_swift_mode(-code)) == expected


@pytest.mark.parametrize(
    ("code", "options"),
    [
        (4, {"mode": 4, "nonlinear": False, "turn_slip": False}),
        (14, {"mode": 14, "nonlinear": False, "turn_slip": False}),
        (114, {"mode": 14, "nonlinear": False, "turn_slip": False}),
        (122, {"mode": 12, "nonlinear": True, "turn_slip": False}),
        (25, {"mode": 14, "nonlinear": True, "turn_slip": True}),
        (105, {"mode": 4, "nonlinear": False, "turn_slip": True}),
    ],
)
def test_use_modes_of_mf6(code: int, options: dict[str, Any]) -> None:
    model = parse_tir(mf62(USE_MODE=code)).tire.model
    assert {name: getattr(model, name) for name in options} == options


def test_use_modes_that_are_not_there() -> None:
    for code in (314, 414, 214):
        with pytest.raises(FormatError, match=f"USE_MODE: found {code}: contact .* is not available; use 0 or 1"):
            parse_tir(mf62(USE_MODE=code))
    with pytest.raises(FormatError, match="digits are contact 0-5, dynamics 0-4, forces 0-5"):
        parse_tir(mf62(USE_MODE=168))
    warned = parse_tir(mf62(USE_MODE=534))
    text = "\n".join(str(p) for p in warned.report.warnings)
    assert "enveloping is not available yet" in text and "rigid ring is not available yet" in text
    with pytest.raises(ParameterError, match="use mode 700"):
        decode_swift_mode(700)
    missing = mf62().replace("LATERAL_STIFFNESS = 130000.0\n", "")
    with pytest.raises(FormatError, match=r"without a default \(use mode 14\): LATERAL_STIFFNESS"):
        parse_tir(missing)
    no_turning = mf62(USE_MODE=125).replace("PHYP2 = 0.15\n", "")
    with pytest.raises(FormatError, match="PHYP2"):
        parse_tir(no_turning)


def test_files_of_the_fiala_tire_as_programs_write_them() -> None:
    text = """[MDI_HEADER]
FILE_TYPE = 'tir'
[UNITS]
LENGTH = 'mm'
FORCE = 'newton'
ANGLE = 'degree'
MASS = 'kg'
TIME = 'sec'
[MODEL]
PROPERTY_FILE_FORMAT = 'FIALA'
FUNCTION_NAME = 'TYR902'
USE_MODE = 2.0
[DIMENSION]
UNLOADED_RADIUS = 316.0
WIDTH = 205.0
ASPECT_RATIO = 0.55
[PARAMETER]
VERTICAL_STIFFNESS = 210.0
VERTICAL_DAMPING = 0.3
ROLLING_RESISTANCE = 3.0
CSLIP = 80000.0
CALPHA = 1082.0
CGAMMA = 0.0
UMIN = 0.85
UMAX = 1.05
RELAX_LENGTH_X = 150.0
RELAX_LENGTH_Y = 500.0
[SHAPE]
{radial width}
1.0 0.0
1.0 1.0
"""
    file = parse_tir(text, "fiala.tir")
    v = file.tire.values
    assert file.tire.model.mode == 14  # type: ignore[attr-defined]
    assert v["CALPHA"] == pytest.approx(1082 * 180 / np.pi) and v["CSLIP"] == 80000
    assert (v["WIDTH"], v["VERTICAL_STIFFNESS"]) == pytest.approx((0.205, 210e3))
    assert (v["VERTICAL_DAMPING"], v["ROLLING_RESISTANCE"], v["RELAX_LENGTH_Y"]) == pytest.approx((300.0, 0.003, 0.5))
    assert file.text() == text


# --- the examples ----------------------------------------------------------------------------------------------------


def make_examples() -> Any:
    spec = importlib.util.spec_from_file_location("make_example_tires", ROOT / "tools" / "make_example_tires.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["make_example_tires"] = module
    spec.loader.exec_module(module)
    return module


def test_examples_are_what_the_script_makes() -> None:
    made = make_examples().texts()
    assert set(made) == {path.name for path in EXAMPLES.values()}
    stale = [path.name for path in EXAMPLES.values() if path.read_text(encoding="utf-8") != made[path.name]]
    assert not stale, f"run python tools/make_example_tires.py: {stale}"


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_examples_are_read_without_complaint_and_say_where_they_come_from(name: str) -> None:
    file = read_tir(EXAMPLES[name])
    assert not file.report.warnings and file.tire.side == "symmetric" and file.tire.model.transient
    text = file.text()
    assert all(word in text for word in ("author:", "licence: CC0-1.0", "source:", "measured: nothing"))
    f = file.tire.steady(file.tire.values["FNOMIN"])
    assert f.fy == 0.0 and f.mz == 0.0 and f.mx == 0.0, "it does not pull"
    made, _ = make_examples().tires()[name]
    assert made.model == file.tire.model and dict(made.values) == dict(file.tire.values)


# --- damage ----------------------------------------------------------------------------------------------------------

TEXTS = {
    "pac2002": example_text(),
    "mf62": mf62(USE_MODE=125),
    **{name: path.read_text(encoding="utf-8") for name, path in EXAMPLES.items()},
}


@pytest.mark.parametrize("name", list(TEXTS))
@given(data=st.data())
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_lines_are_refused_with_a_place_or_read(name: str, data: st.DataObject) -> None:
    lines = TEXTS[name].splitlines()
    for _ in range(data.draw(st.integers(1, 5))):
        i = data.draw(st.integers(0, len(lines) - 1))
        action = data.draw(st.sampled_from(["drop", "repeat", "text", "number", "swap", "blank", "cut", "quote"]))
        if action == "drop" and len(lines) > 1:
            lines.pop(i)
        elif action == "repeat":
            lines.insert(i, lines[i])
        elif action == "text":
            lines[i] = lines[i][: data.draw(st.integers(0, 12))] + data.draw(st.text(max_size=8))
        elif action == "number":
            number = data.draw(st.floats())
            lines[i] = lines[i].split("=")[0] + f"= {number!r}"
        elif action == "blank":
            lines[i] = lines[i].split("=")[0] + "="
        elif action == "cut":
            del lines[i + 1 :]
        elif action == "quote":
            lines[i] = lines[i] + "'"
        else:
            lines[i] = lines[i][::-1]
    check("\n".join(lines))


@given(raw=st.binary(max_size=400))
@settings(max_examples=150)
def test_any_bytes_are_refused_or_read(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged.tir"
    path.write_bytes(raw)
    with pytest.raises(FormatError, match=r"damaged\.tir"):
        read_tir(path)


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    "[MODEL]",
                    "[UNITS]",
                    "(BASE)",
                    "{x y",
                    "}",
                    "1 2 3",
                    "'",
                    "$",
                    "!",
                    "A = ",
                    "= 3",
                    "A <m> = 2",
                    "[",
                    "(",
                ]
            ),
            st.text(max_size=12),
        ),
        max_size=30,
    )
)
@settings(max_examples=150)
def test_any_text_is_refused_or_read(parts: list[str]) -> None:
    check("\n".join(parts))


def check(text: str) -> None:
    try:
        tire = parse_tir(text, "damaged.tir").tire
    except JounceError as error:
        assert isinstance(error, FormatError) and "damaged.tir" in str(error)
        first = str(error).splitlines()[1] if "\n" in str(error) else str(error)
        assert first.strip(), "says what is wrong"
    else:
        assert tire.lacks or all(np.isfinite(v) for v in tire.values.values())


def test_a_long_line_is_read_or_refused() -> None:
    """With twice the length at most twice the work, and none that only ends with patience."""
    for text in ("[A", "KEY <", "{a ", "[M]\nX = 9", "[M]\n("):
        long, longer = (text + text[-2:] * n for n in (20_000, 40_000))
        check(long)
        assert calls(lambda text=longer: check(text)) < 2.5 * calls(lambda text=long: check(text)) + 1000
