#include "tg_cmocka.h"

#include "codec_fixture.h"

#define ROWS 50

typedef struct message {
    tg__frame frame;
    tg__update rows[ROWS];
    tg_instrument_id ids[ROWS];
    uint8_t bytes[ROWS * 512];
    size_t size;
} message;

static void encode(message *m, tg__snapshot_reason reason)
{
    assert_int_equal(tg__snapshot_header_encode(&m->frame, reason, FIXTURE_RESOLUTION_NS, m->bytes,
                                                sizeof m->bytes, &m->size),
                     TG_OK);
    for (uint32_t i = 0; i < m->frame.count; i++) {
        size_t size = 0;
        assert_int_equal(tg__snapshot_row_encode(&m->rows[i], FIXTURE_RESOLUTION_NS,
                                                 m->bytes + m->size, sizeof m->bytes - m->size,
                                                 &size),
                         TG_OK);
        m->size += size;
    }
}

static void make_message(message *m, uint64_t seed, uint32_t count)
{
    uint64_t random = seed;
    memset(m, 0, sizeof *m);
    for (uint32_t i = 0; i < count; i++) {
        m->ids[i] = (tg_instrument_id)(i * 1300);
        m->rows[i].id = m->ids[i];
        m->rows[i].slot = (uint16_t)i;
        fixture_image(&random, &m->rows[i].image);
    }
    m->frame.boundary = m->frame.base = fixture_random(&random);
    m->frame.ts_gateway_ns = INT64_C(1700000000000000000);
    m->frame.count = count;
    m->frame.set_digest = tg__set_digest(m->ids, count);
}

static tg_err decode(const uint8_t *bytes, size_t size, tg__frame *frame, tg__update *rows,
                     tg__fault *fault)
{
    tg__snapshot_reason reason;
    return tg__snapshot_decode(bytes, size, FIXTURE_RESOLUTION_NS, frame, &reason, rows, ROWS,
                               fault);
}

static void every_row_comes_back_and_replaces_the_set(void **state)
{
    (void)state;
    static message m;
    static tg__update rows[ROWS];
    for (uint64_t seed = 1; seed <= 50; seed++) {
        make_message(&m, seed, (uint32_t)seed);
        encode(&m, TG__SNAPSHOT_RESYNC);
        uint8_t *const exact = fixture_exact_copy(m.bytes, m.size);
        assert_non_null(exact);
        tg__frame frame;
        tg__fault fault;
        tg__snapshot_reason reason = TG__SNAPSHOT_GAP;
        assert_int_equal(tg__snapshot_decode(exact, m.size, FIXTURE_RESOLUTION_NS, &frame, &reason,
                                             rows, ROWS, &fault),
                         TG_OK);
        free(exact);
        assert_int_equal(reason, TG__SNAPSHOT_RESYNC);
        assert_true(frame.boundary == m.frame.boundary);
        assert_int_equal(frame.count, m.frame.count);
        assert_memory_equal(rows, m.rows, frame.count * sizeof rows[0]);

        tg_instrument_id ids[ROWS] = {9};
        tg_image images[ROWS];
        tg__channel channel;
        tg__channel_init(&channel, ids, images, ROWS, FIXTURE_RESOLUTION_NS);
        tg__channel_replace(&channel, &frame, rows);
        assert_int_equal(channel.count, m.frame.count);
        assert_memory_equal(ids, m.ids, channel.count * sizeof ids[0]);
        assert_int_equal(tg__set_digest(ids, channel.count), channel.set_digest);
    }
}

static void decode_rejects_every_short_length(void **state)
{
    (void)state;
    static message m;
    static tg__update rows[ROWS];
    make_message(&m, 3, 20);
    encode(&m, TG__SNAPSHOT_GAP);
    for (size_t cut = 0; cut < m.size; cut++) {
        uint8_t *const exact = fixture_exact_copy(m.bytes, cut);
        assert_non_null(exact);
        tg__frame frame;
        tg__fault fault = {SIZE_MAX, 0};
        assert_int_not_equal(decode(exact, cut, &frame, rows, &fault), TG_OK);
        assert_true(fault.offset <= cut);
        free(exact);
    }
}

static void ids_out_of_order_and_a_wrong_digest_are_named(void **state)
{
    (void)state;
    static message m;
    static tg__update rows[ROWS];
    tg__frame frame;
    tg__fault fault;
    make_message(&m, 4, 3);
    m.rows[2].id = m.rows[1].id;
    encode(&m, TG__SNAPSHOT_SET_CHANGE);
    assert_int_equal(decode(m.bytes, m.size, &frame, rows, &fault), TG_ERR_SET_ORDER);
    assert_int_equal(fault.row, 2);
    make_message(&m, 4, 3);
    m.frame.set_digest ^= 1;
    encode(&m, TG__SNAPSHOT_SET_CHANGE);
    assert_int_equal(decode(m.bytes, m.size, &frame, rows, &fault), TG_ERR_SET_DIGEST);
}

static void rows_that_a_later_version_made_longer_are_read(void **state)
{
    (void)state;
    static message m;
    static tg__update rows[ROWS];
    make_message(&m, 5, 1);
    m.rows[0].image.present = 0;
    memset(m.rows[0].image.value, 0, sizeof m.rows[0].image.value);
    encode(&m, TG__SNAPSHOT_SET_CHANGE);
    size_t header = 0;
    uint8_t scratch[64];
    assert_int_equal(tg__snapshot_header_encode(&m.frame, TG__SNAPSHOT_SET_CHANGE,
                                                FIXTURE_RESOLUTION_NS, scratch, sizeof scratch,
                                                &header),
                     TG_OK);
    m.bytes[header] = (uint8_t)(m.bytes[header] + 2); /* the row's length: under 126, one byte */
    m.bytes[m.size++] = 0xee;
    m.bytes[m.size++] = 0xff;
    tg__frame frame;
    tg__fault fault;
    assert_int_equal(decode(m.bytes, m.size, &frame, rows, &fault), TG_OK);
    assert_int_equal(rows[0].id, m.rows[0].id);
}

static void an_empty_set_is_a_set(void **state)
{
    (void)state;
    static message m;
    static tg__update rows[ROWS];
    make_message(&m, 6, 0);
    encode(&m, TG__SNAPSHOT_SET_CHANGE);
    tg__frame frame;
    tg__fault fault;
    assert_int_equal(decode(m.bytes, m.size, &frame, rows, &fault), TG_OK);
    assert_int_equal(frame.count, 0);
}

static void a_count_over_the_limit_is_refused_before_any_row(void **state)
{
    (void)state;
    static tg__update rows[ROWS];
    const uint8_t bytes[] = {0x83, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x81, 0x40};
    tg__frame frame;
    tg__fault fault;
    assert_int_equal(decode(bytes, sizeof bytes, &frame, rows, &fault), TG_ERR_COUNT_LIMIT);
    assert_int_equal(fault.offset, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_comes_back_and_replaces_the_set),
        cmocka_unit_test(decode_rejects_every_short_length),
        cmocka_unit_test(ids_out_of_order_and_a_wrong_digest_are_named),
        cmocka_unit_test(rows_that_a_later_version_made_longer_are_read),
        cmocka_unit_test(an_empty_set_is_a_set),
        cmocka_unit_test(a_count_over_the_limit_is_refused_before_any_row),
    };
    return cmocka_run_group_tests_name("codec.snapshot", tests, NULL, NULL);
}
