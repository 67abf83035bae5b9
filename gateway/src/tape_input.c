#include "tape_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "capture_reader.h"
#include "dbn_reader.h"

const char tg__tape_input_formats[] =
    "binance, bitmex, bybit, coinbase, dbn, deribit, kraken, kraken_futures, okex";

struct tg__tape_input {
    char *path;
    bool is_dbn;
    tg__market_capture capture;
    tg__capture_reader lines;
    tg__dbn_reader records;
};

bool tg__tape_input_knows(const char *format)
{
    return strcmp(format, "dbn") == 0 || tg__venue_format_named(format) != NULL;
}

/* By its first bytes, compressed or not. */
static tg_err begins_as_dbn(const char *path, bool *out, tg__cause *cause)
{
    tg__byte_stream *stream = NULL;
    uint8_t magic[4] = {0};
    size_t filled = 0;
    size_t size = 1;
    TG_TRY(tg__byte_stream_open(path, &stream, cause));
    tg_err err = TG_OK;
    while (err == TG_OK && filled < sizeof magic && size > 0) {
        err = tg__byte_stream_read(stream, magic + filled, sizeof magic - filled, &size, cause);
        filled += size;
    }
    tg__byte_stream_close(stream);
    *out = memcmp(magic, "DBN", 3) == 0;
    return err;
}

tg_err tg__tape_input_open(const char *path, const char *format, tg__tape_input **out,
                           tg__cause *cause)
{
    *out = NULL;
    tg__tape_input *input = calloc(1, sizeof *input);
    tg_err err = TG_OK;
    if (input == NULL || (input->path = strdup(path)) == NULL ||
        tg__market_capture_init(&input->capture) != TG_OK) {
        err = tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to read it", path);
        goto fail;
    }
    if (format != NULL) {
        input->is_dbn = strcmp(format, "dbn") == 0;
    } else {
        err = begins_as_dbn(path, &input->is_dbn, cause);
    }
    if (err == TG_OK) {
        err = input->is_dbn
                  ? tg__dbn_reader_init(&input->records, input->path, cause)
                  : tg__capture_reader_init(&input->lines, input->path,
                                            format != NULL ? tg__venue_format_named(format) : NULL,
                                            cause);
    }
    if (err != TG_OK) {
        goto fail;
    }
    *out = input;
    return TG_OK;

fail:
    tg__tape_input_close(input);
    return err;
}

void tg__tape_input_close(tg__tape_input *input)
{
    if (input == NULL) {
        return;
    }
    tg__capture_reader_deinit(&input->lines);
    tg__dbn_reader_deinit(&input->records);
    tg__market_capture_deinit(&input->capture);
    free(input->path);
    free(input);
}

tg_err tg__tape_input_next(tg__tape_input *input, tg__cause *cause)
{
    return input->is_dbn ? tg__dbn_reader_next(&input->records, &input->capture, cause)
                         : tg__capture_reader_next(&input->lines, &input->capture, cause);
}

const tg__market_capture *tg__tape_input_state(const tg__tape_input *input)
{
    return &input->capture;
}

const char *tg__tape_input_path(const tg__tape_input *input)
{
    return input->path;
}

const char *tg__tape_input_format(const tg__tape_input *input)
{
    if (input->is_dbn) {
        return "dbn";
    }
    return input->lines.format != NULL ? input->lines.format->name : "not known";
}

void tg__tape_input_place(const tg__tape_input *input, char *out, size_t size)
{
    if (input->is_dbn) {
        (void)snprintf(out, size, "record %" PRIu64 " at byte %" PRIu64, input->records.record,
                       input->records.record_at);
    } else {
        (void)snprintf(out, size, "line %" PRIu64, input->lines.lines.line_number);
    }
}

unsigned tg__tape_input_percent(const tg__tape_input *input)
{
    return tg__byte_stream_percent(input->is_dbn ? input->records.stream
                                                 : input->lines.lines.stream);
}
