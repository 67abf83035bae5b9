#include "client_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client_state.h"

enum {
    ticks_a_frame = 70, /* of which some hit the same instrument: frames of 300 bytes */
    frames_per_digest = 25
};

#define FRAME_NS INT64_C(40000000)

static void must(bool good, const char *what)
{
    if (!good) {
        (void)fprintf(stderr, "bench: %s\n", what);
        exit(1);
    }
}

void client_feed_instrument(tg_instrument *instrument, tg_instrument_id id)
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

static void tick(client_feed *f, uint32_t at, int64_t utc_ns)
{
    tg_image *image = &f->images[at];
    const int64_t move = (int64_t)tg__random_upto(&f->random, 20) - 10;
    image->seq++;
    image->value[TG_FIELD_BID_PRICE] += move;
    image->value[TG_FIELD_ASK_PRICE] = image->value[TG_FIELD_BID_PRICE] + 5;
    image->value[TG_FIELD_BID_QUANTITY] = (int64_t)tg__random_upto(&f->random, 5000);
    image->value[TG_FIELD_TS_EXCHANGE] =
        utc_ns - (int64_t)tg__random_upto(&f->random, 300) * client_feed_resolution_ns;
}

static void begin_feed(client_feed *f)
{
    f->random.state = 1;
    tg__update rows[client_feed_instruments];
    memset(rows, 0, sizeof rows);
    for (uint32_t i = 0; i < client_feed_instruments; i++) {
        f->ids[i] = (tg_instrument_id)(i + 1);
        f->images[i].epoch = 1;
        f->images[i].present = TG_FIELD_BIT(TG_FIELD_BID_PRICE) | TG_FIELD_BIT(TG_FIELD_ASK_PRICE) |
                               TG_FIELD_BIT(TG_FIELD_BID_QUANTITY) |
                               TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
        f->images[i].value[TG_FIELD_BID_PRICE] = 100000 + 700 * (int64_t)i;
        tick(f, i, CLIENT_FEED_START_UTC_NS);
        rows[i].id = f->ids[i];
        rows[i].image = f->images[i];
    }
    const tg__frame frame = {.base = 1,
                             .boundary = 1,
                             .ts_gateway_ns = CLIENT_FEED_START_UTC_NS,
                             .set_digest = tg__set_digest(f->ids, client_feed_instruments),
                             .count = client_feed_instruments};
    size_t used = 0;
    must(tg__snapshot_header_encode(&frame, TG__SNAPSHOT_SET_CHANGE, client_feed_resolution_ns,
                                    f->snapshot, sizeof f->snapshot, &used) == TG_OK,
         "no snapshot");
    for (uint32_t i = 0; i < client_feed_instruments; i++) {
        size_t size = 0;
        must(tg__snapshot_row_encode(&rows[i], client_feed_resolution_ns, f->snapshot + used,
                                     sizeof f->snapshot - used, &size) == TG_OK,
             "no snapshot row");
        used += size;
    }
    f->snapshot_size = used;
    tg__channel_init(&f->channel, f->channel_ids, f->channel_images, client_feed_instruments,
                     client_feed_resolution_ns);
    tg__channel_replace(&f->channel, &frame, rows);
}

static void add_frame(client_feed *f, uint32_t number)
{
    const int64_t utc_ns = CLIENT_FEED_START_UTC_NS + (number + 1) * FRAME_NS;
    for (uint32_t i = 0; i < ticks_a_frame; i++) {
        tick(f, (uint32_t)tg__random_upto(&f->random, client_feed_instruments - 1), utc_ns);
    }
    tg__update updates[client_feed_instruments];
    memset(updates, 0, sizeof updates);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < client_feed_instruments; slot++) {
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
                          client_feed_frame_size_max, &size) == TG_OK,
         "no frame");
    tg__channel_apply(&f->channel, &frame, updates);
    f->offsets[number + 1] = f->offsets[number] + size;
    f->rows += count;
}

void client_feed_open(client_feed *f)
{
    begin_feed(f);
    f->bytes = malloc((size_t)client_feed_frames * 512 + client_feed_frame_size_max);
    f->offsets = calloc(client_feed_frames + 1, sizeof *f->offsets);
    must(f->bytes != NULL && f->offsets != NULL, "no memory");
    for (uint32_t i = 0; i < client_feed_frames; i++) {
        must(f->offsets[i] <= (size_t)client_feed_frames * 512,
             "the client_feed_frames are too long");
        add_frame(f, i);
    }
}

void client_feed_close(client_feed *f)
{
    free(f->bytes);
    free(f->offsets);
}

/* --- the client --- */

void client_feed_give(tg_client *client, const uint8_t *bytes, size_t size)
{
    const tg__io_handler handler = tg__client_handler(client);
    handler.on_message(handler.ctx, 1, bytes, size, tg_clock_mono_ns(&client->clock));
}

static void give_answers(tg_client *client, const client_feed *f)
{
    static uint8_t message[client_feed_frame_size_max * 8];
    size_t size = 0;
    tg__dictionary_entry entries[client_feed_instruments + 1];
    tg__result results[client_feed_instruments];
    memset(entries, 0, sizeof entries);
    entries[0].op = TG__DICTIONARY_VENUE;
    entries[0].as.venue = (tg_venue){.id = 1, .name = "SIM"};
    for (uint32_t i = 0; i < client_feed_instruments; i++) {
        entries[i + 1].op = TG__DICTIONARY_ADD;
        client_feed_instrument(&entries[i + 1].as.instrument, f->ids[i]);
        results[i] = (tg__result){TG__ANSWER_OK, f->ids[i]};
    }
    must(tg__dictionary_encode(1, entries, client_feed_instruments + 1, message, sizeof message,
                               &size) == TG_OK,
         "no dictionary");
    client_feed_give(client, message, size);
    /* The first request of a client has number 1. */
    const tg__answer answer = {.request = 1,
                               .set_count = client_feed_instruments,
                               .set_digest = tg__set_digest(f->ids, client_feed_instruments),
                               .count = client_feed_instruments};
    must(tg__answer_encode(&answer, results, message, sizeof message, &size) == TG_OK, "no answer");
    client_feed_give(client, message, size);
    client_feed_give(client, f->snapshot, f->snapshot_size);
}

tg_client *client_feed_join(const client_feed *f, tg_client_options *options)
{
    options->url = "ws://127.0.0.1:1";
    tg_client *client = NULL;
    must(tg_client_open(options, &client) == TG_OK, "no client");
    for (uint32_t i = 0; i < client_feed_instruments; i++) {
        tg_instrument instrument;
        client_feed_instrument(&instrument, f->ids[i]);
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
                                 .ts_gateway_ns = CLIENT_FEED_START_UTC_NS,
                                 .dictionary_generation = 1,
                                 .dictionary_size = client_feed_instruments,
                                 .frame_interval_ms = 40,
                                 .heartbeat_interval_ms = 60000,
                                 .time_resolution_ns = client_feed_resolution_ns,
                                 .limits = {.instruments_max = client_feed_instruments,
                                            .message_size_max = TG__MESSAGE_SIZE_MAX,
                                            .subscribe_per_second = 1000}};
    uint8_t message[256];
    size_t size = 0;
    must(tg__welcome_encode(&welcome, message, sizeof message, &size) == TG_OK, "no welcome");
    client_feed_give(client, message, size);
    give_answers(client, f);
    must(tg_client_state(client) == TG_SESSION_LIVE, "the client did not come to life");
    return client;
}
