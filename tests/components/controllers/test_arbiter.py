"""The arbiter: order of demands by hand, shares that add up, errors that name both, ports."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from axle_lists import one_axle, vehicle_of
from jounce.components.controllers.arbiter import PRIORITY, Arbiter, arbiter
from jounce.components.model import VehicleModel
from jounce.components.part import Part, Symbols
from jounce.core.errors import ModelError
from jounce.core.fields import quantity
from jounce.sim import car


class Wants(Part):
    """Three demands on the pressure of one wheel and one on the drive, entered in the wrong order."""

    family: ClassVar[str] = "controller"
    low: float = quantity("Pa", 1.9e6, doc="that the least one raises to")
    more: float = quantity("Pa", 0.3e6, doc="that the next one adds")
    most: float = quantity("Pa", 2.1e6, doc="that the last one allows")

    def provide(self, at: VehicleModel, p: Symbols) -> None:
        found = arbiter(at)
        found.enter("pressure.R1", "abs", "limit", lambda: p.most)
        found.enter("pressure.R1", "stability_control", "add", lambda: p.more)
        found.enter("pressure.R1", "cruise_control", "raise", lambda: p.low)
        found.enter("throttle", "traction_control", "scale", lambda: 0.25)


def simulation(**choices: Any) -> Any:
    return car.simulation(car.describe(vehicle_of(one_axle()), parts=(Wants(),), **choices))


@pytest.mark.parametrize(("demand", "expected"), [
    # line, cruise control, stability control, abs
    (0.1, (0.83e6, 1.07e6, 0.3e6, -0.1e6)),
    (0.3, (2.49e6, 0.0, 0.3e6, -0.69e6)),
])  # fmt: skip
def test_shares_in_the_order_of_priorities(demand: float, expected: tuple[float, ...]) -> None:
    """max(line, 1.9 MPa) + 0.3 MPa, at most 2.1 MPa; the full pressure of this rig is 10 MPa, its share 0.83."""
    sim = simulation()
    sim.set_parameters({"brakes.pressure_gain": 10e6})
    sim.set_inputs({"brake": demand, "throttle": 0.6})
    names = ("driver", "cruise_control", "stability_control", "abs")
    shares = [sim.output(f"Brake_Share.{name}.R1") for name in names]
    assert shares == pytest.approx(expected, rel=1e-12, abs=1e-6)
    assert sim.output("Chamber_Pressure.R1") == pytest.approx(sum(expected), rel=1e-12)
    assert sim.output("Chamber_Pressure.L1") == pytest.approx(demand * 8.3e6, rel=1e-12), "nobody wants anything there"
    assert [sim.output(f"Drive_Share.{name}") for name in ("driver", "traction_control")] == pytest.approx([0.6, -0.45])
    whole = 0.6 * sim.parameter("drive.max_torque") * sim.parameter("L1.drive_share")
    assert sim.output("Wheel.Drive_Moment.L1") == pytest.approx(0.25 * whole, rel=1e-12)


def test_programs_enter_before_anti_lock_control() -> None:
    names = ("Brake_Arbiter.raised.R1", "Brake_Arbiter.limit.R1", "Brake_Arbiter.raised.L1", "Drive_Arbiter.limit")
    sim = simulation(inputs=names)
    sim.set_parameters({"brakes.pressure_gain": 10e6})
    sim.set_inputs({"brake": 0.1, "throttle": 0.8, "Brake_Arbiter.raised.R1": 5e6, "Brake_Arbiter.limit.R1": 2.05e6})
    sim.set_inputs({"Brake_Arbiter.raised.L1": 3.3e6, "Drive_Arbiter.limit": 0.11})
    assert sim.output("Chamber_Pressure.R1") == pytest.approx(2.05e6), "the limit from outside wins over what it raises"
    assert sim.output("Brake_Share.outside.R1") == pytest.approx(-0.15e6)
    sim.set_inputs({"Brake_Arbiter.limit.R1": 4e6})
    assert sim.output("Chamber_Pressure.R1") == pytest.approx(2.1e6), "anti-lock control has the last word"
    assert sim.output("Chamber_Pressure.L1") == pytest.approx(3.3e6)
    assert sim.output("Drive_Share.outside") == pytest.approx(0.11 - 0.2)


def test_two_controllers_in_one_place_are_refused() -> None:
    found = Arbiter()
    found.enter("pressure.L2", "abs", "limit", lambda: 0.0)
    with pytest.raises(ModelError, match=r"pressure\.L2: two controllers are 'abs'"):
        found.enter("pressure.L2", "abs", "limit", lambda: 0.0)
    with pytest.raises(ModelError, match=r"'absent' has no priority.*abs"):
        found.enter("pressure.L2", "absent", "raise", lambda: 0.0)
    assert max(PRIORITY, key=lambda name: PRIORITY[name]) == "abs"
    assert len(set(PRIORITY.values())) == len(PRIORITY)


def test_a_car_without_controllers_has_nothing_of_it() -> None:
    names = [v.name for v in car.simulation(vehicle_of(one_axle())).model.outputs]
    assert not [name for name in names if name.startswith(("Brake_Share", "Drive_Share", "Sensed"))]
