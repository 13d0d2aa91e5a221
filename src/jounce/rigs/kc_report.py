"""The page of a suspension rig: figures of ``kc_figures``, the understeer budget, and the curves behind them."""

from __future__ import annotations

import base64
import io
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.core.writing import write_atomically
from jounce.results.page import cell, code, escape, head, page, table, verdict
from jounce.rigs.kc_figures import KcReport, Metric
from jounce.rigs.suspension_rig import Held, SuspensionRig, load_sweep, reach, steer_sweep, travel_sweep

if TYPE_CHECKING:
    from jounce.components.places import AxlePlace, WheelPlace

Array = npt.NDArray[np.float64]

POINTS = 15
TRAVEL = 0.08  # m, at most, to either side
FORCE, MOMENT, HAND = 2000.0, 100.0, math.radians(300.0)
TURNS = (0.001, 0.003, 0.006)  # m from a point of return, where friction changes
COLUMNS = 3  # of pictures
ALIKE = 1e-3  # of what a picture spans: sides that differ by less are one line
BARS = ("#0072b2", "#d55e00")


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
    """What is drawn of a sweep, a line per wheel; ``least``: span below which nothing changes; ``from_zero``: less the
    value without travel or load; ``loop``: up and down, less the mean of both."""

    sweep: str
    label: str
    unit: str
    value: Callable[[Held, str], float]
    least: float
    from_zero: bool = False
    loop: bool = False


def _toe(h: Held, w: str) -> float:
    return math.degrees(h.toe(w))


def _camber(h: Held, w: str) -> float:
    return math.degrees(h.camber(w))


def _steer(h: Held, w: str) -> float:
    return math.degrees(h.steer(w))


def _side_view(h: Held, w: str) -> float:
    return math.degrees(h.caster(w))


def _vertical(h: Held, w: str) -> float:
    return 1e-3 * h.jack[w]


def _forward(h: Held, w: str) -> float:
    return 1e3 * float(h.centre[w][0])


def _left(h: Held, w: str) -> float:
    return 1e3 * float(h.centre[w][1])


ANGLE, LENGTH = 0.02, 0.1  # deg, mm
PANELS = (
    Panel("parallel travel", "toe-in", "deg", _toe, ANGLE),
    Panel("parallel travel", "camber, top outwards", "deg", _camber, ANGLE),
    Panel("parallel travel", "side view angle, top rearwards", "deg", _side_view, ANGLE),
    Panel("parallel travel", "vertical force", "kN", _vertical, 0.01),
    Panel("parallel travel", "friction in the vertical force", "N", lambda h, w: h.jack[w], 1.0, loop=True),
    Panel("opposite travel", "toe-in", "deg", _toe, ANGLE),
    Panel("opposite travel", "camber, top outwards", "deg", _camber, ANGLE),
    Panel("opposite travel", "vertical force", "kN", _vertical, 0.01),
    Panel("lateral force", "steer, to the left", "deg", _steer, ANGLE),
    Panel("lateral force", "camber, top outwards", "deg", _camber, ANGLE),
    Panel("lateral force", "wheel centre to the left", "mm", _left, LENGTH, from_zero=True),
    Panel("aligning moment", "steer, to the left", "deg", _steer, ANGLE),
    Panel("brake force", "toe-in", "deg", _toe, ANGLE),
    Panel("brake force", "side view angle, top rearwards", "deg", _side_view, ANGLE),
    Panel("brake force", "wheel centre forward", "mm", _forward, LENGTH, from_zero=True),
    Panel("hand wheel", "steer, to the left", "deg", _steer, ANGLE),
    Panel("hand wheel", "camber, top outwards", "deg", _camber, ANGLE),
)


def covered(axle: AxlePlace) -> tuple[float, float]:
    """Travel that all maps of an axle cover, m; at most what is usual."""
    ends = [reach(wheel) for wheel in axle.wheels]
    return max(-TRAVEL, *(low for low, _ in ends)), min(TRAVEL, *(high for _, high in ends))


