"""The overrun brake: torque by the push of the drawbar, its filter, reverse, and a stop of both units by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from axle_lists import vehicle_of
from jounce.core.errors import ParameterError
from jounce.runtime.simulation import Simulation
from jounce.sim.statics import settle
from towing_rig import OVERRUN, description, raw, towing, vehicle
from trains import trailer_mass

FULL = 2 * 0.37 * 0.17 * 2300.0


def rolling(speed: float) -> Simulation:
    sim = towing()
    settle(sim, description())
    sim.set_states({"chassis.vx": speed})
    for c in ("L1", "R1", "L2", "R2", "L3", "R3"):
        sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}")})
    return sim


@pytest.mark.parametrize(
    ("push", "share"), [(-3000.0, 0.0), (0.0, 0.0), (899.0, 0.0), (2800.0, 0.5), (4700.0, 1.0), (9000.0, 1.0)]
)
def test_the_torque_rises_between_two_thresholds_of_the_push(push: float, share: float) -> None:
    sim = rolling(15.0)
    sim.set_states({"unit2.overrun.push": push})
    for c in ("L3", "R3"):
        assert sim.output(f"Brake_Moment.{c}") == pytest.approx(-share * FULL, rel=1e-9, abs=1e-12)
    for c in ("L1", "R1", "L2", "R2"):
        assert sim.output(f"Brake_Moment.{c}") == pytest.approx(0.0, abs=1e-12)


def test_a_wheel_that_turns_backwards_has_the_share_of_reverse() -> None:
    sim = rolling(-6.0)
    sim.set_states({"unit2.overrun.push": 9000.0})
    assert sim.output("Brake_Moment.L3") == pytest.approx(0.07 * FULL, rel=1e-9)


def test_its_drawbar_follows_the_load_of_the_coupling_with_its_lag() -> None:
    sim = rolling(15.0)
    sim.set_states({"unit2.overrun.push": 700.0})
    i = [v.name for v in sim.model.states].index("unit2.overrun.push")
    rate = float(sim.derivatives()[0][i])
    force = sim.output("Hook_rear.Local_force_X")
    assert rate == pytest.approx((force - 700.0) / 0.04, rel=1e-9)


def test_a_stop_of_the_car_pushes_the_trailer_onto_it_until_its_brakes_hold_the_rest() -> None:
    """Steady deceleration a: m a = F_h + 2 M(F_h)/r + drag, with M by the law: solved by hand for F_h."""
    sim = rolling(25.0)
    sim.set_inputs({"brake": 0.3})
    run = sim.run(2.0, interval=0.01)
    a = -float(np.mean(run["unit2.System_Mass_Center.Tracking_Ax"][-50:]))
    mass = trailer_mass()
    radius = sim.output("Tire.Loaded_Radius.L3")
    spin = 2 * sim.parameter("L3.spin_inertia") * a / radius**2
    resistance = -sum(float(np.mean(run[f"Tire.Ground_Surface_Moment_Y.{c}"][-50:])) for c in ("L3", "R3")) / radius
    slope = 2 * FULL / radius / (4700.0 - 900.0)
    # (m + I/r²) a = F + s (F − F_lo) + rolling resistance
    expected = ((mass + spin / a) * a - abs(resistance) + slope * 900.0) / (1 + slope)
    found = float(np.mean(run["unit2.Overrun.push"][-50:]))
    assert 900.0 < found < 4700.0 and a > 2.0
    assert found == pytest.approx(expected, rel=0.03), "3 %: pitch of both units, slip of the tires"
    moment = np.asarray(run["Brake_Moment.L3"])[-1]
    at = np.asarray(run["unit2.Overrun.push"])[-1]
    assert moment == pytest.approx(-FULL * (at - 900.0) / 3800.0, rel=1e-6)


def test_it_needs_no_share_of_the_pressure_and_a_drawbar() -> None:
    found = vehicle().get("trailers[0].axles[0].brake")
    assert found.kind == "overrun" and math.isclose(found.mu, OVERRUN["mu"])
    data = raw()
    data["brakes"]["rear"] = OVERRUN
    with pytest.raises(ValueError, match=r"an overrun brake needs a drawbar"):
        vehicle_of(data)
    with pytest.raises(ParameterError, match=r"brakes\.rear.*an overrun brake needs a drawbar"):
        vehicle().with_(**{"brakes.rear": OVERRUN})
