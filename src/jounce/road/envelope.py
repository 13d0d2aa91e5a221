"""Enveloping contact: the plane that a contact patch of some size makes of an uneven road.

A tire does not follow every stone. The road query then answers with an *effective plane* instead of the tangent plane
at one point, so that models of one contact point drive over short obstacles in a sensible way:

- ``points``: the plane nearest (least squares) to a lattice of points under the patch;
- ``cams``: tandem cam (Schmeitz 2004): two rows of rigid cams |x/a|^p + |z/b|^p = 1 at a distance l_s rest on the road;
  the effective height is the mean of their heights, the slope their difference over l_s, the camber the difference
  across.

The patch lies along the road where the road has a direction, else along a fixed heading: the query knows where the
wheel is, not where it points. One point (the road itself) is the default everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from jounce.core.errors import ParameterError
from jounce.road.block import ENVELOPE, Frame, Writer
from jounce.road.surface import Road

MODES = {"points": 1, "cams": 2}
# Samples along and across when nothing is said: 10 mm apart along the road, so that no bar falls between two of them.
USUAL = {"points": (13, 3), "cams": (30, 2)}


@dataclass(frozen=True, eq=False, kw_only=True)
class Envelope(Road):
    """A road as a contact patch feels it; always the outermost part of a road.

    Parameters
    ----------
    road : below
    mode : ``points`` or ``cams``
    length, width : of the patch (points), or distance of the two rows and width (cams), m
    n_long, n_wide : points along and across; for cams samples to each side of a cam, and cams per row; ``USUAL`` when
        absent
    cam_length, cam_height, exponent : half axes a, b and exponent p of a cam, m
    heading : direction of the patch where the road has none, rad
    follow : along the direction of the road where it has one
    """

    road: Road
    mode: str = "points"
    length: float = 0.12
    width: float = 0.15
    n_long: int = 0
    n_wide: int = 0
    cam_length: float = 0.3
    cam_height: float = 0.3
    exponent: float = 1.8
    heading: float = 0.0
    follow: bool = True

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise ParameterError(f"enveloping contact: mode = {self.mode!r}; allowed: {', '.join(MODES)}")
        if isinstance(self.road, Envelope):
            raise ParameterError("enveloping contact: the road below is one already")
        if self.frame != Frame():
            raise ParameterError("enveloping contact: move the road below instead")
        for name, usual in zip(("n_long", "n_wide"), USUAL[self.mode], strict=True):
            if getattr(self, name) == 0:
                object.__setattr__(self, name, usual)
        least = 1 if self.mode == "cams" else 2
        if not (least <= self.n_long <= 256 and 1 <= self.n_wide <= 64):
            raise ParameterError(
                f"enveloping contact: {self.n_long} × {self.n_wide} points; 2 to 256 by 1 to 64 are possible"
            )
        for name in ("length", "width", "cam_length", "cam_height", "exponent"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) > 0):
                raise ParameterError(f"enveloping contact: {name} = {getattr(self, name):g}; must be > 0")

    def write(self, writer: Writer) -> float:
        if writer.depth:
            raise ParameterError("enveloping contact: must be the outermost part of a road")
        child = self.road.write(writer)
        own = [
            *(child, float(MODES[self.mode]), math.cos(self.heading), math.sin(self.heading), float(self.follow)),
            *(self.length, self.width, float(self.n_long), float(self.n_wide)),
            *(self.cam_length, self.cam_height, self.exponent),
        ]
        return writer.node(ENVELOPE, Frame(), own)

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        return self.road.extent
