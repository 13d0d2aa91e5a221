"""Identities of mechanics beside what a run shows: the quickest way to see a wrong sign, unit or radius.

steady turn       a_y = v (ψ̇ + β̇) cos β + v̇ sin β,  a_y = v²/R,  ψ̇ = v/R
distance          ∫v dt = length of the path, up and down hills
wheel loads       Σ F_z = m g on a level road, on average
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from jounce.core.constants import GRAVITY
from jounce.results.key_figures.common import Array, steady, travelled
from jounce.results.run import Run

TURNING = 0.5  # m/s², below which there is no turn to speak of


@dataclass(frozen=True)
class Identity:
    """A measured value beside the one that follows from others; SI."""

    name: str
    measured: float
    expected: float
    unit: str
    tolerance: float  # relative
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the two agree within the tolerance."""
        return abs(self.measured - self.expected) <= self.tolerance * max(abs(self.measured), abs(self.expected))


def identities(run: Run) -> list[Identity]:
    """Return the identities that a run allows to be checked."""
    if len(run) < 10:
        return []
    found: list[Identity] = []
    found += _turn(run)
    found += _distance(run)
    found += _loads(run)
    return found


def _turn(run: Run) -> list[Identity]:
    if not all(run.has_signal(name) for name in ("speed", "yaw_rate", "lateral_acceleration")):
        return []
    window = _steady_turn(run)
    if window is None:
        return []
    rows = (run.time >= window[0]) & (run.time <= window[1])
    v, r, ay = (float(run.signal(name)[rows].mean()) for name in ("speed", "yaw_rate", "lateral_acceleration"))
    note = f"means from {window[0]:.2f} to {window[1]:.2f} s"
    expected = v * r
    if run.has_signal("side_slip"):  # a car that slides turns its path less than itself, and is seen from its own axes
        slip, speed, time = run.signal("side_slip")[rows], run.signal("speed")[rows], run.time[rows]
        span, beta = float(time[-1] - time[0]), float(slip.mean())
        across = v * (r + float(slip[-1] - slip[0]) / span)
        expected = across * math.cos(beta) + float(speed[-1] - speed[0]) / span * math.sin(beta)
    result = [Identity("Lateral acceleration against v·ψ̇", ay, expected, "m/s2", 0.02, note)]
    radius = run.number("radius", "m")
    early = _steady_turn(run, first=True)  # later a car may leave the circle, as when it brakes in a turn
    if early is not None and not math.isnan(radius) and radius > 0.0:
        rows = (run.time >= early[0]) & (run.time <= early[1])
        v, r, ay = (float(run.signal(name)[rows].mean()) for name in ("speed", "yaw_rate", "lateral_acceleration"))
        note, side = f"means from {early[0]:.2f} to {early[1]:.2f} s", math.copysign(1.0, ay)
        result.append(Identity("Lateral acceleration against v²/R", ay, side * v * v / radius, "m/s2", 0.02, note))
        result.append(Identity("Yaw rate against v/R", r, side * v / radius, "rad/s", 0.02, note))
    return result


def _steady_turn(run: Run, first: bool = False) -> tuple[float, float] | None:
    """The last or the first stretch of half a second in which the car turns steadily."""
    ay, r = run.signal("lateral_acceleration"), run.signal("yaw_rate")
    begin, end = float(run.time[0]), float(run.time[-1])
    for away in np.arange(0.0, end - begin - 0.5, 0.25):
        start = begin + float(away) if first else end - float(away) - 0.5
        window = (start, start + 0.5)
        level = steady(run.time, ay, window, tolerance=0.02)
        if level.ok and abs(level.value) > TURNING and steady(run.time, r, window, tolerance=0.02).ok:
            return window
    return None


def _distance(run: Run) -> list[Identity]:
    if not all(run.has_signal(name) for name in ("speed", "x", "y")):
        return []
    x, y = run.signal("x"), run.signal("y")
    above = run.signal_channel("x").removesuffix("X") + "Z"
    z = run[above] if above in run else np.zeros_like(x)
    length = float(np.sum(np.sqrt(np.diff(x) ** 2 + np.diff(y) ** 2 + np.diff(z) ** 2)))
    by_speed = float(travelled(run.time, run.signal("speed"))[-1])
    if by_speed < 1.0:
        return []
    return [Identity("Length of the path against ∫v dt", length, by_speed, "m", 0.005)]


def _loads(run: Run) -> list[Identity]:
    names = run.channels("Tire.Ground_Surface_Force_Z.*")
    mass = run.quantity("mass")
    if len(names) < 4 or math.isnan(mass):
        return []
    total: Array = np.sum([run[name] for name in names], axis=0)
    mean = float(np.trapezoid(total, run.time)) / float(run.time[-1] - run.time[0])
    note = "mean over the run; lift of the air is not counted"
    return [Identity("Sum of wheel loads against m·g", mean, mass * GRAVITY, "N", 0.02, note)]
