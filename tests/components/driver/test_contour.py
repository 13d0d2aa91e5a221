"""The connecting contour on a kinematic car: closed forms of its loop, corrections, limits, both ways, all planes."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from jounce.components.driver.contour import Contour
from jounce.road.path import Path, joined
from jounce.runtime.recording import Recording
from path_rig import RATIO, WHEELBASE, ride, rig

PLAIN = {"yaw_gain": 0.0, "yaw_integral": 0.0, "distance_integral": 0.0}  # the contour alone
HEADING, AT = 0.8, (5.0, -17.0)  # of the paths: somewhere, some way round
OFFSET, MONITOR = "driver.offset", "driving_machine_monitor"


@pytest.fixture(scope="module")
def library() -> Any:
    return rig(Contour, preview_time=0.5)


def placed(path: Path) -> Path:
    return path.moved(*AT, heading=HEADING)


def beside(path: Path, s: float, offset: float) -> dict[str, float]:
    """Where a car stands on a path, and its heading."""
    (x, y, _), heading = path.at(s), float(path.at(s, "heading"))
    return {"x": x - offset * math.sin(heading), "y": y + offset * math.cos(heading), "heading": heading}


def ring(radius: float, side: float) -> Path:
    return placed(Path.from_curvature([0, 2 * math.pi * radius], [side / radius] * 2, closed=True))


def circling(library: Any, radius: float, side: float, seconds: float = 40.0, **options: Any) -> float:
    """How far outside a circle a car runs."""
    path = ring(radius, side)
    run = ride(library, [path], **beside(path, 3.0, 0.0), **options).run(seconds)
    assert np.ptp(run[OFFSET][-200:]) < 1e-5
    return -side * float(run[OFFSET][-1])


# -- the law -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("time", [0.3, 0.5, 0.7])
def test_an_offset_goes_as_a_damped_oscillation(library: Any, side: float, time: float) -> None:
    """e'' + 4/D e' + 6/D² e = 0: ω = √6/PT, ζ = 2/√6."""
    path, v, size = placed(Path.straight(900)), 25.0, 0.05 * side
    run = ride(library, [path], speed=v, preview_time=time, **beside(path, 20.0, size), **PLAIN).run(12 * time)
    omega, zeta = math.sqrt(6) / time, 2 / math.sqrt(6)
    damped = omega * math.sqrt(1 - zeta**2)
    exact = np.exp(-zeta * omega * run.time) * (
        np.cos(damped * run.time) + zeta * omega / damped * np.sin(damped * run.time)
    )
    # one sample of 10 ms and the ramp of the hand wheel, half a sample more, are late: ω T of the offset at most
    assert np.max(np.abs(run[OFFSET] / size - exact)) < 1.5 * omega * 0.01
    # √6/PT from the response: an oscillator passes nought at ω_d t = π − acos ζ
    zero = run.time[np.argmax(run[OFFSET] * side < 0)] - 0.015
    assert (math.pi - math.acos(zeta)) / (zero * math.sqrt(1 - zeta**2)) == pytest.approx(omega, rel=0.05)
    assert -min(run[OFFSET] * side) / 0.05 == pytest.approx(
        math.exp(-math.pi * zeta / math.sqrt(1 - zeta**2)), abs=5e-3
    )


def test_the_curvature_of_the_cubic(library: Any) -> None:
    """End (10, 1), slope 0.1, start ahead: a₂ = (3·1 − 0.1·10)/100 = 0.02, κ = 0.04."""
    turned = math.atan(0.1)
    path = Path.straight(200.0).moved(10 - 50 * math.cos(turned), 1 - 50 * math.sin(turned), heading=turned)
    sim = ride(library, [path], speed=0.0, least_preview=10.0, advanced=0.0, **PLAIN)
    sim.run(0.005)
    ahead = sim.output("driver.target_x"), sim.output("driver.target_y")
    # the path leads through the car: the foot of the point 10 m ahead is nearer, and the contour smaller, by cos²
    smaller = math.cos(turned) ** 2
    assert ahead == pytest.approx((10 * smaller, smaller), rel=1e-9)
    assert sim.output("driver.target_curvature") == pytest.approx(0.04 / smaller, rel=1e-9)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize(("distance", "low", "high"), [(15.0, 2.0e-3, 2.25e-3), (30.0, 31e-3, 38e-3)])
