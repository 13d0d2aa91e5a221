"""The car a second time: Lagrange's equations of the 14 coordinates, from the vehicle's data.

    q = (x, y, z, ψ, θ, φ;  J of L1 R1 L2 R2;  spin angles)          centre of the sprung mass, angles 3-2-1        (1)
    d/dt ∂T/∂q̇ − ∂T/∂q = Q                                                                                        (2)

T is written down from positions and rotations, Q by virtual work; CasADi differentiates. Nothing of the package's
mechanics (Kane's equations, guided frames, gyrostats, contact) takes part. Maps of the wheels must be rates, or are
given as functions; springs, dampers and bars must be rates, or are left out; stops and aerodynamics are left out.

Wheels that give way (compliance) are displaced by ε, numbers that are known and have no speed; their rates are checked
by ``loose_rates``. A longitudinal freedom (x_dof) with inertia is one more coordinate per wheel, behind those of (1):

    T += ½ (m − m_u) ẋ² (base excitation: of the whole speed along x),  Q_x −= k (x − σ ε_x) + c (ẋ − σ ε̇_x)       (3)

with σ ε_x in base excitation only; there the pose has (1 − σ) ε_x.

A wheel is a carrier with a rotor:  T = ½ m v² + ½ ω·Iω + I_s χ̇ ω·e + ½ I_s χ̇²,  e the spin axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
import numpy.typing as npt

import jounce.vehicle as jv
from four_wheels import CORNERS
from jounce.components.tire.base import Tire
from jounce.components.tire.resting import (
    ARM,
    ROLL_DAMPING,
    ROLL_LENGTH,
    ROLL_SPEED,
    TWIST,
    TWIST_DAMPING,
    UNTWIST,
)
from jounce.runtime.simulation import Simulation
from jounce.vehicle.schema import on_side

Array = npt.NDArray[np.float64]
N = 14
PLACES = tuple(CORNERS)
GIVES = ("x", "y", "toe", "camber", "side_view_angle")


def turn(axis: str, angle: Any) -> Any:
    c, s = ca.cos(angle), ca.sin(angle)
    rows = {
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }[axis]
    return ca.vertcat(*[ca.horzcat(*row) for row in rows])


def rate_of(curve: Any) -> float:
    assert curve.constant is not None, "this derivation knows straight maps only"
    return float(curve.constant)


@dataclass
class Wheel:
    position: Any  # of the centre, world
    velocity: Any
    turned: Any  # carrier to world
    omega: Any  # of the carrier, world
    jacobian: Any  # ∂v/∂q̇
    rotation: Any  # ∂ω/∂q̇


# Of a corner, own travel, the paired wheel's travel, hand wheel angle: x, y, ψ, camber, side view angle.
Guide = Callable[[str, Any, Any, Any], tuple[Any, Any, Any, Any, Any]]


class LagrangeCar:
    """Symbols of (1) and (2) for a vehicle; ``guide``: instead of its maps, and then without its elements."""

    def __init__(self, vehicle: jv.Vehicle, guide: Guide | None = None) -> None:
        self.vehicle = vehicle
        self.guide = guide
        self.freed = {}  # coordinates of longitudinal freedoms
        for place, (axle, _) in CORNERS.items():
            if getattr(vehicle.suspension(axle).x_dof, "kind", "") == "dynamic":
                self.freed[place] = N + len(self.freed)
        self.n = N + len(self.freed)
        loose = any(vehicle.suspension(axle).compliance is not None for axle in (1, 2))
        self.given, self.given_rates = np.zeros((5, 4)), np.zeros((5, 4))  # by property and wheel, see ``follow``
        shape = (5, 4) if loose else (0, 0)
        self.gives, self.give_rates = ca.SX.sym("gives", *shape), ca.SX.sym("give_rates", *shape)
        self.q, self.v = ca.SX.sym("q", self.n), ca.SX.sym("v", self.n)
        self.steer, self.steer_rate = ca.SX.sym("steer"), ca.SX.sym("steer_rate")
        mass, centre, inertia = vehicle.body.sprung()[0]
        self.g = vehicle.system.gravity
        q, v = self.q, self.v
        self.body = turn("z", q[3]) @ turn("y", q[4]) @ turn("x", q[5])
        _, self.body_omega = self._motion(q[:3], self.body)
        body_fixed = self.body.T @ self.body_omega
        energy = mass * ca.sumsqr(v[:3]) / 2 + ca.dot(body_fixed, ca.DM(inertia) @ body_fixed) / 2
        potential = mass * self.g * q[2]
        self.wheels: dict[str, Wheel] = {}
        self.by_maps: dict[str, Any] = {}  # x of the maps over travel
        momentum = mass * v[:3]
        self.spins = {}
        for i, (place, (axle, side)) in enumerate(CORNERS.items()):
            wheel = self._wheel(i, axle, side, np.asarray(centre, dtype=float))
            self.wheels[place] = wheel
            data = vehicle.wheels(axle, side)
            own = wheel.turned.T @ wheel.omega
            spin = v[10 + i]
            self.spins[place] = data.spin_inertia
            energy += data.unsprung_mass * ca.sumsqr(wheel.velocity) / 2
            energy += (data.ixx * own[0] ** 2 + data.iyy * own[1] ** 2 + data.izz * own[2] ** 2) / 2
            energy += data.spin_inertia * (spin * own[1] + spin**2 / 2)
            if place in self.freed:
                freedom = on_side(vehicle.suspension(axle).x_dof, side)
                speed = v[self.freed[place]]
                if freedom.excitation == "base":
                    speed += ca.jtimes(self.by_maps[place], q, v)
                energy += (freedom.mass - data.unsprung_mass) * speed**2 / 2
            potential += data.unsprung_mass * self.g * wheel.position[2]
            momentum += data.unsprung_mass * wheel.velocity
        self.energy, self.potential = energy, potential
        self.mass = vehicle.mass()
        self.centre_velocity = momentum / self.mass
        p = ca.jacobian(energy, v).T
        self.inertia = ca.jacobian(p, v)
        self.by_steering = ca.jacobian(p, self.steer_rate)  # times the second derivative of the steering input
        self.bias = ca.jacobian(p, q) @ v + ca.jacobian(p, self.steer) * self.steer_rate - ca.jacobian(energy, q).T
        self.inner = -ca.jacobian(potential, q).T
        if guide is None:
            self.inner += self._elements()
        self.inner += self._freedoms()

    def _motion(self, position: Any, turned: Any) -> tuple[Any, Any]:
        """Velocity and angular velocity (world) of a frame given as functions of q and the steering."""

        def rate(e: Any) -> Any:
            return ca.jtimes(e, self.q, self.v) + ca.jtimes(e, self.steer, self.steer_rate)

        spin = ca.reshape(rate(ca.vec(turned)), 3, 3) @ turned.T
        return rate(position), ca.vertcat(spin[2, 1], spin[0, 2], spin[1, 0])

    def _wheel(self, i: int, axle: int, side: Any, centre: Array) -> Wheel:
        vehicle, q = self.vehicle, self.q
        travel, other = q[6 + i], q[6 + (i ^ 1)]
        guide = self.guide or self._straight
        x, y, psi, camber, sva = guide(PLACES[i], travel, other, self.steer)
        self.by_maps[PLACES[i]] = x
        if self.gives.numel():
            loose = [self.gives[k, i] for k in range(5)]
            if PLACES[i] in self.freed:
                loose[0] *= 1 - self._base_share(PLACES[i])
            turned = (-1.0 if side == "L" else 1.0) * loose[2]
            x, y, psi, camber, sva = x + loose[0], y + loose[1], psi + turned, camber + loose[3], sva + loose[4]
        if PLACES[i] in self.freed:
            x += q[self.freed[PLACES[i]]]
        phi = (-1.0 if side == "L" else 1.0) * camber
        place = vehicle.wheel_centre(axle, side) - centre
        at = ca.vertcat(place[0] + x, place[1] + y, place[2] + travel)
        position = q[:3] + self.body @ at
        turned = self.body @ turn("z", psi) @ turn("x", phi) @ turn("y", -sva)
        velocity, omega = self._motion(position, turned)
        return Wheel(position, velocity, turned, omega, ca.jacobian(velocity, self.v), ca.jacobian(omega, self.v))

    def _base_share(self, place: str) -> float:
        axle, side = CORNERS[place]
        freedom = on_side(self.vehicle.suspension(axle).x_dof, side)
        return float(freedom.share) if freedom.excitation == "base" else 0.0

    def _freedoms(self) -> Any:
        """(3)"""
        force = ca.SX.zeros(self.n)
        for place, i in self.freed.items():
            axle, side = CORNERS[place]
            suspension = self.vehicle.suspension(axle)
            freedom, maps = on_side(suspension.x_dof, side), suspension.compliance
            found = maps.x.fx.right if side == "R" and maps.x.fx.right is not None else maps.x.fx
            k = 1 / (freedom.share * maps.factor * found.scale * rate_of(found.curve))
            c = freedom.damping_rate if freedom.damping is None else freedom.damping * k
            share, column = self._base_share(place), PLACES.index(place)
            force[i] -= k * (self.q[i] - share * self.gives[0, column])
            force[i] -= c * (self.v[i] - share * self.give_rates[0, column])
        return force

    def follow(self, sim: Simulation) -> None:
        """Take over how far wheels give way, and how fast that changes."""
        change = dict(zip((s.name for s in sim.model.states), sim.derivatives()[0], strict=True))
        for j, place in enumerate(PLACES):
            for i, name in enumerate(GIVES):
                full = f"{place}.compliance.{name}"
                if full in change:
                    self.given[i, j], self.given_rates[i, j] = sim.state(full), change[full]

    def _straight(self, place: str, travel: Any, _other: Any, steer: Any) -> tuple[Any, Any, Any, Any, Any]:
        """Maps of the vehicle that are rates."""
        axle, side = CORNERS[place]
        suspension, steering = self.vehicle.suspension(axle), self.vehicle.steering

        def own(name: str) -> Any:
            found = suspension.map(name, side)
            return found.offset + found.scale * rate_of(found.curve) * travel

        psi = (-1.0 if side == "L" else 1.0) * own("toe")
        if axle == 1:
            found = steering.map("steer", side)
            assert found is not None
            psi += found.scale * rate_of(found.curve) * steer / steering.gear_ratio_scale
        return own("x"), own("y"), psi, own("camber"), own("side_view_angle")

    def _elements(self) -> Any:
        """Springs, dampers and anti-roll devices, at the wheels."""
        vehicle = self.vehicle
        force = ca.SX.zeros(self.n)
        for i, (axle, side) in enumerate(CORNERS.values()):
            suspension = vehicle.suspension(axle)
            j, rate = self.q[6 + i], self.v[6 + i]
            spring = on_side(suspension.spring, side) if suspension.spring is not None else None
            if spring is not None:
                r = rate_of(spring.ratio)
                force[6 + i] -= r * (spring.force_at_design() + spring.scale * spring.rate * r * j)
            for damper in suspension.dampers:
                data = on_side(damper, side)
                assert data.rate is not None or data.scale == 0
                force[6 + i] -= data.scale * (data.rate or 0.0) * rate_of(data.ratio) ** 2 * rate
        for axle in (1, 2):
            suspension = vehicle.suspension(axle)
            left, right = 6 + 2 * (axle - 1), 7 + 2 * (axle - 1)
            difference, its_rate = self.q[left] - self.q[right], self.v[left] - self.v[right]
            total: Any = 0.0
            bar, auxiliary = suspension.anti_roll_bar, suspension.effective_auxiliary_anti_roll()
            if bar is not None:
                r = rate_of(bar.ratio)
                total = r * (bar.preload + bar.scale * bar.stiffness * r * difference)
            elif auxiliary is not None:
                total = auxiliary.scale * auxiliary.rate * (difference + auxiliary.damping * its_rate)
            force[left] -= total
            force[right] += total
        return force

    def wrench(self, place: str, force: Any, moment: Any) -> Any:
        """Generalised force of a force and a moment on a wheel (world axes, at its centre)."""
        wheel = self.wheels[place]
        result = wheel.jacobian.T @ force + wheel.rotation.T @ moment
        i = 10 + PLACES.index(place)
        result[i] += ca.dot(wheel.turned[:, 1], moment)
        return result

    def shaft(self, place: str, torque: Any) -> Any:
        """Generalised force of a drive torque that comes from the chassis."""
        vector = self.wheels[place].turned[:, 1] * torque
        return self.wrench(place, ca.SX.zeros(3), vector) - ca.jacobian(self.body_omega, self.v).T @ vector

    def angular_momentum(self) -> Any:
        """About the centre of gravity of the whole car, world axes."""
        mass, _, inertia = self.vehicle.body.sprung()[0]
        parts = [(mass, self.q[:3], self.v[:3])]
        total = self.body @ (ca.DM(inertia) @ (self.body.T @ self.body_omega))
        for i, (place, (axle, side)) in enumerate(CORNERS.items()):
            data, wheel = self.vehicle.wheels(axle, side), self.wheels[place]
            parts.append((data.unsprung_mass, wheel.position, wheel.velocity))
            own = wheel.turned.T @ wheel.omega
            spin = ca.vertcat(0, data.spin_inertia * self.v[10 + i], 0)
            total += wheel.turned @ (ca.vertcat(data.ixx * own[0], data.iyy * own[1], data.izz * own[2]) + spin)
        centre = sum(m * r for m, r, _ in parts) / self.mass
        for m, r, velocity in parts:
            total += m * ca.cross(r - centre, velocity - self.centre_velocity)
        return total

    # -- the package's state in these coordinates ------------------------------------------------------------------

    def coordinates(self, sim: Simulation) -> tuple[Array, Array]:
        """q and q̇ of a simulation."""
        q = np.zeros(self.n)
        q[:3] = [sim.state(f"chassis.{a}") for a in "xyz"]
        q[3:6] = [sim.output(f"Vehicle.{n}") for n in ("Yaw", "Pitch", "Euler_Roll")]
        q[6:10] = [sim.state(f"{c}.jounce") for c in PLACES]
        v = np.zeros(self.n)
        body, euler = self._body_at(q)
        v[:3] = body @ [sim.state(f"chassis.v{a}") for a in "xyz"]
        v[3:6] = np.linalg.solve(euler, [sim.state(f"chassis.w{a}") for a in "xyz"])
        v[6:10] = [sim.state(f"{c}.jounce.rate") for c in PLACES]
        v[10:N] = [sim.state(f"{c}.wheel.spin") for c in PLACES]
        for c, i in self.freed.items():
            q[i], v[i] = sim.state(f"{c}.x_dof.displacement"), sim.state(f"{c}.x_dof.displacement.rate")
        return q, v

    def accelerations(self, sim: Simulation) -> Array:
        """q̈ of a simulation: ẍ = R (v̇ + ω × v), and the Euler angles from ω̇ = E ë + Ė ė."""
        rates = dict(zip((s.name for s in sim.model.states), sim.derivatives()[0], strict=True))
        q, v = self.coordinates(sim)
        body, euler = self._body_at(q)
        w, speed = (np.array([sim.state(f"chassis.{n}{a}") for a in "xyz"]) for n in "wv")
        result = np.zeros(self.n)
        result[:3] = body @ (np.array([rates[f"chassis.v{a}"] for a in "xyz"]) + np.cross(w, speed))
        fixed = self.body.T @ self.body_omega
        drift = self.value(ca.jtimes(fixed, self.q, self.v), q, v).ravel()
        result[3:6] = np.linalg.solve(euler, np.array([rates[f"chassis.w{a}"] for a in "xyz"]) - drift)
        result[6:10] = [rates[f"{c}.jounce.rate"] for c in PLACES]
        result[10:N] = [rates[f"{c}.wheel.spin"] for c in PLACES]
        for c, i in self.freed.items():
            result[i] = rates[f"{c}.x_dof.displacement.rate"]
        return result

    def _body_at(self, q: Array) -> tuple[Array, Array]:
        euler = ca.jacobian(self.body.T @ self.body_omega, self.v[3:6])
        return self.value(self.body, q), self.value(euler, q)

    def value(self, expression: Any, q: Array, v: Array | None = None, steer: float = 0.0, rate: float = 0.0) -> Array:
        known = [self.q, self.v, self.steer, self.steer_rate, self.gives, self.give_rates]
        f = ca.Function("f", known, [expression])
        given = [self.given, self.given_rates] if self.gives.numel() else [ca.DM(0, 0)] * 2
        return np.array(f(q, np.zeros(self.n) if v is None else v, steer, rate, *given))


def anywhere(sim: Simulation, number: int) -> None:
    """Put a car into a state with large angles and all speeds, some wheels in the ground, nothing small."""
    rng = np.random.default_rng(number)
    angles = rng.uniform([-3, -0.4, -0.5], [3, 0.4, 0.5])
    yaw, pitch, roll = (np.array([np.cos(a / 2), np.sin(a / 2)]) for a in angles)
    q = _times(_times([yaw[0], 0, 0, yaw[1]], [pitch[0], 0, pitch[1], 0]), [roll[0], roll[1], 0, 0])
    states: dict[str, float] = {f"chassis.e{i}": float(x) for i, x in enumerate(q)}
    states |= {f"chassis.{a}": x for a, x in zip("xyz", (3.0, -4.0, 0.5), strict=True)}
    states |= {f"chassis.v{a}": rng.uniform(-20, 20) for a in "xyz"}
    states |= {f"chassis.w{a}": rng.uniform(-2, 2) for a in "xyz"}
    for place in PLACES:
        states |= {f"{place}.jounce": rng.uniform(-0.08, 0.08), f"{place}.jounce.rate": rng.uniform(-1, 1)}
        states |= {f"{place}.wheel.spin": rng.uniform(20, 90)}
        loose = {f"{place}.compliance.{n}": 0.006 if n in "xy" else 0.02 for n in GIVES}
        loose |= {f"{place}.x_dof.displacement": 0.02, f"{place}.x_dof.displacement.rate": 1.0}
        known = {v.name for v in sim.model.states}
        states |= {name: rng.uniform(-size, size) for name, size in loose.items() if name in known}
        states |= {f"{place}.tire.u": rng.uniform(-0.02, 0.02), f"{place}.tire.v": rng.uniform(-0.02, 0.02)}
    sim.set_states(states)


def _times(a: Any, b: Any) -> list[float]:
    """Product of quaternions."""
    w, v, s, r = a[0], np.array(a[1:]), b[0], np.array(b[1:])
    return [w * s - v @ r, *(w * r + s * v + np.cross(v, r))]


def residual(sim: Simulation, car: LagrangeCar, *, shaft: bool, acceleration: float = 0.0) -> float:
    """Largest entry of M q̈ + h − Q over the largest of Q; the tires' forces are those of the simulation.

    ``shaft``: drive torque comes from the chassis, else from a motor in the hub. ``acceleration``: of the hand wheel.
    """
    car.follow(sim)
    q, v = car.coordinates(sim)
    force = car.inner - car.by_steering * acceleration
    touching = False
    for i, place in enumerate(PLACES):
        tire = [[sim.output(f"Tire.Hub_Carrier_{k}_Global_{a}.{place}") for a in "XYZ"] for k in ("Force", "Moment")]
        touching = touching or bool(np.any(np.array(tire[0]) != 0))
        force += car.wrench(place, ca.DM(tire[0]), ca.DM(tire[1]))
        torque = sim.output(f"Wheel.Drive_Moment.{place}")
        if shaft:
            force += car.shaft(place, torque)
        else:
            force[10 + i] += torque
        force[10 + i] += sim.output(f"Brake_Moment.{place}")
    assert touching, "some tire carries"
    steering = (sim.input("steering_wheel"), sim.input("steering_wheel.rate"))
    mass = car.value(car.inertia, q, v, *steering)
    pushed = car.value(force - car.bias, q, v, *steering).ravel()
    return float(np.abs(mass @ car.accelerations(sim) - pushed).max() / np.abs(pushed).max())


def loose_rates(sim: Simulation, vehicle: jv.Vehicle) -> dict[str, tuple[Array, Array]]:
    """By wheel: rates of what gives way, and how far it is from what the maps (rates only) say of the loads.

    The one is the other over the lag of the wheel, whatever that is. Mirror images: F_y, M_z and y change signs.
    """
    change = dict(zip((s.name for s in sim.model.states), sim.derivatives()[0], strict=True))
    loads = {
        c: {
            key: sim.output(f"Tire.Ground_Surface_{word}.{c}")
            for key, word in (("fx", "Force_X"), ("fy", "Force_Y"), ("fz", "Force_Z"), ("mz", "Moment_Z"))
        }
        for c in PLACES
    }
    result = {}
    for i, (c, (axle, side)) in enumerate(CORNERS.items()):
        suspension = vehicle.suspension(axle)
        maps = suspension.compliance
        taken = 0.0
        if suspension.x_dof is not None:
            taken = float(on_side(suspension.x_dof, side).share)
        found, gap = [], []
        for name in GIVES:
            target = 0.0
            for rows, at in ((maps, c), (maps.cross, PLACES[i ^ 1])):
                row = getattr(rows, name)
                for load in ("fx", "fy", "mz", "fz"):
                    item = getattr(row, load, None)
                    if item is None:
                        continue
                    value = item.scale * rate_of(item.curve)
                    if side == "R" and item.right is not None:
                        value = item.right.scale * rate_of(item.right.curve)
                    elif side == "R":
                        value *= (-1.0 if load in ("fy", "mz") else 1.0) * (-1.0 if name == "y" else 1.0)
                    if name == "x" and load == "fx" and rows is maps:
                        value *= 1 - taken
                    target += value * loads[at][load]
            full = f"{c}.compliance.{name}"
            found.append(change[full])
            gap.append(maps.factor * target - sim.state(full))
        result[c] = np.array(found), np.array(gap)
    return result


@dataclass
class Linear:
    """δẋ = A δx + B u: x = (q without spin angles, q̇, u, v, rolled and twist), u = (steer, its rate)."""

    A: Array
    B: Array
    rows: dict[str, tuple[Array, Array]]  # outputs: C, D

    def response(self, name: str, frequency: float) -> complex:
        """Of an output to the hand wheel angle, whose rate is iω times it."""
        s = 2j * np.pi * frequency
        c, d = self.rows[name]
        wheel = np.array([1.0, s])
        return complex((c @ np.linalg.solve(s * np.eye(len(self.A)) - self.A, self.B @ wheel) + d @ wheel)[0])


def linear(car: LagrangeCar, tires: dict[str, Tire], sim: Simulation) -> Linear:
    """The car running straight (or standing) with the tires' slopes at their static loads."""
    q0, v0 = car.coordinates(sim)
    speed = float(v0[0])
    u, v, n_rolled, twist = (ca.SX.sym(name, 4) for name in ("u", "v", "rolled", "twist"))
    force = car.inner
    u_rate, v_rate, rolled_rate, twist_rate, loads = [], [], [], [], []
    for i, place in enumerate(PLACES):
        tire, wheel = tires[place], car.wheels[place]
        load0 = sim.output(f"Tire.Ground_Surface_Force_Z.{place}")
        n = ca.DM([0, 0, 1])
        axis = wheel.turned[:, 1]
        line = ca.cross(axis, n)
        cosine = ca.norm_2(line)
        forward = line / cosine
        lateral = ca.cross(n, forward)
        gamma = ca.asin(axis[2])
        radius = wheel.position[2] / cosine
        arm = -radius * ca.cross(forward, axis)
        velocity = wheel.velocity + ca.cross(wheel.omega, arm)
        values = tire.values
        depth, depth_rate = values["UNLOADED_RADIUS"] - radius, -velocity[2] / cosine
        load = values["VERTICAL_STIFFNESS"] * depth + values["VERTICAL_DAMPING"] * depth_rate
        rho0 = tire.deflection(load0)
        effective = [float(tire.model.effective_radius(values, rho0 + d)) for d in (-1e-6, 0.0, 1e-6)]
        rolling = effective[1] + (effective[2] - effective[0]) / 2e-6 * (depth - rho0)
        slip_x = ca.dot(velocity, forward) - car.v[10 + i] * rolling
        slip_y = ca.dot(velocity, lateral)
        slopes = _slopes(tire, load0, speed, effective[1])
        at = tire.model.at_load(values, load0, 0.0)
        standing = 0.0 if speed > 0 else values["LOW_SPEED_DAMPING"] * min(load0 / values["FNOMIN"], 1.0)
        kappa = u[i] / at.sigma_kappa - standing * slip_x / at.slope_x
        alpha = v[i] / at.sigma_alpha + standing * slip_y / abs(at.slope_y)
        u_rate.append(-slip_x - speed * u[i] / at.sigma_kappa)
        v_rate.append(slip_y - speed * v[i] / at.sigma_alpha)
        fx, fy, mx, my, mz = (a * kappa + b * alpha + c * gamma for a, b, c in slopes)
        turn = ca.dot(wheel.omega, n)
        if speed > 0:  # rolling: the one is at its limit, the other untwists without a moment
            rolled_rate.append(-ROLL_SPEED / ROLL_LENGTH * n_rolled[i])
            twist_rate.append(turn / TWIST - twist[i] / UNTWIST)
        else:
            rolled_rate.append(car.v[10 + i] * effective[1] / ROLL_LENGTH)
            twist_rate.append(turn / TWIST)
            resistance = float(tire.model.forces(values, at, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0).my)
            my = my + resistance * (n_rolled[i] + ROLL_DAMPING * rolled_rate[i])
            on_the_spot = ARM * values["UNLOADED_RADIUS"] * float(at.grip) * (load0 / values["FNOMIN"]) ** 0.5
            mz = mz - on_the_spot * (twist[i] + TWIST_DAMPING * twist_rate[i])
        total = fx * forward + fy * lateral + load * n
        moment = mx * forward + my * lateral + mz * n + ca.cross(arm, total)
        force = force + car.wrench(place, total, moment)
        loads.append(load)
    state = ca.vertcat(car.q[:10], car.v, u, v, n_rolled, twist)
    inputs = ca.vertcat(car.steer, car.steer_rate)

    def at_point(expression: Any) -> Array:
        f = ca.Function("f", [car.q, car.v, u, v, n_rolled, twist, inputs], [expression])
        return np.array(f(q0, v0, *np.zeros((4, 4)), np.zeros(2)))

    residual = force - car.bias
    assert np.abs(at_point(residual)).max() < 1e-6 * car.mass * max(car.g, 1e-3), "a steady state"
    mass = at_point(car.inertia)
    accelerations = [np.linalg.solve(mass, at_point(ca.jacobian(residual, over))) for over in (state, inputs)]
    contact = ca.vertcat(*u_rate, *v_rate, *rolled_rate, *twist_rate)
    n_x = state.shape[0]
    a, b = np.zeros((n_x, n_x)), np.zeros((n_x, 2))
    a[:10, 10:20] = np.eye(10)
    a[10:24], b[10:24] = accelerations
    a[24:], b[24:] = at_point(ca.jacobian(contact, state)), at_point(ca.jacobian(contact, inputs))
    centre = at_point(ca.jacobian(car.centre_velocity[1], car.v))
    yaw_rate = (car.body.T @ car.body_omega)[2]
    rows = {
        "ay": (centre @ a[10:24], centre @ b[10:24]),
        "yaw": (at_point(ca.jacobian(yaw_rate, state)), np.zeros((1, 2))),
        "roll": (np.eye(n_x)[5:6], np.zeros((1, 2))),
    }
    for place, load in zip(PLACES, loads, strict=True):
        rows[f"load {place}"] = (at_point(ca.jacobian(load, state)), at_point(ca.jacobian(load, inputs)))
    return Linear(a, b, rows)


def _slopes(tire: Tire, load: float, speed: float, radius: float) -> list[tuple[float, float, float]]:
    """Of Fx, Fy, Mx, My, Mz over slip, slip angle and inclination at zero, by central differences."""
    width = 1e-6
    columns = []
    for name in ("kappa", "alpha", "gamma"):
        up, down = (
            np.array([float(x) for x in tire.steady(load, **{name: s * width}, vx=speed, spin=speed / radius)])
            for s in (1.0, -1.0)
        )
        columns.append((up - down) / (2 * width))
    return [tuple(row) for row in np.array(columns).T]
