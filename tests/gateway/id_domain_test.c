#include "tg_cmocka.h"

#include "id_domain.h"

static tg__verdict judge(tg__id_domain *domain, tg__row_kind kind, int64_t ts_ns, uint64_t id)
{
    const tg__row row = {.ts_ns = ts_ns, .exchange_id = id, .has_id = true, .kind = kind};
    return tg__id_domain_judge(domain, &row);
}

static tg__verdict judge_time(tg__time_domain *domain, int64_t ts_ns)
{
    const tg__row row = {.ts_ns = ts_ns, .kind = TG__ROW_BID};
    return tg__time_domain_judge(domain, &row);
}

static void a_lower_id_is_a_regression_and_changes_nothing(void **state)
{
    (void)state;
    tg__id_domain domain = {0};
    assert_int_equal(judge(&domain, TG__ROW_BID, 10, 1000), TG__VERDICT_NEW);
    assert_int_equal(judge(&domain, TG__ROW_BID, 20, 995), TG__VERDICT_REGRESSION);
    assert_int_equal(judge(&domain, TG__ROW_BID, 30, 1001), TG__VERDICT_NEW);
    assert_int_equal(judge(&domain, TG__ROW_BID, 40, 995), TG__VERDICT_REGRESSION);
}

static void a_lower_id_that_was_admitted_is_the_twins_late_copy(void **state)
{
    (void)state;
    tg__id_domain domain = {0};
    assert_int_equal(judge(&domain, TG__ROW_BID, 10, 1000), TG__VERDICT_NEW);
    assert_int_equal(judge(&domain, TG__ROW_BID, 30, 1002), TG__VERDICT_NEW);
    assert_int_equal(judge(&domain, TG__ROW_BID, 10, 1000), TG__VERDICT_DUPLICATE);
    assert_int_equal(judge(&domain, TG__ROW_ASK, 10, 1000), TG__VERDICT_DUPLICATE);
    assert_int_equal(judge(&domain, TG__ROW_BID, 20, 1001), TG__VERDICT_REGRESSION);
    assert_int_equal(judge(&domain, TG__ROW_BID, 20, 1001), TG__VERDICT_REGRESSION);
    assert_int_equal(judge(&domain, TG__ROW_BID, 30, 1002), TG__VERDICT_DUPLICATE);
}

static void ids_between_those_that_are_remembered_are_not(void **state)
{
    (void)state;
    tg__id_domain domain = {0};
    for (uint64_t id = 10; id <= 5000; id += 10) {
        assert_int_equal(judge(&domain, TG__ROW_BID, 10, id), TG__VERDICT_NEW);
        for (uint64_t lower = id > 500 ? id - 500 : 1; lower < id; lower++) {
            assert_int_equal(judge(&domain, TG__ROW_BID, 10, lower),
                             lower % 10 == 0 ? TG__VERDICT_DUPLICATE : TG__VERDICT_REGRESSION);
        }
    }
}

static void only_the_last_admitted_ids_are_remembered(void **state)
{
    (void)state;
    tg__id_domain domain = {0};
    for (uint64_t id = 1; id <= 1000; id++) {
        assert_int_equal(judge(&domain, TG__ROW_BID, 10, id), TG__VERDICT_NEW);
        for (uint64_t back = 1; back < TG__IDS_REMEMBERED + 5 && back < id; back++) {
            assert_int_equal(judge(&domain, TG__ROW_BID, 10, id - back),
                             back < TG__IDS_REMEMBERED ? TG__VERDICT_DUPLICATE
                                                       : TG__VERDICT_REGRESSION);
        }
        /* An id that is not there, also where the ring still has empty places. */
        assert_int_equal(judge(&domain, TG__ROW_BID, 10, 0), TG__VERDICT_REGRESSION);
    }
}

