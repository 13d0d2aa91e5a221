"""Semi-active dampers: skyhook and groundhook.

A damper between body and wheel that may only take energy stands for two that cannot be built: one between the body and
the sky, one between the wheel and the ground [Karnopp1974]. With the vertical speeds ż_b of the body at a wheel and ż_w
of the wheel, upwards, both without what is slower than the filter of their sensors, and the compression speed v_c,

    F = −c_s ż_b + c_g ż_w,     and 0 where F v_c < 0,     |F| ≤ F_max                                              (1)

is added to the force of the damper, positive as it pushes apart. The damper of the car is its softest stage.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

from jounce.components.controllers.controller import Controller
from jounce.components.controllers.sensors import along, side
from jounce.components.model import VehicleModel, WheelModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import clip, if_else


class AdaptiveDamping(Controller):
    """Skyhook and groundhook damping at every wheel."""

    kind: Literal["adaptive_damping"] = choice("adaptive_damping", doc="kind of controller")
    skyhook: float = quantity("N.s/m", 2500.0, ge=0, typical=(50.0, 5e4), doc="damper between body and sky, c_s")
    groundhook: float = quantity("N.s/m", 0.0, ge=0, typical=(50.0, 5e4), doc="damper between wheel and ground, c_g")
    largest: float = quantity("N", 3000.0, ge=0, typical=(100.0, 3e4), doc="force that valves add, F_max")
    sensor_filter: float = quantity("s", 1.0, gt=0, typical=(0.1, 20.0), doc="slower motion is not seen")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for name in at.wheels:
            at.signals.add(f"Main_Damper.force.{name}", partial(self._force, at, p, name), self.kind)

    def _force(self, at: VehicleModel, p: Symbols, name: str) -> Any:
        if "block" not in p.kept:
            p.kept["block"] = at.scope(self.kind).block("unit", doc="sets semi-active dampers")
        if name not in p.kept:
            block = p.kept["block"]
            p.kept[name] = {
                "force": block.signal(f"force.{name}", "N", "that is added to the damper, pushing apart"),
                "slow": block.signal(f"slow.{name}", "m/s", "vertical speed of the body that is not seen"),
            }
        return p.kept[name]["force"]

    def close(self, at: VehicleModel, p: Symbols) -> None:
        for name, wheel in at.wheels.items():
            self._force(at, p, name)
            self._law(p, wheel, p.kept[name])

    def _law(self, p: Symbols, wheel: WheelModel, own: dict[str, Any]) -> None:
        block, frame = p.kept["block"], wheel.axle.frame
        corner = [along(wheel), side(wheel), 0.0]  # of the design: maps of the guidance would cost more than they tell
        body = frame.to_world(frame.point_velocity(corner))[2]
        rate = wheel.travel_rate
        seen = body - own["slow"]
        wanted = -p.skyhook * seen + p.groundhook * (seen + rate)
        wanted = clip(if_else(wanted * rate > 0, wanted, 0.0), -p.largest, p.largest)  # (1)
        block.update(own["force"], if_else(p.active > 0.5, wanted, 0.0))
        block.update(own["slow"], own["slow"] + clip(block.period / p.sensor_filter, 0.0, 1.0) * seen)

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        for name in at.wheels:
            at.channel(f"Adaptive_Damping.force.{name}", p.kept[name]["force"], "N", "that is added, pushing apart")
