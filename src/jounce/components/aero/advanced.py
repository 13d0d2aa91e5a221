"""Aerodynamics by coefficients: maps over both ride heights, with factors over yaw, pitch, roll and steering.

With q = ½ ρ A u², u along the car through the air, and Π the product of the factors of a group,

    F_front = q C_z b Π_z Π_zf,   F_rear = q C_z (1 − b) Π_z Π_zr             downforce                            (1)
    F_drag  = q C_x Π_x,          C_x = C_body + C_front + C_rear                                                  (2)
    S_front = q C_y c Π_y Π_yf,   S_rear = q C_y (1 − c) Π_y Π_yr             side force, to the left             (3)
    M_x     = q C_mx Π_m Π_mf Π_mr + S_front h_front + S_rear h_rear          about x, right side down            (4)
    M_y     = F_drag h_drag                                                   about y, nose down                  (5)

(4) and (5) hold because such data are measured at the road: the moments take away what forces at a height do besides.
They are switched by ``side_arm`` and ``pitch_compensation``. Above a speed u_0 coefficients change with speed,

    C_z, b, C_x  +=  offset · max(u − u_0, 0)/u_1                             zero where u_1 is zero              (6)

In reverse, or with the wind from behind, the drag turns round: q u/|u|. Signs are ISO 8855: side slip to the left,
pitch nose down, roll right side down, steer to the left. Maps and factors hold their ends beyond the data.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import model_validator

from jounce.components.aero.air import Flow, PointedAir
from jounce.components.basics import Array
from jounce.components.model import UnitModel
from jounce.components.part import Symbols
from jounce.components.places import UnitPlace
from jounce.core.curves import Curve
from jounce.core.fields import Data, choice, curve, part, problem, quantity
from jounce.symbolic.ops import fabs, fmax, if_else

ANGLES = ("yaw", "pitch", "roll", "steering")


def _map(unit: str, doc: str, default: Any = None, typical: tuple[float, float] = (0.0, 10.0)) -> Any:
    """A map over front and rear ride height, or a number; absent: there is no such thing."""
    return curve("m", unit, default, z="m", constant="value", how="held", typical=typical, reach=(0.005, 2.0), doc=doc)


def _factor(doc: str) -> Any:
    """A factor over an angle; absent: 1."""
    return curve("rad", "-", None, constant="value", how="held", typical=(0.0, 10.0), reach=(1e-3, 3.2), doc=doc)


class Factors(Data):
    """Factors over angles; absent: 1."""

    yaw: Curve | None = _factor("over side slip through the air, to the left")
    pitch: Curve | None = _factor("over pitch against the road, nose down")
    roll: Curve | None = _factor("over roll against the road, right side down")
    steering: Curve | None = _factor("over the mean steer angle of the front wheels, to the left")

    def product(self, p: Symbols, flow: Flow) -> Any:
        """Π, as a symbol."""
        found: Any = 1.0
        for name, angle in zip(ANGLES, (flow.side_slip, flow.pitch, flow.roll, flow.steer), strict=True):
            if getattr(self, name) is not None:
                found = getattr(p, name)(angle) * found
        return found

    def straight(self, method: str) -> float:
        """Π straight ahead and level."""
        there = [found for name in ANGLES if (found := getattr(self, name)) is not None]
        return float(np.prod([found(0.0, method=method, extrapolation="flat") for found in there]))


class Offsets(Data):
    """How coefficients change above a speed (6): by these numbers for every `reference_velocity` above it."""

    threshold: float = quantity("m/s", 27.777, ge=0, typical=(0.0, 120.0), doc="speed above which they change")
    reference_velocity: float = quantity(
        "m/s", 13.888, ge=0, typical=(0.0, 120.0), doc="speed per offset; 0: no offset"
    )
    cz: float = quantity("-", 0.0, typical=(0.0, 5.0), doc="of the downforce coefficient")
    balance: float = quantity("-", 0.0, typical=(0.0, 1.0), doc="of the front share of downforce")
    cx_body: float = quantity("-", 0.0, typical=(0.0, 2.0), doc="of the drag coefficient of the body")
    cx_front: float = quantity("-", 0.0, typical=(0.0, 2.0), doc="of the drag coefficient of the front")
    cx_rear: float = quantity("-", 0.0, typical=(0.0, 2.0), doc="of the drag coefficient of the rear")


class AdvancedAero(PointedAir):
    """Six components by coefficients over ride heights and angles."""

    family: ClassVar[str] = "aero"

    kind: Literal["advanced"] = choice("advanced", doc="kind of model")
    frontal_area: float = quantity("m2", gt=0, typical=(0.3, 12.0), doc="area of the coefficients")
    cz: Curve | None = _map("-", "downforce coefficient, positive downwards")
    balance: Curve | None = _map("-", "front share of the downforce, 0 to 1", typical=(0.0, 1.5))
    cx_body: Curve = _map("-", "drag coefficient of the body", ...)
    cx_front: Curve | None = _map("-", "drag coefficient of the front")
    cx_rear: Curve | None = _map("-", "drag coefficient of the rear")
    cy: Curve | None = _map("-", "side force coefficient, to the left; its sign with side slip is in `cy_by.yaw`")
    balance_y: Curve | None = _map("-", "front share of the side force, 0 to 1", typical=(0.0, 1.5))
    cmx: Curve | None = _map("m", "roll moment coefficient times its length, right side down")
    cz_by: Factors = part({}, doc="on all downforce")
    cz_front_by: Factors = part({}, doc="on front downforce")
    cz_rear_by: Factors = part({}, doc="on rear downforce")
    cx_by: Factors = part({}, doc="on drag")
    cy_by: Factors = part({}, doc="on all side force")
    cy_front_by: Factors = part({}, doc="on front side force")
    cy_rear_by: Factors = part({}, doc="on rear side force")
    cmx_by: Factors = part({}, doc="on the roll moment, of the whole body")
    cmx_front_by: Factors = part({}, doc="on the roll moment, of the front")
    cmx_rear_by: Factors = part({}, doc="on the roll moment, of the rear")
    offsets: Offsets | None = part(None, doc="change of coefficients with speed")

    @model_validator(mode="after")
    def _shared(self) -> Self:
        for force, share in (("cz", "balance"), ("cy", "balance_y")):
            if getattr(self, force) is not None and getattr(self, share) is None:
                raise problem(f"missing; {force} is shared between front and rear by it", share)
        return self

    def components(self, at: UnitModel, p: Symbols, flow: Flow) -> dict[str, Any]:
        def maps(name: str) -> Any:
            return getattr(p, name)(flow.front, flow.rear)

        def factors(name: str) -> Any:
            data: Factors = getattr(self, name)
            return data.product(getattr(p, name), flow)

        pressure = 0.5 * p.air_density * p.frontal_area
        q = pressure * flow.speed * flow.speed
        more: Any = None
        if self.offsets is not None:
            above, per = fmax(flow.speed - p.offsets.threshold, 0.0), p.offsets.reference_velocity
            more = if_else(per > 0, above / fmax(per, 1e-9), 0.0)  # (6)

        def at_speed(value: Any, *names: str) -> Any:
            return value if more is None else value + sum(getattr(p.offsets, name) for name in names) * more

        drags = [name for name in ("cx_body", "cx_front", "cx_rear") if getattr(self, name) is not None]
        cx = at_speed(sum(maps(name) for name in drags), "cx_body", "cx_front", "cx_rear")
        found = {"center_drag": pressure * flow.speed * fabs(flow.speed) * cx * factors("cx_by")}  # (2)
        if self.cz is not None:
            down, share = q * at_speed(maps("cz"), "cz") * factors("cz_by"), at_speed(maps("balance"), "balance")
            found["front_downforce"] = down * share * factors("cz_front_by")  # (1)
            found["rear_downforce"] = down * (1 - share) * factors("cz_rear_by")
        if self.cy is not None:
            side, share = q * maps("cy") * factors("cy_by"), maps("balance_y")
            found["front_side"] = side * share * factors("cy_front_by")  # (3)
            found["rear_side"] = side * (1 - share) * factors("cy_rear_by")
        if self.cmx is not None:
            turning = factors("cmx_by") * factors("cmx_front_by") * factors("cmx_rear_by")
            found["roll"] = q * maps("cmx") * turning  # (4); what side forces do is added for every model
        return found

    def still_drag(self, place: UnitPlace, speeds: Array, heights: tuple[float, float]) -> Array:
        method = place.settings.splines.method
        held = self.within(heights)
        maps = (self.cx_body, self.cx_front, self.cx_rear)
        cx = sum(_number(found, held, method) for found in maps if found is not None)
        more = np.zeros(len(speeds))
        own = self.offsets
        if own is not None and own.reference_velocity > 0:
            total = own.cx_body + own.cx_front + own.cx_rear
            more = total * np.maximum(speeds - own.threshold, 0.0) / own.reference_velocity
        force = 0.5 * self.air_density * self.frontal_area * speeds**2 * (cx + more) * self.cx_by.straight(method)
        change = self.modifiers.center_drag
        drag: Array = change.scale * (force + change.shift)
        return drag


def _number(found: Curve, heights: list[Any], method: str) -> float:
    """A map at ride heights."""
    return found(*heights[: max(found.n_axes, 1)], method=method, extrapolation="flat")
