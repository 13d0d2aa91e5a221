"""Drive torque of hub motors and of shafts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce.vehicle as jv
from cars import FORCE, plain, rolling
from jounce.sim import car


def test_drive_torque_of_hub_motors_and_of_shafts(plain_car: jv.Vehicle) -> None:
    """Q_J = F_x x' + M θ', M on carrier and wheel together: −F_x r from the road, +T from a shaft; θ' = −s.v.a.'.

    With F_x r = T a shaft leaves x' only; a hub motor also lifts by T s.v.a.', which the springs of its axle carry.
    """
    found = {}
    upright = {n: v for n, v in plain(plain_car).items() if ".x." not in n and "side_view" not in n}
    for reaction in ("chassis", "carrier"):
        vehicle = plain_car.with_(**upright, **{"system.torque_reaction": reaction})
        sim = rolling(car.simulation(vehicle, ground="inclined"), 20.0)
        sim.set_inputs({"throttle": 0.5})
        sim.run(3.0)
        names = ("Spring.Force_At_Wheel.L1", f"{FORCE}X.L1", f"{FORCE}Z.L1", "Vehicle.Pitch", "Wheel.Drive_Moment.L1")
        found[reaction] = np.array([sim.output(name) for name in names])
    spring, _, load, pitch, _ = found["carrier"] - found["chassis"]
    _, force, _, _, torque = found["chassis"]
    assert torque == 0.25 * plain_car.drive.max_torque and force * 0.3 > 0.9 * torque
    # the front is lower by some mm: a little more load, and the force of the road leans towards the wheel's path
    assert spring == pytest.approx(torque * math.radians(6.0) + load + force * pitch, rel=0.01)
    assert torque * math.radians(6.0) > 10 * abs(load + force * pitch)
