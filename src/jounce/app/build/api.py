"""Routes of the Build page: open vehicles, for scripts."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, Field

from jounce.core.curves import Curve
from jounce.core.fields import to_raw
from jounce.core.references import FileReference

if TYPE_CHECKING:
    from jounce.app.build.document import Document
    from jounce.app.workbench import Workbench


class OpenRequest(BaseModel):
    """A vehicle to open."""

    source: str = Field(description="name of a library vehicle, or a place in a registered folder")
    copy_as: str = Field("", description="open a copy under this name instead")


class ChangeRequest(BaseModel):
    """Changes of an open vehicle."""

    changes: dict[str, Any] = Field(description="path -> value as in a file; null removes")
    try_only: bool = Field(False, description="say what would come of it, and change nothing")


class SaveRequest(BaseModel):
    """Where to save an open vehicle."""

    name: str = Field("", description="of a vehicle of its own; default: the files it was read from")
    folder: str = Field("", description="a registered folder or one below it; default: vehicles of the main one")


def router(workbench: Workbench) -> APIRouter:
    """What `jounce.app.pages` mounts."""
    routes = APIRouter(prefix="/documents")
    documents = workbench.documents

    async def listed() -> list[dict[str, Any]]:
        """Open vehicles, with what is changed of each."""
        return [await asyncio.to_thread(_about, item) for item in documents]

    async def opened(request: OpenRequest) -> dict[str, Any]:
        """Open a vehicle; one that is open already is returned."""
        found = await asyncio.to_thread(documents.open, request.source)
        if request.copy_as:
            found = await asyncio.to_thread(documents.duplicate, found.id, request.copy_as)
        return await asyncio.to_thread(_about, found)

    async def about(id: str) -> dict[str, Any]:
        """An open vehicle: what is changed, what is unusual."""
        return await asyncio.to_thread(_about, documents.get(id))

    async def value(id: str, path: str) -> Any:
        """What stands at a path, in SI, as a file would have it."""
        found = await asyncio.to_thread(lambda: documents.get(id).vehicle.get(path))
        if isinstance(found, FileReference):
            return str(found)
        return found.raw() if isinstance(found, Curve) else to_raw(found)

    async def change(id: str, request: ChangeRequest) -> dict[str, Any]:
        """Change values, as one step that can be taken back; returns what is unusual about the new ones."""
        document = documents.get(id)
        if request.try_only:
            _, doubts = await asyncio.to_thread(document.tried, request.changes)
        else:
            doubts = await asyncio.to_thread(document.change, request.changes)
        return {"id": id, "doubts": doubts}

    async def step(id: str, way: str) -> dict[str, Any]:
        """Take the last step back (``undo``), do it again (``redo``), or drop all of them (``reload``)."""
        document = documents.get(id)
        does = {"undo": document.undo, "redo": document.redo, "reload": document.reload}.get(way)
        if does is None:
            raise HTTPException(404, f"{way}: expected undo, redo or reload")
        await asyncio.to_thread(does)
        return await asyncio.to_thread(_about, document)

    async def save(id: str, request: SaveRequest) -> dict[str, Any]:
        """Save an open vehicle: into its files, or as one of its own."""
        document = documents.get(id)
        if request.name:
            await asyncio.to_thread(document.save_as, request.name, request.folder)
        else:
            await asyncio.to_thread(document.save)
        return await asyncio.to_thread(_about, document)

    async def close(id: str) -> dict[str, str]:
        """Close an open vehicle; what was not saved is gone."""
        documents.close(id)
        return {"id": id, "status": "closed"}

    routes.add_api_route("", listed)
    routes.add_api_route("", opened, methods=["POST"], status_code=201)
    routes.add_api_route("/{id}", about)
    routes.add_api_route("/{id}", close, methods=["DELETE"])
    routes.add_api_route("/{id}/value", value)
    routes.add_api_route("/{id}/changes", change, methods=["POST"])
    routes.add_api_route("/{id}/save", save, methods=["POST"])
    routes.add_api_route("/{id}/{way}", step, methods=["POST"])
    return routes


def _about(document: Document) -> dict[str, Any]:
    changed = [
        {"path": item.path, "ours": _plain(item.ours), "theirs": _plain(item.theirs), "unit": item.unit}
        for item in document.differences()
    ]
    return {
        "id": document.id,
        "label": document.label,
        "source": document.source,
        "dirty": document.dirty,
        "writable": document.writable,
        "undo": document.can_undo,
        "redo": document.can_redo,
        "differences": changed,
        "doubts": document.vehicle.doubts(),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, FileReference):
        return str(value)
    return value.raw() if isinstance(value, Curve) else value
