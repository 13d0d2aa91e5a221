"""Fast straight ahead in gusts: no car of the library is left in a limit cycle when the air is calm again."""

from __future__ import annotations

import math
from pathlib import Path as FilePath

import numpy as np
import pytest

import jounce as jn
from jounce.events.library.follow import Follow
from jounce.events.limits import limits_of
from jounce.files.drd import write_drd
from jounce.road.path import Path
from jounce.vehicle.library_figures import stored
from jounce.vehicle.reading import load

BEGIN, CALM, END = 40.0, 54.0, 64.0  # s: the wind rises, falls silent, the run ends
WAVES = ((3.0, 0.13), (3.0, 0.31), (2.5, 0.57), (2.0, 0.83), (1.5, 1.1), (1.0, 1.7))  # m/s, Hz
SQUALL = 8.0, 44.0, 47.0  # m/s more, from and to
DENSITY, AREA, SIDE, YAW = 1.2, 2.2, 2.3, 0.45  # usual: kg/m³, m², per rad


def wind(t: float) -> float:
    """From the right, m/s."""
    if not BEGIN <= t < CALM:
        return 0.0
    waves = sum(a * math.sin(2 * math.pi * f * (t - BEGIN) + k) for k, (a, f) in enumerate(WAVES))
    return (waves + (SQUALL[0] if SQUALL[1] < t < SQUALL[2] else 0.0)) * min(t - BEGIN, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(stored()))
def test_gusts_at_the_lower_of_250_km_h_and_095_of_the_top_speed(name: str, tmp_path: FilePath) -> None:
    """Side force and yaw moment of a usual car in a wind of up to 19 m/s across; the lane is 3.5 m wide."""
    car = load(name)
    top = limits_of(car).top
    speed = min(250 / 3.6, 0.95 * top)
    write_drd(Path.straight(6000.0), tmp_path / "straight.drd")
    (tmp_path / "v.csv").write_text(f"t,v\n0,{min(0.8 * top, speed)}\n20,{speed}\n1000,{speed}\n")

    def gust(t: float, _values: object) -> list[float]:
        beta, pressure = math.atan2(wind(t), speed), 0.5 * DENSITY * AREA * speed**2
        return [pressure * SIDE * math.sin(beta), pressure * car.wheelbase * 0.5 * YAW * math.sin(2 * beta)]

    air = jn.OutsideBlock(gust, writes=("Ext_Body.force.Y", "Ext_Body.moment.Z"), period=0.01, stateless=True)
    event = Follow(
        path=str(tmp_path / "straight.drd"), speed=str(tmp_path / "v.csv"), end_time=END, leaves=30.0,
        x=-25.0, y=40.0, heading=0.7,
    )  # fmt: skip
    run = jn.run(car, event, blocks=[air])
    assert run.complete, run.reason
    t, offset = run.time, run["driving_machine_monitor.path_distance"]
    hand = run["driver_demands.steering"]
    blown, late = (t > BEGIN) & (t < CALM), t > END - 3.0
    assert run["chassis_velocities.longitudinal"][t > BEGIN - 5] == pytest.approx(speed, abs=0.3)
    assert 0.02 < np.abs(offset[blown]).max() < 0.7  # a car of 2.1 m stays in the lane
    assert np.ptp(offset[late]) < 0.02
    assert np.ptp(hand[late]) < math.radians(0.1)
    # and it dies out: less in every later stretch
    parts = [np.ptp(hand[(t >= a) & (t < a + 2)]) for a in (CALM, CALM + 3, CALM + 6)]
    assert parts[0] > 5 * parts[1] > 5 * parts[2]
