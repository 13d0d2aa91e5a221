"""A hitch: the coupling of a towed unit to the unit that tows it.

The frame of the coupling is fixed in the towing unit, at ``location``. From there the towed unit turns and then gives
way, in its own axes; with its centre of gravity at c from its coupling, which is on its z axis at ``height``,

    R = Rz(ψ) Ry(θ) Rx(φ),    r = R (d + c)                                                                      (1)

Which of yaw ψ, pitch θ and roll φ there are is a matter of the coupling:

    ball          yaw, pitch, roll         a ball head, a drawbar eye
    fifth_wheel   yaw, pitch, roll         a plate that resists roll: give ``roll`` its stiffness, and lash
    pin           yaw                      a turntable
    hinge         pitch                    a drawbar on its axle
    rigid         none

Each may have a spring, a damper and lash δ to either side, and a term that grows with the time (an integral),

    M = - k (q - clip(q, -δ, δ)) - c q̇ - k_i ∫q dt                                                               (2)

How the place is held is the kind of the hitch: ``joint`` exactly (d = 0 has no states), ``spring`` by springs and
dampers, ``constraint`` by Lagrange multipliers. The load on the towing unit is what the articulated inertia of all
that is towed leaves at the coupling (``symbolic/kane.py``: A*, b*), whatever the kind:

    (F, M) = b* - A* (a, α)                                                                                      (3)

A run may add forces and moments on the towing unit at the coupling, in world axes (``Hook.Fx.rear`` …), such as those
of something that is towed and modelled elsewhere; channels tell the sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal

from jounce.components.basics import Array, Point
from jounce.components.body.displacement_sensor import euler
from jounce.components.model import Coupling, UnitModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import UnitPlace
from jounce.core.fields import Data, choice, part, quantity
from jounce.symbolic.ops import clip, fabs, fmax

FREE = {
    "ball": ("yaw", "pitch", "roll"),
    "fifth_wheel": ("yaw", "pitch", "roll"),
    "pin": ("yaw",),
    "hinge": ("pitch",),
    "rigid": (),
}
AXES = {"yaw": "z", "pitch": "y", "roll": "x"}
ROLES = {"yaw": "swing", "pitch": "balance", "roll": "balance"}  # where it stands in the plane is given
DOCS = {"yaw": "front to the left positive", "pitch": "front down positive", "roll": "right side down positive"}
INPUTS, CHANNELS = "Hook", "Hook_rear"


class Turning(Data):
    """One of the angles of a coupling."""

    stiffness: float = quantity("N.m/rad", 0.0, ge=0, typical=(1e2, 1e8), doc="against it, beyond the lash")
    damping: float = quantity("N.m.s/rad", 0.0, ge=0, typical=(1.0, 1e6), doc="against its rate")
    lash: float | None = quantity("rad", None, ge=0, typical=(1e-4, 0.2), doc="that the spring lets go, to either side")
    integral: float | None = quantity(
        "N.m/(rad.s)", None, ge=0, typical=(1.0, 1e8), doc="against its time integral; absent: none"
    )
    limit: float | None = quantity(
        "rad", None, gt=0, typical=(0.05, 2.8), doc="where a run ends, because the units touch; absent: nowhere"
    )


class HitchDevice(Part):
    """What acts between the two units of a hitch besides the coupling; base of its kinds."""

    level: ClassVar[Level] = "unit"
    family: ClassVar[str] = "hitch_device"

    kind: str = choice("", doc="kind of device")


class Hitch(Part):
    """The coupling of a unit to the one that tows it."""

    level: ClassVar[Level] = "unit"
    family: ClassVar[str] = "hitch"

    kind: str = choice("joint", doc="how the place is held: joint, spring or constraint")
    to: int | None = choice(None, doc="number of the unit that tows it, from 1; absent: the one before", ge=1)
    coupling: Literal["ball", "fifth_wheel", "pin", "hinge", "rigid"] = choice(
        "ball", doc="which angles are free: all three, all three, yaw, pitch, none"
    )
    location: Point = part(doc="of the coupling on the towing unit, in its frame of reference")
    height: float | None = quantity(
        "m", None, gt=0, typical=(0.1, 2.0), doc="of the coupling on the towed unit at design; absent: that of location"
    )
    devices: tuple[HitchDevice, ...] = part(
        (), family="hitch_device", each="device", silent=True, doc="what acts at it besides, by its kind"
    )
    yaw: Turning | None = part(None, doc="what resists yaw")
    pitch: Turning | None = part(None, doc="what resists pitch")
    roll: Turning | None = part(None, doc="what resists roll")

    @property
    def own_height(self) -> float:
        """Height of the coupling on the towed unit."""
        return self.location.z if self.height is None else self.height

    @property
    def free(self) -> tuple[str, ...]:
        """Names of the angles that are free."""
        return FREE[self.coupling]

    @derived("m", doc="of the coupling, from the origin of the towing body", label="location", at="unit")
    def ball(self, place: UnitPlace) -> Array:
        assert place.parent is not None
        return place.parent.local(self.location.array)

    @derived("m", doc="of the coupling on the towed unit", label="height", low=1e-3, at="unit")
    def raised(self, place: UnitPlace) -> float:
        return self.own_height

    @derived("m", doc="of the towed body, in the reference frame of its unit", label="origin", at="unit")
    def centre(self, place: UnitPlace) -> Array:
        return place.origins[""]

    # -- the model ---------------------------------------------------------------------------------

    def carry(self, at: UnitModel, p: Symbols) -> Any:
        """The frame of the towed body (1)."""
        assert at.parent is not None
        name, scope = at.place.prefix[:-1], at.scope.scope("hitch")
        frame = at.parent.chassis.fixed(f"{name}_coupling", p.ball)
        root = at.system.unit(name, frame)
        angles = {
            word: scope.coordinate(word, unit="rad", doc=DOCS[word], on=root, role=ROLES[word]) for word in self.free
        }
        turned = root.guided(f"{name}_turned", (0, 0, 0), [(AXES[word], angles[word][0]) for word in self.free])
        force, moment = at.system.root_load(root)
        at.coupling = Coupling(frame, turned, angles, force, moment)
        gives = self.gives_way(at, p, turned)
        x, y, z = p.centre
        lever = [x, y, z - p.raised]
        return turned.guided(f"{at.place.prefix}chassis", [c + d for c, d in zip(lever, gives, strict=True)])

    def gives_way(self, at: UnitModel, p: Symbols, turned: Any) -> list[Any]:
        """What the coupling of the towed unit is displaced by, in its axes."""
        return [0.0, 0.0, 0.0]

    def connect(self, at: UnitModel, p: Symbols) -> None:
        assert at.coupling is not None
        scope = at.scope.scope("hitch")
        for word, (angle, rate) in at.coupling.angles.items():
            data = getattr(self, word)
            if data is None:
                continue
            own = getattr(p, word)
            bent = angle if data.lash is None else angle - clip(angle, -own.lash, own.lash)
            moment = -own.stiffness * bent - own.damping * rate  # (2)
            if data.integral is not None:
                total = scope.state(f"{word}.windup", "rad.s", f"time integral of {word}", role="balance")
                scope.derivative(total, angle)
                moment = moment - own.integral * total
            scope.generalized_force(rate, moment)
        self._from_outside(at, p)

    def _from_outside(self, at: UnitModel, p: Symbols) -> None:
        """What a run adds at the coupling, world axes."""
        assert at.coupling is not None and at.parent is not None
        towing, end = at.parent.place.own, _end(at)
        added: dict[str, list[Any] | None] = {}
        for letter, unit, doc in (("F", "N", "force along"), ("M", "N.m", "moment about")):
            given = [
                at.vehicle.outside(f"{towing}{INPUTS}.{letter}{axis}.{end}", unit, f"{doc} world {axis}", "added")
                for axis in "xyz"
            ]
            more = [0.0 if value is None else value for value in given]
            added[letter] = None if all(value is None for value in given) else at.coupling.frame.from_world(more)
        p.kept["added"] = added
        if added["F"] is not None:
            at.system.force(at.coupling.frame, added["F"])
        if added["M"] is not None:
            at.system.torque(at.coupling.frame, added["M"])

    def tell(self, at: UnitModel, p: Symbols) -> None:
        assert at.coupling is not None and at.parent is not None
        here, frame = at.coupling, at.coupling.frame
        for word, (angle, rate) in here.angles.items():
            doc = f"of this unit against the towing one, {DOCS[word]}"
            at.channel(f"Articulation.{word}", angle, "rad", doc, watch=word == "yaw")  # runs end where units fold
            at.channel(f"Articulation.{word}_rate", rate, "rad/s", f"rate of the {word} angle")
        beyond: Any = None
        for word, (angle, _) in here.angles.items():
            data = getattr(self, word)
            if data is not None and data.limit is not None:
                more = fabs(angle) - getattr(p, word).limit
                beyond = more if beyond is None else fmax(beyond, more)
        if beyond is not None:
            at.channel(BEYOND, beyond, "rad", "how far an angle of the hitch is beyond its limit", watch=True)
        end = _end(at)
        group = f"{CHANNELS[:-4]}{end}"
        channel = at.parent.channel
        for axis, value in zip("XYZ", frame.position, strict=True):
            channel(f"{group}.Hook_{axis}", value, "m", "of the coupling, world axes")
        for name, value in euler(frame.orientation).items():
            channel(f"{group}.Hook_{name.capitalize()}", value, "rad", "of the towing body, body-fixed 3-1-3")
        loads = {"F": here.force, "M": here.moment}
        for letter, word, unit in (("F", "force", "N"), ("M", "Moment", "N.m")):
            more = p.kept["added"][letter]
            own = loads[letter] if more is None else [a + b for a, b in zip(loads[letter], more, strict=True)]
            for axis, local, world in zip("XYZ", own, frame.to_world(own), strict=True):
                channel(f"{group}.Local_{word}_{axis}", local, unit, "on the towing unit at the coupling, its axes")
                channel(f"{group}.Global_{word}_{axis}", world, unit, "on the towing unit at the coupling, world axes")

    def remarks(self) -> Iterator[tuple[str, str]]:
        if self.height is not None and self.height != self.location.z:
            text = f"{self.height:g} m on the towed unit, {self.location.z:g} m on the towing one: units tilt to meet"
            yield "height", text


BEYOND = "Articulation.beyond"


def _end(at: UnitModel) -> str:
    """The word of a coupling in the names of its towing unit: rear, of a second towed unit rear2 …"""
    assert at.place.parent is not None
    number = at.place.parent.towed.index(at.place) + 1
    return "rear" if number == 1 else f"rear{number}"
