/* jounce: tires written for the interfaces STI and CRT of other programs, and what such tires may call.
 *
 * A tire of this kind is one C function of a shared library, of type jounce_sti_fn (every argument a pointer, after the
 * Standard Tyre Interface) or jounce_crt_fn (jounce_tire.h; scalars by value). jounce.components.tire.sti loads it;
 * the functions at the end of this file call it straight from the loop of the simulation, without Python.
 *
 * All quantities in SI units. Location in world axes; velocities, forces and torques in the axes of the wheel carrier;
 * x forward, y left, z up. The matrix turns carrier axes to world axes and is ordered by columns: its first three
 * numbers are the carrier's x axis. Forces act on the wheel at its centre. The velocity is that of the wheel centre; over
 * a ground that moves (a height by an input, a road that grows at the start) it is relative to that ground, as neither
 * interface has a place for the ground's own. */
#ifndef JOUNCE_STI_H
#define JOUNCE_STI_H

#include <stdint.h>

#include "jounce.h"
#include "jounce_tire.h"

#ifdef __cplusplus
extern "C" {
#endif

/* model_switch; QUASI_STATIC only for tires that ask for it (CALLING_APP_CHECK), else STATICS takes its place */
enum { JOUNCE_STI_STATICS = 0, JOUNCE_STI_DYNAMICS = 1, JOUNCE_STI_QUASI_STATIC = 2 };

/* job_flag */
enum {
    JOUNCE_STI_SKIP = -1,
    JOUNCE_STI_NORMAL = 0,
    JOUNCE_STI_INQUIRE = 1,       /* write n_states, n_outputs, n_real, n_int */
    JOUNCE_STI_FIRST = 2,         /* first initialisation: write initial_states */
    JOUNCE_STI_AGAIN = 3,         /* initialisation during a simulation */
    JOUNCE_STI_STEP_TAKEN = 4,    /* the step that ended here is done: remember */
    JOUNCE_STI_DIFFERENCING = 5,  /* a trial beside the path, for derivatives: forget */
    JOUNCE_STI_SAVE = 10,         /* keep what is private, under the time given */
    JOUNCE_STI_RESTORE = 11,      /* take it back */
    JOUNCE_STI_END = 99
};

/* calc_mode of a CRT tire */
enum { JOUNCE_CRT_INIT = 0, JOUNCE_CRT_NORMAL = 1, JOUNCE_CRT_DIFFERENCING = 3, JOUNCE_CRT_END = 4 };

typedef void (*jounce_sti_fn)(
    int *output_device, int *model_switch, int *job_flag, int *tire_id, double *time, double *location, double *matrix,
    double *angle, double *velocity, double *omega, double *spin, int *n_states, double *states, int *n_parameters,
    double *parameters, int *tire_file_length, char *tire_file, void *external_road, int *road_model,
    int *n_road_parameters, double *road_parameters, int *road_file_length, char *road_file,
    /* results */
    double *force, double *torque, double *initial_states, double *rates, char *tire_model, int *n_outputs,
    double *outputs, int *n_real, double *real_work, int *n_int, int *int_work, int *error);

/* --- helpers for user tires: jn_tire_utilities.c, without memory; link it to a library, or find it loaded ---------- */

#define JOUNCE_SLIP_SPEED 0.1 /* m/s, least speed that slips are related to */
#define JOUNCE_LOW_SPEED 1.0  /* m/s, below which vx_factor falls to zero */

/* Motion of the contact, from that of the carrier. W: contact axes with y right and z down (SAE).
 *   vx                   of the wheel centre along the wheel
 *   vx_cp, vy_cp, vz_cp  W: of the tread at the contact (with spin), the carrier moved along effective_radius
 *   psi_omega            turning about the axis z of W
 *   lateral_slip         atan(vy_cp/|v|), longitudinal_slip -vx_cp/|v|, v = vx_cp + spin effective_radius
 *   radius_direction     unit, wheel centre to contact, world axes
 *   sae2global           axes W in world axes, ordered by columns
 *   vx_sign, vx_factor   sign of v, and (1 - cos(pi |v|/JOUNCE_LOW_SPEED))/2 below that speed, else 1 */
JN_EXPORT void c_actclc2(
    double *matrix, double *velocity, double *omega, double *spin, double *effective_radius, double *road_normal,
    double *vx, double *vx_cp, double *vy_cp, double *psi_omega, double *vz_cp, double *lateral_slip,
    double *inclination, double *longitudinal_slip, double *radius_direction, double *sae2global, double *vx_sign,
    double *vx_factor);

/* force = max(0, scaling (stiffness d + auxiliary d^2) + damping vz_cp), d = unloaded - loaded radius > 0.
 * nominal and spline_id are not used: give 0. */
JN_EXPORT void c_actfz(
    double *vz_cp, double *loaded_radius, double *stiffness, double *auxiliary, double *damping,
    double *unloaded_radius, double *scaling, double *nominal, int *spline_id, double *force);

/* Forces and torques at the contact (W) as those at the wheel centre in world axes; radius: wheel centre to contact. */
JN_EXPORT void c_xcp2hb(
    double *force_cp, double *torque_cp, double *radius, double *sae2global, double *force, double *torque);

/* out = M^T v with M ordered by columns: world to carrier, with the matrix of a tire call. */
JN_EXPORT void c_m3t1(double *out, double *matrix, double *v);

/* --- the road, for user tires: jn_tire_road.c ---------------------------------------------------------------------- */

#define JOUNCE_ROAD_POINTS 50 /* of one call of roadGEN */
#define VCR_INP_BSC_SIZE 3
#define VCR_OUT_BSC_SIZE 4

/* error_id */
enum { JOUNCE_ROAD_OK = 0, JOUNCE_ROAD_NONE = 1, JOUNCE_ROAD_POINTS_WRONG = 2, JOUNCE_ROAD_MODE_WRONG = 3 };

/* The contact of a disc with the plane that touches the road under its centre. Of the arguments count: job_flag (0, 4,
 * 5; others only clear the results), location, matrix, road_model (the one that the tire was given; 0: that of the tire
 * that is calling), unloaded_radius. */
JN_EXPORT void vi_road(
    int *job_flag, int *road_id, double *time, double *location, double *matrix, int *road_model, int *n_parameters,
    double *parameters, int *file_length, char *file, int *shape_size, double *shape, double *unloaded_radius,
    double *width,
    /* results */
    int *contact, double *volume, double *penetration, double *patch, double *normal, double *friction, int *error_id,
    char *message);
/* the same under the names of two other families */
JN_EXPORT void vi_roadsingle(
    int *job_flag, int *road_id, double *time, double *location, double *matrix, int *road_model, int *n_parameters,
    double *parameters, int *file_length, char *file, int *shape_size, double *shape, double *unloaded_radius,
    double *width, int *contact, double *volume, double *penetration, double *patch, double *normal, double *friction,
    int *error_id, char *message);
JN_EXPORT void c_arc901(
    int *job_flag, int *road_id, double *time, double *location, double *matrix, int *road_model, int *n_parameters,
    double *parameters, int *file_length, char *file, int *shape_size, double *shape, double *unloaded_radius,
    double *width, int *contact, double *volume, double *penetration, double *patch, double *normal, double *friction,
    int *error_id, char *message);

/* Up to 50 points x, y, z -> x, y, height of the road, friction. May be called from any thread: give the road_model of
 * the tire as road_id there (0 means the road of the tire that this very thread is calling). This function is what STI
 * tires get as external_road. */
typedef void (*jounce_road_gen_fn)(
    int computation_mode, int road_id, int dispatcher_id, int sensor_id, int simulation_calc, int simulation_mode,
    double time, int n_points, int input_format, const double *input, const double *auxiliary, const char *file,
    int output_format, double *output, double *auxiliary_output, int *error_id);
JN_EXPORT void roadGEN(
    int computation_mode, int road_id, int dispatcher_id, int sensor_id, int simulation_calc, int simulation_mode,
    double time, int n_points, int input_format, const double *input, const double *auxiliary, const char *file,
    int output_format, double *output, double *auxiliary_output, int *error_id);

/* --- for those who call such tires: jn_user_tire.c ----------------------------------------------------------------- */

#define JOUNCE_USER_OUTPUTS 300

/* One tire of a simulation. Arguments of the functions below: those of jounce_tire.h, the own states, and last the
 * factor of the wheel on the friction of the road, which is also part of the friction there. */
typedef struct {
    void *function;       /* jounce_sti_fn, or jounce_crt_fn */
    int32_t crt;          /* which one */
    int32_t tire_id;
    int32_t model_switch; /* JOUNCE_STI_STATICS, ... */
    int32_t calling_app;  /* whether QUASI_STATIC is told */
    int32_t n_states, n_outputs, n_channels, n_parameters, n_real, n_int;
    int32_t tire_file_length, road_file_length;
    int32_t road_model;      /* of jn_tire_road_open, or 0 */
    int32_t error;           /* first error that the tire told, */
    double error_time;       /* and when */
    const int32_t *channels; /* places in the outputs */
    double *parameters;
    char *tire_file, *road_file;
    double *real_work; /* as after the last step taken */
    int32_t *int_work;
    double *initial_states;
    double *last;             /* arguments of the last step taken */
    const jn_service *ground; /* NULL: the plane of the arguments */
    void (*report)(int32_t error, double time); /* or NULL */
    char tire_model[256];
} jn_user_tire;

/* Forces, rates and channels during evaluations; a jn_service_fn. Work arrays are handed over as copies, which are
 * forgotten. Derivatives by central differences. */
JN_EXPORT void jn_user_tire_service(void *context, const double *in, int order, double *out);

/* At full steps, as external blocks: remember (STEP_TAKEN), for a tire that is asked during evaluations; or forces,
 * then channels (NORMAL and STEP_TAKEN), for one that is not. */
JN_EXPORT void jn_user_tire_commit(void *context, double t, const double *in, double *out);
JN_EXPORT void jn_user_tire_exchange(void *context, double t, const double *in, double *out);

/* What is remembered: jn_user_tire_size doubles; with SAVE and RESTORE for what the tire keeps by itself. */
JN_EXPORT int32_t jn_user_tire_size(const jn_user_tire *tire);
JN_EXPORT void jn_user_tire_save(void *context, double *to);
JN_EXPORT void jn_user_tire_load(void *context, const double *from);

/* Any job at the arguments of the last step; returns the error. */
JN_EXPORT int32_t jn_user_tire_job(jn_user_tire *tire, int32_t job);

/* Sizes, to compare the layout of the structure. */
JN_EXPORT int32_t jn_user_tire_bytes(void);

/* Roads by number, for calls from threads of a tire: an open number stays until it is closed; 0: all are taken. */
JN_EXPORT int32_t jn_tire_road_open(const jn_service *ground);
JN_EXPORT void jn_tire_road_close(int32_t road);

/* The road of the tire that this thread is about to call: a service or NULL; the wheel centre and the plane that is
 * `height` below it along the normal; its friction, used without a service, and a factor. jn_tire_road_leave ends it. */
JN_EXPORT void jn_tire_road_enter(
    const jn_service *ground, const double centre[3], double height, const double normal[3], double friction,
    double factor);
JN_EXPORT void jn_tire_road_leave(void);

#ifdef __cplusplus
}
#endif
#endif
