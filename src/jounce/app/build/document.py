"""Vehicles that are open: where they were read from, and what was changed since, step by step.

A step is what ``Vehicle.with_`` takes: paths with values as in a file. Steps are plain data, so a document goes into
the session as it is, and into a run as what it was changed by; undo and redo move within them. All tabs show the same
documents; ``revision`` tells them to look again.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jounce.core.errors import JounceError, ParameterError
from jounce.core.fields import to_raw
from jounce.core.reads import only_from

if TYPE_CHECKING:
    from jounce.app.workbench import Workbench
    from jounce.vehicle.schema import Difference, Vehicle

STEPS = 1000  # that are kept; what was before them becomes one
_NAME = re.compile(r"[\w][\w .()+-]{0,79}")


class Document:
    """One vehicle.

    Attributes
    ----------
    id : by which it is asked for
    source : name of a vehicle of the library, or its file or folder
    clone : name of a copy that has no files of its own yet; "" of what was opened
    steps : changes since it was read
    position : how many of them hold; those after it can be done again
    revision : changes with every change
    problem : why it cannot be shown, "" where it can
    """

    def __init__(self, workbench: Workbench, data: Mapping[str, Any]) -> None:
        self.workbench = workbench
        self.id, self.source, self.clone = str(data["id"]), str(data["source"]), str(data.get("clone", ""))
        self.steps: list[dict[str, Any]] = [dict(step) for step in data.get("steps", ())]
        self.position = min(int(data.get("position", len(self.steps))), len(self.steps))
        self.revision = 0
        self.problem = ""
        self._label = str(data.get("label", ""))
        self._lock = threading.RLock()
        self._original: Vehicle | None = None
        self._vehicles: dict[int, Vehicle] = {}
        self._stamps: dict[Path, int] = {}

    def to_dict(self) -> dict[str, Any]:
        """What the session keeps."""
        return {
            "id": self.id,
            "source": self.source,
            "clone": self.clone,
            "label": self.label,
            "steps": self.steps,
            "position": self.position,
        }

    # --- what it is -------------------------------------------------------------------------------------------------

    @property
    def label(self) -> str:
        """Its name in lists."""
        return self.clone or self._label or self.source.rstrip("/").rpartition("/")[2]

    @property
    def original(self) -> Vehicle:
        """As it was read."""
        with self._lock:
            if self._original is None:
                from jounce.vehicle.reading import read

                place = self.workbench.documents.place(self.source)
                with only_from(self.workbench.folders.paths):
                    self._original = read(place)
                self._label = self._original.name or self.label
                self._stamps = self._now()
            return self._original

    @property
    def vehicle(self) -> Vehicle:
        """As it is now."""
        with self._lock:
            return self._at(self.position)

    def _at(self, position: int) -> Vehicle:
        if position == 0:
            return self.original
        if position not in self._vehicles:
            before = self._vehicles.get(position - 1)
            with only_from(self.workbench.folders.paths):
                if before is not None or position == 1:
                    found = (before or self.original).with_(**self.steps[position - 1])
                else:
                    found = self._replayed(position)
            if len(self._vehicles) > 40:
                self._vehicles.clear()
            self._vehicles[position] = found
        return self._vehicles[position]

    def _replayed(self, position: int) -> Vehicle:
        """After a restart: all steps in one go where that means the same, else one after the other."""
        try:
            return self.original.with_(**merged(self.steps[:position]))
        except JounceError:
            found = self.original
            for step in self.steps[:position]:
                found = found.with_(**step)
            return found

    @property
    def dirty(self) -> bool:
        """Whether it has what its files do not have."""
        return self.position > 0 or bool(self.clone)

    @property
    def writable(self) -> bool:
        """Whether `save` may write to the files it was read from."""
        if self.clone:
            return False
        try:
            self.workbench.folders.resolve(str(self.workbench.documents.place(self.source)), write=True)
        except JounceError:
            return False
        return True

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return self.position > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to do again."""
        return self.position < len(self.steps)

    def differences(self) -> list[Difference]:
        """What differs from what was read."""
        return self.original.diff(self.vehicle)

    def request(self) -> dict[str, Any]:
        """The vehicle of a run, as `Jobs.submit` takes it: what it is now, whatever is changed later."""
        with self._lock:
            steps = self.steps[: self.position]
            shown = {item.path: short(item.theirs, item.unit) for item in self.differences()}
            return {
                "name": self.label,
                "source": str(self.workbench.documents.place(self.source)),
                "steps": [dict(step) for step in steps],
                "changes": shown,
            }

    # --- changes ----------------------------------------------------------------------------------------------------

    def tried(self, changes: Mapping[str, Any]) -> tuple[Vehicle, list[str]]:
        """The vehicle with some changes, and what would be doubted about it that is not now; nothing is changed.

        Raises
        ------
        ParameterError
            A value that is refused, with the reason alone.
        """
        from jounce.vehicle.plausible import doubts_of

        now = self.vehicle
        with only_from(self.workbench.folders.paths):
            try:
                found = now.with_(**dict(changes))
            except ParameterError as problem:
                raise ParameterError(reason(problem, changes)) from None
        known = {str(item) for item in doubts_of(now)}
        return found, [str(item) for item in doubts_of(found) if str(item) not in known]

    def change(self, changes: Mapping[str, Any]) -> list[str]:
        """Take one more step; returns what is doubted about it. A refused one leaves everything as it was."""
        with self._lock:
            found, doubts = self.tried(changes)
            if found == self.vehicle:
                return doubts
            del self.steps[self.position :]
            for k in [k for k in self._vehicles if k > self.position]:
                del self._vehicles[k]
            self.steps.append(dict(changes))
            if len(self.steps) > STEPS:
                self._vehicles.clear()
                self.steps[:2] = [merged(self.steps[:2])]
            self.position = len(self.steps)
            self._vehicles[self.position] = found
            self._changed()
            return doubts

    def undo(self) -> None:
        """Take the last step back."""
        with self._lock:
            if self.can_undo:
                self.position -= 1
                self._changed()

    def redo(self) -> None:
        """Do again what was taken back."""
        with self._lock:
            if self.can_redo:
                self._at(self.position + 1)
                self.position += 1
                self._changed()

    def reset(self, path: str) -> None:
        """Make what stands at a path as it was read, as one more step."""
        from jounce.vehicle.editing import get

        try:
            value = to_raw(get(self.original, path))
        except ParameterError:
            value = None
        self.change({path: value})

    # --- files ------------------------------------------------------------------------------------------------------

    def save(self) -> Path:
        """Write the changes into the files it was read from, which keep their comments; the steps are then over."""
        with self._lock:
            if self.clone or not self.writable:
                raise ParameterError(f"{self.label}: has no files that may be written; save it under a name of its own")
            changed = [path for path, stamp in self._now().items() if self._stamps.get(path) != stamp]
            if changed:
                names = ", ".join(path.name for path in changed)
                raise ParameterError(f"{names}: changed on disk since it was read; reload, or save under another name")
            file = self.vehicle.save()
            self._read_again(str(self.workbench.documents.place(self.source)), "")
            return file

    def save_as(self, name: str, folder: str = "") -> Path:
        """Write it as a vehicle of its own, ``folder/name``, which it is from then on; nothing there is overwritten."""
        with self._lock:
            place = self.workbench.documents.free_place(name, folder)
            self.vehicle.clone(name.strip(), place)
            self._read_again(str(place), "")
            return place

    def reload(self) -> None:
        """Read its files again; changes since are dropped."""
        with self._lock:
            self._read_again(self.source, self.clone)

    def _read_again(self, source: str, clone: str) -> None:
        before = self._original
        self._original = None
        old, self.source = self.source, source
        try:
            _ = self.original
        except JounceError:
            self._original, self.source = before, old
            raise
        self.clone, self.steps, self.position = clone, [], 0
        self._vehicles.clear()
        self._changed()

    def _now(self) -> dict[Path, int]:
        source = self._original._source if self._original is not None else None
        files = {item.path for item in source.files} if source is not None else set()
        return {path: path.stat().st_mtime_ns for path in files if path.exists()}

    def _changed(self) -> None:
        self.revision += 1
        self.workbench.documents.changed()


