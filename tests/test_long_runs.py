"""Long runs, on demand: memory stays, invariants do not drift, nothing is warned of that is not explained.

``JOUNCE_LONG_MINUTES=60 pytest tests/test_long_runs.py -m slow -s`` drives for an hour of simulated time on the
handling track, and as long through random manoeuvres; ten minutes without the variable. It prints what it found.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import JounceError
from jounce.events import start
from jounce.runtime.simulation import Simulation
from random_vehicles import broken, event_of
from trains import car_trailer

MINUTES = float(os.environ.get("JOUNCE_LONG_MINUTES", "10"))
CHANNELS = (
    *("Energy.*", "chassis_velocities.longitudinal", "System_Mass_Center.Speed", "System_Mass_Center.Global_*"),
    *("driver_demands.*", "chassis_velocities.yaw", "chassis_displacements.yaw"),
)
ROOM = 40.0  # MB that a process may grow by after its first tenth: rows of 0.1 s are some MB an hour
MANOEUVRES = (
    *(
        "step-steer",
        "sine-steer",
        "impulse-steer",
        "swept-steer",
        "ramp-steer",
        "straight-braking",
        "j-turn",
        "fishhook",
    ),
    *("braking-in-turn", "power-off-in-turn", "double-lane-change", "slalom", "straight-acceleration", "abs-stop"),
)


# Of the norm of a quaternion, which every use of it divides by: AB-2 adds (ω h/2)⁴ in a step, 2e-9 in ten minutes of
# turning at 0.5 rad/s, and the more for what shakes: 2 rad/s are 256 times as much.
NORM = 1e-6


# What a run may say: a size that nobody gave, tires beyond their data, a car that did not do what the event is about.
EXPLAINED = ("size of the body by shares", "its data end at", "ended early")


def memory() -> float:
    """Resident memory of this process, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Simulation]:
    """Simulations of the runs, while they run."""
    found: list[Simulation] = []
    record = start.record

    def keeping(sim: Simulation, *arguments: Any) -> Any:
        found[:] = [sim]
        return record(sim, *arguments)

    monkeypatch.setattr(start, "record", keeping)
    return found


def quaternion(sim: Simulation) -> float:
    """How far the norm is from one."""
    return abs(float(np.linalg.norm([sim.state(f"chassis.e{i}") for i in range(4)])) - 1.0)


def unbalanced(run: jn.Run) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """What the account of energy does not meet over time, and all energy that was turned over, J."""

    def change(name: str) -> Any:
        values = run[f"Energy.{name}"] if f"Energy.{name}" in run else np.zeros(len(run))
        return values - values[0]

    lost = sum(change(name.removeprefix("Energy.")) for name in run.channels("Energy.lost.*"))
    spent = change("hubs") + lost + change("auxiliary") + change("kinetic") + change("stored")
    return change("sources") - spent, change("turned_over")


@pytest.mark.slow
def test_an_hour_on_the_handling_track(seen: list[Simulation], capsys: pytest.CaptureFixture[str]) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is read from /proc")
    vehicle = jn.load("sedan").with_(sensors=[{"kind": "energy_account"}])
    told: list[tuple[float, float, float]] = []

    def progress(now: float, end: float) -> None:
        told.append((now, memory(), quaternion(seen[0])))

    event = events.find("follow")(
        path="handling", road="handling", speed="auto 0.7", laps=100, end_time=60 * MINUTES, leaves=5.0
    )
    run = jn.run(vehicle, event, channels=CHANNELS, interval=0.1, progress=progress)
    assert run.time[-1] == pytest.approx(60 * MINUTES, abs=0.2), run.reason
    assert not run.warnings, run.warnings
    times, used, norms = map(np.array, zip(*told, strict=True))
    early = float(np.interp(0.1 * times[-1], times, used))
    off, turned = unbalanced(run)
    with capsys.disabled():
        print(f"\n{run.time[-1] / 60:.1f} min on the handling track, {len(told)} looks: ", end="")
        print(f"memory {early:.0f} MB after a tenth, {used[-1]:.0f} MB at the end; ", end="")
        print(f"quaternion off by {norms.max():.1e}; energy off by {np.abs(off).max():.3g} J of {turned[-1]:.4g} J")
    assert used[-1] - early < ROOM
    assert norms.max() < NORM
    assert np.abs(off).max() < 1e-3 * turned[-1] + 100.0
    speed = run["System_Mass_Center.Speed"]
    assert np.isfinite(speed).all() and speed[len(speed) // 10 :].min() > 3.0, "it drove all the time"


def vehicles() -> dict[str, jn.Vehicle]:
    cars = {name: jn.load(name) for name in ("compact", "suv", "bev")}
    return {**cars, "car and trailer": car_trailer("constraint")}


def manoeuvres(random: Random) -> Iterator[tuple[str, jn.Vehicle, events.Event]]:
    cars = vehicles()
    while True:
        name = random.choice(list(cars))
        yield name, cars[name], event_of(random.choice(MANOEUVRES), random)


@pytest.mark.slow
def test_a_soak_of_random_manoeuvres(seen: list[Simulation], capsys: pytest.CaptureFixture[str]) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is read from /proc")
    simulated, used, worst, opened, refused, unexplained = 0.0, [], 0.0, 0.0, [], []
    for vehicle in vehicles().values():  # models are loaded, and stay
        jn.run(vehicle, events.StepSteer())
    for number, (name, vehicle, event) in enumerate(manoeuvres(Random("soak"))):
        if simulated > 60 * MINUTES:
            break
        try:
            run = jn.run(vehicle, event)
        except JounceError as error:
            refused.append(f"{number}: {name}, {event.kind}: {type(error).__name__}: {error}")
            simulated += 1.0
            continue
        simulated += float(run.time[-1])
        used.append((simulated, memory()))
        worst = max(worst, quaternion(seen[0]))
        for channel in run.channels("*Hitch.displacement_*"):
            opened = max(opened, float(np.abs(run[channel]).max()))
        said = [text for text in run.warnings if not any(words in text for words in EXPLAINED)]
        if len(said) == len(run.warnings):  # steady turns are those of a car that did what was asked
            said += broken(vehicle, run)
        unexplained += [f"{number}: {name}, {event.kind}: {text}" for text in said]
    early = next(value for at, value in used if at > 0.3 * simulated)
    with capsys.disabled():
        print(f"\n{len(used)} manoeuvres, {simulated / 60:.1f} min: ", end="")
        print(f"memory {early:.0f} MB after a third, {used[-1][1]:.0f} MB at the end; ", end="")
        print(f"quaternion off by {worst:.1e}; hitch open by {opened:.1e} m; ", end="")
        print(f"{len(refused)} refused, {len(unexplained)} remarks")
        print("\n".join([*refused, *unexplained]))
    assert used[-1][1] - early < ROOM
    assert worst < NORM and 0.0 < opened < 1e-3
    assert not [text for text in refused if "finite" in text], refused
    assert not unexplained, unexplained
