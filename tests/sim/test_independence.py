"""What belongs to one simulation stays there, and everything that follows from a change follows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError, SimulationError
from jounce.core.tables import Table
from jounce.runtime.duplicate import duplicate
from jounce.runtime.program import Open, Phase, Program
from jounce.runtime.recording import RunError
from jounce.runtime.simulation import Simulation
from jounce.sim.batch import Variant, batch
from jounce.sim.build import build
from jounce.sim.linear import Lineariser
from jounce.symbolic import System, ops
from jounce.symbolic.friction import coulomb
from jounce.symbolic.step import Step

LINE = Table([0.0, 1.0], [0.0, 1.0], extrapolation="linear")
STEEP = Table([0.0, 1.0], [0.0, 10.0], extrapolation="linear")


def lag() -> System:
    """dx/dt = -d x with d looked up in a table: a derived parameter."""
    s = System("lag_by_table")
    p = s.parameter("p", 0.5)
    d = s.derived("d", s.table("t", LINE)(p))
    x = s.state("x", initial=1.0)
    s.derivative(x, -d * x)
    s.output("d", d + 0 * x)
    s.output("x", x)
    return s


def test_derived_parameters_follow_a_new_table() -> None:
    system = lag()
    library = build(system)
    sim = Simulation(library)
    sim.set_tables({"t": STEEP})
    assert sim.parameter("d") == 5.0
    assert pytest.approx(np.array([[-5.0]])) == Lineariser(system).at(sim).A
    run = batch(library, [Variant(tables={"t": STEEP})], t_end=0.1)[0]
    assert run["d"][-1] == 5.0


def test_a_linearisation_does_not_depend_on_earlier_ones() -> None:
    system = lag()
    lineariser = Lineariser(system)
    before = lineariser.at().A
    sim = Simulation(build(system))
    sim.set_parameters({"p": 2.0})
    assert pytest.approx(np.array([[-2.0]])) == lineariser.at(sim).A
    assert pytest.approx(before) == lineariser.at().A


def test_a_linearisation_sees_the_interval_of_its_simulation() -> None:
    s = System("interval")
    x = s.state("x", initial=1.0)
    s.derivative(x, -x / s.t_dt)
    sim = Simulation(build(s), method="AM-2", step=0.02)
    assert pytest.approx(np.array([[-100.0]])) == Lineariser(s).at(sim).A


def asking() -> System:
    s = System("asking")
    x = s.state("x", initial=1.0)
    s.derivative(x, -s.service("road", 1, 1, order=1)(x))
    s.output("x", x)
    return s


def fails(arguments: object, order: int) -> list[float]:
    raise RuntimeError("off the road")


def test_an_error_in_a_service_stays_with_the_run_that_asked() -> None:
    system = asking()
    source = Simulation(build(system))
    source.bind("road", fails)
    run = batch(source, [Variant()], t_end=0.1)[0]
    assert run.failure is not None
    assert run.failure.kind == "outside"
    assert "off the road" in run.reason
    with pytest.raises(SimulationError, match="off the road"):
        Lineariser(system).at(source)
    copy = duplicate(source)
    with pytest.raises(RunError):
        copy.run(0.1)
    source.bind("road", lambda arguments, order: [arguments[0], 1.0][: order + 1])
    assert source.run(0.1).ok


def test_a_snapshot_that_the_model_cannot_use_is_refused() -> None:
    s = System("snapshot_step", gravity=(0, 0, 0))
    mass = s.prismatic("mass", s.world)
    s.body("body", mass.frame, 1.0)
    implicit = Simulation(build(s.generate(step=Step("J2"))), method="LI-Euler")
    explicit = Simulation(build(s))
    with pytest.raises(ParameterError):
        explicit.restore(implicit.snapshot())
    damaged = explicit.snapshot()
    damaged[8] = -1.0  # the step
    with pytest.raises(ParameterError, match="damaged"):
        explicit.restore(damaged)
    explicit.derivatives()


def test_nan_is_not_hidden_by_limits_and_signs() -> None:
    s = System("nan_stays")
    u = s.input("u")
    x = s.state("x")
    s.derivative(x, 0 * x)
    nan = ops.sqrt(u)
    for name, value in {
        "min": ops.fmin(1.0, nan),
        "max": ops.fmax(1.0, nan),
        "first": ops.fmin(nan, 1.0),
        "sign": ops.sign(nan),
        "clip": ops.clip(0.5, -nan, nan),
    }.items():
        s.output(name, value)
    sim = Simulation(build(s))
    sim.set_inputs({"u": -1.0})
    assert all(math.isnan(v) for v in sim.outputs())


def test_friction_with_a_limit_that_is_no_number_is_reported() -> None:
    s = System("friction_nan", gravity=(0, 0, 0))
    u = s.input("u", default=-1.0)
    mass = s.prismatic("mass", s.world)
    s.body("body", mass.frame, 1.0)
    s.generalized_force(mass.u[0], 1.0 - coulomb(s, "pad", mass.u[0], ops.sqrt(u), 1e4))
    with pytest.raises(RunError):
        Simulation(build(s)).run(0.1)


@pytest.mark.parametrize("declare", ["parameter", "input", "state", "memory"])
def test_declared_units_are_si(declare: str) -> None:
    s = System("si_only")
    with pytest.raises(ParameterError, match="not SI"):
        getattr(s, declare)("angle", unit="deg")


def test_a_step_once_chosen_stays_when_the_method_changes() -> None:
    sim = Simulation(build(lag()), step=1e-4)
    sim.set_method("Euler")
    assert sim.step == 1e-4


def test_an_input_and_its_rate_are_not_both_driven() -> None:
    s = System("companions", gravity=(0, 0, 0))
    rack = s.input("rack", "m", rate=True)
    s.body("body", s.world.guided("slide", [rack, 0, 0]), 1.0)
    mass = s.prismatic("mass", s.world)
    s.body("mass", mass.frame, 1.0)
    library = build(s)
    for order in (("rack", "rack.rate"), ("rack.rate", "rack")):
        with pytest.raises(ParameterError, match="rate or acceleration"):
            Simulation(library, program=Program(Phase("both", [Open(name, 0.1) for name in order])))
    with pytest.raises(ParameterError, match="duration"):
        Simulation(library, program=Program(Phase("short", duration=-1.0)))
