"""Gears along a path, planned before a run: down early, not in corners, no gear for a moment only.

Along the path the speed v(s) and the curvature κ(s) are known. Gear g turns the engine with n_g = k_g v. At an apex, a
least speed where the curvature bends the path, the gear is that whose speed is nearest to the best one,

    g_a = argmin |n_g − n_opt,g|,    n_min ≤ n_g ≤ n_max                                                          (1)

Before an apex the wanted gear g* is the lowest one with n_g ≤ n_max that is not below that of the apex, after it the
same with the apex that was. The plan is the sequence of gears, one up or one down at a time, of the least cost

    ∫ |g − g*| dt + P ∫ max(0, n_g/n_max − 1, 1 − n_g/n_min) dt                                                   (2)

in which no shift, from its begin to its end, lies where the car leans or turns too much, and every gear stays for a
least time and for the time of a shift with its margin,

    atan(v² |κ|/g) ≤ φ,   |κ| v ≤ ψ̇_max,       t_stay ≥ max(t_min, m T_shift)                                     (3)

found by dynamic programming over the times at which gears change ([Bellman1957]): the best of all plans on the grid,
not one that is mended until it fits. Wanting a low gear early is what (2) makes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError

Array = npt.NDArray[np.float64]

POINTS = 800  # of the grid in time, at most
FINEST = 0.02  # s
PENALTY = 1e3  # P: an engine outside its speeds counts as this many gears
SLOWEST = 1.0  # m/s
CURVED = 1e-4  # 1/m: below, a least speed is no apex


@dataclass(frozen=True)
class GearPlan:
    """Gears from stations on, and where the engine leaves its speeds all the same."""

    stations: tuple[float, ...]
    gears: tuple[int, ...]
    apexes: tuple[float, ...]
    outside: tuple[float, ...]  # stations at which no allowed gear keeps the engine within its speeds

    def at(self, station: float) -> int:
        """The gear at a station."""
        return self.gears[max(int(np.searchsorted(self.stations, station, side="right")) - 1, 0)]


def plan_gears(
    station: Sequence[float] | Array,
    speed: Sequence[float] | Array,
    curvature: Sequence[float] | Array,
    per_speed: Sequence[float],
    *,
    most: float,
    least: float,
    best: Sequence[float],
    shift_time: float = 0.3,
    margin: float = 2.0,
    stay: float = 1.0,
    lean: float | None = None,
    yaw_rate: float | None = None,
) -> GearPlan:
    """Plan the gears of a path.

    Parameters
    ----------
    station, speed, curvature : along the path, SI
    per_speed : engine speed per speed of the car by gear from the first on, k_g, rad/m
    most, least : engine speeds, rad/s
    best : engine speed at an apex by gear, rad/s
    shift_time, margin, stay : T_shift, m above 1, t_min
    lean, yaw_rate : above which no gear changes, rad and rad/s; absent: no limit
    """
    s, v, bend = (np.asarray(item, dtype=float) for item in (station, speed, curvature))
    k, optimum = np.asarray(per_speed, dtype=float), np.asarray(best, dtype=float)
    _check(s, v, bend, k, optimum, most, least, margin)
    v = np.maximum(v, SLOWEST)
    time = np.concatenate([[0.0], np.cumsum(np.diff(s) / (0.5 * (v[1:] + v[:-1])))])
    n = min(POINTS, max(int(time[-1] / FINEST), 3))
    t = np.linspace(0.0, time[-1], n)
    way = np.interp(t, time, s)
    v, bend = np.interp(way, s, v), np.abs(np.interp(way, s, bend))
    turns = np.outer(k, v)  # n_g over gear and time

    apexes = _apexes(v, bend)
    wanted = _wanted(turns, optimum, apexes, most, least)
    beyond = np.maximum(np.maximum(turns / most - 1, 1 - turns / max(least, 1e-9)), 0.0)
    rate = np.abs(np.arange(len(k))[:, None] - wanted) + PENALTY * beyond
    dt = t[1] - t[0]
    cost = np.concatenate([np.zeros((len(k), 1)), np.cumsum(rate, axis=1) * dt], axis=1)  # before the i-th point

    bad = np.zeros(n, dtype=bool)
    if lean is not None:
        bad |= np.arctan(v * v * bend / GRAVITY) > lean
    if yaw_rate is not None:
        bad |= v * bend > yaw_rate
    lasts = int(np.ceil(shift_time / dt))
    allowed = np.array([not bad[i : i + lasts + 1].any() for i in range(n)])
    changes, gears = _cheapest(cost, allowed, max(int(np.ceil(max(stay, margin * shift_time) / dt - 1e-9)), 1))
    used = np.repeat(gears, np.diff([*changes, n]))
    outside = way[beyond[used, np.arange(n)] > 1e-9]
    return GearPlan(
        tuple(float(way[i]) for i in changes),
        tuple(int(g) + 1 for g in gears),
        tuple(float(way[i]) for i in apexes),
        tuple(float(x) for x in outside),
    )


def _check(
    s: Array, v: Array, bend: Array, k: Array, best: Array, most: float, least: float, margin: float
) -> None:  # fmt: skip
    if not (len(s) == len(v) == len(bend) >= 2) or np.any(np.diff(s) <= 0):
        raise ParameterError(
            f"gear plan: {len(s)} stations, {len(v)} speeds, {len(bend)} curvatures; stations must rise"
        )
    if len(best) != len(k) or np.any(np.diff(k) >= 0):
        raise ParameterError(
            f"gear plan: {len(k)} gears with {len(best)} best speeds; ratios must fall from gear to gear"
        )
    if not 0 <= least < most:
        raise ParameterError(f"gear plan: engine speeds from {least:g} to {most:g} rad/s; the first must be smaller")
    if margin <= 1:
        raise ParameterError(f"gear plan: margin = {margin:g}: must be above 1")


def _apexes(v: Array, bend: Array) -> list[int]:
    """Least speeds in bends; of a stretch of equal speed its middle."""
    found, i = [], 1
    while i < len(v) - 1:
        j = i
        while j < len(v) - 1 and v[j + 1] == v[i]:
            j += 1
        if j < len(v) - 1 and v[i - 1] > v[i] < v[j + 1] and bend[i : j + 1].max() > CURVED:
            found.append((i + j) // 2)
        i = j + 1
    return found


def _wanted(turns: Array, best: Array, apexes: Sequence[int], most: float, least: float) -> npt.NDArray[np.int64]:
    """g* over time, gears from 0 on."""
    lowest: npt.NDArray[np.int64] = np.where(turns <= most, np.arange(len(turns))[:, None], len(turns) - 1).min(axis=0)
    wanted: npt.NDArray[np.int64] = lowest.copy()
    if not apexes:
        return wanted
    at_apex = []
    for i in apexes:
        fits = (turns[:, i] <= most) & (turns[:, i] >= least)
        distance = np.abs(turns[:, i] - best) + np.where(fits, 0.0, 1e9)
        at_apex.append(int(np.argmin(distance)))  # (1)
    v = turns[0]
    for number, i in enumerate(apexes):
        before = apexes[number - 1] if number else 0
        after = apexes[number + 1] if number + 1 < len(apexes) else len(v) - 1
        peak_before = before + int(np.argmax(v[before : i + 1]))
        peak_after = i + int(np.argmax(v[i : after + 1]))
        wanted[peak_before : peak_after + 1] = np.maximum(lowest[peak_before : peak_after + 1], at_apex[number])
    return wanted


def _cheapest(cost: Array, allowed: npt.NDArray[np.bool_], stay: int) -> tuple[list[int], npt.NDArray[np.int64]]:
    """Indices at which gears begin, and the gears, of the least cost (2)."""
    gears, n = cost.shape[0], cost.shape[1] - 1
    best = np.full((gears, n + 1), np.inf)  # of all that is before index i, where the gear begins there
    come = np.full((gears, n + 1, 2), -1, dtype=int)
    best[:, 0] = 0.0
    ends = [(float(cost[g, n]), g, 0) for g in range(gears)]
    later = np.arange(n)
    for i in range(n):
        for g in range(gears):
            if not np.isfinite(best[g, i]):
                continue
            ends.append((float(best[g, i] + cost[g, n] - cost[g, i]), g, i))
            first = i + (stay if i else 1)
            j = later[first:][allowed[first:]]
            total = best[g, i] + cost[g, j] - cost[g, i]
            for other in (g - 1, g + 1):
                if 0 <= other < gears:
                    better = total < best[other, j] - 1e-12
                    best[other, j[better]] = total[better]
                    come[other, j[better]] = g, i
    _, g, i = min(ends)
    changes, found = [i], [g]
    while i > 0:
        g, i = (int(value) for value in come[g, i])
        changes.append(i)
        found.append(g)
    return changes[::-1], np.array(found[::-1])
