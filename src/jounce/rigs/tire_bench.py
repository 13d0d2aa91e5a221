"""The mechanisms of a tire test rig: one wheel on a carriage, with the compiled tire that cars are driven with.

    guided     the hub moves with constant speeds along x and y; toe ψ and inclination γ are imposed; the hub is
               free in z, pushed down by the preload and held by a damper, or locked at a height            (1)
    free       six degrees of freedom: x, y, z, yaw, roll and spin of a wheel that nothing holds            (2)

The spin is free, an input, or imposed so that the slip without lag is an input κ:

    Ω = Vx (1 + κ)/re,   Vx of the contact, re(ρ, Ω) by three iterations                                     (3)

In (1) there is no gravity: the preload is the whole force on the wheel. The wheel of (2) is a body of revolution, so
that its two transverse inertias are equal; the description by yaw and roll ends when it lies flat.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from jounce.components.tire import contact as geometry
from jounce.components.tire.base import Tire
from jounce.components.tire.external import External
from jounce.components.tire.mounted import Block, Mounted
from jounce.components.tire.wheel import declare, mount
from jounce.road.ground import Ground, Plane, Service
from jounce.symbolic import System
from jounce.symbolic.bodies import Gyrostat
from jounce.symbolic.frames import Frame, Vector
from jounce.symbolic.ops import atan, dot, fabs, fmax

Spin = Literal["free", "imposed", "slip"]

ITERATIONS = 3  # of (3): the radius grows by parts in a thousand with the spin
SPEED_FLOOR = 0.1  # m/s, of the speed that slips are related to


class Driven(Gyrostat):
    """A wheel whose spin is imposed: what turns it takes every torque."""

    def external_torque(self, vector: Vector) -> None:
        self.body.frame.system.torque(self.body.frame, vector)


@dataclass(frozen=True)
class Structure:
    """What changes the equations of the rig."""

    spin: Spin = "free"
    locked: bool = False
    road: bool = False  # a surface bound as a service, else a plane
    free: bool = False  # (2)
    substeps: int = 0  # steps of the contact deflections in a step of the rig; 0: they are integrated with it


def is_outside(tire: Tire) -> bool:
    """Whether the forces come from an outside function."""
    return isinstance(tire.model, External)


def bench(tire: Tire, structure: Structure) -> System:
    """The rig with a tire; ``tire.side`` is a parameter: -1 mirrors it (outside tires have none)."""
    return _free(tire, structure) if structure.free else _guided(tire, structure)


def _guided(tire: Tire, structure: Structure) -> System:
    system = System("tire_rig", gravity=(0.0, 0.0, 0.0))
    ground: Ground = Service.declare(system) if structure.road else Plane.declare(system)
    start = system.parameter("start", 0.0, "s", "instant at which the hub is at the origin")
    vx = system.parameter("speed", 20.0, "m/s", "of the hub, forward")
    vy = system.parameter("drift", 0.0, "m/s", "of the hub, to the left")
    toe = system.input("toe", "rad", "of the wheel, to the left", rate=True)
    camber = system.input("camber", "rad", "inclination, top to the right", rate=True)
    travelled = system.time - start
    if structure.locked:
        height = system.parameter("height", 0.3, "m", "of the hub")
        hub = system.world.guided("hub", (vx * travelled, vy * travelled, height))
        z, z_rate = height, 0.0
    else:
        carriage = system.world.guided("carriage", (vx * travelled, vy * travelled, 0.0))
        lift = system.prismatic("z", carriage, axis="z")
        hub, z, z_rate = lift.frame, lift.q[0], lift.u[0]
        preload = system.input("preload", "N", "force that pushes the hub down")
        damping = system.parameter("hub_damping", 1000.0, "N.s/m", "of the hub against the carriage")
        system.force(hub, (0.0, 0.0, -preload - damping * z_rate), axes=system.world)
    carrier = hub.guided("carrier", (0.0, 0.0, 0.0), (("z", toe), ("x", camber)))
    mass = system.parameter("mass", 20.0, "kg", "of hub and wheel")
    body = system.body("hub_body", carrier, mass, (1.0, 1.0, 1.0))
    block = declare(system, tire)
    inertia = system.parameter("spin_inertia", 1.0, "kg.m2", "of the wheel about its axis")
    if structure.spin == "free":
        wheel = system.gyrostat("wheel", body, "y", inertia)
        drive = system.input("drive", "N.m", "torque on the wheel")
        wheel.torque(drive)
    else:
        if structure.spin == "imposed":
            spin = system.input("spin", "rad/s", "of the wheel")
        else:
            spin = _spin_for(block, carrier, ground, system.input("kappa", "-", "slip without lag"))
        wheel = Driven("wheel", body, [0.0, 1.0, 0.0], inertia, spin)
    mounted = mount(system, block, wheel, ground, "left", substeps=structure.substeps)
    _outputs(system, mounted, wheel, toe)
    system.output("hub.height", z, "m", "height of the wheel centre")
    system.output("hub.x", vx * travelled, "m", "travelled distance")
    if not structure.locked:
        system.output("preload", preload, "N", "force that pushes the hub down")
    return system


def _free(tire: Tire, structure: Structure) -> System:
    system = System("free_wheel")
    ground: Ground = Service.declare(system) if structure.road else Plane.declare(system)
    x = system.prismatic("x", system.world, axis="x")
    y = system.prismatic("y", x.frame, axis="y")
    z = system.prismatic("z", y.frame, axis="z")
    yaw = system.revolute("yaw", z.frame, axis="z")
    roll = system.revolute("roll", yaw.frame, axis="x")
    across = system.parameter("inertia", 0.5, "kg.m2", "of the wheel about a diameter")
    about = system.parameter("spin_inertia", 1.0, "kg.m2", "of the wheel about its axis")
    mass = system.parameter("mass", 20.0, "kg", "of the wheel")
    body = system.body("wheel_body", roll.frame, mass, (across, about, across))
    wheel = system.gyrostat("wheel", body, "y", about)
    mounted = mount(system, declare(system, tire), wheel, ground, "left", substeps=structure.substeps)
    _outputs(system, mounted, wheel, yaw.q[0])
    for name, joint in (("x", x), ("y", y)):
        system.output(f"hub.{name}", joint.q[0], "m", f"{name} of the wheel centre")
    system.output("hub.height", z.q[0], "m", "height of the wheel centre")
    for name, joint in (("vx", x), ("vy", y), ("vz", z)):
        system.output(f"hub.{name}", joint.u[0], "m/s", "of the wheel centre, world axes")
    system.output("hub.roll", roll.q[0], "rad", "lean of the wheel, top to the right")
    system.output("kinetic_energy", system.kinetic_energy(), "J", "of the wheel")
    system.output("potential_energy", system.potential_energy(), "J", "of the wheel")
    return system


def _spin_for(block: Block, carrier: Frame, ground: Ground, kappa: Any) -> Any:
    """(3)"""
    axes = carrier.native_axes
    place = [0.0, 0.0, 0.0] if axes is carrier else carrier.r
    surface = ground.under(axes, place)
    touch = geometry.touch(carrier.express([0.0, 1.0, 0.0], axes), surface.normal, surface.height)
    p, drop = block.numbers, 0.0
    rho = p["UNLOADED_RADIUS"] - touch.radius
    if block.profile is not None:
        section = block.profile(touch.gamma)
        drop = section[1]
        touch, rho = geometry.touch_section(touch, surface.height, p["UNLOADED_RADIUS"], section[0], drop)
    moving = geometry.motion(touch, carrier.v_native, carrier.express(carrier.w, axes))
    if is_outside(block.tire):  # the radius of its slip channels
        return moving.vx * (1 + kappa) / (p["UNLOADED_RADIUS"] - p["RADIUS_DROP"] * fmax(rho, 0.0))
    spin = moving.vx / p["UNLOADED_RADIUS"]
    for _ in range(ITERATIONS):
        spin = moving.vx * (1 + kappa) / (block.tire.model.effective_radius(p, rho, spin) - drop)
    return spin


def _outputs(system: System, mounted: Mounted, wheel: Gyrostat, toe: Any) -> None:
    mounted.declare_outputs(system)
    moving, touch = mounted.motion, mounted.contact
    speed = fmax(fabs(moving.vx), SPEED_FLOOR)
    rolling = wheel.spin * mounted.values["radius"]
    system.output("tire.slip", (rolling - moving.vx) / speed, "-", "longitudinal slip without lag")
    system.output("tire.slip_angle", atan(moving.vy / speed), "rad", "slip angle without lag")
    system.output("tire.vy", moving.vy, "m/s", "speed of the contact to the left")
    system.output("tire.loaded_radius", touch.radius, "m", "from the wheel centre to the contact")
    system.output("tire.friction", mounted.friction, "-", "of the road")
    system.output("wheel.spin", wheel.spin, "rad/s", "of the wheel")
    torque = dot(mounted.wrench.moment, touch.axis)
    system.output("wheel.torque", torque, "N.m", "of the tire on the wheel about its axis")
    system.output("wheel.toe", toe, "rad", "of the wheel, to the left")
