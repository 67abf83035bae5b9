#include "stop_signal.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include <tickglass/clock.h>

#include "tg_cmocka.h"

#define S INT64_C(1000000000)

static _Atomic int calls;

static void count_call(void *ctx)
{
    assert_ptr_equal(ctx, &calls);
    (void)atomic_fetch_add(&calls, 1);
}

static void a_signal_becomes_one_call_on_a_thread(void **state)
{
    (void)state;
    static const int numbers[] = {SIGINT, SIGTERM};
    for (int i = 0; i < 2; i++) {
        atomic_store(&calls, 0);
        stop_signal *stop = NULL;
        assert_int_equal(stop_signal_open(count_call, &calls, &stop), TG_OK);
        assert_false(stop_signal_came(stop));
        assert_int_equal(kill(getpid(), numbers[i]), 0);
        const tg_clock clock = tg_clock_system();
        const int64_t deadline_ns = tg_clock_mono_ns(&clock) + 30 * S;
        while (atomic_load(&calls) == 0 && tg_clock_mono_ns(&clock) < deadline_ns) {
        }
        assert_int_equal(atomic_load(&calls), 1);
        assert_true(stop_signal_came(stop));
        stop_signal_close(stop);
    }
}

static void closing_without_a_signal_calls_nothing(void **state)
{
    (void)state;
    atomic_store(&calls, 0);
    stop_signal *stop = NULL;
    assert_int_equal(stop_signal_open(count_call, &calls, &stop), TG_OK);
    stop_signal_close(stop);
    stop_signal_close(NULL);
    assert_int_equal(atomic_load(&calls), 0);
}

int main(void)
{
    stop_signal_block();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_becomes_one_call_on_a_thread),
        cmocka_unit_test(closing_without_a_signal_calls_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
