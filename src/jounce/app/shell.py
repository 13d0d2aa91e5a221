"""What surrounds every page: navigation, what goes on, colours, messages."""

from __future__ import annotations

import inspect
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from jounce.app import pages
from jounce.app.pages import Page, View

if TYPE_CHECKING:
    from fastapi import FastAPI

    from jounce.app.workbench import Workbench

THEMES = {"auto": None, "light": False, "dark": True}
LEVELS = {"info": "info", "good": "check_circle", "warning": "warning", "error": "error"}


def install(app: FastAPI, workbench: Workbench) -> None:
    """Make every page known to NiceGUI and put it below the application."""
    from nicegui import ui

    known = pages.pages()
    for page in known:
        ui.page(f"/{page.name}", title=f"{page.title} · jounce", response_timeout=30)(_builder(workbench, page, known))
    home = known[0]
    ui.page("/", title="jounce", response_timeout=30)(_builder(workbench, home, known))
    ui.run_with(
        app,
        title="jounce",
        favicon="<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M1 11 Q4 2 8 8 T15 5' "
        "fill='none' stroke='#2f6fb0' stroke-width='2'/></svg>",
        dark=None,
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=10.0,
    )


def _builder(workbench: Workbench, page: Page, known: list[Page]) -> Any:
    async def build() -> None:
        view = View(workbench, page)
        content = frame(view, known)
        with content:
            result = page.build(view)
            if inspect.isawaitable(result):
                await result

    return build


def frame(view: View, known: list[Page]) -> Any:
    """Navigation above, messages below; returns what is between them."""
    from nicegui import ui

    workbench = view.workbench
    for sheet in pages.sheets():
        ui.add_head_html(f'<link rel="stylesheet" href="{sheet}">')
    theme = str(workbench.session.setting("theme", "auto"))
    dark = ui.dark_mode(THEMES.get(theme))
    _background(view)
    view.dark = bool(THEMES.get(theme))
    outer = ui.element("div").classes("jn-app")
    with outer:
        with ui.element("header").classes("jn-bar"):
            ui.html('<a class="jn-logo" href="/">jounce</a>', sanitize=False)
            with ui.element("nav").classes("jn-nav"):
                for item in known:
                    mark = "jn-here" if item is view.page else ""
                    hint = f"Alt+{item.key}" if item.key else ""
                    ui.html(
                        f'<a class="{mark}" href="/{item.name}" title="{hint}" data-key="{item.key}">{item.title}</a>',
                        sanitize=False,
                    )
            view.header = ui.element("div").classes("jn-tools")
            ui.element("div").classes("jn-space")
            _activity(view)
            _menu(view)
            _theme(view, dark, theme)
        content = ui.element("main").classes("jn-main")
        _messages(view)
    ui.add_body_html('<script src="/static/app/shell.js"></script>')
    return content


def _background(view: View) -> None:
    """Give plots the background that the preferences name; what is drawn on it is light or dark after it."""
    from nicegui import ui

    preferences = view.workbench.preferences
    seen = -1

    def look() -> None:
        nonlocal seen
        if preferences.revision != seen:
            seen = preferences.revision
            ui.run_javascript(f"window.jouncePlotBackground({preferences['plot_background']!r})")

    ui.timer(0.3, look)


def _activity(view: View) -> None:
    """What goes on, with a button that stops it."""
    from nicegui import ui

    jobs = view.workbench.jobs
    box = ui.element("div").classes("jn-activity")
    with box:
        text = ui.label("").classes("jn-muted")
        bar = ui.element("div").classes("jn-progress")
        with bar:
            fill = ui.element("div")
    seen = -1

    def look() -> None:
        nonlocal seen
        if jobs.revision == seen:
            return
        seen = jobs.revision
        running = list(jobs.running.values())
        bar.set_visibility(bool(running))
        if not running:
            text.set_text(f"{len(jobs.queue)} queued" if jobs.queue else "")
            return
        job = running[0]
        waiting = f", {len(jobs.queue)} queued" if jobs.queue else ""
        text.set_text(f"{job.label}: {job.phase}{waiting}")
        fill.style(f"width: {100 * job.fraction:.1f}%")

    ui.timer(0.1, look)


