"""A locked differential: both outputs turn alike.

By control, a spring and a damper between the outputs (``coupling`` (1) without a limit), with δω = ω_1 − ω_2:

    ½ ΔT = k θ + c δω + b δω̇,   θ̇ = δω                                                                         (1)

a PID control of δω with K_P = 2c, K_I = 2k, K_D = 2b; b, where it is given, is an inertance between the outputs. Or
rigidly, as a constraint of the model. Outputs with different shares cannot be locked to a torque split.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, Self

from pydantic import model_validator

from jounce.components.drive.base import Energy, Station
from jounce.components.drive.coupling import coupling
from jounce.components.drive.differential import OpenDifferential
from jounce.core.fields import choice, problem, quantity

HALF = 1e-9


class LockedDifferential(OpenDifferential):
    """A differential that is locked."""

    kind: Literal["locked_differential"] = choice("locked_differential", doc="kind of part")  # type: ignore[assignment]
    lock: Literal["control", "rigid"] = choice("control", doc="how: by spring and damper, or as a constraint")
    lock_stiffness: float = quantity("N.m/rad", 1e5, gt=0, typical=(1e3, 1e8), doc="torque per angle between outputs")
    lock_damping: float = quantity("N.m.s/rad", 1e3, gt=0, typical=(1.0, 1e6), doc="torque per speed between outputs")

    lock_inertance: float | None = quantity(
        "kg.m2", None, gt=0, typical=(1e-3, 100.0), doc="torque per acceleration between outputs; absent: none"
    )

    @model_validator(mode="after")
    def _even(self) -> Self:
        if abs(self.share - 0.5) > HALF:
            raise problem(f"{self.share:g}: outputs that are locked to each other share evenly, 0.5", "share")
        return self

    def join(self, here: Station) -> None:
        super().join(here)
        if self.lock == "rigid":
            _, first, second = here.shafts
            here.train.relate(f"{here.name}.lock", [(1.0, first), (-1.0, second)])

    def locking(self, here: Station) -> Any:
        if self.lock == "rigid":
            return 0.0
        return 2 * hold(here, None)

    def energy(self, here: Station) -> Energy:
        found = super().energy(here)
        if "held" not in here.kept:
            return found
        stored = here.kept["held"].stored
        if self.lock_inertance is not None:
            stored = stored + 0.5 * here.p.lock_inertance * here.kept["slip"] ** 2
        return replace(found, stored=stored)

    def lost(self, here: Station) -> Any:
        return here.kept["held"].lost if "held" in here.kept else 0.0


def hold(here: Station, limit: Any) -> Any:
    """Torque that holds both outputs together, up to a limit."""
    _, first, second = here.shafts
    p, train = here.p, here.train
    mobility = train.mobility(first) + train.mobility(second)
    slip = first.speed - second.speed
    made = coupling(here.scope, "lock", slip, limit, p.lock_stiffness, p.lock_damping, mobility, train.on)
    here.kept.update(held=made, slip=slip)
    if here.part.lock_inertance is not None:  # type: ignore[attr-defined]
        here.scope.inerter("lock.inertance", slip, p.lock_inertance, on=train.on)
    return made.torque
