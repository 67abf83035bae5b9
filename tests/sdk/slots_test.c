#include "tg_cmocka.h"

#include "slots.h"

static void a_slot_carries_name_and_answer(void **state)
{
    (void)state;
    tg__slots slots;
    tg_sub_id sub;
    tg_instrument_id id = 0;
    assert_int_equal(tg__slots_init(&slots, 4), TG_OK);
    assert_int_equal(tg__slots_take(&slots, "V", "A", &sub), TG_OK);
    assert_true(sub.v != 0);
    assert_string_equal(tg__slots_name(&slots, sub)->venue, "V");
    assert_string_equal(tg__slots_name(&slots, sub)->symbol, "A");
    assert_int_equal(tg__slots_answer_get(&slots, sub, &id), TG_ERR_STATE);
    tg__slots_answer_set(&slots, sub, TG_OK, 65534);
    assert_int_equal(tg__slots_answer_get(&slots, sub, &id), TG_OK);
    assert_int_equal(id, 65534);
    tg__slots_answer_set(&slots, sub, TG_ERR_NOT_ENTITLED, TG_INSTRUMENT_NONE);
    assert_int_equal(tg__slots_answer_get(&slots, sub, &id), TG_ERR_NOT_ENTITLED);
    tg__slots_deinit(&slots);
}

static void a_slot_is_not_reused_before_its_unsubscription_has_passed(void **state)
{
    (void)state;
    tg__slots slots;
    tg_sub_id first;
    tg_sub_id second;
    tg_instrument_id id = 0;
    assert_int_equal(tg__slots_init(&slots, 1), TG_OK);
    assert_int_equal(tg__slots_take(&slots, "V", "A", &first), TG_OK);
    assert_int_equal(tg__slots_take(&slots, "V", "B", &second), TG_ERR_FULL);
    assert_int_equal(tg__slots_give_up(&slots, first), TG_OK);
    assert_int_equal(tg__slots_give_up(&slots, first), TG_ERR_NOT_FOUND);
    assert_int_equal(tg__slots_take(&slots, "V", "B", &second), TG_ERR_FULL);
    tg__slots_answer_set(&slots, first, TG_OK, 5); /* late: nobody sees it */
    assert_int_equal(tg__slots_answer_get(&slots, first, &id), TG_ERR_NOT_FOUND);
    tg__slots_free(&slots, first);
    assert_int_equal(tg__slots_take(&slots, "V", "B", &second), TG_OK);
    assert_int_not_equal(first.v, second.v);
    assert_int_equal(tg__slots_give_up(&slots, first), TG_ERR_NOT_FOUND);
    assert_int_equal(tg__slots_answer_get(&slots, first, &id), TG_ERR_NOT_FOUND);
    tg__slots_deinit(&slots);
}

static void generations_wrap_without_ever_giving_0(void **state)
{
    (void)state;
    tg__slots slots;
    assert_int_equal(tg__slots_init(&slots, 1), TG_OK);
    for (int i = 0; i < 70000; i++) {
        tg_sub_id sub;
        assert_int_equal(tg__slots_take(&slots, "V", "A", &sub), TG_OK);
        assert_true(sub.v != 0);
        assert_int_equal(tg__slots_give_up(&slots, sub), TG_OK);
        tg__slots_free(&slots, sub);
    }
    tg__slots_deinit(&slots);
}

static void what_is_no_subscription_is_not_found(void **state)
{
    (void)state;
    tg__slots slots;
    tg_instrument_id id = 0;
    assert_int_equal(tg__slots_init(&slots, 2), TG_OK);
    static const uint32_t wrong[] = {0, 1, 5, 0x10000, 0x10001, UINT32_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const tg_sub_id sub = {wrong[i]};
        assert_int_equal(tg__slots_answer_get(&slots, sub, &id), TG_ERR_NOT_FOUND);
        assert_int_equal(tg__slots_give_up(&slots, sub), TG_ERR_NOT_FOUND);
    }
    tg__slots_deinit(&slots);
    assert_int_equal(tg__slots_init(&slots, 65537), TG_ERR_INVALID_ARGUMENT);
}

