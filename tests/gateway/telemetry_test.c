/* What the gateway tells about itself, from outside: the scraped text, the histogram logs and the
 * journal of ticks agree with what a client has seen.
 */
#include "tg_cmocka.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "follower.h"
#include "scratch_folder.h"

#define INSTRUMENTS  60u
#define FRAMES       30u
#define RECORD_SIZE  32u
#define HEADER_SIZE  20u
#define WAIT_MS      30000
#define TEXT_SIZE    65536
#define JOURNAL_SIZE (32u << 20)

typedef struct telemetry {
    scratch_folder folder;
    gateway_process gateway;
    follower f;
    char text[TEXT_SIZE];
} telemetry;

static void open_telemetry(telemetry *t)
{
    static tg__name names[INSTRUMENTS];
    char metrics[256];
    char ticks[256];
    scratch_folder_open(&t->folder);
    (void)snprintf(metrics, sizeof metrics, "%s", scratch_path(&t->folder, "metrics"));
    (void)snprintf(ticks, sizeof ticks, "%s", scratch_path(&t->folder, "ticks"));
    const char *const arguments[] = {"--metrics-dir", metrics,      "--metrics-listen",
                                     "127.0.0.1:0",   "--tick-log", ticks,
                                     "--feeds",       "2",          NULL};
    assert_true(gateway_process_start(&t->gateway, TG_GATEWAY_PROGRAM, arguments));
    follower_open(&t->f, &t->gateway);
    for (uint32_t i = 0; i < INSTRUMENTS; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = (tg_instrument_id)i;
    }
    follower_subscribe(&t->f, names, INSTRUMENTS);
    while (t->f.frames < FRAMES) {
        follower_step(&t->f);
    }
}

static void knock_with_a_wrong_token(const telemetry *t)
{
    wire_client *client = NULL;
    char answer[2048];
    const wire_upgrade upgrade = {.port = t->gateway.port,
                                  .ca = t->gateway.ca,
                                  .token = "wrong",
                                  .subprotocol = TG__SUBPROTOCOL};
    assert_int_equal(wire_client_open(&upgrade, &client, answer, sizeof answer), 401);
    wire_client_close(client);
}

/* The port that the gateway's log names. */
static uint16_t metrics_port(telemetry *t)
{
    static const char where[] = "metrics at http://127.0.0.1:";
    FILE *file = fopen(t->gateway.log, "r");
    assert_non_null(file);
    t->text[fread(t->text, 1, sizeof t->text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    const char *at = strstr(t->text, where);
    assert_non_null(at);
    return (uint16_t)strtoul(at + sizeof where - 1, NULL, 10);
}

static void scrape(telemetry *t)
{
    static const char request[] = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(metrics_port(t)),
                                        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(send(fd, request, sizeof request - 1, 0), sizeof request - 1);
    size_t size = 0;
    for (;;) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&wait, 1, WAIT_MS), 1);
        assert_true(size + 1 < sizeof t->text);
        const ssize_t got = recv(fd, t->text + size, sizeof t->text - size - 1, 0);
        assert_true(got >= 0);
        if (got == 0) {
            break;
        }
        size += (size_t)got;
    }
    t->text[size] = '\0';
    (void)close(fd);
    assert_memory_equal(t->text, "HTTP/1.1 200 OK\r\n", 17);
}

static double value_of(const telemetry *t, const char *sample)
{
    char line[256];
    (void)snprintf(line, sizeof line, "\ntickglass_gateway_%s ", sample);
    const char *at = strstr(t->text, line);
    if (at == NULL) {
        fail_msg("there is no %s", sample);
        return -1;
    }
    return strtod(at + strlen(line), NULL);
}

