/* Sampled blocks: those compiled into the model, and outside code that reads values and writes inputs.
 *
 * A block's next sample is a number of full steps kept in the state, so nothing about its rhythm is lost in a
 * snapshot.  A sample of a model's block replaces all its signals at once; later blocks of the same instant see
 * them.  A block that fails is tried again when the run goes on, those before it are not. */
#include <math.h>

#include "jn_run.h"

#define JN_WHOLE 1e-6 /* a quotient of two decimal numbers this close to a whole number is one */

enum { PERIOD = 0, NEXT = 1, WAITING = 2, WROTE = 3 }; /* of the slots */

static int32_t n_blocks(const jn_run *run) {
    return run->model->n_blocks + (run->externals ? run->externals->n : 0);
}

/* Slots of block k: the model's, then the external ones. */
static double *slot_of(const jn_run *run, int32_t k) {
    const int32_t own = run->model->n_blocks;
    return k < own ? run->block + k * JN_BLOCK_SLOTS : run->external + run->externals->blocks[k - own].state;
}

static double whole(double steps) {
    double near = floor(steps + 0.5);
    return fabs(steps - near) <= JN_WHOLE ? near : steps;
}

static double interval(const double *slot, double h) {
    return slot[PERIOD] > 0.0 ? floor(slot[PERIOD] / h + 0.5) : 1.0;
}

/* --- rhythm --------------------------------------------------------------------------------------- */

static void set_dt(const jn_model *model, int32_t k, double *b, const double *slot, double h) {
    b[model->blocks[k].dt] = slot[PERIOD] > 0.0 ? slot[PERIOD] : h;
}

void jn_blocks_start(const jn_sim *sim, const jn_layout *layout) {
    const jn_model *model = sim->model;
    double *s = sim->state;
    const double h = s[JN_S_H];
    for (int32_t k = 0; k < model->n_blocks; ++k) {
        double *slot = s + layout->block + k * JN_BLOCK_SLOTS;
        slot[PERIOD] = model->blocks[k].period;
        slot[NEXT] = whole(model->blocks[k].offset / h);
        set_dt(model, k, s + layout->b, slot, h);
    }
    for (int32_t k = 0; sim->externals && k < sim->externals->n; ++k) {
        const jn_external *block = sim->externals->blocks + k;
        double *slot = s + layout->n_state + block->state;
        slot[PERIOD] = block->period;
        slot[NEXT] = whole(block->offset / h);
        slot[WAITING] = slot[WROTE] = 0.0;
    }
}

void jn_blocks_forget(jn_run *run) {
    for (int32_t k = 0; run->externals && k < run->externals->n; ++k) {
        const int32_t n = run->externals->blocks[k].n_out;
        double *slot = run->external + run->externals->blocks[k].state, *change = slot + JN_EXTERNAL_SLOTS + 2 * n;
        if (slot[WROTE] != (double)run->i + 1.0) slot[WROTE] = 0.0;
        for (int32_t j = 0; j < n; ++j) change[j] = 0.0;
    }
}

void jn_blocks_rescale(jn_run *run, double h) {
    const double i = (double)run->i;
    for (int32_t k = 0; k < n_blocks(run); ++k) {
        double *slot = slot_of(run, k);
        slot[NEXT] = slot[PERIOD] > 0.0 || slot[NEXT] > i + 1.0 ? i + whole((slot[NEXT] - i) * run->h / h) : slot[NEXT];
        if (k < run->model->n_blocks) set_dt(run->model, k, run->b, slot, h);
    }
}

int32_t jn_blocks_misfit(const jn_run *run) {
    for (int32_t k = 0; k < n_blocks(run); ++k) {
        const double *slot = slot_of(run, k);
        const double steps = slot[PERIOD] / run->h;
        if (slot[PERIOD] != 0.0 && (!(steps >= 0.5) || whole(steps) != floor(steps + 0.5))) return k;
        if (slot[NEXT] != floor(slot[NEXT])) return k;
    }
    return -1;
}

int32_t jn_misfit(const jn_sim *sim) {
    jn_run run;
    return jn_run_open(sim, &run) ? -1 : jn_blocks_misfit(&run);
}

