"""The advanced model against its equations in plain numpy, over inclined ground, in wind, leaning and turning."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.interpolate import RegularGridInterpolator

import air_rig
from air_rig import MOTIONS, Seen, assert_acts, described, rig, simulation
from jounce.components.aero.advanced import AdvancedAero
from jounce.components.aero.air import FORCES, MOMENTS
from jounce.runtime.simulation import Simulation

Array = npt.NDArray[np.float64]
Raw = dict[str, Any]

FRONT, REAR, CENTER = (0.11, 0.02, 0.31), (-2.71, -0.03, 0.42), (-1.23, 0.04, 0.63)
SENSORS = {
    "front_sensor": (0.21, 0.33, 0.17),
    "rear_sensor": (-2.6, -0.02, 0.19),
    "auxiliary_sensor": (0.18, -0.29, 0.16),
}
WIND = (-4.1, 6.3, 0.4)
HEIGHTS = [0.02, 0.07, 0.16, 0.31], [0.04, 0.11, 0.23, 0.36, 0.5]


def table(seed: int, low: float, high: float) -> Raw:
    values = np.random.default_rng(seed).uniform(low, high, (4, 5))
    return {"x": HEIGHTS[0], "z": HEIGHTS[1], "y": values.round(4).tolist()}


def factors(seed: int, odd: bool = False) -> Raw:
    rng = np.random.default_rng(seed)
    found = {}
    for name, reach in (("yaw", 0.5), ("pitch", 0.09), ("roll", 0.07), ("steering", 0.2)):
        x = np.linspace(-reach, reach, 5) * np.array([1.0, 0.9, 1.0, 0.8, 1.1])
        y = rng.uniform(0.7, 1.3, 5)
        found[name] = {
            "x": x.round(4).tolist(),
            "y": (y * np.sign(x) if odd and name == "yaw" else y).round(4).tolist(),
        }
    return found


MODIFIERS = {
    name: {"scale": 0.7 + 0.05 * i, "shift": (-1) ** i * (20.0 + 3 * i)} for i, name in enumerate((*FORCES, *MOMENTS))
}
FULL: Raw = {
    "kind": "advanced", "air_density": 1.17, "frontal_area": 1.9, "frame": "road",
    "front_location": FRONT, "rear_location": REAR, "center_location": CENTER, **SENSORS,
    "front_ride_height_min": 0.05, "front_ride_height_max": 0.27, "rear_ride_height_min": 0.09,
    "rear_ride_height_max": 0.33, "wind": WIND,
    "cz": table(1, 1.0, 2.0), "balance": table(2, 0.3, 0.6), "cx_body": table(3, 0.3, 0.5),
    "cx_front": table(4, 0.02, 0.09), "cx_rear": table(5, 0.1, 0.2), "cy": table(6, 0.6, 1.4),
    "balance_y": table(7, 0.3, 0.7), "cmx": table(8, -0.2, 0.4),
    "cz_by": factors(9), "cz_front_by": factors(10), "cz_rear_by": factors(11), "cx_by": factors(12),
    "cy_by": factors(13, odd=True), "cy_front_by": factors(14), "cy_rear_by": factors(15), "cmx_by": factors(16),
    "cmx_front_by": factors(17), "cmx_rear_by": factors(18),
    "offsets": {"threshold": 24.0, "reference_velocity": 11.0, "cz": 0.21, "balance": 0.031, "cx_body": 0.011,
                "cx_front": 0.007, "cx_rear": 0.013},
    "modifiers": MODIFIERS,
}  # fmt: skip


def simple(**changes: Any) -> Raw:
    """Numbers instead of maps, no factor, still air."""
    return {
        "kind": "advanced", "air_density": 1.22, "frontal_area": 1.0, "front_location": FRONT, "rear_location": REAR,
        "center_location": CENTER, "front_sensor": (0, 0, 0.2), "rear_sensor": (-2.6, 0, 0.2),
        "cz": 1.901639, "balance": 0.413793, "cx_body": 1.311475, "cy": 0.9, "balance_y": 0.47, "cmx": 0.21, **changes,
    }  # fmt: skip


@lru_cache
def full(frame: str, side_arm: str) -> Any:
    return described(rig({**FULL, "frame": frame, "side_arm": side_arm}))


class Expected:
    """The equations, with scipy's interpolation."""

    def __init__(self, seen: Seen, raw: Raw, wind: Any = WIND) -> None:
        data = AdvancedAero.model_validate(raw)
        u, across, self.rising = seen.through_air(CENTER, wind)
        slip = np.arctan2(across, u)
        pair = [seen.height(SENSORS["front_sensor"]), seen.height(SENSORS["auxiliary_sensor"])]
        self.heights = heights = np.array([
            np.clip(np.mean(pair), raw["front_ride_height_min"], raw["front_ride_height_max"]),
            np.clip(seen.height(SENSORS["rear_sensor"]), raw["rear_ride_height_min"], raw["rear_ride_height_max"]),
        ])  # fmt: skip
        angles = {"yaw": slip, "pitch": seen.pitch, "roll": seen.roll, "steering": seen.steer}

        def of(name: str) -> float:
            grid = RegularGridInterpolator(HEIGHTS, np.array(raw[name]["y"]), method="linear")
            return float(grid(heights)[0])

        def by(name: str) -> float:
            return float(np.prod([np.interp(angles[k], c["x"], c["y"]) for k, c in raw[name].items()]))

        o = data.offsets
        assert o is not None
        above = max(u - o.threshold, 0.0) / o.reference_velocity
        q = 0.5 * 1.17 * 1.9 * u * u
        cz, b = of("cz") + o.cz * above, of("balance") + o.balance * above
        cx = of("cx_body") + of("cx_front") + of("cx_rear") + (o.cx_body + o.cx_front + o.cx_rear) * above
        found = {
            "front_downforce": q * cz * b * by("cz_by") * by("cz_front_by"),
            "rear_downforce": q * cz * (1 - b) * by("cz_by") * by("cz_rear_by"),
            "center_drag": q * np.sign(u) * cx * by("cx_by"),
            "front_side": q * of("cy") * of("balance_y") * by("cy_by") * by("cy_front_by"),
            "rear_side": q * of("cy") * (1 - of("balance_y")) * by("cy_by") * by("cy_rear_by"),
            "roll": q * of("cmx") * by("cmx_by") * by("cmx_front_by") * by("cmx_rear_by"),
        }

        def modified(name: str, value: float) -> float:
            return MODIFIERS[name]["scale"] * (value + MODIFIERS[name]["shift"])

        self.f = {name: modified(name, found.get(name, 0.0)) for name in (*FORCES, "roll", "yaw")}
        arm = seen.height(CENTER)
        self.f["pitch"] = modified("pitch", self.f["center_drag"] * arm)
        sign = {"compensate": 1.0, "manual": -1.0, "none": 0.0}[raw.get("side_arm", "compensate")]
        self.f["roll"] += sign * (self.f["front_side"] * seen.height(FRONT) + self.f["rear_side"] * seen.height(REAR))
        self.told = {
            "longitudinal_velocity": u, "lateral_velocity": across, "vertical_velocity": self.rising,
            "side_slip": slip, "pitch": seen.pitch, "roll": seen.roll, "steer": seen.steer, "drag_arm": arm,
            "height_front": pair[0], "height_auxiliary": pair[1], "height_rear": seen.height(SENSORS["rear_sensor"]),
            "drag_force": self.f["center_drag"], "drag_force_front": self.f["front_drag"],
            "drag_force_rear": self.f["rear_drag"], "front_downforce": self.f["front_downforce"],
            "rear_downforce": self.f["rear_downforce"], "center_downforce": self.f["center_downforce"],
            "front_sideforce": self.f["front_side"], "rear_sideforce": self.f["rear_side"],
            "center_sideforce": self.f["center_side"], "roll_torque": self.f["roll"], "drag_torque": self.f["pitch"],
            "yaw_torque": self.f["yaw"],
            "aero_balance": self.f["front_downforce"]
            / sum(self.f[f"{word}_downforce"] for word in ("front", "rear", "center")),
        }  # fmt: skip

    @property
    def wrench(self) -> tuple[dict[Any, Any], tuple[float, ...]]:
        points = {"front": FRONT, "rear": REAR, "center": CENTER}
        forces = {
            point: (-self.f[f"{word}_drag"], self.f[f"{word}_side"], -self.f[f"{word}_downforce"])
            for word, point in points.items()
        }
        return forces, (self.f["roll"], self.f["pitch"], self.f["yaw"])


