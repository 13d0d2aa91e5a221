"""Routes of the plots: channels of a run with what a plot writes beside them, and those of a run that goes on."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response, WebSocket, WebSocketDisconnect

from jounce.app import frames
from jounce.app.frames import Array
from jounce.app.plots.layout import SIGNAL, resolve
from jounce.core.errors import JounceError
from jounce.results import words
from jounce.results.catalogue import catalogue
from jounce.results.display import shown
from jounce.results.panels import LEAST

if TYPE_CHECKING:
    from jounce.app.runs import StoredRun
    from jounce.app.workbench import Workbench

EXACT = 1_000_000  # numbers of a frame up to which nothing is thinned
POINTS = 4000
TICK = 0.04  # s between two looks at the rows of a run that goes on
WHEEL = re.compile(r"[.:_]([LR]\d+(?:_twin)?)$")
UNIT = re.compile(r"unit(\d+)\.")
SIZES = {"m/s": 30.0, "N": 1e3}  # sizes that are expected of a run that goes on, in their units; of others 0
FAR = 100.0  # m, of places in the world


def router(workbench: Workbench) -> APIRouter:
    """What `jounce.app.pages` mounts."""
    routes = APIRouter(prefix="/plots")
    runs = workbench.runs

    async def frame(
        id: str,
        channel: Annotated[list[str], Query()],
        start: float = -math.inf,
        end: float = math.inf,
        points: Annotated[int, Query(ge=4, le=10_000_000)] = POINTS,
        paired: bool = False,
    ) -> Response:
        """Channels, patterns and signals (``signal:yaw_rate``) of a run as one binary frame, with unit, title and size.

        What a run has not is left out. More than ``points`` rows are told by extremes, or, ``paired``, by every so
        manieth row.
        """
        data = await asyncio.to_thread(frame_of, runs.get(id), channel, start, end, points, paired)
        return Response(data, media_type="application/octet-stream")

    async def live(socket: WebSocket, id: str) -> None:
        """The rows of a run that goes on: first what is known of the channels, then frames, then what became of it."""
        await socket.accept()
        try:
            await _stream(socket, id, socket.query_params.getlist("channel"))
        except WebSocketDisconnect:
            return
        except JounceError as problem:
            await socket.send_json({"status": "failed", "reason": str(problem)})
        await socket.close()

    async def _stream(socket: WebSocket, id: str, asked: list[str]) -> None:
        runs.info(id)
        rows, sent, columns = runs.live(id), 0, None
        while True:
            job = workbench.jobs.find(id)
            fresh = await asyncio.to_thread(rows.read, sent)
            if len(fresh):
                if columns is None:
                    names = rows.names
                    groups = {one: resolve(names, one) for one in asked}
                    wanted = list(dict.fromkeys(name for found in groups.values() for name in found))
                    columns = {name: 1 + names.index(name) for name in wanted}
                    told = {name: about(name, rows.units[name], _expected(name, rows.units[name])) for name in wanted}
                    await socket.send_json({"groups": groups, "titles": titles(groups), "about": told})
                sent += len(fresh)
                data = {"time": fresh[:, 0], **{name: fresh[:, k] for name, k in columns.items()}}
                await socket.send_bytes(frames.pack(data, first=sent - len(fresh)))
            elif job is None:
                info = runs.info(id)
                await socket.send_json({"status": info.status, "reason": info.reason})
                return
            await asyncio.sleep(TICK)

    routes.add_api_route("/{id}/frame", frame)
    routes.add_api_websocket_route("/{id}/live", live)
    return routes


def frame_of(
    stored: StoredRun,
    asked: Sequence[str],
    start: float = -math.inf,
    end: float = math.inf,
    points: int = POINTS,
    paired: bool = False,
) -> bytes:
    """Channels of a run between two instants, with what a plot writes beside them."""
    names = stored.names
    own = _own_signals(stored, asked)
    groups = {one: resolve(names, one, own) for one in asked}
    wanted = list(dict.fromkeys(name for found in groups.values() for name in found))
    stored.load(("time", *wanted))
    time: Array = stored.time
    low, high = int(np.searchsorted(time, start, "left")), int(np.searchsorted(time, end, "right"))
    low, high = max(0, low - 1), min(len(time), high + 1)  # lines go to the edges of a plot
    rows = time[low:high]
    columns = [stored.channel(name)[low:high] for name in wanted]
    told = {name: about(name, stored.units[name], stored.size(name)) for name in wanted}
    if len(rows) * (1 + len(wanted)) <= EXACT:
        points = max(points, len(rows))
    if paired:
        kept = slice(None) if len(rows) <= points else np.unique(np.linspace(0, len(rows) - 1, points).astype(int))
        instants, values = rows[kept], [column[kept] for column in columns]
    else:
        instants, values = frames.extremes(rows, columns, points)
    head = {
        "groups": groups,
        "titles": titles(groups),
        "about": told,
        "exact": len(instants) == len(rows),
        "run": stored.id,
    }
    return frames.pack({"time": instants, **dict(zip(wanted, values, strict=True))}, **head)


def _own_signals(stored: StoredRun, asked: Sequence[str]) -> Mapping[str, str]:
    if not any(one.startswith(SIGNAL) for one in asked):
        return {}
    return stored.signals


def about(name: str, unit: str, size: float) -> dict[str, Any]:
    """What a plot writes beside a channel: unit on display, title, wheel."""
    scale = shown(unit, "engineering", size)
    wheel = WHEEL.search(name)
    label = wheel[1] if wheel else ""
    unit_of = UNIT.match(name)
    title = words.channel(name, _described(name, wheel, unit_of)).rpartition(" · ")[0]
    if unit_of:
        title = f"Unit {unit_of[1]}: {title[:1].lower()}{title[1:]}"
    return {
        "unit": unit,
        "size": size if math.isfinite(size) else 0.0,
        "title": title.removesuffix(f", {label}") if label else title,
        "wheel": label,
        "shown": {
            "label": scale.label,
            "factor": scale.factor,
            "offset": scale.offset,
            "least": LEAST.get(scale.label, 0.0),
        },
    }


def _described(name: str, wheel: re.Match[str] | None, unit: re.Match[str] | None) -> str:
    """What the catalogue says of a channel; of further wheels and units what it says of the first."""
    known = catalogue()
    stem = name[unit.end() :] if unit else name
    first = f"{name[: wheel.start(1)]}{wheel[1][0]}1" if wheel else ""
    return next((known.find(one).description for one in (name, stem, first) if one and one in known), "")


def titles(groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Words for the signals that were asked for."""
    found = {}
    for asked, names in groups.items():
        if asked.startswith(SIGNAL) and names:
            found[asked] = words.signal(asked.removeprefix(SIGNAL), names[0])
    return found


def _expected(name: str, unit: str) -> float:
    return FAR if unit == "m" and "Global" in name else SIZES.get(unit, 0.0)
