/* The loop and its surroundings: layout, start, change of step, advance. */
#include "jn_run.h"

#include <math.h>

int32_t jn_sim_abi(void) { return JN_SIM_ABI; }

void jn_sim_sizes(int32_t *out) {
    out[0] = (int32_t)sizeof(jn_layout);
    out[1] = (int32_t)sizeof(jn_recorder);
    out[2] = (int32_t)sizeof(jn_channel);
    out[3] = (int32_t)sizeof(jn_condition);
    out[4] = (int32_t)sizeof(jn_group);
    out[5] = (int32_t)sizeof(jn_action);
    out[6] = (int32_t)sizeof(jn_phase);
    out[7] = (int32_t)sizeof(jn_program);
    out[8] = (int32_t)sizeof(jn_sim);
    out[9] = (int32_t)sizeof(jn_block);
    out[10] = (int32_t)sizeof(jn_external);
    out[11] = (int32_t)sizeof(jn_externals);
}

void jn_sim_layout(const jn_model *model, const jn_program *program, jn_layout *out) {
    int32_t at = JN_S_HEADER, n_out = 0;
    out->x = at, at += model->n_x;
    out->m = at, at += model->n_m;
    out->u = at, at += model->n_u;
    out->b = at, at += model->n_b;
    out->history = at, at += JN_HISTORY * model->n_x;
    out->block = at, at += JN_BLOCK_SLOTS * model->n_blocks;
    out->channel = at, at += program ? JN_CHANNEL_SLOTS * program->max_channels : 0;
    out->held = at, at += program ? JN_CONDITION_SLOTS * program->max_conditions : 0;
    out->counter = at, at += program ? JN_GROUP_SLOTS * program->n_groups : 0;
    out->trigger = at, at += program ? JN_TRIGGERS * JN_TRIGGER_SLOTS : 0;
    out->parameter = at, at += program ? program->n_parameters : 0;
    out->n_state = at;
    if (program)
        for (int32_t k = 0; k < program->n_tables; ++k)
            if (program->tables[k].n_out > n_out) n_out = program->tables[k].n_out;
    at = 0;
    out->w_f = at, at += model->n_x;
    out->w_g = at, at += model->n_x;
    out->w_sum = at, at += model->n_x;
    out->w_xs = at, at += model->n_x;
    out->w_xn = at, at += model->n_x;
    out->w_ma = at, at += model->n_m;
    out->w_mb = at, at += model->n_m;
    out->w_u = at, at += model->n_u;
    out->w_y = at, at += model->n_y;
    out->w_watch = at, at += model->n_watch;
    out->w_table = at, at += 3 * n_out;
    out->w_b = at, at += model->n_b;
    out->w_k = at, at += model->n_k;
    out->w_p = at, at += program && program->n_parameters ? model->n_p - model->n_p_free : 0;
    out->n_work = at;
}

static int known_method(const jn_model *model, int method) {
    return (method >= JN_EULER && method <= JN_AM4) || (method == JN_LI && model->step && model->step_stages == 1) ||
           (method == JN_ROS2 && model->step && model->step_stages == 2);
}

/* The whole state: the layout's part and that of external blocks. */
static int32_t state_size(const jn_sim *sim, const jn_layout *layout) {
    return layout->n_state + (sim->externals ? sim->externals->n_state : 0);
}

/* T_DT: the half-step methods evaluate twice per step. */
static int has_half_steps(int method) { return method >= JN_RK2 && method <= JN_AM4; }