def sweeps(rig: SuspensionRig, words: Collection[str] | None = None) -> list[Curves]:
    """The usual sweeps of every axle, or of those named; parallel travel goes up and down where something rubs."""
    found = []
    start = rig.start().travels
    for axle in rig.layout.axles:
        if words is not None and axle.word not in words:
            continue
        at = [start[w.name] for w in axle.wheels]
        low, high = covered(axle)
        low, high = low - min(at), high - max(at)
        word, both = axle.word, "both contacts" if len(axle.wheels) == 2 else "the contact"
        values = np.linspace(low, high, POINTS)
        if rig.has_friction:
            values = np.unique([*values, *(low + x for x in TURNS), *(high - x for x in TURNS)])
            values = np.concatenate([values, values[-2::-1]])
            held = travel_sweep(rig, word, [0.0, *values.tolist()], "parallel", friction=True)[1:]
        else:
            held = travel_sweep(rig, word, values.tolist(), "parallel")
        found.append(Curves("parallel travel", axle, tuple(1e3 * values), "travel, mm", tuple(held)))
        if len(axle.wheels) == 2:
            most = min(-low, high)
            values = np.linspace(-most, most, POINTS)
            held = travel_sweep(rig, word, values.tolist(), "opposite")
            found.append(
                Curves("opposite travel", axle, tuple(1e3 * values), "travel of the left wheel, mm", tuple(held))
            )
        for title, component, first, last, scale, label in (
            ("lateral force", "fy", -FORCE, FORCE, 1e-3, f"lateral force at {both}, kN"),
            ("aligning moment", "mz", -MOMENT, MOMENT, 1.0, "moment about z at each wheel, N m"),
            ("brake force", "fx_brake", 0.0, -FORCE, -1e-3, f"brake force at {both}, kN"),
        ):
            values = np.linspace(first, last, POINTS)
            held = load_sweep(rig, word, component, values.tolist())
            found.append(Curves(title, axle, tuple(scale * values), label, tuple(held)))
        if axle.data.steering is not None:
            values = np.linspace(-HAND, HAND, POINTS)
            held = steer_sweep(rig, values.tolist())
            found.append(Curves("hand wheel", axle, tuple(np.degrees(values)), "hand wheel, deg", tuple(held)))
    rig.reset()
    return found


def _shown(panel: Panel, sweep: Curves) -> bool:
    """Loops where there is one; what loads do where they do something."""
    if panel.loop:
        return sweep.x[0] == sweep.x[-1]
    moves = [np.ptp([panel.value(h, w.name) for h in sweep.held]) for w in sweep.axle.wheels]
    return "travel" in sweep.title or max(moves) > 0.05 * panel.least


Line = tuple["WheelPlace", Array]


def panel_lines(curves: Sequence[Curves], word: str) -> list[tuple[Panel, Curves, list[Line], bool]]:
    """What is drawn of the sweeps of an axle: panel, sweep, a line per wheel, and whether all lines are one.

    What loads do not change is left out.
    """
    own = {c.title: c for c in curves if c.axle.word == word}
    found = []
    for panel in PANELS:
        if panel.sweep not in own or not _shown(panel, own[panel.sweep]):
            continue
        sweep = own[panel.sweep]
        lines = [(w, np.array([panel.value(h, w.name) for h in sweep.held])) for w in sweep.axle.wheels]
        if panel.from_zero:
            zero = int(np.argmin(np.abs(sweep.x)))
            lines = [(w, values - values[zero]) for w, values in lines]
        if panel.loop:
            lines = [(w, 0.5 * (values - values[::-1])) for w, values in lines]
        span = max(float(np.ptp([v for _, v in lines])), panel.least)
        same = all(np.abs(v - lines[0][1]).max() < ALIKE * span for _, v in lines)
        found.append((panel, sweep, lines, same))
    return found


def kc_figure(curves: Sequence[Curves], word: str) -> Any:
    """A picture of the sweeps of an axle; needs matplotlib. What loads do not change is left out."""
    from matplotlib.figure import Figure

    from jounce.rigs.tire_plots import COLORS

    panels = panel_lines(curves, word)
    rows = -(-len(panels) // COLUMNS)
    height = 2.7 * rows
    figure = Figure(figsize=(4.1 * COLUMNS, height))
    # by hand: a layout that is searched for takes longer than all else of the page
    figure.subplots_adjust(0.055, 0.5 / height, 0.99, 1 - 0.3 / height, wspace=0.26, hspace=0.5)
    for k, (panel, sweep, lines, same) in enumerate(panels):
        axes = figure.add_subplot(rows, COLUMNS, k + 1)
        for wheel, values in lines[: 1 if same else None]:
            side = 0 if wheel.side == "L" else 1
            label = "both wheels" if same and len(lines) == 2 else ("left", "right")[side]
            style = {"color": COLORS[2], "ls": "-"} if same else {"color": COLORS[side], "ls": ("-", "--")[side]}
            axes.plot(sweep.x, values, lw=1.7, label=label, **style)  # type: ignore[arg-type]
        what, _, sense = panel.label.partition(", ")
        axes.set_title(f"{what} by {panel.sweep}", fontsize=9.5)
        axes.set_xlabel(sweep.x_label, fontsize=8.5)
        axes.set_ylabel(", ".join(filter(None, (sense, panel.unit))), fontsize=8.5)
        axes.ticklabel_format(useOffset=False)
        axes.locator_params(nbins=5)  # ticks are what takes time to draw
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.25)
        if sweep.x[0] * max(sweep.x) < 0:
            axes.axvline(0.0, color="#888", lw=0.8, zorder=0)
        bottom, top = axes.get_ylim()
        if top - bottom < panel.least:  # nothing changes: a flat line, not rounding
            middle = 0.5 * (top + bottom)
            axes.set_ylim(middle - panel.least, middle + panel.least)
        for edge in ("top", "right"):
            axes.spines[edge].set_visible(False)
        axes.legend(fontsize=7.5, frameon=False, handlelength=1.6)
    return figure


