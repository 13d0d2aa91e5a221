"""Maps of compliance: how far a wheel gives way under one load, over the load and over travel.

Properties are those of the wheel-guiding maps, in their signs (docs/conventions.md): toe (front inwards), camber (top
outwards), side view angle (top rearwards), x (forward), y (to the left). Loads act on the wheel from the road, in ISO
8855 directions on both sides: F_x forward, F_y to the left, F_z upwards, M_z about the vertical. A map is a rate or a
table of load, or of load and travel:

    ε = gain · map(f; J),   gain = scale, or zero where the map is not active or negligible                      (1)

Data are those of the left wheel. The right one is its mirror image: F_y, M_z and y change their signs,

    map_R(f) = μ · map_L(λ f),   λ = -1 for F_y and M_z,   μ = -1 for y                                         (2)

unless ``right`` says what differs there, in the same signs and not mirrored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from jounce.components.part import derived
from jounce.components.places import WheelPlace
from jounce.components.suspension.guidance import MAPS, KinematicMap
from jounce.core.curves import Curve
from jounce.core.fields import Data, curve, flag, part, problem, quantity

LOADS = ("fx", "fx_brake", "fx_drive", "fy", "mz", "fz")
LONGITUDINAL = ("fx", "fx_brake", "fx_drive")
FORCE_REACH, MOMENT_REACH = (50.0, 3e5), (5.0, 3e4)  # largest loads of tables, N and N m
OVERSHOOT = 1.5  # slope of a smooth curve over the largest slope between its knots


def _over_load(load: str, value: str, travel: bool = True) -> Any:
    slopes = {("N", "rad"): 1e-4, ("N", "m"): 1e-4, ("N.m", "rad"): 3e-3, ("N.m", "m"): 3e-3}
    return curve(
        load,
        value,
        z="m" if travel else "",
        typical=(0.0, slopes[load, value]),
        reach=FORCE_REACH if load == "N" else MOMENT_REACH,
        doc="over load, or load and own travel" if travel else "over load",
        flat=True,
        guides=True,
    )


class ComplianceMap(Data):
    """An angle by a longitudinal force; base of all maps of compliance."""

    mirrored: ClassVar[tuple[float, float]] = (1.0, 1.0)  # λ and μ of (2)

    curve: Curve = _over_load("N", "rad")
    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor on the map")
    active: bool = flag(True, doc="whether it counts")
    right: ComplianceMap | None = part(None, doc="what differs on the right side")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return KinematicMap.expand(raw)

    def on(self, side: str) -> ComplianceMap:
        """As it is on one side (2)."""
        if side == "L":
            return self
        if self.right is not None:
            return self.right
        load, value = self.mirrored
        return self.model_copy(update={"curve": _turned(self.curve, load, value)})

    @property
    def largest(self) -> float:
        """Of all values of its table, times the factor; infinite for a rate, which has no end."""
        found = self.curve
        return float("inf") if found.constant is not None else abs(self.scale) * max(map(abs, found.y))

    @property
    def steepest(self) -> float:
        """The largest slope over the load, of either sign."""
        if not self.active:
            return 0.0
        found = self.curve
        if found.constant is not None:
            return abs(self.scale * found.constant)
        if len(found.x) < 2:
            return 0.0
        steps = np.diff(found.values, axis=0).T / np.diff(np.array(found.x))
        return float(OVERSHOOT * abs(self.scale) * np.abs(steps).max())

    @derived(at="wheel", label="", guides=True)
    def used(self, place: WheelPlace) -> Curve:
        return self.on(place.side).curve

    @derived(doc="factor on the map; 0 where it does not count", at="wheel")
    def gain(self, place: WheelPlace) -> float:
        """(1)"""
        here = self.on(place.side)
        compliance = place.axle.data.suspension.compliance
        if not here.active or (compliance is not None and compliance.negligible(here)):
            return 0.0
        return here.scale


class AngleByLateral(ComplianceMap):
    """An angle by a lateral force."""

    mirrored: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    right: AngleByLateral | None = part(None, doc="what differs on the right side")


class AngleByLoad(ComplianceMap):
    """An angle by the wheel load."""

    curve: Curve = _over_load("N", "rad", travel=False)
    right: AngleByLoad | None = part(None, doc="what differs on the right side")


class AngleByMoment(AngleByLateral):
    """An angle by the aligning moment."""

    curve: Curve = _over_load("N.m", "rad")
    right: AngleByMoment | None = part(None, doc="what differs on the right side")


class ForwardByForce(ComplianceMap):
    """Forward by a longitudinal force."""

    curve: Curve = _over_load("N", "m")
    right: ForwardByForce | None = part(None, doc="what differs on the right side")


class ForwardByLateral(ForwardByForce):
    """Forward by a lateral force."""

    mirrored: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    right: ForwardByLateral | None = part(None, doc="what differs on the right side")


class ForwardByLoad(ForwardByForce):
    """Forward by the wheel load."""

    curve: Curve = _over_load("N", "m", travel=False)
    right: ForwardByLoad | None = part(None, doc="what differs on the right side")


class ForwardByMoment(ForwardByLateral):
    """Forward by the aligning moment."""

    curve: Curve = _over_load("N.m", "m")
    right: ForwardByMoment | None = part(None, doc="what differs on the right side")


class SidewaysByForce(ForwardByForce):
    """To the left by a longitudinal force."""

    mirrored: ClassVar[tuple[float, float]] = (1.0, -1.0)
    right: SidewaysByForce | None = part(None, doc="what differs on the right side")


class SidewaysByLateral(ForwardByForce):
    """To the left by a lateral force."""

    mirrored: ClassVar[tuple[float, float]] = (-1.0, -1.0)
    right: SidewaysByLateral | None = part(None, doc="what differs on the right side")


class SidewaysByLoad(SidewaysByForce):
    """To the left by the wheel load."""

    curve: Curve = _over_load("N", "m", travel=False)
    right: SidewaysByLoad | None = part(None, doc="what differs on the right side")


class SidewaysByMoment(SidewaysByLateral):
    """To the left by the aligning moment."""

    curve: Curve = _over_load("N.m", "m")
    right: SidewaysByMoment | None = part(None, doc="what differs on the right side")


class Row(Data):
    """All loads on one property."""

    alternatives: ClassVar = (("fx", "fx_brake"), ("fx", "fx_drive"))

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        both = [name for name in ("fx_brake", "fx_drive") if getattr(self, name) is not None]
        if "fx" in dict(self.maps()) and both:
            text = f"stands beside fx, which counts in braking and in driving; give fx, or {' and '.join(both)}"
            raise problem(text, both[0])
        return self

    def maps(self) -> Iterator[tuple[str, ComplianceMap]]:
        """Those that are there, by their loads."""
        for name in type(self).model_fields:
            found = getattr(self, name)
            if found is not None:
                yield name, found


_FX, _BRAKE, _DRIVE = "longitudinal force", "longitudinal force while the wheel is braked", "the same while it is not"
_FY, _MZ, _FZ = "lateral force", "aligning moment", "wheel load"


class CrossAngle(Row):
    """An angle by the loads of the other wheel."""

    fx: ComplianceMap | None = part(None, doc=_FX)
    fx_brake: ComplianceMap | None = part(None, doc=_BRAKE)
    fx_drive: ComplianceMap | None = part(None, doc=_DRIVE)
    fy: AngleByLateral | None = part(None, doc=_FY)
    mz: AngleByMoment | None = part(None, doc=_MZ)


class Angle(CrossAngle):
    """An angle by the loads of the wheel."""

    fz: AngleByLoad | None = part(None, doc=_FZ)


class CrossForward(Row):
    """Forward by the loads of the other wheel."""

    fx: ForwardByForce | None = part(None, doc=_FX)
    fx_brake: ForwardByForce | None = part(None, doc=_BRAKE)
    fx_drive: ForwardByForce | None = part(None, doc=_DRIVE)
    fy: ForwardByLateral | None = part(None, doc=_FY)
    mz: ForwardByMoment | None = part(None, doc=_MZ)


class Forward(CrossForward):
    """Forward by the loads of the wheel."""

    fz: ForwardByLoad | None = part(None, doc=_FZ)


class CrossSideways(Row):
    """To the left by the loads of the other wheel."""

    fx: SidewaysByForce | None = part(None, doc=_FX)
    fx_brake: SidewaysByForce | None = part(None, doc=_BRAKE)
    fx_drive: SidewaysByForce | None = part(None, doc=_DRIVE)
    fy: SidewaysByLateral | None = part(None, doc=_FY)
    mz: SidewaysByMoment | None = part(None, doc=_MZ)


class Sideways(CrossSideways):
    """To the left by the loads of the wheel."""

    fz: SidewaysByLoad | None = part(None, doc=_FZ)


class CrossMaps(Data):
    """What the loads of the other wheel of the axle do."""

    x: CrossForward | None = part(None, doc="wheel centre forward")
    y: CrossSideways | None = part(None, doc="wheel centre to the left")
    toe: CrossAngle | None = part(None, doc="toe-in")
    camber: CrossAngle | None = part(None, doc="camber, top outwards")
    side_view_angle: CrossAngle | None = part(None, doc="rotation in side view, top rearwards")


class ComplianceSet(Data):
    """One of several sets: the maps at one travel of the other wheel."""

    other_travel: float = quantity("m", typical=(0.0, 0.5), doc="travel of the other wheel at which the set holds")
    x: Forward | None = part(None, doc="wheel centre forward")
    y: Sideways | None = part(None, doc="wheel centre to the left")
    toe: Angle | None = part(None, doc="toe-in")
    camber: Angle | None = part(None, doc="camber, top outwards")
    side_view_angle: Angle | None = part(None, doc="rotation in side view, top rearwards")
    cross: CrossMaps | None = part(None, doc="what the loads of the other wheel do")


def maps_of(data: Any) -> Iterator[tuple[tuple[str, ...], ComplianceMap]]:
    """All maps of a group that has the five properties and ``cross``, with their keys."""
    for name in MAPS:
        row = getattr(data, name)
        if row is not None:
            yield from (((name, load), found) for load, found in row.maps())
    cross = getattr(data, "cross", None)
    if cross is not None:
        yield from ((("cross", *keys), found) for keys, found in maps_of(cross))


def _turned(found: Curve, load: float, value: float) -> Curve:
    """value · curve(load · f; J), for signs."""
    if load > 0:
        return found if value > 0 else found.scaled(value)
    if found.constant is not None:
        return found.scaled(load * value)
    values = np.flip(found.values, axis=0).reshape(-1) * value + 0.0
    return replace(found, x=tuple(-f + 0.0 for f in reversed(found.x)), y=tuple(float(v) for v in values))


__all__ = ["LOADS", "LONGITUDINAL", "ComplianceMap", "ComplianceSet", "CrossMaps", "maps_of"]
