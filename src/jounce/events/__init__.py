"""Manoeuvres: one file per event, each a class whose fields are its parameters.

>>> from jounce import events
>>> events.StepSteer(speed="80 km/h")            # amplitude found for 4 m/s²
>>> events.StepSteer.preset("vi")                # the values of another tool's dialog
>>> events.find("step-steer")                    # by name
"""

from __future__ import annotations

from jounce.events.base import Event, find, names
from jounce.events.coast_down import CoastDown
from jounce.events.drop import Drop
from jounce.events.impulse_steer import ImpulseSteer
from jounce.events.ramp_steer import RampSteer
from jounce.events.sine_steer import SineSteer
from jounce.events.steering_release import SteeringRelease
from jounce.events.step_steer import StepSteer
from jounce.events.straight_acceleration import StraightAcceleration
from jounce.events.straight_braking import StraightBraking
from jounce.events.swept_steer import SweptSteer

__all__ = [
    "CoastDown",
    "Drop",
    "Event",
    "ImpulseSteer",
    "RampSteer",
    "SineSteer",
    "SteeringRelease",
    "StepSteer",
    "StraightAcceleration",
    "StraightBraking",
    "SweptSteer",
    "find",
    "names",
]
