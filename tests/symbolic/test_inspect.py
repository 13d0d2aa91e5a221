"""Mass matrix and bias of a whole system agree with the accelerations that are solved unit by unit."""

from __future__ import annotations

import numpy as np

from jounce.runtime.simulation import Simulation
from jounce.sim.build import build
from jounce.symbolic import System
from jounce.symbolic.inspect import generate_mass_matrix


def sledge() -> System:
    """A sledge on a runner (no motion across it), with a pendulum in a unit of its own and a derived parameter."""
    s = System("sledge")
    half = s.derived("half", s.parameter("length", 1.2, "m") / 2, "m")
    body = s.free("body")
    s.body("hull", body.frame, 5.0, (1.0, 2.0, 3.0), (0.3, 0.1, 0.2))
    arm = s.revolute("arm", s.unit("arm_unit", at=body.frame.fixed("pin", (0.4, 0.0, 0.5))), axis=(0.2, 1.0, 0.1))
    s.body("bob", arm.frame, 1.5, (0.02, 0.02, 0.01), (0, 0, -half))
    s.generalized_force(arm.u[0], -0.3 * arm.u[0])
    s.velocity_constraint("runner", [body.u[1] - 0.5 * body.u[5]], dependent=[body.u[1]])
    return s


def test_mass_matrix_times_acceleration_is_the_right_hand_side() -> None:
    run, model = Simulation(build(sledge())), generate_mass_matrix(sledge())
    look = Simulation(build(model))
    rng = np.random.default_rng(3)
    for _ in range(5):
        x = rng.normal(size=len(run.x))
        names = [v.name for v in run.model.states]
        rates = dict(zip(names, run.derivatives(x=x)[0], strict=True))
        n = len(model.notes["speeds"])
        matrix, right = look.call("mass_matrix", x=x)
        mass = matrix.reshape(n, n)
        assert "body.vy" not in model.notes["speeds"]
        np.testing.assert_allclose(mass, mass.T, rtol=0, atol=1e-14 * np.abs(mass).max())
        assert np.linalg.eigvalsh(mass).min() > 0.0
        acceleration = np.array([rates[name] for name in model.notes["speeds"]])
        # rounding of some hundred operations on numbers up to 100
        np.testing.assert_allclose(mass @ acceleration, right, rtol=0, atol=1e-11)
