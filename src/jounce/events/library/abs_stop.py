"""Stops with full pedal from 100 km/h, one after the other (ISO 21994), judged after UN R13-H.

The initial speeds of the series are spread evenly by ±1.5 km/h (the standard allows 2 km/h), and the stopping
distances referred to the nominal speed, s (v/v₀)², so that the scatter tells how far a car with slip control depends on
where in its cycles it meets a speed. With v in km/h, of every stop,

    cars      s (v/v₀)² <= 0.1 v + 0.0060 v²,   MFDD >= 6.43 m/s²,   ε = z/k >= 0.75                            (1)
    trucks    s (v/v₀)² <= 0.15 v + v²/130,     MFDD >= 5.0 m/s²,    ε = z/k >= 0.75                            (2)

(`braking.py` (1), (2); annex 3 and annex 6 of UN R13-H; annex 4 and annex 13 of UN R13, where `rule` says so, as the
preset ``trucks``, from 60 km/h; the stop itself is that of ISO 16552), and a turn of at most 15° from the line. The
first two are those of a dry road: they are asked for where the friction is that of the tires' data. The engine drives
nothing.
Where the data have a pedal, its force may be 500 N, of trucks 700 N.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from jounce.core.fields import choice, quantity
from jounce.events.library.straight_braking import FIRST, StraightBraking, along_the_way
from jounce.events.library.straight_braking import WORDS as OF_BRAKING
from jounce.events.library.straight_braking import of_run as of_braking
from jounce.events.procedure import Planned, Procedure
from jounce.events.stops import WORDS as OF_STOPS
from jounce.events.stops import of_stop
from jounce.results.figures import Figures
from jounce.results.kinds import Kind
from jounce.results.panels import STRAIGHT, Curve, Panel, View
from jounce.results.run import Run
from jounce.results.trials import shades, table_of_trials
from jounce.results.verdict import Criterion, Verdict, judge

if TYPE_CHECKING:
    from jounce.events.start import Start
    from jounce.results.trials import Trial

SCATTER = 1.5 / 3.6  # m/s, of the initial speed
LEAST_UTILISATION = 0.75
MOST_TURN = 15.0  # deg
ROUNDING = 1e-9  # of a limit: nothing
DRY = 0.99  # of the friction of the tires' data
MEANS = ("stopping_distance_nominal", "mfdd", "mean_deceleration", "adhesion_utilisation", "braking_rate")

WORDS = {
    **OF_BRAKING,
    **OF_STOPS,
    "stopping_distance_spread": "Stopping distance, nominal speed: largest less smallest",
    "stopping_distance_longest": "Stopping distance, nominal speed: largest",
    "mfdd_least": "Mean fully developed deceleration: least",
    "adhesion_utilisation_least": "Utilisation of adhesion: least",
    "runs": "Stops",
}


@dataclass(frozen=True)
class Rule:
    """What a regulation asks for: s ≤ a v + b v² (m, km/h), MFDD (m/s²), force on the pedal (N)."""

    a: float
    b: float
    mfdd: float
    force: float


RULES = {"UN R13-H": Rule(0.1, 0.0060, 6.43, 500.0), "UN R13": Rule(0.15, 1 / 130, 5.0, 700.0)}


def longest_way(speed: float, rule: str = "UN R13-H") -> float:
    """Stopping distance that a rule allows from a speed (1), (2); m, m/s."""
    v = 3.6 * speed
    return RULES[rule].a * v + RULES[rule].b * v * v


def of_run(run: Run) -> Figures:
    """Key figures of a stop, or of a series."""
    if run.trials:
        return of_trials(run.trials)
    figures = of_braking(run)
    start = run.number("start_time", "s")
    if not math.isnan(start):
        figures.join(of_stop(run, along_the_way(run), start))
    return figures


def of_trials(trials: Sequence[Trial]) -> Figures:
    """Means over the stops, and the worst of them."""
    figures = Figures()
    for name in MEANS:
        values = [trial.figure(name) for trial in trials]
        if any(name in trial.figures for trial in trials):
            unit = next(trial.figures[name][1] for trial in trials if name in trial.figures)
            figures.put(name, float(np.mean(values)), unit)
    ways = [trial.figure("stopping_distance_nominal", "m") for trial in trials]
    figures.put("stopping_distance_longest", float(np.max(ways)), "m")
    figures.put("stopping_distance_spread", float(np.ptp(ways)), "m")
    figures.put("mfdd_least", float(np.min([trial.figure("mfdd", "m/s2") for trial in trials])), "m/s2")
    used = [trial.figure("adhesion_utilisation") for trial in trials]
    if not all(math.isnan(value) for value in used):
        figures.put("adhesion_utilisation_least", float(np.min(used)), "-")
    for name, unit in (("locked_time", "s"), ("yaw_peak", "deg")):
        if all(name in trial.figures for trial in trials):
            figures.put(name, float(np.max([trial.figure(name, unit) for trial in trials])), unit)
    figures.put("runs", float(len(trials)), "-")
    return figures


def verdict(run: Run) -> Verdict:
    """What UN R13-H says of every stop (1), or UN R13 (2)."""
    chosen = str(run.parameter("rule") or "UN R13-H")
    rule = RULES[chosen]
    stops = [(t.name, t.figures, t.complete, t.reason) for t in run.trials]
    stops = stops or [("this stop", run.figures, run.complete, run.reason)]
    nominal = run.number("nominal_speed", "m/s")
    nominal = run.number("speed", "m/s") if math.isnan(nominal) else nominal
    way = longest_way(nominal, chosen)
    v = f"{3.6 * nominal:.4g} km/h"
    wanted = [
        ("adhesion_utilisation", f"utilisation of adhesion at least {LEAST_UTILISATION}", LEAST_UTILISATION, -1.0, "-")
    ]
    dry = run.number("friction", "-") >= DRY and not run.parameter("road") and not run.parameter("wheel_roads")
    if dry:
        wanted = [
            ("stopping_distance_nominal", f"stopping distance from {v} at most {way:.4g} m", way, 1.0, "m"),
            ("mfdd", f"mean fully developed deceleration at least {rule.mfdd} m/s²", rule.mfdd, -1.0, "m/s2"),
            *wanted,
        ]
    wanted.append(("yaw_peak", f"turned from the line by at most {MOST_TURN:g} deg", MOST_TURN, 1.0, "deg"))
    found = []
    for name, _, complete, reason in stops:
        if not complete:
            found.append(Criterion(f"the car comes to a stop on its line ({name}): {reason}", _fault(reason)))
    for key, text, limit, sign, unit in wanted:
        values = [(sign * figures.get(key, (math.nan, unit))[0], name) for name, figures, _, _ in stops]
        known = [item for item in values if not math.isnan(item[0])]
        if not known or (len(known) < len(values) and max(known)[0] <= sign * limit):
            found.append(Criterion(f"{text}: not known", None, limit=limit, unit=unit))
            continue
        worst, name = max(known)
        value = sign * worst if abs(worst) > ROUNDING * limit else 0.0
        found.append(Criterion(f"{text}: {value:.4g} ({name})", worst <= sign * limit, value, limit, unit))
    force = run.metadata.get("pedal_force")
    if force is not None:
        text = f"pedal force at most {rule.force:g} N: {float(force):.4g} N"
        found.append(Criterion(text, float(force) <= rule.force, float(force), rule.force, "N"))
    if run.trials and not run.complete:
        found.append(Criterion(f"all stops driven: {run.reason}", None))
    return judge(*found)


def _fault(reason: str) -> bool | None:
    """Whether a stop that ended early failed; one that the user ended, or that has no time left, says nothing."""
    return False if any(word in reason for word in ("spun", "rolled", "turned")) else None


def speeds_over_time(view: View) -> list[Panel]:
    """Speed of all stops over time."""
    if view.many or not view.runs[0].trials:
        return []
    trials = [t for t in view.runs[0].trials if t.trace.has_signal("speed")]
    curves = [
        Curve(t.name, t.trace.time, 3.6 * t.trace.signal("speed"), colour)
        for t, colour in zip(trials, shades(trials, ("",)), strict=True)
    ]
    return [Panel("Speed, all stops", "time / s", "km/h", curves, wide=True)]


class AbsStop(StraightBraking, Procedure):
    """Stops with full pedal, one after the other: how far, and how much of the grip is used.

    Several initial speeds around the nominal one; one stop alone with `stops` = 1.
    """

    kind: ClassVar[str] = "abs-stop"
    title: ClassVar[str] = "Stops with slip control"
    standard: ClassVar[str] = "ISO 21994, UN R13-H, ISO 16552, UN R13"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (speeds_over_time, *STRAIGHT),
        WORDS,
        ("stopping_distance_nominal", "mfdd", "adhesion_utilisation", *FIRST),
        (
            table_of_trials(
                "Stops", ("initial_speed", "From"), ("stopping_distance", "Distance"),
                ("stopping_distance_nominal", "Referred"), ("mfdd", "MFDD"), ("adhesion_utilisation", "Utilisation"),
                ("locked_time", "Locked"), ("yaw_peak", "Turn"),
            ),
        ),
        verdict,
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "rule": {},
        "trucks": {"rule": "UN R13", "speed": 60 / 3.6},
        "vi": {"speed": 25.0, "ramp_time": 1.0, "stops": 1},
    }

    stops: int = choice(5, ge=1, le=100, doc="how many; 1: from the nominal speed")
    speed_scatter: float = quantity(
        "m/s", SCATTER, ge=0, typical=(0.0, 1.0), doc="of the initial speeds, to either side"
    )

    nominal_speed: float | None = quantity(
        "m/s", None, gt=0, typical=(5.0, 75.0), doc="to which distances are referred; absent: the speed"
    )

    rule: Literal["UN R13-H", "UN R13"] = choice("UN R13-H", doc="by which it is judged: UN R13-H cars, UN R13 trucks")

    @property
    def several(self) -> bool:
        return self.stops > 1

    def following(self, done: Sequence[Trial]) -> Planned | None:
        k = len(done)
        if k >= self.stops:
            return None
        speed = self.speed + self.speed_scatter * (2.0 * k / (self.stops - 1) - 1.0)
        return Planned(f"stop {k + 1}", {"stops": 1, "speed": speed, "nominal_speed": self.nominal_speed or self.speed})

    def expected(self, done: Sequence[Trial]) -> int:
        return self.stops

    def severity(self, run: Run) -> float:
        """The longest stop; one that did not come to its end is worse."""
        way = run.figures.get("stopping_distance_nominal", (math.nan, "m"))[0]
        return math.inf if not run.complete else -math.inf if math.isnan(way) else way

    def completed(self, start: Start, result: Run) -> Run:
        result = super().completed(start, result)
        brakes = start.vehicle.brakes
        pedal = None if brakes is None else brakes.pedal
        return result if pedal is None else result.with_metadata(pedal_force=self.brake * pedal.full_force)
