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
    if (rig->hook != NULL) {
        rig->hook(event);
    }
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

bool client_rig_has_found(const client_rig *rig)
{
    return rig->found_complete;
}

static bool has_answers(const client_rig *rig)
{
    return rig->answers >= rig->found && rig->state == TG_SESSION_LIVE;
}

void client_rig_subscribe_some(client_rig *rig, tg_sub_id *subs)
{
    uint32_t request = 0;
    assert_int_equal(tg_client_find(rig->client, NULL, NULL, NULL, NULL, 20, &request), TG_OK);
    client_rig_await(rig, client_rig_has_found);
    assert_int_equal(rig->found, 20);
    for (unsigned i = 0; i < rig->found; i++) {
        assert_int_equal(
            tg_client_subscribe(rig->client, rig->venues[i], rig->symbols[i], &subs[i]), TG_OK);
    }
    client_rig_await(rig, has_answers);
}

static bool all_rows(const client_rig *rig, bool (*holds)(const tg_row *row))
{
    const tg_clock clock = tg_clock_system();
    const tg_view *view = tg_reader_pin(rig->reader);
    unsigned count = 0;
    for (unsigned i = 0; i < rig->found; i++) {
        tg_instrument_id id = TG_INSTRUMENT_NONE;
        tg_row row;
        count += tg_view_find(view, rig->venues[i], rig->symbols[i], &id) == TG_OK &&
                 tg_view_row(view, id, tg_clock_mono_ns(&clock), &row) == TG_OK && holds(&row);
    }
    tg_reader_unpin(rig->reader);
    return count == rig->found;
}

static bool is_live(const tg_row *row)
{
    return row->image.epoch > 0 && row->quality <= TG_QUALITY_HALTED;
}

static bool is_stale(const tg_row *row)
{
    return row->quality >= TG_QUALITY_STALE;
}

bool client_rig_rows_are_live(const client_rig *rig)
{
    return all_rows(rig, is_live);
}

bool client_rig_rows_are_stale(const client_rig *rig)
{
    return all_rows(rig, is_stale);
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
