"""AER files: nodes come out exactly, forces are those of the format's equations, versions agree, what is refused."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import RegularGridInterpolator

import jounce.vehicle as jv
from aer_texts import ANGLES, FRONT, REAR, STANDARD, USER, V1, V2
from air_rig import MOTIONS, Seen, rig, simulation
from jounce.core.errors import FormatError, ParameterError
from jounce.files.aer import Aer, read_aer, to_version_2
from jounce.sim import car

POINTS: dict[str, Any] = {"front": (0.11, 0.02, 0.31), "rear": (-2.71, -0.03, 0.42), "center": (-1.23, 0.04, 0.63)}
SENSORS = {"front_sensor": (0.2, 0.01, 0.17), "rear_sensor": (-2.6, -0.02, 0.19)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("aer")


def written(folder: Path, text: str, name: str = "car.aer") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def on_rig(found: Aer) -> Any:
    return car.describe(rig(found.aero(**POINTS, **SENSORS)), ground="inclined")


def test_a_standard_file_gives_its_forces_at_the_nodes(folder: Path) -> None:
    found = read_aer(written(folder, STANDARD))
    assert found.form == "standard" and found.warnings == []
    force = found.keys["front_downforce"]["force"]
    for i, front in enumerate((0.020, 0.060)):
        for j, rear in enumerate((0.030, 0.080)):
            expected = ((1500.0, 1600.0), (1300.0, 1380.0))[i][j]
            assert force(front, rear, method="linear") == pytest.approx(expected, rel=1e-12)
    keys = found.keys
    assert keys["reference_velocity"] == pytest.approx(50.0, rel=1e-12)
    assert (keys["air_density"], keys["reference_density"]) == pytest.approx((1.2, 1.25), rel=1e-12)
    assert (keys["front_ride_height_max"], keys["rear_ride_height_min"]) == pytest.approx((0.06, 0.03))
    assert (keys["drag_arm_min"], keys["drag_arm_max"]) == pytest.approx((0.0, 0.6))


def test_forces_of_a_standard_file(folder: Path) -> None:
    """Far above ground both heights are at their upper limits: the last node of each map, (ρ/k_ρ)(V/V_ref)²."""
    description = on_rig(read_aer(written(folder, STANDARD)))
    motion = {**MOTIONS[0], "z": 2.0}
    sim = simulation(description, motion)
    seen = Seen(rig({"drag": {"area": 0, "location": POINTS["center"]}}), sim, motion)
    nodes = (("front_downforce", "front", 1380.0), ("rear_downforce", "rear", 1900.0), ("drag_force", "center", 1100.0))
    for name, word, node in nodes:
        u = seen.through_air(POINTS[word], (0, 0, 0))[0]
        assert seen.found[f"aero_forces.{name}"] == pytest.approx(1.2 / 1.25 * node * (u / 50.0) ** 2, rel=1e-9)
    torque = seen.found["aero_forces.drag_force"] * min(seen.height(POINTS["center"]), 0.6)
    assert seen.found["aero_forces.drag_torque"] == pytest.approx(torque, rel=1e-9)


# ---- version 2.0, in the format's own signs --------------------------------------------------------------------------


def table(text: str, name: str) -> np.ndarray[Any, Any]:
    """Numbers of a block, read without the package."""
    lines = text[text.index(f"[{name}]\n") :].splitlines()[1:]
    if lines[0] == "(Z_DATA)":
        lines = lines[lines.index("(XY_DATA)") + 1 :]
    rows = []
    for line in lines[1:]:
        if line.startswith(("[", "(")):
            break
        rows.append([float(word) for word in line.split()])
    return np.array(rows)


def expected(seen: Seen, text: str, wind: Any, names: dict[str, str]) -> dict[str, float]:
    """Outputs of the format: drag rearwards, side left, down; moments about axes that point rearwards and down."""
    u, across, _ = seen.through_air(POINTS["center"], wind)
    heights = [
        float(np.clip(1e3 * seen.height(SENSORS["front_sensor"]), 20, 280)),
        float(np.clip(1e3 * seen.height(SENSORS["rear_sensor"]), 30, 450)),
    ]
    angle = dict(zip(ANGLES, np.degrees([np.arctan2(across, u), seen.pitch, -seen.roll, seen.steer]), strict=True))

    def of(name: str) -> float:
        grid = RegularGridInterpolator((np.array(FRONT, float), np.array(REAR, float)), table(text, name)[:, 1:])
        return float(grid(heights)[0])

    def by(group: str) -> float:
        found = 1.0
        for name in ANGLES:
            rows = table(text, f"{names.get(group, group)}_{name}")
            found *= np.interp(angle[name], rows[:, 0], rows[:, 1])
        return float(found)

    above = max(u - 90 / 3.6, 0.0) / (50 / 3.6)
    q = 0.5 * 1.19 * 1.9 * u * u
    b = (of(names.get("BALANCE_Z", "BALANCE_Z")) + 1.3 * above) / 100
    cz, cx = of("CZ") + 0.11 * above, of("CX_BODY") + of("CX_FRONT") + of("CX_REAR") + 0.06 * above
    found = {
        "front_downforce": q * cz * b * by("CZB") * by("CZF"),
        "rear_downforce": q * cz * (1 - b) * by("CZB") * by("CZR"),
        "drag_force": q * np.sign(u) * cx * by("CX"),
    }
    found["drag_torque"] = found["drag_force"] * min(seen.height(POINTS["center"]), 1.0)
    if "[CY]" in text:
        c = of("BALANCE_Y") / 100
        found["front_sideforce"] = q * of("CY") * c * by("CYB") * by("CYF")
        found["rear_sideforce"] = q * of("CY") * (1 - c) * by("CYB") * by("CYR")
        arms = found["front_sideforce"] * seen.height(POINTS["front"])
        arms += found["rear_sideforce"] * seen.height(POINTS["rear"])
        about_rearwards = q * 1e-3 * of("CMX") * by("CMXB") * by("CMXF") * by("CMXR") - arms
        found["roll_torque"] = -about_rearwards  # ours is about x forward
    return found


@pytest.mark.parametrize("motion", MOTIONS, ids=["fast", "other way", "reverse"])
def test_forces_of_version_2(folder: Path, motion: dict[str, float]) -> None:
    found = read_aer(written(folder, V2))
    assert found.form == "advanced" and found.version == 2.0 and found.warnings == []
    sim = simulation(version(str(folder), "2"), motion)
    seen = Seen(rig({"drag": {"area": 0, "location": POINTS["center"]}}), sim, motion)
    wind = 6.0 * np.array([np.cos(np.radians(150)), np.sin(np.radians(150)), 0.0])
    for name, value in expected(seen, V2, wind, {}).items():
        assert seen.found[f"aero_forces.{name}"] == pytest.approx(value, rel=1e-9), name


@lru_cache
def version(folder: str, which: str) -> Any:
    path = written(Path(folder), {"1": V1, "2": V2}.get(which, V1), f"version{which}.aer")
    if which == "1 as 2":
        path = to_version_2(path, Path(folder) / "converted.aer")
    return on_rig(read_aer(path))


OLD = {"CZB": "CB", "CZF": "CF", "CZR": "CR", "CX": "CD", "BALANCE_Z": "BALANCE"}


def test_version_1_and_the_same_as_version_2_give_the_same_forces(folder: Path) -> None:
    """Over random states; and both what the equations say."""
    rng = np.random.default_rng(7)
    names = ("front_downforce", "rear_downforce", "drag_force", "drag_torque", "roll_torque", "front_sideforce")
    one, two = (simulation(version(str(folder), which), MOTIONS[0]) for which in ("1", "1 as 2"))
    from air_rig import move

    for _ in range(25):
        motion = {name: value * rng.uniform(-1.3, 1.3) for name, value in MOTIONS[0].items()}
        motion["z"] = rng.uniform(0.4, 0.9)
        for sim in (one, two):
            move(sim, motion)
        a, b = ([sim.output(f"aero_forces.{name}") for name in names] for sim in (one, two))
        assert b == pytest.approx(a, rel=1e-13, abs=1e-12)
        seen = Seen(rig({"drag": {"area": 0, "location": POINTS["center"]}}), one, motion)
        for name, value in expected(seen, V1, (0, 0, 0), OLD).items():
            if name != "drag_torque":  # no limit of the arm in version 1.0
                assert seen.found[f"aero_forces.{name}"] == pytest.approx(value, rel=1e-9, abs=1e-9), name


def test_a_converted_file_keeps_what_was_there(folder: Path) -> None:
    path = to_version_2(
        written(folder, V1.replace("BALANCE = 1.3", "BALANCE = 1.3 $ percent"), "old.aer"),
        folder / "new.aer",
        explicit=True,
    )
    text = path.read_text()
    assert "$ measured on a Tuesday" in text and "AIR_DENSITY <kgpm3> = 1.19" in text
    assert "BALANCE_Z = 1.3 $ percent" in text and "\nBALANCE = " not in text
    found = read_aer(path)
    assert found.version == 2.0 and found.warnings == []  # all forty factors are there
    assert text.count("{angle effect}") == 40
    with pytest.raises(FormatError, match=r"no advanced aerodynamics of version 1\.0"):
        to_version_2(path, folder / "again.aer")


def test_what_is_missing_is_neutral_with_a_warning(folder: Path) -> None:
    text = V2[: V2.index("[CX_FRONT]")] + V2[V2.index("[CX_REAR]") : V2.index("[CY]")] + V2[V2.index("[CZB_YAW]") :]
    text = text[: text.index("[CYB_YAW]")]
    found = read_aer(written(folder, text))
    assert "cy" not in found.keys and "cmx" not in found.keys and "cx_front" not in found.keys
    said = "\n".join(found.warnings)
    assert (
        "[CX_FRONT]: the map is missing; taken as zero" in said and "factors that are missing are 1: [CYB_YAW]" in said
    )


def test_a_user_file_names_its_function_and_its_numbers_in_si(folder: Path) -> None:
    found = read_aer(written(folder, USER))
    assert found.form == "user" and found.function == "user_aero::aero_sample"
    assert found.user["FRONTAL_AREA"] == pytest.approx(20.0 * 0.3048**2, rel=1e-12)
    assert found.user["CD"] == 0.4 and found.user["NAME"] == "mine"
    assert any("'lbf' is a force" in warning for warning in found.warnings)
    keys = found.aero(**POINTS)
    assert keys["kind"] == "user" and keys["function"] == found.function
    assert rig(keys).aero is not None


def test_a_car_takes_the_file_and_is_written_as_its_own(folder: Path) -> None:
    sedan = jv.load("sedan")
    for text in (STANDARD, V2):
        found = read_aer(written(folder, text))
        changed = found.onto(sedan)
        assert changed.aero is not None and sedan.aero is not None
        where = getattr(changed.aero, "center_location", None) or changed.aero.drag.location
        assert where == sedan.aero.drag.location
        again = jv.load(changed.save(folder / f"car_{found.form}"))
        assert again == changed
    with pytest.raises(ParameterError, match="has no aerodynamics to take points from"):
        found.onto(sedan.with_(aero=None))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "AERO_FRONTAL_AREA = 1.9e6",
            "AERO_FRONTAL_AREA = 'big'",
            r"line 17 .*AERO_FRONTAL_AREA: found 'big'; expected a",
        ),
        ("AERO_FRONTAL_AREA = 1.9e6\n", "", r"\[GENERAL_PARAMETERS\] AERO_FRONTAL_AREA: missing"),
        ("AIR_DENSITY <kgpm3> = 1.19", "AIR_DENSITY <kgpm3> = -1", r"line 16 .*AIR_DENSITY: found -1; must be above 0"),
        ("AIR_DENSITY <kgpm3>", "AIR_DENSITY <kgm>", r"line 16 .*unit <kgm> is not declared"),
        ("FRONT_RIDE_HEIGHT_MAX = 280", "FRONT_RIDE_HEIGHT_MAX = 10", r"line 19 .*must be above the lower limit"),
        ("PROPERTY_FILE_FORMAT = 'ADVANCED'", "PROPERTY_FILE_FORMAT = 'OTHER'", r"line 14 .*found 'OTHER'; expected"),
        ("[CX_BODY]", "[CX_BODI]", r"\[CX_BODY\]: the map is missing; there are: .*CX_BODI"),
        ("[BALANCE_Y]", "[BALANCES]", r"\[BALANCE_Y\]: the map is missing"),
        ("110\n230", "230\n110", r"\[CZ\] \(Z_DATA\): ride heights must rise"),
        ("VELOCITY_THRESHOLD <kmh> = 90", "VELOCITY_THRESHOLD <kmh> = -9", r"found -9; must not be negative"),
        ("{angle effect}\n-25", "{angle effect}\n35", r"\[CZB_YAW\]: angles must rise"),
    ],
)
def test_what_is_refused_has_line_and_key(folder: Path, old: str, new: str, message: str) -> None:
    assert old in V2
    with pytest.raises(FormatError, match=message) as error:
        read_aer(written(folder, V2.replace(old, new, 1), "bad.aer"))
    assert "bad.aer" in str(error.value)


def test_a_row_with_a_value_too_many_is_refused(folder: Path) -> None:
    lines = V2.splitlines()
    row = lines.index("{front_ride_height value}") + 2
    lines[row] += " 1.0"
    with pytest.raises(FormatError, match=rf"line {row + 1} .*found 7 values; expected 6 numbers"):
        read_aer(written(folder, "\n".join(lines)))
    with pytest.raises(FormatError, match="no aerodynamics: expected"):
        read_aer(written(folder, "[MDI_HEADER]\nFILE_TYPE = 'aer'\n"))
    with pytest.raises(FormatError, match=r"FUNCTION_NAME: found 'alone'; expected 'library::function'"):
        read_aer(written(folder, USER.replace("user_aero::aero_sample", "alone")))


def test_keys_that_do_nothing_are_told(folder: Path) -> None:
    found = read_aer(written(folder, V2.replace("DIRECTION = 150", "DIRECTION = 150\nGUST = 3")))
    assert any("[WIND_EFFECT] GUST: not known" in warning for warning in found.warnings)
