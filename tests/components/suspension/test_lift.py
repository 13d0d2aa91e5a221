"""A lift axle: up it bears nothing, and the others bear its share; down it carries as without a lift."""

from __future__ import annotations

import pytest

from axle_lists import vehicle_of
from jounce.sim import car, statics
from trains import lead


def loads(active: float | None) -> list[float]:
    raw = lead(3)
    if active is not None:
        raw["axles"][2]["lift"] = {"height": 0.12, "active": active}
    description = car.describe(vehicle_of(raw))
    sim = car.simulation(description)
    statics.settle(sim, description)
    return [sum(sim.output(f"Tire.Ground_Surface_Force_Z.{side}{axle}") for side in "LR") for axle in (1, 2, 3)]


@pytest.mark.slow
def test_up_it_bears_nothing_and_down_it_carries() -> None:
    without, down, up = loads(None), loads(0.0), loads(1.0)
    assert down == pytest.approx(without, rel=1e-9)
    assert up[2] == pytest.approx(0.0, abs=1e-9) and down[2] > 2000
    assert sum(up) == pytest.approx(sum(down), rel=1e-6)
