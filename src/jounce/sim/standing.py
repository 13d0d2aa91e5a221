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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.components.basics import combine, on_side
from jounce.components.places import AxlePlace, UnitPlace, WheelPlace
from jounce.components.suspension.equalizer import equalizer_of
from jounce.core.writing import write_atomically
from jounce.runtime.simulation import Simulation
from jounce.sim.car import Description, lineariser, simulation
from jounce.sim.equilibrium import Places
from jounce.sim.modes import Mode, modes
from jounce.sim.statics import Settled, settle
from jounce.vehicle.assembly import axle_mass, bodies, bodies_of, placed
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
        """Of the whole vehicle; of several units also each one, its own bodies alone."""
        found = bodies(self.place)
        sprung = sum(body.mass for body in found if body.sprung)
        add = self._add
        mass = combine([body.properties for body in found])[0]
        add("mass", "mass", "mass", mass, "kg")
        add("mass", "sprung_mass", "sprung mass", sprung, "kg")
        for unit in self.place.units:
            self._unit_masses(unit, combine([body.properties for body in bodies_of(unit)]))

    def _unit_masses(self, unit: UnitPlace, properties: tuple[float, Array, Array]) -> None:
        """Levers of a unit: between its first axle, or its coupling, and the middle of what else it stands on."""
        mass, centre, inertia = properties
        add, several = self._add, len(self.place.units) > 1
        key = (lambda name: name) if unit.number == 1 else (lambda name: f"{name}_unit{unit.number}")
        of = f" of {unit.data.name or f'unit {unit.number}'}" if several else ""
        whole = " of the whole car" if not several else of
        if several:
            add("mass", f"mass_unit{unit.number}", f"mass{of}", mass, "kg")
        ahead, behind = (unit.axles[:1], unit.axles[1:]) if unit.parent is None else ((), unit.axles)
        front = ahead[0].x if ahead else 0.0
        x = float(centre[0] - unit.offset[0])
        a = front - x
        if behind:
            b = x - self._middle(behind)
            word = "front axle share" if unit.parent is None else "share on its coupling"
            name = key("front_weight") if unit.parent is None else key("coupling_weight")
            add("mass", name, f"{word}{of}", 100 * b / (a + b), "%")
        start = "front axle" if unit.parent is None else "coupling"
        add("mass", key("cg_x"), f"centre of gravity{of} behind the {start}", a, "m")
        height = self._out(f"{unit.own}System_Mass_Center.Global_Z")
        add("mass", key("cg_height"), f"height of the centre of gravity{of}", height, "m")
        if unit.axles:
            track = float(np.mean([_stand(axle) for axle in unit.axles]))
            add("mass", key("ssf"), f"static stability factor t/2h{of}", track / (2 * height), "-")
        for i, axis in enumerate("xyz"):
            add("mass", key(f"i{axis}{axis}"), f"I{axis}{axis}{whole}", inertia[i, i], "kg.m2")
        if behind:
            add("mass", key("dynamic_index"), f"Izz/(m a b){of}", inertia[2, 2] / (mass * a * b), "-")
        if unit.number == 1:
            self.height = height

    def _middle(self, axles: Sequence[AxlePlace]) -> float:
        """Where axles carry together, m."""
        loads = [sum(self._force_z(wheel.name) for wheel in axle.wheels) for axle in axles]
        return sum(load * axle.x for load, axle in zip(loads, axles, strict=True)) / sum(loads)

    def _loads(self) -> None:
        wheels = self.place.wheels
        for corner in wheels:
            self._add("loads", f"load_{corner}", f"wheel load {corner}", self._force_z(corner), "N")
        for twin in (wheel.twin for wheel in wheels.values() if wheel.twin):
            self._add("loads", f"load_{twin}", f"of it on the outer tire {twin}", self._tire_load(twin), "N")
        total = sum(self._force_z(c) for c in wheels)
        self._add("loads", "load_total", "all wheels", total, "N")
        if len(self.place.axles) > 2:
            self._axle_loads()
        if [len(axle.wheels) for axle in self.place.axles] == [2, 2]:
            first, last = self.place.axles[0].wheels[0].name, self.place.axles[1].wheels[1].name
            cross = (self._force_z(first) + self._force_z(last)) / total
            self._add("loads", "cross_weight", f"cross weight {first} + {last}", 100 * cross, "%")
        for item in placed(self.place, self.description.further.get(self.place.prefix, ())):
            for group, key, label, value, unit in item.part.figures(item.place, self._out):
                self._add(group, key, label, value, unit)

    def _axle_loads(self) -> None:
        """Of each axle, of groups of them, and of couplings: what a towed unit does not carry itself."""
        axle_load = {axle.number: sum(self._force_z(wheel.name) for wheel in axle.wheels) for axle in self.place.axles}
        for axle in self.place.axles:
            self._add("loads", f"load_{axle.word}", f"axle load, {axle.word}", axle_load[axle.number], "N")
        for axle in self.place.axles:
            if len(axle.group) > 1 and axle.group[0] is axle:
                load = sum(axle_load[item.number] for item in axle.group)
                numbers = " + ".join(item.word for item in axle.group)
                self._add("loads", f"load_group_{axle.word}", f"axle group, {numbers}", load, "N")
        borne: dict[int, float] = {}
        for unit in reversed(self.place.units[1:]):
            weight = math.fsum(body.mass for body in bodies_of(unit)) * self.vehicle.system.gravity
            own = sum(axle_load[axle.number] for axle in unit.axles)
            borne[unit.number] = weight + sum(borne[item.number] for item in unit.towed) - own
        for unit in self.place.units[1:]:
            word = f"on the coupling of {unit.data.name or f'unit {unit.number}'}"
            self._add("loads", f"coupling_load_unit{unit.number}", word, borne[unit.number], "N")

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
        """Central difference of what is read while the wheels of an axle travel by given parts of one metre.

        Axles that share their springs travel together, as they do under a body.
        """
        axles = axle.group if equalizer_of(axle) is not None else [axle]
        moved = [(wheel.travel, part) for item in axles for wheel, part in zip(item.wheels, parts, strict=False)]
        was = {name: self.sim.state(name) for name, _ in moved}
        values = []
        for sign in (1.0, -1.0):
            self.sim.set_states({name: was[name] + sign * WIDTH * part for name, part in moved})
            for item in axles:
                self._follow(item)
            values.append(np.asarray(read(), dtype=float))
        self.sim.set_states(was)
        for item in axles:
            self._follow(item)
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
        beam, track = wheel.axle.data.suspension.solid, wheel.axle.data.suspension.track
        if beam is not None and beam.spring_track is not None:  # inboard of the wheels: each bears a part of both
            other = self._out("Spring.Aggregate_Force_At_Wheel", wheel.paired.name)
            total = 0.5 * (total + other) + 0.5 * beam.spring_track / track * (total - other)
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
        first = self.place.units[0]
        words = [axle.word for axle in first.axles]
        if len(words) > 1:
            ratio = self.report[f"ride_frequency_{words[-1]}"] / self.report[f"ride_frequency_{words[0]}"]
            add("rates", "ride_frequency_ratio", f"ride frequency {words[-1]} / {words[0]}", ratio, "-")
        for unit in self.place.units:
            total = sum(self.report[f"roll_stiffness_{axle.word}"] for axle in unit.axles)
            key, of = ("", "") if unit is first else (f"_unit{unit.number}", f" of {unit.data.name or unit.number}")
            add("rates", f"roll_stiffness{key}", f"roll stiffness at the wheels{of}", total, "N.m/deg")

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
            elif axle is self.place.units[0].axles[-1]:
                add("kinematics", "anti_lift", f"anti-lift, {name} (braking)", -anti, "%")


def _stand(axle: AxlePlace) -> float:
    """Between the middles of what stands on either side: of twin tires between both."""
    wheels = axle.data.wheels
    return float(axle.data.suspension.track + (wheels.twin.offset if wheels.twin is not None else 0.0))


def brake_shares(vehicle: Vehicle) -> dict[int, float]:
    """Share of each axle, by its number, in the brake torque: by the torques that a pressure gives."""
    brakes, torque = vehicle.brakes, {}
    for axle in vehicle.layout.axles:
        share = axle.data.brake_share or 0.0 if brakes is None else brakes.share_of(axle)
        found = [on_side(axle.data.brake, wheel.side) for wheel in axle.wheels if axle.data.brake is not None]
        torque[axle.number] = sum(share * brake.full_moment(1.0) for brake in found)
    total = sum(torque.values())
    return {number: value / total if total else 0.0 for number, value in torque.items()}
