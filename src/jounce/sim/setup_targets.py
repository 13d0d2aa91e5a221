"""Targets of a set-up by name, how each is measured on a standing car, and what can be adjusted to reach it.

Names are built from the layout: ``front_ride_height``, ``front_left_toe``, ``axle3_camber``, and ``cross_weight`` of
cars with two axles. Measures are functions of channels and of adjusted parameters, with their derivatives:

    ride height             h, or the mean (h_L + h_R)/2                                                         (1)
    cross weight            (F_L1 + F_R2)/ΣF,   cross ratio (F_R1 + F_L2)/ΣF,   cross force F_R − F_L           (2)
    toe, camber             to the ground or to the chassis                                                      (3)
    pin height              −d, the change of a spring's length from design, longer positive                     (4)
    droop preload           F_spring(J_e), with J_e the travel at which the rebound stop engages                 (5)
    gap of a stop           clearance ∓ d                                                                        (6)

Adjusters are parameters of the model: push-rod and length at design of a spring, offsets of toe and camber, clearances
of stops; and the place of masses on board, which has no parameter of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from jounce.components.basics import on_side
from jounce.components.body.body import AddedMass
from jounce.components.places import AxlePlace, VehiclePlace, WheelPlace
from jounce.components.suspension.setup import AxleSetup
from jounce.components.suspension.spring import Spring
from jounce.components.suspension.stop import Stop
from jounce.core import units
from jounce.core.curves import Curve, invert
from jounce.core.errors import JounceError, ParameterError, did_you_mean
from jounce.core.fields import meta
from jounce.core.paths import dotted
from jounce.vehicle.layout import path_of
from jounce.vehicle.schema import Vehicle

Values = Mapping[str, float]
Slopes = dict[str, float]  # over channels and parameters, by name
Measure = Callable[[Values], tuple[float, Slopes]]

SIDES = {"L": "left", "R": "right"}
# kinds of adjusters: where they stand in the data of an axle
PUSHROD, PRELOAD, TOE, CAMBER, BUMP, REBOUND, MASS = (
    *("pushrod", "preload", "toe", "camber", "bump_stop", "rebound_stop", "mass"),
)
PARAMETERS = {
    PUSHROD: "spring.pushrod",
    PRELOAD: "spring.at_design",
    TOE: "toe.offset",
    CAMBER: "camber.offset",
    BUMP: "bump_stop.clearance",
    REBOUND: "rebound_stop.clearance",
}
# What counts as reached, and what a mistake of is about as bad as one of another unit.
ACCURACY = {"m": 1e-6, "rad": 1e-6, "N": 1.0, "N.m": 1.0, "-": 1e-6}
WEIGHT = {"m": 1e-3, "rad": 1e-3, "N": 10.0, "N.m": 10.0, "-": 1e-3}
# Sizes of adjustments that count alike: the smallest change of all is sought where several reach a target.
SIZE = {"m": 0.01, "rad": 0.01}
CHANGE = 1e-7  # of a parameter, for slopes of (5)


@dataclass
class Adjuster:
    """A number that a set-up may change, within bounds."""

    name: str  # of the parameter, or of what it moves
    kind: str
    unit: str
    start: float
    low: float
    high: float
    label: str
    wheel: WheelPlace | None = None
    index: int = 0  # of a mass
    axis: str = ""
    reason: dict[str, str] = field(default_factory=dict)  # what the bounds "low" and "high" are

    @property
    def size(self) -> float:
        return SIZE.get(self.unit, 0.01)


@dataclass
class Target:
    """What is to be reached."""

    name: str
    value: float
    unit: str
    measure: Measure
    adjusters: tuple[str, ...]  # names
    lacking: str = ""  # what is not there to adjust
    given: str = ""  # the name by which it was asked for, where that means several

    @property
    def accuracy(self) -> float:
        return ACCURACY[self.unit]

    @property
    def weight(self) -> float:
        return WEIGHT[self.unit]


# ---- names -----------------------------------------------------------------------------------------------------------


def known_targets(vehicle: Vehicle) -> dict[str, tuple[str, str]]:
    """Names of targets that a vehicle may have: unit and what each is."""
    place = vehicle.layout
    found: dict[str, tuple[str, str]] = {}
    for axle in place.axles:
        for name, info in AxleSetup.model_fields.items():
            extra = meta(info)
            if extra.get("kind") != "quantity" or name in LIMITS:
                continue
            if len(axle.wheels) == 1 and name.startswith(("right_", "cross_")):
                continue
            found[f"{axle.word}_{name}"] = (str(extra["unit"]), str(info.description))
        for wheel in axle.wheels:
            found[f"{wheel.words}_travel"] = ("m", "travel of the wheel from design, up positive")
    if _diagonals(place) is not None:
        found["cross_weight"] = ("-", "load of left front and right rear over all of it")
        found["cross_ratio"] = ("-", "load of right front and left rear over all of it")
    return found


LIMITS = ("pushrod_min", "pushrod_max", "preload_min", "preload_max", "toe_limit", "camber_limit", "wheel_radius")


def wanted(vehicle: Vehicle, given: Mapping[str, Any] | None) -> dict[str, float]:
    """Targets of a vehicle's data and those given, which count before them, in SI; None takes one away."""
    known = known_targets(vehicle)
    result: dict[str, float] = {}
    for axle in vehicle.layout.axles:
        data: AxleSetup | None = axle.data.suspension.setup
        for name in AxleSetup.model_fields if data is not None else ():
            full, value = f"{axle.word}_{name}", getattr(data, name)
            if full in known and value is not None:
                result[full] = float(value)
    for name in ("cross_weight", "cross_ratio"):
        value = None if vehicle.setup is None else getattr(vehicle.setup, name)
        if value is not None and name not in known:
            raise ParameterError(f"setup.{name}: for cars with two axles of two wheels; this one has other axles")
        if value is not None:
            result[name] = float(value)
    problems = []
    for name, value in (given or {}).items():
        if name not in known:
            problems.append(f"target {name!r}: unknown{did_you_mean(name, known, limit=60)}")
        elif value is None:
            result.pop(name, None)
        else:
            try:
                result[name] = units.parse(value, known[name][0], name)
                if not math.isfinite(result[name]):
                    problems.append(f"{name} = {value!r}: not a finite number")
            except ParameterError as problem:
                problems.append(str(problem))
    if problems:
        raise ParameterError("\n".join(problems))
    return result


