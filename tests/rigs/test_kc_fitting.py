"""Curves from the points of sweeps: hysteresis, drift, noise, ringing, and sweeps that are none."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.rigs.kc.cases import Settings
from jounce.rigs.kc.fitting import Points, covered, direction, fit_curve, grid, points_of
from synthetic_kc import as_sweep, triangle


def truth(x: np.ndarray) -> np.ndarray:
    """A curve with all powers up to 5; range about 0.05 over ±0.1."""
    return np.asarray(0.3 + 0.2 * x - 1.5 * x**2 + 8.0 * x**3 + 20 * x**4 - 300.0 * x**5)


def sweep_points(x: np.ndarray, y: np.ndarray) -> Points:
    return Points(x, y, np.arange(float(len(x))), direction(x), "a.csv", ("travel.L", "toe.L"))


def test_the_middle_of_a_hysteresis_loop_is_recovered_below_a_hundredth() -> None:
    # a virgin branch, then one and a quarter cycles: ups and downs of unequal length, as rigs leave them
    x = 0.1 * np.concatenate([triangle(401, 1), triangle(101, 1)[: 101 // 4]])
    half = 0.004 * (1.0 + 0.4 * (x / 0.1) ** 2)
    fit = fit_curve([sweep_points(x, truth(x) + direction(x) * half)], Settings())
    at = np.linspace(-0.1, 0.1, 41)
    size = np.ptp(truth(at))
    assert np.max(np.abs(fit(at) - truth(at))) < 0.01 * size
    assert fit.loop == pytest.approx(2 * 0.004 * 1.4, rel=0.05)
    # least squares without the loop is off by more than that: the branches are not equally long
    plain = np.polynomial.Polynomial.fit(x, truth(x) + direction(x) * half, 6)
    assert np.max(np.abs(plain(at) - truth(at))) > 0.01 * size


def test_noise_leaves_what_its_statistics_say() -> None:
    x, sigma = 0.1 * triangle(600), 2e-4
    at = np.linspace(-0.1, 0.1, 41)
    gaps = []
    for seed in range(20):
        noisy = truth(x) + sigma * np.random.default_rng(seed).standard_normal(len(x))
        fit = fit_curve([sweep_points(x, noisy)], Settings(select=False))
        assert fit.noise == pytest.approx(sigma, rel=0.1)
        gaps.append(np.max(np.abs(fit(at) - truth(at))) / fit.error)
    # the largest of 41 deviations, in units of the largest standard error: of order one, hardly ever beyond four
    assert 0.3 < np.mean(gaps) < 2.0 and max(gaps) < 4.0


def test_drift_of_a_sensor_is_told_from_the_curve_and_not_guessed_where_it_cannot_be() -> None:
    x = 0.1 * triangle(600)
    t = np.linspace(0.0, 1.0, 600)
    at = np.linspace(-0.099, 0.099, 21)
    fit = fit_curve([sweep_points(x, truth(x) + 0.01 * t)], Settings())
    bent = fit_curve([sweep_points(x, truth(x) + 0.01 * t)], Settings(drift=False))
    zero = fit(0.0) - truth(np.zeros(1))  # where the zero of the sensor lies is not known
    assert np.max(np.abs(fit(at) - truth(at) - zero)) < 1e-9
    assert np.max(np.abs(bent(at) - truth(at) - (bent(0.0) - truth(np.zeros(1))))) > 1e-4
    assert fit.drift == pytest.approx(0.01, rel=1e-3)
    # one way only: a drift looks like a slope, and stays in the curve
    one = np.linspace(-0.1, 0.1, 300)
    fit = fit_curve([sweep_points(one, truth(one) + 0.02 * one)], Settings())
    assert fit.drift == 0.0
    np.testing.assert_allclose(fit(at), truth(at) + 0.02 * at, atol=1e-12)


def test_points_that_dwell_do_not_pull_the_curve() -> None:
    x = 0.1 * triangle(400)
    rest = np.full(3000, x[30])
    long = np.concatenate([x[:31], rest, x[31:]])
    # a parabola cannot follow the curve: where the weight lies decides where it goes
    even = fit_curve([sweep_points(x, truth(x))], Settings(order=2, select=False))
    dwelt = fit_curve([sweep_points(long, truth(long))], Settings(order=2, select=False, drift=False))
    at = np.linspace(-0.1, 0.1, 9)
    np.testing.assert_allclose(dwelt(at), even(at), atol=0.02 * np.ptp(truth(at)))


def test_the_order_is_as_low_as_the_points_allow() -> None:
    x = 0.1 * triangle(400)
    noise = 1e-3 * np.random.default_rng(5).standard_normal(400)
    assert fit_curve([sweep_points(x, noise)], Settings()).method == "polynomial of order 0"
    assert fit_curve([sweep_points(x, 0.3 * x + noise)], Settings()).method == "polynomial of order 1"
    assert fit_curve([sweep_points(x, truth(x))], Settings()).method == "polynomial of order 5"
    assert fit_curve([sweep_points(x, noise)], Settings(select=False)).method == "polynomial of order 6"


def hockey(x: np.ndarray) -> np.ndarray:
    return np.asarray(30e3 * x + 6e6 * np.maximum(x - 0.06, 0.0) ** 2)


def test_a_polynomial_that_rings_is_told_and_a_spline_does_not() -> None:
    x = 0.1 * triangle(800)
    y = hockey(x) + 5.0 * np.random.default_rng(1).standard_normal(800)
    ringing = fit_curve([sweep_points(x, y)], Settings(order=6))
    assert any("it rings; try method: spline" in text for text in ringing.warnings)
    smooth = fit_curve([sweep_points(x, y)], Settings(), "spline")
    at = np.linspace(-0.09, 0.09, 61)
    assert not smooth.warnings
    # 800 points in 80 bins leave 5 N / √10 in each; the kink of the second derivative is smoothed by less
    assert np.max(np.abs(smooth(at) - hockey(at))) < 4 * 5.0 / np.sqrt(10)
    assert np.max(np.abs(ringing(at) - hockey(at))) > 20 * 5.0 / np.sqrt(10)
    assert not fit_curve([sweep_points(x, truth(x) + 1e-5 * y / 5e3)], Settings()).warnings


def test_a_spline_is_exact_without_noise_up_to_its_bins() -> None:
    x = 0.1 * triangle(800)
    fit = fit_curve([sweep_points(x, truth(x) + direction(x) * 0.002)], Settings(), "spline")
    at = np.linspace(-0.095, 0.095, 41)
    assert np.max(np.abs(fit(at) - truth(at))) < 1e-3 * np.ptp(truth(at))
    assert fit.loop == pytest.approx(0.004, rel=0.2)


def test_too_high_an_order_is_told() -> None:
    x = np.tile(np.linspace(-0.1, 0.1, 12), 3)
    fit = fit_curve([sweep_points(x, truth(x))], Settings(order=6))
    assert any("order 6 with 12 different abscissae" in text for text in fit.warnings)


def test_a_curve_goes_on_beyond_what_was_measured() -> None:
    x = 0.1 * triangle(400)
    fit = fit_curve([sweep_points(x, 0.2 * x - 1.5 * x**2)], Settings())
    far = np.array([-0.12, 0.12])
    np.testing.assert_allclose(fit(far), 0.2 * far - 1.5 * far**2, atol=1e-9)  # with its curvature
    line = fit_curve([sweep_points(x, 4e3 * x)], Settings(), "spline")
    np.testing.assert_allclose(line(far), 4e3 * far, rtol=1e-3)
    sweep = as_sweep({"travel.L": x, "toe.L": x}, "parallel travel", "kinematics")
    assert covered(fit, -0.1, 0.1, 0.2, sweep, "travel.L", "the travel") == []
    assert "continued" in covered(fit, -0.12, 0.1, 0.2, sweep, "travel.L", "the travel")[0]
    with pytest.raises(
        ParameterError, match=r"test.csv: 'travel.L' \(travel.L\) goes from -99.7 to 99.7 mm, but the tra"
    ):
        covered(fit, -0.15, 0.1, 0.2, sweep, "travel.L", "the travel")


def test_sweeps_that_are_none_are_told_with_their_line() -> None:
    x = 0.1 * triangle(200)
    bad = x.copy()
    bad[57] = -0.09
    sweep = as_sweep({"travel.L": bad, "toe.L": x}, "parallel travel", "kinematics")
    with pytest.raises(
        ParameterError, match=r"test.csv, row 58, column 'travel.L': travel.L jumps from -0.0\d+ to -0.09"
    ):
        points_of(sweep, "travel.L", "toe.L")
    noise = np.random.default_rng(0).standard_normal(400)
    shaken = as_sweep(
        {"travel.L": np.convolve(noise, np.ones(8) / 8, "same"), "toe.L": noise}, "parallel travel", "roll"
    )
    with pytest.raises(ParameterError, match=r"goes forth and back .* no sweep"):
        points_of(shaken, "travel.L", "toe.L")
    still = as_sweep({"travel.L": 0.0 * x, "toe.L": x}, "parallel travel", "kinematics")
    with pytest.raises(ParameterError, match=r"'travel.L' \(travel.L\) does not move"):
        points_of(still, "travel.L", "toe.L")
    empty = as_sweep({"travel.L": x, "toe.L": np.where(np.arange(200) < 5, x, np.nan)}, "parallel travel", "kinematics")
    with pytest.raises(ParameterError, match=r"only 5 rows have a number in both 'travel.L' and 'toe.L'; at least 8"):
        points_of(empty, "travel.L", "toe.L")


def test_gaps_are_left_out_and_smoothing_takes_noise_away() -> None:
    x = 0.1 * triangle(300)
    y = truth(x)
    y[::7] = np.nan
    fit = fit_curve([points_of(as_sweep({"travel.L": x, "toe.L": y}, "", ""), "travel.L", "toe.L")], Settings())
    at = np.linspace(-0.095, 0.095, 11)
    np.testing.assert_allclose(fit(at), truth(at), atol=1e-10)
    noisy = truth(x) + 1e-3 * np.random.default_rng(2).standard_normal(300)
    found = as_sweep({"travel.L": x, "toe.L": noisy}, "", "")
    rough, calm = (points_of(found, "travel.L", "toe.L", smooth=n).y - truth(x) for n in (0, 31))
    assert np.std(calm) < 0.5 * np.std(rough)


def test_a_grid_has_zero_and_both_ends() -> None:
    for low, high, n in ((-0.12, 0.1, 21), (-0.02, 0.3, 11), (-1.0, 1e-3, 9)):
        found = grid(low, high, n)
        assert len(found) == n and found[0] == low and found[-1] == high and 0.0 in found
        assert np.all(np.diff(found) > 0)
    assert len(grid(0.1, 0.4, 5)) == 5
