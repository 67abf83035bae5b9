/**
 * Connections with equal sets: one channel image, one chain of frames, each encoded once. Where
 * there are many, they are several groups of the same set, each with the next phase: the frames are
 * encoded once in each, and what is sent is spread over the interval.
 *
 * Whatever enters the channel of a member is cut from this image at its boundary, in the order of
 * its queue: a private snapshot puts a member here, and the shared frames fit from there on.
 */
#ifndef TG_GATEWAY_GROUP_H
#define TG_GATEWAY_GROUP_H

#include "image_table.h"

#define TG__GROUP_MEMBERS_MAX 64u /* sends in one burst: under 2 ms of a core */

/* About one a second: a state digest costs a pass over the whole set. */
#define TG__FRAMES_PER_DIGEST 25u

struct tg__peer;

typedef struct tg__group {
    tg__channel channel;
    struct tg__group *next_in_bucket;
    struct tg__group *next; /* all groups of the hub */
    struct tg__group *previous;
    struct tg__peer *members;
    uint32_t member_count;
    uint32_t tally; /* of members, when the index is audited */
    uint32_t phase; /* the boundaries at which it sends, modulo boundaries per frame */
    uint32_t frames_until_digest;
    int64_t last_frame_mono_ns;
} tg__group;

/*
 * A group of the ascending ids whose image is the table's at its boundary. ts_gateway_ns must be a
 * multiple of the time resolution. NULL: no memory.
 */
tg__group *tg__group_open(const tg__image_table *table, const tg_instrument_id *ids, uint32_t count,
                          int64_t ts_gateway_ns);
void tg__group_close(tg__group *group);

/* True if the group's set is exactly these ids. */
bool tg__group_has_set(const tg__group *group, uint32_t digest, const tg_instrument_id *ids,
                       uint32_t count);

/*
 * What changed between the group's boundary and the table's: at most channel.count updates, in
 * order of their slots. Returns how many.
 */
uint32_t tg__group_collect(const tg__group *group, const tg__image_table *table,
                           tg__update *updates);

/* The whole image as a message at the group's boundary. TG_ERR_BUFFER_TOO_SMALL. */
TG_MUST_CHECK tg_err tg__group_snapshot(const tg__group *group, tg__image_table *table,
                                        tg__snapshot_reason reason, uint8_t *out, size_t capacity,
                                        size_t *size);

#endif
