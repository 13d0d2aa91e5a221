"""Poses of all bodies and forces on all tires at one instant, as one binary frame.

    uint32 magic "JSC1" | uint32 bodies n | uint32 tires m | uint32 number | float64 time | float64 origin x, y, z
    float32 (n, 7)   place from the origin, m, and quaternion x, y, z, w (body to world)
    float32 (m, 6)   place of the force from the origin, m, and force, N, world

Little endian. All frames of one run have one size, so that many of them stand one after the other in one answer. The
origin is near the car: single precision is then exact to a micrometre anywhere.
"""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from jounce.core.errors import FormatError
from jounce.results.motion import Motion

MAGIC = 0x3143534A
HEAD = struct.Struct("<IIIIdddd")

Array = npt.NDArray[np.float64]


def pack(motion: Motion, first: int = 0) -> bytes:
    """All instants of a motion, one frame each, numbered from ``first``."""
    rows, bodies, tires = len(motion), len(motion.bodies), len(motion.tires)
    kind = np.dtype(
        [
            ("head", "<u4", 4),
            ("time", "<f8"),
            ("origin", "<f8", 3),
            ("poses", "<f4", (bodies, 7)),
            ("forces", "<f4", (tires, 6)),
        ]
    )
    frames = np.zeros(rows, kind)
    frames["head"] = [MAGIC, bodies, tires, 0]
    frames["head"][:, 3] = first + np.arange(rows)
    frames["time"] = motion.time
    origin = np.round(motion.position[:, 0])
    frames["origin"] = origin
    frames["poses"][:, :, :3] = motion.position - origin[:, None]
    frames["poses"][:, :, 3:] = motion.attitude
    frames["forces"][:, :, :3] = motion.point - origin[:, None]
    frames["forces"][:, :, 3:] = motion.force
    return frames.tobytes()


def unpack(data: bytes) -> list[tuple[float, Array, Array]]:
    """Time, poses and forces, in world axes, of every frame."""
    found, at = [], 0
    while at < len(data):
        try:
            magic, bodies, tires, _, time, *origin = HEAD.unpack_from(data, at)
            body = np.frombuffer(data, "<f4", 7 * bodies + 6 * tires, offset=at + HEAD.size).astype(float)
        except (struct.error, ValueError) as problem:
            raise FormatError(f"not a frame of a scene: {problem}") from None
        if magic != MAGIC:
            raise FormatError(f"not a frame of a scene: it begins with {magic:#x}")
        poses, forces = body[: 7 * bodies].reshape(bodies, 7), body[7 * bodies :].reshape(tires, 6)
        poses[:, :3] += origin
        forces[:, :3] += origin
        found.append((time, poses, forces))
        at += HEAD.size + 4 * (7 * bodies + 6 * tires)
    return found


def standing(bodies: dict[str, npt.ArrayLike]) -> bytes:
    """One frame of bodies that stand upright at some places."""
    places = np.array([np.asarray(place, dtype=float) for place in bodies.values()])
    upright = np.zeros((len(places), 4))
    upright[:, 3] = 1.0
    none = np.zeros((1, 0, 3))
    return pack(Motion(np.zeros(1), tuple(bodies), places[None], upright[None], (), none, none))
