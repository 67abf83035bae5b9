/* A script of faults, seen from outside: each happens, and the log says when. */
#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "follower.h"
#include "scratch_folder.h"

#define HOUR_NS         INT64_C(3600000000000)
#define LOG_SIZE        65536
#define CERTIFICATE_MAX 4096

typedef struct bad_day {
    scratch_folder folder;
    gateway_process gateway;
    follower f;
} bad_day;

/* Follows some instruments of a market that begins with the subscription. */
static void open_day(bad_day *d, const char *script)
{
    static tg__name names[8];
    scratch_folder_open(&d->folder);
    scratch_write(&d->folder, "faults", script, strlen(script));
    char path[256];
    (void)snprintf(path, sizeof path, "%s", scratch_path(&d->folder, "faults"));
    const char *const arguments[] = {"--hold-until-subscribed", "--faults", path, NULL};
    assert_true(gateway_process_start(&d->gateway, TG_GATEWAY_PROGRAM, arguments));
    follower_open(&d->f, &d->gateway);
    for (uint32_t i = 0; i < 8; i++) {
        memset(&names[i], 0, sizeof names[i]);
        names[i].id = (tg_instrument_id)i;
    }
    follower_subscribe(&d->f, names, 8);
}

static bool log_says(const bad_day *d, const char *text, char log[LOG_SIZE])
{
    FILE *file = fopen(d->gateway.log, "r");
    assert_non_null(file);
    log[fread(log, 1, LOG_SIZE - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return strstr(log, text) != NULL;
}

static void check_log(const bad_day *d, const char *text)
{
    static char log[LOG_SIZE];
    if (!log_says(d, text, log)) {
        fail_msg("the log does not say \"%s\":\n%s", text, log);
    }
}

static void close_day(bad_day *d)
{
    follower_close(&d->f);
    assert_int_equal(gateway_process_stop(&d->gateway), 0);
    scratch_folder_close(&d->folder);
}

/* What ends the connection: the opcode of the close, or 0 if it broke. */
static unsigned await_end(bad_day *d, unsigned *code)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    unsigned opcode = WIRE_BINARY;
    while (opcode != WIRE_CLOSE && opcode != 0) {
        opcode = wire_client_receive(d->f.client, &bytes, &size);
    }
    *code = opcode == WIRE_CLOSE && size >= 2 ? (unsigned)bytes[0] << 8 | bytes[1] : 0;
    return opcode;
}

static void close_all_closes_with_its_code(void **state)
{
    (void)state;
    static bad_day d;
    unsigned code = 0;
    open_day(&d, "300 close-all 4003\n");
    assert_int_equal(await_end(&d, &code), WIRE_CLOSE);
    assert_int_equal(code, 4003);
    check_log(&d, " ms: close-all 4003 (line 1, due at 300 ms)");
    close_day(&d);
}

static void reset_all_breaks_without_a_close(void **state)
{
    (void)state;
    static bad_day d;
    unsigned code = 0;
    open_day(&d, "300 reset-all\n");
    assert_int_equal(await_end(&d, &code), 0);
    check_log(&d, " ms: reset-all (line 1, due at 300 ms)");
    /* It is torn down, and the next one is served. */
    follower_close(&d.f);
    follower_open(&d.f, &d.gateway);
    check_log(&d, ": fault; ");
    close_day(&d);
}

/* Reads on to a frame whose time differs from the one before by about an hour; the difference. */
static int64_t await_step(bad_day *d)
{
    int64_t step_ns = 0;
    while (step_ns > -HOUR_NS / 2 && step_ns < HOUR_NS / 2) {
        const int64_t last_ns = d->f.channel.ts_gateway_ns;
        follower_step(&d->f);
        step_ns = last_ns == 0 ? 0 : d->f.channel.ts_gateway_ns - last_ns;
    }
    return step_ns;
}

static void a_step_of_the_clock_is_in_the_frames_and_not_in_the_market(void **state)
{
    (void)state;
    static bad_day d;
    open_day(&d, "300 clock-step 3600000\n900 clock-step -3600000\n");
    assert_true(await_step(&d) > HOUR_NS - HOUR_NS / 60);
    for (uint32_t slot = 0; slot < d.f.channel.count; slot++) {
        assert_true(d.f.images[slot].value[TG_FIELD_TS_EXCHANGE] <
                    d.f.channel.ts_gateway_ns - HOUR_NS / 2);
    }
    assert_true(await_step(&d) < -HOUR_NS + HOUR_NS / 60);
    for (unsigned i = 0; i < 20; i++) {
        follower_step(&d.f); /* every frame goes on to fit */
    }
    assert_int_equal(d.f.gaps, 0);
    check_log(&d, " ms: clock-step 3600000 (line 1, due at 300 ms)");
    check_log(&d, " ms: clock-step -3600000 (line 2, due at 900 ms)");
    close_day(&d);
}

typedef struct shown_certificate {
    uint8_t der[CERTIFICATE_MAX];
    size_t size;
} shown_certificate;

static void keep_certificate(const follower *f, shown_certificate *kept)
{
    const uint8_t *der = NULL;
    wire_client_certificate(f->client, &der, &kept->size);
    assert_in_range(kept->size, 1, sizeof kept->der);
    memcpy(kept->der, der, kept->size);
}

/* A handshake of its own, which verifies against the same authority as the first. */
static void shake_hands(const bad_day *d, shown_certificate *kept)
{
    static follower other;
    follower_open(&other, &d->gateway);
    keep_certificate(&other, kept);
    follower_close(&other);
}

static bool is_same(const shown_certificate *a, const shown_certificate *b)
{
    return a->size == b->size && memcmp(a->der, b->der, a->size) == 0;
}

static void change_certificate_is_for_new_handshakes_alone(void **state)
{
    (void)state;
    static bad_day d;
    static char log[LOG_SIZE];
    static shown_certificate before;
    static shown_certificate first_after;
    static shown_certificate second_after;
    open_day(&d, "300 change-certificate\n");
    keep_certificate(&d.f, &before);
    while (!log_says(&d, " ms: change-certificate (line 1, due at 300 ms)", log)) {
        follower_step(&d.f);
    }
    shake_hands(&d, &first_after);
    shake_hands(&d, &second_after);
    assert_false(is_same(&before, &first_after));
    assert_true(is_same(&first_after, &second_after)); /* one change, not one a handshake */
    for (unsigned i = 0; i < 20; i++) {
        follower_step(&d.f); /* who was there before goes on */
    }
    assert_int_equal(d.f.gaps, 0);
    close_day(&d);
}

/* Runs the gateway with the script; its exit code and what it said. */
static int run_with(const char *script, char *said, size_t said_size)
{
    scratch_folder folder;
    char command[1024];
    scratch_folder_open(&folder);
    scratch_write(&folder, "faults", script, strlen(script));
    (void)snprintf(command, sizeof command, "'%s' --state-dir '%s' --faults '%s' 2>&1",
                   TG_GATEWAY_PROGRAM, scratch_path(&folder, "state"),
                   scratch_path(&folder, "faults"));
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    said[fread(said, 1, said_size - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    scratch_folder_close(&folder);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_script_with_bad_lines_is_never_served(void **state)
{
    (void)state;
    static char said[16384];
    assert_int_equal(
        run_with("10 reset-all\n20 no-such-thing\n30 close-all 1\n", said, sizeof said), 1);
    assert_non_null(strstr(said, "/faults:2: no-such-thing: there is no such action"));
    assert_non_null(strstr(said, "/faults:3: close-all: 1: expected a close code"));
    assert_non_null(strstr(said, "/faults: 2 bad lines"));
    assert_null(strstr(said, "serving"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_all_closes_with_its_code),
        cmocka_unit_test(reset_all_breaks_without_a_close),
        cmocka_unit_test(a_step_of_the_clock_is_in_the_frames_and_not_in_the_market),
        cmocka_unit_test(change_certificate_is_for_new_handshakes_alone),
        cmocka_unit_test(a_script_with_bad_lines_is_never_served),
    };
    return cmocka_run_group_tests_name("gateway.fault_program", tests, NULL, NULL);
}
