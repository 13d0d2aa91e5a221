"""Tilt table: figures in closed form, moments about the lower wheels, statics, the rigid limit."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.constants import GRAVITY
from jounce.events.library.tilt_table import CENTRE, LOAD, NORMAL, PLACE, of_run, tilt_table
from jounce.results.run import Run
from jounce.sim import car
from jounce.sim.statics import settle
from result_runs import value
from trains import car_trailer

WHEELS = ("L1", "R1", "L2", "R2")
UP = {"L1": 0.71, "R1": -0.78, "L2": 0.74, "R2": -0.69}  # m, from the centre of gravity
HEIGHT, WEIGHTS = 0.62, {"L1": 3900.0, "R1": 3700.0, "L2": 4300.0, "R2": 4600.0}


@pytest.mark.parametrize("up", [1.0, -1.0])
def test_figures_of_a_rigid_car(up: float) -> None:
    """Loads of both axles that fall with tan γ until a wheel of each lifts; either side up."""
    angle = np.radians(np.arange(0.0, 60.0, 0.1))
    lateral = {name: up * y for name, y in UP.items()}
    ends = (
        {"1": 47.33, "2": 52.18} if up > 0 else {"1": 44.02, "2": 49.57}
    )  # deg, where the upper wheel is without load
    loads = {}
    for name, load in WEIGHTS.items():
        gone = load if lateral[name] > 0 else -load
        loads[name] = np.maximum(load - gone * np.tan(angle) / math.tan(math.radians(ends[name[1]])), 0.0)
    found = tilt_table(angle, loads, lateral, HEIGHT, 0.07 * np.tan(angle))
    half = sum(WEIGHTS[n] * abs(UP[n]) for n in WHEELS) / sum(WEIGHTS.values())
    assert value(found, "static_stability_factor") == pytest.approx(half / HEIGHT)
    first, last = sorted(ends.values())
    assert value(found, "first_lift_angle") == pytest.approx(first, abs=0.16)  # rows, and 3e-4 of the weight
    assert value(found, "rollover_angle") == pytest.approx(last, abs=0.16)
    assert value(found, "tilt_table_ratio") == pytest.approx(math.tan(math.radians(last)), rel=5e-3)
    assert value(found, "roll_at_lift") == pytest.approx(math.degrees(0.07 * math.tan(math.radians(first))), rel=5e-3)
    assert value(found, "tilt_roll_gradient") == pytest.approx(math.degrees(0.07), rel=1e-6)
    short = angle < math.radians(48.0)
    found = tilt_table(angle[short], {n: x[short] for n, x in loads.items()}, lateral, HEIGHT)
    assert math.isnan(value(found, "tilt_table_ratio")) and "does not tip over up to 47.9" in " ".join(found.warnings)


@lru_cache
def tilted(direction: str = "right", **place: float) -> Run:
    return jn.run(jn.load("sedan"), events.TiltTable(direction=direction, rate="0.37 deg/s", **place))


def angles(run: Run) -> np.ndarray:
    normal = np.max([run[f"Tire.Contact_Patch_Normal_Z.{w}"] for w in WHEELS], axis=0)
    return np.arccos(np.clip(normal, -1.0, 1.0))


def test_the_other_side_elsewhere_tips_at_the_same_angle() -> None:
    right, left = tilted(), tilted("left", x=300.0, y=-70.0, heading=2.0)
    assert right.complete and right.reason == "tipped over"
    for name, (found, _) in right.kpis.items():
        assert left.kpis[name][0] == pytest.approx(found, rel=1e-6), name  # the step of the table is the resolution
    k = int(np.argmax(angles(right) > math.radians(30)))
    assert right["Tire.Ground_Surface_Force_Z.R1"][k] > 2 * right["Tire.Ground_Surface_Force_Z.L1"][k]
    assert left["Tire.Ground_Surface_Force_Z.L1"][k] == pytest.approx(
        right["Tire.Ground_Surface_Force_Z.R1"][k], rel=1e-6
    )


def mean(run: Run, degrees: float, name: str) -> float:
    """Over the second before an angle: the table moves in steps, and every one shakes the car a little."""
    at = angles(run)
    last = int(np.flatnonzero(at <= math.radians(degrees))[-1])
    return float(run[name][last - 50 : last].mean())


@pytest.mark.parametrize("degrees", [12.0, 33.0, 44.0])
def test_loads_balance_the_moment_of_gravity_about_the_table(degrees: float) -> None:
    """Normal loads by weight and place of the centre of gravity, with the car as it leans: rigid-body statics."""
    run = tilted()
    gamma = math.acos(mean(run, degrees, "Tire.Contact_Patch_Normal_Z.R1"))
    up, side = np.array([0.0, -math.sin(gamma), math.cos(gamma)]), np.array([0.0, math.cos(gamma), math.sin(gamma)])
    centre = np.array([mean(run, degrees, f"System_Mass_Center.Global_{a}") for a in "XYZ"])
    load = {w: mean(run, degrees, f"Tire.Ground_Surface_Force_Z.{w}") for w in WHEELS}
    contact = {w: np.array([mean(run, degrees, f"Tire.Contact_Patch_Global_{a}.{w}") for a in "XYZ"]) for w in WHEELS}
    weight = run.quantity("mass") * GRAVITY
    assert sum(load.values()) == pytest.approx(weight * math.cos(gamma), rel=1e-3)
    height = float((centre - contact["R1"]) @ up)
    assert height == pytest.approx(0.54, abs=0.05)
    overturning = weight * math.sin(gamma) * height
    restoring = sum(load[w] * float((centre - contact[w]) @ side) for w in WHEELS)
    moments = sum(mean(run, degrees, f"Tire.Ground_Surface_Moment_X.{w}") for w in WHEELS)
    # a step of 0.02 deg under a wheel 0.78 m aside is 0.27 mm, 60 N at each of four wheels: 180 N.m in phase with the
    # step; 18.5 steps of 54 ms at rows of 20 ms leave a fifth of that
    assert restoring == pytest.approx(overturning + moments, abs=45.0)


@pytest.mark.parametrize("degrees", [10.0, 30.0])
def test_loads_are_those_of_statics(degrees: float) -> None:
    run = tilted()
    description = car.describe(jn.load("sedan"), ground="inclined")
    sim = car.simulation(description)
    bank = math.tan(math.radians(degrees - 0.25))  # of the middle of the second
    sim.set_parameters({"ground.friction": 2.5, "ground.bank": bank})
    sim.set_inputs({"brake": 1.0})
    settle(sim, description, normal=(0.0, -bank, 1.0))
    # how four tires that stick share the force across the slope depends on the way there, and with it what their axles
    # bear; statics takes the least deflections, and lets friction go. The sum of a side knows only where the body is
    for side in (("L1", "L2"), ("R1", "R2")):
        found = sum(mean(run, degrees, f"Tire.Ground_Surface_Force_Z.{w}") for w in side)
        expected = sum(sim.output(f"Tire.Ground_Surface_Force_Z.{w}") for w in side)
        assert found == pytest.approx(expected, abs=0.01 * run.quantity("mass") * GRAVITY)


@pytest.mark.slow
def test_a_car_of_stiffer_springs_and_tires_comes_near_the_rigid_one() -> None:
    """What is missing to tan γ = T/2h shrinks with what gives way."""
    sedan = jn.load("sedan")
    description = car.describe(sedan, ground="inclined")
    values = car.simulation(description).parameters
    stiff = [n for n in values if n.endswith((".spring.rate", ".compliance.factor"))]
    missing = []
    for factor in (1.0, 10.0):
        given = {name: values[name] * (factor if "spring" in name else 1 / factor) for name in stiff}
        run = jn.run(sedan, events.TiltTable(rate="0.5 deg/s"), parameters=given)
        missing.append(run.kpis["static_stability_factor"][0] - run.kpis["tilt_table_ratio"][0])
    assert stiff and 0 < missing[1] < 0.7 * missing[0]


def test_without_rails_the_car_slides() -> None:
    slid = jn.run(jn.load("sedan"), events.TiltTable(friction=0.35, rate="1 deg/s"))
    assert slid.reason == "slides off the table"
    assert math.isnan(slid.kpis["tilt_table_ratio"][0])
    # it slides where the plane is steeper than the friction of its tires, about 0.35 times theirs
    assert 0.3 < math.tan(float(angles(slid).max())) < 0.45


def test_the_centre_of_a_train_is_that_of_its_units_by_their_masses() -> None:
    """Two units whose centres are 1 m apart in height: (2·0.6 + 3·1.6)/5 = 1.2 m over wheels 0.9 m to either side."""
    n, channels, units = 11, {}, {}
    for name, y in (("L1", 0.9), ("R1", -0.9)):
        channels |= {LOAD.format(name): np.full(n, 1e4), NORMAL.format(name): np.ones(n)}
        units |= {LOAD.format(name): "N", NORMAL.format(name): "-"}
        for axis, value_ in zip("XYZ", (0.0, y, 0.0), strict=True):
            channels[PLACE.format(axis, name)], units[PLACE.format(axis, name)] = np.full(n, value_), "m"
    for own, z in (("", 0.6), ("unit2.", 1.6)):
        for axis, value_ in zip("XYZ", (0.0, 0.0, z), strict=True):
            key = f"{own}{CENTRE.format(axis)}"
            channels[key], units[key] = np.full(n, value_), "m"
    for key in ("chassis_displacements.yaw", "chassis_displacements.roll"):
        channels[key], units[key] = np.zeros(n), "rad"
    about = {"vehicle": {"masses": {"": 2.0, "unit2.": 3.0}}, "event": {"parameters": {"direction": "right"}}}
    found = of_run(Run(np.linspace(0.0, 1.0, n), channels, units, about))
    assert value(found, "static_stability_factor") == pytest.approx(0.9 / 1.2, rel=1e-12)


# ---- several units ---------------------------------------------------------------------------------------------------


@lru_cache
def tilted_train(direction: str) -> Run:
    return jn.run(car_trailer(), events.TiltTable(direction=direction, rate="0.4 deg/s", most="46 deg"))


@pytest.mark.parametrize("direction", ["right", pytest.param("left", marks=pytest.mark.slow)])
def test_a_trailer_on_a_ball_tips_about_the_line_from_the_ball_to_its_lower_wheel(direction: str) -> None:
    """Where its upper wheel lifts nothing but the ball and the lower wheel hold it: its weight has no moment about the
    line through them. Of a rigid one in its place, that is known beforehand."""
    run = tilted_train(direction)
    lower = {"right": "R3", "left": "L3"}[direction]
    tips = run.kpis["lift_angle_unit2"][0]
    assert run.kpis["rollover_angle"][0] == tips and math.isnan(run.kpis["lift_angle_unit1"][0])
    row = int(np.searchsorted(np.degrees(angles(run)), tips - 1e-9))

    def place(name: str) -> np.ndarray:
        return np.array([run[name.format(axis)][row] for axis in "XYZ"])

    ball, mass = place("Hook_rear.Hook_{}"), place("unit2.System_Mass_Center.Global_{}")
    normal = np.array([run[f"Tire.Contact_Patch_Normal_{a}.{lower}"][row] for a in "XYZ"])
    across = np.cross(normal, [1.0, 0.0, 0.0])
    load, over = (run[f"Tire.Ground_Surface_{name}.{lower}"][row] for name in ("Force_Z", "Moment_X"))
    axis = place("Tire.Contact_Patch_Global_{}." + lower) + across * over / load - ball  # where the tire bears
    # turning gravity in the plane of the table's tilt: at which angle to the normal is it without moment?
    arm = mass - ball
    at = math.atan2(abs(axis @ np.cross(arm, normal)), abs(axis @ np.cross(arm, across)))
    assert math.degrees(at) == pytest.approx(tips, abs=0.05), "the table has steps of 0.02 deg"
    # rigid: at design, with the wheels
    vehicle = car_trailer()
    body, wheels = vehicle.trailers[0].body, vehicle.layout.axles[2].wheels
    heavy, light = body.mass, 2 * float(vehicle.layout.axles[2].data.wheels.unsprung_mass)
    x = (heavy * body.cg.x + light * vehicle.layout.axles[2].x) / (heavy + light)
    z = (heavy * body.cg.z + light * float(wheels[0].centre[2])) / (heavy + light)
    height, half, back = (
        vehicle.trailers[0].hitch.location.z,
        abs(float(wheels[0].centre[1])),
        vehicle.layout.axles[2].x,
    )
    # the line from (0, 0, h) to (back, half, 0), and the mass at (x, 0, z)
    line, lever = np.array([back, half, -height]), np.array([x, 0.0, z - height])
    rigid = math.atan2(abs(line @ np.cross(lever, [0, 0, 1.0])), abs(line @ np.cross(lever, [0, 1.0, 0])))
    assert tips == pytest.approx(math.degrees(rigid), rel=0.1) and tips < math.degrees(rigid), "springs give way"
