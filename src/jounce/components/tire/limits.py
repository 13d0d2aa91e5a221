"""What a tire can bear at a load and an inclination, and how far a working point is from it.

The limit is the convex hull of all forces (Fx, Fy) that the tire has over slip and slip angle. It is kept as its
support in N directions n_i around the circle,

    h_i(Fz, γ, µ) = max over κ, α of n_i·F(κ, α; Fz, γ, µ)                                                          (1)

with the slips (κ_i, α_i) that reach it, all over µ, in a table over load, inclination and friction of the road, made
when numbers are set. In pure slip a Magic Formula tire has F_µ(κ) = µ F(κ/µ), so that h/µ does not depend on µ; in
combined slip it grows somewhat on slippery roads. The hull is what is within all half planes n_i·F ≤ h_i, and for a
working point F

    margin = min_i (h_i - n_i·F)                     distance to the nearest edge, negative beyond                   (2)
    marginLat = min over n_iy ≠ 0 of (h_i - n_i·F)/|n_iy|      along ±Fy at this Fx, to the nearer side              (3)
    marginLon = min over n_ix ≠ 0 of (h_i - n_i·F)/|n_ix|      along ±Fx at this Fy                                  (4)

(2) is never more than (3) and (4), as |n| = 1. The edges stand outside of a smooth hull by at most 1/cos(π/N) - 1, half
a percent for 32 of them. Forces are those that act, with their lag; slips of the closest point are those of the edge
that is met. Of twin tires it is the inner one. Supports are ours; the idea and the names of the channels are those of
the reference tool.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from jounce.components.body.attached import Sensor
from jounce.components.model import WheelModel
from jounce.components.part import Level, Number, Symbols
from jounce.components.places import Place, WheelPlace
from jounce.components.tire.base import Tire
from jounce.core.errors import ParameterError
from jounce.core.fields import Data, choice, part, quantity
from jounce.core.tables import Table
from jounce.symbolic.ops import fmax, if_else

Array = npt.NDArray[np.float64]

DIRECTIONS = 32
GROUP = "tirelimits"
ANGLES = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
NORMALS = np.round(np.column_stack([np.cos(ANGLES), np.sin(ANGLES)]), 15) + 0.0  # exact along the axes
# field -> keys of the tire file, what holds where it has none, number of steps where no step is given
FILE = {
    "load": ("FZMIN", "FZMAX", (0.05, 2.5), 8),  # of the nominal load
    "camber": ("CAMMIN", "CAMMAX", (-0.2, 0.2), 4),
    "slip_angle": ("ALPMIN", "ALPMAX", (-0.6, 0.6), 80),
    "slip": ("KPUMIN", "KPUMAX", (-1.0, 1.0), 80),
}
UNITS = {"load": "N", "camber": "rad", "slip_angle": "rad", "slip": "-"}
FINE = 9  # points around the best of a grid, from neighbour to neighbour
FRICTION = np.array([0.25, 0.5, 1.0])  # of the road
KEPT = 32  # tables
MOST = 400  # points along one range


LOWER, UPPER = "lower end; absent: that of the tire file", "upper end; absent: that of the tire file"
APART = "distance of points; absent: a share of the range"


class LoadRange(Data):
    """Wheel loads at which the limit is known."""

    min: float | None = quantity("N", None, presence=False, typical=(0.0, 2e5), doc=LOWER)
    max: float | None = quantity("N", None, presence=False, typical=(0.0, 2e5), doc=UPPER)
    step: float | None = quantity("N", None, presence=False, gt=0, typical=(0.0, 2e5), doc=APART)


class AngleRange(Data):
    """Angles at which the tire is asked."""

    min: float | None = quantity("rad", None, presence=False, typical=(0.0, 1.6), doc=LOWER)
    max: float | None = quantity("rad", None, presence=False, typical=(0.0, 1.6), doc=UPPER)
    step: float | None = quantity("rad", None, presence=False, gt=0, typical=(0.0, 1.6), doc=APART)


class SlipRange(Data):
    """Slips at which the tire is asked."""

    min: float | None = quantity("-", None, presence=False, typical=(0.0, 2.0), doc=LOWER)
    max: float | None = quantity("-", None, presence=False, typical=(0.0, 2.0), doc=UPPER)
    step: float | None = quantity("-", None, presence=False, gt=0, typical=(0.0, 2.0), doc=APART)


class Asked(Data):
    """Ranges over which a tire is asked for its forces."""

    load: LoadRange = part({}, numbers_only=True, doc="wheel loads")
    camber: AngleRange = part({}, numbers_only=True, doc="inclinations")
    slip_angle: AngleRange = part({}, numbers_only=True, doc="slip angles")
    slip: SlipRange = part({}, numbers_only=True, doc="longitudinal slips")


def points(asked: Any, tire: Tire, what: str) -> Array:
    """The points of a range for a tire; ParameterError where it goes beyond the tire's own."""
    low_key, high_key, usual, steps = FILE[what]
    scale = float(tire.values["FNOMIN"]) if what == "load" else 1.0
    low = float(tire.values.get(low_key, usual[0] * scale))
    high = float(tire.values.get(high_key, usual[1] * scale))
    given = getattr(asked, what)
    for name, value in (("min", given.min), ("max", given.max)):
        if value is not None and not low <= value <= high:
            raise ParameterError(
                f"limits of the tire {tire.name!r}: {what}.{name} = {value:g} {UNITS[what]} is outside of its own "
                f"range, {low:g} to {high:g} ({low_key}, {high_key} of its file)"
            )
    first, last = (low if given.min is None else given.min), (high if given.max is None else given.max)
    if not first < last:
        raise ParameterError(f"limits of the tire {tire.name!r}: {what} from {first:g} to {last:g}: nothing is between")
    number = steps if given.step is None else max(math.ceil((last - first) / given.step - 1e-9), 1)
    if number > MOST:
        raise ParameterError(f"limits of the tire {tire.name!r}: {what}.step makes {number} points; at most {MOST}")
    return np.linspace(first, last, number + 1)


