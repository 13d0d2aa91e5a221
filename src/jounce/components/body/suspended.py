"""A body that hangs on the sprung mass by bushings: a cab, an engine, a rod; or is fixed to it.

Its place at rest, with the suspended body at design, is its centre of gravity. From there it is displaced by x, y, z in
axes of the sprung mass and turned by yaw, pitch and roll, about successive axes: six coordinates,

    r = r₀ + (x, y, z),   R = Rz(yaw) Ry(pitch) Rx(roll)                                                           (1)

Its mounts are bushings (``bushing``) from its body to the sprung mass, or to another suspended one. What it weighs is
found by the search for equilibrium as that of any other body; preloads of the mounts decide how far it sinks. A run may
add forces and torques to what a mount bears (``Ext_Bushing.engine_1.FX``). A body
that is fixed adds its mass and inertia and has no freedom. It hangs on the main body of its unit, of a split one on the
rear half. The mass of the sprung body (``body.mass``) is without it, and so is the origin of the chassis frame.

Kinds differ by what else knows them: channels of a cab have names of their own, engines and gearboxes push an engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

from pydantic import model_validator

from jounce.components.basics import Array, Inertia, Point
from jounce.components.body.attached import check_name
from jounce.components.body.bushing import GROUP, BushingLaw, Side, axes_of, columns, relative, tell
from jounce.components.body.motion import angles
from jounce.components.model import UnitModel
from jounce.components.part import Level, Part, Symbols, derived
from jounce.components.places import Place, UnitPlace
from jounce.core.errors import did_you_mean
from jounce.core.fields import Data, choice, part, problem, quantity

MOVES = ("x", "y", "z", "yaw", "pitch", "roll")
TAKEN = ("chassis", "front", "rear", "gyro", "ground", "split", "rear_chassis", "front_chassis")


class Mount(BushingLaw):
    """A bushing of a suspended body: I is that body, J what carries it."""

    to: str = choice("", doc="what it stands on: another suspended body by its name; empty: the sprung mass")

    first, second = axes_of("unit")


class Moments(Data):
    """Inertia about the centre of gravity, as entries of the matrix."""

    ixx: float = quantity("kg.m2", gt=0, doc="about x")
    iyy: float = quantity("kg.m2", gt=0, doc="about y")
    izz: float = quantity("kg.m2", gt=0, doc="about z")
    ixy: float = quantity("kg.m2", doc="matrix entry")
    ixz: float = quantity("kg.m2", doc="matrix entry")
    iyz: float = quantity("kg.m2", doc="matrix entry")


class Suspended(Part):
    """A body on mounts."""

    level: ClassVar[Level] = "unit"
    family: ClassVar[str] = "suspended"
    rank: ClassVar[int] = 1

    kind: str = choice("", doc="kind of body")
    name: str = choice("", doc="name of the body, for sensors, forces and channels")
    mass: float = quantity("kg", gt=0, typical=(0.1, 1e4), doc="its mass")
    cg: Point = part(doc="its centre of gravity at design")
    inertia: Inertia = part(doc="inertia about it")
    fixed: bool = choice(False, doc="fixed to the sprung mass, without freedoms; its mounts do nothing")
    mounts: tuple[Mount, ...] = part((), each="mount", doc="bushings that hold it")

    @model_validator(mode="after")
    def _held(self) -> Self:
        check_name(self.name)
        if self.name in TAKEN:
            raise problem(f"{self.name!r}: is the name of something else; choose another", "name")
        if not self.fixed and not self.mounts:
            raise problem("missing; nothing holds the body: give bushings, or fix it", "mounts")
        for i, mount in enumerate(self.mounts):
            if mount.to == self.name:
                raise problem(f"{mount.to!r}: is the body itself", "mounts", i, "to")
        return self

    def word(self) -> str:
        """What its channels begin with."""
        return f"body_{self.name}"

    # -- numbers ---------------------------------------------------------------------------------------------------

    @derived("m", doc="of its centre of gravity, from that of the sprung mass", at="unit")
    def seat(self, place: UnitPlace) -> Array:
        return place.local(self.cg.array)

    @derived(label="", at="unit")
    def moments(self, place: UnitPlace) -> Moments:
        i = self.inertia.matrix
        names = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
        return Moments(**{name: i[k] for name, k in names.items()})

    def groups(self, place: Place) -> Iterator[tuple[str, Data]]:
        for name, mount in self._mounts(place):
            yield name.removeprefix(place.vehicle.prefix), mount  # type: ignore[union-attr]

    def _mounts(self, place: Any) -> Iterator[tuple[str, Mount]]:
        """Its mounts with the names of their numbers, where they act."""
        if self.fixed or not isinstance(place, UnitPlace):
            return
        index = next(i for i, item in enumerate(place.data.body.suspended) if item is self)
        for n, mount in enumerate(self.mounts):
            yield f"{place.prefix}body.suspended{index + 1}.mount{n + 1}", mount

    def bodies(self, place: Place) -> Iterator[tuple[float, Array, Array]]:
        yield self.mass, self.cg.array, self.inertia.matrix

    # -- the model -------------------------------------------------------------------------------------------------

    def frames(self, at: UnitModel, p: Symbols) -> None:
        if self.fixed:
            frame = at.chassis.fixed(self.name, p.seat)
        else:
            scope = at.system.scope(f"{at.place.prefix}{self.name}")
            moves = {}
            for name in MOVES:
                unit = "m" if name in "xyz" else "rad"
                moves[name], _ = scope.coordinate(name, f"{name}.rate", unit=unit, on=at.chassis, role="balance")
            shift = [a + moves[axis] for a, axis in zip(p.seat, "xyz", strict=True)]
            turns = (("z", moves["yaw"]), ("y", moves["pitch"]), ("x", moves["roll"]))
            frame = at.chassis.guided(f"{at.place.prefix}{self.name}", shift, turns)  # (1)
            p.kept["moves"] = moves
        at.bodies[self.name] = frame
        at.masses.append((frame, p.mass))
        m = p.moments
        at.scope.body(f"{self.name}_mass", frame, p.mass, [m.ixx, m.iyy, m.izz, m.ixy, m.ixz, m.iyz])

    def connect(self, at: UnitModel, p: Symbols) -> None:
        found = p.kept.setdefault("mounts", [])
        for n, (name, mount) in enumerate(self._mounts(at.place)):
            q = at.vehicle.bound(mount, at.place, f"{name}.")
            own = [a - c for a, c in zip(q.location.vector, p.cg.vector, strict=True)]
            base = [a - c for a, c in zip(q.location.vector, _origin(at, mount.to), strict=True)]
            axes = columns(q.first, q.second)
            motion = relative(Side(at.bodies[self.name], own), Side(at.bodies[mount.to], base), axes)
            force, torque = mount.law(q, motion)
            force, torque = self._more(at, n + 1, "F", "N", force), self._more(at, n + 1, "T", "N.m", torque)
            motion.act(force, torque)
            found.append((motion, force, torque))

    def _more(self, at: UnitModel, number: int, letter: str, unit: str, own: list[Any]) -> list[Any]:
        """What a mount bears, with what the run adds to it."""
        doc = f"mount {number} of the {self.name}: added to what it bears, axes of the mount"
        name = f"{at.place.own}Ext_{self.mount_group(number)}.{letter}"
        given = [at.vehicle.outside(f"{name}{axis}", unit, doc, "added") for axis in "XYZ"]
        return [a if b is None else a + b for a, b in zip(own, given, strict=True)]

    def tell(self, at: UnitModel, p: Symbols) -> None:
        frame, word = at.bodies[self.name], self.word()
        yaw, pitch, roll = angles(frame.orientation)
        for axis, value in zip(("longitudinal", "lateral", "vertical"), frame.position, strict=True):
            at.channel(f"{word}_displacements.{axis}", value, "m", f"centre of gravity of the {self.name}, world axes")
        for name, value in (("yaw", yaw), ("pitch", pitch), ("roll", roll)):
            at.channel(f"{word}_displacements.{name}", value, "rad", f"of the {self.name} from the world, 3-2-1")
        a, alpha = at.system.frame_acceleration(frame), at.system.frame_angular_acceleration(frame)
        for i, axis in enumerate(("longitudinal", "lateral", "vertical")):
            at.channel(
                f"{word}_velocities.{axis}", frame.v[i], "m/s", f"centre of gravity of the {self.name}, own axes"
            )
            at.channel(f"{word}_accelerations.{axis}", a[i], "m/s2", "at the centre of gravity, own axes")
        for i, axis in enumerate(("roll", "pitch", "yaw")):
            at.channel(f"{word}_velocities.{axis}", frame.w[i], "rad/s", f"of the {self.name}, own axes")
            at.channel(f"{word}_accelerations.{axis}", alpha[i], "rad/s2", f"of the {self.name}, own axes")
        for n, (motion, force, torque) in enumerate(p.kept.get("mounts", ())):
            tell(at, self.mount_group(n + 1), motion, force, torque, f"mount {n + 1} of the {self.name}")

    def mount_group(self, number: int) -> str:
        """What the channels of a mount begin with."""
        return f"{GROUP}.{self.name}_{number}"


def _origin(at: UnitModel, name: str) -> list[Any]:
    """Origin of the sprung mass, or of a suspended body, at design."""
    body = at.place.data.body
    if not name:
        return [-x for x in at.vehicle.bound(body, at.place, f"{at.place.prefix}body.").origin]
    index = next(i for i, item in enumerate(body.suspended) if item.name == name)
    other = at.vehicle.bound(body.suspended[index], at.place, f"{at.place.prefix}body.suspended{index + 1}.")
    return list(other.cg.vector)


def check_suspended(bodies: tuple[Suspended, ...]) -> None:
    """Raise unless names are distinct and mounts stand on bodies that are there."""
    names = [item.name for item in bodies]
    for i, item in enumerate(bodies):
        if item.name in names[:i]:
            raise problem(f"{item.name!r}: there is another one of this name", "suspended", i, "name")
        for n, mount in enumerate(item.mounts):
            if mount.to and mount.to not in names:
                text = f"{mount.to!r}: no suspended body has this name{did_you_mean(mount.to, names)}"
                raise problem(text, "suspended", i, "mounts", n, "to")
    if loose := unheld(bodies):
        index = names.index(loose[0])
        raise problem("no chain of mounts joins it to the sprung mass: it would fall", "suspended", index, "mounts")


def unheld(bodies: tuple[Suspended, ...]) -> list[str]:
    """Names of bodies that no chain of mounts joins to the sprung mass: they would fall."""
    held = {item.name for item in bodies if item.fixed or any(not mount.to for mount in item.mounts)}
    while True:
        more = {
            item.name
            for item in bodies
            if item.name not in held
            and (
                any(mount.to in held for mount in item.mounts)
                or any(mount.to == item.name for other in bodies if other.name in held for mount in other.mounts)
            )
        }
        if not more:
            return [item.name for item in bodies if item.name not in held]
        held |= more