def budget_figure(budget: Mapping[str, float]) -> Any:
    """Terms of the understeer gradient as bars, front and rear; what is next to nothing on both is left out."""
    from matplotlib.figure import Figure

    rows = [row for row in _terms(budget) if max(map(abs, row[1:])) >= 2e-3]
    figure = Figure(figsize=(9.5, 0.32 * len(rows) + 0.9), layout="constrained")
    axes = figure.add_subplot()
    for k, (_, *values) in enumerate(reversed(rows)):
        for value, shift, colour in zip(values, (0.19, -0.19), BARS, strict=True):
            axes.barh(k + shift, value, height=0.36, color=colour)
            beyond = abs(value) > 1.0
            text: dict[str, Any] = {
                "ha": "right" if (value > 0) == beyond else "left",
                "color": "white" if beyond else "#333",
            }
            axes.text(
                value, k + shift, f" {value:+.3f} " if abs(value) >= 5e-4 else " 0 ", va="center", fontsize=7, **text
            )
    axes.set_yticks(range(len(rows)), [str(row[0]) for row in reversed(rows)], fontsize=8.5)
    axes.axvline(0.0, color="#333", lw=0.9)
    axes.set_xlabel("deg/g, understeer positive", fontsize=8.5)
    axes.tick_params(axis="x", labelsize=8)
    axes.margins(x=0.12)
    axes.grid(axis="x", alpha=0.25)
    for edge in ("top", "right", "left"):
        axes.spines[edge].set_visible(False)
    axes.legend([axes.patches[0], axes.patches[1]], ["front axle", "rear axle"], fontsize=8, frameon=False)
    return figure


def _terms(budget: Mapping[str, float]) -> Iterator[tuple[str, float, float]]:
    """Term, front, rear."""
    for name in dict.fromkeys(key.rpartition("_")[0] for key in budget if key != "understeer_gradient"):
        yield name.replace("_", " "), budget[f"{name}_front"], budget[f"{name}_rear"]


def write_page(
    path: str | Path, report: KcReport, curves: Sequence[Curves], budget: Mapping[str, float] | None = None
) -> None:
    """Figures, understeer budget and curves as a page of its own."""
    vehicle = report.vehicle
    outside = [m for m in report.metrics if m.inside is False]
    judged = [m for m in report.metrics if m.inside is not None]
    status = f"{len(judged) - len(outside)} of {len(judged)} figures usual for its class" if judged else ""
    title = f"{vehicle.name} · kinematics and compliance"
    below = f"rigid wheels, {report.start}; usual: what most cars of the class “{vehicle.category}” show"
    words = list(dict.fromkeys(m.axle for m in report.metrics if m.axle))
    parts = [head(title, below, status, not outside), _figures(report, words)]
    if budget:
        parts.append(_section("Understeer budget", budget_figure(budget), _sum(budget)))
    for word in dict.fromkeys(c.axle.word for c in curves):
        parts.append(_section(f"Curves of the {word} axle", kc_figure(curves, word), ""))
    write_atomically(path, page(title, parts, []))


def _figures(report: KcReport, words: Sequence[str]) -> str:
    """One table, the axles beside each other."""
    rows: dict[str, dict[str, Metric]] = {}
    for m in report.metrics:
        name = m.name.removesuffix(f"_{m.axle}") if m.axle else m.name
        rows.setdefault(name, {})[m.axle] = m
    columns = [("figure", ""), ("key", "")]
    for word in words:
        columns += [(word, "num"), ("usual", "num"), ("", "")]
    columns.append(("unit", ""))
    cells = []
    for name, found in rows.items():
        any_ = next(iter(found.values()))
        row = [cell(escape(any_.text or name)), cell(code(name))]
        for word in words:
            here = found.get(word) or (found.get("") if word == words[0] else None)
            if here is None:
                row += [cell("", "num"), cell("", "num"), cell("")]
                continue
            value = "none" if math.isnan(here.value) else f"{here.value:.4g}"
            usual = "" if here.low is None else f"{here.low:.4g} … {here.high:.4g}"
            row += [cell(value, "num"), cell(usual, "num"), cell(verdict(here.inside, "", "outside"))]
        cells.append([*row, cell(escape(any_.unit))])
    return table("Figures (elsewhere their keys end in the axle)", columns, cells)


def _sum(budget: Mapping[str, float]) -> str:
    front, rear = (math.fsum(v for k, v in budget.items() if k.endswith(f"_{end}")) for end in ("front", "rear"))
    return (
        f"Understeer gradient {budget['understeer_gradient']:.3f} deg/g at 100 km/h: front axle {front:.3f}, "
        f"rear axle {rear:.3f}. Terms below 0.002 are not drawn."
    )


def _section(title: str, figure: Any, text: str) -> str:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120)
    picture = base64.b64encode(buffer.getvalue()).decode()
    below = f"<p>{escape(text)}</p>" if text else ""
    image = f'<img style="max-width:100%" alt="{escape(title)}" src="data:image/png;base64,{picture}">'
    return f"<section><h2>{escape(title)}</h2>{below}{image}</section>\n"


__all__ = ["Curves", "budget_figure", "covered", "kc_figure", "sweeps", "write_page"]
