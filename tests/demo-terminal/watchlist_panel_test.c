/* The whole picture of the terminal from fixed data, text and pixels. */
#include "watchlist_panel.h"

#include <tickglass/price_text.h>

#include "header_panel.h"
#include "help_panel.h"
#include "picture_fixture.h"
#include "quality_look.h"

#define S   INT64_C(1000000000)
#define MS  INT64_C(1000000)
#define NOW (1000 * S)

typedef struct sample {
    const char *venue;
    const char *symbol;
    tg_price_format format;
    int8_t price_exponent;
    int8_t quantity_exponent;
    tg_quality quality;
    int64_t age_ns;
    int64_t bid, ask, bid_size, ask_size, last, close;
    int64_t last_before; /* what was drawn before */
    int64_t drawn_before_ms;
} sample;

static const sample samples[] = {
    {"BINANCE_USDM", "BTCUSDT", TG_PRICE_DECIMAL, -2, -3, TG_QUALITY_LIVE, 40 * MS, 6181300,
     6181310, 3097, 12450, 6181310, 6055020, 6181300, 50},
    {"BINANCE_USDM", "ETHUSDT", TG_PRICE_DECIMAL, -2, -3, TG_QUALITY_LIVE, 40 * MS, 268191, 268192,
     14370, 880, 268191, 270134, 268200, 400},
    {"CME", "CLM0", TG_PRICE_DECIMAL, -2, 0, TG_QUALITY_LIVE, 120 * MS, -3770, -3763, 4, 11, -3763,
     1827, -3763, 9000},
    {"CBOT", "ZNU4", TG_PRICE_FRACTION_32_HALF, -6, 0, TG_QUALITY_QUIET, 31 * S, 110046875,
     110062500, 812, 1204, 110062500, 110375000, 110062500, 9000},
    {"CBOT", "ZTU4", TG_PRICE_FRACTION_32_QUARTER, -7, 0, TG_QUALITY_DELAYED, 2 * S, 1021015625,
     1021093750, 2000, 1533, 1021015625, 1021328125, 1021015625, 9000},
    {"BITMEX", "SHIB1000", TG_PRICE_DECIMAL, -11, 0, TG_QUALITY_LIVE, 900 * MS, 1, 3, 50000, 7, 2,
     4, 2, 9000},
    {"KRAKEN", "EDGE", TG_PRICE_DECIMAL, -5, -4, TG_QUALITY_STALE, 754 * S,
     INT64_C(999999999700000), INT64_C(999999999800000), INT64_C(8888880040000), 10000,
     INT64_C(999999999700000), INT64_C(999999999700000), INT64_C(999999999700000), 9000},
    {"KRAKEN", "HALTD", TG_PRICE_DECIMAL, -3, 0, TG_QUALITY_HALTED, 3700 * S, 0, 12500, 0, 40,
     12000, 12500, 12000, 9000},
    {"OKX", "GAPPY-SWAP", TG_PRICE_DECIMAL, -1, 0, TG_QUALITY_GAP, 3 * S, 500, 501, 10, 20, 500,
     490, 500, 9000},
};
#define SAMPLE_COUNT (sizeof samples / sizeof samples[0])

static tg_instrument instrument_of(const sample *from)
{
    tg_instrument instrument = {0};
    instrument.price_format = from->format;
    instrument.price_exponent = from->price_exponent;
    instrument.quantity_exponent = from->quantity_exponent;
    (void)snprintf(instrument.symbol, sizeof instrument.symbol, "%s", from->symbol);
    return instrument;
}

static void set_field(tg_image *image, tg_field field, int64_t value)
{
    image->present |= TG_FIELD_BIT(field);
    image->value[field] = value;
}

static tg_row row_of(const sample *from)
{
    tg_row row = {0};
    row.quality = from->quality;
    row.age_ns = from->age_ns;
    row.image.epoch = 7;
    row.image.seq = 100;
    if (from->bid != 0) {
        set_field(&row.image, TG_FIELD_BID_PRICE, from->bid);
        set_field(&row.image, TG_FIELD_BID_QUANTITY, from->bid_size);
    }
    set_field(&row.image, TG_FIELD_ASK_PRICE, from->ask);
    set_field(&row.image, TG_FIELD_ASK_QUANTITY, from->ask_size);
    set_field(&row.image, TG_FIELD_LAST_PRICE, from->last);
    set_field(&row.image, TG_FIELD_PREVIOUS_CLOSE, from->close);
    return row;
}

