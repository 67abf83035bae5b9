#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/channel.h>

#include "desired.h"
#include "random.h"

static tg_sub_id sub(uint32_t slot)
{
    return (tg_sub_id){UINT32_C(0x10000) | slot};
}

static tg__result ok(tg_instrument_id id)
{
    return (tg__result){TG__ANSWER_OK, id};
}

static uint32_t take_one(tg__desired *d, bool ask, tg__name *name)
{
    uint32_t number = TG__NO_WANT;
    tg__name names[1];
    if (tg__desired_take(d, ask, &number, names, 1) == 0) {
        return TG__NO_WANT;
    }
    *name = names[0];
    return number;
}

static void a_want_goes_from_asked_to_held_to_free(void **state)
{
    (void)state;
    tg__desired d;
    tg__name name;
    assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "A"), TG_OK);
    assert_false(tg__desired_settled(&d));
    const uint32_t number = take_one(&d, true, &name);
    assert_string_equal(name.symbol, "A");
    assert_int_equal(name.id, TG_INSTRUMENT_NONE);
    const tg__result result = ok(7);
    assert_true(tg__desired_answer(&d, number, &result));
    assert_true(tg__desired_settled(&d));
    tg__sub_answer answer;
    assert_true(tg__desired_next_told(&d, &answer));
    assert_int_equal(answer.sub.v, sub(0).v);
    assert_int_equal(answer.err, TG_OK);
    assert_int_equal(answer.id, 7);
    assert_false(tg__desired_next_told(&d, &answer));
    const tg_instrument_id held[] = {7};
    assert_int_equal(tg__desired_digest(&d), tg__set_digest(held, 1));

    assert_int_equal(tg__desired_remove(&d, sub(0)), TG_OK);
    assert_int_equal(take_one(&d, false, &name), number);
    assert_int_equal(name.id, 7);
    assert_true(tg__desired_answer(&d, number, &result));
    assert_int_equal(d.want_count, 0);
    assert_int_equal(d.held_count, 0);
    tg__desired_deinit(&d);
}

static void names_are_shared_and_counted(void **state)
{
    (void)state;
    tg__desired d;
    tg__name name;
    assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(tg__desired_add(&d, sub(i), "V", "A"), TG_OK);
    }
    assert_int_equal(d.want_count, 1);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "B"), TG_ERR_STATE);
    const uint32_t number = take_one(&d, true, &name);
    const tg__result result = ok(7);
    assert_true(tg__desired_answer(&d, number, &result));
    tg__sub_answer answer;
    uint32_t told = 0;
    while (tg__desired_next_told(&d, &answer)) {
        told++;
    }
    assert_int_equal(told, 5);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(tg__desired_remove(&d, sub(i)), TG_OK);
    }
    assert_int_equal(d.unwanted, 0);
    assert_int_equal(tg__desired_remove(&d, sub(4)), TG_OK);
    assert_int_equal(d.unwanted, 1);
    assert_int_equal(tg__desired_remove(&d, sub(4)), TG_ERR_NOT_FOUND);
    /* Wanted again before anything was sent: nothing needs to be. */
    assert_int_equal(tg__desired_add(&d, sub(4), "V", "A"), TG_OK);
    assert_true(tg__desired_settled(&d));
    assert_true(tg__desired_next_told(&d, &answer));
    assert_int_equal(answer.id, 7);
    tg__desired_deinit(&d);
}

static void an_unsubscription_meets_a_subscription_under_way(void **state)
{
    (void)state;
    tg__desired d;
    tg__name name;
    assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "A"), TG_OK);
    const uint32_t number = take_one(&d, true, &name);
    assert_int_equal(tg__desired_remove(&d, sub(0)), TG_OK);
    const tg__result result = ok(7);
    assert_true(tg__desired_answer(&d, number, &result));
    assert_int_equal(d.unwanted, 1); /* it is held now, and has to be given back */
    assert_int_equal(take_one(&d, false, &name), number);
    tg__desired_deinit(&d);
}