VARIANTS = [("road", "compensate"), ("chassis", "manual"), ("road", "none")]


@pytest.mark.parametrize(("frame", "side_arm"), VARIANTS)
@pytest.mark.parametrize("motion", MOTIONS, ids=["fast", "other way", "reverse"])
def test_all_components_and_channels_are_those_of_the_equations(
    motion: dict[str, float], frame: str, side_arm: str
) -> None:
    """24 channels, and the rates of all states, as the same forces at the centre of gravity make them."""
    sim = simulation(full(frame, side_arm), motion)
    seen = Seen(rig(FULL), sim, motion, frame)
    expected = Expected(seen, {**FULL, "side_arm": side_arm})
    for name, value in expected.told.items():
        assert seen.found[f"aero_forces.{name}"] == pytest.approx(value, rel=1e-9, abs=1e-10), name
    told = {name.partition(".")[2] for name in seen.found if name.startswith("aero_forces.")}
    assert told == set(expected.told)
    assert_acts(sim, seen.load(*expected.wrench))


# ---- single statements, with numbers that can be checked in the head ------------------------------------------------


@lru_cache
def plain() -> Any:
    odd = {"yaw": {"x": [-0.3, 0.3], "y": [-1.0, 1.0]}}
    limits = {"drag_arm_min": 0.1, "drag_arm_max": 0.9}
    return described(rig(simple(**limits, offsets={"cz": 0.0}, cx_front=0.0, cx_rear=0.0, cy_by=odd)))


