"""Lateral transient of vehicle combinations (ISO 14791): how much more the last unit moves than the first.

At constant speed, by one of the methods of the standard:

    sine          one period of a sine of the hand wheel
    lane_change   a driver follows a way on which the lateral acceleration is one period of a sine in time
    random        lasting noise of the hand wheel in a band of frequencies

With the frequency f and the largest lateral acceleration a the way is that of the curvature, and shifts by

    κ(s) = a/v² sin(2π f s/v),   y = a/(2π f²) for small angles                                                     (1)

The amplitude of a sine is found so that the first unit comes to ``lateral_acceleration``. Largest rearward
amplification comes with a frequency of its own: with ``last_frequency`` the event is a series over frequencies, and
noise tells it over frequency in one run. The noise is a sum of sines, evenly spaced in the band,

    δ(t) = A √(2/n) Σ sin(2π f_k t + φ_k),   φ_k = π k²/n                                                           (2)

with phases that spread its energy over time ([Schroeder1970]); A is its standard deviation, and it is faded in and out.

Key figures: ``results/key_figures/combinations``. The standard gives no limits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.driver.human import pedal_lag
from jounce.core.errors import JounceError
from jounce.core.fields import choice, problem, quantity
from jounce.core.tables import Table
from jounce.core.units import parse
from jounce.events.along import along, steerer
from jounce.events.base import Driven, safety_ends
from jounce.events.follow import follower
from jounce.events.procedure import Planned, Procedure, ladder
from jounce.events.towing import scaled_amplitude, tows_nothing
from jounce.results.figures import Figures
from jounce.results.key_figures import combinations
from jounce.results.key_figures.common import Array
from jounce.results.kinds import Kind
from jounce.results.panels import Curve, Panel, View, path, signals, wheels
from jounce.results.plots import COLOURS
from jounce.results.run import Run
from jounce.results.trials import table_of_trials
from jounce.results.units import OFF
from jounce.road.path import joined
from jounce.runtime.program import Channel, FromTable, Open, Phase, Program, Sine

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.results.trials import Trial
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

SKILL = "robot"
RESTS = 6.0  # s after the steering, in which the swing decays
NOISE, FADE, AFTER, SPACING = 100.0, 2.0, 1.0, 0.02  # s, s, s, Hz
CURVES = 64  # of a way
FIRST = (
    *("rearward_amplification_ay", "rearward_amplification_yaw", "dynamic_off_tracking", "yaw_damping"),
    *("rearward_amplification_most", "ltr_peak"),
)
KEYS = {
    "rearward_amplification_ay": "-",
    "rearward_amplification_yaw": "-",
    "dynamic_off_tracking": "m",
    "yaw_damping": "-",
}


# --- key figures -----------------------------------------------------------------------------------------------------


def of_run(run: Run) -> Figures:
    """Key figures of a run, or of a series over frequencies."""
    if run.trials:
        return _of_trials(run)
    figures = Figures()
    units = combinations.moves_of(run)
    if len(units) < 2:
        for key, unit in KEYS.items():
            figures.missing([key], unit, "lateral transient: the motion of several units was not recorded")
        return figures
    start = run.number("start_time", "s")
    noise = run.parameter("method") == "random"
    figures.join(combinations.amplification(run.time, units, start, combinations.front_acceleration(run)))
    figures.join(combinations.largest_transfer(run, start))
    axle = combinations.last_axle(run)
    if axle:
        rows = run.time >= start
        figures.put("dynamic_off_tracking", float(np.max(np.abs(run[OFF.format(axle)][rows]))), "m")
    else:
        figures.missing(["dynamic_off_tracking"], "m", "lateral transient: places of the axles were not recorded")
    if noise:
        _noise(run, units, figures)
    else:
        _swing(run, units[-1], start + 1.0 / run.number("frequency", "Hz"), figures)
    return figures


def _swing(run: Run, last: combinations.Moves, over: float, figures: Figures) -> None:
    """How the angle of the last hitch comes to rest."""
    if last.articulation is None:
        figures.missing(["yaw_damping"], "-", "lateral transient: the angle of the last hitch was not recorded")
        return
    if run.parameter("method") == "lane_change":
        figures.missing(["yaw_damping"], "-", "lateral transient: a driver steers on; method = sine tells the damping")
        return
    found = combinations.free_swing(run.time, last.articulation, over, float(last.articulation[0]))
    if math.isnan(found.damping):
        why = "lateral transient: the last hitch does not swing after the steering: fewer than two extremes"
        figures.missing(["yaw_damping"], "-", why)
        return
    figures.put("yaw_damping", found.damping, "-")
    figures.put("yaw_frequency", found.frequency, "Hz")


def _noise(run: Run, units: Sequence[combinations.Moves], figures: Figures) -> None:
    """The largest amplification over frequency."""
    f, gain = _spectrum(run, units)
    if not np.isfinite(gain).all():
        why = f"lateral transient: the noise is too short; its sines take {1.5 / SPACING:.0f} s"
        figures.missing(["rearward_amplification_most"], "-", why)
        return
    k = int(np.argmax(gain))
    figures.put("rearward_amplification_most", float(gain[k]), "-")
    figures.put("frequency_of_most", float(f[k]), "Hz")


def _spectrum(run: Run, units: Sequence[combinations.Moves]) -> tuple[Array, Array]:
    f = lines(run.number("frequency", "Hz"), run.number("highest_frequency", "Hz"))
    until = run.number("end_time", "s") - AFTER - FADE
    return f, combinations.over_frequency(run.time, units[0].ay, units[-1].ay, f, until)


def lines(low: float, high: float) -> Array:
    """Frequencies of the noise: whole multiples of their distance."""
    count = np.arange(math.ceil(low / SPACING - 1e-9), math.floor(high / SPACING + 1e-9) + 1, dtype=np.float64)
    found: Array = SPACING * count
    return found


def _of_trials(run: Run) -> Figures:
    """The largest of a series over frequencies."""
    figures = Figures()
    for key, unit in KEYS.items():
        values = [trial.figure(key) for trial in run.trials]
        told = [value for value in values if not math.isnan(value)]
        figures.put(key, (min if key == "yaw_damping" else max)(told, default=math.nan), unit)
    most = [(t.figure("rearward_amplification_ay"), float(t.parameter("frequency") or math.nan)) for t in run.trials]
    known = [item for item in most if not math.isnan(item[0])]
    if known:
        figures.put("rearward_amplification_most", max(known)[0], "-")
        figures.put("frequency_of_most", max(known)[1], "Hz")
        if max(known)[1] == max(f for _, f in known) and len(known) > 1:
            figures.warn("lateral transient: the largest amplification is at the last frequency; take higher ones")
    return figures


def over_frequency(view: View) -> list[Panel]:
    """Rearward amplification over frequency: of a series, or from noise."""
    curves = []
    for k, (run, label) in enumerate(zip(view.runs, view.labels, strict=True)):
        if run.trials:
            points = [(float(t.parameter("frequency")), t.figure("rearward_amplification_ay")) for t in run.trials]
            f, gain = (np.array(values) for values in zip(*sorted(points), strict=True))
        elif run.parameter("method") == "random" and len(units := combinations.moves_of(run)) > 1:
            f, gain = _spectrum(run, units)
        else:
            continue
        if len(f) > 1:
            curves.append(Curve(label if view.many else "", f, gain, COLOURS[k % len(COLOURS)]))
    if not curves:
        return []
    return [Panel("Rearward amplification over frequency", "frequency / Hz", "", curves, "frequency", "Hz", wide=True)]


# --- the event -------------------------------------------------------------------------------------------------------


class LateralTransient(Driven, Procedure):
    """A sine, a lane change or noise at the hand wheel of a vehicle that tows: what does the last unit make of it?"""

    kind: ClassVar[str] = "lateral-transient"
    title: ClassVar[str] = "Lateral transient of combinations"
    standard: ClassVar[str] = "ISO 14791"
    results: ClassVar[Kind] = Kind(
        (of_run,),
        (over_frequency, combinations.of_units, signals("steering", "speed"), wheels("loads"), path),
        combinations.WORDS,
        FIRST,
        (
            table_of_trials(
                "Frequencies", ("rearward_amplification_ay", "Amplification, lateral acceleration"),
                ("rearward_amplification_yaw", "Amplification, yaw rate"), ("dynamic_off_tracking", "Off-tracking"),
                ("ltr_peak", "Load transfer ratio"), ("ay_peak", "First unit"),
            ),
        ),
    )  # fmt: skip
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "iso": {},
        "lane_change": {"method": "lane_change"},
        "random": {"method": "random"},
        "frequencies": {"frequency": 0.2, "last_frequency": 0.7},
        # the standard lane change of the performance-based rules for road trains: 1.46 m aside in 2.5 s
        "sae_j2179": {"method": "lane_change", "speed": 88 / 3.6, "frequency": 0.4, "lateral_acceleration": 1.468},
    }
    moves: ClassVar[tuple[str, ...]] = ("frequency", "last_frequency", "amplitude", "end_time")

    method: Literal["sine", "lane_change", "random"] = choice("sine", doc="what the steering does")
    speed: float = quantity("m/s", 80 / 3.6, gt=0, typical=(5.0, 45.0), doc="kept throughout")
    end_time: float = quantity(
        "s", 9.5, gt=0, typical=(1.0, 600.0), doc="end of the run; absent: 6 s after the steering, with noise 104 s"
    )
    start_time: float = quantity("s", 1.0, ge=0, typical=(0.0, 60.0), doc="when the steering begins")
    direction: Literal["left", "right"] = choice("left", doc="where it goes first")
    frequency: float = quantity(
        "Hz", 0.4, gt=0, typical=(0.05, 2.0), doc="of the sine; of noise the lowest; of a series the first"
    )
    last_frequency: float | None = quantity(
        "Hz", None, gt=0, typical=(0.05, 2.0), doc="of a series; absent: one frequency"
    )
    frequency_step: float = quantity("Hz", 0.1, gt=0, typical=(0.01, 0.5), doc="of a series")
    highest_frequency: float = quantity("Hz", 1.5, gt=0, typical=(0.2, 5.0), doc="of noise")
    lateral_acceleration: float = quantity(
        "m/s2", 2.0, gt=0, typical=(0.1, 6.0), doc="largest of the first unit; of noise that of a neutral car"
    )
    amplitude: float | None = quantity(
        "rad", None, gt=0, typical=(0.01, 8.0), doc="of the hand wheel; absent: found for the lateral acceleration"
    )
    driver: Literal["contour", "preview"] = choice("contour", doc="kind of the driver of a lane change")

    @model_validator(mode="before")
    @classmethod
    def _ends(cls, raw: Any) -> Any:
        """The noise takes its time, and what swings needs some to come to rest."""
        if not isinstance(raw, Mapping) or raw.get("end_time") is not None:
            return raw
        if raw.get("method") == "random":
            return {**raw, "end_time": NOISE + 4.0}
        rest = {key: value for key, value in raw.items() if key != "end_time"}
        given = (("frequency", "Hz", 0.4), ("start_time", "s", 1.0))
        try:
            frequency, start = (parse(rest.get(name, usual), unit, name) for name, unit, usual in given)
        except JounceError:  # told with the field
            return rest
        return {**rest, "end_time": start + 1.0 / frequency + RESTS} if frequency > 0 else rest

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.last_frequency is not None:
            if self.last_frequency <= self.frequency:
                raise problem(f"must be above frequency ({self.frequency:g} Hz)", "last_frequency")
            if self.method == "random":
                raise problem("noise has all frequencies at once: highest_frequency", "last_frequency")
        if self.method == "random" and self.highest_frequency < self.frequency + 2 * SPACING:
            raise problem(f"must be above frequency ({self.frequency:g} Hz) by {2 * SPACING:g} Hz", "highest_frequency")
        if self.method == "lane_change" and self.amplitude is not None:
            raise problem("a driver steers; leave it out", "amplitude")
        return self

    def refuses(self, vehicle: Vehicle) -> str:
        return tows_nothing(vehicle)

    # -- a series ---------------------------------------------------------------------------------------------

    @property
    def several(self) -> bool:
        return self.last_frequency is not None

    @property
    def frequencies(self) -> list[float]:
        """All of the series, the last one is `last_frequency`."""
        if self.last_frequency is None:
            return [self.frequency]
        return ladder(self.frequency, self.last_frequency, self.frequency_step)

    def following(self, done: Sequence[Trial]) -> Planned | None:
        if len(done) >= len(self.frequencies):
            return None
        f = self.frequencies[len(done)]
        end = self.start_time + 1.0 / f + RESTS
        return Planned(f"{f:.3g} Hz", {"frequency": f, "last_frequency": None, "end_time": max(end, self.end_time)})

    def expected(self, done: Sequence[Trial]) -> int:
        return len(self.frequencies)

    def severity(self, run: Run) -> float:
        """The larger amplification; a unit that lies on its side is worst."""
        found = run.figures.get("rearward_amplification_ay", (math.nan, "-"))[0]
        return math.inf if not run.complete else -math.inf if math.isnan(found) else found

    # -- one run ----------------------------------------------------------------------------------------------

    @property
    def side(self) -> float:
        return 1.0 if self.direction == "left" else -1.0

    def parts(self) -> tuple[Part, ...]:
        if self.method != "lane_change":
            return super().parts()
        return (steerer(self.driver), follower(shifts=True, pedal_lag=pedal_lag(SKILL)))

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        if self.method != "lane_change":
            return self, ()
        length, bend = self.speed / self.frequency, self.side * self.lateral_acceleration / self.speed**2
        before, after = self.speed * self.start_time, self.speed * self.end_time
        s = np.linspace(0.0, length, CURVES + 1)
        kappa = bend * np.sin(2 * math.pi * s / length)  # (1)
        way = [(length / CURVES, float(a), float(b)) for a, b in pairwise(kappa)]
        found = joined([*([(before, 0.0, 0.0)] if before > 0 else []), *way, (after, 0.0, 0.0)], name="lane change")
        return self, (found.moved(self.x, self.y, heading=self.heading),)

    def prepared(self, start: Start) -> Self:
        event = super().prepared(start)
        if event.amplitude is not None or event.method == "lane_change":
            return event
        guess = abs(start.steering_for(event.lateral_acceleration))
        if event.method == "random":
            return event.changed(amplitude=guess / 1.5)
        until = event.start_time + 1.5 / event.frequency
        return event.changed(
            amplitude=scaled_amplitude(event, start, "amplitude", guess, event.lateral_acceleration, until)
        )

    def program(self, start: Start) -> Program:
        ends = safety_ends(start.vehicle)
        steering: list[Channel]
        if self.method == "lane_change":
            steering = along(start, self.driver)
        else:
            assert self.amplitude is not None
            size = self.side * self.amplitude
            wave = Sine(size, self.frequency, delay=self.start_time, cycles=1.0)
            steering = [Open("steering_wheel", wave if self.method == "sine" else self._noise(size))]
        return Program(Phase(self.kind, [*steering, *self.pedals(start)], duration=self.end_time, ends=ends))

    def _noise(self, size: float) -> FromTable:
        """(2)."""
        f = lines(self.frequency, self.highest_frequency)
        n = len(f)
        time = np.arange(0.0, self.end_time + 0.01, 0.02)
        waves = np.zeros(len(time))
        for k in range(n):
            waves += np.sin(2 * math.pi * f[k] * (time - self.start_time) + math.pi * k * k / n)
        fade = np.clip(np.minimum(time - self.start_time, self.end_time - AFTER - time) / FADE, 0.0, 1.0)
        values = size * math.sqrt(2.0 / n) * waves * (3 * fade**2 - 2 * fade**3)
        return FromTable(Table([time], values, method="akima", extrapolation="flat"))
