"""Set-up: the adjustments with which a standing car has the heights, loads and angles that are asked of it.

One root-finding problem. For adjustments z within bounds the car stands at q(z), where all accelerations vanish
(``sim/statics.py``), and what is measured there is y(q(z), z):

    r(q, z) = 0,     dq/dz = −(∂r/∂q)⁻¹ ∂r/∂z                                                                       (1)
    y(q(z), z) = y*,     dy/dz = ∂y/∂q dq/dz + ∂y/∂z                                                                (2)
    min Σ ((y − y*)/w)² + ε² Σ ((z − z₀)/s)²     within bounds                                                     (3)

All derivatives are exact: those of accelerations and channels over states and parameters come from the linearisation of
the model. (Two are not: of the place of masses on board, which changes every number of a body, and of the force at a
droop stop, a function of numbers; both are central differences.) The second sum of (3) picks the smallest change where
several reach the targets, and the bias it brings is taken out by Newton steps on (2) at the end. More targets than
adjusters: least squares. What was not reached is explained: no adjuster acts on it; it and others contradict each other
(the left null space of (2)); an adjuster is at its bound.

The job stands on level ground with set-up masses on board, with the tires of the car or rigid wheels, with anti-roll
devices or without; in the latter case they are made free of force where the car stands. Nothing is changed unless every
target is reached, or the nearest is asked for.

>>> car = jounce.setup(jounce.load("sedan"), {"front_ride_height": "300 mm", "cross_weight": 0.51})
>>> print(car.setup_report)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from jounce.components.basics import combine
from jounce.components.body.body import CHASSIS, AddedMass
from jounce.components.places import AxlePlace, VehiclePlace
from jounce.components.setup import Setup
from jounce.components.tire.base import Tire
from jounce.core import units
from jounce.core.errors import JounceError, ParameterError, SetupError, StaticsError
from jounce.core.paths import dotted
from jounce.sim import car
from jounce.sim.setup_targets import (
    BUMP,
    CAMBER,
    MASS,
    PARAMETERS,
    PRELOAD,
    PUSHROD,
    REBOUND,
    TOE,
    Adjuster,
    Catalogue,
    Target,
    force_of,
    spring_of,
    wanted,
)
from jounce.sim.statics import Balance, Stand, helpers, put, settle
from jounce.vehicle.assembly import bodies
from jounce.vehicle.layout import path_of
from jounce.vehicle.schema import Vehicle

Array = npt.NDArray[np.float64]
Masses = Literal["setup", "running", "none"]

SMALLEST = 1e-4  # ε of (3)
EVALUATIONS = 60
POLISH = 4  # Newton steps at the end
FAR = 0.3  # of the weight of a target: an error of 0.3 mm or 3 N that least squares left
DEPENDENT = 1e-7  # singular value over the largest below which targets depend on each other
ACTS = 1e-7  # scaled slope below which an adjuster does nothing
STEP = 1e-3  # m, of central differences over the place of masses
ALIKE = 1e-12  # relative difference of two sides that is rounding
STEEPEST = 0.5  # of the ground of a set-up, rise over run
SUNK = 5e-3  # m, of the wheels from which it goes on to rigid ones
HARDER = 8.0  # times, from one to the next
AT_BOUND = 1e-6  # of the size of an adjuster


# ---- what comes out --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    """One target: what was asked, what was reached, what stands in the way."""

    name: str
    target: float
    value: float
    unit: str
    allowed: float  # largest error that counts as reached
    obstacle: str = ""
    given: str = ""  # the name by which it was asked for: of both wheels, where this is of one

    @property
    def error(self) -> float:
        return self.value - self.target

    @property
    def reached(self) -> bool:
        return abs(self.error) <= self.allowed

    def __str__(self) -> str:
        text = f"{self.name}: {shown(self.value, self.unit)}, target {shown(self.target, self.unit)}"
        if self.reached:
            return text
        return f"{text}, {shown(abs(self.error), self.unit)} off: {self.obstacle or 'not reached'}"


@dataclass(frozen=True)
class Change:
    """One number of the vehicle that was changed."""

    path: str
    before: float
    after: float
    unit: str

    def __str__(self) -> str:
        return f"{self.path}: {shown(self.before, self.unit)} -> {shown(self.after, self.unit)}"


@dataclass(frozen=True)
class Phase:
    """How the car stands in one step of the job."""

    name: str
    mass: float
    cg: tuple[float, float, float]  # of all of it at design, vehicle reference frame
    wheels: Mapping[str, Mapping[str, float]]  # by wheel: load, ride_height, toe, camber, spring_force, travel
    pitch: float
    roll: float


@dataclass(frozen=True)
class Report:
    """What a set-up did."""

    vehicle: str
    options: Mapping[str, Any]
    outcomes: tuple[Outcome, ...]
    changes: tuple[Change, ...]
    phases: tuple[Phase, ...] = ()
    warnings: tuple[str, ...] = ()
    evaluations: int = 0

    @property
    def reached(self) -> bool:
        return all(outcome.reached for outcome in self.outcomes)

    @property
    def status(self) -> str:
        """``reached``, or which targets were not, how far it got, and what stands in the way."""
        missed = [str(outcome) for outcome in self.outcomes if not outcome.reached]
        return "reached" if not missed else "not reached: " + "; ".join(missed)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, SI: under the names that were asked for, of several wheels the one that is farthest off."""
        asked: dict[str, Outcome] = {}
        for o in self.outcomes:
            name = o.given or o.name
            if name not in asked or not abs(o.error) <= abs(asked[name].error):
                asked[name] = o
        return {
            "vehicle": self.vehicle,
            "options": dict(self.options),
            "targets": {name: o.target for name, o in asked.items()},
            "reached": {name: _number(o.value) for name, o in asked.items()},
            "units": {name: o.unit for name, o in asked.items()},
            "changes": [{"path": c.path, "from": c.before, "to": c.after, "unit": c.unit} for c in self.changes],
            "status": self.status,
            "problems": [
                {"target": o.name, "wanted": o.target, "got": _number(o.value), "unit": o.unit, "obstacle": o.obstacle}
                for o in self.outcomes
                if not o.reached
            ],
            "phases": [
                {
                    "name": p.name,
                    "mass": p.mass,
                    "cg": list(p.cg),
                    "pitch": p.pitch,
                    "roll": p.roll,
                    "wheels": {wheel: dict(values) for wheel, values in p.wheels.items()},
                }
                for p in self.phases
            ],
            "warnings": list(self.warnings),
            "evaluations": self.evaluations,
        }

    def __str__(self) -> str:
        lines = [f"set-up of {self.vehicle}: {'reached' if self.reached else 'not reached'}"]
        lines += [f"  {outcome}" for outcome in self.outcomes]
        lines += ["changes" if self.changes else "nothing changed", *(f"  {change}" for change in self.changes)]
        return "\n".join([*lines, *(f"warning: {text}" for text in self.warnings)])

    def save(self, path: Any) -> Any:
        """Write the set-up sheet: ``.yaml``, ``.html`` or ``.json``."""
        from jounce.sim.setup_sheet import save

        return save(self, path)


