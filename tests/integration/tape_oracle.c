#include "tape_oracle.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 7

static char *read_whole(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        return NULL;
    }
    char *bytes = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long length = ftell(file);
        bytes = length >= 0 && fseek(file, 0, SEEK_SET) == 0 ? malloc((size_t)length + 1) : NULL;
        if (bytes != NULL && fread(bytes, 1, (size_t)length, file) != (size_t)length) {
            free(bytes);
            bytes = NULL;
        }
        *size = bytes != NULL ? (size_t)length : 0;
    }
    (void)fclose(file);
    return bytes;
}

/* Unpacks .xz data into a block of its own, NUL behind it. */
static char *unpack(const char *packed, size_t packed_size, size_t *size)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    size_t capacity = packed_size * 16 + 4096;
    char *text = malloc(capacity + 1);
    lzma_ret status = lzma_stream_decoder(&stream, UINT64_MAX, 0);
    stream.next_in = (const uint8_t *)packed;
    stream.avail_in = packed_size;
    size_t filled = 0;
    while (text != NULL && status == LZMA_OK) {
        if (filled == capacity) {
            capacity *= 2;
            char *const grown = realloc(text, capacity + 1);
            if (grown == NULL) {
                break;
            }
            text = grown;
        }
        stream.next_out = (uint8_t *)text + filled;
        stream.avail_out = capacity - filled;
        status = lzma_code(&stream, LZMA_FINISH);
        filled = capacity - stream.avail_out;
    }
    lzma_end(&stream);
    if (status != LZMA_STREAM_END) {
        free(text);
        return NULL;
    }
    text[filled] = '\0';
    *size = filled;
    return text;
}

bool oracle_number_read(const char *text, oracle_number *out)
{
    const bool negative = *text == '-';
    out->mantissa = 0;
    out->scale = 0;
    out->present = true;
    bool fraction = false;
    for (const char *at = text + negative; *at != '\0'; at++) {
        if (*at == '.') {
            fraction = true;
        } else if (*at >= '0' && *at <= '9') {
            out->mantissa = out->mantissa * 10 + (*at - '0');
            out->scale += fraction;
        } else {
            return false;
        }
    }
    out->mantissa = negative ? -out->mantissa : out->mantissa;
    return true;
}

static void rescale(oracle_number *number, unsigned scale)
{
    for (; number->scale < scale; number->scale++) {
        number->mantissa *= 10;
    }
}

static int compare(oracle_number a, oracle_number b)
{
    rescale(&a, b.scale);
    rescale(&b, a.scale);
    return a.mantissa < b.mantissa ? -1 : a.mantissa > b.mantissa;
}

bool oracle_number_equals(const oracle_number *number, bool present, int64_t mantissa, int exponent)
{
    if (!number->present || !present) {
        return number->present == present;
    }
    oracle_number other = {mantissa, exponent < 0 ? (unsigned)-exponent : 0, true};
    for (; exponent > 0; exponent--) {
        other.mantissa *= 10;
    }
    return compare(*number, other) == 0;
}

static oracle_instrument *find_or_add(tape_oracle *oracle, const char *venue, const char *symbol)
{
    for (size_t i = 0; i < oracle->count; i++) {
        if (strcmp(oracle->instruments[i].symbol, symbol) == 0 &&
            strcmp(oracle->instruments[i].venue, venue) == 0) {
            return &oracle->instruments[i];
        }
    }
    oracle_instrument *const grown =
        realloc(oracle->instruments, (oracle->count + 1) * sizeof *oracle->instruments);
    if (grown == NULL) {
        return NULL;
    }
    oracle->instruments = grown;
    oracle_instrument *const added = &grown[oracle->count++];
    memset(added, 0, sizeof *added);
    (void)snprintf(added->venue, sizeof added->venue, "%s", venue);
    (void)snprintf(added->symbol, sizeof added->symbol, "%s", symbol);
    return added;
}

static void count_trade(oracle_instrument *instrument, const oracle_number *price,
                        const oracle_number *quantity)
{
    if (!instrument->open.present) {
        instrument->open = instrument->high = instrument->low = *price;
    }
    if (compare(*price, instrument->high) > 0) {
        instrument->high = *price;
    }
    if (compare(*price, instrument->low) < 0) {
        instrument->low = *price;
    }
    oracle_number sum = *quantity;
    rescale(&sum, instrument->volume.scale);
    rescale(&instrument->volume, sum.scale);
    instrument->volume.mantissa += sum.mantissa;
    instrument->volume.present = true;
}

typedef struct row {
    int64_t ts_ns;
    oracle_kind kind;
    oracle_number price;
    oracle_number quantity;
    bool has_id;
    uint64_t id;
} row;

typedef enum judgement {
    COUNTS,
    COUNTS_AS_THE_SAME_TICK,
    IS_DUPLICATE,
    IS_REGRESSION
} judgement;

