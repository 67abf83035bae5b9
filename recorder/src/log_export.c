/* Records for other programs: a table of one call site, or a trace of all. */
#include "log_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/record_inline.h>

#include "log_progress.h"

#define FLUSH_SIZE (UINT32_C(64) << 10)

/* A cell of RFC 4180: in quotes, and quotes doubled, if it needs to be. */
static void add_cell(tg__text_buffer *out, const char *bytes, size_t size)
{
    bool plain = true;
    for (size_t i = 0; i < size; i++) {
        plain = plain && bytes[i] != '"' && bytes[i] != ',' && bytes[i] != '\n' && bytes[i] != '\r';
    }
    if (plain) {
        tg__text_add(out, bytes, size);
        return;
    }
    tg__text_add(out, "\"", 1);
    for (size_t i = 0; i < size; i++) {
        tg__text_add(out, bytes + i, 1);
        if (bytes[i] == '"') {
            tg__text_add(out, "\"", 1);
        }
    }
    tg__text_add(out, "\"", 1);
}

static void add_value(tg__text_buffer *out, const tg__log_argument *argument)
{
    static const char digits[] = "0123456789abcdef";
    double value;
    char text[TG_DECIMAL_TEXT_SIZE];
    switch (argument->type) {
    case TG__TYPE_F64:
        memcpy(&value, &argument->word, sizeof value);
        (void)snprintf(text, sizeof text, "%.17g", value);
        tg__text_add_string(out, text);
        break;
    case TG__TYPE_DECIMAL:
        if (tg_decimal_format((tg_decimal){(int64_t)argument->word, argument->exponent}, text,
                              sizeof text) == TG_OK) {
            tg__text_add_string(out, text);
        }
        break;
    case TG__TYPE_TEXT:
        add_cell(out, argument->bytes, argument->size);
        break;
    case TG__TYPE_BLOB:
        for (uint32_t i = 0; i < argument->size; i++) {
            const unsigned char byte = (unsigned char)argument->bytes[i];
            tg__text_add(out, &digits[byte >> 4], 1);
            tg__text_add(out, &digits[byte & 15], 1);
        }
        break;
    case TG__TYPE_U32:
    case TG__TYPE_U64:
        tg__text_add_u64(out, argument->word);
        break;
    default:
        tg__text_add_i64(out, (int64_t)argument->word);
        break;
    }
}

static void add_row(tg__text_buffer *out, const tg__log_record *record)
{
    tg__log_argument arguments[TG_RECORD_ARGUMENTS_MAX];
    tg__log_arguments(record, arguments);
    tg__text_add_i64(out, record->utc_ns);
    tg__text_add_string(out, ",");
    tg__text_add_i64(out, record->mono_ns);
    tg__text_add_string(out, ",");
    tg__text_add_u64(out, record->thread);
    for (uint8_t i = 0; i < record->site->argument_count; i++) {
        tg__text_add_string(out, ",");
        add_value(out, &arguments[i]);
    }
    tg__text_add_string(out, "\r\n");
}

static void add_row_names(tg__text_buffer *out, const tg__site_info *site)
{
    tg__text_add_string(out, "utc_ns,mono_ns,thread");
    for (uint8_t i = 0; i < site->argument_count; i++) {
        tg__text_add_string(out, ",argument_");
        tg__text_add_u64(out, i + 1u);
    }
    tg__text_add_string(out, "\r\n");
}

/* An instant event of the trace-event format, as chrome://tracing and Perfetto read it. */
static tg_err add_event(tg__text_buffer *out, tg__log_text *text, const tg__log_record *record)
{
    char ts[48];
    const int64_t ns = record->mono_ns;
    (void)snprintf(ts, sizeof ts, "%" PRId64 ".%03d", ns / 1000,
                   (int)(ns % 1000 < 0 ? -(ns % 1000) : ns % 1000));
    tg__text_add_string(out, "{\"name\":");
    text->message.size = 0;
    const tg_err err = tg__log_text_message(text, record, &text->message);
    tg__text_add_json(out, text->message.bytes, text->message.size);
    tg__text_add_string(out, ",\"ph\":\"i\",\"s\":\"t\",\"ts\":");
    tg__text_add_string(out, ts);
    tg__text_add_string(out, ",\"pid\":");
    tg__text_add_u64(out, record->file->info.pid);
    tg__text_add_string(out, ",\"tid\":");
    tg__text_add_u64(out, record->thread);
    tg__text_add_string(out, ",\"cat\":\"");
    tg__text_add_string(out, tg__log_level_name(record->site->level));
    tg__text_add_string(out, "\"}");
    return err;
}

