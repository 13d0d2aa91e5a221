"""A coil spring.

    F = scale · rate · c  or  scale · force(c),   c = free_length − installed_length + d                        (1)
    d = m(J + pushrod)                                                                                          (2)

F pushes where positive. A longer push-rod shifts the travel at which the motion ratio is taken (2): the body rises by
it over the wheel while the spring keeps its length and force. With ``axis: length`` the table is over length, measured
from that at design and positive in extension. A preload takes the place of the lengths: c at design is then found from
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from jounce.components.model import WheelModel
from jounce.components.part import Symbols, derived
from jounce.components.places import WheelPlace
from jounce.components.settings import Statics
from jounce.components.suspension.element import DEFAULT_RATIO, Element, motion_ratio
from jounce.components.suspension.remarks import ratio_remarks
from jounce.core.curves import Curve, invert
from jounce.core.fields import choice, curve, one_of, part, problem, quantity

NEAR = 1e-3  # m or rad, for the rate at design


class Spring(Element):
    """A spring:  F = scale · rate · c  or  scale · force(c),  c = free_length − installed_length + d.

    With ``axis: length`` the table is over length, measured from that at design and positive in extension.
    """

    alternatives: ClassVar = (("rate", "force"), ("installed_length", "preload"))

    family: ClassVar[str] = "spring"
    channels: ClassVar[str] = "Spring"
    force_unit: ClassVar[str] = "N"
    aliases: ClassVar[Mapping[str, str]] = {"type": "kind"}

    kind: Literal["translational"] = choice("translational", doc="translational (coil) or rotational (torsion bar)")
    rate: float | None = quantity("N/m", None, gt=0, typical=(1e3, 5e6), doc="stiffness of a linear spring")
    force: Curve | None = curve(
        "m",
        "N",
        None,
        typical=(1e3, 5e6),
        reach=(0.005, 1.5),
        doc="force of a nonlinear spring, positive when it pushes",
    )
    axis: Literal["deflection", "length"] = choice(
        "deflection", doc="abscissa of `force`: compression from free length, or length from that at design"
    )
    free_length: float | None = quantity("m", None, presence=False, typical=(0.03, 2.0), doc="length without load")
    installed_length: float | None = quantity("m", None, presence=False, typical=(0.03, 2.0), doc="length at design")
    preload: float | None = quantity("N", None, presence=False, typical=(10.0, 3e5), doc="force at design")
    pushrod: float = quantity(
        "m", 0.0, typical=(0.0, 0.15), doc="lengthening of the push-rod, as wheel travel: lifts the body, not the force"
    )
    ratio: Curve = motion_ratio("compression", DEFAULT_RATIO)
    right: Spring | None = part(None, doc="what differs on the right side")

    @model_validator(mode="after")
    def _mounted(self) -> Self:
        one_of(self, ("rate", "force"))
        one_of(self, ("installed_length", "preload"), needed=self.axis == "deflection")
        if self.axis == "length" and self.rate is not None:
            raise problem("a linear spring has no table over length; leave axis out", "axis")
        if self.axis == "length" and self.installed_length is not None:
            raise problem(
                "a table over length is measured from that at design; give preload, or neither", "installed_length"
            )
        if self.installed_length is not None and self.free_length is None:
            raise problem("missing; compression at design = free_length − installed_length", "free_length")
        if self.preload is not None and self.force is not None:
            rising = 1 if self.axis == "deflection" else -1
            if self.force.monotonic != rising:
                word = "rise with compression" if rising > 0 else "fall with length"
                raise problem(f"must strictly {word}, or no one length belongs to the preload", "force")
            if self.scale == 0:
                raise problem("0 leaves no force that could be the preload", "scale")
        return self

    def abscissa_at_design(self, method: str = "akima") -> float:
        """Return the compression at design, or the length for ``axis: length``; from the preload if that is given."""
        if self.preload is None:
            if self.axis == "length":
                return 0.0
            assert self.free_length is not None and self.installed_length is not None
            return self.free_length - self.installed_length
        if self.rate is not None:
            return self.preload / (self.scale * self.rate)
        assert self.force is not None
        return invert(self.force, self.preload / self.scale, method)

    def force_at_design(self, method: str = "akima") -> float:
        """Return the force of the spring at design."""
        if self.preload is not None:
            return self.preload
        at = self.abscissa_at_design(method)
        if self.rate is not None:
            return self.scale * self.rate * at
        assert self.force is not None
        return self.scale * self.force(at, method=method)

    def rate_at_design(self, method: str = "akima") -> float:
        """Return the stiffness at design."""
        if self.rate is not None:
            return self.scale * self.rate
        assert self.force is not None
        here = self.abscissa_at_design(method)
        return self.scale * abs(self.force(here + NEAR) - self.force(here - NEAR)) / (2 * NEAR)

    def length_at_design(self, method: str = "akima") -> float | None:
        """Return the installed length, when it is known."""
        if self.installed_length is not None:
            return self.installed_length
        if self.free_length is None or self.axis == "length":
            return None
        return self.free_length - self.abscissa_at_design(method)

    @derived(lambda self: self.ratio.units.y, doc="compression (or length) of the spring at design", at="wheel")
    def at_design(self, place: WheelPlace) -> float:
        return self.abscissa_at_design(place.settings.splines.method)

    def law(self, p: Symbols, compression: Any) -> Any:
        """(1) without the scale, over compression from design."""
        if self.rate is not None:
            return p.rate * (p.at_design + compression)
        return p.force(p.at_design - compression if self.axis == "length" else p.at_design + compression)

    def connect(self, at: WheelModel, p: Symbols) -> None:
        moved, place = self.deflection_at(at, p, shift=p.pushrod), at.place.name  # (2)
        force = self.scaled(at, p, self.law(p, moved.value), self.force_unit)
        force = at.vehicle.through(
            force, self.force_unit, "spring force, compression positive",
            added=f"Main_Spring.force.{place}", flag=f"Main_Spring.activity_flag.{place}",
        )  # fmt: skip
        at_wheel = moved.press(force)
        unit = self.ratio.units.y
        at.channel(f"Spring.Force_At_Spring.{place}", force, self.force_unit, "spring force, compression positive")
        at.channel(f"Spring.Force_At_Wheel.{place}", at_wheel, "N", "spring force at the wheel")
        at.channel(f"Spring.Jounce.{place}", moved.value, unit, "compression from design")
        at.channel(f"Spring.Jounce_Rate.{place}", moved.rate, f"{unit}/s", "its rate")

    def at_rest(self, options: Statics, place: WheelPlace) -> dict[str, float]:  # type: ignore[override]
        return {"scale": 0.0} if options.use_linear_spring else {}

    def figures(  # type: ignore[override]
        self, place: WheelPlace, told: Callable[[str], float]
    ) -> Iterator[tuple[str, str, str, float, str]]:
        force = told(f"Spring.Force_At_Spring.{place.name}")
        yield "loads", f"spring_force_{place.name}", f"spring force {place.name}", force, self.force_unit

    def remarks(self) -> Iterator[tuple[str, str]]:
        yield from ratio_remarks(self)
        if self.force_at_design() < 0:
            yield "", "pulls at design"
