"""Drop: the car falls on its wheels from a height."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import quantity
from jounce.events.base import Event
from jounce.runtime.program import Constant, Open, Phase, Program

if TYPE_CHECKING:
    from jounce.events.engine import Start


class Drop(Event):
    """From rest in equilibrium, lifted by a height, released with free or braked wheels."""

    kind: ClassVar[str] = "drop"
    title: ClassVar[str] = "Drop"
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    speed: float = quantity("m/s", 0.0, ge=0, le=0, doc="always 0")
    end_time: float = quantity("s", 4.0, gt=0, doc="end of the run")
    height: float = quantity("m", 0.05, ge=0, doc="of the lift above the static position")

    def program(self, start: Start) -> Program:
        start.lift(self.height)
        channels = [
            Open("steering_wheel", Constant(0.0)),
            Open("throttle", Constant(0.0)),
            Open("brake", Constant(0.0)),
        ]
        return Program(Phase("fall", channels, duration=self.end_time))
