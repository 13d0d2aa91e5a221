"""From the files of a rig to a changed vehicle: library cars come back from their own sweeps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import jounce as jn
from axle_lists import one_axle, vehicle_of
from jounce.cli.main import app
from jounce.components.suspension.dual_anti_roll import DualAntiRoll
from jounce.core.errors import FormatError, JounceError, ParameterError
from jounce.rigs.kc import report
from jounce.rigs.kc.guidance import pose
from jounce.rigs.kc.importing import Imported, kc_import
from jounce.rigs.suspension_rig import Point, SuspensionRig
from jounce.vehicle.kingpin import instant_axis, motion_of
from jounce.vehicle.reading import read
from jounce.vehicle.schema import Vehicle
from synthetic_kc import DEG, MM, NAMES, NOISE, Rig, triangle, write

TRI = triangle(480)
FULL = 0.119  # m: nearly the travel of the library cars


@pytest.fixture(scope="module")
def sedan() -> Vehicle:
    return read("sedan")


@pytest.fixture(scope="module")
def compact() -> Vehicle:
    return read("compact")


def gaps(old: Vehicle, new: Vehicle, axle: int, reach: float, paired: bool = False) -> dict[str, float]:
    """The largest difference of each map over travels up to a reach, both sides, values at design taken off."""
    own = np.linspace(-reach, reach, 25)
    other = np.linspace(-reach, reach, 25) if paired else np.zeros(1)
    a, b = (item.ravel() for item in np.meshgrid(own, other, indexing="ij"))
    found: dict[str, float] = {}
    for side in "LR":
        zero = np.zeros(1)
        values = [
            {n: v - pose(car.layout.axles[axle - 1], side, zero, zero, zero)[n] for n, v in here.items()}  # type: ignore[arg-type]
            for car in (old, new)
            for here in [pose(car.layout.axles[axle - 1], side, 0.0 * a, a, b)]  # type: ignore[arg-type]
        ]
        for name in NAMES:
            found[name] = max(found.get(name, 0.0), float(np.max(np.abs(values[0][name] - values[1][name]))))
    return found


def ranges(car: Vehicle, axle: int, reach: float) -> dict[str, float]:
    own = np.linspace(-reach, reach, 25)
    a, b = (item.ravel() for item in np.meshgrid(own, own, indexing="ij"))
    found = pose(car.layout.axles[axle - 1], "L", 0.0 * a, a, b)
    return {name: float(np.ptp(found[name])) for name in NAMES}


def test_the_numbers_of_poses_are_those_of_the_model(sedan: Vehicle, compact: Vehicle) -> None:
    """Against `Motion`, which the kingpin and the feedback of the steering use, and against single values of curves."""
    for car in (sedan, compact):
        place = car.layout.axles[1]
        for side in "LR":
            found = pose(place, side, np.zeros(1), np.array([0.04]), np.array([-0.07]))  # type: ignore[arg-type]
            for name in NAMES:
                map = place.data.suspension.map(name, side)
                value = map.curve(0.04, -0.07, method=car.system.splines.method)
                assert found[name][0] == pytest.approx(map.offset + value, abs=1e-15)
    axle, motion = sedan.layout.axles[0], motion_of(sedan)
    for side in "LR":
        found = pose(axle, side, np.array([0.03]), np.array([-0.04]), np.array([0.02]))  # type: ignore[arg-type]
        expected = motion(side, 0.03, -0.04, 0.02)  # type: ignore[arg-type]
        for name in ("x", "y", "side_view_angle"):
            assert found[name][0] == pytest.approx(expected[name][0], abs=1e-15)
        inwards = -1.0 if side == "L" else 1.0
        alignment = sedan.suspension(1).map("toe", side).offset  # type: ignore[arg-type]
        assert found["steer"][0] == pytest.approx(expected["psi"][0] + inwards * alignment, abs=1e-15)


# ---- round trips ------------------------------------------------------------------------------------------


def test_an_independent_axle_comes_back_without_noise(sedan: Vehicle, tmp_path: Path) -> None:
    rig = Rig(sedan, 2)
    file = write(tmp_path / "bounce.csv", rig.sweep(FULL * TRI, FULL * TRI))
    found = kc_import([file], sedan, "rear", out=tmp_path / "car")
    size = ranges(sedan, 2, 0.118)
    for name, gap in gaps(sedan, found.vehicle, 2, 0.118).items():
        assert gap < 0.005 * size[name], name  # of a polynomial of order 6 for a mechanism


def test_other_signs_and_units_noise_offsets_drift_and_hysteresis(sedan: Vehicle, tmp_path: Path) -> None:
    """The tolerance: five standard errors of a curve by the noise, σ √(p/N) times 3 at its ends, and the truncation."""
    zero = {"toe": 0.4 * DEG, "y": 0.7 * MM, "camber": -0.3 * DEG, "x": -0.2 * MM}
    rig = Rig(
        sedan, 2, noise=1.0, zero=zero, drift={"camber": 0.05 * DEG, "x": 0.1 * MM},
        loop={"toe": 0.01 * DEG, "y": 0.08 * MM, "side_view_angle": 0.02 * DEG},
    )  # fmt: skip
    other = write(
        tmp_path / "bounce.dat",
        rig.sweep(FULL * TRI, FULL * TRI),
        names={f"{q}.{s}": f"{s.lower()}r{word}" for s in "LR" for q, word in (("travel", "Hub"), ("toe", "Vorspur"))},
        units={"travel": ("cm", 1e2), "toe": ("rad", 1.0), "y": ("m", 1.0)},
        signs={"travel": -1.0, "y.R": -1.0, "camber": -1.0, "side_view_angle": -1.0},
        head="A rig somewhere\n1;2;3\n",
        separator=";",
    )
    mapping = tmp_path / "kc.yaml"
    mapping.write_text(
        "header: time\n"
        "signs: {travel: down, y: outwards, camber: inwards, side_view_angle: forwards}\n"
        "channels:\n"
        "  travel.L: {column: lrHub}\n  travel.R: {column: rrHub}\n  toe.L: lrVorspur\n  toe.R: {column: rrVorspur}\n"
    )
    found = kc_import([other], sedan, "rear", mapping=mapping, out=tmp_path / "car")
    clean = kc_import(
        [write(tmp_path / "clean.csv", Rig(sedan, 2).sweep(FULL * TRI, FULL * TRI))], sedan, "rear", out=tmp_path / "b"
    )
    truncation = gaps(sedan, clean.vehicle, 2, 0.115)
    for name, gap in gaps(sedan, found.vehicle, 2, 0.115).items():
        assert gap < truncation[name] + 5 * 3 * NOISE[name] * np.sqrt(7 / 480), name
    fit = next(f for label, f in found.fits.items() if label.startswith("camber.L"))
    # the sensor of camber drifted by 0.05 deg; its own fit says so to the noise of the estimate
    assert np.degrees(fit.drift) == pytest.approx(0.05, abs=5 * 0.005 * np.sqrt(12 / 480))
    loop = next(f for label, f in found.fits.items() if label.startswith("y.R"))
    assert loop.loop == pytest.approx(0.16 * MM, rel=0.25)


def test_left_and_right_stay_apart_and_symmetry_joins_them(sedan: Vehicle, tmp_path: Path) -> None:
    curve = sedan.rear_suspension.toe.curve  # type: ignore[union-attr]
    right = {"x": list(curve.x), "y": [1.4 * v + 0.02 * x for v, x in zip(curve.y, curve.x, strict=True)]}
    lopsided = sedan.with_(**{"rear_suspension.toe.right": {**right, "offset": 0.1 * DEG}})
    file = write(tmp_path / "bounce.csv", Rig(lopsided, 2).sweep(FULL * TRI, FULL * TRI))
    found = kc_import([file], sedan, "rear", out=tmp_path / "car")
    assert gaps(lopsided, found.vehicle, 2, 0.118)["toe"] < 0.005 * ranges(lopsided, 2, 0.118)["toe"]
    assert gaps(sedan, found.vehicle, 2, 0.118)["toe"] > 1e-3
    assert found.vehicle.rear_suspension.toe.right is not None  # type: ignore[union-attr]
    mean = kc_import([file], sedan, "rear", out=tmp_path / "mean", symmetry="average").vehicle.rear_suspension
    assert mean is not None and mean.toe.right is None
    both = [lopsided.suspension(2).map("toe", side).curve(0.07) for side in "LR"]  # type: ignore[arg-type]
    assert mean.toe.curve(0.07) == pytest.approx(np.mean(both), abs=2e-5)


def test_the_alignment_is_kept_or_measured(sedan: Vehicle, tmp_path: Path) -> None:
    file = write(tmp_path / "bounce.csv", Rig(sedan, 2, zero={"toe": 0.2 * DEG}).sweep(FULL * TRI, FULL * TRI))
    kept = kc_import([file], sedan, "rear", out=tmp_path / "a").vehicle.rear_suspension
    taken = kc_import([file], sedan, "rear", out=tmp_path / "b", alignment="measured").vehicle.rear_suspension
    assert kept is not None and taken is not None
    assert np.degrees(kept.toe.offset) == pytest.approx(0.1)
    assert np.degrees(taken.toe.offset) == pytest.approx(0.3, abs=1e-5)
    assert np.degrees(taken.camber.offset) == pytest.approx(-1.2, abs=1e-4)


def test_a_twist_beam_comes_back_from_parallel_opposite_and_single_travels(compact: Vehicle, tmp_path: Path) -> None:
    rig = Rig(compact, 2, noise=1.0, zero={"toe": 0.1 * DEG})
    still = np.zeros(480)
    files = {
        "bounce": (FULL * TRI, FULL * TRI), "roll": (0.11 * TRI, -0.11 * TRI),
        **{f"left_{h}": (FULL * TRI, still + 1e-3 * h) for h in (-110, -60, 0, 60, 110)},
        **{f"right_{h}": (still + 1e-3 * h, FULL * TRI) for h in (-110, -60, 0, 60, 110)},
    }  # fmt: skip
    paths = [write(tmp_path / f"{name}.csv", rig.sweep(*travel)) for name, travel in files.items()]
    found = kc_import(paths, compact, "rear", out=tmp_path / "car", kinematics="K3", columns=13)
    size = ranges(compact, 2, 0.1)
    assert found.vehicle.rear_suspension.dependent  # type: ignore[union-attr]
    for name, gap in gaps(compact, found.vehicle, 2, 0.1, paired=True).items():
        # noise of five standard errors, and three hundredths for what lies between the paths
        assert gap < 0.03 * size[name] + 5 * 3 * NOISE[name] * np.sqrt(7 / 480), name
    assert (
        found.kinematics is not None and found.kinematics.inside is not None and np.mean(found.kinematics.inside) > 0.7
    )
    # five single travels of each wheel alone, without any other: K2
    two = kc_import(paths[2:], compact, "rear", out=tmp_path / "two", columns=13)
    assert two.kinematics is not None and two.kinematics.method == "K2"
    for name, gap in gaps(compact, two.vehicle, 2, 0.1, paired=True).items():
        assert gap < 0.01 * size[name] + 5 * 3 * NOISE[name] * np.sqrt(7 / 480), name


def steering_files(rig: Rig, car: Vehicle, folder: Path, travels: tuple[float, ...]) -> list[Path]:
    hand = np.radians(480.0) * TRI
    rack = np.array([float(car.steering.rack_travel(h)) for h in hand])  # type: ignore[union-attr,misc]
    files = []
    for travel in travels:
        channels = rig.sweep(travel, travel, u=rack, hand=hand, way=hand)
        files.append(write(folder / f"steer_{1e3 * travel:.0f}.csv", channels))
    return files


@pytest.mark.slow
def test_a_steered_axle_comes_back_from_sweeps_of_hand_wheel_and_travel(sedan: Vehicle, tmp_path: Path) -> None:
    rig = Rig(sedan, 1, noise=1.0)
    files = steering_files(rig, sedan, tmp_path, (-0.1, -0.05, 0.0, 0.05, 0.1))
    files.append(write(tmp_path / "bounce.csv", rig.sweep(FULL * TRI, FULL * TRI)))
    found = kc_import(files, sedan, "front", out=tmp_path / "car", symmetry="average")
    old, new = motion_of(sedan), motion_of(found.vehicle)
    noise = {"x": NOISE["x"], "y": NOISE["y"], "psi": NOISE["steer"], "camber": NOISE["camber"]}
    for name, sigma in {**noise, "side_view_angle": NOISE["camber"]}.items():
        pairs = [
            (old(side, u, j)[name][0], new(side, u, j)[name][0])  # type: ignore[arg-type]
            for side in "LR" for u in (-0.06, -0.02, 0.03, 0.07) for j in (-0.09, -0.03, 0.0, 0.05, 0.09)
        ]  # fmt: skip
        size = np.ptp([a for a, _ in pairs])
        assert max(abs(a - b) for a, b in pairs) < 0.005 * size + 5 * 3 * sigma * np.sqrt(7 / 480), name
    # the steering axis follows from the new maps: as it was, within what noise makes of a derivative
    for u, j in ((0.0, 0.0), (0.03, 0.02)):
        before, written = instant_axis(sedan, "L", u, j), found.vehicle.steering.kingpin  # type: ignore[union-attr]
        assert before is not None and written is not None
        assert np.degrees(written.caster(u, j)) == pytest.approx(np.degrees(before.caster), abs=0.1)
        assert np.degrees(written.inclination(u, j)) == pytest.approx(np.degrees(before.inclination), abs=0.1)
        assert written.y(u, j) == pytest.approx(before.point[1], abs=1.0 * MM)
    ratio = {name: value for name, value, _ in found.figures}["steering_ratio"]
    step = 1e-3 / float(sedan.steering.rack_travel(1e-3))  # type: ignore[union-attr,misc]
    assert ratio == pytest.approx(step / (0.5 * (old("L", 1e-4, 0)["psi"][1] + old("R", 1e-4, 0)["psi"][1])), rel=2e-3)


def test_travel_alone_moves_the_steering_maps_with_it(sedan: Vehicle, tmp_path: Path) -> None:
    """The maps of the steering count alone on such an axle: left as they are, nothing would change."""
    other = sedan.with_(**{"steering.camber.scale": 1.3, "steering.steer.scale": 0.9})
    file = write(tmp_path / "bounce.csv", Rig(other, 1).sweep(FULL * TRI, FULL * TRI))
    found = kc_import([file], sedan, "front", out=tmp_path / "car")
    size = ranges(other, 1, 0.11)
    for name, gap in gaps(other, found.vehicle, 1, 0.11).items():
        assert gap < 0.005 * size[name], name
    assert gaps(sedan, found.vehicle, 1, 0.11)["camber"] > 0.1 * size["camber"]
    # what the steering adds stays
    for side in "LR":
        u, j = np.array([0.05]), np.array([0.03])
        added = [
            (pose(car.layout.axles[0], side, u, j, j)["steer"] - pose(car.layout.axles[0], side, 0 * u, j, j)["steer"])[
                0
            ]  # type: ignore[arg-type]
            for car in (sedan, found.vehicle)
        ]
        assert added[0] == pytest.approx(added[1], rel=1e-3)
    assert any("no sweep of the hand wheel" in text for text in found.remarks)


@pytest.mark.slow
def test_a_dependent_steered_axle_is_replayed_as_it_was_measured(compact: Vehicle, tmp_path: Path) -> None:
    travel = np.linspace(-0.12, 0.12, 9)
    own, other = np.meshgrid(travel, travel, indexing="ij")

    def between(a: float) -> dict[str, Any]:
        return {"x": list(travel), "z": list(travel), "y": (a * (own - other) * (1 + 2 * own)).tolist()}

    changes = {f"front_suspension.{n}": between(a) for n, a in zip(NAMES, (0.02, 0.03, 0.05, -0.08, 0.04), strict=True)}
    solid = compact.with_(**changes)
    assert solid.front_suspension.dependent  # type: ignore[union-attr]
    rig = Rig(solid, 1)
    files = steering_files(rig, solid, tmp_path, (-0.1, -0.05, 0.0, 0.05, 0.1))
    files.append(write(tmp_path / "bounce.csv", rig.sweep(FULL * TRI, FULL * TRI)))
    files.append(write(tmp_path / "roll.csv", rig.sweep(0.1 * TRI, -0.1 * TRI)))
    found = kc_import(files, solid, "front", out=tmp_path / "car", columns=13)
    assert found.kinematics is not None and found.kinematics.method == "K5"
    for item in found.residuals:
        assert item.rms < 0.005 * item.span + 1e-6, item
    # the guidance keeps only what the paired travel does
    suspension = found.vehicle.front_suspension
    assert suspension is not None
    for name in NAMES:
        assert suspension.map(name, "L").curve(0.04, 0.04) == pytest.approx(0.0, abs=2e-5)


LAWS = {
    ("fy", "direct", "toe"): lambda f: -0.05 * DEG / 1e3 * f,
    ("fy", "direct", "y"): lambda f: 1.2e-6 * f + 2e-14 * f**3,
    ("fy", "cross", "toe"): lambda f: 0.02 * DEG / 1e3 * f,
    ("fy", "direct", "camber"): lambda f: -0.25 * DEG / 1e3 * f,
    ("mz", "direct", "toe"): lambda m: -0.4 * DEG / 100 * m,
    ("fx", "direct", "x"): lambda f: 3e-6 * f,
    ("fx", "direct", "side_view_angle"): lambda f: 0.1 * DEG / 1e3 * f,
}
PROGRAMME = """
kinematics:
  - {file: bounce.csv, type: parallel travel}
