"""The first number that is not finite: found, named, and nothing recorded is lost."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError, SimulationError
from jounce.core.tables import Table
from jounce.runtime.program import AddState, End, Feedback, FromTable, Open, Phase, Program, When
from jounce.runtime.simulation import METHODS, RunError, Simulation

CASES = {"derivative": 1, "memory": 2, "output": 3, "watch": 4, "state": 5, "half": 6}


@pytest.fixture(scope="module")
def fragile(build):
    """Goes wrong at t = 0.3 in a way chosen by a parameter."""
    late = "(T > 0.2995 && P(0) == %d)"
    return build(
        "fragile",
        rhs=f"""
        F[0] = 1.0; F[1] = {late % 1} ? NAN : -X(1) + U(0); N[0] = {late % 2} ? INFINITY : M(0) + 1;
        if ({late % 5}) F[1] = 1.7e308;
        if ({late % 6} && at->x[0] > 0.3002) F[0] = -INFINITY;""",
        states={"clock": 0.0, "hinge.rate": 1.0},
        memories={"memo": 0.0},
        inputs={"u": "-"},
        parameters={"case": 0.0},
        outputs={"clock": "X(0)", "bad": f"{late % 3} ? NAN : X(1)"},
        watches={"clock": "X(0)", "bad": f"{late % 4} ? NAN : X(1)"},
    )


def broken(fragile, case, method="RK-2", **options):
    sim = Simulation(fragile, method=method, step=0.001)
    sim.set_parameters({"case": CASES[case]})
    return sim, sim.run(1.0, on_error="return", **options)


@pytest.mark.parametrize("method", METHODS)
def test_a_nan_derivative_is_named_with_time_and_step(fragile, method):
    sim = Simulation(fragile, method=method, step=0.001)
    sim.set_parameters({"case": 1})
    with pytest.raises(SimulationError) as info:
        sim.run(1.0)
    text = str(info.value)
    assert text.startswith(
        f"derivative of 'hinge.rate' became nan at t = 0.3 s (step 300, {method}, h = 0.001 s). Try a smaller step"
    )
    recording = info.value.recording
    assert recording.status == "failed"
    assert recording.failure.kind == "derivative"
    assert recording.failure.name == "hinge.rate"
    assert recording.failure.step == 300
    # all good rows are there, and the state is that of the last good instant
    assert len(recording) == 301
    assert np.isfinite(recording.data).all()
    assert sim.step_count == 300
    assert np.isfinite(sim.x).all()
    assert sim.state("clock") == pytest.approx(0.3, abs=1e-12)


def test_infinite_memory(fragile):
    sim, recording = broken(fragile, "memory")
    failure = recording.failure
    assert (failure.kind, failure.name, failure.value) == ("memory", "memo", math.inf)
    assert recording.reason.startswith("memory 'memo' became inf at t = 0.3 s")
    assert np.isfinite(sim.m).all()


def test_output_that_is_not_a_number_and_the_option_to_allow_it(fragile):
    _, recording = broken(fragile, "output")
    assert (recording.failure.kind, recording.failure.name) == ("output", "bad")
    assert recording.time[-1] == pytest.approx(0.299)
    _, allowed = broken(fragile, "output", check_outputs=False)
    assert allowed.ok
    assert np.isnan(allowed["bad"][301:]).all()
    # a channel that is not recorded does not matter
    _, other = broken(fragile, "output", channels=["clock"])
    assert other.ok


def test_watch_that_is_used(fragile):
    end = End(When("bad", ">", 2.0))
    _, recording = broken(fragile, "watch", program=Program(Phase("wait", ends=[end])))
    assert (recording.failure.kind, recording.failure.name) == ("watch", "bad")
    assert "at t = 0.3 s in phase 'wait'" in recording.reason
    _, recording = broken(fragile, "watch", program=Program(Phase("hold", [Feedback("u", "bad", 1.0, kp=1.0)])))
    assert (recording.failure.kind, recording.failure.name) == ("watch", "bad")
    _, other = broken(fragile, "watch", program=Program(Phase("wait", ends=[End(When("clock", ">", 5.0))])))
    assert other.ok


def test_state_that_overflows(fragile):
    sim = Simulation(fragile, method="Euler", step=100.0)
    sim.set_parameters({"case": 5})
    recording = sim.run(1000.0, on_error="return")
    assert (recording.failure.kind, recording.failure.name) == ("state", "hinge.rate")
    assert np.isfinite(sim.x).all()


def test_failure_at_a_half_step_leaves_the_full_step_before(fragile):
    sim, recording = broken(fragile, "half", iprint=0)
    assert recording.failure.value == -math.inf
    assert recording.failure.time == pytest.approx(0.3005, abs=1e-12)
    assert recording.failure.step == 300
    # the row of the half step that failed is not counted
    assert recording.time[-1] == pytest.approx(0.3, abs=1e-12)
    assert sim.time == pytest.approx(0.3, abs=1e-12)


def test_input_of_the_caller_is_blamed_before_the_derivative(fragile):
    sim = Simulation(fragile, method="Euler", step=0.001)
    sim.u[0] = math.nan
    with pytest.raises(RunError, match="input 'u' became nan at t = 0 s"):
        sim.advance(3)
    assert sim.step_count == 0


def test_reference_that_overflows(fragile):
    table = Table([0.0, 1.0], [1e307, 1.2e308], extrapolation="linear")
    program = Program(Phase("p", [Open("u", FromTable(table, scale=3.0))]))
    recording = Simulation(fragile, method="RK-2", step=0.01).run(2.0, program=program, on_error="return")
    assert recording.failure.kind == "input"
    assert recording.failure.name == "u"


def test_a_failed_run_can_be_tried_again(fragile):
    sim, recording = broken(fragile, "derivative")
    assert not recording.ok
    sim.set_parameters({"case": 0})
    again = sim.run(1.0)
    assert again.ok
    assert again.time[0] == pytest.approx(0.301)


def test_a_failure_at_phase_entry_does_not_enter_twice(fragile):
    program = Program(
        Phase("wait", ends=[End(When("clock", ">=", 0.2999))]),
        Phase("control", [Feedback("u", "bad", 0.0, kp=1.0)], actions=[AddState("clock", 1.0)]),
    )
    sim = Simulation(fragile, method="Euler", step=0.001, program=program)
    sim.set_parameters({"case": CASES["watch"]})
    recording = sim.run(1.0, on_error="return")
    assert (recording.failure.kind, recording.phase) == ("watch", "control")
    sim.set_parameters({"case": 0})
    assert sim.run(1.0).ok
    # added once
    assert sim.state("clock") == pytest.approx(2.0, abs=1e-12)


def test_numbers_that_are_not_finite_are_refused_at_the_door(fragile):
    sim = Simulation(fragile)
    for setter in (sim.set_states, sim.reset_state):
        with pytest.raises(ParameterError, match=r"state 'hinge\.rate' = nan: must be finite"):
            setter({"hinge.rate": math.nan})
