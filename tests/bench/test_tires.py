"""Tires: a step of four within its budget, and what the larger models cost against the usual one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from jounce.bench.tires import FOUR_TIRES, evaluation_time, four_tires, step_time, tires


def reaches(measure: Callable[[], float], limit: float, tries: int = 40) -> float:
    """The smallest of many measurements; it stops as soon as one is good, since a busy machine only adds."""
    best = math.inf
    for _ in range(tries):
        best = min(best, measure())
        if best <= limit:
            break
    return best


def test_four_tires_take_less_than_20_microseconds() -> None:
    """Combined slip with relaxation; an idle core takes 1.5 µs."""
    simulation = four_tires(tires()["PAC2002"][0])
    assert reaches(lambda: step_time(simulation, 3, 500), FOUR_TIRES * 1e-6) < FOUR_TIRES * 1e-6


def test_what_larger_models_cost() -> None:
    """In turns with PAC2002: 1.9 times, although forces are computed twice and MF 6.2 alone takes 1.3 times."""
    found = tires()
    usual, newer = four_tires(found["PAC2002"][0], "usual"), four_tires(found["MF 6.2, load by forces"][0], "newer")

    def ratio() -> float:
        return evaluation_time(newer, 5, 500) / evaluation_time(usual, 5, 500)

    assert reaches(ratio, 2.3) <= 2.3


def test_the_part_of_a_structure_that_is_left_out_is_zero() -> None:
    """MF 6.2 without QSX4: the structure without the mixed part of Mx gives the same forces."""
    tire: Any = tires()["MF 6.2"][0]
    assert not tire.model.mixed_overturning
    whole = replace(tire, model=replace(tire.model, mixed_overturning=True))
    for point in ((3000.0, 0.02, 0.05, 0.03), (6000.0, -0.1, -0.02, -0.1)):
        assert np.array_equal(np.array(tire.steady(*point)), np.array(whole.steady(*point)))
