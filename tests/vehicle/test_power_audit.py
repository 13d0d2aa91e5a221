"""Where the energy goes in a braking corner: dE/dt of the car against the sum of element powers, each by itself.

E is kinetic and gravitational energy. Every power is computed here from states, poses and the numbers of the vehicle's
file; of the model only tire forces, accelerations of the carriers and spins are taken. None is found by difference:
the work of the hand wheel is that of the forces which turn the carriers against inertia and tires,

    P = δ̇ Σ ∂ψ/∂δ e_z·(Ḣ - M_tire - M_drive)          e_z of the chassis: the axis that steering turns about        (1)
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import jounce.vehicle as jv
from car_models import bodies, compact, outputs, rolling
from four_wheels import CORNERS, assemble
from jounce.runtime.program import Open, Phase, Program, Pulse, Ramp
from jounce.runtime.simulation import Simulation
from jounce.sim import car
from jounce.sim.build import build
from models import derivative, rotation_matrix

Array = npt.NDArray[np.float64]

SAMPLE, STEP = 0.004, 0.0005  # s
TIME = 1.6


def corner_car() -> jv.Vehicle:
    """The example car; stops are closer so that they are hit, steering acceleration acts, all wheels are driven."""
    changes: dict[str, Any] = {"system.steering_acceleration": True, "drive": "all"}
    for axle in ("front", "rear"):
        changes |= {f"{axle}_suspension.bump_stop.clearance": "12 mm"}
        changes |= {f"{axle}_suspension.rebound_stop.clearance": "14 mm"}
    return compact(**changes)


class Audit:
    """Powers at one instant, W, positive when they add to the energy of the car."""

    def __init__(self, vehicle: jv.Vehicle, sim: Simulation) -> None:
        self.vehicle, self.sim, self.found = vehicle, sim, outputs(sim)
        self.rate = dict(zip([v.name for v in sim.model.states], sim.derivatives()[0], strict=True))
        self.r = rotation_matrix(np.array([sim.state(f"chassis.e{i}") for i in range(4)]))
        self.v = np.array([sim.state(f"chassis.v{a}") for a in "xyz"])
        self.w = np.array([sim.state(f"chassis.w{a}") for a in "xyz"])
        self.centre = vehicle.body.sprung()[0][1]
        self.travel = {c: (sim.state(f"{c}.jounce"), sim.state(f"{c}.jounce.rate")) for c in CORNERS}
        self.spin = {c: sim.state(f"{c}.wheel.spin") for c in CORNERS}

    def three(self, name: str, axes: str = "xyz") -> Array:
        return np.array([self.found[name.format(a)] for a in axes])

    def carrier(self, c: str) -> tuple[Array, Array, Array]:
        """Orientation, velocity of the wheel centre and angular velocity of a carrier, world axes."""
        r = np.array([[self.found[f"audit.{c}.r{i}{j}"] for j in range(3)] for i in range(3)])
        return r, self.three("Wheel.Global_V{}." + c), r @ self.three(f"audit.{c}.w{{}}")

    def energy_rate(self) -> float:
        """Along the motion: states and steering input moved on by small times."""
        sim = self.sim
        names = [v.name for v in sim.model.outputs]
        which = [names.index("audit.kinetic"), names.index("audit.potential")]
        inputs = [v.name for v in sim.model.inputs]
        angle, speed, acceleration = (inputs.index(f"steering_wheel{s}") for s in ("", ".rate", ".acceleration"))
        x, f, u = sim.x.copy(), sim.derivatives()[0], sim.u.copy()

        def energy(t: float) -> Array:
            moved = u.copy()
            moved[angle] += t * u[speed] + 0.5 * t * t * u[acceleration]
            moved[speed] += t * u[acceleration]
            return np.array(sim.outputs(x=x + t * f, u=moved)[which].sum())

        return float(derivative(energy, h=2e-4)[0])

    # -- elements --------------------------------------------------------------------------------------------
    def springs(self) -> float:
        total = 0.0
        for c, (j, rate) in self.travel.items():
            s = self.vehicle.suspension(CORNERS[c][0]).spring
            assert s is not None and s.rate is not None and s.preload is not None
            ratio = s.ratio.constant or 0.0
            total -= (s.preload + s.rate * ratio * j) * ratio * rate
        return total

    def dampers(self) -> float:
        total = 0.0
        for c, (_, rate) in self.travel.items():
            d = self.vehicle.suspension(CORNERS[c][0]).dampers[0]
            v = -(d.ratio.constant or 0.0) * rate
            total -= v * (d.rate * v if d.rate is not None else d.force(v))  # type: ignore[misc]
        return total

    def stops(self) -> float:
        total = 0.0
        for c, (j, rate) in self.travel.items():
            suspension = self.vehicle.suspension(CORNERS[c][0])
            for stop, sign in ((suspension.bump_stop, 1.0), (suspension.rebound_stop, -1.0)):
                assert stop is not None
                total -= sign * rate * stop.force(max(sign * j - stop.clearance, 0.0))
        return total

    def anti_roll(self) -> float:
        (l1, v1), (r1, w1), (l2, v2), (r2, w2) = (self.travel[c] for c in CORNERS)
        bar, auxiliary = self.vehicle.front_suspension.anti_roll_bar, self.vehicle.rear_suspension.auxiliary_anti_roll
        assert bar is not None and bar.stiffness is not None and auxiliary is not None and auxiliary.rate is not None
        arm = bar.ratio.constant or 0.0
        front = -bar.stiffness * arm * (l1 - r1) * arm * (v1 - w1)
        return front - auxiliary.rate * ((l2 - r2) + auxiliary.damping * (v2 - w2)) * (v2 - w2)

    # -- wheels ----------------------------------------------------------------------------------------------
    def tire(self, c: str) -> dict[str, float]:
        """Slip, vertical and moment power of a tire at its contact on the plane z = 0."""
        r, v, w = self.carrier(c)
        axis, n = r[:, 1], np.array([0.0, 0.0, 1.0])
        forward = np.cross(axis, n)
        cosine = np.linalg.norm(forward)
        forward = forward / cosine
        arm = -self.found[f"Wheel.Global_Z.{c}"] / cosine * np.cross(forward, axis)
        turning = w + self.spin[c] * axis
        at_contact = v + np.cross(turning, arm)
        fx, fy, fz, mx, my, mz = (
            self.found[f"Tire.Ground_Surface_{k}_{a}.{c}"] for k, a in itertools.product(("Force", "Moment"), "XYZ")
        )
        lateral = np.cross(n, forward)
        moment = mx * forward + my * lateral + mz * n
        return {
            "slip": float((fx * forward + fy * lateral) @ at_contact),
            "vertical": float(fz * n @ at_contact),
            "moments": float(moment @ turning),
        }

    def tire_moment(self, c: str) -> Array:
        """At the wheel centre, world axes."""
        r, _, _ = self.carrier(c)
        forward = np.cross(r[:, 1], [0.0, 0.0, 1.0])
        cosine = np.linalg.norm(forward)
        forward = forward / cosine
        lateral = np.cross([0.0, 0.0, 1.0], forward)
        f, m = (
            self.found[f"Tire.Ground_Surface_{k}_X.{c}"] * forward
            + self.found[f"Tire.Ground_Surface_{k}_Y.{c}"] * lateral
            + self.found[f"Tire.Ground_Surface_{k}_Z.{c}"] * np.array([0.0, 0.0, 1.0])
            for k in ("Force", "Moment")
        )
        arm = -self.found[f"Wheel.Global_Z.{c}"] / cosine * np.cross(forward, r[:, 1])
        return np.asarray(m + np.cross(arm, f))

    def brakes(self) -> float:
        total, brakes = 0.0, self.vehicle.brakes
        for c, (axle, side) in CORNERS.items():
            disc = self.vehicle.brake(axle, side)
            share = brakes.bias_front if axle == 1 else 1 - brakes.bias_front
            pressure = share * brakes.master_cylinder_pressure_gain * self.sim.input("brake")
            total -= 2 * disc.piston_area * disc.mu * disc.effective_radius * pressure * abs(self.spin[c])
        return total

    def drive_torque(self, c: str) -> float:
        return self.vehicle.drive.shares[c] * self.vehicle.drive.max_torque * self.sim.input("throttle")

    def drive(self) -> float:
        """Shafts from the chassis: torque times the turning of the wheel relative to it."""
        total = 0.0
        for c in CORNERS:
            r, _, w = self.carrier(c)
            total += self.drive_torque(c) * (self.spin[c] + r[:, 1] @ (w - self.r @ self.w))
        return total

    def aero(self) -> float:
        """½ ρ A V² along the road, V the speed of the point where the force acts."""
        aero = self.vehicle.aero
        assert aero is not None and aero.front_downforce is not None and aero.rear_downforce is not None
        ahead = self.r[:, 0] * [1, 1, 0]
        ahead = ahead / np.linalg.norm(ahead)
        total = 0.0
        for item, direction in (
            (aero.drag, -ahead),
            (aero.front_downforce, np.array([0, 0, -1.0])),
            (aero.rear_downforce, np.array([0, 0, -1.0])),
        ):
            v = self.r @ (self.v + np.cross(self.w, item.location.array - self.centre))
            total += 0.5 * aero.air_density * (item.area or 0.0) * (v @ ahead) ** 2 * (direction @ v)
        return float(total)

    def steering(self) -> float:
        """(1)"""
        up, total = self.r[:, 2], 0.0
        for c in ("L1", "R1"):
            r, _, w_world = self.carrier(c)
            w, data = r.T @ w_world, self.vehicle.wheels(1)
            inertia, spin = np.diag([data.ixx, data.iyy, data.izz]), data.spin_inertia
            h = inertia @ w + spin * self.spin[c] * np.array([0.0, 1.0, 0.0])
            h_rate = inertia @ self.three(f"audit.{c}.alpha{{}}") + np.cross(w, h)
            h_rate[1] += spin * self.rate[f"{c}.wheel.spin"]
            load = self.tire_moment(c) + self.drive_torque(c) * r[:, 1]
            slope = self.vehicle.steering.steer.curve.constant or 0.0
            total += slope * up @ (r @ h_rate - load)
        return float(total * self.sim.input("steering_wheel.rate"))

    def powers(self) -> dict[str, float]:
        tires = [self.tire(c) for c in CORNERS]
        result = {f"tires: {key}": sum(t[key] for t in tires) for key in ("slip", "vertical", "moments")}
        for name in ("springs", "dampers", "stops", "anti_roll", "brakes", "drive", "aero", "steering"):
            result[name] = getattr(self, name)()
        return result


@pytest.fixture(scope="module")
def audit() -> dict[str, Array]:
    """Time, dE/dt, energy and powers over a braking corner from 100 km/h."""
    vehicle = corner_car()
    system = assemble(vehicle, car.tires_of(vehicle), name="audit")
    for place in CORNERS:
        frame = bodies(system)[f"{place}.carrier"].frame
        for i, j in itertools.product(range(3), range(3)):
            system.output(f"audit.{place}.r{i}{j}", frame.orientation[i][j], "-")
        for axis, w, alpha in zip("xyz", frame.w, system.frame_angular_acceleration(frame), strict=True):
            system.output(f"audit.{place}.w{axis}", w, "rad/s")
            system.output(f"audit.{place}.alpha{axis}", alpha, "rad/s2")
    system.output("audit.kinetic", system.kinetic_energy(), "J")
    system.output("audit.potential", system.potential_energy(), "J")
    sim = Simulation(build(system), method="AM-4", step=STEP)
    rolling(sim, 100 / 3.6)
    sim.set_program(Program(Phase("corner", [
        Open("steering_wheel", Pulse(0.7, 0.5, rise=0.3, fall=0.3, delay=0.1, smooth=True)),
        Open("brake", Ramp(0.3, 0.3, start=0.0, delay=0.2, smooth=True)),
        Open("throttle", Ramp(0.1, 0.2, start=0.0, smooth=True)),
    ], duration=10.0)))  # fmt: skip
    rows: list[dict[str, float]] = []
    for k in range(round(TIME / SAMPLE) + 1):
        sim.apply_program()
        here = Audit(vehicle, sim)
        row = {"time": sim.time, "energy": here.found["audit.kinetic"] + here.found["audit.potential"]}
        row["rate"] = here.energy_rate() if k % 10 == 5 else np.nan
        row |= {f"power: {key}": value for key, value in here.powers().items()}
        row |= {f"slip {c}": here.tire(c)["slip"] for c in CORNERS}
        row |= {
            f"a{n[0]}": here.found[f"chassis_accelerations.{k}"] for n, k in (("x", "longitudinal"), ("y", "lateral"))
        }
        rows.append(row)
        sim.advance(round(SAMPLE / STEP))
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def test_the_change_of_energy_is_the_sum_of_all_powers(audit: dict[str, Array]) -> None:
    powers = {k: v for k, v in audit.items() if k.startswith("power")}
    known = np.isfinite(audit["rate"])
    peak = np.abs(audit["rate"][known]).max()
    assert np.abs(audit["ay"]).max() > 5.0 and audit["ax"].min() < -3.0, "a braking corner"
    for name, power in powers.items():
        assert np.abs(power).max() > 1e-4 * peak, f"{name} would not be missed"
    total = np.sum(list(powers.values()), axis=0)
    # differences of the energy of a moving car are good to about 1e-10 of its change
    assert np.abs(total - audit["rate"])[known].max() < 1e-8 * peak


def test_energy_lost_is_work_done(audit: dict[str, Array]) -> None:
    """The same over the whole run: what remains is the error of the method and of Simpson's rule at 4 ms."""
    total = np.sum([v for k, v in audit.items() if k.startswith("power")], axis=0)
    assert len(total) % 2 == 1
    work = SAMPLE / 3 * (total[0] + 4 * total[1:-1:2].sum() + 2 * total[2:-1:2].sum() + total[-1])
    assert work == pytest.approx(audit["energy"][-1] - audit["energy"][0], rel=1e-5)


