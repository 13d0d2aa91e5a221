/* The road, as user tires ask for it: see jounce_sti.h.
 *
 * Behind every road stands the service that the model itself asks, so a tire sees the same ground to the bit. Where the
 * model adds a height to it (an input per wheel, a road that grows at the start), so does the road of the calling tire;
 * under its own wheel centre it is the very plane of the model, however that came about.
 * The road of a call is known per thread; roads have numbers besides, for threads that a tire starts. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "jounce_sti.h"

#define MOST_ROADS 4096
#define COSINE_FLOOR 0.05 /* of the inclination, as in the native contact */
#define ROUNDING 1e-9     /* m: a smaller difference of heights is none */

static _Atomic(const jn_service *) numbered[MOST_ROADS];

typedef struct {
    int known;
    const jn_service *ground;
    double centre[3], height, normal[3]; /* of the wheel, and the plane under it */
    double friction, factor;
    int shifted; /* whether the shift is known: few tires ask, and it costs a question */
    double shift;
} road;

static _Thread_local road current;

int32_t jn_tire_road_open(const jn_service *ground) {
    for (int32_t i = 0; i < MOST_ROADS; ++i) {
        const jn_service *expected = NULL;
        if (atomic_compare_exchange_strong(&numbered[i], &expected, ground)) return i + 1;
    }
    return 0;
}

void jn_tire_road_close(int32_t number) {
    if (number > 0 && number <= MOST_ROADS) atomic_store(&numbered[number - 1], NULL);
}

void jn_tire_road_enter(
    const jn_service *ground, const double centre[3], double height, const double normal[3], double friction,
    double factor) {
    current.known = 1;
    current.ground = ground;
    memcpy(current.centre, centre, sizeof current.centre);
    memcpy(current.normal, normal, sizeof current.normal);
    current.height = height;
    current.friction = friction;
    current.factor = factor;
    current.shifted = 0;
    current.shift = 0.0;
}

void jn_tire_road_leave(void) { current.known = 0; }

/* height, dz/dx, dz/dy, friction */
static void ask(const road *r, double x, double y, double z, double out[4]) {
    if (r->ground) {
        const double at[5] = {x, y, z, 0.0, 0.0}; /* no direction: a point, where others have an enveloping contact */
        r->ground->call(r->ground->context, at, 0, out);
        out[0] += r->shift;
    } else {
        const double *n = r->normal;
        out[1] = -n[0] / n[2];
        out[2] = -n[1] / n[2];
        out[0] = r->centre[2] - r->height / n[2] + out[1] * (x - r->centre[0]) + out[2] * (y - r->centre[1]);
        out[3] = r->friction;
    }
    out[3] *= r->factor;
}

/* The road of a number; 0: that of the tire being called. Returns 0 when there is none. */
static int find(int number, road *out) {
    if (number < 0 || number > MOST_ROADS) return 0;
    const jn_service *ground = number ? atomic_load(&numbered[number - 1]) : NULL;
    if (number == 0 || (current.known && current.ground == ground && ground)) {
        if (current.known && current.ground && !current.shifted) {
            double here[4];
            const double *c = current.centre;
            ask(&current, c[0], c[1], c[2], here);
            const double shift = c[2] - current.height / current.normal[2] - here[0];
            current.shift = fabs(shift) > ROUNDING ? shift : 0.0;
            current.shifted = 1;
        }
        *out = current;
        return current.known;
    }
    memset(out, 0, sizeof *out);
    out->ground = ground;
    out->factor = 1.0;
    return ground != NULL;
}

static void say(char *message, const char *text) {
    if (message) {
        strncpy(message, text, 255);
        message[255] = '\0';
    }
}

