"""Nodes and links between hand wheel and rack."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from jounce.components.steering.rack_pinion import RackPinion
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.sim.linear import Lineariser
from steering_rig import MASS, RADIUS, bench, described, raw

SOFT = {
    "column__upper": {"stiffness": 412.0, "damping": 2.9},
    "column__lower": {"stiffness": 377.0, "damping": 2.5},
    "column__disk": {"stiffness": 281.0},
    "rack__mesh_stiffness": 2.3e7,
}


@pytest.mark.parametrize("on", ["lower", "upper"])
def test_eigenvalues_are_those_of_the_chain(on: str) -> None:
    data = raw(**SOFT, torsion_bar__on=on, torsion_bar__damping=0.21)
    system = described(RackPinion.model_validate(data))
    sim = bench(data)
    sim.set_parameters({"aligning": 9e4})
    sim.set_method("Euler", 1e-9)
    sim.set_inputs({"steering_wheel": 0.0})
    model = Lineariser(system).at(sim)
    inner = [name for name in model.states if not name.startswith("steering.free")]
    found = np.sort_complex(model.eigenvalues(inner))
    # by hand: bodies from the hand wheel down, which is held; r² takes the rack to the pinion
    r2 = RADIUS**2
    upper, lower = 0.003 / 2, 0.0013 / 3
    links: list[tuple[float, float]] = [(412.0, 2.9), (377.0, 2.5), (281.0, 0.0), (118.0, 0.21), (2.3e7 * r2, 0.0)]
    inertia = [upper + lower, lower, lower, 6e-5, (2.7 + MASS) * r2]
    if on == "upper":
        links = [links[0], links[3], links[1], links[2], links[4]]
        inertia = [upper, lower, lower, lower + 6e-5, (2.7 + MASS) * r2]
    n = len(links)
    k, c = np.zeros((n, n)), np.zeros((n, n))
    for i, (stiffness, damping) in enumerate(links):
        e = np.zeros(n)
        e[i] = 1.0
        if i > 0:
            e[i - 1] = -1.0
        k += stiffness * np.outer(e, e)
        c += damping * np.outer(e, e)
    k[-1, -1] += 9e4 * r2
    m = np.diag(inertia)
    a = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(m, k), -np.linalg.solve(m, c)]])
    expected = np.sort_complex(np.linalg.eigvals(a))
    # a step of 1e-9 s leaves s |λ| < 1e-5
    assert np.abs(found - expected).max() < 2e-5 * np.abs(expected).max()
    assert np.abs(expected.imag).max() / (2 * np.pi) > 300, "faster than steps of 1 ms resolve"


@pytest.mark.parametrize("on", ["lower", "upper"])
def test_it_is_stable_at_the_step_of_a_car_and_halving_the_step_changes_little(on: str) -> None:
    data = raw(**SOFT, torsion_bar__on=on, torsion_bar__damping=0.2)
    found: dict[float, Any] = {}
    for step in (0.001, 0.0005):
        sim = bench(data)
        sim.set_parameters({"aligning": 9e4})
        program = Program(Phase("a", [Open("steering_wheel", Sine(1.0, 1.3))], duration=2.0))
        run = sim.run(program=program, method="AB-2", step=step, interval=0.01)
        found[step] = run["Steering_Rack_Pinion.rack_displacement"]
    assert np.abs(found[0.001]).max() > 2e-3
    change = np.abs(found[0.001] - found[0.0005])
    assert change.max() < 1e-4  # m, also where the hand begins to move at once
    # with every link soft: the dampers s k of the step are in series with the bar
    assert change[100:].max() < 3e-4 * np.abs(found[0.001]).max()


def test_a_stiff_link_is_a_rigid_one() -> None:
    runs = []
    for changes in ({}, {"rack__mesh_stiffness": 3e9, "column__upper": {"stiffness": 9e5, "damping": 20.0}}):
        sim = bench(json.loads(json.dumps(raw(torsion_bar__damping=0.2, **changes))))
        sim.set_parameters({"aligning": 9e4})
        program = Program(Phase("a", [Open("steering_wheel", Sine(1.0, 0.9))], duration=1.5))
        runs.append(sim.run(program=program, method="AB-2", step=0.0005, interval=0.01))
    rigid, stiff = (run["Steering_Rack_Pinion.rack_displacement"] for run in runs)
    # the links give way by T/k: some 6 N.m over 9e5 N.m/rad; first the hand begins to move at once
    assert np.abs(stiff - rigid)[50:].max() < 1e-4 * np.abs(rigid).max()
    assert np.abs(stiff - rigid).max() < 2e-3 * np.abs(rigid).max()
