"""Make tables and pictures of the pages about events: python tools/make_event_docs.py [--check] [--pictures [EVENT …]]

docs/events/<event>.md   the tables of parameters and presets, between two marker lines, from the event's class; a page
                         that is missing is begun with what the class says, to be written on by hand
docs/events.md           the table of the parameters that all events share; a row that is missing
docs/images/events/      one picture per event, the sedan with the event's default values, and those of docs/tutorial.md
                         and docs/cornering.md
                         (``--pictures``)

``--check`` writes nothing; it exits with 1, and says so, when a table is not up to date, an event has no page, no
picture or no row in docs/events.md, or a page belongs to no event.
"""

from __future__ import annotations

import argparse
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, get_args

import numpy as np

from jounce import events
from jounce.core.fields import meta
from jounce.events.base import Event

DOCS = Path(__file__).resolve().parent.parent / "docs"
OVERVIEW, PAGES, PICTURES = DOCS / "events.md", DOCS / "events", DOCS / "images" / "events"
BEGIN = "<!-- begin: made by tools/make_event_docs.py, do not edit -->"
END = "<!-- end: made by tools/make_event_docs.py -->"
COMMON = tuple(name for name in Event.model_fields if name not in ("speed", "end_time"))
SIGNS = {"gt": "> ", "ge": "≥ ", "lt": "< ", "le": "≤ "}
LARGEST = 80_000  # bytes of a picture


# --- tables ----------------------------------------------------------------------------------------------------------


def shown(value: Any, unit: str) -> str:
    """A value as one would type it: 27.78 m/s as 100 km/h, 0.5236 rad as 30 deg, where that is the rounder number."""
    if value is None or value in ("", ()):
        return "none"
    if isinstance(value, bool):
        return f"`{value}`"
    if isinstance(value, str):
        return f"`{value!r}`"
    choices = [(value, unit)]
    if unit.startswith("rad"):
        choices.insert(0, (math.degrees(value), unit.replace("rad", "deg", 1)))
    if unit == "m/s":
        choices.append((3.6 * value, "km/h"))
    round_ones = [(v, u) for v, u in choices if math.isclose(v, round(v, 2), rel_tol=1e-9, abs_tol=1e-12)]
    number, name = (round_ones or choices)[0]
    if value == 0:
        number, name = 0.0, unit
    return f"{number:.6g}" if name in ("-", "") else f"{number:.6g} {name}"


def bounds(cls: type[Event], name: str) -> str:
    info = cls.model_fields[name]
    if meta(info).get("kind") == "flag":
        return "`True`, `False`"
    if meta(info).get("kind") == "choice":
        return ", ".join(f"`{value!r}`" for value in get_args(info.annotation))
    limits = {key: getattr(item, key) for item in info.metadata for key in SIGNS if hasattr(item, key)}
    if "ge" in limits and "le" in limits:
        low, high = limits["ge"], limits["le"]
        return f"{low:g}" if low == high else f"{low:g} … {high:g}"
    return ", ".join(f"{SIGNS[key]}{value:g}" for key, value in limits.items())


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    head = list(head)
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]


def parameters(cls: type[Event], names: Iterable[str]) -> list[str]:
    rows = []
    for name in names:
        info = cls.model_fields[name]
        unit = str(meta(info).get("unit", ""))
        rows.append((f"`{name}`", unit, shown(info.default, unit), bounds(cls, name), str(info.description)))
    return table(("parameter", "unit", "default", "range", "meaning"), rows)


def own(cls: type[Event]) -> list[str]:
    """Names of an event's parameters but those that all share as they are, in the order in which one asks for them."""
    other = [name for name in COMMON if cls.model_fields[name].default != Event.model_fields[name].default]
    return ["speed", *other, *(name for name in cls.model_fields if name not in Event.model_fields), "end_time"]


