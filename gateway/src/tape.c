#include "tape.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/control_flow.h>

#include "line_reader.h"
#include "tape_survey.h"

#define LINE_SIZE_MAX 1024u

struct tg__tape {
    char *path;
    bool merge_feeds;
    int64_t start_ns;
    const tg__directory *directory;
    tg__line_reader reader;
};

typedef struct scan {
    tg__tape *tape;
    tg__directory *directory;
    tg__tape_survey *surveys; /* by instrument id */
    uint32_t capacity;
    int64_t last_ts_ns;
} scan;

static tg_err line_fault(const tg__tape *tape, tg_err err, const char *what, tg__cause *cause)
{
    return tg__cause_set(cause, err, "%s:%" PRIu64 ": %s", tape->path, tape->reader.line_number,
                         what);
}

static tg_err read_header(tg__tape *tape, tg__cause *cause)
{
    const char *line = NULL;
    size_t length = 0;
    const tg_err err = tg__line_reader_next(&tape->reader, &line, &length, cause);
    if (err == TG_ERR_NOT_FOUND) {
        return tg__cause_set(cause, TG_ERR_TAPE, "%s: is empty", tape->path);
    }
    TG_TRY(err);
    if (length != strlen(TG__TAPE_HEADER) || memcmp(line, TG__TAPE_HEADER, length) != 0) {
        return line_fault(tape, TG_ERR_TAPE, "header is not " TG__TAPE_HEADER, cause);
    }
    return TG_OK;
}

/* BEQUANT_A becomes BEQUANT; anything longer behind the last underscore is a part of the name. */
static void merge_feed_name(char *venue)
{
    const size_t length = strlen(venue);
    if (length > 2 && venue[length - 2] == '_' && venue[length - 1] >= 'A' &&
        venue[length - 1] <= 'Z') {
        venue[length - 2] = '\0';
    }
}

static tg_err next_line(tg__tape *tape, tg__tape_line *out, tg__cause *cause)
{
    const char *line = NULL;
    size_t length = 0;
    TG_TRY(tg__line_reader_next(&tape->reader, &line, &length, cause));
    const char *what = NULL;
    const tg_err err = tg__tape_line_parse(line, length, out, &what);
    if (err != TG_OK) {
        return line_fault(tape, err, what, cause);
    }
    if (tape->merge_feeds) {
        merge_feed_name(out->venue);
    }
    return TG_OK;
}

static tg_err reserve_survey(scan *s, tg_instrument_id id)
{
    if (id < s->capacity) {
        return TG_OK;
    }
    const uint32_t capacity = (id + 1u) * 2;
    tg__tape_survey *grown = realloc(s->surveys, capacity * sizeof *grown);
    TG_ENSURE(grown != NULL, TG_ERR_NO_MEMORY);
    memset(grown + s->capacity, 0, (capacity - s->capacity) * sizeof *grown);
    s->surveys = grown;
    s->capacity = capacity;
    return TG_OK;
}

/* The instrument that the line names, entered with its first line. */
static tg_err instrument_of(scan *s, const tg__tape_line *line, tg_instrument_id *id)
{
    tg_venue_id venue = 0;
    TG_TRY(tg__directory_venue(s->directory, line->venue, &venue));
    *id = tg__directory_find(s->directory, venue, line->symbol);
    if (*id != TG_INSTRUMENT_NONE) {
        return reserve_survey(s, *id);
    }
    tg_instrument instrument = {
        .venue = venue,
        .band_count = 1,
        .band = {{.from_price = INT64_MIN, .tick_size = 1}},
        .multiplier = {1, 0},
    };
    memcpy(instrument.symbol, line->symbol, sizeof instrument.symbol);
    TG_TRY(tg__directory_add(s->directory, &instrument, id));
    return reserve_survey(s, *id);
}

static tg_err scan_line(scan *s, const tg__tape_line *line, tg__cause *cause)
{
    if (line->ts_ns < s->last_ts_ns) {
        return line_fault(s->tape, TG_ERR_TAPE, "ts_ns lies before that of the line above", cause);
    }
    s->last_ts_ns = line->ts_ns;
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    const tg_err err = instrument_of(s, line, &id);
    if (err != TG_OK) {
        return line_fault(s->tape, err,
                          err == TG_ERR_FULL ? "there are more venues or instruments than ids"
                                             : tg_err_text(err),
                          cause);
    }
    tg__tape_survey_add(&s->surveys[id], line);
    return TG_OK;
}

