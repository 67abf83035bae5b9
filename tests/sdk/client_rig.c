#include "client_rig.h"

#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 60

static void enter(client_rig *rig)
{
    (void)pthread_mutex_lock(&rig->lock);
    rig->late_callback = rig->late_callback || rig->closed;
}

static void leave(client_rig *rig)
{
    (void)pthread_cond_broadcast(&rig->changed);
    (void)pthread_mutex_unlock(&rig->lock);
}

static void on_publish(void *ctx, uint64_t view_number)
{
    client_rig *rig = ctx;
    enter(rig);
    rig->view_number = view_number;
    leave(rig);
}

static void on_event(void *ctx, const tg_event *event)
{
    client_rig *rig = ctx;
    enter(rig);
    rig->events++;
    rig->answers += event->kind == TG_EVENT_ANSWER;
    if (event->kind == TG_EVENT_SESSION) {
        rig->live_count += event->state == TG_SESSION_LIVE && rig->state != TG_SESSION_LIVE;
        rig->state = event->state;
        if (event->err != TG_OK) {
            rig->last = *event;
        }
    }
    const bool stop = rig->stop_from_event && event->state == rig->stop_state;
    leave(rig);
    if (stop) {
        tg_client_stop(rig->client);
    }
}

static void on_message(void *ctx, const void *bytes, size_t size, int64_t received_mono_ns)
{
    client_rig *rig = ctx;
    (void)bytes;
    enter(rig);
    rig->messages += size > 0 && received_mono_ns > 0;
    leave(rig);
}

static void on_found(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    client_rig *rig = ctx;
    (void)request;
    (void)more;
    enter(rig);
    if (instrument == NULL) {
        rig->found_complete = true;
    } else if (rig->found < CLIENT_RIG_NAMES) {
        (void)snprintf(rig->venues[rig->found], TG_VENUE_NAME_SIZE, "%s", venue);
        (void)snprintf(rig->symbols[rig->found], TG_SYMBOL_SIZE, "%s", instrument->symbol);
        rig->found++;
    }
    leave(rig);
}

void client_rig_open(client_rig *rig, tg_client_options *opt)
{
    memset(rig, 0, sizeof *rig);
    assert_int_equal(pthread_mutex_init(&rig->lock, NULL), 0);
    assert_int_equal(pthread_cond_init(&rig->changed, NULL), 0);
    opt->on_publish = on_publish;
    opt->on_event = on_event;
    opt->on_message = on_message;
    opt->on_found = on_found;
    opt->ctx = rig;
    assert_int_equal(tg_client_open(opt, &rig->client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(rig->client), &rig->reader), TG_OK);
}

void client_rig_close(client_rig *rig)
{
    tg_reader_close(rig->reader);
    tg_client_close(rig->client);
    (void)pthread_mutex_lock(&rig->lock);
    rig->closed = true;
    assert_false(rig->late_callback);
    (void)pthread_mutex_unlock(&rig->lock);
    (void)pthread_cond_destroy(&rig->changed);
    (void)pthread_mutex_destroy(&rig->lock);
}

void client_rig_await(client_rig *rig, bool (*condition)(const client_rig *rig))
{
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LIMIT_S;
    (void)pthread_mutex_lock(&rig->lock);
    int failed = 0;
    while (failed == 0 && !condition(rig)) {
        failed = pthread_cond_timedwait(&rig->changed, &rig->lock, &until);
    }
    const bool good = condition(rig);
    const tg_event last = rig->last;
    const tg_session_state state = rig->state;
    (void)pthread_mutex_unlock(&rig->lock);
    if (!good) {
        fail_msg("not within %d s; state %s, last error: %s", LIMIT_S, tg_session_state_name(state),
                 last.text);
    }
}

void client_rig_step_until(client_rig *rig, bool (*condition)(const client_rig *rig))
{
    const tg_clock clock = tg_clock_system();
    const int64_t until = tg_clock_mono_ns(&clock) + LIMIT_S * INT64_C(1000000000);
    while (!condition(rig)) {
        assert_int_equal(tg_client_step(rig->client, 1000), TG_OK);
        assert_true(tg_clock_mono_ns(&clock) < until);
    }
}

tg_event client_rig_last(client_rig *rig)
{
    (void)pthread_mutex_lock(&rig->lock);
    const tg_event last = rig->last;
    (void)pthread_mutex_unlock(&rig->lock);
    return last;
}

bool client_rig_is_live(const client_rig *rig)
{
    return rig->state == TG_SESSION_LIVE;
}

bool client_rig_has_error(const client_rig *rig)
{
    return rig->last.err != TG_OK;
}

bool client_rig_is_idle(const client_rig *rig)
{
    return rig->events > 0 && rig->state == TG_SESSION_IDLE;
}

unsigned open_descriptors(void)
{
    unsigned count = 0;
    for (int fd = 0; fd < 1024; fd++) {
        char path[32];
        char target[64];
        (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        count += readlink(path, target, sizeof target) >= 0;
    }
    return count;
}
