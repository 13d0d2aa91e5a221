"""The phase program: references against closed forms, PI against numpy, conditions, jumps, actions."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest

from jounce.core.errors import ParameterError
from jounce.core.tables import Table
from jounce.runtime.bindings import Header, Status
from jounce.runtime.program import (
    AddState,
    Constant,
    End,
    Feedback,
    Free,
    FromTable,
    Goto,
    Hold,
    Open,
    Phase,
    Polynomial,
    Program,
    Pulse,
    Ramp,
    Rate,
    RestartHistory,
    SetInput,
    SetMemory,
    SetState,
    Sine,
    Slope,
    Stop,
    Sweep,
    Swept,
    When,
)
from jounce.runtime.simulation import METHODS, Simulation

H = 0.125
TWO_PI = 2 * np.pi
TABLE = Table([0.0, 1.0, 2.0, 4.0], [[0.0, 1.0], [1.0, 0.0], [4.0, 2.0], [16.0, 3.0]], method="cubic")


def quintic(z):
    z = np.clip(z, 0.0, 1.0)
    return 10 * z**3 - 15 * z**4 + 6 * z**5


def cubic(z):
    z = np.clip(z, 0.0, 1.0)
    return 3 * z**2 - 2 * z**3


def swept(z):
    """0.4 sin of the integral of a frequency that grows from 0.3 Hz by 0.5 Hz/s to 1.55 Hz."""
    grown = np.clip(z, 0.0, 2.5)
    return 0.4 * np.sin(TWO_PI * (0.3 * grown + 0.25 * grown**2 + 1.55 * (z - grown)))


ENTRY = 0.25

# name -> reference, value as a function of tau (entry value 0.25), instants where it has a corner
REFERENCES = {
    "constant": (Constant(3.0), lambda t: 3.0 + 0 * t, []),
    "constant relative": (Constant(3.0, relative=True), lambda t: 3.25 + 0 * t, []),
    "hold": (Hold(), lambda t: ENTRY + 0 * t, []),
    "ramp": (Ramp(2.0, 1.5, start=0.5, delay=0.4), lambda t: np.interp(t, [0.4, 1.9], [0.5, 2.0]), [0.4, 1.9]),
    "ramp from entry": (Ramp(2.0, 1.5), lambda t: np.interp(t, [0, 1.5], [ENTRY, 2.0]), [0.0, 1.5]),
    "ramp relative": (Ramp(2.0, 1.5, relative=True), lambda t: np.interp(t, [0, 1.5], [ENTRY, 2.25]), [0.0, 1.5]),
    "step": (Ramp(2.0, 0.0, start=1.0, delay=1.0), lambda t: np.where(t >= 1.0, 2.0, 1.0), [1.0]),
    "smooth ramp": (
        Ramp(2.0, 1.5, smooth=True, delay=0.4),
        lambda t: ENTRY + 1.75 * quintic((t - 0.4) / 1.5),
        [0.4, 1.9],
    ),
    "rate": (Rate(-0.7, delay=0.5), lambda t: ENTRY - 0.7 * np.maximum(t - 0.5, 0.0), [0.5]),
    "sine": (Sine(2.0, 0.7, phase=0.3, offset=1.0), lambda t: 1 + 2 * np.sin(TWO_PI * 0.7 * t + 0.3), []),
    "sine cycles": (
        Sine(2.0, 0.5, delay=0.25, cycles=1.5),
        lambda t: 2 * np.sin(np.pi * np.clip(t - 0.25, 0, 3.0)),
        [0.25, 3.25],
    ),
    "sine with dwell": (
        Sine(1.5, 0.5, cycles=1, dwell_at=0.75, dwell=0.5),
        lambda t: 1.5 * np.sin(np.pi * np.where(t < 1.5, t, np.clip(t - 0.5, 1.5, 2.0))),
        [1.5, 2.0, 2.5],
    ),
    "sweep": (
        Sweep(2.0, 0.2, 1.4, 3.0, phase=0.1, offset=0.5, delay=0.5),
        lambda t: 0.5 + 2 * np.sin(TWO_PI * (0.2 * np.clip(t - 0.5, 0, 3) + 0.2 * np.clip(t - 0.5, 0, 3) ** 2) + 0.1),
        [0.5, 3.5],
    ),
    "log sweep": (
        Sweep(2.0, 0.2, 1.4, 3.0, logarithmic=True),
        lambda t: 2 * np.sin(TWO_PI * 0.2 * 3 / np.log(7) * (7 ** (np.clip(t, 0, 3) / 3) - 1)),
        [0.0, 3.0],
    ),
    "log sweep of one frequency": (Sweep(1.0, 0.5, 0.5, 4.0, logarithmic=True), lambda t: np.sin(np.pi * t), [4.0]),
    "rectangle": (
        Pulse(2.0, 1.0, base=0.5, delay=1.0),
        lambda t: np.where((t >= 1) & (t < 2), 2.5, 0.5),
        [1.0, 2.0],
    ),
    "trapezoid": (
        Pulse(2.0, 1.0, rise=0.5, fall=0.75, delay=0.5),
        lambda t: np.interp(t, [0.5, 1.0, 2.0, 2.75], [0, 2, 2, 0]),
        [0.5, 1.0, 2.0, 2.75],
    ),
    "smooth pulse": (
        Pulse(2.0, 1.0, rise=0.5, fall=0.75, delay=0.5, smooth=True, relative=True),
        lambda t: ENTRY + 2 * (quintic((t - 0.5) / 0.5) - quintic((t - 2.0) / 0.75)),
        [0.5, 1.0, 2.0, 2.75],
    ),
    "cubic ramp": (
        Ramp(2.0, 1.5, start=-1.0, cubic=True, delay=0.4),
        lambda t: -1 + 3 * cubic((t - 0.4) / 1.5),
        [0.4, 1.9],
    ),
    "cubic pulse": (
        Pulse(-0.7, 1.0, rise=0.5, fall=0.75, delay=0.4, cubic=True, relative=True),
        lambda t: ENTRY - 0.7 * (cubic((t - 0.4) / 0.5) - cubic((t - 1.9) / 0.75)),
        [0.4, 0.9, 1.9, 2.65],
    ),
    "slope": (Slope(0.6, 1.0, 2.5), lambda t: np.where(t < 1, ENTRY, 0.6 * np.clip(t - 1, 0, 1.5)), [1.0, 2.5]),
    "slope relative": (Slope(-0.6, 1.0, relative=True), lambda t: ENTRY - 0.6 * np.clip(t - 1, 0, None), [1.0]),
    "swept": (Swept(0.4, 0.3, 0.5, 1.55, 0.3), lambda t: np.where(t < 0.3, ENTRY, swept(t - 0.3)), [0.3, 2.8]),
    "swept relative": (
        Swept(0.4, 0.3, 0.5, 1.55, 0.3, relative=True),
        lambda t: np.where(t < 0.3, ENTRY, ENTRY + swept(t - 0.3)),
        [0.3, 2.8],
    ),
    "polynomial": (
        Polynomial(-0.5, 0.8, begin=0.6),
        lambda t: ENTRY - 0.5 * np.clip(t - 0.6, 0, None) + 0.4 * np.clip(t - 0.6, 0, None) ** 2,
        [0.6],
    ),
    "table": (
        FromTable(TABLE, column=1, scale=2.0, offset=0.5, delay=0.25),
        lambda t: 0.5 + 2 * TABLE(np.clip(t - 0.25, 0, 4))[..., 1],
        [0.25],
    ),
    "table over time": (FromTable(TABLE, absolute=True), lambda t: TABLE(np.clip(t + 0.125, 0, 4))[..., 0], [3.875]),
}


@pytest.mark.parametrize("name", REFERENCES)
def test_reference_value_and_derivatives(oscillator, name):
    reference, value, corners = REFERENCES[name]
    packed = Program(Phase("p", [Open("push", reference)])).pack(oscillator.model)
    scratch, out = np.zeros(16), (ctypes.c_double * 3)()

    def at(tau):
        oscillator.c.jn_reference(
            ctypes.byref(packed.struct), packed.struct.channels, tau, tau + 0.125, ENTRY, scratch.ctypes.data, out
        )
        return np.array(out)

    tau = np.linspace(0.0, 4.0, 161)
    found = np.array([at(t) for t in tau])
    np.testing.assert_allclose(found[:, 0], value(tau), rtol=0, atol=5e-15 * 20)
    # derivatives by central differences, away from corners
    d = 1e-4
    smooth = np.array([all(abs(t - c) > 2 * d for c in [0.0, *corners]) for t in tau])
    low, high = (np.array([at(t + s) for t in tau]) for s in (-d, d))
    for k in (1, 2):
        difference = (high[:, k - 1] - low[:, k - 1]) / (2 * d)
        # truncation: third derivative times d^2/6; a cubic table has jumps in it at its knots
        np.testing.assert_allclose(found[smooth, k], difference[smooth], atol=3e-3 if "table" in name else 1e-4)


@pytest.mark.parametrize("step", [0.0005, 0.001, 0.003, 0.1])
def test_a_step_input_is_not_one_step_late(oscillator, step):
    for n in (3, 7, 29, 57, 83):
        delay = float(f"{n * step:.6f}")
        program = Program(Phase("p", [Open("push", Ramp(1.0, 0.0, start=0.0, delay=delay))]))
        push = Simulation(oscillator, method="Euler", step=step).run(100 * step, program=program)["push"]
        assert np.flatnonzero(push)[0] == n


def test_a_hold_after_whole_cycles_is_exact(oscillator):
    program = Program(Phase("p", [Open("push", Sine(3.0, 1.3, cycles=7))], duration=8.0))
    recording = Simulation(oscillator, step=0.001).run(program=program)
    assert recording["push"][-1] == 0.0
    assert recording["push.rate"][-1] == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_open_references_reach_every_evaluation_and_the_companions(oscillator, method):
    reference = Sine(0.4, 0.8, phase=0.2)
    program = Program(Phase("p", [Open("push", reference)]))
    recording = Simulation(oscillator, method=method, step=0.01).run(2.0, program=program, iprint=0)
    w = TWO_PI * 0.8
    angle = w * recording.time + 0.2
    np.testing.assert_allclose(recording["push"], 0.4 * np.sin(angle), atol=1e-14)
    np.testing.assert_allclose(recording["push.rate"], 0.4 * w * np.cos(angle), atol=1e-13)
    np.testing.assert_allclose(recording["push.acc"], -0.4 * w * w * np.sin(angle), atol=1e-12)


@pytest.mark.parametrize("method", ["RK-2", "AM-4", "AB-2"])
def test_the_right_hand_side_sees_references_at_half_steps_and_start_stages(logger, method):
    program = Program(Phase("p", [Open("u", Rate(2.0, start=1.0))]))
    sim = Simulation(logger, method=method, step=0.125, program=program)
    sim.advance(6)
    n = int(sim.memory("count"))
    log = sim.m[2:].reshape(4, -1)[:, :n]
    np.testing.assert_array_equal(log[3], 1.0 + 2.0 * log[0])


def test_companions_are_zero_when_nobody_moves_the_input(oscillator):
    program = Program(Phase("a", [Open("push", Rate(1.0))], duration=0.5), Phase("b", duration=0.5))
    recording = Simulation(oscillator, method="Euler", step=H).run(program=program)
    np.testing.assert_array_equal(recording["push.rate"], [1, 1, 1, 1, 0, 0, 0, 0, 0])
    # the value stays where the ramp left it, at the instant of the transition
    np.testing.assert_array_equal(recording["push"], np.minimum(np.arange(9) * H, 0.5))


def test_hold_and_relative_references_count_from_the_entry_value(oscillator):
    program = Program(
        Phase("a", [Open("push", Rate(1.0))], duration=0.5),
        Phase("b", [Open("push", Hold())], duration=0.25),
        Phase("c", [Open("push", Ramp(1.0, 0.25, relative=True))], duration=0.5),
        Phase("d", [Open("push", Constant(-0.25, relative=True))], duration=0.25, actions=[SetInput("push", 8.0)]),
    )
    recording = Simulation(oscillator, method="RK-2", step=H).run(program=program)
    expected = [0, H, 2 * H, 3 * H, 0.5, 0.5, 0.5, 1.0, 1.5, 1.5, 7.75, 7.75, 7.75]
    np.testing.assert_array_equal(recording["push"], expected)


def test_free_channels_are_left_to_the_caller(oscillator):
    program = Program(Phase("a", [Free("push"), Open("other", 3.0)]))
    sim = Simulation(oscillator, method="RK-2", step=H, program=program)
    for value in (0.5, 0.75):
        sim.set_inputs({"push": value})
        sim.advance(2)
        assert sim.input("push") == value
    assert sim.input("other") == 3.0


# --- feedback -----------------------------------------------------------------------------------------


def controlled(n, h, kp, ki, low, high, entry_input, bumpless, ff, ff_value):
    """Euler plant and PI, again in numpy. Reference: ramp of the position from its entry value to 2."""
    x, v, u = 1.0, 0.0, entry_input
    integral = last = 0.0
    rows = []
    start = x
    for i in range(n):
        r = start + (2.0 - start) * min(i * h / 1.0, 1.0)
        e = r - x
        direct = ff + ff_value * r + kp * e
        if i == 0:
            integral = (u - direct) / ki if bumpless else 0.0
            raw = direct + ki * integral
        else:
            new = integral + h / 2 * (e + last)
            raw = direct + ki * new
            if (raw > high and ki * (new - integral) > 0) or (raw < low and ki * (new - integral) < 0):
                raw = direct + ki * integral
            else:
                integral = new
        last = e
        u = min(max(raw, low), high)
        rows.append((x, v, u))
        x, v = x + h * v, v + h * (4.0 * (u - x) - 0.3 * v)
    return np.array(rows)


@pytest.mark.parametrize("bumpless", [False, True])
@pytest.mark.parametrize(("low", "high"), [(-math.inf, math.inf), (-0.5, 1.7), (0.2, 0.9)])
def test_pi_against_numpy(oscillator, bumpless, low, high):
    h, n = 0.01, 400
    channel = Feedback(
        "push", "position", Ramp(2.0, 1.0), kp=1.5, ki=2.5, feedforward=0.1, ff_value=0.05, low=low, high=high,
        bumpless=bumpless,
    )  # fmt: skip
    sim = Simulation(oscillator, method="Euler", step=h, program=Program(Phase("p", [channel])))
    sim.set_inputs({"push": 0.6})
    recording = sim.run((n - 1) * h)
    expected = controlled(n, h, 1.5, 2.5, low, high, 0.6, bumpless, 0.1, 0.05)
    # omega^2 against 4: one rounding, amplified by a stable loop
    np.testing.assert_allclose(recording.data[:, :3], expected, atol=1e-12)
    if bumpless and math.isinf(low):
        assert recording["push"][0] == pytest.approx(0.6, abs=1e-15)
    assert np.all(recording["push.rate"] == 0)


def test_windup_is_prevented(oscillator):
    """The reference is out of reach for 20 s; after that the input leaves its limit at once."""
    channel = Feedback("push", "position", Pulse(10.0, 20.0), kp=0.2, ki=1.0, low=-1.0, high=1.0)
    recording = Simulation(oscillator, method="Euler", step=0.01).run(24.0, program=Program(Phase("p", [channel])))
    at_limit = recording["push"] == 1.0
    assert at_limit[1900]
    # without anti-windup an integral of some 180 would hold it for minutes
    assert not at_limit[2300:].any()


def test_feedback_is_held_between_full_steps(oscillator):
    program = Program(Phase("p", [Feedback("push", "position", 0.0, kp=-1.0)]))
    recording = Simulation(oscillator, method="RK-2", step=H).run(1.0, program=program, iprint=0)
    np.testing.assert_array_equal(recording["push"][:-1:2], recording["position"][:-1:2])
    np.testing.assert_array_equal(recording["push"][1::2], recording["push"][:-1:2])


def test_hold_in_feedback_is_the_measured_value_at_entry(oscillator):
    program = Program(
        Phase("fall", duration=0.5), Phase("keep", [Feedback("push", "position", Hold(), kp=1.0)], duration=0.5)
    )
    recording = Simulation(oscillator, method="Euler", step=H).run(program=program)
    entry = recording["position"][4]
    assert recording["push"][4] == 0.0
    np.testing.assert_array_equal(recording["push"][4:8], entry - recording["position"][4:8])


# --- conditions ---------------------------------------------------------------------------------------


def end_time(logger, *ends, step=H, t_end=10.0, x0=0.0):
    """x' = 1: x = x0 + t. Returns when the phase ended."""
    sim = Simulation(logger, method="Euler", step=step, program=Program(Phase("p", ends=ends)))
    sim.set_states({"x": x0})
    recording = sim.run(t_end)
    return recording.time[-1] if recording.status == "stopped" else None


