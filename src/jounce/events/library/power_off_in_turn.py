"""Power-off in a turn (ISO 9816): in a steady turn the throttle is let go, the hand wheel stays where it is.

Key figures: ``results/key_figures/turn_reaction``. The standard gives no limits.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from jounce.core.fields import quantity
from jounce.events.base import safety_ends
from jounce.events.follow import released
from jounce.events.turning import Turning
from jounce.results.figures import Figures
from jounce.results.key_figures import turn_reaction
from jounce.results.kinds import Kind
from jounce.results.panels import USUAL, signals
from jounce.results.run import Run
from jounce.runtime.program import Channel, Constant, Open, Phase, Program, Ramp

if TYPE_CHECKING:
    from jounce.events.start import Start


def of_run(run: Run) -> Figures:
    """Key figures of a run."""
    return turn_reaction.of_run(run, "throttle")


class PowerOffInTurn(Turning):
    """In a steady turn the throttle is let go; does the car turn in, and by how much?"""

    kind: ClassVar[str] = "power-off-in-turn"
    title: ClassVar[str] = "Power-off in a turn"
    standard: ClassVar[str] = "ISO 9816"
    results: ClassVar[Kind] = Kind((of_run,), (signals("throttle"), *USUAL), turn_reaction.WORDS, turn_reaction.FIRST)
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    speed: float = quantity(
        "m/s", math.sqrt(100.0 * 4.0), gt=0, typical=(1.0, 75.0), doc="in the turn; with the radius 4 m/s² sideways"
    )
    end_time: float = quantity("s", 6.0, gt=0, typical=(1e-3, 7200.0), doc="end of the run")
    start_time: float = quantity("s", 2.0, ge=0, typical=(0.0, 600.0), doc="when the throttle is let go")
    ramp_time: float = quantity("s", 0.1, gt=0, typical=(1e-3, 10.0), doc="of the throttle")

    def program(self, start: Start) -> Program:
        hand = self.hand(start)
        off: list[Channel] = [Open("throttle", Ramp(0.0, self.ramp_time)), Open("brake", Constant(0.0))]
        off += released() if self._followed else []
        turn = Phase(
            "turn", [*hand, *self.pedals(start)], duration=max(self.start_time, 1e-3), ends=safety_ends(start.vehicle)
        )
        coast = Phase(
            "power-off", [*hand, *off], duration=self.end_time - self.start_time, ends=safety_ends(start.vehicle)
        )
        return Program(turn, coast)
