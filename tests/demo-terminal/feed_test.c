/* What can go wrong before anything is connected. */
#include "feed.h"

#include "text_file.h"

static tg_window *open_window(void)
{
    tg_window_options opt;
    tg_window_options_init(&opt);
    opt.headless = true;
    opt.width_px = 100;
    opt.height_px = 100;
    tg_window *window = NULL;
    assert_int_equal(tg_window_open(&opt, &window, NULL, 0), TG_OK);
    return window;
}

static settings *settings_of(const terminal_options *options)
{
    static complaints wrong;
    memset(&wrong, 0, sizeof wrong);
    settings *out = NULL;
    assert_int_equal(settings_open(options, &out, &wrong), TG_OK);
    return out;
}

static void expect_refusal(tg_window *window, const terminal_options *options, tg_err err,
                           const char *part)
{
    feed *opened = NULL;
    char why[320] = "";
    settings *from = settings_of(options);
    assert_int_equal(feed_open(from, window, NULL, &opened, why, sizeof why), err);
    assert_null(opened);
    settings_close(from);
    if (strstr(why, part) == NULL) {
        fail_msg("\"%s\" does not name \"%s\"", why, part);
    }
}

static void what_cannot_be_opened_is_named(void **state)
{
    (void)state;
    tg_window *window = open_window();
    terminal_options options = {.url = "wss://localhost:1/", .symbols = "V:A"};
    terminal_options bad = options;
    bad.token_file = "nowhere/token";
    expect_refusal(window, &bad, TG_ERR_IO, "nowhere/token: No such file");
    const text_file empty = text_file_write("\n", 1);
    bad.token_file = empty.path;
    expect_refusal(window, &bad, TG_ERR_SYNTAX, empty.path);
    bad = options;
    bad.ca_file = empty.path;
    expect_refusal(window, &bad, TG_ERR_CERTIFICATE, empty.path);
    text_file_remove(&empty);
    bad = options;
    bad.symbols = "@nowhere/list";
    expect_refusal(window, &bad, TG_ERR_IO, "nowhere/list");
    bad = options;
    bad.url = "ws://gw.example/";
    expect_refusal(window, &bad, TG_ERR_URL, "another machine");
    tg_window_close(window);
}

static void rows_of_a_list_stand_in_its_order(void **state)
{
    (void)state;
    tg_window *window = open_window();
    const text_file token = text_file_write("secret\n", 7);
    const terminal_options options = {
        .url = "ws://127.0.0.1:1/", .symbols = "V:B,V:A:X,W:A", .token_file = token.path};
    settings *from = settings_of(&options);
    feed *opened = NULL;
    char why[320] = "";
    assert_int_equal(feed_open(from, window, NULL, &opened, why, sizeof why), TG_OK);
    text_file_remove(&token);
    assert_int_equal(feed_row_count(opened), 3);
    assert_string_equal(feed_row(opened, 0)->symbol, "B");
    assert_string_equal(feed_row(opened, 1)->symbol, "A:X");
    assert_string_equal(feed_row(opened, 2)->venue, "W");
    assert_int_equal(feed_row(opened, 0)->sub.v, 0);
    (void)feed_poll(opened, 0);
    assert_int_not_equal(feed_row(opened, 2)->sub.v, 0);
    assert_string_equal(feed_notice(opened), "");
    assert_string_equal(feed_token_trouble(opened), "");
    assert_false(feed_is_hopeless(opened));
    feed_close(opened);
    feed_close(NULL);
    settings_close(from);
    tg_window_close(window);
}

