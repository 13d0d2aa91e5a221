"""What a run is asked for beside car and event, as one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jounce.components.part import Part
from jounce.core.errors import ParameterError
from jounce.core.units import parse
from jounce.runtime.blocks import OutsideBlock
from jounce.runtime.methods import method_number, step_of
from jounce.runtime.options import INPUT_TIMES, MOST_STEPS, RunOptions, Stream, input_time_number
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
    input_time: str = INPUT_TIMES[0]
    interval: float = INTERVAL
    channels: Sequence[str] | None = None
    tires: Mapping[str, Tire] | None = None
    progress: Progress | None = None
    road: Road | str | None = None
    parameters: Mapping[str, Number] = field(default_factory=dict)
    changes: Mapping[str, Any] = field(default_factory=dict)
    output_map: OutputMap | None = None
    inputs: Mapping[str, Reference | Number] = field(default_factory=dict)
    blocks: tuple[Part | OutsideBlock, ...] = ()
    live: Live | None = None
    stream: Stream | None = None
    pace: float | None = None
    remarks: tuple[str, ...] = ()  # what was not taken as it was written

    @property
    def parts(self) -> tuple[Part, ...]:
        """Blocks that are compiled into the model."""
        return tuple(item for item in self.blocks if isinstance(item, Part))

    @property
    def outside(self) -> tuple[OutsideBlock, ...]:
        """Blocks that are Python callables or C functions."""
        return tuple(item for item in self.blocks if isinstance(item, OutsideBlock))

    @property
    def given(self) -> tuple[str, ...]:
        """All inputs that somebody gives: references and outside blocks."""
        return tuple(dict.fromkeys([*self.inputs, *(name for block in self.outside for name in block.writes)]))

    @classmethod
    def of(cls, *, step: float | str = STEP, interval: float | str = INTERVAL, **others: Any) -> Options:
        """Options as a user writes them: with units, and None for a mapping that is not there."""
        seconds = step_of(step, method_number(others.get("method", METHOD)))
        asked = parse(interval, "s", "interval")
        if not 0.0 < asked <= MOST_STEPS * seconds:
            raise ParameterError(f"interval = {interval}: must be above 0 s and at most {MOST_STEPS:.0e} steps")
        every = max(1, round(asked / seconds)) * seconds
        if abs(every - asked) > 1e-6 * asked:
            others["remarks"] = (
                f"interval: rows are {1e3 * every:g} ms apart, since {1e3 * asked:g} ms is no multiple of the step, "
                f"{1e3 * seconds:g} ms",
            )
        input_time_number(others.setdefault("input_time", INPUT_TIMES[0]))
        RunOptions(pace=others.get("pace"))  # refuses one that is none
        for name in ("parameters", "changes", "inputs"):
            others[name] = dict(others.get(name) or {})
        others["blocks"] = tuple(_block(item) for item in others.get("blocks") or ())
        return cls(step=seconds, interval=every, **others)


def _block(item: Any) -> Part | OutsideBlock:
    if isinstance(item, Part | OutsideBlock):
        return item
    raise ParameterError(
        f"blocks: found a {type(item).__name__}; expected a part (jounce.Part), compiled into the model, or "
        "jounce.OutsideBlock(function, reads=…, writes=…) for a Python callable or a C function"
    )
