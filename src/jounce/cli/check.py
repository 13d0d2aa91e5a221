"""`jounce check`: validate files."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jounce.core.errors import ParameterError

if TYPE_CHECKING:
    from jounce.manoeuvre import Manoeuvre

ROADS = (".rdf", ".crg", ".obj")
PATHS = (".drd", ".drd2", ".csv", ".kml", ".gpx")
EVENTS = (".vdf", ".dcd", ".sdf", ".dcf", ".xml")
_EVENT_KEYS = re.compile(r"^(stages|event)[ \t]*:", re.MULTILINE)
_ROAD_KEYS = re.compile(r"^(line|flat|kerbs|unevenness|features)[ \t]*:", re.MULTILINE)


def check(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Vehicle files or folders, tires, roads, paths, events (yaml, vdf, dcd, sdf); or names of the library."
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
    if _has_keys(name, _EVENT_KEYS):
        return _yaml_event(name)
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
    if place.exists():
        return _has_keys(name, _ROAD_KEYS)
    from jounce.files.roads import library_roads

    return name in library_roads()


def _has_keys(name: str, keys: re.Pattern[str]) -> bool:
    """Whether a name is that of a YAML file that has one of these keys."""
    place = Path(name)
    if place.suffix.lower() not in (".yaml", ".yml") or not place.is_file():
        return False
    from jounce.files.drd import read_text

    return keys.search(read_text(name)) is not None


def _yaml_event(name: str) -> tuple[str, list[str]]:
    """An event with its keys, or a manoeuvre in sentences."""
    from jounce.cli._runs import event_of

    event = event_of(name, "", {})
    whole = getattr(event, "manoeuvre", None)
    if whole is None:
        return f"event {event.kind} ({event.title})", event.doubts()
    return _explained(whole, Path(name)), event.doubts()


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
