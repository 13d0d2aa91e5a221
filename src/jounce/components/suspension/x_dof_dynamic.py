"""X-DOF with inertia: one more coordinate x per wheel, along the x axis of the body.

    force excitation    m ẍ + c ẋ + k x = F                                                                       (1)
    base excitation     m ξ̈ + c (ξ̇ - μ̇) + k (ξ - μ) = F,   ξ = x_map(J) + x,   μ = x_map(J) + σ x_other            (2)
    k = F_s / (σ C(F_s)),   c = damping · k  or  damping_rate                                                     (3)

m is the equivalent mass, all that moves when the carrier goes along x. The carrier is a body of the model: its unsprung
mass, and with it the pull on the body, gyroscopic moments and the speed ẋ of hub and contact, come from the coordinate
itself; what m is more or less than the unsprung mass is inertia beside it (symbolic/kane.py (3)). So F is what acts on
the coordinate by virtual work: the force of the tire along x, and, as the carrier has mass, what braking and pitching
pull at it. At rest and in steady running m ẍ = 0, and x = σ C(F) of the map.

k is the secant of the map C at the load F_s (at least ``SMALL``; a rate is the same at all loads), with ``cutoff``
through Ḟ_s = 2πf (F - F_s). In (1) the displacement x_other by other loads is that of their maps and is added to the
pose; the mass beyond the unsprung one moves with ẋ. In (2) maps move the far end of spring and damper, and the whole
mass moves with ξ̇: the transfer from a map to the wheel is (c s + k)/(m s² + c s + k). The own longitudinal force acts
on the mass in both; k C(F) = F is its share of k μ in the usual form of (2). What steering moves along x does not
accelerate the mass beyond the unsprung one.

(1) and (2) are the usual forms of an auxiliary longitudinal freedom; as a coordinate of the model it is ours, as is the
force by virtual work (docs/decisions/0040).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.basics import Side, on_side
from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.places import AxlePlace
from jounce.components.suspension.series_stiffness import is_rigid
from jounce.components.suspension.x_dof import XDof
from jounce.core.fields import choice, one_of, part, problem, quantity
from jounce.symbolic.ops import fabs, fmax, if_else

LEFT: Side = "L"
RIGHT: Side = "R"
SMALL = 50.0  # N: below, the secant of a table is that at this load
HARDEST = 1e-12  # m/N: where the map gives way less, the freedom does not get stiffer
LOCK, LOCK_SQUARE = 1e18, 1e4  # kg, 1/s2: what holds the coordinate still where nothing is left to it
LIGHTEST = 0.25  # least equivalent mass over the unsprung mass, which moves with it anyway
FAST = 200.0  # Hz: five steps of 1 ms per turn


class XDofDynamic(XDof):
    """A mass on spring and damper between carrier and body, along x; its stiffness is that of the maps."""

    needs_map: ClassVar[bool] = True
    alternatives: ClassVar = (("damping", "damping_rate"),)

    kind: Literal["dynamic"] = choice("dynamic", doc="static, dynamic or transfer_function")
    excitation: Literal["force", "base"] = choice(
        "force", doc="what moves it: the force of the tire alone, or also the maps, by spring and damper"
    )
    mass: float = quantity("kg", gt=0, typical=(0.5, 1500.0), doc="all that moves with the carrier along x")
    damping: float | None = quantity("s", None, ge=0, typical=(0.0, 0.1), doc="damping per stiffness")
    damping_rate: float | None = quantity("N.s/m", None, ge=0, typical=(0.0, 1e5), doc="damping instead")
    cutoff: float | None = quantity(
        "Hz", None, gt=0, typical=(1.0, 1000.0), doc="of a low-pass filter on the load of the secant; none: no filter"
    )
    right: XDofDynamic | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _one_damping(self) -> Self:
        one_of(self, ("damping", "damping_rate"))
        return self

    def check(self, axle: AxlePlace, path: tuple[str | int, ...]) -> None:
        for side in axle.sides:
            here = on_side(self, side)
            least = LIGHTEST * float(axle.data.wheels_on(side).unsprung_mass)
            if here.mass < least:
                text = (
                    f"{here.mass!r} kg: must be ≥ {least:g} kg, {LIGHTEST:g} of the unsprung mass of this wheel, "
                    "which moves with it"
                )
                raise problem(text, *path, *(("right",) if side == "R" and self.right is not None else ()), "mass")

    def remarks_on(self, suspension: Any) -> Iterator[tuple[str, str]]:
        """Frequencies that a step does not resolve."""
        for side, path in ((LEFT, "x_dof"), (RIGHT, "x_dof.right")):
            here = on_side(self, side)
            if side == "R" and here is self:
                continue
            given = here.share * suspension.compliance.slope_along(side)
            frequency = 1 / (2 * math.pi * math.sqrt(here.mass * given)) if given > 0 else 0.0
            if frequency > FAST:
                text = f"swings at {frequency:.4g} Hz, faster than steps of 1 ms resolve; is the mass too small?"
                yield f"{path}.mass", f"{text} Without a mass worth naming it is kind: static"

    def frames(self, at: WheelModel, p: Symbols) -> None:
        if is_rigid(at):
            return
        scope = at.system.scope(p.own_name)
        at.along = scope.coordinate(
            "displacement", unit="m", doc="forward, what the wheel gives way along x", on=at.axle.frame, role="balance"
        )

    def in_pose(self, p: Symbols) -> Any:
        return 1 - p.share if self.excitation == "base" else 1.0

    def close(self, at: WheelModel, p: Symbols) -> None:
        if at.along is None:
            return
        from jounce.components.suspension.compliance import loads

        x, u = at.along
        wheels = on_side(at.axle.place.data.wheels, at.place.side)
        rate, slope = u, at.vehicle.slope
        base = self.excitation == "base"
        if base:  # ξ̇ of (2): the pose depends on travels by its maps, and on x
            rate = u + slope(at.pose.x, at.travel) * at.travel_rate
            if at.paired is not at:
                rate = rate + slope(at.pose.x, at.paired.travel) * at.paired.travel_rate
        off = p.share <= 0
        more = if_else(off, 0.0, p.mass - at.symbols(wheels).unsprung_mass)
        at.system.inerter(f"{p.own_name}.mass", rate, more, on=at.axle.frame)
        at.system.inerter(f"{p.own_name}.lock", u, if_else(off, LOCK, 0.0), on=at.axle.frame)
        maps = at.axle.place.data.suspension.compliance
        force = 1.0
        if not maps.straight_along(at.place.side):
            force = loads(at)["fx"]
            if self.cutoff is not None:
                scope = at.system.scope(p.own_name)
                passed = scope.state("passed_force", "N", "longitudinal force through the filter", role="balance")
                scope.derivative(passed, 2 * math.pi * p.cutoff * (force - passed))
                force = passed
            force = if_else(fabs(force) > SMALL, force, SMALL)
        k = if_else(off, LOCK * LOCK_SQUARE, 1 / fmax(p.share * maps.along(at, force) / force, HARDEST))  # (3)
        c = p.damping * k if self.damping is not None else p.damping_rate
        x_other, its_rate = (0.0, 0.0)
        if base:
            x_other, its_rate = (p.share * value for value in (at.gives["x"], maps.rates(at)["x"]))
        p.kept["force"] = k * (x - x_other) + c * (u - its_rate)
        at.system.generalized_force(u, -p.kept["force"])  # (1), (2)

    def tell(self, at: WheelModel, p: Symbols) -> None:
        super().tell(at, p)
        if at.along is not None:
            doc = "of its spring and damper on the body, forward"
            at.channel(f"X_Dof.Force.{at.place.name}", p.kept["force"], "N", doc)
