"""Lap and sector times along a path.

With the station s of a car on a path (unwrapped over the laps of a closed one), a lap ends when s passes a whole number
of lengths, a sector when it passes a beacon; the instant is interpolated between rows:

    t* = t_k + (s* - s_k)/(s_{k+1} - s_k) (t_{k+1} - t_k)                                                     (1)
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


@dataclass(frozen=True)
class Laps:
    """What a lap sensor tells of a run."""

    station: Array  # along the path, within one lap, m
    offset: Array  # from the path, left positive, m
    count: Array  # of the lap the car is in; 0 until the start line is passed for the first time
    lap_time: Array  # since the last passage of the start line, s
    sector_time: Array  # since the last beacon or start line, s
    times: tuple[float, ...]  # of complete laps, s
    sectors: tuple[tuple[float, ...], ...]  # of complete laps, s


def measure(time: Array, x: Array, y: Array, path: Path, beacons: Sequence[float] = ()) -> Laps:
    """Lap and sector times of a car that moves along a path.

    Parameters
    ----------
    time, x, y : of the car, s and m
    path : closed, for laps; its station 0 is the start line
    beacons : further stations that begin a sector, m
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
    passed: list[tuple[float, float]] = []  # instants and lines
    first, last = int(np.floor(whole.min() / path.length)), int(np.ceil(whole.max() / path.length))
    for lap in range(first, last + 1):
        for line in lines:
            passed += [(t, line) for t in _passages(time, whole, lap * path.length + line)]
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
        times,
        sectors if times else (),
    )


def _passages(time: Array, s: Array, at: float) -> list[float]:
    """Instants at which s rises through a value (1)."""
    before, after = s[:-1], s[1:]
    rows = np.nonzero((before < at) & (after >= at))[0]
    return [float(time[k] + (at - s[k]) / (s[k + 1] - s[k]) * (time[k + 1] - time[k])) for k in rows]


def _since(time: Array, instants: Sequence[float]) -> Array:
    """Time since the last of some instants, or since the start."""
    marks = np.array([time[0] if len(time) else 0.0, *instants])
    result: Array = time - marks[np.searchsorted(marks, time, side="right") - 1]
    return result
