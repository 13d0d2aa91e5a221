/* Inside the loop: one call's view of a jn_sim, and what its parts offer each other. Not for users. */
#ifndef JN_RUN_H
#define JN_RUN_H

#include <string.h>

#include "jn_sim.h"

typedef struct {
    const jn_model *model;
    const jn_env *env;
    const jn_program *program;
    const jn_externals *externals; /* or NULL */
    jn_recorder *recorder;
    double *s; /* header of the state */
    double *x, *m, *u, *b, *history, *block, *channel, *held, *counter, *trigger, *parameter, *external;
    double *f, *g, *sum, *xs, *xn, *ma, *mb, *uw, *y, *watch, *table, *bw, *k, *p;
    double t0, h, t_dt;
    int64_t i, i0;
    int method;
    int half; /* 1 when the method evaluates at half steps */
    int convention; /* of exchange, 1 .. 4; 0 without external blocks */
    int input_time; /* JN_INPUT_...; hold without external blocks */
} jn_run;

int jn_run_open(const jn_sim *sim, jn_run *run);

/* Time by multiplication, so that errors do not add up; half = 0 or 1 or 2 half steps after step i. */
static inline double jn_run_time(const jn_run *run, int half) {
    return run->t0 + ((double)(run->i - run->i0) + 0.5 * half) * run->h;
}

static inline double jn_run_phase_time(const jn_run *run, int half) {
    const double *s = run->s;
    return s[JN_S_PHASE_TIME] + ((double)run->i - s[JN_S_PHASE_STEP] + 0.5 * half) * run->h;
}

/* Half steps since i0: with it elapsed time is an exact multiple of h/2, wherever time has got to. */
static inline double jn_run_tick(const jn_run *run, int half) {
    return (double)(2 * (run->i - run->i0) + half);
}

static inline double jn_run_elapsed(const jn_run *run, double last, int evaluated, int half) {
    return evaluated ? (jn_run_tick(run, half) - last) * (0.5 * run->h) : 0.0;
}

/* The point that the right-hand side sees at the current instant: memories before the commit, same elapsed. */
static inline jn_point jn_run_now(const jn_run *run) {
    const double *s = run->s;
    double elapsed = jn_run_elapsed(run, s[JN_S_LAST], s[JN_S_EVALUATED] != 0.0, 0);
    jn_point at = {jn_run_time(run, 0), elapsed, run->t_dt, run->x, run->m, run->u, run->b, NULL};
    return at;
}

/* Index of the first element that is not finite, or -1.  The fast path is three integer operations per
 * element: adding one unit of exponent to an all-ones exponent carries into the sign bit. */
static inline int32_t jn_first_bad(const double *v, int32_t n) {
    const uint64_t exponent = UINT64_C(0x7ff0000000000000), unit = UINT64_C(0x0010000000000000);
    union {
        double value;
        uint64_t bits;
    } element; /* not memcpy, which is a call under -fno-builtin */
    uint64_t seen = 0;
    for (int32_t k = 0; k < n; ++k) {
        element.value = v[k];
        seen |= (element.bits & exponent) + unit;
    }
    if (!(seen >> 63)) return -1;
    for (int32_t k = 0; k < n; ++k) {
        element.value = v[k];
        if ((element.bits & exponent) == exponent) return k;
    }
    return -1;
}

/* Notes the first non-finite number and returns JN_NONFINITE. */
int jn_run_bad(jn_run *run, int kind, int32_t index, double t, double value);

/* jn_phase.c */
int jn_program_instant(jn_run *run);
void jn_program_parameters(jn_run *run); /* those of the state into the environment */
int jn_program_open(jn_run *run, int half, double *u); /* open references into u */

/* jn_record.c */
int jn_record_instant(jn_run *run);
int jn_record_half_room(const jn_run *run); /* -1 no half row, 0 no room, 1 room */
int jn_record_row(jn_run *run, const jn_point *at, int64_t row);

/* jn_block.c */
void jn_blocks_start(const jn_sim *sim, const jn_layout *layout); /* periods and first samples */
void jn_blocks_rescale(jn_run *run, double h);                    /* the same times counted in the new step */
void jn_blocks_forget(jn_run *run);                               /* what was written before this instant */
int32_t jn_blocks_misfit(const jn_run *run);
void jn_blocks_import(jn_run *run);                               /* what waits becomes input, and waits no more */
int jn_blocks_instant(jn_run *run);                               /* before the row */
int jn_blocks_send(jn_run *run);                                  /* after the row: conventions 1, 3, 4 */
void jn_blocks_line(const jn_run *run, int half, double *u);      /* along the line of the last two writes */
void jn_blocks_half_inputs(const jn_run *run, double *u);         /* convention 4 */
int jn_blocks_half_send(jn_run *run, const jn_point *at);
void jn_blocks_commit(jn_run *run);

/* jn_integrate.c */
int jn_step(jn_run *run);

#endif
