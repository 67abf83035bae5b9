/*
 * Depth from a real gateway to a real client, in every view: over losses and reconnects, from one
 * node of a lineage to another, and to a stranger.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "depth_judge.h"
#include "gateway_process.h"
#include "kept_folder.h"
#include "publications.h"

#define PATIENCE_S 90
#define POLL_NS    50000000L
#define SEED       "20261201"

static publications published;

/* ---- a client all of whose views are judged ---- */

typedef struct follower {
    tg_client *client;
    pthread_mutex_t mutex; /* guards what follows; callbacks take it */
    tg_reader *watcher;    /* of the network thread; NULL: it watches no more */
    depth_judge judge;
    depth_record *records[2]; /* of the lineages in their order; the second may be NULL */
    unsigned lineage;         /* counts those that were joined */
    unsigned long long joined;
    int64_t joined_mono_ns;  /* the second one */
    uint64_t live_too_early; /* depth of the first, since then */
    bool doubted;            /* some depth was shown as something else than live or quiet */
    bool doubted_alone;      /* as GAP, beside a row that was good */
    bool complete;           /* every instrument has depth in the latest view, live or quiet */
} follower;

static bool is_good(tg_quality quality)
{
    return quality == TG_QUALITY_LIVE || quality == TG_QUALITY_QUIET;
}

static void judge_instrument(follower *f, const tg_view *view, size_t index, int64_t now_ns)
{
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    tg_row row;
    tg_depth depth;
    tg_instrument instrument;
    if (tg_view_find(view, depth_names[index].venue, depth_names[index].symbol, &id) != TG_OK ||
        tg_view_row(view, id, now_ns, &row) != TG_OK ||
        tg_view_instrument(view, id, &instrument) != TG_OK ||
        tg_view_depth(view, id, now_ns, &depth) != TG_OK) {
        f->complete = false;
        return;
    }
    f->doubted = f->doubted || !is_good(depth.quality);
    f->doubted_alone =
        f->doubted_alone || (depth.quality == TG_QUALITY_GAP && is_good(row.quality));
    f->complete = f->complete && is_good(depth.quality);
    if (f->lineage > 1 && now_ns - depth.age_ns < f->joined_mono_ns) {
        f->live_too_early += is_good(depth.quality) ? 1u : 0u;
        f->complete = false;
        return;
    }
    depth_judge_show(&f->judge, index, &row, &depth, &instrument);
}

static void on_publish(void *ctx, uint64_t view_number)
{
    follower *const f = ctx;
    (void)view_number;
    (void)pthread_mutex_lock(&f->mutex);
    if (f->watcher != NULL) {
        const tg_view *view = tg_reader_pin(f->watcher);
        f->complete = true;
        for (size_t i = 0; i < DEPTH_INSTRUMENTS; i++) {
            judge_instrument(f, view, i, tg_view_published_mono_ns(view));
        }
        tg_reader_unpin(f->watcher);
    }
    (void)pthread_mutex_unlock(&f->mutex);
    publications_add(&published);
}

static void on_event(void *ctx, const tg_event *event)
{
    follower *const f = ctx;
    unsigned long long lineage = 0;
    if (event->kind != TG_EVENT_SESSION ||
        sscanf(event->text, "joined lineage %16llx", &lineage) != 1) {
        return;
    }
    (void)pthread_mutex_lock(&f->mutex);
    if (f->lineage == 0 || (f->joined != lineage && f->records[1] != NULL)) {
        depth_judge_restart(&f->judge, f->records[f->lineage]);
        f->joined_mono_ns = event->mono_ns;
        f->lineage++;
    }
    f->joined = lineage;
    (void)pthread_mutex_unlock(&f->mutex);
}

