/*
 * A client of the public library reaches two nodes of one lineage through the TCP balancer that is
 * documented. The node that it is on is killed; it comes back on the other, and no version that the
 * store shows ever goes back.
 */
#include "tg_cmocka.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "balancer_process.h"
#include "kept_folder.h"

#define LIMIT_S      60
#define NAMES        7u
#define PUBLICATIONS 50u /* in a row, live, before the test goes on */

/* Quick ones, of every venue that the simulated market has. */
static const char *const names[NAMES][2] = {
    {"ORION", "BTC-USD"},     {"ORION", "ETH-USD"},   {"LYRA", "BTC-PERP"}, {"CANIS", "GOLD-H27"},
    {"VEGA", "UST10 4.000%"}, {"AURIGA", "WTI-SPOT"}, {"龍門", "東京電力"}};

typedef struct tier {
    char bus_folder[64];
    char bus[96];
    gateway_process sequencing;
    gateway_process nodes[2];
    balancer_process balancer;
    tg_client *client;
    tg_reader *reader;
    tg_version shown[NAMES];
    pthread_mutex_t mutex;
    pthread_cond_t published;
    uint64_t publications;
} tier;

static void on_publish(void *ctx, uint64_t view_number)
{
    tier *const t = ctx;
    (void)view_number;
    (void)pthread_mutex_lock(&t->mutex);
    t->publications++;
    (void)pthread_cond_signal(&t->published);
    (void)pthread_mutex_unlock(&t->mutex);
}

static void open_tier(tier *t)
{
    memset(t, 0, sizeof *t);
    (void)snprintf(t->bus_folder, sizeof t->bus_folder, "/tmp/tickglass-test-XXXXXX");
    assert_non_null(mkdtemp(t->bus_folder));
    kept_folder_made(t->bus_folder);
    (void)snprintf(t->bus, sizeof t->bus, "%s/bus", t->bus_folder);
    const char *const plays[] = {"--bus", t->bus, NULL};
    assert_true(gateway_process_start(&t->sequencing, TG_GATEWAY_PROGRAM, plays));
    char token[128];
    (void)snprintf(token, sizeof token, "%s/state/token", t->sequencing.folder);
    const char *const follows[] = {"--from-bus", t->bus, "--token-file", token, NULL};
    assert_true(gateway_process_start(&t->nodes[0], TG_GATEWAY_PROGRAM, follows));
    assert_true(gateway_process_start(&t->nodes[1], TG_GATEWAY_PROGRAM, follows));
    assert_true(balancer_process_start(&t->balancer, &t->nodes[0], &t->nodes[1]));
}

static void open_client(tier *t)
{
    assert_int_equal(pthread_mutex_init(&t->mutex, NULL), 0);
    pthread_condattr_t attributes;
    assert_int_equal(pthread_condattr_init(&attributes), 0);
    assert_int_equal(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC), 0);
    assert_int_equal(pthread_cond_init(&t->published, &attributes), 0);
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = t->balancer.url;
    options.ca_file = t->balancer.ca;
    options.token = t->sequencing.token;
    options.backoff_first_ms = 20;
    options.backoff_cap_ms = 200;
    options.on_publish = on_publish;
    options.ctx = t;
    assert_int_equal(tg_client_open(&options, &t->client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(t->client), &t->reader), TG_OK);
    for (size_t i = 0; i < NAMES; i++) {
        tg_sub_id sub;
        assert_int_equal(tg_client_subscribe(t->client, names[i][0], names[i][1], &sub), TG_OK);
    }
    assert_int_equal(tg_client_start(t->client), TG_OK);
}

static void close_tier(tier *t)
{
    tg_reader_close(t->reader);
    tg_client_close(t->client);
    balancer_process_stop(&t->balancer);
    (void)gateway_process_stop(&t->nodes[0]);
    (void)gateway_process_stop(&t->nodes[1]);
    assert_int_equal(gateway_process_stop(&t->sequencing), 0);
    assert_int_equal(rmdir(t->bus_folder), 0); /* the socket went with its gateway */
    (void)pthread_cond_destroy(&t->published);
    (void)pthread_mutex_destroy(&t->mutex);
}

