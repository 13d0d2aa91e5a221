"""Lap and sector times along a path.

With the station s of a car on a path (unwrapped over the laps of a closed one), a lap ends when s passes a whole number
of lengths, a sector when it passes a beacon. The instant lies between two rows, on the cubic through the four rows
around it (fewer at the ends of a run):

    s(t*) = s*,   s(t) = Σ_j s_j Π_{i≠j} (t - t_i)/(t_j - t_i)                                                 (1)

At rows 10 ms apart that leaves far less than a microsecond, whatever the car does.

A run may start just beyond a line or end just before one. With a tolerance e, a line s* counts as passed at the first
row where 0 < s - s* ≤ e there and the car is never behind the line, and at the last row where 0 < s* - s ≤ e there and
the car was never beyond it; both only of a car that gets on. A time that begins or ends so is short by what
the car takes for the rest: e/v at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.road.path import Path

Array = npt.NDArray[np.float64]
NOTHING = 1e-15  # s


@dataclass(frozen=True)
class Beacon:
    """What a sensor at a station of the path tells: of its last passage, 0 before the first one."""

    station: float  # m
    time: Array  # since the start line was passed, s
    sector_time: Array  # since the sensor before it was passed, s
    count: Array  # of the lap in which it was passed


@dataclass(frozen=True)
class Laps:
    """What a lap sensor tells of a run."""

    station: Array  # along the path, within one lap, m
    offset: Array  # from the path, left positive, m
    count: Array  # of the lap the car is in; 0 until the start line is passed for the first time
    lap_time: Array  # since the last passage of the start line, s
    sector_time: Array  # since the last beacon or start line, s
    progressive_time: Array  # since the start line was passed for the first time, s; 0 before
    beacons: tuple[Beacon, ...]  # what the sensor at each of them tells
    times: tuple[float, ...]  # of complete laps, s
    sectors: tuple[tuple[float, ...], ...]  # of complete laps, s


def measure(time: Array, x: Array, y: Array, path: Path, beacons: Sequence[float] = (), tolerance: float = 0.0) -> Laps:
    """Lap and sector times of a car that moves along a path.

    Parameters
    ----------
    time, x, y : of the car, s and m
    path : closed, for laps; its station 0 is the start line
    beacons : further stations that begin a sector, m
    tolerance : how near a line a run may start or end that counts as passed there, m
    """
    for beacon in beacons:
        if not 0 < beacon < path.length:
            raise ParameterError(f"beacon at {beacon:g} m: the path goes from 0 to {path.length:g} m")
    found = path.project(x, y)
    station = np.asarray(found.station, dtype=float) % path.length if path.closed else np.asarray(found.station)
    whole = station.copy()
    if path.closed:  # jumps by a length are passages of the start line, forwards or backwards
        whole = np.unwrap(station, period=path.length)
    lines = sorted({0.0, *map(float, beacons)})
    apart = min(np.diff([*lines, path.length]))
    if not 0 <= tolerance < 0.5 * apart:
        raise ParameterError(f"beacon_tolerance {tolerance:g} m: less than half of the {apart:g} m between two lines")
    passed: list[tuple[float, float]] = []  # instants and lines
    first, last = int(np.floor(whole.min() / path.length)), int(np.ceil(whole.max() / path.length))
    for lap in range(first, last + 1):
        for line in lines:
            at = lap * path.length + line
            passed += [(t, line) for t in (*_passages(time, whole, at), *_at_the_ends(time, whole, at, tolerance))]
    passed.sort()
    starts = [t for t, line in passed if line == 0.0]
    events = [t for t, _ in passed]
    count = np.searchsorted(starts, time, side="right").astype(float)
    times = tuple(float(d) for d in np.diff(starts)) if path.closed else ()
    sectors = tuple(tuple(float(d) for d in np.diff([t for t in events if a <= t <= b])) for a, b in pairwise(starts))
    return Laps(
        station,
        np.asarray(found.offset),
        count,
        _since(time, starts),
        _since(time, events),
        np.maximum(time - starts[0], 0.0) if starts else np.zeros(len(time)),
        tuple(_told(time, beacon, passed, starts) for beacon in map(float, beacons)),
        times,
        sectors if times else (),
    )


def _told(time: Array, station: float, passed: Sequence[tuple[float, float]], starts: Sequence[float]) -> Beacon:
    """What a beacon tells; ``passed``: all passages, in order."""
    own = [(i, t) for i, (t, line) in enumerate(passed) if line == station]
    laps = [float(np.searchsorted(starts, t, side="right")) for _, t in own]
    told = [
        (0.0, 0.0, 0.0),
        *(
            (t - starts[int(lap) - 1] if lap > 0 else 0.0, t - passed[i - 1][0] if i else 0.0, lap)
            for (i, t), lap in zip(own, laps, strict=True)
        ),
    ]
    rows = np.searchsorted([t for _, t in own], time, side="right")
    values = np.array(told)[rows]
    return Beacon(station, values[:, 0], values[:, 1], values[:, 2])


def _passages(time: Array, s: Array, at: float) -> list[float]:
    """Instants at which s rises through a value (1)."""
    before, after = s[:-1], s[1:]
    rows = np.nonzero((before < at) & (after >= at))[0]
    return [_instant(time, s, int(k), at) for k in rows]


def _at_the_ends(time: Array, s: Array, at: float, tolerance: float) -> list[float]:
    """The first and the last instant where they are that near a value, which lies behind or ahead."""
    if s[-1] <= s[0]:
        return []
    found = []
    if 0 < s[0] - at <= tolerance and s.min() > at:
        found.append(float(time[0]))
    if 0 < at - s[-1] <= tolerance and s.max() < at:
        found.append(float(time[-1]))
    return found


def _instant(time: Array, s: Array, k: int, at: float) -> float:
    """When s passes a value between the rows k and k + 1: the root of the cubic."""
    from scipy.interpolate import BarycentricInterpolator
    from scipy.optimize import brentq

    first = max(min(k - 1, len(time) - 4), 0)
    cubic = BarycentricInterpolator(time[first : first + 4] - time[k], s[first : first + 4] - at)
    return float(time[k] + brentq(cubic, 0.0, float(time[k + 1] - time[k]), xtol=NOTHING))


def _since(time: Array, instants: Sequence[float]) -> Array:
    """Time since the last of some instants, or since the start."""
    marks = np.array([time[0] if len(time) else 0.0, *instants])
    result: Array = time - marks[np.searchsorted(marks, time, side="right") - 1]
    return result
