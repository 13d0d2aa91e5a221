"""Slip control: the factor on brake and drive torques by hand, forwards and backwards, of wheels that differ."""

from __future__ import annotations

import numpy as np
import pytest

import jounce as jn
import jounce.vehicle as jv
from axle_lists import one_axle, truck, vehicle_of
from cars import rolling
from drivelines import MOTOR, REAR
from four_wheels import CORNERS
from jounce import events
from jounce.components.controllers.slip_control import SlipControl
from jounce.core.errors import JounceError
from jounce.runtime.simulation import Simulation
from jounce.sim import car

THRESHOLD, GAIN, LOW = 0.06, 11.0, 2.5
CONTROL = {"threshold": THRESHOLD, "gain": GAIN, "low_speed": LOW}
SLIPS = {"L1": -0.10, "R1": -0.03, "L2": -0.30, "R2": -0.09}


def slipping(vehicle: jv.Vehicle, speed: float, slips: dict[str, float]) -> Simulation:
    sim = rolling(car.simulation(vehicle, ground="inclined"), speed)
    for place, slip in slips.items():
        radius = sim.output(f"Tire.Effective_Rolling_Radius.{place}")
        sim.set_states({f"{place}.wheel.spin": (1 + slip) * speed / radius})
    return sim


def factor(slip: float) -> float:
    """Equation (1) of the part, of a slip that counts as positive."""
    return min(max(1 - GAIN * (slip - THRESHOLD), 0.0), 1.0)


@pytest.mark.parametrize("speed", [17.0, -17.0])
def test_brake_torque_fades_with_the_slip_of_its_wheel(plain_car: jv.Vehicle, speed: float) -> None:
    free = slipping(plain_car.with_(**{"brakes.abs": None}), speed, SLIPS)
    held = slipping(plain_car.with_(**{"brakes.abs": CONTROL}), speed, SLIPS)
    for sim in (free, held):
        sim.set_inputs({"brake": 0.4})
    for place in CORNERS:
        whole, left = (sim.output(f"Brake_Moment.{place}") for sim in (free, held))
        expected = factor(-SLIPS[place])
        assert whole * speed < 0, "against the motion"
        # the radius of the contact and the effective one differ by less than a percent: of a slip, times the gain
        assert left / whole == pytest.approx(expected, abs=GAIN * 0.01)
        assert held.output(f"ABS_activity.{place}") == (1.0 if expected < 1 else 0.0)
    assert [factor(-s) for s in SLIPS.values()] == pytest.approx([0.56, 1.0, 0.0, 0.67])


@pytest.mark.parametrize("speed", [2.4, 2.6])
def test_below_its_low_speed_it_is_off(plain_car: jv.Vehicle, speed: float) -> None:
    sim = slipping(plain_car.with_(**{"brakes.abs": CONTROL}), speed, SLIPS)
    sim.set_inputs({"brake": 0.4})
    assert (sim.output("Brake_Moment.L2") == 0.0) is (speed > LOW)


def test_too_much_drive_fades_and_too_little_does_not(plain_car: jv.Vehicle) -> None:
    """Traction control takes slips of driving only: a wheel that is braked keeps its torque."""
    slips = {"L1": 0.10, "R1": 0.03, "L2": -0.3, "R2": 0.4}
    shares = {"L1": 0.1, "R1": 0.2, "L2": 0.3, "R2": 0.4}
    four = {"drive": {"max_torque": 900.0, **shares}}
    free = slipping(plain_car.with_(**four), 12.0, slips)
    held = slipping(plain_car.with_(**four).with_(**{"drive.tcs": CONTROL}), 12.0, slips)
    for sim in (free, held):
        sim.set_inputs({"throttle": 0.8})
    for place in CORNERS:
        whole, left = (sim.output(f"Wheel.Drive_Moment.{place}") for sim in (free, held))
        assert whole == pytest.approx(0.8 * 900.0 * shares[place])
        assert left / whole == pytest.approx(factor(slips[place]), abs=GAIN * 0.01)


SPLIT = {**CONTROL, "select_low": "rear", "yaw_delay": 0.4}


