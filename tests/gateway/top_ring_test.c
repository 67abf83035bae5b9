#include "tg_cmocka.h"

#include "top_ring.h"

static void a_top_is_found_by_its_id_while_it_is_kept(void **state)
{
    (void)state;
    tg__top_ring ring = {.tops = NULL};
    assert_null(tg__top_ring_find(&ring, 0));
    for (uint64_t id = 10; id < 10 + 2 * (TG__TOP_RING_SIZE + 5); id += 2) {
        const tg__top top = {.id = id, .sides = {{{(int64_t)id, 0}, {1, 0}}, {{0, 0}, {0, 0}}}};
        assert_int_equal(tg__top_ring_add(&ring, &top), TG_OK);
    }
    const uint64_t last = 10 + 2 * (TG__TOP_RING_SIZE + 4);
    assert_non_null(tg__top_ring_find(&ring, last));
    assert_int_equal(tg__top_ring_find(&ring, 20)->sides[TG__BOOK_BID].price.mantissa, 20);
    assert_null(tg__top_ring_find(&ring, 18)); /* overwritten */
    assert_null(tg__top_ring_find(&ring, 21));
    assert_null(tg__top_ring_find(&ring, last + 1));
    tg__top_ring_deinit(&ring);
    tg__top_ring_deinit(&ring);
}

static void a_top_is_compared_by_value_on_both_sides(void **state)
{
    (void)state;
    tg__book book = {.sides = {{NULL, 0, 0}, {NULL, 0, 0}}};
    tg__top top = {.id = 1, .sides = {{{150, -2}, {30, -1}}, {{0, 0}, {0, 0}}}};
    assert_false(tg__top_is_of(&top, &book));
    assert_int_equal(tg__book_set(&book, TG__BOOK_BID, (tg_decimal){15, -1}, (tg_decimal){3, 0}),
                     TG_OK);
    assert_true(tg__top_is_of(&top, &book)); /* its other side is empty on both */
    assert_int_equal(tg__book_set(&book, TG__BOOK_ASK, (tg_decimal){16, -1}, (tg_decimal){3, 0}),
                     TG_OK);
    assert_false(tg__top_is_of(&top, &book));
    top.sides[TG__BOOK_ASK] = (tg__book_level){{16, -1}, {4, 0}};
    assert_false(tg__top_is_of(&top, &book)); /* another quantity */
    top.sides[TG__BOOK_ASK].quantity.mantissa = 3;
    assert_true(tg__top_is_of(&top, &book));
    tg__book_deinit(&book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_top_is_found_by_its_id_while_it_is_kept),
        cmocka_unit_test(a_top_is_compared_by_value_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
