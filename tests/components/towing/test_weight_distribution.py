"""Spring bars: tension of a chain, closed form of the restoration, the search for a wanted one."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import vehicle_of
from jounce.core.errors import ParameterError
from jounce.sim import car
from jounce.sim.statics import settle
from jounce.sim.weight_distribution import Distributed, distribute
from towing_rig import BARS, flying, raw, vehicle

LOCATION = np.array([-3.53, 0.0, 0.43])


def tension(**parameters: float) -> tuple[float, float]:
    sim = flying(**{f"unit2.hitch.{w}{r}": 0.0 for w in ("yaw", "pitch", "roll") for r in ("", ".rate")})
    sim.set_parameters({f"unit2.hitch.device2.{k}": v for k, v in parameters.items()})
    return tuple(sim.output(f"unit2.Weight_Distribution.force_{side}") for side in ("left", "right"))  # type: ignore[return-value]


def test_a_chain_has_its_preload_at_design_and_never_pushes() -> None:
    assert tension(preload=1700.0) == pytest.approx((1700.0, 1700.0), rel=1e-9)
    assert tension(preload=-1700.0) == (0.0, 0.0)
    assert tension(preload=1700.0, active=0.0) == (0.0, 0.0)


@pytest.mark.parametrize("pitch", [0.02, -0.015])
def test_a_drawbar_that_pitches_stretches_the_chains_by_its_geometry(pitch: float) -> None:
    """Up with the far end of the drawbar: longer chains. Both alike, by hand in the plane of the left bar."""
    still = {f"unit2.hitch.{w}{r}": 0.0 for w in ("yaw", "pitch", "roll") for r in ("", ".rate")}
    sim = flying(**{**still, "unit2.hitch.pitch": pitch})
    sim.set_parameters({"unit2.hitch.device2.preload": 9000.0})
    c, s = np.cos(pitch), np.sin(pitch)
    x, y, z = np.array(BARS["chain_end"]) - [0, 0, LOCATION[2]]
    t = LOCATION + np.array([c * x + s * z, y, -s * x + c * z])
    hinge, end = np.array(BARS["hinge"]), np.array(BARS["bar_end"])
    rho = np.linalg.norm((end - hinge)[:2])

    def length(there: np.ndarray) -> float:
        ahead = (there - hinge)[:2] / np.linalg.norm((there - hinge)[:2])
        return float(np.linalg.norm(there - [*(hinge[:2] + rho * ahead), end[2]]))

    at_design = length(LOCATION + np.array([x, y, z]))
    expected = 9000.0 + BARS["stiffness"] * (length(t) - at_design)
    assert abs(expected - 9000.0) > 1000.0
    for side in ("left", "right"):
        assert sim.output(f"unit2.Weight_Distribution.force_{side}") == pytest.approx(max(expected, 0.0), rel=1e-9)


@lru_cache
def stiff() -> jv.Vehicle:
    """The train on springs that hardly give way: its centres of gravity stay where they are."""
    places = ("front_suspension", "rear_suspension", "trailers[0].axles[0].suspension")
    return vehicle().with_(**{f"{place}.spring.rate": 50 * vehicle().get(f"{place}.spring.rate") for place in places})


@lru_cache
def hung(falr: float) -> Distributed:
    return distribute(stiff(), falr)


@pytest.mark.parametrize("falr", [1.0, 0.5])
def test_statics_have_the_wanted_restoration_and_its_moment_is_the_closed_form(falr: float) -> None:
    found = hung(falr)
    restored = (found.with_chains - found.without) / (found.uncoupled - found.without)
    assert restored == pytest.approx(falr, abs=1e-5)
    # an independent run of the vehicle that came back
    description = car.describe(found.vehicle)
    sim = car.simulation(description)
    settle(sim, description)
    assert sum(sim.output(f"Tire.Ground_Surface_Force_Z.{c}") for c in ("L1", "R1")) == pytest.approx(found.with_chains)
    # levers on the ground: from the last axle of the car to the coupling and on to the axle of the trailer
    x = {c: np.mean([sim.output(f"Road.Contact_Patch_Global_X.{s}{c}") for s in "LR"]) for c in "123"}
    ball = sim.output("Hook_rear.Hook_X")
    e, d, wheelbase = x["2"] - ball, ball - x["3"], x["1"] - x["2"]
    taken = found.uncoupled - found.without
    drawbar = taken * wheelbase / e  # W, by the lever of the car
    # on its tires alone the car pitches by some 0.2 mrad: its weight moves by 0.1 mm of 13 kN, 0.5 % of what was taken
    assert found.moment == pytest.approx(falr * drawbar * e * d / (d + e), rel=0.01)
    assert found.moment > 100.0


def test_what_cannot_be_distributed_is_refused() -> None:
    alone = vehicle().with_(trailers=[])
    with pytest.raises(ParameterError, match="tows nothing"):
        distribute(alone)
    bare = raw()
    bare["trailers"][0]["hitch"]["devices"] = []
    with pytest.raises(ParameterError, match="has no weight_distribution"):
        distribute(vehicle_of(bare))
