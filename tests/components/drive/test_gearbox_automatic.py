"""Automatic gearboxes: programs, no hunting, shifts under load."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from drive_rig import bench
from drivelines import AUTOMATIC, CONVERTER, ENGINE, REAR

RAW: dict[str, Any] = {"layout": "rwd", "engine": ENGINE, "clutch": CONVERTER, "gearbox": AUTOMATIC, "rear": REAR}
MODE = "GearBox.automatic_gearbox_shifting_mode"


def start(sim: Any, spin: float, inertia: float = 30.0) -> None:
    sim.set_parameters({"L2.inertia": inertia, "R2.inertia": inertia})
    sim.set_states({"L2.spin": spin, "R2.spin": spin, "driveline.crank.speed": 150.0})


def test_a_ramp_of_speed_shifts_at_the_map_and_does_not_hunt() -> None:
    """With wheels that nobody can hold, speed rises evenly: each shift at n_up of its gear, once; and down likewise."""
    sim = bench(RAW)
    start(sim, 5.0, 1e7)
    sim.set_inputs({"throttle": 0.4, "L2.load": 4e7, "R2.load": 4e7})  # 4 rad/s²
    up, down = 210.0 + 0.4 * 350.0, 110.0 + 0.4 * 150.0
    gear, seen = 1.0, []
    for _ in range(30000):
        before = sim.output("Transmission.input_rpm")
        sim.advance(1)
        if sim.output("Transmission.gear") != gear:
            seen.append((gear, sim.output("Transmission.gear"), before))
            gear = sim.output("Transmission.gear")
        if gear == 6.0:
            break
    assert [(a, b) for a, b, _ in seen] == [(g, g + 1) for g in range(1, 6)]
    for a, _, speed in seen:
        growth = AUTOMATIC["ratios"][int(a) - 1] * 3.7 * 4.0 * 1e-3
        assert up - 1e-6 < speed + 2 * growth and speed < up + 2 * growth
    sim.set_inputs({"L2.load": -4e7, "R2.load": -4e7})
    for _ in range(30000):
        before = sim.output("Transmission.input_rpm")
        sim.advance(1)
        if sim.output("Transmission.gear") != gear:
            assert sim.output("Transmission.gear") == gear - 1 and before == pytest.approx(down, abs=0.1)
            gear -= 1
        if gear == 1.0:
            break
    assert gear == 1.0


@pytest.mark.parametrize("speed", ["engine", "output"])
def test_programs_over_the_speed_of_the_engine_or_of_the_output(speed: str) -> None:
    level = 210.0 if speed == "engine" else 60.0
    flat = {"x": [1.0, 6.0], "z": [0.0, 1.0]}
    program = {"up": {**flat, "y": [[level] * 2] * 2}, "down": {**flat, "y": [[0.4 * level] * 2] * 2}}
    sim = bench({**RAW, "gearbox": {**AUTOMATIC, "speed": speed, "comfort": program, "sport": None}})
    start(sim, 5.0, 1e7)
    sim.set_inputs({"throttle": 0.3, "L2.load": 4e7, "R2.load": 4e7})
    name = "Engine.engine_rpm" if speed == "engine" else "Transmission.output_rpm"
    sim.advance(2)
    assert sim.output("Transmission.gear") == 1.0
    while sim.output("Transmission.gear") == 1.0 and sim.time < 12.0:
        seen = sim.output(name)
        sim.advance(1)
    assert seen == pytest.approx(level, abs=1.0)


def test_sport_shifts_later_and_may_be_switched_in_a_run() -> None:
    sim = bench(RAW, inputs=[MODE])
    start(sim, 17.0, 1e9)  # 264 rad/s in the first gear
    sim.set_inputs({MODE: 1.0, "throttle": 0.0})
    sim.set_states({"driveline.crank.speed": 264.0})
    sim.m[:] = sim.derivatives()[1]
    sim.run(1.5)
    first = sim.output("Transmission.gear")
    sim.set_inputs({MODE: 0.0})
    sim.run(3.5)
    assert sim.output("Transmission.gear") > first or first == 2.0
    assert sim.output("Transmission.automatic_gearbox_shifting_mode") == 0.0


def test_a_shift_under_load_has_no_gap_and_takes_its_time() -> None:
    """The turbine is led from one speed to the next; torque at the wheels never vanishes."""
    sim = bench(RAW)
    start(sim, 6.0)
    sim.set_inputs({"throttle": 0.9})
    gears, torques, ratios = [], [], []
    for _ in range(4000):
        sim.advance(1)
        gears.append(sim.output("Transmission.gear"))
        ratios.append(sim.output("Transmission.ratio"))
        torques.append(sim.output("hub.L2"))
    changes = np.flatnonzero(np.diff(gears) > 0)
    assert len(changes) >= 1
    k = changes[0] + 1
    assert min(torques[k : k + 450]) > 100.0
    moving = np.flatnonzero(np.abs(np.diff(ratios[k - 1 : k + 600])) > 1e-9)
    assert len(moving) == pytest.approx(400, abs=2), "shift_time of the converter"


def test_shifts_up_under_load_converge_with_the_step_and_do_not_chatter() -> None:
    """Four seconds through three shifts; the instant of a shift is a sample, so that errors fall with the step."""

    def driven(step: float) -> np.ndarray:
        sim = bench(RAW, step=step)
        start(sim, 6.0)
        sim.set_inputs({"throttle": 0.9})
        rows = []
        for _ in range(400):
            sim.advance(round(0.01 / step))
            rows.append([sim.state("driveline.crank.speed"), sim.state("L2.spin"), sim.output("hub.L2")])
        assert sim.output("Transmission.gear") == 4.0
        return np.array(rows)

    exact = driven(1.25e-4)
    size = np.abs(exact).max(axis=0)
    errors = {step: np.abs(driven(step) - exact).max(axis=0) / size for step in (1e-3, 2.5e-4)}
    assert (errors[1e-3] < 0.01).all() and (errors[2.5e-4] < 0.35 * errors[1e-3]).all()
    # torque rises and falls a few times in each shift: it does not alternate from row to row
    turns = np.diff(np.sign(np.diff(exact[:, 2])))
    assert np.count_nonzero(turns) < 40


def test_programs_that_hunt_are_refused() -> None:
    bad = {**AUTOMATIC["comfort"], "down": {"x": [1.0, 6.0], "z": [0.0, 1.0], "y": [[205.0, 260.0], [205.0, 260.0]]}}
    with pytest.raises(ValueError, match="would shift down again"):
        bench({**RAW, "gearbox": {**AUTOMATIC, "comfort": bad}})
