#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <lzma.h>

#include "kept_folder.h"
#include "sequencer.h"
#include "tape.h"
#include "tape_line.h"
#include "tape_writer.h"

#define HEADER TG__TAPE_HEADER "\n"

typedef struct scratch {
    char folder[64];
    char path[128];
    tg__directory directory;
    tg__tape *tape;
    tg__cause cause;
} scratch;

static int set_up(void **state)
{
    static scratch s;
    memset(&s, 0, sizeof s);
    const char *base = getenv("TMPDIR");
    (void)snprintf(s.folder, sizeof s.folder, "%s/tg-tape-test-XXXXXX",
                   base != NULL && strlen(base) < sizeof s.folder - 32 ? base : "/tmp");
    assert_non_null(mkdtemp(s.folder));
    kept_folder_made(s.folder);
    (void)snprintf(s.path, sizeof s.path, "%s/tape.csv", s.folder);
    tg__directory_init(&s.directory);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    scratch *s = *state;
    tg__tape_close(s->tape);
    tg__directory_deinit(&s->directory);
    (void)unlink(s->path);
    (void)rmdir(s->folder);
    return 0;
}

static void put_bytes(const scratch *s, const void *bytes, size_t size)
{
    FILE *file = fopen(s->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static tg_err open_text(scratch *s, const char *text)
{
    put_bytes(s, text, strlen(text));
    return tg__tape_open(s->path, false, &s->directory, &s->tape, &s->cause);
}

static void expect_cause(const scratch *s, const char *tail)
{
    char expected[256];
    (void)snprintf(expected, sizeof expected, "%s%s", s->path, tail);
    assert_string_equal(s->cause.text, expected);
}

static void a_bad_line_is_named_by_file_line_and_field(void **state)
{
    scratch *s = *state;
    assert_int_equal(open_text(s, HEADER "5,V,S,bid,1.0,1,1\n6,V,S,bid,1.o,1,2\n"), TG_ERR_TAPE);
    expect_cause(s, ":3: price_decimal_text is not a decimal number");
    assert_null(s->tape);
    assert_int_equal(open_text(s, HEADER "5,V,S,bid,1.0,1,1\n4,V,S,bid,1.0,1,2\n"), TG_ERR_TAPE);
    expect_cause(s, ":3: ts_ns lies before that of the line above");
    assert_int_equal(open_text(s, "ts,venue\n"), TG_ERR_TAPE);
    assert_non_null(strstr(s->cause.text, ":1: header is not"));
    assert_int_equal(open_text(s, ""), TG_ERR_TAPE);
    expect_cause(s, ": is empty");
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
    scratch *s = *state;
    assert_int_equal(tg__tape_open(s->path, false, &s->directory, &s->tape, &s->cause), TG_ERR_IO);
    expect_cause(s, ": cannot be opened: No such file or directory");
    assert_int_equal(tg__tape_open(s->folder, false, &s->directory, &s->tape, &s->cause),
                     TG_ERR_IO);
    assert_non_null(strstr(s->cause.text, "cannot be read"));
}

static void an_endless_line_is_an_error(void **state)
{
    scratch *s = *state;
    static char text[200000];
    memset(text, 'x', sizeof text);
    memcpy(text, HEADER, strlen(HEADER));
    put_bytes(s, text, sizeof text);
    assert_int_equal(tg__tape_open(s->path, false, &s->directory, &s->tape, &s->cause),
                     TG_ERR_TAPE);
    expect_cause(s, ":2: line is longer than 1024 bytes");
}

static void prices_that_no_exponent_holds_are_an_error(void **state)
{
    scratch *s = *state;
    assert_int_equal(open_text(s, HEADER "5,V,S,bid,9999999997.00000,1,1\n"
                                         "6,V,S,bid,0.00000000001,1,2\n"),
                     TG_ERR_OVERFLOW);
    assert_non_null(strstr(s->cause.text, "V:S: prices of one instrument do not fit"));
}

static void exponents_and_tick_size_come_from_the_texts(void **state)
{
    scratch *s = *state;
    assert_int_equal(open_text(s, HEADER "5,V,S,bid,61831.99000000,3,1\r\n"
                                         "6,V,S,ask,61832.0,1.25,2\r\n"
                                         "7,V,T,trade,-37.63,1,"),
                     TG_OK);
    const tg_instrument *first = &s->directory.instruments[0];
    assert_int_equal(first->price_exponent, -8);
    assert_int_equal(first->quantity_exponent, -2);
    assert_int_equal(first->band[0].tick_size, 1000000);
    tg__row row;
    assert_int_equal(tg__tape_next(s->tape, &row, &s->cause), TG_OK);
    assert_true(row.price == INT64_C(6183199000000) && row.quantity == 300);
    assert_int_equal(tg__tape_next(s->tape, &row, &s->cause), TG_OK);
    assert_true(row.price == INT64_C(6183200000000) && row.quantity == 125);
    assert_int_equal(tg__tape_next(s->tape, &row, &s->cause), TG_OK);
    assert_true(row.price == -3763 && row.instrument == 1 && !row.has_id);
    assert_int_equal(tg__tape_next(s->tape, &row, &s->cause), TG_ERR_NOT_FOUND);
    assert_int_equal(tg__tape_rewind(s->tape, &s->cause), TG_OK);
    assert_int_equal(tg__tape_next(s->tape, &row, &s->cause), TG_OK);
    assert_int_equal(row.ts_ns, tg__tape_start_ns(s->tape));
}

static void feeds_of_one_venue_are_merged_on_request(void **state)
{
    scratch *s = *state;
    const char *text = HEADER "5,BEQUANT_A,S,bid,1,1,1\n5,BEQUANT_D,S,bid,1,1,1\n"
                              "6,BINANCE_USDM,S,bid,1,1,1\n7,_A,S,bid,1,1,1\n";
    put_bytes(s, text, strlen(text));
    assert_int_equal(tg__tape_open(s->path, true, &s->directory, &s->tape, &s->cause), TG_OK);
    assert_int_equal(s->directory.venue_count, 3);
    assert_string_equal(s->directory.venues[0].name, "BEQUANT");
    assert_string_equal(s->directory.venues[1].name, "BINANCE_USDM");
    assert_string_equal(s->directory.venues[2].name, "_A");
}

static size_t compress(const char *text, uint8_t *out, size_t capacity)
{
    size_t size = 0;
    assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text,
                                             strlen(text), out, &size, capacity),
                     LZMA_OK);
    return size;
}

