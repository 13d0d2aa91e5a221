"""Shafts that wind up: the shuffle of an engine against the wheels."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from drive_rig import bench
from drivelines import ENGINE

RATIO = 4.4
RAW = {
    "layout": "rwd", "engine": {**ENGINE, "idle_control": None, "overspeed_control": None},
    "rear": {"kind": "open_differential", "ratio": RATIO, "inertia": 0.02},
    "rear_shafts": {"kind": "elastic_shaft", "stiffness": 6300.0, "damping": 11.0, "inertia": 0.007},
}  # fmt: skip


def shuffle(step: float) -> tuple[float, float]:
    """Frequency and decay of the shuffle, rad/s and 1/s, from a wound-up start."""
    sim = bench(RAW, step=step)
    sim.set_parameters({"L2.inertia": 38.0, "R2.inertia": 38.0})
    inner = [v.name for v in sim.model.states if v.name.startswith("driveline.") and v.name.endswith(".speed")]
    sim.set_states(dict.fromkeys(("L2.spin", "R2.spin", *inner), 30.0))
    sim.set_inputs({"throttle": 35.0 / 285.0})  # no torque
    assert abs(sim.output("Engine.torque")) < 1e-9
    sim.set_states({f"driveline.rear_{side}_shaft.shaft.windup": 0.01 for side in ("left", "right")})
    found = []
    for _ in range(round(0.5 / step)):
        found.append(sim.state("driveline.rear_left_shaft.shaft.windup"))
        sim.advance(1)
    crossings = np.flatnonzero(np.diff(np.sign(found)))
    times = np.array([i + found[i] / (found[i] - found[i + 1]) for i in crossings]) * step
    period = 2 * float(np.mean(np.diff(times)))
    peaks = [max(np.abs(found[a:b])) for a, b in pairwise(crossings)]
    return 2 * math.pi / period, math.log(peaks[0] / peaks[4]) / (2 * period)


def test_the_shuffle_has_its_analytic_frequency_and_damping() -> None:
    """Two flywheels J_1 = i² J_e + 2 J_s and J_2 = 2 I on 2 k and 2 c: ω² = 2k (1/J_1 + 1/J_2), decay c (…).

    The inner ends of the shafts are light: their own mode, 250 Hz, is beyond a step of 1 ms, and taken implicitly.
    """
    j1, j2 = RATIO**2 * (0.15 + 0.02) + 2 * 0.007, 76.0
    softness = 1 / j1 + 1 / j2
    omega, decay = math.sqrt(2 * 6300.0 * softness), 11.0 * softness
    assert omega / (2 * math.pi) == pytest.approx(10.0, rel=0.1)
    damped = math.sqrt(omega**2 - decay**2)
    found = {step: shuffle(step) for step in (1e-3, 5e-4, 1e-4)}
    errors = [abs(found[step][0] / damped - 1) for step in found]
    assert errors[0] < 0.02 and errors[1] < 0.5 * errors[0] and errors[2] < 5e-4
    assert found[1e-4][1] == pytest.approx(decay, rel=0.03)
