"""Roll stability control by sensors: nothing below its limit, brakes and drive above it, before the vehicle rolls."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest

from cars import compact
from jounce.components.controllers.roll_stability import RollStability
from jounce.runtime.program import Open, Phase, Program, Ramp
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import Simulation
from jounce.sim import car

PLACES = ("L1", "R1", "L2", "R2")
OWN = {"gain": 5e5, "largest_pressure": 1.1e6, "build_rate": 3e7, "release_rate": 2e6}
TRUE = {f"sensors.{n}": 0.0 for n in ("ay_offset", "yaw_rate_offset", "steering_offset", "ay_noise", "yaw_rate_noise")}


@lru_cache
def described() -> car.Description:
    vehicle = compact(**{"drive.max_torque": 1500.0, "drive.tcs": None, "brakes.abs": None})
    return car.describe(vehicle, parts=(RollStability.model_validate(OWN),))


def moving(speed: float = 25.0, **parameters: float) -> Simulation:
    sim = car.simulation(described())
    sim.set_parameters({**TRUE, **parameters})
    sim.set_states({"chassis.vx": speed})
    for c in PLACES:
        sim.set_states({f"{c}.wheel.spin": speed / sim.output(f"Tire.Effective_Rolling_Radius.{c}")})
    return sim


def turn(angle: float, speed: float = 25.0, time: float = 4.0, **parameters: float) -> Recording:
    program = Program(
        Phase("go", [Open("steering_wheel", Ramp(angle, 0.2, start=0.0)), Open("throttle", 0.3)], duration=time)
    )
    return moving(speed, **parameters).run(program=program, interval=0.005)


def pressure(run: Recording, place: str = "L1") -> np.ndarray:
    return np.asarray(run[f"Chamber_Pressure.{place}"])


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_turn_that_would_exceed_the_limit_is_slowed_to_it(side: float) -> None:
    figures = {"roll_stability.limit": 4.0}
    wild = turn(side * 1.6, time=6.0, **figures, **{"roll_stability.active": 0.0})
    held = turn(side * 1.6, time=6.0, **figures)
    ay = {k: np.abs(r["System_Mass_Center.Tracking_Ay"])[-1] for k, r in (("wild", wild), ("held", held))}
    assert ay["wild"] > 7.5, "it would go on so"
    # an accelerometer feels the roll angle, and what is left is slowed by little: 10 % above the limit
    assert 3.4 < ay["held"] < 4.4
    assert held["chassis_velocities.longitudinal"][-1] < 0.5 * wild["chassis_velocities.longitudinal"][-1]
    assert held["Drive_Share.roll_stability"].min() == pytest.approx(-0.3, rel=1e-9), "the drive has nothing"
    for c in PLACES[1:]:
        assert np.array_equal(pressure(held, c), pressure(held)), "all wheels alike"
    assert pressure(held).max() == pytest.approx(1.1e6, rel=1e-9)


def test_below_the_limit_nothing_happens() -> None:
    run = turn(0.3, **{"roll_stability.limit": 4.0})
    assert np.abs(run["System_Mass_Center.Tracking_Ay"]).max() > 0.5
    assert all(pressure(run, c).max() == 0.0 for c in PLACES)
    assert np.abs(run["Drive_Share.roll_stability"]).max() == 0.0


def test_it_believes_its_sensor_not_the_car() -> None:
    """A straight road, and an accelerometer that is wrong by more than the limit: (3) by hand."""
    run = turn(0.0, **{"roll_stability.limit": 1.0, "sensors.ay_offset": 3.0})
    assert pressure(run)[-1] == pytest.approx(5e5 * 2.0, rel=0.05)
    assert run["RSC.excess"][-1] == pytest.approx(2.0, rel=0.05)


def test_the_steering_is_believed_before_the_car_turns() -> None:
    """At the first samples after the hand wheel has moved the body has hardly turned."""
    early = turn(1.6, time=0.4, **{"roll_stability.limit": 3.0})
    late = turn(1.6, time=0.4, **{"roll_stability.limit": 3.0, "roll_stability.anticipation": 0.0})

    def first(run: Recording) -> float:
        return float(run.time[np.argmax(pressure(run) > 0)])

    assert first(early) < first(late) - 0.05
    ay = np.abs(early["System_Mass_Center.Tracking_Ay"])
    assert ay[np.argmax(pressure(early) > 0)] < 3.0


def test_slow_or_backwards_it_looks_on_and_its_pressure_falls_by_its_rate() -> None:
    for speed in (3.0, -12.0):
        run = turn(3.0, speed=speed, time=1.0, **{"roll_stability.limit": 0.1})
        assert pressure(run).max() == 0.0
    sim = moving(25.0, **{"roll_stability.limit": 0.5, "sensors.ay_offset": 2.5})
    sim.run(0.5)
    high = sim.output("RSC.pressure")
    sim.set_parameters({"sensors.ay_offset": 0.0})
    sim.run(0.6)
    low = sim.output("RSC.pressure")
    # within one sample of the unit and the filter of the sensor
    assert high == pytest.approx(5e5 * 2.0, rel=0.05) and 0 < high - low <= 2e6 * 0.11
