"""The Build page."""

from __future__ import annotations

from jounce.app.pages import Page, View


def build(view: View) -> None:
    """Fill the page."""
    from nicegui import ui

    ui.label(", ".join(view.workbench.folders.vehicles()))


PAGE = Page(name="build", title="Build", order=10, icon="build", key="1", build=build)
