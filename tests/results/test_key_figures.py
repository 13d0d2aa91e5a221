"""Key figures of signals whose answer is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.constants import GRAVITY
from jounce.events.library.impulse_steer import ImpulseSteer
from jounce.results.key_figures.braking import braking
from jounce.results.key_figures.common import decay, settling_time, steady, travelled_at, vertex
from jounce.results.key_figures.frequency import (
    RANGE,
    frequency_response,
    second_order,
    sine_response,
    steering_response,
)
from jounce.results.key_figures.steady_state import steady_state
from result_runs import DEG, bicycle, value

# --- steady state ----------------------------------------------------------------------------------------------------


def linear_car(ay: np.ndarray, v: np.ndarray, k: float, ratio: float = 15.0, wheelbase: float = 2.8) -> np.ndarray:
    """Steering wheel angle of δ = L/R + K a_y."""
    return ratio * (wheelbase * ay / v**2 + k * ay)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_understeer_gradient_at_constant_speed_and_on_a_circle(side: float) -> None:
    k = 2.0 * DEG / GRAVITY
    t = np.arange(0, 40, 0.02)
    ay = side * np.linspace(0, 7.5, len(t))
    circle_speed = np.sqrt(100.0 * np.abs(ay) + 1.0)
    for v in (np.full_like(t, 27.78), circle_speed):
        slip = side * (-1.1 * DEG / GRAVITY * np.abs(ay))
        curvature = ay / v**2
        found = steady_state(
            t,
            linear_car(ay, v, k),
            ay,
            v,
            yaw_rate=ay / v,
            roll=4.0 * DEG / GRAVITY * ay,
            side_slip=1.3 * curvature - 2.5 * DEG / GRAVITY * ay,
            steering_ratio=15.0,
            wheelbase=2.8,
            cg_to_rear=1.3,
            hand_torque=0.8 * ay,
        )
        if np.ptp(v) == 0:
            gradient = 15.0 * (2.8 / v[0] ** 2 + k) * GRAVITY / DEG
            assert value(found, "steering_gradient") == pytest.approx(gradient, rel=1e-9)
            assert value(found, "side_slip_gradient") == pytest.approx(1.3 / v[0] ** 2 * GRAVITY / DEG - 2.5, rel=1e-6)
        assert value(found, "hand_torque_gradient") == pytest.approx(0.8 * GRAVITY, rel=1e-9)
        assert found["hand_torque_at_4ms2"] == (pytest.approx(3.2, rel=1e-9), "N.m")
        # averaging over 0.25 s bends v(t) of the circle by v̈·0.25²/24
        assert value(found, "understeer_gradient") == pytest.approx(2.0, rel=1e-5)
        assert value(found, "roll_gradient") == pytest.approx(4.0, rel=1e-9)
        assert value(found, "rear_compliance") == pytest.approx(2.5, rel=1e-5)
        assert value(found, "characteristic_speed") == pytest.approx(3.6 * math.sqrt(2.8 / k), rel=1e-5)
        assert found["understeer_gradient"][1] == "deg/g_0"
        del slip
    # the mean of the last quarter second of a straight rise
    assert value(found, "ay_max") == pytest.approx(7.5 / GRAVITY, rel=0.01)


def test_yaw_gain_and_the_angle_for_0_3_g_at_constant_speed() -> None:
    k = 1.5 * DEG / GRAVITY
    t = np.arange(0, 30, 0.01)
    v = 80 / 3.6
    ay = np.linspace(0, 0.5 * GRAVITY, len(t))
    steering = linear_car(ay, np.full_like(t, v), k)
    found = steady_state(t, steering, ay, np.full_like(t, v), yaw_rate=ay / v, steering_ratio=15.0, wheelbase=2.8)
    # identity of the linear car: gain = v / ((L + K v²) i)
    assert value(found, "yaw_rate_gain") == pytest.approx(v / ((2.8 + k * v * v) * 15.0), rel=1e-9)
    assert value(found, "steering_at_0_3g") == pytest.approx(15.0 * (2.8 / v**2 + k) * 0.3 * GRAVITY / DEG, rel=1e-9)
    assert any("still rises at the end" in text for text in found.warnings)


def test_a_quick_ramp_is_remarked() -> None:
    t = np.arange(0, 5, 0.01)
    ay = np.linspace(0, 6, len(t))
    v = np.full_like(t, 25.0)
    found = steady_state(t, linear_car(ay, v, 0.003), ay, v, yaw_rate=0.8 * ay / v, steering_ratio=15, wheelbase=2.8)
    assert any("differ by 20%" in text for text in found.warnings)


def test_an_oversteering_car_has_a_critical_speed() -> None:
    k = -0.5 * DEG / GRAVITY
    t = np.arange(0, 30, 0.01)
    ay = np.linspace(0, 6, len(t))
    v = np.full_like(t, 15.0)
    found = steady_state(t, linear_car(ay, v, k), ay, v, steering_ratio=15.0, wheelbase=2.8)
    assert value(found, "understeer_gradient") == pytest.approx(-0.5, rel=1e-9)
    assert value(found, "critical_speed") == pytest.approx(3.6 * math.sqrt(2.8 / -k), rel=1e-9)
    assert "characteristic_speed" not in found


def test_the_limit_is_found_after_which_the_car_slides() -> None:
    t = np.arange(0, 30, 0.01)
    ay = 8.5 * np.tanh(t / 8) - np.where(t > 24, 0.2 * (t - 24), 0.0)
    found = steady_state(t, 3 * DEG * t, ay, np.full_like(t, 27.8), steering_ratio=15, wheelbase=2.8)
    assert value(found, "ay_max") == pytest.approx(8.5 * math.tanh(3) / GRAVITY, rel=2e-3)


def test_too_small_a_range_gives_nan() -> None:
    t = np.arange(0, 10, 0.01)
    ay = np.linspace(0, 1.5, len(t))
    found = steady_state(t, 0.1 * ay, ay, np.full_like(t, 20.0), steering_ratio=15, wheelbase=2.8)
    assert math.isnan(value(found, "understeer_gradient"))
    assert any("too little between 0.1 g and 0.4 g" in text for text in found.warnings)


def test_noise_leaves_the_gradient_within_its_standard_error() -> None:
    rng = np.random.default_rng(2)
    k = 2.0 * DEG / GRAVITY
    t = np.arange(0, 40, 0.01)
    ay = np.linspace(0, 7.5, len(t))
    v = np.full_like(t, 27.78)
    noise = 1.0 * DEG  # at the steering wheel
    # noise of the accelerometer flattens the line by its variance, which the mean of 25 samples divides by 25
    felt = ay + 0.3 * rng.standard_normal(len(t))
    flat = steady_state(t, linear_car(ay, v, k), felt, v, steering_ratio=15, wheelbase=2.8)
    inside = (ay > 0.1 * GRAVITY) & (ay < 0.4 * GRAVITY)
    bias = 0.3**2 / 25 / float(np.var(ay[inside]))
    assert value(flat, "steering_gradient") == pytest.approx(
        float(np.polyfit(ay, linear_car(ay, v, k), 1)[0]) * GRAVITY / DEG, rel=2 * bias + 0.005
    )
    found = steady_state(
        t, linear_car(ay, v, k) + noise * rng.standard_normal(len(t)), ay, v, steering_ratio=15, wheelbase=2.8
    )
    rows = (ay > 0.1 * GRAVITY) & (ay < 0.4 * GRAVITY)
    error = noise / 15 / math.sqrt(np.sum((ay[rows] - ay[rows].mean()) ** 2)) * GRAVITY / DEG
    assert abs(value(found, "understeer_gradient") - 2.0) < 4 * error


# --- frequency response ----------------------------------------------------------------------------------------------


def yaw_system(frequency: float, damping: float, gain: float, lead: float):
    """(gain·(1 + lead·s)·ω₀²) / (s² + 2ζω₀s + ω₀²) as scipy's, and as a function of frequency."""
    from scipy import signal

    w0 = 2 * math.pi * frequency
    system = signal.TransferFunction([gain * lead * w0**2, gain * w0**2], [1, 2 * damping * w0, w0**2])

    def response(f: np.ndarray) -> np.ndarray:
        s = 2j * math.pi * f
        return gain * (1 + lead * s) * w0**2 / (s * s + 2 * damping * w0 * s + w0**2)

    return system, response


