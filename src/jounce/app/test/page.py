"""The Test page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.run import io_bound

from jounce.app.pages import Page, View
from jounce.app.plots import layout
from jounce.app.plots.element import Plots
from jounce.app.review import dialogs
from jounce.app.runs import read_job
from jounce.app.scene.element import Scene
from jounce.app.test import events, plan
from jounce.core.errors import JounceError

PACES = {"": "at full speed", "1": "in real time", "0.5": "at half speed", "2": "twice as fast"}
MOST_VEHICLES = 12
RECENT = 14  # runs below the queue
POLL = 0.1  # s


class EventList(Element, component="static/jounce_events.js"):  # type: ignore[call-arg, misc]
    """The library of events."""


class Form(Element, component="static/jounce_form.js"):  # type: ignore[call-arg, misc]
    """The parameters of an event."""

    def show(self, **props: Any) -> None:
        """Show other fields, values, errors, doubts."""
        self._props.update(props)
        self.update()


class PlanTable(Element, component="static/jounce_plan.js"):  # type: ignore[call-arg, misc]
    """The table of the plan."""


class Testing:
    """One tab with the Test page."""

    def __init__(self, view: View) -> None:
        self.view, self.bench, self.state = view, view.workbench, view.state
        known = {item["kind"] for item in events.listed()}
        kept = str(self.state.get("kind", ""))
        self.kind = kept if kept in known else "step-steer"
        self.followed = ""
        self._ended = True
        self._jobs = -1
        self._listed: tuple[Any, ...] = ()
        self._session = -1
        self._bars: dict[str, Any] = {}
        self.editing = ""
        self._build()
        self.choose(self.kind)
        self.show_vehicles()
        self.show_plan()
        self.turn("plan" if self.state.get("tab") == "plan" else "event")
        last = str(self.state.get("followed", ""))
        running = next(iter(self.bench.jobs.running), "")
        if running or last:
            self.follow(running or last)
        if not self.followed:
            self.plots.say(
                "Choose an event and press Run: what it does is drawn here, while it goes on and afterwards."
            )
        ui.timer(POLL, self.look)

    # --- elements ---------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        with ui.element("div").classes("jn-test"):
            with ui.element("aside").classes("jn-test-side"):
                ui.label("Events").classes("jn-section")
                self.library = EventList()
                self.library._props["events"] = events.listed()
                self.library.on("choose", lambda e: self.choose(str(e.args["kind"])))
                self.library.on("plan", lambda e: self.to_plan(str(e.args["kind"])))
                with ui.element("div").classes("jn-queue"):
                    with ui.element("div").classes("jn-section"):
                        self.queue_title = ui.label("Runs")
                    self.queue = ui.element("div").classes("jn-queue-list")
            self.middle = ui.element("section").classes("jn-test-form")
            with self.middle:
                with ui.element("div").classes("jn-pages"):
                    self.tabs = {}
                    for name, title in (("event", "Event"), ("plan", "Plan")):
                        tab = ui.element("button").classes("jn-page-tab")
                        with tab:
                            self.tabs[name] = (tab, ui.html(title, sanitize=False))
                        tab.on("click", lambda name=name: self.turn(name))
                    ui.element("div").classes("jn-space")
                    with dialogs.button("folder_open", "Plans on disk", lambda: None), ui.menu() as menu:
                        box = ui.element("div")
                    menu.on_value_change(lambda event: self.fill_plans(box) if event.value else None)
                self.cars = ui.element("div").classes("jn-vehicles")
                self.event_tab = ui.element("div").classes("jn-test-scroll")
                with self.event_tab:
                    self.about = ui.html("", sanitize=False)
                    self.presets = ui.element("div").classes("jn-presets")
                    self.form = Form()
                    self.form.on("change", lambda e: self.edit(dict(e.args["values"])))
                    self.form.on("turn", lambda e: self.unit(**{k: str(v) for k, v in dict(e.args).items()}))
                self.plan_tab = ui.element("div").classes("jn-test-scroll")
                with self.plan_tab:
                    self.table = PlanTable()
                    self.table.on("edit", lambda e: self.edit_test(dict(e.args)))
                    self.table.on("open", lambda e: self.open_test(str(e.args["id"])))
                    self.table.on("run", lambda e: self.run_plan([str(e.args["id"])]))
                    self.table.on("copy", lambda e: self._try(lambda: plan.copy(self.bench, str(e.args["id"]))))
                    self.table.on("remove", lambda e: self._try(lambda: plan.remove(self.bench, str(e.args["id"]))))
                with ui.element("div").classes("jn-actions"):
                    self.run_button = _do("Run", self.run, "Ctrl+Enter").classes("jn-run-button")
                    ui.html(_paces(str(self.state.get("pace", ""))), sanitize=False)
                    ui.element("div").classes("jn-space")
                    self.add_button = _do("Add to plan", lambda: self.to_plan(self.kind), "or double-click an event")
            with ui.element("section").classes("jn-test-live"):
                with ui.element("div").classes("jn-live-head"):
                    self.head = ui.element("b")
                    with self.head:
                        self.head_text = ui.html("nothing runs", sanitize=False)
                    self.phase = ui.label("").classes("jn-muted")
                    self.bar = ui.element("div").classes("jn-progress")
                    with self.bar:
                        self.fill = ui.element("div")
                    ui.element("div").classes("jn-space")
                    self.stop_button = _do("Stop", self.stop, "Escape; what was driven is kept").classes(
                        "jn-stop-button"
                    )
                    self.review_link = ui.link("Review ▸", "/review")
                with ui.element("div").classes("jn-test-scene"):
                    self.scene = Scene(self.view, camera="follow")
                with ui.element("div").classes("jn-test-plots"):
                    self.plots = Plots(self.view)
                    self.plots.on_ended(self.ended)
        self.bar.set_visibility(False)
        self.stop_button.set_visibility(False)
        self.review_link.set_visibility(False)

    def turn(self, name: str) -> None:
        """Show the event or the plan."""
        self.tab = name
        if self.state.get("tab") != name:
            self.state["tab"] = name
            self.view.save()
        for other, (tab, _) in self.tabs.items():
            tab.classes(add="jn-here" if other == name else "", remove="" if other == name else "jn-here")
        self.event_tab.set_visibility(name == "event")
        self.plan_tab.set_visibility(name == "plan")
        self.middle.classes(
            add="jn-plan-wide" if name == "plan" else "", remove="" if name == "plan" else "jn-plan-wide"
        )
        self.add_button.set_visibility(name == "event")
        self.tell_run()

    # --- the event --------------------------------------------------------------------------------------------------

    @property
    def values(self) -> dict[str, str]:
        """What the form holds of the event."""
        found: dict[str, str] = self.state.setdefault("values", {}).get(self.kind, {})
        return found

    def choose(self, kind: str) -> None:
        """Show another event."""
        self.kind, self.editing = kind, ""
        about = events.describe(kind)
        self.library._props["chosen"] = kind
        self.library.update()
        text = escape(about["more"])
        more = f'<details class="jn-about-more"><summary>How it is done</summary><pre>{text}</pre></details>'
        norm = f'<div class="jn-muted jn-about-norm">{escape(about["standard"])}</div>' if about["standard"] else ""
        self.about.set_content(
            f'<div class="jn-about"><div class="jn-about-words">'
            f'<div class="jn-about-title">{escape(about["title"])}</div>{norm}'
            f'<div class="jn-about-help">{escape(about["help"])}</div></div>{about["picture"]}</div>{more}'
        )
        self.presets.clear()
        with self.presets:
            if about["presets"]:
                ui.label("Presets").classes("jn-muted")
            for name in about["presets"]:
                _chip(name.replace("_", " "), partial(self.use_preset, name))
            _chip("defaults", lambda: self.edit({}))
        self.show_form()
        if self.state.get("kind") != kind:
            self.state["kind"] = kind
            self.view.save()
        if getattr(self, "tab", "event") == "plan":
            self.turn("event")

    def use_preset(self, name: str) -> None:
        """Fill the form with a preset."""
        self.edit(events.preset(self.kind, name))

    def show_form(self) -> None:
        """The parameters, with what is wrong in them."""
        _, errors, doubts = events.check(self.kind, self.values, self.bench.folders)
        fields = events.describe(self.kind)["fields"]
        self.form.show(kind=self.kind, fields=fields, values=self.values, errors=errors, doubts=doubts)
        self.errors = errors
        self.tell_run()

    def edit(self, values: Mapping[str, Any]) -> None:
        """Take other values; what is refused stands there with its message and is not run."""
        kept = {str(name): str(text) for name, text in values.items() if text is not None}
        self.state.setdefault("values", {})[self.kind] = kept
        if self.editing:
            self._try(lambda: plan.find(self.bench, self.editing).update(values=dict(kept)))
        self.view.save()
        self.show_form()

    def unit(self, name: str, unit: str, value: str = "") -> None:
        """Show a parameter in another unit."""
        text = self.values.get(name) or value
        if not text:
            return
        try:
            self.edit({**self.values, name: events.shown_in(text, unit)})
        except JounceError as problem:
            self.view.notify(str(problem), "warning")

    # --- vehicles ---------------------------------------------------------------------------------------------------

    @property
    def chosen(self) -> list[str]:
        """Vehicles that are run."""
        known = plan.vehicles(self.bench)
        found = [key for key in self.state.get("vehicles", []) if key in known]
        edited = f"{plan.DOCUMENT}{self.bench.session.of_page('build').get('document', '')}"
        if not found and edited in known:  # that of the Build page
            return [edited]
        return found or [next((key for key in known if key.startswith(plan.DOCUMENT)), f"{plan.NAMED}sedan")]

    def show_vehicles(self) -> None:
        """The chosen vehicles, and a way to others."""
        known = plan.vehicles(self.bench)
        chosen = self.chosen
        self._cars = (chosen, known)
        self.cars.clear()
        with self.cars:
            for key in chosen:
                with ui.element("span").classes("jn-chip jn-chip-on").props(f'data-vehicle="{escape(known[key])}"'):
                    ui.html(escape(known[key]), sanitize=False, tag="span")
                    if len(chosen) > 1:
                        away = ui.html(" ✕", sanitize=False, tag="span")
                        away.on("click", lambda key=key: self.pick_vehicles([k for k in chosen if k != key]))
            with ui.element("button").classes("jn-chip").props('aria-label="Choose vehicles"'):
                ui.html("vehicle ▾", sanitize=False)
                with ui.menu():
                    for key, label in known.items():
                        with ui.item(on_click=lambda key=key: self.pick_vehicles([key])).props(
                            "dense clickable v-close-popup"
                        ):
                            with ui.item_section():
                                ui.label(label)
                            with ui.item_section().props("side"):
                                mark = "check_box" if key in chosen else "add_box"
                                more = ui.button(icon=mark).props(
                                    'flat dense size=xs aria-label="Run with this one too"'
                                )
                                more.on("click.stop", lambda key=key: self.flip_vehicle(key))

    def flip_vehicle(self, key: str) -> None:
        """Run with one more vehicle, or without."""
        chosen = self.chosen
        self.pick_vehicles([k for k in chosen if k != key] if key in chosen else [*chosen, key])

    def pick_vehicles(self, keys: list[str]) -> None:
        """Run with these vehicles."""
        self.state["vehicles"] = keys[:MOST_VEHICLES]
        self.view.save()
        self.show_vehicles()
        self.tell_run()

    # --- the plan ---------------------------------------------------------------------------------------------------

    def show_plan(self) -> None:
        """The table of the plan."""
        self._session = self.bench.session.revision
        rows = [plan.row(test) for test in plan.tests(self.bench)]
        self.table._props["rows"] = rows
        self.table.update()
        self.tabs["plan"][1].set_content(f"Plan ({len(rows)})" if rows else "Plan")
        self.tell_run()

    def to_plan(self, kind: str) -> None:
        """Add an event to the plan with what the form holds of it."""
        values = self.state.get("values", {}).get(kind, {})
        self._try(lambda: plan.add(self.bench, kind, values))
        self.view.notify(f"in the plan: {events.describe(kind)['title']}", "positive")

    def edit_test(self, change: dict[str, Any]) -> None:
        """Change a cell of the plan."""

        def does() -> None:
            test = plan.find(self.bench, str(change["id"]))
            if "off" in change:
                test["off"] = bool(change["off"])
            else:
                text = str(change["value"]).strip()
                unit = next(f["unit"] for f in events.first_fields(test["kind"]) if f["name"] == change["name"])
                if text:
                    test["values"][change["name"]] = f"{text} {unit}".strip() if events.ALONE.fullmatch(text) else text
                else:
                    test["values"].pop(change["name"], None)
            self.bench.session.changed()

        self._try(does)

    def open_test(self, id: str) -> None:
        """Edit all parameters of a test of the plan."""
        test = plan.find(self.bench, id)
        self.state.setdefault("values", {})[test["kind"]] = dict(test["values"])
        self.choose(test["kind"])
        self.editing = id
        self.view.notify(f"editing “{test['name']}” of the plan", "info")

    def fill_plans(self, box: Any) -> None:
        """The menu of plans on disk."""
        box.clear()
        with box:
            for name, file in plan.known(self.bench).items():
                ui.menu_item(name, lambda file=file: self.open_plan(file))
            ui.separator()
            ui.menu_item("Save the plan as …", self.save_plan)
            ui.menu_item("Empty the plan", self.empty_plan)

    def open_plan(self, file: Any) -> None:
        """Take the tests of a file."""
        for remark in self._try(lambda: plan.open_file(self.bench, file)) or []:
            self.view.notify(remark, "warning")
        self.turn("plan")

    def empty_plan(self) -> None:
        """Take all tests out."""
        plan.tests(self.bench).clear()
        self.view.save()

    async def save_plan(self) -> None:
        """Write the plan to a file."""
        name = await dialogs.ask("Save the plan as", "plan")
        if name:
            file = self._try(lambda: plan.save(self.bench, name, self.chosen))
            if file is not None:
                self.view.notify(f"saved: {self.bench.folders.shown(file)}", "positive")

    # --- runs -------------------------------------------------------------------------------------------------------

    def tell_run(self) -> None:
        """What the button does, and whether it may."""
        count = len(self.chosen)
        if getattr(self, "tab", "event") == "plan":
            on = sum(not test.get("off") for test in plan.tests(self.bench))
            words, allowed = f"Run plan: {on * count} run{'s' if on * count != 1 else ''}", on > 0
        else:
            words, allowed = "Run" if count == 1 else f"Run {count} vehicles", not getattr(self, "errors", None)
        self.run_button.set_content(words)
        self.run_button.props(remove="disabled") if allowed else self.run_button.props("disabled")

    async def options(self) -> dict[str, Any]:
        """Options of a run."""
        pace = str(await ui.run_javascript("return document.querySelector('.jn-pace')?.value ?? ''", timeout=5))
        if self.state.get("pace", "") != pace:
            self.state["pace"] = pace
            self.view.save()
        return {"pace": float(pace)} if pace else {}

    async def run(self) -> None:
        """Run the event, or the plan."""
        if self.tab == "plan":
            await self.run_plan([])
            return
        event, errors, _ = events.check(self.kind, self.values, self.bench.folders)
        if event is None:
            self.show_form()
            self.view.notify("\n".join(f"{name}: {text}".lstrip(": ") for name, text in errors.items()), "negative")
            return
        options = await self.options()

        def submit() -> list[str]:
            ids = []
            for key in self.chosen:
                asked = plan.request(self.bench, key)
                label = events.label_of(asked["name"], event, self.values)
                ids.append(self.bench.jobs.submit(asked, event.to_dict(), options, label).id)
            return ids

        ids = self._try(submit)
        if ids:
            self.follow(ids[0])

    async def run_plan(self, only: list[str]) -> None:
        """Run the tests of the plan, or some of them."""
        options = await self.options()
        chosen = self.chosen
        ids = self._try(lambda: plan.submit(self.bench, chosen, options, only))
        if ids:
            self.follow(ids[0])

    def stop(self) -> None:
        """Stop the run that is watched."""
        if self.bench.jobs.find(self.followed) is not None:
            self._try(lambda: self.bench.jobs.stop(self.followed))

    def follow(self, id: str) -> None:
        """Watch a run: while it goes on as it comes, afterwards as a replay."""
        try:
            info = self.bench.runs.info(id)
        except JounceError:
            return
        self.followed = id
        if self.state.get("followed") != id:
            self.state["followed"] = id
            self.view.save()
        self.head_text.set_content(escape(info.label))
        self.review_link.props(f'href="/review?run={id}"')
        self._ended = self.bench.jobs.find(id) is None
        if self._ended:
            self.show_ended()
        else:
            self.scene.live(id)
            self.plots.live(id, info.label, layout.LIVE, self._end_of(info))
        self.tell_progress()

    @staticmethod
    def _end_of(info: Any) -> float:
        try:
            value = read_job(info.folder)["event"].get("end_time", 0.0)
            return float(value)
        except (JounceError, TypeError, ValueError):
            return 0.0

    def show_ended(self) -> None:
        """What became of the run that was watched."""
        info = self.bench.runs.info(self.followed)
        if info.status == "failed":
            self.plots.show([], layout.LIVE)
            self.plots.say(f"{info.label}: {info.reason}")
            self.scene.clear()
        else:
            self.plots.show([(info.id, info.label)], layout.LIVE)
            self.scene.replay(info.id)

    def ended(self, id: str, status: str) -> None:
        """The stream of rows has ended: the plots show the whole run by themselves."""
        if id == self.followed and not self._ended:
            self._ended = True
            self.show_ended()
            self.tell_progress()

    def look(self) -> None:
        """Notice what changed: jobs, the plan, vehicles."""
        jobs = self.bench.jobs
        if jobs.revision != self._jobs:
            self._jobs = jobs.revision
            if self._ended and jobs.running and self.followed not in jobs.running:
                self.follow(next(iter(jobs.running)))
            elif not self._ended and jobs.find(self.followed) is None:
                self.ended(self.followed, "")
            self.tell_progress()
            self.list_runs()
        if self.bench.session.revision != self._session:
            self.show_plan()
            if self._cars != (self.chosen, plan.vehicles(self.bench)):
                self.show_vehicles()

    def tell_progress(self) -> None:
        """How far the run is that is watched."""
        job = self.bench.jobs.find(self.followed)
        self.bar.set_visibility(job is not None)
        self.stop_button.set_visibility(job is not None)
        self.review_link.set_visibility(job is None and bool(self.followed))
        if job is not None:
            far = f"{job.time:.1f} of {job.end:.1f} s" if job.end else ""
            self.phase.set_text("stopping" if job.stopping else f"{job.phase} {far}".strip())
            self.fill.style(f"width: {100 * job.fraction:.1f}%")
            return
        if self.followed:
            try:
                info = self.bench.runs.info(self.followed)
            except JounceError:
                return
            why = f": {info.reason}" if info.reason and info.status != "complete" else ""
            self.phase.set_text(f"{info.status}{why}")

    def list_runs(self) -> None:
        """Runs that wait, go on, and have ended."""
        jobs = self.bench.jobs
        active = [*jobs.running.values(), *jobs.queue]
        ids = {job.id for job in active}
        recent = [info for info in self.bench.runs.list() if info.source == "session" and info.id not in ids][:RECENT]
        listed = (
            tuple((j.id, j.id in jobs.running, j.stopping) for j in active),
            tuple((i.id, i.label, i.status) for i in recent),
        )
        if listed != self._listed:
            self._listed = listed
            self._bars = {}
            self.queue.clear()
            waiting = f", {len(jobs.queue)} queued" if jobs.queue else ""
            self.queue_title.set_text(f"Runs{waiting}")
            with self.queue:
                for job in active:
                    self._job(job, job.id in jobs.running)
                for info in recent:
                    self._recent(info)
        for id, bar in self._bars.items():
            if id in jobs.running:
                bar.style(f"width: {100 * jobs.running[id].fraction:.1f}%")

    def _job(self, job: Any, running: bool) -> None:
        with ui.element("div").classes("jn-job"):
            with ui.element("span").classes("jn-job-label").on("click", lambda: self.follow(job.id)):
                ui.html(escape(job.label), sanitize=False)
            if running:
                with ui.element("div").classes("jn-progress"):
                    self._bars[job.id] = ui.element("div")
            else:
                ui.label("queued").classes("jn-muted")
            _do(
                "",
                lambda: self._try(lambda: self.bench.jobs.stop(job.id)),
                "Stop, or take out of the queue",
                "",
                "close",
            )

    def _recent(self, info: Any) -> None:
        with ui.element("div").classes("jn-job"):
            with ui.element("span").classes("jn-job-label").on("click", lambda: self.follow(info.id)) as label:
                ui.html(escape(info.label), sanitize=False)
            words = f"{info.status}: {info.reason}" if info.reason else info.status
            label.props(f'title="{escape(words, quote=True)}"')
            mark = {"partial": "◐", "failed": "✕"}.get(info.status, "")
            if mark:
                ui.label(mark).classes(f"jn-run-{info.status}")
            if info.status != "failed":
                ui.link("review", f"/review?run={info.id}")

    def _try(self, does: Callable[[], Any]) -> Any:
        try:
            return does()
        except JounceError as problem:
            self.view.notify(str(problem), "negative")
            return None


def _paces(chosen: str) -> str:
    options = [
        f'<option value="{value}"{" selected" if value == chosen else ""}>{words}</option>'
        for value, words in PACES.items()
    ]
    return f'<select class="jn-pace" aria-label="Pace">{"".join(options)}</select>'


def _do(text: str, does: Callable[[], Any], hint: str = "", classes: str = "jn-do", icon: str = "") -> Any:
    inside = f'<i class="material-icons">{icon}</i>' if icon else escape(text)
    button = ui.html(inside, sanitize=False, tag="button").classes(classes)
    button.props(f'title="{escape(hint, quote=True)}"')
    button.on("click", does)
    return button


def _chip(text: str, does: Callable[[], Any]) -> Any:
    return _do(text, does, classes="jn-chip")


async def build(view: View) -> None:
    """Fill the page."""
    await io_bound(events.listed)
    request = ui.context.client.request
    wanted = f"{plan.DOCUMENT}{request.query_params.get('document', '') if request is not None else ''}"
    if wanted in plan.vehicles(view.workbench):  # the way from the Build page leads to its vehicle
        view.state["vehicles"] = [wanted]
        view.save()
    Testing(view)


PAGE = Page(name="test", title="Test", order=20, icon="play_arrow", key="2", build=build)
