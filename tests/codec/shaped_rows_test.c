/* Every decoder of shaped rows against every other, on frames like a market's and on damaged ones.
 */
#include "tg_cmocka.h"

#include "codec_fixture.h"
#include "delta_decode.h"

#define SET 120

typedef struct world {
    tg_instrument_id ids[SET];
    tg_image images[SET];
    tg__channel channel;
    tg__update updates[SET];
    tg__frame frame;
    uint8_t bytes[SET * 512];
    size_t size;
    uint64_t random;
} world;

static void make_world(world *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    w->random = seed;
    tg__channel_init(&w->channel, w->ids, w->images, SET, FIXTURE_RESOLUTION_NS);
    w->channel.count = SET;
    w->channel.boundary = 7;
    w->channel.ts_gateway_ns = INT64_C(1700000000000000000);
    for (uint32_t slot = 0; slot < SET; slot++) {
        tg_image *const image = &w->images[slot];
        w->ids[slot] = (tg_instrument_id)slot;
        image->epoch = 3;
        image->seq = 1 + fixture_below(&w->random, 100000);
        image->present = TG_FIELD_ALL_BITS & ~TG_FIELD_BIT(TG_FIELD_SETTLEMENT);
        for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
            image->value[field] = (int64_t)fixture_below(&w->random, 10000000) - 100000;
        }
        image->value[TG_FIELD_SETTLEMENT] = 0;
        image->value[TG_FIELD_TS_EXCHANGE] = w->channel.ts_gateway_ns - 10 * FIXTURE_RESOLUTION_NS;
    }
    w->channel.set_digest = tg__set_digest(w->ids, SET);
}

static void move(world *w, tg_image *image, tg_field field, unsigned bits_max)
{
    const unsigned bits = (unsigned)fixture_below(&w->random, bits_max + 1u);
    const int64_t step = (int64_t)(fixture_random(&w->random) & ((UINT64_C(1) << bits) - 1));
    image->value[field] += fixture_below(&w->random, 2) == 0 ? step : -step;
}

/* Quotes, trades, now and then a new high, a null, a raised epoch or a jump. */
static void make_frame(world *w)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < SET; slot++) {
        if (fixture_below(&w->random, 3) != 0) {
            continue;
        }
        tg__update *const update = &w->updates[count++];
        tg_image *const image = &update->image;
        *image = w->images[slot];
        update->id = w->ids[slot];
        update->slot = (uint16_t)slot;
        update->covered =
            1 + fixture_below(&w->random, fixture_below(&w->random, 30) == 0 ? 5000 : 4);
        image->seq += update->covered;
        image->value[TG_FIELD_TS_EXCHANGE] =
            w->channel.ts_gateway_ns +
            (int64_t)fixture_below(&w->random, 400) * FIXTURE_RESOLUTION_NS;
        const unsigned wide = fixture_below(&w->random, 40) == 0 ? 45 : 14;
        const uint64_t dice = fixture_below(&w->random, 8);
        if (dice < 5) {
            move(w, image, TG_FIELD_BID_QUANTITY, wide);
        }
        if (dice >= 3) {
            move(w, image, TG_FIELD_ASK_QUANTITY, wide);
        }
        if (dice >= 5) {
            move(w, image, TG_FIELD_BID_PRICE, 4);
            move(w, image, TG_FIELD_ASK_PRICE, 4);
        }
        if (fixture_below(&w->random, 4) == 0) {
            move(w, image, TG_FIELD_LAST_PRICE, 4);
            move(w, image, TG_FIELD_LAST_QUANTITY, 12);
            move(w, image, TG_FIELD_VOLUME, 12);
        }
        if (fixture_below(&w->random, 12) == 0) {
            move(w, image, TG_FIELD_HIGH, 5);
        }
        if (fixture_below(&w->random, 50) == 0) {
            image->value[TG_FIELD_OPEN] = 0;
            image->present &= ~TG_FIELD_BIT(TG_FIELD_OPEN);
        }
        if (fixture_below(&w->random, 50) == 0) {
            image->epoch++;
        }
    }
    const tg__frame frame = {
        .base = w->channel.boundary,
        .boundary = w->channel.boundary + 1,
        .ts_gateway_ns = w->channel.ts_gateway_ns + 400 * (int64_t)FIXTURE_RESOLUTION_NS,
        .set_digest = w->channel.set_digest,
        .count = count,
        .state_digest = fixture_below(&w->random, 4) == 0,
    };
    w->frame = frame;
    assert_int_equal(
        tg__delta_encode(&w->channel, &w->frame, w->updates, w->bytes, sizeof w->bytes, &w->size),
        TG_OK);
}