static void single(
    int job, const double *location, const double *matrix, int road_model, double unloaded_radius, int *contact,
    double *penetration, double *patch, double *normal, double *friction, int *error_id, char *message) {
    road r;
    *contact = 0;
    *penetration = *friction = 0.0;
    for (int i = 0; i < 3; ++i) patch[i] = normal[i] = 0.0;
    *error_id = JOUNCE_ROAD_OK;
    say(message, "");
    if (job != JOUNCE_STI_NORMAL && job != JOUNCE_STI_STEP_TAKEN && job != JOUNCE_STI_DIFFERENCING) return;
    if (!find(road_model, &r)) {
        *error_id = JOUNCE_ROAD_NONE;
        say(message, "there is no road of this number (road_model); 0 is the road of the tire being called");
        return;
    }
    double height;
    if (r.known && memcmp(location, r.centre, sizeof r.centre) == 0) {
        memcpy(normal, r.normal, sizeof r.normal);
        height = r.height;
        *friction = r.friction * r.factor;
    } else {
        double here[4];
        ask(&r, location[0], location[1], location[2], here);
        const double n_z = 1.0 / sqrt(1.0 + here[1] * here[1] + here[2] * here[2]);
        normal[0] = -here[1] * n_z;
        normal[1] = -here[2] * n_z;
        normal[2] = n_z;
        height = (location[2] - here[0]) * n_z;
        *friction = here[3];
    }
    const double *axis = matrix + 3;
    const double sine = axis[0] * normal[0] + axis[1] * normal[1] + axis[2] * normal[2];
    const double line[3] = {
        axis[1] * normal[2] - axis[2] * normal[1], axis[2] * normal[0] - axis[0] * normal[2],
        axis[0] * normal[1] - axis[1] * normal[0]};
    const double cosine = fmax(sqrt(line[0] * line[0] + line[1] * line[1] + line[2] * line[2]), COSINE_FLOOR);
    const double radius = height / cosine;
    for (int i = 0; i < 3; ++i) patch[i] = location[i] - radius * (normal[i] - sine * axis[i]) / cosine;
    *penetration = unloaded_radius - radius;
    *contact = *penetration > 0.0;
}

#define SINGLE(name)                                                                                                   \
    void name(                                                                                                         \
        int *job_flag, int *road_id, double *time, double *location, double *matrix, int *road_model,                  \
        int *n_parameters, double *parameters, int *file_length, char *file, int *shape_size, double *shape,           \
        double *unloaded_radius, double *width, int *contact, double *volume, double *penetration, double *patch,      \
        double *normal, double *friction, int *error_id, char *message) {                                              \
        (void)road_id, (void)time, (void)n_parameters, (void)parameters, (void)file_length, (void)file;                \
        (void)shape_size, (void)shape, (void)width, (void)volume; /* not used */                                       \
        single(                                                                                                        \
            *job_flag, location, matrix, *road_model, *unloaded_radius, contact, penetration, patch, normal, friction, \
            error_id, message);                                                                                        \
    }

SINGLE(vi_road)
SINGLE(vi_roadsingle)
SINGLE(c_arc901)

void roadGEN(
    int computation_mode, int road_id, int dispatcher_id, int sensor_id, int simulation_calc, int simulation_mode,
    double time, int n_points, int input_format, const double *input, const double *auxiliary, const char *file,
    int output_format, double *output, double *auxiliary_output, int *error_id) {
    (void)dispatcher_id, (void)sensor_id, (void)simulation_mode, (void)time, (void)auxiliary, (void)file;
    (void)auxiliary_output;
    road r;
    *error_id = JOUNCE_ROAD_OK;
    /* roads remember nothing: initialisation (0), termination (4), save (11) and restore (12) have nothing to do */
    if (simulation_calc != 1 && simulation_calc != 3) return;
    if (computation_mode != 0 || input_format != 0 || output_format != 0) {
        *error_id = JOUNCE_ROAD_MODE_WRONG;
    } else if (n_points < 0 || n_points > JOUNCE_ROAD_POINTS) {
        *error_id = JOUNCE_ROAD_POINTS_WRONG;
    } else if (!find(road_id, &r)) {
        *error_id = JOUNCE_ROAD_NONE;
    }
    if (*error_id) return;
    for (int i = 0; i < n_points; ++i) {
        const double *p = input + VCR_INP_BSC_SIZE * i;
        double *q = output + VCR_OUT_BSC_SIZE * i, here[4];
        ask(&r, p[0], p[1], p[2], here);
        q[0] = p[0];
        q[1] = p[1];
        q[2] = here[0];
        q[3] = here[3];
    }
}
