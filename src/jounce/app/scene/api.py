"""Routes of the scene: frames of stored runs and of those that go on, and what their vehicles look like."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response, WebSocket, WebSocketDisconnect

from jounce.app.scene import drawing, frame
from jounce.core.errors import JounceError
from jounce.results.motion import Follower, Moving, towed_of

if TYPE_CHECKING:
    from jounce.app.runs import StoredRun
    from jounce.app.workbench import Workbench

FRAMES = 20_000  # of a stored run, where it has more every so manieth one is sent
TICK = 1 / 30  # s between two frames of a run that goes on
AROUND = 150.0  # m of road that are drawn about the way of a car


def router(workbench: Workbench) -> APIRouter:
    """What `jounce.app.pages` mounts."""
    routes = APIRouter(prefix="/scene")
    runs = workbench.runs

    async def frames(id: str, points: Annotated[int, Query(ge=2, le=1_000_000)] = FRAMES) -> Response:
        """The motion of a run: one binary frame per instant, one after the other."""
        data = await asyncio.to_thread(frames_of, runs.get(id), points)
        return Response(data, media_type="application/octet-stream")

    async def drawn(id: str) -> dict[str, Any]:
        """What the vehicle of a run looks like, its road and its cones."""
        roots = workbench.folders.paths
        return await asyncio.to_thread(drawing_of_run, runs.get(id), roots)

    async def live(socket: WebSocket, id: str) -> None:
        """The newest pose of a run that goes on, one binary frame per tick; at last what became of it."""
        await socket.accept()
        try:
            await _stream(socket, id)
        except WebSocketDisconnect:
            return
        except JounceError as problem:
            await socket.send_json({"status": "failed", "reason": str(problem)})
        await socket.close()

    async def _stream(socket: WebSocket, id: str) -> None:
        runs.info(id)
        rows, read, follower, known = runs.live(id), 0, None, []
        while True:
            begun = time.monotonic()
            job = workbench.jobs.find(id)
            fresh = await asyncio.to_thread(rows.read, read)
            if len(fresh):
                read += len(fresh)
                if follower is None:
                    towed = await asyncio.to_thread(_towed, runs.get(id), workbench.folders.paths)
                    moving = Moving.of(rows.names, towed)
                    follower = Follower(moving)
                    known = [1 + rows.names.index(name) for name in moving.channels]
                    await socket.send_json({"bodies": moving.bodies, "tires": moving.tires})
                columns = dict(zip(follower.moving.channels, fresh[:, known].T, strict=True))
                moved = follower(fresh[:, 0], columns)
                await socket.send_bytes(frame.pack(moved, read - len(fresh))[-_size(moved) :])
            elif job is None:
                info = runs.info(id)
                await socket.send_json({"status": info.status, "reason": info.reason})
                return
            await asyncio.sleep(max(0.0, TICK - (time.monotonic() - begun)))

    routes.add_api_route("/{id}/motion", frames)
    routes.add_api_route("/{id}/drawing", drawn)
    routes.add_api_websocket_route("/{id}/live", live)
    return routes


def _size(moved: Any) -> int:
    return frame.HEAD.size + 4 * (7 * len(moved.bodies) + 6 * len(moved.tires))


def frames_of(stored: StoredRun, points: int = FRAMES) -> bytes:
    """The motion of a run as frames; every so manieth where there are more than ``points``."""
    wanted = Moving.of(stored.names, towed_of(stored.note.get("metadata", {})))
    columns = stored.columns(("time", *wanted.channels))
    moved = Follower(wanted)(columns["time"], columns)
    rows = len(moved)
    if rows <= points:
        return frame.pack(moved)
    whole = np.frombuffer(frame.pack(moved), np.uint8).reshape(rows, -1)
    kept: bytes = whole[np.unique(np.linspace(0, rows - 1, points).astype(int))].tobytes()
    return kept


def drawing_of_run(stored: StoredRun, roots: Any) -> dict[str, Any]:
    """What a run looks like: its vehicle from the data it was asked for with, its road, its cones."""
    from jounce.core.reads import only_from

    names = stored.names
    moving = Moving.of(names)
    found: dict[str, Any] = drawing.usual(list(moving.wheels))
    remarks: list[str] = []
    with only_from(roots):
        try:
            found = _of_job(stored, found, remarks)
        except (JounceError, OSError) as problem:
            remarks.append(f"drawn as a usual car: {problem}")
    meta = {} if stored.running else stored.run.metadata
    course = meta.get("cones")
    if course:
        found["cones"] = [[float(x), float(y), 0.0] for _, _, x, y in course["cones"]]
    return {**found, "order": moving.bodies, "forces": moving.tires, "label": stored.label, "remarks": remarks}


def _towed(stored: StoredRun, roots: Any) -> dict[str, str]:
    """Which wheels belong to what is towed, from the data that a run was asked for with."""
    from jounce.app.runs import JOB, read_job
    from jounce.app.worker import vehicle_of
    from jounce.core.reads import only_from

    if not (stored.info.folder / JOB).is_file():
        return {}
    job = read_job(stored.info.folder)
    with only_from(roots):
        layout = vehicle_of(job["vehicle"]["source"], job["vehicle"].get("steps", ())).layout
    return {name: drawing.name_of(w.axle.unit) for name, w in layout.wheels.items() if w.axle.unit.number > 1}


def _of_job(stored: StoredRun, found: dict[str, Any], remarks: list[str]) -> dict[str, Any]:
    from jounce.app.runs import JOB, read_job
    from jounce.app.worker import vehicle_of
    from jounce.events.base import Event
    from jounce.events.engine import Options
    from jounce.events.scene import set_scene

    if not (stored.info.folder / JOB).is_file():
        return found
    job = read_job(stored.info.folder)
    vehicle = vehicle_of(job["vehicle"]["source"], job["vehicle"].get("steps", ()))
    found = drawing.drawing_of(vehicle, details=False)
    try:
        scene, event = set_scene(vehicle, Event.from_dict(job["event"]), Options())
        if scene.roads:
            found["road"] = drawing.road_of(scene.roads[0], _reach(stored))
        elif event.inclined:
            found["slope"] = [event.grade, event.bank]
    except (JounceError, OSError) as problem:
        remarks.append(f"the road is not drawn: {problem}")
    return found


def _reach(stored: StoredRun) -> tuple[float, float, float, float] | None:
    """The area about the way of a car; None where it is not known yet."""
    if stored.running:
        return None
    x, y = (stored.channel(f"Vehicle.Origin_Global_{axis}") for axis in "XY")
    if not len(x) or not np.isfinite(x).any():
        return None
    return tuple(  # type: ignore[return-value]
        float(v) for v in (np.nanmin(x) - AROUND, np.nanmax(x) + AROUND, np.nanmin(y) - AROUND, np.nanmax(y) + AROUND)
    )
