"""Electric power steering: a motor with its gear on the column, on the pinion or on the rack.

    φ' = (1 + T_1 s)/(1 + T_2 s) φ                    twist of the torsion bar, with phase lead                   (1)
    T_u = K_t I(φ'; v) - [d(v) θ̇ + r(θ_p; v)]/(n e)   torque that is asked of the motor                           (2)
    τ Ṫ_m + T_m = T_u                                 torque of the motor                                        (3)

K_t torque constant, I the map of current, v speed of the car, θ_c turn of the driven part (of a rack its travel), θ_p
turn of the pinion, n motor angle over that of the driven part, e = dθ_c/dθ_p of a rack, 1 else, and θ̇ = θ̇_c/e. d damps
and r returns to the middle; both, as elasticity and damping of the gear, are those of a turn, of a motor on the rack of
the pinion. On a rigid gear the motor adds n² J_m to what it drives, and n T_m acts there. With a ``gear`` it swings
behind its elasticity,

    T_g = [K_m (θ_m/n - θ_c) + B_m (θ̇_m/n - θ̇_c)]/e²  on the driven part                                         (4)
    J_m θ̈_m = T_m - T_g/(n η) - T_friction            η becomes 1/η where the driven part drives the motor        (5)

Lags shorter than 1.25 steps are as long as 1.25 steps. Not modelled: voltage limit, cogging, sampling of the
controller.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_validator

from jounce.components.part import Symbols
from jounce.components.steering.assist import Assisted, check_map
from jounce.components.steering.chain import AHEAD
from jounce.components.steering.friction import SteeringFriction
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part, problem, quantity
from jounce.symbolic.ops import fmax, if_else


class Lead(Data):
    """Phase lead on the twist, which keeps a steep map stable (1)."""

    ahead: float = quantity("s", gt=0, typical=(1e-3, 0.2), doc="T_1")
    behind: float = quantity("s", gt=0, typical=(1e-4, 0.1), doc="T_2, shorter than ahead")

    @model_validator(mode="after")
    def _leads(self) -> Self:
        if self.behind >= self.ahead:
            raise problem(f"{self.behind!r} s: must be shorter than ahead ({self.ahead!r} s), or it is a lag", "behind")
        return self


class Gear(Data):
    """Elasticity and losses of the gear of the motor."""

    stiffness: float = quantity("N.m/rad", gt=0, typical=(50.0, 1e5), doc="K_m, at column or pinion")
    damping: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(0.0, 1e3), doc="B_m, at column or pinion")
    efficiency: float = quantity("-", 1.0, gt=0, le=1, typical=(0.3, 1.0), doc="η")


class ElectricAssist(Data):
    """Electric power steering."""

    alternatives = (("ratio", "rack_ratio"),)

    on: Literal["column", "pinion", "rack"] = choice("column", doc="what the motor drives")
    current: Curve = curve(
        "rad", "A", z="m/s", typical=(50.0, 1e5), reach=(0.005, 1.0), doc="of the motor over twist (and speed)"
    )
    torque_constant: float = quantity("N.m/A", gt=0, typical=(5e-3, 1.0), doc="K_t")
    ratio: float | None = quantity(
        "-", None, gt=0, typical=(1.0, 60.0), doc="n, motor speed over that of column or pinion"
    )
    rack_ratio: float | None = quantity(
        "rad/m", None, gt=0, typical=(200.0, 8000.0), doc="n, motor speed over that of the rack"
    )
    lag: float = quantity("s", 0.003, gt=0, typical=(1e-4, 0.1), doc="of the torque of the motor, τ")
    inertia: float = quantity("kg.m2", gt=0, typical=(1e-5, 2e-3), doc="of the motor, J_m")
    lead: Lead | None = part(None, doc="phase lead on the twist")
    damping: Curve | None = curve(
        "m/s", "N.m.s/rad", None, constant="value", typical=(0.0, 5.0), doc="d over speed, at column or pinion"
    )
    active_return: Curve | None = curve(
        "rad", "N.m", None, z="m/s", typical=(0.0, 10.0), reach=(0.1, 20.0),
        doc="r over turn of the pinion (and speed), positive towards the middle",
    )  # fmt: skip
    gear: Gear | None = part(None, doc="gear that gives way; absent: rigid")
    friction: SteeringFriction | None = part(None, doc="of the motor, at its own speed")

    @model_validator(mode="after")
    def _complete(self) -> Self:
        needed, other = ("rack_ratio", "ratio") if self.on == "rack" else ("ratio", "rack_ratio")
        if getattr(self, needed) is None:
            raise problem(f"missing; needed on: {self.on}", needed)
        if getattr(self, other) is not None:
            raise problem(f"stands beside on: {self.on}; give {needed}", other)
        check_map(self.current, "current")
        if self.active_return is not None:
            check_map(self.active_return, "active_return")
        if self.damping is not None and min(self.damping.y or (self.damping.constant or 0.0,)) < 0:
            raise problem("negative damping feeds energy into the steering", "damping")
        return self

    def connect(self, at: Assisted, p: Symbols) -> tuple[Any, Any]:
        """Write its equations; returns torque (force) on the driven part, and the power of the motor."""
        n = p.rack_ratio if self.on == "rack" else p.ratio
        scope, driven, e = at.scope, at.driven, at.per_turn
        asked = p.torque_constant * p.current(self._led(at, p), at.speed)
        if self.damping is not None:
            asked = asked - p.damping(at.speed) * driven.rate / e / (n * e)
        if self.active_return is not None:
            asked = asked - p.active_return(at.pinion, at.speed) / (n * e)
        torque = scope.state("motor.torque", "N.m", "torque of the motor", role="balance")
        scope.derivative(torque, (at.switched(asked) - torque) / at_least(at, p.lag))  # (3)
        whole = torque if at.motor_torque is None else torque + at.motor_torque
        if self.gear is None:
            driven.carry(n * n * p.inertia)
            driven.push(n * whole - n * self._rubs(at, p, n * driven.rate, whole))
            return n * whole, n * whole * driven.rate
        unit = "m" if self.on == "rack" else "rad"
        motor = at.chain.node("motor", "the motor over its ratio", unit)
        motor.carry(n * n * p.inertia)
        g = p.gear
        stiffness, damping = g.stiffness / (e * e), g.damping / (e * e)
        given = stiffness * (motor.angle - driven.angle) + damping * (motor.rate - driven.rate)  # (4)
        at.chain.stiff_link(motor, driven, given, stiffness, damping)
        loss = given * (if_else(given * driven.rate < 0, g.efficiency, 1 / g.efficiency) - 1)
        motor.push(n * whole - loss - n * self._rubs(at, p, n * motor.rate, whole))  # (5)
        at.losses["gear"] = loss * motor.rate + damping * (motor.rate - driven.rate) ** 2
        return given, n * whole * motor.rate

    def _led(self, at: Assisted, p: Symbols) -> Any:
        """(1), as one state that follows."""
        if self.lead is None:
            return at.twist
        behind = at_least(at, p.lead.behind)
        follower = at.scope.state("lead.follower", "rad", "twist behind the lag of the phase lead", role="balance")
        at.scope.derivative(follower, (at.twist - follower) / behind)
        return follower + p.lead.ahead / behind * (at.twist - follower)

    def _rubs(self, at: Assisted, p: Symbols, speed: Any, load: Any) -> Any:
        if self.friction is None:
            return 0.0
        rubs = self.friction.torque(at.scope.scope("motor_friction"), p.friction, speed, load)
        at.losses["motor_friction"] = rubs * speed
        return rubs


def at_least(at: Assisted, lag: Any) -> Any:
    """A lag that an explicit step can follow."""
    return fmax(lag, AHEAD * at.scope.system.t_dt)
