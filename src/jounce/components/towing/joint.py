"""A hitch that is an exact joint: the coupling cannot give way, and there are no states for its place."""

from __future__ import annotations

from typing import Literal

from jounce.components.towing.hitch import Hitch
from jounce.core.fields import choice


class JointHitch(Hitch):
    """A hitch without play and elasticity, in relative coordinates."""

    kind: Literal["joint"] = choice("joint", doc="kind of hitch")
