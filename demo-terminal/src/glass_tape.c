#include "glass_tape.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "line_source.h"

#define FIELD_COUNT 7
#define NAME_SIZE   96
#define BUCKETS     4096 /* a power of two */

typedef enum row_kind {
    ROW_BID,
    ROW_ASK,
    ROW_TRADE
} row_kind;

/* What was seen last in one domain of ids. */
typedef struct seen_id {
    bool any;
    uint64_t id;
    int64_t ts_ns;
    unsigned kinds; /* bit per row_kind that came with this id */
} seen_id;

struct glass_series {
    glass_series *next; /* in the bucket */
    size_t index;
    char venue[NAME_SIZE];
    char symbol[NAME_SIZE];
    seen_id quotes;
    seen_id trades;
    size_t count;
    size_t capacity;
    glass_state *states;
};

struct glass_tape {
    glass_series *buckets[BUCKETS];
    size_t count;
    uint64_t rows;
};

typedef struct tape_row {
    int64_t ts_ns;
    row_kind kind;
    bool has_id;
    uint64_t id;
    glass_number price;
    glass_number quantity;
    const char *venue;
    const char *symbol;
} tape_row;

static size_t bucket_of(const char *venue, const char *symbol)
{
    size_t hash = 5381;
    for (const char *at = venue; *at != '\0'; at++) {
        hash = hash * 33 + (unsigned char)*at;
    }
    hash = hash * 33 + ':';
    for (const char *at = symbol; *at != '\0'; at++) {
        hash = hash * 33 + (unsigned char)*at;
    }
    return hash & (BUCKETS - 1);
}

static glass_series *find(const glass_tape *tape, const char *venue, const char *symbol)
{
    glass_series *series = tape->buckets[bucket_of(venue, symbol)];
    while (series != NULL &&
           (strcmp(series->venue, venue) != 0 || strcmp(series->symbol, symbol) != 0)) {
        series = series->next;
    }
    return series;
}

static tg_err append_state(glass_series *series, const glass_state *state)
{
    if (series->count == series->capacity) {
        const size_t capacity = series->capacity == 0 ? 64 : 2 * series->capacity;
        glass_state *states = realloc(series->states, capacity * sizeof *states);
        if (states == NULL) {
            return TG_ERR_NO_MEMORY;
        }
        series->states = states;
        series->capacity = capacity;
    }
    series->states[series->count++] = *state;
    return TG_OK;
}

static tg_err find_or_add(glass_tape *tape, const char *venue, const char *symbol,
                          glass_series **out)
{
    *out = find(tape, venue, symbol);
    if (*out != NULL) {
        return TG_OK;
    }
    glass_series *series = calloc(1, sizeof *series);
    if (series == NULL) {
        return TG_ERR_NO_MEMORY;
    }
    (void)snprintf(series->venue, sizeof series->venue, "%s", venue);
    (void)snprintf(series->symbol, sizeof series->symbol, "%s", symbol);
    const glass_state empty = {0};
    if (append_state(series, &empty) != TG_OK) {
        free(series);
        return TG_ERR_NO_MEMORY;
    }
    const size_t bucket = bucket_of(venue, symbol);
    series->index = tape->count++;
    series->next = tape->buckets[bucket];
    tape->buckets[bucket] = series;
    *out = series;
    return TG_OK;
}

typedef enum row_fate {
    FATE_SKIPPED,
    FATE_NEW,
    FATE_COMPLETES /* the other side of the update before */
} row_fate;

static row_fate judge(seen_id *seen, const tape_row *row)
{
    if (!row->has_id) {
        return FATE_NEW;
    }
    const unsigned kind = 1u << row->kind;
    if (!seen->any || row->id > seen->id) {
        *seen = (seen_id){true, row->id, row->ts_ns, kind};
        return FATE_NEW;
    }
    if (row->id == seen->id && row->ts_ns == seen->ts_ns && (seen->kinds & kind) == 0) {
        seen->kinds |= kind;
        return FATE_COMPLETES;
    }
    return FATE_SKIPPED;
}

static tg_err apply(glass_series *series, const tape_row *row)
{
    const row_fate fate = judge(row->kind == ROW_TRADE ? &series->trades : &series->quotes, row);
    if (fate == FATE_SKIPPED) {
        return TG_OK;
    }
    glass_state state = series->states[series->count - 1];
    switch (row->kind) {
    case ROW_BID:
        state.bid = row->price;
        state.bid_size = row->quantity;
        break;
    case ROW_ASK:
        state.ask = row->price;
        state.ask_size = row->quantity;
        break;
    case ROW_TRADE:
        state.last = row->price;
        break;
    }
    if (fate == FATE_COMPLETES) {
        series->states[series->count - 1] = state;
        return TG_OK;
    }
    return append_state(series, &state);
}

/* NAME of NAME_A to NAME_Z; false: the venue is not one of several feeds. */
static bool merged_venue(const char *venue, char name[NAME_SIZE])
{
    const size_t length = strlen(venue);
    if (length < 3 || length >= NAME_SIZE || venue[length - 2] != '_' || venue[length - 1] < 'A' ||
        venue[length - 1] > 'Z') {
        return false;
    }
    memcpy(name, venue, length - 2);
    name[length - 2] = '\0';
    return true;
}

