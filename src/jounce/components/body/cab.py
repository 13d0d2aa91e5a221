"""The cab of a truck: a suspended body (``suspended``) whose channels have names of their own.

``cab_displacements``, ``cab_velocities`` and ``cab_accelerations`` are of its centre of gravity, ``bgs_data_1`` … of
its mounts, in their order: motion of the cab against the frame and forces on the cab, in axes of the mount.
"""

from __future__ import annotations

from typing import Literal

from jounce.components.body.suspended import Suspended
from jounce.core.fields import choice


class Cab(Suspended):
    """The cab of a truck."""

    kind: Literal["cab"] = choice("cab", doc="kind of body")
    name: str = choice("cab", doc="name of the body, for sensors and forces")

    def word(self) -> str:
        return "cab"

    def mount_group(self, number: int) -> str:
        return f"bgs_data_{number}"
