"""Pictures of tests on the tire rig, by what a test is for. Need matplotlib; nothing opens a window.

sweeps of slip        forces and moments over the slip that was varied
relaxation            lateral force over the travelled distance; the length is where it has 1 - 1/e of its change
frequency response    gain and phase over frequency, and the lag of first order that fits the gain best:
                          |H|² = K²/(1 + (2π f σ/v)²),   1/|H|² over f² is a straight line                       (1)
                      bandwidth v/(2π σ): the gain is K/√2
cleat                 forces over the distance around the obstacle
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError
from jounce.results.run import Run
from jounce.rigs.tire_plots import COLORS, _label, _panels

Array = npt.NDArray[np.float64]

SWEPT = 0.01  # of slip or rad, that a test varies a slip by
LINES = ("-", "--", "-.", ":")
KILO = 1000.0  # N, from which a panel has kN
LEGEND = 24  # entries at most
AROUND = 0.5  # m, shown before and behind what an obstacle does
FLAT = 0.01  # of a value: less change than this is drawn flat
FELT = 0.01  # of the largest change of the load: where an obstacle begins and ends


class Curve(NamedTuple):
    """What a panel shows of a run."""

    x: Callable[[Run], Array]
    x_label: str
    y: Callable[[Run], Array]
    y_label: str  # with ", N" it becomes ", kN" for large forces


class Lag(NamedTuple):
    """The lag of first order of a frequency response, (1)."""

    stiffness: float  # N/rad
    length: float  # m
    bandwidth: float  # Hz


def rig_figure(runs: Sequence[Run]) -> Any:
    """A picture of tests of one kind; of several kinds their forces over time."""
    if not runs:
        raise ParameterError("no runs to draw")
    labels = {run.label for run in runs}
    if labels == {"frequency_response"}:
        return _frequency(runs)
    if labels == {"relaxation"}:
        return _relaxation(runs)
    if labels == {"cleat"}:
        return _cleat(runs)
    return _drawn(runs, _usual(runs))


# --- kinds -----------------------------------------------------------------------------------------------------------


def _usual(runs: Sequence[Run]) -> list[Curve]:
    angle, slip, time = (_angle, "slip angle α, deg"), (_channel("tire.slip"), "slip κ"), (_time, "time, s")
    fx, fy, mz, mx, my = (
        (_channel(f"tire.{name}"), f"{name[0].upper()}{name[1]}, {'N' if name[0] == 'f' else 'N m'}")
        for name in ("fx", "fy", "mz", "mx", "my")
    )
    swept_angle, swept_slip = (
        any(np.ptp(run[name]) > SWEPT and _slow(run) for run in runs) for name in ("tire.slip_angle", "tire.slip")
    )
    if swept_angle and swept_slip:
        first = [(slip, fx), (angle, fy), (angle, mz), (fy, fx)]
    elif swept_angle:
        first = [(angle, fy), (angle, mz), (angle, mx), (angle, fx)]
    elif swept_slip:
        first = [(slip, fx), (slip, fy), (slip, mz), (slip, my)]
    else:
        first = [(time, fx), (time, fy), (time, mz), (time, angle)]
    last = [(time, (_channel("tire.fz"), "Fz, N")), (time, (_channel("wheel.spin"), "spin, rad/s"))]
    return [Curve(*x, *y) for x, y in (*first, *last)]


def _relaxation(runs: Sequence[Run]) -> Any:
    curves = [
        Curve(_channel("hub.x"), "distance, m", _channel("tire.fy"), "Fy, N"),
        Curve(_channel("hub.x"), "distance, m", _angle, "slip angle α, deg"),
    ]
    figure = _drawn(runs, curves, columns=2)
    axis = figure.axes[0]
    scale = 1e-3 if axis.get_ylabel().endswith("kN") else 1.0
    for run, (color, _) in zip(runs, _styles(len(runs)), strict=True):
        length, force = relaxation_point(run)
        axis.plot([length], [scale * force], "o", color=color)
        axis.annotate(f"σ = {length:.3g} m", (length, scale * force), (8, -4), textcoords="offset points", fontsize=9)
    axis.set_title("the points: 1 - 1/e (63 %) of the change", fontsize=10)
    return figure


def relaxation_point(run: Run) -> tuple[float, float]:
    """Distance and lateral force where a step of the slip angle has 1 - 1/e of its effect."""
    fy, way = run["tire.fy"], run["hub.x"] - run["hub.x"][0]
    share = (fy - fy[0]) / (fy[-1] - fy[0])
    k = max(int(np.argmax(share >= 1 - math.exp(-1))), 1)
    part = (1 - math.exp(-1) - share[k - 1]) / (share[k] - share[k - 1])
    return float(way[k - 1] + part * (way[k] - way[k - 1])), float(fy[k - 1] + part * (fy[k] - fy[k - 1]))


def first_order(frequency: Array, gain: Array, speed: float) -> Lag:
    """The lag of first order with the gain that comes closest, (1)."""
    slope, start = np.polyfit(frequency**2, gain**-2.0, 1, w=gain**2)  # errors of the gain count alike
    if not (slope > 0 and start > 0):
        return Lag(float(np.max(gain)), math.nan, math.nan)
    bandwidth = math.sqrt(start / slope)
    return Lag(1 / math.sqrt(start), speed / (2 * math.pi * bandwidth), bandwidth)


def _frequency(runs: Sequence[Run]) -> Any:
    from jounce.rigs.tire_rig import response_of

    figure, axes = _panels(2, 2, (14.0, 8.2))
    gain, phase, angle, force = np.ravel(axes)
    for run, (color, line) in zip(runs, _styles(len(runs)), strict=True):
        frequency, size, turned = response_of(run)
        speed = float(run.metadata["event"]["parameters"]["speed"][0])
        lag = first_order(frequency, size, speed)
        text = f"{np.mean(run['tire.fz']):.0f} N, {speed:g} m/s: "
        text += f"{lag.stiffness / 1e3:.4g} kN/rad, σ = {lag.length:.3g} m, bandwidth {lag.bandwidth:.3g} Hz"
        model = 1 / (1 + 1j * frequency / lag.bandwidth)
        gain.plot(frequency, size / 1e3, color=color, ls=line, label=text)
        gain.plot(frequency, lag.stiffness * np.abs(model) / 1e3, color=color, ls=":", lw=1)
        phase.plot(frequency, np.degrees(turned), color=color, ls=line)
        phase.plot(frequency, np.degrees(np.angle(model)), color=color, ls=":", lw=1)
        if not math.isnan(lag.bandwidth):
            gain.axvline(lag.bandwidth, color=color, lw=0.6)
            phase.axvline(lag.bandwidth, color=color, lw=0.6)
        angle.plot(run.time, _angle(run), color=color, lw=0.6)
        force.plot(run.time, run["tire.fy"] / 1e3, color=color, lw=0.6)
    _label(gain, "gain; dotted: lag of first order; upright line: bandwidth", "frequency, Hz", "Fy over α, kN/rad")
    _label(phase, "phase of the force behind the slip angle", "frequency, Hz", "deg")
    _label(angle, "swept", "time, s", "slip angle α, deg")
    _label(force, "", "time, s", "Fy, kN")
    for axis in (gain, phase):
        axis.set_xscale("log")
    gain.set_ylim(bottom=0)
    return _finished(figure, gain, runs)


def _cleat(runs: Sequence[Run]) -> Any:
    names = (("tire.fz", "Fz, N"), ("tire.fx", "Fx, N"), ("tire.my", "My, N m"), ("wheel.spin", "spin, rad/s"))
    curves = [Curve(_channel("hub.x"), "distance, m", _channel(name), text) for name, text in names]
    begin, end = event_span(runs)

    def shown(run: Run) -> npt.NDArray[np.bool_]:
        return np.asarray((run["hub.x"] >= begin) & (run["hub.x"] <= end))

    return _drawn(runs, curves, columns=2, shown=shown)


def event_span(runs: Sequence[Run]) -> tuple[float, float]:
    """From where to where an obstacle changes the load, with some distance around, m."""
    ends = []
    for run in runs:
        change = np.abs(run["tire.fz"] - np.median(run["tire.fz"]))
        at = run["hub.x"][change > FELT * change.max()] if change.max() > 0 else run["hub.x"]
        ends.append((float(at[0]), float(at[-1])))
    return min(a for a, _ in ends) - AROUND, max(b for _, b in ends) + AROUND


# --- parts -----------------------------------------------------------------------------------------------------------


def _drawn(
    runs: Sequence[Run],
    curves: Sequence[Curve],
    columns: int = 3,
    shown: Callable[[Run], npt.NDArray[np.bool_]] | None = None,
) -> Any:
    rows = math.ceil(len(curves) / columns)
    figure, axes = _panels(rows, columns, (5.0 * columns, 4.1 * rows + 0.6))
    flat = list(np.ravel(axes))
    for axis, curve in zip(flat, curves, strict=False):
        x_scale, x_label = _unit(runs, curve.x, curve.x_label)
        y_scale, y_label = _unit(runs, curve.y, curve.y_label)
        for run, name, (color, line) in zip(runs, _names(runs), _styles(len(runs)), strict=True):
            part = slice(None) if shown is None else shown(run)
            x, y = x_scale * curve.x(run)[part], y_scale * curve.y(run)[part]
            axis.plot(x, y, color=color, ls=line, label=name, lw=1.2)
        low, high = axis.get_ylim()
        _label(axis, "", x_label, y_label)
        least = FLAT * max(abs(low), abs(high))  # noise of a constant shall not fill a panel
        axis.set_ylim(*((low, high) if high - low > least else (low - least, high + least)))
    return _finished(figure, flat[0], runs)


def _unit(runs: Sequence[Run], values: Callable[[Run], Array], label: str) -> tuple[float, str]:
    """Forces in kN where they are large."""
    if label.endswith(", N") and max(float(np.abs(values(run)).max()) for run in runs) >= KILO:
        return 1e-3, label[:-1] + "kN"
    return 1.0, label


def _finished(figure: Any, first: Any, runs: Sequence[Run]) -> Any:
    """Title, and one legend below all panels, where it covers nothing."""
    lines, texts = first.get_legend_handles_labels()
    if len(texts) > LEGEND:
        lines, texts = lines[:LEGEND], [*texts[: LEGEND - 1], f"… {len(texts) - LEGEND + 1} more"]
    columns = 1 if max(map(len, texts)) > 40 else min(len(texts), 6)
    figure.legend(lines, texts, loc="outside lower center", ncols=columns, fontsize=9)
    names = [run.metadata.get("vehicle", {}).get("name", "") for run in runs]
    same = len({run.label for run in runs}) == 1
    kinds = [run.label.replace("_", " ") if same else run.metadata.get("event", {}).get("name", "") for run in runs]
    title = f"{', '.join(dict.fromkeys(names))}: {', '.join(dict.fromkeys(kinds))}"
    figure.suptitle(title + (f", {len(runs)} tests" if len(runs) > 1 else ""), fontsize=13)
    return figure


def _names(runs: Sequence[Run]) -> list[str]:
    """Names of runs, with the load where they are alike."""
    if len({run.label for run in runs}) == len(runs):
        return [run.label for run in runs]
    return [f"{run.label}, {np.median(run['tire.fz']):.0f} N" for run in runs]


def _styles(n: int) -> list[tuple[str, str]]:
    """Colour and line of each run, all different up to 24."""
    return [(COLORS[k % len(COLORS)], LINES[k // len(COLORS) % len(LINES)]) for k in range(n)]


def _slow(run: Run) -> bool:
    """Whether a curve over slip means something: not for steps and sweeps of frequency."""
    kind = str(run.metadata.get("event", {}).get("kind", ""))
    return kind not in ("tire-free-input", "tire-six-dof", "tire-z-locked")


def _channel(name: str) -> Callable[[Run], Array]:
    return lambda run: run[name]


def _time(run: Run) -> Array:
    return run.time


def _angle(run: Run) -> Array:
    return np.asarray(np.degrees(run["tire.slip_angle"]), dtype=np.float64)
