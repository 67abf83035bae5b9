/*
 * The ladder of a real gateway's depth, read back from what was drawn, against the levels that the
 * gateway's own tape says: of every version that was on the glass, each level at its price and
 * nothing else, and never an older one.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tickglass/client.h>

#include "../gateway/scratch_folder.h"
#include "../integration/gateway_process.h"
#include "../integration/publications.h"
#include "depth_ladder.h"
#include "drawn_text.h"
#include "glass_number.h"
#include "sim_depth.h"
#include "terminal_run.h"

#define SEED         UINT64_C(77)
#define SEED_TEXT    "77"
#define VENUE        "ORION"
#define SYMBOL       "XRP-USD" /* moves by a few ticks a second: the axis keeps up with it */
#define ID           3
#define PRICE_EXP    (-4)
#define QUANTITY_EXP (-4)
#define COLUMNS      60
#define ROWS         64
#define PICTURES_MAX 300u
#define TICKS_MAX    100000u
#define PATIENCE_S   60

static const panel_area whole = {0, 0, COLUMNS, ROWS};

/* ---- what was drawn ---- */

typedef struct drawn_row {
    int64_t price;
    int64_t bid; /* 0: nothing stands there */
    int64_t ask;
} drawn_row;

typedef struct drawn_ladder {
    tg_version version;
    size_t row_count;
    drawn_row rows[ROWS];
} drawn_ladder;

static drawn_ladder drawn_ladders[PICTURES_MAX];
static size_t drawn_count;
static publications published;

static void on_publish(void *ctx, uint64_t view_number)
{
    (void)ctx;
    (void)view_number;
    publications_add(&published);
}

/* Decimal text in units of 10^exponent; "": 0. */
static int64_t mantissa(const char *text, int exponent)
{
    const glass_number number = glass_number_read(text, strlen(text));
    assert_int_not_equal(number.kind, GLASS_NUMBER_UNREADABLE);
    int64_t value = (int64_t)number.digits;
    for (int i = (int)number.scale; i < -exponent; i++) {
        value *= 10;
    }
    return number.kind == GLASS_NUMBER_NEGATIVE ? -value : value;
}

static int64_t number_in(const drawn_text *drawn, tg_span span, int8_t exponent)
{
    char text[64];
    drawn_text_get(drawn, span.row, span.column, span.width, text, sizeof text);
    return mantissa(text, exponent);
}

static void read_ladder(const drawn_text *drawn, tg_version version)
{
    drawn_ladder *ladder = &drawn_ladders[drawn_count++];
    ladder->version = version;
    ladder->row_count = depth_ladder_rows(whole);
    assert_true(ladder->row_count <= ROWS);
    for (size_t i = 0; i < ladder->row_count; i++) {
        const ladder_cells cells = depth_ladder_cells(whole, i);
        ladder->rows[i].price = number_in(drawn, cells.price, PRICE_EXP);
        ladder->rows[i].bid = number_in(drawn, cells.bid_size, QUANTITY_EXP);
        ladder->rows[i].ask = number_in(drawn, cells.ask_size, QUANTITY_EXP);
    }
}

typedef struct glass {
    tg_grid *grid;
    drawn_text *drawn;
    const tg_palette *palette;
    ladder_axis axis;
    ladder_memory ladder;
    instrument_view shown;
} glass;

static void open_glass(glass *g)
{
    memset(g, 0, sizeof *g);
    assert_int_equal(tg_grid_open(COLUMNS, ROWS, &g->grid), TG_OK);
    assert_int_equal(drawn_text_open(&g->drawn), TG_OK);
    assert_int_equal(tg_palette_find(NULL, &g->palette), TG_OK);
    assert_int_equal(instrument_view_open(&g->shown, 16), TG_OK);
}

static void close_glass(glass *g)
{
    instrument_view_close(&g->shown);
    drawn_text_close(g->drawn);
    tg_grid_close(g->grid);
}

