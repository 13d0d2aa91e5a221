"""Equilibrium on the ground, built from the roles of states (``core/roles.py``).

What is sought are the states that balance (heights, inclinations, wheel travels, whatever parts declare) such that

    ẇ = 0        accelerations of all balancing coordinates, rates of all other balancing states                  (1)

In the plane of the road bodies stand where they are put. What holds them there are contacts that deflect (role
``strain``) and friction that sticks (role ``stick``). With the slopes S of the speeds that strain contacts over the
speeds of the bodies in the plane, a displacement s of the bodies gives the deflections

    δ = S s        of those contacts whose wheels cannot roll away: all other speeds in S are held by friction     (2)

s lies in the row space of S, so that there are as many unknowns as equations: along it the accelerations of the bodies
vanish, and with them those of the wheels that friction holds. Without brakes a car on a slope is held sideways and
about to roll along its x axis. Tires without deflections (steady use modes) carry nothing at rest; then (1) alone
counts.

At the end every state that nobody said may move must stand still, or the search fails and names it; and the growth
rates of the linearised equilibrium tell whether it is stable. The equations also hold for a car on its nose or on its
roof, whose tires still push along the normals of their contacts: a body must stand upright on the ground under its
wheels, and no wheel bear more than the weight of all, or the search goes on from another start. Where nothing says how
the ground lies, it is measured under the wheels. Brakes that are weaker than the slope are told before the search.

Newton's method on exact Jacobians (sticking friction enters linearly, its columns are differences). When it fails,
dynamic relaxation: the model is simulated until the norms of speeds and accelerations over all bodies are below the
limits of ``system.statics``. If the brakes are off they are applied meanwhile, and gravity acts without its part along
the car, which only brakes could hold.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from jounce.components.places import UnitPlace, VehiclePlace
from jounce.core.errors import JounceError, ParameterError, StaticsError
from jounce.runtime.simulation import Simulation
from jounce.runtime.user_tire import in_analysis
from jounce.sim.car import Description, lineariser
from jounce.sim.equilibrium import Found, Places, followed, newton, rotation
from jounce.sim.linear import Lineariser, LinearModel
from jounce.vehicle.assembly import at_rest, inputs_at_rest

Array = npt.NDArray[np.float64]

# Largest changes in one Newton step by the unit of what changes, SI: a wheel stays on its map, a contact on its curve.
STEP_LIMITS = {"m": 0.02, "rad": 0.05}
HEIGHT_STEP = 0.05  # m, of a whole body
SHIFT_STEP = 0.01  # m and rad, of bodies in the plane
STICK_STEP = 0.1  # of a bristle
TOLERANCE = 1e-9  # largest remaining acceleration, m/s² or rad/s²
ROUNDING = 1e-6  # what is accepted when no step makes it smaller
ITERATIONS = 40
INTERVAL = 0.01  # s, of relaxation between two looks at the norms
HELD = 0.2  # a displacement that strains contacts by less than this part of the most does not hold
STANDS = 1e-6  # largest rate of a state that nobody said may move
RANK = 1e-6  # smallest singular value over the largest of displacements that strain contacts independently
TURNS = 1e-9  # slope of a straining speed over a spin, relative to its largest one, that is more than rounding
UPRIGHT = math.radians(30)  # between a body and the ground under its wheels
ABSURD = 0.01  # of the weight: what a wheel may bear beyond it
LIES = 1e-9  # m: a plane found twice is not sought again
LOOKS = 3  # at the ground under the wheels: a car that is turned stands over other points of it
RUNS_AWAY = 50.0  # m/s, norm of speeds over all bodies: nothing falls as fast on its way to rest
GROWS = 1e-3  # 1/s, growth rate above which an equilibrium counts as unstable: slower ones nobody waits for
GROWS_RELATIVELY = 1e-6  # the same over the largest rate of the model: what rounding makes of standing still
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
    unstable: str = ""  # what runs away from an unstable equilibrium, and how fast


@dataclass(frozen=True)
class Stand:
    """Where a vehicle stands and the ground it stands on."""

    x: float = 0.0
    y: float = 0.0
    heading: float = 0.0
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    height: float = 0.0
    articulations: tuple[float, ...] = ()  # yaw of towed units against the one before, as far as given

    @property
    def up(self) -> Array:
        n = np.array(self.normal, dtype=float)
        result: Array = n / np.linalg.norm(n)
        return result

    @property
    def ahead(self) -> Array:
        """Forward in the plane of the ground."""
        n = self.up
        ahead = np.array([np.cos(self.heading), np.sin(self.heading), 0.0])
        ahead -= (ahead @ n) * n
        result: Array = ahead / np.linalg.norm(ahead)
        return result

    @property
    def rotation(self) -> Array:
        """Axes of a vehicle that stands here."""
        return np.column_stack([self.ahead, np.cross(self.up, self.ahead), self.up])


@in_analysis("statics")
def settle(
    sim: Simulation,
    description: Description,
    *,
    method: Literal["newton", "relaxation", "auto"] = "auto",
    normal: tuple[float, float, float] | None = None,
    height: float | None = None,
    x: float = 0.0,
    y: float = 0.0,
    heading: float = 0.0,
    others: Mapping[str, Stand] | None = None,
    articulations: Sequence[float] = (),
) -> Settled:
    """Put a car on the ground, at rest.

    Parameters
    ----------
    sim : of ``car.simulation``; its brake input holds the wheels when it is on
    description : the car
    method : ``auto`` relaxes when Newton's method fails
    normal, height : of the ground under the car, to start from; the ground itself is the simulation's. Where neither
        is given, that under the wheels
    x, y, heading : where the vehicle reference point stands and where the car points to
    others : of a model with several vehicles, by prefix, instead of these
    articulations : yaw of its towed units against the unit that tows each, in their order; in line where not given

    Raises
    ------
    StaticsError
        Naming the norm that stays too large, or what is wrong with the equilibrium that was found; the last state is
        kept in the simulation.
    """
    if not isinstance(description, Description):
        raise ParameterError(
            f"settle: found a {type(description).__name__}; expected the description of the car that the simulation "
            "was made from: description = car.describe(vehicle, …), sim = car.simulation(description)"
        )
    usual = Stand(x, y, heading, normal or (0.0, 0.0, 1.0), height or 0.0, tuple(articulations))
    stands = {name: (others or {}).get(name, usual) for name in description.vehicles}
    with helpers(sim, description):
        measurable = description.ground != "level"
        told = normal is not None or height is not None or bool(others)
        for measured in (False, True) if told and measurable else (measurable,):
            if measured:
                stands = _measured(sim, description, stands)
            put(sim, description, stands)
            _check_brakes(sim, description, stands)
            if method == "relaxation":
                return _relax(sim, description, stands)
            try:
                return Balance(sim, description).solve()
            except _UndeclaredError:  # an equilibrium but for it, and nothing says that it would come to rest
                raise
            except (StaticsError, FloatingPointError, np.linalg.LinAlgError):
                if method == "newton" and measured == measurable:
                    raise
        put(sim, description, stands)
        relaxed = _relax(sim, description, stands)
        found = sim.snapshot()
        try:  # close to the solution now: the exact one is better, at rest and from contacts without strain
            _reset(sim, ("strain", "zero", "rub", "speed", "drift"))
            return Balance(sim, description).solve()
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
    articulations: Sequence[float] = (),
) -> None:
    """Put a car at design on a plane, at rest, its reference point at x, y of the world."""
    put(
        sim,
        description,
        dict.fromkeys(description.vehicles, Stand(x, y, heading, normal, height, tuple(articulations))),
    )


def put(sim: Simulation, description: Description, stands: Mapping[str, Stand]) -> None:
    """Put vehicles at design on planes, at rest."""
    sim.x[:] = [v.default for v in sim.model.states]
    sim.set_memories({v.name: v.default for v in sim.model.memories})
    linear = lineariser(description)
    rest, places = linear.rest, Places(sim, linear.notes["states"])
    units = [place.units[0] for place in description.places]  # the others stand where they are coupled
    for unit, body in zip(units, rest["bodies"], strict=True):
        stand = stands[unit.vehicle.prefix.rstrip(".")]
        rotation = stand.rotation
        position = np.array([stand.x, stand.y, stand.height]) + rotation @ unit.origins[""]
        sim.x[[places.state[i] for i in body["position"]]] = position
        first = places.quaternion[body["tilt"][0]][0]
        sim.x[first : first + 4] = _quaternion(rotation)
        angles = {rate: angle for angle, rate in dict(rest["partners"]).items()}
        if len(stand.articulations) > len(body["swings"]):
            found = f"{len(stand.articulations)} articulations; the vehicle has {len(body['swings'])}"
            raise ParameterError(f"settle: found {found}")
        for angle, rate in zip(stand.articulations, body["swings"], strict=False):
            sim.x[places.state[angles[rate]]] = angle


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


def _contacts(sim: Simulation, place: VehiclePlace, word: str) -> Array:
    """Points or normals of the contacts of a vehicle, a row per wheel; none where tires do not tell them."""
    known = {v.name: i for i, v in enumerate(sim.model.outputs)}
    names = [[f"{place.prefix}{word}_{axis}.{wheel}" for axis in "XYZ"] for wheel in place.wheels]
    if not all(name in known for row in names for name in row):
        return np.zeros((0, 3))
    values = sim.outputs()
    return np.array([[values[known[name]] for name in row] for row in names])


def _measured(sim: Simulation, description: Description, stands: Mapping[str, Stand]) -> dict[str, Stand]:
    """Where vehicles stand on the ground as it is under their wheels: on the plane through the contacts."""
    found = dict(stands)
    for _ in range(LOOKS):
        put(sim, description, found)
        before = dict(found)
        for name, place in zip(found, description.places, strict=True):
            points = _contacts(sim, place, "Road.Contact_Patch_Global")
            normals = _contacts(sim, place, "Tire.Contact_Patch_Normal")
            if len(points) == 0 or not (np.isfinite(points).all() and np.isfinite(normals).all()):
                continue
            centre = points.mean(axis=0)
            _, sizes, axes = np.linalg.svd(points - centre)
            across = axes[2] if len(points) > 2 and sizes[1] > 0.1 * sizes[0] else normals.mean(axis=0)
            n = across / across[2]
            stand = found[name]
            height = centre[2] - n[0] * (stand.x - centre[0]) - n[1] * (stand.y - centre[1])
            found[name] = replace(stand, normal=(float(n[0]), float(n[1]), 1.0), height=float(height))
        if all(abs(found[n].height - s.height) < LIES and np.allclose(found[n].up, s.up) for n, s in before.items()):
            break
    return found


def _check_brakes(sim: Simulation, description: Description, stands: Mapping[str, Stand]) -> None:
    """Refuse brakes that are on and weaker than the slope: the car would roll away whatever is tried."""
    linear = lineariser(description)
    names: tuple[str, ...] = tuple(linear.notes["states"])
    limits, _ = linear.limits_and_rolling(sim)
    slopes = linear.at(sim).T if limits.any() else np.zeros((0, len(names)))
    spins = {names[i]: i for i in linear.rest["rolling"]}
    for name, place in zip(stands, description.places, strict=True):
        holds = 0.0
        for wheel in place.wheels.values():
            own = [i for spin, i in spins.items() if spin.startswith(wheel.prefix)]
            holds += sum(limits[k] for k in range(len(slopes)) if slopes[k, own].any()) / float(wheel.centre[2])
        pull = place.data.mass() * sim.parameter("gravity") * abs(float(stands[name].ahead[2]))
        if 0 < holds < pull:
            demand = sim.input(f"{place.prefix}brake")
            raise StaticsError(
                f"the brakes are too weak for the slope: they hold {holds:.4g} N along the road at a demand of "
                f"{demand:.3g}, the car pulls with {pull:.4g} N; brake harder (input 'brake'), or let it roll (0)"
            )


def _check_standing(sim: Simulation, description: Description) -> None:
    """Refuse an equilibrium in which a body does not stand on its wheels."""
    linear = lineariser(description)
    places = Places(sim, linear.notes["states"])
    bodies = iter(linear.rest["bodies"])
    for place in description.places:
        normals = _contacts(sim, place, "Tire.Contact_Patch_Normal")
        first = places.quaternion[next(bodies)["tilt"][0]][0]
        for up in (rotation(sim.x[first : first + 4])[:, 2], *(_up(sim, unit) for unit in place.units[1:])):
            if len(normals):
                normal = normals.mean(axis=0)
                angle = math.acos(np.clip(up @ normal / np.linalg.norm(normal), -1.0, 1.0))
                if not angle <= UPRIGHT:
                    raise StaticsError(
                        f"no equilibrium on the wheels: the one that was found has the body {math.degrees(angle):.0f} "
                        "deg from upright on the ground under its wheels; the last state is kept. Does the ground lie "
                        "as 'normal' and 'height' say?"
                    )
        weight = place.data.mass() * sim.parameter("gravity")
        for wheel in place.wheels if weight > 0 else ():
            load = sim.output(f"{place.prefix}Tire.Ground_Surface_Force_Z.{wheel}")
            if not -ABSURD * weight <= load <= (1 + ABSURD) * weight:
                raise StaticsError(
                    f"no equilibrium on the wheels: in the one that was found wheel {wheel} bears {load:.4g} N, the "
                    f"whole car weighs {weight:.4g} N; the last state is kept"
                )


def _up(sim: Simulation, unit: UnitPlace) -> Array:
    """The z axis of a towed unit in the world."""
    yaw, pitch, roll = (sim.output(f"{unit.prefix}chassis_displacements.{name}") for name in ("yaw", "pitch", "roll"))
    across, ahead = math.sin(pitch) * math.cos(roll), math.sin(roll)
    c, s = math.cos(yaw), math.sin(yaw)
    return np.array([c * across + s * ahead, s * across - c * ahead, math.cos(pitch) * math.cos(roll)])


@contextmanager
def helpers(sim: Simulation, description: Description) -> Iterator[None]:
    """What parts change for the search (``Part.at_rest``, ``Part.inputs_at_rest``); inputs that act in runs only."""
    known = sim.parameters
    changes = {name: value for name, value in at_rest(description.places, description.further).items() if name in known}
    saved = {name: known[name] for name in changes}
    inputs = {v.name: sim.input(v.name) for v in sim.model.inputs}
    quiet = {v.name: v.default for v in sim.model.inputs if not v.in_statics}
    own = inputs_at_rest(description.places, description.further)
    quiet |= {name: value for name, value in own.items() if name in inputs}
    sim.set_parameters(changes)
    sim.set_inputs(quiet)
    try:
        yield
    finally:
        sim.set_parameters(saved)
        sim.set_inputs({name: inputs[name] for name in quiet})


def _norms(sim: Simulation, description: Description) -> dict[str, float]:
    """Norms of speeds and accelerations, the largest of all vehicles."""
    known = {v.name: i for i, v in enumerate(sim.model.outputs)}
    values = sim.outputs()
    return {
        key: max(float(values[known[f"{place.prefix}{name}"]]) for place in description.places)
        for key, name in NORMS.items()
    }


def _reset(sim: Simulation, roles: tuple[str, ...]) -> None:
    """Put states and memories of some roles back to their defaults."""
    for values, variables in ((sim.x, sim.model.states), (sim.m, sim.model.memories)):
        for i, v in enumerate(variables):
            if v.role in roles:
                values[i] = v.default


class _UndeclaredError(StaticsError):
    """Something moves that nobody declared."""


def _turning(slopes: Array, speeds: list[int]) -> npt.NDArray[np.bool_]:
    """Which contacts are strained by one of these speeds: along the road by the spin of a wheel, across it not."""
    most = np.abs(slopes).max(axis=1, initial=0.0)
    result: npt.NDArray[np.bool_] = np.abs(slopes[:, speeds]).max(axis=1, initial=0.0) > TURNS * most
    return result


def _held(slopes: Array) -> tuple[Array, Array]:
    """Displacements of a body in the plane (along, across, turning) that strain contacts, and accelerations to vanish.

    These are the same, but for a body that may roll away: then all but the one along it. Of a train there are its
    swings besides.
    """
    n = slopes.shape[1]
    if not slopes.any():
        return np.zeros((0, n)), np.zeros((0, n))
    if n > 3:
        return _held_train(slopes)
    _, sizes, directions = np.linalg.svd(slopes, full_matrices=False)
    held: Array = directions[sizes > HELD * sizes.max()]
    if len(held) == 3:
        return held, held
    _, sizes, across = np.linalg.svd(held * [0.0, 1.0, 1.0], full_matrices=False)
    return held, across if sizes.min() > HELD else held


def _held_train(slopes: Array) -> tuple[Array, Array]:
    """The same of a train. Its lengths are many, so that sizes tell nothing: it rolls along unless a displacement along
    it strains contacts in a way that no other displacement does."""
    size = np.linalg.norm(slopes, axis=0)
    size[0] = size[1]
    size[size == 0] = 1.0
    scaled = slopes / size
    others = scaled[:, 1:]
    left = scaled[:, 0] - others @ np.linalg.lstsq(others, scaled[:, 0], rcond=RANK)[0]
    kept = scaled if np.linalg.norm(left) > HELD else scaled * np.array([0.0, *np.ones(len(size) - 1)])
    _, sizes, directions = np.linalg.svd(kept, full_matrices=False)
    found: Array = directions[sizes > RANK * sizes.max()]
    held: Array = found / size
    return held, held


class Balance:
    """Unknowns and equations (1, 2) of a model; ``linear``: another linearisation of it, with more to tell."""

    def __init__(self, sim: Simulation, description: Description, linear: Lineariser | None = None) -> None:
        self.sim, self.description = sim, description
        self.linear: Lineariser = linear or lineariser(description)
        self.names: tuple[str, ...] = tuple(self.linear.notes["states"])
        self.places = Places(sim, self.names)
        self.rest = self.linear.rest
        self.roles: list[str] = self.rest["roles"]
        self.partners: dict[int, int] = dict(self.rest["partners"])
        self.units = {v.name: v.unit for v in sim.model.states}
        self.free = [i for i, role in enumerate(self.roles) if role in ("balance", "trim")]
        # a balancing coordinate stands still when its speed does, any other state when its own rate vanishes
        self.rows = [self.partners.get(i, i) for i in self.free]
        limits, turning = self.linear.limits_and_rolling(sim)
        sim.x[[self.places.state[i] for i in self.rest["rolling"]]] = turning  # wheels stand, an engine idles
        self.sticks = [m for m, limit in zip(self.rest["sticks"], limits, strict=True) if limit > 0]
        self._find_plane(self.linear.at(sim), limits)
        self.limits = np.array(
            [*map(self._limit, self.free), *[SHIFT_STEP] * len(self.shifts), *[STICK_STEP] * len(self.sticks)]
        )

    def _limit(self, i: int) -> float:
        if any(i == body["position"][2] for body in self.rest["bodies"]):
            return HEIGHT_STEP
        unit = self.units.get(self.names[i], "rad")  # tangent angles are no states of the model
        return STEP_LIMITS.get(unit, math.inf)

    def _find_plane(self, linear: LinearModel, limits: Array) -> None:
        """Displacements of the bodies in the plane that something holds, and the equations that they are found by."""
        rest = self.rest
        groups = [(*body["velocity"][:2], body["turning"][2], *body["swings"]) for body in rest["bodies"]]
        plane = [j for group in groups for j in group]
        slopes = linear.S[:, plane]
        stuck = linear.T[[k for k, limit in enumerate(limits) if limit > 0]]
        held = {int(j) for row in stuck for j in np.flatnonzero(row)}
        slopes[_turning(linear.S, self._spins(held))] = 0.0
        self.strains = np.array(rest["strains"], dtype=int)
        self.plane = plane
        self.shifts, self.balances = np.zeros((2, 0, len(plane)))
        self.held_speeds: list[int] = []
        self.held: tuple[str, ...] = ()
        first = 0
        for group in groups:  # body by body: how far apart they stand means nothing
            found, equations = _held(slopes[:, first : first + len(group)])
            around = ((0, 0), (first, len(plane) - first - len(group)))
            first += len(group)
            self.shifts = np.vstack([self.shifts, np.pad(found, around)])
            self.balances = np.vstack([self.balances, np.pad(equations, around)])
        if len(self.shifts):
            self.held = ("lateral", "longitudinal") if stuck.size else ("lateral",)
        if stuck.size:
            self.held_speeds = sorted(held)

    def residual(self) -> Array:
        rates = self.places.rates(self.sim.derivatives()[0])
        return np.concatenate([rates[self.rows], self.balances @ rates[self.plane], rates[self.held_speeds]])

    def jacobian(self, linear: LinearModel | None = None) -> Array:
        """Rates over unknowns; the directions of the unknowns in the tangent states are kept for `move`."""
        linear = linear or self.linear.at(self.sim)
        everything = np.eye(len(self.names))
        directions = [everything[i] for i in self.free]
        for shift in self.shifts:
            column = np.zeros(len(self.names))
            column[self.strains] = self._strain(linear) @ shift
            directions.append(column)
        self.directions = np.array(directions).reshape(len(directions), len(self.names))
        slopes = linear.A @ self.directions.T
        result = np.vstack([slopes[self.rows], self.balances @ slopes[self.plane], slopes[self.held_speeds]])
        columns = [result]
        for m in self.sticks:  # the force of a bristle is linear in its deflection
            was, width, values = self.sim.m[m], 1e-3, []
            for sign in (1.0, -1.0):
                self.sim.m[m] = was + sign * width
                values.append(self.residual())
            self.sim.m[m] = was
            columns.append(((values[0] - values[1]) / (2 * width))[:, None])
        return np.hstack(columns)

    def sensitivity(self, linear: LinearModel) -> Array:
        """How the equilibrium, as tangent states, moves with the inputs of its linear model: −(∂r/∂q)⁻¹ ∂r/∂u."""
        slopes = self.jacobian(linear)
        right = np.vstack([linear.B[self.rows], self.balances @ linear.B[self.plane], linear.B[self.held_speeds]])
        scale = np.maximum(np.linalg.norm(slopes, axis=0), 1e-12)
        steps = np.linalg.lstsq(slopes / scale, -right, rcond=1e-12)[0] / scale[:, None]
        result: Array = self.directions.T @ steps[: len(self.directions)]
        return result

    def _strain(self, linear: LinearModel) -> Array:
        """Deflections of contacts per displacement of the bodies (2)."""
        slopes = linear.S[:, self.plane].copy()
        slopes[_turning(linear.S, self._spins(self.held_speeds))] = 0.0
        return slopes

    def _spins(self, held: Collection[int]) -> list[int]:
        """Speeds that may give way: of wheels that nothing holds. Bodies are held by what they stand on."""
        bodies = {j for body in self.rest["bodies"] for j in (*body["velocity"], *body["turning"])}
        free = [j for j, role in enumerate(self.roles) if role in ("drift", "speed") and j not in bodies]
        return [j for j in free if j not in held]

    def save(self) -> tuple[Array, Array]:
        return self.sim.x.copy(), self.sim.m.copy()

    def move(self, start: tuple[Array, Array], step: Array) -> None:
        x, m = start
        n = len(self.directions)
        self.sim.x[:] = self.places.moved(x, range(len(self.names)), step[:n] @ self.directions)
        self.sim.m[:] = m
        for stick, value in zip(self.sticks, step[n:], strict=True):
            self.sim.m[stick] += value

    def _label(self, row: int) -> str:
        """What an equation is about."""
        if row < len(self.rows):
            return self.names[self.rows[row]]
        row -= len(self.rows)
        if row < len(self.shifts):
            return self.names[int(self.plane[int(np.argmax(np.abs(self.balances[row])))])]
        return self.names[self.held_speeds[row - len(self.shifts)]]

    def approach(self) -> Found:
        """Newton's method from where the simulation is, without looking at what it found."""
        return followed(self.sim, lambda: newton(self, self.limits, TOLERANCE, ITERATIONS, ROUNDING))

    def solve(self) -> Settled:
        found = self.approach()
        if not found.converged:
            raise StaticsError(
                f"no equilibrium by Newton's method: the acceleration of {self._label(found.worst)!r} stays at "
                f"{found.size:.3g} (allowed {TOLERANCE:g}); the last state is kept"
            )
        self._check_rest()
        _check_standing(self.sim, self.description)
        norms = _norms(self.sim, self.description)
        return Settled("newton", found.iterations, found.size, self.held, norms, self._instability())

    def _check_rest(self) -> None:
        """What nobody declared must not move."""
        xdot, m_next = self.sim.derivatives()
        rates = self.places.rates(xdot)
        moving = [(abs(rates[i]), self.names[i]) for i, role in enumerate(self.roles) if role == ""]
        changes = np.abs(m_next - self.sim.m)
        moving += [(float(c), v.name) for c, v in zip(changes, self.sim.model.memories, strict=True) if v.role == ""]
        worst = max(moving, default=(0.0, ""))
        if not worst[0] <= STANDS:
            raise _UndeclaredError(
                f"no equilibrium: {worst[1]!r} moves at rest, by {worst[0]:.3g} per second. Nobody has said what it "
                "does there: declare it with a role (core/roles.py), "
                "'balance' if it is to be found, 'free' if it may move"
            )

    def _instability(self) -> str:
        """What grows from a small disturbance; empty for a stable equilibrium.

        All states take part that may answer: a car tips about its contacts, which their strain holds in place.
        """
        keep = [i for i, role in enumerate(self.roles) if role not in ("place", "free", "held", "trim")]
        if not self.free:
            return ""
        values, vectors = np.linalg.eig(self.linear.at(self.sim).A[np.ix_(keep, keep)])
        k = int(np.argmax(values.real))
        if values[k].real <= max(GROWS, GROWS_RELATIVELY * np.abs(values).max()):
            return ""
        size = {keep[j]: abs(vector) for j, vector in enumerate(vectors[:, k])}
        name = self.names[max(self.free, key=lambda i: size.get(i, 0.0))]
        return f"{name} runs away from it, e-fold in {1 / values[k].real:.3g} s"


