"""External blocks: Python callables and C functions that read values and write inputs at their own rate."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

import jounce.runtime
from counting import calls
from jounce.core.errors import ParameterError, SimulationError
from jounce.runtime.program import Feedback, Free, Open, Phase, Program, Ramp
from jounce.runtime.simulation import METHODS, BlockState, RunError, Simulation

RUNTIME = Path(jounce.runtime.__file__).parent / "c"

CONTROLLER = r"""
/* PI controller with its integral in the context: target, period, kp, ki, integral */
void control(void *context, double t, const double *in, double *out) {
    double *c = context, e = c[0] - in[0];
    (void)t;
    c[4] = c[4] + c[1] * e;
    out[0] = c[2] * e + c[3] * c[4];
}
void save(void *context, double *to) { to[0] = ((double *)context)[4]; }
void load(void *context, const double *from) { ((double *)context)[4] = from[0]; }
"""
NUMBERS = (0.3, 0.004, 30.0, 12.0)


class Controller:
    """The same in Python."""

    def __init__(self) -> None:
        self.target, self.period, self.kp, self.ki = NUMBERS
        self.integral = 0.0

    def __call__(self, t, values):
        e = self.target - float(values[0])
        self.integral = self.integral + self.period * e
        return self.kp * e + self.ki * self.integral

    def get_state(self):
        return [self.integral]

    def set_state(self, values):
        self.integral = float(values[0])


@pytest.fixture(scope="module")
def native(compiler, tmp_path_factory):
    folder = tmp_path_factory.mktemp("native")
    (folder / "control.c").write_text(CONTROLLER)
    flags = ("-std=c11", "-O2", "-ffp-contract=off", "-fPIC", "-shared")
    subprocess.run([compiler, *flags, "control.c", "-o", "control.so"], check=True, cwd=folder)
    return ctypes.CDLL(str(folder / "control.so"))


def controlled(oscillator, native=None, method="AB-2", *, state=True):
    sim = Simulation(oscillator, method=method, step=0.001)
    if native is None:
        function = Controller() if state else lambda t, values: 0.0
        sim.add_block("pi", function, "4 ms", reads=["position"], writes=["push"])
        return sim
    context = (ctypes.c_double * 5)(*NUMBERS, 0.0)
    sim.context = context  # kept alive with the simulation
    sim.add_block(
        "pi",
        native.control,
        "4 ms",
        reads=["position"],
        writes=["push"],
        context=ctypes.addressof(context),
        state=BlockState(native.save, native.load, 1) if state else None,
    )
    return sim


# --- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_python_block_equals_a_c_function_to_the_bit(oscillator, native, method):
    a, b = controlled(oscillator, method=method), controlled(oscillator, native, method)
    one, two = a.run(1.0, iprint=0), b.run(1.0, iprint=0)
    assert one.data.tobytes() == two.data.tobytes()
    assert a.snapshot().tobytes() == b.snapshot().tobytes()


def test_samples_come_at_full_steps_and_are_held(oscillator):
    calls = []

    def stairs(t, values):
        calls.append((t, values.tolist()))
        return float(len(calls)), -float(len(calls))

    sim = Simulation(oscillator, method="AM-2", step=0.01, t0=5.0)
    names = ["speed", "push", "position"]
    sim.add_block("stairs", stairs, 0.03, offset=0.02, reads=names, writes=["other", "push"], stateless=True)
    assert sim.blocks[0].next == pytest.approx(5.02)
    run = sim.run(5.1, iprint=0)
    assert [t for t, _ in calls] == pytest.approx([5.02, 5.05, 5.08])
    held = -np.select([run.time < 5.0199, run.time < 5.0499, run.time < 5.0799], [0, 1, 2], 3)
    assert np.array_equal(run["push"], held)  # a row shows what the evaluation used, at half steps too
    assert [v[1] for _, v in calls] == [0.0, -1.0, -2.0]  # before the block writes
    row = int(np.argmin(np.abs(run.time - 5.05)))
    assert calls[1][1] == [run["speed"][row], -1.0, run["position"][row]]


def test_values_can_be_read_from_every_array(build):
    library = build(
        "many",
        rhs="F[0] = 1.0; N[0] = M(0) + 2.0;",
        states={"x": 0.5},
        memories={"m": 7.0},
        inputs={"u": "-", "w": "-"},
        outputs={"double": "2 * X(0)", "x": "10 * X(0)"},
        watches={"triple": "3 * X(0)"},
    )
    seen = []
    sim = Simulation(library, method="Euler", step=0.5)
    sim.set_inputs({"w": 4.0})
    names = ["double", "triple", "m", "w", "x"]
    sim.add_block("probe", lambda t, v: seen.append(v.tolist()), reads=names, stateless=True)
    sim.advance(2)
    assert seen == [[1.0, 1.5, 7.0, 4.0, 5.0], [2.0, 3.0, 9.0, 4.0, 10.0]]  # x: the channel, not the state


def test_blocks_run_in_the_order_asked_for(oscillator):
    order = []

    def block(name):
        return lambda t, values: order.append(name)

    sim = Simulation(oscillator, step=0.01)
    for name, before in (("a", None), ("b", None), ("c", "b"), ("d", "a")):
        sim.add_block(name, block(name), before=before, stateless=True)
    assert [b.name for b in sim.blocks] == ["d", "a", "c", "b"]
    sim.advance(1)
    assert order == ["d", "a", "c", "b"]
    sim.remove_block("a")
    sim.advance(1)
    assert order[4:] == ["d", "c", "b"]
    with pytest.raises(ParameterError, match="block 'a': no external block"):
        sim.remove_block("a")


def test_a_later_block_reads_what_an_earlier_one_wrote(oscillator):
    sim = Simulation(oscillator, step=0.01)
    seen = []
    sim.add_block("first", lambda t, v: 3.0, writes=["push"], stateless=True)
    sim.add_block("second", lambda t, v: seen.append(v[0]), reads=["push"], stateless=True)
    sim.advance(1)
    assert seen == [3.0]


def test_the_program_moves_its_inputs_at_half_steps_and_the_block_holds_its_own(oscillator):
    sim = Simulation(oscillator, method="RK-2", step=0.01)
    sim.set_program(Program(Phase("ramp", [Open("push", Ramp(1.0, duration=1.0))])))
    sim.add_block("hold", lambda t, v: t, reads=["push"], writes=["other"], stateless=True)
    seen = []
    sim.add_block("look", lambda t, v: seen.append(v.tolist()), reads=["push", "other"], stateless=True)
    run = sim.run(0.1, iprint=0)
    assert run["push"] == pytest.approx(run.time)
    assert np.array(seen) == pytest.approx(np.repeat(np.arange(11) * 0.01, 2).reshape(-1, 2))


def test_settling_samples_the_instant_once(oscillator):
    sim = controlled(oscillator)
    sim.apply_program()
    push = sim.input("push")
    assert push != 0.0
    other = controlled(oscillator)
    assert sim.run(0.1).data.tobytes() == other.run(0.1).data.tobytes()


def test_a_full_buffer_does_not_call_twice(oscillator):
    one = controlled(oscillator).run(0.1, iprint=0, method="AM-2", buffer_rows=1)
    assert one.data.tobytes() == controlled(oscillator).run(0.1, iprint=0, method="AM-2").data.tobytes()


# --- state -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["Python", "C"])
@pytest.mark.parametrize("after", [0, 1, 6, 8])
def test_a_snapshot_carries_the_state_of_a_block(oscillator, native, language, after):
    chosen = native if language == "C" else None
    a, b = controlled(oscillator, chosen), controlled(oscillator, chosen)
    a.advance(after)
    b.advance(3)
    b.restore(a.snapshot())
    assert a.run(0.2).data.tobytes() == b.run(0.2).data.tobytes()


@pytest.mark.parametrize("language", ["Python", "C"])
def test_a_block_that_hides_its_state_makes_snapshots_refuse(oscillator, native, language):
    sim = controlled(oscillator, native if language == "C" else None, state=False)
    good = controlled(oscillator).snapshot()
    for action in (sim.snapshot, lambda: sim.restart(defaults=True)):
        with pytest.raises(ParameterError, match=r"block 'pi' .*cannot give and take its state.*stateless=True"):
            action()
    with pytest.raises(ParameterError, match="with other external blocks"):
        sim.restore(good)
    assert sim.run(0.01).ok  # it runs all the same
    with pytest.raises(ParameterError, match="with other external blocks"):
        Simulation(oscillator, step=0.001).restore(good)


def test_a_restart_puts_back_the_state_a_block_came_with(oscillator, native):
    for language in (None, native):
        sim = controlled(oscillator, language)
        first = sim.run(0.1)
        sim.restart(defaults=True)
        assert sim.run(0.1).data.tobytes() == first.data.tobytes()


def test_a_state_that_changes_its_size_is_an_error(oscillator):
    values = [1.0]
    sim = Simulation(oscillator)
    sim.add_block("b", lambda t, v: None, state=BlockState(lambda: values, lambda v: None))
    sim.snapshot()
    values.append(2.0)
    with pytest.raises(ParameterError, match="block 'b': its state has 2 numbers now, 1 at first"):
        sim.snapshot()


def test_blocks_keep_their_rhythm_when_program_and_blocks_change(oscillator):
    sim = controlled(oscillator)
    sim.advance(6)
    before = sim.blocks[0]
    sim.set_program(Program(Phase("p", [Open("other", 2.0)])))
    sim.add_block("late", lambda t, v: None, "2 ms", offset="1 ms", stateless=True)
    assert sim.blocks[0] == before
    assert sim.blocks[1].next == pytest.approx(0.007)
    reference = controlled(oscillator)
    reference.advance(6)
    assert sim.run(0.1)["push"].tobytes() == reference.run(0.1)["push"].tobytes()


# --- failures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("writes", [["push"], []])
def test_an_exception_ends_the_run_and_the_recording_is_kept(oscillator, writes):
    calls = []

    def fragile(t, values):
        calls.append(t)
        if len(calls) == 4:
            raise ValueError("no more")
        return np.zeros(len(writes))

    sim = Simulation(oscillator, step=0.01)
    sim.add_block("fragile", fragile, 0.02, writes=writes, stateless=True)
    with pytest.raises(RunError, match=r"block 'fragile' failed at t = 0\.06 s: no more") as caught:
        sim.run(1.0)
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.recording.time == pytest.approx(np.arange(6) * 0.01)
    assert caught.value.recording.status == "failed"
    assert "no more" in caught.value.recording.reason
    assert (sim.step_count, len(calls)) == (6, 4)
    assert sim.run(0.1).ok  # the instant is tried again
    assert len(calls) == 7
    calls.clear()
    with pytest.raises(SimulationError, match="block 'fragile' failed"):
        sim.advance(100)


def test_ctrl_c_inside_a_block_interrupts_the_run(oscillator):
    def press(t, values):
        if t > 0.045:
            raise KeyboardInterrupt

    sim = Simulation(oscillator, step=0.01)
    sim.add_block("keys", press, stateless=True)
    run = sim.run(1.0)
    assert (run.status, len(run)) == ("interrupted", 5)


def test_wrong_results_are_named(oscillator):
    sim = Simulation(oscillator, step=0.01)
    for result, text in (([1.0], "1 values returned, 2 expected"), (None, "0 values"), ("x", "could not convert")):
        sim.add_block("b", lambda t, v, result=result: result, writes=["push", "other"], stateless=True)
        with pytest.raises(RunError, match=f"block 'b' failed.*{text}"):
            sim.run(1.0)
        sim.remove_block("b")
    sim.add_block("b", lambda t, v: (1.0, np.nan), writes=["push", "other"], stateless=True)
    with pytest.raises(RunError, match=r"input 'other', written by block 'b', became nan at t = 0 s"):
        sim.run(1.0)


def test_mistakes_are_named(oscillator):
    sim = Simulation(oscillator, step=0.001)

    def nothing(t, values):
        return 0.0

    def refused(text, **options):
        with pytest.raises(ParameterError, match=text):
            sim.add_block("b", nothing, **options)

    refused(r"block 'b': 'positon' cannot be read.*position", reads=["positon"])
    refused(r"block 'b': 'pusch' is no input.*push", writes=["pusch"])
    refused(r"block 'b': input 'push' is written twice", writes=["push", "push"])
    refused(r"lists of names", reads="position")
    refused(r"exchange 'steps' is unknown.*step", exchange="steps")
    refused(r"block 'nobody': unknown", before="nobody")
    refused(r"stateless=True and a state", stateless=True, state=BlockState(list, list))
    refused(r"period = 0\.0: must be above 0 s", period=0.0)
    refused(r"block 'b': offset = -1", offset=-1.0)
    with pytest.raises(ParameterError, match="needs a callable"):
        sim.add_block("b", 1.5)
    with pytest.raises(ParameterError, match="needs its size"):
        sim.add_block("b", 1234, state=BlockState(1, 2))
    sim.add_block("b", nothing, "2.5 ms", writes=["push"], stateless=True)
    with pytest.raises(ParameterError, match=r"block 'b': the name is taken"):
        sim.add_block("b", nothing)
    with pytest.raises(ParameterError, match=r"input 'push' is driven by block 'b' and by block 'c'"):
        sim.add_block("c", nothing, writes=["push"])
    with pytest.raises(ParameterError, match=r"block 'b': period 0\.0025 s is no multiple of the step, 0\.001 s"):
        sim.run(1.0)
    with pytest.raises(ParameterError, match=r"input 'push' is driven by phase 'p' and by block 'b'"):
        sim.set_program(Program(Phase("p", [Open("push", 1.0)])))
    with pytest.raises(ParameterError, match=r"input 'push' is driven by phase 'p'"):
        sim.set_program(Program(Phase("free", [Free("push")]), Phase("p", [Feedback("push", "speed", 0.0, kp=1.0)])))
    sim.remove_block("b")
    sim.set_program(Program(Phase("p", [Open("push", 1.0)])))
    with pytest.raises(ParameterError, match=r"input 'push\.rate' is driven by phase 'p' and by block 'c'"):
        sim.add_block("c", nothing, writes=["push.rate"])  # the reference brings its rate along
    sim.add_block("c", nothing, writes=["other"], stateless=True)
    assert sim.run(0.01).ok


# --- cost and memory -------------------------------------------------------------------------------------------------


def test_a_python_block_costs_a_few_calls_a_step(oscillator):
    sim = Simulation(oscillator, step=0.001)
    sim.add_block("b", lambda t, v: 0.0, reads=["position", "speed"], writes=["push"], stateless=True)
    sim.advance(10)
    few, many = calls(lambda: sim.advance(100)), calls(lambda: sim.advance(1100))
    # the bridge from C, the block itself, and what hands its values over; `jounce bench` has the microseconds
    assert 1 <= (many - few) / 1000 <= 6


DRIVER = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jn_sim.h"
#define CHECK(c) do { if (!(c)) { fprintf(stderr, "line %d: %s\n", __LINE__, #c); return 1; } } while (0)
static void rhs(const jn_env *env, const jn_point *at, double *const *out) {
    (void)env;
    out[0][0] = at->x[1];
    out[0][1] = at->u[0] + at->u[1] - at->x[1] + at->b[1];
    out[1][0] = at->m[0] + at->elapsed;
}
static void outputs(const jn_env *env, const jn_point *at, double *const *out) {
    (void)env;
    for (int k = 0; k < 2; ++k) out[0][k] = at->x[k];
    out[0][2] = at->b[0];
}
static void watch(const jn_env *env, const jn_point *at, double *const *out) { (void)env; out[0][0] = at->x[0]; }
static void first(const jn_env *env, const jn_point *at, double *const *out) {
    (void)env;
    out[0][0] = at->b[1];
    out[0][1] = at->b[0] * 0.5 + at->b[3] * at->x[0];
}
static void second(const jn_env *env, const jn_point *at, double *const *out) { (void)env; out[0][0] = at->b[2] + 1.0; }
static const jn_block blocks[] = {{"first", 0.02, 0.0, 0, 2, 3, first}, {"second", 0.0, 0.01, 2, 1, 4, second}};
static const jn_model model = {.abi = JN_ABI, .n_x = 2, .n_m = 1, .n_u = 2, .n_y = 3, .n_watch = 1, .rhs = rhs,
    .outputs = outputs, .watch = watch, .kinematics = watch, .n_k = 1, .n_b = 5, .n_blocks = 2, .blocks = blocks};
static void spring(void *context, double t, const double *in, double *out) {
    (void)t;
    out[0] = -*(double *)context * in[0] - 0.1 * in[1];
}
static void force(void *context, double t, const double *in, double *out) {
    (void)context;
    out[0] = 0.01 * in[0] + 0.1 * sin(t);
}
int main(void) {
    for (int method = JN_EULER; method <= JN_AM4; ++method) for (int option = 0; option < 6; ++option) {
        jn_env env = {0};
        jn_layout layout;
        jn_sim_layout(&model, 0, &layout);
        double k = 40.0;
        const int32_t source[2] = {JN_FROM_KINEMATICS, JN_FROM_STATE}, index[2] = {0, 1}, u0[1] = {0}, u1[1] = {1};
        const int32_t source1[1] = {JN_FROM_OUTPUT}, index1[1] = {2};
        double *in = malloc(3 * sizeof(double)), *out = malloc(2 * sizeof(double));
        jn_external list[2] = {
            {spring, &k, 0.0, 0.0, JN_EXCHANGE_STEP, 2, 2, 1, source, index, u0, in, out, 0, 0, 0, 0},
            {force, 0, 0.03, 0.0, JN_EXCHANGE_SAMPLED, 1, 1, 1, source1, index1, u1, in + 2, out + 1, 7, 0, 0, 0}};
        jn_externals externals = {17.0, 2, 14, list};
        const size_t n = (size_t)(layout.n_state + 14) * sizeof(double);
        double *state = calloc(1, n), *work = malloc((size_t)layout.n_work * sizeof(double));
        double *copy = malloc(n), *end = malloc(n), *rows = malloc(3 * 4 * sizeof(double));
        jn_recorder recorder = {rows, 3, 0, 0, 3, 1};
        jn_sim sim = {&model, &env, 0, &recorder, state, work, &externals};
        CHECK(jn_start(&sim, 0.0, 0.01, method) == JN_OK);
        state[JN_S_IO_SYNC_FM] = state[JN_S_IO_UPDATE] = option & 1;
        state[JN_S_INPUT_TIME] = option / 2;
        state[JN_S_IPRINT] = 0.0;
        state[layout.x] = 1.0;
        for (int part = 0; part < 2; ++part) {
            for (int step = 0; step < 117;) {
                int status = jn_advance(&sim, 1);
                CHECK(status == JN_OK || status == JN_FULL);
                if (status == JN_FULL) recorder.n_rows = 0; else ++step;
            }
            if (part == 0) { memcpy(copy, state, n); continue; }
            memcpy(end, state, n);
            memcpy(state, copy, n);
            part = 2;
        }
        for (int step = 0; step < 117;) {
            int status = jn_advance(&sim, 1);
            if (status == JN_FULL) recorder.n_rows = 0; else ++step;
        }
        CHECK(memcmp(end, state, n) == 0);
        CHECK(isfinite(state[layout.x]) && state[layout.b + 2] == 233.0);
        sim.recorder = 0;
        CHECK(jn_misfit(&sim) == -1);
        CHECK(jn_set_block(&sim, 3, 0.025, -1.0) == JN_OK && jn_misfit(&sim) == 3);
        CHECK(jn_advance(&sim, 1) == JN_BAD_CALL && jn_instant(&sim) == JN_BAD_CALL);
        CHECK(jn_set_block(&sim, 4, 0.03, 0.0) == JN_BAD_CALL && jn_set_block(&sim, 0, NAN, 0.0) == JN_BAD_CALL);
        CHECK(jn_set_block(&sim, 3, 0.03, 0.005) == JN_OK && jn_misfit(&sim) == 3);
        CHECK(jn_set_step(&sim, 0.005, method) == JN_OK && jn_misfit(&sim) == -1);
        CHECK(jn_advance(&sim, 1) == JN_OK);
        sim.externals = 0;
        CHECK(jn_advance(&sim, 1) == JN_BAD_CALL);
        free(in); free(out); free(state); free(work); free(copy); free(end); free(rows);
    }
    return 0;
}
"""


@pytest.mark.slow
def test_blocks_in_a_plain_c_program_under_the_sanitizers(compiler, tmp_path):
    flags = ("-std=c11", "-g", "-O1", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    (tmp_path / "probe.c").write_text("int main(void) { return 0; }\n")
    if subprocess.run([compiler, *flags, "probe.c", "-o", "probe"], cwd=tmp_path, capture_output=True).returncode:
        pytest.skip("this compiler has no sanitizers")
    (tmp_path / "driver.c").write_text(DRIVER)
    sources = sorted(map(str, RUNTIME.glob("*.c")))
    warnings = ("-Wall", "-Wextra", "-Wno-missing-field-initializers")
    subprocess.run(
        [compiler, *flags, *warnings, f"-I{RUNTIME}", "driver.c", *sources, "-o", "driver", "-lm"],
        cwd=tmp_path,
        check=True,
    )
    done = subprocess.run(["./driver"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
