"""Springs, dampers, stops and anti-roll devices: they act on wheel travel by virtual work.

With the deflection d(J) of an element, compression positive (of a dependent axle d(J, J_o), J_o the paired wheel's
travel; then the same force also acts on J_o, through ∂d/∂J_o):

    spring     Q_J = -F(d) ∂d/∂J                                                                             (1)
    damper     Q_J = +F(v, x) ∂d/∂J,   v = -ḋ, x = -d  (extension positive)                                  (2)
    stops      bump: δ = d - clearance > 0, Q_J = -F ∂d/∂J;   rebound: δ = -d - clearance > 0, Q_J = +F ∂d/∂J  (3)
    bar        α = a_L(J_L) - a_R(J_R),  T = T0 + S K α,   Q_L = -T ∂a_L/∂J_L,  Q_R = +T ∂a_R/∂J_R             (4)
"""

from __future__ import annotations

from typing import Any

from jounce.core.curves import Curve
from jounce.symbolic.ops import fmax
from jounce.vehicle.assembly.context import CORNERS, PAIRED, WORDS, Context
from jounce.vehicle.schema import SIDES, on_side


class Deflection:
    """How an element moves with the wheels of its axle."""

    def __init__(self, context: Context, scope: Any, curve: Curve, place: str) -> None:
        self.context = context
        places = (place, PAIRED[place])[: max(curve.n_axes, 1)]
        self.travel = [context.travel[p] for p in places]
        self.value = context.curve(scope, "ratio", curve, [q for q, _ in self.travel])
        self.slopes = [context.slope(self.value, q) for q, _ in self.travel]

    @property
    def rate(self) -> Any:
        total: Any = 0.0
        for slope, (_, u) in zip(self.slopes, self.travel, strict=True):
            total = total + slope * u
        return total

    def act(self, force: Any) -> Any:
        """A force that lengthens the element where positive; returns what it does to the own wheel's travel."""
        for slope, (_, u) in zip(self.slopes, self.travel, strict=True):
            self.context.system.generalized_force(u, force * slope)
        return force * self.slopes[0]


def add(context: Context, scope: Any, place: str) -> None:
    """Spring, dampers and stops of a corner (1-3)."""
    axle, side = CORNERS[place]
    suspension = context.vehicle.suspension(axle)
    method = context.vehicle.system.splines.method
    at_wheel: dict[str, Any] = {}
    if suspension.spring is not None:
        spring = on_side(suspension.spring, side)
        own = scope.scope("spring")
        moved = Deflection(context, own, spring.deflection_by(method), place)
        start = own.parameter(
            "at_design",
            spring.abscissa_at_design(method),
            spring.ratio.units.y,
            "compression (or length) of the spring at design",
        )
        scale = own.parameter("scale", spring.scale, "-", "factor on the force", low=0.0)
        unit = "N" if spring.type == "translational" else "N.m"
        if spring.rate is not None:
            force = own.parameter("rate", spring.rate, "N/m" if unit == "N" else "N.m/rad", low=0.0) * (
                start + moved.value
            )
        else:
            assert spring.force is not None
            length = start - moved.value if spring.axis == "length" else start + moved.value
            force = context.curve(own, "force", spring.force, [length])
        force = scale * force
        at_wheel["spring"] = -moved.act(-force)
        context.channel(f"Spring.Force_At_Spring.{place}", force, unit, "spring force, compression positive")
        context.channel(f"Spring.Force_At_Wheel.{place}", at_wheel["spring"], "N", "spring force at the wheel")
        context.channel(f"Spring.Jounce.{place}", moved.value, spring.ratio.units.y, "compression from design")
        context.channel(f"Spring.Jounce_Rate.{place}", moved.rate, f"{spring.ratio.units.y}/s", "its rate")
    for number, damper in enumerate(suspension.dampers):
        data = on_side(damper, side)
        own = scope.scope(f"damper{number + 1}")
        moved = Deflection(context, own, data.deflection_by(method), place)
        v = -moved.rate
        if data.rate is not None:
            force = own.parameter("rate", data.rate, "N.s/m", low=0.0) * v
        else:
            assert data.force is not None
            force = context.curve(own, "force", data.force, [v, -moved.value])
        force = own.parameter("scale", data.scale, "-", "factor on the force", low=0.0) * force
        here = -moved.act(force)
        if number == 0:
            context.channel(f"Damper.Force_At_Damper.{place}", -force, "N", "damper force, compression positive")
            context.channel(f"Damper.Force_At_Wheel.{place}", here, "N", "damper force at the wheel")
            context.channel(f"Damper.Jounce.{place}", moved.value, "m", "compression from design")
            context.channel(f"Damper.Jounce_Rate.{place}", -v, "m/s", "compression speed")
        elif number == 1:
            where = WORDS[place]
            context.channel(
                f"secondary_damper.force.{where}", force, "N", "force of the second damper, tension positive"
            )
            context.channel(f"secondary_damper.velocity.{where}", v, "m/s", "its lengthening speed")
            context.channel(f"secondary_damper.displacement.{where}", -moved.value, "m", "its extension from design")
    for name, stop, sign, group in (
        ("bump_stop", suspension.bump_stop, 1.0, "Jounce_Bumper"),
        ("rebound_stop", suspension.rebound_stop, -1.0, "Rebound_Bumper"),
    ):
        if stop is None or not on_side(stop, side).active:
            continue
        data_stop = on_side(stop, side)
        own = scope.scope(name)
        moved = Deflection(context, own, data_stop.deflection_by(method), place)
        gap = fmax(sign * moved.value - own.parameter("clearance", data_stop.clearance, "m"), 0.0)
        force = own.parameter("scale", data_stop.scale, "-", low=0.0) * context.curve(
            own, "force", data_stop.force, [gap]
        )
        at_wheel[name] = -moved.act(-sign * force)
        context.channel(f"{group}.Force_At_Bumper.{place}", sign * force, "N", "bump positive, rebound negative")
        context.channel(f"{group}.Force_At_Wheel.{place}", at_wheel[name], "N", "at the wheel")
        context.channel(f"{group}.Jounce.{place}", moved.value, "m", "compression from design")
        context.channel(f"{group}.Jounce_Rate.{place}", moved.rate, "m/s", "its rate")
    total: Any = 0.0
    for name in ("spring", "bump_stop", "rebound_stop"):
        total = total + at_wheel.get(name, 0.0)
    context.channel(f"Spring.Aggregate_Force_At_Wheel.{place}", total, "N", "spring and stops at the wheel")