def _diagonals(place: VehiclePlace) -> tuple[list[WheelPlace], list[WheelPlace]] | None:
    """Left front and right rear, right front and left rear, of a car with two axles."""
    if [len(axle.wheels) for axle in place.axles] != [2, 2]:
        return None
    (a, b), (c, d) = (axle.wheels for axle in place.axles)
    return [a, d], [b, c]


# ---- measures --------------------------------------------------------------------------------------------------------


def linear(slopes: Mapping[str, float]) -> Measure:
    """A sum of channels and parameters with factors."""

    def found(values: Values) -> tuple[float, Slopes]:
        return math.fsum(factor * values[name] for name, factor in slopes.items()), dict(slopes)

    return found


def share(part: list[str], whole: list[str]) -> Measure:
    """A share in a sum of loads (2)."""

    def found(values: Values) -> tuple[float, Slopes]:
        total = math.fsum(values[name] for name in whole)
        ratio = math.fsum(values[name] for name in part) / total
        return ratio, {name: ((name in part) - ratio) / total for name in whole}

    return found


def loads(wheel: WheelPlace) -> list[str]:
    """Channels whose sum is the load of a wheel."""
    return [f"Tire.Ground_Surface_Force_Z.{tire}" for tire in (wheel.name, wheel.twin) if tire]


def height(wheel: WheelPlace) -> str:
    return f"Suspension.Ride_Height.{wheel.name}"


def angle(wheel: WheelPlace, which: str, reference: str) -> str:
    """Channel of toe or camber (3)."""
    return f"wheel_angles.{which}{'_wrt_road' if reference == 'ground' else ''}_{wheel.name}"


def parameter(wheel: WheelPlace, kind: str) -> str:
    return f"{wheel.prefix}{PARAMETERS[kind]}"


def spring_of(wheel: WheelPlace) -> Spring | None:
    found = wheel.axle.data.suspension.spring
    return None if found is None else on_side(found, wheel.side)


def stop_of(wheel: WheelPlace, kind: str) -> Stop | None:
    found: Stop | None = getattr(wheel.axle.data.suspension, kind)
    found = None if found is None else on_side(found, wheel.side)
    return found if found is not None and found.active else None


def force_of(spring: Spring, abscissa: float, method: str, beyond: str) -> float:
    """Force of a spring at a compression (or length)."""
    if spring.rate is not None:
        return spring.scale * spring.rate * abscissa
    assert spring.force is not None
    return spring.scale * float(spring.force.table(method=method, extrapolation=beyond)(abscissa))