def test_a_circle_is_run_a_little_outside(library: Any, side: float, distance: float, low: float, high: float) -> None:
    for advanced in (0.0, 1.0):
        found = circling(library, 100.0, side, speed=10.0, preview_time=distance / 10, advanced=advanced, **PLAIN)
        assert low < found < high
        # the next order of the series is (D/R)² smaller
        assert found == pytest.approx(distance**4 / (24 * 100**3), rel=(distance / 100) ** 2)


def test_preview_is_a_time_and_not_less_than_a_distance(library: Any) -> None:
    path = placed(Path.straight(300))
    for speed, wanted in ((30.0, 18.0), (5.0, 7.0), (0.0, 7.0)):
        sim = ride(library, [path], speed=speed, preview_time=0.6, least_preview=7.0, **beside(path, 9.0, 0.0))
        sim.run(0.05)
        assert sim.output("driver.preview") == pytest.approx(wanted)
    sim = ride(library, [path], speed=1.0, least_preview=0.5, **beside(path, 9.0, 0.0))
    sim.run(0.05)
    assert sim.output("driver.preview") == pytest.approx(WHEELBASE)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_tight_circles_are_tracked(library: Any, side: float) -> None:
    path = ring(4.0, side)
    run = ride(library, [path], speed=2.0, advanced=1.0, fastest=1e3, **beside(path, 1.0, 0.0)).run(30.0)
    assert np.max(np.abs(run[OFFSET])) < 0.1


def chicane() -> Path:
    return placed(joined([(60, 0, 0), (30, 0, 0.02), (60, 0.02, -0.02), (30, -0.02, 0), (80, 0, 0)]))


def chicanes(library: Any, **options: float) -> Recording:
    path = chicane()
    return ride(library, [path], speed=20.0, **beside(path, 5.0, 0.0), **options).run(11.0)


def test_longer_preview_cuts_more_and_steers_less(library: Any) -> None:
    runs = [chicanes(library, preview_time=time, **PLAIN) for time in (0.3, 0.5, 0.7)]
    errors = [np.max(np.abs(run[f"{MONITOR}.path_distance"])) for run in runs]
    effort = [np.sqrt(np.mean(np.gradient(run["car.hand"], run.time) ** 2)) for run in runs]
    assert errors[0] < errors[1] < errors[2]
    assert effort[0] > effort[1] > effort[2]


# -- corrections -------------------------------------------------------------------------------------------------------


def test_anticipation_brings_a_late_car_back(library: Any) -> None:
    """A lag of 0.1 s, and a contour that begins 0.1 s ahead: to first order as without both."""
    ideal = chicanes(library, **PLAIN)[OFFSET]
    lag = {"lag": 0.1}
    path = chicane()
    start = beside(path, 5.0, 0.0)
    late, back = (
        ride(library, [path], speed=20.0, car=lag, anticipation=ac, **start, **PLAIN).run(11.0)[OFFSET]
        for ac in (0.0, 0.1)
    )
    assert np.max(np.abs(back - ideal)) < 0.4 * np.max(np.abs(late - ideal))