compliance:
  - {file: fy_aiding.csv, type: contact lateral aiding}
  - {file: fy_opposing.csv, type: contact lateral opposing}
  - {file: mz.csv, type: aligning torque aiding}
  - {file: fx.csv, type: contact longitudinal aiding}
"""


def compliant(car: Vehicle, folder: Path, noise: float = 0.0) -> Path:
    """Loads in the vertical sweep, and travel under load: neither test is pure."""
    rig = Rig(car, 2, noise=noise, gives=LAWS)
    f, j = 3000 * TRI, 0.004 * TRI
    sweeps = {
        "bounce": rig.sweep(FULL * TRI, FULL * TRI, loads={"fy.L": 300 * TRI, "fy.R": -200 * TRI}),
        "fy_aiding": rig.sweep(j, -j, loads={"fy.L": f, "fy.R": f}, way=f),
        "fy_opposing": rig.sweep(j, j, loads={"fy.L": f, "fy.R": -f}, way=f),
        "mz": rig.sweep(loads={"mz.L": 150 * TRI, "mz.R": 150 * TRI}, way=f),
        "fx": rig.sweep(loads={"fx.L": f, "fx.R": f}, way=f),
    }
    for name, channels in sweeps.items():
        write(folder / f"{name}.csv", channels)
    (folder / "kc.yaml").write_text(PROGRAMME)
    return folder / "kc.yaml"


def test_kinematics_and_compliance_are_told_apart(sedan: Vehicle, tmp_path: Path) -> None:
    mapping = compliant(sedan, tmp_path)
    apart = kc_import([mapping], sedan, "rear", out=tmp_path / "a")
    mixed = kc_import([mapping], sedan, "rear", out=tmp_path / "b", separate=False)
    size = ranges(sedan, 2, 0.118)
    for name, gap in gaps(sedan, apart.vehicle, 2, 0.118).items():
        assert gap < 0.005 * size[name], name
    assert gaps(sedan, mixed.vehicle, 2, 0.118)["y"] > 3 * gaps(sedan, apart.vehicle, 2, 0.118)["y"]
    f = np.linspace(-2900.0, 2900.0, 13)
    for found, exact in ((apart, True), (mixed, False)):
        assert found.compliance is not None
        slot = found.compliance.slots["fy"]
        for (load, kind, name), law in LAWS.items():
            if load == "fy":
                maps = slot.direct if kind == "direct" else slot.cross
                left, right = (maps[side][name](f) for side in "LR")  # type: ignore[index]
                sign = -1.0 if name == "y" else 1.0
                if exact:
                    np.testing.assert_allclose(left, law(f), atol=2e-3 * np.ptp(law(f)))
                    np.testing.assert_allclose(right, sign * law(-f), atol=2e-3 * np.ptp(law(f)))
        if not exact:
            assert np.max(np.abs(slot.direct["L"]["camber"](f) - LAWS["fy", "direct", "camber"](f))) > 1e-3
    figures = {name: value for name, value, _ in apart.figures}
    assert figures["mz_steer_rear"] == pytest.approx(0.4, rel=1e-3)  # deg per 100 N m, to the side of the moment
    assert figures["toe_by_fy_rear"] == pytest.approx(-0.05, rel=2e-3)
    assert figures["x_by_fx_brake_rear"] == pytest.approx(3.0, rel=1e-3)


def test_the_written_compliance_is_read_by_the_suspension(sedan: Vehicle, tmp_path: Path) -> None:
    found = kc_import([compliant(sedan, tmp_path, 1.0)], sedan, "rear", out=tmp_path / "a")
    part: Any = found.vehicle.rear_suspension.compliance  # type: ignore[union-attr]
    assert part.toe.mz.curve(100.0) == pytest.approx(-0.4 * DEG, rel=0.02)
    assert part.toe.mz.on("R").curve(100.0) == pytest.approx(0.4 * DEG, rel=0.02)
    assert part.cross.toe.fy.curve(1000.0) == pytest.approx(0.02 * DEG, rel=0.1)
    assert part.y.fy.curve(2000.0) == pytest.approx(LAWS["fy", "direct", "y"](np.array([2000.0]))[0], rel=0.02)


def test_with_two_percent_of_noise_and_hysteresis_maps_are_within_three(sedan: Vehicle, tmp_path: Path) -> None:
    size = ranges(sedan, 2, 0.118)
    share = {name: 0.02 * size[name] for name in NAMES}
    rng = np.random.default_rng(11)
    channels = Rig(sedan, 2, loop={name: 0.5 * value for name, value in share.items()}).sweep(FULL * TRI, FULL * TRI)
    for key in channels:
        if key.split(".")[0] in share:
            channels[key] = channels[key] + share[key.split(".")[0]] * rng.uniform(-1.0, 1.0, 480)
    found = kc_import([write(tmp_path / "b.csv", channels)], sedan, "rear", out=tmp_path / "car")
    for name, gap in gaps(sedan, found.vehicle, 2, 0.118).items():
        assert gap < 0.03 * size[name], name
    for item in found.residuals:  # and the vehicle is as near to the points as their noise and half loop allow
        assert item.rms < 1.2 * np.hypot(0.02 / np.sqrt(3), 0.01) * size[item.channel[:-2]], item


# ---- springs and bars -------------------------------------------------------------------------------------


def vertical(side: str, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.asarray(4400.0 + 30e3 * own + 20e3 * (own - other) + 4e6 * np.maximum(own - 0.06, 0.0) ** 2)


def elastic(car: Vehicle, folder: Path, **settings: Any) -> Imported:
    rig = Rig(car, 2, noise=1.0, loop={"fz": 40.0}, force=vertical)
    write(folder / "bounce.csv", rig.sweep(FULL * TRI, FULL * TRI))
    write(folder / "roll.csv", rig.sweep(0.1 * TRI, -0.1 * TRI))
    (folder / "kc.yaml").write_text(
        "settings: {symmetry: average}\n"
        "kinematics:\n  - {file: bounce.csv, type: PWT}\n"
        "roll:\n  - {file: bounce.csv, type: PWT}\n  - {file: roll.csv, type: OWT}\n"
    )
    return kc_import([folder / "kc.yaml"], car, "rear", out=folder / "car", **settings)


def test_springs_and_anti_roll_forces_are_written(sedan: Vehicle, tmp_path: Path) -> None:
    found = elastic(sedan, tmp_path, spring="wheel")
    suspension = found.vehicle.rear_suspension
    assert suspension is not None and suspension.spring is not None
    assert suspension.bump_stop is None and suspension.anti_roll_bar is None
    weight = 42.0 * 9.80665
    force = suspension.spring.force
    assert force is not None and suspension.spring.axis == "length"
    for j in (-0.08, 0.0, 0.05, 0.09):  # over length: the other way round; 5 N of noise in each of 48 bins
        wanted = 4400.0 + 30e3 * j + 4e6 * max(j - 0.06, 0.0) ** 2 - weight
        assert force(-j) == pytest.approx(wanted, abs=15.0)
    assert suspension.spring.force_at_design() == pytest.approx(4400.0 - weight, abs=5.0)
    law = suspension.auxiliary_anti_roll.force  # type: ignore[union-attr]
    assert law(0.12) == pytest.approx(20e3 * 0.12, rel=0.01) and law(-0.12) == pytest.approx(-20e3 * 0.12, rel=0.01)
    figures = {name: value for name, value, _ in found.figures}
    assert figures["wheel_rate_rear"] == pytest.approx(30.0, rel=0.02)
    assert figures["anti_roll_rate_rear"] == pytest.approx(20.0, rel=0.02)


def paired(side: str, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Anti-roll force at a wheel, N: not alike on both sides, and more in bump."""
    rate, more = (18e3, 6e4) if side == "L" else (15e3, 9e4)
    return np.asarray((rate + more * own) * (own - other))


