"""Full braking with the wheels of one side on a slippery road (ISO 14512), judged after UN R13-H.

The boundary lies under the middle of the car, along its line, and the driver of the line steers against the yaw that
the unequal forces give. With the adhesions k_H and k_L that the tires of each side have under the loads of the stop,
the braking rate z (`stops.py` (1)), and the hand wheel angle δ from the first movement of the pedal on:

    z >= 0.75 (4 k_L + k_H)/5,   z >= k_L,   |δ| <= 120° in the first 2 s,   |δ| <= 240°                        (1)

and no tire crosses the boundary: the middle of its contact is meant here. The rule (annex 6; annex 13 of UN R13 asks
trucks for the same) has 50 km/h, k_H >= 0.5 and k_H >= 2 k_L; elsewhere the criteria are told, and no verdict follows,
unless the car fails to keep its direction. Preset ``trucks`` holds the hand wheel (ISO 16234).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.core.fields import choice, problem, quantity
from jounce.events.library.straight_braking import WORDS as OF_BRAKING
from jounce.events.library.straight_braking import StraightBraking, adhesion, along_the_way
from jounce.events.library.straight_braking import of_run as of_braking
from jounce.events.procedure import Planned, Procedure
from jounce.events.stops import PLACE, of_stop
from jounce.events.stops import WORDS as OF_STOPS
from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE
from jounce.results.kinds import Kind
from jounce.results.panels import STRAIGHT, Curve, Panel, View, path, signals, tires_of
from jounce.results.run import Run
from jounce.results.trials import shades, table_of_trials
from jounce.results.verdict import NONE, PASS, Criterion, Verdict, judge
from jounce.road.builder import RoadBuilder

if TYPE_CHECKING:
    from jounce.events.start import Start
    from jounce.results.trials import Trial
    from jounce.road.surface import Road

SIDES = ("left", "right")
SOON = 2.0  # s
MOST_SOON, MOST = 120.0, 240.0  # deg
RULE_SPEED = 50 / 3.6
LEAST_HIGH, LEAST_RATIO = 0.5, 2.0
SHARE = 0.75
BEHIND, BESIDE = 20.0, 50.0  # m of road
LEAST_GRIP = 0.3  # of what the road gives: how long the stop may be
LIMITED = (
    ("steering_2s", f"hand wheel at most {MOST_SOON:g} deg in the first {SOON:g} s", MOST_SOON, "deg"),
    ("steering_peak", f"hand wheel at most {MOST:g} deg", MOST, "deg"),
)

WORDS = {
    **OF_BRAKING,
    **OF_STOPS,
    "steering_2s": "Largest steering wheel angle in the first 2 s",
    "steering_peak": "Largest steering wheel angle",
    "adhesion_high": "Adhesion k_H of the side with grip",
    "adhesion_low": "Adhesion k_L of the slippery side",
    "braking_rate_least": "Braking rate that UN R13-H asks for",
    "boundary_distance": "Least distance of a contact from the boundary",
    "runs": "Stops",
}
FIRST = ("braking_rate", "braking_rate_least", "steering_2s", "steering_peak", "stopping_distance")
WORST = {
    **dict.fromkeys(("steering_2s", "steering_peak", "yaw_peak", "stopping_distance", "locked_time"), max),
    **dict.fromkeys(("braking_rate", "mfdd", "boundary_distance", "adhesion_high", "adhesion_low"), min),
    "braking_rate_least": max,
}


def least_rate(high: float, low: float) -> float:
    """Braking rate that UN R13-H asks for (1)."""
    return max(SHARE * (4.0 * low + high) / 5.0, low)


def of_run(run: Run) -> Figures:
    """Key figures of a stop, or of both sides."""
    if run.trials:
        figures = Figures()
        for name, worst in WORST.items():
            if all(name in trial.figures for trial in run.trials):
                values = [trial.figures[name] for trial in run.trials]
                nan = any(math.isnan(value) for value, _ in values)
                figures.put(name, math.nan if nan else worst(value for value, _ in values), values[0][1])
        figures.put("runs", float(len(run.trials)), "-")
        return figures
    figures = of_braking(run)
    start = run.number("start_time", "s")
    if math.isnan(start):
        return figures
    figures.join(of_stop(run, along_the_way(run), start))
    rows = run.time >= start
    if run.has_signal("steering") and rows.any():
        hand = np.abs(run.signal("steering")) / DEGREE
        figures.put("steering_2s", float(np.max(hand[rows & (run.time <= start + SOON + 1e-9)])), "deg")
        figures.put("steering_peak", float(np.max(hand[rows])), "deg")
    known = run.metadata.get("adhesions")
    if isinstance(known, dict):
        figures.put("adhesion_high", float(known["high"]), "-")
        figures.put("adhesion_low", float(known["low"]), "-")
        figures.put("braking_rate_least", least_rate(float(known["high"]), float(known["low"])), "-")
    distance = _from_the_boundary(run, rows)
    if not math.isnan(distance):
        figures.put("boundary_distance", distance, "m")
    return figures


def _from_the_boundary(run: Run, rows: Any) -> float:
    """Least distance of a contact from the line that the car began on; negative where one crossed it."""
    x, y, heading = (run.number(name, unit) for name, unit in (("x", "m"), ("y", "m"), ("heading", "rad")))
    found = []
    for tire in tires_of(run, PLACE[0]):
        dx, dy = run[PLACE[0].format(tire)] - x, run[PLACE[1].format(tire)] - y
        aside = dy * math.cos(heading) - dx * math.sin(heading)
        found.append(float(np.min((aside if tire.startswith("L") else -aside)[rows])))
    return min(found, default=math.nan)


def verdict(run: Run) -> Verdict:
    """What UN R13-H says (1)."""
    stops = [(t.name, t.figures, t.complete, t.reason) for t in run.trials]
    stops = stops or [(f"{run.parameter('low_side')} slippery", run.figures, run.complete, run.reason)]
    met: list[Criterion] = []
    conditions: list[Criterion] = []
    for name, figures, complete, reason in stops:
        of = {key: value for key, (value, _) in figures.items()}
        if not complete:
            lost = any(word in reason for word in ("spun", "rolled", "turned"))
            met.append(Criterion(f"the car keeps its direction ({name}): {reason}", False if lost else None))
        high, low, rate = (of.get(key, math.nan) for key in ("adhesion_high", "adhesion_low", "braking_rate"))
        for text, limit in (
            ("z at least 0.75 (4 k_L + k_H)/5", SHARE * (4.0 * low + high) / 5.0),
            ("z at least k_L", low),
        ):
            told = None if math.isnan(rate) or math.isnan(limit) else rate >= limit
            met.append(Criterion(f"{text} ({name})" + ("" if told is not None else ": not known"), told, rate, limit))
        for key, text, limit, unit in LIMITED:
            value = of.get(key, math.nan)
            met.append(Criterion(f"{text} ({name})", None if math.isnan(value) else value <= limit, value, limit, unit))
        away = of.get("boundary_distance", math.nan)
        crossed = None if math.isnan(away) else away >= 0.0
        met.append(Criterion(f"no tire crosses the boundary ({name})", crossed, away, 0.0, "m"))
        fits = not math.isnan(high) and high >= LEAST_HIGH and high >= LEAST_RATIO * low
        text = (
            f"k_H at least {LEAST_HIGH:g} and {LEAST_RATIO:g} k_L, as the rule has it: {high:.3g}, {low:.3g} ({name})"
        )
        conditions.append(Criterion(text, True if fits else None))
    speed = run.number("speed", "m/s")
    as_ruled = abs(speed - RULE_SPEED) <= 2 / 3.6
    conditions.append(Criterion(f"speed of the rule, 50 km/h: {3.6 * speed:.4g} km/h", True if as_ruled else None))
    if run.trials and not run.complete:
        conditions.append(Criterion(f"all stops driven: {run.reason}", None))
    elsewhere = [item.text for item in conditions if item.met is None]
    lost = any(item.met is False and "keeps its direction" in item.text for item in met)
    if elsewhere and not lost:  # not under the conditions of the rule
        return Verdict(NONE, "cannot be told: " + "; ".join(elsewhere), (*met, *conditions))
    found = judge(*met, *conditions)
    if found.word == PASS and len(stops) == 1:
        return Verdict(PASS, f"all criteria met, {stops[0][0]} alone", found.criteria)
    return found


def steering_traces(view: View) -> list[Panel]:
    """Hand wheel and yaw rate of both sides over time."""
    if view.many or not view.runs[0].trials:
        return []
    trials = view.runs[0].trials
    found = []
    for signal, title, unit in (("steering", "Steering wheel angle, both sides", "deg"),
                                ("yaw_rate", "Yaw rate, both sides", "deg/s")):  # fmt: skip
        curves = [
            Curve(t.name, t.trace.time, t.trace.signal(signal) / DEGREE, colour)
            for t, colour in zip(trials, shades(trials, SIDES), strict=True)
            if t.trace.has_signal(signal)
        ]
        found.append(Panel(title, "time / s", unit, curves))
    return found


class MuSplit(StraightBraking, Procedure):
    """Full braking with one side on a slippery road: does the car stop well, and may the driver keep it straight?

    Both sides, one after the other, or one.
    """

    kind: ClassVar[str] = "mu-split"
    title: ClassVar[str] = "Braking on split friction"
    standard: ClassVar[str] = "ISO 14512, UN R13-H, ISO 16234"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (steering_traces, *STRAIGHT, signals("steering", "yaw_rate"), path),
        WORDS,
        FIRST,
        (
            table_of_trials(
                "Stops", ("stopping_distance", "Distance"), ("mfdd", "MFDD"), ("braking_rate", "z"),
                ("braking_rate_least", "asked for"), ("steering_2s", "Hand wheel, 2 s"),
                ("steering_peak", "Hand wheel"), ("yaw_peak", "Turn"), ("boundary_distance", "From the boundary"),
            ),
        ),
        verdict,
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {"speed": 80 / 3.6},
        "rule": {},
        "trucks": {"straight_line": False},  # ISO 16234: the hand wheel is held
        "vi": {"speed": 25.0, "ramp_time": 1.0},
    }

    speed: float = quantity("m/s", RULE_SPEED, gt=0, typical=(5.0, 75.0), doc="at the start of braking")
    friction_high: float = quantity("-", 0.8, gt=0, typical=(0.1, 1.5), doc="of the side with grip")
    friction_low: float = quantity("-", 0.2, gt=0, typical=(0.02, 1.0), doc="of the slippery side")
    low_side: Literal["both", "left", "right"] = choice("both", doc="the slippery side; both: a stop each")

    @model_validator(mode="after")
    def _split(self) -> Self:
        if self.friction_low > self.friction_high:
            raise problem(f"must not be above friction_high ({self.friction_high:g})", "friction_low")
        if self.road or self.wheel_roads or self.inclined or self.friction != 1.0:
            raise problem(
                "the event makes its own road: leave road, wheel_roads, friction, grade and bank out, and set "
                "friction_high and friction_low", "low_side"
            )  # fmt: skip
        return self

    @property
    def several(self) -> bool:
        return self.low_side == "both"

    def following(self, done: Sequence[Trial]) -> Planned | None:
        if len(done) >= len(SIDES):
            return None
        side = SIDES[len(done)]
        return Planned(f"{side} slippery", {"low_side": side})

    def expected(self, done: Sequence[Trial]) -> int:
        return len(SIDES)

    def severity(self, run: Run) -> float:
        """The larger hand wheel angle; a stop that did not come to its end is worse."""
        angle = run.figures.get("steering_peak", (math.nan, "deg"))[0]
        return math.inf if not run.complete else -math.inf if math.isnan(angle) else angle

    def roads(self) -> Sequence[Road]:
        """A straight road, whose halves differ, along the line of the car."""
        least = LEAST_GRIP * 0.5 * (self.friction_low + self.friction_high) * 9.81
        length = BEHIND + self.speed * (self.start_time + 1.0) + self.speed**2 / (2 * least) + BEHIND
        left, right = self._frictions
        c, s = math.cos(self.heading), math.sin(self.heading)
        builder = RoadBuilder("split friction", BESIDE, BESIDE).friction(left, right).straight(length)
        return (builder.start(self.x - BEHIND * c, self.y - BEHIND * s, 0.0, self.heading).build(),)

    @property
    def _frictions(self) -> tuple[float, float]:
        """Of the left and the right half."""
        low, high = self.friction_low, self.friction_high
        return (low, high) if self.low_side == "left" else (high, low)

    def completed(self, start: Start, result: Run) -> Run:
        wheels = start.description.wheels
        slippery = {"left": "L", "right": "R"}[self.low_side]
        low = {name: self.friction_low for name, wheel in wheels.items() if wheel.side == slippery}
        high = {name: self.friction_high for name in wheels if name not in low}
        found = {"high": adhesion(start, result, high), "low": adhesion(start, result, low)}
        return result if any(math.isnan(k) for k in found.values()) else result.with_metadata(adhesions=found)