static void xz_is_read_and_damage_is_noticed(void **state)
{
    scratch *s = *state;
    static uint8_t packed[4096];
    const size_t size =
        compress(HEADER "5,V,S,bid,1,1,1\n6,V,S,ask,2,1,1\n", packed, sizeof packed);
    put_bytes(s, packed, size);
    assert_int_equal(tg__tape_open(s->path, false, &s->directory, &s->tape, &s->cause), TG_OK);
    tg__row row;
    assert_int_equal(tg__tape_next(s->tape, &row, &s->cause), TG_OK);
    assert_int_equal(tg__tape_next(s->tape, &row, &s->cause), TG_OK);
    assert_int_equal(tg__tape_next(s->tape, &row, &s->cause), TG_ERR_NOT_FOUND);
    tg__tape *tape = NULL;
    for (size_t cut = 6; cut < size; cut++) {
        put_bytes(s, packed, cut);
        assert_int_equal(tg__tape_open(s->path, false, &s->directory, &tape, &s->cause),
                         TG_ERR_TAPE);
        expect_cause(s, ": the xz data ends too early");
    }
    packed[size / 2] ^= 0x40;
    put_bytes(s, packed, size);
    assert_int_equal(tg__tape_open(s->path, false, &s->directory, &tape, &s->cause), TG_ERR_TAPE);
}

static void a_written_tape_reads_back_equal(void **state)
{
    scratch *s = *state;
    assert_int_equal(open_text(s, HEADER "5,V,東京電力,bid,-0.5,3,\n6,V,S,trade,1.25,1,18\n"),
                     TG_OK);
    tg__row rows[2];
    assert_int_equal(tg__tape_next(s->tape, &rows[0], &s->cause), TG_OK);
    assert_int_equal(tg__tape_next(s->tape, &rows[1], &s->cause), TG_OK);
    tg__tape_writer *writer = NULL;
    assert_int_equal(tg__tape_writer_open(s->path, &s->directory, &writer, &s->cause), TG_OK);
    assert_int_equal(tg__tape_writer_add(writer, &rows[0], &s->cause), TG_OK);
    assert_int_equal(tg__tape_writer_add(writer, &rows[1], &s->cause), TG_OK);
    assert_int_equal(tg__tape_writer_flush(writer, &s->cause), TG_OK);
    char text[512];
    FILE *file = fopen(s->path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, HEADER "5,V,東京電力,bid,-0.5,3,\n6,V,S,trade,1.25,1,18\n");
    tg__tape_writer_close(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_bad_line_is_named_by_file_line_and_field, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_read_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_endless_line_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(prices_that_no_exponent_holds_are_an_error, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(exponents_and_tick_size_come_from_the_texts, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(feeds_of_one_venue_are_merged_on_request, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(xz_is_read_and_damage_is_noticed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_written_tape_reads_back_equal, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("gateway.tape", tests, NULL, NULL);
}
