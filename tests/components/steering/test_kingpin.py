"""The steering axis from maps: recovered from a carrier that turns about a known one."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from jounce.core.curves import Curve, CurveUnits
from jounce.sim import car as cars
from jounce.vehicle.kingpin import instant_axis, refresh
from steered_cars import ANGLES, AXIS, CASTER, DATA, INCLINATION, POINT, Array, rack_at, shift, synthetic


def springs_of(car: jv.Vehicle) -> dict[Any, Curve]:
    """What the steering adds to the deflection of springs that do not deflect when the carrier turns: -z."""
    assert car.steering.x is not None
    rack = np.array(car.steering.x.curve.x)
    order = np.argsort([rack_at(a) for a in ANGLES])
    z = np.array([shift(a)[2] for a in ANGLES])[order]
    left = Curve(CurveUnits("m", "m", "m"), x=tuple(rack), y=tuple(-z))
    right = Curve(CurveUnits("m", "m", "m"), x=tuple(-rack[::-1]), y=tuple(-z[::-1]))
    return {"L": left, "R": right}


@pytest.mark.parametrize("sequence", ["3-1-2", "3-2-1"])
@pytest.mark.parametrize("angle", [-0.25, -0.1, 0.0, 0.28])
def test_the_axis_of_a_synthetic_carrier_is_recovered(angle: float, sequence: str) -> None:
    car = synthetic(sequence)
    u, rise = rack_at(angle), float(shift(angle)[2])
    found = instant_axis(car, "L", u, rise, steering_deflection=springs_of(car))
    assert found is not None
    assert found.caster == pytest.approx(CASTER, abs=1e-9)
    assert found.inclination == pytest.approx(INCLINATION, abs=1e-9)
    off = found.point - POINT
    assert np.linalg.norm(off - (off @ AXIS) * AXIS) < 1e-9, "the point lies on the axis"
    assert (shift(angle) - found.point) @ AXIS == pytest.approx(0, abs=1e-9), "next to the wheel centre"
    assert abs(found.pitch) < 1e-9
    # zero spring travel along the path, and one unit of rack travel turns the carrier by dϑ/dτ
    slope = (rack_at(angle + 1e-5) - rack_at(angle - 1e-5)) / 2e-5
    assert found.turn * slope == pytest.approx(1.0, abs=1e-8)
    assert found.travel * slope == pytest.approx((shift(angle + 1e-5)[2] - shift(angle - 1e-5)[2]) / 2e-5, abs=1e-9)
    mirror = instant_axis(car, "R", -u, rise, steering_deflection=springs_of(car))
    assert mirror is not None
    assert mirror.point == pytest.approx(found.point * [1, -1, 1], abs=1e-12)
    assert mirror.direction == pytest.approx(found.direction * [1, -1, 1], abs=1e-12)
    assert (mirror.caster, mirror.inclination) == pytest.approx((found.caster, found.inclination), abs=1e-12)


def test_without_spring_data_the_pitch_tells_of_the_rise() -> None:
    car = synthetic()
    found = instant_axis(car, "L", 0.0, 0.0)
    slope = (shift(1e-5)[2] - shift(-1e-5)[2]) / 2e-5
    assert found is not None
    assert found.pitch == pytest.approx(-slope * AXIS[2], abs=1e-9)


def test_of_a_dependent_axle_both_springs_are_locked_together() -> None:
    """Two equations for both travels against a search by Newton's method on the deflections themselves."""
    rng = np.random.default_rng(1)
    grid = [-0.1, 0.0, 0.1]
    table = {"x": grid, "z": grid, "y": [[0.9 * a + 0.15 * b + 0.8 * a * b for b in grid] for a in grid]}
    maps = {n: {"x": grid, "z": grid, "y": (0.05 * rng.standard_normal((3, 3))).tolist()} for n in ("x", "y", "camber")}
    car = jv.load(DATA).with_(**{f"front_suspension.{n}": m for n, m in maps.items()})
    car = car.with_(**{"front_suspension.spring.ratio": table, "system.splines.method": "cubic"})
    units = CurveUnits("rad", "m", "m")
    added = {s: Curve(units, x=(-1.0, 0.0, 1.0), y=(a, 0.0, b)) for s, a, b in (("L", 2e-3, 5e-3), ("R", 4e-3, -1e-3))}
    u, left, right = 0.2, 0.02, -0.01
    found = instant_axis(car, "L", u, left, right, steering_deflection=added)  # type: ignore[arg-type]
    assert found is not None and car.front_suspension.dependent and car.front_suspension.spring is not None
    ratio = car.front_suspension.spring.deflection

    def lengths(q: Array, u: float) -> Array:
        d = [ratio(q[0], q[1], method="cubic"), ratio(q[1], q[0], method="cubic")]
        return np.array([d[i] + added[s](u, method="cubic") for i, s in enumerate("LR")])

    def locked(u: float) -> Array:
        q = np.array([left, right])
        for _ in range(20):
            columns = [(lengths(q + e, u) - lengths(q - e, u)) / 2e-6 for e in 1e-6 * np.eye(2)]
            q = q - np.linalg.solve(np.array(columns).T, lengths(q, u) - start)
        return q

    start = lengths(np.array([left, right]), u)
    step = 1e-4
    # differences of second order: 1e-8 of a third derivative of some tenths, Newton's method to 1e-14/step
    assert found.travel == pytest.approx((locked(u + step) - locked(u - step))[0] / (2 * step), abs=1e-8)


