#include "tg_cmocka.h"

#include <string.h>

#include "name_pool.h"

enum {
    capacity = 3
};

static tg__name names[capacity + 1];

static tg__name_pool empty_pool(void)
{
    memset(names, 0, sizeof names);
    return (tg__name_pool){.name = names, .capacity = capacity};
}

static void a_name_is_kept_once_however_many_refer_to_it(void **state)
{
    (void)state;
    tg__name_pool pool = empty_pool();
    const uint16_t index = tg__name_take(&pool, "USD");
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(tg__name_take(&pool, "USD"), index);
    }
    assert_int_equal(pool.used, 1);
    assert_string_equal(pool.name[index].text, "USD");
    assert_int_not_equal(tg__name_take(&pool, "USDT"), index);
    assert_int_equal(pool.used, 2);
}

static void the_empty_name_takes_no_place(void **state)
{
    (void)state;
    tg__name_pool pool = empty_pool();
    assert_int_equal(tg__name_take(&pool, ""), 0);
    tg__name_refer(&pool, 0);
    tg__name_release(&pool, 0);
    assert_int_equal(pool.used, 0);
    assert_string_equal(pool.name[0].text, "");
}

static void a_place_is_free_again_after_its_last_reference(void **state)
{
    (void)state;
    tg__name_pool pool = empty_pool();
    const uint16_t longest = tg__name_take(&pool, "a name as long as a name can be");
    const uint16_t second = tg__name_take(&pool, "B");
    tg__name_refer(&pool, longest);
    assert_int_not_equal(tg__name_take(&pool, "C"), 0);
    assert_int_equal(tg__name_take(&pool, "D"), 0);
    tg__name_release(&pool, longest);
    assert_int_equal(tg__name_take(&pool, "D"), 0);
    assert_string_equal(pool.name[longest].text, "a name as long as a name can be");
    tg__name_release(&pool, longest);
    assert_int_equal(tg__name_take(&pool, "D"), longest);
    assert_string_equal(pool.name[longest].text, "D");
    /* A free place is not found by what it held. */
    tg__name_release(&pool, second);
    tg__name_release(&pool, longest);
    const uint16_t again = tg__name_take(&pool, "B");
    assert_int_not_equal(again, 0);
    assert_int_equal(pool.name[again].references, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_is_kept_once_however_many_refer_to_it),
        cmocka_unit_test(the_empty_name_takes_no_place),
        cmocka_unit_test(a_place_is_free_again_after_its_last_reference),
    };
    return cmocka_run_group_tests_name("store.name_pool", tests, NULL, NULL);
}
