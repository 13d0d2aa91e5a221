/* Running a model: the flat state, six explicit fixed-step methods, recorder, phase program, loop.
 *
 * Everything that changes during a run is one array of doubles (`jn_sim.state`, laid out below), so a
 * snapshot is a copy of that array and a restore is exact to the bit.  `jn_sim.work` is scratch: its
 * contents mean nothing between two calls.  Parameters, tables, services and the program are only read.
 *
 * An *instant* is a full step i at t = t0 + (i - i0) h.  At an instant, in this order:
 *   1. open references of the running phase write their inputs (and the rate/acceleration companions); those that
 *      follow a watched value see that of the instant before they write;
 *   2. the watch function is evaluated, end conditions are looked at, at most one transition is made,
 *      entry actions act, the new phase's references write their inputs;
 *   3. feedback channels write their inputs;
 *   4. blocks whose sample is due run, in their order;
 *   5. a row is recorded when one is due.
 * Then the step: evaluations of the right-hand side at t_i and, by method, at t_i + h/2.  After each one
 * the memories are replaced by the next memories.  A step is all or nothing: when a number is not finite,
 * the state array still holds the last good instant.
 *
 * No globals, no allocation, no I/O, and no loop whose length depends on values. */
#ifndef JN_SIM_H
#define JN_SIM_H

#include "jounce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of the state layout or of a struct below. */
#define JN_SIM_ABI 4

/* OPT_INT_METHOD */
enum {
    JN_EULER = -1,
    JN_AB2 = 0,
    JN_RK2 = 1,
    JN_AM2 = 2,
    JN_AM3 = 3,
    JN_AM4 = 4,
    JN_LI = 10,  /* Euler step with the rates of jn_model.step: linear-implicit forms */
    JN_ROS2 = 11 /* two stages of jn_model.step: Rosenbrock-W of second order */
};

/* What jn_advance and jn_instant return. */
enum {
    JN_OK = 0,        /* all steps done */
    JN_STOPPED = 1,   /* the phase program ended: JN_S_REASON, JN_S_FAILED */
    JN_FULL = 2,      /* no room for the next row: supply another buffer and call again; nothing is lost */
    JN_EXTERNAL = 4,  /* an external block asked to end the run: jn_external.failed */
    JN_NONFINITE = 3, /* JN_S_BAD_... say what, where, when; the state is that of the last finite step */
    JN_BAD_CALL = -1  /* state, program and model do not fit together, or the step is not positive */
};

enum {
    JN_BAD_NONE = 0,
    JN_BAD_STATE = 1,
    JN_BAD_DERIVATIVE = 2,
    JN_BAD_MEMORY = 3,
    JN_BAD_INPUT = 4,
    JN_BAD_OUTPUT = 5,
    JN_BAD_WATCH = 6,
    JN_BAD_SIGNAL = 7
};

/* --- state layout ------------------------------------------------------------------------------- */

/* Header; integers are stored as doubles (exact below 2^53). */
enum {
    JN_S_ABI = 0,    /* JN_SIM_ABI */
    JN_S_SIZE,       /* doubles in the whole array */
    JN_S_MODEL_ID,   /* free for the caller: a fingerprint that restore can compare */
    JN_S_PROGRAM_ID, /* jn_program.id, 0 without program */
    JN_S_N_X,
    JN_S_N_M,
    JN_S_N_U,
    JN_S_METHOD,      /* OPT_INT_METHOD */
    JN_S_H,           /* step, s */
    JN_S_T0,          /* time at step I0, s */
    JN_S_I0,          /* step at which T0 and H were set: t = T0 + (STEP - I0) H */
    JN_S_STEP,        /* full steps done since the start */
    JN_S_EVALUATED,   /* 0 before the first committed evaluation, then 1 */
    JN_S_LAST,        /* last committed evaluation, in half steps since I0: t = T0 + LAST H/2 */
    JN_S_HISTORY,     /* how many old derivatives are valid, 0 .. 3 */
    JN_S_HEAD,        /* slot of the newest one */
    JN_S_DONE,        /* what this instant has seen already: JN_DONE_... bits */
    JN_S_IPRINT,      /* rows every IPRINT full steps; 0 = also at half steps */
    JN_S_OPT_WRITE,   /* 0 = recorder silent */
    JN_S_ROWS,        /* rows written since the start */
    JN_S_PHASE,       /* running phase; -1 before the first entry; n_phases when ended */
    JN_S_PHASE_STEP,  /* step of entry */
    JN_S_PHASE_TIME,  /* phase time at PHASE_STEP: 0 unless the step size changed inside the phase */
    JN_S_TRANSITIONS, /* transitions made */
    JN_S_STATUS,      /* JN_OK, JN_STOPPED or JN_NONFINITE */
    JN_S_REASON,      /* reason code of the stop; 0 = last phase ended */
    JN_S_FAILED,      /* 1 when that stop counts as a failure */
    JN_S_BAD_KIND,    /* first non-finite number: JN_BAD_... */
    JN_S_BAD_INDEX,
    JN_S_BAD_TIME,
    JN_S_BAD_STEP,
    JN_S_BAD_VALUE,
    JN_S_IO_SYNC_FM,  /* exchange of external blocks: OPT_IO_SYNC_FM for methods without half steps, */
    JN_S_IO_UPDATE,   /* OPT_IO_UPDATE for those with half steps */
    JN_S_EXTERNAL_ID, /* jn_externals.id, 0 without */
    JN_S_INPUT_TIME,  /* what later stages of a step see of external blocks: JN_INPUT_... */
    JN_S_TRIGGERS,    /* transitions and stops that were noted, see JN_TRIGGERS */
    JN_S_PROJECT = 39, /* 1 = after every step onto the loop constraints, positions then velocities */
    JN_S_HEADER = 40 /* room for implicit methods and sampled blocks; the rest is zero */
};

