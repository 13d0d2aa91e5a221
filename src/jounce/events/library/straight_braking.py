"""Straight braking (ISO 21994): a stop from speed, by pedal or at a wanted deceleration."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.core.errors import JounceError
from jounce.core.fields import flag, quantity
from jounce.events.base import Driven, safety_ends
from jounce.events.follow import ROBOT, follow, follower, released
from jounce.events.straight import driver, preview_time, straight_ahead, turned_round
from jounce.results.figures import Figures
from jounce.results.key_figures.braking import braking
from jounce.results.key_figures.common import Array
from jounce.results.kinds import Kind
from jounce.results.panels import STRAIGHT
from jounce.results.run import Run
from jounce.runtime.program import Channel, End, Open, Phase, Program, Ramp, Rate, Stop, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.runtime.recording import Recording

STANDSTILL = 0.1  # m/s
HOLD = 0.2  # s
PREVIEW = 0.4  # s: nearer than in other straight-line events, so that the driver counters the yaw of split friction
SLIDING, TURNED = 3.0, math.cos(math.radians(20))  # a car slides at 20 degrees of side slip above 3 m/s

WORDS = {
    "initial_speed": "Speed at the start of braking",
    "stopping_distance": "Stopping distance",
    "stopping_distance_nominal": "Stopping distance, nominal speed",
    "stopping_time": "Stopping time",
    "mfdd": "Mean fully developed deceleration",
    "mean_deceleration": "Mean deceleration over the distance",
    "peak_deceleration": "Largest deceleration",
    "dive_gradient": "Brake dive",
    "adhesion_utilisation": "Utilisation of adhesion, UN R13-H",
}
FIRST = ("stopping_distance", "mfdd", "dive_gradient")


# --- key figures -----------------------------------------------------------------------------------------------------


def along_the_way(run: Run) -> Array:
    """Forward speed, which has a sign when the car rocks back at the end; of a car that turned, speed along its way."""
    forward = run.signal("forward_speed")
    if run.has_signal("speed"):
        speed = run.signal("speed")
        sideways = (speed > SLIDING) & (np.abs(forward) < TURNED * speed)
        if sideways.any():
            return speed
    return forward


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    given = run.given("brake", "longitudinal_acceleration", "pitch")
    # the pedal tells when braking begins; the planned time serves where it was not recorded
    start = math.nan if "brake" in given else run.number("start_time", "s")
    nominals = (run.number(name, "m/s") for name in ("nominal_speed", "initial_velocity", "speed"))
    nominal = next((value for value in nominals if not math.isnan(value)), math.nan)
    adhesion = run.metadata.get("adhesion")
    known = math.nan if adhesion is None else float(adhesion)
    return braking(run.time, along_the_way(run), start=start, nominal_speed=nominal, adhesion=known, **given)


def adhesion(start: Start, run: Run, frictions: Mapping[str, float]) -> float:
    """Largest longitudinal force of some tires over their loads, from the second half of the speed on.

    ``frictions``: of the road under each of them, by wheel. nan of tires that are not there as a law.
    """
    names = {name: f"Tire.Ground_Surface_Force_Z.{name}" for name in frictions}
    known = set(run.channels())
    if "chassis_velocities.longitudinal" not in known or not known.issuperset(names.values()):
        return math.nan
    v = run["chassis_velocities.longitudinal"]
    rows = (v < 0.5 * v[0]) & (v > 0.1 * v[0])
    if not rows.any():
        return math.nan
    kappa = np.linspace(-0.4, 0.0, 401)
    most = total = 0.0
    for name, channel in names.items():
        load, tire = float(np.mean(run[channel][rows])), start.description.tires[name]
        if load <= 0.0:
            continue
        try:
            most += float(np.abs(tire.steady(load, kappa, friction=frictions[name]).fx).max())
        except JounceError:
            return math.nan
        total += load
    return most / total if total > 0 and most > 0 else math.nan


# --- the event -------------------------------------------------------------------------------------------------------


class StraightBraking(Driven):
    """Brake pedal ramp (open loop), or a deceleration tracked by the pedal; ends at standstill."""

    kind: ClassVar[str] = "straight-braking"
    title: ClassVar[str] = "Straight braking"
    standard: ClassVar[str] = "ISO 21994"
    results: ClassVar[Kind] = Kind((of_run,), STRAIGHT, WORDS, FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "vi": {"speed": 25.0, "end_time": 10.0, "ramp_time": 1.0, "brake": 1.0},
    }

    end_time: float = quantity("s", 20.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run, at the latest")
    start_time: float = quantity("s", 1.0, ge=0, typical=(0.0, 600.0), doc="when the brake is applied")
    open_loop: bool = flag(True, doc="pedal by a ramp; otherwise the deceleration is tracked")
    ramp_time: float = quantity("s", 0.15, gt=0, typical=(1e-3, 60.0), doc="of the pedal")
    brake: float = quantity("-", 1.0, ge=0, le=1, doc="demand after the ramp")
    deceleration: float = quantity("m/s2", 4.0, gt=0, typical=(0.05, 60.0), doc="to be tracked in closed loop")
    steer: float = quantity("rad", 0.0, typical=(0.0, 20.0), doc="hand wheel angle when not driving straight")
    straight_line: bool = flag(True, doc="steer to stay on the line; otherwise hold the hand wheel")
    preview: float = preview_time(PREVIEW)

    def parts(self) -> tuple[Part, ...]:
        return (*driver(self), *((follower(),) if self.cruise or not self.open_loop else ()))

    def judged(self, recorded: Recording) -> Recording:
        return turned_round(self, recorded)

    def completed(self, start: Start, result: Run) -> Run:
        if not start.scene.even:  # a road, whose friction changes
            return result
        found = adhesion(start, result, dict.fromkeys(start.description.wheels, self.friction))
        return result if math.isnan(found) else result.with_metadata(adhesion=found)

    def program(self, start: Start) -> Program:
        steering = straight_ahead(self, start)
        still = [
            When(f"chassis_velocities.{way}", "abs<", STANDSTILL, hold=HOLD) for way in ("longitudinal", "lateral")
        ]
        stopped = End(still, then=Stop("standstill"))
        waiting = Phase("wait", [*steering, *self.pedals(start)], duration=max(self.start_time, 1e-3))
        pedals: list[Channel]
        if self.open_loop:
            pedals = [Open("throttle", Ramp(0.0, 0.1)), Open("brake", Ramp(self.brake, self.ramp_time))]
            pedals += released() if self.cruise else []
        else:
            pedals = follow(start, Rate(-self.deceleration, start=self.speed), changes=True, **ROBOT)
        stop = Phase(
            "brake",
            [*steering, *pedals],
            duration=self.end_time - self.start_time,
            ends=[*safety_ends(start.vehicle), stopped],
        )
        return Program(waiting, stop)
