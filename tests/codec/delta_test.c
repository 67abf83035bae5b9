#include "tg_cmocka.h"

#include "codec_fixture.h"

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

static void make_world(world *w, uint64_t seed, uint32_t count)
{
    memset(w, 0, sizeof *w);
    w->random = seed;
    tg__channel_init(&w->channel, w->ids, w->images, SET, FIXTURE_RESOLUTION_NS);
    w->channel.boundary = UINT32_MAX - 2; /* so that the low half wraps after a few frames */
    w->channel.count = count;
    for (uint32_t slot = 0; slot < count; slot++) {
        w->ids[slot] = (tg_instrument_id)(slot * 3 + 1);
        fixture_image(&w->random, &w->images[slot]);
    }
    w->channel.set_digest = tg__set_digest(w->ids, count);
}

/* A step that changes about one in `sparsity` slots. */
static void make_step(world *w, unsigned sparsity)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < w->channel.count; slot++) {
        if (fixture_below(&w->random, sparsity) == 0) {
            tg__update *const update = &w->updates[count++];
            fixture_step(&w->random, &w->images[slot], update);
            update->slot = (uint16_t)slot;
            update->id = w->ids[slot];
        }
    }
    const tg__frame frame = {
        .base = w->channel.boundary,
        .boundary = w->channel.boundary + 1 + fixture_below(&w->random, 3),
        .ts_gateway_ns = w->channel.ts_gateway_ns +
                         (int64_t)fixture_below(&w->random, 900) * FIXTURE_RESOLUTION_NS,
        .set_digest = w->channel.set_digest,
        .count = count,
        .state_digest = fixture_below(&w->random, 4) == 0,
    };
    w->frame = frame;
}

/* Some steps cannot be told as a delta: the difference leaves 64 bits. */
static bool encode_step(world *w)
{
    const tg_err err =
        tg__delta_encode(&w->channel, &w->frame, w->updates, w->bytes, sizeof w->bytes, &w->size);
    assert_true(err == TG_OK || err == TG_ERR_OVERFLOW);
    return err == TG_OK;
}

static void assert_updates_equal(const tg__update *a, const tg__update *b)
{
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->slot, b->slot);
    assert_true(a->covered == b->covered);
    assert_int_equal(tg_version_compare(tg_image_version(&a->image), tg_image_version(&b->image)),
                     0);
    assert_true(tg_image_values_equal(&a->image, &b->image));
}

static void random_walks_decode_to_what_was_encoded(void **state)
{
    (void)state;
    static world w;
    static tg__update decoded[SET];
    for (uint64_t seed = 1; seed <= 40; seed++) {
        make_world(&w, seed, (uint32_t)(1 + seed * 3 % SET));
        for (int step = 0; step < 100; step++) {
            make_step(&w, 1 + (unsigned)fixture_below(&w.random, 12));
            if (!encode_step(&w)) {
                continue;
            }
            uint8_t *const exact = fixture_exact_copy(w.bytes, w.size);
            assert_non_null(exact);
            tg__frame frame;
            tg__fault fault;
            assert_int_equal(
                tg__delta_decode(&w.channel, exact, w.size, &frame, decoded, SET, &fault), TG_OK);
            free(exact);
            assert_true(frame.boundary == w.frame.boundary && frame.base == w.frame.base);
            assert_true(frame.ts_gateway_ns == w.frame.ts_gateway_ns);
            assert_int_equal(frame.count, w.frame.count);
            for (uint32_t i = 0; i < frame.count; i++) {
                assert_updates_equal(&decoded[i], &w.updates[i]);
            }
            tg__channel_apply(&w.channel, &frame, decoded);
        }
        assert_true(w.channel.boundary > UINT32_MAX);
    }
}

static void decode_rejects_every_short_length_and_changes_nothing(void **state)
{
    (void)state;
    static world w;
    static world before;
    static tg__update decoded[SET];
    make_world(&w, 5, 60);
    do {
        make_step(&w, 3);
    } while (!encode_step(&w));
    before = w;
    for (size_t cut = 0; cut < w.size; cut++) {
        uint8_t *const exact = fixture_exact_copy(w.bytes, cut);
        assert_non_null(exact);
        tg__frame frame;
        tg__fault fault = {SIZE_MAX, 0};
        assert_int_not_equal(tg__delta_decode(&w.channel, exact, cut, &frame, decoded, SET, &fault),
                             TG_OK);
        assert_true(fault.offset <= cut);
        free(exact);
    }
    assert_memory_equal(&before, &w, sizeof w);
}

