"""Pages of the workbench, and what a page gets.

A page is a folder of this package with a module ``page``; whoever adds one changes nothing else.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jounce.app

if TYPE_CHECKING:
    from fastapi import APIRouter

    from jounce.app.workbench import Workbench


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes
    ----------
    name : in the address: ``/review``
    title : in the navigation
    order : of the navigation, smallest first
    icon : name of a Material icon
    build : fills the content area; may be a coroutine
    key : digit that leads there, with Alt
    """

    name: str
    title: str
    order: int
    icon: str
    build: Callable[[View], Awaitable[None] | None]
    key: str = ""


@dataclass
class View:
    """A page in one tab of a browser.

    Attributes
    ----------
    workbench : what all tabs share
    page : this one
    dark : whether it is shown light on dark
    header : a row beside the navigation, for buttons of this page
    """

    workbench: Workbench
    page: Page
    dark: bool = False
    header: Any = None
    _told: list[Callable[[bool], None]] = field(default_factory=list)

    @property
    def state(self) -> dict[str, Any]:
        """What the session keeps for this page; plain data. Call `save` after changing it."""
        return self.workbench.session.of_page(self.page.name)

    def save(self) -> None:
        """Write the session."""
        self.workbench.session.changed()

    def on_dark(self, function: Callable[[bool], None]) -> None:
        """Have a function called when the colours change."""
        self._told.append(function)

    def set_dark(self, dark: bool) -> None:
        """Tell everybody that the colours changed."""
        self.dark = dark
        for function in self._told:
            function(dark)

    @staticmethod
    def notify(text: str, kind: str = "info") -> None:
        """A short message in this tab: info, positive, warning, negative."""
        from nicegui import ui

        ui.notify(text, type=kind, position="bottom-right", multi_line=True, classes="jn-note")


def folders() -> list[str]:
    """Folders of this package, which may have a page, routes and static files."""
    return [item.name for item in pkgutil.iter_modules(jounce.app.__path__) if item.ispkg]


def module(folder: str, name: str) -> Any:
    """A module of a folder, None where there is none."""
    place = Path(jounce.app.__path__[0]) / folder
    if not (place / f"{name}.py").is_file():
        return None
    return importlib.import_module(f"jounce.app.{folder}.{name}")


def pages() -> list[Page]:
    """All pages in their order."""
    found = [here.PAGE for folder in folders() if (here := module(folder, "page")) is not None]
    return sorted(found, key=lambda page: page.order)


def routers(workbench: Workbench) -> list[APIRouter]:
    """The routes of all folders."""
    return [here.router(workbench) for folder in folders() if (here := module(folder, "api")) is not None]


def static_folders() -> dict[str, Path]:
    """Folders of files that are served as they are, by the name in their address.

    ``vendor`` holds the libraries of others that ``tools/vendor_web.py`` fetches; it may not be there.
    """
    root = Path(jounce.app.__path__[0])
    found = {folder: root / folder / "static" for folder in folders()}
    return {
        "app": root / "static",
        "vendor": root / "vendor",
        **{name: place for name, place in found.items() if place.is_dir()},
    }


def sheets() -> list[str]:
    """Addresses of the style sheets of all folders, that of the whole workbench first."""
    return [
        f"/static/{name}/{file.name}"
        for name, place in static_folders().items()
        for file in sorted(place.glob("*.css"))
    ]
