"""Where a run comes from, in full: the data of its vehicle, tires and event, and what differs between runs.

``metadata["data"]`` holds them as packed text, since a vehicle has tens of thousands of numbers: JSON, compressed, in
base 64. `Run.data` is the same as mappings:

    vehicle      as a vehicle file has it, SI, by its paths; ``units`` has theirs
    tires        by wheel: model, numbers, curves
    event        as an event file has it
    parameters   numbers of the compiled model that were set beside

``metadata["hashes"]`` has a SHA-256 of each.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jounce.core.errors import FormatError
from jounce.core.references import FileReference
from jounce.results.display import value

if TYPE_CHECKING:
    from jounce.results.run import Run

MOST_BYTES = 200_000_000  # of the data of one run, unpacked
MOST_LABELLED = 2  # differences in a label
# metadata that differ from run to run anyway, and what the data say in full
OWN = ("timing.", "hashes.", "warnings", "label", "status", "reason", "kpis.", "statics.", "data",
       "trials", "before.", "decisive")  # fmt: skip
REPEATED = ("signals.", "vehicle.summary.", "vehicle.quantities.", "parameters.", "event.parameters.")
SAID = ("name", "description", "provenance.", "format")  # of a vehicle: words about it


@dataclass(frozen=True)
class Difference:
    """Something that is not the same in all runs: its path, and what it is in each, as text."""

    key: str
    values: tuple[str, ...]


def pack(data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """Data as text for the metadata, and a hash of each part."""
    parts = {key: json.dumps(item, sort_keys=True, default=_plain, ensure_ascii=False) for key, item in data.items()}
    hashes = {key: hashlib.sha256(text.encode()).hexdigest() for key, text in parts.items()}
    whole = "{" + ", ".join(f"{json.dumps(key)}: {text}" for key, text in parts.items()) + "}"
    return base64.b64encode(zlib.compress(whole.encode(), 1)).decode(), hashes


def _plain(item: Any) -> str:
    """What JSON does not know; a file by its name and content, since where it lies is nobody's business."""
    return f"{item.path.stem} {item.digest[:16]}" if isinstance(item, FileReference) else str(item)


def unpack(text: str) -> dict[str, Any]:
    """What `pack` packed."""
    try:
        machine = zlib.decompressobj()
        whole = machine.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if machine.unconsumed_tail or not machine.eof:
            raise ValueError
        found = json.loads(whole)
        if not isinstance(found, dict):
            raise TypeError
    except (binascii.Error, zlib.error, ValueError, TypeError, RecursionError):
        raise FormatError("the data of vehicle and event that the run carries are damaged") from None
    return found


def differences(runs: Sequence[Run]) -> list[Difference]:
    """What is not the same in all runs, vehicle first; nothing of what follows from it."""
    full = all(run.data for run in runs)
    flat = [{**(_of_data(run.data) if full else {}), **_of_metadata(run, full)} for run in runs]
    keys = list(dict.fromkeys(key for item in flat for key in item))
    found = {}
    for key in keys:
        values = [item.get(key) for item in flat]
        if any(item != values[0] for item in values[1:]):
            found[key] = tuple(_texts(values))
    return [Difference(key, values) for key, values in _gathered(found)]


def labels(runs: Sequence[Run]) -> list[str]:
    """Names for tables and legends: their own, or what differs, or letters."""
    names = [run.label for run in runs]
    if len(set(names)) == len(names):
        return names
    found = [item for item in differences(runs) if item.key != "version"]
    if found:
        short = [_short(item.key, [other.key for other in found]) for item in found[:MOST_LABELLED]]
        more = f", {len(found) - MOST_LABELLED} more" if len(found) > MOST_LABELLED else ""
        told = [
            ", ".join(f"{key} {item.values[k]}" for key, item in zip(short, found, strict=False)) + more
            for k in range(len(runs))
        ]
        named = [f"{name}, {text}" for name, text in zip(names, told, strict=True)] if len(set(names)) > 1 else told
        if len(set(named)) == len(named):
            return named
    return [f"{name} ({chr(65 + k)})" for k, name in enumerate(names)]


def _of_data(data: Mapping[str, Any]) -> dict[str, Any]:
    """All leaves with their units: paths of the vehicle as they are, others with a word before them."""
    units = data.get("units", {})
    result: dict[str, Any] = {}
    for key, item in leaves(data.get("vehicle", {})):
        if not key.startswith(SAID):
            result[key] = [item, units[key]] if key in units and not isinstance(item, list) else item
    for wheel, tire in data.get("tires", {}).items():
        result |= {f"tire {wheel}.{key}": item for key, item in leaves(tire)}
    for part in ("event", "parameters"):
        result |= {f"{part}.{key}": item for key, item in leaves(data.get(part, {}))}
    return result


def _of_metadata(run: Run, full: bool) -> dict[str, Any]:
    skipped = (*OWN, *REPEATED) if full else OWN
    found = {key: item for key, item in leaves(run.metadata) if not key.startswith(skipped)}
    if full:  # the event with its units is in the metadata, and without them in the data
        given = run.metadata.get("event")
        for key, item in (given.get("parameters", {}) if isinstance(given, dict) else {}).items():
            found[f"event.{key}"] = item
    return found


def leaves(item: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every leaf with its path; a list of numbers or words is one, a list of mappings is not."""
    if isinstance(item, Mapping):
        for key, part in item.items():
            yield from leaves(part, f"{path}.{key}" if path else str(key))
    elif isinstance(item, list) and any(isinstance(part, Mapping) for part in item):
        for k, part in enumerate(item):
            yield from leaves(part, f"{path}[{k}]")
    else:
        yield path, item


def _texts(values: Sequence[Any]) -> list[str]:
    """How the values of several runs are written; of long lists, by how much they differ from the first."""
    first = values[0]
    result = []
    for k, item in enumerate(values):
        if not isinstance(item, list) or len(item) <= 3:
            result.append(value(item, "engineering"))
        elif k == 0 or not isinstance(first, list) or len(first) != len(item):
            result.append(f"{len(item)} values")
        else:
            other = sum(a != b for a, b in zip(first, item, strict=True))
            result.append(f"{other} of {len(item)} values differ" if other else f"{len(item)} values")
    return result


def _gathered(found: Mapping[str, tuple[str, ...]]) -> list[tuple[str, tuple[str, ...]]]:
    """The same change of the tires of several wheels as one."""
    result: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for key, values in found.items():
        wheel, _, rest = key.partition(".")
        if wheel.startswith("tire "):
            result.setdefault((rest, values), []).append(wheel.removeprefix("tire "))
        else:
            result[(key, values)] = []
    return [(f"tire {', '.join(wheels)}.{key}" if wheels else key, values) for (key, values), wheels in result.items()]


def _short(key: str, others: Sequence[str]) -> str:
    """The end of a path that no other has."""
    parts = key.split(".")
    for n in range(min(2, len(parts)), len(parts)):
        end = ".".join(parts[-n:])
        if sum(other == end or other.endswith(f".{end}") for other in others) == 1:
            return end
    return key
