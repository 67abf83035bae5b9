#include "connection_panel.h"

#include "picture_fixture.h"

#define S  INT64_C(1000000000)
#define US INT64_C(1000)

static const panel_area whole = {0, 0, 64, 9};

static header_view sample(void)
{
    header_view view = {.endpoint = "wss://md.example.net:9443/tickglass",
                        .state = TG_SESSION_LIVE};
    view.client.rtt_ns = 823 * US;
    view.client.rtt_mono_ns = 97 * S;
    view.client.connects = 3;
    view.client.attempts = 5;
    view.client.gaps = 2;
    view.client.resyncs = 2;
    view.store.rejected_regression = 340;
    view.store.lane_ticks = 184211;
    view.store.received = 120000;
    view.store.conflated = 64000;
    view.store.lost = 180;
    view.store.superseded = 31;
    return view;
}

static void the_connection_looks_as_it_did(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 9, NULL);
    const header_view view = sample();
    connection_panel_draw(f.grid, f.palette, whole, true, &view, 100 * S);
    picture_expect_golden(&f, "connection");
    assert_non_null(strstr(picture_row(&f, 2), "0.41 ms, an upper bound, measured 3s ago"));
    picture_close(&f);
}

static void a_wait_is_counted_down_and_never_looks_good(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 9, "green-red");
    header_view view = sample();
    connection_panel_draw(f.grid, f.palette, whole, false, &view, 100 * S);
    assert_true(picture_shows_colour(&f, f.palette->good));
    view.suspect_count = 1;
    connection_panel_draw(f.grid, f.palette, whole, false, &view, 100 * S);
    assert_false(picture_shows_colour(&f, f.palette->good));
    view.state = TG_SESSION_WAITING;
    view.wait_ms = 3290;
    view.client.rtt_ns = -1;
    connection_panel_draw(f.grid, f.palette, whole, false, &view, 100 * S);
    assert_false(picture_shows_colour(&f, f.palette->good));
    assert_non_null(strstr(picture_row(&f, 3), "in 3.2 s"));
    assert_non_null(strstr(picture_row(&f, 2), "not measured"));
    picture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_connection_looks_as_it_did),
        cmocka_unit_test(a_wait_is_counted_down_and_never_looks_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
