"""Run bundles: a folder with everything a run needs, by relative references. Moved or sent, it runs to the same bits.

    bundle.yaml      event, step, method, interval, version
    vehicle/         the vehicle with all files it refers to
    roads/1/, …      one folder for each road or path that is not of the library, with the files that it names

A bundle holds what the readers of its roads and paths read, and nothing else. A file that a road names goes with it
when it lies in the folder of the road or below, links followed, or in the folder that the writer allows (``within``);
others are refused, so that a road from somebody else takes no private file along. Code of tires is not carried: it runs
only from folders that are trusted where the bundle is run.

>>> write_bundle(load("sedan"), StepSteer(), "folder")
>>> run_bundle("folder")
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Callable, Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jounce
from jounce.core.errors import FormatError, ParameterError
from jounce.core.library import LIBRARY
from jounce.core.reads import files_read
from jounce.core.writing import write_atomically
from jounce.core.yaml_files import read_mapping
from jounce.events.base import Event
from jounce.events.engine import run
from jounce.events.options import INTERVAL, Options
from jounce.files.roads import library_paths, library_roads, load_path, read_road
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
    within: str | Path | None = None,
) -> Path:
    """Write a bundle and return its folder; nothing is run.

    A bundle that was there is replaced; any other folder must be new or empty. ``within`` is a folder whose files may
    go along where a road names them.
    """
    target = Path(folder)
    if target.exists() and not is_bundle(target) and (not target.is_dir() or any(target.iterdir())):
        raise FormatError(f"{target}: is there already and is no bundle; choose another folder")
    options = Options.of(step=step, method=method, interval=interval)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as name:
            made = Path(name) / "bundle"
            made.mkdir()
            main = vehicle.publish(made / "vehicle")
            kept = _Roads(made, None if within is None else Path(within))
            event = event.changed(
                road=kept.road(event.road),
                wheel_roads=tuple(kept.road(item) for item in event.wheel_roads),
                lap_path=kept.path(event.lap_path),
            )
            data = {
                "jounce": jounce.__version__,
                "vehicle": str(main.resolve().relative_to(made.resolve())),
                "event": event.to_dict(),
                "step": options.step,
                "method": method,
                "interval": options.interval,
            }
            from ruamel.yaml import YAML

            text = io.StringIO()
            YAML().dump(data, text)
            write_atomically(made / FILE, text.getvalue().encode())
            if target.exists():
                target.rename(Path(name) / "before")
            made.rename(target)
    except OSError as problem:
        raise FormatError(f"{target}: cannot be written ({problem.strerror or problem})") from None
    return target


class _Roads:
    """The roads and paths of a bundle, each once, each in a folder of its own."""

    def __init__(self, bundle: Path, within: Path | None) -> None:
        self._bundle, self._within = bundle, within
        self._places: dict[Path, str] = {}

    def road(self, name: str) -> str:
        """The name of a road in the bundle; those of the library stay as they are."""
        return name if not name or name in library_roads() else self._keep(name, "road", read_road)

    def path(self, name: str) -> str:
        """The name of a path in the bundle; that of the road's own line stays."""
        return name if name in ("", "road") or name in library_paths() else self._keep(name, "path", load_path)

    def _keep(self, name: str, what: str, read: Callable[[str], Any]) -> str:
        main = Path(os.path.abspath(name))
        if main not in self._places:
            if not main.is_file():
                raise FormatError(f"{what} {name!r}: no such file, and not in the library")
            with files_read() as noted:
                read(name)
            files = [file for file in dict.fromkeys([main, *noted]) if not file.is_relative_to(LIBRARY)]
            self._check(files, what, name)
            root = Path(os.path.commonpath([file.parent for file in files]))
            place = self._bundle / "roads" / str(len(self._places) + 1)
            for file in files:
                copy = place / file.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, copy)
            self._places[main] = (place / main.relative_to(root)).relative_to(self._bundle).as_posix()
            with files_read() as noted:
                read(str(self._bundle / self._places[main]))
            astray = [f for f in noted if not f.is_relative_to(self._bundle) and not f.is_relative_to(LIBRARY)]
            if astray:
                raise FormatError(
                    f"{what} {name!r}: names {str(astray[0])!r} by a path that cannot be moved; name it relative to "
                    "the folder of the file that names it"
                )
        return self._places[main]

    def _check(self, files: Sequence[Path], what: str, name: str) -> None:
        """Refuse files outside of the folders that may go along."""
        allowed = [files[0].parent.resolve(), *([self._within.resolve()] if self._within is not None else [])]
        for file in files[1:]:
            if not any(file.resolve().is_relative_to(folder) for folder in allowed):
                raise FormatError(
                    f"{what} {name!r}: names the file {str(file)!r}, which is not below {str(files[0].parent)!r}; a "
                    "bundle takes files from the folder of the road only: put it there, or allow its folder, within="
                )


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
    file = place / FILE
    if not isinstance(data["event"], Mapping):
        raise FormatError(f"{file}: event: found {data['event']!r}; expected a mapping with the key 'event'")
    try:
        event = Event.from_dict(data["event"])
        Options.of(step=data["step"], method=data["method"], interval=data["interval"])
    except ParameterError as problem:
        raise FormatError(f"{file}: {problem}") from None

    def road(key: str, name: str, known: Container[str]) -> str:
        return name if not name or name in known else str(_inside(place, f"event.{key}", name))

    event = event.changed(
        road=road("road", event.road, library_roads()),
        wheel_roads=tuple(road("wheel_roads", name, library_roads()) for name in event.wheel_roads),
        lap_path=road("lap_path", event.lap_path, {"road", *library_paths()}),
    )
    vehicle = load(_inside(place, "vehicle", data["vehicle"]))
    return vehicle, event, {key: data[key] for key in ("step", "method", "interval")}


def _inside(bundle: Path, key: str, name: Any) -> Path:
    """A file of a bundle by its name there."""
    if not isinstance(name, str) or not name:
        raise FormatError(f"{bundle / FILE}: {key}: found {name!r}; expected the name of a file in the bundle")
    place = bundle / name
    if not place.resolve().is_relative_to(bundle.resolve()):
        raise FormatError(f"{bundle / FILE}: {key}: {name!r} lies outside of the bundle")
    if not place.exists():
        raise FormatError(f"{bundle / FILE}: {key}: {name!r} is not in the bundle")
    return place


def run_bundle(folder: str | Path, **options: Any) -> Run:
    """Run a bundle; options as for `jounce.events.engine.run`."""
    vehicle, event, own = read_bundle(folder)
    return run(vehicle, event, **{**own, **options})