static void an_equal_id_is_a_duplicate(void **state)
{
    (void)state;
    tg__id_domain domain = {0};
    assert_int_equal(judge(&domain, TG__ROW_TRADE, 10, 7), TG__VERDICT_NEW);
    assert_int_equal(judge(&domain, TG__ROW_TRADE, 10, 7), TG__VERDICT_DUPLICATE);
    assert_int_equal(judge(&domain, TG__ROW_TRADE, 11, 7), TG__VERDICT_DUPLICATE);
}

static void bid_and_ask_with_equal_time_and_id_are_one_tick(void **state)
{
    (void)state;
    tg__id_domain domain = {0};
    assert_int_equal(judge(&domain, TG__ROW_BID, 10, 7), TG__VERDICT_NEW);
    assert_int_equal(judge(&domain, TG__ROW_ASK, 10, 7), TG__VERDICT_COMPLETES);
    assert_int_equal(judge(&domain, TG__ROW_ASK, 10, 7), TG__VERDICT_DUPLICATE);
    assert_int_equal(judge(&domain, TG__ROW_BID, 10, 7), TG__VERDICT_DUPLICATE);
    assert_int_equal(judge(&domain, TG__ROW_ASK, 12, 8), TG__VERDICT_NEW);
    assert_int_equal(judge(&domain, TG__ROW_BID, 13, 8), TG__VERDICT_DUPLICATE);
}

static void rows_without_an_id_are_never_deduplicated(void **state)
{
    (void)state;
    tg__time_domain domain = {0};
    assert_int_equal(judge_time(&domain, 5), TG__VERDICT_NEW);
    assert_int_equal(judge_time(&domain, 5), TG__VERDICT_NEW);
}

static void rows_without_an_id_never_go_back_in_exchange_time(void **state)
{
    (void)state;
    tg__time_domain domain = {0};
    assert_int_equal(judge_time(&domain, -5), TG__VERDICT_NEW);
    assert_int_equal(judge_time(&domain, 5), TG__VERDICT_NEW);
    assert_int_equal(judge_time(&domain, 4), TG__VERDICT_REGRESSION);
    assert_int_equal(judge_time(&domain, 5), TG__VERDICT_NEW);
}

static void behind_a_take_over_only_what_is_newer_counts(void **state)
{
    (void)state;
    tg__time_domain domain = {0};
    tg__time_domain_take_over(&domain); /* nothing was shown yet: nothing is old */
    assert_int_equal(judge_time(&domain, 5), TG__VERDICT_NEW);
    tg__time_domain_take_over(&domain);
    assert_int_equal(judge_time(&domain, 4), TG__VERDICT_DUPLICATE);
    assert_int_equal(judge_time(&domain, 5), TG__VERDICT_DUPLICATE);
    assert_int_equal(judge_time(&domain, 6), TG__VERDICT_NEW);
    assert_int_equal(judge_time(&domain, 6), TG__VERDICT_NEW);
}

static void id_zero_is_an_id(void **state)
{
    (void)state;
    tg__id_domain domain = {0};
    assert_int_equal(judge(&domain, TG__ROW_BID, 10, 0), TG__VERDICT_NEW);
    assert_int_equal(judge(&domain, TG__ROW_BID, 11, 0), TG__VERDICT_DUPLICATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lower_id_is_a_regression_and_changes_nothing),
        cmocka_unit_test(a_lower_id_that_was_admitted_is_the_twins_late_copy),
        cmocka_unit_test(ids_between_those_that_are_remembered_are_not),
        cmocka_unit_test(only_the_last_admitted_ids_are_remembered),
        cmocka_unit_test(an_equal_id_is_a_duplicate),
        cmocka_unit_test(bid_and_ask_with_equal_time_and_id_are_one_tick),
        cmocka_unit_test(rows_without_an_id_are_never_deduplicated),
        cmocka_unit_test(rows_without_an_id_never_go_back_in_exchange_time),
        cmocka_unit_test(behind_a_take_over_only_what_is_newer_counts),
        cmocka_unit_test(id_zero_is_an_id),
    };
    return cmocka_run_group_tests_name("gateway.id_domain", tests, NULL, NULL);
}
