/* All panels together: pictures, keys, and incremental drawing against drawing everything. */
#include "desk.h"

#include "market_scene.h"
#include "picture_fixture.h"

#define FIRST_ROW 1

static event_log events;

static header_view sample_header(void)
{
    header_view view = {.endpoint = "wss://localhost:9443/tickglass", .state = TG_SESSION_LIVE};
    view.client.rtt_ns = 823000;
    view.client.connects = 1;
    view.client.attempts = 1;
    return view;
}

static void fit(desk *table, const tg_grid *grid)
{
    desk_fit(table, tg_grid_columns(grid), FIRST_ROW,
             (uint16_t)(tg_grid_rows(grid) > 2 ? tg_grid_rows(grid) - 2 : 0));
}

/* Of the whole test. */
static stage_windows *windows;
static process_stalls *stalls;
static latency_span *span;

static int open_latency(void **state)
{
    (void)state;
    assert_int_equal(stage_windows_open(STAGE_WINDOWS_BYTES, 0, &windows), TG_OK);
    assert_int_equal(process_stalls_open(&stalls), TG_OK);
    assert_int_equal(latency_span_open(&span), TG_OK);
    const stall_tally none = {0};
    for (int64_t s = 10; s <= 100; s += 10) {
        stage_windows_record(windows, LATENCY_RECEIVED_TO_HANDED, s * MS);
        stage_windows_end(windows, s * S, SCENE_UTC + s * S, &none);
    }
    return 0;
}

static int close_latency(void **state)
{
    (void)state;
    latency_span_close(span);
    process_stalls_close(stalls);
    stage_windows_close(windows);
    return 0;
}

static latency_view sample_latency(int64_t now_mono_ns)
{
    while (latency_span_step(span, windows, STAGE_WINDOWS_MAX)) {
    }
    const latency_view view = {
        .windows = windows,
        .stalls = stalls,
        .sum = latency_span_sum(span),
        .choice = latency_span_choice(span, windows),
        .current = latency_span_is_current(span, windows),
        .now_mono_ns = now_mono_ns,
    };
    return view;
}

static void draw(desk *table, tg_grid *grid, const tg_palette *palette, instrument_view *shown)
{
    const header_view header = sample_header();
    const latency_view latencies = sample_latency(shown->now_mono_ns);
    const desk_scene scene = {.instrument = shown,
                              .header = &header,
                              .log = &events,
                              .latency = &latencies,
                              .now_mono_ns = shown->now_mono_ns};
    const tg_style blank = {palette->text, palette->background, 0};
    tg_grid_clear(grid, blank);
    fit(table, grid);
    desk_take(table, shown);
    desk_draw(table, grid, palette, &scene);
}

static uint64_t random_state = 5;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % limit);
}

/* A minute and a half of quotes and trades that the desk sees. */
static void play(desk *table, market_scene *scene)
{
    random_state = 5;
    scene_begin(scene);
    desk_take(table, scene_look(scene, 1 * S));
    events = (event_log){0};
    for (int i = 0; i < 3; i++) {
        static const char *const texts[] = {"connecting to wss://localhost:9443/tickglass",
                                            "live: 200 instruments",
                                            "BINANCE_USDM:BTCUSDT: every tick and depth"};
        tg_event event = {.err = TG_OK};
        (void)snprintf(event.text, sizeof event.text, "%s", texts[i]);
        event_log_take(&events, &event, SCENE_UTC + i * S);
    }
    int64_t price = 618130;
    for (int64_t ms = 1500; ms < 90000; ms += 300) {
        price += (int64_t)random_below(5) - 2;
        scene_quote(scene, price, price + 1, 1 + random_below(20000), 1 + random_below(20000));
        if (random_below(3) == 0) {
            scene_trade(scene, price, 1 + random_below(3000));
        }
        scene_admit(scene, 1 + random_below(3), ms * MS);
        desk_take(table, scene_look(scene, ms * MS));
    }
    const tg_book book = scene_deep_book(price, price + 1);
    scene_book(scene, &book, 90 * S);
}

static void all_panels_together_look_as_they_did(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(160, 58, NULL);
    market_scene scene;
    desk *table = NULL;
    assert_int_equal(desk_open(&table), TG_OK);
    play(table, &scene);
    fit(table, f.grid);
    assert_true(desk_toggle(table, PANEL_CONNECTION));
    assert_true(desk_toggle(table, PANEL_LOG));
    fit(table, f.grid);
    desk_recentre(table);
    desk_focus_next(table, false);
    desk_focus_next(table, false);
    draw(table, f.grid, f.palette, scene_look(&scene, 90 * S));
    picture_expect_golden(&f, "desk");
    desk_close(table);
    scene_close(&scene);
    picture_close(&f);
}

