"""Bushings: the law against numpy, action and reaction, what they store and lose, bodies chosen by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from body_rig import channels, law_rates
from car_models import compact
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from steered_cars import rotation
from suspended_rig import BUSHING, CAB, ENGINE, EVERY, ODD, flying, off, vehicle

Array = np.ndarray[Any, np.dtype[np.float64]]


def pose(sim: Simulation, body: str) -> tuple[Array, Array]:
    """Place of a suspended body against the origin of the chassis at rest, and its rotation, in axes of the chassis."""
    shift = np.array([sim.state(f"{body}.{a}") for a in "xyz"])
    yaw, pitch, roll = (sim.state(f"{body}.{a}") for a in ("yaw", "pitch", "roll"))
    centre = {"cab": CAB, "engine": ENGINE}[body]["cg"]
    return np.array(centre) + shift, rotation("z", yaw) @ rotation("y", pitch) @ rotation("x", roll)


def markers(sim: Simulation) -> tuple[Array, Array]:
    """Place and rotation of the marker of the stay on the cab against that on the engine, in axes of the latter."""
    axes = rotation("z", BUSHING["psi"]) @ rotation("x", BUSHING["theta"]) @ rotation("z", BUSHING["phi"])
    ends = []
    for body, data in (("cab", CAB), ("engine", ENGINE)):
        r, turn = pose(sim, body)
        ends.append((r + turn @ (np.array(BUSHING["location"]) - data["cg"]), turn @ axes))
    (r_i, a_i), (r_j, a_j) = ends
    return a_j.T @ (r_i - r_j), a_j.T @ a_i


def test_the_force_is_spring_times_factor_over_displacement_and_offset_less_damping_and_preload_added() -> None:
    sim = flying()
    d, r = markers(sim)
    angles = np.array([np.arctan2(r[2, 1], r[1, 1]), np.arctan2(r[0, 2], r[2, 2]), np.arctan2(r[1, 0], r[0, 0])])
    group = "Bushing.stay"
    assert channels(sim, *(f"{group}.{a}" for a in "XYZ")) == pytest.approx(d, rel=1e-10)
    assert channels(sim, *(f"{group}.A{a}" for a in "XYZ")) == pytest.approx(angles, rel=1e-9)
    # rates: the same places a moment before and after
    h, states = 1e-5, {v.name: sim.state(v.name) for v in sim.model.states}
    moved = [{n: states[n] + s * h * states[f"{n}.rate"] for n in states if f"{n}.rate" in states} for s in (1, -1)]
    (d_1, r_1), (d_0, r_0) = (markers(flying(**m)) for m in moved)
    velocity = (d_1 - d_0) / (2 * h)
    skew = (r_1 - r_0) / (2 * h) @ r.T
    turning = np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
    across = 0.7 * 2.7e4 * (d[1] - 0.0017)
    table = np.interp(d[0] + 0.0031, ODD["x"], ODD["y"])
    force = channels(sim, *(f"{group}.F{a}" for a in "XYZ"))
    damping = np.array(BUSHING["damping"]) * velocity
    expected = np.array(BUSHING["preload"]) - damping - np.array([0.0, across, 0.0])
    assert force[1:] == pytest.approx(expected[1:], rel=1e-7)
    # along x: what is left is the curve; a line between its points is a spline's value to some percent
    left = (expected[0] - force[0]) / 1.3
    assert left == pytest.approx(table, rel=0.2) and left * (d[0] + 0.0031) > 0
    torque = channels(sim, *(f"{group}.T{a}" for a in "XYZ"))
    twisted = np.array([0.0, 0.0, 0.6 * 310.0 * (angles[2] + 0.03)])
    wanted = np.array(BUSHING["turning_preload"]) - np.array(BUSHING["turning_damping"]) * turning - twisted
    assert torque == pytest.approx(wanted, rel=1e-6)


def test_at_a_point_of_its_table_the_spring_is_that_point() -> None:
    """Bodies at rest in their places: the offset alone deforms, by each abscissa of the table, both signs."""
    still = {f"{b}.{m}{r}": 0.0 for b in ("cab", "engine") for m in ("x", "y", "z", "yaw", "pitch", "roll")
              for r in ("", ".rate")}  # fmt: skip
    for x, y in zip(ODD["x"], ODD["y"], strict=True):
        sim = flying(**still)
        sim.set_parameters({"force1.offset.x": x})
        assert sim.output("Bushing.stay.X") == pytest.approx(0.0, abs=1e-15)
        assert sim.output("Bushing.stay.FX") == pytest.approx(41.0 - 1.3 * y, rel=1e-12)


def test_bushings_and_beams_leave_the_momentum_of_the_car_alone() -> None:
    with_them, without = law_rates(flying()), law_rates(off(flying(), *EVERY))
    # forces of some 1e4 N at 10 m from the origin; derivatives by differences at 1e-3 s
    assert with_them[0] == pytest.approx(without[0], abs=1e-4)
    assert with_them[1] == pytest.approx(without[1], abs=2e-3)


def test_what_they_do_to_the_energy_is_the_power_of_their_forces() -> None:
    sim = flying()
    names = [n.rpartition(".")[0] for n in (v.name for v in sim.model.outputs) if n.endswith(".TX")]
    assert len(names) == 4 + 2 + 2 + 2
    power = 0.0
    for group in names:
        force, torque, v, w = (
            channels(sim, *(f"{group}.{letter}{a}" for a in "XYZ")) for letter in ("F", "T", "V", "W")
        )
        # the force acts at the marker of I, the reaction at the same place on J: of power F·ḋ, and F·(ω_J × d) - …
        power += float(force @ v + torque @ w)
    found = law_rates(sim)[2] - law_rates(off(flying(), *EVERY))[2]
    assert found == pytest.approx(power, rel=1e-6)


def test_a_damper_turns_into_heat_the_integral_of_c_v_squared() -> None:
    """In space, nothing but linear mounts of the cab along their axes: energy with ½ k d² falls by ∮ c ḋ² dt."""
    sim = off(flying(), "force", "body.suspended2", "body.suspended3")
    guiding = ("x", "y", "toe", "camber", "side_view_angle")
    sim.set_parameters({"gravity": 0.0, "twist.damping_ratio": 0.0})
    sim.set_parameters({p: 0.0 for p in sim.parameters if p.endswith(".scale") and p.split(".")[1] not in guiding})
    sim.set_parameters({p: 0.0 for p in sim.parameters if p.endswith("anti_roll_bar.stiffness")})
    sim.set_parameters({p: 0.0 for p in sim.parameters if ".turning_damping." in p or ".preload." in p})
    angular = [p for p in sim.parameters if p.startswith("body.suspended1.mount") and p.split(".")[3][0] == "r"]
    sim.set_parameters(dict.fromkeys(angular, 0.0))
    sim.set_states({"chassis.z": 60.0})
    run = sim.run(0.3, method="AM-4", step=0.0002, interval=0.0002)
    stored, lost, time = run["law.energy"].copy(), np.zeros_like(run["law.energy"]), run["time"]
    stored = stored + 0.5 * sim.parameter("twist.stiffness") * run["Frame_Twist.angle"] ** 2
    for n in range(1, 5):
        for axis in "XYZ":
            k = sim.parameter(f"body.suspended1.mount{n}.{axis.lower()}.rate")
            stored = stored + 0.5 * k * run[f"bgs_data_{n}.{axis}"] ** 2
            lost = (
                lost
                + sim.parameter(f"body.suspended1.mount{n}.damping.{axis.lower()}") * run[f"bgs_data_{n}.V{axis}"] ** 2
            )
    heat = np.concatenate([[0.0], np.cumsum(0.5 * (lost[1:] + lost[:-1]) * np.diff(time))])
    assert heat[-1] > 5.0, "J"
    # trapezoids of 0.2 ms at some 60 rad/s: 1e-5 of the heat
    assert stored[0] - stored[-1] == pytest.approx(heat[-1], rel=2e-4)


def test_a_bushing_that_is_switched_off_has_no_force() -> None:
    sim = off(flying(), "force1")
    assert channels(sim, *(f"Bushing.stay.{k}{a}" for k in "FT" for a in "XYZ")) == pytest.approx(np.zeros(6), abs=0)
    assert abs(sim.output("Bushing.bar.FX")) > 1.0


def test_bodies_that_are_not_there_are_refused_with_those_that_are() -> None:
    with pytest.raises(ParameterError, match=r"forces\[0\]\.i = 'cap': no body of this vehicle.*cab"):
        vehicle().with_(**{"forces[0].i": "cap"})
    with pytest.raises(ParameterError, match=r"forces\[0\]\.j = 'cab': both ends are on one body"):
        vehicle().with_(**{"forces[0].j": "cab"})
    with pytest.raises(ParameterError, match=r"forces\[0\]\.i"):
        compact().with_(forces=[{"kind": "bushing", "name": "a", "i": "cab", "location": [0, 0, 0]}])
