"""The format of vehicle files: those of yesterday load unchanged, those of tomorrow are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import jounce.vehicle as jv
from jounce.core.errors import ParameterError
from jounce.vehicle.schema import FORMAT

FOLDER = Path(__file__).parent / "data" / "format_1"
KEPT = Path(__file__).parent.parent / "references" / "vehicles"
CARS = sorted(path.parent.name for path in FOLDER.glob("*/vehicle.yaml"))


@pytest.mark.parametrize("name", CARS)
def test_files_of_the_first_format_load_unchanged(name: str) -> None:
    old = jv.load(FOLDER / name)
    assert "format:" not in (FOLDER / name / "vehicle.yaml").read_text()
    assert old.format == 1
    # the same car in the format of today, with tires of its own
    assert {item.path for item in old.diff(jv.load(KEPT / name))} == {"front_wheels.tire", "rear_wheels.tire"}


@pytest.mark.parametrize("name", CARS)
def test_files_of_the_first_format_are_saved_as_they_were(name: str, tmp_path: Path) -> None:
    shutil.copytree(FOLDER / name, tmp_path / name)
    jv.load(tmp_path / name).save()
    for file in (FOLDER / name).rglob("*.*"):
        assert (tmp_path / name / file.relative_to(FOLDER / name)).read_bytes() == file.read_bytes()


def test_a_new_file_says_its_format(tmp_path: Path) -> None:
    jv.load("sedan").save(tmp_path / "car.yaml")
    assert f"format: {FORMAT}\n" in (tmp_path / "car.yaml").read_text()


def test_a_format_from_the_future_is_refused_where_it_stands(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "sedan", tmp_path / "car")
    main = tmp_path / "car" / "vehicle.yaml"
    main.write_text("format: 7\n" + main.read_text())
    with pytest.raises(ParameterError, match=rf"line 1  format = 7: not known; this version reads format {FORMAT}"):
        jv.load(tmp_path / "car")


def test_old_names_of_kinds_load_and_mean_the_same() -> None:
    car = jv.load("compact")
    bar = {"rate": "900 N.m/rad", "preload": "800 N.m", "ratio": "3.1 rad/m"}
    old = car.with_(**{"rear_suspension.spring": {"type": "rotational", **bar}, "brakes.front.model": "disc"})
    new = car.with_(**{"rear_suspension.spring": {"kind": "rotational", **bar}})
    assert old.rear_suspension.spring == new.rear_suspension.spring
    assert old.rear_suspension.spring.kind == "rotational" == old.get("rear_suspension.spring.type")
    assert old.with_(**{"rear_suspension.spring.type": "rotational"}) == old
