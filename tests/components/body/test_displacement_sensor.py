"""Displacement sensors: places and angles of markers, by matrices written here."""

from __future__ import annotations

import numpy as np
import pytest

import jounce.vehicle as jv
from axle_lists import one_axle, vehicle_of
from jounce.components.body.displacement_sensor import euler, projected, yaw_pitch_roll
from jounce.core.errors import ParameterError
from sensor_rig import BODIES, MARKER, QUATERNION, SENSOR_POINT, Rigid, flying, rotation, told


def about(axis: str, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array({
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]], "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }[axis])  # fmt: skip


def turn_of(marker: dict[str, float]) -> np.ndarray:
    psi, theta, phi = (marker.get(name, 0.0) for name in ("psi", "theta", "phi"))
    return about("z", psi) @ about("x", theta) @ about("z", phi)


CHASSIS = rotation(QUATERNION / np.linalg.norm(QUATERNION))
HEADING = float(np.arctan2(CHASSIS[1, 0], CHASSIS[0, 0]))


def test_a_place_on_the_chassis_is_where_the_body_takes_it() -> None:
    sim = flying()
    expected = Rigid(sim).point(np.array(MARKER["location"]))
    assert told(sim, "User_Sensor.place_chassis", "X Y Z") == pytest.approx(expected, abs=1e-12)


def test_a_place_on_a_carrier_counts_from_its_wheel_centre() -> None:
    """The pose of the carrier is that of the sensor's own angles; its wheel centre that of the wheel's channels."""
    sim = flying()
    yaw, pitch, roll = told(sim, "User_Sensor.ypr_left", "YAW PITCH ROLL")
    turned = about("z", yaw) @ about("y", pitch) @ about("x", roll) @ turn_of(BODIES["left"]).T
    centre = np.array([sim.output(f"Wheel.Global_{a}.L1") for a in "XYZ"])
    design = jv_centre()
    expected = centre + turned @ (np.array(BODIES["left"]["location"]) - design)
    assert told(sim, "User_Sensor.place_left", "X Y Z") == pytest.approx(expected, abs=1e-12)


def jv_centre() -> np.ndarray:
    from sensor_rig import vehicle

    return np.asarray(vehicle().layout.wheels["L1"].centre)


def test_a_place_in_levelled_axes_turns_with_the_heading_only() -> None:
    sim = flying()
    arm = np.array(BODIES["level"]["location"]) - SENSOR_POINT
    expected = Rigid(sim).point(SENSOR_POINT) + about("z", HEADING) @ arm
    assert told(sim, "User_Sensor.place_level", "X Y Z") == pytest.approx(expected, abs=1e-12)


def test_between_two_carriers_along_a_third_marker() -> None:
    sim = flying()
    apart = told(sim, "User_Sensor.place_left", "X Y Z") - told(sim, "User_Sensor.place_right", "X Y Z")
    axes = CHASSIS @ turn_of(MARKER)
    assert told(sim, "User_Sensor.place_between", "X Y Z") == pytest.approx(axes.T @ apart, abs=1e-12)


def test_identical_markers_tell_nothing() -> None:
    sim = flying()
    for name, channels in (("place", "X Y Z"), ("angles", "AX AY AZ"), ("euler", "PSI THETA PHI")):
        assert told(sim, f"User_Sensor.{name}_same", channels) == pytest.approx([0.0] * 3, abs=1e-12), name
    assert told(sim, "User_Sensor.ypr_same", "YAW PITCH ROLL") == pytest.approx([0.0] * 3, abs=1e-12)


def test_markers_of_one_body_do_not_see_how_it_moves() -> None:
    """Between carriers only what the suspension does counts, whatever the chassis does."""
    one = told(flying(), "User_Sensor.place_between", "X Y Z")
    moved = flying(**{"chassis.x": -3.0, "chassis.y": 8.0, "chassis.z": 11.0, "chassis.e0": 0.1, "chassis.e2": -0.9})
    assert told(moved, "User_Sensor.place_between", "X Y Z") == pytest.approx(one, abs=1e-11)


def test_angles_of_a_marker_are_those_of_its_matrix() -> None:
    sim = flying()
    r = CHASSIS @ turn_of(MARKER)
    psi, theta, phi = told(sim, "User_Sensor.euler_chassis", "PSI THETA PHI")
    assert about("z", psi) @ about("x", theta) @ about("z", phi) == pytest.approx(r, abs=1e-12)
    yaw, pitch, roll = told(sim, "User_Sensor.ypr_chassis", "YAW PITCH ROLL")
    assert about("z", yaw) @ about("y", pitch) @ about("x", roll) == pytest.approx(r, abs=1e-12)
    ax, ay, az = told(sim, "User_Sensor.angles_chassis", "AX AY AZ")
    assert [np.tan(ax), np.tan(ay), np.tan(az)] == pytest.approx(
        [r[2, 1] / r[1, 1], r[0, 2] / r[2, 2], r[1, 0] / r[0, 0]], rel=1e-11
    )


@pytest.mark.parametrize("degrees", [-179.0, -120.0, -90.0, -30.0, 0.0, 45.0, 90.0, 91.0, 135.0, 179.5])
def test_a_turn_about_one_axis_has_its_exact_angle(degrees: float) -> None:
    angle = np.radians(degrees)
    for axis in "xyz":
        found = projected(about(axis, angle))
        assert found[f"A{axis.upper()}"] == pytest.approx(angle, abs=1e-14)
    assert euler(about("z", angle)) == pytest.approx({"PSI": angle, "THETA": 0.0, "PHI": 0.0}, abs=1e-14)
    assert yaw_pitch_roll(about("z", angle))["YAW"] == pytest.approx(angle, abs=1e-14)
    assert yaw_pitch_roll(about("x", angle))["ROLL"] == pytest.approx(angle, abs=1e-14)
    if degrees > 0:
        assert euler(about("x", angle)) == pytest.approx({"PSI": 0.0, "THETA": angle, "PHI": 0.0}, abs=1e-14)
    if abs(degrees) <= 90:
        assert yaw_pitch_roll(about("y", angle))["PITCH"] == pytest.approx(angle, abs=1e-14)


def test_euler_angles_make_their_matrix_where_two_axes_are_one() -> None:
    for r in (np.eye(3), about("z", 2.3), about("z", -0.7) @ about("x", np.pi)):
        found = euler(r)
        again = about("z", found["PSI"]) @ about("x", found["THETA"]) @ about("z", found["PHI"])
        assert again == pytest.approx(r, abs=1e-9)


def test_a_car_without_a_split_body_has_one_chassis_under_all_its_words() -> None:
    raw = one_axle()
    raw["sensors"] = [{"kind": "displacement", "name": w, "i": {"body": w}} for w in ("front_chassis", "rear_chassis")]
    assert isinstance(vehicle_of(raw), jv.Vehicle)


def test_bad_sensors_say_where_and_what() -> None:
    car = jv.load("sedan")

    def refused(*messages: str, **sensor: object) -> None:
        with pytest.raises(ParameterError) as found:
            car.with_(sensors=[{"kind": "velocity", "name": "fine"}, sensor])
        for message in messages:
            assert message in str(found.value)

    refused("sensors[1].i.body", "no body of this vehicle", "L1", kind="velocity", name="a", i={"body": "L7"})
    refused("sensors[1].name", "not a name", kind="velocity", name="driver's seat")
    refused("sensors[1].name", "another one of this name", kind="velocity", name="fine")
    refused("sensors[1].name", "missing", kind="velocity")
    refused("sensors[1].kind", "which of", name="a")
    refused("sensors[1].gravity", "no gravity", kind="acceleration", name="a", gravity=True, freedom="rotational")
    refused("sensors[1].body", "'ground'", kind="motion", name="a", body="ground")
