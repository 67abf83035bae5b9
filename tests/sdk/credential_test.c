#include "tg_cmocka.h"

#include <string.h>

#include "credential.h"

static bool holds(const tg__credential *credential, const char *text)
{
    for (size_t i = 0; i + strlen(text) <= sizeof credential->token; i++) {
        if (memcmp(credential->token + i, text, strlen(text)) == 0) {
            return true;
        }
    }
    return false;
}

static void a_token_is_visible_ascii_of_bounded_length(void **state)
{
    (void)state;
    static char text[TG__TOKEN_SIZE_MAX + 2];
    memset(text, 'x', sizeof text - 2);
    assert_true(tg__token_is_valid(text));
    text[TG__TOKEN_SIZE_MAX] = 'x';
    assert_false(tg__token_is_valid(text));
    static const char *const bad[] = {"", "a b", "a\r\nb", "a\x7f", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(tg__token_is_valid(bad[i]));
    }
}

static void handing_over_wipes_what_a_provider_gave(void **state)
{
    (void)state;
    static tg__credential c;
    char out[TG__TOKEN_SIZE_MAX + 1];
    assert_int_equal(tg__credential_init(&c, NULL, false), TG_OK);
    assert_int_equal(tg__credential_answer(&c, "secret"), TG_ERR_STATE); /* nobody asked */
    tg__credential_ask(&c);
    assert_int_equal(tg__credential_answer(&c, "secret"), TG_OK);
    assert_int_equal(tg__credential_answer(&c, "another"), TG_ERR_STATE); /* answered already */
    bool given = false;
    assert_true(tg__credential_take_answer(&c, &given));
    assert_true(given);
    assert_false(tg__credential_take_answer(&c, &given));
    assert_int_equal(tg__credential_hand_over(&c, out), 6);
    assert_string_equal(out, "secret");
    assert_false(holds(&c, "secret"));
    assert_int_equal(tg__credential_hand_over(&c, out), 0);
    tg__credential_deinit(&c);
}

static void a_provider_may_have_none(void **state)
{
    (void)state;
    static tg__credential c;
    assert_int_equal(tg__credential_init(&c, "first", false), TG_OK);
    tg__credential_ask(&c);
    assert_false(holds(&c, "first"));
    assert_int_equal(tg__credential_answer(&c, NULL), TG_OK);
    bool given = true;
    assert_true(tg__credential_take_answer(&c, &given));
    assert_false(given);
    tg__credential_deinit(&c);
}

static void without_a_provider_the_token_is_kept_until_the_end(void **state)
{
    (void)state;
    static tg__credential c;
    char out[TG__TOKEN_SIZE_MAX + 1];
    assert_int_equal(tg__credential_init(&c, "lasting", true), TG_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tg__credential_hand_over(&c, out), 7);
        assert_string_equal(out, "lasting");
    }
    tg__credential_deinit(&c);
    assert_false(holds(&c, "lasting"));
}

static void forgetting_wipes_and_refuses_what_is_under_way(void **state)
{
    (void)state;
    static tg__credential c;
    assert_int_equal(tg__credential_init(&c, NULL, false), TG_OK);
    tg__credential_ask(&c);
    assert_int_equal(tg__credential_answer(&c, "late"), TG_OK);
    tg__credential_forget(&c);
    bool given = false;
    assert_false(holds(&c, "late"));
    assert_false(tg__credential_take_answer(&c, &given));
    assert_int_equal(tg__credential_answer(&c, "later"), TG_ERR_STATE);
    tg__credential_deinit(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_token_is_visible_ascii_of_bounded_length),
        cmocka_unit_test(handing_over_wipes_what_a_provider_gave),
        cmocka_unit_test(a_provider_may_have_none),
        cmocka_unit_test(without_a_provider_the_token_is_kept_until_the_end),
        cmocka_unit_test(forgetting_wipes_and_refuses_what_is_under_way),
    };
    return cmocka_run_group_tests_name("sdk.credential", tests, NULL, NULL);
}
