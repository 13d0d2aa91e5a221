"""Margins of loops in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.sim.linear import LinearModel
from jounce.sim.margins import margins


def third_order(k: float, *poles: float) -> LinearModel:
    """L(s) = k / ((s + p1) (s + p2) (s + p3)): three lags in a ring, the last one cut."""
    p1, p2, p3 = poles
    a = np.array([[-p1, 0.0, 1.0], [1.0, -p2, 0.0], [0.0, -k, -p3]])
    empty = np.zeros((3, 0))
    return LinearModel(a, empty, empty.T, np.zeros((0, 0)), ("x", "y", "m"), (), ())


def test_margins_of_three_lags_are_those_of_the_text_book() -> None:
    model = third_order(4000.0, 11.0, 17.0, 23.0)
    found = margins(model, "m", frequencies=(0.1, 1e3), count=40000)
    # arg = -π where the sum of atan(w/p) is π: w² = p1 p2 + p2 p3 + p3 p1
    limit = (11.0 + 17.0) * (17.0 + 23.0) * (23.0 + 11.0)
    assert found.gain == pytest.approx(limit / 4000.0, rel=1e-3)
    w = found.crossover
    assert math.prod(math.hypot(w, p) for p in (11.0, 17.0, 23.0)) == pytest.approx(4000.0, rel=1e-3) or math.isnan(w)
    steep = margins(third_order(20000.0, 11.0, 17.0, 23.0), "m", frequencies=(0.1, 1e3), count=40000)
    w = steep.crossover
    assert math.prod(math.hypot(w, p) for p in (11.0, 17.0, 23.0)) == pytest.approx(20000.0, rel=2e-3)
    assert steep.phase == pytest.approx(math.pi - sum(math.atan(w / p) for p in (11.0, 17.0, 23.0)), abs=2e-3)
    assert (third_order(1.01 * limit, 11.0, 17.0, 23.0).eigenvalues().real > 0).any()
    with pytest.raises(ParameterError, match="is unknown"):
        margins(model, "n")