def torques_left(free: Simulation, held: Simulation) -> dict[str, float]:
    return {place: held.output(f"Brake_Moment.{place}") / free.output(f"Brake_Moment.{place}") for place in CORNERS}


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("speed", [17.0, -17.0])
def test_rear_wheels_have_the_torque_of_the_one_that_slips_more(
    plain_car: jv.Vehicle, speed: float, mirror: bool
) -> None:
    slips = {"L1": -0.02, "R1": -0.13, "L2": -0.11, "R2": -0.03}
    if mirror:
        slips = {place: slips[{"L": "R", "R": "L"}[place[0]] + place[1]] for place in slips}
    free = slipping(plain_car.with_(**{"brakes.abs": None}), speed, slips)
    alone, held = (slipping(plain_car.with_(**{"brakes.abs": data}), speed, slips) for data in (CONTROL, SPLIT))
    for sim in (free, alone, held):
        sim.set_inputs({"brake": 0.4})
    by_itself, left = torques_left(free, alone), torques_left(free, held)
    least = min(by_itself["L2"], by_itself["R2"])
    assert least < 0.6 and max(by_itself["L2"], by_itself["R2"]) == 1.0
    assert [left["L2"], left["R2"]] == pytest.approx([least, least], rel=1e-9)
    assert [held.output(f"ABS_activity.{place}") for place in ("L2", "R2")] == [1.0, 1.0]
    # in front: nothing more than the other wheel yet
    low, high = ("R1", "L1") if not mirror else ("L1", "R1")
    assert left[low] == pytest.approx(by_itself[low], rel=1e-9) and by_itself[low] < 0.4
    assert by_itself[high] == 1.0 and left[high] == pytest.approx(by_itself[low], rel=1e-9)


@pytest.mark.parametrize(("low", "high"), [("R1", "L1"), ("L1", "R1")])
def test_the_wheel_that_grips_has_more_as_time_goes_on(plain_car: jv.Vehicle, low: str, high: str) -> None:
    """x follows what it would have more, in the time T: (3) of the part, by hand; given back at once."""
    slips = {low: -0.12, high: -0.01, "L2": -0.02, "R2": -0.02}
    free = slipping(plain_car.with_(**{"brakes.abs": None}), 17.0, slips)
    alone, held = (slipping(plain_car.with_(**{"brakes.abs": data}), 17.0, slips) for data in (CONTROL, SPLIT))
    for sim in (free, alone, held):
        sim.set_inputs({"brake": 0.4})
    least, most = (torques_left(free, alone)[place] for place in (low, high))
    states = [v.name for v in held.model.states]
    for x in (0.0, 0.2, 0.45, 0.9):
        held.set_states({f"{high}.brake.abs.lead": x, f"{low}.brake.abs.lead": 0.3})
        left = torques_left(free, held)
        assert left[high] == pytest.approx(min(most, least + x), rel=1e-9)
        assert left[low] == pytest.approx(least, rel=1e-9), "the other has no more than its own"
        rate = held.derivatives()[0]
        found = [rate[states.index(f"{place}.brake.abs.lead")] for place in (high, low)]
        assert found == pytest.approx([(most - least - x) / 0.4, -0.3 / 0.4], rel=1e-6)
    assert most == 1.0 and 0.2 < least < 0.5


def test_wheels_that_slip_alike_are_held_as_without_it(plain_car: jv.Vehicle) -> None:
    slips = {"L1": -0.12, "R1": -0.12, "L2": -0.09, "R2": -0.09}
    moments = []
    for data in (CONTROL, SPLIT):
        sim = slipping(plain_car.with_(**{"brakes.abs": data}), 17.0, slips)
        sim.set_inputs({"brake": 0.4})
        moments.append([sim.output(f"Brake_Moment.{place}") for place in CORNERS])
    assert moments[0] == pytest.approx(moments[1], rel=1e-12)


@pytest.mark.parametrize("speed", [13.0, -13.0])
@pytest.mark.parametrize("slips", [(-0.03, -0.09), (-0.12, -0.07), (-0.05, -0.04)])
def test_motors_brake_by_what_is_left_at_the_wheel_that_slips_most(slips: tuple[float, float], speed: float) -> None:
    """(5) by hand: 200 N.m at full demand below 400 rad/s, of 0.4, less the smallest factor; no brake would do it."""
    raw = one_axle()
    members = [
        {**MOTOR, "name": "motor", "shafts": ["in"]},
        {**REAR, "name": "axle", "ratio": 1.0, "shafts": ["in", "L1", "R1"]},
    ]  # fmt: skip
    raw |= {"drive": {}, "driveline": {"members": members}}
    raw["brakes"] = {**raw["brakes"], "abs": CONTROL}
    sim = car.simulation(car.describe(vehicle_of(raw)))
    sim.set_states({"chassis.vx": speed})
    for wheel, slip in zip(("L1", "R1"), slips, strict=True):
        sim.set_states(
            {f"{wheel}.wheel.spin": (1 + slip) * speed / sim.output(f"Tire.Effective_Rolling_Radius.{wheel}")}
        )
    sim.set_inputs({"brake": 0.4})
    least = min(factor(-slip) for slip in slips)
    torque = sim.output("Driveline.motor.torque")
    assert torque * speed < 0, "against the motion"
    # the radius of the contact and the effective one differ by less than a percent: of a slip, times the gain
    assert abs(torque) == pytest.approx(0.4 * 200.0 * least, abs=0.4 * 200.0 * GAIN * 0.01)


