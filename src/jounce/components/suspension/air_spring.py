"""An air spring.

    F = scale · force(X; trim load),   X = trim_length + d                                                       (1)

``force`` is over compression from trim height and over trim load, the force at trim height; ``trim_length`` is the
length at trim height less that at design. A table holds what was measured or computed at several trim loads, each line
through its own load at X = 0.

With ``auto_trim`` the trim load is found with the equilibrium: as much air as holds the spring at its length at
design,

    d = 0   at rest                                                                                             (2)

It is a state (the change of the given load) whose rate is proportional to d while an equilibrium is sought and zero in
a run: what was found stays. Steady running keeps it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.model import WheelModel
from jounce.components.part import Symbols
from jounce.components.places import WheelPlace
from jounce.components.settings import Statics
from jounce.components.suspension.element import DEFAULT_RATIO, Element, motion_ratio
from jounce.components.suspension.remarks import ratio_remarks
from jounce.core.curves import Curve
from jounce.core.fields import choice, curve, part, problem, quantity

LEVELS = 5e4  # N/(m.s): trim load per deflection and time, where an equilibrium is relaxed
NEAR = 1e-3  # m, for the rate at design
OFF_TRIM = 0.02  # of the trim load: what a table may say at trim height beside it


class AirSpring(Element):
    """An air spring:  F = scale · force(trim_length + d; trim_load)."""

    family: ClassVar[str] = "spring"
    channels: ClassVar[str] = "Spring"

    kind: Literal["air"] = choice("air", doc="translational (coil), rotational (torsion bar) or air")
    force: Curve = curve(
        "m",
        "N",
        z="N",
        typical=(1e3, 5e6),
        reach=(0.005, 1.5),
        doc="over compression from trim height and trim load; positive when it pushes",
    )
    trim_load: float = quantity(
        "N", gt=0, typical=(10.0, 3e5), doc="force at trim height; where it is found, the start"
    )
    trim_length: float = quantity("m", 0.0, typical=(0.0, 1.0), doc="length at trim height less that at design")
    auto_trim: bool = choice(False, doc="whether the trim load is found so that it has its length of design at rest")
    ratio: Curve = motion_ratio("compression", DEFAULT_RATIO)
    right: AirSpring | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _over_both(self) -> Self:
        if self.force.n_axes != 2:
            raise problem("must be a table over compression and trim load: x, z and y", "force")
        if self.auto_trim and self.scale == 0:
            raise problem("0 leaves no force that a trim load could change", "scale")
        return self

    def force_at_design(self, method: str = "akima") -> float:
        """Return the force of the spring at design, at the given trim load."""
        return self.scale * self.force(self.trim_length, self.trim_load, method=method)

    def rate_at_design(self, method: str = "akima") -> float:
        """Return the stiffness at design, at the given trim load."""
        here, load = self.trim_length, self.trim_load
        return self.scale * (self.force(here + NEAR, load) - self.force(here - NEAR, load)) / (2 * NEAR)

    def length_at_design(self, method: str = "akima") -> float | None:
        """Nobody needs it."""
        return None

    def connect(self, at: WheelModel, p: Symbols) -> None:
        moved, place = self.deflection_at(at, p), at.place.name
        load = p.trim_load
        if self.auto_trim:
            scope = at.system.scope(p.own_name)
            change = scope.state("trim_change", "N", "of the trim load, found with the equilibrium", role="trim")
            seeks = p.constant("trimming", 0.0, "-", "1 while an equilibrium is sought", low=0.0)
            scope.derivative(change, seeks * LEVELS * moved.value)  # (2)
            load = load + change
        force = self.scaled(at, p, p.force(p.trim_length + moved.value, load))  # (1)
        force = at.vehicle.through(
            force, "N", "spring force, compression positive",
            added=f"Main_Spring.force.{place}", flag=f"Main_Spring.activity_flag.{place}",
        )  # fmt: skip
        at_wheel = moved.press(force)
        at.channel(f"Spring.Force_At_Spring.{place}", force, "N", "spring force, compression positive")
        at.channel(f"Spring.Force_At_Wheel.{place}", at_wheel, "N", "spring force at the wheel")
        at.channel(f"Spring.Jounce.{place}", moved.value, "m", "compression from design")
        at.channel(f"Spring.Jounce_Rate.{place}", moved.rate, "m/s", "its rate")
        at.channel(f"Spring.Trim_Load.{place}", load, "N", "force at trim height")

    def at_rest(self, options: Statics, place: WheelPlace) -> dict[str, float]:  # type: ignore[override]
        found = {"trimming": 1.0} if self.auto_trim else {}
        return {"scale": 0.0} if options.use_linear_spring else found

    def figures(  # type: ignore[override]
        self, place: WheelPlace, told: Callable[[str], float]
    ) -> Iterator[tuple[str, str, str, float, str]]:
        force = told(f"Spring.Force_At_Spring.{place.name}")
        yield "loads", f"spring_force_{place.name}", f"spring force {place.name}", force, "N"
        load = told(f"Spring.Trim_Load.{place.name}")
        yield "loads", f"trim_load_{place.name}", f"trim load of the air spring {place.name}", load, "N"

    def remarks(self) -> Iterator[tuple[str, str]]:
        yield from ratio_remarks(self)
        found = self.force(0.0, self.trim_load)
        if abs(found - self.trim_load) > OFF_TRIM * self.trim_load:
            yield "force", f"{found:.4g} N at trim height and trim load {self.trim_load:.4g} N; both should be the same"
        if not self.force.z[0] <= self.trim_load <= self.force.z[-1]:
            low, high = self.force.z[0], self.force.z[-1]
            yield (
                "trim_load",
                f"{self.trim_load:.4g} N is beyond the trim loads of the table, {low:.4g} to {high:.4g} N",
            )
