"""Every reader against damaged files: a result with finite numbers, or an error that names the file. Nothing else.

``JOUNCE_FUZZ=50`` tries fifty times as many files, ``JOUNCE_FUZZ_SEED`` others; a failure prints what is needed to see
it again and leaves its file in the folder of the test.

That every reader is here is found in the code, not listed: a module that reads files and is used by no format, or that
opens files past the limits, fails the tests at the end.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from aer_texts import STANDARD, USER, V1, V2
from components.test_contract import ADDED, TOGETHER, example, kinds, path_of, put, rig
from fuzzing import Format, calls, damaged_case, numbers, outcome, placed, watched
from jounce.app.frames import pack
from jounce.core.errors import FormatError, JounceError
from jounce.core.fields import to_raw
from jounce.core.library import LIBRARY
from jounce.files.crg import crg_bytes
from jounce.files.cycles import load_cycle
from jounce.files.drd import drd_text
from jounce.files.gps import csv_text, gpx_text, kml_text
from jounce.files.obj import obj_text
from jounce.road.grid import GridRoad
from jounce.road.mesh import MeshRoad, grid_mesh
from jounce.road.path import Path as Line
from pwr_texts import PWR
from rdf_texts import ALL, HEAD
from result_runs import drive
from smart_driver_texts import DCF, SDF, XML
from tire_texts import TDX, VTT
from vdf_texts import FULL

TIMES = float(os.environ.get("JOUNCE_FUZZ", "1"))
SEED = int(os.environ.get("JOUNCE_FUZZ_SEED", "1"))
CASES = 25  # of a format


def line() -> Line:
    s = np.arange(0.0, 60.0, 3.0)
    points = np.column_stack([s, 4 * np.sin(s / 15), 0.02 * s])
    return Line.from_points(points, step=2.0, left=3.0, right=4.5, bank=0.02, speed=12.0)


def grid(curved: bool) -> GridRoad:
    u, v = np.arange(14.0)[:, None], np.linspace(-1.5, 2.0, 5)
    heights = 0.02 * np.sin(u) + 0.01 * v
    headings = np.linspace(0.1, 0.7, 13) if curved else None
    return GridRoad(z=heights, du=0.5, v=v, headings=headings, heading=0.1, bank=0.01)


def mesh() -> MeshRoad:
    points, triangles = grid_mesh(np.linspace(-4, 8, 6), np.linspace(-3, 2, 4), np.arange(24.0).reshape(6, 4) / 50)
    return MeshRoad(points=points, triangles=triangles, friction=np.linspace(0.4, 1.0, len(triangles)).round(1))


def of_road(road: Any) -> Iterator[Any]:
    for x, y in ((0.0, 0.0), (3.0, 1.0), (5.0, -0.7), (1e5, -1e5)):
        at = road.query(x, y)
        if not at.no_ground:
            yield from (at.height, at.slope_x, at.slope_y, at.friction, at.curvature)
    yield road.extent or ()


def use_road(path: Path) -> Iterator[Any]:
    from jounce.files.roads import load_road

    yield from of_road(load_road(path))


def use_rdf(path: Path) -> Iterator[Any]:
    from jounce.files.rdf import read_rdf

    file = read_rdf(path)
    if file.kind != "EXTERNAL":
        yield from of_road(file.road())


def use_crg(path: Path) -> Iterator[Any]:
    from jounce.files.crg import read_crg

    file = read_crg(path)
    yield from of_road(file.road())
    yield from of_road(file.road(apply_modifiers=False))


def use_cycle(path: Path) -> Iterator[Any]:
    found = load_cycle(path)
    yield from (found.time, found.speed)


def use_path(path: Path) -> Iterator[Any]:
    from jounce.files.roads import load_path

    found = load_path(path)
    yield from (getattr(found, name) for name in ("s", "x", "y", "z", "heading", "curvature"))
    yield from (v for name in ("left", "right", "bank", "speed") if (v := getattr(found, name)) is not None)


def use_tire(path: Path) -> Iterator[Any]:
    from jounce.files.tir import read_tir

    tire = read_tir(path).tire
    # what only driving needs may be missing; it is nan, told by ``lacks``, and nothing can stand on such a tire
    yield [value for value in numbers(vars(tire)) if not (tire.lacks and np.isnan(value))]


def use_tydex(path: Path) -> Iterator[Any]:
    from jounce.files.tydex import read_tydex

    file = read_tydex(path)
    yield from (file.channel(name) for name in file.channels)
    yield [c.value for c in file.constants.values() if not isinstance(c.value, str)]


def use_rig_data(path: Path) -> Iterator[Any]:
    from jounce.rigs.tire_data import read_tire_data

    yield from read_tire_data(path).columns.values()


def use_points(path: Path) -> Iterator[Any]:
    from jounce.files.point_tables import read_points

    yield list(numbers(read_points(path).points))


def use_aer(path: Path) -> Iterator[Any]:
    from jounce.files.aer import read_aer

    found = read_aer(path)
    for value in found.keys.values():
        yield from (getattr(value, "y", ()), getattr(value, "x", ())) if not isinstance(value, str) else ()
        yield from (v for v in value.values() if isinstance(v, float)) if isinstance(value, dict) else ()


def use_pwr(path: Path) -> Iterator[Any]:
    from jounce.files.pwr import read_pwr

    found = read_pwr(path, electric=True)
    for curve in (found.torque, found.braking, found.coasting, *found.gears.values()):
        yield [] if curve is None else [*curve.x, *curve.z, *curve.y]


def use_vdf(path: Path) -> Iterator[Any]:
    from jounce.files.vdf_model import load_vdf, vdf_text

    found, _ = load_vdf(path)
    vdf_text(found)
    yield list(numbers(found.model_dump(serialize_as_any=True)))


def use_older_event(path: Path) -> Iterator[Any]:
    from jounce.files.events import read_event
    from jounce.manoeuvre.words import explain

    found, _ = read_event(path)
    explain(found)
    yield list(numbers(found.model_dump(serialize_as_any=True)))


SPC = """[VIGRADE_HEADER]
FILE_TYPE = 'spc'
FILE_VERSION = 2.0
[UNITS]
LENGTH = 'mm'
ANGLE = 'degrees'
FORCE = 'newton'
MASS = 'kg'
TIME = 'second'
[SEVENPOST_SETUP]
OPERATING_MODE = 'OPEN'
ACTUATORS_MODE = 'DISPLACEMENT'
AERODYNAMICS = 'DATA'
ACCEL_COMPENSATION = 'ON'
[DATA]
{time FL FR RL RR F_down RL_down RR_down lonacc latacc FL_MZ}
0 1 2 3 4 500 600 700 800 900 10
0.5 2 4 6 8 510 620 730 840 950 20
"""


def use_spc(path: Path) -> Iterator[Any]:
    from jounce.files.spc import parse_spc, read_spc, spc_text

    found = read_spc(path)
    again = parse_spc(spc_text(found))
    assert set(again.columns) == set(found.columns)
    yield from found.columns.values()


def use_dcd(path: Path) -> Iterator[Any]:
    from jounce.files.dcd import read_dcd

    found = read_dcd(path)
    yield from (found.x, *found.columns.values())


def use_vtt(path: Path) -> Iterator[Any]:
    from jounce.files.vtt import read_vtt

    yield list(numbers(vars(read_vtt(path))))


def use_xml(path: Path) -> Iterator[Any]:
    from jounce.rigs.result_files import read_xml

    yield from of_run(read_xml(path))


def use_load_cases(path: Path) -> Iterator[Any]:
    from jounce.rigs.load_cases import read_load_cases

    yield from read_load_cases(path).columns.values()


def of_run(run: Any) -> Iterator[Any]:
    yield run.time
    yield from (run[name] for name in run.names)


def use_run(path: Path) -> Iterator[Any]:
    from jounce.results.run import Run

    yield from of_run(Run.read(path))


def use_measured(path: Path) -> Iterator[Any]:
    from jounce.results.measured import read_run

    channels = {"chassis_velocities.yaw": {"column": "chassis_velocities_yaw", "unit": "rad/s"}}
    yield from of_run(read_run(path, channels if path.suffix == ".mat" else None))


def use_note(path: Path) -> Iterator[Any]:
    yield from use_run(path.with_name("run.csv"))


def use_vehicle(path: Path) -> Iterator[Any]:
    from jounce.vehicle.reading import load

    yield list(numbers(load(path).model_dump(serialize_as_any=True)))


def use_event(path: Path) -> Iterator[Any]:
    from jounce.cli._runs import event_of

    event = event_of(str(path), "", {})
    yield list(numbers(vars(event)))


def use_plan(path: Path) -> Iterator[Any]:
    from jounce.study.plan import Plan

    plan = Plan.read(path)
    yield list(numbers([{**item.case.changes, **vars(item.case.event)} for item in plan.items]))
    yield list(numbers([[item.relative, item.absolute] for item in plan.tolerances]))


def use_bands(path: Path) -> Iterator[Any]:
    from jounce.results.bands import read_bands

    yield list(numbers([vars(band) for band in read_bands(path).values()]))


def use_speeds(path: Path) -> Iterator[Any]:
    from jounce.files.speeds import read_speeds

    found = read_speeds(path)
    yield from (found.along, found.speed)


def use_bundle(path: Path) -> Iterator[Any]:
    from jounce.events.bundle import opened, read_bundle

    with opened(path) as folder:
        vehicle, event, options = read_bundle(folder)
        yield list(numbers([vehicle.model_dump(), vars(event), options]))


def use_variants(path: Path) -> Iterator[Any]:
    from jounce.cli._variants import read_variants

    yield [row.line for row in read_variants(path)]


def use_output_map(path: Path) -> Iterator[Any]:
    from jounce.results.output_map import OutputMap

    yield list(numbers(vars(OutputMap.read(path))))


def use_aliases(path: Path) -> Iterator[Any]:
    from jounce.files.databases import read_aliases

    yield list(numbers(len(str(place)) for place in read_aliases(path).values()))


def use_script(path: Path) -> Iterator[Any]:
    """What a script of the user is for, which is read and not run."""
    from jounce.results.scripts import look

    found = look(path)
    yield [] if found is None else [len(found.events)]


def use_picture(path: Path) -> Iterator[Any]:
    from jounce.results.scripts import page

    yield page(path.with_name("made"), pictures=[path]).stat().st_size


def use_channel_map(path: Path) -> Iterator[Any]:
    from jounce.results.measured import read_run

    yield from of_run(read_run(path.with_name("log.csv"), path))


def use_course(path: Path) -> Iterator[Any]:
    from jounce.files.courses import read_course

    found = read_course(path)
    yield from (found.gates, found.control.points, found.course().path.x)


def use_check(path: Path) -> Iterator[Any]:
    """Whatever file somebody gives to ``jounce check``."""
    from typer.testing import CliRunner

    from jounce.cli.main import app

    answer = CliRunner().invoke(app, ["check", str(path)])
    if answer.exception is not None and not isinstance(answer.exception, SystemExit):
        raise answer.exception
    if answer.exit_code:
        raise FormatError(answer.output)
    yield ()


def use_template(path: Path) -> Iterator[Any]:
    from jounce.results.template import fill

    fill(path, {"title": "a run", "content": "<p>", "style": "", "script": "", "plots": ""})
    yield ()


def use_run_folder(path: Path) -> Iterator[Any]:
    from jounce.results.run import Run

    yield from of_run(Run.read(path.parent))


def use_summary(path: Path) -> Iterator[Any]:
    from jounce.study.summary import read_summary, tolerances_of

    found = read_summary(path)
    tolerances_of(found, str(path))
    yield list(numbers(found))


def use_workbench(path: Path) -> Iterator[Any]:
    """A folder of the workbench with runs and a session."""
    from jounce.app.folders import Folders
    from jounce.app.preferences import Preferences
    from jounce.app.runs import RunStore
    from jounce.app.session import Session, read_session

    main = path.parent
    try:
        read_session(path)
    finally:
        session = Session(main)  # puts aside what it cannot read
        folders = Folders(main)
        Preferences(main / ".jounce").apply(folders)
        for info in RunStore(folders, session).list():
            yield [info.created, *(value for _, value, _ in info.figures if value is not None)]


def use_frame(path: Path) -> Iterator[Any]:
    from jounce.app.frames import unpack

    yield from unpack(path.read_bytes())[1].values()


def use_layout(path: Path) -> Iterator[Any]:
    from jounce.app.plots.layout import read, resolve

    for page in read(path)[1]:
        yield [len(resolve(["a.b", "Tire.Fz.L1"], name)) for panel in page["panels"] for name in panel["y"]]


def use_event_data(path: Path) -> Iterator[Any]:
    """An event as programs send it."""
    from jounce.core.limits import parse_json
    from jounce.events.base import Event

    event = Event.from_dict(parse_json(path.read_bytes(), "the request"))
    yield list(numbers(vars(event)))


def _sweep() -> bytes:
    names = ("travel", "toe", "camber", "sva", "x", "y")
    lines = [",".join(f"{name}_{side}" for name in names for side in "LR"), "mm,mm,deg,deg,deg,deg,deg,deg,mm,mm,mm,mm"]
    for i in range(40):
        z = 80 * np.sin(i / 3)
        lines.append(",".join(f"{value:.5g}" for value in (z, z + 0.1, z / 90, z / 95, -z / 50, -z / 55, z / 40, z / 41,
                                                           z / 20, z / 21, z * z / 900, -z * z / 900)))  # fmt: skip
    return ("\n".join(lines) + "\n").encode()


SWEEP = _sweep()
LAYOUT = b"""{"format": "jounce-layout-1", "name": "Mine", "pages": [{"title": "One", "columns": 2,
 "panels": [{"title": "", "x": "signal:steering", "y": ["Tire.*.[LR]1", "a.b"], "equal": true}]}]}
