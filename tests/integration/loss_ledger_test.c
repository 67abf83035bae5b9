/*
 * The ledger of a client whose gateway drops frames on purpose comes to the gateway's own counts:
 * what is lost is what the gateway says that it did not bring, not what is left over.
 */
#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/client.h>

#include "fault_market.h"
#include "gateway_process.h"
#include "kept_folder.h"
#include "publications.h"
#include "tape_oracle.h"

#define MARKET_MS    5000u
#define PATIENCE_S   60
#define PAGE_SIZE    65536
#define METRICS_LINE "metrics at http://127.0.0.1:"

static publications published;

static void on_publish(void *ctx, uint64_t view_number)
{
    (void)ctx;
    (void)view_number;
    publications_add(&published);
}

/* ---- the gateway's own counts ---- */

static int metrics_port(const gateway_process *gateway)
{
    char line[512];
    int port = 0;
    FILE *const log = fopen(gateway->log, "r");
    assert_non_null(log);
    while (port == 0 && fgets(line, sizeof line, log) != NULL) {
        const char *const at = strstr(line, METRICS_LINE);
        port = at == NULL ? 0 : atoi(at + strlen(METRICS_LINE));
    }
    (void)fclose(log);
    assert_true(port > 0);
    return port;
}

static void read_page(const gateway_process *gateway, char page[PAGE_SIZE])
{
    static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)metrics_port(gateway)),
                                        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(write(fd, request, sizeof request - 1), sizeof request - 1);
    size_t filled = 0;
    ssize_t got = 0;
    while (filled < PAGE_SIZE - 1 && (got = read(fd, page + filled, PAGE_SIZE - 1 - filled)) > 0) {
        filled += (size_t)got;
    }
    page[filled] = '\0';
    (void)close(fd);
}

static uint64_t figure(const char *page, const char *name)
{
    char line[96];
    (void)snprintf(line, sizeof line, "\ntickglass_gateway_%s ", name);
    const char *const at = strstr(page, line);
    assert_non_null(at);
    return strtoull(at + strlen(line), NULL, 10);
}

/* ---- one market ---- */

typedef struct session {
    gateway_process gateway;
    tape_oracle oracle;
    tg_client *client;
    tg_reader *reader;
    tg_sub_id subs[FAULT_MARKET_INSTRUMENTS];
} session;

static void open_session(session *s, const char *folder, const char *script)
{
    char tape[96];
    char faults[96];
    (void)snprintf(tape, sizeof tape, "%.60s/market.csv", folder);
    (void)snprintf(faults, sizeof faults, "%.60s/faults", folder);
    assert_true(fault_market_write(tape, 7, MARKET_MS));
    FILE *const file = fopen(faults, "w");
    assert_non_null(file);
    (void)fputs(script, file);
    assert_int_equal(fclose(file), 0);
    assert_true(tape_oracle_read_plain(&s->oracle, tape));
    const char *const arguments[] = {
        "--tape",   tape,   "--keep-times",     "--hold-until-subscribed",
        "--faults", faults, "--metrics-listen", "127.0.0.1:0",
        NULL};
    assert_true(gateway_process_start(&s->gateway, TG_GATEWAY_PROGRAM, arguments));
    (void)unlink(tape);
    (void)unlink(faults);
    tg_client_options options;
    tg_client_options_init(&options);
    options.url = s->gateway.url;
    options.ca_file = s->gateway.ca;
    options.token = s->gateway.token;
    options.on_publish = on_publish;
    assert_int_equal(tg_client_open(&options, &s->client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(s->client), &s->reader), TG_OK);
    assert_int_equal(s->oracle.count, FAULT_MARKET_INSTRUMENTS);
    for (size_t i = 0; i < s->oracle.count; i++) {
        assert_int_equal(tg_client_subscribe(s->client, s->oracle.instruments[i].venue,
                                             s->oracle.instruments[i].symbol, &s->subs[i]),
                         TG_OK);
    }
    assert_int_equal(tg_client_start(s->client), TG_OK);
}

static void close_session(session *s)
{
    tg_reader_close(s->reader);
    tg_client_close(s->client);
    assert_int_equal(gateway_process_stop(&s->gateway), 0);
    tape_oracle_free(&s->oracle);
}