def add_anti_roll(context: Context, axle: int) -> None:
    """Auxiliary anti-roll force, or the bar that takes its place (4)."""
    suspension = context.vehicle.suspension(axle)
    (q_l, u_l), (q_r, u_r) = context.travel[f"L{axle}"], context.travel[f"R{axle}"]
    scope = context.system.scope(f"axle{axle}")
    bar = suspension.anti_roll_bar
    if bar is not None:
        own = scope.scope("anti_roll_bar")
        ends = [
            context.curve(own, f"ratio_{side}", suspension.bar_ratio(side), [q])
            for side, q in zip(SIDES, (q_l, q_r), strict=True)
        ]
        twist = ends[0] - ends[1]
        if bar.stiffness is not None:
            torque = own.parameter("stiffness", bar.stiffness, "N.m/rad", low=0.0) * twist
        else:
            assert bar.torque is not None
            torque = context.curve(own, "torque", bar.torque, [twist])
        scale = own.parameter("scale", bar.scale, "-", low=0.0)
        torque = own.parameter("preload", bar.preload, "N.m") + scale * torque
        at_left = -context.act(u_l, -torque, ends[0], q_l)
        context.act(u_r, torque, ends[1], q_r)
        context.channel(
            f"Suspension.Auxiliary_Roll_deformation_at_element.SUSP{axle}", twist, "rad", "twist of the bar"
        )
        context.channel(f"Suspension.Auxiliary_Roll_Force_at_element.SUSP{axle}", torque, "N.m", "torque of the bar")
        context.channel(f"Suspension.Auxiliary_Roll_Force.SUSP{axle}", at_left, "N", "at the left wheel, downwards")
        return
    auxiliary = suspension.effective_auxiliary_anti_roll()
    if auxiliary is None:
        return
    own = scope.scope("auxiliary_anti_roll")
    difference = q_l - q_r
    if auxiliary.rate is not None:
        stiffness = own.parameter("rate", auxiliary.rate, "N/m", low=0.0)
        force = stiffness * difference
    else:
        assert auxiliary.force is not None
        # a symbol of its own, so that the slope over the difference can be taken
        delta = context.system.calls.alias(f"axle{axle}.difference", [difference])[0]
        force = context.curve(own, "force", auxiliary.force, [delta, 0.5 * (q_l + q_r)])
        stiffness = context.slope(force, delta)
    scale = own.parameter("scale", auxiliary.scale, "-", low=0.0)
    damping = own.parameter("damping", auxiliary.damping, "s", "damping force per stiffness", low=0.0)
    total = scale * (force + damping * stiffness * (u_l - u_r))
    context.system.generalized_force(u_l, -total)
    context.system.generalized_force(u_r, total)
    context.channel(f"Suspension.Auxiliary_Roll_Force.SUSP{axle}", total, "N", "at the left wheel, downwards")
