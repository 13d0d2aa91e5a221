"""Key figures of combinations on signals that are known, both sides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from jounce.events.library.lateral_transient import _swing
from jounce.events.library.low_speed_turn import width_along
from jounce.events.library.roll_stability import beside
from jounce.events.library.steady_circle import of_units
from jounce.events.library.tilt_table import rolling_together, tilt_table
from jounce.events.library.trailer_sway import zero_damping
from jounce.results.figures import Figures
from jounce.results.key_figures.combinations import Moves, amplification, free_swing, largest_transfer, over_frequency
from jounce.results.run import Run
from jounce.results.units import Unit

TIME = np.arange(0.0, 12.0, 0.01)


def pulse(size: float, width: float, at: float) -> Any:
    """A bump whose top a parabola through its samples finds."""
    return size * np.exp(-(((TIME - at) / width) ** 2))


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_amplification_is_the_ratio_of_the_largest_changes(side: float) -> None:
    first = Moves(1, 0.2 + side * (pulse(1.7, 0.4, 3.004) - pulse(1.1, 0.4, 4.7)), side * pulse(0.11, 0.4, 3.1))
    second = Moves(2, -side * pulse(2.21, 0.4, 3.3), -side * pulse(0.121, 0.4, 3.2), -side * pulse(0.05, 0.4, 3.4))
    third = Moves(3, side * pulse(3.06, 0.4, 3.7), side * pulse(0.165, 0.4, 3.2), 0.01 + side * pulse(0.07, 0.4, 3.6))
    found = amplification(TIME, (first, second, third), 1.0, side * pulse(1.53, 0.4, 3.0))
    for key, value in {
        "ay_peak": 1.7, "yaw_rate_peak": math.degrees(0.11), "rearward_amplification_ay_unit2": 1.3,
        "rearward_amplification_ay_unit3": 1.8, "rearward_amplification_ay": 1.8, "rearward_amplification_yaw": 1.5,
        "rearward_amplification_yaw_unit2": 1.1, "rearward_amplification_front": 2.0,
        "articulation_peak": math.degrees(0.07), "articulation_peak_unit2": math.degrees(0.05),
    }.items():  # fmt: skip
        assert found[key][0] == pytest.approx(value, rel=1e-5), key


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("damping", [0.13, -0.02])
def test_a_swing_tells_its_damping_whether_it_decays_or_grows(side: float, damping: float) -> None:
    omega = 2 * math.pi * 0.71
    free = omega * damping / math.sqrt(1 - damping**2)
    angle = 0.003 + side * 0.02 * np.exp(-free * TIME) * np.sin(omega * TIME)
    found = free_swing(TIME, angle, 1.3, 0.003)
    assert found.damping == pytest.approx(damping, abs=5e-4) and found.frequency == pytest.approx(0.71, rel=2e-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_last_hitch_tells_damping_and_frequency_of_the_transient(side: float) -> None:
    omega = 2 * math.pi * 0.53
    angle = side * 0.03 * np.exp(-0.19 * omega * TIME) * np.sin(omega * math.sqrt(1 - 0.19**2) * TIME)
    run = Run(TIME, {}, {}, {"event": {"kind": "lateral-transient", "parameters": {"method": "sine"}}})
    figures = Figures()
    _swing(run, Moves(2, 0 * TIME, 0 * TIME, angle), 0.4, figures)
    assert figures["yaw_damping"] == (pytest.approx(0.19, abs=2e-3), "-")
    assert figures["yaw_frequency"] == (pytest.approx(0.53 * math.sqrt(1 - 0.19**2), rel=3e-3), "Hz")


def test_the_largest_load_transfers_are_told_by_unit_after_the_begin() -> None:
    loads = {"L1": 4000.0, "R1": 6000.0, "L2": 5000.0, "R2": 5000.0, "L3": 9000.0, "R3": 3000.0}
    channels = {f"Tire.Ground_Surface_Force_Z.{name}": np.full(len(TIME), value) for name, value in loads.items()}
    channels["Tire.Ground_Surface_Force_Z.L3"][TIME < 1.0] = 0.0  # before what counts
    channels["Tire.Ground_Surface_Force_Z.R1"][TIME > 7.0] = 8500.0
    listed = [
        {"name": "a", "towed_by": 0, "coupling": "", "groups": [[1], [2]]},
        {"name": "b", "towed_by": 1, "coupling": "ball", "groups": [[3]]},
    ]
    run = Run(TIME, channels, dict.fromkeys(channels, "N"), {"vehicle": {"name": "train", "units": listed}})
    found = largest_transfer(run, 1.0)
    assert found["ltr_peak_unit1"][0] == pytest.approx(4500.0 / 22500.0)
    assert found["ltr_peak_unit2"][0] == pytest.approx(0.5) == found["ltr_peak"][0]


def test_the_zero_damping_speed_lies_between_two_speeds_or_on_their_line() -> None:
    assert zero_damping([100.0, 80.0, 90.0], [-0.03, 0.11, 0.05]) == (pytest.approx(96.25), False)
    assert zero_damping([80.0, 90.0], [0.11, 0.05]) == (pytest.approx(98.0 + 1 / 3), True)
    assert math.isnan(zero_damping([80.0, 90.0], [0.05, 0.11])[0])
    assert math.isnan(zero_damping([80.0], [0.05])[0]) and math.isnan(zero_damping([80.0, 90.0], [-0.1, -0.2])[0])


def test_noise_tells_the_gain_of_a_filter() -> None:
    time, f = np.arange(0.0, 60.0, 0.01), np.arange(4, 30) * 0.05
    sizes = 1.0 + 0.3 * np.arange(len(f))
    waves = 2 * np.pi * np.outer(time, f) + np.arange(len(f)) ** 2
    first, last = np.sin(waves) @ sizes, np.sin(waves - 0.7) @ (sizes * (1 + f**2))
    last = last + 50.0 * np.exp(-time)  # dies away before what counts
    assert over_frequency(time, first, last, f, 59.3) == pytest.approx(1 + f**2, rel=1e-6)
    assert np.isnan(over_frequency(time[:2500], first[:2500], last[:2500], f, 24.0)).all(), "less than 30 s"


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_swept_width_is_between_the_outermost_tracks(side: float) -> None:
    s = np.linspace(-5.0, 20.0, 800)
    outer, inner = np.full(800, -side * 1.2), side * (0.9 + 0.5 * np.exp(-(((s - 8) / 3) ** 2)))
    grid, width = width_along([(s, outer), (s - 2.0, inner), (s + 1.0, 0.0 * s)], 0.0, 15.0)
    # the inner track is where its foot is: its bump stands at 6 m
    assert width.max() == pytest.approx(2.6, abs=1e-3) and grid[np.argmax(width)] == pytest.approx(6.0, abs=0.06)
    assert width[0] == pytest.approx(2.1 + 0.5 * math.exp(-4.0), abs=1e-3)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("heading", [0.0, 1.1])
def test_places_in_the_lane_are_told_along_and_outwards(side: float, heading: float) -> None:
    c, s = math.cos(heading), math.sin(heading)

    def world(x: Any, y: Any) -> tuple[Any, Any]:
        return 3.0 + c * x - s * y, -2.0 + s * x + c * y

    along, out = beside(*world(np.array([10.0]), np.array([side * 0.4])), (3.0, -2.0, heading), 25.0, 45.0, side)
    assert along[0] == pytest.approx(-15.0) and out[0] == pytest.approx(-0.4)
    angle, radius = math.radians(100), 45.0 + 0.7
    place = world(np.array([25 + radius * math.sin(angle)]), np.array([side * (45.0 - radius * math.cos(angle))]))
    along, out = beside(*place, (3.0, -2.0, heading), 25.0, 45.0, side)
    assert along[0] == pytest.approx(45.0 * angle) and out[0] == pytest.approx(0.7)


def units(coupling: str) -> tuple[Unit, ...]:
    return (Unit(1, "", 0, "", ((1,), (2,))), Unit(2, "", 1, coupling, ((3,),)), Unit(3, "", 2, "ball", ((4,),)))


def test_units_roll_together_where_their_coupling_says_so() -> None:
    assert rolling_together(units("fifth_wheel")) == ((1, 2), (3,))
    assert rolling_together(units("ball")) == ((1,), (2,), (3,))


@pytest.mark.parametrize("coupling", ["ball", "fifth_wheel"])
def test_a_set_tips_when_all_of_its_upper_wheels_are_free(coupling: str) -> None:
    angle = np.radians(np.linspace(0.0, 40.0, 401))
    free_at = {"L1": 31.0, "L2": 24.0, "L3": 19.0, "L4": 36.0}
    loads = {name: np.where(np.degrees(angle) < at - 0.05, 9000.0, 0.0) for name, at in free_at.items()}
    loads |= {name.replace("L", "R"): np.full(401, 9000.0) for name in free_at}
    lateral = {name: 1.0 if name[0] == "L" else -1.0 for name in loads}
    wheels = {1: ["L1", "R1", "L2", "R2"], 2: ["L3", "R3"], 3: ["L4", "R4"]}
    found = tilt_table(angle, loads, lateral, 1.2, None, wheels, rolling_together(units(coupling)))
    assert found["lift_angle_unit1"][0] == pytest.approx(31.0) and found["first_lift_angle_unit1"][0] == pytest.approx(
        24.0
    )
    assert found["lift_angle_unit2"][0] == pytest.approx(19.0) and found["lift_angle_unit3"][0] == pytest.approx(36.0)
    tips = 19.0 if coupling == "ball" else 31.0
    assert found["rollover_angle"][0] == pytest.approx(tips) and found["first_lift_angle"][0] == pytest.approx(19.0)
    assert found["tilt_table_ratio"][0] == pytest.approx(math.tan(math.radians(tips)))
    assert found["static_stability_factor"][0] == pytest.approx(1.0 / 1.2)


@pytest.mark.parametrize(("direction", "side"), [("left", 1.0), ("right", -1.0)])
def test_the_circle_tells_what_units_do_at_two_metres_per_second_squared(direction: str, side: float) -> None:
    time = np.linspace(0.0, 60.0, 3001)
    ay = 0.6 + 0.05 * time
    channels = {
        "System_Mass_Center.Tracking_Ay": side * ay,
        "Axle.Off_Tracking.3": side * (0.4 - 0.31 * ay),
        "unit2.Articulation.yaw": -side * (0.05 + 0.01 * ay),
        "Load_Transfer_Ratio": side * 0.11 * ay,
        "unit2.Load_Transfer_Ratio": side * 0.17 * ay,
    }
    named = ("m/s2", "m", "rad", "-", "-")
    listed = [
        {"name": "a", "towed_by": 0, "coupling": "", "groups": [[1], [2]]},
        {"name": "b", "towed_by": 1, "coupling": "ball", "groups": [[3]]},
    ]
    told = {
        "vehicle": {"name": "train", "units": listed},
        "event": {"kind": "x", "parameters": {"direction": direction}},
    }
    run = Run(time, channels, dict(zip(channels, named, strict=True)), told)
    found = of_units(run)
    assert found["off_tracking_last"][0] == pytest.approx(0.4 - 0.62, abs=1e-6), "outwards is negative"
    assert found["hitch_angle_unit2"][0] == pytest.approx(-math.degrees(0.07), rel=1e-6)
    assert found["ltr_unit1"][0] == pytest.approx(0.22, rel=1e-6)
    assert found["ltr_unit2"][0] == pytest.approx(0.34, rel=1e-6)
    slow = of_units(run.between(0.0, 20.0))
    assert math.isnan(slow["ltr_unit2"][0]) and "2 m/s² is not among" in slow.warnings[0]
    alone = run.with_metadata(vehicle={"name": "car", "units": listed[:1]})
    assert of_units(alone) == {}
