"""Random vehicles in random events: none crashes, hangs or breaks an identity of mechanics.

A few of the structure of library cars for every day; with random options, which have to be compiled, on demand:
``JOUNCE_RANDOM_VEHICLES=200 pytest tests/test_random_vehicles.py -m slow``, from the seed ``JOUNCE_RANDOM_FIRST``.
"""

from __future__ import annotations

import dataclasses
import os
import warnings

import numpy as np
import pytest

import jounce as jn
import random_vehicles
from jounce import events
from jounce.core.errors import SimulationError
from jounce.results.identities import identities
from random_vehicles import broken, drive, events_of, vehicle_of

FIRST = int(os.environ.get("JOUNCE_RANDOM_FIRST", "0"))
MANY = int(os.environ.get("JOUNCE_RANDOM_VEHICLES", "10"))
CHEAP = ("step-steer", "straight-braking", "ramp-steer", "impulse-steer", "sine-steer", "j-turn", "power-off-in-turn")


def check(case: random_vehicles.Case) -> None:
    told = "\n".join([*case.told, *case.findings, *case.refused])
    assert not case.findings, told
    # a start may fail, and says so; a run that broke off has to be looked at
    assert not [text for text in case.refused if SimulationError.__name__ in text and "finite" in text], told


@pytest.mark.parametrize("seed", [1, 5])
def test_a_library_car_with_random_numbers(seed: int) -> None:
    check(drive(seed, options=False, count=1, among=CHEAP))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(FIRST, FIRST + MANY))
def test_a_car_with_random_options_and_numbers(seed: int) -> None:
    check(drive(seed))


def test_the_same_seed_is_the_same_car_and_another_one_another() -> None:
    (one, told), (again, _), (other, _) = vehicle_of(3), vehicle_of(3), vehicle_of(4)
    assert one == again and one != other and len(told) >= 2
    assert events_of(3, 3) == events_of(3, 3)


def test_numbers_stay_within_what_exists_on_the_road() -> None:
    for seed in (1, 2):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            vehicle, told = vehicle_of(seed, options=False)
        library = jn.load(told[0])
        assert vehicle.structure_key() == library.structure_key() and len(vehicle.diff(library)) > 50
        usual = [text for text in vehicle.doubts() if "usual on the road" in text and "did you mean" in text]
        assert not usual, usual


def test_a_run_that_breaks_newtons_law_is_found() -> None:
    """The checks notice: a force that is wrong by a per mille, a figure that does not fit."""
    vehicle = jn.load("sedan").with_(aero=None)
    run = jn.run(vehicle, events.StepSteer(end_time=2.0))
    assert list(broken(vehicle, run)) == []
    name = "Tire.Hub_Carrier_Force_Global_Y.R1"
    wrong = run.with_channels({name: 1.001 * run[name]}, {name: "N"})
    assert any("Newton along Y" in text for text in broken(vehicle, wrong))
    endless = run.with_channels({name: np.where(run.time > 1.0, np.inf, run[name])}, {name: "N"})
    assert any("infinite" in text for text in broken(vehicle, endless))
    assert all(item.ok for item in identities(run) if "wheel loads" not in item.name)


def test_a_case_that_crashes_or_hangs_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("in a driver")

    monkeypatch.setattr(random_vehicles, "vehicle_of", lambda seed, options: (jn.load("sedan"), ["sedan"]))
    monkeypatch.setattr(random_vehicles.jn, "run", fails)
    case = drive(1, count=1, among=("step-steer",))
    assert len(case.findings) == 1 and "ZeroDivisionError: in a driver" in case.findings[0]

    def hangs(*_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(random_vehicles.jn, "run", hangs)
    monkeypatch.setattr(random_vehicles, "MOST_COMPUTING", 0.2)
    case = drive(1, count=1, among=("step-steer",))
    assert any("more than 0.2 s of computing" in text for text in case.findings)
    assert dataclasses.is_dataclass(case)
