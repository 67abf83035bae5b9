/*
 * Every fault that a gateway can be asked for, played to a real client over TLS, judged by an
 * oracle that reads the tape: nothing older is shown after something newer, nothing on the wrong
 * instrument, and in the end everything is alive again and the tape's last state.
 *
 * All cases run side by side: each is a gateway with a script, a client and a judge of its own.
 */
#include "tg_cmocka.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "fault_judge.h"
#include "fault_market.h"
#include "gateway_process.h"
#include "publications.h"

#define MARKET_MS     6000u
#define MARKET_SEED   UINT64_C(20261130)
#define PATIENCE_S    90 /* a fleet's deadlines are measured by bench_gateway, not here */
#define POLL_NS       50000000L
#define ARGUMENTS_MAX 14

typedef enum sign {
    SIGN_GAP = 1u << 0,         /* the client saw a loss and asked for a repair */
    SIGN_RECONNECT = 1u << 1,   /* it lost the session and came back */
    SIGN_NOT_ALIVE = 1u << 2,   /* a row was shown as something else than live or quiet */
    SIGN_REJECTED = 1u << 3,    /* a frame was malformed */
    SIGN_NEW_EPOCH = 1u << 4,   /* a version of a higher epoch was shown */
    SIGN_NOT_ENTITLED = 1u << 5 /* rows were shown as not entitled */
} sign;

typedef struct fault_case {
    const char *name;
    const char *script;
    unsigned expected; /* signs that must have been seen: a fault without effect proves nothing */
    unsigned excluded; /* signs that must not: the fault is to be unnoticed */
    const char *lost_venue; /* NULL; or its rows end as not entitled */
    const char *frames_per_digest;
} fault_case;

#define UNNOTICED (SIGN_GAP | SIGN_RECONNECT | SIGN_REJECTED | SIGN_NEW_EPOCH | SIGN_NOT_ENTITLED)

static const fault_case cases[] = {
    {"no fault", "", 0, UNNOTICED, NULL, "25"},
    {"a handler is late", "1000 delay * B 120\n2500 delay * B 0\n", 0, UNNOTICED, NULL, "25"},
    {"the first handler is late", "1000 delay * A 60\n2500 delay * A 0\n", 0, UNNOTICED, NULL,
     "25"},
    {"handlers reorder",
     "1000 reorder * A 16\n1000 reorder * B 16\n3000 reorder * A 0\n3000 reorder * B 0\n", 0,
     UNNOTICED, NULL, "25"},
    {"handlers duplicate",
     "1000 duplicate * A 3\n1000 duplicate * B 2\n3000 duplicate * A 1\n3000 duplicate * B 1\n", 0,
     UNNOTICED, NULL, "25"},
    {"a handler loses ticks", "1000 lose * A 200000\n3000 lose * A 0\n", 0, UNNOTICED, NULL, "25"},
    {"frames are dropped", "1000 drop-frames 3\n2000 drop-frames 20\n", SIGN_GAP, SIGN_RECONNECT,
     NULL, "25"},
    {"frames are corrupt", "1000 corrupt-frames 1\n2000 corrupt-frames 3\n", SIGN_GAP, 0, NULL,
     "1"},
    {"a venue freezes", "1000 freeze-venue ALPHA\n2500 thaw-venue ALPHA\n", SIGN_NOT_ALIVE,
     SIGN_RECONNECT, NULL, "25"},
    {"each lane freezes",
     "800 freeze-lane 0\n1200 thaw-lane 0\n1200 freeze-lane 1\n1600 thaw-lane 1\n1600 freeze-lane "
     "2\n2000 thaw-lane 2\n2000 freeze-lane 3\n2400 thaw-lane 3\n",
     SIGN_NOT_ALIVE, SIGN_RECONNECT, NULL, "25"},
    {"one handler dies", "1000 kill ALPHA A\n1000 kill BETA B\n3000 revive ALPHA A\n", 0, UNNOTICED,
     NULL, "25"},
    {"the active handler of a venue without ids dies", "1000 kill GAMMA A\n3000 revive GAMMA A\n",
     0, SIGN_GAP | SIGN_RECONNECT, NULL, "25"},
    {"both handlers die",
     "1000 kill ALPHA A\n1100 kill ALPHA B\n2500 revive ALPHA B\n3000 revive ALPHA A\n",
     SIGN_NOT_ALIVE | SIGN_NEW_EPOCH, SIGN_RECONNECT, NULL, "25"},
    {"the sequencer restarts", "1500 restart-sequencer\n", SIGN_NEW_EPOCH, 0, NULL, "25"},
    {"the clock steps", "1000 clock-step 3600000\n2500 clock-step -3600000\n", 0, 0, NULL, "25"},
    {"a boundary is wrong", "1000 wrong-boundary 7\n2000 wrong-boundary -5\n", SIGN_GAP, 0, NULL,
     "25"},
    {"the connection is half open", "1000 half-open on\n8000 half-open off\n",
     SIGN_NOT_ALIVE | SIGN_RECONNECT, 0, NULL, "25"},
    {"the connection is reset", "1500 reset-all\n", SIGN_RECONNECT, 0, NULL, "25"},
    {"the session is closed", "1500 close-all 1012\n", SIGN_RECONNECT, 0, NULL, "25"},
    {"the certificate changes", "1000 change-certificate\n1500 reset-all\n", SIGN_RECONNECT, 0,
     NULL, "25"},
    {"an entitlement is lost", "1500 revoke BETA\n", SIGN_NOT_ENTITLED | SIGN_RECONNECT, 0, "BETA",
     "25"},
};

