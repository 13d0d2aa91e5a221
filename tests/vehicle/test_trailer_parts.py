"""Every part of an axle does the same on a trailer as on a car: equal motion, equal forces, equal channels."""

from __future__ import annotations

import copy
import re
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import as_axles, vehicle_of
from ideal_cars import ideal
from jounce.components.basics import combine
from jounce.components.body.handling_sensor import HandlingSensor
from jounce.components.body.shell import Shell
from jounce.components.controllers.torque_vectoring import TorqueVectoring
from jounce.results.output_map import OutputMap
from jounce.results.run import Run
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from trains import raw_car, trailer

TABLE = {"x": [-0.6, -0.15, 0.0, 0.2, 0.7], "y": [-910.0, -340.0, 0.0, 560.0, 1320.0]}
STOP = {"x": [0.0, 0.011, 0.026, 0.04], "y": [0.0, 800.0, 4100.0, 15000.0]}
DUAL = {"x": [-0.11, 0.0, 0.13], "z": [-0.12, 0.0, 0.1],
        "y": [[-90.0, -480.0, -930.0], [510.0, 0.0, -440.0], [990.0, 530.0, 70.0]]}  # fmt: skip
FIELD = {"x": [-0.7, 0.0, 0.9], "z": [-0.1, 0.1], "y": [[-900.0, -1100.0], [0.0, 0.0], [1400.0, 1200.0]]}
AIR = {"x": [-0.1, 0.0, 0.12], "z": [3000.0, 7000.0], "y": [[1700.0, 4300.0], [3000.0, 7000.0], [6100.0, 13900.0]]}
BOTH = {"x": [-0.1, 0.0, 0.1], "z": [-0.1, 0.0, 0.1],
        "y": [[-0.013, -0.011, -0.008], [0.001, 0.0, -0.002], [0.009, 0.012, 0.014]]}  # fmt: skip
MAPS: dict[str, Any] = {
    "track": 1.53, "toe": BOTH, "camber": {"rate": -0.31}, "side_view_angle": {"rate": -0.23},
    "x": {"x": [-0.1, 0.0, 0.1], "y": [-0.006, 0.0, 0.004]}, "y": {"rate": 0.07},
    "compliance": {
        "x": {"fx": 2.6e-6, "fy": 1.2e-7}, "toe": {"fy": 1.45e-6, "mz": -6.7e-5, "fx_brake": -3.1e-7},
        "camber": {"fy": {"x": [-5000.0, 0.0, 5000.0], "y": [0.031, 0.0, -0.027]}}, "cross": {"toe": {"fy": 1.7e-7}},
    },
}  # fmt: skip
CUTOFF = 1 / (7 * 0.004)  # Hz, a filter of 7 output steps of 4 ms
SETS: dict[str, Any] = {
    "sets": [
        {"other_travel": -0.05, "toe": {"fy": 1.45e-6, "mz": -6.7e-5}, "camber": {"fy": -3.1e-6}},
        {"other_travel": 0.04, "toe": {"fy": 0.7e-6, "mz": -2.1e-5}, "camber": {"fy": -5.3e-6}},
    ],
    "contributions": True,
}  # fmt: skip
AXLES: dict[str, dict[str, Any]] = {
    "coil": {
        **MAPS,
        "spring": {"rate": 47e3, "preload": 4100.0, "ratio": {"x": [-0.1, 0.0, 0.1], "y": [-0.07, 0.0, 0.06]}},
        "dampers": [{"force": TABLE, "ratio": 0.71}, {"force": FIELD, "ratio": 0.6}],
        "bump_stop": {"clearance": 0.02, "force": STOP, "ratio": 0.8},
        "rebound_stop": {"clearance": 0.03, "force": STOP, "ratio": 0.9},
        "auxiliary_anti_roll": {"rate": 7300.0, "damping": 0.03},
        "elements": [
            {"kind": "auxiliary_vertical", "force": DUAL, "damping": 0.011},
            {"kind": "central_spring", "rate": 37e3, "preload": 710.0, "ratio": 0.81},
            {"kind": "central_damper", "rate": 1900.0, "ratio": 0.64},
            {"kind": "central_bump_stop", "clearance": -0.031, "force": STOP, "ratio": 0.87},
            {"kind": "inerter", "inertance": 61.0, "cutoff": 37.0, "ratio": 0.89},
        ],
    },
    "air": {
        **MAPS,
        "spring": {"kind": "air", "force": AIR, "trim_load": 5300.0, "auto_trim": True, "ratio": 0.77},
        "dampers": [{"rate": 3100.0}],
        "auxiliary_anti_roll": {"kind": "dual", "force": DUAL, "damping": 0.02},
    },
    "torsion": {
        **MAPS,
        "compliance": SETS,
        "spring": {"kind": "rotational", "rate": 41e3, "preload": 1900.0, "ratio": 2.3},
        "dampers": [{"rate": 3100.0, "cutoff": CUTOFF}],
        "anti_roll_bar": {"stiffness": 1900.0, "ratio": 2.9},
    },
}  # fmt: skip


