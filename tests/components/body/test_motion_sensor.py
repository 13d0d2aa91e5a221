"""Motion sensors: 27 channels against a motion that is integrated and differentiated here."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.components.body.motion_sensor import Mounting
from jounce.core.constants import GRAVITY
from models import derivative
from sensor_rig import MOUNTING, ON_WHEEL, SEAT, Rigid, flying, rotation, told

NUMBERS = {1: 3, 2: 6, 3: 13, 4: 24, 5: 27}


def axes_of(rigid: Rigid) -> np.ndarray:
    """Of the sensor, in the world, as columns: roll, then pitch, then yaw about the new axes."""
    r, p, y = (MOUNTING[name] for name in ("roll", "pitch", "yaw"))
    x = np.array([[1, 0, 0], [0, np.cos(r), -np.sin(r)], [0, np.sin(r), np.cos(r)]])
    across = np.array([[np.cos(p), 0, np.sin(p)], [0, 1, 0], [-np.sin(p), 0, np.cos(p)]])
    z = np.array([[np.cos(y), -np.sin(y), 0], [np.sin(y), np.cos(y), 0], [0, 0, 1]])
    return np.asarray(rotation(rigid.q) @ x @ across @ z)


@pytest.mark.parametrize("option", [*NUMBERS])
def test_options_have_their_channels(option: int) -> None:
    sim = flying()
    found = [v.name for v in sim.model.outputs if v.name.startswith(f"Motion_Sensor.box{option}.")]
    assert len(found) == NUMBERS[option]
    assert ("Motion_Sensor.box4.Rho" in found) is False


def test_place_velocity_and_acceleration_of_an_integrated_path() -> None:
    sim = flying()
    rigid = Rigid(sim)
    axes = axes_of(rigid)
    r = rigid.point(SEAT)
    v, error = derivative(lambda t: rigid.point(SEAT, t), h=1e-2)
    a = rigid.second(SEAT)
    box = "Motion_Sensor.box5"
    assert told(sim, box, "X Y Z") == pytest.approx(r, abs=1e-12)
    assert told(sim, box, "VxN VyN VzN") == pytest.approx(v, abs=float(error.max()) + 1e-10)
    assert told(sim, box, "Vx Vy Vz") == pytest.approx(axes.T @ v, abs=float(error.max()) + 1e-10)
    assert told(sim, box, "V") == pytest.approx([np.linalg.norm(v)], abs=1e-9)
    assert told(sim, box, "AVx AVy AVz") == pytest.approx(axes.T @ rotation(rigid.q) @ rigid.w, abs=1e-12)
    assert told(sim, box, "AxN AyN AzN") == pytest.approx(a, abs=1e-8)
    assert told(sim, box, "Ax Ay Az") == pytest.approx(axes.T @ a, abs=1e-8)
    down = np.array([0.0, 0.0, -GRAVITY])
    assert told(sim, box, "AxG AyG AzG") == pytest.approx(axes.T @ (a + down), abs=1e-8)
    assert told(sim, "Motion_Sensor.box_felt", "AxG AyG AzG") == pytest.approx(axes.T @ (a - down), abs=1e-8)
    tangent = v / np.linalg.norm(v)
    along = a @ tangent
    across = np.linalg.norm(a - along * tangent)
    assert told(sim, box, "At Ac Rho") == pytest.approx([along, across, across / (v @ v)], abs=1e-8)
    assert across > 1.0 and abs(along) > 0.3


def test_a_sensor_on_a_carrier_moves_with_it() -> None:
    """The acceleration is the rate of the velocity, the velocity that of the place, along the motion."""
    sim = flying()
    x, f = sim.x.copy(), sim.derivatives()[0]
    hub = "Motion_Sensor.hub"
    for of, names in (("X Y Z", "VxN VyN VzN"), ("VxN VyN VzN", "AxN AyN AzN")):
        rate, error = derivative(lambda t, of=of: told(sim, hub, of, sim.outputs(x=x + t * f)), h=1e-2)  # type: ignore[misc]
        assert np.all(np.abs(told(sim, hub, names) - rate) <= error + 1e-9)
    beside = told(sim, hub, "X Y Z") - [sim.output(f"Wheel.Global_{a}.L1") for a in "XYZ"]
    from sensor_rig import vehicle

    assert np.linalg.norm(beside) == pytest.approx(np.linalg.norm(ON_WHEEL - vehicle().layout.wheels["L1"].centre))


def test_jerk_is_the_difference_of_accelerations_over_the_step() -> None:
    """Adams–Bashforth evaluates once per step: rows of every step hold what jerk is made of."""
    sim = flying()
    names = [f"Motion_Sensor.box4.{n}" for n in ("Ax", "Ay", "Jx", "Jy")]
    found = sim.run(0.05, method="AB-2", step=0.001, interval=0.001, channels=names)
    ax, ay, jx, jy = (found.data[:, found.names.index(n)] for n in names)
    time = found.time
    assert jx[0] == 0.0 and jy[0] == 0.0
    # the multi-step method starts with four-stage steps, whose last evaluation is half a step ago
    late = slice(5, None)
    for a, j in ((ax, jx), (ay, jy)):
        assert j[late] == pytest.approx((np.diff(a) / np.diff(time))[4:], rel=1e-9, abs=1e-6)
    assert np.abs(jx).max() > 1.0
    # second-order differences of the same rows: the jerk lags by half a step, 0.5 ms times the rate of the jerk
    centred = np.gradient(ax, time)
    assert (
        np.abs(jx[6:-1] - centred[6:-1]).max()
        < 0.02 * np.abs(jx).max() + 0.6e-3 * np.abs(np.gradient(jx[6:-1], 1e-3)).max()
    )


def test_at_rest_it_shows_gravity_and_no_path() -> None:
    sim = flying(
        **{f"chassis.{k}{a}": 0.0 for k in "vw" for a in "xyz"}, **{"L1.jounce.rate": 0.0, "R1.jounce.rate": 0.0}
    )
    assert told(sim, "Motion_Sensor.box5", "V At Ac Rho") == pytest.approx([0.0] * 4, abs=1e-12)


def test_how_a_mounted_sensor_looks() -> None:
    """Turned about one axis alone, it is seen so from there."""
    for name in ("roll", "pitch", "yaw"):
        seen = Mounting(**{name: 0.4}).seen
        assert seen[name] == pytest.approx(0.4)
        assert [v for k, v in seen.items() if k != name] == pytest.approx([0.0, 0.0], abs=1e-15)
    both = Mounting(pitch=0.5, yaw=0.3)  # the x axis after pitch and yaw: (cos p cos y, sin y, -sin p cos y)
    assert both.seen["yaw"] == pytest.approx(np.arctan2(np.sin(0.3), np.cos(0.5) * np.cos(0.3)))
    assert both.seen["pitch"] == pytest.approx(0.5)
