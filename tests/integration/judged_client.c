#include "judged_client.h"

#include "tg_cmocka.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define HEARTBEATS_NS INT64_C(1500000000) /* one a second, and half of it late */
#define HOUR_NS       INT64_C(3600000000000)
#define STEP_MIN_NS   (HOUR_NS / 2) /* no test takes so long: such a difference is a set clock */

static int64_t mono_ns(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool find_row(const tg_view *view, const judged_row *own, int64_t now_ns, tg_row *row,
                     tg_instrument_id *id)
{
    return tg_view_find(view, own->judged->venue, own->judged->symbol, id) == TG_OK &&
           tg_view_row(view, *id, now_ns, row) == TG_OK;
}

static bool is_good(const tg_row *row)
{
    return row->quality == TG_QUALITY_LIVE || row->quality == TG_QUALITY_QUIET;
}

static bool is_as_wanted(const judged_row *own, const tg_row *row)
{
    return is_good(row) || (own->lost && row->quality == TG_QUALITY_NOT_ENTITLED);
}

/* ---- every view, in the thread that published it ---- */

static void judge_side_of(judged_client *c, judged_row *own, oracle_kind kind,
                          const tg_image *image, tg_field price, tg_field quantity,
                          const tg_instrument *instrument)
{
    if (tg_image_has(image, price)) {
        fault_judge_show(&c->judge, own->judged, kind, image->value[price], image->value[quantity],
                         instrument->price_exponent, instrument->quantity_exponent);
    }
}

/* Versions of two lineages do not compare. What was shown before may stay, but not as live, until
 * the new one has told something; and if that may be older, it is said so. */
static void judge_lineage(judged_client *c, judged_row *own, const tg_row *row)
{
    if (own->lineage == c->lineage || row->image.epoch == 0) {
        return;
    }
    if (own->lineage != 0 && row->received_mono_ns < c->joined_mono_ns) {
        c->findings.live_too_early += is_good(row);
        return;
    }
    own->lineage = c->lineage;
    own->shown = false;
    if (row->history_restarted) {
        c->findings.restarts++;
        fault_judge_restart(own->judged);
    }
}

static void judge_version(judged_client *c, judged_row *own, const tg_image *image)
{
    if (own->shown &&
        (image->epoch < own->epoch || (image->epoch == own->epoch && image->seq < own->seq))) {
        c->findings.version_regressions++;
    }
    if (own->shown && image->epoch > own->epoch) {
        c->findings.signs |= SIGN_NEW_EPOCH;
    }
    own->shown = image->epoch > 0; /* without a value there is no version */
    own->epoch = image->epoch;
    own->seq = image->seq;
}

static void judge_row_of(judged_client *c, judged_row *own, const tg_row *row,
                         const tg_instrument *instrument)
{
    const tg_image *const image = &row->image;
    judge_lineage(c, own, row);
    judge_side_of(c, own, ORACLE_BID, image, TG_FIELD_BID_PRICE, TG_FIELD_BID_QUANTITY, instrument);
    judge_side_of(c, own, ORACLE_ASK, image, TG_FIELD_ASK_PRICE, TG_FIELD_ASK_QUANTITY, instrument);
    judge_side_of(c, own, ORACLE_TRADE, image, TG_FIELD_LAST_PRICE, TG_FIELD_LAST_QUANTITY,
                  instrument);
    judge_version(c, own, image);
}

static void note_stamp(judged_client *c, int64_t newest_ns)
{
    const int64_t step_ns = newest_ns - c->newest_stamp_ns;
    if (newest_ns == 0) {
        return;
    }
    if (c->first_stamp_ns == 0) {
        c->first_stamp_ns = newest_ns;
    } else if (step_ns > STEP_MIN_NS || step_ns < -STEP_MIN_NS) {
        c->findings.signs |= SIGN_CLOCK_SET;
    }
    c->newest_stamp_ns = newest_ns;
}

static void judge_view(judged_client *c, const tg_view *view)
{
    const int64_t now_ns = tg_view_published_mono_ns(view);
    judged_findings *const findings = &c->findings;
    int64_t newest_ns = 0;
    c->view_alive = true;
    findings->ended = true;
    findings->moved = true;
    for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS; i++) {
        judged_row *const own = &c->rows[i];
        tg_instrument_id id = TG_INSTRUMENT_NONE;
        tg_row row;
        tg_instrument instrument;
        if (!find_row(view, own, now_ns, &row, &id) ||
            tg_view_instrument(view, id, &instrument) != TG_OK) {
            c->view_alive = findings->ended = findings->moved = false;
            continue;
        }
        judge_row_of(c, own, &row, &instrument);
        const bool refused = row.quality == TG_QUALITY_NOT_ENTITLED;
        findings->signs |= refused ? SIGN_NOT_ENTITLED : 0u;
        findings->ended =
            findings->ended && (own->lost ? refused : fault_judge_is_at_end(own->judged));
        findings->moved = findings->moved && own->judged->sides[ORACLE_BID].shown > 1;
        c->view_alive = c->view_alive && is_as_wanted(own, &row);
        newest_ns = row.ts_gateway_ns > newest_ns ? row.ts_gateway_ns : newest_ns;
    }
    note_stamp(c, newest_ns);
    findings->signs |= c->was_alive && !c->view_alive ? SIGN_NOT_ALIVE : 0u;
    findings->stamped = findings->stamped && c->view_alive;
    c->was_alive = c->was_alive || c->view_alive;
}