/* A row that showed last_before until drawn_before_ms ago. */
static watch_row watch_of(const sample *from, const tg_row *row)
{
    watch_row watch = {0};
    tg_image before = row->image;
    before.seq = 99;
    before.value[TG_FIELD_LAST_PRICE] = from->last_before;
    watch_row_take(&watch, &before, 0);
    watch_row_take(&watch, &row->image, NOW - from->drawn_before_ms * MS);
    return watch;
}

static void write_rows(tg_grid *grid, column_layout *layout, const tg_palette *palette,
                       uint16_t first_row)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const tg_instrument instrument = instrument_of(&samples[i]);
        const tg_row row = row_of(&samples[i]);
        const watch_row watch = watch_of(&samples[i], &row);
        const watch_view view = {.venue = samples[i].venue,
                                 .symbol = samples[i].symbol,
                                 .instrument = &instrument,
                                 .row = &row,
                                 .word = tg_quality_name(row.quality),
                                 .selected = i == 2,
                                 .alarmed = i == 3};
        watchlist_draw_row(grid, (uint16_t)(first_row + i), layout, palette, &watch, &view, NOW);
    }
    const watch_row none = {0};
    const watch_view unknown = {.venue = "OKX", .symbol = "TYPO", .word = "no such name"};
    watchlist_draw_row(grid, (uint16_t)(first_row + SAMPLE_COUNT), layout, palette, &none, &unknown,
                       NOW);
}

static header_view sample_header(void)
{
    header_view header = {.version = "0.1.0",
                          .endpoint = "wss://localhost:9443/v0",
                          .state = TG_SESSION_LIVE,
                          .suspect_count = 2,
                          .utc_ns = INT64_C(1723161300) * S,
                          .frames_per_s = 25,
                          .passes_per_s = 27};
    header.store.rejected_regression = 340;
    header.received_to_handed = (recent_times){1200, 410000, 1200000, 3110000};
    header.exchange_to_handed = (recent_times){1200, 21400000, 41900000, 47020000};
    return header;
}

/* Writes all of the terminal; fits the columns as a pass does. */
static void write_terminal(tg_grid *grid, column_layout *layout, const tg_palette *palette)
{
    const tg_style blank = {palette->text, palette->background, 0};
    const header_view header = sample_header();
    const footer_view footer = {.first_row = 0,
                                .shown_count = SAMPLE_COUNT + 1,
                                .row_count = 200,
                                .total = 200,
                                .notice = "resync: repaired in 38 ms"};
    columns_fit(layout, tg_grid_columns(grid));
    do {
        columns_fit(layout, tg_grid_columns(grid));
        tg_grid_clear(grid, blank);
        write_rows(grid, layout, palette, HEADER_ROWS + 1);
    } while (layout->grew);
    const watchlist_titles titles = {
        .focused = true, .cursor = COLUMN_SYMBOL, .sorted = COLUMN_LAST, .order_is_old = true};
    watchlist_draw_titles(grid, HEADER_ROWS, layout, palette, &titles);
    header_draw(grid, palette, &header);
    footer_draw(grid, palette, &footer);
}

typedef struct fixture {
    picture_fixture picture;
    column_layout layout;
} fixture;

static fixture open_fixture(int width_px, int height_px, const char *palette)
{
    fixture f = {.picture = picture_open(width_px, height_px, palette)};
    columns_init(&f.layout);
    return f;
}

static void close_fixture(fixture *f)
{
    picture_close(&f->picture);
}

static void the_terminal_looks_as_it_did(void **state)
{
    (void)state;
    fixture f = open_fixture(1280, 400, NULL);
    write_terminal(f.picture.grid, &f.layout, f.picture.palette);
    picture_expect_golden(&f.picture, "terminal");
    close_fixture(&f);
}

static void a_narrow_terminal_leaves_columns_out_but_no_digits(void **state)
{
    (void)state;
    fixture f = open_fixture(720, 320, "green-red");
    write_terminal(f.picture.grid, &f.layout, f.picture.palette);
    picture_expect_golden(&f.picture, "narrow");
    close_fixture(&f);
}