def presets(cls: type[Event]) -> list[str]:
    """A column per preset that differs from the default values."""
    same = [name for name, values in cls.presets.items() if not values]
    lines = []
    if same:
        names = " and ".join(f"`{name}`" for name in same)
        lines = [f"{names}: the default values above.", ""]
    others = {name: values for name, values in cls.presets.items() if values}
    if others:
        keys = [name for name in own(cls) if any(name in values for values in others.values())]
        rows = []
        for key in keys:
            unit = str(meta(cls.model_fields[key]).get("unit", ""))
            rows.append(
                (f"`{key}`", *(shown(values[key], unit) if key in values else "default" for values in others.values()))
            )
        lines += [*table(("preset", *(f"`{name}`" for name in others)), rows), ""]
    return lines


def page_tables(cls: type[Event]) -> str:
    lines = ["## Parameters", "", *parameters(cls, own(cls)), ""]
    lines += ["Road and place: the parameters that [all events share](../events.md#parameters).", ""]
    return "\n".join([*lines, "## Presets", "", *presets(cls)])


def common_table() -> str:
    return "\n".join([*parameters(Event, COMMON), ""])


def between_markers(path: Path, inner: str) -> str:
    text = path.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise SystemExit(f"{path.name}: expected one line {BEGIN!r} and one line {END!r}")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{inner}\n{END}{rest.split(END)[1]}"


def missing() -> list[str]:
    """What is there on one side only: events and pages."""
    kinds = shipped()
    found = []
    overview = OVERVIEW.read_text(encoding="utf-8")
    for kind in kinds:
        if not (PAGES / f"{kind}.md").is_file():
            found.append(f"docs/events/{kind}.md: missing; tools/make_event_docs.py begins it")
        if not (PICTURES / f"{kind}.png").is_file():
            found.append(f"docs/images/events/{kind}.png: missing; run tools/make_event_docs.py --pictures {kind}")
        if f"(events/{kind}.md)" not in overview:
            found.append(f"docs/events.md: no row for {kind}; tools/make_event_docs.py writes it")
    for page in PAGES.glob("*.md"):
        if page.stem not in kinds:
            found.append(f"docs/events/{page.name}: belongs to no event")
    return found


def begun(cls: type[Event]) -> str:
    """The page of an event that has none yet: what its class says, empty tables, key figures as the sedan has them."""
    import jounce as jn
    from jounce.results import words
    from jounce.results.display import pretty

    run = jn.run(jn.load(vehicle_of(cls.kind)), cls())
    rows = [(f"`{key}`", pretty(unit) or "1", words.figure(key, cls.kind)) for key, (_, unit) in run.kpis.items()]
    lines = [f"# {cls.title}", "", inspect.getdoc(cls) or "", ""]
    lines += [f"![{cls.title}](../images/events/{cls.kind}.png)", "", "```python", "import jounce as jn", ""]
    lines += [
        f'run = jn.run(jn.load("{vehicle_of(cls.kind)}"), jn.events.{cls.__name__}())',
        "print(run.kpis)",
        "```",
        "",
    ]
    other = "" if vehicle_of(cls.kind) == "sedan" else f" --vehicle {vehicle_of(cls.kind)}"
    lines += ["```sh", f"jounce run {cls.kind}{other}", "```", "", BEGIN, END, ""]
    return "\n".join([*lines, "## Key figures", "", *table(("figure", "unit", "definition"), rows), ""])


def with_row(text: str, cls: type[Event]) -> str:
    """The overview with a row for an event, after the last one."""
    about = (inspect.getdoc(cls) or "").splitlines()[0].rstrip(".")
    last = [line for line in text.splitlines() if line.startswith("| [")][-1]
    row = f"| [{cls.kind}](events/{cls.kind}.md) | {about} | {cls.standard} | |"
    return text.replace(last, f"{last}\n{row}")


def begin_pages() -> None:
    """Begin the page and the row of every event that has none."""
    for cls in map(events.find, shipped()):
        page = PAGES / f"{cls.kind}.md"
        overview = OVERVIEW.read_text(encoding="utf-8")
        if f"(events/{cls.kind}.md)" not in overview:
            OVERVIEW.write_text(with_row(overview, cls), encoding="utf-8")
            print(f"docs/events.md: row of {cls.kind} written")
        if not page.is_file():
            page.write_text(begun(cls), encoding="utf-8")
            print(f"docs/events/{page.name}: begun")


def shipped() -> list[str]:
    """Names of the events of the package."""
    return [name for name in events.names() if events.find(name).__module__.startswith("jounce.events.")]


