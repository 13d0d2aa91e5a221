"""A K&C rig in numbers: sweeps of an axle of a vehicle from its own maps, with what real rigs add.

Poses are those of `jounce.rigs.kc.guidance.pose`, which test_kc_import.py holds against `Motion` and single values.
Noise, zero errors, drift and hysteresis are those of the caller, so that tolerances can be derived from them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from jounce.rigs.kc.cases import Case, Sweep
from jounce.rigs.kc.guidance import pose
from jounce.vehicle.schema import Vehicle

NAMES = ("x", "y", "toe", "camber", "side_view_angle")
MM, DEG = 1e-3, math.radians(1.0)
# 1 sigma of a sample, SI: 0.02 mm, 0.005 deg, 5 N, 0.5 N m
NOISE = {
    **dict.fromkeys(("travel", "x", "y", "rack"), 0.02 * MM), **dict.fromkeys(("fx", "fy", "fz"), 5.0), "mz": 0.5,
    **dict.fromkeys(("toe", "camber", "side_view_angle", "steer", "steering"), 0.005 * DEG),
}  # fmt: skip
UNITS = {
    **dict.fromkeys(("travel", "x", "y", "rack"), ("mm", 1e3)),
    **dict.fromkeys(("toe", "camber", "side_view_angle", "steer", "steering"), ("deg", math.degrees(1.0))),
    **dict.fromkeys(("fx", "fy", "fz"), ("N", 1.0)), "mz": ("N.m", 1.0), "time": ("s", 1.0),
}  # fmt: skip


def triangle(samples: int, cycles: int = 2) -> np.ndarray:
    """From 0 to 1, to -1 and back, some times."""
    t = np.linspace(0.0, cycles, samples)
    return np.asarray(2.0 / math.pi * np.arcsin(np.sin(2.0 * math.pi * t)))


@dataclass
class Rig:
    """A rig with one axle of a vehicle on it.

    Attributes
    ----------
    noise : times `NOISE`; loop: half width of hysteresis, SI by quantity; drift: over a file, SI by quantity
    zero : error of each test's zero, SI by quantity
    gives : (load, property) -> change on the left wheel by a load, own ("direct") or the other wheel's ("cross")
    """

    vehicle: Vehicle
    axle: int = 1
    noise: float = 0.0
    loop: Mapping[str, float] = field(default_factory=dict)
    drift: Mapping[str, float] = field(default_factory=dict)
    zero: Mapping[str, float] = field(default_factory=dict)
    gives: Mapping[tuple[str, str, str], Callable[[np.ndarray], np.ndarray]] = field(default_factory=dict)
    force: Callable[[str, np.ndarray, np.ndarray], np.ndarray] | None = None
    samples: int = 480
    seed: int = 3

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def sweep(
        self,
        left: np.ndarray | float = 0.0,
        right: np.ndarray | float = 0.0,
        *,
        u: np.ndarray | float = 0.0,
        hand: np.ndarray | float | None = None,
        loads: Mapping[str, np.ndarray] | None = None,
        way: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """Channels in SI and our signs: travels, steering input, loads (``fy.L``) over the samples."""
        n = self.samples
        ones = np.ones(n)
        travel = {"L": left * ones, "R": right * ones}
        inputs = u * ones
        moving = way if way is not None else (travel["L"] if np.ptp(travel["L"]) > 0 else travel["R"])
        direction = np.sign(np.gradient(moving))
        found = {"time": np.linspace(0.0, 0.1 * n, n), "travel.L": travel["L"], "travel.R": travel["R"]}
        if hand is not None:
            found["steering"] = hand * ones
        given = {k: v * ones for k, v in (loads or {}).items()}
        for side, other in (("L", "R"), ("R", "L")):
            here = pose(self.vehicle.layout.axles[self.axle - 1], side, inputs, travel[side], travel[other])  # type: ignore[arg-type]
            found |= {f"{name}.{side}": here[name] for name in (*NAMES, "steer")}
            for (load, kind, name), law in self.gives.items():
                by = given.get(f"{load}.{side if kind == 'direct' else other}")
                if by is not None:
                    odd_load, odd = load in ("fy", "mz"), name == "y"
                    mirror = side == "R"
                    value = law(-by if mirror and odd_load else by) * (-1.0 if mirror and odd else 1.0)
                    found[f"{name}.{side}"] = found[f"{name}.{side}"] + value
                    if name == "toe":
                        sign = -1.0 if side == "L" else 1.0
                        found[f"steer.{side}"] = found[f"steer.{side}"] + sign * value
            if self.force is not None:
                found[f"fz.{side}"] = self.force(side, travel[side], travel[other])
        found |= given
        clock = np.linspace(0.0, 1.0, n)
        for key in list(found):
            name = key.split(".")[0]
            if name == "time":
                continue
            flip = -1.0 if key.endswith(".R") and name in ("y", "steer", "fy", "mz") else 1.0
            extra = self.loop.get(name, 0.0) * direction + self.drift.get(name, 0.0) * clock + self.zero.get(name, 0.0)
            found[key] = found[key] + flip * extra + self.noise * NOISE[name] * self.rng.standard_normal(n)
        return found


def write(
    path: Path,
    channels: Mapping[str, np.ndarray],
    *,
    names: Mapping[str, str] | None = None,
    units: Mapping[str, tuple[str, float]] | None = None,
    signs: Mapping[str, float] | None = None,
    unit_line: bool = True,
    head: str = "",
    separator: str = ",",
) -> Path:
    """A file as a rig writes it: other names, units (name, factor from SI) and signs by key or quantity."""
    table = {**UNITS, **(units or {})}
    keys = list(channels)
    columns = []
    for key in keys:
        quantity = key.split(".")[0]
        sign = (signs or {}).get(key, (signs or {}).get(quantity, 1.0))
        columns.append(sign * table[quantity][1] * channels[key])
    lines = [separator.join((names or {}).get(key, key.replace(".", "_")) for key in keys)]
    if unit_line:
        lines.append(separator.join(table[key.split(".")[0]][0] for key in keys))
    lines += [separator.join(f"{value:.10g}" for value in row) for row in zip(*columns, strict=True)]
    path.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def as_sweep(channels: Mapping[str, np.ndarray], kind: str, tab: str, name: str = "test", **case: Any) -> Sweep:
    """Channels as if they had been read from a file."""
    found = Case(Path(f"{name}.csv"), kind, tab, **case)  # type: ignore[arg-type]
    return Sweep(found, 1, dict(channels), {key: key for key in channels})
