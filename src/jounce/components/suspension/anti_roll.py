"""What anti-roll devices share: a run may add to their force at the wheels, or remove it."""

from __future__ import annotations

from typing import Any

from jounce.components.model import AxleModel


def through_ports(at: AxleModel, force: Any) -> Any:
    """Force of an anti-roll device at the left wheel, downwards, after what the run gives; the right one opposite."""
    word = at.place.word
    return at.vehicle.through(
        force, "N", "anti-roll force at the left wheel, downwards; opposite at the right",
        added=f"Antiroll_Bar.force.{word}", flag=f"Antiroll_Bar.activity_flag.{word}",
    )  # fmt: skip