/* Draws what the view has, and reads it if it is depth that was not drawn yet. */
static void draw(glass *g, const tg_view *view)
{
    const int64_t now_ns = tg_view_published_mono_ns(view);
    tg_instrument_id id = TG_INSTRUMENT_NONE;
    tg_instrument instrument;
    tg_row row;
    tg_depth depth;
    if (tg_view_find(view, VENUE, SYMBOL, &id) != TG_OK ||
        tg_view_instrument(view, id, &instrument) != TG_OK ||
        tg_view_row(view, id, now_ns, &row) != TG_OK ||
        tg_view_depth(view, id, now_ns, &depth) != TG_OK) {
        return;
    }
    if (drawn_count > 0 &&
        tg_version_compare(depth.version, drawn_ladders[drawn_count - 1].version) == 0) {
        return;
    }
    const watch_view seen = {.venue = VENUE,
                             .symbol = SYMBOL,
                             .word = tg_quality_name(row.quality),
                             .instrument = &instrument,
                             .row = &row};
    assert_int_equal(id, ID);
    assert_int_equal(instrument.price_exponent, PRICE_EXP);
    assert_int_equal(instrument.quantity_exponent, QUANTITY_EXP);
    instrument_view_read(&g->shown, view, &seen, now_ns, now_ns);
    assert_true(g->shown.has_depth);
    if (drawn_count % 50 == 49) { /* as Space does; in between the axis stands still */
        assert_true(depth_ladder_recentre(&g->axis, &g->shown));
    }
    depth_ladder_draw(g->grid, g->palette, whole, false, &g->shown, &g->axis, &g->ladder);
    assert_int_equal(drawn_text_apply(g->drawn, tg_grid_damage(g->grid)), TG_OK);
    read_ladder(g->drawn, depth.version);
}

static void watch(const gateway_process *gateway)
{
    tg_client_options options;
    tg_client *client = NULL;
    tg_reader *reader = NULL;
    tg_sub_id sub;
    glass g;
    tg_client_options_init(&options);
    options.url = gateway->url;
    options.ca_file = gateway->ca;
    options.token = gateway->token;
    options.on_publish = on_publish;
    open_glass(&g);
    assert_int_equal(tg_client_open(&options, &client), TG_OK);
    assert_int_equal(tg_reader_open(tg_client_store(client), &reader), TG_OK);
    assert_int_equal(tg_client_subscribe(client, VENUE, SYMBOL, &sub), TG_OK);
    assert_int_equal(tg_client_prioritise(client, sub, true), TG_OK);
    assert_int_equal(tg_client_start(client), TG_OK);
    struct timespec until = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += PATIENCE_S;
    uint64_t seen = 0;
    while (drawn_count < PICTURES_MAX) {
        assert_true(publications_await(&published, &seen, &until));
        draw(&g, tg_reader_pin(reader));
        tg_reader_unpin(reader);
    }
    tg_reader_close(reader);
    tg_client_close(client);
    close_glass(&g);
}

/* ---- what the tape says ---- */

static tg_image images[TICKS_MAX]; /* of the instrument, by seq */
static uint64_t tick_count;

static void set(tg_image *image, tg_field field, int64_t value)
{
    image->value[field] = value;
    image->present |= TG_FIELD_BIT(field);
}

/* A trade is a tick, and so is a quote of one time and number, of one side or of both. */
static void take_row(const char *kind, const char *ts, const char *id, int64_t price,
                     int64_t quantity)
{
    static char last_ts[32];
    static char last_id[32];
    const bool trade = strcmp(kind, "trade") == 0;
    const bool bid = strcmp(kind, "bid") == 0;
    if (trade || strcmp(ts, last_ts) != 0 || strcmp(id, last_id) != 0) {
        assert_true(tick_count + 1 < TICKS_MAX);
        images[tick_count + 1] = images[tick_count];
        tick_count++;
        images[tick_count].seq = tick_count;
    }
    if (!trade) {
        (void)snprintf(last_ts, sizeof last_ts, "%s", ts);
        (void)snprintf(last_id, sizeof last_id, "%s", id);
    }
    tg_image *image = &images[tick_count];
    if (trade) {
        set(image, TG_FIELD_LAST_PRICE, price);
        return;
    }
    set(image, bid ? TG_FIELD_BID_PRICE : TG_FIELD_ASK_PRICE, price);
    set(image, bid ? TG_FIELD_BID_QUANTITY : TG_FIELD_ASK_QUANTITY, quantity);
}

static void read_tape(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[256];
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char ts[32];
        char venue[40];
        char symbol[64];
        char kind[8];
        char price[32];
        char quantity[32];
        char id[32] = "";
        if (sscanf(line, "%31[0-9],%39[^,],%63[^,],%7[^,],%31[^,],%31[^,],%31[0-9]", ts, venue,
                   symbol, kind, price, quantity, id) == 7 &&
            strcmp(venue, VENUE) == 0 && strcmp(symbol, SYMBOL) == 0) {
            take_row(kind, ts, id, mantissa(price, PRICE_EXP), mantissa(quantity, QUANTITY_EXP));
        }
    }
    (void)fclose(file);
}

static int64_t resting_at(const tg_level *levels, uint8_t count, int64_t price)
{
    for (uint8_t i = 0; i < count; i++) {
        if (levels[i].price == price) {
            return levels[i].quantity;
        }
    }
    return 0;
}

