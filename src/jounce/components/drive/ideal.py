"""Ideal drive: a share of one torque at each wheel.

    T = ς share · max_torque · throttle                                                                         (1)

ς is 1, and −1 while a driver drives backwards. Its reaction goes to the body (a shaft) or to the carrier (a hub motor).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Self

from pydantic import model_validator

from jounce.components.basics import DIAGNOSED, Subsystem
from jounce.components.controllers.arbiter import decided_throttle
from jounce.components.controllers.slip_control import SlipControl, limited
from jounce.components.drive.hub import act, through
from jounce.components.drive.shifting import BACKWARDS
from jounce.components.drive.thrust import Thrust
from jounce.components.model import VehicleModel
from jounce.components.part import Level, Symbols, derived
from jounce.components.places import Place, WheelPlace
from jounce.core.fields import Data, part, problem, quantity
from jounce.symbolic.ops import if_else


class Drive(Subsystem):
    """Ideal drive: a torque shared by the wheels. In a file also ``front``, ``rear`` or ``all``."""

    level: ClassVar[Level] = "vehicle"

    L1: float = quantity("-", 0.0, ge=0, le=1, doc="share of the front left wheel")
    R1: float = quantity("-", 0.0, ge=0, le=1, doc="share of the front right wheel")
    L2: float = quantity("-", 0.0, ge=0, le=1, doc="share of the rear left wheel")
    R2: float = quantity("-", 0.0, ge=0, le=1, doc="share of the rear right wheel")
    max_torque: float = quantity(
        "N.m", 3000.0, ge=0, typical=(5.0, 5e5), doc="sum of the wheel torques at full throttle"
    )
    tcs: SlipControl | None = part(None, family="slip_control", doc="traction control of the drive torques")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        share = {"front": (0.5, 0.5, 0.0, 0.0), "rear": (0.0, 0.0, 0.5, 0.5), "all": (0.25, 0.25, 0.25, 0.25)}
        if isinstance(raw, str) and raw in share:
            return dict(zip(("L1", "R1", "L2", "R2"), share[raw], strict=True))
        return raw

    @property
    def shares(self) -> dict[str, float]:
        """Share of each wheel."""
        return {"L1": self.L1, "R1": self.R1, "L2": self.L2, "R2": self.R2}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total = math.fsum(self.shares.values())
        if total != 0 and abs(total - 1) > DIAGNOSED:
            raise problem(f"the shares add up to {total:.10g}; they must add up to 1 (or all be 0: no drive)")
        return self

    @derived("-", doc="of the drive torque", at="wheel")
    def drive_share(self, place: WheelPlace) -> float:
        return float(place.axle.data.drive_share(place.side))

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        if isinstance(place, WheelPlace) and self.tcs is not None:
            yield f"{place.name}.tcs", self.tcs

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        def force(u: Any, b: Any, radius: Any) -> Any:
            return self._way(at) * p.max_torque * u / radius

        at.signals.provide("drive.thrust", lambda: Thrust(force), "drive")
        if self.tcs is not None:
            at.signals.provide("slip_control.tcs", lambda: self.tcs, "drive.tcs")

    def _way(self, at: VehicleModel) -> Any:
        """ς of (1)."""
        if BACKWARDS not in at.signals:
            return 1.0
        return if_else(at.signals.read(BACKWARDS, "drive") > 0.5, -1.0, 1.0)

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        demand = self._way(at) * decided_throttle(at, at.signals.read("throttle", "drive"))
        for wheel in at.wheels.values():
            torque = wheel.symbols(self).drive_share * p.max_torque * demand
            if self.tcs is not None:
                torque = torque * limited(wheel, "tcs", "driving")
            act(wheel, through(wheel, torque))
