"""Bump stops between both wheels of an axle."""

from __future__ import annotations

import numpy as np
import pytest

from element_rig import RATIOS, STOP, WHEELS, alone, pushes, put, scale_names, slope
from series_rig import STOP as STOP_RATE
from series_rig import hung

GROUP, CLEARANCE = "bus_third_spr_jounce_stop_data", 0.019


def deflection(travel: dict[str, float]) -> float:
    left, right = RATIOS["bump"]
    return float(0.5 * (left(travel["L1"]) + right(travel["R1"])))


def test_it_engages_after_its_clearance_and_in_compression_only() -> None:
    """Beyond it the points of its table are met; before it, and on the other side, nothing."""
    sim = alone("bump")
    for mean in np.linspace(-0.06, 0.06, 13):
        travel = {"L1": float(mean) + 0.011, "R1": float(mean) - 0.013}
        put(sim, travel)
        force, beyond = sim.output(f"{GROUP}.force.front"), 1 * deflection(travel) - CLEARANCE
        assert sim.output(f"{GROUP}.displacement.front") == pytest.approx(-deflection(travel), rel=1e-8, abs=1e-12)
        assert (force == 0.0) if beyond <= 0 else (1 * force > 0.0)
    # a point of the table: both travels such that the stop is pressed by 26 mm
    low, high = 0.0, 0.12
    for _ in range(80):
        j = 0.5 * (low + high)
        low, high = (j, high) if 1 * deflection({"L1": 1 * j, "R1": 1 * j}) < CLEARANCE + 0.026 else (low, j)
    put(sim, {"L1": 1 * j, "R1": 1 * j})
    assert sim.output(f"{GROUP}.force.front") == pytest.approx(1 * 1.3 * STOP["y"][2], rel=1e-7)


@pytest.mark.parametrize("travel", [{"L1": 0.06, "R1": 0.041}, {"L1": 0.033, "R1": 0.071}])
def test_it_acts_by_virtual_work(travel: dict[str, float]) -> None:
    sim = alone("bump")
    speed = {"L1": 0.3, "R1": -0.17}
    put(sim, travel, speed)
    force = sim.output(f"{GROUP}.force.front")
    acting = pushes(sim, dict.fromkeys(scale_names("bump"), 0.0))
    for f, c in zip(RATIOS["bump"], WHEELS, strict=True):
        assert acting[c] == pytest.approx(-force * 0.5 * slope(f, travel[c]), rel=1e-6)
    rate = -sim.output(f"{GROUP}.velocity.front")
    assert -sum(acting[c] * speed[c] for c in WHEELS) == pytest.approx(force * rate, rel=1e-6) and abs(force) > 100.0


def test_one_of_a_mono_damper_has_its_own_channels() -> None:
    sim = hung("dynamic", "axle1.element2")
    put(sim, {"L1": 0.03, "R1": 0.02})
    force = STOP_RATE * (0.9 * 0.025 - 0.01)
    assert sim.output("bus_dmp_jounce_stop_data.force.front") == pytest.approx(force, rel=1e-9)
    assert sim.output("Spring.Central_Force_At_Wheel.R1") == pytest.approx(0.45 * force, rel=1e-9)
