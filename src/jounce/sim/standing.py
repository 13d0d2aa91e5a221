"""What a car is at rest: masses, loads, heights, angles, rates, frequencies (``jounce show``).

Everything is measured on the compiled model in equilibrium on level ground; rates and kinematic slopes are central
differences of it. With r the loaded radius, t the track, h the height of the centre of gravity, L the wheelbase:

    wheel rate           k_w = -∂Q_J/∂J of the elements, both wheels moving together                           (1)
    ride frequency       ½π⁻¹ √(k_r/m_s),  1/k_r = 1/k_w + 1/k_t                                              (2)
    wheel hop            ½π⁻¹ √((k_w + k_t)/m_u)                                                              (3)
    roll stiffness       k_φ = ½ t² k_roll, wheels moving oppositely                                          (4)
    roll centre height   ½ t dy_c/dJ,  y_c = y + r φ  the contact point of a wheel that only moves              (5)
    anti-dive            p L/h dx_c/dJ,  x_c = x + r sva,  p the share of the axle in braking                   (6)

Modes are those of the linearised car with its dampers, tires and free wheels.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.writing import write_atomically
from jounce.runtime.simulation import Simulation
from jounce.sim.car import Description, lineariser, simulation
from jounce.sim.statics import Settled, settle
from jounce.vehicle.assembly import CORNERS, PAIRED, twins
from jounce.vehicle.basics import SIDES, combine

Array = npt.NDArray[np.float64]

WIDTH = 1e-3  # m, of central differences over wheel travel: within a cell of usual maps


@dataclass(frozen=True)
class Row:
    """One figure: its key, what it is, value and unit as the trade quotes it."""

    key: str
    label: str
    value: float
    unit: str


@dataclass(frozen=True)
class Mode:
    """A mode of the car on its springs and tires."""

    name: str
    frequency: float  # Hz, damped
    damping: float  # ratio


@dataclass(frozen=True)
class Standing:
    """A car in equilibrium on level ground."""

    settled: Settled
    groups: dict[str, list[Row]] = field(default_factory=dict)
    modes: list[Mode] = field(default_factory=list)

    def __getitem__(self, key: str) -> float:
        for rows in self.groups.values():
            for row in rows:
                if row.key == key:
                    return row.value
        raise KeyError(key)

    def figures(self) -> dict[str, tuple[float, str]]:
        """All figures by key: value and unit."""
        return {row.key: (row.value, row.unit) for rows in self.groups.values() for row in rows}


def standing(description: Description, sim: Simulation | None = None) -> Standing:
    """Put a car on level ground and measure it."""
    sim = sim if sim is not None else simulation(description)
    result = settle(sim, description)
    return _Report(description, sim, result).report


def write_state(sim: Simulation, path: str | Path) -> None:
    """Write states, memories, inputs and channels of a simulation to a JSON file, numbers to the last bit."""
    outputs = sim.outputs()
    data = {
        "model": sim.model.name,
        "time": sim.time,
        "states": {v.name: sim.state(v.name) for v in sim.model.states},
        "memories": {v.name: sim.memory(v.name) for v in sim.model.memories},
        "inputs": {v.name: sim.input(v.name) for v in sim.model.inputs},
        "channels": {v.name: float(x) for v, x in zip(sim.model.outputs, outputs, strict=True)},
    }
    write_atomically(path, json.dumps(data, indent=1))


class _Report:
    def __init__(self, description: Description, sim: Simulation, settled: Settled) -> None:
        self.vehicle, self.description, self.sim = description.vehicle, description, sim
        self.report = Standing(settled)
        self.radius = {a: float(np.mean([self._out("Tire.Loaded_Radius", f"{s}{a}") for s in "LR"])) for a in (1, 2)}
        self._masses()
        self._loads()
        self._geometry()
        self._rates()
        self._kinematics()
        self.report.modes.extend(modes(description, sim))

    def _out(self, name: str, corner: str = "") -> float:
        return self.sim.output(f"{name}.{corner}" if corner else name)

    def _add(self, group: str, key: str, label: str, value: float, unit: str) -> None:
        self.report.groups.setdefault(group, []).append(Row(key, label, float(value), unit))

    def _masses(self) -> None:
        v = self.vehicle
        parts = list(v.body.sprung())
        sprung = sum(p[0] for p in parts)
        for axle, side in CORNERS.values():
            w = v.wheels(axle, side)
            parts.append((w.unsprung_mass, v.wheel_centre(axle, side), np.diag([w.ixx, w.iyy, w.izz])))
        mass, centre, inertia = combine(parts)
        front, rear = v.front_suspension.wheel_centre_x, v.rear_suspension.wheel_centre_x
        a, b = front - centre[0], centre[0] - rear
        add = self._add
        add("mass", "mass", "mass", mass, "kg")
        add("mass", "sprung_mass", "sprung mass", sprung, "kg")
        add("mass", "front_weight", "front axle share", 100 * b / (a + b), "%")
        add("mass", "cg_x", "centre of gravity behind the front axle", a, "m")
        height = self._out("System_Mass_Center.Global_Z")
        add("mass", "cg_height", "height of the centre of gravity", height, "m")
        track = 0.5 * (v.front_suspension.track + v.rear_suspension.track)
        add("mass", "ssf", "static stability factor t/2h", track / (2 * height), "-")
        for i, axis in enumerate("xyz"):
            add("mass", f"i{axis}{axis}", f"I{axis}{axis} of the whole car", inertia[i, i], "kg.m2")
        add("mass", "dynamic_index", "Izz/(m a b)", inertia[2, 2] / (mass * a * b), "-")
        self.mass, self.sprung, self.height, self.a, self.b = mass, sprung, height, a, b

    def _loads(self) -> None:
        for corner in CORNERS:
            self._add("loads", f"load_{corner}", f"wheel load {corner}", self._force_z(corner), "N")
        for twin in twins(self.vehicle).values():
            self._add("loads", f"load_{twin}", f"of it on the outer tire {twin}", self._tire_load(twin), "N")
        total = sum(self._force_z(c) for c in CORNERS)
        self._add("loads", "load_total", "all wheels", total, "N")
        cross = (self._force_z("L1") + self._force_z("R2")) / total
        self._add("loads", "cross_weight", "cross weight L1 + R2", 100 * cross, "%")
        for corner in CORNERS:
            if f"Spring.Force_At_Spring.{corner}" in self._names:
                spring = self._out("Spring.Force_At_Spring", corner)
                self._add("loads", f"spring_force_{corner}", f"spring force {corner}", spring, "N")

    @property
    def _names(self) -> set[str]:
        return {v.name for v in self.sim.model.outputs}

    def _tire_load(self, tire: str) -> float:
        return self._out("Tire.Ground_Surface_Force_Z", tire)

    def _force_z(self, corner: str) -> float:
        """Load of a wheel, on both tires of a twin wheel."""
        twin = twins(self.vehicle).get(corner)
        return self._tire_load(corner) + (self._tire_load(twin) if twin is not None else 0.0)

    def _geometry(self) -> None:
        v, add = self.vehicle, self._add
        add("geometry", "wheelbase", "wheelbase", v.wheelbase, "m")
        for axle, name in ((1, "front"), (2, "rear")):
            add("geometry", f"track_{name}", f"track, {name}", v.suspension(axle).track, "m")
        for corner in CORNERS:
            add("geometry", f"jounce_{corner}", f"wheel travel from design {corner}", 1e3 * self._jounce(corner), "mm")
        for axle, name in ((1, "front"), (2, "rear")):
            if f"aero_forces.height_{name}" in self._names:
                value = self._out(f"aero_forces.height_{name}")
                add("geometry", f"ride_height_{name}", f"ride height of the {name} sensor", 1e3 * value, "mm")
            for angle in ("toe", "camber"):
                values = [math.degrees(self.sim.output(f"wheel_angles.{angle}_{s}{axle}")) for s in "LR"]
                add("geometry", f"{angle}_{name}", f"{angle}, {name} (mean per wheel)", float(np.mean(values)), "deg")
            add("geometry", f"loaded_radius_{name}", f"loaded radius, {name}", 1e3 * self.radius[axle], "mm")
        pitch, roll = self._out("chassis_displacements.pitch"), self._out("chassis_displacements.roll")
        add("geometry", "pitch", "pitch, nose down", math.degrees(pitch), "deg")
        add("geometry", "roll", "roll, right side down", math.degrees(roll), "deg")

    def _jounce(self, corner: str) -> float:
        return self._out("Suspension.Jounce", corner)

    def _slope(self, moves: dict[str, float], read: Callable[[], Any]) -> Any:
        """Central difference of what is read while wheels travel by given parts of one metre."""
        was = {c: self.sim.state(f"{c}.jounce") for c in moves}
        values = []
        for sign in (1.0, -1.0):
            self.sim.set_states({f"{c}.jounce": was[c] + sign * WIDTH * part for c, part in moves.items()})
            values.append(np.asarray(read(), dtype=float))
        self.sim.set_states({f"{c}.jounce": value for c, value in was.items()})
        return (values[0] - values[1]) / (2 * WIDTH)

    def _element_force(self, corner: str) -> float:
        """Force of springs, stops and bars on the travel of a wheel, downwards positive, at rest."""
        total = self._out("Spring.Aggregate_Force_At_Wheel", corner)
        bar = f"Suspension.Auxiliary_Roll_Force.SUSP{corner[1]}"
        if bar in self._names:
            total += self._out(bar) if corner[0] == "L" else -self._out(bar)
        return total

    def _rates(self) -> None:
        rates: dict[int, tuple[float, float, float]] = {}
        for axle, name in ((1, "front"), (2, "rear")):
            left, right = f"L{axle}", f"R{axle}"
            heave = float(self._slope({left: 1.0, right: 1.0}, lambda c=left: self._element_force(c)))  # type: ignore[misc]
            roll = float(self._slope({left: 1.0, right: -1.0}, lambda c=left: self._element_force(c)))  # type: ignore[misc]
            tire = self._tire_rate(axle)
            track = self.vehicle.suspension(axle).track
            rates[axle] = heave, roll, tire
            load = sum(self._force_z(c) for c in (left, right)) / self.vehicle.system.gravity
            unsprung = sum(self.vehicle.wheels(axle, s).unsprung_mass for s in SIDES)
            sprung = (load - unsprung) / 2
            ride = heave * tire / (heave + tire)
            add = self._add
            add("rates", f"wheel_rate_{name}", f"wheel rate, {name}", heave / 1e3, "N/mm")
            add("rates", f"tire_rate_{name}", f"tire rate, {name}", tire / 1e3, "N/mm")
            add("rates", f"ride_rate_{name}", f"ride rate, {name}", ride / 1e3, "N/mm")
            frequency = math.sqrt(max(ride, 0.0) / sprung) / (2 * math.pi)
            add("rates", f"ride_frequency_{name}", f"ride frequency, {name}", frequency, "Hz")
            hop = math.sqrt((heave + tire) / (unsprung / 2)) / (2 * math.pi)
            add("rates", f"wheel_hop_{name}", f"wheel hop, {name}", hop, "Hz")
            stiffness = 0.5 * track**2 * roll * math.pi / 180
            add("rates", f"roll_stiffness_{name}", f"roll stiffness at the wheels, {name}", stiffness, "N.m/deg")
        ratio = self.report["ride_frequency_rear"] / self.report["ride_frequency_front"]
        self._add("rates", "ride_frequency_ratio", "ride frequency rear / front", ratio, "-")
        total = self.report["roll_stiffness_front"] + self.report["roll_stiffness_rear"]
        self._add("rates", "roll_stiffness", "roll stiffness at the wheels", total, "N.m/deg")

    def _tire_rate(self, axle: int) -> float:
        """Vertical stiffness of one tire (of both of a twin wheel) at its static load."""
        corner = f"L{axle}"
        was = self.sim.state("chassis.z")
        forces, heights = [], []
        for sign in (1.0, -1.0):
            self.sim.set_states({"chassis.z": was + sign * 1e-4})
            forces.append(self._force_z(corner))
            heights.append(self._out("Tire.Loaded_Radius", corner))
        self.sim.set_states({"chassis.z": was})
        return (forces[1] - forces[0]) / (heights[0] - heights[1])

    def _kinematics(self) -> None:
        share = self._brake_share()
        for axle, name in ((1, "front"), (2, "rear")):
            left, right = f"L{axle}", f"R{axle}"
            words = {"L1": "front_left", "L2": "rear_left"}[left]
            r, track = self.radius[axle], self.vehicle.suspension(axle).track

            def read(c: str = left, w: str = words) -> Array:
                shifts = [self._out(f"Wheel.wheel_center_disp{a}.{w}") for a in "xy"]
                angles = [self.sim.output(f"wheel_angles.{a}_{c}") for a in ("toe", "camber", "caster")]
                return np.array([*shifts, *angles])

            x, _, toe, camber, sva = self._slope({left: 1.0, right: 1.0}, read)
            _, y_roll, _, camber_roll, _ = self._slope({left: 1.0, right: -1.0}, read)
            centre = 0.5 * track * (y_roll - r * camber_roll)
            add = self._add
            add("kinematics", f"roll_centre_{name}", f"roll centre height, {name}", 1e3 * centre, "mm")
            add("kinematics", f"bump_steer_{name}", f"bump steer (toe-in), {name}", math.degrees(toe), "deg/m")
            add("kinematics", f"camber_gain_{name}", f"camber gain, {name}", math.degrees(camber), "deg/m")
            p = share if axle == 1 else 1 - share
            anti = 100 * p * (x + r * sva) * self.vehicle.wheelbase / self.height
            label = "anti-dive, front" if axle == 1 else "anti-lift, rear (braking)"
            key = "anti_dive" if axle == 1 else "anti_lift"
            add("kinematics", key, label, anti if axle == 1 else -anti, "%")

    def _brake_share(self) -> float:
        v = self.vehicle
        torque = {}
        for axle in (1, 2):
            share = v.brakes.bias_front if axle == 1 else 1 - v.brakes.bias_front
            torque[axle] = sum(
                v.brake(axle, s).piston_area * v.brake(axle, s).mu * v.brake(axle, s).effective_radius * share
                for s in SIDES
            )
        total = torque[1] + torque[2]
        value = torque[1] / total if total else 0.0
        self._add("mass", "brake_share_front", "front share of brake torque", 100 * value, "%")
        return value


def modes(description: Description, sim: Simulation) -> list[Mode]:
    """Oscillating modes of the car as it stands, slowest first, named by what moves most."""
    model = lineariser(description).at(sim)
    keep = [i for i, n in enumerate(model.states) if n in _VERTICAL or n.endswith((".jounce", ".jounce.rate"))]
    values, vectors = np.linalg.eig(model.A[np.ix_(keep, keep)])
    names = [model.states[i] for i in keep]
    places = {
        c: description.vehicle.wheel_centre(a, s) - description.vehicle.body.centre() for c, (a, s) in CORNERS.items()
    }
    result = []
    for k in np.argsort(np.abs(values)):
        value = values[k]
        if value.imag > 1e-6:
            name = _mode_name(dict(zip(names, vectors[:, k], strict=True)), places)
            result.append(Mode(name, float(value.imag) / (2 * math.pi), float(-value.real / abs(value))))
    return result


_VERTICAL = ("chassis.z", "chassis.rx", "chassis.ry", "chassis.vz", "chassis.wx", "chassis.wy")


def _mode_name(shape: dict[str, complex], places: dict[str, Array]) -> str:
    """What moves most: a wheel against the body above it, or the body (angles times half the car's length or width)."""
    body = {c: shape["chassis.z"] + p[1] * shape["chassis.rx"] - p[0] * shape["chassis.ry"] for c, p in places.items()}
    wheel = {c: body[c] + shape[f"{c}.jounce"] for c in places}
    most = max(wheel, key=lambda c: abs(wheel[c]))
    if abs(wheel[most]) > max(abs(b) for b in body.values()):
        together = (wheel[most] * wheel[PAIRED[most]].conjugate()).real > 0
        return f"{'front' if most[1] == '1' else 'rear'} wheel hop, {'together' if together else 'opposite'}"
    length, width = (max(abs(p[i]) for p in places.values()) for i in (0, 1))
    size = {"heave": 1.0 * abs(shape["chassis.z"]), "roll": width * abs(shape["chassis.rx"])}
    size["pitch"] = length * abs(shape["chassis.ry"])
    return max(size, key=lambda n: size[n])
