"""The Build page."""

from __future__ import annotations

from jounce.app.pages import Page, View


def build(view: View) -> None:
    """Fill the page."""
    import jounce
    from jounce.app.scene.element import Scene

    scene = Scene(view, see_through=True)
    scene.vehicle(jounce.load("sedan"))


PAGE = Page(name="build", title="Build", order=10, icon="build", key="1", build=build)