/* Inputs that an external block writes every full step, as a stage at the fraction theta > 0 of step n sees them; the
 * stage at its beginning sees u_n.  A block that did not write at the step before is held. */
enum {
    JN_INPUT_HOLD = 0,       /* u_n */
    JN_INPUT_INTERPOLATE = 1, /* u_{n-1} + theta (u_n - u_{n-1}): one step late, never beyond what was written */
    JN_INPUT_EXTRAPOLATE = 2  /* u_n + theta (u_n - u_{n-1}) */
};

/* Bits of JN_S_DONE. */
enum { JN_DONE_PROGRAM = 1, JN_DONE_ROW = 2, JN_DONE_ENTERED = 4, JN_DONE_BLOCKS = 8, JN_DONE_EXCHANGE = 16 };

#define JN_HISTORY 3       /* old derivatives kept */
/* Per channel of a phase: entry value, integral of e or of the reference, last e or reference, abscissa at entry of a
 * table over a watched value, step of the last integration. */
#define JN_CHANNEL_SLOTS 5
#define JN_CONDITION_SLOTS 3 /* per condition: step since which it is true (-1 = false), value at entry, last value */
#define JN_GROUP_SLOTS 2     /* per group: times its jump was taken, step at which it was met (-1 = not) */
/* Triggers: the last ones are kept, each as time, phase, next phase (n_phases: stop), group (-1: override), values of
 * its first conditions.  JN_S_TRIGGERS counts all. */
#define JN_TRIGGERS 64
#define JN_TRIGGER_SLOTS 8
#define JN_TRIGGER_VALUES 4
#define JN_BLOCK_SLOTS 2   /* per block: period in s (0 = every full step), full step of its next sample */

/* Offsets into the state (first group) and into the scratch array (second group), in doubles. */
typedef struct {
    int32_t x;       /* n_x states */
    int32_t m;       /* n_m memories */
    int32_t u;       /* n_u inputs */
    int32_t b;       /* n_b: signals of the model's blocks, then their periods */
    int32_t history; /* JN_HISTORY x n_x old derivatives, a ring whose newest slot is JN_S_HEAD */
    int32_t block;   /* JN_BLOCK_SLOTS per block of the model */
    int32_t channel; /* JN_CHANNEL_SLOTS per channel of the running phase */
    int32_t held;    /* JN_CONDITION_SLOTS per condition of the running phase */
    int32_t counter; /* JN_GROUP_SLOTS per group */
    int32_t trigger; /* JN_TRIGGERS x JN_TRIGGER_SLOTS, a ring */
    int32_t parameter; /* per parameter that the program sets: its value */
    int32_t n_state; /* external blocks follow here, if there are any: jn_externals.n_state */
    int32_t w_f, w_g, w_sum, w_xs, w_xn, w_ma, w_mb, w_u, w_y, w_watch, w_table, w_b, w_k, w_p;
    int32_t n_work;
} jn_layout;

/* --- recorder ----------------------------------------------------------------------------------- */

