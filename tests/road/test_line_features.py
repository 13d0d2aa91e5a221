"""Features of a road along a line lie in the plane of station and offset: on their place of it and on no other."""

from __future__ import annotations

import math
from pathlib import Path as FilePath

import numpy as np
import pytest

from jounce.core.errors import FormatError, ParameterError
from jounce.files.roads import load_road, parse_road, read_road
from jounce.road.block import Frame
from jounce.road.builder import RoadBuilder
from jounce.road.curve import cosine_bump, flat_top, ramp
from jounce.road.envelope import Envelope
from jounce.road.line import LineRoad
from jounce.road.path import joined
from jounce.road.simple import Bump, Dish, Patch, Sum, round_pothole

RNG = np.random.default_rng(7)


def cosine(u: np.ndarray, height: float, length: float) -> np.ndarray:
    return np.where(np.abs(u) < length / 2, 0.5 * height * (1 + np.cos(2 * math.pi * u / length)), 0.0)


# --- where they are -------------------------------------------------------------------------------------------------


def test_a_bump_of_a_circle_is_not_on_its_other_side() -> None:
    road = RoadBuilder().arc(30, 360).close().bump(s=0, height=0.05, length=1).build()
    assert road.query(0.0, [0.0, 60.0]).height.tolist() == pytest.approx([0.05, 0.0], abs=1e-12)
    # across the start of a closed line, from edge to edge, along radii
    angle, radius = np.meshgrid(np.linspace(-1.0, 1.0, 101) / 30, np.linspace(26.5, 33.5, 8))
    found = road.query(radius * np.sin(angle), 30 - radius * np.cos(angle)).height
    np.testing.assert_allclose(found, cosine(30 * angle, 0.05, 1.0), atol=1e-9)


def test_a_patch_of_a_hairpin_is_on_one_leg() -> None:
    road = RoadBuilder().straight(50).arc(6, 180).straight(50).patch(s0=30, s1=35, friction=0.2).build()
    assert road.query([32.0] * 4, [-3.9, 3.9, 8.1, 15.9]).friction.tolist() == [0.2, 0.2, 1.0, 1.0]


def test_what_lies_under_a_bridge_is_not_on_it() -> None:
    builder = RoadBuilder().straight(60).arc(30, 270).straight(60).height([(100, 0), (160, 8)])
    cross = 60 + 30 * 1.5 * math.pi + 30  # station of the line where it crosses its start, at x = 30
    road = builder.pothole(s=30, depth=0.1, length=3, width=3).patch(s0=28, s1=32, friction=0.4).build()
    below, above = road.query(30.0, 0.0, 1.0), road.query(30.0, 0.0)
    assert float(below.station) == pytest.approx(30.0, abs=1e-6) and float(above.station) == pytest.approx(
        cross, abs=0.2
    )
    assert (float(below.height), float(below.friction)) == pytest.approx((-0.1, 0.4))
    assert (float(above.height), float(above.friction)) == pytest.approx((8.0, 1.0))


def test_patches_end_where_they_are_said_to() -> None:
    builder = RoadBuilder().straight(100).patch(s0=90, s1=130, friction=0.2)
    x = np.array([84.0, 89.9, 90.1, 99.9])
    assert builder.build().query(x, 0.0).friction.tolist() == [1.0, 1.0, 0.2, 0.2]
    assert "from s = 90 to 130 m" in builder.remarks()[0]
    with pytest.raises(ParameterError, match="patch: lies from s = 200 to 400 m; the road goes from 0 to 100 m"):
        RoadBuilder().straight(100).patch(s0=200, s1=400, friction=0.2).build()


