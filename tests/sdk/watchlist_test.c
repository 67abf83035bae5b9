#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickglass/watchlist.h>

static void names_are_split_at_the_first_colon(void **state)
{
    (void)state;
    tg_watchlist *list = NULL;
    assert_int_equal(tg_watchlist_open("BINANCE:BTCUSDT, CME : ES:Z6 ", &list, NULL, 0), TG_OK);
    assert_int_equal(tg_watchlist_count(list), 2);
    assert_false(tg_watchlist_is_everything(list));
    assert_string_equal(tg_watchlist_venue(list, 0), "BINANCE");
    assert_string_equal(tg_watchlist_symbol(list, 0), "BTCUSDT");
    assert_string_equal(tg_watchlist_venue(list, 1), "CME");
    assert_string_equal(tg_watchlist_symbol(list, 1), "ES:Z6");
    tg_watchlist_close(list);
}

static void a_star_means_everything(void **state)
{
    (void)state;
    tg_watchlist *list = NULL;
    assert_int_equal(tg_watchlist_open("*", &list, NULL, 0), TG_OK);
    assert_true(tg_watchlist_is_everything(list));
    assert_int_equal(tg_watchlist_count(list), 0);
    tg_watchlist_close(list);
}

static void a_name_that_stands_twice_is_taken_once(void **state)
{
    (void)state;
    tg_watchlist *list = NULL;
    assert_int_equal(tg_watchlist_open("A:x,B:x,A:x,A:y", &list, NULL, 0), TG_OK);
    assert_int_equal(tg_watchlist_count(list), 3);
    assert_string_equal(tg_watchlist_symbol(list, 2), "y");
    tg_watchlist_close(list);
}

static void errors_name_item_and_position(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *why;
    } rows[] = {
        {"", "item 1 (position 1): empty"},
        {"A:x,,B:y", "item 2 (position 5): empty"},
        {"A:x,", "item 2 (position 5): empty"},
        {"A:x, BTCUSDT", "item 2 (position 6): \"BTCUSDT\" is not VENUE:SYMBOL"},
        {":x", "item 1 (position 1): the venue of \":x\" is not 1 to 31 bytes of UTF-8"},
        {"A:", "item 1 (position 1): the symbol of \"A:\" is not 1 to 63 bytes of UTF-8"},
        {"A:\xff", "item 1 (position 1): the symbol of \"A:\xff\" is not 1 to 63 bytes of UTF-8"},
        {"A:x,*", "item 2 (position 5): \"*\" is not VENUE:SYMBOL"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        tg_watchlist *list = NULL;
        char why[256] = "";
        assert_int_equal(tg_watchlist_open(rows[i].text, &list, why, sizeof why), TG_ERR_SYNTAX);
        assert_null(list);
        assert_string_equal(why, rows[i].why);
    }
}

typedef struct scratch {
    char path[64];
    char argument[80];
} scratch;

static void write_file(scratch *s, const char *text)
{
    strcpy(s->path, "tg_watchlist_XXXXXX");
    const int fd = mkstemp(s->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    (void)snprintf(s->argument, sizeof s->argument, "@%s", s->path);
}

static void files_have_one_name_a_line_and_comments(void **state)
{
    (void)state;
    scratch s;
    write_file(&s, "# mine\n\nA:x  # first\r\n  B:y,z\nK:\xe6\x97\xa5\xe7\xb5\x8c");
    tg_watchlist *list = NULL;
    assert_int_equal(tg_watchlist_open(s.argument, &list, NULL, 0), TG_OK);
    assert_int_equal(tg_watchlist_count(list), 3);
    assert_string_equal(tg_watchlist_symbol(list, 0), "x");
    assert_string_equal(tg_watchlist_symbol(list, 1), "y,z");
    assert_string_equal(tg_watchlist_venue(list, 2), "K");
    tg_watchlist_close(list);
    unlink(s.path);
}

static void errors_in_files_name_file_and_line(void **state)
{
    (void)state;
    scratch s;
    write_file(&s, "A:x\n\nnonsense\n");
    tg_watchlist *list = NULL;
    char why[256] = "";
    assert_int_equal(tg_watchlist_open(s.argument, &list, why, sizeof why), TG_ERR_SYNTAX);
    char wanted[256];
    (void)snprintf(wanted, sizeof wanted, "%s:3: \"nonsense\" is not VENUE:SYMBOL", s.path);
    assert_string_equal(why, wanted);
    unlink(s.path);
    assert_int_equal(tg_watchlist_open(s.argument, &list, why, sizeof why), TG_ERR_IO);
    assert_non_null(strstr(why, s.path));
    write_file(&s, "# nothing\n");
    assert_int_equal(tg_watchlist_open(s.argument, &list, why, sizeof why), TG_ERR_SYNTAX);
    assert_non_null(strstr(why, "names no instrument"));
    unlink(s.path);
}

static void thousands_of_names_are_taken(void **state)
{
    (void)state;
    static char text[65536 * 9 + 16];
    size_t used = 0;
    for (int i = 0; i < TG_WATCHLIST_MAX; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%sV:%05d", i > 0 ? "," : "", i);
    }
    tg_watchlist *list = NULL;
    char why[256] = "";
    assert_int_equal(tg_watchlist_open(text, &list, why, sizeof why), TG_OK);
    assert_int_equal(tg_watchlist_count(list), TG_WATCHLIST_MAX);
    assert_string_equal(tg_watchlist_symbol(list, TG_WATCHLIST_MAX - 1), "65534");
    tg_watchlist_close(list);
    (void)snprintf(text + used, sizeof text - used, ",V:more");
    assert_int_equal(tg_watchlist_open(text, &list, why, sizeof why), TG_ERR_FULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_split_at_the_first_colon),
        cmocka_unit_test(a_star_means_everything),
        cmocka_unit_test(a_name_that_stands_twice_is_taken_once),
        cmocka_unit_test(errors_name_item_and_position),
        cmocka_unit_test(files_have_one_name_a_line_and_comments),
        cmocka_unit_test(errors_in_files_name_file_and_line),
        cmocka_unit_test(thousands_of_names_are_taken),
    };
    return cmocka_run_group_tests_name("sdk.watchlist", tests, NULL, NULL);
}
