"""Connected air springs: equal loads of a tridem on any ground, where springs of its axles are not equal."""

from __future__ import annotations

import pytest

from group_rig import borne, settled


@pytest.mark.slow
def test_three_axles_bear_alike_on_any_ground() -> None:
    for heights in ({}, {"L2": 0.04, "R2": 0.04, "L4": 0.01, "R4": 0.01}):
        sim = settled("air", 3, **heights)
        loads = [borne(sim, axle) for axle in (2, 3, 4)]
        assert loads == pytest.approx([sum(loads) / 3] * 3, rel=1e-6), heights
        assert sum(loads) > 1e4
