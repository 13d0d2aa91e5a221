"""Run bundles: a folder with everything a run needs, by relative references. Moved or sent, it runs to the same bits.

    bundle.yaml      event, step, method, interval, version, and a list of all files beside it
    vehicle/         the vehicle with all files it refers to
    roads/1/, …      one folder for each road or path that is not of the library, with the files that it names

A bundle holds what the readers of its roads and paths read, and nothing else. A file that a road names goes with it
when it lies in the folder of the road or below, links followed, or in the folder that the writer allows (``within``);
others are refused, so that a road from somebody else takes no private file along. Code of tires is not carried: it runs
only from folders that are trusted where the bundle is run.

A name that ends in ``.zip`` makes one file of it; every name in it lies inside, and nothing is there but what its list
says.

>>> write_bundle(load("sedan"), StepSteer(), "folder")
>>> run_bundle("folder")
>>> run_bundle(write_bundle(load("sedan"), StepSteer(), "one.zip"))
"""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import jounce
from jounce.core.errors import FormatError, ParameterError
from jounce.core.library import LIBRARY
from jounce.core.limits import MEGABYTE, Limits, read_bytes, reading
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
FILES = "files"  # key of the list of files; bundles of earlier versions have none
ENDING = ".zip"
LIMITS = Limits("a bundle in one file", 500 * MEGABYTE, nodes=10_000)  # nodes: files in it
UNPACKED = 2_000 * MEGABYTE  # bytes of all its files
WRITTEN = (1980, 1, 1, 0, 0, 0)  # date of all its files: equal bundles are equal files


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
    """Write a bundle and return its place; nothing is run.

    A bundle that was there is replaced; any other folder must be new or empty, and any other file is kept. ``within``
    is a folder whose files may go along where a road names them.
    """
    target = Path(folder)
    single = target.suffix.lower() == ENDING
    if target.exists() and not is_bundle(target) and (single or not target.is_dir() or any(target.iterdir())):
        raise FormatError(
            f"{target}: is there already and is no bundle; choose another {'name' if single else 'folder'}"
        )
    options = Options.of(step=step, method=method, interval=interval)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as name:
            made = Path(os.path.abspath(name)) / "bundle"  # as files that are read are noted
            made.mkdir()
            _fill(made, vehicle, event, options, None if within is None else Path(within))
            if single and not target.is_dir():
                write_atomically(target, packed(made))
                return target
            if target.exists():
                target.rename(Path(name) / "before")
            made.rename(target)
    except OSError as problem:
        raise FormatError(f"{target}: cannot be written ({problem.strerror or problem})") from None
    return target


def _fill(made: Path, vehicle: Vehicle, event: Event, options: Options, within: Path | None) -> None:
    """Put all files of a bundle into an empty folder."""
    from ruamel.yaml import YAML

    main = vehicle.publish(made / "vehicle")
    kept = Roads(made, within)
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
        "method": options.method,
        "interval": options.interval,
        FILES: names_in(made),
    }
    text = io.StringIO()
    YAML().dump(data, text)
    write_atomically(made / FILE, text.getvalue().encode())


def names_in(folder: Path) -> list[str]:
    """All files of a folder, by their names in it."""
    return sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())


def packed(folder: Path) -> bytes:
    """A folder as one file; the same bytes for the same content."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names_in(folder):
            archive.writestr(zipfile.ZipInfo(name, WRITTEN), (folder / name).read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


@contextmanager
def opened(place: str | Path, main: str = FILE) -> Iterator[Path]:
    """The folder of a bundle: itself, or, of one in a file, a folder that is there while this lasts.

    ``main`` is the file that lists the others, under the key ``files``.
    """
    if not os.path.isfile(place):
        yield Path(place)
        return
    with tempfile.TemporaryDirectory(prefix="jounce-bundle-") as name:
        folder = Path(name) / Path(place).name  # so that messages about its files name it
        with reading(place):
            _unpack(read_bytes(place, LIMITS), Path(place), folder, main)
        yield folder


def _unpack(raw: bytes, path: Path, target: Path, main: str) -> None:
    """Take a bundle in a file apart: only what lies inside of it, and not more than its limits."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check_entries(entries, path)
            for entry in entries:
                file = target / entry.filename
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(archive.read(entry))
    # what the reader of the standard library raises for damage of every kind
    except (
        zipfile.BadZipFile,
        zlib.error,
        NotImplementedError,
        RuntimeError,
        EOFError,
        ValueError,
        OSError,
    ) as problem:
        raise FormatError(f"{path}: no bundle in one file ({problem})") from None
    if not (target / main).is_file():
        made = "write_bundle or --files-only" if main == FILE else "jounce plan pack"
        raise FormatError(f"{path}: holds no {main}; a bundle in one file is made by {made}")
    listed = read_mapping(target / main, f"expected the key {FILES!r}").get(FILES)
    if not isinstance(listed, list):
        raise FormatError(f"{path}: {main}: {FILES}: found {listed!r}; expected the list of its files")
    further = sorted(set(names_in(target)) - {main, *map(str, listed)})
    if further:
        raise FormatError(f"{path}: holds {further[0]!r}, which its list of files does not name")


def _check_entries(entries: Sequence[zipfile.ZipInfo], path: Path) -> None:
    if len(entries) > LIMITS.nodes:
        raise FormatError(f"{path}: holds {len(entries)} files; {LIMITS.what} has at most {LIMITS.nodes}")
    if sum(entry.file_size for entry in entries) > UNPACKED:
        raise FormatError(f"{path}: its files would take more than {UNPACKED / MEGABYTE:g} MB")
    seen: set[str] = set()
    for entry in entries:
        name = PurePosixPath(entry.filename)
        outside = name.is_absolute() or ".." in name.parts or "\\" in entry.filename or ":" in entry.filename
        if outside or not name.parts or not entry.filename.isprintable():
            raise FormatError(f"{path}: {entry.filename!r} lies outside of the bundle")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise FormatError(f"{path}: {entry.filename!r} is a link; a bundle holds files only")
        if str(name).casefold() in seen:
            raise FormatError(f"{path}: holds {entry.filename!r} twice")
        seen.add(str(name).casefold())


class Roads:
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


def is_bundle(place: str | Path) -> bool:
    """Whether a folder is a bundle, or a file is one by its name and its directory of files."""
    path = Path(place)
    if path.suffix.lower() != ENDING or not path.is_file():
        return (path / FILE).is_file()
    try:
        with zipfile.ZipFile(path) as archive:
            return FILE in archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
        return False


def read_bundle(folder: str | Path) -> tuple[Vehicle, Event, dict[str, Any]]:
    """Vehicle, event and options of a bundle; of one in a file, within ``opened``."""
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

    listed = data.get(FILES, [])
    if not isinstance(listed, list):
        raise FormatError(f"{file}: {FILES}: found {listed!r}; expected the list of its files")
    for name in listed:
        _inside(place, FILES, name)

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
    """Run a bundle, a folder or one file; options as for `jounce.events.engine.run`."""
    with opened(folder) as place:
        vehicle, event, own = read_bundle(place)
        return run(vehicle, event, **{**own, **options})