#define CASES (sizeof cases / sizeof cases[0])

/* One instrument of one run. */
typedef struct watched {
    judge_instrument *judged;
    tg_sub_id sub;
    bool lost; /* belongs to the venue whose entitlement goes */
    bool shown;
    uint32_t epoch;
    uint64_t seq;
} watched;

typedef struct run {
    const fault_case *what;
    gateway_process gateway;
    char script[64];
    fault_judge judge;
    tg_client *client;
    tg_reader *reader;
    pthread_mutex_t watch;
    tg_reader *watcher;     /* of the network thread; NULL: it watches no more */
    bool watched_alive;     /* every row, once */
    bool watched_not_alive; /* after that */
    watched instruments[FAULT_MARKET_INSTRUMENTS];
    uint64_t last_view;
    unsigned signs;
    uint64_t version_regressions;
    bool was_alive; /* every row, once */
    int64_t alive_since_ns;
    int64_t not_alive_ns; /* when that was last seen */
    bool done;
} run;

static publications published;

static bool is_good(const tg_row *row)
{
    return row->quality == TG_QUALITY_LIVE || row->quality == TG_QUALITY_QUIET;
}

/*
 * The test's own thread looks when it gets to run, and on a busy machine a venue can be stale and
 * live again in between. No view escapes the thread that publishes them.
 */
static void watch(run *r)
{
    (void)pthread_mutex_lock(&r->watch);
    if (r->watcher == NULL) {
        (void)pthread_mutex_unlock(&r->watch);
        return;
    }
    const tg_view *const view = tg_reader_pin(r->watcher);
    const int64_t now_ns = tg_view_published_mono_ns(view);
    bool alive = true;
    for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS && alive; i++) {
        const judge_instrument *const judged = r->instruments[i].judged;
        tg_instrument_id id;
        tg_row row;
        alive = tg_view_find(view, judged->venue, judged->symbol, &id) == TG_OK &&
                tg_view_row(view, id, now_ns, &row) == TG_OK && is_good(&row);
    }
    tg_reader_unpin(r->watcher);
    r->watched_not_alive = r->watched_not_alive || (r->watched_alive && !alive);
    r->watched_alive = r->watched_alive || alive;
    (void)pthread_mutex_unlock(&r->watch);
}

static void on_publish(void *ctx, uint64_t view_number)
{
    (void)view_number;
    watch(ctx);
    publications_add(&published);
}

static int64_t mono_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void write_script(run *r, const char *folder, size_t number)
{
    (void)snprintf(r->script, sizeof r->script, "%.40s/faults-%zu", folder, number);
    FILE *const file = fopen(r->script, "w");
    assert_non_null(file);
    (void)fputs(r->what->script, file);
    assert_int_equal(fclose(file), 0);
}

static void open_run(run *r, const char *program, const char *folder, const char *tape,
                     const char *skew_ms, size_t number)
{
    write_script(r, folder, number);
    const char *const arguments[ARGUMENTS_MAX] = {
        "--tape",   tape,      "--keep-times",        "--hold-until-subscribed",
        "--feeds",  "2",       "--skew-ms",           skew_ms,
        "--faults", r->script, "--frames-per-digest", r->what->frames_per_digest,
        NULL};
    assert_true(fault_judge_open(&r->judge, tape));
    assert_int_equal(r->judge.count, FAULT_MARKET_INSTRUMENTS);
    assert_true(gateway_process_start(&r->gateway, program, arguments));
    assert_int_equal(pthread_mutex_init(&r->watch, NULL), 0);
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = r->gateway.url;
    options.ca_file = r->gateway.ca;
    options.token = r->gateway.token;
    options.on_publish = on_publish;
    options.ctx = r;
    assert_int_equal(tg_client_open(&options, &r->client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(r->client), &r->reader), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(r->client), &r->watcher), TG_OK);
    for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS; i++) {
        watched *const own = &r->instruments[i];
        own->judged = &r->judge.instruments[i];
        own->lost =
            r->what->lost_venue != NULL && strcmp(r->what->lost_venue, own->judged->venue) == 0;
        assert_int_equal(
            tg_client_subscribe(r->client, own->judged->venue, own->judged->symbol, &own->sub),
            TG_OK);
    }
}