def test_friction_takes_energy_out(audit: dict[str, Array]) -> None:
    for name in ("dampers", "brakes", "aero", "tires: moments"):
        assert audit[f"power: {name}"].max() <= 0.0, name
    for c in CORNERS:  # contacts are springs as well: they may give back for a moment, but not on average
        assert audit[f"slip {c}"].mean() < 0


# ---- elements of other kinds -------------------------------------------------------------------------------------


def bumpy(values: list[float]) -> dict[str, list[float]]:
    return {"x": [-0.1, -0.05, 0.0, 0.05, 0.1], "y": values}


def rich_car() -> jv.Vehicle:
    """Elements of every form: curves for laws and ratios, torsion, position-dependent damping, unlike sides."""
    ratio = bumpy([-0.088, -0.046, 0.0, 0.05, 0.104])
    twist = bumpy([-0.31, -0.16, 0.0, 0.165, 0.34])
    speeds = {"x": [-1.0, -0.3, 0.0, 0.3, 1.0], "z": [-0.1, 0.0, 0.1]}
    damping = [[-1500, -1200, -1000], [-600, -450, -400], [0, 0, 0], [1000, 950, 900], [2700, 2500, 2300]]
    stop = {"force": {"x": [0.0, 0.02, 0.04], "y": [0.0, 1500.0, 9000.0]}, "ratio": ratio, "scale": 1.1}
    difference = {"x": [-0.1, 0.0, 0.1], "z": [-0.05, 0.05], "y": [[-500, -420], [0, 0], [430, 520]]}
    return compact(**{
        "aero": None,
        "drive": "all",
        "system.torque_reaction": "carrier",
        "front_suspension.spring": {
            "force": {"x": [0.0, 0.1, 0.2, 0.3], "y": [0.0, 2600.0, 5500.0, 9000.0]}, "preload": 3500.0, "ratio": ratio,
            "scale": 1.05,
        },
        "front_suspension.dampers": [
            {"name": "main", "force": {**speeds, "y": damping}, "ratio": ratio, "scale": 0.9},
            {"name": "second", "rate": 400.0, "ratio": 1.6, "ratio_convention": "wheel_per_element"},
        ],
        "front_suspension.bump_stop": {"clearance": 0.004, **stop},
        "front_suspension.rebound_stop": {"clearance": 0.003, **stop},
        "front_suspension.anti_roll_bar": {
            "ratio": twist, "torque": {"x": [-0.6, 0.0, 0.6], "y": [-900.0, 0.0, 800.0]}, "preload": 30.0, "scale": 1.2,
            "right": {"ratio": 3.0},
        },
        "rear_suspension.spring": {
            "type": "rotational", "rate": 3300.0, "preload": 700.0, "ratio": twist, "right": {"rate": 3500.0},
        },
        "rear_suspension.auxiliary_anti_roll": {"force": difference, "damping": 0.04, "scale": 1.3},
    })  # fmt: skip


