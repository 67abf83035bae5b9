#include "tg_cmocka.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickglass/internal/text_buffer.h>

#include "seeded_random.h"

static void assert_text(tg__text_buffer *text, const char *expected)
{
    assert_false(text->failed);
    assert_int_equal(text->size, strlen(expected));
    assert_memory_equal(text->bytes, expected, text->size);
    text->size = 0;
}

static void numbers_are_written_as_printf_writes_them(void **state)
{
    (void)state;
    tg__text_buffer text = {NULL, 0, 0, false};
    seeded_random random = random_start("numbers", 11);
    for (uint64_t power = 1;; power *= 10) {
        for (int by = -1; by <= 1; by++) {
            const uint64_t value = power + (uint64_t)(int64_t)by;
            char expected[32];
            (void)snprintf(expected, sizeof expected, "%" PRIu64, value);
            tg__text_add_u64(&text, value);
            assert_text(&text, expected);
            (void)snprintf(expected, sizeof expected, "%" PRId64, (int64_t)(0 - value));
            tg__text_add_i64(&text, (int64_t)(0 - value));
            assert_text(&text, expected);
        }
        if (power > UINT64_MAX / 10) {
            break;
        }
    }
    for (int i = 0; i < 20000; i++) {
        const uint64_t value = random_any_size(&random, 64);
        char expected[32];
        (void)snprintf(expected, sizeof expected, "%" PRIu64, value);
        tg__text_add_u64(&text, value);
        assert_text(&text, expected);
    }
    tg__text_add_i64(&text, INT64_MIN);
    assert_text(&text, "-9223372036854775808");
    tg__text_buffer_deinit(&text);
}

/* Byte after byte, as it is defined. */
static void escape(const unsigned char *bytes, size_t size, char *out)
{
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] < 0x20 || bytes[i] == 0x7f) {
            out += sprintf(out, "\\x%02x", bytes[i]);
        } else {
            *out++ = (char)bytes[i];
        }
    }
    *out = '\0';
}

static void control_characters_are_escaped_wherever_they_stand(void **state)
{
    (void)state;
    tg__text_buffer text = {NULL, 0, 0, false};
    char expected[256];
    for (unsigned byte = 1; byte < 256; byte++) {
        for (size_t size = 1; size < 20; size++) {
            for (size_t at = 0; at < size; at++) {
                /* Of its own size, so that ASan sees a byte too far. */
                unsigned char *bytes = malloc(size);
                assert_non_null(bytes);
                memset(bytes, byte % 2 == 0 ? 'x' : 0xff, size);
                bytes[at] = (unsigned char)byte;
                escape(bytes, size, expected);
                tg__text_add_plain(&text, (const char *)bytes, size);
                assert_text(&text, expected);
                free(bytes);
            }
        }
    }
    tg__text_add_plain(&text, "\0\x1f", 2);
    assert_text(&text, "\\x00\\x1f");
    tg__text_add_plain(&text, "", 0);
    assert_text(&text, "");
    tg__text_buffer_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_written_as_printf_writes_them),
        cmocka_unit_test(control_characters_are_escaped_wherever_they_stand),
    };
    return cmocka_run_group_tests_name("recorder.text_buffer", tests, NULL, NULL);
}
