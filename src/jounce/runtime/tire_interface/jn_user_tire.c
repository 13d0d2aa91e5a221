/* Calls of user tires by STI and CRT, from the loop of a simulation: see jounce_sti.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jounce_sti.h"

#define STACK_WORK 1024 /* doubles and ints of work arrays that are copied on the stack */

typedef struct {
    double force[3], torque[3];
    double rates[JOUNCE_TIRE_MOST_STATES], outputs[JOUNCE_USER_OUTPUTS];
} answer;

int32_t jn_user_tire_bytes(void) { return (int32_t)sizeof(jn_user_tire); }

static int32_t n_arguments(const jn_user_tire *tire) { return JT_STATES + tire->n_states + 1; }

static int finite(const double *x, int n) {
    for (int i = 0; i < n; ++i)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static int told(const jn_user_tire *tire) {
    if (tire->model_switch == JOUNCE_STI_QUASI_STATIC && !tire->calling_app) return JOUNCE_STI_STATICS;
    return tire->model_switch;
}

static int fail(jn_user_tire *tire, int error, double time) {
    if (!tire->error) {
        tire->error = error;
        tire->error_time = time;
    }
    if (tire->report) tire->report(error, time);
    return error;
}

/* One call of the tire. Returns its error. */
static int ask(jn_user_tire *tire, int job, const double *in, double *real_work, int32_t *int_work, answer *out) {
    double location[3], matrix[9], velocity[3], omega[3], states[JOUNCE_TIRE_MOST_STATES] = {0.0};
    double time = in[JT_TIME], angle = in[JT_ANGLE], spin = in[JT_SPIN];
    const double factor = in[JT_STATES + tire->n_states];
    int error = 0;
    memset(out, 0, sizeof *out);
    if (!tire->function) return fail(tire, -4, time); /* closed */
    for (int i = 0; i < 3; ++i) {
        location[i] = in[JT_POSITION + i];
        velocity[i] = in[JT_VELOCITY + i];
        omega[i] = in[JT_OMEGA + i];
        for (int j = 0; j < 3; ++j) matrix[3 * j + i] = in[JT_MATRIX + 3 * i + j];
    }
    for (int i = 0; i < tire->n_states; ++i) states[i] = in[JT_STATES + i];
    /* a CRT tire gets the factor of its wheel as an argument; with STI it is part of the friction of the road */
    const double friction = factor > 0.0 ? in[JT_FRICTION] / factor : in[JT_FRICTION];
    jn_tire_road_enter(
        tire->ground, in + JT_POSITION, in[JT_HEIGHT], in + JT_NORMAL, friction, tire->crt ? 1.0 : factor);
    if (tire->crt) {
        const int calc = job == JOUNCE_STI_DIFFERENCING                           ? JOUNCE_CRT_DIFFERENCING
                         : job == JOUNCE_STI_FIRST || job == JOUNCE_STI_AGAIN     ? JOUNCE_CRT_INIT
                         : job == JOUNCE_STI_END                                  ? JOUNCE_CRT_END
                                                                                  : JOUNCE_CRT_NORMAL;
        ((jounce_crt_fn)tire->function)(
            tire->tire_id, told(tire) == JOUNCE_STI_DYNAMICS, calc, time, tire->parameters, tire->tire_file,
            tire->road_model, tire->road_file, location, matrix, angle, velocity, omega, spin, states, factor,
            out->rates, out->force, out->torque, out->outputs);
    } else {
        int device = 6, mode = told(tire), flag = job, id = tire->tire_id, n_states = tire->n_states;
        int n_parameters = tire->n_parameters, tire_length = tire->tire_file_length, model = tire->road_model;
        int n_road = 0, road_length = tire->road_file_length, n_outputs = tire->n_outputs;
        int n_real = tire->n_real, n_int = tire->n_int;
        double road_parameters[1] = {0.0}, initial[JOUNCE_TIRE_MOST_STATES] = {0.0};
        ((jounce_sti_fn)tire->function)(
            &device, &mode, &flag, &id, &time, location, matrix, &angle, velocity, omega, &spin, &n_states, states,
            &n_parameters, tire->parameters, &tire_length, tire->tire_file, (void *)roadGEN, &model, &n_road,
            road_parameters, &road_length, tire->road_file, out->force, out->torque, initial, out->rates,
            tire->tire_model, &n_outputs, out->outputs, &n_real, real_work, &n_int, (int *)int_work, &error);
        if (job == JOUNCE_STI_FIRST || job == JOUNCE_STI_AGAIN)
            for (int i = 0; i < tire->n_states; ++i) tire->initial_states[i] = initial[i];
    }
    jn_tire_road_leave();
    if (!error && tire->crt && job != JOUNCE_STI_END)
        for (int i = tire->n_states; i < JOUNCE_TIRE_MOST_STATES; ++i)
            if (out->rates[i] != 0.0) error = -1; /* a state that nobody integrates */
    return error ? fail(tire, error, time) : 0;
}

/* Forces, rates, channels; nan after an error: the run ends there. */
static void give(const jn_user_tire *tire, const answer *a, int error, int rates, double *out) {
    const int n = 6 + (rates ? tire->n_states : 0);
    for (int i = 0; i < 3; ++i) {
        out[JT_FORCE + i] = a->force[i];
        out[JT_MOMENT + i] = a->torque[i];
    }
    for (int i = 6; i < n; ++i) out[i] = a->rates[i - 6];
    for (int i = 0; i < tire->n_channels; ++i) out[n + i] = a->outputs[tire->channels[i]];
    if (error)
        for (int i = 0; i < n + tire->n_channels; ++i) out[i] = NAN;
}

/* An evaluation: work arrays are copies. */
static void try_out(jn_user_tire *tire, int job, const double *in, double *out) {
    double reals[STACK_WORK], *real_work = reals;
    int32_t ints[STACK_WORK], *int_work = ints;
    answer a;
    if (tire->n_real > STACK_WORK) real_work = malloc((size_t)tire->n_real * sizeof(double));
    if (tire->n_int > STACK_WORK) int_work = malloc((size_t)tire->n_int * sizeof(int32_t));
    int error = -2; /* no memory */
    if (real_work && int_work) {
        memcpy(real_work, tire->real_work, (size_t)tire->n_real * sizeof(double));
        memcpy(int_work, tire->int_work, (size_t)tire->n_int * sizeof(int32_t));
        error = ask(tire, job, in, real_work, int_work, &a);
    } else {
        memset(&a, 0, sizeof a);
    }
    give(tire, &a, error, 1, out);
    if (real_work != reals) free(real_work);
    if (int_work != ints) free(int_work);
}

void jn_user_tire_service(void *context, const double *in, int order, double *out) {
    jn_user_tire *tire = context;
    const int n_in = n_arguments(tire), n_out = 6 + tire->n_states + tire->n_channels;
    double x[JT_STATES + JOUNCE_TIRE_MOST_STATES + 1], up[JOUNCE_TIRE_MOST_OUTPUTS], down[JOUNCE_TIRE_MOST_OUTPUTS];
    if (!finite(in, n_in)) { /* the run ends anyway: nothing for the tire to see */
        for (int i = 0; i < n_out * (order > 0 ? 1 + n_in : 1); ++i) out[i] = NAN;
        return;
    }
    try_out(tire, JOUNCE_STI_NORMAL, in, out);
    if (order < 1) return;
    memcpy(x, in, (size_t)n_in * sizeof(double));
    for (int j = 0; j < n_in; ++j) {
        const int rate = (j >= JT_VELOCITY && j < JT_ANGLE) || j == JT_SPIN;
        const double h = j == JT_TIME ? 1e-5 : rate ? 1e-4 : 1e-6;
        x[j] = in[j] + h;
        const double above = x[j];
        try_out(tire, JOUNCE_STI_DIFFERENCING, x, up);
        x[j] = in[j] - h;
        const double width = above - x[j];
        try_out(tire, JOUNCE_STI_DIFFERENCING, x, down);
        x[j] = in[j];
        for (int i = 0; i < n_out; ++i) out[n_out + i * n_in + j] = (up[i] - down[i]) / width;
    }
}

void jn_user_tire_commit(void *context, double t, const double *in, double *out) {
    jn_user_tire *tire = context;
    answer a;
    (void)t;
    (void)out;
    memcpy(tire->last, in, (size_t)n_arguments(tire) * sizeof(double));
    if (finite(in, n_arguments(tire))) ask(tire, JOUNCE_STI_STEP_TAKEN, in, tire->real_work, tire->int_work, &a);
}

void jn_user_tire_exchange(void *context, double t, const double *in, double *out) {
    jn_user_tire *tire = context;
    answer a, ignored;
    (void)t;
    memcpy(tire->last, in, (size_t)n_arguments(tire) * sizeof(double));
    memset(&a, 0, sizeof a);
    int error = -3;
    if (finite(in, n_arguments(tire))) {
        error = ask(tire, JOUNCE_STI_NORMAL, in, tire->real_work, tire->int_work, &a);
        if (!error && !tire->crt)
            error = ask(tire, JOUNCE_STI_STEP_TAKEN, in, tire->real_work, tire->int_work, &ignored);
    }
    give(tire, &a, error, 0, out);
}

int32_t jn_user_tire_job(jn_user_tire *tire, int32_t job) {
    answer a;
    return ask(tire, job, tire->last, tire->real_work, tire->int_work, &a);
}

/* --- what is remembered --------------------------------------------------------------------------- */

int32_t jn_user_tire_size(const jn_user_tire *tire) { return n_arguments(tire) + tire->n_real + tire->n_int; }

void jn_user_tire_save(void *context, double *to) {
    jn_user_tire *tire = context;
    if (!tire->crt) jn_user_tire_job(tire, JOUNCE_STI_SAVE);
    const int32_t n = n_arguments(tire);
    memcpy(to, tire->last, (size_t)n * sizeof(double));
    memcpy(to + n, tire->real_work, (size_t)tire->n_real * sizeof(double));
    for (int32_t i = 0; i < tire->n_int; ++i) to[n + tire->n_real + i] = tire->int_work[i];
}

void jn_user_tire_load(void *context, const double *from) {
    jn_user_tire *tire = context;
    const int32_t n = n_arguments(tire);
    memcpy(tire->last, from, (size_t)n * sizeof(double));
    memcpy(tire->real_work, from + n, (size_t)tire->n_real * sizeof(double));
    for (int32_t i = 0; i < tire->n_int; ++i) tire->int_work[i] = (int32_t)from[n + tire->n_real + i];
    if (!tire->crt) jn_user_tire_job(tire, JOUNCE_STI_RESTORE);
}