static judgement judge_by_id(oracle_instrument *instrument, const row *r)
{
    const unsigned side = 1u << r->kind;
    const size_t domain = r->kind == ORACLE_TRADE;
    uint64_t *const recent = instrument->domain[domain].recent;
    const size_t known = instrument->domain[domain].recent_count;
    if (known > 0 && r->id == recent[0]) {
        const bool same_tick = r->ts_ns == instrument->domain[domain].ts_ns &&
                               (instrument->domain[domain].sides & side) == 0;
        if (!same_tick) {
            return IS_DUPLICATE;
        }
        instrument->domain[domain].sides |= side;
        return COUNTS_AS_THE_SAME_TICK;
    }
    if (known > 0 && r->id < recent[0]) {
        for (size_t i = 1; i < known; i++) {
            if (recent[i] == r->id) {
                return IS_DUPLICATE;
            }
        }
        return IS_REGRESSION;
    }
    const size_t kept = known < ORACLE_RECENT ? known : ORACLE_RECENT - 1;
    memmove(recent + 1, recent, kept * sizeof *recent);
    recent[0] = r->id;
    instrument->domain[domain].recent_count = kept + 1;
    instrument->domain[domain].sides = side;
    instrument->domain[domain].ts_ns = r->ts_ns;
    return COUNTS;
}

static void take_row(tape_oracle *oracle, oracle_instrument *instrument, const row *r)
{
    const judgement found = r->has_id ? judge_by_id(instrument, r) : COUNTS;
    if (found == IS_DUPLICATE || found == IS_REGRESSION) {
        oracle->duplicates += found == IS_DUPLICATE;
        oracle->regressions += found == IS_REGRESSION;
        return;
    }
    instrument->ticks += found == COUNTS;
    instrument->ts_ns = r->ts_ns;
    instrument->price[r->kind] = r->price;
    instrument->quantity[r->kind] = r->quantity;
    if (r->kind == ORACLE_TRADE) {
        count_trade(instrument, &r->price, &r->quantity);
    }
}

/* Cuts the line in place. */
static bool take_line(tape_oracle *oracle, char *line, bool merge_feeds)
{
    char *field[FIELDS];
    for (size_t i = 0; i < FIELDS; i++) {
        field[i] = line;
        char *const comma = strchr(line, ',');
        if ((comma == NULL) != (i == FIELDS - 1)) {
            return false;
        }
        if (comma != NULL) {
            *comma = '\0';
            line = comma + 1;
        }
    }
    static const char *const kinds[] = {"bid", "ask", "trade"};
    row r = {.ts_ns = strtoll(field[0], NULL, 10), .has_id = field[6][0] != '\0'};
    unsigned kind = 0;
    while (kind < 3 && strcmp(field[3], kinds[kind]) != 0) {
        kind++;
    }
    if (kind == 3 || !oracle_number_read(field[4], &r.price) ||
        !oracle_number_read(field[5], &r.quantity)) {
        return false;
    }
    r.kind = (oracle_kind)kind;
    r.id = r.has_id ? strtoull(field[6], NULL, 10) : 0;
    const size_t venue_length = strlen(field[1]);
    if (merge_feeds && venue_length > 2 && field[1][venue_length - 2] == '_') {
        field[1][venue_length - 2] = '\0';
    }
    oracle_instrument *const instrument = find_or_add(oracle, field[1], field[2]);
    if (instrument == NULL) {
        return false;
    }
    oracle->rows++;
    oracle->trades += r.kind == ORACLE_TRADE;
    take_row(oracle, instrument, &r);
    return true;
}

/* Takes text, which is a block of its own, over. */
static bool take_text(tape_oracle *oracle, const char *path, char *text, size_t size,
                      bool merge_feeds)
{
    bool good = text != NULL;
    unsigned long number = 0;
    char *line = text;
    while (good && line < text + size) {
        char *const newline = strchr(line, '\n');
        if (newline != NULL) {
            *newline = '\0';
        }
        char *const next = newline != NULL ? newline + 1 : line + strlen(line);
        number++;
        good = number == 1 || take_line(oracle, line, merge_feeds);
        line = next;
    }
    if (!good) {
        (void)fprintf(stderr, "%s:%lu: not read\n", path, number);
    }
    free(text);
    return good;
}

bool tape_oracle_read(tape_oracle *oracle, const char *path, bool merge_feeds)
{
    memset(oracle, 0, sizeof *oracle);
    size_t packed_size = 0;
    size_t size = 0;
    char *const packed = read_whole(path, &packed_size);
    char *const text = packed != NULL ? unpack(packed, packed_size, &size) : NULL;
    free(packed);
    return take_text(oracle, path, text, size, merge_feeds);
}

bool tape_oracle_read_plain(tape_oracle *oracle, const char *path)
{
    memset(oracle, 0, sizeof *oracle);
    size_t size = 0;
    char *const text = read_whole(path, &size);
    if (text != NULL) {
        text[size] = '\0';
    }
    return take_text(oracle, path, text, size, false);
}

void tape_oracle_free(tape_oracle *oracle)
{
    free(oracle->instruments);
    memset(oracle, 0, sizeof *oracle);
}
