/* Phase program: references, feedback, end conditions, jumps and entry actions, executed from flat data.
 *
 * End conditions are first looked at one full step after a phase was entered, so there is at most one
 * transition per full step and no program can loop without time moving. */
#include "jn_math.h"
#include "jn_run.h"

#define JN_TWO_PI 6.283185307179586476925287
/* Times this close (in steps) count as equal: i*h is one rounding away from the user's decimal number. */
#define JN_SNAP 1e-6
/* The same for corners of references, in seconds: a step at 0.3 s must not come one step late. */
#define JN_CORNER 1e-9

/* --- references ----------------------------------------------------------------------------------- */

enum { LINE = 0, CUBIC = 1, QUINTIC = 2 };

/* 0 -> 1 over `duration`, with first and second derivative: straight, the cubic 3 z^2 - 2 z^3, or the quintic
 * 10 z^3 - 15 z^4 + 6 z^5, the lowest polynomial with zero rate and acceleration at both ends. */
static void edge(double tau, double duration, int smooth, double out[3]) {
    out[1] = out[2] = 0.0;
    if (tau < -JN_CORNER) {
        out[0] = 0.0;
        return;
    }
    if (tau < 0.0) tau = 0.0;
    if (tau >= duration - JN_CORNER) {
        out[0] = 1.0;
    } else if (smooth == LINE) {
        out[0] = tau / duration;
        out[1] = 1.0 / duration;
    } else if (smooth == CUBIC) {
        double z = tau / duration;
        out[0] = z * z * (3.0 - 2.0 * z);
        out[1] = 6.0 * z * (1.0 - z) / duration;
        out[2] = 6.0 * (1.0 - 2.0 * z) / (duration * duration);
    } else {
        double z = tau / duration;
        out[0] = z * z * z * (10.0 + z * (6.0 * z - 15.0));
        out[1] = 30.0 * z * z * (1.0 - z) * (1.0 - z) / duration;
        out[2] = 60.0 * z * (1.0 - z) * (1.0 - 2.0 * z) / (duration * duration);
    }
}

static void sine(const double *p, double tau, double out[3]) {
    const double amplitude = p[0], f = p[1], phase = p[2], offset = p[3], delay = p[4], cycles = p[5];
    const double dwell_at = p[6], dwell = p[7], omega = JN_TWO_PI * f;
    const double corner = JN_CORNER * f;
    double done = (tau - delay) * f; /* cycles done */
    int moving = done >= -corner;
    if (dwell > 0.0 && done >= dwell_at - corner) {
        /* hold at dwell_at, then go on where the sine was left */
        moving = done >= dwell_at + dwell * f - corner;
        done = moving ? done - dwell * f : dwell_at;
    }
    if (done < 0.0) {
        done = 0.0;
    } else if (cycles > 0.0 && done >= cycles - corner) {
        done = cycles;
        moving = 0;
    }
    /* whole cycles are dropped before the sine is taken: a hold after n cycles is exact */
    double angle = JN_TWO_PI * (done - floor(done)) + phase;
    double s = amplitude * sin(angle), c = amplitude * cos(angle);
    out[0] = offset + s;
    out[1] = moving ? omega * c : 0.0;
    out[2] = moving ? -omega * omega * s : 0.0;
}

static void sweep(const double *p, double tau, int logarithmic, double out[3]) {
    const double amplitude = p[0], f0 = p[1], f1 = p[2], phase = p[3], offset = p[4], delay = p[5], T = p[6];
    double z = tau - delay, angle, omega, omega_rate;
    int moving = z >= -JN_CORNER && z < T - JN_CORNER;
    if (z < 0.0) z = 0.0;
    if (z > T - JN_CORNER) z = T;
    if (logarithmic) {
        /* f = f0 exp(b z), b = ln(f1/f0)/T; expm1 keeps the start exact */
        double b = log(f1 / f0) / T;
        omega = JN_TWO_PI * f0 * exp(b * z);
        omega_rate = b * omega;
        angle = b == 0.0 ? JN_TWO_PI * f0 * z : JN_TWO_PI * f0 * expm1(b * z) / b;
    } else {
        double b = (f1 - f0) / T;
        omega = JN_TWO_PI * (f0 + b * z);
        omega_rate = JN_TWO_PI * b;
        angle = JN_TWO_PI * (f0 + 0.5 * b * z) * z;
    }
    double s = amplitude * sin(angle + phase), c = amplitude * cos(angle + phase);
    out[0] = offset + s;
    out[1] = moving ? omega * c : 0.0;
    out[2] = moving ? omega_rate * c - omega * omega * s : 0.0;
}

