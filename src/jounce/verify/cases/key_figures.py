"""Key figures: definitions applied to signals whose answer is known.

The linear single-track car, side slip β and yaw rate ψ̇ over the angle δ of its front wheels [Mitschke2014]:

    m v (β̇ + ψ̇) = -(c_f + c_r) β + (b c_r - a c_f) ψ̇/v + c_f δ                                         (1)
    J ψ̈ = (b c_r - a c_f) β - (a² c_f + b² c_r) ψ̇/v + a c_f δ

On a circle δ = L/R + K a_y with the understeer gradient

    K = m (b c_r - a c_f)/(L c_f c_r),   characteristic speed √(L/K),   ψ̇/δ = v/(L + K v²)               (2)

and its yaw motion has ω₀² = det A, 2 ζ ω₀ = -tr A of the matrix of (1). The answer to a step is

    ψ̇(t)/ψ̇(∞) = 1 - e^(-ζω₀t) (cos ω_d t + ((ζ - ω₀ T)/√(1-ζ²)) sin ω_d t)                               (3)

with the time constant T = m v a/(c_r L) of the zero of its transfer function, ω_d = ω₀ √(1-ζ²).

A stop whose deceleration rises linearly for a time t_r and is then constant, a, from v₀:

    way = v₀ t_r - a t_r²/6 + v₁²/(2a),   v₁ = v₀ - a t_r/2,   time = t_r + v₁/a                           (4)

Independent: (1) integrated by `scipy.signal.lsim`; the printed table of ISO 2631-1 for weightings.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.verify.book import Page, case

MASS, INERTIA, FRONT, REAR = 1530.0, 2450.0, 1.23, 1.54  # kg, kg.m2, m, m
STIFF_FRONT, STIFF_REAR, RATIO = 88e3, 117e3, 15.6  # N/rad, N/rad, -
WHEELBASE = FRONT + REAR
GRADIENT = MASS * (REAR * STIFF_REAR - FRONT * STIFF_FRONT) / (WHEELBASE * STIFF_FRONT * STIFF_REAR)  # (2), rad.s2/m
DEGREE = math.pi / 180
BOOK = "Mitschke and Wallentowitz, Dynamik der Kraftfahrzeuge [Mitschke2014]"
# ISO 2631-1:1997, table 3: factors in thousandths at the centres of third octaves, in Hz
TABLE: dict[str, dict[float, float]] = {
    "Wk": {0.5: 418, 1.0: 482, 2.0: 531, 4.0: 967, 8.0: 1036, 16.0: 768, 31.5: 405, 63.0: 186},
    "Wd": {0.5: 853, 1.0: 1011, 2.0: 890, 4.0: 512, 8.0: 253, 16.0: 125, 31.5: 63.2},
}


def matrices(v: float) -> tuple[Any, Any]:
    """Matrix and entry of (1), the input being the angle of the front wheels."""
    cross = REAR * STIFF_REAR - FRONT * STIFF_FRONT
    a = [
        [-(STIFF_FRONT + STIFF_REAR) / (MASS * v), cross / (MASS * v * v) - 1.0],
        [cross / INERTIA, -(FRONT**2 * STIFF_FRONT + REAR**2 * STIFF_REAR) / (INERTIA * v)],
    ]
    return np.array(a), np.array([[STIFF_FRONT / (MASS * v)], [FRONT * STIFF_FRONT / INERTIA]])


def answer(v: float, time: Any, wheel: Any) -> tuple[Any, Any]:
    """Side slip and yaw rate over time, by SciPy."""
    from scipy import signal

    a, b = matrices(v)
    _, x, _ = signal.lsim((a, b, np.eye(2), np.zeros((2, 1))), wheel, time)
    return x[:, 0], x[:, 1]


def modes(v: float) -> tuple[float, float]:
    """Natural angular frequency and damping ratio of (1)."""
    a, _ = matrices(v)
    natural = math.sqrt(float(np.linalg.det(a)))
    return natural, -float(np.trace(a)) / (2 * natural)


def step_answer(v: float, t: Any) -> Any:
    """(3)."""
    w, z = modes(v)
    damped = w * math.sqrt(1 - z * z)
    lead = MASS * v * FRONT / (STIFF_REAR * WHEELBASE)
    return 1 - np.exp(-z * w * t) * (np.cos(damped * t) + (z - w * lead) / math.sqrt(1 - z * z) * np.sin(damped * t))


@case("steady-figures", "Key figures of a steady circle", chapter=17)
def steady_figures(page: Page) -> None:
    """Understeer gradient, characteristic speed and yaw rate gain of the linear car, from a slow ramp of the hand wheel
    at constant speed to the left and to the right."""
    from jounce.results.key_figures.steady_state import steady_state

    v = 23.0
    time = np.arange(0.0, 40.0, 0.02)
    for side, name in ((1.0, "left"), (-1.0, "right")):
        ay = side * np.linspace(0.0, 6.0, len(time))
        hand = RATIO * (WHEELBASE * ay / v**2 + GRADIENT * ay)
        found = steady_state(
            time, hand, ay, np.full_like(time, v), yaw_rate=ay / v, steering_ratio=RATIO, wheelbase=WHEELBASE
        )
        expected = {
            "understeer_gradient": (GRADIENT * GRAVITY / DEGREE, "deg/g"),
            "characteristic_speed": (3.6 * math.sqrt(WHEELBASE / GRADIENT), "km/h"),
            "yaw_rate_gain": (v / (WHEELBASE + GRADIENT * v * v) / RATIO, "1/s"),
            "steering_at_0_3g": (RATIO * (WHEELBASE / v**2 + GRADIENT) * 0.3 * GRAVITY / DEGREE, "deg"),
        }
        for key, (number, unit) in expected.items():
            page.row(
                f"{key}, to the {name}",
                expected=number,
                measured=found[key][0],
                tolerance=1e-8 * number,
                unit=unit,
                kind="closed form",
                source=f"{BOOK}, equation (2)",
                why="A straight line through points of a straight line: rounding.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        ay = np.linspace(0, 6, 50)
        axes.plot(ay, (WHEELBASE * ay / v**2 + GRADIENT * ay) / DEGREE, lw=1.2, label="hand wheel / ratio")
        axes.plot(ay, WHEELBASE * ay / v**2 / DEGREE, "k--", lw=0.8, label="L/R")
        axes.set(xlabel="lateral acceleration, m/s²", ylabel="angle, deg", title="the ramp at 23 m/s")
        axes.legend()

    page.plot("The understeer gradient is the difference of the slopes.", draw, height=2.8)


@case("step-figures", "Key figures of a step of the hand wheel", chapter=17.1)
def step_figures(page: Page) -> None:
    """Rise time, peak time and overshoot of the yaw rate as ISO 7401 defines them, from the answer of the linear car to
    a quick ramp of the hand wheel; the definitions are applied to the closed form of the step by root finding."""
    from scipy import optimize

    from jounce.events.library.step_steer import step_steer

    v, ramp = 31.0, 0.02
    fine = np.linspace(1e-4, 1.5, 30001)
    values = step_answer(v, fine)
    top = int(np.argmax(values))
    peak = optimize.minimize_scalar(lambda t: -step_answer(v, t), bracket=(fine[top - 5], fine[top], fine[top + 5])).x
    rise = optimize.brentq(lambda t: step_answer(v, t) - 0.9, 1e-4, peak)
    overshoot = 100 * (float(step_answer(v, peak)) - 1)
    gain = v / (WHEELBASE + GRADIENT * v * v) / RATIO
    time = np.arange(0.0, 7.0, 0.001)
    w, _ = modes(v)
    curved = (w * ramp) ** 2 / 24  # a ramp is a step but for this share of the second derivative
    for side, name in ((1.0, "left"), (-1.0, "right")):
        hand = side * 0.4 * np.clip((time - 1.0) / ramp, 0.0, 1.0)
        slip, yaw = answer(v, time, hand / RATIO)
        found = step_steer(time, hand, yaw_rate=yaw, side_slip=slip, speed=np.full_like(time, v))
        for key, expected, unit, tolerance in (
            ("yaw_rate_t90", rise, "s", 0.0005),
            ("yaw_rate_t_peak", peak, "s", 0.0015),
            ("yaw_rate_overshoot", overshoot, "%", 100 * curved + 0.01),
            ("yaw_rate_gain", gain, "1/s", 1e-6 * gain),
            ("steering_step", side * 0.4 / DEGREE, "deg", 1e-9),
        ):
            page.row(
                f"{key}, to the {name}",
                expected=expected,
                measured=found[key][0],
                tolerance=tolerance,
                unit=unit,
                kind="closed form",
                source=f"equation (3), definitions of ISO 7401; {BOOK}",
                why="Samples at 1 ms; a ramp of 20 ms about time zero differs from a step by (ω₀ 20 ms)²/24 of its "
                "second derivative; at a flat peak that moves the time by some 1 ms.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        axes.plot(fine, values, lw=1.0, color="0.4", label="equation (3)")
        hand = 0.4 * np.clip((time - 1.0) / ramp, 0.0, 1.0)
        _, yaw = answer(v, time, hand / RATIO)
        rows = (time > 1.01) & (time < 2.5)
        axes.plot(time[rows][::40] - 1.01, yaw[rows][::40] / (0.4 * gain), ".", ms=4, label="SciPy, ramp of 20 ms")
        axes.plot([rise, peak], [0.9, 1 + overshoot / 100], "rx", label="rise and peak")
        axes.set(xlabel="time, s", ylabel="yaw rate over steady value, -")
        axes.legend()

    page.plot("Step of the hand wheel at 31 m/s.", draw, height=2.8)


@case("frequency-figures", "Key figures of a frequency response", chapter=17.2)
def frequency_figures(page: Page) -> None:
    """Natural frequency and damping of the yaw motion, from the answer of the linear car to noise at the hand wheel, by
    cross spectra; and the gain and phase at 1 Hz."""
    from jounce.results.key_figures.frequency import frequency_response, steering_response

    v = 24.0
    rng = np.random.default_rng(8)
    time = np.arange(0.0, 600.0, 0.01)
    spectrum = np.fft.rfftfreq(len(time), 0.01)
    noise = np.fft.irfft(
        np.where((spectrum > 0.05) & (spectrum < 4.0), 1.0, 0.0) * np.exp(2j * np.pi * rng.random(len(spectrum))),
        len(time),
    )
    hand = 0.3 * noise / np.std(noise)
    _, yaw = answer(v, time, hand / RATIO)
    natural, damping = modes(v)
    figures = steering_response(time, hand, yaw_rate=yaw, method="random", resolution=0.05)
    a, b = matrices(v)
    s = 2j * math.pi
    exact = complex((np.linalg.solve(s * np.eye(2) - a, b) / RATIO)[1, 0])
    found = frequency_response(time, hand, yaw, "random", resolution=0.05).at(1.0)
    for name, expected, measured, unit, share in (
        ("yaw natural frequency", natural / (2 * math.pi), figures["yaw_natural_frequency"][0], "Hz", 0.005),
        ("yaw damping ratio", damping, figures["yaw_damping"][0], "-", 0.01),
        ("gain of the yaw rate at 1 Hz", abs(exact), abs(found), "1/s", 0.005),
        (
            "phase of the yaw rate at 1 Hz",
            float(np.angle(exact, deg=True)),
            float(np.angle(found, deg=True)),
            "deg",
            0.01,
        ),
    ):
        page.row(
            name,
            expected=expected,
            measured=measured,
            tolerance=share * abs(expected),
            unit=unit,
            kind="closed form",
            source=f"eigenvalues and transfer function of equation (1); {BOOK}",
            why="Windows of 20 s smear the response over 0.1 Hz: its curvature there is some thousandths.",
        )

    def draw(figure: Any) -> None:
        left, right = figure.subplots(1, 2)
        f = np.linspace(0.2, 3.0, 200)
        line = np.array([complex((np.linalg.solve(2j * math.pi * x * np.eye(2) - a, b) / RATIO)[1, 0]) for x in f])
        whole = frequency_response(time, hand, yaw, "random", resolution=0.05).between(0.2, 3.0)
        left.plot(f, np.abs(line), color="0.4")
        left.plot(whole.frequency, whole.gain, ".", ms=3)
        right.plot(f, np.unwrap(np.angle(line)) / DEGREE, color="0.4")
        right.plot(whole.frequency, whole.phase / DEGREE, ".", ms=3)
        left.set(xlabel="frequency, Hz", ylabel="yaw rate gain, 1/s", title="dots: from noise; lines: (1)")
        right.set(xlabel="frequency, Hz", ylabel="phase, deg")

    page.plot("Frequency response of the yaw rate.", draw, height=2.8)


@case("stop-figures", "Key figures of a stop, and weightings of vibration", chapter=17.3)
def stop_figures(page: Page) -> None:
    """Way, time and mean fully developed deceleration of a stop with a linear rise of the deceleration; the frequency
    weightings of ISO 2631-1, which jounce has as transfer functions, at the printed third octaves."""
    from jounce.results.key_figures.braking import braking
    from jounce.results.key_figures.vibration import weighting

    v0, a, rise = 29.0, 8.7, 0.32
    time = np.arange(0.0, 6.0, 0.001)
    begin = 0.5
    since = time - begin
    ramp = np.clip(since, 0, rise)
    speed = v0 - a * ramp**2 / (2 * rise) - a * np.clip(since - rise, 0, None)
    speed = np.maximum(speed, 0.0)
    v1 = v0 - a * rise / 2
    found = braking(time, speed, start=begin, nominal_speed=100 / 3.6)
    way = v0 * rise - a * rise**2 / 6 + v1**2 / (2 * a)
    for key, expected, unit, tolerance in (
        ("stopping_distance", way, "m", 1e-4),
        ("stopping_time", rise + v1 / a, "s", 1e-4),
        ("mfdd", a, "m/s2", 1e-4),
        ("initial_speed", 3.6 * v0, "km/h", 1e-9),
        ("mean_deceleration", v0**2 / (2 * way), "m/s2", 1e-4),
    ):
        page.row(
            f"stop: {key}",
            expected=expected,
            measured=found[key][0],
            tolerance=tolerance,
            unit=unit,
            kind="closed form",
            source="equation (4); mean fully developed deceleration by UN R13-H",
            why="Trapezoids on samples at 1 ms: a h²/12 per step, over some 3500 steps below 1e-5 m.",
        )
    for name, table in TABLE.items():
        for frequency, thousandths in table.items():
            page.row(
                f"weighting {name} at {frequency:g} Hz",
                expected=thousandths / 1000,
                measured=float(abs(weighting(name, frequency))),  # type: ignore[arg-type]
                tolerance=0.001 if thousandths >= 100 else 0.0001,
                kind="published",
                source="ISO 2631-1:1997, table 3",
                why="One unit of the last of three printed digits.",
            )

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        f = np.geomspace(0.3, 90, 200)
        for name, table in TABLE.items():
            axes.loglog(f, np.abs(weighting(name, f)), lw=1.0, color="0.4")  # type: ignore[arg-type]
            axes.loglog(list(table), [x / 1000 for x in table.values()], "o", ms=4, label=name)
        axes.set(xlabel="frequency, Hz", ylabel="factor, -", title="circles: the printed table")
        axes.legend()

    page.plot("Frequency weightings.", draw, height=2.8)
