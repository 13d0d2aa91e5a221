"""Steady turns and gains of a train in reverse, on the whole vehicle: against plane geometry of wheels that roll."""

from __future__ import annotations

import math
from pathlib import Path as FilePath

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.events.engine import make_ready
from jounce.events.library.follow import Follow
from jounce.events.options import Options
from jounce.sim import backing
from jounce.sim.backing import Geometry, geometry_of
from jounce.sim.turns import Turns
from reversing_rig import LOCK, SPEED, bend, caravan
from trains import road_train


@pytest.mark.parametrize("curvature", [0.13, -0.21])
@pytest.mark.parametrize("overhang", [0.83, -0.57])
def test_circles_of_plane_geometry(curvature: float, overhang: float) -> None:
    """Radii about the common centre; the towed axle stands across its own."""
    train = Geometry(3.1, -3.1, overhang, 4.7, -1.3)
    own, gamma = train.towing_curvature(curvature), train.articulation(curvature)
    x, y, course, turning = train.begin(2.0, -3.0, 0.7, curvature)
    centre = np.array([2.0, -3.0]) + np.array([-math.sin(0.7), math.cos(0.7)]) / curvature
    heading = 0.7 - gamma
    # from the origin of the towing body, which the run keeps where it is while it turns the body into the turn
    origin = np.array([x, y]) + train.origin * np.array([math.cos(course), math.sin(course)])
    axle = origin + (train.turning - train.origin) * np.array([math.cos(heading), math.sin(heading)])
    to_centre = centre - axle
    assert np.hypot(*to_centre) == pytest.approx(abs(1 / own), rel=1e-12)
    assert to_centre @ [math.cos(heading), math.sin(heading)] == pytest.approx(0.0, abs=1e-12)
    coupling = axle - overhang * np.array([math.cos(heading), math.sin(heading)])
    assert coupling - 4.7 * np.array([math.cos(0.7), math.sin(0.7)]) == pytest.approx([2.0, -3.0], abs=1e-12)
    assert np.hypot(*(centre - origin)) == pytest.approx(abs(1 / turning), rel=1e-12)
    assert (centre - origin) @ [math.cos(course), math.sin(course)] == pytest.approx(0.0, abs=1e-12)
    assert math.tan(train.steer(curvature)) == pytest.approx(3.1 * own, rel=1e-12)


def test_steady_turns_backwards_are_circles_of_plane_geometry(tmp_path: FilePath) -> None:
    vehicle = caravan()
    start = make_ready(vehicle, Follow(path=bend(tmp_path), speed=SPEED), Options.of())
    sim, train = start.sim, geometry_of(vehicle)
    before = sim.x.copy(), sim.u.copy(), sim.m.copy()
    found = backing.schedule(sim, start.description, geometry=train, lock=LOCK)
    for was, now in zip(before, (sim.x, sim.u, sim.m), strict=True):
        assert np.array_equal(was, now)  # it is left as it was
    ratio = start.steering_ratio
    assert found.curvatures.max() > 0.25 and found.curvatures.min() < -0.25
    for curvature, (hand, gamma, slip) in zip(found.curvatures, found.turns, strict=True):
        # tires push at 0.2 % of their load per m/s2, wheels of an axle are not parallel: second order in the bend
        more = 0.004 + 0.3 * curvature**2
        assert gamma == pytest.approx(train.articulation(curvature), rel=more, abs=1e-6)
        assert hand == pytest.approx(ratio * train.steer(curvature), rel=0.012 + more, abs=1e-6)
        assert abs(slip) < 0.007
    # a mirror
    assert found.turns[::-1, 1] == pytest.approx(-found.turns[:, 1], abs=1e-6)
    assert found.gains[::-1] == pytest.approx(found.gains, rel=1e-4, abs=1e-5)
    # the linear train straight back: it folds up as the kinematic one
    turns = Turns(sim, start.description)
    straight = backing.lateral(turns, turns.here(), train)
    assert straight.A[0, 0] == pytest.approx(-SPEED / train.drawbar, rel=0.02)
    by_hand = -SPEED * (train.overhang / train.drawbar + 1) / (train.wheelbase * ratio)
    assert straight.B[0] == pytest.approx(by_hand, rel=0.03)
    assert np.abs(straight.lateral[:2]).max() < 0.02 * abs(SPEED)  # the axle goes where it points


def test_the_law_holds_the_whole_linear_train(tmp_path: FilePath) -> None:
    """All states of the exact linearisation with the sampled law: nothing grows, without the law something does."""
    from scipy.linalg import expm

    vehicle = caravan()
    start = make_ready(vehicle, Follow(path=bend(tmp_path), speed=SPEED), Options.of())
    sim, train = start.sim, geometry_of(vehicle)
    found = backing.schedule(sim, start.description, geometry=train, lock=LOCK)
    turns = Turns(sim, start.description)
    turn = turns.here()
    (angle, rate), (sideways, spins) = turns.swings[0], turns.kept[:2]
    order = [angle, rate, sideways, spins, *turns.others]
    a = turn.model.A[np.ix_(order, order)]
    b = turn.model.B[order, turns.inputs.index("steering_wheel")]
    assert np.linalg.eigvals(a).real.max() > 0.4
    n, lever = len(order), backing._lever(turns, train)
    flow = np.zeros((n + 5, n + 5))  # z, e, ψ, δ, η, w
    flow[:n, :n], flow[:n, n + 2] = a, b
    flow[n, [0, 1, 2, 3, n + 1]] = [-SPEED, -train.drawbar, 1.0, lever - train.drawbar, SPEED]
    flow[n + 1, [1, 3]] = 1.0
    flow[n + 2, n + 4], flow[n + 3, n] = 1.0, 1.0
    step = expm(flow * 0.01)
    law = np.zeros(n + 4)
    middle = found.gains[np.argmin(np.abs(found.articulations))]
    law[[0, n, n + 1, n + 2, n + 3]] = middle
    poles = np.linalg.eigvals(step[:-1, :-1] - np.outer(step[:-1, -1], law))
    moving = poles[np.abs(poles - 1) > 1e-7]
    assert np.abs(moving).max() < 1 - 5e-4


def test_two_articulations_are_refused_with_the_reason(tmp_path: FilePath) -> None:
    from jounce.events.engine import run

    with pytest.raises(ParameterError, match="2 towed units with 2 articulations"):
        run(road_train(3, 1), Follow(path=bend(tmp_path), speed=-1.0))
