#include "tg_cmocka.h"

#include <string.h>

#include "audit.h"

typedef struct books {
    tg__slots slots;
    tg__desired all;
    tg__desired priority;
    tg_sub_id subs[6];
} books;

/* Six subscribers of three symbols: A has three, B two, C one; two of A have priority. */
static int open_books(void **state)
{
    static books b;
    static const char *const symbols[] = {"A", "B", "A", "C", "B", "A"};
    memset(&b, 0, sizeof b);
    assert_int_equal(tg__slots_init(&b.slots, 8), TG_OK);
    assert_int_equal(tg__desired_init(&b.all, 4, 8), TG_OK);
    assert_int_equal(tg__desired_init(&b.priority, 4, 8), TG_OK);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(tg__slots_take(&b.slots, "V", symbols[i], &b.subs[i]), TG_OK);
        assert_int_equal(tg__desired_add(&b.all, b.subs[i], "V", symbols[i]), TG_OK);
    }
    assert_int_equal(tg__desired_add(&b.priority, b.subs[0], "V", "A"), TG_OK);
    assert_int_equal(tg__desired_add(&b.priority, b.subs[2], "V", "A"), TG_OK);
    *state = &b;
    return 0;
}

static int close_books(void **state)
{
    books *b = *state;
    tg__slots_deinit(&b->slots);
    tg__desired_deinit(&b->all);
    tg__desired_deinit(&b->priority);
    return 0;
}

/* All three symbols are in the gateway's set, and everybody was told. */
static void settle(books *b)
{
    uint32_t numbers[4];
    tg__name names[4];
    const uint32_t count = tg__desired_take(&b->all, true, numbers, names, 4);
    for (uint32_t i = 0; i < count; i++) {
        const tg__result result = {TG__ANSWER_OK, (tg_instrument_id)(10 + i)};
        assert_true(tg__desired_answer(&b->all, numbers[i], &result));
    }
    tg__sub_answer answer;
    while (tg__desired_next_told(&b->all, &answer)) {
        tg__slots_answer_set(&b->slots, answer.sub, answer.err, answer.id);
    }
}

static void books_that_agree_have_equal_sums(void **state)
{
    books *b = *state;
    for (int round = 0; round < 2; round++) {
        const tg__audit audit = tg__audit_desired(&b->all);
        assert_null(audit.fault);
        assert_int_equal(audit.by_symbol, 6);
        assert_int_equal(audit.by_subscriber, 6);
        assert_null(tg__audit_desired(&b->priority).fault);
        assert_null(tg__audit_priority(&b->all, &b->priority));
        assert_null(tg__audit_slots(&b->slots, &b->all));
        settle(b);
    }
}

static void they_agree_while_everybody_comes_and_goes(void **state)
{
    books *b = *state;
    settle(b);
    assert_int_equal(tg__desired_set_visible(&b->all, b->subs[3], false), TG_OK);
    assert_null(tg__audit_desired(&b->all).fault);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(tg__slots_give_up(&b->slots, b->subs[i]), TG_OK);
        assert_null(tg__audit_slots(&b->slots, &b->all)); /* its command is on the way */
        const tg_err err = tg__desired_remove(&b->priority, b->subs[i]);
        assert_int_equal(err, i == 0 || i == 2 ? TG_OK : TG_ERR_NOT_FOUND);
        assert_int_equal(tg__desired_remove(&b->all, b->subs[i]), TG_OK);
        tg__slots_free(&b->slots, b->subs[i]);
        assert_null(tg__audit_desired(&b->all).fault);
        assert_null(tg__audit_priority(&b->all, &b->priority));
        assert_null(tg__audit_slots(&b->slots, &b->all));
    }
    assert_int_equal(tg__audit_desired(&b->all).by_symbol, 0);
}

static void a_subscriber_that_no_symbol_lists_is_found(void **state)
{
    books *b = *state;
    tg__want *want = &b->all.wants[b->all.interests[tg__sub_slot(b->subs[0])].want];
    want->first = b->all.interests[want->first - 1].next; /* the newest drops out of the list */
    want->interests--;
    want->visible--;
    const tg__audit audit = tg__audit_desired(&b->all);
    assert_non_null(audit.fault);
    assert_int_equal(audit.by_symbol, 5);
    assert_int_equal(audit.by_subscriber, 6);
}

