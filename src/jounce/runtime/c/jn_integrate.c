/* Six explicit fixed-step methods in their real-time forms: time only moves forward; and the Euler step with
 * the effective rates of a linear-implicit form (jn_model.step).
 *
 * Formulae from "Numerical integration in the VehicleSim math models" (Mechanical Simulation); f_k is the
 * derivative at full step k, f_h the one at the half step:
 *   Euler  x+ = x + h f_0
 *   AB-2   x+ = x + h/2 (3 f_0 - f_-1)
 *   RK-2   xh = x + h/2 f_0                                      x+ = x + h f_h
 *   AM-2   xh = x + h/8 (5 f_0 - f_-1)                           x+ = x + h f_h
 *   AM-3   xh = x + h/24 (17 f_0 - 7 f_-1 + 2 f_-2)              x+ = x + h/18 (20 f_h - 3 f_0 + f_-1)
 *   AM-4   xh = x + h/384 (297 f_0 - 187 f_-1 + 107 f_-2 - 25 f_-3)
 *                                                  x+ = x + h/30 (36 f_h - 10 f_0 + 5 f_-1 - f_-2)
 * Multi-step methods start with the classical RK-4 until their history is full, because a start of lower
 * order would show in the order of the whole run. */
#include "jn_run.h"

/* Memories and the last evaluation as they are inside a step; written to the state when the step is good. */
typedef struct {
    const double *m; /* current memories: the state's, then one of two scratch arrays */
    double *next;    /* where the next ones go */
    double last;
    int evaluated;
} step_memory;

/* One right-hand side evaluation and its commit.  The cause is reported before the effect: a non-finite
 * state, memory or input before the derivative it spoils. */
static int evaluate_with(jn_run *run, step_memory *mem, int half, const double *x, const double *u, const double *r,
                         double *f) {
    const jn_model *model = run->model;
    jn_point at = {jn_run_time(run, half), jn_run_elapsed(run, mem->last, mem->evaluated, half),
                   run->t_dt, x, mem->m, u, run->b, r};
    double *out[2] = {f, mem->next};
    (run->method >= JN_LI ? model->step : model->rhs)(run->env, &at, out);
    if (jn_first_bad(f, model->n_x) >= 0 || jn_first_bad(mem->next, model->n_m) >= 0) {
        int32_t k;
        if ((k = jn_first_bad(x, model->n_x)) >= 0) return jn_run_bad(run, JN_BAD_STATE, k, at.t, x[k]);
        if ((k = jn_first_bad(mem->m, model->n_m)) >= 0) return jn_run_bad(run, JN_BAD_MEMORY, k, at.t, mem->m[k]);
        if ((k = jn_first_bad(u, model->n_u)) >= 0) return jn_run_bad(run, JN_BAD_INPUT, k, at.t, u[k]);
        if ((k = jn_first_bad(f, model->n_x)) >= 0) return jn_run_bad(run, JN_BAD_DERIVATIVE, k, at.t, f[k]);
        k = jn_first_bad(mem->next, model->n_m);
        return jn_run_bad(run, JN_BAD_MEMORY, k, at.t, mem->next[k]);
    }
    /* swap: the arrays of old memories are read by nobody any more */
    mem->m = mem->next;
    mem->next = mem->next == run->ma ? run->mb : run->ma;
    mem->last = jn_run_tick(run, half);
    mem->evaluated = 1;
    return JN_OK;
}

static int evaluate(jn_run *run, step_memory *mem, int half, const double *x, const double *u, double *f) {
    return evaluate_with(run, mem, half, x, u, NULL, f);
}

/* Inputs at a later stage of the step: open references follow time, everything else is held, unless external
 * blocks exchange at half steps or what they write is continued along a line. */
static int inputs_at(jn_run *run, int half, const double **u) {
    *u = run->u;
    if (!run->program && run->convention != 4 && run->input_time == JN_INPUT_HOLD) return JN_OK;
    memcpy(run->uw, run->u, (size_t)run->model->n_u * sizeof(double));
    *u = run->uw;
    if (run->input_time != JN_INPUT_HOLD) jn_blocks_line(run, half, run->uw);
    if (run->convention == 4) jn_blocks_half_inputs(run, run->uw);
    return run->program ? jn_program_open(run, half, run->uw) : JN_OK;
}

/* What is shown of a half step to the recorder and to external blocks: what the evaluation there is about to
 * use.  The row is counted with the step. */
static int show_half(jn_run *run, const step_memory *mem, int write, const double *x, const double *u) {
    int status;
    jn_point at = {jn_run_time(run, 1), jn_run_elapsed(run, mem->last, mem->evaluated, 1),
                   run->t_dt, x, mem->m, u, run->b, NULL};
    if (write && (status = jn_record_row(run, &at, run->recorder->n_rows))) return status;
    return run->convention == 4 ? jn_blocks_half_send(run, &at) : JN_OK;
}

