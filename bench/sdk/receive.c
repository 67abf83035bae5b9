#include "receive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/store_writer.h>

#include "client_feed.h"
#include "samples.h"

enum {
    frames_a_turn = 16,
    store_instruments = 4096,
    readers = 9
};

/* Codec and store, and nothing between them. */
typedef struct bare {
    tg_store *store;
    tg__channel channel;
    tg_image images[client_feed_instruments];
    tg_instrument_id ids[client_feed_instruments];
    tg__update updates[client_feed_instruments];
} bare;

static void must(bool good, const char *what)
{
    if (!good) {
        (void)fprintf(stderr, "bench_session: %s\n", what);
        exit(1);
    }
}

/* --- codec and store alone --- */

static void open_bare(bare *b, const client_feed *f)
{
    const tg__store_options options = {.instruments_max = store_instruments,
                                       .readers_max = readers};
    const tg_venue venue = {.id = 1, .name = "SIM"};
    must(tg__store_open(&options, &b->store) == TG_OK &&
             tg__store_define_venue(b->store, &venue) == TG_OK,
         "no store");
    for (uint32_t i = 0; i < client_feed_instruments; i++) {
        tg_instrument instrument;
        client_feed_instrument(&instrument, f->ids[i]);
        must(tg__store_define_instrument(b->store, &instrument) == TG_OK, "no instrument");
    }
    tg__channel_init(&b->channel, b->ids, b->images, client_feed_instruments,
                     client_feed_resolution_ns);
    tg__frame frame;
    tg__snapshot_reason reason = TG__SNAPSHOT_SET_CHANGE;
    tg__fault fault;
    must(tg__snapshot_decode(f->snapshot, f->snapshot_size, client_feed_resolution_ns, &frame,
                             &reason, b->updates, client_feed_instruments, &fault) == TG_OK,
         "the snapshot does not decode");
    tg__channel_replace(&b->channel, &frame, b->updates);
}

static void bare_frame(bare *b, const uint8_t *bytes, size_t size, int64_t mono_ns)
{
    tg__frame frame;
    tg__fault fault;
    must(tg__delta_decode(&b->channel, bytes, size, &frame, b->updates, client_feed_instruments,
                          &fault) == TG_OK,
         "a frame does not decode");
    tg__channel_apply(&b->channel, &frame, b->updates);
    const tg__arrival arrival = {mono_ns, mono_ns, frame.ts_gateway_ns};
    for (uint32_t i = 0; i < frame.count; i++) {
        (void)tg__store_admit(b->store, b->updates[i].id, &b->updates[i].image,
                              b->updates[i].covered, &arrival);
    }
    tg__store_channel_alive(b->store, mono_ns);
    tg__store_publish(b->store, mono_ns);
}

static void take_note(void *ctx, uint64_t number)
{
    *(uint64_t *)ctx = number;
}

/* --- in turns --- */

static void measure_round(const client_feed *f, tg_client *client, bare *b, uint32_t round,
                          int64_t *client_ns, int64_t *bare_ns)
{
    const uint32_t end = (round + 1) * client_feed_frames_a_round;
    for (uint32_t first = round * client_feed_frames_a_round; first < end; first += frames_a_turn) {
        const int64_t from_ns = now_ns();
        for (uint32_t i = first; i < first + frames_a_turn; i++) {
            client_feed_frame(f, client, i);
        }
        const int64_t between_ns = now_ns();
        for (uint32_t i = first; i < first + frames_a_turn; i++) {
            bare_frame(b, f->bytes + f->offsets[i], f->offsets[i + 1] - f->offsets[i], between_ns);
        }
        *client_ns += between_ns - from_ns;
        *bare_ns += now_ns() - between_ns;
    }
}

void receive_measure(receive_result *result)
{
    static client_feed f;
    static bare b;
    uint64_t view_number = 0;
    client_feed_open(&f);
    open_bare(&b, &f);
    tg_client_options options;
    tg_client_options_init(&options);
    options.on_publish = take_note;
    options.ctx = &view_number;
    tg_client *client = client_feed_join(&f, &options);
    samples between = {{0}, 0};
    samples alone = {{0}, 0};
    for (uint32_t round = 0; round < client_feed_rounds; round++) {
        int64_t client_ns = 0;
        int64_t bare_ns = 0;
        measure_round(&f, client, &b, round, &client_ns, &bare_ns);
        samples_add(&between, (double)(client_ns - bare_ns) / client_feed_frames_a_round);
        samples_add(&alone, (double)bare_ns / client_feed_frames_a_round);
    }
    tg_client_counters counters = {.struct_size = sizeof counters};
    must(tg_client_counters_get(client, &counters) == TG_OK &&
             counters.frames == client_feed_frames + 1 && counters.gaps == 0 &&
             view_number > client_feed_frames / 2,
         "not every frame was applied");
    result->ns_per_frame = samples_median(&between);
    result->codec_and_store_ns = samples_median(&alone);
    result->bytes_per_frame = (double)f.offsets[client_feed_frames] / client_feed_frames;
    result->rows_per_frame = (double)f.rows / client_feed_frames;
    tg_client_close(client);
    tg__store_close(b.store);
    client_feed_close(&f);
}
