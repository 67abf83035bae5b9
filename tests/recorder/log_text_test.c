#include "tg_cmocka.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tickglass/record_inline.h>

#include "bytes.h"
#include "log_text.h"

/* A record made by hand, without a file. */
typedef struct made {
    tg__log_file file;
    tg__log_thread thread;
    tg__site_info site;
    uint8_t types[TG_RECORD_ARGUMENTS_MAX];
    unsigned char arguments[4096];
    tg__log_record record;
    tg__log_text text;
    tg__text_buffer out;
} made;

static made m;

static void make(const char *format)
{
    memset(&m, 0, sizeof m);
    m.thread.number = 3;
    m.file.threads = &m.thread;
    m.file.thread_count = 1;
    m.site = (tg__site_info){.id = 9,
                             .line = 12,
                             .level = TG_RECORD_INFO,
                             .types = m.types,
                             .file = "src/orders.c",
                             .file_size = 12,
                             .format = format,
                             .format_size = (uint16_t)strlen(format)};
    m.record = (tg__log_record){.file = &m.file,
                                .site = &m.site,
                                .thread = 3,
                                .thread_name = m.thread.name,
                                .mono_ns = 5,
                                .utc_ns = INT64_C(1796066105124982759),
                                .arguments = m.arguments};
}

static void add(uint8_t type, tg__argument argument)
{
    m.types[m.site.argument_count++] = type;
    unsigned char *at = m.arguments + m.record.arguments_size;
    m.record.arguments_size += (size_t)(tg__argument_put(at, type, argument) - at);
}

static void add_text(uint8_t type, const char *bytes, size_t size)
{
    const tg__argument argument = {size, bytes, 0};
    add(type, argument);
}

static const char *message(void)
{
    m.out.size = 0;
    assert_int_equal(tg__log_text_message(&m.text, &m.record, &m.out), TG_OK);
    tg__text_add(&m.out, "", 1);
    return m.out.bytes;
}

static void unmake(void)
{
    tg__log_text_deinit(&m.text);
    tg__text_buffer_deinit(&m.out);
}

static void check_i32(const char *format, int value, const char *expected)
{
    make(format);
    add(TG__TYPE_I32, tg__argument_i(value));
    assert_string_equal(message(), expected);
    unmake();
}

#define SAME_I32(format, value)                                                                    \
    do {                                                                                           \
        char expected_[256];                                                                       \
        (void)snprintf(expected_, sizeof expected_, format, value);                                \
        check_i32(format, (int)(value), expected_);                                                \
    } while (0)

static void integers_print_as_printf_prints_them(void **state)
{
    (void)state;
    SAME_I32("%d", 0);
    SAME_I32("%d", -1);
    SAME_I32("%d|", INT32_MIN);
    SAME_I32("%5d|", 42);
    SAME_I32("%-5d|", 42);
    SAME_I32("%05d|", -42);
    SAME_I32("%+d", 42);
    SAME_I32("% d", 42);
    SAME_I32("%.3d", 7);
    SAME_I32("%8.3d", -7);
    check_i32("%08.3d|", 7, "     007|"); /* C: a precision switches the zero flag off */
    SAME_I32("%.0d|", 0);
    SAME_I32("%u", 4000000000u);
    SAME_I32("%x", 0xbeefu);
    SAME_I32("%#X", 0xbeefu);
    SAME_I32("%#010x", 0xbeefu);
    SAME_I32("%o", 64u);
    SAME_I32("%#o", 64u);
    SAME_I32("%c", 'x');
    SAME_I32("%3c|", 'x');
    SAME_I32("100 %% of %d", 5);
    check_i32("%hhu", 300, "44");
    check_i32("%hhd", 200, "-56");
    check_i32("%hd", 40000, "-25536");
}

static void wide_integers_keep_every_bit(void **state)
{
    (void)state;
    make("%lld %llu %llx %ld");
    add(TG__TYPE_I64, tg__argument_i(INT64_MIN));
    add(TG__TYPE_U64, tg__argument_u(UINT64_MAX));
    add(TG__TYPE_U64, tg__argument_u(UINT64_MAX));
    add(TG__TYPE_I64, tg__argument_i(-5));
    assert_string_equal(message(), "-9223372036854775808 18446744073709551615 ffffffffffffffff -5");
    unmake();
}

static void check_double(const char *format, double value, const char *expected)
{
    make(format);
    add(TG__TYPE_F64, tg__argument_f(value));
    assert_string_equal(message(), expected);
    unmake();
}

#define SAME_DOUBLE(format, value)                                                                 \
    do {                                                                                           \
        char expected_[1024];                                                                      \
        (void)snprintf(expected_, sizeof expected_, format, value);                                \
        check_double(format, value, expected_);                                                    \
    } while (0)

static void doubles_print_as_printf_prints_them(void **state)
{
    (void)state;
    SAME_DOUBLE("%f", 1842.75);
    SAME_DOUBLE("%.0f", -0.4);
    SAME_DOUBLE("%+.2f|", 1.005);
    SAME_DOUBLE("%12.3f|", -37.63);
    SAME_DOUBLE("%-12.3f|", -37.63);
    SAME_DOUBLE("%012.3f|", -37.63);
    SAME_DOUBLE("%e", 12345.678);
    SAME_DOUBLE("%g", 0.0001);
    SAME_DOUBLE("%G", 1e300);
    SAME_DOUBLE("%a", 1.5);
    SAME_DOUBLE("%f", DBL_MAX);
    SAME_DOUBLE("%8.1f", (double)INFINITY);
}