int jn_run_open(const jn_sim *sim, jn_run *run) {
    const jn_model *model = sim->model;
    double *s = sim->state, *w = sim->work;
    jn_layout layout;
    jn_sim_layout(model, sim->program, &layout);
    if (s[JN_S_ABI] != JN_SIM_ABI || s[JN_S_SIZE] != state_size(sim, &layout) || s[JN_S_N_X] != model->n_x ||
        s[JN_S_N_M] != model->n_m || s[JN_S_N_U] != model->n_u || !(s[JN_S_H] > 0.0) ||
        s[JN_S_PROGRAM_ID] != (sim->program ? sim->program->id : 0.0) || !known_method(model, (int)s[JN_S_METHOD]))
        return JN_BAD_CALL;
    if (s[JN_S_EXTERNAL_ID] != (sim->externals ? sim->externals->id : 0.0)) return JN_BAD_CALL;
    run->model = model;
    run->env = sim->env;
    run->program = sim->program;
    run->externals = sim->externals;
    run->recorder = sim->recorder;
    run->s = s;
    run->x = s + layout.x;
    run->m = s + layout.m;
    run->u = s + layout.u;
    run->b = s + layout.b;
    run->history = s + layout.history;
    run->block = s + layout.block;
    run->channel = s + layout.channel;
    run->held = s + layout.held;
    run->counter = s + layout.counter;
    run->trigger = s + layout.trigger;
    run->parameter = s + layout.parameter;
    run->external = s + layout.n_state;
    run->f = w + layout.w_f;
    run->g = w + layout.w_g;
    run->sum = w + layout.w_sum;
    run->xs = w + layout.w_xs;
    run->xn = w + layout.w_xn;
    run->ma = w + layout.w_ma;
    run->mb = w + layout.w_mb;
    run->uw = w + layout.w_u;
    run->y = w + layout.w_y;
    run->watch = w + layout.w_watch;
    run->table = w + layout.w_table;
    run->bw = w + layout.w_b;
    run->k = w + layout.w_k;
    run->p = w + layout.w_p;
    run->t0 = s[JN_S_T0];
    run->h = s[JN_S_H];
    run->i = (int64_t)s[JN_S_STEP];
    run->i0 = (int64_t)s[JN_S_I0];
    run->method = (int)s[JN_S_METHOD];
    run->half = has_half_steps(run->method);
    run->t_dt = run->half ? 0.5 * run->h : run->h;
    run->convention = run->input_time = 0;
    if (run->externals) {
        run->input_time = (int)s[JN_S_INPUT_TIME];
        run->convention = run->half ? (s[JN_S_IO_UPDATE] != 0.0 ? 4 : 3) : (s[JN_S_IO_SYNC_FM] != 0.0 ? 2 : 1);
    }
    if (run->program && run->program->n_parameters) jn_program_parameters(run);
    return JN_OK;
}

int jn_run_bad(jn_run *run, int kind, int32_t index, double t, double value) {
    double *s = run->s;
    s[JN_S_STATUS] = JN_NONFINITE;
    s[JN_S_BAD_KIND] = kind;
    s[JN_S_BAD_INDEX] = index;
    s[JN_S_BAD_TIME] = t;
    s[JN_S_BAD_STEP] = (double)run->i;
    s[JN_S_BAD_VALUE] = value;
    return JN_NONFINITE;
}

int jn_start(const jn_sim *sim, double t0, double h, int method) {
    const jn_model *model = sim->model;
    double *s = sim->state;
    jn_layout layout;
    if (!(h > 0.0) || !isfinite(h) || !isfinite(t0) || !known_method(sim->model, method)) return JN_BAD_CALL;
    jn_sim_layout(model, sim->program, &layout);
    double model_id = s[JN_S_MODEL_ID];
    for (int32_t k = 0; k < JN_S_HEADER; ++k) s[k] = 0.0;
    for (int32_t k = layout.history; k < layout.parameter; ++k) s[k] = 0.0; /* parameters are the caller's */
    s[JN_S_ABI] = JN_SIM_ABI;
    s[JN_S_SIZE] = state_size(sim, &layout);
    s[JN_S_MODEL_ID] = model_id;
    s[JN_S_PROGRAM_ID] = sim->program ? sim->program->id : 0.0;
    s[JN_S_N_X] = model->n_x;
    s[JN_S_N_M] = model->n_m;
    s[JN_S_N_U] = model->n_u;
    s[JN_S_METHOD] = method;
    s[JN_S_H] = h;
    s[JN_S_T0] = t0;
    s[JN_S_IPRINT] = 1.0;
    s[JN_S_OPT_WRITE] = 1.0;
    s[JN_S_PHASE] = -1.0;
    s[JN_S_EXTERNAL_ID] = sim->externals ? sim->externals->id : 0.0;
    jn_blocks_start(sim, &layout);
    return JN_OK;
}

