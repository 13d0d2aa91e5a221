"""The runtime in a plain C program, under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import jounce.runtime

RUNTIME = Path(jounce.runtime.__file__).parent / "c"
FLAGS = ("-std=c11", "-g", "-O1", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")

DRIVER = r"""
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "jn_sim.h"

#define CHECK(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, #c); return 1; } } while (0)

static void rhs(const jn_env *env, const jn_point *at, double *const *out) {
    out[0][0] = at->x[1];
    out[0][1] = -4.0 * at->x[0] - env->p[0] * at->x[1] + at->u[0] + at->m[0];
    if (at->t > env->p[1]) out[0][1] = NAN;
    out[1][0] = fmax(-0.1, fmin(0.1, at->m[0] - at->x[1] * at->elapsed));
}
static void outputs(const jn_env *env, const jn_point *at, double *const *out) {
    (void)env;
    out[0][0] = at->x[0]; out[0][1] = at->x[1]; out[0][2] = at->u[0]; out[0][3] = at->u[1];
}
static void watch(const jn_env *env, const jn_point *at, double *const *out) { (void)env; out[0][0] = at->x[0]; }

static const int32_t u_rate[] = {1, -1}, u_acceleration[] = {-1, -1};
static const jn_model model = {
    JN_ABI, 2, 1, 2, 2, 2, 4, 1, 0, 0, 0, u_rate, u_acceleration, rhs, outputs, watch, 0};

/* one table reference on 0..2 s */
static const double knots[] = {0.0, 1.0, 2.0}, coef[] = {0.0, 1.0, 1.0, -2.0};
static const jn_table tables[] = {{1, 1, {{3, 1, JN_EXTRAPOLATE_FLAT, 0, 0.0, knots, knots, 0}}, coef}};

#define REF(kind_, ...) \
    {.mode = JN_MODE_OPEN, .kind = kind_, .flags = JN_REF_RELATIVE, .rate = -1, .p = {__VA_ARGS__}, .blend = 0.03}
static const jn_channel channels[] = {
    REF(JN_REF_CONSTANT, 0.1), REF(JN_REF_HOLD, 0), REF(JN_REF_RAMP, 0, 1, 0.1, 0.05),
    REF(JN_REF_RAMP_SMOOTH, 0, 1, 0.1, 0.05), REF(JN_REF_RATE, 0, 1), REF(JN_REF_SINE, 1, 5, 0, 0, 0, 1, 0.75, 0.02),
    REF(JN_REF_SWEEP_LINEAR, 1, 1, 5, 0, 0, 0, 0.2), REF(JN_REF_SWEEP_LOG, 1, 1, 5, 0, 0, 0, 0.2),
    REF(JN_REF_PULSE, 0, 1, 0.05, 0.05, 0.05, 0.05), REF(JN_REF_PULSE_SMOOTH, 0, 1, 0.05, 0.05, 0.05, 0.05),
    REF(JN_REF_TABLE, 0, 0.1, 0), REF(JN_REF_RAMP_CUBIC, 0, 1, 0.1, 0.05),
    REF(JN_REF_PULSE_CUBIC, 0, 1, 0.05, 0.05, 0.05, 0.05), REF(JN_REF_SLOPE, 0.3, 0.05, 0.15),
    REF(JN_REF_SWEPT, 0.1, 1, 2, 3, 0.05), REF(JN_REF_POLYNOMIAL, 0.1, 0.2, 0.3, 0.05), REF(JN_REF_STAIRS, 0, 0.1, 0),
    {.mode = JN_MODE_OPEN, .kind = JN_REF_INPUT, .watch = 1, .rate = -1, .p = {0.1, 0.5}},
    {.mode = JN_MODE_OPEN, .kind = JN_REF_WATCH, .flags = JN_REF_SATURATED, .rate = -1, .p = {0.1, 0.5},
     .low = -1, .high = 1},
    {.mode = JN_MODE_OPEN, .kind = JN_REF_TABLE, .flags = JN_REF_OVER | JN_REF_FROM_HERE, .rate = -1, .p = {0, 0.1}},
    {.mode = JN_MODE_OPEN, .kind = JN_REF_CONSTANT, .flags = JN_REF_INTEGRAL | JN_REF_ENTRY_WATCH, .rate = -1,
     .p = {0.2}},
    {.mode = JN_MODE_FEEDBACK, .kind = JN_REF_CONSTANT, .flags = JN_REF_BUMPLESS, .rate = -1, .p = {0.2},
     .kp = 3, .ki = 8, .ff = 0.1, .ff_value = 0.1, .ff_rate = 0.1, .low = -2, .high = 2},
    {.input = 1, .mode = JN_MODE_FREE, .rate = -1}};
enum { N = sizeof(channels) / sizeof(*channels), AGAIN = N - 3 };
static const jn_condition conditions[] = {
    {JN_SOURCE_PHASE_TIME, 0, JN_OP_GE, 0, 0.25, 0, 0},
    {JN_SOURCE_WATCH, 0, JN_OP_ABS_LT, 0, 100.0, 0, 0.1},
    {JN_SOURCE_TIME, 0, JN_OP_INSIDE, 0, 50.0, 60.0, 0}};
static const jn_action actions[] = {
    {JN_ACT_ADD_STATE, 1, 0.5}, {JN_ACT_RESTART_HISTORY, 0, 0}, {JN_ACT_SET_MEMORY, 0, 0.01}, {JN_ACT_IPRINT, 0, 0}};