static void prices_print_exactly(void **state)
{
    (void)state;
    const struct {
        int64_t mantissa;
        int8_t exponent;
        const char *expected;
    } rows[] = {{-3763, -2, "-37.63"},
                {INT64_C(999999999700000), -5, "9999999997.00000"},
                {1, -11, "0.00000000001"},
                {INT64_MIN, -18, "-9.223372036854775808"},
                {0, 0, "0"},
                {5, 100, "5e100"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make("%f");
        add(TG__TYPE_DECIMAL,
            tg__argument_decimal(tg_decimal_of(rows[i].mantissa, rows[i].exponent)));
        assert_string_equal(message(), rows[i].expected);
        unmake();
    }
    make("[%10f]");
    add(TG__TYPE_DECIMAL, tg__argument_decimal(tg_decimal_of(-3763, -2)));
    assert_string_equal(message(), "[    -37.63]");
    unmake();
}

static void texts_and_blobs_and_stars(void **state)
{
    (void)state;
    make("%s|%5s|%-5s|%.2s|%p|%*d|%-*d|%.*f");
    add_text(TG__TYPE_TEXT, "abc", 3);
    add_text(TG__TYPE_TEXT, "abc", 3);
    add_text(TG__TYPE_TEXT, "abc", 3);
    add_text(TG__TYPE_TEXT, "abc", 3);
    add_text(TG__TYPE_BLOB, "\x00\xff\x10", 3);
    add(TG__TYPE_I32, tg__argument_i(4));
    add(TG__TYPE_I32, tg__argument_i(7));
    add(TG__TYPE_I32, tg__argument_i(-3));
    add(TG__TYPE_I32, tg__argument_i(7));
    add(TG__TYPE_I32, tg__argument_i(1));
    add(TG__TYPE_F64, tg__argument_f(2.25));
    assert_string_equal(message(), "abc|  abc|abc  |ab|00ff10|   7|7  |2.2");
    unmake();
}

static void hostile_formats_print_something_and_read_nothing(void **state)
{
    (void)state;
    const char *formats[] = {"%",  "%5",     "%-",       "%.", "%999999999d", "%.999999999d",
                             "%n", "%s%s%s", "%lllllld", "%*", "%.*"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        make(formats[i]);
        add(TG__TYPE_I32, tg__argument_i(1));
        assert_true(strlen(message()) <= 1024);
        unmake();
    }
    make("%d and %d");
    add(TG__TYPE_I32, tg__argument_i(1));
    assert_string_equal(message(), "1 and <no argument>");
    unmake();
}

static void a_line_stays_one_line(void **state)
{
    (void)state;
    make("said %s");
    add_text(TG__TYPE_TEXT, "one\ntwo\x1b[31m", 12);
    (void)snprintf(m.thread.name, sizeof m.thread.name, "net");
    assert_int_equal(tg__log_text_line(&m.text, &m.record, &m.out), TG_OK);
    const char expected[] =
        "2026-11-30T19:15:05.124982759Z INFO net orders.c:12 said one\\x0atwo\\x1b[31m\n";
    assert_int_equal(m.out.size, sizeof expected - 1);
    assert_memory_equal(m.out.bytes, expected, sizeof expected - 1);
    unmake();
}

static void json_is_one_object_with_exact_arguments(void **state)
{
    (void)state;
    make("%s %f %u");
    add_text(TG__TYPE_TEXT, "a\"b\\\n\xff\xe2\x96\xb2", 9);
    add(TG__TYPE_DECIMAL, tg__argument_decimal(tg_decimal_of(-5, -1)));
    add(TG__TYPE_U32, tg__argument_u(7));
    assert_int_equal(tg__log_text_json(&m.text, &m.record, &m.out), TG_OK);
    const char expected[] =
        "{\"utc\":\"2026-11-30T19:15:05.124982759Z\",\"utc_ns\":1796066105124982759,\"mono_ns\":5,"
        "\"level\":\"INFO\",\"thread\":3,\"name\":\"\",\"file\":\"src/orders.c\",\"line\":12,"
        "\"format\":\"%s %f %u\",\"args\":[\"a\\\"b\\\\\\u000a\xef\xbf\xbd\xe2\x96\xb2\",\"-0.5\","
        "7],\"text\":\"a\\\"b\\\\\\u000a\xef\xbf\xbd\xe2\x96\xb2 -0.5 7\"}\n";
    assert_int_equal(m.out.size, sizeof expected - 1);
    assert_memory_equal(m.out.bytes, expected, sizeof expected - 1);
    unmake();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_print_as_printf_prints_them),
        cmocka_unit_test(wide_integers_keep_every_bit),
        cmocka_unit_test(doubles_print_as_printf_prints_them),
        cmocka_unit_test(prices_print_exactly),
        cmocka_unit_test(texts_and_blobs_and_stars),
        cmocka_unit_test(hostile_formats_print_something_and_read_nothing),
        cmocka_unit_test(a_line_stays_one_line),
        cmocka_unit_test(json_is_one_object_with_exact_arguments),
    };
    return cmocka_run_group_tests_name("recorder.log_text", tests, NULL, NULL);
}
