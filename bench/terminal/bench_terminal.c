/*
 * bench_terminal [--json]: the terminal itself on an X server of its own, against a gateway of its
 * own: how late it hands over what it receives, how fast it answers a key, and what it costs. With
 * --json only lines of JSON go to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <samples.h>
#include <x_server.h>

#include "glass_probe.h"
#include "terminal_child.h"

enum {
    /* Sixty rows of the watchlist, five values each, with what stands above and below them. */
    width_px = 1280,
    height_px = 64 * 19,
    screen_width = 1400,
    screen_height = 1300,
    settle_s = 5,
    busy_s = 30,
    idle_s = 30,
    keys = 500,
    keys_unmeasured = 10
};

static const terminal_setup usual = {width_px, height_px, false};
static const terminal_setup recording = {width_px, height_px, true};

static bool json;

static void sleep_ms(long ms)
{
    const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    (void)nanosleep(&pause, NULL);
}

static void report_times(const char *bench, const char *name, double p50, double p99, double p999)
{
    if (json) {
        printf("{\"bench\":\"%s\",%s%s%s\"p50_ms\":%.3f,\"p99_ms\":%.3f", bench,
               name[0] != '\0' ? "\"case\":\"" : "", name, name[0] != '\0' ? "\"," : "", p50, p99);
        printf(p999 >= 0 ? ",\"p999_ms\":%.3f}\n" : "}\n", p999);
    } else {
        printf("%-24s %-8s p50 %8.3f ms  p99 %8.3f ms", bench, name, p50, p99);
        printf(p999 >= 0 ? "  p99.9 %8.3f ms\n" : "\n", p999);
    }
}

static void report_cpu(const char *name, double percent)
{
    printf(json ? "{\"bench\":\"terminal.cpu\",\"case\":\"%s\",\"percent\":%.2f}\n"
                : "terminal.cpu             %-13s %8.2f %% of a core\n",
           name, percent);
}

static void report_record(double bytes_per_s)
{
    printf(json ? "{\"bench\":\"terminal.record\",\"case\":\"busy60\",\"bytes_per_s\":%.0f}\n"
                : "terminal.record          busy60   %8.0f bytes a second\n",
           bytes_per_s);
}

static double cpu_percent(const terminal_child *child, int seconds)
{
    const double start_s = terminal_child_cpu_s(child);
    const int64_t start_ns = now_ns();
    sleep_ms(seconds * 1000L);
    const double spent_s = terminal_child_cpu_s(child) - start_s;
    return 100 * spent_s / ((double)(now_ns() - start_ns) * 1e-9);
}

/* 120,000 ticks a second, sixty rows to be seen. */
static bool bench_busy(const terminal_setup *setup)
{
    const char *const market[] = {"--sim-rate", "120000", NULL};
    gateway_process gateway;
    terminal_child child = {0};
    handoff_times times = {0};
    bool good = gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, market) &&
                terminal_child_start(&child, &gateway, setup);
    if (good) {
        sleep_ms(settle_s * 1000L);
        const double recorded = terminal_child_recorded(&child);
        const double percent = cpu_percent(&child, busy_s);
        const double more = terminal_child_recorded(&child) - recorded;
        good = terminal_child_finish(&child, &times);
        if (good && setup->records) {
            report_cpu("busy60_record", percent);
            report_record(more / busy_s);
        } else if (good) {
            report_times("terminal.handoff", "120k", times.p50_ms, times.p99_ms, times.p999_ms);
            report_cpu("busy60", percent);
        }
    }
    terminal_child_stop(&child);
    (void)gateway_process_stop(&gateway);
    return good;
}

static int ascending(const void *a, const void *b)
{
    const double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}

static bool press_keys(glass_probe *probe)
{
    static double ms[keys];
    for (int i = -keys_unmeasured; i < keys; i++) {
        const double one_ms = glass_probe_key_ms(probe);
        if (one_ms < 0) {
            (void)fprintf(stderr, "bench_terminal: a key changed nothing on the screen\n");
            return false;
        }
        if (i >= 0) {
            ms[i] = one_ms;
        }
        /* No multiple of a pass, of a frame or of what fades. */
        sleep_ms(23 + (i + keys_unmeasured) * 7 % 41);
    }
    qsort(ms, keys, sizeof ms[0], ascending);
    report_times("terminal.key_to_pixel", "", ms[keys / 2], ms[keys * 99 / 100], -1);
    return true;
}

/* The usual simulated market. */
static bool bench_keys(const x_server *server)
{
    gateway_process gateway;
    terminal_child child = {0};
    bool good = gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, NULL) &&
                terminal_child_start(&child, &gateway, &usual);
    glass_probe *probe = good ? glass_probe_open(server, width_px, height_px) : NULL;
    good = probe != NULL;
    if (good) {
        sleep_ms(settle_s * 1000L);
        good = press_keys(probe);
    }
    glass_probe_close(probe);
    terminal_child_stop(&child);
    (void)gateway_process_stop(&gateway);
    return good;
}

static bool write_quiet_tape(char *path, size_t size)
{
    static const char tape[] =
        "ts_ns,venue,symbol,kind,price_decimal_text,qty_decimal_text,exchange_seq\n"
        "1700000000000000000,TEST,QUIET,bid,100.00,1,1\n"
        "1700000000000000000,TEST,QUIET,ask,100.01,1,1\n";
    const char *const base = getenv("TMPDIR");
    (void)snprintf(path, size, "%s/tickglass-tape-XXXXXX",
                   base != NULL && strlen(base) < 32 ? base : "/tmp");
    const int file = mkstemp(path);
    const bool good = file >= 0 && write(file, tape, sizeof tape - 1) == (ssize_t)sizeof tape - 1;
    return file >= 0 && close(file) == 0 && good;
}

/* Nothing comes and nobody can see it. */
static bool bench_idle(const x_server *server)
{
    char tape[96];
    if (!write_quiet_tape(tape, sizeof tape)) {
        perror("tape");
        return false;
    }
    const char *const market[] = {"--tape", tape, "--hold-until-subscribed", NULL};
    gateway_process gateway;
    terminal_child child = {0};
    bool good = gateway_process_start(&gateway, TG_GATEWAY_PROGRAM, market) &&
                terminal_child_start(&child, &gateway, &usual);
    glass_probe *probe = good ? glass_probe_open(server, width_px, height_px) : NULL;
    good = probe != NULL;
    if (good) {
        sleep_ms(settle_s * 1000L);
        glass_probe_hide(probe);
        sleep_ms(1000);
        report_cpu("idle", cpu_percent(&child, idle_s));
    }
    glass_probe_close(probe);
    terminal_child_stop(&child);
    (void)gateway_process_stop(&gateway);
    (void)unlink(tape);
    return good;
}

int main(int argc, char *argv[])
{
    json = argc == 2 && strcmp(argv[1], "--json") == 0;
    if (argc > 2 || (argc == 2 && !json)) {
        (void)fprintf(stderr, "usage: bench_terminal [--json]\n");
        return 2;
    }
    x_server server;
    bool good = x_server_start(&server, screen_width, screen_height);
    if (!good) {
        (void)fprintf(stderr, "bench_terminal: Xvfb is needed and is not there\n");
    }
    good = good && bench_busy(&usual) && bench_busy(&recording);
    if (glass_probe_has_keys) {
        good = good && bench_keys(&server);
    } else {
        (void)fprintf(stderr, "bench_terminal: built without libXtst: no terminal.key_to_pixel\n");
    }
    good = good && bench_idle(&server);
    x_server_stop(&server);
    return good ? 0 : 1;
}
