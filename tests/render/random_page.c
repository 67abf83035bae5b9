#include "random_page.h"

#include <stdlib.h>

#include <tickglass/plot_cell.h>

#include "tg_cmocka.h"

static uint64_t random_state;

uint32_t random_page_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

void random_page_seed(void)
{
    const char *given = getenv("TG_TEST_SEED");
    random_state = given != NULL ? strtoull(given, NULL, 0) : 20260613;
    print_message("seed %llu (TG_TEST_SEED replays another)\n", (unsigned long long)random_state);
}

static const char *const words[] = {
    "61813.00",     "-37.63", "99-03+",  "0.00000000001", "\xE2\x96\xB2",
    "\xE2\x96\xBC", "STALE",  "BTCUSDT", "\xE2\x80\x93",  "\xE5\x8E\x9F\xE6\xB2\xB9",
    "e\xCC\x81",    "\xFF",
};

static tg_style random_style(const tg_palette *palette)
{
    const uint32_t foregrounds[] = {palette->text, palette->stale, palette->up, palette->down};
    const uint32_t backgrounds[] = {palette->background, palette->up_flash, palette->down_fading};
    const tg_style style = {foregrounds[random_page_below(4)], backgrounds[random_page_below(3)],
                            random_page_below(8) == 0 ? random_page_below(4) : 0};
    return style;
}

static void put_bars(tg_grid *grid, tg_span span, tg_style style)
{
    tg_plot_bar bars[TG_PLOT_COLUMNS];
    for (unsigned i = 0; i < TG_PLOT_COLUMNS; i++) {
        bars[i] = (tg_plot_bar){(uint8_t)random_page_below(TG_PLOT_LEVELS),
                                (uint8_t)random_page_below(TG_PLOT_LEVELS)};
    }
    tg_grid_plot(grid, span.row, span.column, style, bars);
}

void random_page_change(tg_grid *grid, const tg_palette **palette)
{
    static const char *const names[] = {NULL, "green-red", "red-up"};
    if (random_page_below(40) == 0) {
        assert_int_equal(tg_palette_find(names[random_page_below(3)], palette), TG_OK);
    }
    if (random_page_below(20) == 0) {
        const tg_style blank = {(*palette)->text,
                                random_page_below(2) == 0 ? (*palette)->background : 0x101010, 0};
        tg_grid_clear(grid, blank);
    }
    const uint32_t count = random_page_below(30);
    for (uint32_t i = 0; i < count; i++) {
        const tg_span span = {(uint16_t)random_page_below(tg_grid_rows(grid) + 1u),
                              (uint16_t)random_page_below(tg_grid_columns(grid) + 2u),
                              (uint16_t)(1 + random_page_below(12))};
        const char *word = words[random_page_below(sizeof words / sizeof words[0])];
        const tg_style style = random_style(*palette);
        switch (random_page_below(4)) {
        case 0:
            tg_grid_put_number(grid, span, style, word);
            break;
        case 1:
            tg_grid_put_label(grid, span, TG_ALIGN_LEFT, style, word);
            break;
        case 2:
            put_bars(grid, span, style);
            break;
        default:
            tg_grid_fill(grid, span, style);
            break;
        }
    }
}
