"""Wheel-guiding maps from vertical sweeps: each way from data to maps, coverage, symmetry."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial import Delaunay

from jounce.core.errors import ParameterError
from jounce.rigs.kc import kinematics as k
from jounce.rigs.kc.cases import Settings, Sweep
from jounce.rigs.kc.channels import PROPERTIES
from synthetic_kc import as_sweep, triangle

TRI = triangle(240)
RANGE = (-0.09, 0.08)
# of x, y, toe, camber, side view angle on the left: all different, none zero
FACTOR = dict(zip(PROPERTIES, (0.1, 0.2, 0.04, -0.3, 0.5), strict=True))


def surface(name: str, own: np.ndarray, other: np.ndarray, side: str = "L") -> np.ndarray:
    """A dependent axle that (1) cannot follow: terms of both travels; the right side differs by more than its sign."""
    a, d = FACTOR[name] * (1.0 if side == "L" else 1.15), own - other
    value = a * own * (1 + 2.0 * own) + 0.4 * a * d + 1.5 * a * d * own - 3.0 * a * own * other
    return np.asarray(-value if name == "y" and side == "R" else value)


def independent(name: str, own: np.ndarray, other: np.ndarray, side: str = "L") -> np.ndarray:
    return surface(name, own, own, side)


def sweep(
    left: np.ndarray, right: np.ndarray, kind: str, law: object = surface, zero: float = 0.0, **case: str
) -> Sweep:
    channels = {"travel.L": left, "travel.R": right}
    for name in PROPERTIES:
        channels[f"{name}.L"] = law(name, left, right, "L") + zero  # type: ignore[operator]
        channels[f"{name}.R"] = law(name, right, left, "R") - 0.7 * zero  # type: ignore[operator]
    return as_sweep(channels, kind, "kinematics", kind.split()[0], **case)


def parallel(law: object = surface, **case: str) -> Sweep:
    return sweep(0.1 * TRI, 0.1 * TRI, "parallel travel", law, **case)


def opposite(mean: float = 0.0, size: float = 0.1, law: object = surface, zero: float = 0.0) -> Sweep:
    return sweep(mean + size * TRI, mean - size * TRI, "opposite travel", law, zero)


def single(side: str, held: float, zero: float = 0.0, size: float = 0.1) -> Sweep:
    moved, still = size * TRI, np.full(len(TRI), held)
    left, right = (moved, still) if side == "L" else (still, moved)
    return sweep(left, right, "single travel", surface, zero, side=side)


def gap(found: k.Kinematics, side: str = "L", law: object = surface, inside: bool = True) -> float:
    """The largest error, as a share of the range of its map."""
    worst = 0.0
    for name in PROPERTIES:
        grid = found.maps[side][name]  # type: ignore[index]
        own, other = np.meshgrid(grid.x, grid.x[:1] if grid.z is None else grid.z, indexing="ij")
        expected = law(name, own, other, side)  # type: ignore[operator]
        error = np.abs(grid.y.reshape(expected.shape) - expected)
        where = found.inside if inside and found.inside is not None else np.ones(expected.shape, dtype=bool)
        worst = max(worst, float(np.max(error[where]) / np.ptp(expected)))
    return worst


def test_k1_curves_of_own_travel() -> None:
    found = k.build([parallel(independent)], Settings(), RANGE)
    assert found.method == "K1" and not found.dependent
    assert gap(found, "L", independent) < 1e-9 and gap(found, "R", independent) < 1e-9
    assert found.maps["L"]["toe"].x[0] == RANGE[0] and 0.0 in found.maps["L"]["toe"].x
    # left and right are their own
    assert found.maps["R"]["toe"].y[0] == pytest.approx(1.15 * found.maps["L"]["toe"].y[0])
    assert found.maps["R"]["y"].y[0] == pytest.approx(-1.15 * found.maps["L"]["y"].y[0])


def test_what_is_there_at_design_is_the_alignment_and_not_the_map() -> None:
    found = k.build([sweep(0.1 * TRI, 0.1 * TRI, "parallel travel", independent, 0.004)], Settings(), RANGE)
    assert found.design["toe", "L"] == pytest.approx(0.004) and found.design["camber", "R"] == pytest.approx(-0.0028)
    assert float(found.maps["L"]["toe"](np.zeros(1))[0]) == pytest.approx(0.0, abs=1e-12)


def test_k2_more_than_five_files_are_columns_and_fewer_are_interpolated() -> None:
    held = (-0.08, -0.05, -0.02, 0.01, 0.045, 0.07)
    many = [single(side, value) for side in "LR" for value in held]
    found = k.build(many, Settings(), RANGE)
    assert found.method == "K2"
    np.testing.assert_allclose(found.maps["L"]["camber"].z, held)
    assert gap(found) < 1e-9 and gap(found, "R") < 1e-9
    few = [single(side, value) for side in "LR" for value in (-0.08, 0.0, 0.07)]
    found = k.build(few, Settings(columns=7), RANGE)
    assert found.maps["L"]["camber"].y.shape == (21, 7)
    assert gap(found) < 1e-9  # the surface is a parabola along the paired travel
    # beyond the travels at which the wheel was held it goes on straight, and says so
    assert not np.all(found.inside) and any("continued straight" in text for text in found.remarks)
    with pytest.raises(
        ParameterError, match=r"no maps of the guidance can be made; needed is .* single left 2 and right"
    ):
        k.build([*few[:2], *few[3:]], Settings(), RANGE)
    with pytest.raises(ParameterError, match="two single travels hold the other wheel at the same travel"):
        k.build([*few, single("L", 0.0)], Settings(), RANGE)


def test_k3_and_k4_a_known_surface_is_recovered_and_zero_errors_are_removed() -> None:
    singles = [single(side, v, 0.003 * v) for side in "LR" for v in (-0.06, 0.0, 0.05)]
    data = [parallel(), *singles[:2], *singles[3:5], opposite(zero=0.002), opposite(0.04, 0.06, zero=-0.004)]
    found = k.build(data, Settings(), RANGE)
    assert found.method == "K3"
    assert gap(found) < 0.01
    means = (-0.06, -0.03, 0.0, 0.03, 0.05)
    paths = [opposite(m, 0.1, zero=0.001 * i) for i, m in enumerate(means)]
    four = k.build([parallel(), *paths], Settings(), RANGE)
    assert four.method == "K4" and gap(four) < 0.01
    # the zero of each test is its own, and not seen in the maps: the same files without them
    clean = k.build([parallel(), *(opposite(m, 0.1) for m in means)], Settings(), RANGE)
    for name in PROPERTIES:
        np.testing.assert_allclose(four.maps["R"][name].y, clean.maps["R"][name].y, atol=1e-12)
    # one opposite travel alone cannot know it
    assert gap(k.build([parallel(), opposite()], Settings(), RANGE), inside=False) > 0.02


def test_k5_is_exact_on_both_paths_and_independent_where_nothing_depends() -> None:
    found = k.build([parallel(), opposite(0.01, 0.12, zero=0.003)], Settings(points=35, columns=35), RANGE)
    assert found.method == "K5"
    for name in PROPERTIES:
        grid, j = found.maps["L"][name], np.linspace(-0.08, 0.08, 9)
        size = np.ptp(grid.y)
        np.testing.assert_allclose(grid(j, j), surface(name, j, j), atol=1e-6 * size)
        # a path about a mean of 10 mm, shifted to meet the parallel one there
        d = np.linspace(-0.06, 0.06, 9)
        np.testing.assert_allclose(grid(0.01 + d, 0.01 - d), surface(name, 0.01 + d, 0.01 - d), atol=1e-4 * size)
    plain = k.build([parallel(independent), opposite(law=independent)], Settings(), RANGE)
    for name in PROPERTIES:
        y = plain.maps["L"][name].y
        np.testing.assert_allclose(y, y[:, :1] + 0.0 * y, atol=1e-9 * np.ptp(y))


def test_the_richest_way_is_taken_unless_the_axle_or_the_settings_say_otherwise() -> None:
    data = [parallel(), opposite(), opposite(0.03, 0.06)]
    assert k.choose(data, Settings(), None) == "K4"
    assert k.choose(data, Settings(), False) == "K1"  # an independent axle stays one
    assert k.choose(data, Settings(kinematics="K5"), None) == "K5"
    with pytest.raises(
        ParameterError, match=r"kinematics = 'K2': needs other sweeps than there are: parallel 1, opposite 2"
    ):
        k.choose(data, Settings(kinematics="K2"), None)
    with pytest.raises(
        ParameterError, match=r"this axle has maps over own and paired travel.*settings: \{kinematics: K1\}"
    ):
        k.choose([parallel()], Settings(), True)


def test_the_coverage_is_the_convex_hull_of_the_paths() -> None:
    points = np.array([[-0.1, -0.1], [0.08, 0.08], [0.05, -0.07], [-0.06, 0.04], [0.0, 0.0], [0.02, 0.01]])
    own, paired = np.linspace(-0.12, 0.1, 23), np.linspace(-0.11, 0.1, 17)
    a, b = np.meshgrid(own, paired, indexing="ij")
    expected = Delaunay(points).find_simplex(np.column_stack([a.ravel(), b.ravel()])).reshape(a.shape) >= 0
    np.testing.assert_array_equal(k.hull_mask(points, own, paired), expected)
    # the nearest point of the hull, against a search along its edge
    target = np.array([[0.1, -0.1], [-0.12, 0.1]])
    near = k.nearest_in_hull(points, target)
    ring = np.array([[-0.1, -0.1], [0.05, -0.07], [0.08, 0.08], [-0.06, 0.04], [-0.1, -0.1]])
    edge = np.concatenate([p + np.linspace(0, 1, 2001)[:, None] * (q - p) for p, q in pairwise(ring)])
    for found, wanted in zip(near, target, strict=True):
        best = np.min(np.linalg.norm(edge - wanted, axis=1))
        assert np.linalg.norm(found - wanted) == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("symmetry", ["left to right", "right to left", "average"])
def test_symmetry_copies_what_is_even_and_turns_what_is_odd(symmetry: str) -> None:
    found = k.build([parallel(symmetry=symmetry), opposite()], Settings(), RANGE)  # the parallel one leads
    plain = k.build([parallel(), opposite()], Settings(), RANGE)
    for name in PROPERTIES:
        sign = -1.0 if name == "y" else 1.0
        left, right = plain.maps["L"][name].y, plain.maps["R"][name].y
        lead = {"left to right": left, "right to left": sign * right, "average": 0.5 * (left + sign * right)}[symmetry]
        np.testing.assert_allclose(found.maps["L"][name].y, lead, atol=1e-15)
        np.testing.assert_allclose(found.maps["R"][name].y, sign * lead, atol=1e-15)


def test_a_sweep_that_is_too_short_or_lacks_a_channel_is_told() -> None:
    with pytest.raises(
        ParameterError, match=r"parallel.csv: 'travel.L' .* but the travel of the axle is -150.0 to 80.0"
    ):
        k.build([parallel(independent)], Settings(extrapolate=0.1), (-0.15, 0.08))
    bare = parallel()
    lacking = as_sweep({key: v for key, v in bare.values.items() if key != "camber.R"}, "parallel travel", "kinematics")
    with pytest.raises(ParameterError, match=r"test.csv: no column for camber.R, which parallel travel needs"):
        k.build([lacking], Settings(), RANGE)
