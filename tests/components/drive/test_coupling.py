"""Couplings that stick and slip: two flywheels joined by one."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from drive_rig import Bench
from jounce.components.drive.coupling import coupling
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build

JA, JB = 0.13, 0.021
REDUCED = JA * JB / (JA + JB)


@lru_cache
def library() -> Any:
    bench = Bench({"A": JA, "B": JB}, name="coupled")
    system = bench.system
    a, b = (bench.hubs[n].speed for n in "AB")
    k, c = system.parameter("k", 1500.0, "N.m/rad"), system.parameter("c", 1.0, "N.m.s/rad")
    limit = system.input("limit", "N.m", default=1e9)
    found = coupling(system, "clutch", a - b, limit, k, c, 1 / JA + 1 / JB, system.world)
    system.generalized_force(a, -found.torque)
    system.generalized_force(b, found.torque)
    for name in ("carried", "lost", "stored", "sticks", "torque"):
        system.output(name, getattr(found, name), "-")
    lost = system.state("heat", "J", role="free")
    system.derivative(lost, found.lost)
    return build(system)


def bench(step: float = 1e-3, **parameters: float) -> Simulation:
    sim = Simulation(library(), step=step)
    sim.set_parameters(parameters)
    return sim


def swing(sim: Simulation, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    times, slips = [], []
    for _ in range(round(seconds / sim.step)):
        times.append(sim.time)
        slips.append(sim.state("A.spin") - sim.state("B.spin"))
        sim.advance(1)
    return np.array(times), np.array(slips)


def test_soft_it_swings_with_its_analytic_frequency_and_damping() -> None:
    """λ = −c/2J ± √(…) of the reduced inertia; what the step adds falls with its square."""
    errors = []
    k, c = 1500.0, 0.4
    rate, omega = c / (2 * REDUCED), math.sqrt(k / REDUCED - (c / (2 * REDUCED)) ** 2)
    for step in (1e-3, 5e-4, 2.5e-4):
        sim = bench(step, k=k, c=c)
        sim.set_states({"A.spin": 5.0, "B.spin": 2.0})
        times, slips = swing(sim, 0.1)
        exact = 3.0 * np.exp(-rate * times) * (np.cos(omega * times) - rate / omega * np.sin(omega * times))
        errors.append(np.abs(slips - exact).max() / 3.0)
    assert omega / (2 * math.pi) == pytest.approx(45.8, abs=0.5)
    orders = [math.log2(a / b) for a, b in pairwise(errors)]
    assert min(orders) > 1.8 and errors[-1] < 0.03


@pytest.mark.parametrize(("k", "c"), [(2.9e4, 0.05), (2.9e4, 20.0), (1e6, 0.05), (1e6, 1e3), (1e9, 20.0), (1e9, 1e5)])
def test_stiff_it_is_quiet_at_a_millisecond(k: float, c: float) -> None:
    """2.9e4 N.m/rad is a mode of 200 Hz; whatever the stiffness, a difference of speeds dies out within some steps."""
    sim = bench(1e-3, k=k, c=c)
    sim.set_states({"A.spin": 100.0, "B.spin": 40.0})
    _, slips = swing(sim, 0.1)
    assert np.abs(slips).max() <= 60.0 * 1.001
    assert np.abs(slips[60:]).max() < 0.06, "quiet after 60 steps"
    # both have the speed that momentum gives them
    assert sim.state("A.spin") == pytest.approx((JA * 100.0 + JB * 40.0) / (JA + JB), abs=0.01)
    sim.set_inputs({"A.torque": 80.0, "B.torque": -30.0})
    sim.run(0.2)
    # the torque that it carries is that which gives both the same acceleration
    assert sim.output("carried") == pytest.approx(80.0 - JA * 50.0 / (JA + JB), rel=1e-3)


def test_it_slips_at_its_limit_and_loses_torque_times_slip() -> None:
    sim = bench(1e-3, k=1e5, c=50.0)
    sim.set_states({"A.spin": 300.0, "B.spin": 20.0})
    sim.set_inputs({"A.torque": 60.0, "limit": 90.0})
    sim.run(0.02)
    t = sim.time
    assert sim.output("carried") == 90.0 and sim.output("sticks") == 0.0
    assert sim.state("A.spin") == pytest.approx(300.0 - 30.0 / JA * t, rel=1e-9)
    # B: the spring needs cap/k to wind up, some steps at most
    assert sim.state("B.spin") == pytest.approx(20.0 + 90.0 / JB * t, rel=2e-2)
    sim.run(0.32)
    assert sim.output("sticks") == 1.0
    assert sim.output("carried") == pytest.approx(60.0 * JB / (JA + JB), rel=1e-3)


@pytest.mark.parametrize(("step", "room"), [(1e-3, 3e-3), (2.5e-4, 7e-4)])
def test_energy_of_a_lock_up(step: float, room: float) -> None:
    """What the torque on A did, less what is left as motion and in the spring, is heat; a step blurs lock-up."""
    sim = bench(step, k=1e5, c=50.0)
    sim.set_states({"A.spin": 300.0, "B.spin": 20.0})
    sim.set_inputs({"A.torque": 60.0, "limit": 90.0})
    before = 0.5 * (JA * 300.0**2 + JB * 20.0**2)
    speeds = [sim.state("A.spin")]
    for _ in range(round(0.32 / step)):
        sim.advance(1)
        speeds.append(sim.state("A.spin"))
    given = float(60.0 * step * (np.sum(speeds) - (speeds[0] + speeds[-1]) / 2))
    left = 0.5 * (JA + JB) * speeds[-1] ** 2 + sim.output("stored")
    assert sim.state("heat") == pytest.approx(before + given - left, rel=room)


def test_lock_up_converges_with_the_step_and_does_not_chatter() -> None:
    """The time of lock-up is (ω_A − ω_B)/(T/J_A … ): 280/(30/J_A + 90/J_B); then the slip stays small, no ringing."""
    t_lock = 280.0 / (30.0 / JA + 90.0 / JB)
    worst = []
    for step in (1e-3, 5e-4, 2.5e-4):
        sim = bench(step, k=1e5, c=50.0)
        sim.set_states({"A.spin": 300.0, "B.spin": 20.0})
        sim.set_inputs({"A.torque": 60.0, "limit": 90.0})
        times, slips = swing(sim, 0.15)
        exact = np.where(times < t_lock, 280.0 * (1 - times / t_lock), 0.0)
        worst.append(np.abs(slips - exact).max())
        after = slips[times > t_lock + 0.02]
        assert np.abs(after).max() < 0.5
        changes = np.count_nonzero(np.diff(np.sign(np.diff(after[np.abs(after) > 1e-3]))))
        assert changes < 12
    assert worst[2] < 0.55 * worst[0]


def test_without_a_limit_left_it_lets_go_and_relaxes() -> None:
    sim = bench(1e-3, k=1500.0, c=5.0)
    sim.set_inputs({"A.torque": 40.0, "B.torque": -40.0})
    sim.run(0.2)
    assert abs(sim.state("clutch.windup")) > 0.02
    sim.set_inputs({"A.torque": 0.0, "B.torque": 0.0, "limit": 0.0})
    spins = sim.state("A.spin"), sim.state("B.spin")
    sim.run(0.3)
    assert (sim.state("A.spin"), sim.state("B.spin")) == pytest.approx(spins, abs=1e-9)
    assert abs(sim.state("clutch.windup")) < 1e-6