@lru_cache
def description(kind: str) -> car.Description:
    """A car whose rear axle is also that of its trailer, with twin tires, drum brakes and anti-lock control."""
    raw = as_axles(ideal("compact"))
    data = copy.deepcopy(AXLES[kind])
    front, rear = raw["axles"]
    rear["suspension"] = {**data, "wheel_centre_x": rear["suspension"]["wheel_centre_x"]}
    rear["wheels"] |= {"twin": {"offset": 0.29}}
    rear["brake"] = {
        "kind": "drum", "mu": 0.31, "drum_radius": 0.113, "piston_area": 3.9e-4, "shoe_anchor_pin_to_cylinder": 0.171,
        "shoe_anchor_pin_to_shaft": 0.087, "shoe_anchor_pin_to_fulcrum": 0.091,
    }  # fmt: skip
    for axle in (front, rear):
        axle["brake_share"] = 0.5
    towed = trailer()
    towed["axles"] = [copy.deepcopy(rear)]
    towed["axles"][0]["suspension"]["wheel_centre_x"] = -3.79
    for axle in (rear, towed["axles"][0]):
        for side in ("left", "right"):
            axle.pop(f"drive_{side}", None)
    raw["drive"] = {"L1": 0.5, "R1": 0.5, "max_torque": 900.0}
    return car.describe(vehicle_of({**raw, "trailers": [towed]}))


@lru_cache
def train(kind: str) -> Simulation:
    return car.simulation(description(kind))


def rolling(kind: str) -> Simulation:
    """Straight on, braked, wheels of both axles in the same motion, not alike on both sides."""
    sim = train(kind)
    sim.set_states({v.name: v.default for v in sim.model.states})
    sim.set_states({"chassis.vx": 14.0, "chassis.z": sim.state("chassis.z") - 0.021})
    for number in (2, 3):
        sim.set_states({
            f"L{number}.jounce": 0.031, f"R{number}.jounce": -0.047, f"L{number}.jounce.rate": 0.37,
            f"R{number}.jounce.rate": -0.29, f"L{number}.wheel.spin": 43.0, f"R{number}.wheel.spin": 46.0,
            f"L{number}.tire.v": 0.003, f"R{number}.tire.v": 0.002, f"L{number}.tire.u": -0.002,
        })  # fmt: skip
    sim.set_inputs({"brake": 0.2})
    return sim


SAME = (
    r"Spring\.|Damper\.|Jounce_Bumper\.|Rebound_Bumper\.|Inerter|Suspension\.|Brake_Moment|Chamber_Pressure|"
    r"wheel_angles|Tire\.(Ground_Surface_Force|Ground_Surface_Moment|Loaded|Effective|Longitudinal|Lateral|Camber|"
    r"Inclination)|Auxiliary|Compliance|bus_|mono|third|Antiroll"
)


@pytest.mark.parametrize("kind", AXLES)
def test_at_equal_motion_all_channels_of_both_axles_are_equal(kind: str) -> None:
    sim = rolling(kind)
    names = [v.name for v in sim.model.outputs]
    found = dict(zip(names, sim.outputs(), strict=True))
    compared, sizes = 0, []
    for name, value in found.items():
        other = re.sub(r"\b([LR])2\b", r"\g<1>3", name)
        other = re.sub(r"\b([LR])2_", r"\g<1>3_", other).replace("_rear", "_axle3").replace(".rear", ".axle3")
        if other == name or other not in found or not re.match(SAME, name) or "cceleration" in name:
            continue
        assert found[other] == pytest.approx(value, rel=1e-9, abs=1e-9), name
        compared += 1
        sizes.append(abs(value))
    assert compared > 40 and sum(size > 1.0 for size in sizes) > 15, (compared, sizes)
    assert found["Tire.Ground_Surface_Force_Z.L3"] > 300.0 and found["Brake_Moment.L3"] < -10.0


@pytest.mark.parametrize("kind", AXLES)
def test_a_part_of_the_trailer_alone_is_switched_there(kind: str) -> None:
    """Its numbers are its own: the car keeps its forces."""
    sim = rolling(kind)
    before = {c: sim.output(f"Spring.Force_At_Wheel.{c}") for c in ("L2", "L3")}
    sim.set_parameters({"L3.spring.scale": 0.5})
    assert sim.output("Spring.Force_At_Wheel.L2") == before["L2"]
    assert sim.output("Spring.Force_At_Wheel.L3") == pytest.approx(0.5 * before["L3"], rel=1e-9)
    sim.set_parameters({"L3.spring.scale": 1.0})


