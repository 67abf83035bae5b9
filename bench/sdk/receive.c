#include "receive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/frame.h>

#include "client_state.h"
#include "random.h"
#include "samples.h"

enum {
    rounds = 31,
    frames_a_round = 2048,
    frames_a_turn = 16,
    frames = rounds * frames_a_round,
    instruments = 64,
    ticks_a_frame = 70, /* of which some hit the same instrument: frames of 300 bytes */
    frames_per_digest = 25,
    resolution_ns = 100000,
    frame_size_max = 4096,
    store_instruments = 4096,
    readers = 9
};

#define START_UTC_NS INT64_C(1700000000000000000)
#define FRAME_NS     INT64_C(40000000)

/* The gateway's side: frames that follow from each other. */
typedef struct feed {
    tg__random random;
    tg_instrument_id ids[instruments];
    tg_image images[instruments];
    tg__channel channel;
    tg_image channel_images[instruments];
    tg_instrument_id channel_ids[instruments];
    uint8_t snapshot[frame_size_max * 4];
    size_t snapshot_size;
    uint8_t *bytes;
    size_t *offsets;
    uint64_t rows;
} feed;

/* Codec and store, and nothing between them. */
typedef struct bare {
    tg_store *store;
    tg__channel channel;
    tg_image images[instruments];
    tg_instrument_id ids[instruments];
    tg__update updates[instruments];
} bare;

static void must(bool good, const char *what)
{
    if (!good) {
        (void)fprintf(stderr, "bench_session: %s\n", what);
        exit(1);
    }
}

static void fill_instrument(tg_instrument *instrument, tg_instrument_id id)
{
    memset(instrument, 0, sizeof *instrument);
    instrument->id = id;
    instrument->venue = 1;
    instrument->price_exponent = -2;
    instrument->band_count = 1;
    instrument->epoch = 1;
    instrument->multiplier.mantissa = 1;
    instrument->band[0].tick_size = 1;
    (void)snprintf(instrument->symbol, sizeof instrument->symbol, "S%u", (unsigned)id);
}

static void tick(feed *f, uint32_t at, int64_t utc_ns)
{
    tg_image *image = &f->images[at];
    const int64_t move = (int64_t)tg__random_upto(&f->random, 20) - 10;
    image->seq++;
    image->value[TG_FIELD_BID_PRICE] += move;
    image->value[TG_FIELD_ASK_PRICE] = image->value[TG_FIELD_BID_PRICE] + 5;
    image->value[TG_FIELD_BID_QUANTITY] = (int64_t)tg__random_upto(&f->random, 5000);
    image->value[TG_FIELD_TS_EXCHANGE] =
        utc_ns - (int64_t)tg__random_upto(&f->random, 300) * resolution_ns;
}

static void begin_feed(feed *f)
{
    f->random.state = 1;
    tg__update rows[instruments];
    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0; i < instruments; i++) {
        f->ids[i] = (tg_instrument_id)(i + 1);
        f->images[i].epoch = 1;
        f->images[i].present = TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE) |
                               TG_FIELD_BIT(TG_FIELD_BID_QUANTITY) |
                               TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
        f->images[i].value[TG_FIELD_BID_PRICE] = 100000 + 700 * (int64_t)i;
        tick(f, i, START_UTC_NS);
        rows[i].id = f->ids[i];
        rows[i].image = f->images[i];
    }
    const tg__frame frame = {.base = 1,
                             .boundary = 1,
                             .ts_gateway_ns = START_UTC_NS,
                             .set_digest = tg__set_digest(f->ids, instruments),
                             .count = instruments};
    size_t used = 0;
    must(tg__snapshot_header_encode(&frame, TG__SNAPSHOT_SET_CHANGE, resolution_ns, f->snapshot,
                                    sizeof f->snapshot, &used) == TG_OK,
         "no snapshot");
    for (uint32_t i = 0; i < instruments; i++) {
        size_t size = 0;
        must(tg__snapshot_row_encode(&rows[i], resolution_ns, f->snapshot + used,
                                     sizeof f->snapshot - used, &size) == TG_OK,
             "no snapshot row");
        used += size;
    }
    f->snapshot_size = used;
    tg__channel_init(&f->channel, f->channel_ids, f->channel_images, instruments, resolution_ns);
    tg__channel_replace(&f->channel, &frame, rows);
}

