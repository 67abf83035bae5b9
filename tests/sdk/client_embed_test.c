/* A host's own loop: one descriptor, one deadline, one step. Against the real gateway. */
#include "tg_cmocka.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>

#include <tickglass/client.h>

#include "client_rig.h"
#include "gateway_fixture.h"

#define NS_PER_MS INT64_C(1000000)
#define LIMIT_NS  (60000 * NS_PER_MS)

/* A clock that moves with every reading: a step uses its budget up by looking at the time. */
typedef struct counted_clock {
    tg_clock system;
    int64_t readings;
    int64_t ns_per_reading;
} counted_clock;

static int64_t counted_mono_ns(void *ctx)
{
    counted_clock *clock = ctx;
    return tg_clock_mono_ns(&clock->system) + ++clock->readings * clock->ns_per_reading;
}

static int64_t counted_utc_ns(void *ctx)
{
    return tg_clock_utc_ns(&((counted_clock *)ctx)->system);
}

typedef struct loop {
    int fd;
    unsigned steps;
    unsigned timeouts; /* waits that ended by the deadline */
} loop;

/* The plain loop of the documentation, until condition holds. */
static void run(loop *l, client_rig *rig, bool (*condition)(const client_rig *rig))
{
    const tg_clock clock = tg_clock_system();
    const int64_t until_ns = tg_clock_mono_ns(&clock) + LIMIT_NS;
    while (!condition(rig)) {
        int64_t deadline_ns = 0;
        assert_int_equal(tg_client_next_deadline(rig->client, &deadline_ns), TG_OK);
        const int64_t now_ns = tg_clock_mono_ns(&clock);
        assert_true(now_ns < until_ns);
        int wait_ms = 1000;
        if (deadline_ns - now_ns < 1000 * NS_PER_MS) {
            wait_ms = deadline_ns > now_ns ? (int)((deadline_ns - now_ns) / NS_PER_MS) + 1 : 0;
        }
        struct pollfd event = {l->fd, POLLIN, 0};
        const int ready = poll(&event, 1, wait_ms);
        assert_true(ready >= 0 || errno == EINTR);
        l->timeouts += ready == 0;
        l->steps++;
        assert_int_equal(tg_client_step(rig->client, 2000), TG_OK);
    }
}

static bool has_found(const client_rig *rig)
{
    return rig->found_complete;
}

static bool has_answers(const client_rig *rig)
{
    return rig->answers >= rig->found && rig->state == TG_SESSION_LIVE;
}

static unsigned messages_wanted;

static bool has_messages(const client_rig *rig)
{
    return rig->messages >= messages_wanted;
}

static bool was_lost_and_tried_again(const client_rig *rig)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    return tg_client_counters_get(rig->client, &counters) == TG_OK && counters.attempts >= 5;
}

static void a_poll_loop_is_live_and_never_spins(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    loop l = {-1, 0, 0};
    int again = -1;
    int64_t deadline_ns = 0;
    assert_int_equal(tg_client_next_deadline(rig.client, &deadline_ns), TG_OK);
    assert_true(deadline_ns != INT64_MAX); /* it wants to connect */
    assert_int_equal(tg_client_fd(rig.client, &l.fd), TG_OK);
    run(&l, &rig, client_rig_is_live);
    uint32_t request = 0;
    assert_int_equal(tg_client_find(rig.client, NULL, NULL, NULL, NULL, 5, &request), TG_OK);
    run(&l, &rig, has_found);
    tg_sub_id sub;
    for (unsigned i = 0; i < rig.found; i++) {
        assert_int_equal(tg_client_subscribe(rig.client, rig.venues[i], rig.symbols[i], &sub),
                         TG_OK);
    }
    run(&l, &rig, has_answers);
    /* From here on a step has a cause: a message, a write that became possible, a deadline. */
    l.steps = 0;
    l.timeouts = 0;
    const unsigned before = rig.messages;
    messages_wanted = before + 60;
    run(&l, &rig, has_messages);
    assert_true(l.steps <= 4 * (rig.messages - before) + l.timeouts + 20);
    assert_int_equal(tg_client_fd(rig.client, &again), TG_OK);
    assert_int_equal(again, l.fd);
    client_rig_close(&rig);
}

static void a_lost_gateway_is_tried_again_by_deadlines_alone(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options("wss://127.0.0.1:1");
    client_rig_open(&rig, &opt);
    loop l = {-1, 0, 0};
    assert_int_equal(tg_client_fd(rig.client, &l.fd), TG_OK);
    run(&l, &rig, was_lost_and_tried_again);
    assert_true(l.timeouts >= 4); /* at least one for each wait */
    client_rig_close(&rig);
}

