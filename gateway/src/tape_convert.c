#include "tape_convert.h"

#include <inttypes.h>
#include <stdlib.h>

#include <tickglass/internal/control_flow.h>

#include "tape_input.h"
#include "tape_output.h"

typedef struct source_file {
    tg__tape_input *input;
    size_t next_row; /* of its state's rows */
    bool ended;
} source_file;

typedef struct conversion {
    const tg__tape_options *options;
    FILE *log;
    source_file *files;
    uint64_t bad_records;
    uint64_t rows;
    uint64_t held_back; /* rows whose clock stood before that of the row above */
    int64_t last_ts_ns;
    unsigned shown_percent;
} conversion;

static tg_err open_files(conversion *c, tg__cause *cause)
{
    c->files = calloc(c->options->input_count, sizeof *c->files);
    if (c->files == NULL) {
        return tg__cause_set(cause, TG_ERR_NO_MEMORY, "no memory for the inputs");
    }
    for (size_t i = 0; i < c->options->input_count; i++) {
        TG_TRY(tg__tape_input_open(c->options->inputs[i], c->options->from, &c->files[i].input,
                                   cause));
    }
    return TG_OK;
}

static void close_files(conversion *c)
{
    for (size_t i = 0; c->files != NULL && i < c->options->input_count; i++) {
        tg__tape_input_close(c->files[i].input);
    }
    free(c->files);
}

/* Of all inputs together; a line is written when the number changes. */
static void show_progress(conversion *c)
{
    unsigned sum = 0;
    for (size_t i = 0; c->options->progress && i < c->options->input_count; i++) {
        sum += c->files[i].ended ? 100 : tg__tape_input_percent(c->files[i].input);
    }
    const unsigned percent = sum / (unsigned)c->options->input_count;
    if (c->options->progress && percent != c->shown_percent) {
        c->shown_percent = percent;
        (void)fprintf(c->log, "\r%u %% read", percent);
        (void)fputs(percent == 100 ? "\n" : "", c->log);
        (void)fflush(c->log);
    }
}

/* Named and counted; more than are allowed end the run. */
static tg_err bad_record(conversion *c, tg__cause *cause)
{
    c->bad_records++;
    if (c->bad_records > c->options->errors_max) {
        tg__cause first = *cause;
        return tg__cause_set(cause, TG_ERR_TAPE,
                             "%.400s (bad record %" PRIu64 ", allowed: %" PRIu64 ")", first.text,
                             c->bad_records, c->options->errors_max);
    }
    (void)fprintf(c->log, "%s: skipped\n", cause->text);
    return TG_OK;
}

/* The next record of a file, good or bad. */
static tg_err read_record(conversion *c, source_file *file, tg__cause *cause)
{
    file->next_row = 0;
    tg_err err = tg__tape_input_next(file->input, cause);
    if (err == TG_ERR_NOT_FOUND) {
        file->ended = true;
        err = TG_OK;
    } else if (err == TG_ERR_SYNTAX) {
        err = bad_record(c, cause);
    }
    show_progress(c);
    return err;
}

static tg_err read_until_row(conversion *c, source_file *file, tg__cause *cause)
{
    while (!file->ended && file->next_row == tg__tape_input_state(file->input)->row_count) {
        TG_TRY(read_record(c, file, cause));
    }
    return TG_OK;
}

static const tg__tape_line *next_row(const source_file *file)
{
    return &tg__tape_input_state(file->input)->rows[file->next_row];
}

/* The file with the earliest row, the first of equal ones; NULL: none has any. */
static tg_err earliest(conversion *c, source_file **out, tg__cause *cause)
{
    *out = NULL;
    for (size_t i = 0; i < c->options->input_count; i++) {
        source_file *file = &c->files[i];
        TG_TRY(read_until_row(c, file, cause));
        if (!file->ended && (*out == NULL || next_row(file)->ts_ns < next_row(*out)->ts_ns)) {
            *out = file;
        }
    }
    return TG_OK;
}

