#include "tg_cmocka.h"

#include <pthread.h>
#include <stdbool.h>

#include "overwrite_ring.h"

enum {
    capacity = 8,
    words = 3,
    records = 200000
};

static const tg__ring_shape shape = {capacity, words};

static void put(tg__ring *ring, _Atomic uint64_t *storage, uint64_t value)
{
    const uint64_t record[words] = {value, value * 3, value * 7};
    (void)tg__ring_put(ring, &shape, storage, record);
}

static bool is_whole(const uint64_t *record, uint64_t value)
{
    return record[0] == value && record[1] == value * 3 && record[2] == value * 7;
}

static void records_come_back_under_their_numbers(void **state)
{
    (void)state;
    static _Atomic uint64_t storage[capacity * words];
    tg__ring ring = {0};
    uint64_t out[capacity * words];
    assert_int_equal(tg__ring_written(&ring), 0);
    for (uint64_t value = 1; value <= 5; value++) {
        put(&ring, storage, value);
    }
    assert_int_equal(tg__ring_written(&ring), 5);
    assert_int_equal(tg__ring_copy(&ring, &shape, storage, 2, 5, out), 0);
    for (uint64_t i = 0; i < 4; i++) {
        assert_true(is_whole(out + i * words, 2 + i));
    }
}

static void what_was_overwritten_is_said_to_be(void **state)
{
    (void)state;
    static _Atomic uint64_t storage[capacity * words];
    tg__ring ring = {0};
    uint64_t out[capacity * words];
    for (uint64_t value = 1; value <= capacity + 3; value++) {
        put(&ring, storage, value);
    }
    assert_int_equal(tg__ring_copy(&ring, &shape, storage, 1, 8, out), 3);
    assert_true(is_whole(out + 3 * words, 4));
    assert_int_equal(tg__ring_copy(&ring, &shape, storage, 4, 11, out), 0);
    assert_int_equal(tg__ring_copy(&ring, &shape, storage, 1, 2, out), 2); /* never more */
}

typedef struct race {
    tg__ring ring;
    _Atomic uint64_t storage[capacity * words];
    const char *broken; /* the reader's */
} race;

static void *read_all(void *ctx)
{
    race *with = ctx;
    uint64_t out[capacity * words];
    for (uint64_t written = 0; written < records;) {
        written = tg__ring_written(&with->ring);
        const uint64_t first = written > capacity ? written - capacity + 1 : 1;
        if (written == 0) {
            continue;
        }
        const uint64_t gone =
            tg__ring_copy(&with->ring, &shape, with->storage, first, written, out);
        for (uint64_t number = first + gone; number <= written; number++) {
            if (!is_whole(out + (number - first) * words, number)) {
                with->broken = "a record is torn";
            }
        }
    }
    return NULL;
}

static void a_reader_never_sees_a_torn_record(void **state)
{
    (void)state;
    static race with;
    pthread_t reader;
    assert_int_equal(pthread_create(&reader, NULL, read_all, &with), 0);
    for (uint64_t value = 1; value <= records; value++) {
        put(&with.ring, with.storage, value);
    }
    assert_int_equal(pthread_join(reader, NULL), 0);
    if (with.broken != NULL) {
        fail_msg("%s", with.broken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_under_their_numbers),
        cmocka_unit_test(what_was_overwritten_is_said_to_be),
        cmocka_unit_test(a_reader_never_sees_a_torn_record),
    };
    return cmocka_run_group_tests_name("store.overwrite_ring", tests, NULL, NULL);
}