int jn_set_block(const jn_sim *sim, int32_t index, double period, double wait) {
    jn_run run;
    int status = jn_run_open(sim, &run);
    if (status) return status;
    if (index < 0 || index >= n_blocks(&run) || !(period >= 0.0) || !isfinite(period) || !isfinite(wait))
        return JN_BAD_CALL;
    double *slot = slot_of(&run, index);
    slot[PERIOD] = period;
    if (wait >= 0.0) slot[NEXT] = (double)run.i + whole(wait / run.h);
    if (index < run.model->n_blocks) set_dt(run.model, index, run.b, slot, run.h);
    return JN_OK;
}

static int due(const jn_run *run, const double *slot) { return (double)run->i >= slot[NEXT]; }

static void wait_for_next(const jn_run *run, double *slot) {
    slot[NEXT] = (double)run->i + interval(slot, run->h);
}

/* --- samples -------------------------------------------------------------------------------------- */

static int sample(jn_run *run, int32_t k) {
    const jn_block *block = run->model->blocks + k;
    const jn_point at = jn_run_now(run);
    double *out[1] = {run->bw};
    block->update(run->env, &at, out);
    int32_t bad = jn_first_bad(run->bw, block->n);
    if (bad >= 0) return jn_run_bad(run, JN_BAD_SIGNAL, block->first + bad, at.t, run->bw[bad]);
    memcpy(run->b + block->first, run->bw, (size_t)block->n * sizeof(double));
    wait_for_next(run, run->block + k * JN_BLOCK_SLOTS);
    return JN_OK;
}

/* Values for an external block.  `have` says which functions were evaluated at this very point already. */
static void gather(jn_run *run, const jn_external *block, const jn_point *at, int *have) {
    const jn_model *model = run->model;
    for (int32_t j = 0; j < block->n_in; ++j) {
        const int source = block->source[j], k = block->index[j];
        if (source >= JN_FROM_KINEMATICS && !(*have & 1 << source)) {
            jn_fn function = source == JN_FROM_WATCH    ? model->watch
                             : source == JN_FROM_OUTPUT ? model->outputs
                                                        : model->kinematics;
            double *out[1] = {source == JN_FROM_WATCH ? run->watch : source == JN_FROM_OUTPUT ? run->y : run->k};
            function(run->env, at, out);
            *have |= 1 << source;
        }
        switch (source) {
            case JN_FROM_STATE: block->in[j] = at->x[k]; break;
            case JN_FROM_MEMORY: block->in[j] = at->m[k]; break;
            case JN_FROM_INPUT: block->in[j] = at->u[k]; break;
            case JN_FROM_SIGNAL: block->in[j] = at->b[k]; break;
            case JN_FROM_KINEMATICS: block->in[j] = run->k[k]; break;
            case JN_FROM_WATCH: block->in[j] = run->watch[k]; break;
            default: block->in[j] = run->y[k]; break;
        }
    }
}

static int call(jn_run *run, const jn_external *block, const jn_point *at, int *have) {
    gather(run, block, at, have);
    block->call(block->context, at->t, block->in, block->out);
    if (block->failed) return JN_EXTERNAL;
    int32_t bad = jn_first_bad(block->out, block->n_out);
    return bad >= 0 ? jn_run_bad(run, JN_BAD_INPUT, block->input[bad], at->t, block->out[bad]) : JN_OK;
}

static void write_inputs(const jn_external *block, const double *values, double *u) {
    for (int32_t j = 0; j < block->n_out; ++j) u[block->input[j]] = values[j];
}

/* What acts from this instant on.  A change counts when the step before wrote too; what is exchanged at half steps
 * has no need of a line. */
static void take(jn_run *run, const jn_external *block, double *slot, const double *values) {
    write_inputs(block, values, run->u);
    if (run->input_time == JN_INPUT_HOLD || (run->convention == 4 && block->exchange == JN_EXCHANGE_STEP)) return;
    const int32_t n = block->n_out;
    const double i = (double)run->i;
    const int wrote = i > 0.0 && slot[WROTE] == i; /* at the step before */
    double *last = slot + JN_EXTERNAL_SLOTS + n, *change = last + n;
    for (int32_t j = 0; j < n; ++j) {
        change[j] = wrote ? values[j] - last[j] : 0.0;
        last[j] = values[j];
    }
    slot[WROTE] = i + 1.0;
}