@pytest.mark.parametrize(
    ("when", "x0", "expected"),
    [
        (When("x", ">", 1.0), 0.0, 1.125),
        (When("x", ">=", 1.0), 0.0, 1.0),
        (When("x", "<", 1.0), 0.0, 0.125),
        (When("x", "<=", 1.0), 0.0, 0.125),
        (When("x", "<=", 0.1), 0.0, None),
        (When("x", "abs>", 1.0), -0.5, 1.625),
        (When("x", "abs<", 1.0), -3.0, 2.125),
        (When("x", "outside", -1.0, 1.0), -0.5, 1.625),
        (When("x", "inside", 1.0, 2.0), 0.0, 1.0),
        (When("x", "inside", -2.0, -1.0), -4.0, 2.0),
        (When("x", ">=", 1.0, hold=0.5), 0.0, 1.5),
        (When("x", "inside", 1.0, 1.375, hold=0.5), 0.0, None),
        (When("phase_time", ">=", 0.75), 0.0, 0.75),
        (When("phase_time", ">", 0.75), 0.0, 0.875),
        (When("time", ">=", 0.8), 0.0, 0.875),
        (When("time", "inside", 0.8, 0.9), 0.0, 0.875),
        (When("phase_steps", ">=", 3), 0.0, 0.375),
    ],
)
def test_operators_sources_and_hold_times(logger, when, x0, expected):
    assert end_time(logger, End(when), x0=x0) == expected


