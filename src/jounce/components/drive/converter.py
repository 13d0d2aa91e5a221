"""A torque converter, with oil dump and lock-up.

With the speed ratio ν = ω_out/ω_in, the capacity factor k(ν) and the torque ratio τ(ν),

    T_in = (γ ω_in/k)²,   T_out = τ T_in                                                                        (1)
    γ = 1 with the pedal down;   step(ν; 0, residual; threshold, 1) with the pedal up                             (2)

(2) is inside the square unless ``dump: torque``. In overrun, ω_out > ω_in, the turbine drives the impeller as a fluid
coupling of the same capacity factor at the inverse speed ratio, T_in = T_out = −(ω_out/k(1/ν))²: both branches are zero
at ν = 1 when k grows without limit there; where a map ends below it, the torque is led to zero over the last bit to it.

Lock-up is a clutch beside it (``coupling`` (1)). It closes, over its time, above a speed of the turbine in gears from
``from_gear`` on while the pedal is not far down, and opens below another speed: a sampled block.
[Heisler2002] chapter 5; the overrun branch and the lock-up are ours.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.controllers.arbiter import arbiter
from jounce.components.drive.base import Energy, Geared, Station, Yielding, step
from jounce.components.drive.coupling import coupling
from jounce.components.drive.engine_control import RPM
from jounce.components.part import derived
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part, problem, quantity
from jounce.symbolic.ops import clip, fmax, if_else, logic_and, logic_or

SLOWEST = 1.0  # rad/s: an impeller slower than this is taken for one of this speed in ν
RATIOS = np.linspace(0.02, 0.98, 60)  # speed ratios that are looked at without a model
FLAG = "Subsystem_Activation.Internal_Clutch_Activity"
SYNCHRONOUS = 0.02  # of ν: width over which the torque goes to zero at ν = 1


class LockUp(Data):
    """A clutch that bridges the converter."""

    capacity: float = quantity("N.m", gt=0, typical=(50.0, 5e3), doc="largest torque")
    stiffness: float = quantity("N.m/rad", 2000.0, gt=0, typical=(100.0, 1e6), doc="of its torsion springs")
    damping: float = quantity("N.m.s/rad", 20.0, gt=0, typical=(0.1, 1e3), doc="of its torsion springs")
    closes_above: float = quantity(
        "rad/s", 1500 * RPM, gt=0, typical=(50.0, 600.0), doc="speed of the turbine above which it closes"
    )
    opens_below: float = quantity(
        "rad/s", 1200 * RPM, gt=0, typical=(30.0, 500.0), doc="speed of the turbine below which it opens"
    )
    from_gear: float = quantity("-", 2.0, ge=1, typical=(1.0, 8.0), doc="lowest gear in which it closes")
    max_throttle: float = quantity("-", 0.9, gt=0, le=1, doc="it opens with more throttle")
    time: float = quantity("s", 0.4, gt=0, typical=(0.05, 3.0), doc="that closing takes")

    @model_validator(mode="after")
    def _hysteresis(self) -> Self:
        if self.opens_below >= self.closes_above:
            raise problem(f"{self.opens_below:g} rad/s: must be below closes_above", "opens_below")
        return self


class Converter(Yielding):
    """A hydrodynamic torque converter."""

    word: ClassVar[str] = "Torque_Converter"

    ports: ClassVar[tuple[str, ...]] = ("input", "output")
    seamless: ClassVar[bool] = True

    kind: Literal["converter"] = choice("converter", doc="kind of part")
    active: bool = choice(True, doc="whether it carries torque of its own; a run may give it instead, or switch it on")
    capacity_factor: Curve = curve(
        "-",
        "-",
        typical=(5.0, 500.0),
        doc="rad/s per root of N.m: input speed over root of input torque, over the speed ratio",
    )
    torque_ratio: Curve = curve("-", "-", typical=(0.5, 4.0), doc="output over input torque, over the speed ratio")
    impeller_inertia: float = quantity("kg.m2", 0.08, ge=0, typical=(1e-3, 5.0), doc="on the input shaft")
    turbine_inertia: float = quantity("kg.m2", 0.03, gt=0, typical=(1e-3, 5.0), doc="on the output shaft")
    shift_time: float = quantity("s", 0.4, gt=0, typical=(0.05, 3.0), doc="from one gear to the next")
    dump_threshold: float | None = quantity(
        "-", None, gt=0, le=1, doc="speed ratio below which oil is dumped; absent: never"
    )
    dump_residual: float = quantity("-", 0.3, ge=0, le=1, doc="what is left at standstill")
    dump: Literal["speed", "torque"] = choice(
        "speed", doc="what the residual scales in (1), inside or outside the square"
    )
    throttle_off: float = quantity("-", 0.02, ge=0, le=1, doc="throttle below which oil is dumped")
    lock_up: LockUp | None = part(None, doc="a clutch beside it; absent: none")

    @model_validator(mode="after")
    def _covers(self) -> Self:
        for name in ("capacity_factor", "torque_ratio"):
            found: Curve = getattr(self, name)
            if not found.is_table or found.x[0] > 0 or found.x[-1] < 1 - SYNCHRONOUS - 1e-9:
                raise problem(f"needs a table over speed ratios from 0 to {1 - SYNCHRONOUS:g} or 1", name)
        return self

    @derived("-", doc="largest speed ratio of both maps, at most 1")
    def last_ratio(self, place: Any) -> float:
        return min(self.capacity_factor.x[-1], self.torque_ratio.x[-1], 1.0)

    def geared(self, p: Any, gear: Any) -> Geared:
        return Geared((1.0, -1.0), rigid=False)

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        return p.impeller_inertia, p.turbine_inertia

    def slipping(self, here: Any, speed: Any, torque: Any, gear: Any) -> Any:
        """At the speed ratio that carries the torque, the next one of those that are looked at."""
        p = here.p
        wanted, turbine = np.maximum(torque, 0.0)[:, None], np.maximum(speed, SLOWEST)
        carried = p.torque_ratio(RATIOS) * (turbine[:, None] / RATIOS / p.capacity_factor(RATIOS)) ** 2  # (1), falls
        enough = carried <= wanted
        found = np.where(enough.any(axis=1), RATIOS[np.argmax(enough, axis=1)], RATIOS[-1])
        if self.lock_up is not None:
            closed = (turbine > p.lock_up.closes_above) & (gear >= p.lock_up.from_gear)
            found = np.where(closed, 1.0, found)
        return 1 / found

    def held(self, here: Any, speed: Any) -> Any:
        residual = 1.0 if self.dump_threshold is None else here.p.dump_residual**2
        return residual * (speed / here.p.capacity_factor(0.0 * speed)) ** 2

    def act(self, here: Station) -> None:
        before, after = here.shafts
        p = here.p
        w_in, w_out = fmax(before.speed, 0.0), after.speed
        forwards = clip(w_out / fmax(before.speed, SLOWEST), 0.0, 1.0)
        backwards = clip(before.speed / fmax(w_out, SLOWEST), 0.0, 1.0)
        over = logic_and(w_out > before.speed, w_out > SLOWEST)
        ratio = if_else(over, backwards, forwards)
        known = clip(ratio, 0.0, p.last_ratio)
        fades = clip((1 - ratio) / SYNCHRONOUS, 0.0, 1.0)
        gamma: Any = 1.0
        if self.dump_threshold is not None:
            dumped = step(ratio, 0.0, p.dump_residual, p.dump_threshold, 1.0)  # (2)
            gamma = if_else(here.read("throttle") > p.throttle_off, 1.0, dumped)
        gamma = gamma * gamma if self.dump == "speed" else gamma
        drive = if_else(over, w_out, w_in) / p.capacity_factor(known)
        opened = arbiter(here.model).apply("coupling", 1.0)  # a controller may have the gearbox let go
        here.kept["opened"] = opened
        size = opened * fades * gamma * drive * drive * here.read_or("driveline.engaged", 1.0)
        t_in = if_else(over, -size, size)
        t_out = if_else(over, -size, p.torque_ratio(known) * size)
        through, doc = here.model.through, "torque of the converter on its"
        t_in = through(t_in, "N.m", f"{doc} impeller", added="Clutch.clutch_trq", flag=FLAG, on=self.active)
        t_out = through(
            t_out, "N.m", f"{doc} turbine", added="Clutch.gearbox_inputshaft_torque", flag=FLAG, on=self.active
        )
        here.train.push(before, -t_in)
        here.train.push(after, t_out)
        lost = t_in * before.speed - t_out * after.speed
        told = {"ratio": forwards, "torque_ratio": p.torque_ratio(known), "factor": p.capacity_factor(known)}
        here.kept.update(t_in=t_in, t_out=t_out, lost=lost, **told)
        here.react(t_in - t_out)
        if self.lock_up is not None:
            self._lock(here)

    def _lock(self, here: Station) -> None:
        before, after = here.shafts
        p = here.p.lock_up
        block = here.scope.block("lock_up_control", doc="opens and closes the lock-up clutch")
        wanted = block.signal("wanted", "-", "1 closed, 0 open")
        closed = block.signal("closed", "-", "how far it is closed")
        throttle, gear = here.read("throttle"), here.read_or("driveline.gear", 99.0)
        allowed = logic_and(throttle < p.max_throttle, gear > p.from_gear - 0.5)
        allowed = logic_and(allowed, logic_and(here.read_or("neutral", 0.0) < 0.5, here.kept["opened"] > 0.5))
        fast = logic_or(after.speed > p.closes_above, logic_and(wanted > 0.5, after.speed > p.opens_below))
        new = if_else(logic_and(allowed, fast), 1.0, 0.0)
        block.update(wanted, new)
        block.update(closed, if_else(new > 0.5, clip(closed + block.period / p.time, 0.0, 1.0), 0.0))
        mobility = here.train.mobility(before) + here.train.mobility(after)
        limit, doc = closed * p.capacity, "capacity of the lock-up"
        limit = here.model.through(limit, "N.m", doc, flag=FLAG, on=self.active)
        made = coupling(
            here.scope, "lock_up", before.speed - after.speed, limit, p.stiffness, p.damping, mobility,
            here.train.on,
        )  # fmt: skip
        here.train.push(before, -made.torque)
        here.train.push(after, made.torque)
        here.kept.update(made=made, closed=closed, lost=here.kept["lost"] + made.lost)

    def told(self, here: Station) -> None:
        kept = here.kept
        after = here.shafts[1]
        here.channel("inputplate_torque", kept["t_in"], "N.m", "torque on the impeller")
        here.channel("torque", kept["t_out"], "N.m", "torque of the turbine")
        here.channel("capacity_factor", kept["factor"], "-", "in rad/s per root of N.m, at this speed ratio")
        here.channel("efficiency", kept["ratio"] * kept["torque_ratio"], "-", "speed ratio times torque ratio")
        here.tell_shaft("gearbox_inputshaft", after)
        here.channel("speed_ratio", kept["ratio"], "-", "speed of the turbine over that of the impeller, 0 to 1")
        here.channel("torque_ratio", kept["torque_ratio"], "-", "torque of the turbine over that of the impeller")
        if "made" in kept:
            here.channel("lock_up", kept["closed"], "-", "how far the lock-up clutch is closed")
            here.channel("lock_up_torque", kept["made"].carried, "N.m", "torque of the lock-up clutch")

    def energy(self, here: Station) -> Energy:
        made = here.kept.get("made")
        return Energy(lost=here.kept["lost"], stored=None if made is None else made.stored)