/* Wants depth of all names, from the first gateway, or from the second one if that is gone. */
static void open_follower(follower *f, const gateway_process *first, const gateway_process *second,
                          const char *ca, const char *token)
{
    const char *const fallback[] = {second == NULL ? NULL : second->url};
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = first->url;
    options.fallback_urls = fallback;
    options.fallback_count = second == NULL ? 0 : 1;
    options.ca_file = ca;
    options.token = token;
    options.on_publish = on_publish;
    options.on_event = on_event;
    options.ctx = f;
    assert_int_equal(pthread_mutex_init(&f->mutex, NULL), 0);
    f->judge.record = f->records[0];
    assert_int_equal(tg_client_open(&options, &f->client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(f->client), &f->watcher), TG_OK);
    for (size_t i = 0; i < DEPTH_INSTRUMENTS; i++) {
        tg_sub_id sub;
        assert_int_equal(
            tg_client_subscribe(f->client, depth_names[i].venue, depth_names[i].symbol, &sub),
            TG_OK);
        assert_int_equal(tg_client_prioritise(f->client, sub, true), TG_OK);
    }
    assert_int_equal(tg_client_start(f->client), TG_OK);
}

static void close_follower(follower *f)
{
    (void)pthread_mutex_lock(&f->mutex);
    tg_reader_close(f->watcher);
    f->watcher = NULL;
    (void)pthread_mutex_unlock(&f->mutex);
    tg_client_close(f->client);
    (void)pthread_mutex_destroy(&f->mutex);
}

static void await(const char *what, bool (*is_so)(follower *f, uint64_t number), follower *f,
                  uint64_t number)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t deadline_s = now.tv_sec + PATIENCE_S;
    uint64_t seen = 0;
    bool so = false;
    while (!so) {
        (void)pthread_mutex_lock(&f->mutex);
        so = is_so(f, number);
        (void)pthread_mutex_unlock(&f->mutex);
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        if (!so && now.tv_sec >= deadline_s) {
            fail_msg("%s did not come: %llu books judged, %s", what,
                     (unsigned long long)f->judge.findings.judged, f->judge.findings.first_fault);
        }
        now.tv_nsec += POLL_NS;
        now.tv_sec += now.tv_nsec / 1000000000;
        now.tv_nsec %= 1000000000;
        (void)publications_await(&published, &seen, &now);
    }
}

static bool has_judged(follower *f, uint64_t books)
{
    return f->complete && f->judge.findings.judged >= books;
}

static bool has_come_back(follower *f, uint64_t reconnects)
{
    tg_client_counters counters = {.struct_size = sizeof counters};
    return tg_client_counters_get(f->client, &counters) == TG_OK &&
           counters.reconnects >= reconnects && f->complete;
}

static bool has_changed_lineage(follower *f, uint64_t lineages)
{
    return f->lineage == lineages && f->complete;
}

/* So many books more than now, and all of them good at the end. */
static void await_books(follower *f, uint64_t more)
{
    (void)pthread_mutex_lock(&f->mutex);
    const uint64_t now = f->judge.findings.judged;
    (void)pthread_mutex_unlock(&f->mutex);
    await("depth", has_judged, f, now + more);
}

static void check_clean(follower *f, const char *name)
{
    tg_store_counters store = {.struct_size = sizeof store};
    tg_client_counters client = {.struct_size = sizeof client};
    (void)pthread_mutex_lock(&f->mutex);
    const depth_findings findings = f->judge.findings;
    const bool clean = depth_judge_is_clean(&f->judge);
    const uint64_t live_too_early = f->live_too_early;
    depth_record *const record = f->judge.record;
    (void)pthread_mutex_unlock(&f->mutex);
    /* Afterwards: the market goes on, and what was judged by then was counted before. */
    assert_int_equal(tg_store_counters_get(tg_client_store(f->client), &store), TG_OK);
    assert_int_equal(tg_client_counters_get(f->client, &client), TG_OK);
    const uint64_t compared = depth_record_compared(record);
    print_message(
        "  %-20s %llu books, %llu tops compared, %llu versions of two clients, %llu raises\n", name,
        (unsigned long long)findings.judged, (unsigned long long)findings.same_tops,
        (unsigned long long)compared, (unsigned long long)findings.raises);
    if (!clean) {
        fail_msg("%s: %llu torn, %llu older, %llu of another top, %llu different: %s", name,
                 (unsigned long long)findings.torn, (unsigned long long)findings.regressions,
                 (unsigned long long)findings.other_tops,
                 (unsigned long long)depth_record_differing(record), findings.first_fault);
    }
    assert_true(findings.same_tops > findings.judged / 2);
    assert_true(findings.full > findings.judged); /* of two sides each */
    assert_true(findings.gaps > findings.judged / 10 && findings.gaps < 2 * findings.judged);
    assert_true(store.depth_admitted >= findings.judged);
    assert_int_equal(store.integrity_faults, 0);
    assert_int_equal(client.books_refused, 0);
    assert_int_equal(live_too_early, 0);
}

