"""Events on a road from outside, by inputs: the same run as on the built-in plane; what is missing is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from four_wheels import CORNERS
from jounce import events
from jounce.core.errors import ParameterError
from jounce.road.inputs import external_inputs
from jounce.vehicle.reading import load

HEAD = """[MDI_HEADER]
FILE_TYPE='rdf'
FILE_VERSION=12
FILE_FORMAT='ASCII'
[UNITS]
LENGTH='meter'
ANGLE='radian'
FORCE='newton'
MASS='kg'
TIME='second'
"""


def road_file(folder: Path, mode: int) -> str:
    path = folder / f"external_{mode}.rdf"
    path.write_text(f"{HEAD}[MODEL]\nTYPE='EXTERNAL'\nOPERATING_MODE={mode}\n", encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_a_run_on_outside_planes_is_one_on_the_built_in_plane(tmp_path: Path) -> None:
    """A slope of 4 % that lies 3 m higher, with a friction of 0.8."""
    grade, bank, mu, up = 0.04, 0.01, 0.8, 3.0
    event = events.StepSteer(speed="36 km/h", start_time=0.2, end_time=0.6, amplitude="20 deg", cruise=False)
    inputs: dict[str, Any] = {}
    for i, corner in enumerate(CORNERS):
        x, y = 5.0 * i, -2.0
        inputs |= external_inputs(corner, (x, y, grade * x + bank * y + up), (-grade, -bank, 1.0), mu)
    outside = jn.run(load("sedan"), event, road=road_file(tmp_path, 1), inputs=inputs)
    known = jn.run(load("sedan"), event.changed(grade=grade, bank=bank, friction=mu))
    assert outside.complete
    for name in ("chassis_velocities.yaw", "chassis_velocities.longitudinal", "Tire.Ground_Surface_Force_Y.L1"):
        assert outside[name] == pytest.approx(known[name], rel=1e-6, abs=1e-6 * np.abs(known[name]).max()), name
    height = "chassis_displacements.vertical"
    assert outside[height] - up == pytest.approx(known[height], abs=1e-7)
    assert np.abs(outside["chassis_velocities.yaw"]).max() > 0.01


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    event = events.StepSteer(speed="36 km/h")
    some = external_inputs("L1", (0.0, 0.0, 0.0))
    with pytest.raises(ParameterError, match=r"missing: Road_External\.R1\.z, .*L2\.z, .*R2\.z \(inputs"):
        jn.run(load("sedan"), event, road=road_file(tmp_path, 1), inputs=some)
    with pytest.raises(ParameterError, match=r"missing: Road_External\.L1\.x, .* and 9 more"):
        jn.run(load("sedan"), event, road=road_file(tmp_path, 0))
    twins = load("light_truck").with_(**{"rear_wheels.twin": {"offset": 0.3}})
    given = {k: v for c in CORNERS for k, v in external_inputs(c, (0.0, 0.0, 0.0)).items()}
    with pytest.raises(ParameterError, match=r"missing: Road_External\.L2_twin\.x"):
        jn.run(twins, event, road=road_file(tmp_path, 0), inputs=given)


@pytest.mark.slow
def test_factors_of_tires_within_an_event() -> None:
    """Inputs of tires are there because a run names them; the car is brought to its speed with them."""
    event = events.StepSteer(speed="72 km/h", start_time=0.2, end_time=1.0, amplitude="40 deg", cruise=False)
    usual = jn.run(load("sedan"), event)
    soft = jn.run(load("sedan"), event, inputs={f"{c}.tire.LKY": 0.5 for c in ("L1", "R1")})
    by_parameters = jn.run(load("sedan"), event, parameters={f"{c}.tire.scale.LKY": 0.5 for c in ("L1", "R1")})
    yaw = "chassis_velocities.yaw"
    assert soft[yaw] == pytest.approx(by_parameters[yaw], rel=1e-6, abs=1e-8)
    assert np.abs(soft[yaw]).max() < 0.9 * np.abs(usual[yaw]).max()