/* A time without a view ends now, or is looked at. */
static int64_t silence_ns(const judged_client *c)
{
    const int64_t since_ns = mono_ns() - c->view_mono_ns;
    return since_ns > HEARTBEATS_NS ? since_ns - HEARTBEATS_NS : 0;
}

static void on_publish(void *ctx, uint64_t view_number)
{
    judged_client *const c = ctx;
    (void)view_number;
    (void)pthread_mutex_lock(&c->mutex);
    c->findings.silence_ns += silence_ns(c);
    c->view_mono_ns = mono_ns();
    if (c->watcher != NULL) {
        judge_view(c, tg_reader_pin(c->watcher));
        tg_reader_unpin(c->watcher);
    }
    (void)pthread_mutex_unlock(&c->mutex);
    publications_add(c->published);
}

static void on_event(void *ctx, const tg_event *event)
{
    judged_client *const c = ctx;
    unsigned long long lineage = 0;
    if (event->kind != TG_EVENT_SESSION ||
        sscanf(event->text, "joined lineage %16llx", &lineage) != 1) {
        return;
    }
    (void)pthread_mutex_lock(&c->mutex);
    if (c->lineage == 0 || c->joined != lineage) {
        c->lineage++;
        c->joined = lineage;
        c->joined_mono_ns = event->mono_ns;
    }
    (void)pthread_mutex_unlock(&c->mutex);
}

/* ---- the test's own thread ---- */

void judged_client_open(judged_client *c, const char *tape, const char *lost_venue,
                        tg_client_options *options, publications *published)
{
    memset(c, 0, sizeof *c);
    c->published = published;
    assert_true(fault_judge_open(&c->judge, tape));
    assert_int_equal(c->judge.count, FAULT_MARKET_INSTRUMENTS);
    assert_int_equal(pthread_mutex_init(&c->mutex, NULL), 0);
    options->on_publish = on_publish;
    options->on_event = on_event;
    options->ctx = c;
    assert_int_equal(tg_client_open(options, &c->client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(c->client), &c->reader), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(c->client), &c->watcher), TG_OK);
    for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS; i++) {
        judged_row *const own = &c->rows[i];
        tg_sub_id sub;
        own->judged = &c->judge.instruments[i];
        own->lost = lost_venue != NULL && strcmp(lost_venue, own->judged->venue) == 0;
        assert_int_equal(
            tg_client_subscribe(c->client, own->judged->venue, own->judged->symbol, &sub), TG_OK);
    }
}

void judged_client_start(judged_client *c)
{
    c->view_mono_ns = mono_ns();
    assert_int_equal(tg_client_start(c->client), TG_OK);
}