static void add_frame(feed *f, uint32_t number)
{
    const int64_t utc_ns = START_UTC_NS + (number + 1) * FRAME_NS;
    for (uint32_t i = 0; i < ticks_a_frame; i++) {
        tick(f, (uint32_t)tg__random_upto(&f->random, instruments - 1), utc_ns);
    }
    tg__update updates[instruments];
    memset(updates, 0, sizeof updates);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < instruments; slot++) {
        const uint64_t covered = f->images[slot].seq - f->channel.images[slot].seq;
        if (covered > 0) {
            tg__update *update = &updates[count++];
            update->id = f->ids[slot];
            update->slot = (uint16_t)slot;
            update->covered = covered;
            update->image = f->images[slot];
        }
    }
    const tg__frame frame = {.base = f->channel.boundary,
                             .boundary = f->channel.boundary + 1,
                             .ts_gateway_ns = utc_ns,
                             .set_digest = f->channel.set_digest,
                             .count = count,
                             .state_digest = number % frames_per_digest == 0};
    size_t size = 0;
    must(tg__delta_encode(&f->channel, &frame, updates, f->bytes + f->offsets[number],
                          frame_size_max, &size) == TG_OK,
         "no frame");
    tg__channel_apply(&f->channel, &frame, updates);
    f->offsets[number + 1] = f->offsets[number] + size;
    f->rows += count;
}

static void open_feed(feed *f)
{
    begin_feed(f);
    f->bytes = malloc((size_t)frames * 512 + frame_size_max);
    f->offsets = calloc(frames + 1, sizeof *f->offsets);
    must(f->bytes != NULL && f->offsets != NULL, "no memory");
    for (uint32_t i = 0; i < frames; i++) {
        must(f->offsets[i] <= (size_t)frames * 512, "the frames are too long");
        add_frame(f, i);
    }
}

/* --- codec and store alone --- */

static void open_bare(bare *b, const feed *f)
{
    const tg__store_options options = {.instruments_max = store_instruments,
                                       .readers_max = readers};
    const tg_venue venue = {.id = 1, .name = "SIM"};
    must(tg__store_open(&options, &b->store) == TG_OK &&
             tg__store_define_venue(b->store, &venue) == TG_OK,
         "no store");
    for (uint32_t i = 0; i < instruments; i++) {
        tg_instrument instrument;
        fill_instrument(&instrument, f->ids[i]);
        must(tg__store_define_instrument(b->store, &instrument) == TG_OK, "no instrument");
    }
    tg__channel_init(&b->channel, b->ids, b->images, instruments, resolution_ns);
    tg__frame frame;
    tg__snapshot_reason reason = TG__SNAPSHOT_SET_CHANGE;
    tg__fault fault;
    must(tg__snapshot_decode(f->snapshot, f->snapshot_size, resolution_ns, &frame, &reason,
                             b->updates, instruments, &fault) == TG_OK,
         "the snapshot does not decode");
    tg__channel_replace(&b->channel, &frame, b->updates);
}

