"""A car that stops on locked wheels: the force of full sliding to the end, and no throw back by the contacts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce as jn
from four_wheels import CORNERS
from jounce import events
from jounce.results.run import Run
from jounce.sim import car

# of the references: wheels that give way stop before the body does
SEDAN = Path(__file__).parents[2] / "references" / "vehicles" / "sedan"
FORCE = "Tire.Ground_Surface_Force_"


def stopped(**options: object) -> Run:
    vehicle = jn.load(SEDAN).with_(**{"brakes.abs": None})
    event = events.StraightBraking(speed="10 m/s", brake=1.0, start_time=0.1, end_time=2.2)
    return jn.run(vehicle, event, interval="2 ms", **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def stop() -> Run:
    return stopped()


@pytest.mark.slow
def test_locked_wheels_slide_with_the_force_of_full_sliding_to_the_end(stop: Run) -> None:
    """At every speed down to 0.15 m/s, of each wheel, the force of the tire's own curve at κ = −1 and that load."""
    v = stop["chassis_velocities.longitudinal"]
    tires = car.tires_of(jn.load(SEDAN))
    for speed in (3.5, 2.5, 1.5, 0.8, 0.4, 0.15):
        k = int(np.argmin(np.abs(v - speed)))
        for place in CORNERS:
            load, force = stop[f"{FORCE}Z.{place}"][k], stop[f"{FORCE}X.{place}"][k]
            camber = stop[f"Wheel.Inclination.{place}"][k]
            expected = tires[place].steady(load, -1.0, 0.0, camber, mounted="left" if place[0] == "L" else "right")
            assert force == pytest.approx(float(expected.fx), rel=0.01), (speed, place)


def test_the_way_of_the_stop_is_that_of_the_sliding_friction(stop: Run) -> None:
    """From 3 m/s: v²/(2 a) with the deceleration of sliding, a percent."""
    v, x = stop["chassis_velocities.longitudinal"], stop["chassis_displacements.longitudinal"]
    k = int(np.argmin(np.abs(v - 3.0)))
    total = sum(stop[f"{FORCE}X.{place}"][k - 20 : k + 20].mean() for place in CORNERS)
    drag = stop["aero_forces.drag_force"][k] if "aero_forces.drag_force" in stop.names else 0.0
    deceleration = (-total + drag) / jn.load(SEDAN).mass()
    assert x.max() - x[k] == pytest.approx(v[k] ** 2 / (2 * deceleration), rel=0.01)


def test_the_rebound_is_that_of_the_suspension(stop: Run) -> None:
    """Contacts thirty times as stiff store next to nothing: what is left is the pitch of the body on its springs."""
    stiff = stopped(parameters={f"{c}.tire.scale.LSGKP": 0.03 for c in CORNERS}, step="0.1 ms")
    backwards = [-float(run["chassis_velocities.longitudinal"].min()) for run in (stop, stiff)]
    assert 0.1 < backwards[1] < backwards[0] < backwards[1] + 0.05
