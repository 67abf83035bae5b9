/*
 * bench_render [--json]: what a pass costs, in processor time of this process from changed prices
 * to the hand-off, beside the two usual ways to draw text with SDL. One run: rounds in which each
 * way has its turn, so that a busy machine disturbs all of them alike. With --json only lines of
 * JSON go to standard output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "painters.h"
#include "x_server.h"

enum {
    rounds = 8,
    rounds_unmeasured = 1,
    passes_a_round = 24,
    samples_count = rounds * passes_a_round,
    screen_width = 3840,
    screen_height = 2160
};

typedef struct picture_size {
    const char *name;
    int width_px;
    int height_px;
    int font_size_px;
} picture_size;

/* The same page on a screen of four times the pixels. */
static const picture_size sizes[] = {{"1080p", 1920, 1080, 14}, {"4k", 3840, 2160, 28}};

typedef struct amount {
    const char *bench;
    size_t changed;
} amount;

static const amount amounts[] = {{"render.full", page_fields},
                                 {"render.dirty10", page_fields / 10}};

static const painter_kind *const kinds[] = {&painter_tickglass, &painter_ttf_strings,
                                            &painter_rendercopy};

enum {
    kind_count = sizeof kinds / sizeof kinds[0],
    amount_count = sizeof amounts / sizeof amounts[0]
};

typedef struct pass_times {
    double ms[samples_count];
    size_t count;
} pass_times;

static bool json;

/* Of all threads: SDL may have some of its own. */
static double cpu_ms(void)
{
    struct timespec spent;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (double)spent.tv_sec * 1e3 + (double)spent.tv_nsec * 1e-6;
}

static void measure_turn(const painter_kind *kind, painter *self, price_page *page,
                         const amount *of, pass_times *times)
{
    const bool full = of->changed == page_fields;
    if (!full) { /* what follows is measured with everything on the window */
        page_change(page, page_fields);
        kind->pass(self, page, true);
    }
    for (int i = 0; i < passes_a_round; i++) {
        page_change(page, of->changed);
        const double start_ms = cpu_ms();
        kind->pass(self, page, full);
        const double spent_ms = cpu_ms() - start_ms;
        if (times->count < samples_count) {
            times->ms[times->count++] = spent_ms;
        }
    }
}

static int ascending(const void *a, const void *b)
{
    const double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0 ? 1 : 0;
}

static double percentile(pass_times *times, double percent)
{
    qsort(times->ms, times->count, sizeof times->ms[0], ascending);
    return times->ms[(size_t)((double)(times->count - 1) * percent / 100)];
}

static void report(const amount *of, const picture_size *size, const char *impl, pass_times *times)
{
    const double p50 = percentile(times, 50);
    const double p99 = percentile(times, 99);
    if (json) {
        printf("{\"bench\":\"%s\",\"case\":\"%s\",\"impl\":\"%s\",\"p50_ms\":%.3f,\"p99_ms\":%.3f}"
               "\n",
               of->bench, size->name, impl, p50, p99);
    } else {
        printf("%-16s %-6s %-12s p50 %8.3f ms  p99 %8.3f ms\n", of->bench, size->name, impl, p50,
               p99);
    }
}

static void bench_size(const picture_size *size, bool blind)
{
    static price_page pages[kind_count];
    static pass_times times[amount_count][kind_count];
    painter *painters[kind_count];
    memset(times, 0, sizeof times);
    const painter_options options = {size->width_px, size->height_px, size->font_size_px, blind};
    for (size_t k = 0; k < kind_count; k++) {
        painters[k] = kinds[k]->open(&options);
        page_init(&pages[k], 7);
    }
    for (int round = 0; round < rounds_unmeasured + rounds; round++) {
        for (size_t a = 0; a < amount_count; a++) {
            for (size_t k = 0; k < kind_count; k++) {
                pass_times unmeasured = {.count = 0};
                measure_turn(kinds[k], painters[k], &pages[k], &amounts[a],
                             round < rounds_unmeasured ? &unmeasured : &times[a][k]);
            }
        }
    }
    for (size_t k = kind_count; k > 0; k--) {
        kinds[k - 1]->close(painters[k - 1]);
    }
    for (size_t a = 0; a < amount_count; a++) {
        for (size_t k = 0; k < kind_count; k++) {
            report(&amounts[a], size, kinds[k]->name, &times[a][k]);
        }
    }
}

int main(int argc, char *argv[])
{
    json = argc == 2 && strcmp(argv[1], "--json") == 0;
    if (argc > 2 || (argc == 2 && !json)) {
        (void)fprintf(stderr, "usage: bench_render [--json]\n");
        return 2;
    }
    x_server server = {0};
    const bool has_display = getenv("DISPLAY") != NULL;
    const bool blind = !has_display && !x_server_start(&server, screen_width, screen_height);
    if (blind) {
        (void)fprintf(stderr,
                      "bench_render: no DISPLAY and no Xvfb: SDL's dummy driver, which hands "
                      "nothing over\n");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bench_size(&sizes[i], blind);
    }
    x_server_stop(&server);
    return 0;
}
