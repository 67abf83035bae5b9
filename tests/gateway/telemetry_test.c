/* What the gateway tells about itself, from outside: the scraped text, the histogram logs and the
 * journal of ticks agree with what a client has seen.
 */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../integration/metrics_page.h"
#include "follower.h"
#include "scratch_folder.h"

#define INSTRUMENTS  60u
#define FRAMES       30u
#define RECORD_SIZE  32u
#define HEADER_SIZE  20u
#define TEXT_SIZE    65536
#define JOURNAL_SIZE (32u << 20)

typedef struct telemetry {
    scratch_folder folder;
    gateway_process gateway;
    follower f;
    metrics_page page;
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

static void check_scrape(telemetry *t)
{
    metrics_page_read(&t->page, &t->gateway);
    assert_true(metrics_page_value(&t->page, "connections") == 1);
    assert_true(metrics_page_value(&t->page, "upgrades_accepted_total") == 1);
    assert_true(metrics_page_value(&t->page, "upgrades_refused_total{status=\"401\"}") == 1);
    assert_true(metrics_page_value(&t->page, "instruments") == 2400);
    assert_true(metrics_page_value(&t->page, "frames_encoded_total") >= FRAMES);
    assert_true(metrics_page_value(&t->page, "stage_seconds_count{stage=\"socket_write\"}") >=
                FRAMES);
    assert_true(metrics_page_value(&t->page, "stage_seconds_count{stage=\"socket_write\"}") <=
                metrics_page_value(&t->page, "frames_queued_total"));
    assert_true(metrics_page_value(&t->page, "stage_seconds_count{stage=\"conflation\"}") ==
                metrics_page_value(&t->page, "stage_seconds_count{stage=\"encode\"}"));
    double admitted = 0;
    static const char *const venues[] = {"ORION", "LYRA", "CANIS", "VEGA", "AURIGA", "龍門"};
    for (unsigned i = 0; i < 6; i++) {
        char sample[64];
        (void)snprintf(sample, sizeof sample, "rows_admitted_total{venue=\"%s\"}", venues[i]);
        admitted += metrics_page_value(&t->page, sample);
    }
    assert_true(metrics_page_value(&t->page, "stage_seconds_count{stage=\"sequencing\"}") ==
                admitted);
    assert_true(metrics_page_value(
                    &t->page, "stage_seconds_count{stage=\"exchange_to_handler\"}") == admitted);
    assert_true(metrics_page_value(&t->page, "stage_seconds_sum{stage=\"conflation\"}") > 0);
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
