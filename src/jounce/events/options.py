"""What a run is asked for beside car and event, as one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jounce.core.units import parse
from jounce.runtime.program import Number, Reference
from jounce.sim.car import METHOD, STEP

if TYPE_CHECKING:
    from jounce.components.tire.base import Tire
    from jounce.results.output_map import OutputMap
    from jounce.road.surface import Road

INTERVAL = 0.01  # s, between recorded rows

Progress = Callable[[float, float], None]
Live = Callable[[float, dict[str, float]], None]


@dataclass(frozen=True)
class Options:
    """Options of a run; see `jounce.run`. Step and interval are numbers here, s, and the interval is whole steps."""

    step: float = STEP
    method: str = METHOD
    interval: float = INTERVAL
    channels: Sequence[str] | None = None
    tires: Mapping[str, Tire] | None = None
    progress: Progress | None = None
    road: Road | str | None = None
    parameters: Mapping[str, Number] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    output_map: OutputMap | None = None
    inputs: Mapping[str, Reference | Number] = field(default_factory=dict)
    live: Live | None = None

    @classmethod
    def of(cls, *, step: float | str = STEP, interval: float | str = INTERVAL, **others: Any) -> Options:
        """Options as a user writes them: with units, and None for a mapping that is not there."""
        seconds = parse(step, "s", "step")
        every = max(1, round(parse(interval, "s", "interval") / seconds)) * seconds
        for name in ("parameters", "changes", "inputs"):
            others[name] = dict(others.get(name) or {})
        return cls(step=seconds, interval=every, **others)