def _menu(view: View) -> None:
    """Sessions and folders."""
    from nicegui import ui

    from jounce.app import preferences_menu, session_menu

    with ui.button().props("icon=menu flat dense round size=sm aria-label=Session") as button:
        ui.tooltip("Session, folders, preferences")
        with ui.menu().props("auto-close"):
            for text, do in (
                ("New session", session_menu.new),
                ("Open session …", session_menu.open_one),
                ("Save session as …", session_menu.save_as),
                ("Folders …", partial(preferences_menu.show, panel="Folders")),
                ("Preferences …", preferences_menu.show),
            ):
                ui.menu_item(text, lambda do=do: do(view)).classes("jf-menu")
    button.classes("jf-session")


def _theme(view: View, dark: Any, theme: str) -> None:
    """A button that goes through light, dark and what the system says."""
    from nicegui import ui

    icons = {"auto": "brightness_auto", "light": "light_mode", "dark": "dark_mode"}
    current = theme if theme in THEMES else "auto"

    def turn() -> None:
        nonlocal current
        order = list(THEMES)
        current = order[(order.index(current) + 1) % len(order)]
        view.workbench.session.set("theme", current)
        dark.value = THEMES[current]
        button.props(f"icon={icons[current]}")
        tip.set_text(f"Colours: {current}")
        if THEMES[current] is not None:
            view.set_dark(bool(THEMES[current]))

    button = ui.button(on_click=turn).props(f"icon={icons[current]} flat dense round size=sm aria-label=Colours")
    with button:
        tip = ui.tooltip(f"Colours: {current}")
    if THEMES[current] is None:

        async def ask() -> None:
            with suppress(TimeoutError):  # the tab is gone, or will ask again
                found = await ui.run_javascript("return matchMedia('(prefers-color-scheme: dark)').matches", timeout=5)
                view.set_dark(bool(found))

        ui.timer(0.2, ask, once=True)


def _messages(view: View) -> None:
    """The log: one line that opens."""
    from nicegui import ui

    log = view.workbench.log
    session = view.workbench.session
    state, epoch = session.data["settings"], session.epoch
    seen = -1
    with ui.element("footer").classes("jn-log") as footer:
        with ui.element("div").classes("jn-log-line") as line:
            icon = ui.icon("expand_less")
            last = ui.label("").classes("jn-log-last")
        body = ui.element("div").classes("jn-log-body")
    opened = bool(state.get("log"))

    def toggle() -> None:
        nonlocal opened
        opened = not opened
        view.workbench.session.set("log", opened)
        show()

    def show() -> None:
        body.set_visibility(opened)
        icon.props(f"name={'expand_more' if opened else 'expand_less'}")

    def look() -> None:
        nonlocal seen, epoch
        if session.epoch != epoch:  # another session took the place of this one
            epoch = session.epoch
            ui.navigate.reload()
        if log.revision == seen:
            return
        seen = log.revision
        entries = list(log.entries)
        last.set_text(_words(entries[-1]) if entries else "no messages")
        footer.classes(replace=f"jn-log jn-log-{entries[-1].level}" if entries else "jn-log")
        body.clear()
        with body:
            for entry in reversed(entries[-100:]):
                with ui.element("div").classes(f"jn-entry jn-entry-{entry.level}"):
                    ui.icon(LEVELS[entry.level])
                    ui.label(_clock(entry.time)).classes("jn-muted")
                    if entry.link:
                        ui.link(entry.source or "show", entry.link)
                    elif entry.source:
                        ui.label(entry.source).classes("jn-source")
                    ui.label(entry.text).classes("jn-text")

    line.on("click", toggle)
    show()
    look()
    ui.timer(0.25, look)


def _clock(seconds: float) -> str:
    import time

    return time.strftime("%H:%M:%S", time.localtime(seconds))


def _words(entry: Any) -> str:
    return f"{entry.source}: {entry.text}" if entry.source else entry.text