def dual(folder: Path) -> Imported:
    """Single travels at five places of the other wheel, of each wheel, into a car of one axle."""
    car = vehicle_of(one_axle())
    rig = Rig(car, 1, force=lambda side, own, other: 3900.0 + 27e3 * own + paired(side, own, other))
    lines = ["kinematics: []", "settings: {travel: [-70 mm, 70 mm]}", "roll:", "  - {file: bounce.csv, type: PWT}"]
    write(folder / "bounce.csv", rig.sweep(0.07 * TRI, 0.07 * TRI))
    for k, held in enumerate((-0.06, -0.03, 0.0, 0.03, 0.06)):
        for side, travels in (("left", (0.07 * TRI, held)), ("right", (held, 0.07 * TRI))):
            write(folder / f"{side}{k}.csv", rig.sweep(*travels))
            lines.append(f"  - {{file: {side}{k}.csv, type: SWT, side: {side}}}")
    (folder / "kc.yaml").write_text("\n".join(lines) + "\n")
    return kc_import([folder / "kc.yaml"], car, "front", out=folder / "car")


def test_anti_roll_forces_of_two_tables_are_a_part_of_the_car(tmp_path: Path) -> None:
    """What single travels give is read as the part of kind dual, each side with its own law; the bar is gone."""
    suspension = dual(tmp_path).vehicle.suspension(1)
    part = suspension.auxiliary_anti_roll
    assert isinstance(part, DualAntiRoll) and suspension.anti_roll_bar is None
    place = read(tmp_path / "car").layout.axles[0]
    laws = {"L": part.force, "R": part.force_right(place)}
    for own, other in ((0.04, -0.02), (-0.05, 0.03), (0.02, 0.02), (0.015, 0.055)):
        for side, law in laws.items():
            wanted = float(paired(side, np.array(own), np.array(other)))
            assert law(own, other) == pytest.approx(wanted, abs=5.0), (side, own, other)  # of up to 2 kN


