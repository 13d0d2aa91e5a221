"""The friction strut: its law, momentum and energy, and what it does to a swaying trailer."""

from __future__ import annotations

import numpy as np
import pytest

from body_rig import law_rates
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim.statics import settle
from steered_cars import rotation
from towing_rig import STRUT, description, flying, towing, vehicle

MOST = STRUT["locking_force"] * STRUT["friction"]
LOCATION = np.array([-3.53, 0.0, 0.43])


def ends(yaw: float) -> tuple[np.ndarray, np.ndarray]:
    """Both balls in axes of the car, from its coupling."""
    towed = rotation("z", yaw) @ (np.array(STRUT["towed"]) - [0, 0, LOCATION[2]])
    return np.array(STRUT["towing"]) - LOCATION, towed


def flat(rate: float, yaw: float, **parameters: float) -> Simulation:
    """The train straight on but for the yaw angle and its rate."""
    sim = flying(**{f"unit2.hitch.{w}{r}": 0.0 for w in ("pitch", "roll") for r in ("", ".rate")},
                 **{"unit2.hitch.yaw": yaw, "unit2.hitch.yaw.rate": rate})  # fmt: skip
    sim.set_parameters(parameters)
    return sim


@pytest.mark.parametrize("yaw", [0.3, -0.2])
@pytest.mark.parametrize("rate", [0.4, -0.7, 3e-7])
def test_the_force_follows_the_law_from_the_rate_of_its_length(yaw: float, rate: float) -> None:
    sim = flat(rate, yaw)
    a, b = ends(yaw)
    length = float(np.linalg.norm(b - a))
    speed = float((b - a) @ np.cross([0.0, 0.0, rate], b)) / length
    assert sim.output("unit2.Sway_Control.length") == pytest.approx(length, rel=1e-12)
    assert sim.output("unit2.Sway_Control.rate") == pytest.approx(speed, rel=1e-9)
    pull = 1e7 * speed
    assert sim.output("unit2.Sway_Control.force") == pytest.approx(pull / np.sqrt(1 + (pull / MOST) ** 2), rel=1e-6)


def test_it_saturates_at_locking_force_times_friction_and_is_nothing_when_taken_off() -> None:
    for rate in (0.5, -0.5):
        force = flat(rate, 0.2).output("unit2.Sway_Control.force")
        assert abs(force) == pytest.approx(MOST, rel=1e-6)
        half = flat(rate, 0.2, **{"unit2.hitch.device1.friction": 0.2}).output("unit2.Sway_Control.force")
        assert half == pytest.approx(0.5 * force, rel=1e-6)
        assert flat(rate, 0.2, **{"unit2.hitch.device1.active": 0.0}).output("unit2.Sway_Control.force") == 0.0


def test_devices_leave_the_momentum_of_the_train_alone_and_take_or_keep_energy() -> None:
    loud = flying()
    loud.set_parameters({"unit2.hitch.device2.preload": 2300.0})
    quiet = flying()
    quiet.set_parameters({f"unit2.hitch.device{n}.active": 0.0 for n in (1, 2)})
    found, bare = law_rates(loud), law_rates(quiet)
    assert found[0] == pytest.approx(bare[0], abs=1e-3)
    # lever arms of 40 m about the world's origin, differences of 1e-3 s
    assert found[1] == pytest.approx(bare[1], abs=2e-2)
    strut = -loud.output("unit2.Sway_Control.force") * loud.output("unit2.Sway_Control.rate")
    assert strut < -10.0, "friction takes energy"
    chains = 0.0
    x, f = loud.x.copy(), loud.derivatives()[0]
    known = [v.name for v in loud.model.outputs]
    for side in ("left", "right"):
        i, h = known.index(f"unit2.Weight_Distribution.length_{side}"), 1e-6
        rate = (loud.outputs(x=x + h * f)[i] - loud.outputs(x=x - h * f)[i]) / (2 * h)
        chains -= loud.output(f"unit2.Weight_Distribution.force_{side}") * rate
    # the bars swing with the chains: at their ends the force is along them, so that turning them takes no work
    assert found[2] - bare[2] == pytest.approx(strut + chains, rel=2e-5)


def test_a_swaying_trailer_comes_to_rest_sooner() -> None:
    """Yaw of 2 degrees at 25 m/s: the strut takes the same angle from every swing, not a share of it."""
    swings = {}
    for active in (1.0, 0.0):
        sim = towing()
        settle(sim, description())
        sim.set_parameters({"unit2.hitch.device1.active": active})
        sim.set_states({"chassis.vx": 25.0, "unit2.hitch.yaw": np.radians(2.0)})
        for c in ("L1", "R1", "L2", "R2", "L3", "R3"):
            sim.set_states({f"{c}.wheel.spin": 25.0 / sim.output(f"Tire.Effective_Rolling_Radius.{c}")})
        run = sim.run(2.5, interval=0.01)
        yaw = np.asarray(run["unit2.Articulation.yaw"])
        swings[active] = float(np.sum(np.abs(yaw)[50:]))
    assert swings[1.0] < 0.8 * swings[0.0]


def test_unknown_devices_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"devices\[0\]\.kind = 'sway': unknown kind.*sway_control"):
        vehicle().with_(**{"trailers[0].hitch.devices[0].kind": "sway"})
