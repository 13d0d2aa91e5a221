"""The twist of a frame: two rails that pitch against each other, with the axles on them.

Rails along x that pitch by +θ and -θ about one station x₀ lift their points at the distance x - x₀ by opposite amounts:
what stands on both, half the distance b to either side, turns about an axis along x, at the height of the rails,

    φ(x) = ψ (x - x₀)/L,   ψ = 2 θ L/b                                                                            (1)

ψ, the twist over a length L of the frame, is the one further coordinate. Axles hang on frames turned by φ at their
stations, all else on the sprung mass, which the rails carry at x₀. A spring and a damper hold the twist, and the rails
have inertia against it:

    T = -k ψ - c ψ̇,   c = 2 ζ √(k J),   J = I b²/(2 L²)                                                           (2)

k is what a frame of the length L has between its ends, GJ/L of a uniform one; I the pitch inertia of one rail. Rails
that pitch at q ± θ̇ have the kinetic energy I q² + I θ̇²: the first part is in the inertia of the sprung body, the second
is ½ J ψ̇². Bending of rails, and torsion that is not uniform, are not modelled: for those a body has halves (``split``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.components.part import Symbols, derived
from jounce.components.places import UnitPlace
from jounce.core.fields import Data, quantity
from jounce.symbolic.ops import cos, sin

if TYPE_CHECKING:
    from jounce.components.model import UnitModel

GROUP = "Frame_Twist"


class FrameTwist(Data):
    """Two rails of a frame that pitch against each other."""

    stiffness: float = quantity("N.m/rad", gt=0, typical=(1e3, 1e8), doc="k, torque over the twist between its ends")
    length: float = quantity("m", gt=0, typical=(1.0, 20.0), doc="L, distance of those ends")
    station: float = quantity("m", typical=(0.0, 30.0), doc="x₀, where the sprung mass stands on the rails")
    height: float = quantity("m", typical=(0.0, 2.0), doc="of the axis of twist, at design")
    distance: float = quantity("m", gt=0, typical=(0.5, 1.5), doc="b, between the rails")
    rail_inertia: float = quantity("kg.m2", gt=0, typical=(1.0, 1e5), doc="I, pitch inertia of one rail")
    damping_ratio: float = quantity("-", 0.02, ge=0, le=2, doc="ζ, relative to critical with the rails alone")

    @derived("m", doc="height of the axis of twist above the origin of the chassis", at="unit")
    def axis(self, place: UnitPlace) -> float:
        return self.height - float(place.origins[""][2])

    @derived("m", doc="lateral place of the axis of twist from the origin of the chassis", at="unit")
    def middle(self, place: UnitPlace) -> float:
        return 0.0 - float(place.origins[""][1])

    def join(self, at: UnitModel, p: Symbols) -> None:
        """The frames of the axles."""
        scope = at.system.scope(f"{at.place.prefix}twist")
        twist, rate = scope.coordinate("angle", "rate", unit="rad", on=at.chassis, role="balance")
        inertia = p.rail_inertia * p.distance * p.distance / (2 * p.length * p.length)
        damping = 2 * p.damping_ratio * (p.stiffness * inertia) ** 0.5
        torque = -p.stiffness * twist - damping * rate  # (2)
        scope.generalized_force(rate, torque)
        scope.inerter("rails", rate, inertia, on=at.chassis)
        for axle in at.axles:
            station = axle.symbols(axle.place.data.suspension).wheel_centre_x
            angle = twist * (station - p.station) / p.length  # (1)
            # turned about a point at the height of the rails: the origin, that of the chassis, moves along
            y = p.middle * (1 - cos(angle)) + p.axis * sin(angle)
            z = p.axis * (1 - cos(angle)) - p.middle * sin(angle)
            name = f"{at.place.prefix}rails{axle.place.number}"
            at.rails[axle.place.number] = at.chassis.guided(name, [0.0, y, z], (("x", angle),))
        at.channel(f"{GROUP}.angle", twist, "rad", "rotation about x of its front end against its rear one")
        at.channel(f"{GROUP}.rate", rate, "rad/s", "its rate")
        at.channel(f"{GROUP}.torque", torque, "N.m", "of spring and damper, on the twist")