@pytest.mark.parametrize("early", [0.15, -0.15])
def test_anticipation_moves_the_hand_wheel_in_time(library: Any, early: float) -> None:
    """On a slow slalom the hand wheel leads by AC ω."""
    wave, v = 240.0, 12.0
    s = np.arange(0, 900, 0.5)
    path = placed(Path.from_curvature(s, 2e-3 * np.sin(2 * math.pi * s / wave), step=0.5))
    omega, phases = 2 * math.pi * v / wave, []
    for ac in (0.0, early):
        run = ride(library, [path], speed=v, anticipation=ac, **beside(path, 2.0, 0.0), **PLAIN).run(60.0)
        rows = run.time >= 60 - 2 * wave / v
        phases.append(np.angle(np.sum(run["car.hand"][rows] * np.exp(-1j * omega * run.time[rows]))))
    assert math.remainder(phases[1] - phases[0], 2 * math.pi) == pytest.approx(0.0, abs=0.02)  # a car on its path
    # open loop: the same car at the same place wants the wheel of a place AC v further on
    hands = []
    for ac in (0.0, early):
        hands.append([])
        for place in (100.0, 130.0, 170.0, 310.0):
            sim = ride(library, [path], speed=v, anticipation=ac, **beside(path, place, 0.0), **PLAIN)
            sim.set_inputs({"driver.steers": 1.0})
            sim.run(0.005)
            hands[-1].append(sim.output("driver.target_curvature"))
    shifted = []
    for place in (100.0, 130.0, 170.0, 310.0):
        sim = ride(library, [path], speed=v, **beside(path, place + early * v, 0.0), **PLAIN)
        sim.run(0.005)
        shifted.append(sim.output("driver.target_curvature"))
    assert np.allclose(hands[1], shifted, atol=0.1 * np.max(np.abs(np.subtract(hands[0], shifted))))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_yaw_rate_takes_the_offset_of_understeer_away(library: Any, side: float) -> None:
    """D²Δκ/6 without it; 1/20 of that or the geometry of the contour with it."""
    options = {"speed": 15.0, "car": {"understeer": 0.003}}
    plain = circling(library, 60.0, side, **options, **PLAIN)
    lack = 1 / 60 * 0.003 * 15**2
    assert plain == pytest.approx(7.5**2 * lack / 6, rel=0.05)
    assert abs(circling(library, 60.0, side, **options, distance_integral=0.0)) < 0.05 * plain


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_path_distance_goes_to_nought_inside_its_band(library: Any, side: float) -> None:
    """A push of the wheels to one side leaves an offset, which the integral takes away, beyond its band not."""
    path = placed(Path.straight(900))
    only = {"yaw_gain": 0.0, "yaw_integral": 0.0}
    ends: dict[tuple[float, float], float] = {}
    for push in (0.014, 0.04):  # rad: D² push/(6 L) of offset, 0.05 and 0.14 m
        for integral in (0.0, 0.2):
            sim = ride(library, [path], speed=15.0, distance_integral=integral, **beside(path, 3.0, 0.0), **only)
            sim.set_inputs({"car.noise": side * push})
            ends[push, integral] = float(sim.run(40.0)[OFFSET][-1])
    assert ends[0.014, 0.0] == pytest.approx(side * 7.5**2 * math.tan(0.014) / (6 * WHEELBASE), rel=0.02)
    assert abs(ends[0.014, 0.2]) < 5e-3
    assert ends[0.04, 0.2] == pytest.approx(ends[0.04, 0.0], rel=1e-9)
    assert abs(ends[0.04, 0.0]) > 0.1


def test_smoothing_calms_the_hand_wheel_on_a_rough_straight(library: Any) -> None:
    path, rng = placed(Path.straight(900)), np.random.default_rng(4)
    kicks, efforts, errors = rng.normal(0.0, 0.004, 600), [], []
    for smoothing in (0.0, 1.0):
        sim = ride(library, [path], speed=25.0, smoothing=smoothing, **beside(path, 3.0, 0.1))
        angle, error = [], []
        for kick in kicks:
            sim.set_inputs({"car.noise": kick})
            sim.run(sim.time + 0.02)
            angle.append(sim.output("car.hand"))
            error.append(sim.output(OFFSET))
        efforts.append(np.sqrt(np.mean(np.diff(angle) ** 2)))
        errors.append(np.max(np.abs(error)))
    assert efforts[1] < 0.5 * efforts[0]
    assert errors[1] < 0.3


def test_the_yaw_rate_corrector_costs_steering_on_a_rough_road(library: Any) -> None:
    path, rng = placed(Path.straight(500)), np.random.default_rng(5)
    kicks, efforts = rng.normal(0.0, 0.004, 300), []
    for own in (PLAIN, {}):
        sim = ride(library, [path], speed=25.0, **beside(path, 3.0, 0.0), **own)
        angle = []
        for kick in kicks:
            sim.set_inputs({"car.noise": kick})
            sim.run(sim.time + 0.02)
            angle.append(sim.output("car.hand"))
        efforts.append(np.sqrt(np.mean(np.diff(angle) ** 2)))
    assert efforts[0] < efforts[1]


# -- limits, inputs, ways ----------------------------------------------------------------------------------------------


