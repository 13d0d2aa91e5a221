"""Run bundles: a folder with everything a run needs, by relative references. Moved or sent, it runs to the same bits.

    bundle.yaml      event, step, method, interval, version
    vehicle/         the vehicle with all files it refers to
    roads/           road files, unless they are of the library

>>> write_bundle(load("sedan"), StepSteer(), "folder")
>>> run_bundle("folder")
"""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jounce
from jounce.core.errors import FormatError
from jounce.core.units import parse
from jounce.core.writing import write_atomically
from jounce.core.yaml_files import read_mapping
from jounce.events.base import Event
from jounce.events.engine import run
from jounce.events.options import INTERVAL
from jounce.files.roads import library_roads
from jounce.results.run import Run
from jounce.sim import car as cars
from jounce.vehicle.reading import load

if TYPE_CHECKING:
    from jounce.vehicle.schema import Vehicle

FILE = "bundle.yaml"
KEYS = ("jounce", "vehicle", "event", "step", "method", "interval")


def write_bundle(
    vehicle: Vehicle,
    event: Event,
    folder: str | Path,
    *,
    step: float | str = cars.STEP,
    method: str = cars.METHOD,
    interval: float | str = INTERVAL,
) -> Path:
    """Write a bundle and return its folder; nothing is run."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    main = vehicle.publish(target / "vehicle")
    event = event.changed(
        road=_keep(event.road, target) if event.road else "",
        wheel_roads=tuple(_keep(name, target) for name in event.wheel_roads),
    )
    data = {
        "jounce": jounce.__version__,
        "vehicle": str(main.resolve().relative_to(target.resolve())),
        "event": event.to_dict(),
        "step": parse(step, "s", "step"),
        "method": method,
        "interval": parse(interval, "s", "interval"),
    }
    from ruamel.yaml import YAML

    text = io.StringIO()
    YAML().dump(data, text)
    write_atomically(target / FILE, text.getvalue().encode())
    return target


def _keep(road: str, target: Path) -> str:
    """Copy a road file, with the path it follows, into the bundle; roads of the library stay names."""
    if road in library_roads():
        return road
    source = Path(road)
    if not source.is_file():
        raise FormatError(f"road {road!r}: no such file, and not in the library")
    place = target / "roads"
    place.mkdir(exist_ok=True)
    text = source.read_bytes()
    line = read_mapping(source, "expected a road").get("line") if source.suffix.lower() in (".yaml", ".yml") else None
    if isinstance(line, dict) and isinstance(line.get("path"), str):
        path = (source.parent / line["path"]).resolve()
        shutil.copy(path, place / path.name)
        text = text.replace(line["path"].encode(), path.name.encode())
    write_atomically(place / source.name, text)
    return f"roads/{source.name}"


def is_bundle(folder: str | Path) -> bool:
    """Whether a folder is a bundle."""
    return (Path(folder) / FILE).is_file()


def read_bundle(folder: str | Path) -> tuple[Vehicle, Event, dict[str, Any]]:
    """Vehicle, event and options of a bundle."""
    place = Path(folder)
    data = read_mapping(place / FILE, f"expected keys such as {', '.join(KEYS)}")
    missing = [key for key in KEYS if key not in data]
    if missing:
        raise FormatError(f"{place / FILE}: {missing[0]}: missing; expected {', '.join(KEYS)}")
    event = Event.from_dict(data["event"])
    roads = [
        str(place / name) if name and name not in library_roads() else name for name in (event.road, *event.wheel_roads)
    ]
    event = event.changed(road=roads[0], wheel_roads=tuple(roads[1:]))
    return load(place / data["vehicle"]), event, {key: data[key] for key in ("step", "method", "interval")}


def run_bundle(folder: str | Path, **options: Any) -> Run:
    """Run a bundle; options as for `jounce.events.engine.run`."""
    vehicle, event, own = read_bundle(folder)
    return run(vehicle, event, **{**own, **options})
