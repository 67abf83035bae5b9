/* Rows of equal look have equal cells: the look misses nothing that a row shows. */
#include "row_look.h"

#include <stdlib.h>
#include <string.h>

#include <tickglass/cell_grid.h>
#include <tickglass/palette.h>

#include "tg_cmocka.h"

#define S       INT64_C(1000000000)
#define MS      INT64_C(1000000)
#define COLUMNS 140
#define STATES  400

typedef struct row_state {
    tg_row row;
    tg_instrument instrument;
    watch_row watch;
    watch_view view;
    int64_t now_mono_ns;
    row_look look;
    tg_cell cells[COLUMNS];
} row_state;

static uint64_t random_state = 17;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

/* Few values for each, so that many rows are alike in all but one of them. */
static void make(row_state *to)
{
    static const tg_field fields[] = {TG_FIELD_BID_PRICE, TG_FIELD_BID_QUANTITY, TG_FIELD_ASK_PRICE,
                                      TG_FIELD_LAST_PRICE, TG_FIELD_PREVIOUS_CLOSE};
    static const int64_t ages_ns[] = {-1, 10 * MS, 900 * MS, 3 * S};
    static const char *const symbols[] = {"BTC-USD", "BTC-USDT"};
    tg_image before = {.seq = 1, .epoch = 1};
    memset(to, 0, sizeof *to);
    to->now_mono_ns = 100 * S + random_below(3) * 300 * MS;
    to->instrument.price_format =
        random_below(8) == 0 ? TG_PRICE_FRACTION_32_HALF : TG_PRICE_DECIMAL;
    to->instrument.price_exponent = random_below(8) == 0 ? -3 : -2;
    to->instrument.quantity_exponent = random_below(8) == 0 ? -1 : 0;
    to->row.image = (tg_image){.seq = 2, .epoch = 1};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        to->row.image.present |= random_below(12) == 0 ? 0 : TG_FIELD_BIT(fields[i]);
        to->row.image.value[fields[i]] = 10000 + (random_below(6) == 0 ? 25 : 0);
        before.present |= TG_FIELD_BIT(fields[i]);
        before.value[fields[i]] = 9000 + (random_below(6) == 0 ? 1000 : 0);
    }
    to->row.quality = random_below(8) == 0 ? TG_QUALITY_STALE : TG_QUALITY_LIVE;
    to->row.age_ns = ages_ns[random_below(4)];
    if (random_below(3) > 0) {
        watch_row_take(&to->watch, &before, 0);
        watch_row_take(&to->watch, &to->row.image, 100 * S);
    }
    to->view = (watch_view){.venue = random_below(8) == 0 ? "ORION2" : "ORION",
                            .symbol = symbols[random_below(8) == 0 ? 1 : 0],
                            .instrument = random_below(20) == 0 ? NULL : &to->instrument,
                            .row = random_below(20) == 0 ? NULL : &to->row,
                            .word = tg_quality_name(to->row.quality),
                            .selected = random_below(6) == 0,
                            .alarmed = random_below(8) == 0};
}

static void draw(row_state *of, tg_grid *grid, const tg_palette *palette)
{
    column_layout layout;
    columns_init(&layout);
    columns_fit(&layout, COLUMNS);
    watchlist_draw_row(grid, 0, &layout, palette, &of->watch, &of->view, of->now_mono_ns);
    tg_grid_forget(grid);
    memcpy(of->cells, tg_grid_damage(grid)->cells, sizeof of->cells);
    row_look_of(&of->watch, &of->view, of->now_mono_ns, &of->look);
}

static void rows_of_equal_look_have_equal_cells(void **state)
{
    (void)state;
    row_state *all = calloc(STATES, sizeof *all);
    tg_grid *grid = NULL;
    const tg_palette *palette = NULL;
    assert_non_null(all);
    assert_int_equal(tg_grid_open(COLUMNS, 1, &grid), TG_OK);
    assert_int_equal(tg_palette_find(NULL, &palette), TG_OK);
    unsigned equal = 0;
    for (unsigned round = 0; round < 20; round++) {
        for (size_t i = 0; i < STATES; i++) {
            make(&all[i]);
            draw(&all[i], grid, palette);
            for (size_t before = 0; before < i; before++) {
                if (row_look_equal(&all[i].look, &all[before].look)) {
                    equal++;
                    assert_memory_equal(all[i].cells, all[before].cells, sizeof all[i].cells);
                }
            }
        }
    }
    assert_true(equal > 100); /* else nothing was compared */
    tg_grid_close(grid);
    free(all);
}

static void a_row_as_it_was_has_the_look_that_it_had(void **state)
{
    (void)state;
    static row_state one;
    row_look again;
    make(&one);
    one.now_mono_ns = 101 * S;
    one.row.age_ns = 2100 * MS;
    row_look_of(&one.watch, &one.view, one.now_mono_ns, &one.look);
    /* Nothing shows that half a second has passed. */
    one.now_mono_ns += 500 * MS;
    one.row.age_ns += 500 * MS;
    row_look_of(&one.watch, &one.view, one.now_mono_ns, &again);
    assert_true(row_look_equal(&one.look, &again));
    one.row.age_ns += 500 * MS;
    row_look_of(&one.watch, &one.view, one.now_mono_ns, &again);
    assert_false(row_look_equal(&one.look, &again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_equal_look_have_equal_cells),
        cmocka_unit_test(a_row_as_it_was_has_the_look_that_it_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
