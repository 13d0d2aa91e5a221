"""Random vehicles in random events: numbers within what exists on the road, options from the kinds of parts.

    vehicle_of(seed)     a car of the library with other numbers and, on demand, other parts
    events_of(seed)      events with other speeds, friction, sides
    broken(...)          which identities of mechanics a standing car or a run does not keep

As a program it looks for trouble: ``python tests/random_vehicles.py 0 50`` drives those of the seeds 0 … 49.
A case ends well, or with a `JounceError` that says what is wrong; anything else is a finding.
"""

from __future__ import annotations

import copy
import importlib.util
import math
import signal
import sys
import traceback
import typing
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import numpy as np

import jounce as jn
import jounce.vehicle as jv
from jounce import events
from jounce.core.curves import Curve
from jounce.core.errors import JounceError, PlausibilityWarning
from jounce.core.fields import meta, to_raw, walk
from jounce.results.identities import identities
from jounce.results.run import Run
from jounce.runtime.simulation import Simulation
from jounce.sim import car, standing
from jounce.vehicle.reading import library_names

Raw = dict[str, Any]
CONTRACT = Path(__file__).parent / "components" / "test_contract.py"
MOST_COMPUTING = 600  # s of computing, a new model's compilation included, after which a case counts as hanging

# Numbers that are no property of a car: of the search for its rest, of the world, of a set-up, of drivers and speeds.
KEPT = ("system.", "setup.", "sensor_point", "driveline.", "steering.rack_pinion.", "trailers", "parts", "sensors")
# Where parts of a family may stand in a car.
AXLES = ("front_suspension", "rear_suspension")
PLACES: dict[str, tuple[str, ...]] = {
    "aero": ("aero",),
    **{
        family: tuple(f"{axle}.{family}" for axle in AXLES)
        for family in ("anti_roll_bar", "auxiliary_anti_roll", "bump_stop", "rebound_stop", "compliance", "spring")
    },
    "series_stiffness": tuple(f"{axle}.series_stiffness" for axle in AXLES),
    "damper": tuple(f"{axle}.dampers" for axle in AXLES),
    "element": tuple(f"{axle}.elements" for axle in AXLES),
    "brake": ("brakes.front", "brakes.rear"),
    "slip_control": ("brakes.abs", "drive.tcs"),
    "contact": ("contacts",),
    "controller": ("parts",),
    "force": ("forces",),
    "sensor": ("sensors",),
    "suspended": ("body.suspended",),
    "x_dof": tuple(f"{axle}.x_dof" for axle in AXLES),
    "hitch": ("trailers",),
}
TOGETHER = ("dampers", "elements", "contacts", "parts", "forces", "sensors", "suspended", "trailers")  # lists
SHORTER: dict[str, Raw] = {
    "cycle": {"end_time": 60.0},
    "coast-down": {"end_time": 20.0},
    "straight-acceleration": {"end_time": 8.0},
    "steady-circle": {"end_time": 20.0},
    "abs-stop": {"stops": 1},
}
LONG = ("coast-down",)


@dataclass
class Case:
    """What was drawn, and what came of it."""

    seed: int
    vehicle: jv.Vehicle
    told: list[str]
    refused: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)


@lru_cache
def examples() -> dict[tuple[str, str], Raw]:
    """One of each kind of part, by family and kind: those of the test that all of them take."""
    spec = importlib.util.spec_from_file_location("contract_of_parts", CONTRACT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.EXAMPLES)


# ---- vehicles --------------------------------------------------------------------------------------------------------


def vehicle_of(seed: int, options: bool = True) -> tuple[jv.Vehicle, list[str]]:
    """A random vehicle, and what is other about it; without ``options`` of the structure of its car in the library."""
    random = Random(f"vehicle {seed}")
    name = random.choice(library_names())
    vehicle, told = jv.load(name), [name]
    if options:
        for _ in range(random.choice((1, 2, 3, 5))):
            vehicle, text = optioned(vehicle, random)
            told.append(text)
    spread = random.choice((0.05, 0.15, 0.35))
    vehicle, count = renumbered(vehicle, random, spread)
    return vehicle, [*told, f"{count} numbers ± {spread:g}"]


def optioned(vehicle: jv.Vehicle, random: Random) -> tuple[jv.Vehicle, str]:
    """With another option; of those that are refused, as ever many are, another one is drawn."""
    for _ in range(40):
        draw = random.choice((_part, _part, _part, _absence, _choice, _from_library))
        try:  # a truck has no front_suspension
            changes, text = draw(vehicle, random)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return vehicle.with_(**changes), text
        except JounceError:
            continue
    return vehicle, "-"


