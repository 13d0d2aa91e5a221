"""What is allowed in a vehicle but looks unusual."""

from __future__ import annotations

from collections.abc import Iterator

from jounce.components.part import Part
from jounce.core.fields import Data
from jounce.vehicle.schema import Vehicle


def remarks(vehicle: Vehicle) -> list[str]:
    """Return a sentence for everything unusual, with its path."""
    found = [f"{'.'.join(part for part in (path, key) if part)}: {text}" for path, key, text in _walk(vehicle, "")]
    first = vehicle.layout.axles[0]
    if first.x != 0:
        path = "front_suspension" if vehicle.front_suspension is not None else "axles[0].suspension"
        text = "not 0; the vehicle reference frame begins at the front wheel centres"
        found.append(f"{path}.wheel_centre_x: {text}")
    return [*vehicle.doubts(), *found]


def _walk(data: Data, path: str) -> Iterator[tuple[str, str, str]]:
    """Remarks of a group and of all inside it; what differs on the right side speaks through the left one."""
    if isinstance(data, Part):
        for key, text in data.remarks():
            yield path, key, text
    for name in type(data).model_fields:
        value = getattr(data, name)
        inner = f"{path}.{name}" if path else name
        if name == "right":
            continue
        if isinstance(value, Data):
            yield from _walk(value, inner)
        elif isinstance(value, tuple):
            for i, item in enumerate(value):
                if isinstance(item, Data):
                    yield from _walk(item, f"{inner}[{i}]")
