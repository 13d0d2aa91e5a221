"""X-DOF of order zero: x is what the maps of compliance say, and its rate does not enter the slip of the tire.

x = C(F),   σ of the rate of x is left out of the speeds of the contact (``compliance`` (4), (5))               (1)
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from jounce.components.part import Symbols
from jounce.components.suspension.x_dof import XDof
from jounce.core.fields import choice, part


class XDofStatic(XDof):
    """The maps of compliance, without the speed with which they move the contact along."""

    takes_force: ClassVar[bool] = False

    kind: Literal["static"] = choice("static", doc="static, dynamic or transfer_function")
    right: XDofStatic | None = part(None, doc="what differs on the right side")

    def in_speed(self, p: Symbols) -> Any:
        return 1 - p.share  # (1)
