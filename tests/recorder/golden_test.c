#include "tg_cmocka.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log_merge.h"
#include "log_text.h"

static char *read_file(const char *name, size_t *size)
{
    char path[1024];
    (void)snprintf(path, sizeof path, "%s/%s", GOLDEN_DIR, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    return bytes;
}

static void print_all(const char *name, bool json, tg__text_buffer *out)
{
    size_t size = 0;
    char *bytes = read_file(name, &size);
    static tg__log_text text;
    tg__log_file file;
    tg__log_merge merge;
    tg__log_record record;
    assert_int_equal(tg__log_file_from_memory(bytes, size, &file), TG_OK);
    assert_int_equal(tg__log_merge_open(&file, 1, &merge), TG_OK);
    while (tg__log_merge_next(&merge, &record) == TG_OK) {
        assert_int_equal(json ? tg__log_text_json(&text, &record, out)
                              : tg__log_text_line(&text, &record, out),
                         TG_OK);
    }
    assert_int_equal(file.problem_count, 0);
    assert_true(file.ended);
    tg__log_merge_close(&merge);
    tg__log_text_deinit(&text);
    tg__log_file_close(&file);
    free(bytes);
}

static void check(const char *name, const char *expected_name, bool json)
{
    size_t size = 0;
    char *expected = read_file(expected_name, &size);
    tg__text_buffer out = {NULL, 0, 0, false};
    print_all(name, json, &out);
    assert_int_equal(out.size, size);
    assert_memory_equal(out.bytes, expected, size);
    tg__text_buffer_deinit(&out);
    free(expected);
}

static void format_1_reads_as_it_did_when_it_was_released(void **state)
{
    (void)state;
    check("format_1.tgrec", "format_1.txt", false);
    check("format_1.tgrec", "format_1.jsonl", true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(format_1_reads_as_it_did_when_it_was_released),
    };
    return cmocka_run_group_tests_name("recorder.golden", tests, NULL, NULL);
}