def test_hands_have_a_rate_of_their_own(library: Any) -> None:
    """Nobody turns a hand wheel by more than 1200 degrees in a second, if nothing else is said."""
    path = placed(Path.straight(300))
    run = ride(library, [path], speed=12.0, **beside(path, 20.0, 6.0)).run(2.0)
    rate = np.abs(np.diff(run["car.hand"]) / np.diff(run.time)).max()
    assert rate == pytest.approx(math.radians(1200), rel=1e-6)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_limits_are_never_exceeded(library: Any, side: float) -> None:
    path = placed(Path.straight(300))
    run = ride(
        library, [path], speed=12.0, lock=2.1, fastest=3.3, preview_time=1.2, **beside(path, 20.0, 6.0 * side)
    ).run(8.0)  # fmt: skip
    hand = run["car.hand"]
    assert np.max(np.abs(hand)) == pytest.approx(2.1, rel=1e-9)
    assert np.max(np.abs(np.diff(hand) / np.diff(run.time))) < 3.3 * (1 + 1e-9)
    assert abs(run[OFFSET][-1]) < 0.3


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_integral_of_the_yaw_rate_waits_while_the_hand_is_at_its_lock(library: Any, side: float) -> None:
    """A bend that asks for more than the lock: what is missing is not summed up, nor is it once it comes straight."""
    path = placed(joined([(30.0, 0.0, 0.0), (40.0, side / 14, side / 14), (120.0, 0.0, 0.0)]))
    sim = ride(library, [path], speed=9.0, lock=1.7, **beside(path, 5.0, 0.0), yaw_integral=3.0)
    at_lock, free = [], []
    before = 0.0
    for _ in range(1200):
        held = abs(sim.output("car.hand")) >= 0.999 * 1.7
        sim.advance(10)
        now = sim.signal("driver.steering.yaw_sum")
        (at_lock if held else free).append(abs(now - before))
        before = now
    assert len(at_lock) > 200
    assert max(at_lock) == 0.0 < max(free)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_wheels_stay_near_the_direction_of_their_axle(library: Any, side: float) -> None:
    """A kinematic car has no slip: its wheels may turn by α_max from one sample to the next."""
    path = placed(Path.straight(300))
    hands = {"fastest": 1e3}
    free, held = (
        ride(library, [path], speed=12.0, largest_slip=slip, **hands, **beside(path, 20.0, 3.0 * side)).run(0.01)[
            "car.hand"
        ]
        for slip in (1.5, 0.02)
    )
    assert -side * free[-1] > 3 * RATIO * 0.02
    assert -side * held[-1] == pytest.approx(RATIO * 0.02, rel=1e-6)


def test_a_ratio_from_outside_takes_the_place_of_the_cars(library: Any) -> None:
    path = ring(40.0, 1.0)
    hands = []
    for ratio in (0.0, 2 * RATIO):
        sim = ride(library, [path], speed=8.0, **beside(path, 3.0, 0.0), **PLAIN)
        sim.set_inputs({"driver.steering_ratio": ratio})
        sim.run(0.005)
        hands.append(sim.output(f"{MONITOR}.driver_steering"))
    assert hands[1] == pytest.approx(2 * hands[0], rel=1e-12)
    assert hands[0] > 0.5


def test_the_hand_wheel_is_the_runs_until_the_driver_has_it_and_does_not_jump(library: Any) -> None:
    path = placed(Path.straight(300))
    sim = ride(library, [path], speed=10.0, **beside(path, 3.0, 0.4))
    sim.set_inputs({"driver.steers": 0.0, "steering_wheel": 0.3})
    first = sim.run(0.3)
    assert np.all(first["car.hand"] == 0.3)
    sim.set_inputs({"driver.steers": 1.0})
    run = sim.run(0.5)
    assert run["car.hand"][0] == pytest.approx(0.3)
    assert run["car.hand"][-1] < 0.0


@pytest.mark.parametrize(("speed", "turned", "ahead"), [(3.0, 0, 1), (-3.0, 0, -1), (3.0, 1, -1), (-3.0, 1, 1)])
def test_a_path_is_followed_either_way_forwards_and_in_reverse(
    library: Any, speed: float, turned: int, ahead: int
) -> None:
    path = placed(joined([(25, 0, 0), (20, 0, 0.06), (30, 0.06, -0.06), (40, -0.06, 0)]))
    where = beside(path, 50.0, 0.4)
    where["heading"] += turned * math.pi
    run = ride(library, [path], speed=speed, **where).run(10.0)
    assert run[f"{MONITOR}.path_s"][-1] - 50.0 == pytest.approx(30.0 * ahead, abs=1.0)
    assert np.max(np.abs(run[OFFSET][run.time > 6])) < 0.02
    assert np.max(np.abs(run["car.hand"])) < 0.5 * 4 * math.pi


