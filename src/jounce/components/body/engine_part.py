"""The engine block with its gearbox: a suspended body (``suspended``) that bears what the driveline pushes back with.

Parts of the driveline with a ``reaction`` push it instead of the sprung mass, and a differential whose ``housing`` is
``engine`` bears there the torque of its half shafts: of a transverse engine the whole torque of the wheels,

    T_mounts = Σ T_wheels                                                                                          (1)

at rest against the mounts, about the axis of the wheels.
"""

from __future__ import annotations

from typing import Literal

from jounce.components.body.suspended import Suspended
from jounce.core.fields import choice

ENGINE = "engine"  # name of the body


class EnginePart(Suspended):
    """The engine with what is bolted to it."""

    kind: Literal["engine"] = choice("engine", doc="kind of body")
    name: Literal["engine"] = choice("engine", doc="name of the body, for sensors and forces")