def shown(value: float, unit: str) -> str:
    """A number as the trade quotes it."""
    if unit == "m":
        return f"{1e3 * value:.3f} mm"
    if unit == "rad":
        return f"{math.degrees(value):.4f} deg"
    return f"{value:.4f}" if unit == "-" else f"{value:.1f} {unit}"


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


# ---- the job ---------------------------------------------------------------------------------------------------------


def setup(
    vehicle: Vehicle,
    targets: Mapping[str, float | str | None] | None = None,
    *,
    mode: Literal["pushrod", "preload"] | None = None,
    reference: Literal["ground", "chassis"] | None = None,
    anti_roll: bool | None = None,
    rigid_wheels: bool | None = None,
    tolerance: float | None = None,
    ground: tuple[float, float] | None = None,
    speed: float | str | None = None,
    nearest: bool = False,
) -> Vehicle:
    """Set a car up: return a copy whose adjustments reach the targets; ``setup_report`` of it says what was done.

    Parameters
    ----------
    vehicle : the car; its own targets (``setup`` of the vehicle and of its suspensions) count as well
    targets : by name, ``{"front_ride_height": "120 mm"}``; before those of the car, None takes one of them away
    mode : what sets heights and cross weight: push-rods, or preloads of springs
    reference : what toe and camber are measured from
    anti_roll : whether anti-roll devices act; without, they are free of force afterwards
    rigid_wheels : instead of the tires
    tolerance : relative error that is accepted besides 1 µm, 1 µrad, 1 N
    ground : slopes along and across of an inclined plane, where the car says ``flat_road: false``
    speed : also tells how the car rides at this speed with the air on it
    nearest : return the nearest that can be had instead of raising

    Raises
    ------
    ParameterError
        Unknown targets, bad values, targets that exclude each other.
    SetupError
        Targets that cannot be reached, each with what stands in the way; its ``report`` has everything.
    """
    options = _options(
        vehicle, mode=mode, reference=reference, anti_roll=anti_roll, rigid_wheels=rigid_wheels, tolerance=tolerance
    )
    goals = wanted(vehicle, targets)
    catalogue = Catalogue(vehicle, options.mode, options.reference, targets or {})
    found = catalogue.targets(goals)
    if not found:
        raise ParameterError(
            "no targets: give some, setup(car, {'front_ride_height': '300 mm'}), or put them into the vehicle "
            "(front_suspension.setup.ride_height)"
        )
    job = _Job(vehicle, options, catalogue, found, "setup", ground)
    return job.run(speed=None if speed is None else units.parse(speed, "m/s", "speed"), nearest=nearest)


def trim(vehicle: Vehicle) -> Vehicle:
    """Return a copy whose springs hold it at design: no wheel has travelled, with running masses on board.

    ``setup_report`` of the copy says which preloads were changed.
    """
    options = _options(vehicle, mode="preload", anti_roll=True, rigid_wheels=False, tolerance=0.0)
    goals = {f"{wheel.words}_travel": 0.0 for wheel in vehicle.layout.wheels.values()}
    catalogue = Catalogue(vehicle, options.mode, options.reference, {})
    found = [target for name in goals for target in catalogue._targets(name, 0.0, "m")]
    return _Job(vehicle, options, catalogue, found, "running", None).run()


