"""Standalone C: the same bits as from Python, several instances, bounded work, and a folder that respects its owner."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jounce as jn
from jounce.core.errors import ParameterError
from jounce.core.generated import ServiceSlot
from jounce.core.tables import Table
from jounce.runtime.bindings import Library
from jounce.runtime.compile import STRICT_FLAGS
from jounce.runtime.export import comment, export_c, identifier, number, string
from jounce.runtime.recording import Recording
from jounce.runtime.simulation import LINEAR_IMPLICIT, METHODS, RunError, Simulation
from jounce.runtime.work import call_counts, work_per_step
from jounce.symbolic import Leaf
from jounce.symbolic.friction import coulomb
from jounce.symbolic.step import Step

STEP = 0.002
ALL = METHODS | {"LI-Euler": LINEAR_IMPLICIT["LI-Euler"]}  # the cart has no two-stage step
LINUX = sys.platform == "linux"


def cart() -> jn.System:
    """A mass on a track with one of everything: tables of 1 to 3 axes, leaf functions, a memory, a derived parameter,
    an input with its rates, a sampled block."""
    s = jn.System("cart", gravity=(0, 0, 0))
    mass = s.parameter("mass", 1.3, "kg", 'the "cart" /* really */ what??/')
    stiffness = s.parameter("stiffness", "40 N/m", "N/m")
    omega = s.derived("omega", jn.ops.sqrt(stiffness / mass), "rad/s")
    push = s.input("push", "m", "foot of the spring", rate=True, acceleration=True)
    x = np.linspace(-1, 1, 9)
    a, b, c = np.meshgrid(x, x[::2], x[::4], indexing="ij")
    one = s.table("one", jn.Table(x, np.sin(3 * x), method="akima", extrapolation="linear"))
    two = s.table("two", jn.Table([x, x[::2]], np.cos(a + b)[..., 0], method="cubic"))
    three = s.table("three", jn.Table([x, x[::2], x[::4]], np.stack([a * b + c, a - c * c], -1), method="cubic"))
    # small and with a constant: a compiler that computes sinh(0.7) itself rounds it otherwise than libm does
    gain = Leaf("gain", {"x": 1, "p": 1}, lambda g: [jn.ops.sinh(g["p"][0]) * g["x"][0]])
    curve = Leaf("curve", {"x": 1, "p": 2}, lambda g: [jn.ops.atan(g["x"][0] * g["p"][0]) ** 3 + jn.ops.sin(g["p"][1])])
    slide = s.prismatic("slide", s.world, axis="x", initial=0.3)
    q, u = slide.q[0], slide.u[0]
    s.body("cart", slide.frame, mass)
    lag = s.state("lag", "m", initial=0.1)
    s.derivative(lag, omega * (s.call(gain, {"x": [q], "p": [0.7]})[0] - lag))
    soft = s.call(curve, {"x": [u], "p": [0.3, stiffness]})[0]
    s.generalized_force(u, -stiffness * (q - push) - 0.2 * soft - coulomb(s, "rub", u, 0.4, 900.0, 3.0))
    brake = s.block("brake", period="10 ms", offset="4 ms")
    hold = brake.signal("hold", "N", initial=0.05)
    brake.update(hold, 0.9 * hold + 0.3 * u + 0.01 * jn.ops.sin(7 * q))
    s.generalized_force(u, -hold)
    s.generalized_force(u, one(q) + two(q, lag) * 0.3 - sum(three(q, lag, u)) * 0.1)
    s.output("q", q, "m", watch=True)
    s.output("u", u, "m/s", watch=True)
    s.output("force", s.acceleration(u) * mass, "N")
    s.output("push", push, "m")
    s.output("hold", hold, "N")
    return s


def drive() -> jn.Program:
    """Open references of several kinds, feedback, a jump back, an action, conditions on watches and on time."""
    knots = np.linspace(0, 0.5, 6)
    wave = Table(knots, np.stack([np.sin(9 * knots), knots], -1), method="cubic", extrapolation="linear")
    return jn.Program(
        jn.Phase("wait", [jn.Open("push", jn.Ramp("30 mm", 0.03, delay=0.011, smooth=True))], duration=0.06),
        jn.Phase(
            "shake",
            [jn.Open("push", jn.Sine(0.05, 7.0, cycles=2.5, dwell_at=0.75, dwell=0.02))],
            ends=[
                jn.End(jn.When("q", "outside", -0.2, 0.25, hold=0.01), jn.Goto("shake", limit=2)),
                jn.End(jn.When("phase_time", ">=", "0.2 s")),
            ],
            actions=[jn.AddState("lag", 0.01)],
        ),
        jn.Phase("table", [jn.Open("push", jn.FromTable(wave, scale=0.1))], duration=0.25),
        jn.Phase(
            "sweep", [jn.Open("push", jn.Sweep(0.04, 1.0, 20.0, 0.3, logarithmic=True, relative=True))], duration=0.31
        ),
        jn.Phase(
            "over",
            [
                jn.Open(
                    "push", jn.Over("q", wave, rate="u", scale=0.05, from_here=True), blend=0.02, entry="q", high=0.2
                )
            ],
            ends=jn.End(jn.When("q", "abs>=", 1e-4, from_entry=True), delay=0.02),
            actions=[jn.SetParameter("stiffness", "55 N/m")],
            sample=0.004,
        ),
        jn.Phase("rise", [jn.Open("push", jn.Integral(jn.FromWatch("u", scale=0.2)))], duration=0.02),
        jn.Phase(
            "hold",
            [jn.Feedback("push", "q", 0.1, kp=0.8, ki=6.0, low=-0.3, high=0.3, bumpless=True)],
            ends=[jn.End(jn.When("time", ">", 1.5), jn.Stop('seen "enough" of it??'))],
        ),
    )


@pytest.fixture(scope="module")
def library() -> Library:
    return jn.build(cart().generate(step=Step()))


def compiled(folder: Path, compiler: str, *options: str, program: str = "program", driver: str | None = None) -> Path:
    """Build an export by one command, with main.c or with another driver instead; warnings are errors."""
    sources = sorted(str(p) for p in folder.glob("*.c") if driver is None or p.name != "main.c")
    if driver is not None:
        path = folder / f"{program}.driver"
        path.write_text(driver)
        sources += ["-x", "c", str(path), "-x", "none"]
    target = folder / program
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Werror")
    command = [compiler, *STRICT_FLAGS, *strict, "-I", str(folder), *options, *sources, "-o", str(target), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return target


def rows(output: bytes, recording: Recording) -> tuple[bytes, bytes]:
    """The program's binary rows and the recording's, to compare."""
    return output, np.column_stack([recording.time, recording.data]).tobytes()


# --- the same bits ------------------------------------------------------------------------------------

METHODS_DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include "cart_data.h"
static int put(void *context, const double *rows, int64_t n, int32_t columns) {
    return fwrite(rows, sizeof(double) * (1 + (size_t)columns), (size_t)n, context) != (size_t)n;
}
int main(int count, char **arguments) {
    static _Alignas(max_align_t) unsigned char memory[CART_INSTANCE_BYTES];
    double rows[6 * 8];
    jn_instance *cart = jn_instance_init(&cart_data, memory);
    if (count != 2 || !cart || jn_instance_size(&cart_data) != sizeof memory || cart_data.n_columns != 5) return 9;
    if (jn_set_step(&cart->sim, 0.002, atoi(arguments[1]))) return 8;
    int status = jn_instance_run(cart, cart_data.n_steps, rows, 8, put, stdout);
    return status == JN_STOPPED ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def recordings(library: Library) -> dict[str, Recording]:
    return {method: Simulation(library).run(program=drive(), method=method, step=STEP, iprint=0) for method in ALL}


@pytest.mark.parametrize("level", ["-O0", pytest.param("-O2", marks=pytest.mark.slow), "-O3"])
def test_every_method_gives_the_bits_of_python_at_every_level(level, library, recordings, compiler, tmp_path):
    export_c(tmp_path / "cart", library, program=drive(), iprint=0)
    program = compiled(tmp_path / "cart", compiler, level, driver=METHODS_DRIVER)
    for method, number_of in ALL.items():
        done = subprocess.run([program, str(number_of)], capture_output=True, check=True)
        found, expected = rows(done.stdout, recordings[method])
        assert found == expected, f"{method} at {level}: the rows differ from those of Python"


def test_the_runs_compared_are_worth_comparing(recordings):
    for recording in recordings.values():
        assert recording.status == "stopped" and recording.time[-1] > 1.5
        assert len(set(recording["force"])) > 0.9 * len(recording)
    assert len({r.data.tobytes() for r in recordings.values()}) == len(ALL)
    assert len(recordings["AM-4"]) == 2 * len(recordings["AB-2"]) - 1  # half steps too


def test_make_builds_the_program_and_csv_gives_every_number_back(library, compiler, tmp_path):
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    start = Simulation(library, method="AM-3", step=STEP, program=drive())
    start.set_parameters({"mass": 1.7})
    start.run(0.3, interval=0.1)
    before = start.snapshot()
    folder = export_c(tmp_path / "cart", start, t_end=0.6, interval=4 * STEP, channels=["force", "q"])
    assert start.snapshot().tobytes() == before.tobytes(), "an export leaves the simulation alone"
    subprocess.run(["make", "-s", f"CC={compiler}"], cwd=folder, check=True)
    done = subprocess.run(["./cart", "stiffness=51.25"], cwd=folder, capture_output=True, text=True, check=True)
    start.set_parameters({"stiffness": 51.25})
    recording = start.run(0.6, interval=4 * STEP, channels=["force", "q"])
    header, *lines = done.stdout.splitlines()
    assert header == '"time [s]","force [N]","q [m]"'
    found = np.array([[float(v) for v in line.split(",")] for line in lines])
    assert found.tobytes() == np.column_stack([recording.time, recording.data]).tobytes()
    assert done.stderr == "end time reached: t = 0.6 s\n"


@pytest.fixture(scope="module")
def built(library, compiler, tmp_path_factory) -> Path:
    folder = export_c(tmp_path_factory.mktemp("built") / "cart", library, t_end=0.1, step=STEP)
    compiled(folder, compiler, "-O1", program="cart")
    return folder


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["mas=3"], 1, "mas: no such parameter; --parameters lists them"),
        (["omega=3"], 1, "omega: no such parameter"),
        (["mass=heavy"], 1, "mass=heavy: expected NAME=VALUE with a finite number"),
        (["mass=nan"], 1, "mass=nan: expected NAME=VALUE with a finite number"),
        (["--end", "soon"], 1, "--end soon: expected seconds, not before the start at 0 s"),
        (["--end", "-1"], 1, "--end -1: expected seconds"),
        (["--out", "no/such/folder/x.csv"], 1, "no/such/folder/x.csv: "),
        (["mass=0"], 2, "output force became "),
    ],
)
def test_the_program_says_what_is_wrong(built, arguments, code, message):
    done = subprocess.run(["./cart", *arguments], cwd=built, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert message in done.stderr


def test_the_program_takes_an_end_time_and_a_file(built, library, tmp_path):
    arguments = ["--end", "0.05", "--binary", "--out", str(tmp_path / "rows.bin")]
    done = subprocess.run(["./cart", *arguments], cwd=built, capture_output=True, check=True)
    assert done.stdout == b""
    found, expected = rows((tmp_path / "rows.bin").read_bytes(), Simulation(library, step=STEP).run(0.05))
    assert found == expected
    listed = subprocess.run(["./cart", "--parameters"], cwd=built, capture_output=True, text=True, check=True).stdout
    assert listed.splitlines() == ["mass=1.3 kg", "stiffness=40 N/m"]


def test_a_vehicle_with_maps_and_tires_gives_the_bits_of_python(compiler, tmp_path):
    from jounce.bench.models import vehicle

    library = vehicle.build(2)
    turn = jn.Program(jn.Phase("turn", [jn.Open("rack", jn.Ramp("12 mm", 0.3, smooth=True))]))
    folder = export_c(tmp_path / "car", library, program=turn, t_end=0.5, method="AM-2", interval=0.01)
    program = compiled(folder, compiler, "-O0")
    done = subprocess.run([program, "--binary"], capture_output=True, check=True)
    found, expected = rows(done.stdout, Simulation(library).run(0.5, program=turn, method="AM-2", interval=0.01))
    assert found == expected


# --- instances ----------------------------------------------------------------------------------------

TWO_DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cart_data.h"
#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); return 1; } } while (0)
enum { N = 400 };
static jn_instance *start(double mass) {
    jn_instance *cart = jn_instance_init(&cart_data, malloc(jn_instance_size(&cart_data)));
    jn_instance_set(cart, "mass", mass);
    return cart;
}
int main(void) {
    jn_instance *alone[2] = {start(1.0), start(2.0)}, *both[2] = {start(1.0), start(2.0)};
    size_t bytes = (size_t)alone[0]->layout.n_state * sizeof(double);
    for (int k = 0; k < 2; ++k) CHECK(jn_advance(&alone[k]->sim, N) == JN_OK);
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < 2; ++k) CHECK(jn_advance(&both[k]->sim, 1) == JN_OK);
    for (int k = 0; k < 2; ++k) CHECK(memcmp(alone[k]->state, both[k]->state, bytes) == 0);
    CHECK(both[0]->x[0] != both[1]->x[0]);
    /* starting afresh in the same memory */
    double x = both[0]->x[0];
    CHECK(jn_instance_init(&cart_data, both[0]) == both[0] && both[0]->x[0] == cart_data.state[both[0]->layout.x]);
    jn_instance_set(both[0], "mass", 1.0);
    CHECK(jn_advance(&both[0]->sim, N) == JN_OK && both[0]->x[0] == x);
    for (int k = 0; k < 2; ++k) { free(alone[k]); free(both[k]); }
    return 0;
}
"""