static tg_err scan_lines(scan *s, tg__cause *cause)
{
    tg__tape_line line;
    TG_TRY(read_header(s->tape, cause));
    tg_err err = next_line(s->tape, &line, cause);
    s->tape->start_ns = err == TG_OK ? line.ts_ns : 0;
    while (err == TG_OK) {
        TG_TRY(scan_line(s, &line, cause));
        err = next_line(s->tape, &line, cause);
    }
    return err == TG_ERR_NOT_FOUND ? TG_OK : err;
}

static tg_err finish_surveys(const scan *s, tg__cause *cause)
{
    for (uint32_t id = 0; id < s->directory->count && id < s->capacity; id++) {
        tg_instrument *instrument = &s->directory->instruments[id];
        const char *what = NULL;
        if (s->surveys[id].lines == 0) {
            continue;
        }
        const tg_err err = tg__tape_survey_finish(&s->surveys[id], instrument, &what);
        if (err != TG_OK) {
            return tg__cause_set(cause, err, "%s: %s:%s: %s", s->tape->path,
                                 s->directory->venues[instrument->venue].name, instrument->symbol,
                                 what);
        }
    }
    return TG_OK;
}

tg_err tg__tape_open(const char *path, bool merge_feeds, tg__directory *directory, tg__tape **out,
                     tg__cause *cause)
{
    *out = NULL;
    tg__tape *tape = calloc(1, sizeof *tape);
    scan s = {.tape = tape, .directory = directory};
    tg_err err = TG_OK;
    if (tape == NULL || (tape->path = strdup(path)) == NULL) {
        err = tg__cause_set(cause, TG_ERR_NO_MEMORY, "%s: no memory to read it", path);
        goto fail;
    }
    tape->merge_feeds = merge_feeds;
    tape->directory = directory;
    err = tg__line_reader_init(&tape->reader, tape->path, LINE_SIZE_MAX, cause);
    if (err == TG_OK) {
        err = scan_lines(&s, cause);
    }
    if (err == TG_OK) {
        err = finish_surveys(&s, cause);
    }
    if (err == TG_OK) {
        err = tg__tape_rewind(tape, cause);
    }
    if (err != TG_OK) {
        goto fail;
    }
    free(s.surveys);
    *out = tape;
    return TG_OK;

fail:
    free(s.surveys);
    tg__tape_close(tape);
    return err;
}

void tg__tape_close(tg__tape *tape)
{
    if (tape == NULL) {
        return;
    }
    tg__line_reader_deinit(&tape->reader);
    free(tape->path);
    free(tape);
}

tg_err tg__tape_rewind(tg__tape *tape, tg__cause *cause)
{
    tg__line_reader_deinit(&tape->reader);
    TG_TRY(tg__line_reader_init(&tape->reader, tape->path, LINE_SIZE_MAX, cause));
    return read_header(tape, cause);
}

tg_err tg__tape_next(tg__tape *tape, tg__row *row, tg__cause *cause)
{
    tg__tape_line line;
    TG_TRY(next_line(tape, &line, cause));
    const tg_instrument_id id = tg__directory_find_name(tape->directory, line.venue, line.symbol);
    if (id == TG_INSTRUMENT_NONE) {
        return line_fault(tape, TG_ERR_TAPE, "the file was changed while it was played", cause);
    }
    const tg_instrument *instrument = &tape->directory->instruments[id];
    tg__row read = {
        .ts_ns = line.ts_ns,
        .exchange_id = line.exchange_id,
        .has_id = line.has_id,
        .kind = line.kind,
        .instrument = id,
    };
    if (tg_decimal_rescale(line.price, instrument->price_exponent, &read.price) != TG_OK ||
        tg_decimal_rescale(line.quantity, instrument->quantity_exponent, &read.quantity) != TG_OK) {
        return line_fault(tape, TG_ERR_TAPE, "the file was changed while it was played", cause);
    }
    *row = read;
    return TG_OK;
}

int64_t tg__tape_start_ns(const tg__tape *tape)
{
    return tape->start_ns;
}
