"""Enveloping contact: the plane that a contact patch of some size makes of an uneven road.

A tire does not follow every stone. The road query then answers with an *effective plane* instead of the tangent plane
at one point, so that models of one contact point drive over short obstacles in a sensible way:

- ``points``: the mean over the patch, of length l and width w, with a weight that fades towards its ends; the slopes
  are the derivatives of this mean, which are those of the plane nearest (least squares) to the patch:

      Z = ∫∫ z f(a, l) f(b, w) da db,   f(o, l) = 3/(2l) (1 - (2o/l)²),   ∂Z/∂a = ∫∫ z 12 a/l³ f(b, w) da db        (3)

- ``cams``: tandem cam [Schmeitz2004]: two rows of rigid cams |x/a|^p + |z/b|^p = 1 at a distance l_s rest on the road.
  With the drop c(d) of a cam below its lowest point,

      Z(x) = max_d z(x + d) - c(d),   c(d) = b (1 - (1 - |d/a|^p)^(1/p))         height of a cam, the basic curve    (1)
      w = (Z_f + Z_r)/2,   tan β = (Z_f - Z_r)/l_s                               effective height and slope          (2)

  and the camber is the difference across. In (1) z is taken above the slope that the road has on both sides of the
  patch alike, so that an even road is felt as it is, however steep.

The road is asked at samples, and between them where they bend: edges are found by halving, tops by secants. So heights
are those of infinitely many samples, to 0.02 mm on smooth bumps and 0.1 mm at edges; they do not jump as samples come
to an edge or leave it. What begins and ends between two samples is not felt.

The patch lies along the wheel where the asking model says where that points (``ground.PatchService``, as cars do),
else along the road where it has a direction, else along a fixed heading. One point (the road itself) is the default
everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jounce.core.errors import ParameterError
from jounce.road.block import ENVELOPE, Array, Frame, Writer
from jounce.road.surface import Road

MODES = {"points": 1, "cams": 2}
# Samples along and across when nothing is said: 10 mm apart along the road, so that no wider bar falls between two.
USUAL = {"points": (13, 3), "cams": (30, 2)}
_REACH = 0.999  # of half a cam: at its tip it is upright
MOST = 1024  # samples along a patch, EN_MOST; across at most 64, EN_WIDE


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
    heading : direction of the patch where neither the wheel nor the road says one, rad
    follow : along the direction of the road where it has one and that of the wheel is not known
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

    @property
    def way(self) -> Array:
        """Offsets of the samples along the patch, m.

        Those of cams serve both rows: the middles of the rows are among them, and far from both, where only high and
        therefore long obstacles carry a cam, every second one is enough.
        """
        if self.mode == "points":
            return np.linspace(-0.5 * self.length, 0.5 * self.length, self.n_long)
        a, half = _REACH * self.cam_length, 0.5 * self.length
        inner = 2 * max(1, math.ceil(half * self.n_long / a))  # even: the middle of the patch is a sample too
        step = self.length / inner
        near, far = math.floor(0.5 * a / step), max(1, math.ceil(0.25 * a / step))
        beyond = half + step * np.arange(1, near + 1)
        outside = np.linspace(beyond[-1] if near else half, half + a, far + 1)[1:]
        side = np.concatenate([beyond, outside])
        between = step * (np.arange(inner + 1) - inner // 2)
        between = between[(half - np.abs(between) <= a) | (between == 0)]
        return np.concatenate([-side[::-1], between, side])

    @property
    def _across(self) -> Array:
        """Offsets of the tracks of points to the left, m."""
        return np.linspace(-0.5, 0.5, self.n_wide) * self.width if self.n_wide > 1 else np.zeros(1)

    def drop(self, distance: Array) -> Array:
        """How far the edge of a cam is above its lowest point at a distance from it (1), m."""
        r = np.minimum(np.abs(distance) / self.cam_length, 1.0)
        lifted: Array = self.cam_height * (1 - (1 - r**self.exponent) ** (1 / self.exponent))
        return lifted

    def write(self, writer: Writer) -> float:
        if writer.depth:
            raise ParameterError("enveloping contact: must be the outermost part of a road")
        child = self.road.write(writer)
        way = self.way
        if len(way) > MOST:
            raise ParameterError(f"enveloping contact: {len(way)} samples along the patch; {MOST} are possible")
        # of the row behind; the other one is its mirror image
        distance = way + 0.5 * self.length
        reached = np.flatnonzero(np.abs(distance) < self.cam_length * _REACH * (1 + 1e-9))
        own = [
            *(child, float(MODES[self.mode]), math.cos(self.heading), math.sin(self.heading), float(self.follow)),
            *(self.length, self.width, float(len(way)), float(self.n_wide)),
            *(self.cam_length, self.cam_height, self.exponent),
            *(writer.array(way), float(reached[0]), float(reached[-1]), writer.array(self.drop(distance))),
            writer.array(np.concatenate([*_weights(way), *_weights(self._across)])),
        ]
        return writer.node(ENVELOPE, Frame(), own)

    @property
    def extent(self) -> tuple[float, float, float, float] | None:
        return self.road.extent


def _weights(o: Array) -> tuple[Array, Array]:
    """Weights of samples in the mean (3) and in its slope, when values between them are linear."""
    if len(o) == 1:
        return np.ones(1), np.zeros(1)
    length = o[-1] - o[0]
    a, b = o[:-1], o[1:]

    def mean(q: Array) -> Array:
        return np.asarray(1.5 / length * (1 - (2 * q / length) ** 2))

    def slope(q: Array) -> Array:
        return np.asarray(12 * q / length**3)

    def summed(f: Callable[[Array], Array]) -> Array:
        # Simpson's rule is exact for a weight of second order times a straight line
        out, middle = np.zeros(len(o)), 2 * f(0.5 * (a + b))
        out[:-1] += (b - a) / 6 * (f(a) + middle)
        out[1:] += (b - a) / 6 * (middle + f(b))
        return out

    return summed(mean), summed(slope)
