"""A tire on a wheel of a mechanism: parameters, contact, one call of the leaf function, loads, states, channels.

    block = declare(scope, tire)                         once per tire file: the numbers, shared by its wheels
    mounted = mount(corner, block, rotor, ground, "left")        once per wheel: acts on the rotor and its carrier

Everything is computed in the axes in which the carrier's velocity is native (those of the chassis for a carrier
guided by maps), so that a wheel on a plane needs no rotation into the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jounce.components.tire import contact as geometry
from jounce.components.tire import external
from jounce.components.tire.base import Numbers, Tire, total_friction
from jounce.components.tire.external import External
from jounce.components.tire.mounted import Block, Mounted
from jounce.components.tire.transient import inputs, outputs
from jounce.core.errors import ModelError
from jounce.road.ground import Ground
from jounce.symbolic.bodies import Gyrostat
from jounce.symbolic.ops import dot, if_else
from jounce.symbolic.system import Scope

__all__ = ["Block", "Mounted", "declare", "mount", "out_of_range"]


def declare(scope: Scope, tire: Tire, name: str = "tire") -> Block:
    """Declare the numbers of a tire as parameters ``name.KEY``, one behind the other, and its curves as tables."""
    own = scope.scope(name)
    model = tire.model
    parameters = {c.name: own.parameter(c.name, tire.values[c.name], c.unit, c.doc) for c in model.coefficients}
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
    factors : factors on numbers of the tire for this wheel, for example inputs: {"LKY": ...}; ``model.scalable()`` says
        which. They are further arguments of the compiled function; what all wheels share stays shared
    """
    model, system = block.tire.model, scope.system
    if isinstance(model, External):
        return external.mount(scope, block, rotor, ground, side, friction=friction, name=name)
    carrier = rotor.body.frame
    axes = carrier.native_axes
    place = [0.0, 0.0, 0.0] if axes is carrier else carrier.r
    surface = ground.under(axes, place)
    touch = geometry.touch(carrier.express(rotor.axis, axes), surface.normal, surface.height)
    disc, drop = touch, 0.0
    rho = block.parameters["UNLOADED_RADIUS"] - touch.radius
    if block.profile is not None:
        section = block.profile(touch.gamma)
        shift, drop = section[0], section[1]
        touch, rho = geometry.touch_section(disc, surface.height, block.parameters["UNLOADED_RADIUS"], shift, drop)
    # Directions change slowly against the spin and the jounce: held in the Jacobian of a linear-implicit step.
    held = touch._replace(arm=scope.slow(f"{name}.arm", *touch.arm))
    moving = geometry.motion(held, carrier.v_native, carrier.express(carrier.w, axes))
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
    if model.turn_slip:
        x["yaw_rate"] = dot(carrier.express(carrier.w, axes), surface.normal)
    if model.profile:
        x["drop"] = drop
    deflections = None
    if model.transient:
        u = scope.state(f"{name}.u", "m", "longitudinal deflection of the contact")
        v = scope.state(f"{name}.v", "m", "lateral deflection of the contact")
        deflections = (u, v)
        x |= {"u": u, "v": v, "t_dt": system.t_dt}
    groups = {"x": [x[key] for key in inputs(model)], "p": list(block.parameters.values())}
    if block.derived:
        groups["d"] = list(block.derived.values())
    scaled = tuple(factors or ())
    if factors:
        groups["s"] = list(factors.values())
    results = scope.call(lambda: model.leaf(scaled), groups, block.tables)
    values = {key: results[i] for i, key in enumerate(outputs(model))}
    if deflections is not None:
        scope.derivative(deflections[0], values["u_rate"])
        scope.derivative(deflections[1], values["v_rate"])
    if getattr(model, "disc_point", False):
        held = disc
    total = geometry.wrench(
        held, (values["fx"], values["fy"], values["fz"]), (values["mx"], values["my"], values["mz"])
    )
    with system.implicit_loads():  # the stiff part of a linear-implicit step
        scope.force(carrier, total.force, axes=axes)
        rotor.external_torque(axes.express(total.moment, carrier))
    return Mounted(block.tire, touch, moving, values, deflections, rho, mu, total)


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
