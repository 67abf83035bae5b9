/*
 * Judges depth as clients of the public library are shown it: no book is torn, none is older than
 * the one before, the best levels are the row's own where both are of one version, and one version
 * has one book, whoever gets it from whichever node. Shares no code with gateway or store.
 */
#ifndef DEPTH_JUDGE_H
#define DEPTH_JUDGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <tickglass/store.h>

#define DEPTH_INSTRUMENTS 8u
#define DEPTH_REMEMBERED  8192u /* of an instrument's versions; the oldest are forgotten */

typedef struct depth_name {
    const char *venue;
    const char *symbol;
} depth_name;

/* Busy ones of every venue of the simulated market: fractions, negative prices, CJK, no ids. */
extern const depth_name depth_names[DEPTH_INSTRUMENTS];

/* What one lineage has told, to all clients together. */
typedef struct depth_record {
    pthread_mutex_t mutex;
    struct {
        tg_version version;
        uint64_t sum; /* of the levels */
    } books[DEPTH_INSTRUMENTS][DEPTH_REMEMBERED];
    uint64_t compared;
    uint64_t differing;
} depth_record;

bool depth_record_init(depth_record *record);
void depth_record_deinit(depth_record *record);
/* Versions that another client had, too; and those of which the books were not equal. Any thread.
 */
uint64_t depth_record_compared(depth_record *record);
uint64_t depth_record_differing(depth_record *record);

/* What one client was shown. */
typedef struct depth_findings {
    uint64_t judged;      /* books, each time that a view had another one */
    uint64_t torn;        /* order of prices, an empty level, or crossed where the row is not */
    uint64_t regressions; /* of versions */
    uint64_t other_tops;  /* not the row's of the same version */
    uint64_t same_tops;   /* the row's of the same version, as it should be */
    uint64_t gaps;        /* books with a price between two levels at which nothing rests */
    uint64_t full;        /* sides of ten levels */
    uint64_t raises;      /* of the epoch */
    char first_fault[160];
} depth_findings;

typedef struct depth_judge {
    depth_record *record;
    struct {
        bool shown;
        tg_version version;
    } instruments[DEPTH_INSTRUMENTS];
    depth_findings findings;
} depth_judge;

/* Depth of the index-th name as one view has it, beside the row of the same view. */
void depth_judge_show(depth_judge *judge, size_t index, const tg_row *row, const tg_depth *depth,
                      const tg_instrument *instrument);

/* Versions of another lineage do not compare: judge by its record from now on. */
void depth_judge_restart(depth_judge *judge, depth_record *record);

/* Nothing was torn, older, of another top, or different for somebody else. */
bool depth_judge_is_clean(const depth_judge *judge);

#endif
