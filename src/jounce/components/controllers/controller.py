"""What controllers of the chassis have in common: a switch, and a word for what they do.

A controller is a part of the vehicle (``parts`` in its file, ``controller`` of an event, ``blocks`` of a run) with
sampled blocks. It sees what sensors tell (``sensors``), never the true slip of a tire or the side slip of the body, and
enters what it wants with the arbiter (``arbiter``). With ``active`` 0 it looks on.
"""

from __future__ import annotations

from typing import ClassVar

from jounce.components.part import Level, Part
from jounce.core.fields import quantity


class Controller(Part):
    """Base of the controllers of a chassis."""

    level: ClassVar[Level] = "vehicle"
    family: ClassVar[str] = "controller"

    active: float = quantity("-", 1.0, ge=0, le=1, doc="1: it works, 0: it is switched off")