static int shape(int kind) {
    if (kind == JN_REF_RAMP_CUBIC || kind == JN_REF_PULSE_CUBIC) return CUBIC;
    return kind == JN_REF_RAMP_SMOOTH || kind == JN_REF_PULSE_SMOOTH ? QUINTIC : LINE;
}

/* The frequency grows to the last one and stays there; the phase is continuous. */
static void swept(const double *p, double z, double out[3]) {
    const double amplitude = p[0], f0 = p[1], rate = p[2], f1 = p[3], grown = (f1 - f0) / rate;
    double cycles, f, growing;
    if (z < grown) {
        cycles = (f0 + 0.5 * rate * z) * z, f = f0 + rate * z, growing = rate;
    } else {
        cycles = (f0 + 0.5 * rate * grown) * grown + f1 * (z - grown), f = f1, growing = 0.0;
    }
    double angle = JN_TWO_PI * (cycles - floor(cycles)), omega = JN_TWO_PI * f;
    double s = amplitude * sin(angle), c = amplitude * cos(angle);
    out[0] = s;
    out[1] = omega * c;
    out[2] = JN_TWO_PI * growing * c - omega * omega * s;
}

/* The value of the knot at or before z, the first one before all. */
static double stairs(const jn_table *table, double z, int32_t column, double *scratch) {
    const double *knot = table->axis[0].knots;
    int32_t low = 0, high = table->axis[0].n_knots - 1;
    while (low < high) {
        int32_t middle = (low + high + 1) / 2;
        if (knot[middle] <= z + JN_CORNER) low = middle;
        else high = middle - 1;
    }
    z = knot[low];
    jn_table_eval(table, &z, 0, scratch);
    return scratch[column];
}

void jn_reference(const jn_program *program, const jn_channel *channel, double tau, double t, double entry,
                  double *scratch, double out[3]) {
    const double *p = channel->p;
    const int from_entry = (channel->flags & JN_REF_FROM_ENTRY) != 0;
    const double base = channel->flags & JN_REF_RELATIVE ? entry : 0.0;
    double e[3], g[3];
    out[0] = out[1] = out[2] = 0.0;
    switch (channel->kind) {
        case JN_REF_CONSTANT: out[0] = base + p[0]; break;
        case JN_REF_HOLD: out[0] = entry; break;
        case JN_REF_RAMP:
        case JN_REF_RAMP_CUBIC:
        case JN_REF_RAMP_SMOOTH: {
            double start = from_entry ? entry : base + p[0], target = base + p[1];
            edge(tau - p[3], p[2], shape(channel->kind), e);
            /* the end is the target itself, not start + (target - start) */
            out[0] = e[0] == 1.0 ? target : start + (target - start) * e[0];
            out[1] = (target - start) * e[1];
            out[2] = (target - start) * e[2];
            break;
        }
        case JN_REF_RATE: {
            double start = from_entry ? entry : base + p[0], z = tau - p[3];
            out[0] = z > 0.0 ? start + p[1] * z : start;
            out[1] = z >= -JN_CORNER ? p[1] : 0.0;
            break;
        }
        case JN_REF_SINE:
            sine(p, tau, out);
            out[0] += base;
            break;
        case JN_REF_SWEEP_LINEAR:
        case JN_REF_SWEEP_LOG:
            sweep(p, tau, channel->kind == JN_REF_SWEEP_LOG, out);
            out[0] += base;
            break;
        case JN_REF_SLOPE: {
            double z = tau - p[1], last = p[2] - p[1];
            if (z < -JN_CORNER) {
                out[0] = entry;
                break;
            }
            out[0] = base + p[0] * (z < 0.0 ? 0.0 : z < last ? z : last);
            out[1] = z < last - JN_CORNER ? p[0] : 0.0;
            break;
        }
        case JN_REF_SWEPT:
            if (tau < p[4] - JN_CORNER) {
                out[0] = entry;
                break;
            }
            swept(p, tau > p[4] ? tau - p[4] : 0.0, out);
            out[0] += base;
            break;
        case JN_REF_POLYNOMIAL: {
            double start = from_entry ? entry : base + p[0], z = tau - p[3];
            out[0] = z > 0.0 ? start + (p[1] + 0.5 * p[2] * z) * z : start;
            if (z >= -JN_CORNER) out[1] = z > 0.0 ? p[1] + p[2] * z : p[1], out[2] = p[2];
            break;
        }
        case JN_REF_STAIRS: {
            double z = (channel->flags & JN_REF_ABSOLUTE ? t : tau) - p[2];
            out[0] = base + p[0] + p[1] * stairs(program->tables + channel->table, z, channel->column, scratch);
            break;
        }
        case JN_REF_PULSE:
        case JN_REF_PULSE_CUBIC:
        case JN_REF_PULSE_SMOOTH: {
            int smooth = shape(channel->kind);
            double z = tau - p[2];
            edge(z, p[3], smooth, e);
            edge(z - p[3] - p[4], p[5], smooth, g);
            out[0] = base + p[0] + p[1] * (e[0] - g[0]);
            out[1] = p[1] * (e[1] - g[1]);
            out[2] = p[1] * (e[2] - g[2]);
            break;
        }
        case JN_REF_TABLE: {
            const jn_table *table = program->tables + channel->table;
            double z = (channel->flags & JN_REF_ABSOLUTE ? t : tau) - p[2];
            jn_table_eval(table, &z, 2, scratch);
            out[0] = base + p[0] + p[1] * scratch[channel->column];
            out[1] = p[1] * scratch[table->n_out + channel->column];
            out[2] = p[1] * scratch[2 * table->n_out + channel->column];
            break;
        }
        default: break;
    }
}