/* Both pages have room in the smallest window that is usual, and none of their lines is cut. */
static void the_help_pages_look_as_they_did(void **state)
{
    (void)state;
    static const char *const names[2] = {"help", "help_meanings"};
    for (unsigned page = 0; page < 2; page++) {
        fixture f = open_fixture(1280, 720, NULL);
        const tg_style blank = {f.picture.palette->text, f.picture.palette->background, 0};
        tg_grid_clear(f.picture.grid, blank);
        help_draw(f.picture.grid, HEADER_ROWS,
                  (uint16_t)(tg_grid_rows(f.picture.grid) - HEADER_ROWS - 1), f.picture.palette,
                  page);
        picture_expect_golden(&f.picture, names[page]);
        close_fixture(&f);
    }
}

/* In small windows there are more pages, and every line stands on one of them. */
static void no_line_of_the_help_is_lost_in_a_small_window(void **state)
{
    (void)state;
    fixture f = open_fixture(1280, 720, NULL);
    size_t expected = 0;
    for (uint16_t rows = 40; rows > 1; rows--) {
        size_t count = 0;
        for (unsigned page = 0; page < help_pages(rows); page++) {
            help_draw(f.picture.grid, 0, rows, f.picture.palette, page);
            for (uint16_t row = 0; row < rows && row < tg_grid_rows(f.picture.grid); row++) {
                count += picture_row(&f.picture, row)[0] != '\0' ? 1 : 0;
            }
        }
        expected = expected == 0 ? count : expected;
        if (rows < tg_grid_rows(f.picture.grid)) {
            assert_int_equal(count, expected);
        }
    }
    assert_true(expected > 40);
    close_fixture(&f);
}

static bool shows_colour(const tg_draw_list *list, uint16_t row, uint32_t foreground)
{
    for (size_t r = 0; r < list->run_count; r++) {
        for (uint16_t i = 0; list->runs[r].row == row && i < list->runs[r].count; i++) {
            const tg_cell *cell = list->cells + list->runs[r].first + i;
            if (cell->text[0] != '\0' && cell->foreground == foreground) {
                return true;
            }
        }
    }
    return false;
}

static void nothing_is_in_a_good_or_rising_colour_over_stale_prices(void **state)
{
    (void)state;
    fixture f = open_fixture(1280, 400, "green-red");
    for (int q = TG_QUALITY_LIVE; q <= TG_QUALITY_DISCONNECTED; q++) {
        sample s = samples[0];
        s.quality = (tg_quality)q;
        const tg_instrument instrument = instrument_of(&s);
        const tg_row row = row_of(&s);
        const watch_row watch = watch_of(&s, &row);
        const watch_view view = {.venue = s.venue,
                                 .symbol = s.symbol,
                                 .instrument = &instrument,
                                 .row = &row,
                                 .word = tg_quality_name(row.quality)};
        const tg_style blank = {f.picture.palette->text, f.picture.palette->background, 0};
        columns_fit(&f.layout, tg_grid_columns(f.picture.grid));
        tg_grid_clear(f.picture.grid, blank);
        watchlist_draw_row(f.picture.grid, 5, &f.layout, f.picture.palette, &watch, &view, NOW);
        header_view header = sample_header();
        header.suspect_count = quality_is_suspect(row.quality) ? 1 : 0;
        header_draw(f.picture.grid, f.picture.palette, &header);
        tg_grid_forget(f.picture.grid);
        const tg_draw_list *list = tg_grid_damage(f.picture.grid);
        const bool current = q <= TG_QUALITY_HALTED;
        assert_int_equal(shows_colour(list, 5, f.picture.palette->up), current);
        assert_int_equal(shows_colour(list, 0, f.picture.palette->good), current);
        assert_int_equal(shows_colour(list, 5, f.picture.palette->stale), !current);
    }
    close_fixture(&f);
}

static const char *text_of(fixture *f, column_id column, uint16_t row)
{
    return picture_text(&f->picture, columns_span(&f->layout, column, row));
}

