/*
 * write_encoder_frames [SEED]: writes one message a line in hexadecimal, as our encoder makes them:
 * a snapshot of a seeded market and the frames after it, each with its state digest.
 * tests/vectors/generate/encoder_frames.hex is a recording of that, by which other decoders are
 * tried; newer encoders may choose other bytes.
 */
#include <stdio.h>

#include "codec_fixture.h"

#define SET          60u
#define FRAMES       60u
#define STEP_NS      INT64_C(40000000)
#define START_NS     INT64_C(1700000000000000000)
#define MESSAGE_SIZE 65536u

typedef struct market {
    uint64_t random;
    tg__channel channel;
    tg_instrument_id ids[SET];
    tg_image images[SET];
    tg__update updates[SET];
    tg__frame frame;
    uint8_t bytes[MESSAGE_SIZE];
} market;

static void print_message(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\n");
}

static void set_field(tg_image *image, tg_field field, int64_t value)
{
    image->present |= TG_FIELD_BIT(field);
    image->value[field] = value;
}

static void move(market *m, tg_image *image, tg_field field, uint64_t range)
{
    const int64_t step = (int64_t)fixture_below(&m->random, 2 * range + 1) - (int64_t)range;
    set_field(image, field, (int64_t)((uint64_t)image->value[field] + (uint64_t)step));
}

static void make_market(market *m, uint64_t seed)
{
    tg__channel_init(&m->channel, m->ids, m->images, SET, FIXTURE_RESOLUTION_NS);
    m->random = seed;
    m->channel.boundary = UINT64_C(0xfffffff0);
    m->channel.ts_gateway_ns = START_NS;
    m->channel.count = SET;
    for (uint32_t i = 0; i < SET; i++) {
        tg_image *image = &m->images[i];
        m->ids[i] = (tg_instrument_id)(7 * i + 3);
        image->epoch = 5;
        image->seq = 1000 + i;
        for (unsigned field = 0; field < TG_FIELD_COUNT && i % 10 != 0; field++) {
            set_field(image, (tg_field)field, (int64_t)fixture_below(&m->random, 1000000));
        }
        if (i % 10 != 0) {
            set_field(image, TG_FIELD_TS_EXCHANGE, START_NS);
        }
    }
    m->channel.set_digest = tg__set_digest(m->ids, SET);
}

/* Small moves of few fields mostly; outliers, nulls, new epochs and session fields now and then. */
static void change(market *m, tg__update *update)
{
    tg_image *image = &update->image;
    const uint64_t covered = 1 + fixture_below(&m->random, 3) * fixture_below(&m->random, 3);
    update->covered = covered;
    image->seq += covered;
    move(m, image, TG_FIELD_BID_PRICE, 3);
    move(m, image, TG_FIELD_BID_QUANTITY, 40);
    if (fixture_below(&m->random, 2) == 0) {
        move(m, image, TG_FIELD_ASK_PRICE, 3);
        move(m, image, TG_FIELD_ASK_QUANTITY, 3000);
    }
    if (fixture_below(&m->random, 3) == 0) {
        move(m, image, TG_FIELD_LAST_PRICE, 3);
        move(m, image, TG_FIELD_LAST_QUANTITY, 20);
        move(m, image, TG_FIELD_VOLUME, 90);
    }
    if (fixture_below(&m->random, 12) == 0) {
        move(m, image, TG_FIELD_HIGH, 5);
    }
    if (fixture_below(&m->random, 20) == 0) {
        move(m, image, TG_FIELD_BID_PRICE, UINT64_C(1) << 40);
    }
    if (fixture_below(&m->random, 25) == 0) {
        image->present &= ~TG_FIELD_BIT(TG_FIELD_SETTLEMENT);
        image->value[TG_FIELD_SETTLEMENT] = 0;
    }
    if (fixture_below(&m->random, 30) == 0) {
        image->epoch++;
        image->seq = covered;
    }
    const int64_t late = (int64_t)fixture_below(&m->random, 300) * FIXTURE_RESOLUTION_NS;
    set_field(image, TG_FIELD_TS_EXCHANGE, m->frame.ts_gateway_ns - late);
}

static bool write_frame(market *m, uint32_t number)
{
    const uint64_t one_in = number % 4 == 0 ? 20 : 2;
    m->frame.base = m->channel.boundary;
    m->frame.boundary = m->channel.boundary + 1 + number % 3;
    m->frame.ts_gateway_ns = m->channel.ts_gateway_ns + STEP_NS;
    m->frame.set_digest = m->channel.set_digest;
    m->frame.state_digest = true;
    m->frame.count = 0;
    for (uint32_t slot = 0; slot < SET; slot++) {
        if (fixture_below(&m->random, one_in) == 0) {
            tg__update *update = &m->updates[m->frame.count++];
            update->id = m->ids[slot];
            update->slot = (uint16_t)slot;
            update->image = m->images[slot];
            change(m, update);
        }
    }
    size_t size = 0;
    if (tg__delta_encode(&m->channel, &m->frame, m->updates, m->bytes, sizeof m->bytes, &size) !=
        TG_OK) {
        return false;
    }
    print_message(m->bytes, size);
    tg__channel_apply(&m->channel, &m->frame, m->updates);
    return true;
}

static bool write_snapshot(market *m)
{
    size_t at = 0;
    const tg__frame frame = {.base = m->channel.boundary,
                             .boundary = m->channel.boundary,
                             .ts_gateway_ns = m->channel.ts_gateway_ns,
                             .set_digest = m->channel.set_digest,
                             .count = SET};
    if (tg__snapshot_header_encode(&frame, TG__SNAPSHOT_SET_CHANGE, FIXTURE_RESOLUTION_NS, m->bytes,
                                   sizeof m->bytes, &at) != TG_OK) {
        return false;
    }
    for (uint32_t slot = 0; slot < SET; slot++) {
        const tg__update row = {.id = m->ids[slot], .image = m->images[slot]};
        size_t size = 0;
        if (tg__snapshot_row_encode(&row, FIXTURE_RESOLUTION_NS, m->bytes + at,
                                    sizeof m->bytes - at, &size) != TG_OK) {
            return false;
        }
        at += size;
    }
    print_message(m->bytes, at);
    return true;
}

int main(int argc, char **argv)
{
    static market m;
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20;
    make_market(&m, seed == 0 ? 1 : seed);
    if (!write_snapshot(&m)) {
        return EXIT_FAILURE;
    }
    for (uint32_t i = 0; i < FRAMES; i++) {
        if (!write_frame(&m, i)) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
