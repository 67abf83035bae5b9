/*
 * A client of the public library with a second gateway to go to. The first is killed; what is shown
 * before, between and after is judged by the tape that both play.
 *
 * Of one lineage nothing may be seen but a pause. Of two, versions say nothing: what the second one
 * proves newer by its exchange time is taken over in silence, what may be older with a mark for
 * each instrument, and until it has told something nothing of the first is shown as live
 * (PROTOCOL.md 12.3).
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "gateway_process.h"
#include "judged_client.h"
#include "kept_folder.h"

#define MARKET_MS     6000u
#define MARKET_SEED   UINT64_C(20261201)
#define PATIENCE_S    90 /* ends a run that would not end */
#define POLL_NS       50000000L
#define ARGUMENTS_MAX 16

typedef enum scene_kind {
    /* The second one plays and the first one follows it, since the market ends with who plays. */
    SAME_LINEAGE,
    /* The second one began before the first and plays five times as fast: when the first one's
     * slow instruments have moved, within a second of its tape, it is far ahead; and the first one
     * would need 25 s to reach what is the end of the second one's slow instruments. */
    STRANGER_AHEAD,
    /* The second one begins with the client's arrival: every price goes back. */
    STRANGER_ANEW
} scene_kind;

#define SCENES 3u

static const char *const names[SCENES] = {"another node of the lineage", "a stranger that is ahead",
                                          "a stranger that begins anew"};

typedef enum scene_phase {
    BEFORE,
    AFTER, /* the first gateway was killed */
    DONE
} scene_phase;

typedef struct scene {
    const char *name;
    scene_phase phase;
    char folder[64];
    char tape[96];
    char bus[96];
    char authorities[96];
    gateway_process first; /* the client's choice */
    gateway_process second;
    judged_client own;
    judged_findings findings;
} scene;

static publications published;

/* ---- gateways ---- */

static void start_gateway(gateway_process *gateway, const char *const *own,
                          const char *const *common, const gateway_process *token_of)
{
    const char *arguments[ARGUMENTS_MAX];
    char token_file[96];
    size_t count = 0;
    for (; *own != NULL; own++) {
        arguments[count++] = *own;
    }
    for (; *common != NULL; common++) {
        arguments[count++] = *common;
    }
    if (token_of != NULL) {
        (void)snprintf(token_file, sizeof token_file, "%s/state/token", token_of->folder);
        arguments[count++] = "--token-file";
        arguments[count++] = token_file;
    }
    arguments[count] = NULL;
    assert_true(gateway_process_start(gateway, TG_GATEWAY_PROGRAM, arguments));
}

static void start_lineage(scene *s)
{
    static const char *const nothing[] = {NULL};
    const char *const plays[] = {
        "--tape", s->tape, "--keep-times", "--hold-until-subscribed", "--bus", s->bus, NULL};
    const char *const follows[] = {"--from-bus", s->bus, NULL};
    start_gateway(&s->second, plays, nothing, NULL);
    start_gateway(&s->first, follows, nothing, &s->second);
}

/* Each has a state directory of its own and plays the tape by itself. */
static void start_strangers(scene *s, const char *const *first, const char *const *second)
{
    const char *const plays[] = {"--tape", s->tape, "--keep-times", NULL};
    start_gateway(&s->first, first, plays, NULL);
    start_gateway(&s->second, second, plays, &s->first);
}

static void start_gateways(scene *s, scene_kind kind)
{
    static const char *const held[] = {"--hold-until-subscribed", NULL};
    static const char *const held_and_slow[] = {"--hold-until-subscribed", "--speed", "0.2", NULL};
    static const char *const at_once[] = {NULL};
    switch (kind) {
    case SAME_LINEAGE:
        start_lineage(s);
        break;
    case STRANGER_AHEAD:
        start_strangers(s, held_and_slow, at_once);
        break;
    case STRANGER_ANEW:
        start_strangers(s, held, held);
        break;
    }
}

static void append_file(FILE *out, const char *path)
{
    char bytes[8192];
    FILE *const in = fopen(path, "rb");
    assert_non_null(in);
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
}

static void write_authorities(const scene *s)
{
    FILE *const out = fopen(s->authorities, "wb");
    assert_non_null(out);
    append_file(out, s->first.ca);
    append_file(out, s->second.ca);
    assert_int_equal(fclose(out), 0);
}

/* ---- scenes ---- */