static void refusals_are_told_and_asked_again_in_the_next_session(void **state)
{
    (void)state;
    static const struct {
        tg__answer_code code;
        tg_err err;
    } rows[] = {
        {TG__ANSWER_UNKNOWN, TG_ERR_NOT_FOUND},
        {TG__ANSWER_NOT_ENTITLED, TG_ERR_NOT_ENTITLED},
        {TG__ANSWER_LIMIT, TG_ERR_LIMIT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg__desired d;
        tg__name name;
        assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
        assert_int_equal(tg__desired_add(&d, sub(0), "V", "A"), TG_OK);
        const tg__result result = {rows[i].code, TG_INSTRUMENT_NONE};
        assert_true(tg__desired_answer(&d, take_one(&d, true, &name), &result));
        tg__sub_answer answer;
        assert_true(tg__desired_next_told(&d, &answer));
        assert_int_equal(answer.err, rows[i].err);
        assert_true(tg__desired_settled(&d));
        tg__desired_begin(&d, true);
        assert_int_equal(d.unasked, 1);
        tg__desired_deinit(&d);
    }
}

static void an_id_that_is_unknown_is_asked_by_name(void **state)
{
    (void)state;
    tg__desired d;
    tg__name name;
    assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "A"), TG_OK);
    tg__result result = ok(7);
    assert_true(tg__desired_answer(&d, take_one(&d, true, &name), &result));
    tg__desired_begin(&d, true);
    const uint32_t number = take_one(&d, true, &name);
    assert_int_equal(name.id, 7);
    result.code = TG__ANSWER_UNKNOWN;
    assert_true(tg__desired_answer(&d, number, &result));
    assert_int_equal(take_one(&d, true, &name), number);
    assert_int_equal(name.id, TG_INSTRUMENT_NONE);
    tg__desired_deinit(&d);
}

static void a_rename_keeps_the_interest_and_a_tombstone_ends_it(void **state)
{
    (void)state;
    tg__desired d;
    tg__name name;
    assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "A"), TG_OK);
    const tg__result result = ok(7);
    assert_true(tg__desired_answer(&d, take_one(&d, true, &name), &result));
    tg__desired_rename(&d, 7, "AA");
    assert_int_equal(tg__desired_add(&d, sub(1), "V", "AA"), TG_OK);
    assert_int_equal(d.want_count, 1);
    tg__sub_answer answer;
    while (tg__desired_next_told(&d, &answer)) {
    }
    tg__desired_tombstone(&d, 7);
    assert_int_equal(d.held_count, 0);
    uint32_t told = 0;
    while (tg__desired_next_told(&d, &answer)) {
        assert_int_equal(answer.err, TG_ERR_NOT_FOUND);
        told++;
    }
    assert_int_equal(told, 2);
    tg__desired_deinit(&d);
}

static void two_names_of_one_instrument_do_not_take_it_from_each_other(void **state)
{
    (void)state;
    tg__desired d;
    tg__name name;
    assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "OLD"), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(1), "V", "NEW"), TG_OK);
    const tg__result result = ok(7);
    assert_true(tg__desired_answer(&d, take_one(&d, true, &name), &result));
    assert_true(tg__desired_answer(&d, take_one(&d, true, &name), &result));
    assert_int_equal(d.held_count, 1);
    assert_int_equal(tg__desired_remove(&d, sub(0)), TG_OK);
    assert_int_equal(take_one(&d, false, &name), TG__NO_WANT); /* nothing to say */
    assert_true(tg__desired_settled(&d));
    assert_int_equal(d.held_count, 1);
    tg__desired_deinit(&d);
}

static void a_full_table_is_told_to_the_interest(void **state)
{
    (void)state;
    tg__desired d;
    assert_int_equal(tg__desired_init(&d, 2, 8), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "A"), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(1), "V", "B"), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(2), "V", "C"), TG_ERR_FULL);
    tg__sub_answer answer;
    assert_true(tg__desired_next_told(&d, &answer));
    assert_int_equal(answer.err, TG_ERR_FULL);
    assert_int_equal(tg__desired_remove(&d, sub(2)), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(8), "V", "D"), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg__desired_add(&d, (tg_sub_id){0}, "V", "D"), TG_ERR_INVALID_ARGUMENT);
    tg__desired_deinit(&d);
}