def _options(vehicle: Vehicle, **given: Any) -> Setup:
    base = vehicle.setup or Setup()
    changes = {name: value for name, value in given.items() if value is not None}
    allowed = {"mode": ("pushrod", "preload"), "reference": ("ground", "chassis")}
    for name, words in allowed.items():
        if name in changes and changes[name] not in words:
            raise ParameterError(f"{name} = {changes[name]!r}; expected {' or '.join(words)}")
    if not 0 <= changes.get("tolerance", 0.0) <= 1:
        raise ParameterError(f"tolerance = {changes['tolerance']!r}: a relative error, between 0 and 1")
    return base.model_copy(update=changes)


def with_masses(vehicle: Vehicle, masses: Masses) -> Vehicle:
    """The car with what is on board during set-up, or with nothing added, as its running state."""
    if masses == "running":
        return vehicle
    body = vehicle.main_body
    items: tuple[AddedMass, ...] = ()
    if masses == "setup":
        items = tuple(
            item.model_copy(
                update={
                    "mass": item.mass if item.setup_mass is None else item.setup_mass,
                    "active": item.setup_active,
                }
            )
            for item in body.added_masses
        )
    return _with_body(vehicle, body.model_copy(update={"added_masses": items}))


def _with_body(vehicle: Vehicle, body: Any) -> Vehicle:
    if vehicle.units:
        first = vehicle.units[0].model_copy(update={"body": body})
        return vehicle.model_copy(update={"units": (first, *vehicle.units[1:])})
    return vehicle.model_copy(update={"body": body})