static void a_lost_link_shows_in_every_panel(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(160, 46, "green-red");
    market_scene scene;
    desk *table = NULL;
    assert_int_equal(desk_open(&table), TG_OK);
    play(table, &scene);
    tg__store_set_link(scene.store, TG__LINK_DOWN, 91 * S);
    draw(table, f.grid, f.palette, scene_look(&scene, 100 * S));
    picture_expect_golden(&f, "desk_stale");
    const layout *places = desk_layout(table);
    for (int i = PANEL_QUOTE; i <= PANEL_CHART; i++) {
        const panel_area *area = &places->area[i];
        const char *text = picture_text(&f, (tg_span){area->row, area->column, area->width});
        assert_non_null(strstr(text, "! DISCONNECTED 10s"));
    }
    assert_false(picture_shows_colour(&f, f.palette->good));
    desk_close(table);
    scene_close(&scene);
    picture_close(&f);
}

static void the_focus_goes_round_the_panels_that_are_shown(void **state)
{
    (void)state;
    desk *table = NULL;
    assert_int_equal(desk_open(&table), TG_OK);
    desk_fit(table, 160, 3, 38);
    assert_true(desk_focus_is_list(table));
    for (int i = 0; i < 4; i++) {
        desk_focus_next(table, false);
        assert_false(desk_focus_is_list(table));
    }
    desk_focus_next(table, false);
    assert_true(desk_focus_is_list(table));
    desk_focus_next(table, true);
    assert_false(desk_focus_is_list(table));
    assert_true(desk_toggle(table, PANEL_CHART)); /* it had the focus */
    assert_true(desk_focus_is_list(table));
    assert_true(desk_wants_instrument(table));
    (void)desk_toggle(table, PANEL_QUOTE);
    (void)desk_toggle(table, PANEL_LADDER);
    (void)desk_toggle(table, PANEL_TRADES);
    assert_false(desk_wants_instrument(table));
    desk_focus_panels(table);
    assert_true(desk_focus_is_list(table));
    desk_close(table);
}

static void a_panel_without_room_is_told_and_loses_the_focus(void **state)
{
    (void)state;
    desk *table = NULL;
    assert_int_equal(desk_open(&table), TG_OK);
    desk_fit(table, 160, 3, 17);
    assert_false(desk_toggle(table, PANEL_CONNECTION));
    desk_fit(table, 160, 3, 60);
    desk_focus_next(table, true);
    assert_false(desk_focus_is_list(table));
    desk_fit(table, 100, 3, 60); /* narrow: the panels have the list's place */
    assert_int_equal(desk_layout(table)->list_width, 0);
    desk_fit(table, 100, 3, 4); /* no panel fits */
    assert_true(desk_focus_is_list(table));
    assert_int_equal(desk_layout(table)->list_width, 100);
    desk_close(table);
}

static void arrows_move_what_has_the_focus(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(160, 46, NULL);
    market_scene scene;
    desk *table = NULL;
    assert_int_equal(desk_open(&table), TG_OK);
    play(table, &scene);
    draw(table, f.grid, f.palette, scene_look(&scene, 90 * S));
    assert_false(desk_move(table, 1)); /* the watchlist's */
    desk_focus_next(table, false);
    assert_false(desk_move(table, 1)); /* the quote has nothing to move */
    desk_focus_next(table, false);
    const panel_area ladder = desk_layout(table)->area[PANEL_LADDER];
    const tg_span top = {(uint16_t)(ladder.row + 2), ladder.column, ladder.width};
    char before[256];
    (void)snprintf(before, sizeof before, "%s", picture_text(&f, top));
    assert_true(desk_move(table, 3));
    draw(table, f.grid, f.palette, scene_look(&scene, 90 * S));
    assert_string_not_equal(picture_text(&f, top), before);
    assert_true(desk_move(table, -3));
    draw(table, f.grid, f.palette, scene_look(&scene, 90 * S));
    assert_string_equal(picture_text(&f, top), before);
    /* The trades stay where they are read, while new ones come. */
    desk_focus_next(table, false);
    const panel_area trades = desk_layout(table)->area[PANEL_TRADES];
    const tg_span first = {(uint16_t)(trades.row + 2), trades.column, trades.width};
    assert_true(desk_move(table, -5));
    draw(table, f.grid, f.palette, scene_look(&scene, 90 * S));
    (void)snprintf(before, sizeof before, "%s", picture_text(&f, first));
    scene_trade(&scene, 700000, 1);
    scene_admit(&scene, 1, 91 * S);
    draw(table, f.grid, f.palette, scene_look(&scene, 91 * S));
    assert_string_equal(picture_text(&f, first), before);
    assert_true(desk_move(table, TG_GRID_SIDE_MAX));
    draw(table, f.grid, f.palette, scene_look(&scene, 91 * S));
    assert_non_null(strstr(picture_text(&f, first), "70000.0"));
    desk_close(table);
    scene_close(&scene);
    picture_close(&f);
}

