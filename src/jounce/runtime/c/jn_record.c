/* Recorder: rows [t, channels...] into the caller's buffer.
 *
 * The interval is IPRINT full steps, counted from the start (or from the
 * last change of the step size), so the rows lie on one grid however often OPT_WRITE goes off and on;
 * IPRINT = 0 adds the half steps of half-step methods; OPT_WRITE = 0 writes nothing.  The initial instant is
 * on the grid, the final one is written when it is on the grid. */
#include "jn_run.h"

/* Channels at the given point into buffer row `row`; does not count the row. */
int jn_record_row(jn_run *run, const jn_point *at, int64_t row) {
    const jn_model *model = run->model;
    jn_recorder *recorder = run->recorder;
    double *to = recorder->rows + row * (1 + (int64_t)recorder->n_columns);
    to[0] = at->t;
    if (!model->outputs || recorder->n_columns == 0) return JN_OK;
    /* all channels: straight into the buffer */
    const int direct = !recorder->columns && recorder->n_columns == model->n_y;
    double *out[1] = {direct ? to + 1 : run->y};
    model->outputs(run->env, at, out);
    for (int32_t k = 0; !direct && k < recorder->n_columns; ++k)
        to[1 + k] = run->y[recorder->columns ? recorder->columns[k] : k];
    if (recorder->check) {
        int32_t bad = jn_first_bad(to + 1, recorder->n_columns);
        if (bad >= 0) {
            int32_t index = recorder->columns ? recorder->columns[bad] : bad;
            return jn_run_bad(run, JN_BAD_OUTPUT, index, at->t, to[1 + bad]);
        }
    }
    return JN_OK;
}

int jn_record_half_room(const jn_run *run) {
    const jn_recorder *recorder = run->recorder;
    if (!recorder || !run->half || run->s[JN_S_OPT_WRITE] == 0.0 || run->s[JN_S_IPRINT] != 0.0) return -1;
    return recorder->n_rows < recorder->capacity;
}

int jn_record_instant(jn_run *run) {
    double *s = run->s;
    jn_recorder *recorder = run->recorder;
    if (!recorder || s[JN_S_OPT_WRITE] == 0.0) return JN_OK;
    int64_t interval = (int64_t)s[JN_S_IPRINT];
    if (interval > 1 && (run->i - run->i0) % interval != 0) return JN_OK;
    if (recorder->n_rows >= recorder->capacity) return JN_FULL;
    const jn_point at = jn_run_now(run);
    int status = jn_record_row(run, &at, recorder->n_rows);
    if (status) return status;
    recorder->n_rows += 1;
    s[JN_S_ROWS] += 1.0;
    return JN_OK;
}