def _deflection(curve: Curve, method: str, beyond: str) -> Callable[[float], float]:
    """A deflection over travel, both wheels of the axle moving alike."""
    if curve.constant is not None:
        return lambda travel: curve.constant * travel  # type: ignore[operator]
    found = curve.table(method=method, extrapolation=beyond)
    return lambda travel: float(found(*[travel] * curve.n_axes))


def droop_force(wheel: WheelPlace) -> Measure:
    """Force of a spring where the rebound stop of its wheel engages (5); slopes are central differences."""
    from scipy.optimize import brentq

    spring, stop = spring_of(wheel), stop_of(wheel, REBOUND)
    assert spring is not None and stop is not None
    splines = wheel.settings.splines
    method, beyond = splines.method, splines.element_extrapolation
    of_stop, of_spring = (_deflection(item.deflection_by(method), method, beyond) for item in (stop, spring))
    names = [parameter(wheel, kind) for kind in (REBOUND, PRELOAD, PUSHROD)]

    def force(clearance: float, at_design: float, pushrod: float) -> float:
        reach = 1.0
        ends = of_stop(-reach) + clearance, of_stop(reach) + clearance
        if ends[0] * ends[1] > 0:
            raise ParameterError(f"{wheel.words}_droop_preload: no travel within 1 m brings its rebound stop in touch")
        travel = brentq(lambda j: of_stop(j) + clearance, -reach, reach, xtol=1e-14)
        moved = of_spring(travel + pushrod)
        return force_of(spring, at_design - moved if spring.axis == "length" else at_design + moved, method, beyond)

    def found(values: Values) -> tuple[float, Slopes]:
        at = [values[name] for name in names]
        slopes = {}
        for i, name in enumerate(names):
            up, down = (force(*[x + (sign * CHANGE if k == i else 0.0) for k, x in enumerate(at)]) for sign in (1, -1))
            slopes[name] = (up - down) / (2 * CHANGE)
        return force(*at), slopes

    return found


# ---- targets ---------------------------------------------------------------------------------------------------------