static void priority_is_told_once_until_it_was_read(void **state)
{
    (void)state;
    tg__slots slots;
    tg_sub_id sub;
    bool tell = false;
    assert_int_equal(tg__slots_init(&slots, 1), TG_OK);
    assert_int_equal(tg__slots_take(&slots, "V", "A", &sub), TG_OK);
    assert_int_equal(tg__slots_prioritise(&slots, sub, true, &tell), TG_OK);
    assert_true(tell);
    assert_int_equal(tg__slots_prioritise(&slots, sub, false, &tell), TG_OK);
    assert_false(tell); /* the command that is under way brings the latest */
    assert_int_equal(tg__slots_prioritise(&slots, sub, true, &tell), TG_OK);
    assert_true(tg__slots_priority(&slots, sub));
    assert_int_equal(tg__slots_prioritise(&slots, sub, false, &tell), TG_OK);
    assert_true(tell);
    assert_int_equal(tg__slots_give_up(&slots, sub), TG_OK);
    assert_int_equal(tg__slots_prioritise(&slots, sub, true, &tell), TG_ERR_NOT_FOUND);
    tg__slots_free(&slots, sub);
    /* A command that was overtaken does not take the next tenant's wish. */
    tg_sub_id next;
    assert_int_equal(tg__slots_take(&slots, "V", "B", &next), TG_OK);
    assert_int_equal(tg__slots_prioritise(&slots, next, true, &tell), TG_OK);
    assert_true(tell);
    assert_false(tg__slots_priority(&slots, sub));
    assert_int_equal(tg__slots_prioritise(&slots, next, true, &tell), TG_OK);
    assert_false(tell);
    assert_true(tg__slots_priority(&slots, next));
    tg__slots_deinit(&slots);
}

static void what_is_on_screen_is_told_once_until_it_was_read(void **state)
{
    (void)state;
    tg__slots slots;
    tg_sub_id sub;
    tg_sub_id next;
    bool tell = false;
    assert_int_equal(tg__slots_init(&slots, 1), TG_OK);
    assert_int_equal(tg__slots_take(&slots, "V", "A", &sub), TG_OK);
    assert_true(tg__slots_visible(&slots, sub));
    assert_int_equal(tg__slots_set_visible(&slots, sub, false, &tell), TG_OK);
    assert_true(tell);
    assert_int_equal(tg__slots_set_visible(&slots, sub, true, &tell), TG_OK);
    assert_false(tell);
    assert_int_equal(tg__slots_set_visible(&slots, sub, false, &tell), TG_OK);
    assert_false(tg__slots_priority(&slots, sub)); /* another wish */
    assert_false(tg__slots_visible(&slots, sub));
    assert_int_equal(tg__slots_give_up(&slots, sub), TG_OK);
    assert_int_equal(tg__slots_set_visible(&slots, sub, true, &tell), TG_ERR_NOT_FOUND);
    tg__slots_free(&slots, sub);
    assert_int_equal(tg__slots_take(&slots, "V", "B", &next), TG_OK);
    assert_true(tg__slots_visible(&slots, next)); /* whatever the tenant before wanted */
    assert_false(tg__slots_visible(&slots, sub));
    tg__slots_deinit(&slots);
}

static void a_slot_is_its_subscriptions_until_it_is_free(void **state)
{
    (void)state;
    tg__slots slots;
    tg_sub_id sub;
    tg_err err = TG_OK;
    assert_int_equal(tg__slots_init(&slots, 2), TG_OK);
    assert_false(tg__slots_has(&slots, (tg_sub_id){0}, &err));
    assert_int_equal(tg__slots_take(&slots, "V", "A", &sub), TG_OK);
    assert_true(tg__slots_has(&slots, sub, &err));
    assert_int_equal(err, TG_ERR_STATE);
    tg__slots_answer_set(&slots, sub, TG_ERR_LIMIT, TG_INSTRUMENT_NONE);
    assert_true(tg__slots_has(&slots, sub, &err));
    assert_int_equal(err, TG_ERR_LIMIT);
    assert_int_equal(tg__slots_give_up(&slots, sub), TG_OK);
    assert_true(tg__slots_has(&slots, sub, &err));
    tg__slots_free(&slots, sub);
    assert_false(tg__slots_has(&slots, sub, &err));
    tg__slots_deinit(&slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slot_carries_name_and_answer),
        cmocka_unit_test(a_slot_is_not_reused_before_its_unsubscription_has_passed),
        cmocka_unit_test(generations_wrap_without_ever_giving_0),
        cmocka_unit_test(what_is_on_screen_is_told_once_until_it_was_read),
        cmocka_unit_test(a_slot_is_its_subscriptions_until_it_is_free),
        cmocka_unit_test(priority_is_told_once_until_it_was_read),
        cmocka_unit_test(what_is_no_subscription_is_not_found),
    };
    return cmocka_run_group_tests_name("sdk.slots", tests, NULL, NULL);
}
