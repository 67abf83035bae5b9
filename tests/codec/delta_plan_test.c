/* Every planner of rows against every other, and what the encoder makes of their plans. */
#include "tg_cmocka.h"

#include "codec_fixture.h"
#include "delta_encode.h"

#define SET_MAX 2400u

typedef struct world {
    tg_instrument_id ids[SET_MAX];
    tg_image images[SET_MAX];
    tg__update updates[SET_MAX];
    tg__channel channel;
    tg__frame frame;
    uint64_t random;
} world;

static bool one_in(world *w, uint64_t n)
{
    return fixture_below(&w->random, n) == 0;
}

static int64_t jump(world *w, unsigned bits_max)
{
    const uint64_t bits = fixture_below(&w->random, bits_max + 1u);
    const int64_t size = (int64_t)(fixture_random(&w->random) & ((UINT64_C(1) << bits) - 1));
    return one_in(w, 2) ? size : -size;
}

static int64_t units(int64_t count)
{
    return count * (int64_t)FIXTURE_RESOLUTION_NS;
}

static void make_image(world *w, tg_image *image)
{
    memset(image, 0, sizeof *image);
    image->epoch = 3;
    image->seq = 1 + fixture_below(&w->random, 1000);
    image->present = TG_FIELD_ALL_BITS;
    if (one_in(w, 3)) {
        image->present &= ~(uint32_t)fixture_below(&w->random, TG_FIELD_ALL_BITS);
    }
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if ((image->present & TG_FIELD_BIT(field)) != 0) {
            image->value[field] =
                field == TG_FIELD_TS_EXCHANGE
                    ? w->channel.ts_gateway_ns - units((int64_t)fixture_below(&w->random, 1000))
                    : (int64_t)fixture_below(&w->random, 1000000);
        }
    }
}

/* Mostly what a market does; now and then a null, a limit of 64 bits, or a jump in version or time.
 */
static void step_image(world *w, const tg_image *base, tg__update *update)
{
    tg_image *const image = &update->image;
    *image = *base;
    update->covered = 1 + fixture_below(&w->random, one_in(w, 40) ? UINT64_C(1) << 34 : 4);
    image->seq += update->covered;
    image->epoch += one_in(w, 60);
    update->covered += one_in(w, 60);
    for (unsigned field = 0; field < TG_FIELD_COUNT; field++) {
        if (one_in(w, field < 8 ? 4 : 40)) {
            image->value[field] += jump(w, one_in(w, 60) ? 45 : 14);
            image->present |= TG_FIELD_BIT(field);
        } else if (one_in(w, 300)) {
            image->value[field] = 0;
            image->present &= ~TG_FIELD_BIT(field);
        } else if (one_in(w, 300)) {
            image->present |= TG_FIELD_BIT(field);
        }
    }
    if (one_in(w, 200)) {
        const unsigned field = (unsigned)fixture_below(&w->random, 4);
        image->value[field] = one_in(w, 2) ? INT64_MAX : INT64_MIN;
        image->present |= TG_FIELD_BIT(field);
    }
    image->value[TG_FIELD_TS_EXCHANGE] =
        w->channel.ts_gateway_ns + units((int64_t)fixture_below(&w->random, 400));
    image->present |= TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    if (one_in(w, 60)) {
        image->value[TG_FIELD_TS_EXCHANGE] += units(jump(w, 36));
    }
}

static void make_world(world *w, uint64_t seed, uint32_t set)
{
    w->random = seed;
    tg__channel_init(&w->channel, w->ids, w->images, SET_MAX, FIXTURE_RESOLUTION_NS);
    w->channel.count = set;
    w->channel.boundary = 7;
    w->channel.ts_gateway_ns = units(INT64_C(1) << 40);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < set; slot++) {
        w->ids[slot] = (tg_instrument_id)(3 * slot);
        make_image(w, &w->images[slot]);
        if (!one_in(w, 3)) {
            tg__update *const update = &w->updates[count++];
            update->id = w->ids[slot];
            update->slot = (uint16_t)slot;
            step_image(w, &w->images[slot], update);
        }
    }
    w->channel.set_digest = tg__set_digest(w->ids, set);
    const tg__frame frame = {
        .base = 7,
        .boundary = 8,
        .ts_gateway_ns = w->channel.ts_gateway_ns + units(400),
        .set_digest = w->channel.set_digest,
        .count = count,
    };
    w->frame = frame;
}

static tg_err encode(tg__rows_planner *planner, const world *w, uint8_t *bytes, size_t capacity,
                     size_t *size)
{
    tg__sink out = tg__sink_of(bytes, capacity);
    const tg_err err = tg__delta_encode_with(planner, &w->channel, &w->frame, w->updates, &out);
    *size = tg__sink_size(&out);
    return err;
}

static uint8_t scalar_bytes[SET_MAX * 256];
static uint8_t fast_bytes[SET_MAX * 256];

/* Encodes with the scalar planner, and checks that the fastest one says the same. */
static tg_err encode_with_all(const world *w, size_t *size)
{
    size_t fast_size = 0;
    const tg_err err = encode(tg__rows_plan_scalar, w, scalar_bytes, sizeof scalar_bytes, size);
    assert_int_equal(
        encode(tg__rows_planner_select(), w, fast_bytes, sizeof fast_bytes, &fast_size), err);
    if (err == TG_OK) {
        assert_int_equal(fast_size, *size);
        assert_memory_equal(fast_bytes, scalar_bytes, *size);
    }
    return err;
}