/* Old derivative f_-k, k = 1 .. 3; the ring's newest slot is the head. */
static const double *old(const jn_run *run, int k) {
    int slot = ((int)run->s[JN_S_HEAD] + JN_HISTORY - (k - 1)) % JN_HISTORY;
    return run->history + (size_t)slot * (size_t)run->model->n_x;
}

static int history_needed(int method) {
    switch (method) {
        case JN_AB2:
        case JN_AM2: return 1;
        case JN_AM3: return 2;
        case JN_AM4: return 3;
        default: return 0;
    }
}

/* Classical RK-4 (Kutta 1901) with the memory rule applied to its stages in time order: the second stage at
 * the middle sees elapsed = 0. */
static int rk4(jn_run *run, step_memory *mem, int write_half) {
    const int32_t n = run->model->n_x;
    const double h = run->h;
    const double *x = run->x, *u;
    double *f = run->f, *g = run->g, *sum = run->sum, *xs = run->xs, *xn = run->xn;
    int status;
    for (int32_t k = 0; k < n; ++k) xs[k] = x[k] + 0.5 * h * f[k];
    if ((status = inputs_at(run, 1, &u))) return status;
    if ((write_half || run->convention == 4) && (status = show_half(run, mem, write_half, xs, u))) return status;
    if ((status = evaluate(run, mem, 1, xs, u, g))) return status;
    for (int32_t k = 0; k < n; ++k) {
        sum[k] = f[k] + 2.0 * g[k];
        xs[k] = x[k] + 0.5 * h * g[k];
    }
    if ((status = evaluate(run, mem, 1, xs, u, g))) return status;
    for (int32_t k = 0; k < n; ++k) {
        sum[k] += 2.0 * g[k];
        xs[k] = x[k] + h * g[k];
    }
    if ((status = inputs_at(run, 2, &u))) return status;
    if ((status = evaluate(run, mem, 2, xs, u, g))) return status;
    for (int32_t k = 0; k < n; ++k) xn[k] = x[k] + h / 6.0 * (sum[k] + g[k]);
    return JN_OK;
}

/* State at the half step from f_0 and the history. */
static void predict_half(jn_run *run) {
    const int32_t n = run->model->n_x;
    const double h = run->h, *x = run->x, *f = run->f;
    double *xs = run->xs;
    switch (run->method) {
        case JN_AM2: {
            const double *f1 = old(run, 1);
            for (int32_t k = 0; k < n; ++k) xs[k] = x[k] + h / 8.0 * (5.0 * f[k] - f1[k]);
            break;
        }
        case JN_AM3: {
            const double *f1 = old(run, 1), *f2 = old(run, 2);
            for (int32_t k = 0; k < n; ++k) xs[k] = x[k] + h / 24.0 * (17.0 * f[k] - 7.0 * f1[k] + 2.0 * f2[k]);
            break;
        }
        case JN_AM4: {
            const double *f1 = old(run, 1), *f2 = old(run, 2), *f3 = old(run, 3);
            for (int32_t k = 0; k < n; ++k)
                xs[k] = x[k] + h / 384.0 * (297.0 * f[k] - 187.0 * f1[k] + 107.0 * f2[k] - 25.0 * f3[k]);
            break;
        }
        default: /* RK-2 */
            for (int32_t k = 0; k < n; ++k) xs[k] = x[k] + 0.5 * h * f[k];
            break;
    }
}

/* State at the full step from f_h (in g), f_0 and the history. */
static void correct_full(jn_run *run) {
    const int32_t n = run->model->n_x;
    const double h = run->h, *x = run->x, *f = run->f, *g = run->g;
    double *xn = run->xn;
    switch (run->method) {
        case JN_AM3: {
            const double *f1 = old(run, 1);
            for (int32_t k = 0; k < n; ++k) xn[k] = x[k] + h / 18.0 * (20.0 * g[k] - 3.0 * f[k] + f1[k]);
            break;
        }
        case JN_AM4: {
            const double *f1 = old(run, 1), *f2 = old(run, 2);
            for (int32_t k = 0; k < n; ++k)
                xn[k] = x[k] + h / 30.0 * (36.0 * g[k] - 10.0 * f[k] + 5.0 * f1[k] - f2[k]);
            break;
        }
        default: /* RK-2, AM-2 */
            for (int32_t k = 0; k < n; ++k) xn[k] = x[k] + h * g[k];
            break;
    }
}

/* One Newton step onto g = 0 in the metric of the mass matrix, then a linear one onto its derivative
 * (Burgermeister, Arnold, Esterl: one step is enough for the error to stay bounded for all time). */
