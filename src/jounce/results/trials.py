"""Runs of a procedure: what is kept of each beside the run in full.

A procedure (`jounce.events.procedure`) makes one `Run`: its rows are those of the run that decides, and
``metadata["trials"]`` holds every run, in order: its name, parameters, how it ended, its key figures, and its signals
(``trace``), packed as text, so that every format of runs keeps them.

    for trial in run.trials:
        print(trial.name, trial.figures["yaw_rate_ratio_1_00"])
        trial.trace.signal("yaw_rate")
"""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.core.errors import FormatError
from jounce.core.units import convert
from jounce.results.figures import Figures

if TYPE_CHECKING:
    from jounce.results.run import Run

MOST_BYTES = 50_000_000  # of the rows of one trial, unpacked
SIGNALS_KEPT = (
    *("steering", "brake", "speed", "yaw_rate", "lateral_acceleration", "longitudinal_acceleration"),
    *("roll", "roll_rate", "side_slip", "x", "y"),
)


@dataclass(frozen=True)
class Trial:
    """One run of a procedure.

    name : "left, 6.5 A"
    parameters : of the event that are its own: name -> [value, unit], SI
    status, reason : as of a run
    figures : its key figures, and what was noticed with them
    """

    name: str
    parameters: Mapping[str, Any]
    status: str
    reason: str
    figures: Figures
    packed: Mapping[str, Any]

    @property
    def complete(self) -> bool:
        """Whether it came to its proper end."""
        return self.status == "complete"

    def figure(self, name: str, unit: str = "") -> float:
        """A key figure, in a unit; nan where there is none."""
        value, own = self.figures.get(name, (math.nan, unit))
        return convert(value, own, unit) if unit and not math.isnan(value) else value

    def parameter(self, name: str) -> Any:
        """A parameter of its own; None where it has none."""
        found = self.parameters.get(name)
        return found[0] if isinstance(found, list) else found

    @cached_property
    def trace(self) -> Run:
        """Its signals over time."""
        return unpacked(self.packed, {"status": self.status, "reason": self.reason, "label": self.name})


def kept(name: str, run: Run, parameters: Mapping[str, Any], more: Sequence[str] = ()) -> dict[str, Any]:
    """What is kept of a run; ``more`` are channels beside the usual signals."""
    channels = [run.signal_channel(s) for s in SIGNALS_KEPT if run.has_signal(s)]
    channels = list(dict.fromkeys([*channels, *(c for c in more if c in run)]))
    return {
        "name": name,
        "parameters": dict(parameters),
        "status": run.status,
        "reason": run.reason,
        "figures": {key: [None if math.isnan(v) else v, unit] for key, (v, unit) in run.figures.items()},
        "remarks": run.kpi_warnings,
        "trace": packed(run, channels),
    }


def trials_of(metadata: Mapping[str, Any]) -> tuple[Trial, ...]:
    """The runs of a procedure, from the metadata of its result; none of another run."""
    found = metadata.get("trials") or ()
    result = []
    for item in found:
        try:
            figures = {k: (math.nan if v is None else float(v), str(unit)) for k, (v, unit) in item["figures"].items()}
            result.append(
                Trial(
                    str(item["name"]),
                    item["parameters"],
                    str(item["status"]),
                    str(item["reason"]),
                    Figures(figures, [str(text) for text in item.get("remarks", ())]),
                    item["trace"],
                )
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise FormatError("the runs of the procedure that the run carries are damaged") from None
    return tuple(result)


def packed(run: Run, channels: Sequence[str]) -> dict[str, Any]:
    """Time and some channels as text: 32-bit floats, row by row of a channel, compressed, in base 64."""
    rows = np.array([run.time, *(run[name] for name in channels)], dtype="<f4")
    names = {run.find(name): run.unit(name) for name in channels}
    return {"units": names, "rows": base64.b64encode(zlib.compress(rows.tobytes(), 6)).decode()}


def unpacked(data: Mapping[str, Any], metadata: Mapping[str, Any]) -> Run:
    """What `packed` packed."""
    from jounce.results.run import Run

    try:
        machine = zlib.decompressobj()
        whole = machine.decompress(base64.b64decode(data["rows"], validate=True), MOST_BYTES)
        if machine.unconsumed_tail or not machine.eof:
            raise ValueError
        units = {str(name): str(unit) for name, unit in data["units"].items()}
        rows = np.frombuffer(whole, dtype="<f4").astype(np.float64).reshape(len(units) + 1, -1)
    except (binascii.Error, zlib.error, KeyError, TypeError, ValueError, AttributeError):
        raise FormatError("the rows of a run of the procedure are damaged") from None
    return Run(rows[0], dict(zip(units, rows[1:], strict=True)), units, metadata)


# --- in reports ------------------------------------------------------------------------------------------------------

Column = tuple[str, str]  # key figure, heading


def table_of_trials(title: str, *columns: Column) -> Callable[[Run], str]:
    """A drawing for reports (`jounce.results.kinds.Kind.drawings`): a row for every run, a column for every figure."""

    def draw(run: Run) -> str:
        from jounce.results.display import number, pretty
        from jounce.results.page import cell, escape, table

        trials = run.trials
        if not trials:
            return ""
        there = [(key, text) for key, text in columns if any(key in trial.figures for trial in trials)]
        heads = [("Run", "")]
        for key, text in there:
            unit = next(trial.figures[key][1] for trial in trials if key in trial.figures)
            heads.append((f"{escape(text)}{f' / {escape(pretty(unit))}' if unit not in ('-', '') else ''}", "num"))
        rows = []
        for trial in trials:
            values = [trial.figures.get(key, (math.nan, ""))[0] for key, _ in there]
            cells = [cell("–" if math.isnan(value) else number(value), "num") for value in values]
            rows.append(
                [cell(escape(trial.name)), *cells, cell("" if trial.complete else escape(trial.reason), "soft")]
            )
        return table(title, [*heads, ("", "")], rows)

    return draw


def shades(trials: Sequence[Trial], sides: Sequence[str]) -> list[str]:
    """A colour for every run: one hue for each side (the first word of its name), darker from run to run."""
    hues = ((31, 95, 168), (200, 110, 30), (47, 143, 91), (125, 79, 176))
    counts = {side: sum(trial.name.startswith(side) for trial in trials) for side in sides}
    seen = dict.fromkeys(sides, 0)
    found = []
    for trial in trials:
        side = next((s for s in sides if trial.name.startswith(s)), sides[0])
        seen[side] += 1
        light = 0.62 * (1.0 - seen[side] / max(counts[side], 1))
        red, green, blue = (round(c + (255 - c) * light) for c in hues[list(sides).index(side) % len(hues)])
        found.append(f"#{red:02x}{green:02x}{blue:02x}")
    return found