static void expect_whole_or_marked(const char *text, const char *whole, uint16_t total)
{
    if (strcmp(text, whole) != 0 && (text[0] == '\0' || strspn(text, "#") != strlen(text))) {
        fail_msg("%u cells: \"%s\" of \"%s\"", total, text, whole);
    }
}

/* At every width and with every column away: a price is there as a whole, or "####" is. */
static void a_price_is_never_shortened(void **state)
{
    (void)state;
    static const column_id prices[] = {COLUMN_BID, COLUMN_ASK, COLUMN_LAST};
    static const tg_field fields[] = {TG_FIELD_BID_PRICE, TG_FIELD_ASK_PRICE, TG_FIELD_LAST_PRICE};
    fixture f = open_fixture(1280, 400, NULL);
    size_t marked = 0;
    for (uint16_t total = 10; total <= 160; total++) {
        for (int c = 0; c < COLUMN_COUNT; c++) {
            f.layout.off[c] = column_may_be_off((column_id)c) && (total + c) % 4 == 0;
        }
        columns_fit(&f.layout, total);
        write_rows(f.picture.grid, &f.layout, f.picture.palette, 1);
        columns_fit(&f.layout, total);
        const tg_style blank = {f.picture.palette->text, f.picture.palette->background, 0};
        tg_grid_clear(f.picture.grid, blank);
        write_rows(f.picture.grid, &f.layout, f.picture.palette, 1);
        for (size_t i = 0; i < SAMPLE_COUNT * 3; i++) {
            const sample *s = &samples[i / 3];
            const tg_row row = row_of(s);
            const tg_instrument instrument = instrument_of(s);
            char whole[TG_PRICE_TEXT_SIZE] = TG_PRICE_TEXT_NULL;
            if (!f.layout.shown[prices[i % 3]] ||
                columns_span(&f.layout, prices[i % 3], 0).width == 0) {
                continue;
            }
            if (tg_image_has(&row.image, fields[i % 3])) {
                assert_int_equal(tg_price_text(tg_price_style_of(&instrument),
                                               row.image.value[fields[i % 3]], whole, sizeof whole),
                                 TG_OK);
            }
            const char *text = text_of(&f, prices[i % 3], (uint16_t)(1 + i / 3));
            expect_whole_or_marked(text, whole, total);
            marked += text[0] == '#' ? 1 : 0;
        }
    }
    assert_true(marked > 0);
    close_fixture(&f);
}

/* Whoever sees no colours, and whoever reads another palette than the one that he thinks of. */
static void a_direction_is_said_by_sign_or_arrow_and_by_colour_in_every_palette(void **state)
{
    (void)state;
    static const char *const names[] = {"blue-orange", "green-red", "red-up"};
    for (size_t p = 0; p < sizeof names / sizeof names[0]; p++) {
        fixture f = open_fixture(1280, 400, names[p]);
        const tg_palette *palette = f.picture.palette;
        columns_fit(&f.layout, tg_grid_columns(f.picture.grid));
        write_rows(f.picture.grid, &f.layout, palette, 1);
        columns_fit(&f.layout, tg_grid_columns(f.picture.grid));
        write_rows(f.picture.grid, &f.layout, palette, 1);
        tg_grid_forget(f.picture.grid);
        const tg_draw_list *list = tg_grid_damage(f.picture.grid);
        size_t arrows = 0;
        for (size_t i = 0; i < list->cell_count; i++) {
            const tg_cell *cell = &list->cells[i];
            const bool up = strcmp(cell->text, "\xE2\x96\xB2") == 0;
            if (up || strcmp(cell->text, "\xE2\x96\xBC") == 0) {
                const uint32_t colour = up ? palette->up : palette->down;
                assert_true(cell->foreground == colour || cell->foreground == palette->stale);
                arrows++;
            }
        }
        assert_true(arrows >= 2);
        /* The first two rows: one rose, one fell. */
        for (uint16_t row = 1; row <= 2; row++) {
            const tg_span span = columns_span(&f.layout, COLUMN_CHANGE, row);
            assert_int_equal(text_of(&f, COLUMN_CHANGE, row)[0], row == 1 ? '+' : '-');
            assert_int_equal(text_of(&f, COLUMN_PERCENT, row)[0], row == 1 ? '+' : '-');
            tg_grid_forget(f.picture.grid);
            list = tg_grid_damage(f.picture.grid);
            const tg_cell *last =
                &list->cells[(size_t)row * list->columns + span.column + span.width - 1];
            assert_int_equal(last->foreground, row == 1 ? palette->up : palette->down);
        }
        close_fixture(&f);
    }
}

