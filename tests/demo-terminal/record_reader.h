/* Reads what the terminal recorded back, with the recorder's own reader. */
#ifndef TG_TESTS_RECORD_READER_H
#define TG_TESTS_RECORD_READER_H

#include <stdbool.h>
#include <string.h>

#include <tickglass/record_inline.h>

#include "log_file.h"
#include "log_merge.h"
#include "tg_cmocka.h"

typedef struct record_reader {
    tg__log_file file;
    tg__log_merge merge;
} record_reader;

static inline void record_reader_open(record_reader *reader, const char *path)
{
    assert_int_equal(tg__log_file_open(path, &reader->file), TG_OK);
    assert_int_equal(tg__log_merge_open(&reader->file, 1, &reader->merge), TG_OK);
}

static inline void record_reader_close(record_reader *reader)
{
    assert_int_equal(reader->file.problem_count, 0);
    tg__log_merge_close(&reader->merge);
    tg__log_file_close(&reader->file);
}

static inline bool record_reader_next(record_reader *reader, tg__log_record *record)
{
    return tg__log_merge_next(&reader->merge, record) == TG_OK;
}

static inline bool record_contains(const tg__log_record *record, const char *part)
{
    char format[512];
    const size_t size =
        record->site->format_size < sizeof format ? record->site->format_size : sizeof format - 1;
    memcpy(format, record->site->format, size);
    format[size] = '\0';
    return strstr(format, part) != NULL;
}

/* One argument as a number, or how many bytes it has and where. */
typedef struct record_argument {
    int64_t number;
    const unsigned char *bytes;
    size_t size;
} record_argument;

static inline record_argument record_argument_of(const tg__log_record *record, unsigned index)
{
    const unsigned char *at = record->arguments;
    record_argument argument = {0};
    assert_true(index < record->site->argument_count);
    for (unsigned i = 0; i <= index; i++) {
        const uint8_t type = record->site->types[i];
        uint32_t word = 0;
        memcpy(&word, at, sizeof word);
        argument = (record_argument){0};
        if (type == TG__TYPE_I32) {
            argument.number = (int32_t)word;
            at += 4;
        } else if (type == TG__TYPE_U32) {
            argument.number = word;
            at += 4;
        } else if (type == TG__TYPE_TEXT || type == TG__TYPE_BLOB) {
            argument.bytes = at + 4;
            argument.size = word;
            at += 4 + word;
        } else {
            memcpy(&argument.number, at, 8);
            at += 8;
        }
    }
    return argument;
}

static inline int64_t record_number(const tg__log_record *record, unsigned index)
{
    return record_argument_of(record, index).number;
}

#endif