@pytest.mark.slow
def test_the_rig_measures_the_tables_that_were_imported(tmp_path: Path) -> None:
    """The jack forces of a single travel less those of a parallel one are the imported force, by virtual work."""
    car = dual(tmp_path).vehicle
    rig, h = SuspensionRig(car), 1e-5
    for own, other in ((0.03, -0.02), (-0.04, 0.01)):
        apart = rig.hold(Point({"L1": own, "R1": other}))
        together = rig.hold(Point({"L1": own, "R1": own}))
        up, down = (rig.hold(Point({"L1": own + s, "R1": own})).contact["L1"][2] for s in (h, -h))
        force = (apart.jack["L1"] - together.jack["L1"]) * (up - down) / (2 * h)
        assert force == pytest.approx(float(paired("L", np.array(own), np.array(other))), abs=6.0)


@pytest.mark.slow
def test_a_preload_from_masses_holds_the_car_at_design_height(sedan: Vehicle, tmp_path: Path) -> None:
    from jounce.sim.car import describe, simulation
    from jounce.sim.statics import settle

    car = elastic(sedan, tmp_path, spring="wheel", preload="masses").vehicle
    description = describe(car)
    sim = simulation(description)
    settle(sim, description)
    for wheel in ("L2", "R2"):
        # the front of the library car stands at design; forces of noise over the wheel rate: 5 N / 30 N/mm
        assert abs(sim.output(f"Suspension.Jounce.{wheel}")) < 0.5 * MM


