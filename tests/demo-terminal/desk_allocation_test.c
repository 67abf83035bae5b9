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

static void a_pass_over_all_panels_allocates_nothing(void **state)
{
    (void)state;
    market_scene scene;
    desk *table = NULL;
    tg_grid *grid = NULL;
    const tg_palette *palette = NULL;
    allocations = 0;
    assert_int_equal(desk_open(&table), TG_OK);
    assert_int_equal(tg_grid_open(160, 60, &grid), TG_OK);
    assert_int_equal(tg_palette_find(NULL, &palette), TG_OK);
    scene_begin(&scene);
    assert_true(allocations > 0); /* the counter works */
    (void)desk_toggle(table, PANEL_CONNECTION);
    (void)desk_toggle(table, PANEL_LOG);
    const header_view header = {.endpoint = "wss://localhost:9443/tickglass"};
    allocations = 0;
    for (int64_t s = 2; s < 400; s++) {
        scene_trade(&scene, 618130 + s % 7, 1 + s);
        scene_admit(&scene, 2, s * S);
        const tg_book book = scene_deep_book(618130, 618131);
        scene_book(&scene, &book, s * S);
        desk_fit(table, 160, 1, 58);
        instrument_view *shown = scene_look(&scene, s * S);
        desk_take(table, shown);
        const desk_scene drawn = {shown, &header, &events, s * S};
        desk_draw(table, grid, palette, &drawn);
        assert_true(tg_grid_damage(grid)->cell_count > 0);
    }
    assert_int_equal(allocations, 0);
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
