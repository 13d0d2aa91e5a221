"""A hook for what is towed and modelled elsewhere: the load at the hitch ball, given by a run or by blocks.

    F = ΣF_added − scale · load · n_z,   M = ΣM_added   on the sprung mass, in world axes, F at the ball             (1)

The load is what a drawbar leans on the ball, and acts in statics, too. The ports ``Hook.Fx.rear`` … ``Hook.Mz.rear``
take what else the trailer exerts on the car; the channels ``Hook_rear.…``
say where the ball is and how it is turned (body-fixed 3-1-3, ``displacement_sensor`` (2)), and what acts, in world axes
and in those of the body.
"""

from __future__ import annotations

from typing import Any, Literal

from jounce.components.basics import Array, Point
from jounce.components.body.attached import CHASSIS, Force, dot, frame_of, local, motion_of
from jounce.components.body.displacement_sensor import euler
from jounce.components.model import VehicleModel
from jounce.components.part import Symbols, derived
from jounce.components.places import VehiclePlace
from jounce.core.fields import choice, part, quantity

INPUTS, CHANNELS = "Hook", "Hook_rear"


class Hook(Force):
    """A hitch ball at the sprung mass, for loads of a trailer that is modelled elsewhere."""

    kind: Literal["hook"] = choice("hook", doc="kind of force")
    location: Point = part({}, doc="where the ball is at design")
    load: float = quantity("N", 0.0, typical=(0.0, 5e4), doc="what a drawbar leans on the ball, downwards")
    scale: float = quantity("-", 1.0, typical=(0.01, 100.0), doc="factor on the load")

    def check(self, place: VehiclePlace) -> None:
        """Its place is on the body, wherever that is."""

    @derived("m", doc="from the origin of the body", label="location", at="vehicle")
    def place(self, place: VehiclePlace) -> Array:
        return local(CHASSIS, self.location.array, place)

    def connect(self, at: VehicleModel, p: Symbols) -> None:
        frame, _ = frame_of(at, CHASSIS)
        force = self._given(at, "F", "N", "force on the car along")
        moment = self._given(at, "M", "N.m", "moment on the car about")
        force[2] = force[2] - p.scale * p.load
        p.kept.update(force=force, moment=moment)
        at.system.force(frame, force, at=p.place, axes=at.system.world)  # (1)
        at.system.torque(frame, moment, axes=at.system.world)

    @staticmethod
    def _given(at: VehicleModel, letter: str, unit: str, doc: str) -> list[Any]:
        result = []
        for axis in "xyz":
            given = at.outside(f"{INPUTS}.{letter}{axis}.rear", unit, f"{doc} world {axis}, at the hook", "added")
            result.append(0.0 if given is None else given)
        return result

    def tell(self, at: VehicleModel, p: Symbols) -> None:
        here = motion_of(at, CHASSIS, p.place, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
        world = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        for axis, value in zip("XYZ", here.position, strict=True):
            at.channel(f"{CHANNELS}.Hook_{axis}", value, "m", "of the ball, world axes")
        turned = euler([[dot(own, axis) for own in here.axes] for axis in world])
        for name, value in turned.items():
            at.channel(f"{CHANNELS}.Hook_{name.capitalize()}", value, "rad", "of the body, body-fixed 3-1-3")
        for word, unit, values in (("force", "N", p.kept["force"]), ("Moment", "N.m", p.kept["moment"])):
            for axis, value, own in zip("XYZ", values, here.along(values), strict=True):
                at.channel(f"{CHANNELS}.Global_{word}_{axis}", value, unit, "on the car at the hook, world axes")
                at.channel(f"{CHANNELS}.Local_{word}_{axis}", own, unit, "on the car at the hook, axes of the body")
