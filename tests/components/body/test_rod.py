"""A rod between engine and body: two bushings in series, tension alike at both ends."""

from __future__ import annotations

import numpy as np
import pytest

from car_models import compact
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.statics import settle
from steered_cars import rotation
from suspended_rig import ENGINE, ROD


@pytest.mark.parametrize("pull", [470.0, -230.0])
def test_along_its_axis_it_is_two_springs_in_series(pull: float) -> None:
    """The engine is pulled along the rod, and hardly anything else holds it that way."""
    line = [[m["location"][0], 0.0, 0.27] for m in ROD["mounts"]]
    push = {"kind": "point", "name": "push", "body": "engine", "location": line[0], "force": [1.0, 0.0, 0.0],
            "reaction": "chassis", "axes": "chassis"}  # fmt: skip
    mounts = [{**m, "location": at} for m, at in zip(ROD["mounts"], line, strict=True)]
    loose = {**ENGINE, "mounts": [{**m, "x": 50.0} for m in ENGINE["mounts"]]}
    rod = {**ROD, "cg": [-0.08, 0.0, 0.27], "mounts": mounts}
    description = car.describe(compact(**{"body.suspended": [loose, rod], "forces": [push]}))
    ends = []
    for force in (0.0, pull):
        sim = car.simulation(description)
        sim.set_parameters({"force1.force.x": force})
        settle(sim, description)
        ends.append([sim.output("Bushing.rod_1.FX"), sim.output("Bushing.rod_2.FX"), point(sim, line[0])])
    first, second, moved = np.array(ends[1]) - ends[0]
    series = 1 / (1 / ROD["mounts"][0]["x"] + 1 / ROD["mounts"][1]["x"])
    # the engine turns a little, as its mounts are not in the line; 100 N/m of them beside 2.5e5;
    # the weight bends the rod by its mounts, which shortens it in the second order
    assert moved == pytest.approx(pull / (series + 100.0), rel=3e-3)
    assert first == pytest.approx(pull, rel=1e-3) and second == pytest.approx(-pull, rel=1e-3)


def point(sim: Simulation, at: list[float]) -> float:
    """How far a point of the engine has moved along x."""
    r = np.array(at) - ENGINE["cg"]
    yaw, pitch, roll = (sim.state(f"engine.{m}") for m in ("yaw", "pitch", "roll"))
    turn = rotation("z", yaw) @ rotation("y", pitch) @ rotation("x", roll)
    return float(sim.state("engine.x") + (turn @ r - r)[0])


def test_it_has_two_ends_and_is_never_fixed() -> None:
    with pytest.raises(ParameterError, match="a rod has two ends"):
        compact(**{"body.suspended": [ENGINE, {**ROD, "mounts": ROD["mounts"][1:]}]})
    with pytest.raises(ParameterError, match="fixed"):
        compact(**{"body.suspended": [ENGINE, {**ROD, "fixed": True}]})
