"""Tires that are not here: slots and adapters, use modes of MF-Swift, which tires run on which roads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cars
import rdf_texts
from four_wheels import CORNERS
from jounce.components.tire import adapters
from jounce.components.tire.adapters import SLOTS, Request, register_adapter
from jounce.components.tire.base import Tire
from jounce.components.tire.compatibility import NAMES, ROADS, TABLE, cell, check, family, kinds
from jounce.components.tire.external import external_tire
from jounce.components.tire.sti import bind_library, library_tire
from jounce.components.tire.swift_mode import decode_swift_mode, library_remarks, own_remarks
from jounce.core.errors import FormatError, ModelError, ParameterError
from jounce.events import StepSteer, engine
from jounce.files.rdf import parse_rdf, read_rdf
from jounce.files.tir import parse_tir
from jounce.road.builder import RoadBuilder
from jounce.road.envelope import Envelope
from jounce.road.grid import GridRoad
from jounce.road.mesh import MeshRoad
from jounce.road.simple import External, Flat, Patch, Stack, Sum, cleat
from jounce.road.surface import Road
from models import compiled
from tire_models import rig
from user_tires import compile_tire

UNITS = "[UNITS]\nLENGTH = 'meter'\nFORCE = 'newton'\nANGLE = 'radian'\nMASS = 'kg'\nTIME = 'second'\n"
HEAD = "[MDI_HEADER]\nFILE_TYPE = 'tir'\n" + UNITS.replace("meter", "mm")


def text_of(**keys: Any) -> str:
    lines = "".join(f"{key} = {value!r}\n" for key, value in keys.items())
    return f"{HEAD}[MODEL]\n{lines}[DIMENSION]\nUNLOADED_RADIUS = 320.0\n[SECRET]\nX = 1\n"


SELECTION = [
    ("FTIRE", {"PROPERTY_FILE_FORMAT": "FTIRE"}),
    ("FTIRE", {"PROPERTY_FILE_FORMAT": "USER", "FUNCTION_NAME": "CTI::TYR510"}),
    ("CDTIRE", {"PROPERTY_FILE_FORMAT": "CDTIRE"}),
    ("TAMETIRE", {"PROPERTY_FILE_FORMAT": "TAMETIRE"}),
    ("SWIFT", {"PROPERTY_FILE_FORMAT": "USER", "FUNCTION_NAME": "mtyre_mfswift_7", "FITTYP": 70, "USE_MODE": 114}),
]


@pytest.fixture
def clean() -> Iterator[None]:
    yield
    for slot in SLOTS:
        register_adapter(slot, None)


# --- slots -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("slot", "keys"), SELECTION)
def test_what_is_not_installed_is_named_with_the_way_to_get_it(slot: str, keys: dict[str, Any]) -> None:
    with pytest.raises(FormatError) as caught:
        parse_tir(text_of(**keys), "their.tir")
    message = str(caught.value)
    assert "their.tir" in message and "line " in message and f"{SLOTS[slot].name} is not installed" in message
    assert SLOTS[slot].component in message and f"register_adapter('{slot}', …)" in message
    assert "entry point" in message and adapters.GROUP in message


@pytest.mark.parametrize(("slot", "keys"), SELECTION)
def test_a_mock_takes_the_slot(
    slot: str, keys: dict[str, Any], tmp_path_factory: pytest.TempPathFactory, clean: None
) -> None:
    library = compile_tire("spring", tmp_path_factory.mktemp("mock"))
    asked: list[Request] = []

    def mock(request: Request) -> Tire:
        asked.append(request)
        assert request.radius is not None
        return library_tire(library, "spring_sti", interface="STI", radius=request.radius, tire_file=request.path)

    register_adapter(slot, mock)
    with pytest.raises(ParameterError, match="there is one already"):
        register_adapter(slot, lambda request: mock(request))
    file = parse_tir(text_of(**keys), "their.tir")
    assert (file.family, asked[0].slot, asked[0].radius) == (slot, slot, pytest.approx(0.32))
    assert asked[0].keys["PROPERTY_FILE_FORMAT"] == keys["PROPERTY_FILE_FORMAT"]
    assert family(file.tire) == {"SWIFT": "SWIFT_2020"}.get(slot, slot)
    assert any(SLOTS[slot].notes in str(p) for p in file.report.infos)
    if slot != "FTIRE":
        return
    sim = compiled(rig(file.tire, mass=400.0, steer=True), method="AB-2", step=0.001)
    sim.set_states({"z.travel": 0.32 - 400 * 9.80665 / 2e5})
    bind_library(sim, "tire", file.tire)
    sim.advance(200)
    assert sim.output("tire.fz") == pytest.approx(400 * 9.80665, rel=1e-9), "it carries the wheel"


def test_an_installed_package_takes_the_slot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "their_adapter-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-adapter\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[{adapters.GROUP}]\nCDTIRE = their_adapter:make\nFTIRE = their_adapter:no\n"
    )
    (tmp_path / "their_adapter.py").write_text(
        "from jounce.components.tire.external import external_tire\n"
        "def make(request):\n    return external_tire(request.radius, name='theirs', exchange='step')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    file = parse_tir(text_of(PROPERTY_FILE_FORMAT="CDTIRE"), "cd.tir")
    assert file.tire.name == "theirs" and family(file.tire) == "CDTIRE"
    with pytest.raises(FormatError, match=r"adapter of FTIRE: their_adapter:no of an installed package fails"):
        parse_tir(text_of(PROPERTY_FILE_FORMAT="FTIRE"), "f.tir")


def test_adapters_that_are_none(clean: None) -> None:
    with pytest.raises(ParameterError, match="no such slot; did you mean 'FTIRE'"):
        register_adapter("FTYRE", lambda request: external_tire(0.3))
    with pytest.raises(ParameterError, match="expected a function from a Request"):
        register_adapter("FTIRE", 3)  # type: ignore[arg-type]
    register_adapter("FTIRE", lambda request: 3)  # type: ignore[arg-type,return-value]
    with pytest.raises((ModelError, FormatError), match="expected a Tire with an outside model"):
        parse_tir(text_of(PROPERTY_FILE_FORMAT="FTIRE"))


# --- use modes -------------------------------------------------------------------------------------------------------


def texts(remarks: Any, level: str) -> str:
    return "\n".join(r.text for r in remarks if r.level == level)


@pytest.mark.parametrize(
    ("code", "native", "refused", "warned"),
    [
        (114, True, "", ""),
        (25, True, "", ""),
        (544, False, "", "enveloping is not available yet"),
        (534, False, "", "the rigid ring is not available yet; nonlinear relaxation instead"),
        (314, False, "contact 3 (moving road) is not available", ""),
        (414, False, "contact 4 (road by travelled distance) is not available", ""),
        (214, False, "contact 2 (circular cross-section) is not available", ""),
    ],
)
def test_what_our_own_formula_says_to_a_mode(code: int, native: bool, refused: str, warned: str) -> None:
    assert decode_swift_mode(code).native is native
    found = own_remarks(code)
    assert refused in texts(found, "error") and warned in texts(found, "warning")
    assert bool(texts(found, "error")) == bool(refused) and bool(texts(found, "warning")) == bool(warned)


def test_what_is_said_when_the_library_runs_a_mode() -> None:
    assert library_remarks(114) == [] and library_remarks(214) == []
    assert "moving roads are not available" in texts(library_remarks(324), "error")
    assert "does not go with roads of this package" in texts(library_remarks(414), "warning")
    assert "belt must be taken off the wheel" in texts(library_remarks(544), "warning")
    assert "is not part of version 2020.1" in texts(library_remarks(214, "2020.1"), "error")
    assert "always starts with belt statics" in texts(library_remarks(144, "2020.1"), "warning")


def test_the_library_gets_what_only_it_can_do(clean: None) -> None:
    path = next(p for n, p in _examples().items() if n == "example_mf62")
    text = path.read_text(encoding="utf-8")
    old = next(line for line in text.splitlines() if line.startswith("USE_MODE"))
    keys = [line for line in text.splitlines() if line.startswith("PROPERTY_FILE_FORMAT")]
    text = text.replace(keys[0], "PROPERTY_FILE_FORMAT = 'USER'\nFUNCTION_NAME = 'TYR815'")
    ring, plain = text.replace(old, "USE_MODE = 534"), text.replace(old, "USE_MODE = 114")
    assert parse_tir(ring).tire.model.kind == "mf6", "with warnings"
    register_adapter("SWIFT", lambda request: external_tire(request.radius or 0.3, exchange="step"))
    assert parse_tir(plain).tire.model.kind == "mf6", "our own where it can"
    file = parse_tir(ring)
    assert file.family == "SWIFT" and family(file.tire) == "SWIFT_6.2"
    assert any("belt must be taken off" in str(p) for p in file.report.warnings)
    with pytest.raises(FormatError, match="moving roads are not available"):
        parse_tir(text.replace(old, "USE_MODE = 324"))


def _examples() -> dict[str, Path]:
    from jounce.files.library import library_files

    return library_files("tires")


# --- tires and roads -------------------------------------------------------------------------------------------------


def some_roads() -> dict[str, Road]:
    points = np.array([[0.0, 0, 0], [9, 0, 0], [9, 9, 0], [0, 9, 0]])
    mesh = MeshRoad(points=points, triangles=np.array([[0, 1, 2], [0, 2, 3]]))
    return {
        "analytic": RoadBuilder().straight(100).build(),
        "mesh": mesh,
        "flat": Flat(),
        "opencrg": GridRoad(z=np.zeros((5, 3)), du=1.0, v=np.array([-1.0, 0, 1])),
        "external": External(function=lambda x, y, z: (0.0, 0.0, 0.0, 1.0)),
    }


def test_the_table_is_complete_and_has_the_cells_that_matter() -> None:
    assert set(TABLE) == set(NAMES) == {"native", "FTIRE", "SWIFT_6.2", "SWIFT_2020", "CDTIRE", "TAMETIRE", "USER"}
    refused = {(t, r) for t in TABLE for r in ROADS if not TABLE[t][r]}
    lines = ("analytic", "measured", "extrusion")
    expected = {(t, r) for t in ("SWIFT_2020", "CDTIRE", "TAMETIRE") for r in lines}
    assert refused == expected | {("CDTIRE", "rgr"), ("TAMETIRE", "gridmesh"), ("TAMETIRE", "opencrg")}
    assert all("S" in c and "R" in c for c in TABLE["native"].values())
    assert (TABLE["FTIRE"]["rgr"], TABLE["SWIFT_2020"]["opencrg"], TABLE["USER"]["mesh"]) == ("SMR", "SMR", "SM")


@pytest.mark.parametrize("tire", list(TABLE))
@pytest.mark.parametrize("road", ROADS)
def test_every_cell_is_kept(tire: str, road: str) -> None:
    letters = TABLE[tire][road]
    for allowed, options in (("S", {}), ("M", {"threads": 4}), ("R", {"real_time": True})):
        if allowed in letters:
            check({"L1": tire}, [road], **options)  # type: ignore[arg-type]
        else:
            with pytest.raises(ParameterError, match=f"tire of L1: {NAMES[tire]}"):
                check({"L1": tire}, [road], **options)  # type: ignore[arg-type]


def test_roads_of_parts_inherit() -> None:
    roads = some_roads()
    assert {name: kinds(road) for name, road in roads.items()} == {name: (name,) for name in roads}
    mesh, line = roads["mesh"], roads["analytic"]
    assert kinds(Envelope(road=Sum(base=mesh, features=[Patch(friction=0.3, radius=2.0)]))) == ("mesh",)
    assert kinds(Stack(roads=[mesh, line])) == ("mesh", "analytic")
    assert cell("TAMETIRE", Stack(roads=[mesh, roads["flat"]])) == "SMR"
    assert cell("TAMETIRE", Stack(roads=[mesh, line])) == ""
    assert cell("FTIRE", Sum(base=mesh, features=[cleat()])) == "S"
    with pytest.raises(ParameterError, match="did you mean 'FTIRE'"):
        family("FTIRES")


def test_a_composite_file_inherits(tmp_path: Path) -> None:
    head = "[MDI_HEADER]\nFILE_TYPE = 'rdf'\nFILE_VERSION = 5.0\nFILE_FORMAT = 'ASCII'\n" + UNITS
    nodes = "[NODES]\n{ id x y z }\n1 0 -5 0\n2 100 -5 0\n3 100 5 0\n4 0 5 0\n"
    faces = "[ELEMENTS]\n{ n1 n2 n3 mu }\n1 2 3 1\n1 3 4 1\n"
    (tmp_path / "mesh.rdf").write_text(f"{head}[MODEL]\nTYPE = 'MESH'\n{nodes}{faces}")
    (tmp_path / "over.rdf").write_text(f"{head}[MODEL]\nTYPE = 'COMPOSITE'\n[ROAD_DATA]\nFILE_NAME = './mesh.rdf'\n")
    road = read_rdf(tmp_path / "over.rdf").road()
    assert kinds(road) == ("mesh",)
    check({"L1": "CDTIRE"}, [road])


@pytest.mark.parametrize("name", TABLE)
def test_a_car_does_not_start_with_a_tire_on_the_wrong_road(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell of roads that exist here, through ``run``: refused before anything is built, or let pass."""
    theirs = external_tire(0.32, exchange="step")
    theirs = replace(theirs, model=replace(theirs.model, family=name))  # type: ignore[type-var]
    tires = dict.fromkeys(CORNERS, theirs)

    def no(*args: Any, **options: Any) -> None:
        raise AssertionError("something was built")

    monkeypatch.setattr(engine.cars, "simulation", no)
    event = StepSteer(speed=20.0)
    vehicle = cars.compact()
    rdf = {kind: parse_rdf(rdf_texts.HEAD + rdf_texts.ALL[kind]).road() for kind in ("measured", "extrusion")}
    for kind, road in {**some_roads(), **rdf}.items():
        match = f"{NAMES[name]} cannot run on a road of kind" if not TABLE[name][kind] else "something was built"
        with pytest.raises((ParameterError, AssertionError), match=re.escape(match)):
            engine.run(vehicle, event, tires=tires, road=road)
    with pytest.raises(AssertionError, match="something was built"):
        engine.run(vehicle, event, tires=tires)  # on level ground