static void another_instrument_begins_with_nothing_of_the_one_before(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(160, 46, NULL);
    market_scene scene;
    desk *table = NULL;
    assert_int_equal(desk_open(&table), TG_OK);
    play(table, &scene);
    desk_reset(table);
    draw(table, f.grid, f.palette, scene_look(&scene, 90 * S));
    const panel_area trades = desk_layout(table)->area[PANEL_TRADES];
    const tg_span first = {(uint16_t)(trades.row + 2), trades.column, trades.width};
    assert_string_equal(picture_text(&f, first), "23:56:30 list begins");
    desk_close(table);
    scene_close(&scene);
    picture_close(&f);
}

/* What was drawn bit by bit is what drawing everything at once would have drawn. */
static void expect_equal_pictures(picture_fixture *f, tg_cell *kept, size_t kept_count)
{
    tg_grid_forget(f->grid);
    const tg_draw_list *all = tg_grid_damage(f->grid);
    assert_int_equal(all->cell_count, kept_count);
    assert_memory_equal(all->cells, kept, kept_count * sizeof *kept);
}

static void apply(tg_cell *kept, const tg_draw_list *list)
{
    for (size_t r = 0; r < list->run_count; r++) {
        const tg_draw_run *run = &list->runs[r];
        memcpy(kept + (size_t)run->row * list->columns + run->column, list->cells + run->first,
               run->count * sizeof *kept);
    }
}

static void random_step(desk *table, market_scene *scene, int64_t *now_ms)
{
    *now_ms += 20 + random_below(900);
    const int64_t price = scene->image.value[TG_FIELD_BID_PRICE] + (int64_t)random_below(7) - 3;
    switch (random_below(14)) {
    case 0:
        desk_focus_next(table, random_below(2) == 0);
        break;
    case 1:
        (void)desk_toggle(table, (panel_id)random_below(PANEL_COUNT));
        break;
    case 2:
        (void)desk_move(table, (int)random_below(21) - 10);
        break;
    case 3:
        desk_recentre(table);
        break;
    case 4:
        desk_reset(table);
        break;
    case 5:
        tg__store_set_link(scene->store, random_below(2) == 0 ? TG__LINK_DOWN : TG__LINK_UP,
                           *now_ms * MS);
        break;
    case 6:
        *now_ms += 20000;
        break;
    default:
        scene_quote(scene, price, price + 1 + random_below(3), random_below(90000), 7);
        scene_trade(scene, price, 1 + random_below(900));
        scene_admit(scene, 1 + random_below(4), *now_ms * MS);
        if (random_below(3) == 0) {
            const tg_book book = scene_deep_book(price, price + 1);
            scene_book(scene, &book, *now_ms * MS);
        }
        break;
    }
}

static void drawing_what_changed_equals_drawing_everything(void **state)
{
    (void)state;
    const char *given = getenv("TG_TEST_SEED");
    picture_fixture f = picture_open_cells(160, 46, NULL);
    market_scene scene;
    desk *table = NULL;
    assert_int_equal(desk_open(&table), TG_OK);
    scene_begin(&scene);
    random_state = given != NULL ? strtoull(given, NULL, 0) : 20260613;
    print_message("seed %llu (TG_TEST_SEED replays another)\n", (unsigned long long)random_state);
    tg_cell *kept = calloc((size_t)240 * 80, sizeof *kept);
    assert_non_null(kept);
    int64_t now_ms = 1000;
    for (int i = 0; i < 600; i++) {
        if (i % 40 == 0) {
            const uint16_t columns = (uint16_t)(20 + random_below(220));
            const uint16_t rows = (uint16_t)(3 + random_below(76));
            assert_int_equal(tg_grid_resize(f.grid, columns, rows), TG_OK);
        }
        random_step(table, &scene, &now_ms);
        draw(table, f.grid, f.palette, scene_look(&scene, now_ms * MS));
        const tg_draw_list *list = tg_grid_damage(f.grid);
        apply(kept, list);
        expect_equal_pictures(&f, kept, (size_t)list->columns * list->rows);
    }
    free(kept);
    desk_close(table);
    scene_close(&scene);
    picture_close(&f);
}

static void expect_equal_cells(tg_grid *kept, tg_grid *anew)
{
    tg_grid_forget(kept);
    tg_grid_forget(anew);
    const tg_draw_list *a = tg_grid_damage(kept);
    const tg_draw_list *b = tg_grid_damage(anew);
    assert_int_equal(a->cell_count, b->cell_count);
    if (memcmp(a->cells, b->cells, a->cell_count * sizeof *a->cells) != 0) {
        (void)fprintf(stderr, "kept:\n%s\nanew:\n%s\n", picture_dump(a), picture_dump(b));
        fail_msg("what was kept is not what would have been drawn");
    }
}

