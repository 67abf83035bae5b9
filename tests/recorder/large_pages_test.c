#include "tg_cmocka.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "large_pages.h"

static void memory_of_any_size_begins_a_cache_line_and_is_writable(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 63, 64, 4097, (2u << 20) - 1, 2u << 20, (6u << 20) + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *made = tg__large_alloc(sizes[i]);
        assert_non_null(made);
        assert_int_equal((uintptr_t)made % 64, 0);
        memset(made, 0xa5, sizes[i]);
        free(made);
    }
}

static void growing_keeps_what_is_used(void **state)
{
    (void)state;
    unsigned char *bytes = tg__large_grow(NULL, 0, 100);
    assert_non_null(bytes);
    size_t used = 100;
    for (size_t i = 0; i < used; i++) {
        bytes[i] = (unsigned char)(i * 7);
    }
    for (size_t size = 5000; size < (size_t)8 << 20; size *= 4) {
        bytes = tg__large_grow(bytes, used, size);
        assert_non_null(bytes);
        for (size_t i = 0; i < used; i++) {
            assert_int_equal(bytes[i], (unsigned char)(i * 7));
        }
        for (size_t i = used; i < 5000; i++) {
            bytes[i] = (unsigned char)(i * 7);
        }
        used = 5000;
    }
    free(bytes);
}

static void a_size_that_is_none_is_refused(void **state)
{
    (void)state;
    unsigned char *bytes = tg__large_alloc(8);
    assert_non_null(bytes);
    bytes[7] = 9;
    assert_null(tg__large_alloc(SIZE_MAX));
    assert_null(tg__large_grow(bytes, 8, SIZE_MAX));
    assert_int_equal(bytes[7], 9); /* as it was */
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_any_size_begins_a_cache_line_and_is_writable),
        cmocka_unit_test(growing_keeps_what_is_used),
        cmocka_unit_test(a_size_that_is_none_is_refused),
    };
    return cmocka_run_group_tests_name("recorder.large_pages", tests, NULL, NULL);
}
