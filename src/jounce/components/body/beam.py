"""A straight elastic beam without mass between two bodies: the anti-roll bar of a cab.

A uniform Timoshenko beam [Przemieniecki1968] of length L along the x axis of its markers, the principal axes of its
section along y and z. The marker on body I is at its far end, that on J at its near one, half its length from its
middle. With the place (x, y, z) of I against J and the angles (a, b, c), in axes of J:

    Fx = -K11 (x - L),  Fy = -K22 y - K26 c,  Fz = -K33 z - K35 b
    Tx = -K44 a,  Ty = -K35 z - K55 b,  Tz = -K26 y - K66 c                                                       (1)

    K11 = E A/L,  K22 = 12 E Izz/(L³ (1 + Py)),  K33 = 12 E Iyy/(L³ (1 + Pz)),  K44 = G Ixx/L
    K26 = -6 E Izz/(L² (1 + Py)),  K35 = 6 E Iyy/(L² (1 + Pz))
    K55 = (4 + Pz) E Iyy/(L (1 + Pz)),  K66 = (4 + Py) E Izz/(L (1 + Py))
    Py = 12 E Izz Sy/(G A L²),  Pz = 12 E Iyy Sz/(G A L²)                                                         (2)

and to each the rate of the same coordinates times the damping time, of which the power is never negative (K is positive
definite). Body J has the reaction at the same place in space. A force F across the end of a beam that is clamped at the
other bends it by F L³/(3 E I) + S F L/(G A). Linear: deflections are small against its length.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.basics import Array, Point
from jounce.components.body.attached import about_axis, local
from jounce.components.body.bushing import GROUP, Between, axes_of, columns, tell
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice, part, quantity


class Beam(Between):
    """An elastic beam between two bodies."""

    kind: Literal["beam"] = choice("beam", doc="kind of force")
    active: float = quantity("-", 1.0, ge=0, le=1, doc="1: it acts, 0: it is switched off")
    location: Point = part({}, doc="its middle at design")
    psi: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="first angle of its axes: about z; x runs along it")
    theta: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="second angle: about the new x")
    phi: float = quantity("rad", 0.0, typical=(0.0, 6.3), doc="third angle: about the new z")
    length: float = quantity("m", gt=0, typical=(0.05, 5.0), doc="L")
    youngs_modulus: float = quantity("Pa", 207e9, gt=0, typical=(1e6, 1e12), doc="E")
    shear_modulus: float = quantity("Pa", 80.23e9, gt=0, typical=(1e5, 1e12), doc="G")
    area: float = quantity("m2", gt=0, typical=(1e-6, 0.1), doc="A, of its section")
    ixx: float = quantity("m4", gt=0, typical=(1e-13, 1e-3), doc="torsion constant of its section")
    iyy: float = quantity("m4", gt=0, typical=(1e-13, 1e-3), doc="area moment of its section about y")
    izz: float = quantity("m4", gt=0, typical=(1e-13, 1e-3), doc="area moment of its section about z")
    shear_y: float = quantity("-", 1.0, ge=0, le=10, doc="Sy, shear ratio along y; 0: no shear")
    shear_z: float = quantity("-", 1.0, ge=0, le=10, doc="Sz, shear ratio along z; 0: no shear")
    damping_time: float = quantity("s", 0.001, ge=0, le=1, doc="damping over stiffness")

    @property
    def turn(self) -> Array:
        return about_axis("z", self.psi) @ about_axis("x", self.theta) @ about_axis("z", self.phi)

    first, second = axes_of("vehicle")

    @derived("m", doc="its far end, from the origin of the first body", at="vehicle")
    def i_place(self, place: VehiclePlace) -> Array:
        return local(self.i, self.location.array + 0.5 * self.length * self.turn[:, 0], place)

    @derived("m", doc="its near end, from the origin of the second body", at="vehicle")
    def j_place(self, place: VehiclePlace) -> Array:
        return local(self.j, self.location.array - 0.5 * self.length * self.turn[:, 0], place)

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        motion = self.markers(at, p.i_place, p.j_place, columns(p.first, p.second))
        at_rest = [motion.place[0] - p.length, *motion.place[1:], *motion.angles]
        # rates of the same coordinates: their projected angles have rates of their own
        rates = [at.system.time_derivative(x) for x in at_rest]
        bent = [q + p.damping_time * v for q, v in zip(at_rest, rates, strict=True)]
        loads = [-p.active * sum(k * q for k, q in zip(row, bent, strict=True)) for row in stiffness(p)]  # (1)
        motion.act(loads[:3], loads[3:])
        p.kept.update(motion=motion, loads=loads)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        loads = p.kept["loads"]
        tell(at, f"{GROUP}.{self.name}", p.kept["motion"], loads[:3], loads[3:], f"beam {self.name}")


def stiffness(p: Any) -> list[list[Any]]:
    """(2) as a matrix, of numbers or of symbols."""
    length, e, g = p.length, p.youngs_modulus, p.shear_modulus
    flexible_y = 12 * e * p.izz * p.shear_y / (g * p.area * length**2)
    flexible_z = 12 * e * p.iyy * p.shear_z / (g * p.area * length**2)
    y, z = e * p.izz / (1 + flexible_y), e * p.iyy / (1 + flexible_z)
    k = [[0.0] * 6 for _ in range(6)]
    k[0][0], k[3][3] = e * p.area / length, g * p.ixx / length
    k[1][1], k[2][2] = 12 * y / length**3, 12 * z / length**3
    k[4][4], k[5][5] = (4 + flexible_z) * z / length, (4 + flexible_y) * y / length
    k[1][5] = k[5][1] = -6 * y / length**2
    k[2][4] = k[4][2] = 6 * z / length**2
    return k
