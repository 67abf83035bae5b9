/**
 * How long ticks take in each of the five stages of the gateway, and in the two of clients that
 * report theirs. docs/GATEWAY.md says exactly what each stage counts.
 *
 * What records is allocated at open; writing an interval takes scratch memory and gives it back.
 * The current interval is recorded into one set of histograms, the last whole one is kept in
 * another; sums and counts go on over all intervals. What has ended is published one stage a
 * boundary, because all of them would hold up the loop for milliseconds.
 */
#ifndef TG_GATEWAY_METRICS_H
#define TG_GATEWAY_METRICS_H

#include <tickglass/clock.h>
#include <tickglass/histogram.h>

#include <tickglass/internal/frame.h>

#include "metrics_files.h"
#include "stage_record.h"

/* Boundaries whose admissions are remembered: more than the most that lie between two frames. */
#define TG__METRICS_BOUNDARIES 8u

/* Values of a client's stage in one interval. Fewer than would fill the table of a histogram's
 * carries, with which every look at it would take long. */
#define TG__METRICS_CLIENT_VALUES_MAX (UINT64_C(1) << 26)

/* The first tick of an instrument that a boundary cut. */
typedef struct tg__admission {
    uint64_t boundary; /* 0: none */
    int64_t mono_ns;
} tg__admission;

typedef struct tg__stage_total {
    uint64_t count;
    uint64_t sum_ns;
} tg__stage_total;

typedef struct tg__stage_quantiles {
    bool known; /* an interval had values */
    int64_t p50_ns;
    int64_t p99_ns;
    int64_t p999_ns;
} tg__stage_quantiles;

typedef struct tg__metrics {
    tg_clock clock;
    tg__metrics_files *files; /* NULL: none are written */
    tg__stage_record *record; /* outlives this; NULL: none is written */
    tg_histogram *current[TG__STAGE_COUNT];
    tg_histogram *last[TG__STAGE_COUNT]; /* the last whole interval; empty before its end */
    tg__stage_total totals[TG__STAGE_COUNT];
    uint64_t client_values[TG__STAGE_COUNT];        /* of the current interval, from reports */
    tg__stage_quantiles quantiles[TG__STAGE_COUNT]; /* of the last whole interval */
    unsigned published;                             /* stages of it */
    int64_t last_from_utc_ns;
    int64_t last_to_utc_ns;
    int64_t interval_mono_ns; /* when the current interval began */
    int64_t interval_utc_ns;
    uint32_t turn_rows; /* admitted since the handlers began their turn */
    int64_t turn_mono_ns;
    int64_t frame_mono_ns;     /* when the encoding of the frame in hand began */
    tg__admission *admissions; /* TG__METRICS_BOUNDARIES of each instrument id */
} tg__metrics;

/*
 * For instrument ids below instrument_count. files is taken over, on failure too. TG_ERR_NO_MEMORY.
 */
TG_MUST_CHECK tg_err tg__metrics_open(const tg_clock *clock, uint32_t instrument_count,
                                      tg__metrics_files *files, tg__metrics **out);
/* Writes the interval that has begun. NULL is allowed, here and in all hooks below. */
void tg__metrics_close(tg__metrics *metrics);

/* A lane admitted a row that boundary will cut. age_ns: since it was due; negative: not known. */
void tg__metrics_row(tg__metrics *metrics, tg_instrument_id id, uint64_t boundary,
                     int64_t taken_mono_ns, int64_t age_ns);

/* The turn of the handlers is over: a boundary may cut what they brought. */
void tg__metrics_turn_end(tg__metrics *metrics, int64_t mono_ns);

/* Around the encoding and queueing of a group's frame. The end returns its time, 0 for NULL. */
void tg__metrics_frame_begin(tg__metrics *metrics);
int64_t tg__metrics_frame_end(tg__metrics *metrics, const tg__frame *frame,
                              const tg__update *updates);

/* Ticks of the priority channel were encoded for the connection, and are its next message. They are
 * in no histogram. */
void tg__metrics_ticks(tg__metrics *metrics, uint64_t connection, const tg__tick *ticks,
                       uint32_t count, int64_t begun_mono_ns);

/* The connection's socket took a frame that was queued then; 0: it was no frame, or not measured.
 */
void tg__metrics_written(tg__metrics *metrics, uint64_t connection, int64_t queued_mono_ns);

/* An ECHO of the connection was seen. */
void tg__metrics_echo(tg__metrics *metrics, uint64_t connection, uint64_t cookie, int64_t mono_ns);

/* A histogram of the shape that all stages have. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__metrics_histogram_open(tg_histogram **out);

/*
 * What a client reports of one of its stages: count values that add up to sum_ns. False: the
 * interval has too many already, and nothing was added. A total stops at its largest number.
 */
bool tg__metrics_client(tg__metrics *metrics, tg__stage stage, const tg_histogram *values,
                        uint64_t count, uint64_t sum_ns);

/* Call it once a boundary: every 10 s it ends the interval; then it publishes stage by stage. */
void tg__metrics_rotate(tg__metrics *metrics);

#endif