@pytest.mark.parametrize("kind", ["sweep", "impulse", "random"])
def test_frequency_response_of_a_known_system(kind: str) -> None:
    from scipy import signal

    system, exact = yaw_system(1.2, 0.6, 0.35, 0.15)
    step = 0.005
    if kind == "sweep":
        t = np.arange(0, 60, step)
        active = np.clip(t - 1, 0, 50)
        u = 0.2 * np.sin(2 * math.pi * (0.1 * active + 0.5 * 0.06 * active**2)) * (t < 51)
        u *= np.clip((51 - t) / 2, 0, 1)
    elif kind == "impulse":
        t = np.arange(0, 20, step)
        u = 0.5 * np.where((t > 1) & (t < 1.2), np.sin(math.pi * (t - 1) / 0.2), 0.0)
    else:
        t = np.arange(0, 600, step)
        noise = np.random.default_rng(3).standard_normal(len(t))
        sections = signal.butter(2, [0.05, 5.0], "bandpass", fs=1 / step, output="sos")
        u = 0.1 * signal.sosfilt(sections, noise)
    _, y, _ = signal.lsim(system, u, t)
    method = "random" if kind == "random" else "transient"
    found = frequency_response(t, u, y, method, resolution=0.1).between(0.2, 2.0)
    # averaging over 0.1 Hz bends the curve by f''·w²/24, below one per cent here; Welch adds its leakage
    tolerance = 0.03 if kind == "random" else 0.01
    assert np.max(np.abs(found.response - exact(found.frequency)) / np.abs(exact(found.frequency))) < tolerance
    assert found.coherence.min() > (0.95 if kind == "random" else 0.99)

    figures = steering_response(t, u, yaw_rate=y, method=method)
    # what is told of one signal is told of all
    alike = steering_response(t, u, lateral_acceleration=2 * y, roll=-3 * y, side_slip=0.5 * y, method=method)
    for name, factor in (("ay", 2.0), ("roll", -3.0), ("side_slip", 0.5)):
        assert value(alike, f"{name}_gain_low") == pytest.approx(
            abs(factor) * value(figures, "yaw_rate_gain_low"), rel=1e-9
        )
        turned = value(alike, f"{name}_phase_1hz") - value(figures, "yaw_rate_phase_1hz")
        assert math.remainder(turned - (180 if factor < 0 else 0), 360) == pytest.approx(0.0, abs=1e-6)
        assert value(alike, f"{name}_coherence") == pytest.approx(value(figures, "yaw_rate_coherence"), rel=1e-9)
    for what in ("bandwidth", "equivalent_time"):
        usual = value(figures, f"yaw_rate_{what}")
        assert value(alike, f"ay_{what}") == pytest.approx(usual, rel=1e-9, nan_ok=True)
    whole = frequency_response(t, u, y, method)
    inside = (whole.frequency >= RANGE[0]) & (whole.frequency <= RANGE[1])
    assert value(figures, "yaw_rate_coherence") == pytest.approx(float(whole.coherence[inside].min()), rel=1e-9)
    fine = np.linspace(0.2, 6, 200_001)
    h = exact(fine)
    lag = fine[np.argmax(np.unwrap(np.angle(h)) <= -math.pi / 4)]
    assert value(figures, "yaw_rate_equivalent_time") == pytest.approx(1 / (2 * math.pi * lag), rel=0.03)
    assert value(figures, "yaw_rate_phase_1hz") == pytest.approx(
        math.degrees(np.angle(exact(np.array([1.0])))[0]), abs=1
    )
    assert value(figures, "yaw_natural_frequency") == pytest.approx(1.2, rel=0.03)
    assert value(figures, "yaw_damping") == pytest.approx(0.6, rel=0.05)
    assert value(figures, "yaw_rate_gain_low") == pytest.approx(abs(exact(np.array([0.2]))[0]), rel=0.02)
    wide = steering_response(t, u, yaw_rate=y, method=method, band=(0.2, 3.0))
    down = fine[np.argmax(np.abs(h) < np.abs(h[0]) / math.sqrt(2))]
    assert value(wide, "yaw_rate_bandwidth") == pytest.approx(down, rel=0.03)


