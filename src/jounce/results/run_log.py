"""The log of a run as text: what it was, how it ended, statistics of the vehicle, how fast it was computed.

Everything follows from the run, so that a log can be written again at any time.
"""

from __future__ import annotations

from typing import Any

from jounce.results.display import number
from jounce.results.report import extremes
from jounce.results.run import Run


def render(run: Run, profile: str = "si") -> str:
    """The log; statistics in units of a profile, "si" or "engineering"."""
    data = run.metadata
    lines = [f"vehicle      {run.vehicle or '-'}", f"event        {run.event or '-'}"]
    for key in ("version", "created", "machine", "method", "step"):
        if data.get(key) not in (None, ""):
            lines.append(f"{key:<12} {data[key]}")
    lines.append(f"ended        {run.status}{f': {run.reason}' if run.reason else ''}")
    lines += [f"warning      {text}" for text in (*run.warnings, *run.kpi_warnings)]
    if len(run) > 1:
        lines += ["", "statistics", f"  {'last time':<28} {number(float(run.time[-1])):>12} s"]
        for item in extremes(run, profile):
            for word, value, at in (("smallest", item.low, item.low_at), ("largest", item.high, item.high_at)):
                what = f"{item.signal.replace('_', ' ')}, {word}"
                lines.append(f"  {what:<34} {number(value):>12} {item.unit:<8} at {at:.3f} s")
            what = f"{item.signal.replace('_', ' ')}, mean"
            lines.append(f"  {what:<34} {number(item.mean):>12} {item.unit}")
    if run.kpis:
        lines += ["", "key figures"]
        lines += [f"  {name:<34} {number(value):>12} {unit}" for name, (value, unit) in run.kpis.items()]
    lines += _performance(data.get("timing"), len(run), len(run.names))
    return "\n".join(lines) + "\n"


def _performance(timing: Any, rows: int, channels: int) -> list[str]:
    told = ["", "performance", f"  recorded {rows} rows of {channels} channels"]
    if isinstance(timing, dict) and timing.get("wall"):
        simulated, wall = float(timing["simulated"]), float(timing["wall"])
        told.append(
            f"  simulated {number(simulated)} s in {number(wall)} s: {number(simulated / wall)} times real time"
        )
    return told
