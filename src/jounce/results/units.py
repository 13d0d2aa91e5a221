"""Units of a vehicle and their axles, as results know them, and channels that follow from those of several units.

A run says of which units its vehicle is, and which axles each has (`units_of`). From its channels follow

    load transfer ratio of a unit    (Σ F_R − Σ F_L) / (Σ F_R + Σ F_L) of its tires; 1 on its right wheels only      (1)
    load of an axle, of a group      Σ F over the tires of an axle, of a tandem or tridem                            (2)
    off-tracking of an axle          from the way of the first axle to its centre, to the left positive              (3)

F are the vertical loads. The centre of an axle is in the middle of its contacts. The way of the first axle goes on
backwards, before the run begins, with the curvature ψ̇/v that it has at the beginning; a vehicle that drives backwards
has no off-tracking. A run has these as channels where its vehicle has several units, or more than two axles:
``unit2.Load_Transfer_Ratio``, ``Axle.Load.3``, ``Axle_Group.Load.3`` (by the first axle of the group),
``Axle.Off_Tracking.3``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from jounce.results.panels import TIRE, tires_of

if TYPE_CHECKING:
    from jounce.results.run import Run

Array = npt.NDArray[np.float64]

LOAD, PLACE = "Tire.Ground_Surface_Force_Z.{}", "Tire.Contact_Patch_Global_{}.{}"
RATIO, AXLE_LOAD, GROUP_LOAD, OFF = "Load_Transfer_Ratio", "Axle.Load.{}", "Axle_Group.Load.{}", "Axle.Off_Tracking.{}"
APART = 1e-4  # m, between points of a way
PASSES, CLOSE = 60, 1e-9  # of the search for a foot; m
BACKWARDS = -0.1  # m/s
BEHIND = 0.1  # m, between points before the beginning


@dataclass(frozen=True)
class Unit:
    """One unit of a vehicle.

    number : from 1; towed_by : number of the unit that tows it, 0 of the first
    coupling : how it is coupled: ball, fifth_wheel …; "" of the first
    groups : its axles, by their numbers through all units, tandems and tridems together
    """

    number: int
    name: str
    towed_by: int
    coupling: str
    groups: tuple[tuple[int, ...], ...]

    @property
    def axles(self) -> tuple[int, ...]:
        return tuple(axle for group in self.groups for axle in group)

    def channel(self, name: str) -> str:
        """The name of one of its channels."""
        return name if self.number == 1 else f"unit{self.number}.{name}"


def units_of(run: Run) -> tuple[Unit, ...]:
    """The units of a run's vehicle; none where the run does not say."""
    found = run.metadata.get("vehicle", {})
    listed = found.get("units", []) if isinstance(found, dict) else []
    return tuple(
        Unit(i, item["name"], item["towed_by"], item["coupling"], tuple(tuple(group) for group in item["groups"]))
        for i, item in enumerate(listed, 1)
    )


# --- loads -----------------------------------------------------------------------------------------------------------


def transfer_ratio(loads: Mapping[str, Array]) -> Array:
    """(1) of the loads by tire, whose names begin with their side; nan where nothing bears."""
    left, right = (
        np.sum([load for name, load in loads.items() if name.startswith(side)], axis=0) for side in ("L", "R")
    )
    total = np.asarray(left + right)
    result: Array = np.where(total > 0, (right - left) / np.where(total > 0, total, 1.0), np.nan)
    return result


def tires_on(run: Run, axles: Sequence[int], pattern: str = LOAD) -> list[str]:
    """Tires of some axles that have a channel."""
    return [name for name in tires_of(run, pattern) if int(TIRE.fullmatch(name).group(2)) in axles]  # type: ignore[union-attr]


def loads_on(run: Run, axles: Sequence[int]) -> dict[str, Array]:
    """Vertical loads of the tires of some axles."""
    return {name: run[LOAD.format(name)] for name in tires_on(run, axles)}


# --- off-tracking ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Way:
    """A way as close points: distance along it, places, directions."""

    s: Array
    x: Array
    y: Array
    heading: Array

    def at(self, s: Array) -> tuple[Array, Array, Array, Array]:
        """x, y and direction (cosine, sine) at distances; straight on beyond its ends."""
        inside = np.clip(s, self.s[0], self.s[-1])
        heading = np.interp(inside, self.s, self.heading)
        c, sn = np.cos(heading), np.sin(heading)
        return (
            np.interp(inside, self.s, self.x) + (s - inside) * c,
            np.interp(inside, self.s, self.y) + (s - inside) * sn,
            c,
            sn,
        )

    def foot(self, x: Array, y: Array, guess: Array) -> tuple[Array, Array]:
        """Distance along the way of the nearest point to places, near a guess, and how far left of it they are."""
        s = guess.astype(float)
        for _ in range(PASSES):
            px, py, c, sn = self.at(s)
            step = (x - px) * c + (y - py) * sn
            s = s + step
            if np.max(np.abs(step), initial=0.0) < CLOSE:
                break
        px, py, c, sn = self.at(s)
        return s, (y - py) * c - (x - px) * sn


