/*
 * How long ticks take to the glass, in nanoseconds: from where the client's own stages end to the
 * hand-off to the window system, for all of the run and for the last seconds.
 */
#ifndef TG_TERMINAL_GLASS_TIMES_H
#define TG_TERMINAL_GLASS_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include <tickglass/histogram.h>

typedef struct glass_times glass_times;

/* TG_ERR_NO_MEMORY. Thread: owner. */
TG_MUST_CHECK tg_err glass_times_open(glass_times **out);
/* NULL is allowed. Thread: owner. */
void glass_times_close(glass_times *times);

/* A row that was drawn from a version which this glass had not shown before. */
typedef struct fresh_row {
    int64_t received_mono_ns;
    int64_t committed_mono_ns;
    int64_t ts_exchange_ns; /* UTC; 0: not known */
    bool first; /* the first image of this row: its tick may be old, the exchange's time says
                   nothing */
} fresh_row;

typedef struct pass_stamps {
    int64_t drawn_mono_ns;
    int64_t handed_mono_ns;
    int64_t handed_utc_ns;
    int64_t pinned_mono_ns; /* the pass began */
} pass_stamps;

/* Thread: owner. */
void glass_times_record(glass_times *times, const fresh_row *row, const pass_stamps *stamps);

typedef enum glass_span {
    SPAN_COMMITTED_TO_DRAWN,
    SPAN_DRAWN_TO_HANDED,
    SPAN_RECEIVED_TO_HANDED,
    SPAN_EXCHANGE_TO_HANDED, /* one way: only as good as both clocks agree */
    SPAN_COUNT
} glass_span;

/* Of the whole run. Owner: times. Thread: owner. */
const tg_histogram *glass_times_all(const glass_times *times, glass_span span);

typedef struct recent_times {
    uint64_t count;
    int64_t p50_ns;
    int64_t p99_ns;
    int64_t max_ns;
} recent_times;

#define GLASS_TIMES_RECENT_S 10

/*
 * Received to handed and exchange to handed, of about the last GLASS_TIMES_RECENT_S seconds up to
 * now. Costs tens of microseconds: once or twice a second. Thread: owner.
 */
recent_times glass_times_recent(glass_times *times, glass_span span, int64_t now_mono_ns);

#endif