typedef struct {
    double *rows;     /* capacity x (1 + n_columns): time, then the channels */
    int64_t capacity; /* rows, >= 1 */
    int64_t n_rows;   /* rows in this buffer; the caller resets it when it supplies another */
    const int32_t *columns; /* which channels, or NULL for the first n_columns */
    int32_t n_columns;
    int32_t check;    /* 1 = a non-finite channel ends the run */
} jn_recorder;

/* --- phase program ------------------------------------------------------------------------------ */

enum { JN_MODE_FREE = 0, JN_MODE_OPEN = 1, JN_MODE_FEEDBACK = 2 };

/* Kinds of reference and the meaning of jn_channel.p; tau = time since the phase was entered. */
enum {
    JN_REF_CONSTANT = 0,     /* value */
    JN_REF_HOLD = 1,         /* - : the value at phase entry */
    JN_REF_RAMP = 2,         /* start, target, duration, delay */
    JN_REF_RAMP_SMOOTH = 3,  /* the same with a quintic: value, rate and acceleration are continuous */
    JN_REF_RATE = 4,         /* start, rate, -, delay: a ramp without end */
    JN_REF_SINE = 5,         /* amplitude, frequency, phase, offset, delay, cycles (0 = no end), dwell at cycle, dwell */
    JN_REF_SWEEP_LINEAR = 6, /* amplitude, first frequency, last frequency, phase, offset, delay, duration */
    JN_REF_SWEEP_LOG = 7,    /* the same, frequency grows exponentially */
    JN_REF_PULSE = 8,        /* base, height, delay, rise, plateau, fall */
    JN_REF_PULSE_SMOOTH = 9, /* the same with quintic flanks */
    JN_REF_TABLE = 10,       /* offset, scale, delay */
    JN_REF_RAMP_CUBIC = 11,  /* as JN_REF_RAMP, with 3 z^2 - 2 z^3 */
    JN_REF_PULSE_CUBIC = 12, /* as JN_REF_PULSE, with cubic flanks */
    JN_REF_SLOPE = 13,       /* slope, begin, end: the value at entry, then from the base on with the slope, then held */
    JN_REF_SWEPT = 14,       /* amplitude, first frequency, its rate, last frequency, begin: value at entry before */
    JN_REF_POLYNOMIAL = 15,  /* start, first, second derivative, begin */
    JN_REF_INPUT = 16,       /* offset, scale: another input (jn_channel.watch) */
    JN_REF_WATCH = 17,       /* offset, scale: a watched value */
    JN_REF_STAIRS = 18       /* as JN_REF_TABLE of one column of knots: the value of the knot before */
};
enum {
    JN_REF_RELATIVE = 1,   /* the value counts from the value at phase entry */
    JN_REF_FROM_ENTRY = 2, /* a ramp starts at the value at phase entry */
    JN_REF_ABSOLUTE = 4,   /* a table is read over absolute time instead of phase time */
    JN_REF_BUMPLESS = 8,   /* feedback: the integral starts such that the input does not jump */
    JN_REF_OVER = 16,      /* a table is read over a watched value (jn_channel.over), at full steps */
    JN_REF_FROM_HERE = 32, /* and that counts from where the phase was entered */
    JN_REF_INTEGRAL = 64,  /* the reference is a rate: the input is the value at entry and its integral */
    JN_REF_SATURATED = 256, /* open: kept between low and high */
    JN_REF_ENTRY_WATCH = 128 /* open: the value at entry is a watched one (jn_channel.entry) instead of the input's */
};
#define JN_REF_PARAMETERS 8

typedef struct {
    int32_t input;  /* which input */
    int32_t mode;   /* JN_MODE_... */
    int32_t kind;   /* JN_REF_... */
    int32_t flags;
    int32_t watch;  /* feedback: which watch value follows the reference */
    int32_t table;  /* JN_REF_TABLE: index into jn_program.tables (one axis) */
    int32_t column; /* and which of its outputs */
    int32_t entry;  /* JN_REF_ENTRY_WATCH: which watch value */
    int32_t over;   /* JN_REF_OVER: watch value that is the abscissa */
    int32_t rate;   /* and the one that is its rate, -1 = the reference has no rate */
    double p[JN_REF_PARAMETERS];
    double kp, ki, ff, ff_value, ff_rate; /* input = ff + ff_value r + ff_rate r' + kp e + ki int e dt */
    double low, high;
    double blend; /* open: time over which the value at entry is left, by 3 z^2 - 2 z^3 */
} jn_channel;