class _Car:
    """A standing car: numbers in, equilibrium and measurements out."""

    def __init__(self, vehicle: Vehicle, tires: Mapping[str, Tire] | None, slopes: tuple[float, float] | None) -> None:
        self.tires, self.slopes = tires, slopes
        self.description = self._describe(vehicle)
        self.sim = car.simulation(self.description)
        if slopes is not None:
            self.sim.set_parameters({"ground.grade": slopes[0], "ground.bank": slopes[1]})
        known = {v.name for v in self.sim.model.parameters}
        wheels = self.place.wheels.values()
        names = (f"{w.prefix}{name}" for w in wheels for name in PARAMETERS.values())
        self.adjustable = [name for name in names if name in known]
        told = {v.name: i for i, v in enumerate(self.sim.model.outputs)}
        self.channels = [name for name in _channels(self.place) if name in told]
        self._index = [told[name] for name in self.channels]
        self.balance: Balance | None = None
        self.linear = car.lineariser(self.description, self.adjustable, self.channels)

    @property
    def place(self) -> VehiclePlace:
        return self.description.places[0]

    def _describe(self, vehicle: Vehicle) -> car.Description:
        return car.describe(vehicle, self.tires, "level" if self.slopes is None else "inclined")

    def load(self, vehicle: Vehicle) -> None:
        """Numbers of another car of the same structure."""
        new = self._describe(vehicle)
        car.set_numbers(self.sim, new)
        if self.slopes is not None:
            self.sim.set_parameters({"ground.grade": self.slopes[0], "ground.bank": self.slopes[1]})
        self.description = self.description.changed(vehicles=new.vehicles, tires=new.tires)
        self.balance = None

    def put(self) -> None:
        """At design on the ground, on the wheels that it has; rigid ones travel to where each bears its part."""
        wheels, tires = self.place.wheels, self.description.tires
        sunk = dict.fromkeys(wheels, 0.0)
        if self.tires is not None:
            for name, wheel in wheels.items():
                tire = tires[name].values
                sunk[name] = tire["UNLOADED_RADIUS"] - float(wheel.centre[2]) - self._mean / tire["VERTICAL_STIFFNESS"]
        height = math.fsum(sunk.values()) / len(sunk)
        grade, bank = self.slopes or (0.0, 0.0)
        stand = Stand(normal=(-grade, -bank, 1.0), height=height)
        put(self.sim, self.description, {"": stand})
        if self.tires is not None:
            self.sim.set_states({wheel.travel: sunk[name] - height for name, wheel in wheels.items()})
        self.balance = Balance(self.sim, self.description, self.linear)

    @property
    def _mean(self) -> float:
        """Load of a wheel, more or less."""
        (vehicle,) = self.description.vehicles.values()
        return float(vehicle.mass() * vehicle.system.gravity / len(self.place.wheels))

    def stand(self) -> None:
        """Bring it to rest from where it is; from design; where that fails by simulation, or on wheels that harden."""
        if self.balance is not None and self._approach():
            return
        self.put()
        if self._approach():
            return
        if self.tires is not None:
            self._harden(self.tires)
            return
        grade, bank = self.slopes or (0.0, 0.0)
        settle(self.sim, self.description, normal=(-grade, -bank, 1.0))
        self.balance = Balance(self.sim, self.description, self.linear)

    def _harden(self, rigid: Mapping[str, Tire]) -> None:
        """From wheels as soft as tires to rigid ones, lifted each time by what the next sink in less at the same load.

        Rigid ones sink in by microns, less than what their inclination lifts the point that touches: at design none
        would touch, and a simulation cannot follow them.
        """
        whole, body = self.description, f"{CHASSIS}.z"
        last = min(tire.values["VERTICAL_STIFFNESS"] for tire in rigid.values())
        stages = [last]
        while stages[0] > HARDER * self._mean / SUNK:
            stages.insert(0, stages[0] / HARDER)
        for k, stiffness in enumerate(stages):
            here, memories, values = self.sim.x.copy(), self.sim.m.copy(), self.values()
            made = {id(tire): tire.with_values(VERTICAL_STIFFNESS=stiffness) for tire in rigid.values()}
            tires = rigid if stiffness == last else {name: made[id(tire)] for name, tire in rigid.items()}
            self.description = whole.changed(tires=tires)
            car.set_numbers(self.sim, self.description)  # puts it at design, too
            if k == 0:
                self.put()
            else:
                self.sim.x[:], self.sim.m[:] = here, memories
                sinks = 1 / stages[k - 1] - 1 / stiffness
                less = {name: sinks * values[f"Tire.Ground_Surface_Force_Z.{name}"] for name in rigid}
                mean = math.fsum(less.values()) / len(less)
                moved = {w.travel: self.sim.state(w.travel) + less[n] - mean for n, w in self.place.wheels.items()}
                self.sim.set_states(moved | {body: self.sim.state(body) + mean})
            if not self._approach():
                self.description = whole
                raise StaticsError("no equilibrium on rigid set-up wheels; are their radii near those of the tires?")

    def _approach(self) -> bool:
        assert self.balance is not None
        try:
            found = self.balance.approach()
        except (FloatingPointError, np.linalg.LinAlgError):
            return False
        total = math.fsum(self.values()[name] for w in self.place.wheels.values() for name in _loads(w.name, w.twin))
        # an equilibrium in which a wheel pulls, or that stands on its head, is found again from design
        return found.converged and total > 0

    def values(self) -> dict[str, float]:
        """Channels and adjustable parameters."""
        outputs = self.sim.outputs()
        result = {name: float(outputs[i]) for name, i in zip(self.channels, self._index, strict=True)}
        return result | {name: self.sim.parameter(name) for name in self.adjustable}

    def slopes_of_all(self) -> tuple[list[str], Array]:
        """Derivatives of channels and parameters at rest over the adjustable parameters (1, 2): names and rows."""
        assert self.balance is not None
        model = self.linear.at(self.sim)
        rows = model.C @ self.balance.sensitivity(model) + model.D
        return [*model.outputs, *self.adjustable], np.vstack([rows, np.eye(len(self.adjustable))])

    def phase(self, name: str) -> Phase:
        """What the sheet tells of it as it stands."""
        values, vehicle = self.values(), self.description.vehicle
        wheels = {}
        for wheel in self.place.wheels.values():
            w = wheel.name
            figures = {
                "load": math.fsum(values[c] for c in _loads(w, wheel.twin)),
                "ride_height": values[f"Suspension.Ride_Height.{w}"],
                "toe": values[f"wheel_angles.toe_wrt_road_{w}"],
                "camber": values[f"wheel_angles.camber_wrt_road_{w}"],
                "travel": values[f"Suspension.Jounce.{w}"],
            }
            if f"Spring.Force_At_Spring.{w}" in values:
                figures["spring_force"] = values[f"Spring.Force_At_Spring.{w}"]
                figures["spring_travel"] = values[f"Spring.Jounce.{w}"]
            wheels[w] = figures
        mass, centre = _whole(vehicle)
        angles = [values[f"chassis_displacements.{angle}"] for angle in ("pitch", "roll")]
        return Phase(name, mass, (float(centre[0]), float(centre[1]), float(centre[2])), wheels, *angles)


def _whole(vehicle: Vehicle) -> tuple[float, Array]:
    """Mass and centre of gravity of a whole vehicle at design."""
    mass, centre, _ = combine([body.properties for body in bodies(vehicle.layout)])
    return mass, centre


def _loads(wheel: str, twin: str) -> list[str]:
    return [f"Tire.Ground_Surface_Force_Z.{tire}" for tire in (wheel, twin) if tire]


def _channels(place: VehiclePlace) -> Iterator[str]:
    """What is measured on a standing car, where it has it."""
    for wheel in place.wheels.values():
        w = wheel.name
        yield from _loads(w, wheel.twin)
        yield from (f"Suspension.Ride_Height.{w}", f"Suspension.Jounce.{w}")
        yield from (f"wheel_angles.{angle}{to}_{w}" for angle in ("toe", "camber") for to in ("", "_wrt_road"))
        yield from (f"Spring.Jounce.{w}", f"Spring.Force_At_Spring.{w}")
        yield from (f"Jounce_Bumper.Jounce.{w}", f"Rebound_Bumper.Jounce.{w}")
    for axle in place.axles:
        yield from (f"Suspension.Auxiliary_Roll_Force{at}.SUSP{axle.number}" for at in ("", "_at_element"))
    yield from ("chassis_displacements.pitch", "chassis_displacements.roll")


