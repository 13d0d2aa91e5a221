"""Anti-roll forces by two tables."""

from __future__ import annotations

import pytest

from element_rig import PLACES, WHEELS, alone, dual_left, dual_right, pushes, put, scale_names, slope

OFF = dict.fromkeys(scale_names("dual"), 0.0)


def damping(travel: dict[str, float], speed: dict[str, float]) -> float:
    j, o = travel["L1"], travel["R1"]
    s = slope(lambda x: dual_left(x, o), j) - slope(lambda x: dual_left(j, x), o)
    s += slope(lambda x: dual_right(x, j), o) - slope(lambda x: dual_right(o, x), j)
    return 0.013 * max(0.25 * s, 0.0) * (speed["L1"] - speed["R1"])


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_each_side_has_its_own_force_and_the_body_gets_what_is_left(
    travel: dict[str, float], speed: dict[str, float]
) -> None:
    sim = alone("dual")
    put(sim, travel, speed)
    extra = damping(travel, speed)
    expected = {
        "L1": dual_left(travel["L1"], travel["R1"]) + extra, "R1": dual_right(travel["R1"], travel["L1"]) - extra
    }  # fmt: skip
    acting = pushes(sim, OFF)
    for c in WHEELS:
        assert acting[c] == pytest.approx(-expected[c], rel=1e-6)
    assert sim.output("Suspension.Auxiliary_Roll_Force.SUSP1") == pytest.approx(expected["L1"], rel=1e-7)
    assert sim.output("Suspension.Auxiliary_Roll_Force_Right.SUSP1") == pytest.approx(expected["R1"], rel=1e-7)
    assert abs(expected["L1"] + expected["R1"]) > 5.0, "unequal: the body gets a net force"


@pytest.mark.parametrize(("travel", "speed"), PLACES)
def test_its_damping_dissipates(travel: dict[str, float], speed: dict[str, float]) -> None:
    """The power of the forces less that of the same travels at rest: −β s ΔJ̇²."""
    sim = alone("dual")
    put(sim, travel, speed)
    moving = pushes(sim, OFF)
    put(sim, travel)
    resting = pushes(sim, OFF)
    power = sum((moving[c] - resting[c]) * speed[c] for c in WHEELS)
    assert power == pytest.approx(-damping(travel, speed) * (speed["L1"] - speed["R1"]), rel=1e-6) and power < 0
