"""What a report plots: panels of curves, as the kind of event and the channels that are there ask for.

An event's file says which: a maker is a function of a `View` (runs laid over each other) that returns panels. `over`,
`responses`, `signals` and `wheels` make makers, `path` is one; `USUAL` is what an event gets that says nothing.
"""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import JounceError
from jounce.results import words
from jounce.results.display import Shown, shown
from jounce.results.key_figures.frequency import frequency_response
from jounce.results.kinds import Maker, find
from jounce.results.plots import COLOURS
from jounce.results.run import Run

Array = npt.NDArray[np.float64]

CREEP = 2.0  # m/s
MAX_POINTS = 20_000  # per curve; more is thinned so that a page stays light
# least visible span per unit, so that rounding noise of a constant is not blown up to fill a panel
LEAST = {"deg": 0.02, "deg/s": 0.05, "km/h": 1.0, "g": 0.01, "mm": 0.1, "m": 0.01, "N": 1.0, "m/s²": 0.05}


@dataclass
class Curve:
    """A line: name in the legend, colour, coordinates as shown."""

    name: str
    x: Array
    y: Array
    colour: str = COLOURS[0]
    dash: tuple[int, ...] = ()


@dataclass
class Panel:
    """A plot. ``group`` shares its x axis with others of the same name; unordered curves are paths and loops."""

    title: str
    xlabel: str
    unit: str
    curves: list[Curve]
    group: str = "time"
    xunit: str = "s"
    ordered: bool = True
    log: bool = False
    equal: bool = False
    wide: bool = False
    range: tuple[float, float] | None = None
    bands: list[tuple[Array, Array, Array, str]] = field(default_factory=list)
    marks: list[tuple[float, str]] = field(default_factory=list)


@dataclass(frozen=True)
class View:
    """Runs to be laid over each other, their labels, and the profile of units."""

    runs: Sequence[Run]
    labels: Sequence[str]
    profile: str

    @property
    def many(self) -> bool:
        """Whether curves need a label."""
        return len(self.runs) > 1

    def having(self, *signals: str) -> list[tuple[Run, str, str]]:
        """The runs that have some signals, each with its label (none when it is alone) and its colour."""
        return [
            (run, label if self.many else "", COLOURS[k % len(COLOURS)])
            for k, (run, label) in enumerate(zip(self.runs, self.labels, strict=True))
            if all(run.has_signal(name) for name in signals)
        ]


TIRE = re.compile(r"([LR])(\d+)(_twin)?")  # names of wheels and, after them, of their second tires
WHEELS = {
    "loads": ("Wheel loads", "Tire.Ground_Surface_Force_Z.{}"),
    "travel": ("Wheel travel", "Suspension.Jounce.{}"),
    "longitudinal slip": ("Longitudinal slip", "Tire.Longitudinal_Slip_Without_Lag.{}"),
    "lateral slip": ("Lateral slip", "Tire.Lateral_Slip_Without_Lag.{}"),
}


def panels(runs: Sequence[Run], labels: Sequence[str], profile: str, channels: Sequence[str] = ()) -> list[Panel]:
    """Return the panels of runs laid over each other; ``channels`` (names or patterns) come in place of the usual."""
    if channels:
        return [_channels(runs, labels, profile, runs[0].channels(name) or [runs[0].find(name)]) for name in channels]
    view = View(runs, labels, profile)
    return [panel for maker in find(runs[0].event).panels or USUAL for panel in maker(view)]


# --- makers ----------------------------------------------------------------------------------------------------------


def signals(*names: str) -> Maker:
    """Signals over time, a panel each; one that is zero throughout is left out."""
    return lambda view: [panel for name in names for panel in _signal(view, name)]


def over(along: str, *names: str) -> Maker:
    """Signals over another, from the start of the event to the largest of the latter."""
    return lambda view: [panel for name in names for panel in _over(view, along, name)]


def responses(method: str = "transient") -> Maker:
    """Gain, phase and coherence over frequency; the method is that of `frequency_response`."""
    return lambda view: _responses(view, method)