def test_a_short_record_of_an_impulse_is_enough() -> None:
    from scipy import signal

    system, exact = yaw_system(1.2, 0.6, 0.35, 0.15)
    t = np.arange(0, 6, 0.01)
    u = 0.5 * np.where((t > 1) & (t < 1.3), np.sin(math.pi * (t - 1) / 0.3), 0.0)
    _, y, _ = signal.lsim(system, u, t)
    found = steering_response(t, u, yaw_rate=y)
    assert value(found, "yaw_rate_gain_low") == pytest.approx(abs(exact(np.array([0.2]))[0]), rel=0.01)
    assert value(found, "yaw_natural_frequency") == pytest.approx(1.2, rel=0.02)
    assert not found.warnings


@pytest.mark.parametrize(("speed", "front"), [(20.0, 95e3), (27.78, 95e3), (36.0, 80e3), (27.78, 110e3)])
@pytest.mark.parametrize("side", [1, -1])
def test_an_impulse_finds_the_eigenvalues_of_the_linear_bicycle(speed: float, front: float, side: int) -> None:
    from scipy import signal

    matrix, entry = bicycle(speed, front)
    values = np.linalg.eigvals(matrix)
    natural = float(np.sqrt(np.prod(values).real))
    event = ImpulseSteer(amplitude=side * 0.05, duration="0.4 s")
    t = np.arange(0, event.end_time, 0.005)
    u = event.reference(None).table(t)  # type: ignore[arg-type]
    _, y, _ = signal.lsim((matrix, entry, np.array([[0.0, 1.0]]), [[0.0]]), u, t)
    found = steering_response(t, u, yaw_rate=y)
    assert value(found, "yaw_natural_frequency") == pytest.approx(natural / (2 * math.pi), rel=0.02)
    assert value(found, "yaw_damping") == pytest.approx(-values.sum().real / (2 * natural), rel=0.02)


