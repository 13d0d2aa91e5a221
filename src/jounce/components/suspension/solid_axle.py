"""A solid axle: a beam that carries both wheels, a body of its own.

Its coordinates are the travels of its wheels J_L, J_R; they are the same as its heave z and roll φ:

    z = (J_L + J_R)/2,   sin φ = (J_L - J_R)/t                                                                   (1)

with the track t. Roll and heave move it along and turn it, and so may freedoms of its own (a, b, γ, β, each with spring
and damper, where there is data):

    x = x_z z + a,   y = h sin φ + b,   ψ = s φ + γ,   θ = w z + β                                               (2)

h the height of the roll centre above the wheel centres, s the roll steer, w the wind-up per heave. The carriers are
fixed to the beam but for what steering, toe and camber say; with σ = 1 on the left, -1 on the right,

    p = p_design + (x - σ (t/2) cos φ sin ψ,  y + σ (t/2) (cos φ cos ψ - 1),  J),   R = Rz(ψ) Rx(φ) Ry(θ) R_wheel  (3)

Springs, stops and dampers at the track t_s move with

    J_s = (J_L + J_R)/2 ± (t_s/t) (J_L - J_R)/2                                                                  (4)

Brakes, and the torques T of the drive with the differential in the beam, react on it; a propeller shaft brings Σ T/i
from the body about x, i the ratio of the differential: the beam leans on its left wheel when it drives.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from jounce.components.basics import Array
from jounce.components.model import AxleModel, End, Pose, WheelModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import AxlePlace
from jounce.core.fields import Data, part, problem, quantity
from jounce.symbolic.ops import asin, cos, sin, sqrt

if TYPE_CHECKING:
    from jounce.components.suspension.axle import Suspension

FREEDOMS = ("longitudinal", "lateral", "yaw", "wind_up")


class Give(Data):
    """A displacement of the beam."""

    stiffness: float = quantity("N/m", gt=0, typical=(1e4, 1e9), doc="against it")
    damping: float = quantity("N.s/m", 0.0, ge=0, typical=(10.0, 1e6), doc="against its rate")


class Turn(Data):
    """A rotation of the beam."""

    stiffness: float = quantity("N.m/rad", gt=0, typical=(1e3, 1e8), doc="against it")
    damping: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(1.0, 1e6), doc="against its rate")


class SolidAxle(Part):
    """A beam between both wheels."""

    level: ClassVar[Level] = "axle"

    mass: float = quantity("kg", gt=0, typical=(5.0, 1200.0), doc="of the beam, without what belongs to the wheels")
    ixx: float = quantity("kg.m2", gt=0, typical=(0.1, 1500.0), doc="of the beam about its centre of gravity, about x")
    iyy: float = quantity("kg.m2", gt=0, typical=(0.01, 200.0), doc="the same about y")
    izz: float = quantity("kg.m2", gt=0, typical=(0.1, 1500.0), doc="the same about z")
    cg_x: float = quantity("m", 0.0, typical=(0.0, 1.0), doc="of its centre of gravity ahead of the wheel centres")
    cg_z: float = quantity("m", 0.0, typical=(0.0, 1.0), doc="of its centre of gravity above the wheel centres")
    spring_track: float | None = quantity(
        "m", None, gt=0, typical=(0.3, 2.6), doc="distance of springs and stops; absent: at the wheels"
    )
    damper_track: float | None = quantity(
        "m", None, gt=0, typical=(0.3, 2.6), doc="distance of dampers; absent: at the wheels"
    )
    roll_centre: float = quantity("m", 0.0, typical=(0.0, 1.0), doc="height of the roll centre above the wheel centres")
    roll_steer: float = quantity("-", 0.0, typical=(1e-4, 0.6), doc="steer per roll against the body, left per left up")
    x_per_heave: float = quantity("-", 0.0, typical=(1e-4, 1.0), doc="displacement forward per travel")
    wind_up_per_heave: float = quantity("rad/m", 0.0, typical=(1e-3, 3.0), doc="turn about y, top forward, per travel")
    pinion_ratio: float | None = quantity(
        "-", None, gt=0, typical=(1.0, 20.0), doc="of its differential; absent: no torque of a propeller shaft about x"
    )
    longitudinal: Give | None = part(None, doc="elastic displacement along x; absent: none")
    lateral: Give | None = part(None, doc="elastic displacement along y; absent: none")
    yaw: Turn | None = part(None, doc="elastic turn about z; absent: none")
    wind_up: Turn | None = part(None, doc="elastic turn about y; absent: none")

    def check(self, suspension: Suspension) -> None:
        """Raise where other data of the axle say the same, or do not go with it."""
        for name in ("x", "y", "toe", "camber", "side_view_angle"):
            curve = getattr(suspension, name).curve
            if curve.is_table or curve.constant != 0:
                raise problem("stands beside solid, whose beam says where the wheels are; give 0", name)
        for name in ("compliance", "series_stiffness"):
            if getattr(suspension, name) is not None:
                raise problem("not available yet beside solid; give its longitudinal, lateral, yaw, wind_up", name)

    def bodies(self, place: Any) -> Iterator[tuple[float, Array, Array]]:
        centre: Array = np.mean([wheel.centre for wheel in place.wheels], axis=0)
        yield self.mass, centre + np.array([self.cg_x, 0.0, self.cg_z]), np.diag([self.ixx, self.iyy, self.izz])

    @derived("m", doc="of its wheels", label="track", low=1e-3, at="axle")
    def width(self, place: AxlePlace) -> float:
        return float(place.data.suspension.track)

    @derived("m", doc="between the wheel centres at design, from the origin of the body", label="middle", at="axle")
    def middle(self, place: AxlePlace) -> Array:
        centre: Array = np.mean([wheel.centre for wheel in place.wheels], axis=0)
        return place.unit.local(centre, place.on)

    # -- the model ---------------------------------------------------------------------------------

    def guide(self, at: AxleModel, p: Symbols) -> Beam:
        """Where the beam is, and the beam as a body."""
        left, right = at.wheels
        scope, system = at.vehicle.scope(f"axle{at.place.number}.beam"), at.system
        s = (left.travel - right.travel) / p.width
        heave, roll = 0.5 * (left.travel + right.travel), asin(s)  # (1)
        moved = {"longitudinal": p.x_per_heave * heave, "lateral": p.roll_centre * s}  # (2)
        moved |= {"yaw": p.roll_steer * roll, "wind_up": p.wind_up_per_heave * heave}
        for name in FREEDOMS:
            data = getattr(self, name)
            if data is not None:
                unit, own = "m" if isinstance(data, Give) else "rad", getattr(p, name)
                q, u = scope.coordinate(name, unit=unit, doc="of the beam", on=at.frame, role="balance")
                scope.generalized_force(u, -own.stiffness * q - own.damping * u)
                moved[name] = moved[name] + q
        (cosine,) = system.calls.alias(f"{at.place.prefix}beam.cosine", [sqrt(1 - s * s)])
        beam = Beam(moved["longitudinal"], moved["lateral"], moved["yaw"], roll, moved["wind_up"], cosine, p.width)
        x, y, z = p.middle
        frame = at.frame.guided(f"{at.place.prefix}beam", [x + beam.x, y + beam.y, z + heave], beam.turns)
        centre = frame.fixed(f"{at.place.prefix}beam_cg", (p.cg_x, 0, p.cg_z))
        at.unit.masses.append((centre, p.mass))
        scope.body("mass", centre, p.mass, [p.ixx, p.iyy, p.izz])
        at.beam = frame
        p.kept["beam"] = beam
        for word, name in (("spring", "spring_track"), ("damper", "damper_track")):
            if getattr(self, name) is not None:
                share = getattr(p, name) / p.width
                for wheel in at.wheels:
                    wheel.inboard[word] = _inboard(wheel, word, share)
        return beam

    def close(self, at: AxleModel, p: Symbols) -> None:
        if self.pinion_ratio is None:
            return
        torque = sum((wheel.drive_torque for wheel in at.wheels), 0.0) / p.pinion_ratio
        p.kept["pinion"] = torque
        at.system.torque(at.beam, [-torque, 0.0, 0.0], axes=at.frame)
        at.system.torque(at.frame, [torque, 0.0, 0.0])

    def tell(self, at: AxleModel, p: Symbols) -> None:
        beam, number = p.kept["beam"], at.place.number
        left, right = at.wheels
        for name, value, unit in (
            ("heave", 0.5 * (left.travel + right.travel), "m"),
            ("roll", beam.roll, "rad"),
            ("longitudinal", beam.x, "m"),
            ("lateral", beam.y, "m"),
            ("yaw", beam.yaw, "rad"),
            ("wind_up", beam.pitch, "rad"),
        ):
            at.channel(f"Solid_Axle.{name}.SUSP{number}", value, unit, "of the beam against the body, from design")


class Beam:
    """Where a beam is against its body (2)."""

    def __init__(self, x: Any, y: Any, yaw: Any, roll: Any, pitch: Any, cosine: Any, track: Any) -> None:
        self.x, self.y, self.yaw, self.roll, self.pitch, self.cosine, self.track = x, y, yaw, roll, pitch, cosine, track

    @property
    def turns(self) -> tuple[tuple[str, Any], ...]:
        return (("z", self.yaw), ("x", self.roll), ("y", self.pitch))

    def carry(self, wheel: WheelModel, here: Pose) -> None:
        """Move the pose of a carrier along (3); its turns come before those of the wheel."""
        half = wheel.place.outwards * self.track / 2
        here.x = here.x + self.x - half * self.cosine * sin(self.yaw)
        here.y = here.y + self.y + half * (self.cosine * cos(self.yaw) - 1)

    def tell(self, wheel: WheelModel, here: Pose) -> None:
        """Angles of a carrier from the body: to first order those of both turns together, for channels."""
        here.psi = here.psi + self.yaw
        here.camber = here.camber - wheel.place.outwards * self.roll
        here.side_view_angle = here.side_view_angle - self.pitch


def _inboard(wheel: WheelModel, word: str, share: Any) -> End:
    """The end of springs or dampers at the beam (4)."""
    own, other, system = wheel, wheel.paired, wheel.system
    near, far = 0.5 * (1 + share), 0.5 * (1 - share)
    name = f"{wheel.place.prefix}{word}.seat"
    (moved,) = system.calls.alias(name, [near * own.travel + far * other.travel])

    def push(force: Any) -> None:
        system.generalized_force(own.travel_rate, near * force)
        system.generalized_force(other.travel_rate, far * force)

    return End(moved, near * own.travel_rate + far * other.travel_rate, push)
