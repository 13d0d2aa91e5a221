"""Groups that several subsystems use: points, inertias, masses, sides."""

from __future__ import annotations

from typing import Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from jounce.components.part import Part
from jounce.core.fields import Data, flag, part, problem, quantity, text

Array = npt.NDArray[np.float64]
Side = Literal["L", "R"]
SIDES: tuple[Side, Side] = ("L", "R")
DIAGNOSED = 1e-9  # relative room for rounding in comparisons of given numbers


class Provenance(Data):
    """Where data come from."""

    author: str = text(doc="who put the data together")
    source: str = text(doc="what they were taken from")
    licence: str = text(doc="terms of use, as an SPDX expression")
    measured: str = text(doc="what was measured")
    guessed: str = text(doc="what was estimated")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        return {"source": raw} if isinstance(raw, str) else raw


class Subsystem(Part):
    """A part that stands in a file of its own: what it may say about itself."""

    name: str = text(doc="name of the subsystem")
    description: str = text(doc="what it is")
    provenance: Provenance | None = part(None, doc="where the data come from")


class Point(Data):
    """A point in the vehicle reference frame; in a file also ``[x, y, z]``."""

    x: float = quantity("m", 0.0, typical=(0.0, 30.0), doc="forward from the front wheel centres")
    y: float = quantity("m", 0.0, typical=(0.0, 3.0), doc="left of the centre plane")
    z: float = quantity("m", 0.0, typical=(0.0, 5.0), doc="above the ground at design")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        if isinstance(raw, list | tuple) and len(raw) == 3:
            return dict(zip("xyz", raw, strict=True))
        return raw

    @property
    def array(self) -> Array:
        return np.array([self.x, self.y, self.z])


class Inertia(Data):
    """Moments and products of inertia about the centre of gravity, axes of the vehicle."""

    ixx: float = quantity("kg.m2", gt=0, typical=(1.0, 2e5), doc="roll moment of inertia")
    iyy: float = quantity("kg.m2", gt=0, typical=(1.0, 2e6), doc="pitch moment of inertia")
    izz: float = quantity("kg.m2", gt=0, typical=(1.0, 2e6), doc="yaw moment of inertia")
    ixy: float = quantity("kg.m2", 0.0, typical=(0.0, 2e5), doc="product of inertia ∫ x y dm")
    ixz: float = quantity("kg.m2", 0.0, typical=(0.0, 2e5), doc="product of inertia ∫ x z dm")
    iyz: float = quantity("kg.m2", 0.0, typical=(0.0, 2e5), doc="product of inertia ∫ y z dm")
    products_are_tensor_entries: bool = flag(
        False, doc="the products are entries of the matrix, that is, with the opposite sign"
    )

    @property
    def matrix(self) -> Array:
        """The 3×3 matrix, with the entries −∫ x y dm off the diagonal."""
        sign = 1.0 if self.products_are_tensor_entries else -1.0
        xy, xz, yz = (sign * product for product in (self.ixy, self.ixz, self.iyz))
        return np.array([[self.ixx, xy, xz], [xy, self.iyy, yz], [xz, yz, self.izz]])

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_inertia(self.matrix)
        return self


def check_inertia(matrix: Array) -> None:
    """Raise unless a body can have this inertia: each principal moment at most the sum of the two others."""
    a, b, c = (float(value) for value in np.linalg.eigvalsh(matrix))
    if a <= 0:
        raise problem(
            f"no body has this inertia: the smallest principal moment is {a:.6g} kg.m2 (are the products too large?)"
        )
    if c > (a + b) * (1 + DIAGNOSED):
        raise problem(
            f"no body has this inertia: the largest principal moment, {c:.6g} kg.m2, exceeds the sum of the two "
            f"others, {a:.6g} + {b:.6g}"
        )


class MassProperties(Data):
    """A rigid body: mass, centre of gravity, inertia about it."""

    mass: float = quantity("kg", gt=0, typical=(10.0, 5e4), doc="mass")
    cg: Point = part(doc="centre of gravity")
    inertia: Inertia = part(doc="inertia about the centre of gravity")


def combine(bodies: list[tuple[float, Array, Array]]) -> tuple[float, Array, Array]:
    """Return mass, centre of gravity and inertia about it of bodies given so, joined rigidly."""
    mass = sum(body[0] for body in bodies)
    centre: Array = np.sum([m * r for m, r, _ in bodies], axis=0) / mass
    total = np.zeros((3, 3))
    for m, r, inertia in bodies:
        d = r - centre
        total += inertia + m * (d @ d * np.eye(3) - np.outer(d, d))
    return mass, centre, total


AnyData = TypeVar("AnyData", bound=Data)


def on_side(item: AnyData, side: Side) -> AnyData:
    """Return a spring, damper, stop, brake, … as it is on one side."""
    right: AnyData | None = getattr(item, "right", None)
    return item if side == "L" or right is None else right