/* What is on the screen is said of each subscription that was told otherwise, and of no other. */
static void rows_that_scroll_in_and_out_are_told_as_visible(void **state)
{
    (void)state;
    tg_window *window = open_window();
    const terminal_options options = {.url = "ws://127.0.0.1:1/", .symbols = "V:A,V:B,V:C,V:D"};
    settings *from = settings_of(&options);
    feed *opened = NULL;
    char why[320] = "";
    assert_int_equal(feed_open(from, window, NULL, &opened, why, sizeof why), TG_OK);
    static const size_t on_screen[] = {1, 2};
    static const size_t scrolled[] = {2, 3};
    feed_set_visible(opened, on_screen, 2);
    (void)feed_poll(opened, 0);
    static const bool hidden[] = {true, false, false, true};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(feed_row(opened, i)->hidden, hidden[i]);
    }
    feed_set_visible(opened, scrolled, 2);
    feed_follow(opened, 0); /* in a panel */
    (void)feed_poll(opened, 0);
    static const bool later[] = {false, true, false, false};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(feed_row(opened, i)->hidden, later[i]);
    }
    assert_int_equal(feed_priority(opened)->asked.v, feed_row(opened, 0)->sub.v);
    feed_follow(opened, 3);
    (void)feed_poll(opened, 0);
    assert_int_equal(feed_priority(opened)->asked.v, feed_row(opened, 3)->sub.v);
    assert_true(feed_row(opened, 0)->hidden);
    feed_follow(opened, FEED_NO_ROW);
    (void)feed_poll(opened, 0);
    assert_int_equal(feed_priority(opened)->asked.v, 0);
    assert_int_equal(feed_log(opened)->count, 0);
    feed_close(opened);
    settings_close(from);
    tg_window_close(window);
}

static void an_instrument_is_subscribed_for_as_long_as_somebody_shows_it(void **state)
{
    (void)state;
    tg_window *window = open_window();
    const terminal_options options = {.url = "ws://127.0.0.1:1/", .symbols = "V:A,V:B"};
    settings *from = settings_of(&options);
    feed *opened = NULL;
    char why[320] = "";
    size_t index = 0;
    assert_int_equal(feed_open(from, window, NULL, &opened, why, sizeof why), TG_OK);
    (void)feed_poll(opened, 0);
    const uint64_t number = feed_list_number(opened);
    assert_int_equal(feed_add(opened, "V", "B", &index), TG_ERR_STATE);
    assert_int_equal(index, 1);
    assert_int_equal(feed_list_number(opened), number);
    assert_int_equal(feed_add(opened, "V", "C", &index), TG_OK);
    assert_int_equal(index, 2);
    assert_int_equal(feed_listed_count(opened), 3);
    assert_true(feed_list_number(opened) > number);
    (void)feed_poll(opened, 0);
    assert_int_not_equal(feed_row(opened, 2)->sub.v, 0);
    /* A panel shows it: out of the list, it stays subscribed until the panel shows another. */
    feed_hold(opened, 2);
    assert_true(feed_remove(opened, 2));
    assert_false(feed_remove(opened, 2));
    (void)feed_poll(opened, 0);
    assert_int_not_equal(feed_row(opened, 2)->sub.v, 0);
    feed_hold(opened, 0);
    (void)feed_poll(opened, 0);
    assert_int_equal(feed_row(opened, 2)->sub.v, 0);
    assert_int_not_equal(feed_row(opened, 0)->sub.v, 0);
    /* Listed and shown in a panel is wanted twice, and subscribed once. */
    const uint32_t sub = feed_row(opened, 0)->sub.v;
    feed_hold(opened, FEED_NO_ROW);
    (void)feed_poll(opened, 0);
    assert_int_equal(feed_row(opened, 0)->sub.v, sub);
    assert_true(feed_remove(opened, 0));
    (void)feed_poll(opened, 0);
    assert_int_equal(feed_row(opened, 0)->sub.v, 0);
    /* Back again it has its old place: what is known by its index stays right. */
    assert_int_equal(feed_add(opened, "V", "A", &index), TG_OK);
    assert_int_equal(index, 0);
    (void)feed_poll(opened, 0);
    assert_int_not_equal(feed_row(opened, 0)->sub.v, 0);
    assert_int_equal(feed_row_count(opened), 3);
    feed_close(opened);
    settings_close(from);
    tg_window_close(window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_opened_is_named),
        cmocka_unit_test(rows_of_a_list_stand_in_its_order),
        cmocka_unit_test(rows_that_scroll_in_and_out_are_told_as_visible),
        cmocka_unit_test(an_instrument_is_subscribed_for_as_long_as_somebody_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