def straight(speed: float, **motion: float) -> dict[str, float]:
    zero = dict.fromkeys(("x", "y", "roll", "pitch", "yaw", "vy", "vz", "wx", "wy", "wz", "steering_wheel"), 0.0)
    return {**zero, "z": 0.6, "vx": speed, **motion}


def level(speed: float, numbers: dict[str, float] | None = None, **motion: float) -> Simulation:
    sim = simulation(plain(), straight(speed, **motion))
    sim.set_parameters({"ground.grade": 0.0, "ground.bank": 0.0, "ground.height": 0.0, **(numbers or {})})
    return sim


def told(sim: Simulation, name: str) -> float:
    return float(sim.output(f"aero_forces.{name}"))


def test_the_sample_gives_its_round_numbers() -> None:
    """½·1.22·1.0·1.901639·50² = 2900 N of downforce; 0.48, 0.68 and 0.80 V² of the sample file."""
    sim = level(50.0)
    assert told(sim, "front_downforce") + told(sim, "rear_downforce") == pytest.approx(2900.0, rel=1e-6)
    assert told(sim, "front_downforce") == pytest.approx(0.48 * 2500, rel=2e-6)
    assert told(sim, "rear_downforce") == pytest.approx(0.68 * 2500, rel=2e-6)
    assert told(sim, "drag_force") == pytest.approx(0.80 * 2500, rel=2e-6)
    assert told(sim, "aero_balance") == pytest.approx(0.413793, rel=1e-12)
    assert told(sim, "front_sideforce") == told(sim, "rear_sideforce") == 0.0  # a symmetric car without side slip


def test_drag_is_the_sum_of_three_maps() -> None:
    sim = level(40.0, {"aero.cx_body.value": 0.41, "aero.cx_front.value": 0.07, "aero.cx_rear.value": 0.13})
    assert told(sim, "drag_force") == pytest.approx(0.5 * 1.22 * 1600 * 0.61, rel=1e-12)


def test_side_force_is_to_the_left_and_shared() -> None:
    """Moving to the right, air from the right: side force by the factor's sign, its sum q C_y, front share 0.47."""
    for slip in (0.2, -0.1):
        u, v = 40.0, 40.0 * np.tan(slip)
        sim = level(u, vy=v)
        front, rear = told(sim, "front_sideforce"), told(sim, "rear_sideforce")
        assert front + rear == pytest.approx(0.5 * 1.22 * u * u * 0.9 * slip / 0.3, rel=1e-9)
        assert front / (front + rear) == pytest.approx(0.47, rel=1e-12)