def test_a_blended_patch_of_one_side_follows_a_bend() -> None:
    road = RoadBuilder().arc(40, 170).patch(s0=30, s1=60, n1=0.0, friction=0.2, edge=2.0).build()
    s, n = RNG.uniform(20, 70, 400), RNG.uniform(-4, 4, 400)
    inside = np.minimum(np.minimum(s - 30, 60 - s), -n)  # distance from the border
    expected = 1.0 - 0.8 * np.clip(inside / 2.0 + 0.5, 0.0, 1.0)
    found = road.query((40 - n) * np.sin(s / 40), 40 - (40 - n) * np.cos(s / 40)).friction
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_features_over_the_seam_of_a_closed_line() -> None:
    length = 60 * math.pi
    for s in (length - 0.2, -0.2, 2 * length - 0.2):
        road = RoadBuilder().arc(30, 360).close().round_pothole(s=s, n=1.0, depth=0.1, radius=0.5).build()
        at = (np.array([-0.5, -0.2, 0.0, 0.2]) + 0.2) / 30
        r = 30 * np.abs(at)
        expected = np.where(r < 0.5, -0.05 * (1 + np.cos(math.pi * r / 0.5)), 0.0)
        at -= 0.2 / 30
        np.testing.assert_allclose(road.query(29 * np.sin(at), 30 - 29 * np.cos(at)).height, expected, atol=1e-9)
    with pytest.raises(ParameterError, match="longer than the line"):
        RoadBuilder().arc(30, 360).close().patch(s0=0, s1=200, friction=0.5).build()


def test_a_thousand_features_are_those_of_single_ones() -> None:
    builder = RoadBuilder().straight(1000)
    places = RNG.uniform(5, 995, (1000, 2)) * [1.0, 0.008] - [0.0, 4.0]
    for s, n in places:
        builder.round_pothole(s=s, n=n, depth=0.02, radius=0.3)
    road = builder.build()
    x, y = RNG.uniform(5, 995, 2000), RNG.uniform(-4, 4, 2000)
    r = np.hypot(x[:, None] - places[:, 0], y[:, None] - places[:, 1])
    expected = np.where(r < 0.3, -0.01 * (1 + np.cos(math.pi * r / 0.3)), 0.0).sum(axis=1)
    assert (expected < -0.001).sum() > 20
    np.testing.assert_allclose(road.query(x, y).height, expected, atol=1e-12)


# --- their derivatives, and what contacts feel ----------------------------------------------------------------------


def bent(features: list[Bump | Dish | Patch]) -> LineRoad:
    path = joined([(10.0, 0.0, 0.0), (20.0, 0.0, 0.05), (20.0, 0.05, 0.05), (20.0, 0.05, -0.04)])
    return LineRoad(path=path, left=5.0, right=5.0, features=features, frame=Frame(x=2.0, y=1.0, z=0.3, heading=0.4))


BENT = bent(
    [
        Bump(profile=cosine_bump(0.2, 30.0), window=cosine_bump(1.0, 7.0), frame=Frame(x=28.0, y=1.0)),
        Dish(profile=round_pothole(0.1, 2.0).profile, frame=Frame(x=50.0, y=-1.0)),
        Patch(friction=0.3, length=25.0, width=4.0, edge=3.0, frame=Frame(x=35.0, y=1.0)),
    ]
)


def test_slopes_and_their_derivatives_are_those_of_the_heights() -> None:
    s, n = RNG.uniform(12, 60, 300), RNG.uniform(-3, 3, 300)
    p, phi = BENT.path.at(s), BENT.path.at(s, "heading")
    x, y = BENT.frame.to_world(p[:, 0] - n * np.sin(phi), p[:, 1] + n * np.cos(phi))
    h, bad = 1e-4, 0
    for a, b in zip(x, y, strict=True):
        values, rates = BENT.derivatives(a, b)
        found = []
        for dx, dy in ((h, 0.0), (0.0, h)):
            ahead, behind = (BENT.derivatives(a + k * dx, b + k * dy)[0] for k in (1, -1))
            found.append((ahead - behind) / (2 * h))
        difference = np.stack(found, axis=1)
        assert values[1:3] == pytest.approx(difference[0], abs=2e-6)  # h² times third derivatives of 0.2
        # slopes and friction have edges, where differences over them are not derivatives
        bad += not np.allclose(rates[:, :2], difference, atol=1e-4)
    assert bad < 3


