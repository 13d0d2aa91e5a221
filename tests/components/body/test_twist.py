"""Twist of a frame: one freedom, its frequency by hand, the roll of axles at their stations, rigid in the limit."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from body_rig import law_rates
from car_models import compact
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from suspended_rig import TWIST, flying, off


@lru_cache
def standing_description() -> car.Description:
    return car.describe(compact(**{"body.twist": TWIST}))


def standing(**parameters: float) -> Simulation:
    sim = car.simulation(standing_description())
    sim.set_parameters(parameters)
    settle(sim, standing_description())
    return sim


def warped(**parameters: float) -> Simulation:
    """Springs of one diagonal longer by 20 mm: the axles roll against each other."""
    sim = car.simulation(standing_description())
    longer = {f"{c}.spring.at_design": sim.parameter(f"{c}.spring.at_design") + 0.02 for c in ("L1", "R2")}
    return standing(**longer, **{f"twist.{k}": v for k, v in parameters.items()})


def test_it_is_one_freedom() -> None:
    def speeds(**changes: Any) -> int:
        return len(car.Structure(car.describe(compact(**changes))).system().speeds)

    assert speeds(**{"body.twist": TWIST}) == speeds() + 1
    assert speeds(**{"body.twist": TWIST, "system.simplified_model": 2}) == speeds(**{"system.simplified_model": 2})


def test_in_space_without_wheels_it_vibrates_at_the_root_of_stiffness_over_the_inertia_of_the_rails() -> None:
    """ω² = k/J, J = I b²/(2 L²), decay ζ ω: rates over state by differences, wheels of next to no mass."""
    sim = off(flying(), "force", "body.suspended")
    sim.set_states({v.name: 0.0 for v in sim.model.states})
    sim.set_states({"chassis.e0": 1.0, "chassis.z": 60.0})
    corners = ("L1", "R1", "L2", "R2")
    sim.set_parameters({"gravity": 0.0, **{f"{c}.unsprung_mass": 1e-9 for c in corners}})
    sim.set_parameters({f"{c}.{n}": 1e-6 for c in corners for n in ("ixx", "iyy", "izz", "spin_inertia")})
    guiding = ("x", "y", "toe", "camber", "side_view_angle")
    sim.set_parameters({p: 0.0 for p in sim.parameters if p.endswith(".scale") and p.split(".")[1] not in guiding})
    sim.set_parameters({p: 0.0 for p in sim.parameters if p.endswith("anti_roll_bar.stiffness")})
    names = ["twist.angle", "twist.rate"]
    index = [[v.name for v in sim.model.states].index(n) for n in names]
    columns = []
    for i in index:
        ends = []
        for sign in (1, -1):
            x = sim.x.copy()
            x[i] += sign * 1e-6
            ends.append(sim.derivatives(x=x)[0][index])
        columns.append((ends[0] - ends[1]) / 2e-6)
    found = np.linalg.eigvals(np.array(columns).T)
    inertia = TWIST["rail_inertia"] * TWIST["distance"] ** 2 / (2 * TWIST["length"] ** 2)
    omega = np.sqrt(TWIST["stiffness"] / inertia)
    # the wheels that are left have 1e-6 of the inertia of the rails
    assert np.abs(found) == pytest.approx(omega, rel=1e-5)
    assert -found.real == pytest.approx(TWIST["damping_ratio"] * omega, rel=1e-5)


@pytest.mark.parametrize("factor", [1.0, 4.0])
def test_at_rest_the_twist_is_the_torque_of_the_axles_over_its_stiffness(factor: float) -> None:
    """Virtual work: axle a, at (x_a - x₀)/L, bears M_a, the roll moment of its wheels about the axis of the rails."""
    sim = warped(stiffness=factor * TWIST["stiffness"])
    torque = 0.0
    for axle in (1, 2):
        lever = (sim.parameter(f"axle{axle}.wheel_centre_x") - TWIST["station"]) / TWIST["length"]
        for c in (f"L{axle}", f"R{axle}"):
            place = [sim.output(f"Road.Contact_Patch_Global_{a}.{c}") for a in "YZ"]
            force = [sim.output(f"Tire.Hub_Carrier_Force_Global_{a}.{c}") for a in "YZ"]
            weight = sim.parameter(f"{c}.unsprung_mass") * sim.parameter("gravity")
            centre = sim.output(f"Wheel.Global_Y.{c}")
            height = TWIST["height"] - place[1]
            torque += lever * (place[0] * force[1] + height * force[0] - weight * centre)
    twist = sim.output("Frame_Twist.angle")
    assert abs(torque) > 100.0, "N.m: there is something to twist"
    # heights at design: the axis moves with the springs by some centimetres of the lever of small side forces
    assert twist == pytest.approx(torque / (factor * TWIST["stiffness"]), rel=0.02)
    assert sim.output("Frame_Twist.torque") == pytest.approx(-factor * TWIST["stiffness"] * twist, rel=1e-9)
    assert twist > 0, "the left spring is stronger in front: there it rolls to the right against the rear"


def test_a_stiff_frame_is_the_rigid_one() -> None:
    sim, rigid = warped(stiffness=1e12), car.simulation(compact())
    longer = {f"{c}.spring.at_design": rigid.parameter(f"{c}.spring.at_design") + 0.02 for c in ("L1", "R2")}
    rigid.set_parameters(longer)
    settle(rigid, car.describe(compact()))
    for c in ("L1", "R1", "L2", "R2"):
        name = f"Tire.Ground_Surface_Force_Z.{c}"
        assert sim.output(name) == pytest.approx(rigid.output(name), rel=1e-5)


def test_the_twist_bears_no_momentum_and_loses_what_its_damper_takes() -> None:
    sim = off(flying(), "force", "body.suspended")
    free = off(flying(), "force", "body.suspended")
    free.set_parameters({"twist.damping_ratio": 0.0, "twist.stiffness": 1e-9})
    found, bare = law_rates(sim), law_rates(free)
    assert found[0] == pytest.approx(bare[0], abs=1e-4)
    assert found[1] == pytest.approx(bare[1], abs=2e-3)
    # the spring keeps what it takes, k ψ ψ̇; the damper's is lost: both are the torque times the rate
    power = sim.output("Frame_Twist.torque") * sim.output("Frame_Twist.rate")
    assert found[2] - bare[2] == pytest.approx(power, rel=1e-5)


def test_a_body_has_halves_or_rails() -> None:
    half = {"mass": 600.0, "cg": [0, 0, 0.5], "inertia": {"ixx": 100, "iyy": 200, "izz": 220}}
    split = {"location": [-1.2, 0, 0.4], "front": half, "rear": {**half, "cg": [-2, 0, 0.5]},
             "stiffness": {"torsion": 1e5}}  # fmt: skip
    with pytest.raises(ParameterError, match="stands beside split"):
        compact(**{"body.mass": None, "body.cg": None, "body.inertia": None, "body.split": split, "body.twist": TWIST})