def test_drag_of_a_trailer_follows_the_incidence_of_its_own_wind() -> None:
    """½ ρ A C_d(β) V² along its own x axis: straight ahead C_d(0), aslant by the table, to either side."""
    towed = trailer()
    drag = {"x": [-0.6, -0.2, 0.0, 0.2, 0.6], "y": [1.3, 0.9, 0.7, 0.9, 1.3]}
    towed["aero"] = {"kind": "wind_tunnel", "frontal_area": 4.7, "reference_length": 3.1, "drag": drag}
    vehicle = vehicle_of({**raw_car(), "trailers": [towed]})
    sim = car.simulation(vehicle)
    density = sim.parameter("unit2.aero.air_density")
    sim.set_states({"chassis.vx": 14.0, "chassis.vy": 0.0})
    for speed, towards in ((9.0, 0.0), (5.0, 2.3), (5.0, -2.3)):  # wind by its speed and the direction it blows to
        given = vehicle.with_(**{"trailers[0].aero.wind.speed": speed, "trailers[0].aero.wind.direction": towards})
        car.set_numbers(sim, car.describe(given))
        sim.set_states({"chassis.vx": 14.0, "chassis.vy": 0.0})
        along, across = speed * np.cos(towards) - 14.0, speed * np.sin(towards)
        cd = float(np.interp(np.arctan2(abs(across), -along), drag["x"], drag["y"]))
        wanted = 0.5 * density * 4.7 * cd * (along**2 + across**2)
        assert abs(sim.output("unit2.aero_forces.drag_force")) == pytest.approx(wanted, rel=1e-2), (speed, towards)
    car.set_numbers(sim, car.describe(vehicle))
    for across, expected in ((0.0, 0.7), (14.0 * np.tan(0.2), 0.9), (-14.0 * np.tan(0.2), 0.9)):
        sim.set_states({"chassis.vx": 14.0, "chassis.vy": float(across)})
        force = sim.output("unit2.aero_forces.drag_force")
        assert abs(force) == pytest.approx(0.5 * density * 4.7 * expected * (14.0**2 + across**2), rel=1e-6)


def test_a_filtered_damper_of_a_trailer_follows_the_force_of_its_law() -> None:
    """Ḟ = 2πf (F - F_f) with f = 1/(n Δt) of n output steps, on each axle by its own state."""
    sim = rolling("torsion")
    sim.set_states({"L2.damper1.passed_force": 310.0, "L3.damper1.passed_force": 470.0})
    rates = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
    for wheel, force in (("L2", 310.0), ("L3", 470.0)):
        wanted = 2 * np.pi / (7 * 0.004) * (-3100.0 * sim.state(f"{wheel}.jounce.rate") - force)
        assert rates[f"{wheel}.damper1.passed_force"] == pytest.approx(wanted, rel=1e-6)


def test_compliance_of_a_trailer_is_between_its_sets_by_the_travel_of_the_other_wheel() -> None:
    for there in (-0.05, 0.04, -0.014, 0.09):
        sim = rolling("torsion")
        sim.set_states({"R3.jounce": there})
        each = abs(sim.output("toe_compliance_by_fy.L3") / sim.output("Tire.Ground_Surface_Force_Y.L3"))
        # the load is taken in axes of the carrier, which is turned by less than 0.03 rad
        assert each == pytest.approx(np.interp(there, [-0.05, 0.04], [1.45e-6, 0.7e-6]), rel=1e-2)


@pytest.mark.slow
def test_air_springs_of_a_trailer_are_trimmed_to_their_design() -> None:
    sim = car.simulation(description("air"))
    settle(sim, description("air"))
    loads = []
    for wheel in ("L2", "R2", "L3", "R3"):
        assert sim.output(f"Spring.Jounce.{wheel}") == pytest.approx(0.0, abs=1e-9)
        loads.append(sim.output(f"Spring.Trim_Load.{wheel}"))
    assert loads[0] == pytest.approx(loads[1], rel=0.05) and abs(loads[0] - loads[2]) > 100.0


@pytest.mark.parametrize("gravity", [9.80665, 3.71])
def test_gravity_of_the_system_is_that_of_the_trailer(gravity: float) -> None:
    """In the air, nothing but gravity: both centres fall with it."""
    sim = rolling("coil")
    sim.set_parameters({"gravity": gravity})
    sim.set_states({"chassis.z": 30.0, "chassis.vx": 0.0})
    whole = [vehicle_mass(unit) for unit in description("coil").vehicle.layout.units]
    falls = [sim.output(f"{prefix}System_Mass_Center.Global_Az") for prefix in ("", "unit2.")]
    assert np.dot(whole, falls) / sum(whole) == pytest.approx(-gravity, rel=1e-9)
    sim.set_parameters({"gravity": 9.80665})


