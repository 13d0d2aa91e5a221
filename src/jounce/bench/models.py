"""The benchmark's models: a 14-DOF vehicle-like model, and the same with more axles or more units.

Body with six degrees of freedom; every corner has a carrier guided by a two-dimensional map (five outputs, cubic),
a spring and a damper table, a spinning wheel, a Magic Formula tire with first-order relaxation in both directions.
Data are made up (CC0); what matters is that nothing of a real map-and-tire car is missing from the step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.bench.magic_formula import COEFFICIENTS
from jounce.core.constants import GRAVITY
from jounce.core.tables import Table
from jounce.sim.build import recipe

MASS, UNSPRUNG, HEIGHT, RADIUS = 1400.0, 40.0, 0.55, 0.32
TIRE_STIFFNESS, TIRE_DAMPING = 220e3, 150.0
WHEELBASE, TRACK = 2.7, 1.55
SPEED = 25.0


@dataclass(frozen=True)
class AxlePlace:
    x: float  # m, ahead of the body's centre of mass
    steered: bool
    load: float  # N, static load of one wheel


def carrier_map(side: float, steered: bool) -> Table:
    """x, y, toe, camber, side-view angle over jounce and (rack travel | opposite jounce)."""
    jounce = np.linspace(-0.1, 0.1, 21)
    other = np.linspace(-0.08, 0.08, 17)
    j, s = np.meshgrid(jounce, other, indexing="ij")
    toe = (side * -0.06 * j - side * 0.3 * j**2) + ((6.5 * s + 8.0 * side * s**2) if steered else 0.01 * s)
    camber = side * (0.9 * j - 1.5 * j**2) + (side * 1.2 * s * s if steered else 0.02 * s)
    sva = 0.35 * j + 0.8 * j**2
    x = 0.04 * j + 0.6 * j**2 + (0.02 * s if steered else 0.0)
    y = side * (0.05 * j - 0.9 * j**2) + 0.01 * s
    values = np.stack([x, y, toe, camber, sva], axis=-1)
    return Table([jounce, other], values, method="cubic", extrapolation="linear")


def spring_table(load: float) -> Table:
    """Wheel-related spring force over jounce, with progressive stops; static load at zero."""
    jounce = np.linspace(-0.12, 0.12, 25)
    force = load + 22e3 * jounce + 6e7 * np.clip(np.abs(jounce) - 0.07, 0, None) ** 2.5 * np.sign(jounce)
    return Table([jounce], force, method="akima", extrapolation="linear")


def damper_table() -> Table:
    speed = np.array([-2.0, -1.0, -0.5, -0.2, -0.1, -0.05, 0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0])
    force = np.where(speed > 0, 1500.0, 2600.0) * 0.5 * np.tanh(speed / 0.25) + 700.0 * speed
    return Table([speed], force, method="akima", extrapolation="linear")


def add_axles(scope: Any, chassis: Any, height: Any, axles: Sequence[AxlePlace], tire: Any) -> None:
    """Corners L1, R1, L2, ... of one body. ``height`` = world height of the chassis origin."""
    for number, axle in enumerate(axles, start=1):
        corners = {side: scope.scope(f"{side}{number}") for side in "LR"}
        travel = {side: corners[side].coordinate("jounce", unit="m", on=chassis) for side in "LR"}
        for side, sign in (("L", 1.0), ("R", -1.0)):
            other = "R" if side == "L" else "L"
            second = scope.system.steer if axle.steered else travel[other][0]
            add_corner(corners[side], chassis, height, axle, sign, travel[side], second, tire)
        bar = scope.parameter(f"anti_roll_bar{number}", 15e3, "N/m", "anti-roll bar, wheel related")
        difference = bar * (travel["L"][0] - travel["R"][0])
        scope.generalized_force(travel["L"][1], -difference)
        scope.generalized_force(travel["R"][1], difference)


def add_corner(
    scope: Any, chassis: Any, height: Any, axle: AxlePlace, side: float, travel: Any, second: Any, tire: Any
) -> None:
    from jounce.symbolic.frames import cross, dot
    from jounce.symbolic.ops import cos, fmax, sin, smooth_abs, sqrt

    system = scope.system
    q, u = travel
    # Directions and the carrier's small side motions hardly matter for the stability of a step: held in its Jacobian.
    dx, dy, toe, camber, sva = scope.slow("guided", *scope.table("map", carrier_map(side, axle.steered))(q, second))
    place_x = scope.parameter("x", axle.x, "m", "wheel centre at design, ahead of the body's origin")
    place_y = scope.parameter("y", side * TRACK / 2, "m", "wheel centre at design, to the left")
    place_z = scope.parameter("z", RADIUS - HEIGHT, "m", "wheel centre at design, above the body's origin")
    place = [place_x + dx, place_y + dy, place_z + q]
    carrier = chassis.guided(f"{scope.prefix}carrier", place, (("z", toe), ("x", camber), ("y", sva)))
    mass = scope.parameter("mass", UNSPRUNG, "kg", "carrier and wheel")
    inertia = [scope.parameter(f"I{a}{a}", value, "kg.m2") for a, value in (("x", 0.8), ("y", 1.2), ("z", 0.8))]
    body = scope.body("carrier", carrier, mass, inertia)
    spin_inertia = scope.parameter("I_spin", 1.1, "kg.m2", "wheel about its axis")
    wheel = scope.gyrostat("wheel", body, (0, 1, 0), spin_inertia, initial=SPEED / RADIUS)

    # Everything of the contact in chassis axes: the ground's normal there is the free-fall direction reversed.
    normal = [-g / GRAVITY for g in chassis.gravity]
    axis = [-sin(toe) * cos(camber), cos(toe) * cos(camber), sin(camber)]
    forward = cross(axis, normal)
    length = sqrt(dot(forward, forward))  # cosine of the inclination
    forward = [f / length for f in forward]
    up = cross(forward, axis)  # in the wheel plane
    lateral = cross(normal, forward)
    cosine = dot(up, normal)
    gamma = dot(axis, normal)
    center_height = height + dot(normal, place)
    radius = center_height / cosine
    free_radius = scope.parameter("R0", RADIUS, "m", "unloaded radius")
    velocity = carrier.v_native
    w_carrier = carrier.express(carrier.w, chassis)
    arm = [-scope.slow("radius", radius) * k for k in up]
    v_contact = scope.slow("contact", *(a + b for a, b in zip(velocity, cross(w_carrier, arm), strict=True)))
    stiffness = scope.parameter("tire_stiffness", TIRE_STIFFNESS, "N/m")
    damping = scope.parameter("tire_damping", TIRE_DAMPING, "N.s/m")
    load = fmax(stiffness * (free_radius - radius) - damping * dot(v_contact, normal), 0.0)

    vx = dot(v_contact, forward)
    vy = dot(v_contact, lateral)
    rolling = scope.parameter("effective_radius", RADIUS - 0.008, "m")
    slip_x = vx - wheel.spin * rolling
    speed = smooth_abs(vx, 0.1)
    sigma_x = scope.parameter("sigma_x", 0.25, "m", "longitudinal relaxation length")
    sigma_y = scope.parameter("sigma_y", 0.45, "m", "lateral relaxation length")
    kappa = scope.state("kappa", "-", "lagged longitudinal slip")
    tan_alpha = scope.state("tan_alpha", "-", "lagged slip angle (tangent)")
    scope.derivative(kappa, (-slip_x - speed * kappa) / sigma_x)
    scope.derivative(tan_alpha, (vy - speed * tan_alpha) / sigma_y)
    coefficients = [scope.parameter(name, value) for name, value in COEFFICIENTS.items() if name != "R0"]
    r0 = list(COEFFICIENTS).index("R0")
    coefficients.insert(r0, free_radius)
    fx, fy, mx, my, mz = scope.call(tire, {"x": [load, kappa, tan_alpha, gamma], "p": coefficients})

    force = [fx * a + fy * b + load * c for a, b, c in zip(forward, lateral, normal, strict=True)]
    moment = [mx * a + my * b + mz * c for a, b, c in zip(forward, lateral, normal, strict=True)]
    total = [a + b for a, b in zip(cross(arm, force), moment, strict=True)]
    with system.implicit_loads():  # the stiff part of a linear-implicit step
        scope.force(carrier, force, axes=chassis)
        wheel.external_torque(chassis.express(total, carrier))
    wheel.torque(system.drive - system.brake * wheel.spin / smooth_abs(wheel.spin, 1.0))
    spring = scope.table("spring", spring_table(axle.load - UNSPRUNG * GRAVITY))
    damper = scope.table("damper", damper_table())
    scope.generalized_force(u, -spring(q) - damper(u))
    scope.output("fz", load, "N", "wheel load")
    scope.output("fy", fy, "N", "lateral force")
    scope.output("toe", toe, "rad", "steer angle of the wheel")


def _system(name: str) -> Any:
    from jounce.symbolic import System

    system: Any = System(name)
    system.steer = system.input("rack", "m", "rack travel", rate=True)
    system.drive = system.input("drive_torque", "N.m", "on every wheel")
    system.brake = system.input("brake_torque", "N.m", "on every wheel")
    return system


def _body(scope: Any, frame: Any, n_axles: int) -> None:
    mass = scope.parameter("mass", MASS * n_axles / 2, "kg", "sprung mass")
    moments = (("x", 500.0), ("y", 2200.0), ("z", 2400.0))
    inertia = [scope.parameter(f"I{a}{a}", value * n_axles / 2, "kg.m2") for a, value in moments]
    scope.body("chassis", frame, mass, inertia)
    drag = scope.parameter("drag", 0.4, "N.s2/m2", "½ρ c_w A")
    vx = frame.v[0]
    from jounce.symbolic.ops import smooth_abs

    scope.force(frame, [-drag * vx * smooth_abs(vx, 0.1), 0, 0])


def _places(n: int) -> list[AxlePlace]:
    load = (MASS * n / 2 / (2 * n) + UNSPRUNG) * GRAVITY
    return [AxlePlace(WHEELBASE * ((n - 1) / 2 - i), i == 0, load) for i in range(n)]


def _height(load: float) -> float:
    """Body height at which the tires carry the static load."""
    return HEIGHT - load / TIRE_STIFFNESS


@recipe
def vehicle(axles: int = 2) -> Any:
    """One body with n axles; two axles make the 14-DOF model."""
    from jounce.bench import magic_formula

    system = _system(f"vehicle_{axles}")
    places = _places(axles)
    body = system.free("chassis", initial=(0.0, 0.0, _height(places[0].load)))
    _set_speed(system, "chassis.vx")
    _body(system, body.frame, axles)
    add_axles(system, body.frame, body.frame.position[2], places, magic_formula.leaf())
    a = system.frame_acceleration(body.frame)
    system.output("chassis.ax", a[0], "m/s2", "acceleration of the centre of mass, body x")
    system.output("chassis.ay", a[1], "m/s2", "acceleration of the centre of mass, body y")
    system.output("chassis.speed", body.frame.v[0], "m/s", "forward speed", watch=True)
    system.output("chassis.yaw_rate", body.frame.w[2], "rad/s", "yaw rate", watch=True)
    return system


STIFF_STATES = ("*.wheel.spin", "*.kappa", "*.jounce", "*.jounce.rate")  # wheel spin, tire vertical dynamics


@recipe
def implicit_vehicle(axles: int = 2) -> Any:
    """The same with a linear-implicit step: wheel spin with tire slip, and the unsprung mass on the tire."""
    from jounce.symbolic.step import Step

    return vehicle(axles).generate(step=Step("velocity-first", states=STIFF_STATES, loads="marked"))


@recipe
def pair(hitch: bool) -> Any:
    """Two two-axle bodies, one behind the other; with ``hitch`` a ball coupling by constraint holds them together."""
    from jounce.bench import magic_formula

    system = _system("pair_hitched" if hitch else "pair")
    tire = magic_formula.leaf()
    frames = []
    for i, start in enumerate((0.0, -2 * WHEELBASE)):
        scope = system.scope(f"unit{i + 1}")
        places = [AxlePlace(p.x, False, p.load) for p in _places(2)]
        frames.append(scope.free("body", initial=(start, 0.0, _height(places[0].load))).frame)
        _set_speed(system, f"unit{i + 1}.body.vx")
        _body(scope, frames[-1], 2)
        add_axles(scope, frames[-1], frames[-1].position[2], places, tire)
    if hitch:
        system.coincide("hitch", frames[0], frames[1], (-WHEELBASE, 0, 0), (WHEELBASE, 0, 0))
    return system


@recipe
def train(units: int = 2, axles: int = 3) -> Any:
    """Articulated units of n axles each, coupled by ball joints, joined recursively."""
    from jounce.bench import magic_formula

    system = _system(f"train_{units}_{axles}")
    tire = magic_formula.leaf()
    places = [AxlePlace(p.x, False, p.load) for p in _places(axles)]
    half = WHEELBASE * axles / 2
    frame: Any = None
    for i in range(units):
        scope = system.scope(f"unit{i + 1}")
        if frame is None:
            frame = scope.free("body", initial=(0.0, 0.0, _height(places[0].load))).frame
            _set_speed(system, "unit1.body.vx")
        else:
            root = scope.unit("hitch", at=frame.fixed("coupling", (-half, 0, 0)))
            frame = scope.ball("body", root).frame.fixed("center", (-half, 0, 0))
        _body(scope, frame, axles)
        add_axles(scope, frame, frame.position[2], places if i else _places(axles), tire)
    return system


def _set_speed(system: Any, name: str) -> None:
    next(s for s in system.speeds if s.name == name).default = SPEED
