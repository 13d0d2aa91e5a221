"""Brake blending: what motors brake is taken from the friction brakes, so that the pedal means one deceleration.

With the force F_m along the road that motors make of the brake demand, that F_b of all brakes under the pressures of
their lines, and the share c of the motors that is counted,

    p_i ← s p_i,     s = 1 − min(c F_m/F_b, 1)                                                                   (1)

of every brake alike, so that the balance of the brakes stays. F_m is what the drive says its machines do of the demand
(``drive/thrust``) that anti-lock control leaves them; a drive without motors makes none, and the
brakes do all. Where a longitudinal driver has blended already it must not stand beside this.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from jounce.components.controllers.arbiter import arbiter
from jounce.components.controllers.controller import Controller
from jounce.components.controllers.sensors import force_per_pressure, mean_radius
from jounce.components.controllers.slip_control import braked_by_motors
from jounce.components.drive.thrust import Thrust
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, fmax, if_else

NAME = "brake_blending"


class BrakeBlending(Controller):
    """Takes from the brakes what motors do."""

    kind: Literal["brake_blending"] = choice("brake_blending", doc="kind of controller")
    share: float = quantity("-", 1.0, ge=0, le=1, doc="of the force of the motors that is taken off, c")
    lag: float = quantity("s", 0.02, gt=0, typical=(0.002, 0.5), doc="of the pressures")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name in at.wheels:
            arbiter(at).enter(f"pressure.{name}", NAME, "scale", partial(self._scale, at, p))

    def _scale(self, at: VehicleModel, p: Symbols) -> Any:
        if "scale" not in p.kept:
            block = at.scope(self.kind).block("unit", doc="takes from the brakes what motors do")
            p.kept.update(block=block, scale=block.signal("scale", "-", "of the pressures", 1.0))
        return p.kept["scale"]

    def close(self, at: VehicleModel, p: Symbols) -> None:
        scale, block = self._scale(at, p), p.kept["block"]
        thrust: Thrust = at.signals.read("drive.thrust", self.kind)
        demand, radius = braked_by_motors(at, at.signals.read("brake", self.kind)), mean_radius(at)
        motors: Any = 0.0
        if thrust.braking:
            motors = fmax(thrust.force(0.0, 0.0, radius) - thrust.force(0.0, demand, radius), 0.0)
        brakes = sum(
            force_per_pressure(wheel) * arbiter(at).before(at, f"pressure.{name}", NAME)
            for name, wheel in at.wheels.items()
        )
        wanted = 1 - clip(p.share * motors / fmax(brakes, 1.0), 0.0, 1.0)  # (1)
        wanted = if_else(p.active > 0.5, wanted, 1.0)
        block.update(scale, scale + clip(block.period / p.lag, 0.0, 1.0) * (wanted - scale))

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        at.channel("Brake_Blending.scale", self._scale(at, p), "-", "what is left to the friction brakes")