def _slopes(ground: Any) -> tuple[float, float]:
    """Slopes of the plane on which a car is set up; nothing else will do, as what is measured needs one plane."""
    try:
        along, across = (float(value) for value in ground)
    except (TypeError, ValueError):
        along = across = math.nan
    if isinstance(ground, str) or not (abs(along) < STEEPEST and abs(across) < STEEPEST):
        raise ParameterError(
            f"set-up: ground = {ground!r}; a car is set up on a plane: give its slopes along and across, each between "
            f"-{STEEPEST:g} and {STEEPEST:g}, such as (0.0, 0.02). Uneven roads are for runs"
        )
    return along, across


class _Job:
    """One set-up."""

    def __init__(
        self,
        vehicle: Vehicle,
        options: Setup,
        catalogue: Catalogue,
        targets: list[Target],
        masses: Masses,
        ground: tuple[float, float] | None,
    ) -> None:
        if len(vehicle.layout.units) > 1:
            raise ParameterError("set-up: vehicles of several units are set up one by one")
        self.vehicle, self.options, self.masses = vehicle, options, masses
        self.targets, self.warnings = targets, list(catalogue.warnings)
        needed = {name for target in targets for name in target.adjusters}
        self.adjusters = [a for name, a in catalogue.adjusters.items() if name in needed]
        self.slopes = None
        if ground is not None and options.flat_road:
            self.warnings.append("the ground that was given is not used: the set-up is on a flat road (flat_road)")
        elif ground is not None:
            self.slopes = _slopes(ground)
        self.evaluations = 0
        self.failures: list[str] = []
        self._last: tuple[Array, Array] | None = None  # where the car stands now, and its errors

    # -- the whole -----------------------------------------------------------------------------------------------------

    def run(self, speed: float | None = None, nearest: bool = False) -> Vehicle:
        vehicle, options = self.vehicle, self.options
        tires = _rigid(vehicle, options.wheel_stiffness) if options.rigid_wheels else None
        phases: list[Phase] = []
        self.car = _Car(with_masses(self._held(vehicle), "none"), tires, self.slopes)
        with self._conditions(self.car):
            if options.statistics:
                self.car.stand()
                phases.append(self.car.phase("design, nothing added"))
        self._load(vehicle)
        with self._conditions(self.car):
            self.car.stand()
            if options.statistics:
                phases.append(self.car.phase(f"{self.masses} masses, before"))
            solution, slopes = self._solve()
            self._set(solution)
            self.car.stand()
            obstacles = self._obstacles(solution, slopes, self._residual())
            freed = self._freed()
        changes = self._changes(solution) | freed
        changed = vehicle.with_(**changes) if changes else vehicle
        # what counts is what the changed car does, read from its data
        self._load(changed)
        with self._conditions(self.car):
            self.car.stand()
            outcomes = self._outcomes(obstacles)
            phases.append(self.car.phase(f"{self.masses} masses, set up"))
        report = Report(
            vehicle.name,
            {
                "mode": options.mode,
                "reference": options.reference,
                "anti_roll": options.anti_roll,
                "rigid_wheels": options.rigid_wheels,
                "flat_road": self.slopes is None,
                "masses": self.masses,
                "tolerance": options.tolerance,
            },
            tuple(outcomes),
            tuple(_difference(vehicle, changed, changes)),
            (),
            tuple(self.warnings),
            self.evaluations,
        )
        if not report.reached and not nearest:
            raise SetupError(f"{report.status}. Nothing was changed", replace(report, changes=()))
        if options.statistics or speed is not None:
            phases += self._running(changed, tires, speed)
        missed = [f"{o.name} is not reached" for o in outcomes if not o.reached]
        report = replace(report, phases=tuple(phases), warnings=(*report.warnings, *missed))
        result = changed.model_copy()
        result._source = changed._source
        result._setup_report = report
        return result

    def _load(self, vehicle: Vehicle) -> None:
        self.car.load(with_masses(self._held(vehicle), self.masses))

    def _held(self, vehicle: Vehicle) -> Vehicle:
        """As it is set up: on rigid wheels with its racks held, as the steering is on plates.

        A rack that moves a hair lifts wheels of 1 GN/m off by what caster and inclination of the kingpin make of it.
        """
        if not self.options.rigid_wheels:
            return vehicle
        changes: dict[str, Any] = {}
        for axle in vehicle.layout.axles:
            steering = axle.data.steering
            if steering is not None and steering.gear is not None:
                start = dotted(path_of(vehicle, axle, "steering"))
                changes[f"{start}.{steering.gear_name}"] = None
                if steering.rack_travel is None:  # of a drag link, which its gear moved
                    changes[f"{start}.rack_travel"] = steering.travel
        return vehicle.with_(**changes) if changes else vehicle

    def _running(self, changed: Vehicle, tires: Any, speed: float | None) -> list[Phase]:
        """How the changed car stands on its tires with running masses, and how it rides."""
        own = self.car if tires is None and self.slopes is None else _Car(changed, None, None)
        own.load(changed)
        with helpers(own.sim, own.description):
            own.stand()
            found = [own.phase("running masses")]
        if speed is not None:
            from jounce.sim.steady import run_steadily

            run_steadily(own.sim, own.description, speed)
            found.append(own.phase(f"running at {3.6 * speed:.0f} km/h"))
        return found

    @contextmanager
    def _conditions(self, standing: _Car) -> Iterator[None]:
        """What differs while the car is set up."""
        sim = standing.sim
        with helpers(sim, standing.description):
            known = {v.name for v in sim.model.parameters}
            off = [
                f"{axle.prefix}{name}"
                for axle in standing.place.axles
                for name in ("anti_roll_bar.scale", "anti_roll_bar.preload", "auxiliary_anti_roll.scale")
                if f"{axle.prefix}{name}" in known and not self.options.anti_roll
            ]
            was = {name: sim.parameter(name) for name in off}
            sim.set_parameters(dict.fromkeys(off, 0.0))
            try:
                yield
            finally:
                sim.set_parameters(was)

    # -- the search ----------------------------------------------------------------------------------------------------

    def _set(self, z: Array) -> None:
        masses = [(a, value) for a, value in zip(self.adjusters, z, strict=True) if a.kind == MASS]
        if masses:
            self._move(masses)
        values = {a.name: float(v) for a, v in zip(self.adjusters, z, strict=True) if a.kind != MASS}
        self.car.sim.set_parameters(values)

    def _move(self, masses: list[tuple[Adjuster, float]]) -> None:
        """Put masses elsewhere: all numbers of the body change, and the place of its frame."""
        body = self.vehicle.main_body
        items = list(body.added_masses)
        for adjuster, value in masses:
            item = items[adjuster.index]
            place = item.location.model_copy(update={adjuster.axis: float(value)})
            items[adjuster.index] = item.model_copy(update={"location": place})
        moved = _with_body(self.vehicle, body.model_copy(update={"added_masses": tuple(items)}))
        sim = self.car.sim
        kept = {name: sim.parameter(name) for name in sim.parameters if name.endswith(CONDITIONS)}
        self._load(moved)
        sim.set_parameters(kept)

    def _residual(self) -> Array:
        """Errors of all targets where the car stands, SI."""
        values = self.car.values()
        return np.array([target.measure(values)[0] - target.value for target in self.targets])

    def _at(self, z: Array) -> Array | None:
        """Errors with adjustments z; None where the car does not stand."""
        if self._last is not None and np.array_equal(self._last[0], z):
            return self._last[1]
        self.evaluations += 1
        before = self.car.sim.snapshot()
        self._last = None
        try:
            self._set(z)
            self.car.stand()
        except StaticsError as problem:
            self.failures.append(str(problem))
            self.car.sim.restore(before)
            return None
        self._last = z.copy(), self._residual()
        return self._last[1]

    def _slopes(self, z: Array) -> Array:
        """Derivatives of the targets over the adjusters (2)."""
        values = self.car.values()
        names, rows = self.car.slopes_of_all()
        by_name = dict(zip(names, rows, strict=True))
        column = {name: i for i, name in enumerate(self.car.adjustable)}
        result = np.zeros((len(self.targets), len(self.adjusters)))
        for i, target in enumerate(self.targets):
            _, parts = target.measure(values)
            total = np.zeros(len(self.car.adjustable))
            for name, slope in parts.items():
                total = total + slope * by_name[name]
            for j, adjuster in enumerate(self.adjusters):
                if adjuster.kind != MASS:
                    result[i, j] = total[column[adjuster.name]]
        for j, adjuster in enumerate(self.adjusters):
            if adjuster.kind == MASS:
                ends = []
                for sign in (1.0, -1.0):
                    moved = z.copy()
                    moved[j] += sign * STEP
                    ends.append(self._at(moved))
                if ends[0] is not None and ends[1] is not None:
                    result[:, j] = (ends[0] - ends[1]) / (2 * STEP)
                self._at(z)
        return result

    def _solve(self) -> tuple[Array, Array]:
        """Adjustments (3), and the slopes there."""
        n = len(self.adjusters)
        self.unmeasured = [i for i, e in enumerate(self._residual()) if not math.isfinite(e)]
        counted = [i for i in range(len(self.targets)) if i not in self.unmeasured]
        start = np.array([a.start for a in self.adjusters])
        low, high = (np.array([getattr(a, name) for a in self.adjusters]) for name in ("low", "high"))
        size = np.array([a.size for a in self.adjusters])
        weight = np.array([self.targets[i].weight for i in counted])
        if n == 0 or not counted:
            return start, np.zeros((len(self.targets), n))

        def errors(x: Array) -> Array:
            found = self._at(x * size)
            if found is None:
                return np.full(len(counted) + n, np.inf)
            return np.concatenate([found[counted] / weight, SMALLEST * (x - start / size)])

        def slopes(x: Array) -> Array:
            self._at(x * size)
            own = self._slopes(x * size)[counted] * size / weight[:, None]
            return np.vstack([own, SMALLEST * np.eye(n)])

        from scipy.optimize import least_squares

        room = high - low > 0
        first = np.where(room, start, low) / size
        # a bound that leaves no room would be refused
        bounds = low / size - np.where(room, 0.0, 1e-9), high / size + np.where(room, 0.0, 1e-9)
        found = least_squares(
            errors, first, slopes, bounds, "dogbox", ftol=1e-14, xtol=1e-12, gtol=1e-12, max_nfev=EVALUATIONS
        )
        z = np.clip(found.x * size, low, high)
        return self._polished(z, low, high, size, counted)

    def _polished(self, z: Array, low: Array, high: Array, size: Array, counted: list[int]) -> tuple[Array, Array]:
        """Newton steps on (2) alone: without the bias of the second sum of (3).

        Targets that are far from reached stay out of it: others are not to suffer from them.
        """
        r = self._at(z)
        assert r is not None
        slopes = self._slopes(z)
        near = [i for i in counted if abs(r[i]) < FAR * self.targets[i].weight]
        weights = np.array([self.targets[i].weight for i in near])
        for _ in range(POLISH):
            best = float(np.linalg.norm(r[near] / weights))
            free = (z - low > AT_BOUND * size) & (high - z > AT_BOUND * size)
            if best < 1e-9 or not free.any():
                break
            scaled = slopes[near] * size / weights[:, None] * free
            step = np.linalg.lstsq(scaled, -r[near] / weights, rcond=DEPENDENT)[0] * size
            trial = np.clip(z + step, low, high)
            new = self._at(trial)
            if new is None or not np.linalg.norm(new[near] / weights) < best:
                break
            z, r = trial, new
            slopes = self._slopes(z)
        return z, slopes

    # -- what stands in the way ----------------------------------------------------------------------------------------

    def _outcomes(self, obstacles: Mapping[int, str]) -> list[Outcome]:
        values = self.car.values()
        result = []
        for i, target in enumerate(self.targets):
            allowed = max(target.accuracy, self.options.tolerance * abs(target.value))
            value = target.measure(values)[0]
            result.append(
                Outcome(
                    *(target.name, target.value, value, target.unit, allowed),
                    obstacles.get(i, ""),
                    target.given,
                )
            )
        return result

    def _obstacles(self, z: Array, slopes: Array, error: Array) -> dict[int, str]:
        """Why targets are missed, by their number."""
        missed = [
            i
            for i, target in enumerate(self.targets)
            if not abs(error[i]) <= max(target.accuracy, self.options.tolerance * abs(target.value))
        ]
        if not missed:
            return {}
        weight = np.array([target.weight for target in self.targets])
        scaled = slopes * np.array([a.size for a in self.adjusters]) / weight[:, None]
        r = np.where(np.isfinite(error), error, 0.0) / weight
        u, s, _ = np.linalg.svd(scaled) if scaled.size else (np.eye(len(r)), np.zeros(0), None)
        null = u[:, int(np.sum(s > DEPENDENT * max(float(s.max(initial=0.0)), 1e-300))) :]
        apart = null @ null.T  # the part of errors that no adjustment whatever changes
        blocked = self._at_bounds(z)
        result = {}
        for i in missed:
            target = self.targets[i]
            acts = bool(self.adjusters) and float(np.abs(scaled[i]).max()) > ACTS
            partners = [t.given or t.name for j, t in enumerate(self.targets) if j != i and abs(apart[i, j]) > 1e-3]
            stuck = [text for j, text in blocked.items() if abs(scaled[i, j]) > ACTS]
            if not acts:
                text = target.lacking or "no adjuster of this car acts on it"
                result[i] = f"missing adjuster: {text}"
            elif partners and abs(apart[i] @ r) > 0.3 * abs(r[i]):
                result[i] = (
                    f"contradicts {', '.join(partners)}: nothing that is adjusted for them brings them about together"
                )
            elif stuck:
                result[i] = f"at its bound: {'; '.join(stuck)}"
            elif partners:
                result[i] = f"contradicts {', '.join(partners)}"
            elif self.failures:
                result[i] = f"beyond, the car does not stand: {self.failures[-1]}"
            else:
                result[i] = target.lacking or "the search came no closer"
        return result

    def _at_bounds(self, z: Array) -> dict[int, str]:
        found = {}
        for j, a in enumerate(self.adjusters):
            for end in ("low", "high"):
                bound = getattr(a, end)
                if math.isfinite(bound) and abs(z[j] - bound) < AT_BOUND * a.size:
                    value, unit = self._quoted(a, bound)
                    where = f" ({a.reason[end]})" if end in a.reason else ""
                    found[j] = f"{a.label} at {shown(value, unit)}{where}"
        return found

    def _quoted(self, a: Adjuster, value: float) -> tuple[float, str]:
        """A bound as its key has it: of a spring its preload."""
        if a.kind != PRELOAD or a.wheel is None:
            return value, a.unit
        spring = spring_of(a.wheel)
        assert spring is not None
        splines = a.wheel.settings.splines
        return force_of(spring, value, splines.method, splines.element_extrapolation), spring.force_unit

    # -- into the data -------------------------------------------------------------------------------------------------

    def _changes(self, z: Array) -> dict[str, Any]:
        """Paths and values of what was adjusted."""
        result: dict[str, Any] = {}
        by_axle: dict[tuple[int, str], dict[str, float]] = {}
        for a, value in zip(self.adjusters, z, strict=True):
            if abs(value - a.start) <= ALIKE * max(abs(a.start), a.size):
                continue
            if a.kind == MASS:
                result[a.name] = float(value)
            else:
                assert a.wheel is not None
                by_axle.setdefault((a.wheel.axle.number, a.kind), {})[a.wheel.side] = float(value)
        for (number, kind), sides in by_axle.items():
            axle = self.vehicle.layout.axles[number - 1]
            result |= _of_axle(self.vehicle, axle, kind, sides)
        return result

    def _freed(self) -> dict[str, Any]:
        """Anti-roll devices without force where the car stands, where they did not act."""
        result: dict[str, Any] = {}
        sim = self.car.sim
        for axle in self.vehicle.layout.axles if not self.options.anti_roll else ():
            data = axle.data.suspension
            base = dotted(path_of(self.vehicle, axle, "suspension"))
            if data.anti_roll_bar is not None:
                scale = f"{axle.prefix}anti_roll_bar.scale"
                sim.set_parameters({scale: data.anti_roll_bar.scale})
                torque = sim.output(f"Suspension.Auxiliary_Roll_Force_at_element.SUSP{axle.number}")
                sim.set_parameters({scale: 0.0})  # its preload is zero here: what is left is that of its twist
                result[f"{base}.anti_roll_bar.preload"] = -torque + 0.0
            elif data.auxiliary_anti_roll is not None:
                left, right = (sim.state(wheel.travel) for wheel in axle.wheels)
                result[f"{base}.auxiliary_anti_roll.zero"] = left - right
        return result