@pytest.mark.parametrize(("natural", "inside"), [(0.1, False), (0.5, True), (1.8, True), (2.5, False), (3.8, False)])
def test_a_mode_outside_of_the_range_of_the_fit_is_not_told(natural: float, inside: bool) -> None:
    from scipy import signal

    system, _ = yaw_system(natural, 0.4, 0.3, 0.1)
    t = np.arange(0, 30, 0.01)
    u = 0.5 * np.where((t > 1) & (t < 1.2), np.sin(math.pi * (t - 1) / 0.2), 0.0)
    _, y, _ = signal.lsim(system, u, t)
    found = steering_response(t, u, yaw_rate=y)
    told = [text for text in found.warnings if text.startswith("yaw natural frequency and damping: not within the 0.2")]
    if inside:
        assert value(found, "yaw_natural_frequency") == pytest.approx(natural, rel=0.02) and not told
    else:
        assert math.isnan(value(found, "yaw_natural_frequency")) and math.isnan(value(found, "yaw_damping"))
        assert told and "Hz that were looked at (the fit puts it at" in told[0]
    if natural > 0.2:  # a line is 0.1 Hz wide
        wide = steering_response(t, u, yaw_rate=y, band=(0.05, 8.0))
        assert value(wide, "yaw_natural_frequency") == pytest.approx(natural, rel=0.03)


