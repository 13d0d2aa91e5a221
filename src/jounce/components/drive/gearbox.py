"""A gearbox with gears that are chosen: what all have, and the manual one.

    ω_in = i(t) ω_out,    T_out = η_g i T_in   (power from the input; back: i T_in/η_g)                             (1)

with the ratio by ``shifting`` (2) and the efficiency by gear; the inertia is on the output shaft. The relation is rigid
at every instant and loses nothing while the ratio changes. Neutral opens the clutch or converter before the gearbox.

A manual gearbox is shifted by its driver, at speeds of the input shaft by gear, or as a run demands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.drive.base import DrivePart, Energy, Geared, Station, constant
from jounce.components.drive.engine_control import RPM
from jounce.components.drive.shifting import Shifting
from jounce.components.part import derived
from jounce.core.curves import Curve, CurveUnits
from jounce.core.fields import choice, curve, problem, quantity
from jounce.symbolic.ops import clip, floor, if_else

GROUP = "Transmission"  # of its channels, where it is the gearbox of a layout


class Gearbox(DrivePart):
    """Ratios, efficiencies, inertia."""

    changes: ClassVar[bool] = True

    ports: ClassVar[tuple[str, ...]] = ("input", "output")

    active: bool = choice(True, doc="whether its ratio counts; a run may give another one, or switch it on")
    ratios: Curve = curve(
        "-",
        "-",
        constant="value",
        typical=(0.3, 20.0),
        doc="by gear: x 1, 2, …; or a list from the first gear on",
    )
    reverse_ratio: float = quantity("-", -3.0, lt=0, typical=(0.5, 20.0), doc="of the reverse gear")
    efficiency: Curve = curve(
        "-", "-", constant(1.0, "-", "-"), constant="value", typical=(0.8, 1.0), doc="output over input power, by gear"
    )
    inertia: Curve = curve(
        "-",
        "kg.m2",
        constant(0.0, "-", "kg.m2"),
        constant="value",
        typical=(1e-5, 5.0),
        doc="of the output shaft, by gear",
    )
    shift_time: float = quantity(
        "s", 0.5, gt=0, typical=(0.02, 3.0), doc="of a shift; seamless couplings say their own"
    )
    pause: float = quantity("s", 0.5, ge=0, typical=(0.0, 5.0), doc="after a shift, before the next one")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        if isinstance(raw, Mapping) and isinstance(raw.get("ratios"), list | tuple):
            listed = list(raw["ratios"])
            return {**raw, "ratios": {"x": [float(i + 1) for i in range(len(listed))], "y": listed}}
        return raw

    @model_validator(mode="after")
    def _gears(self) -> Self:
        if not self.ratios.is_table or list(self.ratios.x) != [float(i + 1) for i in range(len(self.ratios.x))]:
            raise problem("needs the gears 1, 2, … as x, or a list of ratios", "ratios")
        if min(self.ratios.y) <= 0:
            raise problem(f"{min(self.ratios.y):g}: forward gears have ratios above 0", "ratios")
        return self

    @derived("-", doc="number of forward gears")
    def gears(self, place: Any) -> float:
        return float(len(self.ratios.x))

    def geared(self, p: Any, gear: Any) -> Geared:
        return Geared((1.0, -p.ratios(gear)), p.efficiency(gear))

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        return None, p.inertia(gear)

    def shift_speeds(self, p: Any, gears: Any) -> tuple[Any, Any] | None:
        """Of the input shaft, up from and down from each gear, in numbers; None: its driver chooses."""
        return None

    def ratio_of(self, here: Station, gear: Any) -> Any:
        return if_else(gear < -0.5, here.p.reverse_ratio, here.p.ratios(gear))

    def join(self, here: Station) -> None:
        p, signals = here.p, here.model.signals
        coupling = here.kept.get("coupling")
        seamless = coupling is None or coupling.part.seamless
        time = p.shift_time if coupling is None or not seamless else coupling.p.shift_time
        if "driver.shift_time" in signals and not seamless:  # a driver opens the clutch himself, and closes it again
            seamless, time = True, here.read("driver.shift_time")
        made = Shifting(
            here, lambda gear: self.ratio_of(here, gear), p.gears, seamless=seamless, time=time, pause=p.pause
        )
        made.ratio, passes = self._replaced(here, made.ratio)
        here.kept["shifting"] = made
        here.relate(Geared((1.0, -made.ratio), p.efficiency(made.gear)))  # (1)
        assert here.relation is not None
        here.relation.kept = passes
        here.turn(self.inertias(p, made.gear))
        signals.provide("driveline.gear", lambda: made.gear, here.name, usual=True)
        signals.provide("driveline.engaged", lambda: made.engaged * (1 - here.read("neutral")), here.name, usual=True)
        if not seamless:
            signals.provide("driveline.shift_throttle", lambda: made.engaged, here.name, usual=True)

    def _replaced(self, here: Station, ratio: Any) -> tuple[Any, Any]:
        """The ratio that a run gives instead while its flag says so, and what passes: nothing where it gives none."""
        if here.group != GROUP:  # one of a list has no ports
            return ratio, float(self.active)
        flag = "Subsystem_Activation.Internal_Gearbox_Activity"
        active = here.acting(flag, "1 keeps, 0 replaces the ratio of the gearbox, or removes it", rate=True)
        given = here.model.outside("GearBox.transmission_ratio", "-", "ratio instead", "replacing", 1.0, True)
        if active is None:
            return ratio, 1.0
        return (ratio, active) if given is None else (active * ratio + (1 - active) * given, 1.0)

    def act(self, here: Station) -> None:
        assert here.relation is not None
        ratio = here.kept["shifting"].ratio

        def react() -> None:
            torque = here.shafts[0].torque
            here.react(ratio * torque - torque)

        here.relation.passing = react

    def told(self, here: Station) -> None:
        assert here.relation is not None
        before, after = here.shafts
        made = here.kept["shifting"]
        here.channel("gear", made.gear, "-", "gear in use")
        here.channel("ratio", made.ratio, "-", "input speed over output speed")
        here.channel("input_rpm", before.speed, "rad/s", "speed of the input shaft")
        here.channel("output_rpm", after.speed, "rad/s", "speed of the output shaft")
        here.channel("clutch_outputplate_torque", before.torque, "N.m", "torque on the input shaft")
        passed = made.ratio * here.relation.factor * before.torque
        here.channel("torque", passed, "N.m", "torque of the output shaft, without that of inertia")
        here.tell_shaft("diff_central_inputshaft", after)

    def energy(self, here: Station) -> Energy:
        return Energy(lost=None if here.relation is None else here.relation.lost)


class ManualGearbox(Gearbox):
    """A gearbox that its driver shifts."""

    by_hand: ClassVar[bool] = True

    kind: Literal["manual_gearbox"] = choice("manual_gearbox", doc="kind of part")
    shifts: Literal["speed", "demand"] = choice("speed", doc="by the speeds below, or by the demand `gear` of a run")
    upshift_speed: Curve = curve(
        "-", "rad/s", constant(5500 * RPM, "-", "rad/s"), constant="value", typical=(100.0, 2500.0),
        doc="of the input shaft, also by gear",
    )  # fmt: skip
    downshift_speed: Curve = curve(
        "-", "rad/s", constant(1800 * RPM, "-", "rad/s"), constant="value", typical=(50.0, 1500.0),
        doc="of the input shaft, also by gear",
    )  # fmt: skip

    @model_validator(mode="after")
    def _no_hunting(self) -> Self:
        if self.shifts == "speed":
            check_hunting(self.ratios, self.upshift_speed, self.downshift_speed, "downshift_speed")
        return self

    @derived("-", doc="gear at the start, its next whole number below, over the speed of the output shaft")
    def start_gear(self, place: Any) -> Curve:
        return start_gears([self.upshift_speed(i + 1.0) / ratio for i, ratio in enumerate(self.ratios.y)])

    def prepare(self, here: Station) -> None:
        before, after = here.shafts
        p, made = here.p, here.kept["shifting"]
        if self.shifts == "demand" and "driver.gear" not in here.model.signals:
            made.obey(here.read("gear"))
            return
        gear = made.gear
        first = clip(floor(p.start_gear(after.speed)), 1.0, p.gears)
        if "driver.gear" in here.model.signals:  # of one who changes gears himself
            if "driver.first_gear" in here.model.signals:
                turns = [after.speed * p.ratios(float(g + 1)) for g in range(len(self.ratios.x))]
                first = here.read("driver.first_gear")(turns)
            made.obey(here.read("driver.gear"), first)
            return
        made.choose(before.speed > p.upshift_speed(gear), before.speed < p.downshift_speed(gear), first)


def start_gears(ends: Sequence[float]) -> Curve:
    """Over the speed of the output shaft: g … g + 1 where gear g fits; `ends`: speeds at which each gear ends."""
    x = [0.0, *ends]
    for i in range(1, len(x)):  # speeds that do not rise leave a gear out
        x[i] = max(x[i], x[i - 1] * (1 + 1e-9) + 1e-6)
    return Curve(CurveUnits("rad/s", "-"), x=tuple(x), y=tuple(i + 1.0 for i in range(len(x))))


def check_hunting(ratios: Curve, up: Curve, down: Curve, key: str, throttles: Sequence[float] = (0.0,)) -> None:
    """Raise where a shift up would be followed by one down: n_down(g + 1) ≥ n_up(g) i_{g+1}/i_g."""
    now, then = np.array(ratios.y[:-1]), np.array(ratios.y[1:])
    gears = np.arange(1.0, len(ratios.y))
    for throttle in throttles:
        after, least = up.over(gears, throttle) * then / now, down.over(gears + 1, throttle)
        for i in np.flatnonzero(least >= after):
            raise problem(
                f"gear {i + 2}: {least[i]:.5g} rad/s; a shift up to it ends at {after[i]:.5g} rad/s, so that it would "
                "shift down again. Give less than that",
                key,
            )
