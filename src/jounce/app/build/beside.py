"""What stands beside the data: the vehicle in three dimensions, how it stands, its axles on the rig, its changes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from nicegui import ui

from jounce.app.build.describe import within
from jounce.app.build.document import Document, short
from jounce.app.build.elements import Charts
from jounce.app.build.figures import Measured
from jounce.app.scene import drawing, frame
from jounce.app.scene.element import Scene
from jounce.results.display import pretty
from jounce.vehicle.layout import path_of

if TYPE_CHECKING:
    from jounce.app.build.desk import Desk

TABS = {"report": "At rest", "kc": "K&C", "changes": "Changes", "remarks": "Remarks"}
ROUND = 1e-9  # figures below it are what rounding left
REST = 0.3  # s without a change before something is computed


class Beside:
    """The right side of a desk."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.tab = str(desk.view.state.get("tab", "report"))
        self.axle = str(desk.view.state.get("axle", ""))
        self._number = 0
        self._shown: Document | None = None
        documents = desk.documents
        if not hasattr(documents, "measured"):
            documents.measured = Measured(desk.workbench)  # type: ignore[attr-defined]
        self.measured: Measured = documents.measured  # type: ignore[attr-defined]

    def lay_out(self) -> None:
        """Make the elements."""
        with ui.element("section").classes("jb-right"):
            self.scene = Scene(self.desk.view, see_through=True)
            self.scene.on_pick(self.desk.go)
            self.tabs = ui.element("div").classes("jb-tabs")
            self.body = ui.element("div").classes("jb-tab")

    # --- what happened ----------------------------------------------------------------------------------------------

    async def changed(self) -> None:
        """The vehicle is another one now."""
        self._number += 1
        document = self.desk.document
        if document is None or self.desk.root is None:
            self.scene.clear()
            self.body.clear()
            return
        vehicle = document.vehicle
        look = await asyncio.to_thread(drawing.drawing_of, vehicle)
        places = drawing.places_of(vehicle)
        same = document is self._shown
        self._shown = document
        if not same:  # nothing of the other one may stand there
            self.body.clear()
        poses = frame.standing({name: places[name] for name in look["bodies"]})
        self.scene.draw(look, poses, keep_camera=same)
        words = [axle.word for axle in vehicle.layout.axles]
        if self.axle not in words:
            self.axle = words[0]
        self._heads(words)
        self.show()

    def selected(self, path: str) -> None:
        """A group was chosen: its points stand out, and K&C are of its axle."""
        self.mark(path)
        document = self.desk.document
        if document is None or self.desk.root is None:
            return
        from jounce.core.paths import dotted

        vehicle = document.vehicle
        for axle in vehicle.layout.axles:
            around = [dotted(path_of(vehicle, axle, what)) for what in ("suspension", "wheels", "steering")]
            if any(at and within(path, at) for at in around) and axle.word != self.axle:
                self._choose_axle(axle.word)

    def mark(self, path: str) -> None:
        """Make the points of a path stand out."""
        self.scene.mark(path)

    def _heads(self, words: list[str]) -> None:
        self.tabs.clear()
        document = self.desk.document
        counts = {"changes": len(self.desk.was), "remarks": len(self.desk.doubts)}
        with self.tabs:
            for name, title in TABS.items():
                count = f" {counts[name]}" if counts.get(name) else ""
                made = self.desk.command(f"{title}{count}", lambda name=name: self._choose_tab(name))
                made.classes(remove="jf-cmd", add="on" if name == self.tab else "").props(f"data-tab={name}")
            ui.element("div").classes("jn-space")
            if self.tab == "kc" and document is not None:
                for word in words:
                    self.desk.command(
                        word, lambda word=word: self._choose_axle(word), "Axle", "on" if word == self.axle else ""
                    )

    def _words(self) -> list[str]:
        document = self.desk.document
        return [axle.word for axle in document.vehicle.layout.axles] if document is not None else []

    def _choose_tab(self, name: str) -> None:
        if name != self.tab:
            self.body.clear()
        self.tab = name
        self.desk._keep(tab=name)
        self._heads(self._words())
        self.show()

    def _choose_axle(self, word: str) -> None:
        self.axle = word
        self.desk._keep(axle=word)
        self._heads(self._words())
        if self.tab == "kc":
            self.show()

    # --- what is shown ----------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Fill the tab that is chosen; what has to be computed comes later."""
        if self.tab == "changes":
            self._table(_changes(self.desk))
        elif self.tab == "remarks":
            self._table(_remarks(self.desk))
        else:
            self._number += 1
            self.body.classes(add="jb-stale")
            self.desk.later(self._measure(self._number))

    def _table(self, html: str) -> None:
        self.body.classes(remove="jb-stale")
        self.body.clear()
        with self.body:
            made = ui.html(html, sanitize=False)
            made.on(
                "click",
                lambda e: self.desk.go(str(e.args)) if e.args else None,
                js_handler="(e) => emit(e.target.closest('[data-go]')?.dataset.go ?? '')",
            )

    async def _measure(self, number: int) -> None:
        document = self.desk.document
        if document is None:
            return
        request = await asyncio.to_thread(document.request)
        before = {**request, "steps": []}
        what, more = ("statics", ()) if self.tab == "report" else ("kc", (self.axle,))
        if self.measured.known(what, request, *more) is None:
            await asyncio.sleep(REST)
            if number != self._number or self.body.is_deleted:
                return
            if not self.body.default_slot.children:
                with self.body:
                    ui.label("computing … (what was not built before is compiled first, which takes a while)").classes(
                        "jn-muted"
                    )
        found = await self.measured.ask(what, request, *more)
        old = await self.measured.ask(what, before, *more) if request["steps"] else found
        if number != self._number or self.body.is_deleted:
            return
        self.body.classes(remove="jb-stale")
        if "problem" in found:
            self._table(f'<p class="bad jb-figures">{escape(found["problem"])}</p>')
        elif self.tab == "report":
            self._table(_report(found, old if "problem" not in old else found))
        else:
            self._show_kc(found, old if "problem" not in old else found)

    def _show_kc(self, found: Mapping[str, Any], old: Mapping[str, Any]) -> None:
        was = {chart["title"]: chart["lines"] for chart in old["charts"]}
        charts = [
            {**chart, "was": was.get(chart["title"], []) if was.get(chart["title"]) != chart["lines"] else []}
            for chart in found["charts"]
        ]
        self.body.clear()
        with self.body:
            Charts().show(charts=charts)
            ui.html(_metrics(found["figures"], old["figures"]), sanitize=False)


