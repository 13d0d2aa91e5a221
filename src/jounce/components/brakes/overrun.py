"""An overrun brake: a trailer that runs onto its car is braked by the push of its drawbar.

With the push F_h of the trailer on the towing unit at the coupling, along its x axis, as the damper of the drawbar
passes it on,

    τ Ḟ = F_h − F                                                                                                 (1)
    N = N_max clip((F − F_lo)/(F_hi − F_lo), 0, 1)                                                                (2)
    M = 2 µ R N                                     at a wheel, against its spin                                  (3)

F_lo is what the drawbar bears before its rod moves, F_hi what gives all. The factor 2 counts two pads, or two shoes. A
wheel that turns backwards has the share ``reverse_share`` of M: brakes of trailers let go by themselves when they are
pushed back. What else a brake at a wheel does, how it sticks, its inputs, its heat: ``wheel_brake``. No pressure
reaches it, and no share of one is needed.

F_h is known with all accelerations, hence the state (1); it also keeps hitch and brake from hunting each other. The
filter is that of a hydraulic damper in the drawbar; in statics the push is that of the slope.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Literal

from jounce.components.brakes.wheel_brake import WheelBrake
from jounce.components.model import UnitModel, WheelModel
from jounce.components.part import Symbols
from jounce.core.fields import choice, part, quantity
from jounce.symbolic.ops import clip


class OverrunBrake(WheelBrake):
    """The brakes of an axle of a trailer, pushed by its drawbar."""

    pressed: ClassVar[bool] = False

    kind: Literal["overrun"] = choice("overrun", doc="kind of brake")  # type: ignore[assignment]
    mu: float = quantity("-", 0.4, ge=0, typical=(0.05, 1.2), doc="friction of the pads, µ")
    effective_radius: float = quantity("m", 0.18, gt=0, typical=(0.03, 0.4), doc="at which the friction acts, R")
    lower_threshold: float = quantity("N", 1000.0, ge=0, typical=(50.0, 1e4), doc="push from which it brakes, F_lo")
    upper_threshold: float = quantity("N", 5000.0, gt=0, typical=(200.0, 1e5), doc="push that gives all, F_hi")
    largest_force: float = quantity("N", 2000.0, ge=0, typical=(100.0, 5e4), doc="on a pad or shoe, N_max")
    reverse_share: float = quantity("-", 0.1, ge=0, le=1, doc="of its torque on a wheel that turns backwards")
    lag: float = quantity("s", 0.03, gt=0, typical=(0.005, 1.0), doc="of the damper in the drawbar, τ")
    right: OverrunBrake | None = part(None, doc="what differs on the right side")

    def provide(self, at: WheelModel, p: Symbols) -> None:
        unit = at.axle.unit
        at.vehicle.signals.provide(_name(unit), partial(_push, unit, p), "the drawbar", usual=True)

    def pressure(self, at: WheelModel) -> Any:
        return 0.0

    def moment(self, at: WheelModel, p: Symbols, mu: Any, pressure: Any) -> Any:
        push = at.vehicle.signals.read(_name(at.axle.unit), f"the brake of {at.place.name}")
        share = clip((push - p.lower_threshold) / (p.upper_threshold - p.lower_threshold), 0.0, 1.0)  # (2)
        return 2 * mu * p.effective_radius * p.largest_force * share  # (3)

    def backwards(self, p: Symbols, mu: Any) -> Any:
        return p.reverse_share

    def full_moment(self, pressure: float) -> float:
        return 0.0  # of a pressure it knows nothing


def _name(unit: UnitModel) -> str:
    return f"overrun.{unit.place.number}"


def _push(unit: UnitModel, p: Symbols) -> Any:
    """F (1), once for all wheels of a unit: by the lag of its first one."""
    assert unit.coupling is not None
    scope = unit.scope.scope("overrun")
    found = scope.state("push", "N", "of the drawbar, as its damper passes it on", role="balance")
    scope.derivative(found, (unit.coupling.force[0] - found) / p.lag)
    unit.channel("Overrun.push", found, "N", "of the drawbar on the towing unit, as its damper passes it on")
    return found
