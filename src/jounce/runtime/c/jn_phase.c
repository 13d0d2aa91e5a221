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

/* 0 -> 1 over `duration`, with first and second derivative.  The smooth form is the quintic
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
    } else if (!smooth) {
        out[0] = tau / duration;
        out[1] = 1.0 / duration;
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
        case JN_REF_RAMP_SMOOTH: {
            double start = from_entry ? entry : base + p[0], target = base + p[1];
            edge(tau - p[3], p[2], channel->kind == JN_REF_RAMP_SMOOTH, e);
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
        case JN_REF_PULSE:
        case JN_REF_PULSE_SMOOTH: {
            int smooth = channel->kind == JN_REF_PULSE_SMOOTH;
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

int jn_program_open(jn_run *run, int half, double *u) {
    const jn_phase *phase = running(run);
    if (!phase) return JN_OK;
    const jn_channel *channel = run->program->channels + phase->first_channel;
    const double tau = jn_run_phase_time(run, half), t = jn_run_time(run, half);
    for (int32_t k = 0; k < phase->n_channels; ++k, ++channel) {
        if (channel->mode != JN_MODE_OPEN) continue;
        double r[3];
        jn_reference(run->program, channel, tau, t, run->channel[k * JN_CHANNEL_SLOTS], run->table, r);
        int32_t bad = jn_first_bad(r, 3);
        if (bad >= 0) return jn_run_bad(run, JN_BAD_INPUT, channel->input, t, r[bad]);
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
        jn_reference(run->program, channel, tau, t, slot[0], run->table, r);
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
        if (!compare(condition->op, v, condition->a, condition->b)) {
            run->held[k] = -1.0;
        } else if (run->held[k] < 0.0) {
            run->held[k] = (double)run->i;
        }
    }
    return JN_OK;
}

/* The first group all of whose conditions have held long enough, or NULL. */
static const jn_group *met(const jn_run *run, const jn_phase *phase) {
    const jn_program *program = run->program;
    for (int32_t j = 0; j < phase->n_groups; ++j) {
        const jn_group *group = program->groups + phase->first_group + j;
        int all = group->n_conditions > 0;
        for (int32_t k = group->first_condition; all && k < group->first_condition + group->n_conditions; ++k) {
            const jn_condition *condition = program->conditions + phase->first_condition + k;
            double since = run->held[k];
            all = since >= 0.0 && ((double)run->i - since + JN_SNAP) * run->h >= condition->hold;
        }
        if (all) return group;
    }
    return 0;
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
        default: break;
    }
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
    s[JN_S_DONE] = (int)s[JN_S_DONE] | JN_DONE_ENTERED;
    s[JN_S_PHASE] = index;
    s[JN_S_PHASE_STEP] = (double)run->i;
    s[JN_S_PHASE_TIME] = 0.0;
    for (int32_t k = 0; k < phase->n_actions; ++k) act(run, program->actions + phase->first_action + k);
    for (int32_t k = 0; k < phase->n_channels; ++k) {
        double *slot = run->channel + k * JN_CHANNEL_SLOTS;
        slot[0] = run->u[program->channels[phase->first_channel + k].input];
        slot[1] = slot[2] = 0.0;
    }
    for (int32_t k = 0; k < phase->n_conditions; ++k) run->held[k] = -1.0;
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
        stop(run, group->reason, group->failed);
        return 0;
    }
    if (group->jump == JN_JUMP_GOTO) {
        double *counter = run->counter + (group - program->groups);
        if (group->limit > 0 && *counter >= group->limit) {
            *counter = 0.0; /* an enclosing loop may come back here */
        } else {
            if (group->limit > 0) *counter += 1.0;
            target = group->target;
        }
    }
    if (target >= program->n_phases) {
        stop(run, 0, 0);
        return 0;
    }
    enter(run, target);
    return 1;
}

static void watch(jn_run *run) {
    if (!run->model->watch) return;
    const jn_point at = jn_run_now(run);
    double *out[1] = {run->watch};
    run->model->watch(run->env, &at, out);
}

static int watches_conditions(const jn_program *program, const jn_phase *phase) {
    for (int32_t k = 0; k < phase->n_conditions; ++k)
        if (program->conditions[phase->first_condition + k].source == JN_SOURCE_WATCH) return 1;
    return 0;
}

static int watches_channels(const jn_program *program, const jn_phase *phase) {
    for (int32_t k = 0; k < phase->n_channels; ++k)
        if (program->channels[phase->first_channel + k].mode == JN_MODE_FEEDBACK) return 1;
    return 0;
}

int jn_program_instant(jn_run *run) {
    const jn_program *program = run->program;
    const jn_phase *phase = running(run);
    /* an instant that failed after its transition is tried again from there: no phase is entered twice */
    int entered = ((int)run->s[JN_S_DONE] & JN_DONE_ENTERED) != 0, status;
    if (run->s[JN_S_PHASE] >= program->n_phases) return JN_OK;
    if (!phase) {
        enter(run, 0);
        entered = 1;
    } else if (!entered) {
        if ((status = jn_program_open(run, 0, run->u))) return status;
        if (watches_conditions(program, phase) || watches_channels(program, phase)) watch(run);
        if ((status = look(run, phase))) return status;
        const jn_group *group = met(run, phase);
        if (group) {
            entered = jump(run, group);
            if (!entered) return JN_OK; /* stopped: inputs stay as they are */
        }
    }
    if (entered) {
        phase = running(run);
        if ((status = jn_program_open(run, 0, run->u))) return status;
        if (watches_channels(program, phase)) watch(run);
    }
    return feedback(run, entered);
}
