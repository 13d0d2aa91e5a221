"""What a vehicle costs over its axles and units: operations of a model are counted, time is not."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest

from axle_lists import vehicle_of
from jounce.sim import car
from jounce.symbolic.generate import generate
from trains import lead, towed


def operations(raw: dict[str, Any]) -> int:
    """Of the rates of all states, once generated and before anything is compiled."""
    return generate(car.Structure(car.describe(vehicle_of(raw))).system()).operations["rhs"]


def train(units: int) -> dict[str, Any]:
    raw = lead(2)
    raw["trailers"] = [towed(1, back=-2.9 - 0.97 * 2 if i == 0 else -4.9 - 1.07) for i in range(units - 1)]
    return raw


@pytest.mark.slow
def test_operations_grow_by_the_same_for_every_axle() -> None:
    """A line: no axle costs more for those that are there already. Rounding of shared operations: 1 %."""
    counts = {n: operations(lead(n)) for n in (2, 4, 8, 12)}
    per_axle = [(counts[b] - counts[a]) / (b - a) for a, b in ((2, 4), (4, 8), (8, 12))]
    assert per_axle[1:] == pytest.approx([per_axle[0]] * 2, rel=0.01)
    assert 0 < per_axle[0] < 0.5 * counts[2]
    assert math.log(counts[12] / counts[4]) / math.log(3) <= 1.05


@pytest.mark.slow
def test_operations_grow_by_the_same_for_every_unit() -> None:
    counts = [operations(train(n)) for n in (2, 3, 4, 5)]
    more = [b - a for a, b in pairwise(counts)]
    assert more == pytest.approx([more[0]] * 3, rel=0.01) and more[0] > 0
