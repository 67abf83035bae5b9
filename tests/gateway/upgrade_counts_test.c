#include "tg_cmocka.h"

#include "upgrade_counts.h"

static void every_upgrade_is_counted_once(void **state)
{
    (void)state;
    static const unsigned statuses[] = {0, 0, 400, 401, 403, 404, 429, 500, 503, 503, 418, 502};
    tg__upgrade_counts counts = {0};
    for (unsigned i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        tg__upgrade_counts_add(&counts, statuses[i]);
    }
    assert_int_equal(counts.accepted, 2);
    for (unsigned i = 0; i < TG__UPGRADE_STATUSES; i++) {
        const unsigned status = tg__upgrade_statuses[i];
        assert_int_equal(counts.refused[i], status == 503 || status == 0 ? 2 : 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_upgrade_is_counted_once)};
    return cmocka_run_group_tests_name("gateway.upgrade_counts", tests, NULL, NULL);
}
