"""The interface of the workbench for programs, under ``/api/``; ``/api/docs`` describes it, ``/api/openapi.json`` too.

curl -H "Authorization: Bearer $TOKEN" http://localhost:8080/api/runs
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, FastAPI, HTTPException, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

import jounce
from jounce.app import frames
from jounce.app.frames import Array
from jounce.app.settings import SETTINGS
from jounce.core.errors import JounceError, ParameterError

if TYPE_CHECKING:
    from jounce.app.workbench import Workbench

POINTS = 4000  # rows of a frame where nobody says how many
TICK = 0.04  # s between two looks at the rows of a run that goes on


class RunRequest(BaseModel):
    """A run that is asked for."""

    vehicle: str = Field("sedan", description="name of a library vehicle, or a vehicle in a registered folder")
    changes: dict[str, Any] = Field(default_factory=dict, description="of the vehicle: path -> value as in a file")
    event: dict[str, Any] = Field(description='as in an event file: {"event": "step-steer", "speed": "80 km/h"}')
    options: dict[str, Any] = Field(default_factory=dict, description="of jounce.run: step, method, interval, pace")
    label: str = Field("", description="name of the run in lists")


class FolderRequest(BaseModel):
    """A folder to register."""

    path: str = Field(description="of the folder")
    alias: str = Field("", description="default: its base name")
    for_session: bool = Field(False, description="until the server ends only")


class SessionRequest(BaseModel):
    """Another session."""

    action: Literal["new", "open", "save"] = Field(description="what to do")
    file: str = Field("", description="open: a file in a registered folder; save: a name")


OPTIONS = ("step", "method", "interval", "pace", "channels")


def make(workbench: Workbench) -> FastAPI:
    """The application that answers under ``/api``."""
    app = FastAPI(title="jounce workbench", version=jounce.__version__, docs_url=None, redoc_url=None)

    async def refused(_: Request, problem: Exception) -> JSONResponse:
        missing = isinstance(problem, ParameterError) and "not known" in str(problem)
        return JSONResponse({"error": str(problem)}, status_code=404 if missing else 422)

    app.add_exception_handler(JounceError, refused)
    app.include_router(_general(workbench))
    app.include_router(_runs(workbench))
    return app


def _general(workbench: Workbench) -> APIRouter:
    router = APIRouter()

    async def health() -> dict[str, Any]:
        """Whether the server is there; needs no token."""
        return {"status": "ok", "jounce": jounce.__version__}

    async def log(since: int = 0) -> list[dict[str, Any]]:
        """Messages after a number."""
        return [vars(entry) for entry in workbench.log.since(since)]

    async def folders() -> list[dict[str, Any]]:
        """Registered folders."""
        return [
            {"alias": f.alias, "path": str(f.path), "writable": f.writable, "for_session": f.for_session}
            for f in workbench.folders
        ]

    async def register(request: FolderRequest) -> dict[str, Any]:
        """Register a folder."""
        found = workbench.register(request.path, request.alias, for_session=request.for_session)
        return {"alias": found.alias, "path": str(found.path), "writable": found.writable}

    async def unregister(alias: str) -> dict[str, str]:
        """Forget a registered folder; its files stay."""
        workbench.unregister(alias)
        return {"alias": alias, "status": "removed"}

    async def session() -> dict[str, Any]:
        """What is open."""
        return workbench.session.data

    async def go_on(request: SessionRequest) -> dict[str, Any]:
        """Begin a new session, open that of a file, or save this one under a name."""
        if request.action == "new":
            workbench.new_session()
        elif request.action == "open":
            await asyncio.to_thread(workbench.open_session, request.file)
        else:
            place = await asyncio.to_thread(workbench.save_session, request.file)
            return {"status": "saved", "file": workbench.folders.shown(place)}
        return {"status": request.action, "file": request.file}

    async def preferences() -> dict[str, Any]:
        """Settings that stay: what they are, and what they may be."""
        about = {
            item.name: {"title": item.title, "panel": item.panel, "kind": item.kind, "default": item.default}
            for item in SETTINGS.values()
        }
        return {"settings": workbench.preferences.settings, "about": about}

    async def prefer(request: dict[str, Any]) -> dict[str, Any]:
        """Change settings by name, all or none."""
        workbench.preferences.set(request)
        return workbench.preferences.settings

    async def vehicles() -> list[str]:
        """Vehicles of the library and of the registered folders."""
        return list(workbench.folders.vehicles())

    async def file(path: str) -> Response:
        """A file of a registered folder."""
        place = workbench.folders.resolve(path)
        if not place.is_file():
            raise HTTPException(404, f"{path}: no such file")
        return Response(await asyncio.to_thread(place.read_bytes), media_type="application/octet-stream")

    async def docs(request: Request) -> Response:
        """This interface, as a page."""
        from jounce.app.api_page import page

        return Response(page(request.app.openapi()), media_type="text/html")

    router.add_api_route("/health", health)
    router.add_api_route("/log", log)
    router.add_api_route("/folders", folders)
    router.add_api_route("/folders", register, methods=["POST"], status_code=201)
    router.add_api_route("/folders/{alias}", unregister, methods=["DELETE"])
    router.add_api_route("/session", session)
    router.add_api_route("/session", go_on, methods=["POST"])
    router.add_api_route("/preferences", preferences)
    router.add_api_route("/preferences", prefer, methods=["PATCH"])
    router.add_api_route("/vehicles", vehicles)
    router.add_api_route("/file", file)
    router.add_api_route("/docs", docs, include_in_schema=False)
    return router


def _runs(workbench: Workbench) -> APIRouter:
    router = APIRouter()
    runs = workbench.runs

    async def listed() -> list[dict[str, Any]]:
        """All runs, the newest first."""
        found = await asyncio.to_thread(runs.list)
        return [{**info.to_dict(), **_progress(info.id)} for info in found]

    def _progress(id: str) -> dict[str, Any]:
        job = workbench.jobs.find(id)
        return {} if job is None else {"phase": job.phase, "time": job.time, "end": job.end}

    async def start(request: RunRequest) -> dict[str, Any]:
        """Queue a run."""
        unknown = [name for name in request.options if name not in OPTIONS]
        if unknown:
            raise ParameterError(f"options: {unknown[0]!r}: expected one of {', '.join(OPTIONS)}")
        from jounce.events.base import Event

        event = Event.from_dict(request.event)
        source = request.vehicle
        known = workbench.folders.vehicles()
        place = str(known[source]) if source in known else str(workbench.folders.resolve(source))
        name = source.rpartition("/")[2].removesuffix(".yaml")
        vehicle: dict[str, Any] = {"name": name, "source": place, "changes": request.changes}
        if request.changes:
            vehicle["steps"] = [request.changes]
        job = workbench.jobs.submit(vehicle, event.to_dict(), request.options, request.label)
        return job.to_dict()

    async def about(id: str) -> dict[str, Any]:
        """What is known of a run: channels, key figures, warnings."""
        stored = runs.get(id)
        info = stored.info
        answer: dict[str, Any] = {**info.to_dict(), **_progress(id), "rows": 0, "channels": []}
        answer["key_figures"] = {name: {"value": value, "unit": unit} for name, value, unit in info.figures}
        if info.status in ("queued", "running") and not stored.running:
            return answer

        def read() -> None:
            time = stored.time
            answer["rows"] = len(time)
            answer["from"], answer["to"] = (float(time[0]), float(time[-1])) if len(time) else (0.0, 0.0)
            answer["channels"] = [{"name": name, "unit": unit} for name, unit in stored.units.items()]

        if info.status != "failed" or stored.running:
            await asyncio.to_thread(read)
        return answer

    async def frame(
        id: str,
        channel: Annotated[list[str], Query()],
        start: float = -np.inf,
        end: float = np.inf,
        points: Annotated[int, Query(ge=0, le=10_000_000)] = POINTS,
    ) -> Response:
        """Channels as one binary frame, time first; more than ``points`` rows are told by extremes, 0 gives all."""
        stored = runs.get(id)
        data = await asyncio.to_thread(frame_of, stored, channel, start, end, points)
        return Response(data, media_type="application/octet-stream")

    async def stop(id: str) -> dict[str, str]:
        """Stop a run; it keeps what it has."""
        workbench.jobs.stop(id)
        return {"id": id, "status": "stopping"}

    async def remove(id: str) -> dict[str, str]:
        """Remove a run of the workbench from disk; forget one that was opened."""
        runs.remove(id)
        return {"id": id, "status": "removed"}

    async def live(socket: WebSocket, id: str) -> None:
        await socket.accept()
        try:
            await _stream(socket, id, socket.query_params.getlist("channel"))
        except WebSocketDisconnect:
            return
        except JounceError as problem:
            await socket.send_json({"status": "failed", "reason": str(problem)})
        await socket.close()

    async def _stream(socket: WebSocket, id: str, channels: list[str]) -> None:
        """Send the rows there are and those that come, then what became of the run."""
        runs.info(id)
        rows, sent = runs.live(id), 0
        while True:
            job = workbench.jobs.find(id)
            fresh = rows.read(sent)
            if len(fresh):
                sent += len(fresh)
                names = rows.names
                wanted = [names.index(name) for name in channels if name in names] if channels else range(len(names))
                columns = {"time": fresh[:, 0], **{names[k]: fresh[:, 1 + k] for k in wanted}}
                units = ["s", *(rows.units[names[k]] for k in wanted)]
                await socket.send_bytes(frames.pack(columns, units=units, first=sent - len(fresh)))
            elif job is None:
                info = runs.info(id)
                await socket.send_json({"status": info.status, "reason": info.reason})
                return
            await asyncio.sleep(TICK)

    router.add_api_route("/runs", listed)
    router.add_api_route("/runs", start, methods=["POST"], status_code=202)
    router.add_api_route("/runs/{id}", about)
    router.add_api_route("/runs/{id}", remove, methods=["DELETE"])
    router.add_api_route("/runs/{id}/frame", frame)
    router.add_api_route("/runs/{id}/stop", stop, methods=["POST"])
    router.add_api_websocket_route("/runs/{id}/live", live)
    return router


def frame_of(stored: Any, channels: list[str], start: float, end: float, points: int) -> bytes:
    """Channels of a run between two instants as a frame."""
    names = [stored.find(name) for name in channels if name != "time"]
    time: Array = stored.time
    low, high = int(np.searchsorted(time, start, "left")), int(np.searchsorted(time, end, "right"))
    if points:  # one row beyond each end, so that lines go to the edge of a plot
        low, high = max(0, low - 1), min(len(time), high + 1)
    rows = time[low:high]
    columns = [stored.channel(name)[low:high] for name in names]
    shown, values = frames.extremes(rows, columns, points) if points else (rows, columns)
    units = ["s", *(stored.units[name] for name in names)]
    head = {"units": units, "exact": len(shown) == len(rows), "run": stored.id}
    return frames.pack({"time": shown, **dict(zip(names, values, strict=True))}, **head)