static void assert_decodes_back(const world *w, size_t size)
{
    static tg__update decoded[SET_MAX];
    tg__frame frame;
    tg__fault fault;
    uint8_t *const exact = fixture_exact_copy(scalar_bytes, size);
    assert_non_null(exact);
    assert_int_equal(tg__delta_decode(&w->channel, exact, size, &frame, decoded, SET_MAX, &fault),
                     TG_OK);
    free(exact);
    assert_int_equal(frame.count, w->frame.count);
    for (uint32_t i = 0; i < frame.count; i++) {
        assert_int_equal(decoded[i].slot, w->updates[i].slot);
        assert_int_equal(decoded[i].covered, w->updates[i].covered);
        assert_memory_equal(&decoded[i].image, &w->updates[i].image, sizeof decoded[i].image);
    }
}

static void planners_agree_byte_for_byte(void **state)
{
    (void)state;
    static world w;
    if (tg__rows_planner_select() == tg__rows_plan_scalar) {
        print_message("SKIP: this processor has nothing but the scalar planner\n");
        skip();
    }
    unsigned good = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        /* Now and then more rows than are packed by the plan, some of which the columns cannot
         * hold. */
        make_world(&w, seed, seed % 250 == 0 ? SET_MAX : 1 + (uint32_t)(seed % 140));
        size_t size = 0;
        /* A limit of 64 bits can be too far from the old value for any row. */
        if (encode_with_all(&w, &size) == TG_OK) {
            assert_decodes_back(&w, size);
            good++;
        }
    }
    assert_true(good > 1000);
}

static void rows_behind_the_packed_ones_are_packed_when_written(void **state)
{
    (void)state;
    static world w;
    make_world(&w, 5, SET_MAX);
    for (uint32_t i = 0; i < w.frame.count; i++) {
        tg_image *const image = &w.updates[i].image;
        *image = w.images[w.updates[i].slot];
        image->seq++;
        w.updates[i].covered = 1;
        for (unsigned field = 0; field < 8; field++) {
            image->value[field] += field == TG_FIELD_TS_EXCHANGE ? 0 : INT64_C(1) << 29;
        }
        image->present |= 0xffu;
        image->value[TG_FIELD_TS_EXCHANGE] = w.frame.ts_gateway_ns;
    }
    size_t size = 0;
    assert_int_equal(encode_with_all(&w, &size), TG_OK);
    assert_true(size > w.frame.count * 28u && w.frame.count * 28u > 2 * TG__PACKED_MAX);
    assert_decodes_back(&w, size);
}

static void one_far_time_or_step_leaves_the_other_rows_shaped(void **state)
{
    (void)state;
    static world w;
    for (uint32_t far = 0; far < 40; far++) {
        make_world(&w, 9, 60);
        for (uint32_t i = 0; i < w.frame.count; i++) {
            tg_image *const image = &w.updates[i].image;
            *image = w.images[w.updates[i].slot];
            w.updates[i].covered = i == far && far % 2 == 0 ? UINT64_C(1) << 33 : 1;
            image->seq += w.updates[i].covered;
            image->value[far % 8 == 4 ? 5 : far % 8]++;
            image->present |= 0xffu;
            image->value[TG_FIELD_TS_EXCHANGE] =
                w.frame.ts_gateway_ns - units(i == far && far % 2 == 1 ? INT64_C(1) << 33 : 3);
        }
        size_t size = 0;
        assert_int_equal(encode_with_all(&w, &size), TG_OK);
        assert_decodes_back(&w, size);
        assert_true(size < 40 + w.frame.count * 8u);
    }
}

static void a_buffer_of_the_exact_size_is_enough_and_none_smaller(void **state)
{
    (void)state;
    static world w;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        make_world(&w, seed, 30);
        size_t size = 0;
        if (encode_with_all(&w, &size) != TG_OK) {
            continue;
        }
        for (size_t capacity = 0; capacity <= size; capacity++) {
            uint8_t *const exact = malloc(capacity > 0 ? capacity : 1);
            assert_non_null(exact);
            size_t written = 0;
            const tg_err err = encode(tg__rows_planner_select(), &w, exact, capacity, &written);
            assert_int_equal(err, capacity < size ? TG_ERR_BUFFER_TOO_SMALL : TG_OK);
            if (err == TG_OK) {
                assert_memory_equal(exact, scalar_bytes, size);
            }
            free(exact);
        }
    }
}

static void updates_that_are_no_step_forward_are_refused(void **state)
{
    (void)state;
    static world w;
    size_t size = 0;
    for (unsigned fault = 0; fault < 7; fault++) {
        make_world(&w, 3, 50);
        tg__update *const update = &w.updates[10];
        const tg_image *const base = &w.images[update->slot];
        update->image.epoch = base->epoch;
        update->image.seq = base->seq + 1;
        switch (fault) {
        case 0:
            update->image.seq = base->seq;
            break;
        case 1:
            update->image.epoch = base->epoch - 1;
            break;
        case 2:
            update->covered = 0;
            break;
        case 3:
            update->slot = w.updates[9].slot;
            break;
        case 4:
            w.updates[w.frame.count - 1].slot = 50;
            break;
        case 5:
            update->image.present |= TG_FIELD_BIT(TG_FIELD_COUNT);
            break;
        default:
            update->image.value[TG_FIELD_TS_EXCHANGE]++;
            break;
        }
        assert_int_equal(encode_with_all(&w, &size), TG_ERR_INVALID_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planners_agree_byte_for_byte),
        cmocka_unit_test(rows_behind_the_packed_ones_are_packed_when_written),
        cmocka_unit_test(one_far_time_or_step_leaves_the_other_rows_shaped),
        cmocka_unit_test(a_buffer_of_the_exact_size_is_enough_and_none_smaller),
        cmocka_unit_test(updates_that_are_no_step_forward_are_refused),
    };
    return cmocka_run_group_tests_name("codec.delta_plan", tests, NULL, NULL);
}