static void companions(const jn_model *model, double *u, int32_t input, double rate, double acceleration) {
    if (model->u_rate && model->u_rate[input] >= 0) u[model->u_rate[input]] = rate;
    if (model->u_acceleration && model->u_acceleration[input] >= 0) u[model->u_acceleration[input]] = acceleration;
}

static const jn_phase *running(const jn_run *run) {
    const jn_program *program = run->program;
    if (!program) return 0;
    double phase = run->s[JN_S_PHASE];
    return phase >= 0.0 && phase < program->n_phases ? program->phases + (int)phase : 0;
}

/* Whether a reference follows what is known at full steps only; the input is held between them. */
static int at_full_steps(const jn_channel *channel) {
    return channel->kind == JN_REF_INPUT || channel->kind == JN_REF_WATCH ||
           channel->flags & (JN_REF_OVER | JN_REF_INTEGRAL);
}

/* A reference at a full step that a watched value, another input or an integral makes. */
static void followed(jn_run *run, const jn_channel *channel, double *slot, double tau, double t, double r[3]) {
    const double base = channel->flags & JN_REF_RELATIVE ? slot[0] : 0.0;
    if (channel->kind == JN_REF_INPUT || channel->kind == JN_REF_WATCH) {
        const double *from = channel->kind == JN_REF_INPUT ? run->u : run->watch;
        r[0] = base + channel->p[0] + channel->p[1] * from[channel->watch];
        r[1] = r[2] = 0.0;
    } else if (channel->flags & JN_REF_OVER) {
        double at = run->watch[channel->over] - (channel->flags & JN_REF_FROM_HERE ? slot[3] : 0.0);
        jn_reference(run->program, channel, at, at, slot[0], run->table, r);
        r[1] = channel->rate >= 0 ? r[1] * run->watch[channel->rate] : 0.0;
        r[2] = 0.0;
    } else {
        jn_reference(run->program, channel, tau, t, slot[0], run->table, r);
    }
    if (channel->flags & JN_REF_INTEGRAL) {
        /* by the trapezoidal rule; an instant that is looked at twice counts once */
        if (slot[4] < 0.0) {
            slot[1] = 0.0;
        } else if (slot[4] < (double)run->i) {
            slot[1] += 0.5 * run->h * ((double)run->i - slot[4]) * (slot[2] + r[0]);
        }
        slot[4] = (double)run->i;
        slot[2] = r[0];
        r[2] = 0.0;
        r[1] = r[0];
        r[0] = slot[0] + slot[1];
    }
}