def test_two_instances_in_one_process_do_not_see_each_other(library, compiler, tmp_path):
    folder = export_c(tmp_path / "cart", library, program=drive(), step=STEP)
    program = compiled(folder, compiler, "-O1", driver=TWO_DRIVER)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_no_object_of_an_export_has_data_that_can_change(built, compiler):
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed")
    objects = built / "objects"
    objects.mkdir(exist_ok=True)
    sources = sorted(str(p) for p in built.glob("*.c") if p.name != "main.c")
    # at fixed addresses: constants that hold addresses are then constants for the linker too
    subprocess.run([compiler, *STRICT_FLAGS, "-O1", "-fno-pie", "-c", *sources], cwd=objects, check=True)
    listing = subprocess.run(["nm", *map(str, objects.glob("*.o"))], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^[0-9a-f]+ ([a-zA-Z]) (\w+)$", listing, re.MULTILINE)
    assert len(found) > 20
    assert [name for kind, name in found if kind in "bBcCsSdDgG" and not name.startswith("__")] == []


# --- services -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_model_with_a_service_says_what_it_needs_and_runs_with_it(build, compiler, tmp_path):
    library = build(
        "asking",
        rhs="double y[2]; const double a[1] = {X(0)}; env->services[0].call(env->services[0].context, a, 1, y);"
        "F[0] = U(0) - y[0] + 0.01 * y[1];",
        states={"x": 0.2},
        inputs={"push": "-"},
        outputs={"x": "X(0)"},
        services=(ServiceSlot("road profile", 1, 1, 1, "height */ and slope"),),
    )
    folder = export_c(tmp_path / "asking", library, t_end=0.5, method="RK-2")
    name = "asking_service_road_profile"
    if shutil.which("make") is not None:
        made = subprocess.run(["make", f"CC={compiler}"], cwd=folder, capture_output=True, text=True)
        assert made.returncode != 0
        assert "copy asking_services.c.example to asking_services.c and fill it in" in made.stderr
    sources = sorted(str(p) for p in folder.glob("*.c"))
    linked = subprocess.run(
        [compiler, *STRICT_FLAGS, *sources, "-o", str(folder / "asking"), "-lm"], capture_output=True, text=True
    )
    assert linked.returncode != 0 and name in linked.stderr
    example = (folder / "asking_services.c.example").read_text()
    (folder / "asking_services.c").write_text(
        example.replace("out[0] = 0.0;", "out[0] = arguments[0] * arguments[0]; if (order) out[1] = 2 * arguments[0];")
    )
    program = compiled(folder, compiler, "-O2")
    done = subprocess.run([program, "--binary"], capture_output=True, check=True)
    simulation = Simulation(library)
    simulation.bind("road profile", lambda a, order: [a[0] * a[0], 2 * a[0]][: order + 1])
    found, expected = rows(done.stdout, simulation.run(0.5, method="RK-2"))
    assert found == expected
    export_c(folder, library, t_end=0.25)
    assert "2 * arguments[0]" in (folder / "asking_services.c").read_text(), "the user's own file stays"


# --- bounded work -------------------------------------------------------------------------------------

MODEL_FUNCTIONS = ("cart_rhs", "cart_step", "cart_watch", "cart_outputs")
WRAPPED = ("malloc", "calloc", "realloc", "free", "jn_table_eval", *MODEL_FUNCTIONS)

COUNT_DRIVER = r"""
#define _XOPEN_SOURCE 600
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cart_data.h"
typedef struct { long rhs, table, watch, outputs, memory; } counts; /* of the driver: the model has no globals */
enum { N = 20000, METHODS = 7 };
static const int methods[METHODS] = {JN_EULER, JN_AB2, JN_RK2, JN_AM2, JN_AM3, JN_AM4, JN_LI};
static counts now, every[METHODS][N];
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n) { ++now.memory; return __real_malloc(n); }
void *__real_calloc(size_t n, size_t m);
void *__wrap_calloc(size_t n, size_t m) { ++now.memory; return __real_calloc(n, m); }
void *__real_realloc(void *p, size_t n);
void *__wrap_realloc(void *p, size_t n) { ++now.memory; return __real_realloc(p, n); }
void __real_free(void *p);
void __wrap_free(void *p) { ++now.memory; __real_free(p); }
void __real_jn_table_eval(const jn_table *table, const double *x, int order, double *out);
void __wrap_jn_table_eval(const jn_table *table, const double *x, int order, double *out) {
    ++now.table;
    __real_jn_table_eval(table, x, order, out);
}
#define FUNCTION(name, field) \
    void __real_##name(const jn_env *env, const jn_point *at, double *const *out); \
    void __wrap_##name(const jn_env *env, const jn_point *at, double *const *out) { \
        ++now.field; \
        __real_##name(env, at, out); \
    }
FUNCTION(cart_rhs, rhs)
FUNCTION(cart_step, rhs)
FUNCTION(cart_watch, watch)
FUNCTION(cart_outputs, outputs)

static void *steps(void *nothing) {
    static _Alignas(max_align_t) unsigned char memory[CART_INSTANCE_BYTES];
    static double row[8];
    for (int k = 0; k < METHODS; ++k) {
        jn_instance *cart = jn_instance_init(&cart_data, memory);
        if (jn_set_step(&cart->sim, 0.0005, methods[k])) return memory;
        cart->sim.recorder = &cart->recorder;
        cart->recorder.rows = row;
        cart->recorder.capacity = 1;
        for (int i = 0; i < N; ++i) {
            memset(&now, 0, sizeof now);
            cart->recorder.n_rows = 0;
            if (jn_advance(&cart->sim, 1) != JN_OK) return memory;
            every[k][i] = now;
        }
    }
    return nothing;
}
static void *none(void *nothing) { return nothing; }

/* How much of its stack a thread needs: painted before, looked at after. */
enum { STACK = 1 << 18 };
static long depth(void *(*work)(void *), void **result) {
    static _Alignas(65536) unsigned char stack[STACK];
    pthread_attr_t how;
    pthread_t thread;
    long untouched = 0;
    memset(stack, 0xA5, STACK);
    if (pthread_attr_init(&how) || pthread_attr_setstack(&how, stack, STACK) ||
        pthread_create(&thread, &how, work, NULL) || pthread_join(thread, result)) exit(3);
    while (untouched < STACK && stack[untouched] == 0xA5) ++untouched; /* it grows down */
    return STACK - untouched;
}
int main(void) {
    void *result = NULL;
    long empty = depth(none, &result), used = depth(steps, &result);
    if (result) return 2;
    printf("%ld\n", used - empty);
    for (int k = 0; k < METHODS; ++k)
        for (int i = 0; i < N; ++i) {
            const counts *c = &every[k][i];
            printf("%d %ld %ld %ld %ld %ld\n", methods[k], c->rhs, c->table, c->watch, c->outputs, c->memory);
        }
    return 0;
}
"""


@pytest.mark.skipif(not LINUX, reason="needs the linker's --wrap")
def test_every_step_costs_the_same_and_allocates_nothing(library, compiler, tmp_path):
    shake = jn.Program(
        jn.Phase(
            "shake",
            [jn.Open("push", jn.Sine(0.3, 3.0))],  # up to the ends of the tables and beyond
            ends=[jn.End(jn.When("q", ">", 100.0))],
        )
    )
    folder = export_c(tmp_path / "cart", library, program=shake, t_end=100.0)
    wraps = [f"-Wl,--wrap={symbol}" for symbol in WRAPPED]
    program = compiled(folder, compiler, "-O2", "-pthread", *wraps, driver=COUNT_DRIVER)
    output = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    table = np.array([[int(v) for v in line.split()] for line in output[1:]])
    per_evaluation = call_counts(library.model, "rhs")["jn_table_eval"]
    assert call_counts(library.model, "step")["jn_table_eval"] == per_evaluation  # with their derivatives
    per_row = call_counts(library.model, "outputs")["jn_table_eval"]
    assert per_evaluation == 3
    for name, method in ALL.items():
        work = work_per_step(library, name)
        counts = table[table[:, 0] == method][:, 1:]
        assert len(counts) == 20000
        # the phase begins in the first step: its watches wait for the second
        start, steady = counts[: max(work["start_steps"], 1)], counts[max(work["start_steps"], 1) :]
        # evaluations, look-ups, watches, rows, allocations
        expected = [work["evaluations"], work["table_lookups"] + per_row, 1, 1, 0]
        assert (steady == expected).all(), f"{name}: {Counter(map(tuple, steady.tolist()))}"
        if work["start_steps"]:
            assert (start[:, 0] == work["start_evaluations"]).all()
            assert (start[:, 1] == work["start_evaluations"] * per_evaluation + per_row).all()
        assert not start[:, 4].any()
    # libm included; room for other compilers, but nothing that grows with the run or with the tables
    assert int(output[0]) < 16384


def test_work_of_a_vehicle_is_counted_without_running_it():
    from jounce.bench.models import vehicle

    library = vehicle.build(2)
    work = work_per_step(library, "AM-4")
    assert (work["evaluations"], work["start_steps"], work["start_evaluations"]) == (2, 3, 4)
    assert work["table_lookups"] == 2 * len(library.model.tables)  # each table once per evaluation
    assert work["operations"] == 2 * library.model.operations["rhs"]
    assert 0 < work["library_calls"] < work["operations"]
    with pytest.raises(ParameterError, match="no function"):
        call_counts(library.model, "nothing")


# --- the folder ---------------------------------------------------------------------------------------


def test_an_export_replaces_an_earlier_one_and_nothing_else(library, tmp_path):
    folder = export_c(tmp_path / "cart", library, t_end=1.0)
    text = (folder / "cart_data.c").read_text()
    (folder / "notes.txt").write_text("mine")
    assert export_c(folder, library, t_end=1.0) == folder
    assert (folder / "cart_data.c").read_text() == text, "the same run is written in the same way"
    (folder / "main.c").write_text((folder / "main.c").read_text() + "/* my own */")
    with pytest.raises(ParameterError, match=r"main\.c changed since the export; .*overwrite"):
        export_c(folder, library, t_end=2.0)
    assert (folder / "cart_data.c").read_text() == text
    export_c(folder, library, t_end=2.0, overwrite=True)
    assert "my own" not in (folder / "main.c").read_text()
    assert (folder / "cart_data.c").read_text() != text
    assert (folder / "notes.txt").read_text() == "mine"
    assert not list(folder.glob(".*.tmp"))


def test_files_of_another_model_do_not_stay_behind(build, library, tmp_path):
    other = build("other", rhs="F[0] = -X(0);", states={"x": 1.0}, outputs={"x": "X(0)"})
    folder = export_c(tmp_path / "out", other, t_end=1.0)
    assert (folder / "other_data.c").exists()
    export_c(folder, library, t_end=1.0)
    assert not list(folder.glob("other*")) and not (folder / "model.c").exists()


def test_a_folder_of_somebody_else_is_refused(library, tmp_path):
    (tmp_path / "thesis.tex").write_text("text")
    with pytest.raises(ParameterError, match="not empty, and not an earlier export"):
        export_c(tmp_path, library, t_end=1.0)
    with pytest.raises(ParameterError, match="is a file"):
        export_c(tmp_path / "thesis.tex", library, t_end=1.0)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]
    folder = export_c(tmp_path / "cart", library, t_end=1.0)
    (folder / "jounce-export.json").write_text("not JSON")
    with pytest.raises(ParameterError, match="not an earlier export"):
        export_c(folder, library, t_end=1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs an end time or a program"),
        ({"t_end": 1.0, "channels": ["qq"]}, "channel 'qq': not an output of the model; did you mean 'q'"),
        ({"t_end": 1.0, "iprint": 1, "interval": 0.1}, "iprint or interval, not both"),
        ({"t_end": 1.0, "interval": 0.0007}, "must be a multiple of the step"),
        ({"t_end": -1.0}, "lies before the current time"),
    ],
)
def test_a_wrong_run_is_refused_before_anything_is_written(options, message, library, tmp_path):
    with pytest.raises(ParameterError, match=message):
        export_c(tmp_path / "cart", library, **options)
    assert not (tmp_path / "cart").exists()