/* A tape's time never goes back: a row of a clock that stepped back gets the time of the last. */
static tg_err write_row(conversion *c, tg__tape_output *output, const tg__tape_line *row,
                        tg__cause *cause)
{
    tg__tape_line copy = *row;
    if (copy.ts_ns < c->last_ts_ns) {
        copy.ts_ns = c->last_ts_ns;
        c->held_back++;
    }
    c->last_ts_ns = copy.ts_ns;
    c->rows++;
    return tg__tape_output_add(output, &copy, cause);
}

static tg_err write_rows(conversion *c, tg__tape_output *output, tg__cause *cause)
{
    for (;;) {
        source_file *file = NULL;
        TG_TRY(earliest(c, &file, cause));
        if (file == NULL) {
            return tg__tape_output_commit(output, cause);
        }
        TG_TRY(write_row(c, output, next_row(file), cause));
        file->next_row++;
    }
}

static void print_kinds(const tg__tape_input *input, FILE *out)
{
    static const char *const uses[] = {"read", "not used", "unknown, skipped"};
    const tg__market_capture *state = tg__tape_input_state(input);
    (void)fprintf(out, "%s: %s, %" PRIu32 " instruments\n", tg__tape_input_path(input),
                  tg__tape_input_format(input), state->market_count);
    for (uint32_t i = 0; i < state->kind_count; i++) {
        (void)fprintf(out, "  %10" PRIu64 "  %s (%s)\n", state->kinds[i].count,
                      state->kinds[i].name, uses[state->kinds[i].use]);
    }
    if (state->books_lost > 0) {
        (void)fprintf(out, "  %10" PRIu64 "  books lost until the next snapshot\n",
                      state->books_lost);
    }
}

static void print_summary(const conversion *c)
{
    for (size_t i = 0; i < c->options->input_count; i++) {
        print_kinds(c->files[i].input, c->log);
    }
    (void)fprintf(c->log, "%" PRIu64 " rows, %" PRIu64 " bad records skipped\n", c->rows,
                  c->bad_records);
    if (c->held_back > 0) {
        (void)fprintf(c->log, "%" PRIu64 " rows were moved forward to the time of the row above\n",
                      c->held_back);
    }
}

tg_err tg__tape_convert(const tg__tape_options *options, FILE *log, tg__cause *cause)
{
    conversion c = {.options = options, .log = log, .shown_percent = 101};
    tg__tape_output *output = NULL;
    tg_err err = open_files(&c, cause);
    if (err == TG_OK) {
        err = tg__tape_output_open(options->out, &output, cause);
    }
    if (err == TG_OK) {
        err = write_rows(&c, output, cause);
    }
    if (err == TG_OK) {
        print_summary(&c);
    }
    tg__tape_output_close(output);
    close_files(&c);
    return err;
}

static tg_err check_file(conversion *c, source_file *file, FILE *out, tg__cause *cause)
{
    const tg__market_capture *state = tg__tape_input_state(file->input);
    while (!file->ended) {
        TG_TRY(read_record(c, file, cause));
        if (!file->ended && state->difference[0] != '\0') {
            char place[64];
            tg__tape_input_place(file->input, place, sizeof place);
            (void)fprintf(out, "%s: %s: %s\n", tg__tape_input_path(file->input), place,
                          state->difference);
        }
    }
    return TG_OK;
}

tg_err tg__tape_check(const tg__tape_options *options, FILE *out, FILE *log, uint64_t *different,
                      tg__cause *cause)
{
    conversion c = {.options = options, .log = log, .shown_percent = 101};
    *different = 0;
    tg_err err = open_files(&c, cause);
    for (size_t i = 0; i < options->input_count && err == TG_OK; i++) {
        const tg__market_capture *state = tg__tape_input_state(c.files[i].input);
        err = check_file(&c, &c.files[i], out, cause);
        if (err == TG_OK) {
            print_kinds(c.files[i].input, log);
            *different += state->different;
            (void)fprintf(
                out, "%s: %" PRIu64 " compared, %" PRIu64 " equal, %" PRIu64 " different%s\n",
                options->inputs[i], state->compared, state->compared - state->different,
                state->different, state->compared == 0 ? " (it has nothing to compare with)" : "");
        }
    }
    close_files(&c);
    return err;
}