typedef struct outcome {
    tg_err err;
    tg__frame frame;
    tg__fault fault;
    tg__update updates[SET];
} outcome;

static void decode(tg__shaped_rows_decoder *decoder, const world *w, const uint8_t *bytes,
                   size_t size, outcome *out)
{
    memset(out, 0, sizeof *out);
    uint8_t *const exact = fixture_exact_copy(bytes, size);
    assert_non_null(exact);
    const tg__delta_input input = {exact, size, SET};
    out->err =
        tg__delta_decode_with(decoder, &w->channel, &input, &out->frame, out->updates, &out->fault);
    free(exact);
}

static void market_frames_come_back_exactly(void **state)
{
    (void)state;
    static world w;
    static outcome scalar;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_world(&w, seed);
        for (int i = 0; i < 50; i++) {
            make_frame(&w);
            decode(tg__shaped_rows_decode_scalar, &w, w.bytes, w.size, &scalar);
            assert_int_equal(scalar.err, TG_OK);
            assert_int_equal(scalar.frame.count, w.frame.count);
            assert_memory_equal(scalar.updates, w.updates, w.frame.count * sizeof w.updates[0]);
            tg__channel_apply(&w.channel, &scalar.frame, scalar.updates);
        }
    }
}

static void decoders_agree_bit_for_bit(void **state)
{
    (void)state;
    tg__shaped_rows_decoder *const fastest = tg__shaped_rows_decoder_select();
    if (fastest == tg__shaped_rows_decode_scalar) {
        print_message("SKIP: this processor has nothing but the scalar decoder\n");
        skip();
    }
    static world w;
    static outcome scalar;
    static outcome fast;
    uint64_t random = 77;
    unsigned rejected = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_world(&w, seed);
        for (unsigned i = 0; i < 200; i++) {
            make_frame(&w);
            /* Limits in the base make sums overflow; flipped bits and cuts make the rest go wrong.
             */
            if (i % 4 == 1) {
                w.images[fixture_below(&random, SET)].value[fixture_below(&random, 8)] =
                    fixture_below(&random, 2) == 0 ? INT64_MAX : INT64_MIN;
                w.images[fixture_below(&random, SET)].seq = UINT64_MAX - 1;
            }
            if (i % 4 == 2) {
                w.bytes[fixture_below(&random, w.size)] ^=
                    (uint8_t)(1u << fixture_below(&random, 8));
            }
            const size_t size = i % 4 == 3 ? fixture_below(&random, w.size) : w.size;
            decode(tg__shaped_rows_decode_scalar, &w, w.bytes, size, &scalar);
            decode(fastest, &w, w.bytes, size, &fast);
            assert_int_equal(fast.err, scalar.err);
            if (scalar.err == TG_OK) {
                assert_memory_equal(fast.updates, scalar.updates, sizeof fast.updates);
            } else {
                assert_int_equal(fast.fault.offset, scalar.fault.offset);
                assert_int_equal(fast.fault.row, scalar.fault.row);
                rejected++;
            }
            make_world(&w, seed * 1000 + i);
        }
    }
    assert_true(rejected > 500);
}

