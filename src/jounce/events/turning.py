"""In a turn: what events share that start on a circle, or drive into one.

The car starts in steady running on the circle (``sim/steady`` (1), (2)), which begins at its place and heading; with a
straight ``entry`` it starts on the straight, and a driver takes it through a clothoid onto the circle. The hand wheel
is held where the turn needs it, or a driver stays on the circle.

The forward speed that the longitudinal driver keeps is that of steady running: with the side slip β at the start

    v = V cos β                                                                                                   (1)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Self

from pydantic import model_validator

from jounce.components.driver.human import pedal_lag
from jounce.core.fields import choice, flag, problem, quantity
from jounce.events.along import along, steerer
from jounce.events.base import Driven
from jounce.events.follow import follow, follower
from jounce.road.courses import circle, skidpad
from jounce.runtime.program import Channel, Constant, Open

if TYPE_CHECKING:
    from jounce.components.part import Part
    from jounce.events.start import Start
    from jounce.road.path import Path
    from jounce.road.surface import Road
    from jounce.vehicle.schema import Vehicle

SKILL = "robot"  # of the drivers


class Turning(Driven):
    """An event on a circle."""

    cruise: bool = flag(False, doc="hold the speed in the turn; otherwise pedals stay where they were at the start")

    radius: float = quantity("m", 100.0, gt=0, typical=(5.0, 2000.0), doc="of the circle")
    direction: Literal["left", "right"] = choice("left", doc="of the turn")
    steering: Literal["held", "path"] = choice(
        "held", doc="held: the hand wheel stays where the turn needs it; path: a driver stays on the circle"
    )
    driver: Literal["contour", "preview"] = choice("contour", doc="kind of the driver who stays on the circle")
    entry: float = quantity(
        "m", 0.0, ge=0, typical=(0.0, 1000.0), doc="straight before the turn; 0: the car starts in the turn"
    )
    spiral: float = quantity("m", 20.0, ge=0, typical=(0.0, 500.0), doc="clothoid between the straight and the circle")

    @model_validator(mode="after")
    def _somebody_steers(self) -> Self:
        if self.entry > 0 and not self._driven:
            raise problem("a straight before the turn needs somebody who steers into it: steering = path", "entry")
        return self

    @property
    def _driven(self) -> bool:
        """Whether a driver steers."""
        return self.steering == "path"

    @property
    def _followed(self) -> bool:
        """Whether a driver has the pedals."""
        return self.cruise or self._driven

    @property
    def side(self) -> float:
        return 1.0 if self.direction == "left" else -1.0

    @property
    def initial_curvature(self) -> float:
        """Of the way at the start (`jounce.events.start`)."""
        return 0.0 if self.entry > 0 else self.side / self.radius

    def placed(self, vehicle: Vehicle, roads: Sequence[Road]) -> tuple[Self, tuple[Path, ...]]:
        if not self._driven:
            return self, ()
        if self.entry > 0:
            fastest = max(self.speed, float(getattr(self, "final_speed", 0.0) or 0.0), 1.0)
            turns = 1.0 + fastest * self.end_time / (2 * math.pi * self.radius)
            path = skidpad(self.radius, side=self.direction, entry=self.entry, spiral=self.spiral, turns=turns)
        else:
            path = circle(self.radius, side=self.direction)
        # the circle touches the way of the body's own point, whose course steady running has in hand
        ahead, left = (float(part) for part in vehicle.layout.units[0].origins[""][:2])
        c, s = math.cos(self.heading), math.sin(self.heading)
        x, y = self.x + c * ahead - s * left, self.y + s * ahead + c * left
        return self, (path.moved(x, y, heading=self.heading),)

    def parts(self) -> tuple[Part, ...]:
        if not self._driven:
            return super().parts()
        return (steerer(self.driver), follower(shifts=True, pedal_lag=pedal_lag(SKILL)))

    def forward_speed(self, start: Start) -> float:
        """(1)."""
        return self.speed * math.cos(start.running.side_slip) if start.running is not None else self.speed

    def pedals(self, start: Start) -> list[Channel]:
        return follow(start, Constant(self.forward_speed(start))) if self._followed else self.as_they_are(start)

    def as_they_are(self, start: Start) -> list[Channel]:
        """Pedals of steady running."""
        return [Open("throttle", Constant(start.throttle)), Open("brake", Constant(start.brake))]

    def hand(self, start: Start) -> list[Channel]:
        """The hand wheel, as ``steering`` says."""
        held = Open("steering_wheel", Constant(start.steering))  # from where a driver begins, too
        if not self._driven:
            return [held]
        return [held, *(channel for channel in along(start, self.driver) if channel.input != held.input)]
