/* The n-th allocation of our own code fails, for every n: open says so and leaves nothing behind.
 */
#include "tg_cmocka.h"

#include <stdlib.h>

#include <tickglass/client.h>

#include "client_rig.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

static bool armed;
static unsigned allocations;
static unsigned failing; /* 0: none */

static bool fails(void)
{
    return armed && ++allocations == failing;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

static tg_err open_with_failure(unsigned number)
{
    tg_client_options opt;
    tg_client_options_init(&opt);
    opt.url = "ws://127.0.0.1:1";
    opt.token = "token";
    opt.instruments_max = 64;
    tg_client *client = NULL;
    allocations = 0;
    failing = number;
    armed = true;
    const tg_err err = tg_client_open(&opt, &client);
    armed = false;
    assert_true((err == TG_OK) == (client != NULL));
    tg_client_close(client);
    return err;
}

static void every_failed_allocation_is_an_error_and_no_leak(void **state)
{
    (void)state;
    assert_int_equal(open_with_failure(0), TG_OK);
    const unsigned count = allocations;
    assert_true(count >= 15);
    const unsigned descriptors = open_descriptors();
    unsigned refused = 0;
    for (unsigned n = 1; n <= count; n++) {
        /* What libwebsockets can do without is no error; everything of ours is. */
        const tg_err err = open_with_failure(n);
        assert_true(err == TG_ERR_NO_MEMORY || err == TG_OK);
        refused += err != TG_OK;
    }
    assert_true(refused >= 15);
    assert_int_equal(open_descriptors(), descriptors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_an_error_and_no_leak),
    };
    return cmocka_run_group_tests_name("sdk.client_oom", tests, NULL, NULL);
}
