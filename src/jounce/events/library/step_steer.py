"""Step steer (ISO 7401): the hand wheel is turned as fast as a driver can and held.

Its key figures say how quickly and how steadily a car answers. Time zero is when the steering wheel has made half of
its step. With Δ the change of a signal from before the step to the steady state:

    response time t90     time zero to the first 90 % of Δ
    peak time             time zero to the largest value
    overshoot             (peak − Δ) / Δ
    gain                  Δ of the signal / Δ of the steering wheel angle
    TB factor             peak time of the yaw rate × steady side slip

The standard asks for at least 200 deg/s at the steering wheel and for a speed that holds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from jounce.core.errors import SimulationError, UnstableStepError
from jounce.core.fields import choice, quantity
from jounce.events.base import Steered
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, mean_before, onset, peak, sound, steady, unsound
from jounce.results.kinds import Kind
from jounce.results.run import Run
from jounce.results.signals import crossing
from jounce.runtime.program import FromTable, Ramp

if TYPE_CHECKING:
    from jounce.events.start import Start

SEARCH_RUNS = 12
SEARCH_TOLERANCE = 0.002  # of the lateral acceleration
SLOWEST = 200 * DEGREE  # rad/s at the steering wheel
SPEED_HOLDS = 0.03  # relative change of speed that is not remarked
TIMED = ("t90", "t_peak")
WORDS = {
    "steering_step": "Step of the steering wheel",
    "steering_rate": "Rate of the step",
    "speed_change": "Change of speed during the test",
    "tb_factor": "TB factor (peak time × side slip)",
}
FIRST = ("yaw_rate_t90", "yaw_rate_overshoot", "ay_t90", "yaw_rate_t_peak", "yaw_rate_gain")


# --- key figures -----------------------------------------------------------------------------------------------------


def step_steer(
    time: Array,
    steering: Array,
    *,
    yaw_rate: Array | None = None,
    lateral_acceleration: Array | None = None,
    roll: Array | None = None,
    side_slip: Array | None = None,
    speed: Array | None = None,
    window: float | None = None,
    tolerance: float = 0.05,
) -> Figures:
    """Return the key figures of a step of the steering wheel.

    Parameters
    ----------
    time, steering : s, rad at the steering wheel
    yaw_rate, lateral_acceleration, roll, side_slip, speed : rad/s, m/s², rad, rad, m/s; what is left out is not told
    window : length of the steady part at the end, s; default a quarter of the time after the step, at most 1 s
    tolerance : how much of Δ a signal may still change there

    Returns
    -------
    yaw_rate_t90, yaw_rate_t_peak, yaw_rate_overshoot, yaw_rate_steady, yaw_rate_gain; the same for ay and roll;
    side_slip_steady, side_slip_peak, tb_factor, steering_step, steering_rate, speed_change
    """
    figures = Figures()
    why = unsound(time, steering)
    if why:
        figures.missing(["steering_step"], "deg", f"step steer: {why}")
        return figures
    given = sound(
        figures,
        "step steer",
        yaw_rate=yaw_rate,
        ay=lateral_acceleration,
        roll=roll,
        side_slip=side_slip,
        speed=speed,
    )
    start = onset(time, steering)
    if math.isnan(start):
        figures.missing(["steering_step"], "deg", "step steer: the steering wheel does not move")
        return figures
    before = mean_before(time, steering, start)
    span = window if window is not None else min(1.0, 0.25 * (float(time[-1]) - start))
    last = (float(time[-1]) - span, float(time[-1]))
    final = steady(time, steering, last, tolerance=tolerance)
    step = final.value - before
    if not final.ok or step == 0.0:
        figures.missing(["steering_step"], "deg", f"step steer: the steering wheel angle is {final.why or 'unchanged'}")
        return figures
    side = math.copysign(1.0, step)
    zero = crossing(time, side * steering, side * (before + 0.5 * step), after=start, rising=True)
    rate = _rate(time, side * (steering - before), abs(step), start)
    figures.put("steering_step", step / DEGREE, "deg")
    figures.put("steering_rate", rate / DEGREE, "deg/s")
    if rate < 0.99 * SLOWEST:
        figures.warn(f"step steer: the steering wheel moves at {rate / DEGREE:.0f} deg/s; ISO 7401 asks for 200 deg/s")

    for name, unit in (("yaw_rate", "deg/s"), ("ay", "m/s2"), ("roll", "deg")):
        if name in given:
            _response(figures, name, unit, time, given[name], (start, zero), last, step, tolerance)
    if "side_slip" in given:
        side_slip = given["side_slip"]
        rest = mean_before(time, side_slip, start)
        size = float(np.max(np.abs(side_slip - rest)))
        found = steady(time, side_slip - rest, last, size, tolerance)
        if found.ok:
            figures.put("side_slip_steady", found.value / DEGREE, "deg")
        else:
            figures.missing(["side_slip_steady"], "deg", f"step steer: side slip is {found.why}")
        after = time >= zero
        most = (side_slip - rest)[after]
        figures.put("side_slip_peak", float(most[int(np.argmax(np.abs(most)))]) / DEGREE, "deg")
        if "yaw_rate_t_peak" in figures:
            figures.put("tb_factor", figures["yaw_rate_t_peak"][0] * abs(figures["side_slip_steady"][0]), "deg.s")
    if "speed" in given:
        speed = given["speed"]
        entry = mean_before(time, speed, start)
        change = (float(speed[-1]) - entry) / entry if entry else math.nan
        change = 0.0 if abs(change) < 1e-9 else change  # rounding of the mean
        figures.put("speed_change", 100 * change, "%")
        if abs(change) > SPEED_HOLDS:
            figures.warn(
                f"step steer: the speed changes by {change:+.1%}; steady values belong to the speed at the end"
            )
    return figures


def _response(
    figures: Figures,
    name: str,
    unit: str,
    time: Array,
    signal: Array,
    instants: tuple[float, float],
    last: tuple[float, float],
    step: float,
    tolerance: float,
) -> None:
    start, zero = instants
    per = DEGREE if unit.startswith("deg") else 1.0
    gain_unit = {"yaw_rate": "1/s", "ay": "m/s2/rad", "roll": "-"}[name]
    rest = mean_before(time, signal, start)
    change = signal - rest
    final = steady(time, change, last, tolerance=tolerance)
    if not final.ok or final.value == 0.0:
        why = f"step steer: {name} is {final.why or 'unchanged'}; its response cannot be told"
        figures.missing([f"{name}_{what}" for what in TIMED], "s", why)
        figures.missing([f"{name}_overshoot"], "%", why)
        figures.missing([f"{name}_steady"], unit, why)
        figures.missing([f"{name}_gain"], gain_unit, why)
        return
    normal = change / final.value
    noise = final.spread / abs(final.value)
    figures.put(f"{name}_t90", crossing(time, normal, 0.9, after=start, rising=True) - zero, "s")
    top_time, top = peak(time, normal, zero)
    if top - 1.0 > max(4.0 * noise, 5e-4):
        figures.put(f"{name}_t_peak", top_time - zero, "s")
        figures.put(f"{name}_overshoot", 100.0 * (top - 1.0), "%")
    else:
        figures.missing([f"{name}_t_peak"], "s", f"step steer: {name} has no peak above its steady value")
        figures.put(f"{name}_overshoot", 0.0, "%")
    figures.put(f"{name}_steady", final.value / per, unit)
    figures.put(f"{name}_gain", final.value / step, gain_unit)


def _rate(time: Array, moved: Array, size: float, start: float) -> float:
    """Mean rate between 10 % and 90 % of the step."""
    low, high = (crossing(time, moved, part * size, after=start, rising=True) for part in (0.1, 0.9))
    return 0.8 * size / (high - low) if high > low else math.inf


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    given = run.given("yaw_rate", "lateral_acceleration", "roll", "side_slip", "speed")
    return step_steer(run.time, run.signal("steering"), **given)


# --- the event -------------------------------------------------------------------------------------------------------


class StepSteer(Steered):
    """Step of the hand wheel; without an amplitude, the one that gives `lateral_acceleration` is found."""

    kind: ClassVar[str] = "step-steer"
    title: ClassVar[str] = "Step steer"
    standard: ClassVar[str] = "ISO 7401, ISO 14793"
    results: ClassVar[Kind] = Kind((of_run,), words=WORDS, first=FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "trucks": {"speed": 80 / 3.6, "lateral_acceleration": 2.0},  # ISO 14793
        "vi": {
            "speed": 5.0, "end_time": 10.0, "start_time": 1.0, "amplitude": math.radians(30), "duration": 0.1,
            "shape": "cubic",
        },
    }  # fmt: skip

    amplitude: float | None = quantity(
        "rad", None, typical=(0.0, 8.0), doc="hand wheel angle after the step; absent: found"
    )
    lateral_acceleration: float = quantity(
        "m/s2", 4.0, typical=(0.05, 60.0), doc="to find the amplitude for; negative turns right"
    )
    rate: float = quantity("rad/s", math.radians(500), gt=0, typical=(0.05, 35.0), doc="speed of the hand wheel")
    duration: float | None = quantity("s", None, gt=0, typical=(1e-3, 60.0), doc="of the step, instead of the rate")
    mode: Literal["absolute", "relative"] = choice(
        "absolute", doc="whether the amplitude counts from zero or from the initial angle"
    )
    shape: Literal["linear", "cubic"] = choice("linear", doc="of the step: straight, or 3τ² − 2τ³")

    def reference(self, start: Start) -> Any:
        assert self.amplitude is not None
        last = self.amplitude + (self.initial_steer if self.mode == "relative" else 0.0)
        size = last - self.initial_steer
        duration = self.duration if self.duration is not None else max(abs(size) / self.rate, 1e-3)
        if self.shape == "cubic":
            return cubic_step(self.initial_steer, last, self.start_time, duration)
        return Ramp(last, duration, start=self.initial_steer, delay=self.start_time)

    def prepared(self, start: Start) -> Self:
        if self.amplitude is not None:
            return self
        return self.changed(amplitude=find_amplitude(self, start, self.lateral_acceleration))


def cubic_step(first: float, last: float, begin: float, duration: float) -> FromTable:
    """y0 + (y1 - y0) (3τ² - 2τ³): exactly reproduced by a cubic spline with flat ends."""
    from jounce.core.tables import Table

    n = 65
    t = [begin * k / 2 for k in range(2)] + [begin + duration * k / (n - 1) for k in range(n)]
    tau = [min(max((x - begin) / duration, 0.0), 1.0) for x in t]
    y = [first + (last - first) * (3 * x * x - 2 * x**3) for x in tau]
    times, values = zip(*dict(zip(t, y, strict=True)).items(), strict=True)
    return FromTable(Table([times], values, method="akima", extrapolation="flat"))


def find_amplitude(event: StepSteer, start: Start, target: float) -> float:
    """Hand wheel angle with which the steady lateral acceleration after the step is `target` (secant method)."""
    angle = start.steering_for(target)
    known: list[tuple[float, float]] = [(0.0, 0.0)]
    for _ in range(SEARCH_RUNS):
        held = event.changed(amplitude=angle, release_time=None, end_time=event.release_time or event.end_time)
        try:
            reached = start.steady_lateral_acceleration(held)
        except UnstableStepError as problem:
            raise UnstableStepError(f"{event.kind}: the search for the hand wheel angle failed: {problem}") from None
        except SimulationError as problem:
            raise SimulationError(
                f"{event.kind}: no hand wheel angle gives {target:g} m/s² at {event.speed * 3.6:.4g} km/h; "
                f"tried {math.degrees(angle):.3g} deg: {problem}"
            ) from None
        if abs(reached - target) <= SEARCH_TOLERANCE * abs(target):
            return angle
        known.append((angle, reached))
        (a0, r0), (a1, r1) = known[-2:]
        gain = (r1 - r0) / (a1 - a0) if a1 != a0 else 0.0
        if not gain > 0:
            break
        angle = max(min(angle + (target - reached) / gain, 2.5 * abs(angle)), -2.5 * abs(angle))
    best = max((abs(r) for _, r in known), default=0.0)
    if start.step_note:
        raise UnstableStepError(f"{event.kind}: the search for the hand wheel angle failed: {start.step_note}")
    raise SimulationError(
        f"{event.kind}: no hand wheel angle gives {target:g} m/s² at {event.speed * 3.6:.4g} km/h; "
        f"{len(known) - 1} were tried, the most was {best:.3g} m/s²"
    )
