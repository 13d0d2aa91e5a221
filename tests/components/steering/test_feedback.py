"""Moments about the kingpin, tie rods, work of the hand, maps of feedback."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce.vehicle as jv
from four_wheels import CORNERS
from jounce.core.tables import Table
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.simulation import Library, Simulation
from jounce.sim.build import build
from jounce.vehicle.kingpin import instant_axis
from steered_cars import (
    AXIS,
    DATA,
    INNER,
    OUTER,
    POINT,
    RACK,
    Array,
    ground,
    in_the_air,
    rack_at,
    rotation,
    shift,
    slipping,
    synthetic,
    system_of,
    turned,
)


@pytest.fixture(scope="module")
def geared() -> Library:
    """The synthetic car, hand torque through the tie rods."""
    return build(system_of(synthetic(**{"steering.feedback.method": "tie_rods"}), name="geared"))


def upright(library: Library, **kingpin: float) -> Simulation:
    """A car without camber, toe and side-view angle at design height, on a steering axis of choice (left values)."""
    sim = Simulation(library)
    for place, mirror in (("L1", 1.0), ("R1", -1.0)):
        values = {n: kingpin.get(n, 0.0) * (mirror if n == "y" else 1.0) for n in ("caster", "inclination", *"xyz")}
        sim.set_parameters({f"{place}.steering.kingpin.{n}.value": v for n, v in values.items()})
        sim.set_parameters({f"{place}.camber.offset": 0.0, f"{place}.unsprung_mass": 36.0})
    return sim


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


def test_inertia_parts_vanish_in_steady_motion(working: Library) -> None:
    sim = Simulation(working)
    sim.set_states({"chassis.z": 30.0, "chassis.vx": 20.0})
    sim.set_parameters({"gravity": 0.0})
    off = [p for p in sim.parameters if p.endswith(("spring.scale", "stop.scale"))]
    sim.set_parameters(dict.fromkeys(off, 0.0))
    parts = [v.name for v in sim.model.outputs if ".Inertia_Force_" in v.name]
    assert len(parts) == 12
    assert max(abs(sim.output(p)) for p in parts) < 1e-9


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
