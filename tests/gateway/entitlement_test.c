#include "tg_cmocka.h"

#include <string.h>

#include "entitlement.h"

#define NS INT64_C(1000000000)

static void all_is_every_venue_that_there_is(void **state)
{
    (void)state;
    for (uint32_t count = 0; count <= TG_VENUE_MAX; count += 51) {
        const tg__entitlement all = tg__entitlement_of_all(count);
        for (uint32_t venue = 0; venue < TG_VENUE_MAX; venue++) {
            assert_true(tg__entitlement_covers(&all, (tg_venue_id)venue) == (venue < count));
        }
        assert_true(tg__entitlement_is_empty(&all) == (count == 0));
        assert_int_equal(all.expires_s, 0);
        assert_string_equal(all.subject, "");
    }
}

static void what_is_taken_away_leaves_the_rest(void **state)
{
    (void)state;
    tg__entitlement mine = tg__entitlement_of_all(20);
    tg__entitlement kept = tg__entitlement_of_all(0);
    tg__entitlement_add(&kept, 3);
    tg__entitlement_add(&kept, 19);
    tg__entitlement_add(&kept, 200);
    tg__entitlement_intersect(&mine, kept.venues);
    for (uint32_t venue = 0; venue < TG_VENUE_MAX; venue++) {
        assert_true(tg__entitlement_covers(&mine, (tg_venue_id)venue) ==
                    (venue == 3 || venue == 19));
    }
    memset(kept.venues, 0, sizeof kept.venues);
    tg__entitlement_intersect(&mine, kept.venues);
    assert_true(tg__entitlement_is_empty(&mine));
}

static void a_lifetime_is_whole_seconds_and_0_only_without_an_end(void **state)
{
    (void)state;
    tg__entitlement mine = tg__entitlement_of_all(1);
    assert_int_equal(tg__entitlement_lifetime_s(&mine, 500 * NS), 0);
    mine.expires_s = 600;
    assert_int_equal(tg__entitlement_lifetime_s(&mine, 500 * NS), 100);
    assert_int_equal(tg__entitlement_lifetime_s(&mine, 600 * NS), 1);
    assert_int_equal(tg__entitlement_lifetime_s(&mine, 700 * NS), 1);
    mine.expires_s = INT64_C(999999999999999);
    assert_int_equal(tg__entitlement_lifetime_s(&mine, 0), UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_is_every_venue_that_there_is),
        cmocka_unit_test(what_is_taken_away_leaves_the_rest),
        cmocka_unit_test(a_lifetime_is_whole_seconds_and_0_only_without_an_end),
    };
    return cmocka_run_group_tests_name("gateway.entitlement", tests, NULL, NULL);
}
