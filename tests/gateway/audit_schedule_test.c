/*
 * The program's own loop on a clock of ours, which goes on by what the loop waits for: the index of
 * subscriptions is compared every 30 s, and what is wrong in it is found by that and counted.
 */
#include "tg_cmocka.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/clock.h>

#include "hub_audit.h"
#include "scratch_folder.h"
#include "websocket_server.h"

#define main gateway_main
int gateway_main(int argc, char **argv);
#include "main.c" /* its loop is in no library */
#undef main

#define MS         INT64_C(1000000)
#define SECOND     (1000 * MS)
#define BEGIN_NS   (1000 * SECOND)
#define RUN_NS     (100 * SECOND)
#define AUDITS     3 /* of the loop in that time; one more is the last word */
#define AUDITS_MAX 16
#define STRAY_ID   5

static int64_t now_ns;

static int64_t read_mono(void *ctx)
{
    (void)ctx;
    return now_ns;
}

static int64_t read_utc(void *ctx)
{
    (void)ctx;
    return INT64_C(1800000000) * SECOND + now_ns;
}

tg_clock __wrap_tg_clock_system(void);
tg_clock __wrap_tg_clock_system(void)
{
    return (tg_clock){.mono_ns = read_mono, .utc_ns = read_utc};
}

void __real_tg__websocket_server_step(tg__websocket_server *server, int64_t wait_ns);
void __wrap_tg__websocket_server_step(tg__websocket_server *server, int64_t wait_ns);
void __wrap_tg__websocket_server_step(tg__websocket_server *server, int64_t wait_ns)
{
    __real_tg__websocket_server_step(server, 0);
    now_ns += wait_ns > 0 && wait_ns < SECOND ? wait_ns : MS;
    if (now_ns >= BEGIN_NS + RUN_NS) {
        (void)raise(SIGINT);
    }
}

/* ---- audits -----------------------------------------------------------------------------------
 */

static struct {
    int64_t at_ns[AUDITS_MAX];
    uint32_t differing[AUDITS_MAX];
    unsigned count;
    unsigned
        wrong; /* number of the audit before which somebody follows who is not there; 0: none */
} audits;

tg__hub_audit __real_tg__hub_audit_run(tg__hub *hub);
tg__hub_audit __wrap_tg__hub_audit_run(tg__hub *hub);
tg__hub_audit __wrap_tg__hub_audit_run(tg__hub *hub)
{
    tg__priority_slot stray = {.id = STRAY_ID};
    const bool plants = audits.count + 1 == audits.wrong;
    assert_true(audits.count < AUDITS_MAX);
    if (plants) {
        tg__priority_link(hub->priority_heads, &stray, 1);
    }
    const tg__hub_audit found = __real_tg__hub_audit_run(hub);
    if (plants) {
        tg__priority_unlink(hub->priority_heads, &stray, 1);
    }
    audits.at_ns[audits.count] = now_ns;
    audits.differing[audits.count] = found.differing;
    audits.count++;
    return found;
}

/* The whole program, from its command line to its last word, which log holds. */
static void run_gateway(unsigned wrong, char *log, size_t size)
{
    scratch_folder folder;
    scratch_folder_open(&folder);
    char state_dir[256];
    (void)snprintf(state_dir, sizeof state_dir, "%s", scratch_path(&folder, "state"));
    char *argv[] = {"tickglass-gateway", "--listen",   "127.0.0.1:0", "--state-dir",
                    state_dir,           "--sim-rate", "100",         NULL};
    memset(&audits, 0, sizeof audits);
    audits.wrong = wrong;
    now_ns = BEGIN_NS;
    drain_asked = sigterm_came = leave_asked = 0;
    const int before = dup(STDERR_FILENO);
    const int file = open(scratch_path(&folder, "log"), O_WRONLY | O_CREAT, 0600);
    assert_true(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    const int status = gateway_main(7, argv);
    (void)fflush(stderr);
    (void)dup2(before, STDERR_FILENO);
    (void)close(before);
    (void)close(file);
    scratch_read(&folder, "log", log, size);
    scratch_folder_close(&folder);
    if (status != 0) {
        fail_msg("it ended with %d: %s", status, log);
    }
}

static void expect_said(const char *log, const char *part)
{
    if (strstr(log, part) == NULL) {
        fail_msg("it did not say \"%s\": %s", part, log);
    }
}

static void the_loop_audits_every_30_seconds(void **state)
{
    (void)state;
    static char log[16384];
    run_gateway(0, log, sizeof log);
    assert_int_equal(audits.count, AUDITS + 1);
    for (unsigned i = 0; i < AUDITS; i++) {
        const int64_t due_ns = BEGIN_NS + (i + 1) * TG__HUB_AUDIT_INTERVAL_NS;
        assert_in_range(audits.at_ns[i] - due_ns, 0, SECOND);
        assert_int_equal(audits.differing[i], 0);
    }
    expect_said(log, "index of subscriptions: 4 audits, 0 differences");
}

static void an_entry_that_nobody_has_is_found_and_counted(void **state)
{
    (void)state;
    static char log[16384];
    run_gateway(2, log, sizeof log);
    assert_int_equal(audits.count, AUDITS + 1);
    for (unsigned i = 0; i < audits.count; i++) {
        assert_int_equal(audits.differing[i], i == 1 ? 1 : 0);
    }
    expect_said(log, "the index of subscriptions is wrong in 1 places: it has 1, the connections "
                     "have 0");
    expect_said(log, "index of subscriptions: 4 audits, 1 differences");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loop_audits_every_30_seconds),
        cmocka_unit_test(an_entry_that_nobody_has_is_found_and_counted),
    };
    return cmocka_run_group_tests_name("gateway.audit_schedule", tests, NULL, NULL);
}
