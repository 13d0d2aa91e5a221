"""Following paths with trains of the library, as they are: lane change and handling track."""

from __future__ import annotations

import numpy as np
import pytest

import jounce as jn
from jounce.events.library.follow import Follow
from jounce.events.limits import limits_of

BEND = "unit2.Articulation.yaw"


@pytest.mark.slow
def test_a_caravan_is_steered_through_a_lane_change_that_throws_it_off_without_its_model() -> None:
    """ISO 3888-1 at 60 km/h: more than 5 m/s2. The contour, which does not know what is towed, loses it there."""
    vehicle = jn.load("car_caravan")
    run = jn.run(vehicle, Follow(path="iso_3888_1", speed="60 km/h"))
    assert run.complete, run.reason
    assert run.figures["path_error_max"][0] < 0.3
    assert np.abs(run["Vehicle.CM_Tracking_Ay"]).max() > 5.0
    assert np.abs(run[BEND]).max() < 0.4
    late = run.time > run.time[-1] - 1.0
    # it does not sway on: left alone (damping 0.16 at 4.3 rad/s) more than a third would be left after 1.5 s
    assert np.abs(run[BEND][late]).max() < 0.2 * np.abs(run[BEND]).max()
    contour = jn.run(vehicle, Follow(path="iso_3888_1", speed="60 km/h", driver="contour"))
    assert not contour.complete


@pytest.mark.slow
@pytest.mark.parametrize("driver", ["preview", "contour"])
def test_a_caravan_goes_round_the_handling_track_at_seven_tenths_of_its_limits(driver: str) -> None:
    vehicle = jn.load("car_caravan")
    run = jn.run(vehicle, Follow(path="handling", speed="auto 0.7", driver=driver))
    assert run.complete and run.reason == "path completed", run.reason
    assert run.figures["path_error_max"][0] < 0.3
    assert run.figures["speed_error_rms"][0] < 0.2
    limits = limits_of(vehicle)
    assert np.abs(run["Vehicle.CM_Tracking_Ay"]).max() > 0.9 * 0.7 * limits.lateral
    assert run["chassis_velocities.longitudinal"].max() < limits.top  # sway stays damped