static void decode_survives_every_flipped_bit(void **state)
{
    (void)state;
    static world w;
    static world before;
    static tg__update decoded[SET];
    make_world(&w, 6, 40);
    do {
        make_step(&w, 4);
        w.frame.state_digest = true;
    } while (!encode_step(&w));
    before = w;
    size_t accepted = 0;
    for (size_t bit = 0; bit < w.size * 8; bit++) {
        uint8_t *const exact = fixture_exact_copy(w.bytes, w.size);
        assert_non_null(exact);
        exact[bit / 8] ^= (uint8_t)(1u << bit % 8);
        tg__frame frame;
        tg__fault fault;
        const tg_err err =
            tg__delta_decode(&w.channel, exact, w.size, &frame, decoded, SET, &fault);
        accepted += err == TG_OK;
        free(exact);
    }
    assert_memory_equal(&before, &w, sizeof w);
    /*
     * The digest covers ids, versions and values. Free to change unseen are: the gateway's time,
     * the covered counts, and boundary with its distance – not both by one bit.
     */
    assert_true(accepted < w.size);
}

typedef struct bad_case {
    const char *what;
    uint8_t bytes[24];
    size_t size;
    tg_err err;
    size_t offset;
    uint32_t row;
} bad_case;

/* A set of one instrument (id 1) at boundary 100, bid 500 and ask null at version (1, 10). */
static void make_small_world(world *w)
{
    make_world(w, 1, 1);
    w->channel.boundary = 100;
    memset(&w->images[0], 0, sizeof w->images[0]);
    w->images[0].epoch = 1;
    w->images[0].seq = 10;
    w->images[0].present = TG_FIELD_BIT(TG_FIELD_BID_PRICE);
    w->images[0].value[TG_FIELD_BID_PRICE] = 500;
    w->channel.set_digest = tg__set_digest(w->ids, 1);
}

