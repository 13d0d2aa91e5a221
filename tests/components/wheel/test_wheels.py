"""Wheels and the tires of their files."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce.vehicle as jv
from cars import FORCE, compact
from four_wheels import CORNERS
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from models import rotation_matrix

Array = npt.NDArray[np.float64]


def test_each_axle_has_the_tire_of_its_file(plain_car: jv.Vehicle) -> None:
    vehicle = plain_car.with_(**{"rear_wheels.tire": "sedan_225_50r17"})
    tires = car.tires_of(vehicle)
    assert tires["L1"] is tires["R1"] and tires["L2"] is tires["R2"] and tires["L1"] is not tires["L2"]
    found = car.numbers(car.describe(vehicle))
    stiffness = [found[f"tire{i}.VERTICAL_STIFFNESS"]() for i in (1, 2)]
    assert stiffness == [tires[c].values["VERTICAL_STIFFNESS"] for c in ("L1", "L2")] and stiffness[0] != stiffness[1]
    # the load that a wheel of the car has is that of its tire alone at this deflection
    sim = car.simulation(plain_car, ground="inclined")
    for place in CORNERS:
        depth = sim.output(f"Tire.Effective_Penetration.{place}")
        assert sim.output(f"{FORCE}Z.{place}") == pytest.approx(float(tires["L1"].load(depth)), rel=1e-9)


def leaning_car() -> Simulation:
    """A car on an inclined ground, turned, steered, its wheels at different travels and all in motion."""
    description = car.describe(compact(), ground="inclined")
    sim = car.simulation(description)
    sim.set_parameters({"ground.grade": 0.12, "ground.bank": -0.2, "ground.height": 0.12})
    statics.place(sim, description, heading=2.1, normal=(-0.12, 0.2, 1.0))
    sim.set_inputs({"steering_wheel": 1.3})
    sim.set_states({f"{c}.jounce": travel for c, travel in zip(CORNERS, (0.03, -0.02, 0.045, 0.01), strict=True)})
    turned = np.array([1.0, 0.008, -0.012, 0.02])
    first = sim.model.quaternions[0]
    q = sim.x[first : first + 4]
    product = [
        q[0] * turned[0] - q[1:] @ turned[1:],
        *(q[0] * turned[1:] + turned[0] * q[1:] + np.cross(q[1:], turned[1:])),
    ]
    sim.x[first : first + 4] = np.array(product) / np.linalg.norm(product)
    moving = {"vx": 7.0, "vy": -1.1, "vz": 0.4, "wx": 0.3, "wy": -0.2, "wz": 0.5}
    sim.set_states({f"chassis.{name}": value for name, value in moving.items()})
    return sim


def turn(axis: int, angle: float) -> Array:
    half = 0.5 * angle
    return rotation_matrix(np.array([math.cos(half), *(math.sin(half) * np.eye(3)[axis])]))


def vector(sim: Simulation, pattern: str) -> Array:
    return np.array([sim.output(pattern.format(axis)) for axis in "XYZ"])


def test_angles_to_the_road_and_forces_at_the_hub_are_those_of_the_turned_carrier() -> None:
    """The carrier put together again from the chassis' quaternion and the angles of its channels: z, then x, then y."""
    sim = leaning_car()
    first = sim.model.quaternions[0]
    chassis = rotation_matrix(sim.x[first : first + 4])
    told: dict[str, list[Any]] = {"toe": [], "caster": []}
    for corner, (_, side) in CORNERS.items():
        outwards = 1.0 if side == "L" else -1.0
        psi = sim.output(f"Wheel.Spindle_Steer.{corner}")
        camber, lean = (sim.output(f"wheel_angles.{name}_{corner}") for name in ("camber", "caster"))
        carrier = chassis @ turn(2, psi) @ turn(0, -outwards * camber) @ turn(1, -lean)
        for what in ("Force", "Moment"):
            here, there = (vector(sim, f"Tire.Hub_Carrier_{what}_{axes}_{{}}.{corner}") for axes in ("Local", "Global"))
            assert np.linalg.norm(there) > 10.0
            assert carrier @ here == pytest.approx(there, rel=1e-9, abs=1e-9)
        assert carrier @ vector(sim, f"Wheel.Hub_Carrier_Omega_{{}}.{corner}") == pytest.approx(
            vector(sim, f"Wheel.Global_Omega_{{}}.{corner}"), abs=1e-12
        )
        normal = vector(sim, f"Tire.Contact_Patch_Normal_{{}}.{corner}")
        forward = np.cross(carrier[:, 1], normal)
        forward /= np.linalg.norm(forward)
        ahead = chassis[:, 0] - (chassis[:, 0] @ normal) * normal
        ahead /= np.linalg.norm(ahead)
        steer = math.asin(normal @ np.cross(ahead, forward))
        assert sim.output(f"wheel_angles.toe_wrt_road_{corner}") == pytest.approx(-outwards * steer, abs=1e-12)
        across = np.cross(normal, forward)
        side_view = carrier[:, 2] - (carrier[:, 2] @ across) * across
        angle = -math.asin(side_view @ forward / np.linalg.norm(side_view))
        assert sim.output(f"wheel_angles.caster_wrt_road_{corner}") == pytest.approx(angle, abs=1e-12)
        told["toe"].append(sim.output(f"wheel_angles.toe_wrt_road_{corner}"))
        told["caster"].append(sim.output(f"wheel_angles.caster_wrt_road_{corner}"))
    assert all(len(set(np.round(values, 4))) == 4 for values in told.values()), "each wheel has its own"


@pytest.mark.parametrize("speed", [7.0, -5.0])
def test_relaxation_lengths_and_trail_of_each_wheel_are_those_of_its_tire(speed: float) -> None:
    """Loads, slips and cambers of all wheels are different; what they tell is asked of the tire by itself."""
    sim = leaning_car()
    sim.set_states({"chassis.vx": speed} | {f"{c}.tire.u": 0.002 * (i - 1.3) for i, c in enumerate(CORNERS)})
    sim.set_states({f"{c}.tire.v": 0.004 * (i - 1.6) for i, c in enumerate(CORNERS)})
    told = {}
    for corner, tire in car.tires_of(compact()).items():
        sign = tire.sign_on("left" if corner[0] == "L" else "right")
        load, kappa, alpha, vx, gamma, spin = (
            sim.output(f"{name}.{corner}")
            for name in (
                f"{FORCE}Z", "Tire.Longitudinal_Slip_With_Lag", "Tire.Lateral_Slip_With_Lag",
                "Tire.Ground_Surface_Contact_Patch_Vx", "Wheel.Inclination", "Wheel.Omega",
            )
        )  # fmt: skip
        at = tire.at_load(load, sign * gamma)
        trail = tire.model.parts(tire.values, at, kappa, sign * alpha, vx, spin)["trail"]
        told[corner] = [
            sim.output(f"Tire.{name}.{corner}")
            for name in ("Longitudinal_Relaxation_Length", "Lateral_Relaxation_Length", "Pneumatic_Trail")
        ]
        assert told[corner] == pytest.approx([float(at.sigma_kappa), float(at.sigma_alpha), float(trail)], rel=1e-9)
        assert told[corner][2] * speed > 0, "behind the wheel, whichever way it rolls"
    assert len({tuple(np.round(numbers, 6)) for numbers in told.values()}) == 4, "all different"
