/* jounce runtime: the contract between generated models and the hand-written loop.
 *
 * Generated code is pure: every function reads an environment (parameters, tables, services) and a
 * point (time, states, memories, inputs) and writes its results.  It never allocates, never keeps
 * anything between two calls and has no globals.  The runtime owns every byte that changes in a run. */
#ifndef JOUNCE_H
#define JOUNCE_H

#include <stdint.h>

#include "jn_table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of a struct or signature below; checked when a library is loaded. */
#define JN_ABI 4

#if defined(_WIN32)
#define JN_EXPORT __declspec(dllexport)
#else
#define JN_EXPORT __attribute__((visibility("default")))
#endif

/* A service is an outside function that a model asks during an evaluation (road, path, user code).
 * It writes its values and, when order > 0, its derivatives up to that order, laid out as a table's
 * (jn_table.h): all values, then all first derivatives by output, then the packed second ones, ... */
typedef void (*jn_service_fn)(void *context, const double *arguments, int order, double *out);

typedef struct {
    jn_service_fn call;
    void *context;
} jn_service;

/* What an evaluation may read besides its point. `w` is scratch memory of jn_model.n_work doubles. */
typedef struct {
    const double *p;
    const jn_table *tables;
    const jn_service *services;
    double *w;
} jn_env;

/* Where a function is evaluated. */
typedef struct {
    double t;       /* time, s */
    double elapsed; /* time since the last committed evaluation, s; 0 when time stood still */
    double t_dt;    /* nominal interval between evaluations: h, or h/2 for half-step methods */
    const double *x; /* states */
    const double *m; /* memories */
    const double *u; /* inputs */
    const double *b; /* signals of sampled blocks, then the period of each block, s */
    const double *r; /* right-hand side of a Rosenbrock stage (n_x), read by jn_model.step only */
} jn_point;

/* Every generated function has this shape; `out` lists its result arrays.
 *   rhs      out[0] = dx/dt (n_x), out[1] = next memories (n_m)
 *   outputs  out[0] = all channels (n_y)
 *   watch    out[0] = what end conditions and feedback read (n_watch)
 *   step     out[0] = effective rates of a first-order step, x+ = x + h out[0], out[1] = next memories
 *   project_position, project_velocity   out[0] = states moved onto the loop constraints (n_x)
 *   kinematics  out[0] = the outputs that need no forces (n_k)
 *   prepare  out[0] = derived parameters (n_p - n_p_free); reads the free ones through env->p
 *   others   as listed in the model's metadata */
typedef void (*jn_fn)(const jn_env *env, const jn_point *at, double *const *out);

typedef struct {
    const char *name;
    jn_fn call;
} jn_named_fn;

/* A sampled block: at its instants `update` gives the next values of all its signals at once, out[0] (n). */
typedef struct {
    const char *name;
    double period, offset; /* defaults, s; period 0 = every full step */
    int32_t first, n;      /* its signals in jn_point.b */
    int32_t dt;            /* place of its period in jn_point.b */
    jn_fn update;
} jn_block;

typedef struct {
    int32_t abi;
    int32_t n_x, n_m, n_u, n_p, n_p_free, n_y, n_watch, n_tables, n_services, n_work;
    /* index of the input that carries the rate / acceleration of input i, or -1 */
    const int32_t *u_rate;
    const int32_t *u_acceleration;
    jn_fn rhs, outputs, watch, prepare; /* rhs, outputs, watch may be NULL in a library of extra functions */
    jn_fn step;                               /* linear-implicit stage; NULL when not generated */
    jn_fn project_position, project_velocity; /* NULL in a model without loops */
    int32_t n_fns;
    const jn_named_fn *fns;
    jn_fn kinematics;    /* or NULL */
    int32_t n_k;
    int32_t n_b;         /* length of jn_point.b */
    int32_t n_blocks;    /* in the order in which they run */
    const jn_block *blocks;
    int32_t step_stages; /* 1: jn_model.step makes an Euler step; 2: a stage of ROS2, which reads jn_point.r */
} jn_model;

/* The one symbol a generated library must define. */
JN_EXPORT const jn_model *jn_get_model(void);

#ifdef __cplusplus
}
#endif
#endif