static void each_kind_of_damage_has_its_own_error_and_place(void **state)
{
    (void)state;
    static world w;
    make_small_world(&w);
    uint8_t d[4];
    for (unsigned i = 0; i < 4; i++) {
        d[i] = (uint8_t)(w.channel.set_digest >> (8 * i));
    }
#define HEAD(flags, boundary) 0x84, (flags), (boundary), 0, 0, 0, d[0], d[1], d[2], d[3]
    const bad_case cases[] = {
        {"kind", {0x83, 0}, 2, TG_ERR_MESSAGE_KIND, 0, TG__NO_ROW},
        {"flags", {0x84, 4}, 2, TG_ERR_FLAGS, 1, TG__NO_ROW},
        {"no distance", {HEAD(0, 101), 0, 0, 0}, 13, TG_ERR_BOUNDARY, 10, TG__NO_ROW},
        {"base", {HEAD(0, 102), 1, 0, 0}, 13, TG_ERR_BASE_MISMATCH, 10, TG__NO_ROW},
        {"rows", {HEAD(0, 101), 1, 0, 2, 1}, 14, TG_ERR_COUNT_LIMIT, 12, TG__NO_ROW},
        {"slot", {HEAD(0, 101), 1, 0, 1, 2}, 14, TG_ERR_SLOT, 13, TG__NO_ROW},
        {"popcount", {HEAD(0, 101), 1, 0, 1, 0}, 14, TG_ERR_SLOT, 13, TG__NO_ROW},
        {"gap", {HEAD(2, 101), 1, 0, 1, 1}, 14, TG_ERR_SLOT, 13, TG__NO_ROW},
        {"gaps of none", {HEAD(2, 101), 1, 0, 0}, 13, TG_ERR_FLAGS, 1, TG__NO_ROW},
        {"no code", {HEAD(0, 101), 1, 0, 1, 1}, 14, TG_ERR_TRUNCATED, 14, TG__NO_ROW},
        {"shape 101", {HEAD(0, 101), 1, 0, 1, 1, 101}, 15, TG_ERR_ROW_SHAPE, 14, TG__NO_ROW},
        {"code ff", {HEAD(0, 101), 1, 0, 1, 1, 0xff}, 15, TG_ERR_ROW_SHAPE, 14, TG__NO_ROW},
        {"no trade code", {HEAD(0, 101), 1, 0, 1, 1, 0x80}, 15, TG_ERR_TRUNCATED, 15, TG__NO_ROW},
        {"trade code 0", {HEAD(0, 101), 1, 0, 1, 1, 0x80, 0}, 16, TG_ERR_ROW_SHAPE, 15, TG__NO_ROW},
        {"trade 47", {HEAD(0, 101), 1, 0, 1, 1, 0x80, 47}, 16, TG_ERR_ROW_SHAPE, 15, TG__NO_ROW},
        {"columns", {HEAD(0, 101), 1, 0, 1, 1, 0, 0x08, 0}, 17, TG_ERR_TRUNCATED, 17, TG__NO_ROW},
        {"values", {HEAD(0, 101), 1, 0, 1, 1, 1, 0, 0}, 17, TG_ERR_TRUNCATED, 17, TG__NO_ROW},
        {"no tail", {HEAD(0, 101), 1, 0, 1, 1, 0x80, 0x80, 0, 0}, 18, TG_ERR_TRUNCATED, 18, 0},
        {"tail 0", {HEAD(0, 101), 1, 0, 1, 1, 0x80, 0x80, 0, 0, 0}, 19, TG_ERR_FIELD_MASK, 18, 0},
        {"no step", {HEAD(0, 101), 1, 0, 1, 1, 0x7f, 2, 0, 2}, 18, TG_ERR_VERSION, 16, 0},
        {"zero delta", {HEAD(0, 101), 1, 0, 1, 1, 0x7f, 2, 1, 0}, 18, TG_ERR_FIELD_MASK, 17, 0},
        {"extensions 0", {HEAD(0, 101), 1, 0, 1, 1, 0x7f, 1, 0, 1}, 18, TG_ERR_FLAGS, 16, 0},
        {"extensions 8", {HEAD(0, 101), 1, 0, 1, 1, 0x7f, 1, 8, 1}, 18, TG_ERR_FLAGS, 16, 0},
        {"raised alone", {HEAD(0, 101), 1, 0, 1, 1, 0x7f, 1, 1, 1}, 18, TG_ERR_VERSION, 16, 0},
        {"null of null",
         {HEAD(0, 101), 1, 0, 1, 1, 0x7f, 1, 4, 1, 2},
         19,
         TG_ERR_FIELD_MASK,
         18,
         0},
        {"trailing", {HEAD(0, 101), 1, 0, 0, 9}, 14, TG_ERR_TRAILING_BYTES, 13, TG__NO_ROW},
        {"varint", {HEAD(0, 101), 1, 0x80, 0, 0}, 14, TG_ERR_VARINT, 11, TG__NO_ROW},
    };
#undef HEAD
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tg__frame frame;
        tg__update decoded[1];
        tg__fault fault = {SIZE_MAX, 12345};
        const tg_err err =
            tg__delta_decode(&w.channel, cases[i].bytes, cases[i].size, &frame, decoded, 1, &fault);
        if (err != cases[i].err || fault.offset != cases[i].offset || fault.row != cases[i].row) {
            fail_msg("%s: %s at %zu row %u", cases[i].what, tg_err_name(err), fault.offset,
                     (unsigned)fault.row);
        }
    }
}

static void shaped_rows_overflow_and_wrap_with_their_row(void **state)
{
    (void)state;
    static world w;
    make_small_world(&w);
    uint8_t bytes[] = {0x84, 0, 101,       0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, /* shape 6 */ 6,
                       0,    0, /* +2 */ 4};
    for (unsigned i = 0; i < 4; i++) {
        bytes[6 + i] = (uint8_t)(w.channel.set_digest >> (8 * i));
    }
    tg__frame frame;
    tg__update decoded[1];
    tg__fault fault = {SIZE_MAX, 12345};
    w.images[0].value[TG_FIELD_BID_PRICE] = INT64_MAX - 1;
    assert_int_equal(tg__delta_decode(&w.channel, bytes, sizeof bytes, &frame, decoded, 1, &fault),
                     TG_ERR_DELTA_OVERFLOW);
    assert_int_equal(fault.offset, 17);
    assert_int_equal(fault.row, 0);
    w.images[0].value[TG_FIELD_BID_PRICE] = INT64_MAX - 2;
    assert_int_equal(tg__delta_decode(&w.channel, bytes, sizeof bytes, &frame, decoded, 1, &fault),
                     TG_OK);
    assert_true(decoded[0].image.value[TG_FIELD_BID_PRICE] == INT64_MAX);
    w.images[0].seq = UINT64_MAX;
    assert_int_equal(tg__delta_decode(&w.channel, bytes, sizeof bytes, &frame, decoded, 1, &fault),
                     TG_ERR_VERSION);
}