static void open_scene(scene *s, scene_kind kind)
{
    memset(s, 0, sizeof *s);
    s->name = names[kind];
    (void)snprintf(s->folder, sizeof s->folder, "/tmp/tickglass-second-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    kept_folder_made(s->folder);
    (void)snprintf(s->tape, sizeof s->tape, "%s/market.csv", s->folder);
    (void)snprintf(s->bus, sizeof s->bus, "%s/bus", s->folder);
    (void)snprintf(s->authorities, sizeof s->authorities, "%s/ca.pem", s->folder);
    assert_true(fault_market_write(s->tape, MARKET_SEED, MARKET_MS));
    start_gateways(s, kind);
    write_authorities(s);
    const char *const fallback[] = {s->second.url};
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = s->first.url;
    options.fallback_urls = fallback;
    options.fallback_count = 1;
    options.ca_file = s->authorities;
    options.token = kind == SAME_LINEAGE ? s->second.token : s->first.token;
    judged_client_open(&s->own, s->tape, NULL, &options, &published);
}

static void close_scene(scene *s)
{
    judged_client_close(&s->own);
    (void)gateway_process_stop(&s->first); /* was killed */
    assert_int_equal(gateway_process_stop(&s->second), 0);
    (void)unlink(s->authorities);
    (void)unlink(s->tape);
    assert_int_equal(rmdir(s->folder), 0); /* the socket went with its gateway */
}

/* The first gateway dies on the way; the client ends on the second, where the tape ends. */
static void go_on(scene *s)
{
    const judged_findings *const findings = &s->findings;
    judged_client_look(&s->own, &s->findings);
    if (s->phase == BEFORE && findings->alive && findings->moved) {
        gateway_process_kill(&s->first);
        s->phase = AFTER;
    } else if (s->phase == AFTER && (findings->signs & SIGN_RECONNECT) != 0 && findings->alive &&
               findings->ended) {
        s->phase = DONE;
    }
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

static time_t now_s(void)
{
    struct timespec now = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

/* Its gateway's market is held until somebody subscribes where it is played. */
static void await_joined(const judged_client *c)
{
    const time_t deadline_s = now_s() + PATIENCE_S;
    uint64_t seen = 0;
    while (tg_client_state(c->client) != TG_SESSION_LIVE) {
        assert_true(now_s() < deadline_s);
        await_publication(&seen);
    }
}

static bool go_on_with_all(scene *scenes)
{
    bool done = true;
    for (size_t i = 0; i < SCENES; i++) {
        go_on(&scenes[i]);
        done = done && scenes[i].phase == DONE;
    }
    return done;
}

/* Of the store's counters the restarts are returned. */
static uint64_t check_scene(scene *s)
{
    tg_store_counters store = {.struct_size = sizeof store};
    tg_client_counters client = {.struct_size = sizeof client};
    assert_int_equal(tg_store_counters_get(tg_client_store(s->own.client), &store), TG_OK);
    assert_int_equal(tg_client_counters_get(s->own.client, &client), TG_OK);
    print_message("  %-28s %llu values judged, %llu of %u instruments marked as begun again\n",
                  s->name, (unsigned long long)s->findings.judged,
                  (unsigned long long)s->findings.restarts, FAULT_MARKET_INSTRUMENTS);
    judged_client_report(&s->own, s->name, s->phase != DONE);
    assert_int_equal(s->phase, DONE);
    assert_true(judged_findings_are_clean(&s->findings));
    assert_true((s->findings.signs & SIGN_NOT_ALIVE) != 0); /* the death was noticed */
    assert_int_equal(client.endpoint, 1);                   /* and it is on the other one now */
    assert_int_equal(client.frames_rejected, 0);
    assert_int_equal(store.integrity_faults, 0);
    assert_int_equal(store.history_restarts, s->findings.restarts); /* each mark was seen */
    return store.history_restarts;
}

static void open_witness(judged_client *witness, const scene *s)
{
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = s->second.url;
    options.ca_file = s->second.ca;
    options.token = s->second.token;
    judged_client_open(witness, s->tape, NULL, &options, &published);
}

static void check_witness(judged_client *witness)
{
    judged_findings found;
    judged_client_look(witness, &found);
    judged_client_report(witness, "who was there before", false);
    assert_true(judged_findings_are_clean(&found));
    assert_int_equal(found.signs & (SIGN_GAP | SIGN_RECONNECT | SIGN_NEW_EPOCH), 0);
}

static void a_second_gateway_takes_over_as_its_lineage_allows(void **state)
{
    (void)state;
    static scene scenes[SCENES];
    static judged_client witness;
    for (unsigned i = 0; i < SCENES; i++) {
        open_scene(&scenes[i], (scene_kind)i);
    }
    open_witness(&witness, &scenes[SAME_LINEAGE]);
    judged_client_start(&scenes[SAME_LINEAGE].own);
    await_joined(&scenes[SAME_LINEAGE].own);
    judged_client_start(&witness);
    judged_client_start(&scenes[STRANGER_AHEAD].own);
    judged_client_start(&scenes[STRANGER_ANEW].own);

    const time_t deadline_s = now_s() + PATIENCE_S;
    uint64_t seen = 0;
    while (!go_on_with_all(scenes) && now_s() < deadline_s) {
        await_publication(&seen);
    }
    assert_int_equal(check_scene(&scenes[SAME_LINEAGE]), 0);
    assert_int_equal(check_scene(&scenes[STRANGER_AHEAD]), 0);
    assert_true(check_scene(&scenes[STRANGER_ANEW]) > 0);
    check_witness(&witness);
    judged_client_close(&witness);
    for (unsigned i = 0; i < SCENES; i++) {
        close_scene(&scenes[i]);
    }
}

static int set_up(void **state)
{
    (void)state;
    return publications_init(&published) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    publications_deinit(&published);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_gateway_takes_over_as_its_lineage_allows),
    };
    return cmocka_run_group_tests_name("integration.second_gateway", tests, set_up, tear_down);
}
