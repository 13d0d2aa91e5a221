"""What a vehicle costs with its axles and units: operations of an evaluation, counted."""

from __future__ import annotations

import math
from functools import lru_cache

import pytest

from jounce.bench.trains import GROWTH, HITCH, train
from jounce.sim import car


@lru_cache
def operations(axles: tuple[int, ...], kind: str = "joint") -> int:
    described = car.describe(train(list(axles), kind))
    return car.Structure(described).system().generate().operations["rhs"]


@pytest.mark.slow
def test_every_further_axle_costs_the_same() -> None:
    two, four, twelve = (operations((n,)) for n in (2, 4, 12))
    each = (four - two) / 2
    assert (twelve - four) / 8 == pytest.approx(each, rel=0.01)
    assert math.log(twelve / two) / math.log(6) < GROWTH


@pytest.mark.slow
def test_every_further_unit_costs_the_same() -> None:
    """The joints make a tree: what is towed is eliminated unit by unit."""
    one, two, four = (operations((2, *[1] * n)) for n in (1, 2, 4))
    assert (four - two) / 2 == pytest.approx(two - one, rel=0.02)


@pytest.mark.slow
def test_a_constraint_costs_hardly_more_than_springs() -> None:
    spring, constraint = operations((2, 1), "spring"), operations((2, 1), "constraint")
    assert spring < constraint < (1 + HITCH) * spring
