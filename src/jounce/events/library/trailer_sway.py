"""Sway of a trailer (ISO 9815): a short pulse of the hand wheel, and how the angle of the hitch swings afterwards.

At constant speed the hand wheel makes half a period of a sine and is held straight again. From the extremes of the
angle of a hitch that follow, the damping ratio D of its swing; over rising speeds it falls, and

    zero-damping speed   v where D = 0, on the line between the two speeds around it; beyond the last speed on the
                         line through the last two, which is told as extrapolated                                  (1)

A series ends where the swing grows, or a unit rolls over, folds or spins. The amplitude is that by which a neutral car
would come to ``lateral_acceleration`` at the first speed, on each speed anew: the swing shall be linear. The standard
gives no limits; it refers the damping to 100 km/h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.fields import choice, problem, quantity
from jounce.events.base import Driven, safety_ends
from jounce.events.procedure import Planned, Procedure, ladder
from jounce.events.towing import tows_nothing
from jounce.results.figures import Figures
from jounce.results.key_figures import combinations
from jounce.results.key_figures.common import DEGREE
from jounce.results.kinds import Kind
from jounce.results.panels import Curve, Panel, View, signals
from jounce.results.plots import COLOURS
from jounce.results.run import Run
from jounce.results.trials import shades, table_of_trials
from jounce.runtime.program import Open, Phase, Program, Sine

if TYPE_CHECKING:
    from jounce.events.start import Start
    from jounce.results.trials import Trial
    from jounce.vehicle.schema import Vehicle

REFERENCE = 100 / 3.6  # m/s
UNITS = {"sway_damping": "-", "sway_frequency": "Hz", "articulation_peak": "deg"}
OF_SERIES = {"zero_damping_speed": "km/h", "sway_damping_100": "-", "sway_damping_least": "-"}
WORDS = {
    "sway_damping": "Damping ratio of the sway",
    "sway_frequency": "Frequency of the sway",
    "articulation_peak": "Largest angle of the hitch",
    "zero_damping_speed": "Speed at which sway is not damped",
    "sway_damping_100": "Damping ratio at 100 km/h",
    "sway_damping_least": "Least damping ratio",
    "sway_speed": "Speed",
    "runs": "Runs",
}
FIRST = ("zero_damping_speed", "sway_damping_100", "sway_damping", "sway_frequency")
GROWS = ("spun", "rolled", "folded")


# --- key figures -----------------------------------------------------------------------------------------------------


def of_run(run: Run) -> Figures:
    """Key figures of a run, or of a series of speeds."""
    if run.trials:
        return _of_trials(run)
    figures = Figures()
    units = [unit for unit in combinations.moves_of(run) if unit.articulation is not None]
    over = run.number("start_time", "s") + run.number("duration", "s")
    figures.put("sway_speed", 3.6 * run.number("speed", "m/s"), "km/h")
    if not units or math.isnan(over):
        for key, told in UNITS.items():
            figures.missing([key], told, "trailer sway: the angle of a hitch was not recorded")
        return figures
    found = []
    for unit in units:
        assert unit.articulation is not None
        swing = combinations.free_swing(run.time, unit.articulation, over, float(unit.articulation[0]))
        peak = combinations.largest(run.time, unit.articulation, over) / DEGREE
        if not math.isnan(swing.damping):
            found.append((swing.damping, swing.frequency, peak))
    if not found:
        why = "trailer sway: no hitch swings after the pulse: fewer than two extremes"
        for key, told in UNITS.items():
            figures.missing([key], told, why)
        return figures
    for (key, told), value in zip(UNITS.items(), min(found), strict=True):  # the least damped hitch
        figures.put(key, value, told)
    return figures


def zero_damping(speeds: Sequence[float], damping: Sequence[float]) -> tuple[float, bool]:
    """(1): the speed, and whether it lies beyond those that were driven; nan where damping does not fall."""
    points = sorted(zip(speeds, damping, strict=True))
    for (v0, d0), (v1, d1) in pairwise(points):
        if d0 > 0 >= d1:
            return v0 + (v1 - v0) * d0 / (d0 - d1), False
    if len(points) < 2 or points[0][1] <= 0:
        return math.nan, True
    (v0, d0), (v1, d1) = points[-2:]
    return (v1 + (v1 - v0) * d1 / (d0 - d1), True) if d0 > d1 else (math.nan, True)


def _of_trials(run: Run) -> Figures:
    figures = Figures()
    known = [(t.figure("sway_speed"), t.figure("sway_damping")) for t in run.trials]
    known = sorted(item for item in known if not math.isnan(item[1]))
    figures.put("runs", float(len(run.trials)), "-")
    if not known:
        for key, unit in OF_SERIES.items():
            figures.missing([key], unit, "trailer sway: no run tells a damping")
        return figures
    speeds, damping = (list(values) for values in zip(*known, strict=True))
    figures.put("sway_damping_least", min(damping), "-")
    reference = 3.6 * REFERENCE
    if speeds[0] <= reference <= speeds[-1]:
        figures.put("sway_damping_100", float(np.interp(reference, speeds, damping)), "-")
    else:
        figures.missing(["sway_damping_100"], "-", "trailer sway: 100 km/h is not among the speeds")
    v, beyond = zero_damping(speeds, damping)
    lost = [t for t in run.trials if any(word in t.reason for word in GROWS) and t.figure("sway_damping") > 0]
    if lost:
        figures.warn(f"trailer sway: {lost[0].name} {lost[0].reason}, and was damped before: it was no small swing")
    if math.isnan(v):
        figures.missing(["zero_damping_speed"], "km/h", "trailer sway: damping does not fall with the speed")
        return figures
    figures.put("zero_damping_speed", v, "km/h")
    if beyond:
        figures.warn(f"trailer sway: the zero-damping speed is extrapolated from {speeds[-1]:.4g} km/h")
    return figures


def over_speed(view: View) -> list[Panel]:
    """Damping over speed, and the swings of all runs."""
    found, curves = [], []
    for k, (run, label) in enumerate(zip(view.runs, view.labels, strict=True)):
        points = sorted((t.figure("sway_speed"), t.figure("sway_damping")) for t in run.trials)
        points = [item for item in points if not math.isnan(item[1])]
        if len(points) > 1:
            v, d = (np.array(values) for values in zip(*points, strict=True))
            curves.append(Curve(label if view.many else "", v, d, COLOURS[k % len(COLOURS)]))
    if curves:
        found.append(
            Panel("Damping of the sway over speed", "speed / km/h", "", curves, "speed", "km/h", wide=True)
        )  # fmt: skip
    if not view.many and view.runs[0].trials:
        trials = view.runs[0].trials
        angles = [
            Curve(t.name, t.trace.time, t.trace["unit2.Articulation.yaw"] / DEGREE, colour)
            for t, colour in zip(trials, shades(trials, ("",)), strict=True)
            if "unit2.Articulation.yaw" in t.trace
        ]
        if angles:
            found.append(Panel("Angle of the first hitch, all runs", "time / s", "deg", angles, wide=True))
    return found


# --- the event -------------------------------------------------------------------------------------------------------


class TrailerSway(Driven, Procedure):
    """A pulse of the hand wheel at rising speeds: how is the sway of what is towed damped, and up to which speed?"""

    kind: ClassVar[str] = "trailer-sway"
    title: ClassVar[str] = "Trailer sway"
    standard: ClassVar[str] = "ISO 9815"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (over_speed, combinations.of_units, signals("steering", "speed")),
        WORDS,
        FIRST,
        (
            table_of_trials(
                "Speeds", ("sway_speed", "Speed"), ("sway_damping", "Damping ratio"), ("sway_frequency", "Frequency"),
                ("articulation_peak", "Largest angle"),
            ),
        ),
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}, "trucks": {"first_speed": 40 / 3.6, "speed": 90 / 3.6}}
    watches: ClassVar[tuple[str, ...]] = tuple(f"unit{n}.Articulation.yaw" for n in range(2, 10))

    speed: float = quantity("m/s", 120 / 3.6, gt=0, typical=(5.0, 60.0), doc="kept; of a series the last one")
    first_speed: float | None = quantity(
        "m/s", 60 / 3.6, gt=0, typical=(5.0, 60.0), doc="of a series; none: one speed alone"
    )
    speed_step: float = quantity("m/s", 10 / 3.6, gt=0, typical=(0.2, 10.0), doc="between the speeds of a series")
    end_time: float = quantity("s", 12.0, gt=0, typical=(1.0, 600.0), doc="end of a run")
    start_time: float = quantity("s", 1.0, ge=0, typical=(0.0, 60.0), doc="when the pulse begins")
    direction: Literal["left", "right"] = choice("left", doc="of the pulse")
    duration: float = quantity("s", 0.3, gt=0, typical=(0.05, 2.0), doc="of the pulse, half a period of a sine")
    lateral_acceleration: float = quantity(
        "m/s2", 3.0, gt=0, typical=(0.1, 6.0), doc="of a neutral car with the peak of the pulse held"
    )
    amplitude: float | None = quantity(
        "rad", None, gt=0, typical=(0.01, 8.0), doc="of the hand wheel; absent: by the lateral acceleration"
    )

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if self.first_speed is not None and self.first_speed > self.speed:
            raise problem(f"must not be above speed ({self.speed:g} m/s)", "first_speed")
        return self

    def refuses(self, vehicle: Vehicle) -> str:
        swings = any("yaw" in unit.data.hitch.free for unit in vehicle.layout.units[1:])
        return tows_nothing(vehicle) or ("" if swings else "no hitch lets what is towed yaw")

    @property
    def several(self) -> bool:
        return self.first_speed is not None

    @property
    def speeds(self) -> list[float]:
        """Of the series, the last one is `speed`."""
        return [self.speed] if self.first_speed is None else ladder(self.first_speed, self.speed, self.speed_step)

    def following(self, done: Sequence[Trial]) -> Planned | None:
        if len(done) >= len(self.speeds):
            return None
        if done and (done[-1].figure("sway_damping") <= 0 or any(word in done[-1].reason for word in GROWS)):
            return None
        speed = self.speeds[len(done)]
        return Planned(f"{3.6 * speed:.4g} km/h", {"speed": speed, "first_speed": None})

    def expected(self, done: Sequence[Trial]) -> int:
        return len(self.speeds)

    def severity(self, run: Run) -> float:
        """The less a swing is damped, the worse."""
        found = run.figures.get("sway_damping", (math.nan, "-"))[0]
        return math.inf if not run.complete else -math.inf if math.isnan(found) else -found

    def program(self, start: Start) -> Program:
        size = self.amplitude
        if size is None:
            size = abs(start.steering_per_curvature) * self.lateral_acceleration / self.speed**2
        wave = Sine(
            (1.0 if self.direction == "left" else -1.0) * size,
            0.5 / self.duration,
            delay=self.start_time,
            cycles=0.5,
        )
        ends = safety_ends(start.vehicle)
        return Program(
            Phase(self.kind, [Open("steering_wheel", wave), *self.pedals(start)], duration=self.end_time, ends=ends)
        )