static void project(jn_run *run, const double *m, const double *u) {
    const jn_model *model = run->model;
    jn_point at = {jn_run_time(run, 2), 0.0, run->t_dt, run->xn, m, u, run->b, NULL};
    double *out[1] = {run->xs};
    model->project_position(run->env, &at, out);
    at.x = run->xs;
    out[0] = run->xn;
    model->project_velocity(run->env, &at, out);
}

/* ROS2 (Verwer et al. 1999), order 2 for any matrix A:  (I - γhA) k1 = F(x),  (I - γhA) k2 = F(x + h k1) - 2 k1,
 * x+ = x + h (3/2 k1 + 1/2 k2).  The second stage lies at the end of the step. */
static int ros2(jn_run *run, step_memory *mem) {
    const int32_t n = run->model->n_x;
    const double h = run->h, *u;
    const double *k1 = run->f;
    double *r = run->sum;
    int status;
    for (int32_t k = 0; k < n; ++k) {
        run->xs[k] = run->x[k] + h * k1[k];
        r[k] = -2.0 * k1[k];
    }
    if ((status = inputs_at(run, 2, &u))) return status;
    if ((status = evaluate_with(run, mem, 2, run->xs, u, r, run->g))) return status;
    for (int32_t k = 0; k < n; ++k) run->xn[k] = run->x[k] + h * (1.5 * k1[k] + 0.5 * run->g[k]);
    return JN_OK;
}

/* One full step from a processed instant. */
int jn_step(jn_run *run) {
    const int32_t n = run->model->n_x;
    const int needed = history_needed(run->method);
    double *s = run->s;
    step_memory mem = {run->m, run->ma, s[JN_S_LAST], s[JN_S_EVALUATED] != 0.0};
    int write_half = jn_record_half_room(run);
    int status;
    if (write_half == 0) return JN_FULL;
    write_half = write_half > 0;

    if (run->method == JN_ROS2) /* the first stage has no right-hand side of its own */
        for (int32_t k = 0; k < n; ++k) run->sum[k] = 0.0;
    if ((status = evaluate_with(run, &mem, 0, run->x, run->u, run->sum, run->f))) return status;
    if (run->method == JN_ROS2) {
        if ((status = ros2(run, &mem))) return status;
    } else if ((int)s[JN_S_HISTORY] < needed) {
        if ((status = rk4(run, &mem, write_half))) return status;
    } else if (run->method == JN_EULER || run->method == JN_LI) {
        for (int32_t k = 0; k < n; ++k) run->xn[k] = run->x[k] + run->h * run->f[k];
    } else if (run->method == JN_AB2) {
        const double *f1 = old(run, 1);
        for (int32_t k = 0; k < n; ++k) run->xn[k] = run->x[k] + 0.5 * run->h * (3.0 * run->f[k] - f1[k]);
    } else {
        const double *u;
        predict_half(run);
        if ((status = inputs_at(run, 1, &u))) return status;
        if ((write_half || run->convention == 4) && (status = show_half(run, &mem, write_half, run->xs, u)))
            return status;
        if ((status = evaluate(run, &mem, 1, run->xs, u, run->g))) return status;
        correct_full(run);
    }
    if (s[JN_S_PROJECT] != 0.0 && run->model->project_position) {
        const double *u; /* open references as they are at the end of the step */
        if ((status = inputs_at(run, 2, &u))) return status;
        project(run, mem.m, u);
    }
    /* finite derivatives can still overflow a state */
    int32_t bad = jn_first_bad(run->xn, n);
    if (bad >= 0) return jn_run_bad(run, JN_BAD_STATE, bad, jn_run_time(run, 2), run->xn[bad]);

    /* the step is good: only now does the state array change */
    memcpy(run->x, run->xn, (size_t)n * sizeof(double));
    memcpy(run->m, mem.m, (size_t)run->model->n_m * sizeof(double));
    if (needed) {
        int head = ((int)s[JN_S_HEAD] + 1) % JN_HISTORY;
        memcpy(run->history + (size_t)head * (size_t)n, run->f, (size_t)n * sizeof(double));
        s[JN_S_HEAD] = head;
        if (s[JN_S_HISTORY] < JN_HISTORY) s[JN_S_HISTORY] += 1.0;
    }
    if (run->convention == 4) jn_blocks_commit(run);
    if (write_half) {
        run->recorder->n_rows += 1;
        s[JN_S_ROWS] += 1.0;
    }
    s[JN_S_LAST] = mem.last;
    s[JN_S_EVALUATED] = 1.0;
    s[JN_S_DONE] = 0.0;
    run->i += 1;
    s[JN_S_STEP] = (double)run->i;
    return JN_OK;
}