def _row(label: str, value: float | None, was: float | None, unit: str, more: str = "") -> str:
    moved = was is not None and value is not None and _text(value) != _text(was)
    before = f"{_text(was)}" if moved else ""
    return (
        f'<tr class="{"moved" if moved else ""}"><td>{escape(label)}</td><td class="n">{_text(value)}</td>'
        f'<td class="u">{escape(pretty(unit))}</td><td class="n jn-muted">{before}</td><td class="u">{more}</td></tr>'
    )


def _text(value: float | None) -> str:
    if value is None:
        return "–"
    if abs(value) < ROUND:
        return "0"
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def _report(found: Mapping[str, Any], old: Mapping[str, Any]) -> str:
    """Figures of the standing car; beside those that moved, what they were."""
    was = {row["key"]: row["value"] for rows in old["groups"].values() for row in rows}
    parts = []
    for name, rows in found["groups"].items():
        parts.append(f'<tr><th colspan="5">{escape(name)}</th></tr>')
        parts += [_row(row["label"], row["value"], was.get(row["key"], row["value"]), row["unit"]) for row in rows]
    parts.append('<tr><th colspan="5">modes</th></tr>')
    modes = {mode["name"]: mode["frequency"] for mode in old["modes"]}
    for mode in found["modes"]:
        damping = "" if mode["damping"] is None else f"damping {mode['damping']:.2f}"
        parts.append(_row(mode["name"], mode["frequency"], modes.get(mode["name"]), "Hz", damping))
    return f'<table class="jb-figures">{"".join(parts)}</table>'


def _metrics(figures: list[dict[str, Any]], old: list[dict[str, Any]]) -> str:
    was = {row["name"]: row["value"] for row in old}
    parts = ["<tr><th>figure</th><th></th><th></th><th></th><th>usual for the class</th></tr>"]
    for row in figures:
        usual = ""
        if row["low"] is not None and row["high"] is not None:
            mark = "odd" if row["inside"] is False else ""
            usual = f'<span class="{mark}">{row["low"]:.4g} … {row["high"]:.4g}</span>'
        parts.append(_row(row["text"], row["value"], was.get(row["name"], row["value"]), row["unit"], usual))
    return f'<table class="jb-figures">{"".join(parts)}</table>'


def _changes(desk: Desk) -> str:
    document = desk.document
    assert document is not None
    found = document.differences()
    if not found:
        return '<p class="jn-muted">nothing is changed</p>'
    rows = "".join(
        f'<tr><td class="path" data-go="{escape(item.path)}">{escape(item.path)}</td>'
        f'<td class="n jn-muted">{escape(short(item.ours, item.unit))}</td><td>→</td>'
        f'<td class="n">{escape(short(item.theirs, item.unit))}</td></tr>'
        for item in found
    )
    head = f"<tr><th>{len(found)} changed</th><th>before</th><th></th><th>now</th></tr>"
    return f'<table class="jb-figures">{head}{rows}</table>'


def _remarks(desk: Desk) -> str:
    if not desk.doubts:
        return '<p class="jn-muted">nothing is unusual</p>'
    rows = "".join(
        f'<tr><td class="path" data-go="{escape(path)}">{escape(path)}</td><td class="odd">{escape(text)}</td></tr>'
        for path, text in desk.doubts.items()
    )
    return f'<table class="jb-figures"><tr><th>path</th><th>unusual</th></tr>{rows}</table>'
