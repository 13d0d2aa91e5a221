"""How bodies moved, from channels: against rotation matrices written out here, and against forces that the model tells
in world axes by another way."""

from __future__ import annotations

import numpy as np
import pytest

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.results.motion import Follower, Moving, motion
from trains import car_trailer

YAW, PITCH, ROLL = 2.1, -0.2, 0.3
STEER, CAMBER, SIDE_VIEW = 0.35, -0.11, 0.07


def about(axis: int, angle: float) -> np.ndarray:
    """Rotation matrix about one axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m = np.eye(3)
    m[i, i] = m[j, j] = np.cos(angle)
    m[j, i], m[i, j] = np.sin(angle), -np.sin(angle)
    return m


def matrix(q: np.ndarray) -> np.ndarray:
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def channels(n: int, wheels: tuple[str, ...] = ("R2", "L2", "R10"), spin: float = 0.0) -> dict[str, np.ndarray]:
    """Constant angles, all different."""
    given = {"Vehicle.Yaw": YAW, "Vehicle.Pitch": PITCH, "Vehicle.Euler_Roll": ROLL}
    given |= {f"Vehicle.Origin_Global_{axis}": v for axis, v in zip("XYZ", (10.0, -20.0, 0.5), strict=True)}
    for k, wheel in enumerate(wheels):
        given |= {f"Wheel.Global_{axis}.{wheel}": 3.0 * k + i for i, axis in enumerate("XYZ")}
        given |= {f"Wheel.Spindle_Steer.{wheel}": STEER, f"wheel_angles.camber_{wheel}": CAMBER}
        given |= {f"Wheel.Side_View_Angle.{wheel}": SIDE_VIEW, f"Wheel.Omega.{wheel}": spin}
    return {name: np.full(n, v) for name, v in given.items()}


def test_bodies_point_where_their_angles_say() -> None:
    found = motion(np.arange(2.0), channels(2))
    assert found.bodies == ("body", "L2", "R2", "R10")
    body = about(2, YAW) @ about(1, PITCH) @ about(0, ROLL)
    assert matrix(found.attitude[0, 0]) == pytest.approx(body, abs=1e-14)
    # camber: top outwards, to the left (+y) on a left wheel; side view angle: top rearwards
    for k, outwards in ((1, 1.0), (2, -1.0), (3, -1.0)):
        own = matrix(found.attitude[0, k]).T  # world in wheel axes
        relative = body.T @ own.T
        expected = about(2, STEER) @ about(0, -outwards * CAMBER) @ about(1, -SIDE_VIEW)
        assert relative == pytest.approx(expected, abs=1e-14)
    up = matrix(motion([0.0], channels(1) | {"Vehicle.Yaw": np.zeros(1)}).attitude[0, 1])[:, 2]
    assert np.isfinite(up).all()
    assert found.position[1, 2] == pytest.approx([0.0, 1.0, 2.0])  # R2 was first of the wheels that were given


def test_positive_camber_leans_outwards_and_positive_side_view_rearwards() -> None:
    level = {f"Vehicle.{name}": np.zeros(1) for name in ("Yaw", "Pitch", "Euler_Roll")}
    names = channels(1, ("L1", "R1")) | level
    names |= {f"Wheel.Spindle_Steer.{w}": np.zeros(1) for w in ("L1", "R1")}
    names |= {f"wheel_angles.camber_{w}": np.full(1, 0.05) for w in ("L1", "R1")}
    names |= {f"Wheel.Side_View_Angle.{w}": np.full(1, 0.02) for w in ("L1", "R1")}
    found = motion([0.0], names)
    left, right = (matrix(found.attitude[0, k])[:, 2] for k in (1, 2))
    assert left[1] > 0.04 and right[1] < -0.04
    assert left[0] == pytest.approx(right[0]) and left[0] < -0.015


def test_wheels_turn_forwards_and_go_on_from_chunk_to_chunk() -> None:
    level = {f"Vehicle.{name}": np.zeros(5) for name in ("Yaw", "Pitch", "Euler_Roll")}
    zero = {name: np.zeros(5) for name in channels(1, ("L1",)) if "L1" in name and "Global" not in name}
    names = channels(5, ("L1",)) | level | zero | {"Wheel.Omega.L1": np.array([0.0, 1.0, 2.0, 3.0, 4.0])}
    time = 0.1 * np.arange(5)
    whole = motion(time, names)
    # ∫ t/0.1 dt = 5 t², exact for the trapezoidal rule of a straight line; +y turns the top forwards
    top = matrix(whole.attitude[-1, 1])[:, 2]
    assert np.arctan2(top[0], top[2]) == pytest.approx(5 * 0.4**2, abs=1e-12)
    follower = Follower(Moving.of(names))
    pieces = [follower(time[s], {k: v[s] for k, v in names.items()}) for s in (slice(0, 2), slice(2, 2), slice(2, 5))]
    assert np.concatenate([p.attitude for p in pieces]) == pytest.approx(whole.attitude, abs=1e-14)
    again = follower(time[:1], {k: v[:1] for k, v in names.items()})  # the next run of a procedure
    assert matrix(again.attitude[0, 1]) == pytest.approx(np.eye(3), abs=1e-14)


def test_what_was_not_recorded_is_named() -> None:
    names = channels(1)
    del names["Vehicle.Pitch"]
    with pytest.raises(ParameterError, match=r"'Vehicle\.Pitch' was not recorded"):
        motion([0.0], names)
    names = channels(1)
    del names["Wheel.Omega.R2"]
    assert motion([0.0], names).bodies == ("body", "L2", "R10")  # a wheel whose motion is not known is left out


def test_forces_and_wheels_of_a_turn_are_those_that_the_model_tells_in_world_axes() -> None:
    """The model turns forces into world axes by its own frames; here they follow from angles alone."""
    event = jn.events.StepSteer(speed="80 km/h", amplitude="-60 deg", end_time=2.5, heading=2.0)
    run = jn.run(jn.load("sedan"), event)
    found = motion(run.time, run)
    assert found.tires == ("L1", "R1", "L2", "R2")
    for k, tire in enumerate(found.tires):
        told = np.column_stack([run[f"Tire.Hub_Carrier_Force_Global_{axis}.{tire}"] for axis in "XYZ"])
        # the model's force includes nothing else; angles are recorded in double precision
        assert found.force[:, k] == pytest.approx(told, abs=1e-6 * np.abs(told).max())
        # wheel centre and contact point lie a loaded radius apart
        apart = np.linalg.norm(found.position[:, 1 + k] - found.point[:, k], axis=1)
        assert apart == pytest.approx(run[f"Tire.Loaded_Radius.{tire}"], rel=1e-6)
    assert np.abs(found.force[-1, :, 1]).max() > 500  # it does turn


def test_what_is_towed_moves_by_itself_and_hangs_at_the_hitch() -> None:
    """A car with a trailer turns: both tell the same place of the ball; wheels of the trailer stand as forces say."""
    vehicle = car_trailer()
    event = jn.events.StepSteer(speed="60 km/h", amplitude="-70 deg", end_time=2.5, heading=2.0)
    run = jn.run(vehicle, event)
    found = motion(run.time, run)
    assert found.bodies == ("body", "unit2", "L1", "R1", "L2", "R2", "L3", "R3")
    ball = np.array([-3.53, 0.0, 0.43])
    places = []
    for k, offset in ((0, np.zeros(3)), (1, vehicle.layout.units[1].offset)):
        turned = np.array([matrix(q) for q in found.attitude[:, k]])
        places.append(found.position[:, k] + turned @ (ball - offset))
    np.testing.assert_allclose(places[0], places[1], atol=1e-6)
    heading = np.array([[np.arctan2(m[1, 0], m[0, 0]) for m in map(matrix, at)] for at in found.attitude[:, :2]])
    assert (heading[:, 1] - heading[:, 0]).max() > 0.02  # to the right: the trailer comes later
    for k, tire in enumerate(found.tires):
        told = np.column_stack([run[f"Tire.Hub_Carrier_Force_Global_{axis}.{tire}"] for axis in "XYZ"])
        assert found.force[:, k] == pytest.approx(told, abs=1e-6 * np.abs(told).max()), tire
    first = motion(run.time, {name: run[name] for name in run.names})  # nobody says whose wheels they are
    assert np.abs(first.force[:, 4] - found.force[:, 4]).max() > 50
