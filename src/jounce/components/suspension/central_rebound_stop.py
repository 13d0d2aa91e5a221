"""A stop that limits extension of an element between both wheels; see ``central_stop``."""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.suspension.central_stop import CentralStop
from jounce.core.fields import choice


class CentralReboundStop(CentralStop):
    """Limits extension of an element between both wheels."""

    sign: ClassVar[float] = -1.0
    words: ClassVar = ("res_{}_rebound_stop_data", "Reboundstop")

    kind: Literal["central_rebound_stop"] = choice("central_rebound_stop", doc="kind of element")