# --- pictures --------------------------------------------------------------------------------------------------------

LABELS = {
    "steering": "hand wheel angle",
    "hand_torque": "hand wheel torque",
    "throttle": "drive demand",
    "brake": "brake demand",
    "speed": "speed",
    "forward_speed": "speed",
    "lateral_acceleration": "lateral acceleration",
    "longitudinal_acceleration": "acceleration",
    "yaw_rate": "yaw rate",
    "roll": "roll angle",
    "roll_rate": "roll rate",
    "pitch": "pitch angle",
    "side_slip": "side slip angle",
    "height": "body height",
}
UNITS = {
    "rad": ("deg", math.degrees(1)),
    "rad/s": ("deg/s", math.degrees(1)),
    "m/s": ("km/h", 3.6),
    "m/s2": ("m/s²", 1.0),
    "m": ("mm", 1000.0),
    "N": ("kN", 1e-3),
    "N.m": ("N·m", 1.0),
}
CORNER_COLOURS = {"L1": "#1f5fa8", "R1": "#d98324", "L2": "#2f8f5b", "R2": "#b3432b"}


def quantity(run: Any, signal: str) -> tuple[Any, str]:
    """Values and label of a signal, or of a channel given as (channel, words)."""
    channel, words = (run.signal_channel(signal), LABELS[signal]) if isinstance(signal, str) else signal
    unit, factor = UNITS.get(run.unit(channel), (run.unit(channel), 1.0))
    return factor * run[channel], f"{words} / {unit}" if unit not in ("-", "") else words


def over_time(
    *signals: Any, window: tuple[float, float] | None = None, width: float = 1.5
) -> Callable[[Any, Any], None]:
    def draw(run: Any, axes: Any) -> None:
        for panel, signal in zip(axes.flat, signals, strict=True):
            values, label = quantity(run, signal)
            panel.plot(run.time, values, linewidth=width)
            finish(panel, "time / s", label)
            if window is not None:
                panel.set_xlim(*window)

    return draw


def over_lateral_acceleration(*signals: Any) -> Callable[[Any, Any], None]:
    def draw(run: Any, axes: Any) -> None:
        across, label = quantity(run, "lateral_acceleration")
        begin = run.number("start_time", "s")
        rows = run.time >= (begin if math.isfinite(begin) else 0.0)
        for panel, signal in zip(axes.flat, signals, strict=True):
            values, words = quantity(run, signal)
            panel.plot(across[rows], values[rows])
            finish(panel, label, words)

    return draw


def frequency(window: tuple[float, float], width: float = 1.5) -> Callable[[Any, Any], None]:
    """Steering and yaw rate over time; gain and phase of both answers over frequency."""

    def draw(run: Any, axes: Any) -> None:
        from jounce.results.key_figures.frequency import frequency_response

        over_time("steering", "yaw_rate", window=window, width=width)(run, axes[0])
        gain, phase = axes[1]
        for signal, words in (("yaw_rate", "yaw rate"), ("lateral_acceleration", "lateral acceleration")):
            found = frequency_response(run.time, run.signal("steering"), run.signal(signal)).between(0.2, 3.0)
            gain.plot(found.frequency, found.gain / found.gain[0], label=words)
            phase.plot(found.frequency, np.degrees(found.phase), label=words)
        for panel, label in ((gain, "gain over that at 0.2 Hz"), (phase, "phase / deg")):
            panel.set_xscale("log")
            panel.set_xticks([0.2, 0.5, 1, 2, 3], ["0.2", "0.5", "1", "2", "3"])
            panel.minorticks_off()
            finish(panel, "frequency / Hz", label)
            panel.legend(frameon=False, fontsize=8)
        gain.set_ylim(0, None)

    return draw