static void close_run(run *r)
{
    (void)pthread_mutex_lock(&r->watch);
    tg_reader_close(r->watcher);
    r->watcher = NULL;
    (void)pthread_mutex_unlock(&r->watch);
    tg_reader_close(r->reader);
    tg_client_close(r->client);
    (void)pthread_mutex_destroy(&r->watch);
    assert_int_equal(gateway_process_stop(&r->gateway), 0);
    fault_judge_close(&r->judge);
    (void)unlink(r->script);
}

/* ---- judging ---- */

static void judge_side_of(run *r, watched *own, oracle_kind kind, const tg_image *image,
                          tg_field price, tg_field quantity, const tg_instrument *instrument)
{
    if (tg_image_has(image, price)) {
        fault_judge_show(&r->judge, own->judged, kind, image->value[price], image->value[quantity],
                         instrument->price_exponent, instrument->quantity_exponent);
    }
}

static void judge_version(run *r, watched *own, const tg_image *image)
{
    if (own->shown &&
        (image->epoch < own->epoch || (image->epoch == own->epoch && image->seq < own->seq))) {
        r->version_regressions++;
    }
    if (own->shown && image->epoch > own->epoch) {
        r->signs |= SIGN_NEW_EPOCH;
    }
    own->shown = image->epoch > 0; /* without a value there is no version */
    own->epoch = image->epoch;
    own->seq = image->seq;
}

/* True if the row is alive (or refused, where that is the end) at the tape's last state. */
static bool judge_row_of(run *r, watched *own, const tg_view *view, int64_t now_ns, bool *alive)
{
    tg_instrument_id id;
    tg_row row;
    tg_instrument entry;
    if (tg_view_find(view, own->judged->venue, own->judged->symbol, &id) != TG_OK ||
        tg_view_instrument(view, id, &entry) != TG_OK ||
        tg_view_row(view, id, now_ns, &row) != TG_OK) {
        *alive = false;
        return false;
    }
    const tg_image *const image = &row.image;
    judge_side_of(r, own, ORACLE_BID, image, TG_FIELD_BID_PRICE, TG_FIELD_BID_QUANTITY, &entry);
    judge_side_of(r, own, ORACLE_ASK, image, TG_FIELD_ASK_PRICE, TG_FIELD_ASK_QUANTITY, &entry);
    judge_side_of(r, own, ORACLE_TRADE, image, TG_FIELD_LAST_PRICE, TG_FIELD_LAST_QUANTITY, &entry);
    judge_version(r, own, image);
    const bool good = is_good(&row);
    const bool refused = row.quality == TG_QUALITY_NOT_ENTITLED;
    r->signs |= refused ? SIGN_NOT_ENTITLED : 0u;
    *alive = *alive && good;
    return own->lost ? refused : good && fault_judge_is_at_end(own->judged);
}

static void look(run *r)
{
    const tg_view *const view = tg_reader_pin(r->reader);
    const int64_t now_ns = mono_ns();
    bool alive = true;
    bool ended = true;
    for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS; i++) {
        ended = judge_row_of(r, &r->instruments[i], view, now_ns, &alive) && ended;
    }
    tg_reader_unpin(r->reader);
    if (alive && !r->was_alive) {
        r->was_alive = true;
        r->alive_since_ns = now_ns;
    }
    if (r->was_alive && !alive) {
        r->signs |= SIGN_NOT_ALIVE;
        r->not_alive_ns = now_ns;
    }
    (void)pthread_mutex_lock(&r->watch);
    r->signs |= r->watched_not_alive ? SIGN_NOT_ALIVE : 0u;
    (void)pthread_mutex_unlock(&r->watch);
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(r->client, &counters), TG_OK);
    r->signs |= counters.gaps > 0 ? SIGN_GAP : 0u;
    r->signs |= counters.reconnects > 0 ? SIGN_RECONNECT : 0u;
    r->signs |= counters.frames_rejected > 0 ? SIGN_REJECTED : 0u;
    r->done = ended && (r->signs & r->what->expected) == r->what->expected;
}

static void await_publication(uint64_t *seen)
{
    struct timespec until = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += POLL_NS; /* a row also ages without a publication */
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    (void)publications_await(&published, seen, &until);
}