"""
CASES_XML = b"""<?xml version="1.0" encoding="UTF-8"?>
<LoadCases name="two" axes="wheel"><Component name="travel.L1" unit="mm" id="1"/>
<Component name="mz.R1" unit="N.m" id="2"/><Step>1.5 nan</Step><Step>-20 7</Step></LoadCases>
"""
KC_MAPPING = b"""preset: mts
signs: {camber: inwards}
units: {toe: deg}
channels: {toe.L: {column: toe_L, unit: deg, scale: 1.5, offset: 0.1, sign: -1}, toe.R: -toe_R}
settings: {order: 4, travel: [-70 mm, 75 mm], columns: 5}
kinematics:
  - {file: sweep.csv, type: parallel travel, side: any, symmetry: average}
"""


def use_sweep(path: Path) -> Iterator[Any]:
    from jounce.rigs.kc.importing import maps_of

    yield from (grid.y for side in maps_of([path], 1).maps.values() for grid in side.values())


def use_kc_mapping(path: Path) -> Iterator[Any]:
    from jounce.rigs.kc.cases import read_programme

    yield list(numbers(vars(read_programme(path).settings)))
    yield from use_sweep(path)


@lru_cache(maxsize=1)
def formats() -> dict[str, Format]:
    run = drive("step_steer", end=0.4)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        for name in ("run.csv", "run.parquet", "run.mat", "run.mf4"):
            writer = {".csv": run.to_csv, ".parquet": run.to_parquet, ".mat": run.to_mat, ".mf4": run.to_mdf4}
            writer[Path(name).suffix](place / name)
        from jounce.events import StepSteer
        from jounce.events.bundle import write_bundle
        from jounce.rigs.result_files import write_xml
        from jounce.vehicle.reading import load

        write_xml(run, place / "run.xml")
        write_bundle(load("compact"), StepSteer(), place / "bundle.zip")
        written = {p.name: p.read_bytes() for p in place.iterdir() if p.is_file()}
        run.save(place / "folder")
        written |= {f"folder/{p.name}": p.read_bytes() for p in (place / "folder").iterdir()}
    roads = tuple(p.read_bytes() for p in sorted((LIBRARY / "roads").glob("*.yaml")))
    roads = tuple(raw.replace(b"../paths/", b"").replace(b".drd", b"") for raw in roads)  # by name
    tires = tuple(p.read_bytes() for p in sorted((LIBRARY / "tires").glob("*.tir")))
    folder = {"run.json": written["folder/run.json"], "run.parquet": written["folder/run.parquet"]}
    events = LIBRARY / "events"
    vdfs = (*(p.read_bytes() for p in sorted(events.glob("*[!e].vdf"))), FULL.encode())  # without the template
    dcd = (events / "replay.dcd").read_bytes()
    log = b"t,YawRate\ns,deg/s\n0,1\n0.1,2\n0.2,4\n"
    found = [
        Format("road.yaml", roads, use_road, weight=0.5),
        Format("road.rdf", tuple((HEAD + body).encode() for body in ALL.values()), use_rdf, weight=2),
        Format("road.obj", (obj_text(mesh()).encode(),), use_road),
        Format("straight.crg", tuple(crg_bytes(grid(False), format=f) for f in ("LRFI", "LDFI", "KRBI")), use_crg),
        Format("curved.crg", tuple(crg_bytes(grid(True), format=f) for f in ("LRFI", "LDFI", "KDBI")), use_crg),
        Format("cycle.csv", (CYCLE, CYCLE.replace(b",", b";").replace(b".", b",")), use_cycle),
        Format("path.drd", (drd_text(line()).encode(),), use_path),
        Format("path.csv", (csv_text(line()).encode(), b"lon;lat\n8.1;50\n8.1001;50\n8.1002;50.0001\n"), use_path),
        Format("path.kml", (kml_text(line(), 8, 50).encode(),), use_path),
        Format("path.gpx", (gpx_text(line(), 8, 50).encode(),), use_path),
        Format("tire.tir", tires, use_tire),
        Format("rig.tdx", (TDX.encode(),), use_tydex, missing=True),
        Format("data.tdx", (TDX.encode(),), use_rig_data),
        Format("data.csv", (RIG_CSV,), use_rig_data),
        Format("sweep.csv", (SWEEP,), use_sweep),
        Format("kc.yaml", (KC_MAPPING,), use_kc_mapping, {"sweep.csv": SWEEP}),
        Format("points.csv", (b"name,x,y,z\n,mm,mm,mm\nouter,-2.5,750,130\ninner,33,400.5,1e2\n",), use_points),
        Format(
            "cases.csv", (b"travel.L1 [mm],fz.R1 [kN],steer [deg]\n1,2,3\n-4.5,,6\n",), use_load_cases, missing=True
        ),
        Format("cases.xml", (CASES_XML,), use_load_cases, missing=True),
        Format("rig.vtt", (VTT.encode(),), use_vtt),
        Format("event.vdf", vdfs, use_vdf, {"replay.dcd": dcd}),
        Format("replay.dcd", (dcd,), use_dcd),
        Format("posts.spc", (SPC.encode(),), use_spc),
        Format("event.sdf", (SDF.encode(),), use_older_event, {"replay.dcd": dcd}),
        Format("event.dcf", (DCF.encode(),), use_older_event),
        Format("event.xml", (XML.encode(),), use_older_event),
        Format("engine.pwr", (PWR.encode(),), use_pwr),
        Format("car.aer", tuple(text.encode() for text in (STANDARD, V1, V2, USER)), use_aer),
        Format("run.xml", (written["run.xml"],), use_xml, missing=True),
        Format("run.csv", (written["run.csv"],), use_run, missing=True),
        Format("run.csv.json", (written["run.csv.json"],), use_note, {"run.csv": written["run.csv"]}, missing=True),
        Format("run.parquet", (written["run.parquet"],), use_run, missing=True),
        Format("run.mat", (written["run.mat"],), use_run, missing=True),
        Format("run.mf4", (written["run.mf4"],), use_run, missing=True, weight=0.5),
        Format("log.csv", (log, log.replace(b",", b";").replace(b".", b",")), use_measured),
        Format("log.parquet", (written["run.parquet"],), use_measured),
        Format("log.mat", (written["run.mat"],), use_measured),
        Format("log.mf4", (written["run.mf4"],), use_measured, weight=0.5),
        Format("car/vehicle.yaml", library_vehicles(), use_vehicle, weight=1.2),
        Format("car.yaml", parts(), use_vehicle, weight=2.4),
        Format("bundle.zip", (written["bundle.zip"],), use_bundle, weight=0.3),
        Format("event.yaml", (b"event: step-steer\nspeed: 80 km/h\namplitude: 30 deg\nstart_time: 1\n",), use_event),
        Format("manoeuvre.yaml", (MANOEUVRE,), use_event),
        Format("plan.yaml", (PLAN,), use_plan, weight=0.4),
        Format("bands.yaml", (BANDS,), use_bands),
        Format("speeds.csv", (b"s, v\n# way, speed\n0, 12\n120.5, 20\n", b"t,v\n0,5\n4,10.5\n"), use_speeds),
        Format("variants.yaml", (b"- name: a\n  body.mass: 1500 kg\n- name: b\n  body.mass: 1600\n",), use_variants),
        Format("variants.csv", (b"name,body.mass\na,1500 kg\nb,1600 kg\n",), use_variants),
        Format(
            "some_cdb.cfg",
            (b"! folders\nDATABASE shared data/shared.cdb\nDATABASE own '../own cars'\n",),
            use_aliases,
        ),
        Format("post.py", (b"EVENTS = ('step_steer', 'weave')\ndef post_processing(result): return 1\n",), use_script),
        Format("picture.svg", (b"<svg><path d='M 0 0 L 3 4'/></svg>",), use_picture, weight=0.3),
        Format("map.yaml", (b"System_Mass_Center.Speed: {scale: 3.6, unit: km/h}\nSensor.Ay: {}\n",), use_output_map),
        Format(
            "channels.yaml",
            (b"chassis_velocities.yaw: {column: YawRate, unit: deg/s, sign: -1}\ntime: {column: t, unit: ms}\n",),
            use_channel_map,
            {"log.csv": log},
        ),
        Format("course.yaml", tuple(p.read_bytes() for p in (LIBRARY / "courses").iterdir()), use_course),
        Format("course.csv", (b"x [m],y_left [m],y_right [m]\n30,1.4,-1.4\n45.5,2.1,0.3\n60,1,-1.5\n",), use_course),
        Format("course.cpp", (COURSE,), use_course),
        Format("check.vdf", (*vdfs, (events / "sine_template.vdf").read_bytes()), use_check, {"replay.dcd": dcd}),
        Format("check.yaml", (*roads, MANOEUVRE, PLAN), use_check, weight=0.5),
        Format("page.html", (b"<html>{{ title }}<style>{{ style }}</style>{{ plots }}{{ script }}\n",), use_template),
        Format("run.json", (folder,), use_run_folder, missing=True),
        Format("summary.json", (SUMMARY,), use_summary, missing=True),
        Format(
            "session.json",
            (
                {
                    "session.json": SESSION,
                    "runs/a/job.json": JOB,
                    "runs/a/run.json": folder["run.json"],
                    ".jounce/preferences.json": PREFERENCES,
                },
            ),
            use_workbench,
            missing=True,
        ),
        Format(
            "frame.bin",
            (pack({"time": [0.0, 0.5, 1.0], "speed": [3.0, 4.0, 5.5]}, units=["s", "m/s"]),),
            use_frame,
            missing=True,
            named=False,
        ),
        Format("layout.json", (LAYOUT,), use_layout, missing=True),
        Format(
            "event.json",
            (b'{"event": "step-steer", "speed": "80 km/h", "amplitude": 0.5, "start_time": 1}',),
            use_event_data,
            named=False,
        ),
    ]
    return {form.name: form for form in found}


def library_vehicles() -> tuple[dict[str, bytes], ...]:
    """All vehicles of the library, with what some have of another."""
    cars = LIBRARY / "vehicles"

    def files(place: Path, name: str) -> dict[str, bytes]:
        return {f"{name}/{p.relative_to(place).as_posix()}": p.read_bytes() for p in place.rglob("*") if p.is_file()}

    found = []
    for place in (path.parent for path in sorted(cars.glob("*/vehicle.yaml"))):
        whole = files(place, "car")
        others = {name for text in whole.values() for name in re.findall(rb"\.\./(\w+)/", text)}
        for other in sorted(name.decode() for name in others if (cars / name.decode()).is_dir()):
            whole |= files(cars / other, other)
        found.append(whole)
    return tuple(found)


def parts() -> tuple[dict[str, bytes], ...]:
    """A part in a file of its own, for every kind that a vehicle may name, on the rig where its contract is tested."""
    found = {}
    for family, kind in kinds():
        if family in ADDED:
            continue
        vehicle, _ = rig(family, kind)
        raw, part = to_raw(vehicle), example(family, kind)
        if family in TOGETHER:
            family, kind, part, raw["driveline"] = "driveline", "", raw["driveline"], "part.yaml"
        else:
            put(raw, path_of(family, kind), "part.yaml")
        found[family, kind] = {"car.yaml": as_yaml(raw), "part.yaml": as_yaml(part)}
    return tuple(found.values())


def as_yaml(data: Any) -> bytes:
    """JSON is YAML; a tire is said by its name in the library."""
    return json.dumps(data, indent=1, default=lambda reference: reference.name).encode()


COURSE = b"""[UNITS]
LENGTH = 'meter'
ANGLE = 'radians'
FORCE = 'newton'
MASS = 'kg'
TIME = 'second'
[GENERAL]
LATERAL_RANGE = 2
SETTLING_DISTANCE = 40
[CONES]
{x y_left y_right}
30 1.4 -1.4
45.5 2.1 0.3
[CONTROL_POINTS]
{x y}
30 0
45.5 1.2
"""
SUMMARY = b"""{"plan": "a", "tolerances": {"*": {"absolute": 0, "relative": 0.01}}, "made": [], "remarks": [], "runs": [
{"run": "a", "event": "a", "vehicle": "sedan", "variation": "", "changes": {}, "status": "complete", "reason": "",
"verdict": null, "figures": {"yaw_rate_t90": [0.3, "s"], "speed": [27.0, "m/s"]}, "ranges": {}, "warnings": []}]}
"""
SESSION = b"""{"format": "jounce-session-1", "documents": [{"path": "a"}], "plan": [], "runs": ["/tmp/none", "runs/a"],
"pages": {"build": {"open": 1}}, "settings": {"step": 0.001}}
"""
PREFERENCES = b"""{"format": "jounce-preferences-1", "folders": [{"alias": "tmp", "path": "/tmp", "writable": false},
{"alias": "gone", "path": "/nowhere/at/all"}]}
"""
JOB = b"""{"label": "a", "vehicle": {"name": "sedan", "source": "sedan", "changes": {"body.mass": 1500}},
"event": {"event": "step-steer"}, "status": "complete", "created": 1.7e9}
"""
MANOEUVRE = b"""event: manoeuvre
name: step and stop
begin: {speed: 80 km/h}
friction: 0.9
signals: {turn: {kind: sine, amplitude: 20 deg, frequency: 0.5 Hz, begin: 0.2}}
stages:
- name: settle
  steering: 0 deg
  speed: maintain
  ends: [time >= 1 s]