def amplitudes(run: Any, axes: Any) -> None:
    """Yaw rate of all runs to the left, and figures of both sides over the amplitude with their limits."""
    from jounce.results.trials import shades

    every, first, second, aside = axes.flat
    left = [trial for trial in run.trials if trial.name.startswith("left")]
    for trial, colour in zip(left, shades(left, ("left",)), strict=True):
        every.plot(trial.trace.time, np.degrees(trial.trace.signal("yaw_rate")), color=colour, linewidth=0.8)
    finish(every, "time / s", "yaw rate / (deg/s)")
    limits = (
        ("yaw_rate_ratio_1_00", 35.0, "%"),
        ("yaw_rate_ratio_1_75", 20.0, "%"),
        ("lateral_displacement", 1.83, "m"),
    )
    for panel, (key, limit, unit) in zip((first, second, aside), limits, strict=True):
        for side, mark in (("left", "o"), ("right", "x")):
            mine = [trial for trial in run.trials if trial.name.startswith(side)]
            x = [trial.figure("steering_amplitude") for trial in mine]
            panel.plot(x, [trial.figure(key) for trial in mine], mark, markersize=3.5, label=side, fillstyle="none")
        panel.axhline(limit, color="#b3261e", linestyle="--", linewidth=1, label="limit")
        panel.legend(frameon=False, fontsize=8)
        finish(panel, "amplitude / deg", f"{key.replace('_', ' ').replace('1 ', '1.')} / {unit}")
        panel.set_ylim(0, None)


def coasting(run: Any, axes: Any) -> None:
    left, right = axes.flat
    speed, label = quantity(run, "forward_speed")
    left.plot(run.time, speed)
    finish(left, "time / s", label)
    ax, words = quantity(run, "longitudinal_acceleration")
    settled = run.time > 0.5
    right.plot(speed[settled], -ax[settled])
    right.set_ylim(0, None)
    finish(right, label, words.replace("acceleration", "deceleration"))


def dropping(run: Any, axes: Any) -> None:
    height, wheel, load, pitch = axes.flat
    for panel, signal in ((height, "height"), (pitch, "pitch")):
        values, label = quantity(run, signal)
        panel.plot(run.time, values - (values[-1] if signal == "height" else 0.0))
        finish(panel, "time / s", label if signal == "pitch" else "height above rest / mm")
    for panel, pattern, words in (
        (wheel, "Suspension.Jounce.{}", "wheel travel"),
        (load, "Tire.Ground_Surface_Force_Z.{}", "wheel load"),
    ):
        for corner, place in (("L1", "front"), ("L2", "rear")):
            values, label = quantity(run, (pattern.format(corner), words))  # type: ignore[arg-type]
            panel.plot(run.time, values, color=CORNER_COLOURS[corner], label=place)
        finish(panel, "time / s", label)
        panel.legend(frameon=False, fontsize=8)
    for panel in axes.flat:
        panel.set_xlim(0, 2.5)


def released(run: Any, axes: Any) -> None:
    over_time("steering", "hand_torque", "yaw_rate", "lateral_acceleration")(run, axes)
    for panel in axes.flat:
        panel.axvline(run.number("release_time", "s"), color="#888888", linestyle=":", linewidth=1)
    axes.flat[0].annotate(
        "let go", (run.number("release_time", "s"), 0.9), (6, 0), xycoords=("data", "axes fraction"),
        textcoords="offset points", fontsize=8, color="#555555", va="center",
    )  # fmt: skip


def finish(panel: Any, xlabel: str, ylabel: str) -> None:
    panel.set_xlabel(xlabel)
    panel.set_ylabel(ylabel)
    panel.grid(True, color="#e3e6ea", linewidth=0.8)
    panel.spines[["top", "right"]].set_visible(False)
    panel.margins(x=0.01)


def cycling(run: Any, axes: Any) -> None:
    """Speed, and energy by place over time."""
    speed, energy = axes.flat
    values, label = quantity(run, "forward_speed")
    speed.plot(run.time, values, linewidth=0.8)
    finish(speed, "time / s", label)
    for name in ("hubs", "drag", "rolling", "brakes"):
        energy.plot(run.time, run[f"Energy.{name}"] / 1e6, linewidth=1.2, label=name)
    energy.legend(fontsize=8)
    finish(energy, "time / s", "energy / MJ")