# made last, with the tires they are of: every run of a car asks for the same
_known: dict[tuple[int, str, str], tuple[Tire, Table]] = {}


def envelope(asked: Any, tire: Tire, mounted: str) -> Table:
    """The table of a tire: over load and inclination h, κ, α in all directions (1)."""
    key = id(tire), mounted, repr([getattr(asked, name) for name in FILE])
    if key not in _known:
        while len(_known) >= KEPT:
            _known.pop(next(iter(_known)))
        _known[key] = tire, _envelope(asked, tire, mounted)
    return _known[key][1]


def _envelope(asked: Any, tire: Tire, mounted: str) -> Table:
    loads, cambers, alpha, kappa = (points(asked, tire, name) for name in ("load", "camber", "slip_angle", "slip"))
    if np.all(cambers != 0) and cambers[0] < 0 < cambers[-1]:
        cambers = np.sort(np.append(cambers, 0.0))
    if np.all(alpha != 0):
        alpha = np.sort(np.append(alpha, 0.0))  # without side slip, drive and brake forces are largest
    if np.all(kappa != 0):
        kappa = np.sort(np.append(kappa, 0.0))
    loads = np.append(0.0, loads[loads > 0])  # nothing to bear without a load
    k, a = (grid.ravel() for grid in np.meshgrid(kappa, alpha, indexing="ij"))
    values = np.zeros((len(loads), len(cambers), len(FRICTION), 3 * DIRECTIONS))
    everything = np.arange(DIRECTIONS)
    for i, j, m in np.ndindex(len(loads), len(cambers), len(FRICTION)):
        load, gamma, mu = float(loads[i]), float(cambers[j]), float(FRICTION[m])
        if load == 0.0:
            continue
        best = (NORMALS @ _forces(tire, load, k, a, gamma, mu, mounted)).argmax(axis=1)
        # once more around each of them, all in one call
        near_k, near_a = (np.stack([_around(x, c) for c in y[best]]) for x, y in ((kappa, k), (alpha, a)))
        fine_k, fine_a = np.repeat(near_k, FINE, axis=1), np.tile(near_a, (1, FINE))
        forces = _forces(tire, load, fine_k.ravel(), fine_a.ravel(), gamma, mu, mounted)
        reached = np.einsum("ij,jik->ik", NORMALS, forces.reshape(2, DIRECTIONS, FINE * FINE))
        top = reached.argmax(axis=1)
        values[i, j, m] = np.concatenate([x[everything, top] for x in (reached, fine_k, fine_a)]) / mu
    values[0, ..., DIRECTIONS:] = values[1, ..., DIRECTIONS:]  # slips do not vanish with the load
    return Table([loads, cambers, FRICTION], values, method="linear", extrapolation="flat", name="limits")


