"""How a car is set up: options of the whole job. Plain data; ``jounce.sim.setup`` does it.

The job is one root-finding problem with exact derivatives. Gains of the controllers by which other programs do it are
read and not used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from jounce.components.part import Part
from jounce.core.fields import Data, flag, part, quantity

MODES = {1: "pushrod", 2: "preload"}
REFERENCES = {1: "chassis", 2: "ground"}


def _gain() -> Any:
    return quantity("-", None, presence=False, doc="not used")


class Gains(Data):
    """Gains of controllers that other programs set cars up with: read, not used."""

    ride_height_standard_kp: float | None = _gain()
    ride_height_standard_kd: float | None = _gain()
    ride_height_standard_ki: float | None = _gain()
    ride_height_preload_kp: float | None = _gain()
    ride_height_preload_kd: float | None = _gain()
    ride_height_preload_ki: float | None = _gain()
    pin_height_kp: float | None = _gain()
    pin_height_kd: float | None = _gain()
    pin_height_ki: float | None = _gain()
    cross_weight_ratio_kp: float | None = _gain()
    cross_weight_ratio_ki: float | None = _gain()
    cross_weight_force_kp: float | None = _gain()
    cross_weight_force_ki: float | None = _gain()
    preload_RH_CW_gain: float | None = _gain()  # spelled as in the files that have it


class Setup(Part):
    """Options of a set-up; its targets stand at the axles, but for the cross weight of the whole car."""

    aliases: ClassVar = {"orientation_reference": "reference", "setup_wheels_active": "rigid_wheels"}

    mode: Literal["pushrod", "preload"] = flag("pushrod", doc="what sets heights and cross weight (also 1 and 2)")
    reference: Literal["ground", "chassis"] = flag("ground", doc="what toe and camber are measured from (also 2 and 1)")
    cross_weight: float | None = quantity(
        "-", None, presence=False, ge=0, le=1, doc="load of left front and right rear over all of it"
    )
    cross_ratio: float | None = quantity(
        "-", None, presence=False, ge=0, le=1, doc="load of right front and left rear over all of it"
    )
    tolerance: float = quantity(
        "-", 0.0, ge=0, le=1, doc="relative error of a target that is accepted besides 1 µm, 1 µrad, 1e-6 or 1 N"
    )
    anti_roll: bool = flag(True, doc="anti-roll devices act; without, they are made free of force where the car stands")
    flat_road: bool = flag(True, doc="on a flat road, whatever the ground of the job is")
    rigid_wheels: bool = flag(False, doc="on rigid set-up wheels instead of the tires")
    wheel_stiffness: float = quantity(
        "N/m", 1e9, gt=0, typical=(1e6, 1e12), doc="radial stiffness of the rigid set-up wheels"
    )
    statistics: bool = flag(True, doc="states with design, set-up and running masses in the report")
    gains: Gains | None = part(None, numbers_only=True, doc="gains of foreign controllers: read, not used")

    @classmethod
    def expand(cls, raw: Any) -> Any:
        """Numbers of modes and references, as other programs write them."""
        if not isinstance(raw, dict):
            return raw
        found = cls.renamed(raw)
        for key, words in (("mode", MODES), ("reference", REFERENCES)):
            value = found.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool) and value in words:
                found[key] = words[int(value)]
        return found

    def remarks(self) -> Iterator[tuple[str, str]]:
        if self.gains is not None:
            yield "gains", "not used: a set-up is found by Newton's method, which has no gains"
