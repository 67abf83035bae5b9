/*
 * Every recorded tape through the gateway alone, decoded message by message and compared with a
 * straight reading: final values, ticks per instrument, and what was rejected.
 */
#include "tg_cmocka.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../integration/tape_oracle.h"
#include "follower.h"

#define RESOLUTION_NS FOLLOWER_RESOLUTION_NS

static void subscribe_all(follower *f, const tape_oracle *oracle)
{
    static tg__name names[FOLLOWER_MAX];
    assert_true(oracle->count <= FOLLOWER_MAX);
    for (size_t i = 0; i < oracle->count; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = TG_INSTRUMENT_NONE;
        assert_true(strlen(oracle->instruments[i].venue) < sizeof names[i].venue);
        memcpy(names[i].venue, oracle->instruments[i].venue, strlen(oracle->instruments[i].venue));
        memcpy(names[i].symbol, oracle->instruments[i].symbol, sizeof names[i].symbol);
    }
    follower_subscribe(f, names, oracle->count);
}

static tg_instrument_id id_of(const follower *f, const oracle_instrument *expected)
{
    for (uint32_t slot = 0; slot < f->channel.count; slot++) {
        const tg_instrument *instrument = &f->instruments[f->ids[slot]];
        if (strcmp(instrument->symbol, expected->symbol) == 0 &&
            strcmp(f->venues[instrument->venue].name, expected->venue) == 0) {
            return f->ids[slot];
        }
    }
    return TG_INSTRUMENT_NONE;
}

static bool is_at_the_end(const follower *f, const tape_oracle *oracle)
{
    for (size_t i = 0; i < oracle->count; i++) {
        const tg_instrument_id id = id_of(f, &oracle->instruments[i]);
        if (id == TG_INSTRUMENT_NONE ||
            f->images[tg__channel_slot(&f->channel, id)].seq < oracle->instruments[i].ticks) {
            return false;
        }
    }
    return true;
}

static void check_value(const oracle_instrument *expected, const oracle_number *number,
                        const tg_image *image, tg_field field, int exponent)
{
    if (!oracle_number_equals(number, tg_image_has(image, field), image->value[field], exponent)) {
        fail_msg("%s:%s field %d is %" PRId64 " x 10^%d", expected->venue, expected->symbol,
                 (int)field, image->value[field], exponent);
    }
}

static void check_instrument(const follower *f, const oracle_instrument *expected)
{
    const tg_instrument_id id = id_of(f, expected);
    const tg_image *image = &f->images[tg__channel_slot(&f->channel, id)];
    const int price = f->instruments[id].price_exponent;
    const int quantity = f->instruments[id].quantity_exponent;
    check_value(expected, &expected->price[ORACLE_BID], image, TG_FIELD_BID_PRICE, price);
    check_value(expected, &expected->price[ORACLE_ASK], image, TG_FIELD_ASK_PRICE, price);
    check_value(expected, &expected->price[ORACLE_TRADE], image, TG_FIELD_LAST_PRICE, price);
    check_value(expected, &expected->quantity[ORACLE_BID], image, TG_FIELD_BID_QUANTITY, quantity);
    check_value(expected, &expected->quantity[ORACLE_ASK], image, TG_FIELD_ASK_QUANTITY, quantity);
    check_value(expected, &expected->volume, image, TG_FIELD_VOLUME, quantity);
    check_value(expected, &expected->open, image, TG_FIELD_OPEN, price);
    check_value(expected, &expected->high, image, TG_FIELD_HIGH, price);
    check_value(expected, &expected->low, image, TG_FIELD_LOW, price);
    assert_int_equal(image->seq, expected->ticks);
    assert_int_equal(f->covered[id], expected->ticks);
    assert_int_equal(image->value[TG_FIELD_TS_EXCHANGE],
                     expected->ts_ns - expected->ts_ns % RESOLUTION_NS);
}

