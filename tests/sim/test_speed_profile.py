"""Speeds along a path from a car's limits: against closed forms."""

import math
from dataclasses import replace

import numpy as np
import pytest

from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError
from jounce.road.courses import circle
from jounce.road.path import Path
from jounce.sim.speed_profile import COUPLING, FOOT, Limits, automatic, profile, with_speed

LATERAL, BRAKING, DRIVING, TOP = 8.3, 9.7, 3.1, 61.0
CAR = Limits(LATERAL, BRAKING, np.array([0.0, 100.0]), np.array([DRIVING, DRIVING]), TOP)


@pytest.mark.parametrize(("side", "part"), [("left", 0.7), ("right", 0.9)])
def test_on_a_circle_it_is_that_of_the_lateral_acceleration(side, part):
    v = profile(circle(83.0, side=side).moved(x=31.0, y=-7.0, heading=1.1), CAR, part)
    assert v == pytest.approx(math.sqrt(part * LATERAL * 83.0), rel=1e-6)


@pytest.mark.parametrize("part", [0.6, 1.0])
def test_on_a_straight_with_a_stop_it_grows_and_falls_with_constant_accelerations(part):
    """v² = 2 f a_d s up to where 2 f a_b (l − s) meets it, or the top speed."""
    path = Path.straight(1900.0, step=0.5)
    v = profile(path, CAR, part, first=0.0, last=0.0)
    expected = np.minimum(2 * part * DRIVING * path.s, 2 * part * BRAKING * (1900.0 - path.s))
    assert v == pytest.approx(np.sqrt(np.minimum(expected, TOP**2)), abs=1e-6)
    assert v.max() == pytest.approx(TOP) or part < 1


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_slope_helps_one_way_and_hinders_the_other(sign):
    path = Path.straight(400.0, step=0.5)
    rise = sign * 0.06
    inclined = replace(path, z=rise * path.s)
    v = profile(inclined, CAR, 0.8, first=0.0, last=0.0)
    way, sine = path.s * math.hypot(1, rise), rise / math.hypot(1, rise)
    up, down = 0.8 * DRIVING - GRAVITY * sine, 0.8 * BRAKING + GRAVITY * sine
    expected = np.minimum(2 * up * way, 2 * down * (way[-1] - way))
    assert v == pytest.approx(np.sqrt(np.minimum(expected, TOP**2)), abs=1e-3)


@pytest.mark.parametrize(("side", "bank"), [("left", -0.13), ("left", 0.08), ("right", 0.13)])
def test_on_a_banked_circle_it_is_that_of_forces_in_the_plane_of_the_road(side, bank):
    """Forces of the tires along the road, f a_y times the load; a left bank (left side down: negative) carries."""
    radius, part = 61.0, 0.75
    path = circle(radius, side=side)
    v = profile(replace(path, bank=np.full(len(path.s), bank)), CAR, part)
    mu = part * LATERAL / GRAVITY
    phi = -math.atan(bank) * (1 if side == "left" else -1)  # inwards down: positive
    expected = GRAVITY * radius * (math.sin(phi) + mu * math.cos(phi)) / (math.cos(phi) - mu * math.sin(phi))
    assert v == pytest.approx(math.sqrt(expected), rel=1e-6)


def test_a_bank_that_the_car_cannot_hold_is_refused():
    path = Path.straight(50.0)
    with pytest.raises(ParameterError, match="bank at s = 0"):
        profile(replace(path, bank=np.full(len(path.s), 0.9)), CAR, 0.5)


