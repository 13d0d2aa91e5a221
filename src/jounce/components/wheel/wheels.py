"""The wheels of an axle: carrier and wheel as bodies, one tire or two on each hub.

A second tire sits on the same hub at an offset b outwards along the spin axis ŝ (to the left): with the origin of the
carrier in the centre p of the first tire, σ = +1 on the left and -1 on the right side,

    p₂ = p + σ b ŝ,   v₂ = v + ω × σ b ŝ,   Ω₂ = Ω                                                             (1)
    M = M₁ + M₂ + σ b ŝ × F₂                            both at the hub                                       (2)

Ground, slip, deflections of the contact and friction are its own. As b ŝ × F₂ is across ŝ, each tire acts on the spin
by its own moment only. A hub that rolls freely turns with a speed at which its tires drive and brake it equally; with
slip stiffnesses about proportional to the loads,

    Ω = v Σ Fz_i R_i / Σ Fz_i R_i²                                                                            (3)

A run may drop or give components of force and moment of a tire, in the axes of the wheel at its centre.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import model_validator

from jounce.components.basics import Array, Subsystem, check_inertia, on_side
from jounce.components.model import AxleModel, WheelModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import WheelPlace
from jounce.components.settings import Statics
from jounce.components.tire.base import FRICTION_UNUSED, Tire
from jounce.core.errors import ParameterError
from jounce.core.fields import Data, flag, part, quantity, reference
from jounce.core.references import FileReference
from jounce.symbolic.frames import cross, dot
from jounce.symbolic.ops import atan, atan2, fmax, if_else, sqrt

if TYPE_CHECKING:
    from jounce.components.tire import contact as geometry
    from jounce.components.tire.mounted import Mounted

STANDING = 1e-6  # m/s, below which a direction of motion means nothing

# Channels of what a tire tells besides its forces (``tire/told``).
TOLD = {
    "sigma_kappa": ("Longitudinal_Relaxation_Length", "at this load, for small slip"),
    "sigma_alpha": ("Lateral_Relaxation_Length", "at this load, for small slip"),
    "trail": ("Pneumatic_Trail", "of the lateral force behind the wheel; negative in reverse"),
}


class TwinTire(Data):
    """A second tire on the same hub, outside the first: it spins with it and has a contact of its own."""

    offset: float = quantity(
        "m", gt=0, typical=(0.1, 0.8), doc="from the centre of the first tire outwards to that of the second"
    )
    tire: FileReference | None = reference(
        "tires", ".tir", None, doc="its property file, or a name of the library; absent: that of the first tire"
    )
    spin_inertia_is_assembly: bool = flag(
        False, doc="`spin_inertia` is that of the whole hub; else it is that of one tire with its rim and counts twice"
    )


class Wheels(Subsystem):
    """The wheels of an axle with their carriers and tires."""

    level: ClassVar[Level] = "axle"
    rank: ClassVar[int] = 3

    unsprung_mass: float = quantity(
        "kg", gt=0, typical=(0.5, 1500.0), doc="one wheel and the part of the suspension that moves with it"
    )
    ixx: float = quantity(
        "kg.m2", gt=0, typical=(1e-3, 500.0), doc="inertia of carrier and wheel about x, through the wheel centre"
    )
    iyy: float = quantity("kg.m2", gt=0, typical=(1e-3, 500.0), doc="the same about y")
    izz: float = quantity("kg.m2", gt=0, typical=(1e-3, 500.0), doc="the same about z")
    spin_inertia: float = quantity(
        "kg.m2", gt=0, typical=(1e-3, 100.0), doc="all that spins with one wheel: tire, rim, disc, shaft"
    )
    wheel_centre_height: float = quantity(
        "m", gt=0, typical=(0.08, 1.2), doc="wheel centre above ground at design, where travel is zero"
    )
    tire: FileReference = reference("tires", ".tir", doc="tire property file, or the name of a tire of the library")
    twin: TwinTire | None = part(None, doc="a second tire on each side; then masses are those of both")
    right: Wheels | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_inertia(np.diag([self.ixx, self.iyy, self.izz]))
        return self

    @property
    def hub_spin_inertia(self) -> float:
        """Of all that spins on one side, kg m²."""
        twice = self.twin is not None and not self.twin.spin_inertia_is_assembly
        return 2 * self.spin_inertia if twice else self.spin_inertia

    @property
    def twin_tire(self) -> FileReference | None:
        """Property file of the second tire, if there is one."""
        return None if self.twin is None else self.twin.tire or self.tire

    # -- the model ---------------------------------------------------------------------------------

    @derived("kg.m2", doc="all that spins", low=1e-6, label="spin_inertia", at="wheel")
    def spinning(self, place: WheelPlace) -> float:
        return self.hub_spin_inertia

    def bodies(self, place: Any) -> Iterator[tuple[float, Array, Array]]:
        for wheel in place.wheels:
            own = on_side(self, wheel.side)
            yield own.unsprung_mass, wheel.centre, np.diag([own.ixx, own.iyy, own.izz])

    def groups(self, place: Any) -> Iterator[tuple[str, Data]]:
        if isinstance(place, WheelPlace) and self.twin is not None:
            yield place.twin, self.twin

    def frames(self, at: AxleModel, p: Symbols) -> None:
        for wheel in at.wheels:
            own = wheel.symbols(on_side(self, wheel.place.side))
            inertia = [own.ixx, own.iyy, own.izz]
            at.unit.masses.append((wheel.carrier, own.unsprung_mass))
            body = wheel.scope.body("carrier", wheel.carrier, own.unsprung_mass, inertia)
            wheel.rotor = wheel.scope.gyrostat("wheel", body, "y", own.spinning)

    def declare(self, at: AxleModel, p: Symbols) -> None:
        for wheel in at.wheels:
            data = on_side(self, wheel.place.side)
            wheel.tire = _mount(wheel, wheel.place.name)
            if data.twin is not None:
                offset = wheel.vehicle.symbols(data.twin, wheel.place.twin).offset
                wheel.twin = _mount(wheel, wheel.place.twin, wheel.place.outwards * offset)
            wheel.scope.rolls(wheel.rotor.spin, _rolling(wheel))

    def connect(self, at: AxleModel, p: Symbols) -> None:
        """A damping of the spin that only the search for equilibrium switches on."""
        for wheel in at.wheels:
            own = wheel.symbols(on_side(self, wheel.place.side))
            damping = own.constant("statics.spin_damping", 0.0, "N.m.s/rad", "of the wheel's spin", low=0.0)
            wheel.rotor.torque(-damping * wheel.rotor.spin)

    def at_rest(self, options: Statics, place: Any) -> dict[str, float]:
        return {"statics.spin_damping": options.brake_damping} if isinstance(place, WheelPlace) else {}

    def tell(self, at: AxleModel, p: Symbols) -> None:
        for wheel in at.wheels:
            _tell_wheel(wheel)
            _tell_tire(wheel, wheel.place.name, wheel.tire)
            if wheel.twin is not None:
                _tell_tire(wheel, wheel.place.twin, wheel.twin)

    def remarks(self) -> Iterator[tuple[str, str]]:
        for path, data in (("", self), ("right.", self.right)):
            if data is not None and data.iyy < data.hub_spin_inertia:
                both = " of both tires" if data.twin is not None else ""
                spin = data.hub_spin_inertia
                text = f"{data.iyy:g} kg.m2, less than the spin inertia{both}, {spin:g} kg.m2, which is a part of it"
                yield f"{path}iyy", text


def _mount(here: WheelModel, place: str, offset: Any = None) -> Mounted:
    """A tire on a wheel, at an offset to the left of its centre; ``place``: name of the tire."""
    from jounce.components.tire import wheel as tires  # with all that mounting needs: not to be loaded with the data

    vehicle = here.vehicle
    tire, scope = vehicle.tires[place], vehicle.scope(place)
    if id(tire) not in vehicle.blocks:
        vehicle.blocks[id(tire)] = tires.declare(vehicle.root, tire, vehicle.block_names[id(tire)])
    friction = scope.parameter("tire_mu", 0.0, "-", "factor on the road's friction; about 0: not used")
    doc = "factor on the road's friction; about 0: not used"
    given = vehicle.outside(f"Friction.tire_mu.{here.place.name}", "-", doc, "scale")
    if given is not None:
        friction = if_else(given > FRICTION_UNUSED, given, friction)
    return tires.mount(
        scope,
        vehicle.blocks[id(tire)],
        here.rotor,
        vehicle.grounds[place],
        "left" if here.place.side == "L" else "right",
        friction=friction,
        factors=_factors(here, scope, tire, place),
        offset=offset,
        exponential=vehicle.choices.relaxation == "exact",
        outside=_outside_forces(here) if place == here.place.name else None,
        yielding=here.yielding,
    )


def _outside_forces(here: WheelModel) -> Callable[[geometry.Contact, geometry.Wrench], geometry.Wrench] | None:
    """Components of force and moment at the wheel centre, in axes of the wheel (ISO-C), that a run drops or gives."""
    vehicle, place = here.vehicle, here.place.name
    names = [
        (f"Subsystem_Activation.Tire_{kind}_{axis}.{place}", f"Tire_{kind}.{letter}{axis}.{place}", unit)
        for kind, letter, unit in (("Force", "F", "N"), ("Moment", "M", "N.m"))
        for axis in "xyz"
    ]

    def given(touch: geometry.Contact, internal: geometry.Wrench) -> geometry.Wrench:
        from jounce.components.tire import contact as geometry

        axes = (touch.forward, touch.axis, touch.up)
        parts = [*geometry.to_wheel_axes(touch, internal.force), *geometry.to_wheel_axes(touch, internal.moment)]
        parts = [
            vehicle.through(part, unit, f"tire {flag.split('.')[1]} at the wheel centre", added=added, flag=flag)
            for part, (flag, added, unit) in zip(parts, names, strict=True)
        ]
        force, moment = (
            [sum(component * axis[i] for component, axis in zip(three, axes, strict=True)) for i in range(3)]
            for three in (parts[:3], parts[3:])
        )
        return geometry.Wrench(force, moment)

    for flag_name, added, unit in names:  # offered even where nobody opens them
        vehicle.outside(flag_name, "-", "1 keeps, 0 drops this component of the tire's force", "flag", 1.0)
        vehicle.outside(added, unit, "added to the tire's at the wheel centre, axes of the wheel", "added")
    return given if vehicle.is_open(*(name for item in names for name in item[:2])) else None


def _factors(here: WheelModel, scope: Any, tire: Tire, place: str) -> dict[str, Any]:
    """Inputs ``place.tire.KEY``: factors on scaling factors of a tire that change within a run."""
    known, wanted = tire.model.scalable(), here.vehicle.choices.tire_inputs
    for key in wanted:
        if key not in known:
            allowed = f"; its scaling factors: {', '.join(known)}" if known else "; it has no scaling factors"
            raise ParameterError(f"tire_inputs: {key!r} is unknown to the tire {tire.name!r} of {place}{allowed}")
    docs = {c.name: c.doc for c in tire.model.coefficients}
    return {key: scope.input(f"tire.{key}", "-", f"factor of this wheel on the {docs[key]}", 1.0) for key in wanted}


def _rolling(here: WheelModel) -> Any:
    """Spin of a hub that rolls freely (3)."""
    speed = here.axle.unit.chassis.v[0]
    if here.twin is None:
        return speed / here.tire.values["radius"]
    mounted = (here.tire, here.twin)
    radii = [item.values["radius"] for item in mounted]
    loads = [fmax(item.values["fz"], 0.0) for item in mounted]
    carried = sum(loads) > 0
    loads = [if_else(carried, load, 1.0) for load in loads]
    first = sum(load * r for load, r in zip(loads, radii, strict=True))
    return speed * first / sum(load * r * r for load, r in zip(loads, radii, strict=True))


def _tell_wheel(here: WheelModel) -> None:
    channel, place, words = here.channel, here.place.name, here.place.words
    sign, carrier, pose = -here.place.outwards, here.carrier, here.pose
    channel(f"Wheel.Omega.{place}", here.rotor.spin, "rad/s", "spin relative to the carrier")
    channel(f"Wheel.Alpha.{place}", here.system.acceleration(here.rotor.spin), "rad/s2", "its rate")
    channel(f"Wheel.Drive_Moment.{place}", here.drive_torque, "N.m", "drive torque on the wheel")
    channel(f"Wheel.Spindle_Steer.{place}", pose.psi, "rad", "rotation about chassis z, left positive")
    channel(f"Wheel.Side_View_Angle.{place}", pose.side_view_angle, "rad", "top rearwards positive")
    channel(f"Wheel.Inclination.{place}", here.tire.contact.gamma, "rad", "to the road, top to the right positive")
    channel(f"wheel_angles.toe_{place}", sign * pose.psi, "rad", "toe-in, from the chassis")
    channel(f"wheel_angles.camber_{place}", pose.camber, "rad", "top outwards, from the chassis")
    channel(f"wheel_angles.caster_{place}", pose.side_view_angle, "rad", "side view angle, top rearwards")
    channel(
        f"wheel_angles.camber_wrt_road_{place}",
        sign * here.tire.contact.gamma,
        "rad",
        "top outwards, from the road",
    )
    toe, caster = _to_the_road(here)
    channel(f"wheel_angles.toe_wrt_road_{place}", sign * toe, "rad", "toe-in, in the plane of the road")
    channel(f"wheel_angles.caster_wrt_road_{place}", caster, "rad", "side view angle from the road, top rearwards")
    position, v = carrier.position, carrier.to_world(carrier.v)
    turning = carrier.to_world(carrier.w)
    a = here.system.frame_acceleration(carrier)
    for i, axis in enumerate("XYZ"):
        channel(f"Wheel.Global_{axis}.{place}", position[i], "m", "wheel centre, world axes")
        channel(f"Wheel.Global_V{axis.lower()}.{place}", v[i], "m/s", "wheel centre, world axes")
        channel(f"Wheel.Hub_Carrier_V{axis.lower()}.{place}", carrier.v[i], "m/s", "wheel centre, carrier axes")
        channel(f"Wheel.Hub_Carrier_Omega_{axis}.{place}", carrier.w[i], "rad/s", "of the carrier, carrier axes")
        channel(f"Wheel.Global_Omega_{axis}.{place}", turning[i], "rad/s", "of the carrier, world axes")
        channel(f"Wheel.hub_center_acc{axis.lower()}.{words}", a[i], "m/s2", "wheel centre, carrier axes")
    shift = (pose.x, pose.y, here.travel)
    for axis, value in zip("xyz", shift, strict=True):
        channel(f"Wheel.wheel_center_disp{axis}.{words}", value, "m", "from design, chassis axes")


def _to_the_road(here: WheelModel) -> tuple[Any, Any]:
    """Steer from the chassis in the plane of the road, left positive, and lean of the carrier from its normal."""
    contact, axes = here.tire.contact, here.carrier.native_axes
    normal, forward = axes.to_world(contact.normal), axes.to_world(contact.forward)
    chassis = here.axle.unit.chassis.to_world([1.0, 0.0, 0.0])
    upright = here.carrier.to_world([0.0, 0.0, 1.0])
    steer = atan2(dot(normal, cross(chassis, forward)), dot(chassis, forward))
    return steer, atan2(-dot(upright, forward), dot(upright, normal))


def _tell_tire(here: WheelModel, place: str, mounted: Mounted) -> None:
    """Channels of a tire; ``place``: its name, that of the wheel or of its second tire."""
    channel, second = here.channel, place != here.place.name
    v, contact = mounted.values, mounted.contact
    side, end = here.place.side.lower(), here.axle.place.word
    if second:
        end = f"twin_{end}"
    forces = f"ti{side}_wheel_tire_forces"
    for name, short, key, unit, doc in (
        ("Force_X", "longitudinal", "fx", "N", "longitudinal force at the contact, forward"),
        ("Force_Y", "lateral", "fy", "N", "lateral force at the contact, to the left"),
        ("Force_Z", "normal", "fz", "N", "wheel load"),
        ("Moment_X", "overturning_moment", "mx", "N.m", "overturning moment at the contact"),
        ("Moment_Y", "rolling_resistance", "my", "N.m", "rolling resistance moment at the contact"),
        ("Moment_Z", "aligning_torque", "mz", "N.m", "aligning moment at the contact"),
    ):
        channel(f"Tire.Ground_Surface_{name}.{place}", v[key], unit, doc)
        channel(f"{forces}.{short}_{end}", v[key], unit, doc)
    channel(f"Tire.Longitudinal_Slip_With_Lag.{place}", v["kappa"], "-", "slip that makes the force")
    channel(f"Tire.Lateral_Slip_With_Lag.{place}", v["alpha"], "rad", "slip angle that makes the force")
    kinematics = f"ti{side}_wheel_tire_kinematics"
    channel(f"{kinematics}.longitudinal_slip_{end}", v["kappa"], "-", "slip that makes the force")
    channel(f"{kinematics}.lateral_slip_{end}", v["alpha"], "rad", "slip angle that makes the force")
    channel(f"{kinematics}.inclination_angle_{end}", contact.gamma, "rad", "to the road, top to the right positive")
    spin = here.rotor.spin
    vx, vy = mounted.motion.vx, mounted.motion.vy
    rolling = spin * v["radius"]
    speed = fmax(sqrt(vx * vx), STANDING)
    slip = if_else(speed > STANDING, (rolling - vx) / speed, 0.0)
    channel(f"Tire.Longitudinal_Slip_Without_Lag.{place}", slip, "-", "of the wheel's motion")
    channel(f"Tire.Lateral_Slip_Without_Lag.{place}", atan(vy / speed), "rad", "of the wheel's motion")
    channel(f"Tire.Effective_Rolling_Radius.{place}", v["radius"], "m", "of the free-rolling wheel")
    channel(f"Tire.Loaded_Radius.{place}", contact.radius, "m", "wheel centre to contact point")
    channel(f"Tire.Effective_Penetration.{place}", mounted.rho, "m", "radial deflection; negative in the air")
    channel(f"Tire.Effective_Closing_Speed.{place}", mounted.motion.rho_rate, "m/s", "rate of the deflection")
    channel(f"Tire.Actual_Tread_Speed.{place}", spin * contact.radius, "m/s", "spin times loaded radius")
    channel(f"Tire.Equivalent_Tread_Speed.{place}", rolling, "m/s", "spin times rolling radius")
    channel(f"Tire.Ground_Surface_Contact_Patch_Vx.{place}", vx, "m/s", "of the contact point, along the wheel")
    channel(f"Tire.Ground_Surface_Contact_Patch_Vy.{place}", vy, "m/s", "of the contact point, across the wheel")
    for key, value in mounted.told().items():
        name, doc = TOLD[key]
        channel(f"Tire.{name}.{place}", value, "m", doc)
    channel(f"Tire.Road_Friction.{place}", mounted.friction, "-", "friction factor under the tire")
    states = f"ti{side}_wheel_tire_rolling_states"
    channel(f"{states}.omega_actual_{end}", spin, "rad/s", "spin relative to the carrier")
    channel(f"{states}.omega_free_{end}", vx / v["radius"], "rad/s", "spin of the free-rolling wheel")
    channel(f"{states}.rolling_radius_{end}", v["radius"], "m", "of the free-rolling wheel")
    axes = here.carrier.native_axes
    touching = if_else(mounted.rho > 0, 1.0, 0.0)
    patch = axes.point([c + b for c, b in zip(mounted.centre, contact.arm, strict=True)])
    normal, force = axes.to_world(contact.normal), axes.to_world(mounted.wrench.force)
    moment = axes.to_world(mounted.wrench.moment)
    if second:  # a second tire: at the hub, the centre of the first
        out = [b - a for a, b in zip(here.tire.centre, mounted.centre, strict=True)]
        moment = [m + lever for m, lever in zip(moment, axes.to_world(cross(out, mounted.wrench.force)), strict=True)]
    at_hub = [here.carrier.from_world(vector) for vector in (force, moment)]
    channel(f"Road.Contact_Flag.{place}", touching, "-", "1 on the road, 0 in the air")
    if here.road_height is not None and not second:
        name = f"Tire.User_Input_Contact_Patch_Global_Z_Perturbation.{place}"
        channel(name, here.road_height, "m", "height added to the road by an input")
    for i, axis in enumerate("XYZ"):
        channel(f"Tire.Contact_Patch_Normal_{axis}.{place}", normal[i], "-", "road normal, world axes")
        channel(
            f"Tire.Contact_Patch_Global_{axis}.{place}",
            touching * patch[i],
            "m",
            "contact point, world axes; 0 in the air",
        )
        channel(f"Road.Contact_Patch_Global_{axis}.{place}", patch[i], "m", "contact point, world axes")
        channel(f"Tire.Hub_Carrier_Force_Global_{axis}.{place}", force[i], "N", "tire force, world axes")
        channel(f"Tire.Hub_Carrier_Moment_Global_{axis}.{place}", moment[i], "N.m", "at the hub, world axes")
        channel(f"Tire.Hub_Carrier_Force_Local_{axis}.{place}", at_hub[0][i], "N", "tire force, carrier axes")
        channel(f"Tire.Hub_Carrier_Moment_Local_{axis}.{place}", at_hub[1][i], "N.m", "at the hub, carrier axes")
