"""A longitudinal freedom with inertia: force and base excitation."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

import jounce as jn
import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from car_models import outputs, rates
from compliant_cars import FRONT as COMPLIANT
from compliant_cars import stir, with_compliance
from element_rig import WHEELS, matrix_of
from jounce.core.constants import GRAVITY
from jounce.core.tables import Table
from jounce.events import StraightBraking
from jounce.rigs.suspension_rig import Load, Point, SuspensionRig
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from x_dof_rig import ALONG, ALONG_RIGHT, FREEDOMS, X, data, in_the_air, slope, vehicle

WORDS = {"L1": "front_left", "R1": "front_right"}


def stiffness(name: str, wheel: str) -> tuple[float, float]:
    """k and c of a freedom."""
    found = data(name, wheel)
    k = 1 / (found["share"] * slope(wheel))
    return k, found["damping"] * k if "damping" in found else found["damping_rate"]


@pytest.mark.parametrize("name", ["force", "base"])
def test_frequency_and_damping_are_those_of_mass_and_map(name: str) -> None:
    """ẍ = −(k/m) x − (c/m) ẋ with k = 1/(σ C): √(k/m)/2π, c/(2√(k m))."""
    sim = in_the_air(name)
    for wheel in WHEELS:
        k, c = stiffness(name, wheel)
        m = data(name, wheel)["mass"]
        found = matrix_of(sim, f"{wheel}.{X}", f"{wheel}.{X}.rate")
        assert found == pytest.approx(np.array([[0, 1], [-k / m, -c / m]]), rel=1e-7, abs=1e-6)


def test_it_swings_down_as_it_should_in_a_run() -> None:
    sim = in_the_air("force", step=1e-5)
    sim.set_states({f"L1.{X}": 0.004})
    k, c = stiffness("force", "L1")
    m, t = data("force", "L1")["mass"], 0.04
    root = complex(-c / (2 * m), np.sqrt(k / m - (c / (2 * m)) ** 2))
    sim.advance(round(t / 1e-5))
    expected = 0.004 * np.exp(root.real * t) * (np.cos(root.imag * t) - root.real / root.imag * np.sin(root.imag * t))
    assert sim.state(f"L1.{X}") == pytest.approx(expected, rel=1e-4)


def test_of_what_maps_move_it_lets_through_what_the_transmissibility_says() -> None:
    """ξ/μ = (c s + k)/(m s² + c s + k) with μ = r J, from ẍ = −α J̈ − β ẋ − γ x fitted to random states."""
    sim = in_the_air("base")
    r = 0.23
    sim.set_parameters({f"{w}.x.scale": 1.0 for w in WHEELS} | {f"{w}.x.rate": r for w in WHEELS})
    sim.set_parameters({f"{w}.statics.spring_rate": 9e4 for w in WHEELS})
    random = np.random.default_rng(3)
    rows: dict[str, list[list[float]]] = {w: [] for w in WHEELS}
    for _ in range(6):
        states = {f"{w}.{name}": random.uniform(-1, 1) * size for w in WHEELS for name, size in
                  ((X, 0.01), (f"{X}.rate", 0.3), ("jounce", 0.05), ("jounce.rate", 0.5))}  # fmt: skip
        sim.set_states(states)
        found = rates(sim)
        for w in WHEELS:
            there = (found[f"{w}.jounce.rate"], states[f"{w}.{X}.rate"], states[f"{w}.{X}"], found[f"{w}.{X}.rate"])
            rows[w].append(list(there))
    for w in WHEELS:
        k, c = stiffness("base", w)
        m, table = data("base", w)["mass"], np.array(rows[w])
        (a, b, g), *_ = np.linalg.lstsq(-table[:, :3], table[:, 3], rcond=None)
        for s in 2j * np.pi * np.array([1.0, 12.0, 40.0]):
            through = 1 - a / r * s**2 / (s**2 + b * s + g)
            assert through == pytest.approx((c * s + k) / (m * s**2 + c * s + k), rel=1e-6)


def test_in_base_excitation_other_loads_move_its_far_end() -> None:
    """−k (x − σ ε) − c (ẋ − σ ε̇) and the pose with (1 − σ) ε, of the displacement ε by the lateral force."""
    sim = in_the_air("base")
    before = rates(sim)
    gave = {"L1": 0.003, "R1": -0.002}
    sim.set_states({f"{w}.compliance.x": e for w, e in gave.items()})
    after, told = rates(sim), outputs(sim)
    for w, e in gave.items():
        (k, c), share = stiffness("base", w), data("base", w)["share"]
        lag = after[f"{w}.compliance.x"]
        expected = share * (k * e + c * lag) / data("base", w)["mass"]
        assert after[f"{w}.{X}.rate"] - before[f"{w}.{X}.rate"] == pytest.approx(expected, rel=1e-9)
        assert told[f"Wheel.wheel_center_dispx.{WORDS[w]}"] == pytest.approx((1 - share) * e, abs=1e-15)


def looked_up(wheel: str, force: float) -> float:
    raw = ALONG if wheel == "L1" else ALONG_RIGHT
    settings = vehicle("table").layout.settings
    return float(Table([raw["x"]], raw["y"], method=settings.splines.method)(force))


def on_the_road(name: str) -> Simulation:
    """Upright wheels of a heavy body that rolls and slips, braked or driven by their tires."""
    sim = in_the_air(name)
    sim.set_parameters({"ground.height": 0.0})
    known = sim.parameters
    level = {f"{w}.{n}.{k}": 0.0 for w in WHEELS for n in ("toe", "camber") for k in ("scale", "offset")}
    sim.set_parameters({n: v for n, v in level.items() if n in known})
    stir(sim)
    sim.set_states({"chassis.wz": 0.0})  # it does not pull wheels outwards
    return sim


@pytest.mark.parametrize("name", ["force", "table"])
def test_the_force_of_the_tire_stands_against_the_map(name: str) -> None:
    """m ẍ = F − k (x + ε ẋ): nothing accelerates where x is what the map says of F, and x beyond it is pulled back."""
    sim = on_the_road(name)
    for w in WHEELS:
        found, force = data(name, w), sim.output(f"Tire.Ground_Surface_Force_X.{w}")
        assert abs(force) > 300.0
        there = found["share"] * (slope(w) * force if name == "force" else looked_up(w, force))
        sim.set_states({f"{w}.{X}": there})
        if name == "table":
            sim.set_states({f"{w}.x_dof.passed_force": force})
        assert abs(rates(sim)[f"{w}.{X}.rate"]) < 1e-6
        sim.set_states({f"{w}.{X}": 1.3 * there, f"{w}.{X}.rate": 0.0})
        assert rates(sim)[f"{w}.{X}.rate"] * found["mass"] == pytest.approx(-0.3 * force, rel=1e-6)


def test_hub_and_contact_move_with_it() -> None:
    """Position, velocity and acceleration of the hub, and the slip of the contact: x, ẋ, ẍ."""
    sim = on_the_road("force")
    before = outputs(sim), rates(sim)
    moved, speed = {"L1": 0.004, "R1": -0.006}, {"L1": 0.31, "R1": -0.17}
    sim.set_states({f"{w}.{X}": moved[w] for w in WHEELS} | {f"{w}.{X}.rate": speed[w] for w in WHEELS})
    after = outputs(sim), rates(sim)
    for w in WHEELS:
        change = {n: after[0][f"{n}.{w}"] - before[0][f"{n}.{w}"] for n in ("Wheel.Global_X", "Wheel.Hub_Carrier_Vx")}
        assert change["Wheel.Global_X"] == pytest.approx(moved[w], abs=1e-12)
        assert change["Wheel.Hub_Carrier_Vx"] == pytest.approx(speed[w], abs=1e-12)
        name = f"Wheel.hub_center_accx.{WORDS[w]}"
        assert after[0][name] - before[0][name] == pytest.approx(
            after[1][f"{w}.{X}.rate"] - before[1][f"{w}.{X}.rate"], rel=1e-6
        )
        slip = after[1][f"{w}.tire.u"] - before[1][f"{w}.tire.u"]
        assert slip == pytest.approx(-speed[w], rel=0.02)  # rolling, a part of it leaks
        assert after[0][f"base_compliance.{w}"] == pytest.approx(moved[w], abs=1e-12)


def test_a_free_body_and_its_wheels_lose_what_dampers_take() -> None:
    """E = T + Σ ½ k x² of a body that flies: dE/dt = −Σ c ẋ²."""
    sim = in_the_air("force", heavy=False)
    sim.set_parameters({"aero.active": 0.0})
    sim.set_states({"chassis.vx": 3.0, "chassis.wy": 0.7, "chassis.wz": -0.4})
    x, u = {"L1": 0.011, "R1": -0.007}, {"L1": 0.9, "R1": -1.3}
    sim.set_states({f"{w}.{X}": x[w] for w in WHEELS} | {f"{w}.{X}.rate": u[w] for w in WHEELS})
    sim.set_states({f"{w}.jounce.rate": v for w, v in (("L1", 0.6), ("R1", -0.2))})

    def energy() -> float:
        total = 0.0
        for w in WHEELS:
            k, _ = stiffness("force", w)
            more = data("force", w)["mass"] - sim.parameter(f"{w}.unsprung_mass")
            total += 0.5 * k * sim.state(f"{w}.{X}") ** 2 + 0.5 * more * sim.state(f"{w}.{X}.rate") ** 2
        return total

    def kinetic() -> float:
        told, total = outputs(sim), 0.0
        for w in WHEELS:
            v = [told[f"Wheel.Hub_Carrier_V{a}.{w}"] for a in "xyz"]
            turn = [told[f"Wheel.Hub_Carrier_Omega_{a}.{w}"] for a in "XYZ"]
            total += 0.5 * sim.parameter(f"{w}.unsprung_mass") * float(np.dot(v, v))
            total += 0.5 * sum(
                sim.parameter(f"{w}.{n}") * t * t for n, t in zip(("ixx", "iyy", "izz"), turn, strict=True)
            )
            spin = sim.state(f"{w}.wheel.spin")
            total += sim.parameter(f"{w}.spin_inertia") * spin * (turn[1] + 0.5 * spin)
        body = [sim.state(f"chassis.{n}{a}") for n in "vw" for a in "xyz"]
        inertia = vehicle("force").body.sprung()[0]
        total += 0.5 * inertia[0] * float(np.dot(body[:3], body[:3]))
        return total + 0.5 * float(body[3:] @ np.asarray(inertia[2]) @ body[3:])

    def whole() -> float:
        return energy() + kinetic()

    here = {v.name: sim.state(v.name) for v in sim.model.states}
    change, ends = rates(sim), []
    for h in (1e-5, -1e-5):
        sim.set_states({n: here[n] + h * change[n] for n in here})
        ends.append(whole())
    lost = sum(stiffness("force", w)[1] * u[w] ** 2 for w in WHEELS)
    assert (ends[0] - ends[1]) / 2e-5 == pytest.approx(-lost, rel=1e-5)


def test_with_nothing_left_to_it_the_wheel_is_as_without() -> None:
    sims = [car.simulation(vehicle(name)) for name in ("force", "")]
    sims[0].set_parameters({f"{w}.x_dof.share": 0.0 for w in WHEELS})
    for sim in sims:
        stir(sim)
        sim.advance(40)
    own = [v.name for v in sims[1].model.states]
    here, there = ([sim.state(n) for n in own] for sim in sims)
    assert here == pytest.approx(there, rel=1e-12, abs=1e-12)


def refused(change: dict[str, object], **compliance: object) -> str:
    raw = one_axle()
    raw["axles"][0]["suspension"] |= {
        "compliance": {"x": {"fx": 2.9e-6}, **compliance},
        "x_dof": {"kind": "dynamic", "mass": 51.0, "damping": 0.001, **change},
    }
    with pytest.raises(ValidationError) as found:
        vehicle_of(raw)
    return str(found.value)


def test_what_cannot_be_is_told() -> None:
    assert "mass" in (text := refused({"mass": 2.0})) and "of the unsprung mass of this wheel" in text
    assert "damping" in refused({"damping_rate": 300.0})
    assert "the map x by fx of compliance, which is missing" in refused({}, x=None, toe={"mz": -7e-5})
    assert "give 'states'" in refused({}, loop="previous_step", velocity="off")
    raw = one_axle()
    raw["axles"][0]["suspension"]["x_dof"] = FREEDOMS["force"]
    with pytest.raises(ValidationError, match="there is no compliance whose x it could follow"):
        vehicle_of(raw)


def test_what_a_step_cannot_resolve_is_remarked() -> None:
    raw = one_axle()
    raw["axles"][0]["suspension"] |= {
        "compliance": {"x": {"fx": 1e-9}}, "x_dof": {"kind": "dynamic", "mass": 51.0, "damping": 0.0},
    }  # fmt: skip
    found = dict(vehicle_of(raw).axles[0].suspension.remarks())
    assert "swings at 704" in found["x_dof.mass"]
    assert not [key for key, _ in vehicle("force").axles[0].suspension.remarks() if key.startswith("x_dof")]


@pytest.fixture(scope="module")
def on_the_rig() -> dict[str, SuspensionRig]:
    return {name: SuspensionRig(vehicle(name), gravity=0.0) for name in ("table", "no table")}


@pytest.mark.slow
@pytest.mark.parametrize("force", [-2900.0, -30.0, 1700.0, 5100.0])
def test_at_rest_it_is_where_the_map_says(on_the_rig: dict[str, SuspensionRig], force: float) -> None:
    """On the rig, both ways, with tables that are not straight; wheels that neither steer nor lean, as F is along x."""
    straight_on = {f"{w}.{name}.scale": 0.0 for w in WHEELS for name in ("toe", "camber", "y", "x", "side_view_angle")}
    straight_on |= {f"{w}.{name}.offset": 0.0 for w in WHEELS for name in ("toe", "camber")}
    for rig in on_the_rig.values():
        known = rig.sim.parameters
        rig.sim.set_parameters({n: v for n, v in straight_on.items() if n in known})
    loads = {"L1": Load(fx_brake=force), "R1": Load(fx_drive=0.8 * force)}
    point = Point(travels=dict.fromkeys(WHEELS, 0.0), loads=loads)
    held = {name: rig.hold(point) for name, rig in on_the_rig.items()}
    for wheel, load in (("L1", force), ("R1", 0.8 * force)):
        there, expected = (held[name].channels[f"base_compliance.{wheel}"] for name in ("table", "no table"))
        assert expected == pytest.approx(looked_up(wheel, load), rel=1e-6)
        found = on_the_rig["table"].sim.state(f"{wheel}.{X}")
        if abs(load) > 50.0:  # below, the secant is that at 50 N
            assert there == pytest.approx(expected, rel=2e-5) and found == pytest.approx(expected, rel=2e-5)
        else:
            assert there == pytest.approx(expected, rel=0.02)


@pytest.mark.slow
def test_a_car_brakes_on_it_to_rest() -> None:
    """Explicit steps of 1 ms down to standstill. While the brakes hold their pressure x = σ C (F − m_u a): the mass of
    the carrier pulls forward; F and a along x of the body, which pitches."""
    car_of = with_compliance(jv.load("sedan")).with_(**{
        "front_suspension.x_dof": {"kind": "dynamic", "mass": 50.0, "damping": 0.002},
        "rear_suspension.x_dof": {"kind": "dynamic", "excitation": "base", "mass": 45.0, "damping": 0.002},
    })  # fmt: skip
    run = jn.run(car_of, StraightBraking())
    assert abs(run["Wheel.Global_Vx.L1"][-1]) < 0.05
    steady = (run.time > 0.4 * run.time[-1]) & (run.time < 0.6 * run.time[-1])
    pitch = run["Vehicle.Pitch"][steady]
    for wheel, word in (("L1", "front_left"), ("R1", "front_right")):
        mass = car_of.wheels(1).unsprung_mass
        along, up = (run[f"Tire.Hub_Carrier_Force_Global_{a}.{wheel}"][steady] for a in "XZ")
        force = along * np.cos(pitch) - (up - mass * GRAVITY) * np.sin(pitch)
        force = force - mass * run[f"Wheel.hub_center_accx.{word}"][steady]
        assert force.mean() < -2000.0
        expected = COMPLIANT["x"]["fx_brake"] * force.mean()
        assert run[f"X_Dof.Displacement.{wheel}"][steady].mean() == pytest.approx(expected, rel=0.01)