def test_a_crest_is_not_left():
    """On a circle in elevation the load vanishes at v² = g R."""
    path = Path.straight(20.0, step=0.1)
    radius = 120.0
    s = path.s - 10.0
    v = profile(replace(path, z=np.sqrt(radius**2 - s**2) - radius), CAR, 1.0)
    assert v[len(v) // 2] == pytest.approx(math.sqrt(GRAVITY * radius), rel=1e-3)


def test_along_a_sine_of_curvature_nothing_is_exceeded_and_something_is_used_everywhere():
    """Everywhere one of the limits holds: lateral, driving, braking, top speed; found from the speeds alone."""
    s = np.arange(0.0, 600.0, 0.5)
    path = Path.from_curvature(s, 0.028 * np.sin(2 * np.pi * s / 150.0) * (s > 75), step=0.5)
    part = 0.85
    v = profile(path, CAR, part)
    kappa = path.curvature
    ay = np.abs(kappa) * v**2 / (part * LATERAL)
    assert ay.max() <= 1 + 1e-9
    assert np.sqrt(part * LATERAL / 0.028) == pytest.approx(v.min(), rel=2e-3)  # at the tightest place
    ax = np.diff(v**2) / (2 * path.step)
    left = (1 - np.minimum(ay, 1) ** COUPLING) ** (1 / COUPLING)
    drive, brake = part * DRIVING * left[:-1], -part * BRAKING * left[1:]
    assert np.all(ax <= drive + 1e-9)
    assert np.all(ax >= brake - 1e-9)
    used = np.maximum.reduce(
        [ay[:-1], ay[1:], ax / np.maximum(drive, 1e-9), ax / np.minimum(brake, -1e-9), v[1:] / TOP]
    )
    assert np.mean(used > 1 - 1e-6) > 0.99  # but for the steps in which driving turns into braking


def test_a_closed_path_ends_with_the_speed_of_its_start():
    s = np.linspace(0.0, 800.0, 1601)
    path = replace(
        Path.straight(800.0, step=0.5), closed=True, curvature=0.02 * np.maximum(np.sin(s / 800 * 6.283185307), 0)
    )
    v = profile(path, CAR, 0.9)
    turned = np.roll(np.arange(len(v)), 700)
    again = profile(replace(path, curvature=path.curvature[turned]), CAR, 0.9)
    assert again == pytest.approx(v[turned], rel=1e-9)


def test_drive_falls_with_the_speed():
    car = Limits(LATERAL, BRAKING, np.array([0.0, 50.0]), np.array([4.0, 0.0]), 50.0)
    path = Path.straight(3000.0, step=0.25)
    v = profile(path, car, 1.0, first=1.0)
    # v dv/ds = 4 (1 - v/50): s = -50/4 ((v - v0) + 50 ln((50 - v)/(50 - v0)))
    s = -12.5 * ((v - 1.0) + 50 * np.log((50 - v) / 49.0))
    assert s[v < 45] == pytest.approx(path.s[v < 45], rel=1e-3, abs=0.2)


@pytest.mark.parametrize(
    ("text", "part"),
    [("auto", 0.8), ("auto 0.7", 0.7), (" AUTO  90 %", 0.9), ("30 m/s", None), ("path", None), ("automatic", None)],
)
def test_speeds_in_words(text, part):
    assert automatic(text) == part


@pytest.mark.parametrize("text", ["auto 0", "auto 1.9", "auto 1.2.3"])
def test_parts_that_no_car_has_are_refused(text):
    with pytest.raises(ParameterError, match="part of the car's limits"):
        automatic(text)


def test_a_path_with_its_speed():
    path = circle(50.0)
    assert with_speed(path, CAR, 0.5).speed == pytest.approx(math.sqrt(0.5 * LATERAL * 50.0), rel=1e-6)
    with pytest.raises(ParameterError, match="must be above 0"):
        profile(path, CAR, 0.0)


@pytest.mark.parametrize("side", ["left", "right"])
def test_grip_along_the_path_scales_what_tires_give(side):
    """On a circle v = √(f m a_y R) wherever grip lasts; on a straight m a_b, and m a_d where m < 1."""
    path = circle(83.0, side=side)
    for grip in (0.37, 1.21):
        v = profile(path, CAR, 0.8, grip=grip)
        assert v == pytest.approx(math.sqrt(0.8 * grip * LATERAL * 83.0), rel=1e-6)
    half = np.where(path.s < 0.5 * path.length, 0.37, 1.21)
    v = profile(path, CAR, 0.8, grip=half)
    slow, fast = (math.sqrt(0.8 * m * LATERAL * 83.0) for m in (0.37, 1.21))
    inside = path.s < 0.5 * path.length - 1
    assert v[inside & (path.s > 1)] == pytest.approx(slow, rel=1e-6)
    assert slow < v[~inside].max() <= fast + 1e-6
    line = Path.straight(900.0, step=0.5)
    for grip in (0.5, 1.3):
        v = profile(line, CAR, 0.8, first=0.0, last=0.0, grip=grip)
        up, down = 0.8 * min(grip, 1.0) * DRIVING, 0.8 * grip * BRAKING
        expected = np.minimum(2 * up * line.s, 2 * down * (900.0 - line.s))
        assert v == pytest.approx(np.sqrt(np.minimum(expected, TOP**2)), abs=1e-6)
    with pytest.raises(ParameterError, match="grip along the path must be above 0"):
        profile(line, CAR, 0.8, grip=np.linspace(-0.1, 1.0, len(line.s)))


@pytest.mark.parametrize("foot", [0.5, 1.3])
def test_a_foot_changes_accelerations_within_its_time(foot):
    """On a straight with a stop: v is the least of v₁ + a₁ t and a₂ (t_e − t), with its peak at t₀. The least of both
    within T/2 falls short of the peak by a₁ a₂ T/(a₁ + a₂), where v₁ + a₁ (t − T/2) is that low; and around this corner
    the mean over T, a time u away, is lower by (a₁ (T/2 − u)² + a₂ (T/2 + u)²)/2T.
    """
    part, first, path = 0.8, 8.0, Path.straight(600.0, step=0.25)
    sharp, v = (profile(path, CAR, part, first=first, last=0.0, foot=t) for t in (0.0, foot))
    up, down, length = part * DRIVING, part * BRAKING, 600.0
    top = math.sqrt((2 * up * down * length + down * first**2) / (up + down))  # v² − v₁² = 2 a₁ s, v² = 2 a₂ (l − s)
    assert sharp.max() == pytest.approx(top, rel=1e-3)
    rises = (sharp - first) / up
    time = np.where(path.s < (top**2 - first**2) / 2 / up, rises, (top - first) / up + (top - sharp) / down)
    peak = top - up * down / (up + down) * foot
    corner = (top - first) / up + foot / 2 - (top - peak) / up  # where v₁ + a₁ (t − T/2) is the peak
    u = time - corner
    before, after = foot / 2 - u, foot / 2 + u  # of the time T that is on either side of the corner
    mixed = peak - (up * np.maximum(before, 0) ** 2 + down * np.maximum(after, 0) ** 2) / (2 * foot)
    expected = np.where(u < -foot / 2, peak + up * u, np.where(u > foot / 2, peak - down * u, mixed))
    inside = (time > foot) & (time < time[-1] - foot)
    assert v[inside] == pytest.approx(expected[inside], abs=1.5 * (top - peak) / 40)  # 40 samples in T, a window of 41
    assert np.all(v <= sharp + 1e-12)
    assert v[-1] == pytest.approx(0.0, abs=1e-9)


def test_a_foot_lets_a_car_get_away_from_rest():
    path = Path.straight(100.0, step=0.05)
    v = profile(path, CAR, 0.8, first=0.0, foot=0.5)
    assert np.all(v[1:] > 0.3)


def test_a_foot_keeps_the_speed_of_an_apex_and_the_closing_of_a_lap():
    s = np.linspace(0.0, 800.0, 1601)
    bends = 0.02 * np.maximum(np.sin(s / 400 * 6.283185307), 0)
    path = replace(Path.straight(800.0, step=0.5), closed=True, curvature=bends)
    sharp, v = (profile(path, CAR, 0.9, foot=t) for t in (0.0, FOOT))
    assert v.min() == pytest.approx(sharp.min(), rel=2e-3)
    assert np.all(v <= sharp + 1e-12)
    turned = np.roll(np.arange(len(v)), 700)
    again = profile(replace(path, curvature=path.curvature[turned]), CAR, 0.9, foot=FOOT)
    assert again == pytest.approx(v[turned], rel=1e-3)
