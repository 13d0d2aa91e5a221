"""How the bodies of a car moved, from the channels of a run: place and attitude of its body and wheels, and the forces
on its tires.

A body's attitude comes from its yaw ψ, pitch θ and roll φ (3-2-1), a wheel's from that of the body, its angles relative
to it and the angle it has turned by, with the order and the signs of ``components/suspension/guidance.py`` (1):

    body   R = Rz(ψ) Ry(θ) Rx(φ)                                                                               (1)
    wheel  R_w = R Rz(steer) Rx(∓camber) Ry(−side view angle) Ry(∫Ω dt),   − left, + right                     (2)

The axes of a contact are those of its force channels: z the normal of the road n, x along the wheel in its plane,
y to the left; a the axle of the wheel,

    x = a × n / |a × n|,  y = n × x                                                                            (3)

Units that are towed have bodies of their own, ``unit2``, ``unit3`` …, by channels with that word before; their wheels
stand relative to them. Which wheels these are is said by the metadata of a run (``vehicle.towed``).

Attitudes are quaternions (x, y, z, w). The place of the body is that of the vehicle reference frame, in which the data
of a vehicle are given; that of a wheel is its centre.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.core.errors import ParameterError

Array = npt.NDArray[np.float64]

BODY = "body"
UNIT = re.compile(r"(unit\d+)\.(.+)")
ANGLES = ("Vehicle.Yaw", "Vehicle.Pitch", "Vehicle.Euler_Roll")
ORIGIN = tuple(f"Vehicle.Origin_Global_{axis}" for axis in "XYZ")
CENTRE = tuple(f"Wheel.Global_{axis}.{{}}" for axis in "XYZ")
STEER, CAMBER = "Wheel.Spindle_Steer.{}", "wheel_angles.camber_{}"
SIDE_VIEW, SPIN = "Wheel.Side_View_Angle.{}", "Wheel.Omega.{}"
FORCE = tuple(f"Tire.Ground_Surface_Force_{axis}.{{}}" for axis in "XYZ")
PATCH = tuple(f"Road.Contact_Patch_Global_{axis}.{{}}" for axis in "XYZ")
NORMAL = tuple(f"Tire.Contact_Patch_Normal_{axis}.{{}}" for axis in "XYZ")
TWIN = "_twin"


@dataclass(frozen=True, eq=False)
class Motion:
    """Poses and forces over time.

    Attributes
    ----------
    time : (n,), s
    bodies : names: ``body``, then the wheels
    position : (n, bodies, 3), m, world
    attitude : (n, bodies, 4): quaternions x, y, z, w, body to world
    tires : names of those whose forces are known
    point : (n, tires, 3): where the force acts, m, world
    force : (n, tires, 3): on the tire, N, world
    """

    time: Array
    bodies: tuple[str, ...]
    position: Array
    attitude: Array
    tires: tuple[str, ...]
    point: Array
    force: Array

    def __len__(self) -> int:
        return len(self.time)


@dataclass(frozen=True)
class Moving:
    """Which bodies and tires the channels of a run tell of, and the channels that do.

    Attributes
    ----------
    wheels : whose place and angles are recorded
    tires : whose force and contact are
    units : bodies that are towed
    towed : of the wheels that are not the first body's the body that they belong to
    """

    wheels: tuple[str, ...]
    tires: tuple[str, ...]
    units: tuple[str, ...] = ()
    towed: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, names: Iterable[str], towed: Mapping[str, str] | None = None) -> Moving:
        """What the channels of a run tell; ParameterError where they do not tell how its body moved.

        Parameters
        ----------
        towed : by wheel the towed body that it belongs to
        """
        known = set(names)
        lacking = [name for name in (*ANGLES, *ORIGIN) if name not in known]
        if lacking:
            raise ParameterError(
                f"motion of the body: channel {lacking[0]!r} was not recorded; record all channels, or these: "
                f"{', '.join((*ANGLES, *ORIGIN))}"
            )
        stem = CENTRE[0].format("")
        found = [name.removeprefix(stem) for name in known if name.startswith(stem)]
        wheels = [w for w in found if {c.format(w) for c in (*CENTRE, STEER, CAMBER, SIDE_VIEW, SPIN)} <= known]
        stem = FORCE[0].format("")
        found = [name.removeprefix(stem) for name in known if name.startswith(stem)]
        tires = [
            t
            for t in found
            if t.removesuffix(TWIN) in wheels and {c.format(t) for c in (*FORCE, *PATCH, *NORMAL)} <= known
        ]
        heads: dict[str, set[str]] = {}
        for name in known:
            if match := UNIT.fullmatch(name):
                heads.setdefault(match[1], set()).add(match[2])
        units = sorted((unit for unit, told in heads.items() if {*ANGLES, *ORIGIN} <= told), key=_order)
        own = {wheel: unit for wheel, unit in (towed or {}).items() if wheel in wheels and unit in units}
        return cls(tuple(sorted(wheels, key=_order)), tuple(sorted(tires, key=_order)), tuple(units), own)

    @property
    def channels(self) -> tuple[str, ...]:
        """All that is read."""
        wheels = [c.format(w) for w in self.wheels for c in (*CENTRE, STEER, CAMBER, SIDE_VIEW, SPIN)]
        tires = [c.format(t) for t in self.tires for c in (*FORCE, *PATCH, *NORMAL)]
        units = [f"{unit}.{name}" for unit in self.units for name in (*ANGLES, *ORIGIN)]
        return (*ANGLES, *ORIGIN, *units, *wheels, *tires)

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names of what moves."""
        return (BODY, *self.units, *self.wheels)


