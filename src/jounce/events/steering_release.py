"""Steering release (free control, ISO 17288-1): in a steady turn the hand wheel is let go.

From then on it moves by itself, I θ̈ + b θ̇ = T, under the torque that the road sends back through the steering.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from jounce.core.fields import quantity
from jounce.events.step_steer import StepSteer


class SteeringRelease(StepSteer):
    """A turn is entered with a step, held until it is steady, and the hand wheel let go."""

    kind: ClassVar[str] = "steering-release"
    title: ClassVar[str] = "Steering release"
    standard: ClassVar[str] = "ISO 17288-1"
    presets: ClassVar[dict[str, dict[str, Any]]] = {"iso": {}}

    end_time: float = quantity("s", 10.0, gt=0, doc="end of the run")
    lateral_acceleration: float = quantity("m/s2", 2.0, doc="to find the amplitude for; negative turns right")
    rate: float = quantity("rad/s", math.radians(100), gt=0, doc="speed of the hand wheel")
    release_time: float | None = quantity("s", 5.0, gt=0, doc="when the hand wheel is let go")