# ---- files, command, report -------------------------------------------------------------------------------


def bounce(car: Vehicle, path: Path, **options: Any) -> Path:
    return write(path, Rig(car, 2).sweep(FULL * TRI, FULL * TRI), **options)


def call(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["kc", *map(str, arguments)])
    return result.exit_code, result.output


def test_the_command_writes_a_car_that_reads_and_says_what_it_did(sedan: Vehicle, tmp_path: Path) -> None:
    file = bounce(sedan, tmp_path / "bounce.csv")
    code, text = call(
        "import", file, "--axle", "rear", "--into", "sedan", "--out", tmp_path / "car", "--report", tmp_path / "r.html"
    )
    assert code == 0, text
    assert "guidance by K1" in text and "bump_steer_rear" in text and "kc_rear.csv" in text
    car = jn.load(tmp_path / "car")
    old = (tmp_path / "car" / "rear_suspension.yaml").read_text()
    assert "# Five links; wheel rate 30.0 N/mm" in old  # comments stay
    assert "toe: {file: maps/kc_rear.csv, column: toe, offset: 0.1 deg" in old
    lines = (tmp_path / "car" / "maps" / "kc_rear.csv").read_text().splitlines()
    assert "made by jounce kc import from bounce.csv" in lines[0]
    assert lines[2:4] == ["jounce,x,y,toe,camber,side_view_angle", "mm,mm,mm,deg,deg,deg"]
    page = (tmp_path / "r.html").read_text()
    for text in (
        "Residuals of the changed vehicle",
        "toe.L over travel.L",
        "parallel travel",
        "bounce.csv",
        "data:image/png",
    ):
        assert text in page
    assert "http" not in page
    # in place, once more, as JSON
    code, text = call("import", file, "--axle", "rear", "--into", tmp_path / "car", "--json")
    assert code == 0, text
    data = json.loads(text)
    assert data["method"] == "K1" and data["axle"] == "rear"
    row = next(item for item in data["figures"] if item["name"] == "bump_steer_rear")
    assert set(row) == {"name", "axle", "value", "unit", "low", "high"}
    assert jn.load(tmp_path / "car").rear_suspension == car.rear_suspension


