"""Sine with dwell, after FMVSS 126 and UN R140: does the car recover, and did it move aside.

    BOS   beginning of steer: the steering wheel passes 5 degrees
    COS   completion of steer: it is back at zero after the dwell
    yaw-rate ratio      |ψ̇(COS + 1.00 s)| and |ψ̇(COS + 1.75 s)| over the first peak of ψ̇ after the steering has reversed
    displacement        of the centre of gravity across its first direction at BOS + 1.07 s

Pass: ratios of at most 35 % and 20 %, and, from five times the angle A for 0.3 g on, a displacement of at least 1.83 m
(1.52 m above 3500 kg). Signals are low-passed at 6 Hz, the steering wheel angle at 10 Hz, without phase shift.

The procedure: A from a slowly increasing steer (`slowly_increasing_steer.py` (1)); then, coasting from 80 km/h, with
T = 1/f and the time τ from the beginning of the steering,

    δ = α sin(2πfτ), with a pause of t_d at τ = ¾ T                                                             (1)

with amplitudes α = 1.5 A, 2 A, … up to the last one,

    α_last = max(6.5 A, 270°) where 6.5 A <= 300°, otherwise 300°                                               (2)

first to the left, then to the right. Every run has to pass. ([FMVSS126] S7.9; the steps go on from 6.5 A to 270°, as
long as they stay below the last amplitude.) A car that rolls over in one direction is not driven further there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.core.fields import choice, flag, quantity
from jounce.events.base import ROLLED_OVER
from jounce.events.follow import follow, follower, released
from jounce.events.library.slowly_increasing_steer import SlowlyIncreasingSteer
from jounce.events.procedure import Before, Planned, Procedure
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, sound, unsound
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, Curve, Panel, View
from jounce.results.run import Run
from jounce.results.signals import crossing, low_pass
from jounce.results.trials import shades, table_of_trials
from jounce.results.verdict import NONE, PASS, Criterion, Verdict, judge
from jounce.runtime.program import Constant, End, Open, Phase, Program, Sine, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.results.trials import Trial

BEGIN = 5 * DEGREE
LIMITS = {1.00: 35.0, 1.75: 20.0}  # s after COS: %
DISPLACEMENT = {True: 1.83, False: 1.52}  # m, up to and above 3500 kg
HEAVY = 3500.0  # kg
ASIDE_FROM = 5.0  # A: from this amplitude on the displacement is asked for
FIRST_GAIN, GAIN_STEP, LAST_GAIN = 1.5, 0.5, 6.5  # of A
LEAST_LAST, MOST = 270 * DEGREE, 300 * DEGREE  # of the last amplitude, (2)
SPEED, SPEED_WITHIN = 80 / 3.6, 2 / 3.6  # m/s
RIPPLE = 0.05  # of the yaw rate: what it falls behind a first peak; less is no peak
ROUNDING = 1e-9  # of a gain
SIDES = {"left": 1.0, "right": -1.0}

WORDS = {
    "yaw_rate_ratio_1_00": "Yaw rate ratio at COS + 1.00 s",
    "yaw_rate_ratio_1_75": "Yaw rate ratio at COS + 1.75 s",
    "lateral_displacement": "Lateral displacement at BOS + 1.07 s",
    "steering_amplitude": "Amplitude of the steering wheel",
    "swd_pass": "Sine with dwell passed (1) or failed (0)",
    "steering_at_nominal": "Steering wheel angle A at the nominal lateral acceleration",
    "steering_gain": "Amplitude over A",
    "runs": "Runs",
    "largest_amplitude_left": "Largest amplitude driven, left",
    "largest_amplitude_right": "Largest amplitude driven, right",
    "speed_at_steer": "Speed at the beginning of steer",
}
FIRST = ("yaw_rate_ratio_1_00", "yaw_rate_ratio_1_75", "lateral_displacement", "steering_at_nominal")


def sine_with_dwell(
    time: Array,
    steering: Array,
    yaw_rate: Array,
    *,
    x: Array | None = None,
    y: Array | None = None,
    mass: float = math.nan,
    amplitude_ratio: float = math.nan,
    filtered: bool = True,
) -> Figures:
    """Return the key figures of one sine with dwell.

    Parameters
    ----------
    time, steering, yaw_rate : s, rad at the steering wheel, rad/s
    x, y : m, position of the centre of gravity; displacement is across the direction of motion at the start
    mass : kg, gross; amplitude_ratio : amplitude over the angle for 0.3 g. Both decide about the displacement
    filtered : low-pass the signals first; needs a uniform time base

    Returns
    -------
    yaw_rate_ratio_1_00, yaw_rate_ratio_1_75 (%), lateral_displacement (m), yaw_rate_peak (deg/s), steering_amplitude
    (deg), swd_pass (1 or 0; nan when it cannot be told)
    """
    figures = Figures()
    why = unsound(time, steering, yaw_rate, least=20)
    if why:
        figures.missing(["yaw_rate_ratio_1_00", "yaw_rate_ratio_1_75"], "%", f"sine with dwell: {why}")
        return figures
    if filtered:
        nyquist = 0.5 / float(np.median(np.diff(time)))
        if nyquist > 12.0:
            steering, yaw_rate = low_pass(time, steering, 10.0, 6), low_pass(time, yaw_rate, 6.0, 6)
        else:
            figures.warn("sine with dwell: sampled too slowly for the filters of the rule; not filtered")
    names = ["yaw_rate_ratio_1_00", "yaw_rate_ratio_1_75"]
    amplitude = float(np.max(np.abs(steering)))
    figures.put("steering_amplitude", amplitude / DEGREE, "deg")
    first = float(steering[int(np.argmax(np.abs(steering) > 0.5 * amplitude))])
    side = math.copysign(1.0, first)
    wheel = side * steering
    begin = crossing(time, wheel, min(BEGIN, 0.2 * amplitude), rising=True)
    reverse = crossing(time, wheel, 0.0, after=begin, rising=False) if not math.isnan(begin) else math.nan
    lowest = time[int(np.argmin(wheel))]
    # the last quarter of the sine ends at zero and does not pass it: 1 % of the amplitude counts as there
    done = crossing(time, wheel, -0.01 * amplitude, after=float(lowest), rising=True)
    if math.isnan(begin) or math.isnan(reverse) or math.isnan(done):
        figures.missing(names, "%", "sine with dwell: the steering wheel does not make a sine with dwell")
        return figures
    after = time >= reverse
    top = _first_peak(-side * yaw_rate[after])
    figures.put("yaw_rate_peak", top / DEGREE, "deg/s")
    if top <= 0.0:
        figures.missing(names, "%", "sine with dwell: the yaw rate does not follow the reversal of the steering")
        return figures
    passed: float = 1.0
    for (wait, limit), name in zip(LIMITS.items(), names, strict=True):
        if done + wait > time[-1]:
            figures.missing([name], "%", f"sine with dwell: the record ends before COS + {wait:.2f} s")
            passed = math.nan
            continue
        ratio = 100.0 * abs(float(np.interp(done + wait, time, yaw_rate))) / top
        figures.put(name, ratio, "%")
        passed = 0.0 if ratio > limit and not math.isnan(passed) else passed
    place = sound(figures, "sine with dwell", x=x, y=y)
    if len(place) == 2 and begin + 1.07 <= time[-1]:
        x, y = place["x"], place["y"]
        k = int(np.searchsorted(time, begin))
        k = max(k, 1)
        heading = math.atan2(float(y[k] - y[max(k - 5, 0)]), float(x[k] - x[max(k - 5, 0)]))
        dx, dy = (float(np.interp(begin + 1.07, time, p)) - float(np.interp(begin, time, p)) for p in (x, y))
        aside = side * (dy * math.cos(heading) - dx * math.sin(heading))
        figures.put("lateral_displacement", aside, "m")
        if not math.isnan(mass) and not math.isnan(amplitude_ratio):
            needed = DISPLACEMENT[mass <= HEAVY]
            if amplitude_ratio >= ASIDE_FROM - ROUNDING and aside < needed and not math.isnan(passed):
                passed = 0.0
        else:
            figures.warn(
                "sine with dwell: displacement not judged; mass or amplitude over the 0.3 g angle is not known"
            )
    figures.put("swd_pass", passed, "-")
    return figures


def _first_peak(values: Array) -> float:
    """The first largest value that is followed by smaller ones: ripples of some percent do not count."""
    largest = np.maximum.accumulate(values)
    over = np.flatnonzero((largest > 0.0) & (values < (1.0 - RIPPLE) * largest))
    return float(largest[over[0]] if len(over) else largest[-1])


def gross_mass(run: Run) -> float:
    """Of the vehicle as it may be loaded; where nobody says, its mass as it is driven."""
    found = (run.number("gross_mass", "kg"), run.quantity("gross_mass"), run.quantity("mass"))
    return next((value for value in found if not math.isnan(value)), math.nan)


def of_run(run: Run) -> Figures:
    """Key figures of a single run, or of all runs of the procedure."""
    if run.trials:
        return of_trials(run)
    position = run.given("x", "y")
    gain = run.number("gain", "-")
    figures = sine_with_dwell(
        run.time,
        run.signal("steering"),
        run.signal("yaw_rate"),
        **position,
        mass=gross_mass(run),
        amplitude_ratio=gain,
    )
    if not math.isnan(gain):
        figures.put("steering_gain", gain, "-")
    angle = run.number("steering_at_nominal", "rad")
    if not math.isnan(angle):
        figures.put("steering_at_nominal", angle / DEGREE, "deg")
    start = run.number("start_time", "s")
    if not math.isnan(start) and run.has_signal("speed"):
        figures.put("speed_at_steer", 3.6 * float(np.interp(start, run.time, run.signal("speed"))), "km/h")
    return figures


def of_trials(run: Run) -> Figures:
    """The worst of all runs, and how far the procedure went."""
    figures = Figures()
    for name, unit in (("yaw_rate_ratio_1_00", "%"), ("yaw_rate_ratio_1_75", "%")):
        values = [trial.figure(name, unit) for trial in run.trials]
        if any(math.isnan(value) for value in values):
            why = {text for trial in run.trials for text in trial.figures.warnings if "COS" in text or "yaw" in text}
            figures.missing([name], unit, "; ".join(sorted(why)) or f"{name}: a run does not tell")
        else:
            figures.put(name, max(values), unit)
    far = [t.figure("lateral_displacement", "m") for t in run.trials if _asked_aside(t)]
    if far:
        figures.put("lateral_displacement", math.nan if any(math.isnan(v) for v in far) else min(far), "m")
    figures.put("steering_at_nominal", run.number("steering_at_nominal", "rad") / DEGREE, "deg")
    figures.put("runs", float(len(run.trials)), "-")
    for side in SIDES:
        driven = [t.figure("steering_amplitude", "deg") for t in run.trials if t.parameter("direction") == side]
        if driven:
            figures.put(f"largest_amplitude_{side}", max(driven), "deg")
    told = verdict(run)
    figures.put("swd_pass", {"pass": 1.0, "fail": 0.0}.get(told.word, math.nan), "-")
    return figures


def _asked_aside(trial: Trial) -> bool:
    return float(trial.parameter("gain") or 0.0) >= ASIDE_FROM - ROUNDING


# --- the verdict -----------------------------------------------------------------------------------------------------


def verdict(run: Run) -> Verdict:
    """What FMVSS 126 and UN R140 say of the procedure; of a single run, whether it fails."""
    needed = DISPLACEMENT[gross_mass(run) <= HEAVY]
    if not run.trials:
        found = judge(*_criteria([("this run", run.kpis, run.number("gain", "-"), run.complete, run.reason)], needed))
        if found.word == PASS:
            return Verdict(
                NONE, "this run meets the criteria; the rule asks for all amplitudes both ways", found.criteria
            )
        return found
    runs = [(t.name, t.figures, float(t.parameter("gain") or 0.0), t.complete, t.reason) for t in run.trials]
    return judge(*_criteria(runs, needed), *_conditions(run))


def _criteria(runs: Sequence[tuple[str, Any, float, bool, str]], needed: float) -> list[Criterion]:
    """Those of every run, each with the worst one."""
    found = []
    over = [f"{name}: {reason}" for name, _, _, complete, reason in runs if not complete and "rolled" in reason]
    found.append(Criterion("the car stays on its wheels" + "".join(f"; {text}" for text in over), not over))
    for wait, limit in LIMITS.items():
        key = f"yaw_rate_ratio_{wait:.2f}".replace(".", "_")
        values = [(figures.get(key, (math.nan, "%"))[0], name) for name, figures, _, _, _ in runs]
        text = f"yaw rate at most {limit:g} % of its peak at COS + {wait:.2f} s"
        found.append(_worst(text, values, limit, "%", 1.0))
    asked = [
        (figures.get("lateral_displacement", (math.nan, "m"))[0], name)
        for name, figures, gain, _, _ in runs
        if gain >= ASIDE_FROM - ROUNDING
    ]
    if asked:
        text = f"displacement at least {needed:g} m at BOS + 1.07 s from {ASIDE_FROM:g} A on"
        found.append(_worst(text, asked, needed, "m", -1.0))
    return found


def _worst(text: str, values: Sequence[tuple[float, str]], limit: float, unit: str, sign: float) -> Criterion:
    """Whether all values are below a limit (sign 1) or above it (−1), told by the worst."""
    known = [(sign * value, name) for value, name in values if not math.isnan(value)]
    unknown = [name for value, name in values if math.isnan(value)]
    if known:
        worst, name = max(known)
        if worst > sign * limit:
            return Criterion(f"{text}: {sign * worst:.4g} {unit} ({name})", False, sign * worst, limit, unit)
        if not unknown:
            return Criterion(f"{text}: {sign * worst:.4g} {unit} ({name})", True, sign * worst, limit, unit)
    return Criterion(f"{text}: not told by {', '.join(unknown[:3])}", None, limit=limit, unit=unit)


def _conditions(run: Run) -> list[Criterion]:
    """Whether the procedure was driven as the rule has it."""
    angle = run.number("steering_at_nominal", "rad")
    wanted = {side: last_amplitude(angle) / DEGREE for side in SIDES}
    found = []
    for side, last in wanted.items():
        driven = [t for t in run.trials if t.parameter("direction") == side]
        most = max((t.parameter("gain") * angle / DEGREE for t in driven), default=0.0)
        text = f"amplitudes to the {side} up to {last:.4g} deg"
        whole = most >= last * (1.0 - ROUNDING)
        why = f": driven up to {most:.4g} deg" if driven else ": not driven"
        found.append(Criterion(text if whole else text + why, True if whole else None, most, last, "deg"))
    speeds = [trial.figure("speed_at_steer", "km/h") for trial in run.trials]
    worst = max(speeds, key=lambda v: math.inf if math.isnan(v) else abs(v - 3.6 * SPEED))
    text = f"speed at the beginning of steer {3.6 * SPEED:g} ± {3.6 * SPEED_WITHIN:g} km/h: {worst:.4g} km/h"
    right = abs(worst / 3.6 - SPEED) <= SPEED_WITHIN
    found.append(Criterion(text, True if right else None, worst, 3.6 * SPEED, "km/h"))
    return found


# --- the event -------------------------------------------------------------------------------------------------------


def last_amplitude(angle: float) -> float:
    """Amplitude of the last run (2), for the angle A; rad."""
    return max(LAST_GAIN * angle, LEAST_LAST) if LAST_GAIN * angle <= MOST else MOST


def ladder(angle: float) -> list[float]:
    """Amplitudes over A, from the first to the last."""
    last = last_amplitude(angle) / angle
    steps: list[float] = []
    while (gain := FIRST_GAIN + GAIN_STEP * len(steps)) < last * (1.0 - ROUNDING):
        steps.append(gain)
    return [*steps, last]


def amplitude_traces(signal: str, title: str, unit: str, factor: float) -> Any:
    """A panel with a signal of all runs over time."""

    def make(view: View) -> list[Panel]:
        if view.many or not view.runs[0].trials:
            return []
        trials = [t for t in view.runs[0].trials if t.trace.has_signal(signal)]
        named = {next(t.name for t in reversed(trials) if t.name.startswith(s)) for s in _sides(trials)}
        curves = [
            Curve(t.name if t.name in named else "", t.trace.time, factor * t.trace.signal(signal), colour)
            for t, colour in zip(trials, shades(trials, tuple(SIDES)), strict=True)
        ]
        return [Panel(title, "time / s", unit, curves, wide=True)]

    return make


def _sides(trials: Sequence[Trial]) -> list[str]:
    return [side for side in SIDES if any(t.name.startswith(side) for t in trials)]


def figures_over_amplitude(view: View) -> list[Panel]:
    """Yaw-rate ratios and displacement over the amplitude, with their limits."""
    runs = [(run, label) for run, label in zip(view.runs, view.labels, strict=True) if run.trials]
    colours = ("#1f5fa8", "#d9822b", "#2f8f5b", "#c0392b")
    found = []
    for key, title, unit, limit in (
        ("yaw_rate_ratio_1_00", "Yaw rate ratio at COS + 1.00 s", "%", LIMITS[1.00]),
        ("yaw_rate_ratio_1_75", "Yaw rate ratio at COS + 1.75 s", "%", LIMITS[1.75]),
        ("lateral_displacement", "Displacement at BOS + 1.07 s", "m", math.nan),
    ):
        curves: list[Curve] = []
        ends = [math.inf, -math.inf]
        for run, label in runs:
            for side in _sides(run.trials):
                mine = [t for t in run.trials if t.name.startswith(side)]
                x = np.array([t.figure("steering_amplitude", "deg") for t in mine])
                y = np.array([t.figure(key, unit) for t in mine])
                ends = [min(ends[0], float(np.nanmin(x))), max(ends[1], float(np.nanmax(x)))]
                name = f"{side} · {label}" if view.many else side
                dash = () if side == "left" else (5, 3)  # the sides of a symmetric car lie upon each other
                curves.append(Curve(name, x, y, colours[len(curves) % len(colours)], dash))
        if not curves:
            continue
        if key == "lateral_displacement":
            run = runs[0][0]
            limit = DISPLACEMENT[gross_mass(run) <= HEAVY]
            ends[0] = ASIDE_FROM * run.number("steering_at_nominal", "rad") / DEGREE
        if ends[1] > ends[0]:
            curves.append(Curve("limit", np.array(ends), np.full(2, limit), "#b3261e", (6, 4)))
        found.append(Panel(title, "amplitude / deg", unit, curves, "amplitude", "deg", ordered=True))
    return found


class SineWithDwell(Procedure):
    """Does a stability control bring the car back: a sine of the hand wheel with a pause, stronger from run to run.

    The whole procedure of the rule, with its verdict, unless `gain` says one amplitude.
    """

    kind: ClassVar[str] = "sine-with-dwell"
    title: ClassVar[str] = "Sine with dwell"
    standard: ClassVar[str] = "FMVSS 126, UN R140"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (
            amplitude_traces("yaw_rate", "Yaw rate, all amplitudes", "deg/s", 1 / DEGREE),
            figures_over_amplitude,
            *USUAL,
        ),
        WORDS,
        FIRST,
        drawings=(
            table_of_trials(
                "Runs", ("steering_amplitude", "Amplitude"), ("steering_gain", "Over A"),
                ("yaw_rate_peak", "Yaw rate peak"), ("yaw_rate_ratio_1_00", "At COS + 1.00 s"),
                ("yaw_rate_ratio_1_75", "At COS + 1.75 s"), ("lateral_displacement", "Displacement"),
            ),
        ),
        verdict=verdict,
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "rule": {},
        "vi": {"gain": 1.0, "frequency": 0.6, "end_time": 30.0},
    }
    moves: ClassVar[tuple[str, ...]] = ("direction", "gain", "steering_at_nominal")

    speed: float = quantity("m/s", SPEED, gt=0, typical=(5.0, 75.0), doc="when the steering begins")
    end_time: float = quantity("s", 6.0, gt=0, typical=(1e-3, 7200.0), doc="end of a run")
    start_time: float = quantity("s", 1.0, ge=0, typical=(0.0, 600.0), doc="when the steering begins")
    frequency: float = quantity("Hz", 0.7, gt=0, typical=(0.1, 5.0), doc="of the sine")
    dwell: float = quantity("s", 0.5, ge=0, typical=(0.0, 5.0), doc="pause at the second peak")
    gain: float | None = quantity(
        "-", None, gt=0, typical=(0.5, 20.0), doc="amplitude over A, of one run to each side; absent: all of the rule"
    )
    direction: Literal["both", "left", "right"] = choice("both", doc="first direction of the hand wheel")
    lateral_acceleration: float = quantity(
        "m/s2", 0.3 * GRAVITY, gt=0, typical=(0.1, 10.0), doc="nominal, for the angle A"
    )
    steering_at_nominal: float | None = quantity(
        "rad", None, gt=0, typical=(0.05, 3.0), doc="hand wheel angle A; absent: found by a slowly increasing steer"
    )
    pre_event_speed: float = quantity("m/s", SPEED, gt=0, typical=(5.0, 75.0), doc="of the slowly increasing steer")
    coast: bool = flag(True, doc="release the throttle when the steering begins; otherwise the speed is held")
    gross_mass: float | None = quantity(
        "kg",
        None,
        gt=0,
        typical=(300.0, 60e3),
        doc="largest mass allowed, for the displacement; absent: the mass as it is driven",
    )

    @property
    def several(self) -> bool:
        return self.gain is None or self.direction == "both"

    def before(self) -> Before | None:
        if self.steering_at_nominal is not None:
            return None
        same = ("friction", "grade", "bank", "road", "wheel_roads", "contact", "x", "y", "z", "heading", "controller")
        place = {name: getattr(self, name) for name in (*same, "accept")}
        ramps = SlowlyIncreasingSteer(
            speed=self.pre_event_speed, lateral_acceleration=self.lateral_acceleration, **place
        )
        return Before(ramps, "steering_at_nominal", "steering_at_nominal")

    def following(self, done: Sequence[Trial]) -> Planned | None:
        for side in SIDES if self.direction == "both" else (self.direction,):
            mine = [trial for trial in done if trial.parameter("direction") == side]
            if len(mine) < len(self._gains) and not any("rolled" in trial.reason for trial in mine):
                gain = self._gains[len(mine)]
                return Planned(f"{side}, {gain:.4g} A", {"direction": side, "gain": gain})
        return None

    @property
    def _gains(self) -> list[float]:
        assert self.steering_at_nominal is not None
        return ladder(self.steering_at_nominal) if self.gain is None else [self.gain]

    def expected(self, done: Sequence[Trial]) -> int:
        return len(self._gains) * (2 if self.direction == "both" else 1)

    def severity(self, run: Run) -> float:
        """The largest ratio over its limit; a car that rolls over is worst."""
        if not run.complete:
            return math.inf
        ratios = [
            run.figures.get(f"yaw_rate_ratio_{wait:.2f}".replace(".", "_"), (math.nan, "%"))[0] / limit
            for wait, limit in LIMITS.items()
        ]
        return max((r for r in ratios if not math.isnan(r)), default=-math.inf)

    def parts(self) -> tuple[Part, ...]:
        return (follower(),)

    def program(self, start: Start) -> Program:
        assert self.steering_at_nominal is not None
        assert self.gain is not None
        amplitude = SIDES.get(self.direction, 1.0) * self.gain * self.steering_at_nominal
        keeps = follow(start, Constant(self.speed))
        over = [End(When("chassis_displacements.roll", "abs>", ROLLED_OVER), then=Stop("rolled over", failed=True))]
        wave = Sine(amplitude, self.frequency, cycles=1.0, dwell_at=0.75, dwell=self.dwell)  # (1)
        free = [Open("throttle", Constant(0.0)), Open("brake", Constant(0.0)), *released()] if self.coast else keeps
        return Program(
            Phase("straight", [Open("steering_wheel", Constant(0.0)), *keeps], duration=self.start_time, ends=over),
            Phase("steer", [Open("steering_wheel", wave), *free], duration=self.end_time - self.start_time, ends=over),
        )
