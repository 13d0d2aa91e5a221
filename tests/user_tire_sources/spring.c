/* A vertical spring and damper through both interfaces, and a tire with forces against slip, by the helpers. */
#include <math.h>
#include <string.h>
#include "jounce_sti.h"

#define R0 0.32
#define CZ 2.0e5
#define KZ 2000.0

static int seen[16][3]; /* model switches, by tire */
JN_EXPORT int seen_switch(int tire, int model_switch) { return seen[tire][model_switch]; }

static int spring(
    int job, double time, double *location, double *matrix, double *velocity, double *omega, double spin, int road,
    double *force, double *torque, double *outputs)
{
    int id = 1, zero = 0, contact, error;
    double none = 0.0, r0 = R0, width = 0.2, volume, deflection, patch[3], normal[3], mu;
    char message[256];
    vi_road(&job, &id, &time, location, matrix, &road, &zero, &none, &zero, 0, &zero, &none, &r0, &width, &contact,
            &volume, &deflection, patch, normal, &mu, &error, message);
    if (error) return error;
    double loaded = R0 - deflection, vx, vxcp, vycp, psi, vz, alpha, gamma, kappa, direction[3], sae[9], sign, factor;
    c_actclc2(matrix, velocity, omega, &spin, &loaded, normal, &vx, &vxcp, &vycp, &psi, &vz, &alpha, &gamma, &kappa,
              direction, sae, &sign, &factor);
    double rate = vz / cos(gamma), cz = CZ, kz = KZ, one = 1.0, fz;
    c_actfz(&rate, &loaded, &cz, &none, &kz, &r0, &one, &none, &zero, &fz);
    double at_contact[6] = {0.0, 0.0, -fz, 0.0, 0.0, 0.0}, radius[3], f[3], t[3];
    for (int i = 0; i < 3; ++i) radius[i] = patch[i] - location[i];
    c_xcp2hb(at_contact, at_contact + 3, radius, sae, f, t);
    c_m3t1(force, matrix, f);
    c_m3t1(torque, matrix, t);
    outputs[2] = fz;
    outputs[43] = deflection;
    outputs[54] = mu;
    outputs[155] = 20.0 + time;
    outputs[159] = 2.2e5;
    outputs[161] = spin;
    return 0;
}

JN_EXPORT void spring_sti(
    int *device, int *model_switch, int *job, int *tire_id, double *time, double *location, double *matrix,
    double *angle, double *velocity, double *omega, double *spin, int *n_states, double *states, int *n_parameters,
    double *parameters, int *tire_file_length, char *tire_file, void *road, int *road_model, int *n_road,
    double *road_parameters, int *road_file_length, char *road_file, double *force, double *torque, double *initial,
    double *rates, char *tire_model, int *n_outputs, double *outputs, int *n_real, double *real_work, int *n_int,
    int *int_work, int *error)
{
    switch (*job) {
        case JOUNCE_STI_INQUIRE: *n_states = 0, *n_outputs = 180, *n_real = 0, *n_int = 0; return;
        case JOUNCE_STI_FIRST: strcpy(tire_model, "spring and damper"); return;
        case JOUNCE_STI_NORMAL:
        case JOUNCE_STI_DIFFERENCING:
            *error = spring(*job, *time, location, matrix, velocity, omega, *spin, *road_model, force, torque, outputs);
            return;
        default: return;
    }
}

JN_EXPORT void spring_crt(
    int tire_id, int simulation_mode, int calc_mode, double time, const double *parameters, const char *tire_file,
    int road_model, const char *road_file, const double location[3], const double matrix[9], double angle,
    const double velocity[3], const double omega[3], double spin, const double *states, double friction,
    double *rates, double force[3], double torque[3], double *outputs)
{
    if (calc_mode != JOUNCE_CRT_NORMAL && calc_mode != JOUNCE_CRT_DIFFERENCING) return;
    spring(0, time, (double *)location, (double *)matrix, (double *)velocity, (double *)omega, spin, road_model, force,
           torque, outputs);
    outputs[55] = friction;
}

/* a spring whose load lags, by a state */
JN_EXPORT void lag_crt(
    int tire_id, int simulation_mode, int calc_mode, double time, const double *parameters, const char *tire_file,
    int road_model, const char *road_file, const double location[3], const double matrix[9], double angle,
    const double velocity[3], const double omega[3], double spin, const double *states, double friction,
    double *rates, double force[3], double torque[3], double *outputs)
{
    if (calc_mode != JOUNCE_CRT_NORMAL && calc_mode != JOUNCE_CRT_DIFFERENCING) return;
    force[2] = 4000.0;
    rates[0] = 5.0 * (1.0 - states[0]);
    outputs[160] = simulation_mode;
}

/* the same with forces against slip, up to friction */
JN_EXPORT void linear_sti(
    int *device, int *model_switch, int *job, int *tire_id, double *time, double *location, double *matrix,
    double *angle, double *velocity, double *omega, double *spin, int *n_states, double *states, int *n_parameters,
    double *parameters, int *tire_file_length, char *tire_file, void *road, int *road_model, int *n_road,
    double *road_parameters, int *road_file_length, char *road_file, double *force, double *torque, double *initial,
    double *rates, char *tire_model, int *n_outputs, double *outputs, int *n_real, double *real_work, int *n_int,
    int *int_work, int *error)
{
    if (*job == JOUNCE_STI_INQUIRE) { *n_states = 0, *n_outputs = 180, *n_real = 0, *n_int = 0; return; }
    if (*job != JOUNCE_STI_NORMAL && *job != JOUNCE_STI_DIFFERENCING) return;
    ++seen[*tire_id][*model_switch];
    int id = 1, zero = 0, contact;
    double none = 0.0, r0 = R0, width = 0.2, volume, deflection, patch[3], normal[3], mu;
    char message[256];
    vi_road(job, &id, time, location, matrix, road_model, &zero, &none, &zero, 0, &zero, &none, &r0, &width, &contact,
            &volume, &deflection, patch, normal, &mu, error, message);
    if (*error) return;
    double loaded = R0 - deflection, rolling = R0 - 0.3 * fmax(deflection, 0.0);
    double vx, vxcp, vycp, psi, vz, alpha, gamma, kappa, direction[3], sae[9], sign, factor;
    c_actclc2(matrix, velocity, omega, spin, &rolling, normal, &vx, &vxcp, &vycp, &psi, &vz, &alpha, &gamma, &kappa,
              direction, sae, &sign, &factor);
    double rate = vz / cos(gamma), cz = CZ, kz = KZ, one = 1.0, fz;
    c_actfz(&rate, &loaded, &cz, &none, &kz, &r0, &one, &none, &zero, &fz);
    double fx = 6e4 * kappa, fy = -5e4 * tan(alpha), size = hypot(fx, fy), most = 0.9 * mu * fz; /* W: y right */
    double limited = factor * (size > most ? most / size : 1.0);
    double at_contact[6] = {limited * fx, limited * fy, -fz, 0.0, 0.0, 0.0}, radius[3], f[3], t[3];
    for (int i = 0; i < 3; ++i) radius[i] = patch[i] - location[i];
    c_xcp2hb(at_contact, at_contact + 3, radius, sae, f, t);
    c_m3t1(force, matrix, f);
    c_m3t1(torque, matrix, t);
    outputs[7] = kappa;
    if (*n_parameters > 0 && parameters[0] > 0.0) outputs[48] = rolling; /* told when asked for */
    outputs[160] = *model_switch;
    outputs[156] = 40.0;
}