class Documents:
    """All open vehicles, kept in the session.

    Attributes
    ----------
    revision : changes with every change of any of them
    """

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self.revision = 0
        self._lock = threading.RLock()
        self._all: dict[str, Document] = {}
        self.restore()

    def restore(self) -> None:
        """Take those of the session."""
        self._all = {}
        for item in self.workbench.session.data["documents"]:
            try:
                found = Document(self.workbench, item)
            except (KeyError, TypeError, ValueError):
                self.workbench.log.add("warning", "an open vehicle of the last session cannot be read", "session")
                continue
            self._all[found.id] = found
        self.revision += 1

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._all.values()))

    def __len__(self) -> int:
        return len(self._all)

    def get(self, id: str) -> Document:
        """One of them."""
        if id not in self._all:
            raise ParameterError(f"document {id!r}: not known")
        return self._all[id]

    def open(self, source: str) -> Document:
        """Open a vehicle: a name of the library, or a place in a registered folder. One that is open already is it."""
        place = self.place(source)
        for known in self:
            if not known.clone and self.place(known.source) == place:
                return known
        known_names = self.workbench.folders.vehicles()
        text = next((name for name, path in known_names.items() if path == place), self.workbench.folders.shown(place))
        return self._put({"source": text})

    def duplicate(self, id: str, name: str = "") -> Document:
        """A copy of an open vehicle, changes and all, under another name; it has no files until it is saved."""
        origin = self.get(id)
        wanted = checked_name(name) if name else self._free(f"{origin.label} copy")
        return self._put({**origin.to_dict(), "clone": wanted})

    def close(self, id: str) -> None:
        """Close one; changes that were not saved are gone."""
        with self._lock:
            self.get(id)
            del self._all[id]
        self.changed()

    def changed(self) -> None:
        """Write them into the session."""
        with self._lock:
            self.revision += 1
            self.workbench.session.data["documents"] = [item.to_dict() for item in self]
            self.workbench.session.changed()

    def place(self, source: str) -> Path:
        """The file or folder of a vehicle, within the registered folders."""
        known = self.workbench.folders.vehicles() if "/" not in source else {}
        return known[source] if source in known else self.workbench.folders.resolve(source)

    def free_place(self, name: str, folder: str = "") -> Path:
        """Where a new vehicle goes: a folder that is not there yet."""
        stem = re.sub(r"[^\w.-]+", "_", checked_name(name).lower()).strip("._") or "vehicle"
        home = folder.strip() or f"{self.workbench.folders.main_alias}/vehicles"
        place = self.workbench.folders.resolve(f"{home}/{stem}", write=True)
        if place.exists():
            raise ParameterError(f"{self.workbench.folders.shown(place)}: is there already; choose another name")
        place.parent.mkdir(parents=True, exist_ok=True)
        return place

    def _put(self, data: dict[str, Any]) -> Document:
        with self._lock:
            number = 1 + max((int(id[1:]) for id in self._all if id[1:].isdigit()), default=0)
            found = Document(self.workbench, {**data, "id": f"v{number}"})
            _ = found.vehicle  # refused now, not later
            self._all[found.id] = found
        self.changed()
        return found

    def _free(self, name: str) -> str:
        taken = {item.label for item in self}
        found, n = name, 2
        while found in taken:
            found, n = f"{name} {n}", n + 1
        return found