int jn_set_step(const jn_sim *sim, double h, int method) {
    jn_run run;
    double *s = sim->state;
    if (!(h > 0.0) || !isfinite(h) || !known_method(sim->model, method)) return JN_BAD_CALL;
    int status = jn_run_open(sim, &run);
    if (status) return status;
    double elapsed = jn_run_elapsed(&run, s[JN_S_LAST], s[JN_S_EVALUATED] != 0.0, 0);
    double now = jn_run_time(&run, 0), i = s[JN_S_STEP];
    if (h != run.h) {
        /* the same times counted in the new unit; fractions are allowed */
        s[JN_S_PHASE_TIME] = jn_run_phase_time(&run, 0);
        s[JN_S_PHASE_STEP] = i;
        if (sim->program)
            for (int32_t k = 0; k < sim->program->max_conditions; ++k) {
                double *since = run.held + k * JN_CONDITION_SLOTS;
                if (*since >= 0.0) *since = i - (i - *since) * run.h / h;
            }
        if (sim->program)
            for (int32_t k = 0; k < sim->program->n_groups; ++k) {
                double *met = run.counter + k * JN_GROUP_SLOTS + 1;
                if (*met >= 0.0) *met = i - (i - *met) * run.h / h;
            }
        s[JN_S_T0] = now;
        s[JN_S_I0] = i;
        s[JN_S_LAST] = -elapsed / (0.5 * h);
        s[JN_S_H] = h;
        jn_blocks_rescale(&run, h);
    }
    if (h != run.h || method != run.method) {
        s[JN_S_HISTORY] = 0.0;
        jn_blocks_forget(&run);
    }
    s[JN_S_METHOD] = method;
    return JN_OK;
}

static int instant(jn_run *run) {
    double *s = run->s;
    const int blocks = run->externals || run->model->n_blocks;
    int done = (int)s[JN_S_DONE], status;
    if (run->externals && !(done & JN_DONE_BLOCKS)) jn_blocks_import(run);
    if (!(done & JN_DONE_PROGRAM)) {
        if (run->program && (status = jn_program_instant(run))) return status;
        s[JN_S_DONE] = done |= JN_DONE_PROGRAM;
    }
    if (blocks && !(done & JN_DONE_BLOCKS)) {
        if ((status = jn_blocks_instant(run))) return status;
        s[JN_S_DONE] = done |= JN_DONE_BLOCKS;
    }
    if (!(done & JN_DONE_ROW)) {
        if ((status = jn_record_instant(run))) return status;
        s[JN_S_DONE] = done |= JN_DONE_ROW;
    }
    if (run->program && s[JN_S_PHASE] >= run->program->n_phases) {
        s[JN_S_STATUS] = JN_STOPPED;
        return JN_STOPPED;
    }
    if (run->externals && !(done & JN_DONE_EXCHANGE)) {
        if ((status = jn_blocks_send(run))) return status;
        s[JN_S_DONE] = done | JN_DONE_EXCHANGE;
    }
    return JN_OK;
}

/* A run may be tried again after a failure: with a smaller step, say. */
static void forget_failure(double *s) {
    if (s[JN_S_STATUS] != JN_NONFINITE) return;
    s[JN_S_STATUS] = JN_OK;
    s[JN_S_BAD_KIND] = s[JN_S_BAD_INDEX] = s[JN_S_BAD_TIME] = s[JN_S_BAD_STEP] = s[JN_S_BAD_VALUE] = 0.0;
}

int jn_instant(const jn_sim *sim) {
    jn_run run;
    int status = jn_run_open(sim, &run);
    if (status) return status;
    if (jn_blocks_misfit(&run) >= 0) return JN_BAD_CALL;
    forget_failure(run.s);
    return instant(&run);
}

int jn_advance(const jn_sim *sim, int64_t n_steps) {
    jn_run run;
    int status = jn_run_open(sim, &run);
    if (status) return status;
    if (!run.model->rhs) return JN_BAD_CALL; /* a library of extra functions can be asked but not run */
    if (jn_blocks_misfit(&run) >= 0) return JN_BAD_CALL;
    forget_failure(run.s);
    for (int64_t n = 0; n < n_steps; ++n) {
        if ((status = instant(&run))) return status;
        if ((status = jn_step(&run))) return status;
    }
    return JN_OK;
}

int jn_point_now(const jn_sim *sim, jn_point *out) {
    jn_run run;
    int status = jn_run_open(sim, &run);
    if (!status) *out = jn_run_now(&run);
    return status;
}

void jn_repeat_rhs(const jn_sim *sim, int64_t n) {
    jn_run run;
    jn_point at;
    if (jn_run_open(sim, &run) || !sim->model->rhs) return;
    if (jn_point_now(sim, &at)) return;
    double *out[2] = {run.f, run.ma};
    for (int64_t k = 0; k < n; ++k) sim->model->rhs(sim->env, &at, out);
}
