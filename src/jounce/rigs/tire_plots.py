"""Pictures of tires: characteristics, and a fit over its measured points. Need matplotlib; nothing opens a window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from jounce.components.tire.base import Tire
from jounce.core.errors import ParameterError
from jounce.results.run import Run

if TYPE_CHECKING:
    from jounce.rigs.relaxation_fit import RelaxationFit
    from jounce.rigs.tire_compare import Comparison
    from jounce.rigs.tire_fit_result import FitResult

Array = npt.NDArray[np.float64]

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
LINES = ["-", "--", "-.", ":"]
SIZE = (15.0, 12.0)
POINTS = 401
SHOWN = 4000  # points of a measurement that a picture shows
LOADS = (0.5, 1.0, 1.5, 2.0)  # times the nominal one
SLOPE = 1e-5


def characteristics(tire: Tire, loads: Sequence[float] = ()) -> Any:
    """Forces and moments over slip for several loads, combined slip, and what load and inclination change."""
    nominal = float(tire.values["FNOMIN"])
    top = float(tire.values.get("FZMAX", 10 * nominal))
    chosen = list(loads) or [f * nominal for f in LOADS if f * nominal <= 1.001 * top]
    figure, axes = _panels(3, 3)
    kappa, alpha = _range(tire, "KPUMIN", "KPUMAX", 0.3), _range(tire, "ALPMIN", "ALPMAX", 0.26)
    degrees = np.degrees(alpha)
    for load, color in zip(chosen, COLORS, strict=False):
        label = f"{load / 1e3:.3g} kN"
        axes[0][0].plot(kappa, _of(tire, "fx", kappa, load, kappa) / 1e3, color=color, label=label)
        axes[0][1].plot(degrees, _of(tire, "fy", alpha, load, 0.0, alpha) / 1e3, color=color, label=label)
        axes[0][2].plot(degrees, _of(tire, "mz", alpha, load, 0.0, alpha), color=color, label=label)
    _label(axes[0][0], "longitudinal force", "slip κ", "Fx, kN", legend=True)
    _label(axes[0][1], "lateral force", "slip angle α, deg", "Fy, kN", legend=True)
    _label(axes[0][2], "aligning moment", "slip angle α, deg", "Mz, N m", legend=True)
    _combined(tire, nominal, kappa, alpha, axes[1][0], axes[1][1])
    for gamma, color in zip(_leans(tire), COLORS, strict=False):
        fy = _of(tire, "fy", alpha, nominal, 0.0, alpha, gamma)
        axes[1][2].plot(degrees, fy / 1e3, color=color, label=f"γ = {math.degrees(gamma):.3g}°")
    _label(axes[1][2], f"inclination, {nominal / 1e3:.3g} kN", "slip angle α, deg", "Fy, kN", legend=True)
    _over_load(tire, min(2 * nominal, top), kappa, alpha, axes[2])
    figure.suptitle(f"{tire.name or 'tire'} ({tire.model.kind}), nominal load {nominal:.0f} N", fontsize=13)
    return figure


def overlay(tires: Sequence[Tire], loads: Sequence[float] = ()) -> Any:
    """Several tires in one picture: forces over slip at a load (the nominal one of the first), peaks over the load."""
    if not tires:
        raise ParameterError("no tires to draw")
    load = float(loads[0]) if loads else float(tires[0].values["FNOMIN"])
    figure, axes = _panels(2, 3, (15.0, 8.2))
    for tire, color, line in zip(tires, _cycle(len(tires)), LINES * len(tires), strict=False):
        look = {"color": color, "ls": line, "label": tire.name or "tire"}
        kappa, alpha = _range(tire, "KPUMIN", "KPUMAX", 0.3), _range(tire, "ALPMIN", "ALPMAX", 0.26)
        degrees = np.degrees(alpha)
        axes[0][0].plot(kappa, _of(tire, "fx", kappa, load, kappa) / 1e3, **look)
        axes[0][1].plot(degrees, _of(tire, "fy", alpha, load, 0.0, alpha) / 1e3, **look)
        axes[0][2].plot(degrees, _of(tire, "mz", alpha, load, 0.0, alpha), **look)
        top = min(2 * float(tire.values["FNOMIN"]), float(tire.values.get("FZMAX", math.inf)))
        grid = np.linspace(0.1 * top, top, 25)
        peaks = [
            [
                np.abs(_of(tire, "fx", kappa, f, kappa)).max() / f,
                np.abs(_of(tire, "fy", alpha, f, 0.0, alpha)).max() / f,
            ]
            for f in grid
        ]
        axes[1][0].plot(grid / 1e3, np.array(peaks)[:, 0], **look)
        axes[1][1].plot(grid / 1e3, np.array(peaks)[:, 1], **look)
        axes[1][2].plot(grid / 1e3, [-_slope(tire, "fy", float(f), "alpha") / 1e3 for f in grid], **look)
    _label(axes[0][0], f"longitudinal force, {load / 1e3:.3g} kN", "slip κ", "Fx, kN", legend=True)
    _label(axes[0][1], f"lateral force, {load / 1e3:.3g} kN", "slip angle α, deg", "Fy, kN")
    _label(axes[0][2], f"aligning moment, {load / 1e3:.3g} kN", "slip angle α, deg", "Mz, N m")
    _label(axes[1][0], "longitudinal peak friction", "load, kN", "µ")
    _label(axes[1][1], "lateral peak friction", "load, kN", "µ")
    _label(axes[1][2], "cornering stiffness", "load, kN", "kN/rad")
    figure.suptitle(" and ".join(tire.name or "tire" for tire in tires), fontsize=13)
    return figure


def fit_figure(result: FitResult) -> Any:
    """Measured points and the fitted tire, a row per force: upright pure slip, all points, residuals over slip."""
    data = result.data
    names = [name for name in ("fx", "fy", "mz", "mx", "my") if name in result.quality]
    figure, axes = _panels(len(names), 4, (19.0, 3.9 * len(names) + 0.6))
    rng = np.random.default_rng(0)
    loads = _load_levels(data["fz"])
    for row, name in zip(axes, names, strict=True):
        unit, scale = ("kN", 1e-3) if name in ("fx", "fy") else ("N m", 1.0)
        slip, title = ("kappa", "slip κ") if name in ("fx", "my") else ("alpha", "slip angle α, deg")
        other = "alpha" if slip == "kappa" else "kappa"
        pure = (np.abs(data[other]) < 0.009) & (np.abs(data["gamma"]) < 0.009)
        factor = 1.0 if slip == "kappa" else math.degrees(1.0)
        for level, color in zip(loads, COLORS, strict=False):
            near = np.flatnonzero(pure & (np.abs(data["fz"] - level) < 0.08 * level))
            if len(near) < 5:
                continue
            shown = rng.permutation(near)[: SHOWN // 8]
            row[0].plot(factor * data[slip][shown], scale * data[name][shown], ".", ms=3, alpha=0.4, color=color)
            x = np.linspace(data[slip][near].min(), data[slip][near].max(), POINTS)
            load = float(np.mean(data["fz"][near]))
            args = (load, x) if slip == "kappa" else (load, 0.0, x)
            row[0].plot(
                factor * x, scale * _of(result.tire, name, x, *args), color=color, label=f"{level / 1e3:.3g} kN"
            )
        letters = f"{name[0].upper()}{name[1]}"
        _label(row[0], f"{letters}: pure slip, upright", title, f"{letters}, {unit}", legend=True)
        chosen = rng.permutation(len(data))[:SHOWN]
        fitted, measured = scale * result.predicted(name), scale * data[name]
        span = [float(measured.min()), float(measured.max())]
        row[1].plot(measured[chosen], fitted[chosen], ".", ms=2, alpha=0.4, color=COLORS[0])
        row[1].plot(span, span, color="0.3", lw=1)
        _, rms, r2 = result.quality[name]
        _label(row[1], f"{letters}: all points, R² = {r2:.4f}", f"measured, {unit}", f"fitted, {unit}")
        near = row[2].scatter(
            factor * data[slip][chosen], (fitted - measured)[chosen], c=data["fz"][chosen] / 1e3, s=3, cmap="viridis"
        )
        figure.colorbar(near, ax=row[2], label="load, kN")
        _label(row[2], f"{letters}: residuals over slip", title, f"fitted - measured, {unit}")
        row[3].hist(fitted - measured, bins=60, color=COLORS[0])
        _label(row[3], f"{letters}: residuals, rms {scale * rms:.3g} {unit}", f"fitted - measured, {unit}", "points")
    figure.suptitle(f"{result.tire.name}: fit to {len(data)} points", fontsize=13)
    return figure


def relaxation_figure(fit: RelaxationFit) -> Any:
    """Records of a relaxation with what was fitted to them, and the lengths over the load."""
    lags = list(fit.lags)
    rows = math.ceil(len(lags) / 3) + 1
    figure, axes = _panels(rows, 3, (15.0, 3.6 * rows + 0.4))
    flat = list(np.ravel(axes))
    for lag, axis in zip(lags, flat, strict=False):
        m = lag.measured
        title = f"{lag.direction}, {lag.load / 1e3:.3g} kN, {lag.speed:.3g} m/s: {lag.length:.3f} ± {lag.error:.2g} m"
        if "time" in m:
            axis.plot(m["time"], m["force"] / 1e3, ".", ms=3, alpha=0.5, color="0.5", label="measured")
            axis.plot(m["time"], m["fitted"] / 1e3, color=COLORS[0], label="fitted")
            _label(axis, title, "time, s", "force, kN", legend=True)
        else:
            axis.plot(m["frequency"], np.abs(m["response"]) / 1e3, ".", ms=4, color="0.5", label="measured")
            axis.plot(m["frequency"], np.abs(m["fitted"]) / 1e3, color=COLORS[0], label="fitted")
            _label(axis, title, "frequency, Hz", "gain, kN/rad", legend=True)
    for axis in flat[len(lags) : 3 * (rows - 1)]:
        axis.set_visible(False)
    for axis, direction in zip(flat[3 * (rows - 1) :], ("lateral", "longitudinal"), strict=False):
        own = [lag for lag in lags if lag.direction == direction]
        if not own:
            axis.set_visible(False)
            continue
        x, y = [lag.load / 1e3 for lag in own], [lag.length for lag in own]
        axis.errorbar(x, y, yerr=[2 * lag.error for lag in own], fmt="o", color="0.4", label="records, ± 2 errors")
        loads = np.linspace(0.1, 1.3, 60) * max(lag.load for lag in own)
        at = [fit.tire.at_load(float(load)) for load in loads]
        law = [float(a.sigma_alpha if direction == "lateral" else a.sigma_kappa) for a in at]
        axis.plot(loads / 1e3, law, color=COLORS[0], label="tire")
        _label(axis, f"{direction} relaxation length", "load, kN", "m", legend=True)
    flat[-1].set_visible(False)
    figure.suptitle(f"{fit.tire.name}: relaxation", fontsize=13)
    return figure


def rig_figure(runs: Sequence[Run]) -> Any:
    """A picture of tests on the rig; see ``rig_plots``."""
    from jounce.rigs.rig_plots import rig_figure as drawn

    return drawn(runs)


def comparison_figure(comparison: Comparison) -> Any:
    """Curves of the rig and the measured points that belong to them, and what is left between them."""
    from jounce.rigs.tire_compare import CHANNEL, curve

    data, pairs = comparison.data, list(dict.fromkeys((m.slip, m.force) for m in comparison.matches))
    if not pairs:
        raise ParameterError("comparison: no measured point belongs to a test; are loads and inclinations the same?")
    figure, axes = _panels(2, len(pairs), (max(5.2 * len(pairs), 8.0), 8.4))
    for column, (slip, force) in enumerate(pairs):
        unit, scale = ("kN", 1e-3) if force in ("fx", "fy") else ("N m", 1.0)
        x_scale, x_label = (1.0, "slip κ") if slip == "kappa" else (math.degrees(1.0), "slip angle α, deg")
        name = f"{force[0].upper()}{force[1]}"
        own = [m for m in comparison.matches if (m.slip, m.force) == (slip, force)]
        top, rest = axes[0][column], axes[1][column]
        for m, color in zip(own, _cycle(len(own)), strict=True):
            x, y = data[slip][m.index], data[force][m.index]
            order = np.argsort(x)
            of_rig = curve(m.run, slip, force)
            grid = np.linspace(m.run[CHANNEL[slip]].min(), m.run[CHANNEL[slip]].max(), POINTS)
            top.plot(x_scale * x[order], scale * y[order], ".", ms=3, alpha=0.4, color=color)
            text = f"{m.run.label}: {100 * m.share:.1f} %"
            top.plot(x_scale * grid, scale * of_rig(grid), color=color, lw=1.4, label=text)
            left = of_rig(x[order]) - y[order]
            rest.plot(x_scale * x[order], scale * left, ".", ms=3, alpha=0.5, color=color)
        _label(top, f"{name}: rig (lines), measured (points), rms of peak", x_label, f"{name}, {unit}", legend=True)
        _label(rest, f"{name}: rig - measured", x_label, unit)
    first = comparison.runs[0].metadata.get("vehicle", {}).get("name", "")
    figure.suptitle(f"{first} and {data.source or 'the measurement'}", fontsize=13)
    return figure


# --- parts -----------------------------------------------------------------------------------------------------------


def _combined(tire: Tire, load: float, kappa: Array, alpha: Array, over: Any, circle: Any) -> None:
    angles = [math.radians(x) for x in (0, 2, 4, 8)]
    for angle, color in zip(angles, COLORS, strict=False):
        label = f"α = {-math.degrees(angle):.0f}°" if angle else "α = 0"
        over.plot(kappa, _of(tire, "fy", kappa, load, kappa, -angle) / 1e3, color=color, label=label)
        over.plot(kappa, _of(tire, "fx", kappa, load, kappa, -angle) / 1e3, color=color, ls="--")
    _label(over, f"combined, {load / 1e3:.3g} kN: Fy (lines), Fx (dashed)", "slip κ", "force, kN", legend=True)
    fx = np.abs(_of(tire, "fx", kappa, load, kappa)).max()
    fy = np.abs(_of(tire, "fy", alpha, load, 0.0, alpha)).max()
    for share in np.linspace(-1, 1, 25):
        angle = share * abs(share) * alpha.max()  # closer together at small angles
        x, y = _of(tire, "fy", kappa, load, kappa, angle), _of(tire, "fx", kappa, load, kappa, angle)
        circle.plot(x / 1e3, y / 1e3, color=COLORS[0], lw=0.8)
    for share in np.linspace(-1, 1, 25):
        slip = share * abs(share) * kappa.max()
        x, y = _of(tire, "fy", alpha, load, slip, alpha), _of(tire, "fx", alpha, load, slip, alpha)
        circle.plot(x / 1e3, y / 1e3, color="0.6", lw=0.6)
    turn = np.linspace(0, 2 * np.pi, 200)
    circle.plot(fy * np.cos(turn) / 1e3, fx * np.sin(turn) / 1e3, color=COLORS[1], lw=1.5, label="ellipse of the peaks")
    circle.set_aspect("equal", adjustable="datalim")
    _label(circle, f"friction ellipse, {load / 1e3:.3g} kN", "Fy, kN", "Fx, kN", legend=True)


def _over_load(tire: Tire, top: float, kappa: Array, alpha: Array, axes: Sequence[Any]) -> None:
    loads = np.linspace(0.1 * top, top, 25)
    driving = np.linspace(0, float(kappa.max()), 201)
    mu_x, mu_y, stiff_x, stiff_y, trail, sigma_x, sigma_y = ([] for _ in range(7))
    for load in loads:
        mu_x.append(np.abs(_of(tire, "fx", driving, load, driving)).max() / load)
        mu_y.append(np.abs(_of(tire, "fy", alpha, load, 0.0, alpha)).max() / load)  # to the stronger side
        stiff_x.append(_slope(tire, "fx", load, "kappa"))
        stiff_y.append(-_slope(tire, "fy", load, "alpha"))
        trail.append(_slope(tire, "mz", load, "alpha") / stiff_y[-1] if stiff_y[-1] else 0.0)
        at = tire.at_load(load)
        sigma_x.append(float(at.sigma_kappa))
        sigma_y.append(float(at.sigma_alpha))
    kilo = loads / 1e3
    axes[0].plot(kilo, mu_x, color=COLORS[0], label="longitudinal, driving")
    axes[0].plot(kilo, mu_y, color=COLORS[1], label="lateral, stronger side")
    _label(axes[0], "peak friction", "load, kN", "µ", legend=True)
    axes[1].plot(kilo, np.array(stiff_x) / 1e3, color=COLORS[0], label="slip stiffness, kN per unit of κ")
    axes[1].plot(kilo, np.array(stiff_y) / 1e3, color=COLORS[1], label="cornering stiffness, kN/rad")
    _label(axes[1], "stiffness at zero slip", "load, kN", "force over slip", legend=True)
    axes[2].plot(kilo, sigma_x, color=COLORS[0], label="relaxation length, longitudinal")
    axes[2].plot(kilo, sigma_y, color=COLORS[1], label="relaxation length, lateral")
    axes[2].plot(kilo, 10 * np.array(trail), color=COLORS[2], label="10 × pneumatic trail")
    _label(axes[2], "lengths", "load, kN", "m", legend=True)


def _leans(tire: Tire) -> list[float]:
    """Inclinations to show: some degrees of a car's wheel, the whole way down of a motorcycle's."""
    least, most = (float(tire.values.get(key, 0.1)) for key in ("CAMMIN", "CAMMAX"))
    top = min(abs(least), abs(most), math.radians(45))
    if top > math.radians(25):
        return [-top, -0.5 * top, 0.0, 0.5 * top, top]
    return [-math.radians(4), 0.0, math.radians(4)]


def _slope(tire: Tire, part: str, load: float, slip: str) -> float:
    up, down = (tire.steady(load, x, 0.0) if slip == "kappa" else tire.steady(load, 0.0, x) for x in (SLOPE, -SLOPE))
    return float(getattr(up, part) - getattr(down, part)) / (2 * SLOPE)


def _of(tire: Tire, part: str, like: Array, load: float, *slip: Any) -> Array:
    return np.broadcast_to(np.asarray(getattr(tire.steady(load, *slip), part), dtype=float), like.shape)


def _range(tire: Tire, low: str, high: str, most: float) -> Array:
    bottom, top = max(float(tire.values.get(low, -most)), -most), min(float(tire.values.get(high, most)), most)
    return np.linspace(bottom, top, POINTS)


def _load_levels(loads: Array) -> list[float]:
    """Loads around which many points lie, at most six."""
    counts, edges = np.histogram(loads, bins=60)
    centres = 0.5 * (edges[1:] + edges[:-1])
    found: list[float] = []
    for k in np.argsort(-counts):
        if counts[k] < 0.01 * len(loads) or len(found) >= len(COLORS):
            break
        if all(abs(centres[k] - x) > 0.15 * x for x in found):
            found.append(float(centres[k]))
    return sorted(found)


def _cycle(n: int) -> list[str]:
    return [COLORS[k % len(COLORS)] for k in range(n)]


def _panels(rows: int, columns: int, size: tuple[float, float] = SIZE) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ParameterError("pictures need matplotlib, which is not installed: pip install matplotlib") from None
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def _label(axis: Any, title: str, x: str, y: str, *, legend: bool = False) -> None:
    axis.set_title(title, fontsize=10)
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.grid(True, alpha=0.3)
    axis.axhline(0, color="0.6", lw=0.6, zorder=0)
    if legend and axis.get_legend_handles_labels()[0]:
        axis.legend(fontsize=8)
