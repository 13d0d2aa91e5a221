"""A stop that limits compression of an element between both wheels; see ``central_stop``."""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.suspension.central_stop import CentralStop
from jounce.core.fields import choice


class CentralBumpStop(CentralStop):
    """Limits compression of an element between both wheels."""

    sign: ClassVar[float] = 1.0
    words: ClassVar = ("bus_{}_jounce_stop_data", "Bumpstop")

    kind: Literal["central_bump_stop"] = choice("central_bump_stop", doc="kind of element")
