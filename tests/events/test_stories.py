"""Stories of users, from end to end."""

from __future__ import annotations

import numpy as np
import pytest

import jounce as jn
from jounce import events


def test_roll_grows_with_the_height_of_the_centre_of_gravity() -> None:
    car = jn.load("sedan")
    event = events.StepSteer(amplitude="-30 deg", end_time=2.5)
    heights = np.linspace(0.40, 0.50, 6)
    peaks = [np.abs(jn.run(car.with_(**{"body.cg.z": float(z)}), event).signal("roll")).max() for z in heights]
    assert np.all(np.diff(peaks) > 0)
    # the moment of the sprung mass grows with its height over the roll axis, which lies below a third of the lowest
    assert peaks[-1] / peaks[0] == pytest.approx(0.5 / 0.4, rel=0.15)


@pytest.mark.slow
def test_another_tire_drives_over_a_cleat() -> None:
    plain = jn.load("sedan")
    car = plain.with_(**{"front_wheels.tire": "example_mf62", "rear_wheels.tire": "example_mf62"})
    event = events.StraightBraking(speed="30 km/h", brake=0.0, end_time="3 s", road="cleat", contact="cams", x=40.0)
    run = jn.run(car, event, step="0.1 ms", interval="1 ms")
    assert run.complete and not run.warnings
    before = jn.run(plain, events.StraightBraking(speed="30 km/h", brake=0.0, end_time="2 s"))
    for wheel in ("L1", "R2"):
        load, radius = (run[f"Tire.{name}.{wheel}"] for name in ("Ground_Surface_Force_Z", "Loaded_Radius"))
        peak = int(np.argmax(load))
        assert load[peak] > 1.5 * load[0] and radius[peak] < radius[0] - 0.003
        assert np.abs(load[-200:] / load[0] - 1).max() < 0.1  # and decays
        # the car and its weight are the same; drag of other rolling resistance moves a little of it
        assert load[0] == pytest.approx(before[f"Tire.Ground_Surface_Force_Z.{wheel}"][0], rel=2e-3)