def _relax(sim: Simulation, description: Description, stands: Mapping[str, Stand]) -> Settled:
    """Simulate until everything rests."""
    options = description.places[0].settings.statics
    limits = {key: float(getattr(options, key)) for key in NORMS}
    was, step = sim.method, options.time_step or sim.step
    own = Simulation(sim.library, method=was, step=step)
    own.adopt(sim)
    own.x[:], own.m[:], own.u[:] = sim.x, sim.m, sim.u
    brakes = [f"{place.prefix}brake" for place in description.places]
    braked = all(own.input(name) > 0 for name in brakes)
    if not braked:  # gravity without its part along the car: nothing but the brakes could hold that
        ahead = next(iter(stands.values())).ahead
        pull = np.array([0.0, 0.0, -own.parameter("gravity")])
        pull -= (pull @ ahead) * ahead
        own.set_parameters({"gravity.x": pull[0], "gravity.y": pull[1], "gravity": -pull[2]})
        own.set_inputs(dict.fromkeys(brakes, 1.0))
    steps = max(1, round(INTERVAL / step))
    norms = _norms(own, description)
    strained = not braked
    for interval in range(int(options.abort_time / (steps * step))):
        try:
            own.advance(steps)
        except JounceError as problem:
            raise StaticsError(f"no equilibrium: the relaxation failed after {own.time:.2f} s: {problem}") from problem
        norms = _norms(own, description)
        if not norms["translational_speed"] <= RUNS_AWAY:
            sim.x[:], sim.m[:] = own.x, own.m
            raise StaticsError(
                f"no equilibrium: after {own.time:.1f} s of relaxation the car is on its way at a norm of speeds of "
                f"{norms['translational_speed']:.3g} m/s; nothing holds it on this ground. The last state is kept"
            )
        if all(norms[key] <= limits[key] for key in NORMS):
            if strained:  # what the tires took up sideways on the way down is not held against the car
                _reset(own, ("strain",))
                strained = False
                continue
            if not braked:  # let go: free wheels carry nothing along the road
                _let_go(own, description)
            sim.x[:], sim.m[:] = own.x, own.m
            _check_standing(sim, description)
            return Settled("relaxation", interval + 1, max(norms.values()), (), norms)
    sim.x[:], sim.m[:] = own.x, own.m
    worst = max(NORMS, key=lambda key: norms[key] / limits[key])
    raise StaticsError(
        f"no equilibrium after {options.abort_time:g} s of relaxation: {worst} is {norms[worst]:.3g}, allowed "
        f"{limits[worst]:g} (system.statics.{worst}); the last state is kept"
    )


def _let_go(sim: Simulation, description: Description) -> None:
    """Take off what wheels that are free again cannot hold: their spin, the strain along them, and friction."""
    linear = lineariser(description)
    rest, places = linear.rest, Places(sim, linear.notes["states"])
    slopes = linear.at(sim).S
    rolling: list[int] = rest["rolling"]
    for k in np.flatnonzero(_turning(slopes, rolling)):
        sim.x[places.state[rest["strains"][k]]] = 0.0
    sim.x[[places.state[i] for i in rolling]] = 0.0
    _reset(sim, ("stick",))


__all__ = ["Balance", "Settled", "Stand", "helpers", "place", "put", "settle"]