def _part(vehicle: jv.Vehicle, random: Random) -> tuple[Raw, str]:
    """An example of a kind, in a place of its family."""
    family, kind = random.choice([item for item in examples() if item[0] in PLACES])
    data, path = copy.deepcopy(examples()[family, kind]), random.choice(PLACES[family])
    changes: Raw = {}
    if family == "hitch":
        from trains import trailer

        data = {**trailer(), "hitch": data}
    if family == "auxiliary_anti_roll":
        changes[path.replace("auxiliary_anti_roll", "anti_roll_bar")] = None
    if path.rpartition(".")[2] in TOGETHER:
        here = vehicle.get(path) or ()
        data = [*(to_raw(item) for item in here), data] if family != "hitch" else [data]
    return {**changes, path: data}, f"{path}: {kind}"


def _absence(vehicle: jv.Vehicle, random: Random) -> tuple[Raw, str]:
    paths = [path for places in PLACES.values() for path in places if vehicle.get(path.partition(".")[0]) is not None]
    paths += ["steering.rack_pinion", "driveline"]
    path = random.choice(paths)
    return {path: None}, f"no {path}"


def _choice(vehicle: jv.Vehicle, random: Random) -> tuple[Raw, str]:
    """Another word where one out of several is declared."""
    found = []
    for path, value, info in walk(vehicle):
        if info is None or meta(info).get("kind") != "choice" or path.endswith("kind"):
            continue
        words = (True, False) if isinstance(value, bool) else typing.get_args(info.annotation)
        others = [word for word in words if isinstance(word, str | bool) and word != value]
        found += [(path, random.choice(others))] if others else []
    path, word = random.choice(found)
    return {path: word}, f"{path}: {word}"


def _from_library(vehicle: jv.Vehicle, random: Random) -> tuple[Raw, str]:
    """Tires or the driveline of another car."""
    other = jv.load(random.choice(library_names()))
    path = random.choice(("front_wheels.tire", "rear_wheels.tire", "driveline", "aero", "steering.rack_pinion"))
    return {path: to_raw(other.get(path))}, f"{path} of {other.name}"


def renumbered(vehicle: jv.Vehicle, random: Random, spread: float) -> tuple[jv.Vehicle, int]:
    """Every number of the car times e^±spread, within what exists on the road; one that is refused stays."""
    changes: Raw = {}
    for path, value, info in walk(vehicle):
        if info is None or path.startswith(KEPT) or meta(info).get("kind") not in ("quantity", "curve"):
            continue
        factor = math.exp(random.uniform(-spread, spread))
        if isinstance(value, Curve):
            if value.constant is None or meta(info).get("flat"):
                continue
            value = value.constant
        if not isinstance(value, float) or value == 0.0 or path.endswith((".x", ".y", ".z")):
            continue
        typical, new = meta(info).get("typical"), value * factor
        if isinstance(typical, tuple) and typical[0] <= abs(value) <= typical[1]:
            new = math.copysign(min(max(abs(new), typical[0]), typical[1]), new)
        changes[path] = new
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _accepted(vehicle, changes)


def _accepted(vehicle: jv.Vehicle, changes: Raw) -> tuple[jv.Vehicle, int]:
    """With as many of the changes as are allowed: halves that are refused are tried apart."""
    if not changes:
        return vehicle, 0
    try:
        return vehicle.with_(**changes), len(changes)
    except JounceError:
        if len(changes) == 1:
            return vehicle, 0
    items = list(changes.items())
    half = len(items) // 2
    vehicle, first = _accepted(vehicle, dict(items[:half]))
    vehicle, second = _accepted(vehicle, dict(items[half:]))
    return vehicle, first + second


# ---- events ----------------------------------------------------------------------------------------------------------


def events_of(seed: int, count: int, among: tuple[str, ...] = ()) -> list[events.Event]:
    random = Random(f"events {seed}")
    names = random.sample([name for name in among or events.names() if name not in LONG], count)
    return [event_of(name, random) for name in names]


