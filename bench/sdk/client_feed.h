/* Frames that follow from each other, and a client that lives on them: its connection is the
 * caller. */
#ifndef BENCH_SDK_CLIENT_FEED_H
#define BENCH_SDK_CLIENT_FEED_H

#include <tickglass/client.h>
#include <tickglass/internal/frame.h>

#include "random.h"

enum {
    client_feed_rounds = 31,
    client_feed_frames_a_round = 2048,
    client_feed_frames = client_feed_rounds * client_feed_frames_a_round,
    client_feed_instruments = 64,
    client_feed_resolution_ns = 100000,
    client_feed_frame_size_max = 4096
};

#define CLIENT_FEED_START_UTC_NS INT64_C(1700000000000000000)

/* The gateway's side. */
typedef struct client_feed {
    tg__random random;
    tg_instrument_id ids[client_feed_instruments];
    tg_image images[client_feed_instruments];
    tg__channel channel;
    tg_image channel_images[client_feed_instruments];
    tg_instrument_id channel_ids[client_feed_instruments];
    uint8_t snapshot[client_feed_frame_size_max * 4];
    size_t snapshot_size;
    uint8_t *bytes;
    size_t *offsets; /* of each frame, and the end */
    uint64_t rows;
} client_feed;

/* All of these end the program if anything goes wrong. */
void client_feed_open(client_feed *feed);
void client_feed_close(client_feed *feed);
void client_feed_instrument(tg_instrument *instrument, tg_instrument_id id);

/*
 * Opened as by a program, but nobody listens where its URL points. It is live when this returns,
 * and wants the frames from the first one on.
 */
tg_client *client_feed_join(const client_feed *feed, tg_client_options *options);

/* One message, at the place where a connection hands it over; it looks at the clock as that does.
 */
void client_feed_give(tg_client *client, const uint8_t *bytes, size_t size);

static inline void client_feed_frame(const client_feed *feed, tg_client *client, uint32_t number)
{
    client_feed_give(client, feed->bytes + feed->offsets[number],
                     feed->offsets[number + 1] - feed->offsets[number]);
}

#endif