/* What the table says of itself must be what can be counted in it. */
static void check_sums(const tg__desired *d)
{
    uint32_t wants = 0;
    uint32_t unasked = 0;
    uint32_t under_way = 0;
    uint32_t unwanted = 0;
    uint32_t interests = 0;
    for (uint32_t i = 0; i < d->want_capacity; i++) {
        const tg__want *w = &d->wants[i];
        wants += w->state != TG__WANT_FREE;
        unasked += w->state == TG__WANT_UNASKED;
        under_way += w->state == TG__WANT_ASKED || w->state == TG__WANT_LEAVING;
        unwanted += w->state == TG__WANT_HELD && w->interests == 0;
        interests += w->interests;
    }
    uint32_t views = 0;
    for (uint32_t i = 0; i < d->interest_capacity; i++) {
        views += d->interests[i].sub.v != 0 && d->interests[i].want != TG__NO_WANT;
    }
    assert_int_equal(wants, d->want_count);
    assert_int_equal(unasked, d->unasked);
    assert_int_equal(under_way, d->under_way);
    assert_int_equal(unwanted, d->unwanted);
    assert_int_equal(interests, views); /* subscribers of symbols = symbols of subscribers */
    for (uint32_t i = 1; i < d->held_count; i++) {
        assert_true(d->held[i - 1] < d->held[i]);
    }
}

/* Any answer is right here: the tables are full or the slot is taken, as chance has it. */
static void take(tg_err err)
{
    assert_true(err == TG_OK || err == TG_ERR_STATE || err == TG_ERR_FULL ||
                err == TG_ERR_NOT_FOUND);
}

static void random_histories_keep_the_sums(void **state)
{
    (void)state;
    tg__random random = {5};
    tg__desired d;
    assert_int_equal(tg__desired_init(&d, 16, 40), TG_OK);
    uint32_t numbers[16];
    tg__name names[16];
    for (int step = 0; step < 100000; step++) {
        char symbol[8];
        (void)snprintf(symbol, sizeof symbol, "S%u", (unsigned)tg__random_upto(&random, 19));
        switch (tg__random_upto(&random, 9)) {
        case 0:
        case 1:
        case 2:
            take(tg__desired_add(&d, sub((uint32_t)tg__random_upto(&random, 39)), "V", symbol));
            break;
        case 3:
        case 4:
            take(tg__desired_remove(&d, sub((uint32_t)tg__random_upto(&random, 39))));
            break;
        case 5:
        case 6:
        case 7: {
            const uint32_t n = tg__desired_take(&d, tg__random_upto(&random, 1) == 0, numbers,
                                                names, 1 + (uint32_t)tg__random_upto(&random, 7));
            for (uint32_t i = 0; i < n; i++) {
                const tg__result result = {
                    (tg__answer_code)(tg__random_upto(&random, 3) == 0 ? tg__random_upto(&random, 3)
                                                                       : TG__ANSWER_OK),
                    (tg_instrument_id)strtoul(names[i].symbol + 1, NULL, 10)};
                assert_true(tg__desired_answer(&d, numbers[i], &result));
            }
            break;
        }
        case 8:
            if (tg__random_upto(&random, 20) == 0) {
                tg__desired_begin(&d, tg__random_upto(&random, 1) == 0);
            }
            break;
        default:
            tg__desired_tombstone(&d, (tg_instrument_id)tg__random_upto(&random, 19));
            break;
        }
        tg__sub_answer answer;
        while (tg__random_upto(&random, 2) != 0 && tg__desired_next_told(&d, &answer)) {
        }
        check_sums(&d);
    }
    tg__desired_deinit(&d);
}