def event_of(name: str, random: Random) -> events.Event:
    """An event at another speed, on another friction, to a random side; what it refuses stays as it is."""
    kind = events.find(name)
    presets = ["", *kind.presets]
    preset = random.choice(presets)
    event = kind.preset(preset) if preset else kind()
    drawn: Raw = dict(SHORTER.get(name, {}))
    if event.speed:
        drawn["speed"] = event.speed * random.uniform(0.5, 1.2)
    drawn["friction"] = random.choice((1.0, random.uniform(0.25, 1.1)))
    drawn["heading"] = random.uniform(-math.pi, math.pi)
    if random.random() < 0.3:
        drawn |= {"grade": random.uniform(-0.06, 0.06), "bank": random.uniform(-0.04, 0.04)}
    if "direction" in kind.model_fields:
        drawn["direction"] = random.choice(("left", "right", "both"))
    for key, value in drawn.items():
        if key in kind.model_fields:
            try:
                event = event.changed(**{key: value})
            except JounceError:
                continue
    return event


# ---- identities ------------------------------------------------------------------------------------------------------


def free(vehicle: jv.Vehicle) -> bool:
    """Whether nothing but tires and weight acts on it, and it is one unit."""
    return vehicle.aero is None and not vehicle.forces and not vehicle.contacts and not vehicle.trailers


def broken_at_rest(vehicle: jv.Vehicle, sim: Simulation, found: standing.Standing) -> Iterator[str]:
    """Identities of a car that stands on level ground."""
    figures = {key: value for key, (value, _) in found.figures().items()}
    for key, value in figures.items():
        if math.isinf(value):
            yield f"figure {key} is {value}"
    g = vehicle.system.gravity
    tires = [v.name.rpartition(".")[2] for v in sim.model.outputs if v.name.startswith("Tire.Ground_Surface_Force_Z.")]
    if not vehicle.forces and not vehicle.contacts:
        # a car that rolls by a hair because of its tires, nose down: its wheels are not held
        rises = sim.output("System_Mass_Center.Global_Az")
        weight = vehicle.mass() * (g + (rises if abs(rises) < 1e-4 else 0.0))
        total = sum(sim.output(f"Tire.Ground_Surface_Force_Z.{tire}") for tire in tires)
        if abs(total - weight) > 1e-6 * weight:
            yield f"ΣF_z = {total:.6g} N, m g = {weight:.6g} N"
    if free(vehicle):
        centre = np.array([sim.output(f"System_Mass_Center.Global_{a}") for a in "XYZ"])
        moment = np.zeros(3)
        for tire in tires:
            force, own = (
                np.array([sim.output(f"Tire.Hub_Carrier_{word}_Global_{a}.{tire}") for a in "XYZ"])
                for word in ("Force", "Moment")
            )
            at = np.array([sim.output(f"Wheel.Global_{a}.{tire}") for a in "XYZ"])
            moment += np.cross(at - centre, force) + own
        # the search ends at 1e-9 m/s² and rad/s² or so
        if np.abs(moment[:2]).max() > 1e-6 * vehicle.mass() * g * vehicle.wheelbase:
            yield f"moments at rest about the centre of mass: {moment}"
    for word in ("front", "rear"):
        if f"ride_rate_{word}" in figures:
            wheel, tire, ride = (figures[f"{rate}_rate_{word}"] for rate in ("wheel", "tire", "ride"))
            if abs(ride * (1 / wheel + 1 / tire) - 1) > 0.01:
                yield f"ride rate {word}: {ride} of {wheel} and {tire}"


def broken(vehicle: jv.Vehicle, run: Run) -> Iterator[str]:
    """Identities of a run."""
    for name in run.channels("*"):
        if np.isinf(run[name]).any():
            yield f"{name} is infinite"
    for key, (value, unit) in run.kpis.items():
        if math.isinf(value):
            yield f"key figure {key} is {value} {unit}"
    if not run.trials and free(vehicle):
        yield from _newton(vehicle, run)
    for item in identities(run):
        if "wheel loads" not in item.name and not item.ok:
            yield f"{item.name}: {item.measured:.5g} and {item.expected:.5g} {item.unit} ({item.note})"
    yield from _figures(vehicle, run)
    yield from _energy(run)


