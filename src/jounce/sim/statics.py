"""Equilibrium of a car on the ground.

What is sought: heights, inclinations and wheel travels at rest with

    v̇_z = ω̇_x = ω̇_y = J̈ = 0            in chassis axes                                                    (1)
    v̇_y = ω̇_z = 0                       by lateral deflections of the contacts, as of a car pushed sideways     (2)
    v̇_x = Ω̇ = 0                         when brakes hold the wheels: by longitudinal deflections and the
                                         deflection of the pads; without brakes a car on a slope is about to roll  (3)

The deflections (u, v) of the contacts come from one displacement (s_x, s_y, s_ψ) of the car in the plane of the
road from where its tires would be without force, (u, v)ᵢ = -(components of s + s_ψ × rᵢ along wheel i), so that (2, 3)
have as many unknowns as equations. Tires without contact deflections (steady use modes) carry nothing at rest; then (1)
alone counts.

Newton's method on exact Jacobians (the pads enter linearly, their columns are differences). When it fails, dynamic
relaxation: the car is simulated until the norms of speeds and accelerations over all bodies are below the limits of
``system.statics``. If the brakes are off they are applied meanwhile, and gravity acts without its part along the car,
which only brakes could hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from jounce.core.errors import JounceError, ParameterError, StaticsError
from jounce.runtime.simulation import Simulation
from jounce.runtime.user_tire import in_analysis
from jounce.sim.car import Description, lineariser
from jounce.sim.equilibrium import Places, newton, rotation
from jounce.vehicle.assembly import CORNERS, twins

Array = npt.NDArray[np.float64]

# Largest changes in one Newton step, SI: a wheel stays on its map, a contact on its curve.
STEP_LIMITS = {"jounce": 0.02, "z": 0.05, "tilt": 0.05, "shift": 0.01, "turn": 0.01, "pad": 0.1}
TOLERANCE = 1e-9  # largest remaining acceleration, m/s² or rad/s²
ROUNDING = 1e-6  # what is accepted when no step makes it smaller
ITERATIONS = 40
INTERVAL = 0.01  # s, of relaxation between two looks at the norms
NORMS = {
    "translational_speed": "System.Translational_Speed_Norm",
    "translational_acceleration": "System.Translational_Acceleration_Norm",
    "angular_speed": "System.Angular_Speed_Norm",
    "angular_acceleration": "System.Angular_Acceleration_Norm",
}


@dataclass(frozen=True)
class Settled:
    """How an equilibrium was found."""

    method: Literal["newton", "relaxation", "none"]
    iterations: int  # of Newton, or intervals of relaxation
    residual: float  # largest acceleration left, SI
    held: tuple[str, ...]  # what is in balance in the plane of the road: "lateral", "longitudinal"
    norms: Mapping[str, float] = field(default_factory=dict)


@in_analysis("statics")
def settle(
    sim: Simulation,
    description: Description,
    *,
    method: Literal["newton", "relaxation", "auto"] = "auto",
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0),
    height: float = 0.0,
    x: float = 0.0,
    y: float = 0.0,
    heading: float = 0.0,
) -> Settled:
    """Put a car on the ground, at rest.

    Parameters
    ----------
    sim : of ``car.simulation``; its brake input holds the wheels when it is on
    description : the car
    method : ``auto`` relaxes when Newton's method fails
    normal, height : of the ground under the car, to start from; the ground itself is the simulation's
    x, y, heading : where the vehicle reference point stands and where the car points to

    Raises
    ------
    StaticsError
        Naming the norm that stays too large; the last state is kept in the simulation.
    """
    if not isinstance(description, Description):
        raise ParameterError(
            f"settle: found a {type(description).__name__}; expected the description of the car that the simulation "
            "was made from: description = car.describe(vehicle, …), sim = car.simulation(description)"
        )
    place(sim, description, x=x, y=y, heading=heading, normal=normal, height=height)
    with _helpers(sim, description):
        if method == "relaxation":
            return _relax(sim, description, normal)
        start = sim.snapshot()
        try:
            return _Newton(sim, description).solve()
        except (StaticsError, FloatingPointError, np.linalg.LinAlgError):
            if method == "newton":
                raise
        sim.restore(start)
        relaxed = _relax(sim, description, normal)
        found = sim.snapshot()
        try:  # close to the solution now: the exact one is better, from tires without strain
            sim.set_states({v.name: 0.0 for v in sim.model.states if v.name.endswith((".tire.u", ".tire.v"))})
            return _Newton(sim, description).solve()
        except (StaticsError, FloatingPointError, np.linalg.LinAlgError):
            sim.restore(found)
            return relaxed


def place(
    sim: Simulation,
    description: Description,
    *,
    x: float = 0.0,
    y: float = 0.0,
    heading: float = 0.0,
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0),
    height: float = 0.0,
) -> None:
    """Put a car at design on a plane, at rest, its reference point at x, y of the world."""
    n = np.array(normal) / np.linalg.norm(normal)
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    ahead -= (ahead @ n) * n
    ahead /= np.linalg.norm(ahead)
    rotation = np.column_stack([ahead, np.cross(n, ahead), n])
    centre = description.vehicle.body.centre()
    position = np.array([x, y, height]) + rotation @ centre
    values = {v.name: v.default for v in sim.model.states}
    values |= {f"chassis.{axis}": float(position[i]) for i, axis in enumerate("xyz")}
    first = sim.model.quaternions[0]
    names = [v.name for v in sim.model.states[first : first + 4]]
    values |= dict(zip(names, map(float, _quaternion(rotation)), strict=True))
    sim.set_states(values)
    sim.set_memories({v.name: v.default for v in sim.model.memories})


def _quaternion(r: Array) -> Array:
    """Unit quaternion, scalar first, of a rotation matrix; exact for the identity."""
    w = math.sqrt(max(0.0, 1 + float(np.trace(r)))) / 2
    if w > 0.5:
        return np.array([w, *(np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / (4 * w))])
    i = int(np.argmax(np.diag(r)))
    j, k = (i + 1) % 3, (i + 2) % 3
    s = math.sqrt(1 + float(r[i, i] - r[j, j] - r[k, k]))
    q = np.zeros(4)
    q[0] = (r[k, j] - r[j, k]) / (2 * s)
    q[1 + i], q[1 + j], q[1 + k] = s / 2, (r[i, j] + r[j, i]) / (2 * s), (r[i, k] + r[k, i]) / (2 * s)
    result: Array = q / np.linalg.norm(q)
    return result


@contextmanager
def _helpers(sim: Simulation, description: Description) -> Iterator[None]:
    """Linear springs and dampers, brakes and spin damping of ``system.statics``, for the search only."""
    options = description.vehicle.system.statics
    saved = sim.parameters
    brake = sim.input("brake")
    changes: dict[str, float] = {}
    for corner, (axle, _) in CORNERS.items():
        end = "front" if axle == 1 else "rear"
        if options.use_linear_damper:
            changes |= {n: 0.0 for n in saved if n.startswith(f"{corner}.damper") and n.endswith(".scale")}
            changes[f"{corner}.statics.damper_rate"] = getattr(options, f"linear_damper_rate_{end}")
        if options.use_linear_spring:
            changes |= {n: 0.0 for n in saved if n == f"{corner}.spring.scale"}
            changes[f"{corner}.statics.spring_rate"] = getattr(options, f"linear_spring_rate_{end}")
        changes[f"{corner}.statics.spin_damping"] = options.brake_damping
    aero = description.vehicle.aero
    if aero is not None and not aero.in_statics:
        changes["aero.active"] = 0.0
    sim.set_parameters(changes)
    if options.use_brakes:
        sim.set_inputs({"brake": max(brake, 1.0)})
    try:
        yield
    finally:
        sim.set_parameters({name: saved[name] for name in changes})
        sim.set_inputs({"brake": brake})


def _norms(sim: Simulation) -> dict[str, float]:
    return {key: sim.output(name) for key, name in NORMS.items()}


class _Newton:
    """Unknowns and equations (1-3) of one car."""

    def __init__(self, sim: Simulation, description: Description) -> None:
        self.sim = sim
        self.linear = lineariser(description)
        names = tuple(self.linear.notes["states"])
        self.places = Places(sim, names)
        self.names = names
        index = {name: i for i, name in enumerate(names)}
        extra = [n for n in names if n.startswith("split.") and n.endswith((".angle", ".shift", ".integral"))]
        twin = {place: corner for corner, place in twins(description.vehicle).items()}
        # tires whose contacts deflect, with their corners
        self.tires = {place: twin.get(place, place) for place in (*CORNERS, *twin) if f"{place}.tire.v" in index}
        free = ["chassis.z", "chassis.rx", "chassis.ry", *(f"{c}.jounce" for c in CORNERS), *extra]
        rows = ["chassis.vz", "chassis.wx", "chassis.wy", *(f"{c}.jounce.rate" for c in CORNERS)]
        rows += [n for n in names if n.startswith("split.") and n.endswith((".rate", ".integral"))]
        limits = [STEP_LIMITS["z"], STEP_LIMITS["tilt"], STEP_LIMITS["tilt"]]
        limits += [STEP_LIMITS["jounce"]] * (len(CORNERS) + len(extra))
        self.free = [index[n] for n in free]
        self.shifts: list[str] = []
        self.pads: list[int] = []
        held = []
        if all(corner in self.tires for corner in CORNERS):
            self.shifts = ["y", "turn"]
            rows += ["chassis.vy", "chassis.wz"]
            limits += [STEP_LIMITS["shift"], STEP_LIMITS["turn"]]
            held.append("lateral")
            memories = {v.name: i for i, v in enumerate(sim.model.memories)}
            pads = [f"{c}.brake.pad.deflection" for c in CORNERS]
            if sim.input("brake") > 0 and all(p in memories for p in pads):
                self.shifts = ["x", *self.shifts]
                rows += ["chassis.vx", *(f"{c}.wheel.spin" for c in CORNERS)]
                limits += [STEP_LIMITS["shift"], *[STEP_LIMITS["pad"]] * len(CORNERS)]
                self.pads = [memories[p] for p in pads]
                held.append("longitudinal")
        self.rows = [index[n] for n in rows]
        self.limits = np.array(limits)
        self.held = tuple(held)
        self.deflection = {(place, d): index[f"{place}.tire.{d}"] for place in self.tires for d in "uv"}

    def residual(self) -> Array:
        return self.places.rates(self.sim.derivatives()[0])[self.rows]

    def _shift_columns(self) -> dict[str, Array]:
        """Change of the tangent states per unit of a displacement of the car in the road's plane."""
        result = {}
        sim = self.sim
        origin = np.array([sim.state(f"chassis.{a}") for a in "xyz"])
        first = sim.model.quaternions[0]
        axes = rotation(sim.x[first : first + 4])
        for shift in self.shifts:
            column = np.zeros(len(self.names))
            for tire, corner in self.tires.items():
                steer = sim.output(f"Wheel.Spindle_Steer.{corner}")
                c, s = np.cos(steer), np.sin(steer)
                place = np.array([sim.output(f"Wheel.Global_{a}.{corner}") for a in "XYZ"])
                rx, ry, _ = axes.T @ (place - origin)
                if tire != corner:
                    out = sim.parameter(f"{tire}.offset") * (1.0 if corner[0] == "L" else -1.0)
                    rx, ry = rx - s * out, ry + c * out
                dx, dy = {"x": (1.0, 0.0), "y": (0.0, 1.0), "turn": (-ry, rx)}[shift]
                # u̇ = -Vsx, v̇ = +Vsy while nothing leaks: the contact stays, the wheel moves
                column[self.deflection[tire, "u"]] = -(c * dx + s * dy) if self.pads else 0.0
                column[self.deflection[tire, "v"]] = c * dy - s * dx
            result[shift] = column
        return result

    def jacobian(self) -> Array:
        """Rates over unknowns; the directions of the unknowns in the tangent states are kept for `move`."""
        a = self.linear.at(self.sim).A
        directions = [np.eye(len(self.names))[i] for i in self.free]
        shifts = self._shift_columns() if self.shifts else {}
        directions += [shifts[s] for s in ("y", "turn", "x") if s in shifts]
        columns = [a[self.rows] @ d for d in directions]
        for m in self.pads:  # the pad's force is linear in its deflection
            was = self.sim.m[m]
            width = 1e-3
            values = []
            for sign in (1.0, -1.0):
                self.sim.m[m] = was + sign * width
                values.append(self.residual())
            self.sim.m[m] = was
            columns.append((values[0] - values[1]) / (2 * width))
        self.directions = np.array(directions)
        return np.column_stack(columns)

    def save(self) -> tuple[Array, Array]:
        return self.sim.x.copy(), self.sim.m.copy()

    def move(self, start: tuple[Array, Array], step: Array) -> None:
        x, m = start
        n = len(self.directions)
        self.sim.x[:] = self.places.moved(x, range(len(self.names)), step[:n] @ self.directions)
        self.sim.m[:] = m
        for pad, value in zip(self.pads, step[n:], strict=True):
            self.sim.m[pad] += value

    def solve(self) -> Settled:
        found = newton(self, self.limits, TOLERANCE, ITERATIONS, ROUNDING)
        if found.converged:
            return Settled("newton", found.iterations, found.size, self.held, _norms(self.sim))
        raise StaticsError(
            f"no equilibrium by Newton's method: the acceleration of {self.names[self.rows[found.worst]]!r} stays at "
            f"{found.size:.3g} (allowed {TOLERANCE:g}); the last state is kept"
        )