def first_panels(run: Any, axes: Any) -> None:
    """The first panels of the report of a run."""
    from jounce.results.panels import panels

    for axis, panel in zip(axes.flat, panels([run], [""], "engineering"), strict=False):
        for curve in panel.curves:
            axis.plot(curve.x, curve.y, linewidth=1.0, label=curve.name)
        if panel.log:
            axis.set_xscale("log")
            if "phase" not in panel.title:
                axis.set_yscale("log")
            axis.set_xticks([0.5, 1, 2, 5, 10, 20, 50], ["0.5", "1", "2", "5", "10", "20", "50"], minor=False)
            axis.set_xticks([], minor=True)
        if len(panel.curves) > 1:
            axis.legend(fontsize=7)
        axis.set_title(panel.title, fontsize=9)
        finish(axis, panel.xlabel, panel.unit)


def over_steering(*signals: Any) -> Callable[[Any, Any], None]:
    def draw(run: Any, axes: Any) -> None:
        across, label = quantity(run, "steering")
        for panel, signal in zip(axes.flat, signals, strict=True):
            values, words = quantity(run, signal)
            panel.plot(across, values, linewidth=1.0)
            finish(panel, label, words)

    return draw


def tilting(run: Any, axes: Any) -> None:
    """Loads of the wheels and roll over the angle of the table."""
    from jounce.results.key_figures.common import moving_mean

    loads, roll = axes.flat
    normals = [run[f"Tire.Contact_Patch_Normal_Z.{wheel}"] for wheel in CORNER_COLOURS]
    angle = np.degrees(np.arccos(np.clip(np.max(normals, axis=0), -1.0, 1.0)))
    for wheel, colour in CORNER_COLOURS.items():
        load = moving_mean(run.time, run[f"Tire.Ground_Surface_Force_Z.{wheel}"], 0.5) / 1e3
        loads.plot(angle, load, color=colour, linewidth=1.2, label=wheel)
    loads.legend(fontsize=8)
    finish(loads, "angle of the table / deg", "wheel load / kN")
    values, words = quantity(run, "roll")
    roll.plot(angle, values)
    roll.set_ylim(0.0, 8.0)
    finish(roll, "angle of the table / deg", f"{words}, to the table")


def circling(run: Any, axes: Any) -> None:
    """Ways of the wheels; hand torque."""
    ways, hand = axes.flat
    for wheel, colour in CORNER_COLOURS.items():
        x, y = (run[f"Tire.Contact_Patch_Global_{axis}.{wheel}"] for axis in "XY")
        ways.plot(x, y, color=colour, linewidth=1.0, label=wheel)
    ways.set_aspect("equal")
    ways.legend(fontsize=8)
    finish(ways, "x / m", "y / m")
    values, words = quantity(run, "hand_torque")
    hand.plot(run.time, values, linewidth=1.0)
    finish(hand, "time / s", words)


def among_cones(run: Any, axes: Any) -> None:
    """The course from above, in two halves, and what the driver did."""
    from jounce.results.cone_drawing import on_course, outline
    from jounce.results.key_figures.cones import hits, kept

    course = kept(run)
    assert course is not None
    cones, x, y, yaw = on_course(run, course)
    hit = {h.cone for h in hits(run)}
    begin, end = float(cones[:, 2].min()) - 8, float(cones[:, 2].max()) + 8
    low, high = min(float(cones[:, 3].min()), float(y.min()) - 1.5), max(float(cones[:, 3].max()), float(y.max()) + 1.5)
    panels = axes[:-1, 0]
    for k, panel in enumerate(panels):
        for t in np.arange(run.time[0], run.time[-1], 0.3):
            corners = outline(course, *(float(np.interp(t, run.time, v)) for v in (x, y, yaw)))
            panel.fill(*corners.T, facecolor="#1f5fa81a", edgecolor="#1f5fa8", linewidth=0.6)
        panel.plot(x, y, color="#1f5fa8", linewidth=1.2)
        for number, (_, _, cx, cy) in enumerate(cones, 1):
            panel.plot(cx, cy, "o", color="#b3432b" if number in hit else "#d98324", markersize=4)
        length = (end - begin) / len(panels)
        finish(panel, "x / m", "y / m")
        panel.set_aspect("equal")
        panel.set_xlim(begin + k * length, begin + (k + 1) * length)
        middle, half = 0.5 * (low + high), max(0.5 * (high - low), 0.1 * length) + 0.5
        panel.set_ylim(middle - half, middle + half)
    last = axes[-1, 0]
    for signal, colour in (("steering", "#1f5fa8"), ("lateral_acceleration", "#d98324")):
        values, label = quantity(run, signal)
        own = last if signal == "steering" else last.twinx()
        own.plot(run.time, values, color=colour, linewidth=1.2)
        if signal == "steering":
            finish(own, "time / s", label)
        else:
            own.set_ylabel(label)
            own.spines[["top"]].set_visible(False)
        own.yaxis.label.set_color(colour)


