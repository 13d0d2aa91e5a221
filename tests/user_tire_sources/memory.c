/* A lag of the load, kept in three places: a state, work arrays, and memory of its own, which is saved by time. */
#include <math.h>
#include <string.h>
#include "jounce_sti.h"

#define SLOTS 512

typedef struct { double last; int commits; } private_memory;
static private_memory now[16];
static struct { int tire; double time; private_memory kept; } store[SLOTS];
static int n_store;
static int jobs[16][128];    /* how often each job was asked, by tire */
static int switches[16][4];

JN_EXPORT int count(int tire, int job) { return jobs[tire][job + 1]; }
JN_EXPORT int told(int tire, int model_switch) { return switches[tire][model_switch]; }
JN_EXPORT double private_value(int tire) { return now[tire].last; }

static void forces(
    int *model_switch, int *job, int *tire_id, double *time, double *location, double *velocity, double *rates,
    double *states, double *force, double *torque, double *initial, int *n_states, int *n_outputs, double *outputs,
    int *n_real, double *real_work, int *n_int, int *int_work, int *error, int dynamic)
{
    private_memory *own = &now[*tire_id];
    const double rho = 0.32 - location[2];
    const double load = rho > 0.0 ? fmax(2.0e5 * rho - 2000.0 * velocity[2], 0.0) : 0.0;
    ++jobs[*tire_id][*job + 1];
    switch (*job) {
        case 1: *n_states = dynamic, *n_outputs = 300, *n_real = 2, *n_int = 1; return;
        case 2:
            own->last = initial[0] = real_work[0] = 4000.0, own->commits = 0, int_work[0] = 7;
            return;
        case 10:
            for (int i = 0; i < n_store; ++i)
                if (store[i].tire == *tire_id && store[i].time == *time) { store[i].kept = *own; return; }
            if (n_store == SLOTS) { *error = 77; return; }
            store[n_store].tire = *tire_id, store[n_store].time = *time, store[n_store++].kept = *own;
            return;
        case 11:
            for (int i = 0; i < n_store; ++i)
                if (store[i].tire == *tire_id && store[i].time == *time) { *own = store[i].kept; return; }
            *error = 78;
            return;
        case 4:
            own->last += 0.02 * (load - own->last);
            ++own->commits;
            real_work[0] += 0.03 * (load - real_work[0]);
            int_work[0] = (int_work[0] * 75 + 74) % 65537;
            return;
        case 0:
        case 5:
            ++switches[*tire_id][*model_switch];
            real_work[1] = -1e9; /* of a trial: nobody sees it */
            if (*time > 50.0) *error = 5;
            break;
        default: return;
    }
    force[0] = force[1] = torque[0] = torque[1] = torque[2] = 0.0;
    force[2] = 0.4 * load + 0.2 * real_work[0] + 0.2 * own->last + (dynamic ? 0.2 * states[0] : 0.2 * load)
               + 1e-3 * int_work[0];
    if (dynamic) rates[0] = 20.0 * (load - states[0]);
    outputs[155] = real_work[0];
    outputs[160] = own->last;
    outputs[161] = own->commits;
    outputs[162] = int_work[0];
    outputs[163] = real_work[1];
}

#define TIRE(name, dynamic)                                                                                            \
    JN_EXPORT void name(                                                                                               \
        int *device, int *model_switch, int *job, int *tire_id, double *time, double *location, double *matrix,        \
        double *angle, double *velocity, double *omega, double *spin, int *n_states, double *states,                   \
        int *n_parameters, double *parameters, int *tire_file_length, char *tire_file, void *road, int *road_model,    \
        int *n_road, double *road_parameters, int *road_file_length, char *road_file, double *force, double *torque,   \
        double *initial, double *rates, char *tire_model, int *n_outputs, double *outputs, int *n_real,                \
        double *real_work, int *n_int, int *int_work, int *error)                                                      \
    {                                                                                                                  \
        forces(model_switch, job, tire_id, time, location, velocity, rates, states, force, torque, initial, n_states,  \
               n_outputs, outputs, n_real, real_work, n_int, int_work, error, dynamic);                                \
    }

TIRE(memory_plain, 0)
TIRE(memory_dynamic, 1)