int jn_program_open(jn_run *run, int half, double *u) {
    const jn_phase *phase = running(run);
    if (!phase) return JN_OK;
    const jn_channel *channel = run->program->channels + phase->first_channel;
    const double tau = jn_run_phase_time(run, half), t = jn_run_time(run, half);
    for (int32_t k = 0; k < phase->n_channels; ++k, ++channel) {
        if (channel->mode != JN_MODE_OPEN) continue;
        double *slot = run->channel + k * JN_CHANNEL_SLOTS, r[3], e[3];
        if (!at_full_steps(channel)) {
            jn_reference(run->program, channel, tau, t, slot[0], run->table, r);
        } else if (half) {
            continue;
        } else {
            followed(run, channel, slot, tau, t, r);
        }
        if (channel->blend > 0.0 && tau < channel->blend) {
            double away = r[0] - slot[0];
            edge(tau, channel->blend, CUBIC, e);
            r[2] = r[2] * e[0] + 2.0 * r[1] * e[1] + away * e[2];
            r[1] = r[1] * e[0] + away * e[1];
            r[0] = slot[0] + away * e[0];
        }
        int32_t bad = jn_first_bad(r, 3);
        if (bad >= 0) return jn_run_bad(run, JN_BAD_INPUT, channel->input, t, r[bad]);
        if (channel->flags & JN_REF_SATURATED) {
            if (r[0] > channel->high) r[0] = channel->high, r[1] = r[2] = 0.0;
            if (r[0] < channel->low) r[0] = channel->low, r[1] = r[2] = 0.0;
        }
        u[channel->input] = r[0];
        companions(run->model, u, channel->input, r[1], r[2]);
    }
    return JN_OK;
}

/* --- feedback ------------------------------------------------------------------------------------- */

/* input = clamp(ff + ff_value r + ff_rate r' + kp e + ki I, low, high),  e = r - watch, I by the trapezoidal
 * rule over full steps.  Anti-windup by conditional integration: while the sum is outside its limits the
 * integral only moves if that brings it back. */
static int feedback(jn_run *run, int entered) {
    const jn_phase *phase = running(run);
    if (!phase) return JN_OK;
    const jn_channel *channel = run->program->channels + phase->first_channel;
    const double tau = jn_run_phase_time(run, 0), t = jn_run_time(run, 0);
    for (int32_t k = 0; k < phase->n_channels; ++k, ++channel) {
        if (channel->mode != JN_MODE_FEEDBACK) continue;
        double *slot = run->channel + k * JN_CHANNEL_SLOTS; /* entry, integral, last error */
        const double y = run->watch[channel->watch];
        double r[3];
        if (!isfinite(y)) return jn_run_bad(run, JN_BAD_WATCH, channel->watch, t, y);
        if (entered) slot[0] = y; /* hold and relative references count from the measured value */
        if (channel->flags & JN_REF_OVER) followed(run, channel, slot, tau, t, r);
        else jn_reference(run->program, channel, tau, t, slot[0], run->table, r);
        const double e = r[0] - y;
        const double direct = channel->ff + channel->ff_value * r[0] + channel->ff_rate * r[1] + channel->kp * e;
        double integral;
        if (!entered) {
            integral = slot[1] + 0.5 * run->h * (slot[2] + e);
        } else if (channel->flags & JN_REF_BUMPLESS && channel->ki != 0.0) {
            integral = (run->u[channel->input] - direct) / channel->ki;
        } else {
            integral = 0.0;
        }
        double value = direct + channel->ki * integral;
        if (!entered) {
            double change = channel->ki * (integral - slot[1]);
            if ((value > channel->high && change > 0.0) || (value < channel->low && change < 0.0)) {
                integral = slot[1];
                value = direct + channel->ki * integral;
            }
        }
        if (!isfinite(value)) return jn_run_bad(run, JN_BAD_INPUT, channel->input, t, value);
        if (value > channel->high) value = channel->high;
        if (value < channel->low) value = channel->low;
        slot[1] = integral;
        slot[2] = e;
        run->u[channel->input] = value;
        /* the input is held until the next full step */
        companions(run->model, run->u, channel->input, 0.0, 0.0);
    }
    return JN_OK;
}

/* --- end conditions and jumps --------------------------------------------------------------------- */