def starting(run: Any, axes: Any) -> None:
    """Both techniques on a car with motors, which nothing holds but its brakes: way, speed and pedals."""
    import jounce as jn

    way, speed, brake, throttle = axes.flat
    for technique, colour in (("hold", "#1f5fa8"), ("foot", "#d98324")):
        found = jn.run(jn.load("bev"), events.find("hill-start")(technique=technique))
        rows = found.time >= found.number("start_time", "s") - 0.5
        time, v = found.time[rows], found.signal("forward_speed")[rows]
        s = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) * np.diff(time))])
        way.plot(time, 1e3 * s, color=colour, label=technique)
        speed.plot(time, 3.6 * v, color=colour)
        for panel, name in ((brake, "brake"), (throttle, "throttle")):
            panel.plot(time, found.signal(name)[rows], color=colour)
    for panel, label in (
        (way, "way / mm"),
        (speed, "speed / (km/h)"),
        (brake, "brake demand"),
        (throttle, "drive demand"),
    ):
        finish(panel, "time / s", label)
        panel.set_xlim(0.5, 3.5)
    way.set_ylim(-250, 500)
    speed.set_ylim(-2.5, 8)
    way.legend(frameon=False, fontsize=8)


def parking(run: Any, axes: Any) -> None:
    """Both kinds of spaces from above, with the body now and then."""
    import jounce as jn
    from jounce.events.library.parking_manoeuvre import seen_from_above
    from jounce.results.panels import View

    for panel, kind in zip(axes.flat, ("bay", "parallel"), strict=True):
        found = run if kind == "bay" else jn.run(jn.load("sedan"), events.find("parking-manoeuvre")(variant=kind))
        for curve in seen_from_above(View([found], [""], "engineering"))[0].curves:
            panel.plot(curve.x, curve.y, "--" if curve.dash else "-", color=curve.colour, linewidth=1.0)
        finish(panel, "x / m", "y / m")
        panel.set_aspect("equal")
        panel.margins(0.03)
    axes.flat[1].set_xlim(-13, 8)


TRAVEL = ("Suspension.Jounce.L1", "wheel travel, front left")


def of_report(*titles: str) -> Callable[[Any, Any], None]:
    """Panels of the event's report whose titles begin so."""

    def draw(run: Any, axes: Any) -> None:
        from jounce.results import kinds
        from jounce.results.panels import View

        view = View([run], [""], "engineering")
        found = [panel for maker in kinds.find(run.event).panels for panel in maker(view)]
        for where, title in zip(axes.flat, titles, strict=True):
            panel = next(item for item in found if item.title.startswith(title))
            for curve in panel.curves:
                where.plot(curve.x, curve.y, color=curve.colour, linewidth=1.3, label=curve.name or None)
            finish(where, panel.xlabel, f"{panel.title.lower()}{f' / {panel.unit}' if panel.unit else ''}")
            where.yaxis.label.set_size(7.5)
            if panel.equal:
                where.set_aspect("equal", adjustable="datalim")
                where.set_xlabel("x / m"), where.set_ylabel("y / m")
            if any(curve.name for curve in panel.curves):
                where.legend(fontsize=6, framealpha=0.7)

    return draw