CONDITIONS = (
    *("anti_roll_bar.scale", "anti_roll_bar.preload", "auxiliary_anti_roll.scale"),
    *("statics.spring_rate", "statics.damper_rate", "statics.spin_damping", "aero.active"),
)


def _of_axle(vehicle: Vehicle, axle: AxlePlace, kind: str, sides: Mapping[str, float]) -> dict[str, Any]:
    """What the data of an axle say after an adjustment; both sides where they differ."""
    group, key = {
        PUSHROD: ("spring", "pushrod"),
        PRELOAD: ("spring", "preload"),
        TOE: ("toe", "offset"),
        CAMBER: ("camber", "offset"),
        BUMP: ("bump_stop", "clearance"),
        REBOUND: ("rebound_stop", "clearance"),
    }[kind]
    data = getattr(axle.data.suspension, group)
    if kind == PRELOAD and data.installed_length is not None:
        key = "installed_length"
    values = {}
    for wheel in axle.wheels:
        own = data if wheel.side == "L" or data.right is None else data.right
        if wheel.side not in sides:
            values[wheel.side] = getattr(own, key)
        elif kind != PRELOAD:
            values[wheel.side] = sides[wheel.side]
        elif key == "installed_length":
            values[wheel.side] = own.free_length - sides[wheel.side]
        else:
            splines = axle.settings.splines
            values[wheel.side] = force_of(own, sides[wheel.side], splines.method, splines.element_extrapolation)
    base = f"{dotted(path_of(vehicle, axle, 'suspension'))}.{group}"
    left, right = values["L"], values.get("R")
    result = {f"{base}.{key}": left}
    if right is None:
        return result
    same = left is not None and abs(left - right) <= ALIKE * max(abs(left), abs(right))
    if data.right is not None or not same:
        result[f"{base}.right.{key}"] = left if same else right
    return result


