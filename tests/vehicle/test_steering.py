"""Steering: axes from maps, moments about kingpins, hand torque, column, release, carrier rotations.

The synthetic car has front carriers that really turn about a given axis with a tie rod of constant length: the carrier
turned by ϑ about the axis has the wheel centre P + R(ϑ)(−P) and moves up by z(ϑ); its maps over rack travel follow.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import jounce.vehicle as jv
from four_wheels import CORNERS, assemble, check_numbers
from jounce.components.model import Choices, VehicleModel
from jounce.components.steering.steering import Steering
from jounce.core.curves import Curve, CurveUnits
from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.files.tir import read_tir
from jounce.road.ground import Plane
from jounce.runtime.program import Constant, Open, Phase, Program, Sine
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build
from jounce.symbolic.system import System
from jounce.vehicle.assembly import placed, run_phases
from jounce.vehicle.kingpin import instant_axis, refresh

DATA = Path(__file__).parent / "data" / "compact"
CASTER, INCLINATION = math.radians(6), math.radians(12)
AXIS = np.array([-math.tan(CASTER), -math.tan(INCLINATION), 1.0])
AXIS /= np.linalg.norm(AXIS)
POINT = np.array([-0.010, -0.060, 0.020])  # of the left axis, from the wheel centre at design
OUTER, INNER = np.array([-0.120, -0.100, -0.050]), np.array([-0.120, -0.450, -0.040])
ANGLES = 0.3 * np.cos(np.pi * np.arange(61) / 60)  # dense at the ends, for polynomials
RACK = -0.058  # m/rev: behind the axle
Array = np.ndarray[Any, np.dtype[np.float64]]


def system_of(car: jv.Vehicle, **options: Any) -> System:
    front, rear = read_tir(car.front_wheels.tire.path).tire, read_tir(car.rear_wheels.tire.path).tire
    return assemble(car, {c: front if axle == 1 else rear for c, (axle, _) in CORNERS.items()}, **options)


# ---- the synthetic carrier ---------------------------------------------------------------------------------


def turned(angle: float) -> Array:
    """Rotation about the left axis (Rodrigues)."""
    skew = np.cross(AXIS, np.eye(3)).T
    return np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew


def shift(angle: float) -> Array:
    """Displacement of the left wheel centre."""
    return POINT - turned(angle) @ POINT


def rack_at(angle: float) -> float:
    """Rack travel at which the tie rod fits."""
    end = shift(angle) + turned(angle) @ OUTER - INNER
    length = np.linalg.norm(OUTER - INNER)
    return float(end[1] - math.sqrt(length**2 - end[0] ** 2 - end[2] ** 2))


def synthetic(**changes: Any) -> jv.Vehicle:
    rack = np.array([rack_at(a) for a in ANGLES])
    order = np.argsort(rack)
    turns = [turned(a) for a in ANGLES]
    moved = np.array([shift(a) for a in ANGLES])
    values = {
        "steer": [math.atan2(-r[0, 1], r[1, 1]) for r in turns],
        "camber": [-math.asin(r[2, 1]) for r in turns],
        "side_view_angle": [-math.atan2(-r[2, 0], r[2, 2]) for r in turns],
        "x": moved[:, 0],
        "y": moved[:, 1],
    }
    maps = {name: {"x": rack[order].tolist(), "y": np.array(v)[order].tolist()} for name, v in values.items()}
    travels = [-0.1, 0.1]
    rises = {
        "x": rack[order].tolist(),
        "z": travels,
        "y": [[float(POINT[2] + j - z) for j in travels] for z in moved[order, 2]],
    }
    car = jv.load(DATA)
    car = car.with_(
        **{
            "body.added_masses[0].location.y": 0.0,
            "system.kinematic_maps.polynomial": True,
            "system.kinematic_maps.polynomial_order": 15,
            "front_suspension.toe": 0.0,
            "front_suspension.camber": 0.0,
            "front_suspension.side_view_angle": 0.0,
            "front_suspension.spring.ratio": 1.0,
            "steering": Steering.model_validate({
                "input": "rack_travel",
                "rack_travel": f"{RACK} m/rev",
                "steering_dependent_wheel_location": True,
                **maps,
                "kingpin": {
                    "caster": CASTER, "inclination": INCLINATION,
                    "x": float(POINT[0]), "y": float(POINT[1]), "z": rises,
                },
                "feedback": {"tie_rod": {"outer": OUTER.tolist(), "inner": INNER.tolist()}},
            }),
        }
    )  # fmt: skip
    return car.with_(**changes)


def springs_of(car: jv.Vehicle) -> dict[Any, Curve]:
    """What the steering adds to the deflection of springs that do not deflect when the carrier turns: -z."""
    assert car.steering.x is not None
    rack = np.array(car.steering.x.curve.x)
    order = np.argsort([rack_at(a) for a in ANGLES])
    z = np.array([shift(a)[2] for a in ANGLES])[order]
    left = Curve(CurveUnits("m", "m", "m"), x=tuple(rack), y=tuple(-z))
    right = Curve(CurveUnits("m", "m", "m"), x=tuple(-rack[::-1]), y=tuple(-z[::-1]))
    return {"L": left, "R": right}


@pytest.mark.parametrize("angle", [-0.25, -0.1, 0.0, 0.28])
def test_the_axis_of_a_synthetic_carrier_is_recovered(angle: float) -> None:
    car = synthetic()
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


# ---- maps ----------------------------------------------------------------------------------------------------


def test_a_sweep_of_the_model_returns_the_maps(working: Library) -> None:
    sim = Simulation(working)
    for angle in (-0.2, 0.1, 0.25):
        u = rack_at(angle)
        sim.set_inputs({"steering_wheel": u / RACK * 2 * math.pi})
        for travel in (-0.05, 0.0, 0.03):
            sim.set_states({"L1.jounce": travel, "R1.jounce": travel})
            r, moved = turned(angle), shift(angle)
            expected = steer_at(math.atan2(-r[0, 1], r[1, 1]), u, travel)
            assert sim.output("Wheel.Spindle_Steer.L1") == pytest.approx(expected, abs=1e-9)
            assert math.sin(sim.output("wheel_angles.camber_L1")) == pytest.approx(-r[2, 1], abs=1e-9)
            assert math.tan(sim.output("wheel_angles.caster_L1")) == pytest.approx(r[2, 0] / r[2, 2], abs=1e-9)
            found = [sim.output(f"Wheel.wheel_center_disp{a}.front_left") for a in "xyz"]
            assert found == pytest.approx([moved[0], moved[1], travel], abs=1e-9)


def pose(car: jv.Vehicle, place: str, **values: float) -> tuple[Array, Array]:
    """Place (from design) and rotation of a carrier whose maps are rates, from the symbols themselves."""
    layout, tire = car.layout, read_tir(car.rear_wheels.tire.path).tire
    system = System("carriers")
    model = VehicleModel(layout, system, dict.fromkeys(CORNERS, Plane()), dict.fromkeys(CORNERS, tire), Choices())
    run_phases(model, placed(layout), ["provide", "frames"])
    here = model.wheels[place]
    known = {p.name: p.default for p in system.parameter_list} | values
    known["steering.angle0"] = values.get("steering_wheel", 0.0) / car.steering.gear_ratio_scale
    entries = ca.vertcat(here.pose.x, here.pose.y, *(e for row in here.carrier.rotation for e in row))
    symbols = ca.symvar(entries)
    numbers = [known.get(str(s), 0.0) for s in symbols]
    found = np.array(ca.Function("pose", [ca.vertcat(*symbols)], [entries])(numbers)).ravel()
    return found[:2], found[2:].reshape(3, 3)


RATES = {
    "front_suspension.toe": 0.3,
    "front_suspension.camber": {"rate": -0.2, "offset": -0.01},
    "steering.camber": 0.02,
    "steering.x": 0.001,
    "steering.y": 0.002,
}


def test_steering_by_angle_and_by_rack_are_the_same() -> None:
    car = jv.load(DATA).with_(**RATES)
    per_rack = 2 * math.pi / 0.05
    raw = {"input": "rack_travel", "rack_travel": "50 mm/rev", "steer": 0.0645 * per_rack, "camber": 0.02 * per_rack}
    other = car.with_(steering=Steering.model_validate(raw))
    state = {"steering_wheel": 1.2, "L1.jounce": 0.03, "R1.jounce": -0.02}
    for place in ("L1", "R1"):
        assert pose(other, place, **state)[1] == pytest.approx(pose(car, place, **state)[1], abs=1e-15)


def test_the_scale_of_the_gear_divides_and_toe_is_added_by_side() -> None:
    car = jv.load(DATA).with_(**{**RATES, "steering.camber": None, "front_suspension.camber": 0.0})
    state = {"steering_wheel": 1.2, "L1.jounce": 0.03, "R1.jounce": 0.03}
    for scale in (1.0, 2.0):
        scaled = car.with_(**{"steering.gear_ratio_scale": scale})
        for place, side in (("L1", -1.0), ("R1", 1.0)):
            r = pose(scaled, place, **state)[1]
            steer = 0.0645 * 1.2 / scale + side * 0.3 * 0.03
            assert math.atan2(-r[0, 1], r[1, 1]) == pytest.approx(steer, abs=1e-15)


def test_wheel_location_by_the_steering_only_where_it_is_asked_for() -> None:
    state = {"steering_wheel": 1.2, "L1.jounce": 0.03}
    car = jv.load(DATA).with_(**RATES)
    by_suspension = [0.03 * 0.03, 0.08 * 0.03]
    assert pose(car, "L1", **state)[0] == pytest.approx(by_suspension, abs=1e-15)
    asked = car.with_(**{"steering.steering_dependent_wheel_location": True})
    assert pose(asked, "L1", **state)[0] == pytest.approx([0.0012, 0.0024], abs=1e-15)


@pytest.mark.parametrize("which", ["compact", "tie_rods", "motion"])
def test_numbers_are_the_same_without_equations(which: str) -> None:
    car = {
        "compact": jv.load(DATA).with_(**COMPACT),
        "tie_rods": synthetic(**{"steering.feedback.method": "tie_rods"}),
        "motion": synthetic(**{"steering.kingpin_axis": "motion", "steering.feedback.inertia_terms": True}),
    }[which]
    check_numbers(system_of(car), car)


# ---- moments about the kingpin -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def geared() -> Library:
    """The synthetic car, hand torque through the tie rods."""
    return build(system_of(synthetic(**{"steering.feedback.method": "tie_rods"}), name="geared"))


@pytest.fixture(scope="module")
def compact() -> Library:
    """A kingpin of constants, a compliant column, a wheel that can be let go, assistance over speed."""
    return build(system_of(jv.load(DATA).with_(**COMPACT), name="compact_steering"))


COMPACT = {
    "body.added_masses[0].location.y": 0.0,
    "steering.column": {"wind_up": "1e-4 rad/(N.m)"},
    "steering.release": {"inertia": 0.02, "damping": 0.3},
    "steering.feedback.servo_scaling": {"x": [0, 10, 20, 30], "y": [0.2, 0.4, 0.7, 1.0]},
    "steering.gear_ratio_scale": 1.25,
}


def upright(library: Library, **kingpin: float) -> Simulation:
    """A car without camber, toe and side-view angle at design height, on a steering axis of choice (left values)."""
    sim = Simulation(library)
    for place, mirror in (("L1", 1.0), ("R1", -1.0)):
        values = {n: kingpin.get(n, 0.0) * (mirror if n == "y" else 1.0) for n in ("caster", "inclination", *"xyz")}
        sim.set_parameters({f"{place}.steering.kingpin.{n}.value": v for n, v in values.items()})
        sim.set_parameters({f"{place}.camber.offset": 0.0, f"{place}.unsprung_mass": 36.0})
    return sim


def slipping(sim: Simulation, speed: float = 20.0, sideways: float = -0.6, spin: float = 0.98) -> Simulation:
    """Rolling with side slip and a little braking slip."""
    sim.set_states({"chassis.vx": speed, "chassis.vy": sideways})
    sim.set_states({f"{c}.wheel.spin": spin * speed / 0.3 for c in CORNERS})
    for c in CORNERS:  # deflections that carry forces
        sim.set_states({f"{c}.tire.u": -0.002, f"{c}.tire.v": -0.004})
    return sim


def ground(sim: Simulation, place: str) -> dict[str, float]:
    names = {"x": "Force_X", "y": "Force_Y", "z": "Force_Z", "mx": "Moment_X", "mz": "Moment_Z"}
    return {n: sim.output(f"Tire.Ground_Surface_{c}.{place}") for n, c in names.items()}


def tire_part(sim: Simulation, word: str) -> float:
    return sum(
        sim.output(f"Kingpin_Contribute_Front_{word}.Tire_Force_{n}") for n in ("Fx", "Fy", "Fz", "Mx", "My", "Mz")
    )


def test_a_vertical_axis_has_trail_and_scrub(compact: Library) -> None:
    trail, scrub = 0.03, 0.05
    sim = slipping(upright(compact, x=trail, y=-scrub))
    for place, word, side in (("L1", "Left", 1.0), ("R1", "Right", -1.0)):
        f = ground(sim, place)
        assert abs(f["y"]) > 500 < abs(f["x"]) and abs(f["mz"]) > 1
        expected = -trail * f["y"] - side * scrub * f["x"] + f["mz"]
        assert tire_part(sim, word) == pytest.approx(expected, rel=1e-12)


def test_caster_is_mechanical_trail(compact: Library) -> None:
    caster = math.radians(5)
    sim = slipping(upright(compact, caster=caster))
    f, radius = ground(sim, "L1"), sim.output("Tire.Loaded_Radius.L1")
    # at the wheel centre Fx has no lever, and the bearing takes no torque
    expected = math.cos(caster) * f["mz"] - math.sin(caster) * (radius * f["y"] + f["mx"])
    assert tire_part(sim, "Left") == pytest.approx(expected, rel=1e-12)
    assert sim.output("Wheel.Caster_Angle.left") == pytest.approx(caster, rel=1e-14)


def test_inclination_makes_overturning_moment_felt_the_other_way_round_on_the_other_side(compact: Library) -> None:
    lean = math.radians(12)
    sim = slipping(upright(compact, inclination=lean), sideways=0.0, spin=0.9)
    for place, word, side in (("L1", "Left", 1.0), ("R1", "Right", -1.0)):
        f = ground(sim, place)
        # an axis through the wheel centre: free rolling and drive through a shaft act there, without a lever
        expected = math.cos(lean) * f["mz"]
        assert tire_part(sim, word) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        sim.set_inputs({"brake": 0.3})
        torque = -sim.output(f"Brake_Moment.{place}")  # on the carrier
        assert torque > 100
        assert tire_part(sim, word) - expected == pytest.approx(-side * math.sin(lean) * torque, rel=1e-9)
        sim.set_inputs({"brake": 0.0})


def test_wheel_load_and_weight_at_lock_do_the_work_of_the_rise(geared: Library) -> None:
    """Turn the contact point and the wheel centre about the axis by a small angle: force times rise."""
    sim = Simulation(geared)
    angle = 0.28  # of the left wheel, to the left
    u = rack_at(angle)
    sim.set_inputs({"steering_wheel": u / RACK * 2 * math.pi})
    sim.set_states({"L1.jounce": shift(angle)[2]})
    centre = shift(angle)
    axis_of_wheel = turned(angle) @ [0, 1, 0]
    up = np.array([0, 0, 1]) - axis_of_wheel[2] * axis_of_wheel
    touch = centre - sim.output("Tire.Loaded_Radius.L1") * up / np.linalg.norm(up)
    rise = [(((turned(e) - turned(-e)) @ (p - POINT))[2]) / (2 * e) for p in (touch, centre) for e in (1e-5,)]
    load = sim.output("Tire.Ground_Surface_Force_Z.L1")
    f = ground(sim, "L1")
    assert abs(f["x"]) < 1e-6 and load > 2000
    others = tire_part(sim, "Left") - load * rise[0]
    # the remainder is what lateral force and overturning moment of the cambered wheel do
    forward = np.cross(axis_of_wheel, [0, 0, 1])
    forward /= np.linalg.norm(forward)
    left = np.cross([0, 0, 1], forward)
    moment = np.cross(touch - POINT, f["y"] * left) + f["mx"] * forward + f["mz"] * np.array([0, 0, 1])
    axle = axis_of_wheel
    lost = (
        np.cross(touch - centre, f["y"] * left + load * np.array([0, 0, 1]))
        + f["mx"] * forward
        + f["mz"] * np.array([0, 0, 1])
    )
    assert others == pytest.approx(AXIS @ (moment - (lost @ axle) * axle), abs=1e-6 * load)
    weight = -36.0 * sim.parameter("gravity") * rise[1]
    assert sim.output("Kingpin_Contribute_Front_Left.Weight") == pytest.approx(weight, rel=1e-8)
    assert load * rise[0] * angle < 0, "caster, inclination and scrub return the wheel at this lock"


def test_gyroscopic_moment_of_a_rolling_wheel(compact: Library) -> None:
    sim = slipping(upright(compact), sideways=0.0)
    sim.set_states({"chassis.wx": 0.2})
    spin, inertia = sim.state("L1.wheel.spin"), sim.parameter("L1.spin_inertia")
    # roll to the right turns the angular momentum (to the left) upwards; the wheel pushes the carrier down about z
    assert sim.output("Kingpin_Contribute_Front_Left.Gyroscopic") == pytest.approx(-inertia * spin * 0.2, rel=1e-9)


def test_the_parts_add_up_and_mirror(compact: Library) -> None:
    sides = {}
    for sign in (1.0, -1.0):
        sim = slipping(Simulation(compact), sideways=-0.5 * sign)
        for c in CORNERS:
            sim.set_states({f"{c}.tire.v": -0.004 * sign})
        sim.set_inputs({"steering_wheel": 0.8 * sign})
        names = [v.name for v in sim.model.outputs]
        sides[sign] = {n: sim.output(n) for n in names}
        for place, word in (("L1", "Left"), ("R1", "Right")):
            parts = sum(v for n, v in sides[sign].items() if n.startswith(f"Kingpin_Contribute_Front_{word}."))
            assert sides[sign][f"Wheel.Kingpin_Moment.{place}"] == pytest.approx(parts, rel=1e-12)
    left, right = sides[1.0], sides[-1.0]
    for n in ("Tire_Force_Fy", "Tire_Force_Fz", "Tire_Force_Mx", "Tire_Force_Mz", "Weight"):
        here, there = left[f"Kingpin_Contribute_Front_Left.{n}"], right[f"Kingpin_Contribute_Front_Right.{n}"]
        assert abs(here) > 1e-3
        assert here == pytest.approx(-there, rel=1e-9)
    torque = left["Steering_System.Steering_Wheel_Torque"]
    assert torque == pytest.approx(-right["Steering_System.Steering_Wheel_Torque"], rel=1e-9)
    assert torque == -left["Steering_System.Steering_Wheel_Torque_load"]


def test_hand_torque_is_positive_in_a_left_turn(compact: Library) -> None:
    sim = slipping(Simulation(compact))  # side slip to the right: forces to the left
    assert ground(sim, "L1")["y"] > 0 < ground(sim, "R1")["y"]
    assert sim.output("Suspension.Kingpin_Moment.SUSP1") < 0
    assert sim.output("Steering_System.Steering_Wheel_Torque") > 0
    # kingpin moments through the steer ratio about the axes, the gear, and the assistance at 20 m/s
    turn = 0.0645 * math.cos(math.atan(math.hypot(math.tan(math.radians(4.5)), math.tan(math.radians(13)))))
    load = sim.output("Suspension.Kingpin_Moment.SUSP1") * turn / 1.25
    assert sim.output("Steering_System.Steering_Wheel_Torque_load") == pytest.approx(0.7 * load, rel=1e-12)
    rack = sim.output("Steering_System.Rack_Force") * 0.05 / (2 * math.pi)
    assert rack == pytest.approx(-load * 1.25, rel=1e-12)


# ---- tie rods ------------------------------------------------------------------------------------------------


def test_tie_rods_agree_with_virtual_work(geared: Library) -> None:
    """F_t û_y = M_K ∂θ/∂τ with ∂θ/∂τ from the maps, at places where the linkage fits."""
    car = synthetic()
    for angle in (-0.25, 0.0, 0.2):
        u = rack_at(angle)
        sim = slipping(Simulation(geared))
        sim.set_inputs({"steering_wheel": u / RACK * 2 * math.pi})
        assert sim.output("Steering_System.Rack_Displacement") == pytest.approx(u, rel=1e-12, abs=1e-15)
        sim.set_states({"L1.jounce": shift(angle)[2]})
        found = instant_axis(car, "L", u, float(shift(angle)[2]))
        assert found is not None
        moment = sim.output("Wheel.Kingpin_Moment.L1")
        force = np.array([sim.output(f"Steering_System.Steering_System_TieRod_Force_Left.{a}") for a in "xyz"])
        assert force[1] == pytest.approx(moment * found.turn, rel=1e-8)
        rod = shift(angle) + turned(angle) @ OUTER - INNER - [0, u, 0]
        assert np.cross(force, rod) == pytest.approx(np.zeros(3), abs=1e-8 * np.linalg.norm(force))
        both = sim.output("Steering_System.Steering_System_TieRod_Force_Right.y") + force[1]
        assert sim.output("Steering_System.Rack_Force_load") == pytest.approx(both, rel=1e-12)
        torque = both * RACK / (2 * math.pi)
        assert sim.output("Steering_System.Steering_Wheel_Torque_load") == pytest.approx(torque, rel=1e-12)


def test_a_rack_behind_the_axle_steers_left_with_the_hand(geared: Library) -> None:
    sim = Simulation(geared)
    sim.set_inputs({"steering_wheel": 1.0})
    assert sim.output("Steering_System.Rack_Displacement") < 0
    assert sim.output("Wheel.Spindle_Steer.L1") > 0.05 < sim.output("Wheel.Spindle_Steer.R1")
    sim = slipping(Simulation(geared))
    assert sim.output("Steering_System.Steering_Wheel_Torque") > 0 > sim.output("Steering_System.Rack_Force")


# ---- work of the hand ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def working() -> Library:
    """Exact virtual work with inertia, accelerations of the steering kept; energy as a channel."""
    system = system_of(bump_steering(), name="working")
    system.output("test.energy", system.kinetic_energy() + system.potential_energy(), "J")
    return build(system)


def bump_steering() -> jv.Vehicle:
    """The synthetic car with steer over rack and travel."""
    car = synthetic(**WORKING)
    found = car.steering.steer.curve
    table = {"x": found.x, "z": (-0.1, 0.1), "y": [[steer_at(d, u, j) for j in (-0.1, 0.1)] for u, d in
             zip(found.x, found.y, strict=True)]}  # fmt: skip
    return car.with_(
        **{"steering.method": "steer_map", "steering.steer": {**table, "x": list(found.x), "z": [-0.1, 0.1]}}
    )


def steer_at(straight: float, rack: float, travel: float) -> float:
    return straight + travel * (0.4 + 5 * rack)


WORKING = {
    "steering.feedback.method": "virtual_work",
    "steering.feedback.inertia_terms": True,
    "system.steering_acceleration": True,
    "aero": None,
}


def in_the_air(library: Library) -> Simulation:
    """The car flies, its wheels spin, no spring or damper acts."""
    sim = Simulation(library)
    sim.set_states({"chassis.z": 30.0, "chassis.vx": 20.0, "chassis.wx": 0.1, "chassis.wz": 0.2})
    sim.set_states({f"{c}.wheel.spin": 70.0 for c in CORNERS})
    off = [p for p in sim.parameters if p.endswith((".scale", "anti_roll_bar.stiffness", "preload"))]
    sim.set_parameters(
        {p: 0.0 for p in off if p.split(".")[1] not in ("x", "y", "toe", "camber", "side_view_angle", "steering")}
    )
    return sim


def test_energy_grows_by_what_the_hand_does(working: Library) -> None:
    sim = in_the_air(working)
    program = Program(Phase("wave", [Open("steering_wheel", Sine(3.0, 2.0))], duration=0.5))
    run = sim.run(program=program, method="AM-4", step=0.0005, interval=0.0005)
    power = run["Steering_System.Steering_Wheel_Torque"] * run["driver_demands.steering_velocity"]
    h = run.time[1] - run.time[0]
    n = len(power) - (len(power) + 1) % 2
    work = np.cumsum((power[: n - 2 : 2] + 4 * power[1 : n - 1 : 2] + power[2:n:2]) * h / 3)
    gained = (run["test.energy"] - run["test.energy"][0])[2:n:2]
    assert np.abs(work).max() > 10.0, "J: there is work to compare"
    # Simpson's rule: (h ω)⁴/180 is below 1e-7 even for ω of ten times that of the hand
    assert np.abs(gained - work).max() < 1e-7 * np.abs(work).max()


def test_virtual_work_of_the_tire_by_differences(working: Library) -> None:
    """Move the hand wheel a little at locked travel: forces times displacements of wheel centre and carrier."""
    sim = slipping(Simulation(working))
    hand = 2.5
    sim.set_inputs({"steering_wheel": hand})
    force = np.array([sim.output(f"Tire.Hub_Carrier_Force_Global_{a}.L1") for a in "XYZ"])
    moment = np.array([sim.output(f"Tire.Hub_Carrier_Moment_Global_{a}.L1") for a in "XYZ"])
    step = 1e-4
    places, turns = [], []
    for h in (hand - step, hand, hand + step):
        sim.set_inputs({"steering_wheel": h})
        places.append(np.array([sim.output(f"Wheel.Global_{a}.L1") for a in "XYZ"]))
        angles = {n: sim.output(f"wheel_angles.{n}_L1") for n in ("toe", "camber", "caster")}
        turns.append(
            rotation("z", -angles["toe"]) @ rotation("x", -angles["camber"]) @ rotation("y", -angles["caster"])
        )
    sim.set_inputs({"steering_wheel": hand})
    spin = (turns[2] - turns[0]) @ turns[1].T / (2 * step)
    turn = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    axle = turns[1] @ [0, 1, 0]
    free = moment - (moment @ axle) * axle
    expected = force @ (places[2] - places[0]) / (2 * step) + free @ turn
    wheel, ratio = "Steering_System.Steering_System_TieRod_Force_Left.y", RACK / (2 * math.pi)
    total = sim.output(wheel) * ratio
    # the same at zero tire force leaves weight, gyroscopic and inertia parts
    rest = sum(
        load_on_angle(sim, n, turn, (places[2] - places[0]) / (2 * step)) for n in ("Weight", "Gyroscopic", "Inertia")
    )
    assert total - rest == pytest.approx(expected, rel=1e-6)


def load_on_angle(sim: Simulation, name: str, turn: Array, move: Array) -> float:
    """Work per angle of what is no tire force, by its own way: from accelerations of the carrier as channels."""
    mass, g = sim.parameter("L1.unsprung_mass"), sim.parameter("gravity")
    if name == "Weight":
        return float(-mass * g * move[2])
    if name == "Gyroscopic":
        return 0.0  # the carrier does not turn in this state
    return inertia_work(sim, turn, move, mass)


def inertia_work(sim: Simulation, turn: Array, move: Array, mass: float) -> float:
    angles = {n: sim.output(f"wheel_angles.{n}_L1") for n in ("toe", "camber", "caster")}
    r = rotation("z", -angles["toe"]) @ rotation("x", -angles["camber"]) @ rotation("y", -angles["caster"])
    a = r @ [sim.output(f"Wheel.hub_center_acc{c}.front_left") for c in "xyz"]
    alpha = np.array([sim.output(f"chassis_accelerations.{n}") for n in ("roll", "pitch", "yaw")])
    inertia = np.diag([sim.parameter(f"L1.{n}") for n in ("ixx", "iyy", "izz")])
    inertia[1, 1] -= sim.parameter("L1.spin_inertia")
    # nothing turns in this state; the carrier begins to turn with the body and, by its map, with its travel
    by_travel = 0.4 + 5 * sim.output("Steering_System.Rack_Displacement")
    alpha = alpha + np.array([0, 0, by_travel * sim.output("Suspension.Jounce_Acceleration.L1")])
    return float(-mass * (a @ move) - (r @ inertia @ r.T @ alpha) @ turn)


def rotation(axis: str, angle: float) -> Array:
    c, s, i = math.cos(angle), math.sin(angle), "xyz".index(axis)
    m = np.eye(3)
    j, k = (i + 1) % 3, (i + 2) % 3
    m[j, j], m[j, k], m[k, j], m[k, k] = c, -s, s, c
    return m


def test_inertia_parts_vanish_in_steady_motion(working: Library) -> None:
    sim = Simulation(working)
    sim.set_states({"chassis.z": 30.0, "chassis.vx": 20.0})
    sim.set_parameters({"gravity": 0.0})
    off = [p for p in sim.parameters if p.endswith(("spring.scale", "stop.scale"))]
    sim.set_parameters(dict.fromkeys(off, 0.0))
    parts = [v.name for v in sim.model.outputs if ".Inertia_Force_" in v.name]
    assert len(parts) == 12
    assert max(abs(sim.output(p)) for p in parts) < 1e-9


# ---- accelerations of the steering ---------------------------------------------------------------------------


def test_acceleration_of_the_steering_accelerates_the_wheel_centres(working: Library) -> None:
    """On a body too heavy to answer: difference of hub accelerations = q_u ü, q_u by differences of the place."""
    sim = in_the_air(working)
    sim.set_states({"chassis.wx": 0.0, "chassis.wz": 0.0})
    sim.set_parameters({"body.mass": 1e12, "body.ixx": 1e12, "body.iyy": 1e12, "body.izz": 1e12, "body.ixz": 0.0})
    hand, second = 2.0, 30.0
    names = [f"Wheel.hub_center_acc{a}.front_left" for a in "xyz"]
    found = []
    for value in (0.0, second):
        sim.set_inputs({"steering_wheel": hand, "steering_wheel.acceleration": value})
        found.append(np.array([sim.output(n) for n in names]))
    angles = {n: sim.output(f"wheel_angles.{n}_L1") for n in ("toe", "camber", "caster")}
    r = rotation("z", -angles["toe"]) @ rotation("x", -angles["camber"]) @ rotation("y", -angles["caster"])
    moved = []
    for h in (hand - 1e-4, hand + 1e-4):
        sim.set_inputs({"steering_wheel": h})
        moved.append(np.array([sim.output(f"Wheel.Global_{a}.L1") for a in "XYZ"]))
    slope = (moved[1] - moved[0]) / 2e-4
    difference = r @ (found[1] - found[0])
    assert np.linalg.norm(slope * second) > 0.01
    # along z the wheel answers by its travel: the map of steer knows it
    assert difference[:2] == pytest.approx(slope[:2] * second, abs=1e-6 * np.linalg.norm(slope * second))


def test_accelerations_are_rates_of_velocities_while_the_hand_moves(working: Library) -> None:
    sim = in_the_air(working)
    program = Program(Phase("wave", [Open("steering_wheel", Sine(3.0, 2.0, phase=0.4))], duration=0.1))
    run = sim.run(program=program, method="AM-4", step=0.0005, interval=0.0005)
    h = run.time[1] - run.time[0]
    for axis in "xy":
        v = run[f"Wheel.Global_V{axis}.L1"]
        rate = (v[:-4] - 8 * v[1:-3] + 8 * v[3:-1] - v[4:]) / (12 * h)
        a = np.array([run[f"Wheel.hub_center_acc{c}.front_left"] for c in "xyz"])[:, 2:-2]
        world = np.array([matrix @ column for matrix, column in zip(orientation(run, slice(2, -2)), a.T, strict=True)])
        # fourth-order differences: h⁴ ω⁵ v/30 is 1e-9 of v ω; wheels' spin and body add less
        assert np.abs(world[:, "xy".index(axis)] - rate).max() < 1e-5 * np.abs(rate).max()


def orientation(run: Any, part: slice) -> list[Array]:
    """Of the left front carrier in the world."""
    columns = [run[n][part] for n in (
        "chassis_displacements.yaw", "chassis_displacements.pitch", "chassis_displacements.roll",
        "wheel_angles.toe_L1", "wheel_angles.camber_L1", "wheel_angles.caster_L1",
    )]  # fmt: skip
    return [
        rotation("z", y) @ rotation("y", p) @ rotation("x", r)
        @ rotation("z", -toe) @ rotation("x", -camber) @ rotation("y", -sva)
        for y, p, r, toe, camber, sva in zip(*columns, strict=True)
    ]  # fmt: skip


def test_without_the_switch_there_is_no_such_input() -> None:
    names = [i.name for i in system_of(jv.load(DATA)).inputs]
    assert "steering_wheel.rate" in names and "steering_wheel.acceleration" not in names


# ---- sequence of the carrier's rotations ---------------------------------------------------------------------


@pytest.mark.parametrize(("sequence", "order"), [("3-1-2", "zxy"), ("3-2-1", "zyx")])
def test_carrier_rotations_by_explicit_matrices(sequence: str, order: str) -> None:
    zero = {f"rear_suspension.{n}": 0.0 for n in ("x", "y", "toe", "camber", "side_view_angle")}
    car = jv.load(DATA).with_(**zero, **{"system.carrier_rotation": sequence})
    car = car.with_(**{"rear_suspension.camber": 0.5, "rear_suspension.side_view_angle": 0.7})  # rad/m
    for place, side in (("L2", -1.0), ("R2", 1.0)):
        found = pose(car, place, **{"L2.jounce": 0.1, "R2.jounce": 0.1})[1]
        turns = {"z": rotation("z", 0.0), "x": rotation("x", side * 0.05), "y": rotation("y", -0.07)}
        expected = turns[order[0]] @ turns[order[1]] @ turns[order[2]]
        assert found == pytest.approx(expected, abs=1e-15)
        # the wheel plane meets the ground along ŝ × e_z: with 3-2-1 camber and side-view angle make 3.5 mrad of toe
        s = found[:, 1]
        steer = math.atan2(-s[0], s[1])
        assert abs(steer) == pytest.approx(0.0 if order == "zxy" else 3.5e-3, abs=5e-6 if order == "zyx" else 1e-15)


# ---- column, release, maps of feedback -----------------------------------------------------------------------


def test_the_column_winds_up_by_its_rate(compact: Library) -> None:
    sim = slipping(Simulation(compact))
    moment = sim.output("Suspension.Kingpin_Moment.SUSP1")
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    assert rates["steering.column.follower"] == pytest.approx(1e-4 * moment / 0.0025, rel=1e-12)
    sim = Simulation(compact)  # a car turning left at speed comes to rest in its turn
    sim.set_states({"chassis.vx": 20.0, **{f"{c}.wheel.spin": 20.0 / 0.3 for c in CORNERS}})
    program = Program(Phase("turn", [Open("steering_wheel", Constant(0.4))], duration=3.0))
    run = sim.run(program=program, method="AB-2", step=0.001, interval=0.01)
    wound, load = run["Steering_System.Steering_column_deformation"], run["Suspension.Kingpin_Moment.SUSP1"]
    assert load[-1] < -20 and wound[-1] == pytest.approx(1e-4 * load[-1], rel=1e-3)
    # the map is entered with the hand wheel over the scale of the gear, plus the wind-up
    sim = Simulation(compact)
    before = sim.output("Wheel.Spindle_Steer.L1")
    sim.set_inputs({"steering_wheel": 0.4})
    sim.set_states({"steering.column.wind_up": 0.03})
    assert sim.output("Wheel.Spindle_Steer.L1") - before == pytest.approx(0.0645 * (0.4 / 1.25 + 0.03), rel=1e-12)


def test_a_wheel_let_go_follows_its_equation_and_is_caught_where_it_is(compact: Library) -> None:
    sim = Simulation(compact)
    sim.set_states({"chassis.vx": 20.0, **{f"{c}.wheel.spin": 20.0 / 0.3 for c in CORNERS}})
    turn = Open("steering_wheel", Constant(0.4))
    phases = [
        Phase("turn", [turn, Open("steering_release", Constant(0.0))], duration=2.0),
        Phase("free", [turn, Open("steering_release", Constant(1.0))], duration=0.5),
        Phase("held", [turn, Open("steering_release", Constant(0.0))], duration=0.2),
    ]
    run = sim.run(program=Program(*phases), method="AB-2", step=0.0005, interval=0.0005)
    t, angle = run.time, run["driver_demands.steering"]
    assert np.abs(angle[t < 2.0] - 0.4).max() < 1e-12
    inside = (t > 2.01) & (t < 2.49)
    h = t[1] - t[0]
    rate, second = np.gradient(angle, h), np.gradient(np.gradient(angle, h), h)
    torque = run["Steering_System.Steering_Wheel_Torque_load"]
    left = 0.02 * second[inside] + 0.3 * rate[inside]
    assert np.abs(torque[inside]).max() > 0.5
    # differences of second order of a motion with some 10 rad/s over steps of 0.5 ms
    assert np.abs(left - torque[inside]).max() < 2e-3 * np.abs(torque[inside]).max()
    assert angle[t < 2.495][-1] < 0.3, "it returns towards the middle"
    assert np.ptp(angle[t > 2.502]) < 1e-12, "held where it was caught"


def test_maps_of_feedback_at_their_nodes() -> None:
    """Torque, rack force and tie rod forces out of tables, exact at the knots."""
    moments, inputs = [-200.0, -100.0, 0.0, 150.0], [-1.0, 0.0, 0.5]
    torque = [[10.0 - 0.07 * m + 3 * u * u for u in inputs] for m in moments]
    rods = [[8.0 * m + 1e5 * r for r in (-0.01, 0.0, 0.02)] for m in moments]
    car = jv.load(DATA).with_(**{
        "steering.feedback": {
            "method": "maps",
            "torque": {"x": moments, "z": inputs, "y": torque},
            "rack_force": {"x": moments, "y": [900.0, 500.0, 0.0, -700.0]},
            "tie_rod_force": {"x": moments, "z": [-0.01, 0.0, 0.02], "y": rods},
        },
        "system.simplified_model": 2,
    })  # fmt: skip
    sim = slipping(Simulation(build(system_of(car, name="feedback_maps"))))
    both = [sim.output(f"Wheel.Kingpin_Moment.{p}") for p in ("L1", "R1")]
    left = sim.output("Steering_System.Steering_System_TieRod_Force_Left.y")
    right = sim.output("Steering_System.Steering_System_TieRod_Force_Right.y")
    assert (left, right) == pytest.approx((8 * both[0], 8 * both[1]), rel=1e-12)  # bilinear data: exact in between
    table = sim.tables["steering.feedback.torque"]
    for i, u in enumerate(inputs):
        sim.set_inputs({"steering_wheel": u})
        total = sum(sim.output(f"Wheel.Kingpin_Moment.{p}") for p in ("L1", "R1"))
        knots = np.array(moments) - moments[1] + total  # the moment at hand becomes a knot
        sim.set_tables({"steering.feedback.torque": Table([knots, inputs], np.array(torque), method=table.method)})
        assert sim.output("Steering_System.Steering_Wheel_Torque") == pytest.approx(torque[1][i], rel=1e-12)
        sim.set_tables({
            "steering.feedback.rack_force": Table(knots, [900.0, 500.0, 0.0, -700.0], method=table.method)
        })  # fmt: skip
        assert sim.output("Steering_System.Rack_Force") == pytest.approx(500.0, rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steering.feedback.method": "tie_rods"}, "tie_rod: missing"),
        ({"steering.feedback.method": "maps"}, "maps needs torque or rack_force"),
        ({"steering.feedback.method": "kingpin", "steering.kingpin": None}, "needs a given kingpin"),
        ({"steering.feedback.rack_force": -5.0, "steering.rack_travel": None}, "rack_travel.*needed for feedback"),
        ({"steering.release.inertia": 0.02, "steering.feedback.inertia_terms": True}, "without inertia_terms"),
        (
            {
                "steering.feedback.tie_rod": {
                    "outer": [-0.1, -0.1, 0], "inner": [-0.1, -0.4, 0], "right": {"outer": [-0.1, 0.12, 0]},
                }
            },
            "on the same side of its wheel",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        jv.load(DATA).with_(**changes)