/* What the gateway counted, from its log: summed over the venues. */
static void read_counts(const gateway_process *gateway, uint64_t *admitted, uint64_t *duplicates,
                        uint64_t *regressions)
{
    char line[1024];
    FILE *file = fopen(gateway->log, "rb");
    assert_non_null(file);
    *admitted = *duplicates = *regressions = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *at = strstr(line, " rows admitted, ");
        uint64_t counts[3];
        if (at == NULL) {
            continue;
        }
        while (at[-1] >= '0' && at[-1] <= '9') {
            at--;
        }
        assert_int_equal(
            sscanf(at, "%" SCNu64 " rows admitted, %" SCNu64 " duplicates, %" SCNu64 " regressions",
                   &counts[0], &counts[1], &counts[2]),
            3);
        *admitted += counts[0];
        *duplicates += counts[1];
        *regressions += counts[2];
    }
    assert_int_equal(fclose(file), 0);
}

static void replay(const char *tape, bool merge)
{
    static follower f;
    static gateway_process gateway;
    char path[512];
    tape_oracle oracle;
    (void)snprintf(path, sizeof path, "%s/%s", TG_TAPES_DIR, tape);
    assert_true(tape_oracle_read(&oracle, path, merge));
    const char *const arguments[] = {"--tape",
                                     path,
                                     "--speed",
                                     "0",
                                     "--keep-times",
                                     "--hold-until-subscribed",
                                     merge ? "--merge-feeds" : NULL,
                                     NULL};
    assert_true(gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, arguments));
    follower_open(&f, &gateway);
    subscribe_all(&f, &oracle);
    while (!is_at_the_end(&f, &oracle)) {
        follower_step(&f);
    }
    for (size_t i = 0; i < oracle.count; i++) {
        check_instrument(&f, &oracle.instruments[i]);
    }
    assert_int_equal(f.gaps, 0);
    follower_close(&f);
    uint64_t admitted = 0;
    uint64_t duplicates = 0;
    uint64_t regressions = 0;
    read_counts(&gateway, &admitted, &duplicates, &regressions);
    assert_int_equal(admitted + duplicates + regressions, oracle.rows);
    assert_int_equal(duplicates, oracle.duplicates);
    assert_int_equal(regressions, oracle.regressions);
    print_message("%s: %" PRIu64 " rows, %" PRIu64 " duplicates, %" PRIu64 " regressions, %" PRIu64
                  " frames\n",
                  tape, oracle.rows, duplicates, regressions, f.frames);
    assert_int_equal(gateway_process_stop(&gateway), 0);
    tape_oracle_free(&oracle);
}

static void the_demo_tape_ends_as_it_reads(void **state)
{
    (void)state;
    replay("merged_binance3_5min_bbo.csv.xz", false);
}

static void fifteen_venues_end_as_they_read(void **state)
{
    (void)state;
    replay("merged_2021-04-17_bbo.csv.xz", false);
}

static void book_levels_end_as_they_read(void **state)
{
    (void)state;
    replay("merged_2021-04-17_l2.csv.xz", false);
}

static void merged_feeds_end_as_one_venue(void **state)
{
    (void)state;
    replay("dup_bequant_ABCD_bbo.csv.xz", true);
    replay("dup_okex_ABC_bbo.csv.xz", true);
}

int main(void)
{
    if (access(TG_TAPES_DIR "/merged_binance3_5min_bbo.csv.xz", R_OK) != 0) {
        (void)printf("SKIP: no recorded markets at %s\n", TG_TAPES_DIR);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_demo_tape_ends_as_it_reads),
        cmocka_unit_test(fifteen_venues_end_as_they_read),
        cmocka_unit_test(book_levels_end_as_they_read),
        cmocka_unit_test(merged_feeds_end_as_one_venue),
    };
    return cmocka_run_group_tests_name("gateway.tape_replay", tests, NULL, NULL);
}
