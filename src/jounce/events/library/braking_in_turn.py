"""Braking in a turn (ISO 7975): in a steady turn the throttle is let go and the brake applied, the hand wheel held.

Key figures: ``results/key_figures/turn_reaction``. The standard gives no limits. With ``steering: path`` and
``open_loop: False`` a driver stays on the circle, and another one lets the speed fall evenly for ``duration`` and then
keeps it (preset ``vi``).

    deceleration_error    mean of what was reached over what was asked for, less 1; from a quarter to three quarters of
                          the braking, where it is tracked                                                        (1)
    path_error_max        largest distance from the circle while braking, where a driver stays on it
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.core.fields import flag, quantity
from jounce.events.along import DISTANCE
from jounce.events.base import safety_ends
from jounce.events.follow import ROBOT, follow, follower, released
from jounce.events.turning import Turning
from jounce.results.figures import Figures
from jounce.results.key_figures import turn_reaction
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, signals
from jounce.results.run import Run
from jounce.runtime.program import Channel, Constant, End, Open, Phase, Program, Ramp, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start

STANDSTILL, HOLD = 0.1, 0.2  # m/s, s


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    figures = turn_reaction.of_run(run, "brake")
    begin, duration, wanted = (
        run.number(name, unit) for name, unit in (("start_time", "s"), ("duration", "s"), ("deceleration", "m/s2"))
    )
    if run.parameter("open_loop") is False and wanted > 0:
        speed = run.signal("forward_speed")
        ends = [begin + part * min(duration, speed[0] / wanted) for part in (0.25, 0.75)]
        if ends[1] <= run.time[-1]:
            before, after = np.interp(ends, run.time, speed)
            reached = (before - after) / (ends[1] - ends[0])
            figures.put("deceleration_error", 100 * float(reached / wanted - 1), "%")  # (1)
    if DISTANCE in run and run.parameter("steering") == "path":
        rows = run.time >= begin
        if rows.any():
            figures.put("path_error_max", float(np.max(np.abs(run[DISTANCE][rows]))), "m")
    return figures


class BrakingInTurn(Turning):
    """In a steady turn the throttle is let go and the brake applied; does the car stay on its circle?"""

    kind: ClassVar[str] = "braking-in-turn"
    title: ClassVar[str] = "Braking in a turn"
    standard: ClassVar[str] = "ISO 7975"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (signals("brake", "longitudinal_acceleration"), *USUAL),
        turn_reaction.WORDS
        | {
            "deceleration_error": "Deceleration reached over that asked for, less 1",
            "path_error_max": "Largest distance from the circle while braking",
        },
        turn_reaction.FIRST,
    )
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "vi": {
            "speed": 25.0, "radius": 125.0, "end_time": 15.0, "start_time": 8.0, "duration": 3.0, "entry": 50.0,
            "steering": "path", "open_loop": False,
        },
    }  # fmt: skip

    speed: float = quantity(
        "m/s", math.sqrt(100.0 * 5.0), gt=0, typical=(1.0, 75.0), doc="in the turn; with the radius 5 m/s² sideways"
    )
    end_time: float = quantity("s", 8.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run, at the latest")
    start_time: float = quantity("s", 2.0, ge=0, typical=(0.0, 600.0), doc="when the brake is applied")
    open_loop: bool = flag(True, doc="pedal by a ramp; otherwise the deceleration is tracked")
    ramp_time: float = quantity("s", 0.2, gt=0, typical=(1e-3, 10.0), doc="of both pedals, open loop")
    brake: float | None = quantity(
        "-", None, ge=0, le=1, doc="demand after the ramp, open loop; absent: that of the deceleration on a straight"
    )
    deceleration: float = quantity("m/s2", 4.0, ge=0, typical=(0.05, 60.0), doc="that the brakes shall give")
    duration: float | None = quantity(
        "s", None, gt=0, typical=(0.1, 600.0), doc="of the braking, closed loop; absent: to standstill"
    )

    def parts(self) -> tuple[Part, ...]:
        return super().parts() or (() if self.open_loop else (follower(),))

    def program(self, start: Start) -> Program:
        hand = self.hand(start)
        turn = Phase(
            "turn", [*hand, *self.pedals(start)], duration=max(self.start_time, 1e-3), ends=safety_ends(start.vehicle)
        )
        still = [
            When(f"chassis_velocities.{way}", "abs<", STANDSTILL, hold=HOLD) for way in ("longitudinal", "lateral")
        ]
        ends = [*safety_ends(start.vehicle), End(still, then=Stop("standstill"))]
        brake = Phase("brake", [*hand, *self._braking(start)], duration=self.end_time - self.start_time, ends=ends)
        return Program(turn, brake)

    def _braking(self, start: Start) -> list[Channel]:
        if self.open_loop:
            demand = min(self.deceleration * start.brake_per_deceleration, 1.0) if self.brake is None else self.brake
            given: list[Channel] = [
                Open("throttle", Ramp(0.0, self.ramp_time)), Open("brake", Ramp(demand, self.ramp_time))
            ]  # fmt: skip
            return [*given, *(released() if self._followed else [])]
        speed = self.forward_speed(start)
        if self.deceleration == 0.0:
            return follow(start, Constant(speed))
        whole = speed / self.deceleration
        duration = whole if self.duration is None else min(self.duration, whole)
        target = Ramp(max(speed - self.deceleration * duration, 0.0), duration, start=speed)
        return follow(start, target, changes=True, **ROBOT)
