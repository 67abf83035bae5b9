#include "tg_cmocka.h"

#include "codec_fixture.h"

#define TICKS 30

static void make_ticks(tg__tick *ticks, uint64_t seed)
{
    uint64_t random = seed;
    memset(ticks, 0, TICKS * sizeof ticks[0]);
    for (unsigned i = 0; i < TICKS; i++) {
        ticks[i].update.id = (tg_instrument_id)fixture_below(&random, 65535);
        ticks[i].update.covered = fixture_below(&random, 3);
        fixture_image(&random, &ticks[i].update.image);
        ticks[i].has_book = fixture_below(&random, 2) == 0;
        if (!ticks[i].has_book) {
            continue;
        }
        tg_book *const book = &ticks[i].book;
        book->bid_count = (uint8_t)fixture_below(&random, TG_BOOK_DEPTH_MAX + 1);
        book->ask_count = (uint8_t)fixture_below(&random, TG_BOOK_DEPTH_MAX + 1);
        for (unsigned level = 0; level < TG_BOOK_DEPTH_MAX; level++) {
            if (level < book->bid_count) {
                book->bid[level].price =
                    -3763 - (int64_t)level * 2; /* negative prices are prices */
                book->bid[level].quantity = fixture_value(&random);
            }
            if (level < book->ask_count) {
                book->ask[level].price = INT64_MAX - 20 + level;
                book->ask[level].quantity = (int64_t)level;
            }
        }
    }
}

static void ticks_and_books_come_back(void **state)
{
    (void)state;
    static tg__tick ticks[TICKS];
    static uint8_t bytes[TICKS * 1024];
    for (uint64_t seed = 1; seed < 30; seed++) {
        make_ticks(ticks, seed);
        size_t size = 0;
        const int64_t ts = INT64_C(1700000000000000000);
        assert_int_equal(
            tg__ticks_encode(ts, FIXTURE_RESOLUTION_NS, ticks, TICKS, bytes, sizeof bytes, &size),
            TG_OK);
        uint8_t *const exact = fixture_exact_copy(bytes, size);
        assert_non_null(exact);
        tg__ticks_reader reader;
        tg__fault fault;
        int64_t ts_gateway_ns = 0;
        assert_int_equal(
            tg__ticks_decode(exact, size, FIXTURE_RESOLUTION_NS, &ts_gateway_ns, &reader, &fault),
            TG_OK);
        assert_true(ts_gateway_ns == ts);
        for (unsigned i = 0; i < TICKS; i++) {
            tg__tick tick;
            memset(&tick, 0, sizeof tick);
            assert_true(tg__ticks_next(&reader, &tick));
            assert_memory_equal(&tick.update, &ticks[i].update, sizeof tick.update);
            assert_int_equal(tick.has_book, ticks[i].has_book);
            assert_memory_equal(&tick.book, &ticks[i].book, sizeof tick.book);
        }
        tg__tick past_the_end;
        assert_false(tg__ticks_next(&reader, &past_the_end));
        free(exact);
    }
}

static void decode_rejects_every_short_length(void **state)
{
    (void)state;
    static tg__tick ticks[TICKS];
    static uint8_t bytes[TICKS * 1024];
    make_ticks(ticks, 77);
    size_t size = 0;
    assert_int_equal(
        tg__ticks_encode(0, FIXTURE_RESOLUTION_NS, ticks, TICKS, bytes, sizeof bytes, &size),
        TG_OK);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *const exact = fixture_exact_copy(bytes, cut);
        assert_non_null(exact);
        tg__ticks_reader reader;
        tg__fault fault = {SIZE_MAX, 0};
        int64_t ts_gateway_ns = 0;
        assert_int_not_equal(
            tg__ticks_decode(exact, cut, FIXTURE_RESOLUTION_NS, &ts_gateway_ns, &reader, &fault),
            TG_OK);
        assert_true(fault.offset <= cut);
        free(exact);
    }
}

static void more_levels_than_the_protocol_has_are_refused(void **state)
{
    (void)state;
    /* one tick: length 8, id 5, epoch 1, seq 1, covered 0, mask 0, 11 bids, 0 asks */
    const uint8_t bytes[] = {0x85, 0, 0, 1, 8, 5, 0, 1, 1, 0, 0, 11, 0};
    tg__ticks_reader reader;
    tg__fault fault;
    int64_t ts_gateway_ns = 0;
    assert_int_equal(tg__ticks_decode(bytes, sizeof bytes, FIXTURE_RESOLUTION_NS, &ts_gateway_ns,
                                      &reader, &fault),
                     TG_ERR_COUNT_LIMIT);
    assert_int_equal(fault.row, 0);
    tg__tick tick;
    memset(&tick, 0, sizeof tick);
    tick.has_book = true;
    tick.book.bid_count = TG_BOOK_DEPTH_MAX + 1;
    uint8_t out[64];
    size_t size = 0;
    assert_int_equal(tg__ticks_encode(0, FIXTURE_RESOLUTION_NS, &tick, 1, out, sizeof out, &size),
                     TG_ERR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_and_books_come_back),
        cmocka_unit_test(decode_rejects_every_short_length),
        cmocka_unit_test(more_levels_than_the_protocol_has_are_refused),
    };
    return cmocka_run_group_tests_name("codec.ticks", tests, NULL, NULL);
}