DRAWINGS: dict[str, tuple[tuple[int, int], Callable[[Any, Any], None]]] = {
    "hill-start": ((2, 2), starting),
    "lateral-transient": (
        (2, 2),
        of_report("Lateral acceleration", "Yaw rate of", "Off-tracking", "Load transfer"),
    ),
    "low-speed-turn": ((1, 2), of_report("Ways of the axles", "Off-tracking")),
    "roll-stability": ((1, 2), of_report("Speed, all runs", "Roll angle")),
    "trailer-sway": ((1, 2), of_report("Damping", "Angle of the first")),
    "parking-manoeuvre": ((1, 2), parking),
    "parking": ((1, 2), over_steering("hand_torque", ("Steering_System.Rack_Force", "rack force"))),
    "steering-pulse": ((2, 2), over_time("steering", "yaw_rate", "lateral_acceleration", "hand_torque")),
    "tilt-table": ((1, 2), tilting),
    "transition": ((1, 2), over_lateral_acceleration("hand_torque", "steering")),
    "turning-circle": ((1, 2), circling),
    "braking-in-turn": ((2, 2), over_time("brake", "speed", "yaw_rate", "lateral_acceleration")),
    "power-off-in-turn": ((2, 2), over_time("throttle", "speed", "yaw_rate", "side_slip")),
    "steady-circle": ((2, 2), over_lateral_acceleration("steering", "side_slip", "roll", "hand_torque")),
    "coast-down": ((1, 2), coasting),
    "cone-course": ((2, 1), among_cones),
    "cycle": ((1, 2), cycling),
    "double-lane-change": ((3, 1), among_cones),
    "drop": ((2, 2), dropping),
    "abs-stop": ((2, 2), over_time("brake", "forward_speed", "longitudinal_acceleration", "pitch")),
    "fishhook": ((2, 2), over_time("steering", "lateral_acceleration", "roll", "roll_rate")),
    "impulse-steer": ((2, 2), frequency((0.5, 4.0))),
    "j-turn": ((2, 2), over_time("steering", "brake", "lateral_acceleration", "roll_rate")),
    "mu-split": ((2, 2), over_time("forward_speed", "steering", "yaw_rate", "lateral_acceleration")),
    "ramp-steer": ((2, 2), over_lateral_acceleration("steering", "side_slip", "roll", "hand_torque")),
    "ride": ((2, 2), first_panels),
    "seven-post": ((2, 2), first_panels),
    "sine-with-dwell": ((2, 2), amplitudes),
    "slowly-increasing-steer": ((1, 2), over_lateral_acceleration("steering", "side_slip")),
    "misuse": ((2, 2), over_time("forward_speed", "longitudinal_acceleration", TRAVEL, "pitch", window=(1.5, 4.0))),
    "sine-steer": ((2, 2), over_time("steering", "yaw_rate", "lateral_acceleration", "roll")),
    "steering-release": ((2, 2), released),
    "slalom": ((4, 1), among_cones),
    "step-steer": ((2, 2), over_time("steering", "yaw_rate", "lateral_acceleration", "side_slip", window=(0.5, 4.0))),
    "straight-acceleration": ((2, 2), over_time("throttle", "forward_speed", "longitudinal_acceleration", "pitch")),
    "straight-braking": ((2, 2), over_time("brake", "forward_speed", "longitudinal_acceleration", "pitch")),
    "weave": ((1, 2), over_lateral_acceleration("hand_torque", "steering")),
    "swept-steer": ((2, 2), frequency((0.0, 42.0), width=0.6)),
}
PARAMETERS: dict[str, dict[str, Any]] = {  # of the pictures, where the default values do not show much
    "sine-with-dwell": {"controller": "stability_control"},
    "slowly-increasing-steer": {"direction": "left"},
    "roll-stability": {"controller": "roll_stability", "direction": "left"},
}
USUAL = ((2, 2), over_time("steering", "speed", "yaw_rate", "lateral_acceleration"))


# what shows more of an event than the sedan does
VEHICLES = {
    "lateral-transient": "tractor_semitrailer",
    "low-speed-turn": "tractor_semitrailer",
    "roll-stability": "light_truck",
}
OTHERS = ("sedan", "car_caravan", "tractor_semitrailer")


def vehicle_of(kind: str) -> str:
    """The vehicle that a page shows: the sedan, or one that the event does not refuse."""
    from jounce.vehicle.reading import load

    fitting = (name for name in OTHERS if not events.find(kind)().refuses(load(name)))
    return VEHICLES.get(kind) or next(fitting, "sedan")


