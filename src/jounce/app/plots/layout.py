"""Layouts of plots: pages of panels that name channels, as plain data, for any run.

    {"format": "jounce-layout-1", "name": "My pages",
     "pages": [{"title": "Vehicle", "columns": 2, "panels": [{"title": "", "x": "", "y": ["signal:yaw_rate"]}]}]}

A layout names channels, patterns and signals, and no run, so that it fits the next run as well.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jounce.core.errors import FormatError
from jounce.core.limits import Limits, parse_json, read_bytes
from jounce.core.writing import write_atomically
from jounce.results.catalogue import spelling
from jounce.results.run import SIGNALS

FORMAT = "jounce-layout-1"
SIGNAL = "signal:"
LIMITS = Limits("a layout of plots", size=5_000_000)
MOST_CURVES = 64  # that a pattern stands for in one plot


def panel(*y: str, x: str = "", title: str = "", **more: Any) -> dict[str, Any]:
    """A panel."""
    return {"title": title, "x": x, "y": list(y), **more}


def _signals(*names: str) -> list[dict[str, Any]]:
    return [panel(SIGNAL + name) for name in names]


USUAL: list[dict[str, Any]] = [
    {
        "title": "Vehicle",
        "panels": [
            *_signals("steering", "lateral_acceleration", "yaw_rate"),
            panel(SIGNAL + "speed", "driver_demands.target_speed", title="Speed"),
            *_signals("roll", "side_slip"),
        ],
    },
    {
        "title": "Driver",
        "panels": [
            *_signals("steering", "throttle", "brake"),
            *_signals("hand_torque"),
            panel(SIGNAL + "forward_speed", "*.gear"),
            panel(SIGNAL + "longitudinal_acceleration"),
        ],
    },
    {
        "title": "Tires",
        "panels": [
            panel("Tire.Ground_Surface_Force_Z.*", title="Wheel loads"),
            panel("Tire.Ground_Surface_Force_Y.*", title="Lateral forces"),
            panel("Tire.Lateral_Slip_Without_Lag.*", title="Lateral slip"),
            panel("Tire.Longitudinal_Slip_Without_Lag.*", title="Longitudinal slip"),
        ],
    },
    {
        "title": "Suspension",
        "panels": [
            panel("Suspension.Jounce.*", title="Wheel travel"),
            panel("wheel_angles.camber_*", title="Camber"),
            *_signals("roll", "pitch"),
        ],
    },
    {
        "title": "Handling",
        "panels": [
            panel(SIGNAL + "lateral_acceleration", x=SIGNAL + "steering"),
            panel(SIGNAL + "yaw_rate", x=SIGNAL + "steering"),
            panel(SIGNAL + "roll", x=SIGNAL + "lateral_acceleration"),
            panel(SIGNAL + "y", x=SIGNAL + "x", title="Path", equal=True),
        ],
    },
]
LIVE = [
    *_signals("steering", "lateral_acceleration", "yaw_rate", "speed"),
    panel("Tire.Ground_Surface_Force_Z.*", title="Wheel loads"),
]
"""What is watched while a run goes on."""


def usual() -> list[dict[str, Any]]:
    """The pages that a run is shown with when nobody chose others."""
    copied: list[dict[str, Any]] = json.loads(json.dumps(USUAL))
    return copied


def resolve(names: Sequence[str], asked: str, own: Mapping[str, str] | None = None) -> list[str]:
    """The channels that a name, a pattern or a signal stands for; none where the run has none.

    Parameters
    ----------
    names : channels of the run
    own : signals of this run that are told by other channels than usually (``metadata["signals"]``)
    """
    if asked.startswith(SIGNAL):
        signal = asked.removeprefix(SIGNAL)
        wanted: Iterable[str] = ((own or {}).get(signal, ""), *SIGNALS.get(signal, ()))
        found = next((name for one in wanted if one for name in _named(names, one)), None)
        return [found] if found else []
    if any(c in asked for c in "*?["):
        return matching(names, asked)[:MOST_CURVES]
    return _named(names, asked)


def matching(names: Iterable[str], pattern: str) -> list[str]:
    """Channels that match a shell pattern in any letter case."""
    wanted = pattern.casefold()
    return [name for name in names if fnmatch.fnmatchcase(name.casefold(), wanted)]


def _named(names: Sequence[str], asked: str) -> list[str]:
    if asked in names:
        return [asked]
    wanted = spelling(asked)
    return [name for name in names if spelling(name) == wanted][:1]


def checked(data: Any, where: str = "layout") -> list[dict[str, Any]]:
    """The pages of a layout; FormatError with the place where it is none."""
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise FormatError(f"{where}: not a layout of plots; expected 'format': {FORMAT!r}")
    pages = data.get("pages")
    if not isinstance(pages, list):
        raise FormatError(f"{where}: pages: expected a list")
    found = []
    for number, page in enumerate(pages, 1):
        here = f"{where}: page {number}"
        if not isinstance(page, Mapping) or not isinstance(page.get("panels"), list):
            raise FormatError(f"{here}: expected 'title' and 'panels'")
        panels = []
        for k, item in enumerate(page["panels"], 1):
            y = item.get("y") if isinstance(item, Mapping) else None
            if not isinstance(y, list) or not all(isinstance(name, str) for name in y):
                raise FormatError(f"{here}: panel {k}: y: expected a list of channels")
            more = {"equal": True} if item.get("equal") else {}
            panels.append(panel(*y, x=str(item.get("x", "")), title=str(item.get("title", "")), **more))
        columns = page.get("columns", 0)
        if not isinstance(columns, int) or not 0 <= columns <= 6:
            raise FormatError(f"{here}: columns: found {columns!r}, expected 0 to 6")
        found.append({"title": str(page.get("title", f"Page {number}")), "columns": columns, "panels": panels})
    return found


def read(file: Path) -> tuple[str, list[dict[str, Any]]]:
    """Name and pages of a layout file."""
    try:
        data = parse_json(read_bytes(file, LIMITS), str(file))
    except ValueError as problem:
        raise FormatError(f"{file}: not a layout of plots ({problem})") from None
    pages = checked(data, str(file))
    return str(data.get("name") or file.stem), pages


def write(file: Path, name: str, pages: Sequence[Mapping[str, Any]]) -> Path:
    """Write a layout file."""
    data = {"format": FORMAT, "name": name, "pages": checked({"format": FORMAT, "pages": list(pages)})}
    file.parent.mkdir(parents=True, exist_ok=True)
    return write_atomically(file, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
