"""What a road tells an event and a run: flags and materials under the wheels, smoothing, warnings, normals, inputs."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce as jn
from four_wheels import CORNERS
from jounce import events
from jounce.core.errors import ParameterError
from jounce.files.crg import write_crg
from jounce.files.library import library_file
from jounce.files.rdf import read_rdf, write_rdf
from jounce.files.roads import load_road, parse_road
from jounce.files.tir import read_tir
from jounce.results.run import Run
from jounce.road.block import Frame
from jounce.road.builder import RoadBuilder
from jounce.road.grid import GridRoad
from jounce.road.mesh import MeshRoad, grid_mesh
from jounce.road.simple import Flat, Stack
from jounce.road.surface import Road
from jounce.runtime.program import Ramp, Sine
from jounce.vehicle.reading import load

LOAD, PATCH = "Tire.Ground_Surface_Force_Z", "Road.Contact_Patch_Global"


@lru_cache
def sedan() -> Any:
    return load("sedan")


def straight_on(**changes: Any) -> events.StepSteer:
    usual = {"speed": "60 km/h", "start_time": 0.2, "end_time": 1.0, "amplitude": "0 deg"}
    return events.StepSteer(**{**usual, **changes})


# -- flags and materials ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_wheel_beside_the_road_is_flagged_while_it_is_there() -> None:
    road = RoadBuilder("narrow", left=2.0, right=2.0).straight(300).build()
    run = jn.run(sedan(), straight_on(amplitude="40 deg", end_time=3.0), road=road)
    for c in CORNERS:
        y = run[f"{PATCH}_Y.{c}"]
        assert np.array_equal(run[f"Road.Off_Road_Flag.{c}"], (np.abs(y) > 2.0).astype(float))
        assert (run[f"Road.Off_Road_Flag.{c}"] == 0).any() and (run[f"Road.Off_Road_Flag.{c}"] == 1).any()
        said = [text for text in run.warnings if text.startswith(f"wheel {c} left the road")]
        assert len(said) == 1
    quiet = jn.run(sedan(), straight_on(amplitude="40 deg", end_time=3.0), road=replace(road, warns=False))
    assert not [text for text in quiet.warnings if "left the road" in text]
    assert np.array_equal(quiet["Road.Off_Road_Flag.L1"], run["Road.Off_Road_Flag.L1"])


def test_materials_are_those_under_each_wheel() -> None:
    """Triangles of material 3 to the left of y = 0, of 7 to its right."""
    points, triangles = grid_mesh(np.array([-50.0, 100.0]), np.array([-5.0, 0.0, 5.0]), np.zeros((2, 3)))
    material = np.where(points[triangles][:, :, 1].mean(axis=1) > 0, 3, 7).astype(np.int32)
    road = MeshRoad(points=points, triangles=triangles, material=material)
    run = jn.run(sedan(), straight_on(), road=road)
    for c in CORNERS:
        assert np.all(run[f"Road.Material.{c}"] == (3 if c[0] == "L" else 7))
        assert np.all(run[f"Road.Off_Road_Flag.{c}"] == 0)


def test_a_run_with_few_channels_or_on_a_plane_has_no_flags() -> None:
    run = jn.run(sedan(), straight_on(), road="flat", channels=[f"{LOAD}.*"])
    assert not [name for name in run.names if name.startswith("Road.")]
    assert "Road.Off_Road_Flag.L1" not in jn.run(sedan(), straight_on()).names


# -- smoothing -------------------------------------------------------------------------------------------------------


def share(time: Any, whole: float) -> Any:
    tau = np.minimum(time / whole, 1.0)
    return 3 * tau**2 - 2 * tau**3


def grown(road: Road, run: Run, whole: float) -> None:
    """Contact heights are those of the plane at the start, of the road at the end, in between by the share."""
    plane = np.array([[run[f"{PATCH}_{axis}.{c}"][0] for axis in "XYZ"] for c in CORNERS])
    fit = np.linalg.lstsq(np.column_stack([plane[:, :2], np.ones(4)]), plane[:, 2], rcond=None)[0]
    assert np.abs(plane[:, :2] @ fit[:2] + fit[2] - plane[:, 2]).max() < 1e-9  # all four on one plane
    for c in CORNERS:
        dx, dy = (run[f"{PATCH}_{axis}.{c}"] - run[f"Wheel.Global_{axis}.{c}"] for axis in "XY")
        x, y, above = (run[f"Wheel.Global_{axis}.{c}"] for axis in "XYZ")
        full, part = road.query(x, y, above), share(run.time, whole)
        flat = fit[0] * x + fit[1] * y + fit[2]
        # the tangent plane is that under the wheel centre
        slopes = [f + part * (s - f) for f, s in zip(fit[:2], (full.slope_x, full.slope_y), strict=True)]
        expected = flat + part * (full.height - flat) + slopes[0] * dx + slopes[1] * dy
        assert np.abs(run[f"{PATCH}_Z.{c}"] - expected).max() < 1e-9
        assert np.abs(full.height - flat).max() > 5e-3


@pytest.mark.slow
@pytest.mark.parametrize(("name", "x"), [("iso_8608_d", 0.0), ("mountain", 0.0), ("sine", 60.0)])
def test_any_road_grows_out_of_the_plane_under_the_car(name: str, x: float) -> None:
    road = replace(load_road(name), smoothing_time=0.6)
    run = jn.run(sedan(), straight_on(speed="30 km/h", x=x), road=road)
    grown(road, run, 0.6)
    before = run.between(0.0, 0.03)
    loads = np.array([before[f"{LOAD}.{c}"] for c in CORNERS])
    assert np.ptp(loads, axis=1).max() < 0.02 * loads.mean()  # steady at the start, on any road


def test_smoothing_time_in_files(tmp_path: Path) -> None:
    road = parse_road("road: waves\nline: {straight: 100}\nsmoothing_time: 500 ms\n")
    assert road.smoothing_time == pytest.approx(0.5)
    with pytest.raises(jn.core.errors.FormatError, match=r"line 3 +smoothing_time: found -1 s"):
        parse_road("road: waves\nline: {straight: 100}\nsmoothing_time: -1\n")


@pytest.mark.slow
def test_a_smoothed_crg_road_by_rdf(tmp_path: Path) -> None:
    u, v = np.arange(0, 80.01, 0.25), np.linspace(-4, 4, 33)
    z = 0.02 * np.sin(2 * math.pi * u / 5)[:, None] + 0.0 * v[None, :]
    write_crg(GridRoad(z=z, du=0.25, v=v), tmp_path / "waves.crg")
    head = "[MDI_HEADER]\nFILE_TYPE = 'rdf'\nFILE_VERSION = 12\nFILE_FORMAT = 'ASCII'\n[UNITS]\nLENGTH = 'meter'\n"
    head += "ANGLE = 'radian'\nFORCE = 'newton'\nMASS = 'kg'\nTIME = 'second'\n"
    body = "[MODEL]\nTYPE = 'OPEN_CRG'\n[GLOBAL]\nSMOOTHING_TIME = 0.5\n[OPEN_CRG]\nFILE = './waves.crg'\n"
    (tmp_path / "waves.rdf").write_text(head + body)
    run = jn.run(sedan(), straight_on(speed="30 km/h", x=20.0, y=0.1), road=str(tmp_path / "waves.rdf"))
    road = read_rdf(tmp_path / "waves.rdf").road()
    for c in CORNERS:
        x, y, z = (run[f"{PATCH}_{axis}.{c}"] for axis in "XYZ")
        late = run.time > 0.5
        # slopes by three points 0.25 m apart: turned by half of that times the curvature; 10 mm beside the centre
        assert np.abs(z - road.query(x, y).height)[late].max() < 0.032 * 0.125 * 0.02 + 1e-4


# -- normals ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("normals", ["surface", "points", "vertical"])
def test_normals_of_a_tilted_road(normals: Any) -> None:
    """On a plane three points say what the surface says; vertical normals feel its height only."""
    grade = 0.05
    road = replace(Flat(grade=grade, drawn=(100.0, 20.0)), normals=normals, spacing=0.3)
    run = jn.run(sedan(), straight_on(speed="20 km/h", end_time=0.6, static_setup="none"), road=road)
    for axis, expected in zip("XYZ", (-grade, 0.0, 1.0), strict=True):
        if normals == "vertical":
            expected = float(axis == "Z")
        else:
            expected /= math.hypot(1.0, grade)
        assert run[f"Tire.Contact_Patch_Normal_{axis}.L1"] == pytest.approx(expected, abs=1e-9)
    x, z = run[f"{PATCH}_X.L1"], run[f"{PATCH}_Z.L1"]
    assert np.abs(z - grade * x).max() < 0.01  # the contact of a cambered wheel lies a little beside its centre


# -- inputs ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_event_with_heights_added_under_wheels() -> None:
    moves = {"road.L1": Ramp(0.03, 0.1, delay=0.3), "road.R2": Sine(0.01, 4.0)}
    run = jn.run(sedan(), straight_on(), inputs=moves)
    added = "Tire.User_Input_Contact_Patch_Global_Z_Perturbation"
    assert run[f"{added}.L1"] == pytest.approx(0.03 * np.clip((run.time - 0.3) / 0.1, 0, 1), abs=1e-12)
    assert run[f"{added}.R2"] == pytest.approx(0.01 * np.sin(8 * math.pi * run.time), abs=1e-12)
    for c in CORNERS:
        assert run[f"{PATCH}_Z.{c}"] == pytest.approx(run[f"{added}.{c}"], abs=1e-12)
    assert run[f"{LOAD}.L1"][run.time > 0.3].max() > 1.2 * run[f"{LOAD}.L1"][0]


def test_inputs_that_the_event_drives_itself_are_refused() -> None:
    with pytest.raises(ParameterError, match="'steering_wheel' is driven by the event itself"):
        jn.run(sedan(), straight_on(), inputs={"steering_wheel": 0.1})
    with pytest.raises(ParameterError, match=r"road\.L9"):
        jn.run(sedan(), straight_on(), inputs={"road.L9": 0.1})


def test_a_car_starts_on_a_bridge_or_below_it() -> None:
    road = Stack(roads=[Flat(), Flat(frame=Frame(z=5.0), length=60.0, width=60.0)], storeys=True)
    over, under = (jn.run(sedan(), straight_on(z=z), road=road) for z in (None, 1.0))
    for run, height in ((over, 5.0), (under, 0.0)):
        for corner in CORNERS:
            assert run[f"Road.Contact_Patch_Global_Z.{corner}"] == pytest.approx(height, abs=1e-12)
    rise = over["chassis_displacements.vertical"] - under["chassis_displacements.vertical"]
    assert rise == pytest.approx(5.0, abs=1e-9)


def test_what_readers_warned_of_stands_in_the_run(tmp_path: Path) -> None:
    tire = tmp_path / "odd.tir"
    text = Path(library_file("tires", "sedan_225_50r17")).read_text(encoding="utf-8")
    tire.write_text(text.replace("[LATERAL_COEFFICIENTS]", "[LATERAL_COEFFICIENTS]\nPKY9 = 3", 1), encoding="utf-8")
    car = sedan().with_(**{"front_wheels.tire": str(tire), "rear_wheels.tire": str(tire)})
    points, triangles = grid_mesh(np.linspace(-20, 80, 11), np.linspace(-20, 20, 9), np.zeros((11, 9)))
    holed = MeshRoad(points=points, triangles=np.delete(triangles, 40, axis=0))
    write_rdf(holed, tmp_path / "holed.rdf")
    expected = (
        [str(w) for w in read_tir(tire).report.warnings],
        [str(w) for w in read_rdf(tmp_path / "holed.rdf").report.warnings],
    )
    assert len(expected[0]) == 1 and len(expected[1]) == 1
    run = jn.run(car, straight_on(road=str(tmp_path / "holed.rdf")))
    said = [text for text in run.warnings if text.startswith(("tire odd.tir: ", f"road {tmp_path}"))]
    assert said == [f"road {tmp_path / 'holed.rdf'}: {expected[1][0]}", f"tire odd.tir: {expected[0][0]}"]