static void check_scrape(telemetry *t)
{
    scrape(t);
    assert_true(value_of(t, "connections") == 1);
    assert_true(value_of(t, "upgrades_accepted_total") == 1);
    assert_true(value_of(t, "upgrades_refused_total{status=\"401\"}") == 1);
    assert_true(value_of(t, "instruments") == 2400);
    assert_true(value_of(t, "frames_encoded_total") >= FRAMES);
    assert_true(value_of(t, "stage_seconds_count{stage=\"socket_write\"}") >= FRAMES);
    assert_true(value_of(t, "stage_seconds_count{stage=\"socket_write\"}") <=
                value_of(t, "frames_queued_total"));
    assert_true(value_of(t, "stage_seconds_count{stage=\"conflation\"}") ==
                value_of(t, "stage_seconds_count{stage=\"encode\"}"));
    double admitted = 0;
    static const char *const venues[] = {"ORION", "LYRA", "CANIS", "VEGA", "AURIGA", "龍門"};
    for (unsigned i = 0; i < 6; i++) {
        char sample[64];
        (void)snprintf(sample, sizeof sample, "rows_admitted_total{venue=\"%s\"}", venues[i]);
        admitted += value_of(t, sample);
    }
    assert_true(value_of(t, "stage_seconds_count{stage=\"sequencing\"}") == admitted);
    assert_true(value_of(t, "stage_seconds_count{stage=\"exchange_to_handler\"}") == admitted);
    assert_true(value_of(t, "stage_seconds_sum{stage=\"conflation\"}") > 0);
}

static uint64_t get_le(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        value |= (uint64_t)at[i] << (8 * i);
    }
    return value;
}

/* Every image that the client has is of a tick in the journal, with its exchange time. */
static void check_journal(const telemetry *t)
{
    uint8_t *journal = malloc(JOURNAL_SIZE);
    FILE *file = fopen(scratch_path(&t->folder, "ticks"), "rb");
    assert_non_null(journal);
    assert_non_null(file);
    const size_t size = fread(journal, 1, JOURNAL_SIZE, file);
    assert_int_equal(fclose(file), 0);
    assert_memory_equal(journal, "TGTICKS1", 8);
    assert_int_equal(get_le(journal + 8, 4), RECORD_SIZE);
    assert_int_equal((size - HEADER_SIZE) % RECORD_SIZE, 0);
    unsigned found = 0;
    unsigned shown = 0;
    for (uint32_t slot = 0; slot < t->f.channel.count; slot++) {
        const tg_image *image = &t->f.images[slot];
        shown += image->seq > 0;
        for (size_t at = HEADER_SIZE; at < size; at += RECORD_SIZE) {
            const uint8_t *record = journal + at;
            if (get_le(record, 2) != t->f.ids[slot] || get_le(record + 4, 4) != image->epoch ||
                get_le(record + 8, 8) != image->seq) {
                continue;
            }
            const int64_t ts_ns = (int64_t)get_le(record + 16, 8);
            assert_int_equal(image->value[TG_FIELD_TS_EXCHANGE],
                             ts_ns - ts_ns % FOLLOWER_RESOLUTION_NS);
            assert_true((int64_t)get_le(record + 24, 8) >= ts_ns);
            found++;
        }
    }
    assert_true(shown > INSTRUMENTS / 2);
    assert_int_equal(found, shown); /* each version once */
    free(journal);
}

static void check_histogram_logs(telemetry *t)
{
    static const char *const tags[] = {"exchange_to_handler", "sequencing", "conflation", "encode",
                                       "socket_write"};
    char command[1024];
    (void)snprintf(command, sizeof command, "'%s' hist '%s'/stages-*.hlog", TG_LOG_PROGRAM,
                   scratch_path(&t->folder, "metrics"));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    t->text[fread(t->text, 1, sizeof t->text - 1, pipe)] = '\0';
    assert_int_equal(pclose(pipe), 0);
    for (unsigned i = 0; i < 5; i++) {
        const char *at = strstr(t->text, tags[i]);
        assert_non_null(at);
        at = strstr(at, "count ");
        assert_non_null(at);
        assert_true(strtoul(at + 6, NULL, 10) >= FRAMES);
    }
}

static void what_it_tells_is_what_a_client_has_seen(void **state)
{
    (void)state;
    static telemetry t;
    open_telemetry(&t);
    knock_with_a_wrong_token(&t);
    check_scrape(&t);
    follower_close(&t.f);
    assert_int_equal(gateway_process_stop(&t.gateway), 0);
    check_journal(&t);
    check_histogram_logs(&t);
    scratch_folder_close(&t.folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_it_tells_is_what_a_client_has_seen)};
    return cmocka_run_group_tests_name("gateway.telemetry", tests, NULL, NULL);
}
