"""Dialogs and their fields, alike on all pages; what is shown in them is text, never markup."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui


def box(title: str) -> tuple[Any, Any]:
    """A dialog, and what it holds."""
    with ui.dialog() as dialog, ui.element("div").classes("jf-dialog") as body, ui.element("h3"):
        ui.label(title)
    dialog.on("hide", dialog.delete)
    return dialog, body


def button(text: str, do: Callable[[], Any], style: str = "", hint: str = "") -> Any:
    """A button; ``words`` is its label."""
    made = ui.element("button").classes(f"jf-cmd {style}").props("type=button").on("click", lambda _: do())
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
    """Something to type in; ``value`` is what stands there now."""

    def __init__(
        self, label: str, value: str = "", do: Callable[[], Any] | None = None, *, lines: bool = False
    ) -> None:
        made = ui.textarea if lines else ui.input
        self.element = made(label, value=value).props("dense outlined spellcheck=false autocomplete=off")
        self.element.classes("jf-field jf-lines" if lines else "jf-field")
        if do is not None:
            self.element.on("keydown.enter", lambda _: do())

    @property
    def value(self) -> str:
        """What stands there now."""
        return str(self.element.value or "")

    def put(self, value: str) -> None:
        """Have something else stand there."""
        self.element.value = value


async def sure(title: str, text: str, word: str) -> bool:
    """Whether somebody is sure."""
    dialog, body = box(title)
    with body:
        ui.label(text)
        foot(dialog, word, lambda: dialog.submit(True))
    return bool(await dialog)
