/* What a host may do inside callbacks: ask anything, and stop; and that stopping is heard. */
#include "tg_cmocka.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/client.h>

#include "gateway_fixture.h"

typedef enum place {
    IN_EVENT,
    IN_PUBLISH,
    IN_MESSAGE,
    IN_FOUND,
    IN_TOKEN_PROVIDER
} place;

typedef struct host {
    place stop_in;
    tg_client *client;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* under lock */
    unsigned calls; /* in that place */
    unsigned requests;
    bool stopping; /* tg_client_stop() was called */
    bool idle;
    bool closed;
    bool late;
} host;

/* An assertion of cmocka would leave the network thread by a jump. */
static void must(bool good, const char *what, tg_err err)
{
    if (!good) {
        (void)fprintf(stderr, "%s: %s\n", what, tg_err_name(err));
        abort();
    }
}

/* What is "Thread: any. Blocks: no." It would hang if the library held a lock around callbacks. */
static void ask_everything(tg_client *client, bool with_requests)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    tg_err err = tg_client_counters_get(client, &counters);
    must(err == TG_OK, "counters", err);
    tg_event event;
    while (tg_client_event(client, &event) == TG_OK) {
    }
    (void)tg_client_state(client);
    tg_instrument_id id;
    err = tg_client_subscription(client, (tg_sub_id){1}, &id);
    must(err == TG_ERR_NOT_FOUND, "subscription", err);
    if (!with_requests) {
        return;
    }
    uint32_t request = 0;
    err = tg_client_find(client, NULL, NULL, NULL, NULL, 1, &request);
    must(err == TG_OK || err == TG_ERR_FULL || err == TG_ERR_STATE, "find", err);
    tg_sub_id sub;
    err = tg_client_subscribe(client, "ORION", "BTC-USD", &sub);
    must(err == TG_OK || err == TG_ERR_FULL, "subscribe", err);
    if (err == TG_OK) {
        err = tg_client_unsubscribe(client, sub);
        must(err == TG_OK || err == TG_ERR_FULL, "unsubscribe", err);
    }
}

static void called(host *h, place where)
{
    (void)pthread_mutex_lock(&h->lock);
    h->late = h->late || h->closed;
    h->calls += h->stop_in == where;
    const bool stop = h->calls == 2 && !h->stopping;
    h->stopping = h->stopping || stop;
    const bool with_requests = h->requests++ < 20; /* their answers call back, too */
    (void)pthread_mutex_unlock(&h->lock);
    ask_everything(h->client, with_requests);
    if (stop) {
        tg_client_stop(h->client);
        ask_everything(h->client, with_requests);
    }
    (void)pthread_mutex_lock(&h->lock);
    (void)pthread_cond_broadcast(&h->changed);
    (void)pthread_mutex_unlock(&h->lock);
}

static void on_event(void *ctx, const tg_event *event)
{
    host *h = ctx;
    (void)pthread_mutex_lock(&h->lock);
    h->idle = event->kind == TG_EVENT_SESSION && event->state == TG_SESSION_IDLE;
    (void)pthread_mutex_unlock(&h->lock);
    called(h, IN_EVENT);
}

static void on_publish(void *ctx, uint64_t view_number)
{
    (void)view_number;
    called(ctx, IN_PUBLISH);
}

static void on_message(void *ctx, const void *bytes, size_t size, int64_t received_mono_ns)
{
    (void)bytes;
    (void)size;
    (void)received_mono_ns;
    called(ctx, IN_MESSAGE);
}

static void on_found(void *ctx, uint32_t request, const char *venue,
                     const tg_instrument *instrument, bool more)
{
    (void)request;
    (void)venue;
    (void)instrument;
    (void)more;
    called(ctx, IN_FOUND);
}

static void token_provider(void *ctx, tg_client *client, tg_token_reason reason)
{
    (void)reason;
    host *h = ctx;
    /* Refused each time, so that another one is asked for. */
    const tg_err err =
        tg_client_token(client, h->stop_in == IN_TOKEN_PROVIDER ? "not-the-token" : gateway.token);
    must(err == TG_OK, "token", err);
    called(h, IN_TOKEN_PROVIDER);
}

static void stop_in(place where)
{
    static host h;
    memset(&h, 0, sizeof h);
    h.stop_in = where;
    (void)pthread_mutex_init(&h.lock, NULL);
    (void)pthread_cond_init(&h.changed, NULL);
    tg_client_options opt = gateway_fixture_options(gateway.url);
    opt.token = NULL;
    opt.token_provider = token_provider;
    opt.ctx = &h;
    opt.on_event = on_event;
    opt.on_publish = on_publish;
    opt.on_message = on_message;
    opt.on_found = on_found;
    assert_int_equal(tg_client_open(&opt, &h.client), TG_OK);
    uint32_t request = 0;
    assert_int_equal(tg_client_start(h.client), TG_OK);
    const tg_err err = tg_client_find(h.client, NULL, NULL, NULL, NULL, 10, &request);
    assert_true(err == TG_OK || err == TG_ERR_STATE); /* it may have been stopped by now */
    (void)pthread_mutex_lock(&h.lock);
    while (!h.stopping || !h.idle) { /* the test's own time limit ends a hang */
        (void)pthread_cond_wait(&h.changed, &h.lock);
    }
    (void)pthread_mutex_unlock(&h.lock);
    tg_client_close(h.client);
    (void)pthread_mutex_lock(&h.lock);
    h.closed = true;
    (void)pthread_mutex_unlock(&h.lock);
    assert_false(h.late);
    (void)pthread_cond_destroy(&h.changed);
    (void)pthread_mutex_destroy(&h.lock);
}

static void stopping_in_an_event_is_heard(void **state)
{
    (void)state;
    stop_in(IN_EVENT);
}

static void stopping_in_a_publication_is_heard(void **state)
{
    (void)state;
    stop_in(IN_PUBLISH);
}

static void stopping_in_a_message_is_heard(void **state)
{
    (void)state;
    stop_in(IN_MESSAGE);
}

static void stopping_in_a_page_of_the_directory_is_heard(void **state)
{
    (void)state;
    stop_in(IN_FOUND);
}

static void stopping_where_a_token_is_wanted_is_heard(void **state)
{
    (void)state;
    stop_in(IN_TOKEN_PROVIDER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopping_in_an_event_is_heard),
        cmocka_unit_test(stopping_in_a_publication_is_heard),
        cmocka_unit_test(stopping_in_a_message_is_heard),
        cmocka_unit_test(stopping_in_a_page_of_the_directory_is_heard),
        cmocka_unit_test(stopping_where_a_token_is_wanted_is_heard),
    };
    return cmocka_run_group_tests_name("sdk.client_callbacks", tests, gateway_fixture_start,
                                       gateway_fixture_stop);
}
