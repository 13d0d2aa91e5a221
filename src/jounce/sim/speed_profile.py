"""The speed at which a car can follow a path, from the curvature of the path and what the car can do.

Of the lateral acceleration a_y, and of the accelerations with which the car gathers speed a_d(v) and brakes a_b on the
level, a part f is used. With the squared speed w = v², bank φ (left side up), slope θ, and the curvatures κ in plan and
κ_z in elevation, the tires bear the load g n and give the lateral acceleration q:

    n = cos φ cos θ + w (κ_z − κ sin φ)/g,    q = w κ cos φ + g sin φ,    |q| ≤ f a_y n                              (1)

(1) is linear in w: the speed in each place follows at once; on the level it is v = √(f a_y/|κ|). What cornering leaves
of the tires is there for driving and braking, and the slope helps or hinders, along the path in space:

    dw/ds ≤ 2 (f a_d(v) l − g sin θ),   −dw/ds ≤ 2 (f a_b l + g sin θ),   l = (1 − |u|^p)^{1/p},  u = q/(f a_y n)    (2)

forwards and backwards from where the car is slowest. With p = 2, the ellipse of a point, cars spin that brake into a
turn at nine tenths of it: braking takes load off the rear axle, which then holds less than a point would. p = 1, a
straight line between the limits, is what all cars of the library follow. On ground of another grip m(s) than that of
the limits, a_y and a_b are m times as large; a_d is so where m < 1, for it is the engine that gives it otherwise.

No foot goes from one pedal to the other at once, and a car whose wanted acceleration jumps brakes harder afterwards to
catch up. So the speed over time is made the least of what (1), (2) allow within a time T around, and then its mean
over T,

    v(t) ← 1/T ∫ u dτ over |τ − t| ≤ T/2,    u(t) = min v over |τ − t| ≤ T/2                                      (3)

which is nowhere faster, keeps the speed of every apex, and changes the acceleration by (a₁ − a₂) in a time T.

Ours; the two passes are those of every quasi-static lap. Not in it: transients of the car, the force that cornering
takes, downforce.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError

if TYPE_CHECKING:
    from jounce.road.path import Path

Array = npt.NDArray[np.float64]

SLOWEST = 1.0  # m/s: what cannot be driven at this speed cannot be driven
AUTO = re.compile(r"auto(?:\s+([0-9.]+(?:e[+-]?\d+)?)\s*(%?))?", re.IGNORECASE)
USUAL = 0.8
COUPLING = 1.0  # p
FOOT = 0.4  # s, T: the driver's foot leaves one pedal (0.2 s), comes to the other and presses it
FINENESS = 40  # samples in T, even


@dataclass(frozen=True)
class Limits:
    """What a car can do on the level: lateral acceleration, deceleration, acceleration over speed, top speed; SI."""

    lateral: float
    braking: float
    speeds: Array  # of ``driving``
    driving: Array
    top: float

    def drive(self, v: float) -> float:
        """The acceleration with the pedal down at a speed."""
        return float(np.interp(v, self.speeds, self.driving))


def automatic(text: str) -> float | None:
    """The part of its limits that a car uses, of a speed such as "auto 0.7" or "auto 70 %"; None: no such speed."""
    found = AUTO.fullmatch(str(text).strip())
    if found is None:
        return None
    if found.group(1) is None:
        return USUAL
    try:
        part = float(found.group(1)) / (100.0 if found.group(2) else 1.0)
    except ValueError:
        part = float("nan")
    if not 0.0 < part <= 1.5:
        raise ParameterError(f"speed = {text!r}: the part of the car's limits must be above 0 and at most 1.5")
    return part


def profile(
    path: Path,
    limits: Limits,
    part: float,
    *,
    first: float | None = None,
    last: float | None = None,
    grip: npt.ArrayLike = 1.0,
    foot: float = 0.0,
) -> Array:
    """Speeds at the stations of a path (1), (2), (3).

    Parameters
    ----------
    first, last : largest speed at the ends of an open path, m/s
    grip : of the ground there over that on which the limits were found: one for all, or one for each station
    foot : T in (3), s; 0: accelerations may jump
    """
    if not part > 0:
        raise ParameterError(f"speed: the part of the car's limits is {part:g}; must be above 0")
    holds = np.broadcast_to(np.asarray(grip, dtype=float), path.s.shape)
    if not np.all(np.isfinite(holds) & (holds > 0)):
        raise ParameterError("speed: the grip along the path must be above 0 everywhere")
    kappa, slope = path.curvature, np.arctan(path.slope)
    bank = np.arctan(np.zeros_like(kappa) if path.bank is None else path.bank)
    lift = path.vertical_curvature * np.cos(slope) ** 3
    lateral = part * limits.lateral * holds
    loads = np.cos(bank) * np.cos(slope), (lift - kappa * np.sin(bank)) / GRAVITY
    sides = GRAVITY * np.sin(bank), kappa * np.cos(bank)
    w = np.full(len(kappa), limits.top**2)
    for sign in (1.0, -1.0):
        grows = sign * sides[1] - lateral * loads[1]
        room = lateral * loads[0] - sign * sides[0]
        if np.any((room <= 0) & (grows >= 0)):
            at = path.s[int(np.argmax((room <= 0) & (grows >= 0)))]
            raise ParameterError(f"speed: the bank at s = {at:.4g} m is more than {part:g} of what the car holds")
        with np.errstate(divide="ignore", invalid="ignore"):
            w = np.minimum(w, np.where(grows > 0, room / grows, np.inf))
    with np.errstate(divide="ignore"):
        w = np.minimum(w, np.where(loads[1] < 0, -loads[0] / loads[1], np.inf))  # it stays on the ground
    if first is not None and not path.closed:
        w[0] = min(w[0], first**2)
    if last is not None and not path.closed:
        w[-1] = min(w[-1], last**2)

    def left(i: int, square: float) -> float:
        """l (2)."""
        n = loads[0][i] + square * loads[1][i]
        u = (sides[0][i] + square * sides[1][i]) / (lateral[i] * max(n, 1e-9))
        return float(max(0.0, 1.0 - abs(float(u)) ** COUPLING) ** (1 / COUPLING))

    step = path.step / np.cos(slope)
    climb = GRAVITY * np.sin(slope)

    def gains(i: int, square: float) -> float:
        drives = min(float(holds[i]), 1.0) * limits.drive(float(np.sqrt(square)))
        return part * drives * left(i, square) - float(climb[i])

    def loses(i: int, square: float) -> float:
        return part * float(holds[i]) * limits.braking * left(i, square) + float(climb[i])

    begin = int(np.argmin(w)) if path.closed else 0
    order = np.roll(np.arange(len(w)), -begin)
    _passed(w, order, step, gains, path.closed)
    _passed(w, order[::-1], step, loses, path.closed)
    found: Array = np.sqrt(w)
    return _without_jumps(found, step, path.closed, foot) if foot > 0 else found


def _without_jumps(v: Array, step: Array, closed: bool, foot: float) -> Array:
    """Speeds whose acceleration changes within the time of a foot (3)."""
    from scipy.ndimage import minimum_filter1d, uniform_filter1d

    whole = np.append(v, v[0]) if closed else v
    ways = step if closed else 0.5 * (step[1:] + step[:-1])
    time = np.concatenate([[0.0], np.cumsum(ways / np.maximum(0.5 * (whole[1:] + whole[:-1]), 0.5 * SLOWEST))])
    n = max(int(np.ceil(time[-1] / foot * FINENESS)), FINENESS)
    at = np.linspace(0.0, time[-1], n, endpoint=not closed)
    mode = "wrap" if closed else "nearest"
    fine = np.interp(at, time, whole)
    wide = FINENESS + 1
    smooth = uniform_filter1d(minimum_filter1d(fine, wide, mode=mode), wide, mode=mode)
    found: Array = np.interp(time[: len(v)], at, smooth, period=time[-1] if closed else None)
    return np.clip(found, np.minimum(v, SLOWEST), v)  # from rest it gets away


def _passed(
    w: Array, order: npt.NDArray[np.int_], step: Array, rate: Callable[[int, float], float], closed: bool
) -> None:
    """Limit squared speeds along an order of stations by what they may grow."""
    for i, j in itertools.pairwise(order):
        w[j] = min(w[j], max(w[i] + 2 * step[i] * rate(i, w[i]), 0.0))
    if closed:
        i, j = order[-1], order[0]
        w[j] = min(w[j], max(w[i] + 2 * step[i] * rate(i, w[i]), 0.0))


def with_speed(
    path: Path, limits: Limits, part: float, *, first: float | None = None, last: float | None = None
) -> Path:
    """The path with the speed at which a driver follows it."""
    return replace(path, speed=profile(path, limits, part, first=first, last=last, foot=FOOT))
