"""What there is to say about a tire: checks with errors and remarks, and a page with figures and pictures."""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jounce.components.tire.base import Tire
from jounce.components.tire.external import OUTSIDE, External
from jounce.components.tire.figures import ELLIPSE, Figure, doubts, ellipse, faults, figures, without_forces
from jounce.core.errors import FormatError
from jounce.core.writing import write_atomically
from jounce.files.tir import TirFile, read_tir

# Findings by which a tire drives a car wrongly, whatever it was made for.
FATAL = frozenset({"fx", "fy", "slope_x", "slope_y"})
SIGNS = (
    # figure, what a negative value means
    ("cornering_stiffness", "a slip angle pushes the tire further to the side; are the axes ISO?"),
    ("slip_stiffness", "a driving slip brakes"),
    ("camber_stiffness", "the tire pushes away from the side to which it leans"),
    ("aligning_stiffness", "a slip angle turns the wheel out of the slip"),
    ("vertical_rate", "the load falls with the deflection"),
)
LEAST_FRICTION = 0.3  # share of the friction at nominal load that is left at any load
LOADS = 7  # of the range at which combined slip is looked at


@dataclass(frozen=True)
class Finding:
    """An error or a remark about a tire."""

    level: str  # "error" or "remark"
    key: str
    message: str

    def __str__(self) -> str:
        return f"{self.key}: {self.message}" if self.key else self.message


@dataclass(frozen=True)
class Check:
    """All findings about a tire file."""

    path: str
    tire: Tire | None
    findings: Sequence[Finding]

    @property
    def ok(self) -> bool:
        return not any(f.level == "error" for f in self.findings)


def check_file(path: str | Path) -> Check:
    """Read a tire file and judge what it says; problems of reading are errors as well."""
    try:
        file = read_tir(path)
    except FormatError as error:
        return Check(str(path), None, (Finding("error", "", str(error)),))
    return Check(str(path), file.tire, (*_of_reader(file), *check_tire(file.tire)))


@np.errstate(all="ignore")
def check_tire(tire: Tire) -> list[Finding]:
    """Signs, slopes, ranges, sizes and combined slip over the range of the tire."""
    if isinstance(tire.model, External):
        return [Finding("remark", "", f"{OUTSIDE}; read, and not judged")]
    found = [Finding("error", fault.key, fault.message) for fault in faults(tire)]
    numbers = figures(tire)
    slip = getattr(tire.model, "mode", 14) % 10
    missing = without_forces(tire)
    if missing:
        found.append(Finding("remark", "USE_MODE", missing))
    for key, meaning in SIGNS:
        wanted = {"cornering": (2, 3, 4), "aligning": (2, 3, 4), "camber": (2, 3, 4), "slip": (1, 3, 4)}.get(
            key.split("_")[0], (0, 1, 2, 3, 4)
        )
        if slip in wanted and numbers[key].value < 0 and key not in {f.key for f in found}:
            level = "remark" if key in ("camber_stiffness", "aligning_stiffness") else "error"
            found.append(Finding(level, key, f"{numbers[key].value:.4g} {numbers[key].unit}: {meaning}"))
    seen = {f.key for f in found}
    for doubt in doubts(tire):
        if doubt.key == "friction_ellipse" or doubt.key in seen:
            continue  # looked at over all loads below
        found.append(Finding("error" if doubt.key in FATAL else "remark", doubt.key, doubt.message))
    for wanted, key, part in (((2, 3, 4), "lateral_friction", "fy"), ((1, 3, 4), "longitudinal_friction", "fx")):
        if slip in wanted:
            found += _friction(tire, key, part)
    if slip == 4:
        found += _combined(tire)
    return found


