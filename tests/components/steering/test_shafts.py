"""Shafts and joints of a column."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from jounce.components.steering.shafts import Shafts

TWO = [[0.0, 0.3, 1.0], [0.42, 0.33, 0.81], [0.61, 0.25, 0.47], [0.74, 0.24, 0.31]]
THREE = [*TWO[:3], [0.70, 0.21, 0.37], [0.83, 0.10, 0.34]]


def made(points: list[list[float]], **more: Any) -> Shafts:
    return Shafts.model_validate({"points": points, **more})


def numbers(shafts: Shafts) -> Any:
    """The numbers of the model, as numbers."""
    names = [f"{what}{i + 1}" for what in ("cosine", "start") for i in range(shafts.count)]
    return SimpleNamespace(**{name: getattr(shafts, name)(None) for name in names})


def rotated(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis / np.linalg.norm(axis)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    matrix: np.ndarray = np.eye(3) + math.sin(angle) * skew + (1 - math.cos(angle)) * skew @ skew
    return matrix


def by_crosses(shafts: Shafts, angle: float, pins: list[np.ndarray], n: int = 600) -> float:
    """Turn of the last shaft: crosses with two perpendicular pins, followed along the whole turn (by definition)."""
    points = [point.array for point in shafts.points]
    axes = [(a - b) / np.linalg.norm(a - b) for a, b in pairwise(points)]
    turn = np.linspace(0.0, angle, n)
    for e, out, pin in zip(axes, axes[1:], pins, strict=False):
        ends = [np.cross(out, rotated(e, t) @ pin) for t in turn]
        first = ends[0] / np.linalg.norm(ends[0])
        across = np.cross(out, first)
        turn = np.unwrap([math.atan2(float(b @ across), float(b @ first)) for b in ends])
    return float(turn[-1])


def pins_of(shafts: Shafts) -> list[np.ndarray]:
    """Pins on the driving shafts straight ahead, after the definition of the angles."""
    points = [point.array for point in shafts.points]
    axes = [(a - b) / np.linalg.norm(a - b) for a, b in pairwise(points)]
    across = np.array([0.0, 1.0, 0.0]) - axes[0][1] * axes[0]
    pins = [rotated(axes[0], shafts.mounting) @ (across / np.linalg.norm(across))]
    if shafts.count > 1:  # 90 deg: the pins of the intermediate shaft are parallel
        driven = np.cross(axes[1], pins[0])
        pins.append(rotated(axes[1], shafts.second - math.pi / 2) @ (driven / np.linalg.norm(driven)))
    if shafts.count > 2:  # from the plane of both shafts
        plane = axes[3] - (axes[3] @ axes[2]) * axes[2]
        pins.append(rotated(axes[2], shafts.third) @ (plane / np.linalg.norm(plane)))
    return pins


@pytest.mark.parametrize("points", [TWO[:3], TWO, THREE], ids=["one", "two", "three"])
def test_shafts_turn_as_their_crosses_say(points: list[list[float]]) -> None:
    shafts = made(points, mounting=0.37, second=1.1, third=0.6)
    for angle in (0.4, -1.7, 7.9, -11.0):
        assert shafts.end(angle) == pytest.approx(by_crosses(shafts, angle, pins_of(shafts)), abs=1e-12)
    p = numbers(shafts)
    for angle in (-9.0, 0.3, 2.2):
        angles, ratios = shafts.below(p, angle)
        assert angles[-1] == pytest.approx(shafts.end(angle), abs=1e-13)
        # the ratio is the slope of the turn, so that power passes unchanged; differences of fourth order
        step = [shafts.end(angle + k * 1e-3) for k in (-2, -1, 1, 2)]
        slope = (step[0] - 8 * step[1] + 8 * step[2] - step[3]) / 12e-3
        assert ratios[-1] == pytest.approx(slope, rel=1e-9)
        back, inverse = shafts.above(p, angles[-1])
        assert back[0] == pytest.approx(angle, abs=1e-12)
        assert inverse[0] * ratios[-1] == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("side", [1.0, -1.0], ids=["W", "Z"])
def test_equal_bends_in_one_plane_with_yokes_in_line_have_the_ratio_one(side: float) -> None:
    bend = math.radians(31)
    lines = [0.0, bend, bend - side * bend]
    points = [np.array([0.0, 0.0, 1.0])]
    for angle, length in zip(lines, (0.5, 0.4, 0.2), strict=True):
        points.append(points[-1] + length * np.array([math.cos(angle), 0.0, -math.sin(angle)]))
    shafts = made([list(p) for p in points], mounting=0.5)
    for angle in np.linspace(-8, 8, 41):
        angles, ratios = shafts.below(numbers(shafts), float(angle))
        assert angles[-1] == pytest.approx(angle, abs=1e-13)
        assert ratios[-1] == pytest.approx(1.0, abs=1e-13)
        assert ratios[0] != pytest.approx(1.0, abs=1e-4) or abs(math.sin(2 * (angle + 0.5))) > 0.6
    crossed = made([list(p) for p in points], mounting=0.5, second=0.0)
    assert max(crossed.below(numbers(crossed), a)[1][-1] for a in np.linspace(0, 3, 50)) > 1 / math.cos(bend) - 0.01


def test_joints_of_constant_velocity_have_the_ratio_one() -> None:
    shafts = made(THREE, kind="constant_velocity")
    angles, ratios = shafts.below(numbers(shafts), 2.3)
    assert angles == [2.3] * 3 and ratios == [1.0] * 3 and shafts.end(2.3) == 2.3
    assert shafts.above(numbers(shafts), -1.4) == ([-1.4] * 3, [1.0] * 3)


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ([[0, 0, 1], [0.4, 0, 1], [0.45, 0, 0.5]], "bends by 84.29 deg; a Hooke joint can do 45 deg at most"),
        ([[0, 0, 1], [0.4, 0, 1]], "2 points; expected 3 to 5"),
        ([[0, 0, 1], [0, 0, 1], [0.4, 0, 1]], "no direction"),
        ([[0, 0, 1], [0, 0.4, 1], [0.2, 0.8, 1]], "no horizontal line"),
    ],
)
def test_shafts_that_cannot_be_are_named(points: list[list[float]], text: str) -> None:
    with pytest.raises(ValidationError, match=text):
        made(points)