/* Returns how many levels stood on the axis. */
static unsigned compare(const drawn_ladder *ladder, const tg_book *book)
{
    unsigned levels = 0;
    for (size_t i = 0; i < ladder->row_count; i++) {
        const drawn_row *row = &ladder->rows[i];
        const int64_t bid = resting_at(book->bid, book->bid_count, row->price);
        const int64_t ask = resting_at(book->ask, book->ask_count, row->price);
        if (row->bid != bid || row->ask != ask) {
            fail_msg("at seq %llu the glass had %lld and %lld at %lld, the market %lld and %lld",
                     (unsigned long long)ladder->version.seq, (long long)row->bid,
                     (long long)row->ask, (long long)row->price, (long long)bid, (long long)ask);
        }
        levels += bid != 0;
        levels += ask != 0;
    }
    return levels;
}

static void what_is_drawn_of_a_gateways_depth_is_what_its_tape_says(void **state)
{
    (void)state;
    scratch_folder folder;
    gateway_process gateway;
    char tape[160];
    scratch_folder_open(&folder);
    (void)snprintf(tape, sizeof tape, "%s", scratch_path(&folder, "market.csv"));
    const char *const arguments[] = {"--sim", "--seed", SEED_TEXT, "--write-tape", tape, NULL};
    assert_true(publications_init(&published));
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, arguments));
    watch(&gateway);
    assert_int_equal(gateway_process_stop(&gateway), 0);
    read_tape(tape);
    scratch_folder_close(&folder);
    tg__sim_depth *depth = NULL;
    assert_int_equal(tg__sim_depth_open(SEED, &depth), TG_OK);
    unsigned levels = 0;
    for (size_t i = 0; i < drawn_count; i++) {
        const drawn_ladder *ladder = &drawn_ladders[i];
        tg_book book;
        assert_true(i == 0 ||
                    tg_version_compare(drawn_ladders[i - 1].version, ladder->version) < 0);
        assert_true(ladder->version.seq <= tick_count);
        assert_true(tg__sim_depth_book(depth, ID, &images[ladder->version.seq], &book));
        levels += compare(ladder, &book);
    }
    tg__sim_depth_close(depth);
    publications_deinit(&published);
    print_message("  %zu ladders with %u levels\n", drawn_count, levels);
    assert_true(levels > drawn_count * 15);
}

/* ---- the terminal itself ---- */

/* Opened, moved, recentred, another instrument and back, drawn anew to the pixel. */
static void the_terminal_shows_the_ladder_and_never_an_older_one(void **state)
{
    (void)state;
    static const char *const opened[] = {"Down", "Up", "Down"};
    char steps[4096];
    size_t length = (size_t)snprintf(steps, sizeof steps, "wait rows 2\n");
    for (size_t i = 0; i < 3; i++) {
        length += (size_t)snprintf(steps + length, sizeof steps - length,
                                   "key %s\nkey Enter\nwait text depth: 10 bids, 10 asks\n"
                                   "resize %dx%d\ncheck\n",
                                   opened[i], 1280 - 90 * (int)i, 1600 - 200 * (int)i);
        for (unsigned n = 0; n < 40; n++) { /* a picture each, while the market moves */
            length += (size_t)snprintf(steps + length, sizeof steps - length,
                                       n % 10 == 9 ? "check\n" : "key Space\n");
        }
    }
    length += (size_t)snprintf(steps + length, sizeof steps - length, "quit\n");
    assert_true(length < sizeof steps);
    scratch_folder folder;
    gateway_process gateway;
    char script[160];
    char report[160];
    scratch_folder_open(&folder);
    scratch_write(&folder, "steps", steps, length);
    (void)snprintf(script, sizeof script, "%s", scratch_path(&folder, "steps"));
    (void)snprintf(report, sizeof report, "%s", scratch_path(&folder, "report.json"));
    const char *const arguments[] = {"--sim", "--seed", SEED_TEXT, NULL};
    assert_true(gateway_process_start(&gateway, TG_TEST_GATEWAY, arguments));
    const char *const more[] = {"--symbols", VENUE ":BNB-USD," VENUE ":" SYMBOL,
                                "--size",    "1280x1600",
                                "--seconds", "60",
                                "--script",  script,
                                "--report",  report,
                                NULL};
    assert_int_equal(run_terminal(&gateway, more), 0);
    assert_int_equal(gateway_process_stop(&gateway), 0);
    assert_true(report_count(report, "drawn_judged_depth") > 10);
    assert_int_equal(report_count(report, "drawn_regressions"), 0);
    assert_int_equal(report_count(report, "drawn_unknown"), 0);
    assert_int_equal(report_count(report, "integrity_faults"), 0);
    scratch_folder_close(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn_of_a_gateways_depth_is_what_its_tape_says),
        cmocka_unit_test(the_terminal_shows_the_ladder_and_never_an_older_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
