"""A clutch that sticks and slips.

With the pedal C from closed (0) to open (1), the engagement e and the capacity T_c,

    e = step(C; open, 0; closed, 1)                                                                            (1)
    T = coupling (1) of Δω = ω_in − ω_out with the limit e T_c,    ε T to the output plate (back: T/ε)            (2)

T is the torque of the input plate. By choice e is a factor on stiffness and slip instead, as in the reference tool:

    T = e (k θ + c θ̇),   θ̇ = e Δω,   |T| ≤ T_c,    that is, springs of e² k and e² c                               (3)

A driver who neither stalls the engine nor forgets the clutch is a part of it (``automatic``): below the speed
``opens_below`` of the output plate the clutch is as far closed as the engine is fast, from ``engages_from`` on; above
it, it is closed; below the stall speed of the engine it opens. So a car starts by the throttle alone. Neutral opens
it; a gearbox that shifts opens it for its time, and anti-lock control while it acts (``hydraulic_abs``).
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.controllers.arbiter import arbiter
from jounce.components.drive.base import Energy, Geared, Station, Yielding, step
from jounce.components.drive.coupling import coupling
from jounce.components.drive.engine_control import RPM
from jounce.components.drive.train import passed
from jounce.core.fields import choice, problem, quantity
from jounce.symbolic.ops import fmax, if_else, logic_and

SMALLEST = 1e-3  # engagement below which (3) transmits nothing
SLOWEST = 1.0  # rad/s: an output plate that stands, in ratios


class Clutch(Yielding):
    """A friction clutch with its torsion springs."""

    ports: ClassVar[tuple[str, ...]] = ("input", "output")

    kind: Literal["clutch"] = choice("clutch", doc="kind of part")
    active: bool = choice(True, doc="whether it carries torque of its own; a run may give it instead, or switch it on")
    open: float = quantity("-", 1.0, ge=0, le=1, doc="pedal at which it is fully open")
    closed: float = quantity("-", 0.0, ge=0, le=1, doc="pedal at which it is fully closed")
    capacity: float = quantity("N.m", gt=0, typical=(10.0, 1e4), doc="largest torque")
    stiffness: float = quantity("N.m/rad", 1500.0, gt=0, typical=(100.0, 1e6), doc="of its torsion springs, k")
    damping: float = quantity("N.m.s/rad", 15.0, gt=0, typical=(0.1, 1e3), doc="of its torsion springs, c")
    efficiency: float = quantity("-", 1.0, gt=0, le=1, typical=(0.9, 1.0), doc="output torque over input torque")
    inertia: float = quantity("kg.m2", 0.01, gt=0, typical=(1e-4, 2.0), doc="of the output plate")
    engagement: Literal["capacity", "stiffness"] = choice("capacity", doc="what it scales: (2) or (3)")
    automatic: bool = choice(True, doc="whether it opens and closes by itself so that the engine does not stall")
    engages_from: float = quantity(
        "rad/s", 1100 * RPM, gt=0, typical=(50.0, 600.0), doc="speed of the input plate from which it closes at a start"
    )
    engaged_at: float = quantity(
        "rad/s",
        2200 * RPM,
        gt=0,
        typical=(60.0, 1000.0),
        doc="speed of the input plate at which it is closed then",
    )
    opens_below: float = quantity(
        "rad/s",
        900 * RPM,
        gt=0,
        typical=(20.0, 400.0),
        doc="speed of the output plate below which it may open",
    )

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.open <= self.closed:
            raise problem(f"{self.open:g}: must be above closed, {self.closed:g}", "open")
        if self.engaged_at <= self.engages_from:
            raise problem(f"{self.engaged_at:g} rad/s: must be above engages_from", "engaged_at")
        return self

    def geared(self, p: Any, gear: Any) -> Geared:
        return Geared((1.0, -1.0), p.efficiency, rigid=False)

    def inertias(self, p: Any, gear: Any) -> tuple[Any, ...]:
        return None, p.inertia

    def slipping(self, here: Any, speed: Any, torque: Any, gear: Any) -> Any:
        """In a launch the engine is in the middle of the speeds at which it closes."""
        p = here.p
        launches = logic_and(speed < p.opens_below, torque > 0)
        least = 0.5 * (p.engages_from + p.engaged_at)
        return if_else(launches, fmax(least / fmax(speed, SLOWEST), 1.0), 1.0)

    def engaged(self, here: Station) -> Any:
        """e (1), with what gearbox and automatic do."""
        before, after = here.shafts
        p = here.p
        e = step(here.read_or("clutch", 0.0), p.open, 0.0, p.closed, 1.0)
        if self.automatic:
            starting = step(before.speed, p.engages_from, 0.0, p.engaged_at, 1.0)
            rolling = step(after.speed, 0.8 * p.opens_below, 0.0, p.opens_below, 1.0)
            e = e * fmax(starting, rolling)
            if "driveline.stall_speed" in here.model.signals:
                stall = here.read("driveline.stall_speed")
                e = e * step(before.speed, 0.9 * stall, 0.0, stall, 1.0)
            e = e * arbiter(here.model).apply("coupling", 1.0)  # a controller may have it let go
        return e * here.read_or("driveline.engaged", 1.0) * here.read_or("driveline.coupled", 1.0)

    def act(self, here: Station) -> None:
        before, after = here.shafts
        p, train = here.p, here.train
        e, slip = self.engaged(here), before.speed - after.speed
        mobility = train.mobility(before) + train.mobility(after)
        limit, share = e * p.capacity, 1.0
        if self.engagement == "stiffness":
            limit, share = if_else(e > SMALLEST, p.capacity, 0.0), fmax(e, SMALLEST) ** 2  # (3)
        active = here.acting("Subsystem_Activation.Internal_Clutch_Activity", "1 keeps, 0 removes the clutch")
        limit = limit if active is None else active * limit
        springs = share * p.stiffness, share * p.damping
        made = coupling(here.scope, "plate", slip, limit, *springs, mobility, train.on)
        torque = here.model.through(made.torque, "N.m", "torque of the clutch", added="Clutch.clutch_trq")
        factor = passed(p.efficiency, torque * after.speed)
        train.push(before, -torque)
        train.push(after, factor * torque)
        lost = made.lost + (torque - made.torque) * slip + torque * after.speed * (1 - factor)
        here.kept.update(made=made, engaged=e, factor=factor, lost=lost, carried=torque + made.carried - made.torque)

    def told(self, here: Station) -> None:
        kept = here.kept
        made, after, carried = kept["made"], here.shafts[1], kept["carried"]
        here.channel("slip_angle", made.windup, "rad", "wind-up of its springs")
        here.channel("torque", kept["factor"] * carried, "N.m", "torque to the output plate")
        here.channel("inputplate_torque", carried, "N.m", "torque on the input plate")
        here.channel("effective_clutch", 1 - kept["engaged"], "-", "0 closed, 1 open")
        here.channel("clutch_rpm", after.speed, "rad/s", "speed of the output plate")
        here.tell_shaft("gearbox_inputshaft", after)

    def energy(self, here: Station) -> Energy:
        return Energy(lost=here.kept["lost"], stored=here.kept["made"].stored)
