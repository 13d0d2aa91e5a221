"""A stop that limits extension; its law is in ``stop``."""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.suspension.stop import Stop
from jounce.core.fields import choice, part


class ReboundStop(Stop):
    """Limits extension."""

    family: ClassVar[str] = "rebound_stop"
    channels: ClassVar[str] = "Reboundstop"
    sign: ClassVar[float] = -1.0
    group: ClassVar[str] = "Rebound_Bumper"
    port: ClassVar[str] = "Main_Reboundstop"

    kind: Literal["curve"] = choice("curve", doc="kind of stop")
    right: ReboundStop | None = part(None, doc="what differs on the right side")