def way_of(x: Array, y: Array, heading: float, curvature: float, behind: float) -> tuple[Way, Array]:
    """The way through places in their order, and how far along it each of them is.

    Before the first place it goes back for ``behind`` (m) along a circle of the curvature, from a heading (rad).
    """
    moved = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    rows, last = [0], 0.0
    for k, s in enumerate(moved):  # a vehicle that stands makes no way
        if s - last >= APART:
            rows.append(k)
            last = s
    back = -np.arange(math.ceil(behind / BEHIND), 0, -1) * BEHIND
    turned = heading + curvature * back
    if abs(curvature) > 1e-9:
        bx = x[0] + (np.sin(turned) - math.sin(heading)) / curvature
        by = y[0] - (np.cos(turned) - math.cos(heading)) / curvature
    else:
        bx, by = x[0] + back * math.cos(heading), y[0] + back * math.sin(heading)
    s, px, py = (np.concatenate(pair) for pair in ((back, moved[rows]), (bx, x[rows]), (by, y[rows])))
    if len(s) < 3:
        return Way(np.array([0.0, 1.0]), x[0] + np.array([0.0, math.cos(heading)]),
                   y[0] + np.array([0.0, math.sin(heading)]), np.full(2, heading)), moved  # fmt: skip
    direction = np.unwrap(np.arctan2(np.gradient(py, s), np.gradient(px, s)))
    return Way(s, px, py, direction), moved


def off_tracking(
    centres: Mapping[int, tuple[Array, Array]], heading: float, curvature: float
) -> tuple[Way, dict[int, tuple[Array, Array]]]:
    """The way of the first axle, and (3) of each further one: where its foot is along the way, and how far left of it.

    Parameters
    ----------
    centres : x and y of the centres of the axles, by their numbers; the first is that which leads
    heading, curvature : of the way at the beginning, rad, 1/m
    """
    (_, (x, y)), *others = sorted(centres.items())
    far = max((math.hypot(float(a[0] - x[0]), float(b[0] - y[0])) for _, (a, b) in others), default=0.0)
    way, along = way_of(x, y, heading, curvature, 1.5 * far + 1.0)
    return way, {n: way.foot(a, b, along - np.hypot(a - x, b - y)) for n, (a, b) in others}


def centres_of(run: Run) -> dict[int, tuple[Array, Array]]:
    """Centres of the axles of a run, by their numbers."""
    found = {}
    for axle in (axle for unit in units_of(run) for axle in unit.axles):
        tires = [name for name in tires_on(run, (axle,), PLACE.format("X", "{}")) if PLACE.format("Y", name) in run]
        if tires:
            found[axle] = (
                np.mean([run[PLACE.format("X", name)] for name in tires], axis=0),
                np.mean([run[PLACE.format("Y", name)] for name in tires], axis=0),
            )
    return found


def beginning(run: Run) -> tuple[float, float]:
    """Heading and curvature of the way of the first axle when a run begins; nan where it drives backwards."""
    if not all(run.has_signal(name) for name in ("yaw", "yaw_rate", "forward_speed")):
        return math.nan, math.nan
    if float(run.signal("forward_speed").min()) < BACKWARDS:
        return math.nan, math.nan
    axle = min(centres_of(run), default=0)
    rate, speed, yaw = (float(run.signal(name)[0]) for name in ("yaw_rate", "forward_speed", "yaw"))
    if speed < -BACKWARDS or not axle:
        return yaw, 0.0
    x, y = centres_of(run)[axle]
    ahead = np.flatnonzero(np.hypot(x - x[0], y - y[0]) > BEHIND)
    if not len(ahead):
        return yaw, 0.0
    curvature, k = rate / speed, int(ahead[0])
    chord = math.atan2(float(y[k] - y[0]), float(x[k] - x[0]))
    return chord - 0.5 * curvature * math.hypot(float(x[k] - x[0]), float(y[k] - y[0])), curvature


def tracked(run: Run) -> tuple[Way, dict[int, tuple[Array, Array]]] | None:
    """`off_tracking` of a run; None where places were not recorded, or it drives backwards."""
    centres = centres_of(run)
    heading, curvature = beginning(run)
    if len(centres) < 2 or math.isnan(heading):
        return None
    return off_tracking(centres, heading, curvature)


# --- channels --------------------------------------------------------------------------------------------------------


def with_units(run: Run) -> Run:
    """The run with the channels of (1) to (3), where its vehicle has several units or more than two axles."""
    units = units_of(run)
    if len(run) < 2 or (len(units) < 2 and sum(len(unit.axles) for unit in units) <= 2):
        return run
    added: dict[str, tuple[Array, str]] = {}
    for unit in units:
        loads = loads_on(run, unit.axles)
        if {name[0] for name in loads} == {"L", "R"}:
            added[unit.channel(RATIO)] = transfer_ratio(loads), "-"
        for group in unit.groups:
            for axle in group:
                if own := loads_on(run, (axle,)):
                    added[AXLE_LOAD.format(axle)] = np.sum(list(own.values()), axis=0), "N"
            if len(group) > 1 and all(loads_on(run, (axle,)) for axle in group):
                added[GROUP_LOAD.format(group[0])] = np.sum(list(loads_on(run, group).values()), axis=0), "N"
    found = tracked(run)
    if found is not None:
        added |= {OFF.format(axle): (left, "m") for axle, (_, left) in found[1].items()}
    if not added:
        return run
    return run.with_channels({name: v for name, (v, _) in added.items()}, {name: u for name, (_, u) in added.items()})
