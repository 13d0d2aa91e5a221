"""A corner: guidance of the carrier by maps, the carrier and its wheel, the tire or both tires.

A second tire sits on the same hub at an offset b outwards along the spin axis ŝ (to the left): with the origin of the
carrier in the centre p of the first tire, σ = +1 on the left and -1 on the right side,

    p₂ = p + σ b ŝ,   v₂ = v + ω × σ b ŝ,   Ω₂ = Ω                                                             (1)
    M = M₁ + M₂ + σ b ŝ × F₂                            both at the hub                                       (2)

Ground, slip, deflections of the contact and friction are its own. As b ŝ × F₂ is across ŝ, each tire acts on the spin
by its own moment only.
"""

from __future__ import annotations

from typing import Any

from jounce.components.tire import wheel
from jounce.components.tire.base import Tire
from jounce.core.curves import Curve
from jounce.vehicle.assembly import brakes, drive, elements
from jounce.vehicle.assembly.context import CORNERS, PAIRED, TWINS, Context, Corner


def add(context: Context, place: str, tire: Tire, second: Tire | None = None) -> None:
    """One corner with all that belongs to it; ``second``: the outer tire of a twin wheel."""
    vehicle, system = context.vehicle, context.system
    axle, side = CORNERS[place]
    scope = system.scope(place)
    q, _ = context.travel[place]
    x, y, psi, camber, sva = _guidance(context, scope, place)
    sign = -1.0 if side == "L" else 1.0
    phi, theta = sign * camber, -sva
    centre = context.place(scope, "wheel_centre", vehicle.wheel_centre(axle, side), axle)
    turns = (("z", psi), ("x", phi), ("y", theta))
    if vehicle.system.carrier_rotation == "3-2-1":
        turns = (("z", psi), ("y", theta), ("x", phi))
    frame = context.frames[axle]
    carrier = frame.guided(f"{place}.carrier", [centre[0] + x, centre[1] + y, centre[2] + q], turns)

    data = vehicle.wheels(axle, side)
    mass = scope.parameter("unsprung_mass", data.unsprung_mass, "kg", "carrier and wheel", low=1e-3)
    inertia = [scope.parameter(n, getattr(data, n), "kg.m2", "carrier and wheel") for n in ("ixx", "iyy", "izz")]
    context.masses.append((carrier, mass))
    body = scope.body("carrier", carrier, mass, inertia)
    spin_inertia = scope.parameter("spin_inertia", data.hub_spin_inertia, "kg.m2", "all that spins", low=1e-6)
    rotor = scope.gyrostat("wheel", body, "y", spin_inertia)
    here = Corner(carrier, rotor, _mount(context, scope, place, tire, rotor), psi, camber, sva, x, y)
    if data.twin is not None:
        own = system.scope(TWINS[place])
        offset = own.parameter("offset", data.twin.offset, "m", "from the first tire outwards along the spin axis")
        here.twin = _mount(context, own, TWINS[place], second or tire, rotor, -sign * offset)
    context.corners[place] = here
    drive.add(context, scope, place)
    brakes.add(context, scope, place, spin_inertia)
    elements.add(context, scope, place)
    _statics_helpers(context, scope, place)


def _mount(context: Context, scope: Any, place: str, tire: Tire, rotor: Any, offset: Any = None) -> wheel.Mounted:
    """A tire on the wheel of a corner, at an offset to the left of its centre; ``place``: of the tire."""
    if id(tire) not in context.blocks:
        context.blocks[id(tire)] = wheel.declare(context.system, tire, f"tire{len(context.blocks) + 1}")
    friction = scope.parameter("tire_mu", 0.0, "-", "factor on the road's friction; about 0: not used")
    block, ground = context.blocks[id(tire)], context.grounds[place]
    side = "left" if place.startswith("L") else "right"
    return wheel.mount(
        scope,
        block,
        rotor,
        ground,
        side,
        friction=friction,
        factors=context.tire_factors(scope, tire, place),
        offset=offset,
        exponential=context.relaxation == "exact",
    )


def _statics_helpers(context: Context, scope: Any, place: str) -> None:
    """Linear spring and dampers that only the search for equilibrium switches on; zero in a run."""
    q, u = context.travel[place]
    own = scope.scope("statics")
    spring = own.parameter("spring_rate", 0.0, "N/m", "at the wheel, from design", low=0.0)
    damper = own.parameter("damper_rate", 0.0, "N.s/m", "at the wheel", low=0.0)
    spin = own.parameter("spin_damping", 0.0, "N.m.s/rad", "of the wheel's spin", low=0.0)
    context.system.generalized_force(u, -spring * q - damper * u)
    rotor = context.corners[place].rotor
    rotor.torque(-spin * rotor.spin)


def _guidance(context: Context, scope: Any, place: str) -> tuple[Any, Any, Any, Any, Any]:
    """x, y, ψ, camber, side view angle of a carrier: which map counts for which quantity."""
    vehicle = context.vehicle
    axle, side = CORNERS[place]
    suspension, steering = vehicle.suspension(axle), vehicle.steering
    q, other = context.travel[place][0], context.travel[PAIRED[place]][0]
    toe_to_psi = -1.0 if side == "L" else 1.0
    if vehicle.system.simplified_model == 1:
        psi = 0.0
        if axle == 1:
            found = steering.map("steer", side)
            assert found is not None
            psi = scope.parameter(
                "steer_rate", _slope_at_zero(found.curve), "-" if steering.input == "wheel_angle" else "rad/m"
            )
            psi = psi * context.steer_input
        return 0.0, 0.0, psi, 0.0, 0.0

    def own(name: str) -> Any:
        found = suspension.map(name, side)
        value = context.curve(scope, name, found.curve, [q, other])
        scale = scope.parameter(f"{name}.scale", found.scale, "-", "factor on the map")
        offset = scope.parameter(f"{name}.offset", found.offset, found.curve.units.y, "at design")
        return offset + scale * value

    def offset(name: str) -> Any:
        """Static alignment of an axle whose maps are those of the steering."""
        found = suspension.map(name, side)
        return scope.parameter(f"{name}.offset", found.offset, found.curve.units.y, "at design")

    def steered(name: str) -> Any:
        found = steering.map(name, side)
        if found is None:
            return None
        value = context.curve(scope, f"steering.{name}", found.curve, [context.steer_input, q])
        return scope.parameter(f"steering.{name}.scale", found.scale, "-", "factor on the map") * value

    if axle == 2:
        return own("x"), own("y"), toe_to_psi * own("toe"), own("camber"), own("side_view_angle")
    dependent = suspension.dependent
    result = {}
    for name in ("x", "y", "camber", "side_view_angle"):
        by_steering = steered(name)
        if name in ("x", "y") and not steering.steering_dependent_wheel_location:
            by_steering = None
        if by_steering is None:
            result[name] = own(name)
        elif dependent:
            result[name] = own(name) + by_steering
        else:  # maps of an independent axle already contain what the suspension's say, but for the alignment
            result[name] = by_steering + offset(name) if name == "camber" else by_steering
    psi = steered("steer")
    if steering.method == "toe_table" or dependent:
        psi = psi + toe_to_psi * own("toe")
    else:
        psi = psi + toe_to_psi * offset("toe")
    return result["x"], result["y"], psi, result["camber"], result["side_view_angle"]


def _slope_at_zero(curve: Curve, width: float = 1e-4) -> float:
    if curve.constant is not None:
        return curve.constant
    n = curve.n_axes - 1
    return (curve(width, *[0.0] * n) - curve(-width, *[0.0] * n)) / (2 * width)