def _difference(before: Vehicle, after: Vehicle, changes: Mapping[str, Any]) -> Iterator[Change]:
    """What changed, path by path; a right side that had no data of its own was as the left one."""
    known = {d.path: d for d in before.diff(after)}
    for path in changes:
        found = known.get(path)
        was = found.ours if found is not None else _value(before, path)
        now = found.theirs if found is not None else changes[path]
        was = 0.0 if was is None else was
        if was != now:
            unit = found.unit if found is not None else "m"
            yield Change(path, float(was), float(now), unit)


def _value(vehicle: Vehicle, path: str) -> Any:
    try:
        return vehicle.get(path)
    except JounceError:
        return vehicle.get(path.replace(".right.", "."))


def _rigid(vehicle: Vehicle, stiffness: float) -> dict[str, Tire]:
    """Rigid set-up wheels in the place of the tires: they bear load and nothing else."""
    from jounce.components.tire.linear import Linear

    model = Linear(mode=0)
    made: dict[float, Tire] = {}
    result = {}
    for wheel in vehicle.layout.wheels.values():
        data = wheel.axle.data.suspension.setup
        radius = float(wheel.centre[2]) if data is None or data.wheel_radius is None else data.wheel_radius
        if radius not in made:
            numbers = {"UNLOADED_RADIUS": radius, "VERTICAL_STIFFNESS": stiffness, "CSLIP": 1e5, "CALPHA": 1e5}
            made[radius] = Tire(model, model.complete(numbers), name="set-up wheel")
        result[wheel.name] = made[radius]
    return result


__all__ = ["Change", "Outcome", "Phase", "Report", "setup", "trim", "with_masses"]
