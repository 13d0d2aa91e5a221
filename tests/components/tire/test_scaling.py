"""Scaling factors: each acts on its term alone, by as much as in the second evaluation, per wheel and while running."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jounce.components.tire.base import Tire
from jounce.components.tire.magic import SCALING
from jounce.components.tire.mf6 import Mf6
from jounce.components.tire.pac2002 import Pac2002
from jounce.components.tire.pac_mc import PacMc
from jounce.components.tire.transient import evaluate, inputs, outputs
from jounce.components.tire.wheel import declare, numbers_of
from jounce.core.errors import ModelError, ParameterError
from jounce.runtime.simulation import Simulation
from jounce.symbolic import System
from mf6_reference import FULL_62, MOTORCYCLE, mf6, pac_mc
from models import assert_close, compiled
from tire_models import ALL_TERMS, COMPLETE, reference

NAMES = ("fx", "fy", "mx", "my", "mz")
FX, FY, ALL = {"fx", "my"}, {"fy", "mx", "mz"}, {*NAMES, "Kx", "Ky", "sigma_kappa", "sigma_alpha"}
# What a factor of a motorcycle tire may change, without combined slip, at a point with slip and camber. Fx and Fy enter
# My and Mx; the trail carries the force without camber.
PURE = {
    "LFZO": ALL, "LCX": FX, "LMUX": FX, "LEX": FX, "LKX": FX | {"Kx"}, "LVX": FX, "LGAX": FX, "LCY": FY, "LMUY": FY,
    "LEY": FY, "LKY": FY | {"Ky"}, "LHY": FY, "LGAY": {"fy", "mx", "Ky"}, "LCC": {"fy", "mx"}, "LKC": {"fy", "mx"},
    "LEC": {"fy", "mx"}, "LTR": {"mz"}, "LRES": {"mz"}, "LGAZ": {"mz"}, "LSGKP": {"sigma_kappa"},
    "LSGAL": {"sigma_alpha"}, "LMX": {"mx"}, "LVMX": {"mx"}, "LMY": {"my"}, "LGYR": {"gyroscopic"},
    "LXAL": set(), "LYKA": set(), "LVYKA": set(), "LS": set(),
}  # fmt: skip
# And with it, for those that act there only. Fx has an arm, which depends on Fy.
COMBINED = {"LXAL": FX | {"mz"}, "LYKA": FY, "LVYKA": FY, "LS": {"mz"}}
# Terms in proportion to their factor.
PROPORTIONAL = {"LKX": "Kx", "LKY": "Ky", "LSGKP": "sigma_kappa", "LSGAL": "sigma_alpha", "LMX": "mx", "LMY": "my"}


def made(model: Any, values: dict[str, float]) -> Tire:
    return Tire(model, model.complete(values), side="left", name="example")


def terms(t: Tire) -> dict[str, float]:
    load, kappa, alpha, gamma = 1700.0, 0.05, 0.06, 0.2
    at = t.at_load(load, gamma)
    forces = t.model.forces(t.values, at, kappa, alpha)
    turning = t.model.forces(t.values, at, kappa, alpha, None, None, 1.0)
    found = {**forces._asdict(), "Kx": at.slope_x, "Ky": at.slope_y}
    found |= {"sigma_kappa": at.sigma_kappa, "sigma_alpha": at.sigma_alpha, "gyroscopic": turning.mz - forces.mz}
    return {name: float(value) for name, value in found.items()}


def changed(mode: int, factor: str, by: float = 1.1) -> set[str]:
    model = PacMc(mode=mode)
    before, after = (terms(made(model, {**MOTORCYCLE, factor: MOTORCYCLE[factor] * f})) for f in (1.0, by))
    # the slope of the residual torque is that of the belt's: LKY, LMUY act on the gyroscopic torque through it
    parts = {n for n in before if abs(after[n] - before[n]) > 1e-9 * (1 + abs(before[n]))}
    return parts if factor == "LGYR" else parts - {"gyroscopic"}


def test_the_table_has_all_29_factors() -> None:
    assert len(PURE) == 29
    assert set(PURE) == {c.name for c in PacMc().coefficients if c.block == SCALING} == set(PacMc().scalable())


@pytest.mark.parametrize("factor", PURE)
def test_each_factor_changes_only_its_terms(factor: str) -> None:
    assert changed(13, factor) == PURE[factor]
    if factor in COMBINED:
        assert changed(14, factor) == COMBINED[factor]


@pytest.mark.parametrize("factor", PROPORTIONAL)
def test_terms_in_proportion_to_their_factor(factor: str) -> None:
    model, part = PacMc(mode=13), PROPORTIONAL[factor]
    before, after = (terms(made(model, {**MOTORCYCLE, factor: f}))[part] for f in (1.0, 1.3))
    assert after == pytest.approx(1.3 * before, rel=1e-12)


def test_the_peak_is_in_proportion_to_the_friction_factors() -> None:
    """LMUX, LMUY: the peak scales, the slope at the origin does not (Dx and Bx change together)."""
    values = {**MOTORCYCLE, **dict.fromkeys(PacMc().sided, 0.0), "LVX": 0.0}
    kappa, alpha = np.linspace(0, 1, 20001), np.linspace(0, 1.2, 20001)
    for factor, grid in (("LMUX", kappa), ("LMUY", alpha)):
        peaks, slopes = [], []
        for f in (1.0, 0.7):
            t = made(PacMc(mode=3), {**values, factor: f})
            found = t.steady(1700.0, grid, 0.0).fx if factor == "LMUX" else t.steady(1700.0, 0.0, grid).fy
            peaks.append(np.abs(found).max())
            slopes.append((found[1] - found[0]) / grid[1])
        assert peaks[1] == pytest.approx(0.7 * peaks[0], rel=1e-6)
        assert slopes[1] == pytest.approx(slopes[0], rel=1e-3)


# --- the amount ------------------------------------------------------------------------------------------------------


def known(kind: str, values: dict[str, float], point: tuple[float, ...]) -> dict[str, float]:
    return {"pac2002": reference, "pac_mc": pac_mc, "mf6": mf6}[kind](values, *point)


MODELS: dict[str, tuple[Any, dict[str, float]]] = {
    "pac2002": (Pac2002(**ALL_TERMS), COMPLETE),
    "pac_mc": (PacMc(), MOTORCYCLE),
    "mf6": (Mf6(), FULL_62),
}
CASES = [(kind, factor) for kind, (model, _) in MODELS.items() for factor in model.scalable()]


@pytest.mark.parametrize(("kind", "factor"), CASES)
def test_each_factor_acts_as_in_the_second_evaluation(kind: str, factor: str) -> None:
    model, values = MODELS[kind]
    values = {**values, factor: 1.17 * values[factor]}
    t = made(model, values)
    for point in ((0.4, 0.04, -0.05, 0.03), (1.3, -0.12, 0.1, -0.1), (0.9, 0.3, 0.02, 0.2)):
        load = point[0] * values["FNOMIN"]
        expected = known(kind, values, (load, *point[1:]))
        found = [float(v) for v in t.steady(load, *point[1:])]
        assert_close(found, [expected[n] for n in NAMES], [1e-9 * (1 + load)] * 5, NAMES)
        at = t.at_load(load, point[3])
        assert at.sigma_alpha == pytest.approx(expected["sigma_alpha"], rel=1e-9)
        assert at.sigma_kappa == pytest.approx(expected["sigma_kappa"], rel=1e-9)


# --- per wheel, while running ----------------------------------------------------------------------------------------

POINT = {"rho": 0.018, "rho_rate": 0.01, "gamma": 0.03, "vx": 2.0, "vy": 0.1, "spin": 6.6, "friction": 0.9, "side": 1.0}
POINT |= {
    "u": 0.004,
    "v": -0.02,
    "t_dt": 5e-4,
    "yaw_rate": 0.2,
    "rolled": 0.8,
    "twist": -0.1,
}  # slow enough that the slips of the peaks count


def pair(t: Tire, factors: bool = False) -> Simulation:
    """Two tires of one file at the same point, compiled; with ``factors`` the first has inputs on all of them."""
    system = System("pair_of_tires")
    block = declare(system, t)
    system.derivative(system.state("dummy"), 0.0)
    x = [POINT[name] for name in inputs(t.model)]
    names = tuple(t.model.scalable()) if factors else ()
    for place in "ab":
        scope = system.scope(place)
        groups = {"x": x, **numbers_of(scope, block)}
        own = names if place == "a" else ()
        if own:
            groups["s"] = [scope.input(name, default=1.0) for name in own]
        for name, value in zip(outputs(t.model), system.call(t.model.leaf(own), groups), strict=True):
            scope.output(name, value)
    return compiled(system)


def halves(sim: Simulation) -> tuple[np.ndarray, np.ndarray]:
    found = np.array(sim.outputs())
    return found[: len(found) // 2], found[len(found) // 2 :]


def by_hand(model: Any, values: dict[str, float]) -> np.ndarray:
    t = made(model, values)
    return np.array([float(v) for v in evaluate(t.model, t.values, POINT)])


@pytest.fixture(scope="module", params=list(MODELS))
def wheels(request: pytest.FixtureRequest) -> tuple[str, Simulation]:
    model, values = MODELS[request.param]
    return request.param, pair(made(model, values))


def test_a_wheel_has_its_own_factors_without_compiling(wheels: tuple[str, Simulation]) -> None:
    kind, sim = wheels
    model, values = MODELS[kind]
    plain, other = halves(sim)
    assert np.array_equal(plain, other)
    assert_close(plain, by_hand(model, values), 1e-12 * (np.abs(plain) + 1), outputs(model))
    for factor in model.scalable():
        sim.set_parameters({f"a.scale.{factor}": 1.2})
        found, beside = halves(sim)
        assert np.array_equal(beside, other), f"{factor}: the other wheel"
        expected = by_hand(model, {**values, factor: 1.2 * values[factor]})
        assert_close(found, expected, 1e-12 * (np.abs(expected) + 1), outputs(model))
        if factor != "LMP":  # for turn slip only
            assert not np.array_equal(found, plain), factor
        sim.set_parameters({f"a.scale.{factor}": 1.0})
    # a number of the file is that of all its wheels, times the factor of each
    sim.set_parameters({"tire.LMUY": 0.8, "a.scale.LMUY": 0.5})
    a, b = halves(sim)
    for found, scale in ((a, 0.4), (b, 0.8)):
        expected = by_hand(model, {**values, "LMUY": scale})
        assert_close(found, expected, 1e-12 * (np.abs(expected) + 1), outputs(model))
    sim.set_parameters({"tire.LMUY": values["LMUY"], "a.scale.LMUY": 1.0})


def test_every_factor_may_be_an_input() -> None:
    """What is derived before a run from LFZO, LCX, LEX, LCY, LEY is derived again in every evaluation."""
    model, values = MODELS["pac2002"]
    sim = pair(made(model, values), factors=True)
    plain, other = halves(sim)
    assert_close(plain, other, 1e-12 * (np.abs(plain) + 1), outputs(model))
    for factor in model.scalable():
        sim.set_inputs({f"a.{factor}": 0.9})
        found, beside = halves(sim)
        assert np.array_equal(beside, other)
        expected = by_hand(model, {**values, factor: 0.9 * values[factor]})
        assert_close(found, expected, 1e-11 * (np.abs(expected) + 1), outputs(model))
        sim.set_inputs({f"a.{factor}": 1.0})


def test_only_scaling_factors_have_factors() -> None:
    with pytest.raises(ModelError, match="no run-time factor on 'PKY1'; did you mean"):
        Pac2002().leaf(("PKY1",))


def test_a_car_has_factors_on_every_wheel() -> None:
    from jounce.sim import car
    from jounce.vehicle.reading import load

    found = car.simulation(load("sedan")).parameters
    for place in ("L1", "R1", "L2", "R2"):
        assert {f"{place}.tire.scale.{factor}" for factor in Pac2002().scalable()} <= set(found)
        assert found[f"{place}.tire.scale.LKY"] == 1.0


def test_a_factor_that_means_nothing_is_refused(wheels: tuple[str, Simulation]) -> None:
    kind, sim = wheels
    factors = MODELS[kind][0].scalable()
    refused = {"LMUX": (-1.0, 0.0), "LMUY": (-0.1,), "LFZO": (0.0,), "LKY": (-1.0,), "LSGAL": (-0.5,)}
    for factor, values in refused.items():
        for value in values if factor in factors else ():
            with pytest.raises(ParameterError, match=rf"a\.scale\.{factor}"):
                sim.set_parameters({f"a.scale.{factor}": value})
    for factor, value in {"LKY": 0.0, "LHY": -1.0, "LMUX": 0.01}.items():  # off, turned round, on ice
        if factor in factors:
            sim.set_parameters({f"a.scale.{factor}": value})
            sim.set_parameters({f"a.scale.{factor}": 1.0})
