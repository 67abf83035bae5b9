#include "dbn_reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include <tickglass/internal/control_flow.h>

#define READ_STEP (1u << 20) /* so that a wrong length costs no more memory than the file has */

/* Fewer than size bytes only at the end of the file. */
static tg_err read_all(tg__dbn_reader *reader, uint8_t *out, size_t size, size_t *filled,
                       tg__cause *cause)
{
    size_t got = 1;
    *filled = 0;
    while (*filled < size && got > 0) {
        TG_TRY(tg__byte_stream_read(reader->stream, out + *filled, size - *filled, &got, cause));
        *filled += got;
    }
    reader->at += *filled;
    return TG_OK;
}

static tg_err header_fault(const tg__dbn_reader *reader, tg_err err, const char *what,
                           tg__cause *cause)
{
    return tg__cause_set(cause, err, "%s: %s", reader->path, what);
}

static tg_err read_growing(tg__dbn_reader *reader, size_t size, uint8_t **out, size_t *filled,
                           tg__cause *cause)
{
    size_t got = 0;
    *filled = 0;
    do {
        const size_t left = size - *filled;
        const size_t step = left < READ_STEP ? left : READ_STEP;
        uint8_t *grown = realloc(*out, *filled + step + 1);
        if (grown == NULL) {
            return header_fault(reader, TG_ERR_NO_MEMORY, "no memory for its header", cause);
        }
        *out = grown;
        TG_TRY(read_all(reader, *out + *filled, step, &got, cause));
        *filled += got;
    } while (*filled < size && got == READ_STEP);
    return TG_OK;
}

static tg_err read_header(tg__dbn_reader *reader, tg__cause *cause)
{
    uint8_t prelude[TG__DBN_PRELUDE_SIZE] = {0};
    uint8_t *rest = NULL;
    size_t filled = 0;
    uint32_t size = 0;
    const char *what = NULL;
    TG_TRY(read_all(reader, prelude, sizeof prelude, &filled, cause));
    tg_err err = tg__dbn_prelude_decode(prelude, &reader->metadata, &size, &what);
    if (err != TG_OK) {
        return header_fault(reader, err, what, cause);
    }
    err = read_growing(reader, size, &rest, &filled, cause);
    if (err == TG_OK) {
        err = filled < size ? TG_ERR_TAPE
                            : tg__dbn_metadata_decode(rest, size, &reader->metadata, &what);
        if (err != TG_OK) {
            (void)header_fault(reader, err, what != NULL ? what : "its header ends too early",
                               cause);
        }
    }
    free(rest);
    return err;
}

tg_err tg__dbn_reader_init(tg__dbn_reader *reader, const char *path, tg__cause *cause)
{
    *reader = (tg__dbn_reader){.path = path};
    TG_TRY(tg__byte_stream_open(path, &reader->stream, cause));
    const tg_err err = read_header(reader, cause);
    if (err != TG_OK) {
        tg__dbn_reader_deinit(reader);
    }
    return err;
}

void tg__dbn_reader_deinit(tg__dbn_reader *reader)
{
    tg__byte_stream_close(reader->stream);
    tg__dbn_metadata_deinit(&reader->metadata);
    reader->stream = NULL;
}

static tg_err record_fault(const tg__dbn_reader *reader, tg_err err, const char *what,
                           tg__cause *cause)
{
    return tg__cause_set(cause, err, "%s: record %" PRIu64 " at byte %" PRIu64 ": %s", reader->path,
                         reader->record, reader->record_at, what);
}

tg_err tg__dbn_reader_next(tg__dbn_reader *reader, tg__market_capture *capture, tg__cause *cause)
{
    uint8_t record[TG__DBN_RECORD_MAX];
    size_t filled = 0;
    capture->row_count = 0;
    capture->difference[0] = '\0';
    TG_ENSURE(!reader->ended, TG_ERR_NOT_FOUND);
    reader->record_at = reader->at;
    TG_TRY(read_all(reader, record, 1, &filled, cause));
    if (filled == 0) {
        reader->ended = true;
        return TG_ERR_NOT_FOUND;
    }
    reader->record++;
    const size_t size = (size_t)record[0] * 4;
    if (size < TG__DBN_RECORD_MIN) { /* where the next one begins is not known */
        reader->ended = true;
        return record_fault(reader, TG_ERR_TAPE, "its length is shorter than a header", cause);
    }
    TG_TRY(read_all(reader, record + 1, size - 1, &filled, cause));
    if (filled < size - 1) {
        reader->ended = true;
        return record_fault(reader, TG_ERR_SYNTAX, "the file ends inside of it", cause);
    }
    const tg_err err = tg__dbn_record_take(capture, &reader->metadata, record, size);
    return err == TG_OK ? TG_OK : record_fault(reader, err, capture->what, cause);
}
