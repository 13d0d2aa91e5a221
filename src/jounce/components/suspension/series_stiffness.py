"""Elasticity in series with springs, dampers and stops: strut mounts, spring seats, the hub side of a suspension.

The wheel travels by J, the elements by x = J − z, where z is what the elasticity gives way, at the wheel:

    F(J − z, J̇ − ż)  at the wheel, of all elements that pass it; wheel and body feel this force                  (1)
    k_w = stiffness r²,   r = ∂d/∂J of the main spring at design;  ``location: wheel``: k_w = stiffness           (2)

Springs, dampers, stops and auxiliary vertical forces pass it; anti-roll bars and forces where ``anti_roll`` says so.
Inerters, friction and elements between both wheels act on the travel of the wheel itself. How z follows from F is said
by the kinds, in ``series_static`` and ``series_dynamic``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal

from jounce.components.basics import on_side
from jounce.components.model import End, WheelModel
from jounce.components.part import Level, Part, derived
from jounce.components.places import WheelPlace
from jounce.core.curves import Curve
from jounce.core.fields import choice, part, quantity

WIDTH = 1e-4  # m, of the difference that is the ratio at design


class SeriesStiffness(Part):
    """Elasticity in series with springs, dampers and stops."""

    level: ClassVar[Level] = "wheel"
    family: ClassVar[str] = "series_stiffness"

    stiffness: float = quantity("N/m", gt=0, typical=(1e4, 1e9), doc="of the series elasticity")
    location: Literal["component", "wheel"] = choice(
        "component", doc="where it is measured: at the main spring (k_w = stiffness · ratio²), or at the wheel"
    )
    anti_roll: bool = choice(False, doc="whether anti-roll forces pass it, too")
    right: SeriesStiffness | None = part(None, doc="what differs on the right side")

    @derived("-", doc="at the wheel per at the component", at="wheel", low=0.0)
    def to_wheel(self, place: WheelPlace) -> float:
        """r² of (2)."""
        return self.ratio_at_design(place) ** 2

    def ratio_at_design(self, place: WheelPlace) -> float:
        """Deflection of the main spring per travel of its wheel, both wheels moving together."""
        if self.location == "wheel":
            return 1.0
        spring = on_side(place.axle.data.suspension.spring, place.side)
        moves: Curve = spring.deflection_by(place.settings.splines.method)
        if moves.constant is not None:
            return moves.constant
        return (moves(WIDTH, WIDTH) - moves(-WIDTH, -WIDTH)) / (2 * WIDTH)

    def hang(self, at: WheelModel, travel: Any, rate: Any, forces: list[Any]) -> None:
        """Let elements hang behind it: they move by (J − z), and what they do is collected."""
        (moved,) = at.system.calls.alias(f"{at.place.prefix}series_stiffness.travel", [travel])

        def push(force: Any) -> None:
            at.system.generalized_force(at.travel_rate, force)
            forces.append(force)

        at.behind_series, at.anti_roll_behind = End(moved, rate, push), self.anti_roll

    def figures(  # type: ignore[override]
        self, place: WheelPlace, told: Callable[[str], float]
    ) -> Iterator[tuple[str, str, str, float, str]]:
        if place.settings.simplified_model == 0:
            value = 1e3 * told(f"Suspension.Inst_Stiff_Deflection.{place.words}")
            yield "geometry", f"series_deflection_{place.name}", f"series deflection {place.name}", value, "mm"

    def told(self, at: WheelModel, deflection: Any, force: Any) -> None:
        at.channel(
            f"Suspension.Inst_Stiff_Deflection.{at.place.words}", deflection, "m", "what it gives way, at the wheel"
        )
        at.channel(f"Suspension.Inst_Stiff_Force.{at.place.words}", force, "N", "force through it, at the wheel")


def is_rigid(at: WheelModel) -> bool:
    """Whether the whole model leaves out what gives way."""
    return int(at.vehicle.settings.simplified_model) != 0