@pytest.mark.slow
def test_a_report_has_a_plot_for_every_curve_with_its_source(compact: Vehicle, tmp_path: Path) -> None:
    rig = Rig(compact, 2, noise=1.0)
    files = [
        write(tmp_path / "bounce.csv", rig.sweep(FULL * TRI, FULL * TRI)),
        write(tmp_path / "roll.csv", rig.sweep(0.1 * TRI, -0.1 * TRI)),
    ]
    found = kc_import(files, compact, "rear", out=tmp_path / "car")
    page = report.render(found)
    assert page.count("data:image/png") == 3  # coverage, and a picture for each of two files
    assert "of the map lies within the paths that were measured" in page
    for label in found.fits:
        assert label in page
    groups = report._paired([(label.partition(", ")[0], fit) for label, fit in found.fits.items() if "bounce" in label])
    assert len(groups) == 5 and all(item is not None for row in groups for item in row)
    figure = report._figure([(label.partition(", ")[0], fit) for label, fit in found.fits.items() if "roll" in label])
    titles = [axes.get_title() for axes in figure.axes if axes.get_title()]
    assert len(titles) == 10 and titles[0].startswith("x.L over travel.L")


def test_a_file_of_a_run_of_ours_needs_no_mapping(sedan: Vehicle, tmp_path: Path) -> None:
    words = {
        "toe": "wheel_angles.toe_{}",
        "camber": "wheel_angles.camber_{}",
        "side_view_angle": "wheel_angles.caster_{}",
    }
    names = {f"travel.{s}": f"Suspension.Jounce.{s}2" for s in "LR"}
    names |= {f"{q}.{s}": word.format(f"{s}2") for q, word in words.items() for s in "LR"}
    sides = {"L": "rear_left", "R": "rear_right"}
    names |= {f"{q}.{s}": f"Wheel.wheel_center_disp{q}.{sides[s]}" for q in "xy" for s in "LR"}
    channels = Rig(sedan, 2).sweep(FULL * TRI, FULL * TRI)
    si = dict.fromkeys(("travel", "x", "y"), ("m", 1.0)) | dict.fromkeys(
        ("toe", "camber", "side_view_angle", "steer"), ("rad", 1.0)
    )
    file = write(tmp_path / "run.csv", channels, names=names, units=si)
    found = kc_import([file], sedan, "rear", out=tmp_path / "car")
    assert gaps(sedan, found.vehicle, 2, 0.118)["toe"] < 2e-5