def test_head_wind_is_speed() -> None:
    still, windy = level(45.0), level(33.0, {"aero.wind.x": -12.0})
    for name in ("drag_force", "front_downforce", "rear_downforce", "drag_torque", "longitudinal_velocity"):
        assert told(windy, name) == pytest.approx(told(still, name), rel=1e-12)


def test_offsets_begin_at_their_threshold_and_are_straight_lines() -> None:
    numbers = {"aero.offsets.threshold": 30.0, "aero.offsets.reference_velocity": 20.0, "aero.offsets.cz": 0.4}
    numbers |= {"aero.offsets.cx_front": 0.05, "aero.offsets.balance": 0.02}

    def coefficients(speed: float) -> tuple[float, float, float]:
        sim = level(speed, numbers)
        q = 0.5 * 1.22 * speed**2
        down = told(sim, "front_downforce") + told(sim, "rear_downforce")
        return down / q - 1.901639, told(sim, "drag_force") / q - 1.311475, told(sim, "aero_balance") - 0.413793

    for speed in (12.0, 29.999, 30.0):
        assert coefficients(speed) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
    for speed in (35.0, 50.0, 70.0):
        share = (speed - 30.0) / 20.0
        assert coefficients(speed) == pytest.approx((0.4 * share, 0.05 * share, 0.02 * share), rel=1e-9)
    numbers["aero.offsets.reference_velocity"] = 0.0
    assert coefficients(70.0) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)  # no division by zero


def test_the_drag_arm_is_held_and_the_moment_with_it() -> None:
    """The point is 0.63 m above ground at z = design; lifting the body lifts the arm until its limit."""
    design = level(40.0)
    arm, z = told(design, "drag_arm"), 0.6
    for lift in (0.01, 0.02):
        sim = level(40.0, z=z + lift)
        assert told(sim, "drag_arm") == pytest.approx(arm + lift, abs=1e-12)
        assert told(sim, "drag_torque") == pytest.approx(told(sim, "drag_force") * (arm + lift), rel=1e-12)
    for far, limit in ((2.0, 0.9), (-1.0, 0.1)):
        sim = level(40.0, z=z + far)
        assert told(sim, "drag_arm") == limit
        assert told(sim, "drag_torque") == pytest.approx(told(sim, "drag_force") * limit, rel=1e-12)


def test_scale_0_takes_a_component_away_and_leaves_what_side_forces_do() -> None:
    base = level(40.0, vy=5.0)
    side = {name: told(base, name) for name in ("front_sideforce", "rear_sideforce")}
    seen = Seen(rig(simple()), base, straight(40.0, vy=5.0))
    heights = [seen.height_level(point) for point in (FRONT, REAR)]
    by_arms = side["front_sideforce"] * heights[0] + side["rear_sideforce"] * heights[1]
    sim = level(40.0, {"aero.modifiers.roll.scale": 0.0}, vy=5.0)
    assert told(sim, "roll_torque") == pytest.approx(by_arms, rel=1e-12)
    assert told(base, "roll_torque") == pytest.approx(by_arms + 0.5 * 1.22 * 1600 * 0.21, rel=1e-12)
    for name, channel in (("front_downforce",) * 2, ("center_drag", "drag_force"), ("rear_side", "rear_sideforce")):
        assert told(level(40.0, {f"aero.modifiers.{name}.scale": 0.0}, vy=5.0), channel) == 0.0


def test_a_side_force_at_a_height_makes_no_moment_at_the_road() -> None:
    """With C_mx = 0: moments of all forces about the road below the centre of gravity, along x, vanish."""
    sim = level(40.0, {"aero.cmx.value": 0.0}, vy=6.0)
    seen = Seen(rig(simple()), sim, straight(40.0, vy=6.0))
    front, rear, roll = (told(sim, name) for name in ("front_sideforce", "rear_sideforce", "roll_torque"))
    assert abs(front) > 100
    about_x = roll - front * seen.height_level(FRONT) - rear * seen.height_level(REAR)
    assert about_x == pytest.approx(0.0, abs=1e-9)