def test_hold_time_starts_again_when_the_condition_breaks(oscillator):
    """The position swings: |position| < 0.5 for 1 s only after the swing has died down."""
    program = Program(Phase("p", ends=[End(When("position", "abs<", 0.5, hold=1.6))]))
    recording = Simulation(oscillator, method="AM-3", step=0.01).run(program=program)
    outside = recording.time[np.abs(recording["position"]) >= 0.5]
    assert recording.time[-1] == pytest.approx(outside[-1] + 0.01 + 1.6, abs=1e-9)


@pytest.mark.parametrize("step", [0.0005, 0.001, 0.003, 0.007, 0.1])
def test_decimal_times_do_not_cost_a_step(logger, step):
    for n in (3, 29, 57, 700, 1103):
        if n * step > 9.0:
            continue
        assert end_time(logger, End(When("phase_time", ">=", n * step)), step=step) == n * step
        target = float(f"{n * step:.6f}")
        assert end_time(logger, End(When("time", ">=", target)), step=step) == pytest.approx(target, abs=1e-9)


def test_and_within_a_group_or_between_groups(logger):
    both = End([When("x", ">=", 1.0), When("phase_time", ">=", 2.0)])
    assert end_time(logger, both) == 2.0
    assert end_time(logger, both, End(When("x", ">=", 1.5), then=Stop("other"))) == 1.5


