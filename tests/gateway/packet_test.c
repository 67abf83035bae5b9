#include "tg_cmocka.h"

#include "packet.h"

#define LIMIT 65536u

static void what_came_back_is_taken_again_without_the_system(void **state)
{
    (void)state;
    static const uint8_t bytes[300] = {1, 2, 3};
    tg__packet_pool pool;
    tg__packet_pool_init(&pool, LIMIT);
    tg__packet *first = tg__packet_copy(&pool, bytes, sizeof bytes);
    assert_non_null(first);
    assert_memory_equal(first->bytes, bytes, sizeof bytes);
    const size_t taken = pool.bytes_taken;
    assert_ptr_equal(tg__packet_retain(first), first);
    tg__packet_release(&pool, first);
    assert_int_equal(pool.in_use, 1);
    tg__packet_release(&pool, first);
    assert_int_equal(pool.in_use, 0);
    assert_ptr_equal(tg__packet_copy(&pool, bytes, sizeof bytes), first);
    assert_int_equal(pool.bytes_taken, taken);
    tg__packet_release(&pool, first);
    tg__packet_pool_deinit(&pool);
    assert_int_equal(pool.bytes_taken, 0);
}

static void at_the_limit_there_is_none(void **state)
{
    (void)state;
    static const uint8_t bytes[LIMIT + 1];
    tg__packet_pool pool;
    tg__packet_pool_init(&pool, LIMIT);
    assert_null(tg__packet_copy(&pool, bytes, LIMIT + 1));
    tg__packet *whole = tg__packet_copy(&pool, bytes, LIMIT);
    assert_non_null(whole);
    assert_null(tg__packet_copy(&pool, bytes, 1));
    tg__packet_release(&pool, whole);
    tg__packet_pool_deinit(&pool);
}

/* A burst of snapshots must not leave a pool that has no room for a heartbeat ever again. */
static void what_a_burst_left_makes_room_for_other_sizes(void **state)
{
    (void)state;
    static const uint8_t bytes[LIMIT];
    static tg__packet *small[LIMIT / TG__PACKET_SIZE_MIN];
    tg__packet_pool pool;
    tg__packet_pool_init(&pool, LIMIT);
    tg__packet_release(&pool, tg__packet_copy(&pool, bytes, LIMIT));
    for (unsigned i = 0; i < LIMIT / TG__PACKET_SIZE_MIN; i++) {
        small[i] = tg__packet_copy(&pool, bytes, 1);
        assert_non_null(small[i]);
    }
    assert_null(tg__packet_copy(&pool, bytes, 1));
    assert_int_equal(pool.bytes_taken, LIMIT);
    for (unsigned i = 0; i < LIMIT / TG__PACKET_SIZE_MIN; i++) {
        tg__packet_release(&pool, small[i]);
    }
    tg__packet *whole = tg__packet_copy(&pool, bytes, LIMIT); /* and the other way round */
    assert_non_null(whole);
    assert_int_equal(pool.bytes_taken, LIMIT);
    tg__packet_release(&pool, whole);
    tg__packet_pool_deinit(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_came_back_is_taken_again_without_the_system),
        cmocka_unit_test(at_the_limit_there_is_none),
        cmocka_unit_test(what_a_burst_left_makes_room_for_other_sizes),
    };
    return cmocka_run_group_tests_name("gateway.packet", tests, NULL, NULL);
}