static int compare(int op, double v, double a, double b) {
    switch (op) {
        case JN_OP_GT: return v > a;
        case JN_OP_LT: return v < a;
        case JN_OP_GE: return v >= a;
        case JN_OP_LE: return v <= a;
        case JN_OP_ABS_GT: return fabs(v) > a;
        case JN_OP_ABS_LT: return fabs(v) < a;
        case JN_OP_OUTSIDE: return v < a || v > b;
        case JN_OP_INSIDE: return v >= a && v <= b;
        case JN_OP_ABS_GE: return fabs(v) >= a;
        case JN_OP_ABS_LE: return fabs(v) <= a;
        case JN_OP_ABS_OUTSIDE: return fabs(v) < a || fabs(v) > b;
        case JN_OP_ABS_INSIDE: return fabs(v) >= a && fabs(v) <= b;
        default: return 0;
    }
}

/* Time by multiplication against a decimal threshold: a rounding error must not cost a step. */
static double snap(double v, double threshold, double h) {
    return fabs(v - threshold) < JN_SNAP * h ? threshold : v;
}

/* Updates how long each condition has held; 0 or JN_NONFINITE. */
static int look(jn_run *run, const jn_phase *phase) {
    const jn_condition *condition = run->program->conditions + phase->first_condition;
    const double t = jn_run_time(run, 0), tau = jn_run_phase_time(run, 0);
    for (int32_t k = 0; k < phase->n_conditions; ++k, ++condition) {
        double v;
        switch (condition->source) {
            case JN_SOURCE_WATCH:
                v = run->watch[condition->index];
                if (!isfinite(v)) return jn_run_bad(run, JN_BAD_WATCH, condition->index, t, v);
                break;
            case JN_SOURCE_PHASE_STEPS: v = (double)run->i - run->s[JN_S_PHASE_STEP]; break;
            default:
                v = condition->source == JN_SOURCE_TIME ? t : tau;
                v = snap(snap(v, condition->a, run->h), condition->b, run->h);
                break;
        }
        double *slot = run->held + k * JN_CONDITION_SLOTS;
        if (condition->flags & JN_COND_FROM_ENTRY) v -= slot[1];
        slot[2] = v;
        if (!compare(condition->op, v, condition->a, condition->b)) {
            slot[0] = -1.0;
        } else if (slot[0] < 0.0) {
            slot[0] = (double)run->i;
        }
    }
    return JN_OK;
}

/* The first group all of whose conditions have held long enough, its delay over, or NULL. */
static const jn_group *met(const jn_run *run, const jn_phase *phase) {
    const jn_program *program = run->program;
    for (int32_t j = 0; j < phase->n_groups; ++j) {
        const jn_group *group = program->groups + phase->first_group + j;
        double *since = run->counter + (phase->first_group + j) * JN_GROUP_SLOTS + 1;
        int all = group->n_conditions > 0;
        for (int32_t k = group->first_condition; all && k < group->first_condition + group->n_conditions; ++k) {
            const jn_condition *condition = program->conditions + phase->first_condition + k;
            double true_since = run->held[k * JN_CONDITION_SLOTS];
            all = true_since >= 0.0 && ((double)run->i - true_since + JN_SNAP) * run->h >= condition->hold;
        }
        if (all && *since < 0.0) *since = (double)run->i;
        if (*since >= 0.0 && ((double)run->i - *since + JN_SNAP) * run->h >= group->delay) return group;
    }
    return 0;
}

/* Whether conditions are looked at now. */
static int sampled(const jn_run *run, const jn_phase *phase) {
    if (!(phase->sample > 0.0)) return 1;
    double every = floor(phase->sample / run->h + 0.5), past = floor((double)run->i - run->s[JN_S_PHASE_STEP] + 0.5);
    return every <= 1.0 || fmod(past, every) == 0.0;
}

static void note(jn_run *run, int32_t to, const jn_group *group) {
    double *s = run->s;
    double *row = run->trigger + (int64_t)fmod(s[JN_S_TRIGGERS], JN_TRIGGERS) * JN_TRIGGER_SLOTS;
    s[JN_S_TRIGGERS] += 1.0;
    row[0] = jn_run_time(run, 0);
    row[1] = s[JN_S_PHASE];
    row[2] = to;
    row[3] = group ? (double)(group - run->program->groups) : -1.0;
    for (int32_t k = 0; k < JN_TRIGGER_VALUES; ++k)
        row[4 + k] = group && k < group->n_conditions
                         ? run->held[(group->first_condition + k) * JN_CONDITION_SLOTS + 2] : 0.0;
}

