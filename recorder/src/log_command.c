#include "log_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tickglass/record_inline.h>

#include "log_progress.h"

int log_fail(const char *path, tg_err err)
{
    if (err == TG_ERR_IO) {
        (void)fprintf(stderr, "tickglass-log: %s: %s\n", path, strerror(errno));
    } else {
        (void)fprintf(stderr, "tickglass-log: %s: offset 0: %s (%s)\n", path, tg_err_text(err),
                      tg_err_name(err));
    }
    return LOG_USAGE;
}

static uint64_t bytes_of(const log_options *opt)
{
    uint64_t bytes = 0;
    for (int i = 0; i < opt->path_count; i++) {
        struct stat facts;
        bytes +=
            stat(opt->paths[i], &facts) == 0 && facts.st_size > 0 ? (uint64_t)facts.st_size : 0;
    }
    return bytes;
}

/* The bar of all files, and how many bytes there were of those before. */
typedef struct opening {
    log_progress progress;
    uint64_t before;
} opening;

static void show_read(void *ctx, uint64_t bytes)
{
    opening *o = ctx;
    o->progress.done = o->before + bytes;
    log_progress_show(&o->progress);
}

int log_input_open(const log_options *opt, log_input *out)
{
    out->count = 0;
    out->files = calloc((size_t)opt->path_count, sizeof *out->files);
    if (out->files == NULL) {
        return log_fail("memory", TG_ERR_NO_MEMORY);
    }
    opening o = {.before = 0};
    const tg__log_watch watch = {show_read, &o};
    log_progress_start_reading(&o.progress, bytes_of(opt));
    tg_err err = TG_OK;
    for (int i = 0; i < opt->path_count && err == TG_OK; i++) {
        err = tg__log_file_open_watched(opt->paths[i], &watch, &out->files[i]);
        if (err == TG_OK) {
            o.before += out->files[out->count++].size;
        }
    }
    const int failure = errno; /* the bar may change it */
    log_progress_end(&o.progress);
    errno = failure;
    return err == TG_OK ? LOG_OK : log_fail(opt->paths[out->count], err);
}

void log_input_close(log_input *input)
{
    for (size_t i = 0; i < input->count; i++) {
        tg__log_file_close(&input->files[i]);
    }
    free(input->files);
}

static const char *note_text(uint32_t kind)
{
    switch (kind) {
    case TG__NOTE_REFUSED:
        return "records had no ring or no place in the dictionary";
    case TG__NOTE_STALL:
        return "writes were refused and repeated";
    case TG__NOTE_DROPPED:
        return "records were dropped, the ring was full";
    case TG__NOTE_OVERWRITTEN:
        return "records were overwritten by newer ones";
    case TG__NOTE_SLOW:
        return "writes took long";
    case TG__NOTE_REMOVED:
        return "oldest files were deleted, for no more were to be kept";
    default:
        return "of a kind that this version does not know";
    }
}

static void tell_note(const tg__log_file *file, const tg__note *note)
{
    (void)fprintf(stderr, "tickglass-log: %s: note: %" PRIu64 " %s", file->path, note->count,
                  note_text(note->kind));
    if (note->thread != 0) {
        (void)fprintf(stderr, ", thread %" PRIu32, note->thread);
    }
    if (note->error != 0) {
        (void)fprintf(stderr, ": %s", strerror(note->error));
    }
    if (note->kind == TG__NOTE_STALL || note->kind == TG__NOTE_SLOW) {
        tg__text_buffer until = {NULL, 0, 0, false};
        tg__text_add_utc(&until, tg__time_map_utc(&file->times, note->to_mono_ns), NULL);
        (void)fprintf(stderr, "; %.3f s until %.*s, %" PRIu64 " records were lost meanwhile",
                      ((double)note->to_mono_ns - (double)note->from_mono_ns) / 1e9,
                      (int)until.size, until.size != 0 ? until.bytes : "", note->lost);
        tg__text_buffer_deinit(&until);
    }
    (void)fputc('\n', stderr);
}

int log_input_problems(const log_input *input)
{
    int status = LOG_OK;
    for (size_t i = 0; i < input->count; i++) {
        const tg__log_file *file = &input->files[i];
        const size_t kept =
            file->problem_count < TG__PROBLEMS_MAX ? file->problem_count : TG__PROBLEMS_MAX;
        for (size_t p = 0; p < kept; p++) {
            const tg__problem *problem = &file->problems[p];
            (void)fprintf(stderr,
                          "tickglass-log: %s: offset %" PRIu64 ": %s, %" PRIu64 " bytes (%s)\n",
                          file->path, problem->offset, problem->text, problem->size,
                          tg_err_name(problem->err));
            status = LOG_DAMAGED;
        }
        if (file->problem_count > kept) {
            (void)fprintf(stderr, "tickglass-log: %s: and %zu more problems\n", file->path,
                          file->problem_count - kept);
        }
        for (size_t n = 0; n < file->note_count; n++) {
            tell_note(file, &file->notes[n]);
        }
    }
    return status;
}