@pytest.mark.slow
def test_any_axle_of_a_list_is_changed_in_its_own_place(sedan: Vehicle, tmp_path: Path) -> None:
    from axle_lists import as_axles, vehicle_of

    car = vehicle_of(as_axles(sedan))
    file = bounce(sedan, tmp_path / "bounce.csv")
    found = kc_import([file], car, "2", out=tmp_path / "car")
    assert gaps(sedan, found.vehicle, 2, 0.118)["toe"] < 2e-5
    assert found.vehicle.axles[0] == read(tmp_path / "car").axles[0]


BAD = [
    (lambda t: t.replace("camber_R", "cambr_R"), r"bounce.csv: no column for camber.R, which parallel travel needs"),
    (lambda t: t.replace("\ns,mm,mm", "\n,,", 1), r"bounce.csv, line 2, column 'travel_L': no unit of 'travel_L'"),
    (lambda t: _cell(t, 40, 3, "oops"), r"bounce.csv, line 41, column '.*': 'oops' is not a number"),
    (lambda t: _cell(t, 60, 1, "-115"), r"bounce.csv, line 61, column 'travel_L': travel.L jumps from"),
    (lambda t: "", r"bounce.csv: a table needs a line of names"),
]


def _cell(text: str, row: int, column: int, value: str) -> str:
    lines = text.splitlines()
    cells = lines[row].split(",")
    cells[column] = value
    lines[row] = ",".join(cells)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("change", "message"), BAD)
