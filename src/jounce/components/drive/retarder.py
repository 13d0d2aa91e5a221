"""A retarder: a brake in the driveline that does not wear, for long descents.

It turns with a shaft, usually that behind the gearbox, and brakes it by a demand u from 0 to 1, whatever way it turns:

    M = −u · min(curve(|ω|), P/|ω|) · sgn ω,     ω = ratio · ω_shaft                                              (1)
    τ u̇ = u* − u                                                                                                  (2)

curve is its torque at full demand over its speed: of a hydrodynamic one about k ω² up to what the valve allows, of an
electromagnetic one steep and then flat; it is zero at rest. P is the heat that its cooler takes in the long run: at
high speed the torque falls along it. u* is the larger of the lever (input ``retarder``) and what the brake pedal gives,
``pedal_share`` times its demand; ``off_below`` the speed at which it lets go, over half of which it fades.

A retarder is no friction brake: at rest it holds nothing, and anti-lock control of the wheels does not know it. Its
torque reacts on what ``reaction`` says.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.drive.base import DrivePart, Energy, Station
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, quantity
from jounce.symbolic.ops import clip, fabs, fmax, fmin, sign


class Retarder(DrivePart):
    """A brake in the driveline."""

    ports: ClassVar[tuple[str, ...]] = ("shaft",)

    kind: Literal["retarder"] = choice("retarder", doc="kind of part")
    torque: Curve = curve(
        "rad/s", "N.m", constant="value", how="held", typical=(50.0, 2e4), reach=(20.0, 3e3),
        doc="at full demand over its speed",
    )  # fmt: skip
    power: float = quantity("W", 3e5, gt=0, typical=(1e4, 1e6), doc="that its cooler takes in the long run, P")
    ratio: float = quantity("-", 1.0, gt=0, typical=(0.2, 5.0), doc="its speed over that of the shaft")
    inertia: float = quantity("kg.m2", 0.05, gt=0, typical=(1e-4, 5.0), doc="of what turns in it")
    lag: float = quantity("s", 0.3, gt=0, typical=(0.01, 3.0), doc="time constant in which it fills")
    pedal_share: float = quantity("-", 0.0, ge=0, le=5, doc="demand per demand of the brake pedal")
    off_below: float = quantity("rad/s", 20.0, gt=0, typical=(1.0, 200.0), doc="speed of it below which it lets go")

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        return (p.inertia * p.ratio * p.ratio,)

    def act(self, here: Station) -> None:
        p = here.p
        lever = here.model.root.input("retarder", "-", "demand of the retarder, 0 to 1")
        asked = clip(fmax(lever, p.pedal_share * here.read("brake")), 0.0, 1.0)
        demand = here.scope.state("demand", "-", "of the retarder, as it fills", role="balance")
        here.scope.derivative(demand, (asked - demand) / p.lag)  # (2)
        speed = p.ratio * here.shafts[0].speed
        turns = fabs(speed)
        most = fmin(p.torque(turns), p.power / fmax(turns, p.off_below))
        fades = clip(2 * turns / p.off_below - 1, 0.0, 1.0)
        torque = -demand * most * fades * sign(speed)  # (1)
        here.kept.update(speed=speed, demand=demand, torque=torque)
        here.train.push(here.shafts[0], p.ratio * torque)
        here.react(-torque)

    def told(self, here: Station) -> None:
        kept = here.kept
        here.channel("torque", kept["torque"], "N.m", "torque of the retarder on its shaft, at its own speed")
        here.channel("demand", kept["demand"], "-", "of the retarder, as it is filled")

    def energy(self, here: Station) -> Energy:
        return Energy(lost=-here.kept["torque"] * here.kept["speed"])
