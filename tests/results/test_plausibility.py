"""Ranges of a class: of what a run's figures are told to be, and when not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jounce.results.plausibility import ranges_of
from jounce.results.run import Run

FUEL, BATTERY = "fuel_consumption.overall", "Battery.State_Of_Charge"


def drive(category: str, *channels: str, end: float = 1800.0, cycle: str = "wltc_3b") -> Run:
    time = np.linspace(0.0, end, 11)
    told: dict[str, Any] = {
        "vehicle": {"name": "car", "class": category},
        "event": {"kind": "cycle", "parameters": {}},
        "cycle": {"name": cycle, "time": [0.0, 1800.0], "speed": [0.0, 0.0]},
    }
    return Run(time, dict.fromkeys(channels, 0.1 * time), dict.fromkeys(channels, "-"), told)


@pytest.mark.parametrize(
    ("run", "unit"),
    [
        (drive("sedan", FUEL), "l/100km"),
        (drive("bev", BATTERY), "kWh/100km"),
        (drive("sedan", FUEL, cycle="us06"), None),
        (drive("sedan", FUEL, end=1700.0), None),
        (drive("sedan", FUEL, BATTERY), None),
        (drive("bev", FUEL), None),
        (drive("sedan", FUEL).with_metadata(cycle=None), None),
    ],
    ids=["fuel", "current", "another cycle", "part of it", "hybrid", "another unit", "no cycle"],
)
def test_a_consumption_has_a_range_on_a_whole_mixed_cycle_only(run: Run, unit: str | None) -> None:
    found = ranges_of(run).get("consumption")
    assert (None if found is None else found.unit) == unit
