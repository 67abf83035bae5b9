/* What a terminal has written, and numbers of its report. */
#ifndef TG_TESTS_REPORT_FILE_H
#define TG_TESTS_REPORT_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tg_cmocka.h"

static inline uint64_t report_number_after(const char *path, const char *text, const char *key)
{
    char quoted[64];
    (void)snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(text, quoted);
    if (at == NULL) {
        fail_msg("%s lacks %s: %s", path, key, text);
    }
    return strtoull(at + strlen(quoted), NULL, 10);
}

/* Its beginning; until the next call. */
static inline const char *file_text(const char *path)
{
    static char text[8192];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_msg("%s was not written", path);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

static inline uint64_t report_count(const char *path, const char *key)
{
    return report_number_after(path, file_text(path), key);
}

/* How many values a histogram has. */
static inline uint64_t report_value_count(const char *path, const char *histogram)
{
    const char *at = strstr(file_text(path), histogram);
    assert_non_null(at);
    return report_number_after(path, at, "count");
}

#endif