/* ---- what happens to them ---- */

static void depth_survives_losses_and_what_is_lost_is_repaired(void **state)
{
    /* Of each connection, fewer messages than a client rejects before it leaves. */
    static const char script[] = "1000 cut-ticks 3\n"
                                 "1500 drop-frames 3\n"
                                 "2000 corrupt-frames 2\n"
                                 "2500 reset-all\n"
                                 "3500 kill ORION A\n"
                                 "3900 revive ORION A\n"
                                 "4500 restart-sequencer\n"
                                 "5500 freeze-lane 1\n"
                                 "5900 thaw-lane 1\n"
                                 "6200 cut-ticks 3\n"
                                 "6500 wrong-boundary 1000\n"
                                 "7000 reset-all\n";
    static depth_record record;
    static follower one;
    static follower other;
    char faults[96];
    gateway_process gateway;
    (void)snprintf(faults, sizeof faults, "%s/faults", (const char *)*state);
    FILE *const file = fopen(faults, "w");
    assert_non_null(file);
    assert_true(fputs(script, file) >= 0);
    assert_int_equal(fclose(file), 0);
    const char *const arguments[] = {"--sim",
                                     "--seed",
                                     SEED,
                                     "--hold-until-subscribed",
                                     "--faults",
                                     faults,
                                     "--frames-per-digest",
                                     "1",
                                     NULL};
    assert_true(gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, arguments));
    (void)unlink(faults);
    assert_true(depth_record_init(&record));
    one.records[0] = other.records[0] = &record;
    open_follower(&one, &gateway, NULL, gateway.ca, gateway.token);
    open_follower(&other, &gateway, NULL, gateway.ca, gateway.token);
    await("the second return", has_come_back, &one, 2);
    await("the second return", has_come_back, &other, 2);
    await_books(&one, 500);
    await_books(&other, 500);
    check_clean(&one, "losses");
    check_clean(&other, "losses, twice");
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(one.client, &counters), TG_OK);
    close_follower(&one);
    close_follower(&other);
    assert_true(counters.gaps > 0 && one.doubted);
    assert_true(one.doubted_alone || other.doubted_alone);
    assert_true(one.judge.findings.raises > 0);
    assert_true(record.compared > 1000);
    depth_record_deinit(&record);
    assert_int_equal(gateway_process_stop(&gateway), 0);
}

/* Who may have signed the certificate of either. */
static void write_authorities(const char *path, const gateway_process *a, const gateway_process *b)
{
    const char *const from[] = {a->ca, b->ca};
    FILE *const out = fopen(path, "wb");
    assert_non_null(out);
    for (size_t i = 0; i < 2; i++) {
        char bytes[8192];
        FILE *const in = fopen(from[i], "rb");
        assert_non_null(in);
        const size_t size = fread(bytes, 1, sizeof bytes, in);
        assert_int_equal(fclose(in), 0);
        assert_int_equal(fwrite(bytes, 1, size, out), size);
    }
    assert_int_equal(fclose(out), 0);
}

