"""What the menu of every page does with sessions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from nicegui import ui

from jounce.app.forms import Field, box, foot, sure
from jounce.core.errors import JounceError

if TYPE_CHECKING:
    from jounce.app.pages import View


def _unsaved(view: View) -> str:
    names = [item.label for item in view.workbench.documents if item.dirty]
    return f"Changes of {', '.join(names)} were not saved and will be lost." if names else ""


async def new(view: View) -> None:
    """Begin a new session."""
    lost = _unsaved(view)
    if not lost or await sure("Begin a new session?", lost, "Begin"):
        view.workbench.new_session()


def open_one(view: View) -> None:
    """Choose a session that was saved."""
    workbench = view.workbench
    dialog, body = box("Open a session")

    async def take(path: str) -> None:
        try:
            await asyncio.to_thread(workbench.open_session, path)
        except JounceError as problem:
            said.set_text(str(problem))
            return
        dialog.close()

    with body:
        if lost := _unsaved(view):
            ui.label(lost).classes("jf-said")
        with ui.element("div").classes("jf-list"):
            for place in workbench.sessions():
                with ui.element("div").props("tabindex=0 role=button") as line:
                    ui.label(place.stem)
                for event in ("click", "keydown.enter"):
                    line.on(event, lambda _, place=place: take(str(place)))
        where = Field("or a file in a registered folder", do=lambda: take(where.value))
        said = ui.label("").classes("jf-said")
        foot(dialog, "Open", lambda: take(where.value))
    dialog.open()


def save_as(view: View) -> None:
    """Save the session under a name."""
    dialog, body = box("Save the session")

    async def do() -> None:
        try:
            place = await asyncio.to_thread(view.workbench.save_session, name.value)
        except (JounceError, OSError) as problem:
            said.set_text(str(problem))
            return
        dialog.close()
        view.workbench.log.add("good", f"saved as {view.workbench.folders.shown(place)}", "session")

    with body:
        name = Field("Name", "", do)
        said = ui.label("").classes("jf-said")
        foot(dialog, "Save", do)
    dialog.open()
