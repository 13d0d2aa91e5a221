/* A run without Python: constant data, and one block of memory per instance.
 *
 *     void *memory = malloc(jn_instance_size(&car_data));
 *     jn_instance *car = jn_instance_init(&car_data, memory);
 *     jn_instance_set(car, "mass", 1500.0);
 *     while (jn_advance(&car->sim, 1) == JN_OK) ...
 *
 * The data is only read and may be shared by any number of instances; everything that changes lies in the
 * instance's own block.  There are no globals, nothing is allocated, and two instances may run in two threads. */
#ifndef JN_INSTANCE_H
#define JN_INSTANCE_H

#include <stddef.h>

#include "jn_sim.h"

#ifdef __FAST_MATH__
#error "jounce: -ffast-math changes results (and removes the search for numbers that are not finite): leave it out"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name, *unit;
} jn_name;

/* What an export writes down. */
typedef struct {
    const char *name;
    const jn_model *(*get_model)(void);
    const double *parameters;   /* n_p: free ones, then derived ones */
    const jn_table *tables;     /* n_tables */
    const jn_service *services; /* n_services */
    const jn_program *program;  /* or NULL */
    const double *state;        /* the start: a snapshot, see jn_sim.h */
    int32_t n_state;
    int32_t check_outputs;      /* 1 = a channel that is not finite ends the run */
    int64_t n_steps;            /* full steps of the run */
    const int32_t *columns;     /* recorded channels, or NULL for all */
    int32_t n_columns;
    const jn_name *state_names, *memory_names, *input_names, *parameter_names, *output_names, *watch_names,
        *signal_names;
    const char *const *phase_names;
    const char *const *reasons; /* why a program stopped, by JN_S_REASON */
} jn_data;

typedef struct {
    const jn_data *data;
    jn_sim sim; /* for jn_advance, jn_instant, jn_set_step ... */
    jn_env env;
    jn_recorder recorder; /* not in use until sim.recorder points to it */
    jn_layout layout;
    jn_service *services; /* this instance's own: set a context here */
    double *p;            /* parameters; call jn_instance_prepare after changing them here */
    double *state;        /* everything that changes: a snapshot is a copy of layout.n_state doubles */
    double *x, *m, *u, *b; /* states, memories, inputs, signals of sampled blocks: parts of the state */
} jn_instance;

/* Bytes of an instance, for memory that is reserved at compile time (see <model>_data.h). */
#define JN_INSTANCE_BYTES(doubles, services) \
    (sizeof(jn_instance) + (size_t)(doubles) * sizeof(double) + (size_t)(services) * sizeof(jn_service))

/* Bytes of an instance. */
size_t jn_instance_size(const jn_data *data);

/* Makes an instance at its start in `memory` (aligned as malloc does, jn_instance_size bytes); call it again
 * to start afresh.  Returns NULL when data, model and runtime are not of one export. */
jn_instance *jn_instance_init(const jn_data *data, void *memory);

/* Sets a free parameter (SI); derived ones follow.  Returns 0, or -1 when there is no such parameter. */
int jn_instance_set(jn_instance *instance, const char *parameter, double value);

/* Computes the derived parameters from the free ones. */
void jn_instance_prepare(jn_instance *instance);

/* Current time, s. */
double jn_instance_time(const jn_instance *instance);

/* Full steps from now to the first one that is not before t_end; negative when t_end is past. */
int64_t jn_instance_steps_to(const jn_instance *instance, double t_end);

/* Takes recorded rows [time, channels ...]; not 0 ends the run. */
typedef int (*jn_sink)(void *context, const double *rows, int64_t n_rows, int32_t n_columns);

/* Makes n full steps and records into `rows` (capacity x (1 + n_columns) doubles); hands them on each time
 * they are full, and at the end.  Returns what jn_advance returns, or JN_FULL when the sink wanted no more. */
int jn_instance_run(jn_instance *instance, int64_t n_steps, double *rows, int64_t capacity, jn_sink sink,
                    void *context);

/* Index of a name, or -1. */
int32_t jn_find(const jn_name *names, int32_t n, const char *name);

#ifdef __cplusplus
}
#endif
#endif
