/*
 * A straight reading of a tape: what every instrument must show in the end, worked out without a
 * line of the gateway's, the codec's or the store's code.
 *
 * The rules are those of the data, not of an implementation: within (venue, symbol, quotes or
 * trades) a row with an equal id to the last one that counted is a duplicate, except that a bid and
 * an ask with equal time and id are one tick. One with a lower id is a duplicate, too, if that id
 * is among the last 64 that counted: the same row by another feed, late. Else it is a regression.
 * Rows without an id always count: no tape's time goes back.
 */
#ifndef TAPE_ORACLE_H
#define TAPE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 oracle_wide;

/* mantissa / 10^scale; present is false until the first row. */
typedef struct oracle_number {
    oracle_wide mantissa;
    unsigned scale;
    bool present;
} oracle_number;

typedef enum oracle_kind {
    ORACLE_BID,
    ORACLE_ASK,
    ORACLE_TRADE
} oracle_kind;

#define ORACLE_RECENT 64

typedef struct oracle_instrument {
    char venue[40];
    char symbol[64];
    oracle_number price[3]; /* latest, by kind */
    oracle_number quantity[3];
    oracle_number volume;
    oracle_number open;
    oracle_number high;
    oracle_number low;
    int64_t ts_ns;  /* of the latest row that counted */
    uint64_t ticks; /* rows that counted, a bid and an ask of one update as one */
    struct {
        int64_t ts_ns;                  /* of the newest id */
        unsigned sides;                 /* that it has brought */
        uint64_t recent[ORACLE_RECENT]; /* ids that counted, the newest first */
        size_t recent_count;
    } domain[2]; /* quotes, trades */
} oracle_instrument;

typedef struct tape_oracle {
    oracle_instrument *instruments;
    size_t count;
    uint64_t rows;
    uint64_t trades; /* rows of kind trade, counted or not */
    uint64_t duplicates;
    uint64_t regressions;
} tape_oracle;

/* An .xz file. merge_feeds: venue NAME_A is read as NAME. Prints what is wrong and returns false.
 */
bool tape_oracle_read(tape_oracle *oracle, const char *path, bool merge_feeds);
/* One that is not packed. */
bool tape_oracle_read_plain(tape_oracle *oracle, const char *path);
void tape_oracle_free(tape_oracle *oracle);

/* Decimal text; false: it is none. */
bool oracle_number_read(const char *text, oracle_number *out);

/* Equal numbers, whatever their scales; an absent one equals only an absent one. */
bool oracle_number_equals(const oracle_number *number, bool present, int64_t mantissa,
                          int exponent);

#endif
