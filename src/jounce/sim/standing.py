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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.components.basics import combine, on_side
from jounce.components.places import AxlePlace, WheelPlace
from jounce.core.writing import write_atomically
from jounce.runtime.simulation import Simulation
from jounce.sim.car import Description, lineariser, simulation
from jounce.sim.equilibrium import Places
from jounce.sim.statics import Settled, settle
from jounce.vehicle.assembly import axle_mass, bodies, placed
from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]

WIDTH = 1e-3  # m, of central differences over wheel travel: within a cell of usual maps
FOLLOWS = 4  # steps of Newton's method for what gives way at a wheel
FOLLOW_STEP = 1e-6  # of its differences, SI


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
        self.place = description.places[0]
        self.report = Standing(settled)
        self.radius = {
            axle.number: float(np.mean([self._out("Tire.Loaded_Radius", wheel.name) for wheel in axle.wheels]))
            for axle in self.place.axles
        }
        self._masses()
        self._loads()
        self._geometry()
        self._rates()
        self._kinematics()
        self._brakes()
        self.report.modes.extend(modes(description, sim))

    def _out(self, name: str, corner: str = "") -> float:
        return self.sim.output(f"{name}.{corner}" if corner else name)

    def _add(self, group: str, key: str, label: str, value: float, unit: str) -> None:
        self.report.groups.setdefault(group, []).append(Row(key, label, float(value), unit))

    def _masses(self) -> None:
        found = bodies(self.place)
        sprung = sum(body.mass for body in found if body.sprung)
        mass, centre, inertia = combine([body.properties for body in found])
        front, rear = self.place.axles[0].x, self.place.axles[-1].x
        a, b = front - centre[0], centre[0] - rear
        add = self._add
        add("mass", "mass", "mass", mass, "kg")
        add("mass", "sprung_mass", "sprung mass", sprung, "kg")
        add("mass", "front_weight", "front axle share", 100 * b / (a + b), "%")
        add("mass", "cg_x", "centre of gravity behind the front axle", a, "m")
        height = self._out("System_Mass_Center.Global_Z")
        add("mass", "cg_height", "height of the centre of gravity", height, "m")
        track = float(np.mean([axle.data.suspension.track for axle in self.place.axles]))
        add("mass", "ssf", "static stability factor t/2h", track / (2 * height), "-")
        for i, axis in enumerate("xyz"):
            add("mass", f"i{axis}{axis}", f"I{axis}{axis} of the whole car", inertia[i, i], "kg.m2")
        add("mass", "dynamic_index", "Izz/(m a b)", inertia[2, 2] / (mass * a * b), "-")
        self.mass, self.sprung, self.height, self.a, self.b = mass, sprung, height, a, b

    def _loads(self) -> None:
        wheels = self.place.wheels
        for corner in wheels:
            self._add("loads", f"load_{corner}", f"wheel load {corner}", self._force_z(corner), "N")
        for twin in (wheel.twin for wheel in wheels.values() if wheel.twin):
            self._add("loads", f"load_{twin}", f"of it on the outer tire {twin}", self._tire_load(twin), "N")
        total = sum(self._force_z(c) for c in wheels)
        self._add("loads", "load_total", "all wheels", total, "N")
        if [len(axle.wheels) for axle in self.place.axles] == [2, 2]:
            first, last = self.place.axles[0].wheels[0].name, self.place.axles[1].wheels[1].name
            cross = (self._force_z(first) + self._force_z(last)) / total
            self._add("loads", "cross_weight", f"cross weight {first} + {last}", 100 * cross, "%")
        for item in placed(self.place, self.description.further.get(self.place.prefix, ())):
            for group, key, label, value, unit in item.part.figures(item.place, self._out):
                self._add(group, key, label, value, unit)

    @property
    def _names(self) -> set[str]:
        return {v.name for v in self.sim.model.outputs}

    def _tire_load(self, tire: str) -> float:
        return self._out("Tire.Ground_Surface_Force_Z", tire)

    def _force_z(self, corner: str) -> float:
        """Load of a wheel, on both tires of a twin wheel."""
        twin = self.place.wheels[corner].twin
        return self._tire_load(corner) + (self._tire_load(twin) if twin else 0.0)

    def _geometry(self) -> None:
        v, add = self.vehicle, self._add
        add("geometry", "wheelbase", "wheelbase", v.wheelbase, "m")
        for axle in self.place.axles:
            add("geometry", f"track_{axle.word}", f"track, {axle.word}", axle.data.suspension.track, "m")
        for corner in self.place.wheels:
            add("geometry", f"jounce_{corner}", f"wheel travel from design {corner}", 1e3 * self._jounce(corner), "mm")
        for axle in self.place.axles:
            name = axle.word
            if f"aero_forces.height_{name}" in self._names:
                value = self._out(f"aero_forces.height_{name}")
                add("geometry", f"ride_height_{name}", f"ride height of the {name} sensor", 1e3 * value, "mm")
            for angle in ("toe", "camber"):
                values = [math.degrees(self.sim.output(f"wheel_angles.{angle}_{w.name}")) for w in axle.wheels]
                add("geometry", f"{angle}_{name}", f"{angle}, {name} (mean per wheel)", float(np.mean(values)), "deg")
            add("geometry", f"loaded_radius_{name}", f"loaded radius, {name}", 1e3 * self.radius[axle.number], "mm")
        pitch, roll = self._out("chassis_displacements.pitch"), self._out("chassis_displacements.roll")
        add("geometry", "pitch", "pitch, nose down", math.degrees(pitch), "deg")
        add("geometry", "roll", "roll, right side down", math.degrees(roll), "deg")

    def _jounce(self, corner: str) -> float:
        return self._out("Suspension.Jounce", corner)

    def _slope(self, axle: AxlePlace, parts: tuple[float, ...], read: Callable[[], Any]) -> Any:
        """Central difference of what is read while the wheels of an axle travel by given parts of one metre."""
        names = [wheel.travel for wheel in axle.wheels]
        was = {name: self.sim.state(name) for name in names}
        values = []
        for sign in (1.0, -1.0):
            moved = zip(names, parts, strict=False)
            self.sim.set_states({name: was[name] + sign * WIDTH * part for name, part in moved})
            self._follow(axle)
            values.append(np.asarray(read(), dtype=float))
        self.sim.set_states(was)
        self._follow(axle)
        return (values[0] - values[1]) / (2 * WIDTH)

    def _follow(self, axle: AxlePlace) -> None:
        """Let what gives way at the wheels of an axle (a series stiffness) find its balance for the present travels."""
        model, roles = self.sim.model, {v.name: v.role for v in self.sim.model.states}
        own = tuple(wheel.prefix for wheel in axle.wheels)
        travels = {wheel.travel for wheel in axle.wheels}
        names = [n for n, role in roles.items() if role == "balance" and n.startswith(own) and n not in travels]
        if not names:
            return
        index = {v.name: i for i, v in enumerate(model.states)}
        rows = [index.get(f"{name}.rate", index[name]) for name in names]  # of a coordinate that of its speed
        columns = [index[name] for name in names]
        for _ in range(FOLLOWS):
            residual = self.sim.derivatives()[0][rows]
            slopes = np.empty((len(rows), len(columns)))
            for k, column in enumerate(columns):
                here = self.sim.x[column]
                step = FOLLOW_STEP * max(1.0, abs(here))
                self.sim.x[column] = here + step
                slopes[:, k] = (self.sim.derivatives()[0][rows] - residual) / step
                self.sim.x[column] = here
            self.sim.x[columns] -= np.linalg.solve(slopes, residual)

    def _element_force(self, wheel: WheelPlace) -> float:
        """Force of springs, stops and bars on the travel of a wheel, downwards positive, at rest."""
        total = self._out("Spring.Aggregate_Force_At_Wheel", wheel.name)
        central = f"Spring.Central_Force_At_Wheel.{wheel.name}"
        if central in self._names:
            total += self._out(central)
        bar = f"Suspension.Auxiliary_Roll_Force.SUSP{wheel.axle.number}"
        if bar in self._names:
            total += wheel.outwards * self._out(bar)
        return total

    def _brakes(self) -> None:
        first, shares = self.place.axles[0], brake_shares(self.vehicle)
        if len(self.place.axles) > 1 and any(shares.values()):
            share = 100 * shares[first.number]
            self._add("brakes", f"brake_{first.word}_share", f"brake torque, {first.word} share", share, "%")

    def _rates(self) -> None:
        add = self._add
        for axle in self.place.axles:
            name, left = axle.word, axle.wheels[0]
            heave = float(self._slope(axle, (1.0, 1.0), partial(self._element_force, left)))
            roll = float(self._slope(axle, (1.0, -1.0), partial(self._element_force, left)))
            tire = self._tire_rate(left)
            load = sum(self._force_z(w.name) for w in axle.wheels) / self.vehicle.system.gravity
            unsprung = axle_mass(axle)
            sprung, count = (load - unsprung) / len(axle.wheels), len(axle.wheels)
            ride = heave * tire / (heave + tire)
            add("rates", f"wheel_rate_{name}", f"wheel rate, {name}", heave / 1e3, "N/mm")
            add("rates", f"tire_rate_{name}", f"tire rate, {name}", tire / 1e3, "N/mm")
            add("rates", f"ride_rate_{name}", f"ride rate, {name}", ride / 1e3, "N/mm")
            frequency = math.sqrt(max(ride, 0.0) / sprung) / (2 * math.pi)
            add("rates", f"ride_frequency_{name}", f"ride frequency, {name}", frequency, "Hz")
            hop = math.sqrt((heave + tire) / (unsprung / count)) / (2 * math.pi)
            add("rates", f"wheel_hop_{name}", f"wheel hop, {name}", hop, "Hz")
            stiffness = 0.5 * axle.data.suspension.track**2 * roll * math.pi / 180 if count == 2 else 0.0
            add("rates", f"roll_stiffness_{name}", f"roll stiffness at the wheels, {name}", stiffness, "N.m/deg")
        words = [axle.word for axle in self.place.axles]
        if len(words) > 1:
            ratio = self.report[f"ride_frequency_{words[-1]}"] / self.report[f"ride_frequency_{words[0]}"]
            add("rates", "ride_frequency_ratio", f"ride frequency {words[-1]} / {words[0]}", ratio, "-")
        total = sum(self.report[f"roll_stiffness_{word}"] for word in words)
        add("rates", "roll_stiffness", "roll stiffness at the wheels", total, "N.m/deg")

    def _tire_rate(self, wheel: WheelPlace) -> float:
        """Vertical stiffness of one tire (of both of a twin wheel) at its static load."""
        linear = lineariser(self.description)
        places = Places(self.sim, linear.notes["states"])
        height = places.state[linear.rest["bodies"][0]["position"][2]]  # towed units go along
        was, forces, heights = self.sim.x[height], [], []
        for sign in (1.0, -1.0):
            self.sim.x[height] = was + sign * 1e-4
            forces.append(self._force_z(wheel.name))
            heights.append(self._out("Tire.Loaded_Radius", wheel.name))
        self.sim.x[height] = was
        return (forces[1] - forces[0]) / (heights[0] - heights[1])

    def _kinematics(self) -> None:
        shares = brake_shares(self.vehicle)
        self._add("mass", "brake_share_front", "front share of brake torque", 100 * shares[1], "%")
        axles = self.place.axles
        for axle in axles:
            name, left = axle.word, axle.wheels[0]
            r, track = self.radius[axle.number], axle.data.suspension.track

            def read(w: WheelPlace = left) -> Array:
                shifts = [self._out(f"Wheel.wheel_center_disp{a}.{w.words}") for a in "xy"]
                angles = [self.sim.output(f"wheel_angles.{a}_{w.name}") for a in ("toe", "camber", "caster")]
                return np.array([*shifts, *angles])

            x, _, toe, camber, sva = self._slope(axle, (1.0, 1.0), read)
            _, y_roll, _, camber_roll, _ = self._slope(axle, (1.0, -1.0), read)
            centre = 0.5 * track * (y_roll - r * camber_roll)
            add = self._add
            add("kinematics", f"roll_centre_{name}", f"roll centre height, {name}", 1e3 * centre, "mm")
            add("kinematics", f"bump_steer_{name}", f"bump steer (toe-in), {name}", math.degrees(toe), "deg/m")
            add("kinematics", f"camber_gain_{name}", f"camber gain, {name}", math.degrees(camber), "deg/m")
            anti = 100 * shares[axle.number] * (x + r * sva) * self.vehicle.wheelbase / self.height
            if axle is axles[0]:
                add("kinematics", "anti_dive", f"anti-dive, {name}", anti, "%")
            elif axle is axles[-1]:
                add("kinematics", "anti_lift", f"anti-lift, {name} (braking)", -anti, "%")


