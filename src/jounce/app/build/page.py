"""The Build page: open vehicles, what they are made of, and what that means."""

from __future__ import annotations

import asyncio

from jounce.app.pages import Page, View


async def build(view: View) -> None:
    """Fill the page."""
    from nicegui import ui

    from jounce.app.build.desk import Desk

    documents = view.workbench.documents
    if not len(documents):
        await asyncio.to_thread(documents.open, "sedan")
    with ui.element("div").classes("jb-build"):
        desk = Desk(view)
        desk.lay_out()
    await desk.choose(str(view.state.get("document", "")))


PAGE = Page(name="build", title="Build", order=10, icon="build", key="1", build=build)