static void *stop_it(void *argument)
{
    tg_client_stop(argument);
    return NULL;
}

static void another_thread_wakes_the_loop(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    loop l = {-1, 0, 0};
    assert_int_equal(tg_client_fd(rig.client, &l.fd), TG_OK);
    run(&l, &rig, client_rig_is_live);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_it, rig.client), 0);
    run(&l, &rig, client_rig_is_idle);
    assert_int_equal(pthread_join(thread, NULL), 0);
    client_rig_close(&rig);
}

static void a_client_with_a_thread_has_no_descriptor(void **state)
{
    (void)state;
    client_rig rig;
    tg_client_options opt = gateway_fixture_options(gateway.url);
    client_rig_open(&rig, &opt);
    int fd = 0;
    int64_t deadline_ns = 0;
    assert_int_equal(tg_client_fd(rig.client, NULL), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_client_next_deadline(NULL, &deadline_ns), TG_ERR_INVALID_ARGUMENT);
    assert_int_equal(tg_client_start(rig.client), TG_OK);
    assert_int_equal(tg_client_fd(rig.client, &fd), TG_ERR_STATE);
    assert_int_equal(fd, -1);
    assert_int_equal(tg_client_next_deadline(rig.client, &deadline_ns), TG_ERR_STATE);
    client_rig_close(&rig);
}

static void a_step_ends_with_its_budget_and_says_that_more_is_there(void **state)
{
    (void)state;
    counted_clock counted = {tg_clock_system(), 0, 0};
    const tg_clock clock = {counted_mono_ns, counted_utc_ns, &counted, NULL};
    tg_client_options opt = gateway_fixture_options("wss://127.0.0.1:1");
    opt.clock = &clock;
    opt.instruments_max = 1000;
    tg_client *client = NULL;
    assert_int_equal(tg_client_open(&opt, &client), TG_OK);
    tg_sub_id subs[1000];
    for (unsigned i = 0; i < 1000; i++) {
        char symbol[16];
        (void)snprintf(symbol, sizeof symbol, "S%u", i);
        assert_int_equal(tg_client_subscribe(client, "V", symbol, &subs[i]), TG_OK);
        assert_int_equal(tg_client_unsubscribe(client, subs[i]), TG_OK);
    }
    /* Every look at the clock costs a millisecond: the budget is over after one piece of work. */
    counted.ns_per_reading = NS_PER_MS;
    unsigned steps = 0;
    int64_t deadline_ns = 0;
    do {
        assert_int_equal(tg_client_step(client, 1000), TG_OK);
        assert_int_equal(tg_client_next_deadline(client, &deadline_ns), TG_OK);
        steps++;
        assert_true(steps < 1000);
    } while (deadline_ns <= tg_clock_mono_ns(&clock) && steps < 15);
    assert_int_equal(steps, 15); /* 2,000 commands are more than 15 pieces of 64 */
    counted.ns_per_reading = 0;
    assert_int_equal(tg_client_step(client, 60000000), TG_OK); /* all that is left */
    assert_int_equal(tg_client_next_deadline(client, &deadline_ns), TG_OK);
    assert_true(deadline_ns > tg_clock_mono_ns(&clock) - LIMIT_NS);
    tg_client_close(client);
}

static void embedding_leaves_no_descriptor_behind(void **state)
{
    (void)state;
    const unsigned before = open_descriptors();
    for (int i = 0; i < 3; i++) {
        client_rig rig;
        tg_client_options opt = gateway_fixture_options(gateway.url);
        client_rig_open(&rig, &opt);
        loop l = {-1, 0, 0};
        assert_int_equal(tg_client_fd(rig.client, &l.fd), TG_OK);
        run(&l, &rig, client_rig_is_live);
        client_rig_close(&rig);
    }
    assert_int_equal(open_descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_poll_loop_is_live_and_never_spins),
        cmocka_unit_test(a_lost_gateway_is_tried_again_by_deadlines_alone),
        cmocka_unit_test(another_thread_wakes_the_loop),
        cmocka_unit_test(a_client_with_a_thread_has_no_descriptor),
        cmocka_unit_test(a_step_ends_with_its_budget_and_says_that_more_is_there),
        cmocka_unit_test(embedding_leaves_no_descriptor_behind),
    };
    return cmocka_run_group_tests_name("sdk.client_embed", tests, gateway_fixture_start,
                                       gateway_fixture_stop);
}