def test_refreshed_kingpin_maps_are_those_of_the_maps() -> None:
    car, pitch = refresh(
        synthetic(**{"steering.kingpin": None, "steering.feedback.tie_rod": None}), [-0.03, 0.03], [-0.01, 0.01]
    )
    left, right = (car.steering.kingpin_on(s) for s in ("L", "R"))
    assert left is not None and right is not None and pitch > 1e-3
    assert left.caster(0.03, 0.01) == pytest.approx(CASTER, abs=1e-9)  # the direction does not depend on the springs
    assert right.inclination(-0.03, 0.0) == pytest.approx(INCLINATION, abs=1e-9)
    assert right.y(0.03, 0.0) == pytest.approx(-left.y(-0.03, 0.0), abs=1e-12)


# ---- an axis that compliance carries along --------------------------------------------------------------------------


@lru_cache
def giving() -> cars.Description:
    raw = one_axle()
    gives = {"side_view_angle": {"fx": 1e-6}, "x": {"fx": 1e-6}, "toe": {"fy": 1e-7}}
    raw["axles"][0]["suspension"]["compliance"] = gives
    axis = {"caster": math.radians(5), "inclination": math.radians(11), "x": -0.006, "y": -0.07, "z": 0.04}
    raw["axles"][0]["steering"] |= {"kingpin": axis, "axis_gives_way": True}
    return cars.describe(vehicle_of(raw))


def test_compliance_carries_the_steering_axis_along() -> None:
    sim = cars.simulation(giving())
    sim.set_parameters({"ground.height": -5.0})
    free = {side: sim.output(f"Wheel.Caster_Angle.{side}") for side in ("left", "right")}
    assert free == pytest.approx(dict.fromkeys(free, math.radians(5)), rel=1e-9), "without load as it is given"
    moment = sim.output("Kingpin_Contribute_Front_Left.Weight")
    wound, shift = 0.013, 0.004
    sim.set_states({"L1.compliance.side_view_angle": wound, "L1.compliance.x": shift})
    after = sim.output("Wheel.Caster_Angle.left")
    assert after != pytest.approx(free["left"], abs=0.2 * wound)
    # by hand: the axis turned about y by the side-view angle, through the wheel centre that moves by the shift
    matrix = np.array([[math.cos(wound), 0, -math.sin(wound)], [0, 1, 0], [math.sin(wound), 0, math.cos(wound)]])
    k = np.array([-math.tan(math.radians(5)), -math.tan(math.radians(11)), 1.0])
    turned_axis = matrix @ k
    # the carrier is cambered at design by a degree, and turns about its own axis across
    assert after == pytest.approx(-math.atan(turned_axis[0] / turned_axis[2]), rel=1e-3)
    assert sim.output("Wheel.Caster_Angle.right") == pytest.approx(free["right"], rel=1e-12)
    lever = matrix @ np.array([0.006, 0.07, -0.04])  # from the axis to the wheel centre
    weight = giving().vehicles[""].layout.wheels["L1"].axle.data.wheels_on("L").unsprung_mass * 9.80665
    expected = turned_axis @ np.cross(lever, [0.0, 0.0, -weight]) / np.linalg.norm(turned_axis)
    assert sim.output("Kingpin_Contribute_Front_Left.Weight") == pytest.approx(expected, rel=0.02)
    assert moment != pytest.approx(expected, rel=1e-3)
