#include "tg_cmocka.h"

#include "token_bucket.h"

#define S INT64_C(1000000000)

static void a_burst_is_taken_and_then_the_rate(void **state)
{
    (void)state;
    tg__token_bucket bucket;
    tg__token_bucket_init(&bucket, 1200, 2500, 0);
    unsigned taken = 0;
    while (tg__token_bucket_take(&bucket, 0)) {
        taken++;
    }
    assert_int_equal(taken, 2500);

    for (int64_t t = S / 1000; t <= S; t += S / 1000) {
        while (tg__token_bucket_take(&bucket, t)) {
            taken++;
        }
    }
    assert_int_equal(taken, 2500 + 1200);
}

static void a_long_pause_fills_it_and_no_more(void **state)
{
    (void)state;
    tg__token_bucket bucket;
    tg__token_bucket_init(&bucket, 1000000, 3, 0);
    while (tg__token_bucket_take(&bucket, 0)) {
    }
    unsigned taken = 0;
    while (tg__token_bucket_take(&bucket, INT64_MAX)) {
        taken++;
    }
    assert_int_equal(taken, 3);
}

static void time_that_goes_back_gives_nothing(void **state)
{
    (void)state;
    tg__token_bucket bucket;
    tg__token_bucket_init(&bucket, 1, 1, 10 * S);
    assert_true(tg__token_bucket_take(&bucket, 10 * S));
    assert_false(tg__token_bucket_take(&bucket, 5 * S));
    assert_false(tg__token_bucket_take(&bucket, 10 * S));
    assert_true(tg__token_bucket_take(&bucket, 11 * S));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_is_taken_and_then_the_rate),
        cmocka_unit_test(a_long_pause_fills_it_and_no_more),
        cmocka_unit_test(time_that_goes_back_gives_nothing),
    };
    return cmocka_run_group_tests_name("gateway.token_bucket", tests, NULL, NULL);
}
