"""Ride heights over speed and load: both agree at equal load, and with what a running car has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce.vehicle as jv
from cars import compact, plain
from jounce.core.errors import ParameterError
from jounce.rigs.ride_heights import RideHeights, over_load, over_speed
from jounce.sim import car
from jounce.sim.quasi_static import Road
from jounce.sim.statics import settle
from jounce.sim.steady import run_steadily

SPEEDS = (15.0, 25.0, 35.0, 50.0)


@pytest.fixture(scope="module")
def winged() -> jv.Vehicle:
    """A car whose wheels move straight up and down, with much downforce at its axles; the drag is small."""
    base = compact()
    x = {axle: base.suspension(axle).wheel_centre_x for axle in (1, 2)}
    aero = {
        "kind": "advanced", "frontal_area": 1.7, "front_location": [x[1], 0, 0.3], "rear_location": [x[2], 0, 0.3],
        "center_location": [-1.2, 0, 0.4], "cz": 1.1, "balance": 0.41, "cx_body": 0.02,
    }  # fmt: skip
    return base.with_(aero=aero, **plain(base))


@pytest.fixture(scope="module")
def by_speed(winged: jv.Vehicle) -> RideHeights:
    return over_speed(winged, SPEEDS, coast=False)


@pytest.fixture(scope="module")
def by_load(winged: jv.Vehicle) -> RideHeights:
    return over_load(winged, 0.7, 1.5, 9)


@pytest.mark.slow
def test_heights_over_load_fall_and_pass_through_the_car_at_rest(winged: jv.Vehicle, by_load: RideHeights) -> None:
    description = car.describe(winged)
    sim = car.simulation(description)
    settle(sim, description)
    for end, axle in (("front", 1), ("rear", 2)):
        heights, loads = getattr(by_load, end), getattr(by_load, f"{end}_load")
        assert (np.diff(loads) > 0).all() and (np.diff(heights) < 0).all()
        at_rest = sum(sim.output(f"Tire.Ground_Surface_Force_Z.{side}{axle}") for side in "LR")
        assert loads[np.argmin(abs(loads - at_rest))] == pytest.approx(at_rest, rel=1e-4)  # 100 % is among them
        found = np.interp(at_rest, loads, heights)
        assert found == pytest.approx(sim.output(f"aero_forces.height_{end}"), abs=2e-5)


def test_both_maps_give_the_same_height_at_equal_load(by_speed: RideHeights, by_load: RideHeights) -> None:
    """Springs and tires are nearly linear between the points: 0.1 mm; heights differ by centimetres."""
    for end in ("front", "rear"):
        loads = getattr(by_speed, f"{end}_load")
        inside = loads < getattr(by_load, f"{end}_load").max()
        assert inside.sum() >= 3
        there = np.interp(loads, getattr(by_load, f"{end}_load"), getattr(by_load, end))
        assert there[inside] == pytest.approx(getattr(by_speed, end)[inside], abs=1e-4)
        assert np.ptp(getattr(by_speed, end)) > 0.005


@pytest.mark.slow
def test_a_coast_down_gives_the_heights_of_its_loads(
    winged: jv.Vehicle, by_speed: RideHeights, by_load: RideHeights
) -> None:
    """A car that slows down is lower in front than one that is driven; at equal load its heights are the same."""
    found = over_speed(winged, SPEEDS[:3])
    for end in ("front", "rear"):
        there = np.interp(getattr(found, f"{end}_load"), getattr(by_load, f"{end}_load"), getattr(by_load, end))
        assert getattr(found, end) == pytest.approx(there, abs=1e-4)
    assert (found.front < by_speed.front[:3]).all() and (found.front > by_speed.front[:3] - 3e-3).all()


def test_a_running_car_has_the_height_of_the_map(winged: jv.Vehicle, by_speed: RideHeights) -> None:
    """Started at steady running and left alone for a second: map and car agree to a micrometre."""
    description = car.describe(winged)
    sim = car.simulation(description)
    settle(sim, description)
    found = run_steadily(sim, description, SPEEDS[2])
    sim.set_inputs({"throttle": found.throttle})
    sim.run(1.0)
    assert by_speed.speed is not None
    assert sim.output("chassis_velocities.longitudinal") == pytest.approx(by_speed.speed[2], abs=1e-4)
    for end in ("front", "rear"):
        assert sim.output(f"aero_forces.height_{end}") == pytest.approx(getattr(by_speed, end)[2], abs=1e-6)


def test_maps_are_kept_in_the_car_and_are_no_structure(
    winged: jv.Vehicle, by_speed: RideHeights, by_load: RideHeights, tmp_path: Path
) -> None:
    both = by_load.onto(by_speed.onto(winged))
    assert both.aero is not None and both.aero.ride_heights is not None
    maps = both.aero.ride_heights
    assert maps.front is not None and maps.rear_by_load is not None
    assert maps.front(SPEEDS[1]) == pytest.approx(by_speed.front[1], rel=1e-12)
    assert maps.at_speed(SPEEDS[3], (9.0, 9.0)) == pytest.approx((by_speed.front[3], by_speed.rear[3]), rel=1e-12)
    assert both.structure_key() == winged.structure_key()
    assert jv.load(both.save(tmp_path / "winged")) == both


def test_the_quasi_static_model_takes_its_drag_at_the_heights_of_the_map(winged: jv.Vehicle) -> None:
    """A drag that falls with the front ride height, which falls with speed: ½ ρ A (0.2 + h(v)) v²."""
    rising = {"x": [0.0, 1.0], "y": [0.2, 1.2]}
    maps = {"front": {"x": [10.0, 60.0], "y": [0.3, 0.1]}, "rear": 0.2}
    vehicle = winged.with_(**{"aero.cx_body": rising, "aero.ride_heights": maps, "system.splines.method": "linear"})
    v = np.array([5.0, 10.0, 35.0, 60.0, 80.0])
    height = np.interp(v, [10.0, 60.0], [0.3, 0.1])
    assert Road(vehicle, v, 0.0).drag == pytest.approx(0.5 * 1.2 * 1.7 * (0.2 + height) * v**2, rel=1e-9)
    without = vehicle.with_(**{"aero.ride_heights": None})
    assert Road(without, v, 0.0).drag[0] != pytest.approx(0.5 * 1.2 * 1.7 * 0.5 * 25.0, rel=1e-6)


def test_what_cannot_be_swept_is_refused(winged: jv.Vehicle) -> None:
    with pytest.raises(ParameterError, match="two or more, all above zero"):
        over_speed(winged, (0.0, 10.0))
    with pytest.raises(ParameterError, match="expected 0 < low < high"):
        over_load(winged, 1.2, 0.8)
    with pytest.raises(ParameterError, match="no aerodynamics"):
        over_load(winged.with_(aero=None))