void log_tell_late(const tg__log_merge *merge)
{
    if (merge->late_count != 0) {
        (void)fprintf(stderr,
                      "tickglass-log: %" PRIu64
                      " records are older than one before them, by %" PRId64 " ns at most\n",
                      merge->late_count, merge->late_most_ns);
    }
}

bool log_is_site(const tg__site_info *site, const char *asked)
{
    const char *colon = strrchr(asked, ':');
    const size_t length = colon != NULL ? (size_t)(colon - asked) : strlen(asked);
    if (colon != NULL && strtoul(colon + 1, NULL, 10) != site->line) {
        return false;
    }
    return length <= site->file_size &&
           memcmp(site->file + site->file_size - length, asked, length) == 0 &&
           (length == site->file_size || asked[0] == '/' ||
            site->file[site->file_size - length - 1] == '/');
}

static bool is_thread(const tg__log_record *record, const char *asked)
{
    char *end = NULL;
    const unsigned long number = strtoul(asked, &end, 10);
    if (*asked != '\0' && *end == '\0') {
        return record->thread == number;
    }
    return strcmp(record->thread_name, asked) == 0;
}

static int compare_doubles(double left, double right)
{
    return (left > right) - (left < right);
}

/* Less than, equal to or greater than 0, as the argument is to the text; false: not comparable. */
static bool compare_argument(const tg__log_argument *argument, const char *text, int *out)
{
    const size_t size = strlen(text);
    char *end = NULL;
    tg_decimal wanted;
    double value;
    switch (argument->type) {
    case TG__TYPE_TEXT: {
        const size_t common = size < argument->size ? size : argument->size;
        *out = memcmp(argument->bytes, text, common);
        *out = *out != 0 ? *out : compare_doubles(argument->size, (double)size);
        return true;
    }
    case TG__TYPE_BLOB:
        return false;
    case TG__TYPE_F64:
        memcpy(&value, &argument->word, sizeof value);
        *out = compare_doubles(value, strtod(text, &end));
        return *end == '\0' && end != text;
    case TG__TYPE_U64: {
        const unsigned long long whole = strtoull(text, &end, 10);
        *out = (argument->word > whole) - (argument->word < whole);
        return *end == '\0' && end != text;
    }
    case TG__TYPE_DECIMAL: {
        /* Exact at the finer of the two exponents, unless that does not fit. */
        const tg_decimal own = {(int64_t)argument->word, argument->exponent};
        int64_t left;
        int64_t right;
        if (tg_decimal_parse(text, size, &wanted) != TG_OK) {
            return false;
        }
        const int8_t finer = own.exponent < wanted.exponent ? own.exponent : wanted.exponent;
        if (tg_decimal_rescale(own, finer, &left) != TG_OK ||
            tg_decimal_rescale(wanted, finer, &right) != TG_OK) {
            return false;
        }
        *out = (left > right) - (left < right);
        return true;
    }
    default: {
        const long long whole = strtoll(text, &end, 10);
        *out = ((int64_t)argument->word > whole) - ((int64_t)argument->word < whole);
        return *end == '\0' && end != text;
    }
    }
}

static bool fits_where(const char *where, const tg__log_record *record)
{
    char *sign = NULL;
    const unsigned long number = strtoul(where, &sign, 10);
    if (number < 1 || number > record->site->argument_count) {
        return false;
    }
    tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
    tg__log_arguments(record, arguments);
    int order = 0;
    if (!compare_argument(&arguments[number - 1], sign + 1, &order)) {
        return false;
    }
    return *sign == '=' ? order == 0 : *sign == '<' ? order < 0 : order > 0;
}

bool log_wants(const log_options *opt, const tg__log_record *record)
{
    return (opt->level_most == 0 || record->site->level <= opt->level_most) &&
           record->utc_ns >= opt->from_utc_ns && record->utc_ns <= opt->to_utc_ns &&
           (opt->site == NULL || log_is_site(record->site, opt->site)) &&
           (opt->thread == NULL || is_thread(record, opt->thread)) &&
           (opt->where == NULL || fits_where(opt->where, record));
}
