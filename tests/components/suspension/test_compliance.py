"""Compliance of wheels: maps, signs, mirror, the loop, steady states, stability."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce as jn
import jounce.vehicle as jv
from car_models import rates
from compliant_cars import (
    AXLES,
    CORNERS,
    FRONT,
    LOADS,
    PROPERTIES,
    REAR,
    WORDS,
    expected,
    library_car,
    loads,
    loads_of_maps,
    mirrored,
    modes,
    other,
    rig,
    rig_simulation,
    rigid_car,
    scaled,
    stir,
    without_friction,
)
from jounce.components.suspension.compliance import loads as loads_on
from jounce.components.tire.contact import touch
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics, steady
from jounce.sim.equilibrium import Places
from jounce.sim.stability import growth

STEP = 1e-3


@pytest.fixture(scope="module")
def sedan() -> jv.Vehicle:
    return library_car("sedan")


@pytest.fixture
def moving(sedan: jv.Vehicle) -> Simulation:
    """The sedan with all maps as rates, in motion."""
    sim = car.simulation(sedan)
    stir(sim, CORNERS)
    return sim


def value(sim: Simulation, place: str, name: str, what: str = "map") -> float:
    return sim.output(f"{WORDS[name]}_compliance{'_' + what if what else ''}.{place}")


# ---- maps (SUS-12, 13, 19, 22) ---------------------------------------------------------------------------------------


def test_single_loads_give_the_rates_and_all_add(moving: Simulation) -> None:
    """Each of 25 direct and 20 cross maps, both sides: slope times load, and their sum."""
    for brake, place in [(b, p) for b in (0.0, 0.2) for p in CORNERS]:
        moving.set_inputs({"brake": brake})
        maps, right = (FRONT if place[1] == "1" else REAR), place[0] == "R"
        own, others = loads_of_maps(moving, place), loads_of_maps(moving, other(place))
        assert sum(abs(force) < 0.5 for force in own.values()) == 1, "all but Fx of the other kind"
        for name in PROPERTIES:
            for word, forces, table in (("", own, maps[name]), ("cross_", others, maps["cross"][name])):
                for load, slope in table.items():
                    found = value(moving, place, name, f"by_{word}{load}")
                    sign = mirrored(name, load) if right else 1.0
                    wanted = pytest.approx(sign * slope * forces[load], rel=1e-12, abs=1e-300)
                    assert found == wanted, (place, name, word, load)
            assert value(moving, place, name) == pytest.approx(expected(moving, place, name), rel=1e-12)


def test_two_loads_add_and_one_alone_gives_its_own(moving: Simulation) -> None:
    """By the factors of single maps: two alone, together, nothing."""
    off = {p: 0.0 for p in moving.parameters if ".compliance." in p and p.endswith(".gain")}
    assert len(off) == 4 * 45
    moving.set_parameters(off)
    found = {}
    for chosen in ((), ("fy",), ("mz",), ("fy", "mz")):
        moving.set_parameters({**off, **{f"L1.compliance.toe.{load}.gain": 1.0 for load in chosen}})
        found[chosen] = value(moving, "L1", "toe")
    f = loads(moving, "L1")
    assert found[()] == 0.0
    assert found[("fy",)] == pytest.approx(FRONT["toe"]["fy"] * f["fy"], rel=1e-12)
    assert found[("mz",)] == pytest.approx(FRONT["toe"]["mz"] * f["mz"], rel=1e-12)
    assert found[("fy", "mz")] == pytest.approx(found[("fy",)] + found[("mz",)], rel=1e-12)


def test_factors_and_flags_of_single_maps_need_no_new_model(sedan: jv.Vehicle, moving: Simulation) -> None:
    """Factor 0 is the map off, 2 is twice, inactive is off; on one side alone where only that side says so."""
    path = "rear_suspension.compliance"
    was = {place: value(moving, place, "camber", "by_fy") for place in ("L2", "R2")}
    for change, left, right in (
        ({f"{path}.camber.fy.scale": 0.0}, 0.0, 0.0),
        ({f"{path}.camber.fy.scale": 2.0}, 2.0, 2.0),
        ({f"{path}.camber.fy.active": False}, 0.0, 0.0),
        ({f"{path}.factor": 3.0}, 3.0, 3.0),
        ({f"{path}.camber.fy.right.rate": 5.1e-6}, 1.0, 5.1e-6 / 4.6e-6),
        ({f"{path}.camber.fy.right": {"rate": 3.9e-6, "active": False}}, 1.0, 0.0),
    ):
        changed = sedan.with_(**change)
        assert changed.structure_key() == sedan.structure_key(), change
        sim = car.simulation(changed)
        stir(sim, CORNERS)
        assert value(sim, "L2", "camber", "by_fy") == pytest.approx(left * was["L2"], rel=1e-12, abs=1e-300)
        assert value(sim, "R2", "camber", "by_fy") == pytest.approx(right * was["R2"], rel=1e-12, abs=1e-300)
        others = [(n, f) for n in PROPERTIES for f in FRONT[n] if (n, f) != ("camber", "fy")]
        if f"{path}.factor" not in change:
            for name, load in others:
                ours, theirs = (value(s, "R2", name, f"by_{load}") for s in (sim, moving))
                assert ours == pytest.approx(theirs, rel=1e-12), (name, load)


def test_the_carrier_goes_where_the_state_says(moving: Simulation) -> None:
    """Pose channels with what gives way minus those without, signs of users on both sides."""
    channels = {
        "x": "Wheel.wheel_center_dispx.{words}",
        "y": "Wheel.wheel_center_dispy.{words}",
        "toe": "wheel_angles.toe_{place}",
        "camber": "wheel_angles.camber_{place}",
        "side_view_angle": "wheel_angles.caster_{place}",
    }
    for place, words in (("L1", "front_left"), ("R1", "front_right"), ("L2", "rear_left"), ("R2", "rear_right")):
        for i, (name, channel) in enumerate(channels.items()):
            label = channel.format(place=place, words=words)
            before, spindle = moving.output(label), moving.output(f"Wheel.Spindle_Steer.{place}")
            moving.set_states({f"{place}.compliance.{name}": 0.001 * (i + 1)})
            assert moving.output(label) - before == pytest.approx(0.001 * (i + 1), rel=1e-9)
            if name == "toe":  # toe-in turns the left wheel to the right
                turned = moving.output(f"Wheel.Spindle_Steer.{place}") - spindle
                assert turned == pytest.approx(-0.003 if place[0] == "L" else 0.003, rel=1e-9)


# ---- tables, travel, sets, brakes (SUS-13 … 16, 21) ------------------------------------------------------------------

FORCES, TRAVELS = [-4000.0, -1500.0, 0.0, 1800.0, 4200.0], [-0.09, 0.0, 0.11]


def plane(a: float, b: float) -> dict[str, Any]:
    """ε = f (a + b J) on a grid: linear in both, so that every interpolation gives it exactly."""
    return {"x": FORCES, "z": TRAVELS, "y": [[f * (a + b * j) for j in TRAVELS] for f in FORCES]}


TABLES: dict[str, Any] = {
    "toe": {"fy": plane(1.3e-6, 2.1e-5), "fx_brake": -4.1e-7, "fx_drive": 9.3e-7},
    "x": {"fx": {"x": FORCES, "y": [-0.009, -0.004, 0.0, 0.0037, 0.0101]}},
    "camber": {"fy": {"x": FORCES, "y": [2e-5, 1e-5, 0.0, -1e-5, -3e-5]}},
    "cross": {"toe": {"fy": plane(-0.7e-6, 1.7e-5)}},
    "contributions": True,
    "rotational_threshold": 4e-5,
}


def test_columns_are_interpolated_over_travel() -> None:
    """toe = Fy (a + b J), between the columns too; on the right the sign of Fy turns."""
    sim = rig_simulation(TABLES)
    for travel in (-0.09, -0.0413, 0.0, 0.0587, 0.11, 0.16):
        sim.set_states({"L1.jounce": travel, "R1.jounce": 0.031 - travel / 3})
        for place, sign in (("L1", 1.0), ("R1", -1.0)):
            held = min(max(sim.state(f"{place}.jounce"), -0.09), 0.11)  # beyond the table its end
            force = min(max(sign * loads(sim, place)["fy"], -4000.0), 4200.0)
            wanted = force * (1.3e-6 + 2.1e-5 * held)
            assert value(sim, place, "toe", "by_fy") == pytest.approx(wanted, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("choice", ["own", "other"])
def test_the_travel_of_cross_maps_is_chosen(choice: str) -> None:
    sim = rig_simulation({**TABLES, "cross_travel": choice})
    sim.set_states({"L1.jounce": 0.043, "R1.jounce": -0.027})
    travel = {"own": (0.043, -0.027), "other": (-0.027, 0.043)}[choice]
    for place, sign, j in zip(("L1", "R1"), (1.0, -1.0), travel, strict=True):
        wanted = sign * loads(sim, other(place))["fy"] * (-0.7e-6 + 1.7e-5 * j)
        assert value(sim, place, "toe", "by_cross_fy") == pytest.approx(wanted, rel=1e-9)


def test_engine_braking_uses_the_map_of_driving() -> None:
    """Fx < 0 in both: without a brake moment the map of driving, with one that of braking; per wheel."""
    sim = rig_simulation(TABLES)
    for brake, slope in ((0.0, 9.3e-7), (0.2, -4.1e-7)):
        sim.set_inputs({"brake": brake})
        for place in ("L1", "R1"):
            fx = loads(sim, place)["fx"]
            assert fx < -100
            both = value(sim, place, "toe", "by_fx_brake") + value(sim, place, "toe", "by_fx_drive")
            assert both == pytest.approx(slope * fx, rel=1e-12)
    moments = {place: abs(sim.output(f"Brake_Moment.{place}")) for place in ("L1", "R1")}
    assert min(moments.values()) > 10
    sim.set_parameters({"L1.compliance.brake_width": 4 * moments["L1"]})  # a quarter of the way
    for place, slope in (("L1", 0.25 * -4.1e-7 + 0.75 * 9.3e-7), ("R1", -4.1e-7)):
        both = value(sim, place, "toe", "by_fx_brake") + value(sim, place, "toe", "by_fx_drive")
        assert both == pytest.approx(slope * loads(sim, place)["fx"], rel=1e-12)


def test_a_table_below_its_threshold_is_off_and_told() -> None:
    """The largest value of camber over Fy is 3e-5 rad, the threshold 4e-5; those of toe are larger."""
    vehicle = rig(repr(TABLES))
    sim = rig_simulation(TABLES)
    assert value(sim, "L1", "camber", "by_fy") == 0.0 == value(sim, "R1", "camber")
    assert value(sim, "L1", "toe", "by_fy") != 0.0
    told = [text for text in vehicle.remarks() if "threshold" in text]
    path = "axles[0].suspension.compliance"
    assert told == [f"{path}.camber.fy: not used: its largest value, 3e-05 rad, is below rotational_threshold"]
    lower = vehicle.with_(**{f"{path}.rotational_threshold": 2e-5})
    assert lower.structure_key() == vehicle.structure_key() and not [t for t in lower.remarks() if "threshold" in t]
    sim = car.simulation(lower)
    stir(sim)
    assert value(sim, "L1", "camber", "by_fy") != 0.0


SETS: dict[str, Any] = {
    "sets": [
        {"other_travel": -0.08, "toe": {"fy": plane(1.1e-6, 0.9e-5)}, "cross": {"x": {"fx": 1.9e-7}}},
        {"other_travel": 0.01, "toe": {"fy": plane(1.9e-6, -1.3e-5)}, "cross": {"x": {"fx": 3.1e-7}}},
        {"other_travel": 0.07, "toe": {"fy": plane(0.7e-6, 2.3e-5)}, "cross": {"x": {"fx": -0.8e-7}}},
    ],
    "contributions": True,
}


def test_several_sets_are_linear_in_the_travel_of_the_other_wheel() -> None:
    """At the travel of a set that set, between two of them linear, beyond the last one it; left and right."""
    sim = rig_simulation(SETS)
    places, slopes = (-0.08, 0.01, 0.07), ((1.1e-6, 0.9e-5), (1.9e-6, -1.3e-5), (0.7e-6, 2.3e-5))
    for there in (-0.1, -0.08, -0.05, 0.01, 0.034, 0.07, 0.09):
        for place, sign in (("L1", 1.0), ("R1", -1.0)):
            sim.set_states({f"{place}.jounce": 0.017, f"{other(place)}.jounce": there})
            f = sign * loads(sim, place)["fy"]
            at_sets = [f * (a + b * 0.017) for a, b in slopes]
            wanted = float(np.interp(there, places, at_sets))
            assert value(sim, place, "toe") == pytest.approx(wanted, rel=1e-9)
            cross = float(np.interp(there, places, [1.9e-7, 3.1e-7, -0.8e-7])) * loads(sim, other(place))["fx"]
            assert value(sim, place, "x") == pytest.approx(cross, rel=1e-9)


def test_load_frames_of_a_cambered_wheel_on_a_bank() -> None:
    """x is across the spin axis and along the road; y of the wheel is the spin axis, z of the contact the normal."""
    bank, camber, steer = math.radians(17), math.radians(-6), math.radians(9)
    normal = [0.0, -math.sin(bank), math.cos(bank)]
    axis = [-math.sin(steer) * math.cos(camber), math.cos(steer) * math.cos(camber), math.sin(camber)]
    found = touch(axis, normal, 0.3)
    w, c = (found.forward, found.lateral, found.normal), (found.forward, found.axis, found.up)
    for triad in (w, c):
        m = np.array(triad, dtype=float)
        assert np.allclose(m @ m.T, np.eye(3), atol=1e-15) and np.linalg.det(m) == pytest.approx(1.0)
    assert np.dot(found.forward, axis) == pytest.approx(0.0, abs=1e-15)
    assert np.dot(found.forward, normal) == pytest.approx(0.0, abs=1e-15)
    assert np.allclose(found.normal, normal) and np.allclose(found.axis, axis)
    assert float(found.forward[0]) > 0.9


def test_loads_of_two_tires_on_a_hub_are_those_at_the_first_contact() -> None:
    """Sums of forces; M_z with the lever of the second contact, against r × F; what a run drops is not there."""
    out = np.array([0.02, 0.31, 0.0])
    contact = touch([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], 0.33)
    first = {"fx": 310.0, "fy": -720.0, "fz": 4100.0, "mz": 23.0}
    second = {"fx": -150.0, "fy": 410.0, "fz": 3900.0, "mz": -9.0}
    here = SimpleNamespace(
        tire=SimpleNamespace(values=first, contact=contact, changed=False, tried=(), centre=[0.0, 0.0, 0.0]),
        twin=SimpleNamespace(values=second, contact=contact, changed=False, tried=(), centre=list(out)),
    )
    found = loads_on(here)  # type: ignore[arg-type]
    lever = np.cross(out, [second["fx"], second["fy"], second["fz"]])[2]
    assert found == pytest.approx({"fx": 160.0, "fy": -310.0, "fz": 8000.0, "mz": 23.0 - 9.0 + lever})
    force, moment = [-40.0, 900.0, 3000.0], [11.0, 5.0, 31.0]
    at_contact = np.array(moment) - np.cross(contact.arm, force)
    here.tire.wrench, here.tire.changed, here.twin = SimpleNamespace(force=force, moment=moment), True, None
    found = loads_on(here)  # type: ignore[arg-type]
    assert found == pytest.approx({"fx": -40.0, "fy": 900.0, "fz": 3000.0, "mz": at_contact[2]})


# ---- the loop: steady states -----------------------------------------------------------------------------------------


def assert_on_the_map(sim: Simulation, factor: float = 1.0) -> None:
    for place in CORNERS:
        for name in PROPERTIES:
            found = sim.state(f"{place}.compliance.{name}")
            assert found == pytest.approx(expected(sim, place, name, factor), rel=1e-9, abs=2e-11), (place, name)


@pytest.mark.parametrize("factor", [0.0, 1.0, 3.0])
def test_equilibrium_and_steady_running_are_on_the_map(sedan: jv.Vehicle, factor: float) -> None:
    description = car.describe(scaled(sedan, factor))
    sim = car.simulation(description)
    found = statics.settle(sim, description)
    assert found.method == "newton" and not found.unstable
    assert_on_the_map(sim, factor)
    assert loads(sim, "L1")["fz"] > 1000
    sim.set_inputs({"steering_wheel": 0.35})
    steady.run_steadily(sim, description, 27.0)
    assert_on_the_map(sim, factor)
    assert abs(loads(sim, "R1")["fy"]) > 1000


def test_a_run_ends_on_the_map(sedan: jv.Vehicle) -> None:
    """Braking and steering at once, then steady: after a second nothing of the lag is left."""
    sim = running(sedan, 1.0, 20.0)
    sim.set_inputs({"steering_wheel": 0.7, "brake": 0.1})
    sim.advance(400)
    sim.set_inputs({"brake": 0.0})
    sim.advance(2500)
    for place in CORNERS:
        for name in PROPERTIES:
            found, wanted = sim.state(f"{place}.compliance.{name}"), expected(sim, place, name)
            assert found == pytest.approx(wanted, rel=2e-3, abs=2e-7), (place, name)


def running(vehicle: jv.Vehicle, factor: float, speed: float) -> Simulation:
    description = car.describe(scaled(vehicle, factor))
    sim = car.simulation(description)
    statics.settle(sim, description)
    if speed:
        steady.run_steadily(sim, description, speed)
    return sim


def test_no_compliance_is_the_car_without(sedan: jv.Vehicle) -> None:
    """With the factor 0 all rates are those of the car whose suspensions do not give way, to rounding."""
    sim, rigid = car.simulation(scaled(sedan, 0.0)), car.simulation(rigid_car())
    for s in (sim, rigid):
        stir(s, CORNERS)
        s.set_inputs({"steering_wheel": 0.4, "brake": 0.2})
    found = rates(sim)
    for name, rate in rates(rigid).items():
        assert found[name] == pytest.approx(rate, rel=1e-12, abs=1e-11), name


def test_cars_without_compliance_do_not_mention_it() -> None:
    text = rigid_car().structure_key().replace("suspension.compliance: none", "")
    assert "compliance" not in text.replace("body_compliance", "").replace("wind_up", "")
    model = car.library(car.describe(rigid_car())).model
    assert not [v.name for v in (*model.states, *model.parameters, *model.outputs) if "compliance" in v.name.lower()]


def test_all_five_directions_cost_at_most_a_quarter(sedan: jv.Vehicle) -> None:
    """Operations of an evaluation, with 45 maps per wheel as rates; measured 11 %."""
    with_, without = (car.library(car.describe(v)).model.operations["rhs"] for v in (sedan, rigid_car()))
    assert without < with_ <= 1.25 * without


# ---- the loop: stability ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "sedan",
        pytest.param("suv", marks=pytest.mark.slow),
        pytest.param("sports", marks=pytest.mark.slow),
        pytest.param("compact", marks=pytest.mark.slow),
        pytest.param("light_truck", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("factor", [0.0, 1.0, 3.0])
def test_library_cars_are_stable_at_one_millisecond(name: str, factor: float) -> None:
    """No mode of the exact linearisation grows in a step of 1 ms, from standstill to top speed."""
    for speed, values in modes(scaled(library_car(name), factor)):
        steps = [complex(value) * STEP for value in values]
        # with the pedal held a car may run away from its speed slowly where the torque of its engine grows with it
        assert max(z.real for z in steps) < 1e-4, (name, factor, speed)
        worst = max(growth("AB-2", z) for z in steps if z.real < 1e-9)
        assert worst <= 1 + 1e-9, (name, factor, speed)


@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_a_stop_and_standing_are_quiet(sedan: jv.Vehicle, factor: float) -> None:
    """From 2 m/s to rest by the brakes: force and deflection do not chatter, and the car stands on the map."""
    sim = running(sedan, factor, 2.0)
    sim.set_inputs({"brake": 0.35, "throttle": 0.0})
    sim.advance(5000)
    force, gives = [], []
    for _ in range(100):
        sim.advance(1)
        force.append(loads(sim, "L1")["fx"])
        gives.append(sim.state("L1.compliance.x"))
    assert abs(sim.state("chassis.vx")) < 1e-3
    assert np.abs(np.diff(force, 2)).max() < 0.1 and np.abs(np.diff(gives, 2)).max() < 1e-7
    for place in CORNERS:
        found = sim.state(f"{place}.compliance.x")
        assert found == pytest.approx(expected(sim, place, "x", factor), rel=0.02, abs=2e-6)


def test_the_springs_of_wheel_and_contact_in_a_row(sedan: jv.Vehicle) -> None:
    """A car that stands with locked wheels and is pulled along: x gives way by s F, the contact by F/k, and the time
    constant of what gives way is n steps whatever the factor is."""
    description = car.describe(sedan)
    linear = car.lineariser(description)
    names = linear.notes["states"]
    pair = [names.index("L1.compliance.x"), names.index("L1.tire.u")]
    decays = []
    for factor in (0.3, 1.0, 3.0):
        changed = car.describe(scaled(sedan, factor))
        sim = car.simulation(changed)
        statics.settle(sim, changed)
        sim.set_parameters({p: 0.0 for p in sim.parameters if p.endswith(".LOW_SPEED_DAMPING")})
        values = np.linalg.eigvals(linear.at(sim).A[np.ix_(pair, pair)])
        decays.append(-min(values.real) * STEP)
    # (1 + s k)/τ with τ = n T (1 + g), where g also has the other directions: a part of 1/n, less with more of them
    assert all(0.25 / 3 < decay < 1 / 3 for decay in decays), decays


# ---- the loop: a second derivation -----------------------------------------------------------------------------------

ALONG = {"x": {"fx": 2.7e-6}, "contributions": True}


def test_a_wheel_of_little_mass_on_a_spring_does_the_same() -> None:
    """Second derivation: carrier of mass m on a spring 1/s with the damper τ/s, under the force of a rigid rig's tire.

    m ẍ = F(u) - x/s - (τ/s) ẋ,  u̇ = u̇_rigid(u) - ẋ,  against ε̇ = (s F - ε)/τ of the model; all else is held.
    """
    slope = 2.7e-6
    soft, rigid = rig_simulation(ALONG), car.simulation(rig_without())
    stir(rigid)
    names = [v.name for v in soft.model.states]
    deflection, gives = names.index("L1.tire.u"), names.index("L1.compliance.x")

    def of_model(_: float, y: Any) -> list[float]:
        soft.set_states({"L1.tire.u": y[0], "L1.compliance.x": y[1]})
        found = soft.derivatives()[0]
        return [found[deflection], found[gives]]

    def force(u: float) -> tuple[float, float]:
        rigid.set_states({"L1.tire.u": u})
        return loads(rigid, "L1")["fx"], rates(rigid)["L1.tire.u"]

    # τ of (3): stiffness of the contact over its deflection at no slip, by differences on the rigid rig
    rigid.set_states({"L1.tire.v": 0.0})
    k = (force(1e-6)[0] - force(-1e-6)[0]) / 2e-6
    rigid.set_states({"L1.tire.v": soft.state("L1.tire.v")})
    tau = 3 * soft.t_dt * (1 + slope * k)
    mass = 1e-3  # kg, on a spring of 370 kN/m with a damper far above critical

    def of_mass(_: float, y: Any) -> list[float]:
        u, x, v = y
        f, rate = force(u)
        return [rate - v, v, (f - x / slope - tau / slope * v) / mass]

    start = [soft.state("L1.tire.u"), 0.0]
    times = np.linspace(0.0, 0.02, 9)
    ours = solve_ivp(of_model, (0.0, 0.02), start, t_eval=times, rtol=1e-8, atol=1e-12).y
    theirs = solve_ivp(of_mass, (0.0, 0.02), [*start, 0.0], t_eval=times, method="LSODA", rtol=1e-8, atol=1e-12).y
    assert np.abs(ours[1]).max() > 5e-4
    # k of (3) is that at no slip with the factor c of the step: 2 % of τ
    assert np.abs(ours[1][1:] - theirs[1][1:]).max() < 0.02 * np.abs(theirs[1]).max()
    assert np.abs(ours[0][1:] - theirs[0][1:]).max() < 0.02 * np.abs(theirs[0]).max()


def test_the_damping_of_a_standing_contact_is_solved() -> None:
    """At rest the force depends on the speed of the contact: F = F_rigid - d ẋ, and with it τ₀ ẋ = s F - x exactly."""
    slope, lag = 2.7e-6, 0.5
    soft, rigid = rig_simulation(ALONG), car.simulation(rig_without())
    stir(rigid)
    still = {"chassis.vx": 0.0, "chassis.vy": 0.0, "chassis.wz": 0.0, "L1.wheel.spin": 0.0, "R1.wheel.spin": 0.0}
    for sim in (soft, rigid):
        sim.set_states({**still, "L1.tire.u": 0.0004, "L1.tire.v": 0.0, "R1.tire.u": -0.0003, "R1.tire.v": 0.0})
    soft.set_parameters({"L1.compliance.lag": lag, "R1.compliance.lag": lag})
    for place, start in (("L1", 0.0), ("L1", -0.004), ("R1", 0.003)):
        soft.set_states({f"{place}.compliance.x": start})
        rate, force, held = (
            rates(soft)[f"{place}.compliance.x"],
            loads(soft, place)["fx"],
            loads(rigid, place)["fx"],
        )
        block = "tire1"
        damping = soft.parameter(f"{block}.LOW_SPEED_DAMPING")
        damping *= min(loads(soft, place)["fz"] / soft.parameter(f"{block}.FNOMIN"), 1.0)
        assert lag * rate == pytest.approx(slope * force - start, rel=1e-3)
        assert held - force == pytest.approx(damping * rate, rel=1e-3)
        assert abs(held - force) > 1.0
        # the contact takes the motion up: u̇ = -ẋ, but for what leaks
        assert rates(soft)[f"{place}.tire.u"] - rates(rigid)[f"{place}.tire.u"] == pytest.approx(-rate, rel=1e-3)


def rig_without() -> jv.Vehicle:
    from axle_lists import one_axle, vehicle_of

    return vehicle_of(one_axle())


# ---- the loop: other ways (§ SUS-18 and options) ---------------------------------------------------------------------

SMALL = {"toe": {"fy": 1.55e-6, "mz": -7.3e-5}, "x": {"fx": 2.9e-6}, "camber": {"fy": -5.3e-6}, "contributions": True}


def gives(sim: Simulation, name: str) -> float:
    return sim.output(f"{WORDS[name]}_compliance.L1")


def test_all_loops_have_the_same_fixed_point() -> None:
    """The pose at which it is that of its own loads, all else held: by states, by memories, by iterations."""
    found = {}
    for loop, velocity in (("states", "full"), ("previous_step", "off"), ("iterated", "off")):
        sim = rig_simulation({**SMALL, "loop": loop, "velocity": velocity})
        change = math.inf
        for _ in range(60):
            if loop == "states":
                target = {f"{p}.compliance.{n}": value(sim, p, n) for p in ("L1", "R1") for n in ("toe", "x", "camber")}
                change = max(abs(v - sim.state(n)) for n, v in target.items())
                sim.set_states(target)
            else:
                becomes = sim.derivatives()[1]
                target = {v.name: becomes[i] for i, v in enumerate(sim.model.memories) if ".compliance." in v.name}
                change = max(abs(v - sim.memory(n)) for n, v in target.items())
                sim.set_memories(target)
        assert change < 1e-15, loop
        found[loop] = [gives(sim, name) for name in ("toe", "x", "camber")]
    for loop in ("previous_step", "iterated"):
        assert found[loop] == pytest.approx(found["states"], rel=1e-9)
    assert abs(found["states"][0]) > 1e-4


def test_iterations_come_closer_than_the_previous_step() -> None:
    """One evaluation from nothing: three iterations are nearer to the fixed point than one step."""
    steps = {}
    for loop in ("previous_step", "iterated"):
        sim = rig_simulation({**SMALL, "loop": loop, "velocity": "off"})
        names = [v.name for v in sim.model.memories]
        i = names.index("L1.compliance.toe")
        first = sim.derivatives()[1][i]
        for _ in range(60):
            becomes = sim.derivatives()[1]
            sim.set_memories({n: becomes[k] for k, n in enumerate(names) if ".compliance." in n})
        steps[loop] = abs(first / sim.memory("L1.compliance.toe") - 1)
    assert steps["iterated"] < 0.2 * steps["previous_step"]


@pytest.mark.parametrize("loop", ["states", "previous_step"])
def test_the_integral_of_the_filtered_velocity_is_the_displacement(loop: str) -> None:
    """A step of load (the brakes of a rolling rig): what the hub has moved by is what gave way, but for the filter."""
    sim = rig_simulation({**SMALL, "loop": loop, "velocity": "filtered", "cutoff": 35.0})
    sim.advance(20)  # so that only the brakes are a step
    sim.set_inputs({"brake": 0.15})
    place, cutoff = "L1", 2 * math.pi * 35.0
    start, total = gives(sim, "x"), 0.0
    speed = sim.output(f"base_compliance_velocity.{place}")
    first = speed
    for _ in range(150):
        sim.advance(1)
        before, speed = speed, sim.output(f"base_compliance_velocity.{place}")
        total += STEP * (before + speed) / 2 if loop == "states" else STEP * speed
    moved = gives(sim, "x") - start
    assert abs(moved) > 1e-3
    lacks = (speed - first) / cutoff  # of (5): Δv = ω (Δε - ∫ v)
    assert total + lacks == pytest.approx(moved, rel=0.01)
    if loop == "states":
        assert total == pytest.approx(moved, rel=0.05)


def test_a_filtered_velocity_acts_on_the_slip_of_the_contact() -> None:
    sim = rig_simulation({**SMALL, "velocity": "filtered"})
    was = sim.output("Tire.Ground_Surface_Contact_Patch_Vx.L1"), sim.output("Tire.Ground_Surface_Contact_Patch_Vy.L1")
    radius = sim.output("Tire.Loaded_Radius.L1")
    sim.set_states({"L1.compliance.x.speed": 0.13, "L1.compliance.camber.speed": -0.41})
    now = sim.output("Tire.Ground_Surface_Contact_Patch_Vx.L1"), sim.output("Tire.Ground_Surface_Contact_Patch_Vy.L1")
    assert now[0] - was[0] == pytest.approx(0.13, rel=0.02)
    assert now[1] - was[1] == pytest.approx(0.41 * radius, rel=0.03)  # camber inwards: the contact goes out


@pytest.mark.slow
@pytest.mark.parametrize(("loop", "velocity"), [("previous_step", "off"), ("iterated", "filtered")])
def test_other_loops_settle_and_run_as_the_default(sedan: jv.Vehicle, loop: str, velocity: str) -> None:
    results = []
    for vehicle in (sedan, library_car("sedan", loop=loop, velocity=velocity)):
        description = car.describe(without_friction(vehicle))
        sim = car.simulation(description)
        statics.settle(sim, description)
        sim.set_inputs({"steering_wheel": 0.4})
        steady.run_steadily(sim, description, 20.0)
        start = [sim.state("chassis.wz"), *(sim.output(f"{WORDS[n]}_compliance.R1") for n in PROPERTIES)]
        sim.set_inputs({"steering_wheel": 0.8})
        sim.advance(1500)
        results.append([*start, sim.state("chassis.wz"), sim.output("toe_compliance.L1")])
    assert results[1][:6] == pytest.approx(results[0][:6], rel=1e-7)
    # a lag of some steps more or less after 1.5 s, when the yaw mode has all but died out
    assert results[1][6:] == pytest.approx(results[0][6:], rel=2e-4)


@pytest.mark.slow
def test_contacts_with_the_exact_update_give_way_alike(sedan: jv.Vehicle) -> None:
    """Relaxation by memories: a brake that bites and a step of steering, against that by states."""
    results = []
    start = running(sedan, 1.0, 20.0)
    for relaxation in ("states", "exact"):
        sim = car.simulation(sedan, relaxation=relaxation)
        car.take_over(sim, start)
        sim.set_inputs({"brake": 0.2, "steering_wheel": 0.5})
        row = []
        for _ in range(12):
            sim.advance(25)
            row += [1e6 * sim.state("L1.compliance.x"), loads(sim, "R1")["fy"]]
        results.append(row)
    a, b = (np.array(row) for row in results)
    assert (
        np.abs(a - b)[::2].max() < 0.02 * np.abs(a[::2]).max()
        and np.abs(a - b)[1::2].max() < 0.02 * np.abs(a[1::2]).max()
    )


# ---- understeer ------------------------------------------------------------------------------------------------------


def steady_gains(vehicle: jv.Vehicle, speed: float) -> dict[str, float]:
    """Small steady turning by the exact linear model: loads of the wheels and mean steer of the front ones by the hand,
    all per yaw rate."""
    description = car.describe(vehicle)
    linear = car.lineariser(description)
    sim = car.simulation(description)
    statics.settle(sim, description)
    steady.run_steadily(sim, description, speed)
    model, rest = linear.at(sim), linear.rest
    partners = dict(rest["partners"])
    free = [i for i, role in enumerate(rest["roles"]) if role in ("balance", "drift", "strain")]
    rows = sorted({partners.get(i, i) for i in free})
    hand = model.B[rows, model.inputs.index("steering_wheel")]
    x = np.linalg.lstsq(model.A[np.ix_(rows, free)], -hand, rcond=None)[0]
    assert np.abs(model.A[np.ix_(rows, free)] @ x + hand).max() < 1e-6
    yaw_rate, result = x[free.index(model.states.index("chassis.wz"))], {}
    channels = [f"Tire.Ground_Surface_{LOADS[f]}.{c}" for c in CORNERS for f in ("fy", "mz")]
    channels += [f"{word}.{c}" for c in CORNERS for word in ("Wheel.Spindle_Steer", "toe_compliance")]
    start, places, size = sim.x.copy(), Places(sim, linear.notes["states"]), 1e-5
    for channel in channels:
        ends = []
        for h in (size, -size):
            sim.x[:] = places.moved(start, free, np.asarray(h * x, dtype=float))
            sim.set_inputs({"steering_wheel": h})
            ends.append(sim.output(channel))
        result[channel] = (ends[0] - ends[1]) / (2 * size * yaw_rate)
    sim.x[:] = start
    return result


def mean_steer(gains: dict[str, float], axle: int) -> float:
    """Of both wheels to the left, without what gives way: by the hand and by travel."""
    return (
        sum(gains[f"Wheel.Spindle_Steer.{s}{axle}"] + out * gains[f"toe_compliance.{s}{axle}"] for s, out in SIDES) / 2
    )


SIDES = (("L", 1.0), ("R", -1.0))


@pytest.mark.parametrize(("axle", "load"), [("front", "fy"), ("front", "mz"), ("rear", "fy"), ("rear", "mz")])
def test_switching_a_contribution_off_changes_the_understeer_by_its_term(
    sedan: jv.Vehicle, axle: str, load: str
) -> None:
    """d(δ - L/R)/da_y falls by the mean steer that the load makes of both wheels per acceleration: front minus rear.

    δ is the steer of the front wheels by the hand that the same yaw rate needs, with the load's map and without.
    """
    speed = 12.0  # slow: with another side slip, drag pulls to the side
    # straight ahead no wheel has a side force: its tires are the same with the map and without
    straight = {f"{end}_suspension.{key}.offset": 0.0 for end in AXLES for key in ("toe", "camber")}
    for end in AXLES:
        straight |= {f"{end}_suspension.compliance.toe.{f}.scale": 0.0 for f in ("fx_brake", "fx_drive", "fz")}
    on = sedan.with_(**straight)
    off = on.with_(**{f"{axle}_suspension.compliance.toe.{load}.scale": 0.0})
    with_, without = steady_gains(on, speed), steady_gains(off, speed)
    change = (mean_steer(with_, 1) - mean_steer(without, 1)) / speed
    slope, n = AXLES[axle]["toe"][load], 1 if axle == "front" else 2
    forces = [with_[f"Tire.Ground_Surface_{LOADS[load]}.{side}{n}"] for side in "LR"]
    steer = -slope * sum(forces) / 2 / speed  # of both wheels to the left: toe-in turns the left one to the right
    assert change == pytest.approx(-steer if axle == "front" else steer, rel=0.01)
    assert abs(change) * 9.81 > math.radians(0.005)


@pytest.mark.slow
def test_a_run_of_a_car_that_gives_way_has_less_gain_and_no_warning(sedan: jv.Vehicle) -> None:
    """Front wheels turn out, rear ones in: the yaw rate gain falls by what the terms add to the understeer."""
    event = jn.events.StepSteer(speed="80 km/h", amplitude="20 deg")
    runs = [jn.run(vehicle, event) for vehicle in (sedan, rigid_car())]
    told = [[text for text in run.metadata["warnings"] if "no suspension has compliance" in text] for run in runs]
    assert [len(texts) for texts in told] == [0, 1]
    soft, rigid = (run.kpis["yaw_rate_gain"][0] for run in runs)
    assert 0.7 * rigid < soft < 0.95 * rigid
    assert runs[0]["toe_compliance.L1"][-1] > 1e-3 > -1e-3 > runs[0]["toe_compliance.R1"][-1]


def test_work_of_what_gives_way_is_not_negative(moving: Simulation) -> None:
    """Without cross maps and with an even matrix, F·ε̇ is the rate of ½ F·ε plus what the lag dissipates, τ ε̇²/s ≥ 0."""
    for name, load in (("x", "fx_drive"), ("y", "fy")):
        off = {p: 0.0 for p in moving.parameters if ".compliance." in p and p.endswith(".gain")}
        moving.set_parameters({**off, f"L1.compliance.{name}.{load}.gain": 1.0})
        slope = FRONT[name][load]
        for start in (-2e-3, 0.0, 3e-3):
            moving.set_states({f"L1.compliance.{name}": start})
            force, rate = loads_of_maps(moving, "L1")[load], rates(moving)[f"L1.compliance.{name}"]
            lost = force * rate - start / slope * rate
            assert rate != 0.0 and lost > 0.0


# ---- bad input -------------------------------------------------------------------------------------------------------

PATH = "front_suspension.compliance"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({}, r"compliance: nothing gives way; give some of x, y, toe, camber, side_view_angle, cross, or sets"),
        ({"toe": {"fx": 1e-7, "fx_brake": 2e-7}}, r"toe\.fx_brake.*stands beside fx, .*give fx, or fx_brake"),
        ({**SETS, "toe": {"fy": 1e-6}}, r"compliance\.toe.*stands beside sets"),
        ({"sets": SETS["sets"][:1]}, r"compliance\.sets.*: one set does not depend on the other wheel"),
        ({"sets": SETS["sets"][::-1]}, r"sets\[1\]\.other_travel.*must be above that of the set before"),
        (
            {"sets": [*SETS["sets"][:2], {"other_travel": 0.2, "toe": {"mz": -1e-5}}]},
            r"sets\[2\]\.cross\.x\.fx: missing; set 0 has it",
        ),
        ({"x": {"fx": -2e-6}}, r"compliance\.x: left wheel: its contact moves against fx_brake, by -2e-06 m/N"),
        ({"toe": {"mz": 5e-5}}, r"toe: left wheel: its contact moves against mz"),
        ({"camber": {"fy": 5e-6}}, r"compliance\.y: left wheel: its contact moves against fy"),
        (
            {"x": {"fx": 2e-6, "fy": 3e-6}, "y": {"fy": 5e-7}},
            r"indefinite compliance of the left wheel: over the loads fx_brake, fy, scaled to ones, \[\+1\.00 \+1\.50; "
            r"\+1\.50 \+1\.00\] has the eigenvalue -0\.50",
        ),
        ({"x": {"fx": 2e-6}, "loop": "iterated"}, r"velocity.*'full' goes with the loop 'states'"),
        ({"x": {"fx": "2 mm"}}, r"x\.fx"),
        ({"toes": {"fy": 1e-6}}, r"toes.*unknown"),
        ({"cross": {"toe": {"fz": 1e-6}}}, r"cross\.toe\.fz"),
        ({"x": {"fx": 2e-6}, "lag": -1.0}, r"lag = -1.*must be ≥ 0"),
    ],
)
def test_bad_data_are_named(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        jv.load("sedan").with_(**{PATH: data})


def test_a_sign_that_is_wrong_on_the_right_alone_is_named() -> None:
    with pytest.raises(ParameterError, match=r"right wheel: its contact moves against mz"):
        jv.load("sedan").with_(**{PATH: {"toe": {"mz": {"rate": -5e-5, "right": {"rate": -5e-5}}}}})


def test_a_single_wheel_has_no_other_one() -> None:
    from axle_lists import one_axle, vehicle_of

    raw = one_axle()
    raw["axles"][0] |= {"single": True}
    raw["axles"][0]["suspension"] |= {"anti_roll_bar": None, "auxiliary_anti_roll": None, "compliance": TABLES}
    with pytest.raises(Exception, match=r"an axle with a single wheel has no other one"):
        vehicle_of(raw)


def test_maps_that_end_before_the_travel_are_told() -> None:
    short = {"x": [-3000.0, 3000.0], "z": [-0.02, 0.03], "y": [[-1e-3, -2e-3], [1e-3, 2e-3]]}
    found = jv.load("sedan").with_(**{PATH: {"toe": {"fy": short}}}).remarks()
    (told,) = [text for text in found if "cover" in text]
    assert "front_suspension.compliance.toe.fy: does not cover the travel: it has -20 to 30 mm" in told
    assert "the maps that guide the wheel have" in told


def test_inputs_scale_a_part_within_a_run() -> None:
    """Factors of the catalogue: on toe by M_z and x by F_x of the axle, both wheels; nothing else changes."""
    names = [
        f"External_Compliance_Scaling.front.{word}" for word in ("Toe_vs_ContactPatch_Mz", "Base_vs_ContactPatch_Fx")
    ]
    data = {**SMALL, "loop": "states"}
    sim = car.simulation(car.describe(rig(repr(data)), inputs=names))
    stir(sim)
    was = {
        (p, n, f): value(sim, p, n, f"by_{f}")
        for p in ("L1", "R1")
        for n, f in (("toe", "mz"), ("x", "fx"), ("toe", "fy"))
    }
    sim.set_inputs({names[0]: 0.3, names[1]: 1.7})
    for (place, name, load), before in was.items():
        factor = {("toe", "mz"): 0.3, ("x", "fx"): 1.7}.get((name, load), 1.0)
        assert value(sim, place, name, f"by_{load}") == pytest.approx(factor * before, rel=1e-12)
        assert before != 0.0


@pytest.mark.parametrize("level", [1, 2])
def test_levels_below_the_full_one_have_no_compliance(level: int) -> None:
    soft = rig(repr(SMALL)).with_(**{"system.simplified_model": level})
    rigid = rig_without().with_(**{"system.simplified_model": level})
    sims = [car.simulation(v) for v in (soft, rigid)]
    for sim in sims:
        stir(sim)
    assert not [v.name for v in sims[0].model.states if "compliance" in v.name]
    assert rates(sims[0]) == pytest.approx(rates(sims[1]), rel=1e-12)


def test_tables_from_files_units_and_changes(tmp_path: Any) -> None:
    """A CSV file beside the car, rates with units, saving and reading, and the other side from one."""
    rows = ["Fy,toe,camber", "kN,deg,deg", "-4,-0.4,1.4", "0,0,0", "4,0.5,-1.6"]
    folder = rigid_car().save(tmp_path / "car").parent
    (folder / "side.csv").write_text("\n".join(rows))
    file = folder / "front_suspension.yaml"
    text = "compliance:\n  toe:\n    fy: {file: side.csv, column: toe}\n    mz: -5 deg/(kN.m)\n"
    file.write_text(file.read_text() + text + "  camber:\n    fy: {file: side.csv, column: camber}\n")
    vehicle = jv.load(folder)
    toe = vehicle.front_suspension.compliance.toe  # type: ignore[union-attr]
    assert toe is not None and toe.fy is not None and toe.mz is not None
    assert toe.fy.curve.x == (-4000.0, 0.0, 4000.0)
    assert toe.fy.curve.y == pytest.approx([math.radians(v) for v in (-0.4, 0.0, 0.5)])
    assert toe.mz.curve.constant == pytest.approx(-math.radians(5e-3))
    right = toe.fy.on("R").curve
    assert right.x == (-4000.0, 0.0, 4000.0) and right.y == pytest.approx([math.radians(v) for v in (0.5, 0.0, -0.4)])
    again = jv.load(vehicle.with_(**{f"{PATH}.toe.fy.scale": 0.7}).save(tmp_path / "other"))
    assert again.get(f"{PATH}.toe.fy.scale") == 0.7 and again.get(f"{PATH}.toe.fy").curve == toe.fy.curve
    both = vehicle.with_(**{f"{PATH}.toe.mz.right": {"rate": 3e-5}})
    assert both.with_symmetry(f"{PATH}.toe.mz", "right").get(f"{PATH}.toe.mz.rate") == -3e-5
    assert vehicle.with_(**{PATH: None}).structure_key() == rigid_car().structure_key()
