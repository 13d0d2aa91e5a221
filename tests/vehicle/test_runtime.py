"""A car while it runs: parameters changed on the way, frames of its channels, its output map."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from jounce import events
from jounce.events.start import Start
from jounce.results.output_map import OutputMap
from jounce.sim import car as cars
from jounce.symbolic.system import System
from jounce.vehicle.reading import load

FRICTION = "steering.rack_pinion.friction."


@lru_cache
def sedan() -> Any:
    return load("sedan")


def rolling(event: events.Event) -> Start:
    return Start(cars.describe(sedan(), parts=event.parts()), event)


def test_a_parameter_changed_while_running_acts_as_if_it_had_always_been_so() -> None:
    """After the transient: the roll angle in a steady turn with another anti-roll bar; friction would remember."""
    event = events.StepSteer(amplitude="15 deg", end_time=6.0)
    name = "axle1.anti_roll_bar.scale"

    def roll(before: float, after: float) -> float:
        start = rolling(event)
        still = {key: 0.0 for key in start.sim.parameters if key.endswith(".element1.scale")}
        still |= {key: math.copysign(1e-9, start.sim.parameter(key)) for key in start.sim.parameters if FRICTION in key}
        start.sim.set_parameters({name: before, **still})
        start.sim.set_program(event.program(start))
        start.sim.advance(3000)
        start.sim.set_parameters({name: after})
        start.sim.advance(2900)
        return start.sim.output("chassis_displacements.roll")

    plain, changed, always = roll(1.0, 1.0), roll(1.0, 0.5), roll(0.5, 0.5)
    assert abs(changed - plain) > 0.1 * abs(plain)
    # what is left of the transient after 2.9 s, roll mode 2 Hz with damping ratio 0.4: exp(-0.4·2π·2·2.9) = 5e-7
    assert changed == pytest.approx(always, rel=1e-4)


def test_vectors_come_back_from_a_frame_unchanged() -> None:
    import casadi

    system = System("frames")
    frame = system.free("body").frame
    there = frame.to_world(frame.from_world([1.0, -2.0, 3.0]))
    symbols = casadi.symvar(casadi.vertcat(*there))
    function = casadi.Function("f", [casadi.vertcat(*symbols)], [casadi.vertcat(*there)])
    q = np.array([0.3, -0.5, 0.7, 0.4])
    values = function(q[: len(symbols)] / np.linalg.norm(q))
    assert np.array(values).ravel() == pytest.approx([1.0, -2.0, 3.0], abs=1e-12)


def test_levelled_frames_keep_their_vertical_when_the_body_pitches() -> None:
    sim = cars.simulation(sedan())
    pitch, yaw = math.radians(10), math.radians(37)
    first = sim.model.quaternions[0]
    names = [v.name for v in sim.model.states[first : first + 4]]
    half = (math.cos(yaw / 2), math.sin(yaw / 2), math.cos(pitch / 2), math.sin(pitch / 2))
    cy, sy, cp, sp = half
    sim.set_states(dict(zip(names, (cy * cp, -sy * sp, cy * sp, sy * cp), strict=True)))  # Rz(yaw) Ry(pitch)
    sim.set_states({"chassis.z": 100.0, "chassis.vx": 20.0})  # high above the ground: only gravity acts
    assert sim.output("chassis_displacements.pitch") == pytest.approx(pitch, abs=1e-12)
    assert sim.output("chassis_displacements.yaw") == pytest.approx(yaw, abs=1e-12)
    # 20 m/s along the nose, ten degrees down: 20 cos(10°) level, 20 sin(10°) down, nothing across
    assert sim.output("Gyro.gyro_VX") == pytest.approx(20 * math.cos(pitch), abs=1e-9)
    assert sim.output("Vehicle.CM_Tracking_Vx") == pytest.approx(20 * math.cos(pitch), abs=1e-9)
    assert sim.output("Vehicle.CM_Tracking_Vy") == pytest.approx(0.0, abs=1e-9)
    assert sim.output("Vehicle.CM_Global_And_Tracking_Vz") == pytest.approx(-20 * math.sin(pitch), abs=1e-9)
    assert sim.output("Vehicle.CM_Global_Vx") == pytest.approx(20 * math.cos(pitch) * math.cos(yaw), abs=1e-9)


def test_another_damper_adds_its_channels_to_the_map_and_leaves_the_rest() -> None:
    def channels(vehicle: Any) -> list[str]:
        return [v.name for v in cars.library(cars.describe(vehicle)).model.outputs]

    before = OutputMap().update(channels(sedan())).set("Suspension.Jounce.L1", scale=1e3, unit="mm")
    dampers = [*sedan().front_suspension.dampers, {"rate": "200 N.s/m", "name": "second"}]
    after = before.update(channels(sedan().with_(**{"front_suspension.dampers": dampers})))
    new = set(after.entries) - set(before.entries)
    assert new == {
        f"secondary_damper.{q}.front_{s}" for q in ("force", "velocity", "displacement") for s in ("left", "right")
    }
    assert all(after.entries[name] == before.entries[name] for name in before.entries)