static void a_symbol_that_lists_a_stranger_is_found(void **state)
{
    books *b = *state;
    b->all.interests[tg__sub_slot(b->subs[0])].want =
        b->all.interests[tg__sub_slot(b->subs[1])].want;
    assert_non_null(tg__audit_desired(&b->all).fault);
}

static void a_list_without_an_end_is_found_and_ends(void **state)
{
    books *b = *state;
    const tg__want *want = &b->all.wants[b->all.interests[tg__sub_slot(b->subs[0])].want];
    uint32_t last = want->first;
    while (b->all.interests[last - 1].next != 0) {
        last = b->all.interests[last - 1].next;
    }
    b->all.interests[last - 1].next = want->first;
    assert_non_null(tg__audit_desired(&b->all).fault);
    b->all.interests[last - 1].next = 4711; /* no subscriber at all */
    assert_non_null(tg__audit_desired(&b->all).fault);
}

static void each_sum_that_is_written_down_is_compared(void **state)
{
    books *b = *state;
    settle(b);
    tg__desired *all = &b->all;
    uint32_t *const sums[] = {&all->interest_count,  &all->want_count, &all->unasked,
                              &all->under_way,       &all->unwanted,   &all->wants[0].interests,
                              &all->wants[0].visible};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        ++*sums[i];
        assert_non_null(tg__audit_desired(all).fault);
        --*sums[i];
        assert_null(tg__audit_desired(all).fault);
    }
}

static void a_set_that_holds_something_else_is_found(void **state)
{
    books *b = *state;
    settle(b);
    b->all.held[1]++; /* 10, 12, 12 */
    assert_non_null(tg__audit_desired(&b->all).fault);
    b->all.held[1]--;
    b->all.held_count--; /* the highest is missing */
    assert_non_null(tg__audit_desired(&b->all).fault);
    b->all.held_count += 2; /* one that nobody wanted */
    b->all.held[3] = 99;
    assert_non_null(tg__audit_desired(&b->all).fault);
    b->all.held_count--;
    assert_null(tg__audit_desired(&b->all).fault);
}

static void priority_without_a_subscription_is_found(void **state)
{
    books *b = *state;
    assert_int_equal(tg__desired_remove(&b->all, b->subs[2]), TG_OK);
    assert_non_null(tg__audit_priority(&b->all, &b->priority));
}

static void a_subscriber_without_a_slot_or_with_another_answer_is_found(void **state)
{
    books *b = *state;
    settle(b);
    tg__slots_answer_set(&b->slots, b->subs[4], TG_ERR_LIMIT, TG_INSTRUMENT_NONE);
    assert_non_null(tg__audit_slots(&b->slots, &b->all));
    tg__slots_answer_set(&b->slots, b->subs[4], TG_OK, 11);
    assert_null(tg__audit_slots(&b->slots, &b->all));
    tg__slots_free(&b->slots, b->subs[4]);
    assert_non_null(tg__audit_slots(&b->slots, &b->all));
}

#define WITH_BOOKS(test) cmocka_unit_test_setup_teardown(test, open_books, close_books)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_BOOKS(books_that_agree_have_equal_sums),
        WITH_BOOKS(they_agree_while_everybody_comes_and_goes),
        WITH_BOOKS(a_subscriber_that_no_symbol_lists_is_found),
        WITH_BOOKS(a_symbol_that_lists_a_stranger_is_found),
        WITH_BOOKS(a_list_without_an_end_is_found_and_ends),
        WITH_BOOKS(each_sum_that_is_written_down_is_compared),
        WITH_BOOKS(a_set_that_holds_something_else_is_found),
        WITH_BOOKS(priority_without_a_subscription_is_found),
        WITH_BOOKS(a_subscriber_without_a_slot_or_with_another_answer_is_found),
    };
    return cmocka_run_group_tests_name("sdk.audit", tests, NULL, NULL);
}