void jn_blocks_line(const jn_run *run, int half, double *u) {
    const double theta = 0.5 * half, factor = run->input_time == JN_INPUT_EXTRAPOLATE ? theta : theta - 1.0;
    for (int32_t k = 0; k < run->externals->n; ++k) {
        const jn_external *block = run->externals->blocks + k;
        const double *slot = run->external + block->state;
        const double *change = slot + JN_EXTERNAL_SLOTS + 2 * block->n_out;
        if (slot[WROTE] != (double)run->i + 1.0) continue;
        for (int32_t j = 0; j < block->n_out; ++j) u[block->input[j]] += factor * change[j];
    }
}

static void keep_waiting(const jn_external *block, double *slot) {
    memcpy(slot + JN_EXTERNAL_SLOTS, block->out, (size_t)block->n_out * sizeof(double));
    slot[WAITING] = 1.0;
}

/* External blocks whose results act at once: those at one place among the model's blocks (JN_EXCHANGE_SAMPLED),
 * or all of convention 2. */
static int at_once(jn_run *run, int exchange, int32_t place) {
    int have = 0, status;
    for (int32_t k = 0; run->externals && k < run->externals->n; ++k) {
        const jn_external *block = run->externals->blocks + k;
        double *slot = run->external + block->state;
        if (block->exchange != exchange || (exchange == JN_EXCHANGE_SAMPLED && block->before != place)) continue;
        if (!due(run, slot)) continue;
        const jn_point at = jn_run_now(run);
        if ((status = call(run, block, &at, &have))) return status;
        take(run, block, slot, block->out);
        if (block->n_out) have = 0; /* outputs may depend on what was written */
        wait_for_next(run, slot);
    }
    return JN_OK;
}

int jn_blocks_instant(jn_run *run) {
    const int32_t n = run->model->n_blocks;
    int status;
    if (run->convention == 2 && (status = at_once(run, JN_EXCHANGE_STEP, 0))) return status;
    for (int32_t k = 0; k <= n; ++k) {
        if ((status = at_once(run, JN_EXCHANGE_SAMPLED, k))) return status;
        if (k < n && due(run, run->block + k * JN_BLOCK_SLOTS) && (status = sample(run, k))) return status;
    }
    return JN_OK;
}

/* --- exchange with results that act later --------------------------------------------------------- */

void jn_blocks_import(jn_run *run) {
    for (int32_t k = 0; k < run->externals->n; ++k) {
        const jn_external *block = run->externals->blocks + k;
        double *slot = run->external + block->state;
        if (slot[WAITING] == 0.0) continue;
        take(run, block, slot, slot + JN_EXTERNAL_SLOTS);
        slot[WAITING] = 0.0;
    }
}

int jn_blocks_send(jn_run *run) {
    int have = 0, status;
    if (run->convention == 2) return JN_OK;
    const jn_point at = jn_run_now(run);
    for (int32_t k = 0; k < run->externals->n; ++k) {
        const jn_external *block = run->externals->blocks + k;
        double *slot = run->external + block->state;
        if (block->exchange != JN_EXCHANGE_STEP || !due(run, slot)) continue;
        if ((status = call(run, block, &at, &have))) return status;
        keep_waiting(block, slot);
        wait_for_next(run, slot);
    }
    return JN_OK;
}

/* The state must not change before the step is known to be good: what waits is read, not taken. */
void jn_blocks_half_inputs(const jn_run *run, double *u) {
    for (int32_t k = 0; k < run->externals->n; ++k) {
        const jn_external *block = run->externals->blocks + k;
        const double *slot = run->external + block->state;
        if (slot[WAITING] != 0.0) write_inputs(block, slot + JN_EXTERNAL_SLOTS, u);
    }
}

int jn_blocks_half_send(jn_run *run, const jn_point *at) {
    int have = 0, status;
    for (int32_t k = 0; k < run->externals->n; ++k) {
        jn_external *block = run->externals->blocks + k;
        const double *slot = run->external + block->state;
        /* a block with a period of its own is sampled at full steps only */
        block->sent = block->exchange == JN_EXCHANGE_STEP && slot[PERIOD] == 0.0 && slot[NEXT] <= (double)run->i + 1.0;
        if (block->sent && (status = call(run, block, at, &have))) return status;
    }
    return JN_OK;
}

void jn_blocks_commit(jn_run *run) {
    jn_blocks_import(run);
    for (int32_t k = 0; k < run->externals->n; ++k) {
        const jn_external *block = run->externals->blocks + k;
        if (block->sent) keep_waiting(block, run->external + block->state);
    }
}
