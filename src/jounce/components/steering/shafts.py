"""Joints between the upper and the lower steering column: Hooke's, or such of constant velocity.

Two shafts whose axes meet under the angle β; γ is the angle of the yoke pin of the first shaft from the plane of both,
ε that of the second shaft's pin from its perpendicular. The pins stay perpendicular, so [Seherr2006]

    tan ε = tan γ / cos β,      dε/dγ = cos β / (1 - sin²β cos²γ)                                               (1)
    ε = γ + atan((1 - cos β) sin γ cos γ / (cos β cos²γ + sin²γ))                   the same without jumps        (2)
    γ = ε - atan((1 - cos β) sin ε cos ε / (cos²ε + cos β sin²ε))                   its inverse                   (3)
    θ_out = ε(γ_0 + θ_in) - ε(γ_0)                                                  turns from straight ahead     (4)

Shafts one after another follow one after another, h = h_n ∘ … ∘ h_1; the ratio dh/dθ is the product of (1). With e the
axis of a shaft towards the driver, a the pin direction on the shaft that drives a joint and b that on the driven one,

    b = e_out × a,      a_1(0) = R(e_1, mounting) y',      a_2(0) = R(e_2, second) (b_1 × e_2)                    (5)

where y' is the line from 3 to 9 o'clock of the hand wheel, horizontal; 90° of ``second`` put both yokes of the
intermediate shaft in line. The pin of a third joint is at the angle ``third`` from the plane of its shafts, γ_0 itself.
Positive angles are counter-clockwise as the driver sees them. Joints are ideal: without play, friction and offset.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.basics import Array, Point
from jounce.components.part import Symbols, derived
from jounce.components.places import Place
from jounce.core.fields import Data, choice, part, problem, quantity
from jounce.symbolic.ops import atan, cos, sin

MOST = math.radians(45)  # bend of a Hooke joint: beyond, its yokes meet
SHORTEST = 1e-3  # m, of a shaft


def _angle(default: float, doc: str) -> Any:
    return quantity("rad", default, typical=(0.0, math.pi), doc=doc)


class Shafts(Data):
    """Shafts between hand wheel and gear, with the joints between them."""

    kind: Literal["hooke", "constant_velocity"] = choice("hooke", doc="kind of all joints")
    points: tuple[Point, ...] = part(
        doc="centre of the hand wheel, the joints from above, lower end of the lower column; one to three joints"
    )
    mounting: float = _angle(0.0, "pin on the first shaft from the horizontal line of the hand wheel, by (5)")
    second: float = _angle(math.pi / 2, "second pin of the intermediate shaft from its first; 90 deg: yokes in line")
    third: float = _angle(math.pi / 2, "pin of the third joint from the plane of its shafts; 90 deg: normal to it")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not 3 <= len(self.points) <= 5:
            raise problem(f"{len(self.points)} points; expected 3 to 5: hand wheel, one to three joints, end", "points")
        for i, (a, b) in enumerate(pairwise(self.points)):
            if np.linalg.norm(b.array - a.array) < SHORTEST:
                raise problem("at the same place as the point before it: the shaft has no direction", "points", i + 1)
        if abs(self._axes[0][1]) > math.cos(math.radians(1)):
            raise problem("the column runs across the car: the hand wheel has no horizontal line", "points", 1)
        if self.kind == "hooke":
            for i, bend in enumerate(self.bends):
                if bend > MOST:
                    raise problem(
                        f"the joint bends by {math.degrees(bend):.4g} deg; a Hooke joint can do "
                        f"{math.degrees(MOST):.3g} deg at most",
                        "points",
                        i + 1,
                    )
        return self

    @property
    def _axes(self) -> list[Array]:
        """Axes of the shafts towards the driver."""
        lines = [a.array - b.array for a, b in pairwise(self.points)]
        return [line / np.linalg.norm(line) for line in lines]

    @property
    def count(self) -> int:
        """How many joints there are."""
        return len(self.points) - 2

    @property
    def bends(self) -> list[float]:
        """β of each joint, rad."""
        axes = self._axes
        return [math.acos(min(1.0, float(a @ b))) for a, b in pairwise(axes)]

    @property
    def starts(self) -> list[float]:
        """γ_0 of each joint, rad: its first pin from the plane of its shafts, straight ahead."""
        axes, result = self._axes, []
        across = np.array([0.0, 1.0, 0.0])
        first = across - (across @ axes[0]) * axes[0]
        pin = turned(axes[0], self.mounting, first / np.linalg.norm(first))
        for i, (e, out) in enumerate(pairwise(axes)):
            if i == 1:
                pin = turned(e, self.second, np.cross(pin, e))  # here still the driven pin of the joint before
            normal = np.cross(e, out)
            length = float(np.linalg.norm(normal))
            if i == 2 or length == 0.0:
                result.append(self.third if i == 2 else 0.0)
            else:
                normal = normal / length
                result.append(math.atan2(float(pin @ normal), float(pin @ np.cross(normal, e))))
            driven = np.cross(out, pin)
            pin = driven / np.linalg.norm(driven)
        return result

    def _bend(self, i: int) -> float | None:
        return math.cos(self.bends[i]) if i < self.count else None

    def _start(self, i: int) -> float | None:
        return self.starts[i] if i < self.count else None

    @derived(doc="cosine of the bend of the first joint", at="axle")
    def cosine1(self, place: Place) -> float | None:
        return self._bend(0)

    @derived(doc="cosine of the bend of the second joint", at="axle")
    def cosine2(self, place: Place) -> float | None:
        return self._bend(1)

    @derived(doc="cosine of the bend of the third joint", at="axle")
    def cosine3(self, place: Place) -> float | None:
        return self._bend(2)

    @derived("rad", doc="angle of the first pin, straight ahead", at="axle")
    def start1(self, place: Place) -> float | None:
        return self._start(0)

    @derived("rad", doc="angle of the second pin, straight ahead", at="axle")
    def start2(self, place: Place) -> float | None:
        return self._start(1)

    @derived("rad", doc="angle of the third pin, straight ahead", at="axle")
    def start3(self, place: Place) -> float | None:
        return self._start(2)

    def end(self, angle: float) -> float:
        """Turn of the last shaft at one of the first, in numbers."""
        if self.kind == "hooke":
            for bend, start in zip(self.bends, self.starts, strict=True):
                c = math.cos(bend)
                angle = float(ahead(c, start + angle) - ahead(c, start))
        return angle

    def numbers(self, p: Symbols) -> list[tuple[Any, Any]]:
        """cos β and γ_0 of each joint as symbols; none of joints of constant velocity."""
        if self.kind == "constant_velocity":
            return []
        return [(getattr(p, f"cosine{i + 1}"), getattr(p, f"start{i + 1}")) for i in range(self.count)]

    def below(self, p: Symbols, angle: Any) -> tuple[list[Any], list[Any]]:
        """Turn of each shaft below the first, and its ratio dθ_i/dθ_1, from the turn of the first."""
        angles, ratios, theta, ratio = [], [], angle, 1.0
        for c, start in self.numbers(p):
            gamma = start + theta
            theta = ahead(c, gamma) - ahead(c, start)  # (4)
            ratio = ratio * slope(c, gamma)
            angles.append(theta)
            ratios.append(ratio)
        constant = self.count - len(angles)
        return [*angles, *[angle] * constant], [*ratios, *[1.0] * constant]

    def above(self, p: Symbols, angle: Any) -> tuple[list[Any], list[Any]]:
        """Turn of each shaft above the last, from the first on, and its ratio dθ_i/dθ_n, from the turn of the last."""
        angles, ratios, theta, ratio = [], [], angle, 1.0
        for c, start in reversed(self.numbers(p)):
            gamma = back(c, theta + ahead(c, start))
            ratio = ratio / slope(c, gamma)
            theta = gamma - start
            angles.append(theta)
            ratios.append(ratio)
        constant = self.count - len(angles)
        return [*[angle] * constant, *reversed(angles)], [*[1.0] * constant, *reversed(ratios)]


def turned(axis: Array, angle: float, vector: Array) -> Array:
    """A vector turned about an axis of length one."""
    along = (vector @ axis) * axis
    across = vector - along
    result: Array = along + math.cos(angle) * across + math.sin(angle) * np.cross(axis, across)
    return result


def ahead(c: Any, gamma: Any) -> Any:
    """ε(γ) of a joint with cos β = c (2)."""
    s, k = sin(gamma), cos(gamma)
    return gamma + atan((1 - c) * s * k / (c * k * k + s * s))


def back(c: Any, epsilon: Any) -> Any:
    """γ(ε) of a joint with cos β = c (3)."""
    s, k = sin(epsilon), cos(epsilon)
    return epsilon - atan((1 - c) * s * k / (k * k + c * s * s))


def slope(c: Any, gamma: Any) -> Any:
    """dε/dγ (1)."""
    k = cos(gamma)
    return c / (1 - (1 - c * c) * k * k)