def test_forces_grow_from_zero_after_the_start() -> None:
    sim = level(40.0, {"aero.modifiers.front_downforce.smoothing_time": 0.8})
    full_size = 0.5 * 1.22 * 1600 * 1.901639 * 0.413793
    sizes = []
    for time in (0.0, 0.2, 0.4, 0.7, 0.8, 3.0):
        sim.restart(time)
        air_rig.move(sim, straight(40.0))
        sim.set_parameters({"ground.grade": 0.0, "ground.bank": 0.0})
        s = min(time / 0.8, 1.0)
        sizes.append(told(sim, "front_downforce"))
        assert sizes[-1] == pytest.approx(full_size * s * s * (3 - 2 * s), rel=1e-9, abs=1e-12)
        assert told(sim, "rear_downforce") == pytest.approx(full_size / 0.413793 * (1 - 0.413793), rel=1e-9)
    assert sizes == sorted(sizes) and sizes[0] == 0.0


def test_ride_heights_are_held_at_their_limits() -> None:
    """Far above the road the maps have the values at the upper limits, which lie within the tables; and stay there."""
    sims = [simulation(full("road", "compensate"), {**MOTIONS[0], "z": z}) for z in (3.0, 4.0)]
    for name in ("front_downforce", "rear_downforce", "drag_force"):
        a, b = (sim.output(f"aero_forces.{name}") for sim in sims)
        assert a == pytest.approx(b, rel=1e-12)
    assert sims[0].output("aero_forces.height_front") != sims[1].output("aero_forces.height_front")
    for z, front, rear in ((3.0, 0.27, 0.33), (-2.0, 0.05, 0.09)):
        motion = {**MOTIONS[0], "z": z}
        seen = Seen(rig(FULL), simulation(full("road", "compensate"), motion), motion)
        expected = Expected(seen, FULL)
        assert expected.heights == pytest.approx([front, rear])
        for name in ("front_downforce", "rear_downforce", "drag_force"):
            assert seen.found[f"aero_forces.{name}"] == pytest.approx(expected.told[name], rel=1e-9)


def test_motions_are_within_the_limits() -> None:
    """Two of three at least, with sensors of different heights: else averages and maps would not be seen."""
    inside = 0
    for motion in MOTIONS:
        seen = Seen(rig(FULL), simulation(full("road", "compensate"), motion), motion)
        front, rear = Expected(seen, FULL).heights
        inside += 0.05 < front < 0.27 and 0.09 < rear < 0.33
    assert inside >= 2


def test_an_auxiliary_sensor_on_the_left_takes_the_channels_of_the_front_one() -> None:
    other = {**SENSORS, "front_sensor": SENSORS["auxiliary_sensor"], "auxiliary_sensor": SENSORS["front_sensor"]}
    vehicle = rig({**FULL, **other})
    one, two = (simulation(d, MOTIONS[0]) for d in (full("road", "compensate"), described(vehicle)))
    for name in ("height_front", "height_auxiliary", "front_downforce", "drag_force"):
        assert two.output(f"aero_forces.{name}") == one.output(f"aero_forces.{name}")
    assert any("exchanged" in remark for remark in vehicle.remarks())
    with pytest.raises(ValueError, match="same side as front_sensor"):
        AdvancedAero.model_validate({**FULL, "auxiliary_sensor": (0.1, 0.4, 0.2)})


def test_limits_the_wrong_way_round_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must be above front_ride_height_min, which is 0\.05 m"):
        AdvancedAero.model_validate({**FULL, "front_ride_height_max": 0.04})


def test_drag_of_the_data_is_that_of_the_model() -> None:
    """``still_drag``, which the quasi-static cycle reads, against the model straight ahead without wind."""
    raw = {**FULL, "wind": (0, 0, 0), "offsets": FULL["offsets"]}
    vehicle = rig(raw)
    assert vehicle.aero is not None
    unit = vehicle.layout.units[0]
    for speed in (20.0, 41.0):
        sim = simulation(described(vehicle), straight(speed, steering_wheel=0.0))
        sim.set_parameters({"ground.grade": 0.0, "ground.bank": 0.0, "ground.height": 0.0})
        heights = (0.5 * (told(sim, "height_front") + told(sim, "height_auxiliary")), told(sim, "height_rear"))
        (drag,) = vehicle.aero.still_drag(unit, np.array([speed]), heights)
        assert told(sim, "steer") == pytest.approx(0.0, abs=1e-12)
        assert drag == pytest.approx(told(sim, "drag_force"), rel=1e-9)
