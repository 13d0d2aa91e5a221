"""Steady-state circular driving by the three methods of ISO 4138, and with a ramp of the speed.

    constant_radius            a driver stays on a circle, the speed grows
    constant_steering_wheel    the hand wheel is held, the speed grows, and with it the radius of an understeering car
    constant_speed             the hand wheel is turned slowly, the radius shrinks

The car starts in steady running on the circle, at constant speed straight ahead. Then the lateral acceleration grows
evenly, as slowly that every instant counts as steady: of a car that stays on its circle, with a rate r,

    v² = v₀² + R r (t − start),     a neutral car at constant speed:  dδ_H/dt = i L r/v²                            (1)

until the car leaves the circle, slides, or the time is over. With ``duration`` the speed grows linearly to
``final_speed`` instead (preset ``vi``). Key figures: ``results/key_figures/steady_state``. The standard gives no
limits.

Of a vehicle of several units (ISO 14792) the figures tell too, at a_y = 2 m/s² of the first one, where axles run beside
the way of the first axle, the angles of the hitches and the load transfer of the units; outwards is negative.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.fields import choice, flag, problem, quantity
from jounce.core.tables import Table
from jounce.events.along import DISTANCE
from jounce.events.base import ends_of_units, safety_ends
from jounce.events.follow import follow
from jounce.events.library.ramp_steer import RESULTS
from jounce.events.turning import Turning
from jounce.results.figures import Figures
from jounce.results.key_figures import combinations, steady_state
from jounce.results.key_figures.combinations import ARTICULATION, MOST_UNITS, last_axle
from jounce.results.key_figures.common import DEGREE, moving_mean
from jounce.results.kinds import Kind
from jounce.results.panels import Panel, View
from jounce.results.run import Run
from jounce.results.units import OFF, RATIO, units_of
from jounce.runtime.program import Channel, End, FromTable, Open, Phase, Program, Ramp, Rate, Stop, When

if TYPE_CHECKING:
    from jounce.events.start import Start

USUAL: dict[str, dict[str, float]] = {  # where a method has its own
    "constant_radius": {},
    "constant_steering_wheel": {"speed": 5.0, "radius": 40.0, "lateral_acceleration_rate": 0.2},
    "constant_speed": {"speed": 100 / 3.6, "lateral_acceleration_rate": 0.2},
}
MEAN = 0.5  # s, over which signals are averaged
HELD = ("steering_gradient", "deg/g_0"), ("steering_at_0_3g", "deg")  # what a hand wheel that is held does not tell


AT = 2.0  # m/s²
OF_UNITS = {
    "off_tracking_last": "Off-tracking of the last axle at 2 m/s²",
    **{f"hitch_angle_unit{n}": f"Angle of the hitch of unit {n} at 2 m/s²" for n in range(2, MOST_UNITS + 1)},
    **{f"ltr_unit{n}": f"Load transfer ratio of unit {n} at 2 m/s²" for n in range(1, MOST_UNITS + 1)},
}


def of_units(run: Run) -> Figures:
    """What further units do in the circle."""
    figures, axle, units = Figures(), last_axle(run), units_of(run)
    if len(units) < 2 or not run.has_signal("lateral_acceleration"):
        return figures
    side = -1.0 if run.parameter("direction") == "right" else 1.0
    grown = np.maximum.accumulate(side * moving_mean(run.time, run.signal("lateral_acceleration"), MEAN))
    wanted = [("off_tracking_last", OFF.format(axle), 1.0, "m")] if axle else []
    for unit in units:
        wanted.append((f"ltr_unit{unit.number}", unit.channel(RATIO), 1.0, "-"))
        if unit.number > 1:
            wanted.append((f"hitch_angle_unit{unit.number}", unit.channel(ARTICULATION), 1 / DEGREE, "deg"))
    for key, name, factor, told in wanted:
        if name not in run:
            continue
        if not grown[0] <= AT <= grown[-1]:
            figures.missing([key], told, f"steady circle: {AT:g} m/s² is not among the lateral accelerations")
            continue
        figures.put(key, side * factor * float(np.interp(AT, grown, moving_mean(run.time, run[name], MEAN))), told)
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    found = steady_state.of_run(run)
    found.join(of_units(run))
    if run.parameter("method") != "constant_steering_wheel":
        return found
    figures = Figures()
    for key, (value, unit) in found.items():
        if key not in dict(HELD):
            figures.put(key, value, unit)
    for warning in found.warnings:
        if not warning.startswith(steady_state.NO_LINE):
            figures.warn(warning)
    for key, unit in HELD:
        figures.missing([key], unit, "steady circle: the hand wheel is held")
    return figures


def of_several(view: View) -> list[Panel]:
    """What the units do, of vehicles that have several."""
    return combinations.of_units(view) if all(len(units_of(run)) > 1 for run in view.runs) else []


class SteadyCircle(Turning):
    """A circle at slowly rising lateral acceleration: understeer, roll, side slip, and the limit."""

    kind: ClassVar[str] = "steady-circle"
    title: ClassVar[str] = "Steady-state circular driving"
    standard: ClassVar[str] = "ISO 4138, ISO 14792"
    results: ClassVar[Kind] = replace(
        RESULTS, figures=(of_run,), panels=(*RESULTS.panels, of_several), words={**RESULTS.words, **OF_UNITS}
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "trucks": {"speed": 7.0, "leaves": 3.0},  # ISO 14792
        "vi": {
            "speed": 10.0, "end_time": 40.0, "start_time": 5.0, "duration": 30.0, "entry": 30.0, "final_speed": 30.0,
        },
    }  # fmt: skip

    method: Literal["constant_radius", "constant_steering_wheel", "constant_speed"] = choice(
        "constant_radius", doc="what stays as it is"
    )
    speed: float = quantity(
        "m/s",
        10.0,
        gt=0,
        typical=(1.0, 75.0),
        doc="at the start; absent: by the method 10 m/s, 5 m/s, 100 km/h",
    )
    radius: float = quantity(
        "m",
        100.0,
        gt=0,
        typical=(5.0, 2000.0),
        doc="of the circle at the start; absent, with the hand wheel held: 40 m",
    )
    steering: Literal["held", "path"] = choice("path", doc="follows from the method")
    cruise: bool = flag(True, doc="always: the speed is followed")
    end_time: float = quantity("s", 150.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run, at the latest")
    start_time: float = quantity("s", 2.0, ge=0, typical=(0.0, 600.0), doc="when the acceleration begins to grow")
    lateral_acceleration_rate: float = quantity(
        "m/s3",
        0.1,
        gt=0,
        typical=(0.005, 2.0),
        doc="growth of a neutral car's a_y; absent: by the method 0.1, 0.2, 0.2 m/s3",
    )
    duration: float | None = quantity(
        "s", None, gt=0, typical=(1.0, 600.0), doc="of a linear ramp of the speed instead, to final_speed"
    )
    final_speed: float | None = quantity(
        "m/s", None, gt=0, typical=(1.0, 75.0), doc="at which the speed stays; absent: it grows until the end"
    )
    side_slip_end: float = quantity(
        "rad", math.radians(15), gt=0, typical=(0.02, 3.2), doc="side slip at which the run ends"
    )
    leaves: float = quantity(
        "m", 2.0, gt=0, typical=(0.1, 50.0), doc="distance from the circle at which the run ends: that is the limit"
    )

    @model_validator(mode="before")
    @classmethod
    def _by_method(cls, raw: Any) -> Any:
        """Speed and radius that a method has of its own, and who steers."""
        if not isinstance(raw, Mapping):
            return raw
        method = raw.get("method", "constant_radius")
        if not isinstance(method, str) or method not in USUAL:
            return raw
        return {**USUAL[method], "steering": "path" if method == "constant_radius" else "held", **raw}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if (self.steering == "path") != (self.method == "constant_radius"):
            raise problem(f"the method {self.method} says who steers; leave it out", "steering")
        if self.duration is not None and self.final_speed is None:
            raise problem("a ramp of the speed needs its end: final_speed", "duration")
        if self.method == "constant_speed" and (self.final_speed is not None or self.duration is not None):
            raise problem("the speed stays as it is", "final_speed" if self.final_speed is not None else "duration")
        if not self.cruise:
            raise problem("the speed is followed here by a driver; the event has no other way", "cruise")
        return self

    @property
    def initial_curvature(self) -> float:
        return 0.0 if self.method == "constant_speed" else super().initial_curvature

    def program(self, start: Start) -> Program:
        hand, end = self.hand(start), self.end_time - self.start_time
        ends = [
            *safety_ends()[:1],
            *ends_of_units(start.vehicle),
            End(When("Vehicle.Side_Slip_Angle", "abs>", self.side_slip_end), then=Stop("side slip reached")),
        ]
        if self.method == "constant_radius":
            ends.append(End(When(DISTANCE, "abs>", self.leaves), then=Stop("left the circle")))
        wait = Phase("steady", [*hand, *self.pedals(start)], duration=max(self.start_time, 1e-3), ends=ends)
        if self.method == "constant_speed":
            rate = self.side * start.steering_per_curvature * self.lateral_acceleration_rate / self.speed**2  # (1)
            hand = [Open("steering_wheel", Rate(rate, start=start.steering))]
            return Program(wait, Phase("ramp", [*hand, *self.pedals(start)], duration=end, ends=ends))
        return Program(wait, Phase("ramp", [*hand, *self._growing(start, end)], duration=end, ends=ends))

    def _growing(self, start: Start, last: float) -> list[Channel]:
        """The driver of a speed that grows."""
        speed = self.forward_speed(start)
        if self.duration is not None:
            assert self.final_speed is not None
            return follow(start, Ramp(self.final_speed, self.duration, start=speed), changes=True)
        time = np.linspace(0.0, last, max(2, math.ceil(last)) * 4 + 1)
        grown = np.sqrt(speed**2 + self.radius * self.lateral_acceleration_rate * time)  # (1)
        if self.final_speed is not None:
            grown = np.minimum(grown, self.final_speed)
        table = Table([time], grown, method="akima", extrapolation="flat")
        return follow(start, FromTable(table), changes=True)
