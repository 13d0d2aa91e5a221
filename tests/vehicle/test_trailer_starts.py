"""A bent train at rest on a slope with a bank, and a train that starts in a steady turn: Newton's law, both sides."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pytest

from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily
from trains import car_trailer

Array = npt.NDArray[np.float64]
WHEELS = ("L1", "R1", "L2", "R2", "L3", "R3")
GRADE, BANK = 0.071, -0.043


@lru_cache
def description() -> car.Description:
    return car.describe(car_trailer(), ground="inclined")


def standing(bent: float, heading: float, brake: float = 0.4) -> Simulation:
    sim = car.simulation(description())
    sim.set_parameters({"ground.grade": GRADE, "ground.bank": BANK})
    sim.set_inputs({"brake": brake})
    settle(sim, description(), x=13.0, y=-5.0, heading=heading, articulations=(bent,))
    return sim


def pushes(sim: Simulation) -> tuple[Array, Array]:
    """Forces of the tires in the world, and where they act."""
    axes = "XYZ"
    forces = [[sim.output(f"Tire.Hub_Carrier_Force_Global_{a}.{w}") for a in axes] for w in WHEELS]
    places = [[sim.output(f"Road.Contact_Patch_Global_{a}.{w}") for a in axes] for w in WHEELS]
    return np.array(forces), np.array(places)


@pytest.mark.parametrize(("bent", "heading"), [(0.61, 0.0), (-0.47, 2.3), (1.02, -1.1)])
def test_a_bent_train_on_a_slope_stands_still_and_its_weight_is_carried(bent: float, heading: float) -> None:
    sim = standing(bent, heading)
    assert sim.output("unit2.Articulation.yaw") == pytest.approx(bent, abs=1e-12)
    forces, _ = pushes(sim)
    weight = car_trailer().mass() * sim.parameter("gravity")
    # the wheels' own weight is between the ground and their carriers
    ground = np.array([[sim.output(f"Tire.Contact_Patch_Normal_{a}.{w}") for a in "XYZ"] for w in WHEELS])
    up = np.array([-GRADE, -BANK, 1.0]) / math.hypot(GRADE, BANK, 1.0)
    assert ground == pytest.approx(np.tile(up, (len(WHEELS), 1)), abs=1e-12)
    loads = np.array([sim.output(f"Tire.Ground_Surface_Force_Z.{w}") for w in WHEELS])
    assert loads.min() > 0
    assert loads.sum() == pytest.approx(weight * up[2], rel=1e-4)  # all else of the tires' forces lies in the plane
    rates = sim.derivatives()[0]
    moving = [abs(rates[i]) for i, v in enumerate(sim.model.states) if v.unit in ("m/s", "rad/s")]
    assert max(moving) < 1e-6
    assert np.isfinite(forces).all()


def test_a_bent_train_is_carried_as_the_lever_says() -> None:
    """Moments of the towed unit about its coupling, in the axes of the world: weight against the pushes of its axle."""
    sim = standing(0.61, 0.4)
    forces, places = pushes(sim)
    hook = np.array([sim.output(f"Hook_rear.Hook_{a}") for a in "XYZ"])
    centre = np.array([sim.output(f"unit2.System_Mass_Center.Global_{a}") for a in "XYZ"])
    raw = car_trailer().trailers[0]  # type: ignore[index]
    mass = float(raw.body.mass + 2 * raw.axles[0].wheels.unsprung_mass)
    own = [WHEELS.index(w) for w in ("L3", "R3")]
    weight = np.array([0.0, 0.0, -mass * sim.parameter("gravity")])
    moment = np.cross(centre - hook, weight) + sum(np.cross(places[i] - hook, forces[i]) for i in own)
    # about the world's horizontal axes; about the vertical one the brakes of the car hold it through tires alone
    assert np.abs(moment[:2]).max() < 2e-3 * np.linalg.norm(np.cross(centre - hook, weight))


def test_the_mirror_of_a_bent_train_has_its_sides_exchanged() -> None:
    loads = {}
    for side in (1.0, -1.0):
        sim = car.simulation(description())
        sim.set_parameters({"ground.grade": GRADE, "ground.bank": side * BANK})
        sim.set_inputs({"brake": 0.4})
        settle(sim, description(), heading=0.0, articulations=(side * 0.53,))
        loads[side] = [sim.output(f"Tire.Ground_Surface_Force_Z.{w}") for w in WHEELS]
    exchanged = np.array(loads[-1.0]).reshape(-1, 2)[:, ::-1].ravel()
    assert exchanged == pytest.approx(np.array(loads[1.0]), rel=1e-6)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_train_starts_in_a_steady_turn_and_stays_in_it(side: float) -> None:
    """Bent as plane geometry says, at a speed that asks little of the tires; held, it goes on so."""
    found = car.describe(car_trailer())
    sim = car.simulation(found)
    settle(sim, found, heading=0.7)
    curvature = side * 0.047
    run_steadily(sim, found, 4.1, curvature=curvature, course=0.7)
    hitch, axle = -3.53 + 2.65, 3.79  # behind the rear axle, behind the coupling
    origin = float(found.places[0].units[0].origins[""][0]) + 2.65
    radius = math.sqrt(1 / curvature**2 - origin**2)  # of the rear axle
    expected = -side * (math.atan(-hitch / radius) + math.atan(axle / math.sqrt(radius**2 + hitch**2 - axle**2)))
    first = sim.output("unit2.Articulation.yaw")
    assert first == pytest.approx(expected, rel=0.02)
    sim.run(sim.time + 2.0)
    assert sim.output("unit2.Articulation.yaw") == pytest.approx(first, rel=1e-3)


def test_more_articulations_than_units_are_refused() -> None:
    with pytest.raises(ParameterError, match="found 2 articulations; the vehicle has 1"):
        settle(car.simulation(description()), description(), articulations=(0.1, 0.2))
