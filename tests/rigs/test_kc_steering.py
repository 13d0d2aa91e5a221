"""Steering maps from sweeps of the hand wheel and from vertical sweeps with it held."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.rigs.kc import kinematics as k
from jounce.rigs.kc import steering as s
from jounce.rigs.kc.cases import Settings, Sweep
from jounce.rigs.kc.channels import PROPERTIES
from synthetic_kc import as_sweep, triangle

TRI = triangle(240)
RANGE = (-0.08, 0.07)
RATIO = 105.0  # rad/m, hand wheel over rack
BASE = {"steer": 0.0, "camber": -0.3, "side_view_angle": 0.5, "x": 0.1, "y": 0.2}


def pose(name: str, u: np.ndarray, j: np.ndarray, side: str) -> np.ndarray:
    """Over rack travel and wheel travel; a symmetric axle, the inner wheel turns more, travel and steering interact."""
    v, odd = (u, 1.0) if side == "L" else (-u, -1.0)
    if name == "steer":
        return np.asarray(odd * (6.5 * v + 12.0 * v**2 + 0.08 * j - 1.5 * v * j))
    value = BASE[name] * j * (1 + 1.3 * j) + 0.6 * v + 3.0 * v**2 + 2.0 * v * j
    return np.asarray(odd * value if name == "y" else value)


def channels(u: np.ndarray, j: np.ndarray, *, rack: bool = False, zero: float = 0.0) -> dict[str, np.ndarray]:
    found = {"travel.L": j, "travel.R": j, "steering": RATIO * u}
    if rack:
        found["rack"] = u
    for side in "LR":
        for name in s.NAMES:
            found[f"{name}.{side}"] = pose(name, u, j, side) + zero
    return found


def turned(travel: float, **options: object) -> Sweep:
    found = channels(0.07 * TRI, 0.0 * TRI + travel, **options)  # type: ignore[arg-type]
    return as_sweep(found, "steering", "steering", f"steer_{1e3 * travel:.0f}")


def held(rack: float, zero: float = 0.0) -> Sweep:
    return as_sweep(
        channels(0.0 * TRI + rack, 0.09 * TRI, zero=zero), "vertical", "steering", f"vertical_{1e3 * rack:.0f}"
    )


FIVE = [turned(t) for t in (-0.08, -0.04, 0.0, 0.035, 0.07)]
OPTIONS = Settings(steering_ratio=RATIO)


def gap(found: s.SteeringMaps) -> float:
    """The largest error as a share of the range."""
    worst = 0.0
    u, j = (item.ravel() for item in np.meshgrid(np.linspace(-0.065, 0.065, 9), np.linspace(*RANGE, 7), indexing="ij"))
    for side in "LR":
        for name in s.NAMES:
            expected = pose(name, u, j, side)
            value = found.maps[side][name](u, j)  # type: ignore[index]
            worst = max(worst, float(np.max(np.abs(value - expected)) / np.ptp(expected)))
    return worst


def test_sweeps_at_several_travels_give_ratio_and_ackermann() -> None:
    found = s.build(FIVE, OPTIONS, "m", travel=RANGE)
    assert gap(found) < 1e-6
    steer = {side: found.maps[side]["steer"] for side in "LR"}  # type: ignore[index]
    h = np.array([-1e-3, 1e-3])
    rate = np.mean([np.diff(steer[side](h, np.zeros(2)))[0] / 2e-3 for side in "LR"])
    assert RATIO / rate == pytest.approx(RATIO / 6.5, rel=1e-4)  # hand wheel over wheel angle
    lock = np.array([0.06])
    inner, outer = (float(steer[side](lock, np.zeros(1))[0]) for side in "LR")
    assert inner == pytest.approx(6.5 * 0.06 + 12 * 0.06**2, rel=1e-6)
    assert outer == pytest.approx(6.5 * 0.06 - 12 * 0.06**2, rel=1e-6)
    assert not found.remarks


def test_vertical_sweeps_give_the_same_maps() -> None:
    zero = turned(0.0)
    inputs = (-0.07, -0.035, 0.0, 0.03, 0.07)
    # each vertical sweep has its own zero: only its shape over travel counts
    found = s.build([zero, *(held(u, 1e-3 * i) for i, u in enumerate(inputs))], OPTIONS, "m", travel=RANGE)
    assert gap(found) < 1e-4
    both = s.build([*FIVE, *(held(u) for u in inputs)], OPTIONS, "m", travel=RANGE)
    assert gap(both) < 1e-4
    assert 0.0 < max(both.mismatch.values()) < 1e-4


def test_too_few_vertical_sweeps_or_none_of_the_hand_wheel_are_refused() -> None:
    four = [held(u) for u in (-0.07, 0.0, 0.03, 0.07)]
    with pytest.raises(
        ParameterError, match=r"vertical_-70.csv: 4 vertical sweeps with the hand wheel held; at least 5"
    ):
        s.build([turned(0.0), *four], OPTIONS, "m", travel=RANGE)
    five = [*four, held(-0.03)]
    with pytest.raises(ParameterError, match="vertical sweeps need one of the hand wheel at design travel beside them"):
        s.build(five, OPTIONS, "m", travel=RANGE)
    with pytest.raises(ParameterError, match=r"at design travel is needed; the nearest is at 20.0 mm"):
        s.build([turned(0.02), *five], OPTIONS, "m", travel=RANGE)


def test_one_sweep_takes_the_rest_from_the_guidance() -> None:
    straight = k.Kinematics("K1", {side: {} for side in "LR"}, {})  # type: ignore[dict-item]
    j = np.linspace(*RANGE, 21)
    for side in "LR":
        for name in ("camber", "side_view_angle", "x", "y", "steer"):
            value = pose(name, 0.0 * j, j, side)
            toe = -value if side == "L" else value
            straight.maps[side]["toe" if name == "steer" else name] = k.Grid(j, toe if name == "steer" else value)  # type: ignore[index]
    found = s.build([turned(0.0)], OPTIONS, "m", travel=RANGE, guidance=straight)
    u = np.linspace(-0.06, 0.06, 7)
    for side in "LR":
        for name in s.NAMES:
            maps = found.maps[side][name]  # type: ignore[index]
            np.testing.assert_allclose(maps(u, 0.0 * u), pose(name, u, 0.0 * u, side), atol=1e-8)
            np.testing.assert_allclose(maps(0.0 * j, j), pose(name, 0.0 * j, j, side), atol=1e-6)
    alone = s.build([turned(0.0)], OPTIONS, "m", travel=RANGE)
    assert any("do not depend on travel" in text for text in alone.remarks)


def test_a_ratio_and_a_channel_of_the_rack_give_the_same_wheel_angles() -> None:
    by_ratio = s.build([turned(t) for t in (-0.08, 0.0, 0.07)], OPTIONS, "m", travel=RANGE)
    measured = [turned(t, rack=True) for t in (-0.08, 0.0, 0.07)]
    by_rack = s.build(measured, Settings(), "m", travel=RANGE)
    by_curve = s.build(
        [turned(t) for t in (-0.08, 0.0, 0.07)], Settings(), "m", travel=RANGE, rack_of=lambda h: h / RATIO
    )
    assert by_rack.rack is not None and by_ratio.rack is None
    hand = np.linspace(-6.0, 6.0, 9)
    wanted = by_ratio.maps["L"]["steer"](hand / RATIO, 0.0 * hand)
    np.testing.assert_allclose(by_rack.maps["L"]["steer"](by_rack.rack(hand), 0.0 * hand), wanted, atol=1e-9)
    np.testing.assert_allclose(by_curve.maps["L"]["steer"](hand / RATIO, 0.0 * hand), wanted, atol=1e-12)
    with pytest.raises(ParameterError, match="no channel of rack travel; give settings: steering_ratio"):
        s.build([turned(0.0)], Settings(), "m", travel=RANGE)


def test_steer_from_toe_and_what_is_there_at_design_is_taken_off() -> None:
    found = channels(0.07 * TRI, 0.0 * TRI, zero=0.004)
    for side, sign in (("L", -1.0), ("R", 1.0)):
        found[f"toe.{side}"] = sign * found.pop(f"steer.{side}")
    maps = s.build([as_sweep(found, "steering", "steering")], OPTIONS, "m", travel=RANGE).maps
    u = np.linspace(-0.06, 0.06, 7)
    for side in "LR":
        np.testing.assert_allclose(maps[side]["steer"](u), pose("steer", u, 0.0 * u, side), atol=1e-9)  # type: ignore[index]


@pytest.mark.parametrize("symmetry", ["left to right", "right to left", "average"])
def test_mirror_images_over_the_steering_input(symmetry: str) -> None:
    rng = np.random.default_rng(8)
    u = np.linspace(-0.07, 0.07, 5)
    maps = {side: {name: k.Grid(u, rng.standard_normal(5)) for name in s.NAMES} for side in "LR"}
    before = {side: dict(maps[side]) for side in "LR"}
    s.symmetrise(maps, symmetry)  # type: ignore[arg-type]
    at = np.linspace(-0.06, 0.06, 9)
    for name in s.NAMES:
        sign = -1.0 if name in ("steer", "y") else 1.0
        np.testing.assert_allclose(maps["R"][name](at), sign * maps["L"][name](-at), atol=1e-12)
        if symmetry == "average":
            mean = 0.5 * (before["L"][name].y + sign * before["R"][name].y[::-1])
            np.testing.assert_allclose(maps["L"][name].y, mean, atol=1e-12)


def test_wrong_signs_and_swapped_sides_leave_remarks() -> None:
    against = [
        as_sweep({**t.values, "steering": -t["steering"]}, "steering", "steering", t.case.file.stem) for t in FIVE
    ]
    found = s.build(against, Settings(), "rad", travel=RANGE)
    assert any("wheels turn right where the hand wheel turns left" in text for text in found.remarks)
    swapped = []
    for t in FIVE:
        other = {"L": "R", "R": "L"}
        values = {key[:-1] + other[key[-1]] if key[-2:] in (".L", ".R") else key: v for key, v in t.values.items()}
        swapped.append(as_sweep(values, "steering", "steering", t.case.file.stem))
    found = s.build(swapped, OPTIONS, "m", travel=RANGE)
    assert any("left and right are swapped" in text for text in found.remarks)


def test_the_guidance_of_a_dependent_axle_is_split_without_counting_twice() -> None:
    rng = np.random.default_rng(3)
    own, paired = np.linspace(-0.08, 0.08, 9), np.linspace(-0.08, 0.08, 9)
    maps = {side: {n: k.Grid(own, rng.standard_normal((9, 9)), paired) for n in PROPERTIES} for side in "LR"}
    found = s.split(k.Kinematics("K3", maps, {}))  # type: ignore[arg-type]
    for side in "LR":
        for name, grid in found.maps[side].items():  # type: ignore[index]
            np.testing.assert_allclose(np.diag(grid.y), 0.0, atol=1e-12)
            # D(J_i; J_o) + p(J_i; J_i) is p
            whole = grid.y + np.diag(maps[side][name].y)[:, None]
            np.testing.assert_allclose(whole, maps[side][name].y, atol=1e-12)