class Follower:
    """Turns rows of channels into motion, chunk by chunk: the angles by which wheels have turned go on from one to the
    next, and begin anew where time goes back."""

    def __init__(self, moving: Moving) -> None:
        self.moving = moving
        self._time = np.nan
        self._rate, self._turned = np.zeros(len(moving.wheels)), np.zeros(len(moving.wheels))

    def __call__(self, time: npt.ArrayLike, channels: Mapping[str, npt.ArrayLike]) -> Motion:
        """The motion during these rows; ``channels`` has at least those of `Moving.channels`."""
        t = np.asarray(time, dtype=float)
        get = {name: np.asarray(channels[name], dtype=float) for name in self.moving.channels}
        n, wheels, tires = len(t), self.moving.wheels, self.moving.tires
        units = self.moving.units
        first = 1 + len(units)
        position, attitude = np.empty((n, first + len(wheels), 3)), np.empty((n, first + len(wheels), 4))
        bodies = {}
        for k, name in enumerate((BODY, *units)):
            head = f"{name}." if k else ""
            bodies[name] = attitude[:, k] = _body(*(get[head + angle] for angle in ANGLES))
            position[:, k] = np.column_stack([get[head + axis] for axis in ORIGIN])
        turned = self._turns(t, np.column_stack([get[SPIN.format(w)] for w in wheels]) if wheels else np.zeros((n, 0)))
        axles = {}
        for k, wheel in enumerate(wheels):
            outwards = -1.0 if wheel.startswith("L") else 1.0
            carrier = bodies[self.moving.towed.get(wheel, BODY)]
            for axis, angle in (
                (2, get[STEER.format(wheel)]),
                (0, outwards * get[CAMBER.format(wheel)]),
                (1, -get[SIDE_VIEW.format(wheel)]),
            ):
                carrier = _times(carrier, _about(axis, angle))  # (2)
            axles[wheel] = _rotated(carrier, np.array([0.0, 1.0, 0.0]))
            position[:, first + k] = np.column_stack([get[c.format(wheel)] for c in CENTRE])
            attitude[:, first + k] = _times(carrier, _about(1, turned[:, k]))
        point, force = np.empty((n, len(tires), 3)), np.empty((n, len(tires), 3))
        for k, tire in enumerate(tires):
            point[:, k] = np.column_stack([get[c.format(tire)] for c in PATCH])
            normal = np.column_stack([get[c.format(tire)] for c in NORMAL])
            forward = np.cross(axles[tire.removesuffix(TWIN)], normal)  # (3)
            forward /= np.maximum(np.linalg.norm(forward, axis=1, keepdims=True), 1e-12)
            left = np.cross(normal, forward)
            fx, fy, fz = (get[c.format(tire)][:, None] for c in FORCE)
            force[:, k] = fx * forward + fy * left + fz * normal
        return Motion(t, self.moving.bodies, position, attitude, tires, point, force)

    def _turns(self, time: Array, rate: Array) -> Array:
        """Angles by which the wheels have turned, by the trapezoidal rule."""
        if not len(time):
            return np.zeros_like(rate)
        if not time[0] >= self._time:
            self._time, self._rate, self._turned = time[0], rate[0], np.zeros(rate.shape[1])
        steps = np.diff(np.concatenate([[self._time], time]))
        restart = steps < 0
        steps[restart] = 0.0
        mean = 0.5 * (rate + np.vstack([self._rate, rate[:-1]]))
        turned: Array = self._turned + np.cumsum(np.nan_to_num(mean) * steps[:, None], axis=0)
        if restart.any():  # a procedure begins its time anew with each run
            last = int(np.flatnonzero(restart)[-1])
            turned[last:] -= turned[last]
        self._time, self._rate, self._turned = float(time[-1]), rate[-1], turned[-1]
        return turned


def motion(time: npt.ArrayLike, channels: Mapping[str, npt.ArrayLike]) -> Motion:
    """The motion that channels tell of, which may be a `jounce.Run`'s (``motion(run.time, run)``)."""
    return Follower(Moving.of(channels, towed_of(getattr(channels, "metadata", {}))))(time, channels)


def towed_of(metadata: Mapping[str, Any]) -> dict[str, str]:
    """By wheel the towed body that it belongs to, as the metadata of a run say it; empty where nothing is towed."""
    vehicle = metadata.get("vehicle")
    told = vehicle.get("towed") if isinstance(vehicle, Mapping) else None
    return {str(wheel): str(unit) for wheel, unit in told.items()} if isinstance(told, Mapping) else {}


def _order(name: str) -> tuple[int, str]:
    digits = "".join(c for c in name.removesuffix(TWIN) if c.isdigit())
    return (int(digits) if digits else 0, name)


def _about(axis: int, angle: Array) -> Array:
    """Quaternions of rotations about one axis."""
    found = np.zeros((len(angle), 4))
    found[:, axis], found[:, 3] = np.sin(0.5 * angle), np.cos(0.5 * angle)
    return found


def _body(yaw: Array, pitch: Array, roll: Array) -> Array:
    return _times(_times(_about(2, yaw), _about(1, pitch)), _about(0, roll))  # (1)


def _times(a: Array, b: Array) -> Array:
    """Products of quaternions: first b, then a."""
    v, w = a[:, :3], a[:, 3:]
    u, s = b[:, :3], b[:, 3:]
    return np.concatenate([w * u + s * v + np.cross(v, u), w * s - np.einsum("ij,ij->i", v, u)[:, None]], axis=1)


def _rotated(q: Array, vector: Array) -> Array:
    """A vector turned by quaternions."""
    v, w = q[:, :3], q[:, 3:]
    twice = 2.0 * np.cross(v, vector)
    found: Array = vector + w * twice + np.cross(v, twice)
    return found
