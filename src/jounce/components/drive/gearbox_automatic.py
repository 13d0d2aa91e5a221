"""An automatic gearbox: gears by maps over gear and throttle, for comfort and for sport.

Of the chosen speed n (engine, input or output shaft), ``shifting`` (1) with n_up(g, u), n_down(g, u) of the program in
use; u is the pedal itself, before any controller. A run chooses the program: 0 comfort, 1 sport.
"""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import model_validator

from jounce.components.drive.base import Station
from jounce.components.drive.gearbox import Gearbox, check_hunting, start_gears
from jounce.components.part import derived
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part
from jounce.symbolic.ops import clip, floor, if_else

USUAL = 0.2  # throttle
THROTTLES = (0.0, 0.25, 0.5, 0.75, 1.0)


class ShiftProgram(Data):
    """Speeds at which gears change, over gear and throttle."""

    up: Curve = curve("-", "rad/s", z="-", constant="value", typical=(50.0, 2500.0), doc="to the next gear")
    down: Curve = curve("-", "rad/s", z="-", constant="value", typical=(20.0, 2000.0), doc="to the gear before")


class AutomaticGearbox(Gearbox):
    """A gearbox that shifts by itself, under load."""

    kind: Literal["automatic_gearbox"] = choice("automatic_gearbox", doc="kind of part")
    speed: Literal["engine", "input", "output"] = choice("input", doc="what the programs are over")
    comfort: ShiftProgram = part(doc="program 0")
    sport: ShiftProgram | None = part(None, doc="program 1; absent: as comfort")

    @model_validator(mode="after")
    def _no_hunting(self) -> Self:
        if self.speed != "output":
            for name in ("comfort", "sport"):
                program = getattr(self, name)
                if program is not None:
                    check_hunting(self.ratios, program.up, program.down, name, THROTTLES)
        return self

    @derived("-", doc="gear at the start with the pedal up, its next whole number below, over the output speed")
    def start_gear(self, place: Any) -> Curve:
        ends = [self.comfort.up(i + 1.0, 0.0) for i in range(len(self.ratios.y))]
        return start_gears(
            ends if self.speed == "output" else [n / i for n, i in zip(ends, self.ratios.y, strict=True)]
        )

    def shift_speeds(self, p: Any, gears: Any) -> tuple[Any, Any]:
        """With the pedal that most driving has."""
        up, down = (program(gears, USUAL + 0.0 * gears) for program in (p.comfort.up, p.comfort.down))
        return (up * p.ratios(gears), down * p.ratios(gears)) if self.speed == "output" else (up, down)

    def prepare(self, here: Station) -> None:
        before, after = here.shafts
        p, made = here.p, here.kept["shifting"]
        mode = here.model.outside("GearBox.automatic_gearbox_shifting_mode", "-", "0 comfort, 1 sport", "command", 0.0)
        throttle, gear = here.read("throttle"), made.gear

        def limit(name: str, of: Any) -> Any:
            calm = getattr(p.comfort, name)(of, throttle)
            if self.sport is None or mode is None:
                return calm
            return if_else(mode > 0.5, getattr(p.sport, name)(of, throttle), calm)

        engine = here.read_or("driveline.engine_speed", before.speed)
        seen = {"engine": engine, "input": before.speed, "output": after.speed}[self.speed]
        first = clip(floor(p.start_gear(after.speed)), 1.0, p.gears)
        made.choose(seen > limit("up", gear), seen < limit("down", gear), first)
        here.kept["mode"] = 0.0 if mode is None else mode

    def told(self, here: Station) -> None:
        super().told(here)
        here.channel("automatic_gearbox_shifting_mode", here.kept["mode"], "-", "0 comfort, 1 sport")
