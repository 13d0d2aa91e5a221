"""Which column of a rig file is which quantity, in our units and signs.

Quantities are those of a wheel (``toe.L1``; ``toe.L`` is that of the axle in question) and of the whole axle
(``steering``, ``rack``, ``time``). A column becomes a quantity by

    value = σ · sign · (scale · raw + offset)      in ``unit``, then in SI                                        (1)

σ is what ``signs`` says of the convention of the rig: ours is toe-in, camber with the top outwards, side view angle
with the top rearwards, x and F_x forward, y and F_y to the left on both sides, F_z upwards on the wheel, M_z about the
axis that points up, wheel travel upwards, steer and hand wheel to the left (docs/conventions.md).

A quantity that is not mapped is looked for by the usual names, with the usual words for the wheel before or behind
them; capitals, blanks and punctuation do not count.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from jounce.components.basics import SIDES, Side
from jounce.core.errors import ParameterError, did_you_mean
from jounce.core.units import convert, dimensions

Array = npt.NDArray[np.float64]

UNITS = {
    "travel": "m", "toe": "rad", "camber": "rad", "side_view_angle": "rad", "x": "m", "y": "m",
    "fx": "N", "fy": "N", "fz": "N", "mz": "N.m", "steer": "rad",
}  # fmt: skip
WHOLE = {"steering": "rad", "rack": "m", "time": "s"}
PROPERTIES = ("x", "y", "toe", "camber", "side_view_angle")
# what a mirror image of the car changes: quantities that turn their sign, and loads that do
ODD = frozenset({"y", "steer", "fy", "mz", "steering", "rack"})
SHOWN = {"m": ("mm", 1e3), "rad": ("deg", math.degrees(1.0)), "N": ("N", 1.0), "N.m": ("N m", 1.0), "s": ("s", 1.0)}

# words of a convention -> sign on the left and on the right
DIRECTIONS: dict[str, dict[str, tuple[int, int]]] = {
    "travel": {"up": (1, 1), "down": (-1, -1)},
    "toe": {"in": (1, 1), "out": (-1, -1), "left": (-1, 1), "right": (1, -1)},
    "camber": {"outwards": (1, 1), "inwards": (-1, -1), "right": (-1, 1), "left": (1, -1)},
    "side_view_angle": {"rearwards": (1, 1), "forwards": (-1, -1)},
    "steer": {"left": (1, 1), "right": (-1, -1), "in": (-1, 1), "out": (1, -1)},
    "x": {"forwards": (1, 1), "rearwards": (-1, -1)},
    "y": {"left": (1, 1), "right": (-1, -1), "outwards": (1, -1), "inwards": (-1, 1)},
    "fx": {"forwards": (1, 1), "rearwards": (-1, -1)},
    "fy": {"left": (1, 1), "right": (-1, -1), "outwards": (1, -1), "inwards": (-1, 1)},
    "fz": {"up": (1, 1), "down": (-1, -1)},
    "mz": {"up": (1, 1), "down": (-1, -1), "in": (-1, 1), "out": (1, -1)},
    "steering": {"left": (1, 1), "right": (-1, -1)},
    "rack": {"left": (1, 1), "right": (-1, -1)},
}

NAMES: dict[str, tuple[str, ...]] = {
    "travel": (
        "travel", "wheeltravel", "jounce", "wheeljounce", "suspensionjounce", "z", "z0", "zdisplacement", "wheelz",
        "verticaltravel", "bump", "bumptravel", "wheeltobodyzdisplacement",
    ),
    "toe": ("toe", "toein", "toeangle", "wheeltoe", "wheeltoein", "wheelanglestoe"),
    "camber": ("camber", "camberangle", "wheelcamber", "wheelanglescamber"),
    "side_view_angle": ("sideviewangle", "sva", "spin", "spinangle", "wheelspin", "wheelanglescaster"),
    "x": (
        "x", "x0", "base", "xdisplacement", "wheelcentrex", "wheelcenterx", "wheelcentrexdisp", "wheelcenterxdisp",
        "wheelwheelcenterdispx",
    ),
    "y": (
        "y", "y0", "track", "ydisplacement", "wheelcentrey", "wheelcentery", "wheelcentreydisp", "wheelcenterydisp",
        "wheelwheelcenterdispy",
    ),
    "fx": ("fx", "forcex", "wheelforcex", "longforce", "longforcefbk", "longitudinalforce", "tiregroundsurfaceforcex"),
    "fy": ("fy", "forcey", "wheelforcey", "latforce", "latforcefbk", "lateralforce", "tiregroundsurfaceforcey"),
    "fz": ("fz", "forcez", "wheelforcez", "vertforce", "vertforcefbk", "verticalforce", "wheelload",
           "tiregroundsurfaceforcez"),
    "mz": ("mz", "momentz", "wheelmomentz", "aligningtorque", "aligningtorquefbk", "aligningmoment",
           "tiregroundsurfacemomentz"),
    "steer": ("steer", "steerangle", "wheelsteer", "steeratground", "roadwheelangle", "wheelspindlesteer"),
    "steering": ("steering", "steeringwheelangle", "steeringwheel", "steeringwheelposition", "handwheelangle",
                 "handwheel", "swa", "driverdemandssteering"),
    "rack": ("rack", "racktravel", "rackdisplacement", "rackposition", "steeringsystemrackdisplacement"),
    "time": ("time", "t", "sampletime", "elapsedtime", "timestamp"),
}  # fmt: skip
WHEEL_WORDS: dict[int, dict[Side, tuple[str, ...]]] = {
    0: {"L": ("l", "left", "lh"), "R": ("r", "right", "rh")},
    1: {
        "L": ("fl", "lf", "frontleft", "leftfront", "frontlh", "flh"),
        "R": ("fr", "rf", "frontright", "rightfront", "frontrh", "frh"),
    },
    2: {
        "L": ("rl", "lr", "rearleft", "leftrear", "rearlh", "rlh"),
        "R": ("rr", "rearright", "rightrear", "rearrh", "rrh"),
    },
}

SOURCE_KEYS = ("column", "unit", "scale", "offset", "sign", "label")


@dataclass(frozen=True)
class Channel:
    """Where a quantity comes from (1). ``place``: where the mapping says so, for messages."""

    column: str
    unit: str = ""
    scale: float = 1.0
    offset: float = 0.0
    sign: float = 1.0
    label: str = ""
    place: str = ""


@dataclass(frozen=True)
class ChannelMap:
    """Channels by key, units by quantity, and the convention of signs of a rig."""

    channels: Mapping[str, Channel] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    signs: Mapping[str, str] = field(default_factory=dict)

    def find(self, quantity: str, side: Side | None, axle: int, columns: Sequence[str]) -> Channel | None:
        """The channel of a quantity of one axle: mapped, or by its usual names; None where there is none."""
        for key in keys_of(quantity, side, axle):
            found = self.channels.get(key)
            # a preset names more than a file has; a mapping means what it says
            if found is not None and (found.place or found.column in columns):
                return found
        name = guess(quantity, side, axle, columns)
        return None if name is None else Channel(name)

    def convention(self, quantity: str, side: Side | None) -> int:
        """σ of (1)."""
        word = self.signs.get(quantity)
        if word is None:
            return 1
        left, right = DIRECTIONS[quantity][word]
        return right if side == "R" else left

    def converted(self, quantity: str, side: Side | None, channel: Channel, raw: Array, own_unit: str) -> Array:
        """(1), in SI. ParameterError where there is no unit, or one of something else."""
        wanted = UNITS.get(quantity) or WHOLE[quantity]
        unit = channel.unit or own_unit or self.units.get(quantity, "") or ("s" if quantity == "time" else "")
        if not unit:
            raise ParameterError(
                f"no unit of {channel.column!r} ({quantity}); add a line of units to the file, or to the mapping: "
                f"units: {{{quantity}: {SHOWN[wanted][0].replace(' ', '.')}}}"
            )
        if dimensions(unit) != dimensions(wanted):
            raise ParameterError(f"{channel.column!r} is in {unit}, but {quantity} is in {wanted}")
        zero, one = convert(0.0, unit, wanted), convert(1.0, unit, wanted)
        sign = self.convention(quantity, side) * channel.sign
        with np.errstate(invalid="ignore", over="ignore"):
            values: Array = sign * ((one - zero) * (channel.scale * raw + channel.offset) + zero)
        return np.where(np.isfinite(values), values, np.nan)


def keys_of(quantity: str, side: Side | None, axle: int) -> tuple[str, ...]:
    """Keys of a mapping under which a quantity may stand, the most exact first."""
    return (quantity,) if side is None else (f"{quantity}.{side}{axle}", f"{quantity}.{side}")


def guess(quantity: str, side: Side | None, axle: int, columns: Sequence[str]) -> str | None:
    """The column whose name says that it is this quantity."""
    bare = {re.sub(r"[^a-z0-9]", "", name.lower()): name for name in reversed(columns)}
    if side is None:
        return next((bare[name] for name in NAMES[quantity] if name in bare), None)
    exact = (f"{side.lower()}{axle}", *WHEEL_WORDS.get(axle, {}).get(side, ()))
    for words in (exact, WHEEL_WORDS[0][side]):
        for name, word in product(NAMES[quantity], words):
            for spelled in (word + name, name + word):
                if spelled in bare:
                    return bare[spelled]
    return None


# ---- presets ------------------------------------------------------------------------------------------------


def _mts() -> dict[str, str]:
    names = {
        "travel": "Z0", "toe": "Toe", "camber": "Camber", "side_view_angle": "Spin", "y": "Y0", "x": "X0",
        "fz": "VertForceFbk", "fy": "LatForceFbk", "fx": "LongForceFbk", "mz": "AligningTorqueFbk", "steer": "Steer",
    }  # fmt: skip
    wheels = {"L1": "Lf", "R1": "Rf", "L2": "Lr", "R2": "Rr"}
    found = {f"{q}.{wheel}": f"{word}{name}" for q, name in names.items() for wheel, word in wheels.items()}
    return {**found, "steering": "SteeringWheelAngle"}


def _abd() -> dict[str, str]:
    found: dict[str, str] = {}
    names = {
        "toe": "wheel_toe-in", "camber": "wheel_camber", "side_view_angle": "wheel_spin",
        "y": "wheel_centre_Y_disp.", "x": "wheel_centre_X_disp.", "fz": "wheel_Force_Z", "fy": "wheel_Force_Y",
        "fx": "wheel_Force_X", "mz": "wheel_Moment_Z",
    }  # fmt: skip
    for axle, end in ((1, "Front"), (2, "Rear")):
        for side in SIDES:
            word, wheel = f"{end}_{side}H", f"{side}{axle}"
            found |= {f"{q}.{wheel}": f"{word}_{name}" for q, name in names.items()}
            found[f"travel.{wheel}"] = f"{end[0]}{side}H_wheel_to_body_Z_displacement"
            found[f"steer.{wheel}"] = f"{'-' if side == 'L' else ''}{word}_wheel_toe-in"
    return {**found, "steering": "steering_wheel_position"}


PRESETS = {"mts": _mts, "abd": _abd}


def preset(name: str) -> dict[str, Channel]:
    """The channels of a kind of rig."""
    if name not in PRESETS:
        raise ParameterError(f"preset = {name!r}: unknown{did_you_mean(name, PRESETS)}")
    return {key: channel(label) for key, label in PRESETS[name]().items()}


# ---- the mapping as data ------------------------------------------------------------------------------------


def channel(item: Any, place: str = "") -> Channel:
    """One entry of a mapping: a column, ``-column`` for the opposite sign, or a group of keys."""
    if isinstance(item, str) and item.strip():
        text = item.strip()
        return Channel(text[1:], sign=-1.0, place=place) if text.startswith("-") else Channel(text, place=place)
    if not isinstance(item, Mapping):
        raise ParameterError(f"expected a column or {{{', '.join(SOURCE_KEYS)}}}, found {item!r}")
    unknown = [key for key in item if key not in SOURCE_KEYS]
    if unknown:
        raise ParameterError(f"unknown key {unknown[0]!r}{did_you_mean(str(unknown[0]), SOURCE_KEYS)}")
    if not isinstance(item.get("column"), str) or not item["column"].strip():
        raise ParameterError("'column' is missing: the name of the column in the file")
    base = channel(item["column"])
    numbers = {}
    for key, standard in (("scale", 1.0), ("offset", 0.0), ("sign", 1.0)):
        value = item.get(key, standard)
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise ParameterError(f"{key} = {value!r} is not a number")
        numbers[key] = float(value)
    if abs(numbers["sign"]) != 1.0:
        raise ParameterError(f"sign = {item['sign']!r}: expected 1 or -1")
    for key in ("unit", "label"):
        if not isinstance(item.get(key, ""), str):
            raise ParameterError(f"{key} = {item[key]!r} is not a text")
    return Channel(
        base.column, str(item.get("unit", "")), numbers["scale"], numbers["offset"], base.sign * numbers["sign"],
        str(item.get("label", "")), place,
    )  # fmt: skip


_KEY = re.compile(r"([a-z_]+)(?:\.([LR])(\d+)?)?")


def check_key(key: str) -> None:
    """ParameterError unless a key of a mapping names a quantity."""
    match = _KEY.fullmatch(key)
    known = [f"{name}.L1" for name in UNITS] + list(WHOLE)
    if match is None or (match[1] not in UNITS and match[1] not in WHOLE):
        raise ParameterError(f"no quantity {key!r}{did_you_mean(key, known, 14)}")
    if match[1] in UNITS and match[2] is None:
        raise ParameterError(f"{key!r} is a quantity of a wheel; say which: {key}.L1, or {key}.L")
    if match[1] in WHOLE and match[2] is not None:
        raise ParameterError(f"{match[1]!r} is a quantity of the whole axle, not of a wheel")


def check_units(units: Mapping[str, Any]) -> dict[str, str]:
    """Units by quantity, each of the right kind."""
    found = {}
    for name, unit in units.items():
        wanted = UNITS.get(str(name)) or WHOLE.get(str(name))
        if wanted is None:
            raise ParameterError(f"units: no quantity {name!r}{did_you_mean(str(name), [*UNITS, *WHOLE], 14)}")
        if not isinstance(unit, str):
            raise ParameterError(f"units: {name} = {unit!r} is not a text")
        if dimensions(unit) != dimensions(wanted):
            raise ParameterError(f"units: {name} = {unit!r} measures something else than {wanted}")
        found[str(name)] = unit
    return found


def check_signs(signs: Mapping[str, Any]) -> dict[str, str]:
    """Words of the convention of a rig."""
    found = {}
    for name, word in signs.items():
        if name not in DIRECTIONS:
            raise ParameterError(f"signs: no quantity {name!r}{did_you_mean(str(name), DIRECTIONS, 14)}")
        if word not in DIRECTIONS[name]:
            raise ParameterError(f"signs: {name} = {word!r}: unknown{did_you_mean(str(word), DIRECTIONS[name])}")
        found[str(name)] = str(word)
    return found