enum { JN_SOURCE_WATCH = 0, JN_SOURCE_PHASE_TIME = 1, JN_SOURCE_TIME = 2, JN_SOURCE_PHASE_STEPS = 3 };
enum {
    JN_OP_GT = 0,
    JN_OP_LT = 1,
    JN_OP_GE = 2,
    JN_OP_LE = 3,
    JN_OP_ABS_GT = 4,
    JN_OP_ABS_LT = 5,
    JN_OP_OUTSIDE = 6, /* < a or > b */
    JN_OP_INSIDE = 7,  /* >= a and <= b */
    JN_OP_ABS_GE = 8,
    JN_OP_ABS_LE = 9,
    JN_OP_ABS_OUTSIDE = 10,
    JN_OP_ABS_INSIDE = 11
};
enum { JN_COND_FROM_ENTRY = 1 }; /* flags: the value counts from that at phase entry */

typedef struct {
    int32_t source, index, op, flags;
    double a, b;
    double hold; /* must have been true for this long, s */
} jn_condition;

enum { JN_JUMP_NEXT = 0, JN_JUMP_GOTO = 1, JN_JUMP_STOP = 2 };

/* Conditions of a group are joined by AND; the first group of a phase that is met decides. */
typedef struct {
    int32_t first_condition, n_conditions; /* first counts from the phase's first condition */
    int32_t jump, target;
    int32_t limit; /* GOTO at most so often, then go to the next phase and count afresh; 0 = always */
    int32_t reason, failed;
    int32_t reserved;
    double delay; /* s between being met and the jump; what happens meanwhile does not matter */
} jn_group;

enum {
    JN_ACT_SET_STATE = 0,
    JN_ACT_ADD_STATE = 1,
    JN_ACT_SET_MEMORY = 2,
    JN_ACT_SET_INPUT = 3,
    JN_ACT_OPT_WRITE = 4,
    JN_ACT_IPRINT = 5,
    JN_ACT_RESTART_HISTORY = 6,
    JN_ACT_SET_PARAMETER = 7 /* index into jn_program.parameters */
};

typedef struct {
    int32_t kind, index;
    double value;
} jn_action;

typedef struct {
    int32_t first_channel, n_channels;
    int32_t first_group, n_groups;
    int32_t first_condition, n_conditions;
    int32_t first_action, n_actions;
    int32_t id; /* as jn_program.chosen and jn_program.shown number it; above 0 */
    int32_t reserved;
    double sample; /* s between looks at the conditions; 0 = every full step */
} jn_phase;

typedef struct {
    double id; /* fingerprint of the data, kept in the state */
    int32_t n_phases, n_groups, n_tables;
    int32_t max_channels, max_conditions; /* largest count in one phase */
    int32_t n_parameters;
    int32_t chosen; /* input: not 0: the phase of this id runs, whatever its conditions say; -1 = none */
    int32_t shown;  /* input that gets the id of the running phase; -1 = none */
    int32_t unknown_reason; /* of the stop when no phase has the chosen id */
    int32_t reserved;
    const jn_phase *phases;
    const jn_channel *channels;
    const jn_group *groups;
    const jn_condition *conditions;
    const jn_action *actions;
    const jn_table *tables;
    const int32_t *parameters; /* that actions set; their values stand in the state and are copied to jn_env.p */
} jn_program;

/* --- external blocks ---------------------------------------------------------------------------- */

/* Outside code that is called at its sample instants: reads values of the model, writes inputs, which are held. */
typedef void (*jn_external_fn)(void *context, double t, const double *in, double *out);

enum {
    /* At its place among the model's blocks: what it writes acts on the evaluation of the same instant. */
    JN_EXCHANGE_SAMPLED = 0,
    /* As co-simulation does it; the convention follows from method and options:
     *   1  no half steps, IO_SYNC_FM = 0: values of the instant are sent, what comes back acts one step later;
     *   2  no half steps, IO_SYNC_FM != 0: values that need no forces are sent before the evaluation, what comes
     *      back acts on it;
     *   3  half steps, IO_UPDATE = 0: as 1, and the half step sees what the full step saw;
     *   4  half steps, IO_UPDATE != 0: exchange at half steps too, what comes back acts at the next evaluation. */
    JN_EXCHANGE_STEP = 1
};