def wheels(*names: str) -> Maker:
    """What the wheels do (`WHEELS`), a panel for each run; only where all runs have it."""

    def make(view: View) -> list[Panel]:
        found = []
        for title, pattern in (WHEELS[name] for name in names):
            if all(tires_of(run, pattern) for run in view.runs):
                for run, label in zip(view.runs, view.labels, strict=True):
                    found.append(_wheels(run, view.profile, f"{title}, {label}" if view.many else title, pattern))
        return found

    return make


def path(view: View) -> list[Panel]:
    """The way of the centre of gravity, seen from above."""
    having = view.having("x", "y")
    if not having or max(float(np.ptp(run.signal("x")) + np.ptp(run.signal("y"))) for run, _, _ in having) < 1.0:
        return []
    curves = [Curve(label, run.signal("x"), run.signal("y"), colour) for run, label, colour in having]
    width, height = (max(float(np.ptp(run.signal(axis))) for run, _, _ in having) for axis in "xy")
    wide = width > 2.5 * height
    return [Panel("Path of the centre of gravity", "x / m", "y / m", curves, "path", "m", False, equal=True, wide=wide)]


USUAL: tuple[Maker, ...] = (
    signals("steering", "speed", "yaw_rate", "lateral_acceleration", "roll", "side_slip"),
    wheels("loads", "travel"),
    path,
)
STRAIGHT: tuple[Maker, ...] = (
    signals("brake", "throttle", "forward_speed", "longitudinal_acceleration", "pitch"),
    wheels("loads", "travel", "longitudinal slip"),
)


# --- their parts -----------------------------------------------------------------------------------------------------


def _scale(runs: Sequence[Run], name: str, profile: str) -> Shown:
    size = max((float(np.nanmax(np.abs(run[name]), initial=0.0)) for run in runs), default=0.0)
    return shown(runs[0].unit(name), profile, size)


def _apply(scale: Shown, values: Array) -> Array:
    result: Array = scale.factor * values + scale.offset
    return result


def _signal(view: View, signal: str) -> list[Panel]:
    having = view.having(signal)
    if not any(np.any(run.signal(signal) != 0.0) for run, _, _ in having):
        return []
    first = having[0][0]
    scale = _scale([first], first.signal_channel(signal), view.profile)
    curves = [Curve(label, run.time, _apply(scale, run.signal(signal)), colour) for run, label, colour in having]
    title = words.signal(signal, first.signal_channel(signal))
    return [Panel(title, "time / s", scale.label, curves)]


def _channels(runs: Sequence[Run], labels: Sequence[str], profile: str, names: Sequence[str]) -> Panel:
    scale = _scale(runs[:1], names[0], profile)
    curves, count = [], 0
    for run, label in zip(runs, labels, strict=True):
        for name in names:
            if name in run:
                parts = [name if len(names) > 1 else "", label if len(runs) > 1 else ""]
                text = " · ".join(part for part in parts if part)
                curves.append(Curve(text, run.time, _apply(scale, run[name]), COLOURS[count % len(COLOURS)]))
                count += 1
    title = words.channel(names[0], runs[0].describe(names[0]))
    return Panel(title if len(names) == 1 else f"{title} …", "time / s", scale.label, curves)


def tires_of(run: Run, pattern: str) -> list[str]:
    """Tires of a run that have a channel, axle by axle, left before right, second tires after all first ones."""
    start, _, end = pattern.partition("{}")
    places = [name[len(start) : len(name) - len(end)] for name in run.names if name.startswith(start)]
    found = [match for place in places if (match := TIRE.fullmatch(place))]
    return [m.group() for m in sorted(found, key=lambda m: (m.group(3) or "", int(m.group(2)), m.group(1)))]


def _wheels(run: Run, profile: str, title: str, pattern: str) -> Panel:
    found = {place: pattern.format(place) for place in tires_of(run, pattern)}
    values = {place: run[name] for place, name in found.items()}
    if "_Slip_" in pattern and run.has_signal("speed"):
        # slips of a car that stands say nothing and hide the rest
        values = {place: np.where(run.signal("speed") > CREEP, x, np.nan) for place, x in values.items()}
    size = max(float(np.max(np.abs(x), initial=0.0, where=np.isfinite(x))) for x in values.values())
    scale = shown(run.unit(next(iter(found.values()))), profile, size)
    curves = [
        Curve(place, run.time, _apply(scale, x), COLOURS[k % len(COLOURS)])
        for k, (place, x) in enumerate(values.items())
    ]
    return Panel(title, "time / s", scale.label, curves)


