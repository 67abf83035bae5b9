#include "tg_cmocka.h"

#include <string.h>

#include "tls_base64.h"

static void rfc_4648_vectors(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"", ""},
                                          {"f", "Zg=="},
                                          {"fo", "Zm8="},
                                          {"foo", "Zm9v"},
                                          {"foob", "Zm9vYg=="},
                                          {"fooba", "Zm9vYmE="},
                                          {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char out[9];
        assert_int_equal(tg__base64_encode(rows[i][0], strlen(rows[i][0]), out, sizeof out), TG_OK);
        assert_string_equal(out, rows[i][1]);
    }
}

static void a_small_buffer_is_refused(void **state)
{
    (void)state;
    char out[8];
    assert_int_equal(tg__base64_encode("foobar", 6, out, sizeof out), TG_ERR_BUFFER_TOO_SMALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rfc_4648_vectors),
        cmocka_unit_test(a_small_buffer_is_refused),
    };
    return cmocka_run_group_tests_name("sdk.tls_base64", tests, NULL, NULL);
}
