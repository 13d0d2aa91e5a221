"""Hill start: a car that stands on a slope is driven away; how far does it roll back, and how soon does it move?

The slope is `grade`, up along the world's x axis; a car faces it by `heading`, or faces down it where `grade` is
below 0. ``direction`` says which way it drives away: ``backward`` is in reverse. Two techniques:

    hold    brake and drive together: the brake lets go when the drive pushes with what the slope asks for
    foot    one foot: the brake is let go, the foot goes over in ``foot_time``, and then the drive is asked for

In both the driver follows a speed that grows by ``acceleration``, with the clutch if there is a pedal. A hill hold of
the car (`controller="hill_hold"`) keeps the brakes while the foot goes over. With the way s in the direction in which
the car is to go, from where it stood when the foot left the brake at the time t₀,

    rollback        −min s,   rollback_speed   −min ṡ                                                               (1)
    launch_time     from t₀ until the car is back where it stood and moves on (the last s ≤ 0)                      (2)
    t_10            from t₀ until ṡ = 10 km/h
    spin_peak       largest speed at which a tire slides along its direction, |κ ṡ|, while the car moves on
    engine_least    lowest speed of the engine from t₀ on, where the car has one

A run that does not come to ``final_speed`` is none: the slope was too steep for drive or tires.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.fields import choice, problem, quantity
from jounce.events.base import HOLDING, Event, safety_ends
from jounce.events.follow import BACKWARDS, follow, follower, released
from jounce.results.figures import Figures
from jounce.results.key_figures.common import unsound
from jounce.results.kinds import Kind
from jounce.results.panels import signals, tires_of, wheels
from jounce.results.run import Run
from jounce.results.signals import crossing
from jounce.runtime.program import Channel, Constant, End, Open, Phase, Program, Ramp, Rate, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.runtime.recording import Recording

SPEED = "chassis_velocities.longitudinal"
RPM = math.pi / 30
ENGINE, SLIP = "Engine.engine_rpm", "Tire.Longitudinal_Slip_Without_Lag.{}"
REACHED = "final speed reached"
UNITS = {"rollback": "mm", "rollback_speed": "mm/s", "launch_time": "s", "t_10": "s", "spin_peak": "m/s"}
WORDS = {
    "rollback": "Roll-back",
    "rollback_speed": "Largest speed of rolling back",
    "launch_time": "Time until the car is back and moves on",
    "t_10": "Time to 10 km/h",
    "spin_peak": "Largest sliding speed of a tire",
    "engine_least": "Lowest speed of the engine",
}
FIRST = ("rollback", "launch_time", "t_10", "spin_peak")


# --- key figures -----------------------------------------------------------------------------------------------------


def hill_start(time: Any, speed: Any, start: float) -> Figures:
    """Return the key figures of a start on a slope.

    Parameters
    ----------
    time : s; speed : in the direction in which the car is to go, m/s; start : when the foot leaves the brake, s
    """
    figures = Figures()
    why = unsound(time, speed, least=10)
    if not why and not time[0] <= start < time[-1]:
        why = "the run ends before the brake is let go"
    if why:
        figures.missing(list(UNITS)[:4], "-", f"hill start: {why}")
        return figures
    t = np.concatenate([[start], time[time > start]])
    v = np.interp(t, time, speed)
    s = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) * np.diff(t))])
    figures.put("rollback", 1e3 * max(-float(np.min(s)), 0.0), "mm")  # (1)
    figures.put("rollback_speed", 1e3 * max(-float(np.min(v)), 0.0), "mm/s")
    behind = int(np.flatnonzero(s <= 0)[-1])
    if behind == len(s) - 1:
        figures.missing(["launch_time", "t_10"], "s", "hill start: the car is not back where it stood")
        return figures
    share = -s[behind] / (s[behind + 1] - s[behind])
    figures.put("launch_time", float(t[behind] + share * (t[behind + 1] - t[behind])) - start, "s")  # (2)
    ten = crossing(t, v, 10 / 3.6, after=start, rising=True)
    if math.isnan(ten):
        figures.missing(["t_10"], "s", "hill start: 10 km/h are not reached")
    else:
        figures.put("t_10", ten - start, "s")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    start = run.number("start_time", "s")
    if SPEED not in run or math.isnan(start):
        figures = Figures()
        figures.missing(UNITS, "-", "hill start: the run has no speed, or its event no start_time")
        return figures
    way = -1.0 if run.parameter("direction") == "backward" else 1.0
    figures = hill_start(run.time, way * run[SPEED], start)
    rows = run.time >= start
    tires = tires_of(run, SLIP)
    if tires and rows.any():
        # of a tire that hardly turns slip says nothing
        moves = rows & (way * run[SPEED] > 0.5)
        slides = [np.abs(run[SLIP.format(t)] * run[SPEED])[moves] for t in tires]
        figures.put("spin_peak", max(float(np.max(s)) for s in slides) if moves.any() else math.nan, "m/s")
    if ENGINE in run and rows.any():
        figures.put("engine_least", float(np.min(run[ENGINE][rows])) / RPM, "rpm")
    return figures


# --- the event -------------------------------------------------------------------------------------------------------


class HillStart(Event):
    """A car that stands on a slope is driven away, forward or in reverse: how far does it roll back?"""

    kind: ClassVar[str] = "hill-start"
    title: ClassVar[str] = "Hill start"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (signals("forward_speed", "longitudinal_acceleration", "throttle", "brake", "pitch"), wheels("loads")),
        WORDS,
        FIRST,
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "usual": {},
        "foot": {"technique": "foot"},
        "reverse": {"direction": "backward", "grade": -0.12},
    }

    speed: float = quantity("m/s", 0.0, ge=0, le=0, doc="at the start, always 0")
    end_time: float = quantity("s", 20.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run, at the latest")
    grade: float = quantity("-", 0.12, typical=(0.0, 1.0), doc="slope of the road along x, rise over run")
    start_time: float = quantity("s", 1.0, ge=0, typical=(0.0, 600.0), doc="when the foot leaves the brake")
    direction: Literal["forward", "backward"] = choice("forward", doc="which way the car is driven away")
    technique: Literal["hold", "foot"] = choice(
        "hold", doc="hold: brake and drive together; foot: one foot goes from the brake to the throttle"
    )
    brake: float = quantity("-", HOLDING, gt=0, le=1, typical=(0.02, 1.0), doc="demand that holds the car before")
    release_time: float = quantity("s", 0.2, gt=0, typical=(0.01, 5.0), doc="in which the foot lets the brake go")
    foot_time: float = quantity("s", 0.4, ge=0, typical=(0.0, 5.0), doc="from the brake to the throttle")
    acceleration: float = quantity("m/s2", 1.5, gt=0, typical=(0.1, 10.0), doc="that the driver asks for")
    final_speed: float = quantity("m/s", 20 / 3.6, gt=0, typical=(0.5, 30.0), doc="at which the run ends")
    start_mode: Literal["mild", "sporty"] = choice("mild", doc="how a driver with a clutch pedal starts")

    @model_validator(mode="after")
    def _downhill_is_no_hill_start(self) -> Self:
        if not self.road and not self.wheel_roads and self._way * self.uphill <= 0:
            raise problem(
                f"the car is to drive {self.direction} where that leads down or is level (rise {self.uphill:.3g} along "
                "its heading); give a slope, or the other direction", "grade"
            )  # fmt: skip
        return self

    @property
    def _way(self) -> float:
        return -1.0 if self.direction == "backward" else 1.0

    def parts(self) -> tuple[Part, ...]:
        from jounce.components.driver.longitudinal import STARTS

        return (follower(shifts=True, reverses=True, **STARTS[self.start_mode]),)

    def judged(self, recorded: Recording) -> Recording:
        if not recorded.ok or REACHED in recorded.reason:
            return recorded
        reason = f"{recorded.reason}: the car does not come to {self.final_speed:.3g} m/s"
        return replace(recorded, stop_failed=True, reason=reason)

    def program(self, start: Start) -> Program:
        known = {v.name for v in start.sim.model.inputs}
        straight = Open("steering_wheel", Constant(0.0))
        back = Open(BACKWARDS, Constant(float(self.direction == "backward")))
        keep = [straight, back, Open("throttle", Constant(0.0))]
        keep += [Open("clutch", Constant(1.0))] if "clutch" in known else []
        ends = [
            *safety_ends(start.vehicle),
            End(When(SPEED, ">=" if self._way > 0 else "<=", self._way * self.final_speed), then=Stop(REACHED)),
        ]
        # the driver's numbers and pedals, once: what he gives before he is active is the run's
        drives = [straight, back, *follow(start, Rate(self._way * self.acceleration, start=0.0), changes=True)]
        drives += [Open("clutch", Constant(0.0))] if "clutch" in known else []
        if self.technique == "hold":
            stands = [straight, back, *follow(start, Constant(0.0), changes=True)]
            wait = Phase("wait", stands, duration=max(self.start_time, 1e-3), ends=ends[:-1])
            return Program(wait, Phase("go", drives, duration=self.end_time - self.start_time, ends=ends))
        over = self.release_time + self.foot_time
        wait = Phase(
            "wait", [*keep, *released(), Open("brake", Constant(self.brake))], duration=max(self.start_time, 1e-3)
        )
        lets: list[Channel] = [*keep, *released(), Open("brake", Ramp(0.0, self.release_time, start=self.brake))]
        release = Phase("release", lets, duration=over, ends=ends[:-1])
        go = Phase("go", drives, duration=max(self.end_time - self.start_time - over, 1e-3), ends=ends)
        return Program(wait, release, go)