def test_a_straight_line_has_what_a_sum_in_the_world_has() -> None:
    features = [
        Bump(profile=cosine_bump(0.03, 1.5), frame=Frame(x=20.0)),
        Bump(profile=flat_top(0.6, 0.05, -0.06), window=flat_top(0.4, 0.05), frame=Frame(x=24.0, y=0.8)),
        Patch(friction=0.3, length=3.0, width=2.0, edge=0.5, frame=Frame(x=22.0, y=1.0)),
    ]
    path = joined([(50.0, 0.0, 0.0)])
    own, world = LineRoad(path=path, features=features), Sum(base=LineRoad(path=path), features=features)
    x, y = RNG.uniform(17, 27, 300), RNG.uniform(-2, 3, 300)
    heading = RNG.uniform(-math.pi, math.pi, 300)
    for a, b in (
        (own, world),
        *((Envelope(road=own, mode=m), Envelope(road=world, mode=m)) for m in ("points", "cams")),
    ):
        found, expected = a.query(x, y, heading=heading), b.query(x, y, heading=heading)
        np.testing.assert_allclose(found.height, expected.height, atol=1e-9)
        np.testing.assert_allclose(found.friction, expected.friction, atol=1e-9)


def test_features_that_have_no_place_on_a_line_are_refused() -> None:
    with pytest.raises(ParameterError, match="put it on the road with Sum"):
        bent([Bump(profile=ramp(0.1, 2.0), frame=Frame(x=10.0))])
    with pytest.raises(ParameterError, match="put it on the road with Sum"):
        bent([Patch(friction=0.5)])


# --- files ----------------------------------------------------------------------------------------------------------

STRAIGHT = "road: a\nline: {straight: 100}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("friction: -1", "line 3  friction: found -1; must be from 0 to 5"),
        ("friction: .nan", "line 3  friction: found nan; expected a finite number"),
        ("friction: {left: 1, right: 50}", "line 3  friction: found 50"),
        ("width: -3", "line 3  width: found -3; must be 0 or more"),
        ("width: [[0, 4], [0, 5]]", "line 3  width: the stations of its rows must be finite and ascend"),
        ("bank: .inf", "line 3  bank: found inf"),
        ("bank: 30", "line 3  bank: found 30; must be from -5 to 5; it is the tangent"),
        ("bank: 3 kg", "found kg"),
        ("crown: 50", "line 3  crown: found 50"),
        ("kerbs: {left: {friction_1: -2}}", "line 3  kerbs.left: kerb: friction_1: found -2"),
        ("smoothing_time: .nan", "line 3  smoothing_time: found nan"),
        ("unevenness: {iso_8608: C, seed: -1}", "line 3  unevenness: seed: found -1; must be a whole number"),
        ("unevenness: {iso_8608: C, coherency: 2}", "line 3  unevenness: coherency: found 2; must be from 0 to 1"),
        ("unevenness: {iso_8608: Q}", "line 3  unevenness: ISO 8608 class 'Q'"),
        ("closed: 'no'", "line 3  closed: found 'no'; expected true or false"),
        ("closed: true", "line 3  closed: path: said to be closed"),
        ("beside: {side: hole}", "line 3  beside: side = 'hole'; allowed: widen, hold, none"),
        ("start: {heading: 90}", "line 3  start.heading: found 90 without a unit, which is in rad: 5157 deg"),
        ("height: [1, 2]", r"line 3  height\[0\]: found 1; expected \[s, value\]"),
        ("height: {s: 1}", "line 3  height: found the keys s; expected a number"),
        ("features:\n  - pothole: {s: 20, length: 0.01}", "line 4  features.0..pothole: two edges of 0.05 m"),
        ("features:\n  - patch: {s0: 200, s1: 400, friction: 1}", "line 4  features.0..patch: lies from s = 200"),
        (
            "features:\n  - cleat: {s: 20}\n  - patch: {s0: 20, s1: 40, friction: 50}",
            "line 5  features.1..patch: friction",
        ),
    ],
)
def test_nonsense_in_a_file_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_road(STRAIGHT + text, "a.yaml")


def test_messages_speak_of_lists_and_not_of_classes() -> None:
    with pytest.raises(FormatError, match="found a list of 2"):
        parse_road("- 1\n- 2\n")
    with pytest.raises(FormatError, match=r"bank: bank = '3 1/s'(?!.*turn)"):
        parse_road(STRAIGHT + "bank: 3 1/s")


def test_an_angle_without_a_unit(tmp_path: FilePath) -> None:
    text = "road: a\nline:\n  - arc: {radius: 50, angle: %s}\n"
    assert parse_road(text % 1.5).path.length == pytest.approx(75.0)  # type: ignore[attr-defined]
    with pytest.raises(
        FormatError, match=r"line 3  line.0..angle: found 90 without a unit.*write '90 deg' or '90 rad'"
    ):
        parse_road(text % 90)
    (tmp_path / "a.yaml").write_text(text % 5)
    report = read_road(tmp_path / "a.yaml")[1]
    assert report is not None and "which is in rad: 286 deg" in str(report.warnings[0])


