/**
 * A source's own times mapped to the moment of the replay.
 *
 * Strictly increasing: different source times stay different at any speed, because equal times with
 * equal ids are one tick.
 */
#ifndef TG_GATEWAY_REBASE_H
#define TG_GATEWAY_REBASE_H

#include <stdbool.h>
#include <stdint.h>

/* Source seconds per wall second, in thousandths; 0: as fast as possible. */
#define TG__SPEED_SCALE 1000u
#define TG__SPEED_MAX   (1000000u * TG__SPEED_SCALE)

typedef struct tg__rebase {
    uint32_t speed_milli;
    bool keep_times;
    bool has_last;
    int64_t source_start_ns;
    int64_t mono_start_ns;
    int64_t utc_start_ns;
    int64_t last_source_ns;
    int64_t last_ts_ns;
} tg__rebase;

void tg__rebase_init(tg__rebase *rebase, uint32_t speed_milli, bool keep_times);

/* source_start_ns happens now; also when a replay starts again. */
void tg__rebase_start(tg__rebase *rebase, int64_t source_start_ns, int64_t mono_ns, int64_t utc_ns);

/* When a source time is due on the monotonic clock; the start itself at speed 0. */
int64_t tg__rebase_due_mono_ns(const tg__rebase *rebase, int64_t source_ns);

/* A moment on the time line of the exchange times that are published, whatever steps the wall clock
 * makes. Not with keep_times: then those are the tape's own. */
int64_t tg__rebase_utc_ns(const tg__rebase *rebase, int64_t mono_ns);

/* How long ago the row of that published time was due; -1 at speed 0, where nothing ever is. */
int64_t tg__rebase_age_ns(const tg__rebase *rebase, int64_t ts_ns, int64_t mono_ns);

/* The exchange time to publish; source times must not go back between starts. */
int64_t tg__rebase_ts_ns(tg__rebase *rebase, int64_t source_ns);

#endif