def law(curve: Any, x: float, z: float = 0.0) -> float:
    """A curve with the interpolation of the car: akima, going on straight."""
    return float(curve(x, z))


def slope(curve: Any, x: float) -> float:
    if curve.constant is not None:
        return float(curve.constant)
    return float(curve.table(method="akima", extrapolation="linear")(x, derivative=1))


def element_powers(vehicle: jv.Vehicle, travel: dict[str, tuple[float, float]]) -> dict[str, float]:
    powers = dict.fromkeys(("springs", "dampers", "stops", "bar", "auxiliary"), 0.0)
    front, rear = vehicle.front_suspension, vehicle.rear_suspension
    for c, (j, rate) in travel.items():
        if c[1] == "1":
            s = front.spring
            assert s is not None and s.force is not None
            start = float(np.interp(3500.0 / 1.05, [0.0, 2600.0, 5500.0, 9000.0], [0.0, 0.1, 0.2, 0.3]))
            for _ in range(50):  # compression at which the curve has the preload
                start += (3500.0 / 1.05 - law(s.force, start)) / 27e3
            powers["springs"] -= 1.05 * law(s.force, start + law(s.ratio, j)) * slope(s.ratio, j) * rate
            first = front.dampers[0]
            v = -slope(first.ratio, j) * rate
            powers["dampers"] -= 0.9 * law(first.force, v, -law(first.ratio, j)) * v + 400.0 * (rate / 1.6) ** 2
            for stop, sign in ((front.bump_stop, 1.0), (front.rebound_stop, -1.0)):
                assert stop is not None
                gap = max(sign * law(stop.ratio, j) - stop.clearance, 0.0)
                powers["stops"] -= sign * 1.1 * law(stop.force, gap) * slope(stop.ratio, j) * rate
        else:
            s = rear.spring
            assert s is not None
            stiffness = 3300.0 if c[0] == "L" else 3500.0
            powers["springs"] -= (700.0 + stiffness * law(s.ratio, j)) * slope(s.ratio, j) * rate
            d = rear.dampers[0]
            powers["dampers"] -= (d.rate or 0.0) * ((d.ratio.constant or 0.0) * rate) ** 2
    (l1, v1), (r1, w1), (l2, v2), (r2, w2) = (travel[c] for c in CORNERS)
    bar, auxiliary = front.anti_roll_bar, rear.auxiliary_anti_roll
    assert bar is not None and auxiliary is not None and auxiliary.force is not None
    torque = 30.0 + 1.2 * law(bar.torque, law(bar.ratio, l1) - 3.0 * r1)
    powers["bar"] = -torque * (slope(bar.ratio, l1) * v1 - 3.0 * w1)
    table = auxiliary.force.table(method="akima", extrapolation="linear")
    mean = 0.5 * (l2 + r2)
    force = float(table(l2 - r2, mean)) + 0.04 * float(table(l2 - r2, mean, derivative=(1, 0))) * (v2 - w2)
    powers["auxiliary"] = -1.3 * force * (v2 - w2)
    return powers


