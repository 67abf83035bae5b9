/*
 * The terminal over a day of the simulated market, at 288 times its pace: memory is flat.
 *
 * The program's own run, without a display, in this process. The linker leads some things through
 * here: every malloc() of our objects and libwebsockets, so that those of the owner's thread can be
 * counted; each turn of the loop, when memory is looked at, and each pass; and what is kept for a
 * time of its own, the hour of histograms and the points of the charts, to which the market's pace
 * is told. So both are full, and give up their oldest, before memory is judged.
 *
 * TG_TEST_MARKET_HOURS says how much of a day; 2 unless given, of which the first is the warm-up.
 * Once an hour of the market all connections are cut.
 */
#include "terminal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/clock.h>
#include <tickglass/window.h>

#include "../integration/gateway_process.h"
#include "feed.h"
#include "latency.h"
#include "report_file.h"
#include "text_file.h"

#define PACE           288
#define PACE_TEXT      "288"
#define FRAME_MS       40 /* between two frames of the gateway: a chart cannot have more points */
#define NS_PER_S       INT64_C(1000000000)
#define NS_PER_HOUR    (3600 * NS_PER_S)
#define WARM_UP_NS     (NS_PER_HOUR + NS_PER_HOUR / 20)
#define HOURS_MAX      48
#define GROWTH_MAX_KIB 1024
#define FIRST_PASSES   30
#define REPORT         "market_day_test.json"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
tg_err __real_tg_window_present(tg_window *window);
tg_err __wrap_tg_window_present(tg_window *window);
bool __real_latency_poll(latency *self, const tg_client *client, session_record *record,
                         const tg_clock *clock);
bool __wrap_latency_poll(latency *self, const tg_client *client, session_record *record,
                         const tg_clock *clock);
void __real_latency_end_window(latency *self, const tg_client *client, session_record *record,
                               const tg_clock *clock);
void __wrap_latency_end_window(latency *self, const tg_client *client, session_record *record,
                               const tg_clock *clock);
tg_err __real_tg_client_open(const tg_client_options *options, tg_client **out);
tg_err __wrap_tg_client_open(const tg_client_options *options, tg_client **out);

static _Thread_local bool is_owner;
static _Thread_local uint64_t allocations;

static struct day {
    int64_t hours;
    int64_t first_mono_ns; /* when it began */
    uint64_t passes;
    uint64_t passes_before; /* up to the end of the warm-up */
    uint64_t steady_passes;
    uint64_t looked_at;
    uint64_t allocations_before;
    uint64_t steady_allocations;
    long warm_kib; /* the most of the warm-up */
    long most_kib; /* the most after it */
    int64_t hour;
    long hour_kib[HOURS_MAX + 2];
    bool over;
} day;

static void count(void)
{
    allocations += is_owner ? 1 : 0;
}

void *__wrap_malloc(size_t size)
{
    count();
    return __real_malloc(size);
}

void *__wrap_calloc(size_t members, size_t size)
{
    count();
    return __real_calloc(members, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    count();
    return __real_realloc(block, size);
}

/* --- the market's pace for what is kept for a time --- */

static int64_t paced_mono_ns(void *ctx)
{
    const int64_t first_ns = *(const int64_t *)ctx;
    const tg_clock clock = tg_clock_system();
    return first_ns + (tg_clock_mono_ns(&clock) - first_ns) * PACE;
}

/* The first look at it is its zero: then it agrees with the one that the windows were opened by. */
static tg_clock paced_clock(const tg_clock *clock)
{
    static int64_t first_ns;
    first_ns = first_ns == 0 ? tg_clock_mono_ns(clock) : first_ns;
    tg_clock paced = *clock;
    paced.mono_ns = paced_mono_ns;
    paced.ctx = &first_ns;
    return paced;
}

void __wrap_latency_end_window(latency *self, const tg_client *client, session_record *record,
                               const tg_clock *clock)
{
    const tg_clock paced = paced_clock(clock);
    __real_latency_end_window(self, client, record, &paced);
}

/* As much of the market's time as always, in as many points as can come in it. */
tg_err __wrap_tg_client_open(const tg_client_options *options, tg_client **out)
{
    tg_client_options paced = *options;
    const uint32_t span_ms = options->history_step_ms * options->history_points / PACE;
    paced.history_step_ms = FRAME_MS;
    paced.history_points = span_ms / FRAME_MS;
    return __real_tg_client_open(&paced, out);
}

/* --- turns of the loop --- */

/* Without an allocation. */
static long resident_kib(void)
{
    char text[64] = "";
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(read(fd, text, sizeof text - 1) > 0);
    assert_int_equal(close(fd), 0);
    const char *resident = strchr(text, ' ');
    assert_non_null(resident);
    return strtol(resident, NULL, 10) * (sysconf(_SC_PAGESIZE) / 1024);
}

static void look_at_memory(int64_t market_ns)
{
    const long kib = resident_kib();
    day.hour = market_ns / NS_PER_HOUR;
    if (day.hour_kib[day.hour] < kib) {
        day.hour_kib[day.hour] = kib;
    }
    if (market_ns < WARM_UP_NS) {
        day.warm_kib = kib > day.warm_kib ? kib : day.warm_kib;
    } else {
        day.most_kib = kib > day.most_kib ? kib : day.most_kib;
    }
}

/* As somebody ends it from outside; once, for a second time would be a hurry. */
static void end_it(void)
{
    if (!day.over) {
        day.over = true;
        assert_int_equal(kill(getpid(), SIGTERM), 0);
    }
}

/* All that the owner's thread allocated since the warm-up, whatever it did in between. */
static void look(int64_t now_mono_ns)
{
    if (day.passes < FIRST_PASSES) {
        return; /* a busy machine takes its time until there is a market */
    }
    day.first_mono_ns = day.first_mono_ns == 0 ? now_mono_ns : day.first_mono_ns;
    const int64_t market_ns = (now_mono_ns - day.first_mono_ns) * PACE;
    if (market_ns < WARM_UP_NS) {
        day.allocations_before = allocations;
        day.passes_before = day.passes;
    } else if (market_ns < day.hours * NS_PER_HOUR) {
        day.steady_passes = day.passes - day.passes_before;
        day.steady_allocations = allocations - day.allocations_before;
    } else {
        end_it();
        return;
    }
    if (day.passes >= day.looked_at + 16) {
        day.looked_at = day.passes;
        look_at_memory(market_ns);
    }
}

/* Once in each turn. */
bool __wrap_latency_poll(latency *self, const tg_client *client, session_record *record,
                         const tg_clock *clock)
{
    const tg_clock paced = paced_clock(clock);
    look(tg_clock_mono_ns(clock));
    return __real_latency_poll(self, client, record, &paced);
}

tg_err __wrap_tg_window_present(tg_window *window)
{
    day.passes++;
    return __real_tg_window_present(window);
}

/* --- the day --- */

static int64_t hours_asked_for(void)
{
    const char *asked = getenv("TG_TEST_MARKET_HOURS");
    const int64_t hours = asked != NULL ? strtoll(asked, NULL, 10) : 2;
    assert_in_range(hours, 2, HOURS_MAX);
    return hours;
}

/* Every hour of the market; its time is the gateway's own, which no pace moves. */
static text_file write_faults(void)
{
    char text[HOURS_MAX * 40];
    size_t size = 0;
    for (int hour = 1; hour <= HOURS_MAX; hour++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "%d reset-all\n",
                                 (hour * 2 - 1) * 3600000 / 2 / PACE);
    }
    return text_file_write(text, size);
}