static void what_is_on_screen_is_taken_first(void **state)
{
    (void)state;
    static const char *const symbols[] = {"A", "B", "C", "D"};
    tg__desired d;
    uint32_t numbers[4];
    tg__name names[4];
    assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(tg__desired_add(&d, sub(i), "V", symbols[i]), TG_OK);
        assert_int_equal(tg__desired_set_visible(&d, sub(i), i == 2), TG_OK);
        assert_int_equal(tg__desired_set_visible(&d, sub(i), i == 2), TG_OK); /* once counts */
    }
    assert_int_equal(tg__desired_add(&d, sub(4), "V", "D"), TG_OK); /* which is on screen */
    assert_int_equal(tg__desired_take(&d, true, numbers, names, 1), 1);
    assert_string_equal(names[0].symbol, "C");
    assert_int_equal(tg__desired_take(&d, true, numbers, names, 4), 3);
    assert_string_equal(names[0].symbol, "D");
    assert_string_equal(names[1].symbol, "A");
    assert_string_equal(names[2].symbol, "B");
    assert_int_equal(tg__desired_remove(&d, sub(4)), TG_OK);
    tg__desired_begin(&d, true);
    assert_int_equal(tg__desired_take(&d, true, numbers, names, 2), 2);
    assert_string_equal(names[0].symbol, "C");
    assert_string_equal(names[1].symbol, "A"); /* nobody sees D any more */
    assert_int_equal(tg__desired_set_visible(&d, sub(4), true), TG_ERR_NOT_FOUND);
    assert_int_equal(tg__desired_set_visible(&d, sub(7), true), TG_ERR_NOT_FOUND);
    tg__desired_deinit(&d);
}

/* Pending, tombstone, given up: the place is let again, and then the old answer comes. */
static void an_answer_for_a_former_tenant_is_not_the_new_ones(void **state)
{
    (void)state;
    tg__desired d;
    tg__name name;
    assert_int_equal(tg__desired_init(&d, 1, 8), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "A"), TG_OK);
    const tg__want_number former = take_one(&d, true, &name);
    const tg__result pending = {TG__ANSWER_PENDING, 7};
    assert_false(tg__desired_answer(&d, former, &pending));
    d.wants[0].id = 7; /* known from the generation's earlier sessions */
    tg__desired_tombstone(&d, 7);
    assert_int_equal(tg__desired_remove(&d, sub(0)), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(1), "V", "B"), TG_OK);
    const tg__want_number tenant = take_one(&d, true, &name);
    assert_string_equal(name.symbol, "B");
    assert_int_not_equal(tenant, former);
    const tg__result result = ok(7);
    assert_true(tg__desired_answer(&d, former, &result));
    assert_int_equal(d.held_count, 0);
    assert_int_equal(d.wants[0].state, TG__WANT_ASKED);
    const tg__result own = ok(8);
    assert_true(tg__desired_answer(&d, tenant, &own));
    assert_int_equal(tg__desired_want(&d, sub(1))->id, 8);
    tg__desired_deinit(&d);
}

static void what_the_limit_refused_is_asked_again(void **state)
{
    (void)state;
    tg__desired d;
    tg__name name;
    assert_int_equal(tg__desired_init(&d, 4, 8), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(0), "V", "A"), TG_OK);
    assert_int_equal(tg__desired_add(&d, sub(1), "V", "B"), TG_OK);
    const tg__result limit = {TG__ANSWER_LIMIT, 7};
    const tg__result unknown = {TG__ANSWER_UNKNOWN, TG_INSTRUMENT_NONE};
    assert_true(tg__desired_answer(&d, take_one(&d, true, &name), &limit));
    assert_true(tg__desired_answer(&d, take_one(&d, true, &name), &unknown));
    assert_true(tg__desired_settled(&d));
    tg__desired_ask_again(&d);
    assert_int_equal(d.unasked, 1);
    (void)take_one(&d, true, &name);
    assert_string_equal(name.symbol, "A");
    tg__desired_deinit(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_on_screen_is_taken_first),
        cmocka_unit_test(a_want_goes_from_asked_to_held_to_free),
        cmocka_unit_test(names_are_shared_and_counted),
        cmocka_unit_test(an_unsubscription_meets_a_subscription_under_way),
        cmocka_unit_test(refusals_are_told_and_asked_again_in_the_next_session),
        cmocka_unit_test(an_id_that_is_unknown_is_asked_by_name),
        cmocka_unit_test(a_rename_keeps_the_interest_and_a_tombstone_ends_it),
        cmocka_unit_test(two_names_of_one_instrument_do_not_take_it_from_each_other),
        cmocka_unit_test(a_full_table_is_told_to_the_interest),
        cmocka_unit_test(random_histories_keep_the_sums),
        cmocka_unit_test(an_answer_for_a_former_tenant_is_not_the_new_ones),
        cmocka_unit_test(what_the_limit_refused_is_asked_again),
    };
    return cmocka_run_group_tests_name("sdk.desired", tests, NULL, NULL);
}
