"""A tire on a wheel: its numbers as parameters of a system, and what mounting it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jounce.components.tire import contact as geometry
from jounce.components.tire.base import Tire

if TYPE_CHECKING:
    from jounce.symbolic.system import Scope, TableHandle


@dataclass(frozen=True)
class Block:
    """The numbers of a tire as parameters of a system."""

    tire: Tire
    parameters: dict[str, Any]
    derived: dict[str, Any]
    tables: list[TableHandle]
    profile: TableHandle | None = None  # the cross-section of a motorcycle tire

    @property
    def numbers(self) -> dict[str, Any]:
        return {**self.parameters, **self.derived}


@dataclass(frozen=True)
class Yielding:
    """What a carrier that gives way does at the contact of its tires (``suspension/compliance``)."""

    moved: Sequence[Any]  # forward and to the left, axes of the body, m; about the wheel's x axis, rad
    slip: Sequence[Any] = ()  # speeds of the contact along and across the wheel, symbols that are defined later
    speeds: Sequence[Any] = ()  # known before: forward, to the left, about the wheel's x, its spin axis, z of the body
    tried: Sequence[dict[str, Any]] = ()  # how far it gives way in iterations, symbols that are defined later
    frames: list[Any] = field(default_factory=list)  # carriers that give way so; the last one is where the tire acts


@dataclass(frozen=True)
class Mounted:
    """A tire on a wheel: expressions for channels and further loads. Forces and moments in contact axes."""

    tire: Tire
    contact: geometry.Contact
    motion: geometry.Motion
    values: dict[str, Any]  # by the names of transient.outputs
    deflections: tuple[Any, Any] | None  # the states u, v
    rho: Any
    friction: Any
    wrench: geometry.Wrench  # at the wheel centre, in the axes of the computation
    centre: Any  # of the wheel, from the origin of these axes
    told: Callable[[], dict[str, Any]] = dict  # what the tire knows besides, by the names of ``told``; for channels
    changed: bool = False  # the wrench is not that of ``values``: a run has dropped or given a part of it
    tried: tuple[dict[str, Any], ...] = ()  # values of iterations before the last one

    def declare_outputs(self, scope: Scope, prefix: str = "tire") -> None:
        """The usual channels."""
        v = self.values
        for name, unit, doc in (
            ("fx", "N", "longitudinal force at the contact"),
            ("fy", "N", "lateral force at the contact"),
            ("fz", "N", "wheel load"),
            ("mx", "N.m", "overturning moment at the contact"),
            ("my", "N.m", "rolling resistance moment at the contact"),
            ("mz", "N.m", "aligning moment at the contact"),
            ("kappa", "-", "longitudinal slip that makes the force"),
            ("alpha", "rad", "slip angle that makes the force"),
            ("radius", "m", "effective rolling radius"),
        ):
            scope.output(f"{prefix}.{name}", v[name], unit, doc)
        scope.output(f"{prefix}.gamma", self.contact.gamma, "rad", "inclination to the road")
        scope.output(f"{prefix}.deflection", self.rho, "m", "radial deflection; negative in the air")
        scope.output(f"{prefix}.vx", self.motion.vx, "m/s", "speed of the contact along the wheel")
