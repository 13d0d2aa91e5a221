"""Manoeuvres as data: stages, channels, targets, end conditions; without any knowledge of a vehicle."""

from jounce.manoeuvre.conditions import Condition
from jounce.manoeuvre.model import CHANNELS, Channel, Manoeuvre, ManoeuvreError, Stage, StageOptions

__all__ = ["CHANNELS", "Channel", "Condition", "Manoeuvre", "ManoeuvreError", "Stage", "StageOptions"]
