#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "directory.h"

static tg_err add(tg__directory *directory, const char *venue, const char *symbol,
                  tg_instrument_id *id)
{
    tg_instrument instrument = {.band_count = 1, .band = {{INT64_MIN, 1}}};
    assert_int_equal(tg__directory_venue(directory, venue, &instrument.venue), TG_OK);
    (void)snprintf(instrument.symbol, sizeof instrument.symbol, "%s", symbol);
    return tg__directory_add(directory, &instrument, id);
}

static void a_symbol_is_found_only_on_its_venue(void **state)
{
    (void)state;
    tg__directory directory;
    tg_instrument_id id = 0;
    tg__directory_init(&directory);
    assert_int_equal(tg__directory_find_name(&directory, "A", "X"), TG_INSTRUMENT_NONE);
    assert_int_equal(add(&directory, "A", "X", &id), TG_OK);
    assert_int_equal(id, 0);
    assert_int_equal(add(&directory, "B", "X", &id), TG_OK);
    assert_int_equal(id, 1);
    assert_int_equal(add(&directory, "A", "X", &id), TG_ERR_STATE);
    assert_int_equal(tg__directory_find_name(&directory, "A", "X"), 0);
    assert_int_equal(tg__directory_find_name(&directory, "B", "X"), 1);
    assert_int_equal(tg__directory_find_name(&directory, "B", "Y"), TG_INSTRUMENT_NONE);
    assert_int_equal(tg__directory_find_name(&directory, "C", "X"), TG_INSTRUMENT_NONE);
    tg__directory_deinit(&directory);
}

static void running_out_of_ids_is_an_error(void **state)
{
    (void)state;
    tg__directory directory;
    tg_instrument_id id = 0;
    tg__directory_init(&directory);
    for (unsigned i = 0; i < TG_INSTRUMENT_MAX; i++) {
        char symbol[16];
        (void)snprintf(symbol, sizeof symbol, "S%u", i);
        assert_int_equal(add(&directory, "V", symbol, &id), TG_OK);
        assert_int_equal(id, i);
    }
    assert_int_equal(add(&directory, "V", "ONE-MORE", &id), TG_ERR_FULL);
    assert_int_equal(tg__directory_find_name(&directory, "V", "S65534"), 65534);
    for (unsigned i = 1; i < TG_VENUE_MAX; i++) {
        char name[16];
        tg_venue_id venue = 0;
        (void)snprintf(name, sizeof name, "V%u", i);
        assert_int_equal(tg__directory_venue(&directory, name, &venue), TG_OK);
    }
    tg_venue_id venue = 0;
    assert_int_equal(tg__directory_venue(&directory, "ONE-MORE", &venue), TG_ERR_FULL);
    tg__directory_deinit(&directory);
}

static void pages_follow_each_other_without_gap_or_repeat(void **state)
{
    (void)state;
    tg__directory directory;
    tg_instrument_id id = 0;
    tg__directory_init(&directory);
    for (unsigned i = 0; i < 100; i++) {
        char symbol[16];
        (void)snprintf(symbol, sizeof symbol, "%s-%02u", i % 2 == 0 ? "BTC" : "ETH",
                       (i * 37) % 100);
        assert_int_equal(add(&directory, i % 3 == 0 ? "ZETA" : "ALPHA", symbol, &id), TG_OK);
    }
    assert_int_equal(tg__directory_seal(&directory), TG_OK);
    tg__find find = {.limit = 7, .prefix = "BTC"};
    bool more = true;
    unsigned seen = 0;
    char last[128] = "";
    while (more) {
        tg_instrument_id ids[7];
        const uint32_t count = tg__directory_page(&directory, &find, ids, 7, &more);
        assert_true(count == 7 || !more);
        for (uint32_t i = 0; i < count; i++) {
            const tg_instrument *instrument = &directory.instruments[ids[i]];
            char name[128];
            (void)snprintf(name, sizeof name, "%s %s", directory.venues[instrument->venue].name,
                           instrument->symbol);
            assert_true(strcmp(name, last) > 0);
            memcpy(last, name, sizeof last);
            (void)snprintf(find.after_venue, sizeof find.after_venue, "%s",
                           directory.venues[instrument->venue].name);
            (void)snprintf(find.after_symbol, sizeof find.after_symbol, "%s", instrument->symbol);
            seen++;
        }
    }
    assert_int_equal(seen, 50);
    tg__find only = {.limit = 100, .venue = "ZETA"};
    tg_instrument_id ids[100];
    assert_int_equal(tg__directory_page(&directory, &only, ids, 100, &more), 34);
    assert_false(more);
    tg__directory_deinit(&directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_symbol_is_found_only_on_its_venue),
        cmocka_unit_test(running_out_of_ids_is_an_error),
        cmocka_unit_test(pages_follow_each_other_without_gap_or_repeat),
    };
    return cmocka_run_group_tests_name("gateway.directory", tests, NULL, NULL);
}