def vehicle_mass(unit: Any) -> float:
    unsprung = [axle.data.wheels_on(side).unsprung_mass for axle in unit.axles for side in "LR"]
    return float(combine(unit.data.body.sprung())[0]) + sum(unsprung)


# ---- what is stored of it --------------------------------------------------------------------------------------------


def test_the_map_of_outputs_takes_a_trailer_and_leaves_the_rest() -> None:
    """A car gets a trailer: its channels are added, settings stay; without it they are gone again."""
    train_channels = [v.name for v in train("coil").model.outputs]
    alone = [name for name in train_channels if not re.search(r"^unit2\.|[LR]3|axle3|Hook_rear", name)]
    before = OutputMap().update(alone).set("Suspension.Jounce.L1", scale=1e3, unit="mm", live=True)
    after = before.update(train_channels)
    assert len(after.entries) - len(before.entries) > 100
    assert {"unit2.Articulation.yaw", "Hook_rear.Local_force_X", "Suspension.Jounce.L3"} <= set(after.entries)
    assert all(after.entries[name] == before.entries[name] for name in before.entries)
    changed = after.set("unit2.Articulation.yaw", scale=180 / np.pi, offset=-1.0, unit="deg", name="bend", live=True)
    assert changed.update(alone) == before, "settings of what is gone go with it"
    assert changed.live == ["Suspension.Jounce.L1", "unit2.Articulation.yaw"]


def test_scale_and_offset_of_a_channel_of_a_trailer_are_for_what_is_stored_only() -> None:
    sim = rolling("coil")
    sim.set_states({"unit2.hitch.yaw": 0.03})
    run = Run.from_recording(sim.run(sim.time + 0.02, interval=0.01), {})
    chosen = OutputMap().set("unit2.Articulation.yaw", scale=180 / np.pi, offset=-1.0, unit="deg", name="bend")
    stored = chosen.apply(run)
    assert stored["bend"] == pytest.approx(np.degrees(run["unit2.Articulation.yaw"]) - 1.0, rel=1e-12)
    assert stored.unit("bend") == "deg"
    assert sim.output("unit2.Articulation.yaw") == pytest.approx(run["unit2.Articulation.yaw"][-1], rel=1e-12)


def test_car_and_trailer_have_drags_of_their_own() -> None:
    """The same kind of model on both units: ½ ρ c_d A V² of each, by numbers of its own."""
    towed, own = trailer(), raw_car()
    towed["aero"] = {"drag": {"area": 1.7, "location": [-3.1, 0.0, 1.3]}}
    own["aero"] = {"drag": {"area": 0.63, "location": [-1.1, 0.0, 0.6]}}
    sim = car.simulation(vehicle_of({**own, "trailers": [towed]}))
    sim.set_parameters({"unit2.aero.drag.scale": 1.31, "aero.drag.scale": 0.83})
    sim.set_states({"chassis.vx": 14.0})
    for prefix, area in (("", 0.83 * 0.63), ("unit2.", 1.31 * 1.7)):
        assert sim.output(f"{prefix}aero_forces.drag_force") == pytest.approx(0.5 * 1.2 * area * 14.0**2, rel=1e-9)


@pytest.mark.parametrize("layout", ["fwd", "rwd", "awd"])
def test_front_and_rear_are_axles_of_the_car_and_not_of_what_it_tows(layout: str) -> None:
    """A differential drove the wheels of a caravan once: the last axle of all."""
    car = jv.load("car_caravan")
    driveline = jv.load("suv").driveline
    assert driveline is not None
    place = car.layout
    torques = driveline.model_copy(update={"layout": layout}).wheel_torques(place)
    driven = {"fwd": "1", "rwd": "2", "awd": "12"}[layout]
    assert {name for name, value in torques.items() if value > 0} == {s + a for s in "LR" for a in driven}
    assert set(torques) == set(place.wheels) and "L3" in torques


def test_figures_of_the_car_are_those_of_its_own_axles() -> None:
    train, alone = jv.load("car_caravan"), jv.load("suv")
    assert HandlingSensor(kind="handling").wheelbase(train.layout) == pytest.approx(alone.wheelbase)
    shells = [Shell().dimensions(car.layout) for car in (train, alone)]
    assert shells[0] == pytest.approx(shells[1])
    last = TorqueVectoring(kind="torque_vectoring", axle="last")
    model = SimpleNamespace(place=train.layout)
    assert last._wheels(model) == ["L2", "R2"]