static void every_quality_has_its_word_and_what_may_be_old_its_mark_and_age(void **state)
{
    (void)state;
    static const char *const words[] = {"LIVE",   "QUIET", "DELAYED", "HALTED",
                                        "RESYNC", "GAP",   "STALE",   "DISCONNECTED"};
    fixture f = open_fixture(1280, 400, NULL);
    columns_fit(&f.layout, tg_grid_columns(f.picture.grid));
    for (int q = TG_QUALITY_LIVE; q <= TG_QUALITY_DISCONNECTED; q++) {
        sample s = samples[0];
        s.quality = (tg_quality)q;
        s.age_ns = 754 * S;
        const tg_instrument instrument = instrument_of(&s);
        const tg_row row = row_of(&s);
        const watch_row watch = watch_of(&s, &row);
        const watch_view view = {.venue = s.venue,
                                 .symbol = s.symbol,
                                 .instrument = &instrument,
                                 .row = &row,
                                 .word = tg_quality_name(row.quality)};
        watchlist_draw_row(f.picture.grid, 5, &f.layout, f.picture.palette, &watch, &view, NOW);
        assert_string_equal(text_of(&f, COLUMN_QUALITY, 5), words[q]);
        assert_string_equal(text_of(&f, COLUMN_AGE, 5), "12m34s");
        assert_string_equal(picture_text(&f.picture, (tg_span){5, 0, 1}),
                            q > TG_QUALITY_HALTED ? "!" : "");
    }
    close_fixture(&f);
}

static void expect_footer(const footer_view *footer, int columns, const char *expected)
{
    picture_fixture f = picture_open_cells(columns, HEADER_ROWS + 2, NULL);
    const uint16_t last = (uint16_t)(tg_grid_rows(f.grid) - 1);
    footer_draw(f.grid, f.palette, footer);
    if (strstr(picture_row(&f, last), expected) == NULL) {
        fail_msg("\"%s\" lacks \"%s\"", picture_row(&f, last), expected);
    }
    picture_close(&f);
}

/* What somebody types, and what there is to say, must not lose its room to a file's name. */
static void a_recording_tells_its_name_where_nothing_else_needs_the_room(void **state)
{
    (void)state;
    footer_view footer = {.shown_count = 20,
                          .row_count = 20,
                          .total = 20,
                          .notice = "",
                          .recording = "folder/tickglass-1733029487123.tgrec"};
    expect_footer(&footer, 80, "\xE2\x97\x8F REC tickglass-1733029487123.tgrec");
    footer.notice = "an instrument of a long name waits for 12.5";
    expect_footer(&footer, 80, "REC   ");
    expect_footer(&footer, 80, "waits for 12.5");
    expect_footer(&footer, 120, "REC tickglass-1733029487123.tgrec");
    footer.notice_is_bad = true;
    expect_footer(&footer, 120, "REC   ");
    footer.notice = "";
    footer.line_label = "filter";
    footer.line = "brent";
    expect_footer(&footer, 80, "REC   filter brent\xE2\x96\x8F  Esc clears");
    footer.notice = "an instrument of a name waits for 12";
    footer.notice_is_bad = false;
    expect_footer(&footer, 80, "waits for 12");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_terminal_looks_as_it_did),
        cmocka_unit_test(a_narrow_terminal_leaves_columns_out_but_no_digits),
        cmocka_unit_test(the_help_pages_look_as_they_did),
        cmocka_unit_test(no_line_of_the_help_is_lost_in_a_small_window),
        cmocka_unit_test(a_recording_tells_its_name_where_nothing_else_needs_the_room),
        cmocka_unit_test(nothing_is_in_a_good_or_rising_colour_over_stale_prices),
        cmocka_unit_test(a_price_is_never_shortened),
        cmocka_unit_test(a_direction_is_said_by_sign_or_arrow_and_by_colour_in_every_palette),
        cmocka_unit_test(every_quality_has_its_word_and_what_may_be_old_its_mark_and_age),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
