"""Limited-slip differentials: the law while slipping, holding, both signs."""

from __future__ import annotations

import numpy as np
import pytest

from drive_rig import bench
from drivelines import ENGINE

QUIET = {**ENGINE, "idle_control": None, "overspeed_control": None}
RAW = {
    "layout": "rwd", "engine": QUIET,
    "rear": {
        "kind": "limited_slip_differential", "ratio": 3.3, "inertia": 0.02, "preload": 60.0, "overrun_preload": 41.0,
        "ramp": 0.31, "viscosity": 7.0, "exponent": 0.8,
    },
}  # fmt: skip
DELTA = "Differential_Torques.differential_torque_rear"


@pytest.mark.parametrize("throttle", [1.0, 0.2, 0.0])
@pytest.mark.parametrize("slip", [6.0, -6.0, 0.9])
def test_while_it_slips_the_slower_wheel_has_more(throttle: float, slip: float) -> None:
    """ΔT = max(|c0|, |c1 T|) + c2 |δω|^c3, from the faster to the slower wheel."""
    sim = bench(RAW)
    sim.set_inputs({"throttle": throttle})
    sim.set_states({"L2.spin": 50.0 + slip / 2, "R2.spin": 50.0 - slip / 2})
    crown = 3.3 * sim.output("Engine.torque")
    most = max(60.0 if crown >= 0 else 41.0, abs(0.31 * crown)) + 7.0 * abs(slip) ** 0.8
    delta = sim.output("hub.R2") - sim.output("hub.L2")
    assert sim.output("Differential_Rear.largest_difference") == pytest.approx(most, rel=1e-6)
    assert delta == pytest.approx(np.sign(slip) * most, rel=1e-6)
    assert sim.output(DELTA) == pytest.approx(delta) and sim.output("Differential_Rear.lost_power") > 0


def test_it_holds_up_to_its_limit_and_slips_beyond() -> None:
    for load, holds in ((110.0, True), (900.0, False)):
        sim = bench(RAW)
        sim.set_states({"L2.spin": 40.0, "R2.spin": 40.0})
        sim.set_inputs({"throttle": 0.55, "L2.load": -load})
        sim.run(0.4)
        slip = sim.state("L2.spin") - sim.state("R2.spin")
        assert (abs(slip) < 1e-3) is holds
        if holds:  # the lock bears half the load, as both wheels are alike
            assert sim.output("hub.L2") - sim.output("hub.R2") == pytest.approx(load, rel=0.02)
        else:
            assert slip < -1.0


def test_the_torque_is_continuous_through_zero_slip() -> None:
    sim = bench(RAW)
    sim.set_inputs({"throttle": 0.4})
    found = []
    for slip in np.linspace(-0.5, 0.5, 201):
        sim.set_states({"L2.spin": 50.0 + slip / 2, "R2.spin": 50.0 - slip / 2, "driveline.rear.lock.windup": 0.0})
        found.append(sim.output(DELTA))
    # what is transmitted at zero slip is that of the spring, and the torque grows through it without a jump
    steps = np.abs(np.diff(found))
    assert abs(found[100]) < 1e-9 and steps.max() < 0.2 * (found[-1] - found[0])