void jn_program_parameters(jn_run *run) {
    const jn_program *program = run->program;
    double *p = (double *)(uintptr_t)run->env->p; /* the runtime's own: callers hand over an array that may change */
    int changed = 0;
    for (int32_t k = 0; k < program->n_parameters; ++k) {
        double *target = p + program->parameters[k];
        if (*target != run->parameter[k]) *target = run->parameter[k], changed = 1;
    }
    int32_t n = run->model->n_p - run->model->n_p_free;
    if (changed && n > 0 && run->model->prepare) {
        const jn_point at = jn_run_now(run);
        double *out[1] = {run->p};
        run->model->prepare(run->env, &at, out);
        for (int32_t k = 0; k < n; ++k) p[run->model->n_p_free + k] = run->p[k];
    }
}

static void act(jn_run *run, const jn_action *action) {
    double *s = run->s;
    switch (action->kind) {
        case JN_ACT_SET_STATE: run->x[action->index] = action->value; break;
        case JN_ACT_ADD_STATE: run->x[action->index] += action->value; break;
        case JN_ACT_SET_MEMORY: run->m[action->index] = action->value; break;
        case JN_ACT_SET_INPUT: run->u[action->index] = action->value; break;
        case JN_ACT_OPT_WRITE: s[JN_S_OPT_WRITE] = action->value; break;
        case JN_ACT_IPRINT: s[JN_S_IPRINT] = action->value; break;
        case JN_ACT_RESTART_HISTORY: s[JN_S_HISTORY] = 0.0; break;
        case JN_ACT_SET_PARAMETER: run->parameter[action->index] = action->value; break;
        default: break;
    }
}

static void watch(jn_run *run) {
    if (!run->model->watch) return;
    const jn_point at = jn_run_now(run);
    double *out[1] = {run->watch};
    run->model->watch(run->env, &at, out);
}

/* Whether a phase asks for watched values when it is entered. */
static int enters_by_watch(const jn_program *program, const jn_phase *phase) {
    for (int32_t k = 0; k < phase->n_channels; ++k)
        if (program->channels[phase->first_channel + k].flags & (JN_REF_ENTRY_WATCH | JN_REF_FROM_HERE)) return 1;
    for (int32_t k = 0; k < phase->n_conditions; ++k)
        if (program->conditions[phase->first_condition + k].flags & JN_COND_FROM_ENTRY) return 1;
    return 0;
}

static void enter(jn_run *run, int32_t index) {
    const jn_program *program = run->program;
    const jn_phase *before = running(run), *phase = program->phases + index;
    double *s = run->s;
    if (before) {
        /* an input that nobody moves any more has no rate */
        const jn_channel *channel = program->channels + before->first_channel;
        for (int32_t k = 0; k < before->n_channels; ++k)
            if (channel[k].mode == JN_MODE_OPEN) companions(run->model, run->u, channel[k].input, 0.0, 0.0);
        s[JN_S_TRANSITIONS] += 1.0;
    }
    const int watching = enters_by_watch(program, phase);
    if (watching) watch(run); /* as the phase before left it */
    s[JN_S_DONE] = (int)s[JN_S_DONE] | JN_DONE_ENTERED;
    s[JN_S_PHASE] = index;
    s[JN_S_PHASE_STEP] = (double)run->i;
    s[JN_S_PHASE_TIME] = 0.0;
    for (int32_t k = 0; k < phase->n_actions; ++k) act(run, program->actions + phase->first_action + k);
    if (program->n_parameters) jn_program_parameters(run);
    if (program->shown >= 0) run->u[program->shown] = phase->id;
    for (int32_t k = 0; k < phase->n_channels; ++k) {
        const jn_channel *channel = program->channels + phase->first_channel + k;
        double *slot = run->channel + k * JN_CHANNEL_SLOTS;
        slot[0] = channel->flags & JN_REF_ENTRY_WATCH ? run->watch[channel->entry] : run->u[channel->input];
        slot[1] = slot[2] = 0.0;
        slot[3] = channel->flags & JN_REF_FROM_HERE ? run->watch[channel->over] : 0.0;
        slot[4] = -1.0;
    }
    for (int32_t k = 0; k < phase->n_conditions; ++k) {
        const jn_condition *condition = program->conditions + phase->first_condition + k;
        double *slot = run->held + k * JN_CONDITION_SLOTS;
        slot[0] = -1.0;
        slot[1] = condition->flags & JN_COND_FROM_ENTRY ? run->watch[condition->index] : 0.0;
        slot[2] = 0.0;
    }
    for (int32_t k = 0; k < phase->n_groups; ++k) run->counter[(phase->first_group + k) * JN_GROUP_SLOTS + 1] = -1.0;
}

