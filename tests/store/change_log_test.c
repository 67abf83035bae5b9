#include "tg_cmocka.h"

#include "change_log.h"

enum {
    capacity = 8
};

typedef struct fixture {
    _Atomic uint64_t entry[capacity];
    tg__change_log log;
} fixture;

static tg__change_log *emptied(fixture *at)
{
    *at = (fixture){.log = {.mask = capacity - 1}};
    at->log.entry = at->entry;
    return &at->log;
}

static void expect(const tg__change_log *log, uint64_t end, uint32_t back, uint64_t publication,
                   uint16_t row)
{
    const tg__change change = tg__log_get(log, end, back);
    assert_int_equal(change.publication, publication);
    assert_int_equal(change.row, row);
}

static void an_empty_log_says_that_all_changes_lie_before_the_first_publication(void **state)
{
    (void)state;
    fixture at;
    const tg__change_log *log = emptied(&at);
    for (uint32_t back = 0; back < capacity; back++) {
        expect(log, 0, back, 0, 0);
    }
}

static void changes_are_read_back_from_a_versions_end(void **state)
{
    (void)state;
    fixture at;
    tg__change_log *log = emptied(&at);
    tg__log_put(log, 1, 7);
    tg__log_put(log, 1, UINT16_MAX);
    const uint64_t end_of_1 = log->end;
    tg__log_put(log, (UINT64_C(1) << 48) - 1, 7);
    expect(log, log->end, 0, (UINT64_C(1) << 48) - 1, 7);
    expect(log, end_of_1, 0, 1, UINT16_MAX);
    expect(log, end_of_1, 1, 1, 7);
    expect(log, end_of_1, 2, 0, 0); /* never used: before all changes */
}

/* What a walker relies on: behind an entry that was overwritten lie only later publications, until
 * the walk has gone round. */
static void an_overwritten_end_shows_later_publications_all_the_way_round(void **state)
{
    (void)state;
    fixture at;
    tg__change_log *log = emptied(&at);
    for (uint64_t publication = 1; publication <= capacity; publication++) {
        tg__log_put(log, publication, (uint16_t)publication);
    }
    const uint64_t end = log->end;
    for (uint64_t more = 1; more <= capacity; more++) {
        tg__log_put(log, capacity + more, (uint16_t)more);
        uint32_t back = 0;
        while (back < capacity && tg__log_get(log, end, back).publication > more) {
            back++;
        }
        /* Publication more is gone: so nothing tells a walker that it has seen all after it. */
        assert_int_equal(back, capacity);
        if (more < capacity) {
            expect(log, end, (uint32_t)(capacity - 1 - more), more + 1, (uint16_t)(more + 1));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_log_says_that_all_changes_lie_before_the_first_publication),
        cmocka_unit_test(changes_are_read_back_from_a_versions_end),
        cmocka_unit_test(an_overwritten_end_shows_later_publications_all_the_way_round),
    };
    return cmocka_run_group_tests_name("store.change_log", tests, NULL, NULL);
}