int main(void) {
    /* every channel in a phase of its own, the last but one jumps back to the third one twice */
    jn_phase phases[N];
    jn_group groups[2 * N];
    for (int k = 0; k < N; ++k) {
        jn_phase phase = {k, 1, 2 * k, 2, 0, 3, 0, k == 4 ? 4 : 0, k + 1, 0, 0};
        jn_group first = {0, 2, k == N - 2 ? JN_JUMP_GOTO : JN_JUMP_NEXT, 2, 2, 0, 0, 0, 0};
        jn_group second = {2, 1, JN_JUMP_STOP, 0, 0, 7, 1, 0, 0};
        phases[k] = phase;
        groups[2 * k] = first;
        groups[2 * k + 1] = second;
    }
    const jn_program program = {
        .id = 42.0, .n_phases = N, .n_groups = 2 * N, .n_tables = 1, .max_channels = 1, .max_conditions = 3,
        .chosen = -1, .shown = -1, .phases = phases, .channels = channels, .groups = groups, .conditions = conditions,
        .actions = actions, .tables = tables};
    for (int method = JN_EULER; method <= JN_AM4; ++method) {
        double p[2] = {0.3, 1e9};
        jn_env env = {p, 0, 0, 0};
        jn_layout layout;
        jn_sim_layout(&model, &program, &layout);
        /* exact sizes, so that one double too far is seen */
        double *state = calloc((size_t)layout.n_state, sizeof(double));
        double *work = malloc((size_t)layout.n_work * sizeof(double));
        double *copy = malloc((size_t)layout.n_state * sizeof(double)), *rows = malloc(5 * 5 * sizeof(double));
        jn_recorder recorder = {rows, 5, 0, 0, 4, 1};
        jn_sim sim = {&model, &env, &program, &recorder, state, work};
        CHECK(jn_advance(&sim, 1) == JN_BAD_CALL);
        CHECK(jn_start(&sim, 0.0, 0.0, method) == JN_BAD_CALL);
        CHECK(jn_start(&sim, 0.0, 0.01, 9) == JN_BAD_CALL);
        CHECK(jn_start(&sim, 0.0, 0.01, method) == JN_OK);
        state[layout.x] = 1.0;
        long total = 0, calls = 0;
        int status;
        while ((status = jn_advance(&sim, 37)) != JN_STOPPED && ++calls < 100000) {
            CHECK(status == JN_OK || status == JN_FULL);
            if (status == JN_FULL) { total += recorder.n_rows; recorder.n_rows = 0; }
        }
        total += recorder.n_rows;
        CHECK(status == JN_STOPPED && state[JN_S_REASON] == 0.0);
        CHECK(total == (long)state[JN_S_ROWS]);
        /* all phases, but the first two and the last one three times */
        CHECK(state[JN_S_TRANSITIONS] == N - 1 + 2 * AGAIN);
        CHECK(state[JN_S_STEP] == (N + 2 * AGAIN) * 25);

        /* restart, snapshot, go on twice: same bytes; a change of step on the way */
        memset(state, 0, (size_t)layout.n_state * sizeof(double));
        CHECK(jn_start(&sim, 1.0, 0.01, method) == JN_OK);
        state[layout.x] = 1.0;
        sim.recorder = 0;
        CHECK(jn_advance(&sim, 61) == JN_OK);
        CHECK(jn_set_step(&sim, 0.005, method) == JN_OK);
        CHECK(jn_advance(&sim, 2) == JN_OK);
        memcpy(copy, state, (size_t)layout.n_state * sizeof(double));
        CHECK(jn_advance(&sim, 200) == JN_OK);
        double *end = malloc((size_t)layout.n_state * sizeof(double));
        memcpy(end, state, (size_t)layout.n_state * sizeof(double));
        memcpy(state, copy, (size_t)layout.n_state * sizeof(double));
        CHECK(jn_advance(&sim, 200) == JN_OK);
        CHECK(memcmp(end, state, (size_t)layout.n_state * sizeof(double)) == 0);

        /* a number that is not finite */
        p[1] = state[JN_S_T0] + 1.5;
        memcpy(copy, state, (size_t)layout.n_state * sizeof(double));
        CHECK(jn_advance(&sim, 10000) == JN_NONFINITE);
        CHECK(state[JN_S_BAD_KIND] == JN_BAD_DERIVATIVE && state[JN_S_BAD_INDEX] == 1 && isnan(state[JN_S_BAD_VALUE]));
        for (int k = 0; k < 2; ++k) CHECK(isfinite(state[layout.x + k]));
        free(end); free(rows); free(copy); free(work); free(state);
    }
    return 0;
}
"""


@pytest.mark.slow
def test_the_runtime_is_clean_under_sanitizers(compiler, tmp_path):
    probe = tmp_path / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    if subprocess.run([compiler, *FLAGS, str(probe), "-o", str(tmp_path / "probe")], capture_output=True).returncode:
        pytest.skip("this compiler has no sanitizers")
    driver, program = tmp_path / "driver.c", tmp_path / "driver"
    driver.write_text(DRIVER)
    sources = sorted(map(str, RUNTIME.glob("*.c")))
    command = [compiler, *FLAGS, "-Wall", "-Wextra", f"-I{RUNTIME}", str(driver), *sources, "-o", str(program), "-lm"]
    subprocess.run(command, check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