def test_a_gain_without_a_peak_has_no_frequency_of_it() -> None:
    from scipy import signal

    system, _ = yaw_system(3.5, 0.3, 0.3, 0.1)
    t = np.arange(0, 20, 0.01)
    u = 0.5 * np.where((t > 1) & (t < 1.2), np.sin(math.pi * (t - 1) / 0.2), 0.0)
    found = steering_response(t, u, yaw_rate=signal.lsim(system, u, t)[1])
    assert math.isnan(value(found, "yaw_rate_peak_frequency")) and math.isnan(value(found, "yaw_rate_peak_ratio"))
    assert any("largest at the highest of 2 Hz" in text for text in found.warnings)


def test_the_fit_of_second_order_is_exact_for_second_order() -> None:
    from jounce.results.key_figures.frequency import FrequencyResponse

    _, exact = yaw_system(1.7, 0.8, 0.3, 0.2)
    f = np.linspace(0.2, 4, 50)
    assert second_order(FrequencyResponse(f, exact(f), np.ones(50))) == pytest.approx((1.7, 0.8, 0.3), rel=1e-8)


def test_incoherent_answers_are_remarked() -> None:
    rng = np.random.default_rng(4)
    t = np.arange(0, 200, 0.01)
    found = steering_response(t, rng.standard_normal(len(t)), yaw_rate=rng.standard_normal(len(t)), method="random")
    assert any("coherence of yaw_rate falls to 0." in text for text in found.warnings)


def test_a_narrow_sweep_does_not_pretend() -> None:
    t = np.arange(0, 100, 0.01)
    u = np.sin(2 * math.pi * 0.5 * t)  # one frequency only
    found = steering_response(t, u, yaw_rate=u, method="random")
    assert math.isnan(value(found, "yaw_rate_gain_low")) or value(found, "yaw_rate_coherence") <= 1.0


def test_sine_response_is_exact_for_a_sine() -> None:
    t = np.arange(0, 20, 0.01)
    u = 0.5 * np.sin(2 * math.pi * 0.7 * t) + 0.02
    y = 0.2 * np.sin(2 * math.pi * 0.7 * t - 0.6) - 0.1
    h = sine_response(t, u, y, 0.7, 0.0)
    assert abs(h) == pytest.approx(0.4, rel=1e-9)
    assert math.atan2(h.imag, h.real) == pytest.approx(-0.6, abs=1e-9)


# --- braking ---------------------------------------------------------------------------------------------------------


def test_a_stop_with_constant_deceleration() -> None:
    v0, a, t0 = 100 / 3.6, 9.5, 1.0
    t = np.arange(0, 6, 0.01)
    v = np.maximum(np.where(t < t0, v0, v0 - a * (t - t0)), 0.0)
    pitch = np.where((t > t0) & (v > 0), 1.5 * DEG * a / GRAVITY, 0.0)
    brake = np.where(t >= t0, 1.0, 0.0)
    ax = np.where((t > t0) & (v > 0), -a, 0.0)
    found = braking(t, v, start=t0, longitudinal_acceleration=ax, pitch=pitch, brake=brake, nominal_speed=v0)
    assert value(found, "stopping_distance") == pytest.approx(v0**2 / (2 * a), rel=1e-5)
    assert value(found, "mfdd") == pytest.approx(a, rel=1e-9)
    # the regulation's own form, km/h and metres
    s_b, s_e = (0.36 * v0**2 / (2 * a), 0.99 * v0**2 / (2 * a))
    assert value(found, "mfdd") == pytest.approx((80**2 - 10**2) / (25.92 * (s_e - s_b)), rel=1e-4)
    assert value(found, "mean_deceleration") == pytest.approx(a, rel=1e-5)
    assert value(found, "stopping_time") == pytest.approx(v0 / a, rel=1e-3)
    assert value(found, "dive_gradient") == pytest.approx(1.5, rel=1e-6)
    assert value(found, "peak_deceleration") == pytest.approx(a)
    assert not found.warnings
    # referred to another speed, its way is in the square of it; beyond 2 km/h with a remark
    other = braking(t, v, start=t0, nominal_speed=v0 + 1 / 3.6)
    assert value(other, "stopping_distance_nominal") == pytest.approx((v0 + 1 / 3.6) ** 2 / (2 * a), rel=1e-5)
    assert not other.warnings
    far = braking(t, v, start=t0, nominal_speed=v0 - 2.1 / 3.6)
    assert value(far, "stopping_distance_nominal") == pytest.approx((v0 - 2.1 / 3.6) ** 2 / (2 * a), rel=1e-5)
    assert any("began at 100.0 km/h instead of 97.9 km/h" in text for text in far.warnings)


