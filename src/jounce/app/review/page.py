"""The Review page."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import ui
from nicegui.element import Element
from nicegui.run import io_bound

from jounce.app.pages import Page, View
from jounce.app.plots import layout
from jounce.app.plots.element import Plots
from jounce.app.review import dialogs, layouts, opening, scripts
from jounce.app.review.figures import page_of
from jounce.app.runs import StoredRun
from jounce.app.scene.element import Scene
from jounce.core.errors import JounceError
from jounce.results import words
from jounce.results.motion import Moving

MOST_SHOWN = 8  # runs laid over each other
POLL = 0.3  # s


class Runs(Element, component="static/jounce_runs.js"):  # type: ignore[call-arg, misc]
    """The list of runs."""

    def show(self, rows: list[dict[str, Any]], shown: list[str]) -> None:
        """Show these rows; ``shown`` are drawn."""
        self._props["rows"], self._props["shown"] = rows, shown
        self.update()


class Channels(Element, component="static/jounce_channels.js"):  # type: ignore[call-arg, misc]
    """The tree of channels of a run."""

    def show(self, run: str, stamp: int) -> None:
        """Show those of a run; another ``stamp`` reads them again."""
        self._props["run"], self._props["stamp"] = run, stamp
        self.update()


class Review:
    """One tab with the Review page."""

    def __init__(self, view: View, wanted: list[str]) -> None:
        self.view, self.bench, self.state = view, view.workbench, view.state
        pages = self.state.get("pages")
        self.pages: list[dict[str, Any]] = pages if isinstance(pages, list) and pages else layout.usual()
        self.page = min(int(self.state.get("page", 0)), len(self.pages) - 1)
        known = {info.id for info in self.bench.runs.list()}
        self.shown = [id for id in (wanted or self.state.get("runs", [])) if id in known]
        if not self.shown and not wanted:
            newest = next((i.id for i in self.bench.runs.list() if i.status in ("complete", "partial")), "")
            self.shown = [newest] if newest else []
        self._seen = (-1, -1)
        self._stamp = 0
        self._drawn: tuple[Any, ...] = ()
        self.plots: Plots
        self._build()
        self.list_runs()
        self.show_pages()
        self.show()
        ui.timer(POLL, self.look)

    # --- elements ---------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        with ui.element("div").classes("jn-review"):
            with ui.element("aside").classes("jn-review-side"):
                with ui.element("div").classes("jn-section"):
                    ui.label("Runs")
                    ui.element("div").classes("jn-space")
                    dialogs.button("folder_open", "Open a run or measured data from disk", self.open)
                self.list = Runs().classes("jn-runs-host")
                self.list.on("pick", lambda e: self.choose(list(e.args["ids"])))
                self.list.on("rename", lambda e: self.rename(str(e.args["id"])))
                self.list.on("remove", lambda e: self.remove(str(e.args["id"])))
                self.channels = Channels()
                self.channels.on("add", lambda e: self.plots.add(_one(e.args["names"])))
                self.channels.on("plot", lambda e: self.plots.add_plot(_one(e.args["names"])))
            with ui.element("section").classes("jn-review-work"):
                with ui.element("div").classes("jn-pages"):
                    self.tabs = ui.element("div").classes("jn-page-tabs")
                    dialogs.button("add", "Add a page of plots", self.add_page)
                    ui.element("div").classes("jn-space")
                    self._menus()
                with ui.element("div").classes("jn-review-plots"):
                    self.plots = Plots(self.view, editable=True)
                    self.plots.on_changed(self.plots_changed)
                    self.plots.on_ended(lambda *_: self.look())
            self.right = ui.element("aside").classes("jn-review-right")
            with self.right:
                self.scene_box = ui.element("div").classes("jn-review-scene")
                self.figures_box = ui.element("div").classes("jn-review-kpis")
                with self.figures_box:
                    self.figures = ui.html("", sanitize=False)
        self.scene: Scene | None = None
        self._sides()

    def _menus(self) -> None:
        with dialogs.button("dashboard_customize", "Layouts of plots", lambda: None), ui.menu() as menu:
            box = ui.element("div")
        menu.on_value_change(lambda event: layouts.fill(self, box) if event.value else None)
        self.takers = [dialogs.button("download", "Take away", lambda: None)]
        with self.takers[0], ui.menu():
            ui.menu_item("Report (HTML)", lambda: self.take("report", channels=False))
            ui.menu_item("Report with these plots (HTML)", lambda: self.take("report"))
            ui.menu_item("These plots (PNG)", lambda: self.plots.save(self.pages[self.page]["title"]))
            ui.menu_item("Channels of these plots (CSV)", lambda: self.take("csv"))
            ui.menu_item("All channels (CSV)", lambda: self.take("csv", channels=False))
        self.takers.append(dialogs.button("terminal", "Scripts of your own", lambda: None))
        with self.takers[1], ui.menu() as own:
            inside = ui.element("div")
        own.on_value_change(lambda event: self.fill_scripts(inside) if event.value else None)
        self.toggles = {
            name: dialogs.button(icon, text, partial(self.toggle, name))
            for name, icon, text in (
                ("scene", "view_in_ar", "Replay in 3D"),
                ("figures", "functions", "Key figures"),
            )
        }

    def fill_scripts(self, box: Any) -> None:
        """The menu of scripts that are made for the runs that are shown, and of the program of others."""
        box.clear()
        bench = self.bench
        ids = list(self.shown)
        with box:
            for script in scripts.fitting(bench, ids) if ids else []:
                ui.menu_item(script.name, partial(self.run_script, script.name))
            kind = bench.runs.info(ids[0]).event if ids else ""  # of measured data there is none
            if bench.own.folders and kind:
                ui.menu_item(f"New script for {words.event(kind)}", lambda: self.new_script(kind))
            if bench.external and ids:
                ui.menu_item(f"Open in {bench.external.name}", lambda: self._try(self.open_outside))
            if not bench.own.folders and not bench.external:
                ui.item_label("none: start jounce app with --code DIR, or with --external COMMAND").classes(
                    "jn-menu-hint"
                )

    async def run_script(self, name: str) -> None:
        """Run a script on all runs that are shown."""
        try:
            good = await scripts.run(self.bench, name, list(self.shown))
        except JounceError as problem:
            self.view.notify(str(problem), "negative")
            return
        if all(good):
            self.view.notify(f"{name}: done", "positive")
        else:
            self.view.notify(f"{name}: failed; the log says why", "negative")

    def new_script(self, kind: str) -> None:
        """Write a script for an event to begin with; it is offered from now on."""
        place = self._try(lambda: self.bench.own.new(kind))
        if place is not None:
            self.bench.log.add("good", f"a script to begin with: {place}", "own code")
            self.view.notify(f"written: {place}; change it with an editor, it is offered here", "positive")

    def open_outside(self) -> None:
        """Have the program of others open the runs that are shown."""
        scripts.open_outside(self.bench, list(self.shown))

    def _sides(self) -> None:
        """The scene and the figures, as far as they are wanted; without the scene nothing of it is loaded."""
        scene, figures = self.state.get("scene", True), self.state.get("figures", True)
        self.right.set_visibility(scene or figures)
        self.scene_box.set_visibility(scene)
        self.figures_box.set_visibility(figures)
        for name, on in (("scene", scene), ("figures", figures)):
            self.toggles[name].classes(add="jn-on" if on else "", remove="" if on else "jn-on")
        if scene and self.scene is None:
            with self.scene_box:
                self.scene = Scene(self.view, camera="follow")
        elif not scene and self.scene is not None:
            self.scene.delete()
            self.scene = None

    def toggle(self, name: str) -> None:
        """Show or hide the scene or the figures."""
        self.state[name] = not self.state.get(name, True)
        self.view.save()
        self._sides()
        self._drawn = ()
        self.show()

    # --- runs -------------------------------------------------------------------------------------------------------

    def choose(self, ids: list[str]) -> None:
        """Show other runs; the first is the reference."""
        if len(ids) > MOST_SHOWN:
            self.view.notify(f"at most {MOST_SHOWN} runs are laid over each other", "warning")
            ids = ids[:MOST_SHOWN]
        self.shown = ids
        self.state["runs"] = ids
        self.view.save()
        self.list_runs()
        self.show()

    def list_runs(self) -> None:
        """Bring the list up to date."""
        rows = []
        for info in self.bench.runs.list():
            job = self.bench.jobs.find(info.id)
            status = info.status if job is None or job.phase == "queued" else "running"
            rows.append({**info.to_dict(), "status": status, "when": _when(info.created), "created": int(info.created)})
        self.list.show(rows, self.shown)

    def look(self) -> None:
        """Notice what changed: runs that came, ended or went."""
        now = (self.bench.runs.revision, len(self.bench.jobs.running))
        if now == self._seen:
            return
        self._seen = now
        known = {info.id for info in self.bench.runs.list()}
        self.shown = [id for id in self.shown if id in known]
        self.list_runs()
        self.show()

    def show(self) -> None:
        """Draw what is chosen, where it is not drawn already."""
        for taker in self.takers:
            taker.set_enabled(bool(self.shown))
        infos = []
        for id in self.shown:
            try:
                infos.append(self.bench.runs.info(id))
            except JounceError:
                continue
        drawn = (self.page, tuple((i.id, i.label, i.status) for i in infos), bool(self.state.get("scene", True)))
        if drawn == self._drawn:
            return
        runs_changed = drawn[1:] != self._drawn[1:]
        self._drawn = drawn
        panels = self.pages[self.page]["panels"]
        live = next((i for i in infos if i.status in ("queued", "running")), None)
        if live is not None:
            self.plots.live(live.id, live.label, panels)
        else:
            self.plots.show([(i.id, i.label) for i in infos if i.status != "failed"], panels)
            if infos and all(i.status == "failed" for i in infos):
                self.plots.say(f"{infos[0].label} failed\n{infos[0].reason}")
        if not runs_changed:
            return
        self._stamp += 1
        self.channels.show(self.shown[0] if self.shown else "", self._stamp)
        if self.scene is not None and live is not None:
            self.scene.live(live.id)
        ui.timer(0, partial(self.tell_rest, live is not None), once=True)

    async def tell_rest(self, live: bool) -> None:
        """Fill the table of key figures, and the scene with what moves."""
        stored = [self.bench.runs.get(id) for id in self.shown]
        moving = [] if live else await io_bound(_moving, stored)
        if self.scene is not None and not live:
            if moving:
                self.scene.replay(moving[0], moving[1] if len(moving) > 1 else "")
            else:
                self.scene.clear()
        self.figures.set_content(await io_bound(page_of, stored) if stored else "")

    async def rename(self, id: str) -> None:
        """Ask for another label."""
        label = self.bench.runs.info(id).label
        found = await dialogs.ask("Rename the run", label)
        if found:
            self._try(lambda: self.bench.runs.rename(id, found))
            self.look()

    async def remove(self, id: str) -> None:
        """Delete a run, or take an opened one off the list."""
        info = self.bench.runs.info(id)
        if info.source == "session" and not await dialogs.sure(f"Delete “{info.label}” from disk?", "Delete"):
            return
        self._try(lambda: self.bench.runs.remove(id))
        self.look()

    async def open(self) -> None:
        """Open a run or measured data."""
        id = await opening.ask(self.view)
        if id:
            self.choose([*self.shown, id][-MOST_SHOWN:])

    # --- pages of plots ---------------------------------------------------------------------------------------------

    def show_pages(self) -> None:
        """The tabs of the pages."""
        self.tabs.clear()
        with self.tabs:
            for k, page in enumerate(self.pages):
                tab = ui.element("button").classes("jn-page-tab" + (" jn-here" if k == self.page else ""))
                tab.props(f'aria-label="Page {k + 1}" title="double click: rename or remove"')
                with tab:
                    ui.html(_escaped(page["title"]), sanitize=False)
                tab.on("click", lambda k=k: self.turn(k))
                tab.on("dblclick", lambda k=k: self.edit_page(k))

    def turn(self, k: int) -> None:
        """Show another page."""
        self.page = k
        self.state["page"] = k
        self.view.save()
        self.show_pages()
        self.show()

    def plots_changed(self, panels: list[dict[str, Any]]) -> None:
        """Keep what the user did to the plots; they are drawn already."""
        self.pages[self.page] = {**self.pages[self.page], "panels": panels}
        self.keep()

    def keep(self) -> None:
        """Write the pages into the session."""
        self.state["pages"] = self.pages
        self.view.save()

    def use(self, pages: list[dict[str, Any]], page: int = 0) -> None:
        """Show other pages."""
        self.pages = pages
        self.keep()
        self._drawn = ()
        self.turn(min(page, len(pages) - 1))

    async def add_page(self) -> None:
        """A page without plots."""
        name = await dialogs.ask("A new page of plots", f"Page {len(self.pages) + 1}")
        if name:
            self.use([*self.pages, {"title": name, "panels": []}], len(self.pages))

    async def edit_page(self, k: int) -> None:
        """Rename a page, or remove it."""
        name = await dialogs.ask("Rename the page; nothing removes it", self.pages[k]["title"], empty=True)
        if name is None:
            return
        if name:
            self.pages[k] = {**self.pages[k], "title": name}
            self.use(self.pages, k)
        elif len(self.pages) > 1:
            self.use([page for n, page in enumerate(self.pages) if n != k], max(0, k - 1))

    def take(self, what: str, *, channels: bool = True) -> None:
        """Have the browser open or save an export."""
        if not self.shown:
            self.view.notify("choose a run first", "warning")
            return
        query = [("run", id) for id in self.shown]
        if channels:
            asked = [name for panel in self.pages[self.page]["panels"] for name in (panel["x"], *panel["y"]) if name]
            query += [("channel", name) for name in dict.fromkeys(asked)]
        ui.navigate.to(f"/api/review/{what}?{urlencode(query)}", new_tab=what == "report")

    def _try(self, does: Callable[[], Any]) -> Any:
        try:
            return does()
        except JounceError as problem:
            self.view.notify(str(problem), "negative")
            return None


def build(view: View, run: str = "") -> None:
    """Fill the page."""
    request = ui.context.client.request
    wanted = request.query_params.getlist("run") if request is not None else []
    Review(view, wanted)


def _moving(stored: list[StoredRun]) -> list[str]:
    """The runs that tell how their bodies moved; measured data mostly do not."""
    found = []
    for one in stored:
        try:
            Moving.of(one.names)
        except (JounceError, OSError):
            continue
        found.append(one.id)
    return found


def _one(names: list[str]) -> list[str]:
    return [str(name) for name in names]


def _when(created: float) -> str:
    now, then = time.localtime(), time.localtime(created)
    return time.strftime("%H:%M:%S" if now[:3] == then[:3] else "%Y-%m-%d %H:%M", then)


def _escaped(text: str) -> str:
    from html import escape

    return escape(text)


PAGE = Page(name="review", title="Review", order=30, icon="query_stats", key="3", build=build)