# --- numbers and names as text ------------------------------------------------------------------------


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_written_exactly(value):
    text = number(value)
    found = float.fromhex(text) if "0x" in text else float(text)
    assert struct.pack("d", found) == struct.pack("d", value)


def test_what_is_no_number_is_written_as_c_writes_it():
    assert [number(v) for v in (float("inf"), float("-inf"), float("nan"))] == ["INFINITY", "-INFINITY", "NAN"]


def test_names_cannot_break_the_c_text():
    assert string('a "b" \\ ??/\n') == '"a \\"b\\" \\\\ \\?\\?/ "'
    assert "*/" not in comment("a */ b /* c\n d")
    assert identifier("3 cars-a.b") == "m3_cars_a_b"


def test_an_export_of_a_run_that_fails_fails_in_the_same_step(build, compiler, tmp_path):
    library = build("bang", rhs="F[0] = X(0) * X(0) * X(0);", states={"x": 1.0}, outputs={"x": "X(0)"})
    with pytest.raises(RunError) as error:
        Simulation(library).run(5.0, step=0.01)
    folder = export_c(tmp_path / "bang", library, t_end=5.0, step=0.01)
    done = subprocess.run([compiled(folder, compiler), "--binary"], capture_output=True)
    assert done.returncode == 2
    failure = error.value.failure
    assert failure is not None
    assert f"at t = {failure.time:.9g} s (step {failure.step}," in done.stderr.decode()
    found, expected = rows(done.stdout, error.value.recording)
    assert found == expected
