"""The 14-DOF car: a sprung body on four wheel carriers guided by maps, four spinning wheels on tires.

The chassis frame has its origin in the centre of gravity of the sprung mass with everything on board. A carrier's pose
in it is (§ maps, signs of docs/conventions.md)

    p = p_design + (x, y, J),     R = Rz(ψ) Rx(φ) Ry(θ)                                                      (1)
    left:  ψ = -toe (or steer),  φ = -camber,  θ = -side view angle;    right:  ψ = +toe (or steer),  φ = +camber

with every map a function of own travel J, of the paired wheel's travel, or of the steering input.  Inertia and jacking
forces follow from (1) by differentiation (symbolic/kane.py); nothing of them is written here.  Elements act on the
travel by virtual work: with the deflection d(J), compression positive,

    spring     Q_J = -F(d) ∂d/∂J                                                                             (2)
    damper     Q_J = +F(v, x) ∂d/∂J,   v = -ḋ, x = -d  (extension positive)                                  (3)
    stops      bump: δ = d - clearance > 0, Q_J = -F ∂d/∂J;   rebound: δ = -d - clearance > 0, Q_J = +F ∂d/∂J  (4)
    bar        α = a_L(J_L) - a_R(J_R),  T = T0 + S K α,   Q_L = -T ∂a_L/∂J_L,  Q_R = +T ∂a_R/∂J_R             (5)

Numbers are parameters and tables of the system; choices of the vehicle's data are structure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from jounce.components.tire import wheel
from jounce.components.tire.base import Tire
from jounce.core.errors import ModelError
from jounce.road.ground import Ground, Plane
from jounce.symbolic.friction import coulomb
from jounce.symbolic.ops import clip, fmax, pi
from jounce.symbolic.system import System
from jounce.vehicle.curves import Curve
from jounce.vehicle.schema import SIDES, Side, Suspension, Vehicle, on_side

CORNERS: dict[str, tuple[int, Side]] = {"L1": (1, "L"), "R1": (1, "R"), "L2": (2, "L"), "R2": (2, "R")}
PAIRED = {"L1": "R1", "R1": "L1", "L2": "R2", "R2": "L2"}


@dataclass
class Inputs:
    """What drives the car."""

    steering_wheel: Any
    throttle: Any
    brake: Any


def assemble(
    vehicle: Vehicle,
    tires: Mapping[str, Tire],
    *,
    inclined: bool = False,
    name: str = "car",
    ground: Ground | None = None,
) -> System:
    """The car as a system.

    Parameters
    ----------
    vehicle : its data
    tires : tire of each corner (L1, R1, L2, R2); the same object on several corners is declared once
    inclined : whether the built-in plane may be inclined (a matter of structure)
    ground : another ground than the built-in plane
    """
    return _Assembly(vehicle, tires, inclined, name, ground).system


class _Assembly:
    def __init__(
        self, vehicle: Vehicle, tires: Mapping[str, Tire], inclined: bool, name: str, ground: Ground | None
    ) -> None:
        if vehicle.body.split is not None:
            raise ModelError("body.split: the split chassis is not available yet; join the halves into one body")
        self.vehicle = vehicle
        settings = vehicle.system
        self.system = System(name, gravity=(0.0, 0.0, 0.0))
        gravity = self.system.parameter("gravity", settings.gravity, "m/s2", "acceleration of gravity", low=0.0)
        self.system.world.gravity[2] = -gravity
        self.ground = ground or Plane.declare(self.system, inclined=inclined)
        self.inputs = Inputs(
            self.system.input(
                "steering_wheel",
                "rad",
                "hand wheel angle, left positive",
                rate=True,
                acceleration=settings.steering_acceleration,
            ),
            self.system.input("throttle", "-", "drive demand, 0 to 1"),
            self.system.input("brake", "-", "brake demand, 0 to 1"),
        )
        self._chassis()
        self._steering_input()
        self.travel = {
            corner: self.system.scope(corner).coordinate("jounce", unit="m", doc="wheel travel", on=self.chassis)
            for corner in CORNERS
        }
        self.blocks: dict[int, wheel.Block] = {}
        self.mounted: dict[str, wheel.Mounted] = {}
        for corner in CORNERS:
            self._corner(corner, tires[corner])
        for axle in (1, 2):
            self._anti_roll(axle)
        self._aero()
        self._outputs()

    # -- body -------------------------------------------------------------------------------------------------
    def _chassis(self) -> None:
        mass, centre, inertia = self.vehicle.body.sprung()[0]
        self.centre = centre
        scope = self.system.scope("body")
        m = scope.parameter("mass", mass, "kg", "sprung mass with everything on board", low=1e-3)
        moments = [scope.parameter(f"i{a}{a}", inertia[i, i], "kg.m2") for i, a in enumerate("xyz")]
        products = [
            scope.parameter(f"i{'xyz'[i]}{'xyz'[j]}", inertia[i, j], "kg.m2", "matrix entry")
            for i, j in ((0, 1), (0, 2), (1, 2))
        ]
        joint = self.system.free("chassis", initial=(centre[0], centre[1], centre[2]))
        self.chassis = joint.frame
        self.system.body("chassis_mass", self.chassis, m, [*moments, *products])

    def _place(self, scope: Any, name: str, point: Any) -> list[Any]:
        """A point of the vehicle reference frame in the chassis frame, as three parameters."""
        return [
            scope.parameter(f"{name}.{axis}", float(point[i] - self.centre[i]), "m", "from the centre of gravity")
            for i, axis in enumerate("xyz")
        ]

    # -- steering ---------------------------------------------------------------------------------------------
    def _steering_input(self) -> None:
        """The input u of the steering maps."""
        steering = self.vehicle.steering
        scope = self.system.scope("steering")
        scale = scope.parameter("gear_ratio_scale", steering.gear_ratio_scale, "-", "divides the hand wheel angle")
        angle = self.inputs.steering_wheel / scale
        if steering.input == "rack_travel":
            assert steering.rack_travel is not None
            self.steer_input = self._curve(scope, "rack_travel", steering.rack_travel, [angle])
            scope.output("rack_travel", self.steer_input, "m", "rack travel")
        else:
            self.steer_input = angle

    # -- corners ----------------------------------------------------------------------------------------------
    def _corner(self, corner: str, tire: Tire) -> None:
        vehicle, system = self.vehicle, self.system
        axle, side = CORNERS[corner]
        scope = system.scope(corner)
        suspension = vehicle.suspension(axle)
        q, u = self.travel[corner]
        x, y, psi, camber, sva = self._guidance(scope, corner)
        sign = -1.0 if side == "L" else 1.0
        phi, theta = sign * camber, -sva
        place = self._place(scope, "wheel_centre", vehicle.wheel_centre(axle, side))
        turns = (("z", psi), ("x", phi), ("y", theta))
        if vehicle.system.carrier_rotation == "3-2-1":
            turns = (("z", psi), ("y", theta), ("x", phi))
        carrier = self.chassis.guided(f"{corner}.carrier", [place[0] + x, place[1] + y, place[2] + q], turns)

        data = vehicle.wheels(axle, side)
        mass = scope.parameter("unsprung_mass", data.unsprung_mass, "kg", "carrier and wheel", low=1e-3)
        inertia = [scope.parameter(n, getattr(data, n), "kg.m2", "carrier and wheel") for n in ("ixx", "iyy", "izz")]
        body = scope.body("carrier", carrier, mass, inertia)
        spin_inertia = scope.parameter("spin_inertia", data.spin_inertia, "kg.m2", "all that spins", low=1e-6)
        rotor = scope.gyrostat("wheel", body, "y", spin_inertia)
        if id(tire) not in self.blocks:
            self.blocks[id(tire)] = wheel.declare(system, tire, f"tire{len(self.blocks) + 1}")
        mounted = wheel.mount(scope, self.blocks[id(tire)], rotor, self.ground, "left" if side == "L" else "right")
        mounted.declare_outputs(scope)
        self.mounted[corner] = mounted
        self._drive(scope, corner, carrier, rotor)
        self._brake(scope, corner, rotor, spin_inertia)
        self._elements(scope, suspension, side, q, u)
        scope.output("jounce", q, "m", "wheel travel, up positive")
        scope.output("toe", sign * psi, "rad", "toe-in")
        scope.output("camber", camber, "rad", "top outwards")
        scope.output("wheel.spin", rotor.spin, "rad/s", "spin relative to the carrier")

    def _guidance(self, scope: Any, corner: str) -> tuple[Any, Any, Any, Any, Any]:
        """x, y, ψ, camber, side view angle of a carrier: which map counts for which quantity."""
        vehicle = self.vehicle
        axle, side = CORNERS[corner]
        suspension, steering = vehicle.suspension(axle), vehicle.steering
        q, other = self.travel[corner][0], self.travel[PAIRED[corner]][0]
        toe_to_psi = -1.0 if side == "L" else 1.0
        if vehicle.system.simplified_model == 1:
            psi = 0.0
            if axle == 1:
                ratio = _slope_at_zero(_required(steering.map("steer", side)).curve)
                psi = scope.parameter("steer_rate", ratio, "-" if steering.input == "wheel_angle" else "rad/m")
                psi = psi * self.steer_input
            return 0.0, 0.0, psi, 0.0, 0.0

        def own(name: str) -> Any:
            found = suspension.map(name, side)
            value = self._curve(scope, name, found.curve, [q, other])
            scale = scope.parameter(f"{name}.scale", found.scale, "-", "factor on the map")
            offset = scope.parameter(f"{name}.offset", found.offset, found.curve.units.y, "at design")
            return offset + scale * value

        def steered(name: str) -> Any:
            found = steering.map(name, side)
            if found is None:
                return None
            value = self._curve(scope, f"steering.{name}", found.curve, [self.steer_input, q])
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
            else:  # maps of an independent axle already contain what the suspension's say
                result[name] = own(name) + by_steering if dependent else by_steering
        psi = steered("steer")
        if steering.method == "toe_table" or dependent:
            psi = psi + toe_to_psi * own("toe")
        return result["x"], result["y"], psi, result["camber"], result["side_view_angle"]

    def _drive(self, scope: Any, corner: str, carrier: Any, rotor: Any) -> None:
        share = self.vehicle.drive.shares[corner]
        if share == 0.0:
            return
        torque = (
            scope.parameter("drive_share", share, "-", "of the drive torque")
            * self._shared("drive.max_torque", self.vehicle.drive.max_torque, "N.m", "at full throttle")
            * self.inputs.throttle
        )
        if self.vehicle.system.torque_reaction == "carrier":
            rotor.torque(torque)
            return
        # a shaft from the chassis: external to carrier and wheel
        vector = [torque * a for a in rotor.axis]
        rotor.external_torque(vector)
        self.system.torque(self.chassis, [-t for t in carrier.express(vector, self.chassis)])

    def _brake(self, scope: Any, corner: str, rotor: Any, spin_inertia: Any) -> None:
        """Pressure to torque, M = 2 A µ R p, and a brake that sticks: spring and damper of the locked wheel."""
        axle, side = CORNERS[corner]
        brakes, data = self.vehicle.brakes, self.vehicle.brake(axle, side)
        bias = self._shared("brakes.bias_front", brakes.bias_front, "-", "share of the pressure in front")
        gain = self._shared("brakes.pressure_gain", brakes.master_cylinder_pressure_gain, "Pa", "at full demand")
        own = scope.scope("brake")
        mu = own.parameter("mu", data.mu, "-", "friction of the pads", low=0.0)
        radius = own.parameter("effective_radius", data.effective_radius, "m", low=0.0)
        area = own.parameter("piston_area", data.piston_area, "m2", low=0.0)
        frequency = own.parameter("lockup_natural_frequency", data.lockup_natural_frequency, "Hz", low=0.1)
        damping = own.parameter("lockup_damping_ratio", data.lockup_damping_ratio, "-", low=0.0)
        pressure = (bias if axle == 1 else 1 - bias) * gain * self.inputs.brake
        omega = 2 * pi * frequency
        torque = coulomb(
            own, "pad", rotor.spin, 2 * area * mu * radius * pressure, spin_inertia * omega * omega,
            2 * damping * spin_inertia * omega, unit="rad",
        )  # fmt: skip
        rotor.torque(-torque)
        own.output("pressure", pressure, "Pa", "in the brake")
        own.output("torque", -torque, "N.m", "on the wheel")

    def _elements(self, scope: Any, suspension: Suspension, side: Side, q: Any, u: Any) -> None:
        """Spring, dampers and stops of a corner (2-4)."""
        method = self._method
        if suspension.spring is not None:
            spring = on_side(suspension.spring, side)
            own = scope.scope("spring")
            d = self._curve(own, "ratio", spring.deflection, [q])
            start = own.parameter("at_design", spring.abscissa_at_design(method), spring.deflection.units.y)
            scale = own.parameter("scale", spring.scale, "-", "factor on the force", low=0.0)
            if spring.rate is not None:
                unit = "N/m" if spring.type == "translational" else "N.m/rad"
                force = own.parameter("rate", spring.rate, unit, low=0.0) * (start + d)
            else:
                assert spring.force is not None
                force = self._curve(own, "force", spring.force, [start - d if spring.axis == "length" else start + d])
            self._act(u, -scale * force, d, q)
            own.output("force", scale * force, "N" if spring.type == "translational" else "N.m", "compression positive")
        for number, damper in enumerate(suspension.dampers):
            data = on_side(damper, side)
            own = scope.scope(f"damper{number + 1}")
            d = self._curve(own, "ratio", data.deflection, [q])
            v = -self._slope(d, q) * u
            if data.rate is not None:
                force = own.parameter("rate", data.rate, "N.s/m", low=0.0) * v
            else:
                assert data.force is not None
                force = self._curve(own, "force", data.force, [v, -d])
            force = own.parameter("scale", data.scale, "-", "factor on the force", low=0.0) * force
            self._act(u, force, d, q)
            own.output("force", force, "N", "tension positive")
            own.output("speed", v, "m/s", "extension positive")
        for name, stop, sign in (
            ("bump_stop", suspension.bump_stop, 1.0),
            ("rebound_stop", suspension.rebound_stop, -1.0),
        ):
            if stop is None or not on_side(stop, side).active:
                continue
            data_stop = on_side(stop, side)
            own = scope.scope(name)
            d = self._curve(own, "ratio", data_stop.deflection, [q])
            gap = fmax(sign * d - own.parameter("clearance", data_stop.clearance, "m"), 0.0)
            force = own.parameter("scale", data_stop.scale, "-", low=0.0) * self._curve(
                own, "force", data_stop.force, [gap]
            )
            self._act(u, -sign * force, d, q)
            own.output("force", sign * force, "N", "bump positive, rebound negative")

    def _anti_roll(self, axle: int) -> None:
        """Auxiliary anti-roll force, or the bar that takes its place (5)."""
        suspension = self.vehicle.suspension(axle)
        (q_l, u_l), (q_r, u_r) = self.travel[f"L{axle}"], self.travel[f"R{axle}"]
        scope = self.system.scope(f"axle{axle}")
        bar = suspension.anti_roll_bar
        if bar is not None:
            own = scope.scope("anti_roll_bar")
            ends = [
                self._curve(own, f"ratio_{side}", suspension.bar_ratio(side), [q])
                for side, q in zip(SIDES, (q_l, q_r), strict=True)
            ]
            twist = ends[0] - ends[1]
            if bar.stiffness is not None:
                torque = own.parameter("stiffness", bar.stiffness, "N.m/rad", low=0.0) * twist
            else:
                assert bar.torque is not None
                torque = self._curve(own, "torque", bar.torque, [twist])
            scale = own.parameter("scale", bar.scale, "-", low=0.0)
            torque = own.parameter("preload", bar.preload, "N.m") + scale * torque
            self._act(u_l, -torque, ends[0], q_l)
            self._act(u_r, torque, ends[1], q_r)
            own.output("torque", torque, "N.m", "of the bar")
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
            delta = self.system.calls.alias(f"axle{axle}.difference", [difference])[0]
            force = self._curve(own, "force", auxiliary.force, [delta, 0.5 * (q_l + q_r)])
            stiffness = self._slope(force, delta)
        scale = own.parameter("scale", auxiliary.scale, "-", low=0.0)
        damping = own.parameter("damping", auxiliary.damping, "s", "damping force per stiffness", low=0.0)
        total = scale * (force + damping * stiffness * (u_l - u_r))
        self.system.generalized_force(u_l, -total)
        self.system.generalized_force(u_r, total)
        own.output("force", total, "N", "at the left wheel, downwards")

    # -- air --------------------------------------------------------------------------------------------------
    def _aero(self) -> None:
        aero = self.vehicle.aero
        if aero is None:
            return
        scope = self.system.scope("aero")
        density = scope.parameter("density_ratio", aero.air_density / aero.reference_density, "-", low=0.0)
        reference = scope.parameter("reference_velocity", aero.reference_velocity, "m/s", low=1e-3)
        wind = [
            scope.parameter(f"wind.{a}", getattr(aero.wind, a), "m/s", "where it goes to, world axes") for a in "xyz"
        ]
        chassis = self.chassis
        wind_here = chassis.from_world(wind)
        ahead: list[Any] = [1.0, 0.0, 0.0]
        up: list[Any] = [0.0, 0.0, 1.0]
        if aero.frame == "road":
            up = list(self.ground.under(chassis, [0.0, 0.0, 0.0]).normal)
            flat = [1 - up[0] * up[0], -up[0] * up[1], -up[0] * up[2]]  # chassis x without its part along the normal
            length = (flat[0] ** 2 + flat[1] ** 2 + flat[2] ** 2) ** 0.5
            ahead = [f / length for f in flat]
        heights = []
        for name, sensor, axle in (("front", aero.front_sensor, 1), ("rear", aero.rear_sensor, 2)):
            centre = self.vehicle.wheel_centre(axle, "L")
            point = sensor.array if sensor is not None else [centre[0], 0.0, centre[2]]
            place = self._place(scope, f"{name}_sensor", point)
            height = self.ground.under(chassis, place).height
            scope.output(f"{name}_ride_height", height, "m", "of the sensor above the road")
            if aero.ride_height_min is not None and aero.ride_height_max is not None:
                low = self._shared("aero.ride_height_min", aero.ride_height_min, "m", "for the maps")
                high = self._shared("aero.ride_height_max", aero.ride_height_max, "m", "for the maps")
                height = clip(height, low, high)
            heights.append(height)
        for name, direction in (("drag", [-a for a in ahead]), ("front_downforce", None), ("rear_downforce", None)):
            item = getattr(aero, name)
            if item is None or not item.active:
                continue
            own = scope.scope(name)
            place = self._place(own, "location", item.location.array)
            air = [v - w for v, w in zip(chassis.point_velocity(place), wind_here, strict=True)]
            speed = air[0] * ahead[0] + air[1] * ahead[1] + air[2] * ahead[2]
            base = self._curve(own, "force", aero.at_reference(name), heights) + own.parameter("shift", item.shift, "N")
            force = own.parameter("scale", item.scale, "-") * density * base * (speed / reference) ** 2
            time = own.parameter("smoothing_time", item.smoothing_time, "s", "of growth after the start", low=0.0)
            grown = clip(self.system.time / fmax(time, 1e-9), 0.0, 1.0)
            force = force * grown * grown * (3 - 2 * grown)
            direction = direction or [-n for n in up]
            self.system.force(chassis, [force * a for a in direction], at=place)
            own.output("value", force, "N", "of the force")

    # -- channels ---------------------------------------------------------------------------------------------
    def _outputs(self) -> None:
        system, chassis = self.system, self.chassis
        for axis, value in zip("xyz", chassis.position, strict=True):
            system.output(f"chassis.position.{axis}", value, "m", "centre of gravity of the sprung mass, world axes")
        for axis, value in zip("xyz", chassis.v, strict=True):
            system.output(f"chassis.velocity.{axis}", value, "m/s", "of it, chassis axes", watch=axis == "x")
        for axis, value in zip("xyz", chassis.w, strict=True):
            system.output(f"chassis.angular_velocity.{axis}", value, "rad/s", "chassis axes", watch=axis == "z")
        for axis, value in zip("xyz", system.frame_acceleration(chassis), strict=True):
            system.output(f"chassis.acceleration.{axis}", value, "m/s2", "of it, chassis axes")

    # -- helpers ----------------------------------------------------------------------------------------------
    @property
    def _method(self) -> str:
        return self.vehicle.system.splines.method

    def _curve(self, scope: Any, name: str, curve: Curve, arguments: list[Any]) -> Any:
        """A curve as an expression of its first arguments: a rate or a value is a parameter, a table a look-up."""
        if curve.constant is not None:
            unit = curve.units.of_constant
            value = scope.parameter(f"{name}.{curve.units.constant}", curve.constant, unit)
            return value * arguments[0] if curve.units.constant == "rate" else value
        kinematic = name in ("x", "y", "toe", "camber", "side_view_angle") or name.startswith("steering.")
        options = self.vehicle.system.kinematic_maps
        method = "polynomial" if kinematic and options.polynomial else self._method
        beyond = options.extrapolation if kinematic else self.vehicle.system.splines.element_extrapolation
        order = options.polynomial_order if method == "polynomial" else None
        table = curve.table(f"{scope.prefix}{name}", method=method, extrapolation=beyond, order=order)
        return scope.table(name, table)(*arguments[: curve.n_axes])

    def _shared(self, name: str, value: float, unit: str, doc: str) -> Any:
        """A parameter of the whole car, declared at first use."""
        for item in self.system.parameter_list:
            if item.name == name:
                return item.symbol
        return self.system.parameter(name, value, unit, doc)

    def _slope(self, value: Any, over: Any) -> Any:
        return self.system.calls.jacobian(value, over)[0, 0]

    def _act(self, speed: Any, force: Any, deflection: Any, over: Any) -> None:
        """Virtual work of an element: force times ∂(deflection)/∂J on the travel."""
        self.system.generalized_force(speed, force * self._slope(deflection, over))


def _slope_at_zero(curve: Curve, width: float = 1e-4) -> float:
    return (curve(width) - curve(-width)) / (2 * width)


def _required(found: Any) -> Any:
    assert found is not None
    return found
