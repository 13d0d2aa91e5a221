"""The charge that a cycle sustains: the search with cars of one line, the balance by hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cars import compact
from drivelines import BATTERY, MOTOR, RWD
from jounce.sim.charge import LIMIT, MOST, Balance, balance, is_hybrid, sustained

FUEL = {"displacement": 2e-3, "density": 740.0, "heating_value": 42e6, "bsfc": {"value": 250 / 3.6e9}}
BURNS = {**RWD, "engine": {**RWD["engine"], "fuel": FUEL}}
CHARGED = {**BATTERY, "voltage": 320.0, "capacity": 90000.0}


def car(change: Callable[[float], float], tried: list[float]) -> Callable[[float], Balance]:
    """A cycle that changes the charge of a battery of 30 MJ so, and burns 20 MJ of fuel and what it charges."""

    def trial(charge: float) -> Balance:
        tried.append(charge)
        grown = change(charge)
        return Balance(charge, charge + grown, -30e6 * grown, 20e6 + 60e6 * max(grown, 0.0))

    return trial


@pytest.mark.parametrize("begin", [0.05, 0.33, 0.6, 0.95])
@pytest.mark.parametrize("jump", [0.0, 0.02])
def test_the_cycle_is_repeated_until_the_battery_ends_as_it_began(begin: float, jump: float) -> None:
    """Slow depletion above, charging below 0.35, with a jump in between as rules of a control unit make them."""
    tried: list[float] = []

    def change(s: float) -> float:
        return max(-0.12, -1.1 * (s - 0.35)) if s > 0.35 else min(0.06, jump - 0.9 * (s - 0.35))

    found, count = sustained(car(change, tried), begin)
    assert abs(found.net) <= LIMIT * found.fuel and found.met
    assert count == len(tried) <= MOST and tried[0] == begin
    assert found.begin in tried, "a cycle that was driven"


def test_a_charge_that_is_good_is_not_driven_again_and_none_that_is_good_is_told() -> None:
    tried: list[float] = []
    found, count = sustained(car(lambda s: 0.003, tried), 0.5)
    assert count == 1 and found.share == pytest.approx(-30e6 * 0.003 / (20e6 + 60e6 * 0.003))
    never, count = sustained(car(lambda s: -0.1, tried), 0.5)
    assert count == MOST and not never.met
    assert sustained(lambda s: Balance(s, s - 0.01, 1e5, 0.0), 0.5)[0].share == float("inf"), "nothing burnt"


def test_the_balance_by_hand() -> None:
    """1 MJ: 0.4 to 0.36 of 25 A.h at 320 V; 1.5 l of 740 kg/m³ and 42 MJ/kg."""
    vehicle = compact().with_(drive={}, driveline={**BURNS, "main_motor": {**MOTOR, "ratio": 1.0}, "battery": CHARGED})
    found = balance(vehicle, 0.4, 0.36, 1.5e-3)
    assert found.net == pytest.approx(0.04 * 90000 * 320.0) and found.fuel == pytest.approx(1.5e-3 * 740 * 42e6)
    assert found.share == pytest.approx(1.152e6 / 46.62e6) and not found.met
    assert is_hybrid(vehicle)
    assert not is_hybrid(compact()) and not is_hybrid(compact().with_(drive={}, driveline=BURNS))
