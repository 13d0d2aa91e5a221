"""`jounce check`: validate files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jounce.core.errors import ParameterError
from jounce.core.limits import is_file

if TYPE_CHECKING:
    from jounce.manoeuvre import Manoeuvre

ROADS = (".rdf", ".crg", ".obj")
PATHS = (".drd", ".drd2", ".csv", ".kml", ".gpx")
EVENTS = (".vdf", ".dcd", ".sdf", ".dcf", ".xml")
_ROAD_KEYS = re.compile(r"^(line|flat|kerbs|unevenness|features)[ \t]*:", re.MULTILINE)
_OTHER_KEYS = re.compile(r"^(plan|event|stages)[ \t]*:", re.MULTILINE)


def check(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Vehicle files or folders, tires, roads, paths, events, test plans, engines (pwr), aerodynamics "
            "(aer), tire tests (vtt) and data (tdx); or names of the library."
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="As JSON.")] = False,
) -> None:
    """Read files and say what is wrong with them: file, line, what to do. The exit code is 1 if something is."""
    from jounce.cli._checks import check_files

    check_files(files, _read, as_json)


def _read(name: str) -> tuple[str, list[str]]:
    """What a file is and what is remarkable about it."""
    if Path(name).suffix.lower() == ".tir":
        from jounce.files.tir import read_tir

        found = read_tir(name)
        return f"tire {found.tire.name} ({type(found.tire.model).__name__})", [str(w) for w in found.report.warnings]
    if _is_road(name):
        from jounce.files.roads import read_road

        road, report = read_road(name)
        return f"road {road.name or Path(name).stem} ({type(road).__name__})", [
            str(w) for w in report.warnings
        ] if report else []
    if Path(name).suffix.lower() in PATHS:
        return _path(name)
    if Path(name).suffix.lower() in EVENTS:
        return _event(name)
    if Path(name).suffix.lower() in OTHERS:
        return OTHERS[Path(name).suffix.lower()](name)
    other = _OTHER_KEYS.findall(_yaml(name))
    if other:
        return _plan(name) if "plan" in other else _own_event(name)
    from jounce.sim.car import describe, tire_warnings
    from jounce.vehicle.reading import read

    vehicle = read(name)
    describe(vehicle)  # reads its tires
    return f"vehicle {vehicle.name}", [*vehicle.remarks(), *tire_warnings(vehicle)]


def _is_road(name: str) -> bool:
    """Whether a name means a road: by its ending, by keys that only roads have, or by the library."""
    place = Path(name)
    if place.suffix.lower() in ROADS:
        return True
    if os.path.exists(place):
        return _ROAD_KEYS.search(_yaml(name)) is not None
    from jounce.files.roads import library_roads

    return name in library_roads()


def _explained(whole: Manoeuvre, place: Path) -> str:
    """A manoeuvre in sentences, once its paths are there and long enough."""
    from jounce.events.manoeuvres import Routes
    from jounce.manoeuvre.words import explain

    try:
        Routes(whole, (0.0, 0.0, 0.0), whole.begin.speed, place.resolve().parent)
    except ParameterError as error:
        raise ParameterError(f"{place.name}: {error}") from None
    sentences = "\n".join(f"      {line}" for line in explain(whole))
    return f"event {whole.name or place.stem}\n{sentences}"


def _yaml(name: str) -> str:
    """The text of a YAML file; nothing of others."""
    place = Path(name)
    if not is_file(place) or place.suffix.lower() not in (".yaml", ".yml"):
        return ""
    from jounce.files.drd import read_text

    return read_text(name)


def _plan(name: str) -> tuple[str, list[str]]:
    from jounce.study.plan import Plan

    plan = Plan.read(name)
    return f"plan {plan.name} ({len(plan.items)} runs)", []


def _own_event(name: str) -> tuple[str, list[str]]:
    from jounce.cli._runs import event_of

    event = event_of(name, "", {})
    doubts = [str(doubt) for doubt in event.doubts()]
    whole = getattr(event, "manoeuvre", None)
    return (f"event {event.kind}" if whole is None else _explained(whole, Path(name))), doubts


def _engine(name: str) -> tuple[str, list[str]]:
    from jounce.files.pwr import read_pwr

    found = read_pwr(name)
    gears = f", {len(found.gears)} gears of their own" if found.gears else ""
    return f"engine {Path(name).stem} (torque up to {max(found.torque.y):.4g} N·m{gears})", list(found.warnings)


def _aerodynamics(name: str) -> tuple[str, list[str]]:
    from jounce.files.aer import read_aer

    found = read_aer(name)
    return f"aerodynamics {Path(name).stem} ({found.form})", list(found.warnings)


def _tire_test(name: str) -> tuple[str, list[str]]:
    from jounce.files.vtt import read_vtt

    return f"tire test {Path(name).stem}", list(read_vtt(name).warnings)


def _tire_data(name: str) -> tuple[str, list[str]]:
    from jounce.files.tydex import read_tydex

    found = read_tydex(name)
    return f"tire data {Path(name).stem} (channels {', '.join(found.channels)})", [
        str(w) for w in found.report.warnings
    ]


OTHERS = {".pwr": _engine, ".aer": _aerodynamics, ".vtt": _tire_test, ".tdx": _tire_data}


def _event(name: str) -> tuple[str, list[str]]:
    """A driver's file, in sentences; of a template, the places that are to be filled in."""
    from jounce.files.events import read_event

    ending = Path(name).suffix.lower()
    if ending == ".dcd":
        from jounce.files.dcd import read_dcd

        data = read_dcd(name)
        first, last = data.x[0], data.x[-1]
        unit = "s" if data.ordinal == "time" else "m"
        return f"controls over {data.ordinal}, {len(data.x)} rows from {first:g} to {last:g} {unit}", list(
            data.warnings
        )
    if ending == ".vdf":
        from jounce.core.limits import read_bytes
        from jounce.files.property_file import LIMITS, decode
        from jounce.files.templates import places

        wanted = places(decode(read_bytes(name, LIMITS), name))
        if wanted:
            listed = ", ".join(f"{place} (line {line})" for place, line in wanted.items())
            return f"template of an event with the places {listed}", []
    found, report = read_event(name)
    return _explained(found, Path(name)), [*(str(w) for w in report.warnings), *found.remarks()]


def _path(name: str) -> tuple[str, list[str]]:
    from jounce.files.gps import read_path
    from jounce.files.problems import Report

    report = Report(name)
    path = read_path(name, report=report)
    shape = "closed" if path.closed else "open"
    return f"path {path.name} ({path.length:.1f} m, {shape})", [str(w) for w in report.warnings]
