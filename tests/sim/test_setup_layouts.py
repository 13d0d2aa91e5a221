"""Set-up of what the sedan is not: torsion bars, a body in two halves, three axles; and grounds that are no plane.

The changed car is put on the ground anew, by the usual statics.
"""

from __future__ import annotations

from typing import Any

import pytest

import jounce as jn
import jounce.vehicle as jv
from axle_lists import small_truck, vehicle_of
from car_models import compact
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError, SetupError
from jounce.runtime.simulation import Simulation
from jounce.sim import car, statics
from jounce.sim.setup import with_masses
from reference_cases import split

FORCE, HEIGHT = "Tire.Ground_Surface_Force_Z.", "Suspension.Ride_Height."


def standing(vehicle: jv.Vehicle) -> Simulation:
    description = car.describe(with_masses(vehicle, "setup"))
    sim = car.simulation(description)
    statics.settle(sim, description)
    return sim


def mean(sim: Simulation, channel: str, axle: int) -> float:
    return 0.5 * (sim.output(f"{channel}L{axle}") + sim.output(f"{channel}R{axle}"))


def load(sim: Simulation, wheel: str) -> float:
    """Of all tires of a wheel."""
    return sum(sim.output(v.name) for v in sim.model.outputs if v.name.startswith(f"{FORCE}{wheel}"))


@pytest.fixture(scope="module")
def twisting() -> jv.Vehicle:
    """Torsion bars in front, with a ratio in rad/m and a preload in N m, under a front half that twists."""
    changes: dict[str, Any] = split(torsion=4.6e5)
    bar = {"kind": "rotational", "rate": 4.1e3, "preload": 1180.0, "ratio": 2.6, "right": {"preload": 1230.0}}
    return compact().with_(**changes, **{"front_suspension.spring": bar})


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["preload", "pushrod"])
def test_torsion_bars_under_a_body_that_twists(twisting: jv.Vehicle, mode: Any) -> None:
    """Heights and cross weight are reached; the torque between the halves is what the loads of the front axle ask for,
    and torques of bars at the wheels are the loads less what is unsprung."""
    before = standing(twisting)
    goals = {"front_ride_height": mean(before, HEIGHT, 1) + 0.006, "rear_ride_height": mean(before, HEIGHT, 2) - 0.004,
             "cross_weight": 0.507}  # fmt: skip
    changed = jn.setup(twisting, goals, mode=mode)
    sim = standing(changed)
    assert mean(sim, HEIGHT, 1) == pytest.approx(goals["front_ride_height"], abs=1e-6)
    assert mean(sim, HEIGHT, 2) == pytest.approx(goals["rear_ride_height"], abs=1e-6)
    loads = {c: sim.output(f"{FORCE}{c}") for c in ("L1", "R1", "L2", "R2")}
    assert (loads["L1"] + loads["R2"]) / sum(loads.values()) == pytest.approx(0.507, abs=1e-6)
    twist = sim.output(next(v.name for v in sim.model.outputs if v.name.endswith(".AX_1")))
    assert twist != pytest.approx(before.output(next(v.name for v in sim.model.outputs if v.name.endswith(".AX_1"))))
    paths = [change.path for change in changed.setup_report.changes]
    assert any("front_suspension.spring" in path for path in paths)
    if mode == "preload":
        for wheel, side in (("L1", "L"), ("R1", "R")):
            bar = changed.suspension(1).spring if side == "L" else changed.suspension(1).spring.right
            torque = bar.preload + bar.rate * bar.ratio.constant * sim.state(f"{wheel}.jounce")
            assert sim.output(f"Spring.Force_At_Spring.{wheel}") == pytest.approx(torque, rel=1e-9), "N m"


@pytest.mark.slow
def test_three_axles_reach_heights_and_loads_and_tell_what_contradicts() -> None:
    """A body has three heights; which axle carries how much is free beside them. Six heights contradict each other."""
    truck = vehicle_of(small_truck())
    before = standing(truck)
    goals = {
        "front_left_ride_height": before.output(f"{HEIGHT}L1") + 0.004,
        "front_right_ride_height": before.output(f"{HEIGHT}R1") + 0.003,
        "axle3_ride_height": mean(before, HEIGHT, 3) - 0.002,
        "axle3_left_load": load(before, "L3") + 350.0,
        "rear_left_load": load(before, "L2") - 210.0,
    }
    sim = standing(jn.setup(truck, goals, mode="preload"))
    for side, wheel in (("left", "L1"), ("right", "R1")):
        assert sim.output(f"{HEIGHT}{wheel}") == pytest.approx(goals[f"front_{side}_ride_height"], abs=1e-6)
    assert mean(sim, HEIGHT, 3) == pytest.approx(goals["axle3_ride_height"], abs=1e-6)
    for name, wheel in (("axle3_left_load", "L3"), ("rear_left_load", "L2")):
        assert load(sim, wheel) == pytest.approx(goals[name], abs=0.1)
    assert load(sim, "") == pytest.approx(with_masses(truck, "setup").mass() * GRAVITY, rel=1e-6)
    six = {
        f"{axle.word}_{side}_ride_height": before.output(f"{HEIGHT}{s}{axle.number}") + change
        for axle, changes in zip(truck.layout.axles, ((0.004, 0.003), (-0.002, -0.0035), (-0.003, 0.001)), strict=True)
        for (s, side), change in zip((("L", "left"), ("R", "right")), changes, strict=True)
    }
    with pytest.raises(SetupError, match=r"contradicts .*axle3_right_ride_height"):
        jn.setup(truck, six, mode="preload")
    with pytest.raises(ParameterError, match="cross_weight"):
        jn.setup(truck, {"cross_weight": 0.5})


@pytest.mark.parametrize("ground", ["sine", (0.0,), (0.1, 3.0), (0.0, float("nan")), 0.1, (1, 2, 3)])
def test_a_ground_that_is_no_plane_is_refused_with_what_to_give(ground: Any) -> None:
    sloped = jv.load("sedan").with_(**{"setup.flat_road": False})
    with pytest.raises(ParameterError, match=r"set-up: ground = .*give its slopes along and across"):
        jn.setup(sloped, {"front_ride_height": "306 mm"}, ground=ground)
