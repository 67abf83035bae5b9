#include "tg_cmocka.h"

#include "codec_fixture.h"
#include "exact_division.h"

static void multiples_divide_and_others_are_told(void **state)
{
    (void)state;
    static const uint64_t divisors[] = {1,    2,      3,       7,         10,        1000,
                                        4096, 100000, 1000000, 999999999, 1000000000};
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++) {
        const tg__exact_divisor by = tg__exact_divisor_of(divisors[i]);
        for (int k = 0; k < 20000; k++) {
            const uint64_t value = fixture_random(&random) >> fixture_below(&random, 64);
            const uint64_t multiple = value - value % divisors[i];
            uint64_t quotient = 0;
            assert_int_equal(tg__divide_exactly(&by, value, &quotient), value % divisors[i] == 0);
            assert_true(tg__divide_exactly(&by, multiple, &quotient));
            assert_true(quotient == multiple / divisors[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiples_divide_and_others_are_told),
    };
    return cmocka_run_group_tests_name("codec.exact_division", tests, NULL, NULL);
}
