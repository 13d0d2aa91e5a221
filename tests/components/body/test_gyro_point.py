"""Further points of the body in levelled axes."""

from __future__ import annotations

import numpy as np
import pytest

from sensor_rig import ON_WHEEL, SEAT, SENSOR_POINT, Rigid, flying, rotation


def test_the_four_points_are_where_the_body_takes_them() -> None:
    sim = flying()
    rigid = Rigid(sim)
    r = rotation(rigid.q)
    heading = np.arctan2(r[1, 0], r[0, 0])
    driver = rigid.point(SEAT)
    along = np.cos(heading) * driver[0] + np.sin(heading) * driver[1]
    assert sim.output("Gyro.Driver_X") == pytest.approx(along, abs=1e-11)
    assert sim.output("Gyro.Driver_Z") == pytest.approx(driver[2], abs=1e-12)
    for i, place in enumerate((ON_WHEEL, SENSOR_POINT, SEAT + 1.0), 1):
        assert sim.output(f"Gyro.sensor_{i}_Z") == pytest.approx(rigid.point(place)[2], abs=1e-12)