static bool read_unsigned(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    for (const char *at = text; *at != '\0'; at++) {
        if (*at < '0' || *at > '9' || value > (UINT64_MAX - 9) / 10) {
            return false;
        }
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *out = value;
    return text[0] != '\0';
}

static bool read_kind(const char *text, row_kind *out)
{
    static const char *const names[] = {"bid", "ask", "trade"};
    for (unsigned i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (row_kind)i;
            return true;
        }
    }
    return false;
}

/* Cuts line into fields in place. Returns what is wrong with it, or NULL. */
static const char *read_row(char *line, tape_row *row)
{
    char *field[FIELD_COUNT];
    size_t count = 0;
    for (char *at = line; at != NULL && count < FIELD_COUNT; count++) {
        field[count] = at;
        at = strchr(at, ',');
        if (at != NULL) {
            *at++ = '\0';
        }
        if (count + 1 == FIELD_COUNT && at != NULL) {
            return "more than seven fields";
        }
    }
    if (count != FIELD_COUNT) {
        return "fewer than seven fields";
    }
    uint64_t ts_ns = 0;
    if (!read_unsigned(field[0], &ts_ns) || ts_ns > INT64_MAX) {
        return "the time is not a number";
    }
    row->ts_ns = (int64_t)ts_ns;
    row->venue = field[1];
    row->symbol = field[2];
    if (field[1][0] == '\0' || field[2][0] == '\0' || strlen(field[1]) >= NAME_SIZE ||
        strlen(field[2]) >= NAME_SIZE) {
        return "venue or symbol is empty or too long";
    }
    if (!read_kind(field[3], &row->kind)) {
        return "the kind is not bid, ask or trade";
    }
    row->price = glass_number_read(field[4], strlen(field[4]));
    row->quantity = glass_number_read(field[5], strlen(field[5]));
    if (row->price.kind == GLASS_NUMBER_UNREADABLE ||
        row->quantity.kind == GLASS_NUMBER_UNREADABLE) {
        return "price or quantity is not a decimal number";
    }
    row->has_id = field[6][0] != '\0';
    if (row->has_id && !read_unsigned(field[6], &row->id)) {
        return "exchange_seq is not a number";
    }
    return NULL;
}

static tg_err apply_to_feeds(glass_tape *tape, const tape_row *row)
{
    glass_series *series = NULL;
    tg_err err = find_or_add(tape, row->venue, row->symbol, &series);
    if (err == TG_OK) {
        err = apply(series, row);
    }
    char name[NAME_SIZE];
    if (err == TG_OK && merged_venue(row->venue, name)) {
        err = find_or_add(tape, name, row->symbol, &series);
        if (err == TG_OK) {
            err = apply(series, row);
        }
    }
    return err;
}

static tg_err read_all(glass_tape *tape, line_source *source, const char **cause)
{
    for (;;) {
        const char *line = NULL;
        tg_err err = line_source_next(source, &line);
        if (err == TG_ERR_NOT_FOUND) {
            return TG_OK;
        }
        if (err != TG_OK) {
            *cause = err == TG_ERR_IO ? strerror(errno)
                                      : "the compressed data is damaged, or the line is too long";
            return err;
        }
        if (line_source_number(source) == 1 && strncmp(line, "ts_ns,", 6) == 0) {
            continue;
        }
        char fields[LINE_SOURCE_LINE_SIZE];
        (void)snprintf(fields, sizeof fields, "%s", line);
        tape_row row = {0};
        *cause = read_row(fields, &row);
        if (*cause != NULL) {
            return TG_ERR_SYNTAX;
        }
        err = apply_to_feeds(tape, &row);
        if (err != TG_OK) {
            *cause = tg_err_text(err);
            return err;
        }
        tape->rows++;
    }
}

tg_err glass_tape_open(const char *path, glass_tape **out, char *why, size_t why_size)
{
    *out = NULL;
    line_source *source = NULL;
    tg_err err = line_source_open(path, &source);
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "%s: %s", path,
                       err == TG_ERR_IO ? strerror(errno) : tg_err_text(err));
        return err;
    }
    glass_tape *tape = calloc(1, sizeof *tape);
    const char *cause = tg_err_text(TG_ERR_NO_MEMORY);
    err = tape == NULL ? TG_ERR_NO_MEMORY : read_all(tape, source, &cause);
    if (err != TG_OK) {
        (void)snprintf(why, why_size, "%s:%" PRIu64 ": %s", path, line_source_number(source),
                       cause);
        glass_tape_close(tape);
        tape = NULL;
    }
    line_source_close(source);
    *out = tape;
    return err;
}

void glass_tape_close(glass_tape *tape)
{
    if (tape == NULL) {
        return;
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        for (glass_series *series = tape->buckets[i]; series != NULL;) {
            glass_series *next = series->next;
            free(series->states);
            free(series);
            series = next;
        }
    }
    free(tape);
}

const glass_series *glass_tape_find(const glass_tape *tape, const char *venue, const char *symbol)
{
    return find(tape, venue, symbol);
}

size_t glass_series_count(const glass_series *series)
{
    return series->count;
}

const glass_state *glass_series_states(const glass_series *series)
{
    return series->states;
}

size_t glass_series_index(const glass_series *series)
{
    return series->index;
}

size_t glass_tape_count(const glass_tape *tape)
{
    return tape->count;
}

uint64_t glass_tape_rows(const glass_tape *tape)
{
    return tape->rows;
}