def picture(kind: str) -> Path:
    """Draw an event as its vehicle drives it."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    import jounce as jn

    run = jn.run(jn.load(vehicle_of(kind)), events.find(kind)(**PARAMETERS.get(kind, {})))
    (rows, columns), draw = DRAWINGS.get(kind, USUAL)
    options = {"font.size": 9, "axes.formatter.useoffset": False}
    with mpl.rc_context(options):
        figure = Figure(figsize=(8.0, 0.4 + 2.3 * rows), layout="constrained")
        axes = figure.subplots(rows, columns, squeeze=False)
        draw(run, axes)
        figure.align_ylabels()
        path = PICTURES / f"{kind}.png"
        save(figure, path)
    return path


def tutorial() -> Path:
    """The picture that the tutorial makes."""
    import jounce as jn

    run = jn.run(jn.load("sedan"), jn.events.StepSteer())
    path = PICTURES / "tutorial.png"
    save(run.plot("driver_demands.steering", "chassis_velocities.yaw", "Tire.Ground_Surface_Force_Z.*"), path)
    return path


def methods() -> Path:
    """The picture of docs/cornering.md: the methods of ISO 4138 on one car, and what braking does in the turn."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    import jounce as jn

    sedan = jn.load("sedan")
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(8.0, 2.7), layout="constrained")
        understeer, ratio = figure.subplots(1, 2)
        for method in ("constant_radius", "constant_steering_wheel", "constant_speed"):
            run = jn.run(sedan, events.SteadyCircle(method=method))
            rows = (run.time > run.number("start_time", "s")) & (run.signal("lateral_acceleration") < 7.5)
            curvature = run.signal("yaw_rate") / run.signal("speed")
            angle = run.signal("steering") / run.quantity("steering_ratio") - sedan.wheelbase * curvature
            across = run.signal("lateral_acceleration")[rows]
            understeer.plot(across, np.degrees(angle[rows]), linewidth=1.2, label=method.replace("_", " "))
        understeer.legend(fontsize=8)
        finish(understeer, "lateral acceleration / m/s²", "δ − L/R / deg")
        for deceleration in (2.0, 4.0, 6.0):
            run = jn.run(sedan, events.BrakingInTurn(deceleration=deceleration))
            rows = (run.time > 1.5) & (run.time < 4.5)
            turned = run.signal("yaw_rate") * run.kpis["initial_radius"][0] / run.signal("speed")
            ratio.plot(run.time[rows] - 2.0, turned[rows], linewidth=1.2, label=f"{deceleration:g} m/s²")
        ratio.legend(fontsize=8)
        finish(ratio, "time after the brake / s", "yaw rate over that of the circle")
        path = PICTURES / "cornering.png"
        save(figure, path)
    return path


def save(figure: Any, path: Path) -> None:
    """Write a PNG with a palette: lines on white need few colours, and the file shrinks to a third."""
    import io

    from PIL import Image

    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110)
    PICTURES.mkdir(parents=True, exist_ok=True)
    Image.open(buffer).convert("RGB").quantize(64).save(path, optimize=True)
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name}: {path.stat().st_size} bytes, more than {LARGEST}")


# --- main ------------------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, say whether everything is up to date")
    parser.add_argument("--pictures", nargs="*", metavar="EVENT", help="draw the pictures, of some events or of all")
    options = parser.parse_args(arguments)
    if options.pictures is not None and not options.check:
        for kind in [events.find(name).kind for name in options.pictures] or shipped():
            print(f"{picture(kind).relative_to(DOCS.parent)}: written")
        if not options.pictures:
            print(f"{tutorial().relative_to(DOCS.parent)}: written")
            print(f"{methods().relative_to(DOCS.parent)}: written")
    if not options.check:
        begin_pages()
    problems = missing()
    wanted = {OVERVIEW: common_table()}
    wanted |= {PAGES / f"{kind}.md": page_tables(events.find(kind)) for kind in shipped()}
    for path, inner in wanted.items():
        if not path.is_file():
            continue
        text = between_markers(path, inner)
        if text == path.read_text(encoding="utf-8"):
            continue
        if options.check:
            problems.append(f"{path.relative_to(DOCS.parent)}: tables not up to date; run tools/make_event_docs.py")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{path.relative_to(DOCS.parent)}: written")
    for problem in problems:
        print(re.sub(r"\s+", " ", problem))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
