"""Dialogs and their fields, alike on all pages; what is shown in them is text, never markup."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

VALUE = "(event) => emit({value: event.target.value})"
"""Handler in the browser that sends what a field holds; a bare empty text would not be sent."""


def box(title: str) -> tuple[Any, Any]:
    """A dialog, and what it holds."""
    with ui.dialog() as dialog, ui.element("div").classes("jn-dialog") as body, ui.element("h3"):
        ui.label(title)
    dialog.on("hide", dialog.delete)
    return dialog, body


def button(text: str, do: Callable[[], Any], style: str = "", hint: str = "") -> Any:
    """A button; ``words`` is its label."""
    made = ui.element("button").classes(f"jn-cmd {style}").props("type=button").on("click", lambda _: do())
    if hint:
        made._props["title"] = hint
    with made:
        made.words = ui.label(text)
    return made


def foot(dialog: Any, word: str, do: Callable[[], Any]) -> None:
    """The end of a dialog: leave it, or do it."""
    with ui.element("footer"):
        button("Cancel", dialog.close)
        button(word, do, "primary")


class Field:
    """Something to type in.

    Attributes
    ----------
    value : what stands there now
    """

    def __init__(self, label: str, value: str = "", do: Callable[[], Any] | None = None, kind: str = "input") -> None:
        with ui.element("label"):
            ui.label(label)
        self.element = ui.element(kind).props("spellcheck=false autocomplete=off")
        if kind == "input":
            self.element.classes("jn-input")
        self.element._props["aria-label"] = label
        self.put(value)
        self.element.on("input", lambda e: setattr(self, "value", str(e.args["value"])), js_handler=VALUE)
        if do is not None:
            self.element.on("keydown.enter", lambda _: do())

    def put(self, value: str) -> None:
        """Have something else stand there."""
        self.value = value
        self.element._props["value"] = value
        self.element.update()


async def sure(title: str, text: str, word: str) -> bool:
    """Whether somebody is sure."""
    dialog, body = box(title)
    with body:
        ui.label(text)
        foot(dialog, word, lambda: dialog.submit(True))
    return bool(await dialog)
