"""Limits of tires: forces of a fine search are within, peaks are on the edge, margins and closest points agree."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import jounce.vehicle as jv
from jounce.components.tire.base import Tire
from jounce.components.tire.limits import DIRECTIONS, Asked, Margins, envelope
from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.sim import car
from limit_rig import cornering, rig

# the grid of the search is coarse in load only: limits are asked at its nodes
ASKED = Asked.model_validate({"load": {"min": 1000.0, "max": 9000.0, "step": 2000.0}, "camber": {"step": 0.13}})
GAMMA, LOAD = 0.13, 5000.0
NEAR = 5e-4 * LOAD  # the refined grid is 0.009 rad wide: half of that off a peak at 0.12 rad costs (0.04)²/3 of it


@lru_cache
def tire() -> Tire:
    """A tire that is not alike to both sides."""
    found = car.tires_of(jv.load("sedan"))["L1"]
    return Tire(found.model, found.with_values(PVY1=0.04, PHY1=0.003, PVX1=0.01).values, found.curves, "left", "odd")


@lru_cache
def table(mounted: str = "left") -> Table:
    return envelope(ASKED, tire(), mounted)


def margins(fx: Any, fy: Any, load: float = LOAD, gamma: float = GAMMA, friction: float = 1.0) -> Margins:
    return Margins(list(np.asarray(table()(load, gamma, friction))), fx, fy, friction)


def test_every_force_of_the_tire_is_within() -> None:
    rng = np.random.default_rng(1)
    kappa, alpha = rng.uniform(-1, 1, 4000) ** 3, rng.uniform(-1.1, 1.1, 4000) ** 3
    found = tire().steady(LOAD, kappa, alpha, GAMMA, mounted="left")
    margin, _ = margins(found.fx, found.fy).closest()
    assert margin.min() > -NEAR
    assert margin.min() < 0.02 * LOAD and margin.max() > 0.5 * LOAD


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_at_the_largest_force_nothing_is_left(sign: float) -> None:
    alpha = np.linspace(0.0, -0.4 * sign, 8001)
    kappa = np.linspace(-0.01, 0.01, 41)[:, None]
    forces = tire().steady(LOAD, kappa, alpha, GAMMA, mounted="left")
    best = np.unravel_index(np.argmax(sign * forces.fy), forces.fy.shape)
    fx, fy = float(forces.fx[best]), float(forces.fy[best])
    found = margins(fx, fy)
    lateral, met = found.closest(1)
    assert lateral == pytest.approx(0.0, abs=NEAR)
    assert found.closest()[0] == pytest.approx(0.0, abs=NEAR)
    assert met["LatForce"] == pytest.approx(fy, abs=NEAR)
    assert met["LatSlip"] == pytest.approx(alpha[best[1]], abs=0.01)
    slip = np.linspace(0.0, 0.4 * sign, 8001)
    driven = tire().steady(LOAD, slip, np.linspace(-0.01, 0.01, 41)[:, None], GAMMA, mounted="left")
    best = np.unravel_index(np.argmax(sign * driven.fx), driven.fx.shape)
    longitudinal, met = margins(float(driven.fx[best]), float(driven.fy[best])).closest(0)
    assert longitudinal == pytest.approx(0.0, abs=NEAR)
    assert met["LonSlip"] == pytest.approx(slip[best[1]], abs=0.01)


def test_margins_and_the_points_that_they_name_agree() -> None:
    rng = np.random.default_rng(2)
    fx, fy = rng.uniform(-3000, 3000, (2, 500))
    found = margins(fx, fy)
    margin, met = found.closest()
    lon, met_lon = found.closest(0)
    lat, met_lat = found.closest(1)
    assert np.all(margin <= np.minimum(lon, lat) + 1e-9)
    for distance, where in ((margin, met), (lon, met_lon), (lat, met_lat)):
        there = margins(where["LonForce"], where["LatForce"])
        assert there.closest()[0] == pytest.approx(np.zeros(500), abs=1e-9 * LOAD)
        way = np.hypot(where["LonForce"] - fx, where["LatForce"] - fy)
        assert way == pytest.approx(np.abs(distance), abs=1e-9 * LOAD)
    assert met_lat["LonForce"] == pytest.approx(fx) and met_lon["LatForce"] == pytest.approx(fy)
    beyond, _ = margins(9000.0, 0.0).closest()
    assert beyond < 0


def test_the_other_side_is_its_mirror_image() -> None:
    """Directions i and -i, inclinations γ and -γ, slip angles turned around."""
    left, right = (np.asarray(table(side)(LOAD, g, 1.0)) for side, g in (("left", GAMMA), ("right", -GAMMA)))
    mirror = (-np.arange(DIRECTIONS)) % DIRECTIONS
    assert right[:DIRECTIONS] == pytest.approx(left[:DIRECTIONS][mirror], rel=1e-9)
    assert np.abs(left[:DIRECTIONS] - left[:DIRECTIONS][mirror]).max() > 50.0


@pytest.mark.parametrize(("friction", "near"), [(0.5, 2e-3), (0.36, 0.02), (0.8, 0.02)])
def test_a_slippery_road_has_a_limit_of_its_own(friction: float, near: float) -> None:
    """At nodes 4 times as far as at 1, as peaks have half the slip; between them the hull is interpolated, to 2 %."""
    rng = np.random.default_rng(3)
    kappa, alpha = rng.uniform(-1, 1, 20000) ** 3, rng.uniform(-1.1, 1.1, 20000) ** 3
    found = tire().steady(LOAD, kappa, alpha, GAMMA, friction, mounted="left")
    margin, _ = margins(found.fx, found.fy, friction=friction).closest()
    assert margin.min() > -near * LOAD
    assert margin.min() < 0.02 * LOAD


def test_without_load_there_is_no_force_to_bear() -> None:
    assert np.asarray(table()(0.0, 0.0, 1.0))[:DIRECTIONS] == pytest.approx(np.zeros(DIRECTIONS))
    assert margins(0.0, 0.0, load=0.0).closest()[0] == pytest.approx(0.0)


def test_ranges_beyond_those_of_the_file_are_told() -> None:
    for raw, message in (
        ({"load": {"max": 2e4}}, r"load\.max = 20000 N is outside of its own range, 100 to 12300 \(FZMIN, FZMAX"),
        ({"camber": {"min": -0.5}}, r"camber\.min = -0\.5 rad.*CAMMIN"),
        ({"slip_angle": {"max": 1.57}}, r"slip_angle\.max.*ALPMAX"),
        ({"slip": {"min": -1.5}}, r"slip\.min.*KPUMIN"),
        ({"load": {"min": 5000.0, "max": 4000.0}}, "nothing is between"),
        ({"slip": {"step": 1e-4}}, "at most"),
    ):
        with pytest.raises(ParameterError, match=message):
            envelope(Asked.model_validate(raw), tire(), "left")
    vehicle = jv.load("sedan").with_(sensors=[{"kind": "tire_limits", "load": {"max": "20 kN"}}])
    with pytest.raises(ParameterError, match="outside of its own range"):
        car.Structure(car.describe(vehicle)).system()


# ---- on a car --------------------------------------------------------------------------------------------------------


def test_channels_are_the_margins_of_the_forces_that_act() -> None:
    sim = cornering()
    for c, side in (("L1", "left"), ("R1", "right")):
        own = envelope(Asked(), rig().tires[c], side)
        fx, fy, fz = (sim.output(f"Tire.Ground_Surface_Force_{a}.{c}") for a in "XYZ")
        mu = sim.output(f"Tire.Road_Friction.{c}")
        supports = np.asarray(own(fz, sim.output(f"Wheel.Inclination.{c}"), mu))
        found = Margins(list(supports), fx, fy, mu)
        assert fz > 1000.0 and abs(fy) > 300.0
        for name, where, axis in (
            ("margin", "closest", None),
            ("marginLon", "closestLon", 0),
            ("marginLat", "closestLat", 1),
        ):
            margin, met = found.closest(axis)
            assert sim.output(f"tirelimits.{name}.{c}") == pytest.approx(float(margin), rel=1e-9, abs=1e-6)
            for key, value in met.items():
                assert sim.output(f"tirelimits.{where}_{key}.{c}") == pytest.approx(float(value), rel=1e-9, abs=1e-9)