static void depth_is_the_same_on_every_node_of_a_lineage(void **state)
{
    static depth_record record;
    static follower moves;
    static follower stays;
    char bus[96];
    char authorities[96];
    char token_file[96];
    gateway_process playing;
    gateway_process following;
    (void)snprintf(bus, sizeof bus, "%s/bus", (const char *)*state);
    (void)snprintf(authorities, sizeof authorities, "%s/ca.pem", (const char *)*state);
    const char *const plays[] = {"--sim", "--seed", SEED, "--bus", bus, NULL};
    assert_true(gateway_process_start(&playing, TG_GATEWAY_PROGRAM, plays));
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", playing.folder);
    const char *const follows[] = {"--from-bus", bus, "--token-file", token_file, NULL};
    assert_true(gateway_process_start(&following, TG_GATEWAY_PROGRAM, follows));
    write_authorities(authorities, &following, &playing);
    assert_true(depth_record_init(&record));
    moves.records[0] = stays.records[0] = &record;
    open_follower(&stays, &playing, NULL, authorities, playing.token);
    open_follower(&moves, &following, &playing, authorities, playing.token);
    await_books(&moves, 1000);
    await_books(&stays, 1000);
    const uint64_t compared = depth_record_compared(&record);
    gateway_process_kill(&following);
    await("the other node", has_come_back, &moves, 1);
    await_books(&moves, 1000);
    check_clean(&moves, "from node to node");
    check_clean(&stays, "on one node");
    close_follower(&moves);
    close_follower(&stays);
    assert_true(moves.doubted);   /* the death was noticed */
    assert_true(compared > 1000); /* with another node, before the change */
    assert_int_equal(moves.judge.findings.raises, 0);
    depth_record_deinit(&record);
    (void)gateway_process_stop(&following); /* was killed */
    assert_int_equal(gateway_process_stop(&playing), 0);
    (void)unlink(authorities);
}

static void the_depth_of_a_stranger_takes_the_place_of_the_first_ones(void **state)
{
    static depth_record records[2];
    static follower f;
    char authorities[96];
    char token_file[96];
    gateway_process first;
    gateway_process second;
    (void)snprintf(authorities, sizeof authorities, "%s/ca.pem", (const char *)*state);
    const char *const plays[] = {"--sim", "--seed", SEED, NULL};
    assert_true(gateway_process_start(&first, TG_GATEWAY_PROGRAM, plays));
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", first.folder);
    const char *const plays_another[] = {"--sim", "--seed", "7", "--token-file", token_file, NULL};
    assert_true(gateway_process_start(&second, TG_GATEWAY_PROGRAM, plays_another));
    write_authorities(authorities, &first, &second);
    for (size_t i = 0; i < 2; i++) {
        assert_true(depth_record_init(&records[i]));
        f.records[i] = &records[i];
    }
    open_follower(&f, &first, &second, authorities, first.token);
    await_books(&f, 500);
    gateway_process_kill(&first);
    await("the stranger", has_changed_lineage, &f, 2);
    await_books(&f, 500);
    check_clean(&f, "from a stranger");
    close_follower(&f);
    assert_int_equal(records[0].differing, 0);
    depth_record_deinit(&records[0]);
    depth_record_deinit(&records[1]);
    (void)gateway_process_stop(&first); /* was killed */
    assert_int_equal(gateway_process_stop(&second), 0);
    (void)unlink(authorities);
}

static int set_up(void **state)
{
    static char folder[] = "/tmp/tickglass-depth-XXXXXX";
    *state = mkdtemp(folder);
    kept_folder_made(folder);
    return *state != NULL && publications_init(&published) ? 0 : -1;
}

static int tear_down(void **state)
{
    publications_deinit(&published);
    return rmdir(*state); /* the bus went with its gateway */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_survives_losses_and_what_is_lost_is_repaired),
        cmocka_unit_test(depth_is_the_same_on_every_node_of_a_lineage),
        cmocka_unit_test(the_depth_of_a_stranger_takes_the_place_of_the_first_ones),
    };
    return cmocka_run_group_tests_name("integration.depth", tests, set_up, tear_down);
}
