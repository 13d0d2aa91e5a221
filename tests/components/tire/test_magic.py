"""The functions of the Magic Formula: identities, and the rough ones against the exact ones within their bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.components.tire.magic import EXACT, ROUGH, cos_atan, cos_atan_cos_atan, side_of, sin_2_atan
from jounce.components.tire.mf6 import Mf6
from jounce.components.tire.pac2002 import Pac2002
from jounce.components.tire.pac_mc import PacMc
from mf6_reference import FULL_62, MOTORCYCLE
from tire_models import FULL

X = np.concatenate([-np.geomspace(1e-9, 1e9, 4001), [0.0], np.geomspace(1e-9, 1e9, 4001), np.linspace(-3, 3, 6001)])


def test_identities() -> None:
    assert np.allclose(cos_atan(X), np.cos(np.arctan(X)), rtol=1e-6, atol=1e-15)  # cos near π/2 is the worse one
    assert np.allclose(sin_2_atan(X), np.sin(2 * np.arctan(X)), rtol=1e-6, atol=1e-15)
    y = 1.7
    assert np.allclose(cos_atan_cos_atan(X, y * y), cos_atan(X * cos_atan(y)), rtol=1e-14)
    assert side_of(-0.3) == -1.0 and side_of(2.0) == 1.0


def test_rough_functions_within_their_bounds() -> None:
    assert np.all(np.abs(ROUGH.atan(X) - np.arctan(X)) <= 3e-4 * np.minimum(np.abs(X), math.pi / 2) + 1e-15)
    z = np.linspace(-1.25 * math.pi, 1.25 * math.pi, 20001)
    assert np.all(np.abs(ROUGH.sin(z) - np.sin(z)) <= 4e-5 * np.abs(z) + 1e-15)
    assert np.all(np.abs(ROUGH.cos(z) - np.cos(z)) <= 4e-4)
    for function in ROUGH:  # held beyond
        assert np.all(np.abs(function(np.array([-1e30, -50.0, 50.0, 1e30]))) <= math.pi / 2)
    assert ROUGH.atan(np.float64(0.0)) == 0.0
    assert ROUGH.atan(np.float64(1.0)) == pytest.approx(math.pi / 4, rel=1e-15)
    assert ROUGH.atan(np.float64(1e300)) == pytest.approx(math.pi / 2, rel=1e-15)


def test_the_rough_arc_tangent_is_smooth_at_one() -> None:
    h = 1e-6
    left, right = ((ROUGH.atan(np.float64(1 + s * h)) - ROUGH.atan(np.float64(1.0))) / (s * h) for s in (-1, 1))
    assert left == pytest.approx(right, abs=5e-6)
    assert left == pytest.approx(0.5, abs=0.01)


MODELS: dict[str, tuple[Any, dict[str, float]]] = {
    "pac2002": (Pac2002(), FULL),
    "mf6": (Mf6(), FULL_62),
    "turn slip": (Mf6(turn_slip=True), FULL_62),
    "pac_mc": (PacMc(), MOTORCYCLE),
}


@pytest.mark.parametrize("name", MODELS)
def test_an_estimate_of_forces_is_off_by_parts_in_a_thousand(name: str) -> None:
    model, values = MODELS[name]
    t = Tire(model, model.complete(values))
    rng = np.random.default_rng(2)
    for share, kappa, alpha, gamma in rng.uniform([0.3, -0.9, -0.9, -0.2], [1.9, 0.9, 0.9, 0.2], (300, 4)):
        load = share * values["FNOMIN"]
        exact = model.forces(t.values, t.at_load(load, gamma, 0.9), kappa, alpha)
        rough = model.forces(t.values, model.estimate(t.values, load, gamma, 0.9, None, None), kappa, alpha)
        for part in ("fx", "fy"):
            assert abs(getattr(rough, part) - getattr(exact, part)) < 2e-3 * load
    assert EXACT.atan is not ROUGH.atan