static void an_overflowing_delta_rejects_the_frame(void **state)
{
    (void)state;
    static world w;
    make_small_world(&w);
    w.images[0].value[TG_FIELD_BID_PRICE] = INT64_MAX - 1;
    const uint8_t head[] = {0x84, 0, 101, 0, 0, 0};
    uint8_t bytes[32];
    memcpy(bytes, head, sizeof head);
    for (unsigned i = 0; i < 4; i++) {
        bytes[6 + i] = (uint8_t)(w.channel.set_digest >> (8 * i));
    }
    const uint8_t row[] = {1, 0, 1, 1, 0x7f, 2, 1, 4}; /* bid price + 2 */
    memcpy(bytes + 10, row, sizeof row);
    tg__frame frame;
    tg__update decoded[1];
    tg__fault fault;
    assert_int_equal(tg__delta_decode(&w.channel, bytes, 18, &frame, decoded, 1, &fault),
                     TG_ERR_DELTA_OVERFLOW);
    bytes[17] = 2; /* bid price + 1 just fits */
    assert_int_equal(tg__delta_decode(&w.channel, bytes, 18, &frame, decoded, 1, &fault), TG_OK);
    assert_true(decoded[0].image.value[TG_FIELD_BID_PRICE] == INT64_MAX);
}

static void a_frame_for_another_set_is_told_apart_before_its_rows(void **state)
{
    (void)state;
    /* {3, 7, 9}, 7 is unsubscribed, a frame in flight says "second slot": it must not become 9. */
    static world w;
    make_world(&w, 9, 3);
    make_step(&w, 1);
    while (!encode_step(&w)) {
        make_step(&w, 1);
    }
    w.channel.count = 2;
    w.ids[1] = w.ids[2];
    w.channel.set_digest = tg__set_digest(w.ids, 2);
    tg__frame frame;
    tg__update decoded[SET];
    tg__fault fault;
    assert_int_equal(tg__delta_decode(&w.channel, w.bytes, w.size, &frame, decoded, SET, &fault),
                     TG_ERR_SET_MISMATCH);
    assert_true(frame.boundary == w.frame.boundary); /* known, so that a gap can be described */
}

static void unknown_fields_are_skipped_and_counted(void **state)
{
    (void)state;
    static world w;
    make_small_world(&w);
    uint8_t bytes[] = {0x84, 0, 101, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 1, 0x7f,
                       /* mask: field 0 and field 20, times 2 */
                       0x82, 0x80, 0x80, 0x01, /* step */ 1, /* +1 */ 2, /* unknown */ 0x7f};
    for (unsigned i = 0; i < 4; i++) {
        bytes[6 + i] = (uint8_t)(w.channel.set_digest >> (8 * i));
    }
    tg__frame frame;
    tg__update decoded[1];
    tg__fault fault;
    assert_int_equal(tg__delta_decode(&w.channel, bytes, sizeof bytes, &frame, decoded, 1, &fault),
                     TG_OK);
    assert_int_equal(frame.unknown_fields, 1);
    assert_true(decoded[0].image.value[TG_FIELD_BID_PRICE] == 501);
}

static void a_changed_base_is_caught_by_the_state_digest(void **state)
{
    (void)state;
    static world w;
    make_world(&w, 12, 30);
    do {
        make_step(&w, 5);
        w.frame.state_digest = true;
    } while (!encode_step(&w));
    w.images[29].value[TG_FIELD_VOLUME] ^= 1;
    w.images[29].present |= TG_FIELD_BIT(TG_FIELD_VOLUME);
    tg__frame frame;
    tg__update decoded[SET];
    tg__fault fault;
    const bool touched = w.frame.count > 0 && w.updates[w.frame.count - 1].slot == 29;
    assert_false(touched); /* this seed leaves the slot alone */
    assert_int_equal(tg__delta_decode(&w.channel, w.bytes, w.size, &frame, decoded, SET, &fault),
                     TG_ERR_STATE_DIGEST);
    assert_int_equal(fault.offset, w.size - 4);
}