def test_bad_files_are_told_with_their_place_and_nothing_is_written(
    sedan: Vehicle, tmp_path: Path, change: Any, message: str
) -> None:
    file = bounce(sedan, tmp_path / "bounce.csv")
    file.write_text(change(file.read_text()))
    with pytest.raises(JounceError, match=message):
        kc_import([file], sedan, "rear", out=tmp_path / "car")
    assert [path.name for path in tmp_path.iterdir()] == ["bounce.csv"]


def test_bad_requests_are_told_and_nothing_is_written(sedan: Vehicle, tmp_path: Path) -> None:
    file = bounce(sedan, tmp_path / "bounce.csv")
    with pytest.raises(ParameterError, match=r"a vehicle of the library is not changed; say where .* --out FOLDER"):
        kc_import([file], sedan, "rear")
    with pytest.raises(ParameterError, match="axle = 'reer': unknown; did you mean 'rear'"):
        kc_import([file], sedan, "reer", out=tmp_path / "car")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("x")
    with pytest.raises(ParameterError, match="full: is there already; choose a new folder"):
        kc_import([file], sedan, "rear", out=tmp_path / "full")
    short = write(tmp_path / "short.csv", Rig(sedan, 2).sweep(0.06 * TRI, 0.06 * TRI))
    with pytest.raises(
        ParameterError, match=r"short.csv: 'travel_L' \(travel.L\) goes from -59.\d to 59.\d mm, but the tr"
    ):
        kc_import([short], sedan, "rear", out=tmp_path / "car")
    kc_import([short], sedan, "rear", out=tmp_path / "less", travel=(-0.06, 0.06))  # said so, it is fine
    with pytest.raises(FormatError, match=r"nothing.csv: there is no such file"):
        kc_import([tmp_path / "nothing.csv"], sedan, "rear", out=tmp_path / "car")
    hand = np.radians(400.0) * TRI
    turned = write(tmp_path / "turned.csv", Rig(sedan, 2).sweep(hand=hand, way=hand))
    with pytest.raises(ParameterError, match="a test of the steering, but the rear axle is not steered"):
        kc_import([turned], sedan, "rear", out=tmp_path / "car")
    assert not (tmp_path / "car").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"bounce.csv", "full", "short.csv", "less", "turned.csv"}
    code, text = call("import", file)
    assert code == 1 and "say which vehicle gets the maps: --into CAR" in text
    code, text = call("export", file)
    assert code == 1 and "files belong to `jounce kc import" in text


def test_a_car_that_would_not_read_is_not_left_behind(
    sedan: Vehicle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a map is refused for: the files stay as they were."""
    car = sedan.save(tmp_path / "mine").parent
    before = {path: path.read_bytes() for path in car.rglob("*") if path.is_file()}
    file = bounce(sedan, tmp_path / "bounce.csv")

    def broken(text: str, changes: Any) -> str:
        return text + "\nno_such_key: 1\n"

    monkeypatch.setattr("jounce.rigs.kc.writing.edited", broken)
    with pytest.raises(ParameterError, match="no_such_key: unknown key"):
        kc_import([file], car, "rear")
    assert {path: path.read_bytes() for path in car.rglob("*") if path.is_file()} == before
    assert {path.name for path in tmp_path.iterdir()} == {"mine", "bounce.csv"}
