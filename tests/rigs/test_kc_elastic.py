"""Springs and anti-roll forces from vertical forces."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.rigs.kc import elastic as e
from jounce.rigs.kc.cases import Settings, Sweep
from synthetic_kc import as_sweep, triangle

TRI = triangle(480)
RANGE = (-0.08, 0.07)
BAR = 18e3  # N/m of difference of travel


def spring(j: np.ndarray) -> np.ndarray:
    """With a bump stop from 50 mm on."""
    return np.asarray(3500.0 + 28e3 * j + 2.5e6 * np.maximum(j - 0.05, 0.0) ** 2)


def bar(own: np.ndarray, other: np.ndarray, side: str = "L") -> np.ndarray:
    return np.asarray(BAR * (own - other))


def uneven(own: np.ndarray, other: np.ndarray, side: str = "L") -> np.ndarray:
    """Of two arms that differ: no function of the difference."""
    a = 1.0 if side == "L" else 1.2
    return np.asarray(a * BAR * (own - other) * (1 + 2.0 * own) * (1 - 1.0 * other))


def sweep(left: np.ndarray, right: np.ndarray, kind: str, law: object = bar, sign: float = 1.0, **case: str) -> Sweep:
    ones = np.ones(len(TRI))
    travel = {"L": left * ones, "R": right * ones}
    channels = {f"travel.{s}": travel[s] for s in "LR"}
    for s, o in (("L", "R"), ("R", "L")):
        channels[f"fz.{s}"] = sign * (spring(travel[s]) + law(travel[s], travel[o], s))  # type: ignore[operator]
    return as_sweep(channels, kind, "roll", kind.split()[0], **case)


PARALLEL = sweep(0.09 * TRI, 0.09 * TRI, "parallel travel")


def test_a_single_table_has_the_rate_of_the_bar() -> None:
    data = [PARALLEL, sweep(0.08 * TRI, -0.08 * TRI, "opposite travel")]
    found = e.anti_roll(data, Settings(anti_roll="single"), RANGE)
    assert found.single is not None and found.single.z is None
    # a table of 21 points through smooth curves of bins: a thousandth of the largest force
    at = np.linspace(-0.14, 0.14, 15)
    np.testing.assert_allclose(found.single(at), BAR * at, atol=1e-3 * BAR * 0.16)
    assert found.rate == pytest.approx(BAR, rel=0.005)


def test_several_means_of_travel_are_columns() -> None:
    law = lambda own, other, side: bar(own, other) * (1 + 3.0 * 0.5 * (own + other))  # noqa: E731
    data = [sweep(0.09 * TRI, 0.09 * TRI, "parallel travel", law)]
    data += [sweep(m + 0.06 * TRI, m - 0.06 * TRI, "opposite travel", law) for m in (0.025, -0.02, 0.0)]
    found = e.anti_roll(data, Settings(anti_roll="single"), RANGE).single
    assert found is not None
    np.testing.assert_allclose(found.z, [-0.02, 0.0, 0.025], atol=1e-12)
    value = found(np.array([0.1]), np.array([0.02]))[0]
    assert value == pytest.approx(BAR * 0.1 * 1.06, rel=0.005)


def test_a_dual_table_of_two_variables() -> None:
    data = [sweep(0.09 * TRI, 0.09 * TRI, "parallel travel", uneven)]
    held = (-0.08, -0.04, 0.0, 0.03, 0.07)
    data += [sweep(0.09 * TRI, np.full(480, h), "single travel", uneven, side="L") for h in held]
    data += [sweep(np.full(480, h), 0.09 * TRI, "single travel", uneven, side="R") for h in held]
    found = e.anti_roll(data, Settings(anti_roll="dual"), RANGE)
    own, other = (
        x.ravel() for x in np.meshgrid(np.linspace(-0.07, 0.06, 7), np.linspace(-0.07, 0.06, 6), indexing="ij")
    )
    for side in "LR":
        expected = uneven(own, other, side)
        np.testing.assert_allclose(found.dual[side](own, other), expected, atol=5e-3 * np.ptp(expected))  # type: ignore[index]
    with pytest.raises(ParameterError, match="1 single travels of the left wheel; at least 2"):
        e.anti_roll(data[:2], Settings(anti_roll="dual"), RANGE)


def test_roll_needs_a_parallel_travel_that_includes_it() -> None:
    far = sweep(0.1 * TRI, -0.1 * TRI, "opposite travel")
    with pytest.raises(
        ParameterError, match="opposite travel to 100 mm, parallel travel only to 90 mm; the parallel one m"
    ):
        e.anti_roll([PARALLEL, far], Settings(anti_roll="single"), RANGE)
    with pytest.raises(ParameterError, match="needs a sweep of parallel travel in roll"):
        e.anti_roll([far], Settings(anti_roll="single"), RANGE)


WEIGHTS = {"L": 38.0 * GRAVITY, "R": 41.0 * GRAVITY}


def test_a_spring_at_the_wheel_with_its_stop() -> None:
    found = e.spring([PARALLEL], Settings(wheels_mounted=False), RANGE, WEIGHTS)  # type: ignore[arg-type]
    at = np.linspace(-0.07, 0.065, 19)
    np.testing.assert_allclose(found.maps["L"](at), spring(at), atol=2e-3 * np.ptp(spring(at)))
    h = np.array([-0.01, 0.01])
    assert np.diff(found.maps["R"](h))[0] / 0.02 == pytest.approx(28e3, rel=0.005)  # wheel rate
    assert found.preload["L"] == pytest.approx(3500.0, rel=1e-3)


def test_the_weight_of_mounted_wheels_is_taken_off() -> None:
    bare = e.spring([PARALLEL], Settings(wheels_mounted=False), RANGE, WEIGHTS)  # type: ignore[arg-type]
    mounted = e.spring([PARALLEL], Settings(), RANGE, WEIGHTS)  # type: ignore[arg-type]
    for side in "LR":
        difference = bare.maps[side].y - mounted.maps[side].y  # type: ignore[index]
        np.testing.assert_allclose(difference, WEIGHTS[side], rtol=1e-12)


def test_the_preload_is_measured_or_follows_from_masses() -> None:
    static = {"L": 4100.0, "R": 4250.0}
    measured = e.spring([PARALLEL], Settings(), RANGE, WEIGHTS)  # type: ignore[arg-type]
    masses = e.spring([PARALLEL], Settings(preload="masses"), RANGE, WEIGHTS, static)  # type: ignore[arg-type]
    kept = e.spring([PARALLEL], Settings(preload="curve"), RANGE, WEIGHTS)  # type: ignore[arg-type]
    for side in "LR":
        assert masses.preload[side] + WEIGHTS[side] == static[side]  # type: ignore[index]
        zero = float(masses.maps[side](np.zeros(1))[0])  # type: ignore[index]
        assert zero + WEIGHTS[side] == pytest.approx(static[side], abs=1e-6)
        np.testing.assert_allclose(np.diff(masses.maps[side].y), np.diff(measured.maps[side].y), atol=1e-6)  # type: ignore[index]
    assert kept.kept and not measured.kept
    with pytest.raises(ParameterError, match="preload = 'masses': needs a vehicle with two axles"):
        e.spring([PARALLEL], Settings(preload="masses"), RANGE, WEIGHTS)  # type: ignore[arg-type]


def test_a_force_that_falls_with_travel_has_the_wrong_sign() -> None:
    wrong = sweep(0.09 * TRI, 0.09 * TRI, "parallel travel", sign=-1.0)
    with pytest.raises(
        ParameterError, match=r"parallel.csv: 'fz.L' falls from .* where 'travel.L' rises; .*\{fz: down\}"
    ):
        e.spring([wrong], Settings(), RANGE, WEIGHTS)  # type: ignore[arg-type]


def test_corner_loads_balance_the_weight() -> None:
    import jounce as jn

    for name in ("sedan", "compact"):
        car = jn.load(name)
        loads = e.corner_loads(car)
        assert loads is not None
        assert sum(loads.values()) == pytest.approx(car.mass() * GRAVITY, rel=1e-12)
        # moments of all loads and all masses about the front axle
        moment = sum(load * car.layout.wheels[wheel].centre[0] for wheel, load in loads.items())
        body = car.layout.units[0].data.body
        masses = [(m, cg) for m, cg, _ in body.sprung()]
        masses += [(car.wheels(w.axle.number, w.side).unsprung_mass, w.centre) for w in car.layout.wheels.values()]
        assert moment == pytest.approx(GRAVITY * sum(m * cg[0] for m, cg in masses), rel=1e-12)
        assert loads["L1"] == pytest.approx(loads["R1"], rel=1e-9)