def test_stop_reasons_and_failure_flag(logger):
    ends = [End(When("x", ">=", 2.0), then=Stop("too far", failed=True)), End(When("x", "<", -1.0), then=Stop("back"))]
    sim = Simulation(logger, method="Euler", step=H, program=Program(Phase("p", ends=ends)))
    recording = sim.run()
    assert (recording.status, recording.reason, recording.ok) == ("stopped", "too far", False)
    assert sim.advance(5) == Status.STOPPED
    assert sim.step_count == recording.steps == 16
    sim = Simulation(logger, method="Euler", step=H, program=Program(Phase("p", ends=ends)))
    sim.set_states({"x": -5.0})
    recording = sim.run()
    assert (recording.reason, recording.ok) == ("back", True)


def test_goto_with_a_limit_falls_through_and_counts_afresh(logger):
    """An inner loop of 3 passes inside an outer loop of 2: 6 passes, then the last phase."""
    program = Program(
        Phase("inner", ends=[End(When("phase_steps", ">=", 2), then=Goto("inner", limit=2))]),
        Phase("outer", ends=[End(When("phase_steps", ">=", 1), then=Goto(0, limit=1))]),
        Phase("last", ends=[End(When("phase_steps", ">=", 1), then=Stop("done"))]),
    )
    sim = Simulation(logger, method="Euler", step=H, program=program)
    recording = sim.run()
    assert recording.reason == "done"
    assert recording.steps == 2 * (3 * 2 + 1) + 1
    assert sim.snapshot()[Header.TRANSITIONS] == 2 * 2 + 2 + 1 + 1


