"""A tire on a wheel of a mechanism: parameters, contact, one call of the leaf function, loads, states, channels.

    block = declare(scope, tire)                         once per tire file: the numbers, shared by its wheels
    mounted = mount(corner, block, rotor, ground, "left")        once per wheel: acts on the rotor and its carrier

On every scaling factor of the file, ``tire.LKY`` say, each wheel has a factor of its own, ``corner.tire.scale.LKY``.
Everything is computed in the axes in which the carrier's velocity is native (those of the chassis for a carrier
guided by maps), so that a wheel on a plane needs no rotation into the world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from jounce.components.tire import contact as geometry
from jounce.components.tire import external
from jounce.components.tire.base import FRICTION_UNUSED, Numbers, Tire, total_friction
from jounce.components.tire.external import External
from jounce.components.tire.magic import FRICTION_FLOOR
from jounce.components.tire.mounted import Block, Mounted, Yielding
from jounce.components.tire.substeps import SubSteps
from jounce.components.tire.told import told_inputs, told_leaf, told_names
from jounce.components.tire.transient import MEMORY_INPUTS, inputs, outputs
from jounce.core.errors import ModelError
from jounce.road.ground import Ground, aimed
from jounce.symbolic.frames import add, cross
from jounce.symbolic.ops import dot, if_else

if TYPE_CHECKING:
    from jounce.symbolic.bodies import Gyrostat
    from jounce.symbolic.system import Scope

__all__ = ["FRICTION_UNUSED", "Block", "Mounted", "declare", "mount", "numbers_of", "out_of_range"]


# Least factors of a wheel: these are divided by, those below 0 would turn forces round. Shifts may have any sign.
LEAST = {
    **dict.fromkeys(("LFZO", "LMUX", "LMUY", "LCZ", "LIP"), FRICTION_FLOOR),
    **dict.fromkeys(("LKX", "LKY", "LCX", "LCY", "LTR", "LSGKP", "LSGAL"), 0.0),
}


def declare(scope: Scope, tire: Tire, name: str = "tire") -> Block:
    """Declare the numbers of a tire as parameters ``name.KEY``, one behind the other, and its curves as tables."""
    tire.check_drivable()
    own = scope.scope(name)
    model = tire.model
    scaling = set(model.scalable())  # last, so that the others are one behind the other (``numbers_of``)
    ordered = sorted(model.coefficients, key=lambda c: c.name in scaling)
    parameters = {c.name: own.parameter(c.name, tire.values[c.name], c.unit, c.doc) for c in ordered}
    docs = model.derived_docs
    derived = {key: own.derived(key, value, *docs[key]) for key, value in model.derived(parameters).items()}
    wanted = [*model.curves, *(["profile"] if model.profile else [])]
    missing = [curve for curve in wanted if curve not in tire.curves]
    if missing:
        raise ModelError(f"tire {tire.name!r}: the curve {missing[0]!r} has no data")
    tables = {curve: own.table(curve, tire.curves[curve]) for curve in wanted}
    profile = tables.pop("profile", None)
    return Block(tire, parameters, derived, list(tables.values()), profile)


def mount(
    scope: Scope,
    block: Block,
    rotor: Gyrostat,
    ground: Ground,
    side: str,
    *,
    friction: Any = None,
    factors: Mapping[str, Any] | None = None,
    name: str = "tire",
    offset: Any = None,
    substeps: int = 0,
    exponential: bool = False,
    outside: Callable[[geometry.Contact, geometry.Wrench], geometry.Wrench] | None = None,
    yielding: Yielding | None = None,
) -> Mounted:
    """Put a tire on a rotor whose axis points to the left; its forces act on the carrier and about the spin axis.

    Parameters
    ----------
    scope : of the wheel; gets the states ``name.u`` and ``name.v`` in transient use modes
    block : of ``declare``
    rotor : the wheel; its body's frame is the carrier, with the wheel centre as origin
    ground : what it stands on
    side : ``left`` or ``right``; a tire measured on the other side is mirrored
    friction : factor on the road's friction, for example an input; about zero means that it is not used
    factors : further factors on ``model.scalable()`` for this wheel that change within a run, for example inputs:
        {"LKY": ...}. They are arguments of the compiled function, and what derives from them is computed in every step
    offset : of its centre along the rotor's axis, for a second tire on a hub; m
    substeps : integrate the contact deflections apart, so many times in a step (``substeps``); 0: with the vehicle
    exponential : the contact deflections are memories with an exact update, not states, (10) of ``transient``
    outside : force and moment at the wheel centre as they shall act, from those that the tire gives
    yielding : of a carrier that gives way: its contact moves with it
    """
    model, system = block.tire.model, scope.system
    if isinstance(model, External):
        return external.mount(
            scope, block, rotor, ground, side, friction=friction, name=name, offset=offset, given=outside
        )  # of a carrier that gives way they see the pose, not the speed
    carrier = rotor.body.frame
    at = [0.0, 0.0, 0.0] if offset is None else [offset * a for a in rotor.axis]
    near = _approach(carrier, rotor, ground, block, offset)
    axes, surface, touch, rho, place = near.axes, near.surface, near.touch, near.rho, near.place
    if block.profile is not None:
        scope.output(f"{name}.map.profile", 1.0, "-", "the contact is that of a cross-section")
    # Directions change slowly against the spin and the jounce: held in the Jacobian of a linear-implicit step.
    held = touch._replace(arm=scope.slow(f"{name}.arm", *touch.arm))
    moving, turning = _seen(near, held, yielding)
    moving = geometry.Motion(*scope.slow(f"{name}.motion", *moving))
    mu = surface.friction if friction is None else total_friction(surface.friction, friction)
    sign = scope.parameter(f"{name}.side", block.tire.sign_on(side), "-", "-1: mounted on the other side than measured")
    x = {
        "rho": rho,
        "rho_rate": moving.rho_rate,
        "gamma": touch.gamma,
        "vx": moving.vx,
        "vy": moving.vy,
        "spin": rotor.spin,
        "friction": mu,
        "side": sign,
    }
    if model.turn_slip or model.transient:
        x["yaw_rate"] = dot(turning, surface.normal)
    if model.profile:
        x["drop"] = near.drop
    deflections, own = None, None
    kept: dict[str, Any] = {}
    if exponential and substeps:
        raise ModelError(f"tire {block.tire.name!r}: the exponential update needs no steps of its own (substeps)")
    rested = {}
    if model.transient:
        rested = {
            "rolled": scope.state(f"{name}.rolled", "-", "how far the contact is rolled at rest", role="drift"),
            "twist": scope.state(f"{name}.twist", "-", "how far the contact is twisted at rest", role="drift"),
        }
        x |= rested
    if model.transient and exponential:
        kept = {
            "u_next": scope.memory(f"{name}.u", "m", "longitudinal deflection of the contact", role="held"),
            "v_next": scope.memory(f"{name}.v", "m", "lateral deflection of the contact", role="held"),
            "vsx": scope.memory(f"{name}.vsx", "m/s", "longitudinal slip speed at the last evaluation", role="zero"),
            "vsy": scope.memory(f"{name}.vsy", "m/s", "lateral slip speed at the last evaluation", role="zero"),
        }
        x |= dict(zip(MEMORY_INPUTS, (*kept.values(), system.elapsed), strict=True))
        if yielding is not None and yielding.slip:
            along, across = _gone(scope.scope(name), yielding, touch)
            x |= {"u": x["u"] - along, "v": x["v"] + across}
    elif model.transient and substeps:
        own, given = SubSteps(scope.scope(name), substeps), dict(x)
        deflections = (own.u, own.v)
        x |= {"u": own.u, "v": own.v, "t_dt": own.step}
    elif model.transient:
        u = scope.state(f"{name}.u", "m", "longitudinal deflection of the contact", role="strain")
        v = scope.state(f"{name}.v", "m", "lateral deflection of the contact", role="strain")
        deflections = (u, v)
        x |= {"u": u, "v": v, "t_dt": system.t_dt}
    groups = numbers_of(scope.scope(name), block)
    scaled = tuple(factors or ())
    if factors:
        groups["s"] = list(factors.values())

    def evaluate(x: Mapping[str, Any]) -> dict[str, Any]:
        asked = {"x": [x[key] for key in inputs(model, exponential)], **groups}
        results = scope.call(lambda: model.leaf(scaled, exponential, yielding is not None), asked, block.tables)
        return {key: results[i] for i, key in enumerate(outputs(model, exponential, yielding is not None))}

    values = evaluate(x)
    tried: list[dict[str, Any]] = []
    if yielding is not None:
        for frame in yielding.frames:  # the last one acts
            tried.append(values)
            near = _approach(frame, rotor, ground, block, offset)
            held, touch, rho, place = near.touch, near.touch, near.rho, near.place
            seen, turning = _seen(near, held, yielding)
            found = {"rho": rho, "gamma": touch.gamma, "drop": near.drop, "yaw_rate": dot(turning, near.surface.normal)}
            found |= {"rho_rate": seen.rho_rate, "vx": seen.vx, "vy": seen.vy}
            # what brakes may depend on (slip control) is that of the pose before: braking chooses maps
            values = evaluate({**x, **found}) | {"radius": tried[0]["radius"]}
        values = _given_way(values, yielding, outside is None)
    if own is not None:
        own.advance(given, evaluate)
    elif deflections is not None:
        scope.derivative(deflections[0], values["u_rate"])
        scope.derivative(deflections[1], values["v_rate"])
        # while nothing leaks the contact stays and the wheel moves: u̇ = -Vsx, v̇ = +Vsy
        scope.strained(deflections[0], rotor.spin * values["radius"] - moving.vx)
        scope.strained(deflections[1], moving.vy)
    for key, state in rested.items():
        scope.derivative(state, values[f"{key}_rate"])
    for key, memory in kept.items():
        scope.next_memory(memory, values[key])
    if getattr(model, "disc_point", False):
        held = near.disc
    total = geometry.wrench(
        held, (values["fx"], values["fy"], values["fz"]), (values["mx"], values["my"], values["mz"])
    )
    if outside is not None:
        total = outside(touch, total)
    with system.implicit_loads():  # the stiff part of a linear-implicit step
        scope.force(carrier, total.force, at=at, axes=axes)
        rotor.external_torque(axes.express(total.moment, carrier))

    def told() -> dict[str, Any]:
        """A call of its own, so that only a channel pays for it."""
        known = {**x, **values}
        asked = {"x": [known[key] for key in told_inputs(model)], **groups}
        names = told_names(model)
        results = scope.call(lambda: told_leaf(model, scaled), asked, block.tables) if names else []
        return dict(zip(names, results, strict=True))

    changed = outside is not None
    return Mounted(block.tire, touch, moving, values, deflections, rho, mu, total, place, told, changed, tuple(tried))


def _hurried(velocity: Any, turning: Any, touch: geometry.Contact, yielding: Yielding) -> tuple[Any, Any]:
    """Velocities of a carrier with the known ones by which it gives way."""
    x, y, lean, wind, toe = yielding.speeds
    given = [lean * a + wind * b for a, b in zip(touch.forward, touch.axis, strict=True)]
    return add(velocity, [x, y, 0.0]), add(turning, add(given, [0.0, 0.0, toe]))


class _Approach(NamedTuple):
    """How a carrier meets the ground, in its native axes: its wheel centre and velocities, the surface, the contact."""

    axes: Any
    place: Any
    velocity: Any
    turning: Any
    surface: Any
    disc: geometry.Contact  # of the wheel's middle plane
    touch: geometry.Contact  # of its cross-section, where it has one
    rho: Any
    drop: Any


def _approach(carrier: Any, rotor: Gyrostat, ground: Ground, block: Block, offset: Any) -> _Approach:
    axes = carrier.native_axes
    place = [0.0, 0.0, 0.0] if axes is carrier else carrier.r
    velocity, turning = carrier.v_native, carrier.express(carrier.w, axes)
    if offset is not None:
        out = carrier.express([offset * a for a in rotor.axis], axes)
        place, velocity = add(place, out), add(velocity, cross(turning, out))
    axis = carrier.express(rotor.axis, axes)
    surface = aimed(ground, axes, axis).under(axes, place)
    disc = geometry.touch(axis, surface.normal, surface.height)
    if surface.arm is not None:
        disc = disc._replace(arm=surface.arm, radius=dot(surface.arm, surface.arm) ** 0.5)
    radius = block.parameters["UNLOADED_RADIUS"]
    touch, rho, drop = disc, radius - disc.radius, 0.0
    if block.profile is not None:
        shift, drop = block.profile(disc.gamma)[:2]
        touch, rho = geometry.touch_section(disc, surface.height, radius, shift, drop)
    return _Approach(axes, place, velocity, turning, surface, disc, touch, rho, drop)


def _seen(near: _Approach, held: geometry.Contact, yielding: Yielding | None) -> tuple[geometry.Motion, Any]:
    """Motion of a contact relative to the ground and turning of its carrier, which may give way."""
    velocity, turning = near.velocity, near.turning
    if yielding is not None and yielding.speeds:
        velocity, turning = _hurried(velocity, turning, near.touch, yielding)
    if near.surface.velocity is not None:  # relative to a ground that moves
        velocity = [v - g for v, g in zip(velocity, near.surface.velocity, strict=True)]
    return geometry.motion(held, velocity, turning), turning


def _given_way(values: dict[str, Any], yielding: Yielding, acts: bool) -> dict[str, Any]:
    """Forces and rates of a contact that also moves with its carrier: what the leaf found, which knew nothing of it,
    and the part that is linear in these speeds; ``fx_held`` and ``fy_held`` are the forces without."""
    found = values | {"fx_held": values["fx"], "fy_held": values["fy"]}
    if yielding.slip:
        along, across = yielding.slip
        if acts:
            found["fx"] = values["fx"] - values["damping_x"] * along
            found["fy"] = values["fy"] - values["damping_y"] * across
        if "u_rate" in values:
            found["u_rate"] = values["u_rate"] - values["haste_x"] * along
            found["v_rate"] = values["v_rate"] + values["haste_y"] * across
    return found


def _gone(scope: Scope, yielding: Yielding, touch: geometry.Contact) -> tuple[Any, Any]:
    """How far a contact went along and across its wheel with the carrier since the last evaluation."""
    names = (("gave_x", "m", "forward"), ("gave_y", "m", "to the left"), ("gave_lean", "rad", "about its x axis"))
    steps = []
    for (name, unit, doc), now in zip(names, yielding.moved, strict=True):
        before = scope.memory(name, unit, f"how far the carrier gave way {doc}, last evaluation", role="held")
        scope.next_memory(before, now)
        steps.append(if_else(scope.system.elapsed > 0, now - before, 0.0))  # a run begins where it is
    return geometry.contact_speeds(touch, steps)


def numbers_of(scope: Scope, block: Block) -> dict[str, list[Any]]:
    """The numbers of the tire of a wheel, in the groups of ``transient.make_leaf``.

    Those of the file are shared by its wheels. On each scaling factor the wheel has a parameter of its own, one by
    default; products, and what is derived from them, are computed when a parameter is set, not in a step.
    """
    model, shared = block.tire.model, block.parameters
    scaling = list(model.scalable())
    groups = {"p": [value for key, value in shared.items() if key not in scaling]}
    if not scaling:
        return groups | ({"d": list(block.derived.values())} if block.derived else {})
    docs = {c.name: c.doc for c in model.coefficients}
    scale, used, docs_derived = scope.scope("scale"), scope.scope("used"), model.derived_docs
    own = {
        key: scale.parameter(key, 1.0, "-", f"factor of this wheel on the {docs[key]}", low=LEAST.get(key))
        for key in scaling
    }
    groups["l"] = [used.derived(key, shared[key] * own[key], "-", f"{docs[key]}, on this wheel") for key in scaling]
    numbers = {**shared, **dict(zip(scaling, groups["l"], strict=True))}
    groups["d"] = [used.derived(key, value, *docs_derived[key]) for key, value in model.derived(numbers).items()]
    return groups


def out_of_range(p: Numbers, load: Any, kappa: Any, alpha: Any, gamma: Any) -> Any:
    """0 within the ranges of the file; else the sum of 1 (load), 2 (slip), 4 (slip angle), 8 (inclination)."""
    code: Any = 0.0
    for bit, value, low, high in (
        (1.0, load, "FZMIN", "FZMAX"),
        (2.0, kappa, "KPUMIN", "KPUMAX"),
        (4.0, alpha, "ALPMIN", "ALPMAX"),
        (8.0, gamma, "CAMMIN", "CAMMAX"),
    ):
        code = code + if_else(value < p[low], bit, 0.0) + if_else(value > p[high], bit, 0.0)
    return code