/* Nothing stands behind the values, so that the last parts are read where the message ends. */
static void short_rows_at_the_end_of_a_message_decode(void **state)
{
    (void)state;
    static world w;
    static outcome out;
    make_world(&w, 1);
    for (uint32_t count = 1; count <= SET; count++) {
        for (uint32_t i = 0; i < count; i++) {
            tg__update *const update = &w.updates[i];
            update->image = w.images[i];
            update->id = w.ids[i];
            update->slot = (uint16_t)i;
            update->covered = 1;
            update->image.seq++;
            update->image.value[TG_FIELD_BID_PRICE] += i + 2 < count; /* the last two: no bytes */
            update->image.value[TG_FIELD_TS_EXCHANGE] = w.channel.ts_gateway_ns;
        }
        w.frame.base = w.channel.boundary;
        w.frame.boundary = w.channel.boundary + 1;
        w.frame.ts_gateway_ns = w.channel.ts_gateway_ns;
        w.frame.set_digest = w.channel.set_digest;
        w.frame.count = count;
        assert_int_equal(
            tg__delta_encode(&w.channel, &w.frame, w.updates, w.bytes, sizeof w.bytes, &w.size),
            TG_OK);
        tg__shaped_rows_decoder *const decoders[] = {tg__shaped_rows_decode_scalar,
                                                     tg__shaped_rows_decoder_select()};
        for (size_t k = 0; k < 2; k++) {
            decode(decoders[k], &w, w.bytes, w.size, &out);
            assert_int_equal(out.err, TG_OK);
            assert_memory_equal(out.updates, w.updates, count * sizeof w.updates[0]);
        }
    }
}

static void one_outlier_adds_at_most_24_bytes(void **state)
{
    (void)state;
    static world w;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        make_world(&w, seed);
        make_frame(&w);
        const size_t usual = w.size;
        const uint32_t row = (uint32_t)fixture_below(&w.random, w.frame.count);
        static const tg_field fields[] = {TG_FIELD_BID_PRICE, TG_FIELD_ASK_QUANTITY,
                                          TG_FIELD_LAST_PRICE, TG_FIELD_VOLUME};
        for (size_t k = 0; k < 4; k++) {
            tg__update *const update = &w.updates[row];
            const int64_t old = update->image.value[fields[k]];
            update->image.value[fields[k]] += INT64_C(1) << 40;
            assert_int_equal(
                tg__delta_encode(&w.channel, &w.frame, w.updates, w.bytes, sizeof w.bytes, &w.size),
                TG_OK);
            assert_true(w.size <= usual + 24);
            update->image.value[fields[k]] = old;
        }
        w.updates[row].image.value[TG_FIELD_TS_EXCHANGE] -=
            (INT64_C(1) << 40) * FIXTURE_RESOLUTION_NS;
        assert_int_equal(
            tg__delta_encode(&w.channel, &w.frame, w.updates, w.bytes, sizeof w.bytes, &w.size),
            TG_OK);
        assert_true(w.size <= usual + 24);
    }
}

static void the_last_bytes_are_moved_with_zeros_behind_them(void **state)
{
    (void)state;
    uint8_t message[TG__ROW_READ_AHEAD];
    tg__last_bytes last;
    for (size_t left = 0; left < sizeof message; left++) {
        memset(message, 0xee, sizeof message);
        memset(&last, 0xff, sizeof last);
        const uint8_t *at = message + sizeof message - left;
        const uint8_t *end = message + sizeof message;
        tg__move_last_bytes(&last, &at, &end);
        assert_ptr_equal(at, last.bytes);
        assert_ptr_equal(end, last.bytes + sizeof last.bytes);
        for (size_t i = 0; i < sizeof last.bytes; i++) {
            assert_int_equal(last.bytes[i], i < left ? 0xee : 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(market_frames_come_back_exactly),
        cmocka_unit_test(decoders_agree_bit_for_bit),
        cmocka_unit_test(short_rows_at_the_end_of_a_message_decode),
        cmocka_unit_test(one_outlier_adds_at_most_24_bytes),
        cmocka_unit_test(the_last_bytes_are_moved_with_zeros_behind_them),
    };
    return cmocka_run_group_tests_name("codec.shaped_rows", tests, NULL, NULL);
}
