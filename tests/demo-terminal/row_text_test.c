#include "row_text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tg_cmocka.h"

typedef struct sample {
    tg_instrument instrument;
    tg_row row;
    watch_view view;
} sample;

static void set_field(sample *s, tg_field field, int64_t value)
{
    s->row.image.present |= TG_FIELD_BIT(field);
    s->row.image.value[field] = value;
}

static void make(sample *s)
{
    memset(s, 0, sizeof *s);
    s->instrument.price_format = TG_PRICE_FRACTION_32_HALF;
    s->instrument.price_exponent = -6;
    s->instrument.quantity_exponent = -1;
    (void)strcpy(s->instrument.symbol, "ZN \"Z\",4");
    set_field(s, TG_FIELD_BID_PRICE, 110046875);
    set_field(s, TG_FIELD_BID_QUANTITY, 8125);
    set_field(s, TG_FIELD_ASK_PRICE, 110062500);
    set_field(s, TG_FIELD_LAST_PRICE, 110062500);
    set_field(s, TG_FIELD_PREVIOUS_CLOSE, 110375000);
    set_field(s, TG_FIELD_TS_EXCHANGE, INT64_C(1723161300123456789));
    s->row.age_ns = INT64_C(31500000000);
    s->view = (watch_view){.venue = "CBOT",
                           .symbol = s->instrument.symbol,
                           .instrument = &s->instrument,
                           .row = &s->row,
                           .word = "QUIET"};
}

static void a_row_is_what_the_screen_shows_with_tabs(void **state)
{
    (void)state;
    sample s;
    char text[ROW_TEXT_SIZE];
    column_layout layout;
    make(&s);
    columns_init(&layout);
    columns_fit(&layout, 200);
    row_text_tsv(&layout, &s.view, text);
    assert_string_equal(text, "CBOT\tZN \"Z\",4\t812.5\t110-01+\t110-02\t\t110-02\t-0-10\t-0.28%\t"
                              "QUIET\t31s");
    layout.off[COLUMN_VENUE] = true;
    layout.off[COLUMN_CHANGE] = true;
    columns_fit(&layout, 200);
    row_text_tsv(&layout, &s.view, text);
    assert_string_equal(text, "ZN \"Z\",4\t812.5\t110-01+\t110-02\t\t110-02\t-0.28%\tQUIET\t31s");
    /* A row that has nothing yet. */
    s.view.row = NULL;
    s.view.instrument = NULL;
    s.view.word = "no such name";
    row_text_tsv(&layout, &s.view, text);
    assert_string_equal(text, "ZN \"Z\",4\t\t\t\t\t\t\tno such name\t");
}

static void csv_has_exact_decimals_and_times_with_their_zone(void **state)
{
    (void)state;
    static const char expected[] =
        "CBOT,\"ZN \"\"Z\"\",4\",812.5,110.046875,110.062500,,110.062500,-0.312500,-0.28,QUIET,"
        "31500,2024-08-08 23:55:00 UTC,2024-08-08 23:56:40 UTC\n";
    static const char *const zones[] = {"UTC", "Asia/Tokyo", "America/New_York",
                                        "Australia/Lord_Howe"};
    sample s;
    char text[ROW_TEXT_SIZE];
    make(&s);
    /* Neither the locale's point nor the zone of the machine changes a byte. */
    const char *locale = setlocale(LC_ALL, "de_DE.UTF-8");
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        assert_int_equal(setenv("TZ", zones[i], 1), 0);
        tzset();
        row_text_csv(&s.view, INT64_C(1723161400000000000), text);
        assert_string_equal(text, expected);
    }
    if (locale == NULL) {
        print_message("de_DE.UTF-8 is not installed: comma decimals were not tried\n");
    }
    (void)setlocale(LC_ALL, "C");
    s.view.row = NULL;
    row_text_csv(&s.view, 0, text);
    assert_string_equal(text, "CBOT,\"ZN \"\"Z\"\",4\",,,,,,,,QUIET,,,1970-01-01 00:00:00 UTC\n");
}

/* Columns of names and of values are as many, whatever is there. */
static size_t commas(const char *text)
{
    size_t count = 0;
    bool quoted = false;
    for (; *text != '\0'; text++) {
        quoted = *text == '"' ? !quoted : quoted;
        count += *text == ',' && !quoted ? 1 : 0;
    }
    return count;
}

static void every_line_has_the_columns_that_the_first_one_names(void **state)
{
    (void)state;
    sample s;
    char text[ROW_TEXT_SIZE];
    const size_t count = commas(row_text_csv_names());
    make(&s);
    for (int field = 0; field < TG_FIELD_COUNT; field++) {
        row_text_csv(&s.view, 0, text);
        assert_int_equal(commas(text), count);
        s.row.image.present &= ~TG_FIELD_BIT(field);
    }
    s.row.age_ns = -1;
    row_text_csv(&s.view, 0, text);
    assert_int_equal(commas(text), count);
}

/* The longest of everything has room. */
static void nothing_is_cut(void **state)
{
    (void)state;
    sample s;
    char text[ROW_TEXT_SIZE];
    char venue[TG_VENUE_NAME_SIZE];
    make(&s);
    memset(venue, '"', sizeof venue - 1);
    venue[sizeof venue - 1] = '\0';
    memset(s.instrument.symbol, '"', sizeof s.instrument.symbol - 1);
    s.view.venue = venue;
    s.instrument.price_format = TG_PRICE_DECIMAL;
    s.instrument.price_exponent = 18;
    s.instrument.quantity_exponent = 18;
    for (int field = 0; field < TG_FIELD_COUNT; field++) {
        set_field(&s, (tg_field)field, INT64_MIN + field);
    }
    row_text_csv(&s.view, 0, text);
    assert_int_equal(text[strlen(text) - 1], '\n');
    assert_int_equal(commas(text), commas(row_text_csv_names()));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_what_the_screen_shows_with_tabs),
        cmocka_unit_test(csv_has_exact_decimals_and_times_with_their_zone),
        cmocka_unit_test(every_line_has_the_columns_that_the_first_one_names),
        cmocka_unit_test(nothing_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
