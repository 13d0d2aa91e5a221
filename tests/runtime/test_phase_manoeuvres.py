"""What manoeuvres ask of phase programs: signals of driver files, tables over watched values, blends, delays, samples,
override by an input, the log of triggers, parameters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.runtime.program import (
    Constant,
    End,
    Feedback,
    FromInput,
    FromTable,
    FromWatch,
    Goto,
    Hold,
    Integral,
    Open,
    Over,
    Phase,
    Polynomial,
    Program,
    Pulse,
    Ramp,
    Rate,
    SetParameter,
    Slope,
    Stop,
    Swept,
    When,
)
from jounce.runtime.simulation import Simulation

H = 0.125


def pushed(oscillator, reference, *, end=4.0, step=0.05, before=0.25, **options):
    """The input over the time of a phase that is entered with another value."""
    program = Program(
        Phase("first", [Open("push", Constant(before))], duration=step),
        Phase("then", [Open("push", reference, **options)]),
    )
    found = Simulation(oscillator, method="Euler", step=step).run(end + step, program=program)
    return found.time[1:] - step, found["push"][1:]


def test_golden_values_of_driver_files(oscillator):
    def at(reference, when):
        time, push = pushed(oscillator, reference, end=4.0)
        return push[np.argmin(abs(time - when))]

    assert at(Ramp(0.2, 1.0, start=0.0, cubic=True), 0.25) == pytest.approx(0.03125, abs=1e-12)
    assert at(Ramp(0.2, 1.0, start=0.0, smooth=True), 0.25) == pytest.approx(0.0207031, abs=5e-8)
    slope = Slope("0.5 rad/s", 1.0, 1.5, relative=True)
    assert at(slope, 0.5) == 0.25 and at(slope, 3.0) == pytest.approx(0.25 + 0.25, abs=1e-12)
    assert at(Slope(0.5, 1.0, 1.5), 0.5) == 0.25 and at(Slope(0.5, 1.0, 1.5), 3.0) == pytest.approx(0.25, abs=1e-12)


@pytest.mark.parametrize("relative", [False, True])
def test_swept_keeps_its_phase_at_the_last_frequency(oscillator, relative):
    """Against the integral of the frequency; 2.5 Hz are reached at 3.3 s after 5.25 cycles."""
    f0, rate, f1, begin = 1.0, 0.5, 2.5, 0.3
    time, push = pushed(oscillator, Swept(0.4, f0, rate, f1, begin, relative=relative), end=4.5, step=0.01)
    grown = (f1 - f0) / rate
    assert grown + begin == pytest.approx(3.3)
    z = np.clip(time - begin, 0, None)
    cycles = np.where(z < grown, f0 * z + rate * z**2 / 2, f0 * grown + rate * grown**2 / 2 + f1 * (z - grown))
    assert f0 * grown + rate * grown**2 / 2 == pytest.approx(5.25)
    expected = 0.25 * relative + 0.4 * np.sin(2 * np.pi * cycles)
    np.testing.assert_allclose(push, np.where(time < begin - 1e-9, 0.25, expected), atol=1e-12)


def test_impulse_is_two_cubic_steps(oscillator):
    time, push = pushed(oscillator, Pulse(-0.7, 0.0, rise=0.5, fall=0.5, delay=0.4, cubic=True, relative=True))
    up, down = np.clip((time - 0.4) / 0.5, 0, 1), np.clip((time - 0.9) / 0.5, 0, 1)
    np.testing.assert_allclose(push, 0.25 - 0.7 * (3 * up**2 - 2 * up**3 - 3 * down**2 + 2 * down**3), atol=1e-12)
    assert push[np.argmin(abs(time - 0.9))] == pytest.approx(0.25 - 0.7, abs=1e-12)


def test_polynomial(oscillator):
    time, push = pushed(oscillator, Polynomial(-0.5, 0.8, begin=0.6))
    z = np.clip(time - 0.6, 0, None)
    np.testing.assert_allclose(push, 0.25 - 0.5 * z + 0.4 * z**2, atol=1e-12)
    _, given = pushed(oscillator, Polynomial(-0.5, 0.8, start=-2.0, begin=0.6))
    np.testing.assert_allclose(given - push, -2.25, atol=1e-12)


def test_stairs_take_the_value_before(oscillator):
    table = Table([0.5, 1.0, 2.5], [3.0, -1.0, 2.0], method="linear", extrapolation="flat")
    time, push = pushed(oscillator, FromTable(table, stairs=True))
    expected = np.array([3.0, -1.0, 2.0])[np.clip(np.searchsorted([0.5, 1.0, 2.5], time + 1e-9, "right") - 1, 0, 2)]
    np.testing.assert_array_equal(push, expected)


TABLE = Table(np.linspace(-2, 2, 9), np.sin(np.linspace(-2, 2, 9)), method="cubic", extrapolation="flat")


@pytest.mark.parametrize("from_here", [False, True])
def test_over_a_watched_value(oscillator, from_here):
    """Value and rate by the table at the position of the same instant, before the input acts on it."""
    reference = Over("position", TABLE, rate="speed", scale=0.3, offset=0.1, from_here=from_here)
    program = Program(Phase("wait", duration=0.5), Phase("p", [Open("push", reference)]))
    found = Simulation(oscillator, method="RK-2", step=0.01).run(3.0, program=program)
    on = found.time >= 0.5 - 1e-9
    x, v = found["position"][on], found["speed"][on]
    at = x - (x[0] if from_here else 0.0)
    np.testing.assert_allclose(found["push"][on], 0.1 + 0.3 * TABLE(at), atol=1e-12)
    np.testing.assert_allclose(found["push.rate"][on], 0.3 * TABLE(at, derivative=1) * v, atol=1e-12)
    assert np.ptp(at) > 0.5


def test_feedback_along_a_table_over_a_watched_value(oscillator):
    """A proportional law alone: u = k (table(speed) - position)."""
    program = Program(Phase("p", [Feedback("push", "position", Over("speed", TABLE, scale=0.4), kp=0.7)]))
    found = Simulation(oscillator, method="Euler", step=0.01).run(2.0, program=program)
    expected = 0.7 * (0.4 * TABLE(found["speed"]) - found["position"])
    np.testing.assert_allclose(found["push"], expected, atol=1e-12)
    assert np.ptp(found["speed"]) > 0.5


def test_from_an_input_and_a_watch(oscillator):
    program = Program(Phase("p", [Open("push", FromInput("other", scale=-2.0, offset=0.5), low=-0.4)]))
    sim = Simulation(oscillator, method="Euler", step=H, program=program)
    for value, expected in ((0.3, -0.1), (-0.2, 0.9), (0.9, -0.4)):
        sim.set_inputs({"other": value})
        sim.advance(1)
        assert sim.input("push") == pytest.approx(expected, abs=1e-15)
    program = Program(Phase("p", [Open("push", FromWatch("position", scale=0.5))]))
    found = Simulation(oscillator, method="Euler", step=H).run(2.0, program=program)
    np.testing.assert_allclose(found["push"], 0.5 * found["position"], atol=1e-15)


@pytest.mark.parametrize("method", ["Euler", "RK-2", "AM-4"])
def test_integral_of_a_rate(oscillator, method):
    """The trapezoidal rule is exact for straight lines with corners at steps; the rate is the companion."""
    table = Table([0.0, 1.0, 1.5, 4.0], [0.0, 2.0, -1.0, -1.0], method="linear", extrapolation="flat")
    program = Program(
        Phase("first", [Open("push", Constant(0.7))], duration=0.25),
        Phase("p", [Open("push", Integral(FromTable(table)))]),
    )
    found = Simulation(oscillator, method=method, step=0.05).run(3.25, program=program)
    on = found.time >= 0.25 - 1e-9
    tau = found.time[on] - 0.25
    fine = np.linspace(0, 3, 30001)
    rate = np.interp(fine, [0.0, 1.0, 1.5, 4.0], [0.0, 2.0, -1.0, -1.0])
    sums = np.concatenate([[0], np.cumsum(0.5 * (rate[1:] + rate[:-1]) * np.diff(fine))])
    np.testing.assert_allclose(found["push"][on], 0.7 + np.interp(tau, fine, sums), atol=1e-10)
    np.testing.assert_allclose(found["push.rate"][on], np.interp(tau, [0, 1, 1.5, 4], [0, 2, -1, -1]), atol=1e-12)


def test_blend_and_entry_from_a_watch(oscillator):
    """u = u0 + (r - u0)(3z^2 - 2z^3), u0 the measured value; value and rate are continuous at both ends."""
    program = Program(
        Phase("wait", [Open("push", Constant(-3.0))], duration=0.5),
        Phase("p", [Open("push", Rate(0.8, start=0.2), blend=0.4, entry="position")]),
    )
    found = Simulation(oscillator, method="RK-2", step=0.01).run(2.0, program=program)
    on = found.time >= 0.5 - 1e-9
    tau, u0 = found.time[on] - 0.5, found["position"][on][0]
    z = np.clip(tau / 0.4, 0, 1)
    expected = u0 + (0.2 + 0.8 * tau - u0) * (3 * z**2 - 2 * z**3)
    np.testing.assert_allclose(found["push"][on], expected, atol=1e-12)
    assert u0 != -3.0 and found["push"][on][0] == pytest.approx(u0, abs=1e-15)
    middle = (tau > 0.005) & (tau < 0.385)  # the second derivative jumps at the ends
    slope, rate = np.gradient(found["push"][on], tau)[middle], found["push.rate"][on][middle]
    np.testing.assert_allclose(slope, rate, atol=1e-2)  # third derivative, 12 (r - u0)/T^3 at most, times h^2/6
    assert found["push.rate"][on][0] == 0.0


@pytest.mark.parametrize(
    ("operator", "a", "b", "true"),
    [
        ("abs>=", 1.0, 0.0, lambda v: abs(v) >= 1),
        ("abs<=", 1.0, 0.0, lambda v: abs(v) <= 1),
        ("abs inside", 0.5, 1.5, lambda v: 0.5 <= abs(v) <= 1.5),
        ("abs outside", 0.5, 1.5, lambda v: abs(v) < 0.5 or abs(v) > 1.5),
    ],
)
@pytest.mark.parametrize("value", [-2.0, -1.5, -1.0, -0.25, 0.5, 1.0, 1.25, 3.0])
def test_truth_table_of_absolute_tests(oscillator, operator, a, b, true, value):
    program = Program(Phase("p", ends=[End(When("position", operator, a, b), Stop("met"))]))
    sim = Simulation(oscillator, method="Euler", step=1e-9)
    sim.set_states({"position": value})
    found = sim.run(3e-9, program=program)
    assert (found.reason == "met") == true(value)


def test_delay_is_not_reset_and_hold_is(logger):
    """x is the time. A band that is left again: the delay goes on, the hold does not."""
    band = When("x", "inside", 0.25, 0.5)
    found = Simulation(logger, step=H).run(4.0, program=Program(Phase("p", ends=[End(band, Stop("late"), delay=1.0)])))
    assert found.time[-1] == 1.25
    held = When("x", "inside", 0.25, 0.5, hold=0.375)
    found = Simulation(logger, step=H).run(4.0, program=Program(Phase("p", ends=[End(held, Stop("late"))])))
    assert found.status == "finished"


def test_conditions_are_looked_at_at_ticks(logger):
    """Every 0.5 s from phase entry: the condition x > 1.3 is met at 1.125 + 0.5."""
    program = Program(Phase("a", duration=1.125), Phase("b", sample=0.5, ends=[End(When("x", ">", 1.3), Stop("seen"))]))
    assert Simulation(logger, step=H).run(9.0, program=program).time[-1] == 1.625
    exact = Program(Phase("b", sample=0.25, ends=[End(When("phase_time", ">=", 0.75), Stop("seen"))]))
    assert Simulation(logger, step=H).run(9.0, program=exact).time[-1] == 0.75


def test_values_from_phase_entry(logger):
    program = Program(
        Phase("a", duration=0.625), Phase("b", ends=[End(When("x", ">=", 0.5, from_entry=True), Stop("far"))])
    )
    assert Simulation(logger, step=H).run(9.0, program=program).time[-1] == 1.125
    with pytest.raises(ParameterError, match="only watched quantities"):
        Simulation(logger, step=H, program=Program(Phase("a", ends=[End(When("time", ">", 1, from_entry=True))])))


def test_the_log_says_what_was_measured(logger):
    program = Program(
        Phase("a", ends=[End([When("x", ">", 0.3), When("phase_time", ">=", 0.5)], name="both")]),
        Phase("b", ends=[End(When("x", ">", 1.0), Goto("a", limit=1)), End(When("x", "abs>", 2.0), Stop("done"))]),
    )
    found = Simulation(logger, step=H).run(9.0, program=program)
    assert [(t.time, t.phase, t.next, t.name) for t in found.triggers] == [
        (0.5, "a", "b", "both"),
        (1.125, "b", "a", "x > 1.0"),
        (1.625, "a", "b", "both"),
        (1.75, "b", "", "x > 1.0"),
    ]
    assert found.triggers[0].tests == (("x > 0.3", 0.5), ("phase_time >= 0.5", 0.5))
    assert "measured 1.125" in str(found.triggers[1])


def test_the_log_keeps_the_last_ones(logger):
    program = Program(Phase("a", ends=[End(When("phase_steps", ">=", 1), Goto("a"))]))
    found = Simulation(logger, step=H).run(100 * H, program=program)
    assert len(found.triggers) == 64
    assert [t.time for t in found.triggers] == [H * k for k in range(37, 101)]


def test_an_input_chooses_the_phase(oscillator):
    """0: own logic; else the phase of this id, whatever its conditions say; unknown: the run ends as failed."""
    phases = [
        Phase(n, [Open("push", Constant(v))], duration=1.0, id=k) for n, v, k in (("a", 1, 3), ("b", 2, 5), ("c", 4, 7))
    ]
    sim = Simulation(oscillator, method="Euler", step=H, program=Program(phases, chosen="other"))

    def after(value, steps):
        sim.set_inputs({"other": value})
        sim.advance(steps)
        sim.apply_program()
        return sim.phase

    assert after(0, 4) == "a"
    assert after(7, 1) == "c"
    assert after(7, 20) == "c"  # its duration is over, but it was chosen
    assert after(5, 1) == "b"
    assert after(0, 4) == "b"
    assert after(0, 8) == "c"
    found = sim.run(sim.time + 9, program=sim.program)
    assert found.reason == "last phase ended"
    assert [t.name for t in found.triggers][:2] == ["override", "override"]
    sim = Simulation(oscillator, method="Euler", step=H, program=Program(phases, chosen="other"))
    sim.set_inputs({"other": 4})
    found = sim.run(2.0)
    assert found.stop_failed and "does not exist" in found.reason
    with pytest.raises(ParameterError, match="equal ids"):
        Program([Phase("a", id=2), Phase("b")]).pack(oscillator.model)


def test_the_running_phase_is_shown(oscillator):
    program = Program(Phase("a", duration=0.5, id=4), Phase("b", duration=0.5, id=9), shown="other")
    sim = Simulation(oscillator, method="Euler", step=H, program=program)
    sim.advance(2)
    assert sim.input("other") == 4.0
    sim.advance(4)
    assert sim.input("other") == 9.0


def test_parameters_are_set_and_part_of_snapshots(oscillator):
    """A stiffness that changes at 1 s: against two runs joined by hand; derived parameters follow."""
    program = Program(
        Phase("soft", [Open("push", Hold())], duration=1.0), Phase("hard", actions=[SetParameter("stiffness", 25.0)])
    )
    sim = Simulation(oscillator, method="RK-2", step=0.01)
    found = sim.run(2.0, program=program)
    other = Simulation(oscillator, method="RK-2", step=0.01)
    first = other.run(1.0)
    other.set_parameters({"stiffness": 25.0})
    second = other.run(2.0)
    joined = np.concatenate([first["position"], second["position"]])
    np.testing.assert_allclose(found["position"], joined, atol=1e-12)
    assert math.isclose(sim.parameter("omega"), 5.0)

    sim = Simulation(oscillator, method="RK-2", step=0.01, program=program)
    sim.advance(50)
    before = sim.snapshot()
    sim.advance(100)
    after, end = sim.snapshot(), sim.x.copy()
    sim.restore(before)
    sim.advance(100)
    np.testing.assert_array_equal(sim.x, end)
    sim.restore(before)
    sim.advance(1)
    assert sim.parameter("stiffness") == 4.0 and sim.parameter("omega") == 2.0
    sim.restore(after)
    sim.advance(1)
    assert sim.parameter("omega") == 5.0
    sim.restart()
    sim.advance(1)
    assert sim.parameter("stiffness") == 4.0
    sim.set_program(None)
    assert sim.parameter("omega") == 2.0


def test_mistakes_are_named(oscillator):
    def refused(*phases, **options):
        with pytest.raises(ParameterError) as error:
            Program(*phases, **options).pack(oscillator.model)
        return str(error.value)

    assert "wide" in refused(Phase("p", [Open("push", Over("wide", TABLE))]))
    assert "unknown" in refused(Phase("p", [Open("push", FromInput("pull"))]))
    assert "does not" in refused(Phase("p", [Open("push", Swept(1, 2, 1, 1))])).replace("must not", "does not")
    assert "after begin" in refused(Phase("p", [Open("push", Slope(1, 2, 1))]))
    assert "means nothing" in refused(Phase("p", [Open("push", Integral(Hold()))]))
    assert "stiff" in refused(Phase("p", actions=[SetParameter("stiff", 1)]))
    assert "unknown" in refused(Phase("p"), chosen="nobody")
    assert "must be 1 or more" in refused(Phase("p", id=0))