def checked_name(name: str) -> str:
    """A name of a vehicle, or why it is none."""
    text = name.strip()
    if not _NAME.fullmatch(text):
        raise ParameterError(f"name {name!r}: letters, digits, spaces and . ( ) + - _ only, at most 80, and not empty")
    return text


def merged(steps: list[dict[str, Any]]) -> dict[str, Any]:
    """Steps as one: what a later one says of the same path replaces what an earlier one said."""
    found: dict[str, Any] = {}
    for step in steps:
        for path, value in step.items():
            found.pop(path, None)
            found[path] = value
    return found


def reason(problem: ParameterError, changes: Mapping[str, Any]) -> str:
    """The message of `Vehicle.with_` without its head, and without the path where there is one only."""
    lines = [line.strip() for line in str(problem).splitlines()[1:]] or [str(problem)]
    if len(lines) == 1 and len(changes) == 1:
        (path,) = changes
        found = re.fullmatch(re.escape(path) + r"(?: = .*?)?: (.*)", lines[0], re.DOTALL)
        return found[1] if found else lines[0]
    return "\n".join(lines)


def short(value: Any, unit: str) -> str:
    """A value for people: in the units of the trade, a table by its size."""
    from jounce.app.build.values import number_text, usual_unit
    from jounce.core.curves import Curve

    if value is None:
        return "none"
    if isinstance(value, Curve):
        if value.constant is None:
            return f"table, {' × '.join(str(len(axis)) for axis in (value.x, value.z) if axis)} points"
        value, unit = value.constant, value.units.of_constant
    if isinstance(value, bool) or not isinstance(value, float | int):
        return str(value)
    shown = usual_unit(unit) if unit else ""
    return f"{number_text(float(value), unit, shown)} {shown}".strip().removesuffix(" -") if unit else f"{value:g}"
