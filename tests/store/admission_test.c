#include "tg_cmocka.h"

#include "admission.h"

typedef struct row {
    tg__holding holding;
    tg_version offered;
    bool is_empty;
    tg__admission expected;
} row;

#define HELD(epoch, seq)                                                                           \
    {                                                                                              \
        {epoch, seq}, 0, true, true, true                                                          \
    }

static const row table[] = {
    /* refusals */
    {HELD(2, 10), {2, 9}, false, TG__REFUSED_REGRESSION},
    {HELD(2, 10), {1, 11}, false, TG__REFUSED_EPOCH},
    {HELD(2, 10), {0, 0}, true, TG__REFUSED_EPOCH},
    {HELD(0, 10), {0, 0}, true, TG__REFUSED_REGRESSION},
    {{{2, 10}, 5, true, true, true}, {4, 99}, false, TG__REFUSED_EPOCH},
    {{{2, 10}, 5, false, false, true}, {4, 99}, false, TG__REFUSED_EPOCH},
    {{{2, 10}, 0, true, true, false}, {2, 10}, false, TG__REFUSED_INTEGRITY},
    {{{0, 0}, 0, false, true, false}, {0, 0}, false, TG__REFUSED_INTEGRITY},
    {{{2, 10}, 0, true, false, false}, {0, 0}, false, TG__REFUSED_INTEGRITY},
    /* confirmations */
    {HELD(2, 10), {2, 10}, false, TG__CONFIRMED},
    {{{0, 0}, 0, false, true, true}, {0, 0}, true, TG__CONFIRMED},
    {{{0, 0}, 5, false, true, true}, {0, 0}, true, TG__CONFIRMED},
    /* admissions */
    {HELD(2, 10), {2, 11}, false, TG__ADMITTED},
    {HELD(2, 10), {3, 0}, false, TG__ADMITTED},
    {{{0, 0}, 0, false, true, false}, {0, 1}, false, TG__ADMITTED},
    {{{2, 10}, 2, false, true, false}, {2, 10}, false, TG__ADMITTED}, /* values were dropped */
    {{{2, 10}, 0, true, false, false}, {1, 1}, false, TG__ADMITTED},  /* another lineage */
    {{{2, 10}, 0, true, false, true}, {2, 10}, false, TG__ADMITTED},
};

static void the_rule_holds_for_every_row_of_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const tg__admission decided =
            tg__admission_decide(&table[i].holding, table[i].offered, table[i].is_empty);
        if (decided != table[i].expected) {
            fail_msg("row %zu: %d instead of %d", i, (int)decided, (int)table[i].expected);
        }
    }
}

static void no_comparable_version_goes_back(void **state)
{
    (void)state;
    static const uint32_t epochs[] = {0, 1, 2, INT32_MAX, UINT32_MAX - 1, UINT32_MAX};
    static const uint64_t seqs[] = {0,
                                    1,
                                    UINT32_MAX,
                                    UINT64_C(1) << 32,
                                    INT64_MAX,
                                    (uint64_t)INT64_MAX + 1,
                                    UINT64_MAX - 1,
                                    UINT64_MAX};
    const size_t count = sizeof epochs / sizeof epochs[0] * 8;
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            const tg__holding holding = {{epochs[a / 8], seqs[a % 8]}, 0, true, true, true};
            const tg_version offered = {epochs[b / 8], seqs[b % 8]};
            const bool admitted = tg__admission_decide(&holding, offered, false) == TG__ADMITTED;
            assert_int_equal(admitted, b > a); /* both lists ascend */
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_holds_for_every_row_of_the_table),
        cmocka_unit_test(no_comparable_version_goes_back),
    };
    return cmocka_run_group_tests_name("store.admission", tests, NULL, NULL);
}
