/* Drawing allocates nothing: the linker sends every malloc() of our objects through here. */
#include "desk.h"

#include "market_scene.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

static unsigned allocations;

void *__wrap_malloc(size_t size)
{
    allocations++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size)
{
    allocations++;
    return __real_realloc(block, size);
}

static event_log events;

typedef struct own_latency {
    stage_windows *windows;
    process_stalls *stalls;
    latency_span *span;
} own_latency;

static own_latency open_latency(void)
{
    own_latency own = {0};
    assert_int_equal(stage_windows_open(STAGE_WINDOWS_BYTES, 0, &own.windows), TG_OK);
    assert_int_equal(process_stalls_open(&own.stalls), TG_OK);
    assert_int_equal(latency_span_open(&own.span), TG_OK);
    return own;
}

static void close_latency(const own_latency *own)
{
    latency_span_close(own->span);
    process_stalls_close(own->stalls);
    stage_windows_close(own->windows);
}

/* A window of ten seconds that is over, and added up. */
static latency_view look_at_latency(const own_latency *own, int64_t now_mono_ns)
{
    const process_sample sample = process_stalls_look(own->stalls);
    process_stalls_take(own->stalls, &sample, now_mono_ns);
    process_stalls_pass(own->stalls, now_mono_ns - 20 * MS, now_mono_ns);
    stage_windows_record(own->windows, LATENCY_RECEIVED_TO_HANDED, now_mono_ns % (7 * MS));
    const stall_tally tally = process_stalls_end_tally(own->stalls);
    stage_windows_end(own->windows, now_mono_ns, SCENE_UTC + now_mono_ns, &tally);
    while (latency_span_step(own->span, own->windows, 10)) {
    }
    const latency_view view = {
        .windows = own->windows,
        .stalls = own->stalls,
        .sum = latency_span_sum(own->span),
        .choice = latency_span_choice(own->span, own->windows),
        .current = latency_span_is_current(own->span, own->windows),
        .now_mono_ns = now_mono_ns,
    };
    return view;
}

static void a_pass_over_all_panels_allocates_nothing(void **state)
{
    (void)state;
    market_scene scene;
    desk *table = NULL;
    tg_grid *grid = NULL;
    const tg_palette *palette = NULL;
    allocations = 0;
    assert_int_equal(desk_open(&table), TG_OK);
    assert_int_equal(tg_grid_open(160, 90, &grid), TG_OK);
    assert_int_equal(tg_palette_find(NULL, &palette), TG_OK);
    scene_begin(&scene);
    assert_true(allocations > 0); /* the counter works */
    (void)desk_toggle(table, PANEL_CONNECTION);
    (void)desk_toggle(table, PANEL_LOG);
    (void)desk_toggle(table, PANEL_LATENCY);
    const own_latency own = open_latency();
    const header_view header = {.endpoint = "wss://localhost:9443/tickglass"};
    allocations = 0;
    for (int64_t s = 2; s < 400; s++) {
        const latency_view latencies = look_at_latency(&own, s * S);
        scene_trade(&scene, 618130 + s % 7, 1 + s);
        scene_admit(&scene, 2, s * S);
        const tg_book book = scene_deep_book(618130, 618131);
        scene_book(&scene, &book, s * S);
        desk_fit(table, 160, 1, 88);
        instrument_view *shown = scene_look(&scene, s * S);
        desk_take(table, shown);
        const desk_scene drawn = {.instrument = shown,
                                  .header = &header,
                                  .log = &events,
                                  .latency = &latencies,
                                  .now_mono_ns = s * S};
        desk_draw(table, grid, palette, &drawn);
        assert_true(tg_grid_damage(grid)->cell_count > 0);
    }
    assert_int_equal(allocations, 0);
    close_latency(&own);
    tg_grid_close(grid);
    desk_close(table);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_over_all_panels_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
