"""Bundles: a run in a folder that can be moved."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import jounce as jn
from jounce import events
from jounce.core.errors import FormatError
from jounce.core.library import LIBRARY
from jounce.events.bundle import read_bundle, run_bundle, write_bundle

EVENT = events.StepSteer(amplitude="20 deg", end_time=2.0)


def same(a: jn.Run, b: jn.Run) -> bool:
    return a.names == b.names and all(np.array_equal(a[name], b[name]) for name in a.names)


def test_a_moved_bundle_runs_to_the_same_bits(tmp_path: Path) -> None:
    car = jn.load("sedan").with_(**{"front_suspension.anti_roll_bar.scale": 0.8})
    direct = jn.run(car, EVENT, step="0.5 ms")
    write_bundle(car, EVENT, tmp_path / "a", step="0.5 ms")
    moved = tmp_path / "elsewhere" / "b"
    moved.parent.mkdir()
    shutil.move(tmp_path / "a", moved)
    assert same(run_bundle(moved), direct)
    text = (moved / "bundle.yaml").read_text()
    assert str(tmp_path) not in text and str(LIBRARY) not in text


def test_roads_of_the_user_travel_with_the_bundle(tmp_path: Path) -> None:
    road = tmp_path / "mine"
    road.mkdir()
    shutil.copy(LIBRARY / "paths" / "handling.drd", road / "line.drd")
    (road / "track.yaml").write_text("road: mine\nline: {path: line.drd}\n")
    event = events.StraightBraking(speed="40 km/h", brake=0.3, road=str(road / "track.yaml"))
    direct = jn.run(jn.load("sedan"), event)
    bundle = write_bundle(jn.load("sedan"), event, tmp_path / "bundle")
    shutil.rmtree(road)
    assert same(run_bundle(bundle), direct)


def test_a_broken_bundle_says_what_is_missing(tmp_path: Path) -> None:
    bundle = write_bundle(jn.load("sedan"), EVENT, tmp_path / "a")
    (bundle / "bundle.yaml").write_text("jounce: 0.1.0\nvehicle: vehicle/vehicle.yaml\n")
    with pytest.raises(FormatError, match=r"bundle.yaml: event: missing"):
        read_bundle(bundle)


def test_absolute_and_relative_steps() -> None:
    for mode, expected in (("absolute", 50.0), ("relative", 60.0)):
        event = events.StepSteer(
            speed="10 km/h", initial_steer="10 deg", amplitude="50 deg", mode=mode, end_time=2.0
        )  # fmt: skip
        steering = jn.run(jn.load("sedan"), event)["driver_demands.steering"]
        assert np.degrees(steering[[0, -1]]) == pytest.approx([10.0, expected], abs=1e-9)


def test_statics_can_be_left_out_with_a_warning() -> None:
    settled = jn.run(jn.load("sedan"), EVENT)
    assert settled["System.Translational_Acceleration_Norm"][0] < 1e-3
    bare = jn.run(jn.load("sedan"), EVENT.changed(static_setup="none"))
    assert bare["Suspension.Jounce.L1"][0] == 0.0
    assert any("static_setup none" in warning for warning in bare.warnings)