def test_at_most_one_transition_per_full_step(logger):
    always = [End(When("phase_time", ">=", 0.0))]
    program = Program(*(Phase(f"p{k}", ends=always) for k in range(5)))
    recording = Simulation(logger, method="Euler", step=H).run(program=program)
    assert recording.steps == 5


def test_an_endless_program_needs_no_end_but_stops_at_the_end_time(logger):
    program = Program(Phase("a", ends=[End(When("phase_time", ">=", 0.0), then=Goto("a"))]))
    recording = Simulation(logger, method="Euler", step=H).run(5.0, program=program)
    assert recording.status == "finished"
    assert recording.phase == "a"


# --- actions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_state_set_at_entry_holds_after_the_step(logger, method):
    program = Program(
        Phase("a", duration=1.0),
        Phase("b", duration=1.0, actions=[SetState("x", 10.0), SetMemory("elapsed", 100.0)]),
        Phase("c", duration=1.0, actions=[AddState("x", -5.0, restart_history=False)]),
    )
    recording = Simulation(logger, method=method, step=H).run(program=program)
    expected = np.concatenate([np.arange(8) * H, 10 + np.arange(8) * H, 6 + np.arange(9) * H])
    np.testing.assert_array_equal(recording["x"], expected)


def test_restart_of_the_history_by_action(logger):
    for actions, count in (([], 0), ([RestartHistory()], 2), ([SetState("x", 0.0)], 2)):
        program = Program(Phase("a", duration=1.0), Phase("b", actions=actions))
        sim = Simulation(logger, method="AM-2", step=H, program=program)
        sim.advance(20)
        # two evaluations a step, two more in each RK-4 start step
        assert sim.memory("count") == 20 * 2 + 2 + count


