"""Manoeuvres that try to roll a car over: what fishhook and J-turn share.

The hand wheel angle is a multiple of A, the angle for 0.3 g (`slowly_increasing_steer.py` (1)), the throttle is
released when the steering begins, and the entry speed may grow from run to run until the car tips up:

    two-wheel lift   all tires of one side carry nothing for more than 0.02 s
    tip-up           all tires of one side are at least 51 mm (2 inches) above the ground together, or it rolls over

A lift is looked for among the rows of a run: with rows further apart than 10 ms short ones are missed, and the figures
say that they cannot be told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.driver.watch import Watch
from jounce.core.constants import GRAVITY
from jounce.core.fields import choice, problem, quantity
from jounce.core.tables import Table
from jounce.events.base import ROLLED_OVER
from jounce.events.follow import follow, follower, released
from jounce.events.library.slowly_increasing_steer import SIDES, SlowlyIncreasingSteer
from jounce.events.procedure import Before, Planned, Procedure, ladder
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, longest, sound, unsound
from jounce.results.panels import Curve, Panel, View, tires_of
from jounce.results.run import Run
from jounce.results.trials import shades, table_of_trials
from jounce.results.verdict import Criterion, Verdict, judge
from jounce.runtime.program import Channel, Constant, End, FromTable, Open, Phase, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.results.trials import Trial

ROLL_RATE = "chassis_velocities.roll"
QUIET = 1.5 * DEGREE  # rad/s: the car has rolled as far as it goes
LIFTED = 0.02  # s without load
TIP_UP = 0.051  # m, 2 inches
NO_LOAD = 1.0  # N
ROWS_APART = 0.0101  # s, at most
LOAD, DEPTH = "Tire.Ground_Surface_Force_Z.{}", "Tire.Effective_Penetration.{}"
FIGURES = ("two_wheel_lift", "lift_height", "tip_up")

WORDS = {
    "entry_speed": "Speed when the steering begins",
    "steering_at_nominal": "Steering wheel angle A at the nominal lateral acceleration",
    "steering_amplitude": "Amplitude of the steering wheel",
    "roll_peak": "Largest roll angle",
    "roll_rate_peak": "Largest roll rate",
    "side_slip_peak": "Largest side slip",
    "ay_peak": "Largest lateral acceleration",
    "two_wheel_lift": "All wheels of a side without load (1) or not (0)",
    "lift_height": "Height that all wheels of a side have together",
    "tip_up": "Tip-up (1) or not (0)",
    "lowest_tip_up_speed": "Lowest entry speed with tip-up",
    "runs": "Runs",
}
FIRST = ("tip_up", "lowest_tip_up_speed", "roll_peak", "lift_height", "ay_peak")


# --- key figures -----------------------------------------------------------------------------------------------------


def lift(time: Array, loads: Mapping[str, Array], heights: Mapping[str, Array]) -> Figures:
    """Return whether the wheels of a side left the ground together, and how high.

    Parameters
    ----------
    loads : vertical load by tire (``L1``, ``R1`` …; the letter is the side), N
    heights : height above the ground by tire, m; negative where it is pressed in

    Returns
    -------
    two_wheel_lift (1 or 0), lift_height (mm, 0 where no side is lifted), tip_up (1 or 0)
    """
    figures = Figures()
    sides = {side: [name for name in loads if name.startswith(side) and name in heights] for side in "LR"}
    why = unsound(time, *loads.values(), *heights.values()) or ("" if all(sides.values()) else "a side has no tires")
    if not why and float(np.max(np.diff(time))) > ROWS_APART:
        why = f"rows are further apart than {1e3 * ROWS_APART:.3g} ms: short lifts would be missed"
    if why:
        figures.missing(FIGURES, "-", f"lift: {why}")
        return figures
    span, highest = 0.0, 0.0
    for names in sides.values():
        free = np.all([loads[name] < NO_LOAD for name in names], axis=0)
        span = max(span, longest(time, free))
        highest = max(highest, float(np.max(np.min([heights[name] for name in names], axis=0))))
    figures.put("two_wheel_lift", float(span > LIFTED), "-")
    figures.put("lift_height", 1000.0 * highest, "mm")
    figures.put("tip_up", float(highest >= TIP_UP), "-")
    return figures


def of_single(run: Run) -> Figures:
    """Key figures of one run: what the car did."""
    figures = Figures()
    start = run.number("start_time", "s")
    start = float(run.time[0]) if math.isnan(start) else start
    rows = run.time >= start
    if run.has_signal("speed"):
        figures.put("entry_speed", 3.6 * float(np.interp(start, run.time, run.signal("speed"))), "km/h")
    angle = run.number("steering_at_nominal", "rad")
    if not math.isnan(angle):
        figures.put("steering_at_nominal", angle / DEGREE, "deg")
    known = sound(figures, run.event, **run.given("steering", "roll", "roll_rate", "side_slip", "lateral_acceleration"))
    for signal, name, factor, unit in (
        ("steering", "steering_amplitude", 1 / DEGREE, "deg"),
        ("roll", "roll_peak", 1 / DEGREE, "deg"),
        ("roll_rate", "roll_rate_peak", 1 / DEGREE, "deg/s"),
        ("side_slip", "side_slip_peak", 1 / DEGREE, "deg"),
        ("lateral_acceleration", "ay_peak", 1 / GRAVITY, "g_0"),
    ):
        if signal in known and rows.any():
            figures.put(name, factor * float(np.max(np.abs(known[signal][rows]))), unit)
    tires = tires_of(run, LOAD)
    heights = {name: -run[DEPTH.format(name)] for name in tires if DEPTH.format(name) in run}
    found = lift(run.time, {name: run[LOAD.format(name)] for name in tires}, heights)
    if "rolled" in run.reason:
        found.put("tip_up", 1.0, "-")
    figures.join(found)
    return figures


def of_trials(run: Run) -> Figures:
    """The worst of all runs, and the lowest speed at which the car tipped up."""
    figures = Figures()
    figures.put("steering_at_nominal", run.number("steering_at_nominal", "rad") / DEGREE, "deg")
    figures.put("runs", float(len(run.trials)), "-")
    for name, unit in (("roll_peak", "deg"), ("roll_rate_peak", "deg/s"), ("ay_peak", "g_0"), ("lift_height", "mm"),
                       ("two_wheel_lift", "-"), ("tip_up", "-")):  # fmt: skip
        values = [trial.figure(name) for trial in run.trials]
        told = [value for value in values if not math.isnan(value)]
        worst = max(told, default=math.nan)
        certain = len(told) == len(values) or (name in ("two_wheel_lift", "tip_up") and worst == 1.0)
        figures.put(name, worst if certain else math.nan, unit)
    tipped = [trial.figure("entry_speed", "km/h") for trial in run.trials if trial.figure("tip_up") == 1.0]
    if tipped:
        figures.put("lowest_tip_up_speed", min(tipped), "km/h")
    return figures


@dataclass(frozen=True)
class Entry:
    """How a run was steered, by the parameters of its event."""

    start: float  # s
    amplitude: float  # rad, with the sign of its direction
    rate: float  # rad/s

    @property
    def there(self) -> float:
        """When the hand wheel has come to its amplitude."""
        return self.start + abs(self.amplitude) / self.rate


def of_runs(more: Callable[[Run, Figures, Entry], None]) -> Callable[[Run], Figures]:
    """The figures of a kind: those of all runs of a series, or those of one with what ``more`` adds to them."""

    def of_run(run: Run) -> Figures:
        if run.trials:
            return of_trials(run)
        figures = of_single(run)
        amplitude = run.number("factor", "-") * run.number("steering_at_nominal", "rad")
        side = SIDES.get(str(run.parameter("direction")), math.nan)
        entry = Entry(run.number("start_time", "s"), side * amplitude, run.number("rate", "rad/s"))
        if not any(math.isnan(value) for value in (entry.start, entry.amplitude, entry.rate)):
            more(run, figures, entry)
        return figures

    return of_run


def verdict(run: Run) -> Verdict:
    """Tip-up or none, of every run."""
    if run.trials:
        items = [(t.name, t.figures, t.complete, t.reason) for t in run.trials]
    else:
        speed = run.figures.get("entry_speed", (math.nan, ""))[0]
        items = [
            (f"{run.parameter('direction') or 'this run'}, {speed:.4g} km/h", run.figures, run.complete, run.reason)
        ]
    found = []
    limit = 1000 * TIP_UP
    for name, figures, complete, reason in items:
        height = figures.get("lift_height", (math.nan, "mm"))[0]
        tipped = figures.get("tip_up", (math.nan, "-"))[0]
        met = True if tipped == 0.0 else False if tipped == 1.0 else None
        text = f"no tip-up ({name})"
        if "rolled" in reason:
            text, met = f"{text}: rolled over", False
        elif not complete and met is not False:
            text, met = f"{text}: {reason}", None
        elif met is None:
            text = f"{text}: {'; '.join(figures.warnings) or 'the lift is not known'}"
        elif met is False:
            text = f"{text}: all wheels of a side {height:.3g} mm above the ground"
        found.append(Criterion(text, met, height, limit, "mm"))
    if run.trials and not run.complete:
        found.append(Criterion(f"all runs driven: {run.reason}", None))
    return judge(*found)


def roll_traces(view: View) -> list[Panel]:
    """Roll angle of all runs over time."""
    if view.many or not view.runs[0].trials:
        return []
    trials = [t for t in view.runs[0].trials if t.trace.has_signal("roll")]
    curves = [
        Curve(t.name, t.trace.time, t.trace.signal("roll") / DEGREE, colour)
        for t, colour in zip(trials, shades(trials, tuple(SIDES)), strict=True)
    ]
    return [Panel("Roll angle, all runs", "time / s", "deg", curves, wide=True)]


TABLE = table_of_trials(
    "Runs",
    ("entry_speed", "Entry speed"),
    ("steering_amplitude", "Amplitude"),
    ("roll_peak", "Roll"),
    ("ay_peak", "Lateral acceleration"),
    ("lift_height", "Lift"),
    ("tip_up", "Tip-up"),
)


# --- the events ------------------------------------------------------------------------------------------------------


class Rollover(Procedure):
    """What fishhook and J-turn share: entry speeds, directions, the angle A, the throttle."""

    speed: float = quantity("m/s", 80 / 3.6, gt=0, typical=(5.0, 60.0), doc="entry speed; of a series the last one")
    first_speed: float | None = quantity(
        "m/s", None, gt=0, typical=(5.0, 60.0), doc="first entry speed of a series; absent: one speed"
    )
    speed_step: float = quantity("m/s", 8 / 3.6, gt=0, typical=(0.2, 10.0), doc="between entry speeds")
    direction: Literal["left", "right", "both"] = choice("left", doc="first direction of the hand wheel")
    start_time: float = quantity("s", 1.0, ge=0, typical=(0.0, 600.0), doc="when the steering begins")
    factor: float = quantity("-", 6.5, gt=0, typical=(0.5, 20.0), doc="amplitude over A")
    lateral_acceleration: float = quantity(
        "m/s2", 0.3 * GRAVITY, gt=0, typical=(0.1, 10.0), doc="nominal, for the angle A"
    )
    steering_at_nominal: float | None = quantity(
        "rad", None, gt=0, typical=(0.05, 3.0), doc="hand wheel angle A; absent: found by a slowly increasing steer"
    )
    pre_event_speed: float = quantity("m/s", 80 / 3.6, gt=0, typical=(5.0, 75.0), doc="of the slowly increasing steer")
    roll_rate: float = quantity(
        "rad/s", QUIET, gt=0, typical=(0.001, 0.5), doc="the car has rolled as far as it goes when it rolls more slowly"
    )

    @model_validator(mode="after")
    def _speeds(self) -> Self:
        if self.first_speed is not None and self.first_speed > self.speed:
            raise problem(f"must not be above speed ({self.speed:g} m/s)", "first_speed")
        return self

    @property
    def several(self) -> bool:
        return self.first_speed is not None or self.direction == "both"

    def before(self) -> Before | None:
        if self.steering_at_nominal is not None:
            return None
        same = ("friction", "grade", "bank", "road", "wheel_roads", "contact", "x", "y", "z", "heading", "controller")
        place = {name: getattr(self, name) for name in (*same, "accept")}
        ramps = SlowlyIncreasingSteer(
            speed=self.pre_event_speed, lateral_acceleration=self.lateral_acceleration, **place
        )
        return Before(ramps, "steering_at_nominal", "steering_at_nominal")

    @property
    def speeds(self) -> list[float]:
        """Entry speeds of the series, the last one is `speed`."""
        return [self.speed] if self.first_speed is None else ladder(self.first_speed, self.speed, self.speed_step)

    def following(self, done: Sequence[Trial]) -> Planned | None:
        for side in SIDES if self.direction == "both" else (self.direction,):
            mine = [trial for trial in done if trial.parameter("direction") == side]
            if len(mine) < len(self.speeds) and not any(trial.figure("tip_up") == 1.0 for trial in mine):
                speed = self.speeds[len(mine)]
                changes = {"direction": side, "speed": speed, "first_speed": None}
                return Planned(f"{side}, {3.6 * speed:.4g} km/h", changes)
        return None

    def expected(self, done: Sequence[Trial]) -> int:
        return len(self.speeds) * (2 if self.direction == "both" else 1)

    def severity(self, run: Run) -> float:
        """How high the wheels are; a car that rolls over is worst, and of others the one that rolls most."""
        if "rolled" in run.reason:
            return math.inf
        height = run.figures.get("lift_height", (math.nan, "mm"))[0]
        roll = run.figures.get("roll_peak", (math.nan, "deg"))[0]
        return (0.0 if math.isnan(height) else 1000.0 * height) + (0.0 if math.isnan(roll) else roll)

    def parts(self) -> tuple[Part, ...]:
        return follower(), Watch(channels=(ROLL_RATE,))

    # -- pieces of programs -----------------------------------------------------------------------------------

    @property
    def amplitude(self) -> float:
        """Hand wheel angle, with its sign."""
        assert self.steering_at_nominal is not None
        return SIDES.get(self.direction, 1.0) * self.factor * self.steering_at_nominal

    def straight(self, start: Start) -> Phase:
        """Straight ahead at the entry speed."""
        keeps = follow(start, Constant(self.speed))
        return Phase("straight", [Open("steering_wheel", Constant(0.0)), *keeps], duration=self.start_time)

    def coasting(self, steering: Any, brake: float = 0.0) -> list[Channel]:
        """The steering, without throttle."""
        return [
            Open("steering_wheel", steering),
            Open("throttle", Constant(0.0)),
            Open("brake", Constant(brake)),
            *released(),
        ]

    def rolls(self) -> When:
        """The car has begun to roll: only then its roll rate says that it has finished."""
        return When(ROLL_RATE, "abs>", self.roll_rate)

    def rolled_out(self) -> When:
        """The car has rolled as far as it goes."""
        return When(ROLL_RATE, "abs<", self.roll_rate)

    def ends(self) -> list[End]:
        """A car that lies on its side is not simulated further."""
        return [End(When("chassis_displacements.roll", "abs>", ROLLED_OVER), then=Stop("rolled over", failed=True))]


def line_through(points: Sequence[tuple[float, float]], absolute: bool = False) -> FromTable:
    """A hand wheel angle that goes straight from corner to corner, over phase time or the time of the run."""
    corners = dict(points)  # a pause of no length is one corner
    table = Table([list(corners)], list(corners.values()), method="linear", extrapolation="flat")
    return FromTable(table, absolute=absolute)
