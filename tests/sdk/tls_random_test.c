/* Clients draw differently, and one that cannot draw is not opened. */
#include "tg_cmocka.h"

#include <string.h>

#include "client_state.h"
#include "engine_state.h"
#include "tls_random.h"

#define FAILURE (-0x003c) /* MBEDTLS_ERR_ENTROPY_SOURCE_FAILED */

static bool is_dry;

int __real_mbedtls_entropy_func(void *data, unsigned char *output, size_t size);
int __wrap_mbedtls_entropy_func(void *data, unsigned char *output, size_t size);

int __wrap_mbedtls_entropy_func(void *data, unsigned char *output, size_t size)
{
    return is_dry ? FAILURE : __real_mbedtls_entropy_func(data, output, size);
}

static void numbers_differ(void **state)
{
    (void)state;
    uint64_t drawn[64];
    for (size_t i = 0; i < 64; i++) {
        assert_int_equal(tg__tls_random(&drawn[i]), TG_OK);
        assert_true(drawn[i] != 0);
        for (size_t k = 0; k < i; k++) {
            assert_true(drawn[i] != drawn[k]);
        }
    }
}

static tg_client *open_client(uint64_t seed, char *why, size_t why_size, tg_err *err)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "ws://127.0.0.1:1";
    opt.random_seed = seed;
    opt.error_text = why;
    opt.error_text_size = why_size;
    tg_client *client = NULL;
    *err = tg_client_open(&opt, &client);
    return client;
}

static void two_clients_draw_differently_unless_they_are_told_to(void **state)
{
    (void)state;
    tg_err err = TG_OK;
    char why[128];
    uint64_t drawn[4];
    for (size_t i = 0; i < 4; i++) {
        tg_client *client = open_client(i < 2 ? 0 : 7, why, sizeof why, &err);
        assert_int_equal(err, TG_OK);
        drawn[i] = tg__random_next(&client->engine->random);
        tg_client_close(client);
    }
    assert_true(drawn[0] != drawn[1]);
    assert_true(drawn[2] == drawn[3]);
}

static void a_source_that_fails_refuses_to_open_and_says_so(void **state)
{
    (void)state;
    tg_err err = TG_OK;
    char why[128] = "";
    uint64_t number = 1;
    is_dry = true;
    assert_int_equal(tg__tls_random(&number), TG_ERR_IO);
    assert_null(open_client(0, why, sizeof why, &err));
    assert_int_equal(err, TG_ERR_IO);
    assert_non_null(strstr(why, "random numbers"));
    tg_client *client = open_client(7, why, sizeof why, &err); /* it needs none */
    is_dry = false;
    assert_int_equal(err, TG_OK);
    tg_client_close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_differ),
        cmocka_unit_test(two_clients_draw_differently_unless_they_are_told_to),
        cmocka_unit_test(a_source_that_fails_refuses_to_open_and_says_so),
    };
    return cmocka_run_group_tests_name("sdk.tls_random", tests, NULL, NULL);
}
