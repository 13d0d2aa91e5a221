"""What is computed of an open vehicle, in a process of its own: how it stands, and its axles on the suspension rig.

The functions here are asked for by `jounce.app.jobs.Jobs.ask`; `Measured` keeps the last answers.
"""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from jounce.core.errors import JounceError
from jounce.core.reads import only_from

if TYPE_CHECKING:
    from jounce.app.workbench import Workbench

KEPT = 64  # answers


def statics(source: str, steps: Iterable[Mapping[str, Any]], roots: list[str]) -> dict[str, Any]:
    """Figures of the standing car in groups, and its modes."""
    from jounce.app.worker import vehicle_of
    from jounce.sim import car
    from jounce.sim.standing import standing

    with only_from(roots):
        description = car.describe(vehicle_of(source, steps))
        report = standing(description, car.simulation(description))
    groups = {
        name: [{"key": row.key, "label": row.label, "value": _number(row.value), "unit": row.unit} for row in rows]
        for name, rows in report.groups.items()
    }
    modes = [
        {"name": mode.name, "frequency": _number(mode.frequency), "damping": _number(mode.damping)}
        for mode in report.modes
    ]
    return {"groups": groups, "modes": modes}


def kc(source: str, steps: Iterable[Mapping[str, Any]], word: str, roots: list[str]) -> dict[str, Any]:
    """Curves of one axle on the rig, and its figures with what is usual for the class."""
    from jounce.app.worker import vehicle_of
    from jounce.rigs import kc_figures, kc_report
    from jounce.rigs.suspension_rig import SuspensionRig

    with only_from(roots):
        vehicle = vehicle_of(source, steps)
        rig = SuspensionRig(vehicle, radius="design")
    charts = []
    for panel, sweep, lines, same in kc_report.panel_lines(kc_report.sweeps(rig, [word]), word):
        what, _, sense = panel.label.partition(", ")
        shown = lines[:1] if same else lines
        charts.append(
            {
                "title": f"{what}, {panel.sweep}",
                "x_label": sweep.x_label,
                "y_label": ", ".join(part for part in (panel.unit, sense) if part),
                "least": panel.least,
                "lines": [
                    {
                        "label": "both" if same and len(lines) == 2 else wheel.name,
                        "x": [float(v) for v in sweep.x],
                        "y": [float(v) for v in values],
                    }
                    for wheel, values in shown
                ],
            }
        )
    figures = [
        {**metric.raw(), "text": metric.text or metric.name, "inside": metric.inside}
        for metric in kc_figures.kc(vehicle, rig).metrics
        if metric.axle in ("", word)
    ]
    return {"charts": charts, "figures": figures}


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


class Measured:
    """Answers that were computed: the same question is asked once."""

    def __init__(self, workbench: Workbench) -> None:
        self.workbench = workbench
        self._kept: OrderedDict[str, Any] = OrderedDict()

    def known(self, what: str, request: Mapping[str, Any], *more: str) -> Any:
        """An answer that is there, None where it is not."""
        return self._kept.get(_key(what, request, more))

    async def ask(self, what: str, request: Mapping[str, Any], *more: str) -> dict[str, Any]:
        """An answer, ``{"problem": …}`` where there is none."""
        from jounce.runtime.cache import cache_root

        key = _key(what, request, more)
        if key not in self._kept:
            roots = [*map(str, self.workbench.folders.paths), str(cache_root())]
            function: Any = {"statics": statics, "kc": kc}[what]
            try:
                found = await self.workbench.jobs.ask(function, request["source"], request["steps"], *more, roots)
            except (JounceError, OSError, ArithmeticError) as problem:
                found = {"problem": str(problem)}
            except RuntimeError as bug:
                found = {"problem": f"a bug of jounce: {bug}"}
            self._kept[key] = found
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        answer: dict[str, Any] = self._kept[key]
        return answer


def _key(what: str, request: Mapping[str, Any], more: tuple[str, ...]) -> str:
    return json.dumps([what, request["source"], request["steps"], more], sort_keys=False, default=str)
