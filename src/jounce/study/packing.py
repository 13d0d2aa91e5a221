"""Portable plans: one folder or one ``.zip`` with a plan and every file that its runs read.

    plan.yaml            the plan; its key ``files`` lists all files beside it
    vehicles/<name>/     the vehicles, published with what they refer to
    roads/1/, …          roads and paths that are not of the library
    tables/              tables of variations

Moved or sent, it runs to the same bits (`jounce.events.bundle` says what a road may take along).
"""

from __future__ import annotations

import contextlib
import copy
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError
from jounce.core.writing import write_atomically
from jounce.events.bundle import ENDING, FILES, Roads, names_in, opened, packed
from jounce.study.plan import Plan, free_name, label_of, slug
from jounce.vehicle.reading import find, read

MAIN = "plan.yaml"
OF_ROADS = ("road", "wheel_roads", "lap_path")


def pack(plan: Plan, target: str | Path) -> Path:
    """Write a portable plan; a name that ends in ``.zip`` makes one file. What is there must be a packed plan."""
    place = Path(target)
    single = place.suffix.lower() == ENDING
    if place.exists() and (single != place.is_file() or not (single or (place / MAIN).is_file())):
        raise FormatError(f"{place}: is there already and is no packed plan; choose another name")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as name:
            made = Path(name) / "plan"
            made.mkdir()
            _fill(plan, made)
            if single:
                return write_atomically(place, packed(made))
            if place.exists():
                place.rename(Path(name) / "before")
            made.rename(place)
    except OSError as problem:
        raise FormatError(f"{place}: cannot be written ({problem.strerror or problem})") from None
    return place


@contextlib.contextmanager
def unpacked(place: str | Path) -> Iterator[Plan]:
    """The plan of a file, of a folder with ``plan.yaml``, or of a packed one, while this lasts."""
    path = Path(place)
    if path.suffix.lower() == ENDING:
        with opened(path, MAIN) as folder:
            yield Plan.read(folder / MAIN)
    else:
        yield Plan.read(path / MAIN if path.is_dir() else path)


def _fill(plan: Plan, made: Path) -> None:
    document = copy.deepcopy(plan.document)
    roads = Roads(made, plan.folder)
    published: dict[str, str] = {}
    for entry in document.get("vehicles") or []:
        if isinstance(entry, Mapping):
            entry["vehicle"] = _vehicle(str(entry["vehicle"]), plan, made, published)  # type: ignore[index]
    vehicles = document.get("vehicles") or []
    for k, entry in enumerate(vehicles):
        if not isinstance(entry, Mapping):
            moved = _vehicle(str(entry), plan, made, published)
            vehicles[k] = entry if moved == str(entry) else {"name": label_of(str(entry)), "vehicle": moved}
    known = {str(v.get("name") or v["vehicle"]) if isinstance(v, Mapping) else label_of(str(v)) for v in vehicles}
    for k, entry in enumerate(document.get("events") or []):
        if isinstance(entry, Mapping):
            _event(document["events"][k], plan, made, roads, published, known)
    for entry in document.get("variations") or []:
        _variation(entry, plan, made, roads)
    document.pop(FILES, None)
    document[FILES] = names_in(made)
    write_atomically(made / MAIN, Plan(document, made / MAIN).text())
    Plan.read(made / MAIN)  # a packed plan that does not run is found here, not by whoever gets it


def _vehicle(source: str, plan: Plan, made: Path, published: dict[str, str]) -> str:
    """The name of a vehicle in a packed plan; those of the library stay as they are."""
    here = plan.folder / source
    if not here.exists() and len(Path(source).parts) == 1 and not Path(source).suffix:
        find(source)
        return source
    file = str(find(here if here.exists() else source))
    if file not in published:
        taken = {Path(place).parent.name for place in published.values()}
        folder = free_name(slug(label_of(source)) or "vehicle", taken)
        main = read(file).publish(made / "vehicles" / folder)
        published[file] = main.resolve().relative_to(made.resolve()).as_posix()
    return published[file]


def _event(entry: Any, plan: Plan, made: Path, roads: Roads, published: dict[str, str], known: set[str]) -> None:
    if entry.get("vehicle") is not None and str(entry["vehicle"]) not in known:
        before = str(entry["vehicle"])
        moved = _vehicle(before, plan, made, published)
        entry["vehicle"] = moved
    for key in OF_ROADS:
        if entry.get(key):
            entry[key] = _road(key, entry[key], plan, roads)


def _variation(entry: Any, plan: Plan, made: Path, roads: Roads) -> None:
    for key in OF_ROADS:
        name = f"event.{key}"
        if entry.get(name):
            entry[name] = _road(key, entry[name], plan, roads)
        grid = entry.get("grid")
        if isinstance(grid, Mapping) and name in grid:
            grid[name] = [_road(key, value, plan, roads) for value in grid[name]]  # type: ignore[index]
    if entry.get("table"):
        file = plan.folder / str(entry["table"])
        folder = made / "tables"
        folder.mkdir(exist_ok=True)
        target = folder / f"{len(list(folder.iterdir())) + 1}_{file.name}"
        shutil.copyfile(file, target)
        entry["table"] = target.relative_to(made).as_posix()


def _road(key: str, value: Any, plan: Plan, roads: Roads) -> Any:
    if isinstance(value, list):
        return [_road(key, item, plan, roads) for item in value]
    here = plan.folder / str(value)
    name = str(here) if here.is_file() else str(value)
    return roads.path(name) if key == "lap_path" else roads.road(name)
