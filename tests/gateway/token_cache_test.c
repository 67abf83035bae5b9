#include "tg_cmocka.h"

#include <string.h>

#include "token_cache.h"

#define CAPACITY 64u
#define NOW_S    INT64_C(1800000000)

/* number spreads over the sets, kind tells entries of one set apart. */
static tg__token_entry entry_of(uint32_t number, uint8_t kind, int64_t until_s)
{
    tg__token_entry entry;
    memset(&entry, 0, sizeof entry);
    memcpy(entry.fingerprint.bytes, &number, sizeof number);
    entry.fingerprint.bytes[31] = kind;
    entry.until_s = until_s;
    entry.entitlement.expires_s = until_s;
    return entry;
}

static int set_up(void **state)
{
    static tg__token_cache cache;
    assert_int_equal(tg__token_cache_init(&cache, CAPACITY), TG_OK);
    *state = &cache;
    return 0;
}

static int tear_down(void **state)
{
    tg__token_cache_deinit(*state);
    return 0;
}

static void an_entry_is_found_until_it_ends(void **state)
{
    tg__token_cache *cache = *state;
    const tg__token_entry entry = entry_of(5, 1, NOW_S + 10);
    const tg__token_entry other = entry_of(5, 2, NOW_S + 10);
    assert_null(tg__token_cache_find(cache, &entry.fingerprint, NOW_S));
    tg__token_cache_put(cache, &entry, NOW_S);
    assert_non_null(tg__token_cache_find(cache, &entry.fingerprint, NOW_S + 9));
    assert_null(tg__token_cache_find(cache, &entry.fingerprint, NOW_S + 10));
    assert_null(tg__token_cache_find(cache, &other.fingerprint, NOW_S));
}

static void a_fingerprint_has_one_entry(void **state)
{
    tg__token_cache *cache = *state;
    tg__token_entry entry = entry_of(5, 1, NOW_S + 10);
    tg__token_cache_put(cache, &entry, NOW_S);
    entry.until_s = NOW_S + 20;
    tg__token_cache_put(cache, &entry, NOW_S);
    assert_non_null(tg__token_cache_find(cache, &entry.fingerprint, NOW_S + 15));
    unsigned used = 0;
    for (uint32_t i = 0; i < CAPACITY; i++) {
        used += cache->entries[i].until_s != 0;
    }
    assert_int_equal(used, 1);
}

static void a_full_set_gives_up_what_ends_first(void **state)
{
    tg__token_cache *cache = *state;
    for (uint8_t i = 0; i < 9; i++) {
        const tg__token_entry entry = entry_of(3, i, NOW_S + 100 - i); /* the ninth ends first */
        tg__token_cache_put(cache, &entry, NOW_S);
    }
    assert_int_equal(cache->evictions, 1);
    for (uint8_t i = 0; i < 9; i++) {
        const tg__token_entry entry = entry_of(3, i, 0);
        const bool there = tg__token_cache_find(cache, &entry.fingerprint, NOW_S) != NULL;
        assert_true(there == (i != 7)); /* of the eight that stood there, the last ended first */
    }
}

static void what_has_ended_gives_its_place_without_being_counted(void **state)
{
    tg__token_cache *cache = *state;
    for (uint8_t i = 0; i < 8; i++) {
        const tg__token_entry entry = entry_of(3, i, NOW_S + 10 + i);
        tg__token_cache_put(cache, &entry, NOW_S);
    }
    const tg__token_entry late = entry_of(3, 99, NOW_S + 1000);
    tg__token_cache_put(cache, &late, NOW_S + 10);
    assert_int_equal(cache->evictions, 0);
    assert_non_null(tg__token_cache_find(cache, &late.fingerprint, NOW_S + 10));
}

static void sets_do_not_disturb_each_other(void **state)
{
    tg__token_cache *cache = *state;
    for (uint32_t i = 0; i < CAPACITY; i++) {
        const tg__token_entry entry = entry_of(i % 8, (uint8_t)(i / 8), NOW_S + 1);
        tg__token_cache_put(cache, &entry, NOW_S);
    }
    assert_int_equal(cache->evictions, 0);
    for (uint32_t i = 0; i < CAPACITY; i++) {
        const tg__token_entry entry = entry_of(i % 8, (uint8_t)(i / 8), 0);
        assert_non_null(tg__token_cache_find(cache, &entry.fingerprint, NOW_S));
    }
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_entry_is_found_until_it_ends),
        CASE(a_fingerprint_has_one_entry),
        CASE(a_full_set_gives_up_what_ends_first),
        CASE(what_has_ended_gives_its_place_without_being_counted),
        CASE(sets_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests_name("gateway.token_cache", tests, NULL, NULL);
}
