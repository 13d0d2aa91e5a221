"""Recirculating-ball steering: worm, ball nut, sector, pitman arm, drag link; the nut is the piston of the assist.

Column, torsion bar, friction and hydraulic assist are those of ``rack_pinion``, whose equations (1) and (2) hold. The
worm, which turns by θ, moves the nut, whose teeth turn the sector with the pitman arm, whose end moves the drag link:

    x = p θ/2π,    β = x/r,    τ = l (sin(β_0 + β) - sin β_0)                                                    (1)

p the lead of the worm, r the radius of the sector, l the length of the arm, β_0 its angle from upright on the drag link
when it steers straight on. τ is the input of the steering maps where these are over rack travel: what drag link,
steering arm, track rod and travel of the wheels make of it is in the maps. All of it moves with one angle; with the
force F_d of the drag link on the arm, along τ, and of the wheels, by virtual work (Kane's equations) as

    (m_n + J_w (2π/p)² + (J_s + m_d (dτ/dβ)²)/r² + wheels) ẍ
        = T 2π/p + F_assist - c ẋ - F_friction - M_stop/r + F_d dτ/dx
    M_stop = k_s d max(0, 1 + a r β̇ sign β),  d = |β| - β_max > 0                                                (2)

The sector feels F_d dτ/dβ from the drag link: a wheel that is pushed turns the hand wheel back, through friction and a
ratio of 2π r/p of some 20. Reference: [Harrer2017] ch. 13.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

from pydantic import model_validator

from jounce.components.part import Symbols
from jounce.components.steering.chain import Turn
from jounce.components.steering.hydraulic_assist import HydraulicAssist
from jounce.components.steering.rack_pinion import (
    STOP_DAMPING,
    Frictions,
    Given,
    Mechanism,
    OnColumn,
    SteeringShafts,
    Told,
)
from jounce.components.steering.torsion_bar import TorsionBar
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import Data, part, problem, quantity
from jounce.symbolic.ops import clip, cos, fmax, sign, sin

GEAR = "Steering_Recirculating_Ball"
TABLE = CurveUnits("rad", "m")  # of the way of the drag link over the hand wheel
POINTS = 201


class BallGear(Data):
    """Worm, ball nut, sector and pitman arm."""

    lead: float = quantity("m", gt=0, typical=(0.005, 0.03), doc="of the worm, way of the nut per turn, p")
    sector_radius: float = quantity("m", gt=0, typical=(0.015, 0.08), doc="at which the nut turns the sector, r")
    arm_length: float = quantity("m", gt=0, typical=(0.08, 0.45), doc="of the pitman arm, l")
    arm_angle: float = quantity(
        "rad", 0.0, typical=(0.01, 0.6), doc="of the arm from upright on the drag link, straight on, β_0"
    )
    nut_mass: float = quantity("kg", 3.0, gt=0, typical=(0.3, 20.0), doc="of the nut, m_n")
    worm_inertia: float = quantity("kg.m2", 4e-4, ge=0, typical=(1e-5, 0.02), doc="of the worm, J_w")
    sector_inertia: float = quantity("kg.m2", 0.06, ge=0, typical=(1e-3, 2.0), doc="of sector, shaft and arm, J_s")
    link_mass: float = quantity("kg", 5.0, ge=0, typical=(0.5, 30.0), doc="of the drag link, m_d")
    damping: float = quantity("N.s/m", 0.0, ge=0, typical=(0.0, 5e4), doc="force per speed of the nut, c")
    mesh_stiffness: float | None = quantity(
        "N/m", None, gt=0, typical=(1e6, 1e9), doc="of balls and teeth along the nut; absent: rigid"
    )
    travel: float | None = quantity("rad", None, gt=0, typical=(0.4, 1.2), doc="of the sector to its stops, β_max")
    stop_stiffness: float = quantity("N.m/rad", 1e5, gt=0, typical=(1e3, 1e8), doc="of the stops, k_s")

    @model_validator(mode="after")
    def _turns(self) -> Self:
        far = abs(self.arm_angle) + (self.travel or 0.0)
        if not far < math.pi / 2:
            text = f"{far:.4g} rad from upright on the drag link at the stop: the arm must stay below 90 degrees"
            raise problem(text, "travel" if self.travel else "arm_angle")
        return self


class RecirculatingBall(OnColumn, Data):
    """Recirculating-ball steering with inertia, elasticity, friction and hydraulic assist."""

    column: SteeringShafts = part({}, doc="from the hand wheel to the gear")
    torsion_bar: TorsionBar = part(doc="torsion bar, that is the valve of the assist")
    gear: BallGear = part(doc="worm, nut, sector and pitman arm")
    friction: Frictions = part({}, doc="friction; that of the rack is that of the nut")
    hydraulic: HydraulicAssist | None = part(None, doc="hydraulic assist, whose piston is the nut")

    electric: ClassVar[None] = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.hydraulic is not None and self.torsion_bar.on != "lower":
            raise problem(
                f"{self.torsion_bar.on!r}: this assist acts below a torsion bar on: lower", "torsion_bar", "on"
            )
        self.check_below_bar()
        return self

    def mechanism(self, p: Symbols, at: Given) -> Told:
        """Write its equations."""
        return BallMechanism(self, p, at).build()

    @property
    def ratio(self) -> float:
        """Turn of the worm over that of the sector."""
        return 2 * math.pi * self.gear.sector_radius / self.gear.lead

    def travel(self, scale: float) -> Curve:
        """Way of the drag link over hand wheel angle over the scale of the gear (1), as a table."""
        gear, count = self.gear, POINTS - 1
        far = gear.travel or math.pi / 2 - abs(gear.arm_angle) - 0.05
        angles = [far * (2 * i / count - 1) for i in range(POINTS)]
        way = [gear.arm_length * (math.sin(gear.arm_angle + b) - math.sin(gear.arm_angle)) for b in angles]
        return Curve(TABLE, x=tuple(b * self.ratio / scale for b in angles), y=tuple(way))

    def drawn(self, p: Symbols, angle: Any, scale: Any) -> Any:
        """The same of symbols, exactly."""
        g = p.gear
        return g.arm_length * (sin(g.arm_angle + _sector(g, angle, scale)) - sin(g.arm_angle))

    def remarks(self) -> Any:
        """What is allowed but unusual."""
        if not 10.0 < self.ratio < 40.0:
            yield "gear.lead", f"worm over sector 1 : {self.ratio:.3g}; usual are 1 : 15 to 1 : 26"


def _sector(g: Any, angle: Any, scale: Any) -> Any:
    return g.lead / (2 * math.pi) * scale * angle / g.sector_radius


class BallMechanism(Mechanism):
    """The equations of a ``RecirculatingBall``."""

    def __init__(self, data: RecirculatingBall, p: Symbols, at: Given) -> None:
        super().__init__(data, p, at)
        g = self.gear_p
        per = g.lead / (2 * math.pi) * at.scale
        self.rack = Turn(self.zeta, per * at.angle, per)  # the nut
        self.sector = Turn(self.zeta, _sector(g, at.angle, at.scale), per / g.sector_radius)
        self.link = Turn(self.zeta, at.travel, at.slope)

    told_as, word, moved = GEAR, "worm", "nut"

    @property
    def gear(self) -> BallGear:
        found: BallGear = self.data.gear
        return found

    @property
    def gear_p(self) -> Any:
        return self.p.gear

    @property
    def pinion_inertia(self) -> Any:
        return self.p.gear.worm_inertia

    def _rack(self) -> None:
        """Nut, sector, arm and drag link (2)."""
        at, g, nut, sector = self.at, self.gear_p, self.rack, self.sector
        nut.carry(g.nut_mass)
        sector.carry(g.sector_inertia)
        self.link.carry(g.link_mass)
        self.told.losses["nut"] = g.damping * nut.rate * nut.rate
        # F_d is along τ with the arm; over the sector it is a moment of dτ/dβ, on the nut of dτ/dx
        lever = g.arm_length * cos(g.arm_angle + sector.angle)
        along = at.rods * lever / g.sector_radius
        rubs: Any = 0.0
        law = self.data.friction.rack
        if law is not None:
            rubs = law.torque(at.scope.scope("nut_friction"), self.p.friction.rack, nut.rate, along)
            self.told.losses["nut_friction"] = rubs * nut.rate
        nut.push(-g.damping * nut.rate - rubs)
        within, stop = sector.angle, 0.0
        if self.gear.travel is not None:
            within = clip(sector.angle, -g.travel, g.travel)
            beyond, side = sector.angle - within, sign(sector.angle)
            stop = g.stop_stiffness * beyond * fmax(0.0, 1 + STOP_DAMPING * side * nut.rate)
            self.told.energy["stop"] = 0.5 * g.stop_stiffness * beyond * beyond
            self.told.losses["stop"] = (stop - g.stop_stiffness * beyond) * sector.rate
            sector.push(-stop)
        extra = at.outside("Steering_Assist.steer_assist.force", "N", "force on the nut, with the hand wheel")
        if extra is not None:
            nut.push(extra)
            self.told.work["outside_force"] = extra * nut.rate
        channel = at.channel
        channel(f"{GEAR}.nut_displacement", nut.angle, "m", "way of the nut, positive with the hand wheel")
        channel(f"{GEAR}.nut_velocity", nut.rate, "m/s", "its speed")
        channel(f"{GEAR}.nut_friction_force", rubs, "N", "friction of the nut")
        channel(f"{GEAR}.sector_angle", sector.angle, "rad", "turn of sector and pitman arm, with the hand wheel")
        channel(f"{GEAR}.sector_velocity", sector.rate, "rad/s", "its speed")
        channel(f"{GEAR}.stop_moment", stop, "N.m", "of the stops on the sector, against it")
        channel(f"{GEAR}.drag_link_displacement", self.link.angle, "m", "way of the end of the pitman arm")
        channel(f"{GEAR}.drag_link_force", at.rods, "N", "of the drag link on the pitman arm, along its way")
        channel(f"{GEAR}.pitman_moment", at.rods * lever, "N.m", "of the drag link on the sector, with the hand wheel")
        self.told.work["rods"] = at.rods * at.slope * at.angle_rate