/* All panels, the opened instrument's and the latencies among them. */
static text_file write_script(void)
{
    static const char text[] = "wait rows 100\n"
                               "key Enter\n"
                               "key F7\n"
                               "key F8\n"
                               "key F10\n"
                               "key End\n";
    return text_file_write(text, sizeof text - 1);
}

static terminal_exit run(const gateway_process *gateway, const char *script)
{
    char token_file[128];
    (void)snprintf(token_file, sizeof token_file, "%s/state/token", gateway->folder);
    const terminal_options options = {
        .url = gateway->url,
        .ca_file = gateway->ca,
        .token_file = token_file,
        .size = "1920x1080",
        .script = script,
        .report = REPORT,
        .headless = true,
        .seconds = 100000000,
    };
    static complaints wrong;
    settings *from = NULL;
    state_keeper keeper;
    is_owner = true;
    assert_int_equal(settings_open(&options, &from, &wrong), TG_OK);
    assert_int_equal(state_keeper_open(&keeper, &options, from, STATE_KEEPER_RUN), TG_OK);
    const terminal_exit code = terminal_run(&options, from, &keeper);
    settings_close(from);
    return code;
}

static void print_day(void)
{
    print_message("%" PRId64 " hours of market in %" PRIu64 " passes; %" PRIu64 " frames, %" PRIu64
                  " ticks, %" PRIu64 " reconnects\n",
                  day.hours, day.passes, report_count(REPORT, "frames"),
                  report_count(REPORT, "ticks_admitted"), report_count(REPORT, "reconnects"));
    for (int64_t hour = 0; hour <= day.hour; hour++) {
        print_message("hour %2" PRId64 ": at most %ld KiB\n", hour + 1, day.hour_kib[hour]);
    }
    print_message("warm-up at most %ld KiB, then %ld; %" PRIu64 " allocations in %" PRIu64
                  " steady passes\n",
                  day.warm_kib, day.most_kib, day.steady_allocations, day.steady_passes);
}

static void memory_is_flat_over_a_day_of_the_market(void **state)
{
    (void)state;
    static const char *const windows[] = {"--sim",      "--speed", PACE_TEXT,
                                          "--sim-rate", "100",     "--faults"};
    day.hours = hours_asked_for();
    const text_file faults = write_faults();
    const text_file script = write_script();
    const char *play[8] = {NULL};
    memcpy(play, windows, sizeof windows);
    play[6] = faults.path;
    gateway_process gateway;
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, play));
    assert_int_equal(run(&gateway, script.path), TERMINAL_FINE);
    (void)gateway_process_stop(&gateway);
    text_file_remove(&faults);
    text_file_remove(&script);
    print_day();
    /* It was a day, and the counter counts. */
    assert_true(day.steady_passes > 30);
    assert_true(day.allocations_before > 0);
    assert_true(report_count(REPORT, "reconnects") + 1 >= (uint64_t)day.hours);
    assert_int_equal(report_count(REPORT, "drawn_regressions"), 0);
    assert_int_equal(day.steady_allocations, 0);
    assert_true(day.most_kib <= day.warm_kib + GROWTH_MAX_KIB);
    assert_int_equal(unlink(REPORT), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_flat_over_a_day_of_the_market),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
