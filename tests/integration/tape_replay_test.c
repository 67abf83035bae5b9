/*
 * Every recorded tape goes through gateway, TLS, client and store, and in the end every instrument
 * must show exactly what a straight reading of the tape says.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "gateway_process.h"
#include "publications.h"
#include "tape_oracle.h"

#define DEADLINE_S       100
#define TIME_QUANTUM_NS  100000 /* the gateway's default time resolution */
#define DEMO_TAPE        "merged_binance3_5min_bbo.csv.xz"
#define DEMO_TAPE_TRADES 49984

typedef struct replay {
    gateway_process gateway;
    tape_oracle oracle;
    tg_client *client;
    tg_reader *reader;
    tg_sub_id *subs;
    publications published;
} replay;

static void on_publish(void *ctx, uint64_t view_number)
{
    replay *const r = ctx;
    (void)view_number;
    publications_add(&r->published);
}

static void open_replay(replay *r, const char *tape, const char *speed, bool merge_feeds)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", TG_TAPES_DIR, tape);
    memset(r, 0, sizeof *r);
    assert_true(publications_init(&r->published));
    assert_true(tape_oracle_read(&r->oracle, path, merge_feeds));
    const char *const arguments[] = {"--tape",
                                     path,
                                     "--speed",
                                     speed,
                                     "--keep-times",
                                     "--hold-until-subscribed",
                                     merge_feeds ? "--merge-feeds" : NULL,
                                     NULL};
    assert_true(gateway_process_start(&r->gateway, TG_GATEWAY_PROGRAM, arguments));

    tg_client_options options;
    tg_client_options_init(&options);
    options.url = r->gateway.url;
    options.ca_file = r->gateway.ca;
    options.token = r->gateway.token;
    options.on_publish = on_publish;
    options.ctx = r;
    assert_int_equal(tg_client_open(&options, &r->client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(r->client), &r->reader), TG_OK);
    r->subs = calloc(r->oracle.count, sizeof *r->subs);
    assert_non_null(r->subs);
    for (size_t i = 0; i < r->oracle.count; i++) {
        assert_int_equal(tg_client_subscribe(r->client, r->oracle.instruments[i].venue,
                                             r->oracle.instruments[i].symbol, &r->subs[i]),
                         TG_OK);
    }
    assert_int_equal(tg_client_start(r->client), TG_OK);
}

static void close_replay(replay *r)
{
    tg_reader_close(r->reader);
    tg_client_close(r->client);
    assert_int_equal(gateway_process_stop(&r->gateway), 0);
    tape_oracle_free(&r->oracle);
    free(r->subs);
    publications_deinit(&r->published);
}

/* Instruments that have not reached the number of ticks that the tape has for them. */
static size_t count_behind(replay *r)
{
    const tg_view *const view = tg_reader_pin(r->reader);
    size_t behind = 0;
    for (size_t i = 0; i < r->oracle.count; i++) {
        tg_instrument_id id;
        tg_row row;
        if (tg_client_subscription(r->client, r->subs[i], &id) != TG_OK ||
            tg_view_row(view, id, 0, &row) != TG_OK ||
            row.image.seq < r->oracle.instruments[i].ticks) {
            behind++;
        }
    }
    tg_reader_unpin(r->reader);
    return behind;
}

static void await_the_end(replay *r)
{
    struct timespec deadline;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &deadline), 0);
    deadline.tv_sec += DEADLINE_S;
    uint64_t seen = 0;
    size_t behind = count_behind(r);
    while (behind > 0) {
        const bool in_time = publications_await(&r->published, &seen, &deadline);
        behind = count_behind(r);
        if (!in_time && behind > 0) {
            char error[256];
            tg_client_last_error(r->client, error, sizeof error);
            fail_msg("%zu of %zu instruments are not at their end after %d s; state %s; %s", behind,
                     r->oracle.count, DEADLINE_S, tg_session_state_name(tg_client_state(r->client)),
                     error);
        }
    }
}

static void check_number(const oracle_instrument *expected, const char *what,
                         const oracle_number *number, const tg_image *image, tg_field field,
                         int exponent)
{
    if (!oracle_number_equals(number, tg_image_has(image, field), image->value[field], exponent)) {
        fail_msg("%s:%s %s is %lld x 10^%d", expected->venue, expected->symbol, what,
                 (long long)image->value[field], exponent);
    }
}

static void check_instrument(const oracle_instrument *expected, const tg_image *image,
                             const tg_instrument *instrument)
{
    const int price = instrument->price_exponent;
    const int quantity = instrument->quantity_exponent;
    check_number(expected, "bid", &expected->price[ORACLE_BID], image, TG_FIELD_BID_PRICE, price);
    check_number(expected, "ask", &expected->price[ORACLE_ASK], image, TG_FIELD_ASK_PRICE, price);
    check_number(expected, "last", &expected->price[ORACLE_TRADE], image, TG_FIELD_LAST_PRICE,
                 price);
    check_number(expected, "bid quantity", &expected->quantity[ORACLE_BID], image,
                 TG_FIELD_BID_QUANTITY, quantity);
    check_number(expected, "ask quantity", &expected->quantity[ORACLE_ASK], image,
                 TG_FIELD_ASK_QUANTITY, quantity);
    check_number(expected, "last quantity", &expected->quantity[ORACLE_TRADE], image,
                 TG_FIELD_LAST_QUANTITY, quantity);
    check_number(expected, "volume", &expected->volume, image, TG_FIELD_VOLUME, quantity);
    check_number(expected, "open", &expected->open, image, TG_FIELD_OPEN, price);
    check_number(expected, "high", &expected->high, image, TG_FIELD_HIGH, price);
    check_number(expected, "low", &expected->low, image, TG_FIELD_LOW, price);
    assert_int_equal(image->seq, expected->ticks);
    assert_int_equal(image->value[TG_FIELD_TS_EXCHANGE],
                     expected->ts_ns - expected->ts_ns % TIME_QUANTUM_NS);
}