# --- bad input ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phase", "message"),
    [
        (Phase("p", [Open("pish", 1.0)]), "phase 'p': input 'pish': unknown; did you mean 'push'"),
        (Phase("p", [Feedback("push", "sped", 1.0)]), "watch 'sped': unknown; did you mean 'speed'"),
        (Phase("p", [Open("push", 1.0), Free("push")]), "two channels in one phase"),
        (Phase("p", [Open("push", "3 m")]), "3 m"),
        (Phase("p", [Open("push", Ramp(1.0, -1.0))]), "duration = -1.0: must be 0 or more"),
        (Phase("p", [Open("push", Sine(1.0, 0.0))]), "frequency = 0.0: must be above 0"),
        (Phase("p", [Open("push", math.nan)]), "not finite"),
        (Phase("p", [Open("push", FromTable(TABLE, column=2))]), "column 2 of a table with 2 outputs"),
        (Phase("p", [Feedback("push", "speed", 1.0, low=2.0, high=1.0)]), "is not below"),
        (Phase("p", [Feedback("push", "speed", 1.0, kp=math.inf)]), "not finite"),
        (Phase("p", ends=[End(When("spee", ">", 1.0))]), "watch 'spee': unknown; did you mean 'speed'"),
        (Phase("p", ends=[End(When("speed", "inside", 2.0, 1.0))]), "band"),
        (Phase("p", ends=[End(When("speed", ">", math.nan))]), "nan"),
        (Phase("p", ends=[End([])]), "without conditions"),
        (Phase("p", ends=[End(When("speed", ">", 1.0), then=Goto("q"))]), "goto 'q': no such phase"),
        (Phase("p", ends=[End(When("speed", ">", 1.0), then=Goto(3))]), "goto 3: phases are numbered 0 to 0"),
        (Phase("p", actions=[SetState("posit", 1.0)]), "state 'posit': unknown; did you mean 'position'"),
    ],
)
def test_mistakes_are_named(oscillator, phase, message):
    with pytest.raises(ParameterError) as info:
        Program(phase).pack(oscillator.model)
    assert message in str(info.value)


def test_phase_names_are_unique():
    with pytest.raises(ParameterError, match="phase 'a': the name is used 2 times"):
        Program(Phase("a"), Phase("a"))
    with pytest.raises(ParameterError, match="at least one phase"):
        Program()


def test_unit_strings(oscillator):
    program = Program(
        Phase("p", [Open("push", Ramp("90 deg", "200 ms", start=0.0))], [End(When("phase_time", ">=", "500 ms"))])
    )
    recording = Simulation(oscillator, step=0.001).run(program=program)
    assert recording.time[-1] == 0.5
    assert recording["push"][-1] == pytest.approx(math.pi / 2, rel=1e-15)
    assert recording["push.rate"][100] == pytest.approx(math.pi / 2 / 0.2)
