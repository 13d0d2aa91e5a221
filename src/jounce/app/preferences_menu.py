"""The preferences as a dialog: panels of what stays from one session to the next."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from nicegui import ui

from jounce.app.forms import Field, box, button
from jounce.app.settings import SETTINGS, Setting
from jounce.core.errors import JounceError

if TYPE_CHECKING:
    from jounce.app.pages import View

PANELS = ("General", "Folders", "Runs", "After a run")


def show(view: View, panel: str = "General") -> None:
    """Open the dialog; what is changed counts at once."""
    dialog, body = box("Preferences")
    heads: dict[str, Any] = {}
    parts: dict[str, Any] = {}

    def turn(name: str) -> None:
        for other, part in parts.items():
            part.set_visibility(other == name)
            heads[other].classes(add="on" if other == name else "", remove="" if other == name else "on")

    with body:
        with ui.element("div").classes("jf-panels").props("role=tablist"):
            for name in PANELS:
                heads[name] = button(name, partial(turn, name))
        for name in PANELS:
            with ui.element("div").classes("jf-panel") as part:
                parts[name] = part
                if name == "Folders":
                    folders(view)
                for item in SETTINGS.values():
                    if item.panel == name:
                        _setting(view, item)
                if name == "General":
                    ui.label(f"Kept in {view.workbench.preferences.file}").classes("jn-muted jf-small")
                if name == "After a run":
                    _programs(view)
        with ui.element("footer"):
            button("Close", dialog.close, "primary")
    turn(panel)
    dialog.open()


def _setting(view: View, item: Setting) -> None:
    preferences = view.workbench.preferences

    def put(value: Any, said: Any) -> None:
        try:
            preferences.set({item.name: value})
        except JounceError as problem:
            said.set_text(str(problem).partition(": ")[2])
            return
        said.set_text("")

    with ui.element("div").classes("jf-setting").props(f'data-setting="{item.name}"'):
        if item.kind == "flag":
            made = ui.checkbox(item.title, value=preferences[item.name]).props("dense")
            hint = item.doc
        else:
            made = Field(item.title, preferences[item.name]).element
            hint = f"{item.doc}; empty: {item.empty}"
        ui.label(hint).classes("jn-muted jf-small")
        said = ui.label("").classes("jf-said")
    if item.kind == "flag":
        made.on_value_change(lambda event: put(bool(event.value), said))
    else:
        for event in ("blur", "keydown.enter"):
            made.on(event, lambda _: put(str(made.value or ""), said))


def _programs(view: View) -> None:
    """What is set on the command line only, since it is run."""
    bench = view.workbench
    own = ", ".join(map(str, bench.own.folders)) or "none; jounce app --code DIR"
    outside = " ".join(bench.external.words) or "none; jounce app --external COMMAND"
    for title, text in (("Scripts and events of your own", own), ("Program that opens runs", outside)):
        with ui.element("div").classes("jf-setting"):
            ui.label(title)
            ui.label(text).classes("jn-muted jf-small")
    ui.label("They are run, so they are named when the server is started, and not here.").classes("jn-muted jf-small")


def folders(view: View) -> None:
    """Registered folders: look, add, keep, remove."""
    workbench = view.workbench
    known = workbench.folders

    def fill() -> None:
        lines.clear()
        with lines:
            for item in known:
                with ui.element("div"):
                    ui.label(item.alias)
                    note = "" if item.writable else "  (not written to)"
                    note += "  (this session only)" if item.for_session else ""
                    ui.label(f"{item.path}{note}").classes("jn-muted")
                    ui.element("div").classes("jn-space")
                    if item.for_session:
                        button("keep", partial(done, workbench.keep, item.alias))
                    if not known.is_own(item):
                        button("remove", partial(done, workbench.unregister, item.alias))

    def done(function: Callable[..., Any], *arguments: str) -> None:
        try:
            function(*arguments)
        except JounceError as problem:
            said.set_text(str(problem))
            return
        said.set_text("")
        fill()

    ui.label("Vehicles, tires, roads, events and runs are read from these folders, and from nowhere else.")
    lines = ui.element("div").classes("jf-list")
    path = Field("Folder to register")
    alias = Field("Alias (default: its name)")
    said = ui.label("").classes("jf-said")
    with ui.element("div").classes("jf-right"):
        button("Register", lambda: done(workbench.register, path.value, alias.value), "primary")
    fill()