static bool look_at_all(run *runs, size_t count)
{
    bool done = true;
    for (size_t i = 0; i < count; i++) {
        look(&runs[i]);
        done = done && runs[i].done;
    }
    return done;
}

/* After the market's first images, for comparison with the script; 0: it was never seen otherwise.
 */
static long long alive_again_ms(const run *r)
{
    return r->not_alive_ns == 0 ? 0 : (long long)((r->not_alive_ns - r->alive_since_ns) / 1000000);
}

static void report(const run *r)
{
    if (!r->done) {
        char error[256];
        tg_client_last_error(r->client, error, sizeof error);
        print_error("%s: not at its end; signs 0x%x of 0x%x, state %s, %s\n", r->what->name,
                    r->signs, r->what->expected, tg_session_state_name(tg_client_state(r->client)),
                    error);
        for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS; i++) {
            const watched *const own = &r->instruments[i];
            print_error("    %s:%s (%u, %llu) bid %zu of %zu\n", own->judged->venue,
                        own->judged->symbol, (unsigned)own->epoch, (unsigned long long)own->seq,
                        own->judged->sides[0].shown, own->judged->sides[0].count);
        }
    }
    if (r->judge.first_fault[0] != '\0') {
        print_error("%s: %s\n", r->what->name, r->judge.first_fault);
    }
}

static void every_fault_ends_well(void **state)
{
    static run runs[CASES];
    const char *const folder = *state;
    char tape[80];
    (void)snprintf(tape, sizeof tape, "%s/market.csv", folder);
    memset(runs, 0, sizeof runs);
    assert_true(fault_market_write(tape, MARKET_SEED, MARKET_MS));
    for (size_t i = 0; i < CASES; i++) {
        runs[i].what = &cases[i];
        open_run(&runs[i], TG_GATEWAY_PROGRAM, folder, tape, "6:9", i);
    }
    for (size_t i = 0; i < CASES; i++) { /* all at once, so that no market is far ahead of us */
        assert_int_equal(tg_client_start(runs[i].client), TG_OK);
    }
    const int64_t deadline_ns = mono_ns() + PATIENCE_S * INT64_C(1000000000);
    uint64_t seen = 0;
    while (!look_at_all(runs, CASES) && mono_ns() < deadline_ns) {
        await_publication(&seen);
    }
    unsigned failures = 0;
    for (size_t i = 0; i < CASES; i++) {
        const run *const r = &runs[i];
        const bool good = r->done && r->judge.regressions == 0 && r->judge.foreign == 0 &&
                          r->version_regressions == 0 && (r->signs & r->what->excluded) == 0;
        print_message("  %-50s %6llu values judged, signs 0x%02x, alive again at %5lld ms%s\n",
                      r->what->name, (unsigned long long)r->judge.judged, r->signs,
                      alive_again_ms(r), good ? "" : "  FAILED");
        report(r);
        failures += !good;
    }
    for (size_t i = 0; i < CASES; i++) {
        close_run(&runs[i]);
    }
    (void)unlink(tape);
    assert_int_equal(failures, 0);
}

/* The judge can fail: lanes that admit everything show the second handler's older rows. */
static void without_admission_the_judge_sees_prices_go_back(void **state)
{
    static run r;
    const char *const folder = *state;
    char tape[80];
    (void)snprintf(tape, sizeof tape, "%s/market.csv", folder);
    memset(&r, 0, sizeof r);
    r.what = &cases[0];
    assert_true(fault_market_write(tape, MARKET_SEED, MARKET_MS));
    /* Farther apart than two frames, so that the older row is in the later one. */
    open_run(&r, TG_NO_ADMISSION_PROGRAM, folder, tape, "60:90", 0);
    assert_int_equal(tg_client_start(r.client), TG_OK);
    const int64_t deadline_ns = mono_ns() + PATIENCE_S * INT64_C(1000000000);
    uint64_t seen = 0;
    while (r.judge.regressions == 0 && mono_ns() < deadline_ns) {
        look(&r);
        await_publication(&seen);
    }
    const uint64_t regressions = r.judge.regressions;
    close_run(&r);
    (void)unlink(tape);
    assert_true(regressions > 0);
}

static int set_up(void **state)
{
    static char folder[] = "/tmp/tickglass-faults-XXXXXX";
    *state = mkdtemp(folder);
    return *state != NULL && publications_init(&published) ? 0 : -1;
}

static int tear_down(void **state)
{
    publications_deinit(&published);
    return rmdir(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_admission_the_judge_sees_prices_go_back),
        cmocka_unit_test(every_fault_ends_well),
    };
    return cmocka_run_group_tests_name("integration.faults", tests, set_up, tear_down);
}
