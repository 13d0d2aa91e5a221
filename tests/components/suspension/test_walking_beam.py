"""A walking beam: its axles bear by its levers whatever the ground under each."""

from __future__ import annotations

import pytest

from axle_lists import vehicle_of
from group_rig import borne, raw, settled


@pytest.mark.slow
def test_two_axles_bear_by_the_lever_on_any_ground() -> None:
    for heights in ({}, {"L2": 0.04, "R2": 0.04}, {"L3": 0.03, "R3": 0.03}):
        sim = settled("walking_beam", 2, **heights)
        first, second = borne(sim, 2), borne(sim, 3)
        assert first / (first + second) == pytest.approx(0.43, abs=1e-6), heights
        told = sim.output("Axle_Group.left.SUSP2") + sim.output("Axle_Group.right.SUSP2")
        assert first + second == pytest.approx(told, rel=1e-3)  # the springs are along the body, which pitches by 0.02
    travel = [sim.state(f"L{i}.jounce") for i in (2, 3)]
    assert travel[1] - travel[0] > 0.025, "the beam walks"


def test_a_beam_without_a_group_and_a_group_of_three_are_refused() -> None:
    data = raw()
    data["axles"][2]["group"] = False
    with pytest.raises(ValueError, match="there is no group to share a load"):
        vehicle_of(data)
    with pytest.raises(ValueError, match="a walking beam has two axles, the group has 3"):
        vehicle_of(raw(axles=3))
    data = raw()
    data["axles"][0]["group"] = True
    with pytest.raises(ValueError, match="none before it"):
        vehicle_of(data)
