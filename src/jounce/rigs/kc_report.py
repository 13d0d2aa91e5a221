"""The page of a suspension rig: figures of ``kc_figures`` and the curves behind them."""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.components.suspension.guidance import MAPS
from jounce.core.writing import write_atomically
from jounce.rigs.kc_figures import KcReport
from jounce.rigs.suspension_rig import Held, SuspensionRig, load_sweep, steer_sweep, travel_sweep

if TYPE_CHECKING:
    from jounce.components.places import AxlePlace

POINTS = 15
TRAVEL = 0.08  # m, at most, to either side
FORCE, MOMENT, HAND = 2000.0, 100.0, math.radians(300.0)
STYLES = {"L": "-", "R": "--"}


@dataclass(frozen=True)
class Curves:
    """Points of one sweep of an axle, and what varies along it."""

    title: str
    axle: AxlePlace
    x: tuple[float, ...]
    x_label: str
    held: tuple[Held, ...]


@dataclass(frozen=True)
class Panel:
    """What is drawn of a sweep, a line per wheel."""

    sweep: str
    label: str
    value: Callable[[Held, str], float]


PANELS = (
    Panel("parallel", "toe-in, deg", lambda h, w: math.degrees(h.toe(w))),
    Panel("parallel", "camber, deg", lambda h, w: math.degrees(h.camber(w))),
    Panel("parallel", "side view angle, deg", lambda h, w: math.degrees(h.caster(w))),
    Panel("parallel", "vertical force, kN", lambda h, w: 1e-3 * h.jack[w]),
    Panel("opposite", "toe-in, deg", lambda h, w: math.degrees(h.toe(w))),
    Panel("opposite", "vertical force, kN", lambda h, w: 1e-3 * h.jack[w]),
    Panel("lateral force", "steer, deg", lambda h, w: math.degrees(h.steer(w))),
    Panel("lateral force", "camber, deg", lambda h, w: math.degrees(h.camber(w))),
    Panel("aligning moment", "steer, deg", lambda h, w: math.degrees(h.steer(w))),
    Panel("brake force", "toe-in, deg", lambda h, w: math.degrees(h.toe(w))),
    Panel("steering", "steer, deg", lambda h, w: math.degrees(h.steer(w))),
)


def covered(axle: AxlePlace) -> tuple[float, float]:
    """Travel that all maps of an axle cover, m; at most what is usual."""
    low, high = -TRAVEL, TRAVEL
    for wheel in axle.wheels:
        for name in MAPS:
            curve = axle.data.suspension.map(name, wheel.side).curve
            if curve.is_table:
                low, high = max(low, curve.x[0]), min(high, curve.x[-1])
    return low, high


def sweeps(rig: SuspensionRig) -> list[Curves]:
    """The usual sweeps of every axle with two wheels."""
    found = []
    for axle in rig.layout.axles:
        if len(axle.wheels) != 2:
            continue
        low, high = covered(axle)
        up_down = np.linspace(low, high, POINTS)
        word = axle.word
        most = min(-low, high)
        for way, values in (("parallel", up_down), ("opposite", np.linspace(-most, most, POINTS))):
            held = travel_sweep(rig, word, values.tolist(), way)  # type: ignore[arg-type]
            label = "wheel travel, mm" if way == "parallel" else "travel, left up and right down, mm"
            found.append(Curves(way, axle, tuple(1e3 * values), label, tuple(held)))
        for title, component, most, scale, label in (
            ("lateral force", "fy", FORCE, 1e-3, "lateral force at both contacts, kN"),
            ("brake force", "fx_brake", FORCE, -1e-3, "brake force at both contacts, kN"),
            ("aligning moment", "mz", MOMENT, 1.0, "moment about z at both wheels, N m"),
        ):
            values = np.linspace(-most, most, POINTS)
            if component == "fx_brake":
                values = np.linspace(0.0, -most, POINTS)
            held = load_sweep(rig, word, component, values.tolist())
            found.append(Curves(title, axle, tuple(scale * values), label, tuple(held)))
        if axle.data.steering is not None:
            values = np.linspace(-HAND, HAND, POINTS)
            held = steer_sweep(rig, values.tolist())
            found.append(Curves("steering", axle, tuple(np.degrees(values)), "hand wheel, deg", tuple(held)))
    rig.reset()
    return found


