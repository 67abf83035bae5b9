/*
 * The same text on every machine: what is written of prices, ages and times does not depend on the
 * locale's decimal point or on the zone of the machine. The locale is made here, as a machine
 * rarely has one.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tickglass/price_text.h>
#include <tickglass/time_text.h>

#include "glass_number.h"
#include "row_text.h"
#include "tg_cmocka.h"

#include "../gateway/scratch_folder.h"

#define TEXTS_SIZE 8192

static scratch_folder folder;

/* A comma before decimals, and points between thousands. */
static bool make_locale(void)
{
    char path[200];
    (void)snprintf(path, sizeof path, "%s/de_DE.UTF-8", folder.path);
    const pid_t pid = fork();
    if (pid == 0) {
        (void)freopen("/dev/null", "w", stderr);
        (void)execlp("localedef", "localedef", "-i", "de_DE", "-f", "UTF-8", path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    (void)waitpid(pid, &status, 0);
    return setenv("LOCPATH", folder.path, 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void add(char *texts, const char *text)
{
    const size_t length = strlen(texts);
    (void)snprintf(texts + length, TEXTS_SIZE - length, "%s\n", text);
}

static void write_texts(char *texts)
{
    static const tg_price_style styles[] = {{TG_PRICE_DECIMAL, -2},
                                            {TG_PRICE_DECIMAL, -11},
                                            {TG_PRICE_FRACTION_32_HALF, -6},
                                            {TG_PRICE_DECIMAL, 3}};
    static const int64_t prices[] = {0, 1, -3770, 110046875, INT64_MAX, INT64_MIN};
    static const int64_t times[] = {0, INT64_C(1723161300123456789), -1};
    char text[TG_PRICE_TEXT_SIZE];
    char csv[ROW_TEXT_SIZE];
    texts[0] = '\0';
    for (size_t i = 0; i < 4; i++) {
        for (size_t k = 0; k < 6; k++) {
            assert_int_equal(tg_price_text(styles[i], prices[k], text, sizeof text), TG_OK);
            add(texts, text);
            assert_int_equal(tg_change_text(styles[i], prices[k], text, sizeof text), TG_OK);
            add(texts, text);
            (void)!tg_percent_text(prices[k], 1234567, text, sizeof text);
            add(texts, text);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(tg_utc_text(times[i], text, sizeof text), TG_OK);
        add(texts, text);
        assert_int_equal(tg_age_text(times[i], text, sizeof text), TG_OK);
        add(texts, text);
        assert_int_equal(tg_duration_text(times[i], text, sizeof text), TG_OK);
        add(texts, text);
    }
    const tg_instrument instrument = {.symbol = "S", .price_exponent = -2};
    tg_row row = {.age_ns = INT64_C(1500000000)};
    row.image.present = TG_FIELD_BIT(TG_FIELD_LAST_PRICE) | TG_FIELD_BIT(TG_FIELD_TS_EXCHANGE);
    row.image.value[TG_FIELD_LAST_PRICE] = 6181300;
    row.image.value[TG_FIELD_TS_EXCHANGE] = times[1];
    const watch_view view = {
        .venue = "V", .symbol = "S", .instrument = &instrument, .row = &row, .word = "LIVE"};
    row_text_csv(&view, times[1], csv);
    add(texts, csv);
}

static void texts_depend_neither_on_locale_nor_on_zone(void **state)
{
    (void)state;
    static const char *const zones[] = {"UTC", "Asia/Tokyo", "America/New_York",
                                        "Australia/Lord_Howe", "XYZ-14:45"};
    static char expected[TEXTS_SIZE];
    static char found[TEXTS_SIZE];
    char comma[16];
    (void)setlocale(LC_ALL, "C");
    write_texts(expected);
    assert_non_null(strstr(expected, "2024-08-08 23:55:00 UTC"));
    assert_non_null(strstr(expected, "-37.70"));
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    /* The locale is one that would be seen. */
    (void)snprintf(comma, sizeof comma, "%.1f", 0.5);
    assert_string_equal(comma, "0,5");
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        assert_int_equal(setenv("TZ", zones[i], 1), 0);
        tzset();
        write_texts(found);
        assert_string_equal(found, expected);
    }
}

static void what_is_read_has_a_point_in_every_locale(void **state)
{
    (void)state;
    tg_decimal price;
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    assert_int_equal(tg_decimal_parse("61813.25", 8, &price), TG_OK);
    assert_int_equal(price.mantissa, 6181325);
    assert_int_equal(tg_decimal_parse("61813,25", 8, &price), TG_ERR_SYNTAX);
    assert_int_equal(glass_number_read("61813.25", 8).digits, 6181325);
    assert_int_equal(glass_number_read("61813,25", 8).kind, GLASS_NUMBER_UNREADABLE);
}

int main(void)
{
    scratch_folder_open(&folder);
    if (!make_locale()) {
        scratch_folder_close(&folder);
        print_message("SKIP: no locale with comma decimals can be made here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_depend_neither_on_locale_nor_on_zone),
        cmocka_unit_test(what_is_read_has_a_point_in_every_locale),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_folder_close(&folder);
    return failed;
}