def _forces(tire: Tire, load: float, kappa: Array, alpha: Array, gamma: float, mu: float, mounted: str) -> Array:
    """Longitudinal and lateral forces, in rows."""
    with np.errstate(all="ignore"):
        found = tire.steady(load, kappa, alpha, gamma, mu, mounted=mounted)
    return np.stack(np.broadcast_arrays(found.fx, found.fy, kappa))[:2]


def _around(values: Array, centre: float) -> Array:
    """Points from one neighbour of a value to the other."""
    k = int(np.searchsorted(values, centre))
    low, high = values[max(k - 1, 0)], values[min(k + 1, len(values) - 1)]
    return np.linspace(low, high, FINE)


class Margins:
    """Distances of a working point from the limit (2) to (4), and where it is met; expressions."""

    def __init__(self, supports: Sequence[Any], fx: Any, fy: Any, friction: Any) -> None:
        self.fx, self.fy = fx, fy
        self.slips = [(supports[DIRECTIONS + i], supports[2 * DIRECTIONS + i]) for i in range(DIRECTIONS)]
        self.room = [
            friction * h - n[0] * fx - n[1] * fy for h, n in zip(supports[:DIRECTIONS], NORMALS.tolist(), strict=True)
        ]
        self.friction = friction

    def closest(self, axis: int | None = None) -> tuple[Any, dict[str, Any]]:
        """Margin (2), or along an axis (3, 4), and slips and forces where the limit is met."""
        best: Any = None
        way, slips = [0.0, 0.0], (0.0, 0.0)
        for room, n, own in zip(self.room, NORMALS.tolist(), self.slips, strict=True):
            if axis is not None and abs(n[axis]) < 1e-12:
                continue
            far = room if axis is None else room / abs(n[axis])
            step = n if axis is None else [math.copysign(1.0, n[axis]) if k == axis else 0.0 for k in (0, 1)]
            if best is None:
                best, way, slips = far, step, own
                continue
            nearer = far < best
            best = if_else(nearer, far, best)
            way = [if_else(nearer, new, old) for new, old in zip(step, way, strict=True)]
            slips = tuple(if_else(nearer, new, old) for new, old in zip(own, slips, strict=True))
        return best, {
            "LonSlip": self.friction * slips[0],
            "LatSlip": self.friction * slips[1],
            "LonForce": self.fx + best * way[0],
            "LatForce": self.fy + best * way[1],
        }


def margins_of(at: WheelModel, table: Any) -> Margins:
    """Of the tire at a wheel, by its table."""
    tire = at.tire
    load = fmax(tire.values["fz"], 0.0)
    supports = table(load, tire.contact.gamma, tire.friction)
    return Margins(supports, tire.values["fx"], tire.values["fy"], tire.friction)


def limits_table(part: Any, at: WheelModel, p: Symbols) -> Any:
    """The table of a part at a wheel, in the model."""
    tire = at.vehicle.tires[at.place.name]
    side = "left" if at.place.side == "L" else "right"
    return at.vehicle.table(f"{p.own_name}.limits", envelope(part, tire, side))


def table_number(part: Any, place: Place, tire: Tire, prefix: str) -> Iterator[tuple[str, Number]]:
    """The same for numbers without a model."""
    assert isinstance(place, WheelPlace)
    side = "left" if place.side == "L" else "right"
    yield f"{prefix}limits", lambda: envelope(part, tire, side)


class TireLimits(Sensor, Asked):
    """How far the tires are from their limits."""

    level: ClassVar[Level] = "wheel"

    kind: Literal["tire_limits"] = choice("tire_limits", doc="kind of sensor")

    def tire_numbers(self, place: Place, tire: Tire, prefix: str) -> Iterator[tuple[str, Number]]:
        yield from table_number(self, place, tire, prefix)

    def tell(self, at: WheelModel, p: Symbols) -> None:
        found, place = margins_of(at, limits_table(self, at, p)), at.place.name
        words = (("margin", "closest", None), ("marginLon", "closestLon", 0), ("marginLat", "closestLat", 1))
        for name, where, axis in words:
            margin, met = found.closest(axis)
            at.channel(f"{GROUP}.{name}.{place}", margin, "N", "distance of the tire's force from its limit")
            for key, value in met.items():
                unit = {"LonSlip": "-", "LatSlip": "rad"}.get(key, "N")
                at.channel(f"{GROUP}.{where}_{key}.{place}", value, unit, "where the limit is met")
