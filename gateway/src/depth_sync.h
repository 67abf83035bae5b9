/**
 * Joins one snapshot with a stream of differences by the venue's ids.
 *
 * A difference covers the ids (from, to]. It continues a book that stands at id L if from <= L <
 * to; one with to <= L is in the book already. What arrives before the snapshot is held and judged
 * once the snapshot is there: some of it is newer than the snapshot, and without it the book is
 * wrong.
 */
#ifndef TG_GATEWAY_DEPTH_SYNC_H
#define TG_GATEWAY_DEPTH_SYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickglass/err.h>

#define TG__DEPTH_HELD_MAX 4096u /* frames; full: the oldest is dropped */

typedef enum tg__depth_verdict {
    TG__DEPTH_HOLD,  /* no snapshot yet: tg__depth_sync_hold() */
    TG__DEPTH_OLD,   /* the book holds it already */
    TG__DEPTH_APPLY, /* continues the book, which stands at `to` now */
    TG__DEPTH_GAP /* something is missing: the snapshot is no longer valid; hold the difference */
} tg__depth_verdict;

typedef struct tg__held_frame {
    char *text;
    size_t length;
} tg__held_frame;

/* All zero is one without a snapshot. */
typedef struct tg__depth_sync {
    bool has_snapshot;
    uint64_t last_id;
    tg__held_frame *held; /* a ring of TG__DEPTH_HELD_MAX, allocated with the first */
    size_t held_first;
    size_t held_count;
} tg__depth_sync;

void tg__depth_sync_deinit(tg__depth_sync *sync);

void tg__depth_sync_snapshot(tg__depth_sync *sync, uint64_t id);
void tg__depth_sync_lose(tg__depth_sync *sync);

tg__depth_verdict tg__depth_sync_judge(tg__depth_sync *sync, uint64_t from, uint64_t to);

/* Copies the text. TG_ERR_NO_MEMORY. */
TG_MUST_CHECK tg_err tg__depth_sync_hold(tg__depth_sync *sync, const char *text, size_t length);

/* The oldest held frame, the caller's to free; false: there is none. */
bool tg__depth_sync_take(tg__depth_sync *sync, tg__held_frame *out);

#endif