void judged_client_close(judged_client *c)
{
    (void)pthread_mutex_lock(&c->mutex);
    tg_reader_close(c->watcher);
    c->watcher = NULL;
    (void)pthread_mutex_unlock(&c->mutex);
    tg_reader_close(c->reader);
    tg_client_close(c->client);
    (void)pthread_mutex_destroy(&c->mutex);
    fault_judge_close(&c->judge);
}

static bool is_alive_now(const judged_client *c)
{
    const tg_view *const view = tg_reader_pin(c->reader);
    const int64_t now_ns = mono_ns();
    bool alive = true;
    for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS && alive; i++) {
        tg_instrument_id id = TG_INSTRUMENT_NONE;
        tg_row row;
        alive = find_row(view, &c->rows[i], now_ns, &row, &id) && is_as_wanted(&c->rows[i], &row);
    }
    tg_reader_unpin(c->reader);
    return alive;
}

/* A clock that was set was set by whole hours: what is left of them is time that passed. */
static int64_t elapsed_ns(const judged_client *c, int64_t stamp_ns)
{
    return ((stamp_ns - c->first_stamp_ns) % HOUR_NS + HOUR_NS) % HOUR_NS;
}

/* The stamp is that of the newest frame when it is noticed, and so never too early. */
static void note_alive(judged_client *c, bool alive_now, int64_t stamp_ns)
{
    judged_findings *const findings = &c->findings;
    findings->signs |= c->was_alive && !alive_now ? SIGN_NOT_ALIVE : 0u;
    findings->alive = alive_now && c->view_alive;
    if (!findings->alive) {
        findings->stamped = false;
    } else if (!findings->stamped) {
        findings->stamped = true;
        findings->alive_again_ns = elapsed_ns(c, stamp_ns);
    }
}

void judged_client_look(judged_client *c, judged_findings *out)
{
    const bool alive_now = is_alive_now(c);
    tg_client_counters counters = {.struct_size = sizeof counters};
    assert_int_equal(tg_client_counters_get(c->client, &counters), TG_OK);
    (void)pthread_mutex_lock(&c->mutex);
    note_alive(c, alive_now, counters.ts_gateway_ns);
    c->findings.signs |= counters.gaps > 0 ? SIGN_GAP : 0u;
    c->findings.signs |= counters.reconnects > 0 ? SIGN_RECONNECT : 0u;
    c->findings.signs |= counters.frames_rejected > 0 ? SIGN_REJECTED : 0u;
    c->findings.judged = c->judge.judged;
    c->findings.regressions = c->judge.regressions;
    c->findings.foreign = c->judge.foreign;
    *out = c->findings;
    out->silence_ns += silence_ns(c);
    (void)pthread_mutex_unlock(&c->mutex);
}

bool judged_findings_are_clean(const judged_findings *findings)
{
    return findings->regressions == 0 && findings->foreign == 0 &&
           findings->version_regressions == 0 && findings->live_too_early == 0;
}

void judged_client_report(judged_client *c, const char *name, bool rows)
{
    char error[256];
    tg_client_last_error(c->client, error, sizeof error);
    (void)pthread_mutex_lock(&c->mutex);
    if (c->judge.first_fault[0] != '\0') {
        print_error("%s: %s\n", name, c->judge.first_fault);
    }
    if (c->findings.version_regressions + c->findings.live_too_early > 0) {
        print_error("%s: %llu versions went back, %llu values of another lineage were live\n", name,
                    (unsigned long long)c->findings.version_regressions,
                    (unsigned long long)c->findings.live_too_early);
    }
    if (rows) {
        print_error("%s: signs 0x%x, state %s, %s\n", name, c->findings.signs,
                    tg_session_state_name(tg_client_state(c->client)), error);
        for (size_t i = 0; i < FAULT_MARKET_INSTRUMENTS; i++) {
            const judged_row *const own = &c->rows[i];
            print_error("    %s:%s (%u, %llu) bid %zu of %zu\n", own->judged->venue,
                        own->judged->symbol, (unsigned)own->epoch, (unsigned long long)own->seq,
                        own->judged->sides[0].shown, own->judged->sides[0].count);
        }
    }
    (void)pthread_mutex_unlock(&c->mutex);
}