def _newton(vehicle: jv.Vehicle, run: Run) -> Iterator[str]:
    """M a = Σ F + M g at every instant."""
    mass, tires = (
        vehicle.mass(),
        [name.rpartition(".")[2] for name in run.channels("Tire.Hub_Carrier_Force_Global_X.*")],
    )
    for axis in "XYZ":
        channel = f"System_Mass_Center.Global_A{axis.lower()}"
        if channel not in run or not tires:
            continue
        force = sum(run[f"Tire.Hub_Carrier_Force_Global_{axis}.{tire}"] for tire in tires)
        force = force - (mass * vehicle.system.gravity if axis == "Z" else 0.0)
        worst = float(np.nanmax(np.abs(mass * run[channel] - force)))
        size = max(float(np.nanmax(np.abs(force))), mass * vehicle.system.gravity)
        if worst > 1e-6 * size:
            yield f"Newton along {axis}: off by {worst:.3g} N of {size:.3g} N"


def _figures(vehicle: jv.Vehicle, run: Run) -> Iterator[str]:
    figures = {key: value for key, (value, _) in run.kpis.items()}
    two = len(vehicle.layout.axles) == 2
    if (
        two
        and {"understeer_gradient", "characteristic_speed"} <= set(figures)
        and figures["understeer_gradient"] > 0.05
    ):
        k = math.radians(figures["understeer_gradient"]) / 9.80665
        expected = 3.6 * math.sqrt(vehicle.wheelbase / k)
        if not abs(figures["characteristic_speed"] / expected - 1) < 0.01:
            yield f"v_ch = {figures['characteristic_speed']:.4g} km/h, √(L/K) = {expected:.4g} km/h"
    if {"stopping_distance", "initial_speed", "peak_deceleration"} <= set(figures):
        least = (figures["initial_speed"] / 3.6) ** 2 / (2 * figures["peak_deceleration"])
        if figures["stopping_distance"] < 0.99 * least:
            yield f"stop in {figures['stopping_distance']:.4g} m, v²/2a = {least:.4g} m"


def _energy(run: Run) -> Iterator[str]:
    if "Energy.sources" not in run or len(run) < 2:
        return

    def change(name: str) -> float:
        return float(run[f"Energy.{name}"][-1] - run[f"Energy.{name}"][0]) if f"Energy.{name}" in run else 0.0

    lost = sum(change(name.removeprefix("Energy.")) for name in run.channels("Energy.lost.*"))
    spent = change("hubs") + lost + change("auxiliary") + change("kinetic") + change("stored")
    moved = change("turned_over") + abs(change("kinetic")) + abs(change("stored")) + lost
    if abs(change("sources") - spent) > 0.01 * moved + 10.0:
        yield f"energy account: sources {change('sources'):.5g} J, spent {spent:.5g} J"


# ---- cases -----------------------------------------------------------------------------------------------------------


class HangsError(Exception):
    """A case computes for too long."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raise `HangsError` after so much computing of this process."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangsError(f"more than {seconds:g} s of computing")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def drive(seed: int, *, options: bool = True, count: int = 3, among: tuple[str, ...] = ()) -> Case:
    """A random vehicle in random events."""
    vehicle, told = vehicle_of(seed, options)
    case = Case(seed, vehicle, told)

    def attempt(what: str, work: Any) -> None:
        try:
            with bounded(MOST_COMPUTING), warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore", PlausibilityWarning)
                case.findings += [f"{what}: {text}" for text in work()]
            case.done.append(what)
        except JounceError as error:
            case.refused.append(f"{what}: {type(error).__name__}: {error}")
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            case.findings.append(
                f"{what}: {type(error).__name__}: {error} ({Path(place.filename).name}:{place.lineno})"
            )

    def rest() -> Iterator[str]:
        description = car.describe(vehicle)
        sim = car.simulation(description)
        yield from broken_at_rest(vehicle, sim, standing.standing(description, sim))

    attempt("rest", rest)
    for event in events_of(seed, count, among):
        attempt(event.kind, lambda event=event: broken(vehicle, jn.run(vehicle, event)))
    return case


def main(first: int, last: int, options: bool) -> None:
    refused = findings = 0
    for seed in range(first, last):
        try:
            case = drive(seed, options=options)
        except Exception:
            findings += 1
            print(f"{seed}: FINDING while it was drawn\n{traceback.format_exc()}", flush=True)
            continue
        print(f"{seed}: {'; '.join(case.told)} -> {', '.join(case.done)}")
        for text in case.refused:
            print(f"    refused {text[:600]}")
        for text in case.findings:
            print(f"    FINDING {text[:1500]}")
        sys.stdout.flush()
        refused, findings = refused + len(case.refused), findings + len(case.findings)
    print(f"{last - first} vehicles: {findings} findings, {refused} refused")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), "numbers" not in sys.argv[3:])