/* One row, whose time moves from one end of 64 bits towards the other. */
static void assert_time_moves(int64_t ts_gateway_ns, int64_t from_ns, int64_t to_ns)
{
    static world w;
    make_world(&w, 14, 1);
    make_step(&w, 1);
    w.channel.time_resolution_ns = 1;
    w.channel.ts_gateway_ns = ts_gateway_ns;
    w.images[0].present |= TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    w.images[0].value[TG_FIELD_TS_EXCHANGE] = from_ns;
    w.frame.ts_gateway_ns = ts_gateway_ns;
    w.updates[0].image = w.images[0];
    w.updates[0].image.seq++;
    w.updates[0].covered = 1;
    w.updates[0].image.value[TG_FIELD_TS_EXCHANGE] = to_ns;
    assert_true(encode_step(&w));
    tg__frame frame;
    tg__update decoded;
    tg__fault fault;
    assert_int_equal(tg__delta_decode(&w.channel, w.bytes, w.size, &frame, &decoded, 1, &fault),
                     TG_OK);
    assert_updates_equal(&decoded, &w.updates[0]);
}

static void exchange_times_may_be_anywhere(void **state)
{
    (void)state;
    assert_time_moves(-1, 0, INT64_MAX);  /* far ahead: the distance to it would wrap */
    assert_time_moves(0, INT64_MAX, -10); /* a step over 63 bits, but near the gateway's time */
    assert_time_moves(0, INT64_MIN, 10);
    assert_time_moves(INT64_MAX, INT64_MAX - 5, INT64_MAX);
    assert_time_moves(INT64_MIN, INT64_MIN, INT64_MIN + 3);
}

static void encode_refuses_what_decode_could_not_take(void **state)
{
    (void)state;
    static world w;
    make_world(&w, 13, 4);
    make_step(&w, 1);
    size_t size = 0;
    w.updates[1].image = w.images[w.updates[1].slot]; /* no newer version */
    assert_int_equal(
        tg__delta_encode(&w.channel, &w.frame, w.updates, w.bytes, sizeof w.bytes, &size),
        TG_ERR_INVALID_ARGUMENT);
    make_step(&w, 1);
    w.updates[1].slot = w.updates[0].slot;
    assert_int_equal(
        tg__delta_encode(&w.channel, &w.frame, w.updates, w.bytes, sizeof w.bytes, &size),
        TG_ERR_INVALID_ARGUMENT);
    make_step(&w, 1);
    w.updates[0].image.present |= TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    w.updates[0].image.value[TG_FIELD_TS_EXCHANGE] = 1; /* no multiple of the resolution */
    assert_int_equal(
        tg__delta_encode(&w.channel, &w.frame, w.updates, w.bytes, sizeof w.bytes, &size),
        TG_ERR_INVALID_ARGUMENT);
    do {
        make_step(&w, 1);
    } while (!encode_step(&w));
    for (size_t capacity = 0; capacity < w.size; capacity++) {
        assert_int_equal(
            tg__delta_encode(&w.channel, &w.frame, w.updates, w.bytes, capacity, &size),
            TG_ERR_BUFFER_TOO_SMALL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walks_decode_to_what_was_encoded),
        cmocka_unit_test(decode_rejects_every_short_length_and_changes_nothing),
        cmocka_unit_test(decode_survives_every_flipped_bit),
        cmocka_unit_test(each_kind_of_damage_has_its_own_error_and_place),
        cmocka_unit_test(shaped_rows_overflow_and_wrap_with_their_row),
        cmocka_unit_test(an_overflowing_delta_rejects_the_frame),
        cmocka_unit_test(a_frame_for_another_set_is_told_apart_before_its_rows),
        cmocka_unit_test(unknown_fields_are_skipped_and_counted),
        cmocka_unit_test(a_changed_base_is_caught_by_the_state_digest),
        cmocka_unit_test(exchange_times_may_be_anywhere),
        cmocka_unit_test(encode_refuses_what_decode_could_not_take),
    };
    return cmocka_run_group_tests_name("codec.delta", tests, NULL, NULL);
}