def brake_shares(vehicle: Vehicle) -> dict[int, float]:
    """Share of each axle, by its number, in the brake torque: by the torques that a pressure gives."""
    brakes, torque = vehicle.brakes, {}
    for axle in vehicle.layout.axles:
        share = axle.data.brake_share or 0.0 if brakes is None else brakes.share_of(axle)
        found = [on_side(axle.data.brake, wheel.side) for wheel in axle.wheels if axle.data.brake is not None]
        torque[axle.number] = sum(share * brake.full_moment(1.0) for brake in found)
    total = sum(torque.values())
    return {number: value / total if total else 0.0 for number, value in torque.items()}


def modes(description: Description, sim: Simulation) -> list[Mode]:
    """Oscillating modes of the car as it stands, slowest first, named by what moves most."""
    linear = lineariser(description)
    model, rest = linear.at(sim), linear.rest
    partners = dict(rest["partners"])
    moving = [i for i, role in enumerate(rest["roles"]) if role == "balance" and i in partners]
    keep = sorted({*moving, *(partners[i] for i in moving)})
    values, vectors = np.linalg.eig(model.A[np.ix_(keep, keep)])
    shape_of = _Shapes(description, [model.states[i] for i in keep], keep, rest)
    result = []
    for k in np.argsort(np.abs(values)):
        value = values[k]
        if value.imag > 1e-6:
            name = shape_of.name(vectors[:, k])
            result.append(Mode(name, float(value.imag) / (2 * math.pi), float(-value.real / abs(value))))
    return result


