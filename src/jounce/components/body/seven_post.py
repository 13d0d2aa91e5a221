"""A rig of posts: what holds the body, what pushes it, and actuators at the hubs; the car stands on it.

Pads under the tires are the ground itself, raised under each wheel (``road/inputs.py`` (1)); they are no part of this.
Forces are in axes of the world, with the centre of gravity r of the body, the point q of it that is at design below r
and at the height of the ground, its axes e_i, its angular velocity ω, and r⁰, q⁰, e⁰_i of the place where it is held.

    downforce     F_a downwards at three places of the body: front, rear left, rear right                        (1)
    stake         F = -k (q - q⁰) - c q̇ along x and y, M_z = -k_ψ δ_z - c_ψ ω_z,   δ = ½ Σ e⁰_i × e_i              (2)
    fixed body    F = -K (r - r⁰) - C ṙ and M = -K_φ δ - C_φ ω, in all six freedoms, at the centre of gravity      (3)
                  K = m Ω², C = 2 m Ω, K_φ and C_φ alike with its inertias, in its axes;  Ω = `held_frequency`
    hub, driven   F_z = s + k_p e + k_i ∫e dt + k_d ė at the wheel centre,  e = z⁰ + u - z                        (4)
    hub, loaded   the forces and moments of the inputs ``Testrig_Loadcase``; ``Tire_Force_z`` takes the place of (4)
                  where ``Deactivate_Vertical_Displacement_Control`` is 0                                          (5)

z⁰ and s are height and load of the wheel where it stood when the run began, u the command. Loads (5) are along the
heading of the wheel and to its left, in the horizontal: ``Tire_Force_x``, ``_y``, ``_z`` at the contact of a rigid
wheel, below its centre in its plane by the unloaded radius, ``Tire_Force_wc_x`` at the centre, moments free. All of (4)
and (5) comes in place of the tire's force, by its ports, so that compliance feels it; the brake bears the moment about
the spin axis, as it would of a braked wheel. While an equilibrium is sought the tires carry the car, and nothing of all
this acts.

The gains of (2) and (4) are numbers of this part; of (3) the body moves by F/K. The stake acts at the height of the
pads, where it has no lever against the tires: it moves no load, and a body that rolls about its axis hardly feels it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np

from jounce.components.basics import Array
from jounce.components.body.attached import CHASSIS, cross, dot, frame_of, local, minus, plus
from jounce.components.model import VehicleModel, WheelModel
from jounce.components.part import Part, Symbols, derived
from jounce.components.places import Place, VehiclePlace
from jounce.components.settings import Statics
from jounce.core.fields import choice, quantity
from jounce.symbolic.ops import cos, sin, sqrt

GROUP, LOADS = "Seven_Post", "Testrig_Loadcase"
ACTUATORS = ("F", "RL", "RR")
AXIS = "xyz"


def code(words: str) -> str:
    """A wheel in the names of the rig: FL, FR, RL, RR; others by their words."""
    end, _, side = words.partition("_")
    return {"front": "F", "rear": "R"}.get(end, f"{end}_") + {"left": "L", "right": "R"}.get(side, side)


class PostRig(Part):
    """What a rig of posts does to a car."""

    kind: Literal["seven_post"] = choice("seven_post", doc="kind of part")
    hubs: bool = choice(False, doc="actuators at the hubs, and the tires do nothing; otherwise pads under the tires")
    fixed: bool = choice(False, doc="hold the body in all six freedoms; otherwise in x, y and yaw")
    active: float = quantity("-", 0.0, ge=0, le=1, doc="1: the rig acts; 0 while an equilibrium is sought")
    stake_x: float = quantity("N/m", 1e5, ge=0, typical=(0.0, 1e8), doc="stiffness of the stake along x")
    stake_y: float = quantity("N/m", 1e5, ge=0, typical=(0.0, 1e8), doc="stiffness of the stake along y")
    stake_yaw: float = quantity("N.m/rad", 1e5, ge=0, typical=(0.0, 1e8), doc="stiffness of the stake about z")
    stake_damping: float = quantity("s", 0.03, ge=0, typical=(0.0, 1.0), doc="damping of the stake over its stiffness")
    held_frequency: float = quantity("Hz", 30.0, gt=0, typical=(5.0, 60.0), doc="how stiffly a fixed body is held")
    hub_kp: float = quantity("N/m", 2e6, ge=0, typical=(0.0, 1e8), doc="of actuators at the hubs")
    hub_ki: float = quantity("N/(m.s)", 2e7, ge=0, typical=(0.0, 1e9), doc="of actuators at the hubs")
    hub_kd: float = quantity("N.s/m", 1e4, ge=0, typical=(0.0, 1e6), doc="of actuators at the hubs")
    front_x: float = quantity("m", 0.0, typical=(0.0, 10.0), doc="of the front downforce actuator at design")
    front_y: float = quantity("m", 0.0, typical=(0.0, 3.0), doc="of the front downforce actuator at design")
    front_z: float = quantity("m", 0.3, typical=(0.0, 3.0), doc="of the front downforce actuator at design")
    rear_left_x: float = quantity("m", -2.7, typical=(0.0, 20.0), doc="of the rear left downforce actuator at design")
    rear_left_y: float = quantity("m", 0.5, typical=(0.0, 3.0), doc="of the rear left downforce actuator at design")
    rear_left_z: float = quantity("m", 0.3, typical=(0.0, 3.0), doc="of the rear left downforce actuator at design")
    rear_right_x: float = quantity("m", -2.7, typical=(0.0, 20.0), doc="of the rear right downforce actuator at design")
    rear_right_y: float = quantity("m", -0.5, typical=(0.0, 3.0), doc="of the rear right downforce actuator at design")
    rear_right_z: float = quantity("m", 0.3, typical=(0.0, 3.0), doc="of the rear right downforce actuator at design")

    # -- numbers -----------------------------------------------------------------------------------------------------

    @derived("m", doc="from the origin of the chassis", label="front", at="vehicle")
    def at_F(self, place: VehiclePlace) -> Array:  # by the names of the actuators
        return local(CHASSIS, np.array([self.front_x, self.front_y, self.front_z]), place)

    @derived("m", doc="from the origin of the chassis", label="rear_left", at="vehicle")
    def at_RL(self, place: VehiclePlace) -> Array:
        return local(CHASSIS, np.array([self.rear_left_x, self.rear_left_y, self.rear_left_z]), place)

    @derived("m", doc="from the origin of the chassis", label="rear_right", at="vehicle")
    def at_RR(self, place: VehiclePlace) -> Array:
        return local(CHASSIS, np.array([self.rear_right_x, self.rear_right_y, self.rear_right_z]), place)

    @derived("m", doc="where the stake acts, from the origin of the chassis", label="stake", at="vehicle")
    def stake_place(self, place: VehiclePlace) -> Array:
        x, y, _ = place.units[0].origins[""]
        return local(CHASSIS, np.array([x, y, 0.0]), place)

    @derived("kg", doc="of the sprung mass, for the stiffness of a fixed body", low=0.0, at="vehicle")
    def held_mass(self, place: VehiclePlace) -> float:
        return float(place.units[0].data.body.sprung()[0][0])

    @derived("kg.m2", doc="of the sprung mass about its axes, for the stiffness of a fixed body", at="vehicle")
    def held_inertia(self, place: VehiclePlace) -> Array:
        return np.asarray(np.diag(np.asarray(place.units[0].data.body.sprung()[0][2])))

    def at_rest(self, options: Statics, place: Place) -> dict[str, float]:
        return {"active": 0.0}

    # -- phases ------------------------------------------------------------------------------------------------------

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        for wheel in at.wheels.values() if self.hubs else ():
            for k, kind in enumerate(("Force", "Moment")):
                for i, axis in enumerate(AXIS):
                    flag_name = f"Subsystem_Activation.Tire_{kind}_{axis}.{wheel.place.name}"
                    at.signals.provide(flag_name, lambda: 1.0 - p.active, "the actuators at the hubs")
                    name = f"Tire_{kind}.{kind[0]}{axis}.{wheel.place.name}"
                    acts = partial(self._component, at, p, wheel, k, i)
                    at.signals.add(name, acts, "the actuators at the hubs")
            if wheel.axle.place.data.brake is not None:
                held = partial(self._held, at, p, wheel)
                at.signals.add(f"Brake_System.brk_mmag_unsign.{wheel.place.name}", held, "the actuators at the hubs")

    def frames(self, at: VehicleModel, p: Symbols) -> None:
        for name in ACTUATORS:
            p.kept[name] = at.root.input(
                f"posts.downforce_{name}", "N", "of a downforce actuator on the body, downwards"
            )
        for wheel in at.wheels if self.hubs else ():
            doc = "of the hub above where it stood, wanted of its actuator"
            p.kept[wheel] = at.root.input(f"posts.hub_{wheel}", "m", doc, rate=True, in_statics=False)

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        chassis = frame_of(at, CHASSIS)[0]
        for name, place in zip(ACTUATORS, (p.at_F, p.at_RL, p.at_RR), strict=True):  # (1)
            at.system.force(chassis, [0.0, 0.0, -p.kept[name]], at=place, axes=at.system.world)
        force, moment = self._holding(at, p)
        where = [0.0, 0.0, 0.0] if self.fixed else p.stake_place
        at.system.force(chassis, force, at=where, axes=at.system.world)
        at.system.torque(chassis, moment, axes=at.system.world)
        p.kept.update(force=force, moment=moment)
        for wheel in at.wheels if self.hubs else ():
            summed, error = p.kept[f"error {wheel}"]
            at.root.scope(p.own_name).derivative(summed, p.active * error)

    def _holding(self, at: VehicleModel, p: Symbols) -> tuple[list[Any], list[Any]]:
        """Force where it acts and moment, world axes."""
        chassis = frame_of(at, CHASSIS)[0]
        held = [p.constant(f"place_{axis}", 0.0, "m", "where the body is held, world") for axis in AXIS]
        yaw, pitch, roll = (
            p.constant(f"place_{name}", 0.0, "rad", "how it is held") for name in ("yaw", "pitch", "roll")
        )
        away = minus(chassis.position, held)
        v, w = chassis.to_world(chassis.v), chassis.to_world(chassis.w)
        turn = [0.0, 0.0, 0.0]
        for unit, there in zip(
            ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]), _axes(yaw, pitch, roll), strict=True
        ):
            turn = plus(turn, [0.5 * part for part in cross(there, chassis.to_world(unit))])  # δ of (2)
        if self.fixed:  # (3)
            fast = 2 * np.pi * p.held_frequency
            k, c = p.held_mass * fast * fast, 2 * p.held_mass * fast
            force = [-p.active * (k * d + c * rate) for d, rate in zip(away, v, strict=True)]
            own = zip(p.held_inertia, chassis.from_world(turn), chassis.w, strict=True)
            moment = [-p.active * i * (fast * fast * d + 2 * fast * rate) for i, d, rate in own]
            return force, chassis.to_world(moment)
        point, v = chassis.point(p.stake_place), chassis.to_world(chassis.point_velocity(p.stake_place))
        stiff = (p.stake_x, p.stake_y)  # (2)
        force = [
            -p.active * k * (here - there + p.stake_damping * rate)
            for k, here, there, rate in zip(stiff, point, held, v, strict=False)
        ]
        return [*force, 0.0], [0.0, 0.0, -p.active * p.stake_yaw * (turn[2] + p.stake_damping * w[2])]

    def _component(self, at: VehicleModel, p: Symbols, wheel: WheelModel, kind: int, axis: int) -> Any:
        """A component of the force (kind 0) or the moment at the wheel centre, axes of the wheel (ISO-C)."""
        if f"wrench {wheel.place.name}" not in p.kept:
            p.kept[f"wrench {wheel.place.name}"] = self._at_hub(at, p, wheel)
        return p.kept[f"wrench {wheel.place.name}"][kind][axis]

    def _held(self, at: VehicleModel, p: Symbols, wheel: WheelModel) -> Any:
        """What the brake bears of the loads at a wheel, so that it does not turn: the moment about its axis."""
        return -self._component(at, p, wheel, 1, 1)

    def _at_hub(self, at: VehicleModel, p: Symbols, wheel: WheelModel) -> tuple[list[Any], list[Any]]:
        """What acts at the centre of a wheel (4), (5)."""
        name, carrier = wheel.place.name, wheel.carrier
        stood = p.constant(f"height_{name}", 0.0, "m", "of the wheel where it stood, world")
        carried = p.constant(f"load_{name}", 0.0, "N", "of the wheel where it stood")
        wanted = p.kept[name]
        error = stood + wanted - carrier.position[2]
        rate = at.system.rate_of(wanted) - carrier.to_world(carrier.v)[2]
        summed = at.root.scope(p.own_name).state(f"error_{name}", "m.s", "error of the hub, summed up", role="zero")
        p.kept[f"error {name}"] = summed, error
        lift = p.active * (carried + p.hub_kp * error + p.hub_ki * summed + p.hub_kd * rate)  # (4)
        given = {key: at.outside(f"{LOADS}.{key}.{name}", unit, doc, "added") for key, (unit, doc) in INPUTS.items()}
        doc = "1 keeps, 0 stops the control of the height of the hub"
        keeps = at.outside(f"{LOADS}.{CONTROL}.{name}", "-", doc, "flag", 1.0)
        value = {key: 0.0 if load is None else load for key, load in given.items()}
        free = 0.0 if keeps is None else 1.0 - keeps
        up = [0.0, 0.0, 1.0]
        axle = carrier.to_world([0.0, 1.0, 0.0])
        ahead = _unit(cross(axle, up))
        left = cross(up, ahead)
        below = minus([dot(axle, up) * part for part in axle], up)  # downwards in the plane of the wheel
        radius = at.blocks[id(at.tires[name])].parameters["UNLOADED_RADIUS"]
        arm = [radius * part for part in _unit(below)]
        at_contact = [
            value["Tire_Force_x"] * a + value["Tire_Force_y"] * b + free * value["Tire_Force_z"] * c
            for a, b, c in zip(ahead, left, up, strict=True)
        ]
        at_centre = [value["Tire_Force_wc_x"] * a + (1.0 - free) * lift * c for a, c in zip(ahead, up, strict=True)]
        moment = [
            value["Tire_Moment_x"] * a + value["Tire_Moment_y"] * b + value["Tire_Moment_z"] * c
            for a, b, c in zip(ahead, left, up, strict=True)
        ]
        p.kept[f"jack {name}"] = (1.0 - free) * lift + free * value["Tire_Force_z"]
        along = (value["Tire_Force_x"] + value["Tire_Force_wc_x"], value["Tire_Force_y"], value["Tire_Moment_z"])
        p.kept[f"loads {name}"] = along
        axes = (ahead, axle, cross(ahead, axle))
        force, moment = plus(at_contact, at_centre), plus(moment, cross(arm, at_contact))  # (5)
        return [dot(force, axis) for axis in axes], [dot(moment, axis) for axis in axes]

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        for kind, unit in (("force", "N"), ("moment", "N.m")):
            for axis, value in zip("XYZ", p.kept[kind], strict=True):
                at.channel(f"{GROUP}.Holding_{kind.capitalize()}_{axis}", value, unit, "on the body, world axes")
        held = frame_of(at, CHASSIS)[0].point([0.0, 0.0, 0.0] if self.fixed else p.stake_place)
        for axis, value in zip("XYZ", held, strict=True):
            at.channel(f"{GROUP}.Held_{axis}", value, "m", "point of the body that is held, world axes")
        for name in ACTUATORS:
            at.channel(f"sevenpost.{name}_aero", p.kept[name], "N", "of a downforce actuator, with compensation")
        for wheel in at.wheels.values():
            self._tell_wheel(at, p, wheel)

    def _tell_wheel(self, at: VehicleModel, p: Symbols, wheel: WheelModel) -> None:
        words, name, carrier = wheel.place.words, wheel.place.name, wheel.carrier
        height = carrier.position[2]
        at.channel(f"Global_upright_vel.{words}", carrier.to_world(carrier.v)[2], "m/s", "of the hub, upwards")
        moved = carrier.to_world(at.system.frame_acceleration(carrier))[2]
        at.channel(f"Global_upright_acc.{words}", moved, "m/s2", "of the hub, upwards, without gravity")
        stood = p.constant(f"height_{name}", 0.0, "m", "of the wheel where it stood, world")
        at.channel(f"Global_upright_disp.{words}", height - stood, "m", "of the hub above where it stood")
        if self.hubs:
            jack = p.kept[f"jack {name}"]
            for word, value, unit in zip(
                ("long", "lat", "align"), p.kept[f"loads {name}"], ("N", "N", "N.m"), strict=True
            ):
                at.channel(
                    f"testrig.wheel_load_{word}.{words}", value, unit, "that acts, along the heading of the wheel"
                )
        else:
            axes = carrier.native_axes
            tires = [mounted for mounted in (wheel.tire, wheel.twin) if mounted is not None]
            jack = sum(axes.to_world(mounted.wrench.force)[2] for mounted in tires)
        at.channel(f"testrig.jack_vertical_force.{words}", jack, "N", "of the actuator on the car, upwards")
        at.channel(f"testrig.wheel_travel_wrt_design.{words}", wheel.travel, "m", "from design, compression positive")
        if wheel.road_height is not None:
            rate = at.system.rate_of(wheel.road_height)
            at.channel(f"Global_pad_disp.{words}", wheel.road_height, "m", "of the pad, upwards")
            at.channel(f"Global_pad_vel.{words}", rate, "m/s", "of the pad, upwards")


CONTROL = "Deactivate_Vertical_Displacement_Control"
INPUTS = {
    "Tire_Force_wc_x": ("N", "along the heading of the wheel, at its centre"),
    "Tire_Force_x": ("N", "along the heading of the wheel, at the contact of a rigid wheel"),
    "Tire_Force_y": ("N", "to the left of the wheel, at the contact of a rigid wheel"),
    "Tire_Force_z": ("N", "upwards, at the contact of a rigid wheel, where the control of the height is stopped"),
    "Tire_Moment_x": ("N.m", "about the heading of the wheel"),
    "Tire_Moment_y": ("N.m", "about the left of the wheel"),
    "Tire_Moment_z": ("N.m", "upwards"),
}


def _axes(yaw: Any, pitch: Any, roll: Any) -> list[list[Any]]:
    """The axes of a body by its angles 3-2-1, in world axes."""
    a, b, c = cos(yaw), cos(pitch), cos(roll)
    x, y, z = sin(yaw), sin(pitch), sin(roll)
    return [
        [a * b, x * b, -y],
        [a * y * z - x * c, x * y * z + a * c, b * z],
        [a * y * c + x * z, x * y * c - a * z, b * c],
    ]


def _unit(vector: Any) -> list[Any]:
    length = sqrt(dot(vector, vector))
    return [part / length for part in vector]