static void add_thread_names(tg__text_buffer *out, const log_input *input)
{
    for (size_t f = 0; f < input->count; f++) {
        const tg__log_file *file = &input->files[f];
        for (size_t t = 0; t < file->thread_count; t++) {
            tg__text_add_string(out, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":");
            tg__text_add_u64(out, file->info.pid);
            tg__text_add_string(out, ",\"tid\":");
            tg__text_add_u64(out, file->threads[t].number);
            tg__text_add_string(out, ",\"args\":{\"name\":");
            tg__text_add_json(out, file->threads[t].name, strlen(file->threads[t].name));
            tg__text_add_string(out, "}},\n");
        }
    }
}

static tg_err print_out(tg__text_buffer *out)
{
    const size_t size = out->size;
    out->size = 0;
    return fwrite(out->bytes, 1, size, stdout) == size ? TG_OK : TG_ERR_IO;
}

static tg_err export_all(const log_options *opt, log_input *input, tg__log_text *texts,
                         tg__log_merge *merge)
{
    tg__text_buffer out = {NULL, 0, 0, false};
    tg__log_record record;
    const tg__site_info *first = NULL;
    tg_err err = TG_OK;
    uint64_t count = 0;
    if (opt->trace) {
        tg__text_add_string(&out, "{\"traceEvents\":[\n");
        add_thread_names(&out, input);
    }
    log_progress progress;
    log_progress_start(&progress, input);
    while (err == TG_OK && (err = tg__log_merge_next(merge, &record)) == TG_OK) {
        log_progress_step(&progress);
        if (!log_wants(opt, &record)) {
            continue;
        }
        if (opt->trace) {
            tg__text_add_string(&out, count++ == 0 ? "" : ",\n");
            err = add_event(&out, &texts[record.file - input->files], &record);
        } else {
            if (first == NULL) {
                first = record.site;
                add_row_names(&out, first);
            } else if (record.site->argument_count != first->argument_count ||
                       memcmp(record.site->types, first->types, first->argument_count) != 0) {
                err = TG_ERR_SYNTAX;
                break;
            }
            add_row(&out, &record);
        }
        if (err == TG_OK && out.size >= FLUSH_SIZE) {
            err = print_out(&out);
        }
    }
    log_progress_end(&progress);
    if (err == TG_ERR_NOT_FOUND) {
        if (opt->trace) {
            tg__text_add_string(&out, "\n]}\n");
        }
        err = out.failed ? TG_ERR_NO_MEMORY : print_out(&out);
    }
    tg__text_buffer_deinit(&out);
    return err == TG_OK && fflush(stdout) != 0 ? TG_ERR_IO : err;
}

int log_export(const log_options *opt)
{
    if (opt->csv == opt->trace || (opt->csv && opt->site == NULL)) {
        (void)fprintf(stderr, "tickglass-log: export needs --csv --site FILE:LINE, or --trace\n");
        return LOG_USAGE;
    }
    log_input input;
    int status = log_input_open(opt, &input);
    tg__log_text *texts = calloc(input.count + 1, sizeof *texts);
    tg__log_merge merge;
    memset(&merge, 0, sizeof merge);
    if (status == LOG_OK) {
        tg_err err =
            texts != NULL ? tg__log_merge_open(input.files, input.count, &merge) : TG_ERR_NO_MEMORY;
        if (err == TG_OK) {
            err = export_all(opt, &input, texts, &merge);
        }
        if (err == TG_ERR_SYNTAX) {
            (void)fprintf(stderr,
                          "tickglass-log: --site %s names calls with other arguments too; "
                          "give its line\n",
                          opt->site);
            status = LOG_USAGE;
        } else {
            status = err == TG_OK ? log_input_problems(&input) : log_fail("standard output", err);
        }
    }
    for (size_t i = 0; texts != NULL && i < input.count; i++) {
        tg__log_text_deinit(&texts[i]);
    }
    log_tell_late(&merge);
    tg__log_merge_close(&merge);
    free(texts);
    log_input_close(&input);
    return status;
}