static void bare_frame(bare *b, const uint8_t *bytes, size_t size, int64_t mono_ns)
{
    tg__frame frame;
    tg__fault fault;
    must(tg__delta_decode(&b->channel, bytes, size, &frame, b->updates, instruments, &fault) ==
             TG_OK,
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

/* --- the client --- */

static void take_note(void *ctx, uint64_t number)
{
    *(uint64_t *)ctx = number;
}

static void give(tg_client *client, const uint8_t *bytes, size_t size)
{
    const tg__io_handler handler = tg__client_handler(client);
    handler.on_message(handler.ctx, 1, bytes, size, tg_clock_mono_ns(&client->clock));
}

static void give_answers(tg_client *client, const feed *f)
{
    static uint8_t message[frame_size_max * 8];
    size_t size = 0;
    tg__dictionary_entry entries[instruments + 1];
    tg__result results[instruments];
    memset(entries, 0, sizeof entries);
    entries[0].op = TG__DICTIONARY_VENUE;
    entries[0].as.venue = (tg_venue){.id = 1, .name = "SIM"};
    for (uint32_t i = 0; i < instruments; i++) {
        entries[i + 1].op = TG__DICTIONARY_ADD;
        fill_instrument(&entries[i + 1].as.instrument, f->ids[i]);
        results[i] = (tg__result){TG__ANSWER_OK, f->ids[i]};
    }
    must(tg__dictionary_encode(1, entries, instruments + 1, message, sizeof message, &size) ==
             TG_OK,
         "no dictionary");
    give(client, message, size);
    /* The first request of a client has number 1. */
    const tg__answer answer = {.request = 1,
                               .set_count = instruments,
                               .set_digest = tg__set_digest(f->ids, instruments),
                               .count = instruments};
    must(tg__answer_encode(&answer, results, message, sizeof message, &size) == TG_OK, "no answer");
    give(client, message, size);
    give(client, f->snapshot, f->snapshot_size);
}

/* Opened as by a program, but its connection is this file: nobody listens where its URL points. */
static tg_client *open_client(const feed *f, uint64_t *view_number)
{
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = "ws://127.0.0.1:1";
    options.on_publish = take_note;
    options.ctx = view_number;
    tg_client *client = NULL;
    must(tg_client_open(&options, &client) == TG_OK, "no client");
    for (uint32_t i = 0; i < instruments; i++) {
        tg_instrument instrument;
        fill_instrument(&instrument, f->ids[i]);
        tg_sub_id sub;
        must(tg_client_subscribe(client, "SIM", instrument.symbol, &sub) == TG_OK,
             "no subscription");
    }
    tg__client_connect(client);
    const tg__io_handler handler = tg__client_handler(client);
    handler.on_connected(handler.ctx, 1, "the bench");
    const tg__welcome welcome = {.instance = 1,
                                 .lineage = 7,
                                 .boundary = 1,
                                 .ts_gateway_ns = START_UTC_NS,
                                 .dictionary_generation = 1,
                                 .dictionary_size = instruments,
                                 .frame_interval_ms = 40,
                                 .heartbeat_interval_ms = 60000,
                                 .time_resolution_ns = resolution_ns,
                                 .limits = {.instruments_max = instruments,
                                            .message_size_max = TG__MESSAGE_SIZE_MAX,
                                            .subscribe_per_second = 1000}};
    uint8_t message[256];
    size_t size = 0;
    must(tg__welcome_encode(&welcome, message, sizeof message, &size) == TG_OK, "no welcome");
    give(client, message, size);
    give_answers(client, f);
    must(tg_client_state(client) == TG_SESSION_LIVE, "the client did not come to life");
    return client;
}

/* --- in turns --- */

static void measure_round(const feed *f, tg_client *client, bare *b, uint32_t round,
                          int64_t *client_ns, int64_t *bare_ns)
{
    const tg__io_handler handler = tg__client_handler(client);
    const uint32_t end = (round + 1) * frames_a_round;
    for (uint32_t first = round * frames_a_round; first < end; first += frames_a_turn) {
        const int64_t from_ns = now_ns();
        for (uint32_t i = first; i < first + frames_a_turn; i++) {
            /* As the connection does it: one look at the clock for each message. */
            handler.on_message(handler.ctx, 1, f->bytes + f->offsets[i],
                               f->offsets[i + 1] - f->offsets[i], tg_clock_mono_ns(&client->clock));
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
    static feed f;
    static bare b;
    uint64_t view_number = 0;
    open_feed(&f);
    open_bare(&b, &f);
    tg_client *client = open_client(&f, &view_number);
    samples between = {{0}, 0};
    samples alone = {{0}, 0};
    for (uint32_t round = 0; round < rounds; round++) {
        int64_t client_ns = 0;
        int64_t bare_ns = 0;
        measure_round(&f, client, &b, round, &client_ns, &bare_ns);
        samples_add(&between, (double)(client_ns - bare_ns) / frames_a_round);
        samples_add(&alone, (double)bare_ns / frames_a_round);
    }
    tg_client_counters counters = {.struct_size = sizeof counters};
    must(tg_client_counters_get(client, &counters) == TG_OK && counters.frames == frames + 1 &&
             counters.gaps == 0 && view_number > frames / 2,
         "not every frame was applied");
    result->ns_per_frame = samples_median(&between);
    result->codec_and_store_ns = samples_median(&alone);
    result->bytes_per_frame = (double)f.offsets[frames] / frames;
    result->rows_per_frame = (double)f.rows / frames;
    tg_client_close(client);
    tg__store_close(b.store);
    free(f.bytes);
    free(f.offsets);
}
