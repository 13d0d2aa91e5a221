"""Numbers by name, tables, services, functions, and the cost of the loop."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from jounce.core.errors import ModelError, ParameterError
from jounce.core.generated import ServiceSlot
from jounce.core.tables import Table
from jounce.runtime.bindings import SERVICE, Library
from jounce.runtime.program import Open, Phase, Program, Sine
from jounce.runtime.simulation import RunError, Simulation


def test_parameters_by_name_and_derived_ones_follow(oscillator):
    sim = Simulation(oscillator)
    assert sim.parameters == {"stiffness": 4.0, "damping": 0.3, "omega": 2.0}
    sim.set_parameters({"stiffness": 9.0, "damping": "0.5"})
    assert sim.parameter("omega") == 3.0
    with pytest.raises(ParameterError, match=r"parameter 'stifness': unknown .* did you mean 'stiffness'"):
        sim.set_parameters({"damping": 1.0, "stifness": 1.0})
    assert sim.parameter("damping") == 0.5  # nothing changes when one name is wrong
    with pytest.raises(ParameterError, match="'omega': derived from other parameters"):
        sim.set_parameters({"omega": 1.0})
    # another simulation of the library is not touched
    assert Simulation(oscillator).parameter("omega") == 2.0


def test_a_parameter_changes_in_the_middle_of_a_run_without_a_new_start(oscillator):
    """Around the rest position of a stiffer spring without damping: x = A cos ω(t − t₁) + (v/ω) sin ω(t − t₁)."""
    sim = Simulation(oscillator, method="AM-4", step=1e-3)
    sim.set_parameters({"damping": 0.0})
    sim.advance(700)
    then, position, speed = sim.time, sim.state("position"), sim.state("speed")
    assert speed < -1.0
    sim.set_parameters({"stiffness": 25.0})
    sim.advance(900)
    assert sim.time == pytest.approx(1.6, rel=1e-12)
    angle = 5.0 * (sim.time - then)
    # fourth order at ω h = 5e-3, and the history of the old spring in the first steps
    assert sim.state("position") == pytest.approx(position * math.cos(angle) + speed / 5 * math.sin(angle), abs=1e-4)


def test_states_and_inputs_by_name_with_units(oscillator):
    sim = Simulation(oscillator)
    sim.set_inputs({"push": "180 deg"})
    assert sim.input("push") == pytest.approx(math.pi, rel=1e-15)
    sim.set_states({"speed": -2})
    np.testing.assert_array_equal(sim.x, [1.0, -2.0])
    with pytest.raises(ParameterError, match="did you mean 'position'"):
        sim.set_states({"positoin": 1})
    sim.advance(3)
    sim.restart(defaults=True)
    np.testing.assert_array_equal(sim.x, [1.0, 0.0])
    assert (sim.time, sim.step_count, sim.input("push")) == (0.0, 0, 0.0)


def test_functions_at_the_current_and_at_another_point(oscillator):
    sim = Simulation(oscillator, t0=2.0)
    sim.set_inputs({"push": 0.5})
    a, b = sim.call("extra")
    np.testing.assert_array_equal(a, [1.0])
    np.testing.assert_array_equal(b, [2.0, 0.5])
    a, b = sim.call("extra", x=[3.0, 4.0], u=[1, 0, 0, 0], t=5.0)
    np.testing.assert_array_equal([*a, *b], [7.0, 5.0, 1.0])
    f, m = sim.derivatives(x=[0.0, 1.0])
    np.testing.assert_allclose(f, [1.0, 4.0 * 0.5 - 0.3])
    assert m.shape == (0,)
    assert sim.output("push") == 0.5
    with pytest.raises(ParameterError, match="expected 2 numbers"):
        sim.derivatives(x=[1.0])
    with pytest.raises(ParameterError, match="function 'extr': unknown"):
        sim.call("extr")


@pytest.fixture(scope="module")
def served(build):
    table = Table([0.0, 1.0, 2.0], [0.0, 1.0, 4.0], name="gain")
    return build(
        "served",
        rhs="""
        double a[3], s[4];
        jn_table_eval(&env->tables[0], &X(0), 0, a);
        env->services[0].call(env->services[0].context, at->x, 1, s);
        F[0] = a[0] + s[0] + s[1];""",
        states={"x": 1.0},
        tables={"gain": table},
        services=(ServiceSlot("road", 1, 1, 1),),
        outputs={"x": "X(0)"},
    )


def test_tables_are_replaced_per_simulation(served):
    sims = [Simulation(served), Simulation(served)]
    sims[1].set_tables({"gain": Table([0.0, 5.0], [0.0, 10.0])})
    for sim in sims:
        sim.bind("road", lambda x, order: [0.0, 0.0])
    assert [sim.derivatives()[0][0] for sim in sims] == [1.0, 2.0]
    with pytest.raises(ParameterError, match=r"table 'gian': unknown .* did you mean 'gain'"):
        sims[0].set_tables({"gian": Table([0.0, 5.0], [0.0, 10.0])})
    with pytest.raises(ParameterError, match="has 2 axes and 1 outputs; the model needs 1 and 1"):
        sims[0].set_tables({"gain": Table([[0.0, 1.0], [0.0, 1.0]], np.zeros((2, 2)))})


def test_services_python_and_c(served):
    sim = Simulation(served)
    with pytest.raises(ParameterError, match="services not bound: road"):
        sim.run(1.0)
    orders = []

    def road(x, order):
        orders.append(order)
        return [x[0] ** 2, 2 * x[0]]

    sim.bind("road", road)
    assert sim.derivatives()[0][0] == 4.0
    assert orders == [1]

    @SERVICE
    def in_c(context, arguments, order, out):
        out[0], out[1] = 10.0 * arguments[0], 10.0

    sim.bind("road", in_c)
    assert sim.derivatives()[0][0] == 21.0
    sim.bind("road", ctypes.cast(in_c, ctypes.c_void_p).value, context=0)
    assert sim.derivatives()[0][0] == 21.0
    with pytest.raises(ParameterError, match="service 'raod': unknown"):
        sim.bind("raod", road)


def test_an_exception_in_a_service_ends_the_run_and_is_the_cause(served):
    sim = Simulation(served, method="Euler", step=0.01)

    def road(x, order):
        if x[0] > 1.5:
            raise ValueError("the grid ends here")
        return [1.0, 0.0]

    sim.bind("road", road)
    with pytest.raises(RunError, match="the grid ends here") as info:
        sim.run(10.0)
    assert isinstance(info.value.__cause__, ValueError)
    assert len(info.value.recording) > 3
    assert np.isfinite(sim.x).all()


def test_a_library_that_does_not_fit_its_description_is_refused(oscillator, logger):
    with pytest.raises(ModelError, match="2 states compiled in, 1 described"):
        Library(oscillator.path, logger.model)


def test_co_simulation_step_by_step_equals_one_run(oscillator):
    """Inputs set between two steps are seen by the step that begins there."""
    program = Program(Phase("p", [Open("push", Sine(0.5, 1.0))]))
    whole = Simulation(oscillator, method="Euler", step=0.01)
    whole.run(1.0, program=program)
    sim = Simulation(oscillator, method="Euler", step=0.01)
    for i in range(100):
        sim.set_inputs({"push": 0.5 * math.sin(2 * math.pi * (i * 0.01 - math.floor(i * 0.01)))})
        sim.advance(1)
    assert sim.x.tobytes() == whole.x.tobytes()


def test_settle_shows_the_inputs_of_the_instant(oscillator):
    program = Program(Phase("p", [Open("push", Sine(0.5, 1.0))]))
    sim = Simulation(oscillator, method="Euler", step=0.25, program=program)
    sim.advance(1)
    assert sim.input("push") == 0.0
    sim.apply_program()
    assert sim.output("push") == 0.5
    # the row of this instant is still written by the run that follows
    np.testing.assert_array_equal(sim.run(0.5).time, [0.25, 0.5])