def _friction(tire: Tire, key: str, part: str) -> list[Finding]:
    """The peak over the load, at all loads of the file: a polynomial may fall through zero."""
    low, high = ("KPUMIN", "KPUMAX") if part == "fx" else ("ALPMIN", "ALPMAX")
    slip = np.linspace(max(float(tire.values.get(low, -0.5)), -0.5), min(float(tire.values.get(high, 0.5)), 0.5), 201)
    values = []
    for load in (float(tire.values["FNOMIN"]), *_loads(tire, 25)):
        f = tire.steady(load, slip) if part == "fx" else tire.steady(load, 0.0, slip)
        values.append((float(np.abs(np.broadcast_to(getattr(f, part), slip.shape)).max()) / load, load))
    lowest, at = min(values[1:])
    if not lowest > LEAST_FRICTION * values[0][0]:
        text = f"falls from {values[0][0]:.3g} at the nominal load to {lowest:.3g} at {at:.0f} N"
        return [Finding("error", key, text)]
    return []


def _loads(tire: Tire, n: int) -> list[float]:
    """Loads of the file that a car may meet."""
    nominal = float(tire.values["FNOMIN"])
    low, high = max(float(tire.values["FZMIN"]), 0.1 * nominal), min(float(tire.values["FZMAX"]), 2.5 * nominal)
    return [float(x) for x in np.linspace(low, max(high, low), n)]


def _combined(tire: Tire) -> list[Finding]:
    """Share of the friction ellipse over the loads of the file."""
    shares = [(ellipse(tire, load), load) for load in _loads(tire, LOADS)]
    share, load = max(shares)
    if not math.isfinite(share):
        return [Finding("error", "friction_ellipse", f"combined forces are no numbers at {load:.0f} N")]
    if share <= ELLIPSE:
        return []
    over = 100 * (share - 1)
    text = f"combined forces exceed the ellipse of the peaks by {over:.1f} % at {load:.0f} N; usual is at most 5 %"
    return [Finding("remark", "friction_ellipse", text)]


def _of_reader(file: TirFile) -> list[Finding]:
    return [Finding("remark", problem.key, _placed(problem)) for problem in file.report.warnings]


def _placed(problem: Any) -> str:
    return f"{problem.message} (line {problem.line})" if problem.line else str(problem.message)


def shown(figure: Figure) -> tuple[float, str]:
    """A figure in the unit in which people speak of it."""
    factors = {
        "rad": (math.degrees(1.0), "deg"),
        "N/rad": (math.radians(1.0), "N/deg"),
        "1/rad": (math.radians(1.0), "1/deg"),
        "N.m/rad": (math.radians(1.0), "N.m/deg"),
        "N/m": (1e-3, "N/mm"),
        "m": (1e3, "mm"),
    }
    factor, unit = factors.get(figure.unit, (1.0, "" if figure.unit == "-" else figure.unit))
    return factor * figure.value, unit


def write_page(
    path: str | Path, tire: Tire, findings: Sequence[Finding] = (), figure: Any = None, text: str = ""
) -> None:
    """A page of its own with figures, findings and a picture."""
    rows = []
    for name, f in figures(tire).items():
        value, unit = shown(f)
        words = (name.replace("_", " "), f"{value:.4g}" if value == value else "not given", unit, f.doc)
        rows.append("<tr>" + "".join(f"<td>{html.escape(w)}</td>" for w in words) + "</tr>")
    notes = "".join(f"<li class={f.level!r}>{html.escape(f'{f.level}: {f}')}</li>" for f in findings)
    picture = ""
    if figure is not None:
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=110)
        picture = (
            f'<img alt="characteristics" src="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}">'
        )
    report = f"<pre>{html.escape(text)}</pre>" if text else ""
    title = html.escape(f"Tire {tire.name}")
    page = f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1500px; padding: 0 1em; color: #222; }}
td {{ padding: 0.1em 1em 0.1em 0; }} td:nth-child(2) {{ text-align: right; }} img {{ max-width: 100%; }}
.error {{ color: #b00020; }} pre {{ overflow-x: auto; background: #f6f6f6; padding: 1em; }}
</style></head><body><h1>{title}</h1>
<h2>Figures</h2><table>{"".join(rows)}</table>
<h2>Findings</h2><ul>{notes or "<li>none</li>"}</ul>
{picture}{report}</body></html>
"""
    write_atomically(path, page)
