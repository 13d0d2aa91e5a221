"""Drivelines of the library: what their tool writes, on their cars, inside the ranges of their classes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import jounce as jn
from jounce.components.drive.driveline import library_drivelines
from jounce.components.drive.engine import MapEngine
from jounce.components.drive.motor import Motor
from jounce.core.errors import ParameterError
from jounce.results.plausibility import ranges
from jounce.vehicle import library_names, load

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))  # generators are no part of the package

import make_drivelines

POWER = {  # kW, of a class; the hybrid is a sedan
    "compact": (85, 115), "sedan": (150, 220), "suv": (140, 220), "sports": (300, 420), "light_truck": (120, 220),
    "formula": (250, 300), "bev": (250, 380), "hybrid": (150, 220), "box_van": (90, 140), "rigid_truck": (200, 350),
    "tractor_semitrailer": (300, 450),
}  # fmt: skip


def test_every_car_has_one_and_files_are_up_to_date() -> None:
    own = sorted(name for name in library_names() if name != "car_caravan")  # that has the car's
    assert library_drivelines() == own == sorted(make_drivelines.CARS)
    assert make_drivelines.changes() == {}


@pytest.mark.parametrize("name", sorted(POWER))
def test_it_fits_its_car_and_its_power_is_that_of_the_class(name: str) -> None:
    car = load(name).with_(driveline=name)
    assert car.driveline is not None and car.drive.shares == dict.fromkeys(("L1", "R1", "L2", "R2"), 0.0)
    assert car.remarks() == [] and car.driveline.provenance.licence == "CC0-1.0"
    total = 0.0
    for _, part in car.driveline.parts_by_key():
        if isinstance(part, MapEngine | Motor):
            table = part.torque_map
            total += max(n * table(n, 1.0) for n in (table.x[0] + i / 200 * table.x[-1] for i in range(200)))
    low, high = POWER[name]
    assert low <= 1e-3 * total <= high


def test_a_name_that_is_none_is_told_with_those_that_are() -> None:
    with pytest.raises(ParameterError, match=r"no such driveline.*did you mean 'sedan'"):
        load("sedan").with_(driveline="sedam")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(POWER))
def test_acceleration_is_that_of_the_class(name: str) -> None:
    car = load(name).with_(driveline=name)
    run = jn.run(car, jn.events.StraightAcceleration())
    expected = ranges(car.category).get("t_0_100")
    if expected is not None:
        value, unit = run.kpis["t_0_100"]
        assert expected.contains(value, unit), value
    else:  # trucks, whose limiter is at some 90 km/h
        assert run.signal("speed").max() > 80 / 3.6
    assert not any("stalled" in text or "too fast" in text for text in run.metadata["warnings"])