class Catalogue:
    """Targets of one car as measures, and the adjusters that belong to them."""

    def __init__(self, vehicle: Vehicle, mode: str, reference: str, explicit: Mapping[str, Any]) -> None:
        self.vehicle, self.mode, self.reference = vehicle, mode, reference
        self.place = vehicle.layout
        self.explicit = explicit  # given by the caller, not by the data
        self.adjusters: dict[str, Adjuster] = {}
        self.warnings: list[str] = []

    def targets(self, values: Mapping[str, float]) -> list[Target]:
        """All targets, with what restores clearances."""
        found: list[Target] = []
        known = known_targets(self.vehicle)
        for name, value in values.items():
            found += [replace(target, given=name) for target in self._targets(name, value, known[name][0])]
        names = {t.name for t in found}
        found += [t for t in self._restored() if t.name not in names]
        self._check(found)
        return found

    def _check(self, found: list[Target]) -> None:
        """One adjuster of a stop has one master."""
        droop = {t.adjusters[0]: t.name for t in found if t.name.endswith("droop_preload") and t.adjusters}
        for target in found:
            if target.name.endswith("rebound_gap") and target.adjusters and target.adjusters[0] in droop:
                raise ParameterError(
                    f"{target.name} and {droop[target.adjusters[0]]} contradict each other: both set the clearance of "
                    "the same rebound stop; keep one"
                )

    def _targets(self, name: str, value: float, unit: str) -> Iterator[Target]:
        if name in ("cross_weight", "cross_ratio"):
            yield self._cross(name, value)
            return
        axle = next(axle for axle in self.place.axles if name.startswith(f"{axle.word}_"))
        what = name.removeprefix(f"{axle.word}_")
        sides = [w for w in axle.wheels if what.startswith(f"{SIDES[w.side]}_")]
        for wheel in sides:
            what = what.removeprefix(f"{SIDES[wheel.side]}_")
        if what == "ride_height":
            wheels = sides or axle.wheels
            measure = linear({height(w): 1 / len(wheels) for w in wheels})
            yield self._by_springs(name, value, unit, measure, axle)
        elif what == "cross_force":
            left, right = axle.wheels
            yield self._by_springs(name, value, unit, linear(_difference(right, left)), axle)
        elif what == "travel":
            (wheel,) = sides
            yield self._by_springs(name, value, unit, linear({f"Suspension.Jounce.{wheel.name}": 1.0}), axle)
        elif what == "load" and sides:
            yield self._by_springs(name, value, unit, linear(dict.fromkeys(loads(sides[0]), 1.0)), axle)
        elif what == "load":
            yield self._axle_load(name, value, axle)
        else:
            for wheel in sides or axle.wheels:
                own = f"{wheel.words}_{what}" if len(axle.wheels) == 2 else name
                yield from self._at_wheel(own, value, unit, what, wheel, given=name)

    def _cross(self, name: str, value: float) -> Target:
        diagonals = _diagonals(self.place)
        assert diagonals is not None
        chosen = diagonals[0 if name == "cross_weight" else 1]
        part = [channel for wheel in chosen for channel in loads(wheel)]
        whole = [channel for wheel in self.place.wheels.values() for channel in loads(wheel)]
        springs, lacking = self._springs(self.place.wheels.values())
        return Target(name, value, "-", share(part, whole), springs, lacking)

    def _by_springs(self, name: str, value: float, unit: str, measure: Measure, axle: AxlePlace) -> Target:
        springs, lacking = self._springs(axle.wheels)
        return Target(name, value, unit, measure, springs, lacking)

    def _axle_load(self, name: str, value: float, axle: AxlePlace) -> Target:
        masses = tuple(self._mass(i, item, "x") for i, item in self._movable())
        lacking = "" if masses else "no mass on board has a max_offset along x by which it may be moved"
        slopes = {channel: 1.0 for wheel in axle.wheels for channel in loads(wheel)}
        return Target(name, value, "N", linear(slopes), masses, lacking)

    def _at_wheel(
        self, name: str, value: float, unit: str, what: str, wheel: WheelPlace, given: str
    ) -> Iterator[Target]:
        if what in (TOE, CAMBER):
            adjuster = self._angle(what, wheel)
            yield Target(name, value, unit, linear({angle(wheel, what, self.reference): 1.0}), (adjuster,))
        elif what == "pin_height":
            if self.mode != PUSHROD:
                text = f"{given}: pin heights are set in mode pushrod only; in mode preload springs set the ride height"
                if given in self.explicit:
                    raise ParameterError(text)
                self.warnings.append(f"not used: {text}")
                return
            adjusters, lacking = self._spring(PRELOAD, wheel)
            springs, _ = self._springs(wheel.axle.wheels)
            measure = linear({f"Spring.Jounce.{wheel.name}": -1.0})  # (4)
            yield Target(name, value, unit, measure, (*adjusters, *springs), lacking)
        elif what == "droop_preload":
            stop, spring = stop_of(wheel, REBOUND), spring_of(wheel)
            if stop is None or spring is None:
                lacking = f"{wheel.name} has no {'spring' if spring is None else 'rebound stop'}"
                yield Target(name, value, unit, lambda _: (math.nan, {}), (), lacking)
            else:
                yield Target(name, value, unit, droop_force(wheel), (self._clearance(REBOUND, wheel, stop),))
        else:
            kind = BUMP if what == "bump_gap" else REBOUND
            stop = stop_of(wheel, kind)
            if stop is None:
                lacking = f"{wheel.name} has no {kind.replace('_', ' ')}"
                yield Target(name, value, unit, lambda _: (math.nan, {}), (), lacking)
                return
            yield self._gap(name, value, kind, wheel, stop)

    def _gap(self, name: str, value: float, kind: str, wheel: WheelPlace, stop: Stop) -> Target:
        adjuster = self._clearance(kind, wheel, stop)
        measure = linear({adjuster: 1.0, f"{stop.group}.Jounce.{wheel.name}": -stop.sign})  # (6)
        return Target(name, value, "m", measure, (adjuster,))

    def _restored(self) -> Iterator[Target]:
        """Gaps that the data ask for: what their clearance says."""
        for axle in self.place.axles:
            data: AxleSetup | None = axle.data.suspension.setup
            for wheel in axle.wheels if data is not None else ():
                for kind, word in ((BUMP, "bump"), (REBOUND, "rebound")):
                    own = getattr(data, f"{SIDES[wheel.side]}_restore_{word}_clearance")
                    stop = stop_of(wheel, kind)
                    if (getattr(data, f"restore_{word}_clearance") if own is None else own) and stop is not None:
                        yield self._gap(f"{wheel.words}_{word}_gap", stop.clearance, kind, wheel, stop)

    # -- adjusters -----------------------------------------------------------------------------------------------------

    def _limits(self, wheel: WheelPlace) -> AxleSetup:
        found: AxleSetup | None = wheel.axle.data.suspension.setup
        return AxleSetup() if found is None else found

    def _add(self, adjuster: Adjuster) -> str:
        adjuster.low, adjuster.high = min(adjuster.low, adjuster.start), max(adjuster.high, adjuster.start)
        self.adjusters.setdefault(adjuster.name, adjuster)
        return adjuster.name

    def _springs(self, wheels: Any) -> tuple[tuple[str, ...], str]:
        """Adjusters of heights at some wheels, and what is lacking."""
        found: list[str] = []
        lacking = []
        for wheel in wheels:
            names, text = self._spring(self.mode, wheel)
            found += names
            lacking += [text] if text else []
        return tuple(found), "; ".join(lacking)

    def _spring(self, kind: str, wheel: WheelPlace) -> tuple[tuple[str, ...], str]:
        spring, limits = spring_of(wheel), self._limits(wheel)
        if spring is None:
            return (), f"{wheel.name} has no spring to adjust"
        name = parameter(wheel, kind)
        base = f"{dotted(path_of(self.vehicle, wheel.axle, 'suspension'))}.setup"
        if kind == PUSHROD:
            label = f"push-rod {wheel.name}"
            reasons = {"low": f"{base}.pushrod_min", "high": f"{base}.pushrod_max"}
            bounds = limits.pushrod_min, limits.pushrod_max
            return (self._add(Adjuster(name, kind, "m", spring.pushrod, *bounds, label, wheel, reason=reasons)),), ""
        if spring.scale == 0:
            return (), f"the spring of {wheel.name} has the scale 0"
        method = wheel.settings.splines.method
        start = spring.abscissa_at_design(method)
        low = _abscissa(spring, limits.preload_min, method, -math.inf)
        high = math.inf if limits.preload_max is None else _abscissa(spring, limits.preload_max, method, math.inf)
        reasons = {"low": f"{base}.preload_min", "high": f"{base}.preload_max"}
        if spring.axis == "length":  # shorter is more force
            low, high = (-high if math.isinf(high) else high), (-low if math.isinf(low) else low)
            reasons = {"low": reasons["high"], "high": reasons["low"]}
        unit, label = spring.ratio.units.y, f"preload of the spring {wheel.name}"
        return (self._add(Adjuster(name, kind, unit, start, low, high, label, wheel, reason=reasons)),), ""

    def _angle(self, kind: str, wheel: WheelPlace) -> str:
        limit = getattr(self._limits(wheel), f"{kind}_limit")
        start = wheel.axle.data.suspension.map(kind, wheel.side).offset
        path = f"{dotted(path_of(self.vehicle, wheel.axle, 'suspension'))}.setup.{kind}_limit"
        reasons = {"low": path, "high": path}
        name, label = parameter(wheel, kind), f"{kind} of {wheel.name}"
        return self._add(Adjuster(name, kind, "rad", start, -limit, limit, label, wheel, reason=reasons))

    def _clearance(self, kind: str, wheel: WheelPlace, stop: Stop) -> str:
        name, label = parameter(wheel, kind), f"clearance of the {kind.replace('_', ' ')} {wheel.name}"
        return self._add(Adjuster(name, kind, "m", stop.clearance, -math.inf, math.inf, label, wheel))

    def _movable(self) -> list[tuple[int, AddedMass]]:
        """Masses on board that may be moved along the car."""
        items = self.vehicle.main_body.added_masses
        return [(i, m) for i, m in enumerate(items) if m.max_offset is not None and m.max_offset.x > 0 and m.active]

    def _mass(self, index: int, item: AddedMass, axis: str) -> str:
        assert item.max_offset is not None
        start, reach = getattr(item.location, axis), getattr(item.max_offset, axis)
        name = f"body.added_masses[{index}].location.{axis}"
        path = f"body.added_masses[{index}].max_offset.{axis}"
        label = f"place of {item.name or f'added mass {index + 1}'}"
        reasons = {"low": path, "high": path}
        return self._add(
            Adjuster(
                name, MASS, "m", start, start - reach, start + reach, label, index=index, axis=axis, reason=reasons
            )
        )


def _difference(plus: WheelPlace, minus: WheelPlace) -> dict[str, float]:
    return {**dict.fromkeys(loads(plus), 1.0), **dict.fromkeys(loads(minus), -1.0)}


def _abscissa(spring: Spring, force: float, method: str, beyond: float) -> float:
    """Compression (or length) of a spring at a force; ``beyond`` where its table has none."""
    if spring.rate is not None:
        return force / (spring.scale * spring.rate)
    assert spring.force is not None
    if spring.force.is_table and spring.force.monotonic == 0:
        return beyond
    try:
        return invert(spring.force, force / spring.scale, method)
    except JounceError:
        return beyond


__all__ = ["Adjuster", "Catalogue", "Target", "force_of", "known_targets", "spring_of", "wanted"]
