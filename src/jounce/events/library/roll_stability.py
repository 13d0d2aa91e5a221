"""J-turn of heavy vehicles with stability control (FMVSS 136): a curve that is entered faster and faster.

A straight leads into an arc of 45.7 m (150 ft) and 120°, in a lane of 3.7 m; a driver stays on its middle. From the
start gate, where the arc begins, he leaves the accelerator where it was and does not brake. In each direction

    reference     entry speeds from 32 km/h on, in steps of 1.6 km/h, until the control brakes, or 48 km/h are reached:
                  that is the reference speed                                                                     (1)
    performance   once at 1.3 times the reference speed, at most 48 km/h:
                  at most 47 km/h 3 s after the gate, at most 45 km/h 4 s after it, all wheels of the first unit in
                  the lane up to the end of the arc, and the control has braked                                   (2)

(After S5.3 and S7.7 of the standard.) The rule asks this of six of eight runs; runs here do not scatter, and one stands
for all. Wheels are in the lane with the middle of their contacts. Brakes count as applied from 1 % of the weight on.
What the standard asks of the engine torque under full throttle is not looked at, nor are the rule's loads, warm-ups and
burnish: the vehicle is as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.driver.human import pedal_lag
from jounce.core.constants import GRAVITY
from jounce.core.fields import choice, problem, quantity
from jounce.events.along import STATION, along, steerer
from jounce.events.base import safety_ends
from jounce.events.follow import follow, follower, released
from jounce.events.procedure import Planned, Procedure
from jounce.results.figures import Figures
from jounce.results.key_figures import combinations
from jounce.results.key_figures.common import DEGREE, Array
from jounce.results.kinds import Kind
from jounce.results.panels import Curve, Panel, View, path, signals, wheels
from jounce.results.run import Run
from jounce.results.trials import shades, table_of_trials
from jounce.results.units import PLACE, tires_on, units_of
from jounce.results.verdict import Criterion, Verdict, judge
from jounce.road.path import joined
from jounce.runtime.program import Constant, End, Open, Phase, Program, When

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.results.trials import Trial
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

FOOT, MILE = 0.3048, 1609.344 / 3600  # m; m/s per mph
ARC = math.radians(120)
CHECKS = ((3.0, 47.0), (4.0, 45.0))  # s after the gate, km/h
FASTER, MOST = 1.3, 30 * MILE
SIDES = ("left", "right")
BRAKES, MOMENT, RADIUS = 0.01, "Brake_Moment.{}", "Tire.Effective_Rolling_Radius.{}"
WHAT = "roll stability"
WORDS = {
    "entry_speed": "Speed at the start gate",
    "speed_3s": "Speed 3 s after the gate",
    "speed_4s": "Speed 4 s after the gate",
    "lane_margin": "Room of the wheels to the edge of the lane",
    "brakes_applied": "Control has braked (1) or not (0)",
    "brake_time": "Time after the gate at which the control brakes",
    "ay_peak": "Largest lateral acceleration of the first unit",
    "roll_peak": "Largest roll angle of the first unit",
    "ltr_peak": "Largest load transfer ratio of a unit",
    "reference_speed": "Reference speed, the lower of both directions",
    "runs": "Runs",
}
FIRST = ("reference_speed", "speed_3s", "speed_4s", "lane_margin", "ltr_peak")
KEYS = {"speed_3s": "km/h", "speed_4s": "km/h", "lane_margin": "m", "brakes_applied": "-"}


# --- key figures -----------------------------------------------------------------------------------------------------


def beside(
    x: Array, y: Array, start: tuple[float, float, float], entry: float, radius: float, side: float
) -> tuple[Array, Array]:
    """How far along the lane places are, and how far they are from its middle, m; outwards positive.

    start : x, y and heading at its begin; side : 1 to the left, −1 to the right
    """
    x0, y0, heading = start
    c, s = math.cos(heading), math.sin(heading)
    along, left = (x - x0) * c + (y - y0) * s - entry, (y - y0) * c - (x - x0) * s
    inwards = side * left
    angle = np.arctan2(along, radius - inwards)
    far = np.hypot(along, radius - inwards)
    straight = along <= 0
    return np.where(straight, along, radius * np.mod(angle, 2 * math.pi)), np.where(straight, -inwards, far - radius)


def of_run(run: Run) -> Figures:
    """Key figures of a run, or of all."""
    if run.trials:
        return _of_trials(run)
    figures = Figures()
    entry, radius, width = (run.number(name, "m") for name in ("entry", "radius", "lane_width"))
    units = units_of(run)
    names = tires_on(run, units[0].axles, PLACE.format("X", "{}")) if units else []
    if not names or math.isnan(entry + radius + width):
        for key, unit in KEYS.items():
            figures.missing([key], unit, f"{WHAT}: places of the wheels, or numbers of the lane, are missing")
        return figures
    told = [run.number(name, unit) for name, unit in (("x", "m"), ("y", "m"), ("heading", "rad"))]
    x0, y0, heading = (0.0 if math.isnan(value) else value for value in told)
    side = -1.0 if run.parameter("direction") == "right" else 1.0
    tracks = [
        beside(run[PLACE.format("X", n)], run[PLACE.format("Y", n)], (x0, y0, heading), entry, radius, side)
        for n in names
    ]
    front = [t for t, n in zip(tracks, names, strict=True) if n in tires_on(run, units[0].axles[:1])]
    station = np.mean([s for s, _ in (front or tracks)], axis=0)
    passed = np.flatnonzero(station >= 0.0)
    if not len(passed) or passed[0] == 0:
        for key, unit in KEYS.items():
            figures.missing([key], unit, f"{WHAT}: the vehicle does not cross the start gate")
        return figures
    k = int(passed[0])
    gate = float(np.interp(0.0, station[k - 1 : k + 1], run.time[k - 1 : k + 1]))
    speed = 3.6 * run.signal("forward_speed")
    figures.put("entry_speed", float(np.interp(gate, run.time, speed)), "km/h")
    for after, _ in CHECKS:
        if gate + after <= run.time[-1]:
            figures.put(f"speed_{after:.0f}s", float(np.interp(gate + after, run.time, speed)), "km/h")
        else:
            figures.missing([f"speed_{after:.0f}s"], "km/h", f"{WHAT}: the run ends within {after:g} s after the gate")
    rooms = [0.5 * width - np.abs(d[(s >= 0) & (s <= radius * ARC)]) for s, d in tracks]
    figures.put("lane_margin", min(float(room.min()) for room in rooms if len(room)), "m")
    rows = run.time >= gate
    braked = _braked(run, figures)
    if braked is not None:
        on = np.flatnonzero(braked & rows)
        figures.put("brakes_applied", float(len(on) > 0), "-")
        if len(on):
            figures.put("brake_time", float(run.time[on[0]]) - gate, "s")
    for name, key, factor, unit in (
        ("lateral_acceleration", "ay_peak", 1.0, "m/s2"),
        ("roll", "roll_peak", 1 / DEGREE, "deg"),
    ):
        if run.has_signal(name):
            figures.put(key, factor * float(np.max(np.abs(run.signal(name)[rows]))), unit)
    figures.join(combinations.largest_transfer(run, gate))
    return figures


def _braked(run: Run, figures: Figures) -> Any:
    """Where brakes are applied; None where that is not known."""
    wheels_ = [n.removeprefix(MOMENT.format("")) for n in run.names if n.startswith(MOMENT.format(""))]
    wheels_ = [name for name in wheels_ if RADIUS.format(name) in run]
    mass = run.quantity("mass")
    if not wheels_ or math.isnan(mass):
        figures.missing(["brakes_applied"], "-", f"{WHAT}: brake moments were not recorded")
        return None
    force = np.sum([np.abs(run[MOMENT.format(n)]) / run[RADIUS.format(n)] for n in wheels_], axis=0)
    return force > BRAKES * mass * GRAVITY


def _of_trials(run: Run) -> Figures:
    figures = Figures()
    figures.put("runs", float(len(run.trials)), "-")
    references = []
    for side in SIDES:
        mine = [t for t in run.trials if t.parameter("direction") == side]
        if found := reference_of(mine):
            references.append(3.6 * found)
    if references:
        figures.put("reference_speed", min(references), "km/h")
    judged = [t for t in run.trials if t.parameter("stage") == "performance"]
    for key, unit, worst in (("speed_3s", "km/h", max), ("speed_4s", "km/h", max), ("lane_margin", "m", min),
                             ("brakes_applied", "-", min), ("ltr_peak", "-", max)):  # fmt: skip
        values = [t.figure(key) for t in judged]
        if values and not any(math.isnan(v) for v in values):
            figures.put(key, worst(values), unit)
        else:
            figures.missing([key], unit, f"{WHAT}: {key} is not known of every performance run")
    return figures


def reference_of(trials: Sequence[Trial]) -> float:
    """The reference speed of one direction (1), m/s; 0 while it is not found."""
    for trial in trials:
        if trial.parameter("stage") != "reference":
            continue
        speed = float(trial.parameter("speed"))
        if trial.figure("brakes_applied") == 1.0 or not trial.complete or speed >= MOST - 1e-9:
            return speed
    return 0.0


def verdict(run: Run) -> Verdict:
    """(2) of every performance run."""
    if run.trials:
        judged = [
            (t.name, t.figures, t.complete, t.reason) for t in run.trials if t.parameter("stage") == "performance"
        ]
    elif run.parameter("stage") == "performance":
        judged = [(str(run.parameter("direction")), run.figures, run.complete, run.reason)]
    else:
        return Verdict(reason="the rule judges performance runs: stage = series, or performance")
    found = []
    for name, figures, complete, reason in judged:
        if not complete:
            met = False if any(word in reason for word in ("spun", "rolled", "folded")) else None
            found.append(Criterion(f"the vehicle stays upright and on its way ({name}): {reason}", met))
        for after, limit in CHECKS:
            v = figures.get(f"speed_{after:.0f}s", (math.nan, "km/h"))[0]
            text = f"at most {limit:g} km/h {after:g} s after the gate ({name})"
            found.append(Criterion(text, None if math.isnan(v) else v <= limit, v, limit, "km/h"))
        room = figures.get("lane_margin", (math.nan, "m"))[0]
        met_ = None if math.isnan(room) else room >= 0
        found.append(Criterion(f"wheels of the first unit in the lane ({name})", met_, room, 0.0, "m"))
        braked = figures.get("brakes_applied", (math.nan, "-"))[0]
        found.append(
            Criterion(f"the control brakes ({name})", None if math.isnan(braked) else braked == 1.0, braked, 1.0, "-")
        )
    if run.trials and not run.complete:
        found.append(Criterion(f"all runs driven: {run.reason}", None))
    return judge(*found)


def speeds_after(view: View) -> list[Panel]:
    """Speed of all runs over time."""
    if view.many or not view.runs[0].trials:
        return []
    trials = [t for t in view.runs[0].trials if t.trace.has_signal("speed")]
    curves = [
        Curve(t.name, t.trace.time, 3.6 * t.trace.signal("speed"), colour)
        for t, colour in zip(trials, shades(trials, SIDES), strict=True)
    ]
    return [Panel("Speed, all runs", "time / s", "km/h", curves, wide=True)]


# --- the event -------------------------------------------------------------------------------------------------------


class RollStability(Procedure):
    """A curve entered faster and faster: does the control slow the vehicle before it rolls over?"""

    kind: ClassVar[str] = "roll-stability"
    title: ClassVar[str] = "J-turn with roll stability control"
    standard: ClassVar[str] = "FMVSS 136"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (speeds_after, combinations.of_units, signals("speed", "steering", "roll"), wheels("loads"), path),
        {**combinations.WORDS, **WORDS},
        FIRST,
        (
            table_of_trials(
                "Runs", ("entry_speed", "Entry speed"), ("speed_3s", "After 3 s"), ("speed_4s", "After 4 s"),
                ("lane_margin", "Room in the lane"), ("brakes_applied", "Control brakes"), ("ay_peak", "Sideways"),
                ("ltr_peak", "Load transfer"),
            ),
        ),
        verdict,
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "rule": {},
        "long_wheelbase": {"lane_width": 14 * FOOT},
    }
    moves: ClassVar[tuple[str, ...]] = ("stage",)

    stage: Literal["series", "reference", "performance"] = choice(
        "series", doc="series: all runs of the rule; reference, performance: one run, of one direction"
    )
    speed: float = quantity("m/s", MOST, gt=0, typical=(5.0, 20.0), doc="at the gate, of one run")
    first_speed: float = quantity("m/s", 20 * MILE, gt=0, typical=(5.0, 20.0), doc="first entry speed of the series")
    speed_step: float = quantity("m/s", MILE, gt=0, typical=(0.1, 3.0), doc="between entry speeds")
    direction: Literal["left", "right", "both"] = choice("both", doc="of the curve; both: one after the other")
    end_time: float = quantity("s", 20.0, gt=0, typical=(1.0, 600.0), doc="end of a run, at the latest")
    radius: float = quantity("m", 150 * FOOT, gt=0, typical=(10.0, 200.0), doc="of the middle of the lane")
    lane_width: float = quantity("m", 12 * FOOT, gt=0, typical=(2.5, 6.0), doc="of the lane")
    entry: float = quantity("m", 25.0, gt=0, typical=(5.0, 200.0), doc="straight before the gate")
    driver: Literal["contour", "preview"] = choice("contour", doc="kind of the driver")

    @model_validator(mode="after")
    def _one_direction(self) -> Self:
        if self.stage != "series" and self.direction == "both":
            raise problem("one run has one direction: left or right", "direction")
        return self

    def refuses(self, vehicle: Vehicle) -> str:
        own = [axle for axle in vehicle.layout.units[0].axles if axle.data.brake is not None]
        return "" if own and vehicle.brakes is not None else "it has no brakes that a control could apply"

    @property
    def several(self) -> bool:
        return self.stage == "series"

    def following(self, done: Sequence[Trial]) -> Planned | None:
        for side in SIDES if self.direction == "both" else (self.direction,):
            mine = [trial for trial in done if trial.parameter("direction") == side]
            reference = reference_of(mine)
            if not reference:
                speed = min(self.first_speed + len(mine) * self.speed_step, MOST)
                changes = {"direction": side, "stage": "reference", "speed": speed}
                return Planned(f"{side}, {3.6 * speed:.4g} km/h", changes)
            if not any(trial.parameter("stage") == "performance" for trial in mine):
                speed = min(FASTER * reference, MOST)
                changes = {"direction": side, "stage": "performance", "speed": speed}
                return Planned(f"{side}, performance at {3.6 * speed:.4g} km/h", changes)
        return None

    def expected(self, done: Sequence[Trial]) -> int:
        speeds = math.ceil((MOST - self.first_speed) / self.speed_step - 1e-9) + 2
        return speeds * (2 if self.direction == "both" else 1)

    def severity(self, run: Run) -> float:
        """A performance run decides; of these the one with the larger load transfer."""
        transfer = run.figures.get("ltr_peak", (0.0, "-"))[0]
        judged = 10.0 if run.parameter("stage") == "performance" else 0.0
        return math.inf if not run.complete else judged + transfer

    def parts(self) -> tuple[Part, ...]:
        return (steerer(self.driver), follower(shifts=True, pedal_lag=pedal_lag("robot")))

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        k = (-1.0 if self.direction == "right" else 1.0) / self.radius
        beyond = 40.0
        way = joined([(self.entry, 0.0, 0.0), (self.radius * ARC, k, k), (beyond, k, k)], name="curve")
        return self, (way.moved(self.x, self.y, heading=self.heading),)

    def program(self, start: Start) -> Program:
        ends = safety_ends(start.vehicle)
        hand = along(start, self.driver)
        keeps = follow(start, Constant(self.speed))
        left = [Open("throttle", Constant(start.throttle)), Open("brake", Constant(0.0)), *released()]
        at_gate = End(When(STATION, ">=", self.entry))
        out = End(When(STATION, ">=", self.entry + self.radius * ARC + 10.0))
        return Program(
            Phase("straight", [*hand, *keeps], duration=self.end_time, ends=[*ends, at_gate]),
            Phase("curve", [*hand, *left], duration=self.end_time, ends=[*ends, out]),
        )
