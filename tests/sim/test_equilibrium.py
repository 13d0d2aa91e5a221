"""Equilibrium by Newton's method against closed forms."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from jounce.bench.models import vehicle
from jounce.core.constants import GRAVITY
from jounce.core.errors import ParameterError, StaticsError
from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.sim.equilibrium import Found, find_equilibrium, followed
from jounce.sim.linear import Lineariser
from jounce.symbolic import System


def hanging_plate() -> System:
    """A free plate on four vertical springs from the ceiling, its mass off centre."""
    s = System("hanging_plate")
    body = s.free("plate", initial=(0.02, -0.01, -0.4))
    s.body("mass", body.frame, 10.0, (0.3, 0.4, 0.6), (0.1, 0.05, 0.0))
    for i, (x, y) in enumerate(((0.5, 0.4), (0.5, -0.4), (-0.5, 0.4), (-0.5, -0.4))):
        line = s.two_point(s.world, body.frame, (x, y, 1.0), (x, y, 0.0))
        line.act(800.0 * (line.length - 1.0))
        s.output(f"tension{i}", 800.0 * (line.length - 1.0), "N")
    return s


def test_a_plate_on_springs_carries_its_weight_and_moments() -> None:
    system = hanging_plate()
    simulation = Simulation(build(system))
    found = find_equilibrium(simulation, Lineariser(system), ["plate.[xyz]", "plate.r?"], ["plate.v?", "plate.w?"])
    assert found.residual <= 1e-9
    assert found.iterations <= 10
    # nothing moves when it is let go: 1e-9 m/s² over half a second
    before = simulation.x.copy()
    simulation.run(0.5)
    assert np.abs(simulation.x - before).max() < 1e-8
    total = sum(simulation.output(f"tension{i}") for i in range(4))
    # springs hang within 0.05 rad of the vertical: the sum of tensions is the weight up to 1 - cos
    assert total == pytest.approx(10.0 * GRAVITY, rel=2e-3)


def test_newton_converges_quadratically() -> None:
    system = hanging_plate()
    simulation = Simulation(build(system))
    found = find_equilibrium(
        simulation, Lineariser(system), ["plate.[xyz]", "plate.r?"], ["plate.v?", "plate.w?"], tolerance=1e-12
    )
    errors = [e for e in found.history if 1e-9 < e < 0.5]
    for first, second in pairwise(errors):
        # e⁺ ≤ C e²; C is a few 1/(m/s²) for half-metre springs
        assert second <= 20 * first**2 + 1e-11


def test_a_pendulum_hangs_down_or_stands_up_as_it_is_started() -> None:
    s = System("equilibrium_pendulum")
    hinge = s.revolute("hinge", s.world, axis="y", initial=0.4)
    s.body("bob", hinge.frame, 1.0, center=(0, 0, -1.0))
    library, lineariser = build(s), Lineariser(s)
    for start, end in ((0.4, 0.0), (math.pi - 0.3, math.pi)):
        simulation = Simulation(library)
        simulation.set_states({"hinge.angle": start})
        find_equilibrium(simulation, lineariser, ["hinge.angle"], ["hinge.rate"])
        assert simulation.state("hinge.angle") == pytest.approx(end, abs=1e-9)


def test_the_benchmark_vehicle_stands_on_its_wheels() -> None:
    system = vehicle(2)
    simulation = Simulation(vehicle.build(2))
    simulation.set_states({"chassis.vx": 0.0, **{f"{c}.wheel.spin": 0.0 for c in ("L1", "R1", "L2", "R2")}})
    simulation.set_states({"chassis.z": 0.5, "L1.jounce": 0.01})
    find_equilibrium(
        simulation,
        Lineariser(system, inputs=[], outputs=[]),
        ["chassis.z", "chassis.rx", "chassis.ry", "*.jounce"],
        ["chassis.vz", "chassis.wx", "chassis.wy", "*.jounce.rate"],
        limits={"*.jounce": 0.02},
    )
    masses = sum(simulation.parameter(n) for n in ("mass", "L1.mass", "R1.mass", "L2.mass", "R2.mass"))
    loads = sum(simulation.output(f"{c}.fz") for c in ("L1", "R1", "L2", "R2"))
    # along the road nothing is balanced here: an acceleration of some mm/s² times a pitch of some mrad is left
    assert loads == pytest.approx(masses * GRAVITY, rel=1e-5)


def test_no_equilibrium_names_the_rate_that_is_left() -> None:
    s = System("falling")
    mass = s.prismatic("mass", s.world, axis="z")
    s.body("body", mass.frame, 1.0)
    simulation = Simulation(build(s))
    with pytest.raises(StaticsError, match=r"'mass\.rate'"):
        find_equilibrium(simulation, Lineariser(s), ["mass.travel"], ["mass.rate"])


def test_unknown_names_get_a_hint() -> None:
    s = System("falling2")
    mass = s.prismatic("mass", s.world, axis="z")
    s.body("body", mass.frame, 1.0)
    with pytest.raises(ParameterError, match=r"mass\.travel"):
        find_equilibrium(Simulation(build(s)), Lineariser(s), ["mass.travle"], ["mass.rate"])


def test_memories_that_follow_are_found_around_newton() -> None:
    """x = m by the solver, m becomes 1 + x/2: both are 2; a search that fails ends it."""
    system = System("following")
    x = system.state("x", role="balance")
    m = system.memory("m", initial=0.3, role="follow")
    system.derivative(x, m - x)
    system.next_memory(m, 1 + 0.5 * x)
    sim = Simulation(build(system.generate()))
    solved = []

    def solve(converged: bool = True) -> Found:
        solved.append(sim.memory("m"))
        sim.set_states({"x": sim.memory("m")})
        return Found(converged, 1, 0.0, 0, (0.0,))

    assert followed(sim, solve).converged
    assert sim.memory("m") == pytest.approx(2.0, abs=1e-12) and sim.state("x") == pytest.approx(2.0, abs=1e-12)
    assert solved[:2] == [0.3, 1.15] and 30 < len(solved) < 60
    solved.clear()
    assert not followed(sim, lambda: solve(False)).converged
    assert len(solved) == 1
