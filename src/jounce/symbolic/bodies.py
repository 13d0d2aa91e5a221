"""Rigid bodies, gyrostats (bodies that carry a balanced rotor, such as a wheel) and inerters."""

from __future__ import annotations

from dataclasses import dataclass, field

from jounce.symbolic._casadi import SX, ca
from jounce.symbolic.frames import Frame, Matrix, Vector, add, cross, dot, is_zero, times


@dataclass
class Gyrostat:
    """A rotor spinning with ``spin`` relative to its body about a body-fixed axis through any point."""

    name: str
    body: Body
    axis: Vector  # unit vector, body axes
    inertia: SX  # about the spin axis
    spin: SX

    def torque(self, value: SX) -> None:
        """Internal torque from the body on the rotor about its axis (brake, motor on the body)."""
        self.body.frame.system.generalized_force(self.spin, value)

    def external_torque(self, vector: Vector) -> None:
        """Torque from outside on the rotor (tire), in body axes: acts on the body and about the spin axis."""
        system = self.body.frame.system
        system.torque(self.body.frame, vector)
        system.generalized_force(self.spin, dot(self.axis, [ca.SX(x) for x in vector]))


@dataclass
class Body:
    """Mass and inertia carried by a frame."""

    name: str
    frame: Frame
    mass: SX
    inertia: Matrix  # about the centre of mass, frame axes
    center: Vector  # centre of mass in frame axes
    rotors: list[Gyrostat] = field(default_factory=list)

    @property
    def velocity(self) -> tuple[Vector, Vector, Vector]:
        """Velocity of the centre of mass, angular velocity of the axes it is given in, gravity in those axes."""
        if is_zero(self.center):
            axes = self.frame.native_axes
            return self.frame.v_native, axes.w, axes.gravity
        return add(self.frame.v, cross(self.frame.w, self.center)), self.frame.w, self.frame.gravity

    def kinetic_energy(self) -> SX:
        v, _, _ = self.velocity
        w = self.frame.w
        energy = 0.5 * self.mass * dot(v, v) + 0.5 * dot(w, times(self.inertia, w))
        for rotor in self.rotors:
            relative = dot(rotor.axis, w)
            energy = energy + rotor.inertia * rotor.spin * (relative + 0.5 * rotor.spin)
        return energy


@dataclass
class Inerter:
    """What resists the second rate of a distance, whoever moves: a force inertance · d̈ (symbolic/kane.py (3))."""

    name: str
    inertance: SX
    rate: SX  # ḋ, linear in the speeds of its unit

    def kinetic_energy(self) -> SX:
        return 0.5 * self.inertance * self.rate * self.rate