static void check_end(replay *r)
{
    const tg_view *const view = tg_reader_pin(r->reader);
    uint64_t ticks = 0;
    for (size_t i = 0; i < r->oracle.count; i++) {
        const oracle_instrument *const expected = &r->oracle.instruments[i];
        tg_instrument_id id = TG_INSTRUMENT_NONE;
        tg_instrument_id found = TG_INSTRUMENT_NONE;
        tg_row row;
        tg_instrument instrument;
        assert_int_equal(tg_client_subscription(r->client, r->subs[i], &id), TG_OK);
        assert_int_equal(tg_view_find(view, expected->venue, expected->symbol, &found), TG_OK);
        assert_int_equal(found, id);
        assert_int_equal(tg_view_row(view, id, 0, &row), TG_OK);
        assert_int_equal(tg_view_instrument(view, id, &instrument), TG_OK);
        check_instrument(expected, &row.image, &instrument);
        ticks += expected->ticks;
    }
    tg_reader_unpin(r->reader);

    /* Nothing was lost on the way: what the rows say they cover is what the tape holds. */
    tg_store_counters store = {.struct_size = sizeof store};
    tg_client_counters client = {.struct_size = sizeof client};
    assert_int_equal(tg_store_counters_get(tg_client_store(r->client), &store), TG_OK);
    assert_int_equal(tg_client_counters_get(r->client, &client), TG_OK);
    assert_int_equal(store.covered_ticks, ticks);
    assert_int_equal(client.gaps, 0);
    assert_int_equal(client.frames_rejected, 0);
    assert_int_equal(store.rejected_regression + store.rejected_epoch + store.integrity_faults, 0);
    print_message("  %llu rows, %llu trades, %llu duplicates, %llu regressions, %llu ticks in "
                  "%llu frames\n",
                  (unsigned long long)r->oracle.rows, (unsigned long long)r->oracle.trades,
                  (unsigned long long)r->oracle.duplicates,
                  (unsigned long long)r->oracle.regressions, (unsigned long long)ticks,
                  (unsigned long long)client.frames);
}

/* speed: how much faster than the market was; "0" is all at once. */
static void replay_tape(const char *tape, const char *speed, bool merge_feeds,
                        uint64_t expected_trades)
{
    static replay r;
    open_replay(&r, tape, speed, merge_feeds);
    assert_true(expected_trades == 0 || r.oracle.trades == expected_trades);
    await_the_end(&r);
    check_end(&r);
    close_replay(&r);
}

static void demo_tape_arrives_whole(void **state)
{
    (void)state;
    replay_tape(DEMO_TAPE, "60", false, DEMO_TAPE_TRADES);
}

static void demo_tape_arrives_whole_at_once(void **state)
{
    (void)state;
    replay_tape(DEMO_TAPE, "0", false, DEMO_TAPE_TRADES);
}

static void fifteen_venues_arrive_whole(void **state)
{
    (void)state;
    replay_tape("merged_2021-04-17_bbo.csv.xz", "10", false, 0);
}

static void book_levels_arrive_whole(void **state)
{
    (void)state;
    replay_tape("merged_2021-04-17_l2.csv.xz", "10", false, 0);
}

static void four_feeds_of_one_venue_arrive_as_one(void **state)
{
    (void)state;
    replay_tape("dup_bequant_ABCD_bbo.csv.xz", "10", true, 0);
}

static void three_feeds_mostly_without_ids_arrive_as_one(void **state)
{
    (void)state;
    replay_tape("dup_okex_ABC_bbo.csv.xz", "10", true, 0);
}

static void feeds_that_are_not_merged_stay_apart(void **state)
{
    (void)state;
    replay_tape("dup_bequant_ABCD_bbo.csv.xz", "10", false, 0);
}

int main(void)
{
    if (access(TG_TAPES_DIR "/" DEMO_TAPE, R_OK) != 0) {
        (void)printf("SKIP: no recorded markets at %s\n", TG_TAPES_DIR);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(demo_tape_arrives_whole),
        cmocka_unit_test(demo_tape_arrives_whole_at_once),
        cmocka_unit_test(fifteen_venues_arrive_whole),
        cmocka_unit_test(book_levels_arrive_whole),
        cmocka_unit_test(four_feeds_of_one_venue_arrive_as_one),
        cmocka_unit_test(three_feeds_mostly_without_ids_arrive_as_one),
        cmocka_unit_test(feeds_that_are_not_merged_stay_apart),
    };
    return cmocka_run_group_tests_name("integration.tape_replay", tests, NULL, NULL);
}