def test_slopes_may_be_angles() -> None:
    road = parse_road(STRAIGHT + "bank: 3 deg\n")
    assert float(road.query(50.0, 2.0).height) == pytest.approx(2 * math.tan(math.radians(3)))
    assert float(parse_road(STRAIGHT + "bank: 3 %").query(50.0, 2.0).height) == pytest.approx(0.06)


def test_wave_numbers_carry_their_unit() -> None:
    rough = STRAIGHT + "unevenness: {iso_8608: C, n_min: %s, n_max: %s}\n"
    x = np.linspace(20, 80, 50)
    plain, units = (parse_road(rough % n).query(x, 1.0).height for n in ((0.02, 5), ("20 1/km", "5 1/m")))
    assert np.ptp(plain) > 0.001
    np.testing.assert_allclose(units, plain, atol=1e-12)


def test_heights_count_from_the_start() -> None:
    road = parse_road(STRAIGHT + "start: {z: 5}\nheight: [[0, 0], [10, 1]]\n")
    np.testing.assert_allclose(road.query([0.0, 10.0, 50.0], 0.0).height, [5.0, 6.0, 6.0], atol=1e-12)
    assert float(parse_road(STRAIGHT + "height: 2\n").query(50.0, 0.0).height) == 2.0


def test_paths_of_the_library_and_of_files(tmp_path: FilePath) -> None:
    library = load_road("handling")
    road = parse_road("road: a\nline: {path: handling}\nclosed: true\n", str(tmp_path / "a.yaml"))
    assert isinstance(road, LineRoad) and isinstance(library, LineRoad)
    np.testing.assert_array_equal(road.path.x, library.path.x)
    with pytest.raises(FormatError, match="line 3  closed: found false; the path of line closes itself"):
        parse_road("road: a\nline: {path: handling}\nclosed: false\n")
    (tmp_path / "open.csv").write_text("x,y\n0,0\n50,0\n100,10\n150,0\n200,0\n")
    text = "road: a\nline: {path: open.csv}\n"
    assert not parse_road(text, str(tmp_path / "a.yaml")).path.closed  # type: ignore[attr-defined]
    with pytest.raises(FormatError, match=r"line 3  closed: road 'a': said to be closed, but its path is open.* 200 m"):
        parse_road(text + "closed: true\n", str(tmp_path / "a.yaml"))


# --- remarks --------------------------------------------------------------------------------------------------------


def test_remarks_about_the_line() -> None:
    assert RoadBuilder().straight(50).arc(6, 180).straight(50).remarks() == []
    assert RoadBuilder().arc(30, 360).close().remarks() == []
    folded = RoadBuilder().straight(50).arc(3, 90).straight(50).remarks()
    assert len(folded) == 1 and "radius of 3 m, less than the width of 4 m on its inside" in folded[0]
    assert RoadBuilder(left=2.9, right=9.0).straight(50).arc(3, 90).straight(50).remarks() == []
    crossing = RoadBuilder().straight(100).arc(30, 270).straight(100)
    (remark,) = crossing.remarks()
    assert "meets itself" in remark and "s = 70 m" in remark.replace("69.97", "70")
    assert crossing.height([(100, 0), (160, 8)]).remarks() == []  # a bridge
    legs = RoadBuilder(left=7.0, right=4.0).straight(50).arc(6, 180).straight(50).remarks()
    assert any("meets itself" in text for text in legs)


def test_remarks_are_those_of_the_reader(tmp_path: FilePath) -> None:
    line = "line:\n  - straight: 50\n  - arc: {radius: 3, angle: 90 deg}\n"
    text = f"road: a\n{line}features:\n  - patch: {{s0: 40, s1: 90, friction: 1}}\n"
    (tmp_path / "a.yaml").write_text(text)
    report = read_road(tmp_path / "a.yaml")[1]
    assert report is not None and [(p.line, p.key) for p in report.warnings] == [(6, "features[0].patch"), (2, "line")]
