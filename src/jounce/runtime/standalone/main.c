/* Runs @model@ and writes what it records. The example to start from: everything it uses is in jn_instance.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "@model@_data.h"

enum { ROWS = 1024 }; /* rows in memory before they are written */

typedef struct {
    FILE *file;
    int binary;
} output;

static int write_rows(void *context, const double *rows, int64_t n_rows, int32_t n_columns) {
    const output *to = context;
    const size_t width = 1 + (size_t)n_columns;
    if (to->binary) return fwrite(rows, sizeof(double) * width, (size_t)n_rows, to->file) != (size_t)n_rows;
    for (int64_t i = 0; i < n_rows; ++i, rows += width)
        for (size_t k = 0; k < width; ++k) /* 17 digits give every double back exactly */
            fprintf(to->file, "%.17g%c", rows[k], k + 1 < width ? ',' : '\n');
    return ferror(to->file);
}

static void write_header(const output *to, const jn_data *data) {
    fprintf(to->file, "\"time [s]\"");
    for (int32_t k = 0; k < data->n_columns; ++k) {
        const jn_name *channel = data->output_names + (data->columns ? data->columns[k] : k);
        fprintf(to->file, ",\"%s [%s]\"", channel->name, channel->unit);
    }
    fputc('\n', to->file);
}

static void explain(const jn_instance *run, int status) {
    const jn_data *data = run->data;
    const double *s = run->state;
    const double t = jn_instance_time(run);
    if (status == JN_OK) {
        fprintf(stderr, "end time reached: t = %.9g s\n", t);
    } else if (status == JN_STOPPED) {
        fprintf(stderr, "stopped at t = %.9g s: %s\n", t, data->reasons[(int)s[JN_S_REASON]]);
    } else if (status == JN_NONFINITE) {
        const struct {
            const char *text;
            const jn_name *names;
        } kinds[] = {{"", NULL},
                     {"state", data->state_names},
                     {"derivative of", data->state_names},
                     {"memory", data->memory_names},
                     {"input", data->input_names},
                     {"output", data->output_names},
                     {"watch", data->watch_names},
                     {"signal", data->signal_names}};
        const int kind = (int)s[JN_S_BAD_KIND];
        fprintf(stderr, "%s %s became %g at t = %.9g s (step %.0f, h = %g s)\n", kinds[kind].text,
                kinds[kind].names[(int)s[JN_S_BAD_INDEX]].name, s[JN_S_BAD_VALUE], s[JN_S_BAD_TIME], s[JN_S_BAD_STEP],
                s[JN_S_H]);
        fprintf(stderr, "try a smaller step; if that does not help, look at the last rows and at the parameters\n");
    } else {
        fprintf(stderr, "the run was refused (%d): data and code are not of one export\n", status);
    }
}

static int usage(void) {
    puts("usage: @model@ [--end SECONDS] [--out FILE] [--binary] [--parameters] [NAME=VALUE ...]\n"
         "  --end SECONDS   end time, instead of the exported one\n"
         "  --out FILE      write there instead of to standard output\n"
         "  --binary        rows as raw doubles, without a header, instead of CSV\n"
         "  --parameters    list the parameters and leave\n"
         "  NAME=VALUE      change a parameter, in SI units");
    return 0;
}

static int number(const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*value);
}

/* NAME=VALUE; names may hold anything but '='. */
static int set(jn_instance *run, char *argument) {
    char *equals = strchr(argument, '=');
    double value;
    if (!equals || !number(equals + 1, &value)) {
        fprintf(stderr, "%s: expected NAME=VALUE with a finite number; --help lists the options\n", argument);
        return 1;
    }
    *equals = '\0';
    if (!jn_instance_set(run, argument, value)) return 0;
    fprintf(stderr, "%s: no such parameter; --parameters lists them\n", argument);
    return 1;
}

int main(int count, char **arguments) {
    const jn_data *data = &@model@_data;
    const char *path = NULL, *end = NULL;
    output to = {stdout, 0};
    void *memory = malloc(jn_instance_size(data));
    double *rows = malloc((size_t)ROWS * (1 + (size_t)data->n_columns) * sizeof(double));
    jn_instance *run = memory && rows ? jn_instance_init(data, memory) : NULL;
    int64_t n_steps = data->n_steps;
    int bad = 0, status;
    if (!run) {
        fprintf(stderr, "%s: no memory, or the files in this folder are not of one export\n", data->name);
        return 1;
    }
    for (int i = 1; i < count; ++i) {
        char *argument = arguments[i];
        if (strcmp(argument, "--help") == 0) return usage();
        if (strcmp(argument, "--parameters") == 0) {
            for (int32_t k = 0; k < run->sim.model->n_p_free; ++k)
                printf("%s=%.17g %s\n", data->parameter_names[k].name, run->p[k], data->parameter_names[k].unit);
            return 0;
        }
        if (strcmp(argument, "--binary") == 0) to.binary = 1;
        else if (strcmp(argument, "--out") == 0 && i + 1 < count) path = arguments[++i];
        else if (strcmp(argument, "--end") == 0 && i + 1 < count) end = arguments[++i];
        else bad |= set(run, argument);
    }
    if (end) {
        double t_end;
        if (!number(end, &t_end) || (n_steps = jn_instance_steps_to(run, t_end)) < 0) {
            fprintf(stderr, "--end %s: expected seconds, not before the start at %g s\n", end, jn_instance_time(run));
            bad = 1;
        }
    }
    if (bad) return 1;
    if (path && !(to.file = fopen(path, "wb"))) {
        perror(path);
        return 1;
    }
    if (!to.binary) write_header(&to, data);
    status = jn_instance_run(run, n_steps, rows, ROWS, write_rows, &to);
    if (fflush(to.file) || ferror(to.file) || (path && fclose(to.file))) {
        perror(path ? path : "standard output");
        return 1;
    }
    explain(run, status);
    const int failed = status == JN_STOPPED ? run->state[JN_S_FAILED] != 0.0 : status != JN_OK;
    free(rows);
    free(memory);
    return failed ? 2 : 0;
}
