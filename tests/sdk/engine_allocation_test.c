/* The data path allocates nothing: the linker sends every malloc() of our objects through here. */
#include "tg_cmocka.h"

#include <stdlib.h>

#include "engine_rig.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static unsigned allocations;
static bool no_memory;

void *__wrap_malloc(size_t size)
{
    allocations++;
    return no_memory ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    allocations++;
    return __real_realloc(block, size);
}

static void nothing_is_allocated_after_open(void **state)
{
    (void)state;
    static rig r;
    allocations = 0;
    rig_open(&r, 64);
    assert_true(allocations > 0); /* the counter works */
    allocations = 0;
    for (uint32_t i = 0; i < 20; i++) {
        rig_subscribe(&r, i, (tg_instrument_id)i);
    }
    rig_go_live(&r);
    for (int i = 0; i < 500; i++) {
        sim_market_tick(&r.market, (tg_instrument_id)(i % 20), i);
        sim_market_step(&r.market);
        sim_session_frame(&r.session);
        if (i % 50 == 49) {
            assert_non_null(sim_session_take(&r.session)); /* a hole, a resync */
        }
        if (i % 100 == 99) {
            assert_int_equal(rig_closed(&r, TG__CAUSE_LOST, 0, 0), TG_OK);
            rig_await_attempt(&r);
            rig_go_live(&r);
        }
        if (i % 60 == 59) {
            assert_int_equal(rig_sleep(&r, 3000 * RIG_MS), TG_OK);
        }
        if (i % 70 == 69) {
            r.now_ns += 2000 * RIG_MS; /* and frames that are late */
        }
        assert_int_equal(rig_set_visible(&r, (uint32_t)i % 20, i % 3 == 0), TG_OK);
        rig_deliver(&r);
        rig_advance(&r, 40 * RIG_MS);
    }
    assert_int_equal(allocations, 0);
    assert_true(r.audits > 0);
    assert_non_null(rig_event(&r, TG_EVENT_LATE));
    rig_close(&r);
}

/* A frame a second; returns what taking frames allocated. */
static unsigned live_for(rig *r, unsigned seconds)
{
    unsigned taking = 0;
    for (unsigned i = 0; i < seconds; i++) {
        sim_market_tick(&r->market, 0, (int64_t)i);
        sim_market_step(&r->market);
        sim_session_frame(&r->session);
        const unsigned before = allocations;
        rig_deliver(r);
        taking += allocations - before;
        rig_advance(r, 1000 * RIG_MS);
        rig_deliver(r);
    }
    return taking;
}

static void a_report_allocates_on_its_timer_and_without_memory_is_only_counted(void **state)
{
    (void)state;
    static rig r;
    rig_open_with_reports(&r, 8, 1000000, 3);
    rig_subscribe(&r, 0, 0);
    rig_go_live(&r);
    allocations = 0;
    assert_int_equal(live_for(&r, 61), 0);
    assert_true(allocations > 0);
    const tg__engine_counters *counters = tg__engine_counters_of(r.engine);
    assert_int_equal(atomic_load(&counters->reports_sent), 2);
    no_memory = true;
    assert_int_equal(live_for(&r, 66), 0);
    no_memory = false;
    assert_int_equal(atomic_load(&counters->reports_failed), 2);
    assert_int_equal(atomic_load(&counters->reports_sent), 2);
    assert_int_equal(tg__engine_state_of(r.engine), TG__ENGINE_LIVE);
    (void)live_for(&r, 66);
    assert_int_equal(atomic_load(&counters->reports_sent), 4);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_allocated_after_open),
        cmocka_unit_test(a_report_allocates_on_its_timer_and_without_memory_is_only_counted),
    };
    return cmocka_run_group_tests_name("sdk.engine_allocation", tests, NULL, NULL);
}
