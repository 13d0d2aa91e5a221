"""Straight acceleration: full throttle, or a wanted acceleration; times between speeds and over distances.

Times count from the first movement of the pedal where it is known, else from the last instant at standstill. A time
from standstill needs a car that stands at the start.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.core.fields import flag, quantity
from jounce.events.base import Driven, safety_ends
from jounce.events.follow import ROBOT, follow, follower, released
from jounce.events.start import CRAWL
from jounce.events.straight import driver, preview_time, straight_ahead, turned_round
from jounce.results.figures import Figures
from jounce.results.key_figures.common import (
    DEGREE,
    Array,
    mean_before,
    moving_mean,
    onset,
    sound,
    travelled,
    travelled_at,
    unsound,
)
from jounce.results.kinds import Kind
from jounce.results.panels import STRAIGHT
from jounce.results.run import Run
from jounce.results.signals import crossing
from jounce.runtime.program import Channel, Constant, End, Open, Phase, Program, Ramp, Rate, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.runtime.recording import Recording

STANDING = 0.05  # m/s
FROM_REST = (60, 100, 160, 200)  # km/h
ELASTIC = ((60, 100), (80, 120))  # km/h
DISTANCES = {"402m": 402.336, "1000m": 1000.0}  # m
TIMES = {"402m": "quarter_mile"}
NO_MORE, LOOKED_AT = 0.03, 3.0  # m/s² over so many seconds: a car at its top speed

WORDS = {
    **{f"t_{low}_{high}": f"{low}–{high} km/h" for low, high in (*((0, v) for v in FROM_REST), *ELASTIC)},
    "squat_gradient": "Squat",
    "v_max": "Largest speed",
    "ax_max": "Largest acceleration",
    "quarter_mile": "Quarter mile",
    "top_speed": "Top speed",
    "v_402m": "Speed after the quarter mile",
    "t_1000m": "Standing kilometre",
    "v_1000m": "Speed after one kilometre",
}
FIRST = ("t_0_100", "t_80_120", "quarter_mile", "top_speed")


# --- key figures -----------------------------------------------------------------------------------------------------


def acceleration(
    time: Array,
    speed: Array,
    *,
    start: float = math.nan,
    throttle: Array | None = None,
    longitudinal_acceleration: Array | None = None,
    pitch: Array | None = None,
) -> Figures:
    """Return the key figures of an acceleration run.

    Parameters
    ----------
    time, speed : s, m/s
    start : first movement of the pedal, s; without it, that of ``throttle``
    longitudinal_acceleration, pitch : m/s², rad (nose down positive)

    Returns
    -------
    t_0_60, t_0_100, t_0_160, t_0_200, t_60_100, t_80_120, quarter_mile, t_1000m (s), v_402m, v_1000m, v_max (km/h),
    top_speed (km/h, where the run goes on until the car gains no more), ax_max (m/s²),
    squat_gradient (deg/g). Of the times only those that the run reaches, except t_0_100.
    """
    figures = Figures()
    why = unsound(time, speed)
    if why:
        figures.missing(["t_0_100"], "s", f"acceleration: {why}")
        return figures
    given = sound(figures, "acceleration", throttle=throttle, ax=longitudinal_acceleration, pitch=pitch)
    figures.put("v_max", 3.6 * float(np.max(speed)), "km/h")
    last = time >= time[-1] - LOOKED_AT
    gained = float(speed[last][-1] - speed[last][0]) / LOOKED_AT
    if time[-1] - time[0] > 2 * LOOKED_AT and abs(gained) < NO_MORE:
        figures.put("top_speed", 3.6 * float(speed[-1]), "km/h")
    else:
        why = f"it still gains {gained:.2g} m/s² at the end of the run; take a later end_time, a higher final_speed"
        figures.missing(["top_speed"], "km/h", f"acceleration: no top speed, {why}")
    if math.isnan(start) and "throttle" in given:
        start = onset(time, given["throttle"])
    at_rest = speed <= STANDING
    if math.isnan(start):
        start = float(time[int(np.flatnonzero(at_rest)[-1])]) if at_rest.any() else float(time[0])
    entry = float(np.interp(start, time, speed))
    standing = entry <= STANDING
    for v in FROM_REST:
        reached = crossing(time, speed, v / 3.6, after=start, rising=True)
        if standing and not math.isnan(reached):
            figures.put(f"t_0_{v}", reached - start, "s")
    if "t_0_100" not in figures:
        why = "100 km/h is not reached" if standing else f"the car moves at the start ({3.6 * entry:.1f} km/h)"
        figures.missing(["t_0_100"], "s", f"acceleration: no time from 0 to 100 km/h, {why}")
    for low, high in ELASTIC:
        a, b = (crossing(time, speed, v / 3.6, after=start, rising=True) for v in (low, high))
        if not math.isnan(a) and not math.isnan(b):
            figures.put(f"t_{low}_{high}", b - a, "s")
    if standing:
        begin = travelled_at(time, speed, start)
        way = travelled(time, speed) - begin
        for name, distance in DISTANCES.items():
            t = crossing(time, way, distance, after=start, rising=True)
            if not math.isnan(t):
                figures.put(TIMES.get(name, f"t_{name}"), t - start, "s")
                figures.put(f"v_{name}", 3.6 * float(np.interp(t, time, speed)), "km/h")
    if "ax" in given:
        smooth = moving_mean(time, given["ax"], 0.1)
        top = int(np.argmax(smooth))
        figures.put("ax_max", float(smooth[top]), "m/s2")
        if "pitch" in given and smooth[top] > 0.05 * GRAVITY:
            # over the stretch that keeps nine tenths of the largest acceleration, where pitch has settled best
            held = smooth >= 0.9 * smooth[top]
            rise = mean_before(time, given["pitch"], start) - float(given["pitch"][held].mean())
            figures.put("squat_gradient", rise / DEGREE / (float(smooth[held].mean()) / GRAVITY), "deg/g_0")
    return figures


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    given = run.given("throttle", "longitudinal_acceleration", "pitch")
    return acceleration(run.time, run.signal("forward_speed"), **given)


# --- the event -------------------------------------------------------------------------------------------------------


class StraightAcceleration(Driven):
    """Throttle ramp (open loop), or an acceleration tracked by the throttle."""

    kind: ClassVar[str] = "straight-acceleration"
    title: ClassVar[str] = "Straight acceleration"
    results: ClassVar[Kind] = Kind((of_run,), STRAIGHT, WORDS, FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "vi": {"speed": 5.0, "end_time": 120.0, "open_loop": False, "acceleration": 10.0, "final_speed": 70.0},
    }

    speed: float = quantity("m/s", 0.0, ge=0, typical=(0.0, 75.0), doc="speed at the start")
    end_time: float = quantity("s", 120.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run, at the latest")
    start_time: float = quantity("s", 0.5, ge=0, typical=(0.0, 600.0), doc="when the throttle opens")
    open_loop: bool = flag(True, doc="throttle by a ramp; otherwise the acceleration is tracked")
    ramp_time: float = quantity("s", 0.2, gt=0, typical=(1e-3, 60.0), doc="of the throttle")
    throttle: float = quantity("-", 1.0, ge=0, le=1, doc="demand after the ramp")
    acceleration: float = quantity("m/s2", 3.0, gt=0, typical=(0.05, 60.0), doc="to be tracked in closed loop")
    final_speed: float = quantity("m/s", 250 / 3.6, gt=0, typical=(0.0, 75.0), doc="at which the run ends")
    steer: float = quantity("rad", 0.0, typical=(0.0, 20.0), doc="hand wheel angle when not driving straight")
    straight_line: bool = flag(True, doc="steer to stay on the line; otherwise hold the hand wheel")
    preview: float = preview_time()

    @property
    def _follows(self) -> bool:
        """Whether a speed is kept or tracked: a car that waits at rest needs nobody for that."""
        return (self.cruise and abs(self.speed) > CRAWL) or not self.open_loop

    def parts(self) -> tuple[Part, ...]:
        return (*driver(self), *((follower(),) if self._follows else ()))

    def judged(self, recorded: Recording) -> Recording:
        return turned_round(self, recorded)

    def program(self, start: Start) -> Program:
        steering = straight_ahead(self, start)
        ends = [End(When("chassis_velocities.longitudinal", ">=", self.final_speed), then=Stop("final speed reached"))]
        keeps = self.cruise and abs(self.speed) > CRAWL
        keeping = follow(start, Constant(self.speed)) if keeps else self.as_they_are(start)
        waiting = Phase("wait", [*steering, *keeping], duration=max(self.start_time, 1e-3))
        pedals: list[Channel]
        if self.open_loop:
            pedals = [Open("throttle", Ramp(self.throttle, self.ramp_time)), Open("brake", Constant(0.0))]
            pedals += released() if self._follows else []
        else:
            pedals = follow(start, Rate(self.acceleration, start=self.speed), changes=True, **ROBOT)
        go = Phase(
            "accelerate",
            [*steering, *pedals],
            duration=self.end_time - self.start_time,
            ends=[*safety_ends(start.vehicle), *ends],
        )
        return Program(waiting, go)
