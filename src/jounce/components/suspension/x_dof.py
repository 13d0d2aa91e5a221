"""X-DOF: what gives way along x as a freedom of its own, between a wheel carrier and its body.

Without it wheels follow their maps of compliance (``compliance``) at once. The kinds say how the longitudinal
displacement x of the wheel centre, forward in the axes of the body, follows the longitudinal force F instead:

    static              x = C(F)                                 the maps, of order zero; ẋ does not enter slip
    dynamic             m ẍ + k (x + ε ẋ) = F                     a freedom with inertia (``x_dof_dynamic``)
    transfer_function   X/F = (Σ b_j s^j)/(m Σ a_j s^j)           states (``x_dof_transfer``)

``share`` σ of what the maps say of x by the longitudinal force of the own wheel is taken over, 1 - σ stays with the
maps; what other loads do along x stays there, too. Where σ = 0 the wheel is as it is without.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from jounce.components.basics import on_side
from jounce.components.model import WheelModel
from jounce.components.part import Level, Part, Symbols
from jounce.components.places import AxlePlace
from jounce.core.fields import part, quantity


class XDof(Part):
    """How a wheel gives way along x: base of all kinds."""

    level: ClassVar[Level] = "wheel"
    family: ClassVar[str] = "x_dof"
    rank: ClassVar[int] = 1
    takes_force: ClassVar[bool] = True  # whether the maps leave the longitudinal force to it
    needs_map: ClassVar[bool] = False  # whether its stiffness comes from them

    share: float = quantity("-", 1.0, ge=0, le=1, doc="of what the maps say of x by F_x, that it takes over")
    right: XDof | None = part(None, doc="what differs on the right side")

    def check(self, axle: AxlePlace, path: tuple[str | int, ...]) -> None:
        """Raise where it cannot be, on this axle."""

    def remarks_on(self, suspension: Any) -> Iterator[tuple[str, str]]:
        """What is unusual on this axle: key below the suspension and a sentence."""
        yield from ()

    def in_pose(self, p: Symbols) -> Any:
        """The share of x by maps of compliance that moves the carrier at once."""
        return 1.0

    def in_speed(self, p: Symbols) -> Any:
        """The share of its rate that the contact feels."""
        return self.in_pose(p)

    def rate_along(self, at: WheelModel, p: Symbols) -> Any:
        """Speed of the carrier by states that move no body: what the contact feels besides."""
        return 0.0

    def tell(self, at: WheelModel, p: Symbols) -> None:
        if at.along is None:
            return
        place, (x, rate) = at.place.name, at.along
        at.channel(f"X_Dof.Displacement.{place}", x, "m", "of the wheel centre by the longitudinal freedom, forward")
        at.channel(f"X_Dof.Velocity.{place}", rate, "m/s", "its rate")


def freedom_of(at: WheelModel) -> tuple[XDof, Symbols] | None:
    """The longitudinal freedom at a wheel and its numbers; None where there is none."""
    found = at.axle.place.data.suspension.x_dof
    if found is None or int(at.vehicle.settings.simplified_model) != 0:
        return None
    data: XDof = on_side(found, at.place.side)
    return data, at.symbols(data, "x_dof")
