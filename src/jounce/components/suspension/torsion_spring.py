"""A torsion bar as main spring: as a coil spring, with torque for force and angle for length."""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.suspension.spring import Spring
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, part, quantity


class TorsionSpring(Spring):
    """A spring that is twisted: force is torque, length is angle."""

    force_unit: ClassVar[str] = "N.m"

    kind: Literal["rotational"] = choice("rotational", doc="translational (coil) or rotational (torsion bar)")  # type: ignore[assignment]
    rate: float | None = quantity("N.m/rad", None, gt=0, typical=(200.0, 1e7), doc="stiffness of a linear spring")
    force: Curve | None = curve(
        "rad",
        "N.m",
        None,
        typical=(200.0, 1e7),
        reach=(0.01, 3.5),
        doc="torque of a nonlinear spring, positive when it pushes",
    )
    free_length: float | None = quantity("rad", None, presence=False, typical=(0.0, 6.3), doc="angle without load")
    installed_length: float | None = quantity("rad", None, presence=False, typical=(0.0, 6.3), doc="angle at design")
    preload: float | None = quantity("N.m", None, presence=False, typical=(1.0, 2e5), doc="torque at design")
    ratio: Curve = curve(
        "m",
        "rad",
        z="m",
        typical=(0.1, 50.0),
        reach=(0.005, 1.0),
        doc="travel to twist: a factor, or a table over own (and paired) J",
    )
    ratio_convention: Literal["element_per_wheel"] = choice("element_per_wheel", doc="what a constant ratio means")
    right: TorsionSpring | None = part(None, doc="what differs on the right side")