def kc_figure(curves: Sequence[Curves], word: str) -> Any:
    """A picture of the sweeps of an axle; needs matplotlib."""
    from matplotlib.figure import Figure

    from jounce.rigs.tire_plots import COLORS

    own = {c.title: c for c in curves if c.axle.word == word}
    panels = [p for p in PANELS if p.sweep in own]
    columns = 4
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(4.0 * columns, 2.9 * rows), layout="constrained")
    for k, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, k + 1)
        sweep = own[panel.sweep]
        for wheel in sweep.axle.wheels:
            values = [panel.value(h, wheel.name) for h in sweep.held]
            side = "left" if wheel.side == "L" else "right"
            axes.plot(sweep.x, values, STYLES[wheel.side], color=COLORS[0 if side == "left" else 1], label=side)
        axes.set_title(f"{panel.sweep}: {panel.label.partition(',')[0]}", fontsize=10)
        axes.set_xlabel(sweep.x_label, fontsize=9)
        axes.set_ylabel(panel.label, fontsize=9)
        axes.ticklabel_format(useOffset=False)
        axes.grid(alpha=0.3)
        span = axes.get_ylim()
        if span[1] - span[0] < 1e-3:  # nothing changes: a flat line, not rounding
            middle = 0.5 * (span[0] + span[1])
            axes.set_ylim(middle - 0.05, middle + 0.05)
        if k == 0:
            axes.legend(fontsize=9)
    figure.suptitle(f"{word} axle", fontsize=12)
    return figure


def write_page(path: str | Path, report: KcReport, curves: Sequence[Curves]) -> None:
    """Figures and curves as a page of its own."""
    words = list(dict.fromkeys(c.axle.word for c in curves))
    parts = []
    for word in ("", *words):
        rows = []
        for m in (m for m in report.metrics if m.axle == word):
            limits = "" if m.low is None else f"{m.low:.4g} … {m.high:.4g}"
            verdict = {True: "", False: "outside", None: ""}[m.inside]
            value = "none" if math.isnan(m.value) else f"{m.value:.4g}"
            cells = (m.text or m.name, value, m.unit, limits, verdict, m.name)
            mark = ' class="outside"' if verdict else ""
            rows.append(f"<tr{mark}>" + "".join(f"<td>{html.escape(c)}</td>" for c in cells) + "</tr>")
        if rows:
            head = "<tr><th>figure</th><th>value</th><th>unit</th><th>usual</th><th></th><th>key</th></tr>"
            parts.append(f"<h2>{html.escape(word.capitalize() or 'Steering')}</h2><table>{head}{''.join(rows)}</table>")
        if word:
            buffer = io.BytesIO()
            kc_figure(curves, word).savefig(buffer, format="png", dpi=110)
            picture = base64.b64encode(buffer.getvalue()).decode()
            parts.append(f'<img alt="curves of the {word} axle" src="data:image/png;base64,{picture}">')
    title = html.escape(f"Kinematics and compliance: {report.vehicle.name}")
    page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1500px; padding: 0 1em; color: #222; }}
td, th {{ padding: 0.1em 1em 0.1em 0; text-align: left; }} td:nth-child(2) {{ text-align: right; }}
img {{ max-width: 100%; }} .outside td {{ color: #b00020; }} td:last-child {{ color: #888; }}
</style></head><body><h1>{title}</h1>
<p>At design height, rigid wheels. Usual: what most cars of the class “{html.escape(report.vehicle.category)}” show.</p>
{"".join(parts)}</body></html>
"""
    write_atomically(path, page)
