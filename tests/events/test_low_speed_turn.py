"""Low-speed off-tracking: against the tractrix, with groups of axles, both sides, cars alone."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce as jn
from axle_lists import vehicle_of
from jounce.events.library.low_speed_turn import LowSpeedTurn
from jounce.results.run import Run
from jounce.results.units import centres_of
from trains import car_trailer, lead, towed

Array = np.ndarray[Any, np.dtype[np.float64]]
SLOW = 0.7  # m/s: side forces of acceleration are 0.04 m/s²


@lru_cache
def train() -> Run:
    return jn.run(car_trailer(), LowSpeedTurn(radius=9.0, speed=SLOW, exit=25.0))


def tractrix(x: Array, y: Array, length: float, ahead: float = 0.0) -> tuple[Array, Array, Array, Array]:
    """Places of an axle that is pulled along a way, and of a point ``ahead`` of it.

    dψ/ds = sin(χ − ψ)/L, χ the direction of the way; by the midpoint rule on the way's own points.
    """
    dx, dy = np.diff(x), np.diff(y)
    psi = np.empty(len(x))
    psi[0] = 0.0
    for k in range(len(dx)):
        chi, ds = math.atan2(dy[k], dx[k]), math.hypot(dx[k], dy[k])
        middle = psi[k] + 0.5 * ds * math.sin(chi - psi[k]) / length
        psi[k + 1] = psi[k] + ds * math.sin(chi - middle) / length
    ax, ay = x - length * np.cos(psi), y - length * np.sin(psi)
    return ax, ay, ax + ahead * np.cos(psi), ay + ahead * np.sin(psi)


def largest(run: Run, first: tuple[Array, Array], own: tuple[Array, Array]) -> float:
    """Largest distance of places from a way of close points, which comes straight along x."""
    x, y = np.concatenate([np.arange(-15.0, 0.0, 0.02), first[0]]), np.concatenate([np.zeros(750), first[1]])
    d = np.array([np.hypot(x - a, y - b).min() for a, b in zip(own[0][::10], own[1][::10], strict=True)])
    return float(d.max())


def moving(*places: Array) -> list[Array]:
    """Places without those of a vehicle that stands."""
    rows = np.concatenate([[True], np.hypot(np.diff(places[0]), np.diff(places[1])) > 1e-5])
    return [values[rows] for values in places]


def test_a_single_axle_drives_along_the_tractrix_of_its_coupling() -> None:
    """The coupling's own way is taken: the car slips where its front wheels do not point at one centre."""
    run = train()
    assert run.complete
    x, y, bx, by = moving(*centres_of(run)[1], run["Hook_rear.Hook_X"], run["Hook_rear.Hook_Y"])
    tx, ty, _, _ = tractrix(bx, by, -float(car_trailer().layout.axles[2].x))
    expected = largest(run, (x, y), (tx, ty))
    assert expected > 0.9
    assert run.kpis["off_tracking_axle3"][0] == pytest.approx(expected, rel=0.01)
    assert run.kpis["off_tracking"] == run.kpis["off_tracking_axle3"]
    # where the front axle ends the arc at full curvature
    ways = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    there = run.number("entry", "m") + run.number("radius", "m") * run.number("angle", "rad")
    k = int(np.argmin(np.abs(ways - there)))
    rest = largest(run, (x, y), (tx[k : k + 1], ty[k : k + 1]))
    assert rest > 0.5 and run.kpis["off_tracking_rest"][0] == pytest.approx(rest, rel=0.01)
    # and that of the car, roughly: one that turns about its rear axle
    base, radius = car_trailer().wheelbase, run.parameter("radius")
    assert 0.6 * base**2 / (2 * radius) < run.kpis["off_tracking_axle2"][0] < 1.2 * base**2 / (2 * radius)


@pytest.mark.slow
def test_a_mirror_and_another_heading_change_nothing() -> None:
    one = train()
    for changes in ({"direction": "right"}, {"x": 4.0, "y": -9.0, "heading": 2.6}):
        run = jn.run(car_trailer(), LowSpeedTurn(radius=9.0, speed=SLOW, exit=25.0, **changes))
        for key, (value, _) in one.kpis.items():
            assert run.kpis[key][0] == pytest.approx(value, rel=1e-4, abs=1e-4), (changes, key)
    assert one.kpis["swept_path_width"][0] > one.kpis["off_tracking"][0] + 1.4


@pytest.mark.slow
def test_a_group_of_axles_turns_about_a_point_between_them() -> None:
    """Two axles of the same stiffness C, a distance d apart, on a circle: the wheelbase that a single axle would need
    is L + d²/4L with their middle at L; each slips by ±d/2 over the radius. So it stands a little behind them."""
    raw = lead(2)
    raw["trailers"] = [towed(2, back=-3.1)]
    vehicle = vehicle_of(raw)
    run = jn.run(vehicle, LowSpeedTurn(radius=12.0, speed=SLOW, angle=math.radians(360), exit=25.0, end_time=200.0))
    assert run.complete
    half = 0.5 * (vehicle.layout.axles[2].x - vehicle.layout.axles[3].x)
    middle = -0.5 * (vehicle.layout.axles[2].x + vehicle.layout.axles[3].x)
    base = middle + half**2 / middle
    x, y, bx, by = moving(*centres_of(run)[1], run["Hook_rear.Hook_X"], run["Hook_rear.Hook_Y"])
    # the last axle is beside the point that drives along the tractrix
    last = -vehicle.layout.axles[3].x
    _, _, lx, ly = tractrix(bx, by, base, base - last)
    assert run.kpis["off_tracking"][0] == pytest.approx(largest(run, (x, y), (lx, ly)), rel=0.01)


@pytest.mark.slow
def test_a_car_alone_has_a_swept_path_too() -> None:
    run = jn.run(jn.load("sedan"), LowSpeedTurn(front_overhang=0.9, body_width=1.85))
    wheels = jn.run(jn.load("sedan"), LowSpeedTurn())
    assert run.complete and set(run.kpis) >= {"off_tracking_axle2", "swept_path_width", "cut_in_end"}
    assert run.kpis["off_tracking"] == run.kpis["off_tracking_axle2"]
    assert run.kpis["swept_path_width"][0] > wheels.kpis["swept_path_width"][0] > 1.5