class _Shapes:
    """Names of modes by what moves most."""

    def __init__(self, description: Description, names: list[str], keep: list[int], rest: dict[str, Any]) -> None:
        self.names = names
        body = rest["bodies"][0]
        self.z, self.rx, self.ry = (keep.index(i) for i in (body["position"][2], *body["tilt"][:2]))
        self.wheels = description.places[0].wheels
        centre = description.places[0].units[0].origins[""]
        self.places = {name: wheel.centre - centre for name, wheel in self.wheels.items()}
        self.travel = {name: names.index(wheel.travel) for name, wheel in self.wheels.items()}

    def name(self, shape: Any) -> str:
        """A wheel against the body above it, the body (angles times half the car's length or width), or else."""
        body = {c: shape[self.z] + p[1] * shape[self.rx] - p[0] * shape[self.ry] for c, p in self.places.items()}
        wheel = {c: body[c] + shape[self.travel[c]] for c in self.places}
        most = max(wheel, key=lambda c: abs(wheel[c]))
        if abs(wheel[most]) > max(abs(b) for b in body.values()):
            place = self.wheels[most]
            together = (wheel[most] * wheel[place.paired.name].conjugate()).real > 0
            return f"{place.axle.word} wheel hop, {'together' if together else 'opposite'}"
        length, width = (max(abs(p[i]) for p in self.places.values()) for i in (0, 1))
        size = {"heave": abs(shape[self.z]), "roll": width * abs(shape[self.rx]), "pitch": length * abs(shape[self.ry])}
        return max(size, key=lambda n: size[n])