def test_mfdd_leaves_out_the_build_up_of_pressure() -> None:
    t = np.arange(0, 8, 0.001)
    a = 9.0 * np.clip((t - 1) / 0.5, 0, 1)
    v = np.maximum(30.0 - np.concatenate([[0], np.cumsum(0.5 * (a[1:] + a[:-1]) * 0.001)]), 0)
    found = braking(t, v, start=1.0)
    assert value(found, "mfdd") == pytest.approx(9.0, rel=1e-4)  # 0.8 v₀ is passed after the build-up
    # during the build-up v = 30 − 9 τ², s = 30·0.5 − 3·0.5³ m; then 9 m/s²
    left = 30 - 9 * 0.25
    assert value(found, "stopping_distance") == pytest.approx(15 - 3 * 0.125 + left**2 / 18, rel=1e-4)


def test_a_car_that_does_not_stop_has_no_stopping_distance() -> None:
    t = np.arange(0, 3, 0.01)
    found = braking(t, 30 - 4 * t, start=0.0, pitch=np.zeros_like(t))
    for name in ("stopping_distance", "mfdd", "mean_deceleration", "dive_gradient"):
        assert math.isnan(value(found, name))
    assert any("does not come to a stop" in text for text in found.warnings)
    assert math.isnan(value(braking(t, np.full_like(t, 20.0)), "stopping_distance"))


# --- free oscillations -----------------------------------------------------------------------------------------------


def test_decay_of_noise_alone_is_nan() -> None:
    rng = np.random.default_rng(5)
    t = np.arange(0, 5, 0.01)
    found = decay(t, 0.01 * rng.standard_normal(len(t)), 0.0, 0.01)
    assert math.isnan(found.damping)


# --- tools -----------------------------------------------------------------------------------------------------------


def test_vertex_of_a_parabola() -> None:
    t = np.array([0.1, 0.25, 0.3])
    assert vertex(t, 5 - 3 * (t - 0.22) ** 2) == pytest.approx((0.22, 5.0))


def test_distance_is_exact_for_linear_speed() -> None:
    t = np.arange(0, 5, 0.1)
    assert travelled_at(t, 3 + 2 * t, 2.345) == pytest.approx(3 * 2.345 + 2.345**2)


def test_steady_says_why_not() -> None:
    t = np.arange(0, 10, 0.01)
    assert steady(t, np.full_like(t, 2.0), (8, 10)).ok
    assert "still changing" in steady(t, t, (8, 10)).why
    assert "not settled" in steady(t, 1 + np.sin(20 * t), (8, 10)).why
    assert "not finite" in steady(t, np.full_like(t, np.nan), (8, 10)).why
    assert "fewer than three" in steady(t, t, (20, 30)).why


def test_settling_time_of_a_decay() -> None:
    t = np.arange(0, 10, 0.001)
    assert settling_time(t, np.exp(-t), 0.0, 0.05, 0.0) == pytest.approx(math.log(20), abs=1e-3)
    assert math.isnan(settling_time(t, np.ones_like(t), 0.0, 0.05, 0.0))
    assert settling_time(t, np.zeros_like(t), 0.0, 0.05, 0.0) == 0.0
    # about a value that is not zero, on both sides, counted from another time
    for settled in (2.0, -2.0):
        for swing in (1.0, -1.0):
            found = settling_time(t, settled + swing * np.exp(-t), settled, 0.05, 1.5)
            assert found == pytest.approx(math.log(20) - 1.5, abs=1e-6)