def test_which_axles_select_low() -> None:
    """All but the first, by number: the third axle of a truck too."""
    places = vehicle_of(truck()).layout.wheels
    rear = ["L2", "R2", "L3", "R3"]
    expected = {"none": [], "rear": rear, "all": ["L1", "R1", *rear]}
    for name, chosen in expected.items():
        control = SlipControl(select_low=name)
        assert [key for key, place in places.items() if control.selects(place)] == chosen
    with pytest.raises(JounceError, match=r"brakes\.abs\.select_low = 'front': unknown  known: none, rear, all"):
        jv.load("sedan").with_(**{"brakes.abs.select_low": "front"})
    with pytest.raises(JounceError, match=r"yaw_delay"):
        jv.load("sedan").with_(**{"brakes.abs.yaw_delay": 0.0})


@pytest.mark.slow
@pytest.mark.parametrize("speed", ["80 km/h", "100 km/h"])
def test_a_sedan_that_brakes_fully_on_split_friction_stays_in_its_lane(speed: str) -> None:
    """Dry on the left, wet ice on the right. Every wheel at its own limit turns the car round; a lane has 3.5 m."""
    event = events.StraightBraking(speed=speed, x=45.0, preview=0.4)
    usual = jv.load("sedan")
    without = usual.with_(**{"brakes.abs.select_low": "none", "brakes.abs.yaw_delay": None})
    alone = jn.run(without, event, road="mu_split")
    assert not alone.complete and alone.reason == "spun"
    held = jn.run(usual, event, road="mu_split")
    assert held.complete and held.reason == "standstill"
    lateral = np.array([held[f"Road.Contact_Patch_Global_Y.{place}"] for place in CORNERS])
    assert np.ptp(lateral) < 3.5, "all that the wheels cover"
    assert np.degrees(np.abs(held["chassis_displacements.yaw"])).max() < 15
    stopping = held.kpis["stopping_distance"][0]
    v = float(event.speed)
    # between the whole car on ice (0.2) and on the dry road
    assert v * v / (2 * 9.81 * 1.0) < stopping < 0.6 * v * v / (2 * 9.81 * 0.2)


@pytest.mark.parametrize("friction", [1.0, 0.6, 0.3])
def test_slips_count_relative_to_the_friction_of_the_road(plain_car: jv.Vehicle, friction: float) -> None:
    """1 − gain (|κ|/µ − threshold) at each wheel; (4) of the part by hand."""
    free = slipping(plain_car.with_(**{"brakes.abs": None}), 17.0, SLIPS)
    held = slipping(plain_car.with_(**{"brakes.abs": {**CONTROL, "by_friction": True}}), 17.0, SLIPS)
    for sim in (free, held):
        sim.set_parameters({"ground.friction": friction})
        sim.set_inputs({"brake": 0.4})
    left = torques_left(free, held)
    expected = {place: min(max(1 - GAIN * (-SLIPS[place] / friction - THRESHOLD), 0.0), 1.0) for place in CORNERS}
    # the radius changes by less than a thousandth with the spin that was set: of a slip of a tenth, times the gain
    assert left == pytest.approx(expected, abs=GAIN * 1e-4 / friction)
    assert any(0 < value < 1 for value in left.values())


def test_a_car_of_the_library_that_brakes_gently_is_left_alone() -> None:
    """With a twentieth of the friction in use no wheel slips as at its limit: the torque is whole, on ice too."""
    car = jv.load("sedan")
    assert car.brakes is not None and car.brakes.abs is not None and car.brakes.abs.by_friction
    for friction in (1.0, 0.15):
        event = events.StraightBraking(speed=15.0, friction=friction, brake=0.05 * friction, end_time=2.0)
        run = jn.run(car, event, channels=["ABS_activity.*", "chassis_accelerations.longitudinal"])
        assert run["chassis_accelerations.longitudinal"][-1] < -0.03 * friction * 9.81
        for place in CORNERS:
            assert not run[f"ABS_activity.{place}"].any(), place