def test_standing_and_starting_again(library: Any) -> None:
    path = placed(joined([(25, 0, 0), (20, 0, 0.06), (60, 0.06, 0.0)]))
    sim = ride(library, [path], speed=0.0, **beside(path, 30.0, 0.3))
    still = sim.run(2.0)
    assert np.ptp(still["car.hand"][still.time > 1]) < 1e-9
    sim.set_inputs({"car.speed": 2.0})
    assert abs(sim.run(14.0)[OFFSET][-1]) < 0.02


def test_a_car_far_away_that_looks_elsewhere_comes_back(library: Any) -> None:
    path = placed(Path.straight(400))
    where = beside(path, 30.0, 35.0)
    where["heading"] += 2.3
    run = ride(library, [path], speed=12.0, lock=7.0, preview_time=0.8, **where).run(16.0)
    assert np.any(run["driver.lost"] > 0.5)
    assert run["driver.lost"][-1] == 0.0
    assert abs(run[OFFSET][-1]) < 0.1


@pytest.mark.parametrize(("slope", "bank"), [(0.25, 0.0), (0.0, 0.4), (-0.2, -0.3)])
def test_the_law_works_in_the_plane_of_the_road(library: Any, slope: float, bank: float) -> None:
    """A circle on an inclined plane is an ellipse in plan; the offset in the plane is that of a level circle."""
    normal = np.array([-slope, -bank, 1.0]) / math.sqrt(1 + slope**2 + bank**2)
    e1 = np.array([normal[2], 0.0, -normal[0]]) / math.hypot(normal[0], normal[2])
    e2 = np.cross(normal, e1)
    angle = np.linspace(0, 2 * math.pi, 1200, endpoint=False)
    points = 50 * (np.sin(angle)[:, None] * e1 + (1 - np.cos(angle))[:, None] * e2)
    path = Path.from_points(points, closed=True, step=0.25)
    sim = ride(library, [path], speed=10.0, preview_time=1.0, normal=tuple(normal), advanced=0.0, **PLAIN)
    run = sim.run(60.0)
    x, y = run["car.x"], run["car.y"]
    plane = np.linalg.solve(np.array([e1[:2], e2[:2]]).T, np.stack([x, y]))
    outside = np.hypot(plane[0], plane[1] - 50) - 50
    level = circling(library, 50.0, 1.0, speed=10.0, preview_time=1.0, **PLAIN)
    # the foot of the preview point in plan is not its foot in the plane: a few millimetres
    assert np.max(np.abs(outside[run.time > 20] - level)) < 0.3 * level


def test_another_path_is_taken_up_at_once(library: Any) -> None:
    one, other = placed(Path.straight(200)), placed(Path.straight(200)).moved(y=1.5)
    sim = ride(library, [one, other], speed=10.0, **beside(one, 10.0, 0.0))
    assert abs(sim.run(1.0)[OFFSET][-1]) < 1e-6
    sim.set_inputs({"driver.path": 1.0})
    run = sim.run(6.0)
    assert run[OFFSET][1] == pytest.approx(-1.5 * math.cos(HEADING), abs=0.02)
    assert abs(run[OFFSET][-1]) < 0.02


def test_the_wheelbase_is_that_between_steered_and_unsteered_axles(library: Any) -> None:
    sim = ride(library, [Path.straight(100)], speed=5.0)
    assert sim.parameters["rider.wheelbase"] == WHEELBASE


@pytest.mark.parametrize("early", [0.4, -0.3])
def test_the_speed_of_the_path_comes_early(library: Any, early: float) -> None:
    line = Path.straight(200.0)
    path = placed(replace(line, speed=10 + 0.1 * line.s))
    sim = ride(library, [path], speed=12.0, speed_anticipation=early, **beside(path, 40.0, 0.3))
    sim.run(0.005)
    assert sim.signal("driver.steering.path_speed") == pytest.approx(14 + 0.1 * 12 * early)
    assert sim.signal("driver.steering.path_acceleration") == pytest.approx(1.2)
