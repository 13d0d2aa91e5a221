/* Helpers for user tires: contact kinematics, vertical force, transport of forces. No memory; see jounce_sti.h. */
#include "jounce_sti.h"

#include <math.h>

#define COSINE_FLOOR 0.05 /* of the inclination, as in the native contact */

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = M v, M ordered by columns */
static void turn(const double *m, const double *v, double *out) {
    for (int i = 0; i < 3; ++i) out[i] = m[i] * v[0] + m[3 + i] * v[1] + m[6 + i] * v[2];
}

void c_actclc2(
    double *matrix, double *velocity, double *omega, double *spin, double *effective_radius, double *road_normal,
    double *vx, double *vx_cp, double *vy_cp, double *psi_omega, double *vz_cp, double *lateral_slip,
    double *inclination, double *longitudinal_slip, double *radius_direction, double *sae2global, double *vx_sign,
    double *vx_factor) {
    const double *axis = matrix + 3; /* of the spin, to the left */
    const double *n = road_normal;
    double line[3], forward[3], left[3], up[3], v[3], w[3], arm[3], moved[3], at[3];
    cross(axis, n, line);
    const double cosine = fmax(sqrt(dot(line, line)), COSINE_FLOOR);
    for (int i = 0; i < 3; ++i) forward[i] = line[i] / cosine;
    cross(n, forward, left);
    cross(forward, axis, up);
    turn(matrix, velocity, v);
    turn(matrix, omega, w);
    for (int i = 0; i < 3; ++i) {
        radius_direction[i] = -up[i];
        arm[i] = -*effective_radius * up[i];
    }
    cross(w, arm, moved);
    for (int i = 0; i < 3; ++i) at[i] = v[i] + moved[i];
    const double travel = dot(at, forward); /* without spin */
    const double speed = fmax(fabs(travel), JOUNCE_SLIP_SPEED);
    *vx = dot(v, forward);
    *vx_cp = travel - *spin * *effective_radius;
    *vy_cp = -dot(at, left);
    *vz_cp = -dot(at, n);
    *psi_omega = -dot(w, n);
    *lateral_slip = atan(*vy_cp / speed);
    *longitudinal_slip = -*vx_cp / speed;
    *inclination = asin(fmin(fmax(dot(axis, n), -1.0), 1.0));
    for (int i = 0; i < 3; ++i) {
        sae2global[i] = forward[i];
        sae2global[3 + i] = -left[i];
        sae2global[6 + i] = -n[i];
    }
    *vx_sign = travel < 0.0 ? -1.0 : 1.0;
    *vx_factor = 0.5 - 0.5 * cos(3.14159265358979323846 * fmin(fabs(travel) / JOUNCE_LOW_SPEED, 1.0));
}

void c_actfz(
    double *vz_cp, double *loaded_radius, double *stiffness, double *auxiliary, double *damping,
    double *unloaded_radius, double *scaling, double *nominal, int *spline_id, double *force) {
    (void)nominal;
    (void)spline_id;
    const double d = *unloaded_radius - *loaded_radius;
    const double elastic = *scaling * (*stiffness * d + *auxiliary * d * d);
    *force = d > 0.0 ? fmax(elastic + *damping * *vz_cp, 0.0) : 0.0;
}

void c_xcp2hb(double *force_cp, double *torque_cp, double *radius, double *sae2global, double *force, double *torque) {
    double f[3], m[3], moved[3];
    turn(sae2global, force_cp, f);
    turn(sae2global, torque_cp, m);
    cross(radius, f, moved);
    for (int i = 0; i < 3; ++i) {
        force[i] = f[i];
        torque[i] = m[i] + moved[i];
    }
}

void c_m3t1(double *out, double *matrix, double *v) {
    double result[3]; /* out may be v */
    for (int i = 0; i < 3; ++i) result[i] = dot(matrix + 3 * i, v);
    for (int i = 0; i < 3; ++i) out[i] = result[i];
}
