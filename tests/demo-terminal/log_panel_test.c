#include "log_panel.h"

#include "picture_fixture.h"

#define S INT64_C(1000000000)

static event_log events;

static void take(const char *text, tg_err err, int64_t utc_s)
{
    tg_event event = {.err = err};
    (void)snprintf(event.text, sizeof event.text, "%s", text);
    event_log_take(&events, &event, utc_s * S);
}

static void the_log_looks_as_it_did(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 6, NULL);
    events = (event_log){0};
    take("connecting to wss://localhost:9443/tickglass", TG_OK, 1723161300);
    take("live: 200 instruments", TG_OK, 1723161301);
    take("BINANCE_USDM:BTCUSDT: every tick and depth", TG_OK, 1723161302);
    take("gap: boundary 812 is not based on 810; a resync was asked for", TG_ERR_BASE_MISMATCH,
         1723161377);
    take("resync: repaired in 38 ms", TG_OK, 1723161377);
    take("session: TLS: certificate of 10.0.0.7 is not signed by the authority that was given",
         TG_ERR_CERTIFICATE, 1723161399);
    const panel_area whole = {0, 0, 64, 6};
    assert_int_equal(log_panel_rows(whole), 5);
    log_panel_draw(f.grid, f.palette, whole, true, &events, 0);
    picture_expect_golden(&f, "log");
    log_panel_draw(f.grid, f.palette, whole, true, &events, 5);
    assert_string_equal(picture_row(&f, 1),
                        "23:55:00 connecting to wss://localhost:9443/tickglass");
    assert_string_equal(picture_row(&f, 2), "");
    picture_close(&f);
}

static void what_had_to_go_is_counted(void **state)
{
    (void)state;
    picture_fixture f = picture_open_cells(64, 6, NULL);
    events = (event_log){0};
    for (int i = 0; i < EVENT_LOG_SIZE + 2; i++) {
        take("x", TG_OK, i);
    }
    log_panel_draw(f.grid, f.palette, (panel_area){0, 0, 64, 6}, false, &events, 0);
    assert_non_null(strstr(picture_row(&f, 0), "last 128 of 130 events"));
    picture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_log_looks_as_it_did),
        cmocka_unit_test(what_had_to_go_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
