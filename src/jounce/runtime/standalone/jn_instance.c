#include "jn_instance.h"

#include <math.h>
#include <string.h>

/* Doubles behind the instance: parameters, state, scratch of the loop, scratch of the model. */
static size_t doubles(const jn_model *model, const jn_layout *layout) {
    return (size_t)model->n_p + (size_t)layout->n_state + (size_t)layout->n_work + (size_t)model->n_work;
}

size_t jn_instance_size(const jn_data *data) {
    const jn_model *model = data->get_model();
    jn_layout layout;
    jn_sim_layout(model, data->program, &layout);
    return JN_INSTANCE_BYTES(doubles(model, &layout), model->n_services);
}

jn_instance *jn_instance_init(const jn_data *data, void *memory) {
    const jn_model *model = data->get_model();
    jn_instance *self = memory;
    jn_layout layout;
    jn_sim_layout(model, data->program, &layout);
    if (model->abi != JN_ABI || data->state[JN_S_ABI] != JN_SIM_ABI || data->n_state != layout.n_state) return NULL;

    memset(self, 0, sizeof *self);
    double *at = (double *)(self + 1);
    self->data = data;
    self->layout = layout;
    self->p = at, at += model->n_p;
    self->state = at, at += layout.n_state;
    self->sim.work = at, at += layout.n_work;
    self->env.w = at, at += model->n_work;
    self->services = (jn_service *)at;
    memset(self->sim.work, 0, (size_t)(layout.n_work + model->n_work) * sizeof(double));
    memcpy(self->p, data->parameters, (size_t)model->n_p * sizeof(double));
    memcpy(self->state, data->state, (size_t)layout.n_state * sizeof(double));
    for (int32_t k = 0; k < model->n_services; ++k) self->services[k] = data->services[k];

    self->env.p = self->p;
    self->env.tables = data->tables;
    self->env.services = self->services;
    self->sim.model = model;
    self->sim.env = &self->env;
    self->sim.program = data->program;
    self->sim.state = self->state;
    self->recorder.columns = data->columns;
    self->recorder.n_columns = data->n_columns;
    self->recorder.check = data->check_outputs;
    self->x = self->state + layout.x;
    self->m = self->state + layout.m;
    self->u = self->state + layout.u;
    self->b = self->state + layout.b;
    return self;
}

int32_t jn_find(const jn_name *names, int32_t n, const char *name) {
    for (int32_t k = 0; k < n; ++k)
        if (strcmp(names[k].name, name) == 0) return k;
    return -1;
}

int jn_instance_set(jn_instance *self, const char *parameter, double value) {
    int32_t k = jn_find(self->data->parameter_names, self->sim.model->n_p_free, parameter);
    if (k < 0) return -1;
    self->p[k] = value;
    jn_instance_prepare(self);
    return 0;
}

void jn_instance_prepare(jn_instance *self) {
    const jn_model *model = self->sim.model;
    if (!model->prepare || model->n_p == model->n_p_free) return;
    jn_point at;
    jn_point_now(&self->sim, &at);
    double *out[1] = {self->p + model->n_p_free};
    model->prepare(&self->env, &at, out);
}

double jn_instance_time(const jn_instance *self) {
    const double *s = self->state;
    return s[JN_S_T0] + (s[JN_S_STEP] - s[JN_S_I0]) * s[JN_S_H];
}

int64_t jn_instance_steps_to(const jn_instance *self, double t_end) {
    /* a millionth of a step: i*h is a rounding error away from the decimal number that was meant */
    return (int64_t)ceil((t_end - jn_instance_time(self)) / self->state[JN_S_H] - 1e-6);
}

int jn_instance_run(jn_instance *self, int64_t n_steps, double *rows, int64_t capacity, jn_sink sink, void *context) {
    jn_recorder *recorder = &self->recorder;
    const int64_t last = (int64_t)self->state[JN_S_STEP] + n_steps;
    int status, refused = 0;
    recorder->rows = rows;
    recorder->capacity = capacity;
    recorder->n_rows = 0;
    self->sim.recorder = recorder;
    for (;;) {
        /* when all steps are made, the row of the last instant is still to come */
        const int64_t left = last - (int64_t)self->state[JN_S_STEP];
        status = left > 0 ? jn_advance(&self->sim, left) : jn_instant(&self->sim);
        if (status == JN_OK && left > 0) continue;
        if (recorder->n_rows) refused = sink(context, rows, recorder->n_rows, recorder->n_columns);
        recorder->n_rows = 0;
        if (refused || status != JN_FULL) break;
    }
    self->sim.recorder = NULL;
    return refused ? JN_FULL : status;
}
