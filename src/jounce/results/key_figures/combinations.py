"""Key figures of vehicles of several units: how much more the last unit does than the first, and how it comes to rest.

With the largest absolute values during a manoeuvre, of a unit n and of the first one,

    rearward amplification   max |a_y,n| / max |a_y,1|,   max |ψ̇_n| / max |ψ̇_1|                           (1)

(After [Aurell1995]; a_y of the centres of gravity of the units with their wheels, across their headings. That over the
front axle of the first unit, by which a lane change is often asked for, has a_y,1 + l ψ̈_1 below the line.) The yaw
damping is that of the angle of a hitch after the steering has ended, from the decrement of its extremes. Dynamic
off-tracking is the largest distance of an axle from the way of the first one, `jounce.results.units` (3).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jounce.results.figures import Figures
from jounce.results.key_figures.common import DEGREE, Array, Decay, decay, peak
from jounce.results.panels import Curve, Panel, View
from jounce.results.plots import COLOURS
from jounce.results.run import Run
from jounce.results.units import OFF, RATIO, Unit, centres_of, loads_on, transfer_ratio, units_of

MOST_UNITS = 9  # that words are made for
AY, YAW_RATE, YAW_ACC = "System_Mass_Center.Tracking_Ay", "chassis_velocities.yaw", "chassis_accelerations.yaw"
ARTICULATION = "Articulation.yaw"
WORDS = {
    "rearward_amplification_ay": "Rearward amplification of lateral acceleration, last unit",
    "rearward_amplification_yaw": "Rearward amplification of yaw rate, last unit",
    "rearward_amplification_front": "Rearward amplification, last unit over the front axle",
    "dynamic_off_tracking": "Largest off-tracking of the last axle",
    "ltr_peak": "Largest load transfer ratio of a unit",
    "ay_peak": "Largest lateral acceleration of the first unit",
    "yaw_rate_peak": "Largest yaw rate of the first unit",
    "articulation_peak": "Largest angle of the last hitch",
    "yaw_damping": "Damping of the last hitch's angle",
    "yaw_frequency": "Frequency of the last hitch's angle",
    "rearward_amplification_most": "Largest rearward amplification over frequency",
    "frequency_of_most": "Frequency of the largest rearward amplification",
    **{
        f"{key}_unit{n}": f"{text}, unit {n}"
        for key, text in (
            ("rearward_amplification_ay", "Rearward amplification of lateral acceleration"),
            ("rearward_amplification_yaw", "Rearward amplification of yaw rate"),
            ("ltr_peak", "Largest load transfer ratio"),
            ("articulation_peak", "Largest angle of the hitch"),
        )
        for n in range(1, MOST_UNITS + 1)
    },
}


def largest(time: Array, values: Array, after: float) -> float:
    """Largest absolute change of a signal from its start."""
    return max(peak(time, sign * (values - values[0]), after)[1] for sign in (1.0, -1.0))


@dataclass(frozen=True, eq=False)
class Moves:
    """How a unit moves: lateral acceleration, yaw rate, yaw acceleration; angle of its hitch (None of the first)."""

    number: int
    ay: Array
    yaw_rate: Array
    articulation: Array | None = None


def amplification(time: Array, units: Sequence[Moves], after: float, front: Array | None = None) -> Figures:
    """Return (1) of a manoeuvre that begins at ``after``.

    Parameters
    ----------
    units : in their order, the first one leads
    front : lateral acceleration of the front axle of the first one
    """
    figures = Figures()
    first, last = units[0], units[-1]
    base = {"ay": largest(time, first.ay, after), "yaw": largest(time, first.yaw_rate, after)}
    figures.put("ay_peak", base["ay"], "m/s2")
    figures.put("yaw_rate_peak", base["yaw"] / DEGREE, "deg/s")
    for unit in units[1:]:
        for name, values in (("ay", unit.ay), ("yaw", unit.yaw_rate)):
            ratio = largest(time, values, after) / base[name] if base[name] > 0 else math.nan
            figures.put(f"rearward_amplification_{name}_unit{unit.number}", ratio, "-")
            if unit is last:
                figures.put(f"rearward_amplification_{name}", ratio, "-")
        if unit.articulation is not None:
            figures.put(f"articulation_peak_unit{unit.number}", largest(time, unit.articulation, after) / DEGREE, "deg")
    if front is not None and (most := largest(time, front, after)) > 0:
        figures.put("rearward_amplification_front", largest(time, last.ay, after) / most, "-")
    if last.articulation is not None:
        figures.put("articulation_peak", largest(time, last.articulation, after) / DEGREE, "deg")
    return figures


def free_swing(time: Array, angle: Array, after: float, rest: float) -> Decay:
    """The swing of an angle (rad) about ``rest`` once the steering has ended, at ``after``."""
    rows = time >= after
    return decay(time[rows], angle[rows], rest)


def over_frequency(time: Array, first: Array, last: Array, lines: Array, until: float) -> Array:
    """(1) of lasting sines at evenly spaced frequencies (``lines``, Hz, whole multiples of their distance).

    Over the last whole periods of their sum before ``until``: there what began with them has died away, and lines do
    not mix. nan where the signals are shorter than one period, and half another before it.
    """
    period = 1.0 / float(lines[1] - lines[0])
    count = math.floor((until - float(time[0])) / period - 0.5)
    if count < 1:
        return np.full(len(lines), math.nan)
    step = float(np.median(np.diff(time)))
    n = round(count * period / step)
    end = int(np.searchsorted(time, until - 0.5 * step))
    rows = slice(end - n, end)
    waves = np.exp(-2j * np.pi * np.outer(lines, time[rows]))
    found: Array = np.abs(waves @ last[rows]) / np.abs(waves @ first[rows])
    return found


# --- of runs ---------------------------------------------------------------------------------------------------------


def moves_of(run: Run) -> list[Moves]:
    """The units of a run whose motion was recorded."""
    found = []
    for unit in units_of(run):
        names = [unit.channel(name) for name in (AY, YAW_RATE)]
        if not all(name in run for name in names):
            break
        angle = unit.channel(ARTICULATION)
        own = run[angle] if unit.number > 1 and angle in run else None
        found.append(Moves(unit.number, run[names[0]], run[names[1]], own))
    return found


def front_acceleration(run: Run) -> Array | None:
    """Lateral acceleration of the middle of the front axle: a_y + l ψ̈, l from the centre of gravity."""
    needed = (AY, YAW_ACC, *(f"System_Mass_Center.Global_{axis}" for axis in "XY"))
    centres = centres_of(run)
    if not centres or not all(name in run for name in needed) or not run.has_signal("yaw"):
        return None
    x, y = centres[min(centres)]
    yaw = float(run.signal("yaw")[0])
    dx, dy = (float(a[0] - run[name][0]) for a, name in zip((x, y), needed[2:], strict=True))
    result: Array = run[AY] + (dx * math.cos(yaw) + dy * math.sin(yaw)) * run[YAW_ACC]
    return result


def largest_transfer(run: Run, after: float) -> Figures:
    """Largest load transfer ratios."""
    figures, most = Figures(), []
    rows = run.time >= after
    for unit in units_of(run):
        loads = loads_on(run, unit.axles)
        if {name[0] for name in loads} == {"L", "R"} and rows.any():
            value = float(np.nanmax(np.abs(transfer_ratio(loads)[rows])))
            figures.put(f"ltr_peak_unit{unit.number}", value, "-")
            most.append(value)
    if most:
        figures.put("ltr_peak", max(most), "-")
    return figures


def last_axle(run: Run) -> int:
    """The last axle whose off-tracking is told; 0 where none is."""
    told = [axle for unit in units_of(run) for axle in unit.axles if OFF.format(axle) in run]
    return max(told, default=0)


def names_of_units(run: Run) -> list[tuple[Unit, str]]:
    """The units with words for legends."""
    return [(unit, f"unit {unit.number}{f' ({unit.name})' if unit.name else ''}") for unit in units_of(run)]


# --- panels ----------------------------------------------------------------------------------------------------------

_OF_UNITS = (
    ("Lateral acceleration of the units", AY, "m/s²", 1.0, 1),
    ("Yaw rate of the units", YAW_RATE, "deg/s", 1 / DEGREE, 1),
    ("Angles of the hitches", ARTICULATION, "deg", 1 / DEGREE, 2),
    ("Load transfer ratio of the units", RATIO, "", 1.0, 1),
)


def of_units(view: View) -> list[Panel]:
    """What the units of each run do, over time."""
    found = []
    for run, label in zip(view.runs, view.labels, strict=True):
        named = names_of_units(run)
        for title, channel, unit, factor, begin in _OF_UNITS:
            curves = [
                Curve(text, run.time, factor * run[name], COLOURS[k % len(COLOURS)])
                for k, (item, text) in enumerate(named)
                if item.number >= begin and (name := item.channel(channel)) in run
            ]
            if curves:
                found.append(Panel(f"{title}, {label}" if view.many else title, "time / s", unit, curves))
        axles = [axle for item, _ in named for axle in item.axles if OFF.format(axle) in run]
        if axles:
            curves = [
                Curve(f"axle {axle}", run.time, run[OFF.format(axle)], COLOURS[k % len(COLOURS)])
                for k, axle in enumerate(axles)
            ]
            title = "Off-tracking of the axles, to the left"
            found.append(Panel(f"{title}, {label}" if view.many else title, "time / s", "m", curves))
    return found


def ways(view: View) -> list[Panel]:
    """Ways of the centres of all axles, seen from above."""
    found = []
    for run, label in zip(view.runs, view.labels, strict=True):
        centres = centres_of(run)
        if not centres:
            continue
        curves = [
            Curve(f"axle {axle}", x, y, COLOURS[k % len(COLOURS)]) for k, (axle, (x, y)) in enumerate(centres.items())
        ]
        across, aside = (max(float(np.ptp(c[i])) for c in centres.values()) for i in (0, 1))
        title = "Ways of the axles"
        found.append(
            Panel(f"{title}, {label}" if view.many else title, "x / m", "y / m", curves, "ways", "m", False,
                  equal=True, wide=across > 2.5 * aside)
        )  # fmt: skip
    return found
