/* The search as it is used and as it looks; the gateway's answers are played here. */
#include "search_box.h"

#include "search_panel.h"

#include "picture_fixture.h"

static feed *open_feed(tg_window *window, settings **from)
{
    static complaints wrong;
    const terminal_options options = {.url = "ws://127.0.0.1:1/", .symbols = "CME:ES2"};
    feed *out = NULL;
    char why[320] = "";
    assert_int_equal(settings_open(&options, from, &wrong), TG_OK);
    assert_int_equal(feed_open(*from, window, NULL, &out, why, sizeof why), TG_OK);
    assert_int_equal(tg_client_start(feed_client(out)), TG_OK);
    return out;
}

/* So many of ES0, ES1, …. */
static void answer(feed *from, uint32_t request, size_t count, bool more)
{
    instrument_search *search = feed_search(from);
    for (size_t i = 0; i < count; i++) {
        tg_instrument found = {.id = 0};
        (void)snprintf(found.symbol, sizeof found.symbol, "ES%zu", i);
        assert_false(instrument_search_found(search, request, "CME", &found, false));
    }
    assert_true(instrument_search_found(search, request, "CME", NULL, more));
    assert_true(instrument_search_poll(search, feed_client(from), 1));
}

static uint32_t next_request(feed *from)
{
    uint32_t request = 0;
    assert_int_equal(tg_client_find(feed_client(from), NULL, "x", NULL, NULL, 1, &request), TG_OK);
    return request + 1;
}

static void results_are_moved_over_clicked_and_drawn(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(90, 12, NULL);
    settings *from = NULL;
    feed *rows = open_feed(f.window, &from);
    search_box box = {.feed = rows};
    const panel_area area = {1, 0, 90, 11};
    assert_null(search_box_selected(&box));
    search_box_move(&box, 3);
    assert_false(search_box_click(&box, 4));
    const uint32_t request = next_request(rows);
    assert_true(search_box_type(&box, "ES"));
    assert_false(search_box_type(&box, "\n"));
    (void)instrument_search_poll(feed_search(rows), feed_client(rows), 1);
    answer(rows, request, 9, true);
    search_box_draw(&box, f.grid, f.palette, area, true);
    assert_string_equal(search_box_selected(&box)->symbol, "ES0");
    search_box_move(&box, 100);
    assert_string_equal(search_box_selected(&box)->symbol, "ES8");
    search_box_draw(&box, f.grid, f.palette, area, true);
    assert_int_equal(box.top, 3); /* six rows have room */
    assert_true(search_box_click(&box, 1 + SEARCH_PANEL_LINES_ABOVE));
    assert_string_equal(search_box_selected(&box)->symbol, "ES3");
    assert_false(search_box_click(&box, 2));
    assert_false(search_box_click(&box, 1 + SEARCH_PANEL_LINES_ABOVE + 6));
    search_box_move(&box, -2);
    search_box_draw(&box, f.grid, f.palette, area, true);
    picture_expect_golden(&f, "search");
    /* A shorter answer to a longer text. */
    const uint32_t shorter = next_request(rows);
    assert_true(search_box_type(&box, "0"));
    search_box_move(&box, 5);
    (void)instrument_search_poll(feed_search(rows), feed_client(rows), 1);
    answer(rows, shorter, 1, false);
    search_box_draw(&box, f.grid, f.palette, area, true);
    assert_string_equal(search_box_selected(&box)->symbol, "ES0");
    assert_int_equal(box.top, 0);
    search_box_clear(&box);
    assert_null(search_box_selected(&box));
    assert_false(search_box_rub_out(&box));
    feed_stop(rows);
    feed_close(rows);
    settings_close(from);
    picture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_moved_over_clicked_and_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
