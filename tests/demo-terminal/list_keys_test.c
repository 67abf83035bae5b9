#include "list_keys.h"

#include "tg_cmocka.h"

static void letters_act_with_ctrl_only(void **state)
{
    (void)state;
    list_action action = LIST_SORT;
    tg_input input = {.kind = TG_INPUT_KEY, .key = TG_KEY_CHARACTER, .character = 'c'};
    assert_false(list_keys_find(&input, &action)); /* it is typed */
    input.ctrl = true;
    assert_true(list_keys_find(&input, &action));
    assert_int_equal(action, LIST_COPY_CELL);
    input.shift = true;
    assert_true(list_keys_find(&input, &action));
    assert_int_equal(action, LIST_COPY_ROW);
    input.alt = true;
    assert_false(list_keys_find(&input, &action));
    input = (tg_input){.kind = TG_INPUT_KEY, .key = TG_KEY_CHARACTER, .ctrl = true};
    input.character = 'z';
    assert_false(list_keys_find(&input, &action));
}

static void keys_without_a_letter_act_by_themselves(void **state)
{
    (void)state;
    list_action action = LIST_SORT;
    tg_input input = {.kind = TG_INPUT_KEY, .key = TG_KEY_DELETE};
    assert_true(list_keys_find(&input, &action));
    assert_int_equal(action, LIST_REMOVE);
    input.ctrl = true;
    assert_false(list_keys_find(&input, &action));
    input = (tg_input){.kind = TG_INPUT_KEY, .key = TG_KEY_LEFT};
    assert_true(list_keys_find(&input, &action));
    assert_int_equal(action, LIST_COLUMN_LEFT);
    input.key = TG_KEY_UP;
    assert_false(list_keys_find(&input, &action));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_act_with_ctrl_only),
        cmocka_unit_test(keys_without_a_letter_act_by_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
