"""Data of the steering: what does not fit together; numbers without equations."""

from __future__ import annotations

from typing import Any

import pytest

import jounce.vehicle as jv
from four_wheels import check_numbers
from jounce.core.errors import ParameterError
from steered_cars import COMPACT, DATA, synthetic, system_of


@pytest.mark.parametrize("which", ["compact", "tie_rods", "motion"])
def test_numbers_are_the_same_without_equations(which: str) -> None:
    car = {
        "compact": jv.load(DATA).with_(**COMPACT),
        "tie_rods": synthetic(**{"steering.feedback.method": "tie_rods"}),
        "motion": synthetic(**{"steering.kingpin_axis": "motion", "steering.feedback.inertia_terms": True}),
    }[which]
    check_numbers(system_of(car), car)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steering.feedback.method": "tie_rods"}, "tie_rod: missing"),
        ({"steering.feedback.method": "maps"}, "maps needs torque or rack_force"),
        ({"steering.feedback.method": "kingpin", "steering.kingpin": None}, "needs a given kingpin"),
        ({"steering.feedback.rack_force": -5.0, "steering.rack_travel": None}, "rack_travel.*needed for feedback"),
        ({"steering.release.inertia": 0.02, "steering.feedback.inertia_terms": True}, "without inertia_terms"),
        (
            {
                "steering.feedback.tie_rod": {
                    "outer": [-0.1, -0.1, 0], "inner": [-0.1, -0.4, 0], "right": {"outer": [-0.1, 0.12, 0]},
                }
            },
            "on the same side of its wheel",
        ),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        jv.load(DATA).with_(**changes)