def _relax(sim: Simulation, description: Description, normal: tuple[float, float, float]) -> Settled:
    """Simulate until everything rests."""
    options = description.vehicle.system.statics
    limits = {key: float(getattr(options, key)) for key in NORMS}
    was, step = sim.method, options.time_step or sim.step
    own = Simulation(sim.library, method=was, step=step)
    own.adopt(sim)
    own.x[:], own.m[:], own.u[:] = sim.x, sim.m, sim.u
    braked = own.input("brake") > 0
    if not braked:  # gravity without its part along the car: nothing but the brakes could hold that
        n = np.asarray(normal) / np.linalg.norm(normal)
        heading = own.output("Vehicle.Yaw")
        ahead = np.array([math.cos(heading), math.sin(heading), 0.0])
        ahead -= (ahead @ n) * n
        ahead /= np.linalg.norm(ahead)
        pull = np.array([0.0, 0.0, -own.parameter("gravity")])
        pull -= (pull @ ahead) * ahead
        own.set_parameters({"gravity.x": pull[0], "gravity.y": pull[1], "gravity": -pull[2]})
        own.set_inputs({"brake": 1.0})
    steps = max(1, round(INTERVAL / step))
    norms = _norms(own)
    strained = not braked
    for interval in range(int(options.abort_time / (steps * step))):
        try:
            own.advance(steps)
        except JounceError as problem:
            raise StaticsError(f"no equilibrium: the relaxation failed after {own.time:.2f} s: {problem}") from problem
        norms = _norms(own)
        if all(norms[key] <= limits[key] for key in NORMS):
            if strained:  # what the tires took up sideways on the way down is not held against the car
                own.set_states({v.name: 0.0 for v in own.model.states if v.name.endswith((".tire.u", ".tire.v"))})
                strained = False
                continue
            if not braked:  # let go: free wheels carry nothing along the road
                own.set_states({v.name: 0.0 for v in own.model.states if v.name.endswith((".tire.u", ".wheel.spin"))})
                own.set_memories({v.name: 0.0 for v in own.model.memories if ".brake.pad." in v.name})
            sim.x[:], sim.m[:] = own.x, own.m
            return Settled("relaxation", interval + 1, max(norms.values()), (), norms)
    sim.x[:], sim.m[:] = own.x, own.m
    worst = max(NORMS, key=lambda key: norms[key] / limits[key])
    raise StaticsError(
        f"no equilibrium after {options.abort_time:g} s of relaxation: {worst} is {norms[worst]:.3g}, allowed "
        f"{limits[worst]:g} (system.statics.{worst}); the last state is kept"
    )