- name: turn
  steering: turn
  speed: maintain
  ends: ["lat_accel abs> 7 m/s2", time >= 3 s]
- name: stop
  steering: {kind: maintain}
  throttle: 0
  braking: {signal: {kind: step, end: 0.3, last: 0.4}, smoothing: 0.1 s}
  ends: [velocity < 1]
"""
BANDS = b"""driver_demands.steering: {x: System_Mass_Center.Tracking_Ay, across: 0.1 m/s2, relative: 5 %}
chassis_velocities.yaw: {absolute: 1 deg/s, relative: 5 %, across: 20 ms}
"""
PLAN = b"""plan: fleet
keep: figures
step: 1 ms
vehicles:
- sedan
- {name: soft, vehicle: sedan, front_suspension.anti_roll_bar.scale: 0.5}
events:
- step-steer
- {name: brisk, event: step-steer, speed: 120 km/h, vehicles: [soft]}
variations:
- {name: as it is}
- {name: heavy, body.mass: 1700 kg}
- grid: {body.mass: [1500 kg, 1600 kg], event.friction: [0.5, 1.0]}
tolerances:
  "*": 0.1 %
  yaw_rate_t90: 5 ms
"""
CYCLE = b"time,speed\ns,km/h\n0,0\n1.5,3.6\n3,10.8\n4,0\n"
RIG_CSV = b"ET,FZ,SA,FY,P\ns,N,deg,N,kPa\n0.0,4000,1.5,1800,80\n0.1,4010,2.0,2300,80\n0.2,3990,2.5,2700,80\n"


@lru_cache
def whole(name: str) -> frozenset[str]:
    """Read the whole files of a format; returns the modules that did."""
    form = formats()[name]
    with watched() as seen, TemporaryDirectory() as folder:
        for k, sample in enumerate(form.samples):
            assert outcome(form, placed(form, Path(folder) / str(k), sample)) == "read", name
    return frozenset(seen)


@pytest.mark.parametrize("name", formats())
def test_whole_files_are_read(name: str) -> None:
    whole(name)


@pytest.mark.parametrize("name", formats())
def test_damaged_files_give_finite_numbers_or_an_error_with_their_name(name: str, tmp_path: Path) -> None:
    form = formats()[name]
    problems: list[str] = []
    for number in range(max(4, int(CASES * form.weight * TIMES))):
        random = Random(f"{SEED} {name} {number}")
        folder = tmp_path / str(number)
        path = damaged_case(form, folder, random)
        try:
            outcome(form, path)
        except BaseException as problem:
            if isinstance(problem, KeyboardInterrupt):
                raise
            problems.append(f"JOUNCE_FUZZ_SEED={SEED} case {number}, {path}: {type(problem).__name__}: {problem}"[:600])
        else:
            shutil.rmtree(folder)
        if len(problems) >= 10:
            break
    assert not problems, "\n".join(problems)


# Modules that open files past the limits, and why.
WITHOUT_LIMITS = {
    "jounce.app.live": "rows of a run that goes on, of our own process",
    "jounce.app.review.api": "what was just written",
    "jounce.app.review.opening": "compares with what was sent",
    "jounce.app.test.events": "drawings of the package",
    "jounce.app.worker": "progress and log of our own process",
    "jounce.cli.convert": "a hundred lines of a file, to know its kind",
    "jounce.cli.examples": "files of the repository",
    "jounce.cli.list": "files of the package",
    "jounce.components.tire.registry": "code of the user, which is run",
    "jounce.core.limits": "what the limits are made of",
    "jounce.core.locking": "a lock, which holds nothing",
    "jounce.core.part_registry": "sources of the package",
    "jounce.core.writing": "the hash of a file",
    "jounce.events.bundle": "files that were read before",
    "jounce.files.mesh_cache": "the cache, in a folder that only the user can write to",
    "jounce.results.catalogue": "a table of the package",
    "jounce.results.files.mdf4": "in a process of its own with limits of time and memory",
    "jounce.results.files.text": "a text that was read by its limits",
    "jounce.results.page": "files of the package",
    "jounce.results.plausibility": "a table of the package",
    "jounce.runtime.cache": "the cache, in a folder that only the user can write to",
    "jounce.runtime.compile": "sources of the package and what was compiled of them",
    "jounce.runtime.export": "an export of our own, by its hashes",
    "jounce.runtime.recording": "writes",
    "jounce.runtime.road_library": "sources of the package",
    "jounce.runtime.tire_library": "sources of the package",
    "jounce.sim.build": "code that runs, for its hash",
    "jounce.sim.reach": "sources of the package",
    "jounce.study.page": "files of the package",
    "jounce.study.running": "records of our own, by their keys",
    "jounce.study.summary": "writes",
    "jounce.study.worker": "files that were just written",
    "jounce.vehicle.library_figures": "a table of the package",
}


def test_every_reader_is_attacked() -> None:
    seen = frozenset[str]().union(*(whole(name) for name in formats()))
    found = {name for name, (limited, _) in calls().items() if limited}
    assert len(found) > 30, "the search finds nothing"
    assert found - seen == set(), "these modules read files, and no format of this test makes them"


def test_what_opens_files_without_limits_is_known() -> None:
    """A reader takes its bytes by jounce.core.limits; what does not says here why it need not."""
    found = {name for name, (_, unlimited) in calls().items() if unlimited}
    assert found == set(WITHOUT_LIMITS), "a reader of files of others uses jounce.core.limits"


@pytest.mark.parametrize("name", [name for name, form in formats().items() if form.named and name != "session.json"])
def test_what_is_no_file_is_refused_by_its_reader(name: str, tmp_path: Path) -> None:
    """A name longer than any, one with a null character, a folder, a device, and none at all."""
    form, ending = formats()[name], Path(name).suffix
    names = (f"{400 * 'a'}{ending}", f"a\0b{ending}", f"none{ending}", "", f"below/{5000 * 'b'}{ending}")
    for place in (*(tmp_path / text for text in names), Path("/dev/zero"), Path("/dev/null")):
        with pytest.raises(JounceError) as refused:
            list(form.use(place))
        assert len(str(refused.value)) < 30_000
