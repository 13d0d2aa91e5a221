"""A stop that limits compression; its law is in ``stop``."""

from __future__ import annotations

from typing import ClassVar, Literal

from jounce.components.suspension.stop import Stop
from jounce.core.fields import choice, part


class BumpStop(Stop):
    """Limits compression."""

    family: ClassVar[str] = "bump_stop"
    channels: ClassVar[str] = "Bumpstop"
    sign: ClassVar[float] = 1.0
    group: ClassVar[str] = "Jounce_Bumper"
    port: ClassVar[str] = "Main_Bumpstop"

    kind: Literal["curve"] = choice("curve", doc="kind of stop")
    right: BumpStop | None = part(None, doc="what differs on the right side")