static void draw_kept(desk *table, tg_grid *grid, const tg_palette *palette,
                      const instrument_view *shown, bool instrument_only)
{
    const header_view header = sample_header();
    const latency_view latencies = sample_latency(shown->now_mono_ns);
    const desk_scene scene = {.instrument = shown,
                              .header = &header,
                              .log = &events,
                              .latency = &latencies,
                              .now_mono_ns = shown->now_mono_ns,
                              .retained = true};
    fit(table, grid);
    if (instrument_only) {
        desk_draw_instrument(table, grid, palette, &scene);
    } else {
        desk_draw(table, grid, palette, &scene);
    }
}

/* Sometimes. Not always is it as deep as it could be. */
static void admit_some_book(market_scene *scene, int64_t price, int64_t now_mono_ns)
{
    if (random_below(3) > 0) {
        tg_book book = scene_deep_book(price - 1, price + 1 + (int64_t)random_below(3));
        book.bid[random_below(book.bid_count)].quantity += 1 + random_below(9000);
        book.bid_count = (uint8_t)(book.bid_count - random_below(3));
        scene_book(scene, &book, now_mono_ns);
    }
}

/* Two desks of the same market: one keeps what did not change, the other draws it all. */
static void what_is_kept_is_what_would_be_drawn(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(160, 50, NULL);
    tg_grid *anew_grid = NULL;
    assert_int_equal(tg_grid_open(160, 50, &anew_grid), TG_OK);
    market_scene scene;
    desk *kept = NULL;
    desk *anew = NULL;
    assert_int_equal(desk_open(&kept), TG_OK);
    assert_int_equal(desk_open(&anew), TG_OK);
    scene_begin(&scene);
    random_state = 11;
    draw(kept, f.grid, f.palette, scene_look(&scene, 1 * S));
    draw(anew, anew_grid, f.palette, &scene.shown);
    assert_true(desk_layout(kept)->area[PANEL_CHART].height > 0);
    assert_true(desk_layout(kept)->area[PANEL_LADDER].height > 0);
    int64_t ms = 1000;
    int64_t price = 618130;
    for (int i = 0; i < 4000; i++) {
        ms += 1 + random_below(random_below(50) == 0 ? 2500 : 40);
        ms += random_below(200) == 0 ? 40000 : 0; /* the channel is silent: one kind of old data */
        if (random_below(3) > 0) {
            price += random_below(6) == 0 ? (int64_t)random_below(5) - 2 : 0;
            scene_quote(&scene, price - 1, price + 1, 1 + random_below(50), 1 + random_below(50));
            scene_trade(&scene, price, 1 + random_below(4));
            scene_admit(&scene, 1 + random_below(2), ms * MS);
            admit_some_book(&scene, price, ms * MS);
        }
        if (random_below(60) == 0) {
            const bool down = random_below(2) == 0;
            tg__store_set_link(scene.store, down ? TG__LINK_DOWN : TG__LINK_UP, ms * MS);
        }
        if (random_below(150) == 0) {
            desk_recentre(kept);
            desk_recentre(anew);
        }
        if (random_below(100) == 0) {
            desk_focus_next(kept, false);
            desk_focus_next(anew, false);
        }
        if (random_below(20) == 0) {
            const int rows = (int)random_below(7) - 3;
            assert_int_equal(desk_move(kept, rows), desk_move(anew, rows));
        }
        instrument_view *shown = scene_look(&scene, ms * MS);
        instrument_view same = *shown;
        desk_take(kept, shown);
        draw_kept(kept, f.grid, f.palette, shown, random_below(3) > 0);
        draw(anew, anew_grid, f.palette, &same);
        expect_equal_cells(f.grid, anew_grid);
    }
    desk_close(kept);
    desk_close(anew);
    scene_close(&scene);
    tg_grid_close(anew_grid);
    picture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_panels_together_look_as_they_did),
        cmocka_unit_test(a_lost_link_shows_in_every_panel),
        cmocka_unit_test(the_focus_goes_round_the_panels_that_are_shown),
        cmocka_unit_test(a_panel_without_room_is_told_and_loses_the_focus),
        cmocka_unit_test(arrows_move_what_has_the_focus),
        cmocka_unit_test(another_instrument_begins_with_nothing_of_the_one_before),
        cmocka_unit_test(drawing_what_changed_equals_drawing_everything),
        cmocka_unit_test(what_is_kept_is_what_would_be_drawn),
    };
    return cmocka_run_group_tests(tests, open_latency, close_latency);
}