static bool is_at_end(session *s)
{
    const tg_view *const view = tg_reader_pin(s->reader);
    bool at_end = true;
    for (size_t i = 0; i < s->oracle.count && at_end; i++) {
        tg_instrument_id id;
        tg_row row;
        at_end = tg_client_subscription(s->client, s->subs[i], &id) == TG_OK &&
                 tg_view_row(view, id, 0, &row) == TG_OK &&
                 row.image.seq >= s->oracle.instruments[i].ticks;
    }
    tg_reader_unpin(s->reader);
    return at_end;
}

static void await_the_end(session *s)
{
    struct timespec deadline = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += PATIENCE_S;
    uint64_t seen = 0;
    while (!is_at_end(s)) {
        assert_true(publications_await(&published, &seen, &deadline));
    }
}

/* The tape's ticks of each instrument, as its ledger has them; the sum of what is lost. */
static uint64_t check_instruments(session *s)
{
    uint64_t lost = 0;
    const tg_view *const view = tg_reader_pin(s->reader);
    for (size_t i = 0; i < s->oracle.count; i++) {
        tg_instrument_id id = TG_INSTRUMENT_NONE;
        tg_ledger ledger;
        assert_int_equal(tg_client_subscription(s->client, s->subs[i], &id), TG_OK);
        assert_int_equal(tg_view_ledger(view, id, &ledger), TG_OK);
        assert_int_equal(ledger.lane_ticks, s->oracle.instruments[i].ticks);
        assert_int_equal(ledger.lane_ticks,
                         ledger.received + ledger.conflated + ledger.lost + ledger.superseded);
        assert_int_equal(ledger.repeated, 0);
        lost += ledger.lost;
    }
    tg_reader_unpin(s->reader);
    return lost;
}

static void compare(session *s, bool drops)
{
    static char page[PAGE_SIZE];
    tg_store_counters store = {.struct_size = sizeof store};
    tg_client_counters client = {.struct_size = sizeof client};
    const uint64_t lost = check_instruments(s);
    assert_int_equal(tg_store_counters_get(tg_client_store(s->client), &store), TG_OK);
    assert_int_equal(tg_client_counters_get(s->client, &client), TG_OK);
    read_page(&s->gateway, page);
    const uint64_t unbrought = figure(page, "ticks_lost_by_fault_total") +
                               figure(page, "ticks_refused_total") +
                               figure(page, "ticks_dropped_total");
    assert_int_equal(store.lane_ticks - store.covered_ticks, unbrought);
    /* A row of a snapshot was received; of the ticks that it jumped over the others are lost. */
    assert_int_equal(store.received + store.conflated - store.covered_ticks, unbrought - lost);
    assert_int_equal(store.lost, lost);
    assert_true(lost <= unbrought);
    assert_int_equal(drops, lost > 0);
    assert_int_equal(drops, client.gaps > 0);
    print_message(
        "  %llu lane ticks: %llu received, %llu conflated, %llu lost; the gateway did not "
        "bring %llu\n",
        (unsigned long long)store.lane_ticks, (unsigned long long)store.received,
        (unsigned long long)store.conflated, (unsigned long long)store.lost,
        (unsigned long long)unbrought);
}

static void play(const char *folder, const char *script, bool drops)
{
    static session s;
    memset(&s, 0, sizeof s);
    open_session(&s, folder, script);
    await_the_end(&s);
    compare(&s, drops);
    close_session(&s);
}

static void without_drops_nothing_is_lost(void **state)
{
    play(*state, "", false);
}

static void what_is_lost_is_what_the_gateway_dropped(void **state)
{
    play(*state, "500 drop-frames 1\n1000 drop-frames 5\n2000 drop-frames 30\n4000 drop-frames 2\n",
         true);
}

static void a_share_of_all_frames_is_accounted_for(void **state)
{
    play(*state, "500 drop-rate 100000\n3500 drop-rate 0\n", true);
}

static int set_up(void **state)
{
    static char folder[] = "/tmp/tickglass-ledger-XXXXXX";
    *state = mkdtemp(folder);
    kept_folder_made(folder);
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
        cmocka_unit_test(without_drops_nothing_is_lost),
        cmocka_unit_test(what_is_lost_is_what_the_gateway_dropped),
        cmocka_unit_test(a_share_of_all_frames_is_accounted_for),
    };
    return cmocka_run_group_tests_name("integration.loss_ledger", tests, set_up, tear_down);
}