def test_elements_of_every_form_do_the_work_of_their_laws() -> None:
    """In the air at random states, motors in the hubs: dE/dt is what elements and motors give."""
    vehicle = rich_car()
    system = assemble(vehicle, car.tires_of(vehicle), name="rich")
    system.output("audit.energy", system.kinetic_energy() + system.potential_energy(), "J")
    sim = Simulation(build(system))
    which = [v.name for v in sim.model.outputs].index("audit.energy")
    sim.set_inputs({"throttle": 0.4})
    random = np.random.default_rng(3)
    for _ in range(20):
        travel = {c: (random.uniform(-0.05, 0.05), random.uniform(-0.8, 0.8)) for c in CORNERS}
        spin = {c: random.uniform(-60, 60) for c in CORNERS}
        sim.set_states({"chassis.z": 20.0, **{f"chassis.w{a}": random.uniform(-1, 1) for a in "xyz"}})
        sim.set_states({f"chassis.v{a}": random.uniform(-2, 2) for a in "xyz"})
        sim.set_states({f"{c}.jounce": j for c, (j, _) in travel.items()})
        sim.set_states({f"{c}.jounce.rate": v for c, (_, v) in travel.items()})
        sim.set_states({f"{c}.wheel.spin": s for c, s in spin.items()})
        x, f = sim.x.copy(), sim.derivatives()[0]
        found = float(derivative(lambda t, x=x, f=f: np.array(sim.outputs(x=x + t * f)[which]), h=1e-4)[0])  # type: ignore[misc]
        powers = element_powers(vehicle, travel)
        powers["motors"] = sum(0.25 * vehicle.drive.max_torque * 0.4 * s for s in spin.values())
        size = max(abs(p) for p in powers.values())
        assert found == pytest.approx(sum(powers.values()), abs=1e-7 * size), powers