enum {
    JN_FROM_STATE = 0,
    JN_FROM_MEMORY = 1,
    JN_FROM_INPUT = 2,
    JN_FROM_SIGNAL = 3,
    JN_FROM_KINEMATICS = 4,
    JN_FROM_WATCH = 5,
    JN_FROM_OUTPUT = 6
};

/* JN_BLOCK_SLOTS, whether values wait to be imported, full step of the last write + 1; then three times n_out: the
 * values that wait, those written last, their change since the step before (both unused with JN_INPUT_HOLD). */
#define JN_EXTERNAL_SLOTS 4
#define JN_EXTERNAL_VALUES 3

typedef struct {
    jn_external_fn call;
    void *context;
    double period, offset;        /* at the start, s; period 0 = at every exchange */
    int32_t exchange;             /* JN_EXCHANGE_... */
    int32_t before;               /* sampled: runs before this block of the model; n_blocks = after all */
    int32_t n_in, n_out;
    const int32_t *source, *index; /* n_in: JN_FROM_... and which one */
    const int32_t *input;          /* n_out: which inputs are written */
    double *in, *out;              /* scratch, n_in and n_out */
    int32_t state;                 /* its part of the state: JN_EXTERNAL_SLOTS + JN_EXTERNAL_VALUES n_out, then the caller's own */
    int32_t sent;                  /* scratch: 1 when called at this half step */
    int32_t failed;                /* set while it is called: ends the run; what it wrote is not used */
    int32_t reserved;
} jn_external;

typedef struct {
    double id; /* fingerprint of the description, kept in the state */
    int32_t n, n_state;
    jn_external *blocks; /* in the order in which they run */
} jn_externals;

/* --- one simulation ----------------------------------------------------------------------------- */

typedef struct {
    const jn_model *model;
    const jn_env *env;
    const jn_program *program; /* or NULL */
    jn_recorder *recorder;     /* or NULL */
    double *state;             /* jn_layout.n_state doubles */
    double *work;              /* jn_layout.n_work doubles */
    const jn_externals *externals; /* or NULL; then `state` has jn_externals.n_state doubles more */
} jn_sim;

JN_EXPORT int32_t jn_sim_abi(void);

/* sizeof of the structs above, to check a foreign description of them:
 * jn_layout, jn_recorder, jn_channel, jn_condition, jn_group, jn_action, jn_phase, jn_program, jn_sim,
 * jn_block, jn_external, jn_externals. */
JN_EXPORT void jn_sim_sizes(int32_t *out);

JN_EXPORT void jn_sim_layout(const jn_model *model, const jn_program *program, jn_layout *out);

/* Fills the header: time t0, step 0, no history, program before its first phase, IPRINT 1, OPT_WRITE 1.
 * States, memories, inputs and signals are left as they are; blocks get their default periods. */
JN_EXPORT int jn_start(const jn_sim *sim, double t0, double h, int method);

/* Changes step and method at the current instant; time, phase time, running hold times and sample times go on,
 * the history starts afresh. */
JN_EXPORT int jn_set_step(const jn_sim *sim, double h, int method);

/* Block `index` (the model's, then external ones): period in s (0 = every full step), and the next sample
 * `wait` seconds from now; wait < 0 leaves that sample where it is. */
JN_EXPORT int jn_set_block(const jn_sim *sim, int32_t index, double period, double wait);

/* Which block (numbered as above) does not fit the step, or -1: period and next sample must be whole steps. */
JN_EXPORT int32_t jn_misfit(const jn_sim *sim);

/* Processes the current instant (1 to 5 above) unless that was done already.  jn_advance does this before
 * each step; a caller does it after the last one so that the row of the final instant is written. */
JN_EXPORT int jn_instant(const jn_sim *sim);

/* Makes n full steps.  The instant reached is left unprocessed. */
JN_EXPORT int jn_advance(const jn_sim *sim, int64_t n_steps);

/* The point of the current instant: what the next right-hand side evaluation will see. */
JN_EXPORT int jn_point_now(const jn_sim *sim, jn_point *out);

/* Evaluates the right-hand side n times at the current point, without any effect: for timing. */
JN_EXPORT void jn_repeat_rhs(const jn_sim *sim, int64_t n);

/* Value, rate and acceleration of a channel's reference; `scratch` holds 3 values per table output. */
JN_EXPORT void jn_reference(const jn_program *program, const jn_channel *channel, double tau, double t,
                            double entry, double *scratch, double out[3]);

#ifdef __cplusplus
}
#endif
#endif