/* One look at everything; true if every row is live. */
static bool look(tier *t)
{
    const tg_clock clock = tg_clock_system();
    const tg_view *const view = tg_reader_pin(t->reader);
    unsigned live = 0;
    for (size_t i = 0; i < NAMES; i++) {
        tg_instrument_id id = TG_INSTRUMENT_NONE;
        tg_row row;
        if (tg_view_find(view, names[i][0], names[i][1], &id) != TG_OK ||
            tg_view_row(view, id, tg_clock_mono_ns(&clock), &row) != TG_OK) {
            continue;
        }
        const tg_version version = tg_image_version(&row.image);
        assert_true(tg_version_compare(version, t->shown[i]) >= 0); /* no price goes back */
        assert_false(row.history_restarted);
        t->shown[i] = version;
        live += version.epoch > 0 && row.quality <= TG_QUALITY_HALTED;
    }
    tg_reader_unpin(t->reader);
    return live == NAMES;
}

/* The next publication; false: none came in time. */
static bool await_publication(tier *t, const struct timespec *deadline, uint64_t *seen)
{
    int waited = 0;
    (void)pthread_mutex_lock(&t->mutex);
    while (t->publications == *seen && waited == 0) {
        waited = pthread_cond_timedwait(&t->published, &t->mutex, deadline);
    }
    *seen = t->publications;
    (void)pthread_mutex_unlock(&t->mutex);
    return waited == 0;
}

/* Until the client has joined that often and every row was live for a while. */
static void await_live(tier *t, uint64_t connects)
{
    struct timespec deadline;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &deadline), 0);
    deadline.tv_sec += LIMIT_S;
    uint64_t seen = 0;
    for (unsigned in_a_row = 0; in_a_row < PUBLICATIONS;) {
        tg_client_counters counters = {.struct_size = sizeof counters};
        if (!await_publication(t, &deadline, &seen)) {
            char error[256];
            tg_client_last_error(t->client, error, sizeof error);
            fail_msg("not live within %d s; state %s; %s", LIMIT_S,
                     tg_session_state_name(tg_client_state(t->client)), error);
        }
        assert_int_equal(tg_client_counters_get(t->client, &counters), TG_OK);
        in_a_row = look(t) && counters.connects >= connects ? in_a_row + 1 : 0;
    }
}

/* The living node whose log tells of more connections that came than of such that went. */
static size_t node_of_client(const tier *t)
{
    for (size_t i = 0; i < 2; i++) {
        char line[512];
        int open = 0;
        FILE *const log = fopen(t->nodes[i].log, "r");
        assert_non_null(log);
        while (fgets(line, sizeof line, log) != NULL) {
            open += strstr(line, " in all") != NULL && strstr(line, ": open, ") != NULL;
            open -= strstr(line, " messages, ") != NULL;
        }
        (void)fclose(log);
        if (open > 0 && t->nodes[i].pid > 0) {
            return i;
        }
    }
    fail_msg("the client is on no node");
    return 0;
}

static void a_client_comes_back_on_the_other_node_and_no_version_goes_back(void **state)
{
    (void)state;
    static tier t;
    open_tier(&t);
    open_client(&t);
    await_live(&t, 1);
    const size_t first = node_of_client(&t);
    gateway_process_kill(&t.nodes[first]);
    await_live(&t, 2);
    assert_int_equal(node_of_client(&t), 1 - first);

    tg_store_counters store = {.struct_size = sizeof store};
    tg_client_counters client = {.struct_size = sizeof client};
    assert_int_equal(tg_store_counters_get(tg_client_store(t.client), &store), TG_OK);
    assert_int_equal(tg_client_counters_get(t.client, &client), TG_OK);
    assert_int_equal(client.reconnects, 1);
    assert_int_equal(client.frames_rejected, 0);
    assert_int_equal(store.integrity_faults, 0); /* equal versions, equal values */
    assert_int_equal(store.history_restarts, 0); /* one lineage */
    close_tier(&t);
}

/* SIGTERM: closed politely with a time to come back, and the balancer sends nobody there. */
static void a_node_that_leaves_hands_its_client_over(void **state)
{
    (void)state;
    static tier t;
    open_tier(&t);
    open_client(&t);
    await_live(&t, 1);
    const size_t first = node_of_client(&t);
    assert_int_equal(gateway_process_stop(&t.nodes[first]), 0);
    await_live(&t, 2);
    tg_store_counters store = {.struct_size = sizeof store};
    assert_int_equal(tg_store_counters_get(tg_client_store(t.client), &store), TG_OK);
    assert_int_equal(store.integrity_faults + store.history_restarts, 0);
    close_tier(&t);
}

int main(void)
{
    if (!balancer_is_installed()) {
        (void)printf("SKIP: haproxy is not installed\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_comes_back_on_the_other_node_and_no_version_goes_back),
        cmocka_unit_test(a_node_that_leaves_hands_its_client_over),
    };
    return cmocka_run_group_tests_name("integration.balancer", tests, NULL, NULL);
}
