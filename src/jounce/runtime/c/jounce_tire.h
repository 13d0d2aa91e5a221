/* jounce: tires that live in a shared library.
 *
 * A tire is one C function. It is asked during every evaluation of the model, so it must be a pure function of its
 * arguments: no memory between two calls, no globals that change; it may run in several threads at once. Its own states
 * are integrated by the solver, and are saved and restored with all others.
 *
 *     #include "jounce_tire.h"
 *
 *     static void my_tire(void *context, const double *in, double *out)
 *     {
 *         const double load = ...in[JT_HEIGHT]...;
 *         out[JT_FORCE + 2] = load;
 *     }
 *     JOUNCE_TIRE(my_tire, 0, 0)            exports my_tire_jounce, with 0 states and 0 channels
 *
 * In Python (jounce.components.tire.external):
 *
 *     tire = external_tire(0.33)
 *     library, function = load_library("libmine.so", "my_tire_jounce")
 *     simulation.bind("L1.tire", function)
 *
 * All quantities in SI units; x forward, y left, z up; forces act on the wheel. */
#ifndef JOUNCE_TIRE_H
#define JOUNCE_TIRE_H

#ifdef __cplusplus
extern "C" {
#endif

/* Places of the arguments. */
enum {
    JT_TIME = 0,      /* s */
    JT_POSITION = 1,  /* 3: wheel centre, world axes, m */
    JT_MATRIX = 4,    /* 9: carrier axes in world axes, row by row: v_world = matrix v_carrier */
    JT_VELOCITY = 13, /* 3: of the carrier at the wheel centre relative to the ground, carrier axes, m/s */
    JT_OMEGA = 16,    /* 3: angular velocity of the carrier, carrier axes, rad/s */
    JT_ANGLE = 19,    /* of the wheel relative to the carrier, rad */
    JT_SPIN = 20,     /* its rate, rad/s */
    JT_HEIGHT = 21,   /* of the wheel centre above the tangent plane of the road, along its normal, m */
    JT_NORMAL = 22,   /* 3: unit normal of the road, world axes */
    JT_FRICTION = 25, /* road friction times the factor of the wheel */
    JT_STATES = 26    /* own states */
};

/* Places of the results. */
enum {
    JT_FORCE = 0,  /* 3: on the wheel at its centre, carrier axes, N */
    JT_MOMENT = 3, /* 3: N m */
    JT_RATES = 6   /* rates of the own states, then further channels */
};

typedef void (*jounce_tire_fn)(void *context, const double *in, double *out);

#define JOUNCE_TIRE_MOST_STATES 50
#define JOUNCE_TIRE_MOST_OUTPUTS 400

/* Values, and first derivatives by central differences where the model asks for them (linearisation, linear-implicit
 * steps). Layout: all values, then for each value its derivatives along all arguments. */
static inline void jounce_tire_call(
    jounce_tire_fn tire, void *context, const double *in, int order, double *out, int n_states, int n_channels)
{
    const int n_in = JT_STATES + n_states, n_out = JT_RATES + n_states + n_channels;
    double x[JT_STATES + JOUNCE_TIRE_MOST_STATES], up[JOUNCE_TIRE_MOST_OUTPUTS], down[JOUNCE_TIRE_MOST_OUTPUTS];
    tire(context, in, out);
    if (order < 1) return;
    for (int i = 0; i < n_in; ++i) x[i] = in[i];
    for (int j = 0; j < n_in; ++j) {
        const int rate = (j >= JT_VELOCITY && j < JT_ANGLE) || j == JT_SPIN;
        const double h = j == JT_TIME ? 1e-5 : rate ? 1e-4 : 1e-6;
        x[j] = in[j] + h;
        const double above = x[j];
        tire(context, x, up);
        x[j] = in[j] - h;
        const double width = above - x[j];
        tire(context, x, down);
        x[j] = in[j];
        for (int i = 0; i < n_out; ++i) out[n_out + i * n_in + j] = (up[i] - down[i]) / width;
    }
}

#if defined(_WIN32)
#define JOUNCE_TIRE_EXPORT __declspec(dllexport)
#else
#define JOUNCE_TIRE_EXPORT __attribute__((visibility("default")))
#endif

/* Exports <function>_jounce, which has the type of a service of a model. */
#define JOUNCE_TIRE(function, n_states, n_channels)                                                                    \
    JOUNCE_TIRE_EXPORT void function##_jounce(void *context, const double *in, int order, double *out)                  \
    {                                                                                                                  \
        jounce_tire_call(function, context, in, order, out, n_states, n_channels);                                     \
    }

/* Tires written for the call "CRT" of another program: arguments in the order of that call, the matrix ordered by
 * columns, 1000 parameters, 50 states, 300 outputs. Such a function is not exported with JOUNCE_TIRE; see jounce_sti.h
 * and jounce.components.tire.sti. */
typedef void (*jounce_crt_fn)(
    int tire_id, int simulation_mode, int calc_mode, double time, const double *parameters, const char *tire_file,
    int road_model, const char *road_file, const double location[3], const double matrix[9], double angle,
    const double velocity[3], const double omega[3], double spin, const double *states, double friction,
    double *derivatives, double force[3], double torque[3], double *outputs);

#ifdef __cplusplus
}
#endif
#endif