def _over(view: View, along: str, signal: str) -> list[Panel]:
    having = view.having(signal, along)
    if not having:
        return []
    first = having[0][0]
    x_scale = _scale([first], first.signal_channel(along), view.profile)
    y_scale = _scale([first], first.signal_channel(signal), view.profile)
    curves = []
    for run, label, colour in having:
        x, y = run.signal(along), run.signal(signal)
        start = run.number("start_time", "s")
        rows = run.time >= (start if not math.isnan(start) else -math.inf)
        x, y = x[rows], y[rows]
        top = int(np.argmax(np.abs(x))) + 1 if len(x) else 0
        curves.append(Curve(label, _apply(x_scale, x[:top]), _apply(y_scale, y[:top]), colour))
    title = f"{words.signal(signal, first.signal_channel(signal))} over {words.SIGNALS[along].lower()}"
    label = f"{words.SIGNALS[along].lower()} / {x_scale.label}"
    return [
        Panel(title, label, y_scale.label, curves, group=f"over-{along}-{signal}", xunit=x_scale.label, ordered=False)
    ]


def _responses(view: View, method: Any) -> list[Panel]:
    found: list[Panel] = []
    for signal, unit in (("yaw_rate", "1/s"), ("lateral_acceleration", "(m/s²)/rad")):
        gain, phase, coherence = [], [], []
        for run, label, colour in view.having():
            try:
                whole = frequency_response(run.time, run.signal("steering"), run.signal(signal), method)
            except JounceError:
                continue
            part = whole.between(0.1, 4.0)
            if len(part.frequency) < 4:
                continue
            gain.append(Curve(label, part.frequency, part.gain, colour))
            phase.append(Curve(label, part.frequency, np.degrees(part.phase), colour))
            coherence.append(Curve(label, part.frequency, part.coherence, colour))
        if gain:
            title = words.SIGNALS[signal]
            common: dict[str, Any] = {"group": "frequency", "xunit": "Hz", "log": True}
            found.append(Panel(f"{title}: gain", "frequency / Hz", unit, gain, **common))
            found.append(Panel(f"{title}: phase", "frequency / Hz", "deg", phase, **common))
            if signal == "yaw_rate":
                found.append(Panel(f"{title}: coherence", "frequency / Hz", "", coherence, range=(0.0, 1.02), **common))
    return found


def encode(panels: Sequence[Panel]) -> dict[str, Any]:
    """Return the panels as the script of the page reads them; equal arrays are stored once."""
    data: list[str] = []
    known: dict[bytes, int] = {}

    def store(values: Array) -> int:
        raw = np.asarray(values, dtype="<f4").tobytes()
        if raw not in known:
            known[raw] = len(data)
            data.append(base64.b64encode(raw).decode("ascii"))
        return known[raw]

    def thin(*arrays: Array) -> Sequence[Array]:
        step = math.ceil(len(arrays[0]) / MAX_POINTS)
        return arrays if step <= 1 else [a[::step] for a in arrays]

    plots = []
    for panel in panels:
        series = []
        for curve in panel.curves:
            x, y = thin(curve.x, curve.y)
            line = {"x": store(x), "y": store(y), "color": curve.colour, "dash": list(curve.dash)}
            series.append({**line, "start": not panel.ordered})
        bands = []
        for x, low, high, colour in panel.bands:
            x, low, high = thin(x, low, high)
            bands.append({"x": store(x), "low": store(low), "high": store(high), "color": colour})
        plots.append(
            {
                "group": panel.group,
                "xlabel": panel.xlabel,
                "xunit": panel.xunit,
                "unit": panel.unit,
                "ordered": panel.ordered,
                "log": panel.log,
                "equal": panel.equal,
                "range": panel.range,
                "least": LEAST.get(panel.unit, 0.0),
                "series": series,
                "bands": bands,
                "marks": [{"at": at, "text": text} for at, text in panel.marks],
            }
        )
    return {"data": data, "plots": plots}