static void stop(jn_run *run, int32_t reason, int32_t failed) {
    run->s[JN_S_PHASE] = run->program->n_phases;
    run->s[JN_S_STATUS] = JN_STOPPED;
    run->s[JN_S_REASON] = reason;
    run->s[JN_S_FAILED] = failed;
}

/* 1 when another phase was entered. */
static int jump(jn_run *run, const jn_group *group) {
    const jn_program *program = run->program;
    int32_t target = (int32_t)run->s[JN_S_PHASE] + 1;
    if (group->jump == JN_JUMP_STOP) {
        note(run, program->n_phases, group);
        stop(run, group->reason, group->failed);
        return 0;
    }
    if (group->jump == JN_JUMP_GOTO) {
        double *counter = run->counter + (group - program->groups) * JN_GROUP_SLOTS;
        if (group->limit > 0 && *counter >= group->limit) {
            *counter = 0.0; /* an enclosing loop may come back here */
        } else {
            if (group->limit > 0) *counter += 1.0;
            target = group->target;
        }
    }
    note(run, target, group);
    if (target >= program->n_phases) {
        stop(run, 0, 0);
        return 0;
    }
    enter(run, target);
    return 1;
}

/* The phase that an input asks for instead of what its conditions say: 1 when it was entered, -1 when the program was
 * stopped, 2 when it runs already, 0 when nobody asks. */
static int chosen(jn_run *run) {
    const jn_program *program = run->program;
    if (program->chosen < 0) return 0;
    double wanted = floor(run->u[program->chosen] + 0.5);
    if (wanted == 0.0) return 0;
    for (int32_t k = 0; k < program->n_phases; ++k) {
        if (program->phases[k].id != wanted) continue;
        if (run->s[JN_S_PHASE] == k) return 2;
        note(run, k, 0);
        enter(run, k);
        return 1;
    }
    note(run, program->n_phases, 0);
    stop(run, program->unknown_reason, 1);
    return -1;
}

static int watches_conditions(const jn_program *program, const jn_phase *phase) {
    for (int32_t k = 0; k < phase->n_conditions; ++k)
        if (program->conditions[phase->first_condition + k].source == JN_SOURCE_WATCH) return 1;
    return 0;
}

/* Whether a channel follows a watched value: by feedback, or as an open reference. */
static int watches_channels(const jn_program *program, const jn_phase *phase, int open) {
    for (int32_t k = 0; k < phase->n_channels; ++k) {
        const jn_channel *channel = program->channels + phase->first_channel + k;
        if (open ? channel->mode == JN_MODE_OPEN && (channel->kind == JN_REF_WATCH || channel->flags & JN_REF_OVER)
                 : channel->mode == JN_MODE_FEEDBACK)
            return 1;
    }
    return 0;
}

int jn_program_instant(jn_run *run) {
    const jn_program *program = run->program;
    const jn_phase *phase = running(run);
    /* an instant that failed after its transition is tried again from there: no phase is entered twice */
    int entered = ((int)run->s[JN_S_DONE] & JN_DONE_ENTERED) != 0, status, asked;
    if (run->s[JN_S_PHASE] >= program->n_phases) return JN_OK;
    if (!phase) {
        asked = chosen(run);
        if (asked < 0) return JN_OK;
        if (!asked) enter(run, 0);
        entered = 1;
    } else if (!entered) {
        if (watches_channels(program, phase, 1)) watch(run);
        if ((status = jn_program_open(run, 0, run->u))) return status;
        if (watches_conditions(program, phase) || watches_channels(program, phase, 0)) watch(run);
        const int due = sampled(run, phase);
        asked = due ? chosen(run) : 0;
        if (asked < 0) return JN_OK;
        if (asked == 1) {
            entered = 1;
        } else if (!asked && due) {
            if ((status = look(run, phase))) return status;
            const jn_group *group = met(run, phase);
            if (group) {
                entered = jump(run, group);
                if (!entered) return JN_OK; /* stopped: inputs stay as they are */
            }
        }
    }
    if (entered) {
        phase = running(run);
        if (watches_channels(program, phase, 1)) watch(run);
        if ((status = jn_program_open(run, 0, run->u))) return status;
        if (watches_channels(program, phase, 0)) watch(run);
    }
    return feedback(run, entered);
}
